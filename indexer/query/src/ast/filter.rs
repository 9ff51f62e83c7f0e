//! Filters: predicates on events.

use std::sync::Arc;

use regex::bytes::{Regex, RegexBuilder};
use regex_automata::meta;
use regex_automata::util::syntax;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::literal::Extractor;

use super::super::notes::NoteField;
use super::Span;
use base::limits::{REGEX_BYTES, REGEX_NESTING};

/// A condition on events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Filter {
    Everything,
    And(Vec<Filter>),
    Or(Vec<Filter>),
    Not(Box<Filter>),
    /// The pattern occurs anywhere in the event's text.
    Text(Pattern),
    /// A test on a field. The span is where the field is named in the query, for messages.
    Field {
        /// As it was written: a field of the case, a built-in one, or an ECS name.
        field: String,
        test: Test,
        span: Span,
    },
    /// A predicate on the notes of an event. Resolving creates it from a clause such as `is:starred`.
    Noted(NoteClause),
}

/// A predicate on the notes of an event. An event without notes fails every test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteClause {
    pub field: NoteField,
    pub test: Test,
    pub span: Span,
    /// The events that pass, once they are looked up.
    pub events: Option<Arc<NotedEvents>>,
}

/// The events that passed a test on their notes at one moment.
#[derive(Debug, PartialEq, Eq)]
pub struct NotedEvents {
    /// The state that the notes were in.
    pub state: String,
    /// Each by source and offset, in order.
    pub positions: Vec<(u32, u64)>,
}

/// A predicate on the value of a field. An event without the field fails every test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Test {
    Exists,
    /// Any of the patterns matches the value.
    Matches(Vec<Pattern>),
    /// The value compares so with a number, a quantity, a time, a level or a text, whichever the field holds.
    Compare(Op, String),
    Range(Range),
}

/// Values between two ends; an end that is missing is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    pub from: Option<Bound>,
    pub to: Option<Bound>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    pub value: String,
    pub inclusive: bool,
}

/// What is looked for in text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Whole tokens, one after the other, with anything between them: a word or a phrase.
    Tokens(String),
    /// The tokens of a phrase in their order, with at most so many other tokens between them in all.
    Near(String, u32),
    /// A word without digits that so many edits lead to, one or two.
    Fuzzy(String, u8),
    /// `*` matches any run of characters but spaces, `?` one; both ends at the end of a token. `\` takes the
    /// next character as it is.
    Glob(String),
    /// Anywhere, inside of words too.
    Substring(String),
    /// The expression matches anywhere.
    Regex(RegexText),
    /// A value of a field that is an address of this network, as `10.0.0.0/8`; of values that are no
    /// addresses those that have its tokens.
    Network(String),
}

/// A regular expression that compiles, as it is written between two slashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegexText {
    source: String,
    ignore_case: bool,
}

impl RegexText {
    /// Reads an expression; the error says what is wrong with it.
    pub fn new(source: &str, ignore_case: bool) -> Result<RegexText, String> {
        let text = RegexText { source: canonical(source), ignore_case };
        text.build().map(|_| text).map_err(|error| {
            let message = error.to_string();
            // The crate draws the expression with a caret; the query's own span does that already.
            let line = message.lines().rev().find_map(|line| line.strip_prefix("error: "));
            line.unwrap_or("it is too large once compiled").to_owned()
        })
    }

    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    #[must_use]
    pub fn ignore_case(&self) -> bool {
        self.ignore_case
    }

    /// The expression, compiled. `None` is impossible for one that [`RegexText::new`] accepted.
    #[must_use]
    pub fn compile(&self) -> Option<Regex> {
        self.build().ok()
    }

