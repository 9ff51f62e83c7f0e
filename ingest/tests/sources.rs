//! Opening and settling: how a file is detected, why it is refused, and the times of its events.

use std::path::PathBuf;

use ingest::{Batch, ErrorKind, InputFile, NO_TIME, Options, discover, open, read_all};

fn file(bytes: &[u8]) -> (tempfile::TempDir, InputFile) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("a.log");
    std::fs::write(&path, bytes).expect("it can be written");
    let found = discover(&[path]).files.remove(0);
    (folder, found)
}

fn refusal(bytes: &[u8], options: &Options) -> (ErrorKind, String) {
    let (_folder, found) = file(bytes);
    let error = read_all(&found, options).expect_err("it is refused");
    assert_eq!(error.path(), found.path);
    (error.kind(), error.to_string())
}

#[test]
fn refusals_name_the_kind_of_file() {
    let plain = Options::default();
    assert_eq!(refusal(b"", &plain), (ErrorKind::Empty, "it is empty".to_string()));
    let (kind, message) = refusal(b"\x1F\x8B\x08\x00rest", &plain);
    assert_eq!((kind, message.contains("gzip")), (ErrorKind::Corrupt, true));
    let options = Options { encoding: Some("klingon".to_string()), ..Options::default() };
    assert_eq!(refusal(b"a\n", &options).0, ErrorKind::UnknownEncoding);
    assert_eq!(refusal(&[0, 1, 2, 3, 4, 5, 6, 0], &plain).0, ErrorKind::Binary);
    let options = Options { format: Some("csv?".to_string()), ..Options::default() };
    assert_eq!(refusal(b"a\n", &options).0, ErrorKind::UnknownFormat);
    let options = Options { zone: Some("Mars/Olympus".to_string()), ..Options::default() };
    assert_eq!(refusal(b"a\n", &options).0, ErrorKind::BadZone);
    let gone = InputFile {
        path: PathBuf::from("/gone.log"),
        name: "gone.log".to_string(),
        bytes: 1,
        modified_ns: None,
        below: None,
    };
    assert_eq!(read_all(&gone, &plain).err().map(|error| error.kind()), Some(ErrorKind::NotFound));
}

#[track_caller]
fn check_detection(bytes: &[u8], format: &str, reason: &str, zone: &str) {
    let (_folder, found) = file(bytes);
    open(&found, &Options::default(), &mut |opened| {
        let source = opened.source.expect("it is text");
        let detection = source.detection();
        assert_eq!((&*detection.format, &*detection.reason, &*detection.zone), (format, reason, zone));
        true
    });
}

#[test]
fn formats_are_detected_with_a_reason() {
    let access = b"10.1.2.3 - - [21/Nov/2026:03:04:05 +0100] \"GET / HTTP/1.1\" 200 5\r\n";
    check_detection(
        &[&access.repeat(9)[..], b"oops\n"].concat(),
        "access",
        "9 of 10 sample lines are access log lines",
        "in the data",
    );
    check_detection(
        b"{\"a\":1}\n\n{\"b\":2}",
        "json",
        "2 of 2 sample lines are JSON objects",
        "no times in the sample",
    );
    check_detection(
        b"Nov 21 03:04:05 web-1 sshd[7]: x\n  more\n",
        "syslog",
        "1 of 1 sample lines are syslog lines",
        "UTC (not in the data)",
    );
    check_detection(
        b"2026-03-01 12:00:00 INFO x\n2026-03-01T12:00:00Z x\n",
        "text",
        "no known format; 2 of 2 sample lines have a time",
        "in the data; where it is missing, UTC (not in the data)",
    );
    check_detection(
        b"hello\n",
        "text",
        "no known format, and no time in 1 sample lines",
        "no times in the sample",
    );
}

