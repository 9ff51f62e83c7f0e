//! The events of a rule by host, user and process: an alert for each, so that a reader sees who did it where.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use indexer::Snapshot;
use indexer::query::Filter;

use super::entities::{Entities, EntityFields};
use super::evidence::RuleQuery;
use crate::evidence::{all, named, within};
use crate::limits::{CASE_COUNTED_GROUPS, CASE_GROUPS, COUNTED_GROUPS, LISTED_GROUPS, RULE_GROUPS};

/// So many events make a combination that comes late worth looking for a rarer one.
const OFTEN: u64 = 16;

/// Events of a group that its query names one by one.
const NAMED_OF_GROUP: usize = 20;

/// A rule that fired.
#[derive(Clone, Debug)]
pub struct FoundRule {
    /// Its place among the rules of the set.
    pub rule: usize,
    pub events: u64,
    pub groups: Vec<EventGroup>,
    /// Its events that are in none of the groups, as far as they are counted.
    pub others: Option<OtherGroups>,
    /// Bins of time with events: the start of each, and how many. Bins are as wide for all rules.
    pub noise: Vec<(i64, u64)>,
}

/// Events of a rule with the same host, user and process.
#[derive(Clone, Debug)]
pub struct EventGroup {
    pub entities: Entities,
    pub events: u64,
    pub first: Option<i64>,
    pub last: Option<i64>,
    /// Selects them.
    pub query: String,
    /// The query selects more.
    pub is_wider: bool,
}

/// Events of a rule whose hosts, users and processes are too many to list.
#[derive(Clone, Debug)]
pub struct OtherGroups {
    /// How many combinations of host, user and process they have; at least so many if some are not counted one by one.
    pub groups: u64,
    pub events: u64,
    /// Of these events, those of combinations that are not counted one by one. Groups that are listed may have some of them.
    pub uncounted: u64,
    pub first: Option<i64>,
    pub last: Option<i64>,
    /// Selects these events and those of the groups.
    pub query: String,
}

/// How many events there are, and when.
#[derive(Clone, Copy, Debug, Default)]
pub struct EventCount {
    pub events: u64,
    /// How many of them have no time.
    pub untimed: u64,
    pub first: Option<i64>,
    pub last: Option<i64>,
}

impl EventCount {
    pub fn single(time: Option<i64>) -> EventCount {
        EventCount { events: 1, untimed: u64::from(time.is_none()), first: time, last: time }
    }

    pub fn add(&mut self, other: &EventCount) {
        self.events += other.events;
        self.untimed += other.untimed;
        self.first = [self.first, other.first].into_iter().flatten().min();
        self.last = self.last.max(other.last);
    }

    /// A filter within the times of the events. Those without a time have no range.
    pub fn within(&self, filter: Filter) -> Filter {
        if self.untimed > 0 { filter } else { within(filter, self.first, self.last) }
    }
}

/// The events of a group, as far as they are counted.
#[derive(Clone, Copy, Debug, Default)]
struct CountedGroup {
    count: EventCount,
    /// In how many of the segments with uncounted events all of its events are counted.
    whole: u32,
}

impl CountedGroup {
    fn add(&mut self, other: &CountedGroup) {
        self.count.add(&other.count);
        self.whole += other.whole;
    }
}

/// A group while segments are looked at.
#[derive(Clone, Debug, Default)]
pub struct GroupFound {
    counted: CountedGroup,
    /// Source and line of the first ones.
    named: Vec<(u32, u64)>,
}

impl GroupFound {
    fn add(&mut self, other: &GroupFound) {
        self.counted.add(&other.counted);
        let room = (NAMED_OF_GROUP + 1).saturating_sub(self.named.len());
        self.named.extend(other.named.iter().take(room));
    }

    /// A query for the events: named one by one if they are few, else by the condition of the rule and the values. And
    /// whether it selects more than these, as it may if not all events of the group are counted.
    fn query(
        &self,
        rule: &RuleQuery,
        entities: &Entities,
        is_whole: bool,
        fields: &EntityFields<'_>,
        snapshot: &Snapshot,
    ) -> (String, bool) {
        let count = &self.counted.count;
        if self.named.len() <= NAMED_OF_GROUP && self.named.len() as u64 == count.events {
            return (named(snapshot, &self.named).to_string(), false);
        }
        let of_entities = fields.filter(entities);
        let is_wider = !rule.is_exact || !is_whole || of_entities.is_none();
        let filter = all(vec![rule.filter.clone(), of_entities.unwrap_or(Filter::Everything)]);
        (count.within(filter).to_string(), is_wider)
    }
}

/// How many combinations are kept of one rule: with their values, and counted one by one.
#[derive(Clone, Copy, Debug)]
pub struct GroupLimits {
    pub known: usize,
    pub counted: usize,
}

impl Default for GroupLimits {
    fn default() -> GroupLimits {
        GroupLimits { known: CASE_GROUPS, counted: CASE_COUNTED_GROUPS }
    }
}

/// The events of a rule by host, user and process, in a segment or in all. The values are known of the first
/// combinations and of those with the most events. Of further ones the number of events is, by a hash of the values, and of
/// those beyond the budget only how many events they have.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    known: HashMap<Entities, GroupFound>,
    counted: HashMap<u64, CountedGroup>,
    uncounted: EventCount,
    /// In how many segments there are events that are not counted by group.
    partial: u32,
}

impl Groups {
    pub fn event(&mut self, entities: Entities, time: Option<i64>, place: (u32, u64)) {
        let counted = CountedGroup { count: EventCount::single(time), whole: 0 };
        if self.known.len() < RULE_GROUPS || self.known.contains_key(&entities) {
            self.known.entry(entities).or_default().add(&GroupFound { counted, named: vec![place] });
        } else {
            let hash = hash(&entities);
            self.count(hash, &counted, COUNTED_GROUPS);
            self.make_known(hash, entities);
        }
    }

