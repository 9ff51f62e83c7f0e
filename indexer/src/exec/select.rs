//! Which rows of a segment match a filter.

use std::sync::Arc;
use std::time::Instant;

use super::beside;
use super::explain::{Path, Trace};
use super::field;
use super::holders::Holders;
use super::literal::Literal;
use super::matcher::Matcher;
use super::noted;
use super::part::RowSet;
use super::phrase;
use super::prepared::{Asks, Clause, Prepared, TextClause};
use super::rows::Rows;
use super::template::Templates;
use crate::Cancel;
use crate::error::{Error, Result};
use crate::limits::CANCEL_ROWS;
use crate::storage::{Find, Mined, RawCursor, Segment, SourceEntry, TermFilter, TextIndex, TokenRows};

/// So few texts are read sooner than anything else is looked into.
const FEW_TEXTS: usize = 64;

/// What a segment is asked with.
pub struct Question<'a> {
    pub segment: &'a Segment,
    pub sources: &'a [SourceEntry],
    /// There when the filter names templates.
    pub templates: Option<&'a Templates>,
    /// The shapes of the segment's messages, where they were looked at already.
    pub shapes: &'a dyn Fn() -> Result<Option<Arc<Mined>>>,
    pub cancel: &'a Cancel,
    /// Where what is done is noted, if anybody wants to know.
    pub trace: Option<&'a Trace>,
}

impl Question<'_> {
    pub fn rows(&self) -> usize {
        self.segment.meta.events as usize
    }
}

/// The rows of a clause, and how they were found.
pub struct Found {
    pub rows: Rows,
    pub path: Path,
}

/// The rows of a segment that match, in the form that takes least room.
pub fn select_set(question: &Question<'_>, filter: &Prepared, cursor: &mut RawCursor<'_>) -> Result<RowSet> {
    let all = question.rows();
    Ok(match listed(question, filter)? {
        Some(list) => RowSet::of_list(list, all),
        None => RowSet::of(select_segment(question, filter, cursor)?, all),
    })
}

/// The rows of a filter that is one word, where the index lists them: a common one has hundreds of thousands, and to
/// put them into a set and take them out of it again takes as long as to read them.
fn listed(question: &Question<'_>, filter: &Prepared) -> Result<Option<Vec<u32>>> {
    let Prepared::Clause(Clause { asks: Asks::Text(clauses), .. }) = filter else { return Ok(None) };
    let [TextClause { matcher: Matcher::Tokens(words), .. }] = clauses.as_slice() else { return Ok(None) };
    let ([word], Some(index)) = (words.as_slice(), question.segment.text()?) else { return Ok(None) };
    Ok(question.segment.or_missing(index.listed(word))?.flatten())
}

/// The rows of a segment that match, in order. The filter names only fields of the case, and its times are
/// instants: see [`crate::query::resolve`].
pub fn select_segment(
    question: &Question<'_>,
    filter: &Prepared,
    cursor: &mut RawCursor<'_>,
) -> Result<Rows> {
    eval(question, filter, cursor, &Rows::all(question.rows()))
}

/// The matching rows among the candidates.
fn eval(
    question: &Question<'_>,
    filter: &Prepared,
    cursor: &mut RawCursor<'_>,
    among: &Rows,
) -> Result<Rows> {
    if among.is_empty() {
        return Ok(among.clone());
    }
    if question.cancel.is_set() {
        return Err(Error::cancelled());
    }
    match filter {
        Prepared::Everything => Ok(among.clone()),
        Prepared::And(parts) => {
            let mut rows = among.clone();
            for part in parts {
                rows = eval(question, part, cursor, &rows)?;
            }
            Ok(rows)
        }
        Prepared::Or(parts) => {
            let mut rows = Rows::none(question.rows());
            for part in parts {
                let rest = among.clone().without(&rows);
                rows = rows.or(&eval(question, part, cursor, &rest)?);
            }
            Ok(rows)
        }
        Prepared::Not(inner) => Ok(among.clone().without(&eval(question, inner, cursor, among)?)),
        Prepared::Clause(clause) => {
            let started = Instant::now();
            let found = ask(question, &clause.asks, cursor, among)?;
            if let Some(trace) = question.trace {
                let counts = (among.count(), found.rows.count());
                trace.add(clause.shown.clone(), found.path, counts, started.elapsed());
            }
            Ok(found.rows)
        }
    }
}

