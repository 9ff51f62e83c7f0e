//! The decoded text of a run of bytes, where it differs from them, and the mapping from a position in the
//! text back to the bytes.

use std::borrow::Cow;

use crate::encoding::{Encoding, length_with_escapes};
use crate::limits::LONGEST_EVENT_BYTES;

/// Text decoded line by line, with the position of each line in the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decoded {
    encoding: Encoding,
    text: Vec<u8>,
    lines: Vec<DecodedLine>,
    upto: usize,
}

/// The start of a line and the end of its text, in the bytes and in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct DecodedLine {
    text_start: usize,
    text_end: usize,
    start: usize,
    end: usize,
}

/// The place of a text in the bytes is no further from the first one whose text is as long: three units of a
/// character of four may decode to five bytes more than the whole, and each of these may be a unit.
const MOST_UNITS_FURTHER: usize = 9;

impl Decoded {
    pub(crate) fn new(encoding: Encoding) -> Decoded {
        Decoded { encoding, text: Vec::new(), lines: Vec::new(), upto: 0 }
    }

    /// Text that was not decoded line by line; its positions cannot be mapped back.
    pub(crate) fn whole(text: Vec<u8>) -> Decoded {
        Decoded { encoding: Encoding::UTF_8, text, lines: Vec::new(), upto: 0 }
    }

    pub(crate) fn text(&self) -> &[u8] {
        &self.text
    }

    /// Decodes the bytes appended since the last call: whole lines, and at the end of the input the rest. A
    /// line that is too long to wait for is decoded in parts.
    pub(crate) fn extend(&mut self, bytes: &[u8], ended: bool) {
        self.text.reserve(bytes.len() - self.upto);
        while self.upto < bytes.len() {
            let (end, next) = match self.encoding.line_end(bytes, self.upto) {
                Some(found) => found,
                None if ended => (bytes.len(), bytes.len()),
                None if bytes.len() - self.upto > LONGEST_EVENT_BYTES => {
                    (self.upto + LONGEST_EVENT_BYTES, self.upto + LONGEST_EVENT_BYTES)
                }
                None => return,
            };
            let text_start = self.text.len();
            self.encoding.append_text(&bytes[self.upto..end], &mut self.text);
            self.lines.push(DecodedLine { text_start, text_end: self.text.len(), start: self.upto, end });
            self.encoding.append_text(&bytes[end..next], &mut self.text);
            self.upto = next;
        }
    }

    /// Whether characters of the text have other bytes than the bytes they were decoded from.
    pub(crate) fn is_recoded(&self) -> bool {
        !self.encoding.is_utf8()
    }

    /// The position in the bytes that corresponds to a position in the text.
    pub(crate) fn byte_position(&self, bytes: &[u8], at: usize) -> usize {
        let index = self.lines.partition_point(|line| line.text_start <= at);
        let Some(line) = index.checked_sub(1).map(|index| self.lines[index]) else { return 0 };
        let next = self.lines.get(index).map_or(self.upto, |line| line.start);
        if at == line.text_start {
            line.start
        } else if at == line.text_end {
            line.end
        } else if at > line.text_end {
            // Within the line end, whose characters are one unit each.
            (line.end + (at - line.text_end) * self.unit()).min(next)
        } else {
            // A chunk may end within a line, if events are not lines.
            let line_bytes = &bytes[line.start..line.end.min(bytes.len())];
            line.start + self.prefix_length(line_bytes, at.min(self.text.len()) - line.text_start)
        }
    }

