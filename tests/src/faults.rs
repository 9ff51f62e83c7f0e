//! What the tests of crashes and broken disks share: small cases, commands that are made to fail at a step,
//! and what a case answers as one text that can be compared.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use indexer::export::{Format, Formulas, write_table};
use indexer::query::{Filter, parse_query};
use indexer::{Cancel, Case, ImportOptions, Profile, RunOptions, View, Walk};

use crate::programs::timberline;

/// Two logs of different formats, of so many lines together.
///
/// # Panics
/// When they cannot be written.
#[must_use]
pub fn logs(folder: &Path, lines: usize) -> Vec<PathBuf> {
    let (mut app, mut access) = (String::new(), String::new());
    for line in 0..lines / 2 {
        let (minute, second) = (line / 60 % 60, line % 60);
        let user = line * 7919 % 5000;
        writeln!(
            app,
            "2026-03-01 14:{minute:02}:{second:02} INFO request {line} of user u{user} done took_ms={user}"
        )
        .expect("text grows");
        writeln!(
            access,
            "10.0.{}.{} - - [01/Mar/2026:14:{minute:02}:{second:02} +0000] \"GET /api/cart/{line} HTTP/1.1\" {} {user} \"-\" \"Mozilla/5.0 (X11; rv:{})\"",
            user % 7,
            line % 250,
            [200, 200, 301, 404, 500][line % 5],
            line % 9
        )
        .expect("text grows");
    }
    [("app.log", app), ("access.log", access)]
        .map(|(name, text)| {
            let path = folder.join(name);
            fs::write(&path, text).expect("the log can be written");
            path
        })
        .to_vec()
}

/// Makes the logs longer, by lines like their own.
///
/// # Panics
/// When they cannot be read and written.
pub fn grow(logs: &[PathBuf]) {
    for log in logs {
        let mut text = fs::read(log).expect("the log can be read");
        let last = text.len() / 3;
        let from = text[last..].iter().position(|&byte| byte == b'\n').expect("it has lines");
        let more = text[last + from + 1..].to_vec();
        text.extend(more);
        fs::write(log, text).expect("the log can be written");
    }
}

/// Everything that a case answers, in an order that does not depend on the ids of its sources.
///
/// # Panics
/// When it cannot be read.
#[must_use]
pub fn answers(case: &Case) -> Vec<String> {
    let snapshot = case.snapshot();
    let never = Cancel::default();
    let mut lines = Vec::new();
    let everything = View { filter: Filter::Everything, from: None, to: None };
    let walk = Walk { with_fields: true, ..Walk::default() };
    case.for_each(&snapshot, &everything, &walk, &never, &mut |event, fields| {
        let source = &snapshot.sources()[event.source as usize].name;
        let fields: Vec<_> = fields.iter().map(|field| format!("{}={}", field.name, field.value)).collect();
        let place = format!("{source} {} {} {}", event.line, event.time, event.level.name());
        lines.push(format!("{place} {} {}", event.text, fields.join(" ")));
        Ok(())
    })
    .expect("all events can be read");
    for query in ["u4013", "status>=404", "cart 404", "took_ms<100 done", "*7919*", "level:info"] {
        let view = View::parse(query, None, None).expect("the queries are right");
        // A field that went with its source is an error, and that is an answer too.
        let count = case.count(&snapshot, &view, &never).map_err(|error| error.message().to_owned());
        lines.push(format!("{query}: {count:?}"));
    }
    for query in ["* | stats count() by level", "cart | stats min(line), max(line) by source"] {
        let asked = parse_query(query).expect("the queries are right");
        let options = RunOptions::default();
        let table = case.run(&snapshot, &asked, (None, None), &options, &mut |_| {}, &never);
        let mut text = Vec::new();
        write_table(&table.expect("every case answers it"), Format::Csv(Formulas::Keep), &mut text)
            .expect("text grows");
        lines.push(format!("{query}: {}", String::from_utf8_lossy(&text)));
    }
    lines.sort_unstable();
    lines
}

/// What is done to a case, as a command and as a call that does it again after a crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    Import,
    /// Imports sources that have grown: one is resumed, one is read again.
    Grow,
    Reprofile(Profile),
    Compact,
    Delete,
    /// Shifts the clock of a source.
    Adjust,
    /// Takes a deletion back from the trash.
    Restore,
}

