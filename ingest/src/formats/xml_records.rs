//! Records of any XML: elements of one name that each begin their line, with or without a root around
//! them, or that follow one another on a line (`xml_elements.rs`). Attributes and the texts of inner elements
//! become fields, named by their path.

use std::collections::HashMap;
use std::sync::Arc;

use super::json::{is_level, time_key_weight};
use super::xml_elements::{self, RepeatedElements};
use super::{Fit, Format, Learned, Reader, Setup};
use crate::batch::Level;
use crate::encoding::BYTE_ORDER_MARK;
use crate::frame::Framing;
use crate::level;
use crate::level_words::from_word_of_any_language;
use crate::limits;
use crate::named_columns::{NamedColumns, Number, number};
use crate::rows::Rows;
use crate::time::field::{FieldTimes, KNOWN, MOST_EVENTS, TimeField, TimeFieldOption, mark_chosen};
use crate::time::find::whole_time;
use crate::xml::{Token, XmlReader, unescape};

pub(crate) static FORMAT: Format = Format {
    name: "xml",
    title: "records of XML",
    weight: 0.8,
    learn,
    preamble: Some(|text| is_tag(without_mark(text))),
    reader: |setup| {
        let time_field = setup.learned.time_field.clone();
        Box::new(XmlRecords { named: NamedColumns::default(), path: Vec::new(), time_field })
    },
    ..Format::LINES
};

/// Removes white space and a byte order mark at the start of the text.
fn without_mark(text: &[u8]) -> &[u8] {
    let text = text.trim_ascii_start();
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text).trim_ascii_start()
}

/// Whether a tag, a declaration or a comment begins here.
fn is_tag(text: &[u8]) -> bool {
    matches!(text, [b'<', b'?' | b'!' | b'/' | b'a'..=b'z' | b'A'..=b'Z' | b'_', ..])
}

/// The name of the element that begins here.
fn element(text: &[u8]) -> Option<&[u8]> {
    let name = text.strip_prefix(b"<")?;
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/');
    let length = name.iter().position(is_end)?;
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte >= 0x80 || b"_-.:".contains(byte);
    (length > 0 && name[0].is_ascii_alphabetic() && name[..length].iter().all(is_name))
        .then_some(&name[..length])
}

/// The first element that begins a line twice is the record, and elements within it begin lines no earlier;
/// but if it has several inner elements with times of their own, and none itself, these are the records.
fn learn(sample: &[u8], setup: &Setup) -> Learned {
    let text = without_mark(sample);
    if !is_tag(text) || text.starts_with(b"<![") || text.starts_with(b"<!DOCTYPE html") {
        return Learned::default();
    }
    let mut counts: HashMap<&[u8], usize> = HashMap::new();
    let mut names: Vec<&[u8]> = Vec::new();
    for name in text.split(|&byte| byte == b'\n').filter_map(|line| element(line.trim_ascii_start())) {
        let count = counts.entry(name).or_default();
        *count += 1;
        if *count == 1 {
            names.push(name);
        }
    }
    let repeated: Vec<&[u8]> = names.iter().copied().filter(|name| counts[name] > 1).collect();
    let chosen = setup.time_field.as_deref();
    let Some(&outer) = repeated.first() else { return within_line(text, chosen).unwrap_or_default() };
    let own_time = |name: &[u8]| {
        let field = time_field(text, name, chosen).0.filter(|field| !field.name.contains(&b'.'))?;
        Some(std::str::from_utf8(&field.name).map_or(0.0, time_key_weight))
    };
    let is_inner = |name: &&&[u8]| {
        counts[**name] * 2 >= counts[outer] * 3 && own_time(name).is_some_and(|weight| weight >= KNOWN)
    };
    // In a short log each record may be of another name.
    let is_one_of_several = |name: &&&[u8]| {
        own_time(name).is_some_and(|weight| weight >= KNOWN)
            && time_field(text, name, chosen)
                .0
                .is_some_and(|field| with_same_time(text, name, &field.name).len() > 1)
    };
    let inner = if own_time(outer).is_some() {
        None
    } else {
        repeated[1..].iter().find(is_inner).or_else(|| names.iter().find(is_one_of_several))
    };
    let record = inner.copied().unwrap_or(outer);
    let (time_field, options) = time_field(text, record, chosen);
    let mut starts = vec![record.to_vec()];
    starts.extend(time_field.iter().flat_map(|field| with_same_time(text, record, &field.name)));
    let begins = move |line: &[u8]| {
        element(line.trim_ascii_start()).is_some_and(|name| starts.iter().any(|start| start == name))
    };
    let time_field = time_field.map(Arc::new);
    Learned { time_field, time_options: options.into(), ..Learned::starting(begins) }
}

