//! Numbers with units: durations and sizes.

use std::cmp::Ordering;
use std::fmt;

/// A number with a unit, as it was written: `250ms`, `1.5GiB`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantity {
    pub number: f64,
    pub unit: Unit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// In nanoseconds.
    Duration,
    /// In bytes.
    Size,
}

macro_rules! units {
    ($( $unit:ident $dimension:ident $factor:literal $calendar:literal : $($name:literal)+; )*) => {
        /// A unit of time or of size. Months and longer have no fixed length: see [`Unit::is_calendar`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Unit { $( $unit, )* }

        impl Unit {
            /// Each unit with its names; the first is the one that is printed.
            pub const ALL: &'static [(Unit, &'static [&'static str])] = &[ $( (Unit::$unit, &[$($name),+]), )* ];

            #[must_use]
            pub fn dimension(self) -> Dimension {
                match self { $( Unit::$unit => Dimension::$dimension, )* }
            }

            /// Nanoseconds or bytes. A month counts 30 days and a year 365 where a length is needed.
            #[must_use]
            pub fn factor(self) -> f64 {
                match self { $( Unit::$unit => $factor, )* }
            }

            /// Whether its length depends on the calendar: bins of a day or longer begin where the calendar's do.
            #[must_use]
            pub fn is_calendar(self) -> bool {
                match self { $( Unit::$unit => $calendar, )* }
            }
        }
    };
}

units! {
    Nanosecond Duration 1.0 false: "ns" "nanoseconds";
    Microsecond Duration 1e3 false: "us" "µs" "μs" "microseconds";
    Millisecond Duration 1e6 false: "ms" "msec" "milliseconds";
    Second Duration 1e9 false: "s" "sec" "secs" "second" "seconds";
    Minute Duration 60e9 false: "m" "min" "mins" "minute" "minutes";
    Hour Duration 3_600e9 false: "h" "hr" "hrs" "hour" "hours";
    Day Duration 86_400e9 true: "d" "day" "days";
    Week Duration 604_800e9 true: "w" "week" "weeks";
    Month Duration 2_592_000e9 true: "mo" "mon" "month" "months";
    Quarter Duration 7_776_000e9 true: "q" "quarter" "quarters";
    Year Duration 31_536_000e9 true: "y" "yr" "year" "years";
    Byte Size 1.0 false: "b" "byte" "bytes";
    Kilobyte Size 1e3 false: "kb";
    Megabyte Size 1e6 false: "mb";
    Gigabyte Size 1e9 false: "gb";
    Terabyte Size 1e12 false: "tb";
    Kibibyte Size 1_024.0 false: "KiB";
    Mebibyte Size 1_048_576.0 false: "MiB";
    Gibibyte Size 1_073_741_824.0 false: "GiB";
    Tebibyte Size 1_099_511_627_776.0 false: "TiB";
}

impl Unit {
    /// The unit of this name, in any case; but a lone `M` is a month, as in Elasticsearch and Splunk.
    #[must_use]
    pub fn named(name: &str) -> Option<Unit> {
        if name == "M" {
            return Some(Unit::Month);
        }
        let known = |names: &[&str]| names.iter().any(|known| known.eq_ignore_ascii_case(name));
        Unit::ALL.iter().find(|(_, names)| known(names)).map(|&(unit, _)| unit)
    }

    /// The unit of this name in a log: a letter alone is a power of 1,024, as for memory, or a time up to a day.
    #[must_use]
    pub fn in_log(name: &str) -> Option<Unit> {
        match name {
            "k" | "K" => Some(Unit::Kibibyte),
            "M" => Some(Unit::Mebibyte),
            "G" => Some(Unit::Gibibyte),
            _ => Unit::named(name).filter(|unit| !unit.is_calendar() || *unit == Unit::Day),
        }
    }

    #[must_use]
    pub fn name(self) -> &'static str {
        Unit::ALL.iter().find(|(unit, _)| *unit == self).map_or("", |(_, names)| names[0])
    }
}

impl Quantity {
    /// Reads `250ms`; nothing for a number without a unit.
    #[must_use]
    pub fn parse(text: &str) -> Option<Quantity> {
        let letters = text.find(|c: char| c.is_alphabetic())?;
        let number: f64 = text[..letters].parse().ok().filter(|number: &f64| number.is_finite())?;
        Some(Quantity { number, unit: Unit::named(&text[letters..])? })
    }

    /// In nanoseconds or bytes.
    #[must_use]
    pub fn amount(self) -> f64 {
        self.number * self.unit.factor()
    }
}

