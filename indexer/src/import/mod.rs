//! Import: files are read, parsed and compressed in parallel ([`read`]), landed here in order and committed
//! as segments at least once a second; the text index is built in the background.

mod held;
mod known;
mod landing;
mod open;
mod order;
mod origin;
mod pending;
mod progress;
mod publish;
mod read;
mod sets;
mod shapes;
mod stages;
mod years;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::bounded;

use self::known::Known;
pub(crate) use self::known::{Expected, StoredBytes, fingerprint};
use self::landing::{Landed, Landing};
use self::open::Opening;
pub(crate) use self::pending::Pending;
use self::progress::Reporter;
pub use self::progress::{FileProgress, FileState, Outcome, Phase, Progress};
pub(crate) use self::publish::write_segments;
use self::read::Input;
pub(crate) use self::stages::Counters;
pub use self::stages::{Stage, StageName, bottleneck};
pub(crate) use self::years::better_year;
use crate::case::Case;
use crate::preview::check_room;
use crate::rewrite;
use crate::tune::{Host, Overrides, Plan};
use crate::writing::{Purpose, Writing};
use base::Cancel;
use base::error::{Error, ErrorKind, Result};
use base::limits::DISK_TRIAL_BYTES;
use store::{Account, Accounts, Profile, Snapshot, SourceEntry, case_bytes};

/// The options of an import; by default the data decides, and the case keeps its profile.
#[derive(Clone, Debug, Default)]
pub struct ImportOptions {
    pub ingest: ingest::Options,
    /// What is kept besides the original bytes; the case's own profile by default.
    pub profile: Option<Profile>,
    /// Other ways to read some files or members, by their paths.
    pub chosen: HashMap<PathBuf, ingest::Options>,
    /// The filter for files in folders.
    pub filter: ingest::Filter,
    /// Files and members that are not read, by their paths.
    pub left_out: HashSet<PathBuf>,
    /// Continue even if the case would use the reserved space of its disk.
    pub beyond_reserve: bool,
    /// Import what the case already has once more, as sources of its own.
    pub again: bool,
    /// Overrides of the plan for this machine.
    pub tune: Overrides,
}

/// The result of an import.
#[derive(Clone, Debug)]
pub struct ImportReport {
    pub files: Vec<FileReport>,
    /// Paths without anything to read, with the reason.
    pub refused: Vec<Error>,
    pub events: u64,
    pub bytes_in: u64,
    pub bytes_on_disk: u64,
    pub landed: Duration,
    pub indexed: Duration,
    pub cancelled: bool,
    /// The plan, and the counters of each stage.
    pub plan: Plan,
    pub stages: Vec<Stage>,
    /// The reason why the import ended early; everything that had landed is kept.
    pub failure: Option<Error>,
}

#[derive(Clone, Debug)]
pub struct FileReport {
    pub path: PathBuf,
    /// The source in the case; `None` if no byte of it could be read.
    pub source: Option<SourceEntry>,
    pub outcome: Outcome,
    /// A sentence about that, unless it is simply new.
    pub remark: Option<String>,
    pub problem: Option<Error>,
    /// What was learned about it during the import.
    pub account: Option<Account>,
}

impl Case {
    /// Imports files and folders into the case. Everything that landed stays, whatever happens later.
    pub fn import(
        &self,
        paths: &[PathBuf],
        options: &ImportOptions,
        report: &dyn Fn(Progress),
        cancel: &Cancel,
    ) -> Result<ImportReport> {
        self.write(Purpose::Add, |writing| import(writing, paths, options, report, cancel))
    }
}

/// Reads files and folders into a case that this process holds for writing.
pub(crate) fn import(
    writing: &mut Writing<'_>,
    paths: &[PathBuf],
    options: &ImportOptions,
    report: &dyn Fn(Progress),
    cancel: &Cancel,
) -> Result<ImportReport> {
    if !options.beyond_reserve {
        let profile = options.profile.unwrap_or(writing.manifest.profile);
        check_room(writing.folder(), profile, paths, options)?;
    }
    let discovery = ingest::discover_some(paths, &options.filter);
    let wanted = discovery.files.into_iter().filter(|file| !options.left_out.contains(&file.path));
    let files = ingest::group_rotation_sets(wanted.collect(), &options.ingest);
    let inputs: Vec<Input> = files.into_iter().map(|(found, set)| Input::File(found, set)).collect();
    let mut done = run(writing, &inputs, options, report, cancel)?;
    done.refused = discovery.refused.into_iter().map(Error::from).collect();
    Ok(done)
}

