//! The original bytes: one seekable zstd file a source. Each frame holds one chunk of whole events, so an
//! event is read by decompressing one frame, and plain `zstd -d` gives the file back.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use zstd::bulk::Compressor;
use zstd::zstd_safe::CParameter;

use super::files;
use crate::error::{AtPath, Error, Result, from_io};
use crate::faults;

const SKIPPABLE_MAGIC: u32 = 0x184D_2A5E;
const SEEKABLE_MAGIC: u32 = 0x8F92_EAB1;
/// Level 1 is where compression stops being the slowest step of an import.
const LEVEL: i32 = 1;

/// Log lines share long pieces: looking only for matches of seven bytes and more is both quicker and smaller
/// than the level's own setting (17.5 % instead of 18.0 % of an access log).
const SHORTEST_MATCH: u32 = 7;
const HASH_LOG: u32 = 16;

thread_local! {
    /// Making one costs as much as packing a tenth of a chunk, so each worker keeps its own.
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
}

/// A compressed run of a source's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    /// Where its bytes stand in the source.
    pub offset: u64,
    pub bytes: u32,
    /// Where it stands in the raw file.
    pub at: u64,
    pub size: u32,
    /// Which of the source's raw files that is; compacting makes the next.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub generation: u32,
}

// Serde hands the field over by reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Frame {
    pub fn holds(&self, offset: u64) -> bool {
        (self.offset..self.end()).contains(&offset)
    }

    pub fn end(&self) -> u64 {
        self.offset + u64::from(self.bytes)
    }
}

/// Compresses one chunk to one frame. Pure, so that it runs beside parsing on every core.
pub fn compress(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    COMPRESSOR.with_borrow_mut(|kept| match kept {
        Some(compressor) => compressor.compress(bytes),
        None => kept.insert(compressor()?).compress(bytes),
    })
}

fn compressor() -> std::io::Result<Compressor<'static>> {
    let mut compressor = Compressor::new(LEVEL)?;
    compressor.set_parameter(CParameter::MinMatch(SHORTEST_MATCH))?;
    compressor.set_parameter(CParameter::HashLog(HASH_LOG))?;
    compressor.set_parameter(CParameter::ChecksumFlag(true))?;
    Ok(compressor)
}

/// A source's raw file. The first one is called after the source alone.
pub fn raw_path(case: &Path, source: u32, generation: u32) -> PathBuf {
    case.join("raw").join(match generation {
        0 => format!("{source}.zst"),
        _ => format!("{source}.{generation}.zst"),
    })
}

/// The source and generation that a file of the raw folder is of.
pub fn of_raw_name(name: &str) -> Option<(u32, u32)> {
    let stem = name.strip_suffix(".zst")?;
    match stem.split_once('.') {
        None => Some((stem.parse().ok()?, 0)),
        Some((source, generation)) => Some((source.parse().ok()?, generation.parse().ok()?)),
    }
}

/// Appends frames to a source's raw file.
#[derive(Debug)]
pub struct RawWriter {
    file: File,
    path: PathBuf,
    generation: u32,
    frames: Vec<(u32, u32)>,
    offset: u64,
    at: u64,
}

impl RawWriter {
    pub fn create(case: &Path, source: u32, generation: u32) -> Result<RawWriter> {
        let path = raw_path(case, source, generation);
        let file = files::create(&path, files::RAW)?;
        Ok(RawWriter { file, path, generation, frames: Vec::new(), offset: 0, at: 0 })
    }

    pub fn append(&mut self, compressed: &[u8], bytes: u32) -> Result<Frame> {
        files::append(&mut self.file, compressed, &self.path, files::RAW)?;
        let size = compressed.len() as u32;
        let frame = Frame { offset: self.offset, bytes, at: self.at, size, generation: self.generation };
        self.frames.push((frame.size, frame.bytes));
        self.offset += u64::from(frame.bytes);
        self.at += u64::from(frame.size);
        Ok(frame)
    }

    /// Length of the frames written so far.
    pub fn written(&self) -> u64 {
        self.at
    }

    /// Writes the seek table. The file is complete after it.
    pub fn finish(mut self) -> Result<()> {
        files::append(&mut self.file, &seek_table(&self.frames), &self.path, files::RAW)
    }
}

/// Makes what was written of these sources survive a crash. One by one as files end it would cost a journal
/// commit each; together they share one.
pub fn sync_raw(case: &Path, sources: &BTreeSet<(u32, u32)>) -> Result<()> {
    for &(source, generation) in sources {
        files::sync(&raw_path(case, source, generation), files::RAW)?;
    }
    files::sync_folder(&case.join("raw"), files::RAW)
}

/// The seekable format's table: a frame that decompressors skip.
fn seek_table(frames: &[(u32, u32)]) -> Vec<u8> {
    let body = frames.len() * 8 + 9;
    let mut table = Vec::with_capacity(body + 8);
    table.extend_from_slice(&SKIPPABLE_MAGIC.to_le_bytes());
    table.extend_from_slice(&(body as u32).to_le_bytes());
    for (size, bytes) in frames {
        table.extend_from_slice(&size.to_le_bytes());
        table.extend_from_slice(&bytes.to_le_bytes());
    }
    table.extend_from_slice(&(frames.len() as u32).to_le_bytes());
    table.push(0);
    table.extend_from_slice(&SEEKABLE_MAGIC.to_le_bytes());
    table
}

