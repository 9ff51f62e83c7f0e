//! From tokens to numbers: which rows, or which distinct values, a token is in. Tokens are known by their
//! 64-bit hash alone.
//!
//! Most tokens of a log are ids that occur once. What a list, an offset and the token's text would cost
//! for each of them is more than the rest of the index, so such tokens are kept as a few bits of their hash
//! and the block of numbers they are in: enough to look there, not enough to be sure.

use serde::{Deserialize, Serialize};

use super::interpolative::{self, BitReader, BitWriter};
use super::{Body, Section, section};
use crate::error::Result;

/// A token in more numbers than this has a list.
const RARE: usize = 3;

/// Bits of the hash kept for a rare token beyond its bucket: one in 256 that are not there is looked for.
const HASH_BITS: u32 = 8;

/// Buckets of rare tokens between two entries of the directory.
const BUCKETS_A_STEP: usize = 64;

/// Listed tokens a bucket of their directory has about.
const LISTED_A_BUCKET: usize = 16;

/// Buckets are told by fewer bits than this: there are no more of them than tokens.
const MOST_BUCKET_BITS: u32 = 32;

/// A listed token: its hash, where its list begins, how many numbers it has.
const ENTRY_BYTES: usize = 16;

/// Parts that tokens are collected in, told by the highest bits of their hash, and how many occurrences wait
/// for a part's turn. A part's tokens fit a core's cache while the waiting ones are entered, which all tokens
/// of a segment would not.
const PART_BITS: u32 = 6;
const WAITING: usize = 512;

/// Collects the numbers of each token. Numbers must come growing.
pub struct Builder {
    parts: Vec<Part>,
}

struct Part {
    waiting: Vec<(u64, u32)>,
    /// Bits of each token's hash and its place among the tokens, in an open table.
    table: Vec<u64>,
    tokens: Vec<Token>,
}

struct Token {
    hash: u64,
    last: u32,
    count: u32,
    /// The numbers as gaps, seven bits a byte; the first one is not in it while it is the only one.
    gaps: Vec<u8>,
}

const EMPTY: u64 = u64::MAX;

impl Builder {
    pub fn new() -> Builder {
        let part = || Part { waiting: Vec::new(), table: vec![EMPTY; 1 << 5], tokens: Vec::new() };
        Builder { parts: (0..1 << PART_BITS).map(|_| part()).collect() }
    }

    #[inline]
    pub fn add(&mut self, hash: u64, number: u32) {
        let part = &mut self.parts[(hash >> (64 - PART_BITS)) as usize];
        part.waiting.push((hash, number));
        if part.waiting.len() == WAITING {
            part.enter_waiting();
        }
    }

    /// All tokens in the order of their hashes.
    fn tokens(self) -> impl Iterator<Item = Token> {
        self.parts.into_iter().flat_map(|mut part| {
            part.enter_waiting();
            part.tokens.sort_unstable_by_key(|token| token.hash);
            part.tokens
        })
    }
}

impl Part {
    fn enter_waiting(&mut self) {
        let mut waiting = std::mem::take(&mut self.waiting);
        for (hash, number) in waiting.drain(..) {
            self.enter(hash, number);
        }
        self.waiting = waiting;
    }

    fn enter(&mut self, hash: u64, number: u32) {
        let mask = self.table.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let entry = self.table[slot];
            if entry == EMPTY {
                break;
            }
            if entry >> 32 == hash << PART_BITS >> 32 {
                let token = &mut self.tokens[entry as u32 as usize];
                if token.hash == hash {
                    token.add(number);
                    return;
                }
            }
            slot = (slot + 1) & mask;
        }
        self.table[slot] = Self::entry(hash, self.tokens.len());
        self.tokens.push(Token { hash, last: number, count: 1, gaps: Vec::new() });
        if self.tokens.len() * 2 > self.table.len() {
            self.grow();
        }
    }

    fn entry(hash: u64, index: usize) -> u64 {
        hash << PART_BITS >> 32 << 32 | index as u64
    }

    fn grow(&mut self) {
        let size = self.table.len() * 4;
        self.table = vec![EMPTY; size];
        for (index, token) in self.tokens.iter().enumerate() {
            let mut slot = token.hash as usize & (size - 1);
            while self.table[slot] != EMPTY {
                slot = (slot + 1) & (size - 1);
            }
            self.table[slot] = Self::entry(token.hash, index);
        }
    }
}

