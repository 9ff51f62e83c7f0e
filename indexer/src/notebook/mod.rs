//! The notebook of a case: pages in Markdown with cells that query it, and their export.
//!
//! A page is the text of a note of the kind `page`. [`Notebook`] is all of it at one moment: every cell's answer
//! frozen, every event with notes, with its evidence.

mod alerts;
mod answer;
mod cell;
mod chart;
mod curve;
mod html;
mod markdown;
mod pattern_names;
mod seismograph;
mod service_map;
mod text;
mod ticks;
mod visible;

use std::ops::Range;

pub use answer::{Answer, Frozen};
pub use cell::{Cell, EventPlace, What};
pub use html::html_page;
pub use markdown::{Align, Node, cells, parse};
pub use visible::{escaped, visible};

pub use engine::notes::Said;

use crate::{Case, Evidence};
use base::Cancel;
use base::error::Result;
use base::limits::MOST_NOTES_AT_ONCE;
use engine::notes::said_by;
use engine::notes::triage::Triaged;
use engine::pipe::RunOptions;
use store::Note;
use store::SourceEntry;

/// The bytes that are shown of an event with notes.
const SHOWN_BYTES: usize = 4_000;

/// A notebook with its cells answered.
#[derive(Clone, Debug)]
pub struct Notebook {
    pub case: String,
    pub revision: u64,
    pub made_ns: i64,
    pub pages: Vec<NotebookPage>,
    /// The events that are starred, tagged or commented, in the order of their times.
    pub noted: Vec<NotedEvent>,
    /// Events with notes beyond those.
    pub left_out: usize,
    /// The times that are marked, starred, tagged or commented, in their order.
    pub ranges: Vec<NotedRange>,
    /// The alerts that somebody decided something about, the latest first.
    pub alerts: Vec<Triaged>,
    pub sources: Vec<SourceEntry>,
}

#[derive(Clone, Debug)]
pub struct NotebookPage {
    pub title: String,
    pub text: String,
    /// Its blocks with the bytes of the text they are made from.
    blocks: Vec<(Node, Range<usize>)>,
    /// An answer for each cell, in the order of the page.
    pub answers: Vec<Answer>,
}

/// An event that somebody wrote something about.
#[derive(Clone, Debug)]
pub struct NotedEvent {
    pub place: (u32, u64),
    pub evidence: Option<Evidence>,
    pub said: Said,
}

/// A range of times that somebody wrote something about.
#[derive(Clone, Debug)]
pub struct NotedRange {
    /// Both ends are in it.
    pub range: (i64, i64),
    pub said: Said,
}

impl Case {
    /// The notebook as it is now: the pages of these ids, or all. `report` receives the number of answered cells.
    pub fn notebook(
        &self,
        pages: Option<&[String]>,
        options: &RunOptions,
        now_ns: i64,
        report: &mut dyn FnMut(usize, usize),
        cancel: &Cancel,
    ) -> Result<Notebook> {
        let snapshot = self.snapshot();
        let notes = self.notes(None, now_ns)?.notes;
        let mut written: Vec<&Note> = notes.iter().filter(|note| note.kind == "page").collect();
        if let Some(ids) = pages {
            written.retain(|note| ids.contains(&note.id));
        }
        written.sort_by(|a, b| place_of(a).total_cmp(&place_of(b)).then(a.created_ns.cmp(&b.created_ns)));
        let mut pages: Vec<NotebookPage> = written.into_iter().map(page).collect();
        let total = pages.iter().map(|page| page.cells().len()).sum();
        let mut done = 0;
        for page in &mut pages {
            let asked: Vec<Cell> = page.cells().into_iter().cloned().collect();
            for cell in asked {
                report(done, total);
                page.answers.push(self.answer_cell(&snapshot, &cell, options, cancel)?);
                done += 1;
            }
        }
        report(done, total);
        let mut events = noted_events(&notes);
        let left_out = events.len().saturating_sub(MOST_NOTES_AT_ONCE);
        events.truncate(MOST_NOTES_AT_ONCE);
        let places: Vec<_> = events.iter().map(|event| event.place).collect();
        let found = self.evidence(&snapshot, &places, SHOWN_BYTES, cancel)?;
        for (event, evidence) in events.iter_mut().zip(found) {
            event.evidence = evidence;
        }
        events.sort_by_key(|event| (event.evidence.as_ref().map(|found| found.event.time), event.place));
        Ok(Notebook {
            case: snapshot.name().to_owned(),
            revision: snapshot.revision(),
            made_ns: now_ns,
            pages,
            noted: events,
            left_out,
            ranges: noted_ranges(&notes),
            alerts: alerts::triaged(&notes),
            sources: snapshot.sources().to_vec(),
        })
    }
}

/// The order of pages, which people may change.
fn place_of(page: &Note) -> f64 {
    page.data.get("place").and_then(serde_json::Value::as_f64).unwrap_or(f64::MAX)
}

fn page(note: &Note) -> NotebookPage {
    let title = note.data.get("title").and_then(serde_json::Value::as_str).unwrap_or_default();
    NotebookPage {
        title: title.to_owned(),
        text: note.text.clone(),
        blocks: markdown::blocks(&note.text),
        answers: Vec::new(),
    }
}

impl NotebookPage {
    /// The title, unless the page begins with it.
    fn heading(&self) -> Option<&str> {
        let title = self.title.trim();
        let first = self.text.trim_start().lines().next().unwrap_or_default();
        let repeats = first.strip_prefix("# ").is_some_and(|first| first.trim() == title);
        (!title.is_empty() && !repeats).then_some(title)
    }

    fn cells(&self) -> Vec<&Cell> {
        self.blocks.iter().flat_map(|(node, _)| cells(std::slice::from_ref(node))).collect()
    }
}

fn noted_events(notes: &[Note]) -> Vec<NotedEvent> {
    let about = notes.iter().filter(|note| matches!(note.kind.as_str(), "star" | "tag" | "comment"));
    let found = said_by(about.filter_map(|note| Some((note.event?, note))));
    found.map(|(place, said)| NotedEvent { place, evidence: None, said }).collect()
}

fn noted_ranges(notes: &[Note]) -> Vec<NotedRange> {
    let is_about = |note: &&Note| {
        note.event.is_none() && matches!(note.kind.as_str(), "marker" | "star" | "tag" | "comment")
    };
    let found = said_by(notes.iter().filter(is_about).filter_map(|note| Some((note.range?, note))));
    found.map(|(range, said)| NotedRange { range, said }).collect()
}

#[cfg(test)]
mod tests;
