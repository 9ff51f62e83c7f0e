//! Cisco's Identity Services Engine and ACS: `CISE_Failed_Attempts 0000000123 1 0 2026-11-21 03:04:05.123 +00:00
//! 0000001234 5400 NOTICE Failed-Attempt: Authentication failed, UserName=anna, …`. A long message is sent in
//! parts; only the first one has a time.

use memchr::memchr;

use crate::endpoint::TextRange;
use crate::formats::logfmt::STYLE;
use crate::level;
use crate::named_columns::NamedColumns;
use crate::pairs::may_be_field;
use crate::rows::Rows;
use crate::time::When;
use crate::time::stamp::iso;

#[derive(Default)]
pub(super) struct Ise {
    named: NamedColumns,
}

/// The first words: the number of the message, the number of its parts, and which of them this is.
const HEAD: [&[u8]; 4] = [b"category", b"message_id", b"parts", b"part"];

impl Ise {
    /// Whether the message is one of these; then its fields are in the row.
    pub(super) fn read(&mut self, event: &[u8], message: usize, rows: &mut Rows) -> bool {
        if !begins(&event[message..]) {
            return false;
        }
        self.named.begin();
        let mut words = Words { event, at: message };
        for name in HEAD {
            let Some((from, to)) = words.next() else { return true };
            self.named.value(name, event, from, to, rows);
        }
        if let Some((stamp, end)) = iso(event, words.at) {
            rows.when(&When::Stamp(stamp));
            words.at = end;
            // After a number of the server's own.
            if let (Some(_), Some((from, to))) = (words.next(), words.next()) {
                self.named.value(b"code", event, from, to, rows);
            }
            if let Some((from, to)) = words.next()
                && let Some(level) = level::from_word(&event[from..to])
            {
                rows.set_level(level);
            }
        }
        let mut at = words.at;
        while let Some(item) = STYLE.next_delimited(event, at, b',') {
            at = item.end;
            if item.value.is_some() && may_be_field(item.key(event)) {
                item.put(item.key(event), event, &mut self.named, rows);
            }
        }
        true
    }
}

/// Whether this begins one of their messages.
pub(super) fn begins(message: &[u8]) -> bool {
    message.starts_with(b"CISE_") || message.starts_with(b"CSCOacs_")
}

/// Words with a space after each.
struct Words<'a> {
    event: &'a [u8],
    at: usize,
}

impl Iterator for Words<'_> {
    type Item = TextRange;

    fn next(&mut self) -> Option<TextRange> {
        let from = self.at + usize::from(self.event.get(self.at) == Some(&b' '));
        let to = from + memchr(b' ', self.event.get(from..)?)?;
        self.at = to + 1;
        Some((from, to))
    }
}
