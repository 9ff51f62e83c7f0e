//! What the import sheet and the list of sources ask: how files would be read, and reading them in another way.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use indexer::{Definition, ImportOptions, NO_TIME, ReadOptions};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::calls::{import_progress, import_report, shape_level, shape_outcome};
use crate::error::sentence;
use crate::formats::saved_definitions;
use crate::recent::note;
use crate::session::{Call, Session};
use crate::types::{Empty, FileOutcome, ImportProgress, ImportReport, Level, Nanos, Profile, WireError};
use crate::upkeep::shape_profile;

/// How files are to be read, where the data does not say it; what is missing is found out or stays as it was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct Reading {
    /// A format's name.
    #[ts(optional)]
    pub format: Option<String>,
    /// A file that defines a format.
    #[ts(optional)]
    pub definition: Option<String>,
    #[ts(optional)]
    pub encoding: Option<String>,
    /// An IANA name or an offset such as `+02:00`, for times that name none.
    #[ts(optional)]
    pub zone: Option<String>,
    /// Of the first time, where times name none.
    #[ts(optional)]
    pub year: Option<i16>,
    /// The field that contains the time; ignored where a file has none of that name.
    #[ts(optional)]
    pub time_field: Option<String>,
    /// Added to every time.
    #[ts(optional)]
    pub clock_offset: Option<Nanos>,
    /// When the machine was started whose uptimes the times are.
    #[ts(optional)]
    pub boot: Option<Nanos>,
}

impl Reading {
    /// What was chosen for a source before.
    pub(crate) fn from_engine(chosen: &indexer::Reading) -> Reading {
        Reading {
            format: chosen.format.clone(),
            definition: None,
            encoding: chosen.encoding.clone(),
            zone: chosen.zone.clone(),
            // A year that was found out is no choice of a person.
            year: chosen.year.filter(|_| chosen.year_reason.is_none()),
            time_field: chosen.time_field.clone(),
            clock_offset: Some(Nanos(chosen.clock_offset_ns)).filter(|offset| offset.0 != 0),
            boot: chosen.boot_ns.map(Nanos),
        }
    }

    /// With the formats that were saved, which are tried before the built-in ones.
    pub(crate) fn options(&self, saved: &[Arc<Definition>]) -> Result<ReadOptions, WireError> {
        let mut definitions = match &self.definition {
            Some(path) => indexer::definitions(Path::new(path))?,
            None => Vec::new(),
        };
        let only = match definitions.as_slice() {
            [definition] => Some(definition.name.clone()),
            _ => None,
        };
        definitions.extend_from_slice(saved);
        Ok(ReadOptions {
            format: self.format.clone().or(only),
            definitions,
            encoding: self.encoding.clone(),
            zone: self.zone.clone(),
            year: self.year,
            time_field: self.time_field.clone(),
            clock_offset_ns: self.clock_offset.map_or(0, |offset| offset.0),
            boot_ns: self.boot.map(|boot| boot.0),
            ..ReadOptions::default()
        })
    }
}

/// How one file or archive member is to be read.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FileReading {
    pub path: String,
    pub reading: Reading,
}

/// How an import goes about its files.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct ImportChoices {
    pub reading: Reading,
    /// Files that are read otherwise.
    pub files: Vec<FileReading>,
    /// Of folders, only files that match one of these patterns, and none that match one of those.
    pub include: Vec<String>,
    pub exclude: Vec<String>,
    /// Files and archive members that are not read, by their paths.
    pub left_out: Vec<String>,
    /// Read what is in the case already once more.
    pub again: bool,
    /// Go on where the case would reach into what is kept free on its disk.
    pub beyond_reserve: bool,
}

impl ImportChoices {
    pub(crate) fn filter(&self) -> indexer::Filter {
        let globs = |patterns: &[String]| patterns.iter().map(|one| indexer::Glob::new(one)).collect();
        indexer::Filter { include: globs(&self.include), exclude: globs(&self.exclude) }
    }

    fn chosen(&self, saved: &[Arc<Definition>]) -> Result<HashMap<PathBuf, ReadOptions>, WireError> {
        let options = |file: &FileReading| Ok((PathBuf::from(&file.path), file.reading.options(saved)?));
        let chosen = self.files.iter().map(options);
        chosen.collect()
    }

