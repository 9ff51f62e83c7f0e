//! `timberline compare`: what differs between two parts of a case, ranked, for people and as JSON.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use clap::Args;
use indexer::aggregate::TimeZone;
use indexer::compare::{
    Beat, BeatChange, Change, ClockChange, Comparison, Difference, FirstDivergence, Mix, Side, Subject,
    Unchanged,
};
use indexer::query::Filter;
use indexer::query::time::{Period, stretch};
use indexer::{Cancel, Case, Engine, Error, ErrorKind, Scalar, Snapshot, View, stamp};
use remote::{Asked, SampleCase};

pub mod json;

use crate::Outcome;
use crate::events::{outcome, time};
use crate::import::counted;
use crate::{out, remotes};

/// Consequences that are printed with a row.
const ALSO: usize = 3;

const SIDES: [&str; 2] = ["A", "B"];

#[derive(Args)]
#[command(after_help = "Each side is a filter, a range of times after an @, or both:
  timberline compare shop.case '@ 13:00/14:00' '@ 14:00/15:00'
  timberline compare shop.case 'version=2.3.0' 'version=2.3.1'
  timberline compare shop.case '* @ /2026-03-01T14:00' 'service=cart @ 2026-03-01T14:00/'
  timberline compare shop.case '@ /deployed' '@ deployed/'       a marker of the case
  timberline compare shop.case '*' '*' --other yesterday.case    A in another case
  timberline compare shop.case '*' '*' --other remote:prod       A in a sample of a cluster
  timberline compare remote:prod '*' '*' --other shop.case       B in that sample
docs/compare.md says what the scores mean.")]
pub struct Compare {
    /// The case's folder, or a cluster as remote:NAME, from which a random sample is taken
    pub case: PathBuf,
    /// What to compare with: the events before, or those that are as they should be
    #[arg(value_name = "A", allow_hyphen_values = true)]
    pub a: String,
    /// What is looked into: rows are new, gone, more or fewer in B
    #[arg(value_name = "B", allow_hyphen_values = true)]
    pub b: String,
    /// A is in this case, or of a cluster as remote:NAME; B is in CASE
    #[arg(long, alias = "with", value_name = "CASE")]
    pub other: Option<PathBuf>,
    /// Only events at or after this time, for a side without a range of its own (RFC 3339)
    #[arg(long, value_name = "T")]
    pub from: Option<String>,
    /// Only events before this time, for a side without a range of its own
    #[arg(long, value_name = "T")]
    pub to: Option<String>,
    /// At most so many rows
    #[arg(long, value_name = "N", default_value = "20")]
    pub limit: usize,
    /// The longest time for one request to a cluster: 2m (default: 1m)
    #[arg(long, value_name = "DURATION")]
    pub timeout: Option<String>,
    /// JSON with all figures
    #[arg(long)]
    pub json: bool,
}

pub fn run(arguments: &Compare) -> Result<Outcome> {
    let range = (time(arguments.from.as_ref())?, time(arguments.to.as_ref())?);
    let timeout = arguments.timeout.as_deref();
    let mut notes = Vec::new();
    let b = OwnSide::open((&arguments.case, timeout), (&arguments.b, "B"), range, &mut notes)?;
    let other = arguments.other.as_ref().unwrap_or(&arguments.case);
    let a = match &b.held {
        // What both sides have is known within one snapshot only.
        Held::Case(case) if *other == arguments.case => {
            let view = side_of(case, &b.snapshot, &arguments.a, range)?;
            OwnSide { held: Held::Case(Arc::clone(case)), snapshot: Arc::clone(&b.snapshot), view }
        }
        _ => OwnSide::open((other, timeout), (&arguments.a, "A"), range, &mut notes)?,
    };
    let mut partial = |_: &Comparison, share: f64| out::progress(&format!("{:.0} %", share * 100.0));
    let (sides, sampled_by) = ([a.side(), b.side()], [a.sampled_by(), b.sampled_by()]);
    let found = Engine::compare_cases(sides, sampled_by, arguments.limit, &mut partial, &Cancel::default());
    out::progress("");
    let found = found?;
    notes.extend(found.notes());
    let mut stdout = out::stdout();
    if arguments.json {
        out::json(&mut stdout, &json::as_json(&found, &notes))?;
    } else {
        print(&found, &mut stdout)?;
    }
    stdout.flush()?;
    for note in &notes {
        out::say(note);
    }
    Ok(outcome(&b.snapshot))
}