impl Builder {
    /// Appends everything to the bytes of an index and tells where it stands. Rare tokens are told to a
    /// block of `1 << shift` numbers.
    pub fn write(self, universe: u32, shift: u32, bytes: &mut Vec<u8>) -> Inverted {
        let mut rare: Vec<(u64, u32)> = Vec::new();
        let mut listed = Vec::new();
        let mut lists = BitWriter::default();
        let mut numbers = Vec::new();
        for token in self.tokens() {
            token.numbers(&mut numbers);
            if numbers.len() <= RARE {
                let before = rare.len();
                for &number in &numbers {
                    let entry = (token.hash, number >> shift);
                    if rare[before..].last() != Some(&entry) {
                        rare.push(entry);
                    }
                }
            } else {
                listed.push((token.hash, lists.bytes.len() as u32, numbers.len() as u32));
                interpolative::write(&numbers, universe, &mut lists);
                lists.align();
            }
        }
        let lists = section(bytes, &lists.bytes);
        let (entries, buckets, bucket_bits) = write_listed(&listed, bytes);
        let rare = Rare::write(&rare, universe.saturating_sub(1) >> shift, bytes);
        Inverted { universe, shift, listed: listed.len(), bucket_bits, buckets, entries, lists, rare }
    }
}

impl Token {
    #[inline]
    fn add(&mut self, number: u32) {
        if number == self.last {
            return;
        }
        if self.gaps.is_empty() {
            self.gap(self.last);
        }
        self.gap(number - self.last);
        self.last = number;
        self.count += 1;
    }

    #[inline]
    fn gap(&mut self, mut gap: u32) {
        while gap >= 0x80 {
            self.gaps.push(gap as u8 | 0x80);
            gap >>= 7;
        }
        self.gaps.push(gap as u8);
    }

    fn numbers(&self, numbers: &mut Vec<u32>) {
        numbers.clear();
        if self.gaps.is_empty() {
            numbers.push(self.last);
            return;
        }
        let (mut number, mut gap, mut shift) = (0, 0, 0);
        for &byte in &self.gaps {
            gap |= u32::from(byte & 0x7F) << shift;
            shift += 7;
            if byte < 0x80 {
                number += gap;
                numbers.push(number);
                (gap, shift) = (0, 0);
            }
        }
    }
}

/// The listed tokens in the order of their hashes, and where each bucket of them ends.
fn write_listed(listed: &[(u64, u32, u32)], bytes: &mut Vec<u8>) -> (Section, Section, u32) {
    let bucket_bits = (listed.len() / LISTED_A_BUCKET).max(1).ilog2();
    let mut entries = Vec::with_capacity(listed.len() * ENTRY_BYTES);
    let mut counts = vec![0_u32; 1 << bucket_bits];
    for (hash, at, count) in listed {
        entries.extend_from_slice(&hash.to_le_bytes());
        entries.extend_from_slice(&at.to_le_bytes());
        entries.extend_from_slice(&count.to_le_bytes());
        counts[bucket(*hash, bucket_bits)] += 1;
    }
    let ends = counts.iter().scan(0, |end, count| {
        *end += count;
        Some(*end)
    });
    let ends: Vec<u8> = ends.flat_map(u32::to_le_bytes).collect();
    (section(bytes, &entries), section(bytes, &ends), bucket_bits)
}

/// The bucket is told by the hash's highest bits.
fn bucket(hash: u64, bits: u32) -> usize {
    if bits == 0 { 0 } else { (hash >> (64 - bits)) as usize }
}

/// Where the parts of an inverted index stand in its file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Inverted {
    /// All numbers are below it.
    universe: u32,
    shift: u32,
    /// How many tokens have a list, and how many bits of a hash tell its bucket.
    listed: usize,
    bucket_bits: u32,
    buckets: Section,
    entries: Section,
    lists: Section,
    rare: Rare,
}

/// What an index knows of a token: one of the two is empty.
#[derive(Debug, Default, PartialEq)]
pub struct Found {
    /// It is in these.
    pub sure: Vec<u32>,
    /// It may be in these; nowhere else.
    pub perhaps: Vec<u32>,
}

impl Inverted {
    pub fn find(&self, file: &Body, hash: u64) -> Result<Option<Found>> {
        let Some(sure) = self.listed(file, hash)? else { return Ok(None) };
        if !sure.is_empty() {
            return Ok(Some(Found { sure, perhaps: Vec::new() }));
        }
        let perhaps = self.rare.find(file, hash, self.universe, self.shift)?;
        Ok(perhaps.map(|perhaps| Found { sure, perhaps }))
    }

