//! Lengths of time as people write and read them.

const MS: i64 = 1_000_000;
const SECOND: i64 = 1_000 * MS;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// `ms` before `m`, so that the longer name is found first.
const UNITS: [(&str, i64); 8] = [
    ("ms", MS),
    ("us", 1_000),
    ("ns", 1),
    ("w", 7 * DAY),
    ("d", DAY),
    ("h", HOUR),
    ("m", MINUTE),
    ("s", SECOND),
];

/// More decimals than this are below a nanosecond in every unit.
const MOST_DECIMALS: usize = 15;

/// Nanoseconds of `1h30m`, `-250ms` or `1.5s`; none if the text is no duration. It is a sign and numbers with their
/// units, with spaces between them if wanted. Decimals below a nanosecond are cut.
///
/// The screen reads clock offsets in the same way (`src/base/clockoffset.ts`): `fixtures/clock-offsets.json` has the
/// texts that both accept or refuse, and each is tested with it.
#[must_use]
pub fn parse(text: &str) -> Option<i64> {
    let text = text.trim().to_lowercase().replace("µs", "us").replace('−', "-");
    if text == "0" {
        return Some(0);
    }
    let (sign, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest.trim_start()),
        None => (1, text.strip_prefix('+').unwrap_or(&text).trim_start()),
    };
    let mut total = 0_i128;
    loop {
        let (part_ns, after) = part(rest)?;
        total = total.checked_add(part_ns)?;
        rest = after.trim_start();
        if rest.is_empty() {
            return i64::try_from(sign * total).ok();
        }
    }
}

/// The first number with its unit, in nanoseconds, and the rest of the text.
fn part(text: &str) -> Option<(i128, &str)> {
    let (whole, mut after) = digits(text)?;
    let mut decimals = "";
    if let Some(fraction) = after.strip_prefix('.') {
        (decimals, after) = digits(fraction)?;
    }
    let after = after.trim_start();
    let (unit, unit_ns) = UNITS.into_iter().find(|(unit, _)| after.starts_with(unit))?;
    let decimals = &decimals[..decimals.len().min(MOST_DECIMALS)];
    let scale = 10_i128.pow(decimals.len() as u32);
    let number: i128 = format!("{whole}{decimals}").parse().ok()?;
    Some((number.checked_mul(i128::from(unit_ns))? / scale, &after[unit.len()..]))
}

/// The digits that a text begins with, at least one, and the rest of it.
fn digits(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// `1h30m`, as [`parse`] reads it: the largest of the units that it needs, at most so many.
#[must_use]
pub fn compact(ns: i64, units: usize) -> String {
    const UNITS: [(&str, i64); 5] = [("d", DAY), ("h", HOUR), ("m", MINUTE), ("s", SECOND), ("ms", MS)];
    let mut rest = ns.max(MS);
    let parts = UNITS.map(|(unit, size)| {
        let count = rest / size;
        rest %= size;
        (count, unit)
    });
    let first = parts.iter().position(|(count, _)| *count > 0).unwrap_or_default();
    let shown = parts[first..].iter().take(units).filter(|(count, _)| *count > 0);
    shown.map(|(count, unit)| format!("{count}{unit}")).collect::<Vec<_>>().concat()
}

/// `12.3 s`: three digits in the largest unit that it fills.
#[must_use]
pub fn rounded(ns: i64) -> String {
    const UNITS: [(i64, &str); 6] =
        [(DAY, "d"), (HOUR, "h"), (MINUTE, "min"), (SECOND, "s"), (MS, "ms"), (1_000, "µs")];
    let largest = UNITS.iter().position(|(size, _)| ns.unsigned_abs() >= size.unsigned_abs());
    let in_unit = |at: usize| {
        let (size, name) = UNITS.get(at).copied().unwrap_or((1, "ns"));
        let value = ns as f64 / size as f64;
        let digits = (2 - value.abs().max(1.0).log10().floor() as i32).clamp(0, 2) as usize;
        (format!("{value:.digits$}"), name)
    };
    let at = largest.unwrap_or(UNITS.len());
    let (mut text, mut name) = in_unit(at);
    // 59.96 s would be 60.0 s, which nobody writes.
    let next = at.checked_sub(1).map(|next| UNITS[next]);
    if let Some((size, next_name)) = next {
        let own = UNITS.get(at).map_or(1, |(size, _)| *size);
        if text.parse().is_ok_and(|shown: f64| shown.abs() >= (size / own) as f64) {
            (text, name) = ("1".to_owned(), next_name);
            if ns < 0 {
                text.insert(0, '-');
            }
        }
    }
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text} {name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_as_on_the_screen() {
        let cases: serde_json::Value =
            serde_json::from_str(include_str!("../../../fixtures/clock-offsets.json")).expect("JSON");
        for (text, ns) in cases["read"].as_object().expect("an object") {
            let ns: i64 = ns.as_str().and_then(|ns| ns.parse().ok()).expect("a number as text");
            assert_eq!(parse(text), Some(ns), "{text:?}");
        }
        for text in cases["refused"].as_array().expect("a list") {
            let text = text.as_str().expect("a text");
            assert_eq!(parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn what_is_written_compactly_reads_as_the_same() {
        for (ns, units, text) in [
            (2 * HOUR + 3 * MINUTE + 17 * SECOND, 2, "2h3m"),
            (DAY + SECOND, 2, "1d"),
            (DAY + SECOND, 5, "1d1s"),
        ] {
            assert_eq!(compact(ns, units), text);
        }
        for ns in [MS, 999 * MS, 59 * SECOND, HOUR - MS, 400 * DAY + 1_001 * MS] {
            assert_eq!(parse(&compact(ns, 5)), Some(ns));
        }
    }

    #[test]
    fn rounded_durations_have_three_digits_and_a_unit() {
        for (ns, text) in [
            (0, "0 ns"),
            (950, "950 ns"),
            (1_500, "1.5 µs"),
            (999_999, "1 ms"),
            (23_450_000, "23.4 ms"),
            (12_340_000_000, "12.3 s"),
            (59_960_000_000, "1 min"),
            (-59_960_000_000, "-1 min"),
            (90 * SECOND, "1.5 min"),
            (3_432 * SECOND, "57.2 min"),
            (7_200 * SECOND, "2 h"),
            (100 * DAY, "100 d"),
        ] {
            assert_eq!(rounded(ns), text);
        }
    }
}
