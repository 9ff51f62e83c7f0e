//! Aggregations, calculated. Every bucket aggregation is one request to the engine, whose axes are the bucket
//! aggregations around it and itself; the metrics in it are measured in the same pass.

use std::cell::Cell;
use std::cmp::Ordering;
use std::collections::HashMap;

use indexer::aggregate::{Answer, Axis, Bins, By, Measure, Request, TermOrder as EngineOrder};
use indexer::query::{Filter, Test};
use indexer::{Cancel, Case, ErrorKind, Scalar, Snapshot, View};
use serde_json::{Map, Value, json};

use super::aggregations::{
    Aggregation, AggregationKind, Buckets, Metric, MetricKind, TermBuckets, TermOrder,
};
use super::composite::Composites;
use super::dates::{MS, printed};
use super::names::{all, field_test};
use super::time_buckets::{time_filled, too_many_buckets};
use crate::http::answer::Problem;
use crate::http::limits::{SEARCH_BUCKETS, SEARCH_CLAUSES, TERM_VALUES};

/// What aggregations are calculated over.
#[derive(Clone, Copy)]
pub struct Calculation<'a> {
    pub case: &'a Case,
    pub snapshot: &'a Snapshot,
    pub composites: &'a Composites,
    /// Buckets that were made, in all aggregations of the search.
    pub buckets: &'a Cell<usize>,
    pub cancel: &'a Cancel,
}

type Calculated<T> = Result<T, Problem>;

/// A bucket's key on one axis, comparable between requests.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum AxisKey {
    /// Where a bucket of time begins.
    Time(i64),
    /// The bits of where a bucket of numbers begins.
    Number(u64),
    Term(String),
}

/// An answer of the engine whose cells are found by their keys.
struct Cube {
    axes: Vec<HashMap<AxisKey, usize>>,
    places: Vec<usize>,
    answer: Answer,
}

/// A bucket aggregation around others, for the requests of those.
struct Level<'a> {
    buckets: &'a Buckets,
    key: AxisKey,
}

