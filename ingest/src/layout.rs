//! The line layouts of a format, in a readable notation:
//!
//! ```text
//! {time} {host} {app}«[{pid:int}]»: {message:rest}
//! ```
//!
//! - Text is literal; one space matches any run of spaces and tabs.
//! - `{name}` is a value up to the text after it, not empty; `{}` is a value that is skipped.
//! - `{name:word}` contains no space, `{name:int}` and `{name:float}` are numbers, `{name:quoted}` is in double
//!   quotes with escaped quotes in it, `{name:rest}` is the remaining text, perhaps empty.
//! - `{name:words}` extends to the whole literal text after it, spaces included.
//! - `{name:inner}` extends to the last closing bracket of the line.
//! - `{name+port:endpoint}` is an address or host, perhaps with its port after `:`, `#` or `/`: two values;
//!   `{name+port:ip}` accepts IP addresses only.
//! - `{time}` is a time in any spelling, `{level}` a level word. `{when}` is a numeric time in any order, or
//!   in brackets the seconds since a start; it is skipped if its order is unknown.
//! - `{{` is a brace.
//! - `«…»` is optional.
//!
//! A value that is only a dash is missing. No part of a line is searched twice, so the cost of a line is
//! linear in its length.

mod first_bytes;
mod run;

use first_bytes::FirstBytes;
use memchr::memchr2;
use memchr::memmem::Finder;

use self::run::{LayoutLine, LayoutMatch, end_of_line, run};
use crate::batch::Level;
use crate::formats::{Fit, Reader, Setup};
use crate::level;
use crate::named_columns::{Number, number};
use crate::rows::{ColumnKind, Rows};
use crate::time::When;
use crate::time::find::time_at_exactly;
use crate::time::numeric_date::DateOrder;

