//! `timberline words`: the words of a case and how many events have each, or those that are significant for a selection.

use std::io::Write;

use anyhow::Result;
use indexer::compare::Side;
use indexer::query::Filter;
use indexer::{Cancel, Case, Engine, Snapshot, View};

use crate::Outcome;
use crate::args::Words;
use crate::events::outcome;
use crate::out;

pub fn run(arguments: &Words) -> Result<Outcome> {
    let case = Case::open(&arguments.case)?;
    let snapshot = case.snapshot();
    if let Some(query) = &arguments.selection {
        return significant(&case, &snapshot, query, arguments.limit);
    }
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

/// Prints the words of a selection with how many of its events have each, and how many others.
fn significant(case: &Case, snapshot: &Snapshot, query: &str, most: usize) -> Result<Outcome> {
    let selection = View::parse(query, None, None).inspect_err(|error| out::caret(query, error))?;
    let others = View { filter: Filter::Not(Box::new(selection.filter.clone())), from: None, to: None };
    let sides = [&others, &selection].map(|view| Side { case, snapshot, view });
    let found = Engine::significant_words(sides, most, &Cancel::default())
        .inspect_err(|error| out::caret(query, error))?;
    let mut stdout = out::stdout();
    for found in &found.words {
        writeln!(stdout, "{} {} {} {:.3}", found.word, found.selected, found.others, found.score)?;
    }
    stdout.flush()?;
    out::say(&format!(
        "word, how many of {} matching events and of {} others have it, score",
        found.selected, found.others
    ));
    Ok(outcome(snapshot))
}
