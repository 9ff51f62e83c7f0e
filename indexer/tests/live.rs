//! Live sources: what is pushed becomes events once, however it comes and whatever it is interrupted by.

use std::path::Path;
use std::time::{Duration, Instant};

use indexer::{Cancel, Case, Keep, Live, LiveOptions, Moment, Received, Retained, View, Walk};

const SECOND_NS: i64 = 1_000_000_000;

fn at(seconds: i64) -> Moment {
    Moment { unix_ns: 1_772_374_000 * SECOND_NS + seconds * SECOND_NS, instant: Instant::now() }
}

fn later(moment: Moment) -> Moment {
    Moment { instant: moment.instant + Duration::from_secs(10), ..moment }
}

fn push(live: &mut Live<'_>, stream: &str, offset: u64, text: &str, ends: bool, now: Moment) {
    let received =
        Received { stream, sender: None, format: None, zone: None, offset, bytes: text.as_bytes(), ends };
    live.push(received, now).expect("it is taken");
}

fn events(case: &Case) -> Vec<String> {
    let mut found = Vec::new();
    let view = View::parse("", None, None).expect("a view");
    let each = &mut |event: indexer::Event, _| {
        found.push(String::from_utf8(event.raw).expect("it is text"));
        Ok(())
    };
    case.for_each(&case.snapshot(), &view, &Walk::default(), &Cancel::default(), each).expect("all events");
    found
}

fn assert_whole(case: &Case) {
    let problems = case.verify(&Cancel::default()).problems;
    assert!(problems.is_empty(), "{problems:?}");
}

/// Merges what there is to merge.
fn merge(live: &mut Live<'_>, now: Moment) {
    while live.start_merging().expect("it merges") {
        until_merged(live);
        live.publish(now).expect("it is published");
    }
}

fn until_merged(live: &Live<'_>) {
    let began = Instant::now();
    while !live.has_merged() {
        assert!(began.elapsed() < Duration::from_mins(1), "it merges for ever");
        std::thread::yield_now();
    }
}

fn line(number: u64) -> String {
    let (minute, second) = (number / 60 % 60, number % 60);
    format!("2026-03-01T14:{minute:02}:{second:02}Z INFO request {number} done in {} ms\n", number * 7 % 100)
}

fn case(folder: &Path) -> Case {
    Case::create(&folder.join("live.case")).expect("a case")
}

#[test]
fn what_the_case_has_is_passed_over_when_it_is_pushed_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = case(folder.path());
    let text: String = (0..40).map(line).collect();
    let cut = text[..1000].rfind('\n').expect("a line end") + 1;
    // Nothing of the first attempt is finished in order.
    let mut live = case.live(&LiveOptions::default(), at(0)).expect("it is live");
    push(&mut live, "app", 0, &text[..cut], true, at(0));
    live.land(false, at(0)).expect("it lands");
    live.publish(at(0)).expect("it is published");
    push(&mut live, "app", cut as u64, &text[cut..cut + 100], false, at(0));
    live.land(false, at(0)).expect("it lands");
    drop(live);
    let mut live = case.live(&LiveOptions::default(), at(1)).expect("it is live");
    assert_eq!(live.positions()["app"], cut as u64);
    push(&mut live, "app", 0, &text, true, at(1));
    live.finish(at(1)).expect("it ends");
    assert_eq!(events(&case), text.lines().collect::<Vec<_>>());
    assert_eq!(case.snapshot().sources().len(), 1, "the source goes on");
    assert!(case.snapshot().sources()[0].complete);
    assert_whole(&case);
}

#[test]
fn lines_that_go_on_with_an_event_join_it_while_it_is_young() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = case(folder.path());
    let mut live = case.live(&LiveOptions::default(), at(0)).expect("it is live");
    let now = at(0);
    let first: String = (0..3).map(line).collect();
    push(&mut live, "app", 0, &first, false, now);
    live.land(false, later(now)).expect("it lands");
    let (error, trace) = ("2026-03-01T15:00:00Z ERROR failed\n", "  at one\n  at two\n");
    push(&mut live, "app", first.len() as u64, error, false, now);
    live.land(false, now).expect("it lands");
    push(&mut live, "app", (first.len() + error.len()) as u64, trace, false, now);
    live.land(false, now).expect("it lands");
    live.publish(now).expect("it is published");
    assert_eq!(events(&case).len(), 3, "the last one may go on");
    live.land(false, later(now)).expect("it lands");
    live.publish(now).expect("it is published");
    assert_eq!(events(&case).last().map(String::as_str), Some(format!("{error}{trace}").trim_end()));
    drop(live);
    assert_whole(&case);
}

