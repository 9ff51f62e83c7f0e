//! What is wrong with SQL, said so that it can be put right: where, and the nearest name.

use polars::prelude::PolarsError;
use polars::sql::keywords;

use super::comparisons::no_level;
use super::functions::FUNCTIONS;
use super::tables::TABLES;
use super::words::{Word, WordKind, words};
use base::error::{Error, ErrorKind};
use query::nearest;

pub(super) const CASTS: &str =
    "CAST(x AS VARCHAR), CAST(x AS BIGINT) and the like turn a value into another type";

/// A statement, and the aliases in it.
pub(super) struct Mistakes<'a> {
    text: &'a str,
    tables: Vec<String>,
    columns: Vec<String>,
}

impl<'a> Mistakes<'a> {
    pub fn new(text: &'a str) -> Mistakes<'a> {
        let tables = TABLES.iter().map(|(name, _)| (*name).to_owned()).collect();
        Mistakes { text, tables, columns: Vec::new() }
    }

    /// A table that is named, with its columns.
    pub fn knows(&mut self, table: &str, columns: impl Iterator<Item = String>) {
        self.tables.push(table.to_owned());
        self.columns.extend(columns);
    }

    /// Whether a table that is named has a column of this name.
    pub fn has_column(&self, name: &str) -> bool {
        self.columns.iter().any(|column| column == name)
    }

    /// What polars says of the statement, as what is wrong with it.
    pub fn explain(&self, error: &PolarsError) -> Error {
        let said = error.to_string();
        let first = said.lines().next().unwrap_or_default().trim();
        if let Some((what, place)) = first.split_once(" at Line: ") {
            let what = what.rsplit_once("sql parser error: ").map_or(what, |(_, what)| what);
            let error = Error::new(ErrorKind::QueryInvalid, format!("this is not SQL: {}", lowered(what)));
            let error =
                error.hint("write strings in 'single quotes' and names with dots in \"double quotes\"");
            return match self.place(place) {
                Some((start, end)) => error.spanning(start, end),
                None => error,
            };
        }
        if let Some(name) = between(first, "relation '", "' was not found") {
            return self.unknown("table", name, &self.tables, || {
                let names = TABLES.map(|(name, _)| name).join(", ");
                format!("the tables are {names}, and files by their path in quotes")
            });
        }
        if let Some(name) = between(first, "unsupported function '", "'") {
            let mut known: Vec<String> = keywords::all_functions().into_iter().map(str::to_owned).collect();
            known.extend(FUNCTIONS.map(str::to_owned));
            return self
                .unknown("function", name, &known, || "the usual ones are listed in docs/sql.md".to_owned());
        }
        // The values of a list are made levels before they are compared.
        if let Some(name) = between(first, "to `enum` failed", "\"]").and_then(|said| said.split('"').nth(1))
        {
            return self.at_comparison(Some("level"), Some(&format!("'{name}'")), no_level(name));
        }
        if let Some(name) = missing_column(error, first) {
            let name =
                name.rsplit_once('.').filter(|_| !self.text.contains(name)).map_or(name, |(_, name)| name);
            return self.unknown("column", name, &self.columns, || {
                "SELECT * FROM events LIMIT 1 shows all columns".to_owned()
            });
        }
        self.placed(super::refused(error))
    }

    /// An error about a name, with the place of the name.
    pub fn at(&self, name: &str, error: Error) -> Error {
        match self.word(name).or_else(|| self.text.find(name)) {
            Some(start) => error.spanning(start, start + name.len()),
            None => error,
        }
    }

    /// An error about a comparison, with the place of its literal, or else of its column. Of literals that are
    /// written several times it is the one after the column.
    pub fn at_comparison(&self, column: Option<&str>, literal: Option<&str>, error: Error) -> Error {
        let words = words(self.text);
        let is_column = |word: &Word<'_>| {
            let name = word.text.trim_matches(['"', '`']);
            matches!(word.kind, WordKind::Word | WordKind::Name)
                && column.is_some_and(|column| column.eq_ignore_ascii_case(name))
        };
        let is_literal = |word: &Word<'_>| {
            let number = |text: &str| text.parse().map(f64::abs).ok();
            let is_same = |literal: &str| match word.kind {
                WordKind::Text(_) => word.text == literal,
                WordKind::Number => number(word.text).is_some_and(|value| number(literal) == Some(value)),
                _ => false,
            };
            literal.is_some_and(is_same)
        };
        let after_column = |place: &usize| {
            let names = words[..*place].iter().rev();
            let mut names = names.filter(|word| matches!(word.kind, WordKind::Word | WordKind::Name));
            names.find(|word| !word.is_keyword()).is_some_and(is_column)
        };
        let literals = || (0..words.len()).filter(|&place| is_literal(&words[place]));
        let place = literals().find(after_column).or_else(|| literals().next());
        match place.or_else(|| words.iter().position(is_column)) {
            Some(place) => error.spanning(words[place].start, words[place].end()),
            None => error,
        }
    }

    /// An error of a run; one that names a column or a value of the statement gets its place.
    pub fn placed(&self, error: Error) -> Error {
        if error.kind() != ErrorKind::QueryInvalid || error.span().is_some() {
            return error;
        }
        let message = error.message().to_owned();
        let named = ["column '", "column \"", "col(\"", "of `", "value '", "value \"", "`"];
        let name = named.iter().find_map(|before| {
            let rest = message.split_once(before)?.1;
            rest.split(['\'', '"', '`']).next().filter(|name| !name.is_empty() && self.text.contains(*name))
        });
        let is_of_types = ["cannot compare", "cast", "conversion", "dtype", "type "];
        let error = if error.hint_text().is_none() && is_of_types.iter().any(|part| message.contains(part)) {
            error.hint(CASTS)
        } else {
            error
        };
        match name {
            Some(name) => self.at(name, error),
            None => error,
        }
    }

    fn unknown(&self, what: &str, name: &str, known: &[String], otherwise: impl Fn() -> String) -> Error {
        let hint = match nearest(name, known.iter().map(String::as_str)) {
            Some(near) if what == "column" && !is_plain(near) => format!("did you mean \"{near}\"?"),
            Some(near) => format!("did you mean {near}?"),
            None => otherwise(),
        };
        let error = Error::new(ErrorKind::QueryInvalid, format!("there is no {what} {name}")).hint(hint);
        match self.word(name) {
            Some(start) => error.spanning(start, start + name.len()),
            None => error,
        }
    }

    /// Where a name occurs as a whole word.
    fn word(&self, name: &str) -> Option<usize> {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let alone = |&(start, _): &(usize, &str)| {
            let before = self.text[..start].chars().next_back();
            let after = self.text[start + name.len()..].chars().next();
            !before.is_some_and(is_part) && !after.is_some_and(is_part)
        };
        self.text.match_indices(name).find(alone).map(|(start, _)| start)
    }

    /// The bytes that `LINE, Column: COLUMN` refers to: the word that begins there.
    fn place(&self, message: &str) -> Option<(usize, usize)> {
        let (line, column) = message.split_once(", Column: ")?;
        let line: usize = line.trim().parse().ok()?;
        let digits: String = column.chars().take_while(char::is_ascii_digit).collect();
        let column: usize = digits.parse().ok()?;
        let line_start: usize =
            self.text.split_inclusive('\n').take(line.checked_sub(1)?).map(str::len).sum();
        let rest = self.text.get(line_start..)?;
        let start = rest.char_indices().nth(column.checked_sub(1)?).map_or(rest.len(), |(at, _)| at);
        let word = &rest[start..];
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let mut length: usize = word.chars().take_while(|&c| is_part(c)).map(char::len_utf8).sum();
        if length == 0 {
            length = word.chars().next().map_or(0, char::len_utf8);
        }
        Some((line_start + start, line_start + start + length))
    }
}

