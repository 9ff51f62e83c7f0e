//! What the lines of a source have in common: the text between the values that Timberline read, as patterns.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use indexer::aggregate::TimeZone;
use indexer::query::levels::named;
use indexer::{FieldKind, FieldValue, text_pieces};
use regex::Regex;

use super::sample::SampledEvent;
use super::shapes::{Shape, TIMES, TimeShape, instant, times};

/// Patterns that a configuration lists; rarer lines keep their text alone.
const MOST_PATTERNS: usize = 60;

/// Candidates that are tried on all lines.
const MOST_CANDIDATES: usize = 150;

/// The share of its lines that a pattern must read as Timberline does: first the strict limit, then the loose one for lines
/// that no strict pattern reads.
const LEAST_SOUND: [f64; 2] = [0.99, 0.9];

/// A pattern is listed that is needed for one of so many lines.
const LINES_A_PATTERN: usize = 500;

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LinePart {
    Text(String),
    /// Any run of white space.
    Space,
    /// Digits between values.
    Digits,
    /// Any text, even none.
    Any,
    /// A `-` on its own: the value of a field that this line lacks.
    Absent,
    Time(usize),
    Level,
    Field(String),
    /// A field, or a `-` in lines that lack it.
    Maybe(String),
}

impl LinePart {
    fn field(&self) -> Option<&str> {
        match self {
            LinePart::Field(name) | LinePart::Maybe(name) => Some(name),
            _ => None,
        }
    }
}

/// A part with what its values look like.
#[derive(Clone, Debug)]
pub enum Step {
    Text(String),
    Space,
    Digits,
    Any,
    /// An index into [`TIMES`].
    Time(usize),
    Level,
    Field {
        name: String,
        kind: FieldKind,
        shape: Shape,
        /// A `-` may be written instead, and is no value.
        may_lack: bool,
    },
}

/// A pattern of lines.
pub struct LinePattern {
    pub steps: Vec<Step>,
    regex: Regex,
}

/// What was read in a line: values by field, and the texts of its time and level.
#[derive(Default)]
pub struct Read {
    pub fields: BTreeMap<String, String>,
    pub time: Option<String>,
    pub level: Option<String>,
}

/// The lines of a source as patterns.
pub struct Lines {
    pub patterns: Vec<LinePattern>,
    /// Patterns of the `message` that those read, which has fields of its own.
    pub of_message: Vec<LinePattern>,
}

/// A text and what Timberline read in it.
struct Line<'s> {
    text: &'s str,
    time: Option<i64>,
    level: &'s str,
    fields: Vec<&'s FieldValue>,
}

impl<'s> Line<'s> {
    fn of_event(event: &'s SampledEvent) -> Line<'s> {
        Line {
            text: &event.text,
            time: event.time,
            level: event.level,
            fields: event.fields.iter().collect(),
        }
    }

    fn value(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|field| field.name == name).map(|field| field.value.as_str())
    }
}

pub fn learn(sample: &[&SampledEvent], zone: &TimeZone) -> Lines {
    let lines: Vec<Line<'_>> = sample.iter().map(|event| Line::of_event(event)).collect();
    let patterns = patterns_of(&lines, zone, false);
    let mut messages: Vec<Line<'_>> = Vec::new();
    for event in sample {
        let Some(read) = first_read(&patterns, &event.text) else { continue };
        let message = event.fields.iter().find(|field| field.name == "message");
        let is_read = |field: &&FieldValue| read.fields.get(&field.name) == Some(&field.value);
        let Some(message) = message.filter(is_read) else { continue };
        messages.push(Line {
            text: &message.value,
            time: None,
            level: if read.level.is_some() { "" } else { event.level },
            fields: event.fields.iter().filter(|field| !read.fields.contains_key(&field.name)).collect(),
        });
    }
    let of_message = patterns_of(&messages, zone, true);
    Lines { patterns, of_message }
}

