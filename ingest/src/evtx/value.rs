//! Writes the values of binary XML as text, each as Windows writes it into its own XML.

use std::io::Write;

use super::bytes::{array, u16_at, u32_at, u64_at};
use crate::time::civil::civil_from_days;

/// The types a value can have.
pub(crate) mod kind {
    pub const NULL: u8 = 0x00;
    pub const STRING: u8 = 0x01;
    pub const ANSI_STRING: u8 = 0x02;
    pub const INT8: u8 = 0x03;
    pub const UINT8: u8 = 0x04;
    pub const INT16: u8 = 0x05;
    pub const UINT16: u8 = 0x06;
    pub const INT32: u8 = 0x07;
    pub const UINT32: u8 = 0x08;
    pub const INT64: u8 = 0x09;
    pub const UINT64: u8 = 0x0A;
    pub const REAL32: u8 = 0x0B;
    pub const REAL64: u8 = 0x0C;
    pub const BOOL: u8 = 0x0D;
    #[cfg(test)]
    pub const BINARY: u8 = 0x0E;
    pub const GUID: u8 = 0x0F;
    pub const SIZE: u8 = 0x10;
    pub const FILETIME: u8 = 0x11;
    pub const SYSTEMTIME: u8 = 0x12;
    pub const SID: u8 = 0x13;
    pub const HEX32: u8 = 0x14;
    pub const HEX64: u8 = 0x15;
    pub const HANDLE: u8 = 0x20;
    pub const BINARY_XML: u8 = 0x21;
    pub const XML: u8 = 0x23;
    /// Set if the value is a list.
    pub const LIST: u8 = 0x80;
}

/// The size of one value of this type; `None` if the type has no fixed size.
pub(super) fn fixed_size(kind: u8) -> Option<usize> {
    Some(match kind {
        kind::INT8 | kind::UINT8 => 1,
        kind::INT16 | kind::UINT16 => 2,
        kind::INT32 | kind::UINT32 | kind::REAL32 | kind::BOOL | kind::HEX32 => 4,
        kind::INT64 | kind::UINT64 | kind::REAL64 | kind::FILETIME | kind::HEX64 => 8,
        kind::GUID | kind::SYSTEMTIME => 16,
        _ => return None,
    })
}

/// Where the first value of a list ends, and the next one begins.
pub(super) fn list_item(kind: u8, list: &[u8]) -> (usize, usize) {
    const SMALLEST_SID: usize = 8;
    let size = match kind {
        kind::STRING => {
            let zero = list.chunks_exact(2).position(|unit| unit == [0, 0]);
            return zero.map_or((list.len(), list.len()), |units| (2 * units, 2 * units + 2));
        }
        kind::ANSI_STRING => {
            let zero = list.iter().position(|&byte| byte == 0);
            return zero.map_or((list.len(), list.len()), |end| (end, end + 1));
        }
        kind::SID => SMALLEST_SID + 4 * usize::from(*list.get(1).unwrap_or(&0)),
        _ => fixed_size(kind).unwrap_or(list.len()),
    };
    let size = size.clamp(1, list.len().max(1));
    (size, size)
}

/// Appends a value as text. If its bytes do not fit its type, it is written in hexadecimal, like binary data.
pub(super) fn write_value(kind: u8, bytes: &[u8], out: &mut Vec<u8>) {
    let before = out.len();
    if write_typed(kind, bytes, out).is_none() {
        out.truncate(before);
        write_hex(bytes, out);
    }
}

