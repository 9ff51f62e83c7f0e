//! Reads arbitrary bytes as JSON; the first byte chooses how they are cut.
#![no_main]

mod reading;
#[path = "../../tests/sample_lines/mod.rs"]
mod sample_lines;

use ingest::Options;
use libfuzzer_sys::fuzz_target;
use sample_lines::SAMPLE_LINES;

fuzz_target!(init: write_seeds(), |bytes: &[u8]| {
    let [chunk_bytes, bytes @ ..] = bytes else { return };
    let options = Options { format: Some("json".to_string()), ..Options::default() };
    reading::check(bytes, &options, usize::from(*chunk_bytes) + 1);
});

const TEXTS: &[&str] = &[
    r#"{"a":[1,-2.5e+3,true,null,"\u00e9\ud83d\ude00\n",{"b":{"c":[]}}],"ts":1795230245.5}"#,
    "[\n  {\n    \"ts\": \"2026-11-21T03:04:05Z\",\n    \"level\": 30\n  },\n  {\"a\": [1, {\"b\": 2}]}\n]\n",
    r#"{"resourceLogs":[{"resource":{},"scopeLogs":[{"logRecords":[{"timeUnixNano":"1795230245000000000","severityNumber":9},{"a":2}]}]}]}"#,
    r#"{"Records":[{"eventTime":"2026-11-21T03:04:05Z"},{"a":2}],"more":1}{"b":"cut"#,
    r#"{"@t":"2026-11-21T03:04:05Z","@l":"Warning","@mt":"a {b}","b":1}"#,
];

fn write_seeds() {
    for (index, text) in TEXTS.iter().enumerate() {
        reading::seed(&format!("text-{index}"), &[&[40], text.as_bytes()]);
    }
    let samples: Vec<&str> =
        SAMPLE_LINES.iter().copied().filter(|line| line.contains(['{', '}', '['])).collect();
    for (part, lines) in samples.chunks(3).enumerate() {
        reading::seed(&format!("pieces-{part}"), &[&[40], lines.join("\n").as_bytes()]);
    }
}
