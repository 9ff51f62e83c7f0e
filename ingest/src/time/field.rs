//! Determines by the values which field of a source contains the time of its events, if no name is certain.
//! The values are spelled as times or plausible numbers since 1970, most events have one, and they mostly
//! rise; a name only adds weight, or excludes a field that is a duration, a birthday or the end of a licence.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::civil::{DAY_NS, SECOND_NS, days_from_civil};
use super::find::{may_begin_id_part, time_at_exactly, time_near_start, whole_time};
use super::numeric_date::DateOrder;
use super::rules::{FURTHEST_ZONE_NS, is_complete};
use super::zone::Zone;
use super::{Clock, When};
use crate::limits;

/// The field of a source that contains the time of its events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TimeField {
    pub name: Box<[u8]>,
    /// The time is part of the value, which is an id or a line.
    within: bool,
}

impl TimeField {
    /// Whether the whole value is a time.
    pub(crate) fn is_whole(&self) -> bool {
        !self.within
    }

    pub(crate) fn read(&self, value: &[u8]) -> Option<When> {
        if self.within { within_id(value) } else { whole_time(value) }
    }
}

/// A field that may contain the time of events, for a person to choose from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "TimeField"))]
pub struct TimeFieldOption {
    /// Its name, as [`Options::time_field`](crate::Options::time_field) accepts it.
    pub name: String,
    /// Share of the sample's events that have a time in it, 0 to 1.
    pub coverage: f32,
    /// Its first value that is a time.
    pub example: String,
    /// The times are read from it.
    pub chosen: bool,
}

/// Marks the field that the times are read from and puts it first.
pub(crate) fn mark_chosen(options: &mut Vec<TimeFieldOption>, name: &[u8]) {
    let name = shown_name(name);
    if let Some(at) = options.iter().position(|option| option.name == name) {
        let chosen = options.remove(at);
        options.insert(0, TimeFieldOption { chosen: true, ..chosen });
    }
    options.truncate(limits::MOST_TIME_FIELDS);
}

/// The name without what distinguishes columns of the same name.
fn shown_name(name: &[u8]) -> String {
    String::from_utf8_lossy(name.split(|&byte| byte == 0).next().unwrap_or_default()).into_owned()
}

/// A field with times in fewer of the events is not worth choosing.
const LEAST_SHOWN: f64 = 0.2;

/// This many events of a sample are enough to find the field.
pub(crate) const MOST_EVENTS: usize = 1_000;

/// Most events have a time in their field.
const LEAST_COVERAGE: f64 = 0.6;

/// If no name suggests it, a field rises or falls in this share of the steps from one event to the next.
const LEAST_ORDER: f64 = 0.75;
/// A part of an id is less likely to be a time, so nearly all events must have one, in order.
const LEAST_ORDER_WITHIN: f64 = 0.95;
const FEWEST_WITHIN: usize = 3;

/// This many steps may be from one event to another of the same moment.
const STEPS_WITHIN_A_MOMENT: usize = 4;

/// Epoch numbers of one log span few years; ids with as many digits may have any value.
const LONGEST_AGE_NS: i64 = 6 * 366 * DAY_NS;

/// The values of the fields of a sample, seen as times.
#[derive(Default)]
pub(crate) struct FieldTimes {
    events: usize,
    index: HashMap<Box<[u8]>, usize>,
    fields: Vec<FieldValues>,
}

struct FieldValues {
    name: Box<[u8]>,
    /// The number of the last event that had it: of several values the first counts.
    last_event: usize,
    values: usize,
    spelled: Vec<i64>,
    numbers: Vec<i64>,
    within: Vec<i64>,
    /// The first value that is a time.
    example: Box<[u8]>,
}

impl FieldTimes {
    pub(crate) fn event(&mut self) {
        self.events += 1;
    }