fn is_plain(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn lowered(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_lowercase().chain(characters).collect())
}

fn between<'t>(text: &'t str, before: &str, after: &str) -> Option<&'t str> {
    Some(text.split_once(before)?.1.split_once(after)?.0)
}

/// The name of a column that is not there.
fn missing_column<'t>(error: &PolarsError, said: &'t str) -> Option<&'t str> {
    let quoted = |text: &'t str| -> Option<&'t str> {
        let start = text.find(['"', '\''])?;
        let quote = text[start..].chars().next()?;
        text[start + 1..].split(quote).next().filter(|name| !name.is_empty())
    };
    if let Some(name) = between(said, "unable to find column \"", "\"") {
        return Some(name);
    }
    if let Some(name) = between(said, "no column named '", "'") {
        return Some(name);
    }
    let is_missing =
        matches!(root(error), PolarsError::ColumnNotFound(_) | PolarsError::SchemaFieldNotFound(_));
    if !is_missing {
        return None;
    }
    quoted(said).or_else(|| said.rsplit(' ').next())
}

/// The error itself, without what it came through.
fn root(error: &PolarsError) -> &PolarsError {
    match error {
        PolarsError::Context { error, .. } | PolarsError::ExprContext { error, .. } => root(error),
        error => error,
    }
}
