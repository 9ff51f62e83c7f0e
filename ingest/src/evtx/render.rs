//! Renders a binary event as text: one line with the most important values first, then its data as
//! `name=value`.
//!
//! ```text
//! 2019-03-29T21:10:39.7868320Z Audit Success pc01 Security Some-Provider 4624: TargetUserName=eva … | record_id=7 …
//! ```
//!
//! It is deliberately neither XML nor JSON. Both would have to escape values, so that the command line on the
//! screen, the one in the file and the one in a query would be three different texts; and both begin every
//! event with the same hundred characters. Here every value is written as it is, so the columns can also
//! point into this text. Values with white space are quoted so that their end is visible; nothing parses this
//! text again, because the record itself is kept.

use std::ops::Range;

use super::fields::{self, FIXED_COUNT, FieldId};
use super::flatten::{EventField, EventFlattener, TextRef};

/// The values at the front, in this order, without names.
const BEFORE_EVENT_ID: [FieldId; 3] = [fields::HOST, fields::CHANNEL, fields::PROVIDER];

/// Writes the event of `flattener`, whose text ranges are in `scratch`. Calls `put` for each field that has a
/// column, with the range of its value in `out`.
pub(super) fn write_event(
    flattener: &EventFlattener,
    scratch: &[u8],
    out: &mut Vec<u8>,
    put: &mut impl FnMut(&EventField, Range<usize>),
) {
    let line = out.len();
    if let Some(time) = first_of(flattener, fields::TIME) {
        write_text(scratch, time.value, out);
    }
    if !flattener.level_word().is_empty() {
        space(line, out);
        out.extend_from_slice(flattener.level_word().as_bytes());
    }
    for field in BEFORE_EVENT_ID.into_iter().chain([fields::EVENT_ID]) {
        if let Some(entry) = first_of(flattener, field) {
            space(line, out);
            put(entry, write_text(scratch, entry.value, out));
        }
    }
    out.push(b':');
    for entry in flattener.entries.iter().filter(|entry| !is_system(entry.field)) {
        write_named(flattener, scratch, entry, out, put);
    }
    out.extend_from_slice(b" |");
    for entry in flattener.entries.iter().filter(|entry| is_system(entry.field) && !is_in_front(entry.field))
    {
        write_named(flattener, scratch, entry, out, put);
    }
}

fn first_of(flattener: &EventFlattener, field: FieldId) -> Option<&EventField> {
    flattener.entries.iter().find(|entry| entry.field == field)
}

fn is_system(field: FieldId) -> bool {
    field.0 < FIXED_COUNT && field != fields::MESSAGE && field != fields::DATA_NAME
}

fn is_in_front(field: FieldId) -> bool {
    field == fields::TIME || field == fields::EVENT_ID || BEFORE_EVENT_ID.contains(&field)
}

fn space(line: usize, out: &mut Vec<u8>) {
    if out.len() > line {
        out.push(b' ');
    }
}

fn write_text(scratch: &[u8], text_ref: TextRef, out: &mut Vec<u8>) -> Range<usize> {
    let from = out.len();
    out.extend_from_slice(&scratch[text_ref.from..text_ref.to]);
    from..out.len()
}

fn write_named(
    flattener: &EventFlattener,
    scratch: &[u8],
    entry: &EventField,
    out: &mut Vec<u8>,
    put: &mut impl FnMut(&EventField, Range<usize>),
) {
    out.push(b' ');
    match entry.label {
        Some(label) => {
            write_text(scratch, label, out);
        }
        None => out.extend_from_slice(flattener.fields.label(entry.field).as_bytes()),
    }
    out.push(b'=');
    let quoted = scratch[entry.value.from..entry.value.to].iter().any(u8::is_ascii_whitespace);
    if quoted {
        out.push(b'"');
    }
    let range = write_text(scratch, entry.value, out);
    if quoted {
        out.push(b'"');
    }
    if entry.field != fields::LEVEL && entry.field != fields::NO_FIELD {
        put(entry, range);
    }
}
