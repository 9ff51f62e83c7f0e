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
    /// The ids of tokens that have more than one. Most tokens of a segment may be ids that occur once.
    lists: Vec<Ids>,
    /// The text of every token.
    text: Vec<u8>,
}

struct Waiting {
    hash: u64,
    number: u32,
    length: u32,
}

/// A distinct token.
struct Token {
    hash: u64,
    /// Where its text starts in the partition's.
    text: u32,
    length: u32,
    last: u32,
    /// Its list of ids; [`ONE`] while there is only one.
    list: u32,
}

const ONE: u32 = u32::MAX;

/// The ids of a token that has several, as gaps.
struct Ids {
    count: u32,
    runs: u32,
    gaps: Vec<u8>,
}

/// A token whose occurrences are all known.
#[derive(Clone, Copy)]
pub struct Collected<'c> {
    pub text: &'c [u8],
    pub hash: u64,
    last: u32,
    ids: Option<&'c Ids>,
}

impl Collector {
    pub fn new(seed: u64) -> Collector {
        let part = || Partition {
            waiting: Vec::new(),
            waiting_text: Vec::new(),
            table: vec![EMPTY; 1 << 5],
            tokens: Vec::new(),
            lists: Vec::new(),
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

    /// Ends collecting; what only that needed is given back.
    pub fn finish(&mut self) {
        self.parts.iter_mut().for_each(Partition::finish);
    }

    /// Every distinct token, once it is finished.
    pub fn tokens(&self) -> impl Iterator<Item = Collected<'_>> {
        self.parts.iter().flat_map(|part| {
            part.tokens.iter().map(move |token| Collected {
                text: &part.text[token.text as usize..][..token.length as usize],
                hash: token.hash,
                last: token.last,
                ids: part.lists.get(token.list as usize),
            })
        })
    }
}

impl Partition {
    /// Enters what waits, and gives back what only that needed.
    fn finish(&mut self) {
        self.enter_waiting();
        (self.waiting, self.waiting_text, self.table) = (Vec::new(), Vec::new(), Vec::new());
    }

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
                    token.add(number, &mut self.lists);
                    return;
                }
            }
            slot = (slot + 1) & mask;
        }
        self.table[slot] = Self::entry(hash, self.tokens.len());
        let (at, length) = (self.text.len() as u32, one.length);
        self.text.extend_from_slice(text);
        self.tokens.push(Token { hash, text: at, length, last: number, list: ONE });
        if self.tokens.len() * 2 > self.table.len() {
            self.grow();
        }
    }

    fn entry(hash: u64, index: usize) -> u64 {
        hash << PART_BITS >> 32 << 32 | index as u64
    }

    fn grow(&mut self) {
        let size = self.table.len() * 2;
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
    fn add(&mut self, number: u32, lists: &mut Vec<Ids>) {
        if number == self.last {
            return;
        }
        if self.list == ONE {
            self.list = lists.len() as u32;
            let mut gaps = Vec::new();
            push_gap(&mut gaps, self.last);
            lists.push(Ids { count: 1, runs: 1, gaps });
        }
        let gap = number - self.last;
        let ids = &mut lists[self.list as usize];
        push_gap(&mut ids.gaps, gap);
        ids.count += 1;
        ids.runs += u32::from(gap > 1);
        self.last = number;
    }
}

impl Collected<'_> {
    /// The number of its ids.
    pub fn count(&self) -> u32 {
        self.ids.map_or(1, |ids| ids.count)
    }

    /// The number of runs of consecutive ids.
    pub fn runs(&self) -> u32 {
        self.ids.map_or(1, |ids| ids.runs)
    }

    /// Calls `each` with every id, in order.
    #[inline]
    pub fn for_each(&self, mut each: impl FnMut(u32)) {
        let Some(ids) = self.ids else {
            each(self.last);
            return;
        };
        let (mut number, mut gap, mut shift) = (0, 0, 0);
        for &byte in &ids.gaps {
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
        collector.finish();
        let found: BTreeMap<String, Vec<u32>> = collector
            .tokens()
            .map(|token| {
                let mut numbers = Vec::new();
                token.for_each(|number| numbers.push(number));
                let runs = numbers.chunk_by(|one, next| one + 1 == *next).count();
                assert_eq!((token.count() as usize, token.runs() as usize), (numbers.len(), runs));
                (String::from_utf8_lossy(token.text).into_owned(), numbers)
            })
            .collect();
        assert_eq!(found, expected);
    }
}
