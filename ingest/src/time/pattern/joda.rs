//! The letters of Java's and Joda's patterns, and the names that Logstash's date filter adds.

use super::strptime::{push_literal, push_spaces};
use super::{Part, Step};

pub(super) fn steps(pattern: &str) -> Result<Vec<Step>, String> {
    match pattern.trim() {
        "ISO8601" => return Ok(vec![Step::Iso8601]),
        "UNIX" => return Ok(vec![Step::AnyEpoch]),
        "UNIX_MS" => return Ok(vec![Step::Epoch(1_000)]),
        "UNIX_US" => return Ok(vec![Step::Epoch(1_000_000)]),
        "UNIX_NS" => return Ok(vec![Step::Epoch(1_000_000_000)]),
        "TAI64N" => return Ok(vec![Step::Tai64]),
        "UPTIME" => return Ok(vec![Step::Uptime]),
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
                // Directly before another number, a number takes its own digits and no more.
                let adjacent = chars.peek().is_some_and(char::is_ascii_alphabetic);
                steps.push(letters(next, count, adjacent)?);
            }
            _ => push_literal(&mut steps, next),
        }
    }
    Ok(steps)
}

/// Text in quotes, in which two quotes are one.
fn quoted(chars: &mut std::iter::Peekable<std::str::Chars>, steps: &mut Vec<Step>) -> Result<(), String> {
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

fn letters(letter: char, count: u8, adjacent: bool) -> Result<Step, String> {
    let pair = |part| Step::Number(part, if adjacent { count.min(2) } else { 1 }, 2);
    Ok(match (letter, count) {
        ('y' | 'Y' | 'u', 2) => Step::Number(Part::YearOfCentury, 2, 2),
        ('y' | 'Y' | 'u', _) => Step::Number(Part::Year, 4, 4),
        ('x', 4) => Step::Number(Part::WeekYear, 4, 4),
        ('M' | 'L', 1 | 2) => pair(Part::Month),
        ('M' | 'L', _) => Step::MonthName,
        ('d', _) => pair(Part::Day),
        ('D', _) => Step::Number(Part::DayOfYear, if adjacent { 3 } else { 1 }, 3),
        ('w', _) => pair(Part::Week),
        ('E', _) => Step::WeekdayName,
        ('e', 1 | 2) => Step::Number(Part::Weekday, 1, 1),
        ('H', _) => pair(Part::Hour),
        ('k', _) => pair(Part::HourFromOne),
        ('h' | 'K', _) => pair(Part::HourOfHalf),
        ('m', _) => pair(Part::Minute),
        ('s', _) => pair(Part::Second),
        ('S' | 'n', _) => Step::Fraction,
        ('a', _) => Step::Half,
        ('Z' | 'X' | 'x' | 'z' | 'O' | 'V' | 'v', _) => Step::Zone,
        _ => return Err(format!("the time format has an unknown letter \"{letter}\"")),
    })
}
