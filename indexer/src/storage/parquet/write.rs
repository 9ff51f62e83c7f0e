//! Writing a Parquet file, a column at a time.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use ingest::NO_INT;
use zstd::bulk::Compressor;
use zstd::zstd_safe::CParameter;

use super::super::intern::{HOPELESS, TRIAL_ROWS};
use super::bits::{width_of, write_differences, write_hybrid, write_run};
use super::thrift;
use super::{Kind, MAGIC, NO_CODE, PAGE_ROWS, Texts, Values, ZSTD, encoding, page};

/// Columns are small beside the raw bytes, so a second of an import should not go into packing them.
const LEVEL: i32 = 1;

/// Numbers are coded when they take this few distinct values, and half as many as there are rows at most.
const MOST_CODED_NUMBERS: usize = 1 << 16;

/// A Parquet file being made in memory. A segment's table is a few tens of megabytes at most.
pub struct Writer {
    bytes: Vec<u8>,
    rows: usize,
    columns: Vec<Chunk>,
    compressor: Compressor<'static>,
}

/// What the footer says of a column.
struct Chunk {
    name: String,
    kind: Kind,
    encoding: i32,
    dictionary_at: Option<usize>,
    data_at: usize,
    unpacked: usize,
    nulls: usize,
    range: Option<(i64, i64)>,
}

/// What the header of a page of rows says of it.
struct DataPage {
    rows: usize,
    missing: usize,
    encoding: i32,
    /// Bytes of what tells which rows have a value.
    levels: usize,
    packed: bool,
}

impl Writer {
    pub fn new(rows: usize) -> std::io::Result<Writer> {
        let mut compressor = Compressor::new(LEVEL)?;
        compressor.set_parameter(CParameter::ChecksumFlag(true))?;
        Ok(Writer { bytes: MAGIC.to_vec(), rows, columns: Vec::new(), compressor })
    }

    /// Packs what comes at another level.
    pub fn pack_at(&mut self, level: i32) -> std::io::Result<()> {
        self.compressor.set_compression_level(level)
    }

    pub fn column(&mut self, name: &str, kind: Kind, values: &Values) -> std::io::Result<()> {
        match values {
            Values::Text { codes, texts } => self.texts(name, codes, texts),
            Values::Int(numbers) => self.numbers(name, kind, numbers),
            Values::Float(numbers) => self.floats(name, numbers),
            Values::Bool(values) => {
                let part = |rows: &[Option<bool>]| bits(rows.iter().copied().flatten());
                self.data(name, kind, encoding::PLAIN, None, values, Option::is_some, part)
            }
        }
    }

    /// A column without a value.
    pub fn missing(&mut self, name: &str, kind: Kind) {
        let data_at = self.bytes.len();
        let mut left = self.rows;
        while left > 0 {
            let rows = left.min(PAGE_ROWS);
            let mut levels = Vec::new();
            write_run(rows, 0, &mut levels);
            let page = DataPage {
                rows,
                missing: rows,
                encoding: encoding::PLAIN,
                levels: levels.len(),
                packed: false,
            };
            self.data_page(&page, levels.len(), levels.len());
            self.bytes.extend_from_slice(&levels);
            left -= rows;
        }
        self.columns.push(Chunk {
            name: name.to_owned(),
            kind,
            encoding: encoding::PLAIN,
            dictionary_at: None,
            data_at,
            unpacked: self.bytes.len() - data_at,
            nulls: self.rows,
            range: None,
        });
    }

    /// Coded where texts repeat, else as they are.
    fn texts(&mut self, name: &str, codes: &[u32], texts: &Texts) -> std::io::Result<()> {
        let is_there = |code: &u32| *code != NO_CODE;
        if texts.len() <= codes.len() / 2 {
            let mut values = Vec::with_capacity(texts.bytes() + texts.len() * 4);
            for text in texts.iter() {
                values.extend_from_slice(&(text.len() as u32).to_le_bytes());
                values.extend_from_slice(text.as_bytes());
            }
            return self.coded(name, Kind::Text, &values, texts.len(), codes, None);
        }
        let part = |codes: &[u32]| {
            let found: Vec<&str> = codes.iter().filter_map(|&code| texts.get(code as usize)).collect();
            let lengths: Vec<i64> = found.iter().map(|text| text.len() as i64).collect();
            let mut values = Vec::new();
            write_differences(&lengths, &mut values);
            for text in found {
                values.extend_from_slice(text.as_bytes());
            }
            values
        };
        self.data(name, Kind::Text, encoding::LENGTHS_AND_TEXT, None, codes, is_there, part)
    }

