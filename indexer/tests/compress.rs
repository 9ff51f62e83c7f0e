//! What was received long ago is packed harder: the same events and bytes, in less room, whatever interrupts it.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use indexer::{Cancel, Case, Keep, Live, LiveOptions, Marks, Moment, Received, View, Walk};

const SECOND_NS: i64 = 1_000_000_000;
const KEEP: Keep = Keep { age_ns: None, bytes: None, compress_after_ns: Some(20 * SECOND_NS) };

fn at(seconds: i64) -> Moment {
    let instant = Instant::now() + Duration::from_secs(seconds.unsigned_abs());
    Moment { unix_ns: (1_772_374_000 + seconds) * SECOND_NS, instant }
}

fn line(number: u64) -> String {
    let (minute, second) = (number / 60 % 60, number % 60);
    format!("2026-03-01T14:{minute:02}:{second:02}Z INFO request {number} done in {} ms\n", number * 7 % 100)
}

/// Lines in a publication of their own each ten.
fn receive(live: &mut Live<'_>, stream: &str, numbers: std::ops::Range<u64>, offset: &mut u64, now: Moment) {
    let numbers: Vec<u64> = numbers.collect();
    for some in numbers.chunks(10) {
        let text: String = some.iter().map(|&number| line(number)).collect();
        let bytes = text.as_bytes();
        let received =
            Received { stream, sender: None, format: None, zone: None, offset: *offset, bytes, ends: true };
        live.push(received, now).expect("it is taken");
        *offset += bytes.len() as u64;
        live.land(false, now).expect("it lands");
        live.publish(now).expect("it is published");
    }
}

/// Waits for what was begun, and publishes it.
fn publish(live: &mut Live<'_>, (packs, merges): (bool, bool), now: Moment) {
    let began = Instant::now();
    while packs && !live.has_packed() || merges && !live.has_merged() {
        assert!(began.elapsed() < Duration::from_mins(1), "it packs for ever");
        std::thread::yield_now();
    }
    live.publish(now).expect("it is published");
}

/// Packs and merges all that is due.
fn compress(live: &mut Live<'_>, now: Moment) {
    loop {
        let packs = live.start_packing(KEEP, now).expect("it packs");
        let merges = live.start_merging().expect("it merges");
        if !packs && !merges {
            return;
        }
        publish(live, (packs, merges), now);
    }
}

/// Begins to pack a raw file, once what it is read by is merged.
fn begin(live: &mut Live<'_>, now: Moment) {
    while !live.start_packing(KEEP, now).expect("it packs") {
        assert!(live.start_merging().expect("it merges"), "nothing is due");
        publish(live, (false, true), now);
    }
}

fn events(case: &Case) -> Vec<String> {
    let mut found = Vec::new();
    let view = View::parse("", None, None).expect("a view");
    let each = &mut |event: indexer::Event, _| {
        found.push(String::from_utf8(event.raw).expect("it is text"));
        Ok(())
    };
    case.for_each(&case.snapshot(), &view, &Walk::default(), &Cancel::default(), each).expect("all events");
    found.sort();
    found
}

fn expected(count: u64) -> Vec<String> {
    let mut lines: Vec<String> = (0..count).map(|number| line(number).trim_end().to_owned()).collect();
    lines.sort();
    lines
}

fn assert_whole(case: &Case) {
    let problems = case.verify(&Cancel::default()).problems;
    assert!(problems.is_empty(), "{problems:?}");
}

fn raw_bytes(case: &Case) -> u64 {
    let files = fs::read_dir(case.folder().join("raw")).expect("a folder");
    files.map(|file| file.expect("a file").metadata().expect("its size").len()).sum()
}

fn created(folder: &Path) -> Case {
    Case::create(&folder.join("live.case")).expect("a case")
}

