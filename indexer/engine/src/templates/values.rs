//! The values of a template's variable parts.

use std::collections::HashMap;

use serde::Serialize;

use base::limits::{LONGEST_COUNTED_VALUE_BYTES, MOST_COUNTED_VALUES};
use patterns::{Message, Slots, Template};
use query::{Dimension, Unit};

/// The values of one variable part.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PatternVariable {
    /// Its name in the template: `num`, `ip`, `*`.
    pub kind: String,
    pub count: u64,
    /// Distinct values, as counted up to the limit.
    pub distinct: u64,
    /// Some values were different from all that were counted, and are in no other figure than `count`.
    pub more: bool,
    pub top: Vec<ValueCount>,
    /// Of numbers, of durations in milliseconds, of sizes in bytes.
    pub min: Option<f64>,
    pub max: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ValueCount {
    pub value: String,
    pub count: u64,
}

/// Counts the values of a template's parts, message by message.
pub struct ValueTally {
    slots: Slots,
    parts: Vec<ValuePart>,
}

#[derive(Default)]
struct ValuePart {
    count: u64,
    known: HashMap<Vec<u8>, u64>,
    more: bool,
    min: Option<f64>,
    max: Option<f64>,
}

impl ValueTally {
    pub fn from_template(template: &Template) -> ValueTally {
        let slots = Slots::from_template(template);
        let parts = (0..slots.len()).map(|_| ValuePart::default()).collect();
        ValueTally { slots, parts }
    }

    pub fn add(&mut self, message: Message<'_>) {
        let parts = &mut self.parts;
        self.slots.values(message, |part, value| {
            if let Some(part) = parts.get_mut(part) {
                part.add(value);
            }
        });
    }

    /// The parts in the order of the template, each with its most frequent values.
    pub fn finish(self, top: usize) -> Vec<PatternVariable> {
        let kinds: Vec<String> = self.slots.kinds().into_iter().map(str::to_owned).collect();
        kinds.into_iter().zip(self.parts).map(|(kind, part)| part.finish(kind, top)).collect()
    }
}

impl ValuePart {
    fn add(&mut self, value: &[u8]) {
        self.count += 1;
        if let Some(number) = measure(value) {
            self.min = Some(self.min.map_or(number, |min| min.min(number)));
            self.max = Some(self.max.map_or(number, |max| max.max(number)));
        }
        let value = &value[..value.len().min(LONGEST_COUNTED_VALUE_BYTES)];
        if let Some(count) = self.known.get_mut(value) {
            *count += 1;
        } else if self.known.len() < MOST_COUNTED_VALUES {
            self.known.insert(value.to_vec(), 1);
        } else {
            self.more = true;
        }
    }

    fn finish(self, kind: String, top: usize) -> PatternVariable {
        let distinct = self.known.len() as u64;
        let mut values: Vec<(Vec<u8>, u64)> = self.known.into_iter().collect();
        values.sort_unstable_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        values.truncate(top);
        let top = values
            .into_iter()
            .map(|(value, count)| ValueCount { value: String::from_utf8_lossy(&value).into_owned(), count })
            .collect();
        // Minimum and maximum have a meaning for numbers only.
        let is_measured = matches!(kind.as_str(), "num" | "duration" | "size" | "*");
        let (min, max) = if is_measured { (self.min, self.max) } else { (None, None) };
        PatternVariable { kind, count: self.count, distinct, more: self.more, top, min, max }
    }
}

/// A number followed by its unit, in milliseconds or bytes if it has one.
#[must_use]
pub fn measure(value: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(value).ok()?.trim_start_matches(['#', '$']);
    // What is said again in brackets, in a larger unit, is less exact.
    let text = text.split(" (").next()?;
    let is_part = |character: char| character.is_ascii_digit() || matches!(character, '.' | ',' | '-' | '+');
    let end = text.find(|character| !is_part(character)).unwrap_or(text.len());
    let exponent = text[end..].starts_with(['e', 'E']);
    let (number, unit) = if exponent { (text, "") } else { text.split_at(end) };
    let number: f64 = number.replace(',', "").parse().ok()?;
    let factor = match unit.trim() {
        "" | "%" => 1.0,
        name => {
            let unit = Unit::in_log(name)?;
            match unit.dimension() {
                Dimension::Duration => unit.factor() / Unit::Millisecond.factor(),
                Dimension::Size => unit.factor(),
            }
        }
    };
    Some(number * factor).filter(|number| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_have_one_unit() {
        for (text, expected) in [
            ("12", Some(12.0)),
            ("-3.5", Some(-3.5)),
            ("12,853 bytes (12.5 KB)", Some(12_853.0)),
            ("2s", Some(2_000.0)),
            ("250 us", Some(0.25)),
            ("7 milliseconds", Some(7.0)),
            ("3 min", Some(180_000.0)),
            ("40%", Some(40.0)),
            ("64K", Some(65_536.0)),
            ("512M", Some(536_870_912.0)),
            ("10 kB", Some(10_000.0)),
            ("3 mon", None),
            ("1.5e+3", Some(1_500.0)),
            ("a7", None),
            ("", None),
        ] {
            assert_eq!(measure(text.as_bytes()), expected, "{text}");
        }
    }
}
