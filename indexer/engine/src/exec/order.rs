//! Pages of a result that spans several segments. The rows of each segment are sorted already. The row at any
//! rank is found by narrowing all segments together, so page one million costs the same as page one. For most
//! segments the first and the last time are enough, and nothing of them is read.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use ingest::NO_TIME;
use serde::Deserialize;

use super::pool::in_order;
use super::segment_rows::SegmentRows;
use base::Cancel;
use base::error::Result;
use store::{EventKeys, Segment};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Order"))]
pub enum Direction {
    OldestFirst,
    NewestFirst,
}

/// The position of an event: its segment and its row.
#[derive(Clone, Debug)]
pub struct Position {
    pub segment: Arc<Segment>,
    pub row: usize,
}

impl Position {
    pub fn key(&self) -> Result<EventKey> {
        Ok(self.segment.event_keys()?.key(self.row))
    }

    #[must_use]
    pub fn is(&self, other: &Position) -> bool {
        self.row == other.row && self.segment.meta.id == other.segment.meta.id
    }
}

/// The matching rows of all segments, read in time order.
#[derive(Debug)]
pub struct Selection {
    parts: Vec<OrderedSegment>,
}

/// The rows of a segment with their sort keys, loaded on first use.
#[derive(Debug)]
struct OrderedSegment {
    part: SegmentRows,
    keys: OnceLock<EventKeys>,
}

/// Time, source, offset: unique for each event.
pub type EventKey = (i64, u32, u64);

/// The least key that is greater.
#[must_use]
pub fn past((time, source, offset): EventKey) -> EventKey {
    (time, source, offset + 1)
}

impl Selection {
    #[must_use]
    pub fn new(parts: Vec<SegmentRows>) -> Selection {
        let parts = parts.into_iter().filter(|part| part.len() > 0);
        Selection { parts: parts.map(|part| OrderedSegment { part, keys: OnceLock::new() }).collect() }
    }

    /// Loads the sort keys of all rows. Later calls neither wait for files nor fail on them.
    pub fn read(&self, cancel: &Cancel) -> Result<()> {
        in_order(self.parts.len(), cancel, |index| self.parts[index].keys().map(|_| ()), |_, ()| Ok(()))
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.parts.iter().map(|ordered| ordered.part.len()).sum()
    }

    /// The events at these ranks of the sorted result.
    pub fn page(&self, direction: Direction, first: usize, count: usize) -> Result<Vec<Position>> {
        let total = self.len();
        let first = first.min(total);
        let count = count.min(total - first);
        match direction {
            Direction::OldestFirst => self.run(first, count),
            Direction::NewestFirst => {
                let mut page = self.run(total - first - count, count)?;
                page.reverse();
                Ok(page)
            }
        }
    }

    /// The number of events without a time. They come first in the order of keys.
    pub fn untimed(&self) -> usize {
        self.parts.iter().map(OrderedSegment::untimed).sum()
    }

    /// The events at these rows of a list that people read: those without a time come last in both directions.
    pub fn rows(&self, direction: Direction, first: usize, count: usize) -> Result<Vec<Position>> {
        let (total, untimed) = (self.len(), self.untimed());
        if direction == Direction::NewestFirst || untimed == 0 {
            return self.page(direction, first, count);
        }
        let timed = total - untimed;
        let of_timed = count.min(timed.saturating_sub(first));
        let mut rows = self.run(untimed + first.min(timed), of_timed)?;
        let rest = first.max(timed) - timed;
        rows.extend(self.run(rest.min(untimed), (count - of_timed).min(untimed.saturating_sub(rest)))?);
        Ok(rows)
    }

    /// The number of rows of such a list that come before an event, whether or not the list contains it.
    pub fn rows_before(&self, direction: Direction, key: EventKey) -> Result<usize> {
        let rank = self.before_key(key)?;
        Ok(match direction {
            Direction::OldestFirst if key.0 == NO_TIME => self.len() - self.untimed() + rank,
            Direction::OldestFirst => rank - self.untimed(),
            Direction::NewestFirst => self.len() - self.before_key(past(key))?,
        })
    }

    /// The number of events before a time, oldest first.
    pub fn before(&self, time: i64) -> Result<usize> {
        self.before_key((time, 0, 0))
    }

    /// The number of events before an event, oldest first, whether or not the result contains it.
    pub fn before_key(&self, key: EventKey) -> Result<usize> {
        self.parts.iter().map(|ordered| ordered.rank(key)).sum()
    }

    fn run(&self, first: usize, count: usize) -> Result<Vec<Position>> {
        let mut cursors = self.cursors(first)?;
        let mut heads: BinaryHeap<_> =
            (0..self.parts.len()).filter_map(|index| self.least_head(index, cursors[index])).collect();
        let mut page = Vec::with_capacity(count);
        while page.len() < count
            && let Some(Reverse((_, is_known, index))) = heads.pop()
        {
            if is_known {
                let part = &self.parts[index].part;
                page.push(Position { segment: Arc::clone(&part.segment), row: part.row(cursors[index]) });
                cursors[index] += 1;
            }
            if cursors[index] < self.parts[index].part.len() {
                heads.push(Reverse((self.parts[index].key(cursors[index])?, true, index)));
            }
        }
        Ok(page)
    }

