//! What values and times look like, as expressions that Oniguruma (grok) and Rust's regex read alike, and as grok's names.

use std::sync::LazyLock;

use indexer::aggregate::TimeZone;
use indexer::query::time::TimeExpr;
use regex::Regex;

/// How a time is written: an expression, and the formats that the `date` processor reads it by.
pub struct TimeShape {
    pub name: &'static str,
    pub expression: &'static str,
    pub formats: &'static [&'static str],
    /// The same for Logstash, whose `date` knows Joda's letters.
    pub joda: &'static [&'static str],
    pub has_year: bool,
}

/// Tried in this order.
pub const TIMES: &[TimeShape] = &[
    TimeShape {
        name: "TLISOTIME",
        expression: r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})?(?: ?(?:Z|[+-]\d{2}:?\d{2}))?",
        formats: &[
            "ISO8601",
            "yyyy-MM-dd HH:mm:ss,SSS",
            "yyyy-MM-dd HH:mm:ss.SSS",
            "yyyy-MM-dd HH:mm:ss.SSSSSS",
            "yyyy-MM-dd HH:mm:ss",
            "yyyy-MM-dd HH:mm:ss[ ]XXX",
            "yyyy-MM-dd HH:mm:ss[ ]XX",
            "yyyy-MM-dd HH:mm:ss.SSS[ ]XXX",
            "yyyy-MM-dd HH:mm:ss.SSSSSS[ ]XXX",
        ],
        joda: &[
            "ISO8601",
            "yyyy-MM-dd HH:mm:ss,SSS",
            "yyyy-MM-dd HH:mm:ss.SSS",
            "yyyy-MM-dd HH:mm:ss.SSSSSS",
            "yyyy-MM-dd HH:mm:ss",
            "yyyy-MM-dd HH:mm:ssZZ",
            "yyyy-MM-dd HH:mm:ss ZZ",
            "yyyy-MM-dd HH:mm:ss.SSSZZ",
            "yyyy-MM-dd HH:mm:ss.SSS ZZ",
        ],
        has_year: true,
    },
    TimeShape {
        name: "TLHTTPTIME",
        expression: r"\d{2}/[A-Z][a-z]{2}/\d{4}:\d{2}:\d{2}:\d{2} [+-]\d{4}",
        formats: &["dd/MMM/yyyy:HH:mm:ss Z"],
        joda: &["dd/MMM/yyyy:HH:mm:ss Z"],
        has_year: true,
    },
    TimeShape {
        name: "TLSLASHTIME",
        expression: r"\d{4}/\d{2}/\d{2} \d{2}:\d{2}:\d{2}",
        formats: &["yyyy/MM/dd HH:mm:ss"],
        joda: &["yyyy/MM/dd HH:mm:ss"],
        has_year: true,
    },
    TimeShape {
        name: "TLAPACHETIME",
        expression: r"[A-Z][a-z]{2} [A-Z][a-z]{2} \d{2} \d{2}:\d{2}:\d{2}(?:\.\d{6})? \d{4}",
        formats: &["EEE MMM dd HH:mm:ss yyyy", "EEE MMM dd HH:mm:ss.SSSSSS yyyy"],
        joda: &["EEE MMM dd HH:mm:ss yyyy", "EEE MMM dd HH:mm:ss.SSSSSS yyyy"],
        has_year: true,
    },
    TimeShape {
        name: "TLSYSLOGTIME",
        expression: r"[A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2}",
        formats: &["MMM  d HH:mm:ss", "MMM dd HH:mm:ss", "MMM d HH:mm:ss"],
        joda: &["MMM  d HH:mm:ss", "MMM dd HH:mm:ss", "MMM d HH:mm:ss"],
        has_year: false,
    },
    TimeShape {
        name: "TLMILLISECONDS",
        expression: r"\d{13}",
        formats: &["UNIX_MS"],
        joda: &["UNIX_MS"],
        has_year: true,
    },
    TimeShape {
        name: "TLSECONDS",
        expression: r"\d{10}(?:\.\d{1,9})?",
        formats: &["UNIX"],
        joda: &["UNIX"],
        has_year: true,
    },
];

/// The expressions of [`TIMES`], compiled once.
static REGEXES: LazyLock<Vec<Option<Regex>>> =
    LazyLock::new(|| TIMES.iter().map(|shape| Regex::new(shape.expression).ok()).collect());

