//! How sources are read: what a person chooses of it, and the account of what was found.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use indexer::{Definition, ImportOptions, Nanos, ReadOptions, Result, TimeFieldOption, Unparsed};
use serde::{Deserialize, Serialize};

/// How files are to be read, where the data does not say it; what is missing is found out or stays as it was. The
/// engine takes definitions that are read, and keeps what it found out together with what was chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Reading {
    /// A format's name.
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub format: Option<String>,
    /// A file that defines a format.
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub definition: Option<String>,
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub encoding: Option<String>,
    /// An IANA name or an offset such as `+02:00`, for times that name none.
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub zone: Option<String>,
    /// Of the first time, where times name none.
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub year: Option<i16>,
    /// The field that contains the time; ignored where a file has none of that name.
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub time_field: Option<String>,
    /// Added to every time.
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub clock_offset: Option<Nanos>,
    /// When the machine was started whose uptimes the times are.
    #[cfg_attr(feature = "typescript", ts(optional))]
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
    pub(crate) fn options(&self, saved: &[Arc<Definition>]) -> Result<ReadOptions> {
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FileReading {
    pub path: String,
    pub reading: Reading,
}

/// How an import goes about its files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
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
        indexer::Filter {
            include: globs(&self.include),
            exclude: globs(&self.exclude),
            ..indexer::Filter::default()
        }
    }

    pub(crate) fn chosen(&self, saved: &[Arc<Definition>]) -> Result<HashMap<PathBuf, ReadOptions>> {
        let options = |file: &FileReading| Ok((PathBuf::from(&file.path), file.reading.options(saved)?));
        let chosen = self.files.iter().map(options);
        chosen.collect()
    }

    pub(crate) fn options(&self, saved: &[Arc<Definition>]) -> Result<ImportOptions> {
        Ok(ImportOptions {
            ingest: self.reading.options(saved)?,
            chosen: self.chosen(saved)?,
            filter: self.filter(),
            left_out: self.left_out.iter().map(PathBuf::from).collect(),
            again: self.again,
            beyond_reserve: self.beyond_reserve,
            ..ImportOptions::default()
        })
    }
}

/// A file or archive member by its first bytes.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PreviewFile {
    #[serde(flatten)]
    pub file: indexer::PreviewFile,
    pub account: Account,
}

/// Why a source is read as it is, and what is odd about it. The engine's own account is a file of the case, and its
/// report on times is no text yet.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Account {
    /// Share of the first lines that are of the format, 0 to 1.
    pub score: f32,
    pub reason: String,
    pub alternatives: Vec<Alternative>,
    pub unparsed: Vec<Unparsed>,
    /// How many events begin at each layout of its lines, the most frequent first; empty where there is only one.
    pub layouts: Vec<Layout>,
    /// The fields that may contain the time, the one that is used first.
    pub time_fields: Vec<TimeFieldOption>,
    /// What was decided about its times, and what is odd about them, in sentences.
    pub times: Vec<String>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Alternative {
    pub format: String,
    pub score: f32,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Layout {
    /// The text before the time with its marks, and words and numbers by their kind: `number word [time`.
    pub layout: String,
    pub events: u64,
}

impl From<indexer::PreviewFile> for PreviewFile {
    fn from(file: indexer::PreviewFile) -> PreviewFile {
        PreviewFile { account: Account::from(&file.account), file }
    }
}

impl From<&indexer::Account> for Account {
    fn from(account: &indexer::Account) -> Account {
        let alternatives = account.alternatives.iter().cloned();
        let layouts = account.several_layouts().into_iter();
        Account {
            score: account.score,
            reason: account.reason.clone(),
            alternatives: alternatives.map(|(format, score)| Alternative { format, score }).collect(),
            unparsed: account.unparsed.clone(),
            layouts: layouts.map(|(layout, events)| Layout { layout, events }).collect(),
            time_fields: account.time_fields.clone(),
            times: account.times.sentences(),
        }
    }
}
