//! Every dependency is listed with its reason in `docs/dependencies.md`, and nothing else is.

use std::collections::{BTreeMap, BTreeSet};

/// Names in `[workspace.dependencies]` that come from outside the workspace.
#[must_use]
pub fn of_cargo(manifest: &str) -> BTreeSet<String> {
    let section = manifest.split("[workspace.dependencies]").nth(1).unwrap_or_default();
    let lines = section.lines().take_while(|line| !line.starts_with('['));
    let outside = lines.filter(|line| !line.contains("path =") && !line.trim_start().starts_with('#'));
    outside.filter_map(|line| Some(line.split_once('=')?.0.trim().to_owned())).collect()
}

/// Names in `dependencies` and `devDependencies` of a package.json.
///
/// # Panics
/// When the text is no JSON.
#[must_use]
pub fn of_npm(package: &str) -> BTreeSet<String> {
    let package: serde_json::Value = serde_json::from_str(package).expect("package.json is JSON");
    let sections = ["dependencies", "devDependencies"].into_iter().filter_map(|key| package[key].as_object());
    sections.flat_map(|section| section.keys().cloned()).collect()
}

/// Dependencies without a row in the table, and rows without a dependency.
#[must_use]
pub fn unexplained(used: &BTreeSet<String>, document: &str) -> Vec<String> {
    let listed: BTreeSet<String> = rows(document);
    let missing = used.difference(&listed).map(|name| format!("`{name}` has no row"));
    let stale = listed.difference(used).map(|name| format!("`{name}` has a row and is not used"));
    missing.chain(stale).collect()
}

/// The names in the first column of the document's tables; one row may name several.
fn rows(document: &str) -> BTreeSet<String> {
    let first_cells = document.lines().filter_map(|line| line.strip_prefix('|')?.split('|').next());
    first_cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).map(ToOwned::to_owned).collect()
}

/// Packages that the first tree lists and the second one has with other features. Our own are left out: paths.
#[must_use]
pub fn with_other_features(programs: &str, tests: &str) -> Vec<String> {
    let tests = features(tests);
    let differs = |(package, set): &(&str, BTreeSet<&str>)| tests.get(package) != Some(set);
    features(programs).into_iter().filter(differs).map(|(package, _)| package.to_owned()).collect()
}

/// The features of each package, once for each set that it is compiled with.
fn features(tree: &str) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut sets: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for line in tree.lines().filter(|line| !line.contains("(/")) {
        let line = line.trim_end_matches(" (*)");
        if let Some((package, set)) = line.match_indices(' ').nth(1).map(|(end, _)| line.split_at(end)) {
            sets.entry(package).or_default().insert(set);
        }
    }
    sets
}

/// Those of some packages that `cargo tree` lists, each once.
#[must_use]
pub fn named(tree: &str, wanted: &[&str]) -> Vec<String> {
    let listed: BTreeSet<&str> = tree.lines().filter_map(|line| line.split_whitespace().next()).collect();
    wanted.iter().filter(|name| listed.contains(**name)).map(|name| (*name).to_owned()).collect()
}
