//! What sources have in common, across the boundary.

use std::path::Path;

use indexer::links::{LinkedValue, Links};
use serde::{Deserialize, Serialize};

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
    Ok(Links::clone(&*case.links(&case.snapshot(), &mut progress, &call.cancel)?))
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LinkedRequest {
    pub case: String,
    pub value: String,
    /// Answers with nothing instead of looking through all events.
    pub only_known: bool,
}

/// The names of a value's ids; nothing if the links of the case are not known.
pub fn linked(
    session: &Session,
    call: &Call<'_>,
    request: &LinkedRequest,
    report: &dyn Fn(LinksProgress),
) -> Answer<Option<LinkedValue>> {
    let case = session.case(Path::new(&request.case))?;
    let snapshot = case.snapshot();
    let links = if request.only_known {
        case.known_links(&snapshot)
    } else {
        let mut progress = |fraction: f64| report(LinksProgress { fraction });
        Some(case.links(&snapshot, &mut progress, &call.cancel)?)
    };
    let value = links.map(|links| case.linked_value(&snapshot, &links, &request.value, &call.cancel));
    Ok(value.transpose()?)
}
