//! The pages that tell the language are those of the tables it is read by.

use indexer::query::{ecs, page};
use timberline_tests::files;

#[test]
fn the_page_of_the_language_is_fresh() {
    let path = files::root().join("docs/language.md");
    let fresh = page::page();
    if std::env::var_os("TIMBERLINE_BLESS").is_some() {
        std::fs::write(&path, &fresh).expect("the page can be written");
    }
    let committed = std::fs::read_to_string(&path).expect("the page is there");
    assert!(committed == fresh, "docs/language.md is stale; renew it with: npm run bless");
}

/// The names between backticks of a cell.
fn names(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

#[test]
fn fields_have_the_ecs_names_of_the_table() {
    let page = std::fs::read_to_string(files::root().join("docs/fields.md")).expect("the page of fields");
    let mut written = Vec::new();
    for line in page.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").collect();
        let [fields, _, _, _, ecs] = cells.as_slice() else { panic!("{line}") };
        let pairs = names(fields).into_iter().zip(names(ecs));
        // A field of its own ECS name needs no other.
        written.extend(pairs.filter(|(field, ecs)| field != ecs));
    }
    assert!(written.len() > 50, "the table of fields was not read");
    for pair in &written {
        assert!(ecs::NAMES.contains(pair), "docs/fields.md says {pair:?}, indexer/query/src/ecs.rs does not");
    }
    for pair in ecs::NAMES {
        assert!(written.contains(pair), "indexer/query/src/ecs.rs says {pair:?}, docs/fields.md does not");
    }
}
