//! Builds the text index of a segment, row by row.

use ingest::NO_INT;
use memchr::memmem;
use sha2::{Digest, Sha256};
use tantivy::directory::OwnedBytes;

use super::checked::checksums;
use super::collect::Collector;
use super::filter::FiltersBuilder;
use super::grams::GramCounts;
use super::terms::{self, Terms};
use super::{COLUMNS_FILE, ColumnIndex, Header, IndexFile, MAGIC, TermsRest, lists, section};
use crate::parquet::{NO_CODE, Texts, Values};
use base::error::{Error, Result};
use base::hash;
use base::limits::LONGEST_TOKEN_BYTES;
use base::tokens;

/// Rows that are sampled to learn the order of the column values in a line.
const TRIAL_ROWS: u32 = 32;

/// The text before a value is not indexed if it has more words than this: nobody searches for such a long
/// phrase.
const WORDS_BEFORE: usize = 32;

/// At most one row in this many may have different text before a value.
const ROWS_A_STRAY: usize = 16;

/// Collects the tokens of a segment.
pub struct IndexBuilder {
    seed: u64,
    rest: OtherTokens,
    columns: Vec<IndexedColumn>,
}

/// The index of the tokens outside column values.
enum OtherTokens {
    /// With the trigrams of the tokens without a term, those of columns too.
    Rows(Collector, GramCounts),
    Blocks(FiltersBuilder),
}

/// The built index: one file, or the files of a folder by name.
pub enum Built {
    File(Vec<u8>),
    Folder(Vec<(String, OwnedBytes)>),
}

/// Receives a folded token and the row id or code that contains it.
trait Tokens {
    fn add(&mut self, token: &[u8], number: u32);

    /// Receives a folded token that is too long for the index.
    fn add_long(&mut self, token: &[u8]);
}

/// A collector, and the trigrams of the tokens without a term.
struct Collecting<'c>(&'c mut Collector, &'c mut GramCounts);

impl Tokens for Collecting<'_> {
    #[inline]
    fn add(&mut self, token: &[u8], number: u32) {
        self.0.add(token, number, self.1);
    }

    fn add_long(&mut self, token: &[u8]) {
        self.1.add(token);
    }
}

impl Tokens for FiltersBuilder {
    #[inline]
    fn add(&mut self, token: &[u8], number: u32) {
        FiltersBuilder::add(self, token, number);
    }

    fn add_long(&mut self, _: &[u8]) {}
}

/// A column whose distinct values are tokenised once each.
struct IndexedColumn {
    name: String,
    values: IndexedValues,
    /// The smallest and the largest number.
    numbers: Option<(i64, i64)>,
    /// Bytes between the previous value and this one, as in the last rows.
    gap: usize,
    /// The gap was different in the last row.
    has_missed: bool,
    /// The first hits of its values in the sampled rows. The hit of a short value may be too early; most are
    /// not.
    places: Vec<usize>,
    /// The text before its values.
    before: SharedText,
    /// The text between the value of the previous column and its own.
    between: SharedText,
    excepted: Vec<u32>,
}

/// The values of a column that are tokenised once each.
pub enum IndexedValues {
    Texts { codes: RowValues<u32>, texts: Texts },
    Numbers(RowValues<i64>),
}

/// One row in this many or fewer have a value of a column that is kept by row.
const FEW_VALUES: usize = 4;

/// The values of a column, as long as rows are added. A log may have hundreds of columns that few events have.
pub enum RowValues<T> {
    All(Vec<T>),
    /// With their rows; the next one is known.
    Few {
        rows: Vec<u32>,
        values: Vec<T>,
        next: usize,
    },
}

impl<T: Copy + PartialEq> RowValues<T> {
    fn new(mut all: Vec<T>, missing: T) -> RowValues<T> {
        let is_there = |value: &T| *value != missing;
        let count = all.iter().copied().filter(is_there).count();
        if count * FEW_VALUES > all.len() {
            all.shrink_to_fit();
            return RowValues::All(all);
        }
        let (mut rows, mut values) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for (row, value) in (0..).zip(all).filter(|(_, value)| is_there(value)) {
            rows.push(row);
            values.push(value);
        }
        RowValues::Few { rows, values, next: 0 }
    }

