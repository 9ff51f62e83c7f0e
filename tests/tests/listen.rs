//! `timberline listen` as people run it: real sockets, files that are rotated while they are followed, and signals.

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Instant;

use indexer::{Cancel, Case, View};
use serde_json::Value;
use timberline_tests::listening::{Listening, PATIENCE, bulk, events, texts};
use timberline_tests::programs;

fn line(number: u64) -> String {
    format!("2026-03-01T14:{:02}:{:02}Z INFO line {number}\n", number / 60 % 60, number % 60)
}

fn lines(numbers: std::ops::Range<u64>) -> String {
    numbers.map(line).collect()
}

fn add(path: &Path, text: &str) {
    let file = OpenOptions::new().create(true).append(true).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes())).expect("it is written");
}

fn numbers(case: &Path) -> Vec<u64> {
    let texts = texts(case, "");
    let mut numbers: Vec<u64> = texts
        .iter()
        .map(|text| text.rsplit(' ').next().expect("a word").parse().expect("a number"))
        .collect();
    numbers.sort_unstable();
    numbers
}

/// The first row of a query's result.
fn row(case: &Path, query: &str) -> Value {
    let mut command = Command::new(programs::timberline());
    let asked = command.arg("query").arg(case).args([query, "--format", "ndjson"]).output().expect("it runs");
    let rows = String::from_utf8_lossy(&asked.stdout);
    let said = String::from_utf8_lossy(&asked.stderr);
    rows.lines()
        .next()
        .and_then(|row| serde_json::from_str(row).ok())
        .unwrap_or_else(|| panic!("{rows}{said}"))
}

fn failed(arguments: &[&str]) -> Output {
    Command::new(programs::timberline()).arg("listen").args(arguments).output().expect("it runs")
}

#[test]
fn syslog_over_tcp_and_udp_and_a_socket_is_kept_with_its_sender() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = folder.path().join("live.case");
    let socket = folder.path().join("log");
    let unix = format!("unix://{}", socket.display());
    let arguments = [
        "--syslog",
        "tcp://127.0.0.1:0",
        "--syslog",
        "udp://127.0.0.1:0",
        "--syslog",
        &unix,
        "--stats",
        "1h",
    ];
    let listening = Listening::start(&case, &arguments);
    let mut tcp = TcpStream::connect(&listening.addresses[0]).expect("it accepts");
    let message = "<34>1 2026-03-01T14:05:00Z host app 7 - - by octets";
    writeln!(tcp, "{} {message}<34>1 2026-03-01T14:05:01Z host app 7 - - by line", message.len())
        .expect("it is sent");
    tcp.write_all(b"<34>1 2026-03-01T14:05:02Z host app 7 - - without end").expect("it is sent");
    drop(tcp);
    listening.until(3);
    let udp = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    for text in
        ["<13>Mar  1 14:06:00 host cron[3]: one\nforged\n", "<13>Mar  1 14:06:01 host cron[3]: two \u{fffd}"]
    {
        udp.send_to(text.as_bytes(), &listening.addresses[1]).expect("it is sent");
    }
    udp.send_to(b"<13>Mar  1 14:06:02 host cron[3]: \xFF\xFE\0x", &listening.addresses[1])
        .expect("it is sent");
    listening.until(6);
    #[cfg(unix)]
    {
        let own = std::os::unix::net::UnixDatagram::unbound().expect("a socket");
        own.send_to(b"<14>Mar  1 14:07:00 cron[3]: local", &socket).expect("it is sent");
    }
    listening.until(7);
    let counters = listening.stop();
    let sources = &counters.last().expect("counters")["sources"];
    assert_eq!(sources["syslog/tcp/127.0.0.1"]["accepted"], 3, "{sources}");
    assert_eq!(sources["syslog/udp/127.0.0.1"]["accepted"], 3, "{sources}");
    let found = texts(&case, "source:\"syslog/tcp/127.0.0.1\"");
    assert_eq!(found.len(), 3);
    assert!(found[2].ends_with("without end"), "{found:?}");
    // A line end in a message makes no second event.
    assert!(texts(&case, "*forged*")[0].ends_with("one#012forged"));
    assert_eq!(texts(&case, "source:\"syslog/unix\" local").len(), 1);
    // As docs/receiving.md has it.
    let by_sender = row(&case, "sender:127.0.0.0/8 | stats count() as events by sender");
    assert_eq!((&by_sender["sender"], &by_sender["events"]), (&"127.0.0.1".into(), &6.into()));
    assert!(!socket.exists());
}

