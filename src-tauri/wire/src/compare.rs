//! What differs between two parts of a case, across the boundary.

use std::time::Instant;

use indexer::compare::Comparison;
use serde::{Deserialize, Serialize};

use crate::calls::{Answer, milliseconds, view};
use crate::session::{Call, Session};
use crate::types::{ErrorCode, View, WireError};

/// Compares B with A; both are of one case.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CompareRequest {
    pub a: View,
    pub b: View,
    /// Rows listed at most.
    pub limit: u32,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Compared {
    pub revision: u64,
    #[serde(flatten)]
    pub found: Comparison,
    /// What has to be known to read the rows: in sentences, without a full stop.
    pub notes: Vec<String>,
    /// Share of the work done: 1 when this is the whole answer, and only then are rows listed once that follow from
    /// others.
    pub fraction: f64,
    pub elapsed_ms: f64,
}

pub fn compare(
    session: &Session,
    call: &Call<'_>,
    request: &CompareRequest,
    report: &dyn Fn(Compared),
) -> Answer<Compared> {
    let started = Instant::now();
    if request.a.case != request.b.case {
        return Err(WireError::new(
            ErrorCode::BadRequest,
            "Both sides of a comparison have to be of one case.",
        ));
    }
    let (case, a) = view(session, &request.a)?;
    let (_, b) = view(session, &request.b)?;
    let snapshot = case.snapshot();
    let reply = |found: Comparison, fraction: f64| Compared {
        revision: snapshot.revision(),
        notes: found.notes(),
        found,
        fraction,
        elapsed_ms: milliseconds(started),
    };
    let mut partial = |found: &Comparison, fraction: f64| report(reply(found.clone(), fraction));
    let limit = request.limit as usize;
    let found = case.compare(&snapshot, [&a, &b], limit, &mut partial, &call.cancel)?;
    Ok(reply(found, 1.0))
}
