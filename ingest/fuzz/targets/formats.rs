//! Reads arbitrary bytes as every built-in format: the first byte chooses which, the second how it is cut.
#![no_main]

mod reading;
#[path = "../../tests/sample_lines/mod.rs"]
mod sample_lines;

use ingest::{Options, format_names};
use libfuzzer_sys::fuzz_target;
use sample_lines::SAMPLE_LINES;

fuzz_target!(init: write_seeds(), |bytes: &[u8]| {
    let [format, chunk_bytes, bytes @ ..] = bytes else { return };
    let count = format_names().count();
    let format = format_names().nth(usize::from(*format) % count).map(|(name, _)| name.to_string());
    let options = Options { format, ..Options::default() };
    reading::check(bytes, &options, usize::from(*chunk_bytes) + 1);
});

/// For every format, a file of some neighbouring samples.
fn write_seeds() {
    for (index, (name, _)) in format_names().enumerate() {
        for (part, lines) in SAMPLE_LINES.chunks(12).enumerate() {
            reading::seed(&format!("{name}-{part}"), &[&[index as u8, 40], lines.join("\n").as_bytes()]);
        }
    }
}
