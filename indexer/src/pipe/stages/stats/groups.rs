//! Groups of rows by the values of their keys, and what was calculated for each so far.

use std::sync::Arc;

use super::super::super::cell::Cell;
use super::super::super::column::{Column, Data, Kind, Picked};
use super::super::super::expr::floats;
use super::super::super::intern::{Interner, Pairs};
use super::super::super::run::Run;
use super::super::super::table::Table;
use super::{Accumulate, StatsPlan, accumulator, rate_seconds};
use crate::error::Result;
use crate::query::BinaryOp;

pub(crate) struct Groups {
    plan: Arc<StatsPlan>,
    keys: Vec<Interner>,
    /// The groups of the first two keys, then of those and the third, and so on.
    pairs: Vec<Pairs>,
    accumulators: Vec<Box<dyn Accumulate>>,
    bytes: usize,
    rows: u64,
}

impl Groups {
    pub fn new(plan: &Arc<StatsPlan>) -> Groups {
        Groups {
            keys: plan.by.iter().map(|_| Interner::default()).collect(),
            pairs: plan.by.iter().skip(1).map(|_| Pairs::default()).collect(),
            accumulators: plan.aggregates.iter().map(accumulator).collect(),
            plan: Arc::clone(plan),
            bytes: 0,
            rows: 0,
        }
    }

    pub fn len(&self) -> usize {
        match (self.pairs.last(), self.keys.first()) {
            (Some(pairs), _) => pairs.len(),
            (None, Some(key)) => key.len(),
            (None, None) => 1,
        }
    }

    pub fn add(&mut self, table: &Table, run: &Run<'_>) -> Result<()> {
        self.rows += table.rows() as u64;
        let mut groups = vec![0; table.rows()];
        let mut ids = Vec::new();
        for (index, (_, key)) in self.plan.by.iter().enumerate() {
            let column = key.column(table, &run.clock)?;
            self.keys[index].ids(&column, &mut ids);
            match index.checked_sub(1) {
                None => groups.copy_from_slice(&ids),
                Some(pair) => {
                    let pairs = &mut self.pairs[pair];
                    groups.iter_mut().zip(&ids).for_each(|(group, &id)| *group = pairs.id(*group, id));
                }
            }
        }
        let total = self.len();
        for (planned, accumulator) in self.plan.aggregates.iter().zip(&mut self.accumulators) {
            let argument = planned.argument.as_ref().map(|argument| argument.column(table, &run.clock));
            let argument = argument.transpose()?;
            match &planned.condition {
                None => accumulator.add(&groups, total, argument.as_ref()),
                Some(condition) => {
                    let holding = condition.holding(table, &run.clock)?;
                    let picked = Picked::Some(&holding);
                    let argument = argument.map(|column| column.pick(&picked));
                    accumulator.add(&picked.pick(&groups), total, argument.as_ref());
                }
            }
        }
        self.charge(run)
    }

    fn charge(&mut self, run: &Run<'_>) -> Result<()> {
        let keys = self.keys.iter().map(Interner::bytes).sum::<usize>();
        let pairs = self.pairs.iter().map(Pairs::bytes).sum::<usize>();
        let bytes = keys + pairs + self.accumulators.iter().map(|one| one.bytes()).sum::<usize>();
        if bytes > self.bytes {
            run.budget.take(self.plan.stage, bytes - self.bytes)?;
        } else {
            run.budget.give_back(self.bytes - bytes);
        }
        self.bytes = bytes;
        Ok(())
    }

