//! Times as people paste them from logs, mails and other tools: `Mar 3 14:05`, `03/Mar/2026:14:05:00 +0000`,
//! `Tue, 3 Mar 2026 14:05:09 GMT`, `[2026/03/03 14:05:09,123]`, `14:05`. Reads the parts; [`super::time`] makes
//! periods of them.

use jiff::civil::Time;
use jiff::tz::Offset;

use super::ast::{Dimension, Quantity, Unit};

/// The parts that were written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PastedTime {
    /// Nothing for a time of day alone.
    pub date: Option<PastedDate>,
    pub clock: Time,
    /// The unit of the last part.
    pub precision: Unit,
    pub offset: Option<Offset>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PastedDate {
    pub year: Option<i16>,
    pub month: i8,
    pub day: i8,
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// Zones that logs name, with their hours. Those that mean different offsets in different countries are left out.
const ZONES: [(&str, i8); 11] = [
    ("z", 0),
    ("utc", 0),
    ("gmt", 0),
    ("cet", 1),
    ("cest", 2),
    ("est", -5),
    ("edt", -4),
    ("mst", -7),
    ("mdt", -6),
    ("pst", -8),
    ("pdt", -7),
];

/// The parts of a time; nothing for other text.
pub(super) fn pasted_time(text: &str) -> Option<PastedTime> {
    let text = text.trim().trim_start_matches(['[', '"', '\'', '(']).trim_end_matches([']', '"', '\'', ')']);
    let mut found = Parts::default();
    for word in words(text) {
        found.take(&word)?;
    }
    found.finish()
}

/// `last 15 minutes`, `past hour`, `15 minutes ago`, `15 min`.
pub(super) fn length_of_time(text: &str) -> Option<Quantity> {
    let lower = text.trim().to_lowercase();
    let lower = lower.strip_prefix("the ").unwrap_or(&lower);
    let rest = ["last ", "past ", "previous "].iter().find_map(|word| lower.strip_prefix(word));
    let body = rest.unwrap_or(lower).trim();
    let body = if rest.is_none() { body.strip_suffix(" ago").unwrap_or(body).trim() } else { body };
    let letters = body.find(char::is_alphabetic)?;
    let number = body[..letters].trim();
    let number = match number {
        "" if rest.is_some() => 1.0,
        number => number.parse().ok().filter(|number: &f64| number.is_finite() && *number > 0.0)?,
    };
    let unit = Unit::named(body[letters..].trim()).filter(|unit| unit.dimension() == Dimension::Duration)?;
    Some(Quantity { number, unit })
}

/// Words, with an Apache stamp in its two parts.
fn words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for word in text.split([' ', '\t', ',']).filter(|word| !word.is_empty()) {
        // `03/Mar/2026:14:05:00`.
        let apache = word.split_once(':').filter(|(date, _)| date.matches(['/', '-']).count() == 2);
        // `14:05:09,123` was cut at its comma.
        let is_fraction = (1..=9).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_digit());
        let joins = |last: &String| last.matches(':').count() == 2 && !last.contains('.');
        match (apache, found.last_mut()) {
            (Some((date, clock)), _) => found.extend([date.to_owned(), clock.to_owned()]),
            (None, Some(last)) if is_fraction && word.len() == 3 && joins(last) => {
                last.push('.');
                last.push_str(word);
            }
            _ => found.push(word.to_owned()),
        }
    }
    found
}

#[derive(Default)]
struct Parts {
    year: Option<i16>,
    month: Option<i8>,
    day: Option<i8>,
    clock: Option<(Time, Unit)>,
    offset: Option<Offset>,
    has_weekday: bool,
    /// `14:05-14:10` are two times, not one with its zone.
    has_signed_clock: bool,
}

impl Parts {
    /// Takes one word; nothing where it has no place in a time.
    fn take(&mut self, word: &str) -> Option<()> {
        let lower = word.trim_end_matches('.').to_lowercase();
        if word.contains(':') && !word.starts_with(['+', '-']) {
            return self.clock(word);
        }
        if lower == "am" || lower == "pm" {
            return self.half_day(lower == "pm");
        }
        if let Some(month) = named(&MONTHS, &lower) {
            return set(&mut self.month, month as i8 + 1);
        }
        if !self.has_weekday && named(&WEEKDAYS, &lower).is_some() {
            self.has_weekday = true;
            return Some(());
        }
        if let Some((_, hours)) = ZONES.iter().find(|(name, _)| *name == lower) {
            return set(&mut self.offset, Offset::constant(*hours));
        }
        if self.clock.is_some() && lower.starts_with(['+', '-']) {
            return set(&mut self.offset, zone_offset(word)?);
        }
        if lower.contains(['/', '-', '.']) {
            return self.date(&lower);
        }
        let is_number = !lower.is_empty() && lower.bytes().all(|byte| byte.is_ascii_digit());
        match lower.len() {
            4 if is_number => set(&mut self.year, lower.parse().ok()?),
            1 | 2 if is_number => set(&mut self.day, lower.parse().ok()?),
            8 if is_number => self.date(&format!("{}-{}-{}", &lower[..4], &lower[4..6], &lower[6..])),
            // `3rd`, `21st`.
            3 | 4 => {
                let digits = ["st", "nd", "rd", "th"].iter().find_map(|end| lower.strip_suffix(end))?;
                set(&mut self.day, digits.parse().ok()?)
            }
            _ => None,
        }
    }

