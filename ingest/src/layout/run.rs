//! Matches the steps of a layout against a line.

use memchr::memchr;

use super::{LayoutStep, ValueShape, closing_quote};
use crate::endpoint::{end_of_numbers, endpoint, is_address};
use crate::time::When;
use crate::time::find::time_at_exactly;
use crate::time::numeric_date::DateOrder;

/// A match in a line: the range of a field or of the level, or the time.
#[derive(Clone, Copy)]
pub(super) enum LayoutMatch {
    Field(usize, usize, usize),
    Time(When),
    Level(usize, usize),
}

/// The first line of an event, or the rest of it.
#[derive(Clone, Copy)]
pub(super) struct LayoutLine<'a> {
    pub event: &'a [u8],
    pub end: usize,
    pub order: DateOrder,
}

pub(super) fn end_of_line(event: &[u8], at: usize) -> usize {
    event.get(at..).and_then(|rest| memchr(b'\n', rest)).map_or(event.len(), |length| at + length)
}

/// Matches the steps from a position in the line; returns the position after them.
pub(super) fn run(
    steps: &[LayoutStep],
    line: LayoutLine,
    mut at: usize,
    found: &mut Vec<LayoutMatch>,
) -> Option<usize> {
    let LayoutLine { event, end: line_end, order } = line;
    for step in steps {
        at = match step {
            LayoutStep::Text(text) => {
                // Most texts that do not match differ in their first byte.
                let is_here = event.get(at) == text.first() && event[at..].starts_with(text);
                is_here.then_some(at + text.len())?
            }
            LayoutStep::Space => {
                let spaces = event[at..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
                (spaces > 0).then_some(at + spaces)?
            }
            LayoutStep::Time => {
                let (when, end) = time_at_exactly(event, at, order)?;
                found.push(LayoutMatch::Time(when));
                end
            }
            LayoutStep::When => {
                let end = end_of_numbers(event, at)?;
                match time_at_exactly(event, at, order) {
                    Some((when, time_end)) => {
                        found.push(LayoutMatch::Time(when));
                        time_end.max(end)
                    }
                    None => end,
                }
            }
            LayoutStep::Level => {
                let length = event[at..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
                found.push(LayoutMatch::Level(at, at + length));
                (length > 0).then_some(at + length)?
            }
            LayoutStep::Value(field, shape) => {
                let (from, to, next) = value(shape, event, at, line_end)?;
                if let Some(field) = field {
                    found.push(LayoutMatch::Field(*field, from, to));
                }
                next
            }
            LayoutStep::Endpoint(address, port, is_ip) => {
                let (host, digits, next) = endpoint(event, at)?;
                if *is_ip && !is_address(&event[host.0..host.1]) {
                    return None;
                }
                found.push(LayoutMatch::Field(*address, host.0, host.1));
                if let Some((from, to)) = digits {
                    found.push(LayoutMatch::Field(*port, from, to));
                }
                next
            }
            LayoutStep::Optional(steps) => {
                let before = found.len();
                run(steps, line, at, found).unwrap_or_else(|| {
                    found.truncate(before);
                    at
                })
            }
        };
    }
    Some(at)
}

/// A value at a position: its range, and the position after it.
fn value(shape: &ValueShape, event: &[u8], at: usize, line_end: usize) -> Option<(usize, usize, usize)> {
    // A layout may continue on another line.
    let line_end = if at > line_end { end_of_line(event, at) } else { line_end };
    let rest = &event[at..line_end];
    let length = match shape {
        ValueShape::UpTo(ends) => ends.iter().filter_map(|end| end.find(rest)).min()?,
        ValueShape::Word => rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len()),
        ValueShape::Number if rest.first() == Some(&b'-') && !rest.get(1).is_some_and(u8::is_ascii_digit) => {
            1
        }
        ValueShape::Number => {
            let sign = usize::from(rest.first() == Some(&b'-'));
            sign + rest[sign..].iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count()
        }
        ValueShape::Quoted => {
            let end = at + 1 + closing_quote(rest.strip_prefix(b"\"")?)?;
            return Some((at + 1, end, end + 1));
        }
        ValueShape::Inner => rest.iter().rposition(|byte| matches!(byte, b')' | b']' | b'}'))?,
        ValueShape::Rest => return Some((at, event.len(), event.len())),
    };
    (length > 0).then_some((at, at + length, at + length))
}
