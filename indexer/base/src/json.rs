//! How values that JSON has no word for are written for a screen: times, durations, paths, events by their place.
//! Types that are handed out derive their JSON and name these where it is needed.

use std::path::Path;
use std::time::Duration;

use ingest::{Level, NO_TIME};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Nanoseconds since 1970-01-01 UTC as a decimal string, because a JSON number stops at 2^53; `src/base/time.ts`
/// turns it into a bigint. Durations are written alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(type = "string & { readonly __nanos: unique symbol }")
)]
pub struct Nanos(pub i64);

impl Serialize for Nanos {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Nanos {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map(Nanos).map_err(serde::de::Error::custom)
    }
}

/// An event for ever: its source and the offset of its first byte there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct EventId {
    pub source: u32,
    pub offset: u64,
}

impl EventId {
    /// As the functions of a case take and give it.
    #[must_use]
    pub fn place(self) -> (u32, u64) {
        (self.source, self.offset)
    }
}

impl From<(u32, u64)> for EventId {
    fn from((source, offset): (u32, u64)) -> EventId {
        EventId { source, offset }
    }
}

/// Events of one level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LevelCount {
    pub level: Level,
    pub count: u64,
}

/// The counts of one level, one a bucket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LevelSeries {
    pub level: Level,
    pub counts: Vec<u32>,
}

/// Fields of nanoseconds as [`Nanos`]: one, one that may be missing, or several.
pub mod nanos {
    use super::{Deserialize, Deserializer, Nanos, Serialize, Serializer};

    pub trait AsNanos {
        type Json: Serialize;
        fn json(&self) -> Self::Json;
    }

    impl AsNanos for i64 {
        type Json = Nanos;
        fn json(&self) -> Nanos {
            Nanos(*self)
        }
    }

    impl AsNanos for Option<i64> {
        type Json = Option<Nanos>;
        fn json(&self) -> Option<Nanos> {
            self.map(Nanos)
        }
    }

    impl AsNanos for Vec<i64> {
        type Json = Vec<Nanos>;
        fn json(&self) -> Vec<Nanos> {
            self.iter().copied().map(Nanos).collect()
        }
    }

    /// Nothing is an empty list.
    impl AsNanos for Option<[i64; 4]> {
        type Json = Vec<Nanos>;
        fn json(&self) -> Vec<Nanos> {
            self.iter().flatten().copied().map(Nanos).collect()
        }
    }

    pub fn serialize<T: AsNanos, S: Serializer>(times: &T, serializer: S) -> Result<S::Ok, S::Error> {
        times.json().serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
        Nanos::deserialize(deserializer).map(|time| time.0)
    }
}

/// The time of an event, null where it has none.
pub mod event_time {
    use super::{NO_TIME, Nanos, Serialize, Serializer};

    // Serde hands the field over by reference.
    #[allow(clippy::trivially_copy_pass_by_ref)]
    pub fn serialize<S: Serializer>(time: &i64, serializer: S) -> Result<S::Ok, S::Error> {
        (*time != NO_TIME).then_some(Nanos(*time)).serialize(serializer)
    }
}

/// Milliseconds with decimals.
pub mod milliseconds {
    use super::{Duration, Serializer};

    pub fn serialize<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(time.as_secs_f64() * 1_000.0)
    }
}

/// Whole milliseconds.
pub mod whole_milliseconds {
    use super::{Duration, Serializer};

    pub fn serialize<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(time.as_millis() as u32)
    }
}

/// A path as text; bytes that are no text are shown as U+FFFD, where serde would refuse them.
pub mod shown_path {
    use super::{Path, Serializer};

    pub fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&path.display())
    }
}

/// Sources and offsets as [`EventId`]s.
pub mod event_ids {
    use super::{EventId, Serializer};

    pub fn serialize<S: Serializer>(places: &[(u32, u64)], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(places.iter().copied().map(EventId::from))
    }
}

/// Counts in the order of [`Level::ALL`] as [`LevelCount`]s of the levels that occur, the lowest first.
pub mod level_counts {
    use super::{Level, LevelCount, Serializer};

    pub fn serialize<S: Serializer>(counts: &[u64; 8], serializer: S) -> Result<S::Ok, S::Error> {
        let all = Level::ALL.into_iter().zip(*counts).filter(|(_, count)| *count > 0);
        serializer.collect_seq(all.map(|(level, count)| LevelCount { level, count }))
    }
}

/// Counts in the order of [`Level::ALL`] as [`LevelSeries`] of the levels that occur, the lowest first.
pub mod level_series {
    use super::{Level, LevelSeries, Serializer};

    pub fn serialize<S: Serializer>(counts: &[Vec<u32>], serializer: S) -> Result<S::Ok, S::Error> {
        let all = Level::ALL.into_iter().zip(counts);
        let occurring = all.filter(|(_, counts)| counts.iter().any(|&count| count > 0));
        serializer.collect_seq(occurring.map(|(level, counts)| LevelSeries { level, counts: counts.clone() }))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(Serialize)]
    struct Times {
        #[serde(with = "nanos")]
        one: i64,
        #[serde(with = "nanos")]
        missing: Option<i64>,
        #[serde(with = "nanos")]
        several: Vec<i64>,
        #[serde(with = "nanos")]
        none: Option<[i64; 4]>,
        #[serde(with = "event_time")]
        timed: i64,
        #[serde(with = "event_time")]
        untimed: i64,
    }

    #[test]
    fn times_are_decimal_strings_and_read_back() {
        let times = Times {
            one: i64::MAX,
            missing: None,
            several: vec![-1, 2],
            none: None,
            timed: 3,
            untimed: NO_TIME,
        };
        let written = serde_json::to_value(&times).expect("JSON");
        let expected = json!({
            "one": "9223372036854775807", "missing": null, "several": ["-1", "2"], "none": [],
            "timed": "3", "untimed": null,
        });
        assert_eq!(written, expected);
        assert_eq!(nanos::deserialize(&written["one"]).ok(), Some(i64::MAX));
        assert!(nanos::deserialize(&json!(5)).is_err(), "a number may have lost digits");
    }

    #[derive(Serialize)]
    struct Levels {
        #[serde(with = "level_counts")]
        counts: [u64; 8],
        #[serde(with = "level_series")]
        series: Vec<Vec<u32>>,
        #[serde(with = "event_ids")]
        events: Vec<(u32, u64)>,
    }

    #[test]
    fn only_levels_that_occur_are_listed() {
        let mut series = vec![vec![0, 0]; 8];
        series[3] = vec![0, 4];
        let levels = Levels { counts: [1, 0, 0, 0, 0, 0, 2, 0], series, events: vec![(7, 9)] };
        let expected = json!({
            "counts": [{ "level": "none", "count": 1 }, { "level": "error", "count": 2 }],
            "series": [{ "level": "info", "counts": [0, 4] }],
            "events": [{ "source": 7, "offset": 9 }],
        });
        assert_eq!(serde_json::to_value(&levels).expect("JSON"), expected);
    }
}
