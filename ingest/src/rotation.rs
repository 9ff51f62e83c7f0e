//! Rotated sets: the files that one log was split into over time, recognised by their names, in the order in
//! which they were written. Each file stays a source of its own, so its bytes and its hash are its own too;
//! the set records that they are one log, and the order in which times continue from one to the next.

use std::collections::BTreeMap;

use crate::discover::InputFile;
use crate::limits::MOST_SET_LOOKS;
use crate::source::{Options, open};
use crate::time::day::date_in_name;
use crate::{NO_TIME, natural_order};

/// The rank of a file in its set, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rank {
    /// `app.log.2`: the higher the number, the older.
    Number(u32),
    /// `app.log-20260301`, `app-2026-03-01.2.log`: its day, and its number within that.
    Day(i64, u32),
    /// `app.log`, which is still being written.
    Live,
}

/// A file that may be part of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rotated {
    /// The common base name of the set.
    pub base: String,
    rank: Rank,
    /// `app.1.log`: programs count in either direction.
    in_doubt: bool,
}

impl Rotated {
    /// Whether the name proves that the file was rotated, not only that it could be.
    #[must_use]
    pub fn is_ranked(&self) -> bool {
        self.rank != Rank::Live
    }
}

const PACKED: [&str; 9] = [".gz", ".bz2", ".xz", ".zst", ".lz4", ".zip", ".Z", ".tgz", ".7z"];

/// What a name says about rotation. Folders in it are part of the base name.
#[must_use]
pub fn rotated(name: &str) -> Rotated {
    let (folder, file) = match name.rfind('/') {
        Some(slash) => name.split_at(slash + 1),
        None => ("", name),
    };
    let plain = PACKED.iter().find_map(|ending| file.strip_suffix(ending)).unwrap_or(file);
    let (base, rank, in_doubt) = rank_of_name(plain).unwrap_or((plain.to_owned(), Rank::Live, false));
    Rotated { base: format!("{folder}{base}"), rank, in_doubt }
}

fn rank_of_name(name: &str) -> Option<(String, Rank, bool)> {
    // `app.log.3`, and `app.log.2026-03-01.3` with the day before the number.
    if let Some((rest, number)) = trailing_number(name) {
        if let Some((base, day)) = trailing_day(rest) {
            return Some((base.to_owned(), Rank::Day(day, number), false));
        }
        return Some((rest.to_owned(), Rank::Number(number), false));
    }
    if let Some((base, day)) = trailing_day(name) {
        return Some((base.to_owned(), Rank::Day(day, 0), false));
    }
    // The same before the extension: `app.3.log`, `app-2026-03-01.log`, `app-2026-03-01-3.log`.
    let dot = name.rfind('.').filter(|&dot| dot > 0)?;
    let (stem, ending) = name.split_at(dot);
    if !ending[1..].starts_with(|letter: char| letter.is_ascii_alphabetic()) {
        return None;
    }
    let (rest, number) = trailing_number(stem).unwrap_or((stem, 0));
    if let Some((base, day)) = trailing_day(rest).or_else(|| trailing_day(stem)) {
        return Some((format!("{base}{ending}"), Rank::Day(day, number), false));
    }
    let (base, number) = trailing_number(stem)?;
    Some((format!("{base}{ending}"), Rank::Number(number), true))
}

/// A small number after a dot, or after a dash if a date precedes it.
fn trailing_number(name: &str) -> Option<(&str, u32)> {
    let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (before, number) = name.split_at(name.len() - digits);
    let base = before.strip_suffix('.').or_else(|| {
        let base = before.strip_suffix(['-', '_'])?;
        trailing_day(base).map(|_| base)
    })?;
    // An address is not a counted name.
    let has_letters = base.bytes().any(|byte| byte.is_ascii_alphabetic());
    let is_rank = (1..=4).contains(&digits) && has_letters;
    // `app-2026.03.01`: the last part of a date is not a number of its own.
    let is_day = trailing_day(name).is_some();
    (is_rank && !is_day).then(|| number.parse().ok().map(|number| (base, number)))?
}

