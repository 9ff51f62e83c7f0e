//! `timberline query` and `timberline export`: matching events as text, raw bytes, JSON lines or CSV.

use std::io::Write;
use std::path::Path;

use anyhow::Result;
use indexer::export::{self, Formulas, Records, replaced};
use indexer::query::time::TimeExpr;
use indexer::query::{Query, Reading, Severity, parse_query};
use indexer::{
    AnswerStep, Cancel, Case, Cell, Engine, Event, Explanation, FieldValue, NO_TIME, RunOptions, Snapshot,
    View, Walk, is_sql, stamp,
};
use serde_json::{Map, Value};

use crate::Outcome;
use crate::allowed::typed_files;
use crate::args::{self, Export, Format};
use crate::notebook;
use crate::out;
use crate::pipes::{self, Piped};

/// `timberline query` of a case alone.
pub fn query(arguments: &args::Query) -> Result<Outcome> {
    if arguments.cluster.timeout.is_some() {
        let error = indexer::Error::new(indexer::ErrorKind::BadRequest, "--timeout is for clusters");
        return Err(error.hint("leave it out, or name a cluster as remote:NAME").into());
    }
    let case = Case::open(&arguments.case)?;
    let snapshot = case.snapshot();
    let zone = arguments.zone.as_deref();
    let range = (time_in(arguments.from.as_ref(), zone)?, time_in(arguments.to.as_ref(), zone)?);
    let options = RunOptions {
        files: typed_files()?,
        ..zone.map_or_else(|| Ok(RunOptions::default()), RunOptions::in_zone)?
    };
    let mut asked = parsed(&arguments.filter)?;
    asked.filter = Engine::in_zone(&snapshot, asked.filter, &options.zone);
    let mut stdout = out::stdout();
    if !asked.stages.is_empty() || is_table(arguments.format) && !arguments.count {
        if arguments.sort.is_some() {
            let error =
                indexer::Error::new(indexer::ErrorKind::BadRequest, "--sort orders events, not tables");
            return Err(error.hint("sort in the query: … | sort -count").into());
        }
        let text = arguments.filter.as_str();
        let piped =
            Piped { case: &case, snapshot: &snapshot, text, query: &asked, range, options: options.clone() };
        let table = piped.table()?;
        let table = table.first(arguments.limit.unwrap_or(usize::MAX));
        if arguments.count {
            writeln!(stdout, "{}", table.rows())?;
        } else {
            pipes::print(&table, arguments.format, arguments.formulas.into(), &mut stdout)?;
        }
        stdout.flush()?;
        advise(&case, &snapshot, &arguments.filter);
        if arguments.explain {
            let view = View { filter: asked.filter.clone(), from: range.0, to: range.1 };
            explain(&checked(text, case.explain(&snapshot, &view, &Cancel::default()))?, zone);
            let calculated = case.explain_run(&snapshot, &asked, range, &options)?;
            if let Some(how) = calculated {
                out::say(&how.to_string());
            }
        }
        suggest(&case, &snapshot, &arguments.filter, &View { filter: asked.filter, from: None, to: None })?;
        return Ok(outcome(&snapshot));
    }
    let view = View { filter: asked.filter, from: range.0, to: range.1 };
    if arguments.count {
        let count = checked(&arguments.filter, case.count(&snapshot, &view, &Cancel::default()))?;
        writeln!(stdout, "{count}")?;
    } else {
        let walk = Walk {
            sort: arguments.sort(),
            limit: arguments.limit.unwrap_or(usize::MAX),
            with_fields: has_fields(arguments.format),
        };
        let formulas = arguments.formulas.into();
        let printing =
            Printing { case: &case, snapshot: &snapshot, query: &arguments.filter, view: &view, formulas };
        printing.print(arguments.format, &walk, &mut stdout)?;
    }
    stdout.flush()?;
    advise(&case, &snapshot, &arguments.filter);
    suggest(&case, &snapshot, &arguments.filter, &view)?;
    if arguments.explain {
        explain(&checked(&arguments.filter, case.explain(&snapshot, &view, &Cancel::default()))?, zone);
    }
    Ok(outcome(&snapshot))
}

