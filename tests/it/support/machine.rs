//! This machine and the processes on it.

use std::{process::Command, sync::OnceLock};

/// Its name.
pub(crate) fn name() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| {
        let output = Command::new("uname").arg("-n").output().expect("uname");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    })
}

/// Whether a process of this number runs.
pub(crate) fn runs(process: u32) -> bool {
    Command::new("ps").args(["-p", &process.to_string()]).output().is_ok_and(|output| output.status.success())
}
