//! A filter as query text. Parsing what is printed gives the same filter.

use std::fmt::{self, Display, Formatter, Write};

use super::ast::{Filter, Op, Pattern, Test};
use super::lexer::is_field_name;

impl Display for Filter {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            // Inside of a larger query nothing would be nothing; a star says everything.
            Filter::Everything => Ok(()),
            _ => print(self, f, 0),
        }
    }
}

/// How tightly a filter binds: what binds looser than its surroundings needs parentheses.
fn strength(filter: &Filter) -> u8 {
    match filter {
        Filter::Or(_) => 1,
        Filter::And(_) => 2,
        Filter::Not(_) => 3,
        _ => 4,
    }
}

fn print(filter: &Filter, f: &mut Formatter<'_>, around: u8) -> fmt::Result {
    if strength(filter) < around {
        f.write_char('(')?;
        print(filter, f, 0)?;
        return f.write_char(')');
    }
    match filter {
        Filter::Everything => f.write_char('*'),
        Filter::Or(parts) => list(parts, " OR ", f, 2),
        Filter::And(parts) => list(parts, " AND ", f, 3),
        Filter::Not(inner) => {
            f.write_str("NOT ")?;
            print(inner, f, 3)
        }
        Filter::Text(pattern) => print_pattern(pattern, f, false),
        Filter::Field { field, test, .. } => {
            if is_field_name(field) && !is_keyword(field) {
                f.write_str(field)?;
            } else {
                quoted(field, f)?;
            }
            print_test(test, f)
        }
    }
}

fn list(parts: &[Filter], between: &str, f: &mut Formatter<'_>, around: u8) -> fmt::Result {
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            f.write_str(between)?;
        }
        print(part, f, around)?;
    }
    Ok(())
}

fn print_test(test: &Test, f: &mut Formatter<'_>) -> fmt::Result {
    match test {
        Test::Exists => f.write_str(":*"),
        Test::Compare(op, value) => {
            let symbol = Op::ALL.iter().find(|(other, _)| other == op).map_or("=", |(_, symbol)| symbol);
            f.write_str(symbol)?;
            text(value, f, true)
        }
        Test::Matches(patterns) => {
            f.write_char(':')?;
            if let [pattern] = patterns.as_slice() {
                return print_pattern(pattern, f, true);
            }
            f.write_char('(')?;
            for (index, pattern) in patterns.iter().enumerate() {
                if index > 0 {
                    f.write_str(" OR ")?;
                }
                print_pattern(pattern, f, false)?;
            }
            f.write_char(')')
        }
    }
}

fn print_pattern(pattern: &Pattern, f: &mut Formatter<'_>, is_value: bool) -> fmt::Result {
    match pattern {
        Pattern::Tokens(words) => text(words, f, is_value),
        Pattern::Substring(part) => {
            f.write_char('*')?;
            bare(part, f)?;
            f.write_char('*')
        }
        Pattern::Glob(glob) => {
            let mut characters = glob.chars();
            // A dash in front would say that the pattern is not wanted.
            if let Some(rest) = glob.strip_prefix("\\-").or_else(|| glob.strip_prefix('-')) {
                f.write_str("\\-")?;
                characters = rest.chars();
            }
            while let Some(character) = characters.next() {
                match character {
                    '\\' => bare(characters.next().map(String::from).as_deref().unwrap_or("\\"), f)?,
                    '*' | '?' => f.write_char(character)?,
                    other => bare(&String::from(other), f)?,
                }
            }
            Ok(())
        }
    }
}

/// A word that joins others instead of being looked for.
fn is_keyword(word: &str) -> bool {
    ["and", "or", "not"].iter().any(|keyword| word.eq_ignore_ascii_case(keyword))
}

/// Text as a bare word where that reads back the same, else quoted.
fn text(words: &str, f: &mut Formatter<'_>, is_value: bool) -> fmt::Result {
    let plain = |c: char| {
        c.is_alphanumeric() || matches!(c, '_' | '.' | '@' | '/' | '#' | '%' | '+' | ',' | ';') || (c == '-')
    };
    let first = words.chars().next();
    // A dash before a word says that it is not wanted; before a digit it belongs to the number.
    let is_negative = words.starts_with('-') && words[1..].starts_with(|c: char| c.is_ascii_digit());
    let starts_plainly =
        first.is_some_and(|c| c.is_alphanumeric() || (is_value && plain(c) && (c != '-' || is_negative)));
    let is_time = !is_value && words.starts_with(|c: char| c.is_ascii_digit());
    if !is_keyword(words) && starts_plainly && words.chars().all(|c| plain(c) || (c == ':' && is_time)) {
        return f.write_str(words);
    }
    quoted(words, f)
}

fn quoted(words: &str, f: &mut Formatter<'_>) -> fmt::Result {
    f.write_char('"')?;
    for character in words.chars() {
        if matches!(character, '"' | '\\') {
            f.write_char('\\')?;
        }
        f.write_char(character)?;
    }
    f.write_char('"')
}

fn bare(part: &str, f: &mut Formatter<'_>) -> fmt::Result {
    for character in part.chars() {
        if !character.is_alphanumeric() && !matches!(character, '_' | '.' | '/' | '-') {
            f.write_char('\\')?;
        }
        f.write_char(character)?;
    }
    Ok(())
}
