//! Reads arbitrary bytes in every encoding, and in the detected one: the first byte chooses which, the second
//! how they are cut.
#![no_main]

mod reading;
#[path = "../../tests/sample_lines/mod.rs"]
mod sample_lines;

use ingest::Options;
use libfuzzer_sys::fuzz_target;
use sample_lines::SAMPLE_LINES;

/// One encoding of each kind that is decoded in its own way, and those with a carriage return as line end.
const ENCODINGS: &[&str] = &[
    "utf-8",
    "utf-8+cr",
    "utf-16le",
    "utf-16be",
    "shift_jis",
    "shift_jis+cr",
    "gb18030",
    "gbk",
    "big5",
    "euc-jp",
    "euc-kr",
    "iso-2022-jp",
    "windows-1252",
    "windows-1251",
    "koi8-r",
    "windows-1252+cr",
];

fuzz_target!(init: write_seeds(), |bytes: &[u8]| {
    let [encoding, chunk_bytes, bytes @ ..] = bytes else { return };
    let encoding = ENCODINGS.get(usize::from(*encoding) % (2 * ENCODINGS.len())).map(ToString::to_string);
    // The general reader looks at every byte and costs less than trying all formats.
    let options = Options { encoding, format: Some("text".to_string()), ..Options::default() };
    reading::check(bytes, &options, usize::from(*chunk_bytes) + 1);
});

fn write_seeds() {
    for (index, name) in ENCODINGS.iter().enumerate() {
        for (part, lines) in SAMPLE_LINES.chunks(6).enumerate() {
            let text = lines.join("\r\n") + "\nüéß 日本語 \u{1b}[31mrouge\u{1b}[0m\n";
            let bytes = match *name {
                "utf-16le" => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
                "utf-16be" => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
                _ => text.into_bytes(),
            };
            reading::seed(&format!("{name}-{part}"), &[&[index as u8, 40], &bytes]);
            reading::seed(&format!("any-{name}-{part}"), &[&[31, 40], &bytes]);
        }
    }
}
