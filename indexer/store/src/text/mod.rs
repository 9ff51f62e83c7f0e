//! Maps a token to row ids: the tantivy index of a segment in `text/` or, in the profile bloom, filters in
//! `text.3.flt` that name the blocks of rows that may contain it.
//!
//! Values of fields that repeat are tokenised once each: for such a column the index holds the codes of the
//! distinct values with a token, and the column itself has the rows. Only the text outside those values is
//! tokenised per row. A file of our own stores what tantivy has no place for: the list of these columns, the
//! words that always precede their values, and the checksums of all files.

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
use base::error::{AtPath, Error, Result};
use base::files::{self, EntryKind};
use base::hash::hash;
use base::limits::{LONGEST_TOKEN_BYTES, SMALL_SECTION_BYTES};

pub use self::build::{Built, IndexBuilder, IndexedValues};
pub use self::fuzzy::Fuzzy;
pub use self::part::{TermFilter, TokenPart};
pub use self::words::{WordCount, WordCounts};

const MAGIC: &[u8; 8] = b"TLTEXT\x00\x03";

/// Our own file in the folder of an index.
pub const COLUMNS_FILE: &str = "columns.idx";

/// True for the names of the files in the folder of an index: ours, and those of tantivy.
pub fn is_index_file(name: &str) -> bool {
    let endings = ["fast", "fieldnorm", "idx", "lock", "pos", "store", "temp", "term", "tmp"];
    ["meta.json", ".managed.json"].contains(&name)
        || name.rsplit_once('.').is_some_and(|(_, ending)| endings.contains(&ending))
}

/// The magic number, the length of the header and its SHA-256 come before the header.
const START_BYTES: usize = 48;

/// The sections follow the header.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Header {
    rows: u32,
    /// The seed of the token hash. It differs between indexes, so that no log can be crafted to collide.
    seed: u64,
    /// SHA-256 of everything after the header.
    sha256: String,
    columns: Vec<ColumnIndex>,
    rest: Rest,
    /// The trigrams of tokens without a term: hashed ids, and tokens too long for the index. Without it they
    /// may have any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    grams: Option<Section>,
}

/// How tokens outside the column values are stored.
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

/// A column whose distinct values are tokenised, by their indexes in its dictionary.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct ColumnIndex {
    column: String,
    /// The number of distinct values.
    distinct: u32,
    /// Absent in the bloom profile: there are few values, and they are scanned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    values: Option<Terms>,
    /// The smallest and the largest value of an integer column. A token that is one of them is a value, and
    /// the column itself has the rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    numbers: Option<(i64, i64)>,
    /// The text directly before the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    before: Option<CommonText>,
    /// The text between it and the value of the previous column, in rows that have both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    between: Option<CommonText>,
    /// Rows whose text does not contain the value as it is; their text was tokenised with the row.
    excepted: Section,
}

/// Words that texts have in common.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct CommonText {
    words: Vec<String>,
    /// Rows for which that is not true.
    strayed: Section,
}

/// A range of the file's bytes after the header.
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
    /// The length of the file. A damaged header that claims more is not trusted.
    bytes: u64,
    /// Small sections by their byte range in the file: a lookup reads dozens of them, and a system call for
    /// each would take longer than all else.
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

    /// A part of a section. A small section is read whole and cached.
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
        let file = files::open(path).at_path(path)?;
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

/// The result of a token lookup.
#[derive(Debug, Default)]
pub struct TokenPostings {
    /// Rows that have it, in order.
    pub exact: Vec<u32>,
    /// Rows that may also have it; no other row does.
    pub candidates: Vec<u32>,
    /// For each of these columns, the codes of the values that may contain it.
    pub columns: Vec<ColumnCodes>,
    /// The matching terms, if the lookup was for terms that pass a test.
    pub terms: Vec<String>,
}

impl TokenPostings {
    /// True if no row has it.
    #[must_use]
    pub fn is_nowhere(&self) -> bool {
        self.exact.is_empty() && self.candidates.is_empty() && self.columns.is_empty()
    }

    /// The cost of finding its rows, for ordering: a column is scanned as a whole, a posting list is read id
    /// by id.
    #[must_use]
    pub fn cost(&self) -> (usize, usize) {
        (self.columns.len(), self.exact.len() + self.candidates.len())
    }
}

#[derive(Debug)]
pub struct ColumnCodes {
    pub column: String,
    pub matching: TokenValues,
    /// Rows whose value does not count.
    pub excepted: Vec<u32>,
}

