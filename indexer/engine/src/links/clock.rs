//! Estimates how far the clock of one series of sources is from that of another, from values that occur in both.
//!
//! Where the events of a value in one series lie between those in the other (a request around a query), the offset of
//! the clocks lies between the two differences of their ends, for every value: what most of them agree on is the
//! offset. Where each has one event, the offset is where the differences begin: what follows takes some time, and never
//! less than none.

use serde::Serialize;

/// When a value occurs in both series, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meeting {
    pub hash: u64,
    pub one: (i64, i64),
    pub other: (i64, i64),
}

impl Meeting {
    /// What would have to be added to the times of the other series if nothing took any time.
    #[must_use]
    pub fn offset_ns(&self) -> i64 {
        let middle = |(first, last): (i64, i64)| i64::midpoint(first, last);
        middle(self.one).saturating_sub(middle(self.other))
    }
}

/// What is known about two clocks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "ClockEstimate"))]
pub struct Estimate {
    /// What has to be added to the times of the other series so that they agree, at the middle of the meetings.
    #[serde(with = "base::json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "base::json::Nanos"))]
    pub offset_ns: i64,
    /// The offset is between these.
    #[serde(with = "base::json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "base::json::Nanos"))]
    pub least_ns: i64,
    #[serde(with = "base::json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "base::json::Nanos"))]
    pub most_ns: i64,
    /// How much the clock of the other series gains, in millionths.
    pub drift_ppm: f64,
    /// The middle of the meetings.
    #[serde(with = "base::json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "base::json::Nanos"))]
    pub at: i64,
    /// Values that it is estimated from, and those of them whose events lie between those of the other series.
    pub values: usize,
    pub nested: usize,
    /// The clock was set at this time: what had to be added before it and after it.
    pub jump: Option<Jump>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "ClockJump"))]
pub struct Jump {
    #[serde(with = "base::json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "base::json::Nanos"))]
    pub at: i64,
    #[serde(with = "base::json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "base::json::Nanos"))]
    pub before_ns: i64,
    #[serde(with = "base::json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "base::json::Nanos"))]
    pub after_ns: i64,
}

/// Fewer values say nothing.
pub const LEAST_MEETINGS: usize = 8;

/// The time is cut into so many parts of equally many values, each with no fewer than this.
const PARTS: usize = 24;
const LEAST_OF_A_PART: usize = 4;

/// A jump explains at least so much of how the parts differ from a line, and is so many times their noise.
const UNEXPLAINED_BY_JUMP: f64 = 0.35;
const JUMP_ABOVE_NOISE: f64 = 6.0;
const LEAST_JUMP_S: f64 = 0.02;

/// Clocks gain no more than this; what does is something else.
const MOST_DRIFT: f64 = 500e-6;
/// A drift has to move the clock by so many times the noise.
const DRIFT_ABOVE_NOISE: f64 = 3.0;

/// Of the values whose intervals tell the offset so many have to agree.
const LEAST_AGREEING: f64 = 0.6;

/// A distribution is longer on one side if that side is so many times the other.
const LOPSIDED: f64 = 1.5;

/// The differences of one value in seconds, and when it was, in seconds from the first.
#[derive(Clone, Copy, Debug)]
struct ClockDifference {
    at: f64,
    low: f64,
    high: f64,
}

impl ClockDifference {
    fn middle(self) -> f64 {
        f64::midpoint(self.low, self.high)
    }

    fn is_nested(self) -> bool {
        self.high > self.low
    }
}

