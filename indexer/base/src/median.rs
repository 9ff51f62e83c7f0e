//! The middle of numbers.

/// The middle number, or the mean of the two in the middle; none of none. Orders the numbers as it needs.
pub fn median(values: &mut [f64]) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    let (middle, is_odd) = (values.len() / 2, values.len() % 2 == 1);
    let (below, &mut high, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    if is_odd {
        return Some(high);
    }
    let low = below.iter().copied().max_by(f64::total_cmp);
    Some(low.map_or(high, |low| f64::midpoint(low, high)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_is_between_two() {
        let medians = [&[][..], &[3.0], &[4.0, 1.0], &[9.0, 1.0, 5.0], &[8.0, 2.0, 4.0, 1.0]];
        let medians = medians.map(|values| median(&mut values.to_vec()));
        assert_eq!(medians, [None, Some(3.0), Some(2.5), Some(5.0), Some(3.0)]);
    }
}
