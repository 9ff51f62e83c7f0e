//! Finds fields of different sources that hold the same values, and what the times of those values say about the clocks.
//!
//! `places` collects the values that can be ids, of fields and of words in messages; `score` tells pairs that share
//! them from those that meet by chance; `clock` estimates offsets from when shared values occur; `names` writes queries
//! over all names of an id, and `ids` reads ids under all of them.

mod clock;
mod ids;
mod names;
mod places;
mod score;
#[cfg(test)]
mod tests;
mod tokens;

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;

pub use clock::{Estimate, Jump, Meeting};
pub use ids::each_id;
pub use names::{LinkedId, LinkedValue};
pub use places::Spot;

use crate::Engine;
use crate::view::View;
use base::Cancel;
use base::error::Result;
use base::hash::Fast;
use places::{Places, Seen, SegmentReader, SpotValues};
use score::Pair;
use store::Snapshot;

/// Values that are listed of each link and clock.
const EXAMPLES: usize = 3;

/// A value in more events says when nothing happened.
const MOST_EVENTS_OF_A_MEETING: u32 = 64;

/// Offsets from events that follow each other have to be so many times what they vary, and no less than this: what
/// always takes half a second is no wrong clock.
const CLEAR: i64 = 3;
const LEAST_IN_ORDER_NS: i64 = 1_000_000_000;

/// Clocks are estimated from numbers only if this share of the smaller place is in the other one, so that few of them
/// meet by chance.
const SHARE_OF_NUMBERS: f64 = 0.5;

/// What the sources of a case have in common.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Links {
    /// Places of different formats or names that hold the same values, those with the most first.
    pub links: Vec<Link>,
    /// What is linked with the same place is one kind of id.
    pub ids: Vec<LinkedId>,
    /// Sources whose events have values in common, the largest offset first.
    pub clocks: Vec<Clock>,
    /// The share of all values that was looked at.
    pub sampled: f64,
}

/// Two places that hold the same values.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Link {
    pub ends: [LinkEnd; 2],
    /// Distinct values that both have, and their share of those of the place with fewer.
    pub shared: u64,
    pub share: f64,
    pub examples: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LinkEnd {
    pub format: String,
    pub spot: Spot,
    /// The first source of each series that has it.
    pub sources: Vec<u32>,
    /// Its distinct values.
    pub values: u64,
}

/// What is known about the clocks of two series of sources.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Clock {
    /// The first source of each. The offset is what has to be added to the times of the second.
    pub sources: [u32; 2],
    pub estimate: Estimate,
    /// The clock offset that the second source needs: what it has already, and the estimated one.
    #[serde(rename = "setNs", with = "base::json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "base::json::Nanos"))]
    pub set_ns: i64,
    /// The clocks differ by more than can be explained otherwise.
    pub differs: bool,
    /// The places whose values it is estimated from.
    pub spots: Vec<[Spot; 2]>,
    pub examples: Vec<Encounter>,
}

/// A value, and the first time of it in either source.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Encounter {
    pub value: String,
    #[serde(with = "base::json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "base::json::Nanos"))]
    pub one: i64,
    #[serde(with = "base::json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "base::json::Nanos"))]
    pub other: i64,
}

/// What is known about two clocks, and from what.
#[derive(Clone, Debug)]
pub struct SampledClock {
    pub clock: Clock,
    pub meetings: Vec<Meeting>,
}

impl Estimate {
    /// How much the offset is another one than at an earlier time, or in another case.
    #[must_use]
    pub fn moved_from(&self, earlier: &Estimate) -> Estimate {
        Estimate {
            offset_ns: self.offset_ns.saturating_sub(earlier.offset_ns),
            least_ns: self.least_ns.saturating_sub(earlier.most_ns),
            most_ns: self.most_ns.saturating_sub(earlier.least_ns),
            drift_ppm: self.drift_ppm - earlier.drift_ppm,
            at: self.at,
            values: self.values.min(earlier.values),
            nested: self.nested.min(earlier.nested),
            jump: None,
        }
    }

    /// By more than can be explained otherwise.
    #[must_use]
    pub fn differs(&self) -> bool {
        let Estimate { least_ns, most_ns, offset_ns, nested, values, jump, .. } = *self;
        if (least_ns..=most_ns).contains(&0) {
            return jump.is_some();
        }
        let least = LEAST_IN_ORDER_NS.max(CLEAR.saturating_mul(most_ns.saturating_sub(least_ns)));
        nested * 3 >= values || offset_ns.saturating_abs() >= least
    }
}

/// The links of the segments that were looked through last.
#[derive(Debug, Default)]
pub struct LinkCache(Mutex<Option<(Vec<u64>, Arc<Links>)>>);

impl LinkCache {
    fn get(&self, segments: &[u64]) -> Option<Arc<Links>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.as_ref().filter(|(known, _)| known == segments).map(|(_, links)| Arc::clone(links))
    }

    fn put(&self, segments: Vec<u64>, links: &Arc<Links>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((segments, Arc::clone(links)));
    }
}