fn write_typed(kind: u8, bytes: &[u8], out: &mut Vec<u8>) -> Option<()> {
    if fixed_size(kind).is_some_and(|size| size != bytes.len()) {
        return if bytes.is_empty() { Some(()) } else { None };
    }
    match kind {
        kind::NULL => {}
        kind::STRING | kind::XML => write_utf16(bytes, out),
        kind::ANSI_STRING => write_ansi(bytes, out),
        kind::INT8 => write_int(i64::from(array::<1>(bytes, 0).map(i8::from_le_bytes)?), out),
        kind::UINT8 => write_int(i64::from(*bytes.first()?), out),
        kind::INT16 => write_int(i64::from(u16_at(bytes, 0)? as i16), out),
        kind::UINT16 => write_int(i64::from(u16_at(bytes, 0)?), out),
        kind::INT32 => write_int(i64::from(u32_at(bytes, 0)? as i32), out),
        kind::UINT32 => write_int(i64::from(u32_at(bytes, 0)?), out),
        kind::INT64 => write_int(u64_at(bytes, 0)? as i64, out),
        kind::UINT64 => write_uint(u64_at(bytes, 0)?, out),
        kind::REAL32 => write!(out, "{}", array(bytes, 0).map(f32::from_le_bytes)?).ok()?,
        kind::REAL64 => write!(out, "{}", array(bytes, 0).map(f64::from_le_bytes)?).ok()?,
        kind::BOOL => out.extend_from_slice(if u32_at(bytes, 0)? == 0 { b"false" } else { b"true" }),
        kind::GUID => write_guid(bytes, out)?,
        kind::FILETIME => write_filetime(u64_at(bytes, 0)?, out)?,
        kind::SYSTEMTIME => write_systemtime(bytes, out)?,
        kind::SID => write_sid(bytes, out)?,
        kind::HEX32 => write!(out, "{:#x}", u32_at(bytes, 0)?).ok()?,
        kind::HEX64 => write!(out, "{:#x}", u64_at(bytes, 0)?).ok()?,
        kind::SIZE | kind::HANDLE => match bytes.len() {
            0 => {}
            4 => write!(out, "{:#x}", u32_at(bytes, 0)?).ok()?,
            8 => write!(out, "{:#x}", u64_at(bytes, 0)?).ok()?,
            _ => return None,
        },
        // Binary data, and any types that later versions of Windows add.
        _ => return None,
    }
    Some(())
}

fn write_hex(bytes: &[u8], out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    out.extend(
        bytes.iter().flat_map(|&byte| [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]),
    );
}

pub(super) fn write_int(value: i64, out: &mut Vec<u8>) {
    if value < 0 {
        out.push(b'-');
    }
    write_uint(value.unsigned_abs(), out);
}

fn write_uint(mut value: u64, out: &mut Vec<u8>) {
    const MOST_DIGITS: usize = 20;
    let mut digits = [0; MOST_DIGITS];
    let mut at = MOST_DIGITS;
    loop {
        at -= 1;
        digits[at] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

/// Appends UTF-16 as UTF-8, without the zeros at its end. An unpaired surrogate becomes the replacement
/// character.
pub(super) fn write_utf16(bytes: &[u8], out: &mut Vec<u8>) {
    const BLOCK: usize = 8;
    const NOT_ASCII: u64 = 0xFF80_FF80_FF80_FF80;
    let mut end = bytes.len() & !1;
    while end >= 2 && bytes[end - 2] == 0 && bytes[end - 1] == 0 {
        end -= 2;
    }
    let bytes = &bytes[..end];
    out.reserve(end / 2);
    let mut at = 0;
    while let Some(block) = array::<BLOCK>(bytes, at) {
        if u64::from_le_bytes(block) & NOT_ASCII != 0 {
            break;
        }
        out.extend_from_slice(&[block[0], block[2], block[4], block[6]]);
        at += BLOCK;
    }
    let units = bytes[at..].chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]]));
    for decoded in char::decode_utf16(units) {
        let character = decoded.unwrap_or(char::REPLACEMENT_CHARACTER);
        out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    }
}

