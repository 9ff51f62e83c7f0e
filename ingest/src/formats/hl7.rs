//! Messages of medical devices and hospitals: HL7 version 2, whose messages begin with a segment `MSH`, and the
//! older ASTM E1394 of analysers, which begin with a record `H`. Segments end with a carriage return, which
//! files often replace by a line end.

use memchr::memchr3;

use super::{Fit, Format, Learned, Reader};
use crate::batch::Level;
use crate::frame::{EventBlock, Framing};
use crate::rows::{ColumnKind, Rows, Schema};
use crate::time::When;
use crate::time::find::whole_time;

pub(crate) static FORMAT: Format = Format {
    name: "hl7",
    title: "messages of HL7 or ASTM",
    weight: 2.0,
    columns: COLUMNS,
    learn: |sample, _| {
        if sample.windows(2).any(|pair| pair[0] == b'\r' && pair[1] != b'\n') {
            return Learned { framing: Framing::blocks(block), ..Learned::default() };
        }
        Learned::starting(|line| header(line).is_some())
    },
    reader: |_| Box::new(Hl7Reader),
    ..Format::LINES
};

const COLUMNS: Schema = &[
    ("type", ColumnKind::Text),
    ("control_id", ColumnKind::Text),
    ("sending_application", ColumnKind::Text),
    ("sending_facility", ColumnKind::Text),
    ("receiving_application", ColumnKind::Text),
    ("receiving_facility", ColumnKind::Text),
    ("patient_id", ColumnKind::Text),
    ("acknowledgement", ColumnKind::Text),
];
const PATIENT_ID: usize = 6;
const ACKNOWLEDGEMENT: usize = 7;

/// For each kind of header the fields that are kept, by their number after the name of the segment.
const MSH_FIELDS: [(usize, usize); 6] = [(8, 0), (9, 1), (2, 2), (3, 3), (4, 4), (5, 5)];
const ASTM_FIELDS: [(usize, usize); 3] = [(2, 1), (4, 2), (9, 4)];

/// The header of a message: its kind, and where it begins after the marks of the transport.
struct Header {
    is_astm: bool,
    at: usize,
    separator: u8,
}

impl Header {
    /// The number of the field with the time.
    fn time_field(&self) -> usize {
        if self.is_astm { 13 } else { 6 }
    }
}

/// The start of a block in HL7's transport, its end, and the start of a frame in ASTM's.
const START_OF_BLOCK: u8 = 0x0B;
const END_OF_BLOCK: u8 = 0x1C;
const START_OF_FRAME: u8 = 0x02;

fn header(text: &[u8]) -> Option<Header> {
    let at = text.iter().take_while(|&&byte| is_between(byte) || byte == START_OF_FRAME).count();
    // What follows the segment may be in the next chunk.
    let text = &text[..at + text[at..].iter().take_while(|&&byte| !is_between(byte)).count()];
    // The delimiters of components follow, in any order and of any choice: they are marks.
    let are_marks = |marks: &[u8]| marks.iter().all(u8::is_ascii_punctuation);
    if let Some([separator, marks @ ..]) = text[at..].strip_prefix(b"MSH") {
        let is_one = separator.is_ascii_punctuation() && marks.len() > 4 && are_marks(&marks[..3]);
        return is_one.then_some(Header { is_astm: false, at, separator: *separator });
    }
    // Frames are numbered from 0 to 7.
    let at = at + usize::from(matches!(text.get(at), Some(b'0'..=b'7')));
    let [separator, marks @ ..] = text[at..].strip_prefix(b"H")? else { return None };
    let is_one = *separator == b'|' && marks.len() > 3 && are_marks(&marks[..3]) && marks[3] == b'|';
    is_one.then_some(Header { is_astm: true, at, separator: *separator })
}

/// Whether a byte separates two segments or messages.
fn is_between(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n' | START_OF_BLOCK | END_OF_BLOCK)
}

/// The next message of a text whose segments end with a carriage return, with the marks of the transport around it: what is
/// around the first and the last message of a chunk belongs to them too.
fn block(text: &[u8]) -> Option<EventBlock> {
    let mut at = text.iter().position(|&byte| !is_between(byte))?;
    loop {
        at += memchr3(b'\r', b'\n', START_OF_BLOCK, text.get(at..)?)?;
        let next =
            at + text[at..].iter().take_while(|&&byte| is_between(byte) && byte != START_OF_BLOCK).count();
        at += text[at..].iter().position(|&byte| !is_between(byte))?;
        if header(&text[at..]).is_some() {
            return Some(EventBlock { start: 0, end: next, next });
        }
    }
}

