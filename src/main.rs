//! The command `toolbox`. It hands over the command line and the environment, and nothing else reads either.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    toolbox::cli::run(std::env::args_os(), &|name| std::env::var(name).ok())
}
