//! JSON of a cluster: read with its size and depth bounded, and quoted in messages without control characters.

use indexer::{Error, ErrorKind, Result};
use serde_json::Value;

use crate::limits::QUOTED_CHARACTERS;

/// Causes of causes that are looked at.
const DEEPEST_CAUSE: usize = 8;

/// Reads an answer. `serde_json` refuses more than 128 levels.
pub fn read(bytes: &[u8]) -> Result<Value> {
    serde_json::from_slice(bytes).map_err(|error| {
        let message = format!("the answer is not JSON that can be read: {error}");
        Error::new(ErrorKind::Corrupt, message)
            .hint("see that the address is that of the cluster's HTTP interface, without a proxy before it")
    })
}

/// A value by its path; null where there is none.
pub fn at<'v>(value: &'v Value, path: &[&str]) -> &'v Value {
    path.iter().fold(value, |value, key| value.get(key).unwrap_or(&Value::Null))
}

/// A number that must be there.
pub fn count(value: &Value, path: &[&str]) -> Result<u64> {
    at(value, path).as_u64().ok_or_else(|| lacks(path))
}

/// A list that must be there.
pub fn list<'v>(value: &'v Value, path: &[&str]) -> Result<&'v Vec<Value>> {
    at(value, path).as_array().ok_or_else(|| lacks(path))
}

/// An answer without what it must have.
pub fn lacks(path: &[&str]) -> Error {
    let message = format!("the answer lacks `{}`", path.join("."));
    Error::new(ErrorKind::Corrupt, message)
        .hint("see that the address is that of a cluster: timberline remote check NAME")
}

/// Text of a cluster as it may stand in a message: short, on one line.
pub fn quoted(text: &str) -> String {
    let mut shown: String =
        text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(QUOTED_CHARACTERS).collect();
    if text.chars().nth(QUOTED_CHARACTERS).is_some() {
        shown.push('…');
    }
    shown
}

/// Names that are listed in a message.
const LISTED: usize = 20;

/// Names out of a list, as a message has them: in order, and not too many.
pub fn names(listed: &[Value], key: &str) -> String {
    let mut names: Vec<String> = listed.iter().filter_map(|one| one[key].as_str()).map(quoted).collect();
    names.sort();
    let more = names.len().saturating_sub(LISTED);
    names.truncate(LISTED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", names.join(", "))
}

/// Why a cluster refused, out of an answer that has an `error`.
pub fn reason(answer: &Value) -> String {
    let error = &answer["error"];
    let cause = error["root_cause"].get(0).unwrap_or(error);
    let kind = cause["type"].as_str().or_else(|| error["type"].as_str());
    let why = cause["reason"].as_str().or_else(|| error["reason"].as_str()).or_else(|| error.as_str());
    // A wrapper such as `all shards failed` says less than what caused it.
    let mut cause = error["failed_shards"].get(0).map_or(error, |shard| &shard["reason"]);
    for _ in 0..DEEPEST_CAUSE {
        cause = cause.get("caused_by").unwrap_or(cause);
    }
    let deeper = cause["reason"].as_str().filter(|deeper| Some(*deeper) != why);
    let why = match (why, deeper) {
        (Some(why), Some(deeper)) => Some(format!("{why}: {deeper}")),
        (why, deeper) => why.or(deeper).map(str::to_owned),
    };
    quoted(&match (kind, why) {
        (Some(kind), Some(why)) => format!("{kind}: {why}"),
        (Some(one), None) => one.to_owned(),
        (None, Some(one)) => one,
        (None, None) => "it gave no reason".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_and_broken_answers_are_refused() {
        assert!(read(format!("{}1{}", "[".repeat(500), "]".repeat(500)).as_bytes()).is_err());
        assert!(read(b"<html>").is_err());
        assert!(
            read(br#"{"a": {"b": 7}}"#).is_ok_and(|value| count(&value, &["a", "b"]).is_ok_and(|n| n == 7))
        );
    }

    #[test]
    fn reasons_name_what_caused_them() {
        let answer: Value = serde_json::from_str(
            r#"{"error": {"type": "search_phase_execution_exception", "reason": "all shards failed",
                "root_cause": [{"type": "query_shard_exception", "reason": "failed to create query"}],
                "caused_by": {"reason": "x", "caused_by": {"type": "number_format_exception", "reason": "For input string: a"}}}}"#,
        )
        .expect("JSON");
        assert_eq!(reason(&answer), "query_shard_exception: failed to create query: For input string: a");
        assert_eq!(reason(&serde_json::json!({"error": "plain"})), "plain");
        assert_eq!(reason(&Value::Null), "it gave no reason");
    }

    #[test]
    fn quoted_text_is_short_and_on_one_line() {
        assert_eq!(quoted("a\u{1b}[31m\nb"), "a [31m b");
        assert_eq!(quoted(&"x".repeat(1_000)).chars().count(), QUOTED_CHARACTERS + 1);
    }
}
