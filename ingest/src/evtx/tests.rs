//! Reads chunks that the tests write: whole, damaged and forged.

use std::fmt::Write;
use std::ops::Range;

use proptest::prelude::*;

use super::value::kind;
use super::writer::{A_FILETIME, ChunkWriter, Element, TestValue, XmlPart};
use super::writer::{data, element, event, file, string, system_values, utf16};
use super::*;
use crate::limits;

/// The name of a field, the range of its value, and its number.
type FieldRecord = (String, Range<usize>, Option<i64>);

/// Records everything a reader reports.
#[derive(Default)]
struct Recorder {
    fields: Vec<FieldRecord>,
    events: Vec<(Vec<FieldRecord>, EventEnd)>,
    damaged: Vec<(Range<usize>, &'static str)>,
    ends: usize,
}

impl Visitor for Recorder {
    fn begin(&mut self, record: Range<usize>) {
        assert!(record.start >= self.ends, "records overlap");
        self.ends = record.end;
    }

    fn field(&mut self, _: FieldId, name: &str, value: Range<usize>, int: Option<i64>) {
        self.fields.push((name.to_owned(), value, int));
    }

    fn end(&mut self, event: &EventEnd) {
        self.events.push((std::mem::take(&mut self.fields), event.clone()));
    }

    fn damaged(&mut self, bytes: Range<usize>, reason: &'static str) {
        assert!(bytes.start >= self.ends, "damage overlaps a record");
        self.ends = bytes.end;
        self.damaged.push((bytes, reason));
    }
}

fn read(chunk: &[u8]) -> (Recorder, Vec<u8>, ChunkSummary) {
    let (mut recorded, mut text) = (Recorder::default(), Vec::new());
    let summary = EvtxReader::new().read_chunk(chunk, &mut text, &mut recorded);
    (recorded, text, summary)
}

/// The fields of each event, one line per event.
fn fields(recorded: &Recorder, text: &[u8]) -> Vec<String> {
    let mut lines = Vec::new();
    for (fields, event) in &recorded.events {
        let mut line = String::new();
        for (name, range, int) in fields {
            let value = String::from_utf8_lossy(&text[range.clone()]);
            assert!(event.text.start <= range.start && range.end <= event.text.end);
            match int {
                Some(int) => write!(line, "{name}={int} ").unwrap(),
                None => write!(line, "{name}={value:?} ").unwrap(),
            }
        }
        lines.push(line.trim_end().to_owned());
    }
    lines
}

/// The fixed fields at the front of every event of these tests.
const FRONT: &str = "host=\"pc01\" channel=\"Security\" provider=\"Some-Provider\" event_id=4624 keywords=\"0x20000000000000\"";

/// Checks the data fields of one event with this content and these further values.
#[track_caller]
fn check(containers: Vec<XmlPart>, values: &[TestValue], expected: &str) {
    let mut chunk = ChunkWriter::new(1);
    chunk.record(1, &event(containers), &[&system_values(), values].concat());
    let (recorded, text, summary) = read(&chunk.finish(&[]));
    assert_eq!(recorded.events[0].1.problem, None);
    assert_eq!(summary, ChunkSummary { records: 1, unreadable: 0, note: None });
    let all = fields(&recorded, &text).remove(0);
    let data: Vec<&str> = all.split(' ').filter(|field| !FRONT.contains(field)).collect();
    assert_eq!(data.join(" "), expected);
}

fn event_data(parts: Vec<XmlPart>) -> Vec<XmlPart> {
    vec![element("EventData", parts).part()]
}

fn two_names() -> Element {
    event(event_data(vec![data("User", 4), data("Number", 5)]))
}

fn values(user: &str, number: u32) -> Vec<TestValue> {
    let mut values = system_values();
    values.extend([string(user), (kind::UINT32, number.to_le_bytes().to_vec())]);
    values
}

#[test]
fn event_text_is_one_line_and_fields_point_into_it() {
    let mut chunk = ChunkWriter::new(7);
    chunk.record(1, &two_names(), &values("eva m", 17));
    chunk.record(1, &two_names(), &values("\"C:\\a b\" & <c>", 0));
    let (recorded, text, summary) = read(&chunk.finish(&[]));
    assert_eq!(summary, ChunkSummary { records: 2, unreadable: 0, note: None });
    let lines: Vec<_> =
        recorded.events.iter().map(|event| String::from_utf8_lossy(&text[event.1.text.clone()])).collect();
    assert_eq!(
        lines[0],
        "2017-07-14T02:40:00.0000001Z Audit Success pc01 Security Some-Provider 4624: User=\"eva m\" \
         Number=17 | level=0 keywords=0x20000000000000"
    );
    assert!(lines[1].contains(": User=\"\"C:\\a b\" & <c>\" Number=0 |"), "{}", lines[1]);
    assert!(fields(&recorded, &text)[0].contains("data.User=\"eva m\" data.Number=17"));
    assert_eq!(recorded.events[0].1.time_ns, 1_500_000_000_000_000_100);
    assert_eq!(recorded.events[0].1.level, crate::Level::Info);
}

#[test]
fn values_of_every_type() {
    let values: Vec<TestValue> = vec![
        (kind::ANSI_STRING, b"ansi".to_vec()),
        (kind::INT64, (-5i64).to_le_bytes().to_vec()),
        (kind::HEX32, 0x3E7u32.to_le_bytes().to_vec()),
        (kind::REAL64, 2.5f64.to_le_bytes().to_vec()),
        (kind::BOOL, 1u32.to_le_bytes().to_vec()),
        (kind::GUID, vec![0; 16]),
        (kind::SIZE, 255u64.to_le_bytes().to_vec()),
        (kind::FILETIME, A_FILETIME.to_le_bytes().to_vec()),
        (kind::SID, vec![1, 1, 0, 0, 0, 0, 0, 5, 18, 0, 0, 0]),
        (kind::BINARY, vec![1, 0xAB]),
        (kind::NULL, vec![]),
    ];
    let names = ["Ansi", "Int", "Hex", "Real", "Bool", "Guid", "Size", "Time", "Sid", "Binary", "Null"];
    let parts = names.iter().zip(4..).map(|(name, index)| data(name, index)).collect();
    check(
        event_data(parts),
        &values,
        "data.Ansi=\"ansi\" data.Int=-5 data.Hex=\"0x3e7\" data.Real=\"2.5\" data.Bool=\"true\" \
         data.Guid=\"{00000000-0000-0000-0000-000000000000}\" data.Size=\"0xff\" \
         data.Time=\"2017-07-14T02:40:00.0000001Z\" data.Sid=\"S-1-5-18\" data.Binary=\"01AB\"",
    );
}

#[test]
fn lists_become_items_of_their_own() {
    let unnamed = || element("Data", vec![XmlPart::Value(4)]).part();
    let list = (kind::STRING | kind::LIST, utf16("one\0\0three\0"));
    check(
        event_data(vec![unnamed()]),
        std::slice::from_ref(&list),
        "data.param1=\"one\" data.param3=\"three\"",
    );
    check(event_data(vec![data("L", 4)]), &[list], "data.L=\"one\" data.L.2=\"three\"");
    let numbers = (kind::UINT16 | kind::LIST, vec![1, 0, 2, 0]);
    let attribute = element("Item", vec![]).with("Of", XmlPart::Value(4)).part();
    check(event_data(vec![attribute]), &[numbers], "data.Item.Of=\"1, 2\"");
}

#[test]
fn user_data_loses_its_wrapper_and_keeps_its_nesting() {
    let inner = element("Who", vec![element("Name", vec![XmlPart::Value(4)]).part()]).part();
    let wrapper = element("LogFileCleared", vec![inner, element("Empty", vec![]).part()]).part();
    check(
        vec![element("UserData", vec![wrapper]).part()],
        &[string("eva")],
        "data_name=\"LogFileCleared\" data.Who.Name=\"eva\"",
    );
}

#[test]
fn text_in_pieces_is_one_value() {
    let pieces = vec![
        XmlPart::Text("a"),
        XmlPart::Entity("amp"),
        XmlPart::Character(0xE4),
        XmlPart::CData("<b>"),
        XmlPart::OptionalValue(4),
    ];
    let item = element("Data", pieces).with("Name", XmlPart::Text("T")).part();
    check(event_data(vec![item]), &[(kind::UINT8, vec![7])], "data.T=\"a&\u{e4}<b>7\"");
}

#[test]
fn embedded_binary_xml_reads_like_inline_xml() {
    // A template within a value, as nearly all records of Windows have it.
    let mut chunk = ChunkWriter::new(1);
    let outer = event(vec![XmlPart::Value(4)]);
    let inner = element("EventData", vec![data("Inner", 0)]);
    chunk.raw_record(|chunk| {
        chunk.bytes.extend([0x0F, 1, 1, 0]);
        let mut values = system_values();
        values.push((kind::BINARY_XML, vec![]));
        chunk.template(1, &outer, &values);
        let descriptor = chunk.bytes.len() - values.iter().map(|value| value.1.len()).sum::<usize>() - 4;
        let from = chunk.bytes.len();
        chunk.bytes.extend([0x0F, 1, 1, 0]);
        chunk.template(2, &inner, &[string("deep")]);
        let length = (chunk.bytes.len() - from) as u16;
        chunk.bytes[descriptor..descriptor + 2].copy_from_slice(&length.to_le_bytes());
    });
    // And without any template, where elements name no dependency.
    chunk.raw_record(|chunk| {
        chunk.bytes.extend([0x0F, 1, 1, 0]);
        chunk.element(
            &element("Event", event_data(vec![element("Data", vec![XmlPart::Text("x")]).part()])),
            false,
        );
    });
    let (recorded, text, _) = read(&chunk.finish(&[]));
    assert!(recorded.events.iter().all(|event| event.1.problem.is_none()), "{:?}", recorded.events);
    let fields = fields(&recorded, &text);
    assert!(fields[0].contains("data.Inner=\"deep\""), "{}", fields[0]);
    assert_eq!(fields[1], "data.param1=\"x\"");
    assert_eq!(recorded.events[1].1.time_ns, 1_500_000_000_000_000_100, "the header's time");
}

#[test]
fn remains_after_the_last_record_are_not_read() {
    let mut old = ChunkWriter::new(1);
    old.record(1, &two_names(), &values("old", 1));
    let remains = old.bytes[512..].to_vec();
    let mut chunk = ChunkWriter::new(50);
    chunk.record(1, &two_names(), &values("new", 2));
    let mut bytes = chunk.finish(&remains);
    assert_eq!(read(&bytes).2.records, 1);
    // Even if the header no longer gives the end of the records.
    bytes[48] ^= 1;
    let (_, text, summary) = read(&bytes);
    assert_eq!(summary.records, 1);
    assert!(summary.note.is_some() && !String::from_utf8_lossy(&text).contains("User=old"));
}

fn three_records() -> (Vec<u8>, [usize; 4]) {
    let mut chunk = ChunkWriter::new(1);
    let mut ends = [512; 4];
    for (index, user) in ["first", "second", "third"].into_iter().enumerate() {
        chunk.record(1, &two_names(), &values(user, 1));
        ends[index + 1] = chunk.bytes.len();
    }
    (chunk.finish(&[]), ends)
}

#[test]
fn damage_affects_only_its_own_record() {
    let (whole, ends) = three_records();
    let mut bytes = whole.clone();
    bytes[ends[1] + 5] = 0x70;
    let (recorded, text, summary) = read(&bytes);
    assert_eq!(recorded.damaged, [(ends[1]..ends[2], "these bytes are no record")]);
    assert_eq!((summary.records, summary.unreadable), (2, 0));
    assert!(summary.note.unwrap().contains("checksum"));
    assert!(fields(&recorded, &text)[1].contains("data.User=\"third\""));

    // A broken token: the parts of the record that were read stay, and its strings can be found.
    let mut bytes = whole;
    bytes[ends[1] + 24 + 4] = 0x3A;
    let (recorded, text, summary) = read(&bytes);
    assert_eq!((summary.records, summary.unreadable), (3, 1));
    let broken = &recorded.events[1].1;
    assert!(broken.problem.is_some());
    assert!(String::from_utf8_lossy(&text[broken.text.clone()]).contains("second"));
    assert!(fields(&recorded, &text)[2].contains("data.User=\"third\""));
}

#[test]
fn truncated_file_keeps_its_whole_records() {
    let (whole, ends) = three_records();
    let bytes = file(&[whole.clone(), whole]);
    let cut = &bytes[..4096 + 65536 + ends[2] + 9];
    let mut at = 0;
    let mut records = Vec::new();
    while let Some(frame) = next_frame(at as u64, &cut[at..], true) {
        if frame.kind == FrameKind::Chunk {
            let (recorded, _, summary) = read(&cut[at..at + frame.length]);
            records.push((summary.records, recorded.damaged.len()));
        }
        at += frame.length;
    }
    assert_eq!((at, records), (cut.len(), vec![(3, 0), (2, 1)]));
}

#[test]
fn lost_chunk_header_loses_no_record() {
    let (whole, ends) = three_records();
    let mut bytes = whole.clone();
    bytes[..512].fill(0xEE);
    assert_eq!(read(&bytes).2.records, 3);
    let mut bytes = file(&[whole]);
    bytes[..8].fill(0);
    assert!(looks_like_evtx(&bytes));
    let frame = next_frame(0, &bytes, true).unwrap();
    assert_eq!(frame.length, 4096);
    assert!(matches!(frame.kind, FrameKind::Damaged(_)));
    assert_eq!(next_frame(4096, &bytes[4096..], true).unwrap().kind, FrameKind::Chunk);
    assert!(ends[3] < 65536);
}

#[test]
fn frames_find_chunks_that_moved() {
    let (whole, _) = three_records();
    let mut bytes = file(&[whole.clone(), vec![0; 65536], whole]);
    bytes.splice(4096 + 65536..4096 + 65536, [1, 2, 3]);
    let mut at = 0;
    let mut kinds = Vec::new();
    while let Some(frame) = next_frame(at as u64, &bytes[at..], true) {
        kinds.push((std::mem::discriminant(&frame.kind), frame.length));
        at += frame.length;
    }
    let of = |kind: FrameKind| std::mem::discriminant(&kind);
    let (chunk, damaged) = (of(FrameKind::Chunk), of(FrameKind::Damaged("")));
    assert_eq!(
        kinds,
        [
            (of(FrameKind::Header), 4096),
            (chunk, 65536),
            (damaged, 65536),
            (of(FrameKind::Unused), 3),
            (chunk, 65536)
        ]
    );
    assert_eq!(next_frame(4096, &bytes[4096..70000], false), None, "more bytes are needed");
}

#[test]
fn bytes_lost_within_a_chunk_do_not_affect_the_next_chunk() {
    let (whole, ends) = three_records();
    let mut bytes = file(&[whole.clone(), whole]);
    bytes.drain(4096 + ends[3] + 100..4096 + ends[3] + 1_100);
    let first = next_frame(4096, &bytes[4096..], true).unwrap();
    assert_eq!((first.kind, first.length), (FrameKind::Chunk, 65536 - 1_000));
    assert_eq!(read(&bytes[4096..4096 + first.length]).2.records, 3);
    let rest = &bytes[4096 + first.length..];
    assert_eq!(next_frame(9, rest, true).unwrap(), EvtxFrame { kind: FrameKind::Chunk, length: 65536 });
    assert_eq!(read(rest).2, ChunkSummary { records: 3, unreadable: 0, note: None });
}

#[test]
fn forged_templates_terminate() {
    // A template that uses itself twice would take 2 to the power of its depth, and one value of 30,000
    // characters used 5,000 times would fill memory.
    let long = "x".repeat(30_000);
    let places = (0..2_000).map(|_| XmlPart::Value(4)).collect();
    let root = event(event_data(vec![element("Data", places).part()]));
    let mut chunk = ChunkWriter::new(1);
    let mut values = system_values();
    values.push((kind::ANSI_STRING, long.into_bytes()));
    chunk.record(1, &root, &values);
    for _ in 0..20 {
        let definition = chunk.bytes.len() as u32;
        chunk.raw_record(|chunk| {
            chunk.bytes.extend([0x0C, 1, 9, 0, 0, 0]);
            chunk.bytes.extend((definition + 34).to_le_bytes());
            chunk.bytes.extend([0; 20]);
            chunk.bytes.extend(28u32.to_le_bytes());
            for _ in 0..2 {
                chunk.bytes.extend([0x0C, 1, 9, 0, 0, 0]);
                chunk.bytes.extend((definition + 34).to_le_bytes());
                chunk.bytes.extend([0; 4]);
            }
        });
    }
    let (recorded, text, summary) = read(&chunk.finish(&[]));
    assert_eq!((summary.records, summary.unreadable), (21, 21), "{:?}", recorded.events);
    assert!(text.len() < 2 * limits::LONGEST_EVENT_BYTES, "{}", text.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Bytes changed anywhere: nothing panics, memory stays bounded, and the records before the first change
    /// are unchanged.
    #[test]
    fn damage_anywhere_leaves_what_came_before(
        changes in prop::collection::vec((0usize..2_600, any::<u8>()), 1..8),
        cut in prop::option::of(0usize..2_600),
    ) {
        let (whole, ends) = three_records();
        let (expected, expected_text, _) = read(&whole);
        let expected = fields(&expected, &expected_text);
        let mut bytes = whole.clone();
        for (at, value) in &changes {
            bytes[*at] = *value;
        }
        bytes.truncate(cut.unwrap_or(bytes.len()));
        let changed = bytes.iter().zip(&whole).position(|(now, before)| now != before).unwrap_or(bytes.len());
        let (recorded, text, summary) = read(&bytes);
        prop_assert!(text.len() <= limits::LARGEST_EVTX_TEXT_BYTES + bytes.len());
        prop_assert_eq!(recorded.events.len(), summary.records as usize);
        let before = ends[1..].iter().filter(|&&end| end <= changed).count();
        prop_assert_eq!(&fields(&recorded, &text)[..before], &expected[..before]);
    }

    /// Bytes that were never a log.
    #[test]
    fn noise_is_read_without_a_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..3_000), signed in any::<bool>()) {
        if signed && bytes.len() > 600 {
            bytes[..8].copy_from_slice(b"ElfChnk\0");
            bytes[512..520].copy_from_slice(b"**\0\0\x40\0\0\0");
            bytes[512 + 0x3C..512 + 0x40].copy_from_slice(&[0x40, 0, 0, 0]);
        }
        let (recorded, _, summary) = read(&bytes);
        prop_assert_eq!(recorded.events.len(), summary.records as usize);
        let mut at = 0;
        while let Some(frame) = next_frame(at as u64, &bytes[at..], true) {
            prop_assert!(frame.length > 0);
            at += frame.length;
        }
        prop_assert_eq!(at, bytes.len());
    }
}

