//! Where syslog events begin: at a priority or a time, or after a byte count; and which lines between them
//! are no events.

use memchr::memchr;

use super::priority;
use super::protocol::lacks_priority;
use crate::formats::Learned;
use crate::frame::{EventBlock, Framing};
use crate::layout::time_at;
use crate::limits;
use crate::time::month_names::{month, month_name};

/// Events have a byte count (RFC 6587) if a sample begins with several; otherwise a line that begins like an
/// event is one, and other lines continue it.
pub(super) fn learn(sample: &[u8], is_recoded: bool) -> Learned {
    if counted(sample).is_none() {
        return Learned::starting(begins);
    }
    let block = match (has_wrong_count(sample), is_recoded) {
        (true, _) => uncounted_block,
        (_, true) => recoded_block,
        _ => block,
    };
    Learned { framing: Framing::blocks(block), ..Learned::default() }
}

/// Whether a line begins like a syslog event: with a priority, a time, a note of journalctl.
fn begins(line: &[u8]) -> bool {
    match line.first() {
        Some(b'<') => priority(line).is_some(),
        Some(b'A'..=b'Z') => is_month_or_weekday(line) || is_month_in_words(line),
        Some(b'a'..=b'z' | 0x80..) => is_month_in_words(line),
        Some(b'0'..=b'9') => is_numbered(line),
        Some(b'*' | b'.') => month_name(line, 1).is_some(),
        Some(b'[') => line.get(1).is_some_and(|byte| matches!(byte, b' ' | b'0'..=b'9')),
        Some(b'-') => is_note(line),
        _ => false,
    }
}

/// `Nov 21 `, `Sat Nov 21 `, `Sat 2026-`.
fn is_month_or_weekday(line: &[u8]) -> bool {
    let digit = |at: usize| line.get(at).is_some_and(|byte| matches!(byte, b' ' | b'0'..=b'9'));
    line.get(3) == Some(&b' ')
        && ((month_name(line, 0).is_some() && digit(4) && digit(5) && line[4..6] != *b"  ")
            || month_name(line, 4).is_some()
            || line.get(4..6) == Some(b"20"))
}

/// `dec 30 10:44`, `déc. 30 10:44`, as journalctl writes it in other languages.
fn is_month_in_words(line: &[u8]) -> bool {
    let Some((_, end)) = month(line, 0) else { return false };
    let day = line.get(end..).and_then(|rest| rest.strip_prefix(b" ")).map(<[u8]>::trim_ascii_start);
    day.is_some_and(|day| {
        let digits = day.iter().take_while(|byte| byte.is_ascii_digit()).count();
        (1..=2).contains(&digits)
            && matches!(day.get(digits..digits + 4), Some([b' ', b'0'..=b'2', b'0'..=b'9', b':']))
    })
}

/// A date, seconds since 1970, or a device's own message count before its time.
fn is_numbered(line: &[u8]) -> bool {
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    match line.get(digits) {
        Some(b'-' | b'/') => digits == 4,
        // `2026 Nov 21 `.
        Some(b' ') if digits == 1 => lacks_priority(line),
        Some(b' ') => digits == 4 && month_name(line, 5).is_some(),
        Some(b'.') => digits >= 9 && time_at(line, 0).is_some(),
        Some(b':') => line.get(digits + 1) == Some(&b' '),
        _ => false,
    }
}

/// The lines of journalctl between entries: `-- Boot 1234 --`, `-- Logs begin at … --`, `-- No entries --`.
pub(super) fn is_note(line: &[u8]) -> bool {
    let known = [
        &b"-- Logs begin"[..],
        b"-- Journal begins",
        b"-- Boot ",
        b"-- No entries",
        b"-- Reboot",
        b"-- cursor:",
    ];
    line.starts_with(b"-- ") && known.iter().any(|start| line.starts_with(start))
}

/// The byte count, and where the counted bytes begin: `123 <34>1 …`.
pub(super) fn counted(text: &[u8]) -> Option<(usize, usize)> {
    let digits = text.iter().take(8).take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 || digits > 7 || text[0] == b'0' || text.get(digits) != Some(&b' ') {
        return None;
    }
    priority(&text[digits + 1..])?;
    let count = text[..digits].iter().fold(0, |count, digit| count * 10 + usize::from(digit - b'0'));
    (count <= limits::LONGEST_EVENT_BYTES).then_some((count, digits + 1))
}

