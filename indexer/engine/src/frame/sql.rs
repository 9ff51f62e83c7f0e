//! SQL over a case, through polars.

use std::borrow::Cow;
use std::sync::Arc;

use polars::prelude::{LazyFrame, PolarsError, PolarsResult};
use polars::sql::{SQLContext, extract_table_identifiers};

use super::complete::complete;
use super::convert::from_frame;
use super::lower::Lowering;
use super::mistakes::Mistakes;
use super::scan::Shared;
use super::thread::on_a_thread;
use super::{bounds, comparisons, depth, failure, functions, guards, memory, nested, tables, words};
use crate::Engine;
use crate::calculated::Calculated;
use crate::pipe::{RunOptions, Table};
use crate::view::View;
use base::Cancel;
use base::error::{Error, ErrorKind, Result};
use base::limits::QUERY_BYTES;
use query::{Checked, Completion, Diagnostic, Filter, Outline, Severity};
use store::Snapshot;

/// How SQL is run.
#[derive(Clone, Debug)]
pub struct SqlOptions {
    /// Only events from (inclusive) to (exclusive).
    pub range: (Option<i64>, Option<i64>),
    pub run: RunOptions,
    /// Conditions are answered by the index where it knows them. Without it every event is read; the result is
    /// the same.
    pub push_down: bool,
}

impl Default for SqlOptions {
    fn default() -> SqlOptions {
        SqlOptions { range: (None, None), run: RunOptions::default(), push_down: true }
    }
}

/// Whether a question is SQL and not a query of the language: it begins with `SELECT` or `WITH`, and goes on as
/// SQL does.
#[must_use]
pub fn is_sql(text: &str) -> bool {
    let mut words = text.split(|c: char| c.is_whitespace() || c == '(').filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default();
    let is = |word: &str, wanted: &str| word.eq_ignore_ascii_case(wanted);
    // A search for one of these words alone, or followed by a pipe, is one.
    (is(first, "select") && words.clone().next().is_some_and(|word| !word.starts_with('|')))
        || (is(first, "with") && words.any(|word| is(word, "as")))
}

impl Engine {
    /// Answers SQL: the whole result as one table, within the memory that is allowed.
    pub fn sql(
        self: &Arc<Engine>,
        snapshot: &Arc<Snapshot>,
        text: &str,
        options: &SqlOptions,
        cancel: &Cancel,
    ) -> Result<Table> {
        Self::without_damaged(snapshot, |snapshot| {
            let result = self.deeply(snapshot, text, options, cancel, Engine::sql_of)?;
            result.unwrap_or_else(|| {
                let message = "this SQL cannot be run: the engine of tables gave up on it";
                Err(Error::new(ErrorKind::QueryInvalid, message)
                    .hint("write it in another way, or ask with pipes"))
            })
        })
    }

