//! Unpacking: every container and any nesting gives the bytes back; truncated or damaged data gives the part
//! before it and an error; refused members and exceeded limits are reported.

use std::io::Read;

use crate::pack::{
    self, ARCHIVES, Archive, MODIFIED_SECONDS, STREAMS, Stream, Zip, ZipMember, compress, pack, tar_block,
};
use ingest::{ErrorKind, InputFile, UnpackLimits, unpack, unpack_stream};
use proptest::prelude::*;

/// A member as it was read.
#[derive(Debug, PartialEq)]
struct Got {
    name: String,
    compression: String,
    modified_ns: Option<i64>,
    bytes: Vec<u8>,
    error: Option<(ErrorKind, String)>,
}

fn read_with(bytes: &[u8], limits: &UnpackLimits) -> Vec<Got> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("top");
    std::fs::write(&path, bytes).expect("it can be written");
    let found = InputFile {
        path,
        name: "top".to_string(),
        bytes: bytes.len() as u64,
        modified_ns: Some(7),
        below: None,
    };
    let mut all = Vec::new();
    unpack(&found, limits, &mut |member| {
        assert!(member.path.starts_with(&found.path), "{}", member.path.display());
        let mut got = Got {
            name: member.name,
            compression: member.compression,
            modified_ns: member.modified_ns,
            bytes: Vec::new(),
            error: None,
        };
        match member.input {
            Err(error) => got.error = Some((error.kind(), error.to_string())),
            Ok(mut input) => {
                if let Err(error) = input.read_to_end(&mut got.bytes) {
                    let error = ingest::Error::io(&member.path, error);
                    got.error = Some((error.kind(), error.to_string()));
                }
            }
        }
        all.push(got);
        true
    });
    all
}

fn read(bytes: &[u8]) -> Vec<Got> {
    read_with(bytes, &UnpackLimits::default())
}

/// Names and contents of members without errors.
fn contents(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    read(bytes)
        .into_iter()
        .map(|got| {
            assert_eq!(got.error, None, "{}", got.name);
            (got.name, got.bytes)
        })
        .collect()
}

fn errors(got: &[Got]) -> Vec<(&str, ErrorKind, &str)> {
    got.iter().filter_map(|got| got.error.as_ref().map(|(kind, text)| (&*got.name, *kind, &**text))).collect()
}

/// Lines that no compression shrinks to nothing.
fn log(lines: u32) -> Vec<u8> {
    let line = |n: u32| {
        let id = n.wrapping_mul(2_654_435_761);
        format!("2026-11-21T03:04:05.{:03}Z INFO request {id:08x} took {} ms\n", n % 1000, id >> 22)
    };
    (0..lines).map(line).collect::<String>().into_bytes()
}

fn named(members: &[(&str, &[u8])]) -> Vec<(String, Vec<u8>)> {
    members.iter().map(|(path, bytes)| ((*path).to_string(), bytes.to_vec())).collect()
}

#[test]
fn plain_file_is_its_own_stream() {
    let got = read(b"a line\n");
    assert_eq!(got.len(), 1);
    assert_eq!((&*got[0].name, &*got[0].compression, got[0].modified_ns), ("top", "none", Some(7)));
    assert_eq!(got[0].bytes, b"a line\n");
}

#[test]
fn every_stream_keeps_its_name_and_bytes() {
    let log = log(20_000);
    for stream in STREAMS {
        let got = read(&compress(stream, &log));
        assert_eq!(errors(&got), [], "{stream:?}");
        assert_eq!((got.len(), &*got[0].name, &*got[0].compression), (1, "top", stream.name()));
        assert!(got[0].bytes == log, "{stream:?} gives other bytes");
    }
}

#[test]
fn unpacked_length_is_estimated_while_reading() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let log = log(60_000);
    for stream in STREAMS {
        let path = folder.path().join("top");
        let packed = compress(stream, &log);
        std::fs::write(&path, &packed).expect("it can be written");
        let found = InputFile {
            path,
            name: "top".to_string(),
            bytes: packed.len() as u64,
            modified_ns: None,
            below: None,
        };
        unpack(&found, &UnpackLimits::default(), &mut |member| {
            let (mut input, packed) = (member.input.expect("bytes"), member.packed.expect("a packed file"));
            let length = log.len() as u64;
            let half = std::io::copy(&mut input.by_ref().take(length / 2), &mut std::io::sink());
            let (half, expected) = (half.expect("half of it"), packed.expected(length / 2));
            // A decoder reads a block ahead, which may be much of a file as short as this.
            assert!(
                half == length / 2 && expected > length / 2 && expected < length * 2,
                "{stream:?} {expected}"
            );
            std::io::copy(&mut input, &mut std::io::sink()).expect("the rest");
            assert_eq!(packed.expected(length), length, "{stream:?}");
            true
        });
    }
    let got = folder.path().join("plain");
    std::fs::write(&got, &log).expect("it can be written");
    let found = InputFile {
        path: got,
        name: "top".to_string(),
        bytes: log.len() as u64,
        modified_ns: None,
        below: None,
    };
    unpack(&found, &UnpackLimits::default(), &mut |member| {
        assert!(member.packed.is_none() && member.bytes == Some(log.len() as u64));
        true
    });
}