fn times(bytes: &[u8], modified: Option<&str>, options: &Options) -> Vec<String> {
    let (_folder, mut found) = file(bytes);
    found.modified_ns = modified.map(|time| {
        let time: jiff::Timestamp = time.parse().expect("a time");
        time.as_nanosecond() as i64
    });
    let batches = read_all(&found, options).expect("it reads");
    let time = |ns: &i64| match *ns {
        NO_TIME => "none".to_string(),
        ns => jiff::Timestamp::from_nanosecond(i128::from(ns)).expect("a time").to_string(),
    };
    batches.iter().flat_map(|batch: &Batch| batch.time.iter().map(time)).collect()
}

#[test]
fn years_roll_over_at_new_year() {
    let log = b"Dec 31 23:59:59 h a: x\nJan  1 00:00:00 h a: y\nDec 31 23:59:59 h a: late\nFeb 28 01:02:03 h a: z\n";
    let expected =
        ["2025-12-31T23:59:59Z", "2026-01-01T00:00:00Z", "2025-12-31T23:59:59Z", "2026-02-28T01:02:03Z"];
    let tiny = Options { chunk_bytes: 1, ..Options::default() };
    assert_eq!(times(log, Some("2026-03-01T00:00:00Z"), &tiny), expected);
    let forced = Options { year: Some(2019), zone: Some("Europe/Berlin".to_string()), ..Options::default() };
    assert_eq!(
        times(b"Feb 28 12:00:00 h a: z\n", Some("2026-03-01T00:00:00Z"), &forced),
        ["2019-02-28T11:00:00Z"]
    );
    let leap = times(b"Feb 29 12:00:00 h a: z\n", Some("2026-03-01T00:00:00Z"), &tiny);
    assert_eq!(leap, ["2024-02-29T12:00:00Z"]);
}

#[test]
fn times_of_day_and_uptimes_get_their_day_from_the_file() {
    let plain = Options::default();
    let log = b"[23:59:59] a\n  more\n[00:00:01] b\n";
    let expected = ["2026-11-20T23:59:59Z", "2026-11-21T00:00:01Z"];
    assert_eq!(times(log, Some("2026-11-21T00:00:02Z"), &plain), expected);
    let tokyo = Options { zone: Some("Asia/Tokyo".to_string()), ..Options::default() };
    let expected = ["2026-11-20T14:59:59Z", "2026-11-20T15:00:01Z"];
    assert_eq!(times(log, Some("2026-11-20T15:00:02Z"), &tokyo), expected);
    let boot = b"[    1.500000] a\n[    3.000000] b\n";
    let expected = ["2026-11-21T00:00:00.5Z", "2026-11-21T00:00:02Z"];
    assert_eq!(times(boot, Some("2026-11-21T00:00:02Z"), &plain), expected);
}

#[test]
fn a_zone_that_is_set_back_is_settled_by_the_order_and_reported() {
    let log = b"2026-10-25 02:30:00 a\n2026-10-25 02:59:00 b\n2026-10-25 02:10:00 c\n2026-10-25 03:00:00 d\n";
    let options = Options { zone: Some("Europe/Berlin".to_string()), chunk_bytes: 1, ..Options::default() };
    let expected =
        ["2026-10-25T00:30:00Z", "2026-10-25T00:59:00Z", "2026-10-25T01:10:00Z", "2026-10-25T02:00:00Z"];
    assert_eq!(times(log, None, &options), expected);
    let (_folder, found) = file(log);
    let mut sentences = Vec::new();
    open(&found, &options, &mut |opened| {
        let mut source = opened.source.expect("it is text");
        let (parser, mut settler) = (source.parser(), source.settler());
        while let Some(chunk) = source.next_chunk().expect("it reads") {
            settler.settle(&mut parser.parse(chunk));
        }
        sentences = settler.report().sentences();
        true
    });
    let expected = [
        "zone: Europe/Berlin (as chosen)",
        "3 times lie in an hour that a clock change repeats",
        "1 of them was taken for the second one",
    ];
    assert_eq!(sentences, expected);
}

