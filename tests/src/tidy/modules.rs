//! How the modules of a crate know one another. Modules that all lead to one another are a knot: none of them can be
//! understood, moved or tested without the others.

use std::collections::{BTreeMap, BTreeSet};

/// The files of a crate that declare its modules.
const ROOTS: [&str; 2] = ["lib.rs", "main.rs"];

/// The top-level modules of a crate that each one names, outside tests. Items that the root re-exports are of
/// their module.
#[must_use]
pub fn graph(files: &[(&str, &str)]) -> BTreeMap<String, BTreeSet<String>> {
    let modules: BTreeSet<&str> = files.iter().map(|(path, _)| module_of(path)).collect();
    let root = files.iter().find(|(path, _)| ROOTS.contains(path)).map_or("", |(_, text)| text);
    let homes = re_exports(root);
    let mut graph: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, text) in files.iter().filter(|(path, _)| !path.contains("test") && !ROOTS.contains(path)) {
        for name in named_in_crate(&without_tests(text)) {
            let home = homes.get(&name).unwrap_or(&name);
            if modules.contains(home.as_str()) && home != module_of(path) {
                graph.entry(module_of(path).to_owned()).or_default().insert(home.clone());
            }
        }
    }
    graph
}

/// The most modules of a crate that all lead to one another; none if no module leads back to itself.
#[must_use]
pub fn knot(graph: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        graph.keys().map(|module| (module.as_str(), reachable(graph, module))).collect();
    let leads = |from: &str, to: &str| reached.get(from).is_some_and(|there| there.contains(to));
    let knots = reached.iter().map(|(module, there)| {
        let both_ways = there.iter().filter(|other| leads(other, module));
        both_ways.map(|other| (*other).to_owned()).collect::<Vec<String>>()
    });
    knots.max_by_key(Vec::len).unwrap_or_default()
}

/// The modules that a module names, those that they name, and so on.
fn reachable<'a>(graph: &'a BTreeMap<String, BTreeSet<String>>, from: &'a str) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut open = vec![from];
    while let Some(module) = open.pop() {
        for next in graph.get(module).into_iter().flatten() {
            if found.insert(next.as_str()) {
                open.push(next);
            }
        }
    }
    found
}

fn module_of(path: &str) -> &str {
    path.split(['/', '.']).next().unwrap_or_default()
}

/// The code of a file without comments, up to the first test that is written in it.
fn without_tests(text: &str) -> String {
    let code = text.lines().map(|line| line.split_once("//").map_or(line, |(code, _comment)| code));
    let text = code.collect::<Vec<&str>>().join("\n");
    let mut parts = text.split("#[cfg(test)]");
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        // `mod tests;` is in a file of its own, and the code goes on after it.
        match part.split_once(';') {
            Some((declared, rest)) if !declared.contains('{') => kept.push_str(rest),
            _ => break,
        }
    }
    kept
}

/// `crate::a::b` and `crate::{a, b::c}`.
fn named_in_crate(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (at, begin) in text.match_indices("crate::") {
        let rest = &text[at + begin.len()..];
        match rest.strip_prefix('{') {
            Some(list) => names.extend(first_level(list)),
            None => names.extend(first_name(rest)),
        }
    }
    names
}

fn first_name(text: &str) -> Option<String> {
    let name: String = text.trim_start().chars().take_while(|&c| c.is_alphanumeric() || c == '_').collect();
    (!name.is_empty()).then_some(name)
}

/// The first names of a list up to its closing brace.
fn first_level(list: &str) -> Vec<String> {
    let mut depth = 0;
    let mut parts = vec![String::new()];
    for c in list.chars() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => parts.push(String::new()),
            c if depth == 0 => parts.last_mut().into_iter().for_each(|part| part.push(c)),
            _ => {}
        }
    }
    parts.iter().filter_map(|part| first_name(part)).collect()
}

/// Items by the module that the root re-exports them from.
fn re_exports(root: &str) -> BTreeMap<String, String> {
    let mut homes = BTreeMap::new();
    let root = root.replace("pub(crate) use ", "pub use ");
    for part in root.split("pub use ").skip(1) {
        let Some((path, _)) = part.split_once(';') else { continue };
        let Some((module, items)) = path.split_once("::") else { continue };
        for item in items.trim_matches(['{', '}']).split(',') {
            // The last word of `a`, `a as b` and `a::{b`.
            let name = item.trim().rsplit([':', '{', ' ']).next().unwrap_or_default();
            homes.insert(name.to_owned(), module.to_owned());
        }
    }
    homes
}
