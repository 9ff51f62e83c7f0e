//! The programs under test, as cargo built them next to the tests.

use std::path::PathBuf;

/// The folder of the built programs: a test is one of them, in `deps/` below it.
///
/// # Panics
/// When the programs are not built.
#[must_use]
pub fn folder() -> PathBuf {
    let test = std::env::current_exe().expect("this test's own path");
    let folder = test.ancestors().nth(2).expect("the folder above deps").to_owned();
    let command = folder.join(format!("timberline{}", std::env::consts::EXE_SUFFIX));
    assert!(command.is_file(), "{} is not built; run `cargo build --workspace` first", command.display());
    folder
}

/// The command line.
#[must_use]
pub fn timberline() -> PathBuf {
    folder().join(format!("timberline{}", std::env::consts::EXE_SUFFIX))
}
