//! Message templates across the boundary: requests and answers.

use std::time::Instant;

use indexer::{Granularity, Nanos};
use serde::{Deserialize, Serialize};

use crate::calls::{Answer, milliseconds, view};
use crate::session::{Call, Session};
use crate::types::{ErrorCode, RemoteSays, View, WireError};

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PatternsRequest {
    pub view: View,
    pub granularity: Granularity,
    /// Templates listed at most, the most frequent first.
    pub limit: u32,
    /// The most buckets of a sparkline.
    pub buckets: u32,
    /// Events named as examples of each, the earliest.
    pub examples: u32,
    /// Counts outside of the view's times too: what is new in it, what is gone.
    pub compare: bool,
    /// The times that it is compared with; all others where none are given.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub against: Option<TimeSpan>,
    /// Ids of listed templates whose variable parts are listed.
    pub variables: Vec<String>,
    /// The most frequent values listed of a variable part.
    pub values: u32,
}

/// Times from inclusive, to exclusive; a pair in the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TimeSpan {
    pub from: Nanos,
    pub to: Nanos,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Patterns {
    pub revision: u64,
    #[serde(flatten)]
    pub list: indexer::Patterns,
    /// Share of the work done: 1 when this is the whole answer.
    pub fraction: f64,
    pub elapsed_ms: f64,
    /// What a cluster says of its answer, such as how large the sample is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub remote: Option<RemoteSays>,
}

pub fn patterns(
    session: &Session,
    call: &Call<'_>,
    request: &PatternsRequest,
    report: &dyn Fn(Patterns),
) -> Answer<Patterns> {
    let started = Instant::now();
    let (case, snapshot, view) = view(session, &request.view)?;
    let options = options(request)?;
    let reply = |list: indexer::Patterns, fraction: f64| Patterns {
        revision: snapshot.revision(),
        list,
        fraction,
        elapsed_ms: milliseconds(started),
        remote: None,
    };
    let mut partial = |list: &indexer::Patterns, fraction: f64| report(reply(list.clone(), fraction));
    let list = case.patterns(&snapshot, &view, &options, &mut partial, &call.cancel)?;
    Ok(reply(list, 1.0))
}

pub(crate) fn options(request: &PatternsRequest) -> Answer<indexer::PatternOptions> {
    let id = |text: &String| {
        let unknown =
            || WireError::new(ErrorCode::BadRequest, format!("`{text}` is not the id of a pattern."));
        text.parse().map_err(|()| unknown())
    };
    Ok(indexer::PatternOptions {
        granularity: request.granularity,
        limit: request.limit as usize,
        buckets: request.buckets as usize,
        examples: request.examples as usize,
        compare: request.compare,
        against: request.against.map(|span| (span.from.0, span.to.0)),
        variables: request.variables.iter().map(id).collect::<Result<_, _>>()?,
        values: request.values as usize,
    })
}
