//! The measures behind one face: what each keeps over all segments, and what it gathers from one part.

use std::sync::Arc;

use super::Asked;
use super::block::Block;
use super::dictionary::Values;
use super::distinct::{Seeing, Seen};
use super::ends::{self, End, Ending};
use super::field::{self, Numbers, missing, numbers};
use super::percentiles::{self, Passing};
use super::plan::Plan;
use super::request::{Measure, Measured};
use super::stats::{Summary, Summing};
use crate::error::Result;
use crate::exec::{Domain, Narrowed, Part, Ranks, in_order};
use crate::storage::{Column, Scalar};

/// A measure over all segments.
pub enum State {
    Stats { field: String, summaries: Vec<Summary>, without: Without },
    Percentiles { field: String, ranks: Ranks, domain: Option<Domain>, without: Without },
    Distinct { values: Values, cells: usize, counts: Vec<u64> },
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
    /// Of all events of the part, also of those that have no time to be counted at.
    fn of(numbers: &Numbers, part: &Part) -> Without {
        let there = |column: &Arc<Column>| part.len() - missing(column, part);
        let mistyped: usize = numbers.others.iter().map(there).sum();
        let numbers = numbers.column.as_ref().map_or(0, there);
        Without { missing: part.len().saturating_sub(numbers + mistyped) as u64, mistyped: mistyped as u64 }
    }

    fn plus(self, other: Without) -> Without {
        Without { missing: self.missing + other.missing, mistyped: self.mistyped + other.mistyped }
    }
}

/// What a pass found, in one part or in all of them.
pub enum Found {
    Nothing,
    Stats(Vec<Summary>, Without),
    Percentiles(Narrowed, Without),
    Distinct(Seen),
    Ends(Vec<End>),
}

/// The columns of a part that a measure reads.
pub enum Columns {
    Numbers(Numbers),
    Any(Vec<Arc<Column>>),
    None,
}

impl State {
    pub fn new(asked: &Asked<'_>, measure: &Measure, plan: &Plan) -> Result<State> {
        let cells = plan.cells();
        Ok(match measure {
            Measure::Stats { field } => State::Stats {
                field: field.clone(),
                summaries: vec![Summary::default(); cells],
                without: Without::default(),
            },
            Measure::Percentiles { field, at } => {
                let found = domain(asked, field)?;
                let (domain, largest) = found.map_or((None, 0), |(domain, largest)| (Some(domain), largest));
                let ranks = Ranks::new(at, cells, largest);
                State::Percentiles { field: field.clone(), ranks, domain, without: Without::default() }
            }
            Measure::Distinct { field } => {
                let values = Values::of(asked.case, asked.snapshot, field, asked.cancel)?;
                State::Distinct { values, cells, counts: Vec::new() }
            }
            Measure::First { field } => {
                State::Ends { field: field.clone(), last: false, ends: vec![None; cells] }
            }
            Measure::Last { field } => {
                State::Ends { field: field.clone(), last: true, ends: vec![None; cells] }
            }
            Measure::Rate { per_ns } => State::Rate { per_ns: *per_ns },
        })
    }

    pub fn wants_pass(&self, first: bool) -> bool {
        match self {
            State::Rate { .. } => false,
            State::Percentiles { ranks, .. } => !ranks.is_done(),
            _ => first,
        }
    }

    /// An empty sum for a pass.
    pub fn total(&self, plan: &Plan) -> Found {
        match self {
            State::Stats { .. } => Found::Stats(vec![Summary::default(); plan.cells()], Without::default()),
            State::Percentiles { ranks, .. } => Found::Percentiles(ranks.total(), Without::default()),
            State::Distinct { values, cells, .. } => Found::Distinct(Seen::none(*cells, values.codes)),
            State::Ends { .. } => Found::Ends(vec![None; plan.cells()]),
            State::Rate { .. } => Found::Nothing,
        }
    }

    pub fn columns(&self, asked: &Asked<'_>, part: &Part) -> Result<Columns> {
        let (segment, sources) = (&part.segment, asked.snapshot.sources());
        Ok(match self {
            State::Stats { field, .. } | State::Percentiles { field, .. } => {
                Columns::Numbers(numbers(segment, sources, field, asked.cancel)?)
            }
            State::Ends { field, .. } => Columns::Any(field::columns(segment, sources, field, asked.cancel)?),
            State::Distinct { .. } | State::Rate { .. } => Columns::None,
        })
    }

    /// Adds what a part gave, whose first cell is this one.
    pub fn absorb(&self, total: &mut Found, first: u32, found: Found) -> Result<()> {
        let skip = first as usize;
        match (total, found) {
            (Found::Stats(total, without), Found::Stats(found, more)) => {
                total[skip..].iter_mut().zip(found).for_each(|(total, found)| total.absorb(found));
                *without = without.plus(more);
            }
            (Found::Percentiles(total, without), Found::Percentiles(found, more)) => {
                if let State::Percentiles { ranks, .. } = self {
                    ranks.absorb(total, first, &found);
                }
                *without = without.plus(more);
            }
            // A segment in which no event has a number.
            (Found::Percentiles(_, without), Found::Stats(_, more)) => *without = without.plus(more),
            (Found::Distinct(total), Found::Distinct(found)) => total.absorb(first, found)?,
            (Found::Ends(total), Found::Ends(found)) => {
                let last = matches!(self, State::Ends { last: true, .. });
                total[skip..]
                    .iter_mut()
                    .zip(found)
                    .for_each(|(total, found)| ends::absorb(total, found, last));
            }
            _ => {}
        }
        Ok(())
    }