/// A side of a case. What is wrong with it is shown under it.
fn side_of(case: &Case, snapshot: &Snapshot, text: &str, range: Bounds) -> Result<View> {
    let markers = markers(case)?;
    let (filter, view) = side(text, (snapshot.time_range(), &markers), range)?;
    let view = view.inspect_err(|error| out::caret(filter, error))?;
    case.resolved(snapshot, &view).inspect_err(|error| out::caret(filter, error))?;
    Ok(view)
}

/// The markers of a case: their texts and times.
fn markers(case: &Case) -> Result<Vec<(String, i64)>> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let notes = case.notes(None, i64::try_from(now.as_nanos()).unwrap_or(i64::MAX))?;
    let markers = notes.notes.into_iter().filter(|note| note.kind == "marker");
    Ok(markers.filter_map(|note| Some((note.text, note.range?.0))).collect())
}

/// A side with the case that it is in.
struct OwnSide {
    held: Held,
    snapshot: Arc<Snapshot>,
    view: View,
}

enum Held {
    Case(Arc<Case>),
    /// Its folder is gone with it.
    Sample(Box<SampleCase>),
}

impl OwnSide {
    fn open(
        (path, timeout): (&Path, Option<&str>),
        (text, name): (&str, &str),
        range: Bounds,
        notes: &mut Vec<String>,
    ) -> Result<OwnSide> {
        if let Some(remote) = remotes::named(path) {
            let cluster = remotes::connected(remote, timeout)?;
            let last = cluster.last_time()?;
            let (filter, view) = side(text, (Some((last, last)), &[]), range)?;
            let view = view.inspect_err(|error| out::caret(filter, error))?;
            let asked = Asked { filter: view.filter, from: view.from, to: view.to, ..Asked::everything() };
            let sample = cluster.sample_case(&asked).inspect_err(|error| out::caret(filter, error))?;
            notes.extend(sample.notes.iter().map(|note| format!("{name}: {note}")));
            let snapshot = sample.case.snapshot();
            // The cluster has filtered.
            let view = View { filter: Filter::Everything, from: None, to: None };
            return Ok(OwnSide { held: Held::Sample(Box::new(sample)), snapshot, view });
        }
        let case = Arc::new(Case::open(path)?);
        let snapshot = case.snapshot();
        let view = side_of(&case, &snapshot, text, range)?;
        Ok(OwnSide { held: Held::Case(case), snapshot, view })
    }

    fn side(&self) -> Side<'_> {
        let case = match &self.held {
            Held::Case(case) => case,
            Held::Sample(sample) => &sample.case,
        };
        Side { case, snapshot: &self.snapshot, view: &self.view }
    }

    fn sampled_by(&self) -> Option<&Filter> {
        match &self.held {
            Held::Case(_) => None,
            Held::Sample(sample) => Some(&sample.filter),
        }
    }
}

/// The times of the data, and the markers of the case by text.
type KnownTimes<'k> = (Option<(i64, i64)>, &'k [(String, i64)]);

/// From and to, each where it is bounded.
type Bounds = (Option<i64>, Option<i64>);

/// A side as it is written: a filter, a range of times after an `@`, or both. Its filter, and its view.
fn side<'t>(text: &'t str, known: KnownTimes<'_>, range: Bounds) -> Result<(&'t str, indexer::Result<View>)> {
    let (filter, times) = match text.rsplit_once(" @") {
        Some((filter, times)) => (filter, Some(times)),
        None => text.strip_prefix('@').map_or((text, None), |times| ("*", Some(times))),
    };
    let (from, to) = times.map_or(Ok(range), |times| self::range(times.trim(), known))?;
    let filter = if filter.trim().is_empty() { "*" } else { filter };
    Ok((filter, View::parse(filter, from, to)))
}