/// Segments are immutable, so the same ones have the same links.
fn segments_of(snapshot: &Snapshot) -> Vec<u64> {
    snapshot.segments.iter().map(|segment| segment.meta.id).collect()
}

impl Engine {
    /// Looks through all events, unless that was done before. `progress` is called with the share of them that was read.
    pub fn links(
        &self,
        snapshot: &Snapshot,
        progress: &mut dyn FnMut(f64),
        cancel: &Cancel,
    ) -> Result<Arc<Links>> {
        Self::without_damaged(snapshot, |snapshot| {
            if let Some(known) = self.known_links(snapshot) {
                return Ok(known);
            }
            let found = Arc::new(self.links_of(snapshot, progress, cancel)?);
            self.links.put(segments_of(snapshot), &found);
            Ok(found)
        })
    }

    /// The links, if all of these events were looked through before.
    #[must_use]
    pub fn known_links(&self, snapshot: &Snapshot) -> Option<Arc<Links>> {
        self.links.get(&segments_of(snapshot))
    }

    /// The clocks of the sources, as the events of some views say; nothing where there is only one.
    pub fn sampled_clocks(
        &self,
        snapshot: &Snapshot,
        views: &[View],
        cancel: &Cancel,
    ) -> Result<Vec<SampledClock>> {
        let series = places::series_of(snapshot);
        if series.iter().all(|&one| one == series[0]) {
            return Ok(Vec::new());
        }
        let places = Places::collect(self, snapshot, Some(views), &mut |_| {}, cancel)?;
        let pairs = score::pairs(&places);
        Asked { engine: self, snapshot, places: &places, cancel }.clocks(&pairs)
    }

    fn links_of(&self, snapshot: &Snapshot, progress: &mut dyn FnMut(f64), cancel: &Cancel) -> Result<Links> {
        let places = Places::collect(self, snapshot, None, progress, cancel)?;
        let pairs = score::pairs(&places);
        let asked = Asked { engine: self, snapshot, places: &places, cancel };
        let links = asked.links(&pairs)?;
        let ids = names::linked_ids(&links, snapshot);
        let mut clocks: Vec<Clock> = asked.clocks(&pairs)?.into_iter().map(|found| found.clock).collect();
        clocks.sort_by_key(|clock| {
            (Reverse(clock.differs), Reverse(clock.estimate.offset_ns.saturating_abs()))
        });
        Ok(Links { links, ids, clocks, sampled: places.share() })
    }
}

struct Asked<'a> {
    engine: &'a Engine,
    snapshot: &'a Snapshot,
    places: &'a Places,
    cancel: &'a Cancel,
}