#[test]
fn chunk_text_is_limited() {
    let places = (0..2_000).map(|_| XmlPart::Value(4)).collect();
    let root = event(event_data(vec![element("Data", places).part()]));
    let mut values = system_values();
    values.push((kind::ANSI_STRING, vec![b'x'; 1_000]));
    let mut chunk = ChunkWriter::new(1);
    for _ in 0..30 {
        chunk.record(1, &root, &values);
    }
    chunk.record(2, &two_names(), &self::values("late", 1));
    let (recorded, text, summary) = read(&chunk.finish(&[]));
    assert_eq!((summary.records, summary.unreadable), (31, 31));
    assert!(text.len() <= limits::LARGEST_EVTX_TEXT_BYTES + (64 << 10), "{}", text.len());
    // The strings of the last record can be found all the same.
    assert!(String::from_utf8_lossy(&text[recorded.events[30].1.text.clone()]).contains("late"));
}

/// More names than are compared one by one, and paths that are too long for a field.
#[test]
fn forged_names_and_nesting_stay_bounded() {
    let names: Vec<&'static str> = (0..60).map(|n| &*Box::leak(format!("n{n}").into_boxed_str())).collect();
    let items = names.iter().map(|name| element(name, vec![XmlPart::Text("v")]).part()).collect();
    let mut chunk = ChunkWriter::new(1);
    chunk.record(1, &event(event_data(items)), &system_values());
    let long: &'static str = Box::leak("x".repeat(200).into_boxed_str());
    let nested = (0..9).fold(XmlPart::Text("deep"), |inner, _| element(long, vec![inner]).part());
    chunk.record(2, &event(vec![nested]), &system_values());
    let too_deep = (0..90).fold(XmlPart::Text("deep"), |inner, _| element("d", vec![inner]).part());
    chunk.record(3, &event(vec![too_deep]), &system_values());
    let (recorded, text, _) = read(&chunk.finish(&[]));
    let fields = fields(&recorded, &text);
    assert!(names.iter().all(|name| fields[0].contains(&format!("data.{name}=\"v\""))), "{}", fields[0]);
    assert_eq!((fields[1].as_str(), &recorded.events[1].1.problem), (FRONT, &None));
    assert!(String::from_utf8_lossy(&text[recorded.events[1].1.text.clone()]).contains("deep"));
    assert!(recorded.events[2].1.problem.unwrap().contains("nested too deep"));
}
