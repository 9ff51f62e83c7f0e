//! The letters of `strptime` in C, Python and Ruby, and lnav's additions.

use super::{PatternStep, TimePart};
use crate::time::civil::SECOND_NS;

pub(super) fn steps(format: &str) -> Result<Vec<PatternStep>, String> {
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
        // written, not its meaning.
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

pub(super) fn push_literal(steps: &mut Vec<PatternStep>, next: char) {
    let mut buffer = [0; 4];
    let text = next.encode_utf8(&mut buffer).as_bytes();
    match steps.last_mut() {
        Some(PatternStep::Literal(literal)) => *literal = [&**literal, text].concat().into(),
        _ => steps.push(PatternStep::Literal(text.into())),
    }
}

pub(super) fn push_spaces(steps: &mut Vec<PatternStep>) {
    if steps.last() != Some(&PatternStep::Spaces) {
        steps.push(PatternStep::Spaces);
    }
}

fn conversion(letter: char, steps: &mut Vec<PatternStep>) -> Result<(), String> {
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
        'Y' => PatternStep::Number(TimePart::Year, 4, 4),
        'y' => PatternStep::Number(TimePart::YearOfCentury, 2, 2),
        'm' => PatternStep::Number(TimePart::Month, 1, 2),
        'b' | 'B' | 'h' => PatternStep::MonthName,
        'd' | 'e' => PatternStep::Number(TimePart::Day, 1, 2),
        'j' => PatternStep::Number(TimePart::DayOfYear, 1, 3),
        'G' => PatternStep::Number(TimePart::WeekYear, 4, 4),
        'V' => PatternStep::Number(TimePart::Week, 1, 2),
        'u' => PatternStep::Number(TimePart::Weekday, 1, 1),
        'a' | 'A' => PatternStep::WeekdayName,
        'H' | 'k' => PatternStep::Number(TimePart::Hour, 1, 2),
        'I' | 'l' => PatternStep::Number(TimePart::HourOfHalf, 1, 2),
        'M' => PatternStep::Number(TimePart::Minute, 1, 2),
        'S' => PatternStep::Number(TimePart::Second, 1, 2),
        'f' | 'L' | 'N' => PatternStep::Fraction,
        'p' | 'P' => PatternStep::Half,
        'z' | 'Z' => PatternStep::Zone,
        's' => PatternStep::Epoch(1),
        'i' | 'Q' | '3' => PatternStep::Epoch(1_000),
        '6' => PatternStep::Epoch(1_000_000),
        '9' => PatternStep::Epoch(SECOND_NS),
        '+' => PatternStep::Tai64,
        _ => return Err(format!("the time format has an unknown conversion \"%{letter}\"")),
    });
    Ok(())
}
