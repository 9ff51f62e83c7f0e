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
const MOST_PATTERNS: usize = 30;

/// Candidates that are tried on all lines.
const MOST_CANDIDATES: usize = 150;

/// A pattern is dropped that reads something else than Timberline in more of its lines.
const LEAST_SOUND: f64 = 0.9;

/// A pattern is listed that is needed for one of so many lines.
const LINES_A_PATTERN: usize = 200;

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LinePart {
    Text(String),
    /// Any run of white space.
    Space,
    Time(usize),
    Level,
    Field(String),
}

/// A part with what its values look like.
#[derive(Clone, Debug)]
pub enum Step {
    Text(String),
    Space,
    /// An index into [`TIMES`].
    Time(usize),
    Level,
    Field {
        name: String,
        kind: FieldKind,
        shape: Shape,
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
    /// Lines of the sample that they read with the time and all fields as Timberline does.
    pub right: usize,
}

/// A text and what Timberline read in it.
struct Line<'s> {
    text: &'s str,
    time: Option<i64>,
    level: &'s str,
    fields: Vec<&'s FieldValue>,
}

impl Line<'_> {
    fn value(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|field| field.name == name).map(|field| field.value.as_str())
    }
}

pub fn learn(sample: &[SampledEvent], zone: &TimeZone) -> Lines {
    let lines: Vec<Line<'_>> = sample
        .iter()
        .map(|event| Line {
            text: &event.text,
            time: event.time,
            level: event.level,
            fields: event.fields.iter().collect(),
        })
        .collect();
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
    let mut learned = Lines { patterns, of_message, right: 0 };
    learned.right = lines.iter().filter(|line| learned.reads_all(line, zone)).count();
    learned
}

fn first_read(patterns: &[LinePattern], text: &str) -> Option<Read> {
    patterns.iter().find_map(|pattern| pattern.read(text))
}

impl Lines {
    fn reads_all(&self, line: &Line<'_>, zone: &TimeZone) -> bool {
        let Some(mut read) = first_read(&self.patterns, line.text) else { return false };
        let more = read.fields.get("message").and_then(|message| first_read(&self.of_message, message));
        if let Some(more) = more {
            read.fields.extend(more.fields);
        }
        read.fields.len() == line.fields.len() && is_sound(&read, line, zone)
    }
}

/// The patterns of lines, those of more fields first, because the first that fits is taken. Where `with_values`, patterns
/// that read nothing are left out.
fn patterns_of(lines: &[Line<'_>], zone: &TimeZone, with_values: bool) -> Vec<LinePattern> {
    let mut groups: HashMap<Vec<LinePart>, Vec<&Line<'_>>> = HashMap::new();
    // Fields that are next to one another in a line; others are within one of these.
    let mut placed: Vec<usize> = Vec::with_capacity(lines.len());
    for line in lines {
        let parts = parts(line, zone);
        placed.push(parts.iter().filter(|part| matches!(part, LinePart::Field(_))).count());
        groups.entry(parts).or_default().push(line);
    }
    let has_values =
        |parts: &[LinePart]| parts.iter().any(|part| !matches!(part, LinePart::Text(_) | LinePart::Space));
    let mut groups: Vec<(Vec<LinePart>, Vec<&Line<'_>>)> = groups.into_iter().collect();
    groups.retain(|(parts, _)| !with_values || has_values(parts));
    // Frequent ones first; of those as frequent, an order that does not depend on chance.
    groups.sort_by(|one, other| other.1.len().cmp(&one.1.len()).then_with(|| one.0.cmp(&other.0)));
    let made =
        groups.iter().take(MOST_CANDIDATES).filter_map(|(parts, group)| LinePattern::new(parts, group));
    let mut candidates: Vec<LinePattern> = made.collect();
    candidates.sort_by_key(|pattern| Reverse(pattern.fields()));
    let mut open: Vec<(&Line<'_>, usize)> = lines.iter().zip(placed).collect();
    let mut chosen: Vec<LinePattern> = Vec::new();
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
        let is_right = sound as f64 >= LEAST_SOUND * matched as f64;
        if is_right && whole > 0 && whole * LINES_A_PATTERN >= lines.len() && chosen.len() < MOST_PATTERNS {
            open.retain(|(line, _)| !pattern.regex.is_match(line.text));
            chosen.push(pattern);
        }
    }
    chosen
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
        } else {
            let length = end(&|letter: char| !letter.is_whitespace() && !is_word(letter));
            (LinePart::Text(rest[..length].to_owned()), length)
        };
        match (parts.last_mut(), part) {
            (Some(LinePart::Text(before)), LinePart::Text(more)) => before.push_str(&more),
            (_, part) => parts.push(part),
        }
        rest = &rest[length..];
    }
}

impl LinePattern {
    fn new(parts: &[LinePart], lines: &[&Line<'_>]) -> Option<LinePattern> {
        let mut steps = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            steps.push(match part {
                LinePart::Text(text) => Step::Text(text.clone()),
                LinePart::Space => Step::Space,
                LinePart::Time(shape) => Step::Time(*shape),
                LinePart::Level => Step::Level,
                LinePart::Field(name) => {
                    let values: Vec<&str> = lines.iter().filter_map(|line| line.value(name)).collect();
                    let kind = lines.first()?.fields.iter().find(|field| field.name == *name)?.kind;
                    Step::Field {
                        name: name.clone(),
                        kind,
                        shape: shape(kind, &values, parts.get(index + 1)),
                    }
                }
            });
        }
        let regex = Regex::new(&expression(&steps)).ok()?;
        Some(LinePattern { steps, regex })
    }

    /// What the pattern reads in a line.
    pub fn read(&self, text: &str) -> Option<Read> {
        let captured = self.regex.captures(text)?;
        let mut read = Read::default();
        let values = self.steps.iter().filter(|step| !matches!(step, Step::Text(_) | Step::Space));
        for (step, value) in values.zip(captured.iter().skip(1)) {
            let value = value.map(|found| found.as_str().to_owned()).unwrap_or_default();
            match step {
                Step::Time(_) => read.time = Some(value),
                Step::Level => read.level = Some(value),
                Step::Field { name, .. } => drop(read.fields.insert(name.clone(), value)),
                Step::Text(_) | Step::Space => {}
            }
        }
        Some(read)
    }

    /// How many fields it reads.
    fn fields(&self) -> usize {
        self.steps.iter().filter(|step| matches!(step, Step::Field { .. })).count()
    }
}

fn shape(kind: FieldKind, values: &[&str], after: Option<&LinePart>) -> Shape {
    let fits = |shape: Shape| {
        let whole = Regex::new(&format!(r"\A(?:{})\z", shape.expression()));
        whole.is_ok_and(|whole| values.iter().all(|value| whole.is_match(value)))
    };
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
        Some(_) => vec![Shape::Word, Shape::Least],
    };
    numbers.into_iter().chain(open).find(|&shape| fits(shape)).unwrap_or(Shape::Least)
}

fn expression(steps: &[Step]) -> String {
    let of = |step: &Step| match step {
        Step::Text(text) => escaped(text),
        Step::Space => r"\s+".to_owned(),
        Step::Time(shape) => format!("({})", TIMES[*shape].expression),
        Step::Level => "([A-Za-z]+)".to_owned(),
        Step::Field { shape, .. } => format!("({})", shape.expression()),
    };
    format!(r"\A{}\z", steps.iter().map(of).collect::<String>())
}

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
