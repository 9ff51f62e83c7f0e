use crate::batch::{Batch, Level, NO_INT, Values};
use crate::discover::discover;
use crate::encoding::Encoding;
use crate::source::{Options, read_all};
use crate::text_decoder::TextDecoder;

use super::layout::{LoginFile, LoginLayout, detect};

/// A record of utmp as a machine of this layout writes it.
struct Login {
    kind: u16,
    pid: u32,
    line: &'static str,
    user: &'static str,
    host: &'static str,
    address: [u8; 4],
    seconds: u64,
}

fn put(layout: LoginLayout, record: &mut [u8], at: usize, bytes: usize, value: u64) {
    for index in 0..bytes {
        let shift = 8 * if layout.is_big_endian { bytes - 1 - index } else { index };
        record[at + index] = (value >> shift) as u8;
    }
}

fn record(layout: LoginLayout, login: &Login) -> Vec<u8> {
    let mut record = vec![0; layout.record_bytes()];
    let mut text = |at: usize, text: &str| record[at..at + text.len()].copy_from_slice(text.as_bytes());
    text(8, login.line);
    text(44, login.user);
    text(76, login.host);
    let at = layout.address_at();
    record[at..at + 4].copy_from_slice(&login.address);
    put(layout, &mut record, 0, 2, u64::from(login.kind));
    put(layout, &mut record, 4, 4, u64::from(login.pid));
    let (seconds, width) = if layout.is_wide { (344, 8) } else { (340, 4) };
    put(layout, &mut record, seconds, width, login.seconds);
    put(layout, &mut record, seconds + width, width, 123_456);
    record
}

const LOGINS: [Login; 4] = [
    Login {
        kind: 2,
        pid: 0,
        line: "~",
        user: "reboot",
        host: "6.8.0-45-generic",
        address: [0; 4],
        seconds: 1_763_694_245,
    },
    Login {
        kind: 7,
        pid: 842,
        line: "pts/0",
        user: "ines",
        host: "192.0.2.4",
        address: [192, 0, 2, 4],
        seconds: 1_763_694_300,
    },
    Login { kind: 8, pid: 842, line: "pts/0", user: "", host: "", address: [0; 4], seconds: 1_763_694_400 },
    Login {
        kind: 7,
        pid: 900,
        line: "pts/1",
        user: "otto",
        host: "desk.example",
        address: [192, 0, 2, 5],
        seconds: 1_763_694_500,
    },
];

fn layouts(file: LoginFile) -> Vec<LoginLayout> {
    let all = [(false, false), (true, false), (false, true), (true, true)];
    all.into_iter().map(|(is_wide, is_big_endian)| LoginLayout { file, is_wide, is_big_endian }).collect()
}

/// Reads a file of this name as a source is read.
fn read_batches(name: &str, bytes: &[u8]) -> Vec<Batch> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let found = discover(&[path]).files.remove(0);
    read_all(&found, &Options::default()).unwrap()
}

fn read(name: &str, bytes: &[u8]) -> Batch {
    read_batches(name, bytes).remove(0)
}

fn texts(batch: &Batch, encoding: &Encoding) -> Vec<String> {
    let mut decoder = TextDecoder::new(*encoding);
    let event = |row: usize, decoder: &mut TextDecoder| {
        String::from_utf8_lossy(&decoder.text(&batch.chunk.bytes, batch.chunk.offset, batch.event(row)))
            .into_owned()
    };
    (0..batch.rows()).map(|row| event(row, &mut decoder)).collect()
}

fn values(batch: &Batch, name: &str) -> Vec<String> {
    let Some(column) = batch.columns.iter().find(|column| &*column.name == name) else { return Vec::new() };
    let value = |row: usize| match &column.values {
        Values::Text(spans) => String::from_utf8_lossy(batch.text(spans[row])).into_owned(),
        Values::Int(values) if values[row] != NO_INT => values[row].to_string(),
        _ => String::new(),
    };
    (0..batch.rows()).map(value).collect()
}

#[test]
fn logins_are_read_in_both_byte_orders_and_widths() {
    for layout in layouts(LoginFile::Logins) {
        let bytes: Vec<u8> = LOGINS.iter().flat_map(|login| record(layout, login)).collect();
        assert_eq!(detect(&bytes, "wtmp"), Some(layout));
        let encoding = Encoding::named(&layout.name()).unwrap();
        let batch = read("wtmp", &bytes);
        assert_eq!((batch.rows(), batch.unparsed), (4, 0), "{layout:?}");
        assert_eq!(
            texts(&batch, &encoding),
            [
                "boot of kernel 6.8.0-45-generic",
                "login of ines on pts/0 from 192.0.2.4, process 842",
                "logout on pts/0, process 842",
                "login of otto on pts/1 from desk.example at 192.0.2.5, process 900",
            ]
        );
        assert_eq!(batch.time[1], 1_763_694_300_123_456_000);
        assert_eq!(batch.line, [1, 2, 3, 4]);
        assert_eq!(values(&batch, "action"), ["boot", "login", "logout", "login"]);
        assert_eq!(values(&batch, "user"), ["", "ines", "", "otto"]);
        assert_eq!(values(&batch, "client_ip"), ["", "192.0.2.4", "", "192.0.2.5"]);
        assert_eq!(values(&batch, "pid"), ["", "842", "842", "900"]);
    }
}

