//! Functions of texts. Numbers and other values are taken as the texts they are shown as.

use std::borrow::Cow;

use regex::bytes::Regex;

use super::super::cell::Cell;
use super::convert::{number_of, whole_if_exact};
use query::functions::Function;

/// What a function sees of a value.
fn text_of(cell: &Cell) -> Option<Cow<'_, str>> {
    match cell {
        Cell::Missing => None,
        Cell::Text(text) => Some(Cow::Borrowed(text)),
        other => Some(Cow::Owned(other.to_string())),
    }
}

fn int_of(cell: &Cell) -> Option<i64> {
    match number_of(cell)? {
        Cell::Int(value) => Some(value),
        Cell::Float(value) => Some(value as i64),
        _ => None,
    }
}

pub fn text(function: Function, arguments: &[Cell]) -> Cell {
    calculate(function, arguments).unwrap_or(Cell::Missing)
}

fn calculate(function: Function, arguments: &[Cell]) -> Option<Cell> {
    if function == Function::Concat {
        return Some(Cell::Text(arguments.iter().map(Cell::to_string).collect::<String>().into()));
    }
    let text = text_of(&arguments[0])?;
    let second = || text_of(arguments.get(1)?);
    let number = |index: usize| arguments.get(index).and_then(int_of);
    Some(match function {
        Function::Len => Cell::Int(text.chars().count() as i64),
        Function::Lower => Cell::Text(text.to_lowercase().into()),
        Function::Upper => Cell::Text(text.to_uppercase().into()),
        Function::Trim => Cell::text(text.trim()),
        Function::Substr => {
            let length = if arguments.len() > 2 { Some(number(2)?) } else { None };
            Cell::text(part(&text, number(1)?, length))
        }
        Function::Left => Cell::text(part(&text, 1, Some(number(1)?))),
        Function::Right => {
            let length = text.chars().count() as i64;
            Cell::text(part(&text, (length - number(1)?.clamp(0, length)).saturating_add(1), None))
        }
        Function::Split => return split(&text, &second()?, arguments),
        Function::Contains => Cell::Bool(text.to_lowercase().contains(&second()?.to_lowercase())),
        Function::StartsWith => Cell::Bool(text.to_lowercase().starts_with(&second()?.to_lowercase())),
        Function::EndsWith => Cell::Bool(text.to_lowercase().ends_with(&second()?.to_lowercase())),
        Function::Position => {
            let found = text.find(&*second()?).map_or(0, |at| text[..at].chars().count() + 1);
            Cell::Int(found as i64)
        }
        Function::JsonExtract => return json(&text, &second()?),
        Function::UrlDecode => Cell::Text(url_decoded(&text).into()),
        _ => return None,
    })
}

/// Characters from a place counted from 1, or from the end where it is negative.
fn part(text: &str, from: i64, length: Option<i64>) -> &str {
    let count = text.chars().count() as i64;
    let start = if from < 0 { (count.saturating_add(from)).max(0) } else { (from - 1).max(0) };
    let end = length.map_or(count, |length| start.saturating_add(length.max(0))).min(count);
    let place = |index: i64| text.char_indices().nth(index as usize).map_or(text.len(), |(at, _)| at);
    if start >= end { "" } else { &text[place(start)..place(end)] }
}

fn split(text: &str, separator: &str, arguments: &[Cell]) -> Option<Cell> {
    let parts: Vec<&str> = if separator.is_empty() { vec![text] } else { text.split(separator).collect() };
    if arguments.len() < 3 {
        return Some(Cell::List(parts.into_iter().map(Cell::text).collect()));
    }
    let place = int_of(&arguments[2])?;
    let index = if place < 0 { parts.len() as i64 + place } else { place - 1 };
    usize::try_from(index).ok().and_then(|index| parts.get(index)).map(|part| Cell::text(part))
}

/// The value at a path such as `user.id` or `items.0`.
fn json(text: &str, path: &str) -> Option<Cell> {
    let document: serde_json::Value = serde_json::from_str(text).ok()?;
    let path = path.trim_start_matches('$').trim_start_matches('.');
    let step = |inner: Option<serde_json::Value>, key: &str| match inner? {
        serde_json::Value::Object(mut object) => object.remove(key),
        serde_json::Value::Array(mut list) => {
            let index: usize = key.parse().ok()?;
            (index < list.len()).then(|| list.swap_remove(index))
        }
        _ => None,
    };
    let found = if path.is_empty() { Some(document) } else { path.split('.').fold(Some(document), step) }?;
    Some(match of_json(&found) {
        Cell::Missing => Cell::Missing,
        found => Cell::Text(found.to_string().into()),
    })
}

