//! Times as RFC 3339 text, the way files and scripts see them.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// `2026-03-01T14:05:09.123Z`, with as many digits as the time has.
#[must_use]
pub fn to_rfc3339(time_ns: i64) -> String {
    Timestamp::from_nanosecond(i128::from(time_ns))
        .map_or_else(|_| time_ns.to_string(), |stamp| stamp.to_string())
}

/// Reads RFC 3339, and plain dates and times, which are taken as UTC.
#[must_use]
pub fn parse(text: &str) -> Option<i64> {
    parse_in(text, &TimeZone::UTC)
}

/// Reads RFC 3339, and plain dates and times, which are those of a zone.
#[must_use]
pub fn parse_in(text: &str, zone: &TimeZone) -> Option<i64> {
    let text = text.trim();
    let stamp = text.parse::<Timestamp>().ok().or_else(|| {
        let civil = text
            .parse::<jiff::civil::DateTime>()
            .ok()
            .or_else(|| text.parse::<jiff::civil::Date>().ok().map(|date| date.at(0, 0, 0, 0)))?;
        zone.to_timestamp(civil).ok()
    })?;
    i64::try_from(stamp.as_nanosecond()).ok()
}

/// For optional times in JSON files: text or null.
pub mod json {
    use serde::{Deserialize, Deserializer, Serializer};

    // Serde hands the field over by reference.
    #[allow(clippy::ref_option)]
    pub fn serialize<S: Serializer>(time: &Option<i64>, serializer: S) -> Result<S::Ok, S::Error> {
        match time {
            Some(time_ns) => serializer.serialize_str(&super::to_rfc3339(*time_ns)),
            None => serializer.serialize_none(),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<i64>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        text.map(|text| super::parse(&text).ok_or_else(|| serde::de::Error::custom("not an RFC 3339 time")))
            .transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_survive_to_the_nanosecond() {
        for time_ns in [0, 1, -1, 1_772_323_200_000_000_001, i64::MAX - 1] {
            assert_eq!(parse(&to_rfc3339(time_ns)), Some(time_ns));
        }
        assert_eq!(parse("2026-03-01"), Some(1_772_323_200_000_000_000));
        assert_eq!(parse("2026-03-01T01:00:00"), Some(1_772_326_800_000_000_000));
        assert_eq!(parse("soon"), None);
    }
}
