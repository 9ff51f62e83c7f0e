//! A case can be read without Timberline: its Parquet by DuckDB, pandas and polars, its raw files by zstd.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use indexer::export::{Format, Formulas, export};
use indexer::{Cancel, Case, FileAccess, ImportOptions};
use timberline_tests::{faults, report};

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

/// The same for polars, which reads all tables as one: as a plain pattern, or, where sources have different fields, the
/// newest table first. And the sum of a field that was written as whole numbers and as floats.
const POLARS: &str = r#"
import sys, polars as pl
case, newest_first = sys.argv[1], sys.argv[2:]
table = pl.scan_parquet(newest_first, missing_columns="insert") if newest_first else pl.scan_parquet(case)
status, number, time = pl.col("status"), pl.col("bytes"), pl.col("time")
figures = [pl.len(), (status == 404).sum(), number.sum(), time.min().dt.epoch("ns"), pl.col("level").count()]
took = [pl.col("took").sum()] if newest_first else []
print(*table.select(*(figure.alias(str(at)) for at, figure in enumerate(figures + took))).collect().row(0))
"#;

fn python(modules: &str) -> Option<String> {
    let named = std::env::var("TIMBERLINE_PYTHON").ok();
    let works = |python: &String| {
        let tried = Command::new(python).args(["-c", &format!("import {modules}")]).output();
        tried.is_ok_and(|tried| tried.status.success())
    };
    named.into_iter().chain(["python3".to_owned(), "python".to_owned()]).find(works)
}

