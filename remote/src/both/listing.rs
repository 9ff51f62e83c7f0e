//! One list of all events: any page of it in both directions, and the row of a time or an event.
//!
//! A row of the merged list is found without reading the rows before it: counts over time narrow it down in all clusters at
//! once until few of their events are left, whose times are fetched; how many events of the case come before each is counted in
//! its index. So a page anywhere takes the same few requests, however many events there are.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use indexer::query::Filter;
use indexer::{Direction, Error, ErrorKind, Event, NO_TIME, Result, Seek, Selection, Shown, SortBy, View};

use super::{Both, Lane, Reservations, at_once};
use crate::cluster::Asked;
use crate::limits::{KNOWN_SPLITS, MERGED_EVENTS, PAGE_EVENTS};
use crate::questions::{Answer, RemoteEvent};
use crate::workbench::{Listing, Stretch};

const MILLISECOND: i64 = 1_000_000;

/// Narrowings from all times to a millisecond, with some to spare.
const NARROWINGS: usize = 12;

/// A listing of a cluster that outlives one question.
pub type OpenListing = Arc<Mutex<Listing>>;

/// A row of the merged list.
#[derive(Clone, Debug)]
pub enum MergedEvent {
    OfCase(Event),
    /// With the place of its cluster.
    OfLane(usize, RemoteEvent),
}

impl MergedEvent {
    /// Nanoseconds since 1970 UTC.
    #[must_use]
    pub fn time(&self) -> Option<i64> {
        match self {
            MergedEvent::OfCase(event) => (event.time != NO_TIME).then_some(event.time),
            MergedEvent::OfLane(_, event) => event.time,
        }
    }
}

/// How many rows of each come before rows of the merged list that were looked at, the case first.
#[derive(Debug, Default)]
pub struct Splits {
    /// They hold for so many rows of each.
    totals: Vec<u64>,
    known: BTreeMap<u64, Vec<u64>>,
}

/// The matching events of all in the order of time. Events without a time come last.
pub struct MergedListing<'b> {
    both: &'b Both<'b>,
    view: View,
    direction: Direction,
    selection: Selection,
    /// Those of clusters that answer.
    lanes: Vec<Option<OpenListing>>,
    splits: &'b Mutex<Splits>,
    reservations: Reservations,
}

/// Who is meant: the case, or a cluster by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    Case,
    Lane(usize),
}

