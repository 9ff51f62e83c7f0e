//! Queries that select the events of an alert, put together as the language's own trees.

use indexer::query::{Bound, Filter, Op, Pattern, Range, RegexText, Span, Test as FieldTest};
use indexer::{FieldKind, Snapshot, stamp};

pub fn field_filter(field: &str, test: FieldTest) -> Filter {
    Filter::Field { field: field.to_owned(), test, span: Span::new(0, 0) }
}

pub fn never() -> Filter {
    Filter::Not(Box::new(Filter::Everything))
}

pub fn any(mut parts: Vec<Filter>) -> Filter {
    parts.retain(|part| *part != never());
    let mut joined: Vec<Filter> = Vec::new();
    for part in parts {
        if part == Filter::Everything {
            return part;
        }
        // Patterns of one field are in one list.
        if let Filter::Field { field, test: FieldTest::Matches(more), .. } = &part
            && let Some(Filter::Field { field: last, test: FieldTest::Matches(patterns), .. }) =
                joined.last_mut()
            && last == field
        {
            patterns.extend(more.iter().cloned());
            continue;
        }
        joined.push(part);
    }
    match joined.len() {
        0 => never(),
        1 => joined.remove(0),
        _ => Filter::Or(joined),
    }
}

pub fn all(mut parts: Vec<Filter>) -> Filter {
    if parts.contains(&never()) {
        return never();
    }
    parts.retain(|part| *part != Filter::Everything);
    match parts.len() {
        0 => Filter::Everything,
        1 => parts.remove(0),
        _ => Filter::And(parts),
    }
}

/// Events without a field, or with a text in it that means no value.
pub fn without_value(field: &str, kinds: &[FieldKind], no_value: &str) -> Filter {
    let is_absent = Filter::Not(Box::new(field_filter(field, FieldTest::Exists)));
    match RegexText::new(no_value, false) {
        Ok(text) if kinds.contains(&FieldKind::Text) => {
            any(vec![is_absent, field_filter(field, FieldTest::Matches(vec![Pattern::Regex(text)]))])
        }
        _ => is_absent,
    }
}

/// Events one by one, by their file and line.
pub fn named(snapshot: &Snapshot, events: &[(u32, u64)]) -> Filter {
    let mut sources: Vec<u32> = events.iter().map(|(source, _)| *source).collect();
    sources.sort_unstable();
    sources.dedup();
    let of_source = |source: u32| {
        let name = snapshot.sources().get(source as usize).map_or("", |source| source.name.as_str());
        let lines = events.iter().filter(|event| event.0 == source);
        let lines: Vec<Pattern> = lines.map(|(_, line)| Pattern::Tokens(line.to_string())).collect();
        let is_file = field_filter("source", FieldTest::Compare(Op::Equal, name.to_owned()));
        all(vec![is_file, field_filter("line", FieldTest::Matches(lines))])
    };
    any(sources.into_iter().map(of_source).collect())
}

/// A filter within times, both inclusive.
pub fn within(filter: Filter, from: Option<i64>, to: Option<i64>) -> Filter {
    if from.is_none() && to.is_none() {
        return filter;
    }
    let bound = |time: i64| Bound { value: stamp::to_rfc3339(time), inclusive: true };
    let range = Range { from: from.map(bound), to: to.map(bound) };
    all(vec![field_filter("time", FieldTest::Range(range)), filter])
}

/// The fields that a key is the first value of: linked fields have several names, `trace_id|request_id`.
pub fn alternatives(key: &str) -> impl Iterator<Item = &str> {
    key.split('|').map(str::trim)
}

/// A filter for the events of a group. Without a value an event has no such field.
pub fn in_group(filter: Filter, by: &[String], keys: &[Option<String>]) -> Filter {
    let has_none = |name: &str| Filter::Not(Box::new(field_filter(name, FieldTest::Exists)));
    let is = |(name, key): (&String, &Option<String>)| {
        let names: Vec<&str> = alternatives(name).collect();
        let Some(key) = key else { return all(names.into_iter().map(has_none).collect()) };
        // The first field that an event has is its key.
        let way = |place: usize| {
            let mut parts: Vec<Filter> = names[..place].iter().copied().map(has_none).collect();
            parts.push(field_filter(names[place], FieldTest::Compare(Op::Equal, key.clone())));
            all(parts)
        };
        any((0..names.len()).map(way).collect())
    };
    let mut parts = vec![filter];
    parts.extend(by.iter().zip(keys).map(is));
    all(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_groups_are_written_as_they_are() {
        let group = |value: &str| {
            in_group(Filter::Everything, &["User".to_owned()], &[Some(value.to_owned())]).to_string()
        };
        assert_eq!(group(r"ACME\ann"), r#"User="ACME\\ann""#);
        assert_eq!(group("a*?"), r#"User="a*?""#);
    }
}