fn first_read(patterns: &[LinePattern], text: &str) -> Option<Read> {
    patterns.iter().find_map(|pattern| pattern.read(text))
}

impl Lines {
    /// Whether the patterns read the time and all fields of an event as Timberline does.
    pub fn reads_all(&self, event: &SampledEvent, zone: &TimeZone) -> bool {
        let line = &Line::of_event(event);
        let Some(mut read) = first_read(&self.patterns, line.text) else { return false };
        let more = read.fields.get("message").and_then(|message| first_read(&self.of_message, message));
        if let Some(more) = more {
            read.fields.extend(more.fields);
        }
        read.time.is_some() == line.time.is_some()
            && read.fields.len() == line.fields.len()
            && is_sound(&read, line, zone)
    }
}

/// The patterns of lines, those of more fields first, because the first that fits is taken. With `in_message`, lines are
/// messages: patterns that read nothing are left out, and text after the last value may be any.
fn patterns_of(lines: &[Line<'_>], zone: &TimeZone, in_message: bool) -> Vec<LinePattern> {
    let mut groups: HashMap<Vec<LinePart>, Vec<&Line<'_>>> = HashMap::new();
    // Fields that are next to one another in a line; others are within one of these.
    let mut placed: Vec<usize> = Vec::with_capacity(lines.len());
    for line in lines {
        let parts = parts(line, zone);
        placed.push(parts.iter().filter(|part| part.field().is_some()).count());
        if in_message {
            for wider in wider(&parts) {
                groups.entry(wider).or_default().push(line);
            }
        }
        groups.entry(parts).or_default().push(line);
    }
    let has_values =
        |part: &LinePart| part.field().is_some() || matches!(part, LinePart::Time(_) | LinePart::Level);
    let mut groups: Vec<Alike<'_, '_>> = groups.into_iter().collect();
    groups.retain(|(parts, _)| !in_message || parts.iter().any(has_values));
    // Frequent ones first; of those as frequent, an order that does not depend on chance.
    groups.sort_by(|one, other| other.1.len().cmp(&one.1.len()).then_with(|| one.0.cmp(&other.0)));
    let mut candidates: Vec<LinePattern> = Vec::new();
    for (parts, group) in with_absent(groups).iter().take(MOST_CANDIDATES) {
        candidates
            .extend([false, true].into_iter().filter_map(|narrow| LinePattern::new(parts, group, narrow)));
    }
    candidates.sort_by_key(|pattern| Reverse(pattern.fields()));
    let mut open: Vec<(&Line<'_>, usize)> = lines.iter().zip(placed).collect();
    let mut chosen: Vec<LinePattern> = Vec::new();
    for least in LEAST_SOUND {
        let mut unsound: Vec<LinePattern> = Vec::new();
        for pattern in candidates {
            // Lines that an earlier pattern reads do not come to this one.
            let (mut matched, mut sound, mut whole) = (0_usize, 0_usize, 0_usize);
            for (line, placed) in &open {
                let Some(read) = pattern.read(line.text) else { continue };
                let is_sound = is_sound(&read, line, zone);
                matched += 1;
                sound += usize::from(is_sound);
                whole += usize::from(is_sound && read.fields.len() >= *placed);
            }
            if (sound as f64) < least * matched as f64 {
                unsound.push(pattern);
            } else if whole > 0 && whole * LINES_A_PATTERN >= lines.len() && chosen.len() < MOST_PATTERNS {
                open.retain(|(line, _)| !pattern.regex.is_match(line.text));
                chosen.push(pattern);
            }
        }
        candidates = unsound;
    }
    chosen
}

/// Wider forms of a message's parts: with any text after the last value and the text that ends it, and, for a single value,
/// with any text around it.
fn wider(parts: &[LinePart]) -> Vec<Vec<LinePart>> {
    let mut wider = Vec::new();
    let Some(last) = parts.iter().rposition(|part| part.field().is_some()) else { return wider };
    if parts.len() > last + 2 {
        let mut cut = parts[..last + 2].to_vec();
        cut.push(LinePart::Any);
        wider.push(cut);
    }
    if parts.iter().filter(|part| part.field().is_some()).count() == 1 {
        wider.push(vec![LinePart::Any, parts[last].clone(), LinePart::Any]);
    }
    wider
}

/// Parts, and the lines that have them.
type Alike<'l, 's> = (Vec<LinePart>, Vec<&'l Line<'s>>);

/// Joins groups that differ only in which of their fields are written as `-`.
fn with_absent<'l, 's>(groups: Vec<Alike<'l, 's>>) -> Vec<Alike<'l, 's>> {
    let mut joined: Vec<Alike<'l, 's>> = Vec::with_capacity(groups.len());
    for (parts, lines) in groups {
        let found = joined.iter().enumerate().find_map(|(at, (known, _))| Some((at, join(known, &parts)?)));
        match found {
            Some((at, both)) => {
                joined[at].0 = both;
                joined[at].1.extend(lines);
            }
            None => joined.push((parts, lines)),
        }
    }
    joined
}

/// The parts of both; `None` if they differ in more than absent values.
fn join(one: &[LinePart], other: &[LinePart]) -> Option<Vec<LinePart>> {
    if one.len() != other.len() {
        return None;
    }
    let mut names: Vec<&str> = Vec::new();
    let mut both = Vec::with_capacity(one.len());
    for pair in one.iter().zip(other) {
        let part = match pair {
            (one, other) if one == other => one.clone(),
            (LinePart::Absent, part) | (part, LinePart::Absent) => LinePart::Maybe(part.field()?.to_owned()),
            (one, other) if one.field().is_some() && one.field() == other.field() => {
                LinePart::Maybe(one.field()?.to_owned())
            }
            _ => return None,
        };
        if let Some(name) = pair.0.field().or(pair.1.field()) {
            if names.contains(&name) {
                return None;
            }
            names.push(name);
        }
        both.push(part);
    }
    Some(both)
}

/// Whether what was read in a line is what Timberline read.
fn is_sound(read: &Read, line: &Line<'_>, zone: &TimeZone) -> bool {
    let is_time = match (&read.time, line.time) {
        (Some(text), Some(time)) => instant(text, time.saturating_add(1), zone) == Some(time),
        (None, _) => true,
        (Some(_), None) => false,
    };
    let is_level = read.level.as_deref().is_none_or(|word| named(word) == Some(line.level));
    is_time && is_level && read.fields.iter().all(|(name, text)| line.value(name) == Some(text.as_str()))
}

/// A line as the parts between and of its values.
fn parts(event: &Line<'_>, zone: &TimeZone) -> Vec<LinePart> {
    let mut parts = Vec::new();
    let time = event.time.and_then(|time| find_time(event.text, time, zone));
    let sides = match time {
        Some((_, start, end)) => vec![&event.text[..start], &event.text[end..]],
        None => vec![event.text],
    };
    // A value lies on one side of the time; those on the left are searched first, as they are written.
    let mut values: Vec<(String, String)> =
        event.fields.iter().map(|field| (field.name.clone(), field.value.clone())).collect();
    let mut has_level = event.level.is_empty();
    for (index, side) in sides.into_iter().enumerate() {
        if let (1, Some((shape, ..))) = (index, time) {
            parts.push(LinePart::Time(shape));
        }
        for piece in text_pieces(side, &values) {
            match piece.field {
                Some(name) => {
                    values.retain(|(other, _)| *other != name);
                    parts.push(LinePart::Field(name));
                }
                None => push_text(&mut parts, &piece.text, event.level, &mut has_level),
            }
        }
    }
    parts
}

/// Where an event's own time is written.
fn find_time(text: &str, time: i64, zone: &TimeZone) -> Option<(usize, usize, usize)> {
    times().find_map(|(index, regex)| {
        let found = regex.find_iter(text).take(4).find(|found| {
            // The year of a time without one is the last before now.
            instant(found.as_str(), time.saturating_add(1), zone) == Some(time)
        })?;
        Some((index, found.start(), found.end()))
    })
}

/// Text between values: its runs of white space, and the word that is the level.
fn push_text(parts: &mut Vec<LinePart>, text: &str, level: &str, has_level: &mut bool) {
    let is_word = |letter: char| letter.is_ascii_alphabetic();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = |same: &dyn Fn(char) -> bool| rest.find(|letter| !same(letter)).unwrap_or(rest.len());
        let (part, length) = if first.is_whitespace() {
            (LinePart::Space, end(&char::is_whitespace))
        } else if is_word(first) {
            let length = end(&is_word);
            let word = &rest[..length];
            if !*has_level && named(word) == Some(level) {
                *has_level = true;
                (LinePart::Level, length)
            } else {
                (LinePart::Text(word.to_owned()), length)
            }
        } else if first.is_ascii_digit() {
            (LinePart::Digits, end(&|letter: char| letter.is_ascii_digit()))
        } else if first == '-' && is_alone(&text[..text.len() - rest.len()], &rest[1..]) {
            (LinePart::Absent, 1)
        } else {
            // A `-` begins a part of its own, because it may be an absent value.
            let is_sign = |letter: char| {
                !letter.is_whitespace() && !is_word(letter) && !letter.is_ascii_digit() && letter != '-'
            };
            let length = first.len_utf8();
            let more = rest[length..].find(|letter| !is_sign(letter)).unwrap_or(rest.len() - length);
            (LinePart::Text(rest[..length + more].to_owned()), length + more)
        };
        match (parts.last_mut(), part) {
            (Some(LinePart::Text(before)), LinePart::Text(more)) => before.push_str(&more),
            (_, part) => parts.push(part),
        }
        rest = &rest[length..];
    }
}

/// Whether a `-` between these texts is neither a sign nor a part of a word: space or the same quotes are on both sides.
fn is_alone(before: &str, after: &str) -> bool {
    let (before, after) = (before.chars().next_back(), after.chars().next());
    let is_quote = |side: Option<char>| matches!(side, Some('"' | '\'')) && before == after;
    let is_space = |side: Option<char>| side.is_none_or(char::is_whitespace);
    (is_space(before) && is_space(after)) || is_quote(before)
}

impl LinePattern {
    /// With `narrow`, values have only the letters that names have, where all of the lines allow it; `None` if that changes
    /// nothing.
    fn new(parts: &[LinePart], lines: &[&Line<'_>], narrow: bool) -> Option<LinePattern> {
        let mut steps = Vec::new();
        let mut is_narrower = false;
        for (index, part) in parts.iter().enumerate() {
            steps.push(match part {
                LinePart::Text(text) => Step::Text(text.clone()),
                LinePart::Absent => Step::Text("-".to_owned()),
                LinePart::Space => Step::Space,
                LinePart::Digits => Step::Digits,
                LinePart::Any => Step::Any,
                LinePart::Time(shape) => Step::Time(*shape),
                LinePart::Level => Step::Level,
                LinePart::Field(name) | LinePart::Maybe(name) => {
                    let found: Vec<&FieldValue> = lines
                        .iter()
                        .filter_map(|line| line.fields.iter().copied().find(|field| field.name == *name))
                        .collect();
                    let values: Vec<&str> = found.iter().map(|field| field.value.as_str()).collect();
                    let kind = found.first()?.kind;
                    let mut shape = shape(kind, &values, parts.get(index + 1));
                    if parts.get(index + 1) == Some(&LinePart::Any) && shape == Shape::Least {
                        return None;
                    }
                    let is_open =
                        !matches!(shape, Shape::Whole | Shape::Decimal | Shape::Rest | Shape::Address);
                    if narrow && is_open && fits(Shape::Name, &values) {
                        (shape, is_narrower) = (Shape::Name, true);
                    }
                    let may_lack = matches!(part, LinePart::Maybe(_));
                    Step::Field { name: name.clone(), kind, shape, may_lack }
                }
            });
        }
        if narrow && !is_narrower {
            return None;
        }
        let regex = Regex::new(&expression(&steps)).ok()?;
        Some(LinePattern { steps, regex })
    }

    /// What the pattern reads in a line.
    pub fn read(&self, text: &str) -> Option<Read> {
        let captured = self.regex.captures(text)?;
        let mut read = Read::default();
        let is_read = |step: &&Step| matches!(step, Step::Time(_) | Step::Level | Step::Field { .. });
        for (step, value) in self.steps.iter().filter(is_read).zip(captured.iter().skip(1)) {
            let Some(value) = value.map(|found| found.as_str().to_owned()) else { continue };
            match step {
                Step::Time(_) => read.time = Some(value),
                Step::Level => read.level = Some(value),
                Step::Field { name, .. } => drop(read.fields.insert(name.clone(), value)),
                Step::Text(_) | Step::Space | Step::Digits | Step::Any => {}
            }
        }
        Some(read)
    }

    /// How many fields it reads.
    fn fields(&self) -> usize {
        self.steps.iter().filter(|step| matches!(step, Step::Field { .. })).count()
    }
}

fn fits(shape: Shape, values: &[&str]) -> bool {
    let whole = Regex::new(&format!(r"\A(?:{})\z", shape.expression()));
    whole.is_ok_and(|whole| values.iter().all(|value| whole.is_match(value)))
}

fn shape(kind: FieldKind, values: &[&str], after: Option<&LinePart>) -> Shape {
    let numbers = match kind {
        FieldKind::Int => vec![Shape::Whole],
        FieldKind::Float => vec![Shape::Decimal],
        FieldKind::Text | FieldKind::Bool => Vec::new(),
    };
    let open = match after {
        None => vec![Shape::Rest],
        Some(LinePart::Text(text)) => {
            // Characters with a meaning in a class are written by their numbers.
            text.chars().next().map(Shape::UpTo).into_iter().chain([Shape::Least]).collect()
        }
        // Any text may follow: only an address says itself where it ends.
        Some(LinePart::Any) => {
            return if fits(Shape::Address, values) { Shape::Address } else { Shape::Least };
        }
        // Right after a value it separates.
        Some(LinePart::Absent) => vec![Shape::UpTo('-'), Shape::Least],
        Some(_) => vec![Shape::Word, Shape::Least],
    };
    numbers.into_iter().chain(open).find(|&shape| fits(shape, values)).unwrap_or(Shape::Least)
}

fn expression(steps: &[Step]) -> String {
    let of = |step: &Step| match step {
        Step::Text(text) => escaped(text),
        Step::Space => r"\s+".to_owned(),
        Step::Digits => DIGITS.to_owned(),
        Step::Any => ANY.to_owned(),
        Step::Time(shape) => format!("({})", TIMES[*shape].expression),
        Step::Level => "([A-Za-z]+)".to_owned(),
        Step::Field { shape, may_lack: true, .. } => format!("(?:-|({}))", shape.expression()),
        Step::Field { shape, .. } => format!("({})", shape.expression()),
    };
    format!(r"\A{}\z", steps.iter().map(of).collect::<String>())
}

/// The expressions of [`Step::Digits`] and [`Step::Any`].
pub const DIGITS: &str = r"\d+";
pub const ANY: &str = r"[\s\S]*?";

/// A text as an expression that both engines read alike.
pub fn escaped(text: &str) -> String {
    let special = |letter: char| {
        letter.is_ascii_punctuation()
            && !matches!(
                letter,
                '"' | '\'' | '<' | '>' | ',' | ';' | ':' | '=' | '!' | '@' | '%' | '_' | '`' | '~' | '/'
            )
    };
    text.chars().flat_map(|letter| special(letter).then_some('\\').into_iter().chain([letter])).collect()
}

/// How a time of this index is written.
pub fn time_shape(index: usize) -> &'static TimeShape {
    &TIMES[index]
}

#[cfg(test)]
mod tests {
    use indexer::stamp;
    use serde_json::Value;

    use super::*;

    fn event(time: &str, text: String, fields: &[(&str, &str)]) -> SampledEvent {
        let field = |&(name, value): &(&str, &str)| FieldValue {
            name: name.to_owned(),
            value: value.to_owned(),
            kind: if value.bytes().all(|byte| byte.is_ascii_digit()) {
                FieldKind::Int
            } else {
                FieldKind::Text
            },
        };
        SampledEvent {
            text,
            time: stamp::parse(time),
            level: "",
            // A field without a value is none.
            fields: fields.iter().filter(|(_, value)| *value != "-").map(field).collect(),
            document: Value::Null,
        }
    }

    /// How many of the events are read by patterns that were learned from the first of them.
    fn read(events: &[SampledEvent], learned_from: usize) -> usize {
        let sample: Vec<&SampledEvent> = events[..learned_from].iter().collect();
        let lines = learn(&sample, &TimeZone::UTC);
        events.iter().filter(|event| lines.reads_all(event, &TimeZone::UTC)).count()
    }

    #[test]
    fn dash_is_an_absent_value_of_a_field() {
        let events: Vec<SampledEvent> = (0..60)
            .map(|at| {
                let bytes = if at % 3 == 0 { "-".to_owned() } else { (4_000 + at).to_string() };
                let referer = if at % 2 == 0 { "-" } else { "http://shop.example/cart" };
                let agent = if at % 7 == 3 { "-" } else { "curl/8.5 (x86)" };
                let user = if at % 5 == 1 { "rosa" } else { "-" };
                let path = format!("/item-{at}");
                let text = format!(
                    r#"192.0.2.{at} - {user} [01/Mar/2026:14:05:06 +0000] "GET {path} HTTP/1.1" 200 {bytes} "{referer}" "{agent}""#
                );
                let client = format!("192.0.2.{at}");
                let fields = [
                    ("client_ip", client.as_str()),
                    ("user", user),
                    ("method", "GET"),
                    ("path", &path),
                    ("protocol", "HTTP/1.1"),
                    ("status", "200"),
                    ("bytes", &bytes),
                    ("referer", referer),
                    ("user_agent", agent),
                ];
                event("2026-03-01T14:05:06Z", text, &fields)
            })
            .collect();
        assert_eq!(read(&events, 30), 60);
    }

    #[test]
    fn value_that_another_may_hold_the_end_of_is_read_by_its_letters() {
        let events: Vec<SampledEvent> = (0..40)
            .map(|at| {
                let thread = format!("Peer[id={at}]/0:0:0:1:{}", 2_100 + at);
                let message = format!("Round {at} of [a:b@7] - done");
                let line = (300 + at).to_string();
                let text = format!("2026-03-01 14:05:06,250 - [{thread}:Election$Vote@{line}] - {message}");
                let fields = [
                    ("thread", thread.as_str()),
                    ("logger", "Election$Vote"),
                    ("source_line", &line),
                    ("message", &message),
                ];
                event("2026-03-01T14:05:06.25Z", text, &fields)
            })
            .collect();
        assert_eq!(read(&events, 20), 40);
    }

    #[test]
    fn numbers_and_words_around_the_values_of_a_message_may_differ() {
        let words = ["alder", "birch", "cedar", "elm", "fir", "hazel", "larch"];
        let events: Vec<SampledEvent> = (0..70)
            .map(|at| {
                let ip = format!("198.51.100.{at}");
                let word = words[at % words.len()];
                let message = format!("Peer {word} at /{ip}:{} is slow for {word}", 3_000 + at);
                let text = format!("2026-03-01 14:05:06,250 INFO {message}");
                event("2026-03-01T14:05:06.25Z", text, &[("message", &message), ("ip", &ip)])
            })
            .collect();
        assert_eq!(read(&events, 20), 70);
    }
}
