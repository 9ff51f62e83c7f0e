//! Parses a regular expression, in the dialect it was written in, into a [`PatternNode`].
//!
//! Classes are translated to the syntax of `regex-syntax`, which parses them. `\d`, `\s` and `\h` are ASCII
//! only, as log lines use them; `\w` and `\b` cover every script.

use regex_syntax::hir::{Class, Hir, HirKind};

use super::byte_set::ByteSet;
use super::node::{Leaf, PatternNode, class_of};
use crate::limits;

/// The syntax that a pattern uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Oniguruma as Logstash runs it: `^` and `$` match at every line, `(?m)` lets a dot match line ends.
    Grok,
    /// Perl's syntax, which Rust, Python and lnav mostly share.
    Perl,
}

/// A parsed pattern: the tree, and the name of each group by its number. A group without a name has an empty
/// one.
#[derive(Debug)]
pub(super) struct Parsed {
    pub node: PatternNode,
    pub groups: Vec<String>,
}

pub(super) fn parse(text: &str, dialect: Dialect) -> Result<Parsed, String> {
    let numbered = has_numbered_reference(text);
    let mut reader = PatternReader {
        text,
        at: 0,
        dialect,
        flags: Flags::default(),
        groups: Vec::new(),
        numbered,
        depth: 0,
    };
    let node = reader.alternatives()?;
    if reader.at < text.len() {
        return Err("there is a `)` without its `(`".to_string());
    }
    Ok(Parsed { node, groups: reader.groups })
}

/// Whether the pattern contains `\1` or the like: only then do groups without a name count.
fn has_numbered_reference(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at + 1 < bytes.len() {
        if bytes[at] == b'\\' {
            if bytes[at + 1].is_ascii_digit() && bytes[at + 1] != b'0' {
                return true;
            }
            at += 1;
        }
        at += 1;
    }
    false
}

// Each is one flag letter of the pattern syntax, and they combine freely.
#[allow(clippy::struct_excessive_bools)]
#[derive(Clone, Copy, Default)]
struct Flags {
    ignore_case: bool,
    dot_matches_all: bool,
    lines: bool,
    extended: bool,
}

struct PatternReader<'a> {
    text: &'a str,
    at: usize,
    dialect: Dialect,
    flags: Flags,
    groups: Vec<String>,
    numbered: bool,
    depth: usize,
}

