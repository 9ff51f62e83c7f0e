//! How the modules of a crate know one another: two may, a longer cycle is a finding.

use std::collections::{BTreeMap, BTreeSet};

/// The top-level modules of a crate that each one names, outside tests. Items that the root re-exports are of
/// their module.
#[must_use]
pub fn graph(files: &[(&str, &str)]) -> BTreeMap<String, BTreeSet<String>> {
    let modules: BTreeSet<&str> = files.iter().map(|(path, _)| module_of(path)).collect();
    let root = files.iter().find(|(path, _)| *path == "lib.rs").map_or("", |(_, text)| text);
    let homes = re_exports(root);
    let mut graph: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, text) in files.iter().filter(|(path, _)| !path.contains("test") && *path != "lib.rs") {
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        for name in named_in_crate(text) {
            let home = homes.get(&name).unwrap_or(&name);
            if modules.contains(home.as_str()) && home != module_of(path) {
                graph.entry(module_of(path).to_owned()).or_default().insert(home.clone());
            }
        }
    }
    graph
}

/// A cycle of at least three modules, if there is one.
#[must_use]
pub fn cycle(graph: &BTreeMap<String, BTreeSet<String>>) -> Option<Vec<String>> {
    graph.keys().find_map(|start| {
        let mut path = vec![start.clone()];
        longer_cycle(graph, &mut path).then_some(path)
    })
}

/// Extends a path of modules to one whose last module names the first.
fn longer_cycle(graph: &BTreeMap<String, BTreeSet<String>>, path: &mut Vec<String>) -> bool {
    let named = path.last().and_then(|last| graph.get(last));
    for next in named.into_iter().flatten() {
        if *next == path[0] && path.len() > 2 {
            return true;
        }
        // Every cycle is found from its first module by name.
        if *next > path[0] && !path.contains(next) {
            path.push(next.clone());
            if longer_cycle(graph, path) {
                return true;
            }
            path.pop();
        }
    }
    false
}

fn module_of(path: &str) -> &str {
    path.split(['/', '.']).next().unwrap_or_default()
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
    for part in root.split("pub use ").skip(1) {
        let Some((path, _)) = part.split_once(';') else { continue };
        let Some((module, items)) = path.split_once("::") else { continue };
        for item in items.trim_matches(['{', '}']).split(',') {
            let name = item.rsplit(" as ").next().unwrap_or(item).trim();
            homes.insert(name.to_owned(), module.to_owned());
        }
    }
    homes
}
