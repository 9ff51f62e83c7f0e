//! `templates.json`: the ids that were given to templates, so that a template goes on with its first one, and
//! the templates for other programs to read.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::files;
use crate::error::{Error, Result};
use crate::patterns::{Granularity, Tree};

const FILE: &str = "templates.json";
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Kept {
    version: u32,
    /// Hexadecimal, the earliest given first.
    ids: Vec<String>,
    #[serde(default)]
    templates: Vec<Entry>,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    id: String,
    text: String,
    parent: Option<String>,
}

/// The ids given before, the earliest first. A file that is gone or damaged only means that templates may be
/// called by another of their ids.
pub fn kept_ids(case: &Path) -> Vec<u64> {
    let read = fs::read(case.join(FILE)).ok().and_then(|text| serde_json::from_slice::<Kept>(&text).ok());
    let kept = read.filter(|kept| kept.version == VERSION);
    kept.map_or_else(Vec::new, |kept| {
        kept.ids.iter().filter_map(|id| u64::from_str_radix(id, 16).ok()).collect()
    })
}

/// Adds the ids of a tree to those kept.
pub fn keep_ids(case: &Path, kept: &[u64], tree: &Tree) -> Result<()> {
    let known: HashSet<u64> = kept.iter().copied().collect();
    let new = tree.ids().into_iter().filter(|id| !known.contains(id));
    let entry = |template: &crate::patterns::Template| Entry {
        id: template.id.to_string(),
        text: template.text(),
        parent: tree.parent(template).map(|parent| parent.id.to_string()),
    };
    let levels = [Granularity::Template, Granularity::Group, Granularity::Family];
    let file = Kept {
        version: VERSION,
        ids: kept.iter().copied().chain(new).map(|id| format!("{id:016x}")).collect(),
        templates: levels.iter().flat_map(|&level| tree.templates(level)).map(entry).collect(),
    };
    let path = case.join(FILE);
    let text = serde_json::to_vec(&file).map_err(|error| Error::damaged(&path, error))?;
    if fs::read(&path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    files::replace(&path, &text, files::TEMPLATES)
}