    pub(crate) fn value(&mut self, name: &[u8], value: &[u8]) {
        let index = match self.index.get(name) {
            Some(&index) => index,
            None if self.fields.len() >= limits::MOST_FIELDS => return,
            None => {
                let (values, last_event) = (0, 0);
                let (spelled, numbers, within) = (Vec::new(), Vec::new(), Vec::new());
                self.fields.push(FieldValues {
                    name: name.into(),
                    last_event,
                    values,
                    spelled,
                    numbers,
                    within,
                    example: Box::default(),
                });
                self.index.insert(name.into(), self.fields.len() - 1);
                self.fields.len() - 1
            }
        };
        let field = &mut self.fields[index];
        if field.last_event == self.events {
            return;
        }
        (field.last_event, field.values) = (self.events, field.values + 1);
        match whole_time(value).and_then(|when| plausible(&when)) {
            Some(ns) if value.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.') => {
                field.numbers.push(ns);
            }
            Some(ns) => field.spelled.push(ns),
            None => field.within.extend(within_id(value).and_then(|when| plausible(&when))),
        }
        if field.example.is_empty() && field.times().is_some() {
            field.example = value[..value.len().min(limits::EXAMPLE_VALUE_BYTES)].into();
        }
    }

    /// The fields whose values are times, the likeliest first; none of them is chosen yet.
    pub(crate) fn options(&self, known: impl Fn(&[u8]) -> f64) -> Vec<TimeFieldOption> {
        let mut options: Vec<(f64, TimeFieldOption)> = Vec::new();
        for field in &self.fields {
            let Some((times, is_number, within)) = field.times() else { continue };
            let coverage = times.len() as f64 / self.events.max(1) as f64;
            let score = field.score(self.events, known(&field.name)).map(|(score, _)| score);
            // Numbers and parts of ids are times only if more than their look says so.
            if coverage < LEAST_SHOWN || score.is_none() && (within || is_number && is_no_time(&field.name)) {
                continue;
            }
            let option = TimeFieldOption {
                name: shown_name(&field.name),
                coverage: coverage as f32,
                example: String::from_utf8_lossy(&field.example).into_owned(),
                chosen: false,
            };
            options.push((score.unwrap_or(coverage - NOT_LIKELY), option));
        }
        options.sort_by(|a, b| b.0.total_cmp(&a.0));
        options.into_iter().map(|(_, option)| option).collect()
    }

    /// The field of this name that a person chose, if some of its values are times.
    pub(crate) fn named(&self, name: &str) -> Option<TimeField> {
        let field = self.fields.iter().find(|field| shown_name(&field.name) == name)?;
        let (_, _, within) = field.times()?;
        Some(TimeField { name: field.name.clone(), within })
    }

    /// The field whose numbers are the same times as those of a field in a zone that is not written.
    pub(crate) fn epoch_of(&self, name: &[u8]) -> Option<&[u8]> {
        let local = &self.fields.iter().find(|field| *field.name == *name)?.spelled;
        let is_same = |epochs: &Vec<i64>| {
            let zone = local.first()?.div_euclid(SECOND_NS) - epochs.first()?.div_euclid(SECOND_NS);
            let differs = |(local, epoch): (&i64, &i64)| {
                local.div_euclid(SECOND_NS) - epoch.div_euclid(SECOND_NS) != zone
            };
            let is_zone = zone != 0 && zone % 900 == 0 && zone.abs() <= FURTHEST_ZONE_NS / SECOND_NS;
            Some(is_zone && epochs.len() == local.len() && !local.iter().zip(epochs).any(differs))
        };
        let found = self.fields.iter().find(|field| is_same(&field.numbers) == Some(true));
        found.map(|field| &*field.name)
    }

    /// The field that most likely contains the time of events. `known` returns how well a name is known for
    /// that.
    pub(crate) fn best(&self, known: impl Fn(&[u8]) -> f64) -> Option<TimeField> {
        let mut best: Option<(f64, TimeField)> = None;
        for field in &self.fields {
            if let Some((score, within)) = field.score(self.events, known(&field.name))
                && best.as_ref().is_none_or(|(known, _)| score > *known)
            {
                best = Some((score, TimeField { name: field.name.clone(), within }));
            }
        }
        best.map(|(_, field)| field)
    }
}

/// Lowers the rank of a field that would not be chosen by its values.
const NOT_LIKELY: f64 = 100.0;

/// Lowers the rank of a field that is chosen only if there is no other.
const LAST_RESORT: f64 = 10.0;

/// Whether the name says that a number is no time.
fn is_no_time(name: &[u8]) -> bool {
    is_id(name) || hint(name).is_none()
}

impl FieldValues {
    /// Its values that are times, whether they are numbers, and whether they are parts of ids.
    fn times(&self) -> Option<(&Vec<i64>, bool, bool)> {
        let kinds = [(&self.spelled, false, false), (&self.numbers, true, false), (&self.within, true, true)];
        kinds.into_iter().max_by_key(|(times, ..)| times.len()).filter(|(times, ..)| !times.is_empty())
    }

