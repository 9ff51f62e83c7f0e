//! However a file is cut into chunks, the same events result, and the chunks are the file's bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::sample_lines::SAMPLE_LINES;
use ingest::{Batch, Chunk, InputFile, Level, NO_INT, Options, Values, discover, format_names, open};
use proptest::prelude::*;

/// All values of an event, with its position in the file.
#[derive(Debug, PartialEq)]
struct Event {
    time: i64,
    level: Level,
    line: u64,
    offset: u64,
    raw: Vec<u8>,
    fields: BTreeMap<String, String>,
}

fn events(batch: &Batch) -> Vec<Event> {
    (0..batch.rows())
        .map(|row| Event {
            time: batch.time[row],
            level: batch.level[row],
            line: batch.line[row],
            offset: batch.chunk.offset + u64::from(batch.start[row]),
            raw: batch.raw(row).to_vec(),
            fields: fields(batch, row),
        })
        .collect()
}

fn fields(batch: &Batch, row: usize) -> BTreeMap<String, String> {
    let mut fields = BTreeMap::new();
    for column in &batch.columns {
        let (kind, value) = match &column.values {
            Values::Text(values) if !values[row].is_missing() => {
                ("text", format!("{:?}", batch.text(values[row])))
            }
            Values::Int(values) if values[row] != NO_INT => ("int", values[row].to_string()),
            Values::Float(values) if !values[row].is_nan() => ("float", values[row].to_string()),
            Values::Bool(values) if values[row].is_some() => ("bool", format!("{:?}", values[row])),
            _ => continue,
        };
        fields.insert(format!("{} {kind}", column.name), value);
    }
    fields
}

fn found(path: &Path) -> InputFile {
    discover(&[path.to_path_buf()]).files.remove(0)
}

fn is_text(path: &Path) -> bool {
    let mut is_text = false;
    open(&found(path), &Options::default(), &mut |opened| {
        is_text = opened.source.is_ok_and(|source| source.detection().compression == "none");
        true
    });
    is_text
}

/// Reads a file in chunks of about this size: its events, its bytes, and how many lines were not parsed.
fn read(path: &Path, format: Option<&str>, chunk_bytes: usize) -> (Vec<Event>, Vec<u8>, u32) {
    let options = Options { format: format.map(str::to_string), chunk_bytes, ..Options::default() };
    let (mut all, mut bytes, mut unparsed) = (Vec::new(), Vec::new(), 0);
    open(&found(path), &options, &mut |opened| {
        let mut source = opened.source.expect("text of at least a byte opens");
        let (parser, mut settler) = (source.parser(), source.settler());
        while let Some(chunk) = source.next_chunk().expect("a file on disk reads") {
            assert_eq!(chunk.offset, bytes.len() as u64);
            bytes.extend_from_slice(&chunk.bytes);
            let mut batch = parser.parse(chunk);
            settler.settle(&mut batch);
            all.extend(events(&batch));
            unparsed += batch.unparsed;
        }
        true
    });
    (all, bytes, unparsed)
}

/// Any format, or the detected one.
fn any_format() -> impl Strategy<Value = Option<&'static str>> {
    let names: Vec<_> = format_names().map(|(name, _)| Some(name)).chain([None; 4]).collect();
    prop::sample::select(names)
}

/// Formats that read every line of noise as an event.
const LINE_FORMATS: &[&str] =
    &["access", "auditd", "cef", "csv", "elb", "fortinet", "json", "logfmt", "ltsv", "s3"];

/// Whether a line belongs to the next event: the lines of `ausearch` before the records of each.
fn separates_records(format: Option<&str>, line: &[u8]) -> bool {
    let line = line.strip_suffix(b"\n").map_or(line, |line| line.strip_suffix(b"\r").unwrap_or(line));
    format == Some("auditd") && (line == b"----" || line.starts_with(b"time->"))
}

/// The content in another encoding.
fn encoded(content: &[u8], encoding: Option<&str>) -> Vec<u8> {
    let text = String::from_utf8_lossy(content);
    match encoding {
        None => content.to_vec(),
        Some("utf-16le") => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        Some("utf-16be") => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        Some(_) => {
            encoding_rs::SHIFT_JIS.encode(&format!("{text} 開始されました、失敗しました")).0.into_owned()
        }
    }
}

