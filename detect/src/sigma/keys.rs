//! The values that correlations group events by.

use indexer::{Cancel, CodedColumn, Result, SnapshotSegment};

use super::levels::LEVEL;
use super::rule::Rule;
use super::sources::{Events, Sources};

/// The fields of a case that a field of a rule means, in any of the rule's kinds of events.
pub fn meant(field: &str, rule: &Rule, sources: &Sources, fields: &[String]) -> Vec<String> {
    let events = sources.events(&rule.source).unwrap_or_default();
    let of_events = |events: &Events| sources.resolve(&sources.names(field, events), fields);
    let mut found: Vec<String> = events.iter().flat_map(of_events).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The columns of a segment for each list of fields.
pub fn columns_of(
    rows: &SnapshotSegment<'_>,
    lists: &[Vec<String>],
    cancel: &Cancel,
) -> Result<Vec<Vec<CodedColumn>>> {
    let columns = |names: &Vec<String>| {
        let of_names = rows.fields().filter(|(name, ..)| names.iter().any(|wanted| wanted == name));
        let level = names.iter().any(|name| name == LEVEL).then_some(LEVEL);
        let columns = of_names.map(|(_, column, _)| column).chain(level);
        columns.map(|column| rows.column(column, cancel)).collect()
    };
    lists.iter().map(columns).collect()
}

/// The first value of a row in some columns.
pub fn value_of(columns: &[CodedColumn], row: u32) -> Option<String> {
    let mut texts = columns.iter().filter_map(|column| column.text(column.code(row as usize)));
    texts.next().map(std::borrow::Cow::into_owned)
}
