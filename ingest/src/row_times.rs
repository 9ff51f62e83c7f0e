//! Rows with several times: of a file when it was created, changed and read, of a program when it ran. Each
//! time is an event, whose `time_kind` is the name of its column.

use std::collections::HashMap;
use std::sync::Arc;

use crate::batch::{ColumnKind, Frame, Span};
use crate::limits;
use crate::rows::Rows;
use crate::time::When;
use crate::time::find::whole_time_in_order;
use crate::time::numeric_date::DateOrder;

/// The columns of a table, or keys of objects, whose times are events each.
#[derive(Debug)]
pub(crate) struct RowTimes {
    names: Vec<Box<str>>,
    /// Which number of their dates is the day.
    order: DateOrder,
}

/// What a time of a row is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileTime {
    Created,
    Modified,
    Accessed,
    /// Of what is known about a file, not of the file.
    Changed,
    Ran,
}

/// What a column is the time of, by its name.
fn file_time(name: &str) -> Option<FileTime> {
    let last = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let word = last.rsplit(['_', '-', ' ']).next().unwrap_or_default();
    match word {
        "btime" | "crtime" => return Some(FileTime::Created),
        "mtime" => return Some(FileTime::Modified),
        "atime" => return Some(FileTime::Accessed),
        "ctime" => return Some(FileTime::Changed),
        _ => {}
    }
    // Numbers distinguish columns of one kind: `Created0x10`, `PreviousRun3`.
    let letters: String = last
        .chars()
        .take_while(|character| !character.is_ascii_digit())
        .filter(char::is_ascii_alphabetic)
        .collect();
    let has = |words: &[&str]| words.iter().any(|word| letters.contains(word));
    match () {
        () if has(&["volume"]) => None,
        () if has(&["recordchange", "metadatachange", "inodechange", "statuschange"]) => {
            Some(FileTime::Changed)
        }
        () if has(&["lastrun", "previousrun", "lastexecut", "interacted"]) => Some(FileTime::Ran),
        () if has(&["accessed", "lastaccess", "accesstime"]) => Some(FileTime::Accessed),
        () if has(&["modified", "modification", "lastwrit"]) => Some(FileTime::Modified),
        () if has(&["created", "creation", "birth"]) => Some(FileTime::Created),
        () => None,
    }
}

impl RowTimes {
    /// The times among columns with these names, in their order, if they are those of files or programs: of two
    /// kinds at least, one of them an access, a run or a change of metadata. Tickets and pages are created and
    /// modified too, and are one event.
    pub(crate) fn learn<'n>(names: impl Iterator<Item = &'n str>, order: DateOrder) -> Option<RowTimes> {
        let mut found: Vec<(&str, FileTime)> =
            names.filter_map(|name| Some((name, file_time(name)?))).collect();
        // Those of one object belong together.
        let parent = |name: &str| name.rfind('.').map_or(0, |dot| dot + 1);
        let first = found.first()?.0;
        let parent_of_first = &first[..parent(first)];
        found.retain(|(name, _)| &name[..parent(name)] == parent_of_first);
        found.truncate(limits::MOST_ROW_TIMES);
        let kinds: Vec<FileTime> = found.iter().map(|(_, kind)| *kind).collect();
        let is_of_files =
            kinds.iter().any(|kind| matches!(kind, FileTime::Accessed | FileTime::Changed | FileTime::Ran));
        let is_several = kinds.iter().any(|kind| *kind != kinds[0]);
        let names = found.into_iter().map(|(name, _)| name.into()).collect();
        (is_of_files && is_several).then_some(RowTimes { names, order })
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|name| &**name)
    }
}

/// Adds an event for each time of a row to the rows of one chunk.
pub(crate) struct TimeSplitter {
    times: Arc<RowTimes>,
    column: Option<usize>,
    /// The spans of kinds, by the set of names that have the time.
    kinds: HashMap<u32, Span>,
}

impl TimeSplitter {
    pub(crate) fn new(times: Arc<RowTimes>) -> TimeSplitter {
        TimeSplitter { times, column: None, kinds: HashMap::new() }
    }

