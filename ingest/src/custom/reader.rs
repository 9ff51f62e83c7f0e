//! Reads events with a definition.

use std::collections::HashMap;
use std::sync::Arc;

use super::condition::number_of;
use super::definition::{CutMethod, Definition, LineForm, is_reserved};
use super::engine::{Miss, Scratch};
use super::json::json_values;
use crate::batch::{Level, Span};
use crate::formats::{Fit, Learned, Reader, Setup};
use crate::frame::Framing;
use crate::level;
use crate::rows::{ColumnKind, Rows};
use crate::time::find::find;
use crate::time::rules::TimeRules;

impl Definition {
    /// A reader for the events of one chunk.
    pub(crate) fn reader(self: &Arc<Self>, times: &TimeRules) -> Box<dyn Reader> {
        let most = self.forms.iter().map(|form| match &form.cut {
            CutMethod::Pattern(matcher) => matcher.spans(),
            CutMethod::Dissect(dissect) => dissect.spans(),
            CutMethod::Json(_) => 0,
        });
        Box::new(CustomReader {
            spans: vec![None; most.max().unwrap_or(0)],
            scratch: Scratch::default(),
            values: vec![FieldText::Missing; self.fields.len()],
            built: Vec::new(),
            columns: vec![Columns::default(); self.fields.len()],
            named: HashMap::new(),
            tags: HashMap::new(),
            tags_column: Made::NotYet,
            joined: Vec::new(),
            times: times.clone(),
            definition: Arc::clone(self),
        })
    }

    /// The setup of a source that this definition reads.
    pub(crate) fn setup(self: &Arc<Self>, setup: &Setup) -> Setup {
        let zone = self.zone.clone().unwrap_or_else(|| setup.zone.clone());
        let learned = Learned { framing: self.framing(), ..Learned::default() };
        Setup { zone, learned, custom: Some(Arc::clone(self)), ..setup.clone() }
    }

    /// How events are framed: by the definition's own rule, otherwise each line is one event.
    fn framing(self: &Arc<Self>) -> Framing {
        if self.start.is_none() {
            return Framing::Lines;
        }
        let definition = Arc::clone(self);
        Framing::Starts(Arc::new(move |line| {
            definition.start.as_ref().is_some_and(|start| start.is_match(line))
        }))
    }
}

/// The text of a field: a range of the line, or text joined in a buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum FieldText {
    #[default]
    Missing,
    Line(u32, u32),
    Built(u32, u32),
}

impl FieldText {
    #[inline]
    fn text<'a>(self, line: &'a [u8], built: &'a [u8]) -> Option<&'a [u8]> {
        match self {
            FieldText::Missing => None,
            FieldText::Line(from, to) => Some(&line[from as usize..to as usize]),
            FieldText::Built(from, to) => Some(&built[from as usize..to as usize]),
        }
    }
}

/// The columns of a field: one for values of its type, one for text that does not have it.
#[derive(Clone, Copy, Default)]
struct Columns {
    typed: Made,
    text: Made,
}

/// A column that is created with its first value.
#[derive(Clone, Copy, Default)]
enum Made {
    #[default]
    NotYet,
    /// There were too many columns already.
    Never,
    At(usize),
}

impl Made {
    #[inline]
    fn at(&mut self, make: impl FnOnce() -> Option<usize>) -> Option<usize> {
        if let Made::NotYet = self {
            *self = make().map_or(Made::Never, Made::At);
        }
        match self {
            Made::At(column) => Some(*column),
            _ => None,
        }
    }
}

struct CustomReader {
    times: TimeRules,
    definition: Arc<Definition>,
    spans: Vec<Option<(u32, u32)>>,
    scratch: Scratch,
    values: Vec<FieldText>,
    built: Vec<u8>,
    columns: Vec<Columns>,
    /// Columns for names that the lines contain.
    named: HashMap<Box<[u8]>, Option<usize>>,
    /// The text written for each set of tags.
    tags: HashMap<u64, Span>,
    tags_column: Made,
    joined: Vec<u8>,
}

impl Reader for CustomReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let definition = Arc::clone(&self.definition);
        self.cut(&definition, event, rows)?;
        let has_time = self.put_time(&definition, event, rows);
        self.put_level(&definition, event, rows);
        for field in 0..self.values.len() {
            self.put_field(&definition, field, event, rows);
        }
        self.put_tags(&definition, event, rows);
        Ok(if has_time || definition.time.guessed { Fit::Whole } else { Fit::Partly })
    }
}

