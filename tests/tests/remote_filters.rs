//! Every clause that is claimed exact matches the same events at a cluster as in a case: random documents, random
//! filters, one seed.

use std::fs;

use indexer::query::{QueryContext, Severity, parse, resolve};
use indexer::{Cancel, Case, ImportOptions, View};
use proptest::strategy::{Strategy, ValueTree};
use remote::{Schema, translate};
use serde_json::{Value, json};

use crate::cluster;

use cluster::evaluator::Documents;
use cluster::kinds::Kinds;
use cluster::random::{TYPES, document, filter, runner};

const DOCUMENTS: usize = 400;
const FILTERS: usize = 4_000;

fn schema() -> Schema {
    let caps = TYPES.iter().map(|(name, kind)| {
        ((*name).to_owned(), json!({*kind: {"searchable": true, "aggregatable": *kind != "text"}}))
    });
    let caps: serde_json::Map<String, Value> = caps.collect();
    let mapping = json!({"logs": {"mappings": {"properties": {
        "message": {"type": "text", "fields": {"keyword": {"type": "keyword"}}}}}}});
    Schema::new(&json!({"fields": caps}), &mapping, None).expect("a schema")
}

#[test]
fn clauses_claimed_exact_match_the_same_events_as_in_a_case() {
    let mut runner = runner();
    let documents: Vec<Value> =
        (0..DOCUMENTS).map(|_| document().new_tree(&mut runner).expect("a document").current()).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("logs.ndjson");
    let lines: Vec<String> = documents.iter().map(Value::to_string).collect();
    fs::write(&log, lines.join("\n")).expect("written");
    let case = Case::create(&folder.path().join("a.case")).expect("a case");
    case.import(&[log], &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("an import");
    let snapshot = case.snapshot();
    assert_eq!(snapshot.events(), DOCUMENTS as u64);
    let now =
        documents.iter().filter_map(|document| indexer::stamp::parse(document["@timestamp"].as_str()?)).max();

    let schema = schema();
    let there = Documents::new(&TYPES, documents);
    let context =
        QueryContext { fields: schema.known_fields(), now: now.expect("times"), zone: QueryContext::utc() };
    let (mut kinds, mut some) = (Kinds::default(), 0);
    let mut wrong = Vec::new();
    for _ in 0..FILTERS {
        let text = filter().new_tree(&mut runner).expect("a filter").current();
        let parsed = parse(&text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        let resolved = resolve(&parsed, &context);
        if resolved.diagnostics.iter().any(|found| found.severity == Severity::Error) {
            kinds.refused += 1;
            continue;
        }
        let translated = translate(&resolved.filter, &schema);
        if let Err(error) = &translated {
            assert!(error.hint_text().is_some(), "{text}: {error}");
        }
        if !kinds.count(&translated) {
            continue;
        }
        let translated = translated.expect("it is exact");
        let view = View { filter: parsed, from: None, to: None };
        let local = case
            .count(&snapshot, &view, &Cancel::default())
            .unwrap_or_else(|error| panic!("{text}: {error}"));
        let remote = there.matching(&translated.query).len();
        some += usize::from(local > 0 && local < DOCUMENTS);
        if local != remote {
            wrong.push(format!("{text}: {local} in the case, {remote} there, by {}", translated.query));
        }
    }
    wrong.sort_by_key(String::len);
    wrong.truncate(10);
    assert!(wrong.is_empty(), "{} exact:\n{}\n", kinds.exact, wrong.join("\n"));
    // Otherwise the test would say nothing.
    assert!(kinds.exact >= FILTERS / 4 && some >= FILTERS / 8, "{some} select: {kinds}");
    let undocumented = kinds.undocumented();
    assert!(undocumented.is_empty(), "docs/remote.md lists all kinds but {undocumented:?}");
}

#[test]
fn what_is_not_exact_says_why() {
    let schema = schema();
    let context = QueryContext { fields: schema.known_fields(), now: 0, zone: QueryContext::utc() };
    let reasons = |text: &str| -> String {
        let resolved = resolve(&parse(text).expect(text), &context);
        match translate(&resolved.filter, &schema) {
            Ok(translated) => {
                let said = translated.inexact.iter().map(|one| format!("{}: {}", one.clause, one.reason));
                said.collect::<Vec<_>>().join("; ")
            }
            Err(error) => format!("error: {error}"),
        }
    };
    for (text, expected) in [
        ("message:timeout", "message:timeout: analysed text matches by the tokens of the index"),
        ("message:*eset*", ""),
        ("method:get", ""),
        ("path>5", "path>5: `path` is in the order of texts there"),
        ("/\\w+x/", "words are looked for in the fields message"),
        ("time>2026-03-01T14:05:00.0000001Z", "times there have milliseconds"),
        ("status:*5", "error: `status:*5` has no counterpart at the cluster: numbers there have no text"),
        ("template:7", "error: `template:7` has no counterpart at the cluster"),
        ("client:10.0", "error: `client:10.0` has no counterpart at the cluster: it has addresses there"),
        ("method:GTE~", "edits lead to whole values there"),
    ] {
        let found = reasons(text);
        assert!(found.contains(expected) && found.is_empty() == expected.is_empty(), "{text}: {found}");
    }
}
