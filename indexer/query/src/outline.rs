//! A query by its parts: the clauses of its filter and its stages, and the query after one of them is added,
//! removed, negated or replaced.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::ast::{Filter, Span};
use super::diagnostic::Diagnostic;
use super::highlight::{Class, walk};
use super::parser::{Reading, parse_as};

/// The parts of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// Bytes of the query before the first pipe.
    pub filter: Range<usize>,
    /// The clauses that must all be true, in the language's own spelling; empty if the filter has an error.
    pub clauses: Vec<Clause>,
    /// Bytes of each stage, without its pipe.
    pub stages: Vec<Range<usize>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "QueryClause"))]
pub struct Clause {
    pub text: String,
    pub is_negated: bool,
}

/// A change of one clause of a filter; clauses are counted from 0.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "QueryEdit"))]
pub enum Edit {
    /// The filter must hold too. Of clauses that it has, or has turned round, the new one is kept.
    Add {
        clause: String,
    },
    Remove {
        at: usize,
    },
    /// Negates the clause.
    Turn {
        at: usize,
    },
    Replace {
        at: usize,
        clause: String,
    },
}

/// The parts of a query, of any text.
#[must_use]
pub fn outline(query: &str, reading: Reading) -> Outline {
    // The pipes of a query in parentheses belong to the enclosing stage.
    let pipes = walk(query).0.into_iter().filter(|seen| seen.class == Class::Pipe && seen.nested == 0);
    let pipes: Vec<usize> = pipes.map(|seen| seen.token.span.start).collect();
    let end = pipes.first().copied().unwrap_or(query.len());
    let ends = pipes.iter().skip(1).copied().chain([query.len()]);
    let stages = pipes.iter().zip(ends).map(|(pipe, end)| trimmed(query, pipe + 1..end)).collect();
    let clauses = parts(&query[..end], reading).unwrap_or_default();
    let clauses = clauses
        .iter()
        .map(|part| Clause { text: part.to_string(), is_negated: matches!(part, Filter::Not(_)) })
        .collect();
    Outline { filter: trimmed(query, 0..end), clauses, stages }
}

/// The query after a change of its filter, which is printed again; its stages stay as they were written.
pub fn edit(query: &str, reading: Reading, change: &Edit) -> Result<String, Diagnostic> {
    let Outline { filter, stages, .. } = outline(query, reading);
    let mut clauses = parts(&query[filter], reading)?;
    match change {
        Edit::Add { clause } => {
            for part in parts(clause, reading)? {
                add(&mut clauses, part);
            }
        }
        Edit::Remove { at } => {
            known(&clauses, *at)?;
            clauses.remove(*at);
        }
        Edit::Turn { at } => {
            known(&clauses, *at)?;
            clauses[*at] = turned(&clauses[*at]);
        }
        Edit::Replace { at, clause } => {
            known(&clauses, *at)?;
            let written = parts(clause, reading)?;
            clauses.splice(*at..=*at, written);
        }
    }
    let filter = match clauses.len() {
        0 => String::new(),
        1 => clauses[0].to_string(),
        _ => Filter::And(clauses).to_string(),
    };
    let Some(first) = stages.first() else { return Ok(filter) };
    let rest = query[first.start..].trim_end();
    Ok(format!("{} | {rest}", if filter.is_empty() { "*" } else { &filter }))
}

/// The clauses of a filter that must all be true.
fn parts(filter: &str, reading: Reading) -> Result<Vec<Filter>, Diagnostic> {
    Ok(match parse_as(filter, reading)?.filter {
        Filter::Everything => Vec::new(),
        // `*` among other clauses asks for nothing.
        Filter::And(parts) => parts.into_iter().filter(|part| *part != Filter::Everything).collect(),
        other => vec![other],
    })
}

fn add(clauses: &mut Vec<Filter>, part: Filter) {
    let opposite = turned(&part);
    if let Some(place) = clauses.iter().position(|clause| *clause == opposite) {
        clauses[place] = part;
    } else if !clauses.contains(&part) {
        clauses.push(part);
    }
}

fn turned(filter: &Filter) -> Filter {
    match filter {
        Filter::Not(inner) => (**inner).clone(),
        other => Filter::Not(Box::new(other.clone())),
    }
}

fn known(clauses: &[Filter], at: usize) -> Result<(), Diagnostic> {
    if at < clauses.len() {
        return Ok(());
    }
    let message = format!("there is no clause {at} in this query");
    Err(Diagnostic::error(Span::default(), message, "it was changed meanwhile; look at it again"))
}

