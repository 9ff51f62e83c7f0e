//! A pull parser for XML in place: every token is a range of the given text. It reads only what logs contain:
//! no document types, and so no custom entities, internal or external.
//!
//! ```text
//! <a b="1">x</a>  →  Start(a) Attribute(b, 1) Text(x) End
//! ```

use std::ops::Range;

use memchr::{memchr, memchr2, memmem};

use crate::limits;

/// A token of the document. Ranges count from its start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// An element begins; its attributes follow, then its content, then its [`Token::End`].
    Start {
        name: Range<usize>,
    },
    Attribute {
        name: Range<usize>,
        value: Range<usize>,
    },
    /// Text between tags. If `escaped`, [`unescape`] resolves it.
    Text {
        text: Range<usize>,
        escaped: bool,
    },
    /// The innermost element ends, by its end tag or because it is empty.
    End,
}

/// Why parsing cannot continue, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct XmlError {
    pub at: usize,
    pub reason: &'static str,
}

pub(crate) struct XmlReader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Between an element's name and the end of its start tag.
    in_tag: bool,
    open: Vec<Range<usize>>,
}

impl<'a> XmlReader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> XmlReader<'a> {
        XmlReader { bytes, at: 0, in_tag: false, open: Vec::new() }
    }

    /// How many elements are open.
    pub(crate) fn depth(&self) -> usize {
        self.open.len()
    }

    /// The next token; `None` at the end of the text. Comments and processing instructions are skipped.
    pub(crate) fn next(&mut self) -> Result<Option<Token>, XmlError> {
        loop {
            if self.in_tag {
                if let Some(token) = self.in_tag()? {
                    return Ok(Some(token));
                }
            } else if self.at >= self.bytes.len() {
                return if self.open.is_empty() { Ok(None) } else { Err(self.ends()) };
            } else if self.bytes[self.at] != b'<' {
                return Ok(Some(self.text()));
            } else if let Some(token) = self.markup()? {
                return Ok(Some(token));
            }
        }
    }

    fn error(&self, reason: &'static str) -> XmlError {
        XmlError { at: self.at.min(self.bytes.len()), reason }
    }

    fn ends(&self) -> XmlError {
        XmlError { at: self.bytes.len(), reason: "the XML ends within an element" }
    }

    fn text(&mut self) -> Token {
        let rest = &self.bytes[self.at..];
        let length = memchr(b'<', rest).unwrap_or(rest.len());
        let escaped = memchr(b'&', &rest[..length]).is_some();
        let text = self.at..self.at + length;
        self.at = text.end;
        Token::Text { text, escaped }
    }

    /// The markup that begins with `<`; `None` if it is skipped.
    fn markup(&mut self) -> Result<Option<Token>, XmlError> {
        const CDATA: &[u8] = b"<![CDATA[";
        let rest = &self.bytes[self.at..];
        if rest.starts_with(b"</") {
            return self.end_tag().map(Some);
        }
        if rest.starts_with(CDATA) {
            let from = self.at + CDATA.len();
            let to = from + memmem::find(&self.bytes[from..], b"]]>").ok_or_else(|| self.ends())?;
            self.at = to + 3;
            return Ok(Some(Token::Text { text: from..to, escaped: false }));
        }
        let end: &[u8] = match rest {
            [_, b'!', b'-', b'-', ..] => b"-->",
            [_, b'?', ..] => b"?>",
            [_, b'!', ..] => return Err(self.error("a document type is not read")),
            _ => return self.start_tag().map(Some),
        };
        self.at += memmem::find(rest, end).ok_or_else(|| self.ends())? + end.len();
        Ok(None)
    }

    fn start_tag(&mut self) -> Result<Token, XmlError> {
        let name = self.name(self.at + 1)?;
        if self.open.len() >= limits::DEEPEST_XML {
            return Err(self.error("its elements are nested too deep"));
        }
        self.at = name.end;
        self.in_tag = true;
        self.open.push(name.clone());
        Ok(Token::Start { name })
    }

    fn end_tag(&mut self) -> Result<Token, XmlError> {
        let name = self.name(self.at + 2)?;
        let begun = self.open.last().map(|open| &self.bytes[open.clone()]);
        if begun != Some(&self.bytes[name.clone()]) {
            return Err(self.error("an end tag does not match its start"));
        }
        let after = self.skip_space(name.end);
        if self.bytes.get(after) != Some(&b'>') {
            return Err(self.error("an end tag is not closed"));
        }
        self.at = after + 1;
        self.open.pop();
        Ok(Token::End)
    }

    /// The next attribute, or the end of an empty element; `None` if the content begins.
    fn in_tag(&mut self) -> Result<Option<Token>, XmlError> {
        self.at = self.skip_space(self.at);
        match self.bytes[self.at..] {
            [] => Err(self.ends()),
            [b'>', ..] => {
                self.at += 1;
                self.in_tag = false;
                Ok(None)
            }
            [b'/', b'>', ..] => {
                self.at += 2;
                self.in_tag = false;
                self.open.pop();
                Ok(Some(Token::End))
            }
            _ => self.attribute().map(Some),
        }
    }

    fn attribute(&mut self) -> Result<Token, XmlError> {
        let name = self.name(self.at)?;
        let equals = self.skip_space(name.end);
        if self.bytes.get(equals) != Some(&b'=') {
            return Err(self.error("an attribute has no value"));
        }
        let quote_at = self.skip_space(equals + 1);
        let Some(&quote @ (b'"' | b'\'')) = self.bytes.get(quote_at) else {
            return Err(self.error("an attribute's value is not in quotes"));
        };
        let from = quote_at + 1;
        let to = from + memchr2(quote, b'<', &self.bytes[from..]).ok_or_else(|| self.ends())?;
        if self.bytes[to] != quote {
            return Err(self.error("an attribute's value is not closed"));
        }
        self.at = to + 1;
        Ok(Token::Attribute { name, value: from..to })
    }

    /// A name extends to the next white space or XML delimiter.
    fn name(&self, from: usize) -> Result<Range<usize>, XmlError> {
        let rest = self.bytes.get(from..).unwrap_or(&[]);
        let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"<>/=\"'&!?".contains(byte);
        let length = rest.iter().position(is_end).unwrap_or(rest.len());
        if length == 0 {
            return Err(self.error("a tag has no name"));
        }
        Ok(from..from + length)
    }

    fn skip_space(&self, from: usize) -> usize {
        let rest = self.bytes.get(from..).unwrap_or(&[]);
        from + rest.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(rest.len())
    }
}