#[test]
fn logins_that_failed_are_warnings() {
    let layout = layouts(LoginFile::Failed)[0];
    let bytes: Vec<u8> = (0..3).flat_map(|_| record(layout, &Login { kind: 6, ..LOGINS[3] })).collect();
    let batch = read("btmp.1", &bytes);
    assert_eq!(values(&batch, "action"), ["failed login"; 3]);
    assert_eq!(batch.level, [Level::Warn; 3]);
}

#[test]
fn control_characters_that_an_attacker_typed_are_escaped() {
    let layout = layouts(LoginFile::Failed)[0];
    let typed = Login { kind: 6, user: "\x1b[2Jro\not\x07", host: "\x7f.example", ..LOGINS[3] };
    let bytes: Vec<u8> = (0..3).flat_map(|_| record(layout, &typed)).collect();
    let batch = read("btmp", &bytes);
    assert_eq!((batch.rows(), batch.unparsed), (3, 0));
    assert_eq!(values(&batch, "user"), ["\\x1b[2Jro\\x0aot\\x07"; 3]);
    assert_eq!(values(&batch, "client_host"), ["\\x7f.example"; 3]);
    assert_eq!(
        texts(&batch, &Encoding::named("btmp").unwrap())[2],
        "failed login of \\x1b[2Jro\\x0aot\\x07 on pts/1 from \\x7f.example at 192.0.2.5, process 900"
    );
    // Among others, in a file whose name says nothing.
    let mixed: Vec<u8> = LOGINS.iter().chain([&typed]).flat_map(|login| record(layout, login)).collect();
    let mixed = [&mixed[..384 * 4].repeat(3), &mixed[384 * 4..]].concat();
    let batch = read("wtmp", &mixed);
    assert_eq!((batch.rows(), batch.unparsed), (13, 0));
}

/// A lastlog with the logins of these users, as a file without holes.
fn lastlog(layout: LoginLayout, users: &[u64]) -> Vec<u8> {
    let size = layout.record_bytes();
    let mut bytes = vec![0; users.last().map_or(0, |last| (*last as usize + 1) * size)];
    for &user in users {
        let at = user as usize * size;
        bytes[at..at + size].copy_from_slice(&last_login(layout));
    }
    bytes
}

fn last_login(layout: LoginLayout) -> Vec<u8> {
    let mut record = vec![0; layout.record_bytes()];
    let terminal = if layout.is_wide { 8 } else { 4 };
    put(layout, &mut record, 0, terminal, 1_763_694_245);
    record[terminal..terminal + 5].copy_from_slice(b"pts/3");
    record[terminal + 32..terminal + 41].copy_from_slice(b"192.0.2.9");
    record
}

#[test]
fn long_lastlog_is_read_without_its_empty_records_in_every_layout() {
    for layout in layouts(LoginFile::Last) {
        // The first login is long after the sample, and the file is cut within its last record.
        let mut bytes = lastlog(layout, &[1_000, 1_001, 60_000]);
        bytes.truncate(bytes.len() - 100);
        let batches = read_batches("lastlog", &bytes);
        let all = |name: &str| {
            let all = batches.iter().flat_map(|batch| values(batch, name));
            all.filter(|value| !value.is_empty()).collect::<Vec<_>>()
        };
        assert_eq!(all("uid"), ["1000", "1001"], "{layout:?}");
        assert_eq!(all("client_host"), ["192.0.2.9", "192.0.2.9"]);
        assert_eq!(batches[0].time[0], 1_763_694_245_000_000_000);
        assert_eq!(batches[0].line[0], 1_001);
        let used = LoginLayout { file: LoginFile::LastUsed, ..layout };
        let encoding = Encoding::named(&used.name()).unwrap();
        assert_eq!(texts(&batches[0], &encoding)[0], "last login of user id 1000 on pts/3 from 192.0.2.9");
        assert_eq!(batches.iter().map(|batch| batch.unparsed).sum::<u32>(), 1);
    }
}

