//! However a file is cut into chunks, the same events come out, and the chunks are the file's bytes.

use std::collections::BTreeMap;
use std::path::Path;

use ingest::{Batch, Chunk, Found, Level, NO_INT, Options, Values, discover, open};
use proptest::prelude::*;

/// All that is known of an event, with its place in the file.
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

fn found(path: &Path) -> Found {
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

const PIECES: &[&str] = &[
    "\u{1b}[32m2026-03-01 12:00:01 INFO\u{1b}[0m colours",
    "2026-03-01 12:00:02 ERROR java.lang.IllegalStateException: größer",
    "\tat com.example.Cart.add(Cart.java:7)",
    "Caused by: \u{1b}[1mx\u{1b}[0m",
    r#"10.1.2.3 - - [21/Nov/2026:03:04:05 +0100] "GET /cart HTTP/1.1" 200 5012 "-" "agent \"x\"""#,
    r#"shop:80 10.1.2.3 - bob [21/Nov/2026:03:04:06 +0100] "broken" 500 -"#,
    r#"{"ts":"2026-11-21T03:04:05Z","level":"warn","msg":"a\nb","n":1,"d":{"e":1.5,"f":[1,{"g":2}]}}"#,
    r#"{"msg":"no time","n":"text","ok":false,"d":{"e":7}}"#,
    r#"{"ts":1716723772.5,"cut":"#,
    "Dec 31 23:59:59 web-1 sshd[7]: error: no",
    "Jan  1 00:00:01 web-1 kernel: up",
    r#"<165>1 2026-11-21T03:04:05Z h app 12 ID [a@1 b="c\"d"] hello"#,
    "2026-03-01 12:00:00,123 WARN [w-3] com.example.Cart - slow",
    "\tat com.example.Cart.add(Cart.java:7)",
    "   ",
    "",
    "[23:59:58.5] a time of day alone",
    "[00:00:01] the next one",
    "[   12.345678] an uptime",
    "05/06/26 3:04:05 PM a date that is read by its order",
    "13.06.2026 03:04:05 another",
    "--- Log opened Sat Nov 21 03:04:05 2026",
    "plain words",
    "INFO:shop.cart:paid id=7 by=\"x\" from 10.1.2.3",
    "[2026-03-01 12:00:03] [pool-1/WARN] [a.b.C]: trace_id=4bf92f3577b34da6 of ::1",
    "2026-03-01 12:00:04.123 UTC [12] bob@shop LOG:  duration: 1.5 ms  statement: SELECT 1",
    "2026-03-01 12:00:05.123 UTC [12] LOG C-0x7f: shop/bob@10.1.2.3:47 closing",
    "2026-03-01T12:00:06.123+0000 I COMMAND  [conn1] command 12ms",
    "2026-03-01 12:00:06.12 spid7s      Error: 1, Severity: 14, State: 8.",
    "161209 14:18:50 [Note] InnoDB: up",
    "# Time: 2026-03-01T12:00:07Z",
    "# User@Host: bob[bob] @ web-1 []  Id: 2",
    "# Query_time: 0.5  Lock_time: 0.1",
    "SET timestamp=1611704757;",
    "Tcp port: 3306",
    "Sat Nov 21 03:04:05 2026",
    "ORA-01555: old",
    "21/11/2026 03:04:05 - Process(12.1) User(bob)",
    "AMQ7126E: No.",
    "[2026-03-01T12:00:08.123+0000][1.5s][info][gc] GC(5) Pause Young 24M->4M(256M) 2.3ms",
    "12.5: [GC (Allocation Failure) 123K->45K(678K), 0.01 secs]",
    "2026-11-21 03:04:05, Info                  CBS    up",
    ">>>  [Device Install - x]",
    ">>>  Section start 2026/11/21 03:04:05.123",
    "**********************",
    "Command start time: 20261121030407",
    "Windows PowerShell transcript start",
    "12:M 21 Nov 2026 03:04:05.123 * Ready",
    "Started GET \"/cart\" for 10.1.2.3 at 2026-11-21 03:04:05 +0100",
    "Completed 404 Not Found in 12ms",
    "Start-Date: 2026-11-21  03:04:05",
    "#1763694245",
    "nul \0 and \u{1b}[31mred\u{1b}[0m and é",
];

const FORMATS: [&str; 21] = [
    "access",
    "json",
    "syslog",
    "text",
    "redis",
    "postgres",
    "pgbouncer",
    "mongodb",
    "mssql",
    "mysql",
    "mysql_slow",
    "oracle_alert",
    "ibmmq",
    "gc",
    "gc_old",
    "rails",
    "apt",
    "shell_history",
    "cbs",
    "setupapi",
    "powershell",
];

/// Their lines may join the event before them.
const JOINING: usize = 5;

/// What a line has that goes on with a stack trace.
const CONTINUES: [&str; 2] = ["at ", "Caused by: "];

fn find(line: &[u8], part: &str) -> bool {
    line.windows(part.len()).any(|window| window == part.as_bytes())
}

/// Lines of all kinds with all line ends, some cut somewhere, and the last perhaps without its end.
/// The content as a file in another encoding has it.
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
        (0..PIECES.len(), 0..200_usize, prop::bool::weighted(0.1)).prop_map(|(index, cut, is_cut)| {
            let bytes = PIECES[index].as_bytes();
            if is_cut { bytes[..cut.min(bytes.len())].to_vec() } else { bytes.to_vec() }
        });
    let noise = prop::collection::vec(any::<u8>(), 0..12);
    let line = prop_oneof![9 => piece, 1 => noise];
    let end = prop_oneof![3 => Just(&b"\n"[..]), 1 => Just(&b"\r\n"[..])];
    (prop::collection::vec((line, end), 1..40), any::<bool>()).prop_map(|(lines, last_end)| {
        let mut bytes = b"x".to_vec();
        for (line, end) in &lines {
            bytes.extend_from_slice(line);
            bytes.extend_from_slice(end);
        }
        if !last_end {
            bytes.pop();
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn any_chunk_size_gives_the_same_events(
        content in content(),
        format in prop::sample::select([None].into_iter().chain(FORMATS.map(Some)).collect::<Vec<_>>()),
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
        format in prop::sample::select(&FORMATS),
    ) {
        for (place, byte) in blots {
            let place = place.index(content.len());
            content[place] = byte;
        }
        let clean = tempfile::NamedTempFile::new().expect("a temporary file");
        std::fs::write(clean.path(), "x\n").expect("it can be written");
        let options = Options { format: Some(format.to_string()), ..Options::default() };
        let lines = content.split(|&byte| byte == b'\n').filter(|line| line.iter().any(|byte| !byte.is_ascii_whitespace()));
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
        // The parts of a trace join the event before them; every other line is an event.
        let joins = |line: &&[u8]| format == "text" && CONTINUES.iter().any(|part| find(line, part));
        let joined = content.split(|&byte| byte == b'\n').filter(joins).count();
        let is_one_a_line = rows <= lines && (rows + joined >= lines || FORMATS[JOINING..].contains(&format));
        prop_assert!(is_one_a_line, "{} events of {} lines", rows, lines);
    }
}

#[test]
fn a_line_longer_than_the_limit_is_split_alike_everywhere() {
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
