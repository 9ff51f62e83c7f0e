//! Groups of rows by the values of their keys, and what was calculated for each so far.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::super::super::cell::Cell;
use super::super::super::column::{Column, ColumnKind, Picked};
use super::super::super::expr::floats;
use super::super::super::run::Run;
use super::super::super::table::Table;
use super::super::keys::Keys;
use super::super::timechart::OTHER;
use super::{Accumulate, Largest, StatsPlan, accumulator};
use base::error::Result;
use query::BinaryOp;
use query::functions::Aggregation;

pub struct Groups {
    plan: Arc<StatsPlan>,
    keys: Keys,
    accumulators: Vec<Box<dyn Accumulate>>,
    /// Rows of each group.
    sizes: Vec<u64>,
    bytes: usize,
    rows: u64,
}

impl Groups {
    pub fn new(plan: &Arc<StatsPlan>) -> Groups {
        Groups {
            keys: Keys::new(plan.by.len()),
            accumulators: plan.aggregates.iter().map(accumulator).collect(),
            plan: Arc::clone(plan),
            sizes: Vec::new(),
            bytes: 0,
            rows: 0,
        }
    }

    pub fn len(&self) -> usize {
        self.keys.len()
    }

    pub fn add(&mut self, table: &Table, run: &Run<'_>) -> Result<()> {
        self.rows += table.rows() as u64;
        let columns = self.plan.by.iter().map(|(_, key)| key.column(table, run));
        let columns: Vec<Column> = columns.collect::<Result<_>>()?;
        let groups = self.keys.groups(&columns, table.rows());
        if self.plan.largest.is_some() {
            self.sizes.resize(self.len(), 0);
            for &group in &groups {
                self.sizes[group as usize] += 1;
            }
        }
        let total = self.len();
        for (planned, accumulator) in self.plan.aggregates.iter().zip(&mut self.accumulators) {
            let argument = planned.argument.as_ref().map(|argument| argument.column(table, run));
            let argument = argument.transpose()?;
            match &planned.condition {
                None => accumulator.add(&groups, total, argument.as_ref()),
                Some(condition) => {
                    let holding = condition.holding(table, run)?;
                    let picked = Picked::Some(&holding);
                    let argument = argument.map(|column| column.pick(&picked));
                    accumulator.add(&picked.pick(&groups), total, argument.as_ref());
                }
            }
        }
        self.charge(run)
    }

    /// Takes rows that are put together by their keys already, so many of each combination, and gives their groups.
    pub fn add_counted(&mut self, keys: &[Column], counts: &[u64]) -> Vec<u32> {
        self.rows += counts.iter().sum::<u64>();
        let groups = self.keys.groups(keys, counts.len());
        if self.plan.largest.is_some() {
            self.sizes.resize(self.len(), 0);
            groups.iter().zip(counts).for_each(|(&group, count)| self.sizes[group as usize] += count);
        }
        groups
    }

    /// Takes the arguments of one calculation, for rows of groups that are known. With weights each row
    /// counts as so many.
    pub fn calculate(
        &mut self,
        place: usize,
        groups: &[u32],
        column: Option<&Column>,
        weights: Option<&[u64]>,
    ) {
        let total = self.len();
        match weights {
            None => self.accumulators[place].add(groups, total, column),
            Some(weights) => self.accumulators[place].add_weighted(groups, total, column, weights),
        }
    }

    /// Counts what is kept now against the budget.
    pub fn charge(&mut self, run: &Run<'_>) -> Result<()> {
        let calculated = self.accumulators.iter().map(|one| one.bytes()).sum::<usize>();
        let bytes = self.keys.bytes() + self.sizes.len() * 8 + calculated;
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
        self.merge_replacing(later, run, |_, _| None)
    }

