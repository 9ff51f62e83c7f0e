//! A result as rows that are counted from 0: any page of it, and the row of a time or an event.
//!
//! Clusters go from one page to the next (`search_after`) and do not jump. Where a page is far from all pages that are
//! known, the time at which it begins is found by counts over time that become narrower. All of it is one point in time,
//! so that rows do not move; when the cluster has given it up, another one begins.

use std::collections::BTreeMap;

use indexer::query::Filter;
use indexer::{Error, ErrorKind, Result, SortBy};
use serde_json::{Value, json};

use crate::client::{Body, Flavour};
use crate::cluster::{Asked, Cluster, Missing};
use crate::dsl::Inexact;
use crate::json;
use crate::limits::{ANCHORS, KEEP_ALIVE, NARROWED_EVENTS, PAGE_EVENTS, WALKS, WINDOW};
use crate::questions::events::Point;
use crate::questions::{Answer, Question, RemoteEvent, total};

const MILLISECOND: i64 = 1_000_000;

/// Bins of the counts by which the time of a row is found.
const NARROWING_BINS: i64 = 500;

/// Narrowings from all times to a millisecond, with some to spare.
const NARROWINGS: usize = 12;

/// An ordered result that stays the same while it is looked at.
#[derive(Debug)]
pub struct Listing {
    asked: Asked,
    sort: SortBy,
    query: Value,
    order: Vec<Value>,
    inexact: Vec<Inexact>,
    notes: Vec<String>,
    point: Option<Point>,
    /// Whether the cluster has given up the point in time.
    is_over: bool,
    total: u64,
    untimed: u64,
    /// The first and the last time in milliseconds.
    ends: Option<(i64, i64)>,
    /// What the row before is sorted by, for rows whose page was read.
    anchors: BTreeMap<u64, Value>,
    /// The row with which a part of the result begins, and the query of that part.
    landmark: Option<(u64, Value)>,
    /// The last counts over the whole of some times.
    counted: Option<(Stretch, Counts)>,
    missing: Missing,
}

/// Counts over a stretch of time, by the milliseconds at which bins begin; those without events are not there.
pub(crate) type Counts = Vec<(i64, u64)>;

/// Milliseconds from the first to the last, and the width of bins in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stretch {
    pub first: i64,
    pub last: i64,
    pub width: i64,
}

impl Stretch {
    /// As many bins as one request counts.
    pub(crate) fn new(first: i64, last: i64) -> Stretch {
        Stretch { first, last, width: (last - first) / NARROWING_BINS + 1 }
    }

    /// The part of it in the bin that begins so.
    pub(crate) fn bin(self, key: i64) -> Stretch {
        Stretch::new(key.max(self.first), (key + self.width - 1).min(self.last))
    }
}

/// Where a page is read from.
struct Start {
    query: Value,
    after: Option<Value>,
    /// Rows between there and the page.
    skip: u64,
}

impl Listing {
    pub fn new(cluster: &Cluster, asked: &Asked, sort: &SortBy) -> Result<Listing> {
        let mut question = Question::new(cluster, asked)?;
        let order = vec![question.order(sort)?, cluster.tiebreak(sort.descending)];
        let mut listing = Listing {
            asked: asked.clone(),
            sort: sort.clone(),
            order,
            query: question.query,
            inexact: question.inexact,
            notes: question.notes,
            point: None,
            is_over: false,
            total: 0,
            untimed: 0,
            ends: None,
            anchors: BTreeMap::new(),
            landmark: None,
            counted: None,
            missing: Missing::default(),
        };
        listing.begin(cluster)?;
        Ok(listing)
    }

    /// Leaves the point in time to the cluster, because nothing may connect to it any more.
    pub fn leave(&mut self) {
        if let Some(point) = &mut self.point {
            point.is_left = true;
        }
    }

    /// All rows.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Rows with a time.
    pub(crate) fn timed(&self) -> u64 {
        self.total.saturating_sub(self.untimed)
    }

    /// The first and the last time in milliseconds.
    pub(crate) fn ends(&self) -> Option<(i64, i64)> {
        self.ends
    }

