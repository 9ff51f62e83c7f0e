//! A lastlog file without the records of users that never logged in. The file is as long as the greatest user id asks
//! for, which may be a terabyte, and nearly all of it is a hole.

use std::io::{self, Read};

use super::layout::{LoginFile, LoginLayout, best, is_lastlog};
use crate::limits;

/// Precedes the user id, and with it each record that is used. No time and no text of a lastlog begins so.
pub(super) const USER_MARK: &[u8; 4] = b"\xFFuid";
/// The mark and the user id, of eight bytes from the lowest on.
pub(super) const USER_BYTES: usize = USER_MARK.len() + 8;

/// Records of 292 and of 296 bytes begin at every multiple of this, so a block needs no layout.
const GRID_BYTES: usize = 21_608;
const BLOCK_BYTES: usize = 12 * GRID_BYTES;

/// Bytes that may have holes.
pub(crate) trait Holes: Read {
    /// Passes over the hole at this place and returns its length: 0 where none begins, or none is known.
    fn pass_hole(&mut self) -> io::Result<u64>;
}

/// Whether only the used records of a file are read: it is a lastlog too long to be kept whole, or nothing in the sample by
/// which a source is detected shows its layout.
pub(crate) fn has_unused_records(name: &str, bytes: u64, file: &mut impl Read) -> io::Result<bool> {
    if bytes <= limits::SAMPLE_BYTES as u64 || !is_lastlog(name) {
        return Ok(false);
    }
    let mut sample = Vec::new();
    file.take(limits::SAMPLE_BYTES as u64).read_to_end(&mut sample)?;
    let is_last = super::detect(&sample, name).is_some_and(|layout| layout.file == LoginFile::Last);
    Ok(is_last && (bytes > limits::LONGEST_WHOLE_LASTLOG_BYTES || is_empty(&sample)))
}

/// The records of a lastlog that are used, each after its user id.
pub(crate) struct UsedRecords<F> {
    file: F,
    /// Known from the first record on.
    layout: Option<LoginLayout>,
    /// Where the next block begins in the file, on the grid.
    at: u64,
    block: Vec<u8>,
    found: Vec<u8>,
    /// The bytes of `found` that were read.
    given: usize,
    failed: Option<io::Error>,
    has_ended: bool,
}

impl<F: Holes> UsedRecords<F> {
    pub(crate) fn new(file: F) -> UsedRecords<F> {
        let (block, found) = (Vec::new(), Vec::new());
        UsedRecords { file, layout: None, at: 0, block, found, given: 0, failed: None, has_ended: false }
    }

    /// Reads a block, and finds the records in it.
    fn next_block(&mut self) -> io::Result<()> {
        let place = self.at + self.file.pass_hole()?;
        // The hole may end within a record, which begins with its zeros.
        let within = (place % GRID_BYTES as u64) as usize;
        let start = place - within as u64;
        self.block.clear();
        self.block.resize(within, 0);
        let wanted = (BLOCK_BYTES - within) as u64;
        let read = self.file.by_ref().take(wanted).read_to_end(&mut self.block);
        self.failed = read.err();
        self.has_ended = self.block.len() < BLOCK_BYTES;
        self.at = start + self.block.len() as u64;
        self.find(start);
        Ok(())
    }

    fn find(&mut self, start: u64) {
        self.given = 0;
        self.found.clear();
        if is_empty(&self.block) {
            return;
        }
        let usual = LoginLayout { file: LoginFile::Last, is_wide: false, is_big_endian: false };
        let layout = *self.layout.get_or_insert_with(|| best(&self.block, LoginFile::Last).unwrap_or(usual));
        let size = layout.record_bytes();
        for (user, record) in (start / size as u64..).zip(self.block.chunks(size)) {
            if !is_empty(record) {
                self.found.extend_from_slice(USER_MARK);
                self.found.extend_from_slice(&user.to_le_bytes());
                self.found.extend_from_slice(record);
            }
        }
    }
}

impl<F: Holes> Read for UsedRecords<F> {
    fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
        while self.given == self.found.len() {
            if let Some(error) = self.failed.take() {
                self.has_ended = true;
                return Err(error);
            }
            if self.has_ended {
                return Ok(0);
            }
            self.next_block()?;
        }
        let read = (&self.found[self.given..]).read(output)?;
        self.given += read;
        Ok(read)
    }
}

/// Whether all bytes are zeros. A loop without an exit compares many at once.
fn is_empty(bytes: &[u8]) -> bool {
    bytes.chunks(4096).all(|part| part.iter().fold(0, |any, byte| any | byte) == 0)
}
