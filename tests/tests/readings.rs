//! How `timberline listen` reads what it receives: formats and zones by sender, tag and source, what the case remembers
//! of them, and a stream that becomes another format.

use std::io::Write;
use std::net::UdpSocket;
use std::path::Path;
use std::process::Command;

use indexer::Case;
use serde_json::Value;
use timberline_tests::listening::{Listening, events, texts};
use timberline_tests::programs;

/// What a query with its pipe gives, a row each.
fn rows(case: &Path, query: &str) -> Vec<Value> {
    let mut command = Command::new(programs::timberline());
    let output =
        command.arg("query").arg(case).args([query, "--format", "ndjson"]).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).expect("text");
    lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// The minute of the day, in UTC, of each event that a query finds.
fn minutes(case: &Path, query: &str) -> Vec<i64> {
    events(case, query).iter().map(|event| event.time / 60_000_000_000 % (24 * 60)).collect()
}

/// The name and the format of each source.
fn formats(case: &Path) -> Vec<(String, String)> {
    let case = Case::open(case).expect("the case opens");
    case.snapshot().sources().iter().map(|source| (source.name.clone(), source.format.clone())).collect()
}

fn send(from: &str, to: &str, messages: &[&str]) {
    let socket = UdpSocket::bind((from, 0)).expect("a socket");
    for message in messages {
        socket.send_to(message.as_bytes(), to).expect("it is sent");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn two_senders_of_one_port_have_formats_and_zones_of_their_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = folder.path().join("live.case");
    let port = ["--syslog", "udp://127.0.0.1:0"];
    let chosen = [
        "--format",
        "127.0.0.2=nginx-error",
        "--zone",
        "127.0.0.0/30=Europe/Berlin",
        "--zone",
        "127.0.0.8=-05:00",
    ];
    let listening = Listening::start(&case, &[&port[..], &chosen].concat());
    send("127.0.0.1", &listening.addresses[0], &["<13>Mar  1 15:05:00 web-1 cron[3]: one"]);
    let error = ["2026/03/01 15:05:01 [error] 7#7: *1 open() failed, client: 10.0.0.9, server: web"];
    send("127.0.0.2", &listening.addresses[0], &error);
    send("127.0.0.8", &listening.addresses[0], &["<13>Mar  1 09:05:02 web-8 cron[3]: three"]);
    listening.until(3);
    listening.stop();
    for sender in ["127.0.0.1", "127.0.0.2", "127.0.0.8"] {
        assert_eq!(minutes(&case, &format!("source:\"syslog/udp/{sender}\"")), [14 * 60 + 5], "{sender}");
    }
    assert_eq!(texts(&case, "source:\"syslog/udp/127.0.0.1\" app=cron").len(), 1);
    let sources = formats(&case);
    assert!(sources.contains(&("syslog/udp/127.0.0.2".to_owned(), "nginx-error".to_owned())), "{sources:?}");

    // The case remembers it, for senders that come later too.
    let listening = Listening::start(&case, &port);
    send("127.0.0.3", &listening.addresses[0], &["<13>Mar  1 15:05:03 web-3 cron[3]: four"]);
    listening.until(4);
    listening.stop();
    assert_eq!(minutes(&case, "source:\"syslog/udp/127.0.0.3\""), [14 * 60 + 5]);
    let listening = Listening::start(&case, &[&port[..], &["--zone", "UTC", "--format", "learned"]].concat());
    send("127.0.0.6", &listening.addresses[0], &["<13>Mar  1 15:05:04 web-6 cron[3]: five"]);
    listening.until(5);
    listening.stop();
    assert_eq!(minutes(&case, "source:\"syslog/udp/127.0.0.6\""), [15 * 60 + 5]);
}

#[test]
fn messages_of_a_tag_are_read_in_a_format_after_their_header() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = folder.path().join("live.case");
    let arguments =
        ["--syslog", "udp://127.0.0.1:0", "--format", "tag:shop=json", "--zone", "tag:old=Asia/Tokyo"];
    let listening = Listening::start(&case, &arguments);
    let messages = [
        "<13>Mar  1 14:05:00 web-1 shop[7]: {\"path\":\"/cart\",\"ms\":12,\"level\":\"error\"}",
        "<13>1 2026-03-01T14:05:01Z web-1 shop 7 - - {\"path\":\"/pay\",\"ms\":30}",
        "<13>Mar  1 14:05:02 web-1 shop[7]: restarted",
        "<13>Mar  1 14:05:03 web-1 cron[3]: {\"ms\":99}",
        "<13>Mar  1 23:05:04 web-1 old[3]: from far away",
    ];
    send("127.0.0.1", &listening.addresses[0], &messages);
    listening.until(5);
    listening.stop();
    let sources = formats(&case);
    for (name, format) in [
        ("syslog/udp/127.0.0.1/shop", "syslog+json"),
        ("syslog/udp/127.0.0.1/old", "syslog"),
        ("syslog/udp/127.0.0.1", "syslog"),
    ] {
        assert!(sources.contains(&(name.to_owned(), format.to_owned())), "{name}: {sources:?}");
    }
    let found = rows(&case, "app=shop ms>0 | stats sum(ms) as ms, count() as events by host");
    assert_eq!(
        (&found[0]["ms"], &found[0]["events"], &found[0]["host"]),
        (&42.into(), &2.into(), &"web-1".into())
    );
    assert_eq!(texts(&case, "app=shop level=error path=/cart").len(), 1);
    assert_eq!(texts(&case, "app=shop message=restarted").len(), 1);
    assert_eq!(minutes(&case, "app=old"), [14 * 60 + 5]);
}