/// The values of a column that contain a token.
#[derive(Debug)]
pub enum TokenValues {
    /// Texts, by their codes.
    Codes(Vec<u32>),
    /// This number.
    Number(i64),
}

/// A column whose values follow those of the previous column in the text. This is true for rows that have the
/// values and are not exceptions.
#[derive(Debug)]
pub struct ColumnLayout<'a> {
    pub column: &'a str,
    /// Words directly before its value.
    pub before: Option<KnownWords<'a>>,
    /// All words between it and the value of the previous column.
    pub between: Option<KnownWords<'a>>,
}

#[derive(Debug)]
pub struct KnownWords<'a> {
    pub words: &'a [String],
    /// Rows for which the words are not known.
    pub strays: Vec<u32>,
}

/// The index of one segment, open for reading.
#[derive(Debug)]
pub struct TextIndex {
    header: Header,
    body: Body,
    /// `None` in the profile bloom.
    terms: Option<OpenIndex>,
    /// The word counts, computed on first use.
    words: Mutex<Option<Arc<WordCounts>>>,
}

/// A header longer than this is damage: it names each column once.
const LONGEST_HEADER_BYTES: u64 = 64 << 20;

impl TextIndex {
    /// Opens the file, or the folder, of a segment with this many rows.
    pub fn open(path: &Path, rows: u32) -> Result<TextIndex> {
        let folder = files::look(path).is_some_and(|entry| entry.kind == EntryKind::Folder).then_some(path);
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

    /// The rows whose text contains this folded token; `None` for tokens too long for the index.
    pub fn postings(&self, token: &str) -> Result<Option<TokenPostings>> {
        let Some(hash) = self.hash(token) else { return Ok(None) };
        let Postings { exact, candidates } = self.rest(token, hash)?;
        let columns = self.columns(token, hash)?;
        Ok(Some(TokenPostings { exact, candidates, columns, terms: Vec::new() }))
    }

    /// The bytes of what was read of it so far.
    pub fn read_bytes(&self) -> usize {
        self.terms.as_ref().map_or(0, OpenIndex::read_bytes)
    }

    /// True if it has a term dictionary.
    pub fn has_terms(&self) -> bool {
        self.terms.is_some()
    }

    /// The words of the segment, computed on first use.
    pub fn words(&self, make: impl FnOnce() -> Result<WordCounts>) -> Result<Arc<WordCounts>> {
        let mut kept = self.words.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(words) = kept.as_ref() {
            return Ok(Arc::clone(words));
        }
        let words = Arc::new(make()?);
        *kept = Some(Arc::clone(&words));
        Ok(words)
    }

    /// Calls `each` with every word outside column values, and its document frequency there.
    pub fn for_each_word(&self, each: &mut dyn FnMut(&str, u32)) -> Result<()> {
        let Some(index) = &self.terms else { return Ok(()) };
        index.for_each_rest_word(each).map_err(|error| self.unread(&error))
    }

    /// The columns whose values are indexed, and the rows whose value does not count.
    pub fn value_columns(&self) -> Result<Vec<(&str, Vec<u32>)>> {
        let with_values = self.header.columns.iter().filter(|column| column.values.is_some());
        with_values.map(|column| Ok((column.column.as_str(), self.numbers(column.excepted)?))).collect()
    }

    /// The rows that contain any of the fuzzy words; `None` if the index has no term dictionary.
    pub fn postings_of_similar_words(&self, words: &Fuzzy) -> Result<Option<TokenPostings>> {
        self.postings_of_matching_terms(words)
    }

    /// The rows with a token that contains this part, restricted to terms that pass `test` if there is one;
    /// `None` if a token without a term may contain it.
    pub fn postings_with_part(
        &self,
        part: &TokenPart,
        test: Option<TermFilter<'_>>,
    ) -> Result<Option<TokenPostings>> {
        let Some(grams) = self.header.grams.filter(|_| part.is_selective()) else { return Ok(None) };
        let grams = self.body.read(grams, 0, grams.bytes as usize)?;
        let grams = Grams::from_bytes(grams).ok_or_else(|| self.body.damaged())?;
        if grams.may_have(&part.text) {
            return Ok(None);
        }
        self.postings_of_matching_terms(&TermsWith { part, test })
    }

    /// The rows with a token that has a term and passes.
    fn postings_of_matching_terms(&self, test: &dyn TermTest) -> Result<Option<TokenPostings>> {
        let Some(index) = &self.terms else { return Ok(None) };
        let Matched { doc_ids: exact, mut terms } =
            index.rest_matching(test).map_err(|error| self.unread(&error))?;
        let mut columns = Vec::new();
        let with_values = self.header.columns.iter().filter(|column| column.values.is_some());
        for (place, column) in with_values.enumerate() {
            let matched = index.codes_matching(place, test).map_err(|error| self.unread(&error))?;
            let Some(matched) = matched.filter(|matched| !matched.doc_ids.is_empty()) else { continue };
            terms.extend(matched.terms);
            columns.push(ColumnCodes {
                column: column.column.clone(),
                matching: TokenValues::Codes(matched.doc_ids),
                excepted: self.numbers(column.excepted)?,
            });
        }
        terms.sort_unstable();
        terms.dedup();
        Ok(Some(TokenPostings { exact, candidates: Vec::new(), columns, terms }))
    }

    /// The exact posting list, if there is one: no column value can contain the token, and all of its rows
    /// are known.
    pub fn exact_posting_list(&self, token: &str) -> Result<Option<Vec<u32>>> {
        let Some(hash) = self.hash(token) else { return Ok(None) };
        if !self.columns(token, hash)?.is_empty() {
            return Ok(None);
        }
        let Postings { exact, candidates } = self.rest(token, hash)?;
        Ok(candidates.is_empty().then_some(exact))
    }

    /// The columns with tokenised values, in the order in which they occur in the text.
    pub fn column_layout(&self) -> Result<Vec<ColumnLayout<'_>>> {
        let mut column_layout = Vec::with_capacity(self.header.columns.len());
        for index in &self.header.columns {
            let (before, between) = (self.known(index.before.as_ref())?, self.known(index.between.as_ref())?);
            column_layout.push(ColumnLayout { column: &index.column, before, between });
        }
        Ok(column_layout)
    }

