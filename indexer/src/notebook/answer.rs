//! The content of a cell at the time of the query.

use std::sync::Arc;

use super::cell::{Cell as PageCell, EventPlace, MapCell, What};
use super::chart::{Chart, of_table, of_timeline};
use super::pattern_names::PatternNames;
use super::{seismograph, service_map};
use crate::{Case, Evidence};
use base::Cancel;
use base::error::{Error, ErrorKind, Result};
use base::limits::CHART_BUCKETS;
use engine::links::Spot;
use engine::pipe::{Cell, ColumnKind, RunOptions, Table};
use engine::seismograph::SeismographOptions;
use engine::{Direction, Engine, Event, Shown, SqlOptions, View, is_sql};
use query::{Filter, Stage, parse_query};
use store::Snapshot;

/// So much of an event is shown in a cell.
const SHOWN_BYTES: usize = 4_000;

/// The result of a query: a table with the stages that made it, or the events that its filter selects.
enum Found {
    Table(Table, Vec<Stage>),
    Events(View),
}

/// The frozen result of a cell.
#[derive(Clone, Debug)]
pub enum Answer {
    Table(Frozen),
    /// Of a query without stages: how many events match, and the first of them.
    Events {
        total: usize,
        first: Vec<Event>,
    },
    Chart {
        chart: Chart,
        table: Frozen,
    },
    /// A picture as markup, with the numbers in it.
    Picture {
        svg: String,
        table: Frozen,
    },
    /// The events that a cell names; `None` for those that the case does not have.
    Evidence(Vec<(EventPlace, Option<Evidence>)>),
    /// The error, as it is displayed.
    Failed(String),
}

/// Rows of a table as text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frozen {
    /// Column names, and whether they hold numbers.
    pub columns: Vec<(Arc<str>, bool)>,
    pub rows: Vec<Vec<String>>,
    /// All rows of the result.
    pub total: usize,
    pub notes: Vec<String>,
}

impl Frozen {
    fn from_table(table: &Table, rows: usize) -> Frozen {
        let columns = table.names().iter().zip(table.columns());
        let number = |kind: ColumnKind| matches!(kind, ColumnKind::Int | ColumnKind::Float);
        let shown = 0..table.rows().min(rows);
        let width = table.names().len();
        Frozen {
            columns: columns.map(|(name, column)| (Arc::clone(name), number(column.kind()))).collect(),
            rows: shown
                .map(|row| (0..width).map(|column| readable(&table.cell(row, column))).collect())
                .collect(),
            total: table.rows(),
            notes: table.notes.clone(),
        }
    }
}

/// Numbers with more digits than mean anything are rounded; the case has them whole.
fn readable(cell: &Cell) -> String {
    match cell {
        Cell::Float(value) if value.fract() != 0.0 && value.abs() >= 0.001 && value.abs() < 1e15 => {
            let digits = (5 - value.abs().log10().floor() as i32).clamp(0, 9) as usize;
            let rounded = format!("{value:.digits$}");
            rounded.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        other => other.to_string(),
    }
}

impl Case {
    /// Answers a cell. A failed cell shows its error, so that the rest of the page can be answered; only
    /// cancellation ends with an error.
    pub fn answer_cell(
        &self,
        snapshot: &Arc<Snapshot>,
        cell: &PageCell,
        options: &RunOptions,
        cancel: &Cancel,
    ) -> Result<Answer> {
        let zone = cell.zone.as_ref().unwrap_or(&options.zone);
        let options = RunOptions { zone: zone.clone(), ..options.clone() };
        let asked = AskedCell { case: self, snapshot, cell, options, cancel };
        let answer = match &cell.what {
            What::Query(query) => asked.query(query),
            What::Chart(query) => asked.chart(query),
            What::Seismograph(query) => asked.seismograph(query),
            What::ServiceMap(map) => asked.map(map),
            What::Events(places) => asked.events(places),
        };
        match answer {
            Err(error) if error.kind() == ErrorKind::Cancelled => Err(error),
            Err(error) => Ok(Answer::Failed(error_text(&error))),
            answer => answer,
        }
    }
}

/// A cell that is answered now.
struct AskedCell<'a> {
    case: &'a Case,
    snapshot: &'a Arc<Snapshot>,
    cell: &'a PageCell,
    /// In the zone of the cell.
    options: RunOptions,
    cancel: &'a Cancel,
}

