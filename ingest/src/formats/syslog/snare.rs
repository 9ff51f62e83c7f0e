//! Windows events as Snare and NXLog send them: `MSWinEventLog`, then values between tabs whose places have names.

use memchr::memchr;

use crate::level;
use crate::named_columns::NamedColumns;
use crate::rows::Rows;
use crate::time::find::whole_time;

#[derive(Default)]
pub(super) struct Snare {
    named: NamedColumns,
}

const BEGIN: &[u8] = b"MSWinEventLog\t";

/// The names of the values; those of Windows' own fields where it has them.
const NAMES: [&[u8]; 14] = [
    b"criticality",
    b"channel",
    b"counter",
    b"time",
    b"event_id",
    b"provider",
    b"user",
    b"sid_type",
    b"event_type",
    b"computer",
    b"category",
    b"data",
    b"description",
    b"checksum",
];

impl Snare {
    /// Whether the message is one of these; then its fields are in the row. Its own time has a year.
    pub(super) fn read(&mut self, event: &[u8], message: usize, rows: &mut Rows) -> bool {
        if !event[message..].starts_with(BEGIN) {
            return false;
        }
        self.named.begin();
        let mut from = message + BEGIN.len();
        for name in NAMES {
            let Some(rest) = event.get(from..) else { break };
            let to = from + memchr(b'\t', rest).unwrap_or(rest.len());
            let value = &event[from..to];
            match name {
                b"time" => {
                    if let Some(when) = whole_time(value) {
                        rows.when(&when);
                    }
                }
                _ if value.is_empty() || value == b"N/A" => {}
                _ => self.named.value(name, event, from, to, rows),
            }
            if name == b"event_type"
                && let Some(level) = level::from_word(value)
            {
                rows.set_level(level);
            }
            from = to + 1;
        }
        true
    }
}
