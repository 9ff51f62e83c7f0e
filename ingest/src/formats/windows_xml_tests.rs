//! Sample events; checks that the binary form of an event and its XML give equal fields.

use std::ops::Range;

use proptest::prelude::*;

use super::*;
use crate::batch::{Chunk, Level};
use crate::evtx::value::kind;
use crate::evtx::writer::{
    A_FILETIME, ChunkWriter, XmlPart, data, element, event, string, system_values, utf16,
};
use crate::evtx::{EventEnd, EvtxReader, FieldId, Visitor};
use crate::formats::render;
use crate::parser::Parser;
use crate::time::Clock;
use crate::time::zone::Zone;

const SYSTEM: &str = "<System><Provider Name='Some-Provider' Guid='{54849625-5478-4994-a5ba-3e3b0328c30d}'/>\
<EventID Qualifiers='16384'>7036</EventID><Level>2</Level><Keywords>0x80000000000000</Keywords>\
<TimeCreated SystemTime='2026-11-21T03:04:05.1234567Z'/><EventRecordID>9</EventRecordID><Correlation/>\
<Execution ProcessID='4' ThreadID='8'/><Channel>System</Channel><Computer>pc01</Computer>\
<Security UserID='S-1-5-18'/></System>";

#[track_caller]
fn check(xml: &str, expected: &str) {
    assert_eq!(render(&FORMAT, xml), expected);
}

#[test]
fn an_event_of_one_line() {
    check(
        &format!(
            "<Event xmlns='http://x'>{SYSTEM}<EventData><Data Name='param1'>a &amp; b</Data>\
             <Data>second</Data><Binary>41</Binary></EventData></Event>"
        ),
        "2026-11-21T03:04:05.1234567Z error provider=\"Some-Provider\" \
         provider_guid=\"{54849625-5478-4994-a5ba-3e3b0328c30d}\" qualifiers=16384 event_id=7036 \
         keywords=\"0x80000000000000\" record_id=9 pid=4 thread=8 channel=\"System\" host=\"pc01\" \
         user_sid=\"S-1-5-18\" data.param1=\"a & b\" data.param1.2=\"second\" data.Binary=41",
    );
}

#[test]
fn rendered_messages_and_unknown_parts() {
    check(
        "<Event><System><EventID>1</EventID><New Of='x'>y</New></System><RenderingInfo Culture='en'>\
         <Message>It started.</Message><Level>Error</Level></RenderingInfo><Extra><Deep>z</Deep></Extra></Event>",
        "- - event_id=1 system.New.Of=\"x\" system.New=\"y\" rendering.Culture=\"en\" \
         message=\"It started.\" rendering.Level=\"Error\" Extra.Deep=\"z\"",
    );
}

#[test]
fn value_split_by_comments_is_one_value() {
    check(
        "<Event><EventData><Data Name='A'>a<!-- no -->b<![CDATA[<c>]]>&#100;</Data></EventData></Event>",
        "- - data.A=\"ab<c>d\"",
    );
}

#[test]
fn truncated_events_keep_earlier_fields() {
    check("<Event><System><EventID>5</EventID><Chan", "- - event_id=5");
    check("<Event><System><EventID>5</EventID><Level></System>", "- - event_id=5");
    check("<Event><System>", "unparsed: the XML ends within an element");
    check("<Event/>", "unparsed: it is not a Windows event");
    check("<Events>", "unparsed: there is no <Event> in it");
    check("see <Event><System><EventID>5</EventID></System></Event>", "unparsed: there is no <Event> in it");
    check(
        "<!DOCTYPE x><Event><System><EventID>5</EventID></System></Event>",
        "unparsed: there is no <Event> in it",
    );
}

#[test]
fn an_event_over_many_lines_in_its_root() {
    let pretty = "\u{feff}<?xml version=\"1.0\"?>\r\n<Events>\r\n<Event>\r\n  <System>\r\n    <EventID>5</EventID>\r\n\
                  </System>\r\n  <EventData>\r\n    <Data Name=\"A\">1\r\n2</Data>\r\n  </EventData>\r\n</Event>\r\n</Events>";
    let mut flattener = EventFlattener::new();
    let mut walk = XmlWalk::default();
    assert_eq!(walk.event(pretty.as_bytes(), &mut flattener), Ok(()));
    let of = |entry: &EventField| {
        (flattener.fields.name(entry.field).to_owned(), pretty[entry.value.from..entry.value.to].to_owned())
    };
    let fields: Vec<_> = flattener.entries.iter().map(of).collect();
    assert_eq!(fields, [("event_id".into(), "5".into()), ("data.A".into(), "1\r\n2".into())]);
}

#[test]
fn where_events_begin() {
    for line in ["<Event>", "  <Event xmlns='x'>", "\u{feff}<Event xmlns='x'><System>"] {
        assert!(next_event(line.as_bytes(), 0).is_some(), "{line}");
    }
    for line in ["<Events>", "<EventData>", "<EventID>4</EventID>", "", "</Event>", "<Event"] {
        assert!(next_event(line.as_bytes(), 0).is_none(), "{line}");
    }
    for line in [" ", "\r\n", "<Events>", "</Events>", "<?xml version='1.0'?>", "\u{feff}", "<Events a='b'>"]
    {
        assert_eq!(around(format!("{line}<x").as_bytes()), Some(line.len()), "{line}");
    }
    for line in ["", "<EventsX>", "<Event>", "text", "<?xml", "<Events", "<Events <Event>"] {
        assert_eq!(around(line.as_bytes()), None, "{line}");
    }
    let line = b"<?xml version='1.0'?><Events><Event><EventData/></Event><Event x='1'></Event></Events>";
    let first = next_event(line, 0).unwrap();
    let first_end = event_end(line, first).unwrap();
    assert_eq!(&line[first..first_end], b"<Event><EventData/></Event>");
    let second = next_event(line, first_end).unwrap();
    assert_eq!(second, first_end);
    assert_eq!(next_event(line, second + 1), None);
}

