//! Reads the Parquet files that [`super::Writer`] wrote. The bytes may be damaged: every offset and length is
//! checked, and a mismatch is an error.

use std::borrow::Cow;
use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::iter::repeat_n;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use ingest::NO_INT;
use polars_parquet::parquet::encoding::hybrid_rle::{BitmapIter, HybridRleDecoder};
use polars_parquet::parquet::encoding::plain_byte_array::BinaryIter;
use polars_parquet::parquet::{FOOTER_SIZE, PARQUET_MAGIC};
use polars_parquet_format::thrift::protocol::TCompactInputProtocol;
use polars_parquet_format::{DataPageHeaderV2, Encoding, FileMetaData, PageHeader, Type};

use super::super::packing;
use super::differences::read_differences;
use super::{NO_CODE, PAGE_ROWS, Texts, Values};
use base::error::{AtPath, Error, Result};
use base::limits::MOST_SEGMENT_ROWS;

/// A page larger than this when unpacked is damage: the largest are dictionaries, which hold at most the text
/// of a segment.
const LARGEST_PAGE_BYTES: usize = 1 << 29;

/// A Parquet file whose footer was read.
#[derive(Debug)]
pub struct File {
    path: PathBuf,
    rows: usize,
    chunks: Vec<ColumnChunk>,
}

/// The location of a column.
#[derive(Debug)]
struct ColumnChunk {
    name: String,
    of: Type,
    coded: bool,
    /// No row has a value.
    missing: bool,
    at: u64,
    size: u64,
}

/// A page of a column, unpacked.
struct DataPage<'b> {
    rows: usize,
    there: Vec<u32>,
    encoding: Encoding,
    values: Cow<'b, [u8]>,
}

impl File {
    /// Opens a file of so many rows. A checksum proves that it is the one that was written, not that it fits its segment.
    pub fn open(path: &Path, rows: usize) -> Result<File> {
        let mut file = base::files::open(path).at_path(path)?;
        let size = file.metadata().at_path(path)?.len();
        let damaged = || Error::damaged(path, "its footer cannot be read");
        let end_at = size.checked_sub(FOOTER_SIZE).ok_or_else(damaged)?;
        let end = read_at(&mut file, end_at, FOOTER_SIZE).at_path(path)?;
        let (length, magic) = end.split_first_chunk::<4>().ok_or_else(damaged)?;
        let length = u64::from(u32::from_le_bytes(*length));
        let footer_at = end_at.checked_sub(length).filter(|_| *magic == PARQUET_MAGIC).ok_or_else(damaged)?;
        let footer = read_at(&mut file, footer_at, length).at_path(path)?;
        let (found, chunks) = unless_panic(|| chunks(&footer, footer_at)).ok_or_else(damaged)?;
        if found != rows {
            return Err(Error::damaged(path, format!("it has {found} rows, but its segment has {rows}")));
        }
        Ok(File { path: path.to_path_buf(), rows, chunks })
    }

    /// Every value of a column.
    pub fn column(&self, name: &str) -> Result<Values> {
        let mut rows = 0;
        let values = self.pages(name, &mut |here| {
            rows += here;
            // Pages of more rows than the file says are not unpacked.
            rows <= self.rows
        })?;
        if rows == self.rows { Ok(values) } else { Err(self.damaged(name)) }
    }

    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.chunks.iter().any(|chunk| chunk.name == name)
    }

    /// True if a column has a dictionary: its values repeat.
    #[must_use]
    pub fn is_coded(&self, name: &str) -> bool {
        self.chunks.iter().any(|chunk| chunk.name == name && chunk.coded)
    }

    /// Whether no row has a value in a column.
    #[must_use]
    pub fn is_missing(&self, name: &str) -> bool {
        self.chunks.iter().any(|chunk| chunk.name == name && chunk.missing)
    }

    /// The values of some rows, which are in order: only their pages and the dictionary are decoded.
    pub fn cells(&self, name: &str, rows: &[u32]) -> Result<Values> {
        let (mut first, mut decoded, mut places) = (0, 0, Vec::with_capacity(rows.len()));
        let values = self.pages(name, &mut |count| {
            let before = places.len();
            let here = rows[before..].iter().take_while(|&&row| (row as usize) < first + count);
            places.extend(here.map(|&row| row as usize - first + decoded));
            first += count;
            let wanted = places.len() > before;
            decoded += if wanted { count } else { 0 };
            wanted
        })?;
        if places.len() < rows.len() {
            return Err(self.damaged(name));
        }
        Ok(match values {
            Values::Text { codes, texts } => Values::Text { codes: picked(&codes, &places), texts },
            Values::Int(values) => Values::Int(picked(&values, &places)),
            Values::Float(values) => Values::Float(picked(&values, &places)),
            Values::Bool(values) => Values::Bool(picked(&values, &places)),
        })
    }

    /// The values of the pages whose rows `wanted` accepts.
    fn pages(&self, name: &str, wanted: &mut dyn FnMut(usize) -> bool) -> Result<Values> {
        let chunk = self.chunks.iter().find(|chunk| chunk.name == name);
        let chunk = chunk.ok_or_else(|| Error::damaged(&self.path, format!("it has no column `{name}`")))?;
        let mut file = base::files::open(&self.path).at_path(&self.path)?;
        let bytes = read_at(&mut file, chunk.at, chunk.size).at_path(&self.path)?;
        unless_panic(|| decode(chunk.of, &bytes, wanted)).ok_or_else(|| self.damaged(name))
    }

    /// A column that has another type than it must have.
    #[must_use]
    pub fn mistyped(&self, name: &str) -> Error {
        self.wrong(&format!("its column `{name}` has the wrong type"))
    }

    /// The file can be read, and is not what the case needs.
    #[must_use]
    pub fn wrong(&self, what: &str) -> Error {
        Error::damaged(&self.path, what)
    }

    fn damaged(&self, name: &str) -> Error {
        Error::damaged(&self.path, format!("its column `{name}` cannot be read"))
    }
}