/// Records that follow one another on a line, if they have a time: the elements next to one that is repeated.
fn within_line(text: &[u8], chosen: Option<&str>) -> Option<Learned> {
    let RepeatedElements { around, record } = xml_elements::repeated(text)?;
    let (time_field, options) = time_field(text, &record, chosen);
    let time_field = Some(Arc::new(time_field?));
    let framing = Framing::blocks(move |text| xml_elements::block(text, &around));
    Some(Learned { framing, time_field, time_options: options.into(), ..Learned::default() })
}

/// The names of other elements that begin their lines as the records do and have their time in the same
/// attribute.
fn with_same_time(text: &[u8], record: &[u8], attribute: &[u8]) -> Vec<Vec<u8>> {
    let indent = |line: &[u8]| line.len() - line.trim_ascii_start().len();
    let of_line = |line: &'_ [u8]| element(line.trim_ascii_start()).map(<[u8]>::to_vec);
    let lines = || text.split(|&byte| byte == b'\n');
    let Some(first) = lines().find(|line| of_line(line).as_deref() == Some(record)) else {
        return Vec::new();
    };
    let written = [b" ", attribute, b"=\""].concat();
    let has_time = |line: &[u8]| {
        let value = memchr::memmem::find(line, &written).map(|at| &line[at + written.len()..]);
        let value = value.and_then(|value| Some(&value[..memchr::memchr(b'"', value)?]));
        value.is_some_and(|value| whole_time(value).is_some())
    };
    let alike = lines().filter(|line| indent(line) == indent(first) && has_time(line));
    let mut names: Vec<Vec<u8>> = alike.filter_map(of_line).filter(|name| name != record).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The attribute or the inner element that contains the time, by choice or by the values; and those to choose from.
fn time_field(
    sample: &[u8],
    record: &[u8],
    chosen: Option<&str>,
) -> (Option<TimeField>, Vec<TimeFieldOption>) {
    let mut times = FieldTimes::default();
    let opening = [b"<", record].concat();
    let mut path = Vec::new();
    for at in memchr::memmem::find_iter(sample, &opening).take(MOST_EVENTS) {
        if element(&sample[at..]) == Some(record) {
            times.event();
            // A record that the sample's end truncates still has values.
            let _ = walk(&sample[at..], &mut path, &mut |name, value| {
                times.value(name, &sample[at + value.from..at + value.to]);
            });
        }
    }
    let weight = |name: &[u8]| std::str::from_utf8(name).map_or(0.0, time_key_weight);
    let mut options = times.options(weight);
    let best = chosen.and_then(|name| times.named(name)).or_else(|| times.best(weight));
    mark_chosen(&mut options, best.as_ref().map_or(&[][..], |best| &best.name));
    (best, options)
}

/// The range of a value in the record.
struct XmlValue {
    from: usize,
    to: usize,
    escaped: bool,
}

/// Passes on the values of the record at the start of the text.
fn walk(text: &[u8], path: &mut Vec<u8>, put: &mut dyn FnMut(&[u8], &XmlValue)) -> Result<(), &'static str> {
    let mut reader = XmlReader::new(text);
    let mut lengths = Vec::new();
    path.clear();
    loop {
        match reader.next().map_err(|error| error.reason)? {
            None => return Ok(()),
            Some(Token::Start { name }) => {
                lengths.push(path.len());
                // The record's own name is not part of the path.
                if lengths.len() > 1 && path.len() + name.len() < limits::LONGEST_FIELD_NAME_BYTES {
                    if !path.is_empty() {
                        path.push(b'.');
                    }
                    path.extend_from_slice(&text[name]);
                }
            }
            Some(Token::Attribute { name, value }) => {
                let length = path.len();
                if !path.is_empty() {
                    path.push(b'.');
                }
                path.extend_from_slice(&text[name]);
                let escaped = text[value.clone()].contains(&b'&');
                put(path, &XmlValue { from: value.start, to: value.end, escaped });
                path.truncate(length);
            }
            Some(Token::Text { text: place, escaped }) => {
                let value = &text[place.clone()];
                let from = place.end - value.trim_ascii_start().len();
                let to = place.start + value.trim_ascii_end().len();
                if from < to && !lengths.is_empty() {
                    put(if path.is_empty() { b"text" } else { path }, &XmlValue { from, to, escaped });
                }
            }
            Some(Token::End) => {
                path.truncate(lengths.pop().unwrap_or(0));
                if lengths.is_empty() {
                    return Ok(());
                }
            }
        }
    }
}

