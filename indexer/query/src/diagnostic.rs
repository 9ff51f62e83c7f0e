//! Diagnostics of a query: the error, its span, and a suggestion.

use base::error::{Error, ErrorKind};
use strsim::levenshtein;

use super::ast::Span;
use super::lexer::LexError;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The query cannot be run as it is.
    Error,
    /// It runs, but perhaps something else was meant.
    Advice,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub severity: Severity,
    pub message: String,
    pub hint: Option<String>,
    /// Bytes of the query.
    pub start: usize,
    pub end: usize,
    /// The replacement for those bytes that fixes the error.
    pub replacement: Option<String>,
}

impl Diagnostic {
    #[must_use]
    pub fn error(span: Span, message: impl Into<String>, hint: &str) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            message: message.into(),
            hint: Some(hint.to_owned()),
            start: span.start,
            end: span.end,
            replacement: None,
        }
    }

    #[must_use]
    pub fn advice(span: Span, message: impl Into<String>, hint: &str) -> Diagnostic {
        Diagnostic { severity: Severity::Advice, ..Diagnostic::error(span, message, hint) }
    }

    #[must_use]
    pub fn replacing(mut self, with: impl Into<String>) -> Diagnostic {
        self.replacement = Some(with.into());
        self
    }

    #[must_use]
    pub fn without_replacement(mut self) -> Diagnostic {
        self.replacement = None;
        self
    }

    /// An unknown name, with the one that is nearest to it among those known.
    #[must_use]
    pub fn unknown<'n>(
        span: Span,
        what: &str,
        name: &str,
        known: impl Iterator<Item = &'n str>,
        otherwise: &str,
    ) -> Diagnostic {
        let message = format!("no {what} `{name}`");
        match nearest(name, known) {
            Some(near) => {
                Diagnostic::error(span, message, &format!("did you mean `{near}`?")).replacing(near)
            }
            None => Diagnostic::error(span, message, otherwise),
        }
    }
}

impl From<LexError> for Diagnostic {
    fn from(error: LexError) -> Diagnostic {
        Diagnostic::error(error.span, error.message, error.hint)
    }
}

/// The known name that is fewest edits away, if it is near enough to be meant.
#[must_use]
pub fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let folded = name.to_lowercase();
    let scored =
        known.map(|known| (levenshtein(&folded, &known.to_lowercase()), levenshtein(name, known), known));
    scored.min().filter(|(edits, ..)| *edits <= 1 + name.len() / 4).map(|(.., known)| known)
}

impl From<Diagnostic> for Error {
    fn from(error: Diagnostic) -> Error {
        let shown = Error::new(ErrorKind::QueryInvalid, error.message).spanning(error.start, error.end);
        match error.hint {
            Some(hint) => shown.hint(hint),
            None => shown,
        }
    }
}
