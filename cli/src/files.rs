//! The `files` list that `detect --json` and `import --json` share.

use serde::Serialize;

/// A file or archive member, as scripts see it.
#[derive(Serialize)]
pub struct FileLine {
    pub path: String,
    pub format: String,
    pub encoding: String,
    pub compression: String,
    pub zone: String,
    pub events: u64,
    pub unparsed: u64,
    pub first: Option<String>,
    pub last: Option<String>,
    pub bytes: u64,
    pub error: Option<String>,
    /// Whether the case knows it: new, known, grown, anew; only for an import.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<&'static str>,
    /// That in words, where it is not simply new.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
}

impl From<&indexer::Detected> for FileLine {
    fn from(file: &indexer::Detected) -> FileLine {
        FileLine {
            path: file.path.to_string_lossy().into_owned(),
            format: file.format.clone(),
            encoding: file.encoding.clone(),
            compression: file.compression.clone(),
            zone: file.zone.clone(),
            events: file.events,
            unparsed: file.unparsed,
            first: file.first.map(indexer::stamp::to_rfc3339),
            last: file.last.map(indexer::stamp::to_rfc3339),
            bytes: file.bytes,
            error: file.error.as_ref().map(|error| error.message().to_owned()),
            outcome: None,
            remark: None,
        }
    }
}

impl From<&indexer::FileReport> for FileLine {
    fn from(file: &indexer::FileReport) -> FileLine {
        let source = file.source.as_ref();
        let text = |part: fn(&indexer::SourceEntry) -> &String| source.map(part).cloned().unwrap_or_default();
        FileLine {
            path: file.path.to_string_lossy().into_owned(),
            format: text(|source| &source.format),
            encoding: text(|source| &source.encoding),
            compression: text(|source| &source.compression),
            zone: text(|source| &source.zone),
            events: source.map_or(0, |source| source.events),
            unparsed: source.map_or(0, |source| source.unparsed),
            first: source.and_then(|source| source.first).map(indexer::stamp::to_rfc3339),
            last: source.and_then(|source| source.last).map(indexer::stamp::to_rfc3339),
            bytes: source.map_or(0, |source| source.bytes),
            error: file.problem.as_ref().map(|error| error.message().to_owned()),
            outcome: Some(file.outcome.name()),
            remark: file.remark.clone(),
        }
    }
}

/// A path that held nothing to read, with the reason.
impl From<&indexer::Error> for FileLine {
    fn from(error: &indexer::Error) -> FileLine {
        let path = error.path().map(|path| path.to_string_lossy().into_owned()).unwrap_or_default();
        let none = indexer::Detected { error: Some(error.clone()), ..indexer::Detected::default() };
        FileLine { path, ..FileLine::from(&none) }
    }
}
