//! Templates of whole cases: however they came about, the answer is the same.

use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use crate::test_case::{ImportOptions, TestCase};
use ingest::NO_TIME;
use store::Profile;

const SECOND: i64 = 1_000_000_000;
/// 2026-03-01T14:00:00Z.
const START: i64 = 1_772_373_600 * SECOND;

/// A log of so many events, some from each of a few statements, one of several lines.
fn log(folder: &Path, name: &str, first: usize, events: usize) -> PathBuf {
    let users = ["anna", "ben", "cleo", "dan", "eve", "finn", "gus"];
    let mut text = String::new();
    for number in first..first + events {
        let (minute, second, user) = (number / 60 % 60, number % 60, users[number % 7]);
        let message = match number % 5 {
            0 => format!("INFO user {user} signed in from 10.0.{}.{}", number % 9, number % 200),
            1 => format!("INFO job {number} took {} ms", number % 90),
            2 => format!("WARN queue is {}% full", number % 100),
            3 => format!("ERROR job {number} failed\n  at step {}", number % 3),
            _ => "INFO unit is up".to_owned(),
        };
        text = format!("{text}2026-03-01T14:{minute:02}:{second:02}Z {message}\n");
    }
    let path = folder.join(name);
    fs::write(&path, text).expect("the log is written");
    path
}

fn access(folder: &Path) -> PathBuf {
    let lines = (0..60).map(|number| {
        let path =
            if number % 2 == 0 { format!("/users/{number}/orders?page={number}") } else { "/health".into() };
        format!("10.0.0.1 - - [01/Mar/2026:14:00:{number:02} +0000] \"GET {path} HTTP/1.1\" 200 {number}\n")
    });
    let path = folder.join("access.log");
    fs::write(&path, lines.collect::<String>()).expect("the log is written");
    path
}

fn import(case: &TestCase, paths: &[PathBuf], without_index: bool) {
    let profile = Some(if without_index { Profile::Fields } else { Profile::Full });
    let options = ImportOptions { profile, ..ImportOptions::default() };
    let report = case.import(paths, &options, &|_| {}, &Cancel::default()).expect("it is read");
    assert!(report.failure.is_none() && !report.cancelled);
}

fn view(query: &str) -> View {
    View::parse(query, None, None).expect("a query")
}

fn list(case: &TestCase, view: &View, options: &PatternOptions) -> Patterns {
    case.patterns(&case.snapshot(), view, options, &mut |_, _| {}, &Cancel::default()).expect("an answer")
}

fn texts(patterns: &Patterns) -> Vec<(&str, u64)> {
    patterns.patterns.iter().map(|pattern| (pattern.text.as_str(), pattern.count)).collect()
}

fn template_file(case: &TestCase, segment: u64) -> PathBuf {
    case.folder().join("segments").join(segment.to_string()).join("templates.2.parquet")
}

#[test]
fn templates_of_a_case_are_listed() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = TestCase::create(&folder.path().join("a.case")).expect("a case");
    import(&case, &[log(folder.path(), "app.log", 0, 500), access(folder.path())], false);
    let all = list(&case, &view(""), &PatternOptions::default());
    let mut found = texts(&all);
    found.sort_unstable();
    let expected = [
        ("GET /health", 30),
        ("GET /users/<num>/orders?<text>", 30),
        ("job <num> failed", 100),
        ("job <num> took <duration>", 100),
        ("queue is <num> full", 100),
        ("unit is up", 100),
        ("user <*> signed in from <ip>", 100),
    ];
    assert_eq!(found, expected);
    assert_eq!((all.total, all.without, all.distinct), (560, 0, 7));

    let failed =
        all.patterns.iter().find(|pattern| pattern.text == "job <num> failed").expect("it is listed");
    assert_eq!((failed.first, failed.last), (Some(START + 3 * SECOND), Some(START + 498 * SECOND)));
    assert_eq!(failed.levels, [0, 0, 0, 0, 0, 0, 100, 0]);
    assert_eq!(failed.counts.iter().sum::<u32>(), 100);
    assert_eq!(failed.examples.len(), 3);
    let (event, _) = case
        .event(&case.snapshot(), failed.examples[0].0, failed.examples[0].1, 100)
        .expect("an example is an event");
    assert!(event.text.contains("job 3 failed"), "{}", event.text);
    // Listed at once, each is a filter in and out.
    for pattern in &all.patterns {
        let count = |query: &str| {
            case.count(&case.snapshot(), &view(query), &Cancel::default()).expect("a count") as u64
        };
        assert_eq!(count(&format!("template:{}", pattern.id)), pattern.count);
        assert_eq!(count(&format!("NOT template:{}", pattern.id)), 560 - pattern.count);
        assert_eq!(count(&format!("template!={}", pattern.id)), 560 - pattern.count);
    }
}