    fn values(&self) -> &[T] {
        match self {
            RowValues::All(values) | RowValues::Few { values, .. } => values,
        }
    }

    /// The value of a row. Rows must come in order.
    #[inline]
    fn value(&mut self, row: u32) -> Option<T> {
        match self {
            RowValues::All(values) => values.get(row as usize).copied(),
            RowValues::Few { rows, values, next } => {
                while *rows.get(*next)? < row {
                    *next += 1;
                }
                (rows[*next] == row).then(|| values[*next])
            }
        }
    }
}

/// The digits of a number of 64 bits.
type Digits = [u8; 20];

impl IndexedValues {
    /// Nothing of a column whose values are indexed with their row.
    pub fn new(values: Values) -> Option<IndexedValues> {
        match values {
            Values::Text { codes, texts } => {
                Some(IndexedValues::Texts { codes: RowValues::new(codes, NO_CODE), texts })
            }
            Values::Int(numbers) => Some(IndexedValues::Numbers(RowValues::new(numbers, NO_INT))),
            _ => None,
        }
    }

    /// The value of a row in its usual spelling. Empty if it is missing, and for negative numbers, because a
    /// sign is not part of a token. Rows must come in order.
    #[inline]
    fn text<'v>(&'v mut self, row: u32, digits: &'v mut Digits) -> &'v [u8] {
        match self {
            IndexedValues::Texts { codes, texts } => {
                let text = codes.value(row).and_then(|code| texts.get(code as usize));
                text.unwrap_or_default().as_bytes()
            }
            IndexedValues::Numbers(numbers) => match numbers.value(row).map(u64::try_from) {
                Some(Ok(number)) => decimal(number, digits),
                _ => &[],
            },
        }
    }

    /// Gives back what only rows needed.
    fn close(&mut self) {
        match self {
            IndexedValues::Texts { codes, .. } => *codes = RowValues::All(Vec::new()),
            IndexedValues::Numbers(numbers) => *numbers = RowValues::All(Vec::new()),
        }
    }

    /// The smallest and the largest of numbers that have a text.
    fn numbers(&self) -> Option<(i64, i64)> {
        let IndexedValues::Numbers(numbers) = self else { return None };
        let present = || numbers.values().iter().copied().filter(|&number| number >= 0);
        Some((present().min()?, present().max()?))
    }
}

fn decimal(mut number: u64, digits: &mut Digits) -> &[u8] {
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            return &digits[first..];
        }
    }
}

impl IndexedColumn {
    /// A single odd row does not change the gap.
    #[inline]
    fn update_gap(&mut self, gap: usize) {
        let is_other = gap != self.gap;
        if is_other && self.has_missed {
            self.gap = gap;
        }
        self.has_missed = is_other && !self.has_missed;
    }
}

/// The text that all but a few rows have in common.
#[derive(Default)]
struct SharedText {
    /// `None` until there was a text.
    text: Option<Vec<u8>>,
    /// Rows have different text before it.
    is_part: bool,
    rows: usize,
    strays: Vec<u32>,
}