#[test]
fn old_parts_take_less_and_hold_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = created(folder.path());
    let mut live = case.live(&LiveOptions::default(), at(0)).expect("it is live");
    let (mut one, mut other) = (0, 0);
    receive(&mut live, "one", 0..600, &mut one, at(0));
    receive(&mut live, "other", 600..1_000, &mut other, at(0));
    assert!(!live.start_packing(KEEP, at(5)).expect("it is looked at"), "nothing is old");
    live.retain(KEEP, at(10)).expect("a new partition begins");
    receive(&mut live, "one", 1_000..1_100, &mut one, at(10));
    let (before, marks) = (raw_bytes(&case), Marks::default().covering(&case.snapshot()));

    assert!(!live.start_packing(KEEP, at(25)).expect("it is looked at"), "it went on until then");
    compress(&mut live, at(35));
    assert_eq!(events(&case), expected(1_100));
    let compressed = live.compressed().expect("something was packed").expect("without an error");
    assert_eq!(compressed.sources, 2);
    assert!(compressed.after * 2 < compressed.before, "{compressed:?}: small frames are joined");
    assert!(live.compressed().is_none());
    let snapshot = case.snapshot();
    let packed: Vec<bool> =
        snapshot.sources().iter().map(|source| source.packed_bytes == source.bytes).collect();
    assert_eq!(packed, [true, true, false], "what is new stays as it is");
    // Detectors have seen these events, whatever file they are in now.
    assert_eq!(snapshot.since(&marks).fresh.events() + snapshot.since(&marks).mixed.events(), 0);
    drop(snapshot);

    // What follows, and a start that goes on with it.
    receive(&mut live, "other", 1_100..1_200, &mut other, at(36));
    live.publish(at(70)).expect("it is published");
    live.finish(at(70)).expect("it ends");
    assert!(raw_bytes(&case) < before, "the files of before are gone");
    assert_eq!(events(&case), expected(1_200));
    assert_whole(&case);
    let mut live = case.live(&LiveOptions::default(), at(71)).expect("it is live");
    receive(&mut live, "one", 1_200..1_210, &mut one, at(71));
    live.finish(at(71)).expect("it ends");
    assert_eq!(events(&case), expected(1_210));
    assert_whole(&case);
    assert_eq!(case.compact(&mut |_| {}, &Cancel::default()).expect("it is compacted").segments_after, 1);
    assert_eq!(events(&case), expected(1_210));
    assert_whole(&case);
}

#[test]
fn what_is_dropped_while_it_is_packed_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = created(folder.path());
    let mut live = case.live(&LiveOptions::default(), at(0)).expect("it is live");
    let mut offset = 0;
    receive(&mut live, "app", 0..200, &mut offset, at(0));
    live.retain(KEEP, at(10)).expect("a new partition begins");
    begin(&mut live, at(35));
    let keep = Keep { age_ns: Some(20 * SECOND_NS), ..KEEP };
    assert_eq!(live.retain(keep, at(40)).expect("it is dropped").events, 200);
    publish(&mut live, (true, false), at(40));
    receive(&mut live, "app", 200..210, &mut offset, at(80));
    live.finish(at(80)).expect("it ends");
    assert_eq!(events(&case).len(), 10);
    assert_whole(&case);
    let files = fs::read_dir(case.folder().join("raw")).expect("a folder").count();
    assert_eq!(files, 1, "only what is new has a file");
}

#[test]
fn end_within_packing_leaves_the_file_that_was_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = created(folder.path());
    for round in 0..3 {
        let now = at(round * 100);
        let mut live = case.live(&LiveOptions::default(), now).expect("it is live");
        let mut offset = live.positions().get("app").copied().unwrap_or_default();
        let first = round as u64 * 100;
        receive(&mut live, "app", first..first + 100, &mut offset, now);
        live.retain(KEEP, at(round * 100 + 15)).expect("a new partition begins");
        begin(&mut live, at(round * 100 + 40));
        drop(live);
        assert_eq!(events(&case), expected(first + 100));
        assert_whole(&case);
    }
}
