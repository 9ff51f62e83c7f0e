//! Counts of patterns and of the values of fields on both sides.

use std::collections::HashMap;
use std::sync::Arc;

use super::beat::BeatChange;
use super::pattern_places::{NO_PLACE, PatternPlaces};
use super::rhythm::{Rhythm, Stop};
use super::score::{self, FEWEST, LEAST_RATIO, Rates};
use super::sides::Sides;
use super::subject::Subject;
use super::{Change, Difference, LeftOut};
use crate::Engine;
use crate::aggregate::{DENSE, GlobalValues, TermCounts, columns};
use crate::exec::SegmentRows;
use crate::view::View;
use base::error::{Error, ErrorKind, Result};
use store::{ColumnValues, MESSAGES, StoredColumn, with_codes};

/// A field with more values is not compared by value.
pub const VALUES: usize = 2_000;

/// A field whose values are numbers is compared by value while it has so few, such as status codes.
const FEW_NUMBERS: usize = 64;

/// What was counted.
pub struct Counts {
    pub events: [u64; 2],
    pub places: Arc<PatternPlaces>,
    /// By place in the list of templates.
    pub patterns: Vec<[u64; 2]>,
    pub rhythms: [Rhythm; 2],
    /// Nothing until they were looked for.
    pub beats: HashMap<usize, BeatChange>,
    pub fields: Vec<FieldCounts>,
    /// Fields to be compared as numbers.
    pub numbers: Vec<String>,
}

/// The values of a field.
pub struct FieldCounts {
    pub field: String,
    pub values: GlobalValues,
    /// By code.
    pub counts: [Vec<u32>; 2],
}

/// What a candidate is counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// The place in the tree.
    Pattern(usize),
    /// The place in the list of fields, and the code.
    Value(usize, u32),
}

/// Something whose rates differ, however little.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub key: Key,
    pub subject: Subject,
    pub counts: [u64; 2],
    pub stop: Option<Stop>,
    pub beat: Option<BeatChange>,
    /// See [`super::rhythm::dispersion`]: so many events of A count as one.
    pub dispersion: f64,
    pub score: f64,
}

/// The patterns of one segment.
struct SegmentPatterns {
    counts: [Vec<u32>; 2],
    events: [u64; 2],
    /// Bucket, place and events.
    buckets: [Vec<(usize, u32, u32)>; 2],
    all: [Vec<(usize, u32)>; 2],
    last: [Vec<(u32, i64)>; 2],
}

impl Counts {
    pub fn of_patterns(sides: &Sides<'_>) -> Result<Counts> {
        let places = Arc::new(PatternPlaces::new(sides)?);
        let patterns = places.templates().len();
        let rhythm = |side: usize| Rhythm::over(sides.scope(side).range(), patterns);
        let mut found = Counts {
            events: [0; 2],
            patterns: vec![[0; 2]; patterns],
            rhythms: [rhythm(0), rhythm(1)],
            beats: HashMap::new(),
            fields: Vec::new(),
            numbers: Vec::new(),
            places: Arc::clone(&places),
        };
        let edges = [found.rhythms[0].edges.clone(), found.rhythms[1].edges.clone()];
        let work = |index: usize, parts: &[Option<SegmentRows>; 2]| {
            patterns_of(sides, &places, &edges, (index, parts))
        };
        sides.each_segment(work, |part| found.absorb(&part))?;
        if sides.is_chosen_by("template") {
            found.patterns.fill([0; 2]);
            found.rhythms.iter_mut().for_each(|rhythm| rhythm.patterns.iter_mut().for_each(Vec::clear));
        }
        Ok(found)
    }

    fn absorb(&mut self, part: &SegmentPatterns) {
        for side in 0..2 {
            self.events[side] += part.events[side];
            for (all, &count) in self.patterns.iter_mut().zip(&part.counts[side]) {
                all[side] += u64::from(count);
            }
            let rhythm = &mut self.rhythms[side];
            part.all[side].iter().for_each(|&(at, events)| rhythm.all[at] += events);
            for &(at, place, events) in &part.buckets[side] {
                rhythm.add(at, place as usize, events);
            }
            for &(place, time) in &part.last[side] {
                let last = &mut rhythm.last[place as usize];
                *last = time.max(*last);
            }
        }
    }