#[test]
fn bytes_that_look_like_no_text_become_events_all_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = case(folder.path());
    let mut live = case.live(&LiveOptions::default(), at(0)).expect("it is live");
    let bytes: Vec<u8> = [b"%PDF-1.7 \x01\x02\x05\x06\x10\n".repeat(40), b"<13>next\n".to_vec()].concat();
    let received = Received {
        stream: "odd",
        sender: None,
        format: None,
        zone: None,
        offset: 0,
        bytes: &bytes,
        ends: true,
    };
    live.push(received, at(0)).expect("it is taken");
    live.finish(at(0)).expect("it ends");
    assert!(case.snapshot().events() >= 1);
    assert_eq!(case.snapshot().sources()[0].bytes, bytes.len() as u64);
    assert_whole(&case);
}

#[test]
fn small_segments_merge_so_that_their_number_grows_by_the_logarithm() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = case(folder.path());
    let mut live = case.live(&LiveOptions::default(), at(0)).expect("it is live");
    let mut offsets = [0; 2];
    let mut expected = Vec::new();
    for number in 0..100 {
        let text = line(number);
        let (name, offset) = (["even", "odd"][number as usize % 2], &mut offsets[number as usize % 2]);
        push(&mut live, name, *offset, &text, true, at(0));
        *offset += text.len() as u64;
        expected.push(text.trim_end().to_owned());
        live.land(false, at(0)).expect("it lands");
        live.publish(at(0)).expect("it is published");
        merge(&mut live, at(0));
        let segments = case.snapshot().indexed().1;
        assert!(segments <= 8, "{segments} segments of {number} publications");
    }
    drop(live);
    assert_eq!(events(&case), expected);
    assert_whole(&case);
}

#[test]
fn what_is_older_than_is_to_be_kept_is_dropped_by_whole_segments() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = case(folder.path());
    let mut live = case.live(&LiveOptions::default(), at(0)).expect("it is live");
    let keep = Keep { age_ns: Some(40 * SECOND_NS), ..Keep::default() };
    let mut offset = 0;
    let mut dropped = Retained::default();
    for number in 0..120 {
        let now = at(number);
        let text = line(number as u64);
        push(&mut live, "app", offset, &text, true, now);
        offset += text.len() as u64;
        live.land(false, now).expect("it lands");
        live.publish(now).expect("it is published");
        merge(&mut live, now);
        let retained = live.retain(keep, now).expect("it is dropped");
        dropped.events += retained.events;
        dropped.segments += retained.segments;
    }
    let kept = events(&case);
    assert_eq!(kept.len() as u64 + dropped.events, 120);
    // What is to be kept is there, and at most an eighth and a second more.
    assert!((40..=47).contains(&kept.len()), "{} are kept", kept.len());
    let expected: Vec<String> =
        (120 - kept.len() as u64..120).map(|number| line(number).trim_end().to_owned()).collect();
    assert_eq!(kept, expected);
    let segments = case.snapshot().indexed().1;
    assert!(
        dropped.segments > 0 && segments <= 16,
        "{segments} segments, one of each partition that has ended"
    );
    assert_eq!(live.positions()["app"], offset, "how far the stream was received is not forgotten");
    drop(live);
    assert_whole(&case);
}

#[test]
fn what_is_more_than_is_to_be_kept_is_dropped() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = case(folder.path());
    let mut live = case.live(&LiveOptions::default(), at(0)).expect("it is live");
    let keep = Keep { bytes: Some(100_000), ..Keep::default() };
    let (mut offset, mut dropped) = (0, 0);
    for round in 0..30 {
        let text: String = (round * 400..(round + 1) * 400).map(line).collect();
        push(&mut live, "app", offset, &text, true, at(0));
        offset += text.len() as u64;
        live.land(false, at(0)).expect("it lands");
        live.publish(at(0)).expect("it is published");
        merge(&mut live, at(0));
        dropped += live.retain(keep, at(0)).expect("it is dropped").events;
    }
    live.publish(at(0)).expect("it is published");
    assert!(dropped > 0 && dropped < 30 * 400, "{dropped} were dropped");
    assert_eq!(events(&case).len() as u64 + dropped, 30 * 400);
    drop(live);
    assert!(case.bytes_on_disk() < 250_000, "{} bytes", case.bytes_on_disk());
    assert_whole(&case);
}

