//! Texts coded by value while a column is gathered: each distinct text is kept, and checked to be UTF-8,
//! once.

use std::hash::{BuildHasher, RandomState};

use super::parquet::{NO_CODE, Texts, Values};

/// Coding ends when of so many rows this share had a text that was not seen before. It is high because values
/// of tens of thousands, picked at random, repeat rarely at first and nearly always in the end.
pub const TRIAL_ROWS: usize = 8_192;
pub const HOPELESS: usize = TRIAL_ROWS / 64 * 63;

/// Columns with less text than this are kept as they are, for whoever reads the table with other programs.
const WORTH_PLACING_BYTES: usize = 256 << 10;

/// Gathers a column of text.
pub struct TextColumn {
    codes: Vec<u32>,
    texts: Texts,
    /// An open table of the upper half of each text's hash with the text's code.
    table: Vec<u64>,
    seed: u64,
    coding: bool,
    /// How many texts there were at the last trial.
    tried: usize,
    /// The code of the row before: neighbours are alike more often than chance has it.
    last: u32,
}

const EMPTY: u64 = u64::MAX;

impl TextColumn {
    pub fn with_capacity(rows: usize) -> TextColumn {
        TextColumn {
            codes: Vec::with_capacity(rows),
            texts: Texts::default(),
            table: vec![EMPTY; 1 << 10],
            last: NO_CODE,
            seed: seed(),
            coding: true,
            tried: 0,
        }
    }

    pub fn push_missing(&mut self) {
        self.codes.push(NO_CODE);
    }

    /// Bytes that are no UTF-8 become U+FFFD.
    pub fn push(&mut self, bytes: &[u8]) {
        let code = if self.coding { self.code(bytes) } else { self.append(bytes) };
        self.codes.push(code);
        if self.coding && self.codes.len().is_multiple_of(TRIAL_ROWS) {
            self.coding = self.texts.len() - self.tried <= HOPELESS;
            self.tried = self.texts.len();
        }
    }

    fn code(&mut self, bytes: &[u8]) -> u32 {
        if self.is(self.last, bytes) {
            return self.last;
        }
        self.last = self.look_up(bytes);
        self.last
    }

    fn look_up(&mut self, bytes: &[u8]) -> u32 {
        let hash = hash(self.seed, bytes);
        let mask = self.table.len() - 1;
        let mut slot = hash as usize & mask;
        while self.table[slot] != EMPTY {
            let code = self.table[slot] as u32;
            if self.table[slot] >> 32 == hash >> 32 && self.is(code, bytes) {
                return code;
            }
            slot = (slot + 1) & mask;
        }
        let Ok(text) = std::str::from_utf8(bytes) else {
            let readable = String::from_utf8_lossy(bytes).into_owned();
            return self.look_up(readable.as_bytes());
        };
        let code = self.texts.len() as u32;
        self.texts.push(text);
        self.table[slot] = hash >> 32 << 32 | u64::from(code);
        if self.texts.len() * 2 > self.table.len() {
            self.grow();
        }
        code
    }

    fn is(&self, code: u32, bytes: &[u8]) -> bool {
        self.texts.get(code as usize).is_some_and(|text| text.as_bytes() == bytes)
    }

    fn grow(&mut self) {
        self.table = table_of(&self.texts, self.seed, self.table.len() * 4);
    }

    /// Adds a text without looking whether it is known, unless it is the last one again: a heading that is
    /// the value of every row after it must not be kept a million times.
    fn append(&mut self, bytes: &[u8]) -> u32 {
        let last = self.texts.len() - 1;
        if self.is(last as u32, bytes) {
            return last as u32;
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => self.texts.push(text),
            Err(_) => self.texts.push(&String::from_utf8_lossy(bytes)),
        }
        last as u32 + 1
    }

    /// Whether the column takes much room because its texts rarely repeat.
    pub fn is_worth_placing(&self) -> bool {
        let repeats = self.coding && self.texts.len() <= self.codes.len() / 2;
        !repeats && self.texts.bytes() >= WORTH_PLACING_BYTES
    }

    pub fn finish(self) -> Values {
        Values::Text { codes: self.codes, texts: self.texts }
    }
}

