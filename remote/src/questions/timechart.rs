//! `timechart`: a date histogram, its bins without events too, and a series for each of the most frequent values.

use indexer::query::{Aggregate, Dimension, Group, Quantity, TimeSpan, Unit};
use indexer::{Cell, Column, Error, ErrorKind, Result, Table};
use serde_json::{Map, Value, json};

use super::groups::{cell, interval};
use super::metrics::Metric;
use super::{Question, unsupported};
use crate::json;
use crate::limits::{BINS, BUCKETS, SERIES};
use crate::schema::{Field, MappedKind};

/// Series that a chart has unless more are asked for.
pub(crate) const USUAL_SERIES: u64 = 10;

/// Bins of a chart whose width nobody chose.
const USUAL_BINS: f64 = 100.0;

struct Series {
    name: String,
    query: Value,
}

impl Question<'_> {
    pub fn timechart(
        &mut self,
        span: TimeSpan,
        aggregates: &[Aggregate],
        by: Option<&Group>,
        limit: Option<u64>,
    ) -> Result<Table> {
        let (metrics, aggs) = self.metrics(aggregates)?;
        let time = self.cluster.schema.time.clone();
        let ends = json!({"first": {"min": {"field": time}}, "last": {"max": {"field": time}}});
        let answer = self.aggregate(&ends)?;
        let at = |name: &str| answer["aggregations"][name]["value"].as_f64();
        let Some((first, last)) = at("first").zip(at("last")) else {
            return Ok(Table::from_columns(vec![("time".to_owned(), Column::times(Vec::new()))]));
        };
        let range_ms = |at: Option<i64>| at.map(|ns| ns as f64 / 1e6);
        let (first, last) =
            (range_ms(self.asked.from).unwrap_or(first), range_ms(self.asked.to).map_or(last, |to| to - 1.0));
        let width = match span {
            TimeSpan::Every(width) => width,
            TimeSpan::Auto => automatic(last - first),
        };
        let (key, text) = interval(width)?;
        let bins = ((last - first) / (width.amount() / 1e6)).max(0.0) as usize + 2;
        if bins > BINS {
            let message = format!("the chart would have more than {BINS} bins");
            return Err(Error::new(ErrorKind::Limit, message).hint("take a wider span or a shorter range"));
        }
        let series = match by {
            Some(group) => Some(self.series(group, limit)?),
            None => None,
        };
        let buckets = bins * series.as_ref().map_or(1, |series| series.len() + 1);
        if buckets > BUCKETS {
            let message = format!("the chart would have more than {BUCKETS} values");
            return Err(
                Error::new(ErrorKind::Limit, message).hint("take a wider span, or fewer series with limit=n")
            );
        }
        let mut histogram =
            json!({"field": time, key: text, "time_zone": self.asked.zone, "min_doc_count": 0});
        if self.asked.from.is_some() && self.asked.to.is_some() {
            histogram["extended_bounds"] = json!({"min": first as i64, "max": last as i64});
        }
        let mut request = json!({"date_histogram": histogram});
        match &series {
            Some(series) => {
                let named: Map<String, Value> = series
                    .iter()
                    .enumerate()
                    .map(|(at, series)| (format!("s{at}"), series.query.clone()))
                    .collect();
                let mut filters = json!({"filters": {"filters": named}});
                if !aggs.is_empty() {
                    filters["aggs"] = Value::Object(aggs);
                }
                request["aggs"] = json!({"s": filters});
            }
            None if !aggs.is_empty() => request["aggs"] = Value::Object(aggs),
            None => {}
        }
        let answer = self.aggregate(&json!({"t": request}))?;
        let buckets = json::list(&answer["aggregations"]["t"], &["buckets"])?;
        if buckets.len() > BINS {
            return Err(Error::new(ErrorKind::Limit, "the cluster sent more bins than were asked for"));
        }
        Ok(chart(buckets, series.as_deref(), &metrics))
    }

    /// The most frequent values of a field, all others together, and the events without one.
    fn series(&mut self, group: &Group, limit: Option<u64>) -> Result<Vec<Series>> {
        let Some(field) = group.value.as_field() else {
            return Err(unsupported(
                format!("a chart is not split by `{}` at a cluster", group.value),
                "split it by a field",
            )
            .spanning(group.span.start, group.span.end));
        };
        let field = self.field(field)?;
        let Some(field) = self.cluster.schema.groupable(&field).cloned() else {
            let message = format!("`{}` is {} there, without whole values", field.name, field.kind.name());
            return Err(unsupported(message, "map it with a multi-field of the type keyword"));
        };
        self.left_out(&field);
        let limit = limit.unwrap_or(USUAL_SERIES).min(SERIES as u64);
        let name = field.name.as_str();
        let there = json!({"exists": {"field": name}});
        let aggs = json!({"v": {"terms": {"field": name, "size": limit}}, "there": {"filter": there}});
        let answer = self.aggregate(&aggs)?;
        let hits = super::total(&answer)?;
        let found = &answer["aggregations"]["v"];
        if found["doc_count_error_upper_bound"].as_u64().unwrap_or(0) > 0 {
            self.note("the most frequent values are found by estimates over the shards");
        }
        // The events without a value are ranked with the others.
        let without = hits.saturating_sub(json::count(&answer["aggregations"], &["there", "doc_count"])?);
        let buckets = json::list(found, &["buckets"])?;
        let larger = |bucket: &&Value| bucket["doc_count"].as_u64().unwrap_or(0) >= without;
        let has_none = without > 0 && buckets.iter().filter(larger).count() < limit as usize;
        let most = limit as usize - usize::from(has_none);
        let mut series: Vec<(Cell, Series)> = Vec::new();
        let mut shown = Vec::new();
        for bucket in buckets.iter().take(most) {
            let value = term(bucket, &field);
            let cell = cell(&value, field.kind.is_time(), matches!(field.kind, MappedKind::Whole(..)));
            let query = json!({"term": {name: value}});
            shown.push(query.clone());
            series.push((cell.clone(), Series { name: cell.to_string(), query }));
        }
        series.sort_by(|one, other| one.0.cmp(&other.0));
        let mut series: Vec<Series> = series.into_iter().map(|(_, series)| series).collect();
        let is_cut = buckets.len() > most || found["sum_other_doc_count"].as_u64().unwrap_or(0) > 0;
        if has_none {
            let query = json!({"bool": {"must_not": [there]}});
            series.push(Series { name: "none".to_owned(), query: query.clone() });
            shown.push(query);
        }
        if is_cut || without > 0 && !has_none {
            series.push(Series { name: "other".to_owned(), query: json!({"bool": {"must_not": shown}}) });
        }
        Ok(series)
    }
}

