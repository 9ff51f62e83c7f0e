//! Counts and measures of several groups at once, as charts ask for them.
//!
//! Which bins and values there are is decided first; then one request counts all combinations.

use indexer::aggregate::{
    Answer as Cube, Axis, By, Extent, Measure, Measured, Request, TermOrder, bin_edges, time_edges,
};
use indexer::{Error, ErrorKind, Result, Scalar};
use serde_json::{Map, Value, json};

use super::bins::{TimeBins, keyed, number_ranges};
use crate::cluster::{Asked, Cluster};
use crate::json;
use crate::limits::BUCKETS;
use crate::questions::timechart::term;
use crate::questions::{
    Answer, Question, estimated_distinct, estimated_percentiles, percentiles, total, unsupported,
};
use crate::schema::{Field, MappedKind};

/// Values that one group lists.
const MOST_VALUES: usize = 1_000;

/// A group whose places are known.
struct Group {
    axis: Axis,
    request: Value,
    /// Bins of time are read by their keys, all others by their names.
    bins: Option<TimeBins>,
}

impl Group {
    fn places<'v>(&self, found: &'v Value) -> Result<Vec<(usize, &'v Value)>> {
        match &self.bins {
            Some(bins) => bins.places(found),
            None => keyed(found, self.axis.places()),
        }
    }
}

/// The figures of all cells, for one measure.
struct Figures<'r> {
    measure: &'r Measure,
    /// What it is measured of there.
    field: Option<Field>,
    measured: Vec<Measured>,
}

impl Cluster {
    /// Counts matching events in groups. Times are those of the data, or of the part that is asked for.
    pub fn aggregate(
        &self,
        asked: &Asked,
        request: &Request,
        data: Option<(i64, i64)>,
    ) -> Result<Answer<Cube>> {
        let mut question = Question::new(self, asked)?;
        let times = data.map(|(first, last)| {
            (asked.from.unwrap_or(first).max(first), asked.to.map_or(last, |to| (to - 1).min(last)))
        });
        let times = times.filter(|(first, last)| first <= last);
        let groups = request.by.iter().map(|by| question.group(by, times)).collect::<Result<Vec<_>>>()?;
        let cells = groups.iter().try_fold(1_usize, |cells, group| cells.checked_mul(group.axis.places()));
        let cells = cells.filter(|cells| *cells <= BUCKETS).ok_or_else(|| {
            Error::new(ErrorKind::Limit, format!("the chart would have more than {BUCKETS} values"))
                .hint("take wider bins or fewer values")
        })?;
        let mut leaf = Map::new();
        let mut aggs = Map::new();
        let mut fields = Vec::new();
        for (at, measure) in request.measures.iter().enumerate() {
            fields.push(question.measure(measure, at, &mut leaf, &mut aggs)?);
        }
        let mut inner = leaf;
        for (at, group) in groups.iter().enumerate().rev() {
            let mut request = group.request.clone();
            if !inner.is_empty() {
                request["aggs"] = Value::Object(inner);
            }
            inner = Map::from_iter([(format!("a{at}"), request)]);
        }
        aggs.extend(inner);
        aggs.insert("there".to_owned(), json!({"filter": {"exists": {"field": self.schema.time}}}));
        let answer = question.aggregate(&Value::Object(aggs))?;
        let all = total(&answer)?;
        let found = &answer["aggregations"];
        let is_timed = request.by.iter().any(|by| matches!(by, By::Time { .. }));
        let with_time = found["there"]["doc_count"].as_u64().unwrap_or(all);
        let mut cube = Cube {
            counts: vec![0; cells],
            measured: Vec::new(),
            total: all,
            untimed: if is_timed { all.saturating_sub(with_time) } else { 0 },
            axes: Vec::new(),
        };
        let mut figures: Vec<Figures<'_>> = request
            .measures
            .iter()
            .zip(fields)
            .map(|(measure, field)| Figures::new(measure, field, cells))
            .collect();
        // Without groups the calculations are those of all events.
        let mut whole = found.clone();
        if groups.is_empty() && whole.is_object() {
            whole["doc_count"] = all.into();
        }
        fill(&groups, 0, 0, &whole, &mut cube, &mut figures)?;
        cube.axes = groups.into_iter().map(|group| group.axis).collect();
        for (at, mut figure) in figures.into_iter().enumerate() {
            figure.rates(&cube, times);
            let there = found[format!("w{at}")]["doc_count"].as_u64();
            let missing = there.map_or(0, |there| all.saturating_sub(there));
            figure.measured.iter_mut().for_each(|measured| measured.missing = missing);
            cube.measured.extend(figure.measured);
        }
        Ok(question.answer(cube))
    }
}

