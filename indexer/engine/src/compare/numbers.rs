//! Numbers that moved: the distance of their distributions on both sides, over all events and by the values of other
//! fields.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use super::counts::Counts;
use super::score::{self, LEAST_DISTANCE};
use super::sides::Sides;
use super::subject::Subject;
use super::{Change, Difference, LeftOut};
use crate::aggregate::{self, AggregateScope, Measure, Request};
use crate::exec::SegmentRows;
use crate::view::View;
use base::error::{Error, Result};
use store::{ColumnValues, Scalar, StoredColumn, Unit, with_codes};

/// Numbers are put into bins, each wider than the one before: 32 of them from a number to its double.
const BITS: u32 = 52 - 5;
/// Wider bins are taken where there would be more than this.
const MOST_BINS: usize = 4_096;

/// Fields with so few values are those that numbers are grouped by, and so many fields.
const GROUP_VALUES: usize = 64;
const GROUP_FIELDS: usize = 12;

/// A group explains the whole if its distance is so many times that of all events.
const CONCENTRATED: f64 = 2.0;

/// Numbers that are looked at to see whether they count upwards, and the share that has to be greater than the one
/// before.
const SAMPLED: usize = 512;
const ASCENDING: f64 = 0.95;

/// The percentiles that are listed.
pub const PERCENTILES: [f64; 3] = [50.0, 95.0, 99.0];

/// The percentiles in the curve of differences.
const CURVE: [f64; 17] =
    [1.0, 2.5, 5.0, 10.0, 20.0, 25.0, 30.0, 40.0, 50.0, 60.0, 70.0, 75.0, 80.0, 90.0, 95.0, 97.5, 99.0];

const NO_GROUP: u32 = u32::MAX;

/// How the numbers of A became those of B.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Moved {
    /// The largest difference between the shares of numbers up to any value (Kolmogorov and Smirnov).
    pub distance: f64,
    /// The shares of the numbers from here on differ by that distance.
    pub threshold: f64,
    /// The percentiles 50, 95 and 99, of A and of B.
    pub percentiles: [[Option<Scalar>; 2]; 3],
    /// How much each part of the numbers moved, from the smallest to the greatest.
    pub curve: Vec<CurvePoint>,
    /// The field whose values explain it: the numbers with each value moved far less than all together.
    pub mix: Option<Mix>,
}

/// Numbers that moved because some values of another field have more events.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Mix {
    pub field: String,
    /// The mean distance of the numbers with one value; each value counts by its numbers.
    pub within: f64,
}

/// A quantile on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CurvePoint {
    /// This share of the numbers is smaller.
    pub quantile: f64,
    pub a: f64,
    pub b: f64,
    /// The quantile of B is between these, for all quantiles at once with 95 %; nothing where there is no bound.
    pub low: Option<f64>,
    pub high: Option<f64>,
}

pub struct MovedNumbers {
    pub differences: Vec<Difference>,
    /// The fields without a row, each with all its numbers.
    pub others: Vec<Difference>,
}

/// A field that numbers are grouped by.
struct GroupField {
    /// Its place in the counts.
    place: usize,
    codes: Vec<u32>,
    /// By code: the place in `codes`.
    groups: Vec<u32>,
}

/// How numbers are put into bins.
#[derive(Clone, Copy, Debug)]
struct Binning {
    shift: u32,
    first: i64,
    bins: usize,
}

/// The numbers of one field on both sides: of all events, and for each group field of each group.
struct Histograms {
    all: [Vec<u32>; 2],
    groups: Vec<[Vec<u32>; 2]>,
    binning: Binning,
}

pub fn moved(
    sides: &Sides<'_>,
    counts: &Counts,
    left_out: &mut Vec<(String, LeftOut)>,
) -> Result<MovedNumbers> {
    let mut found = MovedNumbers { differences: Vec::new(), others: Vec::new() };
    let groups = group_fields(counts);
    let mut counted = Vec::new();
    for field in &counts.numbers {
        if counts_up(sides, field)? {
            left_out.push((field.clone(), LeftOut::CountsUp));
        } else if let Some(histograms) = histograms(sides, counts, field, &groups)? {
            if histograms.is_of_both() {
                counted.push((field, histograms));
            } else {
                left_out.push((field.clone(), LeftOut::OneSide));
            }
        }
    }
    let of_field = 1 + groups.iter().map(|group| group.codes.len()).sum::<usize>();
    let tests = (counted.len() * of_field) as u64;
    for (field, histograms) in &counted {
        let rows = rows(counts, field, histograms, &groups, tests);
        found.differences.extend(rows.differences);
        found.others.extend(rows.others);
    }
    Ok(found)
}

