//! Logs of a shop and of its bookings with one change in their second half, and whether a comparison of the halves names it.

use std::fmt::Write;

use indexer::compare::{Comparison, Subject};
use indexer::stamp;

/// 2026-03-01T14:00:00Z.
const START: i64 = 1_772_373_600 * 1_000_000_000;

/// What happens in the second half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// An error that was never there, in a thousandth of the events.
    NewError,
    /// The requests with one value of a field fail more often.
    ValueFails,
    /// The requests of one group take a fifth longer.
    Slower,
    /// A message that came all the time comes no more from some time on.
    Stops,
    /// A message that comes every 15 to 40 seconds does so every 1.3 to 1.8 times as many, or as few.
    Period,
    /// A message that came at any time comes at regular ones, as often as before.
    Repeats,
    /// The clock of one source is 730 ms fast or slow.
    Clock,
    Nothing,
}

impl Change {
    pub const ALL: [Change; 7] = [
        Change::NewError,
        Change::ValueFails,
        Change::Slower,
        Change::Stops,
        Change::Period,
        Change::Repeats,
        Change::Clock,
    ];
}

/// Logs, and what the row of the true cause says.
#[derive(Debug)]
pub struct Log {
    /// By the names of their files.
    pub files: Vec<(&'static str, String)>,
    /// The first event of the second half.
    pub middle: i64,
    pub cause: Option<Cause>,
}

#[derive(Debug)]
pub enum Cause {
    /// A pattern with these words.
    Pattern(&'static str),
    /// One with another rhythm.
    Rhythm(&'static str),
    /// A row that names this value.
    Value(&'static str, String),
    /// Numbers of a field where another one has a value.
    Number(&'static str, &'static str, String),
    /// The clock of a source.
    Clock(&'static str),
}

/// Numbers that are the same for a seed in every run.
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    #[must_use]
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x5851_F42D_4C95_7F2D) ^ 0x1405_7B7E_F767_814F)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.bits() % limit.max(1) as u64) as usize
    }

    /// From 0 to 1.
    pub fn share(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// With a mean of 0 and a deviation of 1.
    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.share()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.share()).cos()
    }
}

const SERVICES: [&str; 6] = ["cart", "catalog", "checkout", "login", "search", "shipping"];
const REGIONS: [&str; 4] = ["eu-1", "eu-2", "us-1", "us-2"];
const VERSIONS: [&str; 3] = ["2.3.0", "2.3.1", "2.4.0"];
const ERRORS: [&str; 4] =
    ["checksum mismatch in block", "no route to ledger", "certificate expired for peer", "deadlock on shard"];
/// Messages that come all the time, each in about one of 120 events.
const BEATS: [&str; 6] = [
    "replication lag is",
    "heartbeat sent to coordinator, load",
    "compaction finished, segments",
    "cache refreshed, entries",
    "lease renewed for",
    "metrics flushed, samples",
];

/// Messages of timers.
const TIMERS: [&str; 3] = [
    "checkpoint of the ledger written, pages",
    "probe of the gateway answered in ms",
    "session sweep removed",
];

/// When the next message of a timer comes.
struct Timer {
    message: &'static str,
    mean_ns: f64,
    is_regular: bool,
    next: i64,
    random: Random,
}

impl Timer {
    /// Two timers are in every log: a regular one and one that comes at any time.
    fn both(seed: u64) -> [Timer; 2] {
        let mut random = Random::new(seed ^ 0x7469_6D65_7273);
        let first = random.below(TIMERS.len());
        let mut timer = |place: usize, is_regular: bool| {
            let mean_ns = (15.0 + 25.0 * random.share()) * 1e9;
            let message = TIMERS[(first + place) % TIMERS.len()];
            let random = Random::new(random.bits());
            let mut timer = Timer { message, mean_ns, is_regular, next: START, random };
            timer.advance();
            timer
        };
        [timer(0, true), timer(1, false)]
    }

    /// Regular ones are late by up to a fiftieth of their time.
    fn advance(&mut self) {
        let share = self.random.share();
        let times = if self.is_regular { 1.0 + 0.02 * share } else { -(1.0 - share).ln() };
        self.next += (self.mean_ns * times) as i64 + 1;
    }

    /// What happens to the timers in the middle.
    fn change(timers: &mut [Timer; 2], change: Change) {
        match change {
            Change::Period => {
                let timer = &mut timers[0];
                let factor = 1.3 + 0.5 * timer.random.share();
                timer.mean_ns *= if timer.random.below(2) == 0 { factor } else { 1.0 / factor };
            }
            Change::Repeats => timers[1].is_regular = true,
            _ => {}
        }
    }

    fn write(&mut self, text: &mut String) {
        let number = self.random.below(1_000);
        let host = self.random.below(10);
        let _ = writeln!(
            text,
            "{{\"time\":\"{}\",\"level\":\"info\",\"service\":\"cart\",\"host\":\"app-{host:02}\",\"message\":\"{} {number}\"}}",
            stamp::to_rfc3339(self.next),
            self.message,
        );
        self.advance();
    }
}

const GATEWAY: &str = "gateway.ndjson";
const LEDGER: &str = "ledger.log";