    /// Ends the row that was read, and adds one for each further time in it; returns how many. Names with the
    /// same time share an event.
    pub(crate) fn end(&mut self, frame: Frame, text: &[u8], rows: &mut Rows) -> u32 {
        let mut found: Vec<(i64, When, u32)> = Vec::new();
        for (index, name) in self.times.names.iter().enumerate() {
            let when =
                rows.current(name, text).and_then(|value| whole_time_in_order(&value, self.times.order));
            let Some(when) = when else { continue };
            let ns = rows.ns_uncounted(&when);
            // Zero dates of several systems mean that there is none.
            if ns <= 0 {
                continue;
            }
            match found.iter_mut().find(|(known, ..)| *known == ns) {
                Some((_, _, names)) => *names |= 1_u32 << index,
                None => found.push((ns, when, 1_u32 << index)),
            }
        }
        found.sort_by_key(|(ns, ..)| *ns);
        if let Some((_, when, names)) = found.first() {
            self.put(when, *names, rows);
        }
        rows.end(frame);
        for (further, (_, when, names)) in found.iter().enumerate().skip(1) {
            let frame = Frame { start: frame.start + further, length: frame.length - further, ..frame };
            rows.repeat(frame);
            self.put(when, *names, rows);
            rows.end(frame);
        }
        found.len().saturating_sub(1) as u32
    }

    fn put(&mut self, when: &When, set: u32, rows: &mut Rows) {
        rows.when(when);
        if self.column.is_none() {
            self.column = rows.add_column("time_kind", ColumnKind::Text);
        }
        let Some(column) = self.column else { return };
        let times = &self.times.names;
        let span = *self.kinds.entry(set).or_insert_with(|| {
            let named = times.iter().enumerate().filter(|(index, _)| set & (1_u32 << *index) != 0);
            let named: Vec<&str> = named.map(|(_, name)| &**name).collect();
            rows.rewrite(|buffer| buffer.extend_from_slice(named.join(", ").as_bytes()))
        });
        rows.span(column, span);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::discover::discover;
    use crate::encoding::Encoding;
    use crate::source::{Options, open};
    use crate::text_decoder::TextDecoder;

    fn learned(names: &str) -> String {
        let times = RowTimes::learn(names.split(' '), DateOrder::Customary);
        times.map_or_else(String::new, |times| times.names.join(" "))
    }

    #[test]
    fn times_of_files_and_programs_are_events_each() {
        for (names, expected) in [
            ("md5 name atime mtime ctime crtime", "atime mtime ctime crtime"),
            ("Id Created0x10 LastAccess0x10 Created0x30", "Created0x10 LastAccess0x10 Created0x30"),
            (
                "SourceCreated SourceAccessed LastRun PreviousRun0",
                "SourceCreated SourceAccessed LastRun PreviousRun0",
            ),
            ("LastRun Volume0Created", ""),
            ("Executable LastRun PreviousRun0", ""),
            ("a.MTime a.CTime b.ATime", "a.MTime a.CTime"),
            ("created_at updated_at closed_at", ""),
            ("created modified title", ""),
            ("datetime runtime realtime", ""),
        ] {
            assert_eq!(learned(names), expected, "{names}");
        }
    }

    #[test]
    fn events_of_a_row_have_places_of_their_own_and_its_text() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("files.csv");
        let rows = "é,2026-01-03 10:00:00,2026-01-02 10:00:00,7\nb,,,8\nc,2026-01-04 10:00:00,2026-01-04 10:00:00,9\n";
        std::fs::write(&path, format!("Name,Modified,Accessed,Size\n{rows}")).unwrap();
        let found = discover(&[path]).files.remove(0);
        for (time_field, expected) in [(None, "é 2,é 3,b none,c 4"), (Some("Modified"), "é 3,b none,c 4")]
        {
            let options = Options { time_field: time_field.map(str::to_owned), ..Options::default() };
            let mut seen = Vec::new();
            open(&found, &options, &mut |opened| {
                let mut source = opened.source.unwrap();
                let encoding = Encoding::named(&source.detection().encoding).unwrap();
                assert_eq!(encoding.name(), if time_field.is_some() { "utf-8" } else { "utf-8+rows" });
                let mut decoder = TextDecoder::new(encoding);
                let chunk = source.next_chunk().unwrap().unwrap();
                let batch = source.parser().parse(chunk);
                assert!(batch.start.is_sorted_by(|left, right| left < right));
                for row in 0..batch.rows() {
                    let text = decoder.text(&batch.chunk.bytes, 0, batch.event(row));
                    let name = String::from_utf8(text.into_owned()).unwrap();
                    let name = name.split(',').next().unwrap_or_default().to_owned();
                    let day = jiff::Timestamp::from_nanosecond(i128::from(batch.time[row]));
                    let day = day.ok().filter(|_| batch.time[row] != crate::batch::NO_TIME);
                    let day = day.map_or("none".to_owned(), |day| day.to_string()[9..10].to_owned());
                    seen.push(format!("{name} {day}"));
                }
                true
            });
            assert_eq!(seen.join(","), expected);
        }
    }
}