#[test]
fn variable_has_the_values_that_the_list_counts() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = TestCase::create(&folder.path().join("a.case")).expect("a case");
    import(&case, &[log(folder.path(), "app.log", 0, 250)], false);
    import(&case, &[log(folder.path(), "more.log", 250, 250), access(folder.path())], false);
    let rows = |text: &str| {
        let query = query::parse_query(text).expect(text);
        let options = crate::pipe::RunOptions::default();
        let snapshot = case.snapshot();
        let table = case.run(&snapshot, &query, (None, None), &options, &mut |_| {}, &Cancel::default())?;
        let cells = |row| (0..table.names().len()).map(|at| table.cell(row, at).to_string()).collect();
        Ok::<Vec<Vec<String>>, Error>((0..table.rows()).map(cells).collect())
    };
    let mut seen = 0;
    for granularity in Granularity::ALL {
        let plain = PatternOptions { granularity, ..PatternOptions::default() };
        let variables = list(&case, &view(""), &plain).patterns.iter().map(|pattern| pattern.id).collect();
        let detailed = PatternOptions { variables, values: 1, ..plain };
        for pattern in list(&case, &view(""), &detailed).patterns {
            for (at, variable) in pattern.variables.iter().enumerate() {
                let id = pattern.id;
                let stage = format!("| variable {} of {id} as v", at + 1);
                // With other events, which have no value.
                for filter in ["*".to_owned(), format!("template:{id}")] {
                    let found =
                        rows(&format!("{filter} {stage} | stats count(v), dc(v)")).expect("an answer");
                    let expected = [variable.count.to_string(), variable.distinct.to_string()];
                    assert_eq!(found, [expected], "{} {}", pattern.text, variable.kind);
                }
                if granularity == Granularity::Template {
                    assert_eq!(variable.count, pattern.count, "{} {}", pattern.text, variable.kind);
                }
                seen += 1;
            }
        }
    }
    assert!(seen > 20, "{seen} variables");

    let took = list(&case, &view("took"), &PatternOptions::default()).patterns[0].id;
    let found = rows(&format!("* | variable 2 of {took} as took_ms | stats min(took_ms), max(took_ms)"));
    assert_eq!(found.expect("an answer"), [["1", "86"]]);
    // A later stage fills the column in the events of its own pattern.
    let failed = list(&case, &view("failed"), &PatternOptions::default()).patterns[0].id;
    let both = format!("* | variable 1 of {took} as job | variable 1 of {failed} as job | stats count(job)");
    assert_eq!(rows(&both).expect("an answer"), [["200"]]);

    for (query, message) in [
        (
            "* | variable 1 of t0000000000000000 as v".to_owned(),
            "the case has no pattern `t0000000000000000`",
        ),
        ("* | variable 1 of nothing as v".to_owned(), "`nothing` is not the id of a pattern"),
        (format!("* | variable 3 of {took} as v"), "has 2 variables"),
        (format!("* | stats count | variable 1 of {took} as v"), "`variable` needs events"),
    ] {
        let error = rows(&query).expect_err(&query);
        assert!(error.to_string().contains(message), "{query}: {error}");
    }
}

