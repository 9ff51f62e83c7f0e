//! What was acknowledged survives `kill -9` at any instant, and is there once. A real child process receives; its
//! parent kills it, starts it again, and sends again what was not acknowledged.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use indexer::{Cancel, Case, Keep, View};
use receive::{Options, Receiver, Record, Stream};

/// Kills in `npm test`. `TIMBERLINE_KILLS=100 cargo test --workspace --test all -- kill::` does more.
const KILLS: u32 = 6;
const CASE: &str = "TIMBERLINE_TEST_RECEIVES";
/// Set where what is a fifth of a second old is compressed.
const COMPRESSES: &str = "TIMBERLINE_TEST_COMPRESSES";
const PATIENCE: Duration = Duration::from_mins(1);
const STREAMS: u64 = 2;
const BATCH: u64 = 7;

/// Receives what comes on standard input: `stream first-number`, a batch a line. Answers each with `ok` and the
/// number of records that were new.
#[test]
fn child() {
    let Ok(case) = std::env::var(CASE) else { return };
    let case = Path::new(&case);
    let case = if case.join("case.json").exists() { Case::open(case) } else { Case::create(case) };
    let compress_after_ns = std::env::var_os(COMPRESSES).map(|_| 200_000_000);
    let keep = Keep { compress_after_ns, ..Keep::default() };
    let options = Options { refresh: Duration::from_millis(20), keep, ..Options::default() };
    let receiver = Receiver::start(Arc::new(case.expect("a case")), options, Arc::new(|_| {}));
    let receiver = receiver.expect("it receives");
    let intake = receiver.intake();
    say("ready");
    for line in std::io::stdin().lines() {
        let line = line.expect("standard input is read");
        let (stream, first) = line.split_once(' ').expect("two words");
        let first: u64 = first.parse().expect("a number");
        let records = (first..first + BATCH)
            .map(|number| Record { bytes: event(stream, number).into_bytes(), id: Some(u128::from(number)) });
        let appended = intake.append(&Stream::new(stream), records.collect()).expect("it is accepted");
        say(&format!("ok {}", appended.stored));
    }
    receiver.finish().expect("it ends");
}

fn say(line: &str) {
    writeln!(std::io::stdout(), "{line}").expect("its parent reads");
}

