//! Finds times in arbitrary text, by their own spelling and by a pattern: the first byte chooses how the
//! source is cut, the second a zone and whether the first line is such a pattern.
#![no_main]

mod reading;
#[path = "../../tests/sample_lines/mod.rs"]
mod sample_lines;

use std::path::Path;
use std::sync::Arc;

use ingest::Options;
use ingest::custom::load_text;
use libfuzzer_sys::fuzz_target;
use sample_lines::SAMPLE_LINES;

const ZONES: &[Option<&str>] = &[None, Some("Europe/Berlin"), Some("America/St_Johns"), Some("+05:30")];

fuzz_target!(init: write_seeds(), |bytes: &[u8]| {
    let [chunk_bytes, how, bytes @ ..] = bytes else { return };
    let zone = ZONES[usize::from(how & 3)].map(str::to_string);
    let mut options = Options { zone, format: Some("text".to_string()), ..Options::default() };
    options.year = (how & 4 != 0).then_some(2024);
    let mut source = bytes;
    if how & 8 != 0 {
        let Some(end) = bytes.iter().position(|byte| *byte == b'\n') else { return };
        let Ok(pattern) = std::str::from_utf8(&bytes[..end]) else { return };
        source = &bytes[end + 1..];
        let text = format!("name = \"x\"\nregex = '^(?<time>[^|]+)\\|'\n[time]\nformat = {pattern:?}\n");
        let Ok(definitions) = load_text(&text, Path::new("x.toml")) else { return };
        options.definitions = definitions.into_iter().map(Arc::new).collect();
        options.format = Some("x".to_string());
    }
    reading::check(source, &options, usize::from(*chunk_bytes) + 1);
});

const TIMES: &[&str] = &[
    "2026-11-21T03:04:05.123456789Z",
    "2026-11-21 03:04:05,123 +0100",
    "20261121T030405Z",
    "Sat, 21 Nov 2026 03:04:05 GMT",
    "21/Nov/2026:03:04:05 +0100",
    "Nov 21 03:04:05",
    "11/21/26 3:04:05 PM",
    "21. November 2026 03:04:05",
    "21 févr. 2026 03:04:05",
    "1795230245",
    "1795230245.123",
    "1795230245123456789",
    "@400000006921d3e507270e00",
    "[   12.345678]",
    "03:04:05.678",
    "29 Feb 2023 25:61:61",
    "2026-325T03:04:05",
    "2026-W47-6",
    "Sat Nov 21 03:04:05 CET 2026",
];

const PATTERNS: &[&str] = &[
    "%Y-%m-%d %H:%M:%S.%f %z",
    "%d/%b/%y %I:%M:%S %p",
    "%s.%f",
    "yyyy-MM-dd'T'HH:mm:ss.SSSZZ",
    "EEE MMM dd HH:mm:ss zzz yyyy",
    "UNIX_MS",
    "ISO8601",
    "TAI64N",
    "%j %e %k %l %B %A %Z %%",
];

fn write_seeds() {
    let lines = |ending: &str| TIMES.iter().map(|time| format!("{time}{ending}\n")).collect::<String>();
    reading::seed("times", &[&[40, 1], lines(" a").as_bytes()]);
    for (index, time) in TIMES.iter().enumerate() {
        let text = format!("{time} INFO a\n").repeat(4);
        reading::seed(&format!("time-{index}"), &[&[40, index as u8 & 7], text.as_bytes()]);
    }
    for (index, pattern) in PATTERNS.iter().enumerate() {
        let text = format!("{pattern}\n{}", lines("|x"));
        reading::seed(&format!("pattern-{index}"), &[&[40, 8 | index as u8 & 3], text.as_bytes()]);
    }
    for (part, lines) in SAMPLE_LINES.chunks(10).enumerate() {
        reading::seed(&format!("pieces-{part}"), &[&[40, 1], lines.join("\n").as_bytes()]);
    }
}
