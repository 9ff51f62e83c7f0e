//! Runs every file in `tests/cases`. With `TIMBERLINE_BLESS=1` it writes the outputs instead of comparing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use timberline_tests::cases::{Part, normalise, parse, print};
use timberline_tests::{files, programs};

#[test]
fn every_case_prints_what_it_did() {
    let bless = std::env::var_os("TIMBERLINE_BLESS").is_some();
    let programs = programs::folder();
    let mut different = Vec::new();
    for path in case_files() {
        let expected = fs::read_to_string(&path).expect("a readable case");
        let actual = print(&run(&parse(&expected), &programs));
        if actual == expected {
            continue;
        }
        if bless {
            fs::write(&path, &actual).expect("a case that can be written");
        } else {
            different.push(format!("{}\n{}", path.display(), changed_lines(&expected, &actual)));
        }
    }
    assert!(different.is_empty(), "\n{}\nRun `npm run bless` if this is meant.", different.join("\n"));
}

fn case_files() -> Vec<PathBuf> {
    let folder = files::root().join("tests/cases");
    let entries = fs::read_dir(folder).expect("the folder of cases");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    paths.sort();
    assert!(!paths.is_empty(), "there are no cases");
    paths
}

/// The same parts with the outputs that the commands print now.
fn run(parts: &[Part], programs: &Path) -> Vec<Part> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = folder.path().canonicalize().expect("the folder's real path");
    let mut result = Vec::new();
    for part in parts {
        match part {
            Part::Prose(text) => result.push(Part::Prose(text.clone())),
            Part::Log { name, text } => {
                let file = place.join(name);
                fs::create_dir_all(file.parent().expect("a folder")).expect("a folder for the log");
                fs::write(file, text).expect("a log that can be written");
                result.push(Part::Log { name: name.clone(), text: text.clone() });
            }
            Part::Commands(text) => {
                result.push(Part::Commands(text.clone()));
                result.push(Part::Output(output(text, &place, programs)));
            }
            // What was printed before is replaced by what is printed now.
            Part::Output(_) => {}
        }
    }
    result
}

/// What the commands write to stdout, and the exit code where it is not 0. A case that is about messages
/// writes `2>&1`.
fn output(commands: &str, place: &Path, programs: &Path) -> String {
    let path = std::env::var("PATH").unwrap_or_default();
    let done = Command::new("sh")
        .args(["-c", commands])
        .current_dir(place)
        .env("PATH", format!("{}:{path}", programs.display()))
        .env("TIMBERLINE_HOME", place.join("home"))
        .env("TZ", "UTC")
        .output()
        .expect("a shell");
    let mut text = normalise(&String::from_utf8_lossy(&done.stdout), &place.to_string_lossy());
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    match done.status.code() {
        Some(0) => text,
        Some(code) => format!("{text}exit {code}\n"),
        None => format!("{text}killed by a signal\n"),
    }
}

fn changed_lines(expected: &str, actual: &str) -> String {
    let gone = expected.lines().filter(|line| !actual.contains(line)).map(|line| format!("- {line}"));
    let new = actual.lines().filter(|line| !expected.contains(line)).map(|line| format!("+ {line}"));
    gone.chain(new).collect::<Vec<_>>().join("\n")
}
