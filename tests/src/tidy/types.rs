//! A type's name is unique in its crate, so that a search for it finds one definition.

use std::collections::BTreeMap;

/// The names that are defined in several files of a crate, each with those files. Tests name their types as they like.
#[must_use]
pub fn repeated(files: &[(&str, &str)]) -> Vec<String> {
    let mut definitions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (path, text) in files.iter().filter(|(path, _)| !is_test(path)) {
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text);
        for name in code.lines().filter_map(defined_type) {
            definitions.entry(name).or_default().push(path);
        }
    }
    let repeated = definitions.into_iter().filter(|(_, files)| files.len() > 1);
    repeated.map(|(name, files)| format!("{name}: {}", files.join(", "))).collect()
}

fn is_test(path: &str) -> bool {
    path.split('/').any(|part| part == "tests" || part.ends_with("tests.rs") || part == "test_case.rs")
}

/// The type that a line defines, outside of any other item.
fn defined_type(line: &str) -> Option<&str> {
    let line = match line.strip_prefix("pub") {
        Some(rest) => {
            rest.strip_prefix("(crate)").or_else(|| rest.strip_prefix("(super)")).unwrap_or(rest).trim_start()
        }
        None => line,
    };
    let rest =
        ["struct ", "enum ", "trait ", "type "].iter().find_map(|keyword| line.strip_prefix(keyword))?;
    rest.split(|letter: char| !letter.is_alphanumeric()).next()
}
