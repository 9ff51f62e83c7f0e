//! The keys of a detector as its text has them, one by one: a form shows and changes them. Comments, order and keys that
//! no detector has stay in the text.

use serde::{Deserialize, Serialize};
use toml_edit::{Array, Document, DocumentMut, InlineTable, Item, TableLike, Value};

use super::level::{number, put};

/// A value that a form can show. A table is a flag that is set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum KeyValue {
    Flag(bool),
    Number(f64),
    Text(String),
    List(Vec<String>),
}

/// A key of a detector, with its value and its line. A key of a condition has both names: `threshold.above`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct WrittenKey {
    pub key: String,
    pub value: KeyValue,
    /// Counted from 1.
    pub line: u32,
}

#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct KeyChange {
    pub key: String,
    /// The new value; without one, the key goes.
    pub value: Option<KeyValue>,
    /// Another name that the key gets in its table. It keeps its value then.
    pub renamed: Option<String>,
}

/// The keys of a detector of a text, or of its first one if none has the name. Returns `None` if the text is no TOML or
/// has no detector.
#[must_use]
pub fn written_keys(text: &str, name: &str) -> Option<Vec<WrittenKey>> {
    let document = Document::parse(text).ok()?;
    let found = match document.get("detector")? {
        Item::ArrayOfTables(tables) => {
            chosen(tables.iter().map(|table| table as &dyn TableLike), |table| *table, name)?
        }
        Item::Value(Value::Array(tables)) => {
            let inline = tables.iter().filter_map(Value::as_inline_table);
            chosen(inline.map(|table| table as &dyn TableLike), |table| *table, name)?
        }
        _ => return None,
    };
    let line_of = |table: &dyn TableLike, key: &str, item: &Item| {
        let span = table.key(key).and_then(toml_edit::Key::span).or_else(|| item.span());
        let before = text.get(..span.map_or(0, |span| span.start)).unwrap_or_default();
        before.matches('\n').count() as u32 + 1
    };
    let mut keys = Vec::new();
    for (key, item) in found.iter() {
        let line = line_of(found, key, item);
        if let Some(condition) = item.as_table_like() {
            keys.push(WrittenKey { key: key.to_owned(), value: KeyValue::Flag(true), line });
            keys.extend(condition.iter().filter_map(|(inner, item)| {
                let value = shown(item)?;
                Some(WrittenKey {
                    key: format!("{key}.{inner}"),
                    value,
                    line: line_of(condition, inner, item),
                })
            }));
        } else if let Some(value) = shown(item) {
            keys.push(WrittenKey { key: key.to_owned(), value, line });
        }
    }
    Some(keys)
}

/// The text with other keys of a detector, which is found as [`written_keys`] finds it. Returns `None` if the text is no
/// TOML, has no detector, or has a value where a change needs a table.
#[must_use]
pub fn with_keys(text: &str, name: &str, changes: &[KeyChange]) -> Option<String> {
    let mut document: DocumentMut = text.parse().ok()?;
    let found = detector_in(&mut document, name)?;
    for change in changes {
        match change.key.split_once('.') {
            None => apply(found, &change.key, change),
            Some((condition, key)) => {
                if !found.contains_key(condition) {
                    if change.value.is_none() {
                        continue;
                    }
                    found.insert(condition, Item::Value(Value::InlineTable(InlineTable::new())));
                }
                let item = found.get_mut(condition)?;
                apply(item.as_table_like_mut()?, key, change);
                if let Some(table) = item.as_inline_table_mut() {
                    tidy(table);
                }
            }
        }
    }
    Some(document.to_string())
}

/// The table of the detector with a name, or the first one if none has it.
pub fn detector_in<'a>(document: &'a mut DocumentMut, name: &str) -> Option<&'a mut dyn TableLike> {
    match document.get_mut("detector")? {
        Item::ArrayOfTables(tables) => {
            let tables = tables.iter_mut().map(|table| table as &mut dyn TableLike);
            chosen(tables, |table| &**table, name)
        }
        Item::Value(Value::Array(tables)) => {
            let inline = tables.iter_mut().filter_map(Value::as_inline_table_mut);
            chosen(inline.map(|table| table as &mut dyn TableLike), |table| &**table, name)
        }
        _ => None,
    }
}

fn chosen<T>(
    tables: impl Iterator<Item = T>,
    table_of: impl Fn(&T) -> &dyn TableLike,
    name: &str,
) -> Option<T> {
    let mut first = None;
    for table in tables {
        if table_of(&table).get("name").and_then(Item::as_str) == Some(name) {
            return Some(table);
        }
        first.get_or_insert(table);
    }
    first
}

fn apply(table: &mut dyn TableLike, key: &str, change: &KeyChange) {
    if let Some(renamed) = &change.renamed {
        // Comments before a key belong to the key, those after it to its value.
        let before = table.key(key).map(|key| key.leaf_decor().clone());
        if let (Some(before), Some(item)) = (before, table.remove(key)) {
            table.insert(renamed, item);
            if let Some(mut key) = table.key_mut(renamed) {
                *key.leaf_decor_mut() = before;
            }
        }
        return;
    }
    match &change.value {
        None => {
            table.remove(key);
        }
        Some(value) => put(table, key, written(value)),
    }
}

/// Puts spaces between the keys of a table on one line. A table with comments or lines of its own stays as it is.
fn tidy(table: &mut InlineTable) {
    let text = table.to_string();
    if !text.trim().contains(['\n', '#']) {
        table.fmt();
    }
}

