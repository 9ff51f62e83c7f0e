//! Aggregations as they are asked for, read into a tree.

use indexer::aggregate::{Interval, TimeZone};
use indexer::query::Filter;
use serde_json::{Map, Value};

use super::clauses::{Holds, Translator, between};
use super::composite::{self, Composite};
use super::dates::{calendar_interval, fixed_interval, zone};
use super::names::{all, field_test, nothing};
use super::options::text_of;
use crate::http::answer::Problem;
use crate::http::limits::{SEARCH_DEPTH, TERM_VALUES};
use indexer::query::{Bound, Range, Test};

#[derive(Clone, Debug)]
pub struct Aggregation {
    pub name: String,
    pub kind: AggregationKind,
    pub inner: Vec<Aggregation>,
    pub meta: Option<Value>,
}

#[derive(Clone, Debug)]
pub enum AggregationKind {
    Buckets(Buckets),
    /// Buckets by conditions, each with its key; `one` where there is just one that has none.
    Filters {
        filters: Vec<(String, Filter, Map<String, Value>)>,
        one: bool,
        keyed: bool,
    },
    Composite(Box<Composite>),
    Metric(Metric),
}

#[derive(Clone, Debug)]
pub enum Buckets {
    Time(TimeBuckets),
    Terms(TermBuckets),
    Numbers { field: Option<String>, width: f64, least: u64, keyed: bool },
}

#[derive(Clone, Debug)]
pub struct TimeBuckets {
    pub interval: Interval,
    pub zone: TimeZone,
    pub format: Option<String>,
    pub least: u64,
    pub keyed: bool,
    /// Empty buckets are given from the first of these times to the last.
    pub bounds: Option<(i64, i64)>,
}

