//! Message patterns over time, across the boundary.

use std::time::Instant;

use indexer::Granularity;
use indexer::seismograph::SeismographOptions;
use serde::{Deserialize, Serialize};

use crate::calls::{Answer, milliseconds, view};
use crate::session::{Call, Session};
use crate::types::View;

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SeismographRequest {
    pub view: View,
    pub granularity: Granularity,
    /// Rows listed at most.
    pub rows: u32,
    /// The most bins that the time is cut into.
    pub bins: u32,
}

/// The share of the work that is done.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SeismographProgress {
    pub fraction: f64,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Seismograph {
    pub revision: u64,
    #[serde(flatten)]
    pub found: indexer::seismograph::Seismograph,
    pub elapsed_ms: f64,
}

pub fn seismograph(
    session: &Session,
    call: &Call<'_>,
    request: &SeismographRequest,
    report: &dyn Fn(SeismographProgress),
) -> Answer<Seismograph> {
    let started = Instant::now();
    let (case, snapshot, view) = view(session, &request.view)?;
    let options = SeismographOptions {
        granularity: request.granularity,
        rows: request.rows as usize,
        bins: request.bins as usize,
    };
    let mut progress = |fraction: f64| report(SeismographProgress { fraction });
    let found = case.seismograph(&snapshot, &view, options, &mut progress, &call.cancel)?;
    Ok(Seismograph { revision: snapshot.revision(), found, elapsed_ms: milliseconds(started) })
}
