//! What there is: how many events, from when to when, in which indexes, and how many of them have a field.

use indexer::Result;
use serde_json::{Map, Value, json};

use crate::cluster::{Asked, Cluster, Missing};
use crate::json;
use crate::limits::{COVERED_FIELDS, LISTED_INDEXES, PAGE_FIELDS};
use crate::questions::{Answer, Question, total};
use crate::schema::MappedKind;

const MILLISECOND: i64 = 1_000_000;

/// All events of a remote.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overview {
    pub total: u64,
    /// The first and the last time.
    pub times: Option<(i64, i64)>,
    /// Those with the most events, by their names.
    pub indexes: Vec<IndexCount>,
    pub missing: Missing,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexCount {
    pub name: String,
    pub events: u64,
    pub times: Option<(i64, i64)>,
}

impl Cluster {
    pub fn overview(&self) -> Result<Overview> {
        let time = &self.schema.time;
        let ends = json!({"first": {"min": {"field": time}}, "last": {"max": {"field": time}}});
        let mut aggs = ends.clone();
        aggs["indexes"] = json!({"terms": {"field": "_index", "size": LISTED_INDEXES}, "aggs": ends});
        let answer = self.search(json!({"size": 0, "track_total_hits": true, "aggs": aggs}))?;
        let missing = self.lacking(Missing::read(&answer)?);
        let found = &answer["aggregations"];
        // An answer of no shard has no aggregations.
        let buckets = found["indexes"]["buckets"].as_array().map_or(&[][..], Vec::as_slice);
        let mut indexes = Vec::new();
        for bucket in buckets.iter().take(LISTED_INDEXES) {
            indexes.push(IndexCount {
                name: json::quoted(bucket["key"].as_str().unwrap_or_default()),
                events: json::count(bucket, &["doc_count"])?,
                times: self.times(bucket),
            });
        }
        indexes.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(Overview { total: total(&answer)?, times: self.times(found), indexes, missing })
    }

    /// The times of `first` and `last`. Clusters calculate them in milliseconds.
    pub(crate) fn times(&self, found: &Value) -> Option<(i64, i64)> {
        let ms = |name: &str| found[name]["value"].as_f64().map(|ms| ms.floor() as i64);
        let within = match self.schema.field(&self.schema.time).map(|field| &field.kind) {
            Some(MappedKind::DateNanos) => MILLISECOND - 1,
            _ => 0,
        };
        let (first, last) = ms("first").zip(ms("last"))?;
        Some((first.saturating_mul(MILLISECOND), last.saturating_mul(MILLISECOND).saturating_add(within)))
    }

    /// How many events have each field. Of the fields beyond a limit nothing is known.
    pub fn coverage(&self, names: &[String]) -> Result<Answer<Vec<(String, u64)>>> {
        let everything = Asked::everything();
        let mut question = Question::new(self, &everything)?;
        let mut covered = Vec::new();
        let known: Vec<&String> =
            names.iter().filter(|name| question.field(name).is_ok()).take(COVERED_FIELDS).collect();
        for names in known.chunks(PAGE_FIELDS) {
            let mut aggs = Map::new();
            for (at, name) in names.iter().enumerate() {
                let field = question.field(name)?;
                aggs.insert(format!("f{at}"), json!({"filter": {"exists": {"field": field.name}}}));
            }
            let answer = question.aggregate(&Value::Object(aggs))?;
            for (at, name) in names.iter().enumerate() {
                let count = json::count(&answer["aggregations"], &[&format!("f{at}"), "doc_count"])?;
                covered.push(((*name).clone(), count));
            }
        }
        Ok(question.answer(covered))
    }
}
