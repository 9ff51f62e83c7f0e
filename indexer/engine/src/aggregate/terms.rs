//! The most frequent, rarest or first values of a field.

use std::sync::Arc;
use std::time::Instant;

use super::AggregateScope;
use super::count::count_codes;
use super::dictionary::GlobalValues;
use super::request::{Answer, Axis, TermOrder};
use crate::Engine;
use crate::exec::{SegmentRows, in_order};
use base::error::{Error, ErrorKind, Result};
use base::limits::{PARTIAL_EVERY, TERMS};
use store::{Scalar, StoredColumn, with_codes};

/// If fewer rows match than this share of a column's codes, they are counted row by row, because a counter
/// for every code would cost more than the rows.
const SPARSE: usize = 16;

/// The count of each value in the matching events.
pub struct TermCounts {
    pub values: GlobalValues,
    /// By code; the first counts events without a value.
    pub counts: Vec<u32>,
    pub total: u64,
}

/// The counts of one segment.
enum Counted {
    Codes(Arc<Vec<u32>>),
    Rows(Vec<u32>),
}

/// Fast path for a request that only counts values: the counts are known once the top values are.
pub fn answer(
    asked: &AggregateScope<'_>,
    field: &str,
    (most, order): (usize, TermOrder),
    partial: &mut dyn FnMut(&Answer, f64),
) -> Result<Answer> {
    let answer = |counted: &TermCounts| {
        let (axis, codes) = counted.axis(field, most, order);
        let mut counts: Vec<u64> =
            codes.iter().map(|&code| u64::from(counted.counts[code as usize])).collect();
        let rest = counted.total - counted.missing() - counts.iter().sum::<u64>();
        counts.extend([rest, counted.missing()]);
        Answer { axes: vec![axis], counts, measured: Vec::new(), total: counted.total, untimed: 0 }
    };
    check(most)?;
    let counted = TermCounts::count_with_partials(asked, field, &mut |counted, share| {
        partial(&answer(counted), share);
    })?;
    Ok(answer(&counted))
}

/// Checks the limit of values on an axis.
pub fn check(most: usize) -> Result<()> {
    if most > TERMS {
        return Err(Error::new(ErrorKind::Limit, format!("an axis may have {TERMS} values at most")));
    }
    Ok(())
}

impl TermCounts {
    pub fn count(asked: &AggregateScope<'_>, field: &str) -> Result<TermCounts> {
        Self::count_with_partials(asked, field, &mut |_, _| {})
    }

    /// `partial` is called with the current counts, and the share of the events done.
    pub fn count_with_partials(
        asked: &AggregateScope<'_>,
        field: &str,
        partial: &mut dyn FnMut(&TermCounts, f64),
    ) -> Result<TermCounts> {
        let values = GlobalValues::load(asked.case, asked.snapshot, field, asked.cancel)?;
        let mut all = TermCounts { counts: vec![0; values.codes], values, total: 0 };
        let columns: Vec<_> = all
            .values
            .segments
            .iter()
            .map(|coded| coded.as_ref().map(|coded| Arc::clone(&coded.column)))
            .collect();
        let mut last_partial = Instant::now();
        let count = |index: usize| -> Result<Option<(usize, Option<Counted>)>> {
            let Some(part) = asked.part(index)? else { return Ok(None) };
            let counted = columns[index].as_ref().map(|column| counted(asked, field, &part, column));
            Ok(Some((part.len(), counted.transpose()?)))
        };
        in_order(columns.len(), asked.cancel, count, |index, counted| {
            let Some((rows, counted)) = counted else { return Ok(()) };
            all.add(index, rows, counted);
            if last_partial.elapsed() >= PARTIAL_EVERY && index + 1 < columns.len() {
                last_partial = Instant::now();
                partial(&all, asked.share(index));
            }
            Ok(())
        })?;
        Ok(all)
    }

