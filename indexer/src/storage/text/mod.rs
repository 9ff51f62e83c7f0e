//! Which rows a token is in: the tantivy index of a segment in `text/`, or, in the profile bloom, filters in `text.3.flt`
//! that say in which blocks of rows it may be.
//!
//! The values of fields that repeat are tokenised once each: for such a column the index has the codes of the distinct
//! values with a token, and the column itself has the rows. What a row has besides those values is tokenised with the
//! row. Beside either stands a file of our own, with what tantivy has no place for: which columns these are, the words that
//! always precede their values, and the checksums of all files.

mod build;
mod checked;
mod collect;
mod filter;
mod fuzzy;
mod grams;
mod lists;
mod part;
mod terms;
mod union;
mod words;

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use self::checked::Checksums;
use self::filter::Filters;
use self::grams::Grams;
use self::part::TermsWith;
use self::terms::{Matched, OpenIndex, Postings, TermTest, Terms};
use crate::error::{AtPath, Error, Result};
use crate::hash::hash;
use crate::limits::{LONGEST_TOKEN_BYTES, SMALL_SECTION_BYTES};

pub use self::build::{Builder, Built};
pub use self::fuzzy::Fuzzy;
pub use self::part::{TermFilter, TokenPart};
pub use self::words::{WordCount, WordCounts};

const MAGIC: &[u8; 8] = b"TLTEXT\x00\x03";

/// The file of our own in the folder of an index.
pub const COLUMNS_FILE: &str = "columns.idx";

/// The magic number, the header's length and the header's SHA-256 stand before the header.
const START_BYTES: usize = 48;

/// The sections follow the header.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Header {
    rows: u32,
    /// Of the hash of tokens. It differs from index to index, so that no log can be made to collide.
    seed: u64,
    /// SHA-256 of everything behind the header.
    sha256: String,
    columns: Vec<ColumnIndex>,
    rest: Rest,
    /// Which runs of three bytes the tokens without a term have: hashed ids, and tokens too long to be indexed. Where it is
    /// not there, they may have any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    grams: Option<Section>,
}

/// What tells where the tokens outside of the columns' values are.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Rest {
    Terms(TermsRest),
    Blocks(Filters),
}

/// A tantivy index in the same folder.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct TermsRest {
    terms: Terms,
    files: Vec<IndexFile>,
}

/// A file of the tantivy index.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct IndexFile {
    name: String,
    bytes: u64,
    /// A checksum for every chunk of it (8 bytes).
    checksums: Section,
}

/// A column whose distinct values were tokenised, by their places in its dictionary.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct ColumnIndex {
    column: String,
    /// How many distinct values there are.
    distinct: u32,
    /// Not there beside filters: values are few, and are looked through.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    values: Option<Terms>,
    /// The smallest and largest of a column of whole numbers. A token that is one of them is a value there, and the column
    /// itself has the rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    numbers: Option<(i64, i64)>,
    /// What stands directly before the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    before: Option<Common>,
    /// All that stands between it and the value of the column listed before, in rows that have both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    between: Option<Common>,
    /// Rows whose value does not stand in their text as it is; their text was tokenised with the row.
    excepted: Section,
}

/// Words that texts have in common.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Common {
    words: Vec<String>,
    /// Rows for which that does not hold.
    strayed: Section,
}

/// A run of the file's bytes behind the header.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Section {
    at: u64,
    bytes: u64,
}

fn section(bytes: &mut Vec<u8>, content: &[u8]) -> Section {
    let at = bytes.len() as u64;
    bytes.extend_from_slice(content);
    Section { at, bytes: content.len() as u64 }
}

/// The sections of an index on disk.
#[derive(Debug)]
struct Body {
    path: PathBuf,
    disk: Mutex<Disk>,
    /// Where the sections begin.
    at: u64,
}

