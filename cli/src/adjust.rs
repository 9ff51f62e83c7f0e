//! `timberline adjust` and `timberline reread`: a source's times, or all of it, read again from the stored bytes.

use anyhow::Result;
use indexer::{Cancel, Case, Error, ErrorKind, ImportOptions, ImportReport, Progress, Snapshot};

use crate::Outcome;
use crate::args::{Adjust, Reread, clock_offset_ns};
use crate::import::{counted, line};
use crate::out;

pub fn adjust(arguments: &Adjust) -> Result<Outcome> {
    let offset_ns = arguments.offset.as_deref().map(clock_offset_ns).transpose()?;
    if arguments.zone.is_none() && offset_ns.is_none() {
        let error = Error::new(ErrorKind::BadRequest, "there is nothing to adjust");
        return Err(error.hint("give --zone, --offset or both").into());
    }
    let case = Case::open(&arguments.case)?;
    let sources = named(&case.snapshot(), &arguments.source)?;
    tell(&case.adjust(&sources, arguments.zone.as_deref(), offset_ns, &show, &Cancel::default())?)
}

pub fn reread(arguments: &Reread) -> Result<Outcome> {
    let case = Case::open(&arguments.case)?;
    let sources = named(&case.snapshot(), &arguments.source)?;
    let options = ImportOptions { ingest: arguments.reading.options()?, ..ImportOptions::default() };
    tell(&case.reread(&sources, &options, &show, &Cancel::default())?)
}

fn named(snapshot: &Snapshot, name: &str) -> Result<Vec<u32>> {
    let sources = snapshot.sources_named(name);
    if sources.is_empty() {
        let error = Error::new(ErrorKind::BadRequest, format!("there is no source \"{name}\" in this case"));
        return Err(error
            .hint("`timberline info CASE` lists them; a number, a name or a path will do")
            .into());
    }
    Ok(sources)
}

#[allow(clippy::needless_pass_by_value)] // So that it can be handed over as it is.
fn show(progress: Progress) {
    out::progress(&line(&progress));
}

fn tell(done: &ImportReport) -> Result<Outcome> {
    out::progress("");
    let mut outcome = Outcome::Done;
    for file in &done.files {
        match (&file.problem, &file.source) {
            (Some(problem), _) => {
                out::problem(problem);
                outcome = Outcome::Unreadable;
            }
            (None, Some(source)) => out::say(&format!(
                "{}: {} read again as {}, zone: {}",
                source.name,
                counted(source.events, "event"),
                source.format,
                source.zone
            )),
            (None, None) => {}
        }
    }
    match &done.failure {
        Some(error) => Err(error.clone().into()),
        None => Ok(outcome),
    }
}