/// The value of a bucket as a `term` takes it.
pub fn term(bucket: &Value, field: &Field) -> Value {
    match (&field.kind, &bucket["key_as_string"]) {
        (MappedKind::Bool, Value::String(text)) => Value::Bool(text == "true"),
        _ => bucket["key"].clone(),
    }
}

/// A width that gives some hundred bins at most.
pub(crate) fn automatic(range_ms: f64) -> Quantity {
    const WIDTHS: [(f64, Unit); 16] = [
        (1.0, Unit::Millisecond),
        (10.0, Unit::Millisecond),
        (100.0, Unit::Millisecond),
        (1.0, Unit::Second),
        (5.0, Unit::Second),
        (10.0, Unit::Second),
        (30.0, Unit::Second),
        (1.0, Unit::Minute),
        (5.0, Unit::Minute),
        (10.0, Unit::Minute),
        (30.0, Unit::Minute),
        (1.0, Unit::Hour),
        (3.0, Unit::Hour),
        (12.0, Unit::Hour),
        (1.0, Unit::Day),
        (1.0, Unit::Week),
    ];
    let all = WIDTHS.into_iter().map(|(number, unit)| Quantity { number, unit });
    let fits = |width: &Quantity| {
        width.unit.dimension() == Dimension::Duration && range_ms * 1e6 / width.amount() <= USUAL_BINS
    };
    all.clone().find(fits).unwrap_or(Quantity { number: 1.0, unit: Unit::Month })
}

fn chart(buckets: &[Value], series: Option<&[Series]>, metrics: &[Metric]) -> Table {
    let times = buckets.iter().map(|bucket| {
        let ms = bucket["key"].as_i64().or_else(|| bucket["key"].as_f64().map(|ms| ms as i64));
        ms.unwrap_or(0).saturating_mul(1_000_000)
    });
    let mut table = Table::from_columns(vec![("time".to_owned(), Column::times(times.collect()))]);
    for metric in metrics {
        let value = |bucket: &Value| {
            if bucket["doc_count"].as_u64().unwrap_or(0) == 0 { metric.empty() } else { metric.value(bucket) }
        };
        let Some(series) = series else {
            table.set(&metric.name, Column::of_cells(buckets.iter().map(value).collect()));
            continue;
        };
        for (at, one) in series.iter().enumerate() {
            let cells =
                buckets.iter().map(|bucket| value(&bucket["s"]["buckets"][format!("s{at}")])).collect();
            let name =
                if metrics.len() == 1 { one.name.clone() } else { format!("{}: {}", metric.name, one.name) };
            table.set(&name, Column::of_cells(cells));
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_give_about_a_hundred_bins() {
        for (range_ms, expected) in
            [(500.0, "10ms"), (3_600_000.0, "1m"), (86_400_000.0, "30m"), (1e15, "1mo")]
        {
            assert_eq!(automatic(range_ms).to_string(), expected);
        }
    }
}
