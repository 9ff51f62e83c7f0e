//! `stats` against the plainest way to calculate the same.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::super::expr::number_of;
use super::*;

#[test]
fn each_function_gives_what_it_says() {
    let input = sample();
    let one = |calculation: &str, expected: &str| {
        check(&input, &format!("stats {calculation} as v"), &["v", expected]);
    };
    one("count", "5");
    one("count(status)", "4");
    one("count() where status >= 400", "2");
    one("count_distinct(host)", "3");
    one("sum(bytes)", "42.5");
    one("avg(status)", "326");
    one("min(status)", "200");
    one("max(time)", "2026-03-01T11:31:00Z");
    one("range(status)", "300");
    one("range(time)", "5460000000000");
    one("stddev(status)", "150.6784656146989");
    one("variance(status)", "22704");
    one("median(status)", "302");
    one("p90(status)", "471.2");
    one("percentile(status, 25)", "200");
    one("mode(host)", "a");
    one("entropy(host)", "1.3709505944546687");
    one("entropy(bytes) where bytes < 0", "");
    one("first(bytes)", "10");
    one("last(status)", "200");
    one("values(host)", "a, b, c");
    one("values(host, 2)", "a, b");
    one("rate", "0.0009157509157509158");
    one("per_hour", "3.2967032967032965");
}

#[test]
fn groups_come_in_their_order_and_missing_values_are_one() {
    check(&sample(), "stats count by host", &["host|count", "a|3", "b|1", "c|1"]);
    check(
        &sample(),
        "stats count, sum(bytes) as b by status",
        &["status|count|b", "200|2|40", "404|1|2.5", "500|1|", "|1|"],
    );
    check(
        &sample(),
        "stats count by bin(time, 1h), host",
        &[
            "time|host|count",
            "2026-03-01T10:00:00Z|a|2",
            "2026-03-01T10:00:00Z|b|1",
            "2026-03-01T11:00:00Z|a|1",
            "2026-03-01T11:00:00Z|c|1",
        ],
    );
    check(
        &sample(),
        "stats rate by bin(time, 1h)",
        &[
            "time|rate",
            "2026-03-01T10:00:00Z|0.0008333333333333334",
            "2026-03-01T11:00:00Z|0.0005555555555555556",
        ],
    );
    check(&sample(), "where status > 900 | stats count, max(bytes)", &["count|max(bytes)", "0|"]);
    let result = run_in_parts(&sample(), "stats sum(bytes)", 2, 1 << 20).expect("it runs");
    assert_eq!(result.notes, ["sum(bytes): 1 of 5 rows have no value, 1 have one that is not a number"]);
}

#[test]
fn distinct_texts_are_counted_in_less_memory_than_they_take() {
    let texts: Vec<String> = (0..20_000).map(|row| format!("v{:0>200}", row % 10_000)).collect();
    let input = table("v", &texts.iter().map(String::as_str).collect::<Vec<_>>());
    // The rows that go to the stage are charged too.
    let least = |query: &str| {
        let fits = |quarter: &usize| run_in_parts(&input, query, 4_096, quarter << 18).is_ok();
        (1..64).find(fits).expect("it fits into 16 MB")
    };
    let (counted, kept) = (least("stats count_distinct(v) as d"), least("stats values(v) as d"));
    assert!(counted < kept, "{counted} and {kept} quarters of a megabyte");
    let result = run_in_parts(&input, "stats count_distinct(v) as d", 4_096, counted << 18).expect("it fits");
    assert_eq!(result.column_or_missing("d").cell(0), Cell::Int(10_000));
}

fn value() -> impl Strategy<Value = Cell> {
    prop_oneof![
        1 => Just(Cell::Missing),
        4 => (0_i64..6).prop_map(Cell::Int),
        2 => (0_i32..40).prop_map(|value| Cell::Float(f64::from(value) / 4.0)),
        1 => "[ab]{1,2}".prop_map(|text| Cell::text(&text)),
    ]
}

/// Equal, or as near as sums of floats in another order are.
fn near(one: &Cell, other: &Cell) -> bool {
    match (one.number(), other.number()) {
        (Some(one), Some(other)) => (one - other).abs() <= 1e-9 * one.abs().max(1.0),
        _ => one == other,
    }
}

