//! The façade of the language for one case: its fields, resolved filters, and how they are answered.

use std::collections::HashMap;

use ingest::NO_INT;

use crate::Engine;
use crate::exec::{ClauseStep, Prepared, SegmentQuery, Trace, select_segment};
use crate::pipe::RunOptions;
use crate::view::View;
use base::Cancel;
use base::error::{Error, ErrorKind, Result};
use base::limits::{COMPLETED_WORDS, COMPLETION_ROWS, COMPLETIONS};
use query::{
    Checked, Completion, Filter, KnownField, Lenient, QueryContext, Reading, Severity, SourceFormat,
    complete, habits, highlight, outline, parse_leniently, resolve, time, unknown_columns,
};
use serde::Serialize;
use store::Snapshot;
use store::Values;

/// How a filter was answered.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Explanation {
    /// The filter as it was run: fields of the case, instants instead of relative times.
    pub filter: String,
    pub segments: usize,
    /// Segments that were skipped because their times are outside the range.
    pub skipped: usize,
    pub events: u64,
    pub matched: u64,
    pub steps: Vec<ClauseStep>,
}

impl Engine {
    /// The case that a query is resolved for: the fields, and the end of the data as `now`.
    #[must_use]
    pub fn context(snapshot: &Snapshot) -> QueryContext {
        let mut fields: Vec<KnownField> = Vec::new();
        let mut places = HashMap::new();
        for field in snapshot.segments.iter().flat_map(|segment| &segment.meta.fields) {
            let place = *places.entry(field.name.as_str()).or_insert_with(|| {
                fields.push(KnownField { name: field.name.clone(), kinds: Vec::new() });
                fields.len() - 1
            });
            let kinds = &mut fields[place].kinds;
            if !kinds.contains(&field.kind) {
                kinds.push(field.kind);
            }
        }
        for (name, kinds) in snapshot.fields_of_whole() {
            if !places.contains_key(name.as_str()) {
                fields.push(KnownField { name: name.clone(), kinds: kinds.clone() });
            }
        }
        let now = snapshot.time_range().map_or(0, |(_, last)| last);
        QueryContext { fields, now, zone: jiff::tz::TimeZone::UTC }
    }

    /// A filter whose times are instants, read in a zone, which mean the same in every other. One with a mistake stays
    /// as it is: whoever uses it reports the mistake.
    #[must_use]
    pub fn in_zone(snapshot: &Snapshot, filter: Filter, zone: &jiff::tz::TimeZone) -> Filter {
        if *zone == jiff::tz::TimeZone::UTC {
            return filter;
        }
        let context = QueryContext { zone: zone.clone(), ..Self::context(snapshot) };
        let resolved = resolve(&filter, &context);
        let is_wrong = resolved.diagnostics.iter().any(|found| found.severity == Severity::Error);
        if is_wrong { filter } else { resolved.filter }
    }

    /// The view with a filter resolved to fields of the case and instants. A name without a meaning in this
    /// case is an error in the query, not an empty answer.
    pub fn resolved(&self, snapshot: &Snapshot, view: &View) -> Result<View> {
        let (from, to) = (view.from, view.to);
        if view.filter == Filter::Everything || snapshot.events() == 0 {
            return Ok(view.clone());
        }
        let resolved = resolve(&view.filter, &Self::context(snapshot));
        let mistake = resolved.diagnostics.into_iter().find(|found| found.severity == Severity::Error);
        if let Some(found) = mistake {
            return Err(found.into());
        }
        Ok(View { filter: self.with_noted_events(resolved.filter)?, from, to })
    }

    /// Answers a filter and reports the steps. Caches of earlier queries are not used.
    pub fn explain(&self, snapshot: &Snapshot, view: &View, cancel: &Cancel) -> Result<Explanation> {
        Self::without_damaged(snapshot, |snapshot| self.explain_of(snapshot, view, cancel))
    }

