//! The query language on the wire: what is wrong with a query, how its words look, what could come next.

use std::path::Path;

use indexer::query::time::Period;
use indexer::query::{self, Reading, Severity};
use indexer::{Checked, Engine, RunOptions, SqlOptions, is_sql};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::error::sentence;
use crate::types::{Empty, ErrorCode, Nanos, WireError};
use crate::{Call, Session};

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CheckRequest {
    pub case: String,
    pub query: String,
    /// Read it as Kibana does: values and words side by side are alternatives.
    pub kql: bool,
}

/// What can be said of a query without running it. All places are bytes of the query.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct QueryCheck {
    pub diagnostics: Vec<QueryDiagnostic>,
    pub words: Vec<QueryWord>,
    /// The query in the language's own spelling, where nothing is wrong with it.
    pub printed: Option<String>,
    /// The text before the first pipe: the filter of events, timelines and charts.
    pub filter: String,
    /// What of the filter must hold at once; empty where the filter has a mistake.
    pub clauses: Vec<QueryClause>,
    /// Its stages, without their pipes. A statement of SQL is one, of all events.
    pub stages: Vec<QueryPart>,
    /// Whether it is read as SQL.
    pub is_sql: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct QueryClause {
    /// In the language's own spelling.
    pub text: String,
    pub is_negated: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct QueryPart {
    pub start: u32,
    pub end: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct EditRequest {
    pub case: String,
    pub query: String,
    pub edit: QueryEdit,
}

/// A change of a query's filter. Clauses are counted from 0, as `check` lists them.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum QueryEdit {
    /// What is there is not added again; its opposite is turned round.
    Add {
        clause: String,
    },
    Remove {
        at: u32,
    },
    Turn {
        at: u32,
    },
    Replace {
        at: u32,
        clause: String,
    },
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Edited {
    pub query: String,
}

/// Times as the language writes them: `now-15m`, `yesterday`, `2024-05-01T14:05`.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct StretchRequest {
    pub case: String,
    pub from: String,
    /// Null asks for the time that `from` names alone.
    pub to: Option<String>,
    /// The zone of days and of times that name none; null is UTC.
    pub zone: Option<String>,
    /// The times in view: a time of day is on a day of theirs; null leaves that to the end of the data.
    pub around: Option<Stretch>,
}

/// From inclusive, to exclusive.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Stretch {
    pub from: Nanos,
    pub to: Nanos,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct QueryDiagnostic {
    /// False for advice: the query runs, but perhaps something else was meant.
    pub is_error: bool,
    pub message: String,
    pub hint: Option<String>,
    pub start: u32,
    pub end: u32,
    /// What to write instead of these bytes to put it right.
    pub replacement: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum WordClass {
    Field,
    Operator,
    Keyword,
    Text,
    Number,
    Regex,
    Time,
    Pipe,
    Stage,
    Function,
    Bracket,
    Unknown,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct QueryWord {
    pub class: WordClass,
    pub start: u32,
    pub end: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CompleteRequest {
    pub case: String,
    pub query: String,
    /// A byte of the query.
    pub cursor: u32,
}

/// What could be written in place of these bytes, the likeliest first.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Completion {
    pub start: u32,
    pub end: u32,
    pub suggestions: Vec<Suggestion>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum SuggestionKind {
    Field,
    Value,
    Function,
    Stage,
    Time,
    Keyword,
    /// A word of the text of events.
    Word,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Suggestion {
    pub kind: SuggestionKind,
    pub label: String,
    /// What is written.
    pub insert: String,
    pub detail: String,
    /// How many of the newest events have this value, or how many of all events this word.
    pub count: Option<u64>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct UnknownWordsRequest {
    pub case: String,
    pub query: String,
}

/// Nothing while segments have no text index yet, and in profiles without one.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct UnknownWords {
    pub words: Vec<UnknownWord>,
}

/// A word of a query that no event has.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct UnknownWord {
    pub word: String,
    /// Bytes of the query.
    pub start: u32,
    pub end: u32,
    /// Words that it was perhaps meant for, those of the most events first.
    pub nearest: Vec<NearWord>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct NearWord {
    pub word: String,
    /// How many events have it.
    pub events: u64,
    /// The query with this word instead.
    pub query: String,
}

pub fn unknown_words(
    session: &Session,
    call: &Call<'_>,
    request: &UnknownWordsRequest,
    _: &dyn Fn(Empty),
) -> Result<UnknownWords, WireError> {
    let case = session.case(Path::new(&request.case))?;
    let found = case.unknown_words(&case.snapshot(), &request.query, &call.cancel)?;
    let words = found.into_iter().map(|unknown| UnknownWord {
        nearest: unknown.nearest.iter().map(|near| shape_near(near, &unknown, &request.query)).collect(),
        word: unknown.word,
        start: unknown.start as u32,
        end: unknown.end as u32,
    });
    Ok(UnknownWords { words: words.collect() })
}

fn shape_near(near: &indexer::KnownWord, unknown: &indexer::UnknownWord, query: &str) -> NearWord {
    NearWord { word: near.word.clone(), events: near.events, query: unknown.replaced(query, &near.word) }
}

pub fn check(
    session: &Session,
    _: &Call<'_>,
    request: &CheckRequest,
    _: &dyn Fn(Empty),
) -> Result<QueryCheck, WireError> {
    let case = session.case(Path::new(&request.case))?;
    let reading = if request.kql { Reading::Kql } else { Reading::Timberline };
    let is_sql = is_sql(&request.query);
    let Checked { diagnostics, highlights, printed, outline } = if is_sql {
        let run = RunOptions { folder: session.start.home.clone(), ..RunOptions::default() };
        let options = SqlOptions { run, ..SqlOptions::default() };
        case.check_sql(&case.snapshot(), &request.query, &options)
    } else {
        case.check(&case.snapshot(), &request.query, reading)
    };
    let clauses = outline.clauses.into_iter();
    let stages = outline.stages.into_iter();
    let words = highlights.into_iter().map(|found| QueryWord {
        class: shape_class(found.class),
        start: found.start as u32,
        end: found.end as u32,
    });
    Ok(QueryCheck {
        diagnostics: diagnostics.into_iter().map(shape_diagnostic).collect(),
        words: words.collect(),
        printed,
        filter: request.query[outline.filter].to_owned(),
        clauses: clauses
            .map(|clause| QueryClause { text: clause.text, is_negated: clause.is_negated })
            .collect(),
        stages: stages.map(|stage| QueryPart { start: stage.start as u32, end: stage.end as u32 }).collect(),
        is_sql,
    })
}

pub fn edit(
    _: &Session,
    _: &Call<'_>,
    request: &EditRequest,
    _: &dyn Fn(Empty),
) -> Result<Edited, WireError> {
    if is_sql(&request.query) {
        return Err(WireError::new(ErrorCode::BadRequest, "SQL is changed in its text."));
    }
    let change = match &request.edit {
        QueryEdit::Add { clause } => query::Edit::Add(clause.clone()),
        QueryEdit::Remove { at } => query::Edit::Remove(*at as usize),
        QueryEdit::Turn { at } => query::Edit::Turn(*at as usize),
        QueryEdit::Replace { at, clause } => query::Edit::Replace(*at as usize, clause.clone()),
    };
    let query = query::edit(&request.query, Reading::Timberline, &change).map_err(indexer::Error::from)?;
    Ok(Edited { query })
}

pub fn stretch(
    session: &Session,
    _: &Call<'_>,
    request: &StretchRequest,
    _: &dyn Fn(Empty),
) -> Result<Stretch, WireError> {
    let case = session.case(Path::new(&request.case))?;
    let options = RunOptions::in_zone(request.zone.as_deref().unwrap_or("UTC"))?;
    let around = request.around.as_ref().map(|around| Period { from: around.from.0, to: around.to.0 });
    let (from, to) = (&request.from, request.to.as_deref());
    let found = Engine::stretch(&case.snapshot(), from, to, &options, around)?;
    Ok(Stretch { from: Nanos(found.from), to: Nanos(found.to) })
}

pub fn complete(
    session: &Session,
    call: &Call<'_>,
    request: &CompleteRequest,
    _: &dyn Fn(Empty),
) -> Result<Completion, WireError> {
    let case = session.case(Path::new(&request.case))?;
    let (snapshot, query, cursor) = (case.snapshot(), &request.query, request.cursor as usize);
    // After the first word nothing shows yet whether this is SQL or a search.
    let found = if is_sql(query) || query.ends_with(' ') && is_sql(&format!("{query}*")) {
        Engine::complete_sql(&snapshot, query, cursor, &call.cancel)
    } else {
        case.complete(&snapshot, query, cursor, &call.cancel)
    };
    Ok(Completion {
        start: found.start as u32,
        end: found.end as u32,
        suggestions: found.suggestions.into_iter().map(shape_suggestion).collect(),
    })
}

fn shape_diagnostic(found: query::Diagnostic) -> QueryDiagnostic {
    QueryDiagnostic {
        is_error: found.severity == Severity::Error,
        message: sentence(&found.message),
        hint: found.hint.as_deref().map(sentence),
        start: found.start as u32,
        end: found.end as u32,
        replacement: found.replacement,
    }
}

fn shape_suggestion(found: query::Suggestion) -> Suggestion {
    let kind = match found.kind {
        query::Suggested::Field => SuggestionKind::Field,
        query::Suggested::Value => SuggestionKind::Value,
        query::Suggested::Function => SuggestionKind::Function,
        query::Suggested::Stage => SuggestionKind::Stage,
        query::Suggested::Time => SuggestionKind::Time,
        query::Suggested::Keyword => SuggestionKind::Keyword,
        query::Suggested::Word => SuggestionKind::Word,
    };
    Suggestion { kind, label: found.label, insert: found.insert, detail: found.detail, count: found.count }
}

fn shape_class(class: query::Class) -> WordClass {
    match class {
        query::Class::Field => WordClass::Field,
        query::Class::Operator => WordClass::Operator,
        query::Class::Keyword => WordClass::Keyword,
        query::Class::Text => WordClass::Text,
        query::Class::Number => WordClass::Number,
        query::Class::Regex => WordClass::Regex,
        query::Class::Time => WordClass::Time,
        query::Class::Pipe => WordClass::Pipe,
        query::Class::Stage => WordClass::Stage,
        query::Class::Function => WordClass::Function,
        query::Class::Bracket => WordClass::Bracket,
        query::Class::Unknown => WordClass::Unknown,
    }
}