    /// Whether it can be of an index over so many rows: all numbers are of rows, or of values that rows have.
    pub fn suits(&self, rows: u32) -> bool {
        self.universe <= rows && self.bucket_bits <= MOST_BUCKET_BITS
    }

    /// Nothing where the file is not what it should be.
    fn listed(&self, file: &Body, hash: u64) -> Result<Option<Vec<u32>>> {
        if self.listed == 0 {
            return Ok(Some(Vec::new()));
        }
        let bucket = bucket(hash, self.bucket_bits);
        let first = bucket.saturating_sub(1) * 4;
        let ends = file.read(self.buckets, first, (bucket + 1) * 4 - first)?;
        let ends: Vec<usize> =
            ends.as_chunks().0.iter().map(|end| u32::from_le_bytes(*end) as usize).collect();
        let (start, end) = match ends[..] {
            [end] => (0, end),
            [start, end] => (start, end),
            _ => return Ok(None),
        };
        if start > end || end > self.listed {
            return Ok(None);
        }
        // The list of the next token begins where the wanted one ends.
        let more = (end + 1).min(self.listed);
        let entries = file.read(self.entries, start * ENTRY_BYTES, (more - start) * ENTRY_BYTES)?;
        let entries: Vec<Entry> = entries.as_chunks().0.iter().map(Entry::read).collect();
        let Some(wanted) = entries[..end - start].iter().position(|entry| entry.hash == hash) else {
            return Ok(Some(Vec::new()));
        };
        let Entry { at, count, .. } = entries[wanted];
        let list_end = entries.get(wanted + 1).map_or(self.lists.bytes as usize, |next| next.at);
        if count > self.universe as usize || at > list_end {
            return Ok(None);
        }
        let list = file.read(self.lists, at, list_end - at)?;
        Ok(Some(interpolative::read(&mut BitReader::new(&list), count, self.universe)))
    }
}

struct Entry {
    hash: u64,
    at: usize,
    count: usize,
}

impl Entry {
    fn read(bytes: &[u8; ENTRY_BYTES]) -> Entry {
        let number = |range: std::ops::Range<usize>| {
            bytes[range].iter().rev().fold(0_u64, |number, &byte| number << 8 | u64::from(byte))
        };
        Entry { hash: number(0..8), at: number(8..12) as usize, count: number(12..16) as usize }
    }
}

/// Tokens that are in few numbers: for each number, in the order of the hashes, a few bits of the hash and
/// the number's block. Buckets by the hash's highest bits, one for each entry about; a bit string has a one
/// for every entry and a zero behind every bucket.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Rare {
    bucket_bits: u32,
    block_bits: u32,
    /// Entries before every so many buckets.
    steps: Section,
    counts: Section,
    entries: Section,
}

impl Rare {
    fn write(rare: &[(u64, u32)], last_block: u32, bytes: &mut Vec<u8>) -> Rare {
        let bucket_bits = rare.len().max(1).ilog2();
        let block_bits = 32 - last_block.leading_zeros();
        let (mut steps, mut counts, mut entries) = (Vec::new(), BitWriter::default(), BitWriter::default());
        let mut written = 0;
        for number in 0..1_usize << bucket_bits {
            if number % BUCKETS_A_STEP == 0 {
                steps.extend_from_slice(&(written as u32).to_le_bytes());
            }
            while let Some((hash, block)) = rare.get(written)
                && bucket(*hash, bucket_bits) == number
            {
                entries.put(kept(*hash, bucket_bits), HASH_BITS);
                entries.put(*block, block_bits);
                counts.put(1, 1);
                written += 1;
            }
            counts.put(0, 1);
        }
        counts.align();
        entries.align();
        let (steps, counts) = (section(bytes, &steps), section(bytes, &counts.bytes));
        Rare { bucket_bits, block_bits, steps, counts, entries: section(bytes, &entries.bytes) }
    }

