//! LTSV: `label:value` pairs between tabs.

use memchr::{memchr, memchr_iter};

use super::{Fit, Format, Reader, Setup};
use crate::batch::Level;
use crate::level;
use crate::named_columns::NamedColumns;
use crate::rows::Rows;
use crate::time::find::whole_time;

pub(crate) static FORMAT: Format =
    Format { name: "ltsv", title: "LTSV lines", weight: 0.95, reader, ..Format::LINES };

fn reader(_: &Setup) -> Box<dyn Reader> {
    Box::new(LtsvReader { named: NamedColumns::default() })
}

struct LtsvReader {
    named: NamedColumns,
}

impl Reader for LtsvReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let (mut start, mut labels, mut has_time) = (0, 0, false);
        self.named.begin();
        for end in memchr_iter(b'\t', event).chain(std::iter::once(event.len())) {
            let (from, to) = (start, end);
            start = end + 1;
            if from == to {
                continue;
            }
            let colon =
                memchr(b':', &event[from..to]).map(|length| from + length).ok_or("a label is missing")?;
            let (label, value) = (&event[from..colon], &event[colon + 1..to]);
            // Two colons are part of a name.
            if !is_label(label) || value.starts_with(b":") {
                return Err("not a list of label:value");
            }
            labels += 1;
            match label {
                b"time" | b"timestamp" | b"ts" | b"datetime" | b"date" | b"time_local" | b"msec"
                    if !has_time =>
                {
                    let bare = value.strip_prefix(b"[").and_then(|value| value.strip_suffix(b"]"));
                    if let Some(when) = whole_time(bare.unwrap_or(value)) {
                        rows.when(&when);
                        has_time = true;
                        continue;
                    }
                }
                b"level" | b"severity" | b"loglevel" | b"log_level" | b"lvl" => {
                    if let Some(level) = level::from_word(value) {
                        rows.set_level(level);
                        continue;
                    }
                }
                b"status" if rows.level() == Level::None => {
                    if let Some(level) = level::from_status(value) {
                        rows.set_level(level);
                    }
                }
                _ => {}
            }
            if !matches!(value, b"" | b"-") {
                self.named.value(label, event, colon + 1, to, rows);
            }
        }
        if labels < 2 { Err("not a list of label:value") } else { Ok(Fit::Whole) }
    }
}

fn is_label(label: &[u8]) -> bool {
    let is_sign = |byte: &u8| matches!(byte, b'_' | b'-' | b'.');
    !label.is_empty() && label.iter().all(|byte| byte.is_ascii_alphanumeric() || is_sign(byte))
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
            "time:[21/Nov/2026:03:04:05 +0100]\thost:10.1.2.3\treq:GET /a:b HTTP/1.1\tstatus:404\tsize:12\treferer:-\treqtime:0.25",
            r#"2026-11-21T02:04:05Z warn host="10.1.2.3" req="GET /a:b HTTP/1.1" status=404 size=12 reqtime=0.25"#,
        );
        check(
            "ts:2026-11-21T03:04:05Z\tlevel:error\tstatus:200\tmsg:no",
            r#"2026-11-21T03:04:05Z error status=200 msg="no""#,
        );
        check("a:1\tb", "unparsed: a label is missing");
        check("a b:1\tc:2", "unparsed: not a list of label:value");
        check("a:1", "unparsed: not a list of label:value");
    }
}