impl Calculation<'_> {
    /// The `aggregations` of an answer, of the events in view.
    pub fn all(&self, view: &View, aggregations: &[Aggregation]) -> Calculated<Map<String, Value>> {
        if conditions(aggregations) > SEARCH_CLAUSES {
            let reason = format!("the conditions in one another make more than {SEARCH_CLAUSES} buckets");
            return Err(too_many_buckets(reason));
        }
        self.level(view, &mut Vec::new(), aggregations, &mut HashMap::new())
    }

    /// The content of one bucket: its aggregations, at the keys of the buckets around. `cubes` holds the
    /// answers for all buckets of a level, by the place of the aggregation in the tree.
    fn level<'a>(
        &self,
        view: &View,
        around: &mut Vec<Level<'a>>,
        aggregations: &'a [Aggregation],
        cubes: &mut HashMap<String, Cube>,
    ) -> Calculated<Map<String, Value>> {
        let mut answered = Map::new();
        for aggregation in aggregations {
            let mut value = match &aggregation.kind {
                AggregationKind::Metric(metric) => {
                    let path = path_of(around, aggregation);
                    if !cubes.contains_key(&path) {
                        cubes.insert(path.clone(), self.metric_cube(view, around, metric)?);
                    }
                    cubes[&path].metric(metric, around.iter().map(|level| &level.key))
                }
                AggregationKind::Composite(composite) => composite.page(self, view, &aggregation.inner)?,
                AggregationKind::Buckets(buckets) => {
                    self.buckets(view, around, aggregation, buckets, cubes)?
                }
                AggregationKind::Filters { filters, one, keyed } => {
                    let mut listed = Vec::new();
                    for (number, (key, filter, ends)) in filters.iter().enumerate() {
                        let path = format!("{}/{number}", path_of(around, aggregation));
                        listed.push((
                            key,
                            ends,
                            self.filtered(view, around, (&path, filter), &aggregation.inner, cubes)?,
                        ));
                    }
                    in_filters(listed, *one, *keyed)
                }
            };
            if let Some(meta) = &aggregation.meta {
                value["meta"] = meta.clone();
            }
            answered.insert(aggregation.name.clone(), value);
        }
        Ok(answered)
    }

    /// Counts a bucket before it is calculated.
    fn count_bucket(&self) -> Calculated<()> {
        if self.cancel.is_set() {
            return Err(Problem::cancelled());
        }
        self.buckets.set(self.buckets.get() + 1);
        if self.buckets.get() > SEARCH_BUCKETS {
            return Err(too_many_buckets(format!("the search makes more than {SEARCH_BUCKETS} buckets")));
        }
        Ok(())
    }

    /// The bucket of a condition. What is in it is calculated over fewer events, so it has answers of its own, which
    /// all buckets around share.
    fn filtered<'a>(
        &self,
        view: &View,
        around: &mut Vec<Level<'a>>,
        (path, filter): (&str, &Filter),
        inner: &'a [Aggregation],
        cubes: &mut HashMap<String, Cube>,
    ) -> Calculated<Map<String, Value>> {
        self.count_bucket()?;
        let view = View { filter: all(vec![view.filter.clone(), filter.clone()]), ..view.clone() };
        if !cubes.contains_key(path) {
            cubes.insert(path.to_owned(), self.cube(&view, around.iter().map(|level| level.buckets), &[])?);
        }
        let count = cubes[path].count(around.iter().map(|level| &level.key));
        let mut bucket = Map::new();
        bucket.insert("doc_count".to_owned(), json!(count));
        let mut own: HashMap<String, Cube> = HashMap::new();
        let prefix = format!("{path}:");
        let names: Vec<String> = cubes.keys().filter(|name| name.starts_with(&prefix)).cloned().collect();
        for name in names {
            if let Some(cube) = cubes.remove(&name) {
                own.insert(name[prefix.len()..].to_owned(), cube);
            }
        }
        bucket.extend(self.level(&view, around, inner, &mut own)?);
        cubes.extend(own.into_iter().map(|(name, cube)| (format!("{prefix}{name}"), cube)));
        Ok(bucket)
    }

    fn buckets<'a>(
        &self,
        view: &View,
        around: &mut Vec<Level<'a>>,
        aggregation: &'a Aggregation,
        buckets: &'a Buckets,
        cubes: &mut HashMap<String, Cube>,
    ) -> Calculated<Value> {
        match buckets {
            Buckets::Terms(TermBuckets { field: None, .. }) => {
                return Ok(
                    json!({"doc_count_error_upper_bound": 0, "sum_other_doc_count": 0, "buckets": []}),
                );
            }
            Buckets::Numbers { field: None, keyed, .. } => return Ok(in_buckets(Vec::new(), *keyed)),
            _ => {}
        }
        let path = path_of(around, aggregation);
        if !cubes.contains_key(&path) {
            let by = around.iter().map(|level| level.buckets).chain([buckets]);
            cubes.insert(path.clone(), self.cube(view, by, &[])?);
        }
        let keys: Vec<AxisKey> = around.iter().map(|level| level.key.clone()).collect();
        match buckets {
            Buckets::Time(time) => {
                let counts = cubes[&path].counts_within(&keys);
                let counts = counts.into_iter().filter_map(|(key, count)| match key {
                    AxisKey::Time(at) => Some((at, count)),
                    _ => None,
                });
                let mut listed = Vec::new();
                for (at, count) in time_filled(counts.collect(), time)? {
                    let text = printed(at, &time.zone, time.format.as_deref())?;
                    let mut bucket = Map::new();
                    bucket.insert("key_as_string".to_owned(), json!(text));
                    bucket.insert("key".to_owned(), json!(at.div_euclid(MS)));
                    bucket.insert("doc_count".to_owned(), json!(count));
                    self.inside(view, around, aggregation, (buckets, AxisKey::Time(at)), cubes, &mut bucket)?;
                    listed.push((text, bucket));
                }
                Ok(in_buckets(listed, time.keyed))
            }
            Buckets::Numbers { width, least, keyed, .. } => {
                let counts = cubes[&path].counts_within(&keys);
                let first = counts.iter().position(|(_, count)| *count > 0).unwrap_or(counts.len());
                let end = counts.iter().rposition(|(_, count)| *count > 0).map_or(first, |last| last + 1);
                let mut listed = Vec::new();
                for (key, count) in counts[first..end].iter().filter(|(_, count)| count >= least) {
                    let AxisKey::Number(bits) = key else { continue };
                    // The edge without what floats lose.
                    let edge = (f64::from_bits(*bits) / width).round() * width;
                    let mut bucket = Map::new();
                    bucket.insert("key".to_owned(), json!(edge));
                    bucket.insert("doc_count".to_owned(), json!(count));
                    self.inside(view, around, aggregation, (buckets, key.clone()), cubes, &mut bucket)?;
                    listed.push((format!("{edge:?}"), bucket));
                }
                Ok(in_buckets(listed, *keyed))
            }
            Buckets::Terms(terms) => {
                self.terms(view, around, (aggregation, buckets, terms), (&path, &keys), cubes)
            }
        }
    }

    fn terms<'a>(
        &self,
        view: &View,
        around: &mut Vec<Level<'a>>,
        (aggregation, buckets, terms): (&'a Aggregation, &'a Buckets, &'a TermBuckets),
        (path, keys): (&str, &[AxisKey]),
        cubes: &mut HashMap<String, Cube>,
    ) -> Calculated<Value> {
        let cube = &cubes[path];
        let (mut found, rest) = cube.terms_within(keys);
        found.retain(|(_, count)| *count >= terms.least);
        let by_metric: Vec<&Aggregation> = terms
            .order
            .iter()
            .filter_map(|(order, _)| match order {
                TermOrder::Metric(name, _) => aggregation.inner.iter().find(|inner| inner.name == *name),
                _ => None,
            })
            .collect();
        let named = terms.order.iter().filter(|(order, _)| matches!(order, TermOrder::Metric(..))).count();
        if by_metric.len() != named
            || by_metric.iter().any(|inner| !matches!(inner.kind, AggregationKind::Metric(_)))
        {
            return Err(Problem::argument("[terms] is ordered by an aggregation that is not a metric in it"));
        }
        let all: u64 = found.iter().map(|(_, count)| count).sum::<u64>() + rest;
        let mut ordered: Vec<(Scalar, u64, Vec<Option<f64>>)> = Vec::with_capacity(found.len());
        for (value, count) in found {
            let key = key_of(&value);
            let mut metrics = Vec::new();
            for inner in &by_metric {
                around.push(Level { buckets, key: key.clone() });
                let answered = self.level(view, around, std::slice::from_ref(*inner), cubes);
                around.pop();
                metrics.push(answered?.remove(&inner.name).unwrap_or_default());
            }
            let mut metrics = metrics.into_iter();
            let sort = terms.order.iter().map(|(order, _)| match order {
                TermOrder::Metric(_, part) => number_in(&metrics.next().unwrap_or_default(), part),
                _ => None,
            });
            let sort = sort.collect();
            ordered.push((value, count, sort));
        }
        ordered.sort_by(|one, other| compared(one, other, &terms.order));
        ordered.truncate(terms.size);
        let shown: u64 = ordered.iter().map(|(_, count, _)| count).sum();
        let mut listed = Vec::new();
        for (value, count, _) in ordered {
            let mut bucket = Map::new();
            let (shown, text) = shown_key(&value);
            bucket.insert("key".to_owned(), shown);
            bucket.extend(text.map(|text| ("key_as_string".to_owned(), json!(text))));
            bucket.insert("doc_count".to_owned(), json!(count));
            self.inside(view, around, aggregation, (buckets, key_of(&value)), cubes, &mut bucket)?;
            listed.push(Value::Object(bucket));
        }
        // The most frequent values of all are known; in a bucket another one may be more frequent than some.
        let error = if around.is_empty() && terms.order == [(TermOrder::Count, false)] { 0 } else { rest };
        Ok(json!({
            "doc_count_error_upper_bound": error,
            "sum_other_doc_count": all - shown,
            "buckets": listed,
        }))
    }

    fn inside<'a>(
        &self,
        view: &View,
        around: &mut Vec<Level<'a>>,
        aggregation: &'a Aggregation,
        (buckets, key): (&'a Buckets, AxisKey),
        cubes: &mut HashMap<String, Cube>,
        bucket: &mut Map<String, Value>,
    ) -> Calculated<()> {
        self.count_bucket()?;
        around.push(Level { buckets, key });
        let answered = self.level(view, around, &aggregation.inner, cubes);
        around.pop();
        bucket.extend(answered?);
        Ok(())
    }

    fn metric_cube(&self, view: &View, around: &[Level<'_>], metric: &Metric) -> Calculated<Cube> {
        let by = around.iter().map(|level| level.buckets);
        let Some(field) = metric.field.clone() else { return self.cube(view, by, &[]) };
        let measure = match &metric.kind {
            MetricKind::Count => {
                let there = field_test(&field, Test::Exists);
                let view = View { filter: all(vec![view.filter.clone(), there]), ..view.clone() };
                return self.cube(&view, by, &[]);
            }
            MetricKind::Cardinality => Measure::Distinct { field },
            MetricKind::Percentiles { at, .. } => Measure::Percentiles { field, at: at.clone() },
            _ => Measure::Stats { field },
        };
        self.cube(view, by, &[measure])
    }

    fn cube<'b>(
        &self,
        view: &View,
        by: impl Iterator<Item = &'b Buckets>,
        measures: &[Measure],
    ) -> Calculated<Cube> {
        let levels: Vec<&Buckets> = by.collect();
        // Inside of other buckets more values are counted than are wanted, and fewer where that is too much.
        let mut values = TERM_VALUES;
        loop {
            let by: Vec<By> =
                levels.iter().enumerate().map(|(depth, level)| axis_of(level, depth, values)).collect();
            let request = Request { by, measures: measures.to_vec() };
            match self.case.aggregate(self.snapshot, view, &request, &mut |_, _| {}, self.cancel) {
                Ok(answer) => return Ok(Cube::new(answer)),
                Err(error) if error.kind() == ErrorKind::Limit && values > 10 => values /= 10,
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// Buckets of conditions. Each condition takes a look at the case.
fn conditions(aggregations: &[Aggregation]) -> usize {
    let each = |aggregation: &Aggregation| {
        let inner = conditions(&aggregation.inner);
        match &aggregation.kind {
            AggregationKind::Filters { filters, .. } => filters.len().saturating_mul(inner.saturating_add(1)),
            _ => inner,
        }
    };
    aggregations.iter().map(each).fold(0, usize::saturating_add)
}

/// The place of an aggregation in the tree, whatever the keys of the buckets around.
fn path_of(around: &[Level<'_>], aggregation: &Aggregation) -> String {
    format!("{}>{:p}", around.len(), aggregation)
}

fn axis_of(buckets: &Buckets, depth: usize, values: usize) -> By {
    match buckets {
        Buckets::Time(time) => By::Time { interval: time.interval.clone(), zone: time.zone.clone() },
        Buckets::Terms(terms) => {
            let exact = depth == 0 && terms.order == [(TermOrder::Count, false)];
            let top = if exact { terms.size } else { values.max(terms.size) };
            By::Terms { field: terms.field.clone().unwrap_or_default(), top, order: EngineOrder::Most }
        }
        Buckets::Numbers { field, width, .. } => {
            By::Bins { field: field.clone().unwrap_or_default(), bins: Bins::Width { width: *width } }
        }
    }
}

fn key_of(value: &Scalar) -> AxisKey {
    AxisKey::Term(format!("{:?} {value}", value.kind()))
}

/// A value as the key of a bucket; truths are numbers with a text.
fn shown_key(value: &Scalar) -> (Value, Option<String>) {
    match value {
        Scalar::Text(text) => (json!(text), None),
        Scalar::Int(number) => (json!(number), None),
        Scalar::Float(number) => (json!(number), None),
        Scalar::Bool(truth) => (json!(u8::from(*truth)), Some(truth.to_string())),
        Scalar::Time(at) => (json!(at.div_euclid(MS)), None),
    }
}

fn compared(
    one: &(Scalar, u64, Vec<Option<f64>>),
    other: &(Scalar, u64, Vec<Option<f64>>),
    order: &[(TermOrder, bool)],
) -> Ordering {
    let keys = || match (one.0.number(), other.0.number()) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        _ => one.0.to_string().cmp(&other.0.to_string()),
    };
    for (place, (key, ascending)) in order.iter().enumerate() {
        let by = match key {
            TermOrder::Count => one.1.cmp(&other.1),
            TermOrder::Key => keys(),
            TermOrder::Metric(..) => match (one.2[place], other.2[place]) {
                (Some(a), Some(b)) => a.total_cmp(&b),
                // Buckets without a value are last.
                (None, Some(_)) if *ascending => Ordering::Greater,
                (None, Some(_)) => Ordering::Less,
                (Some(_), None) if *ascending => Ordering::Less,
                (Some(_), None) => Ordering::Greater,
                (None, None) => Ordering::Equal,
            },
        };
        let by = if *ascending { by } else { by.reverse() };
        if by.is_ne() {
            return by;
        }
    }
    keys()
}

fn number_in(metric: &Value, part: &str) -> Option<f64> {
    metric.get(part).and_then(Value::as_f64).or_else(|| {
        let number: f64 = part.parse().ok()?;
        metric.get("values")?.get(percent_key(number))?.as_f64()
    })
}

pub fn percent_key(percent: f64) -> String {
    format!("{percent:?}")
}

fn in_buckets(listed: Vec<(String, Map<String, Value>)>, keyed: bool) -> Value {
    if keyed {
        let entries = listed.into_iter().map(|(key, bucket)| (key, Value::Object(bucket)));
        return json!({"buckets": Value::Object(entries.collect())});
    }
    json!({"buckets": listed.into_iter().map(|(_, bucket)| Value::Object(bucket)).collect::<Vec<_>>()})
}

/// A bucket of a condition: its key, the ends of its range, and what is in it.
type Condition<'a> = (&'a String, &'a Map<String, Value>, Map<String, Value>);

fn in_filters(listed: Vec<Condition<'_>>, one: bool, keyed: bool) -> Value {
    let mut buckets = Vec::new();
    for (key, ends, mut bucket) in listed {
        bucket.extend(ends.clone());
        if !keyed && !key.is_empty() {
            bucket.insert("key".to_owned(), json!(key));
        }
        if one {
            return Value::Object(bucket);
        }
        buckets.push((key.clone(), bucket));
    }
    in_buckets(buckets, keyed)
}

impl Cube {
    fn new(answer: Answer) -> Cube {
        let keys = answer.axes.iter().map(|axis| {
            let keys: Vec<AxisKey> = match axis {
                Axis::Time { edges } => edges.iter().map(|&edge| AxisKey::Time(edge)).collect(),
                Axis::Terms { values, .. } => values.iter().map(key_of).collect(),
                Axis::Bins { edges, .. } => {
                    edges.iter().map(|edge| AxisKey::Number(edge.to_bits())).collect()
                }
            };
            keys.into_iter().take(axis.places()).zip(0..).collect()
        });
        let axes = keys.collect();
        let places = answer.axes.iter().map(Axis::places).collect();
        Cube { axes, places, answer }
    }

    /// The first cell at these keys, and how many cells belong to them.
    fn at<'k>(&self, keys: impl Iterator<Item = &'k AxisKey>) -> Option<(usize, usize)> {
        let (mut cell, mut cells) = (0, self.places.iter().product::<usize>());
        for (key, (axis, places)) in keys.zip(self.axes.iter().zip(&self.places)) {
            cells /= (*places).max(1);
            cell += axis.get(key)? * cells;
        }
        Some((cell, cells))
    }

    fn count<'k>(&self, keys: impl Iterator<Item = &'k AxisKey>) -> u64 {
        let cells = self.at(keys).and_then(|(first, cells)| self.answer.counts.get(first..first + cells));
        cells.map_or(0, |cells| cells.iter().sum())
    }

    /// The counts along the last axis, at the keys of the others.
    fn counts_within(&self, keys: &[AxisKey]) -> Vec<(AxisKey, u64)> {
        let Some(axis) = self.axes.last() else { return Vec::new() };
        let first = self.at(keys.iter()).map(|(first, _)| first);
        let mut counts: Vec<(usize, AxisKey, u64)> = axis
            .iter()
            .map(|(key, &place)| {
                (place, key.clone(), first.map_or(0, |first| self.answer.counts[first + place]))
            })
            .collect();
        counts.sort_unstable_by_key(|(place, ..)| *place);
        counts.into_iter().map(|(_, key, count)| (key, count)).collect()
    }

    /// The values along the last axis with their counts, and the count of all other values.
    fn terms_within(&self, keys: &[AxisKey]) -> (Vec<(Scalar, u64)>, u64) {
        let Some(Axis::Terms { values, .. }) = self.answer.axes.last() else { return (Vec::new(), 0) };
        let Some((first, _)) = self.at(keys.iter()) else { return (Vec::new(), 0) };
        let counts = &self.answer.counts[first..];
        let found = values.iter().cloned().zip(counts.iter().copied()).collect();
        (found, counts.get(values.len()).copied().unwrap_or(0))
    }

    fn metric<'k>(&self, metric: &Metric, keys: impl Iterator<Item = &'k AxisKey>) -> Value {
        let keys: Vec<&AxisKey> = keys.collect();
        let is_time = metric.field.as_deref() == Some("time");
        let cell = self.at(keys.iter().copied()).map(|(cell, _)| cell);
        // Times are milliseconds in Elasticsearch; as floats they would lose theirs.
        let value_at = |place: usize| {
            let measured = self.answer.measured.get(place)?;
            match measured.values.get(cell?)?.as_ref()? {
                Scalar::Int(at) | Scalar::Time(at) if is_time && place > 0 => Some(at.div_euclid(MS) as f64),
                Scalar::Float(at) if is_time => Some((at / MS as f64).floor()),
                value => value.number(),
            }
        };
        let single = |number: Option<f64>| {
            let mut value = json!({"value": number});
            if let Some(number) = number.filter(|_| is_time) {
                value["value_as_string"] = json!(
                    printed(number as i64 * MS, &indexer::aggregate::TimeZone::UTC, None).unwrap_or_default()
                );
            }
            value
        };
        match &metric.kind {
            MetricKind::Count => {
                let count = if metric.field.is_some() { self.count(keys.into_iter()) } else { 0 };
                json!({"value": count})
            }
            MetricKind::Cardinality => json!({"value": value_at(0).unwrap_or(0.0) as u64}),
            // In the order of the engine: count, sum, avg, min, max, stddev.
            MetricKind::Stats => json!({
                "count": value_at(0).unwrap_or(0.0) as u64,
                "min": value_at(3),
                "max": value_at(4),
                "avg": value_at(2),
                "sum": value_at(1).unwrap_or(0.0),
            }),
            MetricKind::Sum => json!({"value": value_at(1).unwrap_or(0.0)}),
            MetricKind::Avg => single(value_at(2)),
            MetricKind::Min => single(value_at(3)),
            MetricKind::Max => single(value_at(4)),
            MetricKind::Percentiles { at, keyed } => {
                let found = at.iter().enumerate().map(|(place, &percent)| (percent, value_at(place)));
                if *keyed {
                    let values = found.map(|(percent, value)| (percent_key(percent), json!(value)));
                    json!({"values": Value::Object(values.collect())})
                } else {
                    json!({"values": found.map(|(percent, value)| json!({"key": percent, "value": value})).collect::<Vec<_>>()})
                }
            }
        }
    }
}
