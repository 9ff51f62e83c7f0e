//! Durations as people write them on the command line: `1h30m`, `-250ms`, `1.5s`.
//!
//! The screen reads clock offsets in the same way (`src/base/clockoffset.ts`): `fixtures/clock-offsets.json` has what
//! both accept and refuse, and each is tested with it.

const UNITS: [(&str, i128); 7] = [
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
    ("d", 86_400_000_000_000),
    ("h", 3_600_000_000_000),
    ("m", 60_000_000_000),
    ("s", 1_000_000_000),
];

/// More decimals than this are below a nanosecond in every unit.
const MOST_DECIMALS: usize = 15;

/// Nanoseconds; none if the text is no duration. It is a sign and numbers with their units, with spaces between
/// them if wanted. Decimals below a nanosecond are cut.
pub fn duration_ns(text: &str) -> Option<i64> {
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

/// The first number with its unit, in nanoseconds, and what follows it.
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
    Some((number.checked_mul(unit_ns)? / scale, &after[unit.len()..]))
}

/// The digits that a text begins with, at least one, and what follows them.
fn digits(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_as_on_the_screen() {
        let cases: serde_json::Value =
            serde_json::from_str(include_str!("../../fixtures/clock-offsets.json")).expect("JSON");
        for (text, ns) in cases["read"].as_object().expect("an object") {
            let ns: i64 = ns.as_str().and_then(|ns| ns.parse().ok()).expect("a number as text");
            assert_eq!(duration_ns(text), Some(ns), "{text:?}");
        }
        for text in cases["refused"].as_array().expect("a list") {
            let text = text.as_str().expect("a text");
            assert_eq!(duration_ns(text), None, "{text:?}");
        }
    }
}
