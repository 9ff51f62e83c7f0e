#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;
use crate::time::civil::{SECOND_NS, days_from_civil};
use crate::time::provisional;

const HOUR_NS: i64 = 3_600 * SECOND_NS;

fn day(year: i32, month: u8, day: u8) -> i64 {
    days_from_civil(year, month, day) * DAY_NS
}

fn yearless(month: u8, day: u8) -> i64 {
    days_from_civil(provisional::YEARLESS, month, day) * DAY_NS
}

fn batch(times: &[i64], first_line: u64) -> Batch {
    Batch {
        time: times.to_vec(),
        line: (first_line..first_line + times.len() as u64).collect(),
        ..Batch::default()
    }
}

fn settle(evidence: &Evidence, times: &[i64]) -> (Vec<i64>, TimeReport) {
    let mut settler = Settler::new(evidence);
    let mut batch = batch(times, 1);
    batch.times.yearless = 1;
    batch.times.dayless = 1;
    batch.times.uptimes = 1;
    settler.settle(&mut batch);
    (batch.time, settler.report())
}

#[test]
fn stamp_with_a_year_determines_later_years() {
    let times = [day(2011, 12, 31) + HOUR_NS, yearless(12, 31) + 2 * HOUR_NS, yearless(1, 1)];
    let (settled, report) = settle(&Evidence::from_sample(&times), &times);
    assert_eq!(settled, [times[0], day(2011, 12, 31) + 2 * HOUR_NS, day(2012, 1, 1)]);
    assert_eq!((report.new_years, &*report.year), (1, "2011, from a stamp with its year before it"));
}

#[test]
fn neighbours_are_considered_before_anything_is_settled() {
    let times = [NO_TIME, yearless(3, 5)];
    let evidence = Evidence { modified_ns: Some(day(2026, 11, 21)), ..Evidence::from_sample(&times) };
    let mut settler = Settler::new(&evidence);
    settler.consider_neighbours(&[2015, 2016]);
    let mut events = batch(&times, 1);
    settler.settle(&mut events);
    assert_eq!(events.time, [day(2016, 3, 5); 2]);
    let mut chosen = Settler::new(&Evidence { year: Some(2019), ..evidence });
    chosen.consider_neighbours(&[2015, 2016]);
    let mut events = batch(&times, 1);
    chosen.settle(&mut events);
    assert_eq!(events.time, [day(2019, 3, 5); 2]);
    let complete = [day(2011, 2, 3), NO_TIME, day(2012, 2, 3), yearless(1, 1)];
    assert_eq!(Settler::new(&Evidence::from_sample(&complete)).sample_years(), Some((2011, 2012)));
}

#[test]
fn times_of_day_take_the_day_of_the_name_and_pass_midnight() {
    let times = [21, 23, 1].map(|hour| provisional::time_of_day(hour * HOUR_NS));
    let evidence = Evidence { name: "server-2016-12-31.log", ..Evidence::from_sample(&times) };
    let (settled, report) = settle(&evidence, &times);
    let start = day(2016, 12, 31);
    assert_eq!(settled, [start + 21 * HOUR_NS, start + 23 * HOUR_NS, start + 25 * HOUR_NS]);
    assert_eq!((report.midnights, &*report.day), (1, "2016-12-31, from the date in the file's name"));
}

#[test]
fn stamp_with_a_date_determines_days_in_local_time() {
    // `Log opened Thu Jan 2 01:30` in Berlin is on the previous day in UTC.
    let opened = day(2025, 1, 2) + HOUR_NS / 2;
    let times = [opened, provisional::time_of_day(HOUR_NS * 3 / 2)];
    let zone = Zone::named("Europe/Berlin").unwrap();
    let evidence = Evidence { zone, ..Evidence::from_sample(&times) };
    assert_eq!(settle(&evidence, &times).0, [opened, opened]);
}

#[test]
fn uptimes_end_at_the_last_change_or_start_at_the_boot() {
    let times = [provisional::uptime(0), provisional::uptime(60 * SECOND_NS)];
    let modified = day(2026, 11, 21);
    let evidence = Evidence { modified_ns: Some(modified), ..Evidence::from_sample(&times) };
    let (settled, report) = settle(&evidence, &times);
    assert_eq!(settled, [modified - 60 * SECOND_NS, modified]);
    assert!(report.start.contains("assumed"), "{}", report.start);
    let booted = Evidence { boot_ns: Some(5), ..evidence };
    assert_eq!(settle(&booted, &times).0, [5, 60 * SECOND_NS + 5]);
    assert_eq!(settle(&Evidence::from_sample(&times), &times).0, [0, 60 * SECOND_NS]);
}

