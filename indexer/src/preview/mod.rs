//! A preview of an import: each file's first events with the spans of their fields.

mod estimate;

use std::collections::HashMap;
use std::collections::HashSet;
use std::io::{Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use ingest::{
    Batch, Chunk, Encoding, Filter, InputFile, Level, Member, NO_TIME, Settler, Source, Stop, TextDecoder,
    UnpackLimits, Values,
};

use serde::Serialize;

use crate::case::Case;
use crate::import::{Expected, Outcome, StoredBytes};
use crate::value_spans::{TextPiece, text_pieces};
use base::Cancel;
use base::error::{AtPath, Error, ErrorKind, Result};
use base::limits::{EXAMPLE_BYTES, MEASURED_BYTES, PREVIEWED_BYTES, USUAL_EXPANSION};
pub(crate) use estimate::check_room;
use estimate::estimate;
pub use estimate::{Estimate, ProfileCost};
use store::Snapshot;
use store::frames_by_source;
use store::{Account, Profile, RawFolder, SourceEntry, SourceReading};

/// What to preview, and how.
#[derive(Clone, Debug, Default)]
pub struct PreviewRequest {
    pub paths: Vec<PathBuf>,
    pub filter: Filter,
    /// Files and members that will not be read: they are listed, but no part of the estimate.
    pub left_out: HashSet<PathBuf>,
    pub options: ingest::Options,
    /// Other options for some files or members, by their paths.
    pub chosen: HashMap<PathBuf, ingest::Options>,
    /// So many events of each, up to a limit.
    pub events: usize,
    /// Leave out what the import will take, which has to be measured.
    pub without_estimate: bool,
    /// The profile to measure that with; by default the one of the case, and every one for a new case.
    pub profile: Option<Profile>,
}

#[derive(Clone, Debug)]
pub struct Preview {
    pub files: Vec<PreviewFile>,
    pub estimate: Estimate,
}

/// The preview of a file or member, from its first bytes.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PreviewFile {
    #[serde(with = "base::json::shown_path")]
    #[cfg_attr(feature = "typescript", ts(type = "string"))]
    pub path: PathBuf,
    pub name: String,
    /// The rotated set it is a part of.
    pub set: Option<String>,
    /// Its length, if known.
    pub bytes: Option<u64>,
    pub format: String,
    pub encoding: String,
    pub compression: String,
    pub zone: String,
    /// Of the sample; the last of all where the file's last lines could be read too.
    #[serde(with = "base::json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<base::json::Nanos>"))]
    pub first: Option<i64>,
    #[serde(with = "base::json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<base::json::Nanos>"))]
    pub last: Option<i64>,
    /// Events of the sample, and how many of them were not understood.
    pub events: u64,
    pub unparsed: u64,
    /// True if the sample is the whole file.
    pub is_whole: bool,
    /// Its JSON is that of the file it is stored in, so a host adds the account as people read it.
    #[serde(skip)]
    pub account: Account,
    pub rows: Vec<PreviewRow>,
    /// What it is to the case by its first bytes and its length; the import compares all of it.
    pub outcome: Outcome,
    /// That in words, where it is not simply new.
    #[serde(with = "base::error_report::sentences")]
    #[cfg_attr(feature = "typescript", ts(type = "string | null"))]
    pub remark: Option<String>,
    pub error: Option<Error>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PreviewRow {
    pub line: u64,
    #[serde(with = "base::json::event_time")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<base::json::Nanos>"))]
    pub time: i64,
    pub level: Level,
    /// Why the format did not understand it, if so.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub unparsed: Option<String>,
    /// The event's text in pieces, those with a value named by its field.
    pub pieces: Vec<TextPiece>,
}

/// A sample of a stream.
pub struct Sample {
    pub file: PreviewFile,
    /// Its first bytes, where they are measured.
    pub bytes: Vec<u8>,
    /// Estimates for the whole stream.
    pub total: u64,
}

/// Reads the start of every stream. `case` is the path of the case, which need not exist yet.
pub fn preview(case: &Path, request: &PreviewRequest, cancel: &Cancel) -> Result<Preview> {
    let discovery = ingest::discover_some(&request.paths, &request.filter);
    // The import reports a case that cannot be opened.
    let stored = Case::open(case).ok().map(|case| case.snapshot());
    // Only a case without anything still takes another profile.
    let own = stored.as_ref().filter(|stored| !stored.segments.is_empty()).map(|stored| stored.profile());
    let stored = stored.as_ref().map_or(&[][..], |snapshot| snapshot.sources());
    let mut samples = Vec::new();
    let files = ingest::group_rotation_sets(discovery.files, &request.options);
    // Files are measured alike, and together no more of them than is quick.
    let share = MEASURED_BYTES / files.len().max(1) as u64;
    let mut left = if request.without_estimate { 0 } else { MEASURED_BYTES };
    let stop = cancel.clone();
    let unpack = UnpackLimits { stop: Stop::when(move || stop.is_set()), ..request.options.unpack.clone() };
    for (found, set) in files {
        ingest::members(&found, &unpack, &mut |member| {
            let set = set.clone().filter(|_| member.name == found.name);
            let mut sample = sample(&found, member, set, (stored, share.min(left)), request);
            if request.left_out.contains(&sample.file.path) {
                (sample.bytes, sample.total) = (Vec::new(), 0);
            }
            left = left.saturating_sub(sample.bytes.len() as u64);
            samples.push(sample);
            !cancel.is_set()
        });
        if cancel.is_set() {
            return Err(Error::cancelled());
        }
    }
    let estimate = if request.without_estimate {
        Estimate::default()
    } else {
        estimate(case, &samples, request, own, cancel)?
    };
    let mut files: Vec<_> = samples.into_iter().map(|sample| sample.file).collect();
    files.extend(discovery.refused.into_iter().map(|error| {
        let path = Path::new(error.path()).to_path_buf();
        PreviewFile { path, error: Some(error.into()), ..PreviewFile::default() }
    }));
    Ok(Preview { files, estimate })
}

fn sample(
    found: &InputFile,
    member: Member<'_>,
    set: Option<String>,
    (stored, measured): (&[SourceEntry], u64),
    request: &PreviewRequest,
) -> Sample {
    let Member { path, name, modified_ns, bytes, packed, compression, input } = member;
    let mut file =
        PreviewFile { path: path.clone(), name: name.clone(), set, bytes, ..PreviewFile::default() };
    let (mut read, mut more) = (Vec::new(), Vec::new());
    let problem = match input {
        Err(error) => Some(error),
        Ok(mut input) => {
            let taken = input.by_ref().take(PREVIEWED_BYTES).read_to_end(&mut read);
            // Where it cannot be read further, less is measured, and the import will say so.
            let _ = input.take(measured.saturating_sub(PREVIEWED_BYTES)).read_to_end(&mut more);
            taken.err().map(|error| ingest::Error::io(&path, error))
        }
    };
    file.is_whole = (read.len() as u64) < PREVIEWED_BYTES;
    let guessed = found.bytes.saturating_mul(USUAL_EXPANSION);
    let total =
        if file.is_whole { read.len() as u64 } else { bytes.unwrap_or(guessed).max(read.len() as u64) };
    if read.is_empty() {
        file.error = problem.map(Error::from);
        return Sample { file, bytes: read, total: 0 };
    }
    let is_plain = compression == "none" && path == found.path;
    let length = if file.is_whole { Some(total) } else { bytes };
    if let Some(expected) = Expected::find(stored, &path, &read, length) {
        (file.outcome, file.remark) = (expected.outcome, Some(expected.remark));
    }
    let options = request.chosen.get(&path).unwrap_or(&request.options);
    let whole = if file.is_whole { read.len() } else { whole_lines(&read) };
    let input: Box<dyn Read + Send> = Box::new(Cursor::new(read[..whole].to_vec()));
    let member = Member { path, name, modified_ns, bytes, packed, compression, input: Ok(input) };
    let outcome = Source::detect(member, options).map_err(Error::from);
    let outcome = outcome.and_then(|source| file.read(source, request.events, is_plain.then_some(found)));
    file.error = outcome.err().or_else(|| problem.map(Error::from));
    read.append(&mut more);
    // Thousands of files have samples, and only those that are measured need their bytes.
    let bytes = if measured == 0 || file.error.is_some() { Vec::new() } else { read };
    Sample { total: total.max(bytes.len() as u64), file, bytes }
}

/// The length of the beginning of a file without the line that it is cut in: half a line looks like one that nobody
/// understands. A beginning without a line end is left as it is.
fn whole_lines(bytes: &[u8]) -> usize {
    let Some(end) = memchr::memrchr(b'\n', bytes) else { return bytes.len() };
    // In UTF-16 the line end takes two bytes, and its second one is zero if the first byte of pairs comes first.
    let is_little = end % 2 == 0 && bytes.get(end + 1) == Some(&0);
    end + 1 + usize::from(is_little)
}

impl PreviewFile {
    fn read(&mut self, mut source: Source<'_>, rows: usize, on_disk: Option<&InputFile>) -> Result<()> {
        // Of so many lines of a batch it is known whether they were understood.
        let rows = rows.min(ingest::limits::UNPARSED_EXAMPLES);
        let detection = source.detection().clone();
        self.account = Account::from_detection(&detection);
        let encoding = Encoding::named(&detection.encoding).unwrap_or(Encoding::UTF_8);
        let (parser, mut settler) = (source.parser(), source.settler());
        while let Some(chunk) = source.next_chunk()? {
            let mut batch = parser.parse(chunk);
            settler.settle(&mut batch);
            self.account.add(&batch, encoding);
            self.events += batch.rows() as u64;
            self.unparsed += u64::from(batch.unparsed);
            let times = || batch.time.iter().copied().filter(|&time| time != NO_TIME);
            self.first = times().chain(self.first).min();
            self.last = times().chain(self.last).max();
            let missing = rows.saturating_sub(self.rows.len()).min(batch.rows());
            let mut texts = TextDecoder::new(encoding);
            self.rows.extend((0..missing).map(|row| preview_row(&batch, row, &mut texts)));
        }
        if let Some(found) = on_disk.filter(|_| !self.is_whole && encoding == Encoding::UTF_8) {
            self.last = last_time(found, &parser, settler.clone()).max(self.last);
        }
        self.account.times = settler.report();
        self.zone = match self.account.times.zone.as_str() {
            "" => detection.zone,
            zone => zone.to_owned(),
        };
        (self.format, self.encoding, self.compression) =
            (detection.format, detection.encoding, detection.compression);
        Ok(())
    }
}

/// Reads text without a file, to show what a definition does with it.
pub fn preview_text(
    name: &str,
    text: &str,
    options: &ingest::Options,
    events: usize,
    now_ns: Option<i64>,
) -> Result<PreviewFile> {
    let member = Member {
        path: PathBuf::from(name),
        name: name.to_owned(),
        modified_ns: now_ns,
        bytes: Some(text.len() as u64),
        packed: None,
        compression: "none".to_owned(),
        input: Ok(Box::new(Cursor::new(text.as_bytes().to_vec()))),
    };
    let mut file = PreviewFile {
        path: member.path.clone(),
        name: member.name.clone(),
        bytes: member.bytes,
        is_whole: true,
        ..PreviewFile::default()
    };
    file.read(Source::detect(member, options)?, events, None)?;
    Ok(file)
}

impl Case {
    /// How a stored source would be read with these choices on top of the earlier ones, from its first bytes.
    pub fn preview_source(
        &self,
        snapshot: &Snapshot,
        source: u32,
        options: &ingest::Options,
        events: usize,
    ) -> Result<PreviewFile> {
        let entry = snapshot.sources().get(source as usize).filter(|entry| !entry.deleted);
        let Some(entry) = entry else {
            let message = format!("there is no source {source} in this case");
            return Err(Error::new(ErrorKind::BadRequest, message).at(self.folder()));
        };
        let frames = frames_by_source(&snapshot.segments).remove(&source).unwrap_or_default();
        let mut bytes = Vec::new();
        let mut stored = StoredBytes::new(RawFolder::new(self.folder()), source, &frames, 0, PREVIEWED_BYTES);
        stored.read_to_end(&mut bytes).at_path(self.folder())?;
        if entry.bytes > PREVIEWED_BYTES {
            bytes.truncate(whole_lines(&bytes));
        }
        let path = PathBuf::from(&entry.path);
        let mut file = PreviewFile {
            path: path.clone(),
            name: entry.name.clone(),
            set: entry.set.clone(),
            bytes: Some(entry.bytes),
            is_whole: entry.bytes <= PREVIEWED_BYTES,
            ..PreviewFile::default()
        };
        let member = Member {
            path,
            name: entry.name.clone(),
            modified_ns: entry.modified,
            bytes: Some(entry.bytes),
            packed: None,
            compression: entry.compression.clone(),
            input: Ok(Box::new(Cursor::new(bytes))),
        };
        let options = entry.reading.under(options);
        let options = match SourceReading::from_manifest(&snapshot.manifest, source) {
            Some(reading) => reading.with_definition(options)?,
            None => options,
        };
        file.read(Source::detect(member, &options)?, events, None)?;
        // What is known of all of it says more than its first bytes do.
        file.last = entry.last.filter(|_| !file.is_whole).or(file.last);
        Ok(file)
    }
}

/// The latest time in a file's last lines; the very last one may have an earlier time.
fn last_time(found: &InputFile, parser: &ingest::Parser, mut settler: Settler) -> Option<i64> {
    let mut file = ingest::open_file(found).ok()?;
    let from = found.bytes.saturating_sub(ingest::limits::SAMPLE_BYTES as u64);
    file.seek(SeekFrom::Start(from)).ok()?;
    let mut bytes = Vec::new();
    file.take(ingest::limits::SAMPLE_BYTES as u64).read_to_end(&mut bytes).ok()?;
    let start = memchr::memchr(b'\n', &bytes)? + 1;
    let chunk = Chunk::whole(bytes.split_off(start)).at(from + start as u64);
    let mut batch = parser.parse(chunk);
    settler.settle(&mut batch);
    batch.time.into_iter().filter(|&time| time != NO_TIME).max()
}

fn preview_row(batch: &Batch, row: usize, texts: &mut TextDecoder) -> PreviewRow {
    let text = texts.text(&batch.chunk.bytes, batch.chunk.offset, batch.event(row));
    let text = String::from_utf8_lossy(&text[..text.len().min(EXAMPLE_BYTES * 4)]).into_owned();
    let reason = batch.unparsed_examples.iter().find(|(unparsed, _)| *unparsed as usize == row);
    PreviewRow {
        line: batch.line[row],
        time: batch.time[row],
        level: batch.level[row],
        unparsed: reason.map(|(_, reason)| (*reason).to_owned()),
        pieces: text_pieces(&text, &values(batch, row)),
    }
}

/// The values of an event as they are written, with the names of their fields.
fn values(batch: &Batch, row: usize) -> Vec<(String, String)> {
    let value = |values: &Values| match values {
        Values::Text(spans) if spans[row].is_missing() => None,
        Values::Text(spans) => Some(String::from_utf8_lossy(batch.text(spans[row])).into_owned()),
        Values::Int(values) => (values[row] != ingest::NO_INT).then(|| values[row].to_string()),
        Values::Float(values) => (!values[row].is_nan()).then(|| values[row].to_string()),
        Values::Bool(values) => values[row].map(|value| value.to_string()),
    };
    let named =
        batch.columns.iter().filter_map(|column| Some((column.name.to_string(), value(&column.values)?)));
    named.filter(|(_, value)| !value.is_empty()).collect()
}
