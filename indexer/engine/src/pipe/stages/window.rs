//! `window`: columns of the rows around each row. Polars calculates what uses places and earlier rows;
//! what uses a length of time is in [`super::rolling`].

use std::ops::Range;
use std::sync::Arc;

use ingest::{NO_INT, NO_TIME};

use super::super::column::{Column, Data, Picked, filled};
use super::super::expr::{Expression, invalid};
use super::super::run::Run;
use super::super::step::{Kept, Step};
use super::super::table::Table;
use super::keys::Keys;
use super::rolling::{Calculation, Coding, NO_KEY, Results, Series, boundary};
use crate::exec::in_order;
use crate::frame::window::{Over, over};
use crate::percentile::Percent;
use base::error::Result;
use base::limits::ROLLING_PART_ROWS;
use query::{Span, WindowAggregate, WindowFunction};

pub struct PlannedWindow {
    pub name: String,
    pub function: WindowFunction,
    pub argument: Option<Expression>,
    pub span: Span,
}

pub struct Window {
    columns: Vec<PlannedWindow>,
    by: Vec<Arc<str>>,
    /// The column of times, where a calculation uses a length of time.
    time: Option<Arc<str>>,
    kept: Kept,
}

/// The bytes that a row takes for each column while it is calculated.
const ROW_BYTES: usize = 40;

impl Window {
    pub fn new(columns: Vec<PlannedWindow>, by: Vec<Arc<str>>, time: Option<Arc<str>>) -> Window {
        Window { columns, by, time, kept: Kept::new("window") }
    }

    /// The group of each row, and how many groups there are.
    fn groups(&self, table: &Table) -> Option<(Vec<u32>, usize)> {
        if self.by.is_empty() {
            return None;
        }
        let mut keys = Keys::new(self.by.len());
        let columns: Vec<Column> = self.by.iter().map(|name| table.column_or_missing(name)).collect();
        let groups = keys.groups(&columns, table.rows());
        let count = keys.len();
        Some((groups, count))
    }
}

impl Step for Window {
    fn push(&mut self, rows: Table, run: &Run<'_>) -> Result<Option<Table>> {
        self.kept.push(rows, run)?;
        Ok(None)
    }

    fn finish(&mut self, run: &Run<'_>) -> Result<Option<Table>> {
        let mut table = self.kept.take(run)?;
        let rows = table.rows();
        if rows == 0 {
            return Ok(None);
        }
        let bytes = table.bytes() + rows * ROW_BYTES * self.columns.len();
        run.budget.take("window", bytes)?;
        let groups = self.groups(&table);
        let times = self.time.as_ref().map(|time| table.column_or_missing(time));
        let mut asked = Vec::new();
        let mut columns = Vec::with_capacity(self.columns.len());
        for column in &self.columns {
            run.check()?;
            let argument = column.argument.as_ref().map(|argument| argument.column(&table, run));
            let argument = argument.transpose()?;
            let Some((calculation, length)) = by_time(column.function) else {
                let (what, numbers, coding) = by_place(column, argument.as_ref(), rows, run);
                asked.push((what, numbers));
                columns.push((argument, coding, None));
                continue;
            };
            let (keys, coding) = keys_of(column, argument.as_ref(), rows, run);
            let times = times.as_ref().filter(|_| length.is_some());
            let runs = Runs::new(groups.as_ref(), times, rows);
            let asked = WindowCall { keys: &keys, coding, calculation, length, span: column.span };
            let result = runs.calculate(&asked, times, run)?;
            columns.push((argument, coding, Some(result)));
        }
        let mut found = over(groups.as_ref().map(|(groups, _)| groups.as_slice()), rows, &asked)?.into_iter();
        run.check()?;
        for (column, (argument, coding, result)) in self.columns.iter().zip(columns) {
            let result = result.or_else(|| {
                found.next().map(|numbers| column_of(column.function, numbers, argument.as_ref(), coding))
            });
            table.set(&column.name, result.unwrap_or_else(|| Column::missing(rows)));
        }
        run.budget.give_back(bytes);
        Ok(Some(table))
    }
}

