//! Columns that a format discovers by name while it reads: `key=value` pairs, tables with a header. Events of
//! one program have the same names in the same order, so the name that followed last time is tried first.

use std::collections::HashMap;

use crate::rows::{ColumnKind, Rows};

/// The columns found so far in one chunk.
#[derive(Default)]
pub(crate) struct NamedColumns {
    slots: Vec<NamedSlot>,
    index: HashMap<Box<[u8]>, usize>,
    first: usize,
    last: Option<usize>,
}

struct NamedSlot {
    name: Box<[u8]>,
    /// The name that followed this one last time.
    next: usize,
    /// One column for each kind of value; `Err` if there were too many columns already.
    columns: [Option<Result<usize, ()>>; 4],
}

impl NamedColumns {
    /// To be called before the first value of an event.
    #[inline]
    pub(crate) fn begin(&mut self) {
        self.last = None;
    }

    /// Puts a range of the event, as a number if it is written like one, otherwise as text.
    #[inline]
    pub(crate) fn value(&mut self, name: &[u8], event: &[u8], from: usize, to: usize, rows: &mut Rows) {
        match number(&event[from..to]) {
            Some(Number::Int(value)) => {
                if let Some(column) = self.column(name, ColumnKind::Int, rows) {
                    rows.int(column, value);
                }
            }
            Some(Number::Float(value)) => {
                if let Some(column) = self.column(name, ColumnKind::Float, rows) {
                    rows.float(column, value);
                }
            }
            None => self.text(name, from, to, rows),
        }
    }

    /// Puts a range of the event as text.
    #[inline]
    pub(crate) fn text(&mut self, name: &[u8], from: usize, to: usize, rows: &mut Rows) {
        if let Some(column) = self.column(name, ColumnKind::Text, rows) {
            rows.text(column, from, to);
        }
    }

    /// Puts text that must be rewritten; the function appends it to the given buffer.
    pub(crate) fn rewrite(&mut self, name: &[u8], rows: &mut Rows, write: impl FnOnce(&mut Vec<u8>)) {
        if let Some(column) = self.column(name, ColumnKind::Text, rows) {
            let span = rows.rewrite(write);
            rows.span(column, span);
        }
    }

    /// The column of a name for values of a kind; `None` if there are too many.
    #[inline]
    pub(crate) fn column(&mut self, name: &[u8], kind: ColumnKind, rows: &mut Rows) -> Option<usize> {
        let slot = self.slot(name);
        let slot = &mut self.slots[slot];
        let column = slot.columns[kind as usize]
            .get_or_insert_with(|| rows.add_column(&String::from_utf8_lossy(name), kind).ok_or(()));
        column.ok()
    }

    #[inline]
    fn slot(&mut self, name: &[u8]) -> usize {
        let guess = self.last.map_or(self.first, |last| self.slots[last].next);
        let slot = match self.slots.get(guess) {
            Some(slot) if *slot.name == *name => guess,
            _ => self.find(name),
        };
        match self.last {
            None => self.first = slot,
            Some(last) => self.slots[last].next = slot,
        }
        self.last = Some(slot);
        slot
    }

    fn find(&mut self, name: &[u8]) -> usize {
        if let Some(&slot) = self.index.get(name) {
            return slot;
        }
        let slot = self.slots.len();
        self.slots.push(NamedSlot { name: name.into(), next: slot + 1, columns: [None; 4] });
        self.index.insert(name.into(), slot);
        slot
    }
}

pub(crate) enum Number {
    Int(i64),
    Float(f64),
}

/// A number as people and programs write one. Digits after a leading zero are an id, not a number, and so are
/// more digits than a number holds exactly.
#[inline]
pub(crate) fn number(text: &[u8]) -> Option<Number> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    if digits.is_empty() || digits.len() > 25 || !digits[0].is_ascii_digit() {
        return None;
    }
    let whole = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if whole > 18 || (whole > 1 && digits[0] == b'0') {
        return None;
    }
    if whole == digits.len() {
        let value = digits.iter().fold(0_i64, |number, digit| number * 10 + i64::from(digit - b'0'));
        return Some(Number::Int(if digits.len() < text.len() { -value } else { value }));
    }
    let fraction = digits[whole..].strip_prefix(b".")?;
    // Addresses, which are frequent and never numbers, end here.
    if !fraction.first()?.is_ascii_digit() || !fraction.last()?.is_ascii_digit() || fraction.contains(&b'.') {
        return None;
    }
    let value: f64 = std::str::from_utf8(text).ok()?.parse().ok()?;
    value.is_finite().then_some(Number::Float(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_distinguished_from_ids() {
        let written = |text: &str| match number(text.as_bytes()) {
            Some(Number::Int(value)) => format!("{value}"),
            Some(Number::Float(value)) => format!("{value:?}"),
            None => "text".to_string(),
        };
        for (text, expected) in [
            ("0", "0"),
            ("-17", "-17"),
            ("123456789012345678", "123456789012345678"),
            ("1.50", "1.5"),
            ("-0.25", "-0.25"),
            ("1.5e3", "1500.0"),
            ("1234567890123456789", "text"),
            ("007", "text"),
            ("1.", "text"),
            ("1.2.3", "text"),
            ("1e3", "text"),
            (".5", "text"),
            ("-", "text"),
            ("", "text"),
            ("12ms", "text"),
        ] {
            assert_eq!(written(text), expected, "{text}");
        }
    }
}
