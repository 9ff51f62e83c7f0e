//! Which files the queries of a case may read, by who wrote them: all for a person at the command line, and only those
//! below allowed folders for the cells of a notebook and for callers of the library. `mcp.rs` has the assistant's.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use indexer::query::parse_query;
use indexer::{
    Cancel, Case, Error, ErrorKind, FileAccess, ImportOptions, NoteChange, NoteDraft, RunOptions, SqlOptions,
    Table,
};
use serde_json::json;
use timberline_tests::programs;

const EVENTS: &str = "{\"time\":\"2026-03-01T00:00:00Z\",\"host\":\"web\"}\n\
                      {\"time\":\"2026-03-01T00:00:01Z\",\"host\":\"db\"}\n";
const SECRET: &str = "host,owner\nweb,hidden-owner\n";
const KNOWN: &str = "host,owner\nweb,known-owner\n";

struct Place {
    folder: tempfile::TempDir,
    case: Arc<Case>,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().expect("a folder");
        let case = Case::create(&folder.path().join("sent.case")).expect("a case");
        let place = Place { folder, case: Arc::new(case) };
        let log = place.file("events.ndjson", EVENTS);
        place.case.import(&[log], &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("an import");
        place.file("secret.csv", SECRET);
        place.file("tables/known.csv", KNOWN);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(&path, text).expect("written");
        path
    }

    /// Writes a page with these cells.
    fn page(&self, cells: &[String]) {
        let text: Vec<String> = cells.iter().map(|query| format!("```query\n{query}\n```\n")).collect();
        let page = NoteDraft {
            kind: "page".into(),
            id: "p".into(),
            known: None,
            event: None,
            range: None,
            text: text.join("\n"),
            data: json!({ "title": "Look at this" }),
        };
        self.case.change_notes(&NoteChange { put: vec![page], remove: Vec::new() }, 1).expect("a page");
    }

    fn command(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(programs::timberline());
        let command = command.args(arguments).current_dir(self.folder.path());
        command.env("TIMBERLINE_HOME", self.path("home")).output().expect("it runs")
    }

