//! Rows of published segments for whoever looks at many columns of all events at once, as detectors do: each column
//! as codes and the distinct values they mean. A segment never changes, so what was calculated over it once
//! stays true, and only segments that came later have to be looked at again.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use crate::Engine;
use crate::exec::{SegmentQuery, in_order, possible_rows};
use base::error::Result;
use base::{Cancel, FieldKind};
use query::Pattern;
use store::Snapshot;
use store::{ColumnValues, Scalar, Segment, StoredColumn, Times};

/// One published segment of a snapshot.
#[derive(Debug)]
pub struct SnapshotSegment<'a> {
    case: &'a Engine,
    segment: Arc<Segment>,
}

/// A column of a segment: a code for each row, and what it means. Code 0 is a missing value.
#[derive(Clone, Debug)]
pub struct CodedColumn {
    column: Arc<StoredColumn>,
}

/// The times of a segment's rows, in order; rows without a time come first.
#[derive(Clone, Debug)]
pub struct RowTimes {
    times: Arc<Times>,
}

impl Engine {
    /// Does `work` for every segment of a snapshot, on all cores; `done` gets each result on this thread, in order.
    pub fn each_segment<R: Send>(
        &self,
        snapshot: &Snapshot,
        cancel: &Cancel,
        work: impl Fn(&SnapshotSegment<'_>) -> Result<R> + Sync,
        mut done: impl FnMut(R) -> Result<()>,
    ) -> Result<()> {
        let rows = |index: usize| {
            work(&SnapshotSegment { case: self, segment: Arc::clone(&snapshot.segments[index]) })
        };
        in_order(snapshot.segments.len(), cancel, rows, |_, result| done(result))
    }
}

impl SnapshotSegment<'_> {
    /// The number by which the segment is known for ever.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.segment.meta.id
    }

    /// How many rows it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.segment.meta.events as usize
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The fields of its events: name, column and type. A field of several types has a column for each.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &str, FieldKind)> {
        self.segment.meta.fields.iter().map(|field| (&*field.name, &*field.column, field.kind))
    }

    /// A column by the name that [`SnapshotSegment::fields`] gives it, or a built-in one: `level`, `source`, `line`.
    pub fn column(&self, column: &str, cancel: &Cancel) -> Result<CodedColumn> {
        let packed = self.segment.packed_field(column, cancel)?;
        let is_sparse = matches!(packed.values, ColumnValues::Numbers { .. })
            && packed.largest > packed.rows() as u64 * 2 + 64;
        // Numbers that are far from each other would have more codes than rows.
        Ok(CodedColumn { column: if is_sparse { Arc::new(packed.recoded()) } else { packed } })
    }

    pub fn times(&self) -> Result<RowTimes> {
        Ok(RowTimes { times: self.segment.times()? })
    }

    /// Rows from a time (inclusive) to another (exclusive). A range leaves out rows without a time.
    pub fn within(&self, from: Option<i64>, to: Option<i64>) -> Result<Range<usize>> {
        if from.is_none() && to.is_none() {
            return Ok(0..self.len());
        }
        let times = self.segment.times()?;
        let start = times.before(from.unwrap_or(i64::MIN + 1)).max(times.untimed());
        let end = to.map_or(self.len(), |to| times.before(to));
        Ok(start..end.max(start))
    }

    /// Calls `each` with the text of every row given, in the order of their files.
    pub fn for_each_text(&self, rows: &[u32], mut each: impl FnMut(u32, &str)) -> Result<()> {
        self.segment.for_each_text(&mut self.case.raw_cursor(), rows.iter().copied(), |row, text| {
            each(row, &String::from_utf8_lossy(text));
            Ok(())
        })
    }
}

impl SnapshotSegment<'_> {
    /// A superset of the rows whose text matches a pattern, in order: by the text index, without reading any text.
    /// Nothing where the index cannot tell.
    pub fn possible_rows(&self, pattern: &Pattern, cancel: &Cancel) -> Result<Option<Vec<u32>>> {
        let segment = &*self.segment;
        let shapes = || Ok(None);
        let question =
            SegmentQuery { segment, sources: &[], templates: None, shapes: &shapes, cancel, trace: None };
        Ok(possible_rows(&question, pattern)?.map(|rows| rows.iter().collect()))
    }
}

impl CodedColumn {
    /// The largest code there may be.
    #[must_use]
    pub fn largest(&self) -> usize {
        self.column.largest as usize
    }

    /// The code of a row; 0 where it has no value.
    #[inline]
    #[must_use]
    pub fn code(&self, row: usize) -> usize {
        self.column.codes.get(row) as usize
    }

    /// What a code means, as text.
    #[must_use]
    pub fn text(&self, code: usize) -> Option<Cow<'_, str>> {
        if let ColumnValues::Texts(texts) = &self.column.values {
            return texts.get(code.checked_sub(1)?).map(Cow::Borrowed);
        }
        Some(match self.column.value(code as u64)? {
            Scalar::Text(text) => Cow::Owned(text),
            other => Cow::Owned(other.to_string()),
        })
    }
}

impl RowTimes {
    /// The time of a row, where it has one.
    #[must_use]
    pub fn get(&self, row: usize) -> Option<i64> {
        Some(self.times.get(row)).filter(|&time| time != ingest::NO_TIME)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_case::{ImportOptions, TestCase};

    #[test]
    fn columns_give_values_times_and_texts_of_every_row() -> Result<()> {
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("a.ndjson");
        let lines = [
            r#"{"time":"2026-03-01T00:00:00Z","n":5,"who":"ann"}"#,
            r#"{"time":"2026-03-01T00:00:01Z","n":9000000000,"who":"bob"}"#,
            r#"{"time":"2026-03-01T00:00:02Z","who":"ann"}"#,
        ];
        std::fs::write(&log, lines.join("\n")).expect("written");
        let case = TestCase::create(&folder.path().join("a.case"))?;
        case.import(&[log], &ImportOptions::default(), &|_| {}, &Cancel::default())?;
        let snapshot = case.snapshot();
        let mut seen = Vec::new();
        let read = |rows: &SnapshotSegment<'_>| {
            let cancel = Cancel::default();
            let (who, n) = (rows.column("who", &cancel)?, rows.column("n", &cancel)?);
            assert!(n.largest() < 200, "far numbers are coded densely");
            let times = rows.times()?;
            let second = times.get(1);
            assert_eq!(rows.within(second, None)?.len() + rows.within(None, second)?.len(), rows.len());
            let mut texts = vec![String::new(); rows.len()];
            let all: Vec<u32> = (0..rows.len() as u32).collect();
            rows.for_each_text(&all, |row, text| text.clone_into(&mut texts[row as usize]))?;
            let value = |column: &CodedColumn, row| column.text(column.code(row)).map(Cow::into_owned);
            Ok((0..rows.len())
                .map(|row| (value(&who, row), value(&n, row), texts[row].clone()))
                .collect::<Vec<_>>())
        };
        case.each_segment(&snapshot, &Cancel::default(), read, |rows| {
            seen.extend(rows);
            Ok(())
        })?;
        let expected = [("ann", Some("5")), ("bob", Some("9000000000")), ("ann", None)];
        let expected: Vec<_> = expected
            .into_iter()
            .zip(lines)
            .map(|((who, n), line)| (Some(who.to_owned()), n.map(str::to_owned), line.to_owned()))
            .collect();
        assert_eq!(seen, expected);
        Ok(())
    }
}
