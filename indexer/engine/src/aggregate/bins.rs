//! Bins of a field's numbers: all of one width, or each wider than the previous one by a constant factor.

use super::AggregateScope;
use super::field::{missing, numbers};
use super::request::Bins;
use crate::exec::{SegmentRows, in_order};
use base::error::{Error, ErrorKind, Result};
use base::limits::TIMELINE_BUCKETS;
use store::{StoredColumn, with_codes};

/// The numbers of a field among the matching events.
#[derive(Clone, Debug, Default)]
pub struct Extent {
    pub ends: Option<(f64, f64)>,
    /// The least number above zero.
    pub positive: Option<f64>,
    pub numbers: u64,
    pub missing: u64,
    pub mistyped: u64,
}

pub fn extent(asked: &AggregateScope<'_>, field: &str) -> Result<Extent> {
    let mut all = Extent::default();
    let look = |index: usize| asked.part(index)?.map(|part| extent_of(asked, field, &part)).transpose();
    in_order(asked.snapshot.segments.len(), asked.cancel, look, |_, found| {
        let Some(found) = found else { return Ok(()) };
        all.positive = all.positive.into_iter().chain(found.positive).min_by(f64::total_cmp);
        all.ends = match (all.ends, found.ends) {
            (Some(own), Some(other)) => Some((own.0.min(other.0), own.1.max(other.1))),
            (own, other) => own.or(other),
        };
        all.numbers += found.numbers;
        all.missing += found.missing;
        all.mistyped += found.mistyped;
        Ok(())
    })?;
    Ok(all)
}

/// Numbers this close to zero have fewer digits than others, but are positive.
const LEAST_POSITIVE: f64 = f64::from_bits(1);

fn extent_of(asked: &AggregateScope<'_>, field: &str, part: &SegmentRows) -> Result<Extent> {
    let numbers = numbers(&part.segment, asked.snapshot.sources(), field, asked.cancel)?;
    let mistyped: usize = numbers.others.iter().map(|column| part.len() - missing(column, part)).sum();
    let mut extent = Extent { mistyped: mistyped as u64, ..Extent::default() };
    if let Some(column) = &numbers.column {
        let number = |code: u64| column.value(code).and_then(|value| value.number());
        let zero = first_code(column, LEAST_POSITIVE);
        let (mut least, mut most, mut positive, mut count) = (u64::MAX, 0, u64::MAX, 0);
        with_codes!(&column.codes, codes => part.for_each(|row| {
            let code = u64::from(codes[row]);
            if code > 0 {
                least = least.min(code);
                most = most.max(code);
                positive = if code >= zero { positive.min(code) } else { positive };
                count += 1;
            }
        }));
        extent.numbers = count;
        extent.ends = number(least).zip(number(most));
        extent.positive = number(positive);
    }
    extent.missing = part.len() as u64 - extent.numbers - extent.mistyped;
    Ok(extent)
}