#[test]
fn idle_connections_over_tcp_shut_nobody_out_and_what_they_sent_is_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = folder.path().join("live.case");
    let listening = Listening::start(&case, &["--syslog", "tcp://127.0.0.1:0", "--stats", "1h"]);
    let connect = || TcpStream::connect(&listening.addresses[0]).expect("it accepts");
    let message = |number: u64| format!("<13>Mar  1 14:05:00 web-1 cron[3]: line {number}\n");
    let mut first = connect();
    first.write_all(message(0).as_bytes()).expect("it is sent");
    let idle: Vec<TcpStream> = (0..300).map(|_| connect()).collect();
    let mut newcomer = connect();
    newcomer.write_all(message(1).as_bytes()).expect("it is sent");
    listening.until(2);
    newcomer.write_all(message(2).as_bytes()).expect("it is sent");
    listening.until(3);
    drop((first, idle, newcomer));
    let counters = listening.stop();
    let rejected = &counters.last().expect("counters")["sources"]["syslog/tcp"]["rejected"];
    assert!(rejected["silent, closed for another connection"].as_u64() >= Some(40), "{rejected}");
    assert_eq!(numbers(&case), [0, 1, 2]);
}

#[test]
fn it_ends_at_once_while_bodies_arrive_and_keeps_what_it_acknowledged() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = folder.path().join("live.case");
    let listening = Listening::start(&case, &["--http", "127.0.0.1:0"]);
    let address = listening.addresses[0].clone();
    let document = "{\"index\":{\"_index\":\"app\"}}\n{\"message\":\"kept\"}\n";
    assert_eq!(bulk(&address, document).expect("an answer").status, 200);
    let sending: Vec<TcpStream> = (0..20)
        .map(|_| {
            let mut http = TcpStream::connect(&address).expect("it accepts");
            let head = format!("POST /_bulk HTTP/1.1\r\nHost: {address}\r\nContent-Length: 100000\r\n\r\n");
            http.write_all((head + document).as_bytes()).expect("it is sent");
            http
        })
        .collect();
    let began = Instant::now();
    listening.stop();
    assert!(began.elapsed() < std::time::Duration::from_secs(8), "{:?}", began.elapsed());
    drop(sending);
    assert_eq!(texts(&case, "kept").len(), 1);
}

#[test]
fn bulk_requests_are_answered_when_they_are_kept_and_their_retries_are_not_doubled() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = folder.path().join("live.case");
    let body = "{\"create\":{\"_index\":\"app\",\"_id\":\"1\"}}\n{\"message\":\"started\"}\n\
        {\"index\":{\"_index\":\"app\"}}\n{\"message\":\"ready\"}\n";
    for start in 0..2 {
        let listening = Listening::start(&case, &["--http", "127.0.0.1:0"]);
        let answer = bulk(&listening.addresses[0], body).expect("an answer");
        assert_eq!(answer.status, 200, "{}", answer.body);
        // It is killed once it has answered, and is there after the next start.
        if start == 0 {
            let mut child = listening.child;
            child.kill().expect("it is killed");
            child.wait().expect("it ended");
        } else {
            listening.until(3);
            listening.stop();
        }
    }
    assert_eq!((texts(&case, "started").len(), texts(&case, "ready").len()), (1, 2));
}

