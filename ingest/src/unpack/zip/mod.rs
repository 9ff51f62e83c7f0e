//! zip, by its table of contents if that is intact, otherwise by the headers before each member.

mod local;

use std::io::{self, Read};

use flate2::Crc;
use rawzip::time::ZipDateTimeKind;
use rawzip::{CompressionMethod, FileReader, RECOMMENDED_BUFFER_SIZE, ReaderAt, ZipArchive, ZipLocator};

use super::bzip2::Bzip2;
use super::frame_decoder::FrameDecoder;
use super::gzip::Deflate;
use super::input::{Input, Peek};
use super::spool::Storage;
use super::xz::Xz;
use super::zstd::Zstd;
use super::{StreamPlace, UnpackWalk};
use crate::error::ErrorKind;
use crate::problem::Problem;

const NAME: &str = "zip";

/// The bits of the mode for the kind of file, and the value of a regular file.
const FILE_KIND: u32 = 0o170_000;
const USUAL_FILE: u32 = 0o100_000;
const FOLDER: u32 = 0o040_000;
const LINK: u32 = 0o120_000;
/// The mode of a member that `zip` read from its standard input; its content is as good as any.
const PIPE: u32 = 0o010_000;

/// A member, as its header or the table of contents describes it.
struct ZipEntry {
    path: String,
    encrypted: bool,
    method: CompressionMethod,
    modified_ns: Option<i64>,
    mode: u32,
    /// Length and checksum of the content, if they are known before it.
    expected: Option<Expected>,
}

#[derive(Clone, Copy)]
struct Expected {
    bytes: u64,
    crc: u32,
}

pub fn read_zip(walk: &mut UnpackWalk<'_>, place: &StreamPlace, storage: Storage) {
    match storage {
        Storage::Memory(bytes) => {
            let end = bytes.len() as u64;
            read_at(walk, place, bytes, end);
        }
        Storage::File(file) => match file.metadata() {
            Ok(metadata) => read_at(walk, place, FileReader::from(file), metadata.len()),
            Err(error) => walk.refuse(place, Problem::from_error(&error)),
        },
    }
}

fn read_at<R: ReaderAt + Send + Sync>(walk: &mut UnpackWalk<'_>, place: &StreamPlace, reader: R, end: u64) {
    let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
    match ZipLocator::new().locate_in_reader(reader, &mut buffer, end) {
        Ok(archive) if begins_at_zero(&archive) => by_contents(walk, place, &archive),
        Ok(archive) => local::read_by_headers(walk, place, Input::new(Sequential::new(archive.get_ref()))),
        Err((reader, _)) => local::read_by_headers(walk, place, Input::new(Sequential::new(&reader))),
    }
}

/// Whether the table of contents can be read and belongs to the whole archive. If an archive is truncated,
/// the last table found may be that of another archive stored in it.
fn begins_at_zero<R: ReaderAt>(archive: &ZipArchive<R>) -> bool {
    let mut buffer = vec![0; LONGEST_RECORD_BYTES];
    let mut entries = archive.entries(&mut buffer);
    let mut first = None;
    loop {
        match entries.next_entry() {
            Ok(Some(entry)) => {
                let offset = entry.local_header_offset();
                first = Some(first.map_or(offset, |first: u64| first.min(offset)));
            }
            Ok(None) => return first.is_none_or(|first| first == 0),
            Err(_) => return false,
        }
    }
}

/// A record and the three texts after it, each of up to 64 KiB.
const LONGEST_RECORD_BYTES: usize = rawzip::MAX_CENTRAL_DIRECTORY_RECORD_SIZE;

fn by_contents<R: ReaderAt + Send + Sync>(
    walk: &mut UnpackWalk<'_>,
    place: &StreamPlace,
    archive: &ZipArchive<R>,
) {
    let mut buffer = vec![0; LONGEST_RECORD_BYTES];
    let mut entries = archive.entries(&mut buffer);
    while walk.wants_more() {
        let record = match entries.next_entry() {
            Ok(Some(record)) => record,
            Ok(None) => return,
            Err(error) => return walk.refuse(place, Problem::damaged(NAME, error)),
        };
        let entry = ZipEntry {
            path: String::from_utf8_lossy(record.file_path().as_bytes()).into_owned(),
            encrypted: record.flags().is_encrypted(),
            method: record.compression_method(),
            modified_ns: unix_time(&record.last_modified()),
            mode: record.mode().value(),
            expected: Some(Expected { bytes: record.uncompressed_size_hint(), crc: record.crc32() }),
        };
        let Some(member) = usual_member(walk, place, &entry) else { continue };
        match archive.get_entry(record.wayfinder()) {
            Ok(found) => {
                // A stored length beyond the archive's end shows as data that ends too early.
                let raw = Input::new(found.reader());
                match unpacked(walk, &member, &entry, raw) {
                    Ok(mut content) => walk.open(member, Input::new(&mut content)),
                    Err(problem) => walk.refuse(&member, problem),
                }
            }
            Err(error) => walk.refuse(&member, Problem::damaged(NAME, error)),
        }
    }
}

