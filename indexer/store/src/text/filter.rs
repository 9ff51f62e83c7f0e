//! Bloom filters of tokens: for each block of rows a bit set that says whether a token may be in it. They
//! take a tenth of the size of an index, and a search reads only the blocks that may contain its tokens.
//!
//! A filter consists of buckets of 256 bits. The hash selects a bucket, and eight bits in it, one in each of
//! its eight words: one memory access answers for a block.

use serde::{Deserialize, Serialize};

use super::{Body, Section, section};
use base::error::Result;
use base::hash::hash;

/// Rows of a block: about as many as a raw frame has, which is the smallest unit that is read.
const BLOCK_SHIFT: u32 = 12;

/// Bits for each distinct token of a block. The false positive rate is about one block in 75.
const BITS_A_TOKEN: usize = 10;

const BUCKET_BYTES: usize = 32;
const BUCKET_BITS: usize = BUCKET_BYTES * 8;

/// Odd multipliers that derive eight independent bit positions from one hash.
const SPREAD: [u32; 8] =
    [0x47b6_137b, 0x4497_4d91, 0x8824_ad5b, 0xa2b7_289d, 0x7054_95c7, 0x2df1_424b, 0x9efc_4947, 0x5c6b_fb31];

/// The filters of a segment.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Filters {
    shift: u32,
    blocks: u32,
    /// For each block the number of buckets up to its end (4 bytes).
    ends: Section,
    /// The buckets, block after block.
    bits: Section,
}

/// Collects the tokens of a segment, row by row.
pub struct FiltersBuilder {
    seed: u64,
    block: u32,
    seen: HashSet,
    ends: Vec<u8>,
    bits: Vec<u8>,
}

impl FiltersBuilder {
    pub fn new(seed: u64) -> FiltersBuilder {
        FiltersBuilder { seed, block: 0, seen: HashSet::new(), ends: Vec::new(), bits: Vec::new() }
    }

    #[inline]
    pub fn add(&mut self, token: &[u8], row: u32) {
        while self.block < row >> BLOCK_SHIFT {
            self.end_block();
        }
        self.seen.insert(hash(self.seed, token));
    }

    fn end_block(&mut self) {
        let buckets = (self.seen.count * BITS_A_TOKEN).div_ceil(BUCKET_BITS);
        let start = self.bits.len();
        self.bits.resize(start + buckets * BUCKET_BYTES, 0);
        for hash in self.seen.take() {
            let bucket = start + bucket(hash, buckets) * BUCKET_BYTES;
            for (word, bit) in places(hash).into_iter().enumerate() {
                self.bits[bucket + word * 4 + bit / 8] |= 1 << (bit % 8);
            }
        }
        self.ends.extend_from_slice(&((self.bits.len() / BUCKET_BYTES) as u32).to_le_bytes());
        self.block += 1;
    }

    /// Appends the filters to the bytes of a file and returns their sections.
    pub fn write(mut self, rows: u32, bytes: &mut Vec<u8>) -> Filters {
        let blocks = rows.div_ceil(1 << BLOCK_SHIFT);
        while self.block < blocks {
            self.end_block();
        }
        let ends = section(bytes, &self.ends);
        Filters { shift: BLOCK_SHIFT, blocks, ends, bits: section(bytes, &self.bits) }
    }
}

impl Filters {
    /// The rows of every block that may contain the token. `None` if the section is damaged.
    pub(super) fn find(&self, file: &Body, hash: u64, rows: u32) -> Result<Option<Vec<u32>>> {
        if self.shift > 31 || self.blocks != rows.div_ceil(1 << self.shift) {
            return Ok(None);
        }
        let ends = file.read(self.ends, 0, self.blocks as usize * 4)?;
        let mut found = Vec::new();
        let mut start = 0;
        for (block, end) in ends.as_chunks().0.iter().enumerate() {
            let end = u32::from_le_bytes(*end) as usize;
            let Some(buckets) = end.checked_sub(start) else { return Ok(None) };
            if buckets > 0 {
                let at = (start + bucket(hash, buckets)) * BUCKET_BYTES;
                let bits = file.read(self.bits, at, BUCKET_BYTES)?;
                let has = |(word, bit): (usize, usize)| bits[word * 4 + bit / 8] >> (bit % 8) & 1 == 1;
                if places(hash).into_iter().enumerate().all(has) {
                    let first = (block as u32) << self.shift;
                    found.extend(first..rows.min(first.saturating_add(1 << self.shift)));
                }
            }
            start = end;
        }
        Ok(Some(found))
    }
}

/// The upper half of the hash selects the bucket, the lower half the bits in it.
fn bucket(hash: u64, buckets: usize) -> usize {
    (((hash >> 32) * buckets as u64) >> 32) as usize
}

/// A bit in each of eight words.
fn places(hash: u64) -> [usize; 8] {
    SPREAD.map(|odd| ((hash as u32).wrapping_mul(odd) >> 27) as usize)
}

/// The distinct hashes of a block, in an open-addressing table. Zero marks a free slot.
struct HashSet {
    table: Vec<u64>,
    count: usize,
}

impl HashSet {
    fn new() -> HashSet {
        HashSet { table: vec![0; 1 << 12], count: 0 }
    }

    #[inline]
    fn insert(&mut self, hash: u64) {
        // The lowest bit, which nothing else needs, distinguishes a hash of zero from a free slot.
        let hash = if hash == 0 { 1 } else { hash };
        if Self::put(&mut self.table, hash) {
            self.count += 1;
            if self.count * 2 > self.table.len() {
                let size = self.table.len() * 4;
                let old = std::mem::replace(&mut self.table, vec![0; size]);
                for hash in old.into_iter().filter(|&hash| hash != 0) {
                    Self::put(&mut self.table, hash);
                }
            }
        }
    }

    /// True if the hash was new.
    fn put(table: &mut [u64], hash: u64) -> bool {
        let mask = table.len() - 1;
        let mut slot = hash as usize & mask;
        while table[slot] != 0 {
            if table[slot] == hash {
                return false;
            }
            slot = (slot + 1) & mask;
        }
        table[slot] = hash;
        true
    }

    /// Drains the table.
    fn take(&mut self) -> Vec<u64> {
        self.count = 0;
        let found = self.table.iter().copied().filter(|&hash| hash != 0).collect();
        self.table.fill(0);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_token_is_found_in_its_block_with_few_false_positives() {
        let hash = |token: u32| hash(3, &token.to_le_bytes());
        let rows = 20_000_u32;
        let mut builder = FiltersBuilder::new(3);
        for row in 0..rows {
            if row >> BLOCK_SHIFT != 2 {
                (0..6).for_each(|nth| builder.add(&(row * 4 + nth).to_le_bytes(), row));
            }
        }
        let mut bytes = Vec::new();
        let filters = builder.write(rows, &mut bytes);
        assert!(bytes.len() < rows as usize * 6, "{} bytes", bytes.len());
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("t.flt");
        std::fs::write(&path, &bytes).expect("it can be written");
        let file = Body::open(&path, 0).expect("it can be opened");
        let find = |token: u32| {
            filters.find(&file, hash(token), rows).expect("it can be read").expect("it is whole")
        };
        for row in (0..rows).filter(|row| row >> BLOCK_SHIFT != 2).step_by(97) {
            assert!(find(row * 4 + 5).binary_search(&row).is_ok(), "row {row}");
        }
        let strangers = (0..4_000).map(|token| find(50_000_000 + token).len() >> BLOCK_SHIFT).sum::<usize>();
        assert!(strangers < 4_000 * 4 / 40, "{strangers} blocks would be read for nothing");
    }
}
