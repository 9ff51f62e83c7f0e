//! Cuts text into events: where each starts and ends, and its line number.
//!
//! The cut depends on the text of the source alone, never on its chunks: a chunk begins where an event does,
//! and an event ends where the next begins.

use std::mem;
use std::sync::Arc;

use memchr::{memchr, memchr_iter, memrchr};

use crate::batch::{Chunk, Frame};
use crate::encoding::BYTE_ORDER_MARK;
use crate::evtx;
use crate::limits::{LARGEST_BLOCK_BYTES, LONGEST_EVENT_BYTES, MOST_EVENT_LINES, START_WITHIN_BYTES};
use crate::logins::{self, LoginLayout};

/// How events are delimited.
#[derive(Clone, Default)]
pub(crate) enum Framing {
    /// Every line is an event.
    #[default]
    Lines,
    /// A line that satisfies the predicate begins an event; the lines after it continue it.
    Starts(Arc<Begins>),
    /// Events can only be found by parsing one after the other. The function gets the text from a position
    /// where an event or a separator begins, and returns the next event; `None` if its end is not in the
    /// text.
    Blocks(Arc<NextBlock>),
    /// The records of a Windows event log, which its own reader finds.
    Evtx,
    /// Binary records of logins, which have one length.
    Logins(LoginLayout),
}

/// The range of an event, which is empty for a mere separator, and the start of the next item. That is 0 where text that
/// follows decides: if there is none, the event is the first line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EventBlock {
    pub start: usize,
    pub end: usize,
    pub next: usize,
}

/// Whether a line begins an event.
pub(crate) type Begins = dyn Fn(&[u8]) -> bool + Send + Sync;

/// The next event of a text, or the separator before it.
pub(crate) type NextBlock = dyn Fn(&[u8]) -> Option<EventBlock> + Send + Sync;

impl Framing {
    pub(crate) fn blocks(next: impl Fn(&[u8]) -> Option<EventBlock> + Send + Sync + 'static) -> Framing {
        Framing::Blocks(Arc::new(next))
    }

    /// Where to cut text that begins with an event, at this offset of the source, so that about this many
    /// bytes precede the cut. `None`: more must be read first, or, if the text is the whole rest of the
    /// source, nothing is to be cut.
    pub(crate) fn cut(&self, offset: u64, text: &[u8], about: usize, whole: bool) -> Option<usize> {
        let head = &text[..about.min(text.len())];
        match self {
            Framing::Lines => {
                let newline = memrchr(b'\n', head).or_else(|| memchr(b'\n', text));
                newline.map_or_else(|| complete_pieces_length(text), |newline| Some(newline + 1))
            }
            Framing::Starts(starts) => {
                let mut end = head.len();
                while let Some(newline) = memrchr(b'\n', &head[..end]) {
                    let line = &text[newline + 1..];
                    if line_length(line, whole).is_some_and(|length| starts(&line[..length])) {
                        return Some(newline + 1);
                    }
                    end = newline;
                }
                next_start(text, &**starts, whole).map(|next| next.at)
            }
            Framing::Blocks(block) => {
                let mut cut = 0;
                while let Some(next) = block(&text[cut..]).map(|block| block.next)
                    && next > 0
                    && (cut == 0 || cut + next <= about)
                {
                    cut += next;
                }
                match cut {
                    0 => (text.len() > LARGEST_BLOCK_BYTES).then_some(LARGEST_BLOCK_BYTES),
                    _ => Some(cut),
                }
            }
            Framing::Evtx => evtx::cut(offset, text, about, whole),
            Framing::Logins(layout) => logins::cut(*layout, text, about),
        }
    }
}

/// The length of the complete pieces of a line that is certainly too long.
fn complete_pieces_length(text: &[u8]) -> Option<usize> {
    // A line end of two bytes may still follow, and then the line would not be too long.
    let pieces = text.len().saturating_sub(2) / LONGEST_EVENT_BYTES * LONGEST_EVENT_BYTES;
    (pieces > 0).then_some(pieces)
}