#[test]
fn events_without_a_time_are_carried_and_counted() {
    let times = [NO_TIME, day(2026, 11, 21), NO_TIME, NO_TIME];
    let (settled, report) = settle(&Evidence::from_sample(&times), &times);
    assert_eq!(settled, [day(2026, 11, 21); 4]);
    assert_eq!((report.carried, report.untimed), (2, 0));
    let (settled, report) = settle(&Evidence::from_sample(&[]), &[NO_TIME; 3]);
    assert_eq!((settled, report.untimed), (vec![NO_TIME; 3], 3));
}

#[test]
fn a_clock_offset_moves_every_time() {
    let times = [NO_TIME, day(2026, 11, 21), yearless(11, 21)];
    let evidence = Evidence { clock_offset_ns: -HOUR_NS, year: Some(2026), ..Evidence::from_sample(&times) };
    let (settled, report) = settle(&evidence, &times);
    assert_eq!(settled, [day(2026, 11, 21) - HOUR_NS; 3]);
    assert!(report.sentences().iter().any(|sentence| sentence.contains("1 h earlier")));
}

#[test]
fn start_that_proves_too_late_is_reported() {
    let sample = [yearless(3, 1)];
    let evidence = Evidence { modified_ns: Some(day(2026, 11, 21)), ..Evidence::from_sample(&sample) };
    let times = [yearless(3, 1), yearless(9, 1), yearless(2, 1), yearless(10, 1)];
    let (settled, report) = settle(&evidence, &times);
    assert_eq!(settled[3], day(2027, 10, 1));
    assert_eq!(report.better_year, Some(2025));
}

#[test]
fn a_repeated_hour_of_a_zone_follows_the_order() {
    let zone = Zone::named("Europe/Berlin").unwrap();
    let midnight = day(2026, 10, 25);
    let wall = |half_hours: i64| midnight + half_hours * HOUR_NS / 2;
    let times = [wall(4), wall(5), wall(4), wall(5)].map(|wall| provisional::uncertain(wall).unwrap());
    let evidence = Evidence { zone, ..Evidence::from_sample(&times) };
    let (settled, report) = settle(&evidence, &times);
    assert_eq!(settled, [wall(0), wall(1), wall(2), wall(3)]);
    assert_eq!((report.repeated, report.repeated_second, report.jumps_back), (4, 2, 0));
}

/// Times of every kind, real ones and provisional ones.
fn any_time() -> impl Strategy<Value = i64> {
    prop_oneof![
        2 => Just(NO_TIME),
        4 => (0..200_i64).prop_map(|hours| day(2026, 10, 20) + hours * HOUR_NS),
        3 => (0..366_i64).prop_map(|days| yearless(1, 1) + days * DAY_NS),
        3 => (0..24_i64).prop_map(|hour| provisional::time_of_day(hour * HOUR_NS)),
        3 => (0..999_i64).prop_map(|second| provisional::uptime(second * SECOND_NS)),
        2 => (0..12_i64).prop_map(|step| day(2026, 10, 25) + 2 * HOUR_NS + step * HOUR_NS / 12)
            .prop_map(|wall| provisional::uncertain(wall).unwrap()),
        1 => any::<i64>(),
    ]
}

proptest! {
    #[test]
    fn settling_does_not_depend_on_where_batches_are_cut(
        times in prop::collection::vec(any_time(), 1..60),
        cuts in prop::collection::vec(0..60_usize, 0..5),
        modified in prop::option::of(Just(day(2026, 11, 21))),
    ) {
        let zone = Zone::named("Europe/Berlin").unwrap();
        let sample = &times[..times.len().min(10)];
        let evidence = Evidence { zone, modified_ns: modified, ..Evidence::from_sample(sample) };
        let mut whole = Settler::new(&evidence);
        let mut cut = whole.clone();
        let mut at_once = batch(&times, 1);
        whole.settle(&mut at_once);
        let mut cuts: Vec<usize> = cuts.into_iter().map(|place| place.min(times.len())).collect();
        cuts.extend([0, times.len()]);
        cuts.sort_unstable();
        let mut pieces = Vec::new();
        for pair in cuts.windows(2) {
            let mut piece = batch(&times[pair[0]..pair[1]], pair[0] as u64 + 1);
            cut.settle(&mut piece);
            pieces.extend(piece.time);
        }
        prop_assert_eq!(pieces, at_once.time);
        prop_assert_eq!(cut.report(), whole.report());
    }
}