    /// Works on a statement, on a thread whose stack takes any that is not refused. Returns `None` if the work panicked.
    fn deeply<T: Send + 'static>(
        self: &Arc<Engine>,
        snapshot: &Arc<Snapshot>,
        text: &str,
        options: &SqlOptions,
        cancel: &Cancel,
        work: fn(&Arc<Engine>, &Arc<Snapshot>, &str, &SqlOptions, &Cancel) -> T,
    ) -> Result<Option<T>> {
        if text.len() > QUERY_BYTES {
            let message = format!("it is longer than the {} kB that a query may be", QUERY_BYTES >> 10);
            return Err(Error::new(ErrorKind::Limit, message));
        }
        depth::check(text)?;
        let (case, snapshot, text) = (Arc::clone(self), Arc::clone(snapshot), text.to_owned());
        let (options, own) = (options.clone(), cancel.clone());
        on_a_thread(cancel, move || work(&case, &snapshot, &text, &options, &own))
    }

    /// How the first aggregation of SQL would be calculated; nothing where there is none.
    pub fn explain_sql(
        self: &Arc<Engine>,
        snapshot: &Arc<Snapshot>,
        text: &str,
        options: &SqlOptions,
        cancel: &Cancel,
    ) -> Result<Option<Calculated>> {
        Self::without_damaged(snapshot, |snapshot| {
            let decided =
                self.deeply(snapshot, text, options, cancel, |case, snapshot, text, options, cancel| {
                    let (_, frame) = case.planned(snapshot, text, options, cancel, OtherTables::Left)?;
                    // A plan is visited from its output, so that the first aggregation comes last.
                    let decisions = Lowering::decide(&frame)?.decisions;
                    Ok(decisions.last().map(|reason| Calculated::from_reason(*reason)))
                })?;
            decided.unwrap_or(Ok(None))
        })
    }

    /// What is wrong with a statement, without running it, and its words by kind.
    #[must_use]
    pub fn check_sql(
        self: &Arc<Engine>,
        snapshot: &Arc<Snapshot>,
        text: &str,
        options: &SqlOptions,
    ) -> Checked {
        let whole = text.trim().len();
        let start = text.len() - text.trim_start().len();
        let planned = self.deeply(
            snapshot,
            text,
            options,
            &Cancel::default(),
            |case, snapshot, text, options, cancel| {
                case.planned(snapshot, text, options, cancel, OtherTables::Left).map(|_| ())
            },
        );
        // Whether a file may be read is not about the statement; a run says it.
        let wrong = planned.and_then(|planned| planned.unwrap_or(Ok(()))).err();
        let mistake = wrong.filter(|error| error.kind() != ErrorKind::NotAllowed).map(|error| {
            let (start, end) = error.span().unwrap_or((start, start + whole));
            Diagnostic {
                severity: Severity::Error,
                message: error.message().to_owned(),
                hint: error.hint_text().map(str::to_owned),
                start,
                end,
                replacement: None,
            }
        });
        Checked {
            printed: mistake.is_none().then(|| text.trim().to_owned()),
            diagnostics: mistake.into_iter().collect(),
            highlights: words::highlights(text),
            // Events are asked for without a filter, and the statement makes a table as stages do.
            outline: Outline {
                filter: 0..0,
                clauses: Vec::new(),
                stages: std::iter::once(start..start + whole).collect(),
            },
        }
    }

    /// What could be written at a place in a statement, a byte of it.
    #[must_use]
    pub fn complete_sql(snapshot: &Snapshot, text: &str, cursor: usize, cancel: &Cancel) -> Completion {
        let context = Engine::context(snapshot);
        complete(text, cursor, &context, &mut |field, typed| {
            Engine::field_values(snapshot, field, typed, cancel).unwrap_or_default()
        })
    }

    fn sql_of(
        self: &Arc<Engine>,
        snapshot: &Arc<Snapshot>,
        text: &str,
        options: &SqlOptions,
        cancel: &Cancel,
    ) -> Result<Table> {
        let (asked, frame) = self.planned(snapshot, text, options, cancel, OtherTables::Read)?;
        let frame = guards::guarded(&Lowering::answered(frame)?, &asked.shared);
        let frame = memory::charged(&frame, &asked.shared);
        bounds::check(&frame, &asked.shared)?;
        let result = frame.collect().map_err(|error| failure(&error, &asked.shared));
        let result = result.map_err(|error| asked.mistakes.placed(error))?;
        let mut table = from_frame(&result, &|bytes| asked.shared.take("the result", bytes))?;
        if !asked.mistakes.has_column(COUNT_IN_POLARS) && !words::names(text, COUNT_IN_POLARS) {
            table.rename_new(COUNT_IN_POLARS, "count");
        }
        Ok(table)
    }

    /// A statement that is right, as a plan.
    fn planned<'t>(
        self: &Arc<Engine>,
        snapshot: &Arc<Snapshot>,
        text: &'t str,
        options: &SqlOptions,
        cancel: &Cancel,
        rows: OtherTables,
    ) -> Result<(PlannedStatement<'t>, LazyFrame)> {
        let shared = Arc::new(Shared::new(&options.run, options.push_down, cancel));
        let mut asked =
            PlannedStatement { mistakes: Mistakes::new(text), context: functions::context(), shared, rows };
        only_reads(text)?;
        asked.tables(self, snapshot, text, options)?;
        let spelled = nested::spelled(text)?;
        if matches!(spelled, Cow::Owned(_)) {
            depth::check(&spelled)?;
        }
        let frame = asked.context.execute(&spelled).map_err(|error| asked.mistakes.explain(&error))?;
        let frame = if matches!(spelled, Cow::Owned(_)) { nested::restored(&frame)? } else { frame };
        comparisons::check(&frame, &asked.mistakes)?;
        // What has no name and what does not fit is found without an event being read.
        let mut typed = frame.clone();
        typed.collect_schema().map_err(|error| asked.mistakes.explain(&error))?;
        Ok((asked, frame))
    }
}

