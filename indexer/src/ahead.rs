//! What files hold before they are read into a case: the lines that a filter on text finds in them, as grep does.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Instant;

use ingest::{BYTE_ORDER_MARK, Encoding, InputFile, TextDecoder};
use memchr::{memchr, memrchr};

use crate::Cancel;
use crate::error::Result;
use crate::exec::{Prepared, in_order};
use crate::limits::{AHEAD_BLOCK_BYTES, AHEAD_LINE_BYTES, AHEAD_LINES, AHEAD_RUN_BYTES, PARTIAL_EVERY};
use crate::query::Filter;
use crate::tune::Turn;

/// Lines of files that match. An event may have several lines, and its words may stand in more than one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ahead {
    pub lines: u64,
    /// The first of them, in the order of the files.
    pub first: Vec<AheadLine>,
    /// Files that were looked through.
    pub files: usize,
    /// Those that could not: they are packed, or of another kind than lines, or cannot be read.
    pub others: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AheadLine {
    pub path: PathBuf,
    /// Where it begins in the file.
    pub offset: u64,
    pub text: String,
}

/// Looks through files and folders as they stand on disk, on all cores. `partial` is called with what is found so far and
/// the share looked at. `None` where the filter asks for everything, or for more than text, which only an import can
/// tell.
pub fn look_ahead(
    paths: &[PathBuf],
    taken: &ingest::Filter,
    filter: &Filter,
    partial: &mut dyn FnMut(&Ahead, f64),
    cancel: &Cancel,
) -> Result<Option<Ahead>> {
    let asked = Prepared::new(filter);
    if *filter == Filter::Everything || !asked.is_of_text() {
        return Ok(None);
    }
    let found = ingest::discover_some(paths, taken).files;
    let mut files = Vec::new();
    in_order(
        found.len(),
        cancel,
        |file| Ok(Lines::of(&found[file])),
        |_, lines| {
            files.extend(lines);
            Ok(())
        },
    )?;
    let mut ahead = Ahead { files: files.len(), others: found.len() - files.len(), ..Ahead::default() };
    // How many runs of bytes there are up to the end of each file.
    let ends: Vec<usize> = files
        .iter()
        .scan(0, |runs, file| {
            *runs += file.bytes.div_ceil(AHEAD_RUN_BYTES) as usize;
            Some(*runs)
        })
        .collect();
    let runs = ends.last().copied().unwrap_or(0);
    let look = |run: usize| {
        let file = ends.partition_point(|&end| end <= run);
        let before = file.checked_sub(1).map_or(0, |before| ends[before]);
        let from = (run - before) as u64 * AHEAD_RUN_BYTES;
        // What cannot be read is told by the import, which reads it too.
        Ok((file, files[file].matching(from, &asked).unwrap_or_default()))
    };
    let _turn = Turn::take();
    let mut told = Instant::now();
    in_order(runs, cancel, look, |run, (file, matching)| {
        ahead.lines += matching.lines;
        let room = AHEAD_LINES - ahead.first.len();
        let path = files[file].path;
        let line = |(offset, text)| AheadLine { path: path.to_path_buf(), offset, text };
        ahead.first.extend(matching.first.into_iter().take(room).map(line));
        if told.elapsed() >= PARTIAL_EVERY && run + 1 < runs {
            told = Instant::now();
            partial(&ahead, (run + 1) as f64 / runs as f64);
        }
        Ok(())
    })?;
    Ok(Some(ahead))
}

/// A file of lines.
struct Lines<'f> {
    path: &'f Path,
    bytes: u64,
    encoding: Encoding,
}

/// The matching lines that begin in a run, the first of them with their places.
#[derive(Default)]
struct Matching {
    lines: u64,
    first: Vec<(u64, String)>,
}