/// Suggests similar words for the words of a query without matches that no event has.
fn suggest(case: &Case, snapshot: &Snapshot, query: &str, view: &View) -> Result<()> {
    let cancel = Cancel::default();
    if snapshot.events() == 0 || case.count(snapshot, view, &cancel)? > 0 {
        return Ok(());
    }
    if is_sql(query) {
        out::say("this is read as words; for SQL write `timberline sql CASE 'SELECT …'`");
        return Ok(());
    }
    for unknown in case.unknown_words(snapshot, query, &cancel)? {
        let nearest: Vec<String> =
            unknown.nearest.iter().map(|near| format!("`{}` ({})", near.word, near.events)).collect();
        let meant = if nearest.is_empty() {
            String::new()
        } else {
            format!("; did you mean {}?", nearest.join(" or "))
        };
        out::say(&format!("no event has `{}`{meant}", unknown.word));
    }
    Ok(())
}

/// Tells what was perhaps meant otherwise.
fn advise(case: &Case, snapshot: &Snapshot, query: &str) {
    let found = case.check(snapshot, query, Reading::Timberline).diagnostics.into_iter();
    for advice in found.filter(|found| found.severity == Severity::Advice) {
        let hint = advice.hint.map(|hint| format!("; {hint}")).unwrap_or_default();
        out::say(&format!("{}{hint}", advice.message));
    }
}

/// Names what the answer lacks.
pub fn outcome(snapshot: &Snapshot) -> Outcome {
    let missing = snapshot.missing();
    for segment in &missing {
        out::problem(&segment.why.clone().hint(format!(
            "some of its {} events may be missing above; `timberline verify --repair` rebuilds it",
            segment.events
        )));
    }
    if missing.is_empty() { Outcome::Done } else { Outcome::Unreadable }
}

/// A table for people: data has gone to stdout already.
fn explain(explained: &Explanation, zone: Option<&str>) {
    let Explanation { filter, segments, skipped, events, matched, steps } = explained;
    out::say(&format!("filter: {}", if filter.is_empty() { "*" } else { filter }));
    out::say(&format!("times that name no zone are read in {}", zone.unwrap_or("UTC")));
    let looked_at = segments - skipped;
    out::say(&format!("{matched} of {events} events match, in {looked_at} of {segments} segments"));
    for step in steps {
        let paths: Vec<String> =
            step.paths.iter().map(|(path, times)| format!("{} x{times}", path.name())).collect();
        out::say(&format!("  {}", step.clause));
        if !step.terms.is_empty() {
            out::say(&format!("    terms: {}", terms(step)));
        }
        out::say(&format!(
            "    {}: {} of {} rows, {} texts read ({} bytes), {:.3} ms",
            paths.join(", "),
            step.matched,
            step.candidates,
            step.texts,
            step.bytes,
            step.time.as_secs_f64() * 1_000.0,
        ));
    }
}

/// The terms that a clause matches.
fn terms(step: &AnswerStep) -> String {
    let more = step.terms_in_all - step.terms.len();
    let shown = step.terms.join(" ");
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}

