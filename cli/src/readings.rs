//! `timberline listen --format … --zone …`: what is received is read as a person chose, which the case remembers.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use indexer::{Definition, Definitions, Error, ErrorKind, is_zone};
use receive::Readings;

use crate::args::{check_format, refused};

/// Forgets the formats that the case remembers.
const LEARNED: &str = "learned";

/// What was chosen, and the definitions in the files that it names.
pub struct Chosen {
    pub readings: Arc<Readings>,
    defined: Vec<Arc<Definition>>,
}

impl Chosen {
    /// What the case remembers; formats and zones that are given replace those.
    pub fn new(case: &Path, formats: &[String], zones: &[String]) -> Result<Chosen> {
        let mut readings = Readings::remembered(case);
        let mut defined = Vec::new();
        if !formats.is_empty() {
            readings.forget_formats();
        }
        for text in formats {
            let (subject, format) = text.rsplit_once('=').unwrap_or(("", text));
            if (subject, format) == ("", LEARNED) {
                continue;
            }
            let format = named(format, &mut defined)?;
            if !readings.add_format(subject, &format) {
                return Err(not_understood(subject).into());
            }
        }
        if !zones.is_empty() {
            readings.forget_zones();
        }
        for text in zones {
            let (subject, zone) = text.rsplit_once('=').unwrap_or(("", text));
            if !is_zone(zone) {
                let error = refused(format!("there is no time zone named \"{zone}\""));
                return Err(error.hint("write Europe/Berlin, UTC or +02:00").into());
            }
            if !readings.add_zone(subject, zone) {
                return Err(not_understood(subject).into());
            }
        }
        let chosen = Chosen { readings: Arc::new(readings), defined };
        chosen.check()?;
        Ok(chosen)
    }

    /// A case may remember a format whose definition is gone.
    fn check(&self) -> Result<(), Error> {
        let definitions = self.all();
        self.readings.formats().try_for_each(|format| check_format(format, &definitions))
    }

    fn all(&self) -> Vec<Arc<Definition>> {
        self.defined.iter().cloned().chain(wire::saved_definitions(&wire::home())).collect()
    }

    /// Those of its files, and the formats that are saved whenever a source begins.
    pub fn definitions(&self) -> Definitions {
        let defined = self.defined.clone();
        Definitions::new(move || {
            defined.iter().cloned().chain(wire::saved_definitions(&wire::home())).collect()
        })
    }

    pub fn remember(&self, case: &Path) -> Result<(), Error> {
        let remembered = self.readings.remember(case);
        remembered.map_err(|error| {
            Error::new(ErrorKind::NotReadable, format!("formats and zones cannot be remembered: {error}"))
                .at(case)
        })
    }
}

/// The name of a format, which may be given as the file that defines it.
fn named(format: &str, defined: &mut Vec<Arc<Definition>>) -> Result<String, Error> {
    if !Path::new(format).is_file() {
        return Ok(format.to_owned());
    }
    let definitions = indexer::definitions(Path::new(format))?;
    let name = match definitions.as_slice() {
        [definition] => definition.name.clone(),
        several => {
            let error = refused(format!("it defines {} formats", several.len())).at(Path::new(format));
            return Err(error.hint("write a file with the one that is meant"));
        }
    };
    defined.extend(definitions);
    Ok(name)
}

fn not_understood(subject: &str) -> Error {
    refused(format!("\"{subject}\" names no sender, tag or source"))
        .hint("write 10.0.0.7, 10.0.0.0/8, tag:nginx or source:/var/log/app/*")
}