    fn begin(&mut self, cluster: &Cluster) -> Result<()> {
        self.anchors.clear();
        (self.landmark, self.counted) = (None, None);
        self.is_over = false;
        self.point = cluster.point()?;
        if self.point.is_none() {
            self.order = vec![self.order[0].clone(), json!({"_doc": {"order": "asc"}})];
            let note = "the server has no points in time: events that arrive meanwhile may shift pages";
            if !self.notes.iter().any(|known| known == note) {
                self.notes.push(note.to_owned());
            }
        }
        let time = &cluster.schema.time;
        let body = json!({"size": 0, "track_total_hits": true, "query": self.query, "aggs": {
            "first": {"min": {"field": time}}, "last": {"max": {"field": time}},
            "there": {"filter": {"exists": {"field": time}}}}});
        let answer = self.search(cluster, body)?;
        let found = &answer["aggregations"];
        self.total = total(&answer)?;
        self.untimed = self.total.saturating_sub(found["there"]["doc_count"].as_u64().unwrap_or(0));
        self.ends = cluster
            .times(found)
            .map(|(first, last)| (first.div_euclid(MILLISECOND), last.div_euclid(MILLISECOND)));
        Ok(())
    }

    /// Runs what asks the point in time; once more if the cluster had given it up.
    fn asking<T>(
        &mut self,
        cluster: &Cluster,
        ask: &dyn Fn(&mut Listing, &Cluster) -> Result<T>,
    ) -> Result<Answer<T>> {
        self.missing = Missing::default();
        let mut answer = ask(self, cluster);
        if answer.is_err() && self.is_over {
            self.begin(cluster)?;
            answer = ask(self, cluster);
        }
        let (inexact, notes) = (self.inexact.clone(), self.notes.clone());
        answer.map(|value| Answer { value, inexact, missing: cluster.lacking(self.missing.clone()), notes })
    }

    fn search(&mut self, cluster: &Cluster, mut body: Value) -> Result<Value> {
        let Some(point) = &mut self.point else {
            let answer = cluster.search(body)?;
            self.missing.add(Missing::read(&answer)?);
            return Ok(answer);
        };
        body["pit"] = json!({"id": point.id, "keep_alive": KEEP_ALIVE});
        let reply = cluster.client.call("POST", "/_search", &Body::Json(body))?;
        self.is_over = reply.status == 404;
        let answer = cluster.client.ok(reply)?;
        if let Some(id) = answer["pit_id"].as_str() {
            id.clone_into(&mut point.id);
        }
        self.missing.add(Missing::read(&answer)?);
        Ok(answer)
    }

    /// Rows from `first` on.
    pub fn page(&mut self, cluster: &Cluster, first: u64, count: usize) -> Result<Answer<Vec<RemoteEvent>>> {
        self.asking(cluster, &|listing, cluster| listing.rows(cluster, first, count))
    }

    fn rows(&mut self, cluster: &Cluster, first: u64, count: usize) -> Result<Vec<RemoteEvent>> {
        let count = (count.min(PAGE_EVENTS) as u64).min(self.total.saturating_sub(first));
        if count == 0 {
            return Ok(Vec::new());
        }
        let mut start = self.start(cluster, first)?;
        let mut body = self.body(cluster, &start.query, count, true);
        if start.after.is_none() && start.skip + count <= WINDOW {
            body["from"] = start.skip.into();
        } else {
            self.walk(cluster, &mut start)?;
        }
        if let Some(after) = start.after {
            body["search_after"] = after;
        }
        let answer = self.search(cluster, body)?;
        let hits = json::list(&answer, &["hits", "hits"])?;
        if hits.len() as u64 > count {
            return Err(Error::new(ErrorKind::Corrupt, "the cluster sent more events than were asked for"));
        }
        if let Some(sort) = hits.last().map(|hit| &hit["sort"]).filter(|sort| sort.is_array())
            && self.missing.is_empty()
        {
            if self.anchors.len() >= ANCHORS {
                self.anchors.clear();
            }
            self.anchors.insert(first + hits.len() as u64, sort.clone());
        }
        let mut rows = hits.iter().map(|hit| cluster.event(hit)).collect::<Result<Vec<_>>>()?;
        // A part of the time ends with its last event; those without a time follow.
        if !rows.is_empty() && (rows.len() as u64) < count && first + rows.len() as u64 == self.timed() {
            rows.extend(self.rows(cluster, self.timed(), (count as usize) - rows.len())?);
        }
        Ok(rows)
    }

