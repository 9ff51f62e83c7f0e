//! The scores of a comparison. Each is a small formula over counts; `docs/compare.md` says in words what they mean.

/// The probability that a comparison of equal sides lists a row of one kind. It is divided by the number of tests of
/// that kind (Bonferroni correction).
pub const SIGNIFICANCE: f64 = 0.003;

/// A count is compared only if one side has so many events of it: what occurs once or twice is not a difference.
pub const FEWEST: u64 = 5;

/// The line: a rate has to be at least so many times the other's, after the margin of error.
pub const LEAST_RATIO: f64 = 1.2;

/// The line for numbers: so large a share of them has to lie elsewhere, and more of it than accidents explain.
pub const LEAST_DISTANCE: f64 = 0.05;

/// Events of something, and of the whole side, for A and B.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rates {
    pub counts: [f64; 2],
    pub totals: [f64; 2],
}

impl Rates {
    #[must_use]
    pub fn new(counts: [u64; 2], totals: [u64; 2]) -> Rates {
        Rates { counts: counts.map(|count| count as f64), totals: totals.map(|total| total as f64) }
    }

    #[must_use]
    pub fn share(&self, side: usize) -> f64 {
        if self.totals[side] > 0.0 { self.counts[side] / self.totals[side] } else { 0.0 }
    }

    /// The side with the higher rate.
    #[must_use]
    pub fn higher(&self) -> usize {
        usize::from(self.share(1) >= self.share(0))
    }

    /// How much better two rates explain the counts than one rate for both sides: twice the difference of the
    /// logarithms of the likelihoods (G²).
    #[must_use]
    pub fn g2(&self) -> f64 {
        let ([a, b], [all_a, all_b]) = (self.counts, self.totals);
        let all = all_a + all_b;
        if all_a <= 0.0 || all_b <= 0.0 {
            return 0.0;
        }
        let with = (a + b) / all;
        let term = |seen: f64, expected: f64| if seen > 0.0 { seen * (seen / expected).ln() } else { 0.0 };
        let sum = term(a, all_a * with)
            + term(b, all_b * with)
            + term(all_a - a, all_a * (1.0 - with))
            + term(all_b - b, all_b * (1.0 - with));
        (2.0 * sum).max(0.0)
    }

    /// The logarithm of the ratio of the rates, half an event added to each.
    #[must_use]
    pub fn log_ratio(&self) -> f64 {
        let rate = |side: usize| (self.counts[side] + 0.5) / (self.totals[side] + 1.0);
        (rate(1) / rate(0)).ln()
    }

    /// The smallest ratio of the higher rate to the lower that the counts still allow: with a smaller one, they
    /// would be so unlikely that their G² exceeds `limit`. Below 1, the rates may be equal.
    #[must_use]
    pub fn at_least(&self, limit: f64) -> f64 {
        let (high, low) = (self.higher(), 1 - self.higher());
        let (seen, other) = (self.counts[high], self.counts[low]);
        if seen <= 0.0 || self.totals[0] <= 0.0 || self.totals[1] <= 0.0 {
            return 0.0;
        }
        let all = seen + other;
        // Of the events of both sides, this share is expected on the higher side.
        let g = |share: f64| {
            let missing = if other > 0.0 { other * (other / all / (1.0 - share)).ln() } else { 0.0 };
            2.0 * (seen * (seen / all / share).ln() + missing)
        };
        let odds = if other > 0.0 {
            let top = (seen / other).ln();
            let (mut low, mut high) = (top - 80.0, top);
            for _ in 0..80 {
                let middle = f64::midpoint(low, high);
                let share = 1.0 / (1.0 + (-middle).exp());
                if g(share) > limit { low = middle } else { high = middle }
            }
            high.exp()
        } else {
            let share = (-limit / (2.0 * seen)).exp();
            share / (1.0 - share)
        };
        odds * self.totals[low] / self.totals[high]
    }

