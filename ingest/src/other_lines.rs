//! Events that do not fit the format of their source: another program, or the same one with other settings,
//! writes into the same log.

use memchr::memchr;

use crate::formats::json::JsonBody;
use crate::formats::text::{letter_of_stamp, level_in_capitals_before_colon};
use crate::formats::{Fit, Learned, Reader, Setup, logfmt};
use crate::level;
use crate::limits;
use crate::rows::Rows;
use crate::time::find::find;

/// Reads them as a JSON object or as a list of pairs; of other text only the time and the level.
pub(crate) struct OtherLines<'s> {
    setup: &'s Setup,
    object: JsonBody,
    pairs: Option<Box<dyn Reader>>,
}

impl<'s> OtherLines<'s> {
    pub(crate) fn new(setup: &'s Setup) -> OtherLines<'s> {
        OtherLines { setup, object: JsonBody::default(), pairs: None }
    }

    /// Reads an event that is as a whole of another format; otherwise nothing of it is in the row.
    pub(crate) fn read(&mut self, event: &[u8], rows: &mut Rows) -> bool {
        let is_read = if is_object(event) {
            self.object.read(event, 0, rows)
        } else {
            self.read_pairs(event, rows).is_ok() && rows.has_time()
        };
        if !is_read {
            rows.clear();
        }
        is_read
    }

    fn read_pairs(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let setup = self.setup;
        // What was learned is of the other format.
        let without_learned = || Setup { learned: Learned::default(), ..Setup::clone(setup) };
        let pairs = self.pairs.get_or_insert_with(|| (logfmt::FORMAT.reader)(&without_learned()));
        pairs.read(event, rows)
    }

    pub(crate) fn put_time_and_level(&self, event: &[u8], rows: &mut Rows) {
        let line = &event[..memchr(b'\n', event).unwrap_or(event.len())];
        // The date in a comment above the events is when the file was made.
        if line.starts_with(b"# ") {
            return;
        }
        let (mut start, mut from) = (0, 0);
        if let Some(found) = find(line, &self.setup.times) {
            rows.when(&found.when);
            (start, from) = (found.start, found.end);
        }
        let word = level::find(line, from, from + limits::LEVEL_WITHIN_BYTES).map(|word| word.level);
        let below = || level_in_capitals_before_colon(event.get(line.len() + 1..)?);
        if let Some(level) = word.or_else(|| letter_of_stamp(line, start)).or_else(below) {
            rows.set_level(level);
        }
    }
}

/// Whether the text looks like a whole JSON object.
pub(crate) fn is_object(event: &[u8]) -> bool {
    event.starts_with(b"{\"") && event.trim_ascii_end().ends_with(b"}")
}
