//! Files whose checksums are true and whose content cannot be: somebody else may have written them.

use std::path::Path;
use std::sync::Arc;

use super::parquet::{NO_CODE, NumberKind, Texts, Values, Writer};
use super::*;

/// A segment that claims so many events, with a table of these times and levels.
fn segment(case: &Path, events: u64, times: &[i64], kind: NumberKind, levels: &Values) -> Segment {
    let mut writer = Writer::new(times.len()).expect("a writer");
    writer.column("time", NumberKind::Time, &Values::Int(times.to_vec())).expect("a column");
    writer.column("level", kind, levels).expect("a column");
    for name in ["source", "line", "offset", "length"] {
        let numbers = Values::Int((0..times.len() as i64).collect());
        writer.column(name, NumberKind::UnsignedInt, &numbers).expect("a column");
    }
    let folder = Segment::folder(case, 0);
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("events.parquet"), writer.finish().expect("a file")).expect("it is written");
    let meta = SegmentMeta {
        id: 0,
        events,
        untimed: 0,
        first: None,
        last: None,
        sources: Vec::new(),
        has_columns: true,
        is_compact: false,
        fields: Vec::new(),
        rollup: Rollup::default(),
        sha256: String::new(),
        places_sha256: None,
    };
    let shared =
        Shared { readings: Arc::new(Readings::new(case)), columns: Arc::new(ColumnCache::new(1 << 20)) };
    Segment::new(meta, &shared)
}

fn no_levels() -> Values {
    Values::Text { codes: vec![NO_CODE; 2], texts: Texts::default() }
}

#[test]
fn table_with_other_rows_than_its_segment_has_events_is_damage() {
    let case = tempfile::tempdir().expect("a folder");
    for (events, is_sound) in [(1, false), (2, true), (3, false)] {
        let segment = segment(case.path(), events, &[5, 7], NumberKind::Text, &no_levels());
        assert_eq!(segment.columns().is_ok(), is_sound, "{events}");
        assert_eq!(segment.times().is_ok(), is_sound, "{events}");
        assert_eq!(segment.locations().is_ok(), is_sound, "{events}");
        assert_eq!(segment.levels().is_ok_and(|levels| levels.get(1) == ingest::Level::None), is_sound);
    }
}

#[test]
fn times_that_are_not_in_order_are_damage() {
    let case = tempfile::tempdir().expect("a folder");
    let segment = segment(case.path(), 2, &[7, 5], NumberKind::Text, &no_levels());
    assert!(segment.times().is_err_and(|error| error.kind().is_of_files()));
    assert!(segment.columns().is_err_and(|error| error.kind().is_of_files()));
}

#[test]
fn levels_that_are_numbers_are_damage() {
    let case = tempfile::tempdir().expect("a folder");
    let levels = Values::Int(vec![0, i64::MAX]);
    let segment = segment(case.path(), 2, &[5, 7], NumberKind::Int, &levels);
    assert!(segment.levels().is_err_and(|error| error.kind().is_of_files()));
}