    pub fn numbers(&mut self, name: &str, kind: Kind, numbers: &[i64]) -> std::io::Result<()> {
        let is_there = |number: &i64| *number != NO_INT;
        let found = || numbers.iter().copied().filter(|number| is_there(number));
        let range = found().min().zip(found().max());
        if kind == Kind::Int
            && let Some((codes, values)) = code(numbers, NO_INT)
        {
            let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
            return self.coded(name, kind, &bytes, values.len(), &codes, range);
        }
        let part = |numbers: &[i64]| {
            let found: Vec<i64> = numbers.iter().copied().filter(is_there).collect();
            let mut values = Vec::new();
            write_differences(&found, &mut values);
            values
        };
        self.data(name, kind, encoding::DIFFERENCES, range, numbers, is_there, part)
    }

    fn floats(&mut self, name: &str, numbers: &[f64]) -> std::io::Result<()> {
        let bits: Vec<i64> = numbers
            .iter()
            .map(|number| if number.is_nan() { NO_INT } else { number.to_bits() as i64 })
            .collect();
        // The bits of minus zero are those of the missing number, so such columns stay as they are.
        let minus_zero = numbers.iter().any(|number| *number == 0.0 && number.is_sign_negative());
        if !minus_zero && let Some((codes, values)) = code(&bits, NO_INT) {
            let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
            return self.coded(name, Kind::Float, &bytes, values.len(), &codes, None);
        }
        let part = |numbers: &[f64]| {
            let found = numbers.iter().filter(|number| !number.is_nan());
            found.flat_map(|number| number.to_le_bytes()).collect()
        };
        let is_there = |number: &f64| !number.is_nan();
        self.data(name, Kind::Float, encoding::PLAIN, None, numbers, is_there, part)
    }

    /// A column as codes of a dictionary that goes before it.
    fn coded(
        &mut self,
        name: &str,
        kind: Kind,
        dictionary: &[u8],
        count: usize,
        codes: &[u32],
        range: Option<(i64, i64)>,
    ) -> std::io::Result<()> {
        let dictionary_at = self.bytes.len();
        let packed = self.compressor.compress(dictionary)?;
        self.page(page::DICTIONARY, dictionary.len(), packed.len(), |header| {
            header.structure(7, |header| {
                header.i32(1, count as i32);
                header.i32(2, encoding::PLAIN);
            });
        });
        self.bytes.extend_from_slice(&packed);
        let width = width_of(count.saturating_sub(1) as u64);
        let part = |codes: &[u32]| {
            let mut values = vec![width as u8];
            if codes.contains(&NO_CODE) {
                let found: Vec<u32> = codes.iter().copied().filter(|&code| code != NO_CODE).collect();
                write_hybrid(&found, width, &mut values);
            } else {
                write_hybrid(codes, width, &mut values);
            }
            values
        };
        let is_there = |code: &u32| *code != NO_CODE;
        self.data(name, kind, encoding::CODES, range, codes, is_there, part)?;
        if let Some(chunk) = self.columns.last_mut() {
            chunk.dictionary_at = Some(dictionary_at);
            chunk.unpacked += dictionary.len();
        }
        Ok(())
    }

    /// The data pages of a column. `part` encodes the values that are there.
    #[allow(clippy::too_many_arguments)]
    fn data<T>(
        &mut self,
        name: &str,
        kind: Kind,
        encoding: i32,
        range: Option<(i64, i64)>,
        values: &[T],
        is_there: impl Fn(&T) -> bool,
        part: impl Fn(&[T]) -> Vec<u8>,
    ) -> std::io::Result<()> {
        let data_at = self.bytes.len();
        let (mut unpacked, mut nulls) = (0, 0);
        for rows in values.chunks(PAGE_ROWS) {
            let there: Vec<u32> = rows.iter().map(|value| u32::from(is_there(value))).collect();
            let missing = there.iter().filter(|&&there| there == 0).count();
            let mut levels = Vec::new();
            write_hybrid(&there, 1, &mut levels);
            let plain = part(rows);
            let packed = self.compressor.compress(&plain)?;
            let smaller = packed.len() < plain.len();
            let body = if smaller { &packed } else { &plain };
            let page =
                DataPage { rows: rows.len(), missing, encoding, levels: levels.len(), packed: smaller };
            self.data_page(&page, levels.len() + plain.len(), levels.len() + body.len());
            self.bytes.extend_from_slice(&levels);
            self.bytes.extend_from_slice(body);
            unpacked += levels.len() + plain.len();
            nulls += missing;
        }
        let name = name.to_owned();
        let dictionary_at = None;
        self.columns.push(Chunk { name, kind, encoding, dictionary_at, data_at, unpacked, nulls, range });
        Ok(())
    }

    fn data_page(&mut self, page: &DataPage, plain: usize, packed: usize) {
        self.page(page::DATA, plain, packed, |header| {
            header.structure(8, |header| {
                header.i32(1, page.rows as i32);
                header.i32(2, page.missing as i32);
                header.i32(3, page.rows as i32);
                header.i32(4, page.encoding);
                header.i32(5, page.levels as i32);
                header.i32(6, 0);
                header.boolean(7, page.packed);
            });
        });
    }