/// The calculation that takes what comes into a window and leaves it, with the length of the window where it has
/// one; the others go by places.
fn by_time(function: WindowFunction) -> Option<(Calculation, Option<i64>)> {
    let calculation = |aggregate| match aggregate {
        WindowAggregate::Count => Calculation::Count,
        WindowAggregate::Sum => Calculation::Sum,
        WindowAggregate::Avg => Calculation::Avg,
        WindowAggregate::Min => Calculation::Min,
        WindowAggregate::Max => Calculation::Max,
        WindowAggregate::Percentile(rank) => Calculation::Percentile(Percent::new(rank)),
    };
    match function {
        WindowFunction::Rolling(aggregate, length) => {
            Some((calculation(aggregate), Some((length.amount() as i64).max(1))))
        }
        WindowFunction::Running(aggregate @ WindowAggregate::Percentile(_)) => {
            Some((calculation(aggregate), None))
        }
        _ => None,
    }
}

/// What polars calculates, and from what values.
fn by_place(
    column: &PlannedWindow,
    argument: Option<&Column>,
    rows: usize,
    run: &Run<'_>,
) -> (Over, Column, Coding) {
    let numbered = || Column::ints((0..rows as i64).collect());
    let ranked =
        |argument: Option<&Column>| argument.map_or_else(numbered, |values| values.in_order().into_owned());
    let (what, numbers) = match column.function {
        // The row is what moves; its value, of whatever type, is taken there.
        WindowFunction::Lag(by) => (Over::Shift(by as i64), numbered()),
        WindowFunction::Lead(by) => (Over::Shift(-(by as i64)), numbered()),
        WindowFunction::Rank => (Over::Rank { dense: false }, ranked(argument)),
        WindowFunction::DenseRank => (Over::Rank { dense: true }, ranked(argument)),
        WindowFunction::RowNumber => (Over::Count, numbered()),
        WindowFunction::Running(aggregate)
        | WindowFunction::Rolling(aggregate, _)
        | WindowFunction::Group(aggregate) => {
            let what = match aggregate {
                WindowAggregate::Count => Over::Count,
                WindowAggregate::Sum => Over::Sum,
                WindowAggregate::Min => Over::Min,
                WindowAggregate::Max => Over::Max,
                WindowAggregate::Avg | WindowAggregate::Percentile(_) => Over::Avg,
            };
            let what = if let WindowFunction::Group(_) = column.function { what.of_group() } else { what };
            let (keys, coding) = keys_of(column, argument, rows, run);
            // The keys of missing values are what a column has for these.
            let numbers = match coding {
                Coding::Float => {
                    let float = |&key: &i64| if key == NO_KEY { f64::NAN } else { coding.float(key) };
                    Column::floats(keys.iter().map(float).collect())
                }
                _ => Column::ints(keys),
            };
            return (what, numbers, coding);
        }
    };
    (what, numbers, Coding::Whole)
}

/// The column of a result: in the coding of what it was calculated of, and for places the values there.
fn column_of(function: WindowFunction, found: Column, argument: Option<&Column>, coding: Coding) -> Column {
    match (found.data, function, argument, coding) {
        (Data::Int(places), WindowFunction::Lag(_) | WindowFunction::Lead(_), Some(values), _) => {
            let Ok(values) =
                Column::concat(&[values, &Column::missing(1)], &|| Ok::<_, std::convert::Infallible>(()));
            let last = values.len() as i64 - 1;
            let places: Vec<u32> = places.iter().map(|place| place.unwrap_or(last) as u32).collect();
            values.pick(&Picked::Some(&places))
        }
        (Data::Int(values), _, _, Coding::Decimal(_)) => {
            let float = |value: Option<i64>| value.map_or(f64::NAN, |value| coding.float(value));
            Column::floats(values.iter().map(float).collect())
        }
        (Data::Float(values), _, _, Coding::Decimal(unit)) => Column::new(Data::Float(values / unit as f64)),
        (Data::Int(values), _, _, Coding::Time) => Column::new(Data::Time(values)),
        (data, ..) => Column::new(data),
    }
}

/// Whole numbers whose sum could be beyond 64 bits are summed as floats.
const SAFE_SUM: f64 = 9e18;

