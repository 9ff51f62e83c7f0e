//! The letters of `strptime` in C, Python and Ruby, and those that lnav adds.

use super::{Part, Step};
use crate::time::civil::SECOND_NS;

pub(super) fn steps(format: &str) -> Result<Vec<Step>, String> {
    let mut steps = Vec::new();
    let mut chars = format.chars().peekable();
    while let Some(next) = chars.next() {
        if next.is_whitespace() {
            while chars.next_if(|next| next.is_whitespace()).is_some() {}
            push_spaces(&mut steps);
            continue;
        }
        if next != '%' {
            push_literal(&mut steps, next);
            continue;
        }
        // Flags for padding and case, widths, colons of `%:z` and locale modifiers change how a value is
        // written, not what it means.
        let ignored = |next: &char| matches!(next, '-' | '_' | '^' | '#' | ':' | 'E' | 'O');
        while chars.next_if(ignored).is_some() {}
        let mut width = String::new();
        while let Some(digit) = chars.next_if(char::is_ascii_digit) {
            width.push(digit);
        }
        let letter = match chars.next_if(char::is_ascii_alphabetic) {
            Some(letter) => letter,
            // lnav has `%3`, `%6` and `%9` for epochs in milli-, micro- and nanoseconds.
            None if !width.is_empty() => width.chars().next_back().unwrap_or('0'),
            None => match chars.next() {
                Some(other) => other,
                None => return Err("the time format ends within a conversion".to_string()),
            },
        };
        match letter {
            '%' => push_literal(&mut steps, '%'),
            'n' | 't' => push_spaces(&mut steps),
            _ => conversion(letter, &mut steps)?,
        }
    }
    Ok(steps)
}

pub(super) fn push_literal(steps: &mut Vec<Step>, next: char) {
    let mut buffer = [0; 4];
    let text = next.encode_utf8(&mut buffer).as_bytes();
    match steps.last_mut() {
        Some(Step::Literal(literal)) => *literal = [&**literal, text].concat().into(),
        _ => steps.push(Step::Literal(text.into())),
    }
}

pub(super) fn push_spaces(steps: &mut Vec<Step>) {
    if steps.last() != Some(&Step::Spaces) {
        steps.push(Step::Spaces);
    }
}

fn conversion(letter: char, steps: &mut Vec<Step>) -> Result<(), String> {
    let composite = match letter {
        'F' => Some("%Y-%m-%d"),
        'T' | 'X' => Some("%H:%M:%S"),
        'D' | 'x' => Some("%m/%d/%y"),
        'R' => Some("%H:%M"),
        'r' => Some("%I:%M:%S %p"),
        'c' => Some("%a %b %e %H:%M:%S %Y"),
        'v' => Some("%e-%b-%Y"),
        _ => None,
    };
    if let Some(composite) = composite {
        steps.extend(self::steps(composite)?);
        return Ok(());
    }
    steps.push(match letter {
        'Y' => Step::Number(Part::Year, 4, 4),
        'y' => Step::Number(Part::YearOfCentury, 2, 2),
        'm' => Step::Number(Part::Month, 1, 2),
        'b' | 'B' | 'h' => Step::MonthName,
        'd' | 'e' => Step::Number(Part::Day, 1, 2),
        'j' => Step::Number(Part::DayOfYear, 1, 3),
        'G' => Step::Number(Part::WeekYear, 4, 4),
        'V' => Step::Number(Part::Week, 1, 2),
        'u' => Step::Number(Part::Weekday, 1, 1),
        'a' | 'A' => Step::WeekdayName,
        'H' | 'k' => Step::Number(Part::Hour, 1, 2),
        'I' | 'l' => Step::Number(Part::HourOfHalf, 1, 2),
        'M' => Step::Number(Part::Minute, 1, 2),
        'S' => Step::Number(Part::Second, 1, 2),
        'f' | 'L' | 'N' => Step::Fraction,
        'p' | 'P' => Step::Half,
        'z' | 'Z' => Step::Zone,
        's' => Step::Epoch(1),
        'i' | 'Q' | '3' => Step::Epoch(1_000),
        '6' => Step::Epoch(1_000_000),
        '9' => Step::Epoch(SECOND_NS),
        '+' => Step::Tai64,
        _ => return Err(format!("the time format has an unknown conversion \"%{letter}\"")),
    });
    Ok(())
}
