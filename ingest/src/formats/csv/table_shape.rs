//! Learns the shape of a table from its first rows: the delimiter, the number of columns, which row
//! contains their names, and which of them contain the time.

use memchr::memchr;

use super::columns::{is_postgresql, is_type, level, role, time_rank};
use super::timeless::{is_above_numbers, is_table, message_column, names_words};
use super::{NextRow, is_section};
use crate::encoding::BYTE_ORDER_MARK;
use crate::frame::EventBlock;
use crate::limits::{LONGEST_HEADER_NAME_BYTES, START_WITHIN_BYTES, TABLE_SAMPLE_ROWS};
use crate::named_columns::number;
use crate::pairs::is_key;
use crate::table::{ColumnRole, cells};
use crate::time::field::{
    FieldTimes, KNOWN, TimeField, TimeFieldOption, is_link_date, is_never_time, mark_chosen,
};
use crate::time::find::whole_time;
use crate::time::joined::joined_time;
use crate::time::numeric_date::DateOrder;
use crate::time::rules;
use crate::time::undated::whole_day_time;

pub(super) struct TableShape {
    pub columns: usize,
    /// The row that names the columns, as it is written, and perhaps one with their types.
    pub heads: Vec<Box<[u8]>>,
    /// Where that row begins.
    pub names_at: usize,
    /// The last column is a text whose lines may follow the row; a row begins with its time.
    pub has_text_below: bool,
    /// Some values are between quotes.
    pub has_quoted_values: bool,
    /// The column whose values are JSON objects.
    pub json_column: Option<usize>,
    /// The column of the time; or the columns of the date and the time of day.
    pub time_columns: [Option<usize>; 2],
    /// Which number of its dates is the day.
    pub date_order: DateOrder,
    /// The column of the level, if its values and not its name show it.
    pub level_column: Option<usize>,
    /// The column with the text of events, in a table without names.
    pub message_column: Option<usize>,
    /// The columns that may contain the time.
    pub time_options: Vec<TimeFieldOption>,
}

/// The values of a row, and the row as it is written.
struct RawRow<'a> {
    cells: Row<'a>,
    text: &'a [u8],
    /// Where it begins in the sample.
    at: usize,
    has_quoted_values: bool,
}

pub(super) type Row<'a> = Vec<&'a [u8]>;

/// Without a line that names the columns, at least this share of the rows have as many values.
pub(super) const LEAST_FIT: f32 = 0.95;

/// A report may have this many lines above the names of its columns: a title, its time, a filter, what its
/// codes mean.
const MOST_TITLE_ROWS: usize = 48;

/// The delimiter with which most rows have the same number of values, if that makes a table.
pub(super) fn learn(
    sample: &[u8],
    delimiters: &[(u8, NextRow)],
    chosen: Option<&str>,
) -> Option<(u8, NextRow, TableShape)> {
    let mut best: Option<(f32, u8, NextRow, TableShape)> = None;
    let is_quoted = sample.first() == Some(&b'"');
    for &(delimiter, next) in delimiters {
        let mut rows = rows(sample, delimiter, next);
        // A quote is a letter between tabs unless it encloses a value.
        let has_quoted_values = rows.iter().any(|row| row.has_quoted_values);
        if delimiter == b'\t' && !has_quoted_values && memchr(b'"', sample).is_some() {
            rows = self::rows(sample, delimiter, line);
        }
        // Lines that are indented by tabs are no rows.
        let indented = rows.iter().filter(|row| row.cells.len() > 1 && row.cells[0].is_empty()).count();
        if delimiter == b'\t' && indented * 2 > rows.len() {
            continue;
        }
        let above = titles(&rows);
        rows.drain(..above);
        let names_at = rows.first().filter(|_| above > 0).map_or(0, |names| names.at);
        let has_text_below = has_text_below(&rows);
        // Rows that have a time may be equal without being names.
        let is_named = |row: &&RawRow<'_>| !row.cells.iter().any(|cell| whole_time(cell).is_some());
        if let Some(names) = rows.first().filter(is_named).map(|row| row.text) {
            let is_row = |row: &RawRow<'_>| {
                row.text != names && !row.cells.first().is_some_and(|cell| is_section(cell))
            };
            let mut index = 0;
            rows.retain(|row| {
                index += 1;
                index == 1 || is_row(row) && (!has_text_below || begins_with_time(row))
            });
        }
        let heads: Vec<Box<[u8]>> = rows.iter().take(2).map(|row| row.text.into()).collect();
        let mut rows: Vec<Row<'_>> = rows.into_iter().map(|row| row.cells).collect();
        let has_types = rows.len() > 2 && rows[1].len() > 2 && rows[1].iter().all(|cell| is_type(cell));
        if has_types {
            rows.remove(1);
        }
        let heads = heads.into_iter().take(1 + usize::from(has_types)).collect();
        if let Some((share, shape)) = shape(&rows, delimiter, is_quoted, chosen, heads)
            && best.as_ref().is_none_or(|(best, _, _, known)| {
                // Every line of a log may have the same number of commas, but only in its table there are times.
                let has_time = |shape: &TableShape| shape.time_columns != [None; 2];
                let by_time = has_time(&shape).cmp(&has_time(known));
                by_time.then(share.total_cmp(best)).then(shape.columns.cmp(&known.columns)).is_gt()
            })
        {
            best = Some((
                share,
                delimiter,
                next,
                TableShape { names_at, has_text_below, has_quoted_values, ..shape },
            ));
        }
    }
    best.map(|(_, delimiter, next, shape)| (delimiter, next, shape))
}

