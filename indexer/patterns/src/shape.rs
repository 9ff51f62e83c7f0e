//! The shape of a message: its words as they are, with the kind of value in place of numbers, addresses,
//! paths and similar. It depends on nothing but the message, so equal messages always have equal shapes.

use super::atoms::{self, Atom};
use base::limits::{LONGEST_MINED_BYTES, LONGEST_MINED_QUOTE_BYTES, MOST_MINED_WORDS};

/// Placeholder in a shape for a word that the tree found to vary.
pub const ANY: &str = "<*>";
/// Placeholder for the rest of a message after the mined part.
pub const REST: &str = "<rest>";
/// Joins words that belong together without a space, such as the steps of a path.
pub const JOINT: char = '\u{1f}';

/// What kind of thing a variable part is, judging by its own text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SlotKind {
    Number,
    Hex,
    Ip,
    Host,
    Path,
    Url,
    Time,
    Duration,
    Size,
    Id,
    Quoted,
}

impl SlotKind {
    /// How it is written in a template.
    #[must_use]
    pub fn mark(self) -> &'static str {
        match self {
            SlotKind::Number => "<num>",
            SlotKind::Hex => "<hex>",
            SlotKind::Ip => "<ip>",
            SlotKind::Host => "<host>",
            SlotKind::Path => "<path>",
            SlotKind::Url => "<url>",
            SlotKind::Time => "<time>",
            SlotKind::Duration => "<duration>",
            SlotKind::Size => "<size>",
            SlotKind::Id => "<id>",
            SlotKind::Quoted => "<text>",
        }
    }

    const ALL: [SlotKind; 11] = [
        SlotKind::Number,
        SlotKind::Hex,
        SlotKind::Ip,
        SlotKind::Host,
        SlotKind::Path,
        SlotKind::Url,
        SlotKind::Time,
        SlotKind::Duration,
        SlotKind::Size,
        SlotKind::Id,
        SlotKind::Quoted,
    ];
}

/// The length of the mark that a text begins with, if it begins with one.
#[must_use]
pub fn mark_length(text: &str) -> Option<usize> {
    let mut marks = SlotKind::ALL.iter().map(|kind| kind.mark()).chain([ANY, REST]);
    let length = |mark: &str| text.starts_with(mark).then_some(mark.len());
    if text.starts_with('<') { marks.find_map(length) } else { None }
}

