//! Reading the Parquet files that [`super::Writer`] wrote. The bytes may be damaged: every place and length
//! is checked, and what does not fit is an error, never a panic.

use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::iter::repeat_n;
use std::path::{Path, PathBuf};

use ingest::NO_INT;

use super::super::packing;
use super::bits::{read_differences, read_hybrid};
use super::thrift::{Reader, Structure};
use super::{MAGIC, NO_CODE, PAGE_ROWS, Texts, Values, encoding, page, physical};
use crate::error::{AtPath, Error, Result};

/// A page larger than this when unpacked is damage: the largest are dictionaries, which hold at most the text
/// of a segment.
const LARGEST_PAGE_BYTES: usize = 1 << 29;

/// A Parquet file whose footer was read.
#[derive(Debug)]
pub struct File {
    path: PathBuf,
    rows: usize,
    chunks: Vec<Chunk>,
}

/// Where a column stands.
#[derive(Debug)]
struct Chunk {
    name: String,
    physical: i32,
    coded: bool,
    /// No row has a value.
    missing: bool,
    at: u64,
    size: usize,
}

/// A page of a column, unpacked.
struct Page {
    rows: usize,
    there: Vec<u32>,
    encoding: i32,
    values: Vec<u8>,
}

impl File {
    pub fn open(path: &Path) -> Result<File> {
        let mut file = fs::File::open(path).at_path(path)?;
        let size = file.seek(SeekFrom::End(0)).at_path(path)?;
        let damaged = || Error::damaged(path, "its footer cannot be read");
        let mut tail = [0; 8];
        let tail_at = size.checked_sub(8).ok_or_else(damaged)?;
        file.seek(SeekFrom::Start(tail_at)).and_then(|_| file.read_exact(&mut tail)).at_path(path)?;
        let (length, magic) = tail.split_at(4);
        let length = length.iter().rev().fold(0_u64, |length, &byte| length << 8 | u64::from(byte));
        let footer_at = tail_at.checked_sub(length).filter(|_| magic == MAGIC).ok_or_else(damaged)?;
        let mut footer = vec![0; length as usize];
        file.seek(SeekFrom::Start(footer_at)).and_then(|_| file.read_exact(&mut footer)).at_path(path)?;
        let footer = Reader { bytes: &footer, at: 0 }.structure().ok_or_else(damaged)?;
        let rows = footer.number(3).and_then(|rows| usize::try_from(rows).ok()).ok_or_else(damaged)?;
        let group = footer.structures(4).next().ok_or_else(damaged)?;
        let schema = footer.structures(2).skip(1);
        let chunks = schema.zip(group.structures(1)).map(|(element, chunk)| {
            let (name, meta) = (element.text(4)?, chunk.structure(3)?);
            let at = meta.number(11).or(meta.number(9)).and_then(|at| u64::try_from(at).ok())?;
            let size = meta.number(7).and_then(|size| u64::try_from(size).ok())?;
            let within = at.checked_add(size).is_some_and(|end| end <= footer_at);
            let physical = meta.number(1)? as i32;
            let coded = meta.number(11).is_some();
            let nulls = meta.structure(12).and_then(|statistics| statistics.number(3));
            let missing = nulls.is_some_and(|nulls| nulls == rows as i64);
            let name = name.to_owned();
            within.then_some(Chunk { name, physical, coded, missing, at, size: size as usize })
        });
        let chunks = chunks.collect::<Option<_>>().ok_or_else(damaged)?;
        Ok(File { path: path.to_path_buf(), rows, chunks })
    }

    /// Every value of a column.
    pub fn column(&self, name: &str) -> Result<Values> {
        let chunk = self.chunk(name)?;
        let bytes = self.bytes(chunk)?;
        let mut values = Decoder::new(chunk.physical);
        let mut rows = 0;
        each_page(&bytes, &mut |header, body| {
            rows += page_rows(header)?;
            values.add(header, body)
        })
        .filter(|()| rows == self.rows)
        .ok_or_else(|| self.damaged(name))?;
        Ok(values.finish())
    }

    pub fn has(&self, name: &str) -> bool {
        self.chunks.iter().any(|chunk| chunk.name == name)
    }

    /// Whether a column has a dictionary: its values repeat.
    pub fn is_coded(&self, name: &str) -> bool {
        self.chunks.iter().any(|chunk| chunk.name == name && chunk.coded)
    }

    /// Whether no row has a value in a column.
    pub fn is_missing(&self, name: &str) -> bool {
        self.chunks.iter().any(|chunk| chunk.name == name && chunk.missing)
    }