/// The layouts of one format: the first layout that fits a line is used.
pub(crate) struct LineLayouts {
    alternatives: Vec<Vec<LayoutStep>>,
    /// The bytes with which each layout may begin: for most lines the first byte rules out most layouts.
    firsts: Vec<FirstBytes>,
    /// Name and kind of every field.
    fields: Vec<(&'static str, ColumnKind)>,
    level: fn(&[u8]) -> Option<Level>,
    /// A value named `status` is an HTTP status and determines the level.
    has_http_status: bool,
    /// A value that also determines the level.
    level_field: Option<&'static str>,
    /// Values that must satisfy a predicate, otherwise the layout does not fit.
    required: Vec<Required>,
    /// A line that only the last layout fits is a partial fit.
    is_last_partly: bool,
    /// The reason for a line that no layout fits.
    reason: &'static str,
}

/// The name of a value, and its predicate.
type Required = (&'static str, fn(&[u8]) -> bool);

enum LayoutStep {
    Text(Box<[u8]>),
    /// At least one space or tab.
    Space,
    /// A value; the field's number, or nothing if it is skipped.
    Value(Option<usize>, ValueShape),
    /// An address and its port; the fields' numbers, and whether it must be an IP address.
    Endpoint(usize, usize, bool),
    Time,
    /// A time that is skipped if it cannot be read.
    When,
    Level,
    Optional(Vec<LayoutStep>),
}

enum ValueShape {
    /// Up to the first of these, with which the text after the value may begin.
    UpTo(Vec<End>),
    /// Up to a space or tab.
    Word,
    Number,
    Quoted,
    /// Up to the last closing bracket.
    Inner,
    Rest,
}

/// What ends a value.
enum End {
    /// A space or tab.
    Blank,
    Text(Box<Finder<'static>>),
}

impl LineLayouts {
    /// # Panics When a layout is not well formed. That is a programming error, and the format's test finds
    /// it.
    pub(crate) fn new(reason: &'static str, layouts: &[&'static str]) -> LineLayouts {
        let mut all = LineLayouts {
            alternatives: Vec::new(),
            firsts: Vec::new(),
            fields: Vec::new(),
            level: level::from_word,
            has_http_status: false,
            level_field: None,
            required: Vec::new(),
            is_last_partly: false,
            reason,
        };
        for layout in layouts {
            let mut rest = *layout;
            let steps = all.steps(&mut rest);
            assert!(rest.is_empty(), "{layout}: » without «");
            all.firsts.push(FirstBytes::from_steps(&steps));
            all.alternatives.push(steps);
        }
        all
    }

    /// Uses other words for levels.
    pub(crate) fn with_levels(self, level: fn(&[u8]) -> Option<Level>) -> LineLayouts {
        LineLayouts { level, ..self }
    }

    /// Without a level word, the HTTP status determines the level.
    pub(crate) fn with_http_status(self) -> LineLayouts {
        LineLayouts { has_http_status: true, ..self }
    }

    /// A value with this name stays a field, and also determines the level.
    pub(crate) fn with_level_field(self, name: &'static str) -> LineLayouts {
        LineLayouts { level_field: Some(name), ..self }
    }

    /// A layout with a value of this name fits only if the value satisfies the predicate.
    pub(crate) fn requiring(mut self, name: &'static str, is_it: fn(&[u8]) -> bool) -> LineLayouts {
        self.required.push((name, is_it));
        self
    }

    /// A line that only the last layout fits is a partial fit: many other lines look like it.
    pub(crate) fn with_last_partly(self) -> LineLayouts {
        LineLayouts { is_last_partly: true, ..self }
    }

    fn steps(&mut self, rest: &mut &'static str) -> Vec<LayoutStep> {
        let mut steps: Vec<LayoutStep> = Vec::new();
        while let Some(first) = rest.chars().next() {
            match first {
                '»' => break,
                '«' => {
                    *rest = &rest['«'.len_utf8()..];
                    let optional = self.steps(rest);
                    assert!(rest.starts_with('»'), "« without »");
                    *rest = &rest['»'.len_utf8()..];
                    steps.push(LayoutStep::Optional(optional));
                }
                '{' if rest.starts_with("{{") => {
                    steps.push(LayoutStep::Text(b"{"[..].into()));
                    *rest = &rest[2..];
                }
                '{' => {
                    let (inner, after) = rest[1..].split_once('}').unwrap_or((&rest[1..], ""));
                    *rest = after;
                    steps.push(self.value(inner, after));
                }
                ' ' => {
                    *rest = &rest[1..];
                    steps.push(LayoutStep::Space);
                }
                _ => {
                    let end = rest.find(['{', ' ', '«', '»']).unwrap_or(rest.len());
                    steps.push(LayoutStep::Text(rest.as_bytes()[..end].into()));
                    *rest = &rest[end..];
                }
            }
        }
        steps
    }

    fn value(&mut self, inner: &'static str, after: &'static str) -> LayoutStep {
        let (name, shape) = inner.split_once(':').unwrap_or((inner, ""));
        match inner {
            "time" => return LayoutStep::Time,
            "level" => return LayoutStep::Level,
            "when" => return LayoutStep::When,
            _ => {}
        }
        let (kind, shape) = match shape {
            "int" => (ColumnKind::Int, ValueShape::Number),
            "float" => (ColumnKind::Float, ValueShape::Number),
            "word" => (ColumnKind::Text, ValueShape::Word),
            "quoted" => (ColumnKind::Text, ValueShape::Quoted),
            "words" => (ColumnKind::Text, words_up_to(after)),
            "inner" => (ColumnKind::Text, ValueShape::Inner),
            "endpoint" | "ip" => {
                let (address, port) = name.split_once('+').unwrap_or((name, "port"));
                let (address, port) =
                    (self.field(address, ColumnKind::Text), self.field(port, ColumnKind::Int));
                return LayoutStep::Endpoint(address, port, shape == "ip");
            }
            "rest" => (ColumnKind::Text, ValueShape::Rest),
            "" => (ColumnKind::Text, up_to(after)),
            other => panic!("{inner}: there is no shape {other}"),
        };
        let field = (!name.is_empty()).then(|| self.field(name, kind));
        LayoutStep::Value(field, shape)
    }

    fn field(&mut self, name: &'static str, kind: ColumnKind) -> usize {
        let known = self.fields.iter().position(|field| *field == (name, kind));
        known.unwrap_or_else(|| {
            self.fields.push((name, kind));
            self.fields.len() - 1
        })
    }

    /// A reader for lines with these layouts.
    pub(crate) fn reader(&'static self, setup: &Setup) -> LayoutReader {
        let columns = vec![None; self.fields.len()];
        LayoutReader { layouts: self, order: setup.times.order, columns, found: Vec::new() }
    }
}

/// The end of a value: the text after it in the layout, or if that is optional also the text after that.
/// Without any text: the end of the line.
fn up_to(after: &str) -> ValueShape {
    let mut ends = Vec::new();
    let mut after = after.trim_start_matches('»');
    while let Some(inner) = after.strip_prefix('«') {
        let Some((inner, tail)) = inner.split_once('»') else { break };
        ends.extend(first_text(inner));
        after = tail;
    }
    ends.extend(first_text(after));
    if ends.is_empty() { ValueShape::Rest } else { ValueShape::UpTo(ends) }
}

/// All the text between a value of several words and the next value.
fn words_up_to(after: &str) -> ValueShape {
    let end = after.find(['{', '«', '»']).unwrap_or(after.len());
    if end == 0 { up_to(after) } else { ValueShape::UpTo(vec![End::from_text(&after[..end])]) }
}

fn first_text(layout: &str) -> Option<End> {
    if layout.starts_with("{{") {
        return Some(End::from_text("{"));
    }
    let end = match layout.find(['{', '«', '»', ' ']) {
        Some(0) => usize::from(layout.starts_with(' ')),
        Some(end) => end,
        None => layout.len(),
    };
    (end > 0).then(|| End::from_text(&layout[..end]))
}

impl End {
    fn from_text(text: &str) -> End {
        if text == " " { End::Blank } else { End::Text(Box::new(Finder::new(text).into_owned())) }
    }

    #[inline]
    fn find(&self, text: &[u8]) -> Option<usize> {
        match self {
            End::Blank => memchr2(b' ', b'\t', text),
            End::Text(end) => end.find(text),
        }
    }
}

/// Reads lines with layouts, and stores what it found in the last line.
pub(crate) struct LayoutReader {
    layouts: &'static LineLayouts,
    order: DateOrder,
    /// `Err` if there were too many columns already.
    columns: Vec<Option<Result<usize, ()>>>,
    found: Vec<LayoutMatch>,
}

impl Reader for LayoutReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let alternatives = &self.layouts.alternatives;
        let line = LayoutLine { event, end: end_of_line(event, 0), order: self.order };
        for (index, layout) in alternatives.iter().enumerate() {
            if !self.layouts.firsts[index].contains(event.first()) {
                continue;
            }
            self.found.clear();
            if let Some(end) = run(layout, line, 0, &mut self.found)
                && is_end(&event[end..])
                && self.has_required(event)
            {
                self.put(event, rows);
                let partly = self.layouts.is_last_partly && index + 1 == alternatives.len();
                return Ok(if partly { Fit::Partly } else { Fit::Whole });
            }
        }
        self.found.clear();
        Err(self.layouts.reason)
    }
}

