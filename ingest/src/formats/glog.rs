//! glog and klog: `I1121 03:04:05.123456   12 file.go:33] message`. The first letter is the level.

use memchr::memchr;

use super::{Fit, Format, Learned, Reader};
use crate::batch::Level;
use crate::json_escapes::unescape;
use crate::layout::time_at;
use crate::named_columns::NamedColumns;
use crate::pairs::{Style, is_key, may_be_field};
use crate::rows::{ColumnKind, Rows, Schema};

pub(crate) static FORMAT: Format = Format {
    name: "glog",
    title: "glog lines",
    columns: COLUMNS,
    learn: |_, _| Learned::starting(|line| day(line).is_some() || is_preamble(line)),
    note: Some(is_preamble),
    reader: |_| Box::<GlogReader>::default(),
    ..Format::LINES
};

const COLUMNS: Schema = &[
    ("thread", ColumnKind::Int),
    ("source_file", ColumnKind::Text),
    ("source_line", ColumnKind::Int),
    ("message", ColumnKind::Text),
];
const THREAD: usize = 0;
const SOURCE_FILE: usize = 1;
const SOURCE_LINE: usize = 2;
const MESSAGE: usize = 3;

/// The header lines that a program writes at the start of a file.
fn is_preamble(line: &[u8]) -> bool {
    [
        &b"Log file created at: "[..],
        b"Running on machine: ",
        b"Binary: ",
        b"Log line format: ",
        b"Running duration ",
    ]
    .iter()
    .any(|start| line.starts_with(start))
}

/// The level, and where the time of day begins: after the month and day, and perhaps the year before them.
fn day(line: &[u8]) -> Option<(Level, usize)> {
    let level = match line.first()? {
        b'I' => Level::Info,
        b'W' => Level::Warn,
        b'E' => Level::Error,
        b'F' | b'C' => Level::Fatal,
        b'D' | b'V' => Level::Debug,
        _ => return None,
    };
    let digits = line[1..].iter().take(9).take_while(|byte| byte.is_ascii_digit()).count();
    let clock = digits + 2;
    let is_day = matches!(digits, 4 | 6 | 8)
        && line.get(clock - 1) == Some(&b' ')
        && line.get(clock + 2) == Some(&b':');
    is_day.then_some((level, clock))
}

#[derive(Default)]
struct GlogReader {
    /// For the pairs of structured lines.
    named: NamedColumns,
}

impl Reader for GlogReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let broken = "no level, day, thread and place in the source";
        let (level, clock) = day(event).ok_or(broken)?;
        // CockroachDB has a year of two digits, and no bracket after the place in the source.
        let (close, message) = if clock == CLOCK_AFTER_SHORT_YEAR {
            let end = place_end(event, clock).ok_or(broken)?;
            (end, end + event[end..].iter().take_while(|byte| **byte == b' ').count())
        } else {
            let close = memchr(b']', event).ok_or(broken)?;
            (close, close + 1 + usize::from(event.get(close + 1) == Some(&b' ')))
        };
        let header = &event[..close];
        let clock_end = clock + memchr(b' ', &header[clock..]).ok_or(broken)?;
        let place = header.iter().rposition(|byte| *byte == b' ').ok_or(broken)? + 1;
        let thread = header[clock_end..place].trim_ascii();
        let place = place + memchr(b'@', &header[place..]).map_or(0, |channel| channel + 1);
        let colon = place + memchr(b':', &header[place..]).ok_or(broken)?;
        rows.set_level(level);
        if let Some((when, _)) = time_at(event, 0) {
            rows.when(&when);
        }
        if let Some(thread) = whole_number(thread) {
            rows.int(THREAD, thread);
        }
        rows.text(SOURCE_FILE, place, colon);
        if let Some(line) = whole_number(&header[colon + 1..]) {
            rows.int(SOURCE_LINE, line);
        }
        if message < event.len() && !self.structured(event, message, rows) {
            rows.text(MESSAGE, message, event.len());
        }
        Ok(Fit::Whole)
    }
}