/// `from/to`, where either may be missing, or one time that lasts, as `yesterday`. Each may be the text of a marker. The
/// end of the data is now, as in queries.
fn range(text: &str, (data, markers): KnownTimes<'_>) -> Result<Bounds> {
    let now = data.map_or(0, |(_, last)| last);
    let around = data.map(|(from, to)| Period { from, to });
    let marker = |text: &str| {
        let text = text.trim().trim_matches('"');
        let found = markers.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
        found.map(|(_, time)| stamp::to_rfc3339(*time))
    };
    let read = |from: &str, to: Option<&str>| {
        let from = marker(from).unwrap_or_else(|| from.to_owned());
        let to = to.map(|to| marker(to).unwrap_or_else(|| to.to_owned()));
        stretch(&from, to.as_deref(), now, &TimeZone::UTC, around).ok_or_else(|| {
            let message = format!("not a range of times: {text}");
            Error::new(ErrorKind::BadRequest, message).hint(
                "write FILTER @ 2026-03-01T14:00/2026-03-01T15:00, @ 14:00/, @ /now-1h, @ yesterday or @ /MARKER",
            )
        })
    };
    Ok(match (text.strip_prefix('/'), text.strip_suffix('/')) {
        (Some(to), _) => (None, Some(read(to, Some(to))?.from)),
        (_, Some(from)) => (Some(read(from, Some(from))?.from), None),
        _ => {
            let between = text.split_once('/').filter(|(from, to)| marker(from).or(marker(to)).is_some());
            let period = match between {
                Some((from, to)) => read(from, Some(to))?,
                None => read(text, None)?,
            };
            (Some(period.from), Some(period.to))
        }
    })
}

fn print(found: &Comparison, to: &mut dyn Write) -> Result<()> {
    let [a, b] = found.events.map(|events| counted(events, "event"));
    writeln!(to, "A {a}, B {b}")?;
    if let Some(first) = &found.first {
        writeln!(to, "{}", first_divergence(first))?;
    }
    if let Some(volume) = &found.volume {
        writeln!(to, "{}", capital(&volume.text()))?;
    }
    for (place, row) in found.differences.iter().enumerate() {
        writeln!(to)?;
        writeln!(to, "{:>3}. {} {}: {}", place + 1, row.change.name(), row.subject.kind(), row.subject)?;
        writeln!(to, "     {}", figures(row))?;
        if let Some(stop) = row.stop {
            let last = stamp::to_rfc3339(stop.last);
            writeln!(to, "     the last one at {last}; {:.0} more were to be expected", stop.expected)?;
        } else if let Some(since) = row.since {
            let side = SIDES[since.side.min(1)];
            writeln!(to, "     in {side} since {}", stamp::to_rfc3339(since.at))?;
        }
        if let Some(beat) = &row.beat {
            writeln!(to, "     {}", rhythm(beat))?;
        }
        if let (Some(clock), Subject::Clock { source, against }) = (&row.clock, &row.subject) {
            print_clock(clock, source, against, to)?;
        }
        for (name, sides) in percentiles(row) {
            let [a, b] = sides.map(|side| side.map_or_else(|| "none".to_owned(), rounded));
            writeln!(to, "     {name} {a} in A, {b} in B")?;
        }
        for also in row.also.iter().take(ALSO) {
            let how = also.how(row.counts, found.events);
            let (change, counts) = (also.change.name(), also.counts);
            writeln!(to, "     {how}: {change} {} ({} and {})", also.subject, counts[0], counts[1])?;
        }
        if row.also.len() > ALSO {
            writeln!(to, "     and {} more with it", row.also.len() - ALSO)?;
        }
        match &row.side_filters {
            Some([a, b]) if a != b => writeln!(to, "     A: {a}\n     B: {b}")?,
            _ => writeln!(to, "     {}", row.filter)?,
        }
    }
    if found.differences.is_empty() && !found.events.contains(&0) {
        writeln!(to, "\nNo difference is above the line.")?;
    }
    if found.unlisted > 0 {
        writeln!(to, "\n{} more differ.", found.unlisted)?;
    }
    if !found.events.contains(&0) {
        unchanged(found, to)?;
    }
    Ok(())
}