/// The clock offset of [`Work::Adjust`], as it is written and in nanoseconds.
const OFFSET: (&str, i64) = ("1h", 3_600_000_000_000);

/// The id of a source, unless it is deleted.
#[must_use]
pub fn source_named(case: &Case, name: &str) -> Option<u32> {
    let snapshot = case.snapshot();
    let named = |source: &indexer::SourceEntry| source.name == name && !source.deleted;
    snapshot.sources().iter().position(named).map(|id| id as u32)
}

impl Work {
    /// The command that does it, which is to fail at a step.
    #[must_use]
    pub fn command(self, case: &Path, logs: &[PathBuf]) -> Command {
        let mut command = Command::new(timberline());
        match self {
            Work::Import | Work::Grow => command.arg("import").arg(case).args(logs),
            Work::Reprofile(profile) => command.arg("reprofile").arg(case).arg(profile.name()),
            Work::Compact => command.arg("compact").arg(case),
            Work::Delete => command.arg("delete").arg(case).arg("access.log"),
            Work::Adjust => command.arg("adjust").arg(case).args(["app.log", "--offset", OFFSET.0]),
            Work::Restore => command.arg("restore").arg(case),
        };
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        command
    }

    /// Does what is left to do, as a person would who starts it again.
    ///
    /// # Panics
    /// When it fails.
    pub fn go_on(self, case: &Case, logs: &[PathBuf]) {
        let never = Cancel::default();
        match self {
            // What landed is known and goes on.
            Work::Import | Work::Grow => {
                let done = case.import(logs, &ImportOptions::default(), &|_| {}, &never);
                let done = done.expect("the import goes on");
                assert!(done.failure.is_none(), "{:?}", done.failure);
                assert_eq!(case.snapshot().sources().len(), logs.len(), "each log is one source");
            }
            Work::Reprofile(profile) => {
                case.reprofile(profile, &mut |_| {}, &never).expect("the change goes on");
            }
            Work::Compact => drop(case.compact(&mut |_| {}, &never).expect("compacting goes on")),
            Work::Delete => {
                if let Some(id) = source_named(case, "access.log") {
                    case.delete_sources(&[id], &mut |_| {}, &never).expect("deleting goes on");
                } else {
                    case.import(&[], &ImportOptions::default(), &|_| {}, &never).expect("the index is built");
                }
            }
            Work::Adjust => {
                let id = source_named(case, "app.log").expect("it is there");
                case.adjust(&[id], None, Some(OFFSET.1), &|_| {}, &never).expect("the change goes on");
            }
            Work::Restore => {
                if source_named(case, "access.log").is_none() {
                    case.restore().expect("it is taken back");
                }
                case.import(&[], &ImportOptions::default(), &|_| {}, &never).expect("the index is built");
            }
        }
    }
}

/// A case that opens and is as it was written.
///
/// # Panics
/// When it is not; `what` says after which fault.
#[must_use]
pub fn sound(case: &Path, what: &str) -> Case {
    let case = Case::open(case).unwrap_or_else(|error| panic!("after {what}: {error}"));
    let problems = case.verify(&Cancel::default()).problems;
    assert!(problems.is_empty(), "after {what}: {problems:?}");
    case
}

/// The steps that a command passes, each with how often.
///
/// # Panics
/// When the command fails.
#[must_use]
pub fn steps(mut command: Command, folder: &Path) -> Vec<(String, usize)> {
    let trace = folder.join("trace");
    let _ = fs::remove_file(&trace);
    let done = command.env("TIMBERLINE_FAULT_TRACE", &trace).output().expect("the command starts");
    assert!(done.status.success(), "{}", said(&done));
    let mut steps: Vec<(String, usize)> = Vec::new();
    for step in fs::read_to_string(&trace).expect("it passed steps").lines() {
        match steps.iter_mut().find(|(name, _)| name == step) {
            Some((_, times)) => *times += 1,
            None => steps.push((step.to_owned(), 1)),
        }
    }
    steps
}

#[must_use]
pub fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Copies a folder with all that is in it.
///
/// # Panics
/// When it cannot be copied.
pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(&from, &to).expect("a file can be copied");
        }
    }
}
