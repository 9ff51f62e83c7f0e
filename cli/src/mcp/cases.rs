//! The cases that are looked into, by name, and references to their events.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use indexer::query::nearest;
use indexer::{Case, Error, EventId, Result, stamp};

use super::arguments::bad;
use crate::workbench::WorkbenchCase;

/// A case with the name that it has in answers, which no other one has.
pub struct NamedCase {
    pub name: String,
    pub case: Arc<Case>,
    pub workbench: WorkbenchCase,
}

/// Opened once, for reading only.
pub struct OpenCases {
    cases: Vec<NamedCase>,
}

impl OpenCases {
    pub fn open(paths: &[PathBuf]) -> Result<OpenCases> {
        let mut cases: Vec<NamedCase> = Vec::new();
        for path in paths {
            let case = open(path)?;
            let own = case.snapshot().name().to_owned();
            let numbered = (2..).map(|number| format!("{own} {number}"));
            let name = std::iter::once(own.clone())
                .chain(numbered)
                .find(|name| cases.iter().all(|other| other.name != *name))
                .unwrap_or(own);
            let case = Arc::new(case);
            cases.push(NamedCase { name, workbench: WorkbenchCase::new(&case), case });
        }
        Ok(OpenCases { cases })
    }

    pub fn names(&self) -> Vec<String> {
        self.cases.iter().map(|case| case.name.clone()).collect()
    }

    /// The case of this name; the only one where none is named.
    pub fn case(&self, name: Option<&str>) -> Result<&NamedCase> {
        match (name, self.cases.as_slice()) {
            (None, [only]) => Ok(only),
            (None, _) => {
                Err(bad("there are several cases").hint(format!("name one: {}", self.names().join(", "))))
            }
            (Some(name), cases) => cases.iter().find(|case| case.name == name).ok_or_else(|| {
                let error = bad(format!("there is no case `{name}`"));
                match nearest(name, cases.iter().map(|case| case.name.as_str())) {
                    Some(near) => error.hint(format!("did you mean `{near}`?")),
                    None => error.hint(format!("the cases are {}", self.names().join(", "))),
                }
            }),
        }
    }

    /// The case and the event that a reference names.
    pub fn event(&self, reference: &str, named: Option<&str>) -> Result<(&NamedCase, EventId)> {
        let malformed = || {
            let error = bad(format!("`{reference}` refers to no event"));
            error.hint("references are in the answers of events, patterns and fields: CASE#SOURCE:OFFSET")
        };
        let (case, place) = match reference.rsplit_once('#') {
            Some((case, place)) => (Some(case), place),
            None => (named, reference),
        };
        let (source, offset) = place.split_once(':').ok_or_else(malformed)?;
        let source = source.parse().map_err(|_| malformed())?;
        let offset = offset.parse().map_err(|_| malformed())?;
        Ok((self.case(case)?, EventId { source, offset }))
    }

    /// Each case with what is in it, for whoever begins to ask.
    pub fn summary(&self) -> String {
        let line = |named: &NamedCase| {
            let snapshot = named.case.snapshot();
            let times = snapshot.time_range().map_or_else(String::new, |(first, last)| {
                format!(" from {} to {}", stamp::to_rfc3339(first), stamp::to_rfc3339(last))
            });
            let sources = snapshot.sources().iter().filter(|source| !source.deleted).count();
            format!("- {}: {} events of {sources} sources{times}", named.name, snapshot.events())
        };
        self.cases.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

fn open(path: &Path) -> Result<Case> {
    if path.to_str().is_some_and(|path| path.starts_with("remote:")) {
        let error: Error =
            bad("a cluster is not a case of this machine, and this server connects to nothing");
        return Err(error.at(path).hint("name the folder of a case"));
    }
    Case::open_to_look(path)
}

impl NamedCase {
    /// What the tool `events` accepts: an event's source and offset are its name for ever.
    pub fn reference(&self, (source, offset): (u32, u64)) -> String {
        format!("{}#{source}:{offset}", self.name)
    }
}