    /// A lower bound of the next key of a segment; its keys are loaded when its turn comes.
    fn least_head(&self, index: usize, cursor: usize) -> Option<Reverse<(EventKey, bool, usize)>> {
        let ordered = &self.parts[index];
        (cursor < ordered.part.len()).then(|| Reverse((ordered.least_key(cursor), false, index)))
    }

    /// The number of rows to take from each segment for the first `rank` events of the whole result.
    fn cursors(&self, rank: usize) -> Result<Vec<usize>> {
        // The answer for each segment lies between low and high.
        let (mut low, mut high) = self.bounds(rank);
        // The middle of the widest range is ranked in all segments, and each segment drops the side that does
        // not contain the wanted rank.
        while let Some(widest) =
            (0..self.parts.len()).filter(|&i| low[i] < high[i]).max_by_key(|&i| high[i] - low[i])
        {
            let middle = usize::midpoint(low[widest], high[widest]);
            let pivot = self.parts[widest].key(middle)?;
            let ranks = self.parts.iter().map(|ordered| ordered.rank(pivot)).collect::<Result<Vec<_>>>()?;
            if ranks.iter().sum::<usize>() < rank {
                // The pivot itself is among the first `rank` events.
                low.iter_mut().zip(&ranks).for_each(|(low, &rank)| *low = (*low).max(rank));
                low[widest] = low[widest].max(middle + 1);
            } else {
                high.iter_mut().zip(&ranks).for_each(|(high, &rank)| *high = (*high).min(rank));
            }
        }
        Ok(low)
    }

    /// Bounds of the cursors at a rank, from the first and last times of all segments.
    fn bounds(&self, rank: usize) -> (Vec<usize>, Vec<usize>) {
        let lengths = self.parts.iter().map(|ordered| ordered.part.len());
        let (mut low, mut high) = (vec![0; self.parts.len()], lengths.collect::<Vec<_>>());
        if rank == 0 {
            return (low.clone(), low);
        }
        let metas = self.parts.iter().map(|ordered| &ordered.part.segment.meta);
        let ends = metas.flat_map(|meta| [meta.first, meta.last.map(|last| last.saturating_add(1))]);
        let mut pivots: Vec<EventKey> = ends.flatten().map(|time| (time, 0, 0)).collect();
        pivots.sort_unstable();
        let ranks = |pivot: EventKey| self.parts.iter().map(move |ordered| ordered.ranks(pivot));
        let before =
            pivots.partition_point(|&pivot| ranks(pivot).map(|ranks| ranks.end).sum::<usize>() <= rank);
        if let Some(&pivot) = before.checked_sub(1).and_then(|last| pivots.get(last)) {
            low.iter_mut().zip(ranks(pivot)).for_each(|(low, ranks)| *low = ranks.start);
        }
        let after =
            pivots.partition_point(|&pivot| ranks(pivot).map(|ranks| ranks.start).sum::<usize>() < rank);
        if let Some(&pivot) = pivots.get(after) {
            high.iter_mut().zip(ranks(pivot)).for_each(|(high, ranks)| *high = ranks.end);
        }
        (low, high)
    }
}

impl OrderedSegment {
    fn untimed(&self) -> usize {
        self.part.count_in(0..self.part.segment.meta.untimed as usize)
    }

    fn keys(&self) -> Result<&EventKeys> {
        if let Some(keys) = self.keys.get() {
            return Ok(keys);
        }
        let keys = self.part.segment.event_keys()?;
        Ok(self.keys.get_or_init(|| keys))
    }

    fn key(&self, place: usize) -> Result<EventKey> {
        Ok(self.keys()?.key(self.part.row(place)))
    }

    /// A lower bound of the key, without loading it.
    fn least_key(&self, place: usize) -> EventKey {
        let meta = &self.part.segment.meta;
        let is_timed = self.part.row(place) as u64 >= meta.untimed;
        (meta.first.filter(|_| is_timed).unwrap_or(NO_TIME), 0, 0)
    }

