//! Reads the stored sources of a case again.

use std::collections::HashMap;
use std::io::{ErrorKind as IoErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use ingest::custom::{Definition, DefinitionText};
use ingest::{
    Member, Options, Parser, Replay, ResumePoint, SettlerState, Source, StreamInfo, Succession,
    message_format,
};

use super::account::Accounts;
use super::manifest::{Follows, FormatFile, Manifest, Reading, text_as_bytes};
use super::raw::RawFile;
use base::error::{AtPath, Error, ErrorKind, Result};
use base::files;

/// More than the first bytes of any source that its format was detected from. They are held in memory.
const MOST_SAMPLE_BYTES: u64 = 16 * ingest::limits::SAMPLE_BYTES as u64;

/// How a source was read: everything besides its bytes that its parser and its times depend on.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceReading {
    source: u32,
    name: String,
    format: String,
    encoding: String,
    modified: Option<i64>,
    reading: Reading,
    definition: Option<FormatFile>,
    /// The definition of the format of the source that it follows.
    definition_before: Option<FormatFile>,
    /// The number of its first bytes, used for detection, that are stored.
    sample_bytes: u64,
    generation: u32,
    /// For a file of a rotated set, whose times may continue those of the previous one.
    account: Option<u64>,
}

impl SourceReading {
    #[must_use]
    pub fn from_manifest(manifest: &Manifest, source: u32) -> Option<SourceReading> {
        let entry = manifest.sources.get(source as usize)?;
        let before = entry.reading.follows.as_deref();
        Some(SourceReading {
            source,
            name: entry.name.clone(),
            format: entry.format.clone(),
            encoding: entry.encoding.clone(),
            modified: entry.modified,
            definition: manifest.definition_of(&entry.reading).cloned(),
            definition_before: before.and_then(|before| manifest.definition_of(&before.reading)).cloned(),
            sample_bytes: entry.reading.sample_bytes.min(entry.bytes).min(MOST_SAMPLE_BYTES),
            generation: entry.generation,
            account: entry.account.filter(|_| entry.set.is_some()),
            reading: entry.reading.clone(),
        })
    }

    /// These options with the definition of the source's format, if the case stores one and the options have
    /// none of that name.
    pub fn with_definition(&self, options: Options) -> Result<Options> {
        let is_other = options.format.as_ref().is_some_and(|format| *format != self.format);
        let has_one =
            options.definitions.iter().any(|definition| definition.name == message_format(&self.format));
        if is_other || has_one {
            return Ok(options);
        }
        let mut definitions = options.definitions;
        definitions.extend(parsed(self.definition.as_ref())?);
        Ok(Options { definitions, ..options })
    }

    /// The source that it follows, if it followed one and these options keep that.
    #[must_use]
    pub fn follows(&self, options: &Options) -> Option<Box<Follows>> {
        let is_other = options.format.as_ref().is_some_and(|format| *format != self.format);
        let mut follows = self.reading.follows.clone().filter(|_| !is_other)?;
        if options.zone != self.reading.zone {
            follows.reading.zone.clone_from(&options.zone);
        }
        Some(follows)
    }

    /// Reads a source like the one that it follows. `generation` gives the current raw file of that one.
    pub fn follow(
        &self,
        case: &Path,
        follows: &Follows,
        generation: u32,
        source: &mut Source<'_>,
    ) -> Result<()> {
        let options = follows.reading.under(&Options {
            format: Some(follows.format.clone()),
            encoding: Some(follows.encoding.clone()),
            definitions: parsed(self.definition_before.as_ref())?,
            ..Options::default()
        });
        let first =
            opened(case, RawFile { source: follows.source, generation }, follows.reading.sample_bytes)?;
        let first = Source::detect(member(&self.name, None, first), &options)?;
        source.follow_again(&before(&first, follows));
        Ok(())
    }

    /// The source as detected from its stored first bytes.
    fn open(&self, case: &Path, generation_of: impl Fn(u32) -> Option<u32>) -> Result<Source<'static>> {
        let options = self.options()?;
        let input = opened(case, self.raw_file(), self.sample_bytes)?;
        let mut source = Source::detect(member(&self.name, self.modified, input), &options)?;
        if let Some(follows) = &self.reading.follows {
            let generation = generation_of(follows.source).unwrap_or_default();
            self.follow(case, follows, generation, &mut source)?;
        }
        Ok(source)
    }

    /// The source at a resume point that a replay of its stored bytes reached. It follows no other source.
    pub fn go_on(&self, case: &Path, place: &ResumePoint) -> Result<Source<'static>> {
        let mut sample = Vec::new();
        let stored = opened(case, self.raw_file(), self.sample_bytes)?;
        stored.take(self.sample_bytes).read_to_end(&mut sample).at_path(case)?;
        let stream = StreamInfo {
            path: Path::new(&self.name),
            name: &self.name,
            modified_ns: self.modified,
            compression: "none",
        };
        Ok(Source::resume(&stream, &sample, place, &self.options()?)?)
    }

    /// The options it was read with, including its format and encoding.
    fn options(&self) -> Result<Options> {
        // A source that follows another was detected by itself first, and its times were settled from that.
        let format = match self.reading.follows {
            None => Some(self.format.clone()),
            Some(_) => self.reading.format.clone(),
        };
        let chosen = Options { format, encoding: Some(self.encoding.clone()), ..Options::default() };
        self.with_definition(self.reading.under(&chosen))
    }

    /// The end of the previous source's times, if its own continue from there.
    fn began(&self, case: &Path) -> Result<Option<SettlerState>> {
        let Some(number) = self.account else { return Ok(None) };
        let account = Accounts::read(case, number)?.of.remove(&self.source);
        Ok(account.and_then(|account| account.began))
    }

    fn raw_file(&self) -> RawFile {
        RawFile { source: self.source, generation: self.generation }
    }
}

