//! The output of several containers or processes in one stream: `web-1  | text`, as `docker compose logs` and
//! process managers write it, or `[pod/web-1/app] text` of `kubectl logs --prefix`. The text of each container
//! is read in its own format, which is detected from its lines.

use std::sync::Arc;

use memchr::memchr;

use super::text::{TRACEBACK, continues_trace};
use super::{Fit, Format, Learned, Reader, Setup};
use crate::detect;
use crate::endpoint::TextRange;
use crate::frame::Framing;
use crate::inner_reader::InnerReader;
use crate::level;
use crate::limits;
use crate::parser::Parser;
use crate::rows::{ColumnKind, Rows, Schema};

pub(crate) static FORMAT: Format = Format {
    name: "compose",
    title: "lines of several containers",
    columns: COLUMNS,
    learn,
    reader: |setup| {
        Box::new(ComposeReader { containers: setup.learned.containers.clone(), readers: Vec::new() })
    },
    ..Format::LINES
};

const COLUMNS: Schema = &[("container", ColumnKind::Text), ("message", ColumnKind::Text)];
const CONTAINER: usize = 0;
const MESSAGE: usize = 1;

/// A container of the sample, and how its lines are read.
pub(crate) struct Container {
    name: Box<[u8]>,
    parser: Parser,
}

type Containers = Arc<[Container]>;

fn learn(sample: &[u8], setup: &Setup) -> Learned {
    let lines = || sample.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let named: Vec<(&[u8], &[u8])> = lines().filter_map(split).collect();
    if setup.is_inner || named.is_empty() || named.len() * 4 < lines().count() * 3 {
        return Learned::default();
    }
    let mut texts: Vec<(&[u8], Vec<u8>)> = Vec::new();
    for (name, text) in &named {
        let at = texts.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
            texts.push((name, Vec::new()));
            texts.len() - 1
        });
        texts[at].1.extend_from_slice(text);
        texts[at].1.push(b'\n');
    }
    // The names of rows of a table differ from row to row.
    if texts.len() > limits::MOST_CONTAINERS || (named.len() > 3 && texts.len() * 2 > named.len()) {
        return Learned::default();
    }
    let containers = texts
        .into_iter()
        .map(|(name, text)| Container { name: name.into(), parser: detect::parser_of(text, setup) });
    let containers: Containers = containers.collect();
    let has_traceback = named.iter().any(|(_, text)| text.starts_with(TRACEBACK));
    let of_lines = Arc::clone(&containers);
    let begins = move |line: &[u8]| {
        let Some((name, text)) = split(line) else { return !continues_trace(line, has_traceback) };
        match place(&of_lines, name).map(|at| of_lines[at].parser.framing()) {
            _ if text.trim_ascii().is_empty() => false,
            Some(Framing::Starts(begins)) => begins(text),
            _ => !continues_trace(text, has_traceback),
        }
    };
    Learned { containers: Some(containers), ..Learned::starting(begins) }
}

fn place(containers: &[Container], name: &[u8]) -> Option<usize> {
    containers.iter().position(|container| *container.name == *name)
}

/// The name of a line's container, and where the text after it begins.
fn prefix(line: &[u8]) -> Option<(TextRange, usize)> {
    let (name, at) = if line.starts_with(b"[pod/") { pod(line)? } else { container(line)? };
    Some((name, at + usize::from(line.get(at) == Some(&b' '))))
}

/// The name of a line's container, and the text after it.
fn split(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    prefix(line).map(|((from, to), at)| (&line[from..to], &line[at..]))
}

/// `[pod/web-1/app] `.
fn pod(line: &[u8]) -> Option<(TextRange, usize)> {
    let end = memchr(b']', &line[..line.len().min(limits::LONGEST_CONTAINER_BYTES)])?;
    Some(((1, end), end + 1))
}

/// `web-1  |`, and `0|web  |` with a number before the name. The names are padded to the longest.
fn container(line: &[u8]) -> Option<(TextRange, usize)> {
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'@');
    let number = line.iter().take(3).take_while(|byte| byte.is_ascii_digit()).count();
    let start = if number > 0 && line.get(number) == Some(&b'|') { number + 1 } else { 0 };
    let length = line[start..].iter().take(limits::LONGEST_CONTAINER_BYTES).take_while(is_name).count();
    let end = start + length;
    let bar = end + line[end..].iter().take_while(|byte| **byte == b' ').count();
    let name = &line[start..end];
    // A bar after a level or without a space separates the fields of many lines.
    let is_prefix =
        bar > end && line.get(bar) == Some(&b'|') && matches!(line.get(bar + 1), None | Some(b' '));
    let is_own = name.iter().any(u8::is_ascii_alphabetic) && level::from_word(name).is_none();
    (is_prefix && is_own).then_some(((start, end), bar + 1))
}

struct ComposeReader {
    containers: Option<Containers>,
    /// A reader of each container, from its first event on.
    readers: Vec<Option<InnerReader>>,
}

impl Reader for ComposeReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let containers = self.containers.as_ref().ok_or("no lines of containers")?;
        let line_end = memchr(b'\n', event).unwrap_or(event.len());
        let ((name_from, name_to), from) = prefix(&event[..line_end]).ok_or("no name of a container")?;
        rows.text(CONTAINER, name_from, name_to);
        let Some(at) = place(containers, &event[name_from..name_to]) else {
            rows.text(MESSAGE, from, event.len());
            return Ok(Fit::Whole);
        };
        if self.readers.is_empty() {
            self.readers.resize_with(containers.len(), || None);
        }
        let parser = &containers[at].parser;
        let reader = self.readers[at].get_or_insert_with(|| InnerReader::new(parser));
        let to = if matches!(parser.framing(), Framing::Starts(_)) { event.len() } else { line_end };
        if reader.read(&event[..to], from, rows).is_err() {
            rows.text(MESSAGE, from, event.len());
        }
        Ok(Fit::Whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_of_a_container_and_its_text() {
        let of = |line: &str| {
            split(line.as_bytes()).map(|(name, text)| {
                (String::from_utf8_lossy(name).into_owned(), String::from_utf8_lossy(text).into_owned())
            })
        };
        let is =
            |line, name: &str, text: &str| assert_eq!(of(line), Some((name.to_owned(), text.to_owned())));
        is("web-1  | GET /", "web-1", "GET /");
        is("shop.1.x7@node-2    |   indented", "shop.1.x7@node-2", "  indented");
        is("0|shop     | up", "shop", "up");
        is("[pod/web-1/app] up", "pod/web-1/app", "up");
        is("web  |", "web", "");
        for line in ["INFO  | x", "a|b", "17  | x", "| a | b |", "web  || x", "[pod/web", ""] {
            assert_eq!(of(line), None, "{line}");
        }
    }
}