/// The number of rows above the one that names the columns: they have another number of values than the rows
/// of the table.
fn titles(rows: &[RawRow<'_>]) -> usize {
    let widths: Vec<Row<'_>> = rows.iter().map(|row| row.cells.clone()).collect();
    // Lines without a delimiter may be many: a banner above, the lines of a text.
    let of_many: Vec<Row<'_>> = widths.iter().filter(|row| row.len() > 1).cloned().collect();
    let Some(columns) = usual_count(&of_many).filter(|columns| *columns > 2) else { return 0 };
    let are_names = |at: usize| at + 1 < rows.len() && is_header(&widths[at], &widths[at + 1..], columns);
    if are_names(0) {
        return 0;
    }
    // The names may be one fewer than the columns.
    let fewer = rows.iter().take_while(|row| row.cells.len() + 1 < columns).count();
    let others = rows.iter().take_while(|row| row.cells.len() != columns).count();
    let above =
        [fewer, others].into_iter().find(|above| (1..=MOST_TITLE_ROWS).contains(above) && are_names(*above));
    above.unwrap_or(0)
}

/// Whether the row is written without a quote at its start and begins with its time.
fn begins_with_time(row: &RawRow<'_>) -> bool {
    row.cells.len() > 1 && row.text.first() != Some(&b'"') && whole_time(row.cells[0]).is_some()
}

/// Whether the last column is a text.
fn ends_with_text(names: &[&[u8]]) -> bool {
    names.len() > 2 && names.last().is_some_and(|name| role(name.trim_ascii()) == ColumnRole::Text)
}

/// Whether rows begin with their time and end with a text, and some lines without a time have too few values
/// to be rows: they continue the text of the row above.
fn has_text_below(rows: &[RawRow<'_>]) -> bool {
    let Some((names, body)) = rows.split_first() else { return false };
    let width = names.cells.len();
    let is_part = |row: &RawRow<'_>| row.cells.len() < width && row.text != names.text;
    ends_with_text(&names.cells)
        && names.text.len() <= START_WITHIN_BYTES
        && body.first().is_some_and(begins_with_time)
        && body.iter().any(is_part)
        && body.iter().all(|row| begins_with_time(row) != is_part(row) && !row.text.contains(&b'\n'))
}

/// The line at the start of the text, as a row.
fn line(text: &[u8]) -> Option<EventBlock> {
    let end = memchr(b'\n', text)?;
    let shown = end - usize::from(text[..end].ends_with(b"\r"));
    Some(EventBlock { start: 0, end: shown, next: end + 1 })
}

fn rows(sample: &[u8], delimiter: u8, next: NextRow) -> Vec<RawRow<'_>> {
    let mut rest = sample.strip_prefix(BYTE_ORDER_MARK).unwrap_or(sample);
    let mut rows = Vec::new();
    while rows.len() < TABLE_SAMPLE_ROWS && !rest.is_empty() {
        let at = sample.len() - rest.len();
        let (start, end, next_at) = match next(rest) {
            Some(block) => (block.start, block.end, block.next),
            // A row that the end of the sample truncates is ignored, unless it is the only one.
            None if rows.is_empty() => (0, rest.trim_ascii_end().len(), rest.len()),
            None => break,
        };
        let row = &rest[start..end];
        rest = &rest[next_at..];
        if !row.trim_ascii().is_empty() {
            let has_quoted_values = cells(row, delimiter).any(|cell| cell.is_quoted);
            let cells = cells(row, delimiter).map(|cell| &row[cell.from..cell.to]).collect();
            let text = row.strip_prefix(BYTE_ORDER_MARK).unwrap_or(row);
            rows.push(RawRow { cells, text, at: at + start, has_quoted_values });
        }
    }
    rows
}

/// The shape of these rows, and the share of rows that have it; `None` if they look like text with commas.
fn shape(
    rows: &[Row<'_>],
    delimiter: u8,
    is_quoted: bool,
    chosen: Option<&str>,
    mut heads: Vec<Box<[u8]>>,
) -> Option<(f32, TableShape)> {
    let body = rows.get(1..).filter(|body| !body.is_empty()).unwrap_or(rows);
    let (columns, fitting) = width(rows.first()?, body)?;
    let share = fitting as f32 / body.len() as f32;
    let is_other =
        has_spaced_bars(body, delimiter) || has_split_fractions(body, delimiter) || pair_share(body) > 0.8;
    if columns < 2 || share < 0.8 || is_other {
        return None;
    }
    let header = rows.first().filter(|first| rows.len() > 1 && is_header(first, body, columns));
    let body = if header.is_some() { body } else { rows };
    let time_columns = time_columns(header, body, columns);
    let has_time = time_columns.iter().any(Option::is_some);
    // Quoted values are not text with commas.
    let least = if delimiter == b'\t' || is_quoted { 3 } else { 4 };
    let known = header.is_none() && rows.first().is_some_and(|row| is_postgresql(row));
    let is_complete = match header {
        Some(_) => columns >= 3 || has_time,
        None if has_time => known || rows.len() > 1 && columns >= least && share > LEAST_FIT,
        // Text with some pairs tells more as text, which has their fields.
        None => known || is_table(body, delimiter, columns, share) && pair_share(body) < 0.2,
    };
    if !is_complete {
        return None;
    }
    // Names above words alone are known by the values that repeat below them.
    let words = rows.first().filter(|_| header.is_none() && !has_time && !known);
    let header = header.or(words.filter(|first| names_words(first, &rows[1..], columns)));
    let body = if header.is_some() { &rows[1..] } else { body };
    let (time_columns, time_options) = with_choice(header, body, columns, time_columns, chosen);
    let is_named = header.is_some_and(|names| names.iter().any(|name| role(name) == ColumnRole::Level));
    let level_column =
        if is_named { None } else { level_column(body, columns, header.is_none() && has_time) };
    if header.is_none() {
        heads.clear();
    }
    let json_column = (0..columns).find(|&column| are_json(body, column));
    let message_column = if header.is_none() && has_time && !known {
        message_column(body, columns, &[time_columns[0], time_columns[1], level_column, json_column])
    } else {
        None
    };
    let (names_at, has_text_below, has_quoted_values) = (0, false, false);
    Some((
        share,
        TableShape {
            columns,
            heads,
            names_at,
            has_text_below,
            has_quoted_values,
            json_column,
            time_columns,
            date_order: date_order(body, time_columns),
            level_column,
            message_column,
            time_options,
        },
    ))
}

/// How many of the values are a name and its value: `status=200`. A few values prove nothing.
fn pair_share(body: &[Row<'_>]) -> f32 {
    let is_pair = |cell: &&&[u8]| memchr(b'=', cell).is_some_and(|sign| is_key(&cell[..sign]));
    let (pairs, values) = body.iter().fold((0, 0), |(pairs, values), row| {
        (pairs + row.iter().filter(is_pair).count(), values + row.len())
    });
    if values > 3 { pairs as f32 / values as f32 } else { 0.0 }
}

/// Which number of the dates is the day, by all values of the columns: each could be read by itself.
fn date_order(body: &[Row<'_>], time_columns: [Option<usize>; 2]) -> DateOrder {
    let time = |row: &Row<'_>| {
        let parts =
            time_columns.iter().flatten().filter_map(|column| row.get(*column).map(|part| part.trim_ascii()));
        parts.collect::<Vec<_>>().join(&b' ')
    };
    let times: Vec<Vec<u8>> = body.iter().map(time).collect();
    rules::learn(times.iter().map(Vec::as_slice)).order
}

/// The number of columns, and how many rows have as many values. A text at the end of rows may contain the
/// delimiter, so then the names count.
fn width(names: &Row<'_>, body: &[Row<'_>]) -> Option<(usize, usize)> {
    let usual = usual_count(body)?;
    let fitting = body.iter().filter(|row| row.len() == usual).count();
    if fitting * 5 >= body.len() * 4 || !ends_with_text(names) {
        return Some((usual, fitting));
    }
    Some((names.len(), body.iter().filter(|row| row.len() >= names.len()).count()))
}

/// Whether all values of a column are JSON objects.
fn are_json(body: &[Row<'_>], column: usize) -> bool {
    let is_object = |value: &[u8]| matches!(value, [b'{', b'"', .., b'}'] | b"{}");
    let values = || body.iter().filter_map(|row| row.get(column)).map(|value| value.trim_ascii());
    let values = || values().filter(|value| !value.is_empty());
    values().count() > 1 && values().all(is_object)
}

/// The first column whose values are nearly all words of a level, or letters where these may be one: in a log
/// without names.
fn level_column(body: &[Row<'_>], columns: usize, may_be_letters: bool) -> Option<usize> {
    let is_long = |value: &[u8]| may_be_letters || value.len() > 2;
    (0..columns).find(|&column| {
        let values = || body.iter().filter_map(|row| row.get(column)).map(|value| value.trim_ascii());
        let levels = values().filter(|value| is_long(value) && level(value).is_some()).count();
        let others = values().count() - levels;
        // A program may have levels of its own, which are words in capitals as well.
        let are_words =
            || values().all(|value| !value.is_empty() && value.iter().all(u8::is_ascii_uppercase));
        // True and false, or no.
        let are_answers = || values().all(|value| matches!(value, b"T" | b"F" | b"N"));
        levels > 1 && !are_answers() && (others == 0 || others * 4 <= levels && are_words())
    })
}

/// The most frequent number of values per row.
fn usual_count(rows: &[Row<'_>]) -> Option<usize> {
    let mut counts: Vec<_> = rows.iter().map(Vec::len).collect();
    counts.sort_unstable();
    counts.chunk_by(|left, right| left == right).max_by_key(|same| same.len()).map(|same| same[0])
}

/// Bars between spaces separate the words of a text, not the values of a table.
fn has_spaced_bars(rows: &[Row<'_>], delimiter: u8) -> bool {
    let spaced = |row: &&Row<'_>| row.iter().skip(1).any(|value| value.starts_with(b" "));
    delimiter == b'|' && rows.iter().filter(spaced).count() * 2 > rows.len()
}

/// A comma between a time and its milliseconds, followed by words, does not separate values: `03:04:05,123
/// INFO x`.
fn has_split_fractions(rows: &[Row<'_>], delimiter: u8) -> bool {
    let parted = |row: &&Row<'_>| {
        let fraction = row.get(1).is_some_and(|value| {
            value.len() > 4 && value[..3].iter().all(u8::is_ascii_digit) && matches!(value[3], b' ' | b']')
        });
        let ends_with_time = || {
            let time = row[0].len().checked_sub(8).map(|from| &row[0][from..]);
            time.is_some_and(|time| time[2] == b':' && time[5] == b':' && time[7].is_ascii_digit())
        };
        fraction && ends_with_time()
    };
    delimiter == b',' && rows.iter().filter(parted).count() * 2 > rows.len()
}

/// Whether the first row contains the column names: short words, all different, above values of another kind.
fn is_header(first: &Row<'_>, body: &[Row<'_>], columns: usize) -> bool {
    let is_name = |column: usize| {
        let name = first[column];
        name.len() <= LONGEST_HEADER_NAME_BYTES
            && number(name).is_none()
            && whole_time(name).is_none()
            && !name.contains(&b'\n')
            && (!name.first().is_some_and(u8::is_ascii_digit) || is_above_numbers(name, column, body))
    };
    let width = first.len();
    if !(width == columns || width + 1 == columns) || !(0..width).all(is_name) {
        return false;
    }
    let named = first.iter().filter(|name| !name.trim_ascii().is_empty()).count();
    let repeated =
        first.iter().enumerate().any(|(index, name)| !name.is_empty() && first[..index].contains(name));
    if named * 2 < width || repeated {
        return false;
    }
    let differs = |column: usize| {
        let values = || body.iter().filter_map(|row| row.get(column)).filter(|value| !value.is_empty());
        // No name begins with a digit, as dates, times of day and amounts do.
        let is_other = |value: &&[u8]| {
            value[0].is_ascii_digit() || number(value).is_some() || whole_time(value).is_some()
        };
        let other = values().filter(|value| is_other(value)).count();
        other > 0 && other * 2 >= values().count()
    };
    first.iter().any(|name| time_rank(name).is_some()) || (0..columns).any(differs)
}

/// The column that contains the time, or the two that contain its parts.
fn time_columns(header: Option<&Row<'_>>, body: &[Row<'_>], columns: usize) -> [Option<usize>; 2] {
    let name = |column: usize| header.and_then(|header| header.get(column)).copied().unwrap_or_default();
    let count = |holds: &dyn Fn(&Row<'_>) -> Option<bool>| {
        let (mut yes, mut all) = (0, 0);
        for holds in body.iter().filter_map(holds) {
            yes += usize::from(holds);
            all += 1;
        }
        (yes, all)
    };
    let mostly = |holds: &dyn Fn(&Row<'_>) -> Option<bool>| {
        let (yes, all) = count(holds);
        yes > 0 && yes * 5 >= all * 4
    };
    let value = |row: &Row<'_>, column: usize| {
        row.get(column).copied().filter(|value| !value.is_empty()).map(<[u8]>::to_vec)
    };
    // A date and a time of day in the next column are more reliable than the date alone.
    for date in 0..columns.saturating_sub(1) {
        let time = date + 1;
        let joined = |row: &Row<'_>| {
            let (date, time) = (value(row, date)?, value(row, time)?);
            let is_date = !date.contains(&b':') && date.first().is_some_and(u8::is_ascii_digit);
            let begins = time.trim_ascii_start().first().is_some_and(u8::is_ascii_digit);
            let is_time = time.contains(&b':') && begins && !time.contains(&b'-');
            Some(is_date && is_time && joined_time(&[&date, &time]).is_some())
        };
        if mostly(&joined) {
            return [Some(date), Some(time)];
        }
    }
    let is_time = |column: usize| {
        let is_named = time_rank(name(column)).is_some();
        let (yes, all) = count(&|row: &Row<'_>| {
            let value = value(row, column)?;
            // A number is a time only if the column name says so.
            Some(
                (is_named || value.iter().any(|byte| matches!(byte, b'-' | b':' | b'/')))
                    && whole_time(&value).is_some(),
            )
        });
        // A device that does not know the time yet says so in its place.
        yes > 0 && (yes * 5 >= all * 4 || is_named && yes * 3 >= all * 2)
    };
    let rank = |column: &usize| time_rank(name(*column)).unwrap_or(usize::MAX);
    let mut spelled: Vec<usize> = (0..columns).filter(|&column| is_time(column)).collect();
    // A name that speaks against a time decides only between several.
    if spelled.iter().any(|&column| !is_never_time(name(column))) {
        spelled.retain(|&column| !is_never_time(name(column)));
    } else {
        spelled.retain(|&column| !is_link_date(name(column)));
    }
    let is_clear = spelled.len() == 1 || spelled.iter().any(|column| time_rank(name(*column)).is_some());
    let by_values = if is_clear { None } else { time_column(header, body, columns) };
    let dated = by_values.or_else(|| spelled.into_iter().min_by_key(rank));
    let epoch_of = |column: usize| {
        let times = column_times(header, body, columns);
        column_at(header, columns, times.epoch_of(&column_place(header, column))?)
    };
    let dated = dated.map(|column| epoch_of(column).unwrap_or(column));
    // Without any date, a time of day counts where its name says so: it may as well be a duration.
    let is_clock = |column: &usize| {
        let name = name(*column).trim_ascii();
        (name.eq_ignore_ascii_case(b"time") || name.eq_ignore_ascii_case(b"time of day"))
            && mostly(&|row: &Row<'_>| Some(whole_day_time(&value(row, *column)?).is_some()))
    };
    [dated, if dated.is_none() { (0..columns).find(is_clock) } else { None }]
}

/// The column that a person chose for the time, otherwise the one that was found; and those to choose from.
fn with_choice(
    header: Option<&Row<'_>>,
    body: &[Row<'_>],
    columns: usize,
    found: [Option<usize>; 2],
    chosen: Option<&str>,
) -> ([Option<usize>; 2], Vec<TimeFieldOption>) {
    let times = column_times(header, body, columns);
    let mut options = times.options(|name| if time_rank(before_nul(name)).is_some() { KNOWN } else { 0.0 });
    let named = chosen.and_then(|name| times.named(name)).filter(TimeField::is_whole);
    let named = named.and_then(|field| column_at(header, columns, &field.name));
    let columns_used = match named {
        // A date whose time of day is in the next column stays with it.
        Some(column) if found[0] != Some(column) => [Some(column), None],
        _ => found,
    };
    let used = columns_used[0].map(|column| column_place(header, column)).unwrap_or_default();
    if let [Some(date), Some(_)] = columns_used
        && let Some(example) = body.first().and_then(|row| row.get(date))
    {
        // A date alone was not counted as a time.
        let (name, example) = (before_nul(&used), String::from_utf8_lossy(example).into_owned());
        let name = String::from_utf8_lossy(name).into_owned();
        options.retain(|option| option.name != name);
        options.insert(0, TimeFieldOption { name, coverage: 1.0, example, chosen: false });
    }
    mark_chosen(&mut options, &used);
    (columns_used, options)
}

fn before_nul(name: &[u8]) -> &[u8] {
    name.split(|&byte| byte == 0).next().unwrap_or_default()
}

/// The name of a column and its number, because names may be equal, but numbers are not.
fn column_place(header: Option<&Row<'_>>, column: usize) -> Vec<u8> {
    let name = header.and_then(|header| header.get(column)).map(|name| name.trim_ascii());
    let name = name.filter(|name| !name.is_empty()).map(<[u8]>::to_vec);
    let name = name.unwrap_or_else(|| format!("column_{}", column + 1).into_bytes());
    [&name[..], format!("\0{column}").as_bytes()].concat()
}

fn column_at(header: Option<&Row<'_>>, columns: usize, place: &[u8]) -> Option<usize> {
    (0..columns).find(|&column| column_place(header, column) == place)
}

/// The values of the columns, seen as times.
fn column_times(header: Option<&Row<'_>>, body: &[Row<'_>], columns: usize) -> FieldTimes {
    let places: Vec<Vec<u8>> = (0..columns).map(|column| column_place(header, column)).collect();
    let mut times = FieldTimes::default();
    for row in body {
        times.event();
        for (place, value) in places.iter().zip(row) {
            times.value(place, value);
        }
    }
    times
}

/// The time column by its values, if no name determines it.
fn time_column(header: Option<&Row<'_>>, body: &[Row<'_>], columns: usize) -> Option<usize> {
    let best = column_times(header, body, columns).best(|_| 0.0).filter(TimeField::is_whole)?;
    column_at(header, columns, &best.name)
}
