//! What sources have in common, across the boundary.

use std::path::Path;

use indexer::links::Links;
use serde::Serialize;

use crate::calls::Answer;
use crate::session::{Call, Session};
use crate::types::CasePath;

/// The share of the events that was read.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LinksProgress {
    pub fraction: f64,
}

pub fn links(
    session: &Session,
    call: &Call<'_>,
    request: &CasePath,
    report: &dyn Fn(LinksProgress),
) -> Answer<Links> {
    let case = session.case(Path::new(&request.path))?;
    let mut progress = |fraction: f64| report(LinksProgress { fraction });
    Ok(case.links(&case.snapshot(), &mut progress, &call.cancel)?)
}