    /// The number of rows with a smaller key.
    fn rank(&self, wanted: EventKey) -> Result<usize> {
        let Range { start: mut low, end: mut high } = self.ranks(wanted);
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.key(middle)? < wanted {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Ok(low)
    }

    /// The range that contains that number, without loading a key.
    fn ranks(&self, (time, ..): EventKey) -> Range<usize> {
        let (meta, all) = (&self.part.segment.meta, self.part.len());
        let untimed = self.untimed();
        match (meta.first, meta.last) {
            _ if time == NO_TIME => 0..untimed,
            (Some(first), _) if time < first => untimed..untimed,
            (_, Some(last)) if time > last => all..all,
            (Some(_), Some(_)) => untimed..all,
            _ => all..all,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_case::{ImportOptions, TestCase};
    use crate::{Shown, View};

    /// A case with one segment for each of these runs of seconds; some of their events have no time.
    fn case(folder: &std::path::Path, runs: &[(u32, u32)]) -> TestCase {
        let path = folder.join("o.case");
        drop(TestCase::create(&path).expect("a case"));
        for (number, &(first, count)) in runs.iter().enumerate() {
            let line = |second: u32| match (second % 3, second - first) {
                (1, 0..7) => format!("{{\"n\":{second}}}\n"),
                _ => format!(
                    "{{\"ts\":\"2026-03-01T14:{:02}:{:02}Z\",\"k\":{second}}}\n",
                    second / 60,
                    second % 60
                ),
            };
            let log: String = (first..first + count).map(line).collect();
            let file = folder.join(format!("{number}.ndjson"));
            std::fs::write(&file, log).expect("a log");
            let case = TestCase::open(&path).expect("a case");
            case.import(&[file], &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("an import");
        }
        TestCase::open(&path).expect("a case")
    }

    #[test]
    fn every_page_equals_that_of_a_full_sort() {
        let folder = tempfile::tempdir().expect("a folder");
        let runs = [(0, 20), (19, 20), (5, 9), (60, 1), (61, 30), (90, 5), (3, 1), (44, 2)];
        let case = case(folder.path(), &runs);
        let (snapshot, never) = (case.snapshot(), Cancel::default());
        for query in ["*", "n>0", "k>30", "k<70 k>7"] {
            let view = View::parse(query, None, None).expect("a query");
            let all = case.selection(&snapshot, &view, &never).expect("a selection");
            let mut sorted: Vec<EventKey> = Vec::new();
            for ordered in &all.parts {
                sorted.extend((0..ordered.part.len()).map(|place| ordered.key(place).expect("a key")));
            }
            sorted.sort_unstable();
            assert!(sorted.len() > 3, "{query}");
            for first in 0..=sorted.len() {
                let selection = case.selection(&snapshot, &view, &never).expect("a selection");
                let keys = |direction| -> Vec<EventKey> {
                    let page = selection.page(direction, first, 4).expect("a page");
                    page.iter().map(|position| position.key().expect("a key")).collect()
                };
                let wanted = |sorted: &mut dyn Iterator<Item = &EventKey>| -> Vec<EventKey> {
                    sorted.skip(first).take(4).copied().collect()
                };
                assert_eq!(keys(Direction::OldestFirst), wanted(&mut sorted.iter()), "{query} {first}");
                assert_eq!(keys(Direction::NewestFirst), wanted(&mut sorted.iter().rev()), "{query} {first}");
                let listed: Vec<&EventKey> = sorted.iter().filter(|key| key.0 != NO_TIME).collect();
                let untimed = sorted.iter().filter(|key| key.0 == NO_TIME);
                let listed: Vec<&EventKey> = listed.into_iter().chain(untimed).collect();
                let rows = selection.rows(Direction::OldestFirst, first, 4).expect("rows");
                let rows: Vec<EventKey> =
                    rows.iter().map(|position| position.key().expect("a key")).collect();
                assert_eq!(rows, wanted(&mut listed.iter().copied()), "{query} {first}");
                if let Some(&&key) = listed.get(first) {
                    let before = selection.rows_before(Direction::OldestFirst, key);
                    assert_eq!(before.expect("a row"), first, "{query}");
                }
                if let Some(&key) = sorted.get(first) {
                    assert_eq!(selection.before_key(key).expect("a rank"), first, "{query}");
                    let before = sorted.partition_point(|&(time, ..)| time < key.0);
                    assert_eq!(selection.before(key.0).expect("a rank"), before, "{query}");
                }
            }
        }
    }

    #[test]
    fn page_loads_keys_only_of_segments_it_may_lie_in() {
        let folder = tempfile::tempdir().expect("a folder");
        let runs: Vec<_> = (0..12).map(|number| (number * 10, 10)).collect();
        let case = case(folder.path(), &runs);
        let (snapshot, never) = (case.snapshot(), Cancel::default());
        let view = View::parse("k:*", None, None).expect("a query");
        let total = case.count(&snapshot, &view, &never).expect("a count");
        let read = || snapshot.segments.iter().filter(|one| case.columns().has(one.meta.id, "#time")).count();
        for (first, most) in [(0, 1), (total - 5, 2), (total / 2, 4)] {
            let rows = (first, 5);
            let page = case.page(&snapshot, &view, Direction::OldestFirst, rows, &Shown::text(99), &never);
            assert_eq!(page.expect("a page").events.len(), 5);
            assert!(read() <= most, "{} segments for the page at {first}", read());
        }
    }
}
