//! Lines of files that match before the files are read.

use std::path::PathBuf;
use std::time::Instant;

use indexer::ScannedLine;
use serde::{Deserialize, Serialize};

use crate::calls::{Answer, milliseconds};
use crate::events::ROW_BYTES;
use crate::readings::ImportChoices;
use crate::session::{Call, Session};

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct AheadRequest {
    pub paths: Vec<String>,
    /// How the import goes about them: which files of folders it takes.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<ImportChoices>"))]
    pub choices: ImportChoices,
    pub query: String,
}

/// The matching lines, cut at the length that a list shows.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Ahead {
    /// Null where the query asks for more than text, which only reading can tell.
    pub lines: Option<u64>,
    /// The first of them, in the order of the files.
    pub first: Vec<ScannedLine>,
    /// Files that were looked through, and those that could not.
    pub files: u64,
    pub others: u64,
    /// How much of the files was looked at, 0 to 1.
    pub fraction: f64,
    pub elapsed_ms: f64,
}

pub fn ahead(_: &Session, call: &Call<'_>, request: &AheadRequest, report: &dyn Fn(Ahead)) -> Answer<Ahead> {
    let started = Instant::now();
    let paths: Vec<PathBuf> = request.paths.iter().map(PathBuf::from).collect();
    let filter = indexer::View::parse(&request.query, None, None)?.filter;
    let mut partial = |scan: &indexer::FileScan, fraction| report(reply(scan, fraction, started));
    let found = indexer::scan_files(&paths, &request.choices.filter(), &filter, &mut partial, &call.cancel)?;
    Ok(found.map_or_else(Ahead::default, |scan| reply(&scan, 1.0, started)))
}

fn reply(scan: &indexer::FileScan, fraction: f64, started: Instant) -> Ahead {
    let line = |line: &ScannedLine| ScannedLine {
        path: line.path.clone(),
        offset: line.offset,
        text: line.text[..line.text.floor_char_boundary(ROW_BYTES)].to_owned(),
    };
    Ahead {
        lines: Some(scan.lines),
        first: scan.first.iter().map(line).collect(),
        files: scan.files as u64,
        others: scan.others as u64,
        fraction,
        elapsed_ms: milliseconds(started),
    }
}
