//! `sort`: rows in the order of keys. Equal rows stay in the order they had, which for events is time, source
//! and offset. With a limit right behind it only the rows that can still be among the first are kept.

use std::cmp::Ordering;

use super::super::cell::Cell;
use super::super::column::{Column, Data, Dictionary, Picked, filled};
use super::super::expr::Expression;
use super::super::run::Run;
use super::super::step::{Kept, Step};
use super::super::table::Table;
use crate::Cancel;
use crate::error::Result;
use crate::exec::sort_rows;
use crate::limits::PIPE_ROWS;

/// Where few rows are asked for, so many are kept before they are sorted again.
const FEWEST_KEPT: usize = PIPE_ROWS / 4;

/// A key, and whether its greatest value comes first.
pub(crate) type SortBy = (Expression, bool);

pub(crate) struct Sort {
    keys: Vec<SortBy>,
    /// Only so many of the first rows are asked for.
    first: Option<usize>,
    kept: Kept,
}

impl Sort {
    pub fn new(keys: Vec<SortBy>, first: Option<usize>) -> Sort {
        Sort { keys, first, kept: Kept::new("sort") }
    }

    /// Takes rows. When much more is kept than was asked for, what is behind goes, and the first key of the last
    /// row that is left is given: nothing behind it is among the first.
    pub fn keep(&mut self, rows: Table, run: &Run<'_>) -> Result<Option<Cell>> {
        self.kept.push(rows, run)?;
        if self.first.is_none_or(|first| self.kept.rows() <= 4 * first.max(FEWEST_KEPT)) {
            return Ok(None);
        }
        let best = self.sorted(run)?;
        let last = self.first.filter(|&first| first > 0 && first == best.rows());
        let bar = match (last, self.keys.first()) {
            (Some(rows), Some((key, _))) => {
                Some(key.column(&best.slice(rows - 1..rows), &run.clock)?.cell(0))
            }
            _ => None,
        };
        self.kept.push(best, run)?;
        Ok(bar)
    }

    fn sorted(&mut self, run: &Run<'_>) -> Result<Table> {
        let all = self.kept.take(run)?;
        let mut keys = Vec::new();
        for (key, descending) in &self.keys {
            keys.push((SortKey::of(&key.column(&all, &run.clock)?, &run.cancel)?, *descending));
        }
        let mut order = sort_rows(all.rows(), &run.cancel, |one, other| {
            let differing = keys.iter().map(|(key, descending)| key.compare(one, other, *descending));
            differing.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        })?;
        if let Some(first) = self.first {
            order.truncate(first);
        }
        Ok(all.pick(&Picked::Some(&order)))
    }
}

impl Step for Sort {
    fn push(&mut self, rows: Table, run: &Run<'_>) -> Result<Option<Table>> {
        self.keep(rows, run)?;
        Ok(None)
    }

    fn finish(&mut self, run: &Run<'_>) -> Result<Option<Table>> {
        self.sorted(run).map(Some)
    }
}

/// A key's values, made to be compared often.
pub(crate) enum SortKey {
    /// Ranks, missing ones the greatest.
    Ranks(Vec<u32>),
    Ints(Vec<i64>),
    Floats(Vec<f64>),
    Cells(Vec<Cell>),
}

impl SortKey {
    pub fn of(column: &Column, cancel: &Cancel) -> Result<SortKey> {
        Ok(match &column.data {
            Data::Missing(rows) => SortKey::Ranks(vec![0; *rows]),
            Data::Int(values) | Data::Time(values) => SortKey::Ints(filled(values, i64::MIN).into_owned()),
            Data::Float(values) => SortKey::Floats(filled(values, f64::NAN).into_owned()),
            Data::Bool(values) => {
                SortKey::Ranks(values.iter().map(|value| value.map_or(u32::MAX, u32::from)).collect())
            }
            Data::Level(values) => SortKey::Ranks(
                values.iter().map(|&level| (level as u32).checked_sub(1).unwrap_or(u32::MAX)).collect(),
            ),
            Data::Text { codes, texts } => SortKey::Ranks(text_ranks(codes, texts, cancel)?),
            Data::List(cells) => SortKey::Cells(cells.clone()),
        })
    }

    /// Missing values come last in both directions.
    pub fn compare(&self, one: u32, other: u32, descending: bool) -> Ordering {
        let (one, other) = (one as usize, other as usize);
        let (order, one_missing, other_missing) = match self {
            SortKey::Ranks(ranks) => {
                (ranks[one].cmp(&ranks[other]), ranks[one] == u32::MAX, ranks[other] == u32::MAX)
            }
            SortKey::Ints(ints) => {
                (ints[one].cmp(&ints[other]), ints[one] == i64::MIN, ints[other] == i64::MIN)
            }
            SortKey::Floats(floats) => (
                floats[one].partial_cmp(&floats[other]).unwrap_or(Ordering::Equal),
                floats[one].is_nan(),
                floats[other].is_nan(),
            ),
            SortKey::Cells(cells) => {
                (cells[one].cmp(&cells[other]), cells[one].is_missing(), cells[other].is_missing())
            }
        };
        match (one_missing, other_missing) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            (false, false) if descending => order.reverse(),
            (false, false) => order,
        }
    }
}

/// The rank of each row's text. Texts are compared once, and not once a comparison of rows.
fn text_ranks(codes: &[u32], texts: &Dictionary, cancel: &Cancel) -> Result<Vec<u32>> {
    let mut used: Vec<u32> = codes.to_vec();
    used.sort_unstable();
    used.dedup();
    used.retain(|&code| texts.get(code).is_some());
    let text = |place: u32| texts.get(used[place as usize]);
    let order = sort_rows(used.len(), cancel, |one, other| text(one).cmp(&text(other)))?;
    let mut ranks = vec![u32::MAX; used.last().map_or(0, |&last| last as usize + 1)];
    let mut rank = 0;
    for (index, &place) in order.iter().enumerate() {
        if index > 0 && text(order[index - 1]) != text(place) {
            rank += 1;
        }
        ranks[used[place as usize] as usize] = rank;
    }
    Ok(codes.iter().map(|&code| ranks.get(code as usize).copied().unwrap_or(u32::MAX)).collect())
}
