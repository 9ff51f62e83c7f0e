//! Damage in compressed archives is never silent: what verifies the bytes is read even if the archive ends before it.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::pack::{self, Archive, Stream, compress, pack, tar_block};
use ingest::{ErrorKind, InputFile, Stop, UnpackLimits, unpack, unpack_stream};

/// The names and bytes of the members, and the errors.
#[derive(Debug, Default, PartialEq)]
struct Got {
    members: Vec<(String, Vec<u8>)>,
    errors: Vec<(String, ErrorKind, String)>,
}

fn read_with(bytes: &[u8], limits: &UnpackLimits) -> Got {
    let found =
        InputFile { path: "top".into(), name: "top".to_owned(), bytes: 0, modified_ns: None, below: None };
    let mut got = Got::default();
    unpack_stream(&found, bytes, limits, &mut |member| {
        let mut content = Vec::new();
        let failed = match member.input {
            Ok(mut input) => {
                let failed = input.read_to_end(&mut content).err();
                got.members.push((member.name.clone(), content));
                failed.map(|error| ingest::Error::io(&member.path, error))
            }
            Err(error) => Some(error),
        };
        got.errors.extend(failed.map(|error| (member.name, error.kind(), error.to_string())));
        true
    });
    got
}

fn read(bytes: &[u8]) -> Got {
    read_with(bytes, &UnpackLimits::default())
}

fn tar() -> Vec<u8> {
    let log = |name: &str| {
        let line =
            |n: u32| format!("2026-11-21T03:04:05Z INFO {name} {:08x}\n", n.wrapping_mul(2_654_435_761));
        (0..400).map(line).collect::<String>().into_bytes()
    };
    pack(Archive::TarGnu, &[("a.log".to_owned(), log("a")), ("b.log".to_owned(), log("b"))])
}

/// Every kind of compression that has a checksum.
fn compressed(bytes: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let mut zstd = zstd::Encoder::new(Vec::new(), 3).expect("an encoder");
    zstd.include_checksum(true).expect("a checksum");
    std::io::copy(&mut &bytes[..], &mut zstd).expect("it packs");
    let mut all = vec![("zstd", zstd.finish().expect("it packs"))];
    for stream in [Stream::Gzip, Stream::GzipTwice, Stream::Bzip2, Stream::Xz, Stream::Lz4Linked] {
        all.push((stream.name(), compress(stream, bytes)));
    }
    all
}

#[test]
fn flipped_bit_anywhere_in_a_compressed_archive_is_reported() {
    let whole = read(&tar());
    assert_eq!((whole.members.len(), whole.errors.len()), (2, 0));
    for (name, packed) in compressed(&tar()) {
        assert_eq!(read(&packed), whole, "{name}");
        let mut at = 17;
        for _ in 0..40 {
            // A step that has no factor in common with the length visits different places.
            at = (at + 7_919) % (packed.len() * 8);
            let mut damaged = packed.clone();
            damaged[at / 8] ^= 1 << (at % 8);
            let got = read(&damaged);
            assert!(!got.errors.is_empty() || got == whole, "{name}: bit {at} was changed silently");
        }
    }
}

#[test]
fn cut_trailer_of_a_compressed_archive_is_reported() {
    for (name, packed) in compressed(&tar()) {
        let padding = packed.iter().rev().take_while(|byte| **byte == 0).count();
        // The shortest checksum has four bytes.
        for cut in 1..=4 {
            let got = read(&packed[..packed.len() - padding - cut]);
            assert_eq!(got.members.len(), 2, "{name} without its last {cut} bytes");
            let (path, kind, message) = got.errors.last().expect("an error");
            assert_eq!((path.as_str(), *kind), ("top", ErrorKind::Doubtful), "{name} {cut}: {message}");
        }
    }
}

#[test]
fn message_about_a_wrong_checksum_says_what_is_kept_and_what_to_do() {
    let mut packed = pack::gzip(&tar());
    let end = packed.len();
    packed[end - 8] ^= 1;
    let got = read(&packed);
    assert_eq!(got.members, read(&tar()).members);
    let [(path, kind, message)] = &got.errors[..] else { panic!("one error: {:?}", got.errors) };
    assert_eq!((path.as_str(), *kind), ("top", ErrorKind::Doubtful));
    assert!(message.starts_with("the gzip data is damaged: "), "{message}");
    let rest = "; 2 members of the archive were read and are kept, but any of them may be damaged and others may be \
                missing; import an undamaged copy of it";
    assert!(message.ends_with(rest), "{message}");
}

#[test]
fn damaged_header_of_the_last_member_is_reported() {
    let mut bytes = [tar_block("a", b'0', b"a\n"), tar_block("b", b'0', b"b\n")].concat();
    bytes.extend([0; 1024]);
    bytes[1024..1100].fill(b'?');
    let got = read(&bytes);
    assert_eq!(got.members, [("top/a".to_owned(), b"a\n".to_vec())]);
    let [(_, kind, message)] = &got.errors[..] else { panic!("one error: {:?}", got.errors) };
    assert_eq!(
        (*kind, message.as_str()),
        (ErrorKind::Corrupt, "1024 bytes of the tar archive are damaged and were skipped")
    );
}

