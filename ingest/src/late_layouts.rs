//! Layouts that appear only after the sample from which a source was learned. They are learned from the lines
//! of the source in their order, and what was learned before a chunk is a line of its heading: so a chunk is
//! read the same wherever it was cut, and whether it is read for the first time or from a case.

use memchr::memchr;

use crate::frame::{Begins, Framing};
use crate::heading;
use crate::limits::{
    LONGEST_EVENT_BYTES, MOST_EVENT_LINES, MOST_LATE_LAYOUTS, SAMPLE_BYTES, STAMP_ANCHORED_BYTES,
    START_WITHIN_BYTES,
};
use crate::parser::Parser;
use crate::time::find::find;
use crate::time::layouts::{fits_after, instant, layout_of};
use crate::time::rules::TimeRules;

/// This many lines in a row make a layout: more than in the sample, where the lines after them are known too.
const FEWEST_LINES: u8 = 3;

/// The start of the heading line that holds what was learned.
const MARK: &[u8] = b"\x01layouts:";
/// Between layouts, and between those that are learned and those that are only counted.
const NEXT: u8 = 0x1F;
const COUNTED: u8 = 0x1D;

/// The layouts that were learned after the sample, and those that are on the way to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LateLayouts {
    pub learned: Vec<Box<[u8]>>,
    counted: Vec<(Box<[u8]>, u8)>,
}

/// Whether a heading line is not one of the source but what was learned of it.
pub(crate) fn is_own_line(line: &[u8]) -> bool {
    line.starts_with(MARK)
}

impl LateLayouts {
    pub(crate) fn from_heading(joined: &[u8]) -> LateLayouts {
        let Some(line) = heading::split(joined).find(|line| is_own_line(line)) else {
            return LateLayouts::default();
        };
        let rest = &line[MARK.len()..];
        let split = memchr(COUNTED, rest).unwrap_or(rest.len());
        let parts = |text: &[u8]| -> Vec<Box<[u8]>> {
            text.split(|&byte| byte == NEXT).filter(|part| !part.is_empty()).map(Into::into).collect()
        };
        let counted = parts(rest.get(split + 1..).unwrap_or_default());
        let counted = counted.into_iter().map(|part| (part[1..].into(), part[0].saturating_sub(b'0')));
        LateLayouts { learned: parts(&rest[..split]), counted: counted.collect() }
    }

    /// The heading line that holds them.
    pub(crate) fn line(&self) -> Vec<u8> {
        let counted: Vec<Vec<u8>> =
            self.counted.iter().map(|(layout, lines)| [&[b'0' + lines][..], layout].concat()).collect();
        [MARK, &self.learned.join(&NEXT), &[COUNTED], &counted.join(&NEXT)].concat()
    }

    /// Counts a line of a layout; returns whether that makes it a layout of the source.
    fn count(&mut self, layout: &[u8]) -> bool {
        let at = self.counted.iter().position(|(known, _)| **known == *layout).unwrap_or_else(|| {
            if self.counted.len() >= MOST_LATE_LAYOUTS {
                self.counted.remove(0);
            }
            self.counted.push((layout.into(), 0));
            self.counted.len() - 1
        });
        self.counted[at].1 += 1;
        let is_layout = self.counted[at].1 >= FEWEST_LINES;
        if is_layout {
            let (layout, _) = self.counted.remove(at);
            self.learned.push(layout);
        }
        is_layout
    }

    fn forget(&mut self, layout: &[u8]) {
        self.counted.retain(|(known, _)| **known != *layout);
    }
}

/// The kinds of the first bytes of a line: digits and letters by their kind, marks as they are.
pub(crate) type LineStart = [u8; 8];

pub(crate) fn line_start(line: &[u8]) -> LineStart {
    let mut start = LineStart::default();
    for (kind, &byte) in start.iter_mut().zip(line) {
        *kind = match byte {
            b'0'..=b'9' => b'0',
            b'a'..=b'z' | b'A'..=b'Z' | 0x80.. => b'a',
            other => other,
        };
    }
    start
}

/// The most frequent starts of the lines that begin events: those lines are not examined further.
const MOST_STARTS: usize = 8;

/// The starts of the lines of a sample that begin events.
pub(crate) fn usual_starts(sample: &[u8], framing: &Framing) -> Vec<LineStart> {
    let Framing::Starts(begins) = framing else { return Vec::new() };
    let mut starts: Vec<(LineStart, usize)> = Vec::new();
    for line in sample.split(|&byte| byte == b'\n') {
        if line.is_empty() || !begins(head(line)) {
            continue;
        }
        let start = line_start(line);
        match starts.iter_mut().find(|(known, _)| *known == start) {
            Some((_, count)) => *count += 1,
            None => starts.push((start, 1)),
        }
    }
    starts.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    starts.truncate(MOST_STARTS);
    starts.into_iter().map(|(start, _)| start).collect()
}