fn event(stream: &str, number: u64) -> String {
    let (minute, second) = (number / 60 % 60, number % 60);
    format!(r#"{{"time":"2026-03-01T14:{minute:02}:{second:02}Z","stream":"{stream}","number":{number}}}"#)
}

fn start(
    case: &Path,
    fault: Option<&str>,
    compresses: bool,
) -> (Child, BufReader<std::process::ChildStdout>) {
    let mut command = Command::new(std::env::current_exe().expect("this test"));
    if let Some(fault) = fault {
        command.env("TIMBERLINE_FAULT", fault);
    }
    if compresses {
        command.env(COMPRESSES, "1");
    }
    let mut child = command
        .args(["--exact", "kill::child", "--nocapture", "--test-threads=1"])
        .env(CASE, case)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the child starts");
    let mut output = BufReader::new(child.stdout.take().expect("its output"));
    assert!(answer(&mut output, "ready").is_some(), "the child did not start to receive");
    (child, output)
}

/// The rest of the next line that begins so; the test harness prints lines of its own.
fn answer(output: &mut impl BufRead, word: &str) -> Option<String> {
    let mut line = String::new();
    loop {
        line.clear();
        if output.read_line(&mut line).ok()? == 0 || !line.ends_with('\n') {
            return None;
        }
        if let Some(at) = line.find(word) {
            return Some(line[at + word.len()..].trim().to_owned());
        }
    }
}

fn name(stream: u64) -> String {
    format!("http/{stream}")
}

#[test]
fn every_acknowledged_event_is_there_once_after_kills() {
    let kills = std::env::var("TIMBERLINE_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(KILLS);
    let folder = tempfile::tempdir().expect("a folder");
    let case = folder.path().join("live.case");
    // The first number of each stream that was not acknowledged.
    let mut next = [0; STREAMS as usize];
    let mut random: u64 = 0x9E37_79B9_7F4A_7C15;
    for kill in 0..=kills {
        let (mut child, mut output) = start(&case, None, false);
        let mut input = child.stdin.take().expect("its input");
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // Instants differ by how much was sent; the last batch is not waited for.
        for round in 0..=random >> 58 {
            let stream = round % STREAMS;
            let first = next[stream as usize];
            writeln!(input, "{} {first}", name(stream)).expect("it is sent");
            input.flush().expect("it is sent");
            if kill < kills && round == random >> 58 {
                break;
            }
            assert!(answer(&mut output, "ok ").is_some(), "no answer");
            next[stream as usize] += BATCH;
        }
        if kill < kills {
            std::thread::sleep(Duration::from_micros(random >> 50));
            child.kill().expect("it is killed");
        } else {
            drop(input);
        }
        child.wait().expect("it ended");
    }
    assert_whole(&case, next);
}

/// Every number of each stream before these is there, nothing is there twice, and nothing is left to read.
fn assert_whole(case: &Path, next: [u64; STREAMS as usize]) {
    let case = Case::open(case).expect("the case opens");
    let verified = case.verify(&Cancel::default());
    assert!(verified.problems.is_empty(), "{:?}", verified.problems);
    let snapshot = case.snapshot();
    let view = View::parse("", None, None).expect("a view");
    let mut seen = HashSet::new();
    let each = &mut |event: indexer::Event, _| {
        let text = String::from_utf8(event.raw).expect("it is text");
        assert!(seen.insert(text.clone()), "twice: {text}");
        Ok(())
    };
    let walk = indexer::Walk::default();
    case.for_each(&snapshot, &view, &walk, &Cancel::default(), each).expect("all events");
    for (stream, &end) in next.iter().enumerate() {
        for number in 0..end {
            assert!(seen.contains(&event(&name(stream as u64), number)), "{stream} lacks {number}");
        }
    }
    assert!(!case.folder().join("wal").read_dir().expect("the log").any(|entry| {
        entry.is_ok_and(|entry| entry.path().extension().is_some_and(|ending| ending == "log"))
    }));
}

#[test]
fn crash_at_any_step_of_a_merge_leaves_the_old_segments_or_the_new_one() {
    // The steps of merging, and those of writing a segment as often as both publications and merges pass them.
    let steps = [
        "merge.begin:1",
        "merge.begin:3",
        "table.write:9",
        "segment.rename:10",
        "merge.end:1",
        "merge.end:2",
        "merge.publish:1",
        "merge.publish:2",
        "manifest.rename:11",
        "manifest.rename:12",
    ];
    crash_at(&steps, false);
}

#[test]
fn crash_at_any_step_of_compressing_leaves_the_old_files_or_the_new_ones() {
    crash_at(
        &[
            "pack.begin:1",
            "pack.begin:3",
            "raw.write:40",
            "pack.end:1",
            "pack.end:2",
            "pack.publish:1",
            "pack.publish:2",
            "merge.begin:4",
            "merge.end:5",
            "merge.publish:6",
            "manifest.rename:30",
        ],
        true,
    );
}

/// Ends the process at each of these steps of its work while it receives, and starts it again.
fn crash_at(steps: &[&str], compresses: bool) {
    let folder = tempfile::tempdir().expect("a folder");
    let case = folder.path().join("live.case");
    let mut next = [0; STREAMS as usize];
    for step in steps {
        let fault = format!("{step}=abort");
        let (mut child, mut output) = start(&case, Some(&fault), compresses);
        let mut input = child.stdin.take().expect("its input");
        let began = Instant::now();
        for round in 0.. {
            assert!(began.elapsed() < PATIENCE, "{step} was not reached");
            let stream = round % STREAMS;
            let first = next[stream as usize];
            let sent = writeln!(input, "{} {first}", name(stream)).and_then(|()| input.flush());
            if sent.is_err() || answer(&mut output, "ok ").is_none() {
                break;
            }
            next[stream as usize] += BATCH;
        }
        assert_eq!(child.wait().expect("it ended").code(), None, "{step}");
        // What the next one merges is merged from what this one left.
        let case = Case::open(&case).expect("the case opens");
        let problems = case.verify(&Cancel::default()).problems;
        assert!(problems.is_empty(), "{step}: {problems:?}");
    }
    let (mut child, _output) = start(&case, None, compresses);
    drop(child.stdin.take());
    assert!(child.wait().expect("it ended").success());
    assert_whole(&case, next);
}
