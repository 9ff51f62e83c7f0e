//! Collects the posting list of every token of a segment in memory, before tantivy's serializer writes them. The
//! serializer wants terms in order, so that all of them are known before the first is written; collecting here, and not in
//! tantivy's document writer, avoids a document for every row and a second tokeniser, and knows how often each token
//! occurs before it decides how to index it.

use super::grams::Grams;
use super::lists::push_gap;
use base::hash::hash;

/// Partitions of the tokens, chosen by the highest bits of their hash, and the occurrences that are queued
/// before a partition takes its turn. The tokens of one partition fit the cache of a core; all tokens of a
/// segment would not.
const PART_BITS: u32 = 6;
const WAITING: usize = 512;

const EMPTY: u64 = u64::MAX;

/// Collects the ids of each token: row ids, or codes of a column. Ids are added in ascending order.
pub struct Collector {
    seed: u64,
    /// Of tokens that are too long for the index.
    long: Grams,
    parts: Vec<Partition>,
}

struct Partition {
    waiting: Vec<Waiting>,
    waiting_text: Vec<u8>,
    /// Bits of each token's hash and its index among the tokens, in an open-addressing table.
    table: Vec<u64>,
    tokens: Vec<Token>,
    /// The text of every token.
    text: Vec<u8>,
}

struct Waiting {
    hash: u64,
    number: u32,
    length: u32,
}

/// A distinct token.
pub struct Token {
    pub hash: u64,
    /// Where its text starts in the partition's.
    text: u32,
    length: u32,
    last: u32,
    /// The number of its ids, and the number of runs of consecutive ids.
    pub count: u32,
    pub runs: u32,
    /// The ids as gaps; empty while there is only one.
    gaps: Vec<u8>,
}

impl Collector {
    pub fn new(seed: u64) -> Collector {
        let part = || Partition {
            waiting: Vec::new(),
            waiting_text: Vec::new(),
            table: vec![EMPTY; 1 << 5],
            tokens: Vec::new(),
            text: Vec::new(),
        };
        Collector { seed, long: Grams::default(), parts: (0..1 << PART_BITS).map(|_| part()).collect() }
    }

    #[inline]
    pub fn add(&mut self, text: &[u8], number: u32) {
        let hash = hash(self.seed, text);
        let part = &mut self.parts[(hash >> (64 - PART_BITS)) as usize];
        part.waiting.push(Waiting { hash, number, length: text.len() as u32 });
        part.waiting_text.extend_from_slice(text);
        if part.waiting.len() == WAITING {
            part.enter_waiting();
        }
    }

    /// Records a token that is too long for the index.
    pub fn add_long(&mut self, text: &[u8]) {
        self.long.add(text);
    }

    /// The byte runs of tokens that were too long.
    pub fn long_grams(&self) -> Grams {
        self.long.clone()
    }

    /// Every distinct token with its text.
    pub fn finish(&mut self) -> impl Iterator<Item = (&[u8], &Token)> {
        self.parts.iter_mut().for_each(Partition::enter_waiting);
        self.parts.iter().flat_map(|part| {
            let text = |token: &Token| &part.text[token.text as usize..][..token.length as usize];
            part.tokens.iter().map(move |token| (text(token), token))
        })
    }
}

impl Partition {
    fn enter_waiting(&mut self) {
        let mut waiting = std::mem::take(&mut self.waiting);
        let text = std::mem::take(&mut self.waiting_text);
        let mut rest = text.as_slice();
        for one in waiting.drain(..) {
            let (text, following) = rest.split_at(one.length as usize);
            self.enter(&one, text);
            rest = following;
        }
        self.waiting = waiting;
        self.waiting_text = text;
        self.waiting_text.clear();
    }

    fn enter(&mut self, one: &Waiting, text: &[u8]) {
        let (hash, number) = (one.hash, one.number);
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
        let (at, length) = (self.text.len() as u32, one.length);
        self.text.extend_from_slice(text);
        self.tokens.push(Token { hash, text: at, length, last: number, count: 1, runs: 1, gaps: Vec::new() });
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

impl Token {
    #[inline]
    fn add(&mut self, number: u32) {
        if number == self.last {
            return;
        }
        if self.gaps.is_empty() {
            push_gap(&mut self.gaps, self.last);
        }
        let gap = number - self.last;
        push_gap(&mut self.gaps, gap);
        self.last = number;
        self.count += 1;
        self.runs += u32::from(gap > 1);
    }

    /// Calls `each` with every id, in order.
    #[inline]
    pub fn for_each(&self, mut each: impl FnMut(u32)) {
        if self.gaps.is_empty() {
            each(self.last);
            return;
        }
        let (mut number, mut gap, mut shift) = (0, 0, 0);
        for &byte in &self.gaps {
            gap |= u32::from(byte & 0x7F) << shift;
            shift += 7;
            if byte < 0x80 {
                number += gap;
                each(number);
                (gap, shift) = (0, 0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn every_token_has_its_ids_and_runs() {
        let mut expected: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        let mut collector = Collector::new(7);
        for number in 0..3_000_u32 {
            for token in [format!("a{}", number % 97), format!("b{}", number / 100), format!("c{number}")] {
                for _ in 0..=number % 2 {
                    collector.add(token.as_bytes(), number);
                }
                expected.entry(token).or_default().push(number);
            }
        }
        let found: BTreeMap<String, Vec<u32>> = collector
            .finish()
            .map(|(text, token)| {
                let mut numbers = Vec::new();
                token.for_each(|number| numbers.push(number));
                let runs = numbers.chunk_by(|one, next| one + 1 == *next).count();
                assert_eq!((token.count as usize, token.runs as usize), (numbers.len(), runs));
                (String::from_utf8_lossy(text).into_owned(), numbers)
            })
            .collect();
        assert_eq!(found, expected);
    }
}