    /// The page as it is exported, with these folders allowed.
    fn exported(&self, folders: &[&str]) -> String {
        let mut arguments = vec!["export", "sent.case", "--notes", "page.html"];
        arguments.extend(folders.iter().flat_map(|folder| ["--allow-files", folder]));
        let output = self.command(&arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        fs::read_to_string(self.path("page.html")).expect("a file")
    }

    fn run(&self, query: &str, files: FileAccess) -> Result<String, Error> {
        let options = RunOptions { files, ..RunOptions::default() };
        let query = parse_query(query).map_err(Error::from)?;
        let snapshot = self.case.snapshot();
        let table =
            self.case.run(&snapshot, &query, (None, None), &options, &mut |_| {}, &Cancel::default())?;
        Ok(text(&table))
    }

    fn sql(&self, statement: &str, files: FileAccess) -> Result<String, Error> {
        let run = RunOptions { files, ..RunOptions::default() };
        let options = SqlOptions { run, ..SqlOptions::default() };
        let table = self.case.sql(&self.case.snapshot(), statement, &options, &Cancel::default())?;
        Ok(text(&table))
    }
}

fn text(table: &Table) -> String {
    let cells = (0..table.rows()).flat_map(|row| (0..table.names().len()).map(move |column| (row, column)));
    let cells: Vec<String> = cells.map(|(row, column)| table.cell(row, column).to_string()).collect();
    cells.join(" ")
}

/// A query for each way to name a file.
fn naming(file: &Path) -> Vec<String> {
    let file = file.display();
    vec![
        format!("* | lookup \"{file}\" on host"),
        format!("* | join left on host \"{file}\""),
        format!("* | join left on host (* | lookup \"{file}\" on host)"),
        format!("* | join left on host (* | join on host (* | join on host \"{file}\"))"),
        format!("* | stats count() by host | lookup \"{file}\" on host | sort owner"),
    ]
}

fn statements(file: &Path) -> Vec<String> {
    let file = file.display();
    vec![
        format!("SELECT * FROM '{file}'"),
        format!("SELECT * FROM \"{file}\""),
        format!("SELECT * FROM events e JOIN '{file}' o ON e.host = o.host"),
        format!("SELECT host FROM events WHERE host IN (SELECT owner FROM '{file}')"),
        format!("WITH o AS (SELECT * FROM '{file}') SELECT * FROM o"),
        format!("SELECT host FROM events UNION ALL SELECT owner FROM '{file}'"),
    ]
}

#[test]
fn person_at_the_command_line_chooses_the_files() {
    let place = Place::new();
    for query in naming(&place.path("secret.csv")) {
        let output = place.command(&["query", "sent.case", &query]);
        assert!(String::from_utf8_lossy(&output.stdout).contains("hidden-owner"), "{query}: {output:?}");
    }
    let output = place.command(&["sql", "sent.case", "SELECT * FROM 'secret.csv'"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("hidden-owner"), "{output:?}");
    let explained = place.command(&["query", "sent.case", "* | lookup secret.csv on host", "--explain"]);
    assert!(explained.status.success(), "{explained:?}");
}

#[test]
fn cells_of_a_notebook_read_no_files_when_it_is_exported() {
    let place = Place::new();
    let secret = place.path("secret.csv");
    let mut cells = naming(&secret);
    cells.extend(naming(Path::new("secret.csv")));
    cells.push("* | stats count() by host".to_owned());
    place.page(&cells);
    let html = place.exported(&[]);
    assert!(!html.contains("hidden-owner"), "the file is in the export");
    assert_eq!(html.matches("--allow-files").count(), cells.len() - 1, "each of these cells says what to do");
    assert!(html.contains("secret.csv") && html.contains("<td>web</td>"), "the others are answered");
    let missing = place.command(&["export", "sent.case", "--notes", "page.html", "--allow-files", "none"]);
    assert_eq!(missing.status.code(), Some(3), "{missing:?}");
    let typed = place.command(&["export", "sent.case", "*", "--to", "out.csv", "--allow-files", "tables"]);
    assert_eq!(typed.status.code(), Some(2), "the person chooses the files of a query: {typed:?}");
}

#[test]
fn cells_of_a_notebook_read_files_below_allowed_folders() {
    let place = Place::new();
    let mut cells = naming(Path::new("tables/known.csv"));
    cells.extend(naming(Path::new("tables/../secret.csv")));
    cells.extend(naming(&place.path("secret.csv")));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(place.path("secret.csv"), place.path("tables/link.csv")).expect("a link");
        std::os::unix::fs::symlink(place.folder.path(), place.path("tables/out")).expect("a link");
        cells.extend(naming(Path::new("tables/link.csv")));
        cells.extend(naming(Path::new("tables/out/secret.csv")));
    }
    place.page(&cells);
    let html = place.exported(&["tables"]);
    assert!(html.contains("known-owner") && !html.contains("hidden-owner"), "{html}");
    let html = place.exported(&["tables", "."]);
    assert!(html.contains("known-owner") && html.contains("hidden-owner"), "both are allowed");
}

#[test]
fn library_reads_only_files_that_are_allowed() {
    let place = Place::new();
    let secret = place.path("secret.csv");
    let below = || FileAccess::below(place.folder.path(), &[place.path("tables")]).expect("a folder");
    let refusing: [&dyn Fn() -> FileAccess; 3] = [&FileAccess::default, &FileAccess::when_trusted, &below];
    for files in refusing {
        for query in naming(&secret) {
            let error = place.run(&query, files()).expect_err(&query);
            assert_eq!(error.kind(), ErrorKind::NotAllowed, "{query}: {error}");
            assert!(
                error.message().contains("secret.csv") && error.hint_text().is_some(),
                "{query}: {error}"
            );
        }
        for statement in statements(&secret) {
            let error = place.sql(&statement, files()).expect_err(&statement);
            assert_eq!(error.kind(), ErrorKind::NotAllowed, "{statement}: {error}");
        }
    }
    for query in naming(&place.path("tables/known.csv")) {
        assert!(place.run(&query, below()).expect(&query).contains("known-owner"), "{query}");
    }
}

#[test]
fn functions_of_sql_that_read_files_are_unknown() {
    let place = Place::new();
    let secret = place.path("secret.csv");
    for function in ["read_csv", "read_parquet", "read_ipc", "read_json", "read_ndjson"] {
        let statement = format!("SELECT * FROM {function}('{}')", secret.display());
        let error = place.sql(&statement, FileAccess::everywhere(".")).expect_err(&statement);
        assert_eq!(error.kind(), ErrorKind::QueryInvalid, "{statement}: {error}");
    }
}