#[test]
fn durations_with_units_are_milliseconds() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = TestCase::create(&folder.path().join("a.case")).expect("a case");
    let path = folder.path().join("app.log");
    let lines = ["12ms", "1.5s", "250us", "2 min", "900ms", "3s"];
    let lines = lines.iter().enumerate().map(|(at, took)| {
        format!("2026-03-01T14:00:{at:02}Z INFO request for anna was answered after {took}\n")
    });
    fs::write(&path, lines.collect::<String>()).expect("the log is written");
    import(&case, &[path], false);
    let [pattern] = &list(&case, &view(""), &PatternOptions::default()).patterns[..] else {
        panic!("one pattern")
    };
    let text = format!("* | variable 1 of {} as took_ms | sort took_ms | keep took_ms", pattern.id);
    let query = query::parse_query(&text).expect("a query");
    let options = crate::pipe::RunOptions::default();
    let table = case
        .run(&case.snapshot(), &query, (None, None), &options, &mut |_| {}, &Cancel::default())
        .expect("an answer");
    let found: Vec<String> = (0..table.rows()).map(|row| table.cell(row, 0).to_string()).collect();
    assert_eq!(found, ["0.25", "12", "900", "1500", "3000", "120000"]);
}

#[test]
fn stages_group_by_templates_and_count_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = TestCase::create(&folder.path().join("a.case")).expect("a case");
    // Two segments, so that a template has rows in both.
    import(&case, &[log(folder.path(), "app.log", 0, 250)], false);
    import(&case, &[log(folder.path(), "more.log", 250, 250), access(folder.path())], false);
    let snapshot = case.snapshot();
    let rows = |text: &str, by_rows: bool| {
        let query = query::parse_query(text).expect(text);
        let options = crate::pipe::RunOptions { by_rows, ..crate::pipe::RunOptions::default() };
        let table =
            case.run(&snapshot, &query, (None, None), &options, &mut |_| {}, &Cancel::default()).expect(text);
        let cells = |row| (0..table.names().len()).map(|at| table.cell(row, at).to_string()).collect();
        let mut rows: Vec<Vec<String>> = (0..table.rows()).map(cells).collect();
        rows.sort_unstable();
        rows
    };
    let all = list(&case, &view(""), &PatternOptions::default());
    let expected = |of: &dyn Fn(&Pattern) -> Vec<String>| {
        let mut rows: Vec<Vec<String>> = all.patterns.iter().map(of).collect();
        rows.sort_unstable();
        rows
    };
    let counts = expected(&|one| vec![one.id.to_string(), one.count.to_string()]);
    assert_eq!(counts.len(), 7);
    for by_rows in [false, true] {
        assert_eq!(rows("* | stats count by template", by_rows), counts);
        assert_eq!(rows("* | stats count_distinct(template) as n", by_rows), [["7"]]);
        assert_eq!(rows("* | top 3 template", by_rows).len(), 3);
        assert_eq!(rows("* | facets template", by_rows).len(), 7);
        assert_eq!(rows("* | stats count by bin(time, 1d), template", by_rows).len(), 7);
    }
    let failed = all.patterns.iter().find(|one| one.text == "job <num> failed").expect("it is listed");
    let id = failed.id.to_string();
    let of_one = rows(&format!("* | where template == \"{id}\" | stats count"), false);
    assert_eq!(of_one, [["100"]]);
    // What is only shown is not mined.
    assert!(rows("* | limit 3", false).iter().all(|row| !row.contains(&id)));
    assert_eq!(rows("failed | keep template | limit 1", false), [[id]]);
}

#[test]
fn variable_parts_list_their_values() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = TestCase::create(&folder.path().join("a.case")).expect("a case");
    import(&case, &[log(folder.path(), "app.log", 0, 500), access(folder.path())], false);
    let all = list(&case, &view(""), &PatternOptions::default());
    let ids = all.patterns.iter().map(|pattern| pattern.id).collect();
    let listed =
        list(&case, &view(""), &PatternOptions { variables: ids, values: 2, ..PatternOptions::default() });
    let variables =
        |text: &str| &listed.patterns.iter().find(|pattern| pattern.text == text).expect("listed").variables;

    let took = variables("job <num> took <duration>");
    assert_eq!((took[0].min, took[0].max, took[0].distinct), (Some(1.0), Some(496.0), 100));
    assert_eq!((took[1].kind.as_str(), took[1].min, took[1].max), ("duration", Some(1.0), Some(86.0)));
    let user = variables("user <*> signed in from <ip>");
    assert_eq!((user[0].distinct, user[0].count, user[0].more), (7, 100, false));
    assert_eq!(user[0].top[0], ValueCount { value: "anna".into(), count: 15 });
    let users = variables("GET /users/<num>/orders?<text>");
    assert_eq!((users[0].distinct, users[1].top[0].value.as_str()), (30, "page=0"));
    assert!(variables("unit is up").is_empty());
}

