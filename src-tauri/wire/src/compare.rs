//! What differs between two parts of a case, across the boundary.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use indexer::compare::{Comparison, Side, SignificantWords};
use indexer::query::Filter;
use indexer::{Case, Engine, Snapshot};
use remote::SampleCase;
use serde::{Deserialize, Serialize};

use crate::calls::{Answer, milliseconds, view};
use crate::remotes::{remote_of, sample_of_remote};
use crate::session::{Call, Session};
use crate::types::{Empty, View};

/// Compares B with A: of one case, of two, or of a cluster, from which a random sample is taken.
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
    /// What has to be known to read the rows, such as that a side is a sample: in sentences, without a full stop.
    pub notes: Vec<String>,
    /// Share of the work done: 1 when this is the whole answer, and only then are rows listed once that follow from
    /// others.
    pub fraction: f64,
    pub elapsed_ms: f64,
}

/// A side with the case that it is in.
struct OwnSide {
    held: HeldSide,
    snapshot: Arc<Snapshot>,
    view: indexer::View,
    notes: Vec<String>,
}

enum HeldSide {
    Case(Arc<Case>),
    /// Its folder is gone with it.
    Sample(Box<SampleCase>),
}

impl OwnSide {
    fn open(session: &Session, call: &Call<'_>, (side, name): (&View, &str)) -> Answer<OwnSide> {
        if let Some(remote) = remote_of(Path::new(&side.case)) {
            let sample = sample_of_remote(session, call, &remote, side)?;
            let snapshot = sample.case.snapshot();
            let notes = sample.notes.iter().map(|note| format!("{name}: {note}")).collect();
            // The cluster has filtered.
            let view = indexer::View { filter: Filter::Everything, from: None, to: None };
            return Ok(OwnSide { held: HeldSide::Sample(Box::new(sample)), snapshot, view, notes });
        }
        let (case, snapshot, view) = view(session, side)?;
        Ok(OwnSide { snapshot, held: HeldSide::Case(case), view, notes: Vec::new() })
    }

    fn side(&self) -> Side<'_> {
        let case = match &self.held {
            HeldSide::Case(case) => case,
            HeldSide::Sample(sample) => &sample.case,
        };
        Side { case, snapshot: &self.snapshot, view: &self.view }
    }

    fn sampled_by(&self) -> Option<&Filter> {
        match &self.held {
            HeldSide::Case(_) => None,
            HeldSide::Sample(sample) => Some(&sample.filter),
        }
    }
}

pub fn compare(
    session: &Session,
    call: &Call<'_>,
    request: &CompareRequest,
    report: &dyn Fn(Compared),
) -> Answer<Compared> {
    let started = Instant::now();
    let a = OwnSide::open(session, call, (&request.a, "A"))?;
    let mut b = OwnSide::open(session, call, (&request.b, "B"))?;
    if request.a.case == request.b.case && b.sampled_by().is_none() {
        // A case may have grown since the other side was opened.
        b.snapshot = Arc::clone(&a.snapshot);
    }
    let revision = b.snapshot.revision();
    let reply = |found: Comparison, fraction: f64| Compared {
        revision,
        notes: a.notes.iter().chain(&b.notes).cloned().chain(found.notes()).collect(),
        found,
        fraction,
        elapsed_ms: milliseconds(started),
    };
    let mut partial = |found: &Comparison, fraction: f64| report(reply(found.clone(), fraction));
    let limit = request.limit as usize;
    let (sides, sampled_by) = ([a.side(), b.side()], [a.sampled_by(), b.sampled_by()]);
    let found = Engine::compare_cases(sides, sampled_by, limit, &mut partial, &call.cancel)?;
    Ok(reply(found, 1.0))
}

/// Both sides are of cases: the sample of a cluster would be another one than that of its comparison.
pub fn compare_words(
    session: &Session,
    call: &Call<'_>,
    request: &CompareRequest,
    _: &dyn Fn(Empty),
) -> Answer<SignificantWords> {
    let [(case_a, a, view_a), (case_b, b, view_b)] = [view(session, &request.a)?, view(session, &request.b)?];
    let sides = [
        Side { case: &case_a, snapshot: &a, view: &view_a },
        // A case may have grown in between.
        Side {
            case: &case_b,
            snapshot: if request.a.case == request.b.case { &a } else { &b },
            view: &view_b,
        },
    ];
    Ok(Engine::significant_words(sides, request.limit as usize, &call.cancel)?)
}
