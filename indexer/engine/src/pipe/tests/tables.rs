//! Stages that fill, join, turn and divide, against what a person would do row by row.

use super::*;
use base::ErrorKind;

/// Numbers that look random and are the same every time.
pub(super) struct Numbers(u64);

impl Numbers {
    pub fn from(seed: u64) -> Numbers {
        Numbers(seed)
    }

    pub fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

fn error(input: &Table, stages: &str) -> base::Error {
    run_in_parts(input, stages, 2, 1 << 20).expect_err(stages)
}

#[test]
fn missing_values_are_filled() {
    let input = table("a|b|c", &["1|-|x", "-|2.5|-", "-|-|y"]);
    check(&input, "fillnull", &["a|b|c", "1|0|x", "0|2.5|0", "0|0|y"]);
    check(&input, "fillnull value=none c, a", &["a|b|c", "1||x", "none|2.5|none", "none||y"]);
    check(&input, "fillnull value=-1 a | where a < 0 | keep a", &["a", "-1", "-1"]);
    check(&input, "filldown a, c", &["a|b|c", "1||x", "1|2.5|x", "1||y"]);
    check(&input, "filldown", &["a|b|c", "1||x", "1|2.5|x", "1|2.5|y"]);
    let found = error(&input, "fillnull d");
    assert_eq!((found.message(), found.span()), ("no field `d`", Some((13, 14))));
}

#[test]
fn columns_that_only_rows_name_are_filled_too() {
    let charted = "timechart span=1h max(bytes) by host | fillnull value=-1";
    let expected = ["time|a|b|c", "2026-03-01T10:00:00Z|2.5|-1|-1", "2026-03-01T11:00:00Z|many|-1|30"];
    check(&sample(), charted, &expected);
}

/// A file of rows, each with its number.
fn file(folder: &std::path::Path, keys: &[&str]) -> String {
    let path = folder.join("other.csv");
    let lines = keys.iter().enumerate().map(|(n, key)| format!("{key},{n}\n"));
    std::fs::write(&path, format!("key,n\n{}", lines.collect::<String>())).expect("written");
    path.display().to_string()
}

#[test]
fn rows_are_joined_with_those_of_the_same_key() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = file(folder.path(), &["a", "b", "a", "", "d"]);
    let input = table("host|n", &["a|1", "c|2", "-|3", "b|4"]);
    let join = |kind: &str| format!("join {kind} on host = key \"{path}\"");
    check(&input, &join("inner"), &["host|n|n_right", "a|1|0", "a|1|2", "b|4|1"]);
    check(&input, &join("left"), &["host|n|n_right", "a|1|0", "a|1|2", "c|2|", "|3|", "b|4|1"]);
    check(&input, &join("semi"), &["host|n", "a|1", "b|4"]);
    check(&input, &join("anti"), &["host|n", "c|2", "|3"]);
    let twice = format!("{} | {} | keep n_right, n_right_right", join("inner"), join("inner"));
    check(&input, &twice, &["n_right|n_right_right", "0|0", "0|2", "2|0", "2|2", "1|1"]);
}

#[test]
fn keys_of_several_columns_and_types_meet_as_they_compare() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("codes.ndjson");
    let lines =
        "{\"code\":200,\"h\":\"a\",\"say\":\"fine\"}\n{\"code\":\"404\",\"h\":\"a\",\"say\":\"gone\"}\n";
    std::fs::write(&path, lines).expect("written");
    let join = format!("join left on status = code, host = h \"{}\" | keep status, say", path.display());
    check(&sample(), &join, &["status|say", "200|fine", "500|", "404|gone", "200|", "|"]);
    std::fs::write(&path, "{\"code\":true}\n").expect("written");
    let found = error(&sample(), &format!("join on status = code \"{}\"", path.display()));
    assert_eq!(found.message(), "`code` is a number in the rows and true or false in what is joined");
    assert!(found.hint_text().is_some_and(|hint| hint.contains("to_string")));
}

#[test]
fn joins_agree_with_looking_at_every_pair() {
    let folder = tempfile::tempdir().expect("a folder");
    for seed in 0..8 {
        let mut numbers = Numbers::from(seed);
        let mut key = |most: u64| match numbers.below(most) {
            0 => "-".to_owned(),
            n if seed % 2 == 0 => n.to_string(),
            n => format!("k{n}"),
        };
        let left: Vec<String> = (0..60).map(|n| format!("{}|{n}", key(12))).collect();
        let right: Vec<String> = (0..20).map(|_| key(20)).collect();
        let lines: Vec<&str> = right.iter().map(|key| if key == "-" { "" } else { key }).collect();
        let path = file(folder.path(), &lines);
        let rows: Vec<&str> = left.iter().map(String::as_str).collect();
        let input = table("key|m", &rows);
        for kind in ["inner", "left", "semi", "anti"] {
            let mut expected =
                vec![if matches!(kind, "inner" | "left") { "key|m|n" } else { "key|m" }.to_owned()];
            for row in &left {
                let key = row.split('|').next().unwrap_or_default();
                let shown = row.replace('-', "");
                let found: Vec<usize> = (0..right.len()).filter(|&n| key != "-" && right[n] == key).collect();
                match kind {
                    "semi" if !found.is_empty() => expected.push(shown),
                    "anti" if found.is_empty() => expected.push(shown),
                    "left" if found.is_empty() => expected.push(format!("{shown}|")),
                    "inner" | "left" => expected.extend(found.iter().map(|n| format!("{shown}|{n}"))),
                    _ => {}
                }
            }
            let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
            check(&input, &format!("join {kind} on key \"{path}\""), &expected);
        }
    }
}

