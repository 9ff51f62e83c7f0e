//! `stats`: calculations over groups, by composite aggregations that are paged until all groups are there.

use indexer::query::functions::Function;
use indexer::query::{Aggregate, Dimension, Expr, ExprKind, Group, Quantity, Unit};
use indexer::{Cell, Column, Error, ErrorKind, Result, Table};
use serde_json::{Map, Value, json};

use super::metrics::Metric;
use super::{Question, total, unsupported};
use crate::json;
use crate::limits::{GROUPS, PAGE_GROUPS};
use crate::schema::{Field, MappedKind};

/// A group key and how its values are read.
pub struct Key {
    pub name: String,
    pub source: Value,
    is_time: bool,
    is_whole: bool,
}

impl Question<'_> {
    pub fn stats(&mut self, aggregates: &[Aggregate], by: &[Group]) -> Result<Table> {
        let (metrics, aggs) = self.metrics(aggregates)?;
        if by.is_empty() {
            let answer = self.aggregate(&Value::Object(aggs))?;
            let mut bucket = answer["aggregations"].clone();
            if !bucket.is_object() {
                bucket = json!({});
            }
            bucket["doc_count"] = total(&answer)?.into();
            let columns = metrics
                .iter()
                .map(|metric| (metric.name.clone(), Column::of_cells(vec![metric.value(&bucket)])));
            return Ok(Table::from_columns(columns.collect()));
        }
        let keys = by.iter().map(|group| self.key(group)).collect::<Result<Vec<_>>>()?;
        let groups = self.groups(&keys, &metrics, &aggs)?;
        Ok(table(&keys, &metrics, groups))
    }

    /// All groups with their calculations, in the order of their keys; missing values come last.
    pub fn groups(
        &mut self,
        keys: &[Key],
        metrics: &[Metric],
        aggs: &Map<String, Value>,
    ) -> Result<Vec<(Vec<Cell>, Vec<Cell>)>> {
        let sources: Vec<Value> =
            keys.iter().enumerate().map(|(place, key)| json!({format!("k{place}"): key.source})).collect();
        let mut groups: Vec<(Vec<Cell>, Vec<Cell>)> = Vec::new();
        let mut after = Value::Null;
        loop {
            let mut composite = json!({"size": PAGE_GROUPS, "sources": sources});
            if !after.is_null() {
                composite["after"] = after.clone();
            }
            let mut request = json!({"composite": composite});
            if !aggs.is_empty() {
                request["aggs"] = Value::Object(aggs.clone());
            }
            let answer = self.aggregate(&json!({"g": request}))?;
            let found = &answer["aggregations"]["g"];
            let buckets = json::list(found, &["buckets"])?;
            for bucket in buckets {
                let cells =
                    keys.iter().enumerate().map(|(place, key)| key.cell(&bucket["key"][format!("k{place}")]));
                let calculated = metrics.iter().map(|metric| metric.value(bucket));
                groups.push((cells.collect(), calculated.collect()));
            }
            if groups.len() > GROUPS {
                let message = format!("there are more than {GROUPS} groups");
                return Err(
                    Error::new(ErrorKind::Limit, message).hint("group by fewer fields, or take a filter")
                );
            }
            let next = found["after_key"].clone();
            if buckets.len() < PAGE_GROUPS || next.is_null() {
                break;
            }
            if next == after {
                return Err(Error::new(
                    ErrorKind::Corrupt,
                    "the cluster does not say where its next groups begin",
                ));
            }
            after = next;
        }
        groups.sort_by(|one, other| {
            let missing_last = |cells: &[Cell]| -> Vec<(bool, Cell)> {
                cells.iter().map(|cell| (cell.is_missing(), cell.clone())).collect()
            };
            missing_last(&one.0).cmp(&missing_last(&other.0))
        });
        Ok(groups)
    }

    fn key(&mut self, group: &Group) -> Result<Key> {
        let name = group.column();
        let fail = |message: String, hint: &str| {
            unsupported(message, hint).spanning(group.span.start, group.span.end)
        };
        if let Some(field) = group.value.as_field() {
            let field = self.field(field)?;
            return self.key_of_field(&field, name);
        }
        let hint = "group by a field, bin(time, 5m), bin(number, 100) or date_trunc(\"hour\", time)";
        let ExprKind::Call(function @ (Function::Bin | Function::DateTrunc), arguments) = &group.value.kind
        else {
            return Err(fail(format!("`{}` is not calculated at a cluster", group.value), hint));
        };
        let ((Function::Bin, [field, width]) | (Function::DateTrunc, [width, field])) =
            (function, arguments.as_slice())
        else {
            return Err(fail(format!("`{}` is not calculated at a cluster", group.value), hint));
        };
        let Some(field) = field.as_field() else {
            return Err(fail(format!("`{}` is not calculated at a cluster", group.value), hint));
        };
        let field = self.field(field)?;
        let name_there = field.name.clone();
        if field.kind.is_time() {
            let Some(quantity) = width_of(width) else {
                return Err(fail("bins of time need a width".to_owned(), "write it as bin(time, 5m)"));
            };
            let (key, interval) = interval(quantity)?;
            let source = json!({"date_histogram": {
                "field": name_there, key: interval, "time_zone": self.asked.zone, "missing_bucket": true}});
            return Ok(Key { name, source, is_time: true, is_whole: false });
        }
        let number = match &width.kind {
            ExprKind::Int(number) => Some(*number as f64),
            ExprKind::Float(number) => Some(*number),
            ExprKind::Quantity(quantity) => indexer::query::Amount::With(*quantity)
                .in_field(&field.name)
                .map(indexer::query::Amount::float),
            _ => None,
        };
        match number.filter(|width| *width > 0.0 && field.kind.is_number()) {
            Some(width) => {
                let source =
                    json!({"histogram": {"field": name_there, "interval": width, "missing_bucket": true}});
                let is_whole = width.fract() == 0.0 && matches!(field.kind, MappedKind::Whole(..));
                Ok(Key { name, source, is_time: false, is_whole })
            }
            None => Err(fail(format!("`{}` is not calculated at a cluster", group.value), hint)),
        }
    }

    /// Groups by the whole values of a field.
    pub fn key_of_field(&mut self, field: &Field, name: String) -> Result<Key> {
        if self.cluster.schema.level.as_deref() == Some(field.name.as_str()) {
            self.note(format!("levels are the words in `{}`", field.name));
        }
        let Some(field) = self.cluster.schema.groupable(field).cloned() else {
            let message = format!(
                "events are not grouped by `{}` there: it is {} without whole values",
                field.name,
                field.kind.name()
            );
            return Err(unsupported(message, "map it with a multi-field of the type keyword"));
        };
        self.left_out(&field);
        let source = json!({"terms": {"field": field.name, "missing_bucket": true}});
        let is_time = field.kind.is_time();
        Ok(Key { name, source, is_time, is_whole: matches!(field.kind, MappedKind::Whole(..)) })
    }

    /// Says which values a field does not have there.
    pub fn left_out(&mut self, field: &Field) {
        if let Some(above) = field.ignore_above {
            self.note(format!(
                "values of more than {above} characters are missing in `{}` there",
                field.name
            ));
        }
    }
}

