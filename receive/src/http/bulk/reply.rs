//! The answer to a bulk request: an entry an item, written as text at once, because there are thousands.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::action::Operation;
use super::parse::{Item, NO_INDEX, Outcome};
use crate::http::filter_path::FilterPath;

/// Ids for documents that come without one, and the numbers that every operation gets.
#[derive(Debug)]
pub struct Ids {
    /// Differs from one start of the server to the next.
    start: u64,
    next: AtomicU64,
}

/// What there is in an item, a bit each.
#[derive(Clone, Copy)]
enum ItemPart {
    Index,
    Id,
    Version,
    Result,
    Shards,
    Sequence,
    Term,
    Status,
    ErrorType,
    ErrorReason,
}

/// What of an item the client wants.
#[derive(Clone, Copy)]
struct ReplyParts(u16);

impl Ids {
    pub fn new() -> Result<Ids, getrandom::Error> {
        Ok(Ids { start: getrandom::u64()?, next: AtomicU64::new(0) })
    }

    /// So many numbers in a row, the first of them.
    pub fn take(&self, count: usize) -> u64 {
        self.next.fetch_add(count as u64, Ordering::Relaxed)
    }

    /// An id of twenty characters, as Elasticsearch makes them.
    pub fn id(&self, number: u64) -> [u8; 20] {
        const DIGITS: &[u8; 64] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz-";
        let mut bits = u128::from(self.start) << 56 | u128::from(number) & ((1 << 56) - 1);
        let mut id = [0; 20];
        for digit in id.iter_mut().rev() {
            *digit = DIGITS[(bits & 63) as usize];
            bits >>= 6;
        }
        id
    }
}

/// Writes a text with its quotes.
pub fn push_text(out: &mut Vec<u8>, text: &str) {
    if text.bytes().all(|byte| byte >= b' ' && byte != b'"' && byte != b'\\') {
        out.push(b'"');
        out.extend_from_slice(text.as_bytes());
        out.push(b'"');
    } else {
        // Writing to memory does not fail.
        let _ = serde_json::to_writer(&mut *out, text);
    }
}

fn push_number(out: &mut Vec<u8>, number: u64) {
    use std::io::Write;
    let _ = write!(out, "{number}");
}

/// The whole answer, with `took` in milliseconds.
pub fn reply(items: &[Item], names: &[Arc<str>], ids: &Ids, took: u64, paths: &FilterPath) -> Vec<u8> {
    let mut out = Vec::with_capacity(64 + items.len() * if paths.is_everything() { 200 } else { 32 });
    let mut first = true;
    let mut begin = |out: &mut Vec<u8>, name: &str| {
        out.extend_from_slice(if std::mem::take(&mut first) { b"{\"" } else { b",\"" });
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b"\":");
    };
    if paths.keeps(&["errors"]) {
        let errors = items.iter().any(|item| !matches!(item.status(), 200 | 201));
        begin(&mut out, "errors");
        out.extend_from_slice(if errors { b"true" } else { b"false" });
    }
    if paths.keeps(&["took"]) {
        begin(&mut out, "took");
        push_number(&mut out, took);
    }
    let mut written = Vec::with_capacity(out.capacity());
    push_items(&mut written, items, names, ids, paths);
    if !written.is_empty() || items.is_empty() && paths.keeps(&["items"]) {
        begin(&mut out, "items");
        out.push(b'[');
        out.append(&mut written);
        out.push(b']');
    }
    if out.is_empty() {
        out.push(b'{');
    }
    out.push(b'}');
    out
}

