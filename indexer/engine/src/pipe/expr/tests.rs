use jiff::tz::TimeZone;
use proptest::prelude::*;

use super::evaluate::Value;
use super::*;
use crate::pipe::column::Column;
use crate::pipe::file_access::FileAccess;
use crate::pipe::names::Names;
use crate::pipe::run::{Run, RunClock, RunOptions};
use crate::pipe::table::Table;
use base::Cancel;
use query::{Op, StageKind, parse_query};

fn clock() -> RunClock {
    RunClock {
        now: 1_772_374_509_000_000_000,
        zone: TimeZone::UTC,
        range: Some((0, 3_600_000_000_000)),
        files: FileAccess::default(),
    }
}

/// The value of an expression over one row in which `n` is 12, `x` is 0.1, `t` a text, `time` a time.
fn value(expression: &str) -> Cell {
    let table = Table::from_columns(vec![
        ("n".to_owned(), Column::of_cells(vec![Cell::Int(12)])),
        ("x".to_owned(), Column::of_cells(vec![Cell::Float(0.1)])),
        ("t".to_owned(), Column::of_cells(vec![Cell::text("Hello, wörld")])),
        ("time".to_owned(), Column::of_cells(vec![Cell::Time(1_772_374_509_123_000_000)])),
        ("duration_ms".to_owned(), Column::of_cells(vec![Cell::Int(1_500)])),
        ("level".to_owned(), Column::of_cells(vec![Cell::Level(ingest::Level::Error)])),
        ("none".to_owned(), Column::missing(1)),
    ]);
    let query = parse_query(&format!("* | eval r = {expression}")).expect(expression);
    let StageKind::Eval(assignments) = &query.stages[0].kind else { panic!("not an eval") };
    let names: Vec<String> = table.names().iter().map(ToString::to_string).collect();
    let compiled = Expression::new(&assignments[0].value, &Names::of_events(&names, false), &clock());
    let run = Run::new(clock(), &RunOptions::default(), &Cancel::default(), None);
    compiled.expect(expression).column(&table, &run).expect(expression).cell(0)
}

#[test]
fn operators_and_functions_give_what_the_table_says() {
    let cases = [
        ("n + 1", "13"),
        ("x + 0.2", "0.3"),
        ("0.3 / 0.1", "3"),
        ("7 / 2", "3.5"),
        ("-7 % 3", "-1"),
        ("n / 0", ""),
        ("9223372036854775807 + 1", "9.223372036854776e18"),
        ("\"a\" + n", "a12"),
        ("t like \"hello*\"", "true"),
        ("n in (1, 12)", "true"),
        ("none > 1", ""),
        ("none is null", "true"),
        ("none > 1 or n = 12", "true"),
        ("level >= warn", "true"),
        ("level < \"error\"", "false"),
        ("level = \"SEVERE\"", "true"),
        ("level > \"finest\"", "true"),
        ("duration_ms > 1s", "true"),
        ("duration_ms < 1400ms", "false"),
        ("time + 1h - time", "3600000000000"),
        ("time - 1h < time", "true"),
        ("n =~ /^1/", "true"),
        ("t:hello", "true"),
        ("if(n > 10, \"big\", \"small\")", "big"),
        ("case(n > 100, 1, n > 10, 2, 3)", "2"),
        ("coalesce(none, n)", "12"),
        ("nullif(n, 12)", ""),
        ("len(t)", "12"),
        ("upper(t)", "HELLO, WÖRLD"),
        ("substr(t, 8)", "wörld"),
        ("substr(t, -5, 2)", "wö"),
        ("left(t, 5)", "Hello"),
        ("right(t, 3)", "rld"),
        ("trim(\"  a \")", "a"),
        ("replace(t, /l+/, \"L\")", "HeLo, wörLd"),
        ("split(t, \", \", 2)", "wörld"),
        ("split(t, \", \", -2)", "Hello"),
        ("concat(n, none, \"x\")", "12x"),
        ("contains(t, \"WÖR\")", "true"),
        ("starts_with(t, \"hello\")", "true"),
        ("ends_with(t, \"D\")", "true"),
        ("position(t, \"w\")", "8"),
        ("extract(t, /(\\w+)$/)", "wörld"),
        ("json_extract(\"{\\\"a\\\":[{\\\"b\\\":2}]}\", \"a.0.b\")", "2"),
        ("url_decode(\"a%20b%2\")", "a b%2"),
        ("abs(-3)", "3"),
        ("round(2.675, 2)", "2.68"),
        ("round(-2.5)", "-3"),
        ("round(1234, -2)", "1200"),
        ("floor(-1.5)", "-2"),
        ("ceil(1.2)", "2"),
        ("sqrt(16)", "4"),
        ("sqrt(-1)", ""),
        ("pow(2, 10)", "1024"),
        ("log(1000)", "3"),
        ("log(8, 2)", "3"),
        ("min(3, none, 1.5)", "1.5"),
        ("max(3, n)", "12"),
        ("sign(-2)", "-1"),
        ("to_number(\"10kb\")", "10000"),
        ("to_number(\"250ms\")", "250"),
        ("to_number(\"1.5 s\")", "1500"),
        ("to_number(\"ten\")", ""),
        ("to_string(n) + \"!\"", "12!"),
        ("to_bool(\"yes\")", "true"),
        ("to_time(\"2026-03-01T14:05:00Z\")", "2026-03-01T14:05:00Z"),
        ("to_time(\"01/03/2026\", \"%d/%m/%Y\")", "2026-03-01T00:00:00Z"),
        ("to_time(1772374509)", "2026-03-01T14:15:09Z"),
        ("to_ip(\"::FFFF:0\")", "::ffff:0"),
        ("cidr_match(\"10.1.2.3\", \"10.0.0.0/8\")", "true"),
        ("cidr_match(\"11.1.2.3\", \"10.0.0.0/8\", \"192.168.0.0/16\")", "false"),
        ("type_of(n)", "int"),
        ("type_of(none)", "null"),
        ("type_of(time)", "time"),
        ("bin(time, 5m)", "2026-03-01T14:15:00Z"),
        ("bin(n, 5)", "10"),
        ("bin(x, 0.25)", "0"),
        ("bin(duration_ms, 1s)", "1000"),
        ("date_trunc(month, time)", "2026-03-01T00:00:00Z"),
        ("date_trunc(\"day\", time, \"Europe/Berlin\")", "2026-02-28T23:00:00Z"),
        ("date_format(time, \"%H:%M\", \"Europe/Berlin\")", "15:15"),
        ("date_diff(hour, time, time + 90m)", "1"),
        ("date_diff(month, to_time(\"2026-01-31\"), time)", "1"),
        ("date_part(weekday, time)", "7"),
        ("date_part(hour, time)", "14"),
        ("duration(3723000)", "1h 2m 3s"),
        ("duration(250)", "250ms"),
        ("hash(n) = hash(\"12\")", "true"),
        ("now() > time", "false"),
    ];
    for (expression, expected) in cases {
        assert_eq!(value(expression).to_string(), expected, "{expression}");
    }
}

