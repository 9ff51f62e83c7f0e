//! Recognises a stream by its first bytes. Names are never used: logs are renamed more often than repacked.

use tar::Header;

/// How many bytes distinguish every kind: a whole tar header.
pub const HEAD_BYTES: usize = TAR_BLOCK;
pub const TAR_BLOCK: usize = 512;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContainerKind {
    /// Not a supported container: a log, or anything else.
    Plain,
    Gzip,
    Bzip2,
    Xz,
    Zstd,
    Lz4,
    Tar,
    Zip,
    SevenZ,
    /// A container that is recognised but not supported, by its name.
    Unread(&'static str),
}

pub fn kind(head: &[u8]) -> ContainerKind {
    match head {
        _ if gzip_begins(head) => ContainerKind::Gzip,
        _ if bzip2_begins(head) => ContainerKind::Bzip2,
        _ if xz_begins(head) => ContainerKind::Xz,
        _ if lz4_begins(head) => ContainerKind::Lz4,
        _ if zstd_begins(head) || skippable_begins(head) => ContainerKind::Zstd,
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => ContainerKind::Zip,
        [b'7', b'z', 0xBC, 0xAF, 0x27, 0x1C, ..] => ContainerKind::SevenZ,
        [b'P', b'K', 7, 8, b'P', b'K', 3, 4, ..] => ContainerKind::Unread("a zip archive in several parts"),
        [b'R', b'a', b'r', b'!', 0x1A, 7, ..] => ContainerKind::Unread("a RAR archive"),
        [b'M', b'S', b'C', b'F', 0, 0, 0, 0, ..] => ContainerKind::Unread("a cabinet archive"),
        [b'L', b'Z', b'I', b'P', 1, ..] => ContainerKind::Unread("lzip data"),
        [0x89, b'L', b'Z', b'O', 0, b'\r', b'\n', 0x1A, b'\n', ..] => ContainerKind::Unread("lzop data"),
        [0x1F, 0x9D, flags, ..] if (9..=16).contains(&(flags & 0x1F)) => {
            ContainerKind::Unread("compress (.Z) data")
        }
        [2, 0x21, 0x4C, 0x18, ..] => ContainerKind::Unread("lz4 data of the old format"),
        _ if tar_header(head).is_some() => ContainerKind::Tar,
        _ => ContainerKind::Plain,
    }
}

pub fn gzip_begins(head: &[u8]) -> bool {
    head.starts_with(&[0x1F, 0x8B, 8])
}

/// "BZh9" alone could begin a line of a log; in real data a block or the end of the stream follows it.
pub fn bzip2_begins(head: &[u8]) -> bool {
    let marks = [[0x31, 0x41, 0x59, 0x26, 0x53, 0x59], [0x17, 0x72, 0x45, 0x38, 0x50, 0x90]];
    head.starts_with(b"BZh")
        && matches!(head.get(3), Some(b'1'..=b'9'))
        && head.get(4..10).is_some_and(|mark| marks.iter().any(|known| known == mark))
}

pub fn xz_begins(head: &[u8]) -> bool {
    head.starts_with(&[0xFD, b'7', b'z', b'X', b'Z', 0])
}

pub fn zstd_begins(head: &[u8]) -> bool {
    head.starts_with(&[0x28, 0xB5, 0x2F, 0xFD])
}

pub fn lz4_begins(head: &[u8]) -> bool {
    head.starts_with(&[4, 0x22, 0x4D, 0x18])
}

/// A frame that zstd and lz4 decoders skip.
pub fn skippable_begins(head: &[u8]) -> bool {
    matches!(head, [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..])
}

/// The tar header at the start of the bytes, if its checksum is right.
pub fn tar_header(bytes: &[u8]) -> Option<&Header> {
    let block = bytes.get(..TAR_BLOCK)?;
    let header = Header::from_byte_slice(block);
    let sum: u32 = {
        let byte = |(at, byte): (usize, &u8)| if (148..156).contains(&at) { 32 } else { u32::from(*byte) };
        block.iter().enumerate().map(byte).sum()
    };
    // A name or a mark is required, so that no block of zeros passes by chance.
    let named = block[0] != 0 || block[257..].starts_with(b"ustar");
    (named && header.cksum().ok() == Some(sum)).then_some(header)
}
