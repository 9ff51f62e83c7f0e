//! The rows that may match a pattern, by the text index alone: no text is read.

use std::cmp::Reverse;

use super::bitmap::Bitmap;
use super::candidates::Candidates;
use super::matcher::Matcher;
use super::required_tokens::{required_parts, required_tokens};
use super::select::SegmentQuery;
use base::error::Result;
use query::Pattern;

/// Reading one row in so many takes about as long as looking through the terms for another part.
const FEW_ROWS: usize = 256;

/// A superset of the rows of a segment whose text matches. Nothing where the index cannot narrow them: where there is
/// none, or where no token of a match is known.
pub fn possible_rows(query: &SegmentQuery<'_>, pattern: &Pattern) -> Result<Option<Bitmap>> {
    let Some(index) = query.segment.text()? else { return Ok(None) };
    let mut narrowed: Option<Bitmap> = None;
    for token in required_tokens(pattern) {
        // A damaged part of the index narrows nothing.
        let Some(found) = query.segment.or_missing(index.postings(&token))?.flatten() else { continue };
        if found.is_nowhere() {
            return Ok(Some(Bitmap::none(query.rows())));
        }
        let own = Matcher::Tokens(vec![token.clone()]);
        let rows = Candidates::from_postings(query, found, &token, &own)?;
        let among = narrowed.unwrap_or_else(|| Bitmap::all(query.rows()));
        narrowed = Some(rows.candidate_rows(&among));
    }
    // Terms that begin with a part are found without looking at the others.
    let mut parts = required_parts(pattern);
    parts.sort_by_key(|part| (!part.at_start, Reverse(part.text.len())));
    for part in &parts {
        if narrowed.as_ref().is_some_and(|rows| rows.count() <= query.rows() / FEW_ROWS) {
            break;
        }
        let found = query.segment.or_missing(index.postings_with_part(part, None))?.flatten();
        let Some(found) = found else { continue };
        let rows = Candidates::from_postings(query, found, "", &Matcher::from_part(part))?;
        let among = narrowed.unwrap_or_else(|| Bitmap::all(query.rows()));
        narrowed = Some(rows.candidate_rows(&among));
    }
    Ok(narrowed)
}
