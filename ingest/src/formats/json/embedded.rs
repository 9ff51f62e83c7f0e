//! Messages of other formats that are JSON: as they are, or after the CEE cookie (`@cee: {…}`).

use std::sync::Arc;

use super::JsonReader;
use crate::rows::Rows;

#[derive(Default)]
pub(crate) struct JsonBody {
    reader: Option<JsonReader>,
}

impl JsonBody {
    /// Whether the message is an object; its fields are then in the row.
    pub(crate) fn read(&mut self, event: &[u8], message: usize, rows: &mut Rows) -> bool {
        let rest = &event[message..];
        let body = rest.strip_prefix(b"@cee:").unwrap_or(rest).trim_ascii_start();
        if !body.starts_with(b"{") || !body.trim_ascii_end().ends_with(b"}") {
            return false;
        }
        let reader = self.reader.get_or_insert_with(|| JsonReader::new(None, Arc::default()));
        reader.read_at(event, event.len() - body.len(), rows).is_ok()
    }
    /// The same for a message that is not part of the chunk, so that its values are copied.
    pub(crate) fn read_copy(&mut self, message: &[u8], rows: &mut Rows) -> bool {
        let reader = self.reader.get_or_insert_with(|| JsonReader::new(None, Arc::default()));
        reader.copies = true;
        let is_object = message.trim_ascii_end().ends_with(b"}") && reader.read_at(message, 0, rows).is_ok();
        reader.copies = false;
        is_object
    }
}
