//! Questions to logs of any kind.

use std::fs::File;
use std::hint::black_box;
use std::io;
use std::path::PathBuf;
use std::time::Instant;

use indexer::aggregate::{By, Interval, Measure, TermOrder, TimeZone, zone};
use indexer::compare::{Comparison, ROWS};
use indexer::links::Spot;
use indexer::seismograph::SeismographOptions;
use indexer::{Around, Cancel, Direction, Engine, Error, ErrorKind, Result, Shown, View, scan_files};

use super::{AUTOMATIC, BenchRun, Floor, HOURLY, view};

/// The rows of the table that events are joined with.
const JOINED_KEYS: usize = 1_000;

/// A field of few values and one of many numbers.
pub struct Fields<'a> {
    pub group: &'a str,
    pub number: &'a str,
    /// Values of the group.
    pub values: &'a [String],
}

impl Fields<'_> {
    /// Differs from run to run, so that no answer is one that was kept.
    fn filter(&self, run: usize) -> String {
        let value = self.values.get(run % self.values.len().max(1)).map_or("*", String::as_str);
        format!("{}:\"{value}\" {}>{}", self.group, self.number, run * 10)
    }
}

impl BenchRun {
    pub fn pages(&self, floor: &Floor, fields: &Fields<'_>) -> Result<()> {
        self.row("newest 100", 2.0, 0.0, |_| self.page("*", Direction::NewestFirst, 0.0))?;
        self.row("oldest 100", 2.0, 0.0, |_| self.page("*", Direction::OldestFirst, 0.0))?;
        self.row("a page anywhere", 20.0, 0.0, |run| {
            self.page("*", Direction::NewestFirst, run as f64 / 11.0)
        })?;
        self.row("a page anywhere, filtered", 20.0, 0.0, |run| {
            self.page(&fields.filter(run + 100), Direction::OldestFirst, run as f64 / 11.0)
        })?;
        self.row("a page anywhere, sorted by a number", 20.0, floor.words, |run| {
            self.sorted("*", fields.number, run as f64 / 11.0)
        })?;
        self.row("a page anywhere, filtered and sorted", 20.0, floor.words, |run| {
            self.sorted(&fields.filter(run + 200), fields.number, run as f64 / 110.0)
        })?;
        self.row("context: 50 before and after", None, 0.0, |run| self.context(run))
    }

    pub fn tables(&self, floor: &Floor, fields: &Fields<'_>) -> Result<()> {
        let Fields { group, number, .. } = fields;
        let pipe = |name: &str, query: &dyn Fn(usize) -> String| {
            self.row(name, None, floor.words, |run| self.pipe(&query(run)))
        };
        pipe("pipe: sort, limit", &|run| {
            format!("{} | sort -{number} | limit {}", fields.filter(run + 300), 100 + run)
        })?;
        pipe("pipe: sort all, limit", &|run| format!("* | sort -{number}, {group} | limit {}", 100 + run))?;
        let timed = |name: String, target: Option<f64>, query: &dyn Fn(usize) -> String| {
            self.row(&name, target, floor.words, |run| self.pipe(&query(run)))
        };
        timed(format!("pipe: stats count by {group}"), Some(10.0), &|run| {
            format!("* | stats count by {group} | where count > {run}")
        })?;
        timed(format!("pipe: stats count by {group}, filtered"), None, &|run| {
            format!("{} | stats count by {group}", fields.filter(run + 500))
        })?;
        timed(format!("pipe: percentiles of {number} by {group}"), Some(40.0), &|run| {
            format!("* | stats p50({number}), p95({number}), p99({number}) by {group} | limit {}", 10 + run)
        })?;
        timed(format!("pipe: timechart count by {group}"), Some(12.0), &|run| {
            format!("* | timechart count by {group} | limit {}", 100 + run)
        })?;
        timed(format!("pipe: sort -{number}, limit 100"), Some(40.0), &|run| {
            format!("* | sort -{number} | limit {}", 100 + run)
        })?;
        pipe("pipe: stats by", &|run| {
            format!("* | stats count, sum({number}), max({number}) by {group} | where count > {run}")
        })?;
        pipe("pipe: percentiles by", &|run| {
            format!("* | stats p50({number}), p95({number}) by {group} | limit {}", 10 + run)
        })?;
        pipe("pipe: timechart", &|run| {
            format!("* | timechart span=1h count by {group} | limit {}", 100 + run)
        })
    }