/// How far a clock is off.
const CLOCK_OFF_NS: i64 = 730_000_000;

/// Requests that a gateway passes on to a ledger, which writes what it does in between.
struct Requests {
    next: i64,
    random: Random,
    /// What the clock of the ledger is fast.
    ledger_off_ns: i64,
    /// Each line with the time of its own clock.
    gateway: Vec<(i64, String)>,
    ledger: Vec<(i64, String)>,
}

impl Requests {
    const MEAN_NS: f64 = 2e9;

    fn new(seed: u64) -> Requests {
        let random = Random::new(seed ^ 0x7265_7175);
        Requests { next: START, random, ledger_off_ns: 0, gateway: Vec::new(), ledger: Vec::new() }
    }

    fn change(&mut self, change: Change) {
        if change == Change::Clock {
            self.ledger_off_ns = if self.random.below(2) == 0 { CLOCK_OFF_NS } else { -CLOCK_OFF_NS };
        }
    }

    /// Some milliseconds, and seldom many.
    fn latency(&mut self, least_ms: f64, mean_ms: f64) -> i64 {
        ((least_ms - (1.0 - self.random.share()).ln() * mean_ms) * 1e6) as i64
    }

    fn write(&mut self) {
        let id = format!("{:016x}", self.random.bits());
        let (there, work, back) = (self.latency(1.0, 8.0), self.latency(5.0, 60.0), self.latency(1.0, 8.0));
        let begins = self.next;
        let mut gateway = |at: i64, what: &str| {
            let time = stamp::to_rfc3339(at);
            let line = format!(
                "{{\"time\":\"{time}\",\"level\":\"info\",\"request_id\":\"{id}\",\"message\":\"booking {what}\"}}\n"
            );
            self.gateway.push((at, line));
        };
        gateway(begins, "begins");
        gateway(begins + there + work + back, "ends");
        let mut ledger = |at: i64, what: &str| {
            let at = at + self.ledger_off_ns;
            let line = format!("{} INFO  [ledger] {what} entry of request {id}\n", stamp::to_rfc3339(at));
            self.ledger.push((at, line));
        };
        ledger(begins + there, "locks");
        ledger(begins + there + work, "writes");
        self.next += (-(1.0 - self.random.share()).ln() * Self::MEAN_NS) as i64 + 1;
    }

