//! The TypeScript that the screen is compiled with is the one made from this crate.

use std::collections::BTreeSet;
use std::path::Path;

#[test]
fn generated_types_are_fresh() {
    let here = std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo runs the tests");
    let path = Path::new(&here).join("../../src/ipc/generated.ts");
    let fresh = wire::typescript::generate();
    if std::env::var_os("TIMBERLINE_BLESS").is_some() {
        std::fs::write(&path, &fresh).expect("generated.ts can be written");
    }
    let committed = std::fs::read_to_string(&path).expect("generated.ts is there");
    assert!(committed == fresh, "src/ipc/generated.ts is stale; renew it with: npm run bless");
}

/// Types of several crates are declared in one file, so two may not have one name.
#[test]
fn every_type_has_a_name_of_its_own() {
    let text = wire::typescript::generate();
    let declared = text.lines().filter_map(|line| line.strip_prefix("export type ")?.split(' ').next());
    let mut names = BTreeSet::new();
    let twice: Vec<_> = declared.filter(|name| !names.insert(*name)).collect();
    assert!(twice.is_empty(), "two types are named {twice:?}; give one of them `ts(rename = \"…\")`");
    // Of the call, of the engine, and of the crate below it: found by their use in the rows alone.
    for name in ["AggregateRequest", "Facet", "Level", "WireError"] {
        assert!(names.contains(name), "{name} is not declared");
    }
}
