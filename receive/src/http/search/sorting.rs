//! The order of hits, and where a page begins that follows another one.

use indexer::{Cancel, Case, Direction, Event, NO_TIME, Shown, Snapshot, SortBy, View};
use serde_json::Value;

use super::clauses::{Holds, Translator};
use super::dates::MS;
use super::names::{hit_id, parse_hit_id};
use super::options::text_of;
use crate::http::answer::Problem;

/// Events alike that are gone through at once to find the one that a page ended with.
const STEP_ROWS: usize = 1_000;

#[derive(Clone, Debug, PartialEq)]
pub struct Sorting {
    /// What the engine sorts by.
    pub by: SortBy,
    /// What each hit tells of its place; nothing where nobody asked for an order.
    pub keys: Vec<Key>,
    after: Option<After>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// The time in milliseconds.
    Time,
    /// The value of the field.
    Value,
    Score,
    /// The event's place among those of one time: its time to the nanosecond, source and offset.
    Place,
}

/// The last hit of the page before.
#[derive(Clone, Debug, PartialEq, Eq)]
struct After {
    ms: i64,
    /// Time, source and offset.
    place: Option<(i64, u32, u64)>,
}

impl Sorting {
    pub fn parse(
        translator: &Translator<'_>,
        parameter: Option<&str>,
        body: Option<&Value>,
        after: Option<&Value>,
    ) -> Result<Sorting, Problem> {
        let mut wanted = Vec::new();
        match (parameter, body) {
            (Some(list), _) => {
                for one in list.split(',').filter(|one| !one.is_empty()) {
                    let (field, order) = one.split_once(':').unwrap_or((one, ""));
                    wanted.push((field.to_owned(), is_descending(field, order)?));
                }
            }
            (None, Some(Value::Array(list))) => {
                for one in list {
                    wanted.extend(of_value(one)?);
                }
            }
            (None, Some(Value::Null) | None) => {}
            (None, Some(one)) => wanted.extend(of_value(one)?),
        }
        let mut sorting = Sorting { by: SortBy::time(Direction::OldestFirst), keys: Vec::new(), after: None };
        for (place, (field, descending)) in wanted.into_iter().enumerate() {
            let key = match field.as_str() {
                "_doc" | "_shard_doc" | "_id" | "_seq_no" => Key::Place,
                "_score" => Key::Score,
                _ => match translator.field(&field) {
                    Some(known) if translator.holds(&known) == Holds::Time => Key::Time,
                    _ => Key::Value,
                },
            };
            let is_tie =
                key == Key::Place || place > 0 && (key == Key::Time && !descending || key == Key::Score);
            if place == 0 {
                sorting.by = match key {
                    Key::Place | Key::Time => SortBy { field: "time".to_owned(), descending },
                    Key::Score => SortBy { field: "relevance".to_owned(), descending: true },
                    // A field that no event has leaves the order of time.
                    Key::Value => match translator.field(&field) {
                        Some(field) => SortBy { field, descending },
                        None => SortBy::time(Direction::OldestFirst),
                    },
                };
            } else if !is_tie {
                let reason = format!("[sort] by more than one field is not supported: remove [{field}]");
                return Err(Problem::argument(reason));
            }
            sorting.keys.push(key);
        }
        if let Some(after) = after.filter(|after| !after.is_null()) {
            sorting.after = Some(sorting.read_after(after)?);
        }
        Ok(sorting)
    }

    fn read_after(&self, after: &Value) -> Result<After, Problem> {
        let wrong = |why: &str| Problem::argument(format!("[search_after] {why}"));
        let values = after.as_array().ok_or_else(|| wrong("is a list of the values in [sort] of a hit"))?;
        if values.len() != self.keys.len() {
            return Err(wrong("has to have as many values as [sort]"));
        }
        let mut found = After { ms: 0, place: None };
        for (key, value) in self.keys.iter().zip(values) {
            match key {
                Key::Time => {
                    let text = text_of(Some(value));
                    let period = super::dates::SearchClock::new().period(&text, None);
                    found.ms = period.ok_or_else(|| wrong("has no time"))?.from.div_euclid(MS);
                }
                Key::Place => {
                    let place = value.as_str().and_then(|text| {
                        let (time, id) = text.split_once('/')?;
                        let (source, offset) = parse_hit_id(id)?;
                        Some((time.parse().ok()?, source, offset))
                    });
                    let place: (i64, u32, u64) = place.ok_or_else(|| wrong("has no value of a hit"))?;
                    found = After { ms: place.0.div_euclid(MS), place: Some(place) };
                }
                Key::Value | Key::Score => {
                    return Err(wrong("is supported with [sort] by @timestamp or _doc only"));
                }
            }
        }
        Ok(found)
    }