#[test]
fn lastlog_whose_layout_is_known_keeps_every_byte() {
    let layout = layouts(LoginFile::Last)[0];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lastlog");
    std::fs::write(&path, lastlog(layout, &[0, 1_000, 60_000])).unwrap();
    let found = discover(&[path]).files.remove(0);
    let batches = read_all(&found, &Options::default()).unwrap();
    let read: Vec<String> = batches.iter().flat_map(|batch| values(batch, "uid")).collect();
    assert_eq!(read, ["0", "1000", "60000"]);
    let encoding = Encoding::named(&layout.name()).unwrap();
    assert_eq!(texts(&batches[0], &encoding)[0], "last login of user id 0 on pts/3 from 192.0.2.9");
}

#[cfg(target_os = "linux")]
#[test]
fn lastlog_of_a_terabyte_of_holes_is_read_at_once() {
    use std::io::{Seek, SeekFrom, Write};
    let layout = layouts(LoginFile::Last)[0];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lastlog");
    let mut file = std::fs::File::create(&path).unwrap();
    let users = [0, 1_000, 3_000_000_000, 4_294_967_294_u64];
    for user in users {
        file.seek(SeekFrom::Start(user * 292)).unwrap();
        file.write_all(&last_login(layout)).unwrap();
    }
    file.set_len(4_294_967_295 * 292).unwrap();
    let found = discover(&[path]).files.remove(0);
    let batches = read_all(&found, &Options::default()).unwrap();
    let read: Vec<String> = batches.iter().flat_map(|batch| values(batch, "uid")).collect();
    assert_eq!(read, users.map(|user| user.to_string()));
}

#[test]
fn last_logins_have_the_user_id_of_their_place() {
    for layout in layouts(LoginFile::Last) {
        let mut bytes = vec![0; layout.record_bytes() * 503];
        let at = layout.record_bytes() * 500;
        put(layout, &mut bytes, at, if layout.is_wide { 8 } else { 4 }, 1_763_694_245);
        let line = at + if layout.is_wide { 8 } else { 4 };
        bytes[line..line + 5].copy_from_slice(b"pts/3");
        bytes[line + 32..line + 41].copy_from_slice(b"192.0.2.9");
        // Nothing in the first bytes of such a file shows another layout than the usual one.
        if layout.is_wide || layout.is_big_endian {
            assert_eq!(detect(&bytes[at..], "lastlog"), Some(layout));
            continue;
        }
        let batch = read("lastlog", &bytes);
        assert_eq!((batch.rows(), batch.unparsed), (1, 0));
        assert_eq!(values(&batch, "uid"), ["500"]);
        assert_eq!(
            texts(&batch, &Encoding::named("lastlog-used").unwrap()),
            ["last login of user id 500 on pts/3 from 192.0.2.9"]
        );
    }
}

#[test]
fn record_that_is_cut_short_or_damaged_loses_only_itself() {
    let layout = layouts(LoginFile::Logins)[0];
    let many = || (0..20).flat_map(|index| record(layout, &LOGINS[index % 4]));
    let mut bytes: Vec<u8> = many().chain(many()).collect();
    bytes[384 * 7..384 * 7 + 300].fill(0xEE);
    bytes.truncate(bytes.len() - 100);
    let batches = read_batches("wtmp", &bytes);
    // The bytes of a record that may go on are waited for.
    let counts: Vec<_> = batches.iter().map(|batch| (batch.rows(), batch.unparsed)).collect();
    assert_eq!(counts, [(39, 1), (1, 1)]);
    assert_eq!(batches[0].unparsed_examples, [(7, "the record is damaged")]);
    assert_eq!(batches[1].unparsed_examples, [(0, "the record is cut short")]);
    assert_eq!(batches[1].line, [40]);
    // As every event without a time, it has that of the event before.
    assert_eq!(batches[0].time[7], batches[0].time[6]);
}

#[test]
fn unused_records_and_a_line_end_after_the_last_are_no_events() {
    let layout = layouts(LoginFile::Logins)[0];
    let bytes = [record(layout, &LOGINS[1]), vec![0; 800]].concat();
    let counts = |batches: Vec<Batch>| batches.iter().map(Batch::rows).sum::<usize>();
    assert_eq!(counts(read_batches("wtmp.1", &bytes[..384 * 3])), 1);
    assert_eq!(counts(read_batches("wtmp.1", &[&bytes[..384 * 3], b"\n"].concat())), 1);
}

#[test]
fn other_binary_data_and_text_are_no_logins() {
    let noise: Vec<u8> = (0..4_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    assert_eq!(detect(&noise, "wtmp"), None);
    assert_eq!(detect(&[0; 4_000], "wtmp"), None);
    assert_eq!(detect(b"2026-11-21 03:04:05 up\n", "wtmp"), None);
    let wide: Vec<u8> = "2026-11-21 up\n".repeat(200).encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(detect(&wide, "lastlog"), None);
    // A log whose beginning was lost in a crash: long lines of text fit the records of lastlog.
    let mut lost = vec![0; 292];
    lost.extend(br#"{"message":"a long line without an end","#.repeat(80));
    assert_eq!(detect(&lost, "app.jsonl"), None);
}