#[derive(Clone, Debug)]
pub struct TermBuckets {
    pub field: Option<String>,
    pub size: usize,
    pub least: u64,
    /// The first key decides first; `true` is ascending.
    pub order: Vec<(TermOrder, bool)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TermOrder {
    Count,
    Key,
    /// A metric inside, by its name and, where it has several, that of the value.
    Metric(String, String),
}

#[derive(Clone, Debug)]
pub struct Metric {
    pub kind: MetricKind,
    /// Nothing where no event has it.
    pub field: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum MetricKind {
    Count,
    Cardinality,
    Stats,
    Sum,
    Avg,
    Min,
    Max,
    Percentiles { at: Vec<f64>, keyed: bool },
}

type ParsedAggregation<T> = Result<T, Problem>;

/// Reads `aggs`; nothing there are no aggregations.
pub fn parse(
    translator: &Translator<'_>,
    value: Option<&Value>,
    depth: usize,
) -> ParsedAggregation<Vec<Aggregation>> {
    let Some(value) = value.filter(|value| !value.is_null()) else { return Ok(Vec::new()) };
    if depth > SEARCH_DEPTH {
        return Err(Problem::parsing(format!("aggregations are nested deeper than {SEARCH_DEPTH} levels")));
    }
    let named = value.as_object().ok_or_else(|| Problem::parsing("[aggs] is not an object"))?;
    named.iter().map(|(name, body)| aggregation(translator, name, body, depth)).collect()
}

fn aggregation(
    translator: &Translator<'_>,
    name: &str,
    body: &Value,
    depth: usize,
) -> ParsedAggregation<Aggregation> {
    translator.count(1)?;
    let body =
        body.as_object().ok_or_else(|| Problem::parsing(format!("aggregation [{name}] is not an object")))?;
    let (mut kind, mut inner, mut meta) = (None, Vec::new(), None);
    for (key, value) in body {
        match key.as_str() {
            "aggs" | "aggregations" => inner = parse(translator, Some(value), depth + 1)?,
            "meta" => meta = Some(value.clone()),
            _ if kind.is_some() => {
                return Err(Problem::parsing(format!(
                    "aggregation [{name}] has two types, the second is [{key}]"
                )));
            }
            _ => kind = Some(kind_of(translator, key, value)?),
        }
    }
    let kind = kind.ok_or_else(|| Problem::parsing(format!("aggregation [{name}] has no type")))?;
    if matches!(kind, AggregationKind::Composite(_)) && depth > 0 {
        return Err(Problem::argument(format!("[composite] aggregation [{name}] cannot be in another one")));
    }
    if matches!(kind, AggregationKind::Metric(_)) && !inner.is_empty() {
        return Err(Problem::argument(format!("aggregation [{name}] cannot have aggregations in it")));
    }
    Ok(Aggregation { name: name.to_owned(), kind, inner, meta })
}

fn kind_of(translator: &Translator<'_>, kind: &str, body: &Value) -> ParsedAggregation<AggregationKind> {
    let metric = |kind: MetricKind, allowed: &[&str]| {
        let options = options(kind_name(&kind), body, allowed)?;
        let name = text_of(options.get("field"));
        if name.is_empty() {
            return Err(unsupported(kind_name(&kind), "a calculation without [field]"));
        }
        Ok(AggregationKind::Metric(Metric { kind, field: translator.field(&name) }))
    };
    match kind {
        "date_histogram" => {
            time_buckets(translator, body).map(|buckets| AggregationKind::Buckets(Buckets::Time(buckets)))
        }
        "terms" => {
            term_buckets(translator, body).map(|buckets| AggregationKind::Buckets(Buckets::Terms(buckets)))
        }
        "histogram" => histogram(translator, body).map(AggregationKind::Buckets),
        "range" | "date_range" => ranges(translator, kind, body),
        "filter" => {
            let filter = translator.clause(body, 0)?;
            Ok(AggregationKind::Filters {
                filters: vec![(String::new(), filter, Map::new())],
                one: true,
                keyed: false,
            })
        }
        "filters" => filters(translator, body),
        "composite" => {
            let composite = composite::parse(translator, body, |body| time_buckets(translator, body))?;
            Ok(AggregationKind::Composite(Box::new(composite)))
        }
        "missing" => {
            let options = options(kind, body, &["field"])?;
            let field = translator.field(&text_of(options.get("field")));
            let missing = field
                .map_or(Filter::Everything, |field| Filter::Not(Box::new(field_test(&field, Test::Exists))));
            Ok(AggregationKind::Filters {
                filters: vec![(String::new(), missing, Map::new())],
                one: true,
                keyed: false,
            })
        }
        "value_count" => metric(MetricKind::Count, &["field"]),
        "cardinality" => metric(MetricKind::Cardinality, &["field", "precision_threshold"]),
        "stats" => metric(MetricKind::Stats, &["field"]),
        "sum" => metric(MetricKind::Sum, &["field"]),
        "avg" => metric(MetricKind::Avg, &["field"]),
        "min" => metric(MetricKind::Min, &["field", "format"]),
        "max" => metric(MetricKind::Max, &["field", "format"]),
        "percentiles" => {
            let keyed = body.get("keyed") != Some(&Value::Bool(false));
            let at = match body.get("percents") {
                None | Some(Value::Null) => vec![1.0, 5.0, 25.0, 50.0, 75.0, 95.0, 99.0],
                Some(Value::Array(list)) => {
                    translator.count(list.len())?;
                    list.iter().map(percent).collect::<ParsedAggregation<_>>()?
                }
                Some(one) => vec![percent(one)?],
            };
            metric(
                MetricKind::Percentiles { at, keyed },
                &["field", "percents", "keyed", "tdigest", "hdr", "compression"],
            )
        }
        other => Err(Problem::parsing(format!("[{other}] aggregation is not supported"))),
    }
}

pub fn kind_name(kind: &MetricKind) -> &'static str {
    match kind {
        MetricKind::Count => "value_count",
        MetricKind::Cardinality => "cardinality",
        MetricKind::Stats => "stats",
        MetricKind::Sum => "sum",
        MetricKind::Avg => "avg",
        MetricKind::Min => "min",
        MetricKind::Max => "max",
        MetricKind::Percentiles { .. } => "percentiles",
    }
}

fn percent(value: &Value) -> ParsedAggregation<f64> {
    let number = value.as_f64().or_else(|| value.as_str()?.parse().ok());
    let number = number.filter(|number| (0.0..=100.0).contains(number));
    number
        .ok_or_else(|| Problem::argument(format!("[percentiles] percent must be in [0,100], got [{value}]")))
}

fn unsupported(kind: &str, what: &str) -> Problem {
    Problem::parsing(format!("[{kind}] aggregation does not support {what}"))
}

fn options<'v>(kind: &str, body: &'v Value, allowed: &[&str]) -> ParsedAggregation<&'v Map<String, Value>> {
    let options =
        body.as_object().ok_or_else(|| Problem::parsing(format!("[{kind}] aggregation is not an object")))?;
    match options.iter().find(|(name, value)| !allowed.contains(&name.as_str()) && !value.is_null()) {
        Some((name, _)) => Err(unsupported(kind, &format!("[{name}]"))),
        None => Ok(options),
    }
}