/// Texts that each have one code, in the order they came.
#[derive(Debug)]
pub struct Interner {
    texts: Texts,
    table: Vec<u64>,
    seed: u64,
}

impl Default for Interner {
    fn default() -> Interner {
        Interner { texts: Texts::default(), table: vec![EMPTY; 1 << 10], seed: seed() }
    }
}

impl Interner {
    /// The code of a text, a new one if it has none.
    pub fn code(&mut self, text: &str) -> u32 {
        let hash = hash(self.seed, text.as_bytes());
        let mask = self.table.len() - 1;
        let mut slot = hash as usize & mask;
        while self.table[slot] != EMPTY {
            let code = self.table[slot] as u32;
            if self.table[slot] >> 32 == hash >> 32 && self.texts.get(code as usize) == Some(text) {
                return code;
            }
            slot = (slot + 1) & mask;
        }
        let code = self.texts.len() as u32;
        self.texts.push(text);
        self.table[slot] = hash >> 32 << 32 | u64::from(code);
        if self.texts.len() * 2 > self.table.len() {
            self.table = table_of(&self.texts, self.seed, self.table.len() * 4);
        }
        code
    }

    pub fn get(&self, code: usize) -> Option<&str> {
        self.texts.get(code)
    }

    pub fn bytes(&self) -> usize {
        self.texts.memory() + self.table.len() * size_of::<u64>()
    }
}

fn table_of(texts: &Texts, seed: u64, size: usize) -> Vec<u64> {
    let mut table = vec![EMPTY; size];
    for (code, text) in texts.iter().enumerate() {
        let hash = hash(seed, text.as_bytes());
        let mut slot = hash as usize & (size - 1);
        while table[slot] != EMPTY {
            slot = (slot + 1) & (size - 1);
        }
        table[slot] = hash >> 32 << 32 | code as u64;
    }
    table
}

/// Differs from run to run, so that nobody can write a log whose values all collide.
pub fn seed() -> u64 {
    RandomState::new().hash_one(0)
}

const FIRST: u64 = 0x9E37_79B9_7F4A_7C15;
const SECOND: u64 = 0xD6E8_FEB8_6659_FD93;

/// A quick hash of short texts: sixteen bytes a multiplication.
#[inline]
pub fn hash(seed: u64, bytes: &[u8]) -> u64 {
    let mut state = seed ^ (bytes.len() as u64).wrapping_mul(FIRST);
    let (blocks, rest) = bytes.as_chunks::<16>();
    for block in blocks {
        let (low, high) = halves(block);
        state = mix(low ^ state, high ^ SECOND);
    }
    let mut last = [0; 16];
    last[..rest.len()].copy_from_slice(rest);
    let (low, high) = halves(&last);
    mix(mix(low ^ state, high ^ SECOND), FIRST ^ seed)
}

fn halves(block: &[u8; 16]) -> (u64, u64) {
    let wide = u128::from_le_bytes(*block);
    (wide as u64, (wide >> 64) as u64)
}

fn mix(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_share_a_code_until_nearly_all_differ() {
        let mut column = TextColumn::with_capacity(0);
        for row in 0..30_000 {
            column.push(format!("agent {}", row % 5_000).as_bytes());
        }
        column.push(b"caf\xe9");
        column.push("caf\u{fffd}".as_bytes());
        column.push(b"caf\xe9");
        column.push_missing();
        let Values::Text { codes, texts } = column.finish() else { panic!() };
        assert_eq!(texts.len(), 5_001);
        assert_eq!((codes[4_999], codes[29_999]), (4_999, 4_999));
        assert_eq!(codes[30_000..], [5_000, 5_000, 5_000, NO_CODE]);

        let mut column = TextColumn::with_capacity(0);
        for row in 0..20_000 {
            column.push(format!("id {row}").as_bytes());
        }
        (0..20_000).for_each(|_| column.push(b"heading"));
        let Values::Text { codes, texts } = column.finish() else { panic!() };
        assert_eq!((texts.len(), texts.get(codes[19_999] as usize)), (20_001, Some("id 19999")));
    }
}
