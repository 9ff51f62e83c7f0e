//! The original bytes: one seekable zstd file a source. Each frame holds one chunk of whole events, so an
//! event is read by decompressing one frame, and plain `zstd -d` gives the file back.

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::files;
use super::frame_cache::FrameCache;
use super::packing::unpack;
use base::error::{AtPath, Error, Result};
use base::limits::MOST_FRAME_BYTES;

const SKIPPABLE_MAGIC: u32 = 0x184D_2A5E;
/// The magic number of a frame that decompressors skip.
const PASSED_OVER_MAGIC: u32 = 0x184D_2A50;
const SEEKABLE_MAGIC: u32 = 0x8F92_EAB1;

/// A compressed run of a source's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    /// Its offset in the source.
    pub offset: u64,
    pub bytes: u32,
    /// Its offset in the raw file.
    pub at: u64,
    pub size: u32,
    /// Which of the source's raw files it is in: 0 for the first, higher after it was written again.
    #[serde(default, skip_serializing_if = "is_first")]
    pub generation: u32,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde hands out references.
fn is_first(generation: &u32) -> bool {
    *generation == 0
}

impl Frame {
    #[inline]
    #[must_use]
    pub fn holds(&self, offset: u64) -> bool {
        (self.offset..self.end()).contains(&offset)
    }

    #[inline]
    #[must_use]
    pub fn end(&self) -> u64 {
        self.offset + u64::from(self.bytes)
    }
}

/// Names a raw file of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RawFile {
    pub source: u32,
    /// How often the source was written again before.
    pub generation: u32,
}

impl RawFile {
    #[must_use]
    pub fn path(self, case: &Path) -> PathBuf {
        let RawFile { source, generation } = self;
        case.join("raw").join(match generation {
            0 => format!("{source}.zst"),
            _ => format!("{source}-{generation}.zst"),
        })
    }

