//! Resolves a filter on notes to events, at the time of the query.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use super::{Said, said_by};
use crate::Engine;
use crate::exec::ValueTest;
use base::error::Result;
use base::limits::COMPLETIONS;
use query::{
    Diagnostic, Filter, NoteClause, NoteField, NotedEvents, Op, QueryContext, STATES, Test, each_field,
};
use store::notes as store;
use store::{Note, Notes};

/// The cached notes on events. Each query reads the changes from the store.
#[derive(Debug, Default)]
pub struct NotedCache(Mutex<ResolvedNotes>);

#[derive(Debug, Default)]
struct ResolvedNotes {
    /// The revision of the store at the last read.
    mark: String,
    /// The notes on events, by kind and id.
    notes: BTreeMap<(String, String), Note>,
    said: Arc<SaidOfEvents>,
}

#[derive(Debug, Default)]
struct SaidOfEvents {
    /// The revision of the store at the last change of these notes.
    state: String,
    events: Vec<((u32, u64), Said)>,
}

impl ResolvedNotes {
    /// Applies the changes.
    fn update(&mut self, read: Notes) {
        let Notes { mark, whole, notes, removed } = read;
        if mark == self.mark && !whole {
            return;
        }
        self.mark = mark;
        let before = if whole { std::mem::take(&mut self.notes).len() } else { 0 };
        let mut changed = before > 0;
        for note in notes {
            let name = (note.kind.clone(), note.id.clone());
            let is_on_event =
                note.event.is_some() && matches!(note.kind.as_str(), "star" | "tag" | "comment");
            let old = if is_on_event { self.notes.insert(name, note) } else { self.notes.remove(&name) };
            changed |= is_on_event || old.is_some();
        }
        for name in removed {
            changed |= self.notes.remove(&name).is_some();
        }
        if changed {
            let events = said_by(self.notes.values().filter_map(|note| Some((note.event?, note))));
            self.said = Arc::new(SaidOfEvents { state: self.mark.clone(), events: events.collect() });
        }
    }
}

impl Engine {
    /// A filter whose clauses on notes are resolved to events, all from one revision of the notes.
    pub fn with_noted_events(&self, filter: Filter) -> Result<Filter> {
        if !asks_for_notes(&filter) {
            return Ok(filter);
        }
        let said = self.said_of_events()?;
        Ok(looked_up(filter, &said))
    }

    fn said_of_events(&self) -> Result<Arc<SaidOfEvents>> {
        let mut known = self.noted.0.lock().unwrap_or_else(PoisonError::into_inner);
        let since = (!known.mark.is_empty()).then_some(known.mark.as_str());
        let read = store::look(self.folder(), since)?;
        known.update(read);
        Ok(Arc::clone(&known.said))
    }

    /// The values of a note field with their event counts: all states, or the most frequent tags with a
    /// prefix.
    pub fn note_values(&self, field: NoteField, typed: &str) -> Result<Vec<(String, u64)>> {
        let said = self.said_of_events()?;
        let mut counts: HashMap<&str, u64> = HashMap::new();
        for value in said.events.iter().flat_map(|(_, said)| values(field, said)) {
            *counts.entry(value).or_default() += 1;
        }
        if field == NoteField::Is {
            let count = |state: &str| counts.get(state).copied().unwrap_or(0);
            return Ok(STATES.iter().map(|(state, _)| ((*state).to_owned(), count(state))).collect());
        }
        let typed = typed.to_lowercase();
        counts.retain(|value, _| value.to_lowercase().starts_with(&typed));
        let mut counts: Vec<_> = counts.into_iter().map(|(value, count)| (value.to_owned(), count)).collect();
        counts.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        counts.truncate(COMPLETIONS);
        Ok(counts)
    }

    /// If a field of the log has the name of a note field: the number of events with such a note, if any.
    pub fn hidden_notes(&self, filter: &Filter, context: &QueryContext) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        each_field(filter, &mut |clause, name, span| {
            let (Filter::Field { test, .. }, Some(note)) = (clause, NoteField::named(name)) else { return };
            if context.note_field(name).is_some() {
                return;
            }
            // A failure to read the notes is reported when they are shown.
            let Ok(said) = self.said_of_events() else { return };
            let events = passing(note, test, &said).len();
            if events > 0 {
                let noun = if events == 1 { "event has" } else { "events have" };
                let message = format!("`{name}` is a field of the log; {events} {noun} such a note");
                let free = context.note_field(note.name()).is_some();
                let advice = |hint: &str| Diagnostic::advice(span, message.clone(), hint);
                found.push(if free {
                    advice(&format!("write {} to search the notes of people", note.name()))
                        .replacing(note.name())
                } else {
                    advice("its notes are listed next to the events: the log has fields of all their names")
                });
            }
        });
        found
    }
}

/// Identifies the state of the notes that a filter was resolved with; empty if it uses none.
pub fn states_of(filter: &Filter) -> String {
    match filter {
        Filter::And(parts) | Filter::Or(parts) => parts.iter().map(states_of).collect(),
        Filter::Not(inner) => states_of(inner),
        Filter::Noted(NoteClause { events: Some(events), .. }) => format!("\0{}", events.state),
        _ => String::new(),
    }
}

fn asks_for_notes(filter: &Filter) -> bool {
    match filter {
        Filter::And(parts) | Filter::Or(parts) => parts.iter().any(asks_for_notes),
        Filter::Not(inner) => asks_for_notes(inner),
        Filter::Noted(clause) => clause.events.is_none(),
        _ => false,
    }
}

fn looked_up(filter: Filter, said: &SaidOfEvents) -> Filter {
    let all = |parts: Vec<Filter>| parts.into_iter().map(|part| looked_up(part, said)).collect();
    match filter {
        Filter::And(parts) => Filter::And(all(parts)),
        Filter::Or(parts) => Filter::Or(all(parts)),
        Filter::Not(inner) => Filter::Not(Box::new(looked_up(*inner, said))),
        Filter::Noted(clause) if clause.events.is_none() => {
            let places = passing(clause.field, &clause.test, said);
            let events = NotedEvents { state: said.state.clone(), positions: places };
            Filter::Noted(NoteClause { events: Some(Arc::new(events)), ..clause })
        }
        other => other,
    }
}

/// The events whose notes pass, in order.
fn passing(field: NoteField, test: &Test, said: &SaidOfEvents) -> Vec<(u32, u64)> {
    let texts = ValueTest::new(field.name(), test).texts;
    let passes = |said: &Said| {
        let mut values = values(field, said).peekable();
        // `=` is true if any of several values matches; `!=` must be true for all of them.
        if matches!(test, Test::Compare(Op::NotEqual, _)) {
            values.peek().is_some() && values.all(|value| texts.passes(value))
        } else {
            values.any(|value| texts.passes(value))
        }
    };
    said.events.iter().filter(|(_, said)| passes(said)).map(|(place, _)| *place).collect()
}

fn values(field: NoteField, said: &Said) -> impl Iterator<Item = &str> {
    let has = [said.starred, !said.tags.is_empty(), !said.comments.is_empty(), true];
    let states = STATES.iter().zip(has).filter(move |(_, has)| field == NoteField::Is && *has);
    let tags = said.tags.iter().filter(move |_| field == NoteField::Tag);
    states.map(|((state, _), _)| *state).chain(tags.map(String::as_str))
}
