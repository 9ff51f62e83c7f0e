//! OTLP's messages in protobuf's wire format: tags with a number and a type, then a value or a length and bytes.
//! Five messages and one that contains itself are read, fields that are not known are passed over; so a reader of
//! a page serves, and there is no compiler of schemas to keep.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::record::{LogRecord, TakeRecord, hex_id};
use crate::http::limits::DOCUMENT_BYTES;

/// Values nested deeper are refused; attributes of programs are a few levels deep.
const DEEPEST_VALUE: usize = 32;

type ProtobufResult<T> = Result<T, String>;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Field<'a> {
    Varint(u64),
    Fixed64(u64),
    Fixed32(u32),
    Bytes(&'a [u8]),
}

impl<'a> Field<'a> {
    fn bytes(self) -> &'a [u8] {
        match self {
            Field::Bytes(bytes) => bytes,
            _ => &[],
        }
    }

    fn text(self) -> String {
        String::from_utf8_lossy(self.bytes()).into_owned()
    }

    fn number(self) -> u64 {
        match self {
            Field::Varint(number) | Field::Fixed64(number) => number,
            Field::Fixed32(number) => u64::from(number),
            Field::Bytes(_) => 0,
        }
    }
}

/// The fields of one message.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn next(&mut self) -> ProtobufResult<Option<(u64, Field<'a>)>> {
        if self.0.is_empty() {
            return Ok(None);
        }
        let tag = self.varint()?;
        let field = match tag & 7 {
            0 => Field::Varint(self.varint()?),
            1 => Field::Fixed64(u64::from_le_bytes(self.array()?)),
            2 => {
                let length = usize::try_from(self.varint()?).map_err(|error| error.to_string())?;
                Field::Bytes(self.take(length)?)
            }
            5 => Field::Fixed32(u32::from_le_bytes(self.array()?)),
            other => return Err(format!("the body is not an OTLP message: there is no wire type {other}")),
        };
        Ok(Some((tag >> 3, field)))
    }

    fn varint(&mut self) -> ProtobufResult<u64> {
        let mut number = 0;
        for shift in (0..70).step_by(7) {
            let byte = self.take(1)?[0];
            number |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err("the body is not an OTLP message: a number has no end".to_owned())
    }

    fn array<const N: usize>(&mut self) -> ProtobufResult<[u8; N]> {
        self.take(N)?.try_into().map_err(|_| "the body is cut off".to_owned())
    }

    fn take(&mut self, length: usize) -> ProtobufResult<&'a [u8]> {
        let (taken, rest) =
            self.0.split_at_checked(length).ok_or("the body is cut off: a field reaches past its end")?;
        self.0 = rest;
        Ok(taken)
    }
}

fn each<'a>(
    message: &'a [u8],
    mut each: impl FnMut(u64, Field<'a>) -> ProtobufResult<()>,
) -> ProtobufResult<()> {
    let mut fields = Fields(message);
    while let Some((number, field)) = fields.next()? {
        each(number, field)?;
    }
    Ok(())
}

/// Hands on all log records of an `ExportLogsServiceRequest`.
pub fn decode(request: &[u8], take: TakeRecord<'_>) -> ProtobufResult<()> {
    each(request, |number, field| if number == 1 { resource_logs(field.bytes(), take) } else { Ok(()) })
}

fn resource_logs(message: &[u8], take: TakeRecord<'_>) -> ProtobufResult<()> {
    let mut resource = Map::new();
    // The resource may follow what it is said of.
    each(message, |number, field| match number {
        1 if field.bytes().len() > DOCUMENT_BYTES => {
            Err(format!("the attributes of a resource are longer than {DOCUMENT_BYTES} bytes"))
        }
        1 => each(
            field.bytes(),
            |number, field| if number == 1 { key_value(field, 0, &mut resource) } else { Ok(()) },
        ),
        _ => Ok(()),
    })?;
    let resource = Arc::new(resource);
    each(
        message,
        |number, field| if number == 2 { scope_logs(field.bytes(), &resource, take) } else { Ok(()) },
    )
}