#[test]
fn every_archive_gives_its_members_in_order() {
    let (first, second) = (log(3_000), log(10));
    let long = format!("{}/b.log", "folder".repeat(14));
    let members = named(&[("var/log/a.log", &first), (&long, &second)]);
    for archive in ARCHIVES {
        let got = read(&pack(archive, &members));
        assert_eq!(errors(&got), [], "{archive:?}");
        assert_eq!(got.len(), 2, "{archive:?}");
        for (got, (path, bytes)) in got.iter().zip(&members) {
            assert_eq!((&got.name, &*got.compression), (&format!("top/{path}"), archive.name()));
            assert!(got.bytes == *bytes, "{archive:?} gives other bytes");
            let seconds = if archive.name() == "zip" { 1_795_230_244 } else { MODIFIED_SECONDS as i64 };
            assert_eq!(got.modified_ns.map(|ns| ns / 1_000_000_000), Some(seconds), "{archive:?}");
        }
    }
}

#[test]
fn a_compressed_log_in_a_compressed_tar_in_a_zip_is_found() {
    let log = log(100);
    let inner = named(&[("a.log.gz", &pack::gzip(&log)), ("b.log", b"plain\n")]);
    let middle = compress(Stream::Xz, &pack(Archive::TarGnu, &inner));
    let outer = pack(Archive::ZipStored, &named(&[("logs.tar.xz", &middle), ("c.log", b"outer\n")]));
    let got = read(&outer);
    let listed: Vec<_> = got.iter().map(|got| (&*got.name, &*got.compression, got.bytes.len())).collect();
    assert_eq!(
        listed,
        [
            ("top/logs.tar.xz/a.log.gz", "zip+xz+tar+gzip", log.len()),
            ("top/logs.tar.xz/b.log", "zip+xz+tar", 6),
            ("top/c.log", "zip", 6),
        ]
    );
    assert_eq!(errors(&got), []);
}

#[test]
fn archives_that_need_seeking_are_read_inside_others() {
    let log = log(5_000);
    for archive in [Archive::Zip, Archive::SevenZ] {
        let packed = compress(Stream::Gzip, &pack(archive, &named(&[("a.log", &log)])));
        for spool_memory_bytes in [1, 100, 32 << 20] {
            let limits = UnpackLimits { spool_memory_bytes, ..UnpackLimits::default() };
            let got = read_with(&packed, &limits);
            assert_eq!(errors(&got), []);
            assert!(got.len() == 1 && got[0].bytes == log, "{archive:?}");
        }
    }
}

#[test]
fn folders_empty_members_and_files_of_macos_are_skipped() {
    let members = named(&[
        ("logs/", b""),
        ("empty.log", b""),
        ("__MACOSX/logs/._a.log", b"x"),
        ("logs/._a.log", b"x"),
        ("logs/.DS_Store", b"x"),
        ("logs/a.log", b"a\n"),
    ]);
    for archive in [Archive::Zip, Archive::ZipStored] {
        assert_eq!(contents(&pack(archive, &members)), named(&[("top/logs/a.log", b"a\n")]));
    }
    let mut tar = tar_block("logs/", b'5', b"");
    for (path, bytes) in &members[1..] {
        tar.extend(tar_block(path, b'0', bytes));
    }
    tar.extend([0; 1024]);
    assert_eq!(contents(&tar), named(&[("top/logs/a.log", b"a\n")]));
}

#[test]
fn archive_without_members_is_an_error() {
    for bytes in [Vec::new(), pack::gzip(b""), Zip::default().finish()] {
        let got = read(&bytes);
        assert_eq!(got.len(), 1);
        assert_eq!(errors(&got)[0].1, ErrorKind::Empty);
    }
}

