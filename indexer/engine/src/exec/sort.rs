//! A stable sort that can be cancelled.

use std::cmp::Ordering;

use base::Cancel;
use base::error::{Error, Result};

/// Rows that are sorted between two checks for cancellation: some milliseconds.
const RUN: usize = 16_384;

/// Row ids in stable order. Runs are sorted and then merged, so that cancellation is checked in between.
pub fn sort_rows(rows: usize, cancel: &Cancel, compare: impl Fn(u32, u32) -> Ordering) -> Result<Vec<u32>> {
    let check = || if cancel.is_set() { Err(Error::cancelled()) } else { Ok(()) };
    let mut order: Vec<u32> = (0..rows as u32).collect();
    let mut length = RUN;
    for part in order.chunks_mut(length) {
        check()?;
        part.sort_by(|&one, &other| compare(one, other));
    }
    let mut merged: Vec<u32> = Vec::with_capacity(rows);
    while length < rows {
        merged.clear();
        for pair in order.chunks(2 * length) {
            let (mut left, mut right) = pair.split_at(length.min(pair.len()));
            while let (Some(&one), Some(&other)) = (left.first(), right.first()) {
                if merged.len().is_multiple_of(RUN) {
                    check()?;
                }
                if compare(one, other).is_le() {
                    merged.push(one);
                    left = &left[1..];
                } else {
                    merged.push(other);
                    right = &right[1..];
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        std::mem::swap(&mut order, &mut merged);
        length *= 2;
    }
    Ok(order)
}