/// Adds the exact percentiles to what moved.
pub fn percentiles(sides: &Sides<'_>, differences: &mut [Difference]) -> Result<()> {
    for difference in differences {
        let (Some(moved), Subject::Number { field, .. }) = (&mut difference.moved, &difference.subject)
        else {
            continue;
        };
        let views = [0, 1].map(|side| sides.view_with(side, &difference.filter));
        let found = quantiles(sides, &views, field)?;
        for (percentile, wanted) in moved.percentiles.iter_mut().zip(PERCENTILES) {
            let place = CURVE.iter().position(|at| at.total_cmp(&wanted).is_eq());
            let value = |side: &Vec<Option<Scalar>>| side.get(place?).cloned().flatten();
            *percentile = found.sides.each_ref().map(value);
        }
        moved.curve = found.curve();
    }
    Ok(())
}

/// The percentiles of a curve on both sides, with bounds for those of B.
pub struct Quantiles {
    sides: [Vec<Option<Scalar>>; 2],
    /// The lower and the upper bounds.
    bounds: [Vec<Option<Scalar>>; 2],
    /// How many percent the bounds are before and after a percentile.
    margin: f64,
}

/// The quantiles of a field in two views, with a simultaneous band for those of the second (Doksum and Sievers): the
/// distance of two distributions is no larger than chance makes it exactly if each quantile of one lies between two
/// quantiles of the other.
pub fn quantiles(sides: &Sides<'_>, views: &[View; 2], field: &str) -> Result<Quantiles> {
    let (in_a, a) = percentiles_of(&sides.scope_of(0, &views[0]), field, CURVE.to_vec())?;
    let (in_b, b) = percentiles_of(&sides.scope_of(1, &views[1]), field, CURVE.to_vec())?;
    let margin = 100.0 * score::band_of_shares([in_a, in_b]);
    let shifted = |by: f64| CURVE.map(|at| (at + by).clamp(0.0, 100.0));
    let at = [shifted(-margin), shifted(margin)].concat();
    let (_, mut low) = percentiles_of(&sides.scope_of(1, &views[1]), field, at)?;
    let high = low.split_off(CURVE.len().min(low.len()));
    Ok(Quantiles { sides: [a, b], bounds: [low, high], margin })
}

impl Quantiles {
    /// Empty if a side has no numbers.
    pub fn curve(&self) -> Vec<CurvePoint> {
        let number = |all: &[Option<Scalar>], place: usize| all.get(place)?.as_ref()?.number();
        let point = |(place, at): (usize, f64)| {
            let bound =
                |side: usize, has_bound: bool| number(&self.bounds[side], place).filter(|_| has_bound);
            Some(CurvePoint {
                quantile: at / 100.0,
                a: number(&self.sides[0], place)?,
                b: number(&self.sides[1], place)?,
                low: bound(0, at > self.margin),
                high: bound(1, at + self.margin < 100.0),
            })
        };
        CURVE.into_iter().enumerate().filter_map(point).collect()
    }
}

/// How many numbers of a field a view has, and their percentiles.
fn percentiles_of(
    scope: &AggregateScope<'_>,
    field: &str,
    at: Vec<f64>,
) -> Result<(u64, Vec<Option<Scalar>>)> {
    let measure = Measure::Percentiles { field: field.to_owned(), at };
    let request = Request { by: Vec::new(), measures: vec![measure] };
    let answer = scope.case.aggregate(scope.snapshot, scope.view, &request, &mut |_, _| {}, scope.cancel)?;
    let without = answer.measured.first().map_or(0, |measured| measured.missing + measured.mistyped);
    let values = answer.measured.into_iter().map(|measured| measured.values.into_iter().next().flatten());
    Ok((answer.total.saturating_sub(without), values.collect()))
}