#[test]
fn data_after_compressed_data_is_reported() {
    for stream in STREAMS {
        let log = log(50);
        let got = read(&[&compress(stream, &log)[..], b"something"].concat());
        assert_eq!(got[0].bytes, log, "{stream:?}");
        let (_, kind, text) = errors(&got)[0];
        assert_eq!((kind, text.starts_with("9 bytes after the")), (ErrorKind::Leftover, true), "{text}");
    }
    let tar = pack(Archive::TarGnu, &named(&[("a.log", b"a\n")]));
    let got = read(&[&tar[..], &[b'x'; 600]].concat());
    assert_eq!((got[0].bytes.as_slice(), errors(&got)[0].1), (&b"a\n"[..], ErrorKind::Leftover));
}

#[test]
fn links_and_devices_are_refused_by_name_and_escapes_are_read_under_a_safe_one() {
    let mut tar = Vec::new();
    for (path, kind) in [("sym", b'2'), ("hard", b'1'), ("tty", b'3'), ("disk", b'4'), ("pipe", b'6')] {
        tar.extend(tar_block(path, kind, b""));
    }
    for path in ["../up.log", "/etc/abs.log", "C:\\drive.log"] {
        tar.extend(tar_block(path, b'0', b"x\n"));
    }
    tar.extend(tar_block("holes", b'S', b"x\n"));
    tar.extend(tar_block("good.log", b'0', b"good\n"));
    tar.extend([0; 1024]);
    let got = read(&tar);
    assert_eq!(got.len(), 10);
    let refused = errors(&got);
    assert!(refused.iter().all(|(_, kind, _)| *kind == ErrorKind::Refused));
    let names: Vec<_> = refused.iter().map(|(name, ..)| *name).collect();
    assert_eq!(names, ["sym", "hard", "tty", "disk", "pipe", "holes"].map(|name| format!("top/{name}")));
    for (place, name) in [(5, "top/up.log"), (6, "top/etc/abs.log"), (7, "top/drive.log")] {
        assert_eq!((&*got[place].name, got[place].bytes.as_slice()), (name, &b"x\n"[..]));
    }
    assert_eq!((&*got[9].name, got[9].bytes.as_slice()), ("top/good.log", &b"good\n"[..]));

    let mut zip = Zip::default();
    zip.add(&ZipMember { unix_mode: 0o120_777, ..ZipMember::new("link", b"/etc/passwd") });
    zip.add(&ZipMember { unix_mode: 0o020_644, ..ZipMember::new("device", b"x") });
    zip.add(&ZipMember { unix_mode: 0o010_600, ..ZipMember::new("from-stdin", b"x\n") });
    zip.add(&ZipMember::new("..\\..\\up.log", b"x"));
    zip.add(&ZipMember::new("a\0.log", b"x"));
    zip.add(&ZipMember::new("good.log", b"good\n"));
    let got = read(&zip.finish());
    assert_eq!(errors(&got).iter().filter(|(_, kind, _)| *kind == ErrorKind::Refused).count(), 2);
    assert_eq!((&*got[2].name, got[2].bytes.as_slice()), ("top/from-stdin", &b"x\n"[..]));
    assert_eq!((&*got[3].name, got[3].bytes.as_slice()), ("top/up.log", &b"x"[..]));
    assert_eq!((&*got[4].name, got[4].bytes.as_slice()), ("top/a\u{fffd}.log", &b"x"[..]));
    assert_eq!(got[5].bytes, b"good\n");

    // A reparse point of Windows, and links and devices by their Unix modes.
    for attributes in [0x400, 0x8000 | 0o120_777 << 16, 0x8000 | 0o020_644 << 16] {
        let got = read(&pack::sevenz_with(&named(&[("link", b"/etc/passwd")]), attributes));
        let refused: Vec<_> = errors(&got).iter().map(|(name, kind, _)| (*name, *kind)).collect();
        assert_eq!(refused, [("top/link", ErrorKind::Refused)]);
        assert!(got[0].bytes.is_empty());
    }
}

#[test]
fn encrypted_and_unsupported_members_are_reported() {
    let mut zip = Zip::default();
    zip.add(&ZipMember { flags: 1, ..ZipMember::new("secret.log", b"x") });
    zip.add(&ZipMember { method: 97, ..ZipMember::new("odd.log", b"x") });
    zip.add(&ZipMember::new("good.log", b"good\n"));
    let got = read(&zip.finish());
    let kinds: Vec<_> = errors(&got).iter().map(|(name, kind, _)| (*name, *kind)).collect();
    assert_eq!(kinds, [("top/secret.log", ErrorKind::Encrypted), ("top/odd.log", ErrorKind::Unsupported)]);
    assert_eq!(got[2].bytes, b"good\n");
    let got = read(b"Rar!\x1A\x07\x01\x00....");
    assert_eq!((errors(&got)[0].1, errors(&got)[0].2.contains("RAR")), (ErrorKind::Unsupported, true));
}

