//! The time after its name, in lines that have none near their start: `…,Event time: 2026-11-21 03:04:05,…`,
//! `… rt=1795230245123 …`. Which name it is, the values of a sample determine.

use std::sync::Arc;

use memchr::{memchr2_iter, memmem};

use crate::limits;
use crate::time::When;
use crate::time::field::{FieldTimes, TimeField, TimeFieldOption, mark_chosen};
use crate::time::find::time_at_exactly;
use crate::time::numeric_date::DateOrder;

/// A longer name is a part of a text.
const LONGEST_NAME: usize = 32;

/// The name with the time of most lines, and the names to choose from.
pub(super) fn learn(
    lines: &[&[u8]],
    chosen: Option<&str>,
) -> (Option<Arc<TimeField>>, Arc<[TimeFieldOption]>) {
    let mut times = FieldTimes::default();
    for line in lines {
        times.event();
        each_time(line, |name, time| times.value(name, time));
    }
    let mut options = times.options(|_| 0.0);
    let field = chosen.and_then(|name| times.named(name)).or_else(|| times.best(|_| 0.0));
    let field = field.filter(TimeField::is_whole);
    mark_chosen(&mut options, field.as_ref().map_or(&[], |field| &field.name));
    (field.map(Arc::new), options.into())
}

/// The time after the name.
pub(super) fn find(line: &[u8], field: &TimeField) -> Option<When> {
    memmem::find_iter(line, &*field.name).find_map(|start| {
        let sign = start + field.name.len();
        let is_name = name_before(line, sign) == Some(&*field.name);
        time_after(line, sign).filter(|_| is_name).and_then(|time| field.read(time))
    })
}

/// Calls with each name and the time after it.
fn each_time<'a>(line: &'a [u8], mut put: impl FnMut(&'a [u8], &'a [u8])) {
    let head = &line[..line.len().min(limits::LABELLED_TIME_WITHIN_BYTES)];
    for sign in memchr2_iter(b'=', b':', head) {
        if let Some(time) = time_after(line, sign)
            && let Some(name) = name_before(line, sign)
        {
            put(name, time);
        }
    }
}

/// The name that ends at an equals sign, or at a colon, where it may be some words.
fn name_before(line: &[u8], sign: usize) -> Option<&[u8]> {
    let has_words = *line.get(sign)? == b':';
    let is_of_name = |byte: &&u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.') || has_words && **byte == b' '
    };
    let length = line[..sign].iter().rev().take(LONGEST_NAME + 1).take_while(is_of_name).count();
    let name = line[sign - length..sign].trim_ascii();
    (name.len() <= LONGEST_NAME && name.first()?.is_ascii_alphabetic()).then_some(name)
}

/// The time after an equals sign or colon, perhaps after a space or in quotes.
fn time_after(line: &[u8], sign: usize) -> Option<&[u8]> {
    let rest = line.get(sign + 1..)?;
    let start =
        line.len() - rest.len() + rest.iter().take(2).take_while(|byte| b" \"'".contains(byte)).count();
    if !line.get(start)?.is_ascii_alphanumeric() {
        return None;
    }
    let (_, end) = time_at_exactly(line, start, DateOrder::Customary)?;
    let ends = line.get(end).is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'.');
    ends.then_some(&line[start..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lines: &[&str], name: Option<&str>) {
        let lines: Vec<&[u8]> = lines.iter().map(|line| line.as_bytes()).collect();
        let (field, _) = learn(&lines, None);
        let found = field.as_ref().map(|field| String::from_utf8_lossy(&field.name).into_owned());
        assert_eq!(found.as_deref(), name, "{lines:?}");
        assert!(field.is_none_or(|field| lines.iter().all(|line| find(line, &field).is_some())));
    }

    #[test]
    fn names_before_times() {
        check(
            &[
                "A,Category: 2,Event time: 2022-08-29 11:35:29,Group Name: x",
                "B,b c,Event time: 2022-08-29 11:36:00,Last update time: 2022-08-01 00:00:00",
            ],
            Some("Event time"),
        );
        check(&["0|x|1| act=y rt=1653555521000 in=1", "0|x|2| act=y rt=1653557213000 in=7"], Some("rt"));
        check(&["x (expires: 2027-01-01 00:00:00)", "y (expires: 2028-01-01 00:00:00)"], None);
        check(&["id: 1653555521", "id: 1053557213", "id: 1453557213"], None);
    }
}