#[test]
fn standard_input_ends_what_has_no_other_source() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = folder.path().join("live.case");
    let mut listening = Listening::start(&case, &["--stdin"]);
    let mut input = listening.child.stdin.take().expect("its input");
    input.write_all(lines(0..5000).trim_end().as_bytes()).expect("it is sent");
    drop(input);
    assert_eq!(listening.child.wait().expect("it ended").code(), Some(0));
    assert_eq!(numbers(&case), (0..5000).collect::<Vec<_>>());
}

#[test]
fn a_followed_file_is_read_once_across_rotation_truncation_and_restarts() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = folder.path().join("live.case");
    let log = folder.path().join("app.log");
    let rotated = folder.path().join("app.log.1");
    let follow = ["--tail", log.to_str().expect("text")];
    add(&log, &lines(0..10));
    let listening = Listening::start(&case, &follow);
    listening.until(10);
    // Renamed: the rest of the old file is read, and the new one.
    fs::rename(&log, &rotated).expect("it is renamed");
    add(&rotated, &lines(10..12));
    add(&log, &lines(12..20));
    listening.until(20);
    // Cut off and written again.
    File::create(&log).expect("it is cut off");
    add(&log, &lines(20..25));
    listening.until(25);
    // Deleted and there again.
    fs::remove_file(&log).expect("it is deleted");
    add(&log, &lines(25..30));
    listening.until(30);
    listening.stop();
    // While nobody looks: more lines, a rotation, and a packed copy that was read before.
    add(&log, &lines(30..35));
    fs::rename(&log, &rotated).expect("it is renamed");
    add(&log, &lines(35..40));
    fs::write(folder.path().join("app.log.2.gz"), b"\x1F\x8B\x08 packed").expect("it is written");
    let listening = Listening::start(&case, &follow);
    listening.until(40);
    // A line is there when it is whole.
    add(&log, "2026-03-01T15:00:00Z INFO line ");
    add(&log, "40\n");
    listening.until(41);
    listening.stop();
    assert_eq!(numbers(&case), (0..41).collect::<Vec<_>>());
}

#[cfg(unix)]
#[test]
fn lines_of_a_log_that_is_copied_and_cut_off_before_they_are_read_are_read_in_the_copy() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = folder.path().join("live.case");
    let log = folder.path().join("app.log");
    // An older copy begins alike, as where each log begins with the same line.
    let head = "2026-03-01T00:00:00Z INFO line 900\n";
    add(&folder.path().join("app-20260228.log"), &(head.to_owned() + &lines(500..700)));
    add(&log, &(head.to_owned() + &lines(0..10)));
    let listening = Listening::start(&case, &["--tail", log.to_str().expect("text")]);
    listening.until(11);
    for (first, copy, is_written_at_once) in [(10, "app-20260301.log", true), (20, "app.log.1", false)] {
        listening.signal("-STOP");
        add(&log, &lines(first..first + 5));
        fs::copy(&log, folder.path().join(copy)).expect("it is copied");
        File::create(&log).expect("it is cut off");
        let more = lines(first + 5..first + 10);
        if is_written_at_once {
            add(&log, &more);
        }
        listening.signal("-CONT");
        if !is_written_at_once {
            listening.until(first + 6);
            add(&log, &more);
        }
        listening.until(first + 11);
    }
    listening.stop();
    assert_eq!(numbers(&case), (0..30).chain([900]).collect::<Vec<_>>());
}

#[test]
fn folders_and_patterns_are_watched_for_new_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = folder.path().join("live.case");
    let logs = folder.path().join("logs");
    fs::create_dir(&logs).expect("a folder");
    add(&logs.join("a.log"), &lines(0..3));
    let pattern = folder.path().join("p*.txt");
    let follow = ["--tail", logs.to_str().expect("text"), pattern.to_str().expect("text")];
    let listening = Listening::start(&case, &follow);
    listening.until(3);
    add(&logs.join("b.log"), &lines(3..6));
    add(&folder.path().join("pod.txt"), &lines(6..9));
    add(&folder.path().join("other.txt"), &lines(90..99));
    listening.until(9);
    // What a file was renamed to in the folder is no new file.
    fs::rename(logs.join("a.log"), logs.join("a.log.1")).expect("it is renamed");
    add(&logs.join("a.log"), &lines(9..12));
    listening.until(12);
    listening.stop();
    assert_eq!(numbers(&case), (0..12).collect::<Vec<_>>());
}