#[derive(Debug)]
struct Disk {
    file: File,
    /// What a damaged header claims beyond it is not believed.
    bytes: u64,
    /// Small sections, by where they begin and end in the file: a token is looked for in dozens of them, and to ask the
    /// system for each takes longer than all else.
    small: HashMap<(u64, u64), Vec<u8>>,
}

impl Disk {
    fn read(&mut self, part: Range<u64>) -> io::Result<Vec<u8>> {
        if part.end > self.bytes {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut read = vec![0; (part.end - part.start) as usize];
        self.file.seek(SeekFrom::Start(part.start))?;
        self.file.read_exact(&mut read)?;
        Ok(read)
    }

    /// A part of a section, which is read whole where it is small and kept.
    fn part(&mut self, section: Range<u64>, part: Range<u64>) -> io::Result<Vec<u8>> {
        if section.end - section.start > SMALL_SECTION_BYTES {
            return self.read(part);
        }
        let key = (section.start, section.end);
        if !self.small.contains_key(&key) {
            let read = self.read(section.clone())?;
            self.small.insert(key, read);
        }
        let within = (part.start - section.start) as usize..(part.end - section.start) as usize;
        let kept = self.small.get(&key).and_then(|kept| kept.get(within));
        Ok(kept.map(<[u8]>::to_vec).unwrap_or_default())
    }
}

impl Body {
    fn open(path: &Path, at: u64) -> Result<Body> {
        let file = File::open(path).at_path(path)?;
        let disk = Disk { bytes: file.metadata().at_path(path)?.len(), file, small: HashMap::new() };
        Ok(Body { path: path.to_path_buf(), disk: Mutex::new(disk), at })
    }

    fn read(&self, section: Section, from: usize, length: usize) -> Result<Vec<u8>> {
        if length == 0 {
            return Ok(Vec::new());
        }
        let start = self.at.checked_add(section.at).ok_or_else(|| self.damaged())?;
        let end = start.checked_add(section.bytes).ok_or_else(|| self.damaged())?;
        let from = start.saturating_add(from as u64);
        let part = from..from.saturating_add(length as u64);
        if part.end > end {
            return Err(self.damaged());
        }
        let mut disk = self.disk.lock().unwrap_or_else(PoisonError::into_inner);
        match disk.part(start..end, part) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(self.damaged()),
            read => read.at_path(&self.path),
        }
    }

    fn damaged(&self) -> Error {
        Error::damaged(&self.path, "the text index cannot be read")
            .hint("delete this file: searches then read the text itself")
    }
}

/// What an index answers for one token.
#[derive(Debug, Default)]
pub struct TokenRows {
    /// Rows that have it, in order.
    pub sure: Vec<u32>,
    /// Rows that may have it too; no other row does.
    pub perhaps: Vec<u32>,
    /// For each of these columns, the codes of the values that may hold it.
    pub columns: Vec<ColumnCodes>,
    /// The terms that led to them, where not one was asked for but those that pass a test.
    pub terms: Vec<String>,
}

impl TokenRows {
    /// Whether no row has it.
    pub fn is_nowhere(&self) -> bool {
        self.sure.is_empty() && self.perhaps.is_empty() && self.columns.is_empty()
    }

    /// What it costs to find its rows, to be compared: a column is gone through as a whole, of a list each number.
    pub fn cost(&self) -> (usize, usize) {
        (self.columns.len(), self.sure.len() + self.perhaps.len())
    }
}

#[derive(Debug)]
pub struct ColumnCodes {
    pub column: String,
    pub having: Having,
    /// Rows whose value does not count.
    pub excepted: Vec<u32>,
}

/// What values of a column have a token.
#[derive(Debug)]
pub enum Having {
    /// Texts, by their codes.
    Codes(Vec<u32>),
    /// This number.
    Number(i64),
}