impl LayoutReader {
    /// Reads text with one of these layouts at a position of the event; more text may follow it.
    pub(crate) fn read_at(&mut self, event: &[u8], at: usize, rows: &mut Rows) -> bool {
        let first = event.get(at);
        let line = LayoutLine { event, end: end_of_line(event, at), order: self.order };
        self.found.clear();
        for (layout, firsts) in self.layouts.alternatives.iter().zip(&self.layouts.firsts) {
            if !firsts.contains(first) {
                continue;
            }
            self.found.clear();
            if run(layout, line, at, &mut self.found).is_some() && self.has_required(event) {
                self.put(event, rows);
                return true;
            }
        }
        false
    }

    /// The range of a field in the line that was read last.
    pub(crate) fn place(&self, name: &str) -> Option<(usize, usize)> {
        self.found.iter().find_map(|found| match *found {
            LayoutMatch::Field(field, from, to) if self.layouts.fields[field].0 == name => Some((from, to)),
            _ => None,
        })
    }

    fn has_required(&self, event: &[u8]) -> bool {
        let like_it =
            |(name, is_it): &Required| self.place(name).is_none_or(|(from, to)| is_it(&event[from..to]));
        self.layouts.required.iter().all(like_it)
    }

    fn put(&mut self, event: &[u8], rows: &mut Rows) {
        for found in &self.found {
            match *found {
                LayoutMatch::Time(when) => rows.when(&when),
                LayoutMatch::Level(from, to) => {
                    if let Some(level) = (self.layouts.level)(&event[from..to]) {
                        rows.set_level(level);
                    }
                }
                LayoutMatch::Field(field, from, to) => {
                    // Columns are aligned by spaces that are not part of the value.
                    let to = from + event[from..to].trim_ascii_end().len();
                    if matches!(&event[from..to], b"" | b"-") {
                        continue;
                    }
                    let (name, kind) = self.layouts.fields[field];
                    if self.layouts.level_field == Some(name)
                        && let Some(level) = (self.layouts.level)(&event[from..to])
                    {
                        rows.set_level(level);
                    }
                    let column =
                        self.columns[field].get_or_insert_with(|| rows.add_column(name, kind).ok_or(()));
                    let Ok(column) = *column else { continue };
                    let number = if kind == ColumnKind::Text { None } else { number(&event[from..to]) };
                    if self.layouts.has_http_status
                        && let (true, Some(Number::Int(status))) = (name == "status", &number)
                        && rows.level() == Level::None
                    {
                        rows.set_level(level::from_http_status(*status));
                    }
                    match (kind, number) {
                        (ColumnKind::Int, Some(Number::Int(value))) => rows.int(column, value),
                        (ColumnKind::Float, Some(Number::Int(value))) => rows.float(column, value as f64),
                        (ColumnKind::Float, Some(Number::Float(value))) => rows.float(column, value),
                        (ColumnKind::Text, _) => rows.text(column, from, to),
                        _ => {}
                    }
                }
            }
        }
    }
}

