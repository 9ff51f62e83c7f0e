//! `window` against what a person would do row by row.

use super::tables::Numbers;
use super::*;

fn times() -> Table {
    table(
        "time|k|x",
        &[
            "2026-03-01T10:00:00Z|a|4",
            "2026-03-01T10:01:00Z|b|-",
            "2026-03-01T10:01:00Z|a|2",
            "2026-03-01T10:04:00Z|b|7",
            "2026-03-01T10:06:00Z|a|2",
        ],
    )
}

#[test]
fn rows_show_values_of_their_neighbours() {
    check(
        &times(),
        "window p = lag(x), n = lead(k, 2), r = row_number() | keep k, x, p, n, r",
        &["k|x|p|n|r", "a|4||a|1", "b||4|b|2", "a|2||a|3", "b|7|2||4", "a|2|7||5"],
    );
    check(
        &times(),
        "window p = lag(x), t = lag(time), n = row_number() by k | keep k, p, t, n",
        &[
            "k|p|t|n",
            "a|||1",
            "b|||1",
            "a|4|2026-03-01T10:00:00Z|2",
            "b||2026-03-01T10:01:00Z|2",
            "a|2|2026-03-01T10:01:00Z|3",
        ],
    );
}

#[test]
fn ranks_count_smaller_values() {
    let expected = ["x|r|d|down", "4|3|2|2", "|||", "2|1|1|3", "7|4|3|1", "2|1|1|3"];
    check(&times(), "window r = rank(x), d = dense_rank(x), down = rank(-x) | keep x, r, d, down", &expected);
    check(&times(), "window r = rank(x) by k | keep k, r", &["k|r", "a|3", "b|", "a|1", "b|1", "a|1"]);
    check(&times(), "window r = rank(k) | keep k, r", &["k|r", "a|1", "b|4", "a|1", "b|4", "a|1"]);
}

#[test]
fn calculations_run_on() {
    check(
        &times(),
        "window running_count(x), running_sum(x), a = running_avg(x), lo = running_min(x), hi = running_max(x), \
         m = running_median(x) | drop time, k, x",
        &[
            "running_count(x)|running_sum(x)|a|lo|hi|m",
            "1|4|4|4|4|4",
            "1|4|4|4|4|4",
            "2|6|3|2|4|3",
            "3|13|4.333333333333333|2|7|4",
            "4|15|3.75|2|7|3",
        ],
    );
    check(
        &times(),
        "streamstats count, sum(x) as s, max(time) as t by k | keep k, `running_count()`, s, t | tail 2",
        &["k|running_count()|s|t", "b|2|7|2026-03-01T10:04:00Z", "a|3|8|2026-03-01T10:06:00Z"],
    );
}

#[test]
fn windows_of_time_roll() {
    check(
        &times(),
        "window c = rolling_count(5m), n = rolling_count(x, 5m), s = rolling_sum(x, 5m), lo = rolling_min(x, 5m), \
         m = rolling_median(x, 5m) | keep c, n, s, lo, m",
        &["c|n|s|lo|m", "1|1|4|4|4", "3|2|6|2|3", "3|2|6|2|3", "4|3|13|2|4", "2|2|9|2|4.5"],
    );
    check(
        &times(),
        "window m = rolling_max(x, 1m) by k | keep k, m",
        &["k|m", "a|4", "b|", "a|2", "b|7", "a|2"],
    );
}

#[test]
fn decimals_are_summed_exactly() {
    let rows = ["2026-03-01T10:00:00Z|0.1", "2026-03-01T10:00:01Z|0.2", "2026-03-01T10:00:02Z|0.3"];
    let sums = "window s = running_sum(x), a = rolling_sum(x, 2s), m = rolling_p50(x, 2s) | keep s, a, m";
    check(&table("time|x", &rows), sums, &["s|a|m", "0.1|0.1|0.1", "0.3|0.3|0.15", "0.6|0.5|0.25"]);
}

#[test]
fn window_reports_rows_without_order_or_numbers() {
    let found =
        run_in_parts(&times(), "sort -time | window rolling_avg(x, 5m)", 2, 1 << 20).expect_err("no order");
    assert_eq!(found.message(), "these rows are not in the order of their times");
    assert_eq!(found.span(), Some((24, 42)));
    let found =
        run_in_parts(&times(), "drop time | window rolling_avg(x, 5m)", 2, 1 << 20).expect_err("no time");
    assert_eq!(found.message(), "no field `time`");
    let found = run_in_parts(&times(), "window lag(y)", 2, 1 << 20).expect_err("no such column");
    assert_eq!((found.message(), found.span()), ("no field `y`", Some((15, 16))));
    let found = run_in_parts(&times(), "window lag(x)", 2, 300).expect_err("it does not fit");
    assert!(found.message().starts_with("`window` would need more than"), "{found}");
    let passed = run_in_parts(&times(), "window s = running_sum(k), m = rolling_avg(x, 5m)", 2, 1 << 20)
        .expect("it runs");
    assert_eq!(passed.notes, ["s: 5 have one that is not a number"]);
}

/// What a percentile is by sorting all of the window.
fn by_sorting(mut window: Vec<f64>, percent: f64) -> Option<f64> {
    window.sort_by(f64::total_cmp);
    let place = percent / 100.0 * (window.len().checked_sub(1)? as f64);
    let (low, high) = (window[place.floor() as usize], window[place.ceil() as usize]);
    Some(low + (high - low) * place.fract())
}