    /// The largest difference of the shares that the counts still allow, in either direction (Newcombe's interval from
    /// those of Wilson).
    #[must_use]
    pub fn share_within(&self, limit: f64) -> f64 {
        let interval = |side: usize| {
            let (total, share) = (self.totals[side].max(1.0), self.share(side));
            let middle = (share + limit / (2.0 * total)) / (1.0 + limit / total);
            let spread = (share * (1.0 - share) / total + limit / (4.0 * total * total)).max(0.0);
            let half = limit.sqrt() * spread.sqrt() / (1.0 + limit / total);
            [(share - (middle - half)).max(0.0), (middle + half - share).max(0.0)]
        };
        let ([below_a, above_a], [below_b, above_b]) = (interval(0), interval(1));
        let moved = self.share(1) - self.share(0);
        f64::max((moved - below_b.hypot(above_a)).abs(), (moved + above_b.hypot(below_a)).abs())
    }

    /// How many events of the higher side are more than the other side's rate gives.
    #[must_use]
    pub fn excess(&self) -> f64 {
        let (high, low) = (self.higher(), 1 - self.higher());
        let expected = self.share(low) * self.totals[high];
        (self.counts[high] - expected).max(0.0)
    }

    /// The order of rows: doublings of the rate, times doublings of the events concerned.
    #[must_use]
    pub fn score(&self, limit: f64) -> f64 {
        score_of(self.at_least(limit), self.excess())
    }
}

/// See [`Rates::score`]. Zero where the rates may be equal.
#[must_use]
pub fn score_of(at_least: f64, events: f64) -> f64 {
    at_least.max(1.0).log2() * (1.0 + events.max(0.0)).log2()
}

/// The chance of a G² of at least this value, where nothing differs.
#[must_use]
pub fn p_value(g2: f64) -> f64 {
    complementary_error((g2.max(0.0) / 2.0).sqrt())
}

/// The G² that so many tests exceed by chance with [`SIGNIFICANCE`].
#[must_use]
pub fn threshold(tests: u64) -> f64 {
    exceeded_by_chance(SIGNIFICANCE / tests.max(1) as f64)
}

/// The G² that chance exceeds with this probability.
#[must_use]
pub fn exceeded_by_chance(wanted: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1_000.0);
    for _ in 0..80 {
        let middle = f64::midpoint(low, high);
        if p_value(middle) > wanted { low = middle } else { high = middle }
    }
    high
}

/// The largest distance between two distributions of so many numbers that so many tests show by chance
/// (Kolmogorov and Smirnov).
#[must_use]
pub fn distance_by_chance(tests: u64, numbers: [u64; 2]) -> f64 {
    distance_within(SIGNIFICANCE / tests.max(1) as f64, numbers)
}

/// The distance that chance exceeds with this probability.
#[must_use]
pub fn distance_within(probability: f64, numbers: [u64; 2]) -> f64 {
    let [a, b] = numbers.map(|count| count as f64);
    if a <= 0.0 || b <= 0.0 {
        return 1.0;
    }
    let margin = (2.0 / probability).ln() / 2.0;
    (margin * (a + b) / (a * b)).sqrt().min(1.0)
}

/// The half width of a band, as a share of the numbers, that contains the whole of a distribution with 95 %, given so many
/// numbers of both.
#[must_use]
pub fn band_of_shares(numbers: [u64; 2]) -> f64 {
    let [a, b] = numbers.map(|count| count.max(1) as f64);
    ((2.0_f64 / 0.05).ln() / 2.0 * (a + b) / (a * b)).sqrt()
}

/// The largest difference between the shares of numbers up to any bin, and that bin.
#[must_use]
pub fn distance(bins: [&[u32]; 2]) -> (f64, usize) {
    let totals = bins.map(|bins| bins.iter().map(|&count| u64::from(count)).sum::<u64>());
    if totals.contains(&0) {
        return (0.0, 0);
    }
    let (mut sums, mut most) = ([0_u64; 2], (0.0_f64, 0));
    for (bin, (&a, &b)) in bins[0].iter().zip(bins[1]).enumerate() {
        sums[0] += u64::from(a);
        sums[1] += u64::from(b);
        let gap = (sums[0] as f64 / totals[0] as f64 - sums[1] as f64 / totals[1] as f64).abs();
        if gap > most.0 {
            most = (gap, bin);
        }
    }
    most
}

/// The ratio of the odds that a distance is at least: of the numbers above the best threshold, where half of all
/// are.
#[must_use]
pub fn ratio_of_distance(distance: f64) -> f64 {
    let distance = distance.clamp(0.0, 0.999);
    (1.0 + distance) / (1.0 - distance)
}