fn ask(question: &Question<'_>, asks: &Asks, cursor: &mut RawCursor<'_>, among: &Rows) -> Result<Found> {
    match asks {
        Asks::AnyText => Ok(Found { rows: among.clone(), path: Path::Pruned }),
        Asks::Text(clauses) => {
            let [first, others @ ..] = clauses.as_slice() else {
                return Ok(Found { rows: Rows::none(question.rows()), path: Path::Pruned });
            };
            let mut found = text(question, first, cursor, among)?;
            for clause in others {
                let rest = among.clone().without(&found.rows);
                let more = text(question, clause, cursor, &rest)?;
                found = Found { rows: found.rows.or(&more.rows), path: more.path.max(found.path) };
            }
            Ok(found)
        }
        Asks::WholeText(test) => {
            let matches = |raw: &[u8]| test.passes(&String::from_utf8_lossy(raw));
            let rows = scan(question, cursor, among, None, &matches)?;
            Ok(Found { rows, path: Path::Scan })
        }
        Asks::Template(test) => {
            let none = || Rows::none(question.rows());
            let rows = question.templates.map_or_else(none, |templates| templates.rows(test)).and(among);
            Ok(Found { rows, path: Path::Dictionary })
        }
        Asks::Noted(events) => noted::eval(question, events.as_deref(), among),
        Asks::Field(field, test) => {
            let found = field::eval(question, field, test)?;
            Ok(Found { rows: found.rows.and(among), path: found.path })
        }
    }
}

/// The index narrows down to rows that have the tokens which any match must have; the text decides, unless
/// the pattern is one token and the index is sure of it.
fn text(
    question: &Question<'_>,
    clause: &TextClause,
    cursor: &mut RawCursor<'_>,
    among: &Rows,
) -> Result<Found> {
    let TextClause { matcher, tokens, literal, .. } = clause;
    let is_whole = matches!(matcher, Matcher::Tokens(wanted) if wanted.len() == 1);
    let matches_all = matches!(matcher, Matcher::Tokens(wanted) if wanted.is_empty());
    if matches_all {
        return Ok(Found { rows: among.clone(), path: Path::Pruned });
    }
    if let Some(found) = fuzzy(question, matcher, among)? {
        return Ok(found);
    }
    if tokens.is_empty()
        && let Some(found) = by_parts(question, clause, cursor, among)?
    {
        return Ok(found);
    }
    let matches = |raw: &[u8]| matcher.is_in(raw);
    let index = if tokens.is_empty() { None } else { question.segment.text()? };
    let Some(index) = index else {
        let rows = scan(question, cursor, among, literal.as_ref(), &matches)?;
        return Ok(Found { rows, path: Path::Scan });
    };
    let is_phrase = matches!(matcher, Matcher::Tokens(_));
    let mut told = Vec::with_capacity(tokens.len());
    for token in tokens {
        // What is damaged of the index, the text itself makes up for.
        let Some(found) = question.segment.or_missing(index.rows(token))?.flatten() else { continue };
        if found.is_nowhere() {
            return Ok(Found { rows: Rows::none(question.rows()), path: Path::Index });
        }
        let own = Matcher::Tokens(vec![token.clone()]);
        let of = if is_phrase { matcher } else { &own };
        told.push((token, Holders::of(question, found, token, of)?));
    }
    told.sort_by_key(|(_, holders)| holders.cost());
    let one = told.first().map(|(_, holders)| holders).filter(|_| is_whole);
    if let Some(one) = one.filter(|one| one.is_sure()) {
        return Ok(Found { rows: one.certain(among), path: Path::Index });
    }
    // The first one is asked of all rows, the others of what it leaves.
    let mut candidates = among.clone();
    for (_, holders) in &told {
        if !candidates.is_empty() {
            candidates = holders.possible(&candidates);
        }
    }
    let sure = match one {
        Some(one) => one.certain(among),
        // Of several tokens the index knows not whether they are neighbours.
        None => neighbours(question, matcher, (&index, &told), &candidates)?,
    };
    let rest = candidates.without(&sure);
    // Tokens too long to be indexed leave it to the text.
    let path = match (told.is_empty(), rest.is_empty()) {
        (true, _) => Path::Scan,
        (_, true) => Path::Index,
        _ => Path::IndexAndText,
    };
    Ok(Found { rows: sure.or(&scan(question, cursor, &rest, literal.as_ref(), &matches)?), path })
}