/// Length of the line at the start of the text without its line end, as far as needed to decide whether it
/// begins an event; `None` if there is no line, or too little of it.
fn line_length(text: &[u8], whole: bool) -> Option<usize> {
    match memchr(b'\n', &text[..text.len().min(START_WITHIN_BYTES)]) {
        Some(newline) => Some(newline - usize::from(newline > 0 && text[newline - 1] == b'\r')),
        None if text.len() >= START_WITHIN_BYTES => Some(START_WITHIN_BYTES),
        None => (whole && !text.is_empty()).then_some(text.len()),
    }
}

/// Where the next event begins, and what the search has found.
struct NextEvent {
    at: usize,
    /// It certainly begins an event.
    begins: bool,
    /// The event before it is a single line.
    is_line: bool,
}

/// Where the event at the start of the text ends and the next begins, if the text is long enough. An event
/// beyond the limits ends at the limit, and the rest of it is another event.
fn next_start(text: &[u8], starts: &Begins, whole: bool) -> Option<NextEvent> {
    let mut lines = 0;
    let mut at = 0;
    let beyond =
        |at| NextEvent { at: if at == 0 { LONGEST_EVENT_BYTES } else { at }, begins: false, is_line: false };
    loop {
        let Some(length) = memchr(b'\n', &text[at..]) else {
            return complete_pieces_length(text).map(|_| beyond(at));
        };
        let next = at + length + 1;
        if next > LONGEST_EVENT_BYTES + 1 {
            return Some(beyond(at));
        }
        lines += 1;
        let line = &text[next..];
        let begins = starts(&line[..line_length(line, whole)?]);
        if begins || lines == MOST_EVENT_LINES {
            return Some(NextEvent { at: next, begins, is_line: lines == 1 });
        }
        at = next;
    }
}

/// The range of an event's text, or of a piece of it, and where the next item begins.
#[derive(Clone, Copy)]
struct EventCut {
    start: usize,
    end: usize,
    next: usize,
    is_rest: bool,
    /// It contains no line end.
    is_line: bool,
}

/// The events of a chunk that contain more than white space.
pub(crate) struct EventFrames<'a> {
    chunk: &'a Chunk,
    text: &'a [u8],
    framing: &'a Framing,
    at: usize,
    /// The end of the current event's text and the start of the next item, while pieces of the event remain.
    rest: Option<EventCut>,
    /// Number of the line that contains the position `counted`.
    line: u64,
    counted: usize,
    /// The text at `at` certainly begins an event.
    begins: bool,
}

pub(crate) fn frames<'a>(chunk: &'a Chunk, framing: &'a Framing) -> EventFrames<'a> {
    let line = chunk.first_line;
    EventFrames { chunk, text: chunk.text(), framing, at: 0, rest: None, line, counted: 0, begins: false }
}

impl Iterator for EventFrames<'_> {
    type Item = Frame;

    #[inline]
    fn next(&mut self) -> Option<Frame> {
        loop {
            let cut = self.cut()?;
            // Most events start with a visible character, so the rest is rarely examined.
            if self.text[cut.start..cut.end].iter().any(|byte| !byte.is_ascii_whitespace()) {
                return Some(self.frame(cut));
            }
        }
    }
}

