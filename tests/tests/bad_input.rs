//! What senders do wrong, to `timberline listen` as people run it: what is odd is kept as data, what follows is received,
//! and memory stays small.

use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;
use timberline_tests::listening::{Listening, PATIENCE, events, texts};

/// The most memory that a process had, in MB; nothing where the system does not say it.
fn highest_memory_mb(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? / 1024)
}

fn add(path: &Path, text: &str) {
    let file = fs::OpenOptions::new().create(true).append(true).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes())).expect("it is written");
}

fn post(address: &str, head: &str, body: &str) -> String {
    answer(send(address, head, body))
}

fn send(address: &str, head: &str, body: &str) -> TcpStream {
    let mut http = TcpStream::connect(address).expect("it accepts");
    write!(http, "POST /_bulk HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{head}\r\n\r\n{body}")
        .expect("it is sent");
    http
}

fn answer(mut http: TcpStream) -> String {
    let mut answer = String::new();
    // A connection that is cut off has no answer.
    let _ = http.read_to_string(&mut answer);
    answer
}

#[test]
fn times_of_1900_and_2999_are_kept_with_their_events() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = folder.path().join("live.case");
    let listening = Listening::start(&case, &["--syslog", "tcp://127.0.0.1:0", "--http", "127.0.0.1:0"]);
    let mut tcp = TcpStream::connect(&listening.addresses[0]).expect("it accepts");
    let years = ["0001", "1900", "1969", "2026", "2262", "2999", "9999"];
    let mut body = String::new();
    for year in years {
        writeln!(tcp, "<34>1 {year}-03-01T14:05:00Z web-1 app 7 - - syslog of {year}").expect("it is sent");
        body.push_str("{\"create\":{\"_index\":\"app\"}}\n");
        body.push_str(
            &json!({"@timestamp": format!("{year}-03-01T14:05:00Z"), "message": format!("json of {year}")})
                .to_string(),
        );
        body.push('\n');
    }
    let head = format!("Content-Type: application/x-ndjson\r\nContent-Length: {}", body.len());
    let said = post(&listening.addresses[1], &head, &body);
    assert!(said.starts_with("HTTP/1.1 200") && said.contains("\"errors\":false"), "{said}");
    listening.until(2 * years.len() as u64);
    listening.stop();
    for year in years {
        assert_eq!(events(&case, &format!("\"of {year}\"")).len(), 2, "{year}");
    }
    // A time that no log has is not taken for one: its event has that of the one before.
    for (year, seconds) in [("1900", -2_203_840_500), ("2026", 1_772_373_900)] {
        let found = events(&case, &format!("\"of {year}\""));
        assert!(found.iter().all(|event| event.time / 1_000_000_000 == seconds), "{found:?}");
    }
    assert!(events(&case, "time>2100-01-01").is_empty());
}

#[test]
fn requests_that_lie_about_their_length_fail_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = folder.path().join("live.case");
    let listening = Listening::start(&case, &["--http", "127.0.0.1:0"]);
    let item = |text: &str| format!("{{\"create\":{{\"_index\":\"app\"}}}}\n{{\"message\":\"{text}\"}}\n");
    let head = |length: usize| format!("Content-Type: application/x-ndjson\r\nContent-Length: {length}");
    let short = item("too short");
    // Nothing of a body that ends before its length is stored.
    let cut = send(&listening.addresses[0], &head(short.len() + 100), &short);
    cut.shutdown(Shutdown::Write).expect("it ends");
    let said = answer(cut);
    assert!(!said.starts_with("HTTP/1.1 200"), "{said}");
    // Of one that goes on after it, what was announced is the request.
    let long = item("announced");
    let said = post(&listening.addresses[0], &head(long.len()), &(long.clone() + &item("beyond")));
    assert!(said.starts_with("HTTP/1.1 200"), "{said}");
    let many = "Content-Type: application/x-ndjson\r\nContent-Length: many";
    let said = post(&listening.addresses[0], many, &short);
    assert!(said.starts_with("HTTP/1.1 400"), "{said}");
    let last = item("sound");
    assert!(post(&listening.addresses[0], &head(last.len()), &last).starts_with("HTTP/1.1 200"));
    listening.until(2);
    listening.stop();
    let mut found = texts(&case, "");
    found.sort();
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].contains("announced") && found[1].contains("sound"), "{found:?}");
}

#[test]
fn followed_lines_of_invalid_utf8_are_kept_as_they_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let (case, log) = (folder.path().join("live.case"), folder.path().join("app.log"));
    let write = |bytes: &[u8]| {
        let file = fs::OpenOptions::new().create(true).append(true).open(&log);
        file.and_then(|mut file| file.write_all(bytes)).expect("it is written");
    };
    write(b"2026-03-01T14:05:00Z INFO first caf\xE9 \xFF\xFE\x80 latin\n");
    let listening = Listening::start(&case, &["--follow", log.to_str().expect("text")]);
    listening.until(1);
    // A letter that is written in two goes, one that never ends, and what no encoding has.
    write(b"2026-03-01T14:05:01Z INFO second caf\xC3");
    write(b"\xA9 whole\n2026-03-01T14:05:02Z INFO third \xE2\x82\n");
    write(b"2026-03-01T14:05:03Z INFO fourth \xED\xA0\x80\xF8\x88\x80\x80\x80 \x00 surrogate\n");
    listening.until(4);
    listening.stop();
    let found = texts(&case, "");
    assert_eq!(found.len(), 4, "{found:?}");
    assert!(found[0].contains("caf\u{FFFD}") && found[0].ends_with("latin"), "{found:?}");
    assert!(found[1].ends_with("second café whole"), "{found:?}");
    assert!(found[2].ends_with('\u{FFFD}') && found[3].ends_with("surrogate"), "{found:?}");
    let bytes: u64 = events(&case, "").iter().map(|event| u64::from(event.length) + 1).sum();
    assert_eq!(bytes, fs::metadata(&log).expect("a file").len(), "every byte is kept");
}