pub fn estimate(meetings: &[Meeting]) -> Option<Estimate> {
    let start = meetings.iter().map(|meeting| meeting.one.0).min()?;
    let mut differences: Vec<ClockDifference> =
        meetings.iter().map(|meeting| difference(meeting, start)).collect();
    differences.sort_by(|one, other| one.at.total_cmp(&other.at));
    let parts = parts(&without_strays(&differences));
    let all: Vec<ClockDifference> = parts.iter().flatten().copied().collect();
    if all.len() < LEAST_MEETINGS {
        return None;
    }
    let levels: Vec<(f64, f64)> = parts.iter().map(|part| level(part)).collect();
    let line = DriftLine::through(&levels);
    let middle = f64::midpoint(all.first()?.at, all.last()?.at);
    let nanos = |seconds: f64| (-seconds * 1e9).round() as i64;
    let time = |seconds: f64| start.saturating_add((seconds * 1e9) as i64);
    let nested = all.iter().filter(|difference| difference.is_nested()).count();
    if let Some((part, before, after)) = jump(&levels, &line) {
        let at = parts[part].first()?.at;
        let (before_ns, after_ns) = (nanos(before), nanos(after));
        return Some(Estimate {
            offset_ns: after_ns,
            least_ns: before_ns.min(after_ns),
            most_ns: before_ns.max(after_ns),
            drift_ppm: 0.0,
            at: time(middle),
            values: all.len(),
            nested,
            jump: Some(Jump { at: time(at), before_ns, after_ns }),
        });
    }
    let slope = line.slope;
    let without_drift: Vec<ClockDifference> = all
        .iter()
        .map(|difference| {
            let moved = slope * (difference.at - middle);
            ClockDifference { low: difference.low - moved, high: difference.high - moved, ..*difference }
        })
        .collect();
    let (low, offset, high) = agreed(&without_drift).unwrap_or_else(|| first_of(&without_drift));
    Some(Estimate {
        offset_ns: nanos(offset),
        least_ns: nanos(high),
        most_ns: nanos(low),
        drift_ppm: slope * 1e6,
        at: time(middle),
        values: all.len(),
        nested,
        jump: None,
    })
}

fn difference(meeting: &Meeting, start: i64) -> ClockDifference {
    let seconds = |to: i64, from: i64| (i128::from(to) - i128::from(from)) as f64 / 1e9;
    let (first, last) = (seconds(meeting.other.0, meeting.one.0), seconds(meeting.other.1, meeting.one.1));
    ClockDifference { at: seconds(meeting.one.0, start), low: first.min(last), high: first.max(last) }
}

/// Leaves out values that met by chance: those far from where half of a part's differences lie.
fn without_strays(differences: &[ClockDifference]) -> Vec<ClockDifference> {
    let part = part_size(differences.len());
    let mut kept = Vec::with_capacity(differences.len());
    for part in differences.chunks(part) {
        let mut middles: Vec<f64> = part.iter().map(|difference| difference.middle()).collect();
        let (from, to) = shortest_half(&mut middles);
        let room = 4.0 * (to - from) + 0.1;
        kept.extend(part.iter().filter(|difference| {
            let middle = difference.middle();
            middle >= from - room && middle <= to + room
        }));
    }
    kept
}

fn part_size(count: usize) -> usize {
    count.div_ceil(PARTS).max(LEAST_OF_A_PART)
}

fn parts(differences: &[ClockDifference]) -> Vec<Vec<ClockDifference>> {
    differences.chunks(part_size(differences.len())).map(<[ClockDifference]>::to_vec).collect()
}

/// When a part is, and where half of its differences lie.
fn level(part: &[ClockDifference]) -> (f64, f64) {
    let mut middles: Vec<f64> = part.iter().map(|difference| difference.middle()).collect();
    let (from, to) = shortest_half(&mut middles);
    let at = part.iter().map(|difference| difference.at).sum::<f64>() / part.len().max(1) as f64;
    (at, f64::midpoint(from, to))
}

/// The shortest interval with half of the values, which it sorts.
fn shortest_half(values: &mut [f64]) -> (f64, f64) {
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    let pairs = values.iter().zip(values.iter().skip(half)).map(|(&from, &to)| (from, to));
    pairs.min_by(|one, other| (one.1 - one.0).total_cmp(&(other.1 - other.0))).unwrap_or_default()
}

/// A line through the levels of the parts.
#[derive(Clone, Copy, Debug)]
struct DriftLine {
    slope: f64,
    start: f64,
    /// The sum of the distances of the levels from it.
    cost: f64,
}