/// The smallest code whose number is not below this one; one past the largest code if all are, where 64 bits hold it.
pub fn first_code(column: &StoredColumn, number: f64) -> u64 {
    let (mut low, mut high) = (1, column.largest.saturating_add(1));
    while low < high {
        let middle = low + (high - low) / 2;
        if column.value(middle).and_then(|value| value.number()).is_some_and(|value| value >= number) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

/// The starts of the bins that hold these numbers, and the end of the last one.
pub fn edges(extent: &Extent, bins: &Bins) -> Result<Vec<f64>> {
    let Some((least, most)) = extent.ends else { return Ok(Vec::new()) };
    if !least.is_finite() || !most.is_finite() {
        return Ok(vec![least, most]);
    }
    match bins {
        Bins::Width { width } if !width.is_finite() || *width <= 0.0 => {
            Err(Error::new(ErrorKind::BadRequest, "the width of a bin must be greater than zero"))
        }
        Bins::Width { width } => linear(least, most, *width),
        Bins::Linear { most: count } => {
            let count = (*count).clamp(1, TIMELINE_BUCKETS);
            linear(least, most, named_width(least, most, count))
        }
        Bins::Logarithmic { most: count } => {
            Ok(logarithmic(least, most, extent.positive, (*count).clamp(3, TIMELINE_BUCKETS)))
        }
    }
}

/// 1, 2 or 5 times a power of ten.
fn named_width(least: f64, most: f64, count: usize) -> f64 {
    let wanted = ((most - least) / count as f64).max(f64::MIN_POSITIVE * 1e20);
    let power = 10_f64.powi(wanted.log10().floor() as i32);
    let fits = |width: &f64| (most / width).floor() - (least / width).floor() < count as f64;
    [1.0, 2.0, 5.0, 10.0, 20.0].into_iter().map(|times| times * power).find(fits).unwrap_or(power * 50.0)
}

fn linear(least: f64, most: f64, width: f64) -> Result<Vec<f64>> {
    let (low, high) = ((least / width).floor(), (most / width).floor());
    if high - low >= TIMELINE_BUCKETS as f64 {
        let message = format!("bins of {width} would be more than {TIMELINE_BUCKETS}");
        return Err(Error::new(ErrorKind::BadRequest, message).hint("take wider bins"));
    }
    let count = (high - low) as usize + 1;
    // Rounding makes multiples of a width such as 0.1 uneven; a division by its inverse does not.
    let inverse = (1.0 / width).round();
    let exact = inverse >= 1.0 && (1.0 / inverse).to_bits() == width.to_bits();
    let edge = |place: usize| {
        let number = low + place as f64;
        if exact { number / inverse } else { number * width }
    };
    let mut edges: Vec<f64> = (0..=count).map(edge).collect();
    // Values that rounding moved outside go into the outermost bins.
    edges[0] = edges[0].min(least);
    edges[count] = edges[count].max(most);
    Ok(edges)
}

fn logarithmic(least: f64, most: f64, positive: Option<f64>, count: usize) -> Vec<f64> {
    let Some(positive) = positive else { return vec![least, most] };
    let (low, high) = (positive.log10().floor() as i32, most.log10().floor() as i32 + 1);
    let by = |steps: &[f64], stride: usize| {
        let powers = (low..=high.max(low + stride as i32)).step_by(stride);
        let all: Vec<f64> =
            powers.flat_map(|power| steps.iter().map(move |step| named(*step, power))).collect();
        let from = all.partition_point(|&edge| edge <= positive).saturating_sub(1);
        let to = all.partition_point(|&edge| edge <= most).min(all.len() - 1);
        let mut edges = all[from..=to.max(from + 1).min(all.len() - 1)].to_vec();
        if let [outer, .., end] = edges.as_mut_slice() {
            // Values that rounding moved outside go into the outermost bins.
            *outer = outer.min(positive);
            *end = if end.is_finite() { end.max(most) } else { most };
        }
        if least <= 0.0 {
            edges.insert(0, least);
        }
        edges
    };
    let fine =
        [&[1.0, 2.0, 3.0, 5.0, 7.0][..], &[1.0, 2.0, 5.0], &[1.0, 3.0]].into_iter().map(|steps| by(steps, 1));
    // Every n-th power of ten, if one bin per decade is too many.
    let coarse = (1..).map(|stride| by(&[1.0], stride));
    fine.chain(coarse).find(|edges| edges.len() <= count + 1).unwrap_or_default()
}

fn named(step: f64, power: i32) -> f64 {
    if power < 0 { step / 10_f64.powi(-power) } else { step * 10_f64.powi(power) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn over(least: f64, most: f64, bins: &Bins) -> Vec<f64> {
        let positive = (most > 0.0).then(|| if least > 0.0 { least } else { most.min(0.5) });
        let extent = Extent { ends: Some((least, most)), positive, numbers: 2, ..Extent::default() };
        edges(&extent, bins).expect("bins")
    }

    #[test]
    fn bins_have_widths_that_a_person_can_name() {
        assert_eq!(
            over(3.0, 97.0, &Bins::Linear { most: 10 }),
            (0..=10).map(|n| f64::from(n) * 10.0).collect::<Vec<_>>()
        );
        assert_eq!(over(0.05, 0.35, &Bins::Width { width: 0.1 }), [0.0, 0.1, 0.2, 0.3, 0.4]);
        assert_eq!(
            over(0.0, 900.0, &Bins::Logarithmic { most: 12 }),
            [0.0, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0][..]
        );
        assert!(edges(&Extent::default(), &Bins::Linear { most: 5 }).expect("none").is_empty());
        assert!(linear(0.0, 1e9, 1.0).is_err());
    }

    #[test]
    fn every_number_is_in_a_bin_and_there_are_not_more_than_asked_for() {
        for (least, most) in
            [(0.0, 0.0), (7.0, 7.0), (-5.5, 1e12), (1e-9, 1e9), (-3.0, -1.0), (4.9e-324, 1e308), (0.1, 0.3)]
        {
            for count in [3, 20, 500] {
                for bins in [Bins::Linear { most: count }, Bins::Logarithmic { most: count }] {
                    let edges = over(least, most, &bins);
                    assert!(edges.len() <= count + 1, "{least} {most} {bins:?} {}", edges.len());
                    assert!(edges.is_sorted() && edges.len() >= 2, "{least} {most} {bins:?}");
                    assert!(
                        edges[0] <= least && *edges.last().expect("one") >= most,
                        "{least} {most} {bins:?} {edges:?}"
                    );
                }
            }
        }
    }
}