#[test]
fn stream_that_becomes_another_format_goes_on_in_a_source_of_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = folder.path().join("live.case");
    let mut listening = Listening::start(&case, &["--stdin"]);
    let mut input = listening.child.stdin.take().expect("its input");
    let mut write = |lines: &dyn Fn(u64) -> String, upto: u64| {
        let text: String = (0..100).map(lines).collect();
        input.write_all(text.as_bytes()).expect("it is sent");
        listening.until(upto);
    };
    let json =
        |number: u64| format!("{{\"time\":\"2026-03-01T14:05:{:02}Z\",\"number\":{number}}}\n", number % 60);
    let access = |number: u64| {
        let second = number % 60;
        format!("10.0.0.7 - - [01/Mar/2026:14:06:{second:02} +0000] \"GET /a/{number} HTTP/1.1\" 200 17\n")
    };
    write(&json, 100);
    write(&access, 200);
    write(&access, 300);
    drop(input);
    assert_eq!(listening.child.wait().expect("it ended").code(), Some(0));
    let formats: Vec<String> = formats(&case).into_iter().map(|(_, format)| format).collect();
    assert_eq!(formats, ["json", "access"]);
    assert!(texts(&case, "status=200").len() >= 100);
    assert_eq!((texts(&case, "source:stdin").len(), texts(&case, "GET").len()), (300, 200));
    let case = Case::open(&case).expect("the case opens");
    assert!(case.verify(&indexer::Cancel::default()).problems.is_empty());
}

#[test]
fn choices_that_cannot_be_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = folder.path().join("live.case");
    for (wrong, word) in [
        (["--format", "sylog"], "sylog"),
        (["--format", "10.0.0=json"], "10.0.0"),
        (["--format", "tag:shop=syslog+nothing"], "nothing"),
        (["--zone", "Europe/Berlim"], "Europe/Berlim"),
        (["--zone", "host:web=UTC"], "host:web"),
    ] {
        let mut command = Command::new(programs::timberline());
        let output = command.arg("listen").arg(&case).arg("--stdin").args(wrong).output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(word), "{said}");
    }
    assert!(!case.exists(), "nothing was begun");
}
