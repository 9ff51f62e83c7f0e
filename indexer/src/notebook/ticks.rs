//! Which numbers and times of an axis get a label, by the rules of the screen (`src/features/plot/valuescale.ts` and
//! `timescale.ts`): `fixtures/axis-ticks.json` has ranges and their ticks, and both are tested with it.

use jiff::civil::Date;
use jiff::tz::TimeZone;

/// Round values of an axis that begins at zero and ends at or above the greatest value, with at most `steps` steps if
/// they are as many as that.
pub fn value_ticks(greatest: f64, steps: u32) -> Vec<f64> {
    let most = if greatest > 0.0 && greatest.is_finite() { greatest } else { 1.0 };
    let step = nice_step(most, steps);
    let count = (most / step - 1e-9).ceil() as u32;
    (0..=count).map(|at| rounded(f64::from(at) * step)).collect()
}

/// A round step, so that at most so many of them fit into a span.
fn nice_step(span: f64, most: u32) -> f64 {
    let rough = span / f64::from(most.max(1));
    let power = 10_f64.powf(rough.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= rough * 0.999_999);
    factor.unwrap_or(10.0) * power
}

/// Without what multiplying adds: 0.3 instead of 0.30000000000000004.
fn rounded(value: f64) -> f64 {
    format!("{value:.11e}").parse().unwrap_or(value)
}

const MILLISECOND: i64 = 1_000_000;
const SECOND: i64 = 1_000 * MILLISECOND;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// Multiples of each unit that are round for people.
const STEPS: [(i64, &[i64]); 6] = [
    (
        1,
        &[
            1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000,
            200_000, 500_000,
        ],
    ),
    (MILLISECOND, &[1, 2, 5, 10, 20, 50, 100, 200, 500]),
    (SECOND, &[1, 2, 5, 10, 15, 30]),
    (MINUTE, &[1, 2, 5, 10, 15, 30]),
    (HOUR, &[1, 2, 3, 6, 12]),
    (DAY, &[1, 2, 7, 14]),
];

/// Calendar steps, whose length varies.
const MONTH_STEPS: [i64; 10] = [1, 3, 6, 12, 24, 60, 120, 240, 600, 1_200];
const SHORTEST_MONTH: i64 = 28 * DAY;

/// The first Monday after 1970 began; weeks are counted from it.
const MONDAY: i64 = 4 * DAY;

/// Round times from the first of a range to before its end, at most `most` of them.
pub fn time_ticks(from: i64, to: i64, most: u32) -> Vec<i64> {
    let (first, last, most) = (i128::from(from), i128::from(to), i128::from(most));
    if last <= first || most < 1 {
        return Vec::new();
    }
    let mut steps = STEPS.iter().flat_map(|&(unit, counts)| counts.iter().map(move |count| unit * count));
    let Some(step) = steps.find(|&step| (last - first) / i128::from(step) < most) else {
        return month_ticks(from, to, most);
    };
    let shift = i128::from(if step % (7 * DAY) == 0 { MONDAY } else { 0 });
    let step = i128::from(step);
    let before = (first - shift).rem_euclid(step);
    let start = if before == 0 { first } else { first - before + step };
    let ticks = (0..most).map(|at| start + at * step).take_while(|&time| time < last);
    ticks.filter_map(|time| i64::try_from(time).ok()).collect()
}

fn month_ticks(from: i64, to: i64, most: i128) -> Vec<i64> {
    let span = i128::from(to) - i128::from(from);
    let fits = |months: &i64| span / (i128::from(SHORTEST_MONTH) * i128::from(*months)) < most;
    let step = MONTH_STEPS.into_iter().find(fits).unwrap_or(MONTH_STEPS[MONTH_STEPS.len() - 1]);
    let Ok(first) = jiff::Timestamp::from_nanosecond(i128::from(from)) else { return Vec::new() };
    let first = first.to_zoned(TimeZone::UTC).date();
    let first = (i64::from(first.year()) * 12 + i64::from(first.month()) - 1).div_euclid(step) * step;
    let times = (0..).map_while(|at| month_start(first + at * step)).take_while(|&time| time < to);
    times.filter(|&time| time >= from).collect()
}

/// When a month begins, counted from the first of the year 0.
fn month_start(month: i64) -> Option<i64> {
    let (year, month) = (i16::try_from(month.div_euclid(12)).ok()?, month.rem_euclid(12) as i8 + 1);
    let start = Date::new(year, month, 1).ok()?.to_zoned(TimeZone::UTC).ok()?;
    i64::try_from(start.timestamp().as_nanosecond()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_those_of_the_screen() {
        let cases: serde_json::Value =
            serde_json::from_str(include_str!("../../../fixtures/axis-ticks.json")).expect("JSON");
        let number = |value: &serde_json::Value| -> i64 {
            value.as_str().expect("a number as text").parse().expect("a number")
        };
        for case in cases["values"].as_array().expect("a list") {
            let steps = case["steps"].as_u64().expect("a count") as u32;
            let ticks: Vec<f64> = case["ticks"]
                .as_array()
                .expect("a list")
                .iter()
                .filter_map(serde_json::Value::as_f64)
                .collect();
            assert_eq!(value_ticks(case["greatest"].as_f64().expect("a number"), steps), ticks, "{case}");
        }
        for case in cases["times"].as_array().expect("a list") {
            let most = case["most"].as_u64().expect("a count") as u32;
            let ticks: Vec<i64> = case["ticks"].as_array().expect("a list").iter().map(number).collect();
            assert_eq!(time_ticks(number(&case["from"]), number(&case["to"]), most), ticks, "{case}");
        }
    }
}
