//! Elements of XML that follow one another without line ends: where each begins and ends. A program that
//! writes its log as one document may never end a line.

use std::collections::HashMap;

use memchr::{memchr, memchr2, memchr3, memmem};

use crate::encoding::BYTE_ORDER_MARK;
use crate::frame::EventBlock;
use crate::limits;

/// The elements around the records, outermost first, and the name of the first record that is repeated.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RepeatedElements {
    pub around: Vec<Box<[u8]>>,
    pub record: Box<[u8]>,
}

/// A piece of markup at the start of a text, and where it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Markup {
    Begins,
    Ends,
    /// An element without content.
    Empty,
    /// A comment, a declaration or a quoted text.
    Other,
}

/// The markup at the start of the text. `None` if its end is not in the text.
fn markup(text: &[u8]) -> Option<(Markup, usize)> {
    let until = |end: &[u8]| memmem::find(text, end).map(|at| (Markup::Other, at + end.len()));
    match text {
        [b'<', b'!', b'-', b'-', ..] => until(b"-->"),
        _ if text.starts_with(b"<![CDATA[") => until(b"]]>"),
        // It may be the start of either.
        [b'<', b'!', rest @ ..] if rest.len() < 7 => None,
        [b'<', b'!', ..] => until(b">"),
        [b'<', b'?', ..] => until(b"?>"),
        [b'<', b'/', ..] => until(b">").map(|(_, end)| (Markup::Ends, end)),
        [b'<'] => None,
        _ => tag_end(text)
            .map(|end| (if text[..end].ends_with(b"/>") { Markup::Empty } else { Markup::Begins }, end)),
    }
}

/// Where the start tag at the start of the text ends. A quote that is not closed ends at the next tag.
fn tag_end(text: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        at += memchr3(b'>', b'"', b'\'', &text[at..])?;
        if text[at] == b'>' {
            return Some(at + 1);
        }
        let quote = text[at];
        at += 1 + memchr2(quote, b'<', &text[at + 1..])?;
        if text[at] == b'<' {
            return Some(at);
        }
        at += 1;
    }
}

/// The name of the tag at the start of the text.
fn tag_name(tag: &[u8]) -> &[u8] {
    let name = &tag[1 + usize::from(tag.get(1) == Some(&b'/'))..];
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/');
    &name[..name.iter().position(is_end).unwrap_or(name.len())]
}

/// The outermost elements with a name that is repeated within the same parent.
pub(super) fn repeated(sample: &[u8]) -> Option<RepeatedElements> {
    let mut open: Vec<&[u8]> = Vec::new();
    let mut children: Vec<HashMap<&[u8], usize>> = vec![HashMap::new()];
    let mut best: Option<RepeatedElements> = None;
    let mut at = 0;
    while let Some(next) = memchr(b'<', &sample[at..]) {
        at += next;
        let Some((kind, length)) = markup(&sample[at..]) else { break };
        let name = tag_name(&sample[at..at + length]);
        if matches!(kind, Markup::Begins | Markup::Empty) {
            let count = children.last_mut()?.entry(name).or_default();
            *count += 1;
            if *count == 2 && best.as_ref().is_none_or(|best| open.len() < best.around.len()) {
                let around = open.iter().map(|&name| name.into()).collect();
                best = Some(RepeatedElements { around, record: name.into() });
            }
        }
        match kind {
            Markup::Begins if open.len() < limits::DEEPEST_XML => {
                open.push(name);
                children.push(HashMap::new());
            }
            Markup::Begins => return None,
            Markup::Ends if open.pop() != Some(name) => return None,
            Markup::Ends => {
                children.pop();
            }
            Markup::Empty | Markup::Other => {}
        }
        at += length;
    }
    best.filter(|best| !best.around.contains(&best.record))
}

/// The element at the start of the text, or what precedes it: white space, comments, the tags of the elements
/// around the records.
pub(super) fn block(text: &[u8], around: &[Box<[u8]>]) -> Option<EventBlock> {
    let separator = |next: usize| Some(EventBlock { start: 0, end: 0, next });
    let blank = text.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    if blank > 0 {
        return separator(blank);
    }
    if text.starts_with(BYTE_ORDER_MARK) {
        return separator(BYTE_ORDER_MARK.len());
    }
    if text.first() != Some(&b'<') {
        let end = memchr(b'<', text)?;
        return Some(EventBlock { start: 0, end, next: end });
    }
    let (kind, length) = markup(text)?;
    let is_around = || around.iter().any(|name| **name == *tag_name(&text[..length]));
    match kind {
        Markup::Begins if !is_around() => {
            let end = element_end(text, length, around)?;
            Some(EventBlock { start: 0, end, next: end })
        }
        Markup::Empty => Some(EventBlock { start: 0, end: length, next: length }),
        Markup::Begins | Markup::Ends | Markup::Other => separator(length),
    }
}

/// Where the element at the start of the text ends, whose start tag has this length. One that is not closed
/// ends with the element around it.
fn element_end(text: &[u8], length: usize, around: &[Box<[u8]>]) -> Option<usize> {
    let (mut depth, mut at) = (1, length);
    while depth > 0 {
        at += memchr(b'<', &text[at..])?;
        let (kind, length) = markup(&text[at..])?;
        match kind {
            Markup::Begins => depth += 1,
            Markup::Ends if around.iter().any(|name| **name == *tag_name(&text[at..at + length])) => {
                return Some(at);
            }
            Markup::Ends => depth -= 1,
            Markup::Empty | Markup::Other => {}
        }
        at += length;
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let around = [b"l"[..].into(), b"es"[..].into()];
        let (mut events, mut at) = (Vec::new(), 0);
        while let Some(found) = block(&text.as_bytes()[at..], &around) {
            if found.end > 0 {
                events.push(&text[at..at + found.end]);
            }
            at += found.next;
        }
        if at < text.len() {
            events.push(&text[at..]);
        }
        assert_eq!(events, expected);
    }

    #[test]
    fn elements_of_one_line_are_events() {
        check(
            "\u{feff}<?xml version=\"1.0\"?>\n<l><!-- <e> --><a t=\"1>\"><b/><b>x</b></a><c/> y<a><![CDATA[</a>]]></a></l>",
            &["<a t=\"1>\"><b/><b>x</b></a>", "<c/>", "y", "<a><![CDATA[</a>]]></a>"],
        );
        check("<l>\n<es><e/><e>1<e/></e></es>\n</l>\n", &["<e/>", "<e>1<e/></e>"]);
        check("<l><e/><e a=\"1<e/><e>open</l><l><e/>", &["<e/>", "<e a=\"1<e/><e>open", "<e/>"]);
        check("<e/><e><f>", &["<e/>", "<e><f>"]);
    }

    #[test]
    fn outermost_repeated_elements_are_records() {
        let found = |text: &str| repeated(text.as_bytes()).map(|found| (found.around.len(), found.record));
        assert_eq!(found("<l><m><u/><u/></m><m>"), Some((1, (*b"m").into())));
        assert_eq!(found("<l><m><u/><u/></m></l>"), Some((2, (*b"u").into())));
        assert_eq!(found("<l><m><u/></m></l>"), None);
        assert_eq!(found("<l><m></l>"), None);
        assert_eq!(found("<l><l/><l/></l>"), None);
    }
}