#[test]
fn bytes_after_the_end_of_an_archive_count_against_the_limits() {
    let mut bytes = tar();
    bytes.resize(bytes.len() + 20_000_000, 0);
    let limits =
        UnpackLimits { expansion_free_bytes: 200_000, expansion_ratio: 10, ..UnpackLimits::default() };
    let got = read_with(&pack::gzip(&bytes), &limits);
    assert_eq!(got.members, read(&tar()).members);
    let [(_, kind, message)] = &got.errors[..] else { panic!("one error: {:?}", got.errors) };
    assert_eq!((*kind, message.contains("\"expansion_ratio\"")), (ErrorKind::Limit, true), "{message}");
}

#[test]
fn members_that_are_skipped_count_against_the_limits() {
    let limits =
        UnpackLimits { expansion_free_bytes: 200_000, expansion_ratio: 10, ..UnpackLimits::default() };
    let members = [("__MACOSX/zeros".to_owned(), vec![0; 3_000_000]), ("a.log".to_owned(), b"a\n".to_vec())];
    for (name, packed) in
        [("7z", pack(Archive::SevenZ, &members)), ("tar", pack::gzip(&pack(Archive::TarGnu, &members)))]
    {
        let got = read_with(&packed, &limits);
        let kinds: Vec<_> = got.errors.iter().map(|(_, kind, _)| *kind).collect();
        assert_eq!((got.members.len(), &kinds[..]), (0, &[ErrorKind::Limit][..]), "{name}: {:?}", got.errors);
    }
}

#[test]
fn reading_on_after_the_end_of_an_archive_can_be_stopped() {
    let mut bytes = tar();
    bytes.resize(bytes.len() + 200_000_000, 0);
    let asked = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&asked);
    let stop = Stop::when(move || counted.fetch_add(1, Ordering::Relaxed) >= 20);
    read_with(&pack::gzip(&bytes), &UnpackLimits { stop, ..UnpackLimits::default() });
    let asked = asked.load(Ordering::Relaxed);
    assert!(asked <= 40, "it was read on: {asked}");
}

#[cfg(unix)]
mod changing_files {
    use super::*;

    /// Reads a file of a megabyte and changes it when its first bytes have been read: the number of bytes, and the
    /// error.
    fn read_while(change: impl Fn(&std::path::Path)) -> (usize, Option<(ErrorKind, String)>) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("app.log");
        std::fs::write(&path, "a line of a log\n".repeat(1 << 16)).expect("it can be written");
        let found = ingest::discover(std::slice::from_ref(&path)).files.remove(0);
        let mut got = (0, None);
        unpack(&found, &UnpackLimits::default(), &mut |member| {
            let mut input = member.input.expect("it opens");
            let mut start = vec![0; 100_000];
            input.read_exact(&mut start).expect("it is long enough");
            change(&path);
            let mut rest = Vec::new();
            let failed = input.read_to_end(&mut rest).err().map(|error| ingest::Error::io(&path, error));
            got = (start.len() + rest.len(), failed.map(|error| (error.kind(), error.to_string())));
            true
        });
        got
    }

    #[test]
    fn file_that_becomes_shorter_while_it_is_read_is_an_error() {
        assert_eq!(read_while(|_| {}), (1 << 20, None));
        for length in [0, 400_000] {
            let (read, error) = read_while(|path| {
                let file = std::fs::OpenOptions::new().write(true).open(path).expect("it opens");
                file.set_len(length).expect("it is cut");
            });
            let (kind, message) = error.expect("it became shorter");
            assert_eq!(kind, ErrorKind::Changed);
            let expected = format!(
                "it became shorter while it was read, from 1048576 to {length} bytes; the first {read} bytes are kept"
            );
            assert!(message.starts_with(&expected), "{message}");
        }
    }

    #[test]
    fn file_that_is_replaced_while_it_is_read_is_an_error_after_its_last_byte() {
        let (read, error) = read_while(|path| {
            let other = path.with_extension("new");
            std::fs::write(&other, "another log\n").expect("it can be written");
            std::fs::rename(&other, path).expect("it takes its place");
        });
        let (kind, message) = error.expect("it was replaced");
        assert_eq!((read, kind), (1 << 20, ErrorKind::Changed), "{message}");
    }

    #[test]
    fn file_that_grows_while_it_is_read_is_read_to_its_end() {
        let (read, error) = read_while(|path| {
            let mut file = std::fs::OpenOptions::new().append(true).open(path).expect("it opens");
            std::io::copy(&mut &b"more\n"[..], &mut file).expect("it can be written");
        });
        assert_eq!((read, error), ((1 << 20) + 5, None));
    }
}
