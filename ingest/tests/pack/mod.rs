//! Packs bytes for tests and fuzzing, in every supported way.

use std::io::Write;

use flate2::{Compression, Crc};
use tar::{EntryType, Header};

/// Ways to compress one stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    Gzip,
    /// Two members followed by padding.
    GzipTwice,
    Bzip2,
    Bzip2Twice,
    Xz,
    XzTwice,
    Zstd,
    /// Two frames, with a skippable one before each.
    ZstdSkipping,
    Lz4,
    Lz4Linked,
}

pub const STREAMS: [Stream; 10] = [
    Stream::Gzip,
    Stream::GzipTwice,
    Stream::Bzip2,
    Stream::Bzip2Twice,
    Stream::Xz,
    Stream::XzTwice,
    Stream::Zstd,
    Stream::ZstdSkipping,
    Stream::Lz4,
    Stream::Lz4Linked,
];

impl Stream {
    /// Its name in `Member::compression`.
    pub fn name(self) -> &'static str {
        match self {
            Stream::Gzip | Stream::GzipTwice => "gzip",
            Stream::Bzip2 | Stream::Bzip2Twice => "bzip2",
            Stream::Xz | Stream::XzTwice => "xz",
            Stream::Zstd | Stream::ZstdSkipping => "zstd",
            Stream::Lz4 | Stream::Lz4Linked => "lz4",
        }
    }
}

/// Ways to pack several members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Archive {
    TarUstar,
    TarGnu,
    TarPax,
    Zip,
    ZipStored,
    /// Lengths after the content, in the 64-bit form.
    ZipDescriptors,
    Zip64,
    ZipZstd,
    ZipBzip2,
    ZipXz,
    SevenZ,
}

pub const ARCHIVES: [Archive; 11] = [
    Archive::TarUstar,
    Archive::TarGnu,
    Archive::TarPax,
    Archive::Zip,
    Archive::ZipStored,
    Archive::ZipDescriptors,
    Archive::Zip64,
    Archive::ZipZstd,
    Archive::ZipBzip2,
    Archive::ZipXz,
    Archive::SevenZ,
];

impl Archive {
    pub fn name(self) -> &'static str {
        match self {
            Archive::TarUstar | Archive::TarGnu | Archive::TarPax => "tar",
            Archive::SevenZ => "7z",
            _ => "zip",
        }
    }
}

pub fn compress(stream: Stream, bytes: &[u8]) -> Vec<u8> {
    let (first, second) = bytes.split_at(bytes.len() / 2);
    match stream {
        Stream::Gzip => gzip(bytes),
        Stream::GzipTwice => [gzip(first), gzip(second), vec![0; 700]].concat(),
        Stream::Bzip2 => bzip2(bytes),
        Stream::Bzip2Twice => [bzip2(first), bzip2(second)].concat(),
        Stream::Xz => xz(bytes),
        Stream::XzTwice => [xz(first), vec![0; 8], xz(second)].concat(),
        Stream::Zstd => zstd::encode_all(bytes, 3).expect("it packs"),
        Stream::ZstdSkipping => {
            let skipped = b"\x53\x2A\x4D\x18\x05\0\0\0hello".to_vec();
            let packed = |bytes| zstd::encode_all(bytes, 3).expect("it packs");
            [skipped.clone(), packed(first), skipped, packed(second)].concat()
        }
        Stream::Lz4 => lz4(bytes, lz4_flex::frame::FrameInfo::new()),
        Stream::Lz4Linked => {
            let info = lz4_flex::frame::FrameInfo::new()
                .block_mode(lz4_flex::frame::BlockMode::Linked)
                .block_checksums(true)
                .content_checksum(true);
            [lz4(first, info.clone()), lz4(second, info)].concat()
        }
    }
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("it packs");
    encoder.finish().expect("it packs")
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(bytes).expect("it packs");
    encoder.finish().expect("it packs")
}

pub fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder =
        lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::with_preset(0)).expect("options");
    encoder.write_all(bytes).expect("it packs");
    encoder.finish().expect("it packs")
}

fn lz4(bytes: &[u8], info: lz4_flex::frame::FrameInfo) -> Vec<u8> {
    let mut encoder = lz4_flex::frame::FrameEncoder::with_frame_info(info, Vec::new());
    encoder.write_all(bytes).expect("it packs");
    encoder.finish().expect("it packs")
}

