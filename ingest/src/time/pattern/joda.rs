//! The letters of Java's and Joda's patterns, and the additional names of Logstash's date filter.

use super::strptime::{push_literal, push_spaces};
use super::{PatternStep, TimePart};

pub(super) fn steps(pattern: &str) -> Result<Vec<PatternStep>, String> {
    match pattern.trim() {
        "ISO8601" => return Ok(vec![PatternStep::Iso8601]),
        "UNIX" => return Ok(vec![PatternStep::AnyEpoch]),
        "UNIX_MS" => return Ok(vec![PatternStep::Epoch(1_000)]),
        "UNIX_US" => return Ok(vec![PatternStep::Epoch(1_000_000)]),
        "UNIX_NS" => return Ok(vec![PatternStep::Epoch(1_000_000_000)]),
        "TAI64N" => return Ok(vec![PatternStep::Tai64]),
        "UPTIME" => return Ok(vec![PatternStep::Uptime]),
        _ => {}
    }
    let mut steps = Vec::new();
    let mut chars = pattern.chars().peekable();
    while let Some(next) = chars.next() {
        match next {
            '\'' => quoted(&mut chars, &mut steps)?,
            _ if next.is_whitespace() => push_spaces(&mut steps),
            _ if next.is_ascii_alphabetic() => {
                let mut count = 1;
                while chars.next_if_eq(&next).is_some() {
                    count += 1;
                }
                // Directly before another number, a number has a fixed number of digits.
                let adjacent = chars.peek().is_some_and(char::is_ascii_alphabetic);
                steps.push(letters(next, count, adjacent)?);
            }
            _ => push_literal(&mut steps, next),
        }
    }
    Ok(steps)
}

/// Quoted text; two quotes in it are one.
fn quoted(
    chars: &mut std::iter::Peekable<std::str::Chars>,
    steps: &mut Vec<PatternStep>,
) -> Result<(), String> {
    if chars.next_if_eq(&'\'').is_some() {
        push_literal(steps, '\'');
        return Ok(());
    }
    loop {
        match chars.next() {
            Some('\'') if chars.next_if_eq(&'\'').is_none() => return Ok(()),
            Some(next) if next.is_whitespace() => push_spaces(steps),
            Some(next) => push_literal(steps, next),
            None => return Err("the time format has a quote that is not closed".to_string()),
        }
    }
}

fn letters(letter: char, count: u8, adjacent: bool) -> Result<PatternStep, String> {
    let pair = |part| PatternStep::Number(part, if adjacent { count.min(2) } else { 1 }, 2);
    Ok(match (letter, count) {
        ('y' | 'Y' | 'u', 2) => PatternStep::Number(TimePart::YearOfCentury, 2, 2),
        ('y' | 'Y' | 'u', _) => PatternStep::Number(TimePart::Year, 4, 4),
        ('x', 4) => PatternStep::Number(TimePart::WeekYear, 4, 4),
        ('M' | 'L', 1 | 2) => pair(TimePart::Month),
        ('M' | 'L', _) => PatternStep::MonthName,
        ('d', _) => pair(TimePart::Day),
        ('D', _) => PatternStep::Number(TimePart::DayOfYear, if adjacent { 3 } else { 1 }, 3),
        ('w', _) => pair(TimePart::Week),
        ('E', _) => PatternStep::WeekdayName,
        ('e', 1 | 2) => PatternStep::Number(TimePart::Weekday, 1, 1),
        ('H', _) => pair(TimePart::Hour),
        ('k', _) => pair(TimePart::HourFromOne),
        ('h' | 'K', _) => pair(TimePart::HourOfHalf),
        ('m', _) => pair(TimePart::Minute),
        ('s', _) => pair(TimePart::Second),
        ('S' | 'n', _) => PatternStep::Fraction,
        ('a', _) => PatternStep::Half,
        ('Z' | 'X' | 'x' | 'z' | 'O' | 'V' | 'v', _) => PatternStep::Zone,
        _ => return Err(format!("the time format has an unknown letter \"{letter}\"")),
    })
}