    #[must_use]
    pub fn from_name(name: &str) -> Option<RawFile> {
        let stem = name.strip_suffix(".zst")?;
        let (source, generation) = stem.split_once('-').unwrap_or((stem, "0"));
        Some(RawFile { source: source.parse().ok()?, generation: generation.parse().ok()? })
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
    pub fn create(case: &Path, raw: RawFile) -> Result<RawWriter> {
        let path = raw.path(case);
        let file = files::create(&path, files::RAW)?;
        Ok(RawWriter { file, path, generation: raw.generation, frames: Vec::new(), offset: 0, at: 0 })
    }

    /// Resumes writing after the committed frames of a raw file; the kept ones come before the rest. The seek
    /// table is written again at the end.
    pub fn resume(case: &Path, raw: RawFile, kept: &[Frame], published: u64) -> Result<RawWriter> {
        let path = raw.path(case);
        let file = files::cut(&path, published, files::RAW)?;
        let offset = kept.last().map_or(0, Frame::end);
        let (generation, frames) = (raw.generation, table_of(kept, published));
        Ok(RawWriter { file, path, generation, frames, offset, at: published })
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

    /// The length of the written frames.
    #[must_use]
    pub fn written(&self) -> u64 {
        self.at
    }

    /// Writes the seek table, which completes the file.
    pub fn finish(mut self) -> Result<()> {
        files::append(&mut self.file, &seek_table(&self.frames), &self.path, files::RAW)
    }
}

/// Makes the written bytes of these sources durable. Syncing each file as it ends would cost a journal commit
/// each; together they share one.
pub fn sync_raw(case: &Path, files: &BTreeSet<RawFile>) -> Result<()> {
    for raw in files {
        files::sync(&raw.path(case), files::RAW)?;
    }
    files::sync_folder(&case.join("raw"), files::RAW)
}

/// The table of the seekable format: a frame that decompressors skip.
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

/// The frames of a raw file that may lack its seek table, as after a crash: up to where no frame can be read.
pub fn raw_frames_that_are_left(case: &Path, raw: RawFile) -> Result<Vec<Frame>> {
    raw_frames(case, raw).or_else(|_| walked_frames(case, raw))
}

/// The longest header of a zstd frame, and that of a block.
const LONGEST_FRAME_HEADER: usize = 18;
const BLOCK_HEADER: u64 = 3;
const FRAME_MAGIC: u32 = 0xFD2F_B528;

/// The frames of a raw file, from their headers.
fn walked_frames(case: &Path, raw: RawFile) -> Result<Vec<Frame>> {
    let path = raw.path(case);
    let mut file = base::files::open(&path).at_path(&path)?;
    let length = file.seek(SeekFrom::End(0)).at_path(&path)?;
    let (mut frames, mut at, mut offset) = (Vec::new(), 0, 0);
    while at < length {
        let Some((size, bytes)) = walked_frame(&mut file, at).filter(|(size, _)| at + size <= length) else {
            break;
        };
        if let (Ok(size), Some(bytes)) = (u32::try_from(size), bytes) {
            let frame = Frame { offset, bytes, at, size, generation: raw.generation };
            offset = frame.end();
            frames.push(frame);
        }
        at += size;
    }
    Ok(frames)
}

/// The size of the frame at a place, and how many bytes it holds unless it is one that decompressors skip.
fn walked_frame(file: &mut File, at: u64) -> Option<(u64, Option<u32>)> {
    let mut read = |at: u64, bytes: &mut [u8]| {
        file.seek(SeekFrom::Start(at)).ok()?;
        file.read(bytes).ok()
    };
    let mut head = [0; LONGEST_FRAME_HEADER];
    let filled = read(at, &mut head)?;
    let number = |from: usize| {
        let bytes = head.get(from..from + 4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    };
    let magic = number(0)?;
    if magic & 0xFFFF_FFF0 == PASSED_OVER_MAGIC & 0xFFFF_FFF0 {
        return Some((u64::from(number(4)?) + 8, None));
    }
    if magic != FRAME_MAGIC || filled < 6 {
        return None;
    }
    let bytes = zstd::zstd_safe::get_frame_content_size(&head[..filled]).ok()??;
    // RFC 8878: the descriptor says how long the rest of the header is.
    let descriptor = head[4];
    let (is_single, has_checksum) = (descriptor & 0x20 != 0, descriptor & 0x04 != 0);
    let dictionary = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let content = [u64::from(is_single), 2, 4, 8][usize::from(descriptor >> 6)];
    let mut next = at + 5 + u64::from(!is_single) + dictionary + content;
    loop {
        let mut block = [0; BLOCK_HEADER as usize];
        if read(next, &mut block)? < block.len() {
            return None;
        }
        let header = u32::from_le_bytes([block[0], block[1], block[2], 0]);
        // A block of one repeated byte stores that byte alone.
        let stored = if header >> 1 & 3 == 1 { 1 } else { u64::from(header >> 3) };
        next += BLOCK_HEADER + stored;
        if header & 1 == 1 {
            break;
        }
    }
    Some((next + 4 * u64::from(has_checksum) - at, Some(u32::try_from(bytes).ok()?)))
}

/// The frames of a raw file, from its seek table. Abandoned frames hold no bytes and are left out.
pub fn raw_frames(case: &Path, raw: RawFile) -> Result<Vec<Frame>> {
    let path = raw.path(case);
    let damaged = || Error::damaged(&path, "its seek table cannot be read");
    let mut file = base::files::open(&path).at_path(&path)?;
    let length = file.seek(SeekFrom::End(0)).at_path(&path)?;
    let mut end = [0; 9];
    file.seek(SeekFrom::Start(length.checked_sub(9).ok_or_else(damaged)?)).at_path(&path)?;
    file.read_exact(&mut end).at_path(&path)?;
    let count = u64::from(u32::from_le_bytes([end[0], end[1], end[2], end[3]]));
    let table = length.checked_sub(9 + count * 8).ok_or_else(damaged)?;
    if end[5..] != SEEKABLE_MAGIC.to_le_bytes() {
        return Err(damaged());
    }
    let size = |entry: &[u8; 8]| u64::from(u32::from_le_bytes([entry[0], entry[1], entry[2], entry[3]]));
    let mut entries = vec![0; count as usize * 8];
    file.seek(SeekFrom::Start(table)).and_then(|_| file.read_exact(&mut entries)).at_path(&path)?;
    let (mut offset, mut at) = (0, 0);
    // What looks like a table in the bytes of a frame does not add up to the file.
    if entries.as_chunks::<8>().0.iter().map(size).sum::<u64>() + 8 != table {
        return Err(damaged());
    }
    let frames = entries.as_chunks::<8>().0.iter().map(|entry| {
        let number = |from: usize| {
            u32::from_le_bytes([entry[from], entry[from + 1], entry[from + 2], entry[from + 3]])
        };
        let frame = Frame { offset, bytes: number(4), at, size: number(0), generation: raw.generation };
        (offset, at) = (frame.end(), at + u64::from(frame.size));
        frame
    });
    Ok(frames.filter(|frame| frame.bytes > 0).collect())
}

/// The entries of the seek table for a source's frames. A frame between them that is no longer theirs gets an
/// empty entry.
fn table_of(frames: &[Frame], published: u64) -> Vec<(u32, u32)> {
    let mut table = Vec::with_capacity(frames.len());
    let mut at = 0;
    for frame in frames {
        if frame.at > at {
            table.push(((frame.at - at) as u32, 0));
        }
        table.push((frame.size, frame.bytes));
        at = frame.at + u64::from(frame.size);
    }
    if published > at {
        table.push(((published - at) as u32, 0));
    }
    table
}

/// True if a raw file goes on after its listed frames with more than a seek table.
pub fn has_tail(case: &Path, raw: RawFile, listed: u64) -> Result<bool> {
    let path = raw.path(case);
    if base::files::look(&path).is_none_or(|file| file.bytes <= listed) {
        return Ok(false);
    }
    let mut next = [0; 4];
    let mut file = base::files::open(&path).at_path(&path)?;
    let read = file.seek(SeekFrom::Start(listed)).and_then(|_| file.read(&mut next)).at_path(&path)?;
    Ok(next[..read] != SKIPPABLE_MAGIC.to_le_bytes()[..read])
}

/// Repairs a raw file after an import that was interrupted: truncates it to the committed length, closes it
/// with the seek table, and abandons the frames between its own.
pub fn recover_raw(case: &Path, raw: RawFile, published: u64, frames: &[Frame]) -> Result<()> {
    let path = raw.path(case);
    let table = seek_table(&table_of(frames, published));
    let length = base::files::look(&path).map(|file| file.bytes);
    if length.is_none() && published > 0 {
        // It was deleted; `verify` reports that.
        return Ok(());
    }
    if length != Some(published + table.len() as u64) {
        let mut file = files::cut(&path, published, files::RAW)?;
        files::append(&mut file, &table, &path, files::RAW)?;
        files::sync(&path, files::RAW)?;
    }
    abandon(&path, frames)
}

/// Makes decompressors skip the frames between a source's own frames, which it no longer uses. Their bytes
/// are in a later frame, together with the bytes that followed.
pub fn abandon_raw_frames(case: &Path, raw: RawFile, frames: &[Frame]) -> Result<()> {
    abandon(&raw.path(case), frames)
}

fn abandon(path: &Path, frames: &[Frame]) -> Result<()> {
    let mut at = 0;
    let mut headers = Vec::new();
    for frame in frames {
        if frame.at > at {
            let size = (frame.at - at) as u32;
            let mut header = PASSED_OVER_MAGIC.to_le_bytes().to_vec();
            header.extend_from_slice(&size.saturating_sub(8).to_le_bytes());
            headers.push((at, header));
        }
        at = frame.at + u64::from(frame.size);
    }
    if headers.is_empty() { Ok(()) } else { files::overwrite(path, &headers, files::RAW) }
}

/// Reads frames of all sources of a case. Cheap to create: files are opened on first use.
#[derive(Clone, Debug)]
pub struct RawFolder {
    case: PathBuf,
    cache: Arc<FrameCache>,
}

impl RawFolder {
    #[must_use]
    pub fn new(case: &Path) -> RawFolder {
        RawFolder { case: case.to_path_buf(), cache: Arc::default() }
    }

    #[must_use]
    pub fn cursor(&self) -> RawCursor<'_> {
        self.cursor_over(KeptFrames::default())
    }

    /// A cursor that begins with the frames of an earlier one.
    #[must_use]
    pub fn cursor_over(&self, frames: KeptFrames) -> RawCursor<'_> {
        RawCursor { folder: self, files: HashMap::new(), current: frames.0 }
    }

    /// Keeps the bytes of a frame that the case lists, so that reading it unpacks nothing.
    pub fn keep(&self, source: u32, frame: &Frame, bytes: Arc<Vec<u8>>) {
        self.cache.put(source, frame, bytes);
    }

    /// Keeps no more frames than that from now on.
    pub fn limit(&self, bytes: usize) {
        self.cache.limit(bytes);
    }
}

/// A frame by its generation and offset, and its bytes.
type CachedFrame = ((u32, u64), Arc<Vec<u8>>);

/// The current frame of each source of a cursor, without its open files.
#[derive(Debug, Default)]
pub struct KeptFrames(HashMap<u32, CachedFrame>);

impl KeptFrames {
    #[must_use]
    pub fn memory(&self) -> usize {
        self.0.values().map(|(_, bytes)| bytes.len()).sum()
    }
}

/// Reads many events in sequence. It caches the current frame of each source, because neighbours in time are
/// neighbours in their file.
#[derive(Debug)]
pub struct RawCursor<'a> {
    folder: &'a RawFolder,
    files: HashMap<RawFile, File>,
    current: HashMap<u32, CachedFrame>,
}

