//! Nagios, Icinga and Naemon: `[1795230245] SERVICE ALERT: host;service;state;type;attempt;output`.

use memchr::{memchr, memmem};

use super::{Fit, Format, Reader};
use crate::batch::Level;
use crate::level;
use crate::named_columns::NamedColumns;
use crate::rows::Rows;
use crate::time::{When, epoch};

pub(crate) static FORMAT: Format = Format {
    name: "nagios",
    title: "Nagios lines",
    reader: |_| Box::new(NagiosReader { named: NamedColumns::default() }),
    ..Format::LINES
};

/// The names of the values of an event, by the words with which it ends. The last value may contain semicolons.
const EVENTS: [(&str, &[&str]); 13] = [
    ("SERVICE FLAPPING ALERT", &["host", "service", "state", "message"]),
    ("SERVICE DOWNTIME ALERT", &["host", "service", "state", "message"]),
    ("HOST FLAPPING ALERT", &["host", "state", "message"]),
    ("HOST DOWNTIME ALERT", &["host", "state", "message"]),
    ("SERVICE ALERT", &["host", "service", "state", "state_type", "attempt", "message"]),
    ("SERVICE STATE", &["host", "service", "state", "state_type", "attempt", "message"]),
    ("SERVICE EVENT HANDLER", &["host", "service", "state", "state_type", "attempt", "command"]),
    ("HOST ALERT", &["host", "state", "state_type", "attempt", "message"]),
    ("HOST STATE", &["host", "state", "state_type", "attempt", "message"]),
    ("SERVICE NOTIFICATION", &["contact", "host", "service", "state", "command", "message"]),
    ("HOST NOTIFICATION", &["contact", "host", "state", "command", "message"]),
    ("PASSIVE SERVICE CHECK", &["host", "service", "return_code", "message"]),
    ("EXTERNAL COMMAND", &["command", "message"]),
];

struct NagiosReader {
    named: NamedColumns,
}

impl Reader for NagiosReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let broken = "no time of Nagios in brackets";
        let close = memchr(b']', &event[..event.len().min(20)]).ok_or(broken)?;
        let digits = event.strip_prefix(b"[").and_then(|text| text.get(..close - 1)).ok_or(broken)?;
        rows.when(&When::Instant(epoch::number(digits).ok_or(broken)?));
        let text = event.get(close + 1..).and_then(|rest| rest.strip_prefix(b" ")).ok_or(broken)?;
        let at = event.len() - text.len();
        self.named.begin();
        let kind = memmem::find(text, b": ").map_or(&[][..], |colon| &text[..colon]);
        if let Some(level) = level::from_word(kind) {
            rows.set_level(level);
        }
        let known = EVENTS.iter().find(|(words, _)| kind.ends_with(words.as_bytes()));
        let Some((_, names)) = known else {
            self.named.text(b"message", at, event.len(), rows);
            let is_event =
                !kind.is_empty() && kind.iter().all(|byte| byte.is_ascii_uppercase() || *byte == b' ');
            return Ok(if is_event { Fit::Whole } else { Fit::Partly });
        };
        self.named.text(b"event", at, at + kind.len(), rows);
        let mut from = at + kind.len() + 2;
        for (index, name) in names.iter().enumerate() {
            let rest = event.get(from..).ok_or("fewer values than such an event of Nagios has")?;
            let end = memchr(b';', rest).filter(|_| index + 1 < names.len());
            let to = from + end.unwrap_or(rest.len());
            if from < to {
                self.named.value(name.as_bytes(), event, from, to, rows);
            }
            if *name == "state"
                && let Some(level) = level_of_state(&event[from..to])
            {
                rows.set_level(level);
            }
            from = to + 1;
        }
        Ok(Fit::Whole)
    }
}

fn level_of_state(state: &[u8]) -> Option<Level> {
    Some(match state {
        b"OK" | b"UP" => Level::Info,
        b"WARNING" | b"UNKNOWN" => Level::Warn,
        b"CRITICAL" | b"DOWN" | b"UNREACHABLE" => Level::Error,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::FORMAT;

    #[test]
    fn sample_lines() {
        for (line, expected) in [
            (
                "[1795230245] SERVICE ALERT: web-1;Disk /;CRITICAL;SOFT;1;full; clean it",
                r#"2026-11-21T03:04:05Z error event="SERVICE ALERT" host="web-1" service="Disk /" state="CRITICAL" state_type="SOFT" attempt=1 message="full; clean it""#,
            ),
            (
                "[1795230245] CURRENT HOST STATE: web-1;UP;HARD;1;PING OK",
                r#"2026-11-21T03:04:05Z info event="CURRENT HOST STATE" host="web-1" state="UP" state_type="HARD" attempt=1 message="PING OK""#,
            ),
            (
                "[1795230245] TIMEPERIOD TRANSITION: 24x7;-1;1",
                r#"2026-11-21T03:04:05Z - message="TIMEPERIOD TRANSITION: 24x7;-1;1""#,
            ),
            ("[1795230245] Warning: no host", r#"2026-11-21T03:04:05Z warn message="Warning: no host""#),
            ("[1795230245] HOST ALERT: web-1;UP", "unparsed: fewer values than such an event of Nagios has"),
            ("[21] x", "unparsed: no time of Nagios in brackets"),
        ] {
            assert_eq!(render(&FORMAT, line), expected, "{line}");
        }
    }
}
