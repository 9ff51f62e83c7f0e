//! The log of Vault, Consul, Nomad and Terraform: `time [LEVEL]  name.of.part: message: key=value …`.

use memchr::memchr;

use super::{Fit, Format, Learned, Reader, Setup};
use crate::level;
use crate::named_columns::NamedColumns;
use crate::pairs::{PairItem, Style, is_key};
use crate::rows::{ColumnKind, Rows, Schema};
use crate::time::stamp::{Stamp, iso};

pub(crate) static FORMAT: Format = Format {
    name: "hclog",
    title: "HashiCorp log lines",
    columns: COLUMNS,
    learn: |_, _| Learned::starting(|line| bracket(line).is_some()),
    reader,
    ..Format::LINES
};

const COLUMNS: Schema = &[("logger", ColumnKind::Text), ("message", ColumnKind::Text)];
const LOGGER: usize = 0;
const MESSAGE: usize = 1;

const STYLE: Style = Style { escapes: true, single_quotes: false };

fn reader(_: &Setup) -> Box<dyn Reader> {
    Box::new(HclogReader { named: NamedColumns::default(), items: Vec::new() })
}

struct HclogReader {
    named: NamedColumns,
    items: Vec<PairItem>,
}

/// Gradle writes such lines, too, and has these words in addition to levels.
const WORDS: [&[u8]; 2] = [b"LIFECYCLE", b"QUIET"];

/// None of the words is longer, including the closing bracket.
const WORD_WIDTH: usize = 10;

/// The line's time and the position of the bracket after it, if it begins like this.
fn bracket(line: &[u8]) -> Option<(Stamp, usize)> {
    let (stamp, end) = iso(line, 0)?;
    let inner = line[end..].strip_prefix(b" [")?;
    let word = &inner[..memchr(b']', &inner[..inner.len().min(WORD_WIDTH)])?];
    let is_known = level::from_word(word).is_some() || WORDS.contains(&word);
    // A word of four letters also has a space after its bracket, because levels are padded.
    is_known.then_some((stamp, end + 1))
}

impl Reader for HclogReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let (stamp, bracket) = bracket(event).ok_or("no time and level in brackets at the start")?;
        rows.stamp(&stamp);
        // Libraries of the same program may write without a zone, but so do many other logs.
        let fit = if stamp.zone.is_some() { Fit::Whole } else { Fit::Partly };
        let close = bracket + 1 + memchr(b']', &event[bracket + 1..]).unwrap_or_default();
        if let Some(level) = level::from_word(&event[bracket + 1..close]) {
            rows.set_level(level);
        }
        let start = close + 1;
        let start = start + event[start..].iter().take_while(|&&byte| byte == b' ').count();
        let line = memchr(b'\n', &event[start..]).map_or(event.len(), |length| start + length);
        let word =
            event[start..line].iter().position(|&byte| byte == b' ').map_or(line, |length| start + length);
        let mut message = start;
        if word > start + 1 && event[word - 1] == b':' && word < line {
            rows.text(LOGGER, start, word - 1);
            message = word + 1;
        }
        let pairs = self.pairs(event, message, line);
        let end = match pairs.checked_sub(2) {
            Some(before) if before >= message && event[before..pairs] == *b": " => before,
            _ => line,
        };
        if end == line {
            rows.text(MESSAGE, message, event.len());
            return Ok(fit);
        }
        rows.text(MESSAGE, message, end);
        self.named.begin();
        for item in &self.items {
            item.put(item.key(event), event, &mut self.named, rows);
        }
        Ok(fit)
    }
}

impl HclogReader {
    /// Reads the pairs at the end of the line; returns the position of the first.
    fn pairs(&mut self, event: &[u8], from: usize, to: usize) -> usize {
        self.items.clear();
        let mut at = from;
        while let Some(item) = STYLE.next(&event[..to], at) {
            at = item.end;
            if item.value.is_none() || !is_key(item.key(event)) {
                self.items.clear();
            } else {
                self.items.push(item);
            }
        }
        self.items.first().map_or(to, |item| item.key.0)
    }
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
            "2026-11-21T03:04:05.123Z [WARN]  core.cart: not done: path=a/b count=3 error=\"no \\\"x\\\"\"",
            r#"2026-11-21T03:04:05.123Z warn logger="core.cart" message="not done" path="a/b" count=3 error="no \"x\"""#,
        );
        check(
            "2026-11-21T03:04:05.123+0100 [INFO]  agent: Started: now with a=1 and more",
            r#"2026-11-21T02:04:05.123Z info logger="agent" message="Started: now with a=1 and more""#,
        );
        check(
            "2026-11-21T03:04:05Z [ERROR] no part here\n  stack",
            "2026-11-21T03:04:05Z error message=\"no part here\\n  stack\"",
        );
        check(
            "2026-11-21T03:04:05.123+0100 [LIFECYCLE] [build.Reporter] > Task :cart",
            r#"2026-11-21T02:04:05.123Z - message="[build.Reporter] > Task :cart""#,
        );
        check(
            "2026/11/21 03:04:05 [ERROR] core: x",
            r#"2026-11-21T03:04:05Z error logger="core" message="x""#,
        );
        check("2026-11-21T03:04:05Z [main] ERROR x", "unparsed: it precedes the first event");
        check("x", "unparsed: it precedes the first event");
    }
}
