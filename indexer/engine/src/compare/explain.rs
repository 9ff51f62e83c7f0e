//! Which differences follow from others, and which are those of a combination.
//!
//! The difference with the greatest score is accepted first. All others are counted again without its events: what no
//! longer differs is listed with it. Then each is looked at more closely: if nearly all of it lies in the
//! events with one value of another field, the two are listed as a pair.

use super::cells::{Cells, MOST};
use super::counts::{Candidate, Counts, FieldCounts, Key};
use super::onset::{self, Onset};
use super::rhythm;
use super::score::{self, FEWEST, LEAST_RATIO, Rates};
use super::sides::Sides;
use super::subject::Subject;
use super::{Also, Change, Difference};
use base::error::Result;

/// Two that share so much of their events are the same.
const SAME: f64 = 0.9;

/// So many differences are looked at more closely, if no side has them in more than this share of its events: a
/// value that nearly all events have is no cause.
const LOOKED_AT: usize = 8;
const LARGEST_SHARE: f64 = 0.25;

/// What is below the line is explained by a difference if this much of its ratio is left without that one's events.
const LEFT: f64 = 0.67;

/// A difference that has all events of a side but this share explains only what has the same events: there is nothing left
/// in which others could be counted again.
const LEAST_LEFT: f64 = 0.01;

/// A pair has to have so much of the difference, with a ratio so many doublings clearer than either part's.
const PAIR_SHARE: f64 = 0.75;
const CLEARER: f64 = 0.3;

/// A candidate that was accepted, and those that it explains.
struct Accepted {
    candidate: usize,
    score: f64,
    also: Vec<usize>,
}

/// What differs, before it is looked at more closely.
pub struct Explained {
    pub differences: Vec<Difference>,
    candidates: Vec<Candidate>,
    /// The candidates that are looked at more closely, and whether each was accepted.
    seeds: Vec<(usize, bool)>,
    limit: f64,
}

pub fn differences(sides: &Sides<'_>, counts: &Counts) -> Result<Explained> {
    let tests = counts.tests();
    let limit = score::threshold(tests);
    let mut candidates = counts.candidates(limit);
    candidates.truncate(MOST);
    let cells = Cells::count(sides, counts, &candidates)?;
    for (candidate, buckets) in candidates.iter_mut().zip(&cells.buckets) {
        candidate.set_dispersion(
            rhythm::dispersion(&buckets[0], &counts.rhythms[0].all),
            counts.events,
            limit,
        );
    }
    let (accepted, rest) = accepted(counts, &candidates, &cells, limit);
    let mut found: Vec<Difference> = Vec::new();
    for accepted in &accepted {
        let mut difference = candidates[accepted.candidate].difference(counts.events, limit, tests);
        difference.score = accepted.score;
        difference.since = since(&candidates[accepted.candidate], &cells.buckets[accepted.candidate], counts);
        difference.also = accepted
            .also
            .iter()
            .map(|&other| {
                let is_same = cells.overlap(accepted.candidate, other) >= SAME;
                also(&candidates[other], counts.events, is_same)
            })
            .collect();
        difference.also.sort_by_key(|also| !also.is_same);
        found.push(difference);
    }
    let places = accepted.iter().map(|accepted| (accepted.candidate, true));
    let mut seeds: Vec<(usize, bool)> =
        places.chain(rest.iter().map(|&candidate| (candidate, false))).collect();
    seeds.retain(|&(seed, _)| {
        let rates = Rates::new(candidates[seed].counts, counts.events);
        candidates[seed].rhythm_score().is_none() && rates.share(0).max(rates.share(1)) <= LARGEST_SHARE
    });
    seeds.truncate(LOOKED_AT);
    Ok(Explained { differences: found, candidates, seeds, limit })
}

/// The same, with pairs in the place of what lies in them.
pub fn with_pairs(sides: &Sides<'_>, counts: &Counts, explained: Explained) -> Result<Vec<Difference>> {
    let Explained { differences: mut found, candidates, seeds, limit } = explained;
    let seeds: Vec<(&Candidate, bool)> =
        seeds.into_iter().map(|(seed, is_accepted)| (&candidates[seed], is_accepted)).collect();
    for (seed, is_accepted, pair) in pairs(sides, counts, &seeds, limit)? {
        let twin = found.iter_mut().find(|known| known.is_twin(&pair));
        if let Some(twin) = twin {
            twin.also.push(Also {
                subject: pair.subject,
                change: pair.change,
                counts: pair.counts,
                is_same: true,
            });
            if is_accepted {
                found.retain(|known| known.subject != seed.subject);
            }
            continue;
        }
        match found.iter_mut().find(|known| known.subject == seed.subject) {
            Some(known) => {
                let mut explained = std::mem::take(&mut known.also);
                *known = pair;
                known.also.push(also(seed, counts.events, false));
                known.also.append(&mut explained);
            }
            None => found.push(pair),
        }
    }
    Ok(found)
}

/// When a difference begins. A pattern has another rhythm all the time.
fn since(candidate: &Candidate, buckets: &[Vec<u32>; 2], counts: &Counts) -> Option<Onset> {
    match (candidate.stop, candidate.beat) {
        (Some(stop), _) => Some(Onset { at: stop.last, side: 1 }),
        (None, Some(_)) => None,
        (None, None) => onset::onset([&buckets[0], &buckets[1]], &counts.rhythms, candidate.dispersion),
    }
}