pub fn export(arguments: &Export) -> Result<Outcome> {
    if let Some(file) = &arguments.notes {
        return notebook::export(&arguments.case, file, &arguments.allow_files);
    }
    // The command line has both where it has no notes.
    let (Some(text), Some(to)) = (arguments.filter.as_deref(), arguments.to.as_deref()) else {
        anyhow::bail!("what to export, and where to, is missing");
    };
    let case = Case::open(&arguments.case)?;
    let snapshot = case.snapshot();
    let asked = parsed(text)?;
    let format = arguments.format.unwrap_or_else(|| format_of(to));
    let formulas = arguments.formulas.into();
    if !asked.stages.is_empty() || is_table(format) {
        let options = RunOptions { files: typed_files()?, ..RunOptions::default() };
        Piped { case: &case, snapshot: &snapshot, text, query: &asked, range: (None, None), options }
            .export(format, formulas, to)?;
        return Ok(outcome(&snapshot));
    }
    let view = View { filter: asked.filter, from: None, to: None };
    let mut failed = None;
    let written = replaced(to, &mut |file| {
        if format == Format::Raw {
            return case.export_raw(&snapshot, &view, file, &Cancel::default()).map(|_| ());
        }
        let printing = Printing { case: &case, snapshot: &snapshot, query: text, view: &view, formulas };
        let walk = Walk { with_fields: has_fields(format), ..Walk::default() };
        printing.print(format, &walk, file).map_err(|error| {
            // The file is taken back on any error; the real one is reported below.
            failed = Some(error);
            indexer::Error::new(indexer::ErrorKind::Cancelled, "the file was not written")
        })
    });
    if let Some(error) = failed {
        return Err(match error.downcast::<std::io::Error>() {
            Ok(error) => indexer::Error::writing(to, &error).into(),
            Err(error) => error,
        });
    }
    checked(text, written)?;
    Ok(outcome(&snapshot))
}

fn has_fields(format: Format) -> bool {
    matches!(format, Format::Ndjson | Format::Csv)
}

/// Whether columns are written as a table even where the query has no stages.
fn is_table(format: Format) -> bool {
    matches!(format, Format::Parquet | Format::Arrow)
}

/// The format that a file's extension selects; the original bytes unless it is one of a table.
fn format_of(path: &Path) -> Format {
    match export::Format::from_extension(path) {
        Some(export::Format::Csv(_)) => Format::Csv,
        Some(export::Format::Ndjson) => Format::Ndjson,
        Some(export::Format::Parquet) => Format::Parquet,
        Some(export::Format::Arrow) => Format::Arrow,
        Some(export::Format::Text) | None => Format::Raw,
    }
}

fn parsed(text: &str) -> Result<Query> {
    checked(text, parse_query(text).map_err(indexer::Error::from))
}

/// Shows where in the query an error lies before it is passed on.
fn checked<T>(query: &str, result: indexer::Result<T>) -> Result<T> {
    result.map_err(|error| {
        out::caret(query, &error);
        error.into()
    })
}

pub fn time(text: Option<&String>) -> Result<Option<i64>> {
    time_in(text, None)
}

/// A time of the command line. One that names no zone is of this zone, or of UTC.
pub fn time_in(text: Option<&String>, zone: Option<&str>) -> Result<Option<i64>> {
    let Some(text) = text else { return Ok(None) };
    let read = match zone {
        None => stamp::parse(text),
        Some(zone) => {
            let zone = RunOptions::in_zone(zone)?.zone;
            TimeExpr::parse(text).and_then(|time| Some(time.period(0, &zone)?.from))
        }
    };
    let message = || format!("not a valid time: {text}; write it like 2026-03-01T14:05:00Z");
    Ok(Some(read.ok_or_else(|| indexer::Error::new(indexer::ErrorKind::BadRequest, message()))?))
}

struct Printing<'a> {
    case: &'a Case,
    snapshot: &'a Snapshot,
    query: &'a str,
    view: &'a View,
    formulas: Formulas,
}