/// Whether each line has a count of its own that is not that of its bytes, because they were changed later.
fn has_wrong_count(sample: &[u8]) -> bool {
    let is_counted = |at: usize| counted(sample.get(at..).unwrap_or_default().trim_ascii_start()).is_some();
    let line_end = memchr(b'\n', sample);
    let frame_end = counted(sample).map(|(count, start)| start + count);
    frame_end.is_some_and(|end| !is_counted(end)) && line_end.is_some_and(is_counted)
}

/// A line without its count.
fn uncounted_block(text: &[u8]) -> Option<EventBlock> {
    let next = memchr(b'\n', text)? + 1;
    let start = counted(text).map_or(0, |(_, start)| start);
    let end = start + text[start..next].trim_ascii_end().len();
    Some(EventBlock { start: start.min(end), end, next })
}

/// One counted frame. Text without a count is a frame up to the end of its line, so that a broken count costs
/// a line and not the rest of the file.
fn block(text: &[u8]) -> Option<EventBlock> {
    let newlines = text.iter().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
    if newlines > 0 {
        return Some(EventBlock { start: 0, end: 0, next: newlines });
    }
    if let Some((count, start)) = counted(text) {
        let frame = text.get(start..start + count)?;
        return Some(EventBlock { start, end: start + frame.trim_ascii_end().len(), next: start + count });
    }
    let newline = memchr(b'\n', text)?;
    Some(EventBlock {
        start: 0,
        end: newline - usize::from(text[..newline].ends_with(b"\r")),
        next: newline + 1,
    })
}

/// The same for text that differs from the counted bytes: a frame that would end within a character includes
/// the whole character. Such text has whole characters only.
fn recoded_block(text: &[u8]) -> Option<EventBlock> {
    let EventBlock { start, end, next } = block(text)?;
    let rest = text[next..].iter().take_while(|&byte| byte & 0xC0 == 0x80).count();
    let end = if rest > 0 { next + rest } else { end };
    Some(EventBlock { start, end, next: next + rest })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_begin_events() {
        for line in [
            "<34>Nov 21 03:04:05 h a: x",
            "Nov 21 03:04:05 h a: x",
            "Nov  1 03:04:05 h a: x",
            "Nov 1 03:04:05 h a: x",
            "Sat Nov 21 03:04:05 2026 daemon.info a: x",
            "Sat 2026-11-21 03:04:05 CET h a: x",
            "2026-11-21T03:04:05Z h a: x",
            "1763694245.123456 h a[1]: x",
            "000123: Nov 21 03:04:05: %SYS-5-CONFIG_I: x",
            "*Mar  1 00:00:01.123: %SYS-5-CONFIG_I: x",
            "[    1.234567] h kernel: x",
            "-- Boot 0123456789abcdef --",
        ] {
            assert!(begins(line.as_bytes()), "{line}");
        }
        for line in
            ["with another line", "March on", "<34x>", "12 monkeys", "-- x", " at x", "", "Mar", "1.2.3.4 x"]
        {
            assert!(!begins(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn counted_frames() {
        let text = b"16 <34>1 - h a - -\n-\n19 <34>1 - h a - - - b\nbroken\n9 <3";
        let mut at = 0;
        let mut found = Vec::new();
        while let Some(block) = block(&text[at..]) {
            if block.end > block.start {
                found.push(String::from_utf8_lossy(&text[at + block.start..at + block.end]).into_owned());
            }
            at += block.next;
        }
        assert_eq!(found, ["<34>1 - h a - -\n", "-", "<34>1 - h a - - - b", "broken"].map(str::trim_end));
        assert!(matches!(learn(text, false).framing, Framing::Blocks(_)));
        assert!(matches!(learn(b"<34>1 - h a - - -\n", false).framing, Framing::Starts(_)));
        let text = b"99 <34>1 - h a - - - x\n12 <34>1 - h a - - - yz\n";
        assert!(!has_wrong_count(b"16 <34>1 - h a - -\n-\n19 <34>1 - h a - - - b\n"));
        assert!(has_wrong_count(&[&text[..], &text[..], &text[..]].concat()));
        assert_eq!(uncounted_block(text), Some(EventBlock { start: 3, end: 22, next: 23 }));
    }

    #[test]
    fn byte_count_ending_within_a_recoded_character_includes_it() {
        let line = "6 <34>1é x\n".as_bytes();
        assert_eq!(block(line), Some(EventBlock { start: 2, end: 8, next: 8 }));
        assert_eq!(recoded_block(line), Some(EventBlock { start: 2, end: 9, next: 9 }));
        assert_eq!(recoded_block("7 <34>1é x\n".as_bytes()), Some(EventBlock { start: 2, end: 9, next: 9 }));
    }
}