struct XmlRecords {
    named: NamedColumns,
    path: Vec<u8>,
    time_field: Option<Arc<TimeField>>,
}

impl Reader for XmlRecords {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        if !is_tag(event.trim_ascii_start()) {
            return Err("no element of XML");
        }
        let start = event.len() - event.trim_ascii_start().len();
        let XmlRecords { named, path, time_field } = self;
        named.begin();
        let mut values = 0;
        let walked = walk(&event[start..], path, &mut |name, value| {
            values += 1;
            let (from, to) = (start + value.from, start + value.to);
            let text = &event[from..to];
            if let Some(field) = time_field
                && *field.name == *name
                && let Some(when) = field.read(text)
            {
                rows.when(&when);
            }
            if rows.level() == Level::None
                && let Some(level) = level_of(name, text)
            {
                rows.set_level(level);
                if !is_type(name) {
                    return;
                }
            }
            if value.escaped {
                named.rewrite(name, rows, |out| unescape(text, out));
            } else {
                named.value(name, event, from, to, rows);
            }
        });
        match walked {
            Err(reason) if values == 0 => Err(reason),
            // A truncated record keeps the fields before its end.
            Err(_) => Ok(Fit::Partly),
            Ok(()) => Ok(Fit::Whole),
        }
    }
}

/// Whether an element names a kind of event, which may be a level: `<type>Warning</type>`.
fn is_type(name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(b"type")
}

fn level_of(name: &[u8], text: &[u8]) -> Option<Level> {
    if is_type(name) {
        return level::from_word(text);
    }
    if !std::str::from_utf8(name).is_ok_and(is_level) {
        return None;
    }
    match number(text) {
        Some(Number::Int(number)) => level::from_number(number),
        _ => level::from_word(text).or_else(|| from_word_of_any_language(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::FORMAT;

    #[test]
    fn sample_lines() {
        for (text, expected) in [
            (
                "<r at=\"2026-11-21T03:04:05Z\" level=\"warn\"><who id=\"7\">a &amp; b</who>\n</r>\n<r at=\"2026-11-21T03:04:06Z\"/>",
                r#"2026-11-21T03:04:05Z warn at="2026-11-21T03:04:05Z" who.id=7 who="a & b""#,
            ),
            (
                "<e millis=\"1795230245123\"><![CDATA[a < b]]></e>\n<e millis=\"1795230246123\"/>",
                r#"2026-11-21T03:04:05.123Z - millis=1795230245123 text="a < b""#,
            ),
            ("<r a=\"1\"><b>cut\n<r/>", r#"- - a=1 b="cut""#),
        ] {
            assert_eq!(render(&FORMAT, text), expected, "{text}");
        }
    }
}
