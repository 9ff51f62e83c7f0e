//! Collects the posting list of every token of a segment in memory, before tantivy's serializer writes them. The
//! serializer wants terms in order, so that all of them are known before the first is written; collecting here, and not in
//! tantivy's document writer, avoids a document for every row and a second tokeniser, and knows how often each token
//! occurs before it decides how to index it.

use super::grams::GramCounts;
use super::lists::push_gap;
use super::terms::{RARE, has_term};
use base::hash::hash;

/// Partitions of many tokens, chosen by the highest bits of their hash, and the occurrences that are queued
/// before a partition takes its turn. The tokens of one partition fit the cache of a core; all tokens of a
/// segment would not.
const PART_BITS: u32 = 6;
const WAITING: usize = 512;

/// So few texts have few tokens, which take one partition.
const FEW_TEXTS: usize = 1 << 12;

/// The slots of a table at first. It grows by half where three quarters are taken.
const FIRST_SLOTS: usize = 32;

/// Collects the ids of each token: row ids, or codes of a column. Ids are added in ascending order.
pub struct Collector {
    seed: u64,
    part_bits: u32,
    parts: Vec<Partition>,
}

struct Partition {
    part_bits: u32,
    waiting: Vec<Waiting>,
    waiting_text: Vec<u8>,
    /// The tokens, in an open-addressing table.
    slots: Vec<Token>,
    tokens: usize,
    /// What is known of tokens besides their last id. Most tokens of a segment may be ids that occur once.
    known: Vec<Known>,
    /// The text of the tokens that are terms.
    text: Vec<u8>,
}

struct Waiting {
    hash: u64,
    number: u32,
    length: u32,
}

/// A distinct token, or nothing.
#[derive(Clone, Copy)]
struct Token {
    hash: u64,
    last: u32,
    /// What else is known; [`FREE`] if it is none, and [`ONCE`] for an id with one posting.
    known: u32,
}

const FREE: u32 = u32::MAX;
const ONCE: u32 = u32::MAX - 1;

/// A token that is a term, or that has several ids.
struct Known {
    /// Where its text starts in the partition's, and its length: none while the token is a rare id.
    text: u32,
    length: u32,
    count: u32,
    runs: u32,
    /// Its ids as gaps, once there are several.
    gaps: Vec<u8>,
}

/// A token whose occurrences are all known.
#[derive(Clone, Copy)]
pub struct Collected<'c> {
    /// Empty for an id that is too rare for a term.
    pub text: &'c [u8],
    pub hash: u64,
    last: u32,
    known: Option<&'c Known>,
}

impl Collector {
    /// A collector of the tokens of about so many texts.
    pub fn new(seed: u64, texts: usize) -> Collector {
        let part_bits = if texts <= FEW_TEXTS { 0 } else { PART_BITS };
        let part = || Partition {
            part_bits,
            waiting: Vec::new(),
            waiting_text: Vec::new(),
            slots: Vec::new(),
            tokens: 0,
            known: Vec::new(),
            text: Vec::new(),
        };
        Collector { seed, part_bits, parts: (0..1 << part_bits).map(|_| part()).collect() }
    }

    /// Adds an occurrence of a token, and the trigrams of a new one while it is too rare for a term.
    #[inline]
    pub fn add(&mut self, text: &[u8], number: u32, grams: &mut GramCounts) {
        let hash = hash(self.seed, text);
        let part = hash.checked_shr(u64::BITS - self.part_bits).unwrap_or(0);
        let part = &mut self.parts[part as usize];
        part.waiting.push(Waiting { hash, number, length: text.len() as u32 });
        part.waiting_text.extend_from_slice(text);
        if part.waiting.len() == WAITING {
            part.enter_waiting(grams);
        }
    }

    /// Ends collecting; what only that needed is given back.
    pub fn finish(&mut self, grams: &mut GramCounts) {
        for part in &mut self.parts {
            part.enter_waiting(grams);
            (part.waiting, part.waiting_text) = (Vec::new(), Vec::new());
        }
    }

    /// Every distinct token, once it is finished.
    pub fn tokens(&self) -> impl Iterator<Item = Collected<'_>> {
        self.parts.iter().flat_map(|part| {
            let taken = part.slots.iter().filter(|token| token.known != FREE);
            taken.map(move |token| {
                let known = part.known.get(token.known as usize);
                let text =
                    known.map_or(&[][..], |known| &part.text[known.text as usize..][..known.length as usize]);
                Collected { text, hash: token.hash, last: token.last, known }
            })
        })
    }
}

impl Partition {
    fn enter_waiting(&mut self, grams: &mut GramCounts) {
        let mut waiting = std::mem::take(&mut self.waiting);
        let text = std::mem::take(&mut self.waiting_text);
        let mut rest = text.as_slice();
        for one in waiting.drain(..) {
            let (text, following) = rest.split_at(one.length as usize);
            self.enter(&one, text, grams);
            rest = following;
        }
        self.waiting = waiting;
        self.waiting_text = text;
        self.waiting_text.clear();
    }

