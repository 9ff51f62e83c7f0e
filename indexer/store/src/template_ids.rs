//! `templates.json`: the assigned template ids, so that a template keeps its first one, and the templates for
//! other programs.

use std::collections::HashSet;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::files;
use base::error::{AtPath, Error, Result};
use base::files as case_files;
use patterns::{Granularity, Tree};

const FILE: &str = "templates.json";
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct TemplateFile {
    version: u32,
    /// Hexadecimal, in order of assignment.
    ids: Vec<String>,
    #[serde(default)]
    templates: Vec<TemplateEntry>,
}

#[derive(Serialize, Deserialize)]
struct TemplateEntry {
    id: String,
    text: String,
    parent: Option<String>,
}

/// The assigned ids, in order of assignment. If the file is missing or damaged, templates may only be named
/// by another of their ids.
pub fn kept_ids(case: &Path) -> Vec<u64> {
    let kept = read(case).ok().flatten().filter(|kept| kept.version == VERSION);
    kept.map_or_else(Vec::new, |kept| {
        kept.ids.iter().filter_map(|id| u64::from_str_radix(id, 16).ok()).collect()
    })
}

fn read(case: &Path) -> Result<Option<TemplateFile>> {
    let path = case.join(FILE);
    match case_files::read(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        text => {
            let text = text.at_path(&path)?;
            serde_json::from_slice(&text).map(Some).map_err(|error| Error::damaged(&path, error))
        }
    }
}

/// Checks that the file can be read, if there is one.
pub fn verify_ids(case: &Path) -> Result<()> {
    read(case).map(drop)
}

/// Adds the ids of a tree to the stored ones.
pub fn keep_ids(case: &Path, kept: &[u64], tree: &Tree) -> Result<()> {
    let known: HashSet<u64> = kept.iter().copied().collect();
    let new = tree.ids().into_iter().filter(|id| !known.contains(id));
    let entry = |template: &patterns::Template| TemplateEntry {
        id: template.id.to_string(),
        text: template.text(),
        parent: tree.parent(template).map(|parent| parent.id.to_string()),
    };
    let levels = [Granularity::Template, Granularity::Group, Granularity::Family];
    let file = TemplateFile {
        version: VERSION,
        ids: kept.iter().copied().chain(new).map(|id| format!("{id:016x}")).collect(),
        templates: levels.iter().flat_map(|&level| tree.templates(level)).map(entry).collect(),
    };
    let path = case.join(FILE);
    let text = serde_json::to_vec(&file).map_err(|error| Error::damaged(&path, error))?;
    if case_files::read(&path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    files::replace(&path, &text, files::TEMPLATES)
}
