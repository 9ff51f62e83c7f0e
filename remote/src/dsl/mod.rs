//! A filter as query DSL, clause by clause; each exact, or with the reason why it is not.
//!
//! A clause is exact when it matches the same documents as the language would, read as events, each field with one
//! value. What has no counterpart at all is an error: nothing is left out of a filter in silence.

mod fields;
mod lucene;
mod numbers;
mod regex;

use std::collections::BTreeSet;

use indexer::query::{Filter, Pattern, Range, Span, Test, levels};
use indexer::{Error, ErrorKind, Result, stamp};
use serde_json::{Value, json};

use self::lucene::Within;
pub use self::lucene::any_case_text;
use crate::limits::{REGEX_CHARACTERS, WORD_FIELDS};
use crate::schema::{Field, MappedKind, Schema};

/// A clause that the cluster answers a little differently.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Inexact {
    /// As the language prints it.
    pub clause: String,
    pub reason: String,
}

/// A filter for a cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Translated {
    pub query: Value,
    /// Each clause once.
    pub inexact: Vec<Inexact>,
}

impl Translated {
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.inexact.is_empty()
    }
}

/// Prints a filter that was resolved for the fields of a cluster.
pub fn translate(filter: &Filter, schema: &Schema) -> Result<Translated> {
    let mut translator =
        Translator { schema, inexact: BTreeSet::new(), clause: String::new(), span: Span::default() };
    let query = translator.filter(filter)?;
    Ok(Translated { query, inexact: translator.inexact.into_iter().collect() })
}

struct Translator<'s> {
    schema: &'s Schema,
    inexact: BTreeSet<Inexact>,
    /// The clause that is being written, and where it is in the query.
    clause: String,
    span: Span,
}

fn any(mut parts: Vec<Value>) -> Value {
    if parts.len() == 1 {
        return parts.swap_remove(0);
    }
    json!({"bool": {"should": parts, "minimum_should_match": 1}})
}

fn all(mut parts: Vec<Value>) -> Value {
    if parts.len() == 1 {
        return parts.swap_remove(0);
    }
    json!({"bool": {"filter": parts}})
}

fn none() -> Value {
    json!({"match_none": {}})
}

/// Values that are one of these words, in any case.
fn any_word(name: &str, words: &[&str]) -> Value {
    let all: Vec<String> = words.iter().map(|word| lucene::any_case_text(word)).collect();
    json!({"regexp": {name: {"value": all.join("|")}}})
}

