//! References from documents to files, which rot when files move.

const EXTENSIONS: &[&str] = &["rs", "ts", "svelte", "mjs", "md", "json", "toml", "css", "html", "yml"];

/// Paths in quotes that a configuration names and that `exists` does not know. A pattern is not a path.
pub fn dead_settings(path: &str, text: &str, exists: impl Fn(&str) -> bool) -> Vec<String> {
    let quoted = text.split('\'').skip(1).step_by(2);
    let named = quoted.filter(|code| is_file_name(code) && !code.starts_with('.'));
    named
        .filter(|code| !exists(code))
        .map(|code| format!("{path} names '{code}', which is not there"))
        .collect()
}

/// Files that a document names in backticks, with a folder, and that `exists` does not know. A reference
/// counts from the top folder or from the document's own.
pub fn dead_references(path: &str, text: &str, exists: impl Fn(&str) -> bool) -> Vec<String> {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let dead =
        file_names(text).into_iter().filter(|name| !exists(name) && !exists(&format!("{folder}/{name}")));
    dead.map(|name| format!("{path} names `{name}`, which is not there")).collect()
}

fn file_names(text: &str) -> Vec<&str> {
    let mut fenced = false;
    let mut names = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            // Every second piece between backticks is inside them.
            names.extend(line.split('`').skip(1).step_by(2).filter(|code| is_file_name(code)));
        }
    }
    names
}

fn is_file_name(code: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    let extension = code.rsplit_once('.').map_or("", |(_, extension)| extension);
    let relative = !code.starts_with('/') && code.contains('/');
    relative && code.chars().all(allowed) && EXTENSIONS.contains(&extension)
}