fn time_buckets(translator: &Translator<'_>, body: &Value) -> ParsedAggregation<TimeBuckets> {
    let kind = "date_histogram";
    let allowed = [
        "field",
        "fixed_interval",
        "calendar_interval",
        "interval",
        "time_zone",
        "format",
        "min_doc_count",
        "keyed",
        "extended_bounds",
        "order",
    ];
    let options = options(kind, body, &allowed)?;
    let field = text_of(options.get("field"));
    if translator.field(&field).is_none_or(|field| translator.holds(&field) != Holds::Time) {
        return Err(unsupported(kind, &format!("field [{field}]; only @timestamp holds times")));
    }
    if options.get("order").is_some_and(|order| *order != serde_json::json!({"_key": "asc"})) {
        return Err(unsupported(kind, "[order]"));
    }
    let given = ["fixed_interval", "calendar_interval", "interval"]
        .into_iter()
        .find(|name| options.contains_key(*name));
    let text = text_of(given.and_then(|name| options.get(name)));
    let interval = match given {
        Some("fixed_interval") => fixed_interval(&text).map(Interval::Fixed),
        Some("calendar_interval") => calendar_interval(&text),
        Some(_) => calendar_interval(&text).or_else(|| fixed_interval(&text).map(Interval::Fixed)),
        None => {
            return Err(Problem::argument(
                "[date_histogram] requires [fixed_interval] or [calendar_interval]",
            ));
        }
    };
    let interval = interval.ok_or_else(|| unsupported(kind, &format!("the interval [{text}]")))?;
    let zone = options.get("time_zone").and_then(Value::as_str).map_or(Ok(TimeZone::UTC), zone)?;
    let format = options.get("format").and_then(Value::as_str).map(str::to_owned);
    let mut clock = translator.clock.clone();
    clock.zone = zone.clone();
    let bound = |name: &str| -> ParsedAggregation<Option<i64>> {
        let Some(value) = options
            .get("extended_bounds")
            .and_then(|bounds| bounds.get(name))
            .filter(|value| !value.is_null())
        else {
            return Ok(None);
        };
        // Numbers here are milliseconds, however few digits they have.
        let format = if value.is_number() { Some("epoch_millis") } else { format.as_deref() };
        let text = text_of(Some(value));
        let period = clock.period(&text, format).or_else(|| clock.period(&text, None));
        period
            .map(|period| Some(period.from))
            .ok_or_else(|| Problem::argument(format!("[extended_bounds] has no date [{text}]")))
    };
    let bounds = bound("min")?.zip(bound("max")?);
    Ok(TimeBuckets { interval, zone, format, least: least(options, 0)?, keyed: keyed(options), bounds })
}

fn least(options: &Map<String, Value>, otherwise: u64) -> ParsedAggregation<u64> {
    match options.get("min_doc_count") {
        None | Some(Value::Null) => Ok(otherwise),
        Some(value) => {
            value.as_u64().ok_or_else(|| Problem::argument(format!("[min_doc_count] cannot be [{value}]")))
        }
    }
}

fn keyed(options: &Map<String, Value>) -> bool {
    options.get("keyed") == Some(&Value::Bool(true))
}

fn term_buckets(translator: &Translator<'_>, body: &Value) -> ParsedAggregation<TermBuckets> {
    let allowed = [
        "field",
        "size",
        "order",
        "min_doc_count",
        "shard_size",
        "shard_min_doc_count",
        "show_term_doc_count_error",
        "execution_hint",
        "collect_mode",
    ];
    let options = options("terms", body, &allowed)?;
    let size = match options.get("size") {
        None | Some(Value::Null) => 10,
        Some(size) => size
            .as_u64()
            .or_else(|| size.as_str()?.parse().ok())
            .filter(|&size| size > 0)
            .ok_or_else(|| Problem::argument("[size] must be greater than 0"))?,
    };
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    if size > TERM_VALUES {
        return Err(unsupported("terms", &format!("a [size] beyond {TERM_VALUES}")));
    }
    let order = match options.get("order") {
        None | Some(Value::Null) => vec![(TermOrder::Count, false)],
        Some(Value::Array(list)) => list.iter().map(order).collect::<ParsedAggregation<Vec<_>>>()?.concat(),
        Some(one) => order(one)?,
    };
    let name = text_of(options.get("field"));
    if name.is_empty() {
        return Err(unsupported("terms", "buckets without [field]"));
    }
    Ok(TermBuckets { field: translator.field(&name), size, least: least(options, 1)?.max(1), order })
}

