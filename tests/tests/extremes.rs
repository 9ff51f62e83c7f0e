//! Numbers at the ends of their types, in every kind of request: none overflows, ends the program, or takes long. In a
//! development build arithmetic that overflows panics.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use indexer::{Cancel, Case, ImportOptions};
use serde_json::{Value, json};
use wire::{Command, Session, Start};

/// Far longer than any of them takes; what counts every number up to an end of its type takes for ever.
const SOON: Duration = Duration::from_secs(20);

/// Events at both ends of time, on days between, and without a time.
const EVENTS: [&str; 8] = [
    r#"{"time":"1677-09-21T00:12:43.145224194Z","n":-9223372036854775807,"d":-1.5,"id":"a","host":"h1"}"#,
    r#"{"time":"1969-12-31T23:59:59.999999999Z","n":0,"d":1e308,"id":"a","host":"h2"}"#,
    r#"{"time":"2026-03-01T00:00:00Z","n":1,"d":0.25,"id":"b","host":"h1","level":"error"}"#,
    r#"{"time":"2026-03-01T00:00:01Z","n":2,"d":-1e308,"id":"b","host":"h2"}"#,
    r#"{"time":"2026-03-01T00:10:00Z","n":3,"id":"c","host":"h1","message":"connection reset by peer"}"#,
    r#"{"n":4,"id":"c","host":"h2","message":"no time at all"}"#,
    r#"{"time":"2262-04-11T23:47:16.854775806Z","n":9223372036854775807,"d":0,"id":"a","host":"h1"}"#,
    r#"{"time":"2262-04-11T23:47:16.854775807Z","n":9223372036854775807,"d":5,"id":"d","host":"h2"}"#,
];

