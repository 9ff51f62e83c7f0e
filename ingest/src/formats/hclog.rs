//! The log of Vault, Consul, Nomad and Terraform: `time [LEVEL]  name.of.part: message: key=value …`.

use memchr::memchr;

use super::{Fit, Format, Learned, Reader, Setup};
use crate::level;
use crate::named::Named;
use crate::pairs::{Item, Style, is_key};
use crate::rows::{Kind, Rows, Schema};
use crate::time::stamp::iso;

pub(crate) static FORMAT: Format = Format {
    name: "hclog",
    title: "HashiCorp log lines",
    columns: COLUMNS,
    learn: |_, _| Learned::starting(|line| bracket(line).is_some()),
    reader,
    ..Format::LINES
};

const COLUMNS: Schema = &[("logger", Kind::Text), ("message", Kind::Text)];
const LOGGER: usize = 0;
const MESSAGE: usize = 1;

const STYLE: Style = Style { escapes: true, single_quotes: false };

fn reader(_: &Setup) -> Box<dyn Reader> {
    Box::new(HclogReader { named: Named::default(), items: Vec::new() })
}

struct HclogReader {
    named: Named,
    items: Vec<Item>,
}

/// The place of the bracket behind the time, if the line begins like this.
fn bracket(line: &[u8]) -> Option<usize> {
    let (stamp, end) = iso(line, 0)?;
    let is_word = |length| level::of_word(&line[end + 2..end + 2 + length]).is_some();
    let closes = memchr(b']', line.get(end + 2..)?.get(..6)?)?;
    // The space behind the bracket goes before a word of four letters too: levels are padded.
    (stamp.zone.is_some() && line[end..].starts_with(b" [") && is_word(closes)).then_some(end + 1)
}

impl Reader for HclogReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let bracket = bracket(event).ok_or("no time and level in brackets at the start")?;
        if let Some((stamp, _)) = iso(event, 0) {
            rows.stamp(&stamp);
        }
        let close = bracket + 1 + memchr(b']', &event[bracket + 1..]).unwrap_or_default();
        if let Some(level) = level::of_word(&event[bracket + 1..close]) {
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
            return Ok(Fit::Whole);
        }
        rows.text(MESSAGE, message, end);
        self.named.begin();
        for item in &self.items {
            item.put(item.key(event), event, &mut self.named, rows);
        }
        Ok(Fit::Whole)
    }
}

impl HclogReader {
    /// Takes up the pairs at the end of the line; gives the place of the first.
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
            "2026-11-21T03:04:05Z [main] ERROR x",
            "unparsed: it stands before the first event, or goes on with one that is too long",
        );
        check("x", "unparsed: it stands before the first event, or goes on with one that is too long");
    }
}
