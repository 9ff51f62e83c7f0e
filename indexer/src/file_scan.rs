//! Scans files before they are imported: the lines that a text filter matches, as grep does.

use std::cell::RefCell;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::PathBuf;
use std::time::Instant;

use ingest::{BYTE_ORDER_MARK, Encoding, InputFile, TextDecoder};
use memchr::{memchr, memrchr};
use serde::Serialize;

use crate::tune::Turn;
use base::Cancel;
use base::error::Result;
use base::limits::{PARTIAL_EVERY, SCAN_BLOCK_BYTES, SCAN_LINE_BYTES, SCAN_LINES, SCAN_RUN_BYTES};
use engine::exec::{Prepared, in_order};
use query::Filter;

/// The matching lines of files. An event may have several lines, and its words may be in more than one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileScan {
    pub lines: u64,
    /// The first of them, in the order of the files.
    pub first: Vec<ScannedLine>,
    /// The number of scanned files.
    pub files: usize,
    /// Files that could not be scanned: they are packed, not made of lines, or unreadable.
    pub others: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "AheadLine"))]
pub struct ScannedLine {
    #[serde(with = "base::json::shown_path")]
    #[cfg_attr(feature = "typescript", ts(type = "string"))]
    pub path: PathBuf,
    /// Where it begins in the file.
    pub offset: u64,
    pub text: String,
}

/// Scans files and folders on disk, on all cores. `partial` is called with the current matches and
/// the share looked at. `None` where the filter asks for everything, or for more than text, which only an import can
/// tell.
pub fn scan_files(
    paths: &[PathBuf],
    taken: &ingest::Filter,
    filter: &Filter,
    partial: &mut dyn FnMut(&FileScan, f64),
    cancel: &Cancel,
) -> Result<Option<FileScan>> {
    let asked = Prepared::new(filter);
    if *filter == Filter::Everything || !asked.is_of_text() {
        return Ok(None);
    }
    let found = ingest::discover_some(paths, taken).files;
    let mut files = Vec::new();
    in_order(
        found.len(),
        cancel,
        |file| Ok(Lines::open(&found[file])),
        |_, lines| {
            files.extend(lines);
            Ok(())
        },
    )?;
    let mut scan = FileScan { files: files.len(), others: found.len() - files.len(), ..FileScan::default() };
    // How many runs of bytes there are up to the end of each file.
    let ends: Vec<usize> = files
        .iter()
        .scan(0, |runs, file| {
            *runs += file.found.bytes.div_ceil(SCAN_RUN_BYTES) as usize;
            Some(*runs)
        })
        .collect();
    let runs = ends.last().copied().unwrap_or(0);
    let look = |run: usize| {
        let file = ends.partition_point(|&end| end <= run);
        let before = file.checked_sub(1).map_or(0, |before| ends[before]);
        let from = (run - before) as u64 * SCAN_RUN_BYTES;
        // The import also reads this file and reports why it cannot be read.
        Ok((file, files[file].matching(from, &asked).unwrap_or_default()))
    };
    let _turn = Turn::take();
    let mut last_partial = Instant::now();
    in_order(runs, cancel, look, |run, (file, matching)| {
        scan.lines += matching.lines;
        let room = SCAN_LINES - scan.first.len();
        let path = &files[file].found.path;
        let line = |(offset, text)| ScannedLine { path: path.clone(), offset, text };
        scan.first.extend(matching.first.into_iter().take(room).map(line));
        if last_partial.elapsed() >= PARTIAL_EVERY && run + 1 < runs {
            last_partial = Instant::now();
            partial(&scan, (run + 1) as f64 / runs as f64);
        }
        Ok(())
    })?;
    Ok(Some(scan))
}

/// A file of lines.
struct Lines<'f> {
    found: &'f InputFile,
    encoding: Encoding,
}

/// The matching lines that begin in a run, the first ones with their offsets.
#[derive(Default)]
struct Matching {
    lines: u64,
    first: Vec<(u64, String)>,
}

thread_local! {
    /// Each thread reuses its read buffer.
    static BLOCK: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

impl<'f> Lines<'f> {
    fn open(found: &'f InputFile) -> Option<Lines<'f>> {
        let encoding = ingest::encoding_of_lines(found).ok()??;
        Some(Lines { found, encoding })
    }

    /// Matches the lines that begin in the run of bytes from here on.
    fn matching(&self, from: u64, asked: &Prepared) -> io::Result<Matching> {
        BLOCK.with_borrow_mut(|block| {
            // The bytes of the block that belong to the file.
            let mut held = 0;
            let mut file = ingest::open_file(self.found)?;
            let mut matching = Matching::default();
            let end = from + SCAN_RUN_BYTES;
            // The previous byte decides whether a line begins with the run.
            let mut base = from.saturating_sub(1);
            let mut is_within_line = from > 0;
            file.seek(SeekFrom::Start(base))?;
            while base < end {
                if block.len() < held + SCAN_BLOCK_BYTES {
                    block.resize(held + SCAN_BLOCK_BYTES, 0);
                }
                let read = file.read(&mut block[held..held + SCAN_BLOCK_BYTES])?;
                held += read;
                let bytes = &block[..held];
                // An incomplete line waits for its rest.
                let whole = match memrchr(b'\n', bytes) {
                    _ if read == 0 || bytes.len() > SCAN_LINE_BYTES => bytes.len(),
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

    /// Adds those lines that begin within the range, at whose start one does. `base` is the offset of the bytes in the
    /// file.
    fn add_matching(
        &self,
        (base, bytes): (u64, &[u8]),
        begin: Range<usize>,
        asked: &Prepared,
        matching: &mut Matching,
    ) {
        let mut texts = TextDecoder::new(self.encoding);
        // The literal is searched in the raw bytes only if they are their own text.
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
                if matching.first.len() < SCAN_LINES {
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
        let asked = query::parse("error").expect("a query");
        let filling = format!("{}\n", "x".repeat(1_023)).repeat(SCAN_RUN_BYTES as usize / 1_024 - 1);
        for offset in SCAN_RUN_BYTES - 8..SCAN_RUN_BYTES + 3 {
            let rest = "y".repeat(offset as usize - filling.len() - 1);
            std::fs::write(&path, format!("{filling}{rest}\nerror\nlast\n")).expect("a log");
            let (paths, taken) = ([path.clone()], ingest::Filter::default());
            let scan = scan_files(&paths, &taken, &asked, &mut |_, _| {}, &Cancel::default());
            let line = ScannedLine { path: path.clone(), offset, text: "error".to_owned() };
            let expected = FileScan { lines: 1, first: vec![line], files: 1, others: 0 };
            assert_eq!(scan.expect("an answer"), Some(expected));
        }
    }
}