impl DriftLine {
    /// The median of all slopes, if it is more than noise.
    fn through(levels: &[(f64, f64)]) -> DriftLine {
        let mut slopes = Vec::new();
        for (nth, one) in levels.iter().enumerate() {
            let later = levels[nth + 1..].iter().filter(|other| other.0 > one.0);
            slopes.extend(later.map(|other| (other.1 - one.1) / (other.0 - one.0)));
        }
        let slope = median(slopes);
        let steep = DriftLine::with_slope(levels, slope);
        let span = levels.last().map_or(0.0, |last| last.0) - levels.first().map_or(0.0, |first| first.0);
        let noise = steep.cost / levels.len().max(1) as f64;
        let is_clear = levels.len() >= LEAST_OF_A_PART
            && slope.abs() <= MOST_DRIFT
            && (slope * span).abs() >= DRIFT_ABOVE_NOISE * noise;
        if is_clear { steep } else { DriftLine::with_slope(levels, 0.0) }
    }

    fn with_slope(levels: &[(f64, f64)], slope: f64) -> DriftLine {
        let start = median(levels.iter().map(|(at, level)| level - slope * at).collect());
        let cost = levels.iter().map(|(at, level)| (level - slope * at - start).abs()).sum();
        DriftLine { slope, start, cost }
    }
}

/// The first part after a jump, and the levels before and after it.
fn jump(levels: &[(f64, f64)], line: &DriftLine) -> Option<(usize, f64, f64)> {
    let best = (2..levels.len().saturating_sub(1))
        .map(|part| {
            let (before, after) = levels.split_at(part);
            (part, DriftLine::with_slope(before, 0.0), DriftLine::with_slope(after, 0.0))
        })
        .min_by(|one, other| (one.1.cost + one.2.cost).total_cmp(&(other.1.cost + other.2.cost)))?;
    let (part, before, after) = best;
    let cost = before.cost + after.cost;
    let noise = cost / levels.len() as f64;
    let step = (after.start - before.start).abs();
    let is_jump =
        cost < UNEXPLAINED_BY_JUMP * line.cost && step > (JUMP_ABOVE_NOISE * noise).max(LEAST_JUMP_S);
    is_jump.then_some((part, before.start, after.start))
}

/// Where the intervals of the most values lie, if they agree: its start, middle and end.
fn agreed(differences: &[ClockDifference]) -> Option<(f64, f64, f64)> {
    let nested: Vec<&ClockDifference> =
        differences.iter().filter(|difference| difference.is_nested()).collect();
    if nested.len() < LEAST_MEETINGS || nested.len() * 3 < differences.len() {
        return None;
    }
    let mut ends: Vec<(f64, i32)> =
        nested.iter().flat_map(|difference| [(difference.low, -1), (difference.high, 1)]).collect();
    // Where one interval ends and another begins, both are there.
    ends.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
    let (mut depth, mut most, mut best) = (0, 0, None);
    for (nth, &(at, step)) in ends.iter().enumerate() {
        depth -= step;
        if depth > most {
            most = depth;
            best = ends.get(nth + 1).map(|next| (at, next.0));
        }
    }
    let (low, high) = best?;
    (f64::from(most) >= LEAST_AGREEING * nested.len() as f64).then_some((low, f64::midpoint(low, high), high))
}

