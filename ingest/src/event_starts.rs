//! Where events begin in lines that a format does not know: of another program that writes into the same log, and
//! behind lines that only one who knows the format would tell from events.

use std::sync::Arc;

use memchr::memchr;

use crate::batch::Chunk;
use crate::formats::Learned;
use crate::frame::{Frame, Framing, frames};
use crate::parser::Parser;
use crate::time::find::find;
use crate::time::layouts::fit_between;
use crate::time::rules::TimeRules;

/// So many lines of another layout are events of their own.
const FEWEST_OTHERS: usize = 2;

/// What a format has learned, with events that begin at a line of any layout of the source too. `None` where its own
/// framing is as good.
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
    let lines: Vec<_> = frames(sample, &Framing::Lines)
        .map(|frame| &text[frame.text_start..frame.text_end])
        .filter(|line| !line[0].is_ascii_whitespace())
        .map(|line| (find(line, rules), !begins(line)))
        .filter(|(time, _)| time.is_some())
        .collect();
    if lines.iter().filter(|(_, is_other)| *is_other).count() < FEWEST_OTHERS || !fit_between(&lines) {
        return None;
    }
    let (begins, rules) = (Arc::clone(begins), rules.clone());
    let begins_any = move |line: &[u8]| {
        begins(line)
            || line.first().is_some_and(|byte| !byte.is_ascii_whitespace()) && find(line, &rules).is_some()
    };
    Some(Learned { framing: Framing::Starts(Arc::new(begins_any)), ..learned.clone() })
}

/// What a format of single lines has learned, with lines joined to the event before them that have no time and that it
/// does not read, where every line that it reads begins with one. To be tried: it is right if as many events are read.
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