fn imported(folder: &Path, name: &str, events: &[&str]) -> String {
    let log = folder.join(format!("{name}.ndjson"));
    fs::write(&log, events.join("\n")).expect("a log");
    let case = Case::create(&folder.join(format!("{name}.case"))).expect("a case");
    case.import(&[log], &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("an import");
    case.folder().to_string_lossy().into_owned()
}

/// Requests in which `$T` is a time and `$N`, `$W` numbers of 32 and 64 bits. `$V` is a view with a filter and `$Q`
/// one with a query.
fn calls() -> Vec<(&'static str, Value)> {
    let time = |interval: Value| json!({"kind": "time", "interval": interval, "zone": "Europe/Berlin"});
    let by = |by: Value, measures: Value| json!({"view": "$V", "by": [by], "measures": measures});
    let all = json!([
        {"kind": "stats", "field": "n"}, {"kind": "stats", "field": "d"}, {"kind": "distinct", "field": "id"},
        {"kind": "percentiles", "field": "n", "at": [0.0, 50.0, 100.0, -1.0, 1e300]},
        {"kind": "first", "field": "n"}, {"kind": "last", "field": "n"}, {"kind": "rate", "per": "$W"},
    ]);
    let terms = |order: &str| json!({"kind": "terms", "field": "n", "top": "$N", "order": order});
    let bins = |field: &str, bins: Value| json!({"kind": "bins", "field": field, "bins": bins});
    vec![
        ("timeline", json!({"view": "$V", "buckets": "$N"})),
        (
            "page",
            json!({"view": "$V", "order": "newestFirst", "first": "$U", "count": "$N", "columns": ["n", "raw"]}),
        ),
        ("page", json!({"view": "$V", "order": "oldestFirst", "first": "$U", "count": "$N"})),
        ("sortedPage", json!({"view": "$V", "field": "n", "descending": true, "first": "$U", "count": "$N"})),
        (
            "sortedPage",
            json!({"view": "$V", "field": "relevance", "descending": false, "first": "$U", "count": "$N"}),
        ),
        ("locate", json!({"view": "$V", "order": "newestFirst", "time": "$T"})),
        ("locate", json!({"view": "$V", "order": "oldestFirst", "time": "$T"})),
        (
            "seek",
            json!({"view": "$V", "order": "oldestFirst", "from": "$U", "backward": true, "wanted": "reset"}),
        ),
        (
            "seek",
            json!({"view": "$V", "order": "newestFirst", "from": "$U", "backward": false, "wanted": "reset"}),
        ),
        ("strip", json!({"view": "$V", "order": "newestFirst", "cells": "$N", "marks": ["reset", "n>1"]})),
        ("aggregate", by(time(json!({"kind": "auto", "buckets": "$N"})), all.clone())),
        ("aggregate", by(time(json!({"kind": "fixed", "ns": "$W"})), all.clone())),
        ("aggregate", by(time(json!({"kind": "calendar", "count": "$N", "unit": "day"})), all.clone())),
        ("aggregate", by(time(json!({"kind": "calendar", "count": "$N", "unit": "week"})), all.clone())),
        ("aggregate", by(time(json!({"kind": "calendar", "count": "$N", "unit": "month"})), all.clone())),
        ("aggregate", by(time(json!({"kind": "calendar", "count": "$N", "unit": "year"})), all.clone())),
        ("aggregate", by(terms("most"), all.clone())),
        ("aggregate", by(terms("fewest"), json!([]))),
        ("aggregate", by(terms("value"), json!([]))),
        ("aggregate", by(bins("n", json!({"kind": "linear", "most": "$U"})), all.clone())),
        ("aggregate", by(bins("d", json!({"kind": "linear", "most": "$U"})), json!([]))),
        ("aggregate", by(bins("n", json!({"kind": "logarithmic", "most": "$U"})), json!([]))),
        ("aggregate", by(bins("n", json!({"kind": "width", "width": 1e-300})), json!([]))),
        ("aggregate", by(bins("d", json!({"kind": "width", "width": 1e308})), json!([]))),
        ("facets", json!({"view": "$V", "fields": [], "top": "$N", "buckets": 10})),
        ("facets", json!({"view": "$V", "fields": ["n"], "top": 3, "buckets": "$N"})),
        (
            "context",
            json!({"case": "$C", "id": {"source": 0, "offset": 0}, "around": {"kind": "file"}, "before": "$N", "after": "$N"}),
        ),
        (
            "context",
            json!({"case": "$C", "id": {"source": 0, "offset": 0}, "around": {"kind": "everywhere"}, "before": "$N", "after": "$N"}),
        ),
        ("transactions", json!({"view": "$V", "field": "id", "order": "longest", "most": "$N"})),
        ("transactions", json!({"view": "$V", "field": "id", "order": "earliest", "most": "$N"})),
        (
            "patterns",
            json!({"view": "$V", "granularity": "template", "limit": "$N", "buckets": "$N", "examples": "$N",
            "compare": true, "against": {"from": "$T", "to": "$T"}, "variables": [], "values": "$N"}),
        ),
        ("seismograph", json!({"view": "$V", "granularity": "template", "rows": "$N", "bins": "$N"})),
        ("serviceMap", json!({"view": "$V", "id": "id", "linked": false, "node": "host"})),
        ("compare", json!({"a": "$V", "b": "$A", "limit": "$N"})),
        ("compareWords", json!({"a": "$V", "b": "$A", "limit": "$N"})),
        ("complete", json!({"case": "$C", "query": "n:", "cursor": "$N"})),
        ("run", json!({"view": "$Q", "zone": "Europe/Berlin", "first": "$U", "count": "$N", "exact": false})),
        (
            "evidence",
            json!({"case": "$C", "events": [{"source": 0, "offset": 0}, {"source": u32::MAX, "offset": u64::MAX}]}),
        ),
        ("event", json!({"case": "$C", "id": {"source": u32::MAX, "offset": u64::MAX}})),
    ]
}

const TIMES: [&str; 6] =
    ["-9223372036854775808", "-9223372036854775807", "-1", "0", "1772323200000000000", "9223372036854775807"];
const SMALL: [u64; 4] = [0, 1, 1 << 31, u32::MAX as u64];
const LARGE: [u64; 4] = [0, 1, 1 << 63, u64::MAX];
const WIDTHS: [&str; 5] = ["0", "1", "-1", "-9223372036854775808", "9223372036854775807"];

/// Which of the numbers a request gets.
#[derive(Clone, Copy, Debug)]
struct Chosen {
    from: Option<&'static str>,
    to: Option<&'static str>,
    number: usize,
}

fn filled(value: &Value, case: &str, query: &str, chosen: Chosen) -> Value {
    let view = |query: &str| json!({"case": case, "query": query, "from": chosen.from, "to": chosen.to});
    match value {
        Value::String(text) => match text.as_str() {
            "$V" => view(""),
            "$Q" => view(query),
            "$A" => json!({"case": case, "query": "n:1", "from": chosen.to, "to": chosen.from}),
            "$C" => json!(case),
            "$T" => json!(chosen.from.unwrap_or("9223372036854775807")),
            "$N" => json!(SMALL[chosen.number % SMALL.len()]),
            "$U" => json!(LARGE[chosen.number % LARGE.len()]),
            "$W" => json!(WIDTHS[chosen.number % WIDTHS.len()]),
            _ => value.clone(),
        },
        Value::Array(parts) => parts.iter().map(|part| filled(part, case, query, chosen)).collect(),
        Value::Object(parts) => {
            parts.iter().map(|(name, part)| (name.clone(), filled(part, case, query, chosen))).collect()
        }
        _ => value.clone(),
    }
}

struct Bench {
    session: Session,
    failed: Vec<String>,
    answered: usize,
}

impl Bench {
    fn ask(&mut self, command: &str, args: &Value) {
        let shown = format!("{command} {args}");
        let command = serde_json::from_value::<Command>(json!({"command": command, "args": args}))
            .unwrap_or_else(|error| panic!("{shown}: {error}"));
        let started = Instant::now();
        let answer = catch_unwind(AssertUnwindSafe(|| self.session.dispatch("call", command, |_| {})));
        match answer {
            Err(_) => self.failed.push(format!("panics: {shown}")),
            Ok(Err(error)) if serde_json::to_value(&error).expect("JSON")["code"] == "internal" => {
                self.failed.push(format!("{}: {shown}", serde_json::to_value(&error).expect("JSON")));
            }
            Ok(answer) => self.answered += usize::from(answer.is_ok()),
        }
        if started.elapsed() > SOON {
            self.failed.push(format!("takes {:?}: {shown}", started.elapsed()));
        }
    }

    fn passes(&self, least: usize) {
        assert!(self.failed.is_empty(), "{} fail:\n{}", self.failed.len(), self.failed.join("\n"));
        assert!(self.answered >= least, "only {} were answered", self.answered);
    }
}

fn bench(folder: &Path) -> Bench {
    let session = Session::new(Start::browser(folder.join("home")));
    Bench { session, failed: Vec::new(), answered: 0 }
}

#[test]
fn no_request_overflows_at_the_ends_of_its_numbers() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = imported(folder.path(), "whole", &EVENTS);
    let plain = imported(folder.path(), "plain", &EVENTS[2..5]);
    let mut bench = bench(folder.path());
    for case in [&whole, &plain] {
        for (command, request) in calls() {
            let times = std::iter::once(None).chain(TIMES.map(Some));
            for (place, from) in times.enumerate() {
                let to = [None, Some(TIMES[5]), Some(TIMES[0]), Some(TIMES[4])][place % 4];
                for number in 0..WIDTHS.len() {
                    let chosen = Chosen { from, to, number };
                    bench.ask(command, &filled(&request, case, "* | stats count by host", chosen));
                }
            }
        }
    }
    bench.passes(1_000);
}

