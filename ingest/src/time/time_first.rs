//! A time of day before its date: `23:59:58 31/12/2026`, `23:59:58, 31 Dec 2026`, `23:59:58 /2026-12-31/`,
//! `23:59:58 UTC 12/31/2026`.

use super::When;
use super::digits::byte;
use super::find::Spelling;
use super::numeric_date::{DateOrder, NumericDate, numbers};
use super::offset::offset;
use super::stamp::{Stamp, optional_zone};
use super::time_of_day::time_of_day;

/// The longest time and date.
const LONGEST_BYTES: usize = 48;

/// The same text with the date first, and where the date ends in the line.
fn with_date_first(line: &[u8], at: usize) -> Option<([u8; LONGEST_BYTES], usize, usize)> {
    let (_, time_end) = time_of_day(line, at)?;
    let mut date = zone_between(line, time_end).map_or(time_end, |(_, end)| end);
    date += usize::from(byte(line, date) == b',');
    if !matches!(byte(line, date), b' ' | b'\t') {
        return None;
    }
    date += 1 + line[date + 1..].iter().take(2).take_while(|byte| **byte == b' ').count();
    let is_enclosed = byte(line, date) == b'/';
    date += usize::from(is_enclosed);
    let is_of_date = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'-' | b',');
    let token = |from: usize| from + line[from..].iter().take(12).take_while(|byte| is_of_date(byte)).count();
    let first = token(date);
    // A space separates a day and a month name from the year.
    let is_short = first - date <= 4 && byte(line, first) == b' ';
    let end = if is_short { (0..2).fold(first, |end, _| token((end + 1).min(line.len()))) } else { first };
    let (text, time) = (line.get(date..end)?, line.get(at..time_end)?);
    if !text.iter().any(u8::is_ascii_digit) || text.len() < 8 {
        return None;
    }
    let end = end - usize::from(matches!(text.last(), Some(b',' | b'.' | b'-' | b'/')));
    let text = &line[date..end];
    // A time after the date belongs to the date instead.
    let after_date = end + usize::from(matches!(byte(line, end), b' ' | b'T' | b','));
    if time_of_day(line, after_date).is_some() {
        return None;
    }
    let length = text.len() + 1 + time.len();
    let mut buffer = [0; LONGEST_BYTES];
    buffer.get_mut(..text.len())?.copy_from_slice(text);
    *buffer.get_mut(text.len())? = b' ';
    buffer.get_mut(text.len() + 1..length)?.copy_from_slice(time);
    Some((buffer, length, end + usize::from(is_enclosed && byte(line, end) == b'/')))
}

/// The zone between a time and its date.
fn zone_between(line: &[u8], time_end: usize) -> Option<(i32, usize)> {
    let is_word = byte(line, time_end) == b' ' && byte(line, time_end + 1).is_ascii_uppercase();
    let zone = if is_word { offset(line, time_end + 1) } else { None };
    zone.filter(|&(_, end)| byte(line, end) == b' ')
}

pub(crate) fn time_first(line: &[u8], at: usize, order: DateOrder) -> Option<(Stamp, usize)> {
    let (buffer, length, end) = with_date_first(line, at)?;
    let text = &buffer[..length];
    let spellings = [Spelling::Iso, Spelling::DayMonthYear, Spelling::MonthDay, Spelling::Numeric];
    let read = spellings.into_iter().find_map(|spelling| spelling.read(text, 0, order));
    match read? {
        (When::Stamp(stamp), read) if read == length && stamp.year.is_some() => {
            let between = time_of_day(line, at).and_then(|(_, time_end)| zone_between(line, time_end));
            let zone = stamp.zone.or(between.map(|(zone, _)| zone));
            let (zone, end) = if zone.is_none() { optional_zone(line, end) } else { (zone, end) };
            Some((Stamp { zone, ..stamp }, end))
        }
        _ => None,
    }
}

/// The numbers of the date, if it is numeric.
pub(super) fn date_numbers(line: &[u8], at: usize) -> Option<NumericDate> {
    let (buffer, length, _) = with_date_first(line, at)?;
    numbers(&buffer[..length], 0)
}