/// Packs chunks at a chosen level.
pub struct Packer(Compressor<'static>);

impl Packer {
    pub fn new(level: i32) -> Result<Packer> {
        let made = Compressor::new(level).and_then(|mut compressor| {
            compressor.set_parameter(CParameter::ChecksumFlag(true))?;
            Ok(Packer(compressor))
        });
        made.map_err(|error| from_io(&error))
    }

    pub fn pack(&mut self, bytes: &[u8]) -> Result<Vec<u8>> {
        self.0.compress(bytes).map_err(|error| from_io(&error))
    }
}

/// The frames of a raw file, as its seek table tells them.
pub fn raw_frames(case: &Path, (source, generation): (u32, u32)) -> Result<Vec<Frame>> {
    let path = raw_path(case, source, generation);
    let damaged = || Error::damaged(&path, "its seek table cannot be read");
    let mut file = File::open(&path).at_path(&path)?;
    let length = file.seek(SeekFrom::End(0)).at_path(&path)?;
    let mut end = [0; 9];
    file.seek(SeekFrom::Start(length.checked_sub(9).ok_or_else(damaged)?)).at_path(&path)?;
    file.read_exact(&mut end).at_path(&path)?;
    let count = u64::from(u32::from_le_bytes([end[0], end[1], end[2], end[3]]));
    let table = length.checked_sub(9 + count * 8).ok_or_else(damaged)?;
    if end[5..] != SEEKABLE_MAGIC.to_le_bytes() {
        return Err(damaged());
    }
    let mut entries = vec![0; count as usize * 8];
    file.seek(SeekFrom::Start(table)).and_then(|_| file.read_exact(&mut entries)).at_path(&path)?;
    let (mut offset, mut at) = (0, 0);
    let frames = entries.as_chunks::<8>().0.iter().map(|entry| {
        let number = |from: usize| {
            u32::from_le_bytes([entry[from], entry[from + 1], entry[from + 2], entry[from + 3]])
        };
        let frame = Frame { offset, bytes: number(4), at, size: number(0), generation };
        (offset, at) = (frame.end(), at + u64::from(frame.size));
        frame
    });
    Ok(frames.collect())
}

/// Cuts a raw file back to the frames that were published and closes it with their seek table, after an
/// import that ended without doing so.
pub fn recover_raw(
    case: &Path,
    (source, generation): (u32, u32),
    published: u64,
    frames: &[Frame],
) -> Result<()> {
    let path = raw_path(case, source, generation);
    faults::at("raw.recover").at_path(&path)?;
    let mut file = OpenOptions::new().create(true).truncate(false).write(true).open(&path).at_path(&path)?;
    let table: Vec<_> = frames.iter().map(|frame| (frame.size, frame.bytes)).collect();
    file.set_len(published).at_path(&path)?;
    file.seek(SeekFrom::End(0)).at_path(&path)?;
    file.write_all(&seek_table(&table)).at_path(&path)?;
    file.sync_all().at_path(&path)
}

/// Reads frames of all sources of a case. Cheap to make: files are opened when first needed.
#[derive(Debug)]
pub struct RawFolder {
    case: PathBuf,
}

impl RawFolder {
    pub fn new(case: &Path) -> RawFolder {
        RawFolder { case: case.to_path_buf() }
    }

    pub fn cursor(&self) -> RawCursor<'_> {
        RawCursor { folder: self, files: HashMap::new(), current: HashMap::new() }
    }
}

/// Reads many events in one go. Keeps the current frame of each source, because neighbours in time are
/// neighbours in their file.
#[derive(Debug)]
pub struct RawCursor<'a> {
    folder: &'a RawFolder,
    files: HashMap<(u32, u32), File>,
    current: HashMap<u32, (u64, Arc<Vec<u8>>)>,
}

impl RawCursor<'_> {
    /// The decompressed bytes of a frame.
    pub fn frame(&mut self, source: u32, frame: &Frame) -> Result<Arc<Vec<u8>>> {
        if let Some((offset, bytes)) = self.current.get(&source)
            && *offset == frame.offset
        {
            return Ok(Arc::clone(bytes));
        }
        let bytes = Arc::new(self.read(source, frame)?);
        self.keep(source, frame, Arc::clone(&bytes));
        Ok(bytes)
    }

    /// Hands in a frame that a cache already has.
    pub fn keep(&mut self, source: u32, frame: &Frame, bytes: Arc<Vec<u8>>) {
        self.current.insert(source, (frame.offset, bytes));
    }

    /// The same, without keeping it.
    pub fn read(&mut self, source: u32, frame: &Frame) -> Result<Vec<u8>> {
        let path = raw_path(&self.folder.case, source, frame.generation);
        let file = match self.files.entry((source, frame.generation)) {
            std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::hash_map::Entry::Vacant(entry) => {
                entry.insert(File::open(&path).at_path(&path)?)
            }
        };
        let mut compressed = vec![0; frame.size as usize];
        file.seek(SeekFrom::Start(frame.at)).and_then(|_| file.read_exact(&mut compressed)).at_path(&path)?;
        let bytes = zstd::bulk::decompress(&compressed, frame.bytes as usize)
            .map_err(|error| Error::damaged(&path, format!("bytes from {} on: {error}", frame.offset)))?;
        if bytes.len() == frame.bytes as usize {
            Ok(bytes)
        } else {
            Err(Error::damaged(&path, format!("bytes from {} on are cut short", frame.offset)))
        }
    }
}