impl Translator<'_> {
    fn filter(&mut self, filter: &Filter) -> Result<Value> {
        let parts = |this: &mut Self, parts: &[Filter]| {
            parts.iter().map(|part| this.filter(part)).collect::<Result<Vec<_>>>()
        };
        match filter {
            Filter::Everything => Ok(json!({"match_all": {}})),
            Filter::And(inner) => Ok(all(parts(self, inner)?)),
            Filter::Or(inner) => Ok(any(parts(self, inner)?)),
            Filter::Not(inner) => Ok(json!({"bool": {"must_not": [self.filter(inner)?]}})),
            Filter::Text(pattern) => {
                self.clause = filter.to_string();
                self.text(pattern)
            }
            Filter::Field { field, test, span } => {
                self.clause = filter.to_string();
                self.span = *span;
                self.field(field, test)
            }
            Filter::Noted(clause) => {
                self.clause = filter.to_string();
                self.span = clause.span;
                Err(self.unable(
                    "what people wrote on events is kept in cases",
                    "ask a case for it, or leave the clause out",
                ))
            }
        }
    }

    /// Notes that the current clause is not exact.
    fn approximate(&mut self, reason: impl Into<String>) {
        self.inexact.insert(Inexact { clause: self.clause.clone(), reason: reason.into() });
    }

    fn unable(&self, why: &str, hint: &str) -> Error {
        let message = format!("`{}` has no counterpart at the cluster: {why}", self.clause);
        Error::new(ErrorKind::QueryInvalid, message).spanning(self.span.start, self.span.end).hint(hint)
    }

    fn field(&mut self, name: &str, test: &Test) -> Result<Value> {
        let schema = self.schema;
        match name {
            "time" => return self.time(test),
            "level" => return self.level(test),
            "raw" => {
                return match test {
                    Test::Exists => Ok(json!({"match_all": {}})),
                    Test::Matches(patterns) => {
                        Ok(any(patterns.iter().map(|pattern| self.text(pattern)).collect::<Result<_>>()?))
                    }
                    Test::Compare(..) | Test::Range(_) => match schema
                        .text
                        .as_deref()
                        .and_then(|name| schema.field(name))
                    {
                        Some(field) => {
                            self.approximate(format!("`{}` is taken for the text of an event", field.name));
                            self.known(field, test)
                        }
                        None => Err(self.unable("it keeps no text of events", "name a field")),
                    },
                };
            }
            "source" => {
                return match schema.source.as_deref().and_then(|name| schema.field(name)) {
                    Some(field) => self.known(field, test),
                    None => self.index(test),
                };
            }
            "line" => {
                return match schema.line.as_deref().and_then(|name| schema.field(name)) {
                    Some(field) => self.known(field, test),
                    None => Err(self.unable("its documents have no line numbers", "leave the clause out")),
                };
            }
            "template" => {
                return Err(self.unable("patterns are found in cases only", "leave the clause out"));
            }
            _ => {}
        }
        match schema.field(name) {
            Some(field) => self.known(field, test),
            None => {
                Err(self
                    .unable("no index there has this field", "timberline remote check NAME lists the fields"))
            }
        }
    }

    /// A test on a field of the mapping.
    fn known(&mut self, field: &Field, test: &Test) -> Result<Value> {
        if !field.searchable && *test != Test::Exists {
            return Err(
                self.unable(&format!("`{}` is not indexed there", field.name), "ask for another field")
            );
        }
        let query = self.test(field, test)?;
        Ok(match &field.nested {
            Some(path) => {
                self.approximate(format!("`{path}` is a list of objects, and any of them may match"));
                json!({"nested": {"path": path, "query": query}})
            }
            None => query,
        })
    }

    /// Resolving has made ranges of instants of all tests on the time.
    fn time(&mut self, test: &Test) -> Result<Value> {
        let name = self.schema.time.as_str();
        match test {
            Test::Exists => Ok(json!({"exists": {"field": name}})),
            Test::Range(Range { from, to }) => {
                let instant = |text: &str| {
                    stamp::parse(text).ok_or_else(|| {
                        self.unable("its time cannot be read", "write it as 2026-03-01T14:05:00Z")
                    })
                };
                let ends = [(from, "gte", "gt"), (to, "lte", "lt")];
                let mut ends = ends
                    .into_iter()
                    .filter_map(|(bound, closed, open)| {
                        bound.as_ref().map(|bound| (bound, if bound.inclusive { closed } else { open }))
                    })
                    .map(|(bound, key)| instant(&bound.value).map(|at| (key, at)))
                    .collect::<Result<Vec<_>>>()?;
                if ends.is_empty() {
                    return Ok(json!({"exists": {"field": name}}));
                }
                Ok(self.between(&mut ends))
            }
            Test::Matches(_) | Test::Compare(..) => {
                Err(self.unable("its time is not resolved", "write a range as time:[a TO b]"))
            }
        }
    }

    fn between(&mut self, ends: &mut [(&'static str, i64)]) -> Value {
        let schema = self.schema;
        let name = schema.time.as_str();
        let is_nanos = schema.field(name).is_some_and(|field| field.kind == MappedKind::DateNanos);
        let mut range = serde_json::Map::new();
        for (key, at) in ends {
            let value = if is_nanos {
                stamp::to_rfc3339(*at)
            } else {
                const MILLISECOND: i64 = 1_000_000;
                if at.rem_euclid(MILLISECOND) != 0 || matches!(*key, "gt" | "lte") {
                    self.approximate("times there have milliseconds");
                }
                let up = i64::from(at.rem_euclid(MILLISECOND) != 0);
                (at.div_euclid(MILLISECOND) + up).to_string()
            };
            range.insert((*key).to_owned(), value.into());
        }
        let format = if is_nanos { "strict_date_optional_time_nanos" } else { "epoch_millis" };
        range.insert("format".to_owned(), format.into());
        json!({"range": {name: range}})
    }

    /// Levels by all words that name them, in their order.
    fn level(&mut self, test: &Test) -> Result<Value> {
        let Some(field) = self.schema.level.as_deref().and_then(|name| self.schema.field(name)) else {
            return Err(self.unable(
                "its documents have no field with a level",
                "leave the clause out, or search for the word",
            ));
        };
        let place =
            |word: &str| levels::LEVELS.iter().position(|(name, _)| Some(*name) == levels::named(word));
        let compares = |op: indexer::query::Op, word: &str| -> Result<Vec<usize>> {
            let wanted =
                place(word).ok_or_else(|| self.unable("it names no level", "levels are trace to fatal"))?;
            Ok((0..levels::LEVELS.len()).filter(|at| op.holds(at.cmp(&wanted))).collect())
        };
        let passing: Vec<usize> = match test {
            Test::Exists => return self.known(field, test),
            Test::Compare(op, word) => compares(*op, word)?,
            Test::Range(range) => {
                use indexer::query::Op;
                let from = range.from.as_ref().map(|from| {
                    compares(if from.inclusive { Op::GreaterOrEqual } else { Op::Greater }, &from.value)
                });
                let to = range
                    .to
                    .as_ref()
                    .map(|to| compares(if to.inclusive { Op::LessOrEqual } else { Op::Less }, &to.value));
                let (from, to) = (from.transpose()?, to.transpose()?);
                let within = |places: &Option<Vec<usize>>, at: &usize| {
                    places.as_ref().is_none_or(|all| all.contains(at))
                };
                (0..levels::LEVELS.len()).filter(|at| within(&from, at) && within(&to, at)).collect()
            }
            Test::Matches(patterns) => {
                let mut passing = Vec::new();
                for pattern in patterns {
                    match pattern {
                        Pattern::Tokens(word) => passing.extend(compares(indexer::query::Op::Equal, word)?),
                        _ => {
                            return Err(self.unable(
                                "levels are not texts",
                                "name the level, or compare with level>=warn",
                            ));
                        }
                    }
                }
                passing
            }
        };
        let words: Vec<&str> = passing
            .iter()
            .filter_map(|&at| levels::LEVELS.get(at))
            .flat_map(|(name, others)| std::iter::once(*name).chain(others.iter().copied()))
            .collect();
        if words.is_empty() {
            return Ok(none());
        }
        self.approximate(format!(
            "a level is the word in `{}`; events without one have no level there",
            field.name
        ));
        let name = &field.name;
        if field.kind == MappedKind::Text {
            return match self.schema.groupable(field) {
                Some(keyword) => Ok(any_word(&keyword.name, &words)),
                None => Ok(any(words.iter().map(|word| json!({"match": {name: word}})).collect())),
            };
        }
        Ok(any_word(name, &words))
    }

    /// A source by the index that it is in.
    fn index(&mut self, test: &Test) -> Result<Value> {
        self.approximate("sources are the names of indexes there");
        let one = |this: &Self, pattern: &Pattern| match pattern {
            Pattern::Tokens(name) => {
                Ok(json!({"wildcard": {"_index": {"value": format!("*{}*", name.to_lowercase())}}}))
            }
            Pattern::Substring(part) => {
                Ok(json!({"wildcard": {"_index": {"value": format!("*{}*", part.to_lowercase())}}}))
            }
            Pattern::Glob(glob) => Ok(json!({"wildcard": {"_index": {"value": glob.to_lowercase()}}})),
            _ => Err(this.unable("names of indexes take words and * only", "write source:logs-*")),
        };
        match test {
            Test::Exists => Ok(json!({"match_all": {}})),
            Test::Matches(patterns) => {
                Ok(any(patterns.iter().map(|pattern| one(self, pattern)).collect::<Result<_>>()?))
            }
            Test::Compare(indexer::query::Op::Equal, name) => Ok(json!({"term": {"_index": name}})),
            Test::Compare(indexer::query::Op::NotEqual, name) => {
                Ok(json!({"bool": {"must_not": [{"term": {"_index": name}}]}}))
            }
            Test::Compare(..) | Test::Range(_) => {
                Err(self.unable("names of indexes have no order", "write source:logs-*"))
            }
        }
    }

    /// What is looked for in the text of events.
    fn text(&mut self, pattern: &Pattern) -> Result<Value> {
        let schema = self.schema;
        if let Some(field) = schema.field("event.original")
            && field.kind == MappedKind::Keyword
            && field.searchable
            && !field.normalized
            && let Some(query) = self.whole_values(field, pattern, Within::Text)?
        {
            if field.ignore_above.is_some() {
                self.approximate("long texts are not in `event.original` there");
            }
            return Ok(query);
        }
        let of_kind = |kind: MappedKind| {
            let fits = move |field: &&Field| field.kind == kind && field.searchable && field.nested.is_none();
            schema.fields.values().filter(fits)
        };
        let mut fields: Vec<&Field> = of_kind(MappedKind::Text).collect();
        if fields.is_empty() {
            fields = of_kind(MappedKind::Keyword).collect();
        }
        // The field that is most like an event's own text comes first, so that a bound leaves out others.
        fields.sort_by_key(|field| (schema.text.as_deref() != Some(field.name.as_str()), field.name.len()));
        fields.truncate(WORD_FIELDS);
        if fields.is_empty() {
            return Err(self.unable("it has no field with text", "ask for a field"));
        }
        let shown: Vec<&str> = fields.iter().take(5).map(|field| field.name.as_str()).collect();
        let more = if fields.len() > shown.len() {
            format!(" and {} more", fields.len() - shown.len())
        } else {
            String::new()
        };
        self.approximate(format!(
            "words are looked for in the fields {}{more}, not in the whole text of events",
            shown.join(", ")
        ));
        if let Pattern::Tokens(words) = pattern
            && fields.iter().all(|field| field.kind == MappedKind::Text)
        {
            if indexer::tokens::folded(words.as_bytes()).is_empty() {
                return Ok(json!({"match_all": {}}));
            }
            let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
            return Ok(json!({"multi_match": {"query": words, "type": "phrase", "fields": names}}));
        }
        let test = Test::Matches(vec![pattern.clone()]);
        let mut parts = Vec::new();
        let mut problem = None;
        for field in fields {
            match self.known(field, &test) {
                Ok(query) => parts.push(query),
                Err(error) => problem = Some(error),
            }
        }
        match problem {
            Some(error) if parts.is_empty() => Err(error),
            _ => Ok(any(parts)),
        }
    }

    /// A regular expression on whole values, if it is not too long for the cluster.
    fn regexp(&self, name: &str, expression: &str) -> Result<Value> {
        if expression.chars().count() > REGEX_CHARACTERS {
            return Err(
                self.unable("as a regular expression it is too long there", "search for a shorter text")
            );
        }
        Ok(json!({"regexp": {name: {"value": expression}}}))
    }
}
