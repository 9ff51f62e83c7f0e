//! Tests on numbers as query DSL.

use indexer::query::{Amount, Op, Pattern, Range, Test};
use indexer::{Result, tokens};
use serde_json::{Value, json};

use super::{Translator, any, none};
use crate::schema::{Field, MappedKind};

impl Translator<'_> {
    pub(super) fn numbers(&mut self, field: &Field, test: &Test) -> Result<Value> {
        let name = field.name.as_str();
        if field.kind == MappedKind::Rounded && *test != Test::Exists {
            self.approximate(format!("`{name}` keeps numbers with fewer digits there"));
        }
        match test {
            Test::Exists => Ok(json!({"exists": {"field": name}})),
            Test::Compare(op, value) => match amount(value, name) {
                Some(amount) => Ok(compared(field, *op, amount)),
                None => Ok(none()),
            },
            Test::Range(Range { from, to }) => {
                let mut parts = Vec::new();
                for (bound, closed, open) in
                    [(from, Op::GreaterOrEqual, Op::Greater), (to, Op::LessOrEqual, Op::Less)]
                {
                    let Some(bound) = bound else { continue };
                    let Some(amount) = amount(&bound.value, name) else { return Ok(none()) };
                    parts.push(compared(field, if bound.inclusive { closed } else { open }, amount));
                }
                if parts.is_empty() {
                    return Ok(json!({"exists": {"field": name}}));
                }
                Ok(super::all(parts))
            }
            Test::Matches(patterns) => {
                let parts =
                    patterns.iter().map(|pattern| self.number_like(field, pattern)).collect::<Result<_>>()?;
                Ok(any(parts))
            }
        }
    }

    fn number_like(&mut self, field: &Field, pattern: &Pattern) -> Result<Value> {
        let name = field.name.as_str();
        let hint = "compare it: status>=400, or write status:4??";
        match pattern {
            Pattern::Tokens(words) => match amount(words, name) {
                Some(amount) => Ok(compared(field, Op::Equal, amount)),
                None if tokens::folded(words.as_bytes()).is_empty() => Ok(json!({"exists": {"field": name}})),
                // No number has a letter in it, or three parts.
                None if words.chars().any(char::is_alphabetic)
                    || tokens::folded(words.as_bytes()).len() > 2 =>
                {
                    Ok(none())
                }
                None => Err(self.unable("it asks for a part of a number", hint)),
            },
            Pattern::Glob(glob) if glob == "*" => Ok(json!({"exists": {"field": name}})),
            Pattern::Glob(glob) => match (&field.kind, digits_of(glob)) {
                (MappedKind::Whole(least, most), Some(ranges)) => {
                    let within = |(from, to): (i64, i64)| {
                        (from.max(*least) <= to.min(*most)).then_some((from.max(*least), to.min(*most)))
                    };
                    let parts: Vec<Value> = ranges
                        .into_iter()
                        .filter_map(within)
                        .map(|(from, to)| json!({"range": {name: {"gte": from, "lte": to}}}))
                        .collect();
                    Ok(if parts.is_empty() { none() } else { any(parts) })
                }
                _ => Err(self.unable("numbers there have no text", hint)),
            },
            _ => Err(self.unable("numbers there have no text", hint)),
        }
    }
}

fn amount(text: &str, field: &str) -> Option<Amount> {
    Amount::parse(text)?.in_field(field)
}

/// A comparison with ends that the type can have: clusters refuse or cut others.
fn compared(field: &Field, op: Op, amount: Amount) -> Value {
    let name = field.name.as_str();
    let MappedKind::Whole(least, most) = field.kind else {
        let number = match amount {
            Amount::Whole(number) => json!(number),
            other => json!(other.float()),
        };
        return match op {
            Op::Equal => json!({"term": {name: number}}),
            Op::NotEqual => different(name, &json!({"term": {name: number}})),
            Op::Less => json!({"range": {name: {"lt": number}}}),
            Op::LessOrEqual => json!({"range": {name: {"lte": number}}}),
            Op::Greater => json!({"range": {name: {"gt": number}}}),
            Op::GreaterOrEqual => json!({"range": {name: {"gte": number}}}),
        };
    };
    // The greatest whole number below and the least above, equal for a whole one.
    let (below, above) = match amount {
        Amount::Whole(number) => (i128::from(number), i128::from(number)),
        other => (other.float().floor() as i128, other.float().ceil() as i128),
    };
    let (least, most) = (i128::from(least), i128::from(most));
    let between = |from: i128, to: i128| {
        let (from, to) = (from.max(least), to.min(most));
        if from > to {
            return none();
        }
        json!({"range": {name: {"gte": from as i64, "lte": to as i64}}})
    };
    let equal = || {
        if below == above && (least..=most).contains(&below) {
            json!({"term": {name: below as i64}})
        } else {
            none()
        }
    };
    match op {
        Op::Equal => equal(),
        Op::NotEqual => different(name, &equal()),
        Op::Less => between(least, above - 1),
        Op::LessOrEqual => between(least, below),
        Op::Greater => between(below + 1, most),
        Op::GreaterOrEqual => between(above, most),
    }
}

/// Documents that have the field with another value.
pub(super) fn different(name: &str, equal: &Value) -> Value {
    json!({"bool": {"filter": [{"exists": {"field": name}}], "must_not": [equal]}})
}

/// The whole numbers whose digits fit a glob that is digits, then `?`s or one star.
fn digits_of(glob: &str) -> Option<Vec<(i64, i64)>> {
    let end = glob.find(|c: char| !c.is_ascii_digit()).unwrap_or(glob.len());
    let (digits, rest) = glob.split_at(end);
    if digits.is_empty() || digits.starts_with('0') || digits.len() > 18 {
        return None;
    }
    let number: i64 = digits.parse().ok()?;
    let with = |more: u32| {
        let scale = 10_i64.checked_pow(more)?;
        let from = number.checked_mul(scale)?;
        Some((from, from.saturating_add(scale - 1)))
    };
    if rest == "*" {
        return Some((0..=18).map_while(with).collect());
    }
    rest.chars().all(|c| c == '?').then(|| with(rest.len() as u32).map(|range| vec![range])).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_of_digits_are_ranges() {
        assert_eq!(digits_of("5??"), Some(vec![(500, 599)]));
        assert_eq!(
            digits_of("12*").map(|ranges| ranges[..3].to_vec()),
            Some(vec![(12, 12), (120, 129), (1_200, 1_299)])
        );
        for glob in ["*5", "0*", "5*5", "5?*", ""] {
            assert_eq!(digits_of(glob), None, "{glob}");
        }
        // The longest ranges end at the largest number.
        let largest = digits_of("9*").expect("ranges");
        assert!(
            largest.iter().all(|(from, to)| from <= to)
                && largest.last().is_some_and(|(_, to)| *to == i64::MAX),
            "{largest:?}"
        );
    }
}
