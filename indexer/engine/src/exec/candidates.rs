//! The rows that contain a token: those on its posting list, and those whose value in a column contains it.
//! Some are exact, some are candidates that the text has to verify.

use std::borrow::Cow;
use std::sync::Arc;

use super::bitmap::Bitmap;
use super::codes::Codes;
use super::matcher::Matcher;
use super::select::SegmentQuery;
use base::error::Result;
use store::{ColumnValues, StoredColumn, TokenPostings, TokenValues};

pub struct Candidates {
    exact: Vec<u32>,
    unverified: Vec<u32>,
    columns: Vec<ColumnCandidates>,
}

/// The rows of a column that have one of these codes, without the exceptions.
pub struct ColumnCandidates {
    name: String,
    column: Arc<StoredColumn>,
    codes: Codes,
    excepted: Vec<u32>,
}

impl Candidates {
    /// Builds the candidates for a token from its postings. `matcher` is the pattern that the token belongs
    /// to; column values that cannot contribute to a match of it are dropped.
    pub fn from_postings(
        query: &SegmentQuery<'_>,
        found: TokenPostings,
        token: &str,
        matcher: &Matcher,
    ) -> Result<Candidates> {
        let mut columns = Vec::new();
        for part in found.columns {
            let Some(column) = query.segment.coded(&part.column, query.cancel)? else { continue };
            let mut places: Vec<usize> = match part.matching {
                TokenValues::Codes(codes) => codes.into_iter().map(|code| code as usize).collect(),
                TokenValues::Number(number) => column.place_of(number).into_iter().collect(),
            };
            query.check()?;
            places.retain(|&place| {
                let text = text_of_value(&column, place);
                text.is_some_and(|text| matcher.may_be_partly_in(text.as_bytes(), token))
            });
            places.sort_unstable();
            let codes = Codes::from_places(places);
            if !codes.is_empty() {
                columns.push(ColumnCandidates { name: part.column, column, codes, excepted: part.excepted });
            }
        }
        Ok(Candidates { exact: found.exact, unverified: found.candidates, columns })
    }

    /// The cost of finding the rows, for ordering: a column is scanned as a whole, a posting list is read id
    /// by id.
    pub fn cost(&self) -> (usize, usize) {
        (self.columns.len(), self.exact.len() + self.unverified.len())
    }

    /// True if the posting list is exact: no row has to be verified in the text.
    pub fn is_exact(&self) -> bool {
        self.unverified.is_empty()
    }

    /// The values of a column that contain the token.
    pub fn in_column(&self, name: &str) -> Option<&ColumnCandidates> {
        self.columns.iter().find(|held| held.name == name)
    }

    /// The rows of `among` that certainly have the token.
    pub fn exact_rows(&self, among: &Bitmap) -> Bitmap {
        let mut exact_rows = Bitmap::from_sorted(among.rows(), &self.exact).and(among);
        for held in &self.columns {
            exact_rows = exact_rows.or(&held.rows(&held.codes, among));
        }
        exact_rows
    }

    /// The rows of `among` that have or may have the token.
    pub fn candidate_rows(&self, among: &Bitmap) -> Bitmap {
        let mut candidate_rows = self.exact_rows(among);
        self.unverified.iter().filter(|&&row| among.has(row)).for_each(|&row| candidate_rows.insert(row));
        candidate_rows
    }
}

impl ColumnCandidates {
    /// The values with their indexes in the dictionary, in ascending order.
    pub fn values(&self) -> impl Iterator<Item = (usize, Cow<'_, str>)> {
        self.codes.places().filter_map(|place| Some((place, text_of_value(&self.column, place)?)))
    }

    /// The rows of `among` that have one of the codes, without the rows whose text does not show the value.
    pub fn rows(&self, codes: &Codes, among: &Bitmap) -> Bitmap {
        codes.rows_among(&self.column, among).without_listed(&self.excepted)
    }
}

/// A value as it occurs in the text of events.
fn text_of_value(column: &StoredColumn, place: usize) -> Option<Cow<'_, str>> {
    match &column.values {
        ColumnValues::Texts(texts) => texts.get(place).map(Cow::Borrowed),
        _ => column.value(place as u64 + 1).map(|value| Cow::Owned(value.to_string())),
    }
}
