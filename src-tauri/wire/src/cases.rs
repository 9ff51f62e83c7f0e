//! Calls on a case as a whole: its name, a copy, its end; and what the language offers in every case.

// Every call answers alike, so that the contract's table can list it; some of them cannot fail.
#![allow(clippy::unnecessary_wraps)]

use std::path::Path;

use indexer::query::{self, reference::Topic};
use serde::{Deserialize, Serialize};

use crate::calls::{Answer, summary};
use crate::detectors::KeptHistories;
use crate::opening::free_case_path;
use crate::recent::{drop_case, note};
use crate::session::{Call, Session};
use crate::trust::{forget, is_trusted, trust};
use crate::types::{CasePath, CaseSummary, Empty, ErrorCode, WireError};
use crate::unread::forget_unread;

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RenameRequest {
    pub path: String,
    pub name: String,
}

/// The progress of a copy.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Copying {
    pub bytes: u64,
    pub of: u64,
}

/// The language, part by part.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Reference {
    pub topics: Vec<Topic>,
}

pub fn rename_case(
    session: &Session,
    _: &Call<'_>,
    request: &RenameRequest,
    _: &dyn Fn(Empty),
) -> Answer<CaseSummary> {
    let case = session.writing(Path::new(&request.path))?;
    case.rename(&request.name)?;
    let summary = summary(&case);
    note(&session.start.home, &summary);
    Ok(summary)
}

/// The copy is in the folder of cases, wherever the case is, and as trusted as the case.
pub fn duplicate_case(
    session: &Session,
    call: &Call<'_>,
    request: &RenameRequest,
    report: &dyn Fn(Copying),
) -> Answer<CaseSummary> {
    let case = session.writing(Path::new(&request.path))?;
    let folder = free_case_path(session, &request.name)?;
    let mut progress = |bytes, of| report(Copying { bytes, of });
    case.copy_to(&folder, &request.name, &mut progress, &call.cancel)?;
    let copy = session.case(&folder)?;
    if is_trusted(&session.start.home, &case) {
        // If the list cannot be written, a person is asked when it matters.
        let _ = trust(session, &copy);
    }
    let summary = summary(&copy);
    note(&session.start.home, &summary);
    Ok(summary)
}

pub fn delete_case(session: &Session, _: &Call<'_>, request: &CasePath, _: &dyn Fn(Empty)) -> Answer<Empty> {
    let folder = Path::new(&request.path);
    let case = session.case(folder)?;
    session.stop_receiving(&case)?;
    let left = case.delete()?;
    // If the list cannot be written, another case at this path is not trusted either: its folder is another one.
    let _ = forget(session, &case);
    forget_unread(&session.start.home, case.folder());
    close(session, folder);
    drop_case(session, &request.path)?;
    match left.first() {
        None => Ok(Empty {}),
        Some(first) => {
            let message = format!(
                "The case is deleted. {} of its folder's entries are not the case's and were left there, such as {}.",
                left.len(),
                first.file_name().unwrap_or_default().to_string_lossy()
            );
            Err(WireError {
                path: Some(request.path.clone()),
                ..WireError::new(ErrorCode::BadRequest, message)
            })
        }
    }
}

/// Forgets an open case, because it is gone, and what is kept of it.
fn close(session: &Session, folder: &Path) {
    session.forget(folder);
    *session.kept_table() = None;
    *session.kept_histories() = KeptHistories::default();
    session.forget_inbox(folder);
}

pub fn reference(_: &Session, _: &Call<'_>, _: &Empty, _: &dyn Fn(Empty)) -> Answer<Reference> {
    Ok(Reference { topics: query::reference::reference() })
}