/// The files below these paths that a case has not read to their end.
#[must_use]
pub fn unread_files(
    snapshot: &Snapshot,
    paths: &[PathBuf],
    filter: &ingest::Filter,
    left_out: &[PathBuf],
) -> Vec<PathBuf> {
    let is_read = |path: &Path| {
        // The members of an archive are sources below its path.
        let sources = snapshot.sources().iter().filter(|source| Path::new(&source.path).starts_with(path));
        let mut sources = sources.filter(|source| !source.deleted).peekable();
        sources.peek().is_some() && sources.all(|source| source.complete)
    };
    let found = ingest::discover_some(paths, filter).files.into_iter().map(|file| file.path);
    found.filter(|path| !left_out.contains(path) && !is_read(path)).collect()
}

/// Imports a text without a file, as a source of this name. `now_ns` is the time of its arrival.
pub(crate) fn paste(
    writing: &mut Writing<'_>,
    (name, text): (&str, &str),
    now_ns: Option<i64>,
    options: &ImportOptions,
    report: &dyn Fn(Progress),
    cancel: &Cancel,
) -> Result<ImportReport> {
    let input = Input::Text { name: name.to_owned(), bytes: text.as_bytes().to_vec(), now_ns };
    run(writing, &[input], options, report, cancel)
}

/// Reads stored sources again, each with its own options.
pub(crate) fn reread(
    writing: &mut Writing<'_>,
    sources: Vec<(u32, ingest::Options)>,
    options: &ImportOptions,
    report: &dyn Fn(Progress),
    cancel: &Cancel,
) -> Result<ImportReport> {
    let stored = |(source, options)| Input::Stored { source, options: Box::new(options) };
    run(writing, &sources.into_iter().map(stored).collect::<Vec<_>>(), options, report, cancel)
}

/// Does the import on threads of its own, so that no query waits for its threads, and reports on the
/// caller's.
fn run(
    writing: &mut Writing<'_>,
    inputs: &[Input],
    options: &ImportOptions,
    report: &dyn Fn(Progress),
    cancel: &Cancel,
) -> Result<ImportReport> {
    let pool = rayon::ThreadPoolBuilder::new()
        .build()
        .map_err(|error| Error::new(ErrorKind::Internal, format!("no thread could be started: {error}")))?;
    let mut outcome = Err(Error::cancelled());
    pool.in_place_scope(|scope| {
        let (progress, reports) = bounded(0);
        let (heard, answers) = bounded(0);
        let outcome = &mut outcome;
        scope.spawn(move |_| {
            let report = |now| {
                if progress.send(now).is_ok() {
                    // Continue when the report is delivered, as if it had been made on this thread.
                    let _ = answers.recv();
                }
            };
            *outcome = import_all(writing, inputs, options, &report, cancel);
        });
        for now in reports {
            report(now);
            // After a panic nothing waits any more.
            let _ = heard.send(());
        }
    });
    outcome
}

fn import_all(
    writing: &mut Writing<'_>,
    inputs: &[Input],
    options: &ImportOptions,
    report: &dyn Fn(Progress),
    cancel: &Cancel,
) -> Result<ImportReport> {
    choose_profile(writing, options.profile)?;
    let files = inputs.iter().map(|input| match input {
        Input::File(found, _) => (found.path.clone(), found.bytes),
        Input::Text { name, bytes, .. } => (PathBuf::from(name), bytes.len() as u64),
        Input::Stored { source, .. } => {
            let entry = writing.manifest.sources.get(*source as usize);
            entry.map_or_else(Default::default, |entry| (PathBuf::from(&entry.path), entry.bytes))
        }
    });
    let mut reporter = Reporter::new(files.collect::<Vec<_>>().into_iter(), report);
    reporter.tell(writing.manifest.revision, true);
    let plan = plan(writing.folder(), reporter.bytes_total(), options);
    let (Landed { sources, years }, mut failure) =
        land_all(writing, inputs, (options, &plan), &mut reporter, cancel);
    if failure.is_none() && !cancel.is_set() {
        failure = years::look_again(writing, &years, (options, &plan), cancel).err();
    }
    let landed = reporter.started().elapsed();
    if failure.is_none() && !cancel.is_set() {
        reporter.phase = Phase::Indexing;
        index(writing, &plan, &mut reporter, cancel)?;
    }
    if failure.is_none() {
        writing.remove_old_accounts()?;
    }
    // An archive is in the report if something is wrong with it as a whole.
    let files = reporter.files().iter().zip(sources);
    let files = files.filter(|(progress, _)| !progress.is_archive || progress.note.is_some());
    let mut accounts = AccountsOf { case: writing.folder(), read: None };
    Ok(ImportReport {
        files: files
            .map(|(progress, source)| FileReport {
                path: progress.path.clone(),
                source: source.and_then(|id| writing.manifest.sources.get(id as usize).cloned()),
                outcome: progress.outcome,
                remark: progress.remark.clone(),
                problem: progress.note.clone(),
                account: source
                    .and_then(|id| accounts.get(id, writing.manifest.sources.get(id as usize)?.account?)),
            })
            .collect(),
        refused: Vec::new(),
        events: reporter.events(),
        bytes_in: reporter.bytes_read(),
        bytes_on_disk: case_bytes(writing.folder()),
        landed,
        indexed: reporter.started().elapsed().saturating_sub(landed),
        cancelled: cancel.is_set(),
        plan,
        stages: reporter.stages.all(),
        failure,
    })
}