impl Unit {
    /// The unit that a field's numbers are in, as its name tells: `duration_ms`, `heap_bytes`, `elapsedMillis`.
    #[must_use]
    pub fn from_field_name(name: &str) -> Option<Unit> {
        const ENDINGS: &[(&str, Unit)] = &[
            ("nanos", Unit::Nanosecond),
            ("nanoseconds", Unit::Nanosecond),
            ("micros", Unit::Microsecond),
            ("microseconds", Unit::Microsecond),
            ("millis", Unit::Millisecond),
            ("milliseconds", Unit::Millisecond),
            ("seconds", Unit::Second),
            ("secs", Unit::Second),
            ("minutes", Unit::Minute),
            ("bytes", Unit::Byte),
        ];
        if name == "event.duration" {
            return Some(Unit::Nanosecond);
        }
        if let Some((_, last)) = name.rsplit_once('_')
            && let Some(unit) = Unit::named(last).filter(|_| last != "M" && last != "m" && last != "b")
        {
            return Some(unit);
        }
        let camel = name.strip_suffix("Ms").map(|_| Unit::Millisecond);
        let lower = name.to_ascii_lowercase();
        camel.or_else(|| ENDINGS.iter().find(|(ending, _)| lower.ends_with(ending)).map(|&(_, unit)| unit))
    }
}

/// A number as it is written in a log or a query, with its unit if it has one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    Whole(i64),
    Float(f64),
    With(Quantity),
}

impl Amount {
    #[must_use]
    pub fn parse(text: &str) -> Option<Amount> {
        let text = text.trim();
        // Words such as `inf` and `nan` are floats to the standard library; in a log they are words.
        text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.')).then_some(())?;
        if let Ok(whole) = text.parse() {
            return Some(Amount::Whole(whole));
        }
        let float = text.parse::<f64>().ok().filter(|float| float.is_finite());
        float.map(Amount::Float).or_else(|| Quantity::parse(text).map(Amount::With))
    }

    /// The number in the unit of a field; nothing where it measures something else, or where the field's
    /// unit is not known and the amount is a duration.
    #[must_use]
    pub fn in_field(self, field: &str) -> Option<Amount> {
        let Amount::With(quantity) = self else { return Some(self) };
        let unit = match (Unit::from_field_name(field), quantity.unit.dimension()) {
            (Some(unit), dimension) => (unit.dimension() == dimension).then_some(unit)?,
            (None, Dimension::Size) => Unit::Byte,
            (None, Dimension::Duration) => return None,
        };
        let number = quantity.amount() / unit.factor();
        let is_whole = number.fract() == 0.0 && number.abs() < 9e15;
        Some(if is_whole { Amount::Whole(number as i64) } else { Amount::Float(number) })
    }

    #[must_use]
    pub fn float(self) -> f64 {
        match self {
            Amount::Whole(number) => number as f64,
            Amount::Float(number) => number,
            Amount::With(quantity) => quantity.amount(),
        }
    }

    /// How two numbers without units compare: whole ones exactly.
    #[must_use]
    pub fn compare(self, other: Amount) -> Ordering {
        match (self, other) {
            (Amount::Whole(one), Amount::Whole(other)) => one.cmp(&other),
            (one, other) => one.float().total_cmp(&other.float()),
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.number, self.unit.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_read_in_any_case() {
        for (text, amount) in
            [("250ms", 250e6), ("10kb", 1e4), ("1.5GiB", 1_610_612_736.0), ("10KB", 1e4), ("2h", 7_200e9)]
        {
            assert_eq!(Quantity::parse(text).map(Quantity::amount), Some(amount), "{text}");
        }
        assert_eq!(Quantity::parse("1M").map(|quantity| quantity.unit), Some(Unit::Month));
        assert_eq!(Quantity::parse("1m").map(|quantity| quantity.unit), Some(Unit::Minute));
        for (field, text, number) in [
            ("duration_ms", "1.5s", Some(1_500.0)),
            ("bytes", "10kb", Some(1e4)),
            ("size", "1KiB", Some(1_024.0)),
            ("heap_kb", "1mb", Some(1_000.0)),
            ("elapsedMillis", "2s", Some(2_000.0)),
            ("elapsedNanoseconds", "2us", Some(2_000.0)),
            ("took_microseconds", "2ms", Some(2_000.0)),
            ("took", "2s", None),
            ("bytes", "2s", None),
            ("duration_ms", "7", Some(7.0)),
        ] {
            let amount = Amount::parse(text).and_then(|amount| amount.in_field(field));
            assert_eq!(amount.map(Amount::float), number, "{field} {text}");
        }
        for text in ["12", "ms", "5 apples", "1e999s", "", "-"] {
            assert_eq!(Quantity::parse(text), None, "{text}");
        }
    }

    #[test]
    fn units_of_logs_are_those_of_the_language_but_for_single_letters() {
        for (name, unit) in [
            ("ms", Some(Unit::Millisecond)),
            ("milliseconds", Some(Unit::Millisecond)),
            ("\u{3bc}s", Some(Unit::Microsecond)),
            ("m", Some(Unit::Minute)),
            ("days", Some(Unit::Day)),
            ("kB", Some(Unit::Kilobyte)),
            ("K", Some(Unit::Kibibyte)),
            ("M", Some(Unit::Mebibyte)),
            ("G", Some(Unit::Gibibyte)),
            ("TiB", Some(Unit::Tebibyte)),
            ("mon", None),
            ("apples", None),
        ] {
            assert_eq!(Unit::in_log(name), unit, "{name}");
        }
    }
}