#[test]
fn templates_mined_on_demand_equal_stored_ones() {
    let folder = tempfile::tempdir().expect("a folder");
    let logs = [
        log(folder.path(), "one.log", 0, 300),
        log(folder.path(), "two.log", 300, 300),
        access(folder.path()),
    ];
    let stored = TestCase::create(&folder.path().join("stored.case")).expect("a case");
    import(&stored, &logs, false);
    assert!(template_file(&stored, 0).exists());
    let options = PatternOptions::default();
    let expected = list(&stored, &view(""), &options);

    // Never indexed, and then not there at all.
    let bare = TestCase::create(&folder.path().join("bare.case")).expect("a case");
    import(&bare, &logs, true);
    assert_eq!(list(&bare, &view(""), &options), expected);
    fs::remove_file(template_file(&bare, 0)).expect("it was stored as the events landed");
    let bare = TestCase::open(bare.folder()).expect("it opens");
    assert_eq!(list(&bare, &view(""), &options), expected);

    // Cut into other segments, by an import a file; what came before stays what it was called.
    let pieces = TestCase::create(&folder.path().join("pieces.case")).expect("a case");
    for log in &logs {
        import(&pieces, std::slice::from_ref(log), false);
    }
    assert!(pieces.snapshot().segments.len() >= 3);
    let by_text = |patterns: &Patterns| {
        let mut found: Vec<_> =
            patterns.patterns.iter().map(|pattern| (pattern.text.clone(), pattern.count)).collect();
        found.sort();
        found
    };
    let separate = list(&pieces, &view(""), &options);
    assert_eq!(by_text(&separate), by_text(&expected));
    // Every id of the one case names the same events in the other.
    for pattern in &expected.patterns {
        let query = view(&format!("template:{}", pattern.id));
        let count = pieces.count(&pieces.snapshot(), &query, &Cancel::default()).expect("a count");
        assert_eq!(count as u64, pattern.count, "{}", pattern.text);
    }

    // Deleted, damaged, and made again by the next import.
    fs::remove_file(template_file(&stored, 0)).expect("it was there");
    fs::remove_file(stored.folder().join("templates.json")).expect("it was there");
    let again = TestCase::open(stored.folder()).expect("it opens");
    assert_eq!(list(&again, &view(""), &options), expected);
    import(&again, &[log(folder.path(), "three.log", 600, 1)], false);
    assert!(template_file(&again, 0).exists());
    assert!(again.verify(&Cancel::default()).problems.is_empty());
    fs::write(template_file(&again, 0), b"no parquet").expect("it is written");
    let damaged = TestCase::open(stored.folder()).expect("it opens");
    let without_it = list(&damaged, &view("NOT source:three.log"), &options);
    assert_eq!(by_text(&without_it), by_text(&expected));
    assert_eq!(damaged.verify(&Cancel::default()).problems.len(), 1);
}

#[test]
fn shapes_found_while_events_land_are_those_of_the_stored_events() {
    let folder = tempfile::tempdir().expect("a folder");
    let lines = |line: fn(usize) -> String| (0..20_000).map(line).collect::<String>();
    // Messages that never repeat are stored by their places, some with escapes, some that are no UTF-8.
    let mut json = lines(|n| {
        let end = if n % 7 == 0 { "\\tthe end" } else { "" };
        format!(
            "{{\"ts\":{},\"msg\":\"job {n} of user u{} took {n}ms in a queue of the {n}th worker, which waited for the {n}th shelf of the store{end}\"}}\n",
            1_772_373_900 + n,
            n % 5
        )
    })
    .into_bytes();
    let places: Vec<_> = memchr::memmem::find_iter(&json, b"queue").step_by(11).collect();
    for place in places {
        json[place] = 0xFF;
    }
    let requests = lines(|n| {
        let second = n % 60;
        format!(
            "10.0.0.{} - - [01/Mar/2026:14:05:{second:02} +0000] \"GET /a/{n}/b?c={n} HTTP/1.1\" 200 {n}\n",
            n % 9
        )
    });
    let odd = requests.replace("\"GET /a/17/", "\"nothing said ");
    let wide: Vec<u8> = lines(|n| format!("2026-03-01T14:05:00Z ERROR disk {n} füll\n"))
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let case = TestCase::create(&folder.path().join("a.case")).expect("a case");
    for (name, bytes) in [("a.json", json), ("b.log", odd.into_bytes()), ("c.log", wide)] {
        let path = folder.path().join(name);
        fs::write(&path, bytes).expect("it is written");
        import(&case, &[path], true);
    }
    let snapshot = case.snapshot();
    assert_eq!(snapshot.events(), 60_000);
    assert!(snapshot.segments.iter().any(|segment| segment.meta.fields.iter().any(|field| field.placed)));
    for segment in &snapshot.segments {
        let landed = Mined::load(segment).expect("it was stored as the events landed");
        let mined = Mined::mine(segment, &mut case.raw_cursor(), &Cancel::default()).expect("shapes");
        assert!(landed.agrees(&mined));
    }
}

