//! Container logs as Kubernetes keeps them (CRI): a time, the stream, whether the line is whole, and what
//! the program wrote, which is read on where it is JSON.

use super::json::JsonBody;
use super::{Fit, Format, Reader, Setup};
use crate::batch::Level;
use crate::layout::time_at;
use crate::level;
use crate::limits;
use crate::rows::{Kind, Rows, Schema};

pub(crate) static FORMAT: Format =
    Format { name: "cri", title: "container log lines", columns: COLUMNS, reader, ..Format::LINES };

const COLUMNS: Schema = &[("stream", Kind::Text), ("tag", Kind::Text), ("message", Kind::Text)];
const STREAM: usize = 0;
const TAG: usize = 1;
const MESSAGE: usize = 2;

fn reader(_: &Setup) -> Box<dyn Reader> {
    Box::new(CriReader { json: JsonBody::default() })
}

struct CriReader {
    json: JsonBody,
}

impl Reader for CriReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let broken = "no time, stream and tag of a container log";
        if !event.first().is_some_and(u8::is_ascii_digit) {
            return Err(broken);
        }
        let (when, end) = time_at(event, 0).ok_or(broken)?;
        let rest = &event[end..];
        if !rest.starts_with(b" stdout ") && !rest.starts_with(b" stderr ") {
            return Err(broken);
        }
        let tag = end + 8;
        // A tag may say more behind a colon, one day.
        let tag_end = tag + event[tag..].iter().position(|byte| *byte == b' ').unwrap_or(event.len() - tag);
        if !matches!(event.get(tag), Some(b'F' | b'P'))
            || !matches!(event.get(tag + 1), None | Some(b' ' | b':'))
        {
            return Err(broken);
        }
        rows.when(&when);
        rows.text(STREAM, end + 1, end + 7);
        rows.text(TAG, tag, tag_end);
        let message = tag_end + 1;
        if message < event.len() {
            rows.text(MESSAGE, message, event.len());
            let is_object = event[message] == b'{' && self.json.read(event, message, rows);
            if !is_object
                && rows.level() == Level::None
                && let Some(word) = level::find(event, message, message + limits::LEVEL_WITHIN_BYTES)
            {
                rows.set_level(word.level);
            }
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
                "2026-11-21T03:04:05.123456789Z stdout F WARN slow",
                r#"2026-11-21T03:04:05.123456789Z warn stream="stdout" tag="F" message="WARN slow""#,
            ),
            (
                "2026-11-21T03:04:05.1+01:00 stderr P half a",
                r#"2026-11-21T02:04:05.1Z - stream="stderr" tag="P" message="half a""#,
            ),
            (
                r#"2026-11-21T03:04:05Z stderr F {"level":"error","msg":"x","ts":"2020-01-01T00:00:00Z"}"#,
                r#"2026-11-21T03:04:05Z error stream="stderr" tag="F" message="{\"level\":\"error\",\"msg\":\"x\",\"ts\":\"2020-01-01T00:00:00Z\"}" msg="x""#,
            ),
            ("2026-11-21T03:04:05Z stdout F", r#"2026-11-21T03:04:05Z - stream="stdout" tag="F""#),
            ("2026-11-21T03:04:05Z stdout X y", "unparsed: no time, stream and tag of a container log"),
            ("2026-11-21T03:04:05Z up", "unparsed: no time, stream and tag of a container log"),
        ] {
            assert_eq!(render(&FORMAT, line), expected, "{line}");
        }
    }
}
