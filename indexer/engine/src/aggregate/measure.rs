//! One interface to all measures: the accumulator over all segments, and the accumulator of one segment.

use std::sync::Arc;

use super::AggregateScope;
use super::block::Block;
use super::dictionary::GlobalValues;
use super::distinct::{Seeing, SeenValues};
use super::ends::{self, End, Ending};
use super::field::{self, FieldNumbers, missing, numbers};
use super::percentiles::{self, Passing};
use super::plan::AggregatePlan;
use super::request::{Measure, Measured};
use super::stats::{Summary, Summing};
use crate::exec::{Domain, Narrowed, Ranks, SegmentRows, in_order};
use base::error::Result;
use store::{Scalar, StoredColumn};

/// A measure over all segments.
pub enum MeasureState {
    Stats { field: String, summaries: Vec<Summary>, without: Without },
    Percentiles { field: String, ranks: Ranks, domain: Option<Domain>, without: Without },
    Distinct { values: GlobalValues, cells: usize, counts: Vec<u64> },
    Ends { field: String, last: bool, ends: Vec<End> },
    Rate { per_ns: i64 },
}

/// Matching events without a number.
#[derive(Clone, Copy, Debug, Default)]
pub struct Without {
    pub missing: u64,
    pub mistyped: u64,
}

impl Without {
    /// Counts all events of the segment's rows, including those outside all time buckets.
    fn count(numbers: &FieldNumbers, part: &SegmentRows) -> Without {
        let there = |column: &Arc<StoredColumn>| part.len() - missing(column, part);
        let mistyped: usize = numbers.others.iter().map(there).sum();
        let numbers = numbers.column.as_ref().map_or(0, there);
        Without { missing: part.len().saturating_sub(numbers + mistyped) as u64, mistyped: mistyped as u64 }
    }

    fn plus(self, other: Without) -> Without {
        Without { missing: self.missing + other.missing, mistyped: self.mistyped + other.mistyped }
    }
}

/// The result of a pass over one segment or over all.
pub enum PassResult {
    Nothing,
    Stats(Vec<Summary>, Without),
    Percentiles(Narrowed, Without),
    Distinct(SeenValues),
    Ends(Vec<End>),
}

/// The columns of a segment that a measure reads.
pub enum MeasureColumns {
    FieldNumbers(FieldNumbers),
    Any(Vec<Arc<StoredColumn>>),
    None,
}

impl MeasureState {
    pub fn new(asked: &AggregateScope<'_>, measure: &Measure, plan: &AggregatePlan) -> Result<MeasureState> {
        let cells = plan.cells();
        Ok(match measure {
            Measure::Stats { field } => MeasureState::Stats {
                field: field.clone(),
                summaries: vec![Summary::default(); cells],
                without: Without::default(),
            },
            Measure::Percentiles { field, at } => {
                let found = domain(asked, field)?;
                let (domain, largest) = found.map_or((None, 0), |(domain, largest)| (Some(domain), largest));
                let ranks = Ranks::new(at, cells, largest);
                MeasureState::Percentiles { field: field.clone(), ranks, domain, without: Without::default() }
            }
            Measure::Distinct { field } => {
                let values = GlobalValues::load(asked.case, asked.snapshot, field, asked.cancel)?;
                MeasureState::Distinct { values, cells, counts: Vec::new() }
            }
            Measure::First { field } => {
                MeasureState::Ends { field: field.clone(), last: false, ends: vec![None; cells] }
            }
            Measure::Last { field } => {
                MeasureState::Ends { field: field.clone(), last: true, ends: vec![None; cells] }
            }
            Measure::Rate { per_ns } => MeasureState::Rate { per_ns: *per_ns },
        })
    }

    pub fn wants_pass(&self, first: bool) -> bool {
        match self {
            MeasureState::Rate { .. } => false,
            MeasureState::Percentiles { ranks, .. } => !ranks.is_done(),
            _ => first,
        }
    }

    /// An empty accumulator for a pass.
    pub fn total(&self, plan: &AggregatePlan) -> PassResult {
        match self {
            MeasureState::Stats { .. } => {
                PassResult::Stats(vec![Summary::default(); plan.cells()], Without::default())
            }
            MeasureState::Percentiles { ranks, .. } => {
                PassResult::Percentiles(ranks.total(), Without::default())
            }
            MeasureState::Distinct { values, cells, .. } => {
                PassResult::Distinct(SeenValues::none(*cells, values.codes))
            }
            MeasureState::Ends { .. } => PassResult::Ends(vec![None; plan.cells()]),
            MeasureState::Rate { .. } => PassResult::Nothing,
        }
    }