impl<'a> PatternReader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        self.at += if found { token.len() } else { 0 };
        found
    }

    /// Everything up to a closing character, which is consumed.
    fn until(&mut self, close: char) -> Result<&'a str, String> {
        let length = self.rest().find(close).ok_or_else(|| format!("a `{close}` is missing"))?;
        let inner = &self.rest()[..length];
        self.at += length + close.len_utf8();
        Ok(inner)
    }

    fn alternatives(&mut self) -> Result<PatternNode, String> {
        self.depth += 1;
        if self.depth > limits::DEEPEST_PATTERN {
            return Err(format!("groups are nested more than {} deep", limits::DEEPEST_PATTERN));
        }
        // Flags set within a group end with it.
        let flags = self.flags;
        let mut alternatives = vec![self.sequence()?];
        while self.eat("|") {
            alternatives.push(self.sequence()?);
        }
        self.flags = flags;
        self.depth -= 1;
        Ok(if alternatives.len() == 1 { alternatives.remove(0) } else { PatternNode::Alt(alternatives) })
    }

    fn sequence(&mut self) -> Result<PatternNode, String> {
        let mut nodes = Vec::new();
        loop {
            if self.flags.extended {
                self.skip_space_and_comments();
            }
            if matches!(self.peek(), None | Some('|' | ')')) {
                break;
            }
            let Some(node) = self.atom()? else { continue };
            let node = self.repeated(node)?;
            match node {
                PatternNode::Concat(inner) => nodes.extend(inner),
                node => nodes.push(node),
            }
        }
        Ok(if nodes.len() == 1 { nodes.remove(0) } else { PatternNode::Concat(nodes) })
    }

    fn skip_space_and_comments(&mut self) {
        loop {
            let rest = self.rest();
            let space = rest.len() - rest.trim_start().len();
            self.at += space;
            if self.peek() == Some('#') {
                self.at += self.rest().find('\n').unwrap_or(self.rest().len());
            } else if space == 0 {
                return;
            }
        }
    }

    fn repeated(&mut self, mut node: PatternNode) -> Result<PatternNode, String> {
        loop {
            if self.flags.extended {
                self.skip_space_and_comments();
            }
            let (min, max) = match self.peek() {
                Some('*') => (0, None),
                Some('+') => (1, None),
                Some('?') => (0, Some(1)),
                Some('{') => match self.counts() {
                    Some((min, max, length)) => {
                        // The last character is consumed below.
                        self.at += length - 1;
                        (min, max)
                    }
                    None => return Ok(node),
                },
                _ => return Ok(node),
            };
            let counted = self.peek() == Some('}');
            self.at += 1;
            if max.is_some_and(|max| max < min || max > limits::MOST_REPEATS) || min > limits::MOST_REPEATS {
                return Err(format!("a repeat counts to more than {} or backwards", limits::MOST_REPEATS));
            }
            let greedy = !self.eat("?");
            // Oniguruma reads `{2}+` as a repeat of a repeat.
            let possessive = greedy && !(counted && self.dialect == Dialect::Grok) && self.eat("+");
            node = PatternNode::Repeat { min, max, greedy, body: Box::new(node) };
            if possessive {
                node = PatternNode::Atomic(Box::new(node));
            }
        }
    }

    /// `{2}`, `{2,}`, `{2,5}` and `{,5}`; any other brace is a literal.
    fn counts(&self) -> Option<(u32, Option<u32>, usize)> {
        let length = self.rest().find('}')? + 1;
        let inner = &self.rest()[1..length - 1];
        let number = |digits: &str| {
            digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
        };
        let (min, max) = match inner.split_once(',') {
            None => {
                let count: u32 = number(inner)?;
                (count, Some(count))
            }
            Some(("", max)) => (0, Some(number(max)?)),
            Some((min, "")) => (number(min)?, None),
            Some((min, max)) => (number(min)?, Some(number(max)?)),
        };
        Some((min, max, length))
    }

    /// One item that can be repeated; none for a comment or a change of flags.
    fn atom(&mut self) -> Result<Option<PatternNode>, String> {
        let start = self.at;
        let Some(next) = self.next() else { return Ok(None) };
        Ok(Some(match next {
            '(' => return self.group(),
            '[' => {
                let class = self.class()?;
                self.leaf(&class)?
            }
            '.' if self.flags.dot_matches_all => self.any_but(ByteSet::NONE, "(?s:.)"),
            '.' => {
                let mut newline = ByteSet::NONE;
                newline.insert(b'\n');
                self.any_but(newline, ".")
            }
            '^' if self.dialect == Dialect::Grok || self.flags.lines => self.leaf("(?m:^)")?,
            '$' if self.dialect == Dialect::Grok || self.flags.lines => self.leaf("(?m:$)")?,
            '^' => self.leaf(r"\A")?,
            '$' => self.leaf(r"\z")?,
            '\\' => return self.escape().map(Some),
            '*' | '+' | '?' => return Err(format!("there is nothing that `{next}` could repeat")),
            _ => {
                let literal = regex_syntax::escape(&self.text[start..self.at]);
                self.leaf(&literal)?
            }
        }))
    }

    fn any_but(&self, not: ByteSet, text: &str) -> PatternNode {
        let class = if not.is_empty() { "(?s:.)" } else { "." };
        match self.leaf(class) {
            Ok(PatternNode::Leaf(leaf)) => PatternNode::Leaf(Leaf { text: text.to_string(), ..leaf }),
            _ => PatternNode::Leaf(Leaf {
                hir: class_of(not.not()),
                open: Some(class_of(not.not())),
                text: text.to_string(),
            }),
        }
    }

    /// One character, class or assertion in the syntax of `regex-syntax`.
    fn leaf(&self, text: &str) -> Result<PatternNode, String> {
        let hir = regex_syntax::ParserBuilder::new()
            .utf8(false)
            .case_insensitive(self.flags.ignore_case)
            .build()
            .parse(text)
            .map_err(|error| {
                let text_of_error = error.to_string();
                let last = text_of_error.lines().last().unwrap_or_default();
                format!("`{text}`: {}", last.trim_start_matches("error: "))
            })?;
        let text = if self.flags.ignore_case { format!("(?i:{text})") } else { text.to_string() };
        Ok(PatternNode::Leaf(match open_class(&hir) {
            // Valid characters match whole; bytes that are not valid text match one by one.
            Some(open) => {
                let hir = Hir::alternation(vec![hir, class_of(ByteSet::HIGH)]);
                Leaf { hir, open: Some(open), text }
            }
            None => Leaf { hir, open: None, text },
        }))
    }

    fn group(&mut self) -> Result<Option<PatternNode>, String> {
        let node = if self.eat("?#") {
            self.until(')')?;
            return Ok(None);
        } else if self.eat("?:") {
            self.alternatives()?
        } else if self.eat("?>") {
            PatternNode::Atomic(Box::new(self.alternatives()?))
        } else if self.eat("?=") {
            self.look(true, false)?
        } else if self.eat("?!") {
            self.look(true, true)?
        } else if self.eat("?<=") {
            self.look(false, false)?
        } else if self.eat("?<!") {
            self.look(false, true)?
        } else if self.eat("?<") || self.eat("?P<") {
            let name = self.until('>')?;
            self.capture(name)?
        } else if self.eat("?'") {
            let name = self.until('\'')?;
            self.capture(name)?
        } else if self.eat("?P=") {
            let name = self.until(')')?;
            return Ok(Some(self.reference(name)?));
        } else if self.eat("?") {
            return self.flags_group();
        } else if self.numbered {
            self.capture("")?
        } else {
            self.alternatives()?
        };
        if !self.eat(")") {
            return Err("a `)` is missing".to_string());
        }
        Ok(Some(node))
    }

    fn look(&mut self, ahead: bool, negative: bool) -> Result<PatternNode, String> {
        Ok(PatternNode::Look { ahead, negative, body: Box::new(self.alternatives()?) })
    }

    fn capture(&mut self, name: &str) -> Result<PatternNode, String> {
        if self.groups.len() >= limits::MOST_GROUPS {
            return Err(format!("there are more than {} groups", limits::MOST_GROUPS));
        }
        let number = self.groups.len();
        self.groups.push(name.to_string());
        Ok(PatternNode::Capture(number, Box::new(self.alternatives()?)))
    }

    fn reference(&self, name: &str) -> Result<PatternNode, String> {
        let number = match name.parse::<usize>() {
            Ok(number) => number.checked_sub(1).filter(|&number| number < self.groups.len()),
            Err(_) => self.groups.iter().position(|group| group.split(':').next() == Some(name)),
        };
        number
            .map(PatternNode::BackReference)
            .ok_or_else(|| format!("there is no group `{name}` to refer back to"))
    }

    /// `(?i)` and `(?i:…)`.
    fn flags_group(&mut self) -> Result<Option<PatternNode>, String> {
        let outer = self.flags;
        let mut on = true;
        loop {
            let flag = self.next().ok_or("a `)` is missing")?;
            match flag {
                '-' => on = false,
                'i' => self.flags.ignore_case = on,
                'm' if self.dialect == Dialect::Grok => self.flags.dot_matches_all = on,
                'm' => self.flags.lines = on,
                's' => self.flags.dot_matches_all = on,
                'x' => self.flags.extended = on,
                'u' | 'a' | 'U' => {}
                ')' => return Ok(None),
                ':' => break,
                _ => return Err(format!("`(?{flag}` is not known")),
            }
        }
        let node = self.alternatives()?;
        self.flags = outer;
        if !self.eat(")") {
            return Err("a `)` is missing".to_string());
        }
        Ok(Some(node))
    }

    fn escape(&mut self) -> Result<PatternNode, String> {
        let escaped = self.next().ok_or("the pattern ends with a backslash")?;
        let text = match escaped {
            '1'..='9' => {
                let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
                let from = self.at - 1;
                self.at += digits;
                return self.reference(&self.text[from..self.at]);
            }
            'k' if self.eat("<") => {
                let name = self.until('>')?;
                return self.reference(name);
            }
            'k' if self.eat("{") => {
                let name = self.until('}')?;
                return self.reference(name);
            }
            'b' => r"\b".to_string(),
            'B' => r"\B".to_string(),
            'A' => r"\A".to_string(),
            'z' | 'Z' => r"\z".to_string(),
            'Q' => {
                let length = self.rest().find(r"\E").unwrap_or(self.rest().len());
                let literal = &self.rest()[..length];
                self.at = (self.at + length + 2).min(self.text.len());
                let leaves = literal.chars().map(|c| self.leaf(&regex_syntax::escape(&c.to_string())));
                return Ok(PatternNode::Concat(leaves.collect::<Result<_, _>>()?));
            }
            'G' | 'E' => return Ok(PatternNode::empty()),
            'R' => {
                let end = self.leaf(r"\r")?;
                let end = PatternNode::Repeat { min: 0, max: Some(1), greedy: true, body: Box::new(end) };
                return Ok(PatternNode::Concat(vec![end, self.leaf(r"\n")?]));
            }
            'N' => r"[^\n]".to_string(),
            'K' | 'X' | 'C' | 'g' => return Err(format!("`\\{escaped}` is not known")),
            _ => match self.class_escape(escaped)? {
                ClassPart::Set(set) => set,
                ClassPart::One(one) => one,
            },
        };
        self.leaf(&text)
    }

    /// The meaning of an escaped character in a class, and mostly outside too.
    fn class_escape(&mut self, escaped: char) -> Result<ClassPart, String> {
        let set = |text: &str| Ok(ClassPart::Set(text.to_string()));
        match escaped {
            'd' => set("[0-9]"),
            'D' => set("[^0-9]"),
            's' => set(r"[\t\n\x0B\f\r ]"),
            'S' => set(r"[^\t\n\x0B\f\r ]"),
            'w' => set(r"\w"),
            'W' => set(r"\W"),
            'h' if self.dialect == Dialect::Grok => set("[0-9A-Fa-f]"),
            'H' if self.dialect == Dialect::Grok => set("[^0-9A-Fa-f]"),
            'h' => set(r"[\t ]"),
            'H' => set(r"[^\t ]"),
            'v' if self.dialect == Dialect::Perl => set(r"[\n\x0B\f\r]"),
            'V' => set(r"[^\n\x0B\f\r]"),
            'p' | 'P' => {
                if !self.eat("{") {
                    return Err(format!("`\\{escaped}` needs a name in braces"));
                }
                let name = self.until('}')?;
                Ok(ClassPart::Set(match name.strip_prefix('^') {
                    Some(name) => format!(r"\P{{{name}}}"),
                    None => format!(r"\{escaped}{{{name}}}"),
                }))
            }
            'e' => Ok(ClassPart::One(r"\x1B".to_string())),
            '0' => {
                let digits =
                    self.rest().bytes().take(2).take_while(|byte| (b'0'..b'8').contains(byte)).count();
                let number = u32::from_str_radix(&self.rest()[..digits], 8).unwrap_or(0);
                self.at += digits;
                Ok(ClassPart::One(format!(r"\x{number:02X}")))
            }
            'x' if self.eat("{") => Ok(ClassPart::One(format!(r"\x{{{}}}", self.until('}')?))),
            'x' | 'u' => {
                let most = if escaped == 'x' { 2 } else { 4 };
                let digits = self.rest().bytes().take(most).take_while(u8::is_ascii_hexdigit).count();
                if digits == 0 {
                    return Err(format!("`\\{escaped}` needs hexadecimal digits"));
                }
                let number = &self.rest()[..digits];
                self.at += digits;
                Ok(ClassPart::One(format!(r"\x{{{number}}}")))
            }
            'a' | 'f' | 't' | 'n' | 'r' | 'v' => Ok(ClassPart::One(format!(r"\{escaped}"))),
            'b' => Ok(ClassPart::One(r"\x08".to_string())),
            _ => Ok(ClassPart::One(escape_in_class(escaped))),
        }
    }

    /// The rest of a class after its opening bracket, translated to the syntax of `regex-syntax`.
    fn class(&mut self) -> Result<String, String> {
        self.depth += 1;
        if self.depth > limits::DEEPEST_PATTERN {
            return Err(format!("classes are nested more than {} deep", limits::DEEPEST_PATTERN));
        }
        let mut out = String::from("[");
        out.push_str(if self.eat("^") { "^" } else { "" });
        let mut first = true;
        // Whether the last item could be the lower end of a range.
        let mut could_begin_range = false;
        loop {
            let next = self.next().ok_or("a `]` is missing")?;
            let part = match next {
                ']' if !first => break,
                '[' if self.rest().starts_with(':') && self.rest().contains(":]") => {
                    let length = self.rest().find(":]").unwrap_or_default() + 2;
                    let name = &self.rest()[..length];
                    self.at += length;
                    ClassPart::Set(format!("[{name}"))
                }
                '[' if self.dialect == Dialect::Grok => ClassPart::Set(self.class()?),
                '&' if self.dialect == Dialect::Grok && self.eat("&") => ClassPart::Set("&&".to_string()),
                '\\' => {
                    let escaped = self.next().ok_or("a `]` is missing")?;
                    self.class_escape(escaped)?
                }
                '-' if could_begin_range && !self.rest().starts_with(']') => {
                    out.push('-');
                    could_begin_range = false;
                    first = false;
                    // The upper end, which cannot begin another range.
                    match self.next().ok_or("a `]` is missing")? {
                        '\\' => {
                            let escaped = self.next().ok_or("a `]` is missing")?;
                            match self.class_escape(escaped)? {
                                ClassPart::One(one) => out.push_str(&one),
                                ClassPart::Set(set) => {
                                    // Not a range after all: the dash is a literal.
                                    out.pop();
                                    out.push_str(r"\-");
                                    out.push_str(&set);
                                }
                            }
                        }
                        upper => out.push_str(&escape_in_class(upper)),
                    }
                    continue;
                }
                next => ClassPart::One(escape_in_class(next)),
            };
            first = false;
            could_begin_range = matches!(part, ClassPart::One(_));
            match part {
                ClassPart::One(text) | ClassPart::Set(text) => out.push_str(&text),
            }
        }
        self.depth -= 1;
        out.push(']');
        Ok(out)
    }
}

enum ClassPart {
    One(String),
    Set(String),
}

fn escape_in_class(character: char) -> String {
    regex_syntax::escape(&character.to_string())
}

/// A class that holds everything beyond ASCII, over bytes.
fn open_class(hir: &Hir) -> Option<Hir> {
    let HirKind::Class(Class::Unicode(class)) = hir.kind() else { return None };
    let last = class.ranges().last()?;
    if u32::from(last.start()) > 0x80 || last.end() != char::MAX {
        return None;
    }
    let mut set = ByteSet::HIGH;
    for range in class.ranges() {
        for byte in u32::from(range.start())..=u32::from(range.end()).min(0x7F) {
            set.insert(byte as u8);
        }
    }
    Some(class_of(set))
}
