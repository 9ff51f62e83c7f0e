//! Composite aggregations: all combinations of some values, page by page. The combinations of a search are grouped in
//! one pass, with the metrics of each, sorted by their keys and kept for the next page.

use std::cmp::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use indexer::aggregate::{CalendarUnit, Interval, TimeZone};
use indexer::query::functions::{Aggregation as Function, Function as Scalars};
use indexer::query::{
    Aggregate, Expr, ExprKind, Filter, Group, Quantity, Query, Span, Stage, StageKind, Test, Unit,
};
use indexer::{Cell, RunOptions, Table, View};
use serde_json::{Map, Value, json};

use super::aggregations::{Aggregation, AggregationKind, Metric, MetricKind, TimeBuckets, kind_name};
use super::calculate::{Calculation, percent_key};
use super::clauses::Translator;
use super::dates::{MS, SearchClock, printed};
use super::names::{all, field_test, nothing};
use super::options::text_of;
use crate::http::answer::Problem;
use crate::http::limits::{COMPOSITE_BUCKETS, COMPOSITE_KEPT};

type ParsedSources<T> = Result<T, Problem>;

#[derive(Clone, Debug)]
pub struct Composite {
    sources: Vec<CompositeSource>,
    size: usize,
    after: Option<Vec<CompositeKey>>,
}

#[derive(Clone, Debug)]
struct CompositeSource {
    name: String,
    /// Nothing where no event has it.
    field: Option<String>,
    values: Values,
    is_ascending: bool,
    has_missing: bool,
}

#[derive(Clone, Debug)]
enum Values {
    Terms,
    Numbers { width: f64 },
    Time(TimeBuckets),
}

/// One value of a combination.
#[derive(Clone, Debug, PartialEq)]
enum CompositeKey {
    Missing,
    Bool(bool),
    /// Times are milliseconds.
    Int(i64),
    Float(f64),
    Text(String),
}

/// A combination with its count and the cells of its metrics.
#[derive(Clone, Debug)]
struct Combination {
    keys: Vec<CompositeKey>,
    count: u64,
    metrics: Vec<Cell>,
}

/// The combinations of the last search, which its other pages take.
#[derive(Debug, Default)]
pub struct Composites(Mutex<Option<(String, Arc<Vec<Combination>>)>>);

fn unsupported(what: &str) -> Problem {
    Problem::parsing(format!("[composite] aggregation does not support {what}"))
}

/// Reads a composite aggregation. `time_buckets` reads the options of a histogram of time.
pub fn parse(
    translator: &Translator<'_>,
    body: &Value,
    time_buckets: impl Fn(&Value) -> ParsedSources<TimeBuckets>,
) -> ParsedSources<Composite> {
    let options =
        body.as_object().ok_or_else(|| Problem::parsing("[composite] aggregation is not an object"))?;
    if let Some(name) = options.keys().find(|name| !["sources", "size", "after"].contains(&name.as_str())) {
        return Err(unsupported(&format!("[{name}]")));
    }
    let size = match options.get("size") {
        None | Some(Value::Null) => 10,
        Some(size) => size
            .as_u64()
            .and_then(|size| usize::try_from(size).ok())
            .filter(|&size| size > 0)
            .ok_or_else(|| Problem::argument("[size] must be greater than 0"))?,
    };
    if size > COMPOSITE_BUCKETS {
        return Err(unsupported(&format!("a [size] beyond {COMPOSITE_BUCKETS}")));
    }
    let list = options.get("sources").and_then(Value::as_array).filter(|list| !list.is_empty());
    let list = list.ok_or_else(|| Problem::argument("Composite [sources] cannot be null or empty"))?;
    translator.count(list.len())?;
    let sources =
        list.iter().map(|one| source(translator, one, &time_buckets)).collect::<ParsedSources<Vec<_>>>()?;
    let mut zones = sources.iter().filter_map(|source| match &source.values {
        Values::Time(time) => Some(&time.zone),
        _ => None,
    });
    if zones.next().is_some_and(|first| zones.any(|other| other != first)) {
        return Err(unsupported("sources of different [time_zone]s"));
    }
    let after = match options.get("after") {
        None | Some(Value::Null) => None,
        Some(after) => Some(sources.iter().map(|source| source.after(after)).collect::<ParsedSources<_>>()?),
    };
    Ok(Composite { sources, size, after })
}