impl Asked<'_> {
    /// Pairs of places by format and name; what is one field already is left out.
    fn links(&self, pairs: &[Pair]) -> Result<Vec<Link>> {
        let mut by_name: BTreeMap<[(&str, &Spot); 2], Vec<&Pair>> = BTreeMap::new();
        for pair in pairs {
            let mut ends = pair.places.map(|at| self.named(at));
            ends.sort_unstable();
            let is_one_field =
                matches!(ends, [(_, Spot::Field(one)), (_, Spot::Field(other))] if one == other);
            if !is_one_field && ends[0] != ends[1] {
                by_name.entry(ends).or_default().push(pair);
            }
        }
        let mut links = Vec::new();
        for (ends, pairs) in by_name {
            let Some(most) = pairs.iter().max_by_key(|pair| pair.shared.len()) else { continue };
            let mut shared: Vec<u64> = pairs.iter().flat_map(|pair| pair.shared.iter().copied()).collect();
            shared.sort_unstable();
            shared.dedup();
            let ends = ends.map(|end| self.end(end, &pairs));
            let smaller = ends.iter().map(|end| end.values).min().unwrap_or(1).max(1);
            let count = self.whole(shared.len());
            links.push(Link {
                shared: count,
                share: (count as f64 / smaller as f64).min(1.0),
                examples: self.examples(&self.places.all[most.places[0]], &shared)?,
                ends,
            });
        }
        links.sort_by_key(|link| Reverse(link.shared));
        Ok(links)
    }

    fn named(&self, place: usize) -> (&str, &Spot) {
        let place = &self.places.all[place];
        let source = self.snapshot.sources().get(place.series as usize);
        (source.map_or("", |source| &source.format), &place.spot)
    }

    fn end(&self, named: (&str, &Spot), pairs: &[&Pair]) -> LinkEnd {
        let mut places: Vec<usize> =
            pairs.iter().flat_map(|pair| pair.places).filter(|&at| self.named(at) == named).collect();
        places.sort_unstable();
        places.dedup();
        let mut values: Vec<u64> =
            places.iter().flat_map(|&at| self.places.all[at].values.keys().copied()).collect();
        values.sort_unstable();
        values.dedup();
        let mut sources: Vec<u32> = places.iter().map(|&at| self.places.all[at].series).collect();
        sources.sort_unstable();
        sources.dedup();
        LinkEnd {
            format: named.0.to_owned(),
            spot: named.1.clone(),
            sources,
            values: self.whole(values.len()),
        }
    }

    /// How many there are if the sample has so many.
    fn whole(&self, sampled: usize) -> u64 {
        (sampled as f64 / self.places.share()).round() as u64
    }

    fn examples(&self, place: &SpotValues, shared: &[u64]) -> Result<Vec<String>> {
        let seen = shared.iter().filter_map(|hash| Some((*hash, *place.values.get(hash)?)));
        let mut examples = Vec::new();
        for (hash, seen) in seen.take(EXAMPLES) {
            examples.extend(self.written(place, hash, seen)?);
        }
        Ok(examples)
    }

    fn written(&self, place: &SpotValues, hash: u64, seen: Seen) -> Result<Option<String>> {
        let (segment, row) = seen.example;
        let reader = SegmentReader {
            engine: self.engine,
            segment: &self.snapshot.segments[segment as usize],
            index: segment,
            series: &self.places.series,
        };
        reader.written(&place.spot, hash, row, self.cancel)
    }

    fn clocks(&self, pairs: &[Pair]) -> Result<Vec<SampledClock>> {
        let mut by_series: BTreeMap<[u32; 2], Vec<(&Pair, bool)>> = BTreeMap::new();
        for pair in pairs {
            let series = pair.places.map(|at| self.places.all[at].series);
            let is_turned = series[0] > series[1];
            let key = if is_turned { [series[1], series[0]] } else { series };
            by_series.entry(key).or_default().push((pair, is_turned));
        }
        let mut clocks = Vec::new();
        for (sources, mut pairs) in by_series {
            let has_texts = pairs.iter().any(|(pair, _)| !pair.of_numbers);
            pairs.retain(|(pair, _)| !pair.of_numbers || (!has_texts && pair.share >= SHARE_OF_NUMBERS));
            let mut meetings: HashMap<u64, Meeting, Fast> = HashMap::default();
            let mut spots = Vec::new();
            for (pair, is_turned) in &pairs {
                let [mut one, mut other] = pair.places.map(|at| &self.places.all[at]);
                if *is_turned {
                    (one, other) = (other, one);
                }
                spots.push([one.spot.clone(), other.spot.clone()]);
                for meeting in pair.shared.iter().filter_map(|&hash| meeting(hash, one, other)) {
                    meetings.entry(meeting.hash).and_modify(|known| known.absorb(meeting)).or_insert(meeting);
                }
            }
            let mut meetings: Vec<Meeting> = meetings.into_values().collect();
            meetings.sort_unstable_by_key(|meeting| (meeting.one.0, meeting.hash));
            let Some(estimate) = clock::estimate(&meetings) else { continue };
            let examples = self.meetings_written(&pairs, &meetings)?;
            let known = self.snapshot.sources().get(sources[1] as usize);
            let known = known.map_or(0, |source| source.reading.clock_offset_ns);
            let clock = Clock {
                sources,
                estimate,
                set_ns: known.saturating_add(estimate.offset_ns),
                differs: estimate.differs(),
                spots,
                examples,
            };
            clocks.push(SampledClock { clock, meetings });
        }
        Ok(clocks)
    }

    /// Some values, spread over the time.
    fn meetings_written(&self, pairs: &[(&Pair, bool)], meetings: &[Meeting]) -> Result<Vec<Encounter>> {
        let mut examples = Vec::new();
        for nth in 0..EXAMPLES {
            let Some(meeting) = meetings.get((2 * nth + 1) * meetings.len() / (2 * EXAMPLES)) else {
                continue;
            };
            let mut places = pairs.iter().map(|(pair, _)| &self.places.all[pair.places[0]]);
            let seen = places.find_map(|place| Some((place, *place.values.get(&meeting.hash)?)));
            if let Some((place, seen)) = seen
                && let Some(value) = self.written(place, meeting.hash, seen)?
            {
                examples.push(Encounter { value, one: meeting.one.0, other: meeting.other.0 });
            }
        }
        Ok(examples)
    }
}

impl Meeting {
    fn absorb(&mut self, other: Meeting) {
        let both = |one: (i64, i64), other: (i64, i64)| (one.0.min(other.0), one.1.max(other.1));
        self.one = both(self.one, other.one);
        self.other = both(self.other, other.other);
    }
}

fn meeting(hash: u64, one: &SpotValues, other: &SpotValues) -> Option<Meeting> {
    let (one, other) = (one.values.get(&hash)?, other.values.get(&hash)?);
    let is_brief = one.events.max(other.events) <= MOST_EVENTS_OF_A_MEETING;
    is_brief.then_some(Meeting { hash, one: (one.first, one.last), other: (other.first, other.last) })
}