fn fill(
    groups: &[Group],
    depth: usize,
    before: usize,
    found: &Value,
    cube: &mut Cube,
    figures: &mut [Figures<'_>],
) -> Result<()> {
    let Some(group) = groups.get(depth) else {
        if let Some(cell) = cube.counts.get_mut(before) {
            *cell = json::count(found, &["doc_count"])?;
        }
        for (at, figure) in figures.iter_mut().enumerate() {
            figure.read(&found[format!("m{at}")], before);
        }
        return Ok(());
    };
    if group.axis.places() == 0 {
        return Ok(());
    }
    for (place, bucket) in group.places(&found[format!("a{depth}")])? {
        fill(groups, depth + 1, before * group.axis.places() + place, bucket, cube, figures)?;
    }
    Ok(())
}

impl Question<'_> {
    fn group(&mut self, by: &By, times: Option<(i64, i64)>) -> Result<Group> {
        match by {
            By::Time { interval, zone } => {
                let edges = match times {
                    Some((first, last)) => time_edges(first, last, interval, zone)?,
                    None => Vec::new(),
                };
                let bins = TimeBins::new(&edges)?;
                let request = bins.request(&self.cluster.schema.time);
                Ok(Group { axis: Axis::Time { edges }, request, bins: Some(bins) })
            }
            By::Terms { field, top, order } => self.values_of(field, *top, *order),
            By::Bins { field: name, bins } => {
                let field = self.number(name)?;
                let there = json!({"exists": {"field": field.name}});
                let positive = json!({"range": {&field.name: {"gt": 0}}});
                let least = json!({"least": {"min": {"field": field.name}}});
                let answer = self.aggregate(&json!({
                    "ends": {"stats": {"field": field.name}},
                    "positive": {"filter": positive, "aggs": least},
                    "there": {"filter": there},
                }))?;
                let found = &answer["aggregations"];
                let of = |value: &Value| value.as_f64().filter(|number| number.is_finite());
                let numbers = json::count(&found["there"], &["doc_count"])?;
                let ends = of(&found["ends"]["min"]).zip(of(&found["ends"]["max"]));
                let extent = Extent {
                    // Without any number the servers answer with infinities or nulls.
                    ends: ends.filter(|_| found["ends"]["count"].as_u64().unwrap_or(0) > 0),
                    positive: of(&found["positive"]["least"]["value"]),
                    numbers,
                    missing: total(&answer)?.saturating_sub(numbers),
                    mistyped: 0,
                };
                let edges = bin_edges(&extent, bins)?;
                let request = number_ranges(&field.name, &edges);
                let axis = Axis::Bins { field: name.clone(), edges, missing: extent.missing, mistyped: 0 };
                Ok(Group { axis, request, bins: None })
            }
        }
    }

    /// The values of a field that have a place of their own; then all others, then events without any.
    fn values_of(&mut self, name: &str, top: usize, order: TermOrder) -> Result<Group> {
        let field = self.whole_values(name)?;
        let by = match order {
            TermOrder::Most => json!({"_count": "desc"}),
            TermOrder::Fewest => {
                self.note(format!("which values of `{name}` are the rarest is estimated over the shards"));
                json!({"_count": "asc"})
            }
            TermOrder::Value => json!({"_key": "asc"}),
        };
        // Of no value a terms aggregation knows nothing.
        let size = top.clamp(1, MOST_VALUES);
        let answer = self.aggregate(&json!({
            "v": {"terms": {"field": field.name, "size": size, "order": by}},
            "d": {"cardinality": {"field": field.name}},
        }))?;
        let found = &answer["aggregations"];
        if found["v"]["doc_count_error_upper_bound"].as_u64().unwrap_or(0) > 0 {
            self.note(format!("the most frequent values of `{name}` are found by estimates over the shards"));
        }
        let there = json!({"exists": {"field": field.name}});
        let (mut values, mut named, mut queries) = (Vec::new(), Map::new(), Vec::new());
        for bucket in json::list(&found["v"], &["buckets"])?.iter().take(top) {
            let query = json!({"term": {&field.name: term(bucket, &field)}});
            named.insert(format!("b{}", values.len()), query.clone());
            values.push(scalar(bucket, &field));
            queries.push(query);
        }
        let mut other = json!({"filter": [there]});
        if !queries.is_empty() {
            other["must_not"] = queries.into();
        }
        named.insert(format!("b{}", values.len()), json!({"bool": other}));
        named.insert(format!("b{}", values.len() + 1), json!({"bool": {"must_not": [there]}}));
        let counted = found["d"]["value"].as_u64().unwrap_or(0).max(values.len() as u64);
        if counted > values.len() as u64 {
            self.note(estimated_distinct("distinct counts are"));
        }
        let axis = Axis::Terms { field: name.to_owned(), values, distinct: counted };
        Ok(Group { axis, request: json!({"filters": {"filters": named}}), bins: None })
    }

    fn number(&self, name: &str) -> Result<Field> {
        let field = self.field(name)?;
        if field.kind.is_number() && field.aggregatable {
            return Ok(field);
        }
        let message = format!("`{name}` is {} there, and no number", field.kind.name());
        Err(unsupported(message, "take a field with numbers"))
    }

    /// The aggregations of a measure, within each cell and over all events.
    fn measure(
        &mut self,
        measure: &Measure,
        at: usize,
        leaf: &mut Map<String, Value>,
        aggs: &mut Map<String, Value>,
    ) -> Result<Option<Field>> {
        let (field, calculated) = match measure {
            Measure::Stats { field } => {
                let field = self.number(field)?;
                let stats = json!({"extended_stats": {"field": field.name}});
                (field, stats)
            }
            Measure::Percentiles { field, at } => {
                let field = self.number(field)?;
                self.note(estimated_percentiles("percentiles are"));
                let calculated = percentiles(&field.name, at);
                (field, calculated)
            }
            Measure::Distinct { field } => {
                let field = self.whole_values(field)?;
                self.note(estimated_distinct("distinct counts are"));
                let distinct = json!({"cardinality": {"field": field.name, "precision_threshold": 3_000}});
                (field, distinct)
            }
            Measure::First { field } | Measure::Last { field } => {
                let field = self.whole_values(field)?;
                let order = if matches!(measure, Measure::Last { .. }) { "desc" } else { "asc" };
                let time = self.cluster.schema.time.as_str();
                let mut wanted = json!({"field": field.name});
                if field.kind.is_time() {
                    wanted["format"] = "epoch_millis".into();
                }
                let sort = json!([{time: {"order": order, "missing": "_last"}}]);
                let end = json!({"top_hits": {"size": 1, "sort": sort, "_source": false, "docvalue_fields": [wanted]}});
                let there = json!({"exists": {"field": field.name}});
                let end = json!({"filter": there, "aggs": {"h": end}});
                (field, end)
            }
            Measure::Rate { .. } => return Ok(None),
        };
        if matches!(measure, Measure::Stats { .. } | Measure::Percentiles { .. }) {
            aggs.insert(format!("w{at}"), json!({"filter": {"exists": {"field": field.name}}}));
        }
        leaf.insert(format!("m{at}"), calculated);
        Ok(Some(field))
    }
}

