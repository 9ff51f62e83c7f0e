//! Which part of the screen may import which: features → state → ipc, and base below all of them.

/// The one file that may name Tauri's package.
const TAURI_FILE: &str = "src/ipc/desktop.ts";

/// Parts of the screen from the top down. A file imports from its own part and from those below.
const PARTS: &[&str] = &["src/features/", "src/state/", "src/ipc/", "src/base/"];

/// The files and folders that the rules are about.
pub fn places() -> impl Iterator<Item = &'static str> {
    PARTS.iter().copied().chain([TAURI_FILE])
}

/// Imports of a TypeScript or Svelte file that point the wrong way.
#[must_use]
pub fn imports(path: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for target in specifiers(text) {
        if target.starts_with("@tauri-apps") && path != TAURI_FILE {
            found.push(format!("{path} imports `{target}`: only {TAURI_FILE} names Tauri"));
        }
        if target.starts_with('.') {
            let resolved = resolve(path, target);
            if rank(path).zip(rank(&resolved)).is_some_and(|(from, to)| to < from) {
                found.push(format!("{path} imports `{target}`: {} may not know {resolved}", part_of(path)));
            }
        }
    }
    found
}

/// Places where log text could become markup.
#[must_use]
pub fn raw_markup(path: &str, text: &str) -> Vec<String> {
    let forbidden = ["{@html", ".innerHTML", ".outerHTML", "insertAdjacentHTML"];
    let used = forbidden.iter().filter(|word| text.contains(**word));
    used.map(|word| format!("{path} uses `{word}`: log text is never markup")).collect()
}

/// Files outside the parts, such as the entry file, are above all of them and have no rank.
fn rank(path: &str) -> Option<usize> {
    PARTS.iter().position(|part| path.starts_with(part))
}

fn part_of(path: &str) -> &'static str {
    rank(path).map_or("the entry", |rank| PARTS[rank])
}

/// The quoted names after `from`, `import` and `import(`.
fn specifiers(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("from").chain(text.match_indices("import")) {
        let rest = text[at..].trim_start_matches(char::is_alphabetic).trim_start_matches(['(', ' ', '\n']);
        let Some(quote) = rest.chars().next().filter(|c| matches!(c, '\'' | '"')) else { continue };
        if let Some((name, _)) = rest[1..].split_once(quote) {
            found.push(name);
        }
    }
    found
}

fn resolve(from: &str, target: &str) -> String {
    let mut segments: Vec<&str> = from.split('/').collect();
    segments.pop();
    for segment in target.split('/') {
        match segment {
            "." => {}
            ".." => drop(segments.pop()),
            name => segments.push(name),
        }
    }
    segments.join("/")
}