/// The shapes with their expressions.
pub fn times() -> impl Iterator<Item = (usize, &'static Regex)> {
    REGEXES.iter().enumerate().filter_map(|(index, regex)| Some((index, regex.as_ref()?)))
}

/// How a whole text is written, if it is a time.
pub fn time_shape_of(text: &str) -> Option<usize> {
    let is_whole = |regex: &Regex| regex.find(text).is_some_and(|found| found.as_str() == text);
    times().find(|(_, regex)| is_whole(regex)).map(|(index, _)| index)
}

/// The instant that a text names, where a time without a zone is in this one and a year is the last before `now`.
pub fn instant(text: &str, now: i64, zone: &TimeZone) -> Option<i64> {
    // A comma separates milliseconds in Java's logs.
    let dotted = text.replace(',', ".");
    let (whole, part) = dotted.split_once('.').unwrap_or((dotted.as_str(), ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number(whole) && is_number(part) {
        let number = whole.parse::<i64>().ok()?;
        return match (whole.len(), part.len()) {
            (13, 0) => number.checked_mul(1_000_000),
            (10, ..=9) => number.checked_mul(1_000_000_000)?.checked_add(format!("{part:0<9}").parse().ok()?),
            _ => None,
        };
    }
    Some(TimeExpr::parse(&dotted)?.period(now, zone)?.from)
}

/// What the values of a field look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shape {
    Whole,
    Decimal,
    /// Without space.
    Word,
    /// Letters, digits and signs of names of hosts, programs and classes.
    Name,
    /// An IPv4 address.
    Address,
    /// Up to this character.
    UpTo(char),
    /// As little as fits.
    Least,
    /// All that is left.
    Rest,
}

impl Shape {
    /// The name of its pattern in grok.
    pub fn name(self) -> String {
        match self {
            Shape::Whole => "TLWHOLE".to_owned(),
            Shape::Decimal => "TLDECIMAL".to_owned(),
            Shape::Word => "TLWORD".to_owned(),
            Shape::Name => "TLNAME".to_owned(),
            Shape::Address => "TLADDRESS".to_owned(),
            Shape::UpTo(end) => format!("TLUPTO{:X}", u32::from(end)),
            Shape::Least => "TLLEAST".to_owned(),
            Shape::Rest => "TLREST".to_owned(),
        }
    }

    pub fn expression(self) -> String {
        match self {
            Shape::Whole => r"[-+]?\d+".to_owned(),
            Shape::Decimal => r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?".to_owned(),
            Shape::Word => r"\S+".to_owned(),
            Shape::Name => r"[A-Za-z0-9_.$-]+".to_owned(),
            Shape::Address => r"\d{1,3}(?:\.\d{1,3}){3}".to_owned(),
            Shape::UpTo(end) => format!(r"[^\x{{{:X}}}]+", u32::from(end)),
            Shape::Least => r"[\s\S]+?".to_owned(),
            Shape::Rest => r"[\s\S]+".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use indexer::stamp;

    #[test]
    fn times_are_read_as_the_date_processor_reads_them() {
        let now = stamp::parse("2026-03-02T00:00:00Z").expect("a time");
        for (text, name, expected) in [
            ("2026-03-01 14:05:06,250", "TLISOTIME", "2026-03-01T14:05:06.25Z"),
            ("2026-03-01T14:05:06+01:00", "TLISOTIME", "2026-03-01T13:05:06Z"),
            ("01/Mar/2026:14:05:06 +0000", "TLHTTPTIME", "2026-03-01T14:05:06Z"),
            ("2026/03/01 14:05:06", "TLSLASHTIME", "2026-03-01T14:05:06Z"),
            ("Mar  1 14:05:06", "TLSYSLOGTIME", "2026-03-01T14:05:06Z"),
            ("1772373906.5", "TLSECONDS", "2026-03-01T14:05:06.5Z"),
            ("1772373906500", "TLMILLISECONDS", "2026-03-01T14:05:06.5Z"),
        ] {
            let shape = time_shape_of(text).expect(text);
            assert_eq!(TIMES[shape].name, name, "{text}");
            assert_eq!(instant(text, now, &TimeZone::UTC), stamp::parse(expected), "{text}");
        }
    }
}
