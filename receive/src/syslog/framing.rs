//! Syslog messages in a stream of bytes (RFC 6587). Each frame tells by itself how it is framed: with its length
//! in octets before it, or by the line feed after it.

use memchr::memchr;

use crate::limits::{LONGEST_FRAME_BYTES, SHORT_FRAME_BYTES};

/// Longer numbers are no length of a frame.
const MOST_DIGITS: usize = 9;

/// Cuts a stream into messages. How its bytes come makes no difference.
#[derive(Debug, Default)]
pub struct Framer {
    /// Bytes of a frame that is not whole, or whose kind is not known yet.
    pending: Vec<u8>,
    /// Bytes that are missing of a frame whose length is known.
    missing: usize,
    in_octets: bool,
    /// Messages that were beyond the limit and came in pieces.
    split: u64,
    /// Nothing longer is kept at the moment, because others wait for the ends of their messages too.
    is_short: bool,
}

enum FrameHead {
    Octets { from: usize, length: usize },
    Line,
    Unknown,
}

impl Framer {
    /// Takes bytes and hands out the messages that end in them.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<Vec<u8>>) {
        let mut rest = bytes;
        // What is pending is a part of one frame; most often there is nothing.
        while !self.pending.is_empty() || self.in_octets {
            if self.in_octets {
                let taken = self.missing.min(rest.len());
                self.pending.extend_from_slice(&rest[..taken]);
                rest = &rest[taken..];
                self.missing -= taken;
                self.hand_out_pieces(out);
                if self.missing > 0 {
                    return;
                }
                self.in_octets = false;
                self.hand_out(out);
            } else if let FrameHead::Octets { from, length } = head(&self.pending) {
                let begun = self.pending.split_off(from);
                // Bytes were added one by one until the head was known: one byte of the message is there.
                (self.in_octets, self.missing) = (true, length - begun.len());
                self.pending = begun;
            } else if matches!(head(&self.pending), FrameHead::Unknown) {
                let Some((&byte, after)) = rest.split_first() else { return };
                self.pending.push(byte);
                rest = after;
                if byte == b'\n' {
                    self.hand_out(out);
                }
            } else {
                let Some(end) = memchr(b'\n', rest) else {
                    self.pending.extend_from_slice(rest);
                    self.hand_out_pieces(out);
                    return;
                };
                self.pending.extend_from_slice(&rest[..=end]);
                rest = &rest[end + 1..];
                self.hand_out_pieces(out);
                self.hand_out(out);
            }
        }
        self.whole_frames(rest, out);
    }

    /// Frames that begin and end in one run of bytes are not copied but into themselves.
    fn whole_frames(&mut self, bytes: &[u8], out: &mut Vec<Vec<u8>>) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let (frame, after) = match head(rest) {
                FrameHead::Octets { from, length } if rest.len() - from >= length => {
                    rest[from..].split_at(length)
                }
                FrameHead::Octets { from, length } => {
                    self.in_octets = true;
                    self.pending.extend_from_slice(&rest[from..]);
                    self.missing = length - self.pending.len();
                    self.hand_out_pieces(out);
                    return;
                }
                FrameHead::Line if let Some(end) = memchr(b'\n', rest) => rest.split_at(end + 1),
                FrameHead::Line | FrameHead::Unknown => {
                    self.pending.extend_from_slice(rest);
                    self.hand_out_pieces(out);
                    return;
                }
            };
            if frame.len() > LONGEST_FRAME_BYTES {
                self.pending.extend_from_slice(frame);
                self.hand_out_pieces(out);
                self.hand_out(out);
            } else {
                add(frame, out);
            }
            rest = after;
        }
    }

    /// Ends the stream: what is pending is a message.
    pub fn finish(&mut self, out: &mut Vec<Vec<u8>>) {
        self.in_octets = false;
        self.missing = 0;
        self.hand_out(out);
    }

    /// Whether a frame began and has not ended.
    #[must_use]
    pub fn is_within(&self) -> bool {
        self.in_octets || !self.pending.is_empty()
    }

    /// So many bytes wait for the end of their message.
    #[must_use]
    pub fn pending_bytes(&self) -> usize {
        self.pending.len()
    }

    /// Hands out what is pending sooner, in short pieces, or as usual.
    pub fn set_short(&mut self, is_short: bool) {
        self.is_short = is_short;
    }

    fn longest(&self) -> usize {
        if self.is_short { SHORT_FRAME_BYTES } else { LONGEST_FRAME_BYTES }
    }

    /// How many messages were beyond the limit.
    #[must_use]
    pub fn split(&self) -> u64 {
        self.split
    }

    fn hand_out(&mut self, out: &mut Vec<Vec<u8>>) {
        add(&self.pending, out);
        self.pending.clear();
        // Long messages are rare, and a connection may last for days.
        self.pending.shrink_to(SHORT_FRAME_BYTES);
    }

    fn hand_out_pieces(&mut self, out: &mut Vec<Vec<u8>>) {
        let longest = self.longest();
        if self.pending.len() <= longest + 1 {
            return;
        }
        self.split += 1;
        while self.pending.len() > longest + 1 {
            let rest = self.pending.split_off(longest);
            out.push(std::mem::replace(&mut self.pending, rest));
        }
    }
}

/// A message without its line end, and without the NUL that some senders end it with. Empty ones are none.
fn add(frame: &[u8], out: &mut Vec<Vec<u8>>) {
    let end = frame.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r' | 0)).map_or(0, |last| last + 1);
    if end > 0 {
        out.push(frame[..end].to_vec());
    }
}

