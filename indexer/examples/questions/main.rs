//! How fast questions are answered: `questions CASE [--json] [LOG]` asks a case of access logs or of JSON lines
//! (made by `fixtures/generate` or alike) what the screen asks, and prints the first run, for which nothing is in
//! memory yet, and the median of warm ones, beside the target, scaled to the case's size, and beside the least
//! that a plain loop over memory takes on this machine. With a log it also asks while that is imported.
//!
//! Constants differ from run to run, so that no answer is one that was kept.

mod access;
mod clients;
mod json;
mod shared;

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Instant;

use indexer::aggregate::{By, FacetsRequest, Measure, Request, TermOrder};
use indexer::{Cancel, Case, Direction, PatternOptions, RunOptions, Shown, Snapshot, SortBy, View};

const RUNS: usize = 9;

struct Bench {
    case: Case,
    snapshot: std::sync::Arc<Snapshot>,
    /// This case's events to those that the targets are for.
    scale: f64,
    rows: Mutex<Vec<Row>>,
}

/// One line of the table, in milliseconds.
#[derive(serde::Serialize)]
struct Row {
    name: String,
    /// The first run: what it needs is read from disk and unpacked.
    first: f64,
    median: f64,
    /// Nothing where only a comparison is wanted.
    target: Option<f64>,
    floor: f64,
}

/// Milliseconds a plain loop takes, over as many rows, on all cores.
struct Floor {
    bytes: f64,
    words: f64,
}

