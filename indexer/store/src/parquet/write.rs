//! Writes a Parquet file, column by column.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::io::{Error, Result};
use std::vec;

use ingest::NO_INT;
use polars_parquet::parquet::compression::Compression;
use polars_parquet::parquet::encoding::hybrid_rle::{Encoder, bitpacked_encode, encode};
use polars_parquet::parquet::error::ParquetError;
use polars_parquet::parquet::metadata::{Descriptor, SchemaDescriptor};
use polars_parquet::parquet::page::{
    CompressedDataPage, CompressedDictPage, CompressedPage, DataPageHeader, DataPageHeaderV2,
};
use polars_parquet::parquet::schema::types::{ParquetType, PhysicalType};
use polars_parquet::parquet::statistics::ParquetStatistics;
use polars_parquet::parquet::write::{DynIter, DynStreamingIterator, FileWriter, Version, WriteOptions};
use polars_parquet::parquet::{CowBuffer, FallibleStreamingIterator};
use polars_parquet_format::Encoding;
use zstd::bulk::Compressor;
use zstd::zstd_safe::CParameter;

use super::super::intern::{HOPELESS, TRIAL_ROWS};
use super::differences::{width_of, write_differences};
use super::{NO_CODE, NumberKind, PAGE_ROWS, Texts, Values};

/// Columns are small next to the raw bytes, so packing must not cost a second of an import.
const LEVEL: i32 = 1;

/// Numbers are dictionary-encoded if they have few distinct values: this many, and at most half as many as
/// there are rows.
const MOST_CODED_NUMBERS: usize = 1 << 16;

/// A Parquet file under construction in memory. A segment's table is a few tens of megabytes at most.
pub struct Writer {
    rows: usize,
    columns: Vec<WrittenColumn>,
    compressor: Compressor<'static>,
}

/// A column and its pages.
struct WrittenColumn {
    of: Descriptor,
    /// The smallest and the largest number of each page of rows, if the page has statistics.
    ranges: Vec<Option<(i64, i64)>>,
    pages: Vec<CompressedPage>,
}

impl WrittenColumn {
    fn new(name: &str, kind: NumberKind) -> WrittenColumn {
        let of = Descriptor { primitive_type: kind.primitive_type(name), max_def_level: 1, max_rep_level: 0 };
        WrittenColumn { of, ranges: Vec::new(), pages: Vec::new() }
    }

    /// What a page header says of its values, without holding them.
    fn statistics(&self, page: usize, missing: usize) -> ParquetStatistics {
        let place = |number: i64| match self.of.primitive_type.physical_type {
            PhysicalType::Int32 => (number as i32).to_le_bytes().to_vec(),
            _ => number.to_le_bytes().to_vec(),
        };
        let (least, most) = self.ranges.get(page).copied().flatten().unzip();
        let (least, most) = (least.map(place), most.map(place));
        ParquetStatistics::new(None, None, missing as i64, None, most, least, None, None)
    }
}

/// Pages that are dropped as they are written, so that a table is not in memory twice.
struct Pages {
    left: vec::IntoIter<CompressedPage>,
    written: Option<CompressedPage>,
}

impl FallibleStreamingIterator for Pages {
    type Item = CompressedPage;
    type Error = ParquetError;

    fn advance(&mut self) -> std::result::Result<(), ParquetError> {
        self.written = self.left.next();
        Ok(())
    }

    fn get(&self) -> Option<&CompressedPage> {
        self.written.as_ref()
    }
}

impl Writer {
    pub fn new(rows: usize) -> Result<Writer> {
        let mut compressor = Compressor::new(LEVEL)?;
        compressor.set_parameter(CParameter::ChecksumFlag(true))?;
        Ok(Writer { rows, columns: Vec::new(), compressor })
    }

    /// Packs the following columns at another level.
    pub fn pack_at(&mut self, level: i32) -> Result<()> {
        self.compressor.set_compression_level(level)
    }

