//! A field with its modifiers and values as tests: `CommandLine|contains|all: [...]`.

use std::collections::BTreeMap;

use indexer::query::Op;
use indexer::query::network::Network;

use super::condition::Expr;
use super::encode::{Utf16, base64_offsets, encode_base64, utf16, windash};
use super::pattern::Wild;
use crate::clock::ClockPart;
use crate::limits::{REGEX_BYTES, RULE_TESTS};
use crate::problem::Fault;
use crate::yaml::{Node, Value};

/// A test on a field of an event, or on all of its text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Predicate {
    /// As the rule names it; nothing for keywords.
    pub field: Option<String>,
    pub test: Test,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Test {
    /// In lower case, unless case counts.
    Text {
        wild: Wild,
        cased: bool,
    },
    /// With its flags in it.
    Regex(String),
    Network(String),
    /// The bits of the number that the value compares with.
    Compare {
        op: Order,
        number: u64,
    },
    Exists,
    /// The event has no such field, or nothing in it.
    Null,
    /// The value of another field, or part of it.
    Field {
        other: String,
        part: MatchPlace,
        cased: bool,
    },
    /// A part of a time.
    Clock {
        unit: ClockPart,
        number: i64,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
}

impl Order {
    pub fn op(self) -> Op {
        match self {
            Order::Greater => Op::Greater,
            Order::GreaterOrEqual => Op::GreaterOrEqual,
            Order::Less => Op::Less,
            Order::LessOrEqual => Op::LessOrEqual,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatchPlace {
    Whole,
    Start,
    End,
    Anywhere,
}

/// Values that `%name%` means.
pub type Placeholders = BTreeMap<String, Vec<String>>;

/// Every modifier, for messages.
const MODIFIERS: &[&str] = &[
    "contains",
    "startswith",
    "endswith",
    "all",
    "re",
    "i",
    "m",
    "s",
    "cidr",
    "base64",
    "base64offset",
    "utf16",
    "utf16le",
    "utf16be",
    "wide",
    "windash",
    "exists",
    "gt",
    "gte",
    "lt",
    "lte",
    "neq",
    "expand",
    "fieldref",
    "cased",
    "minute",
    "hour",
    "day",
    "week",
    "month",
    "year",
];

/// Each is its own switch in a key; no two of them make a state.
#[allow(clippy::struct_excessive_bools)]
#[derive(Default)]
struct Modifiers {
    part: Option<MatchPlace>,
    all: bool,
    not: bool,
    cased: bool,
    regex: bool,
    flags: String,
    network: bool,
    exists: bool,
    order: Option<Order>,
    clock: Option<ClockPart>,
    fieldref: bool,
    expand: bool,
    windash: bool,
    /// Encodings in their order.
    coded: Vec<Coding>,
}

#[derive(Clone, Copy, PartialEq)]
enum Coding {
    Utf16(Utf16),
    Base64,
    Offsets,
}

impl Modifiers {
    fn read(names: &[&str], line: usize) -> Result<Modifiers, Fault> {
        let mut read = Modifiers::default();
        for name in names {
            match *name {
                "contains" => read.part = Some(MatchPlace::Anywhere),
                "startswith" => read.part = Some(MatchPlace::Start),
                "endswith" => read.part = Some(MatchPlace::End),
                "all" => read.all = true,
                "neq" => read.not = true,
                "cased" => read.cased = true,
                "re" => read.regex = true,
                "i" | "m" | "s" if read.regex => read.flags.push_str(name),
                "ignorecase" if read.regex => read.flags.push('i'),
                "multiline" if read.regex => read.flags.push('m'),
                "dotall" if read.regex => read.flags.push('s'),
                "i" | "m" | "s" => {
                    return Err(Fault::new(
                        line,
                        format!("`{name}` is a flag of `re`, which does not come before it"),
                    )
                    .hint(format!("write `|re|{name}`")));
                }
                "cidr" => read.network = true,
                "exists" => read.exists = true,
                "gt" => read.order = Some(Order::Greater),
                "gte" => read.order = Some(Order::GreaterOrEqual),
                "lt" => read.order = Some(Order::Less),
                "lte" => read.order = Some(Order::LessOrEqual),
                "minute" => read.clock = Some(ClockPart::Minute),
                "hour" => read.clock = Some(ClockPart::Hour),
                "day" => read.clock = Some(ClockPart::Day),
                "week" => read.clock = Some(ClockPart::Week),
                "month" => read.clock = Some(ClockPart::Month),
                "year" => read.clock = Some(ClockPart::Year),
                "fieldref" => read.fieldref = true,
                "expand" => read.expand = true,
                "windash" => read.windash = true,
                "wide" | "utf16le" => read.coded.push(Coding::Utf16(Utf16::Little)),
                "utf16be" => read.coded.push(Coding::Utf16(Utf16::Big)),
                "utf16" => read.coded.push(Coding::Utf16(Utf16::Marked)),
                "base64" => read.coded.push(Coding::Base64),
                "base64offset" => read.coded.push(Coding::Offsets),
                unknown => {
                    let fault = Fault::new(line, format!("there is no modifier `{unknown}`"));
                    return Err(match indexer::query::nearest(unknown, MODIFIERS.iter().copied()) {
                        Some(near) => fault.hint(format!("did you mean `{near}`?")),
                        None => fault.hint(format!("the modifiers are {}", MODIFIERS.join(", "))),
                    });
                }
            }
        }
        Ok(read)
    }
}

/// A key of a search with its values.
pub fn item(
    key: &str,
    key_line: usize,
    values: &Node,
    placeholders: &Placeholders,
) -> Result<Expr<Predicate>, Fault> {
    let mut names = key.split('|');
    let field = names.next().unwrap_or_default();
    let field = (!field.is_empty()).then(|| field.to_owned());
    let names: Vec<&str> = names.collect();
    let modifiers = Modifiers::read(&names, key_line)?;
    let nodes = values.each();
    if nodes.is_empty() {
        return Err(Fault::new(key_line, format!("`{key}` has an empty list of values"))
            .hint("list a value, or remove the key"));
    }
    if nodes.len() > RULE_TESTS {
        return Err(Fault::new(key_line, format!("`{key}` has more than {RULE_TESTS} values")));
    }
    let mut parts = Vec::with_capacity(nodes.len());
    for node in nodes {
        let one = Item { field: &field, modifiers: &modifiers, node, placeholders };
        parts.push(one.test()?);
    }
    Ok(joined(parts, modifiers.all))
}

/// All or any of some parts.
pub fn joined(mut parts: Vec<Expr<Predicate>>, all: bool) -> Expr<Predicate> {
    match (parts.len(), all) {
        (1, _) => parts.remove(0),
        (_, true) => Expr::And(parts),
        (_, false) => Expr::Or(parts),
    }
}

struct Item<'a> {
    field: &'a Option<String>,
    modifiers: &'a Modifiers,
    node: &'a Node,
    placeholders: &'a Placeholders,
}

impl Item<'_> {
    fn fault(&self, message: impl Into<String>) -> Fault {
        Fault::new(self.node.line, message)
    }

    fn leaf(&self, test: Test) -> Expr<Predicate> {
        let leaf = Expr::Leaf(Predicate { field: self.field.clone(), test });
        if self.modifiers.not { Expr::Not(Box::new(leaf)) } else { leaf }
    }

    fn test(&self) -> Result<Expr<Predicate>, Fault> {
        let modifiers = self.modifiers;
        let text = match &self.node.value {
            Value::Null if self.field.is_some() => return Ok(self.leaf(Test::Null)),
            Value::Null => return Err(self.fault("a keyword is empty").hint("write the text to search for")),
            Value::Scalar(scalar) => scalar.text.as_str(),
            Value::List(_) | Value::Map(_) => {
                return Err(self
                    .fault("a list or map is where a value is expected")
                    .hint("write one value, or a flat list of values"));
            }
        };
        if modifiers.exists {
            let leaf = self.leaf(Test::Exists);
            return match text.to_ascii_lowercase().as_str() {
                "true" | "yes" => Ok(leaf),
                "false" | "no" => Ok(Expr::Not(Box::new(leaf))),
                _ => Err(self.fault(format!("`exists` takes true or false, not `{text}`"))),
            };
        }
        if modifiers.regex {
            return self.regex(text).map(|test| self.leaf(test));
        }
        if modifiers.network {
            if Network::parse(text).is_none() {
                return Err(self
                    .fault(format!("`{text}` is not a network"))
                    .hint("write it as 10.0.0.0/8 or fe80::/10"));
            }
            return Ok(self.leaf(Test::Network(text.to_owned())));
        }
        if let Some(op) = modifiers.order {
            let number = self.number(text)?.to_bits();
            return Ok(self.leaf(Test::Compare { op, number }));
        }
        if let Some(unit) = modifiers.clock {
            let number = self.number(text)? as i64;
            return Ok(self.leaf(Test::Clock { unit, number }));
        }
        if modifiers.fieldref {
            let part = modifiers.part.unwrap_or(MatchPlace::Whole);
            return Ok(self.leaf(Test::Field { other: text.to_owned(), part, cased: modifiers.cased }));
        }
        let expanded = if modifiers.expand { self.expanded(text)? } else { vec![text.to_owned()] };
        let mut tests = Vec::new();
        for text in expanded {
            self.texts(&text, &mut tests)?;
        }
        Ok(joined(tests.into_iter().map(|test| self.leaf(test)).collect(), modifiers.not))
    }

    fn number(&self, text: &str) -> Result<f64, Fault> {
        let number = text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
        number.ok_or_else(|| self.fault(format!("`{text}` is not a number, which the modifier needs")))
    }

    fn regex(&self, text: &str) -> Result<Test, Fault> {
        let flags = &self.modifiers.flags;
        let source = if flags.is_empty() { text.to_owned() } else { format!("(?{flags}){text}") };
        match regex::RegexBuilder::new(&source).size_limit(REGEX_BYTES).dfa_size_limit(REGEX_BYTES).build() {
            Ok(_) => Ok(Test::Regex(source)),
            Err(error) => {
                let shown = error.to_string();
                let why = shown
                    .lines()
                    .rev()
                    .find_map(|line| line.strip_prefix("error: "))
                    .map_or_else(|| "it is too large once compiled".to_owned(), str::to_owned);
                Err(self.fault(format!("the expression `{text}` does not compile: {why}")).hint(
                    "look-around and back-references are not supported, because they can take exponential time",
                ))
            }
        }
    }

    /// A text with its placeholders replaced, in all ways.
    fn expanded(&self, text: &str) -> Result<Vec<String>, Fault> {
        let mut all = vec![String::new()];
        for (index, piece) in text.split('%').enumerate() {
            let is_name = index % 2 == 1
                && !piece.is_empty()
                && piece.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c));
            if !is_name {
                for text in &mut all {
                    text.push_str(piece);
                }
                continue;
            }
            let values =
                self.placeholders.get(piece).filter(|values| !values.is_empty()).ok_or_else(|| {
                    self.fault(format!("the placeholder `%{piece}%` has no values"))
                        .hint("list them in a TOML file given with --placeholders: name = [\"value\", …]")
                })?;
            all = all
                .iter()
                .flat_map(|text| values.iter().map(move |value| format!("{text}{value}")))
                .collect();
            if all.len() > RULE_TESTS {
                return Err(self.fault(format!("its placeholders give more than {RULE_TESTS} values")));
            }
        }
        Ok(all)
    }

    fn texts(&self, text: &str, tests: &mut Vec<Test>) -> Result<(), Fault> {
        let modifiers = self.modifiers;
        let written = if modifiers.windash {
            windash(text, 625)
                .ok_or_else(|| self.fault("`windash` gives too many values: it has more than four options"))?
        } else {
            vec![text.to_owned()]
        };
        for text in written {
            for wild in self.coded(&text)? {
                tests.push(self.wild(wild));
            }
        }
        if tests.len() > RULE_TESTS {
            return Err(self.fault(format!("its modifiers give more than {RULE_TESTS} values")));
        }
        Ok(())
    }

    fn coded(&self, text: &str) -> Result<Vec<Wild>, Fault> {
        let wild = Wild::parse(text);
        if self.modifiers.coded.is_empty() {
            return Ok(vec![wild]);
        }
        let Some(plain) = wild.plain() else {
            return Err(self
                .fault("a value with wildcards cannot be encoded")
                .hint("escape `*` and `?` with a backslash"));
        };
        let mut all = vec![plain.as_bytes().to_vec()];
        for coding in &self.modifiers.coded {
            all = all
                .iter()
                .flat_map(|bytes| match coding {
                    Coding::Utf16(kind) => vec![utf16(&String::from_utf8_lossy(bytes), *kind)],
                    Coding::Base64 => vec![encode_base64(bytes).into_bytes()],
                    Coding::Offsets => base64_offsets(bytes).map(String::into_bytes).to_vec(),
                })
                .collect();
        }
        // Bytes that are no text become the characters of their numbers, as programs show them.
        let as_text = |bytes: Vec<u8>| {
            String::from_utf8(bytes)
                .unwrap_or_else(|error| error.as_bytes().iter().copied().map(char::from).collect())
        };
        Ok(all.into_iter().map(|bytes| Wild::literal(&as_text(bytes))).collect())
    }

    fn wild(&self, wild: Wild) -> Test {
        // Keywords occur anywhere in the text of an event.
        let part = if self.field.is_none() { Some(MatchPlace::Anywhere) } else { self.modifiers.part };
        let wild = match part {
            Some(MatchPlace::Anywhere) => wild.open_start().open_end(),
            Some(MatchPlace::Start) => wild.open_end(),
            Some(MatchPlace::End) => wild.open_start(),
            Some(MatchPlace::Whole) | None => wild,
        };
        let cased = self.modifiers.cased;
        Test::Text { wild: if cased { wild } else { wild.lower() }, cased }
    }
}