fn naive(name: &str, cells: &[&Cell]) -> Cell {
    let there: Vec<&Cell> = cells.iter().copied().filter(|cell| !cell.is_missing()).collect();
    let mut numbers: Vec<f64> = there.iter().filter_map(|cell| number_of(cell)?.number()).collect();
    numbers.sort_by(f64::total_cmp);
    let count = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / count;
    match name {
        "count(v)" => Cell::Int(there.len() as i64),
        "sum(v)" | "p90(v)" if numbers.is_empty() => Cell::Missing,
        "sum(v)" => Cell::float(numbers.iter().sum()),
        "avg(v)" => Cell::float(mean),
        "stddev(v)" if numbers.len() < 2 => Cell::Missing,
        "stddev(v)" => {
            Cell::float((numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (count - 1.0)).sqrt())
        }
        "min(v)" => there.iter().min().map_or(Cell::Missing, |cell| (*cell).clone()),
        "max(v)" => there.iter().max().map_or(Cell::Missing, |cell| (*cell).clone()),
        "first(v)" => there.first().map_or(Cell::Missing, |cell| (*cell).clone()),
        "last(v)" => there.last().map_or(Cell::Missing, |cell| (*cell).clone()),
        "count_distinct(v)" => {
            let mut distinct = there.clone();
            distinct.sort();
            distinct.dedup();
            Cell::Int(distinct.len() as i64)
        }
        "entropy(v)" if there.is_empty() => Cell::Missing,
        "entropy(v)" => {
            let same = |cell: &Cell| there.iter().filter(|other| **other == cell).count() as f64;
            let total = there.len() as f64;
            Cell::float(there.iter().map(|cell| -(same(cell) / total).log2() / total).sum::<f64>() + 0.0)
        }
        "p90(v)" => {
            let place = 0.9 * (count - 1.0);
            let (low, high) = (numbers[place.floor() as usize], numbers[place.ceil() as usize]);
            Cell::float(low + (high - low) * place.fract())
        }
        _ => Cell::Missing,
    }
}

const CALCULATED: [&str; 11] = [
    "count(v)",
    "sum(v)",
    "avg(v)",
    "stddev(v)",
    "min(v)",
    "max(v)",
    "first(v)",
    "last(v)",
    "count_distinct(v)",
    "entropy(v)",
    "p90(v)",
];

proptest! {
    #[test]
    fn stats_agree_with_the_plainest_calculation(
        rows in prop::collection::vec((value(), value(), value()), 0..40),
        keys in 0..3_usize,
        part in 1..20_usize,
    ) {
        let column = |pick: fn(&(Cell, Cell, Cell)) -> &Cell| Column::of_cells(rows.iter().map(|row| pick(row).clone()).collect());
        let input = Table::from_columns(vec![
            ("a".to_owned(), column(|row| &row.0)),
            ("b".to_owned(), column(|row| &row.1)),
            ("v".to_owned(), column(|row| &row.2)),
        ]);
        let by = ["", " by a", " by a, b"][keys];
        let found = run_in_parts(&input, &format!("stats {}{by}", CALCULATED.join(", ")), part, usize::MAX / 2).expect("it runs");
        // A column has one type: values of several are texts.
        let rows: Vec<(Cell, Cell, Cell)> =
            (0..rows.len()).map(|row| (input.cell(row, 0), input.cell(row, 1), input.cell(row, 2))).collect();
        let mut groups: BTreeMap<Vec<&Cell>, Vec<&Cell>> = BTreeMap::new();
        if keys == 0 {
            groups.insert(Vec::new(), Vec::new());
        }
        for row in &rows {
            groups.entry([&row.0, &row.1][..keys].to_vec()).or_default().push(&row.2);
        }
        prop_assert_eq!(found.rows(), groups.len());
        for (row, (key, cells)) in groups.iter().enumerate() {
            for (column, key) in key.iter().enumerate() {
                prop_assert_eq!(&found.cell(row, column), *key);
            }
            for (column, name) in CALCULATED.iter().enumerate() {
                let (cell, expected) = (found.cell(row, keys + column), naive(name, cells));
                prop_assert!(near(&cell, &expected), "{} of {:?}: {:?}, not {:?}", name, cells, cell, expected);
            }
        }
    }
}