#[test]
fn damaged_member_does_not_affect_the_others() {
    let log = log(2_000);
    let mut zip = Zip::default();
    zip.add(&ZipMember { wrong: 1, ..ZipMember::new("bad.log", &log) });
    zip.add(&ZipMember::new("good.log", b"good\n"));
    let got = read(&zip.finish());
    assert!(got[0].bytes == log);
    assert_eq!(errors(&got)[0].1, ErrorKind::Corrupt);
    assert_eq!(got[1].bytes, b"good\n");

    // The header of the second of three members is overwritten.
    let mut tar =
        [tar_block("a", b'0', b"a\n"), tar_block("b", b'0', b"b\n"), tar_block("c", b'0', b"c\n")].concat();
    tar.extend([0; 1024]);
    tar[1024..1100].fill(b'?');
    let got = read(&tar);
    let names: Vec<_> = got.iter().map(|got| (&*got.name, got.bytes.as_slice())).collect();
    assert_eq!(names, [("top/a", &b"a\n"[..]), ("top", b""), ("top/c", b"c\n")]);
    assert_eq!(errors(&got)[0].1, ErrorKind::Corrupt);

    let mut inner = pack::gzip(&log);
    let middle = inner.len() / 2;
    inner[middle..middle + 40].fill(0xFF);
    let got = read(&pack(Archive::TarGnu, &named(&[("bad.gz", &inner), ("good.log", b"good\n")])));
    assert!(got[0].bytes.len() > log.len() / 3, "{} of {}", got[0].bytes.len(), log.len());
    assert!(log.starts_with(&got[0].bytes[..log.len() / 3]));
    assert_eq!(errors(&got)[0], ("top/bad.gz", ErrorKind::Corrupt, errors(&got)[0].2));
    assert_eq!(got[1].bytes, b"good\n");
}

#[test]
fn members_of_a_zip_without_its_end_are_read_one_by_one() {
    let log = log(500);
    for archive in [Archive::Zip, Archive::ZipStored, Archive::ZipDescriptors, Archive::ZipBzip2] {
        let whole = pack(archive, &named(&[("a.log", &log), ("b.log", b"b\n")]));
        let got = read(&whole[..whole.len() - 30]);
        assert!(got[0].bytes == log && got[0].error.is_none(), "{archive:?}");
        assert_eq!((&*got[1].name, got[1].bytes.as_slice()), ("top/b.log", &b"b\n"[..]));
        assert_eq!(
            errors(&got).iter().map(|(name, kind, _)| (*name, *kind)).collect::<Vec<_>>(),
            [("top", ErrorKind::Corrupt)]
        );
    }
}

#[test]
fn whole_zip_stored_in_a_truncated_zip_does_not_hide_the_others() {
    let inner = pack(Archive::Zip, &named(&[("inner.log", b"inner\n")]));
    let outer = pack(Archive::ZipStored, &named(&[("first.log", b"first\n"), ("inner.zip", &inner)]));
    let end = outer.len() - 132;
    assert_eq!(outer[..end].windows(4).filter(|window| window == b"PK\x05\x06").count(), 1);
    let names: Vec<_> = read(&outer[..end]).into_iter().map(|got| got.name).collect();
    assert_eq!(names, ["top/first.log", "top/inner.zip/inner.log", "top"]);
}

#[test]
fn a_stream_is_unpacked_as_a_file_is() {
    let log = log(3_000);
    let members = named(&[("a.log", &log), ("b.log", b"b\n")]);
    let found =
        InputFile { path: "-".into(), name: "stdin".to_string(), bytes: 0, modified_ns: None, below: None };
    for archive in ARCHIVES {
        let packed = compress(Stream::Xz, &pack(archive, &members));
        let mut names = Vec::new();
        unpack_stream(&found, &packed[..], &UnpackLimits::default(), &mut |member| {
            let mut bytes = Vec::new();
            member.input.expect("it can be read").read_to_end(&mut bytes).expect("it is whole");
            names.push((member.name, bytes));
            true
        });
        assert!(
            names == [("stdin/a.log".to_string(), log.clone()), ("stdin/b.log".to_string(), b"b\n".to_vec())]
        );
    }
    // The limit on expansion counts the bytes read, because there is no known length.
    let bomb = compress(Stream::Zstd, &vec![0; 20_000_000]);
    let limits = UnpackLimits { expansion_free_bytes: 100_000, ..UnpackLimits::default() };
    unpack_stream(&found, &bomb[..], &limits, &mut |member| {
        let failed = std::io::copy(&mut member.input.expect("it begins"), &mut std::io::sink());
        let error = ingest::Error::io(&member.path, failed.expect_err("a bomb"));
        assert_eq!(error.kind(), ErrorKind::Limit);
        true
    });
}

