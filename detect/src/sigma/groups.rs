//! The events of a rule by host, user and process: an alert for each, so that a reader sees who did it where.

use indexer::Snapshot;
use indexer::query::{Filter, Op, Test as FieldTest};

use super::entities::Entities;
use crate::evidence::{all, field_filter, named, within};
use crate::limits::ENTITY_BYTES;

/// Events of a group that its query names one by one.
const NAMED_OF_GROUP: usize = 20;

/// A rule that fired.
#[derive(Clone, Debug)]
pub struct FoundRule {
    /// Its place among the rules of the set.
    pub rule: usize,
    pub events: u64,
    pub groups: Vec<EventGroup>,
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
}

/// The same while segments are looked at.
#[derive(Clone, Debug, Default)]
pub struct GroupFound {
    pub events: u64,
    pub first: Option<i64>,
    pub last: Option<i64>,
    /// Source and line of the first ones.
    named: Vec<(u32, u64)>,
}

impl GroupFound {
    pub fn event(&mut self, time: Option<i64>, place: (u32, u64)) {
        self.add(&GroupFound { events: 1, first: time, last: time, named: vec![place] });
    }

    pub fn add(&mut self, other: &GroupFound) {
        self.events += other.events;
        self.first = [self.first, other.first].into_iter().flatten().min();
        self.last = self.last.max(other.last);
        let room = (NAMED_OF_GROUP + 1).saturating_sub(self.named.len());
        self.named.extend(other.named.iter().take(room));
    }

    /// A query for the events: named one by one if they are few, else by the condition of the rule and the values.
    pub fn filter(&self, condition: Option<Filter>, entities: &Entities, snapshot: &Snapshot) -> Filter {
        if self.events as usize <= NAMED_OF_GROUP {
            return named(snapshot, &self.named);
        }
        let mut parts = vec![condition.unwrap_or(Filter::Everything)];
        // A value that was cut says nothing about the whole one.
        let whole = entities.each().filter(|entity| entity.value.len() < ENTITY_BYTES - 3);
        parts.extend(
            whole.map(|entity| {
                field_filter(&entity.field, FieldTest::Compare(Op::Equal, entity.value.clone()))
            }),
        );
        within(all(parts), self.first, self.last)
    }
}