#[test]
fn folders_of_docker_and_of_kubernetes_are_followed_by_pattern() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = folder.path().join("live.case");
    let (docker, pods) = (folder.path().join("containers"), folder.path().join("pods"));
    let docker_file = |id: &str| docker.join(id).join(format!("{id}-json.log"));
    let write = |path: &Path, text: &str| {
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        add(path, text);
    };
    let docker_line = |number: u64| {
        format!(
            "{{\"log\":\"line {number}\\n\",\"stream\":\"stdout\",\"time\":\"2026-03-01T14:05:{number:02}.5Z\"}}\n"
        )
    };
    let cri_line = |number: u64| format!("2026-03-01T14:06:{number:02}.123456789Z stderr F line {number}\n");
    write(&docker_file("4bf9"), &docker_line(1));
    fs::create_dir(&pods).expect("a folder");
    let patterns = [docker.join("*/*-json.log"), pods.join("*/*/*.log")];
    let [containers, pods_of] = patterns.each_ref().map(|pattern| pattern.to_str().expect("text"));
    let listening = Listening::start(&case, &["--tail", containers, pods_of]);
    listening.until(1);
    // Containers and pods that start later, and what else is in their folders.
    write(&docker_file("77aa"), &docker_line(2));
    write(&docker.join("77aa/config.v2.json"), "{}\n");
    let web = pods.join("shop_web-1_0f3c/web/0.log");
    write(&web, &cri_line(3));
    listening.until(3);
    // The log of a pod is rotated, and its container starts again.
    fs::rename(&web, web.with_file_name("0.log.20260301-140700")).expect("it is renamed");
    write(&web, &cri_line(4));
    write(&web.with_file_name("1.log"), &cri_line(5));
    listening.until(5);
    listening.stop();
    for number in 1..=5 {
        assert_eq!(texts(&case, &format!("\"line {number}\"")).len(), 1, "line {number}");
    }
    assert_eq!(events(&case, "stream:stdout").len(), 2);
    let web = format!("source:{:?} stream:stderr", web.to_str().expect("text"));
    assert_eq!(events(&case, &web).len(), 2);
    assert_eq!(texts(&case, "").len(), 5);
}

#[test]
fn counters_are_events_that_can_be_queried() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = folder.path().join("live.case");
    // It ends with standard input, although the internal log never does.
    let mut listening = Listening::start(&case, &["--stdin", "--internal-log=50ms"]);
    let mut input = listening.child.stdin.take().expect("its input");
    input.write_all(lines(0..700).as_bytes()).expect("it is sent");
    // The first counters and events are there before the last lines are, so that it is known how late events are.
    let began = Instant::now();
    while texts(&case, "source:\"timberline/internal\" stage=stream").is_empty()
        || texts(&case, "source:stdin").is_empty()
    {
        assert!(began.elapsed() < PATIENCE, "no counters");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    input.write_all(lines(700..1000).as_bytes()).expect("it is sent");
    drop(input);
    assert_eq!(listening.child.wait().expect("it ended").code(), Some(0));
    let query = "source:\"timberline/internal\" stage=stream stream=stdin \
        | stats sum(accepted) as sum, max(accepted_total) as total, sum(rejected) as rejected, count() as events";
    let row = row(&case, query);
    let thousand = Value::from(1000);
    assert_eq!((&row["sum"], &row["total"], &row["rejected"]), (&thousand, &thousand, &0.into()), "{row}");
    assert!(row["events"].as_u64() >= Some(2), "{row}");
    assert!(!texts(&case, "source:\"timberline/internal\" stage=intake sync_p99_ms>0").is_empty());
    for stage in ["indexing_batches", "indexing_ms", "publishing_batches", "publishing_ms"] {
        let did = format!("source:\"timberline/internal\" stage=intake {stage}>0");
        assert!(!texts(&case, &did).is_empty(), "{stage}");
    }
    let late = "source:\"timberline/internal\" stage=stream stream=stdin lag_p50_ms>1000 lag_p99_ms>1000";
    assert!(!texts(&case, late).is_empty(), "the events are of March");
    assert_eq!(texts(&case, "source:stdin").len(), 1000);
    let output = failed(&[case.to_str().expect("text"), "--internal-log=1s"]);
    assert_eq!(output.status.code(), Some(2), "it is no source by itself");
}

