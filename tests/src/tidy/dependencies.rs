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

/// Dependencies in a crate's manifest that none of its code names. `code` is all of it, with tests and examples.
#[must_use]
pub fn unused(manifest: &str, code: &str) -> Vec<String> {
    let sections = manifest
        .split("\n[")
        .filter(|section| section.split_once(']').is_some_and(|(title, _)| title.ends_with("dependencies")));
    let names = sections.flat_map(|section| section.lines().skip(1)).filter_map(|line| {
        let name = line.split(['.', ' ', '=']).next()?;
        name.starts_with(char::is_alphabetic).then(|| name.to_owned())
    });
    names.filter(|name| !is_named(code, &name.replace('-', "_"))).collect()
}

/// Whether a crate is a word of its own in code, with a path, a macro or the end of an import after it.
fn is_named(code: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(name).any(|(at, _)| {
        let after = code[at + name.len()..].trim_start();
        let goes_on = ["::", ";", "!", ",", "}", "as "].iter().any(|mark| after.starts_with(mark));
        goes_on && !code[..at].ends_with(is_word)
    })
}

/// Where crates come from.
const CRATES_IO: &str = "source = \"registry+https://github.com/rust-lang/crates.io-index\"";

/// Licences of npm packages: nothing of them obliges the screen to more than to name them. Files under MPL-2.0 are used
/// unchanged.
const NPM_LICENCES: [&str; 10] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 OR MIT",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BlueOak-1.0.0",
    "ISC",
    "MIT",
    "MIT-0",
    "MPL-2.0",
];

/// Crates of a `Cargo.lock` that are neither ours nor from crates.io with a checksum.
#[must_use]
pub fn unchecked_crates(lock: &str) -> Vec<String> {
    let packages = lock.split("[[package]]").skip(1);
    let is_unchecked = |package: &&str| {
        let is_ours = package.contains("name = \"timberline") && !package.contains("source = ");
        let is_checked = package.contains(CRATES_IO) && package.contains("checksum = \"");
        !is_ours && !is_checked
    };
    let name =
        |package: &str| package.lines().find_map(|line| line.strip_prefix("name = ").map(str::to_owned));
    packages.filter(is_unchecked).map(|package| name(package).unwrap_or_default()).collect()
}

/// Crates of a tree of `cargo tree`, each as its name and its licence, that `deny.toml` does not allow.
#[must_use]
pub fn unlicensed(tree: &str, rules: &str) -> Vec<String> {
    let section = rules.split("[licenses]").nth(1).unwrap_or_default();
    let quoted = |text: &str| text.split('"').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let (general, exceptions) = section.split_once("exceptions").unwrap_or((section, ""));
    let allowed = quoted(general);
    let exceptions: Vec<_> = exceptions.lines().filter(|line| line.contains("{ name")).map(quoted).collect();
    let is_allowed = |line: &&str| {
        let (name, licence) = line.split_once('\t').unwrap_or((line, ""));
        let own = exceptions.iter().find(|exception| Some(exception[0].as_str()) == name.split(' ').next());
        let allows = |one: &str| allowed.iter().chain(own.into_iter().flatten()).any(|known| known == one);
        // Some write a slash where others write OR, and a few need parentheses.
        let licence = licence.replace('/', " OR ").replace(['(', ')'], " ");
        let alternatives = |part: &str| part.split(" OR ").any(|one| allows(one.trim()));
        licence.split(" AND ").all(alternatives)
    };
    // The trees of our crates have an empty line between them.
    let outside = tree.lines().filter(|line| !line.is_empty() && !line.contains("(/"));
    let lines: BTreeSet<&str> = outside.map(|line| line.trim_end_matches(" (*)")).collect();
    lines.into_iter().filter(|line| !is_allowed(line)).map(str::to_owned).collect()
}

/// Packages of a `package-lock.json` without a checksum, with a script that runs when they are installed, or with a
/// licence that nobody has looked at.
///
/// # Panics
/// When the text is no lock file.
#[must_use]
pub fn unchecked_packages(lock: &str) -> Vec<String> {
    let lock: serde_json::Value = serde_json::from_str(lock).expect("package-lock.json is JSON");
    let packages = lock["packages"].as_object().expect("a lock file has packages");
    let is_unchecked = |package: &serde_json::Value| {
        let is_checked = package["integrity"].as_str().is_some_and(|sum| sum.starts_with("sha512-"));
        let is_known = package["license"].as_str().is_some_and(|licence| NPM_LICENCES.contains(&licence));
        !is_checked || !is_known || package["hasInstallScript"] == true || package["link"] == true
    };
    let others = packages.iter().filter(|(path, _)| !path.is_empty());
    others.filter(|(_, package)| is_unchecked(package)).map(|(path, _)| path.clone()).collect()
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
