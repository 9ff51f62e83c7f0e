//! Generated rows whose groups, changes and beats are known, and a case whose counts are.

use super::*;
use crate::test_case::{ImportOptions, Random, TestCase};

const BINS: usize = 360;
const SECOND: i64 = 1_000_000_000;
/// 2026-03-01T14:00:00Z.
const START: i64 = 1_772_373_600 * SECOND;

/// Rows of some groups: those of one share bursts at times of their own, each on a level of its own with noise.
fn grouped(seed: u64, groups: usize, each: usize) -> Vec<(usize, Vec<u32>)> {
    let mut random = Random(seed);
    let mut rows = Vec::new();
    for group in 0..groups {
        let bursts: Vec<usize> = (0..5).map(|_| random.below(BINS as u64) as usize).collect();
        for _ in 0..each {
            let level = random.below(12) as u32;
            let counts = (0..BINS).map(|bin| {
                let burst = bursts.iter().any(|&burst| bin.abs_diff(burst) < 6);
                let noise = random.below(u64::from(level) + 2) as u32;
                level + noise + if burst { 20 + 3 * level } else { 0 }
            });
            rows.push((group, counts.collect()));
        }
    }
    // As ids do, mix the groups.
    for at in (1..rows.len()).rev() {
        rows.swap(at, random.below(at as u64 + 1) as usize);
    }
    rows
}

fn ordered(rows: &[(usize, Vec<u32>)]) -> Vec<usize> {
    let all: Vec<u32> = (0..BINS).map(|bin| rows.iter().map(|(_, counts)| counts[bin]).sum()).collect();
    let counts: Vec<&[u32]> = rows.iter().map(|(_, counts)| &**counts).collect();
    let normals: Vec<Normal> = counts.iter().map(|counts| Normal::from_counts(counts, &all)).collect();
    order::order(&counts, &normals, &all)
}

#[test]
fn rows_that_move_together_are_neighbours() {
    for seed in 0..10 {
        let rows = grouped(seed, 7, 9);
        let order = ordered(&rows);
        let mut places = order.clone();
        places.sort_unstable();
        assert_eq!(places, (0..rows.len()).collect::<Vec<_>>(), "each row once");
        let groups: Vec<usize> = order.iter().map(|&row| rows[row].0).collect();
        let ends = groups.windows(2).filter(|pair| pair[0] != pair[1]).count();
        assert_eq!(ends, 6, "seed {seed}: {groups:?}");
        assert_eq!(order, ordered(&rows), "the same rows have the same order");
    }
    assert_eq!(ordered(&[]), Vec::<usize>::new());
    assert_eq!(ordered(&grouped(1, 1, 1)), [0]);
    let alike = vec![(0, vec![1; BINS]); 20];
    assert_eq!(ordered(&alike).len(), 20, "rows that never move are all nearest to each other");
}

#[test]
fn five_hundred_rows_are_put_in_order() {
    let rows = grouped(3, 50, 10);
    let groups: Vec<usize> = ordered(&rows).iter().map(|&row| rows[row].0).collect();
    let ends = groups.windows(2).filter(|pair| pair[0] != pair[1]).count();
    // Bursts of fifty groups overlap by chance.
    assert!(ends <= 60, "{ends} of 49: {groups:?}");
}

#[test]
#[allow(clippy::float_cmp)]
fn normal_is_the_median_of_the_bins_in_use() {
    let all = [9, 9, 9, 9, 9, 0, 0, 0, 0, 0, 0, 0];
    let normal = Normal::from_counts(&[4, 5, 4, 90, 3, 0, 0, 0, 0, 0, 0, 0], &all);
    assert_eq!((normal.median, normal.spread), (4.0, 2.0), "one burst and the silence of all are not normal");
    assert_eq!((normal.deviation(4), normal.deviation(8), normal.deviation(0)), (0.0, 2.0, -2.0));
    let rare = Normal::from_counts(&[0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], &all);
    assert_eq!((rare.median, rare.spread), (0.0, 1.0));
    let wide = Normal::from_counts(&[10, 30, 50, 70, 90], &[100; 5]);
    assert!((wide.spread - 20.0 * 1.4826).abs() < 1e-9, "{wide:?}");
    assert_eq!(Normal::from_counts(&[], &[]), Normal { median: 0.0, spread: 1.0 });
}

