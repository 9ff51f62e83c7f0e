//! Tables whose rows have no time, and the column of a log's messages in a table without names.

use super::table_shape::{LEAST_FIT, Row};
use crate::named_columns::number;

/// Fewer rows prove nothing if neither a header nor a time does.
const FEWEST_ROWS: usize = 3;
/// The same between commas, semicolons or bars, which text has as well.
const FEWEST_ROWS_OF_MARKS: usize = 5;

/// Whether rows without a header and without a time are those of a table. Text has tabs seldom, and then not
/// the same number in each line; it has a space after most commas.
pub(super) fn is_table(body: &[Row<'_>], delimiter: u8, columns: usize, share: f32) -> bool {
    let (least, fewest) = match delimiter {
        b'\t' => (3, FEWEST_ROWS),
        b'|' => (3, FEWEST_ROWS_OF_MARKS),
        _ => (4, FEWEST_ROWS_OF_MARKS),
    };
    if columns < least || body.len() < fewest || share < LEAST_FIT {
        return false;
    }
    let is_prose = |row: &&Row<'_>| row.iter().skip(1).any(|value| value.starts_with(b" "));
    let are_words = || {
        let single = (0..columns).filter(|&column| values(body, column).all(|value| !value.contains(&b' ')));
        single.count() * 2 > columns
    };
    delimiter == b'\t' || body.iter().filter(is_prose).count() * 2 <= body.len() && are_words()
}

/// The values of a column, without empty ones.
fn values<'r>(body: &'r [Row<'r>], column: usize) -> impl Iterator<Item = &'r [u8]> {
    body.iter()
        .filter_map(move |row| row.get(column))
        .map(|value| value.trim_ascii())
        .filter(|value| !value.is_empty())
}

/// A table of words needs this many rows to show which of its first row are names.
const FEWEST_ROWS_OF_WORDS: usize = 8;

/// Names of columns that the values of an event hardly have together.
const USUAL_NAMES: [&str; 24] = [
    "account",
    "action",
    "category",
    "class",
    "code",
    "department",
    "description",
    "device",
    "event",
    "group",
    "host",
    "hostname",
    "id",
    "method",
    "name",
    "result",
    "role",
    "service",
    "source",
    "state",
    "status",
    "type",
    "user",
    "username",
];

/// Whether the first row names columns of words: in two columns or more whose few values all repeat, its own
/// value does not occur, and it has usual names or differs in kind from the values below it. Any other first row that is
/// like the others is an event, whatever it says.
pub(super) fn names_words(first: &Row<'_>, body: &[Row<'_>], columns: usize) -> bool {
    let is_name = |name: &&[u8]| {
        name.first().is_some_and(u8::is_ascii_alphabetic)
            && name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_-. ()[]/#%".contains(byte))
            && super::columns::level(name).is_none()
    };
    let repeats = |column: &usize| {
        let mut all: Vec<&[u8]> = values(body, *column).collect();
        all.sort_unstable();
        let mut kinds = all.chunk_by(|left, right| left == right);
        let is_other = |kind: &[&[u8]]| kind.len() > 1 && kind[0] != first[*column];
        all.len() == body.len() && kinds.clone().count() * 3 <= all.len() && kinds.all(is_other)
    };
    // All values have digits or marks, which the name has not; or all begin with a capital, and the name does not.
    let has_marks =
        |value: &[u8]| value.iter().any(|byte| !byte.is_ascii_alphabetic() && !b" _".contains(byte));
    let is_capital = |value: &[u8]| value.first().is_some_and(u8::is_ascii_uppercase);
    let differs = |is: &dyn Fn(&[u8]) -> bool| {
        let are = |column: usize| values(body, column).next().is_some() && values(body, column).all(is);
        (0..columns).filter(|&column| !is(first[column]) && are(column)).count()
    };
    let usual = first.iter().filter(|name| {
        USUAL_NAMES.iter().any(|usual| usual.as_bytes().eq_ignore_ascii_case(name.trim_ascii()))
    });
    body.len() >= FEWEST_ROWS_OF_WORDS
        && first.len() == columns
        && first.iter().all(is_name)
        && !first.iter().enumerate().any(|(index, name)| first[..index].contains(name))
        && (0..columns).filter(repeats).count() > 1
        && (usual.count() > 1 || differs(&has_marks) > 0 || differs(&is_capital) > 1)
}

/// Whether a name that begins with a digit is above numbers alone: `1RSS(dB)`.
pub(super) fn is_above_numbers(name: &[u8], column: usize, body: &[Row<'_>]) -> bool {
    let letters = name.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    letters > 1
        && values(body, column).next().is_some()
        && values(body, column).all(|value| number(value).is_some())
}

/// The column with the text of events, of those that nothing else is known of: most of its values are several
/// words, and more than those of any other column.
pub(super) fn message_column(body: &[Row<'_>], columns: usize, known: &[Option<usize>]) -> Option<usize> {
    let words = |column: usize| {
        let spaces = |value: &[u8]| memchr::memchr_iter(b' ', value).count();
        let counts: Vec<usize> = values(body, column).map(spaces).collect();
        let several = counts.iter().filter(|&&spaces| spaces > 1).count();
        (several * 2 > body.len()).then(|| counts.iter().sum::<usize>())
    };
    let unknown = (0..columns).filter(|column| !known.contains(&Some(*column)));
    unknown.filter_map(|column| Some((words(column)?, column))).max().map(|(_, column)| column)
}
