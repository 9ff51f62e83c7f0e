//! An order of rows in which those that move together are neighbours.
//!
//! Rows are compared by the correlation of their deviations from normal. The nearest groups are joined first (average
//! linkage, by nearest-neighbour chains), and each time the two are turned so that the rows that meet are as alike as
//! possible (Gruvaeus and Wainer). It takes the square of the rows in time and memory: 500 rows have 125,000 pairs.
//! Ties go to the earlier row, so the order depends on the rows alone, which are passed by id.

use super::normal::Normal;

/// Rows are compared over so many bins at most: what moves together need not do so to the minute.
const COMPARED_BINS: usize = 150;
/// Counts further from normal than this many spreads count as this far, so that one burst is not all of a row.
const FURTHEST: f64 = 8.0;

/// The places of the rows, in order.
#[must_use]
pub fn order(counts: &[&[u32]], normals: &[Normal], all: &[u32]) -> Vec<usize> {
    let rows: Vec<Vec<f32>> =
        counts.iter().zip(normals).map(|(counts, normal)| direction(counts, *normal, all)).collect();
    let mut order = joined(&Distances::between(&rows));
    if let (Some(&first), Some(&last)) = (order.first(), order.last())
        && centre(counts[first]) > centre(counts[last])
    {
        order.reverse();
    }
    order
}

/// The deviations of a row as a vector of length 1 with the mean 0: the product of two is their correlation.
fn direction(counts: &[u32], normal: Normal, all: &[u32]) -> Vec<f32> {
    let deviation = |(&count, &all): (&u32, &u32)| {
        if all == 0 { 0.0 } else { normal.deviation(count).clamp(-FURTHEST, FURTHEST) }
    };
    let deviations: Vec<f64> = counts.iter().zip(all).map(deviation).collect();
    let together = deviations.len().div_ceil(COMPARED_BINS).max(1);
    let mut coarse: Vec<f64> = deviations.chunks(together).map(|bins| bins.iter().sum()).collect();
    let mean = coarse.iter().sum::<f64>() / coarse.len().max(1) as f64;
    for value in &mut coarse {
        *value -= mean;
    }
    let length = coarse.iter().map(|value| value * value).sum::<f64>().sqrt();
    coarse.iter().map(|value| if length > 0.0 { (value / length) as f32 } else { 0.0 }).collect()
}

/// The mean bin of a row's events.
fn centre(counts: &[u32]) -> f64 {
    let (mut sum, mut weighted) = (0.0, 0.0);
    for (bin, &count) in counts.iter().enumerate() {
        sum += f64::from(count);
        weighted += f64::from(count) * bin as f64;
    }
    if sum > 0.0 { weighted / sum } else { 0.0 }
}

/// How unlike any two rows are: 0 where they move alike, 2 where they move against each other.
struct Distances {
    rows: usize,
    all: Vec<f32>,
}

impl Distances {
    fn between(rows: &[Vec<f32>]) -> Distances {
        let mut distances = Distances { rows: rows.len(), all: vec![0.0; rows.len() * rows.len()] };
        for (one, left) in rows.iter().enumerate() {
            for (other, right) in rows.iter().enumerate().take(one) {
                let alike: f32 = left.iter().zip(right).map(|(left, right)| left * right).sum();
                distances.set(one, other, 1.0 - alike);
            }
        }
        distances
    }

    fn get(&self, one: usize, other: usize) -> f32 {
        self.all[one * self.rows + other]
    }

    fn set(&mut self, one: usize, other: usize, distance: f32) {
        self.all[one * self.rows + other] = distance;
        self.all[other * self.rows + one] = distance;
    }
}

/// Joins the nearest groups until there is one.
fn joined(rows: &Distances) -> Vec<usize> {
    let mut groups: Vec<Vec<usize>> = (0..rows.rows).map(|row| vec![row]).collect();
    let mut distances = Distances { rows: rows.rows, all: rows.all.clone() };
    let mut chain: Vec<usize> = Vec::new();
    for _ in 1..rows.rows {
        if chain.is_empty() {
            chain.extend(groups.iter().position(|group| !group.is_empty()));
        }
        // Each is the nearest of the one before; where two are nearest to each other, they are joined.
        while let Some(&last) = chain.last() {
            let before = chain.len().checked_sub(2).map(|at| chain[at]);
            let Some(nearest) = nearest(&groups, &distances, last, before) else { break };
            if Some(nearest) == before {
                break;
            }
            chain.push(nearest);
        }
        let (Some(one), Some(other)) = (chain.pop(), chain.pop()) else { break };
        join(rows, &mut groups, &mut distances, (one.min(other), one.max(other)));
    }
    groups.into_iter().find(|group| !group.is_empty()).unwrap_or_default()
}

fn nearest(groups: &[Vec<usize>], distances: &Distances, of: usize, before: Option<usize>) -> Option<usize> {
    let mut best = before;
    for (other, group) in groups.iter().enumerate() {
        let is_nearer = best.is_none_or(|best| distances.get(of, other) < distances.get(of, best));
        if other != of && !group.is_empty() && is_nearer {
            best = Some(other);
        }
    }
    best
}

fn join(
    rows: &Distances,
    groups: &mut [Vec<usize>],
    distances: &mut Distances,
    (one, other): (usize, usize),
) {
    let (sizes, mut second) =
        ([groups[one].len() as f32, groups[other].len() as f32], std::mem::take(&mut groups[other]));
    for (third, group) in groups.iter().enumerate() {
        if third != one && !group.is_empty() {
            let sum = sizes[0] * distances.get(one, third) + sizes[1] * distances.get(other, third);
            distances.set(one, third, sum / (sizes[0] + sizes[1]));
        }
    }
    let first = &mut groups[one];
    let meeting = |left: usize, right: usize| rows.get(left, right);
    let ends = |group: &[usize]| [group[0], group[group.len() - 1]];
    let ([start, end], [next_start, next_end]) = (ends(first), ends(&second));
    let ways = [
        (meeting(end, next_start), false, false),
        (meeting(end, next_end), false, true),
        (meeting(start, next_start), true, false),
        (meeting(start, next_end), true, true),
    ];
    let (_, turn_first, turn_second) =
        ways.into_iter().fold(ways[0], |best, way| if way.0 < best.0 { way } else { best });
    if turn_first {
        first.reverse();
    }
    if turn_second {
        second.reverse();
    }
    first.append(&mut second);
}