impl RawCursor<'_> {
    /// What the next cursor over the same sources may begin with.
    #[must_use]
    pub fn into_frames(self) -> KeptFrames {
        KeptFrames(self.current)
    }

    /// The decompressed bytes of a frame.
    pub fn frame(&mut self, source: u32, frame: &Frame) -> Result<Arc<Vec<u8>>> {
        if let Some((place, bytes)) = self.current.get(&source)
            && *place == (frame.generation, frame.offset)
        {
            return Ok(Arc::clone(bytes));
        }
        let bytes = match self.folder.cache.get(source, frame) {
            Some(bytes) => bytes,
            None => Arc::new(self.read(source, frame)?),
        };
        self.current.insert(source, ((frame.generation, frame.offset), Arc::clone(&bytes)));
        Ok(bytes)
    }

    /// The same, and keeps it for other readers of the folder.
    pub fn kept_frame(&mut self, source: u32, frame: &Frame) -> Result<Arc<Vec<u8>>> {
        let bytes = self.frame(source, frame)?;
        self.folder.keep(source, frame, Arc::clone(&bytes));
        Ok(bytes)
    }

    /// The same without caching it.
    pub fn read(&mut self, source: u32, frame: &Frame) -> Result<Vec<u8>> {
        let raw = RawFile { source, generation: frame.generation };
        let path = raw.path(&self.folder.case);
        let file = match self.files.entry(raw) {
            std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::hash_map::Entry::Vacant(entry) => {
                entry.insert(base::files::open(&path).at_path(&path)?)
            }
        };
        // What is allocated comes from a file that may claim anything.
        if frame.bytes as usize > MOST_FRAME_BYTES {
            let what = format!("bytes from {} on claim to unpack to {} bytes", frame.offset, frame.bytes);
            return Err(Error::damaged(&path, what));
        }
        let length = file.metadata().at_path(&path)?.len();
        if frame.at.checked_add(u64::from(frame.size)).is_none_or(|end| end > length) {
            let cut = std::io::Error::new(std::io::ErrorKind::UnexpectedEof, "failed to fill whole buffer");
            return Err(cut).at_path(&path);
        }
        let mut compressed = vec![0; frame.size as usize];
        file.seek(SeekFrom::Start(frame.at)).and_then(|_| file.read_exact(&mut compressed)).at_path(&path)?;
        let bytes = unpack(&compressed, frame.bytes as usize)
            .map_err(|error| Error::damaged(&path, format!("bytes from {} on: {error}", frame.offset)))?;
        if bytes.len() == frame.bytes as usize {
            Ok(bytes)
        } else {
            Err(Error::damaged(&path, format!("bytes from {} on are cut short", frame.offset)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frame_that_claims_more_than_it_can_have_is_damage() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("raw")).expect("a folder");
        let raw = RawFile { source: 0, generation: 0 };
        let packed = super::super::packing::pack(b"a line\n", 1).expect("packed");
        std::fs::write(raw.path(folder.path()), &packed).expect("written");
        let true_frame = Frame { offset: 0, bytes: 7, at: 0, size: packed.len() as u32, generation: 0 };
        let raw = RawFolder::new(folder.path());
        let read = |frame: Frame| raw.cursor().read(0, &frame);
        assert_eq!(read(true_frame).expect("read"), b"a line\n");
        for frame in [
            Frame { bytes: u32::MAX, ..true_frame },
            Frame { bytes: MOST_FRAME_BYTES as u32 + 1, ..true_frame },
            Frame { size: u32::MAX, ..true_frame },
            Frame { at: u64::MAX, ..true_frame },
            Frame { bytes: 6, ..true_frame },
            Frame { bytes: 8, ..true_frame },
        ] {
            let error = read(frame).expect_err("no such frame");
            assert!(error.kind().is_of_files(), "{frame:?}: {error}");
        }
    }
}
