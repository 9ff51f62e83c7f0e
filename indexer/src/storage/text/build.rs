//! Building the index of a segment, a row at a time.

use memchr::memmem;
use sha2::{Digest, Sha256};

use super::interpolative::{self, BitWriter};
use super::{ColumnIndex, Header, MAGIC, section, token_hash};
use super::{filter, inverted};
use crate::error::{Error, Result};
use crate::hash;
use crate::limits::LONGEST_TOKEN_BYTES;
use crate::storage::parquet::{NO_CODE, Texts, Values};
use crate::tokens;

/// Rows that are looked at to learn in which order the columns' values stand in a line.
const TRIAL_ROWS: u32 = 32;

/// What stands before a value is not kept where it is so many words: nobody asks for so long a phrase.
const WORDS_BEFORE: usize = 32;

/// One row in so many may have something else before a value.
const ROWS_A_STRAY: usize = 16;

/// Rare tokens are told to a block of 64 rows: reading so many costs less than reading one frame.
const ROW_BLOCK_SHIFT: u32 = 6;

/// Collects the tokens of a segment.
pub struct Builder {
    seed: u64,
    rest: Rest,
    columns: Vec<Column>,
}

/// What is built of the tokens outside of the columns' values.
enum Rest {
    Rows(inverted::Builder),
    Blocks(filter::Builder),
}

/// Takes a token's hash and the number of what it is in.
trait Tokens {
    fn add(&mut self, hash: u64, number: u32);
}

impl Tokens for inverted::Builder {
    #[inline]
    fn add(&mut self, hash: u64, number: u32) {
        inverted::Builder::add(self, hash, number);
    }
}

impl Tokens for filter::Builder {
    #[inline]
    fn add(&mut self, hash: u64, number: u32) {
        filter::Builder::add(self, hash, number);
    }
}

/// A column whose values are tokenised once each.
struct Column {
    name: String,
    codes: Vec<u32>,
    texts: Texts,
    /// Bytes between the value before it and this one, as in the last rows.
    gap: usize,
    /// They were others in the last row.
    has_missed: bool,
    /// Where its values were found first in the trial rows. A short one may be found too early, most are not.
    places: Vec<usize>,
    /// What stands before its values.
    before: Common,
    /// What stands between the value of the column before it and its own.
    between: Common,
    excepted: Vec<u32>,
}

impl Column {
    /// One odd row tells nothing of the next.
    #[inline]
    fn note_gap(&mut self, gap: usize) {
        let is_other = gap != self.gap;
        if is_other && self.has_missed {
            self.gap = gap;
        }
        self.has_missed = is_other && !self.has_missed;
    }
}

/// What texts have in common, all but a few.
#[derive(Default)]
struct Common {
    /// Nothing until there was a text.
    text: Option<Vec<u8>>,
    /// There was more before it.
    is_part: bool,
    rows: usize,
    strays: Vec<u32>,
}

impl Common {
    /// Adds a row's text, which may be alike at its end only where parts will do.
    #[inline]
    fn add(&mut self, row: u32, text: &[u8], parts_will_do: bool) {
        let common = self.text.get_or_insert_with(|| text.to_vec());
        self.rows += 1;
        let is_longer = text.len() > common.len();
        if text.ends_with(common) && (parts_will_do || !is_longer) {
            self.is_part |= is_longer;
        } else if self.strays.len() * ROWS_A_STRAY < self.rows {
            self.strays.push(row);
        } else {
            let alike = common.iter().rev().zip(text.iter().rev()).take_while(|(one, other)| one == other);
            let differing = common.len() - alike.count();
            common.drain(..differing);
            self.is_part = true;
        }
    }

