//! The analysis of a query that is not run.

use super::{Diagnostic, Highlight, Outline};

/// The analysis of a query that is not run.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// All errors and warnings, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
    pub highlights: Vec<Highlight>,
    /// The query in the language's own spelling, where nothing is wrong with it.
    pub printed: Option<String>,
    pub outline: Outline,
}