fn head(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    &line[..line.len().min(START_WITHIN_BYTES)]
}

/// The event whose lines are examined.
#[derive(Default)]
struct CurrentEvent<'t> {
    first: &'t [u8],
    at: usize,
    lines: usize,
    /// The time that lines of another layout must not precede; it is read when it is needed first.
    time: Option<i64>,
    is_read: bool,
}

/// Learns from text that begins where an event begins or continues; `offset` returns the offset of a position in
/// it, as the sample's own layouts are known. Returns where the text is to be cut because
/// events from there on begin at a layout that was not known before.
pub(crate) fn learn(
    parser: &Parser,
    text: &[u8],
    offset: &dyn Fn(usize) -> u64,
    late: &mut LateLayouts,
) -> Option<usize> {
    let Framing::Starts(begins) = parser.framing() else { return None };
    if !parser.has_layouts() {
        return None;
    }
    let (rules, usual) = (parser.rules(), parser.usual_starts());
    let mut event: Option<CurrentEvent> = None;
    let mut has_learned = false;
    // Most lines begin with the same bytes as one before, as those of its day.
    let mut last_usual: Option<LineStart> = None;
    let mut is_usual = |line: &[u8]| {
        let first = line.first_chunk().copied();
        let is_usual = first.is_some() && first == last_usual || usual.contains(&line_start(line));
        if is_usual {
            last_usual = first;
        }
        is_usual
    };
    let mut at = 0;
    while at < text.len() {
        let end = memchr(b'\n', &text[at..]).map_or(text.len(), |length| at + length);
        let line = &text[at..end];
        let next = end + 1;
        if !line.first().is_none_or(u8::is_ascii_whitespace) {
            if is_usual(line) || begins_event(&**begins, line, rules, &late.learned) {
                if has_learned {
                    return Some(at);
                }
                event = Some(CurrentEvent { first: line, at, ..CurrentEvent::default() });
                at = next;
                continue;
            }
            if let Some(event) = &mut event
                // After the limits begins a piece, and whether it is read alone depends on the cut.
                && event.lines + 1 < MOST_EVENT_LINES
                && next - event.at <= LONGEST_EVENT_BYTES
                && offset(at) >= SAMPLE_BYTES as u64
            {
                has_learned |= examine(line, event, rules, late);
            }
        }
        if let Some(event) = &mut event {
            event.lines += 1;
        }
        at = next;
    }
    None
}

fn begins_event(begins: &Begins, line: &[u8], rules: &TimeRules, learned: &[Box<[u8]>]) -> bool {
    let line = head(line);
    let is_learned =
        || layout_of(line, rules).is_some_and(|(layout, _)| learned.iter().any(|known| **known == *layout));
    begins(line) || !learned.is_empty() && is_learned()
}

/// Counts a line that continues an event but has a time. Returns whether it makes a new layout.
fn examine(line: &[u8], event: &mut CurrentEvent, rules: &TimeRules, late: &mut LateLayouts) -> bool {
    let Some((layout, found)) = layout_of(head(line), rules) else { return false };
    let is_plain = layout.iter().all(|byte| matches!(byte, b' '..=b'~'));
    if found.start <= STAMP_ANCHORED_BYTES || !is_plain || late.learned.len() >= MOST_LATE_LAYOUTS {
        return false;
    }
    if !event.is_read {
        event.time = find(head(event.first), rules).and_then(|found| instant(&found.when));
        event.is_read = true;
    }
    match (event.time, instant(&found.when)) {
        (Some(before), Some(ns)) if fits_after(ns, before) => {
            event.time = Some(before.max(ns));
            late.count(&layout)
        }
        (Some(_), _) => {
            late.forget(&layout);
            false
        }
        // Without dates it is not known whether the lines are events.
        (None, _) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_line_holds_what_was_learned() {
        let mut late = LateLayouts::default();
        assert_eq!(LateLayouts::from_heading(&late.line()), late);
        assert!(!late.count(b"[a] "));
        assert!(!late.count(b"0 a a ["));
        assert!(!late.count(b"[a] "));
        assert_eq!(LateLayouts::from_heading(&late.line()), late);
        assert!(late.count(b"[a] "));
        assert_eq!(LateLayouts::from_heading(&late.line()), late);
        let heading = [b"#Fields: a b".to_vec(), late.line()].join(&0x1E);
        assert_eq!(LateLayouts::from_heading(&heading), late);
        assert_eq!(heading::kind(&late.line()), b"\x01layouts");
        late.forget(b"0 a a [");
        assert_eq!(late, LateLayouts { learned: vec![b"[a] "[..].into()], counted: vec![] });
    }

    #[test]
    fn line_starts_are_kinds_of_bytes() {
        assert_eq!(&line_start(b"2026-03-01 14"), b"0000-00-");
        assert_eq!(&line_start("Mär 1".as_bytes()), b"aaaa 0\0\0");
    }
}
