//! Thrift's compact protocol, as far as Parquet's footers and page headers need it: structures of numbers,
//! text, lists and structures.

/// Writes one structure after the other. Fields must come with growing ids.
#[derive(Debug, Default)]
pub struct Writer {
    pub bytes: Vec<u8>,
    last: Vec<i16>,
}

const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const I16: u8 = 4;
const I32: u8 = 5;
const I64: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const STRUCT: u8 = 12;

impl Writer {
    fn header(&mut self, id: i16, kind: u8) {
        if let Some(last) = self.last.last_mut() {
            // Every structure of Parquet keeps its field ids within the short form's reach.
            self.bytes.push(((id - *last) as u8) << 4 | kind);
            *last = id;
        }
    }

    pub fn open(&mut self) {
        self.last.push(0);
    }

    pub fn close(&mut self) {
        self.last.pop();
        self.bytes.push(0);
    }

    pub fn structure(&mut self, id: i16, write: impl FnOnce(&mut Writer)) {
        self.header(id, STRUCT);
        self.open();
        write(self);
        self.close();
    }

    pub fn i8(&mut self, id: i16, value: i8) {
        self.header(id, BYTE);
        self.bytes.push(value as u8);
    }

    pub fn i32(&mut self, id: i16, value: i32) {
        self.header(id, I32);
        varint(&mut self.bytes, zigzag(i64::from(value)));
    }

    pub fn i64(&mut self, id: i16, value: i64) {
        self.header(id, I64);
        varint(&mut self.bytes, zigzag(value));
    }

    pub fn boolean(&mut self, id: i16, value: bool) {
        self.header(id, if value { TRUE } else { FALSE });
    }

    pub fn binary(&mut self, id: i16, value: &[u8]) {
        self.header(id, BINARY);
        self.plain_binary(value);
    }

    fn plain_binary(&mut self, value: &[u8]) {
        varint(&mut self.bytes, value.len() as u64);
        self.bytes.extend_from_slice(value);
    }

    fn list(&mut self, id: i16, kind: u8, length: usize) {
        self.header(id, LIST);
        if length < 15 {
            self.bytes.push((length as u8) << 4 | kind);
        } else {
            self.bytes.push(0xF0 | kind);
            varint(&mut self.bytes, length as u64);
        }
    }

    pub fn numbers(&mut self, id: i16, values: &[i32]) {
        self.list(id, I32, values.len());
        for &value in values {
            varint(&mut self.bytes, zigzag(i64::from(value)));
        }
    }

    pub fn text_list(&mut self, id: i16, values: &[&str]) {
        self.list(id, BINARY, values.len());
        for value in values {
            self.plain_binary(value.as_bytes());
        }
    }

    pub fn structures<T>(&mut self, id: i16, items: &[T], mut write: impl FnMut(&mut Writer, &T)) {
        self.list(id, STRUCT, items.len());
        for item in items {
            self.open();
            write(self, item);
            self.close();
        }
    }
}

pub fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

pub fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

pub fn varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// A value of a field as it was read; what Parquet has and this crate does not use is passed over.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Number(i64),
    Binary(Vec<u8>),
    List(Vec<Value>),
    Structure(Structure),
    Other,
}

/// The fields of a structure by id.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Structure(Vec<(i16, Value)>);

impl Structure {
    fn get(&self, id: i16) -> Option<&Value> {
        self.0.iter().find(|(found, _)| *found == id).map(|(_, value)| value)
    }

    pub fn number(&self, id: i16) -> Option<i64> {
        match self.get(id)? {
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    pub fn text(&self, id: i16) -> Option<&str> {
        match self.get(id)? {
            Value::Binary(bytes) => std::str::from_utf8(bytes).ok(),
            _ => None,
        }
    }

    pub fn structure(&self, id: i16) -> Option<&Structure> {
        match self.get(id)? {
            Value::Structure(structure) => Some(structure),
            _ => None,
        }
    }

    /// The structures of a list.
    pub fn structures(&self, id: i16) -> impl Iterator<Item = &Structure> {
        let items = match self.get(id) {
            Some(Value::List(items)) => items.as_slice(),
            _ => &[],
        };
        items.iter().filter_map(|item| match item {
            Value::Structure(structure) => Some(structure),
            _ => None,
        })
    }
}

/// Reads bytes that may be anything; what is no Thrift gives nothing.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    pub bytes: &'a [u8],
    pub at: usize,
}

/// Structures in structures; Parquet has five.
const DEPTH: usize = 16;

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    pub fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    pub fn structure(&mut self) -> Option<Structure> {
        self.structure_within(DEPTH)
    }

    fn structure_within(&mut self, depth: usize) -> Option<Structure> {
        let depth = depth.checked_sub(1)?;
        let mut fields = Vec::new();
        let mut last = 0_i16;
        loop {
            let header = self.byte()?;
            if header == 0 {
                return Some(Structure(fields));
            }
            last = match header >> 4 {
                0 => unzigzag(self.varint()?) as i16,
                step => last.checked_add(i16::from(step))?,
            };
            let value = match header & 0xF {
                TRUE => Value::Number(1),
                FALSE => Value::Number(0),
                kind => self.value(kind, depth)?,
            };
            fields.push((last, value));
        }
    }

    fn value(&mut self, kind: u8, depth: usize) -> Option<Value> {
        Some(match kind {
            TRUE | FALSE | BYTE => Value::Number(i64::from(self.byte()? as i8)),
            I16 | I32 | I64 => Value::Number(unzigzag(self.varint()?)),
            DOUBLE => {
                self.at += 8;
                Value::Other
            }
            BINARY => {
                let length = usize::try_from(self.varint()?).ok()?;
                let bytes = self.bytes.get(self.at..self.at.checked_add(length)?)?;
                self.at += length;
                Value::Binary(bytes.to_vec())
            }
            LIST | SET => {
                let header = self.byte()?;
                let length = match header >> 4 {
                    15 => usize::try_from(self.varint()?).ok()?,
                    short => usize::from(short),
                };
                let depth = depth.checked_sub(1)?;
                // Every item takes a byte at least, so a length beyond the bytes is a lie.
                if length > self.bytes.len().saturating_sub(self.at) {
                    return None;
                }
                Value::List((0..length).map(|_| self.value(header & 0xF, depth)).collect::<Option<_>>()?)
            }
            STRUCT => Value::Structure(self.structure_within(depth)?),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_structure_reads_back() {
        let mut writer = Writer::default();
        writer.open();
        writer.i32(1, -7);
        writer.binary(4, b"name");
        writer.boolean(5, true);
        writer.structure(9, |inner| inner.i64(2, i64::MIN));
        writer.structures(10, &(0..20).collect::<Vec<i32>>(), |inner, item| inner.i32(1, *item));
        writer.close();
        let read = Reader { bytes: &writer.bytes, at: 0 }.structure().expect("it is as it was written");
        assert_eq!((read.number(1), read.text(4), read.number(5)), (Some(-7), Some("name"), Some(1)));
        assert_eq!(read.structure(9).expect("it is as it was written").number(2), Some(i64::MIN));
        assert_eq!(read.structures(10).filter_map(|item| item.number(1)).sum::<i64>(), 190);
        for end in 0..writer.bytes.len() {
            assert_eq!(Reader { bytes: &writer.bytes[..end], at: 0 }.structure(), None);
        }
    }
}
