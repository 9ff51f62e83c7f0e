//! Predicates on fields, evaluated on dictionary codes: once per distinct value, however many rows have it.

use std::convert::Infallible;
use std::sync::Arc;

use ingest::Level;

use super::bitmap::Bitmap;
use super::codes::{self, Codes};
use super::explain::Path;
use super::late_columns;
use super::matcher::Matcher;
use super::select::{ClauseRows, SegmentQuery};
use super::text_scan;
use super::value_predicate::{ValueTest, ends};
use base::error::Result;
use base::stamp;
use query::{Op, Pattern, Test, levels};
use store::{ColumnValues, Prints, StoredColumn, Texts, Unit, Values, level_of};

/// The rows of a segment whose field passes the test.
pub fn eval(query: &SegmentQuery<'_>, field: &str, test: &ValueTest) -> Result<ClauseRows> {
    let segment = query.segment;
    let rows = segment.meta.events as usize;
    match field {
        "level" => level(query, &test.test),
        "source" => source(query, test),
        "time" => time(query, &test.test),
        "line" => column_rows(query, field, test),
        _ => {
            let mut found = ClauseRows { rows: Bitmap::none(rows), path: Path::Pruned };
            for described in segment.meta.fields.iter().filter(|described| described.name == field) {
                let more = column_rows(query, &described.column, test)?;
                found = ClauseRows { rows: found.rows.or(&more.rows), path: more.path.max(found.path) };
            }
            Ok(found)
        }
    }
}

fn level(query: &SegmentQuery<'_>, test: &Test) -> Result<ClauseRows> {
    let meta = &query.segment.meta;
    let rows = meta.events as usize;
    let passes = Level::ALL.map(|level| level_passes(level, test));
    // The rollup over time names the levels of all events that have a time.
    let occurs = |level: &u8| passes.get(*level as usize) == Some(&true);
    if meta.untimed == 0 && !meta.rollup.levels.iter().any(|counts| occurs(&counts.level)) {
        return Ok(ClauseRows { rows: Bitmap::none(rows), path: Path::Pruned });
    }
    let column = query.segment.packed("level")?;
    let ColumnValues::Texts(names) = &column.values else {
        return Ok(ClauseRows { rows: Bitmap::none(rows), path: Path::Pruned });
    };
    let passing = names.iter().enumerate().filter(|(_, name)| passes[level_of(name) as usize]);
    let codes = Codes::from_places(passing.map(|(place, _)| place));
    Ok(ClauseRows { rows: codes.rows(&column), path: Path::Column })
}

fn source(query: &SegmentQuery<'_>, test: &ValueTest) -> Result<ClauseRows> {
    let meta = &query.segment.meta;
    let rows = meta.events as usize;
    let passes: Vec<bool> = query
        .sources
        .iter()
        .map(|source| {
            test.texts.passes(&source.name) || source.set.as_deref().is_some_and(|set| test.texts.passes(set))
        })
        .collect();
    let of = |source: u32| passes.get(source as usize) == Some(&true);
    let here = meta.sources.iter().filter(|entry| of(entry.source)).count();
    if here == 0 {
        return Ok(ClauseRows { rows: Bitmap::none(rows), path: Path::Pruned });
    }
    if here == meta.sources.len() {
        return Ok(ClauseRows { rows: Bitmap::all(rows), path: Path::Pruned });
    }
    let column = query.segment.packed("source")?;
    let ColumnValues::Numbers { base, .. } = column.values else {
        return Ok(ClauseRows { rows: Bitmap::none(rows), path: Path::Pruned });
    };
    // Codes count from the smallest source of the segment.
    let places = (0..column.largest as usize).filter(|&place| of((base + place as i64) as u32));
    Ok(ClauseRows { rows: Codes::from_places(places).rows(&column), path: Path::Dictionary })
}

/// The times that pass a test: from (inclusive) to (exclusive), if it has these ends, without one.
#[derive(Default)]
pub struct Instants {
    pub from: Option<i64>,
    pub to: Option<i64>,
    without: Option<i64>,
}

impl Instants {
    /// None if the test compares with what is no time, or is not a comparison.
    #[must_use]
    pub fn from_test(test: &Test) -> Option<Instants> {
        let comparisons = match test {
            Test::Exists => Vec::new(),
            Test::Compare(op, value) => vec![(*op, value.as_str())],
            Test::Range(range) => ends(range),
            Test::Matches(_) => return None,
        };
        let mut found = Instants::default();
        for (op, value) in comparisons {
            let at = stamp::parse(value)?;
            let after = at.saturating_add(1);
            let begin = |from: i64| found.from.max(Some(from));
            let end = |to: i64| Some(found.to.map_or(to, |known| known.min(to)));
            match op {
                Op::Equal => (found.from, found.to) = (begin(at), end(after)),
                Op::NotEqual => found.without = Some(at),
                Op::Less => found.to = end(at),
                Op::LessOrEqual => found.to = end(after),
                Op::Greater => found.from = begin(after),
                Op::GreaterOrEqual => found.from = begin(at),
            }
        }
        Some(found)
    }
}

