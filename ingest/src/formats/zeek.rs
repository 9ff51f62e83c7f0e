//! Zeek's own tables: tab-separated values under headings that define the separator, the fields and their
//! types.

use memchr::memchr;

use super::{Fit, Format, Reader, Setup};
use crate::heading;
use crate::named_columns::{NamedColumns, Number, number};
use crate::rows::{ColumnKind, Rows};
use crate::time::When;
use crate::time::epoch;
use crate::time::find::whole_time;

pub(crate) static FORMAT: Format = Format {
    name: "zeek",
    title: "lines of a Zeek table",
    heading: Some(|_, line, _| is_heading(line)),
    reader,
    ..Format::LINES
};

const HEADINGS: [&[u8]; 9] = [
    b"#separator",
    b"#set_separator",
    b"#empty_field",
    b"#unset_field",
    b"#path",
    b"#open",
    b"#fields",
    b"#types",
    b"#close",
];

fn is_heading(line: &[u8]) -> bool {
    // The separator after the word may be any byte.
    line.first() == Some(&b'#')
        && HEADINGS.iter().any(|heading| {
            line.strip_prefix(*heading).is_some_and(|rest| !rest.first().is_some_and(u8::is_ascii_alphabetic))
        })
}

fn reader(_: &Setup) -> Box<dyn Reader> {
    Box::new(ZeekReader { headings: Headings::separated_by(b'\t'), named: NamedColumns::default() })
}

struct ZeekReader {
    headings: Headings,
    named: NamedColumns,
}

/// The values of the headings. The separator comes first, and a new one resets all of them.
struct Headings {
    separator: u8,
    /// The text of a missing value, and of an empty value.
    unset: Vec<u8>,
    empty: Vec<u8>,
    fields: Vec<Box<[u8]>>,
    types: Vec<Type>,
}

impl Headings {
    fn separated_by(separator: u8) -> Headings {
        Headings {
            separator,
            unset: b"-".to_vec(),
            empty: b"(empty)".to_vec(),
            fields: Vec::new(),
            types: Vec::new(),
        }
    }
}

#[derive(Clone, Copy)]
enum Type {
    Time,
    Int,
    Float,
    Bool,
    Text,
}

impl Reader for ZeekReader {
    #[inline]
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        if self.headings.fields.is_empty() {
            return Err("no line before it names its fields");
        }
        self.named.begin();
        let mut from = 0;
        let mut has_time = false;
        for index in 0..self.headings.fields.len() {
            let headings = &self.headings;
            if from > event.len() {
                return if index > 1 {
                    Ok(Fit::Partly)
                } else {
                    Err("it has fewer values than there are fields")
                };
            }
            let to = memchr(headings.separator, &event[from..]).map_or(event.len(), |length| from + length);
            let value = &event[from..to];
            if !value.is_empty() && *value != *headings.unset && *value != *headings.empty {
                let is_time = matches!(headings.types.get(index), Some(Type::Time));
                match time(value).filter(|_| is_time && !has_time) {
                    Some(when) => {
                        rows.when(&when);
                        has_time = true;
                    }
                    None => self.value(index, event, from, to, rows),
                }
            }
            from = to + 1;
        }
        Ok(if from > event.len() { Fit::Whole } else { Fit::Partly })
    }

    fn heading(&mut self, line: &[u8], _: &mut Rows) {
        let name = heading::kind(line);
        if name == heading::FIRST {
            let code = line[name.len()..].trim_ascii();
            let digits = code.strip_prefix(b"\\x").and_then(|digits| std::str::from_utf8(digits).ok());
            let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
            self.headings = Headings::separated_by(byte.or(code.first().copied()).unwrap_or(b'\t'));
            return;
        }
        let headings = &mut self.headings;
        let mut values = line.split(|&byte| byte == headings.separator).skip(1);
        match name {
            b"#fields" => headings.fields = values.map(Into::into).collect(),
            b"#types" => headings.types = values.map(type_of).collect(),
            b"#unset_field" => headings.unset = values.next().unwrap_or_default().to_vec(),
            b"#empty_field" => headings.empty = values.next().unwrap_or_default().to_vec(),
            _ => {}
        }
    }
}