    pub fn columns(&self, asked: &AggregateScope<'_>, part: &SegmentRows) -> Result<MeasureColumns> {
        let (segment, sources) = (&part.segment, asked.snapshot.sources());
        Ok(match self {
            MeasureState::Stats { field, .. } | MeasureState::Percentiles { field, .. } => {
                MeasureColumns::FieldNumbers(numbers(segment, sources, field, asked.cancel)?)
            }
            MeasureState::Ends { field, .. } => {
                MeasureColumns::Any(field::columns(segment, sources, field, asked.cancel)?)
            }
            MeasureState::Distinct { .. } | MeasureState::Rate { .. } => MeasureColumns::None,
        })
    }

    /// Merges the accumulator of a segment, whose first cell is `first`.
    pub fn absorb(&self, total: &mut PassResult, first: u32, found: PassResult) -> Result<()> {
        let skip = first as usize;
        match (total, found) {
            (PassResult::Stats(total, without), PassResult::Stats(found, more)) => {
                total[skip..].iter_mut().zip(found).for_each(|(total, found)| total.absorb(found));
                *without = without.plus(more);
            }
            (PassResult::Percentiles(total, without), PassResult::Percentiles(found, more)) => {
                if let MeasureState::Percentiles { ranks, .. } = self {
                    ranks.absorb(total, first, &found);
                }
                *without = without.plus(more);
            }
            // A segment in which no event has a number.
            (PassResult::Percentiles(_, without), PassResult::Stats(_, more)) => {
                *without = without.plus(more);
            }
            (PassResult::Distinct(total), PassResult::Distinct(found)) => total.absorb(first, found)?,
            (PassResult::Ends(total), PassResult::Ends(found)) => {
                let last = matches!(self, MeasureState::Ends { last: true, .. });
                total[skip..]
                    .iter_mut()
                    .zip(found)
                    .for_each(|(total, found)| ends::absorb(total, found, last));
            }
            _ => {}
        }
        Ok(())
    }

    /// Takes the sum of a pass. Only percentiles need more than one.
    pub fn take(&mut self, total: PassResult, first: bool) {
        match (self, total) {
            (MeasureState::Stats { summaries, without, .. }, PassResult::Stats(total, more)) if first => {
                (*summaries, *without) = (total, more);
            }
            (MeasureState::Percentiles { ranks, without, .. }, PassResult::Percentiles(total, more))
                if !ranks.is_done() =>
            {
                if ranks.first_pass().is_some() {
                    *without = more;
                }
                ranks.narrow(total);
            }
            (MeasureState::Distinct { cells, counts, .. }, PassResult::Distinct(seen)) if first => {
                *counts = seen.counts(*cells);
            }
            (MeasureState::Ends { ends, .. }, PassResult::Ends(total)) if first => *ends = total,
            _ => {}
        }
    }

    /// The result of every cell.
    pub fn measured(&self, measure: &Measure, plan: &AggregatePlan) -> Vec<Measured> {
        let bare = |name: String, values| Measured { name, values, missing: 0, mistyped: 0 };
        match (self, measure) {
            (MeasureState::Stats { field, summaries, without }, _) => {
                let values: Vec<_> = summaries.iter().map(Summary::values).collect();
                let of = |(place, name): (usize, &&str)| Measured {
                    name: format!("{name}({field})"),
                    values: values.iter().map(|values| values[place].clone()).collect(),
                    missing: without.missing,
                    mistyped: without.mistyped,
                };
                Summary::NAMES.iter().enumerate().map(of).collect()
            }
            (
                MeasureState::Percentiles { field, ranks, domain, without },
                Measure::Percentiles { at, .. },
            ) => {
                let of = |(share, percent): (usize, &f64)| Measured {
                    name: format!("p{percent}({field})"),
                    values: (0..plan.cells())
                        .map(|cell| percentiles::value(ranks, domain.as_ref()?, cell, share))
                        .collect(),
                    missing: without.missing,
                    mistyped: without.mistyped,
                };
                at.iter().enumerate().map(of).collect()
            }
            (MeasureState::Distinct { counts, .. }, Measure::Distinct { field }) => {
                let values = counts.iter().map(|&count| Some(Scalar::Int(count as i64))).collect();
                vec![bare(format!("count_distinct({field})"), values)]
            }
            (MeasureState::Ends { field, last, ends }, _) => {
                let name = if *last { "last" } else { "first" };
                let value = |end: &End| end.as_ref().map(|(_, value)| value.clone());
                vec![bare(format!("{name}({field})"), ends.iter().map(value).collect())]
            }
            _ => Vec::new(),
        }
    }
}