/// The argument's values by keys, and what the keys are of; what is no number is passed over, and a note says so.
fn keys_of(
    column: &PlannedWindow,
    argument: Option<&Column>,
    rows: usize,
    run: &Run<'_>,
) -> (Vec<i64>, Coding) {
    let Some(argument) = argument else { return (vec![0; rows], Coding::Whole) };
    let (WindowFunction::Running(aggregate)
    | WindowFunction::Rolling(aggregate, _)
    | WindowFunction::Group(aggregate)) = column.function
    else {
        return (vec![NO_KEY; rows], Coding::Whole);
    };
    if aggregate == WindowAggregate::Count {
        let key = |row| if argument.is_missing(row) { NO_KEY } else { 0 };
        return ((0..rows).map(key).collect(), Coding::Whole);
    }
    let takes_times = matches!(aggregate, WindowAggregate::Min | WindowAggregate::Max);
    match &argument.data {
        // Missing values have a key of their own.
        Data::Int(values) if is_safe(&filled(values, NO_INT)) => {
            (filled(values, NO_KEY).into_owned(), Coding::Whole)
        }
        Data::Time(values) if takes_times => (filled(values, NO_KEY).into_owned(), Coding::Time),
        Data::Float(values) => {
            let values = filled(values, f64::NAN);
            decimals(&values).unwrap_or_else(|| {
                (values.iter().map(|&value| Coding::of_float(value)).collect(), Coding::Float)
            })
        }
        _ => {
            let mut passed = 0_usize;
            let key = |row| {
                let cell = argument.cell(row);
                passed += usize::from(cell.number().is_none() && !cell.is_missing());
                Coding::of_float(cell.number().unwrap_or(f64::NAN))
            };
            let keys = (0..rows).map(key).collect();
            if passed > 0 {
                run.note(vec![format!("{}: {passed} have one that is not a number", column.name)]);
            }
            (keys, Coding::Float)
        }
    }
}

/// Whether no sum of some of these is beyond 64 bits.
fn is_safe(values: &[i64]) -> bool {
    values.iter().filter(|&&value| value != NO_INT).map(|&value| (value as f64).abs()).sum::<f64>() < SAFE_SUM
}

/// Numbers of few decimals as whole numbers of units of the last one, where all are such.
fn decimals(values: &[f64]) -> Option<(Vec<i64>, Coding)> {
    let there = || values.iter().filter(|value| !value.is_nan());
    let greatest = there().fold(0.0_f64, |most, value| most.max(value.abs()));
    let is_decimal =
        |value: f64, unit: f64| ((value * unit).round() / unit).total_cmp(&(value + 0.0)).is_eq();
    let fits = |unit: &i64| there().take(TRIED_DECIMALS).all(|&value| is_decimal(value, *unit as f64));
    let unit = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000].into_iter().find(fits)?;
    // Beyond this a float is not exact, and no sum of all of them may be beyond 64 bits.
    let most = (values.len() as f64).max(1024.0) * greatest * unit as f64;
    if most >= SAFE_SUM || greatest * unit as f64 >= EXACT_FLOAT {
        return None;
    }
    let mut keys = Vec::with_capacity(values.len());
    for &value in values {
        if !value.is_nan() && !is_decimal(value, unit as f64) {
            return None;
        }
        keys.push(if value.is_nan() { NO_KEY } else { (value * unit as f64).round() as i64 });
    }
    Some((keys, Coding::Decimal(unit)))
}

/// So many values are looked at for how many decimals there are.
const TRIED_DECIMALS: usize = 4_096;

/// Whole numbers up to here are exact as floats.
const EXACT_FLOAT: f64 = 9_007_199_254_740_992.0;

/// The rows of each group in their order, without those that have no time.
struct Runs {
    rows: Option<Vec<u32>>,
    /// Where the rows of each group begin, and where the last one's end.
    starts: Vec<usize>,
    all: usize,
}

/// A calculation that goes over the rows of each group.
struct WindowCall<'a> {
    keys: &'a [i64],
    coding: Coding,
    calculation: Calculation,
    length: Option<i64>,
    span: Span,
}

impl Runs {
    fn new(groups: Option<&(Vec<u32>, usize)>, times: Option<&Column>, rows: usize) -> Runs {
        let has_time = |row: usize| times.is_none_or(|times| !times.is_missing(row));
        if groups.is_none() && (0..rows).all(has_time) {
            return Runs { rows: None, starts: vec![0, rows], all: rows };
        }
        let count = groups.map_or(1, |(_, count)| *count);
        let group_of = |row: usize| groups.map_or(0, |(groups, _)| groups[row] as usize);
        let mut starts = vec![0; count + 1];
        for row in (0..rows).filter(|&row| has_time(row)) {
            starts[group_of(row) + 1] += 1;
        }
        for group in 0..count {
            starts[group + 1] += starts[group];
        }
        let mut next = starts.clone();
        let mut sorted = vec![0; starts[count]];
        for row in (0..rows).filter(|&row| has_time(row)) {
            sorted[next[group_of(row)]] = row as u32;
            next[group_of(row)] += 1;
        }
        Runs { rows: Some(sorted), starts, all: rows }
    }