#[test]
fn archive_bombs_reach_a_limit_that_can_be_raised() {
    let small = UnpackLimits { expansion_free_bytes: 100_000, ..UnpackLimits::default() };
    let zeros = vec![0; 20_000_000];
    let bomb = compress(Stream::Zstd, &zeros);
    let got = read_with(&bomb, &small);
    let (_, kind, text) = errors(&got)[0];
    assert_eq!((kind, text.contains("\"expansion_ratio\"")), (ErrorKind::Limit, true), "{text}");
    assert!(!got[0].bytes.is_empty() && got[0].bytes.len() < zeros.len());
    let raised = UnpackLimits { expansion_ratio: 1_000_000, ..small.clone() };
    assert!(read_with(&bomb, &raised)[0].bytes == zeros);
    // Below the free size nothing is checked, and logs stay far below the ratio.
    assert!(read(&bomb)[0].bytes == zeros);
    let repeated = b"2026-11-21 03:04:05 ERROR the same again\n".repeat(100_000);
    assert_eq!(read_with(&pack::gzip(&repeated), &small)[0].error, None);
    // The members of an archive count together.
    let half = vec![0; 600_000];
    let zip = pack(Archive::ZipZstd, &named(&[("a", &half), ("b", &half), ("c", &half)]));
    assert_eq!(
        read_with(&zip, &small).last().and_then(|got| got.error.as_ref()).map(|e| e.0),
        Some(ErrorKind::Limit)
    );
}

#[test]
fn nesting_and_members_have_limits() {
    let limits = UnpackLimits { deepest_nesting: 3, most_members: 2, ..UnpackLimits::default() };
    let deep = |levels| (0..levels).fold(b"log\n".to_vec(), |bytes, _| pack::gzip(&bytes));
    assert_eq!(read_with(&deep(3), &limits)[0].bytes, b"log\n");
    let got = read_with(&deep(4), &limits);
    assert_eq!((errors(&got)[0].1, errors(&got)[0].2.contains("deepest_nesting")), (ErrorKind::Limit, true));
    let many = named(&[("a", b"a"), ("b", b"b"), ("c", b"c"), ("d", b"d")]);
    for archive in ARCHIVES {
        let got = read_with(&pack(archive, &many), &limits);
        assert_eq!(got.len(), 3, "{archive:?}");
        assert_eq!((errors(&got)[0].1, errors(&got)[0].2.contains("most_members")), (ErrorKind::Limit, true));
    }
}

#[test]
fn decoders_do_not_take_more_memory_than_allowed() {
    let limits = UnpackLimits { decoder_memory_bytes: 64 << 10, ..UnpackLimits::default() };
    let log = log(20_000);
    for packed in [
        compress(Stream::Xz, &log),
        compress(Stream::Zstd, &log),
        pack(Archive::ZipXz, &named(&[("a.log", &log)])),
        pack(Archive::SevenZ, &named(&[("a.log", &log)])),
    ] {
        let got = read_with(&packed, &limits);
        let (_, kind, text) = errors(&got)[0];
        assert_eq!((kind, text.contains("decoder_memory_bytes")), (ErrorKind::Limit, true), "{text}");
    }
}

#[test]
fn visiting_stops_when_the_visitor_returns_false() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("top");
    let found = InputFile { path, name: "top".to_string(), bytes: 0, modified_ns: None, below: None };
    let members = named(&[("a", &log(9_000)), ("b", b"b"), ("c", b"c")]);
    for archive in ARCHIVES {
        std::fs::write(&found.path, pack(archive, &members)).expect("it can be written");
        let mut names = Vec::new();
        unpack(&found, &UnpackLimits::default(), &mut |member| {
            names.push(member.name);
            names.len() < 2
        });
        assert_eq!(names, ["top/a", "top/b"], "{archive:?}");
    }
}

