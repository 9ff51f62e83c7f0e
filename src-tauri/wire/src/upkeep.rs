//! Calls that change what a case has already, or look whether it is sound.

use std::path::Path;

use indexer::{CompactReport, Rewriting, Verification};

use crate::calls::{Answer, summary};
use crate::session::{Call, Session};
use crate::types::{CasePath, CaseSummary, DeleteRequest, Empty, ReprofileRequest};

pub fn reprofile(
    session: &Session,
    call: &Call<'_>,
    request: &ReprofileRequest,
    report: &dyn Fn(Rewriting),
) -> Answer<CaseSummary> {
    let case = session.writing(Path::new(&request.case))?;
    case.reprofile(request.profile, &mut |at| report(at), &call.cancel)?;
    Ok(summary(&case))
}

pub fn compact(
    session: &Session,
    call: &Call<'_>,
    request: &CasePath,
    report: &dyn Fn(Rewriting),
) -> Answer<CompactReport> {
    let case = session.writing(Path::new(&request.path))?;
    Ok(case.compact(&mut |at| report(at), &call.cancel)?)
}

pub fn delete_sources(
    session: &Session,
    call: &Call<'_>,
    request: &DeleteRequest,
    report: &dyn Fn(Rewriting),
) -> Answer<CaseSummary> {
    let case = session.writing(Path::new(&request.case))?;
    case.delete_sources(&request.sources, &mut |at| report(at), &call.cancel)?;
    Ok(summary(&case))
}

pub fn verify(
    session: &Session,
    call: &Call<'_>,
    request: &CasePath,
    _: &dyn Fn(Empty),
) -> Answer<Verification> {
    Ok(session.case(Path::new(&request.path))?.verify(&call.cancel))
}

pub fn repair(
    session: &Session,
    call: &Call<'_>,
    request: &CasePath,
    _: &dyn Fn(Empty),
) -> Answer<Verification> {
    let case = session.writing(Path::new(&request.path))?;
    case.repair(&call.cancel)?;
    Ok(case.verify(&call.cancel))
}