fn content() -> impl Strategy<Value = Vec<u8>> {
    let piece =
        (0..SAMPLE_LINES.len(), 0..200_usize, prop::bool::weighted(0.1)).prop_map(|(index, cut, is_cut)| {
            let bytes = SAMPLE_LINES[index].as_bytes();
            if is_cut { bytes[..cut.min(bytes.len())].to_vec() } else { bytes.to_vec() }
        });
    let noise = prop::collection::vec(any::<u8>(), 0..12);
    let line = prop_oneof![9 => piece, 1 => noise];
    let end = prop_oneof![3 => Just(&b"\n"[..]), 1 => Just(&b"\r\n"[..])];
    (prop::collection::vec((line, end), 1..40), any::<bool>(), any::<bool>()).prop_map(
        |(lines, last_end, clean_start)| {
            // A word before the first line hides its start.
            let mut bytes = if clean_start { b"\n".to_vec() } else { b"x".to_vec() };
            for (line, end) in &lines {
                bytes.extend_from_slice(line);
                bytes.extend_from_slice(end);
            }
            if !last_end {
                bytes.pop();
            }
            bytes
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn any_chunk_size_gives_the_same_events(
        content in content(),
        format in any_format(),
        encoding in prop::sample::select(vec![None, Some("utf-16le"), Some("utf-16be"), Some("shift_jis")]),
        chunk_bytes in 1..300_usize,
    ) {
        let content = encoded(&content, encoding);
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        std::fs::write(file.path(), &content).expect("it can be written");
        if is_text(file.path()) {
            let whole = read(file.path(), format, 1 << 20);
            prop_assert_eq!(&whole.1, &content);
            prop_assert_eq!(read(file.path(), format, chunk_bytes), whole);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_whatever_stop_a_format(
        mut content in content(),
        blots in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..20),
        format in any_format(),
    ) {
        for (place, byte) in blots {
            let place = place.index(content.len());
            content[place] = byte;
        }
        let clean = tempfile::NamedTempFile::new().expect("a temporary file");
        std::fs::write(clean.path(), "x\n").expect("it can be written");
        let options = Options { format: format.map(str::to_string), ..Options::default() };
        let lines = content.split_inclusive(|&byte| byte == b'\n').filter(|line| {
            line.iter().any(|byte| !byte.is_ascii_whitespace()) && !separates_records(format, line)
        });
        let lines = lines.count();
        let mut chunk = Chunk::whole(content.clone());
        chunk.offset = 1;
        let mut rows = 0;
        open(&found(clean.path()), &options, &mut |opened| {
            let source = opened.source.expect("it is text");
            let mut batch = source.parser().parse(chunk.clone());
            source.settler().settle(&mut batch);
            rows = events(&batch).len();
            true
        });
        if format.is_some_and(|format| LINE_FORMATS.contains(&format)) {
            prop_assert_eq!(rows, lines);
        }
    }
}

#[test]
fn line_longer_than_the_limit_is_split_the_same_in_any_chunking() {
    let limit = ingest::limits::LONGEST_EVENT_BYTES;
    for (length, end) in
        [(limit, "\n"), (limit, "\r\n"), (limit + 1, "\n"), (2 * limit + 5, ""), (3 * limit, "\r\n")]
    {
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        // The mark at the start must not shift the pieces.
        let mut bytes = "\u{feff}".as_bytes().to_vec();
        bytes.resize(length, b'x');
        bytes.extend_from_slice(end.as_bytes());
        bytes.extend_from_slice(b"next\n");
        std::fs::write(file.path(), &bytes).expect("it can be written");
        let whole = read(file.path(), None, 16 << 20);
        for chunk_bytes in [100, 1 << 20] {
            let cut = read(file.path(), None, chunk_bytes);
            assert!(cut == whole, "{length} {end:?} in chunks of {chunk_bytes}");
            assert!(cut.1 == bytes);
        }
        let lines: Vec<_> = whole.0.iter().map(|event| event.line).collect();
        assert_eq!(lines.first(), Some(&1));
        assert!(whole.0.iter().all(|event| event.raw.len() <= limit));
    }
}

/// Lines of JSON whose keys are ids, each new, with fields that begin late and lines that are torn.
fn ids_as_keys(lines: u32) -> String {
    let line = |n: u32| {
        let id = |n: u32| format!("{:08x}", n.wrapping_mul(2_654_435_761));
        let status = if n >= 50 { format!("\"status\":{},", n % 7) } else { String::new() };
        let late = if n >= 1_500 { "\"late\":1.5," } else { "" };
        match n % 40 {
            39 => format!("{{\"{}\":1,\"torn\":\n", id(n)),
            // Several new names in one event, not in the order of names.
            20 => format!("{{{status}\"{}\":\"a\",{late}\"{}\":{{\"ms\":{n}}}}}\n", id(n), id(n + 90_000)),
            _ => {
                format!("{{{late}\"{}\":{{\"ms\":{n},\"up\":true}},{status}\"{}\":0.5}}\n", id(n), id(n % 30))
            }
        }
    };
    (0..lines).map(line).collect()
}

#[test]
fn source_whose_keys_are_ids_has_the_same_few_fields_in_any_chunking() {
    use ingest::limits::MOST_FIELDS;
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), ids_as_keys(3_000)).expect("it can be written");
    let whole = read(file.path(), Some("json"), 16 << 20);
    let names = |events: &[Event]| {
        let names = events.iter().flat_map(|event| event.fields.keys());
        names
            .map(|name| name.rsplit_once(' ').map_or("", |(name, _)| name).to_owned())
            .collect::<BTreeSet<_>>()
    };
    let of_whole = names(&whole.0);
    assert_eq!(of_whole.len(), MOST_FIELDS);
    // What was there before the fields were too many stays a field of all events; what came after is in their text.
    assert!(of_whole.contains("status") && !of_whole.contains("late"));
    let with_status = whole.0.iter().filter(|event| event.fields.contains_key("status int"));
    assert!(with_status.count() > 2_800);
    for chunk_bytes in [1, 700, 40_000] {
        assert!(
            read(file.path(), Some("json"), chunk_bytes) == whole,
            "chunks of {chunk_bytes} bytes give other events"
        );
    }
}

#[test]
fn values_that_are_no_fields_are_counted_the_same_in_any_chunking() {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), ids_as_keys(3_000)).expect("it can be written");
    let left_out = |chunk_bytes| {
        let options = Options { format: Some("json".to_owned()), chunk_bytes, ..Options::default() };
        let mut all = ingest::LeftOut::default();
        let batches = ingest::read_all(&found(file.path()), &options).expect("it reads");
        for batch in batches {
            all.add(&batch.left_out);
        }
        all
    };
    let whole = left_out(16 << 20);
    assert_eq!(whole.names.len(), ingest::limits::LEFT_OUT_EXAMPLES);
    assert!(whole.values > 3_000, "{whole:?}");
    for chunk_bytes in [700, 20_000] {
        assert_eq!(left_out(chunk_bytes), whole, "chunks of {chunk_bytes} bytes");
    }
}

