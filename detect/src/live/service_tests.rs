//! Detectors that leave the field of the service to a case which gets one while it is watched.

use std::time::Instant;

use indexer::{Cancel, Case, ImportOptions, Moment};

use super::{Watch, WatchOptions};
use crate::Detectors;

const BUSY: &str = "[[detector]]\nname = \"busy\"\nneeds = [\"{service}\"]\nby = [\"{service}\"]\n\
                    threshold = { above = 3, every = \"1m\" }\n";

#[test]
fn detector_by_service_is_evaluated_once_the_case_has_a_field_that_names_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = Case::create(&folder.path().join("a.case")).expect("a case");
    let import = |name: &str, text: &str| {
        let log = folder.path().join(name);
        std::fs::write(&log, text).expect("written");
        case.import(&[log], &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("imported");
    };
    let line = |minute: u32, second: u32, field: &str| {
        format!("{{\"time\":\"2026-03-01T00:{minute:02}:{second:02}Z\",{field}}}\n")
    };
    let start = Instant::now();
    let moment = || Moment { unix_ns: i64::MAX, instant: start };
    import("a.log", &(0..3).map(|second| line(0, second, r#""n":1"#)).collect::<String>());
    let detectors = Detectors::of_texts([("busy.toml", BUSY)]);
    assert_eq!(detectors.problems(), []);
    let (mut watch, problem) = Watch::new(detectors, &case, &WatchOptions::default(), moment());
    assert_eq!(problem, None);
    let mut refresh = || {
        let found = watch.refresh(&case, &case.snapshot(), moment(), &Cancel::default()).expect("evaluated");
        assert_eq!(found, [], "a case without the field is no problem");
        watch.pending()
    };
    assert_eq!(refresh(), []);
    let service = r#""service.name":"cart","n":2"#;
    let busy = (0..5).map(|second| line(5, second, service));
    import("b.log", &busy.chain([line(20, 0, service)]).collect::<String>());
    let groups: Vec<_> = refresh().into_iter().map(|message| message.alert.group).collect();
    assert!(!groups.is_empty(), "it fires");
    assert!(
        groups.iter().all(|group| *group == [("service.name".to_owned(), "cart".to_owned())]),
        "{groups:?}"
    );
}
