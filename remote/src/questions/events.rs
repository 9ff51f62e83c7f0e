//! Matching events in any order, page by page, out of one point in time.

use indexer::query::ecs;
use indexer::{Cancel, Error, ErrorKind, Result, SortBy, stamp};
use serde_json::{Value, json};

use super::{Answer, Question};
use crate::client::{Body, Client, Flavour};
use crate::cluster::{Asked, Cluster, Missing};
use crate::json;
use crate::limits::{DEPTH, KEEP_ALIVE, PAGE_EVENTS};
use crate::schema::MappedKind;

/// An event of a cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct RemoteEvent {
    pub index: String,
    pub id: String,
    /// Nanoseconds since 1970 UTC.
    pub time: Option<i64>,
    pub level: Option<String>,
    pub source: String,
    pub line: Option<u64>,
    /// Its own text; its whole document where it has none.
    pub text: String,
    /// The values of its document, by their paths.
    pub fields: Vec<(String, Value)>,
}

/// Which events, in which order.
#[derive(Clone, Debug)]
pub struct Events<'a> {
    pub asked: &'a Asked,
    pub sort: SortBy,
    pub limit: usize,
}

/// What is fetched of each event.
#[derive(Clone, Debug)]
pub(crate) struct EventParts {
    /// As `_source` takes it.
    pub source: Value,
    /// Fields that are in no document, such as aliases.
    pub fields: Vec<Value>,
    /// Events of a page.
    pub page: usize,
}

/// A point in time that is given back when it is no longer needed, however the question ends.
#[derive(Debug)]
pub(crate) struct Point {
    client: Client,
    flavour: Flavour,
    pub id: String,
    /// Whether it is left to the cluster, which gives it up after a while.
    pub is_left: bool,
}

impl Drop for Point {
    fn drop(&mut self) {
        match self.flavour {
            _ if self.is_left => {}
            Flavour::Elasticsearch => {
                self.client.release("DELETE", "/_pit", &Body::Json(json!({"id": self.id})));
            }
            Flavour::OpenSearch => {
                let body = Body::Json(json!({"pit_id": [self.id]}));
                self.client.release("DELETE", "/_search/point_in_time", &body);
            }
        }
    }
}

impl Cluster {
    /// Hands over matching events in their order until there are no more, or the limit is reached; gives their number.
    pub fn for_each(
        &self,
        events: &Events<'_>,
        each: &mut dyn FnMut(RemoteEvent) -> Result<()>,
    ) -> Result<Answer<u64>> {
        let mut question = Question::new(self, events.asked)?;
        let wanted = EventParts { source: true.into(), fields: Vec::new(), page: PAGE_EVENTS };
        let done = self.each_page(&mut question, &events.sort, &wanted, events.limit, &mut |page| {
            page.into_iter().try_for_each(&mut *each).map(|()| true)
        })?;
        Ok(question.answer(done))
    }

    /// Hands over matching events page by page until there are no more, the limit is reached, or nobody wants them; gives
    /// their number.
    pub(crate) fn each_page(
        &self,
        question: &mut Question<'_>,
        sort: &SortBy,
        wanted: &EventParts,
        limit: usize,
        each: &mut dyn FnMut(Vec<RemoteEvent>) -> Result<bool>,
    ) -> Result<u64> {
        let mut sort = vec![question.order(sort)?];
        let mut point = self.point()?;
        if point.is_none() {
            question.note("the server has no points in time: events that arrive meanwhile may shift pages");
            sort.push(json!({"_doc": {"order": "asc"}}));
        }
        let (mut done, mut after) = (0, None);
        while done < limit {
            let size = wanted.page.min(limit - done);
            let body = question.page(size, &sort, wanted, after.as_ref(), point.as_ref());
            let answer = match &point {
                Some(_) => self.client.ok(self.client.call("POST", "/_search", &Body::Json(body))?)?,
                None => self.search(body)?,
            };
            let missing = Missing::read(&answer)?;
            let is_partial = !missing.is_empty();
            question.missing.add(missing);
            if let (Some(point), Some(id)) = (&mut point, answer["pit_id"].as_str()) {
                id.clone_into(&mut point.id);
            }
            let hits = json::list(&answer, &["hits", "hits"])?;
            if hits.len() > size {
                return Err(Error::new(
                    ErrorKind::Corrupt,
                    "the cluster sent more events than were asked for",
                ));
            }
            done += hits.len();
            let goes_on = each(hits.iter().map(|hit| self.event(hit)).collect::<Result<_>>()?)?;
            let last = hits.last().map(|hit| hit["sort"].clone());
            if hits.len() < size || is_partial || !goes_on {
                break;
            }
            // A cluster that does not go on would be asked for ever.
            if last.is_none() || last.as_ref().is_some_and(Value::is_null) || last == after {
                return Err(Error::new(
                    ErrorKind::Corrupt,
                    "the cluster does not say where its next page begins",
                ));
            }
            after = last;
        }
        Ok(done as u64)
    }

    /// A point in time; nothing where the server has none.
    pub(crate) fn point(&self) -> Result<Option<Point>> {
        let (path, key) = match self.flavour {
            Flavour::Elasticsearch => (format!("/{}/_pit?keep_alive={KEEP_ALIVE}", self.index), "id"),
            Flavour::OpenSearch => {
                (format!("/{}/_search/point_in_time?keep_alive={KEEP_ALIVE}", self.index), "pit_id")
            }
        };
        let reply = self.client.call("POST", &path, &Body::None)?;
        match (reply.status, reply.body[key].as_str()) {
            (200, Some(id)) => {
                let client = self.client.for_question(&Cancel::default());
                Ok(Some(Point { client, flavour: self.flavour, id: id.to_owned(), is_left: false }))
            }
            (400 | 404 | 405, _) if reply.body["error"]["type"] != "index_not_found_exception" => Ok(None),
            (200, None) => Err(json::lacks(&[key])),
            _ => Err(self.client.refused(&reply)),
        }
    }

