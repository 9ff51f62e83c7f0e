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
    /// Bytes between the value before it and this one, as in the last row.
    gap: usize,
    /// Where it stood in the trial rows, summed, and how often it was there.
    place: (usize, usize),
    excepted: Vec<u32>,
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
            Values::Text { codes, texts } => {
                Some(Column { name, codes, texts, gap: 0, place: (0, 0), excepted: Vec::new() })
            }
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
                let (sum, times) = column.place;
                sum.checked_div(times).unwrap_or(usize::MAX)
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
            if let Some(place) =
                column.texts.get(code as usize).and_then(|value| place_of(raw, 0, value.as_bytes(), 0))
            {
                column.place = (column.place.0 + place, column.place.1 + 1);
            }
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
            columns.push(ColumnIndex {
                distinct,
                values,
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
    for column in columns {
        let Some(value) = column.texts.get(column.codes[row as usize] as usize) else { continue };
        let value = value.as_bytes();
        if value.is_empty() {
            continue;
        }
        match place_of(raw, at, value, column.gap) {
            Some(start) => {
                add_tokens(tokens, seed, row, &raw[at..start]);
                column.gap = start - at;
                at = start + value.len();
            }
            None => column.excepted.push(row),
        }
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