    /// Counts a field, by value or as numbers.
    pub fn add_field(
        &mut self,
        sides: &Sides<'_>,
        field: &str,
        left_out: &mut Vec<(String, LeftOut)>,
    ) -> Result<()> {
        let kind = inspected(sides, field)?;
        if kind.is_measure && is_name(field) {
            left_out.push((field.to_owned(), LeftOut::ManyValues));
            return Ok(());
        }
        if kind.is_measure {
            self.numbers.push(field.to_owned());
            return Ok(());
        }
        if kind.values > VALUES {
            left_out.push((field.to_owned(), LeftOut::ManyValues));
            return Ok(());
        }
        let (values, counts) = match value_counts(sides, field) {
            Ok(counted) => counted,
            Err(error) if error.kind() == ErrorKind::Limit => {
                left_out.push((field.to_owned(), LeftOut::ManyValues));
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        let found = FieldCounts { field: field.to_owned(), values, counts };
        if found.occurring().count() > VALUES {
            left_out.push((field.to_owned(), LeftOut::ManyValues));
        } else {
            self.fields.push(found);
        }
        Ok(())
    }

    /// The counts of the values of all fields in parts of the sides.
    pub fn values_within(&self, sides: &Sides<'_>, views: &[View; 2]) -> Result<Vec<[Vec<u32>; 2]>> {
        let fields: Vec<&GlobalValues> = self.fields.iter().map(|field| &field.values).collect();
        counts_within(sides, views, &fields)
    }

    /// The events that a row is about, on both sides.
    pub fn views_of(&self, sides: &Sides<'_>, subject: &Subject) -> [View; 2] {
        [0, 1].map(|side| sides.view_with(side, &self.places.filter_on(side, subject)))
    }

    fn tested_patterns(&self) -> impl Iterator<Item = (usize, [u64; 2])> + '_ {
        let counted = self.patterns.iter().copied().enumerate();
        counted.filter(|(_, counts)| is_tested(*counts))
    }

    /// Rates that are compared.
    pub fn tests(&self) -> u64 {
        let values: usize = self.fields.iter().map(|field| field.tested().count()).sum();
        (self.tested_patterns().count() + values) as u64
    }

    /// Everything whose rates are not the same, the greatest score first.
    pub fn candidates(&self, limit: f64) -> Vec<Candidate> {
        let stops = score::threshold(self.rhythms[1].tests());
        let mut found = Vec::new();
        for (place, counts) in self.tested_patterns() {
            let rates = Rates::new(counts, self.events);
            // What A has for a time only as well is always so, as what is written at a start.
            let stop = self.rhythms[1].stop(place, stops);
            let stop = stop.filter(|_| self.rhythms[0].stop(place, stops).is_none() && counts[0] > 0);
            let beat = self.beats.get(&place).copied().filter(|_| stop.is_none());
            if rates.at_least(limit) > 1.0 || stop.is_some() || beat.is_some() {
                let mut own = Candidate { stop, beat, ..self.pattern(place, counts) };
                own.set_dispersion(1.0, self.events, limit);
                found.push(own);
            }
        }
        for (index, field) in self.fields.iter().enumerate() {
            let differing: Vec<(u32, [u64; 2])> = field
                .tested()
                .filter(|(_, counts)| Rates::new(*counts, self.events).at_least(limit) > 1.0)
                .collect();
            for (code, counts) in differing {
                let Some(mut own) = Candidate::of_value(index, field, code, counts) else { continue };
                own.set_dispersion(1.0, self.events, limit);
                found.push(own);
            }
        }
        // Of equal ones the pattern comes first, because it says most.
        found.sort_by(|one, other| other.score.total_cmp(&one.score));
        found
    }

    /// The patterns that are compared, with their counts.
    pub fn pattern_changes(&self) -> Vec<(Key, [u64; 2])> {
        self.tested_patterns().map(|(place, counts)| (Key::Pattern(place), counts)).collect()
    }

    /// The values that are compared, with their counts.
    pub fn value_changes(&self) -> Vec<(Key, [u64; 2])> {
        let fields = self.fields.iter().enumerate();
        let values =
            fields.flat_map(|(place, field)| field.tested().map(move |(code, counts)| (place, code, counts)));
        values.map(|(place, code, counts)| (Key::Value(place, code), counts)).collect()
    }

    pub fn candidate(&self, key: Key, counts: [u64; 2]) -> Option<Candidate> {
        match key {
            Key::Pattern(place) => Some(self.pattern(place, counts)),
            Key::Value(place, code) => Candidate::of_value(place, &self.fields[place], code, counts),
        }
    }

    fn pattern(&self, place: usize, counts: [u64; 2]) -> Candidate {
        let template = &self.places.templates()[place];
        let subject = Subject::Pattern { id: template.id, text: template.text() };
        let key = Key::Pattern(place);
        Candidate { key, subject, counts, stop: None, beat: None, dispersion: 1.0, score: 0.0 }
    }
}

fn is_tested(counts: [u64; 2]) -> bool {
    counts.iter().any(|&count| count >= FEWEST)
}

impl FieldCounts {
    /// The values that either side has.
    pub fn occurring(&self) -> impl Iterator<Item = (u32, [u64; 2])> + '_ {
        let counts = |code: usize| [0, 1].map(|side: usize| u64::from(self.counts[side][code]));
        let all = (1..self.counts[0].len()).map(move |code| (code as u32, counts(code)));
        all.filter(|(_, counts)| *counts != [0, 0])
    }