fn shown(item: &Item) -> Option<KeyValue> {
    Some(match item.as_value()? {
        Value::String(text) => KeyValue::Text(text.value().clone()),
        Value::Integer(number) => KeyValue::Number(*number.value() as f64),
        Value::Float(number) if number.value().is_finite() => KeyValue::Number(*number.value()),
        Value::Float(number) => KeyValue::Text(number.value().to_string()),
        Value::Boolean(flag) => KeyValue::Flag(*flag.value()),
        Value::Datetime(time) => KeyValue::Text(time.value().to_string()),
        Value::Array(list) => KeyValue::List(
            list.iter().map(|one| one.as_str().map_or_else(|| one.to_string(), str::to_owned)).collect(),
        ),
        Value::InlineTable(_) => return None,
    })
}

fn written(value: &KeyValue) -> Value {
    match value {
        KeyValue::Flag(flag) => (*flag).into(),
        KeyValue::Number(value) => number(*value),
        KeyValue::Text(text) => text.as_str().into(),
        KeyValue::List(list) => Value::Array(list.iter().map(String::as_str).collect::<Array>()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(key: &str, value: KeyValue) -> KeyChange {
        KeyChange { key: key.to_owned(), value: Some(value), renamed: None }
    }

    fn removal(key: &str) -> KeyChange {
        KeyChange { key: key.to_owned(), value: None, renamed: None }
    }

    fn renaming(key: &str, renamed: &str) -> KeyChange {
        KeyChange { key: key.to_owned(), value: None, renamed: Some(renamed.to_owned()) }
    }

    const TEXT: &str = "\
# Ours.
[[detector]]
name = \"a\" # short
colour = \"red\"
by = [\"host\", \"app\"]

# As agreed in March.
threshold = { above = 50, every = \"1m\" } # per minute

[[detector]]
name = \"b\"

[detector.anomaly]
# Quiet nights.
sensitivity = 8
bins = 2
";

    #[test]
    fn keys_of_a_detector_have_their_values_and_lines() {
        let keys = written_keys(TEXT, "a").expect("keys");
        let seen: Vec<(&str, u32)> = keys.iter().map(|key| (key.key.as_str(), key.line)).collect();
        let expected = [
            ("name", 3),
            ("colour", 4),
            ("by", 5),
            ("threshold", 8),
            ("threshold.above", 8),
            ("threshold.every", 8),
        ];
        assert_eq!(seen, expected);
        assert_eq!(keys[2].value, KeyValue::List(vec!["host".to_owned(), "app".to_owned()]));
        assert_eq!(keys[4].value, KeyValue::Number(50.0));
        let keys = written_keys(TEXT, "b").expect("keys");
        assert_eq!(keys.last().map(|key| (key.key.as_str(), key.line)), Some(("anomaly.bins", 16)));
        // A name that was changed a moment ago leaves the first one.
        assert_eq!(written_keys(TEXT, "c"), written_keys(TEXT, "a"));
        assert_eq!((written_keys("[[detector", "a"), written_keys("a = 1", "a")), (None, None));
    }

    #[test]
    fn changed_keys_leave_comments_and_unknown_keys_where_they_are() {
        let changes = [
            change("threshold.above", KeyValue::Number(7.5)),
            change("threshold.for", KeyValue::Text("5m".to_owned())),
            change("by", KeyValue::List(vec!["host".to_owned()])),
            removal("threshold.every"),
        ];
        let expected = TEXT
            .replace("{ above = 50, every = \"1m\" }", "{ above = 7.5, for = \"5m\" }")
            .replace("[\"host\", \"app\"]", "[\"host\"]");
        assert_eq!(with_keys(TEXT, "a", &changes), Some(expected));
        let other = with_keys(
            TEXT,
            "b",
            &[removal("anomaly.bins"), change("anomaly.sensitivity", KeyValue::Number(4.0))],
        );
        assert_eq!(other, Some(TEXT.replace("sensitivity = 8\nbins = 2", "sensitivity = 4")));
        assert_eq!(with_keys("[[detector", "a", &changes), None);
        assert_eq!(with_keys("[[detector]]\nthreshold = 5\n", "a", &changes), None);
    }

    #[test]
    fn another_kind_keeps_the_comments_of_the_condition() {
        let changes = [
            renaming("threshold", "anomaly"),
            removal("anomaly.above"),
            removal("anomaly.for"),
            removal("absence.times"),
        ];
        let expected = TEXT.replace("threshold = { above = 50, every", "anomaly = { every");
        assert_eq!(with_keys(TEXT, "a", &changes), Some(expected));
        let expected = TEXT.replace("[detector.anomaly]", "[detector.threshold]");
        assert_eq!(with_keys(TEXT, "b", &[renaming("anomaly", "threshold")]), Some(expected));
    }

    #[test]
    fn a_condition_is_added_on_one_line() {
        let text =
            with_keys("[[detector]]\nname = \"a\"\n", "a", &[change("pattern.new", KeyValue::Flag(true))]);
        assert_eq!(text.as_deref(), Some("[[detector]]\nname = \"a\"\npattern = { new = true }\n"));
    }

    #[test]
    fn a_table_with_comments_within_stays_in_its_lines() {
        let text =
            "[[detector]]\nname = \"a\"\nby = [\n  \"host\", # the machine\n]\nthreshold = { above = 1 }\n";
        let changed = with_keys(text, "a", &[change("threshold.above", KeyValue::Number(2.0))]);
        assert_eq!(changed, Some(text.replace("above = 1", "above = 2")));
    }
}
