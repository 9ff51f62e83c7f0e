//! Facets: of each field how many events have it, when, its most frequent values and how its numbers lie.

use indexer::aggregate::{
    Facet, Facets, FacetsRequest, NumberFacet, PERCENTILES, PercentileValue, ScalarCount,
};
use indexer::{Result, Scalar, Timeline};
use serde_json::{Map, Value, json};

use super::bins::TimeBins;
use super::cube::scalar;
use crate::cluster::{Asked, Cluster};
use crate::json;
use crate::limits::FACETS;
use crate::questions::{Answer, Question, estimated_distinct, estimated_percentiles, percentiles, total};
use crate::schema::Field;

/// Fields of one request; more of them where no values are listed.
const TOGETHER: usize = 5;
const UNLISTED_TOGETHER: usize = 20;

/// Values of a field that are listed.
const MOST_VALUES: usize = 1_000;

/// Bins of clusters begin at whole milliseconds.
const MILLISECOND: i64 = 1_000_000;

impl Cluster {
    /// Facets of the named fields; those without whole values have counts alone. `partial` is called with those that are
    /// done and the share of all.
    pub fn facets(
        &self,
        asked: &Asked,
        request: &FacetsRequest,
        data: Option<(i64, i64)>,
        partial: &mut dyn FnMut(&Facets, f64),
    ) -> Result<Answer<Facets>> {
        let mut question = Question::new(self, asked)?;
        let within = data.map(|(first, last)| {
            (asked.from.unwrap_or(first).max(first), asked.to.map_or(last, |to| (to - 1).min(last)))
        });
        let is_unlisted = request.top == 0;
        let edges = match within.filter(|(first, last)| first <= last && !is_unlisted) {
            _ if request.edges.is_some() => request.edges.clone().unwrap_or_default(),
            Some((first, last)) if last - first >= request.buckets as i64 * MILLISECOND => {
                Timeline::over(first, last, request.buckets).edges()
            }
            _ => Vec::new(),
        };
        // Sparklines of less than milliseconds are left out.
        let bins = TimeBins::new(&edges).ok().filter(|bins| bins.count() > 0);
        let mut facets = Facets { edges, ..Facets::default() };
        let names: Vec<String> = if request.fields.is_empty() {
            self.schema.known_fields().into_iter().map(|field| field.name).collect()
        } else {
            request.fields.clone()
        };
        let known: Vec<(&String, Field)> =
            names.iter().filter_map(|name| Some((name, question.field(name).ok()?))).take(FACETS).collect();
        let together = if is_unlisted { UNLISTED_TOGETHER } else { TOGETHER };
        for (done, part) in known.chunks(together).enumerate() {
            let mut aggs = Map::new();
            for (at, (_, field)) in part.iter().enumerate() {
                question.facet_request(at, field, request.top, bins.as_ref(), &mut aggs);
            }
            let answer = question.aggregate(&Value::Object(aggs))?;
            facets.total = total(&answer)?;
            for (at, (name, field)) in part.iter().enumerate() {
                let found = &answer["aggregations"];
                facets.fields.push(self.facet(name, field, at, bins.as_ref(), found)?);
            }
            partial(&facets, (done * together + part.len()) as f64 / known.len() as f64);
        }
        if known.is_empty() {
            facets.total = total(&question.aggregate(&json!({}))?)?;
        }
        Ok(question.answer(facets))
    }

    fn facet(
        &self,
        name: &str,
        field: &Field,
        at: usize,
        bins: Option<&TimeBins>,
        found: &Value,
    ) -> Result<Facet> {
        let there = &found[format!("there{at}")];
        let mut top = Vec::new();
        let values = self.schema.groupable(field);
        if let Some(values) = values.filter(|_| found[format!("v{at}")].is_object()) {
            for bucket in json::list(&found[format!("v{at}")], &["buckets"])? {
                top.push(ScalarCount {
                    value: scalar(bucket, values),
                    count: json::count(bucket, &["doc_count"])?,
                });
            }
        }
        let mut sparkline = vec![0; bins.map_or(0, TimeBins::count)];
        for (place, bucket) in bins.map(|bins| bins.places(&there["t"])).transpose()?.unwrap_or_default() {
            let count = json::count(bucket, &["doc_count"])?;
            sparkline[place] = u32::try_from(count).unwrap_or(u32::MAX);
        }
        Ok(Facet {
            field: name.to_owned(),
            kinds: vec![field.language_kind()],
            present: json::count(there, &["doc_count"])?,
            distinct: values.and_then(|_| found[format!("d{at}")]["value"].as_u64()),
            top,
            numbers: numbers(&found[format!("s{at}")], &found[format!("p{at}")]),
            sparkline,
        })
    }
}

impl Question<'_> {
    fn facet_request(
        &mut self,
        at: usize,
        field: &Field,
        top: usize,
        bins: Option<&TimeBins>,
        aggs: &mut Map<String, Value>,
    ) {
        let mut there = json!({"filter": {"exists": {"field": field.name}}});
        if let Some(bins) = bins {
            there["aggs"] = json!({"t": bins.request(&self.cluster.schema.time)});
        }
        aggs.insert(format!("there{at}"), there);
        if let Some(values) = self.cluster.schema.groupable(field).cloned() {
            self.left_out(&values);
            self.note(estimated_distinct("distinct counts are"));
            let name = values.name;
            if top > 0 {
                let terms = json!({"terms": {"field": name, "size": top.min(MOST_VALUES)}});
                aggs.insert(format!("v{at}"), terms);
            }
            aggs.insert(format!("d{at}"), json!({"cardinality": {"field": name}}));
        }
        if field.kind.is_number() && field.aggregatable {
            self.note(estimated_percentiles("percentiles are"));
            let name = &field.name;
            aggs.insert(format!("s{at}"), json!({"stats": {"field": name}}));
            aggs.insert(format!("p{at}"), percentiles(name, &PERCENTILES));
        }
    }
}

fn numbers(stats: &Value, percentiles: &Value) -> Option<NumberFacet> {
    let count = stats["count"].as_u64().filter(|count| *count > 0)?;
    let number = |value: &Value| value.as_f64().filter(|number| number.is_finite()).map(Scalar::Float);
    let value = |percent: f64| {
        percentiles["values"].as_object()?.iter().find_map(|(key, value)| {
            let is_it = key.parse::<f64>().is_ok_and(|key| (key - percent).abs() < 1e-9);
            is_it.then(|| number(value))?
        })
    };
    Some(NumberFacet {
        count,
        least: number(&stats["min"]),
        greatest: number(&stats["max"]),
        average: number(&stats["avg"]),
        percentiles: PERCENTILES
            .into_iter()
            .map(|percent| PercentileValue { percent, value: value(percent) })
            .collect(),
    })
}