#[test]
fn every_record_is_an_event_whatever_its_format_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = case(folder.path());
    let options = LiveOptions::default();
    let records =
        "<13>Mar  1 14:06:00 host cron[3]: one\nno message\n<13>Mar  1 14:06:01 host cron[3]: two\n";
    let mut live = case.live(&options, at(0)).expect("it is live");
    push(&mut live, "syslog", 0, records, true, at(0));
    live.finish(at(0)).expect("it ends");
    let mut live = case.live(&options, at(1)).expect("it is live");
    push(&mut live, "syslog", records.len() as u64, records, true, at(1));
    live.finish(at(1)).expect("it ends");
    let mut found = events(&case);
    let mut expected: Vec<&str> = records.lines().chain(records.lines()).collect();
    found.sort();
    expected.sort_unstable();
    assert_eq!(found, expected);
    assert_eq!(case.snapshot().sources().len(), 1);
    assert_whole(&case);
}

#[test]
fn sender_of_a_stream_stays_through_merges_and_restarts() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = case(folder.path());
    let mut offsets = [0; 2];
    let mut receive = |numbers: std::ops::Range<u64>, senders: [&str; 2]| {
        let mut live = case.live(&LiveOptions::default(), at(0)).expect("it is live");
        for number in numbers {
            let (text, place) = (line(number), number as usize % 2);
            let received = Received {
                stream: ["even", "odd"][place],
                sender: Some(senders[place]),
                format: None,
                zone: None,
                offset: offsets[place],
                bytes: text.as_bytes(),
                ends: true,
            };
            live.push(received, at(0)).expect("it is taken");
            offsets[place] += text.len() as u64;
            live.land(false, at(0)).expect("it lands");
            live.publish(at(0)).expect("it is published");
            merge(&mut live, at(0));
        }
        live.finish(at(0)).expect("it ends");
    };
    let counted = |sender: &str| {
        let view = View::parse(&format!("sender={sender}"), None, None).expect("a view");
        case.count(&case.snapshot(), &view, &Cancel::default()).expect("a count")
    };
    receive(0..20, ["10.0.0.7", "10.0.0.8"]);
    receive(20..40, ["10.0.0.7", "10.0.0.8"]);
    assert_eq!(["10.0.0.7", "10.0.0.8"].map(counted), [20, 20]);
    assert_eq!(case.snapshot().sources().len(), 2, "the sources go on");
    // A source is of one sender.
    receive(40..42, ["10.0.0.7", "10.0.0.9"]);
    assert_eq!(["10.0.0.7", "10.0.0.8", "10.0.0.9"].map(counted), [21, 20, 1]);
    assert_eq!(case.snapshot().sources().len(), 3);
    assert_whole(&case);
}

/// A case with so many small segments of a stream, and where that ends.
fn with_segments(live: &mut Live<'_>, numbers: std::ops::Range<u64>, mut offset: u64, now: Moment) -> u64 {
    for number in numbers {
        let text = line(number);
        push(live, "app", offset, &text, true, now);
        offset += text.len() as u64;
        live.land(false, now).expect("it lands");
        live.publish(now).expect("it is published");
    }
    offset
}

fn expected(numbers: std::ops::Range<u64>) -> Vec<String> {
    numbers.map(|number| line(number).trim_end().to_owned()).collect()
}

