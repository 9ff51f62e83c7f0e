//! A time whose parts are separate values: a date, a time of day, perhaps a zone.

use super::When;
use super::find::whole_time_in_order;
use super::numeric_date::DateOrder;
use super::offset::offset;
use super::stamp::Stamp;
use crate::limits;

/// The time whose parts are separate values: a date, a time of day, perhaps a zone.
pub(crate) fn joined_time(parts: &[&[u8]]) -> Option<When> {
    joined_time_in_order(parts, DateOrder::Customary)
}

/// The same, with the order that the dates of the source have.
pub(crate) fn joined_time_in_order(parts: &[&[u8]], order: DateOrder) -> Option<When> {
    let mut text = [0; limits::LONGEST_JOINED_TIME_BYTES];
    let mut length = 0;
    for (index, part) in parts.iter().enumerate() {
        let start = length + usize::from(index > 0);
        text.get_mut(length..start)?.fill(b' ');
        length = start + part.len();
        text.get_mut(start..length)?.copy_from_slice(part);
    }
    whole_time_in_order(&text[..length], order)
}

/// A time with the zone that another value has: `+0100`, `-05`.
pub(crate) fn in_zone(when: When, zone: &[u8]) -> When {
    match (when, offset(zone, 0)) {
        (When::Stamp(stamp @ Stamp { zone: None, .. }), Some((seconds, end))) if end == zone.len() => {
            When::Stamp(Stamp { zone: Some(seconds), ..stamp })
        }
        _ => when,
    }
}
