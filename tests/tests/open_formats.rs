//! A case can be read without Timberline: its Parquet by DuckDB and by pandas, its raw files by zstd.

use std::path::{Path, PathBuf};
use std::process::Command;

use indexer::{Cancel, Case, ImportOptions};
use timberline_tests::faults;

/// Prints for DuckDB and for pandas: rows, rows with status 404, the sum of bytes, the first time in ns, and
/// how many rows have a level.
const SCRIPT: &str = r#"
import sys, duckdb, pandas
files = sys.argv[1:]
q = "select count(*), count(*) filter (where status = 404), sum(bytes)::bigint, min(epoch_ns(time)), count(level) "
found = duckdb.connect().execute(q + f"from read_parquet({files}, union_by_name=true)").fetchall()
print(*found[0])
t = pandas.concat([pandas.read_parquet(file) for file in files])
print(len(t), (t["status"] == 404).sum(), int(t["bytes"].sum()), t["time"].min().value, t["level"].notna().sum())
"#;

fn python() -> Option<String> {
    let named = std::env::var("TIMBERLINE_PYTHON").ok();
    let works = |python: &String| {
        let tried = Command::new(python).args(["-c", "import duckdb, pandas, pyarrow"]).output();
        tried.is_ok_and(|tried| tried.status.success())
    };
    named.into_iter().chain(["python3".to_owned(), "python".to_owned()]).find(works)
}

#[test]
fn duckdb_and_pandas_read_what_timberline_wrote() {
    let Some(python) = python() else {
        left_out("no Python with duckdb, pandas and pyarrow is here, so no case was opened with them");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let log = faults::logs(folder.path(), 4_000).remove(1);
    let path = folder.path().join("c.case");
    let case = Case::create(&path).expect("a case");
    case.import(&[log], &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("an import");
    for compacted in [false, true] {
        if compacted {
            case.compact(&mut |_| {}, &Cancel::default()).expect("it is compacted");
        }
        let expected = expected(&case);
        let run = Command::new(&python).args(["-c", SCRIPT]).args(tables(&path)).output().expect("it starts");
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        let said = String::from_utf8_lossy(&run.stdout).into_owned();
        assert_eq!(said.lines().collect::<Vec<_>>(), [&expected, &expected]);
    }
}

#[test]
fn zstd_gives_the_original_bytes_back() {
    if Command::new("zstd").arg("--version").output().is_err() {
        left_out("the program zstd is not here, so no raw file was unpacked with it");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let logs = faults::logs(folder.path(), 40_000);
    let path = folder.path().join("c.case");
    let case = Case::create(&path).expect("a case");
    case.import(&logs, &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("an import");
    for generation in ["", "-1"] {
        if !generation.is_empty() {
            case.compact(&mut |_| {}, &Cancel::default()).expect("it is compacted");
        }
        for (number, log) in logs.iter().enumerate() {
            let raw = path.join(format!("raw/{number}{generation}.zst"));
            let run = Command::new("zstd").args(["-d", "-c"]).arg(&raw).output().expect("it starts");
            assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
            assert!(run.stdout == std::fs::read(log).expect("the log"), "{} differs", raw.display());
        }
    }
}

fn left_out(why: &str) {
    faults::figure(&format!("Left out: {why}"));
}

fn tables(case: &Path) -> Vec<PathBuf> {
    let segments = std::fs::read_dir(case.join("segments")).expect("a folder").flatten();
    segments.map(|segment| segment.path().join("events.parquet")).collect()
}

/// The same figures as the engine has them.
fn expected(case: &Case) -> String {
    let snapshot = case.snapshot();
    let (mut rows, mut missing, mut bytes, mut first, mut levels) = (0, 0, 0_u64, i64::MAX, 0);
    let everything = indexer::View::parse("", None, None).expect("everything");
    let walk = indexer::Walk { with_fields: true, ..indexer::Walk::default() };
    case.for_each(&snapshot, &everything, &walk, &Cancel::default(), &mut |event, fields| {
        let value = |name: &str| fields.iter().find(|field| field.name == name).map(|field| &field.value);
        rows += 1;
        missing += u32::from(value("status").is_some_and(|status| status == "404"));
        bytes += value("bytes").and_then(|bytes| bytes.parse::<u64>().ok()).unwrap_or(0);
        first = first.min(event.time);
        levels += u32::from(event.level != indexer::Level::None);
        Ok(())
    })
    .expect("all events can be read");
    format!("{rows} {missing} {bytes} {first} {levels}")
}
