//! A seismograph as SVG: a row for each pattern, a column for each bin, coloured by what is normal for the row.

use std::fmt::Write;
use std::sync::Arc;

use super::answer::Frozen;
use super::chart::{TIME_LABELS, WIDTH, clock, cut};
use super::pattern_names::PatternNames;
use super::ticks::time_ticks;
use super::visible::escaped;
use base::stamp::to_rfc3339;
use engine::seismograph::{Seismograph, SeismographRow};

const LABEL: f64 = 300.0;
const LETTERS: usize = 40;
const ROW: f64 = 16.0;
const AXIS: f64 = 24.0;

/// From so many spreads above the median on a cell has the next shade; as many below, it has that of fewer.
const SHADES: [(f64, &str); 3] = [(8.0, "more3"), (4.0, "more2"), (2.0, "more1")];
const LESS: f64 = -2.0;

/// The picture. The text of a pattern with a name is its tooltip.
pub fn svg(found: &Seismograph, names: &PatternNames, title: &str) -> String {
    if found.rows.is_empty() {
        return "<p class=\"soft\">No event has a message.</p>".to_owned();
    }
    let height = found.rows.len() as f64 * ROW + AXIS;
    let mut out =
        format!("<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{}\">", escaped(title));
    let bins = found.all.len().max(1);
    let bin = (WIDTH - LABEL - 8.0) / bins as f64;
    for (place, row) in found.rows.iter().enumerate() {
        let top = place as f64 * ROW;
        let name = names.name(row.id);
        let label: String = name.unwrap_or(&row.text).split_whitespace().collect::<Vec<_>>().join(" ");
        let tip = name.map_or_else(String::new, |_| format!("<title>{}</title>", escaped(&row.text)));
        let _ = write!(
            out,
            "<text class=\"label end\" x=\"{:.1}\" y=\"{:.1}\">{}{tip}</text>",
            LABEL - 8.0,
            top + 12.0,
            escaped(&cut(&label, LETTERS))
        );
        for class in ["usual", "more1", "more2", "more3", "less"] {
            let mut path = String::new();
            let cells = row.counts.iter().enumerate().filter(|(_, count)| shade(row, **count) == Some(class));
            for (at, _) in cells {
                let (left, right) = (LABEL + at as f64 * bin, LABEL + (at + 1) as f64 * bin);
                let _ =
                    write!(path, "M{left:.1} {:.1}H{right:.1}V{:.1}H{left:.1}Z", top + 1.0, top + ROW - 1.0);
            }
            if !path.is_empty() {
                let _ = write!(out, "<path class=\"{class}\" d=\"{path}\"/>");
            }
        }
    }
    out.push_str("<g class=\"axis\">");
    let span = found.width_ns as f64 * bins as f64;
    let end = found.start.saturating_add(span as i64);
    for time in time_ticks(found.start, end, TIME_LABELS) {
        let at = LABEL + (time as f64 - found.start as f64) / span.max(1.0) * (WIDTH - LABEL - 8.0);
        let _ = write!(
            out,
            "<text x=\"{at:.1}\" y=\"{:.1}\" class=\"middle\">{}</text>",
            height - 8.0,
            clock(time, span)
        );
    }
    out.push_str("</g></svg>");
    out
}

/// The class of a cell; nothing where nothing is, and that is usual.
fn shade(row: &SeismographRow, count: u32) -> Option<&'static str> {
    let deviation = row.normal.deviation(count);
    let more = SHADES.iter().find(|(least, _)| count > 0 && deviation >= *least);
    match more {
        Some((_, class)) => Some(class),
        None if deviation <= LESS => Some("less"),
        None => (count > 0).then_some("usual"),
    }
}

/// The rows with what is said of them.
pub fn table(found: &Seismograph, names: &PatternNames) -> Frozen {
    let time = |time: Option<i64>| time.map_or_else(String::new, to_rfc3339);
    let row = |row: &SeismographRow| {
        let period = row.period_ns.map_or_else(String::new, |period| format!("{:.3}", period as f64 / 1e9));
        let pattern =
            names.name(row.id).map_or_else(|| row.text.clone(), |name| format!("{name}: {}", row.text));
        vec![pattern, row.count.to_string(), time(row.started), time(row.stopped), period]
    };
    let names =
        [("pattern", false), ("events", true), ("starts", false), ("stops", false), ("period in s", true)];
    Frozen {
        columns: names.into_iter().map(|(name, is_number)| (Arc::from(name), is_number)).collect(),
        rows: found.rows.iter().map(row).collect(),
        total: found.distinct,
        notes: Vec::new(),
    }
}