#[test]
fn template_keeps_its_id_when_it_grows() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = folder.path().join("users.log");
    fs::write(&first, "2026-03-01T14:00:00Z INFO user anna left\n").expect("written");
    let case = TestCase::create(&folder.path().join("a.case")).expect("a case");
    import(&case, &[first], false);
    let before = list(&case, &view(""), &PatternOptions::default());
    let id = before.patterns[0].id;
    assert_eq!(before.patterns[0].text, "user anna left");

    let more = folder.path().join("users.2.log");
    let lines = ["ben", "cleo", "dan", "eve", "finn"]
        .map(|user| format!("2026-03-01T14:01:00Z INFO user {user} left\n"));
    fs::write(&more, lines.concat()).expect("written");
    let query = view(&format!("template:{id}"));
    assert_eq!(case.count(&case.snapshot(), &query, &Cancel::default()).expect("a count"), 1);
    import(&case, &[more], false);
    let after = list(&case, &view(""), &PatternOptions::default());
    assert_eq!(texts(&after), [("user <*> left", 6)]);
    assert_eq!(after.patterns[0].id, id);
    assert_eq!(case.count(&case.snapshot(), &query, &Cancel::default()).expect("a count"), 6);
}

#[test]
fn comparing_tells_what_is_new_and_what_is_gone() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("app.log");
    let lines =
        ["14:00:01Z INFO old words here", "14:00:02Z INFO both of them", "14:10:00Z INFO both of them"];
    let text = lines.map(|line| format!("2026-03-01T{line}\n")).concat();
    fs::write(&path, format!("{text}2026-03-01T14:10:01Z ERROR fresh trouble\n")).expect("written");
    let case = TestCase::create(&folder.path().join("a.case")).expect("a case");
    import(&case, &[path], false);
    let range = View { from: Some(START + 300 * SECOND), ..view("") };
    let options = PatternOptions { compare: true, ..PatternOptions::default() };
    let found: Vec<_> = list(&case, &range, &options)
        .patterns
        .iter()
        .map(|pattern| (pattern.text.clone(), pattern.count, pattern.elsewhere))
        .collect();
    assert_eq!(found.len(), 3);
    assert!(found.contains(&("fresh trouble".into(), 1, Some(0))));
    assert!(found.contains(&("both of them".into(), 1, Some(1))));
    assert!(found.contains(&("old words here".into(), 0, Some(1))));
    assert_ne!(START, NO_TIME);
}

#[test]
fn coarser_templates_hold_finer_ones_and_partial_answers_come_and_stop() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = TestCase::create(&folder.path().join("a.case")).expect("a case");
    import(&case, &[log(folder.path(), "app.log", 0, 300)], true);
    let mut before = usize::MAX;
    for granularity in Granularity::ALL {
        let listed = list(&case, &view(""), &PatternOptions { granularity, ..PatternOptions::default() });
        assert!(listed.distinct <= before);
        assert_eq!(listed.patterns.iter().map(|pattern| pattern.count).sum::<u64>(), 300);
        before = listed.distinct;
    }
    let cancel = Cancel::default();
    cancel.set();
    let fresh = TestCase::open(case.folder()).expect("it opens");
    let stopped =
        fresh.patterns(&fresh.snapshot(), &view(""), &PatternOptions::default(), &mut |_, _| {}, &cancel);
    assert_eq!(stopped.map(|_| ()).map_err(|error| error.kind()), Err(base::ErrorKind::Cancelled));
}