    /// What polars and the stages of a pipe calculate from rows, and an aggregation of SQL.
    pub fn large_tables(&self, floor: &Floor, fields: &Fields<'_>, key: &str) -> Result<()> {
        let Fields { group, number, .. } = fields;
        let keys = self.table(&format!("* | top {JOINED_KEYS} {key}"))?;
        let row = |row: usize| {
            format!("{}\n", serde_json::json!({key: keys.cell(row, 0).to_string(), "team": row % 7}))
        };
        let file = self.folder.join("keys.ndjson");
        let written = std::fs::write(&file, (0..keys.rows()).map(row).collect::<String>());
        written.map_err(|error| Error::writing(&file, &error))?;
        let timed = |name: &str, target: f64, query: &dyn Fn(usize) -> String| {
            self.row(name, target, floor.words, |run| self.pipe(&query(run)))
        };
        timed("pipe: eval, where, stats", 90.0, &|run| {
            format!("* | eval kb = {number} / 1024 | where kb > 4.9{run} | stats avg(kb) by {group}")
        })?;
        timed(&format!("pipe: join with {} keys, stats", keys.rows()), 250.0, &|run| {
            format!("* | join on {key} \"keys.ndjson\" | stats count by team | where count > {run}")
        })?;
        timed("pipe: rolling p95 over 5 minutes", 600.0, &|run| {
            format!("* | window p = rolling_p95({number}, 5m) | stats max(p) as most | where most > {run}")
        })?;
        self.row(&format!("SQL: count by {group}"), 10.0, floor.words, |run| {
            self.sql(&format!(
                "SELECT \"{group}\", count(*) AS n FROM events GROUP BY 1 HAVING count(*) > {run} ORDER BY n"
            ))
        })
    }

    pub fn calculations(&self, floor: &Floor, fields: &Fields<'_>) -> Result<()> {
        let over_time = |interval: Interval, zone: &TimeZone| By::Time { interval, zone: zone.clone() };
        let hourly = |zone: &TimeZone| over_time(HOURLY, zone);
        let (utc, berlin) = (TimeZone::UTC, zone("Europe/Berlin")?);
        let terms = || By::Terms { field: fields.group.to_owned(), top: 50, order: TermOrder::Most };
        let percentiles =
            || Measure::Percentiles { field: fields.number.to_owned(), at: vec![50.0, 95.0, 99.0] };
        let above = |run: usize| format!("{}>{}", fields.number, run as f64 / 8.0);
        self.row("hourly, unfiltered", 1.0, floor.words, |_| {
            self.aggregate("*", vec![hourly(&utc)], vec![])
        })?;
        self.row("automatic buckets", 1.0, floor.words, |_| {
            self.aggregate("*", vec![over_time(AUTOMATIC, &utc)], vec![])
        })?;
        self.row("automatic buckets, in a zone", 1.0, floor.words, |_| {
            self.aggregate("*", vec![over_time(AUTOMATIC, &berlin)], vec![])
        })?;
        self.row("hourly, filtered", 10.0, floor.words, |run| {
            self.aggregate(&fields.filter(run), vec![hourly(&utc)], vec![])
        })?;
        self.row("hourly, filtered, in a zone", 10.0, floor.words, |run| {
            self.aggregate(&fields.filter(run + 400), vec![hourly(&berlin)], vec![])
        })?;
        self.row("hourly by group", 12.0, floor.words, |run| {
            self.aggregate(&format!("NOT line:{run}"), vec![hourly(&utc), terms()], vec![])
        })?;
        self.row("percentiles, overall", 25.0, floor.words, |run| {
            self.aggregate(&above(run), vec![], vec![percentiles()])
        })?;
        self.row("percentiles by group", 40.0, floor.words * 2.0, |run| {
            self.aggregate(&above(run + 20), vec![terms()], vec![percentiles()])
        })?;
        self.row("percentiles per hour", 60.0, floor.words * 2.0, |run| {
            self.aggregate(&above(run + 40), vec![hourly(&utc)], vec![percentiles()])
        })?;
        self.row("facets of all fields", 250.0, floor.words * 8.0, |run| {
            self.facets(&self.but_seconds(run))
        })?;
        self.row("patterns", None, floor.words, |run| self.patterns(&format!("NOT line:{run}")))?;
        self.row("two halves compared: first rows", 150.0, floor.words, |run| self.halves(run, true))?;
        self.row("two halves compared", 1_500.0, floor.words * 8.0, |run| self.halves(run, false))?;
        self.row("seismograph", None, floor.words, |run| self.seismograph(run))?;
        // An id leads from one value of the group to the next.
        let id = ["trace_id", "request_id", "client_ip"].into_iter().find(|name| self.has(name));
        let Some(id) = id.filter(|id| *id != fields.group) else { return Ok(()) };
        let name = format!("service map of {} by {id}", fields.group);
        self.row(&name, None, floor.words * 2.0, |run| self.service_map(run, id, fields.group))
    }

