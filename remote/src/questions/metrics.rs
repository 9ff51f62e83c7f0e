//! Calculations over groups: as aggregations, and read out of their answers.

use indexer::query::functions::Aggregation;
use indexer::query::{Aggregate, Filter, Span, Test};
use indexer::{Cell, Result};
use serde_json::{Map, Value, json};

use super::{Question, as_filter, unsupported};
use crate::schema::{Field, MappedKind};

/// What can be calculated at a cluster, for messages.
const SUPPORTED: &str = "these are: count, count_distinct, sum, avg, min, max, range, stddev, variance, median and percentiles, each of a field";

/// What a note says of a figure that is exact where it is calculated here.
pub const ESTIMATED: &str = "is estimated";

/// Estimated percentiles lie between the exact ones that are this much lower and higher, or one value further.
pub const PERCENTILE_ERROR: f64 = 1.0;

/// The share that an estimated number of distinct values may be off.
pub const DISTINCT_ERROR: f64 = 0.05;

/// Percentiles of a field. With twice the usual compression OpenSearch, too, keeps the error of a few values.
pub(crate) fn percentiles(field: &str, percents: &[f64]) -> Value {
    json!({"percentiles": {"field": field, "percents": percents, "tdigest": {"compression": 200}}})
}

/// What a note says of percentiles, and how far they may be off: `p95(took) is`.
pub(crate) fn estimated_percentiles(what: &str) -> String {
    format!("{what} estimated (t-digest), within about {PERCENTILE_ERROR} percentile or one value")
}

/// The same of numbers of distinct values.
pub(crate) fn estimated_distinct(what: &str) -> String {
    format!("{what} estimated (HyperLogLog), within about {} %", DISTINCT_ERROR * 100.0)
}

/// Above this, whole numbers of a cluster are rounded.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// One calculation.
pub struct Metric {
    pub name: String,
    key: String,
    kind: MetricKind,
    /// Whether it is within a filter of its own.
    filtered: bool,
    whole: bool,
    time: bool,
}

