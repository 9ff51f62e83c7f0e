//! What hostile queries allocate, by an allocator that counts: no more than the memory that they may take, and what a
//! query takes in any case.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use indexer::aggregate::FacetsRequest;
use indexer::query::parse_query;
use indexer::{Cancel, Case, ErrorKind, ImportOptions, Result, RunOptions, SqlOptions, View};
use peak_alloc::PeakAlloc;
use timberline_tests::report::figure;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const BUDGET_BYTES: usize = 8 << 20;

/// Batches of rows on every core, decoded columns and frames.
const BESIDES_BYTES: usize = 64 << 20;

const SOON: Duration = Duration::from_secs(30);

const EVENTS: usize = 3_000;

fn imported(folder: &Path) -> Arc<Case> {
    let words = ["connection", "reset", "by", "peer", "while", "reading", "the", "answer"];
    let line = |n: usize| {
        let message: Vec<&str> = (0..12).map(|word| words[(n * 7 + word * word) % words.len()]).collect();
        format!(
            "{{\"time\":\"2026-03-01T{:02}:{:02}:{:02}Z\",\"n\":{n},\"host\":\"host-{}\",\"id\":\"id-{}\",\"message\":\"{} {n}\"}}\n",
            n / 3_600 % 24,
            n / 60 % 60,
            n % 60,
            n % 7,
            n / 3,
            message.join(" ")
        )
    };
    let log = folder.join("a.ndjson");
    fs::write(&log, (0..EVENTS).map(line).collect::<String>()).expect("a log");
    let case = Case::create(&folder.join("a.case")).expect("a case");
    case.import(&[log], &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("an import");
    Arc::new(case)
}

/// Pipes that make much of little.
fn pipes() -> Vec<String> {
    let doubled = |from: &str, times: usize| format!("* | eval a={from}{}", " | eval a=a+a".repeat(times));
    let long = "x".repeat(100_000);
    let columns: Vec<String> = (0..4_000).map(|n| format!("c{n}=n+{n}")).collect();
    let texts: Vec<String> = (0..800).map(|n| format!("c{n}=message+\"{n}\"")).collect();
    let mut pipes = vec![
        doubled("host", 40),
        doubled("message", 40),
        doubled("\"constant\"", 60),
        format!("* | eval a=id{}", ", a=a+a".repeat(40)),
        format!("* | eval a=host{} | stats count by a", " | eval a=concat(a,a,a,a,a,a,a,a)".repeat(12)),
        format!("* | eval a=message{}", " | eval a=replace(a,\".\",\"$0$0$0$0\")".repeat(12)),
        format!("* | eval a=replace(message,\"\",\"{long}\")"),
        format!("* | eval a=replace(message,\".\",\"{long}\") | limit 3"),
        format!("* | eval a=replace(\"{long}\",\"x\",\"{}\")", &long[..50_000]),
        format!("* | where len(replace(\"{long}\",\"x\",\"{}\")) > n", &long[..50_000]),
        format!("* | eval a=host{}", " | eval a=if(n>=0,a+a,a)".repeat(40)),
        format!("* | eval a=host{}", " | eval a=coalesce(a+a,a)".repeat(40)),
        format!("* | eval a=host{}", " | eval a=case(n<0,\"b\",a+a)".repeat(40)),
        format!("* | eval a=id{}", " | eval a=max(a+a,a)".repeat(40)),
        format!("* | eval a=id{}", " | eval a=nullif(a+a,a)".repeat(40)),
        format!("* | eval a=id{}", " | eval a=upper(a+a)".repeat(40)),
        format!("* | eval a=id{}", " | eval a=to_string(split(a+a,\"-\"))".repeat(40)),
        format!("* | eval a=id{}", " | eval a=url_decode(a+a)".repeat(40)),
        format!("{} | eval b=split(a,\"\")", doubled("id", 24)),
        format!("{} | eval b=split(a,\"i\")", doubled("id", 8)),
        format!("{} | eval b=json_extract(concat(\"[\",a,\"1]\"),\"0\")", doubled("\"1,\"", 22)),
        format!(
            "{} | eval b=hash(a), c=len(a), d=contains(a,\"zz\"), e=position(a,\"zz\")",
            doubled("id", 30)
        ),
        format!("{} | where a like \"%zz%\"", doubled("id", 30)),
        format!("* | eval {}", columns.join(", ")),
        format!("* | eval {} | sort n", columns.join(", ")),
        format!("* | eval {}", texts.join(", ")),
        format!("* | eval {} | stats values(c1), count by c2", texts.join(", ")),
        format!("* | eval a=concat({})", vec!["message"; 250].join(",")),
        format!("* | eval a=concat({}) | sort a", vec!["raw"; 250].join(",")),
        format!("* | keep raw{}", " | eval raw=raw+raw".repeat(30)),
        "* | keep raw | sort raw | sort -raw | sort raw".to_owned(),
        "* | stats values(raw), values(id), values(message) by n".to_owned(),
        "* | stats first(raw), last(raw), min(raw), max(raw) by id, n".to_owned(),
        "* | join n (* | eval b=message+message+message)".to_owned(),
        "* | eval k=1 | join k (* | eval k=1)".to_owned(),
        "* | transaction id | sort -time".to_owned(),
    ];
    let growing = [
        doubled("message", 3),
        format!("* | eval a=message{}", " | eval a=concat(a,a,host)".repeat(3)),
        format!("* | eval a=replace(message,\"e\",\"{}\")", &long[..200]),
        format!("* | eval a=upper(message+message){}", " | eval a=if(n>=0,a+a,a)".repeat(2)),
        format!("* | eval a=raw+raw+raw | eval b=a+\"{}\"", &long[..1_000]),
    ];
    pipes.extend(growing.iter().flat_map(|from| ENDS.map(|end| format!("{from} | {end}"))));
    pipes.extend(searches());
    pipes
}

/// Filters that are long, deep or slow to match, and numbers at their ends.
fn searches() -> Vec<String> {
    let joined = |count: usize, by: &str| (0..count).map(|n| format!("w{n}")).collect::<Vec<_>>().join(by);
    let mut searches = vec![
        format!("\"{}\"", joined(2_000, " ")),
        joined(2_000, " OR "),
        joined(2_000, " "),
        format!("host:({})", joined(2_000, " OR ")),
        format!("{}error{}", "(".repeat(40), ")".repeat(40)),
        "NOT ".repeat(40) + "error",
        "*1*2*3*4*5*".to_owned(),
        format!("*{}*", joined(50, "*")),
        format!("{}*", "?".repeat(500)),
        "/(a*)*b/".to_owned(),
        "/(([a-z]+)+)+$/".to_owned(),
        "/.*.*.*.*=.*/".to_owned(),
        "/(?i)connection.{0,100}reset.{0,100}peer/".to_owned(),
        format!("/{}/", "[a-z]?".repeat(100) + &"[a-z]".repeat(30)),
        "connectoin~2".to_owned(),
        "* | timechart span=1ms count()".to_owned(),
        "* | timechart span=1ms count() by id".to_owned(),
        "* | stats count() by n, host, id, message".to_owned(),
        "* | stats percentile(n, 0), percentile(n, 100), dc(raw), values(raw) by id".to_owned(),
    ];
    for number in ["1", "65536", "4294967295", "4294967296", "9223372036854775807", "18446744073709551615"] {
        for stage in ["limit", "tail", "top", "rare", "dedup"] {
            let field = if matches!(stage, "top" | "rare" | "dedup") { " raw" } else { "" };
            searches.push(format!("* | {stage} {number}{field}"));
        }
        searches
            .push(format!("* | eval a=n*{number}, b=n+{number}, c=pow(n,{number}) | stats sum(a), max(b)"));
        searches.push(format!("* | eval a=substr(raw,{number},{number}) | stats dc(a)"));
    }
    searches
}

/// What is done with a text that has grown.
const ENDS: [&str; 24] = [
    "sort a",
    "sort a | sort -a | sort a",
    "stats values(a)",
    "stats values(a) by id",
    "stats count by a",
    "stats first(a), last(a), min(a), max(a)",
    "stats dc(a), mode(a)",
    "dedup a",
    "top 10 a",
    "rare 10 a",
    "tail 100000",
    "sample 100000",
    "facets a",
    "facets a values=4000000000",
    "timechart count by a",
    "pivot max(a) on host by id",
    "unpivot",
    "window p = lag(a) | sort a",
    "fillnull value=\"x\" a",
    "transaction a",
    "rex a /(?<x>.*)/",
    "join a (* | eval a=message)",
    "limit 1000000 | sort -a",
    "eval b=a, c=a, d=a+\"x\", e=a+\"y\", f=a+\"z\" | sort f",
];

/// The same in SQL.
fn statements() -> Vec<String> {
    let nested = |inner: &str, times: usize, of: &str| {
        (0..times).fold(format!("SELECT n, {inner} AS a FROM events"), |from, _| {
            format!("SELECT n, {of} AS a FROM ({from}) AS t")
        })
    };
    let with = |inner: &str, times: usize, of: &str| {
        let next = |name: usize| format!("t{name} AS (SELECT n, {of} AS a FROM t{})", name - 1);
        let others: Vec<String> = (1..=times).map(next).collect();
        let text = format!("WITH t0 AS (SELECT n, {inner} AS a FROM events), {}", others.join(", "));
        format!("{text} SELECT max(length(a)) AS m FROM t{times}")
    };
    let long = "x".repeat(100_000);
    let deep = (0..20)
        .fold("host".to_owned(), |inner, _| format!("CONCAT({inner}, {inner:.0}host, '{}')", &long[..2_000]));
    let growing = [
        ("message", 3, "a || a"),
        ("raw", 2, "CONCAT(a, a, a)"),
        ("message", 2, "REPLACE(a, 'e', 'eeeeeeee')"),
        ("message", 3, "CASE WHEN n >= 0 THEN a || a ELSE a END"),
    ];
    let ends = [
        "SELECT a FROM (F) AS t ORDER BY a",
        "SELECT a FROM (F) AS t ORDER BY a DESC LIMIT 10",
        "SELECT a, count(*) AS c FROM (F) AS t GROUP BY a",
        "SELECT DISTINCT a FROM (F) AS t",
        "SELECT STRING_AGG(a, ',') AS s FROM (F) AS t",
        "SELECT array_agg(a) AS s FROM (F) AS t",
        "SELECT min(a) AS low, max(a) AS high, count(DISTINCT a) AS c FROM (F) AS t",
        "SELECT count(*) AS c FROM (F) AS t WHERE a LIKE '%zz%'",
        "SELECT UPPER(a) AS u, LOWER(a) AS l, LENGTH(a) AS n FROM (F) AS t",
        "SELECT x.a FROM (F) AS x JOIN (F) AS y ON x.n = y.n",
        "SELECT a FROM (F) AS x UNION ALL SELECT a FROM (F) AS y",
        "SELECT a, row_number() OVER (ORDER BY n) AS r FROM (F) AS t",
    ];
    let combined = growing.iter().flat_map(|(inner, times, of)| {
        let from = nested(inner, *times, of);
        ends.map(|end| end.replace("(F)", &format!("({from})")))
    });
    let mut statements: Vec<String> = combined.collect();
    statements.extend([
        nested("host", 20, "a || a"),
        with("message", 40, "a || a"),
        with("message", 40, "a + a"),
        with("host", 20, "CONCAT(a, a, a, a, a, a, a, a)"),
        with("host", 20, "CONCAT_WS('-', a, a, a, a)"),
        with("message", 10, "REPLACE(a, 'e', 'eeeeeeee')"),
        with("message", 20, "UPPER(a || a)"),
        with("message", 20, "CASE WHEN n >= 0 THEN a || a ELSE a END"),
        format!("SELECT {deep} AS a FROM events"),
        format!("SELECT REPLACE(message, 'e', '{long}') AS a FROM events"),
        format!("SELECT REPLACE(message, '', '{long}') AS a FROM events"),
        format!("SELECT message || '{long}' AS a FROM events"),
        format!("SELECT CONCAT(message, '{long}') AS a FROM events"),
        format!("SELECT STRING_AGG(message, '{long}') AS a FROM events"),
        format!("SELECT host, STRING_AGG(message, '{long}') AS a FROM events GROUP BY host"),
        format!("SELECT n FROM events WHERE message || '{long}' = 'x'"),
        "SELECT LPAD(host, 1000000, 'x') AS a FROM events".to_owned(),
        "SELECT RPAD(host, 1000000, 'x') AS a FROM events".to_owned(),
        "SELECT LPAD(host, n * 1000, 'x') AS a FROM events".to_owned(),
        "SELECT max(length(LPAD(host, 4000000000, 'x'))) AS a FROM events".to_owned(),
        "SELECT a.raw AS x, b.raw AS y FROM events a CROSS JOIN events b".to_owned(),
        "SELECT a.raw AS x, b.raw AS y FROM events a JOIN events b ON a.host = b.host".to_owned(),
        vec!["SELECT raw FROM events"; 60].join(" UNION ALL "),
        format!(
            "SELECT {} FROM events",
            (0..300).map(|n| format!("raw AS c{n}")).collect::<Vec<_>>().join(", ")
        ),
        format!(
            "SELECT {} FROM events",
            (0..900).map(|n| format!("n + {n} AS c{n}")).collect::<Vec<_>>().join(", ")
        ),
        "SELECT raw, count(*) AS c FROM events GROUP BY raw ORDER BY c, raw".to_owned(),
        "SELECT DISTINCT raw, message, id FROM events ORDER BY raw DESC".to_owned(),
        "SELECT array_agg(raw) AS a FROM events GROUP BY host".to_owned(),
    ]);
    statements
}

/// What a query is refused for, and how much more was allocated at once than before it.
fn peak(ask: impl FnOnce() -> Result<()>) -> (Option<indexer::Error>, usize, Duration) {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let started = Instant::now();
    let error = ask().err();
    (error, MEMORY.peak_usage().saturating_sub(before), started.elapsed())
}

#[test]
fn hostile_queries_take_no_more_memory_than_they_may() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = imported(folder.path());
    let snapshot = case.snapshot();
    let run = RunOptions { memory_bytes: BUDGET_BYTES, ..RunOptions::default() };
    let sql = SqlOptions { run: run.clone(), ..SqlOptions::default() };
    let cancel = Cancel::default();
    // Columns are decoded once and stay.
    for text in ["* | stats values(raw), dc(id), dc(message), dc(host), dc(n)", "* | sort raw | limit 1"] {
        let query = parse_query(text).expect(text);
        case.run(&snapshot, &query, (None, None), &RunOptions::default(), &mut |_| {}, &cancel).expect(text);
    }
    let mut failed = Vec::new();
    let (mut refused, mut answered) = (0, 0);
    let mut judge = |text: &str, (error, bytes, took): (Option<indexer::Error>, usize, Duration)| {
        let shown: String = text.chars().take(160).collect();
        match &error {
            None => answered += 1,
            Some(error) if error.kind() == ErrorKind::Limit => refused += 1,
            Some(error) => failed.push(format!("{error}: {shown}")),
        }
        if bytes > BUDGET_BYTES + BESIDES_BYTES || took > SOON {
            failed.push(format!("{} MB, {took:?}: {shown}", bytes >> 20));
        }
    };
    for text in pipes() {
        let ask = || {
            let query = parse_query(&text)?;
            case.run(&snapshot, &query, (None, None), &run, &mut |_| {}, &cancel).map(|_| ())
        };
        judge(&text, peak(ask));
    }
    for text in statements() {
        judge(&text, peak(|| case.sql(&snapshot, &text, &sql, &cancel).map(|_| ())));
    }
    let view = View::parse("", None, None).expect("a view");
    for (top, buckets) in [(u32::MAX as usize, 10), (usize::MAX, 10), (10, usize::MAX)] {
        let request = FacetsRequest { fields: Vec::new(), top, buckets, edges: None };
        let ask = || case.facets(&snapshot, &view, &request, &mut |_, _| {}, &cancel).map(|_| ());
        judge(&format!("facets of {top} values in {buckets} buckets"), peak(ask));
    }
    assert!(failed.is_empty(), "{} fail:\n{}", failed.len(), failed.join("\n"));
    assert!(refused >= 30 && answered >= 10, "{refused} refused, {answered} answered");
    figure(&format!("Hostile queries: {refused} refused and {answered} answered, none over its memory"));
}