    /// The words of what is common; nothing where they are not worth telling.
    fn finish(self, rows: u32, body: &mut Vec<u8>) -> Option<super::Common> {
        let text = self.text?;
        // What is a part may begin within a word.
        let is_cut = self.is_part && text.first().is_some_and(|&byte| tokens::is_token_byte(byte));
        let ranges = tokens::ranges(&text).skip(usize::from(is_cut));
        let words: Vec<_> = ranges.map(|(start, end)| tokens::fold(&text[start..end]).into_owned()).collect();
        if words.len() > WORDS_BEFORE {
            return None;
        }
        let mut strays = BitWriter::default();
        interpolative::write(&self.strays, rows, &mut strays);
        strays.align();
        Some(super::Common { words, strays: self.strays.len(), strayed: section(body, &strays.bytes) })
    }
}

impl Builder {
    /// Of an index. The columns are those that are worth it: of text that repeats.
    pub fn of_index(columns: Vec<(String, Values)>) -> Builder {
        Self::new(Rest::Rows(inverted::Builder::new()), columns)
    }

    /// Of filters, with the same columns.
    pub fn of_filters(columns: Vec<(String, Values)>) -> Builder {
        Self::new(Rest::Blocks(filter::Builder::new()), columns)
    }

    fn new(rest: Rest, columns: Vec<(String, Values)>) -> Builder {
        let columns = columns.into_iter().filter_map(|(name, values)| match values {
            Values::Text { codes, texts } => Some(Column {
                name,
                codes,
                texts,
                gap: 0,
                has_missed: false,
                places: Vec::new(),
                before: Common::default(),
                between: Common::default(),
                excepted: Vec::new(),
            }),
            _ => None,
        });
        Builder { seed: hash::seed(), rest, columns: columns.collect() }
    }

    /// Adds the text of a row. Rows must come in order.
    pub fn add(&mut self, row: u32, raw: &[u8]) {
        if row < TRIAL_ROWS {
            self.try_row(row, raw);
            return;
        }
        if row == TRIAL_ROWS {
            self.columns.sort_by_key(|column| {
                let mut places = column.places.clone();
                places.sort_unstable();
                places.get(places.len() / 2).copied().unwrap_or(usize::MAX)
            });
        }
        let Builder { seed, rest, columns } = self;
        match rest {
            Rest::Rows(rows) => add_row(rows, columns, *seed, row, raw),
            Rest::Blocks(blocks) => add_row(blocks, columns, *seed, row, raw),
        }
    }

    fn try_row(&mut self, row: u32, raw: &[u8]) {
        for column in &mut self.columns {
            let code = column.codes[row as usize];
            if code == NO_CODE {
                continue;
            }
            column.excepted.push(row);
            let value = column.texts.get(code as usize).filter(|value| !value.is_empty());
            column.places.extend(value.and_then(|value| place_of(raw, 0, value.as_bytes(), 0)));
        }
        match &mut self.rest {
            Rest::Rows(rows) => add_tokens(rows, self.seed, row, raw),
            Rest::Blocks(blocks) => add_tokens(blocks, self.seed, row, raw),
        }
    }

    /// The bytes of the index.
    pub fn finish(self, rows: u32) -> Result<Vec<u8>> {
        let mut body = Vec::new();
        let mut columns = Vec::new();
        for column in self.columns {
            let distinct = column.texts.len() as u32;
            let values = matches!(self.rest, Rest::Rows(_)).then(|| {
                let mut values = inverted::Builder::new();
                for (code, text) in column.texts.iter().enumerate() {
                    add_tokens(&mut values, self.seed, code as u32, text.as_bytes());
                }
                values.write(distinct, 0, &mut body)
            });
            let mut excepted = BitWriter::default();
            interpolative::write(&column.excepted, rows, &mut excepted);
            excepted.align();
            // A value that nothing in common stands before, or that nothing is known of, is as good as none.
            let before = column.before.finish(rows, &mut body).filter(|before| !before.words.is_empty());
            let is_whole = !column.between.is_part;
            let between = column.between.finish(rows, &mut body).filter(|_| is_whole);
            columns.push(ColumnIndex {
                distinct,
                values,
                before,
                between,
                column: column.name,
                exceptions: column.excepted.len(),
                excepted: section(&mut body, &excepted.bytes),
            });
        }
        let rest = match self.rest {
            Rest::Rows(builder) => super::Rest::Rows(builder.write(rows, ROW_BLOCK_SHIFT, &mut body)),
            Rest::Blocks(builder) => super::Rest::Blocks(builder.write(rows, &mut body)),
        };
        let sha256 = crate::hex(&Sha256::digest(&body));
        let header = Header { rows, seed: self.seed, sha256, columns, rest };
        let header = serde_json::to_vec(&header)
            .map_err(|error| Error::new(crate::ErrorKind::Internal, error.to_string()))?;
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&(header.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&Sha256::digest(&header));
        bytes.extend_from_slice(&header);
        bytes.extend_from_slice(&body);
        Ok(bytes)
    }
}