/// The syntax of klog's pairs.
const PAIRS: Style = Style { escapes: true, single_quotes: false };

impl GlogReader {
    /// klog's structured lines: `"message" key="value"`. A message in quotes with other text after it is just that.
    fn structured(&mut self, event: &[u8], message: usize, rows: &mut Rows) -> bool {
        if event[message] != b'"' {
            return false;
        }
        let Some((end, has_quotes)) = PAIRS.quoted(event, message + 1) else { return false };
        let mut at = end + 1;
        let mut pairs = Vec::new();
        while let Some(item) = PAIRS.next(event, at) {
            if item.value.is_none() || !is_key(item.key(event)) {
                return false;
            }
            at = item.end;
            pairs.push(item);
        }
        if has_quotes {
            let span = rows.rewrite(|buffer| unescape(&event[message + 1..end], buffer));
            rows.span(MESSAGE, span);
        } else {
            rows.text(MESSAGE, message + 1, end);
        }
        self.named.begin();
        for item in &pairs {
            let key = item.key(event);
            if may_be_field(key) {
                item.put(key, event, &mut self.named, rows);
            } else {
                item.put(&[b"data.".as_slice(), key].concat(), event, &mut self.named, rows);
            }
        }
        true
    }
}

/// Where the time of day begins after a date of six digits.
const CLOCK_AFTER_SHORT_YEAR: usize = 8;

/// The end of the place in the source after the time of day and the thread.
fn place_end(event: &[u8], clock: usize) -> Option<usize> {
    let line = &event[..memchr(b'\n', event).unwrap_or(event.len())];
    let mut end = clock;
    for _ in 0..3 {
        end += line[end..].iter().take_while(|byte| **byte == b' ').count();
        end += memchr(b' ', &line[end..]).unwrap_or(line.len() - end);
    }
    line[..end].last()?.is_ascii_digit().then_some(end)
}

fn whole_number(digits: &[u8]) -> Option<i64> {
    let is_number = (1..=18).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit);
    is_number.then(|| digits.iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0')))
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
            "E1121 03:04:05.123456   12 file.go:33] a [b] c",
            r#"1680-11-21T03:04:05.123456Z error thread=12 source_file="file.go" source_line=33 message="a [b] c""#,
        );
        check(
            "I20261121 03:04:05.123456 7 x.cc:1] ",
            r#"2026-11-21T03:04:05.123456Z info thread=7 source_file="x.cc" source_line=1"#,
        );
        check(
            "F1121 03:04:05.1 7 x.cc:1] a\n  b",
            "1680-11-21T03:04:05.1Z fatal thread=7 source_file=\"x.cc\" source_line=1 message=\"a\\n  b\"",
        );
        check(
            "W261121 03:04:05.123456 147 1@server/node.go:219  [n1] slow\n  more",
            "2026-11-21T03:04:05.123456Z warn thread=147 source_file=\"server/node.go\" source_line=219 message=\"[n1] slow\\n  more\"",
        );
        check(
            r#"I1121 03:04:05.123456 1 x.go:7] "Starting \"a\"" controller="a b" err=<nil> count=3"#,
            r#"1680-11-21T03:04:05.123456Z info thread=1 source_file="x.go" source_line=7 message="Starting \"a\"" controller="a b" err="<nil>" count=3"#,
        );
        check(
            r#"I1121 03:04:05.123456 1 x.go:7] "Event occurred" kind="Pod" message="Created pod: x-abc""#,
            r#"1680-11-21T03:04:05.123456Z info thread=1 source_file="x.go" source_line=7 message="Event occurred" kind="Pod" data.message="Created pod: x-abc""#,
        );
        check(
            r#"I1121 03:04:05.123456 1 x.go:7] "a" is not b=1"#,
            r#"1680-11-21T03:04:05.123456Z info thread=1 source_file="x.go" source_line=7 message="\"a\" is not b=1""#,
        );
        check("I1121 03:04:05.123456 7 x] a", "unparsed: no level, day, thread and place in the source");
        check("I1121 03:04:05", "unparsed: no level, day, thread and place in the source");
    }
}
