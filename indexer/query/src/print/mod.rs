//! A query as text. Parsing what is printed gives the same query.

mod expr;
mod filter;
mod stage;
mod tables;

use std::fmt::{self, Display, Formatter, Write};

use super::ast::{Filter, Query};

impl Display for Query {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match (&self.filter, self.stages.as_slice()) {
            // A star says everything where nothing would be a pipe without anything before it.
            (Filter::Everything, [_, ..]) => f.write_char('*')?,
            (filter, _) => write!(f, "{filter}")?,
        }
        for stage in &self.stages {
            write!(f, " | {stage}")?;
        }
        Ok(())
    }
}

/// Parts with something between them.
fn list<T>(
    parts: &[T],
    between: &str,
    f: &mut Formatter<'_>,
    mut each: impl FnMut(&T, &mut Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            f.write_str(between)?;
        }
        each(part, f)?;
    }
    Ok(())
}

/// Text between two quotation marks; a backslash escapes such a mark inside.
fn quoted(words: &str, mark: char, f: &mut Formatter<'_>) -> fmt::Result {
    f.write_char(mark)?;
    for character in words.chars() {
        if character == mark || character == '\\' {
            f.write_char('\\')?;
        }
        f.write_char(character)?;
    }
    f.write_char(mark)
}

/// A name in an expression or list, between backticks where it is not plain.
fn name(text: &str, f: &mut Formatter<'_>) -> fmt::Result {
    if super::lexer::is_plain_name(text) { f.write_str(text) } else { quoted(text, '`', f) }
}