impl EventFrames<'_> {
    #[inline]
    fn frame(
        &mut self,
        EventCut { start: text_start, end: text_end, is_rest, is_line, .. }: EventCut,
    ) -> Frame {
        self.line += match &self.text[self.counted..text_start] {
            b"\n" => 1,
            between => memchr_iter(b'\n', between).count() as u64,
        };
        // A line contains no line end, so the next count may begin after it.
        self.counted = if is_line { text_end } else { text_start };
        let (start, end) = match self.chunk.decoded {
            None => (text_start, text_end),
            Some(_) => (self.chunk.byte_position(text_start), self.chunk.byte_position(text_end)),
        };
        Frame { text_start, text_end, start, length: end.saturating_sub(start), line: self.line, is_rest }
    }

    /// The next event's text, or the next piece of it.
    #[inline]
    fn cut(&mut self) -> Option<EventCut> {
        let from = self.at;
        let mut cut = match self.rest.take() {
            // A piece of a line is read like a line, because a chunk may begin with it.
            Some(rest) => EventCut { start: from, is_rest: !matches!(self.framing, Framing::Lines), ..rest },
            None if from == self.text.len() => return None,
            None => self.event(from),
        };
        if from == 0 && self.chunk.offset == 0 && self.text.starts_with(BYTE_ORDER_MARK) {
            cut.start = cut.start.max(BYTE_ORDER_MARK.len());
        }
        // Pieces are measured from the start of the event, including a byte order mark, as the source cuts
        // them.
        if cut.end.saturating_sub(from) > LONGEST_EVENT_BYTES {
            self.at = from + LONGEST_EVENT_BYTES;
            self.rest = Some(cut);
            return Some(EventCut { start: cut.start.min(self.at), end: self.at, ..cut });
        }
        self.at = cut.next;
        Some(EventCut { start: cut.start.min(cut.end), is_rest: cut.is_rest && cut.start < cut.end, ..cut })
    }

    #[inline]
    fn event(&mut self, from: usize) -> EventCut {
        let rest = &self.text[from..];
        match self.framing {
            Framing::Lines | Framing::Evtx | Framing::Logins(_) => {
                let newline = memchr(b'\n', rest);
                let length = newline.unwrap_or(rest.len());
                let carriage_return = newline.is_some() && length > 0 && rest[length - 1] == b'\r';
                EventCut {
                    start: from,
                    end: from + length - usize::from(carriage_return),
                    next: (from + length + 1).min(self.text.len()),
                    is_rest: false,
                    is_line: true,
                }
            }
            Framing::Starts(starts) => {
                let whole = NextEvent { at: rest.len(), begins: false, is_line: false };
                let next = next_start(rest, &**starts, true).unwrap_or(whole);
                let begun = mem::replace(&mut self.begins, next.begins);
                let (start, end) = without_blank_lines(&rest[..next.at]);
                let begins = begun && start == 0 || {
                    let mark = from == 0 && rest[start..end].starts_with(BYTE_ORDER_MARK);
                    let first = &rest[start + if mark { BYTE_ORDER_MARK.len() } else { 0 }..end];
                    line_length(first, true).is_some_and(|length| starts(&first[..length]))
                };
                let next_at = from + next.at;
                let (start, end) = (from + start, from + end);
                EventCut { start, end, next: next_at, is_rest: !begins, is_line: next.is_line }
            }
            Framing::Blocks(block) => {
                let whole = EventBlock { start: 0, end: rest.len(), next: rest.len() };
                let found = match block(rest) {
                    Some(block) if block.next > 0 => block,
                    Some(line) if line.end > 0 => {
                        EventBlock { next: memchr(b'\n', rest).map_or(rest.len(), |end| end + 1), ..line }
                    }
                    _ => whole,
                };
                let (start, end) = without_blank_lines(&rest[found.start..found.end]);
                let from_block = from + found.start;
                EventCut {
                    start: from_block + start,
                    end: from_block + end,
                    next: from + found.next,
                    is_rest: false,
                    is_line: false,
                }
            }
        }
    }
}

