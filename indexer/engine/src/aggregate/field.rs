//! The columns of a field in a segment, in the forms that kernels need.

use std::sync::Arc;

use base::Cancel;
use base::error::Result;
use store::{ColumnValues, Packed, Scalar, Segment, SourceEntry, StoredColumn, Unit, with_codes};

/// If the range of the numbers is larger than this, they are dictionary-encoded before they are counted,
/// because most counters would stay empty.
pub const DENSE: u64 = 1 << 16;

/// A field's numbers in a segment, and the values that are not numbers.
pub struct FieldNumbers {
    pub column: Option<Arc<StoredColumn>>,
    pub others: Vec<Arc<StoredColumn>>,
}

/// The columns of a field in a segment: usually one, none if no event has the field, several if its values
/// have several types.
pub fn columns(
    segment: &Segment,
    sources: &[SourceEntry],
    field: &str,
    cancel: &Cancel,
) -> Result<Vec<Arc<StoredColumn>>> {
    match field {
        "time" => {
            let make = || {
                let times = segment.times()?;
                let times: Vec<i64> = (0..times.rows()).map(|row| times.get(row)).collect();
                Ok(StoredColumn::whole(&times, Unit::Time))
            };
            Ok(vec![segment.derived_column("#time as a field", make)?])
        }
        "source" => Ok(vec![segment.derived_column("#source by name", || by_name(segment, sources))?]),
        "level" | "line" => Ok(vec![segment.packed(field)?]),
        _ => {
            let described = segment.meta.fields.iter().filter(|described| described.name == field);
            described.map(|described| segment.packed_field(&described.column, cancel)).collect()
        }
    }
}

fn by_name(segment: &Segment, sources: &[SourceEntry]) -> Result<StoredColumn> {
    let places = segment.locations()?;
    let codes = (0..segment.meta.events as usize).map(|row| u64::from(places.source(row)) + 1);
    let names = sources.iter().map(|source| Scalar::Text(source.name.clone())).collect::<Vec<_>>();
    let largest = names.len() as u64;
    let codes = codes.map(|code| if code <= largest { code } else { 0 });
    Ok(StoredColumn::listed(Packed::pack(codes, largest), names))
}

/// A field as numbers.
pub fn numbers(
    segment: &Segment,
    sources: &[SourceEntry],
    field: &str,
    cancel: &Cancel,
) -> Result<FieldNumbers> {
    let is_number = |column: &Arc<StoredColumn>| matches!(&column.values, ColumnValues::Numbers { unit, .. } if unit.is_number() || *unit == Unit::Time);
    let (numbers, others): (Vec<_>, Vec<_>) =
        columns(segment, sources, field, cancel)?.into_iter().partition(is_number);
    let column = match numbers.as_slice() {
        [] => None,
        [one] => Some(Arc::clone(one)),
        several => Some(
            segment
                .derived_column(&format!("#numbers {field}"), || Ok(StoredColumn::joined_floats(several)))?,
        ),
    };
    Ok(FieldNumbers { column, others })
}

/// A field as codes that can index a table: few, or hardly more than there are rows.
pub fn coded(
    segment: &Segment,
    sources: &[SourceEntry],
    field: &str,
    cancel: &Cancel,
) -> Result<Option<Arc<StoredColumn>>> {
    let columns = columns(segment, sources, field, cancel)?;
    match columns.as_slice() {
        [] => Ok(None),
        [one] if !is_sparse(one) => Ok(Some(Arc::clone(one))),
        [one] => segment.derived_column(&format!("#coded {field}"), || Ok(one.recoded())).map(Some),
        several => segment.derived_column(&format!("#mixed {field}"), || Ok(mixed(several))).map(Some),
    }
}

fn is_sparse(column: &StoredColumn) -> bool {
    matches!(column.values, ColumnValues::Numbers { .. }) && column.largest > DENSE
}

/// The values of several columns as one list; a row has a value in at most one of them.
fn mixed(columns: &[Arc<StoredColumn>]) -> StoredColumn {
    let recoded: Vec<StoredColumn> = columns.iter().map(|column| column.recoded()).collect();
    let firsts = recoded.iter().scan(0, |first, column| {
        let this = *first;
        *first += column.largest;
        Some(this)
    });
    let firsts: Vec<u64> = firsts.collect();
    let largest = recoded.iter().map(|column| column.largest).sum();
    let rows = recoded.iter().map(StoredColumn::rows).max().unwrap_or(0);
    let code = |row: usize| {
        let codes = recoded.iter().zip(&firsts).map(|(column, first)| (column.codes.get(row), first));
        codes.filter(|(code, _)| *code > 0).map(|(code, first)| code + first).next().unwrap_or(0)
    };
    let values = recoded.iter().flat_map(|column| (1..=column.largest).filter_map(|code| column.value(code)));
    let values = values.collect();
    StoredColumn::listed(Packed::pack((0..rows).map(code), largest), values)
}

/// How many of these rows have no value in a column.
#[must_use]
pub fn missing(column: &StoredColumn, part: &crate::exec::SegmentRows) -> usize {
    if column.missing == 0 || part.is_all() {
        return column.missing;
    }
    let mut missing = 0;
    with_codes!(&column.codes, codes => part.for_each(|row| missing += usize::from(u64::from(codes[row]) == 0)));
    missing
}

#[cfg(test)]
mod tests {
    use super::*;
    use store::Values;

    #[test]
    fn values_of_several_types_share_one_list() {
        let ints = Arc::new(StoredColumn::from_values(Values::Int(vec![7, i64::MIN, i64::MIN, 7_000_000])));
        let truths = Arc::new(StoredColumn::from_values(Values::Bool(vec![None, Some(true), None, None])));
        let mixed = mixed(&[ints, truths]);
        let values: Vec<_> = (0..4).map(|row| mixed.at(row)).collect();
        let expected = [Some(Scalar::Int(7)), Some(Scalar::Bool(true)), None, Some(Scalar::Int(7_000_000))];
        assert_eq!(values, expected);
        assert_eq!((mixed.largest, mixed.missing), (3, 1));
    }
}