#[test]
fn what_is_received_becomes_events_while_segments_merge() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = case(folder.path());
    let mut live = case.live(&LiveOptions::default(), at(0)).expect("it is live");
    let offset = with_segments(&mut live, 0..8, 0, at(0));
    let before = case.snapshot();
    assert!(live.start_merging().expect("it begins"));
    assert!(!live.start_merging().expect("it is asked"), "one merge at a time");
    let offset = with_segments(&mut live, 8..9, offset, at(0));
    assert_eq!(events(&case), expected(0..9));
    until_merged(&live);
    // Nothing is pending, and the merged one is published all the same.
    live.publish(at(0)).expect("it is published");
    let segments = case.snapshot().indexed().1;
    assert!(segments <= 3, "{segments} segments");
    assert_eq!(events(&case), expected(0..9));
    with_segments(&mut live, 9..10, offset, at(0));
    assert_eq!(events(&case), expected(0..10));
    // Who asked before goes on with what was there then.
    assert_eq!(before.events(), 8);
    let mut found = 0;
    let each = &mut |_: indexer::Event, _| {
        found += 1;
        Ok(())
    };
    let view = View::parse("", None, None).expect("a view");
    case.for_each(&before, &view, &Walk::default(), &Cancel::default(), each).expect("all events");
    assert_eq!(found, 8);
    drop((before, live));
    assert_whole(&case);
}

#[test]
fn merge_of_what_is_dropped_meanwhile_comes_to_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = case(folder.path());
    let mut live = case.live(&LiveOptions::default(), at(0)).expect("it is live");
    let keep = Keep { age_ns: Some(8 * SECOND_NS), ..Keep::default() };
    let offset = with_segments(&mut live, 0..8, 0, at(0));
    // A new partition begins, and the old one is dropped under the merge.
    live.retain(keep, at(2)).expect("it is looked at");
    assert!(live.start_merging().expect("it begins"));
    until_merged(&live);
    let dropped = live.retain(keep, at(20)).expect("it is dropped");
    assert_eq!(dropped.events, 8);
    live.publish(at(20)).expect("it is published");
    assert_eq!(events(&case), [""; 0]);
    // The next ones merge as if nothing had happened.
    with_segments(&mut live, 8..20, offset, at(20));
    merge(&mut live, at(20));
    assert!(case.snapshot().indexed().1 < 8);
    live.finish(at(20)).expect("it ends");
    assert_eq!(events(&case), expected(8..20));
    let listed = case.snapshot().indexed().1;
    let folders = case.folder().join("segments").read_dir().expect("a folder").count();
    assert_eq!(folders, listed, "nothing is left of the merge");
    assert_whole(&case);
}

#[test]
fn merge_that_the_end_cuts_off_leaves_the_segments_as_they_were() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = case(folder.path());
    for round in 0..4 {
        let now = at(round);
        let mut live = case.live(&LiveOptions::default(), now).expect("it is live");
        let end = live.positions().get("app").copied().unwrap_or_default();
        let first = round as u64 * 8;
        with_segments(&mut live, first..first + 8, end, now);
        assert!(live.start_merging().expect("it begins"));
        drop(live);
        assert_eq!(events(&case), expected(0..first + 8));
        let listed = case.snapshot().indexed().1;
        let folders = case.folder().join("segments").read_dir().expect("a folder").count();
        assert_eq!(folders, listed, "nothing is left of the merge");
    }
    assert_whole(&case);
}

#[test]
fn snapshot_that_is_held_stays_readable_whoever_saw_it_first() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = case(folder.path());
    let ended = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        // Looks all the time, and so also between a commit on the disk and its place in memory.
        let looking = scope.spawn(|| {
            let mut held = vec![case.snapshot()];
            while !ended.load(std::sync::atomic::Ordering::Relaxed) {
                let now = case.snapshot();
                if now.revision() > held[held.len() - 1].revision() {
                    held.push(now);
                }
            }
            held
        });
        let mut live = case.live(&LiveOptions::default(), at(0)).expect("it is live");
        let mut offset = 0;
        for number in 0..60 {
            offset = with_segments(&mut live, number..number + 1, offset, at(0));
            merge(&mut live, at(0));
        }
        drop(live);
        ended.store(true, std::sync::atomic::Ordering::Relaxed);
        for snapshot in looking.join().expect("it looked") {
            let mut found = 0;
            let each = &mut |_: indexer::Event, _| {
                found += 1;
                Ok(())
            };
            let view = View::parse("", None, None).expect("a view");
            case.for_each(&snapshot, &view, &Walk::default(), &Cancel::default(), each).expect("all events");
            assert_eq!(found, snapshot.events(), "of revision {}", snapshot.revision());
        }
    });
}
