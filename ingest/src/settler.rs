//! Resolves what only the order of a source determines: the years of year-less times, the days of times of
//! day, the meaning of wall clocks within a clock change, the times of events without one, and which fields it has.

use crate::batch::{Batch, NO_TIME};
use crate::field_limit::FieldNames;
use crate::time::civil::{DAY_NS, civil_from_days};
use crate::time::day::{Days, Uptimes, day_words, starting_day};
use crate::time::gap_tracker::GapTracker;
use crate::time::head_date::HeadDate;
use crate::time::provisional::{FIRST_REAL_NS, ProvisionalTime, decode_provisional};
use crate::time::report::TimeReport;
use crate::time::rules::TimeRules;
use crate::time::wall_clock::Walls;
use crate::time::year::{PossibleYears, SLACK_NS, Years};
use crate::time::zone::Zone;
use crate::time::{Clock, When};

use self::state::{Before, SettlerStart};

/// What is known about the times of a source, in addition to its lines.
#[derive(Clone, Debug)]
pub(crate) struct Evidence<'a> {
    /// The times of the sample as parsed, in its order.
    pub sample: &'a [i64],
    /// The rules learned from the sample, for the order of dates.
    pub rules: Option<&'a TimeRules>,
    /// The file's name, which may contain a date.
    pub name: &'a str,
    pub modified_ns: Option<i64>,
    /// The zone of times without one, and its origin.
    pub zone: Zone,
    pub zone_origin: ZoneOrigin<'a>,
    /// The year of the first time without one, if chosen, and the reason if no person chose it.
    pub year: Option<i16>,
    pub year_reason: Option<&'a str>,
    /// The years of the neighbouring sources.
    pub neighbours: &'a [i16],
    /// When the machine was booted whose uptimes these are.
    pub boot_ns: Option<i64>,
    /// Added to every time.
    pub clock_offset_ns: i64,
}