/// Where the events of a result go.
enum EventOutput<'a> {
    Records(Box<Records<'a>>),
    Lines(&'a mut dyn Write),
}

impl Printing<'_> {
    fn print(&self, format: Format, walk: &Walk, out: &mut dyn Write) -> Result<()> {
        let names = Engine::field_names(self.snapshot);
        let columns: Vec<&str> = names.iter().skip(BUILT_IN).map(String::as_str).collect();
        let mut out = if format == Format::Csv {
            let mut records = Records::new(self.formulas, out);
            let header = ["time", "source", "line", "level", "raw"].iter().chain(&columns);
            records.write(header.map(|name| Cell::text(name)))?;
            EventOutput::Records(Box::new(records))
        } else {
            EventOutput::Lines(out)
        };
        let mut failed = None;
        let mut each = |event: Event, fields: Vec<FieldValue>| {
            let row = Row { event: &event, fields: &fields, source: self.source(&event) };
            let written = match &mut out {
                EventOutput::Records(records) => row.write_record(&columns, records),
                EventOutput::Lines(out) => row.write(format, *out),
            };
            written.map_err(|error| {
                // The engine stops on any error; the real one is reported below.
                failed = Some(error);
                indexer::Error::new(indexer::ErrorKind::Cancelled, "the output was closed")
            })
        };
        let cancel = Cancel::default();
        let outcome = self.case.for_each(self.snapshot, self.view, walk, &cancel, &mut each);
        if let EventOutput::Records(records) = out {
            records.finish()?;
        }
        match failed {
            Some(error) => Err(error.into()),
            None => checked(self.query, outcome),
        }
    }

    fn source(&self, event: &Event) -> &str {
        source_name(self.snapshot, event)
    }
}

pub fn source_name<'s>(snapshot: &'s Snapshot, event: &Event) -> &'s str {
    snapshot.sources().get(event.source as usize).map_or("", |source| &source.name)
}

/// `time`, `level`, `source`, `line` and `raw` come first in the list of fields.
const BUILT_IN: usize = 5;

/// An event of a case, as it is written.
pub struct Row<'a> {
    pub event: &'a Event,
    pub fields: &'a [FieldValue],
    pub source: &'a str,
}

impl Row<'_> {
    pub fn write(&self, format: Format, out: &mut dyn Write) -> std::io::Result<()> {
        match format {
            Format::Raw => {
                out.write_all(&self.event.raw)?;
                out.write_all(self.event.encoding.newline())
            }
            Format::Text => {
                let time = self.time().unwrap_or_else(|| "-".to_owned());
                let level = if self.event.level.name().is_empty() { "-" } else { self.event.level.name() };
                write!(out, "{time} {level} {}:{} ", self.source, self.event.line)?;
                writeln!(out, "{}", self.event.text)
            }
            Format::Ndjson => {
                serde_json::to_writer(&mut *out, &self.object())?;
                out.write_all(b"\n")
            }
            // Columns are written as a table, and records by `write_record`.
            Format::Parquet | Format::Arrow | Format::Csv => Ok(()),
        }
    }

    pub fn write_record(&self, columns: &[&str], records: &mut Records<'_>) -> std::io::Result<()> {
        let value = |name: &&str| {
            let field = self.fields.iter().find(|field| field.name == **name);
            field.map_or(Cell::Missing, |field| Cell::text(&field.value))
        };
        let built_in = [
            Cell::text(&self.time().unwrap_or_default()),
            Cell::text(self.source),
            Cell::text(&self.event.line.to_string()),
            Cell::text(self.event.level.name()),
            Cell::text(&self.event.text),
        ];
        records.write(built_in.into_iter().chain(columns.iter().map(value)))
    }

    fn time(&self) -> Option<String> {
        (self.event.time != NO_TIME).then(|| stamp::to_rfc3339(self.event.time))
    }

    fn object(&self) -> Map<String, Value> {
        let level = self.event.level.name();
        let mut object = Map::new();
        object.insert("time".into(), self.time().map_or(Value::Null, Value::from));
        object.insert("source".into(), self.source.into());
        object.insert("line".into(), self.event.line.into());
        object.insert("level".into(), if level.is_empty() { Value::Null } else { level.into() });
        object.insert("raw".into(), self.event.text.as_str().into());
        for field in self.fields {
            object.insert(field.name.clone(), field.as_json());
        }
        object
    }
}