/// The plan for this machine. The disk is measured if there is much to write.
pub(crate) fn plan(case: &Path, bytes: u64, options: &ImportOptions) -> Plan {
    let host = Host::look(&options.tune);
    let host = if bytes < DISK_TRIAL_BYTES { host } else { host.with_disk(case) };
    Plan::for_host(&host, &options.tune)
}

/// A case has one profile. An import chooses it while no segment has another one.
fn choose_profile(writing: &mut Writing<'_>, wanted: Option<Profile>) -> Result<()> {
    let current = writing.manifest.profile;
    match wanted {
        Some(wanted) if wanted != current && !writing.manifest.segments.is_empty() => {
            let message = format!("this case has the profile {}, not {}", current.name(), wanted.name());
            Err(Error::new(ErrorKind::BadRequest, message)
                .at(writing.folder())
                .hint("change it with `timberline reprofile`, or import without naming one"))
        }
        Some(wanted) => {
            writing.manifest.profile = wanted;
            Ok(())
        }
        None => Ok(()),
    }
}

/// Reads accounts. Those of neighbouring sources are mostly in one file.
struct AccountsOf<'c> {
    case: &'c Path,
    read: Option<(u64, Accounts)>,
}

impl AccountsOf<'_> {
    fn get(&mut self, source: u32, number: u64) -> Option<Account> {
        if self.read.as_ref().is_none_or(|(read, _)| *read != number) {
            self.read = Some((number, Accounts::read(self.case, number).ok()?));
        }
        self.read.as_ref()?.1.of.get(&source).cloned()
    }
}

/// Lands every input. Returns what has landed, and the reason of an early end.
fn land_all(
    writing: &mut Writing<'_>,
    inputs: &[Input],
    (options, plan): (&ImportOptions, &Plan),
    reporter: &mut Reporter<'_>,
    cancel: &Cancel,
) -> (Landed, Option<Error>) {
    // When landing fails, the reader stops by this flag, whoever shares the caller's flag.
    let stop = cancel.child();
    let case = writing.folder().to_path_buf();
    let known = Known::new(&case, writing.known_sources());
    let mut landing = Landing::new(writing, &known, reporter.files().len(), *plan);
    let stages = reporter.stages.clone();
    let outcome = std::thread::scope(|scope| {
        let opening = Opening { case: &case, inputs, options, known: &known };
        let mut steps = read::start(scope, opening, (plan, &stages), &stop);
        let outcome = landing.run(&mut steps, reporter, cancel);
        stop.set();
        outcome
    });
    let outcome = outcome.and_then(|()| landing.end(reporter, cancel));
    if let Err(error) = &outcome {
        landing.give_up(reporter, error);
    }
    (landing.landed, outcome.err())
}

/// Brings every landed segment to the profile. Answers are the same before, during and after.
fn index(writing: &mut Writing<'_>, plan: &Plan, reporter: &mut Reporter<'_>, cancel: &Cancel) -> Result<()> {
    let counters = Arc::clone(&reporter.stages.index);
    let background = rewrite::BackgroundIndexing { indexers: plan.indexers, counters: &counters };
    let catching_up = background.catch_up(writing, cancel, &mut |revision| reporter.tell(revision, false));
    match catching_up {
        Err(error) if error.kind() == ErrorKind::Cancelled => {}
        outcome => outcome?,
    }
    if !cancel.is_set() {
        // Without the file templates may show another of their ids, and the next import writes it.
        let _ = writing.keep_template_ids(cancel);
    }
    reporter.tell(writing.manifest.revision, true);
    Ok(())
}
