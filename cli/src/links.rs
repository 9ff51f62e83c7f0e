//! `timberline links`: fields of different sources that hold the same values, and clocks that differ.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use indexer::links::{Clock, Encounter, Estimate, Link, LinkEnd, Links as Found, Spot};
use indexer::{Cancel, Case, Snapshot, stamp};
use serde_json::{Value, json};

use crate::Outcome;
use crate::events::outcome;
use crate::out;

/// A clock that gains more than this, in millionths, is said to.
const LEAST_DRIFT: f64 = 1.0;

#[derive(Args)]
pub struct Links {
    /// The case's folder
    pub case: PathBuf,
    /// JSON with all figures
    #[arg(long)]
    pub json: bool,
}

pub fn run(arguments: &Links) -> Result<Outcome> {
    let case = Case::open(&arguments.case)?;
    let snapshot = case.snapshot();
    let mut progress = |share: f64| out::progress(&format!("{:.0} %", share * 100.0));
    let found = case.links(&snapshot, &mut progress, &Cancel::default());
    out::progress("");
    let (found, mut stdout) = (found?, out::stdout());
    if arguments.json {
        out::json(&mut stdout, &as_json(&found, &snapshot))?;
    } else {
        print(&found, &snapshot, &mut stdout)?;
    }
    stdout.flush()?;
    if found.sampled < 1.0 {
        let share = found.sampled * 100.0;
        out::say(&format!("There are very many values: {share:.1} % of them were looked at."));
    }
    Ok(outcome(&snapshot))
}

fn print(found: &Found, snapshot: &Snapshot, to: &mut dyn Write) -> Result<()> {
    if found.links.is_empty() {
        writeln!(to, "No fields under different names hold the same values.")?;
    }
    for link in &found.links {
        let [one, other] = &link.ends;
        writeln!(to, "{} = {}", place(one, snapshot), place(other, snapshot))?;
        let (shared, share) = (link.shared, 100.0 * link.share);
        writeln!(
            to,
            "     {shared} values in both, {share:.0} % of the one with fewer: {}",
            link.examples.join(", ")
        )?;
    }
    for id in &found.ids {
        let is_its_own = |link: &&Link| link.ends.iter().any(|end| id.spots.contains(&end.spot));
        let value = found.links.iter().find(is_its_own).and_then(|link| link.examples.first());
        writeln!(to)?;
        if let Some(value) = value {
            let query = indexer::View::parse(&id.filter(value), None, None)?.filter;
            writeln!(to, "To follow one of these: {query}")?;
        }
        writeln!(to, "To put each together: {}", id.transactions)?;
    }
    for clock in &found.clocks {
        writeln!(to)?;
        print_clock(clock, snapshot, to)?;
    }
    Ok(())
}

fn place(end: &LinkEnd, snapshot: &Snapshot) -> String {
    let more = end.sources.len().saturating_sub(1);
    let source = end.sources.first().map_or("", |&source| name(snapshot, source));
    let source = if more > 0 { format!("{source} and {more} more") } else { source.to_owned() };
    match &end.spot {
        Spot::Field(field) => format!("{field} ({source})"),
        Spot::After(word) if word.is_empty() => format!("text ({source})"),
        Spot::After(word) => format!("text after \"{word}\" ({source})"),
    }
}

