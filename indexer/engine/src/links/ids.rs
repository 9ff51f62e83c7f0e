//! The id of each event, under whichever of its names the event has.

use super::Spot;
use super::places::{IdValue, each_named};
use crate::Engine;
use crate::aggregate::coded;
use crate::exec::SegmentRows;
use base::Cancel;
use base::error::{Error, Result};
use base::limits::CANCEL_ROWS;
use store::{Messages, Snapshot, with_codes};

/// Calls `each` with every row that has an id, and a hash of it: the first of the places that has a value. Letters are
/// compared without their case.
pub fn each_id(
    engine: &Engine,
    snapshot: &Snapshot,
    part: &SegmentRows,
    places: &[Spot],
    cancel: &Cancel,
    mut each: impl FnMut(usize, u64),
) -> Result<()> {
    let mut ids: Vec<Option<u64>> = vec![None; part.segment.meta.events as usize];
    let mut words: Vec<&[u8]> = Vec::new();
    for place in places {
        match place {
            Spot::Field(name) => fields(&mut ids, snapshot, part, name, cancel)?,
            Spot::After(word) => words.push(word.as_bytes()),
        }
    }
    if !words.is_empty() {
        messages(&mut ids, engine, part, &words, cancel)?;
    }
    part.for_each(|row| {
        if let Some(id) = ids[row] {
            each(row, id);
        }
    });
    Ok(())
}

fn fields(
    ids: &mut [Option<u64>],
    snapshot: &Snapshot,
    part: &SegmentRows,
    name: &str,
    cancel: &Cancel,
) -> Result<()> {
    let Some(column) = coded(&part.segment, snapshot.sources(), name, cancel)? else { return Ok(()) };
    let mut known: Vec<Option<u64>> = vec![None; column.largest as usize + 1];
    with_codes!(&column.codes, codes => part.for_each(|row| {
        let code = u64::from(codes[row]);
        if code == 0 || ids[row].is_some() {
            return;
        }
        let hash = known[code as usize].or_else(|| {
            let text = column.value(code)?.to_string();
            (!text.is_empty()).then(|| IdValue::new(text.as_bytes()).hash)
        });
        known[code as usize] = hash;
        ids[row] = hash;
    }));
    Ok(())
}

/// The values after these words; of several, that of the word that is named first.
fn messages(
    ids: &mut [Option<u64>],
    engine: &Engine,
    part: &SegmentRows,
    words: &[&[u8]],
    cancel: &Cancel,
) -> Result<()> {
    let mut rows = Vec::new();
    part.for_each(|row| {
        if ids[row].is_none() {
            rows.push(row);
        }
    });
    let messages = Messages::load(&part.segment, cancel)?;
    let mut cursor = engine.raw_cursor();
    for (nth, &row) in rows.iter().enumerate() {
        if nth.is_multiple_of(CANCEL_ROWS) && cancel.is_set() {
            return Err(Error::cancelled());
        }
        let mut best: Option<(usize, u64)> = None;
        messages.for_each(&part.segment, &mut cursor, std::iter::once(row as u32), |_, message| {
            each_named(message, |word, value| {
                let place = words.iter().position(|known| known.eq_ignore_ascii_case(word));
                if let Some(place) = place
                    && best.is_none_or(|(best, _)| place < best)
                {
                    best = Some((place, IdValue::new(value).hash));
                }
            });
            Ok::<(), Error>(())
        })?;
        ids[row] = best.map(|(_, hash)| hash);
    }
    Ok(())
}