    /// The expression, compiled for tests on many short texts. If it has no literal prefix, it is matched
    /// from start to end: searching for an inner literal and matching backwards from it takes seven times as
    /// long in log lines that mostly contain the literal.
    #[must_use]
    pub fn matcher(&self) -> Option<meta::Regex> {
        let syntax =
            syntax::Config::new().utf8(false).case_insensitive(self.ignore_case).nest_limit(REGEX_NESTING);
        let config = meta::Config::new()
            .utf8_empty(false)
            .nfa_size_limit(Some(REGEX_BYTES))
            .hybrid_cache_capacity(REGEX_BYTES)
            .auto_prefilter(self.begins_certainly());
        meta::Builder::new().configure(config).syntax(syntax).build(&self.source).ok()
    }

    /// Whether every match begins with one of a few texts.
    fn begins_certainly(&self) -> bool {
        let mut parser = ParserBuilder::new()
            .utf8(false)
            .case_insensitive(self.ignore_case)
            .nest_limit(REGEX_NESTING)
            .build();
        parser.parse(&self.source).is_ok_and(|parsed| {
            let starts = Extractor::new().extract(&parsed);
            starts.min_literal_len().is_some_and(|length| length > 0)
        })
    }

    fn build(&self) -> Result<Regex, regex::Error> {
        RegexBuilder::new(&self.source)
            .case_insensitive(self.ignore_case)
            .size_limit(REGEX_BYTES)
            .dfa_size_limit(REGEX_BYTES)
            .nest_limit(REGEX_NESTING)
            .build()
    }
}

/// The same expression in a form that reads back when it is printed between slashes: it neither begins nor
/// ends where a reader would see a path or a division, and its quotation marks come in pairs.
fn canonical(source: &str) -> String {
    let mut text = String::with_capacity(source.len());
    let mut quotes = 0;
    let mut characters = source.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' if characters.peek() == Some(&'/') => {}
            '\\' => {
                text.push('\\');
                text.extend(characters.next());
            }
            '"' => {
                quotes += 1;
                text.push('"');
            }
            other => text.push(other),
        }
    }
    if quotes % 2 == 1 {
        text = replace_plain(&text, '"', "\\x22");
    }
    if text.is_empty() {
        return "(?:)".to_owned();
    }
    // After the slash of an earlier path these would look like that path's end, and so would a flag.
    let open = |c: char| c.is_whitespace() || matches!(c, ')' | '|' | ',' | ']');
    if text.strip_prefix('i').unwrap_or(&text).starts_with(open) {
        text.insert_str(0, "(?:)");
    }
    if text.ends_with(char::is_whitespace) {
        text.push_str("(?:)");
    }
    text
}

/// Replaces a character unless a backslash precedes it.
fn replace_plain(text: &str, from: char, to: &str) -> String {
    let mut replaced = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => {
                replaced.push('\\');
                replaced.extend(characters.next());
            }
            other if other == from => replaced.push_str(to),
            other => replaced.push(other),
        }
    }
    replaced
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Op {
    /// The same comparison with its sides exchanged.
    #[must_use]
    pub fn mirrored(self) -> Op {
        match self {
            Op::Less => Op::Greater,
            Op::LessOrEqual => Op::GreaterOrEqual,
            Op::Greater => Op::Less,
            Op::GreaterOrEqual => Op::LessOrEqual,
            same => same,
        }
    }

    /// The operators as they are written; of two that begin alike the longer comes first.
    pub const ALL: [(Op, &'static str); 7] = [
        (Op::NotEqual, "!="),
        (Op::LessOrEqual, "<="),
        (Op::GreaterOrEqual, ">="),
        (Op::Equal, "=="),
        (Op::Equal, "="),
        (Op::Less, "<"),
        (Op::Greater, ">"),
    ];

    /// As the language prints it.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Op::Equal => "=",
            Op::NotEqual => "!=",
            Op::Less => "<",
            Op::LessOrEqual => "<=",
            Op::Greater => ">",
            Op::GreaterOrEqual => ">=",
        }
    }

    #[must_use]
    pub fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Op::Equal => order.is_eq(),
            Op::NotEqual => order.is_ne(),
            Op::Less => order.is_lt(),
            Op::LessOrEqual => order.is_le(),
            Op::Greater => order.is_gt(),
            Op::GreaterOrEqual => order.is_ge(),
        }
    }
}