struct Hl7Reader;

impl Reader for Hl7Reader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let header = header(event).ok_or("no header of a message")?;
        let mut from = header.at;
        let segments = event[from..].split(|&byte| is_between(byte));
        let mut fit = Fit::Partly;
        for (index, segment) in segments.enumerate() {
            let to = from + segment.len();
            if index == 0 {
                fit = put_header(&header, event, from, to, rows);
            } else if segment.len() > 4 && segment[3] == header.separator {
                match &segment[..3] {
                    b"PID" => {
                        if let Some((id, end)) = field(event, from, to, header.separator, 3) {
                            let component = event[id..end].iter().position(|&byte| byte == b'^');
                            put(PATIENT_ID, id, component.map_or(end, |length| id + length), rows);
                        }
                    }
                    b"MSA" => {
                        if let Some((code, end)) = field(event, from, to, header.separator, 1) {
                            put(ACKNOWLEDGEMENT, code, end, rows);
                            if matches!(&event[code..end], b"AE" | b"AR" | b"CE" | b"CR") {
                                rows.set_level(Level::Error);
                            }
                        }
                    }
                    _ => {}
                }
            }
            from = to + 1;
        }
        Ok(fit)
    }
}

fn put_header(header: &Header, event: &[u8], from: usize, to: usize, rows: &mut Rows) -> Fit {
    let fields: &[(usize, usize)] = if header.is_astm { &ASTM_FIELDS } else { &MSH_FIELDS };
    for &(number, column) in fields {
        if let Some((from, to)) = field(event, from, to, header.separator, number) {
            put(column, from, to, rows);
        }
    }
    let time = field(event, from, to, header.separator, header.time_field());
    match time.and_then(|(from, to)| timestamp(&event[from..to])) {
        Some(when) => {
            rows.when(&when);
            Fit::Whole
        }
        None => Fit::Partly,
    }
}

fn put(column: usize, from: usize, to: usize, rows: &mut Rows) {
    if from < to {
        rows.text(column, from, to);
    }
}

/// The range of a field of a segment; number 0 is the name of the segment.
fn field(event: &[u8], from: usize, to: usize, separator: u8, number: usize) -> Option<(usize, usize)> {
    let mut at = from;
    for _ in 0..number {
        at += event[at..to].iter().position(|&byte| byte == separator)? + 1;
    }
    let length = event[at..to].iter().position(|&byte| byte == separator);
    Some((at, length.map_or(to, |length| at + length)))
}

/// `20261121030405.123+0100`; the seconds may be missing.
fn timestamp(value: &[u8]) -> Option<When> {
    let digits = value.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == "202611210304".len() {
        return whole_time(&[&value[..digits], b"00", &value[digits..]].concat());
    }
    (digits == "20261121030405".len()).then(|| whole_time(value))?
}

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::FORMAT;

    #[test]
    fn sample_lines() {
        for (text, expected) in [
            (
                "MSH|^~\\&|LAB|NORTH|HIS|MAIN|20261121030405.5+0100||ORU^R01|M1|P|2.5\nPID|1||4711^^^NORTH^MR||DOE^JANE",
                r#"2026-11-21T02:04:05.5Z - type="ORU^R01" control_id="M1" sending_application="LAB" sending_facility="NORTH" receiving_application="HIS" receiving_facility="MAIN" patient_id="4711""#,
            ),
            (
                "\u{b}MSH|^~\\&|HIS||LAB||202611210304||ACK|A1|P|2.5\rMSA|AE|M1|no such patient\r\u{1c}\r",
                r#"2026-11-21T03:04:00Z error type="ACK" control_id="A1" sending_application="HIS" receiving_application="LAB" acknowledgement="AE""#,
            ),
            (
                "H|\\^&|||Analyser^1.0|||||HIS||P|1|20261121030405\nR|1|^^^GLU|5.4|mmol/L||N",
                r#"2026-11-21T03:04:05Z - sending_application="Analyser^1.0" receiving_application="HIS""#,
            ),
            ("MSHA is not a segment", "unparsed: it precedes the first event"),
        ] {
            assert_eq!(render(&FORMAT, text), expected, "{text}");
        }
    }
}
