//! Formats that a person defined: tried on lines, saved for every later import, and removed.
//!
//! A saved format is a file in the folder `formats` of Timberline's own folder, as docs/custom-formats.md describes
//! it. Whatever reads logs tries them before the built-in ones.

// Every call answers alike, so that the contract's table can list it; some of them cannot fail.
#![allow(clippy::unnecessary_wraps)]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use indexer::whole_file::{self, Readers};
use indexer::{Definition, DefinitionError, ReadOptions, sentence};
use serde::{Deserialize, Serialize};

use crate::calls::{Answer, not_written, text};
use crate::readings::PreviewFile;
use crate::session::{Call, Session};
use crate::types::{Empty, ErrorCode, WireError};

/// The encodings that are offered; others are known by their names too.
const ENCODINGS: [&str; 20] = [
    "utf-8",
    "utf-16le",
    "utf-16be",
    "windows-1252",
    "windows-1250",
    "windows-1251",
    "windows-1253",
    "windows-1254",
    "windows-1255",
    "windows-1256",
    "windows-1257",
    "iso-8859-2",
    "iso-8859-15",
    "koi8-r",
    "shift_jis",
    "euc-jp",
    "gb18030",
    "big5",
    "euc-kr",
    "ibm866",
];

/// Everything a source can be read as.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Formats {
    pub built_in: Vec<FormatName>,
    pub saved: Vec<SavedFormat>,
    pub encodings: Vec<String>,
    /// Where saved formats are kept.
    pub folder: String,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FormatName {
    pub name: String,
    /// What its lines are, for a person.
    pub title: String,
}

/// A file of one format, or of several where it was made for another program.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SavedFormat {
    pub path: String,
    pub formats: Vec<FormatName>,
    /// The definition as it was written.
    pub text: String,
    /// What is wrong with it; it is not used then.
    pub faults: Vec<FormatFault>,
}