fn push_items(out: &mut Vec<u8>, items: &[Item], names: &[Arc<str>], ids: &Ids, paths: &FilterPath) {
    let operations = [Operation::Index, Operation::Create, Operation::Update, Operation::Delete];
    let wanted = operations.map(|operation| ReplyParts::new(operation, paths));
    let first = ids.take(items.len());
    for (number, item) in (first..).zip(items) {
        let start = out.len();
        if start > 0 {
            out.push(b',');
        }
        out.extend_from_slice(b"{\"");
        out.extend_from_slice(item.operation.name().as_bytes());
        out.extend_from_slice(b"\":{");
        let fields = out.len();
        let name = names.get(item.index as usize).filter(|_| item.index != NO_INDEX).map(AsRef::as_ref);
        push_item(out, item, name, (ids, number), wanted[item.operation as usize]);
        if out.len() == fields {
            out.truncate(start);
            continue;
        }
        // Every field ends with a comma.
        out.pop();
        out.extend_from_slice(b"}}");
    }
}

fn push_item(
    out: &mut Vec<u8>,
    item: &Item,
    name: Option<&str>,
    (ids, number): (&Ids, u64),
    wanted: ReplyParts,
) {
    if let Some(name) = name.filter(|_| wanted.has(ItemPart::Index)) {
        out.extend_from_slice(b"\"_index\":");
        push_text(out, name);
        out.push(b',');
    }
    let failed = match &item.outcome {
        Outcome::Failed(failed) => Some(failed),
        _ => None,
    };
    if wanted.has(ItemPart::Id) {
        match &item.id {
            Some(id) => {
                out.extend_from_slice(b"\"_id\":");
                push_text(out, id);
                out.push(b',');
            }
            None if failed.is_none() => {
                out.extend_from_slice(b"\"_id\":\"");
                out.extend_from_slice(&ids.id(number));
                out.extend_from_slice(b"\",");
            }
            None => {}
        }
    }
    let is_conflict = item.outcome == Outcome::Exists && item.operation == Operation::Create;
    if failed.is_none() && !is_conflict {
        if wanted.has(ItemPart::Version) {
            out.extend_from_slice(b"\"_version\":1,");
        }
        if wanted.has(ItemPart::Result) {
            // What is there stays as it is.
            let result = if item.outcome == Outcome::Exists { "noop" } else { "created" };
            out.extend_from_slice(b"\"result\":\"");
            out.extend_from_slice(result.as_bytes());
            out.extend_from_slice(b"\",");
        }
        if wanted.has(ItemPart::Shards) {
            out.extend_from_slice(b"\"_shards\":{\"total\":1,\"successful\":1,\"failed\":0},");
        }
        if wanted.has(ItemPart::Sequence) {
            out.extend_from_slice(b"\"_seq_no\":");
            push_number(out, number);
            out.push(b',');
        }
        if wanted.has(ItemPart::Term) {
            out.extend_from_slice(b"\"_primary_term\":1,");
        }
    }
    if wanted.has(ItemPart::Status) {
        out.extend_from_slice(b"\"status\":");
        push_number(out, u64::from(item.status()));
        out.push(b',');
    }
    let conflict = || {
        let id = item.id.as_deref().unwrap_or_default();
        format!("[{id}]: version conflict, document already exists (current version [1])")
    };
    let error = match failed {
        Some(failed) => Some((failed.1.kind, failed.1.reason.clone())),
        None if is_conflict => Some(("version_conflict_engine_exception", conflict())),
        None => None,
    };
    let Some((kind, reason)) =
        error.filter(|_| wanted.has(ItemPart::ErrorType) || wanted.has(ItemPart::ErrorReason))
    else {
        return;
    };
    out.extend_from_slice(b"\"error\":{");
    if wanted.has(ItemPart::ErrorType) {
        out.extend_from_slice(b"\"type\":");
        push_text(out, kind);
        out.push(b',');
    }
    if wanted.has(ItemPart::ErrorReason) {
        out.extend_from_slice(b"\"reason\":");
        push_text(out, &reason);
        out.push(b',');
    }
    out.pop();
    out.extend_from_slice(b"},");
}

impl Item {
    pub fn status(&self) -> u16 {
        match &self.outcome {
            Outcome::Created => 201,
            Outcome::Exists if self.operation == Operation::Create => 409,
            Outcome::Exists => 200,
            // Every item was appended or failed before it is answered.
            Outcome::Waiting => 500,
            Outcome::Failed(failed) => failed.0,
        }
    }
}

