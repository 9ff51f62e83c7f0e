//! Stages that have no counterpart at a cluster: they run here, over the events that the filter finds there, which are
//! fetched in the order of time with those fields only that the stages read.

use std::collections::BTreeSet;

use indexer::query::Stage;
use indexer::{
    Cell, Column, ColumnKind, FileAccess, NO_TIME, Result, RunOptions, SortBy, Table, TableStages,
};
use serde_json::{Value, json};

use super::events::{EventParts, instant};
use super::{Answer, Question, RemoteEvent, text_of, total};
use crate::cluster::{Asked, Cluster};
use crate::limits::{FETCHED_EVENTS, NARROW_FIELDS, NARROW_PAGE_EVENTS, PAGE_EVENTS};
use crate::schema::{Field, MappedKind, Origin};

/// What every event has, as the language calls it.
const BUILT_IN: [&str; 5] = ["time", "level", "source", "line", "raw"];

/// How stages run here.
#[derive(Clone, Debug)]
pub struct Here {
    /// Percentiles and distinct counts are calculated here, from the values themselves.
    pub is_exact: bool,
    /// Events that are fetched at most.
    pub events: usize,
    /// The files that `lookup` and `join` may read.
    pub files: FileAccess,
}

impl Default for Here {
    fn default() -> Here {
        Here { is_exact: false, events: FETCHED_EVENTS, files: FileAccess::default() }
    }
}

impl Question<'_> {
    /// The stages, made ready for events of the cluster. Its times are those of all matching events.
    pub(super) fn planned(
        &self,
        stages: &[Stage],
        times: Option<(i64, i64)>,
        here: &Here,
    ) -> Result<TableStages> {
        let options = self.options(here)?;
        TableStages::new(stages, &self.columns(), times, &options, self.cluster.client.cancel())
    }

    pub(super) fn options(&self, here: &Here) -> Result<RunOptions> {
        let options = RunOptions::in_zone(&self.asked.zone)?;
        Ok(RunOptions { files: here.files.clone(), ..options })
    }

    /// The columns that events have. Values in lists of objects are in none.
    fn columns(&self) -> Vec<String> {
        let schema = &self.cluster.schema;
        let is_nested = |name: &str| schema.field(name).is_some_and(|field: &Field| field.nested.is_some());
        let known = schema.known_fields().into_iter().map(|field| field.name);
        let known = known.filter(|name| !BUILT_IN.contains(&name.as_str()) && !is_nested(name));
        BUILT_IN.iter().map(|name| (*name).to_owned()).chain(known).collect()
    }

    /// Runs the stages over the matching events. `of` says which stage is the first of them.
    pub(super) fn run_here(mut self, stages: &[Stage], of: &str, here: &Here) -> Result<Answer<Table>> {
        let time = self.cluster.schema.time.clone();
        let ends = json!({"first": {"min": {"field": time}}, "last": {"max": {"field": time}}});
        let answer = self.aggregate(&ends)?;
        let matching = total(&answer)?;
        let times = self.cluster.times(&answer["aggregations"]);
        let times = times.map(|(first, last)| {
            (self.asked.from.unwrap_or(first), self.asked.to.map_or(last, |to| (to - 1).max(first)))
        });
        let mut line = self.planned(stages, times, here)?;
        let wanted = self.wanted(line.read());
        let columns = line.read().to_vec();
        let cluster = self.cluster;
        let sort = SortBy { field: "time".to_owned(), descending: false };
        let mut done = 0;
        if !line.is_full() {
            done = cluster.each_page(&mut self, &sort, &wanted, here.events, &mut |events| {
                line.push(cluster.table_of(&events, &columns))?;
                Ok(!line.is_full())
            })?;
        }
        self.note(format!("{of} ran here, over {done} fetched events"));
        if !line.is_full() && done < matching && self.missing.is_empty() {
            self.missing.0.push(format!(
                "{matching} events match, and the stages ran over the first {done} of them by time"
            ));
        }
        let table = line.finish()?;
        Ok(self.answer(table))
    }

    /// What is fetched of each event for these columns.
    fn wanted(&self, columns: &[String]) -> EventParts {
        let schema = &self.cluster.schema;
        let has = |name: &str| columns.iter().any(|column| column == name);
        let mut paths: BTreeSet<&str> = BTreeSet::new();
        let mut others = Vec::new();
        for name in columns {
            match schema.field(name) {
                Some(field) if field.origin == Origin::Document => drop(paths.insert(name)),
                Some(_) if !BUILT_IN.contains(&name.as_str()) => others.push(json!({"field": name})),
                _ => {}
            }
        }
        let built_in = [
            ("time", Some(&schema.time)),
            ("level", schema.level.as_ref()),
            ("source", schema.source.as_ref()),
            ("line", schema.line.as_ref()),
            ("raw", schema.text.as_ref()),
        ];
        paths.extend(
            built_in
                .into_iter()
                .filter(|(name, _)| has(name))
                .filter_map(|(_, path)| path)
                .map(String::as_str),
        );
        // Without a text of its own an event is its whole document.
        let is_whole = has("raw") && schema.text.is_none();
        let is_narrow = !is_whole && !has("raw") && paths.len() + others.len() <= NARROW_FIELDS;
        EventParts {
            source: if is_whole {
                true.into()
            } else if paths.is_empty() {
                false.into()
            } else {
                json!({"includes": paths})
            },
            fields: others,
            page: if is_narrow { NARROW_PAGE_EVENTS } else { PAGE_EVENTS },
        }
    }
}

