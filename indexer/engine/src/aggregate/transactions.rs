//! Groups events by an id: the duration of each group, its number of events, the worst level, and the longest
//! gap between two of them.

use std::collections::HashMap;

use ingest::{Level, NO_TIME};
use serde::{Deserialize, Serialize};

use super::AggregateScope;
use super::dictionary::{Coded, GlobalValues};
use super::timeline::level_of;
use crate::Engine;
use crate::exec::{SegmentRows, in_order};
use crate::view::View;
use base::Cancel;
use base::error::Result;
use store::Snapshot;
use store::{Scalar, with_codes};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum TransactionOrder {
    Longest,
    MostEvents,
    Worst,
    Earliest,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Transaction {
    pub id: Scalar,
    pub events: u64,
    /// Of its events with a time.
    #[serde(with = "base::json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<base::json::Nanos>"))]
    pub first: Option<i64>,
    #[serde(with = "base::json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<base::json::Nanos>"))]
    pub last: Option<i64>,
    #[serde(with = "base::json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "base::json::Nanos"))]
    pub duration_ns: i64,
    pub level: Level,
    /// The longest time between two consecutive events.
    #[serde(with = "base::json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "base::json::Nanos"))]
    pub gap_ns: i64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Transactions {
    /// The first ones in the requested order.
    pub shown: Vec<Transaction>,
    /// How many there are.
    pub total: u64,
    /// Durations of all of them: median, 95th and 99th percentile, maximum.
    #[serde(with = "base::json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "Vec<base::json::Nanos>"))]
    pub durations_ns: Option<[i64; 4]>,
    /// Matching events without an id.
    pub without: u64,
}

/// The accumulator of one id.
#[derive(Clone, Copy)]
struct IdSpan {
    events: u32,
    level: u8,
    first: i64,
    last: i64,
}

impl IdSpan {
    const NONE: IdSpan = IdSpan { events: 0, level: 0, first: i64::MAX, last: NO_TIME };

    fn absorb(&mut self, other: IdSpan) {
        self.events += other.events;
        self.level = self.level.max(other.level);
        self.first = self.first.min(other.first);
        self.last = self.last.max(other.last);
    }

    fn duration(&self) -> i64 {
        if self.last == NO_TIME { 0 } else { self.last.saturating_sub(self.first) }
    }
}

impl Engine {
    /// Groups the matching events by the values of a field.
    pub fn transactions(
        &self,
        snapshot: &Snapshot,
        view: &View,
        (field, order, most): (&str, TransactionOrder, usize),
        cancel: &Cancel,
    ) -> Result<Transactions> {
        Self::without_damaged(snapshot, |snapshot| {
            self.transactions_of(snapshot, view, (field, order, most), cancel)
        })
    }

    fn transactions_of(
        &self,
        snapshot: &Snapshot,
        view: &View,
        (field, order, most): (&str, TransactionOrder, usize),
        cancel: &Cancel,
    ) -> Result<Transactions> {
        let view = &self.resolved(snapshot, view)?;
        Self::check_known(snapshot, field)?;
        let asked = AggregateScope { case: self, snapshot, view, cancel };
        let values = GlobalValues::load(self, snapshot, field, cancel)?;
        let mut spans = vec![IdSpan::NONE; values.codes];
        let mut without = 0;
        let gather = |index: usize| -> Result<Option<(usize, Vec<IdSpan>)>> {
            let Some(part) = asked.part(index)? else { return Ok(None) };
            let spans = values.segments[index].as_ref().map(|coded| spans_of(&part, coded));
            Ok(Some((part.len(), spans.transpose()?.unwrap_or_default())))
        };
        in_order(snapshot.segments.len(), cancel, gather, |index, found| {
            match (found, &values.segments[index]) {
                (Some((_, found)), Some(coded)) => {
                    for (span, &code) in found.into_iter().zip(coded.shared.iter()) {
                        spans[code as usize].absorb(span);
                    }
                }
                (Some((rows, _)), None) => without += rows as u64,
                (None, _) => {}
            }
            Ok(())
        })?;
        without += u64::from(std::mem::replace(&mut spans[0], IdSpan::NONE).events);
        let mut codes: Vec<u32> =
            (1..spans.len() as u32).filter(|&code| spans[code as usize].events > 0).collect();
        let total = codes.len() as u64;
        let durations_ns = durations(codes.iter().map(|&code| spans[code as usize].duration()).collect());
        pick(&mut codes, &spans, order, most);
        let gaps = gaps(&asked, &values, &codes)?;
        let ids = values.values(codes.iter().copied());
        let shown = codes.iter().zip(ids).filter_map(|(&code, id)| {
            let span = &spans[code as usize];
            let timed = span.last != NO_TIME;
            Some(Transaction {
                id: id?,
                events: u64::from(span.events),
                first: timed.then_some(span.first),
                last: timed.then_some(span.last),
                duration_ns: span.duration(),
                level: Level::ALL[usize::from(span.level)],
                gap_ns: gaps.get(&code).copied().unwrap_or(0),
            })
        });
        Ok(Transactions { shown: shown.collect(), total, durations_ns, without })
    }
}

/// The spans of one segment, by the codes of its column.
fn spans_of(part: &SegmentRows, coded: &Coded) -> Result<Vec<IdSpan>> {
    let (times, level) = (part.segment.times()?, part.segment.packed("level")?);
    let levels: Vec<u8> = (0..=level.largest).map(|code| level_of(&level, code) as u8).collect();
    let mut spans = vec![IdSpan::NONE; coded.column.largest as usize + 1];
    with_codes!(&coded.column.codes, codes => part.for_each(|row| {
        let time = times.get(row);
        let span = &mut spans[u64::from(codes[row]) as usize];
        span.events += 1;
        span.level = span.level.max(levels[level.codes.get(row) as usize]);
        if time != NO_TIME {
            span.first = span.first.min(time);
            span.last = span.last.max(time);
        }
    }));
    Ok(spans)
}

/// Median, 95th and 99th percentile by nearest rank, and the maximum.
fn durations(mut all: Vec<i64>) -> Option<[i64; 4]> {
    let last = all.len().checked_sub(1)?;
    Some([0.5, 0.95, 0.99, 1.0].map(|share| {
        let place = (share * last as f64).round() as usize;
        *all.select_nth_unstable(place).1
    }))
}

fn pick(codes: &mut Vec<u32>, spans: &[IdSpan], order: TransactionOrder, most: usize) {
    let key = |&code: &u32| {
        let span = &spans[code as usize];
        let first = match order {
            TransactionOrder::Longest => -i128::from(span.duration()),
            TransactionOrder::MostEvents => -i128::from(span.events),
            TransactionOrder::Worst => -i128::from(span.level),
            TransactionOrder::Earliest => 0,
        };
        (first, span.first, code)
    };
    if codes.len() > most {
        codes.select_nth_unstable_by_key(most, key);
        codes.truncate(most);
    }
    codes.sort_unstable_by_key(key);
}

/// The longest time between neighbours, for the ids of the result.
fn gaps(asked: &AggregateScope<'_>, values: &GlobalValues, shown: &[u32]) -> Result<HashMap<u32, i64>> {
    let mut times: HashMap<u32, Vec<i64>> = shown.iter().map(|&code| (code, Vec::new())).collect();
    let gather = |index: usize| -> Result<Vec<(u32, i64)>> {
        let Some(coded) = &values.segments[index] else { return Ok(Vec::new()) };
        let wanted: Vec<bool> = coded.shared.iter().map(|code| times.contains_key(code)).collect();
        let Some(part) = asked.part(index)?.filter(|_| wanted.contains(&true)) else { return Ok(Vec::new()) };
        let clock = part.segment.times()?;
        let mut found = Vec::new();
        with_codes!(&coded.column.codes, codes => part.for_each(|row| {
            let code = u64::from(codes[row]) as usize;
            if wanted[code] {
                found.push((coded.shared[code], clock.get(row)));
            }
        }));
        Ok(found)
    };
    let mut all = Vec::new();
    in_order(asked.snapshot.segments.len(), asked.cancel, gather, |_, found| {
        all.extend(found);
        Ok(())
    })?;
    for (code, time) in all.into_iter().filter(|(_, time)| *time != NO_TIME) {
        times.entry(code).or_default().push(time);
    }
    let widest = |mut times: Vec<i64>| {
        times.sort_unstable();
        times.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).max().unwrap_or(0)
    };
    Ok(times.into_iter().map(|(code, times)| (code, widest(times))).collect())
}
