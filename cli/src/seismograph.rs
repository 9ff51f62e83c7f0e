//! `timberline seismograph`: message patterns over time, each measured by what is normal for it.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};
use indexer::seismograph::{Seismograph as Found, SeismographOptions, SeismographRow};
use indexer::{Cancel, Case, View, stamp};
use serde_json::{Value, json};

use crate::Outcome;
use crate::events::{outcome, time};
use crate::out;

/// Columns of a printed row.
const COLUMNS: usize = 60;
/// A count is shown as unusual from so many spreads on, and more so from these.
const UNUSUAL: f64 = 2.0;
const SHADES: [(f64, char); 4] = [(16.0, '█'), (8.0, '▓'), (4.0, '▒'), (UNUSUAL, '░')];

#[derive(Args)]
#[command(
    after_help = "Each row is a pattern, each column a time: · as usual, ░▒▓█ more than usual for this pattern,
- less than usual, blank without events. Rows that move together are neighbours."
)]
pub struct Seismograph {
    /// The case's folder
    pub case: PathBuf,
    /// Only events that match this filter
    #[arg(value_name = "QUERY", allow_hyphen_values = true, default_value = "*")]
    pub query: String,
    /// Only events at or after this time (RFC 3339; UTC if it has no zone)
    #[arg(long, value_name = "T")]
    pub from: Option<String>,
    /// Only events before this time
    #[arg(long, value_name = "T")]
    pub to: Option<String>,
    /// At most so many patterns, up to 500: those that start or stop, then the most frequent
    #[arg(long, value_name = "N", default_value = "500")]
    pub rows: usize,
    /// Cut the time into at most so many bins, up to 600
    #[arg(long, value_name = "N", default_value = "600")]
    pub bins: usize,
    /// How much messages of one pattern may differ
    #[arg(long, value_enum, default_value = "template")]
    pub granularity: Granularity,
    /// JSON with all counts
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Granularity {
    /// In numbers and ids only
    Shape,
    /// As what one line of a program writes
    Template,
    Group,
    Family,
}

impl From<Granularity> for indexer::Granularity {
    fn from(granularity: Granularity) -> indexer::Granularity {
        match granularity {
            Granularity::Shape => indexer::Granularity::Shape,
            Granularity::Template => indexer::Granularity::Template,
            Granularity::Group => indexer::Granularity::Group,
            Granularity::Family => indexer::Granularity::Family,
        }
    }
}

pub fn run(arguments: &Seismograph) -> Result<Outcome> {
    let case = Case::open(&arguments.case)?;
    let snapshot = case.snapshot();
    let (from, to) = (time(arguments.from.as_ref())?, time(arguments.to.as_ref())?);
    let options = SeismographOptions {
        granularity: arguments.granularity.into(),
        rows: arguments.rows,
        bins: arguments.bins,
    };
    let view =
        View::parse(&arguments.query, from, to).inspect_err(|error| out::caret(&arguments.query, error))?;
    let mut progress = |share: f64| out::progress(&format!("{:.0} %", share * 100.0));
    let found = case.seismograph(&snapshot, &view, options, &mut progress, &Cancel::default());
    out::progress("");
    let found = found.inspect_err(|error| out::caret(&arguments.query, error))?;
    let mut stdout = out::stdout();
    if arguments.json {
        serde_json::to_writer(&mut stdout, &as_json(&found))?;
        writeln!(stdout)?;
    } else {
        print(&found, &mut stdout)?;
    }
    stdout.flush()?;
    if found.without > 0 {
        out::say(&format!("{} matching events have no message", found.without));
    }
    Ok(outcome(&snapshot))
}

fn print(found: &Found, to: &mut dyn Write) -> Result<()> {
    if found.rows.is_empty() {
        return Ok(writeln!(to, "No matching event has a message.")?);
    }
    let end = found.start.saturating_add(found.width_ns.saturating_mul(found.all.len() as i64));
    writeln!(
        to,
        "{} of {} patterns, {} to {}",
        found.rows.len(),
        found.distinct,
        stamp::to_rfc3339(found.start),
        stamp::to_rfc3339(end)
    )?;
    for row in &found.rows {
        writeln!(to, "{} {:>9}  {}{}", picture(row, &found.all), row.count, row.text, flags(row))?;
    }
    Ok(())
}

/// The most unusual bin of each column.
fn picture(row: &SeismographRow, all: &[u32]) -> String {
    let together = all.len().div_ceil(COLUMNS).max(1);
    row.counts
        .chunks(together)
        .zip(all.chunks(together))
        .map(|(counts, all)| cell(row, counts, all))
        .collect()
}

fn cell(row: &SeismographRow, counts: &[u32], all: &[u32]) -> char {
    let used = counts.iter().zip(all).filter(|(_, all)| **all > 0);
    let deviations: Vec<f64> = used.map(|(&count, _)| row.normal.deviation(count)).collect();
    let most = deviations.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let least = deviations.iter().copied().fold(f64::INFINITY, f64::min);
    let shade = SHADES.iter().find(|(from, _)| most >= *from).map(|(_, shade)| *shade);
    match shade {
        Some(shade) => shade,
        None if least <= -UNUSUAL => '-',
        None if counts.iter().any(|&count| count > 0) => '·',
        None => ' ',
    }
}

fn flags(row: &SeismographRow) -> String {
    let at =
        |what: &str, time: Option<i64>| time.map(|time| format!(" [{what} {}]", stamp::to_rfc3339(time)));
    let every = row.period_ns.map(|period| format!(" [every {} s]", rounded(period as f64 / 1e9)));
    [at("starts", row.started), at("stops", row.stopped), every].into_iter().flatten().collect()
}

/// To two digits: a period is measured from bins.
fn rounded(seconds: f64) -> String {
    // 0.012 has two digits more than 1.2.
    let digits = (1 - seconds.abs().max(1e-9).log10().floor() as i32).max(0) as usize;
    let unit = 10_f64.powi((seconds.abs().max(1e-9).log10().floor() as i32 - 1).max(0));
    if unit > 1.0 { format!("{:.0}", (seconds / unit).round() * unit) } else { format!("{seconds:.digits$}") }
}

fn as_json(found: &Found) -> Value {
    let rows = found.rows.iter().map(|row| {
        json!({
            "id": row.id.to_string(),
            "text": row.text,
            "count": row.count,
            "counts": row.counts,
            "median": row.normal.median,
            "spread": row.normal.spread,
            "started": row.started.map(stamp::to_rfc3339),
            "stopped": row.stopped.map(stamp::to_rfc3339),
            "period_ns": row.period_ns,
        })
    });
    json!({
        "start": stamp::to_rfc3339(found.start),
        "bin_ns": found.width_ns,
        "patterns": found.distinct,
        "total": found.total,
        "without": found.without,
        "all": found.all,
        "rows": rows.collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_have_two_digits() {
        for (seconds, expected) in
            [(899.4, "900"), (0.012_34, "0.012"), (7.33, "7.3"), (60.0, "60"), (86_399.0, "86000")]
        {
            assert_eq!(rounded(seconds), expected);
        }
    }
}