/// The state that the first source of the set hands over, with the header lines of the previous one.
fn before(first: &Source<'_>, follows: &Follows) -> Succession {
    first.succession_with(text_as_bytes(&follows.heading).into())
}

/// The first stored bytes.
fn opened(case: &Path, raw: RawFile, bytes: u64) -> Result<Box<dyn Read + Send>> {
    let path = raw.path(case);
    let file = match files::open(&path) {
        // It may be rewritten at this moment, with the same bytes.
        Err(error) if error.kind() == IoErrorKind::NotFound => {
            let next = RawFile { generation: raw.generation + 1, ..raw };
            files::open(&next.path(case)).map_err(|_| error)
        }
        opened => opened,
    };
    let unpacked = zstd::stream::read::Decoder::new(file.at_path(&path)?).at_path(&path)?;
    Ok(Box::new(unpacked.take(bytes)))
}

fn member<'a>(name: &str, modified_ns: Option<i64>, input: Box<dyn Read + Send + 'a>) -> Member<'a> {
    Member {
        path: PathBuf::from(name),
        name: name.to_owned(),
        modified_ns,
        bytes: None,
        packed: None,
        compression: "none".to_owned(),
        input: Ok(input),
    }
}

/// The parsers of a case's sources, built on first use. A parser learns from the first bytes of its source or
/// of the one that it follows, and those are stored.
#[derive(Debug)]
pub struct Readings {
    case: PathBuf,
    sources: RwLock<Vec<SourceReading>>,
    parsers: Mutex<HashMap<u32, Made>>,
}

struct Made {
    reading: SourceReading,
    parser: Parser,
}

impl std::fmt::Debug for Made {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Made").field(&self.reading.format).finish()
    }
}

impl Readings {
    #[must_use]
    pub fn new(case: &Path) -> Readings {
        Readings { case: case.to_path_buf(), sources: RwLock::default(), parsers: Mutex::default() }
    }

    pub fn case(&self) -> &Path {
        &self.case
    }

    /// Updates the sources from a manifest.
    pub fn update(&self, manifest: &Manifest) {
        let sources = 0..manifest.sources.len() as u32;
        let readings = sources.filter_map(|source| SourceReading::from_manifest(manifest, source)).collect();
        *self.sources.write().unwrap_or_else(PoisonError::into_inner) = readings;
    }

    /// The parser that the source was read with.
    pub fn parser(&self, source: u32) -> Result<Parser> {
        let reading = self.reading(source)?;
        let mut parsers = self.parsers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = parsers.get(&source)
            && made.reading == reading
        {
            return Ok(made.parser.clone());
        }
        let parser = self.open(&reading)?.parser();
        parsers.insert(source, Made { reading, parser: parser.clone() });
        Ok(parser)
    }

    /// A parser for the stored frames of a source, starting at the first.
    pub fn again(&self, source: u32) -> Result<Replay> {
        let reading = self.reading(source)?;
        let began = reading.began(&self.case)?;
        Ok(Replay::new(&self.open(&reading)?, began.as_ref()))
    }

    fn reading(&self, source: u32) -> Result<SourceReading> {
        let sources = self.sources.read().unwrap_or_else(PoisonError::into_inner);
        sources.get(source as usize).cloned().ok_or_else(|| {
            Error::new(ErrorKind::CaseDamaged, format!("the case does not say how source {source} is read"))
        })
    }

    fn open(&self, reading: &SourceReading) -> Result<Source<'static>> {
        reading.open(&self.case, |source| self.reading(source).ok().map(|reading| reading.generation))
    }
}

fn parsed(file: Option<&FormatFile>) -> Result<Vec<Arc<Definition>>> {
    let Some(file) = file else { return Ok(Vec::new()) };
    let written = DefinitionText { text: file.text.clone(), file_name: file.name.clone() };
    let found = ingest::custom::parse(&written, Path::new(&file.name)).map_err(|faults| {
        let fault = faults.first().map_or_else(String::new, ToString::to_string);
        Error::new(ErrorKind::CaseDamaged, format!("a format that is defined in the case: {fault}"))
    })?;
    Ok(found.into_iter().map(Arc::new).collect())
}

#[cfg(test)]
mod tests {
    use super::super::manifest::SourceEntry;
    use super::*;

    #[test]
    fn sample_of_a_source_is_as_long_as_one_can_be() {
        for (bytes, known, expected) in [
            (500, 400, 400),
            (500, 900, 500),
            (1 << 47, 65_536, 65_536),
            (1 << 47, u64::MAX, MOST_SAMPLE_BYTES),
        ] {
            let reading = Reading { sample_bytes: known, ..Reading::default() };
            let source = SourceEntry { bytes, reading, ..SourceEntry::default() };
            let manifest = Manifest { sources: vec![source], ..Manifest::new("x") };
            let reading = SourceReading::from_manifest(&manifest, 0).expect("a source");
            assert_eq!(reading.sample_bytes, expected, "{bytes} {known}");
        }
    }
}