    fn has(&self, field: &str) -> bool {
        Engine::fields(&self.snapshot).iter().any(|known| known.name == field)
    }

    fn seismograph(&self, seconds: usize) -> Result<()> {
        let (view, never) = (self.but_seconds(seconds), Cancel::default());
        let options = SeismographOptions::default();
        black_box(self.case.seismograph(&self.snapshot, &view, options, &mut |_| {}, &never)?);
        Ok(())
    }

    fn service_map(&self, seconds: usize, id: &str, node: &str) -> Result<()> {
        let (view, never) = (self.but_seconds(seconds), Cancel::default());
        let places = [Spot::Field(id.to_owned())];
        let asked = (places.as_slice(), node);
        black_box(self.case.service_map(&self.snapshot, &view, asked, &mut |_| {}, &never)?);
        Ok(())
    }

    /// Compares the halves of the case, the first seconds left out; or only until there are rows.
    fn halves(&self, seconds: usize, is_first: bool) -> Result<()> {
        let all = self.but_seconds(seconds);
        let middle = all.from.zip(all.to).map(|(from, to)| from.midpoint(to));
        let (a, b) = (View { to: middle, ..all.clone() }, View { from: middle, ..all });
        let cancel = Cancel::default();
        let mut partial = |_: &Comparison, _: f64| {
            if is_first {
                cancel.set();
            }
        };
        match self.case.compare(&self.snapshot, [&a, &b], ROWS, &mut partial, &cancel) {
            Err(error) if is_first && error.kind() == ErrorKind::Cancelled => Ok(()),
            found => found.map(|found| drop(black_box(found))),
        }
    }

    /// A word in logs on disk, next to the time to read them.
    pub fn file_scan(&self, logs: &[PathBuf]) -> Result<()> {
        let (taken, never) = (indexer::Filter::default(), Cancel::default());
        let started = Instant::now();
        for log in logs {
            // What cannot be read is found out by the import.
            let _ = File::open(log).and_then(|mut file| io::copy(&mut file, &mut io::sink()));
        }
        let floor = started.elapsed().as_secs_f64() * 1e3;
        self.row("a word in files before they are read", None, floor, |run| {
            let asked = view(&format!("nowhere-{run}"))?.filter;
            black_box(scan_files(logs, &taken, &asked, &mut |_, _| {}, &never)?);
            Ok(())
        })
    }

    fn context(&self, run: usize) -> Result<()> {
        let never = Cancel::default();
        let place = (self.snapshot.events() as usize / 20 * (run + 1), 1);
        let all = view("*")?;
        let page =
            self.case.page(&self.snapshot, &all, Direction::OldestFirst, place, &Shown::text(10), &never)?;
        if let Some(event) = page.events.first() {
            let own = (event.source, event.offset);
            let shown = Shown::text(1_000);
            black_box(self.case.around(
                &self.snapshot,
                own,
                &Around::Everywhere,
                (50, 50),
                &shown,
                &never,
            )?);
        }
        Ok(())
    }
}
