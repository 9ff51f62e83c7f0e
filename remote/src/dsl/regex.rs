//! Regular expressions of the language as those of Lucene, from the parsed expression.

use std::fmt::Write;

use indexer::query::RegexText;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, ClassUnicode, Hir, HirKind, Look};

use super::lucene::{BETWEEN, escaped};
use crate::limits::CLASS_RANGES;

/// Levels of groups in an expression.
const NESTING: u32 = 100;

/// An expression for whole values, and why it does not mean quite the same, if so.
pub struct Converted {
    pub expression: String,
    pub inexact: Option<&'static str>,
}

const WORD_ENDS: &str = "the ends of words are those of letters, digits and _ there";
const CLASSES: &str = "large classes of characters such as \\w are those of ASCII there";

/// Turns an expression that matches anywhere into one for whole values; the error says what has no counterpart.
pub fn converted(regex: &RegexText) -> Result<Converted, &'static str> {
    let mut parser =
        ParserBuilder::new().utf8(false).case_insensitive(regex.ignore_case()).nest_limit(NESTING).build();
    let parsed = parser.parse(regex.source()).map_err(|_| "it cannot be read")?;
    let mut writer = Writer { inexact: None };
    let mut alternatives = Vec::new();
    for branch in branches(&parsed) {
        alternatives.push(writer.branch(branch)?);
    }
    Ok(Converted { expression: alternatives.join("|"), inexact: writer.inexact })
}

/// The alternatives of the whole expression.
fn branches(hir: &Hir) -> Vec<&Hir> {
    match hir.kind() {
        HirKind::Alternation(parts) => parts.iter().flat_map(branches).collect(),
        HirKind::Capture(capture) => branches(&capture.sub),
        _ => vec![hir],
    }
}

struct Writer {
    inexact: Option<&'static str>,
}

