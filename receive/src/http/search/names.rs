//! Which sources an index pattern means, and the ids of hits.

use indexer::Snapshot;
use indexer::query::{Filter, Op, Span, Test};

use crate::http::document::PREFIX;
use crate::http::filter_path::is_like;

/// The index that a source is: what came over HTTP has the client's name for it, everything else its own.
pub fn index_of(source: &str) -> &str {
    source.strip_prefix(PREFIX).unwrap_or(source)
}

/// Whether a pattern such as `logs-*,-logs-old,_all` names an index.
pub fn names_index(pattern: &str, index: &str) -> bool {
    let mut named = false;
    for part in pattern.split(',') {
        match part.strip_prefix('-') {
            Some(part) if named && is_like(part, index) => named = false,
            _ => named |= part == "_all" || part.is_empty() || is_like(part, index),
        }
    }
    named
}

/// Names in a pattern that are no patterns themselves: each has to be there.
pub fn exact_names(pattern: &str) -> impl Iterator<Item = &str> {
    pattern
        .split(',')
        .filter(|part| !part.is_empty() && *part != "_all" && !part.contains('*') && !part.starts_with('-'))
}

/// The events of the sources that a pattern names.
pub fn of_indices(snapshot: &Snapshot, pattern: &str) -> Filter {
    let kept = || snapshot.sources().iter().filter(|source| !source.deleted);
    if kept().all(|source| names_index(pattern, index_of(&source.name))) {
        return Filter::Everything;
    }
    let mut names: Vec<&str> = kept().map(|source| source.name.as_str()).collect();
    names.retain(|name| names_index(pattern, index_of(name)));
    names.sort_unstable();
    names.dedup();
    any(names.into_iter().map(|name| equal("source", name)).collect())
}

pub fn nothing() -> Filter {
    Filter::Not(Box::new(Filter::Everything))
}

pub fn equal(field: &str, value: &str) -> Filter {
    field_test(field, Test::Compare(Op::Equal, value.to_owned()))
}

pub fn field_test(field: &str, test: Test) -> Filter {
    Filter::Field { field: field.to_owned(), test, span: Span::default() }
}

/// Events that pass one of the filters; none where there is no filter.
pub fn any(mut filters: Vec<Filter>) -> Filter {
    match filters.len() {
        0 => nothing(),
        1 => filters.swap_remove(0),
        _ => Filter::Or(filters),
    }
}

/// Events that pass all of the filters.
pub fn all(filters: Vec<Filter>) -> Filter {
    let mut filters: Vec<Filter> =
        filters.into_iter().filter(|filter| *filter != Filter::Everything).collect();
    match filters.len() {
        0 => Filter::Everything,
        1 => filters.swap_remove(0),
        _ => Filter::And(filters),
    }
}

/// An event's id: its source and offset, which it keeps for ever.
pub fn hit_id(source: u32, offset: u64) -> String {
    format!("{source}-{offset}")
}

pub fn parse_hit_id(id: &str) -> Option<(u32, u64)> {
    let (source, offset) = id.split_once('-')?;
    Some((source.parse().ok()?, offset.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_name_indices_as_in_elasticsearch() {
        for (pattern, index, expected) in [
            ("_all", "logs", true),
            ("*", "logs", true),
            ("logs", "logs", true),
            ("logs", "logs-a", false),
            ("logs-*,metrics", "metrics", true),
            ("logs-*,-logs-old", "logs-old", false),
            ("logs-*,-logs-old", "logs-new", true),
            ("-logs", "logs", false),
        ] {
            assert_eq!(names_index(pattern, index), expected, "{pattern} {index}");
        }
        assert_eq!(exact_names("a,b*,_all,-c,d").collect::<Vec<_>>(), ["a", "d"]);
        assert_eq!(index_of("http/logs"), "logs");
        assert_eq!(index_of("/var/log/syslog"), "/var/log/syslog");
        assert_eq!(parse_hit_id(&hit_id(3, 70)), Some((3, 70)));
        assert_eq!(parse_hit_id("abc"), None);
    }
}
