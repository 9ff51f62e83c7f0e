//! Provisional times: times whose year, day, start or zone only the order of the source determines. They are
//! encoded as instants of centuries without logs. The [`Settler`](crate::Settler) replaces every one of them.
//!
//! | range | meaning |
//! |---|---|
//! | 1680 | a wall clock without a year |
//! | 1684 | the same, with a zone: an instant of UTC without a year |
//! | 1 to 2 January 1688 | a time of day |
//! | 1690 to 1749 | an uptime, added to 1690 |
//! | 1750 to 1889 | a wall clock of 1970 to 2109 in an hour that a clock change skips or repeats |

use super::civil::DAY_NS;

const fn year_start_ns(year_start_day: i64) -> i64 {
    year_start_day * DAY_NS
}

/// Leap years, so that 29 February exists.
pub(crate) const YEARLESS: i32 = 1680;
pub(crate) const YEARLESS_UTC: i32 = 1684;

/// The same as `days_from_civil` returns; it is not a const function.
const DAY_OF_1680: i64 = -105_920;
const DAY_OF_1684: i64 = -104_459;
const DAY_OF_1688: i64 = -102_998;
const DAY_OF_1690: i64 = -102_267;
const DAY_OF_1750: i64 = -80_353;
const DAY_OF_1890: i64 = -29_219;

const TIME_OF_DAY_NS: i64 = year_start_ns(DAY_OF_1688);
const UPTIME_NS: i64 = year_start_ns(DAY_OF_1690);
const UNCERTAIN_NS: i64 = year_start_ns(DAY_OF_1750);

/// Stamps of 1900 in any zone are later than this, so anything earlier is provisional.
pub(crate) const FIRST_REAL_NS: i64 = year_start_ns(DAY_OF_1890);

/// A decoded provisional time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProvisionalTime {
    /// Nanoseconds of a wall clock in the year `YEARLESS`.
    Yearless(i64),
    /// Nanoseconds of UTC in (or a day around) the year `YEARLESS_UTC`.
    YearlessUtc(i64),
    TimeOfDay(i64),
    Uptime(i64),
    /// A wall clock within a clock change.
    Uncertain(i64),
}

#[inline]
pub(crate) fn time_of_day(ns: i64) -> i64 {
    TIME_OF_DAY_NS + ns
}

#[inline]
pub(crate) fn uptime(ns: i64) -> i64 {
    UPTIME_NS + ns
}

/// Encodes a wall clock within a clock change; `None` in a year without logs in such a zone.
#[inline]
pub(crate) fn uncertain(wall_ns: i64) -> Option<i64> {
    let shifted = wall_ns.checked_add(UNCERTAIN_NS).filter(|_| wall_ns >= 0)?;
    (shifted < FIRST_REAL_NS).then_some(shifted)
}

/// Decodes a provisional time; `None` for a real one.
#[inline]
pub(crate) fn decode_provisional(time: i64) -> Option<ProvisionalTime> {
    if time >= FIRST_REAL_NS {
        return None;
    }
    Some(match time {
        UNCERTAIN_NS.. => ProvisionalTime::Uncertain(time - UNCERTAIN_NS),
        UPTIME_NS.. => ProvisionalTime::Uptime(time - UPTIME_NS),
        TIME_OF_DAY_NS.. => ProvisionalTime::TimeOfDay(time - TIME_OF_DAY_NS),
        _ if time >= (DAY_OF_1684 - 1) * DAY_NS => ProvisionalTime::YearlessUtc(time),
        _ if (year_start_ns(DAY_OF_1680)..(DAY_OF_1680 + 367) * DAY_NS).contains(&time) => {
            ProvisionalTime::Yearless(time)
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::civil::days_from_civil;
    use super::*;

    #[test]
    fn the_ranges_start_where_the_constants_say() {
        let days = [
            (1680, DAY_OF_1680),
            (1684, DAY_OF_1684),
            (1688, DAY_OF_1688),
            (1690, DAY_OF_1690),
            (1750, DAY_OF_1750),
            (1890, DAY_OF_1890),
        ];
        for (year, day) in days {
            assert_eq!(days_from_civil(year, 1, 1), day, "{year}");
        }
    }

    #[test]
    fn provisional_times_decode_to_what_was_encoded() {
        assert_eq!(decode_provisional(time_of_day(7)), Some(ProvisionalTime::TimeOfDay(7)));
        assert_eq!(decode_provisional(uptime(7)), Some(ProvisionalTime::Uptime(7)));
        let wall = days_from_civil(2026, 10, 25) * DAY_NS;
        assert_eq!(uncertain(wall).and_then(decode_provisional), Some(ProvisionalTime::Uncertain(wall)));
        assert_eq!(uncertain(days_from_civil(2150, 1, 1) * DAY_NS), None);
        let yearless = days_from_civil(YEARLESS, 2, 29) * DAY_NS;
        assert_eq!(decode_provisional(yearless), Some(ProvisionalTime::Yearless(yearless)));
        assert_eq!(decode_provisional(FIRST_REAL_NS), None);
        assert_eq!(decode_provisional(i64::MIN), None);
    }
}
