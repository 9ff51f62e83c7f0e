//! Quick hashes of short texts and numbers. Stored filters depend on [`hash`].

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::LazyLock;

/// Differs from run to run, so that nobody can write a log whose values all collide.
#[must_use]
pub fn seed() -> u64 {
    RandomState::new().hash_one(0)
}

const FIRST: u64 = 0x9E37_79B9_7F4A_7C15;
const SECOND: u64 = 0xD6E8_FEB8_6659_FD93;

/// A quick hash of short texts: sixteen bytes a multiplication.
#[inline]
#[must_use]
pub fn hash(seed: u64, bytes: &[u8]) -> u64 {
    let mut state = seed ^ (bytes.len() as u64).wrapping_mul(FIRST);
    let (blocks, rest) = bytes.as_chunks::<16>();
    for block in blocks {
        let (low, high) = halves(block);
        state = mix(low ^ state, high ^ SECOND);
    }
    let (low, high) = last(bytes, rest);
    mix(mix(low ^ state, high ^ SECOND), FIRST ^ seed)
}

/// The bytes after the last whole block, padded with zeros. Whole words are read, and what is too much of
/// them shifted out: copying a few bytes takes longer than all the rest of the hash.
#[inline]
fn last(bytes: &[u8], rest: &[u8]) -> (u64, u64) {
    let beyond = |room: usize| 8 * (room - rest.len()) as u32;
    if let Some(block) = bytes.last_chunk::<16>() {
        let wide = u128::from_le_bytes(*block).checked_shr(beyond(16)).unwrap_or(0);
        return (wide as u64, (wide >> 64) as u64);
    }
    if let (Some(first), Some(last)) = (rest.first_chunk::<8>(), rest.last_chunk::<8>()) {
        return (u64::from_le_bytes(*first), u64::from_le_bytes(*last).checked_shr(beyond(16)).unwrap_or(0));
    }
    if let (Some(first), Some(last)) = (rest.first_chunk::<4>(), rest.last_chunk::<4>()) {
        let high = u64::from(u32::from_le_bytes(*last)) << 32 >> beyond(8);
        return (u64::from(u32::from_le_bytes(*first)) | high, 0);
    }
    (rest.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)), 0)
}

fn halves(block: &[u8; 16]) -> (u64, u64) {
    let wide = u128::from_le_bytes(*block);
    (wide as u64, (wide >> 64) as u64)
}

fn mix(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    product as u64 ^ (product >> 64) as u64
}

/// For maps: a hash with a secret of this process, so that no log can be written to make it slow.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fast;

static SECRET: LazyLock<u64> = LazyLock::new(seed);

impl BuildHasher for Fast {
    type Hasher = FastHasher;

    fn build_hasher(&self) -> FastHasher {
        FastHasher { state: *SECRET }
    }
}

pub struct FastHasher {
    state: u64,
}

impl Hasher for FastHasher {
    fn finish(&self) -> u64 {
        self.state
    }

    fn write(&mut self, bytes: &[u8]) {
        self.state = hash(self.state, bytes);
    }

    fn write_u64(&mut self, value: u64) {
        self.state = mix(self.state ^ value, SECOND ^ *SECRET);
    }

    fn write_u8(&mut self, value: u8) {
        self.write_u64(u64::from(value));
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }

    fn write_i64(&mut self, value: i64) {
        self.write_u64(value as u64);
    }

    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_pads_the_last_block_with_zeros() {
        let bytes: Vec<u8> = (1..=40).collect();
        for length in 0..=bytes.len() {
            let bytes = &bytes[..length];
            let rest = &bytes[length / 16 * 16..];
            let mut padded = [0; 16];
            padded[..rest.len()].copy_from_slice(rest);
            assert_eq!(last(bytes, rest), halves(&padded), "{length} bytes");
        }
    }
}