impl<'r> Figures<'r> {
    fn new(measure: &'r Measure, field: Option<Field>, cells: usize) -> Figures<'r> {
        let measured = names_of(measure)
            .into_iter()
            .map(|name| Measured { name, values: vec![None; cells], missing: 0, mistyped: 0 })
            .collect();
        Figures { measure, field, measured }
    }

    fn read(&mut self, found: &Value, cell: usize) {
        let number = |value: &Value| value.as_f64().filter(|number| number.is_finite()).map(Scalar::Float);
        let values: Vec<Option<Scalar>> = match self.measure {
            Measure::Stats { .. } => {
                let count = found["count"].as_i64().unwrap_or(0);
                let of = |key: &str| number(&found[key]).filter(|_| count > 0);
                let deviation = of("std_deviation_sampling").filter(|_| count > 1);
                vec![Some(Scalar::Int(count)), of("sum"), of("avg"), of("min"), of("max"), deviation]
            }
            Measure::Percentiles { at, .. } => {
                // They are named by their numbers, however those are written.
                let named = |percent: f64| {
                    found["values"].as_object()?.iter().find_map(|(key, value)| {
                        let is_it = key.parse::<f64>().is_ok_and(|key| (key - percent).abs() < 1e-9);
                        is_it.then(|| number(value))?
                    })
                };
                at.iter().map(|percent| named(*percent)).collect()
            }
            Measure::Distinct { .. } => vec![Some(Scalar::Int(found["value"].as_i64().unwrap_or(0)))],
            Measure::First { .. } | Measure::Last { .. } => {
                let fields = found["h"]["hits"]["hits"][0]["fields"].as_object();
                let value = fields.and_then(|fields| fields.values().next()?.get(0));
                vec![value.zip(self.field.as_ref()).map(|(value, field)| end_value(value, field))]
            }
            Measure::Rate { .. } => Vec::new(),
        };
        for (measured, value) in self.measured.iter_mut().zip(values) {
            if let Some(place) = measured.values.get_mut(cell) {
                *place = value;
            }
        }
    }

    /// Events per time, from the counts.
    fn rates(&mut self, cube: &Cube, times: Option<(i64, i64)>) {
        if let (Measure::Rate { per_ns }, Some(measured)) = (self.measure, self.measured.first_mut()) {
            measured.values = rates(&cube.axes, &cube.counts, *per_ns, times);
        }
    }
}

/// What the figures of a measure are called.
pub(crate) fn names_of(measure: &Measure) -> Vec<String> {
    match measure {
        Measure::Stats { field } => {
            let stats = ["count", "sum", "avg", "min", "max", "stddev"];
            stats.iter().map(|name| format!("{name}({field})")).collect()
        }
        Measure::Percentiles { field, at } => {
            at.iter().map(|percent| format!("p{percent}({field})")).collect()
        }
        Measure::Distinct { field } => vec![format!("count_distinct({field})")],
        Measure::Rate { .. } => vec!["rate".to_owned()],
        Measure::First { field } => vec![format!("first({field})")],
        Measure::Last { field } => vec![format!("last({field})")],
    }
}

/// Events per time in each cell; `times` are those of all events.
pub(crate) fn rates(
    axes: &[Axis],
    counts: &[u64],
    per_ns: i64,
    times: Option<(i64, i64)>,
) -> Vec<Option<Scalar>> {
    let mut after = 1;
    let mut over: Option<(usize, &[i64])> = None;
    for axis in axes.iter().rev() {
        if let Axis::Time { edges } = axis {
            over = Some((after, edges));
        }
        after *= axis.places();
    }
    let whole = times.map_or(0, |(first, last)| last.saturating_sub(first));
    let rate = |(cell, count): (usize, &u64)| {
        let span = match over {
            Some((after, edges)) => {
                let place = cell / after % edges.len().saturating_sub(1).max(1);
                edges.get(place + 1).zip(edges.get(place)).map_or(0, |(to, from)| to - from)
            }
            None => whole,
        };
        (span > 0).then(|| Scalar::Float(*count as f64 * per_ns as f64 / span as f64))
    };
    counts.iter().enumerate().map(rate).collect()
}

/// A value of a document, as its mapping reads it.
fn end_value(value: &Value, field: &Field) -> Scalar {
    // Times come as texts with their milliseconds.
    let ms = value.as_str().filter(|_| field.kind.is_time()).and_then(|text| text.parse::<i64>().ok());
    let key = ms.map_or_else(|| value.clone(), Value::from);
    scalar(&json!({"key": key}), field)
}

/// The value of a bucket.
pub(super) fn scalar(bucket: &Value, field: &Field) -> Scalar {
    let key = &bucket["key"];
    match (&field.kind, key, bucket["key_as_string"].as_str()) {
        (MappedKind::Bool, _, Some(text)) => Scalar::Bool(text == "true"),
        (MappedKind::Date | MappedKind::DateNanos, Value::Number(number), _) => {
            let ms = number.as_i64().or_else(|| number.as_f64().map(|ms| ms as i64)).unwrap_or(0);
            Scalar::Time(ms.saturating_mul(1_000_000))
        }
        (_, Value::Bool(truth), _) => Scalar::Bool(*truth),
        (_, Value::String(text), _) => Scalar::Text(text.clone()),
        (_, Value::Number(number), _) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => Scalar::Int(whole),
            (None, Some(float)) => Scalar::Float(float),
            (None, None) => Scalar::Text(number.to_string()),
        },
        (_, other, _) => Scalar::Text(other.to_string()),
    }
}
