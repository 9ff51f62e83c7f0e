//! The curve of the stage `quantiles` as SVG: how much each part of the numbers moved, with its band.

use std::fmt::Write;

use super::chart::{BOTTOM, Chart, ChartAxis, HEIGHT, LEFT, Series, TOP, WIDTH, short};
use super::visible::escaped;
use engine::pipe::Table;

/// The columns of the stage: the last three are drawn over the first.
const COLUMNS: [&str; 6] = ["quantile", "a", "b", "difference", "low", "high"];
const DRAWN: usize = 3;

/// The tails vary most: their bounds may leave the picture.
const INNER: std::ops::RangeInclusive<f64> = 0.05..=0.95;
/// Room above and below the line, as a share of its height.
const ROOM: f64 = 0.08;
/// Quantiles with a label.
const LABELS: [f64; 5] = [0.1, 0.25, 0.5, 0.75, 0.9];

/// The curve that a table is, if it is that of the stage.
pub fn of_table(table: &Table) -> Option<Chart> {
    let is_curve = table.names().iter().map(|name| &**name).eq(COLUMNS);
    if !is_curve || table.rows() < 2 {
        return None;
    }
    let numbers = |column: usize| (0..table.rows()).map(move |row| table.cell(row, column).number());
    let series = (DRAWN..COLUMNS.len()).map(|column| Series {
        name: COLUMNS[column].to_owned(),
        level: None,
        values: numbers(column).collect(),
    });
    let quantiles = numbers(0).map(Option::unwrap_or_default).collect();
    Some(Chart { axis: ChartAxis::Quantiles(quantiles), series: series.collect(), stacked: false })
}

/// The picture. Where the band has no bound, it reaches the edge.
pub fn svg(quantiles: &[f64], series: &[Series], title: &str) -> String {
    let [line, low, high] = series else { return String::new() };
    let inner = |bound: &Series| -> Vec<f64> {
        let values = quantiles.iter().zip(&bound.values).filter(|(quantile, _)| INNER.contains(quantile));
        values.filter_map(|(_, value)| *value).collect()
    };
    let drawn = line.values.iter().flatten().copied().chain(inner(low)).chain(inner(high));
    let (least, most) =
        drawn.fold((0.0_f64, 0.0_f64), |(least, most), value| (least.min(value), most.max(value)));
    let room = if most > least { (most - least) * ROOM } else { 1.0 };
    let (least, most) = (least - room, most + room);
    let (right, bottom) = (WIDTH - 8.0, HEIGHT - BOTTOM);
    let x = |quantile: f64| LEFT + quantile * (right - LEFT);
    let y = |value: f64| (TOP + (most - value) / (most - least) * (bottom - TOP)).clamp(TOP, bottom);
    let mut out = format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\"><g class=\"axis\">",
        escaped(title)
    );
    for value in [least + room, 0.0, most - room] {
        let at = y(value);
        let _ = write!(
            out,
            "<path d=\"M{LEFT} {at:.1}H{right}\"/><text x=\"{:.1}\" y=\"{:.1}\" class=\"end\">{}</text>",
            LEFT - 6.0,
            at + 4.0,
            short(value)
        );
    }
    for quantile in LABELS {
        let _ = write!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" class=\"middle\">{} %</text>",
            x(quantile),
            HEIGHT - 8.0,
            100.0 * quantile
        );
    }
    out.push_str("</g><path class=\"band s0\" d=\"");
    let edge = |bound: &Series, end: f64| -> Vec<(f64, f64)> {
        let points = quantiles.iter().zip(&bound.values);
        points.map(|(&quantile, value)| (x(quantile), value.map_or(end, y))).collect()
    };
    let above = edge(high, TOP);
    let below = edge(low, bottom);
    for (place, (x, y)) in above.iter().chain(below.iter().rev()).enumerate() {
        let _ = write!(out, "{}{x:.1} {y:.1}", if place == 0 { "M" } else { "L" });
    }
    out.push_str("Z\"/><path class=\"line s0\" d=\"");
    let points =
        quantiles.iter().zip(&line.values).filter_map(|(&quantile, value)| Some((quantile, (*value)?)));
    for (place, (quantile, value)) in points.enumerate() {
        let _ = write!(out, "{}{:.1} {:.1}", if place == 0 { "M" } else { "L" }, x(quantile), y(value));
    }
    out.push_str(
        "\"/></svg><p class=\"soft\">The difference of each quantile, B less A, with a 95 % band for all at once.</p>",
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(values: [Option<f64>; 3]) -> Series {
        Series { name: String::new(), level: None, values: values.to_vec() }
    }

    #[test]
    fn band_reaches_the_edge_where_it_has_no_bound() {
        let quantiles = [0.1, 0.5, 0.9];
        let all = [
            series([Some(0.0), Some(40.0), Some(100.0)]),
            series([None, Some(30.0), Some(60.0)]),
            series([Some(10.0), Some(50.0), None]),
        ];
        let picture = svg(&quantiles, &all, "took <ms>");
        assert!(picture.contains("aria-label=\"took &lt;ms&gt;\""), "{picture}");
        let bottom = HEIGHT - BOTTOM;
        assert!(picture.contains(&format!("L146.8 {bottom:.1}Z")), "{picture}");
        assert!(picture.contains(&format!("L809.2 {TOP:.1}L809.2")), "{picture}");
        assert!(picture.contains("50 %") && !picture.contains("NaN"), "{picture}");
        assert!(
            !svg(&quantiles, &[series([Some(0.0); 3]), series([None; 3]), series([None; 3])], "")
                .contains("NaN")
        );
    }
}