/// `{"name": {"terms": {…}}}`
fn source(
    translator: &Translator<'_>,
    value: &Value,
    time_buckets: &impl Fn(&Value) -> ParsedSources<TimeBuckets>,
) -> ParsedSources<CompositeSource> {
    let one = |value: &Value| -> Option<(String, Value)> {
        let object = value.as_object().filter(|object| object.len() == 1)?;
        object.iter().next().map(|(name, value)| (name.clone(), value.clone()))
    };
    let named = one(value).and_then(|(name, kind)| Some((name, one(&kind)?)));
    let (name, (kind, options)) =
        named.ok_or_else(|| Problem::parsing("a source of [composite] is a name with one kind of values"))?;
    let mut options =
        options.as_object().cloned().ok_or_else(|| Problem::parsing(format!("[{kind}] is not an object")))?;
    let is_ascending = match options.remove("order") {
        None | Some(Value::Null) => true,
        Some(order) => match order.as_str().map(str::to_ascii_lowercase).as_deref() {
            Some("asc") => true,
            Some("desc") => false,
            _ => return Err(unsupported(&format!("the [order] {order}"))),
        },
    };
    let has_missing = options.remove("missing_bucket") == Some(Value::Bool(true));
    let named = text_of(options.get("field"));
    if named.is_empty() {
        return Err(unsupported("a source without [field]"));
    }
    let allowed: &[&str] = match kind.as_str() {
        "terms" => &["field"],
        "histogram" => &["field", "interval"],
        _ => &["field", "fixed_interval", "calendar_interval", "interval", "time_zone", "format"],
    };
    if let Some(name) = options.keys().find(|name| !allowed.contains(&name.as_str())) {
        return Err(unsupported(&format!("[{name}] of [{kind}]")));
    }
    let values = match kind.as_str() {
        "terms" => Values::Terms,
        "histogram" => {
            let width = options.get("interval").and_then(Value::as_f64).filter(|width| *width > 0.0);
            let width = width.ok_or_else(|| Problem::argument("[interval] must be greater than 0"))?;
            Values::Numbers { width }
        }
        "date_histogram" => {
            let time = time_buckets(&Value::Object(options))?;
            if let Interval::Fixed(width) = time.interval
                && time.zone != TimeZone::UTC
                && width != HOUR
                && QUARTER_HOUR % width != 0
            {
                return Err(unsupported("this [fixed_interval] in a [time_zone]"));
            }
            Values::Time(time)
        }
        other => return Err(unsupported(&format!("[{other}] as a source"))),
    };
    Ok(CompositeSource { name, field: translator.field(&named), values, is_ascending, has_missing })
}

const HOUR: i64 = 3_600_000 * MS;
/// Zones differ by multiples of it.
const QUARTER_HOUR: i64 = HOUR / 4;

impl CompositeSource {
    /// Its value of the key that a page begins after.
    fn after(&self, after: &Value) -> ParsedSources<CompositeKey> {
        let wrong = || Problem::argument(format!("[after] has no value for the source [{}]", self.name));
        let value = after.get(&self.name).ok_or_else(wrong)?;
        if let (Values::Time(time), Some(text)) = (&self.values, value.as_str()) {
            let clock = SearchClock { zone: time.zone.clone(), ..SearchClock::new() };
            let period = clock.period(text, time.format.as_deref()).ok_or_else(wrong)?;
            return Ok(CompositeKey::Int(period.from.div_euclid(MS)));
        }
        Ok(match value {
            Value::Null => CompositeKey::Missing,
            Value::Bool(truth) => CompositeKey::Bool(*truth),
            Value::String(text) => CompositeKey::Text(text.clone()),
            Value::Number(number) => number
                .as_i64()
                .map(CompositeKey::Int)
                .or_else(|| number.as_f64().map(CompositeKey::Float))
                .ok_or_else(wrong)?,
            _ => return Err(wrong()),
        })
    }

    fn shown(&self, key: &CompositeKey) -> ParsedSources<Value> {
        Ok(match (key, &self.values) {
            (CompositeKey::Int(ms), Values::Time(TimeBuckets { zone, format: Some(format), .. })) => {
                json!(printed(ms.saturating_mul(MS), zone, Some(format))?)
            }
            (CompositeKey::Missing, _) => Value::Null,
            (CompositeKey::Bool(truth), _) => json!(truth),
            (CompositeKey::Int(number), Values::Numbers { .. }) => json!(*number as f64),
            (CompositeKey::Int(number), _) => json!(number),
            (CompositeKey::Float(number), _) => json!(number),
            (CompositeKey::Text(text), _) => json!(text),
        })
    }