#[test]
fn rolling_calculations_agree_with_looking_at_every_window() {
    for seed in 0..12 {
        let mut numbers = Numbers::from(seed);
        // Whole numbers near to and far from each other; decimals and other fractions below and above zero.
        let mut value = || match (numbers.below(9), seed % 4) {
            (0, _) => None,
            (n, 0) => Some((n * 3) as f64 - 9.0),
            (n, 1) => Some((n * n) as f64 * 1e9),
            (n, 2) => Some((n as f64 - 4.0) * 0.375),
            (n, _) => Some((n as f64 - 4.0) / 7.0),
        };
        let rows: Vec<(i64, Option<f64>)> = {
            let values: Vec<Option<f64>> = (0..200).map(|_| value()).collect();
            let mut time = 0;
            let mut step = Numbers::from(seed + 100);
            values
                .into_iter()
                .map(|value| {
                    time += step.below(4) as i64;
                    (time, value)
                })
                .collect()
        };
        let is_whole = seed % 4 < 2;
        let cell = |value: Option<f64>| match value {
            None => Cell::Missing,
            Some(value) if is_whole => Cell::Int(value as i64),
            Some(value) => Cell::Float(value),
        };
        let column = |cells: Vec<Cell>| Column::of_cells(cells);
        let input = Table::from_columns(vec![
            ("time".to_owned(), column(rows.iter().map(|row| Cell::Time(row.0 * 1_000_000_000)).collect())),
            ("g".to_owned(), column((0..rows.len()).map(|n| Cell::Int((n * 7 % 3) as i64)).collect())),
            ("x".to_owned(), column(rows.iter().map(|row| cell(row.1)).collect())),
        ]);
        for by in [false, true] {
            let stages = format!(
                "window p = rolling_p90(x, 10s), s = rolling_sum(x, 10s), a = rolling_avg(x, 10s), \
                 lo = rolling_min(x, 10s), hi = rolling_max(x, 10s), c = rolling_count(x, 10s){}",
                if by { " by g" } else { "" }
            );
            let found = run_in_parts(&input, &stages, 64, 1 << 24).expect("it runs");
            for (at, (time, _)) in rows.iter().enumerate() {
                let within = |other: &usize| {
                    let later = rows[*other].0;
                    later > time - 10 && later <= *time && (!by || at * 7 % 3 == other * 7 % 3)
                };
                let window: Vec<f64> =
                    (0..rows.len()).filter(within).filter_map(|other| rows[other].1).collect();
                let sum = (!window.is_empty()).then(|| window.iter().sum::<f64>());
                let expected = [
                    by_sorting(window.clone(), 90.0),
                    sum,
                    sum.map(|sum| sum / window.len() as f64),
                    window.iter().copied().reduce(f64::min),
                    window.iter().copied().reduce(f64::max),
                    Some(window.len() as f64),
                ];
                for (name, expected) in ["p", "s", "a", "lo", "hi", "c"].into_iter().zip(expected) {
                    let found = found.column(name).and_then(|column| column.cell(at).number());
                    let is_near = match (found, expected) {
                        (Some(found), Some(expected)) => {
                            (found - expected).abs() <= 1e-9 * expected.abs().max(1.0)
                        }
                        (found, expected) => found == expected,
                    };
                    assert!(is_near, "seed {seed}, by {by}, row {at}, {name}: {found:?}, not {expected:?}");
                }
            }
        }
    }
}

#[test]
fn groups_are_calculated_as_a_whole() {
    check(
        &times(),
        "window n = group_count(x), s = group_sum(x), m = group_avg(x), lo = group_min(x), hi = group_max(x) by k \
         | keep k, x, n, s, m, lo, hi",
        &[
            "k|x|n|s|m|lo|hi",
            "a|4|3|8|2.6666666666666665|2|4",
            "b||1|7|7|7|7",
            "a|2|3|8|2.6666666666666665|2|4",
            "b|7|1|7|7|7|7",
            "a|2|3|8|2.6666666666666665|2|4",
        ],
    );
    check(
        &times(),
        "eventstats count, max(x) as top | eval share = x / top | keep x, count, top, share",
        &[
            "x|count|top|share",
            "4|5|7|0.5714285714285714",
            "|5|7|",
            "2|5|7|0.2857142857142857",
            "7|5|7|1",
            "2|5|7|0.2857142857142857",
        ],
    );
}

#[test]
fn commands_of_splunk_calculate() {
    check(
        &times(),
        "bin _time span=5m | stats count by _time",
        &["_time|count", "2026-03-01T10:00:00Z|4", "2026-03-01T10:05:00Z|1"],
    );
    check(
        &times(),
        "bin time span=5m | stats count by time",
        &["time|count", "2026-03-01T10:00:00Z|4", "2026-03-01T10:05:00Z|1"],
    );
    check(&times(), "chart count over x by k", &["x|a|b", "2|2|0", "4|1|0", "7|0|1", "|0|1"]);
    check(&times(), "rex field=k mode=sed \"s/(a)/<\\1>/\" | keep k", &["k", "<a>", "b", "<a>", "b", "<a>"]);
    check(
        &times(),
        "eval v = case(x >= 4, \"much\", x < 4, \"little\", true(), \"none\") | keep v",
        &["v", "much", "none", "little", "much", "little"],
    );
}