/// The library panics on some kinds of damage.
fn unless_panic<T>(read: impl FnOnce() -> Option<T>) -> Option<T> {
    catch_unwind(AssertUnwindSafe(read)).ok().flatten()
}

fn picked<T: Copy>(values: &[T], places: &[usize]) -> Vec<T> {
    places.iter().map(|&place| values[place]).collect()
}

fn read_at(file: &mut fs::File, at: u64, size: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = vec![0; size as usize];
    file.seek(SeekFrom::Start(at)).and_then(|_| file.read_exact(&mut bytes))?;
    Ok(bytes)
}

/// A structure may claim to be this many times as large as its bytes. The footer reader of polars allocates
/// as much memory as a damaged footer claims, which ends the program.
const LARGEST_STRUCTURE: usize = 4;

/// The rows and the columns of a footer, with bounds checks.
fn chunks(footer: &[u8], footer_at: u64) -> Option<(usize, Vec<ColumnChunk>)> {
    let mut input = TCompactInputProtocol::new(footer, footer.len() * LARGEST_STRUCTURE);
    let about = FileMetaData::read_from_in_protocol(&mut input).ok()?;
    let chunks = about.row_groups.into_iter().next()?.columns.into_iter().map(|chunk| {
        let meta = chunk.meta_data?;
        let at = u64::try_from(meta.dictionary_page_offset.unwrap_or(meta.data_page_offset)).ok()?;
        let size = u64::try_from(meta.total_compressed_size).ok()?;
        let nulls = meta.statistics.and_then(|statistics| statistics.null_count);
        at.checked_add(size).filter(|&end| end <= footer_at)?;
        Some(ColumnChunk {
            name: meta.path_in_schema.into_iter().next()?,
            of: meta.type_,
            coded: meta.dictionary_page_offset.is_some(),
            missing: nulls == Some(about.num_rows),
            at,
            size,
        })
    });
    let rows = usize::try_from(about.num_rows).ok().filter(|&rows| rows <= MOST_SEGMENT_ROWS)?;
    Some((rows, chunks.collect::<Option<_>>()?))
}

fn decode(of: Type, mut bytes: &[u8], wanted: &mut dyn FnMut(usize) -> bool) -> Option<Values> {
    let mut values = Decoder::new(of);
    while !bytes.is_empty() {
        let most = bytes.len() * LARGEST_STRUCTURE;
        let header = &mut TCompactInputProtocol::new(&mut bytes, most);
        let header = PageHeader::read_from_in_protocol(header).ok()?;
        let size = usize::try_from(header.uncompressed_page_size).ok();
        let size = size.filter(|&size| size <= LARGEST_PAGE_BYTES)?;
        let body;
        (body, bytes) = bytes.split_at_checked(usize::try_from(header.compressed_page_size).ok()?)?;
        match (&header.dictionary_page_header, &header.data_page_header_v2) {
            (Some(about), None) => {
                values.dictionary(&unpack(body, size)?, usize::try_from(about.num_values).ok()?)?;
            }
            (None, Some(about)) => {
                let rows = usize::try_from(about.num_values).ok().filter(|&rows| rows <= PAGE_ROWS)?;
                if wanted(rows) {
                    values.data(&DataPage::new(about, rows, body, size)?)?;
                }
            }
            _ => return None,
        }
    }
    Some(values.finish())
}