    /// Takes what was calculated of later rows.
    pub fn merge(&mut self, later: Groups, run: &Run<'_>) -> Result<()> {
        self.rows += later.rows;
        let ids: Vec<Vec<u32>> = self
            .keys
            .iter_mut()
            .zip(&later.keys)
            .map(|(own, other)| (0..other.len() as u32).map(|id| own.id(other.cell(id))).collect())
            .collect();
        let mut to: Vec<u32> = ids.first().cloned().unwrap_or_else(|| vec![0]);
        for (index, pairs) in later.pairs.iter().enumerate() {
            let own = &mut self.pairs[index];
            let both = (0..pairs.len() as u32).map(|pair| pairs.get(pair));
            to = both.map(|(group, id)| own.id(to[group as usize], ids[index + 1][id as usize])).collect();
        }
        let total = self.len();
        for (own, other) in self.accumulators.iter_mut().zip(later.accumulators) {
            own.merge(other, &to, total);
        }
        run.budget.give_back(later.bytes);
        self.charge(run)
    }

    /// The values of a group's keys.
    fn key(&self, group: u32) -> Vec<&Cell> {
        let mut ids = vec![0; self.keys.len()];
        let mut group = group;
        for (index, pairs) in self.pairs.iter().enumerate().rev() {
            let (rest, id) = pairs.get(group);
            ids[index + 1] = id;
            group = rest;
        }
        if let Some(first) = ids.first_mut() {
            *first = group;
        }
        ids.iter().zip(&self.keys).map(|(&id, key)| key.cell(id)).collect()
    }

    /// A row for each group, in their order.
    pub fn table(&self, run: &Run<'_>) -> Result<Table> {
        let total = self.len();
        let keys: Vec<Vec<&Cell>> = (0..total as u32).map(|group| self.key(group)).collect();
        let mut order: Vec<u32> = (0..total as u32).collect();
        order.sort_by(|&one, &other| keys[one as usize].cmp(&keys[other as usize]));
        run.check()?;
        let mut table = Table::of_rows(total);
        for (index, (name, _)) in self.plan.by.iter().enumerate() {
            let cells = order.iter().map(|&group| keys[group as usize][index].clone());
            table.set(name, Column::of_cells(cells.collect()));
        }
        for (planned, accumulator) in self.plan.aggregates.iter().zip(&self.accumulators) {
            let mut column = accumulator.finish(total).pick(&Picked::Some(&order));
            if let Some(seconds) = rate_seconds(planned.function) {
                column = self.per(&column, seconds, &table, run);
            }
            table.set(&planned.name, column);
            run.check()?;
        }
        Ok(table)
    }

    /// A count or sum over the time that its group spans: the bin of time it is, else all that is looked at.
    fn per(&self, column: &Column, seconds: f64, table: &Table, run: &Run<'_>) -> Column {
        let bins = self.plan.by.iter().find_map(|(name, key)| {
            let bins = table.column(name).filter(|bins| bins.kind() == Kind::Time)?;
            key.as_bin().map(|width| (bins, width))
        });
        let whole = run.clock.range.map(|(first, last)| (last as f64 - first as f64) / 1e9);
        let rate = |row: usize| {
            let span = match bins {
                Some((Column { data: Data::Time(starts) }, width)) => {
                    let around = width.around(starts[row], &run.clock.zone);
                    around.map(|(start, end)| (end - start) as f64 / 1e9)
                }
                _ => whole,
            };
            match (column.cell(row).number(), span) {
                (Some(amount), Some(span)) if span > 0.0 => {
                    let per_second = floats(BinaryOp::Divide, amount, span).number().unwrap_or(0.0);
                    floats(BinaryOp::Multiply, per_second, seconds)
                }
                _ => Cell::Missing,
            }
        };
        Column::of_cells((0..column.len()).map(rate).collect())
    }

    /// What was passed over, for people.
    pub fn notes(&self) -> Vec<String> {
        let each = self.plan.aggregates.iter().zip(&self.accumulators).filter_map(|(planned, accumulator)| {
            let (missing, mistyped) = accumulator.passed_over();
            let mut said = Vec::new();
            if missing > 0 {
                said.push(format!("{missing} of {} rows have no value", self.rows));
            }
            if mistyped > 0 {
                said.push(format!("{mistyped} have one that is no number"));
            }
            (!said.is_empty()).then(|| format!("{}: {}", planned.name, said.join(", ")))
        });
        each.collect()
    }
}
