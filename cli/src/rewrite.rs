//! `timberline reprofile`, `compact`, `delete` and `restore`: changing what a case has already.

use std::io::Write;

use anyhow::Result;
use indexer::{Cancel, Case, Error, ErrorKind, Rewriting, Snapshot};

use crate::Outcome;
use crate::args::{CaseArgument, Delete, Reprofile, Rewrite};
use crate::out;

pub fn reprofile(arguments: &Reprofile) -> Result<Outcome> {
    let case = Case::open(&arguments.case)?;
    let before = bytes(&case);
    case.reprofile(arguments.profile.into(), &mut |at| tell("changing", at), &Cancel::default())?;
    out::progress("");
    let profile = case.snapshot().profile().name();
    out::say(&format!("the case has the profile {profile}: {} MB, before {before} MB", bytes(&case)));
    Ok(Outcome::Done)
}

pub fn compact(arguments: &Rewrite) -> Result<Outcome> {
    let case = Case::open(&arguments.case)?;
    let done = case.compact(&mut |at| tell("compacting", at), &Cancel::default())?;
    out::progress("");
    if arguments.json {
        let report = serde_json::json!({
            "bytes_before": done.bytes_before,
            "bytes_after": done.bytes_after,
            "segments_before": done.segments_before,
            "segments_after": done.segments_after,
            "seconds": done.seconds,
        });
        let mut stdout = out::stdout();
        writeln!(stdout, "{report:#}")?;
        stdout.flush()?;
    } else {
        out::say(&format!(
            "{} MB in {} segments, before {} MB in {}, in {:.1} s",
            done.bytes_after >> 20,
            done.segments_after,
            done.bytes_before >> 20,
            done.segments_before,
            done.seconds
        ));
    }
    Ok(Outcome::Done)
}

pub fn delete(arguments: &Delete) -> Result<Outcome> {
    let case = Case::open(&arguments.case)?;
    let snapshot = case.snapshot();
    let mut ids = Vec::new();
    for name in &arguments.sources {
        ids.extend(named(&snapshot, name)?);
    }
    ids.sort_unstable();
    ids.dedup();
    let events: u64 = ids.iter().map(|&id| snapshot.sources()[id as usize].events).sum();
    case.delete_sources(&ids, &mut |at| tell("deleting", at), &Cancel::default())?;
    out::progress("");
    out::say(&format!("{} sources with {events} events are deleted", ids.len()));
    out::say(match case.trash() {
        Some(_) => "`timberline restore` has them back, until the next change of the case or for seven days",
        None => "they are more than the case's trash keeps, so they cannot be had back",
    });
    Ok(Outcome::Done)
}

pub fn restore(arguments: &CaseArgument) -> Result<Outcome> {
    let done = Case::open(&arguments.case)?.restore()?;
    out::say(&format!(
        "the last change is taken back: {} events, before {}",
        done.events, done.events_before
    ));
    if done.added_since > 0 {
        out::say(&format!("{} sources that were added since stay", done.added_since));
    }
    out::say("`timberline restore` makes the change once more");
    Ok(Outcome::Done)
}

/// The sources of a name, or the one of a number.
fn named(snapshot: &Snapshot, name: &str) -> indexer::Result<Vec<u32>> {
    let there = snapshot.sources().iter().enumerate().filter(|(_, source)| !source.deleted);
    let ids: Vec<u32> =
        there.clone().filter(|(_, source)| source.name == name).map(|(id, _)| id as u32).collect();
    let number = || there.clone().map(|(id, _)| id as u32).find(|id| id.to_string() == name);
    if !ids.is_empty() {
        return Ok(ids);
    }
    number().map(|id| vec![id]).ok_or_else(|| {
        Error::new(ErrorKind::BadRequest, format!("the case has no source named \"{name}\""))
            .hint("`timberline info` lists its sources")
    })
}

fn bytes(case: &Case) -> u64 {
    case.bytes_on_disk() >> 20
}

fn tell(what: &str, at: Rewriting) {
    out::progress(&format!("{what}: {} of {}", at.done, at.of));
}