pub fn of_json(value: &serde_json::Value) -> Cell {
    match value {
        serde_json::Value::Null => Cell::Missing,
        serde_json::Value::Bool(value) => Cell::Bool(*value),
        serde_json::Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) if whole != i64::MIN => Cell::Int(whole),
            (_, Some(float)) => Cell::float(float),
            _ => Cell::Missing,
        },
        serde_json::Value::String(text) => Cell::text(text),
        other => Cell::Text(other.to_string().into()),
    }
}

fn url_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = bytes.get(at + 1..at + 3).and_then(|digits| std::str::from_utf8(digits).ok());
        let code = code.filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
        match (bytes[at], code.and_then(|digits| u8::from_str_radix(digits, 16).ok())) {
            (b'%', Some(byte)) => {
                decoded.push(byte);
                at += 3;
            }
            (b'+', _) => {
                decoded.push(b' ');
                at += 1;
            }
            (byte, _) => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

/// `replace` and `extract`.
pub fn pattern(function: Function, value: &Cell, regex: &Regex, rest: &[Cell]) -> Cell {
    let Some(text) = text_of(value) else { return Cell::Missing };
    let shown = |bytes: &[u8]| Cell::text(&String::from_utf8_lossy(bytes));
    if function == Function::Replace {
        let Some(with) = rest.first().and_then(text_of) else { return Cell::Missing };
        return shown(&regex.replace_all(text.as_bytes(), with.as_bytes()));
    }
    let Some(found) = regex.captures(text.as_bytes()) else { return Cell::Missing };
    let group = match rest.first() {
        // Where there is a group, it is what somebody wants of the match.
        None => found.get(usize::from(found.len() > 1)),
        Some(Cell::Int(number)) => usize::try_from(*number).ok().and_then(|number| found.get(number)),
        Some(Cell::Text(name)) => found.name(name),
        Some(_) => None,
    };
    group.map_or(Cell::Missing, |group| shown(group.as_bytes()))
}

/// The most bytes that `replace` makes of a text; of a long one its matches are counted.
pub fn replaced_bytes(cells: &[Cell], regex: &Regex) -> usize {
    let lengths = cells.get(1).zip(cells.first()).map(|(with, text)| (text_of(text), text_of(with)));
    let Some((Some(text), Some(with))) = lengths else { return 0 };
    // A group of the replacement is as long as a match at most, and all matches together are as long as the text.
    let groups = with.bytes().filter(|&byte| byte == b'$').count();
    let inserted =
        |matches: usize| matches.saturating_mul(with.len()).saturating_add(groups.saturating_mul(text.len()));
    let most = text.len().saturating_add(inserted(text.len() + 1));
    if most < MUCH_BYTES {
        return most;
    }
    text.len().saturating_add(inserted(regex.find_iter(text.as_bytes()).count()))
}

/// Counting matches costs less than room for so much.
const MUCH_BYTES: usize = 64 << 10;

/// A short fingerprint of a value as it is shown (FNV-1a).
pub fn hash(cell: &Cell) -> Cell {
    let Some(text) = text_of(cell) else { return Cell::Missing };
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    Cell::Text(format!("{hash:016x}").into())
}

/// A number of milliseconds, or of another unit, as `1h 2m 3s`.
pub fn duration(value: &Cell, unit: Option<&Cell>) -> Cell {
    let factor = match unit {
        None => Some(super::convert::MILLISECOND),
        Some(Cell::Text(name)) => query::Unit::named(name).map(query::Unit::factor),
        Some(_) => None,
    };
    let (Some(factor), Some(number)) = (factor, number_of(value).and_then(|cell| cell.number())) else {
        return Cell::Missing;
    };
    let mut rest = (number.abs() * factor).round() as u128;
    let mut shown = String::new();
    for (name, length) in [("d", 86_400_000_000_000), ("h", 3_600_000_000_000), ("m", 60_000_000_000)] {
        if rest >= length {
            shown += &[&(rest / length).to_string(), name, " "].concat();
            rest %= length;
        }
    }
    let seconds = whole_if_exact(rest as f64 / 1e9);
    match (shown.is_empty(), rest) {
        (false, 0) => {}
        (true, 1..1_000_000_000) => shown += &[&whole_if_exact(rest as f64 / 1e6).to_string(), "ms"].concat(),
        _ => shown += &[&seconds.to_string(), "s"].concat(),
    }
    let sign = if number < 0.0 { "-" } else { "" };
    Cell::Text(format!("{sign}{}", shown.trim_end()).into())
}