    pub fn direction(&self) -> Direction {
        if self.by.descending { Direction::NewestFirst } else { Direction::OldestFirst }
    }

    /// The row that the page begins with.
    pub fn first(
        &self,
        case: &Case,
        snapshot: &Snapshot,
        view: &View,
        cancel: &Cancel,
    ) -> Result<usize, Problem> {
        let Some(after) = &self.after else { return Ok(0) };
        let direction = self.direction();
        // Events without a time are the last rows.
        let late = |time: i64| match direction {
            Direction::OldestFirst if time == NO_TIME => i64::MAX,
            _ => time,
        };
        let Some((time, source, offset)) = after.place else {
            if direction == Direction::OldestFirst && after.ms <= NO_TIME.div_euclid(MS) {
                return Ok(case.count(snapshot, view, cancel)?);
            }
            let at = match direction {
                Direction::OldestFirst => after.ms.saturating_add(1).saturating_mul(MS),
                Direction::NewestFirst => after.ms.saturating_mul(MS) - 1,
            };
            return Ok(case.locate(snapshot, view, direction, at, cancel)?);
        };
        let mut row = case.locate(snapshot, view, direction, time, cancel)?;
        loop {
            let shown = Shown::text(0);
            let page = case.page(snapshot, view, direction, (row, STEP_ROWS), &shown, cancel)?;
            for event in &page.events {
                let place = (late(event.time), event.source, event.offset);
                let is_past = match direction {
                    Direction::OldestFirst => place > (late(time), source, offset),
                    Direction::NewestFirst => place < (time, source, offset),
                };
                if is_past {
                    return Ok(row);
                }
                row += 1;
            }
            if page.events.len() < STEP_ROWS {
                return Ok(row);
            }
        }
    }

    /// What a hit tells of its place; `value` is that of the field it is sorted by.
    pub fn of_hit(&self, event: &Event, value: Option<&str>) -> Vec<Value> {
        let one = |key: &Key| match key {
            Key::Time => Value::from(event.time.div_euclid(MS)),
            Key::Place => Value::from(format!("{}/{}", event.time, hit_id(event.source, event.offset))),
            Key::Score => Value::from(1.0),
            Key::Value => match value {
                None => Value::Null,
                Some(value) => value
                    .parse::<i64>()
                    .map(Value::from)
                    .or_else(|_| value.parse::<f64>().map(Value::from))
                    .unwrap_or_else(|_| Value::from(value)),
            },
        };
        self.keys.iter().map(one).collect()
    }
}

/// `"field"`, `{"field": "desc"}`, `{"field": {"order": "desc"}}`.
fn of_value(value: &Value) -> Result<Vec<(String, bool)>, Problem> {
    match value {
        Value::String(field) => Ok(vec![(field.clone(), is_descending(field, "")?)]),
        Value::Object(fields) => {
            let one = |(field, options): (&String, &Value)| {
                let order = match options {
                    Value::Object(options) => {
                        let known = ["order", "unmapped_type", "missing", "format", "numeric_type", "mode"];
                        if let Some(name) = options.keys().find(|name| !known.contains(&name.as_str())) {
                            return Err(Problem::argument(format!("[sort] does not support [{name}]")));
                        }
                        text_of(options.get("order"))
                    }
                    order => text_of(Some(order)),
                };
                Ok((field.clone(), is_descending(field, &order)?))
            };
            fields.iter().map(one).collect()
        }
        _ => Err(Problem::argument("[sort] is a list of fields")),
    }
}

fn is_descending(field: &str, order: &str) -> Result<bool, Problem> {
    match order.to_ascii_lowercase().as_str() {
        "" => Ok(field == "_score"),
        "asc" => Ok(false),
        "desc" => Ok(true),
        other => Err(Problem::argument(format!("[sort] has no order [{other}]; there are asc and desc"))),
    }
}
