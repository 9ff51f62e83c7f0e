//! Many ask at once, and while an import runs.

use std::path::Path;
use std::sync::Mutex;
use std::thread;
use std::time::Instant;

use indexer::aggregate::{By, Interval, TimeZone};
use indexer::{Cancel, Direction, ImportOptions};

use crate::{Bench, Row};

const CLIENTS: usize = 20;

/// Rounds that each client asks all questions in.
const ROUNDS: usize = 3;

/// A question under import may take so many times what it takes alone.
const UNDER_IMPORT: f64 = 3.0;

/// What Rally's track of access logs asks.
const OPERATIONS: [&str; 6] =
    ["default", "term", "range", "hourly_agg", "desc_sort_timestamp", "asc_sort_timestamp"];

impl Bench {
    fn operation(&self, name: &str, run: usize) {
        match name {
            "term" => self.count(&format!("level:error line>{run}")),
            "range" => {
                let view = self.but_seconds(run);
                self.case.count(&self.snapshot, &view, &Cancel::default()).expect("a count");
            }
            "hourly_agg" => {
                let by = By::Time { interval: Interval::Fixed(3_600_000_000_000), zone: TimeZone::UTC };
                self.aggregate(&format!("NOT line:{run}"), vec![by], vec![]);
            }
            "desc_sort_timestamp" => self.page("*", Direction::NewestFirst, 0.0),
            "asc_sort_timestamp" => self.page("*", Direction::OldestFirst, 0.0),
            _ => self.page("*", Direction::NewestFirst, run as f64 % 97.0 / 100.0),
        }
    }

    /// Milliseconds that each operation takes while so many clients ask, until `rounds` are done or the flag is set.
    fn asked_by(&self, clients: usize, rounds: usize, over: &Cancel) -> Vec<Vec<f64>> {
        let times = Mutex::new(vec![Vec::new(); OPERATIONS.len()]);
        thread::scope(|scope| {
            for client in 0..clients {
                let times = &times;
                scope.spawn(move || {
                    for round in 0..rounds {
                        for (index, operation) in OPERATIONS.iter().enumerate() {
                            if over.is_set() {
                                return;
                            }
                            let started = Instant::now();
                            self.operation(operation, 1_000 + (client * rounds + round) * 7);
                            let took = started.elapsed().as_secs_f64() * 1e3;
                            times.lock().expect("no client panics")[index].push(took);
                        }
                    }
                });
            }
        });
        times.into_inner().expect("no client panics")
    }

    /// Each operation alone, and asked by twenty clients at once.
    pub fn clients(&self) {
        let never = Cancel::default();
        let alone = self.asked_by(1, 9, &never);
        let together = self.asked_by(CLIENTS, ROUNDS, &never);
        for (operation, (alone, together)) in OPERATIONS.iter().zip(alone.into_iter().zip(together)) {
            let (alone, together) = (place(alone, 0.5), place(together, 0.5));
            let name = format!("{operation}, alone (first) and by {CLIENTS} clients");
            self.tell(Row { name, first: alone, median: together, target: None, floor: 0.0 });
        }
    }

    /// Each operation while a log is imported into the same case: the ninth of ten times.
    pub fn under_import(&self, path: &Path, log: &Path) -> indexer::Result<()> {
        let never = Cancel::default();
        let alone = self.asked_by(1, 20, &never);
        let (importing, over) = (Cancel::default(), Cancel::default());
        let under = thread::scope(|scope| {
            let import = scope.spawn(|| {
                // A case beside it, so that this one is asked the same again and again.
                let beside = path.with_extension("beside.case");
                let done = indexer::Case::create(&beside).and_then(|case| {
                    case.import(&[log.to_path_buf()], &ImportOptions::default(), &|_| {}, &importing)
                });
                over.set();
                let _ = std::fs::remove_dir_all(&beside);
                done.map(drop)
            });
            let under = self.asked_by(1, 20, &over);
            importing.set();
            import.join().expect("no import panics").map(|()| under)
        })?;
        for (operation, (alone, under)) in OPERATIONS.iter().zip(alone.into_iter().zip(under)) {
            let (alone, under) = (place(alone, 0.9), place(under, 0.9));
            let name = format!("{operation}, p90 alone (first) and under import");
            self.tell(Row {
                name,
                first: alone,
                median: under,
                target: Some(alone * UNDER_IMPORT),
                floor: 0.0,
            });
        }
        Ok(())
    }
}

/// The time at a share of the sorted ones.
fn place(mut times: Vec<f64>, share: f64) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    times.get((times.len() as f64 * share) as usize).copied().unwrap_or(f64::NAN)
}
