//! `timberline export CASE --notes FILE`: the notebook as a file that can be handed over.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use indexer::export::replaced;
use indexer::{Cancel, Case, Error, ErrorKind, RunOptions};

use crate::allowed::files_below;
use crate::{Outcome, out};

pub fn export(case: &Path, file: &Path, folders: &[PathBuf]) -> Result<Outcome> {
    let ending = file.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
    let html = match ending.as_deref() {
        Some("html" | "htm") => true,
        Some("md" | "markdown") => false,
        _ => {
            let error = Error::new(ErrorKind::BadRequest, "notes are written as .html or .md").at(file);
            return Err(error.hint("give the file one of these endings").into());
        }
    };
    let case = Case::open(case)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now_ns = i64::try_from(now.as_nanos()).unwrap_or(i64::MAX);
    let options = RunOptions { files: files_below(folders)?, ..RunOptions::default() };
    let mut report_cells = |done: usize, all: usize| out::progress(&format!("{done} of {all} cells"));
    let book = case.notebook(None, &options, now_ns, &mut report_cells, &Cancel::default());
    out::progress("");
    let book = book?;
    let text = if html { book.to_html() } else { book.to_markdown() };
    replaced(file, &mut |out| out.write_all(text.as_bytes()).map_err(|error| Error::writing(file, &error)))?;
    Ok(Outcome::Done)
}
