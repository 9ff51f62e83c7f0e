//! A case of every format version that was released still opens and answers; see `indexer/FORMAT.md`.

use std::path::{Path, PathBuf};

use indexer::{Cancel, Case, ImportOptions, Profile, View};
use timberline_tests::{faults, files};

/// The version that this Timberline writes.
const CURRENT: u32 = 6;

/// The oldest version that was released and is still read.
const OLDEST: u32 = 5;

fn folder(version: u32) -> PathBuf {
    files::root().join(format!("fixtures/frozen/v{version}.case"))
}

/// Writes the case of the current version; run by hand, once, when the version is raised.
fn freeze(path: &Path) {
    assert!(!path.exists(), "{} is frozen; a new version gets a case of its own", path.display());
    let logs = tempfile::tempdir().expect("a folder");
    let case = Case::create(path).expect("a case");
    for log in faults::logs(logs.path(), 600) {
        let options = ImportOptions { profile: Some(Profile::Full), ..ImportOptions::default() };
        case.import(&[log], &options, &|_| {}, &Cancel::default()).expect("an import");
    }
}

#[test]
fn cases_of_every_released_version_open_and_answer() {
    if std::env::var_os("TIMBERLINE_FREEZE").is_some() {
        freeze(&folder(CURRENT));
    }
    for version in OLDEST..=CURRENT {
        // Opened as a copy: a reader writes nothing, and this test shows that a writer may go on.
        let copy = tempfile::tempdir().expect("a folder");
        let path = copy.path().join("frozen.case");
        faults::copy(&folder(version), &path);
        let text = std::fs::read_to_string(path.join("case.json")).expect("it is there");
        assert!(text.contains(&format!("\"format\": {version},")), "it is of version {version}");
        let case = faults::sound(&path, "years");
        assert_eq!(case.snapshot().events(), 600);
        let count = |query: &str| {
            let view = View::parse(query, None, None).expect("a query");
            case.count(&case.snapshot(), &view, &Cancel::default()).expect("a count")
        };
        assert_eq!((count("level:info"), count("status:404"), count("u2919")), (480, 60, 1));
        assert_eq!(count("*cart/29?*"), 10);
        let timeline = case.timeline(
            &case.snapshot(),
            &View::parse("", None, None).expect("everything"),
            60,
            &mut |_, _| {},
            &Cancel::default(),
        );
        assert_eq!(timeline.expect("a timeline").total, 600);
        let before = faults::answers(&case);
        for profile in Profile::ALL {
            case.reprofile(profile, &mut |_| {}, &Cancel::default()).expect("its profile changes");
            assert_eq!(faults::answers(&case), before);
        }
    }
}