impl<'b> MergedListing<'b> {
    /// `open` gives the listing of a cluster, which may be one that is kept.
    pub fn new(
        both: &'b Both<'b>,
        filter: &Filter,
        range: (Option<i64>, Option<i64>),
        direction: Direction,
        splits: &'b Mutex<Splits>,
        open: &(dyn Fn(usize, &Lane, &Asked, &SortBy) -> Result<OpenListing> + Sync),
    ) -> Result<MergedListing<'b>> {
        let asked = both.asked(filter, range)?;
        let sort = SortBy { field: "time".to_owned(), descending: direction == Direction::NewestFirst };
        let each: Vec<_> = both.lanes.iter().zip(&asked.lanes).enumerate().collect();
        let opened = at_once(each, |(place, (lane, asked))| open(place, lane, asked, &sort));
        let mut reservations = Reservations::default();
        let mut lanes = Vec::new();
        for (listing, lane) in opened.into_iter().zip(&both.lanes) {
            lanes.push(match listing {
                Ok(listing) => Some(listing),
                Err(error) if super::is_failure(&error) => {
                    reservations.miss(&lane.cluster.name, &error);
                    None
                }
                Err(error) => return Err(error),
            });
        }
        let selection = both.case.readable_selection(both.snapshot, &asked.view, both.cancel)?;
        Ok(MergedListing { both, view: asked.view, direction, selection, lanes, splits, reservations })
    }

    /// The answer with all that was said of it.
    #[must_use]
    pub fn answer<T>(self, value: T) -> Answer<T> {
        self.reservations.answer(value)
    }

    /// All rows.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.totals().iter().sum()
    }

    /// Rows from `first` on.
    pub fn page(&mut self, first: u64, count: usize, shown: &Shown<'_>) -> Result<Vec<MergedEvent>> {
        self.asking(&|listing| listing.rows(first, count, shown))
    }

    /// The first row at or past a time in the order of this list.
    pub fn row_of_time(&mut self, time: i64) -> Result<u64> {
        self.asking(&|listing| {
            let mut row = listing.passed(time)?;
            for place in 0..listing.lanes.len() {
                row += listing.passed_in_lane(place, time)?;
            }
            Ok(row)
        })
    }

    /// The row of an event of the case, or where it would be.
    pub fn row_of_case_event(&mut self, id: (u32, u64)) -> Result<Option<u64>> {
        let both = self.both;
        let row = both.case.place_of(both.snapshot, &self.view, self.direction, id, both.cancel)?;
        let Some(row) = row else { return Ok(None) };
        let (event, _) = both.case.event(both.snapshot, id.0, id.1, 0)?;
        let time = (event.time != NO_TIME).then_some(event.time);
        self.asking(&|listing| listing.merged_row(Who::Case, row as u64, time)).map(Some)
    }

    /// The row of an event of a cluster; nothing where it is not in the list, or has no time.
    pub fn row_of_lane_event(&mut self, place: usize, event: (&str, &str), time: i64) -> Result<Option<u64>> {
        self.asking(&|listing| {
            let row = listing.ask(place, |rows, lane| rows.row_of_event(&lane.cluster, event))?;
            match row.flatten() {
                Some(row) => listing.merged_row(Who::Lane(place), row, Some(time)).map(Some),
                None => Ok(None),
            }
        })
    }

    /// The next row, after one or from an end on, that matches another filter too.
    pub fn next_row(&mut self, wanted: &Filter, from: Option<u64>, backward: bool) -> Result<Option<u64>> {
        let wanted = self.both.asked(wanted, (None, None))?;
        self.asking(&|listing| listing.next_of(&wanted.view.filter, &wanted.lanes, from, backward))
    }

    /// Does it again without the clusters that failed.
    fn asking<T>(&mut self, ask: &dyn Fn(&mut MergedListing<'b>) -> Result<T>) -> Result<T> {
        loop {
            let answering = self.lanes.iter().flatten().count();
            match ask(self) {
                Err(_) if self.lanes.iter().flatten().count() < answering => {}
                answer => return answer,
            }
        }
    }

    /// Asks the listing of a cluster; nothing where it has none. One that fails has none from then on.
    fn ask<T>(
        &mut self,
        place: usize,
        ask: impl FnOnce(&mut Listing, &Lane) -> Result<Answer<T>>,
    ) -> Result<Option<T>> {
        let Some(listing) = self.lanes.get(place).and_then(Clone::clone) else { return Ok(None) };
        let lane = &self.both.lanes[place];
        let answer = ask(&mut locked(&listing), lane);
        match answer {
            Ok(answer) => Ok(Some(self.reservations.take(&lane.cluster.name, answer))),
            Err(error) => {
                if super::is_failure(&error) {
                    self.reservations.miss(&lane.cluster.name, &error);
                    self.lanes[place] = None;
                }
                Err(error)
            }
        }
    }

    /// The same of all clusters at once. What one of them lacks is an empty value.
    fn ask_all<T: Send + Default>(
        &mut self,
        ask: impl Fn(usize, &mut Listing, &Lane) -> Result<Answer<T>> + Sync,
    ) -> Result<Vec<T>> {
        let open: Vec<_> = self.lanes.iter().zip(&self.both.lanes).enumerate().collect();
        let answers = at_once(open, |(place, (listing, lane))| {
            listing.as_ref().map(|listing| ask(place, &mut locked(listing), lane))
        });
        let mut values = Vec::new();
        for (place, answer) in answers.into_iter().enumerate() {
            values.push(match answer {
                Some(answer) => self.ask(place, |_, _| answer)?.unwrap_or_default(),
                None => T::default(),
            });
        }
        Ok(values)
    }

    fn totals(&self) -> Vec<u64> {
        let lanes = self.lanes.iter().map(|lane| lane.as_ref().map_or(0, |lane| locked(lane).total()));
        std::iter::once(self.selection.len() as u64).chain(lanes).collect()
    }

    fn timed(&self) -> Vec<u64> {
        let case = (self.selection.len() - self.selection.untimed()) as u64;
        let lanes = self.lanes.iter().map(|lane| lane.as_ref().map_or(0, |lane| locked(lane).timed()));
        std::iter::once(case).chain(lanes).collect()
    }

    fn is_descending(&self) -> bool {
        self.direction == Direction::NewestFirst
    }

    /// Rows of the case that come before all of a time.
    fn passed(&self, time: i64) -> Result<u64> {
        let rows = if self.is_descending() {
            self.selection.len() - self.selection.before(time.saturating_add(1))?
        } else {
            self.selection.before(time)? - self.selection.untimed()
        };
        Ok(rows as u64)
    }

    fn passed_in_lane(&mut self, place: usize, time: i64) -> Result<u64> {
        Ok(self.ask(place, |rows, lane| rows.row_of_time(&lane.cluster, time))?.unwrap_or(0))
    }

    /// A time so that rows of this one have passed too.
    fn past(&self, time: i64) -> i64 {
        if self.is_descending() { time.saturating_sub(1) } else { time.saturating_add(1) }
    }

    /// Whether rows of the first come before those of the second at the same time.
    fn precedes(&self, one: Who, other: Who) -> bool {
        if self.is_descending() { rank(one) > rank(other) } else { rank(one) < rank(other) }
    }

    /// The row of the merged list in which a row of one of them is, whose time is known.
    fn merged_row(&mut self, whose: Who, row: u64, time: Option<i64>) -> Result<u64> {
        let Some(time) = time else {
            let (timed, totals) = (self.timed(), self.totals());
            let place = rank(whose);
            let before: u64 = (0..place).map(|at| totals[at] - timed[at]).sum();
            return Ok(timed.iter().sum::<u64>() + before + row.saturating_sub(timed[place]));
        };
        let limit =
            |listing: &Self, who: Who| if listing.precedes(who, whose) { listing.past(time) } else { time };
        let mut merged = row;
        if whose != Who::Case {
            merged += self.passed(limit(self, Who::Case))?;
        }
        for place in (0..self.lanes.len()).filter(|place| Who::Lane(*place) != whose) {
            let limit = limit(self, Who::Lane(place));
            merged += self.passed_in_lane(place, limit)?;
        }
        Ok(merged)
    }

    fn rows(&mut self, first: u64, count: usize, shown: &Shown<'_>) -> Result<Vec<MergedEvent>> {
        let count = count.min(PAGE_EVENTS);
        if count == 0 || first >= self.total() {
            return Ok(Vec::new());
        }
        let mut split = self.split(first)?;
        let (both, direction) = (self.both, self.direction);
        let from = (split[0] as usize, count);
        let of_case = both.case.page(both.snapshot, &self.view, direction, from, shown, both.cancel)?.events;
        let starts = split.clone();
        let of_lanes =
            self.ask_all(|place, rows, lane| rows.page(&lane.cluster, starts[place + 1], count))?;
        let of_case = of_case.into_iter().map(|event| (Who::Case, MergedEvent::OfCase(event)));
        let of_lanes = of_lanes.into_iter().enumerate().flat_map(|(place, events)| {
            events.into_iter().map(move |event| (Who::Lane(place), MergedEvent::OfLane(place, event)))
        });
        let mut rows: Vec<(Who, MergedEvent)> = of_case.chain(of_lanes).collect();
        // Each of them is in order, and stays so.
        rows.sort_by(|(one, first), (other, second)| match (first.time(), second.time()) {
            (Some(first), Some(second)) => {
                let by_time =
                    if direction == Direction::NewestFirst { second.cmp(&first) } else { first.cmp(&second) };
                by_time.then_with(|| self.precedes(*other, *one).cmp(&self.precedes(*one, *other)))
            }
            (None, None) => rank(*one).cmp(&rank(*other)),
            (first, second) => first.is_none().cmp(&second.is_none()),
        });
        rows.truncate(count);
        for (who, _) in &rows {
            split[rank(*who)] += 1;
        }
        self.remember(first + rows.len() as u64, split);
        Ok(rows.into_iter().map(|(_, event)| event).collect())
    }

    fn remember(&self, row: u64, split: Vec<u64>) {
        // What clusters always lack stays away from the next pages too.
        let always: usize = self.both.lanes.iter().map(|lane| lane.cluster.missing.0.len()).sum();
        if self.reservations.missing.0.len() > always {
            return;
        }
        let mut splits = locked(self.splits);
        if splits.known.len() >= KNOWN_SPLITS {
            splits.known.clear();
        }
        splits.known.insert(row, split);
    }

    /// How many rows of each come before a row of the merged list.
    fn split(&mut self, first: u64) -> Result<Vec<u64>> {
        let totals = self.totals();
        {
            let mut splits = locked(self.splits);
            if splits.totals != totals {
                *splits = Splits { totals: totals.clone(), known: BTreeMap::new() };
            }
            if let Some(known) = splits.known.get(&first) {
                return Ok(known.clone());
            }
        }
        let timed = self.timed();
        let all_timed: u64 = timed.iter().sum();
        if first >= all_timed {
            // Those without a time follow one after the other.
            let mut rest = first - all_timed;
            let mut split = timed;
            for (rows, total) in split.iter_mut().zip(&totals) {
                let taken = rest.min(total - *rows);
                *rows += taken;
                rest -= taken;
            }
            return Ok(split);
        }
        self.split_by_time(first, &timed)
    }

    fn split_by_time(&mut self, first: u64, timed: &[u64]) -> Result<Vec<u64>> {
        let with_case = |lanes: &[u64]| {
            let rows: u64 = lanes.iter().sum();
            std::iter::once(first.saturating_sub(rows)).chain(lanes.iter().copied()).collect::<Vec<u64>>()
        };
        let ends = self.lanes.iter().flatten().filter_map(|lane| locked(lane).ends());
        let Some((low, high)) = ends.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1))) else {
            return Ok(with_case(&vec![0; self.lanes.len()]));
        };
        let mut part = Stretch::new(low, high);
        // Rows of the clusters before the part, and those within it.
        let mut before = vec![0; self.lanes.len()];
        let mut within = timed[1..].to_vec();
        for turn in 0..=NARROWINGS {
            let rows: u64 = before.iter().sum();
            if first < self.passed_at(part, true)? + rows {
                return Ok(with_case(&before));
            }
            let held: u64 = within.iter().sum();
            if first >= self.passed_at(part, false)? + rows + held {
                let after: Vec<u64> = before.iter().zip(&within).map(|(rows, more)| rows + more).collect();
                return Ok(with_case(&after));
            }
            // A millisecond is not divided further.
            if held <= MERGED_EVENTS || turn > 0 && part.first == part.last {
                break;
            }
            let counts = self.ask_all(|_, rows, lane| rows.counts_over(&lane.cluster, part, turn == 0))?;
            let mut bins: BTreeMap<i64, Vec<u64>> = BTreeMap::new();
            for (place, counts) in counts.iter().enumerate() {
                for (key, count) in counts {
                    bins.entry(*key).or_insert_with(|| vec![0; before.len()])[place] += count;
                }
            }
            let mut bins: Vec<(i64, Vec<u64>)> = bins.into_iter().collect();
            if self.is_descending() {
                bins.reverse();
            }
            // Rows of the clusters before each bin.
            let starts: Vec<Vec<u64>> = bins
                .iter()
                .scan(before.clone(), |sum, (_, counts)| {
                    let start = sum.clone();
                    sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
                    Some(start)
                })
                .collect();
            let begun = places_where(bins.len(), |at| {
                let rows: u64 = starts[at].iter().sum();
                Ok(self.passed_at(part.bin(bins[at].0), true)? + rows <= first)
            })?;
            let Some(held) = begun.checked_sub(1) else { return Ok(with_case(&before)) };
            part = part.bin(bins[held].0);
            before.clone_from(&starts[held]);
            within.clone_from(&bins[held].1);
        }
        self.split_by_rows(first, part, before, &with_case)
    }

    /// Rows of the case before a part of the time, or before what follows it, in the order of this list.
    fn passed_at(&self, part: Stretch, begin: bool) -> Result<u64> {
        let (first, end) =
            (part.first.saturating_mul(MILLISECOND), (part.last + 1).saturating_mul(MILLISECOND));
        match (self.is_descending(), begin) {
            (false, true) => self.passed(first),
            (false, false) => self.passed(end),
            (true, true) => self.passed(end - 1),
            (true, false) => self.passed(first - 1),
        }
    }

    /// Within a part with few rows of clusters, their times say where each is among those of the case.
    fn split_by_rows(
        &mut self,
        first: u64,
        part: Stretch,
        mut before: Vec<u64>,
        with_case: &dyn Fn(&[u64]) -> Vec<u64>,
    ) -> Result<Vec<u64>> {
        let starts = before.clone();
        let times = self.ask_all(|place, rows, lane| rows.times_in(&lane.cluster, part, starts[place]))?;
        let of_lane = |(place, times): (usize, &Vec<i64>)| {
            times.iter().map(move |time| (*time, Who::Lane(place))).collect::<Vec<_>>()
        };
        let mut rows: Vec<(i64, Who)> = times.iter().enumerate().flat_map(of_lane).collect();
        rows.sort_by(|one, other| {
            let by_time = if self.is_descending() { other.0.cmp(&one.0) } else { one.0.cmp(&other.0) };
            by_time.then_with(|| self.precedes(other.1, one.1).cmp(&self.precedes(one.1, other.1)))
        });
        let passed: u64 = before.iter().sum();
        let rows_before = places_where(rows.len(), |at| {
            let (time, who) = rows[at];
            let limit = if self.precedes(Who::Case, who) { self.past(time) } else { time };
            Ok(passed + at as u64 + self.passed(limit)? < first)
        })?;
        for (_, who) in &rows[..rows_before] {
            before[rank(*who) - 1] += 1;
        }
        Ok(with_case(&before))
    }

    fn next_of(
        &mut self,
        wanted: &Filter,
        of_lanes: &[Asked],
        from: Option<u64>,
        backward: bool,
    ) -> Result<Option<u64>> {
        // Rows up to the one that is left are over; going back, it and those after it are.
        let starts = match from {
            Some(row) => Some(self.split(if backward { row } else { row + 1 })?),
            None => None,
        };
        let left = |start: u64, total: u64| {
            if backward { (start < total).then_some(start) } else { start.checked_sub(1) }
        };
        let totals = self.totals();
        let is_over = |at: usize| match &starts {
            Some(starts) if backward => starts[at] == 0,
            Some(starts) => starts[at] >= totals[at],
            None => totals[at] == 0,
        };
        let from_of = |at: usize| starts.as_ref().and_then(|starts| left(starts[at], totals[at]));
        let (both, direction) = (self.both, self.direction);
        let mut found = Vec::new();
        if !is_over(0) {
            let seek = Seek { from: from_of(0).map(|row| row as usize), backward };
            let row = both.case.seek(both.snapshot, &self.view, (direction, wanted), seek, both.cancel)?;
            if let Some(row) = row {
                let shown = Shown { cut: 0, columns: &[] };
                let page =
                    both.case.page(both.snapshot, &self.view, direction, (row, 1), &shown, both.cancel)?;
                let time = page.events.first().map(|event| event.time).filter(|time| *time != NO_TIME);
                found.push(self.merged_row(Who::Case, row as u64, time)?);
            }
        }
        for (place, asked) in of_lanes.iter().enumerate() {
            let wanted = &asked.filter;
            if is_over(place + 1) {
                continue;
            }
            let from = from_of(place + 1);
            let row = self.ask(place, |rows, lane| rows.next_row(&lane.cluster, wanted, from, backward))?;
            let Some(row) = row.flatten() else { continue };
            let event = self.ask(place, |rows, lane| rows.page(&lane.cluster, row, 1))?;
            let time = event.and_then(|events| events.first().and_then(|event| event.time));
            found.push(self.merged_row(Who::Lane(place), row, time)?);
        }
        Ok(if backward { found.into_iter().max() } else { found.into_iter().min() })
    }
}

/// How many places, from the first on, something holds for.
fn places_where(count: usize, mut holds: impl FnMut(usize) -> Result<bool>) -> Result<usize> {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = usize::midpoint(low, high);
        if holds(middle)? {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    Ok(low)
}

/// The place of one of them, the case first.
fn rank(who: Who) -> usize {
    match who {
        Who::Case => 0,
        Who::Lane(place) => place + 1,
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A listing for one question, where none is kept.
pub fn new_listing(lane: &Lane, asked: &Asked, sort: &SortBy) -> Result<OpenListing> {
    Ok(Arc::new(Mutex::new(Listing::new(&lane.cluster, asked, sort)?)))
}

/// An order that only one of them has.
#[must_use]
pub fn only_by_time() -> Error {
    Error::new(ErrorKind::NotAvailable, "a case and clusters together are listed by time")
        .hint("sort a table of their events: … | sort field")
}