impl CustomReader {
    /// Cuts the event into fields with the first form that fits.
    fn cut(&mut self, definition: &Definition, event: &[u8], rows: &mut Rows) -> Result<(), &'static str> {
        self.values.fill(FieldText::Missing);
        self.built.clear();
        let mut steps_ran_out = false;
        for form in &definition.forms {
            let fits = match &form.cut {
                CutMethod::Pattern(matcher) => {
                    let spans = &mut self.spans[..matcher.spans()];
                    match matcher.find(event, &mut self.scratch, spans) {
                        Ok(()) => {
                            for (&field, span) in form.groups.iter().zip(&*spans) {
                                if let (Some(field), Some((from, to))) = (field, *span)
                                    && self.values[field] == FieldText::Missing
                                {
                                    self.values[field] = FieldText::Line(from, to);
                                }
                            }
                            true
                        }
                        Err(miss) => {
                            steps_ran_out |= miss == Miss::TooManySteps;
                            false
                        }
                    }
                }
                CutMethod::Dissect(_) => self.dissect(form, event, rows),
                CutMethod::Json(paths) => {
                    json_values(event, paths, &form.groups, &mut self.values, &mut self.built)
                }
            };
            if fits {
                return Ok(());
            }
        }
        Err(if steps_ran_out {
            "the format's pattern took too many steps for this line"
        } else {
            "the line does not fit the format's pattern"
        })
    }

    fn dissect(&mut self, form: &LineForm, event: &[u8], rows: &mut Rows) -> bool {
        let CutMethod::Dissect(dissect) = &form.cut else { return false };
        let spans = &mut self.spans[..dissect.spans()];
        if !dissect.find(event, spans) {
            return false;
        }
        for (at, &field) in form.groups.iter().enumerate() {
            let Some(field) = field else { continue };
            self.values[field] = if let Some((from, to)) = dissect.field(at, spans) {
                FieldText::Line(from, to)
            } else {
                let from = self.built.len() as u32;
                dissect.join(at, event, spans, &mut self.built);
                FieldText::Built(from, self.built.len() as u32)
            };
        }
        for ((name, name_end), (from, to)) in dissect.pairs(spans) {
            let name = &event[name as usize..name_end as usize];
            let column = if let Some(column) = self.named.get(name) {
                *column
            } else {
                let text = String::from_utf8_lossy(name);
                let text = if is_reserved(&text) { text + "_field" } else { text };
                let column = if text.is_empty() { None } else { rows.add_column(&text, ColumnKind::Text) };
                // Names are not stored once there are too many columns, because their number is unbounded.
                if column.is_some() {
                    self.named.insert(name.into(), column);
                }
                column
            };
            if let Some(column) = column {
                rows.text(column, from as usize, to as usize);
            }
        }
        true
    }

    fn put_time(&mut self, definition: &Definition, event: &[u8], rows: &mut Rows) -> bool {
        let rule = &definition.time;
        let when = if rule.guessed {
            let named = rule
                .from
                .iter()
                .find_map(|&field| rule.format.read(self.values[field].text(event, &self.built)?));
            named.or_else(|| find(event, &self.times).map(|found| found.when))
        } else {
            self.joined_time(rule.from.as_slice(), event).and_then(|text| rule.format.read(text))
        };
        if let Some(when) = &when {
            rows.when(when);
        }
        when.is_some()
    }

    /// The texts of the time's fields joined by spaces. No copy is made where the line has them in that form.
    fn joined_time<'a>(&'a mut self, from: &[usize], event: &'a [u8]) -> Option<&'a [u8]> {
        if let [field] = from {
            return self.values[*field].text(event, &self.built);
        }
        let side_by_side = from.windows(2).all(|two| {
            matches!((self.values[two[0]], self.values[two[1]]), (FieldText::Line(_, end), FieldText::Line(start, _))
                if start == end + 1 && event[end as usize] == b' ')
        });
        if side_by_side
            && let (FieldText::Line(start, _), FieldText::Line(_, end)) =
                (self.values[*from.first()?], self.values[*from.last()?])
        {
            return event.get(start as usize..end as usize);
        }
        self.joined.clear();
        for &field in from {
            let text = self.values[field].text(event, &self.built)?;
            if !self.joined.is_empty() {
                self.joined.push(b' ');
            }
            self.joined.extend_from_slice(text);
        }
        Some(&self.joined)
    }

    fn put_level(&self, definition: &Definition, event: &[u8], rows: &mut Rows) {
        let Some(rule) = &definition.level else { return };
        let Some(text) = self.values[rule.from].text(event, &self.built) else { return };
        let level = rule
            .map
            .get(text)
            .copied()
            .or_else(|| {
                rule.patterns.iter().find(|(pattern, _)| pattern.is_match(text)).map(|(_, level)| *level)
            })
            .or_else(|| level::from_word(text))
            .or_else(|| number_of(text).and_then(|number| level::from_number(number as i64)));
        rows.set_level(level.unwrap_or(Level::None));
    }

    fn put_field(&mut self, definition: &Definition, field: usize, event: &[u8], rows: &mut Rows) {
        let Some(text) = self.values[field].text(event, &self.built) else { return };
        let about = &definition.fields[field];
        let Some(name) = &about.column else { return };
        let columns = &mut self.columns[field];
        if about.kind != ColumnKind::Text {
            if text.is_empty() || text == b"-" {
                return;
            }
            if put_typed(about.kind, text, rows, |rows| {
                columns.typed.at(|| rows.add_column(name, about.kind))
            }) {
                return;
            }
        }
        let column = columns.text.at(|| rows.add_column(name, ColumnKind::Text));
        let Some(column) = column else { return };
        if let FieldText::Line(from, to) = self.values[field] {
            rows.text(column, from as usize, to as usize);
        } else {
            let span = rows.rewrite(|buffer| buffer.extend_from_slice(text));
            rows.span(column, span);
        }
    }

    fn put_tags(&mut self, definition: &Definition, event: &[u8], rows: &mut Rows) {
        if definition.tags.is_empty() {
            return;
        }
        let value = |field: usize| self.values[field].text(event, &self.built);
        let mut set = 0_u64;
        for (at, (_, condition)) in definition.tags.iter().enumerate() {
            set |= u64::from(condition.holds(&value)) << at;
        }
        if set == 0 {
            return;
        }
        let column = self.tags_column.at(|| rows.add_column("tags", ColumnKind::Text));
        let Some(column) = column else { return };
        let span = *self.tags.entry(set).or_insert_with(|| {
            let names = definition.tags.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1);
            let names: Vec<&str> = names.map(|(_, (name, _))| name.as_str()).collect();
            rows.rewrite(|buffer| buffer.extend_from_slice(names.join(",").as_bytes()))
        });
        rows.span(column, span);
    }
}