/// Name, text and number of each field, sorted, for comparing.
type SortedFields = Vec<(String, String, Option<i64>)>;

#[derive(Default)]
struct Binary {
    fields: Vec<(String, Range<usize>, Option<i64>)>,
    end: Option<EventEnd>,
}

impl Visitor for Binary {
    fn begin(&mut self, _: Range<usize>) {}

    fn field(&mut self, _: FieldId, name: &str, value: Range<usize>, int: Option<i64>) {
        self.fields.push((name.to_owned(), value, int));
    }

    fn end(&mut self, event: &EventEnd) {
        self.end = Some(event.clone());
    }

    fn damaged(&mut self, _: Range<usize>, reason: &'static str) {
        panic!("{reason}");
    }
}

fn read_binary(chunk: &[u8]) -> (SortedFields, i64, Level) {
    let (mut binary, mut text) = (Binary::default(), Vec::new());
    EvtxReader::new().read_chunk(chunk, &mut text, &mut binary);
    let end = binary.end.unwrap();
    assert_eq!(end.problem, None);
    let value = |range: Range<usize>| String::from_utf8(text[range].to_vec()).unwrap();
    let mut fields: SortedFields =
        binary.fields.into_iter().map(|(name, range, int)| (name, value(range), int)).collect();
    fields.sort();
    (fields, end.time_ns, end.level)
}

fn read_xml(xml: &str) -> (SortedFields, i64, Level) {
    let (mut flattener, mut walk) = (EventFlattener::new(), XmlWalk::default());
    assert_eq!(walk.event(xml.as_bytes(), &mut flattener), Ok(()));
    let value = |entry: &EventField| bytes_of(xml.as_bytes(), &walk.scratch, entry.value).to_vec();
    let mut fields: SortedFields = flattener
        .entries
        .iter()
        .filter(|entry| entry.field != TIME && entry.field != LEVEL)
        .map(|entry| {
            (
                flattener.fields.name(entry.field).to_owned(),
                String::from_utf8(value(entry)).unwrap(),
                entry.int,
            )
        })
        .collect();
    fields.sort();
    let time_ns = Clock::new(Zone::UTC).ns(&flattener.time.unwrap());
    (fields, time_ns, flattener.level())
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('\r', "&#xD;")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// A log and its export must give the same answers.
    #[test]
    fn binary_and_xml_of_an_event_give_equal_fields(
        user in "[ -~é\r\n\u{1f600}]{0,20}",
        number in any::<u32>(),
        items in prop::collection::vec("[a-z0-9]{1,4}", 0..4),
        audit in prop::sample::select(vec![52u32, 53, 55]),
        time_100ns in 0u64..1_000_000_000_000_000,
    ) {
        let keywords = 1u64 << audit;
        let time = A_FILETIME + time_100ns;
        let list: String = items.iter().flat_map(|item| [item, "\0"]).collect();
        let mut values = system_values();
        values[0].1 = time.to_le_bytes().to_vec();
        values[2].1 = keywords.to_le_bytes().to_vec();
        values.extend([
            string(&user),
            (kind::UINT32, number.to_le_bytes().to_vec()),
            (kind::STRING | kind::LIST, utf16(&list)),
        ]);
        let container = element(
            "EventData",
            vec![data("User", 4), data("Number", 5), element("Data", vec![XmlPart::Value(6)]).part()],
        );
        let mut chunk = ChunkWriter::new(1);
        chunk.record(1, &event(vec![container.part()]), &values);

        let since_1970 = time - 116_444_736_000_000_000;
        let stamp = jiff::Timestamp::from_nanosecond(i128::from(since_1970) * 100).unwrap();
        let items: String = items.iter().flat_map(|item| ["<Data>", item, "</Data>"]).collect();
        let xml = format!(
            "<Event xmlns=\"http://example.org/events\">\n  <System>\n    <Provider Name=\"Some-Provider\"/>\
             <EventID>4624</EventID><Level>0</Level><TimeCreated SystemTime=\"{stamp}\"/><Channel>Security</Channel>\
             <Computer>pc01</Computer><Keywords>{keywords:#x}</Keywords><Security/></System>\n\
             <EventData><Data Name=\"User\">{}</Data><Data Name=\"Number\">{number}</Data>{items}</EventData></Event>",
            escape(&user),
        );
        prop_assert_eq!(read_binary(&chunk.finish(&[])), read_xml(&xml));
    }

    /// Broken events of any kind stay within their bytes and never panic.
    #[test]
    fn broken_events_are_read_without_a_panic(
        parts in prop::collection::vec(prop::sample::select(vec![
            "<Event>", "</Event>", "<System>", "</System>", "<EventID>", "4", "</EventID>", "<EventData>", "<Data Name='",
            "x", "'>", "&amp;", "<Data>", "</Data>", "<![CDATA[", "]]>", "<!--", "-->", "<UserData>", "<a:b>", "é", "/>",
        ]), 0..40),
    ) {
        let text = parts.concat();
        let setup = Setup::new(Zone::UTC);
        let chunk = Chunk::whole(text.into_bytes());
        let batch = Parser::new(&FORMAT, setup).parse(chunk);
        for column in &batch.columns {
            if let crate::batch::Values::Text(spans) = &column.values {
                for &span in spans {
                    prop_assert!(std::str::from_utf8(batch.text(span)).is_ok());
                }
            }
        }
    }
}