impl ZeekReader {
    #[inline]
    fn value(&mut self, index: usize, event: &[u8], from: usize, to: usize, rows: &mut Rows) {
        let name = &self.headings.fields[index];
        let value = &event[from..to];
        let kind = self.headings.types.get(index).copied().unwrap_or(Type::Text);
        match (kind, number(value)) {
            (Type::Int, Some(Number::Int(int))) => {
                if let Some(column) = self.named.column(name, ColumnKind::Int, rows) {
                    rows.int(column, int);
                }
            }
            (Type::Float, Some(found)) => {
                if let Some(column) = self.named.column(name, ColumnKind::Float, rows) {
                    rows.float(
                        column,
                        match found {
                            Number::Int(int) => int as f64,
                            Number::Float(float) => float,
                        },
                    );
                }
            }
            (Type::Bool, _) if matches!(value, b"T" | b"F") => {
                if let Some(column) = self.named.column(name, ColumnKind::Bool, rows) {
                    rows.boolean(column, value == b"T");
                }
            }
            _ if value.contains(&b'\\') => self.named.rewrite(name, rows, |buffer| unescape(value, buffer)),
            _ => self.named.text(name, from, to, rows),
        }
    }
}

/// Seconds with a fraction, or ISO if Zeek is configured to write it.
fn time(value: &[u8]) -> Option<When> {
    epoch::number(value).map(When::Instant).or_else(|| whole_time(value))
}

fn type_of(name: &[u8]) -> Type {
    match name {
        b"time" => Type::Time,
        b"count" | b"int" | b"port" => Type::Int,
        b"double" | b"interval" => Type::Float,
        b"bool" => Type::Bool,
        _ => Type::Text,
    }
}

/// Bytes that would be mistaken for a separator are written `\x09`.
fn unescape(value: &[u8], buffer: &mut Vec<u8>) {
    let mut rest = value;
    while let Some(backslash) = memchr(b'\\', rest) {
        buffer.extend_from_slice(&rest[..backslash]);
        rest = &rest[backslash..];
        let byte = match rest {
            [_, b'x', high, low, ..] => {
                let digit = |digit: &u8| char::from(*digit).to_digit(16);
                digit(high).zip(digit(low)).map(|(high, low)| (high << 4 | low) as u8)
            }
            _ => None,
        };
        match byte {
            // Bytes beyond ASCII were escaped because they are not valid text.
            Some(byte) if byte.is_ascii() => {
                buffer.push(byte);
                rest = &rest[4..];
            }
            _ => {
                buffer.push(b'\\');
                rest = &rest[1..];
            }
        }
    }
    buffer.extend_from_slice(rest);
}

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::*;

    const HEAD: &str = "#separator \\x09\n#set_separator\t,\n#empty_field\t(empty)\n#unset_field\t-\n#path\tdns\n#fields\tts\tuid\tid.orig_h\tid.orig_p\trtt\tquery\tAA\tanswers\tend\n#types\ttime\tstring\taddr\tport\tinterval\tstring\tbool\tvector[string]\ttime\n";

    #[track_caller]
    fn check(line: &str, expected: &str) {
        assert_eq!(
            render(&FORMAT, &format!("{HEAD}{line}\n#close\t2026-11-21-04-00-00\n")),
            expected,
            "{line}"
        );
    }

    #[test]
    fn sample_lines() {
        check(
            "1795230245.125000\tCab1\t10.1.2.3\t41772\t1\ta\\x09b\\xc3.example\tT\tx,y\t1795230246.000000",
            r#"2026-11-21T03:04:05.125Z - uid="Cab1" id.orig_h="10.1.2.3" id.orig_p=41772 rtt=1.0 query="a\tb\\xc3.example" AA=true answers="x,y" end="1795230246.000000""#,
        );
        check(
            "2026-11-21T03:04:05Z\tCab1\t-\t-\t-\t-\tF\t(empty)\t-",
            r#"2026-11-21T03:04:05Z - uid="Cab1" AA=false"#,
        );
        check("1795230245.125000\tCab1", r#"2026-11-21T03:04:05.125Z - uid="Cab1""#);
        check("noise", "unparsed: it has fewer values than there are fields");
        assert_eq!(render(&FORMAT, "a\tb\n"), "unparsed: no line before it names its fields");
    }

    #[test]
    fn new_separator_resets_the_headings() {
        let other = "#separator |\n#fields|ts|n\n#types|time|int\n";
        assert_eq!(render(&FORMAT, &format!("{HEAD}{other}1795230245|7")), "2026-11-21T03:04:05Z - n=7");
        let unnamed = render(&FORMAT, &format!("{HEAD}#separator |\n1795230245|7"));
        assert_eq!(unnamed, "unparsed: no line before it names its fields");
    }
}