enum MetricKind {
    /// The number of documents of the bucket.
    Documents,
    /// A value of `stats`.
    Of(&'static str),
    /// A value of `extended_stats`.
    Extended(&'static str),
    Distinct,
    Percentile,
}

/// The calculation where none is named.
pub fn counting() -> Aggregate {
    Aggregate { name: Some("count".to_owned()), ..Aggregate::counting(Span::default()) }
}

impl Question<'_> {
    /// The calculations, and the aggregations that give them.
    pub fn metrics(&mut self, aggregates: &[Aggregate]) -> Result<(Vec<Metric>, Map<String, Value>)> {
        let mut aggs = Map::new();
        let mut metrics = Vec::new();
        let rows = [counting()];
        let aggregates = if aggregates.is_empty() { &rows } else { aggregates };
        for (place, aggregate) in aggregates.iter().enumerate() {
            let key = format!("m{place}");
            let (metric, calculated, filter) = self.metric(aggregate, &key)?;
            let inner = calculated.map(|calculated| json!({key.as_str(): calculated}));
            match (filter, inner) {
                (Some(filter), None) => {
                    aggs.insert(key, json!({"filter": filter}));
                }
                (Some(filter), Some(inner)) => {
                    aggs.insert(key, json!({"filter": filter, "aggs": inner}));
                }
                (None, Some(inner)) => {
                    aggs.extend(inner.as_object().cloned().unwrap_or_default());
                }
                (None, None) => {}
            }
            metrics.push(metric);
        }
        Ok((metrics, aggs))
    }

    fn metric(&mut self, aggregate: &Aggregate, key: &str) -> Result<(Metric, Option<Value>, Option<Value>)> {
        use Aggregation as A;
        let name = aggregate.column();
        let fail = |message: String| {
            unsupported(message, SUPPORTED).spanning(aggregate.span.start, aggregate.span.end)
        };
        let mut filters = Vec::new();
        if let Some(condition) = &aggregate.condition {
            let Some(filter) = as_filter(condition) else {
                return Err(fail(format!("the condition of `{name}` has no counterpart at a cluster")));
            };
            filters.push(filter);
        }
        let argument = match &aggregate.argument {
            None => None,
            Some(argument) => match argument.as_field() {
                Some(field) => Some(self.field(field)?),
                None => {
                    return Err(fail(format!(
                        "`{name}` calculates on an expression, and clusters on fields"
                    )));
                }
            },
        };
        let number = |field: Option<&Field>| -> Result<(String, MappedKind)> {
            let Some(field) = field else { return Err(fail(format!("`{name}` needs a field"))) };
            let is_calculated = field.kind.is_number()
                || field.kind.is_time() && matches!(aggregate.function, A::Min | A::Max);
            if !is_calculated || !field.aggregatable {
                return Err(fail(format!(
                    "`{}` is {} there, on which `{name}` is not calculated",
                    field.name,
                    field.kind.name()
                )));
            }
            Ok((field.name.clone(), field.kind.clone()))
        };
        let mut is_whole = false;
        let mut is_time = false;
        let (kind, calculated) = match aggregate.function {
            A::Count => {
                if let Some(argument) = aggregate.argument.as_ref().and_then(indexer::query::Expr::as_field) {
                    let test = Test::Exists;
                    filters.push(Filter::Field { field: argument.to_owned(), test, span: Span::default() });
                }
                (MetricKind::Documents, None)
            }
            A::CountDistinct => {
                let field = argument.as_ref().and_then(|field| self.cluster.schema.groupable(field)).cloned();
                let Some(field) = field else {
                    return Err(fail(format!("`{name}` needs a field with whole values")));
                };
                self.note(estimated_distinct(&format!("{name} is")));
                let name = field.name.as_str();
                (
                    MetricKind::Distinct,
                    Some(json!({"cardinality": {"field": name, "precision_threshold": 40_000}})),
                )
            }
            A::Sum | A::Avg | A::Min | A::Max | A::Range => {
                let (field, kind) = number(argument.as_ref())?;
                is_time = kind.is_time();
                is_whole = matches!(kind, MappedKind::Whole(..)) && aggregate.function != A::Avg;
                let of = aggregate.function.name();
                (MetricKind::Of(of), Some(json!({"stats": {"field": field}})))
            }
            A::Stddev | A::Variance => {
                let (field, _) = number(argument.as_ref())?;
                let of = if aggregate.function == A::Stddev {
                    "std_deviation_sampling"
                } else {
                    "variance_sampling"
                };
                (MetricKind::Extended(of), Some(json!({"extended_stats": {"field": field}})))
            }
            function => match function.percentile(aggregate.parameter) {
                Some(percent) => {
                    let (field, _) = number(argument.as_ref())?;
                    self.note(estimated_percentiles(&format!("{name} is")));
                    (MetricKind::Percentile, Some(percentiles(&field, &[percent])))
                }
                None => return Err(fail(format!("`{name}` is not calculated at a cluster"))),
            },
        };
        let filter = match filters.len() {
            0 => None,
            1 => Some(self.condition(&filters[0])?),
            _ => Some(self.condition(&Filter::And(filters))?),
        };
        let metric = Metric {
            name,
            key: key.to_owned(),
            kind,
            filtered: filter.is_some(),
            whole: is_whole,
            time: is_time,
        };
        Ok((metric, calculated, filter))
    }

    /// A field of the language as a field there.
    pub fn field(&self, name: &str) -> Result<Field> {
        let schema = &self.cluster.schema;
        if name == "source" && schema.source.is_none() {
            return Ok(Field::of_indexes());
        }
        let there = match name {
            "time" => Some(schema.time.as_str()),
            "level" => schema.level.as_deref(),
            "source" => schema.source.as_deref(),
            "line" => schema.line.as_deref(),
            _ => None,
        };
        let known = schema.known_fields();
        let ecs = || {
            let mut found = indexer::query::ecs::fields_of(name)
                .filter(|name| known.iter().any(|field| field.name == **name));
            found.next()
        };
        let found = there
            .or_else(|| schema.field(name).map(|_| name))
            .or_else(ecs)
            .and_then(|name| schema.field(name));
        found
            .cloned()
            .ok_or_else(|| {
                let near = indexer::query::nearest(name, known.iter().map(|field| field.name.as_str()));
                let hint = near.map_or_else(
                    || "timberline remote check lists the fields".to_owned(),
                    |near| format!("did you mean `{near}`?"),
                );
                unsupported(format!("no field `{name}`"), &hint)
            })
            .and_then(|field| match &field.nested {
                Some(path) => Err(unsupported(
                    format!("`{name}` is in a list of objects, `{path}`"),
                    "clusters calculate on those only by themselves",
                )),
                None => Ok(field),
            })
    }
}

impl Metric {
    /// Its value in a bucket.
    pub fn value(&self, bucket: &Value) -> Cell {
        let bucket = if self.filtered { &bucket[self.key.as_str()] } else { bucket };
        let calculated = &bucket[self.key.as_str()];
        let number = |value: &Value| value.as_f64().filter(|number| number.is_finite());
        match &self.kind {
            MetricKind::Documents => Cell::Int(bucket["doc_count"].as_i64().unwrap_or(0)),
            MetricKind::Distinct => Cell::Int(calculated["value"].as_i64().unwrap_or(0)),
            MetricKind::Of(_) | MetricKind::Extended(_) if calculated["count"].as_u64().unwrap_or(0) == 0 => {
                Cell::Missing
            }
            MetricKind::Of("range") => {
                let ends = number(&calculated["max"]).zip(number(&calculated["min"]));
                ends.map_or(Cell::Missing, |(most, least)| self.cell(most - least))
            }
            MetricKind::Of(key) => number(&calculated[*key]).map_or(Cell::Missing, |value| self.cell(value)),
            MetricKind::Extended(key) => number(&calculated[*key]).map_or(Cell::Missing, Cell::float),
            MetricKind::Percentile => {
                // One percentile, by whatever text it is called.
                let values = calculated["values"].as_object();
                let value =
                    values.and_then(|values| values.iter().find(|(key, _)| !key.ends_with("_as_string")));
                value.and_then(|(_, value)| number(value)).map_or(Cell::Missing, Cell::float)
            }
        }
    }

    fn cell(&self, value: f64) -> Cell {
        if self.time {
            return Cell::Time((value as i64).saturating_mul(1_000_000));
        }
        if self.whole && value.fract() == 0.0 && value.abs() < EXACT {
            Cell::Int(value as i64)
        } else {
            Cell::float(value)
        }
    }

    /// The value of a group without rows.
    pub fn empty(&self) -> Cell {
        match self.kind {
            MetricKind::Documents | MetricKind::Distinct => Cell::Int(0),
            _ => Cell::Missing,
        }
    }
}
