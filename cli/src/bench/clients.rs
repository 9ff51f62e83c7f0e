//! Many ask at once, and while an import runs.

use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use indexer::aggregate::{By, Interval, TimeZone, zone};
use indexer::{Cancel, Case, Direction, ImportOptions, Result};

use super::{AUTOMATIC, BenchRow, BenchRun, HOURLY};

const CLIENTS: usize = 20;

/// Rounds that each client asks all questions in.
const ROUNDS: usize = 3;

/// Rounds that one client asks all questions in, alone and under import, and how long it looks at each answer: an
/// import reads, parses, compresses and writes by turns, and questions are to meet all of it.
const ROUNDS_ALONE: usize = 50;
const LOOK: Duration = Duration::from_millis(5);

/// A question under import may take so many times what it takes alone.
const UNDER_IMPORT: f64 = 3.0;

/// What Rally's tracks of access logs and of measurements ask.
const OPERATIONS: [&str; 10] = [
    "default",
    "term",
    "range",
    "hourly_agg",
    "desc_sort_timestamp",
    "asc_sort_timestamp",
    "auto_date_histogram",
    "auto_date_histogram_with_tz",
    "date_histogram",
    "date_histogram_with_tz",
];

impl BenchRun {
    fn operation(&self, name: &str, run: usize) -> Result<()> {
        match name {
            "term" => self.count(&format!("level:error line>{run}")),
            "range" => {
                self.case.count(&self.snapshot, &self.but_seconds(run), &Cancel::default()).map(|_| ())
            }
            "hourly_agg" => self.over_time(&format!("NOT line:{run}"), HOURLY, TimeZone::UTC),
            "auto_date_histogram" => self.over_time("*", AUTOMATIC, TimeZone::UTC),
            "auto_date_histogram_with_tz" => self.over_time("*", AUTOMATIC, zone("Europe/Berlin")?),
            "date_histogram" => self.over_time("*", HOURLY, TimeZone::UTC),
            "date_histogram_with_tz" => self.over_time("*", HOURLY, zone("Europe/Berlin")?),
            "desc_sort_timestamp" => self.page("*", Direction::NewestFirst, 0.0),
            "asc_sort_timestamp" => self.page("*", Direction::OldestFirst, 0.0),
            _ => self.page("*", Direction::NewestFirst, run as f64 % 97.0 / 100.0),
        }
    }

    fn over_time(&self, query: &str, interval: Interval, zone: TimeZone) -> Result<()> {
        self.aggregate(query, vec![By::Time { interval, zone }], vec![])
    }

    /// Milliseconds that each operation takes while so many clients ask, each in so many rounds with a pause after
    /// every answer, until the flag is set.
    fn asked_by(
        &self,
        clients: usize,
        rounds: usize,
        pause: Duration,
        over: &Cancel,
    ) -> Result<Vec<Vec<f64>>> {
        let mut times = vec![Vec::new(); OPERATIONS.len()];
        thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            for client in 0..clients {
                let sender = sender.clone();
                scope.spawn(move || {
                    for round in 0..rounds {
                        for (index, operation) in OPERATIONS.iter().enumerate() {
                            if over.is_set() {
                                return;
                            }
                            let started = Instant::now();
                            let done = self.operation(operation, 1_000 + (client * rounds + round) * 7);
                            let took = started.elapsed().as_secs_f64() * 1e3;
                            // Nobody listens any more once a question has failed.
                            let _ = sender.send(done.map(|()| (index, took)));
                            thread::sleep(pause);
                        }
                    }
                });
            }
            drop(sender);
            for answer in receiver {
                let (index, took) = answer?;
                times[index].push(took);
            }
            Ok(())
        })
        .map(|()| times)
    }

    /// Each operation alone, and asked by twenty clients at once.
    pub fn clients(&self) -> Result<()> {
        let never = Cancel::default();
        let alone = self.asked_by(1, 9, Duration::ZERO, &never)?;
        let together = self.asked_by(CLIENTS, ROUNDS, Duration::ZERO, &never)?;
        for (operation, (alone, together)) in OPERATIONS.iter().zip(alone.into_iter().zip(together)) {
            let name = format!("{operation}, alone (first) and by {CLIENTS} clients");
            let (first, median) = (place(alone, 0.5), place(together, 0.5));
            self.tell(BenchRow { name, first, median, target: None, floor: 0.0 });
        }
        Ok(())
    }

    /// Each operation while logs are imported into another case: the ninth of ten times.
    pub fn under_import(&self, logs: &[PathBuf], other_case: &Path) -> Result<()> {
        let never = Cancel::default();
        let alone = self.asked_by(1, ROUNDS_ALONE, LOOK, &never)?;
        let (importing, over) = (Cancel::default(), Cancel::default());
        let under = thread::scope(|scope| {
            let import = scope.spawn(|| {
                let done = Case::create(other_case)
                    .and_then(|case| case.import(logs, &ImportOptions::default(), &|_| {}, &importing));
                over.set();
                done.map(drop)
            });
            let under = self.asked_by(1, ROUNDS_ALONE, LOOK, &over);
            importing.set();
            match import.join() {
                Ok(imported) => imported.and(under),
                Err(panicked) => std::panic::resume_unwind(panicked),
            }
        })?;
        for (operation, (alone, under)) in OPERATIONS.iter().zip(alone.into_iter().zip(under)) {
            let (alone, under) = (place(alone, 0.9), place(under, 0.9));
            let name = format!("{operation}, p90 alone (first) and under import");
            let target = Some(alone * UNDER_IMPORT);
            self.tell(BenchRow { name, first: alone, median: under, target, floor: 0.0 });
        }
        Ok(())
    }
}

/// The time at a share of the sorted ones.
fn place(mut times: Vec<f64>, share: f64) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    times.get((times.len() as f64 * share) as usize).copied().unwrap_or(f64::NAN)
}
