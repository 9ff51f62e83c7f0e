//! The timeline: counts over time by level.

use indexer::query::levels;
use indexer::{Level, Result, Timeline};
use serde_json::{Value, json};

use super::bins::TimeBins;
use crate::cluster::{Asked, Cluster};
use crate::json;
use crate::questions::{Answer, Question, total};

/// Bins of clusters begin at whole milliseconds.
const LEAST_WIDTH: i64 = 1_000_000;

/// Words of levels that are counted; there are not so many.
const LEVEL_WORDS: usize = 100;

impl Cluster {
    /// Counts in at most so many bins over the times of the data, or the part of them that is asked for.
    pub fn timeline(
        &self,
        asked: &Asked,
        data: Option<(i64, i64)>,
        buckets: usize,
    ) -> Result<Answer<Timeline>> {
        let within = data.map(|(first, last)| {
            let from = asked.from.map_or(first, |from| from.max(first));
            (from, asked.to.map_or(last, |to| (to - 1).min(last)))
        });
        let empty = match within.filter(|(first, last)| first <= last) {
            Some((first, last)) => empty_timeline(first, last, buckets),
            None => Timeline::empty(),
        };
        self.timeline_in(asked, empty)
    }

    /// Counts in these bins.
    pub(crate) fn timeline_in(&self, asked: &Asked, mut timeline: Timeline) -> Result<Answer<Timeline>> {
        let mut question = Question::new(self, asked)?;
        if timeline.counts.iter().all(Vec::is_empty) {
            let answer = question.aggregate(&json!({}))?;
            let all = total(&answer)?;
            let untimed = if asked.from.is_none() && asked.to.is_none() { all } else { 0 };
            return Ok(question.answer(Timeline { total: all, untimed, ..timeline }));
        }
        let bins = TimeBins::new(&timeline.edges())?;
        let time = self.schema.time.as_str();
        let mut over_time = bins.request(time);
        let level = question.field("level").ok();
        let level = level.and_then(|field| self.schema.groupable(&field).cloned());
        if let Some(field) = &level {
            question.left_out(field);
            over_time["aggs"] = json!({"l": {"terms": {"field": field.name, "size": LEVEL_WORDS}}});
        }
        let aggs = json!({"t": over_time, "there": {"filter": {"exists": {"field": time}}}});
        let answer = question.aggregate(&aggs)?;
        let found = &answer["aggregations"];
        timeline.total = total(&answer)?;
        timeline.untimed =
            timeline.total.saturating_sub(found["there"]["doc_count"].as_u64().unwrap_or(timeline.total));
        for (place, bucket) in bins.places(&found["t"])? {
            let mut without = json::count(bucket, &["doc_count"])?;
            for word in bucket["l"]["buckets"].as_array().map_or(&[][..], Vec::as_slice) {
                let count = json::count(word, &["doc_count"])?;
                let level = level_of(&word["key"]);
                if level != Level::None {
                    add(&mut timeline, level, place, count);
                    without = without.saturating_sub(count);
                }
            }
            add(&mut timeline, Level::None, place, without);
        }
        Ok(question.answer(timeline))
    }

    /// The level that a word of a document names.
    #[must_use]
    pub fn level_named(word: Option<&str>) -> Level {
        let name = word.and_then(levels::named);
        Level::ALL.into_iter().find(|level| Some(level.name()) == name).unwrap_or_default()
    }
}

/// Bins that a cluster can count over these times.
pub(crate) fn empty_timeline(first: i64, last: i64, buckets: usize) -> Timeline {
    let mut timeline = Timeline::over(first, last, buckets);
    if timeline.width_ns < LEAST_WIDTH {
        timeline.width_ns = LEAST_WIDTH;
        timeline.start = first.div_euclid(LEAST_WIDTH) * LEAST_WIDTH;
        let needed = (last - timeline.start) / LEAST_WIDTH + 1;
        timeline.counts = vec![vec![0; needed as usize]; Level::ALL.len()];
    }
    timeline
}

fn level_of(key: &Value) -> Level {
    Cluster::level_named(key.as_str())
}

fn add(timeline: &mut Timeline, level: Level, place: usize, count: u64) {
    if let Some(counted) = timeline.counts[level as usize].get_mut(place) {
        *counted = counted.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
    }
}