    fn explain_of(&self, snapshot: &Snapshot, view: &View, cancel: &Cancel) -> Result<Explanation> {
        let view = self.resolved(snapshot, view)?;
        let (trace, prepared) = (Trace::default(), Prepared::new(&view.filter));
        let mut cursor = self.raw_cursor();
        let (mut skipped, mut events, mut matched) = (0, 0, 0);
        for segment in &snapshot.segments {
            if cancel.is_set() {
                return Err(Error::cancelled());
            }
            let before = view.to.is_some_and(|to| segment.meta.first.is_none_or(|first| first >= to));
            let after = view.from.is_some_and(|from| segment.meta.last.is_none_or(|last| last < from));
            if before || after {
                skipped += 1;
                continue;
            }
            events += segment.meta.events;
            let templates = self.templates_for(snapshot, segment, &view.filter, cancel)?;
            let (sources, templates) = (snapshot.sources(), templates.as_ref());
            let shapes = || self.known_shapes(segment, cancel);
            let trace = Some(&trace);
            let question = SegmentQuery { segment, sources, templates, shapes: &shapes, cancel, trace };
            let rows = select_segment(&question, &prepared, &mut cursor)?;
            let times = segment.times()?;
            let within = |row: &u32| {
                let time = times.get(*row as usize);
                view.from.is_none_or(|from| time >= from)
                    && view.to.is_none_or(|to| time != ingest::NO_TIME && time < to)
            };
            matched += rows.iter().filter(within).count() as u64;
        }
        let filter = view.filter.to_string();
        let segments = snapshot.segments.len();
        Ok(Explanation { filter, segments, skipped, events, matched, steps: trace.into_steps() })
    }

    /// All errors and warnings of a query, and its words by kind. Accepts any text.
    #[must_use]
    pub fn check(&self, snapshot: &Snapshot, query: &str, reading: Reading) -> Checked {
        let Lenient { query: parsed, mut diagnostics } = parse_leniently(query, reading);
        if snapshot.events() > 0 {
            let context = Self::context(snapshot);
            diagnostics.extend(resolve(&parsed.filter, &context).diagnostics);
            diagnostics.extend(unknown_columns(&parsed, &context));
            diagnostics.extend(self.hidden_notes(&parsed.filter, &context));
            let sources = snapshot.sources().iter();
            let formats = sources.map(|source| SourceFormat { name: &source.name, format: &source.format });
            diagnostics.extend(habits(query, &parsed, &context, &formats.collect::<Vec<_>>()));
        }
        diagnostics.sort_by_key(|found| (found.start, found.end));
        let is_right = diagnostics.iter().all(|found| found.severity == Severity::Advice);
        Checked {
            diagnostics,
            highlights: highlight(query),
            printed: is_right.then(|| parsed.to_string()),
            outline: outline(query, reading),
        }
    }

    /// The stretch of time from one written time to another, or of one alone, as nanoseconds from (inclusive)
    /// to (exclusive). `now` is the end of the data; days are those of the zone, and a time of day is on a day of
    /// `around`.
    pub fn stretch(
        snapshot: &Snapshot,
        from: &str,
        to: Option<&str>,
        options: &RunOptions,
        around: Option<time::Period>,
    ) -> Result<time::Period> {
        Self::stretch_in(snapshot.time_range(), from, to, options, around)
    }