impl SharedText {
    /// Adds the text of a row. If `suffix_suffices`, only the end of the text must be the same.
    #[inline]
    fn add(&mut self, row: u32, text: &[u8], suffix_suffices: bool) {
        let common = self.text.get_or_insert_with(|| text.to_vec());
        self.rows += 1;
        let is_longer = text.len() > common.len();
        if text.ends_with(common) && (suffix_suffices || !is_longer) {
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

    /// The words of the shared text; `None` if they are not worth storing.
    fn finish(self, body: &mut Vec<u8>) -> Option<super::CommonText> {
        let text = self.text?;
        // A suffix may begin inside a word.
        let is_cut = self.is_part && text.first().is_some_and(|&byte| tokens::is_token_byte(byte));
        let ranges = tokens::ranges(&text).skip(usize::from(is_cut));
        let words: Vec<_> = ranges.map(|(start, end)| tokens::fold(&text[start..end]).into_owned()).collect();
        if words.len() > WORDS_BEFORE {
            return None;
        }
        Some(super::CommonText { words, strayed: section(body, &lists::write(&self.strays)) })
    }
}

impl IndexBuilder {
    /// Builds a tantivy index. The columns are those that repeat their text.
    pub fn for_index(columns: Vec<(String, IndexedValues)>) -> IndexBuilder {
        let seed = hash::seed();
        let collector = Collector::new(seed, usize::MAX);
        Self::new(seed, OtherTokens::Rows(collector, GramCounts::default()), columns)
    }

    /// Builds filters, with the same columns.
    pub fn for_filters(columns: Vec<(String, IndexedValues)>) -> IndexBuilder {
        let seed = hash::seed();
        Self::new(seed, OtherTokens::Blocks(FiltersBuilder::new(seed)), columns)
    }

    fn new(seed: u64, rest: OtherTokens, columns: Vec<(String, IndexedValues)>) -> IndexBuilder {
        let columns = columns.into_iter().map(|(name, values)| IndexedColumn {
            name,
            numbers: values.numbers(),
            values,
            gap: 0,
            has_missed: false,
            places: Vec::new(),
            before: SharedText::default(),
            between: SharedText::default(),
            excepted: Vec::new(),
        });
        IndexBuilder { seed, rest, columns: columns.collect() }
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
        let IndexBuilder { rest, columns, .. } = self;
        match rest {
            OtherTokens::Rows(rows, grams) => add_row(&mut Collecting(rows, grams), columns, row, raw),
            OtherTokens::Blocks(blocks) => add_row(blocks, columns, row, raw),
        }
    }

    fn try_row(&mut self, row: u32, raw: &[u8]) {
        for column in &mut self.columns {
            let mut digits = Digits::default();
            let value = column.values.text(row, &mut digits);
            if value.is_empty() {
                continue;
            }
            column.excepted.push(row);
            column.places.extend(place_of(raw, 0, value, 0));
        }
        match &mut self.rest {
            OtherTokens::Rows(rows, grams) => add_tokens(&mut Collecting(rows, grams), row, raw),
            OtherTokens::Blocks(blocks) => add_tokens(blocks, row, raw),
        }
    }

    /// The files of the index, or of the filters.
    pub fn finish(mut self, rows: u32) -> Result<Built> {
        let mut body = Vec::new();
        let mut columns = std::mem::take(&mut self.columns);
        for column in &mut columns {
            column.values.close();
        }
        let seed = self.seed;
        let header = |rest, columns, grams, body: &[u8]| Header {
            rows,
            seed,
            sha256: base::hex(&Sha256::digest(body)),
            columns,
            rest,
            grams,
        };
        match self.rest {
            OtherTokens::Rows(mut rest, mut grams) => {
                rest.finish(&mut grams);
                let mut values: Vec<(Collector, u32)> = Vec::new();
                for column in &columns {
                    let IndexedValues::Texts { texts, .. } = &column.values else { continue };
                    let mut collector = Collector::new(seed, texts.len());
                    for (code, text) in texts.iter().enumerate() {
                        add_tokens(&mut Collecting(&mut collector, &mut grams), code as u32, text.as_bytes());
                    }
                    collector.finish(&mut grams);
                    values.push((collector, texts.len() as u32));
                }
                let mut index = terms::write(&rest, rows, &values)?;
                drop((rest, values));
                let mut files = Vec::with_capacity(index.files.len());
                for (name, bytes) in &index.files {
                    let checksums: Vec<u8> = checksums(seed, bytes).flat_map(u64::to_le_bytes).collect();
                    let checksums = section(&mut body, &checksums);
                    files.push(IndexFile { name: name.clone(), bytes: bytes.len() as u64, checksums });
                }
                let columns = finish_columns(columns, index.columns.into_iter(), &mut body);
                let grams = Some(section(&mut body, grams.grams().bytes()));
                let rest = super::Rest::Terms(TermsRest { terms: index.rest, files });
                let file = file_of(&header(rest, columns, grams, &body), &body)?;
                // The file that completes the index is written last.
                index.files.push((COLUMNS_FILE.to_owned(), OwnedBytes::new(file)));
                Ok(Built::Folder(index.files))
            }
            OtherTokens::Blocks(blocks) => {
                let columns = finish_columns(columns, std::iter::empty(), &mut body);
                let rest = super::Rest::Blocks(blocks.write(rows, &mut body));
                file_of(&header(rest, columns, None, &body), &body).map(Built::File)
            }
        }
    }
}

/// The index of columns, with the sections of the tokens of their text values.
fn finish_columns(
    columns: Vec<IndexedColumn>,
    mut values: impl Iterator<Item = Terms>,
    body: &mut Vec<u8>,
) -> Vec<ColumnIndex> {
    let finish = |column: IndexedColumn| {
        let excepted = section(body, &lists::write(&column.excepted));
        // A value with no shared text before it, or with none known, counts as having none.
        let before = column.before.finish(body).filter(|before| !before.words.is_empty());
        let is_whole = !column.between.is_part;
        let between = column.between.finish(body).filter(|_| is_whole);
        let numbers = column.numbers;
        let (distinct, values) = match &column.values {
            IndexedValues::Texts { texts, .. } => (texts.len() as u32, values.next()),
            IndexedValues::Numbers(_) => (0, None),
        };
        ColumnIndex { distinct, values, numbers, before, between, column: column.name, excepted }
    };
    columns.into_iter().map(finish).collect()
}

/// A file with a header before its sections.
fn file_of(header: &Header, body: &[u8]) -> Result<Vec<u8>> {
    let header = serde_json::to_vec(header)
        .map_err(|error| Error::new(base::ErrorKind::Internal, error.to_string()))?;
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&(header.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&Sha256::digest(&header));
    bytes.extend_from_slice(&header);
    bytes.extend_from_slice(body);
    Ok(bytes)
}

/// Adds the tokens of a row that are outside the values of its columns.
fn add_row(tokens: &mut impl Tokens, columns: &mut [IndexedColumn], row: u32, raw: &[u8]) {
    let mut at = 0;
    let mut is_between = false;
    for column in columns {
        let mut digits = Digits::default();
        let value = column.values.text(row, &mut digits);
        if value.is_empty() {
            is_between = false;
            continue;
        }
        let place = place_of(raw, at, value, column.gap);
        if let Some(start) = place {
            add_tokens(tokens, row, &raw[at..start]);
            column.before.add(row, &raw[at..start], true);
            if is_between {
                column.between.add(row, &raw[at..start], false);
            }
            let end = start + value.len();
            column.update_gap(start - at);
            at = end;
        } else {
            column.excepted.push(row);
        }
        is_between = place.is_some();
    }
    add_tokens(tokens, row, &raw[at..]);
}

/// The position of a value in a line, from a position on, such that its tokens are tokens of the line. The
/// search starts at the gap of the previous row.
fn place_of(raw: &[u8], from: usize, value: &[u8], gap: usize) -> Option<usize> {
    let is_at = |start: usize| is_cut(raw, start) && is_cut(raw, start + value.len());
    let guess = from + gap;
    if raw.get(guess..).is_some_and(|rest| rest.starts_with(value)) && is_at(guess) {
        return Some(guess);
    }
    memmem::find_iter(raw.get(from..)?, value).map(|place| from + place).find(|&place| is_at(place))
}

/// True if no token spans this position.
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

/// Adds the tokens of a text, exactly as [`tokens::ranges`] and [`tokens::fold`] define them.
fn add_tokens(index: &mut impl Tokens, number: u32, text: &[u8]) {
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
                index.add(folded.as_bytes(), number);
            } else {
                index.add_long(folded.as_bytes());
            }
            continue;
        }
        if length > 0 && length <= LONGEST_TOKEN_BYTES {
            index.add(&folded[..length], number);
        } else if length > 0 {
            index.add_long(&text[start..at].to_ascii_lowercase());
        }
        at += 1;
    }
}
