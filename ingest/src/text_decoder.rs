//! Decodes the bytes of an event to its text, whether they are text in an encoding or a record.

use std::borrow::Cow;
use std::ops::Range;

use crate::encoding::{Encoding, has_escapes};
use crate::evtx::RecordTexts;
use crate::login_events;

/// Decodes the events of one source. It caches what neighbouring events share.
#[derive(Debug)]
pub struct TextDecoder {
    encoding: Encoding,
    records: RecordTexts,
}

impl TextDecoder {
    #[must_use]
    pub fn new(encoding: Encoding) -> TextDecoder {
        TextDecoder { encoding, records: RecordTexts::default() }
    }

    /// Whether the bytes equal their text.
    #[must_use]
    pub fn is_identity(&self, bytes: &[u8]) -> bool {
        self.encoding.is_plain() && !has_escapes(bytes)
    }

    /// The text of an event, given by its range in a chunk's bytes that begin at this offset of the source.
    pub fn text<'a>(&'a mut self, bytes: &'a [u8], offset: u64, event: Range<usize>) -> Cow<'a, [u8]> {
        if self.encoding.is_evtx() {
            return Cow::Borrowed(self.records.text(bytes, offset, &event));
        }
        if let Some(layout) = self.encoding.logins() {
            let start = offset + event.start as u64;
            return Cow::Owned(login_events::text(layout, &bytes[event], start));
        }
        self.encoding.text(&bytes[event])
    }
}
