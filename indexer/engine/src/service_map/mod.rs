//! Who follows whom: consecutive events of one id that are of different services, as nodes and edges.
//!
//! An event belongs to the node that its value of a field names. The events of each id are put in the order of the case;
//! where the node changes, that is a step along an edge, and the time between the two events is its gap. What a log does
//! not say is not guessed: who called whom is who wrote next.

#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use ingest::{Level, NO_TIME};
use serde::Serialize;

use crate::Engine;
use crate::aggregate::{AggregateScope, GlobalValues};
use crate::exec::in_order;
use crate::links::{Spot, each_id};
use crate::view::View;
use base::Cancel;
use base::error::Result;
use base::limits::{MOST_MAP_EVENTS, MOST_MAP_NODES};
use store::{Snapshot, with_codes};

/// Names of the field that usually names the service of an event, the most usual first.
pub const SERVICE_FIELDS: [&str; 4] = ["service", "service.name", "service_name", "serviceName"];

/// The one of these fields that names the services.
#[must_use]
pub fn service_field<S: AsRef<str>>(fields: &[S]) -> Option<&'static str> {
    SERVICE_FIELDS.into_iter().find(|name| fields.iter().any(|field| field.as_ref() == *name))
}

/// Services and the steps between them.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ServiceMap {
    /// The most frequent first; what is too much for a picture is the last one, without a name.
    pub nodes: Vec<ServiceNode>,
    /// The most frequent first.
    pub edges: Vec<ServiceEdge>,
    /// Different ids, and their events.
    pub ids: u64,
    pub events: u64,
    /// Matching events without an id, a time or a node.
    pub without: u64,
    /// From the first to the last of the events.
    #[serde(with = "base::json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "base::json::Nanos"))]
    pub span_ns: i64,
    /// The share of all ids that was looked at.
    pub sampled: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ServiceNode {
    pub name: Option<String>,
    pub events: u64,
    pub ids: u64,
    /// Events with the level error or a worse one.
    pub errors: u64,
}

/// Steps from one node to another.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ServiceEdge {
    /// Places in the list of nodes.
    pub from: u32,
    pub to: u32,
    pub count: u64,
    /// Median and 95th percentile of the time between the two events, by nearest rank.
    #[serde(with = "base::json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "base::json::Nanos"))]
    pub p50_ns: i64,
    #[serde(with = "base::json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "base::json::Nanos"))]
    pub p95_ns: i64,
    /// Steps whose second event is an error.
    pub errors: u64,
}

/// An event of an id, in the order of the case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Visit {
    id: u64,
    time: i64,
    source: u32,
    offset: u64,
    node: u32,
    is_error: bool,
}

impl Engine {
    /// The steps between the values of `node` of events with the same id, which is read from `places`: the first one that
    /// an event has. `progress` is called with the share of the events that was read.
    pub fn service_map(
        &self,
        snapshot: &Snapshot,
        view: &View,
        (places, node): (&[Spot], &str),
        progress: &mut dyn FnMut(f64),
        cancel: &Cancel,
    ) -> Result<ServiceMap> {
        Self::without_damaged(snapshot, |snapshot| {
            self.service_map_of(snapshot, view, (places, node), progress, cancel)
        })
    }

    fn service_map_of(
        &self,
        snapshot: &Snapshot,
        view: &View,
        (places, node): (&[Spot], &str),
        progress: &mut dyn FnMut(f64),
        cancel: &Cancel,
    ) -> Result<ServiceMap> {
        let view = &self.resolved(snapshot, view)?;
        for place in places {
            if let Spot::Field(name) = place {
                Self::check_known(snapshot, name)?;
            }
        }
        Self::check_known(snapshot, node)?;
        let asked = AggregateScope { case: self, snapshot, view, cancel };
        let nodes = GlobalValues::load(self, snapshot, node, cancel)?;
        let mut visits = Visits::default();
        let gather = |index: usize| visits_of(&asked, index, places, &nodes);
        in_order(snapshot.segments.len(), cancel, gather, |index, (found, matching)| {
            visits.matching += matching;
            visits.add(found);
            progress(asked.share(index));
            Ok(())
        })?;
        let name = |code: u32| nodes.values([code]).pop().flatten().map(|value| value.to_string());
        Ok(visits.into_map(name))
    }
}

