//! A file that others may change while it is read.

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::Arc;

use super::meter::{Meter, Packed};
use crate::error::ErrorKind;
use crate::logins::Holes;
use crate::problem::Problem;

/// Reads a file from its start, and fails if it becomes shorter meanwhile or if another file takes its place: then
/// bytes are missing. A file that grows is read up to its end.
pub struct WatchedFile {
    file: File,
    path: PathBuf,
    packed: Arc<Packed>,
    meter: Arc<Meter>,
    read_bytes: u64,
    /// The greatest length so far.
    longest_bytes: u64,
}

impl WatchedFile {
    pub fn new(file: File, path: PathBuf, packed: Arc<Packed>, meter: Arc<Meter>) -> WatchedFile {
        let longest_bytes = packed.bytes();
        WatchedFile { file, path, packed, meter, read_bytes: 0, longest_bytes }
    }

    /// Fails if the file is shorter than it was.
    fn check_length(&mut self) -> io::Result<Metadata> {
        let now = self.file.metadata()?;
        if now.len() < self.longest_bytes {
            let message = format!(
                "it became shorter while it was read, from {} to {} bytes; the first {} bytes are kept and may end \
                 within an event; import it again when it is whole",
                self.longest_bytes,
                now.len(),
                self.read_bytes
            );
            return Err(Problem::new(ErrorKind::Changed, message).into());
        }
        self.longest_bytes = now.len();
        Ok(now)
    }

    fn check_place(&self, own: &Metadata) -> io::Result<()> {
        let is_other = std::fs::metadata(&self.path).is_ok_and(|there| !is_same(&there, own));
        if is_other {
            let message = format!(
                "another file took its place while it was read; {} bytes of the earlier one are kept; import it again \
                 to read the other one",
                self.read_bytes
            );
            return Err(Problem::new(ErrorKind::Changed, message).into());
        }
        Ok(())
    }
}

impl Read for WatchedFile {
    fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
        self.meter.check_stop()?;
        self.check_length()?;
        let read = self.file.read(output)?;
        self.read_bytes += read as u64;
        self.packed.add_read(read as u64);
        if read == 0 && !output.is_empty() {
            let own = self.check_length()?;
            self.check_place(&own)?;
        }
        Ok(read)
    }
}

impl Holes for WatchedFile {
    fn pass_hole(&mut self) -> io::Result<u64> {
        self.meter.check_stop()?;
        let length = self.check_length()?.len();
        let Some(data) = next_data(&self.file, self.read_bytes, length) else { return Ok(0) };
        self.file.seek(SeekFrom::Start(data))?;
        let passed = data.saturating_sub(self.read_bytes);
        self.read_bytes = data;
        self.packed.add_read(passed);
        Ok(passed)
    }
}

/// Where the next bytes after a place are that are not in a hole, or the length; `None` where the system does not tell.
#[cfg(any(target_os = "linux", target_os = "android", target_os = "macos", target_os = "freebsd"))]
fn next_data(file: &File, at: u64, length: u64) -> Option<u64> {
    match rustix::fs::seek(file, rustix::fs::SeekFrom::Data(at)) {
        Ok(data) => Some(data),
        Err(rustix::io::Errno::NXIO) => Some(length.max(at)),
        Err(_) => None,
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "macos", target_os = "freebsd")))]
fn next_data(_: &File, _: u64, _: u64) -> Option<u64> {
    None
}

#[cfg(unix)]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Files have no identity here that the standard library shows.
#[cfg(not(unix))]
fn is_same(_: &Metadata, _: &Metadata) -> bool {
    true
}
