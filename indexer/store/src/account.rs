//! What an import learned about each source: `accounts/<n>.json`, written once for all sources that ended
//! since the previous commit, and never changed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ingest::{Batch, Detection, Encoding, LeftOut, SettlerState, TextDecoder, TimeFieldOption, TimeReport};
use serde::{Deserialize, Serialize};

use super::files;
use super::manifest::LARGEST;
use base::error::{AtPath, Error, Result};
use base::limits::{EXAMPLE_BYTES, EXAMPLES, UNPARSED_REASONS};
use base::stamp;

/// Why a source was read as it was, and what was odd about it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Account {
    /// Share of the sample's lines that are of its format, 0 to 1.
    pub score: f32,
    /// Why this format, for a person.
    pub reason: String,
    /// Other formats that read some of the sample, with their share, the best first.
    pub alternatives: Vec<(String, f32)>,
    /// Events that the format did not understand, by reason.
    pub unparsed: Vec<Unparsed>,
    /// How many events begin at each layout of its lines, in words; empty if there is only one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub layouts: Vec<(String, u64)>,
    /// Values that are no fields, because the source has too many.
    #[serde(skip_serializing_if = "LeftOut::is_empty")]
    pub left_out: LeftOut,
    /// The fields that may contain the time, the one that was used first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub time_fields: Vec<TimeFieldOption>,
    /// How its times were read.
    pub times: TimeReport,
    /// The first and last year of the times of its first lines that have one.
    pub years: Option<(i16, i16)>,
    /// Where reading resumes when the source has grown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resume: Option<Resume>,
    /// The end of the times of the previous file of its rotated set, if its own times continue from there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub began: Option<SettlerState>,
    /// The end of its times, for the next file of a rotated set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<SettlerState>,
}

/// Events that were not understood for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Unparsed {
    pub reason: String,
    pub events: u64,
    pub examples: Vec<Example>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Example {
    pub line: u64,
    /// The event's text, cut where it is long.
    pub text: String,
}

/// Where the last chunk of a source begins, and the state there. Its last event may have been incomplete, so
/// a source that has grown is read again from there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Resume {
    pub offset: u64,
    pub line: u64,
    pub heading: String,
    pub events: u64,
    pub not_parsed: u64,
    #[serde(with = "stamp::json")]
    pub first: Option<i64>,
    #[serde(with = "stamp::json")]
    pub last: Option<i64>,
    pub unparsed: Vec<Unparsed>,
    #[serde(default)]
    pub layouts: Vec<(String, u64)>,
    #[serde(default)]
    pub left_out: LeftOut,
    pub settler: SettlerState,
}

impl Account {
    #[must_use]
    pub fn from_detection(detection: &Detection) -> Account {
        Account {
            score: detection.score,
            reason: detection.reason.clone(),
            alternatives: detection
                .alternatives
                .iter()
                .map(|other| (other.format.clone(), other.score))
                .collect(),
            time_fields: detection.time_fields.clone(),
            ..Account::default()
        }
    }

    /// The layouts at which events begin, most frequent first, if there are several.
    #[must_use]
    pub fn several_layouts(&self) -> Vec<(String, u64)> {
        let mut layouts = self.layouts.clone();
        layouts.sort_by_key(|layout| std::cmp::Reverse(layout.1));
        if layouts.len() < 2 { Vec::new() } else { layouts }
    }

    /// The same in a sentence.
    #[must_use]
    pub fn layout_sentence(&self) -> Option<String> {
        let layouts = self.several_layouts();
        let counts: Vec<_> = layouts.iter().map(|(layout, events)| format!("{layout} ({events})")).collect();
        (!counts.is_empty()).then(|| format!("events begin at several layouts: {}", counts.join(", ")))
    }

    /// The values that are no fields, in a sentence.
    #[must_use]
    pub fn left_out_sentence(&self) -> Option<String> {
        let LeftOut { values, names } = &self.left_out;
        let values = if *values == 1 { "1 value is".to_owned() } else { format!("{values} values are") };
        (!names.is_empty()).then(|| {
            format!(
                "{values} under keys beyond the first {}, such as {}: they are in the text of their events, not fields",
                ingest::limits::MOST_FIELDS,
                names.join(", ")
            )
        })
    }

