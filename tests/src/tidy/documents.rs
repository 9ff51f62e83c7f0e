//! How documents begin, and their references to files, which rot when files move.

const SHORTEST_OPENING_WORDS: usize = 4;

const EXTENSIONS: &[&str] = &["rs", "ts", "svelte", "mjs", "md", "json", "toml", "css", "html", "yml"];

/// A finding unless the page's first paragraph is prose: a sentence that says what the page is about. A table,
/// a list, code and a heading do not begin with a capital letter.
#[must_use]
pub fn opening(path: &str, text: &str) -> Option<String> {
    let is_title = |line: &str| line.starts_with("# ") || line.starts_with("<h1");
    let after_title = text.lines().skip_while(|line| !is_title(line)).skip(1).map(str::trim);
    let paragraph = after_title.skip_while(|line| line.is_empty()).take_while(|line| !line.is_empty());
    let paragraph = without_tags(&paragraph.collect::<Vec<_>>().join(" "));
    let is_prose = paragraph.starts_with(char::is_uppercase)
        && paragraph.ends_with(['.', ':'])
        && paragraph.split_whitespace().count() >= SHORTEST_OPENING_WORDS;
    (!is_prose).then(|| format!("{path} does not begin with a sentence that says what it is about"))
}

/// A text without its HTML tags.
fn without_tags(text: &str) -> String {
    let (before, tagged) = text.split_once('<').unwrap_or((text, ""));
    let after_tags = tagged.split('<').map(|piece| piece.split_once('>').map_or("", |(_, after)| after));
    std::iter::once(before).chain(after_tags).collect()
}

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