thread_local! {
    /// Each thread reads into the same memory again and again.
    static BLOCK: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

impl<'f> Lines<'f> {
    fn of(found: &'f InputFile) -> Option<Lines<'f>> {
        let encoding = ingest::encoding_of_lines(&found.path).ok()??;
        Some(Lines { path: &found.path, bytes: found.bytes, encoding })
    }

    /// Of the lines that begin in the run of bytes from here on.
    fn matching(&self, from: u64, asked: &Prepared) -> io::Result<Matching> {
        BLOCK.with_borrow_mut(|block| {
            // So many bytes of the block are of the file.
            let mut held = 0;
            let mut file = File::open(self.path)?;
            let mut matching = Matching::default();
            let end = from + AHEAD_RUN_BYTES;
            // The byte before tells whether a line begins with the run.
            let mut base = from.saturating_sub(1);
            let mut is_within_line = from > 0;
            file.seek(SeekFrom::Start(base))?;
            while base < end {
                if block.len() < held + AHEAD_BLOCK_BYTES {
                    block.resize(held + AHEAD_BLOCK_BYTES, 0);
                }
                let read = file.read(&mut block[held..held + AHEAD_BLOCK_BYTES])?;
                held += read;
                let bytes = &block[..held];
                // A line that is not whole yet waits for the rest of it.
                let whole = match memrchr(b'\n', bytes) {
                    _ if read == 0 || bytes.len() > AHEAD_LINE_BYTES => bytes.len(),
                    last => last.map_or(0, |last| last + 1),
                };
                let lines = &bytes[..whole];
                let start = match memchr(b'\n', lines) {
                    Some(first) if is_within_line => first + 1,
                    None if is_within_line => whole,
                    _ if base == 0 && lines.starts_with(BYTE_ORDER_MARK) => BYTE_ORDER_MARK.len(),
                    _ => 0,
                };
                is_within_line &= start == whole && !lines.ends_with(b"\n");
                let begin = start..whole.min((end - base) as usize);
                self.add_matching((base, lines), begin, asked, &mut matching);
                if read == 0 {
                    break;
                }
                base += whole as u64;
                block.copy_within(whole..held, 0);
                held -= whole;
            }
            Ok(matching)
        })
    }

    /// Adds those lines that begin within the range, at whose start one does. The bytes stand at this place of the
    /// file.
    fn add_matching(
        &self,
        (base, bytes): (u64, &[u8]),
        begin: Range<usize>,
        asked: &Prepared,
        matching: &mut Matching,
    ) {
        let mut texts = TextDecoder::new(self.encoding);
        // What must be there is looked for in the bytes only where they are their own text.
        let literal = asked.literal().filter(|_| texts.is_identity(bytes));
        let mut at = begin.start;
        while at < begin.end {
            if let Some(literal) = literal {
                let Some(found) = literal.find_at(bytes, at) else { break };
                at = memrchr(b'\n', &bytes[at..found]).map_or(at, |end| at + end + 1);
                if at >= begin.end {
                    break;
                }
            }
            let end = memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |end| at + end);
            let text_end = if bytes[at..end].ends_with(b"\r") { end - 1 } else { end };
            let text = texts.text(bytes, base, at..text_end);
            if !text.is_empty() && asked.holds(&text) {
                matching.lines += 1;
                if matching.first.len() < AHEAD_LINES {
                    matching.first.push((base + at as u64, String::from_utf8_lossy(&text).into_owned()));
                }
            }
            at = end + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_at_the_ends_of_runs_are_found_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("app.log");
        let asked = crate::query::parse("error").expect("a query");
        let filling = format!("{}\n", "x".repeat(1_023)).repeat(AHEAD_RUN_BYTES as usize / 1_024 - 1);
        for offset in AHEAD_RUN_BYTES - 8..AHEAD_RUN_BYTES + 3 {
            let rest = "y".repeat(offset as usize - filling.len() - 1);
            std::fs::write(&path, format!("{filling}{rest}\nerror\nlast\n")).expect("a log");
            let (paths, taken) = ([path.clone()], ingest::Filter::default());
            let ahead = look_ahead(&paths, &taken, &asked, &mut |_, _| {}, &Cancel::default());
            let line = AheadLine { path: path.clone(), offset, text: "error".to_owned() };
            let expected = Ahead { lines: 1, first: vec![line], files: 1, others: 0 };
            assert_eq!(ahead.expect("an answer"), Some(expected));
        }
    }
}
