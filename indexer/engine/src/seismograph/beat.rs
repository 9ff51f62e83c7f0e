//! Whether a row repeats, and after how many bins: the first clear peak of the autocorrelation of its counts.

/// Periods from so many bins on are seen; shorter ones need a closer look.
const SHORTEST: usize = 4;
/// It has to repeat so often within the picture.
const BEATS: usize = 5;
/// Counts repeat so exactly at least.
const LEAST_CORRELATION: f64 = 0.5;
/// Smoothed noise varies by so much, times one over the root of the bins, and has to be exceeded so many times.
const NOISE: f64 = 1.4;
const ABOVE_NOISE: f64 = 5.0;
/// Between two beats the correlation falls below this share of its peak.
const DIP: f64 = 0.5;
/// The first peak that is nearly as high as the highest is the period; later ones are its multiples.
const NEARLY: f64 = 0.55;
/// The period is measured over so many beats.
const MEASURED_BEATS: usize = 4;

/// The period in bins.
#[must_use]
pub fn period(counts: &[u32]) -> Option<f64> {
    let bins = counts.len();
    let longest = bins / BEATS;
    if longest < SHORTEST {
        return None;
    }
    let smooth = smoothed(counts);
    let beats = smooth.windows(2).filter(|pair| pair[0] <= 0.0 && pair[1] > 0.0).count();
    let variance = smooth.iter().map(|value| value * value).sum::<f64>();
    if beats < BEATS - 1 || variance <= 0.0 {
        return None;
    }
    // Compared with the part that overlaps, so that long periods are not weaker than short ones.
    let correlation = |lag: usize| {
        let pairs = smooth.iter().zip(&smooth[lag..]);
        pairs.map(|(one, other)| one * other).sum::<f64>() / variance * bins as f64 / (bins - lag) as f64
    };
    let measured: Vec<f64> = (0..=longest + 1).map(correlation).collect();
    let least = LEAST_CORRELATION.max(ABOVE_NOISE * NOISE / (bins as f64).sqrt());
    let is_peak = |lag: usize| measured[lag] >= measured[lag - 1] && measured[lag] >= measured[lag + 1];
    let peaks: Vec<usize> =
        (SHORTEST..=longest).filter(|&lag| is_peak(lag) && measured[lag] >= least).collect();
    let highest = peaks.iter().map(|&lag| measured[lag]).fold(0.0, f64::max);
    let first = peaks.into_iter().find(|&lag| measured[lag] >= NEARLY * highest)?;
    let dip = measured[1..first].iter().copied().fold(f64::INFINITY, f64::min);
    // What repeats once more repeats; two bursts do not.
    let again = highest_near(2 * first, &correlation).1;
    (dip <= DIP * measured[first] && again >= DIP * measured[first])
        .then(|| over_several_beats(first, bins, &correlation))
}

/// The deviations from the mean of three bins each, since a beat rarely falls on whole bins.
fn smoothed(counts: &[u32]) -> Vec<f64> {
    let at = |bin: Option<usize>| bin.and_then(|bin| counts.get(bin)).map_or(0.0, |&count| f64::from(count));
    let smooth: Vec<f64> = (0..counts.len())
        .map(|bin| (at(bin.checked_sub(1)) + 2.0 * at(Some(bin)) + at(Some(bin + 1))) / 4.0)
        .collect();
    let mean = smooth.iter().sum::<f64>() / smooth.len().max(1) as f64;
    smooth.into_iter().map(|value| value - mean).collect()
}

fn highest_near(lag: usize, correlation: &dyn Fn(usize) -> f64) -> (usize, f64) {
    let near = (lag - 1..=lag + 1).map(|lag| (lag, correlation(lag)));
    near.fold((lag, f64::NEG_INFINITY), |best, found| if found.1 > best.1 { found } else { best })
}

/// The period as a fraction of bins: the lag of several beats, by their number.
fn over_several_beats(first: usize, bins: usize, correlation: &dyn Fn(usize) -> f64) -> f64 {
    let mut period = first as f64;
    for beats in 2..=MEASURED_BEATS {
        let lag = (period * beats as f64).round() as usize;
        if lag + 2 >= bins / 2 {
            break;
        }
        let (lag, _) = highest_near(lag, correlation);
        let [before, at, after] = [lag - 1, lag, lag + 1].map(correlation);
        // The top of the parabola through the three.
        let bend = before - 2.0 * at + after;
        let shift = if bend < 0.0 { 0.5 * (before - after) / bend } else { 0.0 };
        period = (lag as f64 + shift.clamp(-0.5, 0.5)) / beats as f64;
    }
    period
}
