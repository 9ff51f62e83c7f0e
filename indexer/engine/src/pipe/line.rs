//! Steps in a row, through which tables go.

use super::plan::Planned;
use super::run::Run;
use super::stages::sort::Sort;
use super::stages::stats::Stats;
use super::step::{RowStep, Step};
use super::table::Table;
use base::error::Result;
use base::limits::PIPE_ROWS;

/// What the rows between two stages are called where memory does not hold them.
pub const HANDED_ON: &str = "the rows of a stage";

pub struct Line {
    steps: Vec<Box<dyn Step>>,
}

impl Line {
    pub fn new(planned: impl IntoIterator<Item = Planned>) -> Line {
        let steps = planned.into_iter().map(|planned| match planned {
            Planned::Rows(step) => Box::new(Each(step)) as Box<dyn Step>,
            Planned::Stats(plan) => Box::new(Stats::new(&plan)),
            Planned::First(keys, first) => Box::new(Sort::new(keys, Some(first))),
            Planned::Facets(facets) => Box::new(facets),
            Planned::Transaction(transaction) => Box::new(transaction),
            Planned::Step(step) => step,
        });
        Line { steps: steps.collect() }
    }

    /// Sends a table through, and what comes out of it to `out`.
    pub fn push(
        &mut self,
        table: Table,
        run: &Run<'_>,
        out: &mut dyn FnMut(Table) -> Result<()>,
    ) -> Result<()> {
        self.push_from(0, table, run, out)
    }

    fn push_from(
        &mut self,
        first: usize,
        mut table: Table,
        run: &Run<'_>,
        out: &mut dyn FnMut(Table) -> Result<()>,
    ) -> Result<()> {
        let mut held = run.charge(HANDED_ON);
        for step in &mut self.steps[first..] {
            run.check()?;
            held.hold(&table)?;
            match step.push(table, run)? {
                Some(next) if next.rows() > 0 => table = next,
                _ => return Ok(()),
            }
        }
        out(table)
    }

    /// No more tables come.
    pub fn finish(&mut self, run: &Run<'_>, out: &mut dyn FnMut(Table) -> Result<()>) -> Result<()> {
        for index in 0..self.steps.len() {
            run.check()?;
            run.messages.clear();
            let Some(table) = self.steps[index].finish(run)? else { continue };
            let mut held = run.charge(HANDED_ON);
            held.set(table.own_bytes())?;
            // A large table goes on in parts, so that no later stage works on all of it at once.
            for start in (0..table.rows()).step_by(PIPE_ROWS) {
                if self.steps[index + 1..].iter().any(|step| step.is_full()) {
                    break;
                }
                let whole = start == 0 && table.rows() <= PIPE_ROWS;
                let part = if whole { table.clone() } else { table.slice(start..start + PIPE_ROWS) };
                self.push_from(index + 1, part, run, out)?;
            }
        }
        Ok(())
    }

    /// Whether more rows would change nothing.
    pub fn is_full(&self) -> bool {
        self.steps.iter().any(|step| step.is_full())
    }
}

struct Each(Box<dyn RowStep>);

impl Step for Each {
    fn push(&mut self, rows: Table, run: &Run<'_>) -> Result<Option<Table>> {
        self.0.apply(rows, run).map(Some)
    }
}