    /// How likely it is the time, and whether the time is part of an id.
    fn score(&self, events: usize, known: f64) -> Option<(f64, bool)> {
        let hint = known + hint(&self.name)?;
        let (times, is_number, within) = self.times()?;
        let coverage = times.len() as f64 / events as f64;
        if coverage < LEAST_COVERAGE || times.len() * 5 < self.values * 4 {
            return None;
        }
        let (first, last) = (times.iter().min()?, times.iter().max()?);
        let is_constant = first == last;
        let steps = times.len() - 1;
        let order = order(times);
        let is_shown = match (within, is_number) {
            (true, _) => times.len() >= FEWEST_WITHIN && coverage > 0.9 && order >= LEAST_ORDER_WITHIN,
            (false, true) => {
                !is_id(&self.name)
                    && last - first <= LONGEST_AGE_NS
                    && (hint > 0.0 || steps > 0 && order >= LEAST_ORDER)
            }
            (false, false) => hint > 0.0 || order >= LEAST_ORDER,
        };
        // A value that is the same for many events, or for some under a name that suggests no time, means
        // something else; a date without a time of day is read as midnight.
        let enough = if hint > 0.0 { STEPS_WITHIN_A_MOMENT } else { 1 };
        let never_changes = is_constant && steps > enough && hint < KNOWN;
        let are_days = steps > 0 && hint < KNOWN && times.iter().all(|ns| ns.rem_euclid(DAY_NS) == 0);
        // Keys of a registry are in no order of time.
        let is_last_resort =
            !is_shown && !is_number && without_gaps(&last_part(&self.name)).contains(LAST_WRITE);
        if !is_shown && !is_last_resort || never_changes || are_days {
            return None;
        }
        let mut distinct: Vec<i64> = times.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let distinct = distinct.len() as f64 / times.len() as f64;
        let depth = memchr::memchr_iter(b'.', &self.name).count().min(8) as f64;
        let score = coverage * 2.0 + order * 2.0 + distinct + hint - depth * 0.05;
        let lowered = if is_last_resort { LAST_RESORT } else { 0.0 } + if within { 3.0 } else { 0.0 };
        Some((score - lowered, within))
    }
}

/// The weight of a name that is known for the time of events.
pub(crate) const KNOWN: f64 = 1.0;

/// The share of steps in the more frequent direction: exports often begin with the latest event.
fn order(times: &[i64]) -> f64 {
    let steps = times.len() - 1;
    if steps == 0 {
        return 1.0;
    }
    let rising = times.windows(2).filter(|pair| pair[1] >= pair[0]).count();
    let falling = times.windows(2).filter(|pair| pair[1] <= pair[0]).count();
    rising.max(falling) as f64 / steps as f64
}

/// Words by which a field is certainly not the time of an event, whatever its values look like.
const NEVER: [&str; 37] = [
    "uptime",
    "lifetime",
    "runtime",
    "timeout",
    "duration",
    "elapsed",
    "took",
    "latency",
    "expir",
    "valid",
    "until",
    "birth",
    "born",
    "dob",
    "licen",
    "notafter",
    "notbefore",
    "not_after",
    "not_before",
    "ttl",
    "deadline",
    "phone",
    "version",
    "serial",
    "boot",
    "size",
    "bytes",
    "geburt",
    "gültig",
    "ablauf",
    "lizenz",
    "due",
    "retention",
    "compil",
    "warrant",
    "manufactur",
    "hiredate",
];

/// When a program was linked, as lists of executables have it.
const LINK_DATE: &str = "linkdate";
/// When a key of the Windows registry was written, which is all that is known of the time of its values.
const LAST_WRITE: &str = "lastwrit";

/// Words that suggest a time, and words that suggest another time than that of the event.
const FOR: [&str; 12] =
    ["time", "date", "stamp", "epoch", "when", "zeit", "datum", "fecha", "hora", "heure", "data", "when"];
const AGAINST: [&str; 14] = [
    "last", "next", "prev", "first", "modif", "updat", "build", "publish", "releas", "session", "install",
    "token", "previous", "letzt",
];

/// Words for the end of something; its beginning is the time of the event.
const ENDS: [&str; 6] = ["end", "finish", "stop", "complet", "close", "receiv"];

/// The last part of a name, in lower case.
fn last_part(name: &[u8]) -> String {
    let name = name.split(|&byte| byte == 0).next().unwrap_or_default();
    let last = name.rsplit(|&byte| byte == b'.').next().unwrap_or_default();
    String::from_utf8_lossy(last).to_lowercase()
}

