//! Tests that end a process if they fail, and so are run by one of their own.

use std::process::Command;

/// Runs the ignored test of this name in a process that may have so many KiB of memory.
pub(crate) fn passes_within(kibibytes: u32, test: &str) {
    let this = std::env::current_exe().expect("it has a path");
    let limited = format!("ulimit -v {kibibytes}; exec \"$0\" --ignored {test}");
    let output = Command::new("sh").arg("-c").arg(limited).arg(this).output();
    let output = output.expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout);
    // By another name it would find nothing to run, and succeed.
    assert!(output.status.success() && said.contains("1 passed"), "{output:?}");
}