    pub fn column(&mut self, name: &str, kind: NumberKind, values: &Values) -> Result<()> {
        match values {
            Values::Text { codes, texts } => self.texts(name, codes, texts),
            Values::Int(numbers) => self.numbers(name, kind, numbers),
            Values::Float(numbers) => self.floats(name, numbers),
            Values::Bool(values) => self.data(
                WrittenColumn::new(name, kind),
                Encoding::PLAIN,
                values,
                |value| value.is_some(),
                |rows, bytes| {
                    let found: Vec<bool> = rows.iter().copied().flatten().collect();
                    bitpacked_encode(bytes, found.into_iter())
                },
            ),
        }
    }

    /// A column without a value.
    pub fn missing(&mut self, name: &str, kind: NumberKind) -> Result<()> {
        let values = vec![(); self.rows];
        self.data(WrittenColumn::new(name, kind), Encoding::PLAIN, &values, |()| false, |_, _| Ok(()))
    }

    /// Dictionary-encoded if texts repeat, otherwise plain.
    fn texts(&mut self, name: &str, codes: &[u32], texts: &Texts) -> Result<()> {
        let chunk = WrittenColumn::new(name, NumberKind::Text);
        if texts.len() <= codes.len() / 2 {
            let mut values = Vec::with_capacity(texts.bytes() + texts.len() * 4);
            for text in texts.iter() {
                values.extend_from_slice(&(text.len() as u32).to_le_bytes());
                values.extend_from_slice(text.as_bytes());
            }
            return self.coded(chunk, &values, texts.len(), codes);
        }
        let encoding = Encoding::DELTA_LENGTH_BYTE_ARRAY;
        self.data(chunk, encoding, codes, is_code, |codes, bytes| {
            let found: Vec<&str> = codes.iter().filter_map(|&code| texts.get(code as usize)).collect();
            let lengths: Vec<i64> = found.iter().map(|text| text.len() as i64).collect();
            write_differences(&lengths, bytes);
            for text in found {
                bytes.extend_from_slice(text.as_bytes());
            }
            Ok(())
        })
    }

    pub fn numbers(&mut self, name: &str, kind: NumberKind, numbers: &[i64]) -> Result<()> {
        let range = |page: &[i64]| {
            let found = || page.iter().copied().filter(|&number| is_number(number));
            found().min().zip(found().max())
        };
        let ranges = numbers.chunks(PAGE_ROWS).map(range).collect();
        let chunk = WrittenColumn { ranges, ..WrittenColumn::new(name, kind) };
        if kind == NumberKind::Int
            && let Some((codes, values)) = code(numbers, NO_INT)
        {
            return self.coded(chunk, &plain(&values), values.len(), &codes);
        }
        self.data(chunk, Encoding::DELTA_BINARY_PACKED, numbers, is_number, |page, bytes| {
            let found: Vec<i64> = page.iter().copied().filter(|&number| is_number(number)).collect();
            write_differences(&found, bytes);
            Ok(())
        })
    }

    fn floats(&mut self, name: &str, numbers: &[f64]) -> Result<()> {
        let bits: Vec<i64> = numbers
            .iter()
            .map(|number| if number.is_nan() { NO_INT } else { number.to_bits() as i64 })
            .collect();
        let chunk = WrittenColumn::new(name, NumberKind::Float);
        // The bits of minus zero are those of the missing number, so such columns stay plain.
        let minus_zero = numbers.iter().any(|number| *number == 0.0 && number.is_sign_negative());
        if !minus_zero && let Some((codes, values)) = code(&bits, NO_INT) {
            return self.coded(chunk, &plain(&values), values.len(), &codes);
        }
        let is_there = |number: f64| !number.is_nan();
        self.data(chunk, Encoding::PLAIN, numbers, is_there, |page, bytes| {
            bytes.extend(
                page.iter().filter(|number| is_there(**number)).flat_map(|number| number.to_le_bytes()),
            );
            Ok(())
        })
    }

    /// A column as codes of a dictionary that precedes it.
    fn coded(
        &mut self,
        mut chunk: WrittenColumn,
        dictionary: &[u8],
        count: usize,
        codes: &[u32],
    ) -> Result<()> {
        let packed = CowBuffer::Owned(self.compressor.compress(dictionary)?);
        let page = CompressedDictPage::new(packed, Compression::Zstd, dictionary.len(), count, false);
        chunk.pages.push(CompressedPage::Dict(page));
        let width = width_of(count.saturating_sub(1) as u64);
        self.data(chunk, Encoding::RLE_DICTIONARY, codes, is_code, |codes, bytes| {
            bytes.push(width as u8);
            encode::<u32, _, _>(bytes, codes.iter().copied().filter(|&code| is_code(code)), width as u32)
        })
    }

