//! Files next to a case in SQL: CSV, JSON lines and Parquet by their paths, and what is said where one does not fit.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use indexer::export::{Format, export_table};
use indexer::{Cancel, Case, Error, ErrorKind, FileAccess, ImportOptions, RunOptions, SqlOptions, Table};

const EVENTS: &str = "{\"time\":\"2026-03-01T00:00:00Z\",\"service\":\"api\",\"status\":200}\n\
                      {\"time\":\"2026-03-01T00:00:01Z\",\"service\":\"web\",\"status\":500}\n\
                      {\"time\":\"2026-03-01T00:00:02Z\",\"service\":\"api\",\"status\":404}\n\
                      {\"time\":\"2026-03-01T00:00:03Z\",\"service\":\"job\",\"status\":200}\n";

fn case(folder: &Path) -> Arc<Case> {
    let path = folder.join("events.ndjson");
    fs::write(&path, EVENTS).expect("a file");
    let case = Case::create(&folder.join("files.case")).expect("a case");
    case.import(&[path], &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("an import");
    Arc::new(case)
}

fn ask(case: &Arc<Case>, folder: &Path, text: &str) -> Result<Table, Error> {
    let run = RunOptions { files: FileAccess::everywhere(folder), ..RunOptions::default() };
    case.sql(&case.snapshot(), text, &SqlOptions { run, ..SqlOptions::default() }, &Cancel::default())
}

fn rows(table: &Table) -> Vec<String> {
    let row = |row: usize| -> Vec<String> {
        (0..table.columns().len()).map(|column| table.cell(row, column).to_string()).collect()
    };
    (0..table.rows()).map(|place| row(place).join(" ")).collect()
}

fn answer(case: &Arc<Case>, folder: &Path, text: &str) -> Vec<String> {
    rows(&ask(case, folder, text).unwrap_or_else(|error| panic!("{text}: {error}")))
}

/// The same table as CSV, JSON lines and Parquet.
fn write_owners(case: &Arc<Case>, folder: &Path) {
    fs::write(folder.join("owners.csv"), "service,team,since\napi,cart,3\nweb,front,5\nold,none,\n")
        .expect("a file");
    let table = ask(case, folder, "SELECT * FROM 'owners.csv'").expect("a table");
    for (format, name) in [(Format::Ndjson, "owners.ndjson"), (Format::Parquet, "owners.parquet")] {
        assert_eq!(export_table(&table, (format, &folder.join(name))).expect("a file"), 3);
    }
}

#[test]
fn files_of_each_format_are_joined_with_events() {
    let folder = tempfile::tempdir().expect("a folder");
    let (case, folder) = (case(folder.path()), folder.path());
    write_owners(&case, folder);
    for name in ["owners.csv", "owners.ndjson", "./owners.parquet"] {
        let counted = format!(
            "SELECT o.team, count(*) AS n, max(o.since) AS s FROM events e JOIN '{name}' o ON e.service = o.service \
             GROUP BY 1 ORDER BY 1"
        );
        assert_eq!(answer(&case, folder, &counted), ["cart 2 3", "front 1 5"], "{name}");
        let missing = format!(
            "SELECT e.service FROM events e LEFT JOIN '{name}' o ON e.service = o.service WHERE o.team IS NULL"
        );
        assert_eq!(answer(&case, folder, &missing), ["job"], "{name}");
        let unseen =
            format!("SELECT service FROM '{name}' WHERE service NOT IN (SELECT service FROM events)");
        assert_eq!(answer(&case, folder, &unseen), ["old"], "{name}");
        // Events are counted by kernels, and their few rows joined.
        let small = format!(
            "SELECT o.team, g.n FROM (SELECT service, count(*) AS n FROM events GROUP BY service) g \
             JOIN '{name}' o ON g.service = o.service ORDER BY 1"
        );
        assert_eq!(answer(&case, folder, &small), ["cart 2", "front 1"], "{name}");
    }
}

#[test]
fn mismatch_is_reported_with_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let (case, folder) = (case(folder.path()), folder.path());
    write_owners(&case, folder);
    let refused = |text: &str| ask(&case, folder, text).expect_err(text);

    let text = "SELECT * FROM events e JOIN 'owner.csv' o ON e.service = o.service";
    let error = refused(text);
    assert!(error.path().is_some_and(|path| path.ends_with("owner.csv")), "{error}");
    let (start, end) = error.span().expect("a place");
    assert_eq!(&text[start..end], "owner.csv");

    let text = "SELECT o.tam FROM events e JOIN 'owners.csv' o ON e.service = o.service";
    let error = refused(text);
    assert_eq!((error.kind(), error.message()), (ErrorKind::QueryInvalid, "there is no column tam"));
    assert_eq!(error.hint_text(), Some("did you mean team?"));
    assert_eq!(error.span().map(|(start, end)| &text[start..end]), Some("tam"));

    // A number and a text are no equal keys.
    let text = "SELECT count(*) FROM events e JOIN 'owners.csv' o ON e.status = o.team";
    let error = refused(text);
    assert_eq!(error.kind(), ErrorKind::QueryInvalid, "{error}");
    assert!(error.hint_text().is_some_and(|hint| hint.contains("CAST(x AS VARCHAR)")), "{error:?}");
    let alike = "SELECT count(*) FROM events e JOIN 'owners.csv' o ON CAST(e.status AS VARCHAR) = o.team";
    assert_eq!(answer(&case, folder, alike), ["0"]);

    fs::write(folder.join("torn.parquet"), b"PAR1 and nothing more").expect("a file");
    let error = refused("SELECT * FROM 'torn.parquet'");
    assert!(error.span().is_some() && error.path().is_some(), "{error:?}");
}