#[derive(Clone, Debug)]
enum Tree {
    File(Vec<u8>),
    Stream(Stream, Box<Tree>),
    Archive(Archive, Vec<Tree>),
}

impl Tree {
    fn pack(&self) -> Vec<u8> {
        match self {
            Tree::File(bytes) => bytes.clone(),
            Tree::Stream(stream, inner) => compress(*stream, &inner.pack()),
            Tree::Archive(archive, members) => {
                let packed = members.iter().enumerate().map(|(at, tree)| (format!("m{at}"), tree.pack()));
                pack(*archive, &packed.collect::<Vec<_>>())
            }
        }
    }

    fn expect(&self, name: &str, containers: &[&str], all: &mut Vec<(String, String, Vec<u8>)>) {
        match self {
            Tree::File(bytes) => {
                let compression =
                    if containers.is_empty() { "none".to_string() } else { containers.join("+") };
                all.push((name.to_string(), compression, bytes.clone()));
            }
            Tree::Stream(stream, inner) => inner.expect(name, &[containers, &[stream.name()]].concat(), all),
            Tree::Archive(archive, members) => {
                for (at, member) in members.iter().enumerate() {
                    member.expect(&format!("{name}/m{at}"), &[containers, &[archive.name()]].concat(), all);
                }
            }
        }
    }
}

fn trees() -> impl Strategy<Value = Tree> {
    let file = prop_oneof![
        "[a-z0-9 =\n]{1,200}".prop_map(|text| Tree::File(text.into_bytes())),
        (1u32..4_000).prop_map(|lines| Tree::File(log(lines))),
    ];
    file.prop_recursive(4, 12, 3, |inner| {
        prop_oneof![
            (proptest::sample::select(&STREAMS[..]), inner.clone())
                .prop_map(|(stream, tree)| Tree::Stream(stream, Box::new(tree))),
            (proptest::sample::select(&ARCHIVES[..]), proptest::collection::vec(inner, 1..4))
                .prop_map(|(archive, trees)| Tree::Archive(archive, trees)),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn any_nesting_gives_the_bytes_back(tree in trees()) {
        let mut expected = Vec::new();
        tree.expect("top", &[], &mut expected);
        let got = read(&tree.pack());
        prop_assert_eq!(errors(&got), []);
        let got: Vec<_> = got.into_iter().map(|got| (got.name, got.compression, got.bytes)).collect();
        prop_assert!(got == expected, "{:?} instead of {:?}", names(&got), names(&expected));
    }

    /// Wherever a file is truncated, each member is a prefix of itself, and an error reports the missing
    /// part.
    #[test]
    fn any_cut_gives_a_prefix_and_an_error(tree in trees(), at in 0.0..1.0f64) {
        prop_assume!(!matches!(tree, Tree::File(_)));
        let mut expected = Vec::new();
        tree.expect("top", &[], &mut expected);
        let packed = tree.pack();
        // Below this length a few bytes of a header may look like a file.
        let end = ((packed.len() as f64 * at) as usize).max(512.min(packed.len() - 1));
        let whole = read(&packed);
        let got = read(&packed[..end]);
        let same = whole.len() == got.len() && whole.iter().zip(&got).all(|(a, b)| a == b);
        let padding = packed[end..].iter().all(|byte| *byte == 0);
        prop_assert!(!errors(&got).is_empty() || (same && padding), "no error reports the missing part");
        for got in got.iter().filter(|got| !got.bytes.is_empty()) {
            let of = expected.iter().find(|(name, ..)| *name == got.name);
            // The head of a container, too short to be recognised.
            let is_known = of.is_some_and(|(_, compression, _)| *compression == got.compression);
            let unknown = !is_known && got.bytes.len() < 512 && got.error.is_some();
            let prefix = of.is_some_and(|(_, _, bytes)| bytes.starts_with(&got.bytes));
            prop_assert!(prefix || unknown, "{} is another", got.name);
        }
    }

    /// Damage gives errors or bytes, and never a panic or an endless loop.
    #[test]
    fn any_damage_is_survived(tree in trees(), damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..9)) {
        let mut packed = tree.pack();
        for (at, byte) in damage {
            let at = at.index(packed.len());
            packed[at] = byte;
        }
        let got = read(&packed);
        prop_assert!(!got.is_empty());
    }
}

fn names(all: &[(String, String, Vec<u8>)]) -> Vec<(&str, &str, usize)> {
    all.iter().map(|(name, compression, bytes)| (&**name, &**compression, bytes.len())).collect()
}
