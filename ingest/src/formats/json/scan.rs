//! Parses JSON in place: values are returned as ranges of the line, nothing is copied, and nesting uses no
//! stack.

use memchr::memchr2;

/// A value. Text and raw JSON are returned as ranges of the line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum JsonValue {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    /// A string without its quotes.
    Text {
        start: usize,
        end: usize,
        escaped: bool,
    },
    /// An array, an object nested too deep, or a number too large for its type.
    Raw {
        start: usize,
        end: usize,
    },
    /// An object; the cursor is after its opening brace.
    Object,
}

pub(super) type Scan<T> = Result<T, &'static str>;

pub(super) const CUT_SHORT: &str = "the JSON ends too early";
const BROKEN: &str = "the JSON is broken";

/// A position in a line.
pub(super) struct Cursor<'a> {
    pub bytes: &'a [u8],
    pub at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Cursor<'a> {
        Cursor { bytes, at: 0 }
    }

    /// The next byte that is not white space; it is not consumed.
    #[inline]
    pub(super) fn peek(&mut self) -> Scan<u8> {
        loop {
            match self.bytes.get(self.at) {
                Some(&byte) if byte > b' ' => return Ok(byte),
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.at += 1,
                Some(&byte) => return Ok(byte),
                None => return Err(CUT_SHORT),
            }
        }
    }

    #[inline]
    pub(super) fn expect(&mut self, byte: u8) -> Scan<()> {
        if self.peek()? != byte {
            return Err(BROKEN);
        }
        self.at += 1;
        Ok(())
    }

    /// A string whose opening quote was consumed: its range without quotes, and whether it has escapes.
    #[inline]
    pub(super) fn string(&mut self) -> Scan<(usize, usize, bool)> {
        let start = self.at;
        let mut escaped = false;
        loop {
            let rest = self.bytes.get(self.at..).ok_or(CUT_SHORT)?;
            self.at += memchr2(b'"', b'\\', rest).ok_or(CUT_SHORT)? + 1;
            if self.bytes[self.at - 1] == b'"' {
                return Ok((start, self.at - 1, escaped));
            }
            escaped = true;
            self.at += 1;
        }
    }

    /// The value that begins here. An object is entered if `enter` says so, otherwise skipped as a whole.
    pub(super) fn value(&mut self, enter: bool) -> Scan<JsonValue> {
        let first = self.peek()?;
        self.value_after(first, enter)
    }

    /// The same for a value whose first byte was peeked.
    #[inline]
    pub(super) fn value_after(&mut self, first: u8, enter: bool) -> Scan<JsonValue> {
        match first {
            b'"' => {
                self.at += 1;
                let (start, end, escaped) = self.string()?;
                Ok(JsonValue::Text { start, end, escaped })
            }
            b'{' if enter => {
                self.at += 1;
                Ok(JsonValue::Object)
            }
            b'{' | b'[' => self.nested(),
            b'-' | b'0'..=b'9' => self.number(),
            b't' => self.word(b"true", JsonValue::Bool(true)),
            b'f' => self.word(b"false", JsonValue::Bool(false)),
            b'n' => self.word(b"null", JsonValue::Null),
            // Not JSON, but written by Python and JavaScript programs all the same.
            b'N' => self.word(b"NaN", JsonValue::Null),
            _ => Err(BROKEN),
        }
    }

    fn word(&mut self, word: &[u8], value: JsonValue) -> Scan<JsonValue> {
        if !self.bytes[self.at..].starts_with(word) {
            return Err(BROKEN);
        }
        self.at += word.len();
        Ok(value)
    }

    /// Skips an array or object of any depth, by counting brackets outside strings.
    fn nested(&mut self) -> Scan<JsonValue> {
        let start = self.at;
        let mut depth = 0_usize;
        loop {
            let byte = *self.bytes.get(self.at).ok_or(CUT_SHORT)?;
            self.at += 1;
            match byte {
                b'"' => drop(self.string()?),
                b'{' | b'[' => depth += 1,
                b'}' | b']' => {
                    depth -= 1;
                    if depth == 0 {
                        return Ok(JsonValue::Raw { start, end: self.at });
                    }
                }
                _ => {}
            }
        }
    }

    #[inline]
    fn number(&mut self) -> Scan<JsonValue> {
        let start = self.at;
        let negative = self.bytes[self.at] == b'-';
        self.at += usize::from(negative);
        let (mantissa, digits) = self.digits(0);
        let fraction = match self.bytes.get(self.at) {
            Some(b'.') => {
                self.at += 1;
                Some(self.digits(mantissa))
            }
            _ => None,
        };
        if digits == 0 || matches!(fraction, Some((_, 0))) {
            return Err(BROKEN);
        }
        if matches!(self.bytes.get(self.at), Some(b'e' | b'E')) {
            return self.slow_number(start);
        }
        match fraction {
            None if digits <= 18 => {
                Ok(JsonValue::Int(if negative { -(mantissa as i64) } else { mantissa as i64 }))
            }
            // Identifiers may be larger than any number type; their digits are kept as text.
            None => Ok(match self.text(start).and_then(|text| text.parse().ok()) {
                Some(number) if number != i64::MIN => JsonValue::Int(number),
                _ => JsonValue::Raw { start, end: self.at },
            }),
            // Up to here both parts are exact as floats, so one division rounds correctly.
            Some((mantissa, fraction_digits)) if digits + fraction_digits <= 15 => {
                let value = mantissa as f64 / POWERS_OF_TEN[fraction_digits];
                Ok(JsonValue::Float(if negative { -value } else { value }))
            }
            Some(_) => self.slow_number(start),
        }
    }

    /// Appends the digits at this position to a number, and returns how many there were. The number is exact
    /// for up to 18 digits.
    #[inline]
    fn digits(&mut self, mut number: u64) -> (u64, usize) {
        let start = self.at;
        while let Some(digit @ b'0'..=b'9') = self.bytes.get(self.at) {
            number = number.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
            self.at += 1;
        }
        (number, self.at - start)
    }

    fn slow_number(&mut self, start: usize) -> Scan<JsonValue> {
        while matches!(self.bytes.get(self.at), Some(b'0'..=b'9' | b'e' | b'E' | b'+' | b'-' | b'.')) {
            self.at += 1;
        }
        let value: f64 = self.text(start).and_then(|text| text.parse().ok()).ok_or(BROKEN)?;
        Ok(if value.is_finite() { JsonValue::Float(value) } else { JsonValue::Raw { start, end: self.at } })
    }

    fn text(&self, start: usize) -> Option<&str> {
        std::str::from_utf8(&self.bytes[start..self.at]).ok()
    }
}

const POWERS_OF_TEN: [f64; 16] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