#[test]
fn what_cannot_be_listened_on_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = folder.path().join("live.case");
    let case = case.to_str().expect("text");
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("tcp://{}", taken.local_addr().expect("its address"));
    let said = |output: &Output| String::from_utf8_lossy(&output.stderr).into_owned();
    let output = failed(&[case, "--syslog", &address]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(
        said(&output).contains(&format!("in use by process {}", std::process::id())),
        "{}",
        said(&output)
    );
    let output = failed(&[case, "--syslog", "udp://0.0.0.0:0"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("--allow-remote"), "{}", said(&output));
    let output = failed(&[case, "--http", "0.0.0.0:0", "--allow-remote", "10.0.0.0/8"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("--token-file"), "{}", said(&output));
    for wrong in [&[case, "--syslog", "http://x"][..], &[case], &[case, "--stdin", "--refresh", "soon"]] {
        assert_eq!(failed(wrong).status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn senders_wait_while_the_disk_is_nearly_full() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = folder.path().join("live.case");
    let full = Listening::start(&case, &["--syslog", "tcp://127.0.0.1:0", "--stats", "100ms"]);
    full.stop();
    let mut child = Command::new(programs::timberline())
        .arg("listen")
        .arg(&case)
        .args(["--syslog", "tcp://127.0.0.1:0", "--json", "--stats", "100ms", "--reserve", "900000TB"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    let mut next =
        || -> Value { serde_json::from_str(&lines.next().expect("a line").expect("a line")).expect("JSON") };
    let ready = next();
    let address = ready["listening"][0]["address"].as_str().expect("text").to_owned();
    let mut tcp = TcpStream::connect(address).expect("it accepts");
    tcp.write_all(b"<34>1 2026-03-01T14:05:00Z host app 7 - - refused\n").expect("it is sent");
    let began = Instant::now();
    loop {
        let rejected = next()["sources"]["syslog/tcp/127.0.0.1"]["rejected"]["disk nearly full"].clone();
        if rejected.as_u64().is_some_and(|rejected| rejected > 0) {
            break;
        }
        assert!(began.elapsed() < PATIENCE, "nothing was rejected");
    }
    child.kill().expect("it is killed");
    child.wait().expect("it ended");
    assert_eq!(texts(&case, "").len(), 0);
}

/// A program that answers as journalctl does: entries of a file after one of them, or the last ones, and those that
/// come. It knows only cursors of this file, and writes down how it was called.
#[cfg(unix)]
fn fake_journalctl(folder: &Path, entries: &Path) {
    use std::os::unix::fs::PermissionsExt;

    let script = r#"#!/bin/sh
echo "$*" >> "$ENTRIES.calls"
case "$*" in
    "--output=json --all --follow --quiet --lines=1000") exec tail -n 1000 -f "$ENTRIES" ;;
    "--output=json --all --follow --quiet --no-tail --after-cursor=s=1;i="*) exec tail -n "+$((${6##*i=} + 2))" -f "$ENTRIES" ;;
esac
exit 1
"#;
    let program = folder.join("journalctl");
    fs::write(&program, script.replace("$ENTRIES", &entries.to_string_lossy())).expect("it is written");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it may run");
}

#[cfg(unix)]
#[test]
fn long_fields_of_the_journal_are_whole_and_longer_entries_are_cut() {
    let folder = tempfile::tempdir().expect("a folder");
    let (case, entries) = (folder.path().join("live.case"), folder.path().join("entries"));
    fake_journalctl(folder.path(), &entries);
    let entry = |number: u64, message: &str| {
        let time = 1_772_373_900_000_000 + number;
        format!(
            "{{\"__CURSOR\":\"s=1;i={number}\",\"__REALTIME_TIMESTAMP\":\"{time}\",\"MESSAGE\":\"{message}\"}}\n"
        )
    };
    add(&entries, &entry(0, &format!("begin {} needle", "x".repeat(100_000))));
    add(&entries, &entry(1, &format!("huge {} lost", "y".repeat(2 << 20))));
    add(&entries, &entry(2, "next"));
    let start = || Listening::with_programs(&case, &["--journal", "--stats", "1h"], Some(folder.path()));
    let listening = start();
    listening.until(3);
    let counters = listening.stop();
    let source = &counters.last().expect("counters")["sources"]["journal"];
    assert_eq!(
        (&source["accepted"], &source["rejected"]["too long, cut"]),
        (&3.into(), &1.into()),
        "{source}"
    );
    // They are not there twice where the cursor is not known.
    fs::remove_file(case.join("wal/journal.cursor")).expect("it is removed");
    add(&entries, &entry(3, "last"));
    let listening = start();
    listening.until(4);
    listening.stop();
    let found = texts(&case, "message:needle");
    assert!(found.len() == 1 && found[0].len() > 100_000, "{}", found.len());
    assert_eq!(
        (texts(&case, "huge").len(), texts(&case, "next").len(), texts(&case, "lost").len()),
        (1, 1, 0)
    );
    assert_eq!(texts(&case, "").len(), 4);
}

#[cfg(unix)]
#[test]
fn journal_is_resumed_at_its_cursor() {
    let folder = tempfile::tempdir().expect("a folder");
    let (case, entries) = (folder.path().join("live.case"), folder.path().join("entries"));
    fake_journalctl(folder.path(), &entries);
    let write = |numbers: std::ops::Range<u64>| {
        let mut file = OpenOptions::new().create(true).append(true).open(&entries).expect("a file");
        for number in numbers {
            let time = 1_772_373_900_000_000 + number;
            let entry = serde_json::json!({
                "__CURSOR": format!("s=1;i={number}"), "__REALTIME_TIMESTAMP": time.to_string(), "PRIORITY": "3",
                "_HOSTNAME": "web-1", "MESSAGE": format!("entry {number}"),
            });
            writeln!(file, "{entry}").expect("it is written");
        }
    };
    let start = || Listening::with_programs(&case, &["--journal"], Some(folder.path()));
    write(0..3);
    let listening = start();
    listening.until(3);
    write(3..5);
    listening.until(5);
    listening.stop();

    // More than is asked for the first time.
    write(5..2_000);
    let listening = start();
    listening.until(2_000);
    listening.stop();

    // The journal does not know the cursor any more; what it has at its end is in the case.
    let cursor = case.join("wal/journal.cursor");
    assert_eq!(fs::read_to_string(&cursor).expect("a cursor"), "s=1;i=1999");
    fs::write(&cursor, "s=gone;i=1").expect("it is written");
    write(2_000..2_003);
    let listening = start();
    listening.until(2_003);
    listening.stop();

    let calls = fs::read_to_string(folder.path().join("entries.calls")).expect("calls");
    let ends: Vec<&str> = calls.lines().filter_map(|call| call.rsplit(' ').next()).collect();
    let after = ["--after-cursor=s=1;i=4", "--after-cursor=s=gone;i=1"];
    assert_eq!(ends, ["--lines=1000", after[0], after[1], "--lines=1000"]);
    let case = Case::open(&case).expect("the case opens");
    let snapshot = case.snapshot();
    assert_eq!(snapshot.events(), 2_003);
    let view = View::parse("source=journal level:error _HOSTNAME=web-1", None, None).expect("a query");
    assert_eq!(case.count(&snapshot, &view, &Cancel::default()).expect("a count"), 2_003);
    let (first, last) = snapshot.time_range().expect("times");
    assert_eq!((first, last), (1_772_373_900_000_000_000, 1_772_373_900_002_002_000));
}
