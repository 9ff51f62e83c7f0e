//! `count_distinct`: how many different values each group has. Texts are kept as fingerprints, so that ten million
//! different ones fit into the memory of a query.

use std::any::Any;
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

use super::super::super::cell::Cell;
use super::super::super::column::{Column, Data};
use super::super::super::dictionary::Dictionary;
use super::Accumulate;
use base::hash::Fast;

/// A pair has the group above these bits, and in them a value.
const VALUE_BITS: u32 = 96;
/// A value has its type above these bits.
const TYPE_BITS: u32 = 92;
/// What a pair takes in a set that is up to seven eighths full.
const PAIR_BYTES: usize = 20;

/// Secrets of this process, so that nobody can write a log whose values have the same fingerprint.
static SECRETS: LazyLock<[RandomState; 2]> = LazyLock::new(|| [RandomState::new(), RandomState::new()]);

#[derive(Default)]
pub(super) struct CountDistinct {
    pairs: HashSet<u128, Fast>,
    last: u128,
    missing: u64,
    /// By code of the dictionary that came last; 0 if not known yet.
    known: Option<(Dictionary, Vec<u128>)>,
}

impl CountDistinct {
    fn take(&mut self, group: u32, value: u128) {
        let pair = u128::from(group) << VALUE_BITS | value;
        if pair != self.last {
            self.pairs.insert(pair);
            self.last = pair;
        }
    }

    /// Takes rows, and returns which of them have no value.
    fn take_rows<'a>(&mut self, groups: &[u32], column: &'a Column) -> impl Fn(usize) -> bool + use<'a> {
        if let Data::Text { codes, texts } = &column.data {
            self.take_texts(groups, codes, texts);
        } else {
            for (row, &group) in groups.iter().enumerate() {
                let cell = column.cell(row);
                if !cell.is_missing() {
                    self.take(group, fingerprint(&cell));
                }
            }
        }
        |row| column.is_missing(row)
    }

    fn take_texts(&mut self, groups: &[u32], codes: &[u32], texts: &Dictionary) {
        let known = self.known.take().filter(|(known, _)| known.identity() == texts.identity());
        // The dictionary is kept with its fingerprints, so that no other one can come to lie where it lies.
        let (dictionary, mut fingerprints) = known.unwrap_or_else(|| (texts.clone(), vec![0; texts.len()]));
        for (&group, &code) in groups.iter().zip(codes) {
            let Some(known) = fingerprints.get_mut(code as usize) else { continue };
            if *known == 0 {
                let Some(text) = texts.get(code) else { continue };
                *known = text_fingerprint(text);
            }
            let value = *known;
            self.take(group, value);
        }
        self.known = Some((dictionary, fingerprints));
    }
}

impl Accumulate for CountDistinct {
    fn add(&mut self, groups: &[u32], _: usize, column: Option<&Column>) {
        let Some(column) = column else { return };
        let is_missing = self.take_rows(groups, column);
        self.missing += (0..groups.len()).filter(|&row| is_missing(row)).count() as u64;
    }

    fn add_weighted(&mut self, groups: &[u32], _: usize, column: Option<&Column>, weights: &[u64]) {
        let Some(column) = column else { return };
        let is_missing = self.take_rows(groups, column);
        let weights = weights.iter().enumerate().filter(|(row, _)| is_missing(*row));
        self.missing += weights.map(|(_, &weight)| weight).sum::<u64>();
    }

    fn merge(&mut self, later: Box<dyn Accumulate>, to: &[u32], _: usize) {
        let Some(later) = super::same::<CountDistinct>(later) else { return };
        self.missing += later.missing;
        self.pairs.reserve(later.pairs.len().saturating_sub(self.pairs.len()));
        for pair in later.pairs {
            let group = to[(pair >> VALUE_BITS) as usize];
            self.take(group, pair & ((1 << VALUE_BITS) - 1));
        }
    }

    fn finish(&mut self, total: usize) -> Column {
        let mut counts = vec![0; total];
        for pair in &self.pairs {
            counts[(pair >> VALUE_BITS) as usize] += 1;
        }
        Column::ints(counts)
    }

    fn bytes(&self) -> usize {
        let known = self.known.as_ref().map_or(0, |(_, known)| known.len() * size_of::<u128>());
        self.pairs.capacity() * PAIR_BYTES + known
    }

    fn passed_over(&self) -> (u64, u64) {
        (self.missing, 0)
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

/// Equal for equal values. Numbers, times and the like are kept whole; those of two texts are equal once in 10^27 times.
fn fingerprint(cell: &Cell) -> u128 {
    let (kind, value) = match cell {
        Cell::Text(text) => return text_fingerprint(text),
        Cell::Int(value) => (2, *value as u64),
        // As `Cell` compares them: 1.0 is 1.
        Cell::Float(value) if value.fract() == 0.0 && value.abs() < 9.2e18 => (2, *value as i64 as u64),
        Cell::Float(value) => (3, value.to_bits()),
        Cell::Bool(value) => (4, u64::from(*value)),
        Cell::Time(value) => (5, *value as u64),
        Cell::Level(level) => (6, u64::from(*level as u8)),
        Cell::List(_) | Cell::Missing => return hashed(7, cell),
    };
    kind << TYPE_BITS | u128::from(value)
}

fn text_fingerprint(text: &str) -> u128 {
    hashed(1, text)
}

fn hashed(kind: u128, value: impl std::hash::Hash) -> u128 {
    let [one, other] = SECRETS.each_ref().map(|secret| secret.hash_one(&value));
    let both = u128::from(one) << 64 | u128::from(other);
    kind << TYPE_BITS | both >> (128 - TYPE_BITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_are_equal_where_values_are() {
        let list = |cells: &[Cell]| Cell::List(cells.into());
        let values = [
            Cell::Int(0),
            Cell::Int(1),
            Cell::Int(-1),
            Cell::Float(-0.0),
            Cell::Float(1.0),
            Cell::Float(1.5),
            Cell::Float(-1e300),
            Cell::Bool(true),
            Cell::Bool(false),
            Cell::Time(1),
            Cell::level(ingest::Level::Info),
            Cell::level(ingest::Level::Error),
            Cell::text(""),
            Cell::text("1"),
            Cell::text("a"),
            list(&[Cell::Int(1), Cell::text("a")]),
            list(&[Cell::Float(1.0), Cell::text("a")]),
            list(&[Cell::text("a"), Cell::Int(1)]),
        ];
        for one in &values {
            for other in &values {
                assert_eq!(fingerprint(one) == fingerprint(other), one == other, "{one:?} {other:?}");
            }
        }
    }
}