    fn merge_replacing(
        &mut self,
        later: Groups,
        run: &Run<'_>,
        replace: impl Fn(usize, &Cell) -> Option<Cell>,
    ) -> Result<()> {
        self.rows += later.rows;
        let to = self.keys.merge(&later.keys, replace);
        let total = self.len();
        self.sizes.resize(total, 0);
        later.sizes.iter().zip(&to).for_each(|(size, &group)| self.sizes[group as usize] += size);
        for (own, other) in self.accumulators.iter_mut().zip(later.accumulators) {
            own.merge(other, &to, total);
        }
        run.budget.give_back(later.bytes);
        self.charge(run)
    }

    /// A row for each group, in their order, where only the largest values of a key keep to themselves.
    pub fn into_table(mut self, run: &Run<'_>) -> Result<Table> {
        let Some(Largest { key, most }) = self.plan.largest else { return self.table(run) };
        let mut sizes: HashMap<Cell, f64> = HashMap::new();
        let by_sum = self.plan.aggregates.first().is_some_and(|one| one.function == Aggregation::Sum);
        let total = self.len();
        let sums = by_sum.then(|| self.accumulators[0].finish(total));
        for group in 0..total as u32 {
            let size = match &sums {
                Some(sums) => sums.cell(group as usize).number().unwrap_or(0.0),
                None => self.sizes.get(group as usize).map_or(0.0, |&size| size as f64),
            };
            *sizes.entry(self.keys.key(group)[key].clone()).or_default() += size;
        }
        let mut largest: Vec<(Cell, f64)> = sizes.into_iter().collect();
        largest.sort_by(|one, other| other.1.total_cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        largest.truncate(most);
        let kept: HashSet<Cell> = largest.into_iter().map(|(cell, _)| cell).collect();
        let mut together = Groups::new(&self.plan);
        together.merge_replacing(self, run, |index, cell| {
            (index == key && !kept.contains(cell)).then(|| Cell::text(OTHER))
        })?;
        together.table(run)
    }

    /// A row for each group, in their order.
    pub fn table(&mut self, run: &Run<'_>) -> Result<Table> {
        let total = self.len();
        let keys: Vec<Vec<&Cell>> = (0..total as u32).map(|group| self.keys.key(group)).collect();
        let mut order: Vec<u32> = (0..total as u32).collect();
        order.sort_by(|&one, &other| keys[one as usize].cmp(&keys[other as usize]));
        run.check()?;
        let mut table = Table::of_rows(total);
        for (index, (name, _)) in self.plan.by.iter().enumerate() {
            let cells = order.iter().map(|&group| keys[group as usize][index].clone());
            table.set(name, Column::of_cells(cells.collect()));
        }
        let plan = Arc::clone(&self.plan);
        for (index, planned) in plan.aggregates.iter().enumerate() {
            let mut column = self.accumulators[index].finish(total).pick(&Picked::Some(&order));
            if let Some(seconds) = planned.function.seconds() {
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
            let bins = table.column(name).filter(|bins| bins.kind() == ColumnKind::Time)?;
            key.as_bin().map(|width| (bins, width))
        });
        let whole = run.clock.range.map(|(first, last)| (last as f64 - first as f64) / 1e9);
        let rate = |row: usize| {
            let span = match bins {
                Some((bins, width)) => match bins.cell(row) {
                    Cell::Time(start) => {
                        let around = width.around(start, &run.clock.zone);
                        around.map(|(start, end)| (end - start) as f64 / 1e9)
                    }
                    _ => None,
                },
                None => whole,
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
        let each =
            self.plan.aggregates.iter().zip(&self.accumulators).filter_map(|(planned, accumulator)| {
                let (missing, mistyped) = accumulator.passed_over();
                let mut said = Vec::new();
                if missing > 0 {
                    said.push(format!("{missing} of {} rows have no value", self.rows));
                }
                if mistyped > 0 {
                    said.push(format!("{mistyped} have one that is not a number"));
                }
                (!said.is_empty()).then(|| format!("{}: {}", planned.name, said.join(", ")))
            });
        each.collect()
    }
}
