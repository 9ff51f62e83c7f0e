//! WebLogic's server log and its console output: every value is between angle brackets.

use memchr::memmem;

use super::{Fit, Format, Learned, Reader};
use crate::endpoint::TextRange;
use crate::level;
use crate::limits;
use crate::rows::{ColumnKind, Rows, Schema};
use crate::time::find::whole_time;

pub(crate) static FORMAT: Format = Format {
    name: "weblogic",
    title: "WebLogic messages",
    columns: COLUMNS,
    learn: |_, _| {
        Learned::starting(|line| time(line).is_some_and(|at| whole_time(&line[at.0..at.1]).is_some()))
    },
    reader: |_| Box::new(WeblogicReader),
    ..Format::LINES
};

const COLUMNS: Schema = &[
    ("subsystem", ColumnKind::Text),
    ("host", ColumnKind::Text),
    ("server", ColumnKind::Text),
    ("thread", ColumnKind::Text),
    ("user", ColumnKind::Text),
    ("transaction", ColumnKind::Text),
    ("context", ColumnKind::Text),
    ("code", ColumnKind::Text),
    ("message", ColumnKind::Text),
];
const CODE: usize = 7;
const MESSAGE: usize = 8;

/// How many values precede the message in the log, in the log since 12.2.1, and on the console.
const COUNTS: [usize; 3] = [11, 12, 4];

/// The value that begins a line.
fn time(line: &[u8]) -> Option<TextRange> {
    let at = if line.starts_with(b"####<") { 4 } else { 0 };
    let head = &line[..line.len().min(at + limits::LONGEST_JOINED_TIME_BYTES)];
    next(head, at)
}

/// The value between the bracket at a position and the one before the next value.
fn next(text: &[u8], at: usize) -> Option<TextRange> {
    let inner = text.get(at..)?.strip_prefix(b"<")?;
    Some((at + 1, at + 1 + memmem::find(inner, b"> <")?))
}

struct WeblogicReader;

impl Reader for WeblogicReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let broken = "no values of WebLogic between angle brackets";
        let place = time(event).ok_or(broken)?;
        let is_log = event.starts_with(b"####");
        let when = whole_time(&event[place.0..place.1]).ok_or(broken)?;
        let mut values = vec![place];
        let most = if is_log { COUNTS[1] } else { COUNTS[2] };
        while values.len() < most
            && let Some(value) = next(event, values[values.len() - 1].1 + 2)
        {
            values.push(value);
        }
        if !COUNTS.contains(&values.len()) || is_log != (values.len() > COUNTS[2]) {
            return Err(broken);
        }
        let (from, to) = values[1];
        let level = level::from_word(&event[from..to]).ok_or("no level of WebLogic")?;
        rows.when(&when);
        rows.set_level(level);
        for (column, &(mut from, mut to)) in values[2..values.len().min(9)].iter().enumerate() {
            // A user of the server itself has brackets of its own.
            if event[from..to].starts_with(b"<") && event[from..to].ends_with(b">") {
                (from, to) = (from + 1, to - 1);
            }
            if from < to && (is_log || column == 0) {
                rows.text(column, from, to);
            }
        }
        let (code_from, code_to) = values[values.len() - 1];
        rows.text(CODE, code_from, code_to);
        let message = event[code_to + 3..].trim_ascii_end();
        let length = message.strip_suffix(b">").unwrap_or(message).len();
        if length > 0 {
            rows.text(MESSAGE, code_to + 3, code_to + 3 + length);
        }
        Ok(Fit::Whole)
    }
}

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::FORMAT;

    #[test]
    fn sample_lines() {
        for (line, expected) in [
            (
                "####<Nov 21, 2026 3:04:05 AM PST> <Info> <WorkManager> <web-1> <shop1> <[ACTIVE] ExecuteThread: '2' for queue: 'a (self-tuning)'> <<WLS Kernel>> <> <> <1795259045123> <BEA-002936> <a thread <x> is new> ",
                r#"2026-11-21T11:04:05Z info subsystem="WorkManager" host="web-1" server="shop1" thread="[ACTIVE] ExecuteThread: '2' for queue: 'a (self-tuning)'" user="WLS Kernel" code="BEA-002936" message="a thread <x> is new""#,
            ),
            (
                "####<Nov 21, 2026 3:04:05,123 AM PST> <Error> <HTTP> <web-1> <shop1> <t-1> <bob> <BEA1-7> <c-9> <1795259045123> <[severity-value: 8] [rid: 0] > <BEA-101017> <failed\njava.lang.Error\n\tat a.b(C.java:1)>",
                "2026-11-21T11:04:05.123Z error subsystem=\"HTTP\" host=\"web-1\" server=\"shop1\" thread=\"t-1\" user=\"bob\" transaction=\"BEA1-7\" context=\"c-9\" code=\"BEA-101017\" message=\"failed\\njava.lang.Error\\n\\tat a.b(C.java:1)\"",
            ),
            (
                "<Nov 21, 2026 3:04:05 AM PST> <Notice> <Security> <BEA-090082> <Initializing>",
                r#"2026-11-21T11:04:05Z notice subsystem="Security" code="BEA-090082" message="Initializing""#,
            ),
            (
                "<Nov 21, 2026 3:04:05 AM PST> <Notice> <x>",
                "unparsed: no values of WebLogic between angle brackets",
            ),
            ("<a> <b>", "unparsed: it precedes the first event"),
        ] {
            assert_eq!(render(&FORMAT, line), expected, "{line}");
        }
    }
}