    /// Takes the sum of a pass. Only percentiles need more than the first.
    pub fn take(&mut self, total: Found, first: bool) {
        match (self, total) {
            (State::Stats { summaries, without, .. }, Found::Stats(total, more)) if first => {
                (*summaries, *without) = (total, more);
            }
            (State::Percentiles { ranks, without, .. }, Found::Percentiles(total, more))
                if !ranks.is_done() =>
            {
                if ranks.first_pass().is_some() {
                    *without = more;
                }
                ranks.narrow(total);
            }
            (State::Distinct { cells, counts, .. }, Found::Distinct(seen)) if first => {
                *counts = seen.counts(*cells);
            }
            (State::Ends { ends, .. }, Found::Ends(total)) if first => *ends = total,
            _ => {}
        }
    }

    /// The figures of every cell.
    pub fn measured(&self, measure: &Measure, plan: &Plan) -> Vec<Measured> {
        let bare = |name: String, values| Measured { name, values, missing: 0, mistyped: 0 };
        match (self, measure) {
            (State::Stats { field, summaries, without }, _) => {
                let values: Vec<_> = summaries.iter().map(Summary::values).collect();
                let of = |(place, name): (usize, &&str)| Measured {
                    name: format!("{name}({field})"),
                    values: values.iter().map(|values| values[place].clone()).collect(),
                    missing: without.missing,
                    mistyped: without.mistyped,
                };
                Summary::NAMES.iter().enumerate().map(of).collect()
            }
            (State::Percentiles { field, ranks, domain, without }, Measure::Percentiles { at, .. }) => {
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
            (State::Distinct { counts, .. }, Measure::Distinct { field }) => {
                let values = counts.iter().map(|&count| Some(Scalar::Int(count as i64))).collect();
                vec![bare(format!("count_distinct({field})"), values)]
            }
            (State::Ends { field, last, ends }, _) => {
                let name = if *last { "last" } else { "first" };
                let value = |end: &End| end.as_ref().map(|(_, value)| value.clone());
                vec![bare(format!("{name}({field})"), ends.iter().map(value).collect())]
            }
            _ => Vec::new(),
        }
    }
}

/// What the numbers of a field are compared as, over all segments.
pub fn domain(asked: &Asked<'_>, field: &str) -> Result<Option<(Domain, u64)>> {
    let mut columns = Vec::new();
    let segments = &asked.snapshot.segments;
    let read = |index: usize| numbers(&segments[index], asked.snapshot.sources(), field, asked.cancel);
    in_order(segments.len(), asked.cancel, read, |_, numbers| {
        columns.extend(numbers.column);
        Ok(())
    })?;
    Ok(Domain::of(columns.iter().map(AsRef::as_ref)))
}

/// A measure in one part.
pub enum Gathering<'a> {
    Nothing,
    /// No event of the segment has a number.
    Without,
    Stats(Summing<'a>),
    Percentiles(Passing<'a>),
    Distinct(Seeing<'a>),
    Ends(Ending),
}

impl<'a> Gathering<'a> {
    /// The part lies in so many cells from the first on.
    pub fn new(
        state: &'a State,
        columns: &'a Columns,
        segment: usize,
        (first, cells): (u32, usize),
    ) -> Gathering<'a> {
        let column = match columns {
            Columns::Numbers(Numbers { column: Some(column), .. }) => Some(&**column),
            _ => None,
        };
        let gathering = match state {
            State::Stats { .. } => {
                column.and_then(|column| Summing::new(column, cells)).map(Gathering::Stats)
            }
            State::Percentiles { ranks, domain, .. } => {
                column.zip(domain.as_ref()).and_then(|(column, domain)| {
                    let to_key = domain.keys_of(column)?;
                    Some(Gathering::Percentiles(Passing::new(ranks, column, to_key, first, cells)))
                })
            }
            State::Distinct { values, cells: all, .. } => values.segments[segment]
                .as_ref()
                .map(|coded| Gathering::Distinct(Seeing::new(coded, Seen::none(*all, values.codes)))),
            State::Ends { last, .. } => match columns {
                Columns::Any(columns) => Some(Gathering::Ends(Ending::new(columns.clone(), *last, cells))),
                _ => None,
            },
            State::Rate { .. } => return Gathering::Nothing,
        };
        gathering.unwrap_or(Gathering::Without)
    }

    pub fn add(&mut self, block: &Block<'_>) {
        match self {
            Gathering::Nothing | Gathering::Without => {}
            Gathering::Stats(stats) => stats.add(block),
            Gathering::Percentiles(percentiles) => percentiles.add(block),
            Gathering::Distinct(distinct) => distinct.add(block),
            Gathering::Ends(ends) => ends.add(block),
        }
    }

    pub fn finish(self, part: &Part, columns: &Columns) -> Result<Found> {
        let without = || match columns {
            Columns::Numbers(numbers) => Without::of(numbers, part),
            _ => Without::default(),
        };
        Ok(match self {
            Gathering::Nothing => Found::Nothing,
            Gathering::Without => match columns {
                Columns::Numbers(_) => Found::Stats(Vec::new(), without()),
                _ => Found::Nothing,
            },
            Gathering::Stats(stats) => Found::Stats(stats.finish(), without()),
            Gathering::Percentiles(percentiles) => Found::Percentiles(percentiles.finish(), without()),
            Gathering::Distinct(distinct) => Found::Distinct(distinct.finish()),
            Gathering::Ends(ends) => Found::Ends(ends.finish(part)?),
        })
    }
}
