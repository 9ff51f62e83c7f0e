//! Where an event of a general source begins, learned from a sample.

use std::sync::Arc;

use super::prefix_start;
use super::shape::{self, Header, Shape};
use super::words::level_of;
use crate::batch::Level;
use crate::frame::Begins;
use crate::limits;
use crate::time::find::find;
use crate::time::rules::TimeRules;

/// Lines begin an event with their time; or else with a level; or else each line does that is no part of a
/// trace.
pub(super) fn learn(
    lines: &[&[u8]],
    times: &[Option<(usize, usize)>],
    rules: &TimeRules,
    before: &Shape,
) -> Arc<Begins> {
    let flush = lines.iter().filter(|line| !line[0].is_ascii_whitespace()).count();
    let stamped: Vec<(&[u8], usize)> =
        lines.iter().zip(times).filter_map(|(line, time)| Some((*line, (*time)?.0))).collect();
    // A date over a long report does not make it one event.
    if stamped.len() * limits::LINES_PER_STAMP >= flush && !stamped.is_empty() {
        if rules.within <= limits::STAMP_ANCHORED_BYTES {
            let rules = rules.clone();
            return Arc::new(move |line| find(line, &rules).is_some());
        }
        let last = stamped.iter().map(|(_, start)| *start).max().unwrap_or(rules.within);
        let alike = stamped.iter().filter(|(line, start)| {
            let mut header = Header::default();
            before.read(&line[..*start], prefix_start(&line[..*start]), &mut header);
            header.found == before.len()
        });
        if !before.is_empty() && alike.count() * 10 >= stamped.len() * 9 {
            let mut rules = rules.clone();
            rules.within = last;
            return Arc::new(move |line| find(line, &rules).is_some());
        }
    } else {
        let unindented: Vec<(&[u8], usize)> =
            lines.iter().filter(|line| !line[0].is_ascii_whitespace()).map(|line| (*line, 0)).collect();
        let shape = shape::learn(&unindented);
        if shape.begins_with_level() {
            return Arc::new(move |line| shape.begins(line));
        }
    }
    let has_traceback = lines.iter().any(|line| line.starts_with(TRACEBACK));
    Arc::new(move |line| !continues_trace(line, has_traceback))
}

const TRACEBACK: &[u8] = b"Traceback (most recent call last)";

/// Whether a line is a part of a stack trace, whatever stands before it.
fn continues_trace(line: &[u8], has_traceback: bool) -> bool {
    let text = line.trim_ascii_start();
    let indent = line.len() - text.len();
    let starts = |starts: &[&[u8]]| starts.iter().any(|start| text.starts_with(start));
    if indent == 0 {
        let error = || {
            let name = text
                .iter()
                .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_'))
                .count();
            let ends = matches!(text.get(name), None | Some(b':'));
            ends && [&b"Error"[..], b"Exception"].iter().any(|end| text[..name].ends_with(end))
        };
        return starts(&[b"Caused by: ", TRACEBACK]) || (has_traceback && error());
    }
    starts(&[b"at ", b"File \"", b"Caused by: ", b"Suppressed: "])
        || (text.starts_with(b"... ") && text.ends_with(b" more"))
        || (has_traceback && indent >= 4)
}

impl Shape {
    /// Whether a line begins with the layout's first piece, a level.
    fn begins(&self, line: &[u8]) -> bool {
        if line.first().is_none_or(u8::is_ascii_whitespace) {
            return false;
        }
        let mut header = Header::default();
        self.read(line, 0, &mut header);
        header.found > 0
    }
}

/// Whether in most events of several lines the second one begins with the level.
pub(super) fn level_on_second(lines: &[&[u8]], begins: &Begins) -> bool {
    let mut several = 0;
    let mut with_level = 0;
    for pair in lines.windows(2) {
        if begins(pair[0]) && !begins(pair[1]) {
            several += 1;
            with_level += usize::from(level_before_colon(pair[1]).is_some());
        }
    }
    with_level > 0 && with_level * 2 > several
}

/// The level at the very start before a colon, and the place behind it.
pub(super) fn level_before_colon(line: &[u8]) -> Option<(Level, usize)> {
    let colon = line.iter().take(40).position(|byte| *byte == b':')?;
    level_of(line[..colon].trim_ascii_end()).map(|level| (level, colon + 1))
}