/// How a clock differs, the ids that show it, and what corrects it.
fn print_clock(clock: &ClockChange, source: &str, against: &str, to: &mut dyn Write) -> Result<()> {
    let [a, b] = clock.later.map(|later| offset(later.offset_ns));
    let (moved, margin) = (offset(clock.moved_ns.saturating_abs()), offset(clock.margin_ns));
    let how = if clock.moved_ns > 0 { "later" } else { "earlier" };
    writeln!(to, "     {moved} {how} in B (± {margin}): {b} ahead of {against}, {a} in A")?;
    for example in &clock.examples {
        let [there, here] = [example.one, example.other].map(stamp::to_rfc3339);
        writeln!(to, "     {}: {there} in {against}, {here} in {source}", example.value)?;
    }
    writeln!(to, "     timberline adjust CASE {source} --offset {} corrects B", offset(clock.set_ns))?;
    Ok(())
}

/// `-730ms`, `1.5s`: as `adjust` takes it, to a thousandth of a second.
fn offset(ns: i64) -> String {
    let ms = (ns as f64 / 1e6).round() as i64;
    if ms.abs() < 1_000 {
        format!("{ms}ms")
    } else {
        format!("{}s", trimmed(&format!("{:.3}", ms as f64 / 1e3)))
    }
}

fn first_divergence(first: &FirstDivergence) -> String {
    let place = first.row + 1;
    let event = first.event.map_or_else(String::new, |event| {
        format!(", event {}@{} of {}", event.source, event.offset, SIDES[first.side.min(1)])
    });
    let how = if first.onset.is_some() { "Begin to differ at" } else { "Main difference, at" };
    format!("{how} {}: row {place}{event}", stamp::to_rfc3339(first.at))
}

fn rhythm(change: &BeatChange) -> String {
    let side = |beat: Option<Beat>| {
        beat.map_or_else(
            || "at no regular time".to_owned(),
            |beat| format!("every {} s ({:.0} % of the time)", seconds(beat.period_ns), 100.0 * beat.share),
        )
    };
    format!("{} in A, {} in B", side(change.beats[0]), side(change.beats[1]))
}

/// To three digits.
fn seconds(period_ns: i64) -> String {
    let seconds = period_ns as f64 / 1e9;
    let digits = (2 - seconds.max(1e-9).log10().floor() as i32).clamp(0, 6) as usize;
    trimmed(&format!("{seconds:.digits$}"))
}

/// Without zeros after the decimal point.
fn trimmed(number: &str) -> String {
    let trimmed =
        if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number };
    trimmed.to_owned()
}

fn unchanged(found: &Comparison, to: &mut dyn Write) -> Result<()> {
    if !found.only_shares.is_empty() {
        writeln!(to, "\nOnly other shares, because the rows have more or fewer events:")?;
    }
    for share in &found.only_shares {
        let [a, b] = share.shares.map(|share| 100.0 * share);
        let left = |side: usize| 100.0 * share.left[side] as f64 / share.left_events[side].max(1) as f64;
        let (left_a, left_b) = (left(0), left(1));
        let what = &share.subject;
        writeln!(to, "     {what}: A {a:.3} %, B {b:.3} %; without them A {left_a:.3} %, B {left_b:.3} %")?;
    }
    if !found.others.is_empty() {
        writeln!(to, "\nThe largest other changes, which chance or other values may explain:")?;
    }
    for row in &found.others {
        writeln!(to, "     {} {}: {}", row.change.name(), row.subject, figures(row))?;
        if let [(name, [Some(a), Some(b)]), ..] = percentiles(row)[..] {
            writeln!(to, "     {name} {} in A, {} in B", rounded(a), rounded(b))?;
        }
        if let Some(mix) = row.moved.as_ref().and_then(|moved| moved.mix.as_ref()) {
            let Mix { field, within } = mix;
            writeln!(
                to,
                "     other shares of {field}: with the same one, the mean distance is {within:.3}"
            )?;
        }
    }
    let Unchanged { patterns, values, fields, unclear } = &found.unchanged;
    writeln!(to, "\nCompared: {patterns} patterns, {values} values")?;
    for (what, fields) in [("Unchanged", fields), ("No clear difference", unclear)] {
        for field in fields {
            writeln!(to, "{what}: {}", field.text())?;
        }
    }
    for (field, why) in &found.left_out {
        writeln!(to, "Not compared: {field}, because {}", why.reason())?;
    }
    Ok(())
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().collect::<String>() + letters.as_str())
}