impl<'b> DataPage<'b> {
    fn new(about: &DataPageHeaderV2, rows: usize, body: &'b [u8], size: usize) -> Option<DataPage<'b>> {
        let levels = usize::try_from(about.definition_levels_byte_length).ok()?;
        let (levels, packed) = body.split_at_checked(levels)?;
        let values = match about.is_compressed {
            Some(false) => Cow::Borrowed(packed),
            _ => Cow::Owned(unpack(packed, size.checked_sub(levels.len())?)?),
        };
        Some(DataPage { rows, there: hybrid(levels, 1, rows)?, encoding: about.encoding, values })
    }
}

/// Runs and bit-packed values. `None` if the bytes do not hold enough of them.
fn hybrid(bytes: &[u8], width: u8, count: usize) -> Option<Vec<u32>> {
    let width = Some(u32::from(width)).filter(|&width| width <= u32::BITS)?;
    let numbers = HybridRleDecoder::new(bytes, width, count).collect().ok()?;
    (numbers.len() == count).then_some(numbers)
}

/// Collects a column's pages.
struct Decoder {
    of: Type,
    /// The dictionary, if there is one; texts that are not encoded are added to it.
    texts: Texts,
    numbers: Vec<i64>,
    has_dictionary: bool,
    values: Values,
}

impl Decoder {
    fn new(of: Type) -> Decoder {
        let values = match of {
            Type::BYTE_ARRAY => Values::Text { codes: Vec::new(), texts: Texts::default() },
            Type::DOUBLE => Values::Float(Vec::new()),
            Type::BOOLEAN => Values::Bool(Vec::new()),
            _ => Values::Int(Vec::new()),
        };
        Decoder { of, texts: Texts::default(), numbers: Vec::new(), has_dictionary: false, values }
    }

    fn finish(self) -> Values {
        match self.values {
            Values::Text { codes, .. } => Values::Text { codes, texts: self.texts },
            other => other,
        }
    }

    fn dictionary(&mut self, bytes: &[u8], count: usize) -> Option<()> {
        self.has_dictionary = true;
        if self.of != Type::BYTE_ARRAY {
            let numbers = bytes.as_chunks::<8>().0;
            self.numbers = numbers.iter().map(|number| i64::from_le_bytes(*number)).collect();
            return (self.numbers.len() == count).then_some(());
        }
        for text in BinaryIter::new(bytes, None) {
            self.texts.push(std::str::from_utf8(text.ok()?).ok()?);
        }
        (self.texts.len() == count).then_some(())
    }

    fn data(&mut self, page: &DataPage) -> Option<()> {
        let present = page.there.iter().filter(|&&there| there != 0).count();
        match (page.encoding, &mut self.values) {
            (Encoding::PLAIN, _) if present == 0 => {
                self.missing(page.rows);
                Some(())
            }
            (Encoding::RLE_DICTIONARY, _) if self.has_dictionary => {
                let (width, packed) = page.values.split_first()?;
                self.decode(page, &hybrid(packed, *width, present)?)
            }
            (Encoding::DELTA_LENGTH_BYTE_ARRAY, _) => self.lengths_and_text(page, present),
            (Encoding::DELTA_BINARY_PACKED, Values::Int(values)) => {
                spread(page, &read_differences(&page.values, present)?.0, NO_INT, values)
            }
            (Encoding::PLAIN, Values::Float(values)) => {
                let numbers = page.values.as_chunks().0.iter();
                let numbers: Vec<f64> = numbers.map(|number| f64::from_le_bytes(*number)).collect();
                spread(page, &numbers, f64::NAN, values)
            }
            (Encoding::PLAIN, Values::Bool(values)) if present.div_ceil(8) <= page.values.len() => {
                let truths: Vec<_> = BitmapIter::new(&page.values, 0, present).map(Some).collect();
                spread(page, &truths, None, values)
            }
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

    fn decode(&mut self, page: &DataPage, codes: &[u32]) -> Option<()> {
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
                let float = |code| number(code).map(|bits| f64::from_bits(bits as u64));
                let numbers: Vec<f64> = codes.iter().map(float).collect::<Option<_>>()?;
                spread(page, &numbers, f64::NAN, values)
            }
            Values::Bool(_) => None,
        }
    }

    fn lengths_and_text(&mut self, page: &DataPage, present: usize) -> Option<()> {
        let (lengths, mut rest) = read_differences(&page.values, present)?;
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

/// Scatters the present values to the rows that have one.
fn spread<T: Copy>(page: &DataPage, found: &[T], missing: T, values: &mut Vec<T>) -> Option<()> {
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