    fn group(&self) -> Option<Group> {
        let field = || expr(ExprKind::Field(self.field.clone().unwrap_or_default()));
        let bin = |quantity: Quantity| {
            ExprKind::Call(Scalars::Bin, vec![field(), expr(ExprKind::Quantity(quantity))])
        };
        self.field.as_ref()?;
        let value = match &self.values {
            Values::Terms => field(),
            Values::Numbers { width } => {
                expr(ExprKind::Call(Scalars::Bin, vec![field(), expr(ExprKind::Float(*width))]))
            }
            Values::Time(time) => expr(match &time.interval {
                Interval::Fixed(HOUR) => {
                    let unit = expr(ExprKind::Text("hour".to_owned()));
                    ExprKind::Call(Scalars::DateTrunc, vec![unit, field()])
                }
                Interval::Fixed(width) => bin(Quantity { number: *width as f64, unit: Unit::Nanosecond }),
                Interval::Calendar(count, unit) => {
                    let unit = match unit {
                        CalendarUnit::Day => Unit::Day,
                        CalendarUnit::Week => Unit::Week,
                        CalendarUnit::Month => Unit::Month,
                        CalendarUnit::Quarter => Unit::Quarter,
                        CalendarUnit::Year => Unit::Year,
                    };
                    bin(Quantity { number: f64::from(*count), unit })
                }
                Interval::Auto(_) => return None,
            }),
        };
        Some(Group { value, name: Some(key_name(&self.name)), span: Span::default() })
    }

    fn compare(&self, one: &CompositeKey, other: &CompositeKey) -> Ordering {
        let by = one.compare(other);
        if self.is_ascending { by } else { by.reverse() }
    }
}

impl CompositeKey {
    fn from_cell(cell: Cell) -> CompositeKey {
        match cell {
            Cell::Bool(truth) => CompositeKey::Bool(truth),
            Cell::Int(number) => CompositeKey::Int(number),
            Cell::Float(number) => CompositeKey::Float(number),
            Cell::Time(at) => CompositeKey::Int(at.div_euclid(MS)),
            Cell::Missing => CompositeKey::Missing,
            other => CompositeKey::Text(other.to_string()),
        }
    }

    fn rank(&self) -> u8 {
        match self {
            CompositeKey::Missing => 0,
            CompositeKey::Bool(_) => 1,
            CompositeKey::Int(_) | CompositeKey::Float(_) => 2,
            CompositeKey::Text(_) => 3,
        }
    }

    fn number(&self) -> f64 {
        match self {
            CompositeKey::Int(number) => *number as f64,
            CompositeKey::Float(number) => *number,
            _ => 0.0,
        }
    }

    /// Missing values come first, then truths, numbers and texts.
    fn compare(&self, other: &CompositeKey) -> Ordering {
        match (self, other) {
            (CompositeKey::Bool(one), CompositeKey::Bool(other)) => one.cmp(other),
            (CompositeKey::Int(one), CompositeKey::Int(other)) => one.cmp(other),
            (CompositeKey::Text(one), CompositeKey::Text(other)) => one.cmp(other),
            (one, other) => one.rank().cmp(&other.rank()).then(one.number().total_cmp(&other.number())),
        }
    }
}

fn expr(kind: ExprKind) -> Expr {
    Expr { kind, span: Span::default() }
}

/// Columns of keys and of metrics have names that no other column has.
fn key_name(source: &str) -> String {
    format!("key {source}")
}

/// The calculations that a metric is made of.
fn functions(metric: &Metric) -> Vec<(Function, Option<f64>)> {
    match &metric.kind {
        _ if metric.field.is_none() => Vec::new(),
        MetricKind::Count => vec![(Function::Count, None)],
        MetricKind::Cardinality => vec![(Function::CountDistinct, None)],
        MetricKind::Stats => [Function::Count, Function::Min, Function::Max, Function::Avg, Function::Sum]
            .map(|function| (function, None))
            .to_vec(),
        MetricKind::Sum => vec![(Function::Sum, None)],
        MetricKind::Avg => vec![(Function::Avg, None)],
        MetricKind::Min => vec![(Function::Min, None)],
        MetricKind::Max => vec![(Function::Max, None)],
        MetricKind::Percentiles { at, .. } => {
            at.iter().map(|&percent| (Function::Percentile, Some(percent))).collect()
        }
    }
}