fn order(value: &Value) -> ParsedAggregation<Vec<(TermOrder, bool)>> {
    let keys = value.as_object().ok_or_else(|| unsupported("terms", "this [order]"))?;
    let one = |(name, direction): (&String, &Value)| {
        let ascending = match direction.as_str().map(str::to_ascii_lowercase).as_deref() {
            Some("asc") => true,
            Some("desc") => false,
            _ => return Err(unsupported("terms", "this [order]")),
        };
        let key = match name.as_str() {
            "_count" => TermOrder::Count,
            "_key" | "_term" => TermOrder::Key,
            other => {
                let (metric, value) = other.split_once('.').unwrap_or((other, "value"));
                TermOrder::Metric(metric.to_owned(), value.to_owned())
            }
        };
        Ok((key, ascending))
    };
    keys.iter().map(one).collect()
}

fn histogram(translator: &Translator<'_>, body: &Value) -> ParsedAggregation<Buckets> {
    let options = options("histogram", body, &["field", "interval", "min_doc_count", "keyed"])?;
    let width =
        options.get("interval").and_then(|width| width.as_f64().or_else(|| width.as_str()?.parse().ok()));
    let width = width
        .filter(|width| *width > 0.0)
        .ok_or_else(|| Problem::argument("[interval] must be >0 for histogram aggregation"))?;
    let field = translator.field(&text_of(options.get("field")));
    Ok(Buckets::Numbers { field, width, least: least(options, 0)?, keyed: keyed(options) })
}

fn filters(translator: &Translator<'_>, body: &Value) -> ParsedAggregation<AggregationKind> {
    let options = options("filters", body, &["filters"])?;
    match options.get("filters") {
        Some(Value::Object(named)) => {
            let one = |(name, clause): (&String, &Value)| {
                Ok((name.clone(), translator.clause(clause, 0)?, Map::new()))
            };
            let filters = named.iter().map(one).collect::<ParsedAggregation<_>>()?;
            Ok(AggregationKind::Filters { filters, one: false, keyed: true })
        }
        Some(Value::Array(list)) => {
            let one = |clause: &Value| Ok((String::new(), translator.clause(clause, 0)?, Map::new()));
            Ok(AggregationKind::Filters {
                filters: list.iter().map(one).collect::<ParsedAggregation<_>>()?,
                one: false,
                keyed: false,
            })
        }
        _ => Err(Problem::parsing("[filters] cannot be empty")),
    }
}

fn ranges(translator: &Translator<'_>, kind: &str, body: &Value) -> ParsedAggregation<AggregationKind> {
    let options = options(kind, body, &["field", "ranges", "keyed", "time_zone", "format"])?;
    let field = translator.field(&text_of(options.get("field")));
    let is_time = field.as_deref().is_some_and(|field| translator.holds(field) == Holds::Time);
    let mut clock = translator.clock.clone();
    if let Some(name) = options.get("time_zone").and_then(Value::as_str) {
        clock.zone = zone(name)?;
    }
    let list = options.get("ranges").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    translator.count(list.len())?;
    let mut filters = Vec::new();
    for range in list {
        let given = |name: &str| range.get(name).filter(|end| !end.is_null());
        let (from, to) = (given("from"), given("to"));
        let filter = match &field {
            None => nothing(),
            Some(_) if is_time => {
                let at = |end: Option<&Value>| -> ParsedAggregation<Option<i64>> {
                    let Some(text) = end.map(|end| text_of(Some(end))) else { return Ok(None) };
                    let period = clock.period(&text, None);
                    period
                        .map(|period| Some(period.from))
                        .ok_or_else(|| Problem::argument(format!("[{kind}] has no date [{text}]")))
                };
                between(at(from)?, at(to)?)
            }
            Some(field) => {
                let bound = |end: Option<&Value>, inclusive| {
                    end.map(|end| Bound { value: text_of(Some(end)), inclusive })
                };
                let test = Range { from: bound(from, true), to: bound(to, false) };
                let exists = field_test(field, Test::Exists);
                if from.is_none() && to.is_none() {
                    exists
                } else {
                    all(vec![field_test(field, Test::Range(test))])
                }
            }
        };
        let shown = |end: Option<&Value>| match end {
            None => "*".to_owned(),
            Some(end) => end.as_f64().map_or_else(|| text_of(Some(end)), |number| format!("{number:?}")),
        };
        let key =
            given("key").map_or_else(|| format!("{}-{}", shown(from), shown(to)), |key| text_of(Some(key)));
        let mut ends = Map::new();
        for (name, end) in [("from", from), ("to", to)] {
            if let Some(end) = end {
                ends.insert(name.to_owned(), end.as_f64().map_or_else(|| end.clone(), Value::from));
            }
        }
        filters.push((key, filter, ends));
    }
    Ok(AggregationKind::Filters { filters, one: false, keyed: keyed(options) })
}