    fn enter(&mut self, one: &Waiting, text: &[u8], grams: &mut GramCounts) {
        if self.tokens * 4 >= self.slots.len() * 3 {
            self.grow();
        }
        let slot = self.slot_of(one.hash);
        let token = &mut self.slots[slot];
        if token.known == FREE {
            self.tokens += 1;
            *token = Token { hash: one.hash, last: one.number, known: ONCE };
            if has_term(text) {
                token.known = self.known.len() as u32;
                let (at, length) = push(&mut self.text, text);
                self.known.push(Known { text: at, length, count: 1, runs: 1, gaps: Vec::new() });
            } else {
                grams.add(text);
            }
            return;
        }
        if token.last == one.number {
            return;
        }
        if token.known == ONCE {
            token.known = self.known.len() as u32;
            self.known.push(Known { text: 0, length: 0, count: 1, runs: 1, gaps: Vec::new() });
        }
        let known = &mut self.known[token.known as usize];
        known.add(token.last, one.number);
        token.last = one.number;
        if known.length == 0 && known.count > RARE {
            (known.text, known.length) = push(&mut self.text, text);
            grams.remove(text);
        }
    }

    /// The slot of a token, or the free one that it takes.
    #[inline]
    fn slot_of(&self, hash: u64) -> usize {
        // Any number of slots will do, because the hash is scaled to it.
        let place = hash << self.part_bits >> 32;
        let mut slot = ((place * self.slots.len() as u64) >> 32) as usize;
        while self.slots[slot].known != FREE && self.slots[slot].hash != hash {
            slot += 1;
            if slot == self.slots.len() {
                slot = 0;
            }
        }
        slot
    }

    fn grow(&mut self) {
        let slots = (self.slots.len() + self.slots.len() / 2).max(FIRST_SLOTS);
        let before = std::mem::replace(&mut self.slots, vec![Token { hash: 0, last: 0, known: FREE }; slots]);
        for token in before.into_iter().filter(|token| token.known != FREE) {
            let slot = self.slot_of(token.hash);
            self.slots[slot] = token;
        }
    }
}

/// Adds a text; where it starts, and its length.
fn push(texts: &mut Vec<u8>, text: &[u8]) -> (u32, u32) {
    let at = texts.len() as u32;
    texts.extend_from_slice(text);
    (at, text.len() as u32)
}

impl Known {
    /// Adds an id after the last one.
    #[inline]
    fn add(&mut self, last: u32, number: u32) {
        if self.gaps.is_empty() {
            push_gap(&mut self.gaps, last);
        }
        let gap = number - last;
        push_gap(&mut self.gaps, gap);
        self.count += 1;
        self.runs += u32::from(gap > 1);
    }
}

impl Collected<'_> {
    /// The number of its ids.
    pub fn count(&self) -> u32 {
        self.known.map_or(1, |known| known.count)
    }

    /// The number of runs of consecutive ids.
    pub fn runs(&self) -> u32 {
        self.known.map_or(1, |known| known.runs)
    }

    /// Calls `each` with every id, in order.
    #[inline]
    pub fn for_each(&self, mut each: impl FnMut(u32)) {
        let Some(known) = self.known.filter(|known| known.count > 1) else {
            each(self.last);
            return;
        };
        let (mut number, mut gap, mut shift) = (0, 0, 0);
        for &byte in &known.gaps {
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
        for texts in [0, 1 << 20] {
            let mut expected: BTreeMap<u64, (String, Vec<u32>)> = BTreeMap::new();
            let (mut collector, mut grams) = (Collector::new(7, texts), GramCounts::default());
            for number in 0..3_000_u32 {
                let word = |of: u32| std::iter::repeat_n('x', of as usize % 50).collect::<String>() + "word";
                for token in [
                    format!("a{}", number % 97),
                    format!("b{}", number / 100),
                    format!("c{number}"),
                    word(number),
                ] {
                    for _ in 0..=number % 2 {
                        collector.add(token.as_bytes(), number, &mut grams);
                    }
                    expected.entry(hash(7, token.as_bytes())).or_insert((token, Vec::new())).1.push(number);
                }
            }
            collector.finish(&mut grams);
            let found: BTreeMap<u64, (String, Vec<u32>)> = collector
                .tokens()
                .map(|token| {
                    let mut numbers = Vec::new();
                    token.for_each(|number| numbers.push(number));
                    let runs = numbers.chunk_by(|one, next| one + 1 == *next).count();
                    assert_eq!((token.count() as usize, token.runs() as usize), (numbers.len(), runs));
                    (token.hash, (String::from_utf8_lossy(token.text).into_owned(), numbers))
                })
                .collect();
            let grams = grams.grams();
            for (text, numbers) in expected.values_mut() {
                let is_rare = numbers.len() <= RARE as usize && !has_term(text.as_bytes());
                assert!(!is_rare || grams.may_have(text), "{text}");
                if is_rare {
                    text.clear();
                }
            }
            assert!(grams.may_have("c29") && !grams.may_have("wor"));
            assert_eq!(found, expected);
        }
    }
}
