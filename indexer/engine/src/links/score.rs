//! Tells two places that hold the same values from two whose values are alike by chance.

use std::collections::HashMap;

use super::Spot;
use super::places::{Places, Seen, SpotValues};
use base::hash::Fast;

/// Fewer distinct values, or fewer that two places share, say nothing.
pub const LEAST_VALUES: usize = 8;
pub const LEAST_SHARED: usize = 4;

/// The share of the smaller place's values that the other one has to have.
const LEAST_SHARE: f64 = 0.1;
/// The same where the values say little: words without digits, such as names of hosts and users.
const LEAST_SHARE_OF_WORDS: f64 = 0.5;

/// Numbers meet by chance. So many times as often as that they have to, if they keep time too, or if the places have
/// the same name.
const TIMES_CHANCE: f64 = 3.0;
const TIMES_CHANCE_BY_NAME: f64 = 1.5;
/// So many times, whatever else is known.
const TIMES_CHANCE_ALONE: f64 = 20.0;

/// More than this many standard deviations above it is no chance.
const CHANCE_MARGIN: f64 = 5.0;

/// Values keep time if the distance of their two times varies by no more than this share of what it does between
/// values that are paired at random.
const KEEPS_TIME: f64 = 0.25;
/// The same where numbers are so dense that all of them meet by chance.
const KEEPS_TIME_EXACTLY: f64 = 0.05;

/// A word repeats a field if this share of its values is in that.
const REPEATED: f64 = 0.9;

/// A value that more places have names nothing that two of them share.
const MOST_PLACES_OF_A_VALUE: usize = 32;

/// Times written as whole numbers: seconds, milliseconds, microseconds or nanoseconds from 2001 to 2096.
const EPOCH_SECONDS: std::ops::Range<i64> = 1_000_000_000..4_000_000_000;

/// Two places, by number, that hold the same values.
#[derive(Clone, Debug)]
pub struct Pair {
    pub places: [usize; 2],
    /// The hashes of the values that both have.
    pub shared: Vec<u64>,
    /// Of the values of the smaller place.
    pub share: f64,
    /// The values are numbers, which may meet by chance.
    pub of_numbers: bool,
}

/// All pairs of places of different series that hold the same values.
pub fn pairs(places: &Places) -> Vec<Pair> {
    let all = &places.all;
    let usable: Vec<usize> =
        (0..all.len()).filter(|&at| is_usable(&all[at]) && !repeats_a_field(&all[at], all)).collect();
    let mut by_value: HashMap<u64, Vec<u32>, Fast> = HashMap::default();
    for &at in &usable {
        places.all[at].values.keys().for_each(|&hash| by_value.entry(hash).or_default().push(at as u32));
    }
    let mut shared: HashMap<[usize; 2], Vec<u64>, Fast> = HashMap::default();
    for (hash, held) in by_value.into_iter().filter(|(_, held)| held.len() <= MOST_PLACES_OF_A_VALUE) {
        for (nth, &one) in held.iter().enumerate() {
            for &other in &held[nth + 1..] {
                let pair = [one as usize, other as usize];
                if places.all[pair[0]].series != places.all[pair[1]].series {
                    shared.entry(pair).or_default().push(hash);
                }
            }
        }
    }
    let mut pairs: Vec<Pair> = shared
        .into_iter()
        .filter(|(_, hashes)| hashes.len() >= LEAST_SHARED)
        .map(|(at, mut hashes)| {
            hashes.sort_unstable();
            let smaller = at.map(|at| places.all[at].values.len()).into_iter().min().unwrap_or(1);
            Pair {
                places: at,
                share: hashes.len() as f64 / smaller as f64,
                of_numbers: at.into_iter().any(|at| is_of_numbers(&places.all[at])),
                shared: hashes,
            }
        })
        .filter(|pair| is_same(pair, pair.places.map(|at| &places.all[at]), places.share()))
        .collect();
    pairs.sort_by_key(|pair| pair.places);
    pairs
}

/// Enough values, and not the times of events.
fn is_usable(place: &SpotValues) -> bool {
    place.values.len() >= LEAST_VALUES
        && !(is_of_numbers(place) && is_time(place.least) && is_time(place.most))
}

/// Whether what a word is before is in a field of the same events too.
fn repeats_a_field(place: &SpotValues, all: &[SpotValues]) -> bool {
    let is_same = |field: &SpotValues| {
        let repeated = place.values.keys().filter(|hash| field.values.contains_key(hash)).count();
        repeated as f64 >= REPEATED * place.values.len() as f64
    };
    let is_field = |other: &&SpotValues| other.series == place.series && matches!(other.spot, Spot::Field(_));
    matches!(place.spot, Spot::After(_)) && all.iter().filter(is_field).any(is_same)
}