#[test]
fn events_without_a_time_take_their_predecessor_s() {
    let log = b"heading\n2026-03-01 12:00:00 a\n  at b\n2026-03-01 12:00:01 c\n";
    let expected = ["2026-03-01T12:00:00Z", "2026-03-01T12:00:00Z", "2026-03-01T12:00:01Z"];
    assert_eq!(times(log, None, &Options::default()), expected);
    assert_eq!(times(b"a\nb", None, &Options::default()), ["none", "none"]);
}

/// The times of events with a chosen time field, and the fields to choose from.
fn times_of(text: &[u8], field: Option<&str>) -> (Vec<i64>, Vec<(String, bool)>) {
    let (_folder, found) = file(text);
    let options = Options { time_field: field.map(str::to_owned), ..Options::default() };
    let mut fields = Vec::new();
    open(&found, &options, &mut |opened| {
        let source = opened.source.expect("it is text");
        let offered = &source.detection().time_fields;
        fields = offered.iter().map(|field| (field.name.clone(), field.chosen)).collect();
        true
    });
    let batches = read_all(&found, &options).expect("it is readable");
    (batches.iter().flat_map(|batch| batch.time.iter().map(|time| time / 1_000_000_000)).collect(), fields)
}

#[test]
fn a_person_chooses_the_field_of_the_time() {
    let json = br#"{"timestamp":"2026-02-28T12:30:00Z","order":{"placed":1772195400},"n":1}
{"timestamp":"2026-02-28T12:30:05Z","order":{"placed":1772195460},"n":2}
{"timestamp":"2026-02-28T12:30:09Z","order":{"placed":1772195520},"n":3}
"#;
    let logfmt = b"ts=2026-02-28T12:30:00Z seen=2026-02-28T13:30:00Z n=1\nts=2026-02-28T12:30:05Z seen=2026-02-28T13:30:05Z n=2\n";
    let csv = b"timestamp,placed,n\n2026-02-28T12:30:00Z,2026-02-27T12:30:00Z,1\n2026-02-28T12:30:05Z,2026-02-27T12:31:00Z,2\n";
    let xml = b"<r at=\"2026-02-28T12:30:00Z\" placed=\"2026-02-27T12:30:00Z\"/>\n<r at=\"2026-02-28T12:30:05Z\" placed=\"2026-02-27T12:31:00Z\"/>\n";
    let noon = 1_772_281_800;
    for (text, used, other, time) in [
        (&json[..], "timestamp", "order.placed", 1_772_195_400),
        (logfmt, "ts", "seen", noon + 3_600),
        (csv, "timestamp", "placed", noon - 86_400),
        (xml, "at", "placed", noon - 86_400),
    ] {
        let (times, fields) = times_of(text, None);
        assert_eq!((times[0], &fields[0]), (noon, &(used.to_owned(), true)), "{used}");
        assert!(fields.contains(&(other.to_owned(), false)), "{fields:?}");
        let (times, fields) = times_of(text, Some(other));
        assert_eq!((times[0], &fields[0]), (time, &(other.to_owned(), true)), "{other}");
        assert!(fields.contains(&(used.to_owned(), false)), "{fields:?}");
        // A field that the file does not have changes nothing.
        assert_eq!(times_of(text, Some("missing")).0[0], noon, "{used}");
    }
}

#[test]
fn a_long_event_is_cut_for_one_reason() {
    let text =
        ["2026-02-28T12:30:00Z dump\n", &"of a row\n".repeat(10_000), "2026-02-28T12:30:01Z end\n"].concat();
    let text = ["2026-02-28T12:29:59Z start\n".repeat(2_600), text].concat();
    let (_folder, found) = file(text.as_bytes());
    let batches = read_all(&found, &Options::default()).expect("it is readable");
    let reasons: Vec<_> = batches.iter().flat_map(|batch| batch.unparsed_reasons.clone()).collect();
    assert_eq!(reasons, [(ingest::CUT, 2)]);
}
