//! `timberline bench`: how fast logs become a case, and how fast a case answers what the screen asks.
//!
//! For each query: the first run, with nothing in memory yet, and the median of warm ones, next to
//! the target for ten million access lines or five million JSON lines, scaled to the case's size, and next to the
//! least that a plain loop over memory takes on this machine. Constants differ from run to run, so that no answer
//! is one that was kept.

mod access;
mod clients;
mod detectors;
mod json;
mod shared;

use std::hint::black_box;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use indexer::aggregate::{By, FacetsRequest, Interval, Measure, Request, TermOrder};
use indexer::{
    Cancel, Case, Direction, Engine, Error, ErrorKind, FieldKind, FileAccess, ImportOptions, PatternOptions,
    Result, RunOptions, Shown, Snapshot, SortBy, SqlOptions, Table, View,
};

use crate::Outcome;
use crate::args;
use crate::out;
use shared::Fields;

const RUNS: usize = 9;

/// A field of at most so many values is one to group by.
const FEW_VALUES: u64 = 1_000;

/// What events are counted by over time.
const HOURLY: Interval = Interval::Fixed(3_600_000_000_000);
const AUTOMATIC: Interval = Interval::Auto(100);

struct BenchRun {
    case: Case,
    snapshot: Arc<Snapshot>,
    /// This case's events to those that the targets are for.
    scale: f64,
    /// Where files that are joined lie.
    folder: PathBuf,
    rows: Mutex<Vec<BenchRow>>,
}

/// One line of the table, in milliseconds.
#[derive(serde::Serialize)]
struct BenchRow {
    name: String,
    /// The first run: what it needs is read from disk and unpacked.
    first: f64,
    median: f64,
    /// Nothing where only a comparison is wanted.
    target: Option<f64>,
    floor: f64,
}

/// How logs became a case.
#[derive(serde::Serialize)]
struct Imported {
    events: u64,
    bytes_in: u64,
    bytes_on_disk: u64,
    landed_seconds: f64,
    indexed_seconds: f64,
}

#[derive(serde::Serialize)]
struct BenchReport {
    /// Nothing where a case was given.
    imported: Option<Imported>,
    events: u64,
    questions: Vec<BenchRow>,
}

/// Milliseconds a plain loop takes, over as many rows, on all cores.
struct Floor {
    bytes: f64,
    words: f64,
}

pub fn run(arguments: &args::Bench) -> anyhow::Result<Outcome> {
    let scratch = tempfile::tempdir()?;
    let (case, imported, logs) = match arguments.paths.as_slice() {
        [case, logs @ ..] if case.join("case.json").exists() => (Case::open(case)?, None, logs),
        logs => {
            let (case, imported) = import(logs, &scratch.path().join("logs.case"))?;
            (case, Some(imported), logs)
        }
    };
    let snapshot = case.snapshot();
    let events = snapshot.events();
    let bench =
        BenchRun { scale: 1.0, case, snapshot, folder: scratch.path().to_owned(), rows: Mutex::default() };
    let questions = bench.ask_all(logs, &scratch.path().join("other.case"))?;
    let report = BenchReport { imported, events, questions };
    let mut stdout = out::stdout();
    if arguments.json {
        out::json(&mut stdout, &report)?;
    } else {
        print(&report, &mut stdout)?;
    }
    stdout.flush()?;
    Ok(Outcome::Done)
}

fn import(logs: &[PathBuf], place: &Path) -> Result<(Case, Imported)> {
    let case = Case::create(place)?;
    let done = case.import(logs, &ImportOptions::default(), &|_| {}, &Cancel::default())?;
    if let Some(error) = done.failure {
        return Err(error);
    }
    let imported = Imported {
        events: done.events,
        bytes_in: done.bytes_in,
        bytes_on_disk: done.bytes_on_disk,
        landed_seconds: done.landed.as_secs_f64(),
        indexed_seconds: done.indexed.as_secs_f64(),
    };
    Ok((case, imported))
}

fn print(report: &BenchReport, out: &mut dyn Write) -> std::io::Result<()> {
    if let Some(Imported { events, bytes_in, bytes_on_disk, landed_seconds, indexed_seconds }) =
        &report.imported
    {
        let megabytes = *bytes_in as f64 / 1e6;
        let rate = megabytes / landed_seconds.max(1e-9);
        writeln!(
            out,
            "{events} events of {megabytes:.0} MB: in view after {landed_seconds:.2} s ({rate:.0} MB/s),"
        )?;
        let share = *bytes_on_disk as f64 / (*bytes_in as f64).max(1.0);
        writeln!(out, "all done after {indexed_seconds:.2} s, {share:.3} of their size on disk")?;
    }
    writeln!(out, "{:52} {:>9} {:>9} {:>9} {:>9}", "milliseconds", "first", "median", "target", "floor")?;
    for BenchRow { name, first, median, target, floor } in &report.questions {
        let verdict = if target.is_some_and(|target| *median > target) { "  over" } else { "" };
        let target = target.map_or_else(String::new, |target| format!("{target:.2}"));
        writeln!(out, "{name:52} {first:9.1} {median:9.2} {target:>9} {floor:9.2}{verdict}")?;
    }
    Ok(())
}

