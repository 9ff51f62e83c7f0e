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
    stdout.flush()?;
    Ok(Outcome::Done)
}

pub fn verify(arguments: &Verify) -> Result<Outcome> {
    let case = Case::open(&arguments.case)?;
    if arguments.repair {
        let done = case.repair(&Cancel::default())?;
        out::say(&format!("{} segments and {} indexes were rebuilt", done.segments, done.indexes));
    }
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