    fn add(&mut self, index: usize, rows: usize, counted: Option<Counted>) {
        self.total += rows as u64;
        match (counted, &self.values.segments[index]) {
            (Some(Counted::Codes(found)), Some(coded)) => {
                for (&count, &code) in found.iter().zip(coded.shared.iter()) {
                    self.counts[code as usize] += count;
                }
            }
            (Some(Counted::Rows(found)), Some(coded)) => {
                for code in found {
                    self.counts[coded.shared[code as usize] as usize] += 1;
                }
            }
            _ => self.counts[0] += rows as u32,
        }
    }

    /// The axis of the top values, and their codes.
    #[must_use]
    pub fn axis(&self, field: &str, most: usize, order: TermOrder) -> (Axis, Vec<u32>) {
        let codes = self.top(most, order);
        let values = self.values.values(codes.iter().copied()).into_iter().flatten().collect();
        (Axis::Terms { field: field.to_owned(), values, distinct: self.distinct() }, codes)
    }

    #[must_use]
    pub fn missing(&self) -> u64 {
        u64::from(self.counts[0])
    }

    /// The number of distinct values.
    #[must_use]
    pub fn distinct(&self) -> u64 {
        self.counts[1..].iter().filter(|&&count| count > 0).count() as u64
    }

    /// The codes of the top values. Ties go to the value seen first.
    #[must_use]
    pub fn top(&self, most: usize, order: TermOrder) -> Vec<u32> {
        let occurring = (1..self.counts.len() as u32).filter(|&code| self.counts[code as usize] > 0);
        match order {
            TermOrder::Most => least(occurring, most, |code| (u32::MAX - self.counts[code as usize], code)),
            TermOrder::Fewest => least(occurring, most, |code| (self.counts[code as usize], code)),
            TermOrder::Value => {
                let mut valued: Vec<(Scalar, u32)> = self.values.with(|value| {
                    occurring.filter_map(|code| value(code).map(|value| (value, code))).collect()
                });
                valued.sort_unstable_by(|(one, code), (other, next)| one.order(other).then(code.cmp(next)));
                valued.into_iter().take(most).map(|(_, code)| code).collect()
            }
        }
    }
}

fn least(codes: impl Iterator<Item = u32>, most: usize, key: impl Fn(u32) -> (u32, u32)) -> Vec<u32> {
    // A value that cannot be among the top is dropped at once, so millions of values need no list.
    let room = most.saturating_mul(2).saturating_add(64);
    let mut kept: Vec<u32> = Vec::new();
    let mut limit = (u32::MAX, u32::MAX);
    for code in codes {
        if key(code) > limit {
            continue;
        }
        kept.push(code);
        if kept.len() >= room {
            kept.select_nth_unstable_by_key(most, |&code| key(code));
            kept.truncate(most);
            limit = kept.iter().map(|&code| key(code)).max().unwrap_or(limit);
        }
    }
    kept.sort_unstable_by_key(|&code| key(code));
    kept.truncate(most);
    kept
}

/// The count of each code of a field's only column in the rows of a segment.
pub fn counts_of_codes(
    case: &Engine,
    field: &str,
    part: &SegmentRows,
    column: &StoredColumn,
) -> Result<Arc<Vec<u32>>> {
    if !part.is_all() {
        return Ok(Arc::new(count_codes(column, part)));
    }
    // Counts of a whole segment never change, so they are cached.
    let make = || {
        let counts = count_codes(column, part);
        let bytes = counts.len() * size_of::<u32>();
        Ok((counts, bytes))
    };
    case.columns().get(part.segment.meta.id, &format!("#counts {field}"), make)
}

fn counted(
    asked: &AggregateScope<'_>,
    field: &str,
    part: &SegmentRows,
    column: &StoredColumn,
) -> Result<Counted> {
    if !part.is_all() && part.len() < column.largest as usize / SPARSE {
        let mut rows = Vec::with_capacity(part.len());
        with_codes!(&column.codes, codes => part.for_each(|row| rows.push(u64::from(codes[row]) as u32)));
        return Ok(Counted::Rows(rows));
    }
    counts_of_codes(asked.case, field, part, column).map(Counted::Codes)
}
