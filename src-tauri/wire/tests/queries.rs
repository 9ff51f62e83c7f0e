//! What the screen asks about a query besides its events: how it was answered, and which words distinguish its events.

use crate::walk::Walk;
use serde_json::{Value, json};
use wire::ErrorCode;

/// So many that the index is worth it.
const FAILED: usize = 100;
const ALL: usize = 800;

/// Every eighth line is an error, and says so in other words than the rest.
fn log() -> String {
    let line = |n: usize| {
        let text = if n.is_multiple_of(8) { "ERROR lost connection" } else { "INFO order was paid" };
        format!("2026-03-01T{:02}:{:02}:00Z {text} {n}\n", n / 60, n % 60)
    };
    (0..ALL).map(line).collect()
}

fn view(case: &str, query: &str) -> Value {
    json!({ "case": case, "query": query, "from": null, "to": null })
}

fn word<'a>(answer: &'a Value, word: &str) -> Option<&'a Value> {
    answer["words"].as_array().expect("words").iter().find(|found| found["word"] == word)
}

#[test]
fn a_query_is_explained_clause_by_clause() {
    let walk = Walk::new();
    let (case, _) = walk.imported(&walk.file("app.log", log().as_bytes()));
    let explain = |query: &str| walk.ask("explain", json!({ "view": view(&case, query), "zone": null }));

    let explained = explain("conn* level:error | stats count() by level").expect("an explanation");
    let found = &explained["found"];
    assert_eq!((&found["matched"], &found["events"]), (&json!(FAILED), &json!(ALL)), "{explained}");
    assert_eq!(found["skipped"], 0);
    let steps = found["steps"].as_array().expect("steps");
    let step = |begin: &str| {
        let is_it = |step: &&Value| step["clause"].as_str().is_some_and(|clause| clause.starts_with(begin));
        steps.iter().find(is_it).expect("a clause")
    };
    let wildcard = step("conn*");
    assert_eq!((&wildcard["terms"], &wildcard["termsInAll"]), (&json!(["connection"]), &json!(1)));
    assert_eq!(wildcard["matched"], FAILED, "{wildcard}");
    assert!(wildcard["elapsedMs"].is_f64() && wildcard["bytes"].is_u64(), "{wildcard}");
    let paths = step("level")["paths"].as_object().expect("ways");
    let segments: Option<u64> = paths.values().map(Value::as_u64).sum();
    assert_eq!(segments, found["segments"].as_u64(), "each segment was answered in one way: {paths:?}");
    assert!(explained["calculated"].as_str().is_some_and(|how| how.contains("kernels")), "{explained}");

    let all = explain("").expect("an explanation");
    assert_eq!((&all["found"]["steps"], &all["calculated"]), (&json!([]), &Value::Null));
    let sql = explain("SELECT level, count(*) FROM events GROUP BY level").expect("an explanation");
    assert!(sql["found"].is_null() && sql["calculated"].is_string(), "{sql}");
    assert_eq!(explain("levle:error").expect_err("no such field").code, ErrorCode::QueryInvalid);
}

#[test]
fn words_distinguish_one_side_from_the_other() {
    let walk = Walk::new();
    let (case, _) = walk.imported(&walk.file("app.log", log().as_bytes()));
    let words = |a: Value, b: Value| walk.ask("compareWords", json!({ "a": a, "b": b, "limit": 9 }));

    let found = words(view(&case, "NOT level:error"), view(&case, "level:error")).expect("words");
    assert_eq!((&found["selected"], &found["others"]), (&json!(FAILED), &json!(ALL - FAILED)));
    let lost = word(&found, "lost").expect("a word of all errors");
    assert_eq!((&lost["selected"], &lost["others"]), (&json!(FAILED), &json!(0)));
    assert!(word(&found, "paid").is_none(), "{found}");

    // Sides may overlap, and be of two cases.
    let of_all = words(view(&case, ""), view(&case, "level:error")).expect("words");
    assert_eq!(word(&of_all, "lost").expect("a word")["others"], FAILED);
    let before: String = log().split_inclusive('\n').filter(|line| line.contains("paid")).collect();
    let (other, _) = walk.imported(&walk.file("before.log", before.as_bytes()));
    let of_two = words(view(&other, ""), view(&case, "")).expect("words");
    assert_eq!(word(&of_two, "connection").expect("a word")["selected"], FAILED);
    assert_eq!(of_two["others"], ALL - FAILED);

    let mistake = words(view(&case, "levle:error"), view(&case, "")).expect_err("no such field");
    assert_eq!(mistake.code, ErrorCode::QueryInvalid);
    let cluster = words(view("remote:prod", ""), view(&case, "")).expect_err("a cluster has no words");
    assert_eq!(cluster.code, ErrorCode::NotAvailable);
}
