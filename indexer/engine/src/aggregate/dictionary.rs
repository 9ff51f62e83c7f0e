//! A global dictionary: the distinct values of a field over all segments with one code each, so that counts
//! of segments are summed without comparing values.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::field::coded;
use crate::Engine;
use crate::exec::in_order;
use base::Cancel;
use base::FieldKind;
use base::error::{Error, ErrorKind, Result};
use base::limits::{CANCEL_ROWS, DISTINCT_VALUES};
use store::Snapshot;
use store::{ColumnValues, Interner, Scalar, StoredColumn, with_codes};

/// A field over all segments of a snapshot.
pub struct GlobalValues {
    /// For each segment, a map from the field's codes to the codes here; `None` if no event has the field.
    pub segments: Vec<Option<Coded>>,
    /// The number of codes, including 0 for a missing value.
    pub codes: usize,
    known: Arc<Mutex<KnownValues>>,
}

#[derive(Clone)]
pub struct Coded {
    pub column: Arc<StoredColumn>,
    /// Indexed by the column's code: the code here.
    pub shared: Arc<Vec<u32>>,
}

/// GlobalValues in order of first occurrence, segment by segment. Codes never change.
#[derive(Default)]
struct KnownValues {
    texts: Interner,
    kinds: Vec<FieldKind>,
    segments: HashMap<u64, Arc<Vec<u32>>>,
}

impl GlobalValues {
    pub fn load(case: &Engine, snapshot: &Snapshot, field: &str, cancel: &Cancel) -> Result<GlobalValues> {
        let known =
            case.columns().get(u64::MAX, field, || Ok((Arc::new(Mutex::new(KnownValues::default())), 0)))?;
        let known = Arc::clone(&known);
        let before = locked(&known).bytes();
        let mut segments = Vec::with_capacity(snapshot.segments.len());
        let decode = |index: usize| coded(&snapshot.segments[index], snapshot.sources(), field, cancel);
        in_order(snapshot.segments.len(), cancel, decode, |index, column| {
            let id = snapshot.segments[index].meta.id;
            let coded = |column: Arc<StoredColumn>| -> Result<Coded> {
                let mut all = locked(&known);
                let shared = match all.segments.get(&id) {
                    Some(shared) => Arc::clone(shared),
                    None => all.add(id, &column, field, cancel)?,
                };
                Ok(Coded { column, shared })
            };
            segments.push(column.map(coded).transpose()?);
            Ok(())
        })?;
        let (codes, bytes) = {
            let all = locked(&known);
            (all.kinds.len() + 1, all.bytes())
        };
        if bytes != before {
            case.columns().account(u64::MAX, field, bytes);
        }
        Ok(GlobalValues { segments, codes, known: Arc::clone(&known) })
    }

    /// A field over all segments of two cases, those of the first one first. Nothing of it is cached.
    pub fn joint(cases: [&Snapshot; 2], field: &str, cancel: &Cancel) -> Result<GlobalValues> {
        let known = Arc::new(Mutex::new(KnownValues::default()));
        let mut segments: Vec<Option<Coded>> = Vec::new();
        for snapshot in cases {
            let decode = |index: usize| coded(&snapshot.segments[index], snapshot.sources(), field, cancel);
            in_order(snapshot.segments.len(), cancel, decode, |_, column| {
                let place = segments.len() as u64;
                let coded = |column: Arc<StoredColumn>| -> Result<Coded> {
                    let shared = locked(&known).add(place, &column, field, cancel)?;
                    Ok(Coded { column, shared })
                };
                segments.push(column.map(coded).transpose()?);
                Ok(())
            })?;
        }
        let codes = locked(&known).kinds.len() + 1;
        Ok(GlobalValues { segments, codes, known })
    }

    /// The value of a code; `None` for 0.
    pub fn values(&self, codes: impl IntoIterator<Item = u32>) -> Vec<Option<Scalar>> {
        let known = locked(&self.known);
        codes.into_iter().map(|code| known.value(code)).collect()
    }

    /// The texts of codes, or what other values are written as.
    pub fn with_texts<T>(&self, ask: impl for<'t> FnOnce(&dyn Fn(u32) -> Option<&'t str>) -> T) -> T {
        let known = locked(&self.known);
        let texts = &known.texts;
        ask(&|code| texts.get((code as usize).checked_sub(1)?))
    }

    /// Compares codes by value, or filters them, without copying the values.
    pub fn with<T>(&self, ask: impl FnOnce(&dyn Fn(u32) -> Option<Scalar>) -> T) -> T {
        let known = locked(&self.known);
        ask(&|code| known.value(code))
    }
}

fn locked(known: &Mutex<KnownValues>) -> MutexGuard<'_, KnownValues> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}

impl KnownValues {
    fn value(&self, code: u32) -> Option<Scalar> {
        let place = (code as usize).checked_sub(1)?;
        let text = self.texts.get(place)?;
        let number = || text.parse().map(Scalar::Int).ok();
        Some(match self.kinds.get(place)? {
            FieldKind::Text => Scalar::Text(text.to_owned()),
            FieldKind::Int => number().or_else(|| base::stamp::parse(text).map(Scalar::Time))?,
            FieldKind::Float => Scalar::Float(text.parse().ok()?),
            FieldKind::Bool => Scalar::Bool(text == "true"),
        })
    }

    fn add(
        &mut self,
        segment: u64,
        column: &StoredColumn,
        field: &str,
        cancel: &Cancel,
    ) -> Result<Arc<Vec<u32>>> {
        let mut shared = vec![0; column.largest as usize + 1];
        let many = || {
            let message = format!("`{field}` has more than {DISTINCT_VALUES} different values");
            Error::new(ErrorKind::Limit, message).hint("use another field, or count only the distinct values")
        };
        if let ColumnValues::Texts(texts) = &column.values {
            for (place, text) in texts.iter().enumerate() {
                if place.is_multiple_of(CANCEL_ROWS) && cancel.is_set() {
                    return Err(Error::cancelled());
                }
                shared[place + 1] = self.code(text, FieldKind::Text).ok_or_else(many)?;
            }
        } else {
            let mut used = vec![false; column.largest as usize + 1];
            with_codes!(&column.codes, codes => codes.iter().for_each(|&code| used[u64::from(code) as usize] = true));
            for code in (1..=column.largest).filter(|&code| used[code as usize]) {
                if let Some(value) = column.value(code) {
                    shared[code as usize] = self.code(&value.to_string(), value.kind()).ok_or_else(many)?;
                }
            }
        }
        let shared = Arc::new(shared);
        self.segments.insert(segment, Arc::clone(&shared));
        Ok(shared)
    }

    fn code(&mut self, text: &str, kind: FieldKind) -> Option<u32> {
        let place = self.texts.code(text) as usize;
        if place == self.kinds.len() {
            self.kinds.push(kind);
        }
        (place < DISTINCT_VALUES).then_some(place as u32 + 1)
    }

    fn bytes(&self) -> usize {
        let shared: usize = self.segments.values().map(|codes| codes.len() * 4).sum();
        self.texts.bytes() + self.kinds.len() + shared
    }
}