    /// Values in the order of the runs.
    fn gathered<'v>(&self, values: &'v [i64]) -> std::borrow::Cow<'v, [i64]> {
        match &self.rows {
            None => values.into(),
            Some(rows) => rows.iter().map(|&row| values[row as usize]).collect::<Vec<_>>().into(),
        }
    }

    fn calculate(&self, asked: &WindowCall<'_>, times: Option<&Column>, run: &Run<'_>) -> Result<Column> {
        let keys = self.gathered(asked.keys);
        let times = match times.map(|times| &times.data) {
            Some(Data::Time(times)) => filled(times, NO_TIME),
            _ => Vec::new().into(),
        };
        let times = match times.len() {
            rows if rows == self.all => self.gathered(&times),
            // All rows so far: each row is a time of its own, and none leaves.
            _ => (0..keys.len() as i64).collect::<Vec<_>>().into(),
        };
        for group in self.starts.windows(2) {
            if !times[group[0]..group[1]].is_sorted() {
                return Err(invalid("these rows are not in the order of their times", asked.span)
                    .hint("put sort time before, because the last so long is asked for"));
            }
        }
        let length = asked.length.unwrap_or(i64::MAX);
        let tasks = self.tasks(&times, asked.length.is_some());
        let work = |task: usize| {
            let parts = tasks[task].iter().map(|(group, part)| {
                let (from, to) = (self.starts[*group], self.starts[*group + 1]);
                let series =
                    Series { times: &times[from..to], keys: &keys[from..to], coding: asked.coding, length };
                (from + part.start, series.calculate(part.clone(), asked.calculation))
            });
            Ok(parts.collect::<Vec<_>>())
        };
        let (mut whole, mut floats) = (Vec::new(), Vec::new());
        let done = |_: usize, parts: Vec<(usize, Results)>| {
            for (from, results) in parts {
                match results {
                    Results::Whole(values) => self.put(&mut whole, NO_INT, from, &values),
                    Results::Floats(values) => self.put(&mut floats, f64::NAN, from, &values),
                }
            }
            Ok(())
        };
        in_order(tasks.len(), &run.cancel, work, done)?;
        Ok(match (floats.is_empty(), whole.is_empty(), asked.coding) {
            (false, ..) => Column::floats(floats),
            (_, false, Coding::Time) => Column::times(whole),
            (_, false, _) => Column::ints(whole),
            _ => Column::missing(self.all),
        })
    }

    fn put<T: Copy>(&self, into: &mut Vec<T>, missing: T, from: usize, values: &[T]) {
        if into.is_empty() {
            into.resize(self.all, missing);
        }
        match &self.rows {
            None => into[from..from + values.len()].copy_from_slice(values),
            Some(rows) => {
                for (&row, &value) in rows[from..].iter().zip(values) {
                    into[row as usize] = value;
                }
            }
        }
    }

    /// Groups and parts of groups that are worked on together, about as many rows each. Rows that no window leaves
    /// cannot be cut.
    fn tasks(&self, times: &[i64], can_cut: bool) -> Vec<Vec<(usize, Range<usize>)>> {
        let part = ROLLING_PART_ROWS.max(self.all.div_ceil(2 * rayon::current_num_threads()));
        let (mut tasks, mut task, mut size) = (Vec::new(), Vec::new(), 0);
        for group in 0..self.starts.len() - 1 {
            let times = &times[self.starts[group]..self.starts[group + 1]];
            let mut from = 0;
            while from < times.len() {
                let to = if can_cut { boundary(times, (from + part).min(times.len())) } else { times.len() };
                task.push((group, from..to));
                size += to - from;
                from = to;
                if size >= part {
                    tasks.push(std::mem::take(&mut task));
                    size = 0;
                }
            }
        }
        if !task.is_empty() {
            tasks.push(task);
        }
        tasks
    }
}
