//! The events of a rule by host, user and process: an alert for each, so that a reader sees who did it where.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use indexer::Snapshot;
use indexer::query::Filter;

use super::entities::{Entities, EntityFields};
use super::evidence::RuleQuery;
use crate::evidence::{all, named, within};
use crate::limits::{LISTED_GROUPS, RULE_GROUPS};

/// Events of a group that its query names one by one.
const NAMED_OF_GROUP: usize = 20;

/// A rule that fired.
#[derive(Clone, Debug)]
pub struct FoundRule {
    /// Its place among the rules of the set.
    pub rule: usize,
    pub events: u64,
    pub groups: Vec<EventGroup>,
    /// Its events that are in none of the groups.
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
    /// How many combinations of host, user and process they have.
    pub groups: u64,
    pub events: u64,
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

/// The same while segments are looked at.
#[derive(Clone, Debug, Default)]
pub struct GroupFound {
    count: EventCount,
    /// Source and line of the first ones.
    named: Vec<(u32, u64)>,
}

impl GroupFound {
    fn add(&mut self, other: &GroupFound) {
        self.count.add(&other.count);
        let room = (NAMED_OF_GROUP + 1).saturating_sub(self.named.len());
        self.named.extend(other.named.iter().take(room));
    }

    /// A query for the events: named one by one if they are few, else by the condition of the rule and the values. And
    /// whether it selects more than these.
    fn query(
        &self,
        rule: &RuleQuery,
        entities: &Entities,
        fields: &EntityFields<'_>,
        snapshot: &Snapshot,
    ) -> (String, bool) {
        let count = &self.count;
        if self.named.len() <= NAMED_OF_GROUP && self.named.len() as u64 == count.events {
            return (named(snapshot, &self.named).to_string(), false);
        }
        let of_entities = fields.filter(entities);
        let is_wider = !rule.is_exact || of_entities.is_none();
        let filter = all(vec![rule.filter.clone(), of_entities.unwrap_or(Filter::Everything)]);
        (count.within(filter).to_string(), is_wider)
    }
}

/// The events of a rule by host, user and process. Of the first combinations the values are known; of further ones the
/// number of events is, by a hash of the values.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    known: HashMap<Entities, GroupFound>,
    counted: HashMap<u64, EventCount>,
}

impl Groups {
    pub fn event(&mut self, entities: Entities, time: Option<i64>, place: (u32, u64)) {
        let count = EventCount::single(time);
        if self.known.len() < RULE_GROUPS || self.known.contains_key(&entities) {
            self.known.entry(entities).or_default().add(&GroupFound { count, named: vec![place] });
        } else {
            self.counted.entry(hash(&entities)).or_default().add(&count);
        }
    }

    pub fn add(&mut self, other: &Groups) {
        for (entities, group) in &other.known {
            self.known.entry(entities.clone()).or_default().add(group);
        }
        for (hash, count) in &other.counted {
            self.counted.entry(*hash).or_default().add(count);
        }
    }

    /// The groups with the most events, and the events in none of them. The groups that are listed have all of their events.
    pub fn listed(
        mut self,
        rule: &RuleQuery,
        fields: &EntityFields<'_>,
        snapshot: &Snapshot,
    ) -> (Vec<EventGroup>, Option<OtherGroups>) {
        let mut groups: Vec<(Entities, GroupFound)> = self.known.into_iter().collect();
        if !self.counted.is_empty() {
            for (entities, group) in &mut groups {
                // Segments know the values of different groups.
                group.count.add(&self.counted.remove(&hash(entities)).unwrap_or_default());
            }
        }
        groups.sort_by(|(one, of_one), (other, of_other)| {
            let (of_one, of_other) = (&of_one.count, &of_other.count);
            (of_other.events, of_one.first, one).cmp(&(of_one.events, of_other.first, other))
        });
        let unlisted = groups.split_off(groups.len().min(LISTED_GROUPS));
        let mut rest = EventCount::default();
        let counts = unlisted.iter().map(|(_, group)| &group.count).chain(self.counted.values());
        counts.for_each(|count| rest.add(count));
        let others = OtherGroups {
            groups: (unlisted.len() + self.counted.len()) as u64,
            events: rest.events,
            first: rest.first,
            last: rest.last,
            query: rest.within(rule.filter.clone()).to_string(),
        };
        let group = |(entities, group): (Entities, GroupFound)| {
            let (query, is_wider) = group.query(rule, &entities, fields, snapshot);
            let EventCount { events, first, last, .. } = group.count;
            EventGroup { entities, events, first, last, query, is_wider }
        };
        (groups.into_iter().map(group).collect(), (others.events > 0).then_some(others))
    }
}

fn hash(entities: &Entities) -> u64 {
    let mut hasher = DefaultHasher::new();
    entities.hash(&mut hasher);
    hasher.finish()
}
