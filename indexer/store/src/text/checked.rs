//! The files of a tantivy index, verified against the checksums taken at writing before tantivy reads them:
//! its decoders trust their input, and damage would make them panic or answer wrongly. A chunk is verified on
//! its first read, so opening an index reads no posting list.

use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tantivy::directory::error::{DeleteError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    Directory, FileHandle, MmapDirectory, OwnedBytes, WatchCallback, WatchHandle, WritePtr,
};
use tantivy::{HasLen, TantivyError};

use base::error::{AtPath, Error, Result};
use base::files::{EntryKind, look};
use base::hash::hash;

/// Bytes per checksum: small next to the posting list of a common word, and verified in two microseconds.
const CHUNK_BYTES: usize = 16 << 10;

/// The checksums of a file.
#[derive(Debug)]
pub struct Checksums {
    /// The file's name, for errors.
    name: String,
    seed: u64,
    bytes: usize,
    chunks: Vec<u64>,
    /// The chunks that are already verified.
    whole: Vec<AtomicBool>,
}

/// The checksums of the chunks of a file.
pub fn checksums(seed: u64, bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.chunks(CHUNK_BYTES).map(move |chunk| hash(seed, chunk))
}

impl Checksums {
    /// The checksums of a file of this length; `None` unless there is one for each of its chunks.
    pub fn new(name: String, seed: u64, bytes: u64, chunks: Vec<u64>) -> Option<Checksums> {
        let bytes = usize::try_from(bytes).ok()?;
        let whole = chunks.iter().map(|_| AtomicBool::new(false)).collect();
        (bytes.div_ceil(CHUNK_BYTES) == chunks.len()).then_some(Checksums {
            name,
            seed,
            bytes,
            chunks,
            whole,
        })
    }

    /// True if these are the bytes of a chunk.
    fn has(&self, chunk: usize, bytes: &[u8]) -> bool {
        self.chunks.get(chunk) == Some(&hash(self.seed, bytes))
    }

    fn damaged(&self) -> io::Error {
        let what = format!("the checksums of {} differ from those taken when it was written", self.name);
        io::Error::new(io::ErrorKind::InvalidData, what)
    }

    fn are_of(&self, bytes: &[u8]) -> bool {
        bytes.len() == self.bytes && checksums(self.seed, bytes).eq(self.chunks.iter().copied())
    }
}

/// A read-only folder that shows only files with checksums.
#[derive(Clone, Debug)]
pub struct CheckedFolder {
    folder: PathBuf,
    mapped: MmapDirectory,
    files: Arc<HashMap<PathBuf, Arc<Checksums>>>,
    /// The chunks that were read: so much of the files is in memory.
    read: Arc<AtomicUsize>,
}

impl CheckedFolder {
    pub fn open(
        folder: &Path,
        files: HashMap<PathBuf, Arc<Checksums>>,
    ) -> std::result::Result<CheckedFolder, TantivyError> {
        // The library opens files by their names: none of them may lead out of the folder.
        let is_file = |name: &Path| {
            let path = folder.join(name);
            path.parent() == Some(folder) && look(&path).is_none_or(|entry| entry.kind == EntryKind::File)
        };
        if let Some(name) = files.keys().find(|name| !is_file(name)) {
            let message = format!("{} is not a file of the index", name.display());
            return Err(TantivyError::InvalidArgument(message));
        }
        let mapped = MmapDirectory::open(folder)?;
        Ok(CheckedFolder {
            folder: folder.to_path_buf(),
            mapped,
            files: Arc::new(files),
            read: Arc::default(),
        })
    }

    /// The bytes of what was read so far.
    pub fn read_bytes(&self) -> usize {
        self.read.load(Ordering::Relaxed) * CHUNK_BYTES
    }

    /// Reads all files and compares them with their checksums.
    pub fn verify(&self) -> Result<()> {
        for (name, checksums) in self.files.iter() {
            let path = self.folder.join(name);
            if !checksums.are_of(&base::files::read(&path).at_path(&path)?) {
                return Err(Error::damaged(
                    &path,
                    "its checksums differ from those taken when it was written",
                ));
            }
        }
        Ok(())
    }

    fn checksums(&self, path: &Path) -> std::result::Result<&Arc<Checksums>, OpenReadError> {
        self.files.get(path).ok_or_else(|| OpenReadError::FileDoesNotExist(path.to_path_buf()))
    }
}

fn refused() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "an index is written once")
}

impl Directory for CheckedFolder {
    fn get_file_handle(&self, path: &Path) -> std::result::Result<Arc<dyn FileHandle>, OpenReadError> {
        let checksums = Arc::clone(self.checksums(path)?);
        let file = self.mapped.get_file_handle(path)?;
        if file.len() != checksums.bytes {
            return Err(OpenReadError::wrap_io_error(checksums.damaged(), path.to_path_buf()));
        }
        Ok(Arc::new(CheckedFile { file, checksums, read: Arc::clone(&self.read) }))
    }

    fn exists(&self, path: &Path) -> std::result::Result<bool, OpenReadError> {
        self.mapped.exists(path)
    }

    fn atomic_read(&self, path: &Path) -> std::result::Result<Vec<u8>, OpenReadError> {
        let checksums = self.checksums(path)?;
        let bytes = self.mapped.atomic_read(path)?;
        if !checksums.are_of(&bytes) {
            return Err(OpenReadError::wrap_io_error(checksums.damaged(), path.to_path_buf()));
        }
        Ok(bytes)
    }

    fn delete(&self, path: &Path) -> std::result::Result<(), DeleteError> {
        Err(DeleteError::IoError { io_error: Arc::new(refused()), filepath: path.to_path_buf() })
    }

    fn open_write(&self, path: &Path) -> std::result::Result<WritePtr, OpenWriteError> {
        Err(OpenWriteError::wrap_io_error(refused(), path.to_path_buf()))
    }

    fn atomic_write(&self, _: &Path, _: &[u8]) -> io::Result<()> {
        Err(refused())
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    fn watch(&self, _: WatchCallback) -> tantivy::Result<WatchHandle> {
        Ok(WatchHandle::empty())
    }
}

#[derive(Debug)]
struct CheckedFile {
    file: Arc<dyn FileHandle>,
    checksums: Arc<Checksums>,
    read: Arc<AtomicUsize>,
}

impl HasLen for CheckedFile {
    fn len(&self) -> usize {
        self.checksums.bytes
    }
}

impl FileHandle for CheckedFile {
    fn read_bytes(&self, range: Range<usize>) -> io::Result<OwnedBytes> {
        if range.start > range.end || range.end > self.checksums.bytes {
            return Err(self.checksums.damaged());
        }
        for chunk in range.start / CHUNK_BYTES..range.end.div_ceil(CHUNK_BYTES) {
            let Some(whole) = self.checksums.whole.get(chunk) else { return Err(self.checksums.damaged()) };
            if !whole.load(Ordering::Relaxed) {
                let start = chunk * CHUNK_BYTES;
                let end = (start + CHUNK_BYTES).min(self.checksums.bytes);
                if !self.checksums.has(chunk, &self.file.read_bytes(start..end)?) {
                    return Err(self.checksums.damaged());
                }
                whole.store(true, Ordering::Relaxed);
                self.read.fetch_add(1, Ordering::Relaxed);
            }
        }
        self.file.read_bytes(range)
    }
}
