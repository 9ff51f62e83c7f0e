//! `timberline info` and `timberline verify`.

use std::io::Write;

use anyhow::Result;
use indexer::{Cancel, Case, Engine, stamp};

use crate::Outcome;
use crate::args::{CaseArgument, Verify};
use crate::out;

pub fn info(arguments: &CaseArgument) -> Result<Outcome> {
    let case = Case::open(&arguments.case)?;
    let snapshot = case.snapshot();
    let mut stdout = out::stdout();
    writeln!(stdout, "{}", snapshot.name())?;
    writeln!(stdout, "  events    {}", snapshot.events())?;
    if let Some((first, last)) = snapshot.time_range() {
        writeln!(stdout, "  times     {} to {}", stamp::to_rfc3339(first), stamp::to_rfc3339(last))?;
    }
    let (reached, segments) = snapshot.indexed();
    let profile = snapshot.profile().name();
    writeln!(stdout, "  profile   {profile}, reached by {reached} of {segments} segments")?;
    writeln!(stdout, "  fields    {}", Engine::field_names(&snapshot).join(", "))?;
    for (id, source) in (0..).zip(snapshot.sources()).filter(|(_, source)| !source.deleted) {
        let state = source.note.as_deref().unwrap_or(if source.complete { "complete" } else { "being read" });
        writeln!(
            stdout,
            "  source    {} ({}): {} events, {} bytes, {state}, SHA-256 {}",
            source.name, source.format, source.events, source.bytes, source.sha256
        )?;
        if let Some(set) = &source.set {
            writeln!(stdout, "            set: {set}")?;
        }
        let Some(account) = case.account(&snapshot, id)? else { continue };
        writeln!(stdout, "            format: {}", account.reason)?;
        for remark in account.remarks() {
            writeln!(stdout, "            {remark}")?;
        }
    }
    if let Some(trash) = case.trash() {
        writeln!(
            stdout,
            "  trash     {} bytes: `timberline restore` takes the last change back, to {} events",
            trash.bytes, trash.events_before
        )?;
    }
    stdout.flush()?;
    Ok(Outcome::Done)
}

/// The case after a repair, which says what it did.
fn repaired(arguments: &Verify) -> Result<Case> {
    let (case, is_new_manifest) = Case::open_to_repair(&arguments.case)?;
    if is_new_manifest {
        out::say("case.json was missing or damaged, and was made again from what the case has");
    }
    let done = case.repair(&Cancel::default())?;
    out::say(&format!("{} segments and {} indexes were rebuilt", done.segments, done.indexes));
    if done.counts {
        out::say("the numbers of events in case.json were wrong, and were counted again");
    }
    Ok(case)
}

pub fn verify(arguments: &Verify) -> Result<Outcome> {
    let case = if arguments.repair { repaired(arguments)? } else { Case::open(&arguments.case)? };
    let verification = case.verify(&Cancel::default());
    if verification.problems.is_empty() {
        let mut stdout = out::stdout();
        writeln!(
            stdout,
            "{} sources ({} bytes) and {} segments are as they were written",
            verification.sources, verification.bytes, verification.segments
        )?;
        stdout.flush()?;
        return Ok(Outcome::Done);
    }
    verification.problems.iter().for_each(out::problem);
    Ok(Outcome::Unreadable)
}
