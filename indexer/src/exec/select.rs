//! Which rows of a segment match a filter.

use super::field;
use super::matcher::Matcher;
use super::rows::Rows;
use super::template::Templates;
use crate::Cancel;
use crate::error::{Error, Result};
use crate::limits::CANCEL_ROWS;
use crate::query::{Filter, Pattern};
use crate::storage::{RawCursor, Segment, SourceEntry, TokenRows, Values};

/// What a segment is asked with.
pub struct Question<'a> {
    pub segment: &'a Segment,
    pub sources: &'a [SourceEntry],
    /// There when the filter names templates.
    pub templates: Option<&'a Templates>,
    pub cancel: &'a Cancel,
}

/// The rows of a segment that match, in order.
pub fn select_segment(
    segment: &Segment,
    sources: &[SourceEntry],
    filter: &Filter,
    templates: Option<&Templates>,
    cursor: &mut RawCursor<'_>,
    cancel: &Cancel,
) -> Result<Rows> {
    let everything = Rows::all(segment.meta.events as usize);
    let question = Question { segment, sources, templates, cancel };
    eval(&question, filter, cursor, &everything)
}

/// The matching rows among the candidates. Cheap clauses of an AND run first, so that a scan reads only
/// what they leave.
fn eval(question: &Question<'_>, filter: &Filter, cursor: &mut RawCursor<'_>, among: &Rows) -> Result<Rows> {
    if among.is_empty() {
        return Ok(among.clone());
    }
    match filter {
        Filter::Everything => Ok(among.clone()),
        Filter::And(parts) => {
            let mut parts: Vec<&Filter> = parts.iter().collect();
            parts.sort_by_key(|part| cost(part));
            let mut rows = among.clone();
            for part in parts {
                rows = eval(question, part, cursor, &rows)?;
            }
            Ok(rows)
        }
        Filter::Or(parts) => {
            let mut rows = Rows::none(question.segment.meta.events as usize);
            for part in parts {
                let rest = among.clone().without(&rows);
                rows = rows.or(&eval(question, part, cursor, &rest)?);
            }
            Ok(rows)
        }
        Filter::Not(inner) => Ok(among.clone().without(&eval(question, inner, cursor, among)?)),
        Filter::Text(pattern) => text(question, pattern, cursor, among),
        Filter::Field { field, test, .. } => match field.as_str() {
            "raw" => field::raw(question, test, cursor, among),
            "template" => {
                let none = || Rows::none(question.segment.meta.events as usize);
                Ok(question.templates.map_or_else(none, |templates| templates.rows(test)).and(among))
            }
            _ => field::eval(question, field, test).map(|rows| rows.and(among)),
        },
    }
}

fn cost(filter: &Filter) -> u32 {
    match filter {
        Filter::Everything => 0,
        Filter::Field { field, .. } if field != "raw" => 1,
        Filter::Not(inner) => cost(inner),
        Filter::And(parts) | Filter::Or(parts) => parts.iter().map(cost).max().unwrap_or(0),
        Filter::Text(Pattern::Tokens(_)) => 2,
        Filter::Field { .. } | Filter::Text(_) => 3,
    }
}

fn text(
    question: &Question<'_>,
    pattern: &Pattern,
    cursor: &mut RawCursor<'_>,
    among: &Rows,
) -> Result<Rows> {
    let matcher = Matcher::new(pattern);
    let (Matcher::Tokens(tokens), Some(index)) = (&matcher, question.segment.text()?) else {
        return scan(question, cursor, among, &|raw| matcher.is_in(raw));
    };
    let mut candidates = among.clone();
    let mut sure = None;
    for token in tokens {
        if let Some(found) = index.rows(token)? {
            let (certain, perhaps) = token_rows(question, token, &found)?;
            candidates = candidates.and(&certain.clone().or(&perhaps));
            sure = Some(certain);
        }
    }
    // Of several tokens the index knows not whether they are neighbours, and nothing of too long ones.
    match (tokens.len(), sure) {
        (0, _) => Ok(candidates),
        (1, Some(sure)) => {
            let sure = sure.and(among);
            let rest = candidates.without(&sure);
            Ok(sure.or(&scan(question, cursor, &rest, &|raw| matcher.is_in(raw))?))
        }
        _ => scan(question, cursor, &candidates, &|raw| matcher.is_in(raw)),
    }
}

/// The rows that have a token, and those that may have it.
fn token_rows(question: &Question<'_>, token: &str, found: &TokenRows) -> Result<(Rows, Rows)> {
    let rows = question.segment.meta.events as usize;
    let mut sure = Rows::from_sorted(rows, &found.sure);
    let matcher = Matcher::Tokens(vec![token.to_owned()]);
    for part in &found.columns {
        let values = question.segment.column(&part.column)?;
        let Values::Text { codes, texts } = &*values else { continue };
        let mut passes = vec![false; texts.len()];
        for &code in &part.codes {
            if let (Some(pass), Some(text)) = (passes.get_mut(code as usize), texts.get(code as usize)) {
                *pass = matcher.is_in(text.as_bytes());
            }
        }
        if passes.contains(&true) {
            let of_column = Rows::from_test(rows, |row| passes.get(codes[row] as usize) == Some(&true));
            sure = sure.or(&of_column.without(&Rows::from_sorted(rows, &part.excepted)));
        }
    }
    Ok((sure, Rows::from_sorted(rows, &found.perhaps)))
}

/// Reads the raw text of every candidate.
pub fn scan(
    question: &Question<'_>,
    cursor: &mut RawCursor<'_>,
    candidates: &Rows,
    matches: &dyn Fn(&[u8]) -> bool,
) -> Result<Rows> {
    let mut found = Rows::none(question.segment.meta.events as usize);
    let mut seen = 0;
    question.segment.for_each_text(cursor, candidates.iter(), |row, text| {
        seen += 1;
        if seen % CANCEL_ROWS == 0 && question.cancel.is_set() {
            return Err(Error::cancelled());
        }
        if matches(text) {
            found.insert(row);
        }
        Ok(())
    })?;
    Ok(found)
}
