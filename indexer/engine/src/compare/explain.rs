//! Which differences follow from others, and which are those of a combination.
//!
//! The difference with the greatest score is accepted first. All others are counted again without its events: what no
//! longer differs is listed with it, if the two share events or times. Otherwise only its share changed, because the events of
//! the rows are more or fewer: such differences are a list of their own. Then each difference is looked at more closely: if
//! nearly all of it lies in the events with one value of another field, the two are listed as a pair.

use std::collections::HashSet;

use super::cells::{self, Cells, MOST};
use super::counts::{Candidate, Counts, Key};
use super::onset::{self, Onset};
use super::pairs::{FoundPair, pairs};
use super::relation::{Relation, RowEvents, SAME};
use super::rhythm;
use super::score::{self, Rates};
use super::shares::{self, Left, RemovedRow, ShareChange};
use super::sides::Sides;
use super::subject::Subject;
use super::{Also, Difference};
use base::error::Result;
use query::Filter;

/// So many differences are looked at more closely, if no side has them in more than this share of its events: a
/// value that nearly all events have is no cause.
const LOOKED_AT: usize = 8;
const LARGEST_SHARE: f64 = 0.25;

/// A difference that has all events of a side but this share explains only what has the same events: there is nothing left
/// in which others could be counted again.
const LEAST_LEFT: f64 = 0.01;

/// A candidate that was accepted.
struct Accepted {
    candidate: usize,
    score: f64,
    also: Vec<Also>,
}

/// What differs, before it is looked at more closely.
pub struct Explained {
    pub differences: Vec<Difference>,
    /// Differences that are gone without the events of the rows.
    pub only_shares: Vec<ShareChange>,
    /// Every candidate that is listed, or explained by a listed one.
    pub known: HashSet<Key>,
    /// The clearest pair, if none is above the line.
    pub near_pair: Option<Difference>,
    candidates: Vec<Candidate>,
    /// The rows whose events can be left out, and what differs no longer without them.
    removed: Vec<RemovedRow>,
    shares: Vec<Candidate>,
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
    let mut explaining = Explaining {
        counts,
        candidates: &candidates,
        cells: &cells,
        limit,
        accepted: Vec::new(),
        shares: Vec::new(),
    };
    let left = explaining.all_rounds();
    explaining.check_shares();
    let is_removed = explaining.removed();
    let Explaining { accepted, shares, .. } = explaining;
    let mut found: Vec<Difference> = Vec::new();
    for accepted in &accepted {
        let candidate = &candidates[accepted.candidate];
        let mut difference =
            row(candidate, accepted.score, &cells.buckets[accepted.candidate], counts, limit);
        difference.also.clone_from(&accepted.also);
        difference.also.sort_by_key(|also| also.relation != Relation::Same);
        found.push(difference);
    }
    let is_listed = |subject: &Subject| {
        let mut also = accepted.iter().flat_map(|accepted| &accepted.also);
        also.any(|also| also.subject == *subject)
    };
    let known = candidates.iter().enumerate().filter(|(place, candidate)| {
        let is_row = accepted.iter().any(|accepted| accepted.candidate == *place);
        is_row || shares.contains(place) || is_listed(&candidate.subject)
    });
    let known = known.map(|(_, candidate)| candidate.key).collect();
    let removed = candidates.iter().enumerate().filter(|(place, _)| is_removed >> place & 1 == 1);
    let removed = removed.map(|(_, candidate)| RemovedRow::of_candidate(candidate)).collect();
    let above = shares.into_iter().map(|place| candidates[place].clone());
    let shares = above.filter(|candidate| candidate.is_above(counts.events, limit)).collect();
    let places = accepted.iter().map(|accepted| (accepted.candidate, true));
    let mut seeds: Vec<(usize, bool)> =
        places.chain(left.iter().map(|&candidate| (candidate, false))).collect();
    seeds.retain(|&(seed, _)| {
        let rates = Rates::new(candidates[seed].counts, counts.events);
        candidates[seed].rhythm_score().is_none() && rates.share(0).max(rates.share(1)) <= LARGEST_SHARE
    });
    seeds.truncate(LOOKED_AT);
    Ok(Explained {
        differences: found,
        only_shares: Vec::new(),
        known,
        near_pair: None,
        candidates,
        removed,
        shares,
        seeds,
        limit,
    })
}