    fn body(&self, cluster: &Cluster, query: &Value, size: u64, is_whole: bool) -> Value {
        let mut body = json!({
            "size": size, "track_total_hits": false, "query": query, "sort": self.order, "_source": is_whole});
        if is_whole {
            body["fields"] = cluster.time_field();
        }
        body
    }

    /// Goes on over the rows before the page.
    fn walk(&mut self, cluster: &Cluster, start: &mut Start) -> Result<()> {
        for _ in 0..WALKS {
            if start.skip == 0 {
                return Ok(());
            }
            let step = start.skip.min(WINDOW);
            let mut body = self.body(cluster, &start.query, step, false);
            if let Some(after) = &start.after {
                body["search_after"] = after.clone();
            }
            let answer = self.search(cluster, body)?;
            let last = json::list(&answer, &["hits", "hits"])?.last().map(|hit| hit["sort"].clone());
            start.after = Some(last.filter(Value::is_array).ok_or_else(changed)?);
            start.skip -= step;
        }
        if start.skip == 0 {
            return Ok(());
        }
        Err(crowded())
    }

    fn start(&mut self, cluster: &Cluster, first: u64) -> Result<Start> {
        let known = self.anchors.range(..=first).next_back();
        let known = known.filter(|(row, _)| first - **row <= WINDOW);
        // Rows after the beginning of a part need no request of their own to be passed over.
        let landmark = self.landmark.as_ref().filter(|(row, _)| *row <= first);
        let landmark = landmark.filter(|(row, _)| first - row + PAGE_EVENTS as u64 <= WINDOW);
        if let Some((row, query)) = landmark.filter(|(row, _)| known.is_none_or(|(known, _)| known < row)) {
            return Ok(Start { query: query.clone(), after: None, skip: first - row });
        }
        if let Some((row, sort)) = known {
            return Ok(Start { query: self.query.clone(), after: Some(sort.clone()), skip: first - row });
        }
        if first + PAGE_EVENTS as u64 <= WINDOW {
            return Ok(Start { query: self.query.clone(), after: None, skip: first });
        }
        if self.sort.field != "time" {
            let message =
                format!("rows beyond the first {WINDOW} of this order are not reached at a cluster");
            return Err(Error::new(ErrorKind::Limit, message).hint("take a filter, or sort by time"));
        }
        let timed = self.total.saturating_sub(self.untimed);
        if first >= timed {
            let none = json!({"bool": {"must_not": [{"exists": {"field": cluster.schema.time}}]}});
            return Ok(Start { query: self.and(&none), after: None, skip: first - timed });
        }
        self.narrowed(cluster, first)
    }

    fn and(&self, condition: &Value) -> Value {
        json!({"bool": {"filter": [self.query, condition]}})
    }

    /// The condition that a time is in a range of milliseconds, both ends included.
    fn between(cluster: &Cluster, first: Option<i64>, last: Option<i64>) -> Value {
        let mut range = json!({"format": "epoch_millis"});
        for (key, at) in [("gte", first), ("lte", last)] {
            if let Some(at) = at {
                range[key] = at.to_string().into();
            }
        }
        json!({"range": {&cluster.schema.time: range}})
    }

    /// The query of all rows from a part of the time on, in the order of this listing.
    fn rows_from(&self, cluster: &Cluster, part: Stretch) -> Value {
        let (first, last) =
            if self.sort.descending { (None, Some(part.last)) } else { (Some(part.first), None) };
        self.and(&Self::between(cluster, first, last))
    }

    /// Counts in bins of time, in the order of time.
    fn counts(&mut self, cluster: &Cluster, stretch: Stretch) -> Result<Counts> {
        let width = stretch.width;
        let bins = json!({"date_histogram": {"field": cluster.schema.time, "fixed_interval": format!("{width}ms"),
            "time_zone": "UTC", "min_doc_count": 1}});
        let query = self.and(&Self::between(cluster, Some(stretch.first), Some(stretch.last)));
        let body = json!({"size": 0, "track_total_hits": false, "query": query, "aggs": {"t": bins}});
        let answer = self.search(cluster, body)?;
        let mut counts = Vec::new();
        for bucket in json::list(&answer["aggregations"]["t"], &["buckets"])? {
            let key = bucket["key"].as_f64().ok_or_else(|| json::lacks(&["buckets", "key"]))?;
            counts.push((key as i64, json::count(bucket, &["doc_count"])?));
        }
        Ok(counts)
    }

