//! Filters as text.

use std::fmt::{self, Display, Formatter, Write};

use super::{list, quoted};
use crate::ast::{Filter, Pattern, Range, RegexText, Test};
use crate::lexer::is_field_name;
use crate::network::Network;

impl Display for Filter {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            // Inside of a larger query nothing would be nothing; a star says everything.
            Filter::Everything => Ok(()),
            _ => print(self, f, 0),
        }
    }
}

impl Display for RegexText {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_char('/')?;
        let mut characters = self.source().chars();
        while let Some(character) = characters.next() {
            match character {
                '\\' => {
                    f.write_char('\\')?;
                    characters.next().map_or(Ok(()), |escaped| f.write_char(escaped))?;
                }
                '/' => f.write_str("\\/")?,
                other => f.write_char(other)?,
            }
        }
        f.write_str(if self.ignore_case() { "/i" } else { "/" })
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

pub(super) fn print(filter: &Filter, f: &mut Formatter<'_>, around: u8) -> fmt::Result {
    if strength(filter) < around {
        f.write_char('(')?;
        print(filter, f, 0)?;
        return f.write_char(')');
    }
    match filter {
        Filter::Everything => f.write_char('*'),
        Filter::Or(parts) => list(parts, " OR ", f, |part, f| print(part, f, 2)),
        Filter::And(parts) => list(parts, " AND ", f, |part, f| print(part, f, 3)),
        Filter::Not(inner) => {
            f.write_str("NOT ")?;
            print(inner, f, 3)
        }
        Filter::Text(pattern) => print_pattern(pattern, f, Position::Clause),
        Filter::Noted(clause) => {
            f.write_str(clause.field.name())?;
            print_test(&clause.test, f, Position::Value)
        }
        Filter::Field { field, test, .. } => {
            if is_field_name(field) && !is_keyword(field) {
                f.write_str(field)?;
            } else {
                quoted(field, '"', f)?;
            }
            print_test(test, f, Position::Value)
        }
    }
}

/// What follows the field, in a filter or in an expression.
pub(super) fn print_test(test: &Test, f: &mut Formatter<'_>, place: Position) -> fmt::Result {
    match test {
        Test::Exists => f.write_str(":*"),
        Test::Compare(op, value) => {
            f.write_str(op.symbol())?;
            text(value, f, place)
        }
        Test::Range(range) => print_range(range, f),
        Test::Matches(patterns) => {
            f.write_char(':')?;
            if let [pattern] = patterns.as_slice() {
                return print_pattern(pattern, f, place);
            }
            f.write_char('(')?;
            list(patterns, " OR ", f, |pattern, f| print_pattern(pattern, f, Position::List))?;
            f.write_char(')')
        }
    }
}

fn print_range(range: &Range, f: &mut Formatter<'_>) -> fmt::Result {
    let inclusive = |bound: &Option<crate::Bound>| bound.as_ref().is_none_or(|bound| bound.inclusive);
    f.write_str(if inclusive(&range.from) { ":[" } else { ":{" })?;
    for (index, bound) in [&range.from, &range.to].into_iter().enumerate() {
        if index > 0 {
            f.write_str(" TO ")?;
        }
        match bound {
            Some(bound) => text(&bound.value, f, Position::Range)?,
            None => f.write_char('*')?,
        }
    }
    f.write_char(if inclusive(&range.to) { ']' } else { '}' })
}

/// The position of a value decides which characters it may hold without quotation marks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    Clause,
    Value,
    ExprValue,
    List,
    Range,
}

fn print_pattern(pattern: &Pattern, f: &mut Formatter<'_>, place: Position) -> fmt::Result {
    match pattern {
        // Right of a colon it would be a network; the quotation marks say that it is not.
        Pattern::Tokens(words) if place != Position::Clause && Network::parse(words).is_some() => {
            quoted(words, '"', f)
        }
        Pattern::Tokens(words) => text(words, f, place),
        // In quotation marks it would be text.
        Pattern::Network(network) => f.write_str(network),
        Pattern::Near(words, slop) => {
            quoted(words, '"', f)?;
            write!(f, "~{slop}")
        }
        Pattern::Fuzzy(word, edits) => {
            bare(word, f)?;
            f.write_str(if *edits == 2 { "~2" } else { "~" })
        }
        Pattern::Regex(regex) => write!(f, "{regex}"),
        Pattern::Substring(part) => {
            f.write_char('*')?;
            bare(part, f)?;
            f.write_char('*')
        }
        Pattern::Glob(glob) => print_glob(glob, f),
    }
}

fn print_glob(glob: &str, f: &mut Formatter<'_>) -> fmt::Result {
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

/// A word with a meaning in the grammar, which is not searched.
fn is_keyword(word: &str) -> bool {
    ["and", "or", "not", "in", "to", "_exists_"].iter().any(|keyword| word.eq_ignore_ascii_case(keyword))
}

/// Text as a bare word where that reads back the same, else quoted.
fn text(words: &str, f: &mut Formatter<'_>, place: Position) -> fmt::Result {
    let in_list = matches!(place, Position::List | Position::Range);
    let is_value = place != Position::Clause;
    let plain = |c: char| {
        c.is_alphanumeric()
            || matches!(c, '_' | '.' | '@' | '/' | '#' | '%' | '+' | ';' | '-')
            || (c == ',' && matches!(place, Position::Clause | Position::Value))
    };
    let first = words.chars().next();
    // A dash before a word says that it is not wanted; before a digit it belongs to the number.
    let is_negative = words.starts_with('-') && words[1..].starts_with(|c: char| c.is_ascii_digit());
    let starts_plainly =
        first.is_some_and(|c| c.is_alphanumeric() || (is_value && plain(c) && (c != '-' || is_negative)));
    // A slash at the end would close an expression that begins at an earlier one.
    let closes =
        words.ends_with('/') || words.ends_with("/i") || words.contains("/,") || words.contains("/i,");
    let is_open = in_list && ["inf", "+inf", "-inf"].iter().any(|word| words.eq_ignore_ascii_case(word));
    let is_time = words.starts_with(|c: char| c.is_ascii_digit() || (c == '@' && is_value));
    let holds_only = words.chars().all(|c| plain(c) || (c == ':' && is_time));
    if !is_keyword(words) && !closes && !is_open && starts_plainly && holds_only {
        return f.write_str(words);
    }
    quoted(words, '"', f)
}

fn bare(part: &str, f: &mut Formatter<'_>) -> fmt::Result {
    for character in part.chars() {
        if !character.is_alphanumeric() && !matches!(character, '_' | '.' | '-') {
            f.write_char('\\')?;
        }
        f.write_char(character)?;
    }
    Ok(())
}
