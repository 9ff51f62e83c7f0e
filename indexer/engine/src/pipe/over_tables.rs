//! Stages over tables that come from elsewhere, such as the rows of a cluster.

use std::sync::Arc;

use super::line::Line;
use super::names::Names;
use super::plan::{Planned, Planner, plan};
use super::run::{Run, RunClock, RunOptions};
use super::table::Table;
use base::Cancel;
use base::error::{Error, ErrorKind, Result};
use query::{JoinedWith, Stage, StageKind};

/// Stages that wait for tables. Memory is bounded by the stages, not by the rows that they are given.
pub struct TableStages {
    run: Run<'static>,
    line: Line,
    /// What came out so far.
    tables: Vec<Table>,
    /// The columns of the result.
    names: Vec<Arc<str>>,
    /// The columns that something reads, in their order.
    read: Vec<String>,
}

impl TableStages {
    /// Stages for rows with these columns, in the order of time where they are events. `times` are the first and the last
    /// time of all rows, where that is known.
    pub fn new(
        stages: &[Stage],
        columns: &[String],
        times: Option<(i64, i64)>,
        options: &RunOptions,
        cancel: &Cancel,
    ) -> Result<TableStages> {
        if let Some(stage) = stages.iter().find(|stage| reads_a_case(&stage.kind)) {
            let message = "this stage needs the events of a case";
            return Err(Error::new(ErrorKind::QueryInvalid, message)
                .spanning(stage.span.start, stage.span.end)
                .hint("import the events to use it"));
        }
        let now = times.map_or(0, |(_, last)| last);
        let clock = RunClock { now, zone: options.zone.clone(), range: times, files: options.files.clone() };
        let mut planner = Planner { names: Names::of_events(columns, false), clock: &clock };
        let steps = plan(stages, &mut planner)?;
        let (names, read) = planner.names.end(stages);
        let read = columns.iter().filter(|name| read.contains(name.as_str())).cloned().collect();
        let run = Run::new(clock, options, cancel, None);
        for planned in &steps {
            if let Planned::Rows(step) = planned {
                step.begin(&run)?;
            }
        }
        Ok(TableStages { run, line: Line::new(steps), tables: Vec::new(), names, read })
    }

    /// The columns that tables need; others are passed over.
    #[must_use]
    pub fn read(&self) -> &[String] {
        &self.read
    }

    /// Whether more rows would change nothing.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.line.is_full()
    }

    pub fn push(&mut self, table: Table) -> Result<()> {
        let (run, tables) = (&self.run, &mut self.tables);
        if table.rows() == 0 {
            return Ok(());
        }
        self.line.push(table, run, &mut |table| keep(table, run, tables))
    }

    /// The result of all rows.
    pub fn finish(mut self) -> Result<Table> {
        let (run, tables) = (&self.run, &mut self.tables);
        self.line.finish(run, &mut |table| keep(table, run, tables))?;
        if self.tables.is_empty() {
            self.tables.push(Table::of_rows(0).keep(&self.names));
        }
        let mut table = Table::concat_unless(self.tables, &|| self.run.check())?;
        table.notes = self.run.take_notes();
        Ok(table)
    }
}

fn keep(table: Table, run: &Run<'_>, tables: &mut Vec<Table>) -> Result<()> {
    run.budget.take("the result", table.own_bytes())?;
    tables.push(table);
    Ok(())
}

/// Stages that ask a case again, or for more than rows have.
fn reads_a_case(stage: &StageKind) -> bool {
    match stage {
        StageKind::Patterns { .. }
        | StageKind::Compare { .. }
        | StageKind::Quantiles { .. }
        | StageKind::Variable(_)
        | StageKind::Context(_)
        | StageKind::Shift { .. } => true,
        StageKind::Join(join) => matches!(join.with, JoinedWith::Query(_)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use query::parse_query;

    use super::*;
    use crate::pipe::{Cell, Column};

    fn stages(text: &str, columns: &[&str]) -> Result<TableStages> {
        let query = parse_query(text).expect(text);
        let columns: Vec<String> = columns.iter().map(|name| (*name).to_owned()).collect();
        let (options, cancel) = (RunOptions::default(), Cancel::default());
        TableStages::new(&query.stages, &columns, Some((0, 9)), &options, &cancel)
    }

    fn rows(from: i64, to: i64) -> Table {
        let numbers = (from..to).map(Cell::Int).collect();
        Table::from_columns(vec![("n".to_owned(), Column::of_cells(numbers))])
    }

    #[test]
    fn stages_take_tables_one_after_the_other_and_read_what_they_need() {
        let mut line = stages("* | eval twice = n * 2 | stats sum(twice) as all", &["time", "n", "other"])
            .expect("planned");
        assert_eq!(line.read(), ["n"]);
        line.push(rows(0, 5)).expect("taken");
        line.push(rows(5, 10)).expect("taken");
        let table = line.finish().expect("a table");
        assert_eq!((table.rows(), table.cell(0, 0)), (1, Cell::Int(90)));
    }

    #[test]
    fn stages_that_have_enough_say_so_and_none_at_all_give_an_empty_table() {
        let mut line = stages("* | limit 3", &["n"]).expect("planned");
        line.push(rows(0, 5)).expect("taken");
        assert!(line.is_full());
        assert_eq!(line.finish().expect("a table").rows(), 3);
        let empty = stages("* | eval m = n + 1", &["n"]).expect("planned").finish().expect("a table");
        assert_eq!((empty.rows(), empty.names().len()), (0, 2));
    }

    const VARIABLE: &str = "* | variable 1 of t0123456789abcdef as v";

    #[test]
    fn stages_that_need_a_case_are_refused_before_any_row() {
        for text in ["* | patterns", "* | compare with n:1", "* | context 5", "* | eval a = nn", VARIABLE] {
            let error = stages(text, &["n"]).err().expect(text);
            assert!(error.hint_text().is_some() && error.span().is_some(), "{text}: {error}");
        }
    }
}