impl Cluster {
    /// The matching events in the order of time as a table with these columns, up to a limit that the answer names.
    pub(crate) fn rows(&self, asked: &Asked, columns: &[String], here: &Here) -> Result<Answer<Table>> {
        let mut question = Question::new(self, asked)?;
        let matching = total(&question.aggregate(&json!({}))?)?;
        let wanted = question.wanted(columns);
        let sort = SortBy { field: "time".to_owned(), descending: false };
        let mut tables = vec![self.table_of(&[], columns)];
        let done = self.each_page(&mut question, &sort, &wanted, here.events, &mut |events| {
            tables.push(self.table_of(&events, columns));
            Ok(true)
        })?;
        if done < matching && question.missing.is_empty() {
            question.missing.0.push(format!(
                "{matching} events match, and the stages ran over the first {done} of them by time"
            ));
        }
        Ok(question.answer(Table::concat(tables)))
    }

    /// Events as a table with these columns, whose types are those of the mapping.
    pub(crate) fn table_of(&self, events: &[RemoteEvent], columns: &[String]) -> Table {
        let mut table = Table::of_rows(events.len());
        for name in columns {
            table.set(name, self.column(events, name));
        }
        table
    }

    fn column(&self, events: &[RemoteEvent], name: &str) -> Column {
        let texts = |text: &dyn Fn(&RemoteEvent) -> Option<String>| {
            let cell = |event| text(event).map_or(Cell::Missing, |text: String| Cell::text(&text));
            Column::of_cells_as(ColumnKind::Text, events.iter().map(cell).collect())
        };
        match name {
            "time" => Column::times(events.iter().map(|event| event.time.unwrap_or(NO_TIME)).collect()),
            "level" => Column::levels(
                events.iter().map(|event| Cluster::level_named(event.level.as_deref())).collect(),
            ),
            "source" => texts(&|event| Some(event.source.clone())),
            "raw" => texts(&|event| Some(event.text.clone())),
            "line" => {
                let line = |event: &RemoteEvent| {
                    event.line.and_then(|line| i64::try_from(line).ok()).map_or(Cell::Missing, Cell::Int)
                };
                Column::of_cells_as(ColumnKind::Int, events.iter().map(line).collect())
            }
            _ => {
                let kind = self.schema.field(name).map_or(&MappedKind::Keyword, |field| &field.kind);
                let value = |event: &RemoteEvent| {
                    let found = event.fields.iter().find(|(known, _)| known == name);
                    found.map_or(Cell::Missing, |(_, value)| cell_of(value, kind))
                };
                Column::of_cells_as(column_kind(kind), events.iter().map(value).collect())
            }
        }
    }
}

fn column_kind(kind: &MappedKind) -> ColumnKind {
    match kind {
        MappedKind::Whole(..) => ColumnKind::Int,
        MappedKind::Double | MappedKind::Rounded => ColumnKind::Float,
        MappedKind::Bool => ColumnKind::Bool,
        MappedKind::Date | MappedKind::DateNanos => ColumnKind::Time,
        _ => ColumnKind::Text,
    }
}

/// A value of a document as its mapping reads it; what it cannot be is missing, as it is there.
fn cell_of(value: &Value, kind: &MappedKind) -> Cell {
    let text = value.as_str().map(str::trim);
    let found = match kind {
        MappedKind::Whole(..) => value
            .as_i64()
            .or_else(|| text?.parse().ok())
            .or_else(|| whole(value.as_f64().or_else(|| text?.parse().ok())?))
            .map(Cell::Int),
        MappedKind::Double | MappedKind::Rounded => {
            value.as_f64().or_else(|| text?.parse().ok()).filter(|number| number.is_finite()).map(Cell::float)
        }
        MappedKind::Bool => match text {
            Some("true") => Some(Cell::Bool(true)),
            Some("false" | "") => Some(Cell::Bool(false)),
            _ => value.as_bool().map(Cell::Bool),
        },
        MappedKind::Date | MappedKind::DateNanos => instant(value).map(Cell::Time),
        _ => Some(Cell::text(&text_of(value))),
    };
    found.unwrap_or(Cell::Missing)
}

/// The whole part of a number, as mappings of whole numbers take it.
fn whole(number: f64) -> Option<i64> {
    (number.is_finite() && number.abs() < i64::MAX as f64).then(|| number.trunc() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_the_mapping() {
        let whole = MappedKind::Whole(i64::MIN, i64::MAX);
        for (value, kind, expected) in [
            (json!(200), &whole, Cell::Int(200)),
            (json!("200"), &whole, Cell::Int(200)),
            (json!(2.9), &whole, Cell::Int(2)),
            (json!("many"), &whole, Cell::Missing),
            (json!("0.5"), &MappedKind::Double, Cell::Float(0.5)),
            (json!("false"), &MappedKind::Bool, Cell::Bool(false)),
            (json!(7), &MappedKind::Keyword, Cell::text("7")),
            (json!(["a", "b"]), &MappedKind::Keyword, Cell::text(r#"["a","b"]"#)),
            (json!("1970-01-01T00:00:01Z"), &MappedKind::Date, Cell::Time(1_000_000_000)),
            (json!(1_000), &MappedKind::Date, Cell::Time(1_000_000_000)),
        ] {
            assert_eq!(cell_of(&value, kind), expected, "{value} as {}", kind.name());
        }
    }
}
