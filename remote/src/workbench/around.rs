//! One event, and those around it.

use indexer::query::Filter;
use indexer::{Error, ErrorKind, Result, SortBy};
use serde_json::{Value, json};

use super::listing::of_event;
use crate::cluster::{Asked, Cluster, Missing};
use crate::json;
use crate::limits::{KEEP_ALIVE, PAGE_EVENTS};
use crate::questions::{Answer, Question, RemoteEvent};

/// An event with those before and after it.
#[derive(Clone, Debug)]
pub struct Surrounding {
    pub before: Vec<RemoteEvent>,
    pub event: RemoteEvent,
    pub after: Vec<RemoteEvent>,
}

impl Cluster {
    /// An event by its index and id.
    pub fn event_of(&self, (index, id): (&str, &str)) -> Result<Answer<RemoteEvent>> {
        let question = Question::new(self, &Asked::everything())?;
        let body = json!({"size": 1, "track_total_hits": false, "query": of_event(index, id), "_source": true,
            "fields": self.time_field()});
        let answer = self.search(body)?;
        let hit = json::list(&answer, &["hits", "hits"])?.first().ok_or_else(gone)?;
        let event = self.event(hit)?;
        let mut found = question.answer(event);
        found.missing.add(Missing::read(&answer)?);
        Ok(found)
    }

    /// The events around one by time, those that match a filter.
    pub fn around(
        &self,
        (index, id): (&str, &str),
        filter: &Filter,
        (before, after): (usize, usize),
    ) -> Result<Answer<Surrounding>> {
        let asked = Asked { filter: filter.clone(), ..Asked::everything() };
        let mut question = Question::new(self, &asked)?;
        let mut point = self.point()?;
        let mut side = |query: &Value, descending: bool, size: usize, from: Option<&Value>| {
            let sort = SortBy { field: "time".to_owned(), descending };
            let order = json!([question.order(&sort)?, self.tiebreak(descending)]);
            let mut body = json!({"size": size.min(PAGE_EVENTS), "track_total_hits": false, "query": query,
                "sort": order, "_source": true, "fields": self.time_field()});
            if let Some(from) = from {
                body["search_after"] = from.clone();
            }
            let answer = match &mut point {
                Some(point) => {
                    body["pit"] = json!({"id": point.id, "keep_alive": KEEP_ALIVE});
                    let answer = self.client.post("/_search", body)?;
                    if let Some(id) = answer["pit_id"].as_str() {
                        id.clone_into(&mut point.id);
                    }
                    answer
                }
                None => self.search(body)?,
            };
            question.missing.add(Missing::read(&answer)?);
            Ok::<Vec<Value>, Error>(json::list(&answer, &["hits", "hits"])?.clone())
        };
        let found = side(&of_event(index, id), false, 1, None)?;
        let hit = found.first().ok_or_else(gone)?;
        let from = Some(&hit["sort"]).filter(|sort| sort.is_array());
        let from = from.ok_or_else(|| json::lacks(&["hits", "hits", "sort"]))?;
        let query = self.translate(&asked)?.query;
        // No page is asked for without events.
        let later = if after == 0 { Vec::new() } else { side(&query, false, after, Some(from))? };
        let mut earlier = if before == 0 { Vec::new() } else { side(&query, true, before, Some(from))? };
        earlier.reverse();
        let events = |hits: &[Value]| hits.iter().map(|hit| self.event(hit)).collect::<Result<Vec<_>>>();
        let surrounding =
            Surrounding { before: events(&earlier)?, event: self.event(hit)?, after: events(&later)? };
        Ok(question.answer(surrounding))
    }
}

fn gone() -> Error {
    Error::new(ErrorKind::NotFound, "the event is not in the cluster any more").hint("list the events again")
}