    /// The numbers of every block that may hold the token. Nothing where the file is not what it should be.
    fn find(&self, file: &Body, hash: u64, universe: u32, shift: u32) -> Result<Option<Vec<u32>>> {
        if self.bucket_bits > MOST_BUCKET_BITS || self.block_bits > 32 || shift > 31 {
            return Ok(None);
        }
        let bucket = bucket(hash, self.bucket_bits);
        let step = bucket / BUCKETS_A_STEP;
        let length = if (step + 1) << 2 < self.steps.bytes as usize { 8 } else { 4 };
        let steps = file.read(self.steps, step * 4, length)?;
        let steps: Vec<usize> =
            steps.as_chunks().0.iter().map(|step| u32::from_le_bytes(*step) as usize).collect();
        let Some(&before) = steps.first() else { return Ok(None) };
        let entry_bits = (HASH_BITS + self.block_bits) as usize;
        let all = self.entries.bytes as usize * 8 / entry_bits;
        let after = steps.get(1).copied().unwrap_or(all).min(all);
        if before > after {
            return Ok(None);
        }
        // Before a bucket stand as many zeros as there are buckets before it, and a one for every entry.
        let first_bit = before + step * BUCKETS_A_STEP;
        let bits = after - before + BUCKETS_A_STEP;
        let end = (first_bit + bits).div_ceil(8).min(self.counts.bytes as usize);
        let counts = file.read(self.counts, first_bit / 8, end.saturating_sub(first_bit / 8))?;
        let mut counts = BitReader::at_bit(&counts, first_bit % 8);
        let (mut start, mut passed) = (before, step * BUCKETS_A_STEP);
        while passed < bucket && start < after {
            if counts.take(1) == 1 { start += 1 } else { passed += 1 }
        }
        let mut end = start;
        while end < after && counts.take(1) == 1 {
            end += 1;
        }
        if passed < bucket || start == end {
            return Ok(Some(Vec::new()));
        }
        let from = start * entry_bits;
        let bytes = file.read(self.entries, from / 8, (end * entry_bits).div_ceil(8) - from / 8)?;
        let mut entries = BitReader::at_bit(&bytes, from % 8);
        let wanted = kept(hash, self.bucket_bits);
        let mut blocks: Vec<u32> = (start..end)
            .map(|_| (entries.take(HASH_BITS), entries.take(self.block_bits)))
            .filter_map(|(hash, block)| (hash == wanted).then_some(block))
            .collect();
        blocks.sort_unstable();
        blocks.dedup();
        let first = |block: u32| (u64::from(block) << shift).min(u64::from(universe)) as u32;
        Ok(Some(blocks.into_iter().flat_map(|block| first(block)..first(block.saturating_add(1))).collect()))
    }
}

/// The bits of a hash that are kept beyond its bucket.
fn kept(hash: u64, bucket_bits: u32) -> u32 {
    (hash << bucket_bits >> (64 - HASH_BITS)) as u32
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;
    use crate::hash::hash;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

        #[test]
        fn tokens_are_found_in_their_numbers(
            rows in prop::collection::vec(prop::collection::vec(0..400_u32, 0..12), 1..300),
            ids in 0..2_000_u32,
            shift in 0..7_u32,
        ) {
            let hash = |token: u32| hash(7, &token.to_le_bytes());
            let mut builder = Builder::new();
            let mut expected: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
            for (number, tokens) in rows.iter().enumerate() {
                let own = if ids > 0 { Some(1_000 + number as u32 * ids) } else { None };
                for token in tokens.iter().copied().chain(own) {
                    builder.add(hash(token), number as u32);
                    expected.entry(token).or_default().insert(number as u32);
                }
            }
            let mut bytes = vec![9];
            let inverted = builder.write(rows.len() as u32, shift, &mut bytes);
            let folder = tempfile::tempdir().expect("it is as it was written");
            let path = folder.path().join("t.idx");
            std::fs::write(&path, &bytes).expect("it is as it was written");
            let file = Body::open(&path, 0).expect("it is as it was written");
            for (token, numbers) in &expected {
                let found = inverted.find(&file, hash(*token)).expect("it is as it was written").expect("it is as it was written");
                let all: BTreeSet<u32> = found.sure.iter().chain(&found.perhaps).copied().collect();
                prop_assert!(found.sure.iter().all(|number| numbers.contains(number)));
                prop_assert!(numbers.is_subset(&all));
                prop_assert!(numbers.len() <= RARE || found.sure.len() == numbers.len());
            }
            let strangers = (0..400).map(|token| hash(5_000_000 + token));
            let looked_at = strangers.map(|hash| inverted.find(&file, hash).expect("it is as it was written").expect("it is as it was written"));
            let (mut sure, mut perhaps) = (0, 0);
            for found in looked_at {
                sure += found.sure.len();
                perhaps += usize::from(!found.perhaps.is_empty());
            }
            prop_assert!(sure == 0 && perhaps < 40, "{} {}", sure, perhaps);
        }
    }
}
