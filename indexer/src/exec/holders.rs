//! Which rows a token is in, by the index: those that it lists, and those whose value in a column has it.

use std::borrow::Cow;
use std::sync::Arc;

use super::codes::Codes;
use super::matcher::Matcher;
use super::rows::Rows;
use super::select::Question;
use crate::error::Result;
use crate::storage::{Column, Dictionary, Having, TokenRows};

pub struct Holders {
    sure: Vec<u32>,
    perhaps: Vec<u32>,
    columns: Vec<InColumn>,
}

/// Rows with one of these codes, but for the excepted ones.
pub struct InColumn {
    name: String,
    column: Arc<Column>,
    codes: Codes,
    excepted: Vec<u32>,
}

impl Holders {
    /// Of a token's rows those that the matcher, of which it is a token, can be about.
    pub fn of(question: &Question<'_>, found: TokenRows, token: &str, matcher: &Matcher) -> Result<Holders> {
        let mut columns = Vec::new();
        for part in found.columns {
            let Some(column) = question.segment.coded(&part.column, question.cancel)? else { continue };
            let mut places: Vec<usize> = match part.having {
                Having::Codes(codes) => codes.into_iter().map(|code| code as usize).collect(),
                Having::Number(number) => column.place_of(number).into_iter().collect(),
            };
            places.retain(|&place| {
                let text = text(&column, place);
                text.is_some_and(|text| matcher.may_be_partly_in(text.as_bytes(), token))
            });
            places.sort_unstable();
            let codes = Codes::of_places(places);
            if !codes.is_empty() {
                columns.push(InColumn { name: part.column, column, codes, excepted: part.excepted });
            }
        }
        Ok(Holders { sure: found.sure, perhaps: found.perhaps, columns })
    }

    /// What it costs to find the rows, to be compared: a column is gone through as a whole, of a list each number.
    pub fn cost(&self) -> (usize, usize) {
        (self.columns.len(), self.sure.len() + self.perhaps.len())
    }

    /// Whether no row may have the token of which that is not known.
    pub fn is_sure(&self) -> bool {
        self.perhaps.is_empty()
    }

    /// The values of a column that have the token.
    pub fn in_column(&self, name: &str) -> Option<&InColumn> {
        self.columns.iter().find(|held| held.name == name)
    }

    /// Those of some rows that have the token.
    pub fn certain(&self, among: &Rows) -> Rows {
        let mut certain = Rows::from_sorted(among.rows(), &self.sure).and(among);
        for held in &self.columns {
            certain = certain.or(&held.rows(&held.codes, among));
        }
        certain
    }

    /// Those of some rows that have the token or may have it.
    pub fn possible(&self, among: &Rows) -> Rows {
        let mut possible = self.certain(among);
        self.perhaps.iter().filter(|&&row| among.has(row)).for_each(|&row| possible.insert(row));
        possible
    }
}

impl InColumn {
    /// The values by their places, which are in order.
    pub fn values(&self) -> impl Iterator<Item = (usize, Cow<'_, str>)> {
        self.codes.places().filter_map(|place| Some((place, text(&self.column, place)?)))
    }

    /// Those of some rows that have one of some codes, in their texts where the index says.
    pub fn rows(&self, codes: &Codes, among: &Rows) -> Rows {
        codes.rows_among(&self.column, among).without_listed(&self.excepted)
    }
}

/// A value as it is in the text of events.
fn text(column: &Column, place: usize) -> Option<Cow<'_, str>> {
    match &column.values {
        Dictionary::Texts(texts) => texts.get(place).map(Cow::Borrowed),
        _ => column.value(place as u64 + 1).map(|value| Cow::Owned(value.to_string())),
    }
}