impl Difference {
    /// Whether another pair is nearly as many events of a part that is the same.
    fn is_twin(&self, other: &Difference) -> bool {
        let (Subject::Pair { one, other: two }, Subject::Pair { one: three, other: four }) =
            (&self.subject, &other.subject)
        else {
            return false;
        };
        let near = |side: usize| {
            let (one, other) = (self.counts[side] as f64, other.counts[side] as f64);
            (one - other).abs() <= (1.0 - SAME) * one.max(other)
        };
        (two == four || one == three || one == four || two == three) && near(0) && near(1)
    }
}

fn also(candidate: &Candidate, events: [u64; 2], is_same: bool) -> Also {
    Also {
        subject: candidate.subject.clone(),
        change: candidate.change(events),
        counts: candidate.counts,
        is_same,
    }
}

/// The candidates above the line that no other explains, in order, and those below it that none explains.
fn accepted(
    counts: &Counts,
    candidates: &[Candidate],
    cells: &Cells,
    limit: f64,
) -> (Vec<Accepted>, Vec<usize>) {
    let mut left: Vec<usize> = (0..candidates.len()).collect();
    let (mut accepted, mut without): (Vec<Accepted>, u64) = (Vec::new(), 0);
    // What is left of a candidate: its score, whether it is above the line, and the logarithm of its ratio.
    let rest = |place: usize, without: u64| {
        let candidate = &candidates[place];
        let (seen, totals) = cells.rest(place, without);
        let rates = Rates::new(seen, totals);
        let is_most = 2 * seen[1] >= candidate.counts[1];
        if let Some(score) = candidate.rhythm_score().filter(|_| is_most) {
            return (candidate.score.max(score), true, rates.log_ratio());
        }
        let is_as_before = rates.higher() == Rates::new(candidate.counts, counts.events).higher();
        let limit = limit * candidate.dispersion;
        let is_above = is_as_before && rates.at_least(limit) >= LEAST_RATIO;
        (if is_as_before { rates.score(limit) } else { 0.0 }, is_above, rates.log_ratio())
    };
    loop {
        let scored = left.iter().map(|&place| (place, rest(place, without)));
        let above = scored.filter(|(_, (_, is_above, _))| *is_above);
        // Of equal ones the first is accepted: patterns come before values.
        let best = above.reduce(|best, next| if next.1.0 > best.1.0 { next } else { best });
        let Some((place, (score, ..))) = best else { break };
        let before: Vec<(usize, bool, f64)> = left
            .iter()
            .filter(|&&other| other != place)
            .map(|&other| {
                let (_, is_above, ratio) = rest(other, without);
                (other, is_above, ratio)
            })
            .collect();
        let (_, events_left) = cells.rest(place, without | 1 << place);
        let is_side =
            events_left.iter().zip(counts.events).any(|(&left, all)| (left as f64) < LEAST_LEFT * all as f64);
        if !is_side {
            without |= 1 << place;
        }
        let mut also = Vec::new();
        left = Vec::new();
        for (other, was_above, ratio) in before {
            let (score, is_above, ratio_left) = rest(other, without);
            let is_smaller = ratio_left / ratio <= LEFT;
            let is_explained = if is_side {
                cells.overlap(place, other) >= SAME
            } else if was_above {
                !is_above
            } else {
                score <= 0.0 && is_smaller
            };
            if is_explained { also.push(other) } else { left.push(other) }
        }
        accepted.push(Accepted { candidate: place, score, also });
    }
    (accepted, left)
}

/// A seed with a value of a field.
struct Tried<'f> {
    seed: usize,
    field: &'f FieldCounts,
    code: u32,
    /// Events of the value, and of both.
    alone: [u64; 2],
    both: [u64; 2],
}

/// Pairs of candidates with values of other fields, each with the best one if that is clearer than its parts.
fn pairs<'c>(
    sides: &Sides<'_>,
    counts: &Counts,
    seeds: &[(&'c Candidate, bool)],
    limit: f64,
) -> Result<Vec<(&'c Candidate, bool, Difference)>> {
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
                    tried.push(Tried { seed: index, field, code, alone, both });
                }
            }
        }
    }
    let tests = tried.len() as u64;
    // The same counts must not seem clearer only because fewer pairs are tested than values.
    let pair_limit = score::threshold(tests).max(limit);
    let mut best: Vec<Option<(f64, usize)>> = vec![None; seeds.len()];
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
    }
    let mut found = Vec::new();
    for (index, best) in best.into_iter().enumerate() {
        let Some((score, place)) = best else { continue };
        let (seed, is_accepted) = seeds[index];
        let Tried { field, code, both, .. } = &tried[place];
        let Some(Some(value)) = field.values.values([*code]).pop() else { continue };
        let value = Subject::Value { field: field.field.clone(), value };
        let subject = Subject::Pair { one: Box::new(seed.subject.clone()), other: Box::new(value) };
        let rates = Rates::new(*both, counts.events);
        let (g2, pair_limit) = (rates.g2(), pair_limit * seed.dispersion);
        let difference = Difference {
            change: Change::from_counts(*both, rates.higher() == 1),
            counts: *both,
            shares: [rates.share(0), rates.share(1)],
            at_least: rates.at_least(pair_limit),
            g2,
            p_value: (score::p_value(g2 / seed.dispersion) * tests as f64).min(1.0),
            score,
            moved: None,
            stop: None,
            beat: None,
            clock: None,
            since: None,
            side_filters: None,
            filter: subject.filter(),
            subject,
            also: Vec::new(),
        };
        found.push((seed, is_accepted, difference));
    }
    Ok(found)
}