    /// The same for somebody who looks for a row in several listings; those of the last whole stretch are kept.
    pub(crate) fn counts_over(
        &mut self,
        cluster: &Cluster,
        stretch: Stretch,
        keep: bool,
    ) -> Result<Answer<Counts>> {
        if let Some((_, counts)) = self.counted.as_ref().filter(|(known, _)| keep && *known == stretch) {
            let (inexact, notes) = (self.inexact.clone(), self.notes.clone());
            return Ok(Answer { value: counts.clone(), inexact, missing: cluster.missing.clone(), notes });
        }
        let answer = self.asking(cluster, &|listing, cluster| listing.counts(cluster, stretch))?;
        if keep && self.missing.is_empty() {
            self.counted = Some((stretch, answer.value.clone()));
        }
        Ok(answer)
    }

    /// The times of the rows in a part of the time, in the order of this listing. `row` is the first of them; pages near it
    /// are read from there.
    pub(crate) fn times_in(
        &mut self,
        cluster: &Cluster,
        part: Stretch,
        row: u64,
    ) -> Result<Answer<Vec<i64>>> {
        self.asking(cluster, &|listing, cluster| listing.times(cluster, part, row))
    }

    fn times(&mut self, cluster: &Cluster, part: Stretch, row: u64) -> Result<Vec<i64>> {
        let query = self.and(&Self::between(cluster, Some(part.first), Some(part.last)));
        let (mut times, mut after) = (Vec::new(), None);
        for _ in 0..WALKS {
            let mut body = self.body(cluster, &query, WINDOW, false);
            body["fields"] = cluster.time_field();
            if let Some(after) = &after {
                body["search_after"] = Value::clone(after);
            }
            let answer = self.search(cluster, body)?;
            let hits = json::list(&answer, &["hits", "hits"])?;
            for hit in hits {
                times.push(cluster.event(hit)?.time.ok_or_else(changed)?);
            }
            if hits.len() < WINDOW as usize {
                self.landmark = Some((row, self.rows_from(cluster, part)));
                return Ok(times);
            }
            after = hits.last().map(|hit| hit["sort"].clone());
        }
        Err(crowded())
    }

    /// Finds when a row is, by counts over time.
    fn narrowed(&mut self, cluster: &Cluster, first: u64) -> Result<Start> {
        let (low, high) = self.ends.ok_or_else(changed)?;
        let mut part = Stretch::new(low, high);
        let mut skip = first;
        for _ in 0..NARROWINGS {
            let mut buckets = self.counts(cluster, part)?;
            if self.sort.descending {
                buckets.reverse();
            }
            let held = buckets.into_iter().find(|(_, count)| {
                let is_held = skip < *count;
                skip -= if is_held { 0 } else { *count };
                is_held
            });
            let (key, count) = held.ok_or_else(changed)?;
            let width = part.width;
            part = part.bin(key);
            if count <= NARROWED_EVENTS || width == 1 {
                break;
            }
        }
        Ok(Start { query: self.rows_from(cluster, part), after: None, skip })
    }

    /// The first row at or past a time in the order of times.
    pub fn row_of_time(&mut self, cluster: &Cluster, time: i64) -> Result<Answer<u64>> {
        self.asking(cluster, &|listing, cluster| listing.rows_before(cluster, time))
    }

    fn rows_before(&mut self, cluster: &Cluster, time: i64) -> Result<u64> {
        let (from, to) =
            if self.sort.descending { (Some(time.saturating_add(1)), None) } else { (None, Some(time)) };
        let range = Asked { filter: Filter::Everything, from, to, zone: self.asked.zone.clone() };
        let query = self.and(&cluster.translate(&range)?.query);
        let answer = self.search(cluster, json!({"size": 0, "track_total_hits": true, "query": query}))?;
        total(&answer)
    }

    /// The row of an event; nothing where it is not in the result, or has no time.
    pub fn row_of_event(&mut self, cluster: &Cluster, event: (&str, &str)) -> Result<Answer<Option<u64>>> {
        self.asking(cluster, &|listing, cluster| listing.row_of(cluster, event))
    }