    pub fn tested(&self) -> impl Iterator<Item = (u32, [u64; 2])> + '_ {
        self.occurring().filter(|(_, counts)| is_tested(*counts))
    }
}

impl Candidate {
    /// A value of a field, by its place, with its code and counts.
    pub fn of_value(place: usize, field: &FieldCounts, code: u32, counts: [u64; 2]) -> Option<Candidate> {
        let value = field.values.values([code]).pop().flatten()?;
        let subject = Subject::Value { field: field.field.clone(), value };
        let key = Key::Value(place, code);
        Some(Candidate { key, subject, counts, stop: None, beat: None, dispersion: 1.0, score: 0.0 })
    }

    pub fn is_above(&self, events: [u64; 2], limit: f64) -> bool {
        self.rhythm_score().is_some()
            || Rates::new(self.counts, events).at_least(limit * self.dispersion) >= LEAST_RATIO
    }

    /// Takes into account that events come in bursts.
    pub fn set_dispersion(&mut self, dispersion: f64, events: [u64; 2], limit: f64) {
        self.dispersion = dispersion;
        let rhythm = self.rhythm_score().unwrap_or(0.0);
        self.score = Rates::new(self.counts, events).score(limit * dispersion).max(rhythm);
    }

    /// The score of a pattern that stopped or has another rhythm.
    pub fn rhythm_score(&self) -> Option<f64> {
        let silence = self.stop.map(|stop| score::score_of(stop.at_least, stop.expected));
        silence.or_else(|| self.beat.map(|beat| beat.score()))
    }

    pub fn change(&self, events: [u64; 2]) -> Change {
        if self.stop.is_some() {
            return Change::Stopped;
        }
        if let Some(beat) = self.beat {
            return beat.change();
        }
        Change::from_counts(self.counts, Rates::new(self.counts, events).higher() == 1)
    }

