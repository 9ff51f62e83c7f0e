//! The query language on the wire: what is wrong with a query, how its words look, what could come next.

use std::path::Path;

use indexer::query::time::Period;
use indexer::query::{self, Clause, Completion, Diagnostic, Edit, Highlight, Reading, Severity};
use indexer::{Checked, Engine, KnownWord, RunOptions, SqlOptions, is_sql, sentence};
use serde::{Deserialize, Serialize};

use crate::trust;
use crate::types::{Empty, ErrorCode, WireError};
use crate::{Call, Session};

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CheckRequest {
    pub case: String,
    pub query: String,
    /// Read it as Kibana does: values and words side by side are alternatives.
    pub kql: bool,
}

/// What can be said of a query without running it. All places are bytes of the query.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct QueryCheck {
    pub diagnostics: Vec<QueryDiagnostic>,
    pub words: Vec<Highlight>,
    /// The query in the language's own spelling, where nothing is wrong with it.
    pub printed: Option<String>,
    /// The text before the first pipe: the filter of events, timelines and charts.
    pub filter: String,
    /// What of the filter must hold at once; empty where the filter has a mistake.
    pub clauses: Vec<Clause>,
    /// Its stages, without their pipes. A statement of SQL is one, of all events.
    pub stages: Vec<QueryPart>,
    /// Whether it is read as SQL.
    pub is_sql: bool,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct QueryPart {
    pub start: u32,
    pub end: u32,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct EditRequest {
    pub case: String,
    pub query: String,
    /// Clauses are counted from 0, as `check` lists them.
    pub edit: Edit,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Edited {
    pub query: String,
}

/// Times as the language writes them: `now-15m`, `yesterday`, `2024-05-01T14:05`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct StretchRequest {
    pub case: String,
    pub from: String,
    /// Null asks for the time that `from` names alone.
    pub to: Option<String>,
    /// The zone of days and of times that name none; null is UTC.
    pub zone: Option<String>,
    /// The times in view: a time of day is on a day of theirs; null leaves that to the end of the data.
    pub around: Option<Period>,
}

/// A diagnostic in sentences; the engine's chain into the errors of the command line.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
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

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CompleteRequest {
    pub case: String,
    pub query: String,
    /// A byte of the query.
    pub cursor: u32,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct UnknownWordsRequest {
    pub case: String,
    pub query: String,
}

/// Nothing while segments have no text index yet, and in profiles without one.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct UnknownWords {
    pub words: Vec<UnknownWord>,
}

/// A word of a query that no event has, with the query as each near word corrects it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct UnknownWord {
    pub word: String,
    /// Bytes of the query.
    pub start: u32,
    pub end: u32,
    /// Words that it was perhaps meant for, those of the most events first.
    pub nearest: Vec<NearWord>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct NearWord {
    #[serde(flatten)]
    pub known: KnownWord,
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
    let near = |unknown: &indexer::UnknownWord, known: &KnownWord| NearWord {
        query: unknown.replaced(&request.query, &known.word),
        known: known.clone(),
    };
    let words = found.into_iter().map(|unknown| UnknownWord {
        nearest: unknown.nearest.iter().map(|known| near(&unknown, known)).collect(),
        word: unknown.word,
        start: unknown.start as u32,
        end: unknown.end as u32,
    });
    Ok(UnknownWords { words: words.collect() })
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
    let checked = if is_sql {
        let run = RunOptions { files: trust::files(session, &case), ..RunOptions::default() };
        let options = SqlOptions { run, ..SqlOptions::default() };
        case.check_sql(&case.snapshot(), &request.query, &options)
    } else {
        case.check(&case.snapshot(), &request.query, reading)
    };
    Ok(check_reply(&request.query, checked, is_sql))
}

pub(crate) fn check_reply(query: &str, checked: Checked, is_sql: bool) -> QueryCheck {
    let Checked { diagnostics, highlights, printed, outline } = checked;
    let stages = outline.stages.into_iter();
    QueryCheck {
        diagnostics: diagnostics.into_iter().map(QueryDiagnostic::from).collect(),
        words: highlights,
        printed,
        filter: query[outline.filter].to_owned(),
        clauses: outline.clauses,
        stages: stages.map(|stage| QueryPart { start: stage.start as u32, end: stage.end as u32 }).collect(),
        is_sql,
    }
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
    let query = query::edit(&request.query, Reading::Timberline, &request.edit);
    Ok(Edited { query: query.map_err(indexer::Error::from)? })
}

pub fn stretch(
    session: &Session,
    _: &Call<'_>,
    request: &StretchRequest,
    _: &dyn Fn(Empty),
) -> Result<Period, WireError> {
    let case = session.case(Path::new(&request.case))?;
    let options = RunOptions::in_zone(request.zone.as_deref().unwrap_or("UTC"))?;
    let (from, to) = (&request.from, request.to.as_deref());
    Ok(Engine::stretch(&case.snapshot(), from, to, &options, request.around)?)
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
    Ok(if is_sql(query) || query.ends_with(' ') && is_sql(&format!("{query}*")) {
        Engine::complete_sql(&snapshot, query, cursor, &call.cancel)
    } else {
        case.complete(&snapshot, query, cursor, &call.cancel)
    })
}

impl From<Diagnostic> for QueryDiagnostic {
    fn from(found: Diagnostic) -> QueryDiagnostic {
        QueryDiagnostic {
            is_error: found.severity == Severity::Error,
            message: sentence(&found.message),
            hint: found.hint.as_deref().map(sentence),
            start: found.start as u32,
            end: found.end as u32,
            replacement: found.replacement,
        }
    }
}
