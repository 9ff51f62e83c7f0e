//! `timberline configs`: what production needs to take a source, learned from the source's own lines. The ingest pipeline
//! runs at a real cluster in `remote_live.rs`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use timberline_tests::listening::{Listening, PATIENCE};
use timberline_tests::shippers::{self, Daemon};
use timberline_tests::{programs, report};

const LINES: usize = 800;

const FILES: [&str; 6] = [
    "index-template.json",
    "ilm-policy.json",
    "ingest-pipeline.json",
    "logstash.conf",
    "rsyslog.conf",
    "README.md",
];

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn timberline(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(programs::timberline());
    command.args(arguments).env("TIMBERLINE_HOME", folder.join("home")).current_dir(folder);
    command.output().expect("it runs")
}

/// A log of this kind, and a case of it.
fn imported(folder: &Path, kind: &str) {
    let generate = programs::folder().join(format!("generate{}", std::env::consts::EXE_SUFFIX));
    let made = Command::new(generate).args([kind, &LINES.to_string()]).output().expect("it runs");
    fs::write(folder.join(format!("{kind}.log")), made.stdout).expect("a log");
    let log = folder.join(format!("{kind}.log")).display().to_string();
    let done = timberline(folder, &["import", &format!("{kind}.case"), &log]);
    assert!(done.status.success(), "{}", text(&done.stderr));
}

fn configured(folder: &Path, kind: &str) -> PathBuf {
    let to = folder.join(format!("{kind}.configs"));
    let done = timberline(folder, &["configs", &format!("{kind}.case"), "--to", &to.display().to_string()]);
    assert!(done.status.success(), "{kind}: {}", text(&done.stderr));
    to
}

fn json(folder: &Path, name: &str) -> Value {
    serde_json::from_slice(&fs::read(folder.join(name)).expect(name)).expect(name)
}

/// The numbers of lines that were read, and of those that were held out to check it.
fn read_of(description: &str) -> (usize, usize) {
    let (before, _) = description.split_once(" are read with").unwrap_or_else(|| panic!("{description}"));
    let (_, counts) = before.split_once(". Of ").unwrap_or_else(|| panic!("{description}"));
    let number = |text: Option<&str>| text.and_then(|text| text.parse().ok()).expect("a number");
    (number(counts.rsplit(' ').next()), number(counts.split(' ').next()))
}

#[test]
fn patterns_read_the_lines_of_a_source_as_timberline_does() {
    let folder = tempfile::tempdir().expect("a folder");
    for kind in ["access", "syslog", "text", "json"] {
        imported(folder.path(), kind);
        let to = configured(folder.path(), kind);
        for name in FILES {
            assert!(to.join(name).metadata().is_ok_and(|file| file.len() > 100), "{kind}: {name}");
        }
        let pipeline = json(&to, "ingest-pipeline.json");
        let description = pipeline["description"].as_str().expect("a text");
        assert!(description.contains("was not run at a cluster"), "{description}");
        let steps: Vec<&str> = pipeline["processors"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|step| step.as_object()?.keys().next().map(String::as_str))
            .collect();
        let (right, all) = read_of(description);
        assert!(right * 100 >= all * 99 && all > LINES / 10, "{kind}: {description}");
        if kind == "json" {
            assert!(steps.starts_with(&["rename", "json", "date"]), "{steps:?}");
        } else {
            assert!(steps.starts_with(&["rename", "grok"]) && steps.contains(&"date"), "{steps:?}");
            // The same expressions go to Logstash.
            let logstash = fs::read_to_string(to.join("logstash.conf")).expect("a text");
            let grok = &pipeline["processors"][1]["grok"];
            for (name, expression) in grok["pattern_definitions"].as_object().expect("patterns") {
                let expression = expression.as_str().expect("a text").replace('\'', r"\x27");
                assert!(logstash.contains(&format!("'{name}' => '{expression}'")), "{name}: {logstash}");
            }
        }
        let template = json(&to, "index-template.json");
        let index = format!("logs-{kind}-log");
        assert_eq!(template["index_patterns"][0], format!("{index}*"));
        assert_eq!(template["template"]["settings"]["index"]["default_pipeline"], index.as_str());
        assert_eq!(template["template"]["settings"]["index"]["lifecycle"]["name"], index.as_str());
        let policy = json(&to, "ilm-policy.json");
        assert_eq!(policy["policy"]["phases"]["delete"]["min_age"], "27d");
    }
    let access = json(&folder.path().join("access.configs"), "ingest-pipeline.json");
    assert!(access.to_string().contains("HTTP status"), "the level follows from the status: {access}");
}

