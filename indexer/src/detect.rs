//! What would be imported, without a case: every file is read to its end and counted.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ingest::custom::Definition;
use ingest::{NO_TIME, Source};

use crate::Cancel;
use crate::error::{Error, ErrorKind, Result};

/// What a file is and holds.
#[derive(Clone, Debug, Default)]
pub struct Detected {
    pub path: PathBuf,
    pub format: String,
    /// Why this format, for a person.
    pub reason: String,
    pub encoding: String,
    pub compression: String,
    pub zone: String,
    pub events: u64,
    pub unparsed: u64,
    /// In the order of the file.
    pub first: Option<i64>,
    pub last: Option<i64>,
    pub bytes: u64,
    /// Why it, or the rest of it, cannot be read.
    pub error: Option<Error>,
}

/// The formats that a person defined in a file. All that is wrong with it is in the error.
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

/// Looks at files, folders and what is in them. One that cannot be read is in the list with its error.
pub fn detect(paths: &[PathBuf], options: &ingest::Options, cancel: &Cancel) -> Result<Vec<Detected>> {
    let discovery = ingest::discover(paths);
    let mut found = Vec::new();
    for file in &discovery.files {
        if cancel.is_set() {
            break;
        }
        ingest::open(file, options, &mut |opened| {
            let mut detected = Detected { path: opened.path, ..Detected::default() };
            let read =
                opened.source.map_err(Error::from).and_then(|source| read(source, cancel, &mut detected));
            detected.error = read.err();
            found.push(detected);
            !cancel.is_set()
        });
    }
    if cancel.is_set() {
        return Err(Error::cancelled());
    }
    found.extend(discovery.refused.into_iter().map(|error| {
        let path = Path::new(error.path()).to_path_buf();
        Detected { path, error: Some(error.into()), ..Detected::default() }
    }));
    Ok(found)
}

fn read(mut source: Source<'_>, cancel: &Cancel, detected: &mut Detected) -> Result<()> {
    let detection = source.detection();
    detection.format.clone_into(&mut detected.format);
    detected.reason.clone_from(&detection.reason);
    detection.encoding.clone_into(&mut detected.encoding);
    detection.compression.clone_into(&mut detected.compression);
    detected.zone.clone_from(&detection.zone);
    let (parser, mut settler) = (source.parser(), source.settler());
    while let Some(chunk) = source.next_chunk()? {
        if cancel.is_set() {
            return Err(Error::cancelled());
        }
        detected.bytes += chunk.bytes.len() as u64;
        let mut batch = parser.parse(chunk);
        settler.settle(&mut batch);
        detected.events += batch.rows() as u64;
        detected.unparsed += u64::from(batch.unparsed);
        let mut times = batch.time.iter().copied().filter(|&time| time != NO_TIME);
        detected.first = detected.first.or_else(|| times.clone().next());
        detected.last = times.next_back().or(detected.last);
    }
    Ok(())
}