pub fn pack(archive: Archive, members: &[(String, Vec<u8>)]) -> Vec<u8> {
    let zip_as = |method: u16, descriptor: bool, zip64: bool| {
        let mut zip = Zip::default();
        for (path, bytes) in members {
            zip.add(&ZipMember { method, descriptor, zip64, ..ZipMember::new(path, bytes) });
        }
        zip.finish()
    };
    match archive {
        Archive::TarUstar | Archive::TarGnu | Archive::TarPax => tar_as(archive, members),
        Archive::Zip => zip_as(8, false, false),
        Archive::ZipStored => zip_as(0, false, false),
        Archive::ZipDescriptors => zip_as(8, true, true),
        Archive::Zip64 => zip_as(8, false, true),
        Archive::ZipZstd => zip_as(93, false, false),
        Archive::ZipBzip2 => zip_as(12, true, false),
        Archive::ZipXz => zip_as(95, false, false),
        Archive::SevenZ => sevenz(members),
    }
}

fn tar_as(archive: Archive, members: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (path, bytes) in members {
        let mut header = if archive == Archive::TarGnu { Header::new_gnu() } else { Header::new_ustar() };
        header.set_size(bytes.len() as u64);
        header.set_mtime(MODIFIED_SECONDS);
        header.set_mode(0o644);
        if archive == Archive::TarPax {
            let size = bytes.len().to_string();
            let pairs = [("path", path.as_bytes()), ("size", size.as_bytes()), ("mtime", b"1795230245.25")];
            builder.append_pax_extensions(pairs).expect("it packs");
            header.set_path("short").expect("a path");
            header.set_size(bytes.len() as u64);
            header.set_cksum();
            builder.append(&header, &bytes[..]).expect("it packs");
        } else {
            builder.append_data(&mut header, path, &bytes[..]).expect("it packs");
        }
    }
    builder.into_inner().expect("it packs")
}

/// 03:04:04 on 2026-11-21, as zip writes it: seconds are counted in twos, years from 1980.
const DOS_TIME: u16 = 0x1882;
const DOS_DATE: u16 = 0x5D75;

/// 2026-11-21T03:04:05Z
pub const MODIFIED_SECONDS: u64 = 1_795_230_245;

/// One tar header and its content, without any checks.
pub fn tar_block(path: &str, kind: u8, bytes: &[u8]) -> Vec<u8> {
    let mut header = Header::new_ustar();
    header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
    header.set_entry_type(EntryType::new(kind));
    header.set_size(bytes.len() as u64);
    header.set_cksum();
    let mut block = header.as_bytes().to_vec();
    block.extend_from_slice(bytes);
    block.resize(block.len().next_multiple_of(512), 0);
    block
}

pub fn sevenz(members: &[(String, Vec<u8>)]) -> Vec<u8> {
    sevenz_with(members, 0)
}

/// The same, with attributes of Windows: of links, or the Unix modes in their upper half.
pub fn sevenz_with(members: &[(String, Vec<u8>)], attributes: u32) -> Vec<u8> {
    let mut writer = sevenz_rust2::ArchiveWriter::new(std::io::Cursor::new(Vec::new())).expect("a writer");
    writer.set_content_methods(vec![sevenz_rust2::EncoderMethod::LZMA2.into()]);
    for (path, bytes) in members {
        let mut entry = sevenz_rust2::ArchiveEntry::new_file(path);
        entry.has_last_modified_date = true;
        (entry.has_windows_attributes, entry.windows_attributes) = (attributes != 0, attributes);
        entry.last_modified_date =
            sevenz_rust2::NtTime::new((MODIFIED_SECONDS + 11_644_473_600) * 10_000_000);
        writer.push_archive_entry(entry, Some(&bytes[..])).expect("it packs");
    }
    writer.finish().expect("it packs").into_inner()
}

/// A zip archive under construction. Written out here, so that it can also be written wrongly.
#[derive(Default)]
pub struct Zip {
    bytes: Vec<u8>,
    contents: Vec<u8>,
    count: u16,
}

