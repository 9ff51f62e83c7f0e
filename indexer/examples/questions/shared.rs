//! Questions to logs of any kind.

use std::hint::black_box;

use indexer::aggregate::{By, Interval, Measure, TermOrder, TimeZone, zone};
use indexer::{Around, Cancel, Direction, Shown};

use crate::{Bench, Floor, view};

const HOUR: i64 = 3_600_000_000_000;

impl Bench {
    /// `group` has few values, `number` many; `filter` gives one that differs from run to run.
    pub fn shared(&self, floor: &Floor, group: &str, number: &str, filter: impl Fn(usize) -> String) {
        let other = |run: usize| filter(run + 100);
        self.calculations(floor, group, number, &filter);
        self.row("newest 100", 2.0, 0.0, |_| self.page("*", Direction::NewestFirst, 0.0));
        self.row("oldest 100", 2.0, 0.0, |_| self.page("*", Direction::OldestFirst, 0.0));
        self.row("a page anywhere", 20.0, 0.0, |run| {
            self.page("*", Direction::NewestFirst, run as f64 / 11.0);
        });
        self.row("a page anywhere, filtered", 20.0, 0.0, |run| {
            self.page(&other(run), Direction::OldestFirst, run as f64 / 11.0);
        });
        self.row("a page anywhere, sorted by a number", 20.0, floor.words, |run| {
            self.sorted("*", number, run as f64 / 11.0);
        });
        self.row("a page anywhere, filtered and sorted", 20.0, floor.words, |run| {
            self.sorted(&filter(run + 200), number, run as f64 / 110.0);
        });
        self.row("facets of all fields", 250.0, floor.words * 8.0, |run| self.facets(&self.but_seconds(run)));
        self.row("context: 50 before and after", None, 0.0, |run| self.context(run));
        self.row("patterns", None, floor.words, |run| self.patterns(&format!("NOT line:{run}")));
        self.row("pipe: sort, limit", None, floor.words, |run| {
            self.pipe(&format!("{} | sort -{number} | limit {}", filter(run + 300), 100 + run));
        });
        self.row("pipe: sort all, limit", None, floor.words, |run| {
            self.pipe(&format!("* | sort -{number}, {group} | limit {}", 100 + run));
        });
        self.row("pipe: stats by", None, floor.words, |run| {
            self.pipe(&format!(
                "* | stats count, sum({number}), max({number}) by {group} | where count > {run}"
            ));
        });
        self.row("pipe: percentiles by", None, floor.words, |run| {
            self.pipe(&format!("* | stats p50({number}), p95({number}) by {group} | limit {}", 10 + run));
        });
        self.row("pipe: timechart", None, floor.words, |run| {
            self.pipe(&format!("* | timechart span=1h count by {group} | limit {}", 100 + run));
        });
    }

    fn calculations(&self, floor: &Floor, group: &str, number: &str, filter: &impl Fn(usize) -> String) {
        let hourly = |zone: &TimeZone| By::Time { interval: Interval::Fixed(HOUR), zone: zone.clone() };
        let (utc, berlin) = (TimeZone::UTC, zone("Europe/Berlin").expect("a zone"));
        let automatic = |zone: &TimeZone| By::Time { interval: Interval::Auto(100), zone: zone.clone() };
        let terms = || By::Terms { field: group.to_owned(), top: 50, order: TermOrder::Most };
        let percentiles = || Measure::Percentiles { field: number.to_owned(), at: vec![50.0, 95.0, 99.0] };
        let above = |run: usize| format!("{number}>{}", run as f64 / 8.0);
        let zoned = |run: usize| filter(run + 400);
        self.row("hourly, unfiltered", 1.0, floor.words, |_| self.aggregate("*", vec![hourly(&utc)], vec![]));
        self.row("automatic buckets", 1.0, floor.words, |_| {
            self.aggregate("*", vec![automatic(&utc)], vec![]);
        });
        self.row("automatic buckets, in a zone", 1.0, floor.words, |_| {
            self.aggregate("*", vec![automatic(&berlin)], vec![]);
        });
        self.row("hourly, filtered", 10.0, floor.words, |run| {
            self.aggregate(&filter(run), vec![hourly(&utc)], vec![]);
        });
        self.row("hourly, filtered, in a zone", 10.0, floor.words, |run| {
            self.aggregate(&zoned(run), vec![hourly(&berlin)], vec![]);
        });
        self.row("hourly by group", 12.0, floor.words, |run| {
            self.aggregate(&format!("NOT line:{run}"), vec![hourly(&utc), terms()], vec![]);
        });
        self.row("percentiles, overall", 25.0, floor.words, |run| {
            self.aggregate(&above(run), vec![], vec![percentiles()]);
        });
        self.row("percentiles by group", 40.0, floor.words * 2.0, |run| {
            self.aggregate(&above(run + 20), vec![terms()], vec![percentiles()]);
        });
        self.row("percentiles per hour", 60.0, floor.words * 2.0, |run| {
            self.aggregate(&above(run + 40), vec![hourly(&utc)], vec![percentiles()]);
        });
    }

    fn context(&self, run: usize) {
        let never = Cancel::default();
        let place = (self.snapshot.events() as usize / 20 * (run + 1), 1);
        let page = self.case.page(
            &self.snapshot,
            &view("*"),
            Direction::OldestFirst,
            place,
            &Shown::text(10),
            &never,
        );
        let event = &page.expect("a page").events[0];
        let own = (event.source, event.offset);
        let around =
            self.case.around(&self.snapshot, own, &Around::Everywhere, (50, 50), &Shown::text(1_000), &never);
        black_box(around.expect("what is around"));
    }
}
