//! Reads arbitrary bytes in the detected format; the first byte chooses how they are cut.
#![no_main]

mod reading;
#[path = "../../tests/sample_lines/mod.rs"]
mod sample_lines;

use ingest::Options;
use libfuzzer_sys::fuzz_target;
use sample_lines::SAMPLE_LINES;

fuzz_target!(init: write_seeds(), |bytes: &[u8]| {
    let [chunk_bytes, bytes @ ..] = bytes else { return };
    reading::check(bytes, &Options::default(), usize::from(*chunk_bytes) + 1);
});

fn write_seeds() {
    for (index, line) in SAMPLE_LINES.iter().enumerate() {
        reading::seed(&format!("{index}"), &[&[40], [*line; 3].join("\n").as_bytes()]);
    }
}