/// Rows are sorted by time, those without a time first, so a time range is a row range.
fn time(query: &SegmentQuery<'_>, test: &Test) -> Result<ClauseRows> {
    let meta = &query.segment.meta;
    let (rows, untimed) = (meta.events as usize, meta.untimed as usize);
    if let Test::Matches(patterns) = test {
        // Relative times are resolved before this point; only instants are left.
        let mut found = ClauseRows { rows: Bitmap::none(rows), path: Path::Order };
        for pattern in patterns {
            if let Pattern::Tokens(text) = pattern {
                let equal = time(query, &Test::Compare(Op::Equal, text.clone()))?;
                found.rows = found.rows.or(&equal.rows);
            }
        }
        return Ok(found);
    }
    let Some(Instants { from, to, without }) = Instants::from_test(test) else {
        return Ok(ClauseRows { rows: Bitmap::none(rows), path: Path::Pruned });
    };
    let (from, to) = (from.unwrap_or(i64::MIN + 1), to.unwrap_or(i64::MAX));
    let (Some(first), Some(last)) = (meta.first, meta.last) else {
        return Ok(ClauseRows { rows: Bitmap::none(rows), path: Path::Pruned });
    };
    if last < from || first >= to {
        return Ok(ClauseRows { rows: Bitmap::none(rows), path: Path::Pruned });
    }
    if from <= first && last < to && without.is_none() {
        return Ok(ClauseRows { rows: Bitmap::range(rows, untimed, rows), path: Path::Pruned });
    }
    let times = query.segment.times()?;
    let before = |limit: i64| times.before(limit);
    // Nothing comes after the latest possible instant.
    let end = if to == i64::MAX { rows } else { before(to) };
    let mut passing = Bitmap::range(rows, before(from).max(untimed), end);
    if let Some(at) = without {
        passing = passing.without(&Bitmap::range(rows, before(at), before(at.saturating_add(1))));
    }
    Ok(ClauseRows { rows: passing, path: Path::Order })
}

/// The rows of any column of a table whose value passes.
#[must_use]
pub fn passing_values(values: Values, test: &ValueTest) -> Bitmap {
    passing(&StoredColumn::from_values(values), test)
}

/// The rows of a column whose value passes.
pub fn passing(column: &StoredColumn, test: &ValueTest) -> Bitmap {
    let of_table = |texts: &Texts| Ok::<_, Infallible>(Arc::new(Prints::new(texts)));
    let Ok((codes, _)) = passing_codes(column, test, of_table);
    codes.rows(column)
}

/// The rows of a segment's column.
fn column_rows(query: &SegmentQuery<'_>, name: &str, test: &ValueTest) -> Result<ClauseRows> {
    let segment = query.segment;
    if segment.is_late(name)
        && let Some(found) = late_columns::select_rows(query, name, test)?
    {
        return Ok(found);
    }
    let column = segment.packed_field(name, query.cancel)?;
    let (codes, path) = passing_codes(&column, test, |texts| segment.prints(name, texts))?;
    Ok(ClauseRows { rows: codes.rows(&column), path })
}

fn passing_codes<E>(
    column: &StoredColumn,
    test: &ValueTest,
    prints: impl FnOnce(&Texts) -> std::result::Result<Arc<Prints>, E>,
) -> std::result::Result<(Codes, Path), E> {
    Ok(match &column.values {
        ColumnValues::Texts(texts) => {
            let places = text_scan::passing(texts, &test.texts, || prints(texts))?;
            (Codes::from_places(places), Path::Dictionary)
        }
        ColumnValues::Numbers { base, unit: Unit::Truth } => {
            let word = |place: usize| Unit::Truth.value(base + place as i64).to_string();
            let places = (0..column.largest as usize).filter(|&place| test.texts.passes(&word(place)));
            (Codes::from_places(places), Path::Column)
        }
        ColumnValues::Numbers { base, unit } => {
            (codes::from_numbers(column, (*base, *unit), &test.numbers), Path::Column)
        }
        // Only calculations use columns packed like this.
        ColumnValues::Sparse { .. } | ColumnValues::Listed(_) => (Codes::default(), Path::Column),
    })
}

/// Levels compare by severity.
#[must_use]
pub fn level_passes(level: Level, test: &Test) -> bool {
    let compares = |op: Op, word: &str| {
        let wanted =
            levels::named(word).and_then(|name| Level::ALL.into_iter().find(|level| level.name() == name));
        wanted.is_some_and(|wanted| op.holds(level.cmp(&wanted)))
    };
    level != Level::None
        && match test {
            Test::Exists => true,
            Test::Compare(op, word) => compares(*op, word),
            Test::Range(range) => ends(range).into_iter().all(|(op, word)| compares(op, word)),
            Test::Matches(patterns) => patterns.iter().any(|pattern| match pattern {
                Pattern::Tokens(word) if levels::named(word).is_some() => compares(Op::Equal, word),
                _ => Matcher::new(pattern).is_whole(level.name()),
            }),
        }
}