impl AskedCell<'_> {
    fn query(&self, query: &str) -> Result<Answer> {
        let view = match self.found(query)? {
            Found::Table(table, stages) => {
                return Ok(Answer::Table(self.frozen(&table, &stages, &self.names()?)));
            }
            Found::Events(view) => view,
        };
        let rows = (0, self.cell.rows);
        let shown = Shown::text(SHOWN_BYTES);
        let page = self.case.page(self.snapshot, &view, Direction::OldestFirst, rows, &shown, self.cancel)?;
        Ok(Answer::Events { total: page.total, first: page.events })
    }

    fn chart(&self, query: &str) -> Result<Answer> {
        let (table, stages) = match self.found(query)? {
            Found::Table(table, stages) => (table, stages),
            Found::Events(view) => {
                let timeline =
                    self.case.timeline(self.snapshot, &view, CHART_BUCKETS, &mut |_, _| {}, self.cancel)?;
                return Ok(Answer::Chart { chart: of_timeline(&timeline), table: Frozen::default() });
            }
        };
        let chart = of_table(&table).ok_or_else(|| {
            Error::new(ErrorKind::BadRequest, "the result has no numbers to draw").hint(
                "a chart needs a column of times or names, and one of numbers, as `timechart count()` gives",
            )
        })?;
        let names = self.names()?;
        Ok(Answer::Chart { chart: names.in_chart(chart), table: self.frozen(&table, &stages, &names) })
    }

    fn names(&self) -> Result<PatternNames> {
        Ok(PatternNames::from_notes(&self.case.notes(None, 0)?.notes))
    }

    fn frozen(&self, table: &Table, stages: &[Stage], names: &PatternNames) -> Frozen {
        names.in_table(Frozen::from_table(table, self.cell.rows), stages)
    }

    /// Runs a query of the language, or SQL.
    fn found(&self, query: &str) -> Result<Found> {
        let (case, snapshot, range) = (self.case, self.snapshot, (self.cell.from, self.cell.to));
        if is_sql(query) {
            let options = SqlOptions { range, run: self.options.clone(), ..SqlOptions::default() };
            let table = case.sql(snapshot, query, &options, self.cancel)?;
            return Ok(Found::Table(table, Vec::new()));
        }
        let mut query = parse_query(query).map_err(Error::from)?;
        query.filter = self.in_zone(query.filter);
        if query.stages.is_empty() {
            return Ok(Found::Events(View { filter: query.filter, from: range.0, to: range.1 }));
        }
        let table = case.run(snapshot, &query, range, &self.options, &mut |_| {}, self.cancel)?;
        Ok(Found::Table(table, query.stages))
    }

    fn seismograph(&self, query: &str) -> Result<Answer> {
        let view = self.view(query)?;
        let options =
            SeismographOptions { rows: self.cell.rows, bins: CHART_BUCKETS, ..SeismographOptions::default() };
        let found = self.case.seismograph(self.snapshot, &view, options, &mut |_| {}, self.cancel)?;
        let title = self.cell.title.as_deref().unwrap_or(query);
        let names = self.names()?;
        Ok(Answer::Picture {
            svg: seismograph::svg(&found, &names, title),
            table: seismograph::table(&found, &names),
        })
    }

    fn map(&self, map: &MapCell) -> Result<Answer> {
        let view = self.view(&map.query)?;
        let places = [Spot::Field(map.id.clone())];
        let by = (places.as_slice(), map.by.as_str());
        let found = self.case.service_map(self.snapshot, &view, by, &mut |_| {}, self.cancel)?;
        let title = self.cell.title.as_deref().unwrap_or(&map.by);
        Ok(Answer::Picture {
            svg: service_map::svg(&found, title),
            table: service_map::table(&found, self.cell.rows),
        })
    }

    fn events(&self, places: &[EventPlace]) -> Result<Answer> {
        let wanted: Vec<(u32, u64)> = places.iter().map(|place| (place.source, place.offset)).collect();
        let found = self.case.evidence(self.snapshot, &wanted, SHOWN_BYTES, self.cancel)?;
        Ok(Answer::Evidence(places.iter().cloned().zip(found).collect()))
    }

    /// The events that a filter selects.
    fn view(&self, filter: &str) -> Result<View> {
        let mut view = View::parse(filter, self.cell.from, self.cell.to)?;
        view.filter = self.in_zone(view.filter);
        Ok(view)
    }

    /// A filter with its times in the zone that the cell names.
    fn in_zone(&self, filter: Filter) -> Filter {
        match &self.cell.zone {
            Some(zone) => Engine::in_zone(self.snapshot, filter, zone),
            None => filter,
        }
    }
}

fn error_text(error: &Error) -> String {
    match error.hint_text() {
        Some(hint) => format!("{}; {hint}", error.message()),
        None => error.message().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_significant_digits() {
        let shown = |value: f64| readable(&Cell::Float(value));
        assert_eq!(shown(1.0 / 3.0), "0.333333");
        assert_eq!(shown(1_234.567_891), "1234.57");
        assert_eq!(
            (shown(2.5), shown(3.0), shown(123_456_789.25)),
            ("2.5".into(), "3".into(), "123456789".into())
        );
        assert_eq!(shown(-0.25), "-0.25");
    }
}