/// Receives the parts of a message in order.
pub trait Sink<'m> {
    fn literal(&mut self, text: &'m [u8]);
    fn variable(&mut self, kind: SlotKind, text: &'m [u8]);
    /// White space between two words.
    fn gap(&mut self);
    /// The end of a word that goes on without white space.
    fn joint(&mut self);
    /// The text that is not mined.
    fn rest(&mut self, text: &'m [u8]);
}

const SPACE: u8 = 1;
/// Part of a word.
pub(super) const ATOM: u8 = 2;
pub(super) const DIGIT: u8 = 4;
const LINE_END: u8 = 8;
/// Part of a word that makes it more than a name: of paths, addresses, times.
pub(super) const MARK: u8 = 16;

pub(super) const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut index = 0;
    while index < 256 {
        let byte = index as u8;
        classes[index] = match byte {
            b'\n' => LINE_END,
            b' ' | b'\t' | b'\r' | 0x0b | 0x0c | 0x1f => SPACE,
            b'0'..=b'9' => ATOM | DIGIT,
            b'/' | b'\\' | b':' | b'@' => ATOM | MARK,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'-' | b'.' | b'#' | b'$' | b'%' | b'+' | b'~' | 0x80.. => {
                ATOM
            }
            _ => 0,
        };
        index += 1;
    }
    classes
};

pub(super) fn class(byte: Option<&u8>) -> u8 {
    byte.map_or(0, |&byte| CLASSES[byte as usize])
}

/// Passes the parts of a message's first line to the sink.
pub fn scan<'m, S: Sink<'m>>(message: &'m [u8], sink: &mut S) {
    let blank = |byte: &u8| CLASSES[*byte as usize] & (SPACE | LINE_END) != 0;
    let start = message.iter().position(|byte| !blank(byte)).unwrap_or(message.len());
    let whole = &message[start..];
    let line = &whole[..whole.len().min(LONGEST_MINED_BYTES)];
    let (mut at, mut words) = (0, 1);
    while let Some(&byte) = line.get(at) {
        let kind = CLASSES[byte as usize];
        if kind & ATOM != 0 {
            at = word_part(line, at, kind, sink);
        } else if kind & SPACE != 0 {
            while class(line.get(at)) & SPACE != 0 {
                at += 1;
            }
            if line.get(at).is_none_or(|&next| next == b'\n') {
                break;
            }
            sink.gap();
            words += 1;
            if words > MOST_MINED_WORDS {
                sink.rest(&line[at..]);
                return;
            }
        } else if kind & LINE_END != 0 {
            return;
        } else if let Some(end) = quoted(line, at) {
            sink.literal(&line[at..=at]);
            sink.variable(SlotKind::Quoted, &line[at + 1..end]);
            sink.literal(&line[end..=end]);
            at = end + 1;
        } else {
            sink.literal(&line[at..=at]);
            at += 1;
        }
    }
    if at >= line.len() && line.len() < whole.len() {
        sink.gap();
        sink.rest(&whole[line.len()..]);
    }
}

/// Passes on the text that begins with a part of a word, and returns its end.
fn word_part<'m, S: Sink<'m>>(line: &'m [u8], at: usize, first: u8, sink: &mut S) -> usize {
    let (mut end, mut seen) = (at + 1, first);
    while let Some(&next) = line.get(end) {
        let kind = CLASSES[next as usize];
        if kind & ATOM == 0 {
            break;
        }
        seen |= kind;
        end += 1;
    }
    if let Some((kind, end)) = atoms::longer(line, at, end, seen) {
        sink.variable(kind, &line[at..end]);
        return end;
    }
    Atom::new(&line[at..end], seen).hand_to(sink);
    end
}

/// The position of the closing quotation mark, if the quoted text varies. Keys of objects stay, and so do
/// request lines, whose first word says what happened.
fn quoted(line: &[u8], at: usize) -> Option<usize> {
    let quote = line[at];
    if quote != b'"' && quote != b'\'' {
        return None;
    }
    // Within a word it is an apostrophe.
    let before = at.checked_sub(1).and_then(|before| line.get(before));
    if class(before) & ATOM != 0 && before != Some(&b':') {
        return None;
    }
    let within = &line[at + 1..line.len().min(at + 1 + LONGEST_MINED_QUOTE_BYTES)];
    let mut from = 0;
    loop {
        let close = from + memchr::memchr2(quote, b'\n', &within[from..])?;
        if within[close] == b'\n' {
            return None;
        }
        let end = at + 1 + close;
        let escaped = close > 0 && within[close - 1] == b'\\';
        let apostrophe = quote == b'\'' && line.get(end + 1).is_some_and(u8::is_ascii_alphanumeric);
        if escaped || apostrophe {
            from = close + 1;
            continue;
        }
        let is_key = line.get(end + 1) == Some(&b':') && class(line.get(end + 2)) & DIGIT == 0;
        // What is all of a message has its own words.
        let is_whole =
            at == 0 && line[end + 1..].iter().all(|&byte| class(Some(&byte)) & (SPACE | LINE_END) != 0);
        let stays = close == 0 || is_key || is_whole || is_request(&within[..close]);
        return (!stays).then_some(end);
    }
}

/// A verb in capitals, followed by more.
fn is_request(text: &[u8]) -> bool {
    let verb = text.iter().take_while(|byte| byte.is_ascii_uppercase()).count();
    verb >= 3 && text.get(verb) == Some(&b' ')
}

/// A shape as text, for one message after the other.
#[derive(Debug, Default)]
pub struct Shape {
    text: Vec<u8>,
    /// The start of the word that is being written, and of the one before it.
    word: usize,
    before: usize,
    varies: bool,
}

impl Shape {
    /// The shape of a message.
    pub fn mine(&mut self, message: &[u8]) -> &[u8] {
        self.clear();
        scan(message, self);
        self.finish()
    }

    pub fn clear(&mut self) {
        self.text.clear();
        (self.word, self.before, self.varies) = (0, 0, false);
    }

    pub fn finish(&mut self) -> &[u8] {
        self.end_word();
        &self.text
    }

    /// A list of values of one kind becomes a single one: messages are the same however many there are. Such
    /// a word is removed again.
    fn end_word(&mut self) {
        let repeats =
            self.varies && self.word > 0 && self.text[self.before..self.word - 1] == self.text[self.word..];
        if repeats {
            self.text.truncate(self.word - 1);
            self.word = self.before;
            self.varies = false;
        }
    }

    fn next_word(&mut self, separator: u8) {
        self.end_word();
        self.before = self.word;
        self.text.push(separator);
        self.word = self.text.len();
        self.varies = false;
    }
}

impl Sink<'_> for Shape {
    #[inline]
    fn literal(&mut self, text: &[u8]) {
        self.text.extend_from_slice(text);
    }

    #[inline]
    fn variable(&mut self, kind: SlotKind, _: &[u8]) {
        self.text.extend_from_slice(kind.mark().as_bytes());
        self.varies = true;
    }

    #[inline]
    fn gap(&mut self) {
        self.next_word(b' ');
    }

    fn joint(&mut self) {
        self.next_word(JOINT as u8);
    }

    fn rest(&mut self, _: &[u8]) {
        self.text.extend_from_slice(REST.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(message: &str) -> String {
        String::from_utf8_lossy(Shape::default().mine(message.as_bytes())).into_owned()
    }

    #[test]
    fn variable_parts_are_replaced_by_their_kind() {
        for (message, expected) in [
            ("worker 12 took 3.5ms", "worker <num> took <duration>"),
            ("read 4,096 bytes (4.0 KB) in 2 seconds.", "read <size> in <duration>."),
            ("GET http://shop.test/a?b=1 from 10.0.0.7:5151", "GET <url> from <ip>:<num>"),
            ("peer /10.0.0.7:80 and fe80::1:2 are up", "peer /<ip>:<num> and <hex> are up"),
            ("open /var/log/app.log failed", "open <path> failed"),
            ("task attempt_20_0001_3 of blk_-77 is 0x1f", "task attempt_<id> of blk_<num> is <hex>"),
            ("at Fri Jun 17 07:07:00 2005 and 2026-03-01T14:05:00Z", "at <time> and <time>"),
            ("user=anna uid=501 name=\"Anna B\"", "user=anna uid=<num> name=\"<text>\""),
            ("can't stop 'the pump' now", "can't stop '<text>' now"),
            ("'pump 7 stopped'\n", "'pump <num> stopped'"),
            ("\"GET /x/y HTTP/1.1\" 200", "\"GET <path> HTTP/<num>\" <num>"),
            ("id 0d0c7b1e-3f44-4c1a-9d5e-7e21f0a3b7c9", "id <id>"),
            ("moved blk_1 blk_2 blk_33 away", "moved blk_<num> away"),
            ("connect proxy.shop.test:5070", "connect <host>:<num>"),
            ("  first line\nsecond 2", "first line"),
            ("", ""),
        ] {
            assert_eq!(shape(message), expected, "{message}");
        }
    }

    #[test]
    fn any_bytes_have_a_shape_of_bounded_length() {
        let long = vec![b'a'; 1 << 20];
        assert!(Shape::default().mine(&long).len() <= LONGEST_MINED_BYTES + REST.len() + 1);
        let words = "w ".repeat(100_000);
        assert!(shape(&words).split(' ').count() <= MOST_MINED_WORDS + 1);
        let mut state = 7_u64;
        for _ in 0..20_000 {
            let message: Vec<u8> = (0..state % 40)
                .map(|_| {
                    state =
                        state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    b"09aF:/\\.-_=\"' \n<>,%(+\xff@x"[(state >> 40) as usize % 23]
                })
                .collect();
            state = state.wrapping_add(1);
            Shape::default().mine(&message);
        }
    }
}
