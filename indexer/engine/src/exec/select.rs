//! Evaluates a filter on one segment: the rows that match.

use std::sync::Arc;
use std::time::Instant;

use super::bitmap::Bitmap;
use super::candidates::Candidates;
use super::explain::{Path, Trace};
use super::field_filter;
use super::literal::Literal;
use super::matcher::Matcher;
use super::note_filter;
use super::phrase;
use super::phrase_gap;
use super::prepared::{Clause, Predicate, Prepared, TextClause};
use super::segment_rows::RowSet;
use super::template_filter::Templates;
use base::Cancel;
use base::error::{Error, Result};
use base::limits::{CANCEL_BYTES, CANCEL_ROWS, LOOKED_UP_WORDS};
use store::{Find, Mined, RawCursor, Segment, SourceEntry, TermFilter, TextIndex, TokenPostings};

/// Below this number of texts, reading them is faster than any index lookup.
const FEW_TEXTS: usize = 64;

/// A segment and the context in which a filter is evaluated on it.
pub struct SegmentQuery<'a> {
    pub segment: &'a Segment,
    pub sources: &'a [SourceEntry],
    /// Set if the filter names templates.
    pub templates: Option<&'a Templates>,
    /// The message shapes of the segment, if they are already mined.
    pub shapes: &'a dyn Fn() -> Result<Option<Arc<Mined>>>,
    pub cancel: &'a Cancel,
    /// Receives the steps taken, for `explain`.
    pub trace: Option<&'a Trace>,
}

impl SegmentQuery<'_> {
    #[must_use]
    pub fn rows(&self) -> usize {
        self.segment.meta.events as usize
    }

    /// An error where the query was cancelled.
    pub fn check(&self) -> Result<()> {
        if self.cancel.is_set() { Err(Error::cancelled()) } else { Ok(()) }
    }
}

/// The rows of a clause, and how they were found.
pub struct ClauseRows {
    pub rows: Bitmap,
    pub path: Path,
}

/// The matching rows of a segment, in the smaller of the two representations.
pub fn select_set(query: &SegmentQuery<'_>, filter: &Prepared, cursor: &mut RawCursor<'_>) -> Result<RowSet> {
    let all = query.rows();
    Ok(match posting_list_of_word(query, filter)? {
        Some(list) => RowSet::from_list(list, all),
        None => RowSet::from_bitmap(select_segment(query, filter, cursor)?, all),
    })
}

/// Fast path for a filter that is one word: its posting list. A common word has hundreds of thousands of row
/// ids, and a round trip through a bitmap takes as long as reading them.
fn posting_list_of_word(query: &SegmentQuery<'_>, filter: &Prepared) -> Result<Option<Vec<u32>>> {
    let Prepared::Clause(Clause { predicate: Predicate::Text(clauses), .. }) = filter else {
        return Ok(None);
    };
    let [TextClause { matcher: Matcher::Tokens(words), .. }] = clauses.as_slice() else { return Ok(None) };
    let ([word], Some(index)) = (words.as_slice(), query.segment.text()?) else { return Ok(None) };
    Ok(query.segment.or_missing(index.exact_posting_list(word))?.flatten())
}

/// The matching rows of a segment, in order. The filter names only fields of the case, and its times are
/// instants: see [`query::resolve`].
pub fn select_segment(
    query: &SegmentQuery<'_>,
    filter: &Prepared,
    cursor: &mut RawCursor<'_>,
) -> Result<Bitmap> {
    eval(query, filter, cursor, &Bitmap::all(query.rows()))
}

/// The matching rows among the candidates.
fn eval(
    query: &SegmentQuery<'_>,
    filter: &Prepared,
    cursor: &mut RawCursor<'_>,
    among: &Bitmap,
) -> Result<Bitmap> {
    if among.is_empty() {
        return Ok(among.clone());
    }
    query.check()?;
    match filter {
        Prepared::Everything => Ok(among.clone()),
        Prepared::And(parts) => {
            let mut rows = among.clone();
            for part in parts {
                rows = eval(query, part, cursor, &rows)?;
            }
            Ok(rows)
        }
        Prepared::Or(parts) => {
            let mut rows = Bitmap::none(query.rows());
            for part in parts {
                let rest = among.clone().without(&rows);
                rows = rows.or(&eval(query, part, cursor, &rest)?);
            }
            Ok(rows)
        }
        Prepared::Not(inner) => Ok(among.clone().without(&eval(query, inner, cursor, among)?)),
        Prepared::Clause(clause) => {
            let started = Instant::now();
            let found = eval_predicate(query, &clause.predicate, cursor, among)?;
            if let Some(trace) = query.trace {
                let counts = (among.count(), found.rows.count());
                trace.add(clause.shown.clone(), found.path, counts, started.elapsed());
            }
            Ok(found.rows)
        }
    }
}

