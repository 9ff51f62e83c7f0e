//! Unpacks arbitrary bytes. The first byte chooses whether they are used as they are or packed properly
//! first, so that the checksums of the outer container do not keep the fuzzer away from the inner one.
#![no_main]

#[path = "../../tests/pack/mod.rs"]
mod pack;

use std::io::Read;
use std::path::PathBuf;

use ingest::{InputFile, UnpackLimits, unpack_stream};
use libfuzzer_sys::fuzz_target;
use pack::{ARCHIVES, STREAMS};

fuzz_target!(init: write_seeds(), |bytes: &[u8]| {
    let Some((how, bytes)) = bytes.split_first() else { return };
    let how = usize::from(*how);
    let packed = match how.checked_sub(128) {
        None => bytes.to_vec(),
        Some(how) if how < STREAMS.len() => pack::compress(STREAMS[how], bytes),
        Some(how) => {
            let archive = ARCHIVES[how % ARCHIVES.len()];
            pack::pack(archive, &[("m".to_string(), bytes.to_vec()), ("n".to_string(), b"n\n".to_vec())])
        }
    };
    let found = InputFile { path: "fuzz".into(), name: "fuzz".to_string(), bytes: 0, modified_ns: None, below: None};
    // Small, so that the limits are reached and memory use shows any code that ignores them.
    let limits = UnpackLimits {
        expansion_ratio: 1_000,
        expansion_free_bytes: 1 << 20,
        deepest_nesting: 4,
        most_members: 20,
        decoder_memory_bytes: 16 << 20,
        spool_memory_bytes: 4 << 10,
    };
    let mut handed_out = 0;
    let mut buffer = [0; 4 << 10];
    unpack_stream(&found, &packed[..], &limits, &mut |member| {
        handed_out += 1;
        if let Ok(mut input) = member.input {
            while input.read(&mut buffer).is_ok_and(|read| read > 0) {}
        }
        true
    });
    assert!((1..=21).contains(&handed_out), "{handed_out} members");
});

/// The seeds of the fuzzer: a small sample of everything that is unpacked, in the folder `SEEDS`.
fn write_seeds() {
    let Some(folder) = std::env::var_os("SEEDS").map(PathBuf::from) else { return };
    let log = b"2026-11-21T03:04:05Z INFO started\n2026-11-21T03:04:06Z WARN slow\n".repeat(3);
    let members = [("logs/a.log".to_string(), log.clone()), ("b.log".to_string(), b"b\n".to_vec())];
    let write = |name: String, packed: Vec<u8>| {
        std::fs::write(folder.join(name), [&[0], &packed[..]].concat()).expect("seeds can be written");
    };
    for stream in STREAMS {
        write(format!("{stream:?}"), pack::compress(stream, &log));
    }
    for archive in ARCHIVES {
        write(format!("{archive:?}"), pack::pack(archive, &members));
    }
}