    fn row_of(&mut self, cluster: &Cluster, (index, id): (&str, &str)) -> Result<Option<u64>> {
        let body = self.body(cluster, &self.and(&of_event(index, id)), 1, true);
        let answer = self.search(cluster, body)?;
        let Some(hit) = json::list(&answer, &["hits", "hits"])?.first() else { return Ok(None) };
        let Some(time) = cluster.event(hit)?.time else { return Ok(None) };
        let mut row = self.rows_before(cluster, time)?;
        let at = Asked {
            filter: Filter::Everything,
            from: Some(time),
            to: Some(time.saturating_add(1)),
            zone: self.asked.zone.clone(),
        };
        let query = self.and(&cluster.translate(&at)?.query);
        let mut after: Option<Value> = None;
        for _ in 0..WALKS {
            let mut body = self.body(cluster, &query, PAGE_EVENTS as u64, false);
            if let Some(after) = &after {
                body["search_after"] = after.clone();
            }
            let answer = self.search(cluster, body)?;
            let hits = json::list(&answer, &["hits", "hits"])?;
            let is_it = |hit: &Value| hit["_index"] == index && hit["_id"] == id;
            if let Some(place) = hits.iter().position(is_it) {
                return Ok(Some(row + place as u64));
            }
            row += hits.len() as u64;
            after = hits.last().map(|hit| hit["sort"].clone());
            if hits.len() < PAGE_EVENTS {
                break;
            }
        }
        Ok(None)
    }

    /// The next row, after one or from an end on, that matches another filter too.
    pub fn next_row(
        &mut self,
        cluster: &Cluster,
        wanted: &Filter,
        from: Option<u64>,
        backward: bool,
    ) -> Result<Answer<Option<u64>>> {
        self.asking(cluster, &|listing, cluster| listing.next_of(cluster, wanted, from, backward))
    }

    fn next_of(
        &mut self,
        cluster: &Cluster,
        wanted: &Filter,
        from: Option<u64>,
        backward: bool,
    ) -> Result<Option<u64>> {
        let after = match from {
            Some(row) => {
                let mut start = self.start(cluster, row)?;
                self.walk(cluster, &mut start)?;
                let mut body = self.body(cluster, &start.query, 1, false);
                if let Some(after) = start.after {
                    body["search_after"] = after;
                }
                let answer = self.search(cluster, body)?;
                let hit = json::list(&answer, &["hits", "hits"])?.first();
                let Some(sort) = hit.map(|hit| hit["sort"].clone()) else { return Ok(None) };
                Some(sort)
            }
            None => None,
        };
        let asked = Asked { filter: wanted.clone(), ..Asked::everything() };
        let query = self.and(&cluster.translate(&asked)?.query);
        let mut body = self.body(cluster, &query, 1, false);
        if backward {
            let sort = SortBy { descending: !self.sort.descending, ..self.sort.clone() };
            let order = Question::new(cluster, &Asked::everything())?.order(&sort)?;
            body["sort"] = json!([order, cluster.tiebreak(sort.descending)]);
        }
        if let Some(after) = after {
            body["search_after"] = after;
        }
        let answer = self.search(cluster, body)?;
        let Some(hit) = json::list(&answer, &["hits", "hits"])?.first() else { return Ok(None) };
        let text = |key: &str| hit[key].as_str().unwrap_or_default();
        self.row_of(cluster, (text("_index"), text("_id")))
    }
}

fn crowded() -> Error {
    Error::new(ErrorKind::Limit, "too many events there have the same time to count them one by one")
        .hint("take a filter, or the other direction")
}

fn changed() -> Error {
    Error::new(ErrorKind::Changed, "the events changed while they were listed").hint("try it again")
}

/// The query of one document.
pub(super) fn of_event(index: &str, id: &str) -> Value {
    json!({"bool": {"filter": [{"ids": {"values": [id]}}, {"term": {"_index": index}}]}})
}

impl Cluster {
    /// What orders events of the same time, the same way for as long as a point in time is there.
    pub(super) fn tiebreak(&self, descending: bool) -> Value {
        let order = if descending { "desc" } else { "asc" };
        let mut numbers = self.version.split(['.', '-']).map_while(|part| part.parse::<u32>().ok());
        let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
        match self.flavour {
            Flavour::OpenSearch if version < (3, 3) => json!({"_id": {"order": order}}),
            _ => json!({"_shard_doc": {"order": order}}),
        }
    }

    /// The field with the time, as events are read.
    pub(super) fn time_field(&self) -> Value {
        json!([{"field": self.schema.time, "format": "strict_date_optional_time_nanos"}])
    }
}