    /// A combination that comes late and often takes the place of the known one with the fewest events. It is tried
    /// whenever its events have doubled.
    fn make_known(&mut self, hash_of_late: u64, late: Entities) {
        let events = self.counted.get(&hash_of_late).map_or(0, |group| group.count.events);
        if events < OFTEN || !events.is_power_of_two() {
            return;
        }
        let fewest = self.known.iter().map(|(entities, group)| (group.counted.count.events, entities)).min();
        let Some(rare) = fewest.filter(|(fewest, _)| *fewest < events).map(|(_, entities)| entities.clone())
        else {
            return;
        };
        let (known, counted) = (self.known.remove(&rare), self.counted.remove(&hash_of_late));
        if let (Some(known), Some(counted)) = (known, counted) {
            self.count(hash(&rare), &known.counted, COUNTED_GROUPS);
            self.known.insert(late, GroupFound { counted, named: Vec::new() });
        }
    }

    fn count(&mut self, hash: u64, group: &CountedGroup, most: usize) {
        if self.counted.len() < most || self.counted.contains_key(&hash) {
            self.counted.entry(hash).or_default().add(group);
        } else {
            self.uncounted.add(&group.count);
        }
    }

    /// Adds the combinations of a segment.
    pub fn join(&mut self, segment: Groups, most: GroupLimits) {
        // Whether some are left uncounted here is not known before they are added.
        let fits = self.counted.len() + segment.counted.len() + segment.known.len() <= most.counted;
        let whole = u32::from(segment.uncounted.events > 0 || !fits);
        self.partial += whole;
        self.uncounted.add(&segment.uncounted);
        for (entities, mut group) in segment.known {
            group.counted.whole = whole;
            if let Some(earlier) = self.counted.remove(&hash(&entities)) {
                group.counted.add(&earlier);
            }
            self.known.entry(entities).or_default().add(&group);
        }
        self.keep_most(most);
        let mut counted: Vec<(u64, CountedGroup)> = segment.counted.into_iter().collect();
        counted.sort_unstable_by_key(|(hash, group)| (Reverse(group.count.events), *hash));
        for (hash, group) in counted {
            self.count(hash, &CountedGroup { whole, ..group }, most.counted);
        }
    }

    /// Keeps the values of those with the most events, and counts the others.
    fn keep_most(&mut self, most: GroupLimits) {
        if self.known.len() <= most.known {
            return;
        }
        let mut known: Vec<(Entities, GroupFound)> = std::mem::take(&mut self.known).into_iter().collect();
        known.sort_unstable_by(|(one, of_one), (other, of_other)| {
            let (of_one, of_other) = (&of_one.counted.count, &of_other.counted.count);
            (of_other.events, one).cmp(&(of_one.events, other))
        });
        let rest = known.split_off(most.known);
        self.known = known.into_iter().collect();
        for (entities, group) in rest {
            self.count(hash(&entities), &group.counted, most.counted);
        }
    }

    /// How many combinations it keeps, and how many it counts.
    #[cfg(test)]
    pub fn numbers(&self) -> (usize, usize) {
        (self.known.len(), self.counted.len())
    }
}

/// The groups of all segments with the most events, and the events in none of them. The groups that are listed have all of
/// their events, except for uncounted ones.
pub fn listed(
    found: &Groups,
    rule: &RuleQuery,
    fields: &EntityFields<'_>,
    snapshot: &Snapshot,
) -> (Vec<EventGroup>, Option<OtherGroups>) {
    let known = found.known.iter().map(|(entities, group)| (entities, group.clone()));
    let mut groups: Vec<(&Entities, GroupFound)> = known.collect();
    let (mut rest, mut unknown) = (found.uncounted, 0);
    if !found.counted.is_empty() {
        // Segments know the values of different groups.
        let hashes = groups.iter().enumerate().map(|(place, (entities, _))| (hash(entities), place));
        let places: HashMap<u64, usize> = hashes.collect();
        for (hash, group) in &found.counted {
            if let Some(&place) = places.get(hash) {
                groups[place].1.counted.add(group);
            } else {
                rest.add(&group.count);
                unknown += 1;
            }
        }
    }
    groups.sort_by(|(one, of_one), (other, of_other)| {
        let (of_one, of_other) = (&of_one.counted.count, &of_other.counted.count);
        (of_other.events, of_one.first, one).cmp(&(of_one.events, of_other.first, other))
    });
    let unlisted = groups.split_off(groups.len().min(LISTED_GROUPS));
    for (_, group) in &unlisted {
        rest.add(&group.counted.count);
    }
    let others = OtherGroups {
        groups: (unlisted.len() + unknown) as u64,
        events: rest.events,
        uncounted: found.uncounted.events,
        first: rest.first,
        last: rest.last,
        query: rest.within(rule.filter.clone()).to_string(),
    };
    let group = |(entities, group): (&Entities, GroupFound)| {
        let is_whole = group.counted.whole == found.partial;
        let (query, is_wider) = group.query(rule, entities, is_whole, fields, snapshot);
        let EventCount { events, first, last, .. } = group.counted.count;
        EventGroup { entities: entities.clone(), events, first, last, query, is_wider }
    };
    (groups.into_iter().map(group).collect(), (others.events > 0).then_some(others))
}

fn hash(entities: &Entities) -> u64 {
    let mut hasher = DefaultHasher::new();
    entities.hash(&mut hasher);
    hasher.finish()
}