/// The origin of the zone for times without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ZoneOrigin<'a> {
    /// UTC, because nothing determines it.
    Assumed,
    /// Its name, chosen by a person.
    Chosen(&'a str),
    /// Its name, from a line of the sample.
    #[allow(dead_code)] // For formats whose heading lines name their zone.
    InData(&'a str),
}

impl<'a> Evidence<'a> {
    /// Nothing but a sample is known.
    pub(crate) fn from_sample(sample: &'a [i64]) -> Evidence<'a> {
        Evidence {
            sample,
            rules: None,
            name: "",
            modified_ns: None,
            zone: Zone::UTC,
            zone_origin: ZoneOrigin::Assumed,
            year: None,
            year_reason: None,
            neighbours: &[],
            boot_ns: None,
            clock_offset_ns: 0,
        }
    }
}

/// Settles the batches of one source, in source order. Before that, times are in provisional ranges, and an
/// event without a time has none. The cuts between batches make no difference.
#[derive(Clone, Debug)]
pub struct Settler {
    years: Years,
    /// Empty if the year was chosen.
    possible_years: Option<PossibleYears>,
    sample_years: Option<(i16, i16)>,
    days: Days,
    uptimes: Uptimes,
    walls: Walls,
    /// The last time that was complete as written; it may determine the date of the next incomplete one.
    complete: i64,
    carried: i64,
    /// The first time of the sample, as parsed.
    first: i64,
    /// Whether the source itself has had a time yet.
    begun: bool,
    /// The initial values: a source that would now start with other values cannot resume from an earlier
    /// state.
    start: SettlerStart,
    before: Before,
    clock_offset_ns: i64,
    modified_ns: Option<i64>,
    latest_yearless_ns: i64,
    latest_dayless_ns: i64,
    course: GapTracker,
    zone_words: String,
    report: TimeReport,
    fields: FieldNames,
}

impl Settler {
    /// From the times of the sample as parsed, and other evidence. Lines before the first time get that time,
    /// because they are usually a header.
    pub(crate) fn new(evidence: &Evidence) -> Settler {
        let mut report = TimeReport { clock_offset_ns: evidence.clock_offset_ns, ..TimeReport::default() };
        if let Some(TimeRules { order, order_reason: Some(reason), .. }) = evidence.rules {
            report.date_order = format!("{}; {reason}", order.words());
        }
        let mut settler = Settler {
            years: Years::starting(0),
            possible_years: evidence
                .year
                .is_none()
                .then(|| PossibleYears::from_sample(evidence.sample, evidence.modified_ns)),
            sample_years: years_of(evidence.sample),
            days: Days::starting(first_midnight(evidence, &mut report)),
            uptimes: Uptimes::starting(first_boot(evidence, &mut report)),
            walls: Walls::new(evidence.zone.clone()),
            complete: NO_TIME,
            carried: NO_TIME,
            first: evidence.sample.iter().copied().find(|&time| time != NO_TIME).unwrap_or(NO_TIME),
            begun: false,
            start: SettlerStart::default(),
            before: Before::default(),
            clock_offset_ns: evidence.clock_offset_ns,
            modified_ns: evidence.modified_ns,
            latest_yearless_ns: i64::MIN,
            latest_dayless_ns: i64::MIN,
            course: GapTracker::default(),
            zone_words: zone_words(evidence.zone_origin),
            report,
            fields: FieldNames::default(),
        };
        if let Some(year) = evidence.year {
            settler.report.year = format!("{year}, {}", evidence.year_reason.unwrap_or("as chosen"));
            settler.start_in(i32::from(year));
        } else {
            settler.consider_neighbours(evidence.neighbours);
        }
        settler
    }

    /// The first and last year in the sample's own times, for neighbouring sources without years.
    #[must_use]
    pub fn sample_years(&self) -> Option<(i16, i16)> {
        self.sample_years
    }

    /// Considers the years of the other sources of the same import, for stamps without a year. Call it before
    /// anything is settled; it changes nothing if the year was chosen.
    pub fn consider_neighbours(&mut self, years: &[i16]) {
        if let Some(possible) = &self.possible_years {
            let (year, reason) = possible.decide(years);
            self.report.year = reason;
            self.start_in(year);
        }
    }

    fn start_in(&mut self, year: i32) {
        self.years = Years::starting(year);
        self.start =
            SettlerStart { year, midnight_ns: self.days.midnight_ns(), boot_ns: self.uptimes.start_ns };
        if self.first != NO_TIME {
            self.carried = self.clone().settled(self.first);
        }
    }

    /// The year of the first time without one.
    #[must_use]
    pub fn first_year(&self) -> i32 {
        self.start.year
    }

    /// Gives every row its final time, and removes fields beyond the limit of a source. Call it once for each batch of
    /// the source, in order.
    pub fn settle(&mut self, batch: &mut Batch) {
        self.fields.admit(batch);
        self.report.add(&batch.times);
        for (time, &line) in batch.time.iter_mut().zip(&batch.line) {
            if *time == NO_TIME {
                *time = self.carried;
                self.report.carried += u64::from(self.begun);
                self.report.untimed += u64::from(!self.begun && self.carried == NO_TIME);
                continue;
            }
            *time = self.settled(*time);
            self.course.step(*time, line);
            self.carried = *time;
            self.begun = true;
        }
    }

    #[inline]
    fn settled(&mut self, time: i64) -> i64 {
        let time = if time >= FIRST_REAL_NS {
            self.complete = time;
            time
        } else {
            self.close(time)
        };
        time.saturating_add(self.clock_offset_ns)
    }

    /// The real time of a provisional one.
    fn close(&mut self, time: i64) -> i64 {
        let Some(decode_provisional) = decode_provisional(time) else { return time };
        let complete = std::mem::replace(&mut self.complete, NO_TIME);
        match decode_provisional {
            ProvisionalTime::Uncertain(wall) => {
                let time = self.walls.utc_ns(wall);
                self.complete = time;
                time
            }
            ProvisionalTime::Uptime(uptime) => self.uptimes.resolve(uptime),
            ProvisionalTime::TimeOfDay(time_of_day) => {
                if complete != NO_TIME && self.days.follow(self.walls.wall_ns(complete), time_of_day) {
                    self.report.day = format!(
                        "{}, from a stamp with its date before it",
                        day_words(self.walls.wall_ns(complete))
                    );
                }
                let wall = self.days.resolve(time_of_day);
                let time = self.walls.utc_ns(wall);
                self.latest_dayless_ns = self.latest_dayless_ns.max(time);
                time
            }
            ProvisionalTime::Yearless(_) | ProvisionalTime::YearlessUtc(_) => {
                if complete != NO_TIME && self.years.follow(complete, decode_provisional) {
                    self.report.year = format!("{}, from a stamp with its year before it", self.years.year);
                }
                let Some(resolved) = self.years.resolve(decode_provisional) else { return time };
                let is_wall = matches!(decode_provisional, ProvisionalTime::Yearless(_));
                let time = if is_wall { self.walls.utc_ns(resolved) } else { resolved };
                self.latest_yearless_ns = self.latest_yearless_ns.max(time);
                time
            }
        }
    }

    /// The decisions and observations so far.
    #[must_use]
    pub fn report(&self) -> TimeReport {
        let mut report = self.report.clone();
        let zoneless = report.zoneless + report.yearless + report.dayless;
        report.zone = match (report.zoned, zoneless) {
            (0, 0) => String::new(),
            (_, 0) => "in the data".to_string(),
            (0, _) => self.zone_words.clone(),
            _ => format!("in the data; where it is missing, {}", self.zone_words),
        };
        let keep = |words: &mut String, used: u64| {
            if used == 0 {
                words.clear();
            }
        };
        keep(&mut report.year, report.yearless);
        keep(&mut report.day, report.dayless);
        keep(&mut report.start, report.uptimes);
        report.new_years = self.years.passed.saturating_sub(self.before.years);
        report.midnights = self.days.midnights.saturating_sub(self.before.midnights);
        report.restarts = self.uptimes.restarts.saturating_sub(self.before.restarts);
        let passed = &self.walls.passed;
        (report.repeated, report.repeated_second) = (passed.repeated, passed.repeated_second);
        report.skipped = passed.skipped;
        (report.jumps_back, report.late) = (self.course.jumps, self.course.late);
        (report.first_jump, report.largest_jump) = (self.course.first_jump, self.course.largest_jump);
        report.gaps = self.course.gaps();
        self.compare_with_last_change(&mut report);
        report
    }

    /// A sample cannot show how many New Years and midnights follow; at the end it is known whether they were
    /// too many for the chosen start.
    fn compare_with_last_change(&self, report: &mut TimeReport) {
        let Some(modified_ns) = self.modified_ns else { return };
        let past = |latest_ns: i64, unit_ns: i64| {
            let over = latest_ns.saturating_sub(modified_ns.saturating_add(SLACK_NS));
            if over > 0 { over / unit_ns + 1 } else { 0 }
        };
        let years = past(self.latest_yearless_ns, 366 * DAY_NS);
        if years > 0 {
            let passed = self.years.passed.saturating_sub(self.before.years);
            let first = i64::from(self.years.year) - i64::from(passed);
            report.better_year = i16::try_from(first - years).ok();
        }
        report.days_too_late = past(self.latest_dayless_ns, DAY_NS).try_into().unwrap_or(u32::MAX);
    }
}

fn zone_words(origin: ZoneOrigin) -> String {
    match origin {
        ZoneOrigin::Assumed => "UTC (not in the data)".to_string(),
        ZoneOrigin::Chosen(name) => format!("{name} (as chosen)"),
        ZoneOrigin::InData(name) => format!("{name} (from a line of the source)"),
    }
}

/// The first and the last year of the times that have one.
fn years_of(sample: &[i64]) -> Option<(i16, i16)> {
    let complete = || sample.iter().copied().filter(|&time| time >= FIRST_REAL_NS);
    let year = |ns: i64| i16::try_from(civil_from_days(ns.div_euclid(DAY_NS)).0).ok();
    Some((year(complete().min()?)?, year(complete().max()?)?))
}

fn first_midnight(evidence: &Evidence, report: &mut TimeReport) -> i64 {
    let times: Vec<i64> = evidence
        .sample
        .iter()
        .filter_map(|&time| match decode_provisional(time) {
            Some(ProvisionalTime::TimeOfDay(time)) => Some(time),
            _ => None,
        })
        .collect();
    let modified_wall = evidence.modified_ns.map(|ns| Walls::new(evidence.zone.clone()).wall_ns(ns));
    if let Some(TimeRules { head: Some(HeadDate::Midnight(midnight)), .. }) = evidence.rules {
        report.day = format!("{}, from a date in the first lines", day_words(*midnight));
        return *midnight;
    }
    if let Some(TimeRules { head: Some(HeadDate::Running { at, uptime_ns }), .. }) = evidence.rules {
        let instant = Clock::new(evidence.zone.clone()).ns(&When::Stamp(*at));
        let start = Walls::new(evidence.zone.clone()).wall_ns(instant).saturating_sub(*uptime_ns);
        report.day = format!("{}, the start by a date in the first lines", day_words(start));
        return start;
    }
    let (midnight, why) = starting_day(&times, evidence.name, modified_wall);
    report.day = format!("{}, {why}", day_words(midnight));
    midnight
}

fn first_boot(evidence: &Evidence, report: &mut TimeReport) -> i64 {
    let mut uptimes = Uptimes::starting(0);
    let mut last = None;
    for &time in evidence.sample {
        if let Some(ProvisionalTime::Uptime(uptime)) = decode_provisional(time) {
            last = Some(uptimes.resolve(uptime));
        }
    }
    let boot_in_head = match evidence.rules {
        Some(TimeRules { head: Some(HeadDate::Running { at, uptime_ns }), .. }) => {
            Some(Clock::new(evidence.zone.clone()).ns(&When::Stamp(*at)).saturating_sub(*uptime_ns))
        }
        _ => None,
    };
    let boot_by_date = boot_in_head.or_else(|| boot_next_to_date(evidence.sample));
    let (start, why) = match (evidence.boot_ns.or(boot_by_date), evidence.modified_ns, last) {
        (Some(boot), ..) if evidence.boot_ns.is_some() => (boot, "as the source says"),
        (Some(boot), ..) => (boot, "assumed: the event with a date next to an uptime is at the same time"),
        (None, Some(modified), Some(last)) => {
            (modified.saturating_sub(last), "assumed: the sample's last uptime is the file's last change")
        }
        _ => (0, "not known, so uptimes count from 1970"),
    };
    report.start = format!("{}, {why}", day_words(start));
    start
}

/// The boot for which the first uptime next to an event with a date is at that date.
fn boot_next_to_date(sample: &[i64]) -> Option<i64> {
    let mut uptimes = Uptimes::starting(0);
    let (mut uptime, mut date) = (None, None);
    for &time in sample.iter().filter(|&&time| time != NO_TIME) {
        if let Some(ProvisionalTime::Uptime(found)) = decode_provisional(time) {
            uptime = Some(uptimes.resolve(found));
        } else if time >= FIRST_REAL_NS {
            date = Some(time);
        }
        if let (Some(uptime), Some(date)) = (uptime, date) {
            return date.checked_sub(uptime);
        }
    }
    None
}

mod state;

#[cfg(test)]
mod tests;

pub use state::SettlerState;