fn visits_of(
    asked: &AggregateScope<'_>,
    index: usize,
    places: &[Spot],
    nodes: &GlobalValues,
) -> Result<(Vec<Visit>, u64)> {
    let Some(part) = asked.part(index)? else { return Ok((Vec::new(), 0)) };
    let Some(coded) = &nodes.segments[index] else { return Ok((Vec::new(), part.len() as u64)) };
    let (keys, levels) = (part.segment.event_keys()?, part.segment.levels()?);
    let mut visits = Vec::new();
    with_codes!(&coded.column.codes, codes => {
        each_id(asked.case, asked.snapshot, &part, places, asked.cancel, |row, id| {
            let node = coded.shared[u64::from(codes[row]) as usize];
            let (time, source, offset) = keys.key(row);
            if node != 0 && time != NO_TIME {
                let is_error = levels.get(row) >= Level::Error;
                visits.push(Visit { id, time, source, offset, node, is_error });
            }
        })?;
    });
    Ok((visits, part.len() as u64))
}

/// The events that were read, of a sample of the ids where there are too many.
#[derive(Debug)]
struct Visits {
    all: Vec<Visit>,
    /// Only ids whose hash is no larger are kept.
    threshold: u64,
    /// Events with an id, whether it is in the sample or not.
    with_id: u64,
    matching: u64,
    most: usize,
}

impl Default for Visits {
    fn default() -> Visits {
        Visits { all: Vec::new(), threshold: u64::MAX, with_id: 0, matching: 0, most: MOST_MAP_EVENTS }
    }
}

impl Visits {
    /// An id is in the sample with all of its events or with none.
    fn add(&mut self, found: Vec<Visit>) {
        self.with_id += found.len() as u64;
        let threshold = self.threshold;
        self.all.extend(found.into_iter().filter(|visit| visit.id <= threshold));
        while self.all.len() > self.most && self.threshold > 0 {
            self.threshold /= 2;
            let threshold = self.threshold;
            self.all.retain(|visit| visit.id <= threshold);
        }
    }

    fn into_map(mut self, name: impl Fn(u32) -> Option<String>) -> ServiceMap {
        self.all.sort_unstable();
        let places = node_places(&self.all);
        let place = |visit: &Visit| places.get(&visit.node).copied().unwrap_or(MOST_MAP_NODES as u32);
        let mut nodes: BTreeMap<u32, ServiceNode> = BTreeMap::new();
        for (&code, &at) in &places {
            nodes.insert(at, ServiceNode { name: name(code), events: 0, ids: 0, errors: 0 });
        }
        let mut edges: BTreeMap<(u32, u32), (Vec<i64>, u64)> = BTreeMap::new();
        let (mut ids, mut seen): (u64, Vec<u32>) = (0, Vec::new());
        let mut before: Option<&Visit> = None;
        for visit in &self.all {
            let at = place(visit);
            let known = before.filter(|before| before.id == visit.id);
            if known.is_none() {
                ids += 1;
                seen.clear();
            }
            let node = nodes.entry(at).or_insert(ServiceNode { name: None, events: 0, ids: 0, errors: 0 });
            node.events += 1;
            node.errors += u64::from(visit.is_error);
            if !seen.contains(&at) {
                seen.push(at);
                node.ids += 1;
            }
            if let Some(known) = known.filter(|known| place(known) != at) {
                let edge = edges.entry((place(known), at)).or_default();
                edge.0.push(visit.time.saturating_sub(known.time));
                edge.1 += u64::from(visit.is_error);
            }
            before = Some(visit);
        }
        let times = || self.all.iter().map(|visit| visit.time);
        let span_ns = times().max().zip(times().min()).map_or(0, |(last, first)| last.saturating_sub(first));
        let mut edges: Vec<ServiceEdge> = edges
            .into_iter()
            .map(|((from, to), (mut gaps, errors))| {
                gaps.sort_unstable();
                let rank = |share: f64| gaps[(share * (gaps.len() - 1) as f64).round() as usize];
                let (p50_ns, p95_ns) = (rank(0.5), rank(0.95));
                ServiceEdge { from, to, count: gaps.len() as u64, p50_ns, p95_ns, errors }
            })
            .collect();
        edges.sort_by_key(|edge| (Reverse(edge.count), edge.from, edge.to));
        ServiceMap {
            nodes: nodes.into_values().collect(),
            edges,
            ids,
            events: self.all.len() as u64,
            without: self.matching.saturating_sub(self.with_id),
            span_ns,
            sampled: self.threshold as f64 / u64::MAX as f64,
        }
    }
}

/// The places of the most frequent nodes, by their codes.
fn node_places(visits: &[Visit]) -> BTreeMap<u32, u32> {
    let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
    for visit in visits {
        *counts.entry(visit.node).or_default() += 1;
    }
    let mut codes: Vec<(u64, u32)> = counts.into_iter().map(|(code, count)| (count, code)).collect();
    codes.sort_by_key(|&(count, code)| (Reverse(count), code));
    codes.truncate(MOST_MAP_NODES);
    (0..).zip(codes).map(|(at, (_, code))| (code, at)).collect()
}