#[test]
fn duckdb_and_pandas_read_what_timberline_wrote() {
    let Some(python) = python("duckdb, pandas, pyarrow") else {
        return report::skipped("no Python with duckdb, pandas and pyarrow is here");
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

/// Access lines with a referer each: few of them are stored, many are byte ranges.
fn access(lines: std::ops::Range<usize>) -> String {
    let mut text = String::new();
    for line in lines {
        let referer =
            format!("https://shop.example/{:032x}", (line as u128 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        writeln!(
            text,
            "10.0.0.{} - - [01/Mar/2026:14:{:02}:{:02} +0000] \"GET /cart HTTP/1.1\" {} {line} \"{referer}\" \"curl/8\"",
            line % 250,
            line / 60 % 60,
            line % 60,
            [200, 200, 301, 404, 500][line % 5],
        )
        .expect("text grows");
    }
    text
}

#[test]
fn polars_reads_all_tables_of_a_case_as_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("c.case");
    let case = Case::create(&path).expect("a case");
    let import = |name: &str, text: &str| {
        let log = folder.path().join(name);
        std::fs::write(&log, text).expect("the log can be written");
        case.import(&[log], &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("an import");
    };
    import("a.log", &access(0..50));
    import("b.log", &access(50..9_000));
    let placed = tables(&path).iter().filter(|table| table.with_file_name("places.parquet").exists()).count();
    assert!(placed > 0 && placed < tables(&path).len(), "some of the tables tell the referer by places");
    let Some(python) = python("polars") else {
        return report::skipped("no Python with polars is here");
    };
    let said = |arguments: &[PathBuf]| {
        let run = Command::new(&python).args(["-c", POLARS]).args(arguments).output().expect("it starts");
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        String::from_utf8_lossy(&run.stdout).trim().to_owned()
    };
    let pattern = path.join("segments/*/events.parquet");
    assert_eq!(said(std::slice::from_ref(&pattern)), expected(&case));

    // Fields that the first tables do not have, and values of other types in fields that they have.
    let event = |rest: &str| format!("{{\"ts\":\"2026-03-01T15:00:00Z\",{rest}}}\n");
    import("c.jsonl", &event(r#""status":"ok","bytes":"many","took":1.5"#).repeat(20));
    import("d.jsonl", &event(r#""status":404,"took":2"#).repeat(10));
    let mut newest_first = tables(&path);
    let number = |table: &PathBuf| table.parent()?.file_name()?.to_str()?.parse::<u32>().ok();
    newest_first.sort_by_key(|table| std::cmp::Reverse(number(table)));
    let arguments = [vec![pattern.clone()], newest_first].concat();
    assert_eq!(said(&arguments), format!("{} 50.0", expected(&case)));
    case.compact(&mut |_| {}, &Cancel::default()).expect("it is compacted");
    assert_eq!(said(&[pattern]), expected(&case));
}

/// Prints what pyarrow and polars find in an Arrow file: rows, the sum of bytes, how many methods and referers there are,
/// the first time; and types of columns.
const ARROW: &str = r#"
import sys, pyarrow.ipc, polars as pl
t = pyarrow.ipc.open_file(sys.argv[1]).read_all()
for f in (pl.from_arrow(t), pl.read_ipc(sys.argv[1])):
    print(len(f), f["bytes"].sum(), f["method"].n_unique(), f["referer"].n_unique(), f["time"].min().isoformat())
print(*(t.schema.field(name).type for name in ("method", "bytes", "time")))
"#;

#[test]
fn other_programs_read_arrow_files() {
    let Some(python) = python("polars, pyarrow") else {
        return report::skipped("no Python with polars and pyarrow is here");
    };
    let folder = tempfile::tempdir().expect("a folder");
    let case = Case::create(&folder.path().join("c.case")).expect("a case");
    for (name, lines) in [("a.log", 0..50), ("b.log", 50..9_000)] {
        let log = folder.path().join(name);
        std::fs::write(&log, access(lines)).expect("the log can be written");
        case.import(&[log], &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("an import");
    }
    let path = folder.path().join("events.arrow");
    let to = (Format::from_extension(&path).expect("a format"), path.as_path());
    let (options, cancel) = (indexer::RunOptions::default(), Cancel::default());
    for text in ["*", "* | sort bytes"] {
        let query = indexer::query::parse_query(text).expect("a query");
        let everything = (None, None);
        let rows = export(&case, &case.snapshot(), &query, everything, &options, to, &mut |_| {}, &cancel);
        assert_eq!(rows.expect("it is written"), 9_000);
        let run = Command::new(&python).args(["-c", ARROW]).arg(&path).output().expect("it starts");
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        let said = String::from_utf8_lossy(&run.stdout).into_owned();
        let found = "9000 40495500 1 9000 2026-03-01T14:00:00+00:00";
        let types = "dictionary<values=large_string, indices=uint32, ordered=0> int64 timestamp[ns, tz=UTC]";
        assert_eq!(said.lines().collect::<Vec<_>>(), [found, found, types], "{text}");
    }
}

/// Writes a Parquet file of several row groups.
const OWNERS: &str = r#"
import sys, datetime, pyarrow as pa, pyarrow.parquet as pq
t = pa.table({
    "code": pa.array([200, 301, 404, 500], pa.int32()),
    "meaning": pa.array(["fine", None, "not there", "broken"]).dictionary_encode(),
    "since": pa.array([datetime.date(1996, 5, 1)] * 4),
    "share": pa.array([0.5, 0.25, 0.125, None], pa.float32()),
    "parts": pa.array([[1], [], None, [2, 3]]),
})
pq.write_table(t, sys.argv[1], compression="zstd", row_group_size=3)
"#;

#[test]
fn tables_of_other_programs_are_looked_up_in() {
    let Some(python) = python("pyarrow") else {
        return report::skipped("no Python with pyarrow is here");
    };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("codes.parquet");
    let run = Command::new(&python).args(["-c", OWNERS]).arg(&path).output().expect("it starts");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let case = Case::create(&folder.path().join("c.case")).expect("a case");
    let log = folder.path().join("a.log");
    std::fs::write(&log, access(0..50)).expect("the log can be written");
    case.import(&[log], &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("an import");
    let text = "* | lookup \"codes.parquet\" on status = code output meaning, since, share | dedup status | keep status, meaning, since, share | sort status";
    let query = indexer::query::parse_query(text).expect("a query");
    let to = folder.path().join("found.csv");
    let options = indexer::RunOptions {
        files: FileAccess::everywhere(folder.path()),
        ..indexer::RunOptions::default()
    };
    let format = Format::Csv(Formulas::Keep);
    export(
        &case,
        &case.snapshot(),
        &query,
        (None, None),
        &options,
        (format, &to),
        &mut |_| {},
        &Cancel::default(),
    )
    .expect("it is written");
    let expected = "status,meaning,since,share\n\
                    200,fine,1996-05-01T00:00:00Z,0.5\n\
                    301,,1996-05-01T00:00:00Z,0.25\n\
                    404,not there,1996-05-01T00:00:00Z,0.125\n\
                    500,broken,1996-05-01T00:00:00Z,\n";
    assert_eq!(std::fs::read_to_string(&to).expect("it is there"), expected);
}

#[test]
fn zstd_gives_the_original_bytes_back() {
    if Command::new("zstd").arg("--version").output().is_err() {
        return report::skipped("the program zstd is not here");
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