pub struct ZipMember<'a> {
    pub path: &'a str,
    pub bytes: &'a [u8],
    pub method: u16,
    pub flags: u16,
    pub unix_mode: u32,
    pub descriptor: bool,
    pub zip64: bool,
    /// Added to the checksum, to make it wrong.
    pub wrong: u32,
}

impl<'a> ZipMember<'a> {
    pub fn new(path: &'a str, bytes: &'a [u8]) -> ZipMember<'a> {
        ZipMember {
            path,
            bytes,
            method: 8,
            flags: 0,
            unix_mode: 0o100_644,
            descriptor: false,
            zip64: false,
            wrong: 0,
        }
    }

    fn packed(&self) -> Vec<u8> {
        match self.method {
            8 => {
                let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), Compression::default());
                encoder.write_all(self.bytes).expect("it packs");
                encoder.finish().expect("it packs")
            }
            12 => bzip2(self.bytes),
            93 => zstd::encode_all(self.bytes, 3).expect("it packs"),
            95 => xz(self.bytes),
            _ => self.bytes.to_vec(),
        }
    }
}

impl Zip {
    pub fn add(&mut self, member: &ZipMember<'_>) {
        let packed = member.packed();
        let mut crc = Crc::new();
        crc.update(member.bytes);
        let crc = crc.sum().wrapping_add(member.wrong);
        let (offset, flags) = (self.bytes.len() as u32, member.flags | (u16::from(member.descriptor) << 3));
        let sizes = [member.bytes.len() as u64, packed.len() as u64];
        let extra = |sizes: [u64; 2]| -> Vec<u8> {
            if !member.zip64 {
                return Vec::new();
            }
            [&[1, 0, 16, 0][..], &sizes[0].to_le_bytes(), &sizes[1].to_le_bytes()].concat()
        };
        let fixed = |crc: u32, sizes: [u64; 2], extra: usize| {
            let short = |size: u64| if member.zip64 { u32::MAX } else { size as u32 };
            let mut out = Vec::new();
            for value in [45, flags, member.method, DOS_TIME, DOS_DATE] {
                out.extend_from_slice(&value.to_le_bytes());
            }
            for value in [crc, short(sizes[1]), short(sizes[0])] {
                out.extend_from_slice(&value.to_le_bytes());
            }
            out.extend_from_slice(&(member.path.len() as u16).to_le_bytes());
            out.extend_from_slice(&(extra as u16).to_le_bytes());
            out
        };
        let (local_crc, local_sizes) = if member.descriptor { (0, [0, 0]) } else { (crc, sizes) };
        let local_extra = extra(local_sizes);
        self.bytes.extend_from_slice(b"PK\x03\x04");
        self.bytes.extend(fixed(local_crc, local_sizes, local_extra.len()));
        self.bytes.extend_from_slice(member.path.as_bytes());
        self.bytes.extend(local_extra);
        self.bytes.extend(packed);
        if member.descriptor {
            self.bytes.extend_from_slice(b"PK\x07\x08");
            self.bytes.extend_from_slice(&crc.to_le_bytes());
            for size in [sizes[1], sizes[0]] {
                let wide = size.to_le_bytes();
                self.bytes.extend_from_slice(if member.zip64 { &wide } else { &wide[..4] });
            }
        }
        let extra = extra(sizes);
        self.contents.extend_from_slice(b"PK\x01\x02\x2D\x03");
        self.contents.extend(fixed(crc, sizes, extra.len()));
        self.contents.extend_from_slice(&[0; 6]);
        self.contents.extend_from_slice(&(member.unix_mode << 16).to_le_bytes());
        self.contents.extend_from_slice(&offset.to_le_bytes());
        self.contents.extend_from_slice(member.path.as_bytes());
        self.contents.extend(extra);
        self.count += 1;
    }

    pub fn finish(mut self) -> Vec<u8> {
        let (offset, size) = (self.bytes.len() as u32, self.contents.len() as u32);
        self.bytes.append(&mut self.contents);
        self.bytes.extend_from_slice(b"PK\x05\x06\0\0\0\0");
        for count in [self.count, self.count] {
            self.bytes.extend_from_slice(&count.to_le_bytes());
        }
        self.bytes.extend_from_slice(&size.to_le_bytes());
        self.bytes.extend_from_slice(&offset.to_le_bytes());
        self.bytes.extend_from_slice(&[0; 2]);
        self.bytes
    }
}
