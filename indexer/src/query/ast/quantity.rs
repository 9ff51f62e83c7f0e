//! Numbers with units: durations and sizes.

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
    Nanosecond Duration 1.0 false: "ns";
    Microsecond Duration 1e3 false: "us" "µs" "μs";
    Millisecond Duration 1e6 false: "ms" "msec";
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
        for text in ["12", "ms", "5 apples", "1e999s", "", "-"] {
            assert_eq!(Quantity::parse(text), None, "{text}");
        }
    }
}