    /// The values of some rows, which are in order: only the pages they are in are decoded, and the dictionary.
    pub fn cells(&self, name: &str, rows: &[u32]) -> Result<Values> {
        let chunk = self.chunk(name)?;
        let bytes = self.bytes(chunk)?;
        let mut values = Decoder::new(chunk.physical);
        let (mut first, mut decoded, mut places) = (0, 0, Vec::with_capacity(rows.len()));
        each_page(&bytes, &mut |header, body| {
            let count = page_rows(header)?;
            let here = rows[places.len()..].iter().take_while(|&&row| (row as usize) < first + count);
            let here: Vec<usize> = here.map(|&row| row as usize - first + decoded).collect();
            first += count;
            if here.is_empty() && count > 0 {
                return Some(());
            }
            places.extend(here);
            decoded += count;
            values.add(header, body)
        })
        .filter(|()| places.len() == rows.len())
        .ok_or_else(|| self.damaged(name))?;
        Ok(match values.finish() {
            Values::Text { codes, texts } => {
                Values::Text { codes: places.iter().map(|&place| codes[place]).collect(), texts }
            }
            Values::Int(values) => Values::Int(places.iter().map(|&place| values[place]).collect()),
            Values::Float(values) => Values::Float(places.iter().map(|&place| values[place]).collect()),
            Values::Bool(values) => Values::Bool(places.iter().map(|&place| values[place]).collect()),
        })
    }

    fn chunk(&self, name: &str) -> Result<&Chunk> {
        let chunk = self.chunks.iter().find(|chunk| chunk.name == name);
        chunk.ok_or_else(|| Error::damaged(&self.path, format!("it has no column `{name}`")))
    }

    fn bytes(&self, chunk: &Chunk) -> Result<Vec<u8>> {
        let mut file = fs::File::open(&self.path).at_path(&self.path)?;
        let mut bytes = vec![0; chunk.size];
        file.seek(SeekFrom::Start(chunk.at)).and_then(|_| file.read_exact(&mut bytes)).at_path(&self.path)?;
        Ok(bytes)
    }

    /// A column that is there and of another type than it must be.
    pub fn mistyped(&self, name: &str) -> Error {
        Error::damaged(&self.path, format!("its column `{name}` has the wrong type"))
    }

    fn damaged(&self, name: &str) -> Error {
        Error::damaged(&self.path, format!("its column `{name}` cannot be read"))
    }
}

/// Calls `each` with the header and body of every page.
fn each_page<'b>(bytes: &'b [u8], each: &mut dyn FnMut(&Structure, &'b [u8]) -> Option<()>) -> Option<()> {
    let mut reader = Reader { bytes, at: 0 };
    while reader.at < bytes.len() {
        let header = reader.structure()?;
        let size = usize::try_from(header.number(3)?).ok()?;
        let body = bytes.get(reader.at..reader.at.checked_add(size)?)?;
        each(&header, body)?;
        reader.at += size;
    }
    Some(())
}

/// Rows of a data page, none of a dictionary.
fn page_rows(header: &Structure) -> Option<usize> {
    match header.number(1)? as i32 {
        page::DICTIONARY => Some(0),
        page::DATA => usize::try_from(header.structure(8)?.number(1)?).ok().filter(|&rows| rows <= PAGE_ROWS),
        _ => None,
    }
}

/// Collects a column's pages.
struct Decoder {
    physical: i32,
    /// The dictionary, where there is one; texts that are not coded are added to it.
    texts: Texts,
    numbers: Vec<i64>,
    has_dictionary: bool,
    values: Values,
}

impl Decoder {
    fn new(physical: i32) -> Decoder {
        let values = match physical {
            physical::BYTE_ARRAY => Values::Text { codes: Vec::new(), texts: Texts::default() },
            physical::DOUBLE => Values::Float(Vec::new()),
            physical::BOOLEAN => Values::Bool(Vec::new()),
            _ => Values::Int(Vec::new()),
        };
        Decoder { physical, texts: Texts::default(), numbers: Vec::new(), has_dictionary: false, values }
    }

    fn finish(self) -> Values {
        match self.values {
            Values::Text { codes, .. } => Values::Text { codes, texts: self.texts },
            other => other,
        }
    }

    fn add(&mut self, header: &Structure, body: &[u8]) -> Option<()> {
        let plain = usize::try_from(header.number(2)?).ok().filter(|&size| size <= LARGEST_PAGE_BYTES)?;
        if header.number(1)? as i32 == page::DICTIONARY {
            let count = usize::try_from(header.structure(7)?.number(1)?).ok()?;
            return self.dictionary(&unpack(body, plain)?, count);
        }
        let data = header.structure(8)?;
        let rows = page_rows(header)?;
        let levels = usize::try_from(data.number(5)?).ok()?;
        let (levels, packed) = body.split_at_checked(levels)?;
        let mut there = Vec::with_capacity(rows);
        read_hybrid(levels, 1, rows, &mut there)?;
        let values = match data.number(7) {
            Some(0) => packed.to_vec(),
            _ => unpack(packed, plain.checked_sub(levels.len())?)?,
        };
        self.data(&Page { rows, there, encoding: data.number(4)? as i32, values })
    }