    /// Length of the prefix of the bytes that decodes to this many bytes of text, such that the rest of the
    /// bytes decodes to the rest of the text.
    fn prefix_length(&self, bytes: &[u8], text_length: usize) -> usize {
        let decoded = self.encoding.decoded(bytes);
        let wanted = &decoded[..length_with_escapes(&decoded, text_length)];
        if let Cow::Borrowed(_) = decoded {
            return wanted.len();
        }
        let unit = self.unit();
        let (mut low, mut high) = (0, bytes.len() / unit);
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.encoding.decoded(&bytes[..middle * unit]).len() < wanted.len() {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        // Half a character decodes to a replacement character: it may be longer than the whole, and where the
        // whole is invalid too, it is the same.
        let is_wanted = |units: &usize| {
            let (before, after) = bytes.split_at(units * unit);
            self.encoding.decoded(before).as_ref() == wanted
                && self.encoding.decoded(after).as_ref() == &decoded[wanted.len()..]
        };
        let whole = (low..=bytes.len() / unit).take(MOST_UNITS_FURTHER).find(is_wanted);
        whole.unwrap_or(low) * unit
    }

    /// How many bytes the smallest character has.
    fn unit(&self) -> usize {
        if self.encoding.is_wide() { 2 } else { 1 }
    }

    /// How many of the bytes have been decoded.
    pub(crate) fn decoded_bytes(&self) -> usize {
        self.upto
    }

    /// The text up to a position; what follows is decoded again.
    pub(crate) fn up_to(mut self, at: usize) -> Decoded {
        self.text.truncate(at);
        self.lines.retain(|line| line.text_start < at);
        self
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn text_positions_map_to_byte_positions() {
        let bytes: Vec<u8> = "é1\r\nzwei\n\u{1F600}x".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let mut decoded = Decoded::new(Encoding::named("utf-16le").unwrap());
        decoded.extend(&bytes[..10], false);
        assert_eq!(decoded.text(), "é1\r\n".as_bytes());
        decoded.extend(&bytes, true);
        assert_eq!(decoded.text(), "é1\r\nzwei\n😀x".as_bytes());
        let places =
            |at: &[usize]| at.iter().map(|&at| decoded.byte_position(&bytes, at)).collect::<Vec<_>>();
        // é ends at 2, its line's text at 3; "zwei" begins at 5, "i" at 8; "x" follows the four bytes at 10.
        assert_eq!(places(&[0, 2, 3, 5, 8, 9, 10, 14, 15]), [0, 2, 4, 8, 14, 16, 18, 22, 24]);
    }

    #[test]
    fn invalid_bytes_stay_together() {
        let bytes = b"a\xA0\xFF<b";
        let mut decoded = Decoded::new(Encoding::named("gbk").unwrap());
        decoded.extend(bytes, true);
        assert_eq!(decoded.text(), "a\u{FFFD}<b".as_bytes());
        assert_eq!(decoded.byte_position(bytes, 4), 3);
    }

    #[test]
    fn a_character_is_shorter_than_a_part_of_it() {
        let bytes = b"{1\x81\x30\x81\x32}{2}";
        let mut decoded = Decoded::new(Encoding::named("gbk").unwrap());
        decoded.extend(bytes, true);
        assert_eq!(decoded.text(), "{1\u{82}}{2}".as_bytes());
        assert_eq!(decoded.byte_position(bytes, 4), 6);
        assert_eq!(decoded.byte_position(bytes, 5), 7);
    }

    #[test]
    fn position_within_a_line_end_maps_to_the_bytes() {
        let bytes: Vec<u8> = "é\r\n\nx".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let mut decoded = Decoded::new(Encoding::named("utf-16le").unwrap());
        decoded.extend(&bytes, true);
        let places: Vec<_> = [2, 3, 4, 5].map(|at| decoded.byte_position(&bytes, at)).to_vec();
        assert_eq!(places, [2, 4, 6, 8]);
    }

    #[test]
    fn escape_codes_are_skipped() {
        let bytes = b"\x1B[31ma\x1B[0mb\n{}{}\n";
        let mut decoded = Decoded::new(Encoding::UTF_8);
        decoded.extend(bytes, true);
        assert_eq!(decoded.text(), b"ab\n{}{}\n");
        assert_eq!(decoded.byte_position(bytes, 0), 0);
        assert_eq!(decoded.byte_position(bytes, 2), 11);
        assert_eq!(decoded.byte_position(bytes, 5), 14);
    }

    #[test]
    fn position_after_an_escape_code_is_not_within_it() {
        // A code that is cut is as long as its bytes, so the text becomes longer and shorter along the line.
        let bytes = b"{\x1B[0Ka (x)\x1B[0;m}{b}\x1B[1;31;40m{\n";
        let mut decoded = Decoded::new(Encoding::UTF_8);
        decoded.extend(bytes, true);
        assert_eq!(decoded.text(), b"{a (x)}{b}{\n");
        let place = |at: usize| &bytes[..decoded.byte_position(bytes, at)];
        assert_eq!(place(1), b"{");
        assert_eq!(place(6), b"{\x1B[0Ka (x)");
        assert_eq!(place(7), b"{\x1B[0Ka (x)\x1B[0;m}");
        assert_eq!(place(10), b"{\x1B[0Ka (x)\x1B[0;m}{b}");
    }
}
