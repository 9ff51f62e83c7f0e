//! What the import sheet and the list of sources ask: how files would be read, and reading them in another way.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use indexer::{Cancel, Estimate, ImportOptions, Nanos};
use serde::{Deserialize, Serialize};

use crate::formats::saved_definitions;
use crate::live::Writing;
use crate::readings::{Account, ImportChoices, PreviewFile, Reading};
use crate::session::{Call, Session};
use crate::types::{Empty, ImportProgress, ImportReport, WireError};
use crate::works::Tell;

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PreviewRequest {
    /// Where the case is or will be; its disk is measured.
    pub case: String,
    pub paths: Vec<String>,
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<ImportChoices>"))]
    pub choices: ImportChoices,
    /// So many events of each file.
    pub events: u32,
    /// Leave out what the import will take, which has to be measured.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<bool>"))]
    pub without_estimate: bool,
}

/// How a stored source would be read with these choices on top of those made before.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PreviewSourceRequest {
    pub case: String,
    pub source: u32,
    pub reading: Reading,
    pub events: u32,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Preview {
    pub files: Vec<PreviewFile>,
    pub estimate: Estimate,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct AccountRequest {
    pub case: String,
    pub source: u32,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct AdjustRequest {
    pub case: String,
    pub sources: Vec<u32>,
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub zone: Option<String>,
    /// Added to every time as written.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub clock_offset: Option<Nanos>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RereadRequest {
    pub case: String,
    pub sources: Vec<u32>,
    pub reading: Reading,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PasteRequest {
    pub case: String,
    /// What the source is called.
    pub name: String,
    pub text: String,
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<Reading>"))]
    pub reading: Reading,
}

pub fn preview(
    session: &Session,
    call: &Call<'_>,
    request: &PreviewRequest,
    _: &dyn Fn(Empty),
) -> Result<Preview, WireError> {
    let choices = &request.choices;
    let saved = saved_definitions(&session.start.home);
    let asked = indexer::PreviewRequest {
        paths: request.paths.iter().map(PathBuf::from).collect(),
        filter: choices.filter(),
        left_out: choices.left_out.iter().map(PathBuf::from).collect(),
        options: choices.reading.options(&saved)?,
        chosen: choices.chosen(&saved)?,
        events: request.events as usize,
        without_estimate: request.without_estimate,
        profile: None,
    };
    let preview = indexer::preview(Path::new(&request.case), &asked, &call.cancel)?;
    Ok(Preview {
        estimate: preview.estimate,
        files: preview.files.into_iter().map(PreviewFile::from).collect(),
    })
}

pub fn preview_source(
    session: &Session,
    _: &Call<'_>,
    request: &PreviewSourceRequest,
    _: &dyn Fn(Empty),
) -> Result<PreviewFile, WireError> {
    let case = session.case(Path::new(&request.case))?;
    let options = request.reading.options(&saved_definitions(&session.start.home))?;
    let file = case.preview_source(&case.snapshot(), request.source, &options, request.events as usize)?;
    Ok(PreviewFile::from(file))
}

pub fn account(
    session: &Session,
    _: &Call<'_>,
    request: &AccountRequest,
    _: &dyn Fn(Empty),
) -> Result<Account, WireError> {
    let case = session.case(Path::new(&request.case))?;
    let account = case.account(&case.snapshot(), request.source)?;
    Ok(account.as_ref().map(Account::from).unwrap_or_default())
}

pub fn adjust(
    session: &Session,
    call: &Call<'_>,
    request: &AdjustRequest,
    report: &dyn Fn(ImportProgress),
) -> Result<ImportReport, WireError> {
    let case = session.writing(Path::new(&request.case))?;
    let AdjustRequest { sources, zone, clock_offset, .. } = request.clone();
    let offset_ns = clock_offset.map(|offset| offset.0);
    let run = move |case: &Writing, tell: Tell<'_>, cancel: &Cancel| {
        case.adjust(&sources, zone.as_deref(), offset_ns, tell, cancel)
    };
    session.work(call, case, report, run, |_| {})
}

pub fn reread(
    session: &Session,
    call: &Call<'_>,
    request: &RereadRequest,
    report: &dyn Fn(ImportProgress),
) -> Result<ImportReport, WireError> {
    let case = session.writing(Path::new(&request.case))?;
    let options = ImportOptions {
        ingest: request.reading.options(&saved_definitions(&session.start.home))?,
        ..ImportOptions::default()
    };
    let sources = request.sources.clone();
    let run =
        move |case: &Writing, tell: Tell<'_>, cancel: &Cancel| case.reread(&sources, &options, tell, cancel);
    session.work(call, case, report, run, |_| {})
}

pub fn paste(
    session: &Session,
    call: &Call<'_>,
    request: &PasteRequest,
    report: &dyn Fn(ImportProgress),
) -> Result<ImportReport, WireError> {
    let case = session.writing(Path::new(&request.case))?;
    let options = ImportOptions {
        ingest: request.reading.options(&saved_definitions(&session.start.home))?,
        ..ImportOptions::default()
    };
    let since = SystemTime::now().duration_since(UNIX_EPOCH).ok();
    let now_ns = since.and_then(|since| i64::try_from(since.as_nanos()).ok());
    let PasteRequest { name, text, .. } = request.clone();
    let run = move |case: &Writing, tell: Tell<'_>, cancel: &Cancel| {
        case.paste((&name, &text), now_ns, &options, tell, cancel)
    };
    session.work(call, case, report, run, |_| {})
}
