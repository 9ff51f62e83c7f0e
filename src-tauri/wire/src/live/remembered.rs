//! Which live sources a case has and how they are kept, in its file `live.json`, so that a later start offers them again.

use std::path::Path;

use indexer::files;
use serde::{Deserialize, Serialize};

use super::{LiveKind, LiveReading, LiveSettings};

const FILE: &str = "live.json";
const VERSION: u32 = 1;

#[derive(Default, Serialize, Deserialize)]
pub(super) struct Remembered {
    version: u32,
    #[serde(default)]
    pub settings: LiveSettings,
    pub sources: Vec<RememberedSource>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RememberedSource {
    #[serde(flatten)]
    pub kind: LiveKind,
    #[serde(flatten)]
    pub reading: LiveReading,
    /// A person paused it; it is not offered to be started with the others.
    pub paused: bool,
}

/// What a case remembers. A file that cannot be read, or is of a later version, remembers nothing.
pub(super) fn read(case: &Path) -> Remembered {
    let text = files::read(&case.join(FILE)).unwrap_or_default();
    let remembered = serde_json::from_slice::<Remembered>(&text).ok();
    remembered.filter(|found| found.version == VERSION).unwrap_or_default()
}

/// Replaces what is remembered.
pub(super) fn write(
    case: &Path,
    settings: LiveSettings,
    sources: Vec<RememberedSource>,
) -> std::io::Result<()> {
    let file = case.join(FILE);
    if sources.is_empty() && settings == LiveSettings::default() {
        return match files::remove(&file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        };
    }
    let text = serde_json::to_vec_pretty(&Remembered { version: VERSION, settings, sources })?;
    let new = case.join("live.json.new");
    files::replace(&file, &new, &text)
}