    fn page(&mut self, kind: i32, plain: usize, packed: usize, more: impl FnOnce(&mut thrift::Writer)) {
        let mut header = thrift::Writer::default();
        header.open();
        header.i32(1, kind);
        header.i32(2, plain as i32);
        header.i32(3, packed as i32);
        more(&mut header);
        header.close();
        self.bytes.extend_from_slice(&header.bytes);
    }

    /// The whole file.
    pub fn finish(mut self) -> Vec<u8> {
        let mut ends: Vec<usize> =
            self.columns.iter().map(|chunk| chunk.dictionary_at.unwrap_or(chunk.data_at)).skip(1).collect();
        ends.push(self.bytes.len());
        let footer = self.footer(&ends);
        self.bytes.extend_from_slice(&footer);
        self.bytes.extend_from_slice(&(footer.len() as u32).to_le_bytes());
        self.bytes.extend_from_slice(MAGIC);
        self.bytes
    }

    fn footer(&self, ends: &[usize]) -> Vec<u8> {
        let mut footer = thrift::Writer::default();
        footer.open();
        footer.i32(1, 2);
        let schema: Vec<Option<&Chunk>> =
            std::iter::once(None).chain(self.columns.iter().map(Some)).collect();
        footer.structures(2, &schema, |element, chunk| {
            if let Some(chunk) = chunk {
                chunk.schema(element);
            } else {
                element.binary(4, b"events");
                element.i32(5, self.columns.len() as i32);
            }
        });
        footer.i64(3, self.rows as i64);
        footer.structures(4, &[()], |group, ()| {
            let chunks: Vec<_> = self.columns.iter().zip(ends).collect();
            group.structures(1, &chunks, |column, (chunk, end)| {
                column.i64(2, 0);
                column.structure(3, |meta| chunk.meta(meta, self.rows, **end));
            });
            group.i64(2, self.columns.iter().map(|chunk| chunk.unpacked as i64).sum());
            group.i64(3, self.rows as i64);
        });
        footer.binary(6, concat!("timberline version ", env!("CARGO_PKG_VERSION")).as_bytes());
        footer.close();
        footer.bytes
    }
}

impl Chunk {
    fn schema(&self, element: &mut thrift::Writer) {
        element.i32(1, self.kind.physical());
        element.i32(3, 1);
        element.binary(4, self.name.as_bytes());
        let integer = |logical: &mut thrift::Writer, bits: i8| {
            logical.structure(10, |integer| {
                integer.i8(1, bits);
                integer.boolean(2, false);
            });
        };
        match self.kind {
            Kind::Text => {
                element.i32(6, 0);
                element.structure(10, |logical| logical.structure(1, |_| {}));
            }
            Kind::Time => element.structure(10, |logical| {
                logical.structure(8, |time| {
                    time.boolean(1, true);
                    time.structure(2, |unit| unit.structure(3, |_| {}));
                });
            }),
            Kind::UnsignedShort => {
                element.i32(6, 13);
                element.structure(10, |logical| integer(logical, 32));
            }
            Kind::UnsignedInt => {
                element.i32(6, 14);
                element.structure(10, |logical| integer(logical, 64));
            }
            Kind::Int | Kind::Float | Kind::Bool => {}
        }
    }

    fn meta(&self, meta: &mut thrift::Writer, rows: usize, end: usize) {
        let start = self.dictionary_at.unwrap_or(self.data_at);
        meta.i32(1, self.kind.physical());
        match self.dictionary_at {
            Some(_) => meta.numbers(2, &[encoding::PLAIN, encoding::RLE, self.encoding]),
            None => meta.numbers(2, &[encoding::RLE, self.encoding]),
        }
        meta.text_list(3, &[&self.name]);
        meta.i32(4, ZSTD);
        meta.i64(5, rows as i64);
        meta.i64(6, self.unpacked as i64);
        meta.i64(7, (end - start) as i64);
        meta.i64(9, self.data_at as i64);
        if let Some(at) = self.dictionary_at {
            meta.i64(11, at as i64);
        }
        meta.structure(12, |statistics| {
            statistics.i64(3, self.nulls as i64);
            if let Some((least, most)) = self.range {
                let width = if self.kind == Kind::UnsignedShort { 4 } else { 8 };
                statistics.binary(5, &most.to_le_bytes()[..width]);
                statistics.binary(6, &least.to_le_bytes()[..width]);
            }
        });
    }
}

fn bits(values: impl Iterator<Item = bool>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (index, value) in values.enumerate() {
        if index % 8 == 0 {
            bytes.push(0);
        }
        if let Some(byte) = bytes.last_mut() {
            *byte |= u8::from(value) << (index % 8);
        }
    }
    bytes
}

/// Each number's place among the distinct ones. Nothing where too few repeat.
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

/// Spreads a number over 64 bits. Numbers made to collide end the coding at its limit; they cannot slow it
/// for long.
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
