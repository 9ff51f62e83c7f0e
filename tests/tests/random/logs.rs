//! Random files of logs of several formats, with the lines in them that should not be there.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;

fn access() -> impl Strategy<Value = Vec<u8>> {
    (0..60u32, prop::sample::select(vec![200, 301, 404, 500]), 0..9000u32).prop_map(|(s, status, bytes)| {
        let request = format!("\"GET /api/cart/{bytes} HTTP/1.1\" {status} {bytes}");
        format!("10.0.0.{s} - - [01/Mar/2026:14:05:{s:02} +0000] {request} \"-\" \"Mozilla/5.0 (X11)\"")
            .into_bytes()
    })
}

fn json() -> impl Strategy<Value = Vec<u8>> {
    (0..60u32, prop::sample::select(vec!["info", "warn", "error"]), 0..300u32).prop_map(|(s, level, ms)| {
        let time = format!("\"ts\":\"2026-03-01T14:05:{s:02}.{ms:03}Z\",\"level\":\"{level}\"");
        let rest =
            format!("\"message\":\"request timeout to upstream\",\"duration_ms\":{ms},\"user\":\"Größe{s}\"");
        format!("{{{time},{rest}}}").into_bytes()
    })
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    (0..60u32).prop_map(|s| {
        let level = ["ERROR", "WARN", "INFO", "DEBUG"][s as usize % 4];
        let took = if s % 3 == 0 { format!("{}s", s % 5) } else { format!("{}ms", s * 40) };
        let rest = format!("connection was reset by peer, retry={s} took={took} size={}kb", s % 7);
        format!("2026-03-01 14:05:{s:02} {level} [worker-{s}] {rest}").into_bytes()
    })
}

/// Lines as they should not occur, and do.
fn odd() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        Just(b"    at com.example.Cart.add(Cart.java:42)".to_vec()),
        Just(Vec::new()),
        Just(b"caf\xe9 \xff\xfe naked bytes".to_vec()),
        Just("300\u{212a} İstanbul".as_bytes().to_vec()),
    ]
}

/// A file of mostly one kind of line, with either line end, and perhaps none at the end.
pub fn file() -> impl Strategy<Value = Vec<u8>> {
    let kind = prop_oneof![
        prop::collection::vec(prop_oneof![6 => access().boxed(), 1 => odd().boxed()], 1..40),
        prop::collection::vec(prop_oneof![6 => json().boxed(), 1 => odd().boxed()], 1..40),
        prop::collection::vec(prop_oneof![6 => text().boxed(), 1 => odd().boxed()], 1..40),
        prop::collection::vec(
            prop_oneof![access().boxed(), json().boxed(), text().boxed(), odd().boxed()],
            1..40
        ),
    ];
    let end = prop::sample::select(vec![&b"\n"[..], &b"\r\n"[..]]);
    (kind, text(), end, any::<bool>()).prop_map(|(mut lines, one, end, ended)| {
        // A file of nothing but blank lines is empty, and is refused.
        lines.push(one);
        let mut bytes = lines.join(end);
        if ended {
            bytes.extend(end);
        }
        bytes
    })
}

pub fn write_files(folder: &Path, contents: &[Vec<u8>]) -> Vec<PathBuf> {
    let names = contents.iter().enumerate().map(|(index, bytes)| {
        let path = folder.join(format!("{index}.log"));
        fs::write(&path, bytes).expect("a file can be written");
        path
    });
    names.collect()
}