fn eval_predicate(
    query: &SegmentQuery<'_>,
    predicate: &Predicate,
    cursor: &mut RawCursor<'_>,
    among: &Bitmap,
) -> Result<ClauseRows> {
    match predicate {
        Predicate::AnyText => Ok(ClauseRows { rows: among.clone(), path: Path::Pruned }),
        Predicate::Text(clauses) => {
            let [first, others @ ..] = clauses.as_slice() else {
                return Ok(ClauseRows { rows: Bitmap::none(query.rows()), path: Path::Pruned });
            };
            let mut found = eval_text(query, first, cursor, among)?;
            for clause in others {
                let rest = among.clone().without(&found.rows);
                let more = eval_text(query, clause, cursor, &rest)?;
                found = ClauseRows { rows: found.rows.or(&more.rows), path: more.path.max(found.path) };
            }
            Ok(found)
        }
        Predicate::WholeText(test) => {
            let matches = |raw: &[u8], _: usize| test.passes(&String::from_utf8_lossy(raw));
            let rows = scan(query, cursor, among, None, &matches)?;
            Ok(ClauseRows { rows, path: Path::Scan })
        }
        Predicate::Template(test) => {
            let none = || Bitmap::none(query.rows());
            let rows = query.templates.map_or_else(none, |templates| templates.rows(test)).and(among);
            Ok(ClauseRows { rows, path: Path::Dictionary })
        }
        Predicate::Noted(events) => note_filter::eval(query, events.as_deref(), among),
        Predicate::Field(field, test) => {
            let found = field_filter::eval(query, field, test)?;
            Ok(ClauseRows { rows: found.rows.and(among), path: found.path })
        }
    }
}

/// Narrows the candidates with the tokens that every match contains, and verifies the rest in the raw text. A
/// single token with an exact posting list needs no verification.
fn eval_text(
    query: &SegmentQuery<'_>,
    clause: &TextClause,
    cursor: &mut RawCursor<'_>,
    among: &Bitmap,
) -> Result<ClauseRows> {
    let TextClause { matcher, tokens, literal, .. } = clause;
    let is_whole = matches!(matcher, Matcher::Tokens(wanted) if wanted.len() == 1);
    let matches_all = matches!(matcher, Matcher::Tokens(wanted) if wanted.is_empty());
    if matches_all {
        return Ok(ClauseRows { rows: among.clone(), path: Path::Pruned });
    }
    if let Some(found) = fuzzy(query, matcher, among)? {
        return Ok(found);
    }
    if tokens.is_empty()
        && let Some(found) = by_parts(query, clause, cursor, among)?
    {
        return Ok(found);
    }
    let matches = |raw: &[u8], literal: usize| matcher.is_in_from(raw, literal);
    let index = if tokens.is_empty() { None } else { query.segment.text()? };
    let Some(index) = index else {
        let rows = scan(query, cursor, among, literal.as_ref(), &matches)?;
        return Ok(ClauseRows { rows, path: Path::Scan });
    };
    let is_phrase = matches!(matcher, Matcher::Tokens(words) if words.len() <= LOOKED_UP_WORDS);
    let mut postings = Vec::with_capacity(tokens.len());
    for token in tokens {
        query.check()?;
        // A damaged part of the index is skipped; the raw text decides instead.
        let Some(found) = query.segment.or_missing(index.postings(token))?.flatten() else { continue };
        if found.is_nowhere() {
            return Ok(ClauseRows { rows: Bitmap::none(query.rows()), path: Path::Index });
        }
        let own = Matcher::Tokens(vec![token.clone()]);
        let wanted = if is_phrase { matcher } else { &own };
        postings.push((token, Candidates::from_postings(query, found, token, wanted)?));
    }
    postings.sort_by_key(|(_, candidates)| candidates.cost());
    let one = postings.first().map(|(_, candidates)| candidates).filter(|_| is_whole);
    if let Some(one) = one.filter(|one| one.is_exact()) {
        return Ok(ClauseRows { rows: one.exact_rows(among), path: Path::Index });
    }
    // The cheapest posting list is evaluated on all rows, each next one on the remaining candidates.
    let mut candidates = among.clone();
    for (_, rows_of_token) in &postings {
        query.check()?;
        if !candidates.is_empty() {
            candidates = rows_of_token.candidate_rows(&candidates);
        }
    }
    let exact = match one {
        Some(one) => one.exact_rows(among),
        // The index stores no positions, so it cannot tell whether several tokens are adjacent.
        None if is_phrase => rows_with_adjacent_tokens(query, matcher, (&index, &postings), &candidates)?,
        None => Bitmap::none(query.rows()),
    };
    let rest = candidates.without(&exact);
    // Tokens too long for the index are decided by the text.
    let path = match (postings.is_empty(), rest.is_empty()) {
        (true, _) => Path::Scan,
        (_, true) => Path::Index,
        _ => Path::IndexAndText,
    };
    Ok(ClauseRows { rows: exact.or(&scan(query, cursor, &rest, literal.as_ref(), &matches)?), path })
}

/// The rows of a fuzzy word, decided by the term dictionary.
fn fuzzy(query: &SegmentQuery<'_>, matcher: &Matcher, among: &Bitmap) -> Result<Option<ClauseRows>> {
    let (Matcher::Fuzzy(words), Some(index)) = (matcher, query.segment.text()?) else { return Ok(None) };
    let found = query.segment.or_missing(index.postings_of_similar_words(words))?.flatten();
    let Some(found) = found else { return Ok(None) };
    let rows = candidates_of_terms(query, found, matcher)?.exact_rows(among);
    Ok(Some(ClauseRows { rows, path: Path::Index }))
}