#[test]
fn noise_and_bursts_do_not_beat() {
    let mut random = Random(5);
    for every in [4.0, 5.5, 7.33, 12.0, 30.4, 60.0] {
        let mut counts = vec![0_u32; BINS];
        let mut at = 1.7;
        while at < BINS as f64 {
            counts[at as usize] += 3 + random.below(3) as u32;
            at += every;
        }
        let noisy: Vec<u32> = counts.iter().map(|count| 4 * count + random.below(4) as u32).collect();
        for counts in [counts, noisy] {
            let found = beat::period(&counts).unwrap_or_default();
            assert!((found - every).abs() < 0.03 * every, "{found} instead of {every}");
        }
    }
    let noise = (0..300).filter(|_| {
        let level = random.below(30) + 1;
        let counts: Vec<u32> = (0..BINS).map(|_| random.below(level) as u32).collect();
        beat::period(&counts).is_some()
    });
    assert_eq!(noise.count(), 0);
    let bursts = |times: &[usize]| {
        let near = |bin: usize| times.iter().any(|&time| bin.abs_diff(time) < 5);
        (0..BINS).map(|bin| if near(bin) { 50 } else { 0 }).collect::<Vec<u32>>()
    };
    for times in [vec![100, 160], vec![40, 50, 300], vec![180]] {
        assert_eq!(beat::period(&bursts(&times)), None, "{times:?}");
    }
    let trend: Vec<u32> = (0..BINS as u32).collect();
    assert_eq!(beat::period(&trend), None);
    assert_eq!(beat::period(&[1, 0, 1, 0, 1]), None);
}

/// A shop whose health checks beat, whose cache errors begin at two thirds and whose old jobs end at one third.
fn case(folder: &std::path::Path) -> TestCase {
    let mut lines = Vec::new();
    let mut random = Random(11);
    for second in 0..7_200_i64 {
        let mut write = |level: &str, message: String| {
            lines.push(format!(
                r#"{{"time":"{}","level":"{level}","message":"{message}"}}"#,
                base::stamp::to_rfc3339(START + second * SECOND)
            ));
        };
        if random.below(3) == 0 {
            write("info", format!("request {second} served"));
        }
        if second % 300 == 7 {
            write("info", "health check passed".to_owned());
        }
        if second >= 4_800 && random.below(10) == 0 {
            write("error", format!("cache {} refused the connection", second % 7));
        }
        if second < 2_400 && random.below(10) == 0 {
            write("info", format!("old job {second} done"));
        }
    }
    let log = folder.join("shop.ndjson");
    std::fs::write(&log, lines.join("\n")).expect("written");
    let case = TestCase::create(&folder.join("shop.case")).expect("a case");
    case.import(&[log], &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("imported");
    case
}

#[test]
fn what_starts_stops_and_beats_is_said_and_counts_are_those_of_the_filter() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = case(folder.path());
    let snapshot = case.snapshot();
    let ask = |query: &str, from: Option<i64>, options: SeismographOptions| {
        let view = View::parse(query, from, None).expect("a query");
        case.seismograph(&snapshot, &view, options, &mut |_| {}, &Cancel::default()).expect("an answer")
    };
    let whole = ask("*", None, SeismographOptions::default());
    let row = |part: &str| whole.rows.iter().find(|row| row.text.contains(part)).expect(part);
    assert_eq!((whole.rows.len(), whole.distinct), (4, 4));
    for (part, starts, stops) in [
        ("request", false, false),
        ("cache", true, false),
        ("old job", false, true),
        ("health", false, false),
    ] {
        let row = row(part);
        assert_eq!((row.started.is_some(), row.stopped.is_some()), (starts, stops), "{part}");
    }
    assert!(row("cache").started.is_some_and(|time| (time - START - 4_800 * SECOND).abs() < 60 * SECOND));
    let period = row("health").period_ns.expect("it beats");
    assert!((period - 300 * SECOND).abs() < 6 * SECOND, "{period}");
    assert_eq!(row("request").period_ns, None);
    // Each cell is what its filter counts.
    for row in &whole.rows {
        assert_eq!(row.counts.iter().map(|&count| u64::from(count)).sum::<u64>(), row.count);
        let busiest = (0..row.counts.len()).max_by_key(|&bin| row.counts[bin]).expect("bins");
        let from = whole.start + busiest as i64 * whole.width_ns;
        let view = View::parse(&format!("template:{}", row.id), Some(from), Some(from + whole.width_ns))
            .expect("a query");
        let counted = case.count(&snapshot, &view, &Cancel::default()).expect("a count");
        assert_eq!(counted as u64, u64::from(row.counts[busiest]), "{}", row.text);
    }
    let sums = |bin: usize| whole.rows.iter().map(|row| row.counts[bin]).sum::<u32>();
    assert!((0..whole.all.len()).all(|bin| whole.all[bin] == sums(bin)));
    assert_eq!(whole, ask("*", None, SeismographOptions::default()));

    let few = ask("*", None, SeismographOptions { rows: 2, bins: 100, ..SeismographOptions::default() });
    let mut texts: Vec<&str> = few.rows.iter().map(|row| &row.text[..5]).collect();
    texts.sort_unstable();
    assert_eq!(texts, ["cache", "old j"], "those that start or stop come before the most frequent");
    assert!(few.distinct == 4 && few.all.len() <= 100);
    let errors = ask("level=error", Some(START + 3_600 * SECOND), SeismographOptions::default());
    assert_eq!(errors.rows.len(), 1);
    let none = ask("level=fatal", None, SeismographOptions::default());
    assert_eq!((none.rows.len(), none.total), (0, 0));
}
