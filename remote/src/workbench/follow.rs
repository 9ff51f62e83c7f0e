//! Where a value occurs: in fields, by index, and in the text of events alone.

use std::net::IpAddr;

use indexer::Result;
use indexer::query::{Filter, parse};
use serde_json::{Map, Value, json};

use crate::cluster::{Asked, Cluster};
use crate::json;
use crate::limits::{FOLLOWED_FIELDS, LISTED_INDEXES, PAGE_FIELDS};
use crate::questions::{Answer, Question};
use crate::schema::{Field, MappedKind};

/// Events of an index with a value in a field; `raw` where only their text has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteTrail {
    pub index: String,
    pub field: String,
    pub events: u64,
    pub times: Option<(i64, i64)>,
}

impl Cluster {
    /// The fields whose whole value it is; and the events that have it in their text alone.
    pub fn follow(&self, value: &str) -> Result<Answer<Vec<RemoteTrail>>> {
        let everything = Asked::everything();
        let mut question = Question::new(self, &everything)?;
        let mut wanted: Vec<(String, Value)> = Vec::new();
        let built_in = ["level", "source"].map(str::to_owned).into_iter();
        let known = self.schema.known_fields().into_iter().map(|field| field.name);
        for name in built_in.chain(known) {
            let field = question.field(&name).ok();
            let field = field.as_ref().and_then(|field| self.schema.groupable(field));
            if let Some(term) = field.and_then(|field| term_of(field, value)) {
                wanted.push((name, term));
            }
        }
        if wanted.len() > FOLLOWED_FIELDS {
            question.note(format!("the value is looked for in the first {FOLLOWED_FIELDS} fields"));
            wanted.truncate(FOLLOWED_FIELDS);
        }
        let mut trails = Vec::new();
        for page in wanted.chunks(PAGE_FIELDS) {
            let mut aggs = Map::new();
            for (at, (_, term)) in page.iter().enumerate() {
                aggs.insert(format!("f{at}"), json!({"filter": term, "aggs": {"i": self.by_index()}}));
            }
            let terms: Vec<&Value> = page.iter().map(|(_, term)| term).collect();
            question.query = json!({"bool": {"should": terms, "minimum_should_match": 1}});
            let answer = question.aggregate(&Value::Object(aggs))?;
            for (at, (name, _)) in page.iter().enumerate() {
                self.read_trails(&answer["aggregations"][format!("f{at}")], name, &mut trails)?;
            }
        }
        let quoted = format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""));
        let text = parse(&quoted).unwrap_or(Filter::Everything);
        if text != Filter::Everything {
            let asked = Asked { filter: text, ..everything.clone() };
            let translated = self.translate(&asked)?;
            question.inexact.extend(translated.inexact);
            let others: Vec<&Value> = wanted.iter().map(|(_, term)| term).collect();
            question.query = json!({"bool": {"filter": [translated.query], "must_not": others}});
            let answer = question.aggregate(&json!({"i": self.by_index()}))?;
            self.read_trails(&answer["aggregations"], "raw", &mut trails)?;
        }
        trails
            .sort_by(|one: &RemoteTrail, other| (&one.index, &one.field).cmp(&(&other.index, &other.field)));
        Ok(question.answer(trails))
    }

    fn by_index(&self) -> Value {
        let time = &self.schema.time;
        json!({"terms": {"field": "_index", "size": LISTED_INDEXES},
            "aggs": {"first": {"min": {"field": time}}, "last": {"max": {"field": time}}}})
    }

    fn read_trails(&self, found: &Value, field: &str, trails: &mut Vec<RemoteTrail>) -> Result<()> {
        // An answer of no shard has no aggregations.
        for bucket in found["i"]["buckets"].as_array().map_or(&[][..], Vec::as_slice) {
            let events = json::count(bucket, &["doc_count"])?;
            if events > 0 {
                trails.push(RemoteTrail {
                    index: json::quoted(bucket["key"].as_str().unwrap_or_default()),
                    field: field.to_owned(),
                    events,
                    times: self.times(bucket),
                });
            }
        }
        Ok(())
    }
}

/// The query for a whole value of a field; nothing where no value of its type is written so.
fn term_of(field: &Field, value: &str) -> Option<Value> {
    let value: Value = match &field.kind {
        MappedKind::Keyword => value.into(),
        MappedKind::Whole(least, most) => {
            let number: i64 = value.parse().ok()?;
            Some(number).filter(|number| (*least..=*most).contains(number))?.into()
        }
        MappedKind::Double | MappedKind::Rounded => {
            value.parse::<f64>().ok().filter(|number| number.is_finite())?.into()
        }
        MappedKind::Bool => value.parse::<bool>().ok()?.into(),
        MappedKind::Ip => value.parse::<IpAddr>().ok()?.to_string().into(),
        _ => return None,
    };
    field.searchable.then(|| json!({"term": {&field.name: value}}))
}