/// The metric of a combination, from the cells of its calculations.
fn metric_value(metric: &Metric, cells: &[Cell]) -> Value {
    let is_time = metric.field.as_deref() == Some("time");
    let number = |place: usize| match cells.get(place)? {
        Cell::Int(number) => Some(*number as f64),
        Cell::Float(number) => Some(*number),
        Cell::Time(at) => Some(at.div_euclid(MS) as f64),
        _ => None,
    };
    let whole = |place: usize| number(place).unwrap_or(0.0) as u64;
    match &metric.kind {
        MetricKind::Count | MetricKind::Cardinality => json!({"value": whole(0)}),
        MetricKind::Stats => json!({
            "count": whole(0), "min": number(1), "max": number(2), "avg": number(3), "sum": number(4).unwrap_or(0.0),
        }),
        MetricKind::Sum => json!({"value": number(0).unwrap_or(0.0)}),
        MetricKind::Avg | MetricKind::Min | MetricKind::Max => {
            let mut value = json!({"value": number(0)});
            if let (true, Some(Cell::Time(at))) = (is_time, cells.first()) {
                value["value_as_string"] = json!(printed(*at, &TimeZone::UTC, None).unwrap_or_default());
            }
            value
        }
        MetricKind::Percentiles { at, keyed: true } => {
            let values = at.iter().enumerate().map(|(place, &at)| (percent_key(at), json!(number(place))));
            json!({"values": Value::Object(values.collect())})
        }
        MetricKind::Percentiles { at, .. } => {
            let values = at.iter().enumerate().map(|(place, at)| json!({"key": at, "value": number(place)}));
            json!({"values": values.collect::<Vec<_>>()})
        }
    }
}

/// The metrics in a composite; other aggregations in it are refused.
fn metrics(inner: &[Aggregation]) -> ParsedSources<Vec<(&Aggregation, &Metric)>> {
    let each = inner.iter().map(|aggregation| match &aggregation.kind {
        AggregationKind::Metric(metric) => Ok((aggregation, metric)),
        _ => Err(unsupported(&format!("[{}], which is not a metric, in it", aggregation.name))),
    });
    each.collect()
}

impl Composite {
    /// The page that is asked for.
    pub fn page(
        &self,
        calculation: &Calculation<'_>,
        view: &View,
        inner: &[Aggregation],
    ) -> ParsedSources<Value> {
        let metrics = metrics(inner)?;
        let combinations = self.combinations(calculation, view, &metrics)?;
        let first = self.after.as_ref().map_or(0, |after| {
            combinations.partition_point(|combination| self.compare(&combination.keys, after).is_le())
        });
        let page = combinations.iter().skip(first).take(self.size);
        let buckets =
            page.map(|combination| self.bucket(combination, &metrics)).collect::<ParsedSources<Vec<_>>>()?;
        let mut answered = Map::new();
        if let Some(last) = buckets.last() {
            answered.insert("after_key".to_owned(), last["key"].clone());
        }
        answered.insert("buckets".to_owned(), Value::Array(buckets));
        Ok(Value::Object(answered))
    }

    fn bucket(&self, combination: &Combination, metrics: &[(&Aggregation, &Metric)]) -> ParsedSources<Value> {
        let mut key = Map::new();
        for (source, value) in self.sources.iter().zip(&combination.keys) {
            key.insert(source.name.clone(), source.shown(value)?);
        }
        let mut bucket = json!({"key": key, "doc_count": combination.count});
        let mut cells = combination.metrics.as_slice();
        for (aggregation, metric) in metrics {
            let (own, rest) = cells.split_at(functions(metric).len().min(cells.len()));
            cells = rest;
            let mut value = metric_value(metric, own);
            if let Some(meta) = &aggregation.meta {
                value["meta"] = meta.clone();
            }
            bucket[&aggregation.name] = value;
        }
        Ok(bucket)
    }