fn trimmed(query: &str, range: Range<usize>) -> Range<usize> {
    let text = &query[range.clone()];
    let start = range.start + (text.len() - text.trim_start().len());
    start..start + text.trim().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clauses(query: &str) -> Vec<String> {
        outline(query, Reading::Timberline).clauses.into_iter().map(|clause| clause.text).collect()
    }

    fn edited(query: &str, change: &Edit) -> String {
        edit(query, Reading::Timberline, change).expect("a query")
    }

    #[test]
    fn query_is_split_into_clauses_and_stages() {
        let query = "  level>=warn -path:/a|b/ \"x | y\" (p OR q) |stats count by `a|b` | sort -count ";
        let found = outline(query, Reading::Timberline);
        assert_eq!(&query[found.filter], "level>=warn -path:/a|b/ \"x | y\" (p OR q)");
        let stages: Vec<&str> = found.stages.into_iter().map(|stage| &query[stage]).collect();
        assert_eq!(stages, ["stats count by `a|b`", "sort -count"]);
        let clauses: Vec<(&str, bool)> =
            found.clauses.iter().map(|clause| (clause.text.as_str(), clause.is_negated)).collect();
        let expected =
            [("level>=warn", false), ("NOT path:/a|b/", true), ("\"x | y\"", false), ("p OR q", false)];
        assert_eq!(clauses, expected);
    }

    #[test]
    fn pipes_of_a_query_in_parentheses_belong_to_its_stage() {
        let query = "a | join on b (c:(d OR e) | stats count by b | where count > (1 + 1)) | limit 3";
        let stages: Vec<&str> =
            outline(query, Reading::Timberline).stages.into_iter().map(|stage| &query[stage]).collect();
        let join = "join on b (c:(d OR e) | stats count by b | where count > (1 + 1))";
        assert_eq!(stages, [join, "limit 3"]);
    }

    #[test]
    fn filter_without_and_is_one_clause() {
        assert_eq!(clauses("a OR b"), ["a OR b"]);
        assert_eq!(clauses(""), [""; 0]);
        assert_eq!(clauses("* | stats count"), ["*"; 0]);
        assert_eq!(clauses("(a"), [""; 0]);
    }

    #[test]
    fn adding_a_clause_is_idempotent_and_its_opposite_negates_it() {
        for (query, clause, expected) in [
            ("", "status=\"500\"", "status=500"),
            ("a", "b", "a AND b"),
            ("a OR b", "c", "(a OR b) AND c"),
            ("a status=500 b", "status=\"500\"", "a AND status=500 AND b"),
            ("a status=500 b", "NOT status=500", "a AND NOT status=500 AND b"),
            ("NOT status=500", "status=500", "status=500"),
            ("a | stats count", "b c", "a AND b AND c | stats count"),
            ("*|stats count", "b", "b | stats count"),
        ] {
            assert_eq!(
                edited(query, &Edit::Add { clause: clause.to_owned() }),
                expected,
                "{query} + {clause}"
            );
        }
    }

    #[test]
    fn clauses_are_removed_negated_and_replaced() {
        let query = "a AND (b OR c) AND NOT d | sort -time";
        assert_eq!(edited(query, &Edit::Remove { at: 1 }), "a AND NOT d | sort -time");
        assert_eq!(edited(query, &Edit::Turn { at: 1 }), "a AND NOT (b OR c) AND NOT d | sort -time");
        assert_eq!(edited(query, &Edit::Turn { at: 2 }), "a AND (b OR c) AND d | sort -time");
        assert_eq!(
            edited(query, &Edit::Replace { at: 0, clause: "x y".into() }),
            "x AND y AND (b OR c) AND NOT d | sort -time"
        );
        assert_eq!(
            edited(query, &Edit::Replace { at: 0, clause: "x OR y".into() }),
            "(x OR y) AND (b OR c) AND NOT d | sort -time"
        );
        assert_eq!(edited("a | sort -time", &Edit::Remove { at: 0 }), "* | sort -time");
        assert_eq!(edited("a", &Edit::Remove { at: 0 }), "");
    }

    #[test]
    fn impossible_changes_are_errors() {
        let refused =
            |query: &str, change: Edit| edit(query, Reading::Timberline, &change).expect_err("refused");
        assert_eq!(refused("a )", Edit::Remove { at: 0 }).start, 2);
        assert_eq!(refused("a", Edit::Replace { at: 0, clause: "(b".into() }).start, 0);
        assert!(refused("a", Edit::Turn { at: 1 }).message.contains("no clause 1"));
    }

    #[test]
    fn negating_twice_and_adding_an_existing_clause_change_nothing() {
        for query in ["a AND NOT b", "level>=warn AND (x OR y) AND time:yesterday", "NOT (a OR b) AND c"] {
            for (at, clause) in clauses(query).into_iter().enumerate() {
                assert_eq!(edited(&edited(query, &Edit::Turn { at }), &Edit::Turn { at }), query);
                assert_eq!(edited(query, &Edit::Add { clause }), query);
            }
        }
    }

    #[test]
    fn star_among_other_clauses_is_none() {
        let texts = |query| outline(query, Reading::Timberline).clauses.into_iter().map(|clause| clause.text);
        assert_eq!(texts("a * b").collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(edit("a * b", Reading::Timberline, &Edit::Remove { at: 1 }).as_deref(), Ok("a"));
    }
}