/// What is wrong with a definition, as a sentence and without its path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FormatFault {
    /// The key at fault, as `tags[1].if`; empty where the definition as a whole is.
    pub key: String,
    pub message: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TryFormatRequest {
    /// The definition.
    pub text: String,
    /// Lines to read by it.
    pub sample: String,
    pub events: u32,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TriedFormat {
    pub formats: Vec<FormatName>,
    pub faults: Vec<FormatFault>,
    /// What it makes of the sample; nothing where the definition has a fault or the sample is empty.
    pub file: Option<PreviewFile>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SaveFormatRequest {
    pub text: String,
    /// Write over a saved format of the same name.
    pub replace: bool,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RemoveFormatRequest {
    /// The path of a saved format.
    pub path: String,
}

fn folder(home: &Path) -> PathBuf {
    home.join("formats")
}

/// The saved formats that have no fault. Those with one are listed with it by [`formats`].
#[must_use]
pub fn saved_definitions(home: &Path) -> Vec<Arc<Definition>> {
    let files = files(&folder(home)).into_iter();
    let definitions = files.filter_map(|path| indexer::definitions(&path).ok());
    definitions.flatten().collect()
}

/// Files in the order of their names, so that two formats that fit alike are always tried in the same order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.path()).filter(|path| is_definition(path)).collect();
    files.sort();
    files
}

fn is_definition(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ["toml", "json", "grok"].iter().any(|known| ending == *known))
}

pub fn formats(session: &Session, _: &Call<'_>, _: &Empty, _: &dyn Fn(Empty)) -> Answer<Formats> {
    let name = |(name, title): (&str, &str)| FormatName { name: name.to_owned(), title: title.to_owned() };
    let folder = folder(&session.start.home);
    Ok(Formats {
        built_in: indexer::format_names().map(name).collect(),
        saved: files(&folder).iter().map(|path| saved(path)).collect(),
        encodings: ENCODINGS.map(str::to_owned).to_vec(),
        folder: folder.to_string_lossy().into_owned(),
    })
}

fn saved(path: &Path) -> SavedFormat {
    let (text, read) = match fs::read_to_string(path) {
        Ok(text) => {
            let read = read(&text, path);
            (text, read)
        }
        Err(error) => {
            let fault = FormatFault { key: String::new(), message: sentence(&error.to_string()) };
            (String::new(), Err(vec![fault]))
        }
    };
    let (definitions, faults) = match read {
        Ok(definitions) => (definitions, Vec::new()),
        Err(faults) => (Vec::new(), faults),
    };
    SavedFormat {
        path: path.to_string_lossy().into_owned(),
        formats: definitions.iter().map(named).collect(),
        text,
        faults,
    }
}

fn named(definition: &Definition) -> FormatName {
    FormatName { name: definition.name.clone(), title: definition.title.clone() }
}

fn read(text: &str, path: &Path) -> Result<Vec<Definition>, Vec<FormatFault>> {
    let fault = |error: DefinitionError| FormatFault { key: error.key, message: sentence(&error.message) };
    indexer::definitions_of(text, path)
        .map_err(|faults: Vec<DefinitionError>| faults.into_iter().map(fault).collect())
}

pub fn try_format(
    _: &Session,
    _: &Call<'_>,
    request: &TryFormatRequest,
    _: &dyn Fn(Empty),
) -> Answer<TriedFormat> {
    let definitions = match read(&request.text, Path::new(UNNAMED)) {
        Ok(definitions) => definitions,
        Err(faults) => return Ok(TriedFormat { formats: Vec::new(), faults, file: None }),
    };
    let formats: Vec<_> = definitions.iter().map(named).collect();
    let only = formats.first().filter(|_| formats.len() == 1);
    let options = ReadOptions {
        format: only.map(|format| format.name.clone()),
        definitions: definitions.into_iter().map(Arc::new).collect(),
        ..ReadOptions::default()
    };
    let since = SystemTime::now().duration_since(UNIX_EPOCH).ok();
    let now_ns = since.and_then(|since| i64::try_from(since.as_nanos()).ok());
    let read = || {
        let events = request.events as usize;
        indexer::preview_text("sample", &request.sample, &options, events, now_ns).map(PreviewFile::from)
    };
    let file = if request.sample.trim().is_empty() { None } else { Some(read()?) };
    Ok(TriedFormat { formats, faults: Vec::new(), file })
}

/// What a definition without a name is called while it is tried.
const UNNAMED: &str = "unnamed.toml";

pub fn save_format(
    session: &Session,
    _: &Call<'_>,
    request: &SaveFormatRequest,
    _: &dyn Fn(Empty),
) -> Answer<SavedFormat> {
    let refused = |message: String| WireError::new(ErrorCode::BadRequest, message);
    let definitions = read(&request.text, Path::new(UNNAMED)).map_err(|faults| {
        let messages = faults.iter().map(|fault| match fault.key.as_str() {
            "" => fault.message.clone(),
            key => format!("{key}: {}", fault.message),
        });
        refused(messages.collect::<Vec<_>>().join(" "))
    })?;
    let Some(first) = definitions.first() else {
        return Err(refused("The definition has no format.".to_owned()));
    };
    for definition in &definitions {
        if indexer::format_names().any(|(known, _)| known == definition.name) {
            let message = format!("There is a built-in format named {} already.", definition.name);
            return Err(WireError { hint: Some("Give it another name.".to_owned()), ..refused(message) });
        }
    }
    let folder = folder(&session.start.home);
    // A name that begins with a dot would hide the file.
    let stem = first.name.trim_start_matches('.');
    let path = folder.join(format!("{stem}.{}", ending(&request.text)));
    let others = files(&folder).into_iter().filter(|other| other.file_stem() == path.file_stem());
    let others: Vec<_> = others.collect();
    if !others.is_empty() && !request.replace {
        let message = format!("There is a saved format named {stem} already.");
        let hint = "Give it another name, or replace it.".to_owned();
        return Err(WireError { hint: Some(hint), path: Some(text(&path)), ..refused(message) });
    }
    whole_file::create_own_folder(&folder)
        .and_then(|()| whole_file::replace(&path, request.text.as_bytes(), Readers::Owner))
        .map_err(|error| not_written(&path, &error))?;
    for other in others.iter().filter(|other| **other != path) {
        // It was written in another language before; the new file has its place.
        fs::remove_file(other).map_err(|error| not_written(other, &error))?;
    }
    Ok(saved(&path))
}

/// The ending of a definition's file, for the eye: it is read by its content.
fn ending(text: &str) -> &'static str {
    if text.trim_start_matches('\u{FEFF}').trim_start().starts_with('{') {
        "json"
    } else if text.lines().any(|line| line.contains(" = ")) {
        "toml"
    } else {
        "grok"
    }
}

pub fn remove_format(
    session: &Session,
    _: &Call<'_>,
    request: &RemoveFormatRequest,
    _: &dyn Fn(Empty),
) -> Answer<Empty> {
    let folder = folder(&session.start.home);
    // Only what is listed can be removed, whatever path is asked for.
    let Some(path) = files(&folder).into_iter().find(|path| text(path) == request.path) else {
        let error = WireError::new(ErrorCode::NotFound, "There is no such saved format.");
        return Err(WireError { path: Some(request.path.clone()), ..error });
    };
    fs::remove_file(&path).map_err(|error| not_written(&path, &error))?;
    Ok(Empty {})
}
