//! Predicates on the notes of events: `is:starred`, `tag:evidence`.

use super::ast::{Filter, Op, Pattern, Span, Test};
use super::diagnostic::Diagnostic;
use super::resolve::QueryContext;

/// A property of the notes on an event. Notes on time ranges are on no event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteField {
    /// The states of the event: [`STATES`].
    Is,
    /// The tags it has.
    Tag,
}

/// The states that notes give to an event.
pub const STATES: [(&str, &str); 4] = [
    ("starred", "it has a star"),
    ("tagged", "it has a tag"),
    ("commented", "it has a comment"),
    ("noted", "it has any of these"),
];

impl NoteField {
    pub const ALL: [NoteField; 2] = [NoteField::Is, NoteField::Tag];

    /// Its longer name, for when a field of the log has the short one.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            NoteField::Is => "note.is",
            NoteField::Tag => "note.tag",
        }
    }

    #[must_use]
    pub fn short_name(self) -> &'static str {
        match self {
            NoteField::Is => "is",
            NoteField::Tag => "tag",
        }
    }

    /// A short description of its values.
    #[must_use]
    pub fn summary(self) -> &'static str {
        match self {
            NoteField::Is => "starred, tagged, commented, or any of these (noted)",
            NoteField::Tag => "tags that people gave",
        }
    }

    #[must_use]
    pub fn named(name: &str) -> Option<NoteField> {
        NoteField::ALL.into_iter().find(|field| name == field.name() || name == field.short_name())
    }

    /// The error for a stage that names notes.
    #[must_use]
    pub fn only_in_the_filter(self, span: Span) -> Diagnostic {
        let hint = format!("write {}:… before the first `|`", self.name());
        Diagnostic::error(span, "notes can only be searched in the filter, not in a stage", &hint)
    }
}

impl QueryContext {
    /// The note field of a name. A field of the log with the same name takes precedence.
    #[must_use]
    pub fn note_field(&self, name: &str) -> Option<NoteField> {
        NoteField::named(name).filter(|_| self.fields_of(name).is_empty())
    }
}

/// A test on what events are by their notes, with [`STATES`] as the engine calls them.
pub fn states(test: &Test, span: Span, diagnostics: &mut Vec<Diagnostic>) -> Test {
    let mut known = |word: &str| {
        let names = || STATES.iter().map(|(name, _)| *name);
        if let Some(name) = names().find(|name| name.eq_ignore_ascii_case(word.trim())) {
            return name.to_owned();
        }
        let otherwise = "events can be starred, tagged, commented and noted";
        // The span is that of the field, and not of the word.
        let unknown = Diagnostic::unknown(span, "such state as", word, names(), otherwise);
        diagnostics.push(unknown.without_replacement());
        word.to_owned()
    };
    match test {
        Test::Exists => Test::Exists,
        Test::Matches(patterns) => {
            let mut pattern = |pattern: &Pattern| match pattern {
                Pattern::Tokens(word) => Pattern::Tokens(known(word)),
                other => other.clone(),
            };
            Test::Matches(patterns.iter().map(&mut pattern).collect())
        }
        Test::Compare(op @ (Op::Equal | Op::NotEqual), word) => Test::Compare(*op, known(word)),
        Test::Compare(..) | Test::Range(_) => {
            let hint = "write is:starred, is:tagged, is:commented or is:noted";
            diagnostics.push(Diagnostic::error(span, "states of events have no order", hint));
            test.clone()
        }
    }
}

/// Calls `each` with every clause of a filter that names a field, with the name and its span.
pub fn each_field(filter: &Filter, each: &mut dyn FnMut(&Filter, &str, Span)) {
    match filter {
        Filter::And(parts) | Filter::Or(parts) => parts.iter().for_each(|part| each_field(part, each)),
        Filter::Not(inner) => each_field(inner, each),
        Filter::Field { field, span, .. } => each(filter, field, *span),
        Filter::Everything | Filter::Text(_) | Filter::Noted(_) => {}
    }
}
