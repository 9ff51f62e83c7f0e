//! Cutting a chunk into lines: where each event starts and ends, and its line number.
//!
//! The cut depends on the bytes of the source alone, never on how they came in chunks.

use memchr::memchr;

use crate::batch::Chunk;
use crate::limits::LONGEST_EVENT_BYTES;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// One event's place in its chunk, without its line end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub start: usize,
    pub end: usize,
    pub line: u64,
}

/// The lines of a chunk that hold more than white space. A line beyond the limit comes in pieces that
/// share its number.
pub(crate) struct Frames<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Length of the byte order mark that is still ahead; it is no part of the first event.
    mark: usize,
    /// Where the current line's text ends, when a piece of it is still to come.
    piece_of: Option<usize>,
    line: u64,
    newline: usize,
}

pub(crate) fn frames(chunk: &Chunk) -> Frames<'_> {
    let marked = chunk.offset == 0 && chunk.bytes.starts_with(BYTE_ORDER_MARK);
    let mark = if marked { BYTE_ORDER_MARK.len() } else { 0 };
    Frames { bytes: &chunk.bytes, at: 0, mark, piece_of: None, line: chunk.first_line, newline: 0 }
}

impl Iterator for Frames<'_> {
    type Item = Frame;

    #[inline]
    fn next(&mut self) -> Option<Frame> {
        loop {
            let frame = self.cut()?;
            // Most lines start with a character that shows, so the rest is seldom looked at.
            if self.bytes[frame.start..frame.end].iter().any(|byte| !byte.is_ascii_whitespace()) {
                return Some(frame);
            }
        }
    }
}

impl Frames<'_> {
    #[inline]
    fn cut(&mut self) -> Option<Frame> {
        let text_end = match self.piece_of.take() {
            Some(text_end) => text_end,
            None => self.next_line()?,
        };
        // Pieces are measured from the first byte of the line, mark or not, as the source cuts them.
        let (start, line) = (self.at + std::mem::take(&mut self.mark), self.line);
        if text_end - self.at > LONGEST_EVENT_BYTES {
            self.at += LONGEST_EVENT_BYTES;
            self.piece_of = Some(text_end);
            return Some(Frame { start, end: self.at, line });
        }
        self.at = self.newline;
        self.line += 1;
        Some(Frame { start, end: text_end, line })
    }

    /// Finds the end of the line that starts here: of its text, and of its line end.
    #[inline]
    fn next_line(&mut self) -> Option<usize> {
        let rest = &self.bytes[self.at..];
        if rest.is_empty() {
            return None;
        }
        let Some(length) = memchr(b'\n', rest) else {
            self.newline = self.bytes.len();
            return Some(self.newline);
        };
        self.newline = self.at + length + 1;
        let carriage_return = length > 0 && rest[length - 1] == b'\r';
        Some(self.at + length - usize::from(carriage_return))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(bytes: &[u8]) -> Vec<(Vec<u8>, u64)> {
        let chunk = Chunk { bytes: bytes.to_vec(), offset: 0, first_line: 1 };
        frames(&chunk).map(|frame| (bytes[frame.start..frame.end].to_vec(), frame.line)).collect()
    }

    #[test]
    fn line_ends_and_blank_lines() {
        let expected = [(b"a".to_vec(), 1), (b"b".to_vec(), 3), (b" c\r".to_vec(), 5)];
        assert_eq!(cut(b"a\r\n\nb\n \t\r\n c\r"), expected);
        assert_eq!(cut(b"\xEF\xBB\xBFa\n"), [(b"a".to_vec(), 1)]);
        assert!(cut(b"").is_empty() && cut(b"\n\r\n").is_empty());
    }

    #[test]
    fn a_long_line_comes_in_pieces_of_one_number() {
        let mut bytes = vec![b'x'; 2 * LONGEST_EVENT_BYTES + 1];
        bytes.extend_from_slice(b"\r\nnext\n");
        let lengths: Vec<_> = cut(&bytes).into_iter().map(|(text, line)| (text.len(), line)).collect();
        assert_eq!(lengths, [(LONGEST_EVENT_BYTES, 1), (LONGEST_EVENT_BYTES, 1), (1, 1), (4, 2)]);
    }
}