/// Evaluates a pattern by the parts of tokens that it requires. The term dictionary lists all tokens with a
/// part. If the part is the whole pattern, the lookup is exact; otherwise it narrows the candidates.
fn by_parts(
    query: &SegmentQuery<'_>,
    clause: &TextClause,
    cursor: &mut RawCursor<'_>,
    among: &Bitmap,
) -> Result<Option<ClauseRows>> {
    let TextClause { matcher, parts, is_one_part, literal, .. } = clause;
    if parts.is_empty() || among.count() <= FEW_TEXTS {
        return Ok(None);
    }
    let Some(index) = query.segment.text()? else { return Ok(None) };
    let terms_with = |part, test: Option<TermFilter<'_>>| {
        let found = query.segment.or_missing(index.postings_with_part(part, test))?.flatten();
        Result::Ok(found)
    };
    let mut candidates = among.clone();
    let mut used = None;
    for part in parts {
        let Some(found) = terms_with(part, None)? else { continue };
        candidates = candidates_of_terms(query, found, &Matcher::from_part(part))?.exact_rows(&candidates);
        used = Some(part);
    }
    let Some(used) = used else { return Ok(None) };
    if *is_one_part || candidates.is_empty() {
        return Ok(Some(ClauseRows { rows: candidates, path: Path::Index }));
    }
    // A token that matches a wildcard is enough; a regular expression may also test the text around it.
    let mut exact = Bitmap::none(query.rows());
    if let Matcher::Glob(_) | Matcher::Substring(_) = matcher
        && candidates.count() > FEW_TEXTS
        && let Some(found) = terms_with(used, Some(&|term| matcher.is_in(term)))?
    {
        exact = candidates_of_terms(query, found, matcher)?.exact_rows(&candidates);
    }
    let rest = candidates.without(&exact);
    let path = if rest.is_empty() { Path::Index } else { Path::IndexAndText };
    let matches = |raw: &[u8], literal: usize| matcher.is_in_from(raw, literal);
    let read = scan(query, cursor, &rest, literal.as_ref(), &matches)?;
    Ok(Some(ClauseRows { rows: exact.or(&read), path }))
}

/// The candidates of the terms that were found.
fn candidates_of_terms(
    query: &SegmentQuery<'_>,
    mut found: TokenPostings,
    matcher: &Matcher,
) -> Result<Candidates> {
    let terms = std::mem::take(&mut found.terms);
    if let Some(trace) = query.trace {
        trace.terms_matched(terms);
    }
    Candidates::from_postings(query, found, "", matcher)
}

/// The candidates that have the tokens of a phrase next to each other, if the columns and message
/// shapes show it without the raw text.
fn rows_with_adjacent_tokens(
    query: &SegmentQuery<'_>,
    matcher: &Matcher,
    (index, postings): (&TextIndex, &[(&String, Candidates)]),
    candidates: &Bitmap,
) -> Result<Bitmap> {
    let mut found = Bitmap::none(query.rows());
    let Matcher::Tokens(words) = matcher else { return Ok(found) };
    if candidates.count() > FEW_TEXTS {
        let in_columns = phrase_gap::rows_with_phrase(index, words, postings, candidates);
        // A damaged part of the index is skipped; the raw text decides instead.
        found = query.segment.or_missing(in_columns)?.unwrap_or(found);
        let rest = candidates.clone().without(&found);
        if rest.count() > FEW_TEXTS {
            found = found.or(&phrase::rows_with_phrase(query, words, &rest)?);
        }
    }
    Ok(found)
}

/// Scans the raw text of every candidate that contains the literal of the pattern, if it has one.
pub fn scan(
    query: &SegmentQuery<'_>,
    cursor: &mut RawCursor<'_>,
    candidates: &Bitmap,
    literal: Option<&Literal>,
    matches: &dyn Fn(&[u8], usize) -> bool,
) -> Result<Bitmap> {
    let mut found = Bitmap::none(query.rows());
    if let Some(trace) = query.trace {
        let places = query.segment.locations()?;
        trace.texts_read(candidates.iter().map(|row| places.length(row as usize)));
    }
    let find = literal.map(|literal| |bytes: &[u8], from: usize| literal.find_at(bytes, from));
    let find = find.as_ref().map(|find| find as Find<'_>);
    let stopped = || query.check();
    let (mut tested, mut bytes) = (0, 0);
    query.segment.for_each_candidate(cursor, candidates.iter(), find, &stopped, |row, text, literal| {
        (tested, bytes) = (tested + 1, bytes + text.len());
        if tested == CANCEL_ROWS || bytes >= CANCEL_BYTES {
            stopped()?;
            (tested, bytes) = (0, 0);
        }
        if matches(text, literal) {
            found.insert(row);
        }
        Ok(())
    })?;
    Ok(found)
}