    pub fn difference(&self, events: [u64; 2], limit: f64, tests: u64) -> Difference {
        let rates = Rates::new(self.counts, events);
        let at_least = rates.at_least(limit * self.dispersion);
        let g2 = self.beat.map_or_else(|| rates.g2(), |beat| beat.g2);
        let by_chance = (score::p_value(g2 / self.dispersion) * tests as f64).min(1.0);
        Difference {
            subject: self.subject.clone(),
            change: self.change(events),
            counts: self.counts,
            shares: [rates.share(0), rates.share(1)],
            at_least: self
                .stop
                .map(|stop| stop.at_least)
                .or(self.beat.map(|beat| beat.at_least))
                .unwrap_or(at_least),
            g2,
            p_value: self.beat.map_or(by_chance, |beat| beat.p_value),
            score: self.score,
            moved: None,
            stop: self.stop,
            beat: self.beat,
            clock: None,
            since: None,
            side_filters: None,
            filter: self.subject.filter(),
            also: Vec::new(),
        }
    }
}

/// The values of a field with their counts on both sides, by code.
fn value_counts(sides: &Sides<'_>, field: &str) -> Result<(GlobalValues, [Vec<u32>; 2])> {
    if !sides.is_one_case() {
        let values = sides.joint_values(field)?;
        let counts = counts_within(sides, sides.views, &[&values])?.remove(0);
        return Ok((values, counts));
    }
    let (a, b) = (TermCounts::count(&sides.scope(0), field)?, TermCounts::count(&sides.scope(1), field)?);
    let (values, codes) = (b.values, a.counts.len().max(b.counts.len()));
    let mut counts = [a.counts, b.counts];
    for counts in &mut counts {
        counts.resize(codes, 0);
    }
    Ok((values, counts))
}

/// For each field the counts of its values in two views, each a part of one side.
fn counts_within(
    sides: &Sides<'_>,
    views: &[View; 2],
    fields: &[&GlobalValues],
) -> Result<Vec<[Vec<u32>; 2]>> {
    let none = || -> Vec<[Vec<u32>; 2]> {
        fields.iter().map(|values| [0, 1].map(|_| vec![0; values.codes])).collect()
    };
    let count = |index: usize, parts: &[Option<SegmentRows>; 2]| {
        let mut found = none();
        for (values, counts) in fields.iter().zip(&mut found) {
            if sides.cancel.is_set() {
                return Err(Error::cancelled());
            }
            let Some(coded) = &values.segments[index] else { continue };
            for (part, counts) in parts.iter().zip(counts) {
                let Some(part) = part else { continue };
                with_codes!(&coded.column.codes, codes => part.for_each(|row| {
                    counts[coded.shared[u64::from(codes[row]) as usize] as usize] += 1;
                }));
            }
        }
        Ok(found)
    };
    let mut all = none();
    sides.each_segment_of(views, count, |found| {
        for (all, found) in all.iter_mut().flatten().zip(found.iter().flatten()) {
            all.iter_mut().zip(found).for_each(|(all, &count)| *all += count);
        }
    })?;
    Ok(all)
}

fn patterns_of(
    sides: &Sides<'_>,
    places: &PatternPlaces,
    edges: &[Vec<i64>; 2],
    (index, parts): (usize, &[Option<SegmentRows>; 2]),
) -> Result<SegmentPatterns> {
    let patterns = places.templates().len();
    let mut found = SegmentPatterns {
        counts: [vec![0; patterns], vec![0; patterns]],
        events: [0; 2],
        buckets: [Vec::new(), Vec::new()],
        all: [Vec::new(), Vec::new()],
        last: [Vec::new(), Vec::new()],
    };
    let mut here = vec![0_u32; patterns];
    for (side, part) in parts.iter().enumerate() {
        let Some(part) = part else { continue };
        let mined = sides.mined(index)?;
        let places = places.of_shapes(&mined.hashes);
        let times = part.segment.times()?;
        found.events[side] = part.len() as u64;
        let counts = &mut found.counts[side];
        let place = |row: usize| places.get(mined.codes[row] as usize).copied().unwrap_or(NO_PLACE) as usize;
        let mut last_rows = vec![NO_PLACE; patterns];
        part.for_each_in(0..times.untimed(), |row| {
            if let Some(count) = counts.get_mut(place(row)) {
                *count += 1;
            }
        });
        times.for_each_bucket(part.rows(), &edges[side], |bucket, rows| {
            let mut all = 0;
            part.for_each_in(rows, |row| {
                let place = place(row);
                all += 1;
                if let Some(count) = here.get_mut(place) {
                    *count += 1;
                    last_rows[place] = row as u32;
                }
            });
            found.all[side].push((bucket, all));
            for (place, count) in here.iter_mut().enumerate().filter(|(_, count)| **count > 0) {
                counts[place] += *count;
                found.buckets[side].push((bucket, place as u32, *count));
                *count = 0;
            }
        });
        if sides.cancel.is_set() {
            return Err(Error::cancelled());
        }
        let last = last_rows.iter().enumerate().filter(|(_, row)| **row != NO_PLACE);
        found.last[side] = last.map(|(place, &row)| (place as u32, times.get(row as usize))).collect();
    }
    Ok(found)
}