impl Floor {
    fn measure(rows: usize) -> Floor {
        let bytes: Vec<u8> = (0..rows).map(|row| (row * 31 % 251) as u8).collect();
        let words: Vec<u32> = (0..rows).map(|row| (row * 31 % 50_000) as u32).collect();
        let least = |work: &(dyn Fn(usize) + Sync)| {
            let once = || {
                let started = Instant::now();
                std::thread::scope(|scope| {
                    (0..2).for_each(|half| {
                        scope.spawn(move || work(half));
                    });
                });
                started.elapsed().as_secs_f64() * 1e3
            };
            (0..9).map(|_| once()).fold(f64::MAX, f64::min)
        };
        let half = |half: usize| half * rows / 2..(half + 1) * rows / 2;
        Floor {
            bytes: least(&|part| {
                black_box(bytes[half(part)].iter().map(|&byte| u32::from(byte == 7)).sum::<u32>());
            }),
            words: least(&|part| {
                let mut counts = vec![0_u32; 1 << 16];
                words[half(part)].iter().for_each(|&word| counts[word as usize] += 1);
                black_box(counts);
            }),
        }
    }
}

fn view(query: &str) -> Result<View> {
    View::parse(query, None, None)
}

impl BenchRun {
    /// All that apply to this case; those under import if there are logs to import meanwhile.
    fn ask_all(mut self, logs: &[PathBuf], other_case: &Path) -> Result<Vec<BenchRow>> {
        let known = Engine::fields(&self.snapshot);
        let has = |name: &str| known.iter().any(|field| field.name == name);
        let (access, json) = (has("client_ip") && has("user_agent"), has("trace_id") && has("message"));
        let events = self.snapshot.events() as f64;
        self.scale = if json { events / 5e6 } else { events / 10e6 };
        let floor = Floor::measure(events as usize);
        if access {
            self.access(&floor)?;
        } else if json {
            self.json(&floor)?;
        }
        let is_number = |kind: &FieldKind| matches!(kind, FieldKind::Int | FieldKind::Float);
        let mut numbers = known.iter().filter(|field| field.kinds.iter().all(is_number));
        let number = ["bytes", "duration_ms"].into_iter().find(|name| has(name));
        let number = number.or_else(|| numbers.next().map(|field| field.name.as_str())).unwrap_or("line");
        let preferred = ["status", "service"].into_iter().filter(|name| has(name));
        let others = known.iter().map(|field| field.name.as_str()).filter(|name| *name != number);
        let mut groups = preferred.chain(others).map(|name| Ok((name, self.few(name)?)));
        let group =
            groups.find_map(|found: Result<_>| found.map(|(name, few)| few.then_some(name)).transpose());
        let group = group.transpose()?.unwrap_or("level");
        let values = self.values(group)?;
        let fields = Fields { group, number, values: &values };
        self.calculations(&floor, &fields)?;
        self.pages(&floor, &fields)?;
        self.tables(&floor, &fields)?;
        let key = ["path", "host"].into_iter().find(|name| has(name)).unwrap_or(group);
        self.large_tables(&floor, &fields, key)?;
        self.detectors(&floor, group)?;
        self.clients()?;
        if !logs.is_empty() {
            self.file_scan(logs)?;
            self.under_import(logs, other_case)?;
        }
        Ok(self.rows.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether a field has several values, and not many.
    fn few(&self, field: &str) -> Result<bool> {
        let request = FacetsRequest { fields: vec![field.to_owned()], top: 1, buckets: 1, edges: None };
        let facets =
            self.case.facets(&self.snapshot, &view("*")?, &request, &mut |_, _| {}, &Cancel::default())?;
        let distinct = facets.fields.first().and_then(|facet| facet.distinct);
        Ok(distinct.is_some_and(|distinct| (2..FEW_VALUES).contains(&distinct)))
    }

    fn row(
        &self,
        name: &str,
        target: impl Into<Option<f64>>,
        floor: f64,
        ask: impl Fn(usize) -> Result<()>,
    ) -> Result<()> {
        let once = |run: usize| {
            let started = Instant::now();
            ask(run).map(|()| started.elapsed().as_secs_f64() * 1e3)
        };
        let first = once(0)?;
        let mut times = (1..=RUNS).map(once).collect::<Result<Vec<f64>>>()?;
        times.sort_unstable_by(f64::total_cmp);
        // What is looked up costs the same however many events there are, but for a part.
        let target = target.into().map(|target| (target * self.scale).max(target * 0.05));
        self.tell(BenchRow { name: name.to_owned(), first, median: times[RUNS / 2], target, floor });
        Ok(())
    }

    fn tell(&self, row: BenchRow) {
        out::progress(&row.name);
        self.rows.lock().unwrap_or_else(PoisonError::into_inner).push(row);
    }

    fn count(&self, query: &str) -> Result<()> {
        black_box(self.case.count(&self.snapshot, &view(query)?, &Cancel::default())?);
        Ok(())
    }

    fn page(&self, query: &str, direction: Direction, share: f64) -> Result<()> {
        let (view, never) = (view(query)?, Cancel::default());
        let total = self.case.count(&self.snapshot, &view, &never)?;
        let rows = ((total as f64 * share) as usize, 100);
        black_box(self.case.page(&self.snapshot, &view, direction, rows, &Shown::text(1_000), &never)?);
        Ok(())
    }

    fn aggregate(&self, query: &str, by: Vec<By>, measures: Vec<Measure>) -> Result<()> {
        self.aggregate_view(&view(query)?, by, measures)
    }

    fn aggregate_view(&self, view: &View, by: Vec<By>, measures: Vec<Measure>) -> Result<()> {
        let request = Request { by, measures };
        black_box(self.case.aggregate(&self.snapshot, view, &request, &mut |_, _| {}, &Cancel::default())?);
        Ok(())
    }

    /// Values of a field, taken from all over the case.
    fn values(&self, field: &str) -> Result<Vec<String>> {
        let (all, never) = (view("*")?, Cancel::default());
        let total = self.snapshot.events() as usize;
        let mut values = Vec::new();
        for run in 0..=RUNS {
            let rows = (total / (RUNS + 2) * (run + 1), 1);
            let page = self.case.page(
                &self.snapshot,
                &all,
                Direction::OldestFirst,
                rows,
                &Shown::text(10),
                &never,
            )?;
            let Some(event) = page.events.first() else { continue };
            let (_, fields) = self.case.event(&self.snapshot, event.source, event.offset, 10)?;
            values.extend(fields.into_iter().find(|found| found.name == field).map(|found| found.value));
        }
        if values.is_empty() && field != "level" {
            let message = format!("no event looked at has the field `{field}`");
            return Err(Error::new(ErrorKind::BadRequest, message));
        }
        Ok(values)
    }

    /// Top 10 within a range that differs from run to run, so that whole segments and parts are counted.
    fn top(&self, field: &str, run: usize) -> Result<()> {
        let by = By::Terms { field: field.to_owned(), top: 10, order: TermOrder::Most };
        self.aggregate_view(&self.but_seconds(run), vec![by], vec![])
    }

    /// Everything but the first seconds.
    fn but_seconds(&self, seconds: usize) -> View {
        let (first, last) = self.snapshot.time_range().unwrap_or_default();
        let from = Some(first + seconds as i64 * 1_000_000_000);
        View { filter: indexer::query::Filter::Everything, from, to: Some(last) }
    }

    fn facets(&self, view: &View) -> Result<()> {
        let request = FacetsRequest { fields: Vec::new(), top: 10, buckets: 60, edges: None };
        black_box(self.case.facets(&self.snapshot, view, &request, &mut |_, _| {}, &Cancel::default())?);
        Ok(())
    }

    fn sorted(&self, query: &str, field: &str, share: f64) -> Result<()> {
        let sort = SortBy { field: field.to_owned(), descending: true };
        let rows = ((self.snapshot.events() as f64 * share) as usize, 100);
        let (shown, never) = (Shown::text(1_000), Cancel::default());
        black_box(self.case.page_by(&self.snapshot, &view(query)?, &sort, rows, &shown, &never)?);
        Ok(())
    }

    fn patterns(&self, query: &str) -> Result<()> {
        let (options, never) = (PatternOptions::default(), Cancel::default());
        black_box(self.case.patterns(&self.snapshot, &view(query)?, &options, &mut |_, _| {}, &never)?);
        Ok(())
    }

    fn pipe(&self, query: &str) -> Result<()> {
        black_box(self.table(query)?);
        Ok(())
    }

    fn table(&self, query: &str) -> Result<Table> {
        let parsed = indexer::query::parse_query(query)?;
        let options = RunOptions { files: FileAccess::everywhere(&self.folder), ..RunOptions::default() };
        self.case.run(&self.snapshot, &parsed, (None, None), &options, &mut |_| {}, &Cancel::default())
    }

    fn sql(&self, statement: &str) -> Result<()> {
        let options = SqlOptions::default();
        black_box(self.case.sql(&self.snapshot, statement, &options, &Cancel::default())?);
        Ok(())
    }
}