/// Never more than it is.
fn downwards(number: f64) -> f64 {
    (10.0 * number).floor() / 10.0
}

/// The counts, how sure the difference is, and how large.
fn figures(row: &Difference) -> String {
    let [a, b] = row.counts;
    let [share_a, share_b] = row.shares.map(|share| 100.0 * share);
    let counts = format!("A {a} ({share_a:.3} %), B {b} ({share_b:.3} %)");
    let p = if row.p_value > 0.0 { format!("p {:.1e}", row.p_value) } else { "p < 1e-300".to_owned() };
    let score = format!("score {:.1}, G² {:.1}, {p}", row.score, row.g2);
    let at_least = downwards(row.at_least);
    match (&row.moved, row.change) {
        (Some(moved), _) => format!("{counts}; distance {:.3}; {score}", moved.distance),
        (None, Change::Stopped | Change::Repeats | Change::Irregular | Change::Period) => {
            format!("{counts}; {score}")
        }
        (None, Change::Later | Change::Earlier) => format!("{a} ids in A, {b} in B; {score}"),
        _ if row.at_least <= 1.0 => format!("{counts}; {score}"),
        _ => format!("{counts}; at least {at_least:.1} times; {score}"),
    }
}

/// The percentiles by name, of A and of B.
fn percentiles(row: &Difference) -> Vec<(&'static str, [Option<&Scalar>; 2])> {
    let Some(moved) = &row.moved else { return Vec::new() };
    let sides = moved.percentiles.iter().map(|[a, b]| [a.as_ref(), b.as_ref()]);
    ["p50", "p95", "p99"].into_iter().zip(sides).collect()
}

fn rounded(value: &Scalar) -> String {
    match value {
        Scalar::Float(number) => trimmed(&format!("{number:.3}")),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_side_is_a_filter_and_a_range() {
        let stamp = |text: &str| stamp::parse(text).expect("a time");
        let data = Some((stamp("2026-03-01T14:00:00Z"), stamp("2026-03-01T18:00:00Z")));
        let markers = [("version 2.3".to_owned(), stamp("2026-03-01T15:30:00Z"))];
        let known = (data, markers.as_slice());
        let of = |text: &str| {
            let (_, view) = side(text, known, (None, Some(2))).expect("a side");
            let view = view.expect("a filter");
            (view.filter.to_string(), view.from, view.to)
        };
        let all = query_of("*");
        let (two, four) = (stamp("2026-03-01T14:00:00Z"), stamp("2026-03-01T16:00:00Z"));
        let both = of("level=error @ 2026-03-01T14:00/2026-03-01T16:00");
        assert_eq!(both, ("level=error".to_owned(), Some(two), Some(four)));
        assert_eq!(of("@ 14:00/16:00"), (all.clone(), Some(two), Some(four)));
        assert_eq!(of("@ /2026-03-01T16:00"), (all.clone(), None, Some(four)));
        assert_eq!(of("* @ 16:00/"), (all.clone(), Some(four), None));
        assert_eq!(of("mail=ann@example.org").0, query_of("mail=ann@example.org"));
        assert_eq!(of("*"), (all.clone(), None, Some(2)));
        let day = of("@ 2026-03-01");
        assert_eq!(
            (day.1, day.2),
            (Some(stamp("2026-03-01T00:00:00Z")), Some(stamp("2026-03-02T00:00:00Z")))
        );
        let deployed = Some(markers[0].1);
        assert_eq!(of("@ /Version 2.3"), (all.clone(), None, deployed));
        assert_eq!(of("a=1 @ \"version 2.3\"/"), (query_of("a=1"), deployed, None));
        assert_eq!(of("@ version 2.3/16:00"), (all.clone(), deployed, Some(four)));
        let error = side("* @ noon", known, (None, None)).expect_err("no time");
        assert!(error.to_string().contains("not a range of times: noon"), "{error}");
    }

    #[test]
    fn periods_have_three_digits() {
        let shown = [30_000_000_000, 1_234_567_890, 12_345_000, 86_400_000_000_000].map(seconds);
        assert_eq!(shown, ["30", "1.23", "0.0123", "86400"]);
    }

    fn query_of(text: &str) -> String {
        View::parse(text, None, None).expect("a filter").filter.to_string()
    }
}