impl ReplyParts {
    fn new(operation: Operation, paths: &FilterPath) -> ReplyParts {
        let parts: [(ItemPart, &[&str]); 10] = [
            (ItemPart::Index, &["_index"]),
            (ItemPart::Id, &["_id"]),
            (ItemPart::Version, &["_version"]),
            (ItemPart::Result, &["result"]),
            (ItemPart::Shards, &["_shards"]),
            (ItemPart::Sequence, &["_seq_no"]),
            (ItemPart::Term, &["_primary_term"]),
            (ItemPart::Status, &["status"]),
            (ItemPart::ErrorType, &["error", "type"]),
            (ItemPart::ErrorReason, &["error", "reason"]),
        ];
        let wanted =
            parts.iter().filter(|(_, path)| paths.keeps(&[&["items", operation.name()], *path].concat()));
        ReplyParts(wanted.fold(0, |bits, (part, _)| bits | 1 << *part as u16))
    }

    fn has(self, part: ItemPart) -> bool {
        self.0 & 1 << part as u16 != 0
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::http::document::Fault;

    fn item(operation: Operation, id: Option<&str>, outcome: Outcome) -> Item {
        Item { operation, index: 0, id: id.map(Into::into), outcome }
    }

    fn answered(items: &[Item], paths: &str) -> Value {
        let (names, ids) = ([Arc::from("logs")], Ids::new().expect("randomness"));
        let paths = FilterPath::parse(paths).expect("few parts");
        let text = reply(items, &names, &ids, 7, &paths);
        serde_json::from_slice(&text)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&text)))
    }

    fn items() -> Vec<Item> {
        let fault = Fault::parsing("failed to parse: \"x\"\n");
        vec![
            item(Operation::Index, Some("a\"b"), Outcome::Created),
            item(Operation::Create, Some("c"), Outcome::Exists),
            item(Operation::Index, Some("c"), Outcome::Exists),
            item(Operation::Index, None, Outcome::Failed(Box::new((400, fault)))),
        ]
    }

    #[test]
    fn items_are_answered_as_elasticsearch_does() {
        let answer = answered(&items(), "");
        let shards = json!({"total": 1, "successful": 1, "failed": 0});
        assert_eq!(
            answer,
            json!({"took": 7, "errors": true, "items": [
                {"index": {"_index": "logs", "_id": "a\"b", "_version": 1, "result": "created", "_shards": shards,
                           "_seq_no": 0, "_primary_term": 1, "status": 201}},
                {"create": {"_index": "logs", "_id": "c", "status": 409, "error": {
                    "type": "version_conflict_engine_exception",
                    "reason": "[c]: version conflict, document already exists (current version [1])"}}},
                {"index": {"_index": "logs", "_id": "c", "_version": 1, "result": "noop", "_shards": shards,
                           "_seq_no": 2, "_primary_term": 1, "status": 200}},
                {"index": {"_index": "logs", "status": 400, "error": {
                    "type": "document_parsing_exception", "reason": "failed to parse: \"x\"\n"}}},
            ]})
        );
    }

    #[test]
    fn writing_only_what_is_wanted_equals_filtering_the_whole() {
        for paths in [
            "errors",
            "errors,items.*.error,items.*.status",
            "-items",
            "items.index._id",
            "took",
            "**.reason",
            "x",
        ] {
            let whole = answered(&items(), "").to_string();
            let filter = FilterPath::parse(paths).expect("few parts");
            let filtered = filter.apply(whole.as_bytes(), &indexer::Cancel::default());
            let filtered: Value = serde_json::from_slice(&filtered).expect("JSON");
            assert_eq!(answered(&items(), paths), filtered, "{paths}");
        }
        assert_eq!(answered(&[], ""), json!({"took": 7, "errors": false, "items": []}));
    }

    #[test]
    fn made_ids_differ() {
        let ids = Ids::new().expect("randomness");
        let first = ids.take(2);
        assert_ne!(ids.id(first), ids.id(first + 1));
        assert_ne!(Ids::new().expect("randomness").id(first), ids.id(first));
    }
}