/// Sources whose events can only be found by sequential reading, or whose headings describe their events.
const WHOLE_SOURCES: &[(&str, usize, &str)] = &[
    (
        "json",
        6,
        "{\"Records\":[{\"a\":1},{\"a\":2}],\"n\":1}\n{\"a\":3}\nup\n\n  \"ts\": 1, \"level\": \"warn\"\n\u{1b}[32m{\"a\":4\n\n",
    ),
    (
        "auditd",
        2,
        "----\ntime->Sat Nov 21 03:04:05 2026\ntype=CWD msg=audit(1795230245.819:1): cwd=\"/\"\n----\ntype=CWD msg=audit(1795230246.819:2): cwd=\"/\"\n",
    ),
    ("w3c", 0, "#Software: x\n#Version: 1.0\n#Fields: date time c-ip\n"),
    ("zeek", 0, "#separator \\x09\n#fields\tts\tuid\n#close\t2026-11-21-04-00-00\n"),
    (
        "csv",
        3,
        "\u{feff}time,level,message,n\r\n2026-11-21T03:04:05Z,WARN,\"a \"\"b\"\",\r\nmore\",7\r\n\r\n2026-11-21T03:04:06Z,INFO,plain,8\r\n2026-11-21T03:04:07Z,INFO,\"open,9\r\n",
    ),
    (
        "csv",
        2,
        "#TYPE x\n\"time\",\"a\",\"b\"\n\"2026-11-21T03:04:05Z\",\"1\",\"2\"\n\"2026-11-21T03:04:06Z\",\"3\",\"4\"",
    ),
    (
        "w3c",
        4,
        "#Software: x\n#Date: 2026-11-21 00:00:00\n#Fields: date time c-ip sc-status\n2026-11-21 03:04:05 10.1.2.3 502\n2026-11-21 03:04:06 10.1.2.3 200\n#Fields: time sc-status\n03:04:07 404\n#Date: 2026-11-22 00:00:00\n03:04:08 200\n",
    ),
    (
        "zeek",
        2,
        "#separator \\x09\n#unset_field\t-\n#fields\tts\tuid\tn\n#types\ttime\tstring\tcount\n1795230245.125000\tCab1\t7\n1795230246.125000\tCab2\t-\n#close\t2026-11-21-04-00-00\n",
    ),
    (
        "vpcflow",
        2,
        "version srcaddr dstaddr start action\n2 10.1.2.3 10.0.0.1 1795230245 REJECT\n2 10.1.2.3 10.0.0.1 1795230246 ACCEPT\n",
    ),
    (
        "json",
        3,
        "{\"Records\":[{\"eventTime\":\"2026-11-21T03:04:05Z\",\"a\":{\"b\":[{\"c\":\"}\\\"\"}]}},\n{\"a\":2}, {\"a\":3}],\"more\":{\"b\":[{\"c\":1}]},\"n\":12}\n",
    ),
    (
        "mysql_slow",
        2,
        "# Query_time: 0.5  Lock_time: 0.1\nSELECT 1; \n# Query_time: 0.6  Lock_time: 0.1\nSELECT 2; ",
    ),
    (
        "cri",
        4,
        "2026-11-21T03:04:05Z stdout P a\n2026-11-21T03:04:05Z stdout F b\n2026-11-21T03:04:06Z stdout P c\n2026-11-21T03:04:06Z stderr F d\n2026-11-21T03:04:06Z stdout F e\n",
    ),
    (
        "windows_xml",
        3,
        "\u{feff}<?xml version=\"1.0\"?>\r\n<Events>\r\n<Event><System><EventID>4</EventID></System></Event> <Event><EventData>\n</EventData><Event a='b'></Event></Events>\n",
    ),
    (
        "json",
        2,
        "[\n  {\n    \"ts\": \"2026-11-21T03:04:05Z\",\n    \"level\": \"warn\"\n  },\n  {\n    \"a\": [1, {\"b\": 2}]\n  }\n]\n",
    ),
    (
        "hl7",
        2,
        "\u{b}MSH|^~\\&|LAB|NORTH|HIS|MAIN|20261121030405||ORU^R01|M1|P|2.5\rPID|1||4711\r\u{1c}\r\u{b}MSH|^~\\&|LAB|NORTH|HIS|MAIN|20261121030406||ORU^R01|M2|P|2.5\r\u{1c}\r",
    ),
    ("json", 3, "{\"a\":\"x\ny {\"}\n{\"a\":\"torn  \n{\"a\":3}\n"),
    // The header of the second one is torn.
    (
        "hl7",
        2,
        "MSH|^~\\&|LAB|NORTH|HIS|MAIN|20261121030405||ORU^R01|M1|P|2.5\rPID|1||4711\rMSH|^~\\\rMSH|^~\\&|LAB|NORTH|HIS|MAIN|20261121030406||ORU^R01|M2|P|2.5\r",
    ),
    ("json", 4, "{\"a\":1}\n{\"a\":\"x\ny {\"}\nup\n{\"a\":\"torn\n  line\n"),
    (
        "xml",
        2,
        "\u{feff}<?xml version=\"1.0\"?>\r\n<r>\r\n <e at=\"2026-11-21T03:04:05Z\"><b>1\n2</b></e>\r\n <e at=\"2026-11-21T03:04:06Z\">cut\r\n</r>\n",
    ),
    ("json", 5, "{\n  \"a\": 1\n}\nup\n{\n  \"a\": \"cut\n{\n  \"a\": 2\n}{\"a\":3}\n"),
    (
        "json",
        3,
        "{\"resourceLogs\":[{\"resource\":{},\"scopeLogs\":[{\"logRecords\":[{\"timeUnixNano\":\"1795230245000000000\",\"severityNumber\":9},{\"a\":2}]}]},{\"scopeLogs\":[{\"logRecords\":[{\"a\":3}]}],\"schemaUrl\":\"u\"}]}\n",
    ),
];

#[test]
fn tables_and_lists_read_the_same_in_chunks_of_any_size() {
    let blank =
        WHOLE_SOURCES.iter().map(|(format, count, content)| (format, count, format!("\n \r\n{content}")));
    let plain = WHOLE_SOURCES.iter().map(|(format, count, content)| (format, count, (*content).to_string()));
    for (format, count, content) in plain.chain(blank) {
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        std::fs::write(file.path(), &content).expect("it can be written");
        let whole = read(file.path(), None, 1 << 20);
        assert_eq!(whole.0.len(), *count, "{format}: {:?}", whole.0);
        assert_eq!(read(file.path(), Some(format), 1 << 20), whole, "{format} is what is detected");
        for chunk_bytes in 1..content.len() {
            let cut = read(file.path(), None, chunk_bytes);
            assert_eq!(cut, whole, "{format} in chunks of {chunk_bytes}: {content}");
        }
    }
}