/// The rows of a fuzzy word, which the dictionary of terms decides.
fn fuzzy(question: &Question<'_>, matcher: &Matcher, among: &Rows) -> Result<Option<Found>> {
    let (Matcher::Fuzzy(words), Some(index)) = (matcher, question.segment.text()?) else { return Ok(None) };
    let found = question.segment.or_missing(index.rows_with_words(words))?.flatten();
    let Some(found) = found else { return Ok(None) };
    let rows = holders(question, found, matcher)?.certain(among);
    Ok(Some(Found { rows, path: Path::Index }))
}

/// The rows of a pattern of which parts of tokens are known, where the dictionary has all tokens with one of them. It
/// decides where that is all there is of the pattern, and narrows down to rows to be read elsewhere.
fn by_parts(
    question: &Question<'_>,
    clause: &TextClause,
    cursor: &mut RawCursor<'_>,
    among: &Rows,
) -> Result<Option<Found>> {
    let TextClause { matcher, parts, is_one_part, literal, .. } = clause;
    if parts.is_empty() || among.count() <= FEW_TEXTS {
        return Ok(None);
    }
    let Some(index) = question.segment.text()? else { return Ok(None) };
    let terms_with = |part, test: Option<TermFilter<'_>>| {
        let found = question.segment.or_missing(index.rows_with_part(part, test))?.flatten();
        Result::Ok(found)
    };
    let mut candidates = among.clone();
    let mut told = None;
    for part in parts {
        let Some(found) = terms_with(part, None)? else { continue };
        candidates = holders(question, found, &Matcher::of_part(part))?.certain(&candidates);
        told = Some(part);
    }
    let Some(told) = told else { return Ok(None) };
    if *is_one_part || candidates.is_empty() {
        return Ok(Some(Found { rows: candidates, path: Path::Index }));
    }
    // A token in which a wildcard matches is enough; an expression may ask for what is around it.
    let mut sure = Rows::none(question.rows());
    if let Matcher::Glob(_) | Matcher::Substring(_) = matcher
        && candidates.count() > FEW_TEXTS
        && let Some(found) = terms_with(told, Some(&|term| matcher.is_in(term)))?
    {
        sure = holders(question, found, matcher)?.certain(&candidates);
    }
    let rest = candidates.without(&sure);
    let path = if rest.is_empty() { Path::Index } else { Path::IndexAndText };
    let matches = |raw: &[u8]| matcher.is_in(raw);
    let read = scan(question, cursor, &rest, literal.as_ref(), &matches)?;
    Ok(Some(Found { rows: sure.or(&read), path }))
}

/// What holds the terms that were found.
fn holders(question: &Question<'_>, mut found: TokenRows, matcher: &Matcher) -> Result<Holders> {
    let terms = std::mem::take(&mut found.terms);
    if let Some(trace) = question.trace {
        trace.terms_matched(terms);
    }
    Holders::of(question, found, "", matcher)
}

/// Candidates that have the tokens of a phrase side by side, as far as that is known without their texts.
fn neighbours(
    question: &Question<'_>,
    matcher: &Matcher,
    (index, told): (&TextIndex, &[(&String, Holders)]),
    candidates: &Rows,
) -> Result<Rows> {
    let mut found = Rows::none(question.rows());
    let Matcher::Tokens(words) = matcher else { return Ok(found) };
    if candidates.count() > FEW_TEXTS {
        let beside = beside::holding(index, words, told, candidates);
        // What is damaged of the index, the text itself makes up for.
        found = question.segment.or_missing(beside)?.unwrap_or(found);
        let rest = candidates.clone().without(&found);
        if rest.count() > FEW_TEXTS {
            found = found.or(&phrase::holding(question, words, &rest)?);
        }
    }
    Ok(found)
}

/// Reads the raw text of every candidate that has what occurs in every match, if that is known.
pub fn scan(
    question: &Question<'_>,
    cursor: &mut RawCursor<'_>,
    candidates: &Rows,
    literal: Option<&Literal>,
    matches: &dyn Fn(&[u8]) -> bool,
) -> Result<Rows> {
    let mut found = Rows::none(question.rows());
    let mut seen = 0;
    let find = literal.map(|literal| |bytes: &[u8], from: usize| literal.find_at(bytes, from));
    let find = find.as_ref().map(|find| find as Find<'_>);
    question.segment.for_each_candidate(cursor, candidates.iter(), find, |row, bytes, text| {
        seen += 1;
        if seen % CANCEL_ROWS == 0 && question.cancel.is_set() {
            return Err(Error::cancelled());
        }
        if let Some(trace) = question.trace {
            trace.text_read(bytes);
        }
        if text.is_some_and(matches) {
            found.insert(row);
        }
        Ok(())
    })?;
    Ok(found)
}