    fn dictionary(&mut self, bytes: &[u8], count: usize) -> Option<()> {
        self.has_dictionary = true;
        if self.physical != physical::BYTE_ARRAY {
            let numbers = bytes.as_chunks::<8>().0;
            self.numbers = numbers.iter().map(|number| i64::from_le_bytes(*number)).collect();
            return (self.numbers.len() == count).then_some(());
        }
        let mut rest = bytes;
        for _ in 0..count {
            let (length, tail) = rest.split_first_chunk::<4>()?;
            let (text, tail) = tail.split_at_checked(u32::from_le_bytes(*length) as usize)?;
            self.texts.push(std::str::from_utf8(text).ok()?);
            rest = tail;
        }
        Some(())
    }

    fn data(&mut self, page: &Page) -> Option<()> {
        let present = page.there.iter().filter(|&&there| there != 0).count();
        match page.encoding {
            encoding::PLAIN if present == 0 => {
                self.missing(page.rows);
                Some(())
            }
            encoding::CODES if self.has_dictionary => {
                let (width, packed) = page.values.split_first()?;
                let mut found = Vec::with_capacity(present);
                read_hybrid(packed, u32::from(*width), present, &mut found)?;
                self.decode(page, &found)
            }
            encoding::LENGTHS_AND_TEXT => self.lengths_and_text(page, present),
            encoding::DIFFERENCES => {
                let (numbers, _) = read_differences(&page.values, present)?;
                let Values::Int(values) = &mut self.values else { return None };
                spread(page, &numbers, NO_INT, values)
            }
            encoding::PLAIN => match &mut self.values {
                Values::Float(values) => {
                    let numbers: Vec<f64> =
                        page.values.as_chunks().0.iter().map(|number| f64::from_le_bytes(*number)).collect();
                    spread(page, &numbers, f64::NAN, values)
                }
                Values::Bool(values) => {
                    let bit = |index: usize| Some(page.values.get(index / 8)? >> (index % 8) & 1 == 1);
                    let truths: Vec<_> =
                        (0..present).map(|index| bit(index).map(Some)).collect::<Option<_>>()?;
                    spread(page, &truths, None, values)
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn missing(&mut self, rows: usize) {
        match &mut self.values {
            Values::Text { codes, .. } => codes.extend(repeat_n(NO_CODE, rows)),
            Values::Int(values) => values.extend(repeat_n(NO_INT, rows)),
            Values::Float(values) => values.extend(repeat_n(f64::NAN, rows)),
            Values::Bool(values) => values.extend(repeat_n(None, rows)),
        }
    }

    fn decode(&mut self, page: &Page, codes: &[u32]) -> Option<()> {
        let number = |code: &u32| self.numbers.get(*code as usize).copied();
        match &mut self.values {
            Values::Text { codes: all, .. } => {
                codes.iter().all(|&code| (code as usize) < self.texts.len()).then_some(())?;
                spread(page, codes, NO_CODE, all)
            }
            Values::Int(values) => {
                let numbers: Vec<i64> = codes.iter().map(number).collect::<Option<_>>()?;
                spread(page, &numbers, NO_INT, values)
            }
            Values::Float(values) => {
                let numbers: Vec<f64> = codes
                    .iter()
                    .map(|code| number(code).map(|bits| f64::from_bits(bits as u64)))
                    .collect::<Option<_>>()?;
                spread(page, &numbers, f64::NAN, values)
            }
            Values::Bool(_) => None,
        }
    }

    fn lengths_and_text(&mut self, page: &Page, present: usize) -> Option<()> {
        let (lengths, at) = read_differences(&page.values, present)?;
        let mut rest = page.values.get(at..)?;
        let first = self.texts.len() as u32;
        for length in &lengths {
            let (text, tail) = rest.split_at_checked(usize::try_from(*length).ok()?)?;
            self.texts.push(std::str::from_utf8(text).ok()?);
            rest = tail;
        }
        let codes: Vec<u32> = (first..first + lengths.len() as u32).collect();
        let Values::Text { codes: all, .. } = &mut self.values else { return None };
        spread(page, &codes, NO_CODE, all)
    }
}

fn unpack(packed: &[u8], bytes: usize) -> Option<Vec<u8>> {
    packing::unpack(packed, bytes).ok().filter(|unpacked| unpacked.len() == bytes)
}

/// Puts the values that are there into the rows that have one.
fn spread<T: Copy>(page: &Page, found: &[T], missing: T, values: &mut Vec<T>) -> Option<()> {
    if found.len() == page.rows {
        values.extend_from_slice(found);
        return Some(());
    }
    let mut found = found.iter();
    for &there in &page.there {
        values.push(if there == 0 { missing } else { *found.next()? });
    }
    found.next().is_none().then_some(())
}
