//! The timeline of all, with a lane for each: the same bins, counted by each of them.

use indexer::{Result, Timeline};

use super::{Both, Reservations, at_once};
use crate::questions::Answer;

/// Counts of all events, and of each lane.
#[derive(Clone, Debug, PartialEq)]
pub struct MergedTimeline {
    pub all: Timeline,
    /// The case first; clusters that did not answer are not there.
    pub lanes: Vec<LaneCounts>,
}

/// The counts of a case or a cluster in the bins of the whole.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneCounts {
    /// The name of the cluster; nothing for the case.
    pub cluster: Option<String>,
    pub counted: Timeline,
}

impl Both<'_> {
    /// Counts by level in at most so many bins over the times of all, or the part of them that is asked for.
    pub fn timeline(
        &self,
        filter: &indexer::query::Filter,
        range: (Option<i64>, Option<i64>),
        buckets: usize,
    ) -> Result<Answer<MergedTimeline>> {
        let asked = self.asked(filter, range)?;
        let empty = match self.times_within(range) {
            Some((first, last)) => crate::workbench::empty_timeline(first, last, buckets),
            None => Timeline::empty(),
        };
        let (of_case, of_lanes) = std::thread::scope(|scope| {
            let lanes = scope.spawn(|| {
                let each: Vec<_> = self.lanes.iter().zip(&asked.lanes).collect();
                at_once(each, |(lane, asked)| lane.cluster.timeline_in(asked, empty.clone()))
            });
            let of_case =
                self.case.timeline_in(self.snapshot, &asked.view, &empty, &mut |_, _| {}, self.cancel);
            (of_case, lanes.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        let mut reservations = Reservations::default();
        let mut all = of_case?;
        let mut lanes = vec![LaneCounts { cluster: None, counted: all.clone() }];
        for (timeline, lane) in of_lanes.into_iter().zip(&self.lanes) {
            let name = &lane.cluster.name;
            let Some(timeline) = reservations.attempt(name, timeline)? else { continue };
            add(&mut all, &timeline);
            lanes.push(LaneCounts { cluster: Some(name.clone()), counted: timeline });
        }
        Ok(reservations.answer(MergedTimeline { all, lanes }))
    }
}

fn add(all: &mut Timeline, more: &Timeline) {
    all.total += more.total;
    all.untimed += more.untimed;
    for (sums, counts) in all.counts.iter_mut().zip(&more.counts) {
        sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum = sum.saturating_add(*count));
    }
}
