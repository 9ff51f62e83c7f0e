//! Logs of the Configuration Manager and other Microsoft management software for the viewer CMTrace: a text,
//! perhaps of many lines, followed by attributes with time, component and severity.

use memchr::memmem;

use super::{Fit, Format, Learned, Reader, Setup};
use crate::batch::Level;
use crate::named_columns::NamedColumns;
use crate::rows::{ColumnKind, Rows, Schema};
use crate::time::When;
use crate::time::find::whole_time_in_order;
use crate::time::numeric_date::DateOrder;
use crate::time::stamp::Stamp;

pub(crate) static FORMAT: Format = Format {
    name: "cmtrace",
    title: "lines of Configuration Manager",
    columns: COLUMNS,
    learn: |_, _| Learned::starting(begins),
    reader: |_: &Setup| Box::new(CmtraceReader { named: NamedColumns::default() }),
    ..Format::LINES
};

const COLUMNS: Schema = &[("component", ColumnKind::Text), ("message", ColumnKind::Text)];
const COMPONENT: usize = 0;
const MESSAGE: usize = 1;

const OPENING: &[u8] = b"<![LOG[";
const CLOSING: &[u8] = b"]LOG]!>";
/// Closes the text of the older form, before a component, a time and a thread in brackets of their own.
const SIGN: &[u8] = b"$$<";

/// Lines of the older form end with their attributes, and no text spans several lines.
fn begins(line: &[u8]) -> bool {
    line.starts_with(OPENING) || older(line).is_some()
}

struct CmtraceReader {
    named: NamedColumns,
}

impl Reader for CmtraceReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        self.named.begin();
        if event.starts_with(OPENING) {
            return self.newer(event, rows);
        }
        let at = older(event).ok_or("no text and attributes of Configuration Manager")?;
        self.older(event, at, rows)
    }
}

impl CmtraceReader {
    /// `<![LOG[text]LOG]!><time="03:04:05.123-60" date="11-21-2026" component="…" type="1" …>`.
    fn newer(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let close = memmem::rfind(event, CLOSING).ok_or("the text is not closed")?;
        put_message(event, OPENING.len(), close, rows);
        let (mut date, mut clock) = (&b""[..], &b""[..]);
        let mut at = close + CLOSING.len() + 1;
        while let Some((name, (from, to))) = attribute(event, at) {
            let value = &event[from..to];
            match name {
                b"time" => clock = value,
                b"date" => date = value,
                b"type" => {
                    if let Some(level) = level(value) {
                        rows.set_level(level);
                    }
                }
                b"component" => rows.text(COMPONENT, from, to),
                _ if from == to => {}
                b"file" => self.named.text(b"source_file", from, to, rows),
                _ => self.named.value(name, event, from, to, rows),
            }
            at = to + 1;
        }
        let stamp = stamp(date, clock).ok_or("no date and time after the text")?;
        rows.stamp(&stamp);
        Ok(Fit::Whole)
    }

    /// `text  $$<component><11-21-2026 03:04:05.123-60><thread=1234 (0x4D2)>`.
    fn older(&mut self, event: &[u8], sign: usize, rows: &mut Rows) -> Result<Fit, &'static str> {
        put_message(event, 0, sign, rows);
        let mut parts = event[sign + 2..].split_inclusive(|byte| *byte == b'>');
        let mut at = sign + 2;
        let mut next = || {
            let part = parts.next()?;
            let place = (at + 1, at + part.len() - 1);
            at += part.len();
            (place.0 <= place.1).then_some(place)
        };
        let broken = "the attributes after the text are broken";
        let component = next().ok_or(broken)?;
        let (from, to) = next().ok_or(broken)?;
        let (date, clock) = event[from..to].split_at_checked(11).ok_or(broken)?;
        rows.stamp(&stamp(date.trim_ascii_end(), clock).ok_or(broken)?);
        rows.text(COMPONENT, component.0, component.1);
        if let Some((from, to)) = next()
            && let Some(thread) = event[from..to].strip_prefix(b"thread=")
        {
            let digits = thread.iter().take_while(|byte| byte.is_ascii_digit()).count();
            self.named.value(b"thread", event, from + 7, from + 7 + digits, rows);
        }
        Ok(Fit::Whole)
    }
}

