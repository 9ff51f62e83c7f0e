//! `timberline words`: the words of a case and how many events have each.

use std::io::Write;

use anyhow::Result;
use indexer::{Cancel, Case};

use crate::Outcome;
use crate::args::Words;
use crate::events::outcome;
use crate::out;

pub fn run(arguments: &Words) -> Result<Outcome> {
    let case = Case::open(&arguments.case)?;
    let snapshot = case.snapshot();
    let words = case.words(&snapshot, &arguments.prefix, arguments.limit, &Cancel::default())?;
    let mut stdout = out::stdout();
    for found in &words {
        writeln!(stdout, "{} {}", found.word, found.events)?;
    }
    stdout.flush()?;
    let (reached, segments) = snapshot.indexed();
    if reached < segments {
        out::say(&format!(
            "{} of {segments} segments have no text index yet, and their words are not among these",
            segments - reached
        ));
    }
    Ok(outcome(&snapshot))
}
