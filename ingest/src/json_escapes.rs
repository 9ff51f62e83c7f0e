//! The escapes of JSON strings.

use memchr::memchr;

/// Appends a string with its escapes resolved. Invalid escapes stay as they are written.
pub(crate) fn unescape(text: &[u8], out: &mut Vec<u8>) {
    let mut at = 0;
    while let Some(length) = memchr(b'\\', &text[at..]) {
        out.extend_from_slice(&text[at..at + length]);
        at += length;
        let plain = match text.get(at + 1) {
            Some(b'n') => b'\n',
            Some(b't') => b'\t',
            Some(b'r') => b'\r',
            Some(b'b') => 0x08,
            Some(b'f') => 0x0C,
            Some(&byte @ (b'"' | b'\\' | b'/')) => byte,
            Some(b'u') if let Some((character, length)) = unicode(&text[at..]) => {
                out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                at += length;
                continue;
            }
            _ => {
                out.push(b'\\');
                at += 1;
                continue;
            }
        };
        out.push(plain);
        at += 2;
    }
    out.extend_from_slice(&text[at..]);
}

/// `\uXXXX`, or a surrogate pair of two; an unpaired surrogate becomes the replacement character. Returns the
/// length read.
fn unicode(text: &[u8]) -> Option<(char, usize)> {
    let unit = hex(text)?;
    if (0xD800..0xDC00).contains(&unit)
        && let Some(low @ 0xDC00..=0xDFFF) = text.get(6..).and_then(hex)
    {
        let code = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
        return Some((char::from_u32(code)?, 12));
    }
    Some((char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER), 6))
}

fn hex(text: &[u8]) -> Option<u32> {
    let &[b'\\', b'u', ref digits @ ..] = text.first_chunk::<6>()? else { return None };
    digits.iter().try_fold(0, |number, &digit| Some(number << 4 | char::from(digit).to_digit(16)?))
}