    pub(crate) fn event(&self, hit: &Value) -> Result<RemoteEvent> {
        let schema = &self.schema;
        let text = |key: &str| hit[key].as_str().unwrap_or_default().to_owned();
        let source = &hit["_source"];
        let mut fields = Vec::new();
        flatten(source, "", DEPTH, &mut fields);
        for (name, values) in hit["fields"].as_object().into_iter().flatten() {
            let is_new = *name != schema.time && !fields.iter().any(|(known, _)| known == name);
            if let Some(values) = values.as_array().filter(|values| is_new && !values.is_empty()) {
                let value = if values.len() == 1 { values[0].clone() } else { Value::Array(values.clone()) };
                fields.push((name.clone(), value));
            }
        }
        let value = |name: &str| fields.iter().find(|(known, _)| known == name).map(|(_, value)| value);
        let words = |name: Option<&str>| name.and_then(value).and_then(Value::as_str).map(str::to_owned);
        let time = hit["fields"][schema.time.as_str()].get(0).or_else(|| value(&schema.time));
        let original = words(schema.text.as_deref());
        let text_of_it = match original {
            Some(text) => text,
            None => serde_json::to_string(source).unwrap_or_default(),
        };
        let index = text("_index");
        if index.is_empty() {
            return Err(json::lacks(&["hits", "hits", "_index"]));
        }
        Ok(RemoteEvent {
            id: text("_id"),
            time: time.and_then(instant),
            level: words(schema.level.as_deref()),
            source: words(schema.source.as_deref()).unwrap_or_else(|| index.clone()),
            line: schema.line.as_deref().and_then(value).and_then(Value::as_u64),
            index,
            text: text_of_it,
            fields,
        })
    }
}

impl Cluster {
    /// The value that an event has in a field of the language, as text.
    #[must_use]
    pub fn value(&self, event: &RemoteEvent, name: &str) -> Option<String> {
        match name {
            "level" => event.level.clone(),
            "source" => Some(event.source.clone()),
            "line" => event.line.map(|line| line.to_string()),
            _ => self.json_value(event, name).map(text_of),
        }
    }

    /// The value that an event's document has in a field of the language.
    pub(crate) fn json_value<'e>(&self, event: &'e RemoteEvent, name: &str) -> Option<&'e Value> {
        let value = |name: &str| event.fields.iter().find(|(known, _)| known == name).map(|(_, value)| value);
        value(name).or_else(|| {
            let of = ecs::fields_of(name).find(|name| self.schema.field(name).is_some())?;
            value(of)
        })
    }
}

/// A value of a document as text: what is no text is written as JSON.
#[must_use]
pub fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

impl Question<'_> {
    fn page(
        &self,
        size: usize,
        sort: &[Value],
        wanted: &EventParts,
        after: Option<&Value>,
        point: Option<&Point>,
    ) -> Value {
        let time = &self.cluster.schema.time;
        let mut body = json!({
            "size": size,
            "track_total_hits": false,
            "query": self.query,
            "sort": sort,
            "_source": wanted.source,
        });
        let time_field = json!({"field": time, "format": "strict_date_optional_time_nanos"});
        body["fields"] = std::iter::once(time_field).chain(wanted.fields.iter().cloned()).collect();
        if let Some(after) = after {
            body["search_after"] = after.clone();
        }
        if let Some(point) = point {
            body["pit"] = json!({"id": point.id, "keep_alive": KEEP_ALIVE});
        } else if self.cluster.schema.field(time).is_some_and(|field| field.kind == MappedKind::Date) {
            // Without points in time it is a server that knows the field by its name only.
            body["fields"] = std::iter::once(json!(time)).chain(wanted.fields.iter().cloned()).collect();
        }
        body
    }

    pub(crate) fn order(&mut self, sort: &SortBy) -> Result<Value> {
        let order = if sort.descending { "desc" } else { "asc" };
        if sort.field == "relevance" && self.cluster.schema.field("relevance").is_none() {
            self.note("relevance is what the cluster calculates, over its shards one by one");
            return Ok(json!({"_score": {"order": order}}));
        }
        let field = self.field(&sort.field)?;
        let Some(field) = self.cluster.schema.groupable(&field) else {
            let message =
                format!("events cannot be sorted by `{}` there: it is {}", field.name, field.kind.name());
            return Err(
                Error::new(ErrorKind::QueryInvalid, message).hint("sort by a number, a time or a keyword")
            );
        };
        if sort.field == "level" || ecs::fields_of(&sort.field).any(|name| name == "level") {
            self.note("levels are in the order of their words there");
        }
        let name = field.name.as_str();
        Ok(json!({name: {"order": order, "missing": "_last"}}))
    }
}

/// The values of a document by their paths: `{"a": {"b": 1}}` is `a.b`.
fn flatten(value: &Value, path: &str, depth: usize, fields: &mut Vec<(String, Value)>) {
    match value.as_object().filter(|_| depth > 0) {
        Some(object) => {
            for (key, inner) in object {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                flatten(inner, &path, depth - 1, fields);
            }
        }
        None if path.is_empty() || value.is_null() => {}
        None => fields.push((path.to_owned(), value.clone())),
    }
}

/// A time as a document or a field has it.
pub(super) fn instant(value: &Value) -> Option<i64> {
    match value {
        Value::String(text) => {
            stamp::parse(text).or_else(|| text.parse::<i64>().ok()?.checked_mul(1_000_000))
        }
        Value::Number(number) => number.as_i64()?.checked_mul(1_000_000),
        _ => None,
    }
}
