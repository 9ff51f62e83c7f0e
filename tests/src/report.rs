//! What a passing test says to the person who runs `npm test`: that it was skipped, and figures.
//!
//! The output of a test that passes is hidden, so both take other ways: `scripts/rusttests.mjs` finds skipped tests in
//! what the programs print and counts them in the last line, and `scripts/steps.mjs` prints the file of figures before it.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::process::Output;

use crate::files;

/// Says that the calling test checked nothing, and why. The test returns after it.
pub fn skipped(reason: &str) {
    let thread = std::thread::current();
    let name = thread.name().unwrap_or("a test");
    // Written past the capture of the test's output; one write, so that lines of other tests do not split it.
    let _ = std::io::stderr().write_all(format!("skipped {name}: {reason}\n").as_bytes());
}

/// Adds a line to the figures that `npm test` ends with.
pub fn figure(line: &str) {
    let out = files::root().join("tests/out");
    if out.is_dir()
        && let Ok(mut file) = OpenOptions::new().create(true).append(true).open(out.join("figures.txt"))
    {
        let _ = writeln!(file, "{line}");
    }
}

/// What a script printed that `unshare` ran as root with mounts of its own, or why the system refuses that. Such a
/// script ends with 77 where it cannot mount.
///
/// # Errors
/// When there is no `unshare`, or the system refuses it.
pub fn unshared(run: std::io::Result<Output>) -> Result<Output, String> {
    let output = run.map_err(|error| format!("unshare cannot be run: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(77) || said.contains("unshare failed") {
        return Err(format!("this system lets no test mount a folder: {}", said.trim()));
    }
    Ok(output)
}
