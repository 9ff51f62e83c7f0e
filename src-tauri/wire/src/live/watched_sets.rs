//! Which detectors besides its own a case has evaluated while it receives, in its file `watch.json`: those that come with
//! the program, and files and folders of this machine with Sigma rules or detectors.

use std::path::{Path, PathBuf};

use detect::{Detectors, ReadOptions, starters};
use indexer::{Error, ErrorKind, files};
use serde::{Deserialize, Serialize};

use crate::calls::Answer;
use crate::detectors::replaced;
use crate::session::{Call, Session, locked};
use crate::trust::check_trusted;
use crate::types::Empty;

const FILE: &str = "watch.json";
const VERSION: u32 = 1;

/// What is evaluated live besides the detectors of the case.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct WatchedSets {
    /// The detectors that come with the program.
    pub starter: bool,
    /// Files and folders.
    pub rules: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct WatchSetsRequest {
    pub case: String,
    /// From now on these; null leaves them as they are.
    pub sets: Option<WatchedSets>,
}

#[derive(Serialize, Deserialize)]
struct RememberedSets {
    version: u32,
    #[serde(flatten)]
    sets: WatchedSets,
}

/// What a case remembers. A file that cannot be read, or is of a later version, remembers nothing.
pub(super) fn read(case: &Path) -> WatchedSets {
    let text = files::read(&case.join(FILE)).unwrap_or_default();
    let remembered = serde_json::from_slice::<RememberedSets>(&text).ok();
    remembered.filter(|found| found.version == VERSION).map(|found| found.sets).unwrap_or_default()
}

fn write(case: &Path, sets: WatchedSets) -> std::io::Result<()> {
    let file = case.join(FILE);
    if sets == WatchedSets::default() {
        return match files::remove(&file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        };
    }
    let new = case.join("watch.json.new");
    let text = serde_json::to_vec_pretty(&RememberedSets { version: VERSION, sets })?;
    files::replace(&file, &new, &text)
}

/// The detectors of a case and of the sets, whose rules the Sigma filters of the case narrow. Of one that comes with the program and one of the case with its name, the
/// latter counts.
pub(super) fn detectors(
    own: &[(String, String)],
    filters: &[(String, String)],
    sets: &WatchedSets,
) -> Detectors {
    let rules: Vec<PathBuf> = sets.rules.iter().map(PathBuf::from).collect();
    let options = ReadOptions { filters: filters.to_vec(), ..ReadOptions::default() };
    let mut detectors = Detectors::read(&rules, &options);
    let own = own.iter().map(|(file, text)| (&**file, &**text));
    let starters = starters().iter().copied().filter(|_| sets.starter);
    detectors.add_texts(own.chain(starters));
    let named: Vec<(String, PathBuf)> = detectors
        .measures()
        .filter(|(detector, file)| replaced(&detectors, detector, file))
        .map(|(detector, file)| (detector.name.clone(), file.to_owned()))
        .collect();
    detectors.without(|detector, file| named.iter().any(|(name, of)| *name == detector.name && of == file));
    detectors
}

/// What is evaluated live besides the detectors of the case, after a change where one is asked for.
pub fn watch_sets(
    session: &Session,
    _: &Call<'_>,
    request: &WatchSetsRequest,
    _: &dyn Fn(Empty),
) -> Answer<WatchedSets> {
    let receiving = session.receiving(Path::new(&request.case))?;
    let (watching, case) = locked(&receiving).watched();
    if let Some(sets) = &request.sets {
        check_trusted(session, case.folder(), "its detectors are not changed")?;
        write(case.folder(), sets.clone()).map_err(|error| {
            let message = format!("what is evaluated live cannot be written: {error}");
            Error::new(ErrorKind::ReadOnly, message).hint("check the rights of the case's folder")
        })?;
        watching.look_again(&case);
    }
    Ok(read(case.folder()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const MINE: &str = "[[detector]]\nname = \"NAME\"\nthreshold = { above = 3 }\n";
    const RULE: &str = "title: r\nlogsource: {product: aws, service: cloudtrail}\n\
                        detection: {s: {eventName: Fail}, condition: s}\n";

    #[test]
    fn sets_are_remembered_and_read_with_the_detectors_of_the_case() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(read(folder.path()), WatchedSets::default());
        let rules = folder.path().join("rules");
        fs::create_dir(&rules).expect("made");
        fs::write(rules.join("a.yml"), RULE).expect("written");
        let sets = WatchedSets { starter: true, rules: vec![rules.to_string_lossy().into_owned()] };
        write(folder.path(), sets.clone()).expect("written");
        assert_eq!(read(folder.path()), sets);
        let starter = Detectors::of_texts(starters().iter().copied());
        let name = starter.measures().next().map(|(detector, _)| detector.name.clone()).expect("one");
        let own = [
            ("one".to_owned(), MINE.replace("NAME", "mine")),
            ("two".to_owned(), MINE.replace("NAME", &name)),
        ];
        let all = detectors(&own, &[], &sets);
        assert_eq!(all.problems(), []);
        // The rule, both of the case, and the starters but the one that is replaced.
        assert_eq!(all.len(), 1 + 2 + starter.len() - 1);
        let of_name: Vec<PathBuf> = all
            .measures()
            .filter(|(detector, _)| detector.name == name)
            .map(|(_, file)| file.to_owned())
            .collect();
        assert_eq!(of_name, [PathBuf::from("two")]);
        assert_eq!(detectors(&own, &[], &WatchedSets::default()).len(), 2);
        write(folder.path(), WatchedSets::default()).expect("removed");
        assert!(!folder.path().join(FILE).exists());
        fs::write(folder.path().join(FILE), r#"{"version":9,"starter":true,"rules":[]}"#).expect("written");
        assert_eq!(read(folder.path()), WatchedSets::default());
    }
}