fn group_fields(counts: &Counts) -> Vec<GroupField> {
    let mut found = Vec::new();
    for (place, field) in counts.fields.iter().enumerate() {
        let codes: Vec<u32> = field.occurring().map(|(code, _)| code).collect();
        if codes.len() < 2 || codes.len() > GROUP_VALUES {
            continue;
        }
        let mut groups = vec![NO_GROUP; field.counts[0].len()];
        codes.iter().zip(0..).for_each(|(&code, group)| groups[code as usize] = group);
        found.push(GroupField { place, codes, groups });
    }
    found.truncate(GROUP_FIELDS);
    found
}

/// The column of a field's numbers in a segment.
fn column_of(sides: &Sides<'_>, field: &str, index: usize) -> Result<Option<Arc<StoredColumn>>> {
    let numbers = aggregate::numbers(sides.segment(index), sides.sources(index), field, sides.cancel)?;
    let is_number = |column: &Arc<StoredColumn>| matches!(column.values, ColumnValues::Numbers { unit, .. } if unit.is_number());
    Ok(numbers.column.filter(is_number))
}

/// Whether numbers are those of a sequence: nearly each is greater than the one before.
fn counts_up(sides: &Sides<'_>, field: &str) -> Result<bool> {
    let (mut ascending, mut pairs) = (0_u32, 0_u32);
    let sample = |index: usize, parts: &[Option<SegmentRows>; 2]| {
        let (mut ascending, mut pairs) = (0_u32, 0_u32);
        let Some(column) = column_of(sides, field, index)? else { return Ok((0, 0)) };
        for part in parts.iter().flatten() {
            let mut last = 0;
            for step in 0..SAMPLED.min(part.len()) {
                let code = column.codes.get(part.row(step * part.len() / SAMPLED.min(part.len())));
                if code == 0 {
                    continue;
                }
                if last > 0 {
                    pairs += 1;
                    ascending += u32::from(code > last);
                }
                last = code;
            }
        }
        Ok((ascending, pairs))
    };
    sides.each_segment(sample, |(more, of)| {
        ascending += more;
        pairs += of;
    })?;
    Ok(pairs >= 8 && f64::from(ascending) >= ASCENDING * f64::from(pairs))
}

impl Histograms {
    /// Whether both sides have numbers.
    fn is_of_both(&self) -> bool {
        self.all.iter().all(|bins| bins.iter().any(|&count| count > 0))
    }
}

impl Binning {
    /// For numbers between these two.
    fn over(least: f64, greatest: f64) -> Binning {
        let mut shift = BITS;
        loop {
            let first = Unit::ordered(least) >> shift;
            let bins = ((Unit::ordered(greatest) >> shift) - first) as usize + 1;
            if bins <= MOST_BINS {
                return Binning { shift, first, bins };
            }
            shift += 1;
        }
    }

    /// The smallest number after a bin.
    fn end(self, bin: usize) -> f64 {
        Unit::Bits.float((self.first + bin as i64 + 1) << self.shift)
    }

    fn bin(self, number: f64) -> u32 {
        ((Unit::ordered(number) >> self.shift) - self.first) as u32
    }

    /// The bins of a column's numbers in some rows, with those rows.
    fn bins_of(self, column: &StoredColumn, part: &SegmentRows) -> (Vec<u32>, Vec<u32>) {
        let (mut rows, mut bins) = (Vec::with_capacity(part.len()), Vec::with_capacity(part.len()));
        let ColumnValues::Numbers { base, unit } = column.values else { return (rows, bins) };
        let bin = |code: u64| self.bin(unit.float(base.wrapping_add((code - 1) as i64)));
        let known: Vec<u32> = if column.largest <= aggregate::DENSE {
            (1..=column.largest).map(bin).collect()
        } else {
            Vec::new()
        };
        with_codes!(&column.codes, codes => part.for_each(|row| {
            let code = u64::from(codes[row]);
            if code > 0 {
                rows.push(row as u32);
                bins.push(known.get(code as usize - 1).copied().unwrap_or_else(|| bin(code)));
            }
        }));
        (rows, bins)
    }
}