/// A column whose values stand in the text behind those of the column listed before. What is told holds for rows that
/// have the values and are not excepted.
#[derive(Debug)]
pub struct Standing<'a> {
    pub column: &'a str,
    /// Words directly before its value.
    pub before: Option<Known<'a>>,
    /// All words between it and the value of the column before.
    pub between: Option<Known<'a>>,
}

#[derive(Debug)]
pub struct Known<'a> {
    pub words: &'a [String],
    /// Rows for which it is not known.
    pub strays: Vec<u32>,
}

/// The index of one segment, open for reading.
#[derive(Debug)]
pub struct TextIndex {
    header: Header,
    body: Body,
    /// Nothing in the profile bloom.
    terms: Option<OpenIndex>,
    /// The words, once they were asked for.
    words: Mutex<Option<Arc<WordCounts>>>,
}

/// A header longer than this is damage: it names each column once.
const LONGEST_HEADER_BYTES: u64 = 64 << 20;

impl TextIndex {
    /// The file, or the folder, of a segment of so many rows.
    pub fn open(path: &Path, rows: u32) -> Result<TextIndex> {
        let folder = path.is_dir().then_some(path);
        let file = folder.map_or_else(|| path.to_path_buf(), |folder| folder.join(COLUMNS_FILE));
        let mut body = Body::open(&file, 0)?;
        let start = body.read(Section { at: 0, bytes: START_BYTES as u64 }, 0, START_BYTES)?;
        let (magic, rest) = start.split_at(8);
        let (length, hash) = rest.split_at(8);
        let length = length.iter().rev().fold(0_u64, |length, &byte| length << 8 | u64::from(byte));
        if magic != MAGIC || length > LONGEST_HEADER_BYTES {
            return Err(body.damaged());
        }
        let header = body.read(Section { at: START_BYTES as u64, bytes: length }, 0, length as usize)?;
        if Sha256::digest(&header).as_slice() != hash {
            return Err(body.damaged());
        }
        let header: Header = serde_json::from_slice(&header).map_err(|_| body.damaged())?;
        if header.rows != rows {
            return Err(body.damaged());
        }
        body.at = START_BYTES as u64 + length;
        let terms = match (&header.rest, folder) {
            (Rest::Blocks(_), None) => None,
            (Rest::Terms(rest), Some(folder)) => Some(open_terms(folder, &header, rest, &body)?),
            _ => return Err(body.damaged()),
        };
        Ok(TextIndex { header, body, terms, words: Mutex::default() })
    }

    /// Rows whose text has this folded token; nothing is said of tokens too long to be indexed.
    pub fn rows(&self, token: &str) -> Result<Option<TokenRows>> {
        let Some(hash) = self.hash(token) else { return Ok(None) };
        let Postings { exact, candidates } = self.rest(token, hash)?;
        let columns = self.columns(token, hash)?;
        Ok(Some(TokenRows { sure: exact, perhaps: candidates, columns, terms: Vec::new() }))
    }

    /// Whether it has a dictionary of terms.
    pub fn has_terms(&self) -> bool {
        self.terms.is_some()
    }

    /// The words of the segment, which are put together when they are first asked for.
    pub fn words(&self, make: impl FnOnce() -> Result<WordCounts>) -> Result<Arc<WordCounts>> {
        let mut kept = self.words.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(words) = kept.as_ref() {
            return Ok(Arc::clone(words));
        }
        let words = Arc::new(make()?);
        *kept = Some(Arc::clone(&words));
        Ok(words)
    }

    /// Calls `each` with every word outside of the values of columns, and how many rows have it there.
    pub fn for_each_word(&self, each: &mut dyn FnMut(&str, u32)) -> Result<()> {
        let Some(index) = &self.terms else { return Ok(()) };
        index.for_each_rest_word(each).map_err(|error| self.unread(&error))
    }

    /// The columns whose values' tokens are indexed, and the rows whose value does not count.
    pub fn value_columns(&self) -> Result<Vec<(&str, Vec<u32>)>> {
        let with_values = self.header.columns.iter().filter(|column| column.values.is_some());
        with_values.map(|column| Ok((column.column.as_str(), self.numbers(column.excepted)?))).collect()
    }