/// Megabytes of a line in `npm test`. `TIMBERLINE_LONG_LINE_MB=1024` tests one of a gigabyte.
const LONG_LINE_MB: usize = 64;

#[test]
fn long_line_comes_in_pieces_and_takes_little_memory() {
    const PIECE: usize = 1 << 20;
    let pieces = std::env::var("TIMBERLINE_LONG_LINE_MB").ok().and_then(|pieces| pieces.parse().ok());
    let pieces = pieces.unwrap_or(LONG_LINE_MB);
    let patience = PATIENCE * pieces.div_ceil(LONG_LINE_MB) as u32;
    let folder = tempfile::tempdir().expect("a folder");
    let (case, log) = (folder.path().join("live.case"), folder.path().join("app.log"));
    let piece = vec![b'x'; PIECE];
    let mut file = fs::File::create(&log).expect("a file");
    (0..pieces).for_each(|_| file.write_all(&piece).expect("it is written"));
    file.write_all(b"\n2026-03-01T14:05:00Z INFO after the long line of the file\n").expect("it is written");
    drop(file);
    let follow = log.to_str().expect("text");
    let listening =
        Listening::start(&case, &["--syslog", "tcp://127.0.0.1:0", "--follow", follow, "--stats", "1h"]);
    let mut tcp = TcpStream::connect(&listening.addresses[0]).expect("it accepts");
    tcp.write_all(b"<34>1 2026-03-01T14:05:00Z web-1 app 7 - - ").expect("it is sent");
    (0..pieces).for_each(|_| tcp.write_all(&piece).expect("it is sent"));
    tcp.write_all(b"\n<34>1 2026-03-01T14:05:01Z web-1 app 7 - - after the long message\n")
        .expect("it is sent");
    drop(tcp);
    let began = Instant::now();
    while texts(&case, "\"after the long\"").len() < 2 {
        assert!(began.elapsed() < patience, "what follows is not there");
        std::thread::sleep(Duration::from_millis(100));
    }
    let highest = highest_memory_mb(listening.child.id()).unwrap_or_default();
    let counters = listening.stop();
    // The development build takes more than what is shipped.
    assert!(highest <= 400, "{highest} MB");
    let split = &counters.last().expect("counters")["sources"]["syslog/tcp/127.0.0.1"]["rejected"];
    assert!(split["too long, split"].as_u64() > Some(0), "{split}");
    let bytes: u64 = events(&case, "").iter().map(|event| u64::from(event.length)).sum();
    assert!(bytes as usize >= 2 * pieces * PIECE, "{bytes} bytes are kept");
}

#[test]
fn frame_without_end_is_stored_and_its_connection_closed() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = folder.path().join("live.case");
    let listening = Listening::start(&case, &["--syslog", "tcp://127.0.0.1:0", "--stats", "1h"]);
    let mut silent = TcpStream::connect(&listening.addresses[0]).expect("it accepts");
    let mut octets = TcpStream::connect(&listening.addresses[0]).expect("it accepts");
    silent.write_all(b"<34>1 2026-03-01T14:05:00Z web-1 app 7 - - a line without end").expect("it is sent");
    octets.write_all(b"900 <34>1 2026-03-01T14:05:01Z web-1 app 7 - - fewer octets").expect("it is sent");
    // Others are served meanwhile.
    let mut other = TcpStream::connect(&listening.addresses[0]).expect("it accepts");
    other.write_all(b"<34>1 2026-03-01T14:05:02Z web-1 app 7 - - whole\n").expect("it is sent");
    listening.until(1);
    for stuck in [&mut silent, &mut octets] {
        stuck.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        assert_eq!(stuck.read(&mut [0; 8]).expect("it is closed"), 0);
    }
    listening.until(3);
    let counters = listening.stop();
    let source = &counters.last().expect("counters")["sources"]["syslog/tcp/127.0.0.1"];
    assert_eq!(
        (&source["accepted"], &source["rejected"]["frame without end"]),
        (&3.into(), &2.into()),
        "{source}"
    );
    assert_eq!(texts(&case, "\"without end\"").len() + texts(&case, "\"fewer octets\"").len(), 2);
}

#[test]
fn file_that_is_gone_for_ever_stops_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = folder.path().join("live.case");
    let (gone, stays) = (folder.path().join("gone.log"), folder.path().join("stays.log"));
    let line = |number: u64| format!("2026-03-01T14:05:{number:02}Z INFO line {number}\n");
    add(&gone, &line(0));
    add(&stays, &line(1));
    let follow = ["--follow", gone.to_str().expect("text"), stays.to_str().expect("text")];
    let listening = Listening::start(&case, &follow);
    listening.until(2);
    fs::remove_file(&gone).expect("it is removed");
    add(&stays, &line(2));
    listening.until(3);
    listening.stop();
    let listening = Listening::start(&case, &follow);
    add(&stays, &line(3));
    listening.until(4);
    listening.stop();
    let mut found = texts(&case, "");
    found.sort();
    assert_eq!(found, (0..4).map(|number| line(number).trim_end().to_owned()).collect::<Vec<_>>());
}