/// Whether the line has no text left. More lines of the event may follow.
fn is_end(rest: &[u8]) -> bool {
    rest.iter().take_while(|byte| **byte != b'\n').all(u8::is_ascii_whitespace)
}

/// The time at a position, and where it ends.
pub(crate) fn time_at(event: &[u8], at: usize) -> Option<(When, usize)> {
    time_at_exactly(event, at, DateOrder::Customary)
}

/// The quote that ends a text; a quote after a backslash belongs to the text.
pub(crate) fn closing_quote(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr2(b'"', b'\\', text.get(at..)?)?;
        if text[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;
    use crate::formats::{Format, Learned, render};

    static LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
        LineLayouts::new(
            "it is not laid out like this",
            &[
                "{time} {host} {app}«[{pid:int}]»: «took {duration_ms:float}ms: »{message:rest}",
                "<{level}> {time} \"{agent}\" {}={user:word} {path:quoted}",
                "from {client_ip+client_port:endpoint} for {user:words} via {method}",
            ],
        )
    });
    static FORMAT: Format = Format {
        name: "test",
        learn: |_, _| Learned::starting(|line| !line.starts_with(b" ")),
        reader: |setup| Box::new(LAYOUTS.reader(setup)),
        ..Format::LINES
    };

    #[track_caller]
    fn check(line: &str, expected: &str) {
        assert_eq!(render(&FORMAT, line), expected, "{line}");
    }

    #[test]
    fn addresses_ports_and_names_of_several_words() {
        check(
            "from 10.1.2.3:80 for Jo Doe via ssh2",
            r#"- - client_ip="10.1.2.3" client_port=80 user="Jo Doe" method="ssh2""#,
        );
        for (written, ip, port) in [
            ("10.1.2.3", "10.1.2.3", ""),
            ("10.1.2.3#53", "10.1.2.3", " client_port=53"),
            ("10.1.2.3/53", "10.1.2.3", " client_port=53"),
            ("[2001:db8::1]:443", "2001:db8::1", " client_port=443"),
            ("2001:db8::1:443", "2001:db8::1", " client_port=443"),
            ("2001:db8::1", "2001:db8::1", ""),
            ("::1", "::1", ""),
            ("web-1", "web-1", ""),
        ] {
            let expected = format!(r#"- - client_ip="{ip}"{port} user="x" method="y""#);
            check(&format!("from {written} for x via y"), &expected);
        }
        check("from  for x via y", "unparsed: it is not laid out like this");
        check("from [::1 for x via y", "unparsed: it is not laid out like this");
    }

    #[test]
    fn lines_are_read_by_the_first_layout_that_fits() {
        check(
            "2026-11-21T03:04:05Z  web-1 shop[12]: took 1.5ms: a b",
            r#"2026-11-21T03:04:05Z - host="web-1" app="shop" pid=12 duration_ms=1.5 message="a b""#,
        );
        check("2026-11-21T03:04:05Z - shop: up", r#"2026-11-21T03:04:05Z - app="shop" message="up""#);
        check("2026-11-21T03:04:05Z h shop: ", r#"2026-11-21T03:04:05Z - host="h" app="shop""#);
        check(
            r#"<WARN> 2026-11-21T03:04:05Z "a b" x=y "/a \" b"   "#,
            r#"2026-11-21T03:04:05Z warn agent="a b" user="y" path="/a \\\" b""#,
        );
        check("2026-11-21T03:04:05Z web-1", "unparsed: it is not laid out like this");
        check(r#"<WARN> 2026-11-21T03:04:05Z "a" x=y "/" z"#, "unparsed: it is not laid out like this");
        check(
            "2026-11-21T03:04:05Z h shop: a\n  at b",
            "2026-11-21T03:04:05Z - host=\"h\" app=\"shop\" message=\"a\\n  at b\"",
        );
        check("x", "unparsed: it is not laid out like this");
    }
}