/// Adds the tokens of a row that are not in the values of its columns.
fn add_row(tokens: &mut impl Tokens, columns: &mut [Column], seed: u64, row: u32, raw: &[u8]) {
    let mut at = 0;
    let mut is_between = false;
    for column in columns {
        let value = column.texts.get(column.codes[row as usize] as usize).unwrap_or_default().as_bytes();
        if value.is_empty() {
            is_between = false;
            continue;
        }
        let place = place_of(raw, at, value, column.gap);
        if let Some(start) = place {
            add_tokens(tokens, seed, row, &raw[at..start]);
            column.before.add(row, &raw[at..start], true);
            if is_between {
                column.between.add(row, &raw[at..start], false);
            }
            let end = start + value.len();
            column.note_gap(start - at);
            at = end;
        } else {
            column.excepted.push(row);
        }
        is_between = place.is_some();
    }
    add_tokens(tokens, seed, row, &raw[at..]);
}

/// Where a value stands in a line, from a place on, such that its tokens are tokens of the line. It is looked
/// for where the row before had it first.
fn place_of(raw: &[u8], from: usize, value: &[u8], gap: usize) -> Option<usize> {
    let is_at = |start: usize| is_cut(raw, start) && is_cut(raw, start + value.len());
    let guess = from + gap;
    if raw.get(guess..).is_some_and(|rest| rest.starts_with(value)) && is_at(guess) {
        return Some(guess);
    }
    memmem::find_iter(raw.get(from..)?, value).map(|place| from + place).find(|&place| is_at(place))
}

/// Whether no token goes across a place.
fn is_cut(raw: &[u8], place: usize) -> bool {
    let is_token =
        |at: Option<usize>| at.and_then(|at| raw.get(at)).is_some_and(|&b| tokens::is_token_byte(b));
    !(is_token(place.checked_sub(1)) && is_token(Some(place)))
}

/// The folded form of every ASCII token byte, and zero for all others.
const FOLDED: [u8; 256] = {
    let mut folded = [0; 256];
    let mut byte = 0;
    while byte < 128_u8 {
        if byte.is_ascii_alphanumeric() || byte == b'_' {
            folded[byte as usize] = byte.to_ascii_lowercase();
        }
        byte += 1;
    }
    folded
};

/// Adds the tokens of a text, as [`tokens::ranges`] and [`tokens::fold`] tell them.
fn add_tokens(index: &mut impl Tokens, seed: u64, number: u32, text: &[u8]) {
    let mut folded = [0; LONGEST_TOKEN_BYTES];
    let mut at = 0;
    while at < text.len() {
        let (start, mut length) = (at, 0);
        while let Some(&byte) = text.get(at)
            && FOLDED[byte as usize] != 0
        {
            if length < LONGEST_TOKEN_BYTES {
                folded[length] = FOLDED[byte as usize];
            }
            length += 1;
            at += 1;
        }
        if text.get(at).is_some_and(|&byte| byte >= 0x80) {
            while text.get(at).is_some_and(|&byte| tokens::is_token_byte(byte)) {
                at += 1;
            }
            let folded = tokens::fold(&text[start..at]);
            if folded.len() <= LONGEST_TOKEN_BYTES {
                index.add(token_hash(seed, folded.as_bytes()), number);
            }
            continue;
        }
        if length > 0 && length <= LONGEST_TOKEN_BYTES {
            index.add(token_hash(seed, &folded[..length]), number);
        }
        at += 1;
    }
}