fn histograms(
    sides: &Sides<'_>,
    counts: &Counts,
    field: &str,
    groups: &[GroupField],
) -> Result<Option<Histograms>> {
    let mut range: Option<(f64, f64)> = None;
    let ends = |index: usize, _: &[Option<SegmentRows>; 2]| {
        let Some(column) = column_of(sides, field, index)? else { return Ok(None) };
        let end = |code: u64| column.value(code).and_then(|value| value.number());
        Ok(end(1).zip(end(column.largest)))
    };
    sides.each_segment(ends, |found| {
        if let Some((least, greatest)) = found {
            let known = range.get_or_insert((least, greatest));
            *known = (known.0.min(least), known.1.max(greatest));
        }
    })?;
    let Some((least, greatest)) = range else { return Ok(None) };
    let binning = Binning::over(least, greatest);
    let none = || Histograms {
        all: [vec![0; binning.bins], vec![0; binning.bins]],
        groups: groups
            .iter()
            .map(|group| [0, 1].map(|_| vec![0; group.codes.len() * binning.bins]))
            .collect(),
        binning,
    };
    let work = |index: usize, parts: &[Option<SegmentRows>; 2]| {
        let mut found = none();
        let Some(column) = column_of(sides, field, index)? else { return Ok(found) };
        for (side, part) in parts.iter().enumerate() {
            let Some(part) = part else { continue };
            let (rows, bins) = binning.bins_of(&column, part);
            for &bin in &bins {
                found.all[side][bin as usize] += 1;
            }
            for (group, histogram) in groups.iter().zip(&mut found.groups) {
                if sides.cancel.is_set() {
                    return Err(Error::cancelled());
                }
                let Some(coded) = &counts.fields[group.place].values.segments[index] else { continue };
                let of_code: Vec<u32> = coded
                    .shared
                    .iter()
                    .map(|&code| group.groups.get(code as usize).copied().unwrap_or(NO_GROUP))
                    .collect();
                with_codes!(&coded.column.codes, codes => {
                    for (&row, &bin) in rows.iter().zip(&bins) {
                        let group = of_code[u64::from(codes[row as usize]) as usize];
                        if group != NO_GROUP {
                            histogram[side][group as usize * binning.bins + bin as usize] += 1;
                        }
                    }
                });
            }
        }
        Ok(found)
    };
    let mut all = none();
    let add =
        |all: &mut [u32], part: &[u32]| all.iter_mut().zip(part).for_each(|(all, &count)| *all += count);
    sides.each_segment(work, |part| {
        for side in 0..2 {
            add(&mut all.all[side], &part.all[side]);
            for (all, part) in all.groups.iter_mut().zip(&part.groups) {
                add(&mut all[side], &part[side]);
            }
        }
    })?;
    Ok(Some(all))
}

/// The distance of two distributions.
#[derive(Clone, Copy, Debug, PartialEq)]
struct KsDistance {
    distance: f64,
    /// The shares of the numbers from here on differ by it.
    threshold: f64,
    /// After the margin of error.
    at_least: f64,
    numbers: [u64; 2],
}

impl KsDistance {
    fn new(bins: [&[u32]; 2], binning: Binning, tests: u64) -> KsDistance {
        let numbers = bins.map(|bins| bins.iter().map(|&count| u64::from(count)).sum::<u64>());
        let (distance, bin) = score::distance(bins);
        let at_least = (distance - score::distance_by_chance(tests, numbers)).max(0.0);
        KsDistance { distance, threshold: binning.end(bin), at_least, numbers }
    }

    fn is_above(self) -> bool {
        self.at_least > 0.0 && self.distance >= LEAST_DISTANCE
    }

    fn score(self) -> f64 {
        let events = self.at_least * self.numbers[0].min(self.numbers[1]) as f64;
        score::score_of(score::ratio_of_distance(self.at_least), events)
    }

    fn difference(self, subject: Subject, events: [u64; 2], tests: u64) -> Difference {
        let [a, b] = self.numbers.map(|count| count as f64);
        let g2 = 4.0 * self.distance * self.distance * a * b / (a + b);
        let share = |side: usize| self.numbers[side] as f64 / events[side].max(1) as f64;
        Difference {
            change: Change::Moved,
            counts: self.numbers,
            shares: [share(0), share(1)],
            at_least: score::ratio_of_distance(self.at_least),
            g2,
            p_value: (2.0 * (-g2 / 2.0).exp() * tests as f64).min(1.0),
            score: self.score(),
            moved: Some(Moved { distance: self.distance, threshold: self.threshold, ..Moved::default() }),
            stop: None,
            beat: None,
            clock: None,
            since: None,
            side_filters: None,
            filter: subject.filter(),
            subject,
            also: Vec::new(),
        }
    }
}