    /// What is odd about the source, in sentences: about its times, and about what was not understood.
    #[must_use]
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = self.times.sentences();
        remarks.extend(self.layout_sentence());
        remarks.extend(self.left_out_sentence());
        for unparsed in &self.unparsed {
            if unparsed.reason == ingest::CUT {
                remarks.push(cut_sentence(unparsed));
                continue;
            }
            let lines: Vec<_> = unparsed.examples.iter().map(|example| example.line.to_string()).collect();
            let events = if unparsed.events == 1 { "event was" } else { "events were" };
            remarks.push(format!(
                "{} {events} not understood: {}, as in line {}",
                unparsed.events,
                unparsed.reason,
                lines.join(", ")
            ));
        }
        remarks
    }

    /// Adds the reasons why events of a batch were not understood, and what is no field.
    pub fn add(&mut self, batch: &Batch, encoding: Encoding) {
        for (layout, events) in &batch.layouts {
            match self.layouts.iter_mut().find(|(known, _)| known == layout) {
                Some((_, count)) => *count += u64::from(*events),
                None => self.layouts.push((layout.clone(), u64::from(*events))),
            }
        }
        self.left_out.add(&batch.left_out);
        if batch.unparsed == 0 {
            return;
        }
        let mut texts = TextDecoder::new(encoding);
        for &(reason, events) in &batch.unparsed_reasons {
            let known = self.unparsed.iter().position(|unparsed| unparsed.reason == reason);
            let place = known.or_else(|| {
                let has_room = self.unparsed.len() < UNPARSED_REASONS;
                has_room.then(|| {
                    self.unparsed.push(Unparsed { reason: reason.to_owned(), events: 0, examples: vec![] });
                    self.unparsed.len() - 1
                })
            });
            let Some(unparsed) = place.and_then(|place| self.unparsed.get_mut(place)) else { continue };
            unparsed.events += u64::from(events);
            let of_reason = batch.unparsed_examples.iter().filter(|(_, why)| *why == reason);
            // Where the parts of a long event begin means nothing; the first shows which event it is.
            let most = if reason == ingest::CUT { 1 } else { EXAMPLES };
            let missing = most.saturating_sub(unparsed.examples.len());
            for &(row, _) in of_reason.take(missing) {
                unparsed.examples.push(example(batch, row as usize, &mut texts));
            }
        }
    }
}

/// Said once for all events of a file that were cut.
fn cut_sentence(cut: &Unparsed) -> String {
    let first =
        cut.examples.first().map_or_else(String::new, |example| format!(", first in line {}", example.line));
    format!(
        "events of more than {} lines or {} MB were cut, into {} more{first}",
        ingest::limits::MOST_EVENT_LINES,
        ingest::limits::LONGEST_EVENT_BYTES >> 20,
        cut.events
    )
}

fn example(batch: &Batch, row: usize, texts: &mut TextDecoder) -> Example {
    let text = texts.text(&batch.chunk.bytes, batch.chunk.offset, batch.event(row));
    let text = String::from_utf8_lossy(&text[..text.len().min(EXAMPLE_BYTES)]).into_owned();
    Example { line: batch.line[row], text }
}

/// The number of a file of accounts, by its name.
#[must_use]
pub fn number_of(name: &str) -> Option<u64> {
    name.strip_suffix(".json")?.parse().ok()
}

/// The accounts of one commit, by source.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Accounts {
    pub of: BTreeMap<u32, Account>,
}

impl Accounts {
    #[must_use]
    pub fn path(case: &Path, number: u64) -> PathBuf {
        case.join("accounts").join(format!("{number}.json"))
    }

    pub fn write(&self, case: &Path, number: u64) -> Result<()> {
        let path = Accounts::path(case, number);
        let folder = case.join("accounts");
        base::files::create_folder(&folder).at_path(&folder)?;
        let text = serde_json::to_vec(self).map_err(|error| Error::damaged(&path, error))?;
        files::replace(&path, &text, files::ACCOUNTS)
    }

    pub fn read(case: &Path, number: u64) -> Result<Accounts> {
        let path = Accounts::path(case, number);
        let text = base::files::read(&path).at_path(&path)?;
        let accounts: Accounts =
            serde_json::from_slice(&text).map_err(|error| Error::damaged(&path, error))?;
        let mut resumed = accounts.of.values().filter_map(|account| account.resume.as_ref());
        // A source that goes on counts from these.
        let is_true = |resume: &Resume| {
            [resume.offset, resume.line, resume.events, resume.not_parsed]
                .iter()
                .all(|&number| number < LARGEST)
        };
        if resumed.all(is_true) { Ok(accounts) } else { Err(Error::damaged(&path, "its numbers cannot be")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resume_point_beyond_every_source_is_damage() {
        let released = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/frozen/v6.case/accounts/1.json");
        let released = std::fs::read_to_string(released).expect("the file");
        let case = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(case.path().join("accounts")).expect("a folder");
        for (offset, is_sound) in [(0, true), (LARGEST - 1, true), (LARGEST, false), (u64::MAX, false)] {
            let text = released
                .replace("\"resume\":{\"offset\":20379", &format!("\"resume\":{{\"offset\":{offset}"));
            assert_ne!(text, released);
            std::fs::write(Accounts::path(case.path(), 1), text).expect("it is written");
            assert_eq!(Accounts::read(case.path(), 1).is_ok(), is_sound, "{offset}");
        }
    }
}
