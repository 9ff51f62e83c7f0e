//! Calls that change what a case has already, or look whether it is sound.

use std::path::Path;

use indexer::Case;

use crate::calls::summary;
use crate::session::{Call, Session};
use crate::types::{
    CasePath, CaseSummary, CompactReport, DeleteRequest, Empty, Profile, ReprofileRequest, Rewriting,
    Verification, WireError,
};

type Answer<T> = Result<T, WireError>;

pub fn reprofile(
    session: &Session,
    call: &Call<'_>,
    request: &ReprofileRequest,
    report: &dyn Fn(Rewriting),
) -> Answer<CaseSummary> {
    let case = session.case(Path::new(&request.case))?;
    case.reprofile(engine_profile(request.profile), &mut |at| report(rewriting(at)), &call.cancel)?;
    Ok(summary(&case))
}

pub fn compact(
    session: &Session,
    call: &Call<'_>,
    request: &CasePath,
    report: &dyn Fn(Rewriting),
) -> Answer<CompactReport> {
    let case = session.case(Path::new(&request.path))?;
    let done = case.compact(&mut |at| report(rewriting(at)), &call.cancel)?;
    Ok(CompactReport {
        bytes_before: done.bytes_before,
        bytes_after: done.bytes_after,
        segments_before: done.segments_before as u32,
        segments_after: done.segments_after as u32,
        seconds: done.seconds,
    })
}

pub fn delete_sources(
    session: &Session,
    call: &Call<'_>,
    request: &DeleteRequest,
    report: &dyn Fn(Rewriting),
) -> Answer<CaseSummary> {
    let case = session.case(Path::new(&request.case))?;
    case.delete_sources(&request.sources, &mut |at| report(rewriting(at)), &call.cancel)?;
    Ok(summary(&case))
}

pub fn verify(
    session: &Session,
    call: &Call<'_>,
    request: &CasePath,
    _: &dyn Fn(Empty),
) -> Answer<Verification> {
    Ok(verification(&*session.case(Path::new(&request.path))?, call))
}

pub fn repair(
    session: &Session,
    call: &Call<'_>,
    request: &CasePath,
    _: &dyn Fn(Empty),
) -> Answer<Verification> {
    let case = session.case(Path::new(&request.path))?;
    case.repair(&call.cancel)?;
    Ok(verification(&case, call))
}

fn verification(case: &Case, call: &Call<'_>) -> Verification {
    let found = case.verify(&call.cancel);
    Verification {
        sources: found.sources as u32,
        segments: found.segments as u32,
        bytes: found.bytes,
        problems: found.problems.iter().map(WireError::from).collect(),
    }
}

fn rewriting(at: indexer::Rewriting) -> Rewriting {
    Rewriting { done: at.done as u32, of: at.of as u32 }
}

pub fn engine_profile(profile: Profile) -> indexer::Profile {
    match profile {
        Profile::Raw => indexer::Profile::Raw,
        Profile::Fields => indexer::Profile::Fields,
        Profile::Bloom => indexer::Profile::Bloom,
        Profile::Full => indexer::Profile::Full,
    }
}

pub fn shape_profile(profile: indexer::Profile) -> Profile {
    match profile {
        indexer::Profile::Raw => Profile::Raw,
        indexer::Profile::Fields => Profile::Fields,
        indexer::Profile::Bloom => Profile::Bloom,
        indexer::Profile::Full => Profile::Full,
    }
}
