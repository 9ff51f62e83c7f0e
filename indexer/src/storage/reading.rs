//! How the sources of a case are read again from what is stored of them.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use ingest::custom::{Definition, Written};
use ingest::{Again, Options, Parser, Source};

use super::manifest::{FormatFile, Manifest};
use super::raw::raw_path;
use crate::error::{AtPath, Error, ErrorKind, Result};

/// What tells the parser of a source.
#[derive(Clone, Debug, PartialEq)]
struct SourceReading {
    name: String,
    format: String,
    encoding: String,
    zone: Option<String>,
    year: Option<i16>,
    modified: Option<i64>,
    definition: Option<FormatFile>,
    sample_bytes: u64,
    generation: u32,
}

/// The parsers of a case's sources, made when they are first needed. A parser learns from the first bytes of
/// its source, and those are stored.
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
    pub fn new(case: &Path) -> Readings {
        Readings { case: case.to_path_buf(), sources: RwLock::default(), parsers: Mutex::default() }
    }

    pub fn case(&self) -> &Path {
        &self.case
    }

    /// Takes over what a manifest says of its sources.
    pub fn update(&self, manifest: &Manifest) {
        let readings = manifest.sources.iter().map(|source| SourceReading {
            name: source.name.clone(),
            format: source.format.clone(),
            encoding: source.encoding.clone(),
            zone: source.reading.zone.clone(),
            year: source.reading.year,
            modified: source.reading.modified,
            definition: source.reading.definition.and_then(|place| manifest.definitions.get(place).cloned()),
            sample_bytes: source.reading.sample_bytes,
            generation: source.generation,
        });
        *self.sources.write().unwrap_or_else(PoisonError::into_inner) = readings.collect();
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
        let parser = self.open(source, &reading)?.parser();
        parsers.insert(source, Made { reading, parser: parser.clone() });
        Ok(parser)
    }

    /// What parses the stored frames of a source again, from the first on.
    pub fn again(&self, source: u32) -> Result<Again> {
        Ok(Again::new(&self.open(source, &self.reading(source)?)?))
    }

    fn reading(&self, source: u32) -> Result<SourceReading> {
        let sources = self.sources.read().unwrap_or_else(PoisonError::into_inner);
        sources.get(source as usize).cloned().ok_or_else(|| {
            Error::new(ErrorKind::CaseDamaged, format!("the case does not say how source {source} is read"))
        })
    }

    fn open(&self, source: u32, reading: &SourceReading) -> Result<Source<'static>> {
        let path = raw_path(&self.case, source, reading.generation);
        let file = File::open(&path).at_path(&path)?;
        let unpacked = zstd::stream::read::Decoder::new(file).at_path(&path)?;
        let options = Options {
            format: Some(reading.format.clone()),
            encoding: Some(reading.encoding.clone()),
            zone: reading.zone.clone(),
            year: reading.year,
            definitions: definitions(reading.definition.as_ref())?,
            ..Options::default()
        };
        let input = Box::new(unpacked.take(reading.sample_bytes));
        Ok(Source::stored(&reading.name, reading.modified, input, &options)?)
    }
}

fn definitions(file: Option<&FormatFile>) -> Result<Vec<Arc<Definition>>> {
    let Some(file) = file else { return Ok(Vec::new()) };
    let written = Written { text: file.text.clone(), file_name: file.name.clone() };
    let found = ingest::custom::parse(&written, Path::new(&file.name)).map_err(|faults| {
        let fault = faults.first().map_or_else(String::new, ToString::to_string);
        Error::new(ErrorKind::CaseDamaged, format!("a format that is defined in the case: {fault}"))
    })?;
    Ok(found.into_iter().map(Arc::new).collect())
}