fn is_time(number: i64) -> bool {
    [1, 1_000, 1_000_000, 1_000_000_000].iter().any(|unit| EPOCH_SECONDS.contains(&(number / unit)))
}

fn is_of_numbers(place: &SpotValues) -> bool {
    let events: u64 = place.values.values().map(|seen| u64::from(seen.events)).sum();
    u64::from(place.numbers) * 2 > events
}

fn is_same(pair: &Pair, places: [&SpotValues; 2], kept: f64) -> bool {
    let has_one_name = alike(&places[0].spot, &places[1].spot);
    if !pair.of_numbers {
        // Texts with digits are ids or addresses; fields alone hold others.
        let least = if has_one_name { LEAST_SHARE } else { LEAST_SHARE_OF_WORDS };
        return pair.share >= least || (pair.share >= LEAST_SHARE && keeps_time(pair, places) <= KEEPS_TIME);
    }
    let (shared, expected) = (pair.shared.len() as f64, by_chance(places, kept).max(0.5));
    let is_chance = shared < expected + CHANCE_MARGIN * expected.sqrt();
    let times = if is_chance { 0.0 } else { shared / expected };
    let variation = keeps_time(pair, places);
    (times >= TIMES_CHANCE && variation <= KEEPS_TIME && pair.share >= LEAST_SHARE)
        || (times >= TIMES_CHANCE_ALONE && pair.share >= LEAST_SHARE_OF_WORDS)
        || (times >= TIMES_CHANCE_BY_NAME && has_one_name)
        || (variation <= KEEPS_TIME_EXACTLY && pair.share >= LEAST_SHARE_OF_WORDS)
}

/// How many values two places of numbers share by chance, if each takes its own from the range that both cover.
fn by_chance(places: [&SpotValues; 2], kept: f64) -> f64 {
    let (from, to) = (places[0].least.max(places[1].least), places[0].most.min(places[1].most));
    if from > to {
        return 0.0;
    }
    let width = |from: i64, to: i64| (i128::from(to) - i128::from(from) + 1) as f64;
    let within = |place: &SpotValues| {
        place.values.len() as f64 * width(from, to) / width(place.least, place.most.max(place.least))
    };
    let among = width(from, to) * kept;
    within(places[0]).min(among) * within(places[1]).min(among) / among.max(1.0)
}

/// How much the distance between the two times of a value varies, as a share of what it does where each value is
/// paired with another one: near 0 for what happens together, about 1 for what does not.
fn keeps_time(pair: &Pair, places: [&SpotValues; 2]) -> f64 {
    let seen = |hash: &u64| -> Option<[Seen; 2]> {
        Some([*places[0].values.get(hash)?, *places[1].values.get(hash)?])
    };
    let mut both: Vec<[Seen; 2]> = pair.shared.iter().filter_map(seen).collect();
    both.sort_by_key(|[one, _]| one.first);
    let away = both.len() / 2;
    let distance = |one: &Seen, other: &Seen| other.first as f64 - one.first as f64;
    let together: Vec<f64> = both.iter().map(|[one, other]| distance(one, other)).collect();
    let at_random: Vec<f64> =
        (0..both.len()).map(|at| distance(&both[at][0], &both[(at + away) % both.len()][1])).collect();
    let at_random = variation(at_random);
    if at_random > 0.0 { variation(together) / at_random } else { 1.0 }
}

/// The median distance from the median.
fn variation(mut values: Vec<f64>) -> f64 {
    let center = base::median(&mut values).unwrap_or(0.0);
    for value in &mut values {
        *value = (*value - center).abs();
    }
    base::median(&mut values).unwrap_or(0.0)
}

/// Whether two names mean the same: `order.id` and `order`, `X-Request-Id` and `request_id`.
fn alike(one: &Spot, other: &Spot) -> bool {
    let parts = |spot: &Spot| -> Vec<String> {
        let name = spot.name().to_ascii_lowercase();
        let parts = name.split(|character: char| !character.is_ascii_alphanumeric());
        parts
            .filter(|part| !part.is_empty() && !matches!(*part, "id" | "x" | "no" | "num"))
            .map(str::to_owned)
            .collect()
    };
    let (one, other) = (parts(one), parts(other));
    let ends = |short: &[String], long: &[String]| !short.is_empty() && long.ends_with(short);
    ends(&one, &other) || ends(&other, &one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_alike_without_what_all_ids_have() {
        let field = |name: &str| Spot::Field(name.to_owned());
        for (one, other, expected) in [
            ("order.id", "order", true),
            ("X-Request-Id", "request_id", true),
            ("http.request.id", "request_id", true),
            ("trace_id", "trace_id", true),
            ("user_id", "order_id", false),
            ("id", "id", false),
            ("pid", "id", false),
        ] {
            assert_eq!(alike(&field(one), &field(other)), expected, "{one} and {other}");
        }
    }
}