/// From the first line that is not blank to the end of the last one.
fn without_blank_lines(text: &[u8]) -> (usize, usize) {
    let Some(last) = text.iter().rposition(|byte| !byte.is_ascii_whitespace()) else { return (0, 0) };
    let newline = memchr(b'\n', &text[last..]).map(|length| last + length);
    let end = newline.map_or(text.len(), |end| end - usize::from(text[end - 1] == b'\r'));
    let shown = text.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(end);
    let start = memrchr(b'\n', &text[..shown]).map_or(0, |newline| newline + 1);
    (start.min(end), end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(bytes: &[u8], framing: &Framing) -> Vec<(String, u64)> {
        let chunk = Chunk::whole(bytes.to_vec());
        let text =
            |frame: &Frame| String::from_utf8_lossy(&bytes[frame.text_start..frame.text_end]).into_owned();
        frames(&chunk, framing).map(|frame| (text(&frame), frame.line)).collect()
    }

    #[track_caller]
    fn check(bytes: &[u8], framing: &Framing, expected: &[(&str, u64)]) {
        let expected: Vec<_> = expected.iter().map(|&(text, line)| (text.to_string(), line)).collect();
        assert_eq!(cut(bytes, framing), expected);
    }

    fn stamped() -> Framing {
        Framing::Starts(Arc::new(|line| line.first().is_some_and(u8::is_ascii_digit)))
    }

    #[test]
    fn line_ends_and_blank_lines() {
        check(b"a\r\n\nb\n \t\r\n c\r", &Framing::Lines, &[("a", 1), ("b", 3), (" c\r", 5)]);
        check(b"\xEF\xBB\xBFa\n", &Framing::Lines, &[("a", 1)]);
        check(b"", &Framing::Lines, &[]);
        check(b"\n\r\n", &Framing::Lines, &[]);
    }

    #[test]
    fn continuation_lines_join_the_event_before_them() {
        let text = b"# up\n\n1 a\r\n  at x\r\n\r\n  at y\n\n2 b\n3 c";
        check(text, &stamped(), &[("# up", 1), ("1 a\r\n  at x\r\n\r\n  at y", 3), ("2 b", 8), ("3 c", 9)]);
        check(b"\xEF\xBB\xBF1 a\nb\n", &stamped(), &[("1 a\nb", 1)]);
        let chunk = Chunk::whole(b"up\n1 a\n".to_vec());
        let rests: Vec<_> = frames(&chunk, &stamped()).map(|frame| frame.is_rest).collect();
        assert_eq!(rests, [true, false]);
    }

    #[test]
    fn cuts_are_before_an_event() {
        let text = b"1 a\n x\n2 b\n y\n";
        assert_eq!(stamped().cut(0, text, 100, false), Some(7));
        assert_eq!(stamped().cut(0, text, 9, false), Some(7));
        assert_eq!(stamped().cut(0, text, 5, false), Some(7));
        assert_eq!(stamped().cut(0, &text[..7], 100, false), None);
        assert_eq!(stamped().cut(0, &text[..8], 100, false), None);
        assert_eq!(stamped().cut(0, &text[..8], 100, true), Some(7));
        assert_eq!(Framing::Lines.cut(0, text, 9, false), Some(7));
    }

    #[test]
    fn pieces_of_a_long_line_share_a_line_number() {
        let mut bytes = vec![b'1'; 2 * LONGEST_EVENT_BYTES + 1];
        bytes.extend_from_slice(b"\r\n2 next\n");
        for framing in [Framing::Lines, stamped()] {
            let lengths: Vec<_> =
                cut(&bytes, &framing).into_iter().map(|(text, line)| (text.len(), line)).collect();
            assert_eq!(lengths, [(LONGEST_EVENT_BYTES, 1), (LONGEST_EVENT_BYTES, 1), (1, 1), (6, 2)]);
        }
    }

    #[test]
    fn an_event_of_too_many_lines_is_split() {
        let bytes = [b"1 a\n".to_vec(), b"  at x\n".repeat(2 * MOST_EVENT_LINES), b"2 b\n".to_vec()].concat();
        let lines: Vec<_> = cut(&bytes, &stamped()).into_iter().map(|(_, line)| line).collect();
        let most = MOST_EVENT_LINES as u64;
        assert_eq!(lines, [1, 1 + most, 1 + 2 * most, 2 + 2 * most]);
        let whole = stamped().cut(0, &bytes, 10, false).unwrap_or_default();
        assert_eq!(memchr_iter(b'\n', &bytes[..whole]).count(), MOST_EVENT_LINES);
    }
}