    pub(crate) fn options(&self, session: &Session) -> Result<ImportOptions, WireError> {
        let saved = saved_definitions(&session.start.home);
        Ok(ImportOptions {
            ingest: self.reading.options(&saved)?,
            chosen: self.chosen(&saved)?,
            filter: self.filter(),
            left_out: self.left_out.iter().map(PathBuf::from).collect(),
            again: self.again,
            beyond_reserve: self.beyond_reserve,
            ..ImportOptions::default()
        })
    }
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PreviewRequest {
    /// Where the case is or will be; its disk is measured.
    pub case: String,
    pub paths: Vec<String>,
    #[serde(default)]
    #[ts(optional, as = "Option<ImportChoices>")]
    pub choices: ImportChoices,
    /// So many events of each file.
    pub events: u32,
    /// Leave out what the import will take, which has to be measured.
    #[serde(default)]
    #[ts(optional, as = "Option<bool>")]
    pub without_estimate: bool,
}

/// How a stored source would be read with these choices on top of those made before.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PreviewSourceRequest {
    pub case: String,
    pub source: u32,
    pub reading: Reading,
    pub events: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Preview {
    pub files: Vec<PreviewFile>,
    pub estimate: Estimate,
}

/// What an import will take, measured on samples of its files on this machine.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Estimate {
    pub bytes_in: u64,
    /// By profile; none where nothing was measured.
    pub profiles: Vec<ProfileCost>,
    pub free_bytes: u64,
    /// What is kept free.
    pub reserve_bytes: u64,
}

/// What an import will take in one profile.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ProfileCost {
    pub profile: Profile,
    pub seconds: f64,
    pub bytes_on_disk: u64,
    /// Of the processor for a gigabyte of logs, and on the disk for a byte of them.
    pub cpu_seconds_a_gb: f64,
    pub bytes_a_byte: f64,
    /// Whether it fits above the reserve; where not, an import needs `beyondReserve`.
    pub fits: bool,
}

