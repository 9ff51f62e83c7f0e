//! `text.idx`: which rows a token is in; `text.flt`: in which blocks of rows it may be.
//!
//! The values of fields that repeat are tokenised once each: for such a column the index tells which of its
//! distinct values hold a token, and the column itself tells the rows. What a row has besides those values is
//! tokenised with the row.

mod build;
mod filter;
mod interpolative;
mod inverted;

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use self::filter::Filters;
use self::interpolative::BitReader;
use self::inverted::{Found, Inverted};
use crate::error::{AtPath, Error, Result};
use crate::hash::hash;
use crate::limits::{LONGEST_TOKEN_BYTES, SMALL_SECTION_BYTES};

pub use self::build::Builder;

const MAGIC: &[u8; 8] = b"TLTEXT\x00\x02";

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
}

/// What tells where the tokens outside of the columns' values are.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Rest {
    Rows(Inverted),
    Blocks(Filters),
}

/// A column whose distinct values were tokenised, by their places in its dictionary.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct ColumnIndex {
    column: String,
    /// How many distinct values there are.
    distinct: u32,
    /// Not there beside filters: values are few, and are looked through.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    values: Option<Inverted>,
    /// What stands directly before the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    before: Option<Common>,
    /// All that stands between it and the value of the column listed before, in rows that have both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    between: Option<Common>,
    /// Rows whose value does not stand in their text as it is; their text was tokenised with the row.
    exceptions: usize,
    excepted: Section,
}

/// Words that texts have in common.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Common {
    words: Vec<String>,
    /// Rows for which that does not hold.
    strays: usize,
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
    pub codes: Vec<u32>,
    /// Rows whose value does not count.
    pub excepted: Vec<u32>,
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
}

/// A header longer than this is damage: it names each column once.
const LONGEST_HEADER_BYTES: u64 = 64 << 20;

impl TextIndex {
    /// Of a segment of so many rows.
    pub fn open(path: &Path, rows: u32) -> Result<TextIndex> {
        let mut body = Body::open(path, 0)?;
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
        let values = header.columns.iter().filter_map(|column| column.values.as_ref());
        let rest = if let Rest::Rows(rest) = &header.rest { Some(rest) } else { None };
        if header.rows != rows || !values.chain(rest).all(|inverted| inverted.suits(rows)) {
            return Err(body.damaged());
        }
        body.at = START_BYTES as u64 + length;
        Ok(TextIndex { header, body })
    }

    /// Rows whose text has this folded token; nothing is said of tokens too long to be indexed.
    pub fn rows(&self, token: &str) -> Result<Option<TokenRows>> {
        let Some(hash) = self.hash(token) else { return Ok(None) };
        let Found { sure, perhaps } = self.rest(hash)?;
        Ok(Some(TokenRows { sure, perhaps, columns: self.columns(hash)? }))
    }

    /// The same where it is a plain list: no value of a column may hold the token, and all rows that do are known.
    pub fn listed(&self, token: &str) -> Result<Option<Vec<u32>>> {
        let Some(hash) = self.hash(token) else { return Ok(None) };
        if !self.columns(hash)?.is_empty() {
            return Ok(None);
        }
        let Found { sure, perhaps } = self.rest(hash)?;
        Ok(perhaps.is_empty().then_some(sure))
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
            Ok(Known { words: &common.words, strays: self.numbers(common.strayed, common.strays)? })
        };
        common.map(known).transpose()
    }

    /// Rows that a section lists, so many of them.
    fn numbers(&self, section: Section, count: usize) -> Result<Vec<u32>> {
        let bytes = self.body.read(section, 0, section.bytes as usize)?;
        Ok(interpolative::read(&mut BitReader::new(&bytes), count, self.header.rows))
    }

    fn hash(&self, token: &str) -> Option<u64> {
        (token.len() <= LONGEST_TOKEN_BYTES).then(|| token_hash(self.header.seed, token.as_bytes()))
    }

    /// Rows by what they have besides the values of columns.
    fn rest(&self, hash: u64) -> Result<Found> {
        match &self.header.rest {
            Rest::Rows(rows) => self.found(rows, hash),
            Rest::Blocks(filters) => {
                let perhaps = filters.find(&self.body, hash, self.header.rows)?;
                Ok(Found { sure: Vec::new(), perhaps: perhaps.ok_or_else(|| self.body.damaged())? })
            }
        }
    }

    /// The columns with values that may hold a token.
    fn columns(&self, hash: u64) -> Result<Vec<ColumnCodes>> {
        let mut columns = Vec::new();
        for index in &self.header.columns {
            let codes: Vec<u32> = match &index.values {
                Some(values) => {
                    let Found { mut sure, perhaps } = self.found(values, hash)?;
                    sure.extend(perhaps);
                    sure
                }
                None => (0..index.distinct.min(self.header.rows)).collect(),
            };
            if codes.is_empty() {
                continue;
            }
            let excepted = self.numbers(index.excepted, index.exceptions)?;
            columns.push(ColumnCodes { column: index.column.clone(), codes, excepted });
        }
        Ok(columns)
    }

    fn found(&self, index: &Inverted, hash: u64) -> Result<Found> {
        index.find(&self.body, hash)?.ok_or_else(|| self.body.damaged())
    }

    /// Checks the file against its checksum.
    pub fn verify(&self) -> Result<()> {
        let mut file = File::open(&self.body.path).at_path(&self.body.path)?;
        file.seek(SeekFrom::Start(self.body.at)).at_path(&self.body.path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).at_path(&self.body.path)?;
        if crate::hex(&Sha256::digest(&bytes)) == self.header.sha256 {
            Ok(())
        } else {
            Err(self.body.damaged())
        }
    }
}

/// The hash a token is known by.
fn token_hash(seed: u64, folded: &[u8]) -> u64 {
    hash(seed, folded)
}

#[cfg(test)]
mod tests;
