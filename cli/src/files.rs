//! The `files` list that `preview --json` and `import --json` share.

use indexer::Account;
use serde::Serialize;

/// A file or archive member, as scripts see it.
#[derive(Default, Serialize)]
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
    /// The rotated set it is a part of.
    pub set: Option<String>,
    /// Share of its first lines that are of the format, why it was chosen, and which others were possible.
    pub score: f32,
    pub reason: String,
    pub alternatives: Vec<Alternative>,
    /// What was not understood, by reason.
    pub unparsed_reasons: Vec<UnparsedReason>,
    /// How many events begin at each layout of its lines; empty where there is only one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub layouts: Vec<Layout>,
    /// The fields that may contain the time, the one that was used first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub time_fields: Vec<indexer::TimeFieldOption>,
    /// What was decided about its times, and what is odd about them.
    pub times: Vec<String>,
    /// How the case knows it: `new`, `known`, `grown`, or `reread` for a source that is read again; only for an import.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<&'static str>,
    /// That in words, where it is not simply new.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
}

#[derive(Serialize)]
pub struct Alternative {
    pub format: String,
    pub score: f32,
}

#[derive(Serialize)]
pub struct Layout {
    pub layout: String,
    pub events: u64,
}

#[derive(Serialize)]
pub struct UnparsedReason {
    pub reason: String,
    pub events: u64,
    pub examples: Vec<Example>,
}

#[derive(Serialize)]
pub struct Example {
    pub line: u64,
    pub text: String,
}

impl FileLine {
    fn with(self, account: &Account) -> FileLine {
        let alternative =
            |(format, score): &(String, f32)| Alternative { format: format.clone(), score: *score };
        let example = |example: &indexer::Example| Example { line: example.line, text: example.text.clone() };
        let reason = |unparsed: &indexer::Unparsed| UnparsedReason {
            reason: unparsed.reason.clone(),
            events: unparsed.events,
            examples: unparsed.examples.iter().map(example).collect(),
        };
        let layout = |(layout, events)| Layout { layout, events };
        FileLine {
            score: account.score,
            reason: account.reason.clone(),
            alternatives: account.alternatives.iter().map(alternative).collect(),
            unparsed_reasons: account.unparsed.iter().map(reason).collect(),
            layouts: account.several_layouts().into_iter().map(layout).collect(),
            time_fields: account.time_fields.clone(),
            times: account.times.sentences(),
            ..self
        }
    }
}

impl From<&indexer::Detected> for FileLine {
    fn from(file: &indexer::Detected) -> FileLine {
        let line = FileLine {
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
            set: file.set.clone(),
            ..FileLine::default()
        };
        line.with(&file.account)
    }
}

impl From<&indexer::FileReport> for FileLine {
    fn from(file: &indexer::FileReport) -> FileLine {
        let source = file.source.as_ref();
        let text = |part: fn(&indexer::SourceEntry) -> &String| source.map(part).cloned().unwrap_or_default();
        let line = FileLine {
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
            set: source.and_then(|source| source.set.clone()),
            outcome: Some(file.outcome.name()),
            remark: file.remark.clone(),
            ..FileLine::default()
        };
        match &file.account {
            Some(account) => line.with(account),
            None => line,
        }
    }
}

/// A path that held nothing to read, with the reason.
impl From<&indexer::Error> for FileLine {
    fn from(error: &indexer::Error) -> FileLine {
        let path = error.path().map(|path| path.to_string_lossy().into_owned()).unwrap_or_default();
        FileLine { path, error: Some(error.message().to_owned()), ..FileLine::default() }
    }
}