/// A string in the code page of the machine that wrote it, which the log does not name: decoded as UTF-8 if
/// it is valid, otherwise as Latin-1, which has the letters of every western code page.
fn write_ansi(bytes: &[u8], out: &mut Vec<u8>) {
    let end = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    match std::str::from_utf8(&bytes[..end]) {
        Ok(text) => out.extend_from_slice(text.as_bytes()),
        Err(_) => {
            for &byte in &bytes[..end] {
                out.extend_from_slice(char::from(byte).encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
    }
}

fn write_guid(bytes: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let (first, second, third) = (u32_at(bytes, 0)?, u16_at(bytes, 4)?, u16_at(bytes, 6)?);
    let (fourth, last) = (u16::from_be_bytes(array(bytes, 8)?), array::<6>(bytes, 10)?);
    let last = last.iter().fold(0, |number, &byte| number << 8 | u64::from(byte));
    write!(out, "{{{first:08x}-{second:04x}-{third:04x}-{fourth:04x}-{last:012x}}}").ok()
}

/// `S-1-5-21-…`: revision, authority and the numbers under it. Some providers leave extra bytes after it.
fn write_sid(bytes: &[u8], out: &mut Vec<u8>) -> Option<()> {
    const NUMBERS_AT: usize = 8;
    if bytes.is_empty() {
        return Some(());
    }
    let (revision, count) = (*bytes.first()?, usize::from(*bytes.get(1)?));
    let authority = array::<6>(bytes, 2)?.iter().fold(0, |number, &byte| number << 8 | u64::from(byte));
    write!(out, "S-{revision}-{authority}").ok()?;
    for number in 0..count {
        out.push(b'-');
        write_uint(u64::from(u32_at(bytes, NUMBERS_AT + 4 * number)?), out);
    }
    Some(())
}

/// Hundreds of nanoseconds from 1601 to 1970.
const FILETIME_OF_1970: i128 = 116_444_736_000_000_000;

/// A FILETIME in nanoseconds since 1970, if 64 bits can hold it. Zero means that there is no time.
pub(super) fn filetime_ns(filetime: u64) -> Option<i64> {
    if filetime == 0 {
        return None;
    }
    i64::try_from((i128::from(filetime) - FILETIME_OF_1970) * 100).ok()
}

/// In the form that Windows writes: seven digits, because a FILETIME counts units of 100 ns.
pub(super) fn write_filetime(filetime: u64, out: &mut Vec<u8>) -> Option<()> {
    const LAST_YEAR: i32 = 9999;
    const A_SECOND: i128 = 10_000_000;
    const A_DAY: i128 = 86_400 * A_SECOND;
    let since_1970 = i128::from(filetime) - FILETIME_OF_1970;
    let (days, rest) = (since_1970.div_euclid(A_DAY), since_1970.rem_euclid(A_DAY));
    let (year, month, day) = civil_from_days(i64::try_from(days).ok()?);
    if year > LAST_YEAR {
        return None;
    }
    let (seconds, fraction) = ((rest / A_SECOND) as u64, (rest % A_SECOND) as u64);
    write_date(year as u64, u64::from(month), u64::from(day), out);
    write_clock(seconds / 3600, seconds / 60 % 60, seconds % 60, out);
    write_padded(fraction, 7, out);
    out.push(b'Z');
    Some(())
}

/// Year, month, weekday, day, hour, minute, second and millisecond, 16 bits each.
fn write_systemtime(bytes: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let field = |at: usize| u16_at(bytes, 2 * at).map(u64::from);
    let (year, month, day) = (field(0)?, field(1)?, field(3)?);
    let (hour, minute, second, milli) = (field(4)?, field(5)?, field(6)?, field(7)?);
    let is_time = (1601..=9999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && (hour < 24 && minute < 60 && second < 61 && milli < 1000);
    if !is_time {
        return None;
    }
    write_date(year, month, day, out);
    write_clock(hour, minute, second, out);
    write_padded(milli, 3, out);
    out.push(b'Z');
    Some(())
}

fn write_date(year: u64, month: u64, day: u64, out: &mut Vec<u8>) {
    for (number, width, separator) in [(year, 4, b'-'), (month, 2, b'-'), (day, 2, b'T')] {
        write_padded(number, width, out);
        out.push(separator);
    }
}

fn write_clock(hour: u64, minute: u64, second: u64, out: &mut Vec<u8>) {
    for (number, separator) in [(hour, b':'), (minute, b':'), (second, b'.')] {
        write_padded(number, 2, out);
        out.push(separator);
    }
}

fn write_padded(mut number: u64, width: usize, out: &mut Vec<u8>) {
    let from = out.len();
    out.resize(from + width, b'0');
    for digit in out[from..].iter_mut().rev() {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(kind: u8, bytes: &[u8], expected: &str) {
        let mut out = Vec::new();
        write_value(kind, bytes, &mut out);
        assert_eq!(String::from_utf8_lossy(&out), expected);
    }

    #[test]
    fn every_type_as_windows_writes_it() {
        check(kind::NULL, b"", "");
        check(kind::STRING, b"a\0b\0\xE4\0\x3D\xD8\x00\xDE\0\0", "ab\u{e4}\u{1f600}");
        check(kind::STRING, b"C\0:\0\\\0W\0i\0n\0", "C:\\Win");
        check(kind::STRING, b"\x00\xD8x\0", "\u{fffd}x");
        check(kind::ANSI_STRING, b"plain\0\0", "plain");
        check(kind::ANSI_STRING, b"\xFCber", "\u{fc}ber");
        check(kind::INT8, &[0xFF], "-1");
        check(kind::UINT8, &[0xFF], "255");
        check(kind::INT16, &(-300i16).to_le_bytes(), "-300");
        check(kind::UINT16, &65535u16.to_le_bytes(), "65535");
        check(kind::INT32, &i32::MIN.to_le_bytes(), "-2147483648");
        check(kind::UINT32, &u32::MAX.to_le_bytes(), "4294967295");
        check(kind::INT64, &i64::MIN.to_le_bytes(), "-9223372036854775808");
        check(kind::UINT64, &u64::MAX.to_le_bytes(), "18446744073709551615");
        check(kind::REAL32, &1.5f32.to_le_bytes(), "1.5");
        check(kind::REAL64, &(-0.25f64).to_le_bytes(), "-0.25");
        check(kind::BOOL, &1u32.to_le_bytes(), "true");
        check(kind::BOOL, &0u32.to_le_bytes(), "false");
        check(kind::BINARY, &[0x0A, 0xFF], "0AFF");
        check(
            kind::GUID,
            &[0x25, 0x96, 0x84, 0x54, 0x78, 0x54, 0x94, 0x49, 0xA5, 0xBA, 0x3E, 0x3B, 3, 0x28, 0xC3, 0x0D],
            "{54849625-5478-4994-a5ba-3e3b0328c30d}",
        );
        check(kind::SIZE, &4096u32.to_le_bytes(), "0x1000");
        check(kind::SIZE, &4096u64.to_le_bytes(), "0x1000");
        check(kind::HANDLE, &1u64.to_le_bytes(), "0x1");
        check(kind::FILETIME, &131_444_736_000_000_001u64.to_le_bytes(), "2017-07-14T02:40:00.0000001Z");
        check(kind::FILETIME, &0u64.to_le_bytes(), "1601-01-01T00:00:00.0000000Z");
        let time = [2026u16, 11, 6, 21, 3, 4, 5, 60].map(u16::to_le_bytes).concat();
        check(kind::SYSTEMTIME, &time, "2026-11-21T03:04:05.060Z");
        check(kind::SID, &[1, 2, 0, 0, 0, 0, 0, 5, 32, 0, 0, 0, 32, 2, 0, 0], "S-1-5-32-544");
        check(kind::HEX32, &0xC000_006Du32.to_le_bytes(), "0xc000006d");
        check(kind::HEX64, &0x8020_0000_0000_0000u64.to_le_bytes(), "0x8020000000000000");
    }

    #[test]
    fn bytes_that_do_not_fit_their_type_are_shown() {
        check(kind::UINT32, &[1, 2], "0102");
        check(kind::SID, &[1, 9, 0, 0, 0, 0, 0, 5], "0109000000000005");
        check(kind::FILETIME, &u64::MAX.to_le_bytes(), "FFFFFFFFFFFFFFFF");
        check(kind::SYSTEMTIME, &[0xFF; 16], "FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF");
        check(0x77, b"zz", "7A7A");
        check(kind::UINT64, b"", "");
    }

    #[test]
    fn lists_are_cut_by_type() {
        assert_eq!(list_item(kind::STRING, b"a\0\0\0b\0"), (2, 4));
        assert_eq!(list_item(kind::STRING, b"a\0"), (2, 2));
        assert_eq!(list_item(kind::ANSI_STRING, b"ab\0c"), (2, 3));
        assert_eq!(list_item(kind::UINT16, &[0; 6]), (2, 2));
        assert_eq!(list_item(kind::SID, &[1, 1, 0, 0, 0, 0, 0, 5, 18, 0, 0, 0, 1]), (12, 12));
        assert_eq!(list_item(kind::GUID, &[0; 3]), (3, 3));
    }

    #[test]
    fn times_beyond_64_bits_of_nanoseconds_are_none() {
        assert_eq!(filetime_ns(131_444_736_000_000_001), Some(1_500_000_000_000_000_100));
        assert_eq!(filetime_ns(0), None);
        assert_eq!(filetime_ns(u64::MAX), None);
    }
}