/// The place of a member that can be read; `None` if it was skipped or refused.
fn usual_member(walk: &mut UnpackWalk<'_>, place: &StreamPlace, entry: &ZipEntry) -> Option<StreamPlace> {
    if entry.path.ends_with(['/', '\\']) || entry.mode & FILE_KIND == FOLDER {
        return None;
    }
    let bytes = entry.expected.map(|expected| expected.bytes);
    let member = walk.member(place, &entry.path, true, entry.modified_ns, bytes)?;
    let problem = match entry.mode & FILE_KIND {
        LINK => Problem::new(ErrorKind::Refused, "a link in an archive is not followed"),
        _ if entry.encrypted || entry.method == CompressionMethod::AES => Problem::encrypted(),
        0 | USUAL_FILE | PIPE if bytes == Some(0) => return None,
        0 | USUAL_FILE | PIPE => return Some(member),
        _ => Problem::new(ErrorKind::Refused, "a device in an archive is not read"),
    };
    walk.refuse(&member, problem);
    None
}

/// The content of a member; its checksum is verified at its end.
fn unpacked<'a>(
    walk: &UnpackWalk<'_>,
    member: &StreamPlace,
    entry: &ZipEntry,
    raw: impl Peek + Send + 'a,
) -> Result<Checked<'a>, Problem> {
    let memory_bytes = walk.decoder_memory_bytes(member);
    let inner: Box<dyn Read + Send + 'a> = match entry.method {
        CompressionMethod::STORE => Box::new(raw),
        CompressionMethod::DEFLATE => Box::new(FrameDecoder::single(raw, Deflate::new())),
        CompressionMethod::BZIP2 => Box::new(FrameDecoder::single(raw, Bzip2::new())),
        CompressionMethod::ZSTD | CompressionMethod::ZSTD_DEPRECATED => {
            Box::new(FrameDecoder::single(raw, Zstd::new(memory_bytes)?))
        }
        CompressionMethod::XZ => Box::new(FrameDecoder::single(raw, Xz::new(memory_bytes))),
        method => {
            let message = format!(
                "zip members packed with method {} are not supported; unpack it first",
                method.as_u16()
            );
            return Err(Problem::new(ErrorKind::Unsupported, message));
        }
    };
    Ok(Checked { inner, expected: entry.expected, bytes: 0, crc: Crc::new(), meter: walk.meter() })
}

fn unix_time(time: &ZipDateTimeKind) -> Option<i64> {
    let date = jiff::civil::DateTime::new(
        i16::try_from(time.year()).ok()?,
        i8::try_from(time.month()).ok()?,
        i8::try_from(time.day()).ok()?,
        i8::try_from(time.hour()).ok()?,
        i8::try_from(time.minute()).ok()?,
        i8::try_from(time.second()).ok()?,
        i32::try_from(time.nanosecond()).ok()?,
    );
    let zoned = date.ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
    i64::try_from(zoned.timestamp().as_nanosecond()).ok()
}

/// Verifies length and checksum when the content has been read.
struct Checked<'a> {
    inner: Box<dyn Read + Send + 'a>,
    expected: Option<Expected>,
    bytes: u64,
    crc: Crc,
    meter: std::sync::Arc<super::meter::Meter>,
}

impl Read for Checked<'_> {
    fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
        let read = self.meter.metered(|| self.inner.read(output))?;
        self.crc.update(&output[..read]);
        self.bytes += read as u64;
        match self.expected {
            Some(expected) if read == 0 && !output.is_empty() && self.bytes < expected.bytes => {
                Err(Problem::truncated(NAME).into())
            }
            Some(expected) if read == 0 && !output.is_empty() && self.bytes > expected.bytes => {
                Err(Problem::damaged(NAME, "the member is longer than it should be").into())
            }
            Some(expected) if read == 0 && !output.is_empty() && self.crc.sum() != expected.crc => {
                Err(Problem::damaged(NAME, "the checksum of the member is another").into())
            }
            _ => Ok(read),
        }
    }
}

/// Reads a random-access source sequentially from its start.
struct Sequential<'r, R> {
    reader: &'r R,
    position: u64,
}

impl<'r, R> Sequential<'r, R> {
    fn new(reader: &'r R) -> Sequential<'r, R> {
        Sequential { reader, position: 0 }
    }
}

impl<R: ReaderAt> Read for Sequential<'_, R> {
    fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read_at(output, self.position)?;
        self.position += read as u64;
        Ok(read)
    }
}