fn print_clock(clock: &Clock, snapshot: &Snapshot, to: &mut dyn Write) -> Result<()> {
    let [one, other] = clock.sources.map(|source| name(snapshot, source));
    let Estimate { offset_ns, least_ns, most_ns, drift_ppm, values, .. } = clock.estimate;
    let between = format!("between {} and {}", seconds(least_ns), seconds(most_ns));
    if let Some(jump) = clock.estimate.jump {
        let (at, before, after) =
            (stamp::to_rfc3339(jump.at), seconds(jump.before_ns), seconds(jump.after_ns));
        writeln!(
            to,
            "The clock of {other} or {one} was set near {at}: {other} needs {before} before, {after} after"
        )?;
    } else if clock.differs {
        let (ahead, late) = if offset_ns > 0 { (one, other) } else { (other, one) };
        let span = seconds(offset_ns.saturating_abs());
        let span = span.trim_start_matches('+');
        writeln!(to, "The clock of {ahead} is {span} ahead of that of {late} ({between}, {values} values)")?;
        writeln!(
            to,
            "     timberline adjust {} {other} --offset {}",
            snapshot.name(),
            seconds(clock.set_ns)
        )?;
    } else {
        writeln!(to, "The clocks of {other} and {one} agree ({between}, {values} values)")?;
    }
    if drift_ppm.abs() >= LEAST_DRIFT {
        let (day, at) = (drift_ppm * 86_400.0 / 1e6, stamp::to_rfc3339(clock.estimate.at));
        writeln!(to, "     it gains {day:.2} s a day; the offset is that of {at}")?;
    }
    for Encounter { value, one, other } in &clock.examples {
        writeln!(to, "     {value}: {} and {}", stamp::to_rfc3339(*one), stamp::to_rfc3339(*other))?;
    }
    Ok(())
}

/// As `adjust` takes it.
fn name(snapshot: &Snapshot, source: u32) -> &str {
    snapshot.sources().get(source as usize).map_or("", |source| source.set.as_deref().unwrap_or(&source.name))
}

/// Seconds to the millisecond, as `--offset` takes them.
fn seconds(nanos: i64) -> String {
    let (sign, nanos) = (if nanos < 0 { "-" } else { "+" }, nanos.unsigned_abs());
    let millis = (nanos + 500_000) / 1_000_000;
    format!("{sign}{}.{:03}s", millis / 1_000, millis % 1_000)
}

pub fn as_json(found: &Found, snapshot: &Snapshot) -> Value {
    json!({
        "links": found.links.iter().map(|link| link_as_json(link, snapshot)).collect::<Vec<_>>(),
        "ids": found.ids.iter().map(|id| json!({
            "spots": id.spots.iter().map(spot_as_json).collect::<Vec<_>>(),
            "transactions": id.transactions,
        })).collect::<Vec<_>>(),
        "clocks": found.clocks.iter().map(|clock| clock_as_json(clock, snapshot)).collect::<Vec<_>>(),
        "sampled": found.sampled,
    })
}

fn link_as_json(link: &Link, snapshot: &Snapshot) -> Value {
    let ends = link.ends.iter().map(|end| {
        let sources: Vec<&str> = end.sources.iter().map(|&source| name(snapshot, source)).collect();
        let mut value = spot_as_json(&end.spot);
        value["format"] = json!(end.format);
        value["sources"] = json!(sources);
        value["values"] = json!(end.values);
        value
    });
    json!({
        "ends": ends.collect::<Vec<_>>(),
        "shared": link.shared,
        "share": link.share,
        "examples": link.examples,
    })
}

fn spot_as_json(spot: &Spot) -> Value {
    match spot {
        Spot::Field(field) => json!({ "field": field }),
        Spot::After(word) => json!({ "after": word }),
    }
}

fn clock_as_json(clock: &Clock, snapshot: &Snapshot) -> Value {
    let Estimate { offset_ns, least_ns, most_ns, drift_ppm, at, values, nested, jump } = clock.estimate;
    let times = |encounter: &Encounter| [encounter.one, encounter.other].map(stamp::to_rfc3339);
    let examples = clock.examples.iter().map(|each| json!({ "value": each.value, "times": times(each) }));
    json!({
        "sources": clock.sources.map(|source| name(snapshot, source)),
        "differs": clock.differs,
        "offset_ns": offset_ns,
        "set_ns": clock.set_ns,
        "least_ns": least_ns,
        "most_ns": most_ns,
        "drift_ppm": drift_ppm,
        "at": stamp::to_rfc3339(at),
        "values": values,
        "nested": nested,
        "jump": jump.map(|jump| json!({
            "at": stamp::to_rfc3339(jump.at),
            "before_ns": jump.before_ns,
            "after_ns": jump.after_ns,
        })),
        "spots": clock.spots.iter().map(|spots| spots.each_ref().map(spot_as_json)).collect::<Vec<_>>(),
        "examples": examples.collect::<Vec<_>>(),
    })
}
