//! Who follows whom, across the boundary.

use indexer::links::Spot;
use serde::{Deserialize, Serialize};

use crate::calls::{Answer, view};
use crate::session::{Call, Session};
use crate::types::View;

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ServiceMapRequest {
    pub view: View,
    /// The field whose values are the ids.
    pub id: String,
    /// Reads ids under their other names too, where sources are linked.
    pub linked: bool,
    /// The field whose values are the nodes.
    pub node: String,
}

/// The share of the work that is done.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ServiceMapProgress {
    pub fraction: f64,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ServiceMap {
    pub revision: u64,
    /// Where ids were read.
    pub places: Vec<Spot>,
    #[serde(flatten)]
    pub map: indexer::service_map::ServiceMap,
}

/// Of the work, finding links is so much.
const LINKS_SHARE: f64 = 0.7;

pub fn service_map(
    session: &Session,
    call: &Call<'_>,
    request: &ServiceMapRequest,
    report: &dyn Fn(ServiceMapProgress),
) -> Answer<ServiceMap> {
    let (case, snapshot, view) = view(session, &request.view)?;
    let (mut places, mut done) = (vec![Spot::Field(request.id.clone())], 0.0);
    if request.linked {
        let mut progress = |share: f64| report(ServiceMapProgress { fraction: LINKS_SHARE * share });
        places = case.links(&snapshot, &mut progress, &call.cancel)?.names_of(&request.id);
        done = LINKS_SHARE;
    }
    let mut progress = |share: f64| report(ServiceMapProgress { fraction: done + (1.0 - done) * share });
    let map = case.service_map(&snapshot, &view, (&places, &request.node), &mut progress, &call.cancel)?;
    Ok(ServiceMap { revision: snapshot.revision(), places, map })
}
