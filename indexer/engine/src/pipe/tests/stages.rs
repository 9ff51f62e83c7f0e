//! Each stage on small tables.

use super::*;

#[test]
fn frequent_values_are_ranked_with_their_share() {
    check(&sample(), "top 2 host", &["host|count|percent", "a|3|60", "b|1|20"]);
    check(&sample(), "rare 1 host", &["host|count|percent", "b|1|20"]);
    check(
        &sample(),
        "top 1 status by host",
        &["host|status|count|percent", "a|200|1|50", "b|500|1|100", "c|200|1|100"],
    );
}

#[test]
fn charts_have_every_bin_and_put_small_series_together() {
    let bins = [
        "time|count",
        "2026-03-01T10:00:00Z|3",
        "2026-03-01T10:30:00Z|0",
        "2026-03-01T11:00:00Z|0",
        "2026-03-01T11:30:00Z|2",
    ];
    check(&sample(), "timechart span=30m count", &bins);
    let split = ["time|a|other", "2026-03-01T10:00:00Z|2|1", "2026-03-01T11:00:00Z|1|1"];
    check(&sample(), "timechart span=1h count by host limit=1", &split);
    let both = [
        "time|count: a|count: other|max(status): a|max(status): other",
        "2026-03-01T10:00:00Z|2|1|404|500",
        "2026-03-01T11:00:00Z|1|1||200",
    ];
    check(&sample(), "timechart span=1h count, max(status) by host limit=1", &both);
}

#[test]
fn what_is_named_twice_is_one_column() {
    check(&sample(), "top 1 host, host", &["host|count|percent", "a|3|60"]);
    check(&sample(), "top 1 host by host", &["host|count|percent", "a|3|100", "b|1|100", "c|1|100"]);
    let chart = ["time|count", "2026-03-01T10:00:00Z|3", "2026-03-01T11:00:00Z|2"];
    check(&sample(), "timechart span=1h count, count", &chart);
}

#[test]
fn a_chart_without_rows_has_its_bins() {
    let bins = ["time|count|max(bytes)", "2026-03-01T10:00:00Z|0|", "2026-03-01T11:00:00Z|0|"];
    check(&sample(), "where status > 900 | timechart span=1h count, max(bytes)", &bins);
    let times = ["time", "2026-03-01T10:00:00Z", "2026-03-01T11:00:00Z"];
    check(&sample(), "where status > 900 | timechart span=1h count by host", &times);
}

#[test]
fn duplicates_go_and_samples_stay_the_same() {
    check(&sample(), "dedup host | keep host, status", &["host|status", "a|200", "b|500", "c|200"]);
    check(&sample(), "dedup 2 host | stats count", &["count", "4"]);
    let once = run_in_parts(&sample(), "sample 2 seed=7", 1, 1 << 20).expect("it runs");
    let again = run_in_parts(&sample(), "sample 2 seed=7", 4, 1 << 20).expect("it runs");
    assert_eq!((once.rows(), shown(&once)), (2, shown(&again)));
    let all = run_in_parts(&sample(), "sample 100%", 2, 1 << 20).expect("it runs");
    assert_eq!(shown(&all), shown(&sample()));
}

#[test]
fn facets_tell_what_fields_hold() {
    let expected = ["field|share|distinct|value|count|percent", "host|1|3|a|3|60", "status|0.8|3|200|2|50"];
    check(&sample(), "facets host, status values=1", &expected);
}

#[test]
fn columns_come_out_of_texts() {
    let input = table("message|n", &["ann logged in from 10.0.0.7 42|1", "nothing|2", "-|3"]);
    let grok =
        r#"grok "%{WORD:user} logged in from %{IP:address} %{NUMBER:size:int}" | keep user, address, size"#;
    check(&input, grok, &["user|address|size", "ann|10.0.0.7|42", "||", "||"]);
    let dissect = r#"dissect message "%{user} logged %{} from %{address} %{}" | keep user, address, n"#;
    check(&input, dissect, &["user|address|n", "ann|10.0.0.7|1", "||2", "||3"]);
    check(
        &input,
        "rex message /from (?<address>\\S+)/ | keep address, n",
        &["address|n", "10.0.0.7|1", "|2", "|3"],
    );
}

#[test]
fn transactions_span_their_events() {
    let input = table(
        "time|id|message",
        &[
            "2026-03-01T10:00:00Z|a|start",
            "2026-03-01T10:00:01Z|b|start",
            "2026-03-01T10:00:03Z|a|end",
            "2026-03-01T10:05:00Z|a|late",
            "2026-03-01T10:05:00Z|-|nobody's",
        ],
    );
    let whole = ["id|duration_ms|count|longest_pause_ms", "a|300000|3|297000", "b|0|1|0"];
    check(&input, "transaction id | keep id, duration_ms, count, longest_pause_ms", &whole);
    let split =
        ["id|time|count", "a|2026-03-01T10:00:00Z|2", "b|2026-03-01T10:00:01Z|1", "a|2026-03-01T10:05:00Z|1"];
    check(&input, "transaction id max_pause=1m | keep id, time, count", &split);
    check(&input, "transaction id ends_with=(message:end) | keep id, time, count", &split);
}

#[test]
fn files_are_looked_up() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("hosts.csv");
    std::fs::write(&path, "name,owner,floor\na,Ann,1\na,Again,9\nb,,2\n").expect("written");
    let stages = format!(
        "lookup \"{}\" on host = name output owner, floor as level_of | keep host, owner, level_of | limit 4",
        path.display()
    );
    check(&sample(), &stages, &["host|owner|level_of", "a|Ann|1", "b||2", "a|Ann|1", "c||"]);
    let missing = format!("lookup \"{}\" on host = nome", path.display());
    let error = run_in_parts(&sample(), &missing, 1, 1 << 20).expect_err("no such column");
    assert_eq!(error.message(), "it has no column `nome`");
}

#[test]
fn a_change_is_found() {
    let rows: Vec<String> =
        (0..40).map(|n| format!("{n}|{}", if n < 25 { 10 + n % 3 } else { 20 + n % 3 })).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let result = run_in_parts(&table("t|n", &rows), "change_point n on t", 7, 1 << 20).expect("it runs");
    assert_eq!(shown(&result)[1].split('|').take(5).collect::<Vec<_>>(), ["25", "step", "11", "21", "10"]);
}
