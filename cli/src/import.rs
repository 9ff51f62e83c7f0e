//! `timberline import`: files and folders into a case.

use std::io::Write;

use anyhow::Result;
use indexer::{Cancel, Case, ImportOptions, Phase, Progress, StageName, bottleneck};
use serde::Serialize;

use crate::Outcome;
use crate::args::{Import, ProgressForm};
use crate::files::FileLine;
use crate::stages::{progress_as_json, stages_as_json};
use crate::{out, tune};

#[derive(Serialize)]
struct ImportReport {
    files: Vec<FileLine>,
    events: u64,
    bytes_in: u64,
    bytes_on_disk: u64,
    landed_seconds: f64,
    indexed_seconds: f64,
    events_per_second: f64,
    peak_rss_bytes: u64,
    /// From the start to the first commit, when a first histogram can be drawn.
    first_published_seconds: Option<f64>,
    plan: serde_json::Value,
    stages: Vec<serde_json::Value>,
    /// The stage that the others waited for.
    waited_for: Option<&'static str>,
}

pub fn run(arguments: &Import) -> Result<Outcome> {
    let case = Case::open_or_create(&arguments.case)?;
    let before = case.snapshot().revision();
    let options = ImportOptions {
        ingest: arguments.reading.options()?,
        profile: arguments.profile.map(indexer::Profile::from),
        again: arguments.again,
        beyond_reserve: arguments.beyond_reserve,
        filter: arguments.folders.filter(),
        tune: arguments.tuning.overrides(),
        ..ImportOptions::default()
    };
    let first_published = std::cell::Cell::new(None);
    let report = |progress: Progress| {
        if progress.revision > before && first_published.get().is_none() {
            first_published.set(Some(progress.elapsed.as_secs_f64()));
        }
        match arguments.progress {
            ProgressForm::Terminal => out::progress(&line(&progress)),
            ProgressForm::Json => out::say(&progress_as_json(&progress)),
        }
    };
    let done = case.import(&arguments.paths, &options, &report, &Cancel::default())?;
    out::progress("");
    let landed_seconds = done.landed.as_secs_f64();
    if arguments.json {
        let report = ImportReport {
            files: done
                .files
                .iter()
                .map(FileLine::from)
                .chain(done.refused.iter().map(FileLine::from))
                .collect(),
            events: done.events,
            bytes_in: done.bytes_in,
            bytes_on_disk: done.bytes_on_disk,
            landed_seconds,
            indexed_seconds: done.indexed.as_secs_f64(),
            events_per_second: done.events as f64 / landed_seconds.max(1e-9),
            peak_rss_bytes: peak_rss_bytes(),
            first_published_seconds: first_published.get(),
            plan: tune::plan_as_json(&done.plan),
            stages: stages_as_json(&done.stages),
            waited_for: bottleneck(&done.stages).map(StageName::name),
        };
        let mut stdout = out::stdout();
        out::json(&mut stdout, &report)?;
        stdout.flush()?;
    } else {
        for file in &done.files {
            if let Some(remark) = &file.remark {
                out::say(&format!("{}: {remark}", file.path.display()));
            }
            let account = file.account.as_ref();
            let sentences = account.map(|account| [account.layout_sentence(), account.left_out_sentence()]);
            for sentence in sentences.into_iter().flatten().flatten() {
                out::say(&format!("{}: {sentence}", file.path.display()));
            }
        }
        let files = done.files.iter().filter(|file| file.source.is_some()).count();
        let (events, files) = (counted(done.events, "event"), counted(files as u64, "file"));
        out::say(&format!("{events} of {files} in {landed_seconds:.1} s"));
    }
    let mut outcome = Outcome::Done;
    for error in done.files.iter().filter_map(|file| file.problem.as_ref()).chain(&done.refused) {
        out::problem(error);
        outcome = Outcome::Unreadable;
    }
    match done.failure {
        Some(error) => Err(error.into()),
        None => Ok(outcome),
    }
}

/// `1 event`, `2 events`.
pub fn counted(number: u64, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

pub fn line(progress: &Progress) -> String {
    let what = match progress.phase {
        Phase::Landing => "reading",
        Phase::Indexing => "indexing",
    };
    let share = progress.bytes_read as f64 / progress.bytes_total.max(1) as f64 * 100.0;
    let waits = match bottleneck(&progress.stages).filter(|_| progress.phase == Phase::Landing) {
        Some(StageName::Read) => "; it waits for reading",
        Some(StageName::Parse) => "; it waits for parsing",
        Some(StageName::Land) => "; it waits for writing",
        Some(StageName::Index) | None => "",
    };
    format!("{what}: {} events, {share:.0} % of {} MB{waits}", progress.events, progress.bytes_total >> 20)
}

/// The most memory this process ever held, where the system tells.
fn peak_rss_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kilobytes = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).and_then(|rest| {
        let number = rest.trim().trim_end_matches("kB").trim();
        number.parse::<u64>().ok()
    });
    kilobytes.unwrap_or(0) * 1024
}