    fn files(self) -> [(&'static str, String); 2] {
        [(GATEWAY, self.gateway), (LEDGER, self.ledger)].map(|(name, mut lines)| {
            lines.sort();
            (name, lines.into_iter().map(|(_, line)| line).collect())
        })
    }
}

struct Plan {
    change: Change,
    error: &'static str,
    field: &'static str,
    value: String,
    beat: &'static str,
    stops_at: usize,
    fails: f64,
}

/// Logs of a shop with so many events, and of its bookings.
#[must_use]
pub fn log(change: Change, seed: u64, events: usize) -> Log {
    let mut random = Random::new(seed);
    let field = ["service", "region", "version", "host"][random.below(4)];
    let value = match field {
        "service" => SERVICES[random.below(SERVICES.len())].to_owned(),
        "region" => REGIONS[random.below(REGIONS.len())].to_owned(),
        "version" => VERSIONS[random.below(VERSIONS.len())].to_owned(),
        _ => format!("app-{:02}", random.below(10)),
    };
    let half = events / 2;
    let plan = Plan {
        change,
        error: ERRORS[random.below(ERRORS.len())],
        field,
        value,
        beat: BEATS[random.below(BEATS.len())],
        stops_at: half + half / 5 + random.below(half / 2),
        fails: 0.1 + 0.3 * random.share(),
    };
    let (mut text, mut time, mut middle) = (String::new(), START, START);
    let mut burst = 0;
    let (mut timers, mut requests) = (Timer::both(seed), Requests::new(seed));
    for place in 0..events {
        if burst == 0 && random.share() < 0.0008 {
            burst = 3 + random.below(25);
        }
        time += (-(1.0 - random.share()).ln() * 50_000_000.0) as i64 + 1_000_000;
        for timer in &mut timers {
            while timer.next < time {
                timer.write(&mut text);
            }
        }
        while requests.next < time {
            requests.write();
        }
        if place == half {
            middle = time;
            Timer::change(&mut timers, change);
            requests.change(change);
        }
        line(&mut text, &plan, &mut random, (time, burst > 0), place, half);
        burst = burst.saturating_sub(1);
    }
    let cause = match change {
        Change::Nothing => None,
        Change::NewError => Some(Cause::Pattern(plan.error)),
        Change::Stops => Some(Cause::Pattern(plan.beat)),
        Change::Period => Some(Cause::Rhythm(timers[0].message)),
        Change::Repeats => Some(Cause::Rhythm(timers[1].message)),
        Change::ValueFails => Some(Cause::Value(plan.field, plan.value)),
        Change::Slower => Some(Cause::Number("duration_ms", plan.field, plan.value)),
        Change::Clock => Some(Cause::Clock(LEDGER)),
    };
    let files = std::iter::once(("shop.ndjson", text)).chain(requests.files()).collect();
    Log { files, middle, cause }
}

/// Writes the next event. Warnings come in bursts, at any time.
fn line(
    text: &mut String,
    plan: &Plan,
    random: &mut Random,
    (time, is_burst): (i64, bool),
    place: usize,
    half: usize,
) {
    let is_later = place >= half;
    let host = random.below(10);
    // Hosts belong to regions, and each runs one version.
    let (region, version) = (REGIONS[host % REGIONS.len()], VERSIONS[host / 4]);
    let place_of_service = random.share() * 100.0;
    let service = [26.0, 48.0, 66.0, 80.0, 91.0].iter().filter(|&&end| place_of_service >= end).count();
    let host = format!("app-{host:02}");
    let is_hit = match plan.field {
        "service" => SERVICES[service] == plan.value,
        "region" => region == plan.value,
        "version" => version == plan.value,
        _ => host == plan.value,
    };
    let (mut level, mut request) = ("info", None);
    let mut message = String::new();
    let draw = random.share();
    if is_later && plan.change == Change::NewError && random.share() < 0.001 {
        level = "error";
        let _ = write!(message, "{} {}", plan.error, random.below(10_000));
    } else if is_burst {
        level = "warn";
        let _ = write!(message, "connection to peer {} lost, retrying", random.below(50));
    } else if draw < 0.05 {
        let beat = BEATS[(draw * 120.0) as usize % BEATS.len()];
        let has_stopped = plan.change == Change::Stops && place >= plan.stops_at && beat == plan.beat;
        let beat = if has_stopped { "idle, threads" } else { beat };
        let _ = write!(message, "{beat} {}", random.below(1_000));
    } else if draw < 0.3 {
        level = "debug";
        match random.below(4) {
            0 => write!(message, "session {:016x} loaded for user {}", random.bits(), random.below(5_000)),
            1 => write!(message, "query on shard {} took {} us", random.below(64), random.below(90_000)),
            2 => write!(message, "feature flags of user {} read", random.below(5_000)),
            _ => write!(message, "idle, threads {}", random.below(32)),
        }
        .unwrap_or_default();
    } else {
        let slow = 1.0 + 0.2 * f64::from(u8::from(is_later && is_hit && plan.change == Change::Slower));
        let duration = (40.0 + 25.0 * service as f64) * slow * (0.45 * random.normal()).exp();
        let fails = if is_later && is_hit && plan.change == Change::ValueFails { plan.fails } else { 0.01 };
        let status = match random.share() {
            share if share < fails => [500, 502, 503][random.below(3)],
            share if share < fails + 0.03 => 404,
            share if share < fails + 0.05 => 304,
            _ => 200,
        };
        let path = ["list", "item", "update", "status"][random.below(4)];
        if status >= 500 {
            level = "error";
            let _ = write!(
                message,
                "request to /{}/{path} failed, attempt {}",
                SERVICES[service],
                random.below(3)
            );
        } else {
            let _ = write!(message, "request to /{}/{path} done", SERVICES[service]);
        }
        request = Some((status, duration, (900.0 * random.normal().exp()) as u64));
    }
    let _ = write!(
        text,
        "{{\"time\":\"{}\",\"level\":\"{level}\",\"service\":\"{}\",\"host\":\"{host}\",\"region\":\"{region}\",\"version\":\"{version}\"",
        stamp::to_rfc3339(time),
        SERVICES[service],
    );
    if let Some((status, duration, bytes)) = request {
        let _ = write!(text, ",\"status\":{status},\"duration_ms\":{duration:.1},\"bytes\":{bytes}");
    }
    let _ = writeln!(text, ",\"message\":\"{message}\"}}");
}

impl Cause {
    /// The place of the row that names it, from 1; rows that cover the same events as one are listed with it.
    #[must_use]
    pub fn rank(&self, found: &Comparison) -> Option<usize> {
        let names = |subject: &Subject| self.is_named_by(subject);
        let is_it = |row: &indexer::compare::Difference| {
            let is_rhythm = matches!(self, Cause::Rhythm(_));
            (names(&row.subject) && (!is_rhythm || row.beat.is_some()))
                || row.also.iter().any(|also| also.is_same() && names(&also.subject))
        };
        found.differences.iter().position(is_it).map(|place| place + 1)
    }

    fn is_named_by(&self, subject: &Subject) -> bool {
        match (self, subject) {
            (Cause::Pattern(words) | Cause::Rhythm(words), Subject::Pattern { text, .. }) => {
                text.contains(words)
            }
            (_, Subject::Pair { one, other }) => self.is_named_by(one) || self.is_named_by(other),
            (Cause::Value(field, value), Subject::Value { field: known, value: own }) => {
                field == known && own.to_string() == *value
            }
            (Cause::Number(field, by, value), Subject::Number { field: known, group: Some(group) }) => {
                let group = group.as_ref();
                let is_group = matches!(group, Subject::Value { field, value: own } if field == by && own.to_string() == *value);
                field == known && is_group
            }
            (Cause::Clock(name), Subject::Clock { source, against }) => source == name || against == name,
            _ => false,
        }
    }
}