fn scope_logs(
    message: &[u8],
    resource: &Arc<Map<String, Value>>,
    take: TakeRecord<'_>,
) -> ProtobufResult<()> {
    let (mut name, mut version) = (String::new(), String::new());
    each(message, |number, field| {
        if number != 1 {
            return Ok(());
        }
        each(field.bytes(), |number, field| {
            match number {
                1 => name = field.text(),
                2 => version = field.text(),
                _ => {}
            }
            Ok(())
        })
    })?;
    each(message, |number, field| match number {
        2 if field.bytes().len() > DOCUMENT_BYTES => take(None),
        2 => take(Some(&LogRecord {
            resource: Arc::clone(resource),
            scope_name: name.clone(),
            scope_version: version.clone(),
            ..log_record(field.bytes())?
        })),
        _ => Ok(()),
    })
}

fn log_record(message: &[u8]) -> ProtobufResult<LogRecord> {
    let mut record = LogRecord::default();
    each(message, |number, field| {
        match number {
            1 => record.time = field.number(),
            2 => record.severity_number = field.number() as i64,
            3 => record.severity_text = field.text(),
            5 => record.body = Some(any_value(field.bytes(), 0)?),
            6 => key_value(field, 0, &mut record.attributes)?,
            9 => record.trace_id = hex_id(field.bytes()),
            10 => record.span_id = hex_id(field.bytes()),
            11 => record.observed = field.number(),
            12 => record.event_name = field.text(),
            _ => {}
        }
        Ok(())
    })?;
    Ok(record)
}

fn key_value(field: Field<'_>, depth: usize, into: &mut Map<String, Value>) -> ProtobufResult<()> {
    let (mut key, mut value) = (String::new(), Value::Null);
    each(field.bytes(), |number, field| {
        match number {
            1 => key = field.text(),
            2 => value = any_value(field.bytes(), depth)?,
            _ => {}
        }
        Ok(())
    })?;
    into.insert(key, value);
    Ok(())
}

fn any_value(message: &[u8], depth: usize) -> ProtobufResult<Value> {
    if depth > DEEPEST_VALUE {
        return Err(format!("values are nested deeper than {DEEPEST_VALUE} levels"));
    }
    let mut value = Value::Null;
    each(message, |number, field| {
        value = match number {
            1 => json!(field.text()),
            2 => json!(field.number() != 0),
            3 => json!(field.number() as i64),
            4 => json!(f64::from_bits(field.number())),
            5 => {
                let mut list = Vec::new();
                each(field.bytes(), |number, field| {
                    if number == 1 {
                        list.push(any_value(field.bytes(), depth + 1)?);
                    }
                    Ok(())
                })?;
                Value::Array(list)
            }
            6 => {
                let mut fields = Map::new();
                each(field.bytes(), |number, field| {
                    if number == 1 { key_value(field, depth + 1, &mut fields) } else { Ok(()) }
                })?;
                Value::Object(fields)
            }
            7 => json!(STANDARD.encode(field.bytes())),
            _ => return Ok(()),
        };
        Ok(())
    })?;
    Ok(value)
}

/// An `ExportLogsServiceResponse`.
pub fn success(rejected: u64, message: &str) -> Vec<u8> {
    if rejected == 0 {
        return Vec::new();
    }
    let mut partial = vec![1 << 3];
    push_varint(&mut partial, rejected);
    push_bytes(&mut partial, 2, message.as_bytes());
    let mut response = Vec::new();
    push_bytes(&mut response, 1, &partial);
    response
}

/// A `google.rpc.Status`.
pub fn status(message: &str) -> Vec<u8> {
    // The code of an invalid argument.
    let mut status = vec![1 << 3, 3];
    push_bytes(&mut status, 2, message.as_bytes());
    status
}

fn push_varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn push_bytes(out: &mut Vec<u8>, field: u8, bytes: &[u8]) {
    out.push(field << 3 | 2);
    push_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}
