//! Detects what would be imported, without a case: every file is read to its end and counted.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ingest::custom::Definition;
use ingest::{Encoding, Filter, InputFile, NO_TIME, Settler, SettlerState, Source};

use crate::import::better_year;
use base::Cancel;
use base::error::{Error, ErrorKind, Result};
use store::Account;

/// The content of a file.
#[derive(Clone, Debug, Default)]
pub struct Detected {
    pub path: PathBuf,
    /// The rotated set it is a part of.
    pub set: Option<String>,
    pub format: String,
    pub encoding: String,
    pub compression: String,
    pub zone: String,
    pub events: u64,
    pub unparsed: u64,
    /// In the order of the file.
    pub first: Option<i64>,
    pub last: Option<i64>,
    pub bytes: u64,
    /// Why this format, how its times were read, and what was not understood.
    pub account: Account,
    /// Why it, or the rest of it, cannot be read.
    pub error: Option<Error>,
}

/// The user-defined formats of a file. The error lists all of its faults.
pub fn definitions(path: &Path) -> Result<Vec<Arc<Definition>>> {
    let loaded = ingest::custom::load(path).map_err(|faults| {
        let faults: Vec<String> = faults
            .iter()
            .map(|fault| match fault.key.as_str() {
                "" => fault.message.clone(),
                key => format!("{key}: {}", fault.message),
            })
            .collect();
        Error::new(ErrorKind::BadRequest, faults.join("; ")).at(path)
    })?;
    Ok(loaded.into_iter().map(Arc::new).collect())
}

/// Reads files, folders and their members. One that cannot be read is in the list with its error.
pub fn detect(
    paths: &[PathBuf],
    filter: &Filter,
    options: &ingest::Options,
    cancel: &Cancel,
) -> Result<Vec<Detected>> {
    let discovery = ingest::discover_some(paths, filter);
    let files = ingest::group_rotation_sets(discovery.files, options);
    let mut looks: Vec<Look> = Vec::new();
    let mut handed_on = None;
    for (file, (found, set)) in files.iter().enumerate() {
        ingest::open(found, options, &mut |opened| {
            // What is in an archive has an order of its own.
            let set = set.clone().filter(|_| opened.name == found.name);
            let mut look = Look { file, ended: None, yearless: None, detected: Detected::default() };
            look.detected = Detected { path: opened.path, set, ..Detected::default() };
            let before = looks.last().and_then(|last| last.before(&look.detected));
            let read = opened.source.map_err(Error::from);
            let read = read.and_then(|mut source| {
                if let (Some(_), Some(succession), None) = (&before, &handed_on, &options.format) {
                    source.follow(succession);
                }
                let outcome = look.read(&mut source, before, cancel);
                handed_on = Some(source.succession());
                outcome
            });
            look.detected.error = read.err();
            looks.push(look);
            !cancel.is_set()
        });
        if cancel.is_set() {
            return Err(Error::cancelled());
        }
    }
    look_again(&files, &mut looks, options, cancel);
    let mut detected: Vec<_> = looks.into_iter().map(|look| look.detected).collect();
    detected.extend(discovery.refused.into_iter().map(|error| {
        let path = Path::new(error.path()).to_path_buf();
        Detected { path, error: Some(error.into()), ..Detected::default() }
    }));
    Ok(detected)
}

/// A stream that was read, and what is needed to think again about its year.
struct Look {
    /// The file it lies in.
    file: usize,
    detected: Detected,
    /// Where its times ended, for the next file of its set.
    ended: Option<SettlerState>,
    /// Its settler as it began, where its times have no year.
    yearless: Option<Settler>,
}

impl Look {
    /// Where the times ended of the file before this one in its set.
    fn before(&self, next: &Detected) -> Option<(String, SettlerState)> {
        let same_set = next.set.is_some() && next.set == self.detected.set;
        Some((self.detected.format.clone(), self.ended.clone().filter(|_| same_set)?))
    }

    fn read(
        &mut self,
        source: &mut Source<'_>,
        before: Option<(String, SettlerState)>,
        cancel: &Cancel,
    ) -> Result<()> {
        let detected = &mut self.detected;
        let detection = source.detection();
        detected.account = Account::from_detection(detection);
        detection.format.clone_into(&mut detected.format);
        detection.encoding.clone_into(&mut detected.encoding);
        detection.compression.clone_into(&mut detected.compression);
        detected.zone.clone_from(&detection.zone);
        let encoding = Encoding::named(&detection.encoding).unwrap_or(Encoding::UTF_8);
        let (parser, mut settler) = (source.parser(), source.settler());
        let beginning = settler.clone();
        if let Some((format, state)) = before
            && format == detected.format
        {
            settler.follow(&state);
        }
        let mut outcome = Ok(());
        loop {
            let chunk = match source.next_chunk() {
                Ok(Some(chunk)) if cancel.is_set() => break drop(chunk),
                Ok(Some(chunk)) => chunk,
                Ok(None) => break,
                Err(error) => {
                    outcome = Err(error.into());
                    break;
                }
            };
            detected.bytes += chunk.bytes.len() as u64;
            let mut batch = parser.parse(chunk);
            settler.settle(&mut batch);
            detected.account.add(&batch, encoding);
            detected.events += batch.rows() as u64;
            detected.unparsed += u64::from(batch.unparsed);
            let mut times = batch.time.iter().copied().filter(|&time| time != NO_TIME);
            detected.first = detected.first.or_else(|| times.clone().next());
            detected.last = times.next_back().or(detected.last);
        }
        detected.account.times = settler.report();
        detected.account.years = settler.sample_years();
        if !detected.account.times.zone.is_empty() {
            detected.zone.clone_from(&detected.account.times.zone);
        }
        self.yearless = (detected.account.times.yearless > 0).then_some(beginning);
        self.ended = Some(settler.state());
        outcome
    }
}

/// Reads those once more that belong to another year than they were given, now that all files are known.
fn look_again(
    files: &[(InputFile, Option<String>)],
    looks: &mut [Look],
    options: &ingest::Options,
    cancel: &Cancel,
) {
    if options.year.is_some() {
        return;
    }
    let mut seen = BTreeSet::new();
    for look in looks.iter() {
        seen.extend(look.detected.account.years.iter().flat_map(|&(first, last)| first..=last));
    }
    let seen: Vec<i16> = seen.into_iter().collect();
    for look in looks {
        let Some(beginning) = &look.yearless else { continue };
        let by_end = look.detected.account.times.better_year;
        let Some((year, reason)) = better_year(beginning, by_end, &seen) else { continue };
        let options =
            ingest::Options { year: Some(year), year_reason: Some(reason.to_owned()), ..options.clone() };
        let (found, _) = &files[look.file];
        ingest::open(found, &options, &mut |opened| {
            if opened.path == look.detected.path
                && let Ok(mut source) = opened.source
            {
                let Detected { path, set, .. } = std::mem::take(&mut look.detected);
                look.detected = Detected { path, set, ..Detected::default() };
                look.detected.error = look.read(&mut source, None, cancel).err();
                return false;
            }
            !cancel.is_set()
        });
    }
}