/// The type that the numbers of a field are compared as, over all segments.
pub fn domain(asked: &AggregateScope<'_>, field: &str) -> Result<Option<(Domain, u64)>> {
    let mut columns = Vec::new();
    let segments = &asked.snapshot.segments;
    let read = |index: usize| numbers(&segments[index], asked.snapshot.sources(), field, asked.cancel);
    in_order(segments.len(), asked.cancel, read, |_, numbers| {
        columns.extend(numbers.column);
        Ok(())
    })?;
    Ok(Domain::covering(columns.iter().map(AsRef::as_ref)))
}

/// The accumulator of a measure in one segment.
pub enum MeasureAccumulator<'a> {
    Nothing,
    /// No event of the segment has a number.
    Without,
    Stats(Summing<'a>),
    Percentiles(Passing<'a>),
    Distinct(Seeing<'a>),
    Ends(Ending),
}

impl<'a> MeasureAccumulator<'a> {
    /// The rows span this many cells from the first on.
    pub fn new(
        state: &'a MeasureState,
        columns: &'a MeasureColumns,
        segment: usize,
        (first, cells): (u32, usize),
    ) -> MeasureAccumulator<'a> {
        let column = match columns {
            MeasureColumns::FieldNumbers(FieldNumbers { column: Some(column), .. }) => Some(&**column),
            _ => None,
        };
        let accumulator = match state {
            MeasureState::Stats { .. } => {
                column.and_then(|column| Summing::new(column, cells)).map(MeasureAccumulator::Stats)
            }
            MeasureState::Percentiles { ranks, domain, .. } => {
                column.zip(domain.as_ref()).and_then(|(column, domain)| {
                    let to_key = domain.keys_of(column)?;
                    Some(MeasureAccumulator::Percentiles(Passing::new(ranks, column, to_key, first, cells)))
                })
            }
            MeasureState::Distinct { values, cells: all, .. } => {
                values.segments[segment].as_ref().map(|coded| {
                    MeasureAccumulator::Distinct(Seeing::new(coded, SeenValues::none(*all, values.codes)))
                })
            }
            MeasureState::Ends { last, .. } => match columns {
                MeasureColumns::Any(columns) => {
                    Some(MeasureAccumulator::Ends(Ending::new(columns.clone(), *last, cells)))
                }
                _ => None,
            },
            MeasureState::Rate { .. } => return MeasureAccumulator::Nothing,
        };
        accumulator.unwrap_or(MeasureAccumulator::Without)
    }

    pub fn add(&mut self, block: &Block<'_>) {
        match self {
            MeasureAccumulator::Nothing | MeasureAccumulator::Without => {}
            MeasureAccumulator::Stats(stats) => stats.add(block),
            MeasureAccumulator::Percentiles(percentiles) => percentiles.add(block),
            MeasureAccumulator::Distinct(distinct) => distinct.add(block),
            MeasureAccumulator::Ends(ends) => ends.add(block),
        }
    }

    pub fn finish(self, part: &SegmentRows, columns: &MeasureColumns) -> Result<PassResult> {
        let without = || match columns {
            MeasureColumns::FieldNumbers(numbers) => Without::count(numbers, part),
            _ => Without::default(),
        };
        Ok(match self {
            MeasureAccumulator::Nothing => PassResult::Nothing,
            MeasureAccumulator::Without => match columns {
                MeasureColumns::FieldNumbers(_) => PassResult::Stats(Vec::new(), without()),
                _ => PassResult::Nothing,
            },
            MeasureAccumulator::Stats(stats) => PassResult::Stats(stats.finish(), without()),
            MeasureAccumulator::Percentiles(percentiles) => {
                PassResult::Percentiles(percentiles.finish(), without())
            }
            MeasureAccumulator::Distinct(distinct) => PassResult::Distinct(distinct.finish()),
            MeasureAccumulator::Ends(ends) => PassResult::Ends(ends.finish(part)?),
        })
    }
}
