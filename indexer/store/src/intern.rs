//! Dictionary encoding of texts while a column is built: each distinct text is stored, and checked to be
//! UTF-8, once.

use super::parquet::{NO_CODE, Texts, Values};
use base::hash::{hash, seed};

/// Encoding stops if this share of the trial rows had a text that was new. The share is high because tens of
/// thousands of values, picked at random, repeat rarely at first and nearly always in the end.
pub const TRIAL_ROWS: usize = 8_192;
pub const HOPELESS: usize = TRIAL_ROWS / 64 * 63;

/// Texts that are looked up together, so that the memory latencies overlap.
const AT_ONCE: usize = 32;

/// Columns with less text than this are stored as they are, for other programs that read the table.
const BYTE_RANGES_MIN_BYTES: usize = 256 << 10;

/// Gathers a column of text.
pub struct TextColumn {
    codes: Vec<u32>,
    texts: Texts,
    known: TextTable,
    coding: bool,
    /// How many texts there were at the last trial.
    tried: usize,
    /// The code of the previous row: neighbours are equal more often than chance.
    last: u32,
}

/// An open-addressing table from the upper half of each text's hash to the code of the text.
#[derive(Debug)]
struct TextTable {
    slots: Vec<u64>,
    count: usize,
    seed: u64,
}

const EMPTY: u64 = u64::MAX;

impl Default for TextTable {
    fn default() -> TextTable {
        TextTable { slots: vec![EMPTY; 1 << 10], count: 0, seed: seed() }
    }
}

impl TextTable {
    /// The code of a known text, or the tag to insert a new one with.
    fn code(&self, texts: &Texts, text: &[u8]) -> Result<u32, u64> {
        let tag = self.tag(text);
        let mask = self.slots.len() - 1;
        let mut slot = tag as usize & mask;
        while self.slots[slot] != EMPTY {
            let code = self.slots[slot] as u32;
            if self.slots[slot] >> 32 == tag && is(texts, code, text) {
                return Ok(code);
            }
            slot = (slot + 1) & mask;
        }
        Err(tag)
    }

    fn tag(&self, text: &[u8]) -> u64 {
        hash(self.seed, text) >> 32
    }

    /// The code in the first slot of the text, which the caller must verify.
    fn likely(&self, text: &[u8]) -> u32 {
        self.slots[self.tag(text) as usize & (self.slots.len() - 1)] as u32
    }

    /// Inserts a new text.
    fn put(&mut self, tag: u64, code: u32) {
        if self.count * 3 > self.slots.len() * 2 {
            // Tags are stored with their codes, so a larger table is built without reading the texts.
            let larger = vec![EMPTY; self.slots.len() * 2];
            let old = std::mem::replace(&mut self.slots, larger);
            old.into_iter().filter(|&entry| entry != EMPTY).for_each(|entry| self.place(entry));
        }
        self.count += 1;
        self.place(tag << 32 | u64::from(code));
    }

    fn place(&mut self, entry: u64) {
        let mask = self.slots.len() - 1;
        let mut slot = (entry >> 32) as usize & mask;
        while self.slots[slot] != EMPTY {
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = entry;
    }
}

fn is(texts: &Texts, code: u32, text: &[u8]) -> bool {
    texts.get(code as usize).is_some_and(|known| known.as_bytes() == text)
}

impl TextColumn {
    #[must_use]
    pub fn with_capacity(rows: usize) -> TextColumn {
        TextColumn {
            codes: Vec::with_capacity(rows),
            texts: Texts::default(),
            known: TextTable::default(),
            last: NO_CODE,
            coding: true,
            tried: 0,
        }
    }

    pub fn push_missing(&mut self) {
        self.codes.push(NO_CODE);
    }

    /// Pushes many texts faster than one by one.
    pub fn push_all(&mut self, texts: &[Option<&[u8]>]) {
        for texts in texts.chunks(AT_ONCE) {
            let codes = if self.coding { self.codes_of(texts) } else { [NO_CODE; AT_ONCE] };
            for (text, code) in texts.iter().zip(codes) {
                match text {
                    None => self.push_missing(),
                    Some(text) if code == NO_CODE => self.push(text),
                    Some(_) => self.push_code(code),
                }
            }
        }
    }