    /// The data pages of a column. `part` encodes the present values.
    fn data<T: Copy>(
        &mut self,
        mut chunk: WrittenColumn,
        encoding: Encoding,
        values: &[T],
        is_there: impl Fn(T) -> bool,
        part: impl Fn(&[T], &mut Vec<u8>) -> Result<()>,
    ) -> Result<()> {
        let mut plain = Vec::new();
        for (page, rows) in values.chunks(PAGE_ROWS).enumerate() {
            let mut body = Vec::new();
            let missing = rows.iter().filter(|value| !is_there(**value)).count();
            if missing == 0 {
                bool::run_length_encode(&mut body, rows.len(), true, 1)?;
            } else {
                encode::<bool, _, _>(&mut body, rows.iter().copied().map(&is_there), 1)?;
            }
            let levels = body.len();
            plain.clear();
            part(rows, &mut plain)?;
            let packed = self.compressor.compress(&plain)?;
            let smaller = packed.len() < plain.len();
            body.extend_from_slice(if smaller { &packed } else { &plain });
            let header = DataPageHeaderV2 {
                num_values: rows.len() as i32,
                num_nulls: missing as i32,
                num_rows: rows.len() as i32,
                encoding,
                definition_levels_byte_length: levels as i32,
                repetition_levels_byte_length: 0,
                is_compressed: Some(smaller),
                statistics: Some(chunk.statistics(page, missing)),
            };
            chunk.pages.push(CompressedPage::Data(CompressedDataPage::new(
                DataPageHeader::V2(header),
                CowBuffer::Owned(body),
                Compression::Zstd,
                levels + plain.len(),
                chunk.of.clone(),
                rows.len(),
            )));
        }
        self.columns.push(chunk);
        Ok(())
    }

    /// The whole file.
    pub fn finish(self) -> Result<Vec<u8>> {
        let types = self.columns.iter().map(|chunk| chunk.of.primitive_type.clone());
        let schema = SchemaDescriptor::new("events".into(), types.map(ParquetType::PrimitiveType).collect());
        let options = WriteOptions { write_statistics: false, version: Version::V2 };
        let mut file = FileWriter::new(Vec::new(), schema, options, None);
        let columns = self.columns.into_iter().map(|chunk| {
            Ok(DynStreamingIterator::new(Pages { left: chunk.pages.into_iter(), written: None }))
        });
        file.write(self.rows as u64, DynIter::new(columns))
            .and_then(|()| file.end(None))
            .map_err(Error::other)?;
        Ok(file.into_inner())
    }
}

fn is_code(code: u32) -> bool {
    code != NO_CODE
}

fn is_number(number: i64) -> bool {
    number != NO_INT
}

fn plain(values: &[i64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// The index of each number among the distinct ones. `None` if too few repeat.
fn code(numbers: &[i64], missing: i64) -> Option<(Vec<u32>, Vec<i64>)> {
    let mut known: HashMap<i64, u32, BuildHasherDefault<Spread>> = HashMap::default();
    let mut codes = Vec::with_capacity(numbers.len());
    let mut values = Vec::new();
    for part in numbers.chunks(TRIAL_ROWS) {
        let before = values.len();
        for &number in part {
            codes.push(if number == missing {
                NO_CODE
            } else {
                *known.entry(number).or_insert_with(|| {
                    values.push(number);
                    values.len() as u32 - 1
                })
            });
        }
        if values.len() > MOST_CODED_NUMBERS || values.len() - before > HOPELESS {
            return None;
        }
    }
    (values.len() <= codes.len() / 2).then_some((codes, values))
}

/// Spreads a number over 64 bits. Numbers crafted to collide only end the encoding at its limit.
#[derive(Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        let wide = u128::from(self.0 ^ number ^ 0x9E37_79B9_7F4A_7C15) * 0xD6E8_FEB8_6659_FD93;
        self.0 = (wide >> 64) as u64 ^ wide as u64;
    }

    fn write_i64(&mut self, number: i64) {
        self.write_u64(number as u64);
    }
}