/// The complementary error function, to seven digits (Numerical Recipes, `erfcc`).
fn complementary_error(x: f64) -> f64 {
    const TERMS: [f64; 10] = [
        -1.265_512_23,
        1.000_023_68,
        0.374_091_96,
        0.096_784_18,
        -0.186_288_06,
        0.278_868_07,
        -1.135_203_98,
        1.488_515_87,
        -0.822_152_23,
        0.170_872_77,
    ];
    let t = 1.0 / (1.0 + 0.5 * x.abs());
    let sum = TERMS.iter().rev().fold(0.0, |sum, term| sum * t + term);
    let tail = t * (-x * x + sum).exp();
    if x >= 0.0 { tail } else { 2.0 - tail }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn chances_are_those_of_the_tables() {
        // Quantiles of chi-square with one degree of freedom.
        for (g2, expected) in [(0.0, 1.0), (3.841_459, 0.05), (6.634_897, 0.01), (10.827_566, 0.001)] {
            assert!((p_value(g2) - expected).abs() < 1e-6, "{g2}");
        }
        assert!((threshold(1) - 8.807).abs() < 0.01, "{}", threshold(1));
        assert!(threshold(1_000_000) > threshold(1_000) && threshold(1_000) > threshold(1));
    }

    #[test]
    #[allow(clippy::float_cmp)]
    fn few_events_say_little_and_many_say_how_much() {
        let limit = threshold(1_000);
        let rates = |a, b| Rates::new([a, b], [10_000, 10_000]);
        assert!(rates(0, 2).at_least(limit) < 1.0);
        assert!(rates(0, 10).at_least(limit) < 1.0);
        assert!(rates(0, 60).at_least(limit) > 3.0);
        assert!((rates(1_000, 2_000).at_least(limit) - 1.65).abs() < 0.1);
        assert!(rates(0, 60).score(limit) > rates(1_000, 1_300).score(limit));
        assert_eq!(rates(0, 0).at_least(limit), 0.0);
        assert_eq!(Rates::new([0, 5], [0, 10]).at_least(limit), 0.0);
    }

    #[test]
    #[allow(clippy::float_cmp)]
    fn distances_are_those_of_shares() {
        assert_eq!(distance([&[1, 1, 0], &[0, 1, 1]]), (0.5, 0));
        assert_eq!(distance([&[0, 4, 0, 0], &[0, 1, 0, 3]]), (0.75, 1));
        assert_eq!(distance([&[0, 0], &[0, 1]]), (0.0, 0));
        assert!(distance_by_chance(1, [100, 100]) < distance_by_chance(100, [100, 100]));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]
        /// Against the sum over the four cells, and a ratio tried in small steps.
        #[test]
        fn scores_equal_their_definitions(a in 0_u64..400, b in 0_u64..400, rest_a in 1_u64..9_000, rest_b in 1_u64..9_000) {
            let rates = Rates::new([a, b], [a + rest_a, b + rest_b]);
            let all = (a + b + rest_a + rest_b) as f64;
            let cells = [(a, 0, 0), (b, 1, 0), (rest_a, 0, 1), (rest_b, 1, 1)];
            let columns = [(a + rest_a) as f64, (b + rest_b) as f64];
            let rows = [(a + b) as f64, (rest_a + rest_b) as f64];
            let naive: f64 = cells.iter().filter(|cell| cell.0 > 0).map(|&(seen, column, row)| {
                2.0 * seen as f64 * (seen as f64 * all / columns[column] / rows[row]).ln()
            }).sum();
            prop_assert!((rates.g2() - naive).abs() < 1e-6 * (1.0 + naive.abs()));
            let limit = threshold(50);
            let at_least = rates.at_least(limit);
            if a + b > 0 && at_least > 1e-6 {
                let (high, low) = (rates.higher(), 1 - rates.higher());
                let log = |ratio: f64| {
                    let share = ratio * columns[high] / (ratio * columns[high] + columns[low]);
                    let seen = [a as f64, b as f64];
                    let of = |count: f64, share: f64| if count > 0.0 { count * share.ln() } else { 0.0 };
                    of(seen[high], share) + of(seen[low], 1.0 - share)
                };
                let best = rates.share(high) / rates.share(low).max(1e-12);
                let allowed = |ratio: f64| 2.0 * (log(best) - log(ratio)) <= limit;
                prop_assert!(!allowed(at_least * 0.999) || b == 0 || a == 0);
                prop_assert!(allowed(at_least * 1.001));
            }
        }
    }
}