fn without_gaps(name: &str) -> String {
    name.replace([' ', '_', '-'], "")
}

/// Whether a field of this name is certainly not the time of an event.
pub(crate) fn is_never_time(name: &[u8]) -> bool {
    let last = last_part(name);
    NEVER.iter().any(|word| last.contains(word)) || is_link_date(name)
}

/// Whether a field of this name is when a program was linked, even if nothing else is a time.
pub(crate) fn is_link_date(name: &[u8]) -> bool {
    without_gaps(&last_part(name)).contains(LINK_DATE)
}

/// The weight of the name, positive or negative; `None` if it excludes the field.
fn hint(name: &[u8]) -> Option<f64> {
    if is_never_time(name) {
        return None;
    }
    let last = last_part(name);
    let last = last.as_str();
    let has = |words: &[&str]| words.iter().any(|word| last.contains(word));
    let is_short = matches!(last, "ts" | "at" | "t" | "ms" | "us" | "ns")
        || last.ends_with("_ts")
        || last.ends_with("_at");
    let speaks_for = if is_short || has(&FOR) { 0.5 } else { 0.0 };
    let end = if has(&ENDS) { 0.3 } else { 0.0 };
    Some(speaks_for - end - if has(&AGAINST) { 1.0 } else { 0.0 })
}

/// The time in a field of a single event: spelled out, or a number under a name that suggests a time.
pub(crate) fn likely_time(name: &[u8], value: &[u8]) -> Option<When> {
    let when = value.first().filter(|byte| byte.is_ascii_alphanumeric()).and_then(|_| whole_time(value))?;
    let is_number = value.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.');
    let hint = hint(name)?;
    (hint > 0.0 || hint == 0.0 && !is_number).then_some(when).filter(|when| plausible(when).is_some())
}

/// Numbers that name something, which may rise as times do.
fn is_id(name: &[u8]) -> bool {
    let name = name.split(|&byte| byte == 0).next().unwrap_or_default();
    let is = |end: &[u8]| name.len() >= end.len() && name[name.len() - end.len()..].eq_ignore_ascii_case(end);
    [&b"id"[..], b"_no", b"number", b"seq", b"key", b"count"].iter().any(|end| is(end))
}

/// Logs were written after 2001, and lines read by this program before 2100.
fn plausible(when: &When) -> Option<i64> {
    let ns = Some(when).filter(|when| is_complete(when)).map(|when| Clock::new(Zone::UTC).ns(when))?;
    let bound = |year| days_from_civil(year, 9, 9) * DAY_NS;
    (bound(2001)..bound(2059)).contains(&ns).then_some(ns)
}

/// A longer value is a text.
const LONGEST_ID_BYTES: usize = 64;