    /// `14:05:09.123`, with its zone directly after it or not.
    fn clock(&mut self, word: &str) -> Option<()> {
        let lower = word.to_lowercase();
        let half = lower.strip_suffix("am").or_else(|| lower.strip_suffix("pm"));
        let text = half.unwrap_or(word);
        let at = text.find(['Z', 'z', '+', '-']).unwrap_or(text.len());
        if at < text.len() {
            self.has_signed_clock = text[at..].starts_with(['+', '-']);
            set(&mut self.offset, zone_offset(&text[at..])?)?;
        }
        let (hour, rest) = text[..at].split_once(':')?;
        let clock = super::time::clock_of(&format!("{hour:0>2}:{rest}"))?;
        set(&mut self.clock, clock)?;
        if half.is_some() { self.half_day(lower.ends_with("pm")) } else { Some(()) }
    }

    fn half_day(&mut self, is_afternoon: bool) -> Option<()> {
        let (clock, precision) = self.clock?;
        let hour = clock.hour();
        let hour = match (hour, is_afternoon) {
            (1..=11, true) => hour + 12,
            (12, false) => 0,
            (1..=12, _) => hour,
            _ => return None,
        };
        let clock = Time::new(hour, clock.minute(), clock.second(), clock.subsec_nanosecond()).ok()?;
        self.clock = Some((clock, precision));
        Some(())
    }

    /// `2026/03/03`, `3.3.2026`, `03/Mar/2026`. Of two numbers that could both be a month, nobody can tell which is.
    fn date(&mut self, word: &str) -> Option<()> {
        let parts: Vec<&str> = word.split(['/', '-', '.']).collect();
        let &[first, second, third] = parts.as_slice() else { return None };
        let number = |text: &str| -> Option<i16> {
            (text.len() <= 4 && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
        };
        let (year, month, day) = if let Some(month) = named(&MONTHS, second) {
            (number(third)?, month as i16 + 1, number(first)?)
        } else if first.len() == 4 {
            (number(first)?, number(second)?, number(third)?)
        } else if third.len() == 4 {
            let (first, second) = (number(first)?, number(second)?);
            match (word.contains('.'), first, second) {
                (true, ..) | (false, 13.., _) => (number(third)?, second, first),
                (false, _, 13..) => (number(third)?, first, second),
                (false, ..) if first == second => (number(third)?, first, second),
                _ => return None,
            }
        } else {
            return None;
        };
        if year < 1000 {
            return None;
        }
        set(&mut self.year, year)?;
        set(&mut self.month, i8::try_from(month).ok()?)?;
        set(&mut self.day, i8::try_from(day).ok()?)
    }

    fn finish(self) -> Option<PastedTime> {
        let date = match (self.year, self.month, self.day) {
            (year, Some(month), Some(day)) => Some(PastedDate { year, month, day }),
            (None, None, None) => None,
            _ => return None,
        };
        let (clock, precision) = match self.clock {
            Some(clock) => clock,
            None => (Time::midnight(), date.map(|_| Unit::Day)?),
        };
        if date.is_none() && (self.has_weekday || self.has_signed_clock) {
            return None;
        }
        Some(PastedTime { date, clock, precision, offset: self.offset })
    }
}

/// Each part is written once.
fn set<T>(part: &mut Option<T>, value: T) -> Option<()> {
    if part.is_some() {
        return None;
    }
    *part = Some(value);
    Some(())
}

/// Which of these a word names: in full, or by its first three letters.
fn named(names: &[&str], word: &str) -> Option<usize> {
    let word = match word {
        "sept" => "sep",
        "tues" => "tue",
        "thur" | "thurs" => "thu",
        word => word,
    };
    names.iter().position(|name| word == *name || (word.len() == 3 && name.starts_with(word)))
}

/// `1772546700.123`: seconds since 1970 with a fraction.
pub(super) fn fractional_epoch(text: &str) -> Option<i64> {
    let (seconds, fraction) = text.split_once('.')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !(9..=10).contains(&seconds.len()) || !is_number(seconds) || !is_number(fraction) {
        return None;
    }
    let nanoseconds: i64 = format!("{fraction:0<9.9}").parse().ok()?;
    seconds.parse::<i64>().ok()?.checked_mul(1_000_000_000)?.checked_add(nanoseconds)
}

/// `Z`, `+02:00`, `+0200` or `+02`.
pub(super) fn zone_offset(text: &str) -> Option<Offset> {
    if text.eq_ignore_ascii_case("z") {
        return Some(Offset::UTC);
    }
    let (sign, digits) = (if text.starts_with('-') { -1 } else { 1 }, text[1..].replace(':', ""));
    let hours = super::time::number(digits.get(..2)?, 2)?;
    let minutes = if digits.len() > 2 { super::time::number(digits.get(2..)?, 2)? } else { 0 };
    Offset::from_seconds(sign * (hours * 3_600 + minutes * 60)).ok()
}
