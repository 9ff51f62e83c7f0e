//! Reads arbitrary bytes as a binary Windows event log. The file header is put before them, and every chunk
//! begins where the fuzzer says it does, so that it need not produce 4 KiB of header by itself.
#![no_main]

mod reading;

use ingest::Options;
use libfuzzer_sys::fuzz_target;

const FILE_HEADER_BYTES: usize = 4096;
const CHUNK_HEADER_BYTES: usize = 512;

fuzz_target!(init: write_seeds(), |bytes: &[u8]| {
    let [how, chunk_bytes, bytes @ ..] = bytes else { return };
    let mut file = Vec::with_capacity(FILE_HEADER_BYTES + CHUNK_HEADER_BYTES + bytes.len());
    if how & 1 == 0 {
        file.extend_from_slice(b"ElfFile\0");
        file.resize(FILE_HEADER_BYTES, 0);
    }
    if how & 2 == 0 {
        let start = file.len();
        file.extend_from_slice(b"ElfChnk\0");
        file.resize(start + CHUNK_HEADER_BYTES, 0);
    }
    file.extend_from_slice(bytes);
    reading::check(&file, &Options::default(), (usize::from(*chunk_bytes) + 1) << 9);
});

/// A minimal record: its header, a fragment of binary XML with one element, one attribute and one text, and
/// its size again.
fn write_seeds() {
    let name_at = |offset: u32| offset.to_le_bytes();
    let mut xml = vec![0x0F, 1, 1, 0];
    xml.extend_from_slice(&[0x01, 0xFF, 0xFF, 60, 0, 0, 0]);
    xml.extend_from_slice(&name_at((CHUNK_HEADER_BYTES + 24 + 15) as u32));
    xml.extend_from_slice(&[0, 0, 0, 0, 0, 0, 5, 0]);
    xml.extend("Event".encode_utf16().chain([0]).flat_map(u16::to_le_bytes));
    xml.extend_from_slice(&[0x02, 0x05, 0x01, 2, 0, b'h', 0, b'i', 0, 0x04, 0x00]);
    let size = (24 + xml.len() + 4) as u32;
    let head = [&[0x2A, 0x2A, 0, 0], &size.to_le_bytes()[..], &[1, 0, 0, 0, 0, 0, 0, 0]].concat();
    let time = 134_084_750_450_000_000_u64.to_le_bytes();
    reading::seed("record", &[&[0, 40], &head, &time, &xml, &size.to_le_bytes()]);
    reading::seed(
        "template",
        &[&[0, 40], &head, &time, &[0x0F, 1, 1, 0, 0x0C, 1], &xml, &size.to_le_bytes()],
    );
}