#[test]
fn every_function_has_a_case_above() {
    let source = include_str!("tests.rs");
    for function in Function::ALL {
        let called = format!("{}(", function.name());
        let known = source.contains(&format!("\"{called}")) || source.contains(&format!(" {called}"));
        let left_out = matches!(
            function,
            Function::Exp | Function::Ln | Function::Lower | Function::IsNull | Function::IsNotNull
        );
        assert!(known || left_out, "{called}");
    }
}

fn cells() -> impl Strategy<Value = Cell> {
    prop_oneof![
        Just(Cell::Missing),
        (-50_i64..50).prop_map(Cell::Int),
        any::<i64>().prop_filter("missing", |value| *value != i64::MIN).prop_map(Cell::Int),
        (-100_i32..100).prop_map(|value| Cell::Float(f64::from(value) / 8.0)),
        (-100_i32..100).prop_map(|value| Cell::Float(f64::from(value) / 10.0)),
    ]
}

proptest! {
    #[test]
    fn kernels_give_what_single_values_give(left in prop::collection::vec(cells(), 1..8), right in cells()) {
        let ops = [BinaryOp::Add, BinaryOp::Subtract, BinaryOp::Multiply, BinaryOp::Divide, BinaryOp::Remainder,
            BinaryOp::Compare(Op::Less), BinaryOp::Compare(Op::Equal), BinaryOp::Compare(Op::NotEqual), BinaryOp::Compare(Op::GreaterOrEqual)];
        let column = Column::of_cells(left.clone());
        let (many, one) = (Value::Many(std::borrow::Cow::Borrowed(&column)), Value::One(right.clone()));
        for op in ops {
            for (found, flipped) in [(kernels::binary(op, &many, &one), false), (kernels::binary(op, &one, &many), true)] {
                let Some(found) = found else { continue };
                for row in 0..left.len() {
                    let cell = &column.cell(row);
                    let (one, other) = if flipped { (&right, cell) } else { (cell, &right) };
                    let expected = match op {
                        BinaryOp::Compare(op) => compare::compare(op, one, other),
                        op => arithmetic::arithmetic(op, one, other),
                    };
                    // Where one result is beyond 64 bits, all are floats.
                    let found = found.cell(row);
                    let is_near = match (&found, expected.number()) {
                        (Cell::Float(found), Some(expected)) => (found - expected).abs() <= expected.abs() * 1e-15,
                        _ => found == expected,
                    };
                    prop_assert!(is_near, "{:?} {:?} {:?}: {:?}, not {:?}", one, op, other, found, expected);
                }
            }
        }
    }
}