    fn compare(&self, one: &[CompositeKey], other: &[CompositeKey]) -> Ordering {
        let each = self.sources.iter().zip(one.iter().zip(other));
        each.map(|(source, (one, other))| source.compare(one, other))
            .find(|by| by.is_ne())
            .unwrap_or(Ordering::Equal)
    }

    fn combinations(
        &self,
        calculation: &Calculation<'_>,
        view: &View,
        metrics: &[(&Aggregation, &Metric)],
    ) -> ParsedSources<Arc<Vec<Combination>>> {
        let kinds: Vec<_> = metrics.iter().map(|(_, metric)| (kind_name(&metric.kind), metric)).collect();
        let asked = format!("{} {view:?} {:?} {kinds:?}", calculation.snapshot.revision(), self.sources);
        let kept = || calculation.composites.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, combinations)) = kept().as_ref().filter(|(key, _)| *key == asked) {
            return Ok(Arc::clone(combinations));
        }
        let table = calculation.case.run(
            calculation.snapshot,
            &self.query(view, metrics),
            (view.from, view.to),
            &RunOptions { zone: self.zone(), ..RunOptions::default() },
            &mut |_| {},
            calculation.cancel,
        )?;
        let mut combinations = self.read(&table, metrics);
        combinations.sort_by(|one, other| self.compare(&one.keys, &other.keys));
        let combinations = Arc::new(combinations);
        *kept() = (combinations.len() <= COMPOSITE_KEPT).then(|| (asked, Arc::clone(&combinations)));
        Ok(combinations)
    }

    fn zone(&self) -> TimeZone {
        let mut zones = self.sources.iter().filter_map(|source| match &source.values {
            Values::Time(time) => Some(time.zone.clone()),
            _ => None,
        });
        zones.next().unwrap_or(TimeZone::UTC)
    }

    fn query(&self, view: &View, metrics: &[(&Aggregation, &Metric)]) -> Query {
        let there = self.sources.iter().filter(|source| !source.has_missing).map(|source| {
            let exists = |field: &String| field_test(field, Test::Exists);
            source.field.as_ref().map_or_else(nothing, exists)
        });
        let filter: Vec<Filter> = [view.filter.clone()].into_iter().chain(there).collect();
        let aggregate = |name: String, function, argument, parameter| Aggregate {
            function,
            argument,
            parameter,
            condition: None,
            name: Some(name),
            span: Span::default(),
        };
        let mut aggregates = vec![aggregate(metric_name(0), Function::Count, None, None)];
        for (_, metric) in metrics {
            for (function, parameter) in functions(metric) {
                let field = metric.field.clone().unwrap_or_default();
                let name = metric_name(aggregates.len());
                aggregates.push(aggregate(name, function, Some(expr(ExprKind::Field(field))), parameter));
            }
        }
        let by = self.sources.iter().filter_map(CompositeSource::group).collect();
        Query {
            filter: all(filter),
            stages: vec![Stage { kind: StageKind::Stats { aggregates, by }, span: Span::default() }],
        }
    }

    fn read(&self, table: &Table, metrics: &[(&Aggregation, &Metric)]) -> Vec<Combination> {
        let place = |name: &str| table.names().iter().position(|known| &**known == name);
        let keys: Vec<Option<usize>> =
            self.sources.iter().map(|source| place(&key_name(&source.name))).collect();
        let calculated: usize = metrics.iter().map(|(_, metric)| functions(metric).len()).sum();
        let places: Vec<Option<usize>> = (0..=calculated).map(|number| place(&metric_name(number))).collect();
        let cell = |row: usize, place: &Option<usize>| place.map_or(Cell::Missing, |at| table.cell(row, at));
        let rows = (0..table.rows()).map(|row| {
            let count = match cell(row, &places[0]) {
                Cell::Int(count) => u64::try_from(count).unwrap_or_default(),
                _ => 0,
            };
            Combination {
                keys: keys.iter().map(|place| CompositeKey::from_cell(cell(row, place))).collect(),
                count,
                metrics: places[1..].iter().map(|place| cell(row, place)).collect(),
            }
        });
        let is_whole = |combination: &Combination| {
            let mut keys = self.sources.iter().zip(&combination.keys);
            combination.count > 0
                && keys.all(|(source, key)| source.has_missing || *key != CompositeKey::Missing)
        };
        rows.filter(is_whole).collect()
    }
}

fn metric_name(number: usize) -> String {
    format!("metric {number}")
}
