//! Any other text: finds a line's time and level by itself.

use super::{Fit, Format, Learned, Reader, Setup};
use crate::level;
use crate::limits;
use crate::rows::{Kind, Rows, Schema};
use crate::time::find::find;
use crate::time::rules::TimeRules;

/// Any line fits, so a fit says little: a known format that fits two lines in five is preferred.
pub(crate) static FORMAT: Format = Format {
    name: "text",
    title: "lines of text",
    weight: 0.4,
    columns: COLUMNS,
    learn,
    reader,
    ..Format::LINES
};

const COLUMNS: Schema = &[("message", Kind::Text)];
const MESSAGE: usize = 0;

fn reader(setup: &Setup) -> Box<dyn Reader> {
    Box::new(TextReader { times: setup.times.clone() })
}

/// Where lines begin with their time, one without belongs to the event before: a trace, a dump, a statement.
fn learn(sample: &[u8], setup: &Setup) -> Learned {
    let times = setup.times.clone();
    if times.within > limits::STAMP_ANCHORED_BYTES {
        return Learned::default();
    }
    let lines = || {
        sample
            .split(|&byte| byte == b'\n')
            .filter(|line| line.first().is_some_and(|byte| !byte.is_ascii_whitespace()))
    };
    let stamped = lines().filter(|line| find(line, &times).is_some()).count();
    // A date over a long report does not make it one event.
    if stamped * limits::LINES_PER_STAMP < lines().count() {
        return Learned::default();
    }
    Learned::starting(move |line| find(line, &times).is_some())
}

struct TextReader {
    times: TimeRules,
}

impl Reader for TextReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let time = find(event, &self.times);
        let (start, end) = time.map_or((0, 0), |time| (time.start, time.end));
        if let Some(time) = &time {
            rows.when(&time.when);
        }
        // A level may stand on either side of the time.
        let word = level::find(event, 0, start)
            .or_else(|| level::find(event, end, end + limits::LEVEL_WITHIN_BYTES));
        if let Some(word) = word {
            rows.set_level(word.level);
        }
        let begins_with_time = time.is_some() && start <= limits::STAMP_ANCHORED_BYTES;
        if !begins_with_time {
            return Ok(Fit::Whole);
        }
        let after_time = skip_separators(event, end);
        let message = match word {
            None => after_time,
            Some(word) if skip_open_brackets(event, after_time) == word.start => {
                skip_separators(event, word.end)
            }
            // With other things between the two, what the message is remains open: the raw line is.
            Some(_) => return Ok(Fit::Whole),
        };
        if message < event.len() {
            rows.text(MESSAGE, message, event.len());
        }
        Ok(Fit::Whole)
    }
}

/// Past what separates a time or level from what follows: closing brackets, spaces, and one dash, colon
/// or bar that stands alone.
fn skip_separators(event: &[u8], mut at: usize) -> usize {
    let space = |at: usize| matches!(event.get(at), Some(b' ' | b'\t'));
    while matches!(event.get(at), Some(b']' | b')' | b'>' | b'"' | b':' | b',' | b'|')) {
        at += 1;
    }
    while space(at) {
        at += 1;
    }
    if matches!(event.get(at), Some(b'-' | b':' | b'|')) && space(at + 1) {
        at += 1;
        while space(at) {
            at += 1;
        }
    }
    at
}

fn skip_open_brackets(event: &[u8], at: usize) -> usize {
    at + event[at..].iter().take_while(|byte| matches!(byte, b'[' | b'(' | b'<')).count()
}

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &str) {
        assert_eq!(render(&FORMAT, line), expected, "{line}");
    }

    #[test]
    fn sample_lines() {
        check(
            "2026-03-01 12:00:00,123 WARN [w-3] c.e.Cart - slow",
            "2026-03-01T12:00:00.123Z warn message=\"[w-3] c.e.Cart - slow\"",
        );
        check(
            "2026-03-01 12:00:00,123 - INFO  [q=1] - up",
            "2026-03-01T12:00:00.123Z info message=\"[q=1] - up\"",
        );
        check("[2026-03-01 12:00:00] [error] no route", "2026-03-01T12:00:00Z error message=\"no route\"");
        check(
            "2026/03/01 12:00:00 [notice] 7#7: start",
            "2026-03-01T12:00:00Z notice message=\"7#7: start\"",
        );
        check("2026-03-01T12:00:00.5Z [main] ERROR shop - no", "2026-03-01T12:00:00.5Z error");
        check("2026-03-01T12:00:00Z up", "2026-03-01T12:00:00Z - message=\"up\"");
        check("INFO 2026-03-01 12:00:00 up", "2026-03-01T12:00:00Z info");
        check("[Sun Mar 01 12:00:00 2026] [crit] no", "2026-03-01T12:00:00Z fatal message=\"no\"");
        check("1428634687123 Hello", "2015-04-10T02:58:07.123Z - message=\"Hello\"");
        check("a=b t=2026-03-01T12:00:00Z level=debug", "2026-03-01T12:00:00Z debug");
        check("\tat com.example.Cart.add(Cart.java:7)", "- -");
        check("ERROR without a time", "- error");
    }
}
