//! User-defined formats: a TOML file, or a file made for lnav or Logstash.
//!
//! A pattern (Grok, a regular expression, dissect) is compiled once into a [`Definition`], which creates
//! readers as the built-in formats do. The steps: expand the names (`grok`), parse into a tree (`syntax`,
//! `node`), remove look-around where that changes nothing (`simplify`), compile to an automaton (`engine`),
//! with a fast path for the usual line (`plan`). Only what is left needs backtracking.

mod byte_set;
mod condition;
mod definition;
mod definition_file;
mod dissect;
mod engine;
mod extractor;
mod grok;
mod json;
mod lnav;
mod matcher;
mod node;
mod plan;
mod reader;
mod samples;
mod simplify;
mod syntax;
mod time;

#[cfg(test)]
mod tests;

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use definition::{Definition, DefinitionText};
pub use extractor::{ExtractedKind, Extractor, Search};

use crate::limits;

/// An error in a definition file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionError {
    pub path: PathBuf,
    /// The key of the error, as in `tags[1].if`; empty for the file as a whole.
    pub key: String,
    /// What is wrong and what to do.
    pub message: String,
}

impl fmt::Display for DefinitionError {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "{}: ", self.path.display())?;
        if !self.key.is_empty() {
            write!(formatter, "{}: ", self.key)?;
        }
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for DefinitionError {}

/// Reads a definition file: our own TOML, lnav's JSON or a Logstash pattern file, recognised by its content.
/// Reports all errors at once.
pub fn load(path: &Path) -> Result<Vec<Definition>, Vec<DefinitionError>> {
    let unreadable =
        |message: String| vec![DefinitionError { path: path.to_path_buf(), key: String::new(), message }];
    let mut text = String::new();
    let file = File::open(path).map_err(|error| unreadable(error.to_string()))?;
    let mut limited = file.take(limits::LARGEST_DEFINITION_BYTES + 1);
    limited.read_to_string(&mut text).map_err(|error| unreadable(error.to_string()))?;
    if text.len() as u64 > limits::LARGEST_DEFINITION_BYTES {
        return Err(unreadable(format!(
            "the file is larger than {} bytes",
            limits::LARGEST_DEFINITION_BYTES
        )));
    }
    load_text(&text, path)
}

/// Reads the text of a definition file as [`load`] does; the path provides names where the text has none.
pub fn load_text(text: &str, path: &Path) -> Result<Vec<Definition>, Vec<DefinitionError>> {
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    parse(&DefinitionText { text: text.to_owned(), file_name: name }, path)
}

/// Compiles the definitions of a stored file; `path` names it in errors.
pub fn parse(written: &DefinitionText, path: &Path) -> Result<Vec<Definition>, Vec<DefinitionError>> {
    let mut definitions = read(&written.text, &written.file_name).map_err(|faults| {
        let error = |fault: definition::Fault| DefinitionError {
            path: path.to_path_buf(),
            key: fault.key,
            message: fault.message,
        };
        faults.into_iter().map(error).collect::<Vec<_>>()
    })?;
    let written = Arc::new(written.clone());
    for definition in &mut definitions {
        definition.written = Arc::clone(&written);
    }
    Ok(definitions)
}

/// Reads the text of a definition file; `file_name` names a definition that has no name of its own.
fn read(text: &str, file_name: &str) -> Result<Vec<Definition>, Vec<definition::Fault>> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    if text.trim_start().starts_with('{') {
        return lnav::read(text);
    }
    if definition_file::is_pattern_file(text) {
        return definition_file::read_patterns(text);
    }
    definition_file::read_toml(text, file_name).map(|definition| vec![definition])
}