/// A date at the end, after a dash, a dot or an underscore; hours and minutes may follow it.
fn trailing_day(name: &str) -> Option<(&str, i64)> {
    let is_of_date = |letter: char| letter.is_ascii_digit() || matches!(letter, '-' | '_' | '.' | 'T');
    let tail = &name[name.trim_end_matches(is_of_date).len()..];
    let tail = &tail[tail.find(['-', '_', '.'])?..];
    let date = tail.trim_start_matches(['-', '_', '.']);
    let (day, time) = match date.as_bytes() {
        [_, _, _, _, b'-' | b'_' | b'.', _, _, b'-' | b'_' | b'.', _, _, time @ ..] => (&date[..10], time),
        digits if digits.iter().take_while(|byte| byte.is_ascii_digit()).count() >= 8 => {
            (&date[..8], &digits[8..])
        }
        _ => return None,
    };
    let day = date_in_name(day)?;
    let minutes = time
        .iter()
        .filter(|byte| byte.is_ascii_digit())
        .fold(0_i64, |number, digit| number.saturating_mul(10).saturating_add(i64::from(digit - b'0')));
    let is_time = time.iter().filter(|byte| byte.is_ascii_digit()).count() <= 6;
    let base = &name[..name.len() - tail.len()];
    (is_time && !base.is_empty()).then(|| (base, day.saturating_mul(1_000_000).saturating_add(minutes)))
}

/// Groups the files of each set in order, oldest first, at the position of the first of them. Returns, for
/// every file, its set.
#[must_use]
pub fn group_rotation_sets(files: Vec<InputFile>, options: &Options) -> Vec<(InputFile, Option<String>)> {
    let mut groups: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
    let said: Vec<Rotated> = files.iter().map(|found| rotated(&found.name)).collect();
    for (index, (found, said)) in files.iter().zip(&said).enumerate() {
        let folder = found.path.parent().map(|folder| folder.to_string_lossy().into_owned());
        groups.entry((folder.unwrap_or_default(), said.base.clone())).or_default().push(index);
    }
    groups.retain(|_, places| places.len() > 1 && places.iter().any(|&place| said[place].is_ranked()));
    let mut byte_set_of: BTreeMap<usize, usize> = BTreeMap::new();
    let mut ordered: Vec<(String, Vec<usize>)> = Vec::new();
    for ((_, base), mut places) in groups {
        places.sort_by(|&a, &b| {
            compare_names(said[a].rank, said[b].rank)
                .then_with(|| natural_order(&files[a].name, &files[b].name))
        });
        if in_doubt(&places, &said) {
            sort_by_first_time(&mut places, &files, options);
        }
        byte_set_of.extend(places.iter().map(|&place| (place, ordered.len())));
        ordered.push((base, places));
    }
    let mut files: Vec<Option<InputFile>> = files.into_iter().map(Some).collect();
    let mut sorted = Vec::with_capacity(files.len());
    for place in 0..files.len() {
        match byte_set_of.get(&place) {
            None => sorted.extend(files[place].take().map(|found| (found, None))),
            Some(&set) => {
                let (base, places) = &ordered[set];
                for &place in places {
                    sorted.extend(files[place].take().map(|found| (found, Some(base.clone()))));
                }
            }
        }
    }
    sorted
}

/// Oldest first. Dated files come before numbered ones; names alone leave that open.
fn compare_names(a: Rank, b: Rank) -> std::cmp::Ordering {
    let key = |rank: Rank| match rank {
        Rank::Day(day, number) => (0, day, i64::from(number)),
        Rank::Number(number) => (1, -i64::from(number), 0),
        Rank::Live => (2, 0, 0),
    };
    key(a).cmp(&key(b))
}

/// Whether the names leave open in which order the files were written.
fn in_doubt(places: &[usize], said: &[Rotated]) -> bool {
    let ranks = || places.iter().map(|&place| said[place].rank);
    let counted = ranks().any(|rank| matches!(rank, Rank::Number(_)));
    let dated = ranks().any(|rank| matches!(rank, Rank::Day(..)));
    let live = ranks().filter(|rank| *rank == Rank::Live).count();
    let twice = places.windows(2).any(|pair| said[pair[0]].rank == said[pair[1]].rank);
    counted && (dated || live != 1) || twice || places.iter().any(|&place| said[place].in_doubt)
}