    fn known<'a>(&self, common: Option<&'a CommonText>) -> Result<Option<KnownWords<'a>>> {
        let known = |common: &'a CommonText| -> Result<KnownWords<'a>> {
            Ok(KnownWords { words: &common.words, strays: self.numbers(common.strayed)? })
        };
        common.map(known).transpose()
    }

    /// The row ids of a section.
    fn numbers(&self, section: Section) -> Result<Vec<u32>> {
        let bytes = self.body.read(section, 0, section.bytes as usize)?;
        Ok(lists::read(&bytes, self.header.rows))
    }

    fn hash(&self, token: &str) -> Option<u64> {
        (token.len() <= LONGEST_TOKEN_BYTES).then(|| hash(self.header.seed, token.as_bytes()))
    }

    /// The postings of the tokens outside column values.
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

    /// The columns with values that may contain a token.
    fn columns(&self, token: &str, hash: u64) -> Result<Vec<ColumnCodes>> {
        let mut columns = Vec::new();
        let number = number(token);
        let mut values = 0;
        for index in &self.header.columns {
            let matching = match (&self.terms, &index.values) {
                (Some(terms), Some(_)) => {
                    values += 1;
                    let codes = terms.codes(values - 1, token, hash);
                    TokenValues::Codes(codes.map_err(|error| self.unread(&error))?)
                }
                (Some(_), None) => {
                    let within = |number: &i64| {
                        index.numbers.is_some_and(|(least, most)| (least..=most).contains(number))
                    };
                    let Some(number) = number.filter(within) else { continue };
                    TokenValues::Number(number)
                }
                (None, _) => TokenValues::Codes((0..index.distinct.min(self.header.rows)).collect()),
            };
            if matches!(&matching, TokenValues::Codes(codes) if codes.is_empty()) {
                continue;
            }
            let excepted = self.numbers(index.excepted)?;
            columns.push(ColumnCodes { column: index.column.clone(), matching, excepted });
        }
        Ok(columns)
    }

    /// A file of the index cannot be read, or differs from what was written.
    fn unread(&self, error: &io::Error) -> Error {
        unread(&self.body.path, error)
    }

    /// Checks all files against their checksums.
    pub fn verify(&self) -> Result<()> {
        let mut file = files::open(&self.body.path).at_path(&self.body.path)?;
        file.seek(SeekFrom::Start(self.body.at)).at_path(&self.body.path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).at_path(&self.body.path)?;
        if base::hex(&Sha256::digest(&bytes)) != self.header.sha256 {
            return Err(self.body.damaged());
        }
        self.terms.as_ref().map_or(Ok(()), OpenIndex::verify)
    }
}

/// The number whose usual spelling is this token.
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