/// The fields that are compared. Messages are compared as patterns.
pub fn fields(sides: &Sides<'_>, left_out: &mut Vec<(String, LeftOut)>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for origin in sides.origins() {
        for field in Engine::fields(origin.snapshot) {
            let name = field.name;
            let is_known = found.contains(&name) || left_out.iter().any(|(known, _)| *known == name);
            if is_known || MESSAGES.contains(&name.as_str()) {
                continue;
            }
            if sides.is_chosen_by(&name) {
                left_out.push((name, LeftOut::ChosenBy));
            } else if is_placed(sides, &name) {
                left_out.push((name, LeftOut::ManyValues));
            } else {
                found.push(name);
            }
        }
    }
    found
}

/// Whether a case stores byte ranges of a field's values, because they rarely repeat.
fn is_placed(sides: &Sides<'_>, name: &str) -> bool {
    let mut segments = (0..sides.segments()).map(|index| sides.segment(index));
    segments.any(|segment| segment.meta.fields.iter().any(|field| field.name == name && field.placed))
}

/// What a field's columns hold.
#[derive(Clone, Copy, Default)]
struct Inspected {
    /// Numbers that are measured rather than named.
    is_measure: bool,
    /// The most values of a segment, where they are not numbers.
    values: usize,
}

fn inspected(sides: &Sides<'_>, field: &str) -> Result<Inspected> {
    let mut found = Inspected::default();
    let look = |index: usize, parts: &[Option<SegmentRows>; 2]| {
        let mut own = Inspected::default();
        let Some(part) = parts.iter().flatten().next() else { return Ok(own) };
        for column in columns(&part.segment, sides.sources(index), field, sides.cancel)? {
            match &column.values {
                ColumnValues::Numbers { unit, .. } if unit.is_number() => own.is_measure |= has_many(&column),
                _ => own.values = own.values.max(column.largest as usize),
            }
        }
        Ok(own)
    };
    sides.each_segment(look, |own: Inspected| {
        found.is_measure |= own.is_measure;
        found.values = found.values.max(own.values);
    })?;
    Ok(found)
}

/// Whether the numbers of a field name something instead of measuring it: `order.id`, `pid`, `src_port`.
fn is_name(field: &str) -> bool {
    let last = field.rsplit(['.', '_', '-']).next().unwrap_or(field);
    ["id", "pid", "ppid", "tid", "uid", "gid", "port"].iter().any(|name| last.eq_ignore_ascii_case(name))
}

/// Whether a column has more than a few different numbers.
fn has_many(column: &StoredColumn) -> bool {
    if column.largest <= FEW_NUMBERS as u64 || column.largest > DENSE {
        return column.largest > DENSE;
    }
    let (mut seen, mut distinct) = (vec![false; column.largest as usize + 1], 0);
    with_codes!(&column.codes, codes => codes.iter().any(|&code| {
        let code = u64::from(code) as usize;
        distinct += usize::from(code > 0 && !seen[code]);
        seen[code] = true;
        distinct > FEW_NUMBERS
    }))
}
