//! Pairs of values: differences that are clearly larger where both are than with either of them.

use super::Difference;
use super::counts::{Candidate, Counts, FieldCounts, Key};
use super::score::{self, FEWEST, LEAST_RATIO, Rates};
use super::sides::Sides;
use super::subject::Subject;
use base::error::Result;

/// A pair has to have so much of the difference, with a ratio so many doublings clearer than either part's.
const PAIR_SHARE: f64 = 0.75;
const CLEARER: f64 = 0.3;

/// A pair in place of the seed that lies in it.
pub struct FoundPair<'c> {
    pub seed: &'c Candidate,
    pub is_accepted: bool,
    /// The other part.
    pub value: Candidate,
    pub difference: Difference,
}

/// A seed with a value of a field.
struct Tried<'f> {
    seed: usize,
    place: usize,
    field: &'f FieldCounts,
    code: u32,
    /// Events of the value, and of both.
    alone: [u64; 2],
    both: [u64; 2],
}

/// Pairs of candidates with values of other fields, each with the best one if that is clearer than its parts; if there are none,
/// the clearest of those below the line.
pub fn pairs<'c>(
    sides: &Sides<'_>,
    counts: &Counts,
    seeds: &[(&'c Candidate, bool)],
    limit: f64,
) -> Result<(Vec<FoundPair<'c>>, Option<Difference>)> {
    let mut tried: Vec<Tried<'_>> = Vec::new();
    for (index, (seed, _)) in seeds.iter().enumerate() {
        let views = counts.views_of(sides, &seed.subject);
        let within = counts.values_within(sides, &views)?;
        for (place, (field, within)) in counts.fields.iter().zip(within).enumerate() {
            if matches!(seed.key, Key::Value(own, _) if own == place) {
                continue;
            }
            for (code, alone) in field.tested() {
                let both = [0, 1].map(|side: usize| u64::from(within[side][code as usize]));
                if both.iter().any(|&count| count >= FEWEST) {
                    tried.push(Tried { seed: index, place, field, code, alone, both });
                }
            }
        }
    }
    let tests = tried.len() as u64;
    // The same counts must not seem clearer only because fewer pairs are tested than values.
    let pair_limit = score::threshold(tests).max(limit);
    let mut best: Vec<Option<(f64, usize)>> = vec![None; seeds.len()];
    let mut near: Option<(f64, usize)> = None;
    for (place, Tried { seed: index, alone, both, .. }) in tried.iter().enumerate() {
        let seed = seeds[*index].0;
        let (limit, pair_limit) = (limit * seed.dispersion, pair_limit * seed.dispersion);
        let (rates, own) = (Rates::new(*both, counts.events), Rates::new(seed.counts, counts.events));
        let other = Rates::new(*alone, counts.events);
        let doublings = |rates: &Rates, limit: f64| rates.at_least(limit).max(1.0).log2();
        let clear = doublings(&rates, pair_limit);
        let rest = Rates::new(
            [0, 1].map(|side| seed.counts[side].saturating_sub(both[side])),
            [0, 1].map(|side| counts.events[side].saturating_sub(both[side])),
        );
        let is_clearer = rates.higher() == own.higher()
            && rates.at_least(pair_limit) >= LEAST_RATIO
            && rates.excess() >= PAIR_SHARE * own.excess()
            && clear >= doublings(&own, limit) + CLEARER
            && clear >= doublings(&other, limit) + CLEARER
            && (rest.higher() != own.higher() || rest.at_least(limit) < LEAST_RATIO);
        let score = rates.score(pair_limit);
        if is_clearer && best[*index].is_none_or(|(known, _)| score > known) {
            best[*index] = Some((score, place));
        }
        let is_larger =
            [&own, &other].into_iter().all(|part| rates.log_ratio().abs() > part.log_ratio().abs());
        if is_larger && near.is_none_or(|(known, _)| rates.g2() > known) {
            near = Some((rates.g2(), place));
        }
    }
    let difference = |place: usize| -> Option<(Candidate, Difference)> {
        let Tried { seed, place, field, code, both, alone } = &tried[place];
        let seed = seeds[*seed].0;
        let value = Candidate::of_value(*place, field, *code, *alone)?;
        let subject =
            Subject::Pair { one: Box::new(seed.subject.clone()), other: Box::new(value.subject.clone()) };
        let pair = Candidate { subject, counts: *both, dispersion: seed.dispersion, ..value.clone() };
        let mut found = pair.difference(counts.events, pair_limit, tests);
        found.score = Rates::new(*both, counts.events).score(pair_limit * seed.dispersion);
        Some((value, found))
    };
    let mut found = Vec::new();
    for (index, best) in best.into_iter().enumerate() {
        let Some((value, pair)) = best.and_then(|(_, place)| difference(place)) else { continue };
        let (seed, is_accepted) = seeds[index];
        found.push(FoundPair { seed, is_accepted, value, difference: pair });
    }
    let near = near.filter(|_| found.is_empty());
    Ok((found, near.and_then(|(_, place)| difference(place)).map(|(_, pair)| pair)))
}