#[test]
fn a_join_that_explodes_is_refused_with_the_rows_it_would_make() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = file(folder.path(), &["a"; 1_000]);
    let rows = ["a|1"; 1_000];
    let input = table("host|m", &rows);
    let stages = format!("join on host = key \"{path}\" | stats count");
    let found = run_in_parts(&input, &stages, 1_000, 1 << 20).expect_err("it explodes");
    assert_eq!(found.kind(), ErrorKind::Limit);
    let expected =
        "`join` would make 1000000 rows of 1000, more than the 1 MB of memory that a query may take";
    assert_eq!(found.message(), expected);
    assert!(found.hint_text().is_some_and(|hint| hint.contains("dedup")));
    let enough = run_in_parts(&input, &stages, 1_000, 1 << 30).expect("it fits");
    assert_eq!(shown(&enough), ["count", "1000000"]);
}

#[test]
fn join_errors_name_the_missing_field_or_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = file(folder.path(), &["a"]);
    let found = error(&sample(), "join on host nowhere.csv");
    assert_eq!((found.kind(), found.span()), (ErrorKind::NotFound, Some((17, 28))), "{found}");
    let found = error(&sample(), &format!("join on hst = key \"{path}\""));
    assert_eq!((found.message(), found.hint_text()), ("no field `hst`", Some("did you mean `host`?")));
    let found = error(&sample(), &format!("join on host = kay \"{path}\""));
    assert_eq!((found.message(), found.hint_text()), ("no field `kay`", Some("did you mean `key`?")));
    let found = error(&sample(), "join on host (* | stats count by hast)");
    assert_eq!((found.message(), found.hint_text()), ("no field `hast`", Some("did you mean `host`?")));
}

#[test]
fn values_become_columns_and_columns_become_rows() {
    let wide = ["host|200|404|500|null", "a|1|1|0|1", "b|0|0|1|0", "c|1|0|0|0"];
    check(&sample(), "pivot count on status by host", &wide);
    check(
        &sample(),
        "pivot max(bytes) on host by status",
        &["status|a|b|c", "200|10||30", "404|2.5||", "500|||", "|many||"],
    );
    check(&sample(), "pivot count on host", &["a|b|c", "3|1|1"]);
    let long = ["host|status|count", "a|200|1", "a|404|1", "a|500|0", "a|null|1"];
    check(&sample(), "pivot count on status by host | unpivot by host as status, count | limit 4", &long);
    check(
        &sample(),
        "unpivot status, b* | keep host, name, value | limit 4",
        &["host|name|value", "a|status|200", "a|bytes|10", "b|status|500", "a|status|404"],
    );
    check(
        &sample(),
        "unpivot by host as k, v | where k = \"status\" | keep host, v",
        &["host|v", "a|200", "b|500", "a|404", "c|200"],
    );
    let found = error(&sample(), "pivot count on host by status limit=2");
    assert_eq!(found.message(), "`host` has 3 different values; `pivot` makes at most 2 columns of them");
    assert_eq!(found.hint_text(), Some("filter it, or allow more with limit=3"));
    assert!(error(&sample(), "pivot count on host limit=20000").message().contains("at most 10000"));
}

#[test]
fn pivots_agree_with_counting_by_hand() {
    let mut numbers = Numbers::from(5);
    let rows: Vec<(u64, u64)> = (0..300).map(|_| (numbers.below(7), numbers.below(5))).collect();
    let lines: Vec<String> = rows.iter().map(|(k, v)| format!("{k}|v{v}")).collect();
    let input = table("k|v", &lines.iter().map(String::as_str).collect::<Vec<_>>());
    let count = |k: u64, v: u64| rows.iter().filter(|row| **row == (k, v)).count().to_string();
    let mut expected = vec!["k|v0|v1|v2|v3|v4".to_owned()];
    for k in 0..7 {
        let counts: Vec<String> = (0..5).map(|v| count(k, v)).collect();
        expected.push(format!("{k}|{}", counts.join("|")));
    }
    let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    check(&input, "pivot count on v by k", &expected);
}

#[test]
fn buckets_are_filled_equally_and_keep_equal_values_together() {
    let input = table("n", &["5", "1", "3", "-", "2", "4", "8", "7", "6"]);
    let expected = ["n|n_bucket", "5|3", "1|1", "3|2", "|", "2|1", "4|2", "8|4", "7|4", "6|3"];
    check(&input, "bucket n into 4", &expected);
    check(
        &input,
        "bucket n into 2 as half | stats count, max(n) by half",
        &["half|count|max(n)", "1|4|4", "2|4|8", "|1|"],
    );
    let same = table("n", &["1", "1", "1", "9"]);
    check(&same, "bucket n into 2 as b | keep b", &["b", "1", "1", "1", "2"]);
    let found = error(&sample(), "bucket host into 4");
    assert_eq!(found.message(), "`host` is text here, not a number, so that its values have no ranges");
    assert_eq!(found.hint_text(), Some("take a number, or count its values with top 10 host"));
    let few = run_in_parts(&input, "bucket n into 4", 9, 100).expect_err("it does not fit");
    assert!(few.message().starts_with("`bucket` would need more than"), "{few}");
}