#[test]
fn no_query_overflows_at_the_ends_of_its_numbers() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = imported(folder.path(), "whole", &EVENTS);
    let mut bench = bench(folder.path());
    for query in [
        "* | limit $",
        "* | tail $",
        "* | sort n | limit $",
        "* | sort -time | limit $",
        "* | sort n, host | limit $",
        "* | top $ n",
        "* | rare $ host",
        "* | facets n values=$",
        "* | timechart span=$ns count",
        "* | timechart span=$d sum(n) by host",
        "* | timechart span=$y count by n limit=$",
        "* | stats count by bin(time, $ns)",
        "* | stats count by bin(time, $w)",
        "* | stats count by bin(n, $)",
        "* | stats sum(n), avg(n), stddev(n), min(n), max(n), p50(n), values(n) by bin(d, $)",
        "* | stats rate, per_minute(n), percentile(n, $)",
        "* | eval a = n + $, b = n * $, c = n - $, e = n % $, f = n / $, g = -n, h = abs(n)",
        "* | eval a = time + $, b = time - $, c = time - time, e = time + $d",
        "* | eval a = substr(host, $), b = substr(host, -$, $), c = left(host, $), e = right(host, $)",
        "* | eval a = split(host, \"1\", $), b = split(host, \"1\", -$), c = round(d, $), e = pow(n, $)",
        "* | eval a = date_trunc(\"day\", time), b = date_diff(\"ns\", time, now()), c = duration(n, \"s\")",
        "* | eval a = bin(time, $ms), b = bin(n, $), c = log(n, $), e = round(n, -$)",
        "* | bucket time span=$ns | stats count by time",
        "* | window 3 sum(n) as s, avg(n) as a",
        "* | window $ sum(n) as s",
        "* | window $s sum(n) as s",
        "* | sample $",
        "* | context $",
        "* | dedup $ host",
        "* | transaction id maxspan=$ns maxpause=$s",
        "* | patterns limit=$",
        "* | timechart count | change_point count",
        "* | timechart span=1d count | fill 0",
        "* | pivot n by host limit=$",
        "* | shift $d | limit 3",
        "* | compare with n:1 limit=$",
        "time>@$ | stats count",
        "time:now-$ns | stats count",
        "time>=now-$d time<now+$d | stats count",
        "time:[-$ TO $] OR n:[$ TO *] | stats count",
        "n>$ OR n:-$ OR d<$ OR line:$ | stats count",
        "\"reset peer\"~$ | stats count",
        "connexion~$ | stats count",
        "SELECT n FROM events LIMIT $",
        "SELECT n FROM events ORDER BY n DESC LIMIT $ OFFSET $",
        "SELECT n + $, n * $, n - $, n % $, abs(n), -n FROM events",
        "SELECT time_bucket('$ ns', time) AS t, count(*) FROM events GROUP BY time_bucket('$ ns', time)",
        "SELECT date_trunc('year', time) AS t, sum(n), avg(n) FROM events GROUP BY date_trunc('year', time)",
        "SELECT LEFT(host, $), SUBSTR(host, $, $), LPAD(host, 3, 'x') FROM events",
        "SELECT sum(n) OVER (ORDER BY time), lag(n, $) OVER (ORDER BY time) FROM events",
        "SELECT round(d, 3), CAST(n AS INT) FROM events WHERE n > $ OR n < -$",
    ] {
        for number in [
            "0",
            "1",
            "2147483648",
            "4294967295",
            "4294967296",
            "9223372036854775807",
            "9223372036854775808",
            "18446744073709551615",
            "99999999999999999999999999",
            "1e308",
        ] {
            for (from, to) in
                [(None, None), (Some(TIMES[0]), Some(TIMES[5])), (Some(TIMES[5]), Some(TIMES[0]))]
            {
                let view =
                    json!({"case": whole, "query": query.replace('$', number), "from": from, "to": to});
                let args =
                    json!({"view": view, "zone": "Europe/Berlin", "first": 0, "count": 100, "exact": true});
                bench.ask("run", &args);
            }
        }
    }
    bench.passes(300);
}
