//! The command `toolbox`.

fn main() {}
