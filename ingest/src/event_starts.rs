//! Where events begin in lines that a format does not recognise: lines of another program that writes into
//! the same log, and continuation lines that look like events.

use std::sync::Arc;

use memchr::memchr;

use crate::batch::{Chunk, Frame};
use crate::formats::Learned;
use crate::formats::text::{TRACEBACK, begins_with_level_in_brackets, continues_trace};
use crate::frame::{Framing, frames};
use crate::parser::Parser;
use crate::time::find::find;
use crate::time::layouts::fit_between;
use crate::time::rules::TimeRules;

/// At least this many lines of another layout make its lines events of their own.
const FEWEST_OTHERS: usize = 2;

/// Extends what a format has learned: an event also begins at a line of any time layout of the source, or with a
/// level in brackets instead of a time. `None` where the format's own framing is as good.
pub(crate) fn with_starts_of_all_layouts(
    learned: &Learned,
    sample: &Chunk,
    rules: &TimeRules,
) -> Option<Learned> {
    let Framing::Starts(begins) = &learned.framing else { return None };
    if !rules.begins_lines() {
        return None;
    }
    let text = sample.text();
    let lines = || {
        frames(sample, &Framing::Lines)
            .map(|frame| &text[frame.text_start..frame.text_end])
            .filter(|line| !line[0].is_ascii_whitespace())
    };
    let stamped: Vec<_> =
        lines().map(|line| (find(line, rules), !begins(line))).filter(|(time, _)| time.is_some()).collect();
    let others = stamped.iter().filter(|(_, is_other)| *is_other).count();
    let by_time = others >= FEWEST_OTHERS && fit_between(&stamped);
    let is_levelled = |line: &[u8]| begins_with_level_in_brackets(line) && find(line, rules).is_none();
    let by_level = lines().filter(|line| is_levelled(line) && !begins(line)).count() >= FEWEST_OTHERS;
    if !by_time && !by_level {
        return None;
    }
    let (begins, rules) = (Arc::clone(begins), rules.clone());
    let begins_any = move |line: &[u8]| {
        begins(line)
            || by_level && begins_with_level_in_brackets(line)
            || by_time
                && line.first().is_some_and(|byte| !byte.is_ascii_whitespace())
                && find(line, &rules).is_some()
    };
    Some(Learned { framing: Framing::Starts(Arc::new(begins_any)), ..learned.clone() })
}

/// Extends what a format of single lines has learned: a line that has no time and that the format does not
/// read is joined to the event before it. Only where every line that the format reads begins with a time. The
/// caller must check it: it is right if as many events are read.
pub(crate) fn with_stamped_starts(parser: &Parser, sample: &Chunk, rules: &TimeRules) -> Option<Learned> {
    let learned = parser.learned();
    if !matches!(learned.framing, Framing::Lines) || !rules.begins_lines() || parser.has_headings() {
        return None;
    }
    let (batch, _) = parser.parse_and_tally(sample.clone());
    let text = sample.text();
    let unparsed: Vec<u32> = batch.unparsed_examples.iter().map(|(row, _)| *row).collect();
    if unparsed.is_empty() || unparsed.len() != batch.unparsed as usize {
        return None;
    }
    let has_time = |frame: &Frame| {
        let event = &text[frame.text_start..frame.text_end];
        find(&event[..memchr(b'\n', event).unwrap_or(event.len())], rules).is_some()
    };
    let is_right = |(row, frame): (usize, Frame)| unparsed.contains(&(row as u32)) != has_time(&frame);
    if !frames(sample, &Framing::Lines).enumerate().all(is_right) {
        return None;
    }
    let rules = rules.clone();
    let framing = Framing::Starts(Arc::new(move |line: &[u8]| find(line, &rules).is_some()));
    Some(Learned { framing, ..learned.clone() })
}

/// Extends what a format of single lines has learned: the lines of stack traces are joined to the event before
/// them. The caller must check it: it is right if as many events are read.
pub(crate) fn with_joined_traces(parser: &Parser, sample: &Chunk) -> Option<Learned> {
    let learned = parser.learned();
    if !matches!(learned.framing, Framing::Lines) || parser.has_headings() {
        return None;
    }
    if !sample.text().split(|&byte| byte == b'\n').any(|line| line.starts_with(TRACEBACK)) {
        return None;
    }
    let begins = |line: &[u8]| line.is_empty() || !continues_trace(line, true);
    Some(Learned { framing: Framing::Starts(Arc::new(begins)), ..learned.clone() })
}