/// A length is digits, the first is not zero, then a blank and the `<` that every message begins with.
/// A line that begins with a number is a line.
fn head(bytes: &[u8]) -> FrameHead {
    let digits = bytes.iter().take(MOST_DIGITS + 1).take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 && !bytes.is_empty() || digits > MOST_DIGITS || bytes.first() == Some(&b'0') {
        return FrameHead::Line;
    }
    match bytes[digits..] {
        [] | [b' '] => FrameHead::Unknown,
        [b' ', b'<', ..] => {
            let length =
                bytes[..digits].iter().fold(0, |length, digit| length * 10 + usize::from(digit - b'0'));
            FrameHead::Octets { from: digits + 1, length }
        }
        _ => FrameHead::Line,
    }
}

/// A datagram without the length that some senders put before it there too, and without its line end.
#[must_use]
pub fn of_datagram(datagram: &[u8]) -> &[u8] {
    let message = match head(datagram) {
        FrameHead::Octets { from, length } if datagram.len() - from == length => &datagram[from..],
        _ => datagram,
    };
    let end = message.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r' | 0));
    &message[..end.map_or(0, |last| last + 1)]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn frames(parts: &[&[u8]]) -> Vec<String> {
        let (mut framer, mut out) = (Framer::default(), Vec::new());
        for part in parts {
            framer.push(part, &mut out);
        }
        framer.finish(&mut out);
        out.into_iter().map(|frame| String::from_utf8_lossy(&frame).into_owned()).collect()
    }

    #[test]
    fn one_stream_may_have_both_framings() {
        assert_eq!(
            frames(&[b"<13>one\n5 <1>ab<13>two\r\n7 <1>a\nbc<13>end"]),
            ["<13>one", "<1>ab", "<13>two", "<1>a\nbc", "<13>end"]
        );
    }

    #[test]
    fn a_line_that_begins_with_a_number_is_a_line() {
        assert_eq!(
            frames(&[b"200 OK\n2026-03-01 up\n0 <1>x\n1234567890 <1>y\n7\n"]),
            ["200 OK", "2026-03-01 up", "0 <1>x", "1234567890 <1>y", "7"]
        );
    }

    #[test]
    fn a_datagram_may_have_its_length_before_it() {
        let message = |datagram: &[u8]| String::from_utf8_lossy(of_datagram(datagram)).into_owned();
        assert_eq!(message(b"9 <13>one\r\n"), "<13>one");
        assert_eq!(message(b"7 <13>one"), "<13>one");
        assert_eq!(message(b"6 <13>one"), "6 <13>one");
        assert_eq!(message(b"8 <13>one\n"), "<13>one");
        assert_eq!(message(b"<13>one\n\0"), "<13>one");
        assert_eq!(message(b"\n"), "");
    }

    #[test]
    fn a_message_beyond_the_limit_comes_in_pieces() {
        let (mut framer, mut out) = (Framer::default(), Vec::new());
        for _ in 0..5 {
            framer.push(&vec![b'x'; LONGEST_FRAME_BYTES / 2], &mut out);
        }
        framer.push(b"\n<1>next\n", &mut out);
        let lengths: Vec<usize> = out.iter().map(Vec::len).collect();
        assert_eq!(lengths, [LONGEST_FRAME_BYTES, LONGEST_FRAME_BYTES, LONGEST_FRAME_BYTES / 2, 7]);
        assert!(framer.split() > 0 && !framer.is_within());
        // A length that nothing follows takes no memory.
        framer.push(b"999999999 <1>begins", &mut out);
        assert!(framer.is_within());
        framer.finish(&mut out);
        assert_eq!(out.last().map(Vec::as_slice), Some(&b"<1>begins"[..]));
    }

    #[test]
    fn a_message_comes_in_short_pieces_while_too_many_wait() {
        let (mut framer, mut out) = (Framer::default(), Vec::new());
        framer.push(&vec![b'x'; 3 * SHORT_FRAME_BYTES], &mut out);
        assert!(out.is_empty() && framer.pending_bytes() == 3 * SHORT_FRAME_BYTES);
        framer.set_short(true);
        framer.push(b"x", &mut out);
        assert_eq!((out.len(), framer.split()), (2, 1));
        assert!(framer.pending_bytes() <= SHORT_FRAME_BYTES + 1);
        framer.set_short(false);
        framer.push(&vec![b'x'; 3 * SHORT_FRAME_BYTES], &mut out);
        framer.push(b"\n<1>next\n", &mut out);
        let lengths: Vec<usize> = out.iter().map(Vec::len).collect();
        assert_eq!(lengths[2..], [4 * SHORT_FRAME_BYTES + 1, 7]);
    }

    proptest! {
        #[test]
        fn any_split_gives_the_same_frames(
            messages in prop::collection::vec(("[0-9<> a-z]{0,12}", prop::bool::ANY), 0..12),
            cuts in prop::collection::vec(0_usize..400, 0..12),
        ) {
            let mut bytes = Vec::new();
            for (text, octets) in &messages {
                let message = format!("<1>{text}");
                if *octets {
                    bytes.extend(format!("{} {message}", message.len()).bytes());
                } else {
                    bytes.extend(message.trim_end().bytes());
                    bytes.push(b'\n');
                }
            }
            bytes.extend(b"12 some text\n");
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.sort_unstable();
            let mut parts = Vec::new();
            let mut from = 0;
            for cut in cuts {
                parts.push(&bytes[from..cut]);
                from = cut;
            }
            parts.push(&bytes[from..]);
            let found = frames(&parts);
            prop_assert_eq!(&found, &frames(&[&bytes]));
            prop_assert_eq!(found.len(), messages.len() + 1);
        }
    }
}
