//! Which rows of a segment match a filter.

use std::time::Instant;

use super::explain::{Path, Trace};
use super::field;
use super::matcher::Matcher;
use super::rows::Rows;
use super::template::Templates;
use super::tokens_of::sure_tokens;
use crate::Cancel;
use crate::error::{Error, Result};
use crate::limits::CANCEL_ROWS;
use crate::query::{Filter, Pattern, Test};
use crate::storage::{RawCursor, Segment, SourceEntry, TokenRows, Values};

/// What a segment is asked with.
pub struct Question<'a> {
    pub segment: &'a Segment,
    pub sources: &'a [SourceEntry],
    /// There when the filter names templates.
    pub templates: Option<&'a Templates>,
    pub cancel: &'a Cancel,
    /// Where what is done is noted, if anybody wants to know.
    pub trace: Option<&'a Trace>,
}

/// The rows of a clause, and how they were found.
pub struct Found {
    pub rows: Rows,
    pub path: Path,
}

/// The rows of a segment that match, in order. The filter names only fields of the case, and its times are
/// instants: see [`crate::query::resolve`].
pub fn select_segment(
    segment: &Segment,
    sources: &[SourceEntry],
    filter: &Filter,
    templates: Option<&Templates>,
    cursor: &mut RawCursor<'_>,
    cancel: &Cancel,
    trace: Option<&Trace>,
) -> Result<Rows> {
    let everything = Rows::all(segment.meta.events as usize);
    let question = Question { segment, sources, templates, cancel, trace };
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
            let mut parts: Vec<&Filter> = parts.iter().collect();
            parts.sort_by_key(|part| cost(part));
            let mut rows = Rows::none(question.segment.meta.events as usize);
            for part in parts {
                let rest = among.clone().without(&rows);
                rows = rows.or(&eval(question, part, cursor, &rest)?);
            }
            Ok(rows)
        }
        Filter::Not(inner) => Ok(among.clone().without(&eval(question, inner, cursor, among)?)),
        Filter::Text(_) | Filter::Field { .. } => {
            let started = Instant::now();
            let found = clause(question, filter, cursor, among)?;
            if let Some(trace) = question.trace {
                let counts = (among.count(), found.rows.count());
                trace.add(filter.to_string(), found.path, counts, started.elapsed());
            }
            Ok(found.rows)
        }
    }
}

fn clause(
    question: &Question<'_>,
    filter: &Filter,
    cursor: &mut RawCursor<'_>,
    among: &Rows,
) -> Result<Found> {
    match filter {
        Filter::Text(pattern) => text(question, pattern, cursor, among),
        Filter::Field { field, test, .. } if field == "raw" => raw(question, test, cursor, among),
        Filter::Field { field, test, .. } if field == "template" => {
            let none = || Rows::none(question.segment.meta.events as usize);
            let rows = question.templates.map_or_else(none, |templates| templates.rows(test)).and(among);
            Ok(Found { rows, path: Path::Dictionary })
        }
        Filter::Field { field, test, .. } => {
            let found = field::eval(question, field, test)?;
            Ok(Found { rows: found.rows.and(among), path: found.path })
        }
        _ => Ok(Found { rows: among.clone(), path: Path::Pruned }),
    }
}

fn cost(filter: &Filter) -> u32 {
    match filter {
        Filter::Everything => 0,
        Filter::Field { field, .. } if matches!(field.as_str(), "time" | "level" | "source") => 1,
        Filter::Field { field, .. } if field != "raw" => 2,
        Filter::Not(inner) => cost(inner),
        Filter::And(parts) | Filter::Or(parts) => parts.iter().map(cost).max().unwrap_or(0),
        Filter::Text(Pattern::Tokens(_) | Pattern::Near(..)) => 3,
        Filter::Field { .. } | Filter::Text(_) => 4,
    }
}

/// `raw:…` asks for the event's own text, as a plain word does.
fn raw(question: &Question<'_>, test: &Test, cursor: &mut RawCursor<'_>, among: &Rows) -> Result<Found> {
    match test {
        Test::Exists => Ok(Found { rows: among.clone(), path: Path::Pruned }),
        Test::Matches(patterns) => {
            let mut found =
                Found { rows: Rows::none(question.segment.meta.events as usize), path: Path::Pruned };
            for pattern in patterns {
                let rest = among.clone().without(&found.rows);
                let more = text(question, pattern, cursor, &rest)?;
                found = Found { rows: found.rows.or(&more.rows), path: more.path.max(found.path) };
            }
            Ok(found)
        }
        Test::Compare(..) | Test::Range(_) => {
            let test = field::TextTest::new("raw", test);
            let rows = scan(question, cursor, among, &|raw| test.passes(&String::from_utf8_lossy(raw)))?;
            Ok(Found { rows, path: Path::Scan })
        }
    }
}

/// The index narrows down to rows that have the tokens which any match must have; the text decides, unless
/// the pattern is one token and the index is sure of it.
fn text(
    question: &Question<'_>,
    pattern: &Pattern,
    cursor: &mut RawCursor<'_>,
    among: &Rows,
) -> Result<Found> {
    let matcher = Matcher::new(pattern);
    let tokens = sure_tokens(pattern);
    let is_whole = matches!(&matcher, Matcher::Tokens(wanted) if wanted.len() == 1);
    let matches_all = matches!(&matcher, Matcher::Tokens(wanted) if wanted.is_empty());
    if matches_all {
        return Ok(Found { rows: among.clone(), path: Path::Pruned });
    }
    let index = if tokens.is_empty() { None } else { question.segment.text()? };
    let Some(index) = index else {
        let rows = scan(question, cursor, among, &|raw| matcher.is_in(raw))?;
        return Ok(Found { rows, path: Path::Scan });
    };
    let mut candidates = among.clone();
    let mut known = None;
    for token in &tokens {
        // What is damaged of the index, the text itself makes up for.
        if let Some(found) = question.segment.or_missing(index.rows(token))?.flatten() {
            let (certain, perhaps) = token_rows(question, token, &found)?;
            candidates = candidates.and(&certain.clone().or(&perhaps));
            known = Some(certain);
        }
    }
    let (sure, path) = match known {
        // Tokens too long to be indexed leave it to the text.
        None => (Rows::none(question.segment.meta.events as usize), Path::Scan),
        Some(certain) if is_whole => (certain.and(among), Path::Index),
        // Of several tokens the index knows not whether they are neighbours.
        Some(_) => (Rows::none(question.segment.meta.events as usize), Path::IndexAndText),
    };
    let rest = candidates.without(&sure);
    let path = if path == Path::Index && !rest.is_empty() { Path::IndexAndText } else { path };
    let path = if path == Path::IndexAndText && rest.is_empty() { Path::Index } else { path };
    Ok(Found { rows: sure.or(&scan(question, cursor, &rest, &|raw| matcher.is_in(raw))?), path })
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
        if let Some(trace) = question.trace {
            trace.text_read(text.len());
        }
        if matches(text) {
            found.insert(row);
        }
        Ok(())
    })?;
    Ok(found)
}
