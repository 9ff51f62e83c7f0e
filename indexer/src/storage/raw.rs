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
use crate::error::{AtPath, Error, Result};

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
}

impl Frame {
    pub fn holds(&self, offset: u64) -> bool {
        (self.offset..self.offset + u64::from(self.bytes)).contains(&offset)
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
    Ok(compressor)
}

pub fn raw_path(case: &Path, source: u32) -> PathBuf {
    case.join("raw").join(format!("{source}.zst"))
}

/// Appends frames to a source's raw file.
#[derive(Debug)]
pub struct RawWriter {
    file: File,
    path: PathBuf,
    frames: Vec<(u32, u32)>,
    offset: u64,
    at: u64,
}

impl RawWriter {
    pub fn create(case: &Path, source: u32) -> Result<RawWriter> {
        let path = raw_path(case, source);
        let file = File::create(&path).at_path(&path)?;
        Ok(RawWriter { file, path, frames: Vec::new(), offset: 0, at: 0 })
    }

    pub fn append(&mut self, compressed: &[u8], bytes: u32) -> Result<Frame> {
        self.file.write_all(compressed).at_path(&self.path)?;
        let frame = Frame { offset: self.offset, bytes, at: self.at, size: compressed.len() as u32 };
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
        self.file.write_all(&seek_table(&self.frames)).at_path(&self.path)
    }
}

/// Makes what was written of these sources survive a crash. One by one as files end it would cost a journal
/// commit each; together they share one.
pub fn sync_raw(case: &Path, sources: &BTreeSet<u32>) -> Result<()> {
    for &source in sources {
        let path = raw_path(case, source);
        File::open(&path).and_then(|file| file.sync_all()).at_path(&path)?;
    }
    files::sync_folder(&case.join("raw"))
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

/// Cuts a raw file back to the frames that were published and closes it with their seek table, after an
/// import that ended without doing so.
pub fn recover_raw(case: &Path, source: u32, published: u64, frames: &[Frame]) -> Result<()> {
    let path = raw_path(case, source);
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
    files: HashMap<u32, File>,
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
        let path = raw_path(&self.folder.case, source);
        let file = match self.files.entry(source) {
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