/// The time within an id: `1772281800.123:4411`, `job-20260228T123000Z-0017`; or near the start of a line that
/// another logger wrote.
fn within_id(value: &[u8]) -> Option<When> {
    if value.len() > LONGEST_ID_BYTES || value.iter().any(u8::is_ascii_whitespace) {
        let line = value.trim_ascii_start();
        let found = time_near_start(line, limits::STAMP_WITHIN_BYTES).map(|time| time.when);
        return found.filter(|when| matches!(when, When::Stamp(_)) && is_complete(when));
    }
    (0..value.len()).filter(|&at| may_begin_id_part(value, at)).find_map(|at| {
        let (when, end) = time_at_exactly(value, at, DateOrder::Customary)?;
        let is_fine = match when {
            When::Instant(ns) => ns > 1_000_000_000 * SECOND_NS,
            _ => true,
        };
        let ends = value.get(end).is_none_or(|byte| !byte.is_ascii_alphanumeric());
        (is_fine && ends && is_complete(&when)).then_some(when)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(events: &[&[(&str, &str)]], expected: Option<&str>) {
        let mut times = FieldTimes::default();
        for event in events {
            times.event();
            event.iter().for_each(|(name, value)| times.value(name.as_bytes(), value.as_bytes()));
        }
        let best = times.best(|_| 0.0);
        assert_eq!(best.map(|field| String::from_utf8_lossy(&field.name).into_owned()).as_deref(), expected);
    }

    #[test]
    fn values_determine_the_time_field() {
        check(
            &[
                &[("a", "1772281800001"), ("b", "4915112345678"), ("took", "1772281800")],
                &[("a", "1772281803002"), ("b", "4915199999999"), ("took", "1772281900")],
                &[("a", "1772281804003"), ("b", "4915112349999"), ("took", "1772281901")],
            ],
            Some("a"),
        );
        check(
            &[
                &[
                    ("made", "2026-01-01T08:00:00"),
                    ("seen", "2026-02-28T12:30:00"),
                    ("born", "1987-04-05T10:00:00"),
                ],
                &[
                    ("made", "2026-01-01T08:00:00"),
                    ("seen", "2026-02-28T12:30:40"),
                    ("born", "1990-04-05T10:00:00"),
                ],
                &[
                    ("made", "2026-01-01T08:00:00"),
                    ("seen", "2026-02-28T12:31:00"),
                    ("born", "1999-04-05T10:00:00"),
                ],
            ],
            Some("seen"),
        );
        check(
            &[
                &[("id", "run-20260228T123000Z-17"), ("n", "5")],
                &[("id", "run-20260228T123100Z-18"), ("n", "5")],
                &[("id", "run-20260228T123200Z-19"), ("n", "5")],
            ],
            Some("id"),
        );
    }

    #[test]
    fn last_write_of_a_registry_key_is_the_time_if_there_is_no_other() {
        let keys =
            ["2026-03-01 10:00:02", "2025-11-21 03:04:05", "2026-02-28 12:30:40", "2025-12-24 08:00:01"];
        let links =
            ["2019-03-01 10:00:01", "2020-11-21 03:04:05", "2021-02-28 12:30:40", "2022-12-24 08:00:02"];
        for name in ["LastWriteTimestamp", "Key Last Write Time", "last_written", "Registry.LastWriteTime"] {
            let events: Vec<_> = (0..4)
                .map(|at| [("Link Date", links[at]), (name, keys[at]), ("LinkDate", links[at])])
                .collect();
            let events: Vec<&[(&str, &str)]> = events.iter().map(|event| &event[..]).collect();
            check(&events, Some(name));
        }
        // Other names that are against it do not count in any order.
        let events = keys.map(|key| [("LastLogonTime", key)]);
        check(&events.each_ref().map(|event| &event[..]), None);
        // A field in the order of time is better, whatever its name.
        let events: Vec<_> = (0..4).map(|at| [("LastWriteTime", keys[at]), ("a", links[at])]).collect();
        let events: Vec<&[(&str, &str)]> = events.iter().map(|event| &event[..]).collect();
        check(&events, Some("a"));
    }

    #[test]
    fn dates_of_things_are_never_the_time() {
        for name in
            ["LinkDate", "link_date", "CompileTime", "WarrantyEnd", "ManufacturedAt", "password_expires"]
        {
            check(
                &[
                    &[(name, "2019-03-01 10:00:01")],
                    &[(name, "2020-11-21 03:04:05")],
                    &[(name, "2021-02-28 12:30:40")],
                ],
                None,
            );
        }
    }

    #[test]
    fn values_that_only_resemble_times_are_rejected() {
        // Ids of the same length, in no order.
        check(
            &[&[("x", "1795230245")], &[("x", "1190230245")], &[("x", "1695230245")], &[("x", "1292230245")]],
            None,
        );
        // Ids that rise.
        check(
            &[&[("order_id", "1795230245")], &[("order_id", "1795230246")], &[("order_id", "1795230247")]],
            None,
        );
        check(&[&[("uptime_ms", "1795230245")], &[("uptime_ms", "1795230246")]], None);
        check(&[&[("expires_at", "2027-01-01T08:00:00Z")], &[("expires_at", "2027-02-01T08:00:00Z")]], None);
        // Days, and one time for all.
        check(&[&[("x", "2027-01-01T00:00:00Z")], &[("x", "2027-02-01T00:00:00Z")]], None);
        check(
            &[
                &[("x", "2027-01-01T08:00:00Z")],
                &[("x", "2027-01-01T08:00:00Z")],
                &[("x", "2027-01-01T08:00:00Z")],
            ],
            None,
        );
        // A few events of the same moment, if the name suggests a time.
        let moment: &[(&str, &str)] = &[("EdgeStartTimestamp", "1795230245000000000")];
        check(&[moment; 3], Some("EdgeStartTimestamp"));
        check(&[moment; 20], None);
        // Few events have it.
        check(&[&[("x", "2027-01-01T08:00:00Z"), ("y", "1")], &[("y", "1")], &[("y", "1")]], None);
    }
}