/// Appends text with its five named entities and its character references resolved. Any other text after `&`
/// stays as it is.
pub(crate) fn unescape(mut text: &[u8], out: &mut Vec<u8>) {
    while let Some(at) = memchr(b'&', text) {
        out.extend_from_slice(&text[..at]);
        text = &text[at..];
        let Some((character, length)) = character(text) else {
            out.push(b'&');
            text = &text[1..];
            continue;
        };
        out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        text = &text[length..];
    }
    out.extend_from_slice(text);
}

/// The character of an escape at the start of the text, and the escape's length.
fn character(text: &[u8]) -> Option<(char, usize)> {
    const LONGEST: usize = "&#x0010FFFF;".len();
    let end = memchr(b';', &text[..text.len().min(LONGEST)])?;
    let name = std::str::from_utf8(&text[1..end]).ok()?;
    let character = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?)?
        }
    };
    Some((character, end + 1))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::fmt::Write;

    use proptest::prelude::*;

    use super::*;

    /// The tokens of a text as text, with the error at the end.
    fn tokens(xml: &str) -> String {
        let mut reader = XmlReader::new(xml.as_bytes());
        let mut out = String::new();
        loop {
            match reader.next() {
                Ok(Some(Token::Start { name })) => write!(out, "<{}", &xml[name]).unwrap(),
                Ok(Some(Token::Attribute { name, value })) => {
                    write!(out, " {}={}", &xml[name], &xml[value]).unwrap();
                }
                Ok(Some(Token::Text { text, escaped: false })) => write!(out, "[{}]", &xml[text]).unwrap(),
                Ok(Some(Token::Text { text, .. })) => {
                    let mut plain = Vec::new();
                    unescape(&xml.as_bytes()[text], &mut plain);
                    write!(out, "[&{}]", String::from_utf8(plain).unwrap()).unwrap();
                }
                Ok(Some(Token::End)) => out.push('>'),
                Ok(None) => return out,
                Err(error) => {
                    write!(out, "! {} at {}", error.reason, error.at).unwrap();
                    return out;
                }
            }
        }
    }

    #[test]
    fn tokens_of_whole_documents() {
        let cases = [
            ("<a/>", "<a>"),
            ("<?xml version=\"1.0\"?><a b='1' c = \"x'y\" >t<!-- <no> --><d/></a>", "<a b=1 c=x'y[t]<d>>"),
            ("<a>x &amp; y</a >", "<a[&x & y]>"),
            ("<a><![CDATA[<b>&amp;]]></a>", "<a[<b>&amp;]>"),
            ("<n:a xmlns:n=\"u\"></n:a>", "<n:a xmlns:n=u>"),
            ("", ""),
        ];
        for (xml, expected) in cases {
            assert_eq!(tokens(xml), expected, "{xml}");
        }
    }

    #[test]
    fn errors_say_where() {
        let cases = [
            ("<a>x", "<a[x]! the XML ends within an element at 4"),
            ("<a b", "<a! an attribute has no value at 3"),
            ("<a b=1>", "<a! an attribute's value is not in quotes at 3"),
            ("<a b=\"1<c>", "<a! an attribute's value is not closed at 3"),
            ("<a></b>", "<a! an end tag does not match its start at 3"),
            ("</a>", "! an end tag does not match its start at 0"),
            ("<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", "! a document type is not read at 0"),
            ("< a>", "! a tag has no name at 0"),
            ("<a><![CDATA[x", "<a! the XML ends within an element at 13"),
        ];
        for (xml, expected) in cases {
            assert_eq!(tokens(xml), expected, "{xml}");
        }
        let deep = "<a>".repeat(limits::DEEPEST_XML + 1);
        assert!(tokens(&deep).contains("nested too deep"));
    }

    #[test]
    fn unknown_escapes_stay_as_they_are() {
        let mut out = Vec::new();
        unescape(b"&lt;&gt;&quot;&apos;&#65;&#x1F600;&nbsp;&#xD800;& &#xFFFFFFFFFFFF; &amp", &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), "<>\"'A\u{1f600}&nbsp;&#xD800;& &#xFFFFFFFFFFFF; &amp");
    }

    proptest! {
        #[test]
        fn any_text_ends_in_tokens_or_an_error(xml in "(<|>|/|a|=|\"|'|&|!|\\?|-|\\[|CDATA|\\]| |é|<a>|</a>|b=\"c\"){0,40}") {
            let mut reader = XmlReader::new(xml.as_bytes());
            let mut count = 0;
            while let Ok(Some(token)) = reader.next() {
                count += 1;
                prop_assert!(count <= 2 * xml.len());
                if let Token::Text { text, .. } = token {
                    prop_assert!(xml.get(text).is_some());
                }
            }
        }

        #[test]
        fn escaping_is_undone(text in any::<String>()) {
            let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;").replace('\r', "&#xD;");
            let mut out = Vec::new();
            unescape(escaped.as_bytes(), &mut out);
            prop_assert_eq!(String::from_utf8(out).unwrap(), text);
        }
    }
}