    /// The same for data that has these times, from the first to the last.
    pub fn stretch_in(
        data: Option<(i64, i64)>,
        from: &str,
        to: Option<&str>,
        options: &RunOptions,
        around: Option<time::Period>,
    ) -> Result<time::Period> {
        let mistake = |text: &str| {
            Error::new(ErrorKind::QueryInvalid, format!("not a valid time: `{text}`")).hint(time::TIME_HINT)
        };
        let (first, now) = data.unwrap_or_default();
        let read = |from: &str, to| time::stretch(from, to, now, &options.zone, around);
        match read(from, to) {
            // Only before a time is from the beginning of the data.
            Some(time::Period { from: i64::MIN, to }) if first < to => Ok(time::Period { from: first, to }),
            Some(period) if i64::MIN < period.from && period.from < period.to => Ok(period),
            Some(_) => {
                let (message, hint) = if let Some(to) = to {
                    (format!("`{from}` is not before `{to}`"), "write the earlier time first")
                } else {
                    let hint = "write the earlier time first, and one within the data";
                    (format!("`{from}` is an empty range of time"), hint)
                };
                Err(Error::new(ErrorKind::QueryInvalid, message).hint(hint))
            }
            None => Err(mistake(to.filter(|_| read(from, None).is_some()).unwrap_or(from))),
        }
    }

    /// What could be written at a place in a query, a byte of it.
    #[must_use]
    pub fn complete(&self, snapshot: &Snapshot, query: &str, cursor: usize, cancel: &Cancel) -> Completion {
        let context = Self::context(snapshot);
        // What cannot be counted is not offered; the query says why when it runs.
        let mut values = |field: &str, typed: &str| {
            let found = match context.note_field(field) {
                Some(note) => self.note_values(note, typed),
                None => Self::field_values(snapshot, field, typed, cancel),
            };
            found.unwrap_or_default()
        };
        let mut words = |typed: &str| {
            let found = self.words(snapshot, typed, COMPLETED_WORDS, cancel).unwrap_or_default();
            found.into_iter().map(|known| (known.word, known.events)).collect()
        };
        complete(query, cursor, &context, &mut values, &mut words)
    }

    /// The most frequent values of a field that begin so, in any case, with how many of the newest events
    /// have each.
    pub fn field_values(
        snapshot: &Snapshot,
        field: &str,
        typed: &str,
        cancel: &Cancel,
    ) -> Result<Vec<(String, u64)>> {
        let typed = typed.to_lowercase();
        let begins = |value: &str| value.to_lowercase().starts_with(&typed);
        let mut counts: HashMap<String, u64> = HashMap::new();
        let mut rows = 0;
        for segment in snapshot.segments.iter().rev() {
            if cancel.is_set() {
                return Err(Error::cancelled());
            }
            if rows >= COMPLETION_ROWS {
                break;
            }
            rows += segment.meta.events;
            if field == "source" {
                for entry in &segment.meta.sources {
                    let source = snapshot.sources().get(entry.source as usize);
                    if let Some(source) = source.filter(|source| begins(&source.name)) {
                        counts.insert(source.name.clone(), source.events);
                    }
                }
            }
            for column in segment.or_missing(segment.field(field, cancel))?.unwrap_or_default() {
                count_values(&column, &begins, &mut counts);
            }
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        counts.truncate(COMPLETIONS);
        Ok(counts)
    }
}

fn count_values(column: &Values, begins: &dyn Fn(&str) -> bool, counts: &mut HashMap<String, u64>) {
    let mut add = |value: String, count: u64| {
        if count > 0 && begins(&value) {
            *counts.entry(value).or_default() += count;
        }
    };
    match column {
        Values::Text { codes, texts } => {
            let mut by_code = vec![0_u64; texts.len()];
            for &code in codes {
                if let Some(count) = by_code.get_mut(code as usize) {
                    *count += 1;
                }
            }
            texts.iter().zip(by_code).for_each(|(text, count)| add(text.to_owned(), count));
        }
        Values::Int(values) => {
            let mut by_value: HashMap<i64, u64> = HashMap::new();
            for &value in values.iter().filter(|&&value| value != NO_INT) {
                *by_value.entry(value).or_default() += 1;
            }
            for (value, count) in by_value {
                add(value.to_string(), count);
            }
        }
        Values::Float(_) => {}
        Values::Bool(values) => {
            for wanted in [false, true] {
                let count = values.iter().filter(|&&value| value == Some(wanted)).count();
                add(wanted.to_string(), count as u64);
            }
        }
    }
}