/// The same, with pairs in the place of what lies in them.
pub fn with_pairs(sides: &Sides<'_>, counts: &Counts, mut explained: Explained) -> Result<Explained> {
    let (candidates, limit) = (&explained.candidates, explained.limit);
    let seeds: Vec<(&Candidate, bool)> =
        explained.seeds.iter().map(|&(seed, is_accepted)| (&candidates[seed], is_accepted)).collect();
    let (pairs, near) = pairs(sides, counts, &seeds, limit)?;
    let mut found = std::mem::take(&mut explained.differences);
    let mut removed = explained.removed.clone();
    for FoundPair { seed, is_accepted, value, difference: mut pair } in pairs {
        let mut twin = None;
        for (place, known) in found.iter().enumerate().filter(|(_, known)| known.is_twin(&pair)) {
            let both = count_of(sides, |side| {
                let subjects = [&known.subject, &pair.subject];
                subjects.map(|subject| counts.places.filter_on(side, subject)).to_vec()
            })?;
            if cells::overlap(both, [known.counts, pair.counts]) >= SAME {
                twin = Some((place, both));
                break;
            }
        }
        if let Some((place, both)) = twin {
            let (subject, change, counts) = (pair.subject, pair.change, pair.counts);
            found[place].also.push(Also { subject, change, counts, both, relation: Relation::Same });
            if is_accepted {
                found.retain(|known| known.subject != seed.subject);
                removed.retain(|known| known.subject != seed.subject);
            }
            continue;
        }
        let both = pair.counts;
        pair.also.push(Also {
            subject: seed.subject.clone(),
            change: seed.change(counts.events),
            counts: seed.counts,
            both,
            relation: if cells::overlap(both, [both, seed.counts]) >= SAME {
                Relation::Same
            } else {
                Relation::Together
            },
        });
        explained.known.insert(seed.key);
        if let Some(row) = removed.iter_mut().find(|row| row.subject == seed.subject) {
            row.subject.clone_from(&pair.subject);
            row.parts.push(value.clone());
        }
        match found.iter_mut().find(|known| known.subject == seed.subject) {
            Some(known) => {
                let of_seed = std::mem::replace(known, pair).also;
                known.also.extend(also_of_pair(sides, counts, &[seed, &value], &of_seed, candidates, limit)?);
            }
            None => found.push(pair),
        }
    }
    // A pair has fewer events than the seed that it takes the place of, so a difference that the seed explained may remain.
    let shares = shares::without(sides, counts, &explained.shares, &removed, limit)?;
    found.extend(shares.rows);
    explained.only_shares = shares.only;
    explained.differences = found;
    explained.near_pair = near;
    Ok(explained)
}

/// What followed from a seed, as it follows from a pair: counted with the events of the pair.
fn also_of_pair(
    sides: &Sides<'_>,
    counts: &Counts,
    pair: &[&Candidate; 2],
    of_seed: &[Also],
    candidates: &[Candidate],
    limit: f64,
) -> Result<Vec<Also>> {
    let others = candidates.iter().filter(|candidate| {
        candidate.key != pair[1].key && of_seed.iter().any(|also| also.subject == candidate.subject)
    });
    let together: Vec<Candidate> = pair.iter().copied().chain(others).take(MOST).cloned().collect();
    let cells = Cells::count(sides, counts, &together)?;
    let row = RowEvents { candidates: 0b11 };
    let also = together.iter().enumerate().skip(2);
    Ok(also.filter_map(|(place, other)| row.also(&cells, counts, place, other, limit)).collect())
}

/// A candidate as a row.
pub fn row(
    candidate: &Candidate,
    score: f64,
    buckets: &[Vec<u32>; 2],
    counts: &Counts,
    limit: f64,
) -> Difference {
    let mut difference = candidate.difference(counts.events, limit, counts.tests());
    difference.score = score;
    difference.since = since(candidate, buckets, counts);
    difference
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
    /// Whether another pair has a part of this one, and nearly as many events.
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

struct Explaining<'e> {
    counts: &'e Counts,
    candidates: &'e [Candidate],
    cells: &'e Cells,
    limit: f64,
    accepted: Vec<Accepted>,
    /// The candidates above the line that are gone without the events of the accepted ones, but do not belong to them.
    shares: Vec<usize>,
}

