//! Reads arbitrary bytes in the detected format; the first byte chooses how they are cut.
#![no_main]

#[path = "../../tests/pieces/mod.rs"]
mod pieces;
mod reading;

use ingest::Options;
use libfuzzer_sys::fuzz_target;
use pieces::PIECES;

fuzz_target!(init: write_seeds(), |bytes: &[u8]| {
    let [chunk_bytes, bytes @ ..] = bytes else { return };
    reading::check(bytes, &Options::default(), usize::from(*chunk_bytes) + 1);
});

fn write_seeds() {
    for (index, piece) in PIECES.iter().enumerate() {
        reading::seed(&format!("{index}"), &[&[40], [*piece; 3].join("\n").as_bytes()]);
    }
}