    /// Rows whose text has any of the words; nothing where the index has no dictionary of terms.
    pub fn rows_with_words(&self, words: &Fuzzy) -> Result<Option<TokenRows>> {
        self.rows_matching(words)
    }

    /// Rows whose text has a token with this part, of those terms only that pass a test where there is one; nothing where a
    /// token without a term may have it.
    pub fn rows_with_part(
        &self,
        part: &TokenPart,
        test: Option<TermFilter<'_>>,
    ) -> Result<Option<TokenRows>> {
        let Some(grams) = self.header.grams.filter(|_| part.is_telling()) else { return Ok(None) };
        let grams = self.body.read(grams, 0, grams.bytes as usize)?;
        let grams = Grams::from_bytes(grams).ok_or_else(|| self.body.damaged())?;
        if grams.may_have(&part.text) {
            return Ok(None);
        }
        self.rows_matching(&TermsWith { part, test })
    }

    /// Rows whose text has a token that has a term and passes.
    fn rows_matching(&self, test: &dyn TermTest) -> Result<Option<TokenRows>> {
        let Some(index) = &self.terms else { return Ok(None) };
        let Matched { numbers: sure, mut terms } =
            index.rest_matching(test).map_err(|error| self.unread(&error))?;
        let mut columns = Vec::new();
        let with_values = self.header.columns.iter().filter(|column| column.values.is_some());
        for (place, column) in with_values.enumerate() {
            let matched = index.codes_matching(place, test).map_err(|error| self.unread(&error))?;
            let Some(matched) = matched.filter(|matched| !matched.numbers.is_empty()) else { continue };
            terms.extend(matched.terms);
            columns.push(ColumnCodes {
                column: column.column.clone(),
                having: Having::Codes(matched.numbers),
                excepted: self.numbers(column.excepted)?,
            });
        }
        terms.sort_unstable();
        terms.dedup();
        Ok(Some(TokenRows { sure, perhaps: Vec::new(), columns, terms }))
    }

    /// The same where it is a plain list: no value of a column may hold the token, and all rows that do are known.
    pub fn listed(&self, token: &str) -> Result<Option<Vec<u32>>> {
        let Some(hash) = self.hash(token) else { return Ok(None) };
        if !self.columns(token, hash)?.is_empty() {
            return Ok(None);
        }
        let Postings { exact, candidates } = self.rest(token, hash)?;
        Ok(candidates.is_empty().then_some(exact))
    }

