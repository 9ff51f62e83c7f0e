//! Buckets of time that have no events, and those with too few.

use super::aggregations::TimeBuckets;
use super::dates::{SearchClock, step};
use crate::http::answer::Problem;

/// The most empty buckets that bounds add.
const MOST_BUCKETS: usize = 8_192;

type BucketTimes<T> = Result<T, Problem>;

pub fn too_many_buckets(reason: String) -> Problem {
    Problem::new(hyper::StatusCode::BAD_REQUEST, "too_many_buckets_exception", reason)
}

/// Buckets of time from the first that has events to the last, and as far as the bounds reach; those with too few
/// events are left out.
pub fn time_filled(mut counts: Vec<(i64, u64)>, time: &TimeBuckets) -> BucketTimes<Vec<(i64, u64)>> {
    let first = counts.iter().position(|(_, count)| *count > 0).unwrap_or(counts.len());
    let end = counts.iter().rposition(|(_, count)| *count > 0).map_or(first, |last| last + 1);
    let (from, to) = time.bounds.unwrap_or((i64::MAX, i64::MIN));
    if time.least == 0 && from <= to {
        let too_many =
            || too_many_buckets(format!("[extended_bounds] ask for more than {MOST_BUCKETS} buckets"));
        let beyond =
            |edge: i64, count: i64| step(edge, &time.interval, &time.zone, count).ok_or_else(too_many);
        if counts.is_empty() {
            let edges = indexer_edges(from, time)?;
            counts.push((edges, 0));
        }
        while let Some(&(edge, _)) = counts.first()
            && edge > from
        {
            counts.insert(0, (beyond(edge, -1)?, 0));
            if counts.len() > MOST_BUCKETS {
                return Err(too_many());
            }
        }
        while let Some(&(edge, _)) = counts.last() {
            let next = beyond(edge, 1)?;
            if next > to {
                break;
            }
            counts.push((next, 0));
            if counts.len() > MOST_BUCKETS {
                return Err(too_many());
            }
        }
        let last = |edge: i64| edge <= to || counts.iter().any(|(at, count)| *count > 0 && *at >= edge);
        let kept: Vec<(i64, u64)> = counts.iter().copied().filter(|(edge, _)| last(*edge)).collect();
        let begin = kept
            .iter()
            .position(|(edge, count)| *count > 0 || beyond(*edge, 1).is_ok_and(|next| next > from));
        return Ok(kept[begin.unwrap_or(0)..].to_vec());
    }
    Ok(counts[first..end].iter().copied().filter(|(_, count)| *count >= time.least).collect())
}

/// Where the bucket begins that a time lies in, where there are no events to tell it.
fn indexer_edges(at: i64, time: &TimeBuckets) -> BucketTimes<i64> {
    use indexer::aggregate::{CalendarUnit, Interval};
    let clock = SearchClock { now: at, zone: time.zone.clone() };
    let rounded = match &time.interval {
        Interval::Calendar(_, CalendarUnit::Day) => "now/d",
        Interval::Calendar(_, CalendarUnit::Week) => "now/w",
        Interval::Calendar(_, CalendarUnit::Month | CalendarUnit::Quarter) => "now/M",
        Interval::Calendar(_, CalendarUnit::Year) => "now/y",
        Interval::Fixed(width) => return Ok(at.div_euclid(*width) * width),
        Interval::Auto(_) => return Ok(at),
    };
    clock
        .period(rounded, None)
        .map(|period| period.from)
        .ok_or_else(|| Problem::argument("[extended_bounds] is out of range"))
}
