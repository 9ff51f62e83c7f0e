//! The records of the log: a length, a checksum, and what it says. A file is read up to its first record that
//! is not whole; what follows was never acknowledged.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use indexer::files;
use serde::{Deserialize, Serialize};

use super::Position;
use crate::intake::Stream;

/// Begins every file; the last byte is the version of what follows.
pub const MAGIC: &[u8; 8] = b"TLWAL\0\0\x01";

const STREAM: u8 = 1;
const BYTES: u8 = 2;

/// A longer record is not one of ours.
const LONGEST_RECORD: usize = 64 << 20;

/// Bytes of a stream as they were appended.
pub struct Logged<'r> {
    pub stream: &'r Stream,
    pub offset: u64,
    pub ends: bool,
    pub ids: Vec<u128>,
    pub bytes: &'r [u8],
}

#[derive(Serialize, Deserialize)]
struct Definition {
    name: String,
    sender: Option<String>,
    format: Option<String>,
    zone: Option<String>,
}

pub fn file_path(folder: &Path, file: u64) -> PathBuf {
    folder.join(format!("{file}.log"))
}

/// The numbers of the log's files, in order.
pub fn log_files(folder: &Path) -> io::Result<Vec<u64>> {
    numbered(folder, ".log")
}

pub fn numbered(folder: &Path, ending: &str) -> io::Result<Vec<u64>> {
    let entries = files::entries(folder)?;
    let regular = entries.iter().filter(|entry| entry.kind == files::EntryKind::File);
    let numbers = regular.filter_map(|entry| entry.name.strip_suffix(ending)?.parse().ok());
    let mut numbers: Vec<u64> = numbers.collect();
    numbers.sort_unstable();
    Ok(numbers)
}

/// How long a file of the log is; nothing if it is not there.
pub fn file_bytes(folder: &Path, file: u64) -> u64 {
    files::look(&file_path(folder, file)).map_or(0, |entry| entry.bytes)
}

/// True if a file begins as those of the log do.
pub fn has_magic(path: &Path) -> bool {
    let mut magic = [0; MAGIC.len()];
    files::open(path).and_then(|mut file| file.read_exact(&mut magic)).is_ok() && magic == *MAGIC
}

pub fn encode_stream(out: &mut Vec<u8>, number: u32, stream: &Stream) {
    let definition = Definition {
        name: stream.name.clone(),
        sender: stream.sender.clone(),
        format: stream.format.clone(),
        zone: stream.zone.clone(),
    };
    let text = serde_json::to_vec(&definition).unwrap_or_default();
    framed(out, |out| {
        out.push(STREAM);
        out.extend_from_slice(&number.to_le_bytes());
        out.extend_from_slice(&text);
    });
}

pub fn encode(out: &mut Vec<u8>, number: u32, offset: u64, ends: bool, ids: &[u128], bytes: &[u8]) {
    framed(out, |out| {
        out.push(BYTES);
        out.extend_from_slice(&number.to_le_bytes());
        out.extend_from_slice(&offset.to_le_bytes());
        out.push(u8::from(ends));
        out.extend_from_slice(&(ids.len() as u32).to_le_bytes());
        out.extend(ids.iter().flat_map(|id| id.to_le_bytes()));
        out.extend_from_slice(bytes);
    });
}

fn framed(out: &mut Vec<u8>, body: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend_from_slice(&[0; 8]);
    body(out);
    let length = (out.len() - start - 8) as u32;
    let checksum = crc32fast::hash(&out[start + 8..]);
    out[start..start + 4].copy_from_slice(&length.to_le_bytes());
    out[start + 4..start + 8].copy_from_slice(&checksum.to_le_bytes());
}

/// The ids in records that were encoded.
pub fn ids_in(mut records: &[u8]) -> Vec<u128> {
    let mut ids = Vec::new();
    while let Some((head, rest)) = records.split_first_chunk::<8>() {
        let length = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
        let Some((body, rest)) = rest.split_at_checked(length) else { break };
        if let Some((&BYTES, body)) = body.split_first()
            && let Some((_, _, of_record, _)) = body.get(4..).and_then(decode)
        {
            ids.extend(of_record);
        }
        records = rest;
    }
    ids
}

