//! `top`, `rare` and `facets`: how often the values of fields occur.

use indexer::query::{FieldRef, Frequent};
use indexer::{Cell, Column, Result, Table};
use serde_json::{Map, json};

use super::groups::cell;
use super::{Question, estimated_distinct, total, unsupported};
use crate::json;
use crate::schema::{Field, MappedKind};

/// Values of a field that `facets` lists unless more are asked for.
pub(crate) const USUAL_VALUES: u64 = 5;

/// Fields that `facets` looks at when none is named.
const FACETS: usize = 50;

/// Values that every shard looks at for each that is asked for.
const SHARD_FACTOR: u64 = 20;

impl Question<'_> {
    pub fn ranked(&mut self, frequent: &Frequent, rarest: bool) -> Result<Table> {
        if let ([field], [], false) = (frequent.fields.as_slice(), frequent.by.as_slice(), rarest) {
            return self.top(field, frequent.count);
        }
        // The rarest values of all shards are none of those that are rare on one; so all of them are counted.
        let columns: Vec<&FieldRef> = frequent.by.iter().chain(&frequent.fields).collect();
        let mut keys = Vec::new();
        for column in &columns {
            let field = self.field(&column.name)?;
            keys.push(self.key_of_field(&field, column.name.clone())?);
        }
        let (metrics, aggs) = self.metrics(&[])?;
        let groups: Vec<(Vec<Cell>, u64)> = self
            .groups(&keys, &metrics, &aggs)?
            .into_iter()
            .map(|(key, values)| (key, values.first().and_then(Cell::number).unwrap_or(0.0) as u64))
            .collect();
        let (table, missing) = ranked_table(frequent, rarest, groups);
        if missing > 0 {
            self.note(left_out(missing));
        }
        Ok(table)
    }

    fn top(&mut self, field: &FieldRef, count: u64) -> Result<Table> {
        let there = self.whole_values(&field.name)?;
        let name = there.name.as_str();
        let size = count.clamp(1, 10_000);
        let shard_size = size.saturating_mul(SHARD_FACTOR).clamp(1_000, 50_000);
        let aggs = json!({
            "v": {"terms": {"field": name, "size": size, "shard_size": shard_size}},
            "there": {"filter": {"exists": {"field": name}}},
        });
        let answer = self.aggregate(&aggs)?;
        let found = &answer["aggregations"]["v"];
        if let Some(bound) = found["doc_count_error_upper_bound"].as_u64().filter(|bound| *bound > 0) {
            self.note(format!("counts are estimated over the shards: each may be {bound} too low"));
        }
        let all = json::count(&answer["aggregations"], &["there", "doc_count"])?;
        let missing = total(&answer)?.saturating_sub(all);
        if missing > 0 {
            self.note(left_out(missing));
        }
        let mut rows = Vec::new();
        for bucket in json::list(found, &["buckets"])? {
            let count = json::count(bucket, &["doc_count"])?;
            rows.push(vec![value(bucket, &there), Cell::Int(count as i64), percent(count, all)]);
        }
        Ok(table([field.name.as_str(), "count", "percent"].into_iter(), rows))
    }

    /// The field with the whole values.
    pub(crate) fn whole_values(&mut self, name: &str) -> Result<Field> {
        let field = self.field(name)?;
        let Some(there) = self.cluster.schema.groupable(&field).cloned() else {
            let message = format!(
                "values of `{name}` are not counted there: it is {} without whole values",
                field.kind.name()
            );
            return Err(unsupported(message, "map it with a multi-field of the type keyword"));
        };
        self.left_out(&there);
        Ok(there)
    }

    pub fn facets(&mut self, fields: &[FieldRef], values: Option<u64>) -> Result<Table> {
        let mut named: Vec<(String, Field)> = Vec::new();
        if fields.is_empty() {
            let schema = &self.cluster.schema;
            let known = schema.known_fields();
            let usable = known.iter().filter_map(|known| {
                let field = schema.groupable(schema.field(&known.name)?)?;
                field.nested.is_none().then(|| (known.name.clone(), field.clone()))
            });
            named.extend(usable.take(FACETS));
            if known.len() > named.len() {
                let more = known.len() - named.len();
                self.note(format!(
                    "{more} fields are left out, being without whole values or beyond the first {FACETS}"
                ));
            }
        } else {
            for field in fields {
                named.push((field.name.clone(), self.whole_values(&field.name)?));
            }
        }
        let size = values.unwrap_or(USUAL_VALUES).clamp(1, 1_000);
        let mut aggs = Map::new();
        for (at, (_, field)) in named.iter().enumerate() {
            let name = field.name.as_str();
            aggs.insert(format!("there{at}"), json!({"filter": {"exists": {"field": name}}}));
            aggs.insert(format!("v{at}"), json!({"terms": {"field": name, "size": size}}));
            aggs.insert(format!("d{at}"), json!({"cardinality": {"field": name}}));
        }
        let answer = self.aggregate(&serde_json::Value::Object(aggs))?;
        self.note(estimated_distinct("distinct is"));
        let rows_there = total(&answer)?;
        let found = &answer["aggregations"];
        let mut rows = Vec::new();
        for (at, (name, field)) in named.iter().enumerate() {
            let there = json::count(found, &[&format!("there{at}"), "doc_count"])?;
            let distinct = found[format!("d{at}")]["value"].as_i64().unwrap_or(0);
            let share =
                if rows_there > 0 { Cell::float(there as f64 / rows_there as f64) } else { Cell::Missing };
            let of_field = |value: Cell, count: u64| {
                vec![
                    Cell::text(name),
                    share.clone(),
                    Cell::Int(distinct),
                    value,
                    Cell::Int(count as i64),
                    percent(count, there),
                ]
            };
            let buckets = json::list(&found[format!("v{at}")], &["buckets"])?;
            if buckets.is_empty() {
                rows.push(of_field(Cell::Missing, 0));
            }
            for bucket in buckets {
                rows.push(of_field(value(bucket, field), json::count(bucket, &["doc_count"])?));
            }
        }
        Ok(table(["field", "share", "distinct", "value", "count", "percent"].into_iter(), rows))
    }
}