/// Where differences begin that are longer on one side; their middle, if they are not.
fn first_of(differences: &[ClockDifference]) -> (f64, f64, f64) {
    let mut middles: Vec<f64> = differences.iter().map(|difference| difference.middle()).collect();
    middles.sort_by(f64::total_cmp);
    let quantile = |share: f64| middles[((middles.len() - 1) as f64 * share).round() as usize];
    let (low, center, high) = (quantile(0.02), quantile(0.5), quantile(0.98));
    let (below, above) = (center - quantile(0.05), quantile(0.95) - center);
    if above > LOPSIDED * below {
        (low.min(middles[0]), low, center)
    } else if below > LOPSIDED * above {
        (center, high, high)
    } else {
        (low, center, high)
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    base::median(&mut values).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_case::Random;

    fn below_one(random: &mut Random) -> f64 {
        random.below(1 << 52) as f64 / (1_u64 << 52) as f64
    }

    /// A time that takes this long on average, in seconds.
    fn latency(random: &mut Random, average: f64) -> f64 {
        -average * (1.0 - below_one(random)).ln()
    }

    #[derive(Clone, Copy, Debug)]
    enum Kind {
        /// The other series answers in between.
        Nested,
        /// One event each, the other later or earlier.
        Later,
        Earlier,
    }

    fn meetings(random: &mut Random, kind: Kind, offset: f64, drift: f64, jump: f64) -> Vec<Meeting> {
        let nanos = |seconds: f64| (seconds * 1e9) as i64;
        let span = 7_200.0;
        let mut found: Vec<Meeting> = (0..300)
            .map(|hash| {
                let at = below_one(random) * span;
                let clock = |time: f64| {
                    time + offset + drift * (time - span / 2.0) + if time > span * 0.6 { jump } else { 0.0 }
                };
                let (there, work, back) =
                    (0.002 + latency(random, 0.03), latency(random, 0.1), 0.002 + latency(random, 0.03));
                let (one, other) = match kind {
                    Kind::Nested => ((at, at + there + work + back), (at + there, at + there + work)),
                    Kind::Later => ((at, at), (at + there, at + there)),
                    Kind::Earlier => ((at + there, at + there), (at, at)),
                };
                let other = (nanos(clock(other.0)), nanos(clock(other.1)));
                Meeting { hash, one: (nanos(one.0), nanos(one.1)), other }
            })
            .collect();
        // One in twenty values met by chance.
        for meeting in found.iter_mut().step_by(20) {
            let moved = nanos((below_one(random) - 0.5) * span);
            meeting.other = (meeting.other.0 + moved, meeting.other.1 + moved);
        }
        found
    }

    #[test]
    fn offsets_and_drift_are_found() {
        let mut random = Random(7);
        let mut close = 0;
        for round in 0..100 {
            let kind = [Kind::Nested, Kind::Later, Kind::Earlier][round % 3];
            let sign = if below_one(&mut random) < 0.5 { -1.0 } else { 1.0 };
            let offset = sign * 10_800_f64.powf(below_one(&mut random));
            let drift = (below_one(&mut random) - 0.5) * 100e-6;
            let found = estimate(&meetings(&mut random, kind, offset, drift, 0.0)).expect("enough values");
            let error = (found.offset_ns as f64 / 1e9 + offset).abs();
            assert!(found.jump.is_none(), "{kind:?}: {found:?}");
            assert!(found.least_ns <= found.offset_ns && found.offset_ns <= found.most_ns, "{found:?}");
            assert!((found.drift_ppm - drift * 1e6).abs() < 10.0, "{kind:?}: {} of {drift}", found.drift_ppm);
            close += usize::from(error <= 0.05);
        }
        assert!(close >= 95, "{close} of 100 within 50 ms");
    }

    #[test]
    fn a_clock_that_was_set_is_said_so() {
        let mut random = Random(11);
        for kind in [Kind::Nested, Kind::Later, Kind::Earlier] {
            let found = estimate(&meetings(&mut random, kind, 3.0, 0.0, 1.5)).expect("enough values");
            let jump = found.jump.expect("a jump");
            let near = |found: i64, expected: f64| (found as f64 / 1e9 - expected).abs() < 0.1;
            assert!(near(jump.before_ns, -3.0) && near(jump.after_ns, -4.5), "{kind:?}: {jump:?}");
            assert!(
                near(jump.at, 7_200.0 * 0.6) || (jump.at as f64 / 1e9 - 4_320.0).abs() < 600.0,
                "{jump:?}"
            );
        }
    }

    #[test]
    fn few_values_say_nothing() {
        assert_eq!(estimate(&[]), None);
        let one = Meeting { hash: 1, one: (0, 0), other: (5, 5) };
        assert_eq!(estimate(&[one; 3]), None);
    }
}