impl Key {
    fn cell(&self, value: &Value) -> Cell {
        cell(value, self.is_time, self.is_whole)
    }
}

/// A key of a bucket.
pub fn cell(value: &Value, is_time: bool, is_whole: bool) -> Cell {
    match value {
        Value::String(text) => Cell::text(text),
        Value::Bool(truth) => Cell::Bool(*truth),
        Value::Number(number) if is_time => {
            let ms = number.as_i64().or_else(|| number.as_f64().map(|ms| ms as i64));
            ms.map_or(Cell::Missing, |ms| Cell::Time(ms.saturating_mul(1_000_000)))
        }
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => Cell::Int(whole),
            (None, Some(float)) if is_whole && float.fract() == 0.0 => Cell::Int(float as i64),
            (None, Some(float)) => Cell::float(float),
            (None, None) => Cell::Missing,
        },
        _ => Cell::Missing,
    }
}

fn table(keys: &[Key], metrics: &[Metric], groups: Vec<(Vec<Cell>, Vec<Cell>)>) -> Table {
    let mut columns: Vec<Vec<Cell>> = vec![Vec::with_capacity(groups.len()); keys.len() + metrics.len()];
    for (key, calculated) in groups {
        columns
            .iter_mut()
            .zip(key.into_iter().chain(calculated))
            .for_each(|(column, cell)| column.push(cell));
    }
    let names =
        keys.iter().map(|key| key.name.clone()).chain(metrics.iter().map(|metric| metric.name.clone()));
    Table::from_columns(names.zip(columns).map(|(name, cells)| (name, Column::of_cells(cells))).collect())
}

fn width_of(width: &Expr) -> Option<Quantity> {
    match &width.kind {
        ExprKind::Quantity(quantity) => Some(*quantity),
        ExprKind::Text(unit) | ExprKind::Field(unit) => {
            Unit::named(unit).map(|unit| Quantity { number: 1.0, unit })
        }
        _ => None,
    }
    .filter(|quantity| quantity.unit.dimension() == Dimension::Duration)
}

/// A width of time as a date histogram takes it: of the calendar where one unit of it is meant.
pub fn interval(width: Quantity) -> Result<(&'static str, String)> {
    let is_one = (width.number - 1.0).abs() < f64::EPSILON;
    let calendar = match width.unit {
        Unit::Day => "day",
        Unit::Week => "week",
        Unit::Month => "month",
        Unit::Quarter => "quarter",
        Unit::Year => "year",
        _ => "",
    };
    if !calendar.is_empty() {
        if is_one {
            return Ok(("calendar_interval", calendar.to_owned()));
        }
        let message = format!("bins of {width} are not those of the calendar at a cluster");
        return Err(unsupported(message, "take one day, week, month, quarter or year, or hours"));
    }
    let ms = width.amount() / 1e6;
    if ms < 1.0 || ms.fract() != 0.0 || ms > 9e15 {
        return Err(unsupported(format!("bins of {width} are not whole milliseconds"), "take a wider bin"));
    }
    Ok(("fixed_interval", format!("{ms}ms")))
}
