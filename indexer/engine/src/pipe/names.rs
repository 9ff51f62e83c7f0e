//! The columns that exist at a place of the pipeline, and which of those that events bring are read.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::tz::TimeZone;

use super::run::RunClock;
use base::error::{Error, ErrorKind, Result};
use query::{
    BUILT_IN, Filter, KnownField, NamePattern, NoteField, QueryContext, Severity, Span, Stage, like, nearest,
    resolve,
};

#[derive(Clone, Debug, Default)]
pub struct Names {
    columns: Vec<Entry>,
    /// Columns may come whose names are unknown until the rows are seen.
    open: bool,
    /// Columns of events that something reads.
    read: RefCell<BTreeSet<Arc<str>>>,
    /// The columns of events at the start, and whether there may be others.
    events: (Arc<[String]>, bool),
}

#[derive(Clone, Debug)]
struct Entry {
    name: Arc<str>,
    /// It is what events bring, untouched.
    of_events: bool,
}

impl Names {
    /// Those of a case.
    pub fn of_events(names: &[String], open: bool) -> Names {
        let columns = names.iter().map(|name| Entry { name: Arc::from(name.as_str()), of_events: true });
        Names { columns: columns.collect(), open, read: RefCell::default(), events: (names.into(), open) }
    }

    /// Those of the events that stages began with, for a query of its own.
    pub fn at_first(&self) -> Names {
        Names::of_events(&self.events.0, self.events.1)
    }

    pub fn is_open(&self) -> bool {
        self.open
    }

    pub fn knows(&self, name: &str) -> bool {
        self.columns.iter().any(|entry| *entry.name == *name)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Arc<str>> {
        self.columns.iter().map(|entry| &entry.name)
    }

    /// The column that is meant. A name that nothing has is a mistake, reported with the nearest one.
    pub fn resolve(&self, name: &str, span: Span) -> Result<Arc<str>> {
        if let Some(entry) = self.columns.iter().find(|entry| *entry.name == *name) {
            if entry.of_events {
                self.read.borrow_mut().insert(Arc::clone(&entry.name));
            }
            return Ok(Arc::clone(&entry.name));
        }
        // Names of the Elastic Common Schema, and other names of built-in fields.
        if let Some(field) = self.context().fields_of(name).into_iter().find(|field| self.knows(field)) {
            return self.resolve(field, span);
        }
        if self.open {
            return Ok(Arc::from(name));
        }
        if let Some(note) = NoteField::named(name) {
            return Err(note.only_in_the_filter(span).into());
        }
        let error =
            Error::new(ErrorKind::QueryInvalid, format!("no field `{name}`")).spanning(span.start, span.end);
        Err(match nearest(name, self.iter().map(|known| &**known)) {
            Some(near) => error.hint(format!("did you mean `{near}`?")),
            None if self.columns.is_empty() => error,
            None => {
                let shown: Vec<&str> = self.iter().take(12).map(|name| &**name).collect();
                error.hint(format!(
                    "the columns here: {}; texts are written in quotation marks",
                    shown.join(", ")
                ))
            }
        })
    }

    /// These columns as the fields of a filter.
    fn context(&self) -> QueryContext {
        let fields = self.iter().filter(|name| !BUILT_IN.contains(&&***name));
        let field = |name: &Arc<str>| KnownField { name: name.to_string(), kinds: Vec::new() };
        QueryContext { fields: fields.map(field).collect(), now: 0, zone: TimeZone::UTC }
    }

    /// What a filter means on these columns: the fields that other names mean, instants instead of relative times.
    pub fn filter(&self, filter: &Filter, clock: &RunClock) -> Result<Filter> {
        if self.open {
            return Ok(filter.clone());
        }
        let context = QueryContext { now: clock.now, zone: clock.zone.clone(), ..self.context() };
        let resolved = resolve(filter, &context);
        let mistake = resolved.diagnostics.into_iter().find(|found| found.severity == Severity::Error);
        mistake.map_or(Ok(resolved.filter), |found| Err(Error::from(found)))
    }

    /// The columns that a pattern names, in their order.
    pub fn matching(&self, pattern: &NamePattern) -> Result<Vec<Arc<str>>> {
        if !pattern.pattern.contains('*') {
            return Ok(vec![self.resolve(&pattern.pattern, pattern.span)?]);
        }
        Ok(self.iter().filter(|name| like(&pattern.pattern, name)).cloned().collect())
    }

    /// A stage sets this column.
    pub fn set(&mut self, name: &str) {
        match self.columns.iter_mut().find(|entry| *entry.name == *name) {
            Some(entry) => entry.of_events = false,
            None => self.columns.push(Entry { name: Arc::from(name), of_events: false }),
        }
    }

    /// A stage fills gaps of this column, so that what it held is read too.
    pub fn fill(&mut self, name: &str) {
        if self.knows(name) {
            let _ = self.resolve(name, Span::default());
        }
        self.set(name);
    }

    pub fn keep(&mut self, kept: &[Arc<str>]) {
        let find = |name: &Arc<str>| {
            let known = self.columns.iter().find(|entry| entry.name == *name).cloned();
            known.unwrap_or(Entry { name: Arc::clone(name), of_events: false })
        };
        self.columns = kept.iter().map(find).collect();
    }

    pub fn drop(&mut self, dropped: &[Arc<str>]) {
        self.columns.retain(|entry| !dropped.contains(&entry.name));
    }

    pub fn rename(&mut self, from: &str, to: &str) {
        self.columns.retain(|entry| *entry.name != *to || from == to);
        if let Some(entry) = self.columns.iter_mut().find(|entry| *entry.name == *from) {
            *entry = Entry { name: Arc::from(to), of_events: false };
        }
    }

    /// A stage makes a new table.
    pub fn replace(&mut self, names: impl IntoIterator<Item = String>) {
        self.columns.clear();
        self.open = false;
        names.into_iter().for_each(|name| self.set(&name));
    }

    /// Columns may come that nobody can name before.
    pub fn open(&mut self) {
        self.open = true;
    }

    /// Everything that is left of what events bring is read, because it is shown; but no templates, for which all of
    /// the case has to be mined, unless a stage names them.
    pub fn read_all(&self) {
        let left = self.columns.iter().filter(|entry| entry.of_events && *entry.name != *"template");
        self.read.borrow_mut().extend(left.map(|entry| Arc::clone(&entry.name)));
    }

    /// The columns that the stages end with, and those of events that are read.
    pub fn end(self, stages: &[Stage]) -> (Vec<Arc<str>>, BTreeSet<Arc<str>>) {
        if !stages.iter().any(|stage| stage.kind.makes_a_table()) {
            self.read_all();
        }
        let read = self.read.into_inner();
        let shown = self.columns.into_iter().filter(|entry| !entry.of_events || read.contains(&entry.name));
        (shown.map(|entry| entry.name).collect(), read)
    }

    /// The columns of events that are read so far, in their order.
    pub fn into_read(self) -> BTreeSet<Arc<str>> {
        self.read.into_inner()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_columns_that_are_read_are_requested() {
        let mut names = Names::of_events(&["time".to_owned(), "bytes".to_owned(), "path".to_owned()], false);
        assert!(names.resolve("bytes", Span::default()).is_ok());
        let error = names.resolve("byts", Span::default()).expect_err("no such column");
        assert_eq!(error.hint_text(), Some("did you mean `bytes`?"));
        names.set("path");
        assert!(names.resolve("path", Span::default()).is_ok());
        assert_eq!(names.into_read().into_iter().collect::<Vec<_>>(), vec![Arc::from("bytes")]);
    }
}
