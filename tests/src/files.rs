//! Finding the project's own files, without git: a downloaded archive of the sources has none.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Folders that hold what tools made, not what people wrote.
const MADE: &[&str] = &["node_modules", "target", "dist", "out", "gen"];

/// The top folder of the project, asked from cargo when a test runs: several clones may share what is
/// compiled, and each test looks at its own.
///
/// # Panics
/// When a test was not started by cargo.
#[must_use]
pub fn root() -> &'static Path {
    static ROOT: LazyLock<PathBuf> = LazyLock::new(|| {
        let tests = std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo runs the tests");
        Path::new(&tests).parent().expect("the tests lie in the project's folder").to_owned()
    });
    &ROOT
}

/// A folder of real logs with their truth, next to the project's folder or where `TIMBERLINE_DATASETS` says.
///
/// # Errors
/// When there is none; the text says so.
pub fn datasets() -> Result<PathBuf, String> {
    let named = std::env::var_os("TIMBERLINE_DATASETS").map(PathBuf::from);
    let folder = named.or_else(|| Some(root().parent()?.join("shared/datasets")));
    folder
        .filter(|folder| folder.join("TRUTH.tsv").is_file())
        .ok_or_else(|| "there is no folder of real logs here; TIMBERLINE_DATASETS names one".to_owned())
}

/// A file of the project: its path from the top folder, with slashes, and its text.
pub struct TextFile {
    pub path: String,
    pub text: String,
}

/// Every file of the project with one of these extensions, in order of path.
///
/// # Panics
/// When a file cannot be read as text.
#[must_use]
pub fn with_extensions(extensions: &[&str]) -> Vec<TextFile> {
    let mut found = Vec::new();
    collect(root(), extensions, &mut found);
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

fn collect(folder: &Path, extensions: &[&str], found: &mut Vec<TextFile>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            let hidden = name.starts_with('.');
            if !hidden && !MADE.contains(&name.as_ref()) && !name.ends_with(".case") {
                collect(&path, extensions, found);
            }
        } else if extensions.iter().any(|extension| name.ends_with(&format!(".{extension}"))) {
            found.push(read(&path));
        }
    }
}

fn read(path: &Path) -> TextFile {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let relative = path.strip_prefix(root()).expect("a path below the top folder");
    TextFile { path: relative.to_string_lossy().replace('\\', "/"), text }
}