/// The rows of one field: the group that moved if it is one, otherwise all of them. If they moved too little for a row, or
/// only because some values have more events, all of them are besides the rows.
fn rows(
    counts: &Counts,
    field: &str,
    histograms: &Histograms,
    groups: &[GroupField],
    tests: u64,
) -> MovedNumbers {
    let binning = histograms.binning;
    let all = KsDistance::new([&histograms.all[0], &histograms.all[1]], binning, tests);
    let mut distances: BTreeMap<(usize, usize), KsDistance> = BTreeMap::new();
    let part = |index: usize, group: usize| {
        let range = group * binning.bins..(group + 1) * binning.bins;
        let [a, b] = &histograms.groups[index];
        [&a[range.clone()], &b[range]]
    };
    for (index, group) in groups.iter().enumerate() {
        for place in 0..group.codes.len() {
            distances.insert((index, place), KsDistance::new(part(index, place), binning, tests));
        }
    }
    let above = distances.iter().filter(|(_, found)| found.is_above());
    let best = above.max_by(|one, other| one.1.score().total_cmp(&other.1.score()).then(other.0.cmp(one.0)));
    let subject = |group: Option<(usize, usize)>| {
        let value = group.and_then(|(index, place)| {
            let known = &counts.fields[groups[index].place];
            let value = known.values.values([groups[index].codes[place]]).pop().flatten()?;
            Some(Box::new(Subject::Value { field: known.field.clone(), value }))
        });
        Subject::Number { field: field.to_owned(), group: value }
    };
    if let Some((&(index, place), found)) = best {
        let own = part(index, place);
        let rest = [0, 1].map(|side| {
            let pairs = histograms.all[side].iter().zip(own[side]);
            pairs.map(|(all, own)| all - own).collect::<Vec<u32>>()
        });
        let rest = KsDistance::new([&rest[0], &rest[1]], binning, tests);
        if !all.is_above() || !rest.is_above() || found.distance >= CONCENTRATED * all.distance {
            let mut rows = vec![found.difference(subject(Some((index, place))), counts.events, tests)];
            // Other values of the same field that moved as well.
            for other in (0..groups[index].codes.len()).filter(|&other| other != place && rest.is_above()) {
                let found = distances[&(index, other)];
                if found.is_above() {
                    rows.push(found.difference(subject(Some((index, other))), counts.events, tests));
                }
            }
            return MovedNumbers { differences: rows, others: Vec::new() };
        }
    }
    let mut whole = all.difference(subject(None), counts.events, tests);
    let mix = groups.iter().enumerate().filter(|_| all.is_above()).find_map(|(index, group)| {
        let within = mix(index, &distances, all)?;
        Some(Mix { field: counts.fields[group.place].field.clone(), within })
    });
    let is_row = all.is_above() && mix.is_none();
    if let Some(moved) = &mut whole.moved {
        moved.mix = mix;
    }
    let (differences, others) = if is_row { (vec![whole], Vec::new()) } else { (Vec::new(), vec![whole]) };
    MovedNumbers { differences, others }
}

/// The mean distance within the groups if the numbers moved only because there are more events of some of them.
fn mix(index: usize, distances: &BTreeMap<(usize, usize), KsDistance>, all: KsDistance) -> Option<f64> {
    let own = distances.iter().filter(|((group, _), _)| *group == index).map(|(_, found)| found);
    let (mut clear, mut mean, mut numbers, mut compared) = (0.0, 0.0, 0.0, 0.0);
    for group in own {
        let weight = group.numbers.iter().sum::<u64>() as f64;
        clear += weight * (group.distance - score::distance_by_chance(1, group.numbers)).max(0.0);
        numbers += weight;
        // What only one side has says nothing.
        if !group.numbers.contains(&0) {
            compared += weight;
            mean += weight * group.distance;
        }
    }
    let covered = numbers / all.numbers.iter().sum::<u64>().max(1) as f64;
    let within = mean / f64::max(compared, 1.0);
    let is_mix = compared > 0.5 * numbers
        && covered > 0.9
        && clear / f64::max(numbers, 1.0) < 0.3 * all.at_least
        && within < 0.5 * all.distance;
    is_mix.then_some(within)
}