#[allow(clippy::print_stdout)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let as_json = arguments.iter().any(|argument| argument == "--json");
    arguments.retain(|argument| argument != "--json");
    let path = arguments.first().ok_or("usage: questions CASE [--json] [LOG]")?;
    let log = arguments.get(1).map(PathBuf::from);
    let case = Case::open(Path::new(path))?;
    let snapshot = case.snapshot();
    let json = Case::field_names(&snapshot).iter().any(|name| name == "trace_id");
    let whole = if json { 5e6 } else { 10e6 };
    let scale = snapshot.events() as f64 / whole;
    let bench = Bench { scale, case, snapshot, rows: Mutex::default() };
    let floor = Floor::measure(bench.snapshot.events() as usize);
    if json {
        bench.json(&floor);
    } else {
        bench.access(&floor);
    }
    bench.clients();
    if let Some(log) = log {
        bench.under_import(Path::new(path), &log)?;
    }
    let rows = std::mem::take(&mut *bench.rows.lock().expect("no row panics"));
    if as_json {
        println!("{}", serde_json::to_string(&rows)?);
        return Ok(());
    }
    println!("{} events, {} segments", bench.snapshot.events(), bench.snapshot.indexed().1);
    println!("{:44} {:>9} {:>9} {:>9} {:>9}", "milliseconds", "first", "median", "target", "floor");
    for Row { name, first, median, target, floor } in rows {
        let verdict = if target.is_some_and(|target| median > target) { "  over" } else { "" };
        let target = target.map_or_else(String::new, |target| format!("{target:.2}"));
        println!("{name:44} {first:9.1} {median:9.2} {target:>9} {floor:9.2}{verdict}");
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

fn view(query: &str) -> View {
    View::parse(query, None, None).unwrap_or_else(|error| panic!("{query}: {error}"))
}

impl Bench {
    fn row(&self, name: &str, target: impl Into<Option<f64>>, floor: f64, ask: impl Fn(usize)) {
        let once = |run: usize| {
            let started = Instant::now();
            ask(run);
            started.elapsed().as_secs_f64() * 1e3
        };
        let first = once(0);
        let mut times: Vec<f64> = (1..=RUNS).map(once).collect();
        times.sort_unstable_by(f64::total_cmp);
        // What is looked up costs the same however many events there are, but for a part.
        let target = target.into().map(|target| (target * self.scale).max(target * 0.05));
        self.tell(Row { name: name.to_owned(), first, median: times[RUNS / 2], target, floor });
    }

    fn tell(&self, row: Row) {
        self.rows.lock().expect("no row panics").push(row);
    }

    fn count(&self, query: &str) {
        let never = Cancel::default();
        black_box(self.case.count(&self.snapshot, &view(query), &never).expect("a count"));
    }

    fn page(&self, query: &str, direction: Direction, share: f64) {
        let (view, never) = (view(query), Cancel::default());
        let total = self.case.count(&self.snapshot, &view, &never).expect("a count");
        let rows = ((total as f64 * share) as usize, 100);
        let shown = Shown::text(1_000);
        black_box(self.case.page(&self.snapshot, &view, direction, rows, &shown, &never).expect("a page"));
    }

    fn aggregate(&self, query: &str, by: Vec<By>, measures: Vec<Measure>) {
        let request = Request { by, measures };
        let view = view(query);
        let answer = self.case.aggregate(&self.snapshot, &view, &request, &mut |_, _| {}, &Cancel::default());
        black_box(answer.expect("an answer"));
    }

    /// Values of a field, taken from all over the case.
    fn values(&self, field: &str) -> Vec<String> {
        let never = Cancel::default();
        let total = self.snapshot.events() as usize;
        let at = (0..=RUNS).map(|run| (total / (RUNS + 2) * (run + 1), 1));
        let value = |rows| {
            let view = view("*");
            let shown = Shown::text(10);
            let page = self.case.page(&self.snapshot, &view, Direction::OldestFirst, rows, &shown, &never);
            let event = &page.expect("a page").events[0];
            let (_, fields) =
                self.case.event(&self.snapshot, event.source, event.offset, 10).expect("an event");
            fields.into_iter().find(|found| found.name == field).map(|found| found.value)
        };
        at.filter_map(value).collect()
    }

    /// Top 10 within a range that differs from run to run, so that whole segments and parts are counted.
    fn top(&self, field: &str, run: usize) {
        let by = By::Terms { field: field.to_owned(), top: 10, order: TermOrder::Most };
        let request = Request { by: vec![by], measures: vec![] };
        let view = self.but_seconds(run);
        let answer = self.case.aggregate(&self.snapshot, &view, &request, &mut |_, _| {}, &Cancel::default());
        black_box(answer.expect("an answer"));
    }

    /// Everything but the first seconds.
    fn but_seconds(&self, seconds: usize) -> View {
        let (first, last) = self.snapshot.time_range().expect("times");
        View { from: Some(first + seconds as i64 * 1_000_000_000), to: Some(last), ..view("*") }
    }

    fn facets(&self, view: &View) {
        let request = FacetsRequest { fields: Vec::new(), top: 10, buckets: 60 };
        let never = Cancel::default();
        black_box(self.case.facets(&self.snapshot, view, &request, &mut |_, _| {}, &never).expect("facets"));
    }

    fn sorted(&self, query: &str, field: &str, share: f64) {
        let (view, never) = (view(query), Cancel::default());
        let sort = SortBy { field: field.to_owned(), descending: true };
        let rows = ((self.snapshot.events() as f64 * share) as usize, 100);
        black_box(
            self.case
                .page_by(&self.snapshot, &view, &sort, rows, &Shown::text(1_000), &never)
                .expect("a page"),
        );
    }

    fn patterns(&self, query: &str) {
        let (view, never, options) = (view(query), Cancel::default(), PatternOptions::default());
        let patterns = self.case.patterns(&self.snapshot, &view, &options, &mut |_, _| {}, &never);
        black_box(patterns.expect("patterns"));
    }

    fn pipe(&self, query: &str) {
        let parsed = indexer::query::parse_query(query).unwrap_or_else(|error| panic!("{query}: {error:?}"));
        let (options, never) = (RunOptions::default(), Cancel::default());
        let table = self.case.run(&self.snapshot, &parsed, (None, None), &options, &mut |_| {}, &never);
        black_box(table.unwrap_or_else(|error| panic!("{query}: {error}")));
    }
}