/// A file or archive member by its first bytes.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PreviewFile {
    pub path: String,
    pub name: String,
    /// The rotated set it is a part of.
    pub set: Option<String>,
    pub bytes: Option<u64>,
    pub encoding: String,
    pub compression: String,
    pub zone: String,
    pub first: Option<Nanos>,
    pub last: Option<Nanos>,
    /// Events of the sample, and how many of them were not understood.
    pub events: u64,
    pub unparsed: u64,
    /// Whether the sample is all of the file.
    pub is_whole: bool,
    pub format: String,
    pub account: Account,
    pub rows: Vec<PreviewRow>,
    /// What it is to the case by its first bytes and its length; the import compares all of it.
    pub outcome: FileOutcome,
    /// That in words, where it is not simply new.
    pub remark: Option<String>,
    pub error: Option<WireError>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PreviewRow {
    pub line: u64,
    pub time: Option<Nanos>,
    pub level: Level,
    /// Why the format did not understand it, if so.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub unparsed: Option<String>,
    /// The event's text in pieces, those that are a field's value with its name.
    pub pieces: Vec<Piece>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Piece {
    pub text: String,
    pub field: Option<String>,
}

/// Why a source is read as it is, and what is odd about it.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Account {
    /// Share of the first lines that are of the format, 0 to 1.
    pub score: f32,
    pub reason: String,
    pub alternatives: Vec<Alternative>,
    pub unparsed: Vec<Unparsed>,
    /// How many events begin at each layout of its lines, the most frequent first; empty where there is only one.
    pub layouts: Vec<Layout>,
    /// The fields that may contain the time, the one that is used first.
    pub time_fields: Vec<TimeField>,
    /// What was decided about its times, and what is odd about them, in sentences.
    pub times: Vec<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Alternative {
    pub format: String,
    pub score: f32,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Layout {
    /// The text before the time with its marks, and words and numbers by their kind: `number word [time`.
    pub layout: String,
    pub events: u64,
}

/// A field that may contain the time.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TimeField {
    pub name: String,
    /// Share of the first events that have a time in it, 0 to 1.
    pub coverage: f32,
    /// Its first value that is a time.
    pub example: String,
    /// The times are read from it.
    pub chosen: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Unparsed {
    pub reason: String,
    pub events: u64,
    pub examples: Vec<Example>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Example {
    pub line: u64,
    pub text: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AccountRequest {
    pub case: String,
    pub source: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AdjustRequest {
    pub case: String,
    pub sources: Vec<u32>,
    #[serde(default)]
    #[ts(optional)]
    pub zone: Option<String>,
    /// Added to every time as written.
    #[serde(default)]
    #[ts(optional)]
    pub clock_offset: Option<Nanos>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RereadRequest {
    pub case: String,
    pub sources: Vec<u32>,
    pub reading: Reading,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PasteRequest {
    pub case: String,
    /// What the source is called.
    pub name: String,
    pub text: String,
    #[serde(default)]
    #[ts(optional, as = "Option<Reading>")]
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
        estimate: shape_estimate(&preview.estimate),
        files: preview.files.into_iter().map(shape_file).collect(),
    })
}

fn shape_estimate(estimate: &indexer::Estimate) -> Estimate {
    let cost = |cost: &indexer::ProfileCost| ProfileCost {
        profile: shape_profile(cost.profile),
        seconds: cost.seconds,
        bytes_on_disk: cost.bytes_on_disk,
        cpu_seconds_a_gb: cost.cpu_seconds_a_gb,
        bytes_a_byte: cost.bytes_a_byte,
        fits: estimate.fits(cost),
    };
    Estimate {
        bytes_in: estimate.bytes_in,
        profiles: estimate.profiles.iter().map(cost).collect(),
        free_bytes: estimate.free_bytes,
        reserve_bytes: estimate.reserve_bytes,
    }
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
    Ok(shape_file(file))
}

pub fn account(
    session: &Session,
    _: &Call<'_>,
    request: &AccountRequest,
    _: &dyn Fn(Empty),
) -> Result<Account, WireError> {
    let case = session.case(Path::new(&request.case))?;
    let account = case.account(&case.snapshot(), request.source)?;
    Ok(account.as_ref().map(shape_account).unwrap_or_default())
}

pub fn adjust(
    session: &Session,
    call: &Call<'_>,
    request: &AdjustRequest,
    report: &dyn Fn(ImportProgress),
) -> Result<ImportReport, WireError> {
    let case = session.case(Path::new(&request.case))?;
    let tell = |progress: indexer::Progress| report(import_progress(&progress));
    let offset_ns = request.clock_offset.map(|offset| offset.0);
    let done = case.adjust(&request.sources, request.zone.as_deref(), offset_ns, &tell, &call.cancel)?;
    Ok(import_report(&case, &done))
}

pub fn reread(
    session: &Session,
    call: &Call<'_>,
    request: &RereadRequest,
    report: &dyn Fn(ImportProgress),
) -> Result<ImportReport, WireError> {
    let case = session.case(Path::new(&request.case))?;
    let tell = |progress: indexer::Progress| report(import_progress(&progress));
    let options = ImportOptions {
        ingest: request.reading.options(&saved_definitions(&session.start.home))?,
        ..ImportOptions::default()
    };
    let done = case.reread(&request.sources, &options, &tell, &call.cancel)?;
    Ok(import_report(&case, &done))
}

pub fn paste(
    session: &Session,
    call: &Call<'_>,
    request: &PasteRequest,
    report: &dyn Fn(ImportProgress),
) -> Result<ImportReport, WireError> {
    let case = session.case(Path::new(&request.case))?;
    let tell = |progress: indexer::Progress| report(import_progress(&progress));
    let options = ImportOptions {
        ingest: request.reading.options(&saved_definitions(&session.start.home))?,
        ..ImportOptions::default()
    };
    let since = SystemTime::now().duration_since(UNIX_EPOCH).ok();
    let now_ns = since.and_then(|since| i64::try_from(since.as_nanos()).ok());
    let done = case.paste((&request.name, &request.text), now_ns, &options, &tell, &call.cancel)?;
    let report = import_report(&case, &done);
    note(session, &report.case);
    Ok(report)
}

pub(crate) fn shape_file(file: indexer::PreviewFile) -> PreviewFile {
    let row = |row: indexer::PreviewRow| PreviewRow {
        line: row.line,
        time: (row.time != NO_TIME).then_some(Nanos(row.time)),
        level: shape_level(row.level),
        unparsed: row.unparsed,
        pieces: row.pieces.into_iter().map(|piece| Piece { text: piece.text, field: piece.field }).collect(),
    };
    PreviewFile {
        path: file.path.to_string_lossy().into_owned(),
        name: file.name,
        set: file.set,
        bytes: file.bytes,
        encoding: file.encoding,
        compression: file.compression,
        zone: file.zone,
        first: file.first.map(Nanos),
        last: file.last.map(Nanos),
        events: file.events,
        unparsed: file.unparsed,
        is_whole: file.is_whole,
        format: file.format,
        account: shape_account(&file.account),
        rows: file.rows.into_iter().map(row).collect(),
        outcome: shape_outcome(file.outcome),
        remark: file.remark.as_deref().map(sentence),
        error: file.error.as_ref().map(WireError::from),
    }
}

fn shape_account(account: &indexer::Account) -> Account {
    let alternative = |(format, score): &(String, f32)| Alternative { format: format.clone(), score: *score };
    let example = |example: &indexer::Example| Example { line: example.line, text: example.text.clone() };
    let unparsed = |unparsed: &indexer::Unparsed| Unparsed {
        reason: unparsed.reason.clone(),
        events: unparsed.events,
        examples: unparsed.examples.iter().map(example).collect(),
    };
    let layout = |(layout, events)| Layout { layout, events };
    let time_field = |field: &indexer::TimeFieldOption| TimeField {
        name: field.name.clone(),
        coverage: field.coverage,
        example: field.example.clone(),
        chosen: field.chosen,
    };
    Account {
        score: account.score,
        reason: account.reason.clone(),
        alternatives: account.alternatives.iter().map(alternative).collect(),
        unparsed: account.unparsed.iter().map(unparsed).collect(),
        layouts: account.several_layouts().into_iter().map(layout).collect(),
        time_fields: account.time_fields.iter().map(time_field).collect(),
        times: account.times.sentences(),
    }
}
