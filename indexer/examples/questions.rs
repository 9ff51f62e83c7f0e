//! How fast questions are answered: `questions CASE` asks a case of access logs or of JSON lines (made by
//! `fixtures/generate` or alike) what the screen asks, and prints the median of warm runs beside the target,
//! scaled to the case's size, and beside the least that a plain loop over memory takes on this machine.
//!
//! Constants differ from run to run, so that no answer is one that was kept.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use indexer::aggregate::{By, Interval, Measure, Request, TermOrder, TimeZone};
use indexer::{Cancel, Case, Direction, Snapshot, View};

const RUNS: usize = 9;
const HOUR: i64 = 3_600_000_000_000;

struct Bench {
    case: Case,
    snapshot: std::sync::Arc<Snapshot>,
    /// This case's events to those that the targets are for.
    scale: f64,
}

/// Milliseconds a plain loop takes, over as many rows, on all cores.
struct Floor {
    bytes: f64,
    words: f64,
}

#[allow(clippy::print_stdout)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: questions CASE")?;
    let case = Case::open(Path::new(&path))?;
    let snapshot = case.snapshot();
    let json = Case::field_names(&snapshot).iter().any(|name| name == "trace_id");
    let whole = if json { 5e6 } else { 10e6 };
    let bench = Bench { scale: snapshot.events() as f64 / whole, case, snapshot };
    let floor = Floor::measure(bench.snapshot.events() as usize);
    println!("{} events, {} segments", bench.snapshot.events(), bench.snapshot.indexed().1);
    println!("{:44} {:>9} {:>9} {:>9} {:>9}", "milliseconds", "first", "median", "target", "floor");
    if json { bench.json(&floor) } else { bench.access(&floor) }
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
    #[allow(clippy::print_stdout)]
    fn row(&self, name: &str, target: f64, floor: f64, ask: impl Fn(usize)) {
        let once = |run: usize| {
            let started = Instant::now();
            ask(run);
            started.elapsed().as_secs_f64() * 1e3
        };
        let first = once(0);
        let mut times: Vec<f64> = (1..=RUNS).map(once).collect();
        times.sort_unstable_by(f64::total_cmp);
        let (median, target) = (times[RUNS / 2], (target * self.scale).max(target * 0.05));
        let verdict = if median <= target { "" } else { "  over" };
        println!("{name:44} {first:9.1} {median:9.2} {target:9.2} {floor:9.2}{verdict}");
    }

    fn count(&self, query: &str) {
        let never = Cancel::default();
        black_box(self.case.count(&self.snapshot, &view(query), &never).expect("a count"));
    }

    fn page(&self, query: &str, direction: Direction, share: f64) {
        let (view, never) = (view(query), Cancel::default());
        let total = self.case.count(&self.snapshot, &view, &never).expect("a count");
        let rows = ((total as f64 * share) as usize, 100);
        black_box(self.case.page(&self.snapshot, &view, direction, rows, 1_000, &never).expect("a page"));
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
            let page = self.case.page(&self.snapshot, &view, Direction::OldestFirst, rows, 10, &never);
            let event = &page.expect("a page").events[0];
            let (_, fields) =
                self.case.event(&self.snapshot, event.source, event.offset, 10).expect("an event");
            fields.into_iter().find(|found| found.name == field).map(|found| found.value)
        };
        at.filter_map(value).collect()
    }

    fn access(&self, floor: &Floor) -> Result<(), Box<dyn std::error::Error>> {
        let addresses = self.values("client_ip");
        let statuses = ["500", "404", "301", "200"];
        self.row("one IP, whole row", 4.0, 0.0, |run| {
            self.page(
                &format!("client_ip:{}", addresses[run % addresses.len()]),
                Direction::OldestFirst,
                0.0,
            );
        });
        self.row("one IP, typed as plain text", 4.0, 0.0, |run| {
            self.page(&addresses[run % addresses.len()], Direction::OldestFirst, 0.0);
        });
        self.row("count of a status", 2.0, floor.bytes, |run| {
            self.count(&format!("status:{} bytes>{run}", statuses[run % 4]));
        });
        self.row("substring in referer", 60.0, 0.0, |run| {
            self.count(&format!("referer:*alker-{}*", 40 + run));
        });
        self.row("wildcard on agent", 20.0, 0.0, |run| {
            self.count(&format!("user_agent:*Firefox/1?.?{run}*"));
        });
        self.shared(floor, "status", "bytes", |run| {
            format!("status:{} bytes>{}", statuses[run % 4], run * 10)
        })?;
        self.row("top 10 of path", 10.0, floor.words, |run| self.top("path", run));
        self.row("top 10 of referer", 30.0, floor.words, |run| self.top("referer", run));
        Ok(())
    }

    fn json(&self, floor: &Floor) -> Result<(), Box<dyn std::error::Error>> {
        let traces = self.values("trace_id");
        let services = self.values("service");
        let levels = ["error", "warn", "info", "debug"];
        self.row("trace id", 4.0, 0.0, |run| {
            self.page(&format!("trace_id:{}", traces[run % traces.len()]), Direction::OldestFirst, 0.0);
        });
        self.row("level and service", 2.0, floor.bytes, |run| {
            self.count(&format!(
                "level:{} service:{} duration_ms>{run}",
                levels[run % 4],
                services[run % services.len()]
            ));
        });
        self.row("substring in message", 90.0, 0.0, |run| {
            self.count(&format!("message:*eer from up{}*", &"stream"[..run.min(6)]));
        });
        self.row("phrase", 15.0, 0.0, |run| {
            self.count(["\"connection reset by peer\"", "\"lags behind\"", "\"is at 33 percent\""][run % 3]);
        });
        self.row("common word", 2.0, 0.0, |run| {
            self.count(["upstream", "user", "request", "from", "after", "of"][run % 6]);
        });
        self.shared(floor, "service", "duration_ms", |run| {
            format!("level:{} duration_ms>{run}", levels[run % 4])
        })?;
        self.row("top 10 of host", 5.0, floor.words, |run| self.top("host", run));
        Ok(())
    }

    /// Top 10 within a range that differs from run to run, so that whole segments and parts are counted.
    fn top(&self, field: &str, run: usize) {
        let by = By::Terms { field: field.to_owned(), top: 10, order: TermOrder::Most };
        let (first, last) = self.snapshot.time_range().expect("times");
        let view = View { from: Some(first + run as i64 * 1_000_000_000), to: Some(last), ..view("*") };
        let request = Request { by: vec![by], measures: vec![] };
        let answer = self.case.aggregate(&self.snapshot, &view, &request, &mut |_, _| {}, &Cancel::default());
        black_box(answer.expect("an answer"));
    }

    fn shared(
        &self,
        floor: &Floor,
        group: &str,
        number: &str,
        filter: impl Fn(usize) -> String,
    ) -> Result<(), Box<dyn std::error::Error>> {
        let hourly = || By::Time { interval: Interval::Fixed(HOUR), zone: TimeZone::UTC };
        let berlin = indexer::aggregate::zone("Europe/Berlin")?;
        let terms = || By::Terms { field: group.to_owned(), top: 50, order: TermOrder::Most };
        let percentiles = || Measure::Percentiles { field: number.to_owned(), at: vec![50.0, 95.0, 99.0] };
        let above = |run: usize| format!("{number}>{}", run as f64 / 8.0);
        self.row("hourly, unfiltered", 1.0, floor.words, |_| self.aggregate("*", vec![hourly()], vec![]));
        self.row("hourly, filtered", 10.0, floor.words, |run| {
            self.aggregate(&filter(run), vec![hourly()], vec![]);
        });
        self.row("hourly, in a zone", 10.0, floor.words, |run| {
            let by = By::Time { interval: Interval::Fixed(HOUR), zone: berlin.clone() };
            self.aggregate(&filter(run), vec![by], vec![]);
        });
        self.row("hourly by group", 12.0, floor.words, |run| {
            self.aggregate(if run % 2 == 0 { "*" } else { "NOT line:7" }, vec![hourly(), terms()], vec![]);
        });
        self.row("percentiles, overall", 25.0, floor.words, |run| {
            self.aggregate(&above(run), vec![], vec![percentiles()]);
        });
        self.row("percentiles by group", 40.0, floor.words * 2.0, |run| {
            self.aggregate(&above(run), vec![terms()], vec![percentiles()]);
        });
        self.row("percentiles per hour", 60.0, floor.words * 2.0, |run| {
            self.aggregate(&above(run), vec![hourly()], vec![percentiles()]);
        });
        self.row("newest 100", 2.0, 0.0, |_| self.page("*", Direction::NewestFirst, 0.0));
        self.row("a page anywhere", 20.0, 0.0, |run| {
            self.page("*", Direction::NewestFirst, run as f64 / 11.0);
        });
        self.row("a page anywhere, filtered", 20.0, 0.0, |run| {
            self.page(&filter(run), Direction::OldestFirst, run as f64 / 11.0);
        });
        Ok(())
    }
}