    /// The columns whose values were tokenised once each.
    pub fn standing(&self) -> Result<Vec<Standing<'_>>> {
        let mut standing = Vec::with_capacity(self.header.columns.len());
        for index in &self.header.columns {
            let (before, between) = (self.known(index.before.as_ref())?, self.known(index.between.as_ref())?);
            standing.push(Standing { column: &index.column, before, between });
        }
        Ok(standing)
    }

    fn known<'a>(&self, common: Option<&'a Common>) -> Result<Option<Known<'a>>> {
        let known = |common: &'a Common| -> Result<Known<'a>> {
            Ok(Known { words: &common.words, strays: self.numbers(common.strayed)? })
        };
        common.map(known).transpose()
    }

    /// Rows that a section lists.
    fn numbers(&self, section: Section) -> Result<Vec<u32>> {
        let bytes = self.body.read(section, 0, section.bytes as usize)?;
        Ok(lists::read(&bytes, self.header.rows))
    }

    fn hash(&self, token: &str) -> Option<u64> {
        (token.len() <= LONGEST_TOKEN_BYTES).then(|| hash(self.header.seed, token.as_bytes()))
    }

    /// Rows by what they have besides the values of columns.
    fn rest(&self, token: &str, hash: u64) -> Result<Postings> {
        match (&self.header.rest, &self.terms) {
            (Rest::Blocks(filters), _) => {
                let candidates = filters.find(&self.body, hash, self.header.rows)?;
                let candidates = candidates.ok_or_else(|| self.body.damaged())?;
                Ok(Postings { exact: Vec::new(), candidates })
            }
            (Rest::Terms(_), Some(terms)) => terms.rest(token, hash).map_err(|error| self.unread(&error)),
            (Rest::Terms(_), None) => Err(self.body.damaged()),
        }
    }

    /// The columns with values that may hold a token.
    fn columns(&self, token: &str, hash: u64) -> Result<Vec<ColumnCodes>> {
        let mut columns = Vec::new();
        let number = number(token);
        let mut values = 0;
        for index in &self.header.columns {
            let having = match (&self.terms, &index.values) {
                (Some(terms), Some(_)) => {
                    values += 1;
                    let codes = terms.codes(values - 1, token, hash);
                    Having::Codes(codes.map_err(|error| self.unread(&error))?)
                }
                (Some(_), None) => {
                    let within = |number: &i64| {
                        index.numbers.is_some_and(|(least, most)| (least..=most).contains(number))
                    };
                    let Some(number) = number.filter(within) else { continue };
                    Having::Number(number)
                }
                (None, _) => Having::Codes((0..index.distinct.min(self.header.rows)).collect()),
            };
            if matches!(&having, Having::Codes(codes) if codes.is_empty()) {
                continue;
            }
            let excepted = self.numbers(index.excepted)?;
            columns.push(ColumnCodes { column: index.column.clone(), having, excepted });
        }
        Ok(columns)
    }

    /// A file of the index cannot be read, or is not as it was written.
    fn unread(&self, error: &io::Error) -> Error {
        unread(&self.body.path, error)
    }

    /// Checks all files against their checksums.
    pub fn verify(&self) -> Result<()> {
        let mut file = File::open(&self.body.path).at_path(&self.body.path)?;
        file.seek(SeekFrom::Start(self.body.at)).at_path(&self.body.path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).at_path(&self.body.path)?;
        if crate::hex(&Sha256::digest(&bytes)) != self.header.sha256 {
            return Err(self.body.damaged());
        }
        self.terms.as_ref().map_or(Ok(()), OpenIndex::verify)
    }
}

/// The number that a token is the usual text of.
fn number(token: &str) -> Option<i64> {
    let number: i64 = token.parse().ok()?;
    (token == "0" || token.bytes().all(|byte| byte.is_ascii_digit()) && !token.starts_with('0'))
        .then_some(number)
}

fn open_terms(folder: &Path, header: &Header, rest: &TermsRest, body: &Body) -> Result<OpenIndex> {
    let mut files = HashMap::new();
    for file in &rest.files {
        let chunks = body.read(file.checksums, 0, file.checksums.bytes as usize)?;
        let chunks = chunks.as_chunks().0.iter().map(|chunk| u64::from_le_bytes(*chunk)).collect();
        let checksums = Checksums::new(file.name.clone(), header.seed, file.bytes, chunks);
        let checksums = checksums.ok_or_else(|| body.damaged())?;
        files.insert(PathBuf::from(&file.name), Arc::new(checksums));
    }
    let columns: Vec<&Terms> = header.columns.iter().filter_map(|column| column.values.as_ref()).collect();
    let universes = columns.iter().copied().chain([&rest.terms]);
    if !universes.into_iter().all(|terms| terms.suits(header.rows)) {
        return Err(body.damaged());
    }
    OpenIndex::open(folder, files, &rest.terms, columns.into_iter())
        .map_err(|error| unread(folder, &io::Error::other(error.to_string())))
}

fn unread(path: &Path, error: &io::Error) -> Error {
    Error::damaged(path, format!("the text index cannot be read: {error}"))
        .hint("delete the folder it is in: searches then read the text itself")
}

#[cfg(test)]
mod tests;