#[test]
fn configurations_that_read_too_few_lines_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    // The facility follows from the number at the start: no text between values says it.
    let line = |at: usize| format!("<14>1 2026-03-01T14:05:{:02}Z web-1 shop {at} - - order paid\n", at % 60);
    fs::write(path.join("odd.log"), (0..100).map(line).collect::<String>()).expect("a log");
    assert!(timberline(path, &["import", "odd.case", "odd.log"]).status.success());
    let refused = timberline(path, &["configs", "odd.case", "--to", "out"]);
    let said = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("not read: <14>1") && said.contains("--accept-partial"), "{said}");
    assert!(!path.join("out").exists());
    let accepted = timberline(path, &["configs", "odd.case", "--to", "out", "--accept-partial"]);
    assert_eq!(accepted.status.code(), Some(1), "{}", text(&accepted.stderr));
    assert!(path.join("out/ingest-pipeline.json").exists());
}

#[test]
fn sources_are_named_where_a_case_has_several() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    imported(path, "access");
    imported(path, "syslog");
    assert!(timberline(path, &["import", "access.case", "syslog.log"]).status.success());
    let unnamed = timberline(path, &["configs", "access.case", "--to", "out"]);
    assert_eq!(unnamed.status.code(), Some(2));
    assert!(text(&unnamed.stderr).contains("access.log, syslog.log"), "{}", text(&unnamed.stderr));
    let misspelt = timberline(path, &["configs", "access.case", "--to", "out", "--source", "sylog.log"]);
    assert!(text(&misspelt.stderr).contains("Did you mean \"syslog.log\"?"), "{}", text(&misspelt.stderr));
    let index = timberline(path, &["configs", "syslog.case", "--to", "out", "--index", "Logs"]);
    assert_eq!(index.status.code(), Some(2));
    assert!(!path.join("out").exists(), "nothing is written after a mistake");
    let named = timberline(
        path,
        &[
            "configs",
            "access.case",
            "--to",
            "out",
            "--source",
            "syslog.log",
            "--keep",
            "7d",
            "--hot",
            "1d",
            "--index",
            "sys",
        ],
    );
    assert!(named.status.success(), "{}", text(&named.stderr));
    let policy = json(&path.join("out"), "ilm-policy.json");
    assert_eq!(policy["policy"]["phases"]["delete"]["min_age"], "6d");
    let readme = fs::read_to_string(path.join("out/README.md")).expect("a text");
    assert!(readme.contains("PUT _ingest/pipeline/sys"), "{readme}");
}

#[test]
fn rsyslog_sends_the_lines_of_the_source_with_the_configuration() {
    let Some(rsyslogd) = shippers::rsyslogd() else {
        return report::skipped("rsyslog with omelasticsearch is not here");
    };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    imported(path, "access");
    let to = configured(path, "access");
    let listening = Listening::start(&path.join("received.case"), &["--http", "127.0.0.1:0"]);
    let port = listening.port(0);

    // Only what belongs to a machine is changed: folders and the address.
    let place = path.display().to_string();
    let configuration = fs::read_to_string(to.join("rsyslog.conf")).expect("a text");
    let configuration = configuration
        .replace("/var/spool/rsyslog", &place)
        .replace("/var/log/", &format!("{place}/"))
        .replace("serverport=\"9200\"", &format!("serverport=\"{port}\""));
    let conf = path.join("rsyslog.conf");
    fs::write(&conf, configuration).expect("a file");
    let checked = Command::new(&rsyslogd).arg("-N1").arg("-f").arg(&conf).output().expect("it runs");
    assert!(
        checked.status.success() && !text(&checked.stderr).contains("error"),
        "{}",
        text(&checked.stderr)
    );
    let mut command = Command::new(&rsyslogd);
    command.arg("-n").arg("-f").arg(&conf).arg("-i").arg(path.join("pid")).stdout(Stdio::null());
    let running = Daemon::start(&mut command);
    let started = Instant::now();
    let count =
        || text(&timberline(path, &["query", "received.case", "*", "--count"]).stdout).trim().to_owned();
    while count() != LINES.to_string() {
        let errors = fs::read_to_string(path.join("rsyslog-logs-access-log-errors.log")).unwrap_or_default();
        assert!(started.elapsed() < PATIENCE && errors.is_empty(), "{} events; {errors}", count());
        std::thread::sleep(Duration::from_millis(50));
    }
    drop(running);
    let first = fs::read_to_string(path.join("access.log")).expect("a log");
    let line = first.lines().next().expect("a line");
    let listed = timberline(path, &["query", "received.case", "*", "--format", "ndjson"]);
    let arrived = text(&listed.stdout).lines().any(|event| {
        let event: Value = serde_json::from_str(event).expect("JSON");
        event["message"] == line
    });
    assert!(arrived, "lines arrive as they are written: {line}");
}