/// Reads the log from the beginning of a file on.
pub struct Reader {
    folder: PathBuf,
    position: Position,
    input: Option<BufReader<File>>,
    /// What is buffered was read while the file was being written.
    is_growing: bool,
    streams: HashMap<u32, Stream>,
    body: Vec<u8>,
}

impl Reader {
    pub fn at(folder: &Path, file: u64) -> Reader {
        Reader {
            folder: folder.to_path_buf(),
            position: Position { file, offset: 0 },
            input: None,
            is_growing: false,
            streams: HashMap::new(),
            body: Vec::new(),
        }
    }

    /// The end of the last record that was read.
    pub fn position(&self) -> Position {
        self.position
    }

    /// Reads the rest of the file.
    pub fn read_all(&mut self, each: &mut dyn FnMut(Logged<'_>)) -> io::Result<()> {
        while self.next(None, &mut |bytes| each(bytes))? {}
        Ok(())
    }

    /// Reads the next record before a position. False when there is none: the position is reached, or the file
    /// ends. Without one, the file's end is found by its records.
    pub fn next(&mut self, end: Option<u64>, each: &mut dyn FnMut(Logged<'_>)) -> io::Result<bool> {
        if end.is_none() && std::mem::take(&mut self.is_growing) {
            self.input = None;
        }
        self.is_growing = end.is_some();
        if end.is_some_and(|end| self.position.offset >= end) || !self.open()? {
            return Ok(false);
        }
        let Some(input) = &mut self.input else { return Ok(false) };
        let mut head = [0; 8];
        let whole = read_whole(input, &mut head)?;
        let length = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
        let checksum = u32::from_le_bytes([head[4], head[5], head[6], head[7]]);
        let whole = whole && (1..=LONGEST_RECORD).contains(&length) && {
            self.body.resize(length, 0);
            read_whole(input, &mut self.body)? && crc32fast::hash(&self.body) == checksum
        };
        if !whole {
            // A reader that comes back starts at this record again.
            self.input = None;
            return Ok(false);
        }
        self.position.offset += 8 + length as u64;
        let Some((&kind, body)) = self.body.split_first() else { return Ok(true) };
        let Some((number, body)) = body.split_first_chunk::<4>() else { return Ok(true) };
        let number = u32::from_le_bytes(*number);
        if kind == STREAM {
            if let Ok(Definition { name, sender, format, zone }) = serde_json::from_slice(body) {
                self.streams.insert(number, Stream { name, sender, format, zone });
            }
        } else if let (BYTES, Some(stream), Some(bytes)) = (kind, self.streams.get(&number), decode(body)) {
            each(bytes_of(stream, bytes));
        }
        Ok(true)
    }

    fn open(&mut self) -> io::Result<bool> {
        if self.input.is_some() {
            return Ok(true);
        }
        let mut file = match files::open(&file_path(&self.folder, self.position.file)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            opened => opened?,
        };
        let mut magic = [0; 8];
        if !read_whole(&mut file, &mut magic)? || magic != *MAGIC {
            return Ok(false);
        }
        self.position.offset = self.position.offset.max(MAGIC.len() as u64);
        file.seek(SeekFrom::Start(self.position.offset))?;
        self.input = Some(BufReader::with_capacity(256 << 10, file));
        Ok(true)
    }
}

type DecodedRecord<'b> = (u64, bool, Vec<u128>, &'b [u8]);

fn decode(body: &[u8]) -> Option<DecodedRecord<'_>> {
    let (offset, body) = body.split_first_chunk::<8>()?;
    let (&ends, body) = body.split_first()?;
    let (count, body) = body.split_first_chunk::<4>()?;
    let count = u32::from_le_bytes(*count) as usize;
    let (ids, bytes) = body.split_at_checked(count.checked_mul(16)?)?;
    let ids = ids.as_chunks::<16>().0.iter().map(|id| u128::from_le_bytes(*id)).collect();
    Some((u64::from_le_bytes(*offset), ends != 0, ids, bytes))
}

fn bytes_of<'r>(stream: &'r Stream, (offset, ends, ids, bytes): DecodedRecord<'r>) -> Logged<'r> {
    Logged { stream, offset, ends, ids, bytes }
}

/// Whether so many bytes could be read.
fn read_whole(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match input.read_exact(buffer) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        read => read.map(|()| true),
    }
}
