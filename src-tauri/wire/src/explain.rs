//! How a query was answered, across the boundary.

use std::path::Path;

use indexer::Explanation;
use serde::{Deserialize, Serialize};

use crate::calls::Answer;
use crate::session::{Call, Session};
use crate::tables::{Asked, options};
use crate::types::{Empty, View};

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ExplainRequest {
    /// The query may have stages, or be SQL.
    pub view: View,
    /// The zone of days and of times that name none; null is UTC.
    pub zone: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Explained {
    /// How the matching events were found, clause by clause; null for SQL.
    pub found: Option<Explanation>,
    /// Whether kernels calculate the first aggregation, and if not why; null where there is none.
    pub calculated: Option<String>,
}

/// The filter is answered once more, without what is kept of earlier answers.
pub fn explain(
    session: &Session,
    call: &Call<'_>,
    request: &ExplainRequest,
    _: &dyn Fn(Empty),
) -> Answer<Explained> {
    let case = session.case(Path::new(&request.view.case))?;
    let snapshot = case.snapshot();
    let asked = Asked::from_view(&case, &request.view)?;
    let options = options(session, &case, request.zone.as_ref())?;
    let calculated = asked.calculated(&case, &snapshot, &options, &call.cancel)?;
    let found = match asked {
        Asked::Query(query, (from, to)) => {
            let view = indexer::View { filter: query.filter, from, to };
            Some(case.explain(&snapshot, &view, &call.cancel)?)
        }
        Asked::Sql(..) => None,
    };
    Ok(Explained { found, calculated })
}