/// Where the attributes of the older form begin.
fn older(event: &[u8]) -> Option<usize> {
    let at = memmem::rfind(event, SIGN)?;
    event[at..].trim_ascii_end().ends_with(b">").then_some(at)
}

fn put_message(event: &[u8], from: usize, to: usize, rows: &mut Rows) {
    let text = &event[from..to];
    let start = from + (text.len() - text.trim_ascii_start().len());
    let end = from + text.trim_ascii_end().len();
    if start < end {
        rows.text(MESSAGE, start, end);
    }
}

/// `name="value"` after the spaces at a position, and the range of the value.
fn attribute(event: &[u8], at: usize) -> Option<(&[u8], (usize, usize))> {
    let start = at + event.get(at..)?.iter().take_while(|byte| **byte == b' ').count();
    let name = event[start..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let from = start + name + 2;
    if name == 0 || event.get(start + name..from) != Some(b"=\"") {
        return None;
    }
    let to = from + memchr::memchr(b'"', &event[from..])?;
    Some((&event[start..start + name], (from, to)))
}

/// The date has the month first, without leading zeros; the time is followed by the minutes that UTC is ahead
/// of it.
fn stamp(date: &[u8], clock: &[u8]) -> Option<Stamp> {
    let sign = clock.iter().position(|byte| matches!(byte, b'+' | b'-')).unwrap_or(clock.len());
    let (clock, bias) = clock.split_at(sign);
    let joined = [date, b" ", clock].concat();
    let When::Stamp(stamp) = whole_time_in_order(&joined, DateOrder::MonthFirst)? else { return None };
    if bias.is_empty() {
        return Some(stamp);
    }
    let minutes: i32 = std::str::from_utf8(bias).ok()?.parse().ok()?;
    (minutes.abs() < MOST_MINUTES).then_some(Stamp { zone: Some(-minutes * 60), ..stamp })
}

/// No zone is further from UTC than this.
const MOST_MINUTES: i32 = 15 * 60;

fn level(kind: &[u8]) -> Option<Level> {
    Some(match kind {
        b"0" => Level::Debug,
        b"1" => Level::Info,
        b"2" => Level::Warn,
        b"3" => Level::Error,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::FORMAT;

    #[track_caller]
    fn check(line: &str, expected: &str) {
        assert_eq!(render(&FORMAT, line), expected, "{line}");
    }

    #[test]
    fn sample_lines() {
        check(
            r#"<![LOG[Installing package SHOP001]LOG]!><time="03:04:05.123-60" date="11-21-2026" component="AppEnforce" context="" type="2" thread="4711" file="enforce.cpp:12">"#,
            r#"2026-11-21T02:04:05.123Z warn component="AppEnforce" message="Installing package SHOP001" thread=4711 source_file="enforce.cpp:12""#,
        );
        check(
            "<![LOG[\r\ninstance of Shop\n{\n};]LOG]!><time=\"3:04:05.1234567\" date=\"1-2-2026\" component=\"SC\" context=\"\" type=\"1\" thread=\"1\" file=\"\">",
            "2026-01-02T03:04:05.1234567Z info component=\"SC\" message=\"instance of Shop\\n{\\n};\" thread=1",
        );
        check(
            "Policy is done  $$<PolicyAgent><11-21-2026 03:04:05.123+300><thread=4711 (0x1267)>",
            r#"2026-11-21T08:04:05.123Z - component="PolicyAgent" message="Policy is done" thread=4711"#,
        );
        check("<![LOG[open", "unparsed: the text is not closed");
        check("<![LOG[x]LOG]!><time=\"03:04\" date=\"\">", "unparsed: no date and time after the text");
        check("x $$<a><b>", "unparsed: the attributes after the text are broken");
    }
}
