//! Charts of a page as SVG without scripts, inside the exported page. The labels of their axes are those of the screen
//! ([`super::ticks`]).

use std::fmt::Write;

use ingest::Level;

use super::curve;
use super::ticks::{time_ticks, value_ticks};
use super::visible::escaped;
use base::limits::{CHART_NAMES, CHART_POINTS, SERIES};
use base::stamp;
use engine::Timeline;
use engine::pipe::{Cell, ColumnKind, Table};

/// Numbers by time or by name.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    pub axis: ChartAxis,
    pub series: Vec<Series>,
    /// True if the series are parts of a whole, drawn as stacked bars.
    pub stacked: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ChartAxis {
    Times(Vec<i64>),
    Names(Vec<String>),
    /// Of a difference with its lower and its upper bound, in this order.
    Quantiles(Vec<f64>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    pub name: String,
    pub level: Option<Level>,
    pub values: Vec<Option<f64>>,
}

pub fn of_timeline(timeline: &Timeline) -> Chart {
    let buckets = timeline.counts.iter().map(Vec::len).max().unwrap_or(0) as i64;
    let starts =
        (0..buckets).map(|bucket| timeline.start.saturating_add(bucket.saturating_mul(timeline.width_ns)));
    let levels = Level::ALL.into_iter().zip(&timeline.counts);
    let series =
        levels.filter(|(_, counts)| counts.iter().any(|&count| count > 0)).map(|(level, counts)| Series {
            name: level.name().to_owned(),
            level: Some(level),
            values: counts.iter().map(|&count| Some(f64::from(count))).collect(),
        });
    Chart { axis: ChartAxis::Times(starts.collect()), series: series.collect(), stacked: true }
}

/// The x axis is time, or else the first other column; each numeric column is a series. A text column next to
/// a time column splits the series.
pub fn of_table(table: &Table) -> Option<Chart> {
    let kinds: Vec<ColumnKind> = table.columns().iter().map(engine::pipe::Column::kind).collect();
    let numeric = |kind: &ColumnKind| matches!(kind, ColumnKind::Int | ColumnKind::Float);
    let numbers: Vec<usize> = (0..kinds.len()).filter(|&at| numeric(&kinds[at])).collect();
    let words: Vec<usize> = (0..kinds.len())
        .filter(|&at| {
            matches!(kinds[at], ColumnKind::Text | ColumnKind::Level | ColumnKind::Bool | ColumnKind::List)
        })
        .collect();
    let rows = table.rows().min(CHART_POINTS);
    let number = |row: usize, column: usize| table.cell(row, column).number();
    if let Some(chart) = curve::of_table(table) {
        return Some(chart);
    }
    if let Some(time) = kinds.iter().position(|kind| *kind == ColumnKind::Time) {
        let first = *numbers.first()?;
        return Some(match words.first() {
            Some(&split) => split_series(table, rows, time, split, first),
            None => by_time(table, rows, time, &numbers),
        });
    }
    let (&name, values) = match words.first() {
        Some(name) => (name, numbers),
        None => (numbers.first()?, numbers[1..].to_vec()),
    };
    let rows = rows.min(CHART_NAMES);
    let series = values.iter().take(SERIES).map(|&column| Series {
        name: table.names()[column].to_string(),
        level: None,
        values: (0..rows).map(|row| number(row, column)).collect(),
    });
    let series: Vec<Series> = series.collect();
    let names = (0..rows).map(|row| table.cell(row, name).to_string()).collect();
    (!series.is_empty()).then_some(Chart { axis: ChartAxis::Names(names), series, stacked: false })
}

fn by_time(table: &Table, rows: usize, time: usize, numbers: &[usize]) -> Chart {
    let mut order: Vec<(i64, usize)> =
        (0..rows).filter_map(|row| Some((at(table, row, time)?, row))).collect();
    order.sort_unstable();
    let series = numbers.iter().take(SERIES).map(|&column| Series {
        name: table.names()[column].to_string(),
        level: None,
        values: order.iter().map(|&(_, row)| table.cell(row, column).number()).collect(),
    });
    Chart {
        series: series.collect(),
        axis: ChartAxis::Times(order.iter().map(|&(time, _)| time).collect()),
        stacked: false,
    }
}

fn at(table: &Table, row: usize, column: usize) -> Option<i64> {
    if let Cell::Time(time) = table.cell(row, column) { Some(time) } else { None }
}

fn split_series(table: &Table, rows: usize, time: usize, split: usize, value: usize) -> Chart {
    let mut times: Vec<i64> = (0..rows).filter_map(|row| at(table, row, time)).collect();
    times.sort_unstable();
    times.dedup();
    let mut series: Vec<Series> = Vec::new();
    for row in 0..rows {
        let (Some(time), name) = (at(table, row, time), table.cell(row, split).to_string()) else { continue };
        let known = series.iter().position(|series| series.name == name);
        let Some(index) = known.or_else(|| {
            (series.len() < SERIES).then(|| {
                series.push(Series { name, level: None, values: vec![None; times.len()] });
                series.len() - 1
            })
        }) else {
            continue;
        };
        if let Ok(place) = times.binary_search(&time) {
            series[index].values[place] = table.cell(row, value).number();
        }
    }
    Chart { axis: ChartAxis::Times(times), series, stacked: false }
}

pub(super) const WIDTH: f64 = 900.0;
pub(super) const HEIGHT: f64 = 240.0;
pub(super) const LEFT: f64 = 64.0;
pub(super) const TOP: f64 = 12.0;
pub(super) const BOTTOM: f64 = 28.0;
const BAR: f64 = 22.0;
/// Labels that an axis has room for, as many as the screen shows on one of this size.
const VALUE_STEPS: u32 = 4;
pub(super) const TIME_LABELS: u32 = 7;
/// Half the width of a label.
const HALF_LABEL: f64 = 36.0;
const NAMES: f64 = 240.0;

/// Classes of the page's own colours, so that the picture is light or dark as the page is.
fn class(series: &Series, index: usize) -> String {
    series.level.map_or_else(|| format!("s{}", index % 8), |level| format!("l-{}", level.name()))
}

impl Chart {
    /// The picture, with its legend, as markup. All text in it is escaped.
    #[must_use]
    pub fn svg(&self, title: &str) -> String {
        let mut out = String::new();
        match &self.axis {
            ChartAxis::Times(times) => self.over_time(times, title, &mut out),
            ChartAxis::Names(names) => self.by_name(names, title, &mut out),
            ChartAxis::Quantiles(quantiles) => return curve::svg(quantiles, &self.series, title),
        }
        if self.series.len() > 1 || self.stacked {
            out.push_str("<ul class=\"legend\">");
            for (index, series) in self.series.iter().enumerate() {
                let class = class(series, index);
                let _ = write!(out, "<li><i class=\"{class}\"></i>{}</li>", escaped(&series.name));
            }
            out.push_str("</ul>");
        }
        out
    }

    /// The most rows of a table that are drawn; `None` for a curve, which has all.
    #[must_use]
    pub fn rows_drawn(&self) -> Option<usize> {
        match &self.axis {
            ChartAxis::Times(_) => Some(CHART_POINTS),
            ChartAxis::Names(_) => Some(CHART_NAMES),
            ChartAxis::Quantiles(_) => None,
        }
    }

    /// The greatest height, of single values or of stacked ones.
    fn greatest(&self, points: usize) -> f64 {
        let at = |point: usize| self.series.iter().filter_map(move |series| *series.values.get(point)?);
        let heights = (0..points)
            .map(|point| if self.stacked { at(point).sum() } else { at(point).fold(0.0, f64::max) });
        let most = heights.filter(|height: &f64| height.is_finite()).fold(0.0, f64::max);
        if most > 0.0 { most } else { 1.0 }
    }

    fn over_time(&self, times: &[i64], title: &str, out: &mut String) {
        let ticks = value_ticks(self.greatest(times.len()), VALUE_STEPS);
        let most = ticks.last().copied().unwrap_or(1.0);
        let (first, last) = (times.first().copied().unwrap_or(0), times.last().copied().unwrap_or(0));
        // A bar ends where the next one begins; the last is as wide as the others.
        let step =
            if times.len() > 1 { (last as f64 - first as f64) / (times.len() - 1) as f64 } else { 1.0 };
        let span = (last as f64 - first as f64) + if self.stacked { step } else { 0.0 };
        let x = |time: i64| LEFT + (time as f64 - first as f64) / span.max(1.0) * (WIDTH - LEFT - 8.0);
        let y = |value: f64| TOP + (1.0 - value / most) * (HEIGHT - TOP - BOTTOM);
        let _ = write!(
            out,
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\"><g class=\"axis\">",
            escaped(title)
        );
        for value in ticks {
            let (at, label) = (y(value), short(value));
            let right = WIDTH - 8.0;
            let _ = write!(
                out,
                "<path d=\"M{LEFT} {at:.1}H{right}\"/><text x=\"{:.1}\" y=\"{:.1}\" class=\"end\">{label}</text>",
                LEFT - 6.0,
                at + 4.0
            );
        }
        // The last time is on the axis too.
        let end = first.saturating_add(span as i64).saturating_add(1);
        for time in time_ticks(first, end, TIME_LABELS) {
            let at = x(time);
            let anchor = match at {
                at if at < LEFT + HALF_LABEL => "start",
                at if at > WIDTH - 8.0 - HALF_LABEL => "end",
                _ => "middle",
            };
            let _ = write!(
                out,
                "<text x=\"{at:.1}\" y=\"{:.1}\" class=\"{anchor}\">{}</text>",
                HEIGHT - 8.0,
                clock(time, span)
            );
        }
        out.push_str("</g>");
        if self.stacked {
            self.bars(times, step, &x, &y, out);
        } else {
            self.lines(times, &x, &y, out);
        }
        out.push_str("</svg>");
    }

    fn bars(
        &self,
        times: &[i64],
        step: f64,
        x: &dyn Fn(i64) -> f64,
        y: &dyn Fn(f64) -> f64,
        out: &mut String,
    ) {
        let mut below = vec![0.0; times.len()];
        for (index, series) in self.series.iter().enumerate() {
            let _ = write!(out, "<path class=\"{}\" d=\"", class(series, index));
            for (point, (&time, value)) in times.iter().zip(&series.values).enumerate() {
                let Some(value) = value.filter(|value| *value > 0.0) else { continue };
                let (low, high) = (y(below[point]), y(below[point] + value));
                let (left, right) = (x(time), x(time.saturating_add(step as i64)));
                let _ = write!(out, "M{left:.1} {low:.1}V{high:.1}H{right:.1}V{low:.1}Z");
                below[point] += value;
            }
            out.push_str("\"/>");
        }
    }

    fn lines(&self, times: &[i64], x: &dyn Fn(i64) -> f64, y: &dyn Fn(f64) -> f64, out: &mut String) {
        for (index, series) in self.series.iter().enumerate() {
            let _ = write!(out, "<path class=\"line {}\" d=\"", class(series, index));
            let mut drawing = false;
            for (&time, value) in times.iter().zip(&series.values) {
                let Some(value) = value.filter(|value| value.is_finite()) else {
                    drawing = false;
                    continue;
                };
                // A value between two gaps is a line of no length, which round ends make a dot.
                let command = if drawing { "L" } else { "M" };
                let dot = if drawing { "" } else { "h0" };
                let _ = write!(out, "{command}{:.1} {:.1}{dot}", x(time), y(value.max(0.0)));
                drawing = true;
            }
            out.push_str("\"/>");
        }
    }

    fn by_name(&self, names: &[String], title: &str, out: &mut String) {
        let most = self.greatest(names.len());
        let rows = names.len() * self.series.len().max(1);
        let height = TOP * 2.0 + rows as f64 * BAR;
        let _ = write!(
            out,
            "<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{}\">",
            escaped(title)
        );
        for (at, name) in names.iter().enumerate() {
            for (index, series) in self.series.iter().enumerate() {
                let top = TOP + (at * self.series.len() + index) as f64 * BAR;
                let value = series.values.get(at).copied().flatten();
                let width = value.map_or(0.0, |value| value.max(0.0) / most * (WIDTH - NAMES - 90.0));
                let label = if index == 0 { cut(name, 34) } else { String::new() };
                let _ = write!(
                    out,
                    "<g class=\"axis\"><text x=\"{:.1}\" y=\"{:.1}\" class=\"end\">{}</text>\
                     <text x=\"{:.1}\" y=\"{:.1}\">{}</text></g>\
                     <rect class=\"{}\" x=\"{NAMES}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{:.1}\"/>",
                    NAMES - 8.0,
                    top + 15.0,
                    escaped(&label),
                    NAMES + width + 6.0,
                    top + 15.0,
                    value.map_or_else(|| "–".to_owned(), short),
                    class(series, index),
                    top + 3.0,
                    BAR - 6.0,
                );
            }
        }
        out.push_str("</svg>");
    }
}

pub(super) fn cut(name: &str, most: usize) -> String {
    let mut letters = name.chars();
    let shown: String = letters.by_ref().take(most).collect();
    if letters.next().is_some() { format!("{shown}…") } else { shown }
}

/// A number with a unit of thousands, as an axis has room for.
pub(super) fn short(value: f64) -> String {
    let units = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    let (scaled, unit) = units
        .into_iter()
        .find(|(size, _)| value.abs() >= *size * 10.0)
        .map_or((value, ""), |(size, unit)| (value / size, unit));
    let digits = if scaled.fract().abs() < 0.005 || scaled.abs() >= 100.0 { 0 } else { 2 };
    let text = format!("{scaled:.digits$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text}{unit}")
}

/// A time as precise as its range needs.
pub(super) fn clock(time: i64, span_ns: f64) -> String {
    const DAY_NS: f64 = 86_400e9;
    let text = stamp::to_rfc3339(time);
    let (day, rest) = text.split_once('T').unwrap_or((&text, ""));
    let clock: String = rest.chars().take_while(|letter| !matches!(letter, '.' | 'Z')).collect();
    if span_ns > 4.0 * DAY_NS {
        day.to_owned()
    } else if span_ns > DAY_NS / 2.0 {
        format!("{} {}", day.get(5..).unwrap_or(day), clock.get(..5).unwrap_or(&clock))
    } else {
        clock
    }
}