/// Orders files by their first times, if all of them have one.
fn sort_by_first_time(places: &mut Vec<usize>, files: &[InputFile], options: &Options) {
    if places.len() > MOST_SET_LOOKS {
        return;
    }
    let times: Option<Vec<(i64, usize)>> =
        places.iter().map(|&place| Some((first_time(&files[place], options)?, place))).collect();
    if let Some(mut times) = times {
        // Equal times keep the order of names.
        times.sort_by_key(|&(time, _)| time);
        *places = times.into_iter().map(|(_, place)| place).collect();
    }
}

fn first_time(found: &InputFile, options: &Options) -> Option<i64> {
    let mut first = None;
    open(found, options, &mut |opened| {
        if let Ok(mut source) = opened.source
            && let Ok(Some(chunk)) = source.next_chunk()
        {
            let mut batch = source.parser().parse(chunk);
            source.settler().settle(&mut batch);
            first = batch.time.into_iter().find(|&time| time != NO_TIME);
        }
        false
    });
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn order(names: &[&str], expected: &[&str]) {
        let found = |name: &&str| InputFile {
            path: format!("/nowhere/{name}").into(),
            name: (*name).to_owned(),
            bytes: 1,
            modified_ns: None,
            below: None,
        };
        let sorted = group_rotation_sets(names.iter().map(found).collect(), &Options::default());
        let names: Vec<_> = sorted
            .iter()
            .map(|(found, set)| format!("{}{}", found.name, set.as_ref().map_or("", |_| "*")))
            .collect();
        assert_eq!(names, expected);
    }

    #[test]
    fn rotated_files_are_grouped_oldest_first() {
        order(
            &["a.log", "app.log", "app.log.1", "app.log.10.gz", "app.log.2.gz", "z.log"],
            &["a.log", "app.log.10.gz*", "app.log.2.gz*", "app.log.1*", "app.log*", "z.log"],
        );
        order(
            &["app.log", "app.log-20260301.gz", "app.log-20260302"],
            &["app.log-20260301.gz*", "app.log-20260302*", "app.log*"],
        );
        order(
            &["app-2026-03-02.log", "app-2026-03-01.1.log", "app-2026-03-01.0.log", "app.log"],
            &["app-2026-03-01.0.log*", "app-2026-03-01.1.log*", "app-2026-03-02.log*", "app.log*"],
        );
    }

    #[test]
    fn names_that_end_in_any_letter_are_read() {
        order(
            &["café.log", "логи.log", "app-日.log.1", "日", "\u{2066}.log"],
            &["café.log", "логи.log", "app-日.log.1", "日", "\u{2066}.log"],
        );
        order(&["日-20260302.log", "日-20260301.log"], &["日-20260301.log*", "日-20260302.log*"]);
    }

    #[test]
    fn similar_names_are_not_a_set() {
        order(&["a.log", "b.log", "a.txt"], &["a.log", "b.log", "a.txt"]);
        order(&["app.log", "app.log.gz"], &["app.log", "app.log.gz"]);
        order(&["10.0.0.1", "10.0.0.2.log"], &["10.0.0.1", "10.0.0.2.log"]);
    }

    #[test]
    fn names_determine_base_and_rank() {
        let said = |name: &str| (rotated(name).base, rotated(name).is_ranked());
        for (name, base) in [
            ("web/app.log.3.gz", "web/app.log"),
            ("app.1.log", "app.log"),
            ("app-2026-03-01.log", "app.log"),
            ("app_20260301.log", "app.log"),
            ("app.log.2026-03-01", "app.log"),
            ("app.log-20260301-1400", "app.log"),
            ("app.2026-03-01-2.log", "app.log"),
            ("localhost_access_log.2026-03-01.txt", "localhost_access_log.txt"),
        ] {
            assert_eq!(said(name), (base.to_owned(), true), "{name}");
        }
        for name in ["app.log", "app-v2.log", "2026-03-01.log", "core.12345", "app-2.log"] {
            assert!(!rotated(name).is_ranked(), "{name}: {:?}", rotated(name));
        }
    }
}