impl Explaining<'_> {
    /// Accepts all candidates above the line that no other explains; those below it that none explains are left.
    fn all_rounds(&mut self) -> Vec<usize> {
        let mut left: Vec<usize> = (0..self.candidates.len()).collect();
        // What was not clear without the events of a row, and is not explained by it, is clear with them in the next round.
        loop {
            let accepted = self.accepted.len();
            left = self.round(left);
            if self.accepted.len() == accepted {
                return left;
            }
        }
    }

    fn round(&mut self, mut left: Vec<usize>) -> Vec<usize> {
        let mut without = 0_u64;
        loop {
            let scored = left.iter().map(|&place| (place, self.left_of(place, without)));
            let above = scored.filter(|(_, found)| found.is_above);
            // Of equal ones the first is accepted: patterns come before values.
            let best = above.reduce(|best, next| if next.1.score > best.1.score { next } else { best });
            let Some((place, Left { score, .. })) = best else { return left };
            let is_side = self.is_side(without | 1 << place);
            let before = without;
            if !is_side {
                without |= 1 << place;
            }
            let row = RowEvents { candidates: 1 << place };
            let (mut also, mut still) = (Vec::new(), Vec::new());
            for other in left.into_iter().filter(|&other| other != place) {
                let is_explained = if is_side {
                    self.cells.overlap(place, other) >= SAME
                } else {
                    self.is_explained(other, before, without)
                };
                if !is_explained {
                    still.push(other);
                    continue;
                }
                match row.also(self.cells, self.counts, other, &self.candidates[other], self.limit) {
                    Some(found) => also.push(found),
                    None => self.shares.push(other),
                }
            }
            left = still;
            self.accepted.push(Accepted { candidate: place, score, also });
        }
    }

    /// Whether a candidate differs no longer without the events that are now left out, in addition to those before.
    fn is_explained(&self, place: usize, before: u64, now: u64) -> bool {
        let [before, now] = [before, now].map(|without| self.left_of(place, without));
        let is_smaller = now.counts == [0; 2] || now.ratio / before.ratio <= shares::LEFT;
        let is_gone = if before.is_above { !now.is_above } else { now.score <= 0.0 };
        is_gone && is_smaller
    }

    /// A candidate without the events of others.
    fn left_of(&self, place: usize, without: u64) -> Left {
        Left::of_candidate(&self.candidates[place], self.counts, self.limit, self.cells.rest(place, without))
    }

    /// Makes rows of the differences that are there without the events of all rows as well.
    fn check_shares(&mut self) {
        while let Some(at) = self.shares.iter().position(|&place| !self.is_only_share(place)) {
            let candidate = self.shares.remove(at);
            let whole = self.left_of(candidate, 0);
            self.accepted.push(Accepted { candidate, score: whole.score, also: Vec::new() });
        }
    }

    fn is_only_share(&self, place: usize) -> bool {
        self.left_of(place, self.removed()).is_share_of(&self.left_of(place, 0))
    }

    /// The rows whose events can be left out, so that some are left on both sides.
    fn removed(&self) -> u64 {
        let rows = self.accepted.iter().map(|row| 1_u64 << row.candidate);
        rows.fold(0, |all, row| if self.is_side(all | row) { all } else { all | row })
    }

    /// Whether a side has hardly any other events.
    fn is_side(&self, without: u64) -> bool {
        let left = self.cells.rest(0, without).all;
        left.iter().zip(self.counts.events).any(|(&left, all)| (left as f64) < LEAST_LEFT * all as f64)
    }
}

/// The events of each side that pass some filters.
fn count_of(sides: &Sides<'_>, filters: impl Fn(usize) -> Vec<Filter>) -> Result<[u64; 2]> {
    let mut found = [0; 2];
    for (side, count) in found.iter_mut().enumerate() {
        let view = sides.view_with(side, &Filter::And(filters(side)));
        sides.each_part(side, &view, |part| Ok(part.len() as u64), |events| *count += events)?;
    }
    Ok(found)
}