/// What polars calls the column of a `count(*)` without a name.
const COUNT_IN_POLARS: &str = "len";

fn only_reads(text: &str) -> Result<()> {
    let first = text.trim_start_matches(|c: char| c.is_whitespace() || c == '(');
    let word: String = first.chars().take_while(char::is_ascii_alphabetic).collect();
    let reads = ["select", "with", "explain", "show", "values", "from", "table"];
    if word.is_empty() || reads.contains(&word.to_ascii_lowercase().as_str()) {
        return Ok(());
    }
    let start = text.len() - first.len();
    let other = ["create", "drop", "delete", "truncate", "insert", "update", "alter"];
    let error = if other.contains(&word.to_ascii_lowercase().as_str()) {
        Error::new(ErrorKind::QueryInvalid, "SQL only reads a case; nothing of it can be changed")
    } else {
        Error::new(ErrorKind::QueryInvalid, format!("`{word}` begins no SQL"))
    };
    Err(error.spanning(start, start + word.len()).hint("begin with SELECT or WITH"))
}

struct PlannedStatement<'a> {
    mistakes: Mistakes<'a>,
    context: SQLContext,
    shared: Arc<Shared>,
    rows: OtherTables,
}

/// Whether the rows of tables besides events are read, or only their columns are wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OtherTables {
    Read,
    Left,
}

impl PlannedStatement<'_> {
    /// Makes the tables that are named.
    fn tables(
        &mut self,
        case: &Arc<Engine>,
        snapshot: &Arc<Snapshot>,
        text: &str,
        options: &SqlOptions,
    ) -> Result<()> {
        let (from, to) = options.range;
        let names = extract_table_identifiers(text, false, true);
        let names = names.map_err(|error| self.mistakes.explain(&error))?;
        let view = View { filter: Filter::Everything, from, to };
        for name in names {
            let frame = match name.as_str() {
                "events" => case.lazy_frame(snapshot, &view, &self.shared)?,
                "templates" | "notes" | "sources" if self.rows == OtherTables::Left => {
                    tables::without_rows(&name, &self.shared)?
                }
                "templates" => tables::templates(case, snapshot, &view, &self.shared)?,
                "notes" => tables::notes(case, snapshot, &self.shared)?,
                "sources" => tables::sources(snapshot, &self.shared)?,
                path if path.contains(['.', '/', '\\']) => {
                    tables::file(path, &self.shared).map_err(|error| self.mistakes.at(path, error))?
                }
                // What the statement itself names.
                _ => continue,
            };
            let mut typed = frame.clone();
            let schema: PolarsResult<_> = typed.collect_schema();
            let schema = schema.map_err(|error: PolarsError| super::internal(&error))?;
            self.mistakes.knows(&name, schema.iter_names().map(ToString::to_string));
            self.context.register(&name, frame);
        }
        Ok(())
    }
}
