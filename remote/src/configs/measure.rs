//! A pipeline on the source's own lines, at a cluster, and how much of it equals what Timberline read.

use std::collections::BTreeMap;

use indexer::{Error, ErrorKind, Result, stamp};
use serde::Serialize;
use serde_json::{Value, json};

use super::json_lines::flatten;
use super::sample::SampledEvent;
use crate::client::{Body, Client};
use crate::limits::DEPTH;

/// Lines in one request: an answer has them two or three times over.
const LINES: usize = 50;

/// Names of fields that are listed as different.
const LISTED: usize = 8;

/// How much is equal.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Share {
    pub lines: usize,
    /// Lines with the same fields and values.
    pub equal_lines: usize,
    /// Fields that either has, and those with the same value in both.
    pub fields: usize,
    pub equal_fields: usize,
    /// The fields that differ most often, with how often.
    pub different: Vec<(String, usize)>,
}

impl Share {
    #[must_use]
    pub fn percent(&self) -> f64 {
        100.0 * self.equal_fields as f64 / self.fields.max(1) as f64
    }
}

pub fn simulate(client: &Client, pipeline: &Value, sample: &[SampledEvent]) -> Result<Share> {
    let (mut share, mut different) = (Share::default(), BTreeMap::<String, usize>::new());
    for lines in sample.chunks(LINES) {
        let docs: Vec<Value> = lines.iter().map(|line| json!({"_source": {"message": line.text}})).collect();
        let body = Body::Json(json!({"pipeline": pipeline, "docs": docs}));
        let answer = client.ok(client.call("POST", "/_ingest/pipeline/_simulate", &body)?)?;
        let docs = answer["docs"].as_array().filter(|docs| docs.len() == lines.len()).ok_or_else(|| {
            Error::new(ErrorKind::Internal, "the cluster answered other lines than it was sent")
        })?;
        for (line, doc) in lines.iter().zip(docs) {
            compare(line, &doc["doc"]["_source"], &mut share, &mut different);
        }
    }
    let mut different: Vec<(String, usize)> = different.into_iter().collect();
    different.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    different.truncate(LISTED);
    Ok(Share { different, ..share })
}

/// The values of a document by their paths, except where it comes from and what tells the place of an event.
fn values(document: &Value) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    flatten(document, "", DEPTH, &mut |path, value| {
        let is_place =
            ["timberline.", "log.file."].iter().any(|begin| path.starts_with(begin)) || path == "tags";
        // An object without values is none.
        if !is_place && !value.is_null() && !value.is_object() {
            found.insert(path.to_owned(), text(path, value));
        }
    });
    found
}

/// A value as it is compared: the mapping makes numbers of texts, and instants have many spellings.
fn text(path: &str, value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    if path == "@timestamp" {
        return stamp::parse(&text).map_or(text, |time| time.to_string());
    }
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number.abs() < 9e15 => number.to_string(),
        _ => text,
    }
}

fn compare(line: &SampledEvent, found: &Value, share: &mut Share, different: &mut BTreeMap<String, usize>) {
    let (ours, theirs) = (values(&line.document), values(found));
    share.lines += 1;
    let mut is_equal = true;
    let others = theirs.keys().filter(|path| !ours.contains_key(*path));
    for path in ours.keys().chain(others) {
        share.fields += 1;
        if ours.get(path) == theirs.get(path) {
            share.equal_fields += 1;
        } else {
            is_equal = false;
            *different.entry(path.clone()).or_default() += 1;
        }
    }
    share.equal_lines += usize::from(is_equal);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_count_fields_that_either_side_has() {
        let line = SampledEvent {
            text: String::new(),
            time: None,
            level: "",
            fields: Vec::new(),
            document: json!({"@timestamp": "2026-03-01T14:00:00Z", "status": 200, "a.b": "x", "log": {"file": {"line": 1}}, "gone": "y"}),
        };
        let found = json!({"@timestamp": "2026-03-01T15:00:00.000000000+01:00", "status": "200", "a": {"b": "z"}, "tags": ["t"], "more": 1});
        let (mut share, mut different) = (Share::default(), BTreeMap::new());
        compare(&line, &found, &mut share, &mut different);
        assert_eq!((share.lines, share.equal_lines, share.fields, share.equal_fields), (1, 0, 5, 2));
        assert_eq!(different.into_keys().collect::<Vec<_>>(), ["a.b", "gone", "more"]);
    }
}