    /// The codes of texts that are in their first slot, which is true for nearly all known texts. Each lookup
    /// waits for memory three times: for its slot, for the offset of the text and for the text. Here the
    /// waits overlap.
    fn codes_of(&self, texts: &[Option<&[u8]>]) -> [u32; AT_ONCE] {
        let mut codes = [NO_CODE; AT_ONCE];
        for (code, text) in codes.iter_mut().zip(texts) {
            *code = text.map_or(NO_CODE, |text| self.known.likely(text));
        }
        let known = codes.map(|code| self.texts.get(code as usize).map(str::as_bytes));
        for ((code, known), text) in codes.iter_mut().zip(known).zip(texts) {
            if known != *text {
                *code = NO_CODE;
            }
        }
        codes
    }

    /// Bytes that are not UTF-8 become U+FFFD.
    pub fn push(&mut self, bytes: &[u8]) {
        let code = if self.coding { self.code(bytes) } else { self.append(bytes) };
        self.push_code(code);
    }

    fn push_code(&mut self, code: u32) {
        self.codes.push(code);
        if self.coding && self.codes.len().is_multiple_of(TRIAL_ROWS) {
            self.coding = self.texts.len() - self.tried <= HOPELESS;
            self.tried = self.texts.len();
        }
    }

    fn code(&mut self, bytes: &[u8]) -> u32 {
        if is(&self.texts, self.last, bytes) {
            return self.last;
        }
        self.last = self.look_up(bytes);
        self.last
    }

    fn look_up(&mut self, bytes: &[u8]) -> u32 {
        let tag = match self.known.code(&self.texts, bytes) {
            Ok(code) => return code,
            Err(tag) => tag,
        };
        let Ok(text) = std::str::from_utf8(bytes) else {
            let readable = String::from_utf8_lossy(bytes).into_owned();
            return self.look_up(readable.as_bytes());
        };
        let code = self.texts.len() as u32;
        self.texts.push(text);
        self.known.put(tag, code);
        code
    }

    /// Appends a text without a lookup, unless it equals the previous one: a header that is the value of
    /// every following row must not be stored a million times.
    fn append(&mut self, bytes: &[u8]) -> u32 {
        let last = self.texts.len() - 1;
        if is(&self.texts, last as u32, bytes) {
            return last as u32;
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => self.texts.push(text),
            Err(_) => self.texts.push(&String::from_utf8_lossy(bytes)),
        }
        last as u32 + 1
    }

    /// True if the column is large because its texts rarely repeat.
    #[must_use]
    pub fn prefers_byte_ranges(&self) -> bool {
        let repeats = self.coding && self.texts.len() <= self.codes.len() / 2;
        !repeats && self.texts.bytes() >= BYTE_RANGES_MIN_BYTES
    }

    /// True if that is certain before all of its texts are known.
    #[must_use]
    pub fn surely_prefers_byte_ranges(&self) -> bool {
        !self.coding && self.prefers_byte_ranges()
    }

    #[must_use]
    pub fn finish(self) -> Values {
        Values::Text { codes: self.codes, texts: self.texts }
    }
}

/// Distinct texts with one code each, in order of first occurrence.
#[derive(Debug, Default)]
pub struct Interner {
    texts: Texts,
    known: TextTable,
}

impl Interner {
    /// The code of a text, a new one if it has none.
    pub fn code(&mut self, text: &str) -> u32 {
        self.known.code(&self.texts, text.as_bytes()).unwrap_or_else(|tag| {
            let code = self.texts.len() as u32;
            self.texts.push(text);
            self.known.put(tag, code);
            code
        })
    }

    #[must_use]
    pub fn get(&self, code: usize) -> Option<&str> {
        self.texts.get(code)
    }

    #[must_use]
    pub fn bytes(&self) -> usize {
        self.texts.memory() + self.known.slots.len() * size_of::<u64>()
    }
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