fn value(bucket: &serde_json::Value, field: &Field) -> Cell {
    match (&field.kind, bucket["key_as_string"].as_str()) {
        (MappedKind::Bool, Some(text)) => Cell::Bool(text == "true"),
        _ => cell(&bucket["key"], field.kind.is_time(), matches!(field.kind, MappedKind::Whole(..))),
    }
}

/// The most or the least frequent of all groups, which are in the order of `by`, and the number of rows without a value.
pub(crate) fn ranked_table(
    frequent: &Frequent,
    rarest: bool,
    mut groups: Vec<(Vec<Cell>, u64)>,
) -> (Table, u64) {
    let by = frequent.by.len();
    let is_missing = |key: &[Cell]| key[by..].iter().any(Cell::is_missing);
    let missing = groups.iter().filter(|(key, _)| is_missing(key)).map(|(_, count)| count).sum();
    groups.retain(|(key, _)| !is_missing(key));
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for group in groups.chunk_by(|one, other| one.0[..by] == other.0[..by]) {
        let all: u64 = group.iter().map(|(_, count)| count).sum();
        let mut group = group.to_vec();
        group.sort_by_key(|(_, count)| if rarest { i128::from(*count) } else { -i128::from(*count) });
        group.truncate(usize::try_from(frequent.count).unwrap_or(usize::MAX));
        rows.extend(group.into_iter().map(|(mut key, count)| {
            key.extend([Cell::Int(count as i64), percent(count, all)]);
            key
        }));
    }
    let columns = frequent.by.iter().chain(&frequent.fields).map(|column| column.name.as_str());
    (table(columns.chain(["count", "percent"]), rows), missing)
}

pub(crate) fn left_out(missing: u64) -> String {
    format!("{missing} rows have no value and are left out")
}

pub(crate) fn percent(count: u64, all: u64) -> Cell {
    if all == 0 { Cell::Missing } else { Cell::float(100.0 * count as f64 / all as f64) }
}

pub(crate) fn table<'n>(names: impl Iterator<Item = &'n str>, rows: Vec<Vec<Cell>>) -> Table {
    let names: Vec<&str> = names.collect();
    let mut columns: Vec<Vec<Cell>> = vec![Vec::with_capacity(rows.len()); names.len()];
    for row in rows {
        columns.iter_mut().zip(row).for_each(|(column, cell)| column.push(cell));
    }
    let columns = names.into_iter().zip(columns);
    Table::from_columns(columns.map(|(name, cells)| (name.to_owned(), Column::of_cells(cells))).collect())
}