impl Writer {
    fn branch(&mut self, hir: &Hir) -> Result<String, &'static str> {
        let parts = match hir.kind() {
            HirKind::Concat(parts) => parts.as_slice(),
            _ => std::slice::from_ref(hir),
        };
        let look = |part: Option<&Hir>| match part.map(Hir::kind) {
            Some(HirKind::Look(look)) => Some(*look),
            _ => None,
        };
        let (mut head, mut tail, mut inner) = (".*".to_owned(), ".*".to_owned(), parts);
        if let Some(found) = look(inner.first()) {
            head = match found {
                Look::Start => String::new(),
                Look::WordUnicode | Look::WordAscii | Look::WordStartUnicode | Look::WordStartAscii => {
                    self.inexact = Some(WORD_ENDS);
                    format!("(.*{BETWEEN})?")
                }
                _ => return Err("it looks at ends of lines"),
            };
            inner = &inner[1..];
        }
        if let Some(found) = look(inner.last()) {
            tail = match found {
                Look::End => String::new(),
                Look::WordUnicode | Look::WordAscii | Look::WordEndUnicode | Look::WordEndAscii => {
                    self.inexact = Some(WORD_ENDS);
                    format!("({BETWEEN}.*)?")
                }
                _ => return Err("it looks at ends of lines"),
            };
            inner = &inner[..inner.len() - 1];
        }
        let mut written = head;
        for part in inner {
            self.write(part, &mut written)?;
        }
        written.push_str(&tail);
        if written.is_empty() {
            written.push_str("()");
        }
        Ok(written)
    }

    fn write(&mut self, hir: &Hir, to: &mut String) -> Result<(), &'static str> {
        match hir.kind() {
            HirKind::Empty => to.push_str("()"),
            HirKind::Literal(literal) => {
                let text =
                    std::str::from_utf8(&literal.0).map_err(|_| "it matches bytes that are no text")?;
                text.chars().for_each(|character| escaped(character, to));
            }
            HirKind::Class(Class::Unicode(class)) => self.class(class, to)?,
            HirKind::Class(Class::Bytes(class)) => {
                let unicode = class.to_unicode_class().ok_or("it matches bytes that are no text")?;
                self.class(&unicode, to)?;
            }
            HirKind::Look(_) => return Err("it looks at ends of words or lines in its middle"),
            HirKind::Capture(capture) => self.write(&capture.sub, to)?,
            HirKind::Repetition(repetition) => {
                self.grouped(&repetition.sub, to)?;
                match (repetition.min, repetition.max) {
                    (0, None) => to.push('*'),
                    (1, None) => to.push('+'),
                    (0, Some(1)) => to.push('?'),
                    (least, None) => drop(write!(to, "{{{least},}}")),
                    (least, Some(most)) => drop(write!(to, "{{{least},{most}}}")),
                }
            }
            HirKind::Concat(parts) => {
                for part in parts {
                    self.write(part, to)?;
                }
            }
            HirKind::Alternation(parts) => {
                to.push('(');
                for (place, part) in parts.iter().enumerate() {
                    if place > 0 {
                        to.push('|');
                    }
                    self.write(part, to)?;
                }
                to.push(')');
            }
        }
        Ok(())
    }

    fn grouped(&mut self, hir: &Hir, to: &mut String) -> Result<(), &'static str> {
        to.push('(');
        self.write(hir, to)?;
        to.push(')');
        Ok(())
    }

    fn class(&mut self, class: &ClassUnicode, to: &mut String) -> Result<(), &'static str> {
        let mut class = class.clone();
        if class.ranges().len() > CLASS_RANGES {
            self.inexact = Some(CLASSES);
            let beyond = regex_syntax::hir::ClassUnicodeRange::new('\u{80}', '\u{10ffff}');
            let is_negated = class.ranges().last().is_some_and(|last| last.end() == '\u{10ffff}');
            let ascii = regex_syntax::hir::ClassUnicodeRange::new('\0', '\u{7f}');
            class.intersect(&ClassUnicode::new([ascii]));
            if is_negated {
                class.push(beyond);
            }
        }
        let is_all = |class: &ClassUnicode| matches!(class.ranges(), [one] if one.start() == '\0' && one.end() == '\u{10ffff}');
        if class.ranges().is_empty() {
            return Err("it can match nothing");
        }
        if is_all(&class) {
            to.push('.');
            return Ok(());
        }
        let is_negated = class.ranges().last().is_some_and(|last| last.end() == '\u{10ffff}');
        to.push('[');
        if is_negated {
            class.negate();
            to.push('^');
        }
        for range in class.ranges() {
            escaped(range.start(), to);
            if range.start() != range.end() {
                to.push('-');
                escaped(range.end(), to);
            }
        }
        to.push(']');
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lucene(source: &str) -> Result<String, &'static str> {
        let regex = RegexText::new(source, false).expect("an expression");
        converted(&regex).map(|converted| converted.expression)
    }

    #[test]
    fn expressions_for_anywhere_become_those_for_whole_values() {
        for (source, expected) in [
            ("abc", Ok(".*abc.*")),
            ("^abc$", Ok("abc")),
            ("^a|b$", Ok("a.*|.*b")),
            ("a.c", Ok(".*a[^\n]c.*")),
            ("[a-f]{2,3}x+", Ok(".*([a-f]){2,3}(x)+.*")),
            ("a\\.b@c", Ok(".*a\\.b\\@c.*")),
            ("a(b|cd)?", Ok(".*a((b|cd))?.*")),
            ("a\\bc", Err("it looks at ends of words or lines in its middle")),
            ("(?m)^a", Err("it looks at ends of lines")),
        ] {
            assert_eq!(lucene(source).as_deref(), expected.as_deref(), "{source}");
        }
    }

    #[test]
    fn what_is_not_quite_the_same_says_why() {
        let inexact = |source: &str| {
            converted(&RegexText::new(source, false).expect("read")).expect("converted").inexact
        };
        assert_eq!(inexact("\\w+x"), Some(CLASSES));
        assert_eq!(inexact("\\bfoo\\b"), Some(WORD_ENDS));
        assert_eq!(inexact("[0-9]+"), None);
    }
}