/// Puts a value of a type into its column. Returns false if the text is not such a value.
#[inline]
fn put_typed(
    kind: ColumnKind,
    text: &[u8],
    rows: &mut Rows,
    mut column: impl FnMut(&mut Rows) -> Option<usize>,
) -> bool {
    match kind {
        ColumnKind::Text => false,
        ColumnKind::Int => int_of(text).is_some_and(|value| {
            if let Some(column) = column(rows) {
                rows.int(column, value);
            }
            true
        }),
        ColumnKind::Float => number_of(text).is_some_and(|value| {
            if let Some(column) = column(rows) {
                rows.float(column, value);
            }
            true
        }),
        ColumnKind::Bool => bool_of(text).is_some_and(|value| {
            if let Some(column) = column(rows) {
                rows.boolean(column, value);
            }
            true
        }),
    }
}

#[inline]
fn int_of(text: &[u8]) -> Option<i64> {
    if text.len() <= 18 && text.iter().all(u8::is_ascii_digit) {
        return Some(text.iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0')));
    }
    // The smallest number represents a missing one.
    std::str::from_utf8(text).ok()?.parse().ok().filter(|&value| value != crate::batch::NO_INT)
}

fn bool_of(text: &[u8]) -> Option<bool> {
    match text.to_ascii_lowercase().as_slice() {
        b"true" | b"yes" | b"on" | b"1" => Some(true),
        b"false" | b"no" | b"off" | b"0" => Some(false),
        _ => None,
    }
}
