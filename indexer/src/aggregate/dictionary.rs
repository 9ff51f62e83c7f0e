//! The distinct values of a field over all segments, each with one code, so that counts of segments can be
//! added up without a look at the values.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::field::coded;
use crate::Cancel;
use crate::FieldKind;
use crate::case::{Case, Snapshot};
use crate::error::{Error, ErrorKind, Result};
use crate::exec::in_order;
use crate::limits::{CANCEL_ROWS, DISTINCT_VALUES};
use crate::storage::{Column, Dictionary, Interner, Scalar, with_codes};

/// A field over all segments of a snapshot.
pub struct Values {
    /// For each segment, the field's codes there and what they are here; nothing where no event has it.
    pub segments: Vec<Option<Coded>>,
    /// How many codes there are, 0 included, which stands for a missing value.
    pub codes: usize,
    known: Arc<Mutex<Known>>,
}

#[derive(Clone)]
pub struct Coded {
    pub column: Arc<Column>,
    /// By the column's code, the code here.
    pub shared: Arc<Vec<u32>>,
}

/// Values as they became known, segment after segment. Codes never change.
#[derive(Default)]
struct Known {
    texts: Interner,
    kinds: Vec<FieldKind>,
    segments: HashMap<u64, Arc<Vec<u32>>>,
}

impl Values {
    pub fn of(case: &Case, snapshot: &Snapshot, field: &str, cancel: &Cancel) -> Result<Values> {
        let known =
            case.columns().get(u64::MAX, field, || Ok((Arc::new(Mutex::new(Known::default())), 0)))?;
        let known = Arc::clone(&known);
        let before = locked(&known).bytes();
        let mut segments = Vec::with_capacity(snapshot.segments.len());
        let decode = |index: usize| coded(&snapshot.segments[index], snapshot.sources(), field, cancel);
        in_order(snapshot.segments.len(), cancel, decode, |index, column| {
            let id = snapshot.segments[index].meta.id;
            let coded = |column: Arc<Column>| -> Result<Coded> {
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
        Ok(Values { segments, codes, known: Arc::clone(&known) })
    }

    /// What codes stand for; nothing for 0.
    pub fn values(&self, codes: impl IntoIterator<Item = u32>) -> Vec<Option<Scalar>> {
        let known = locked(&self.known);
        codes.into_iter().map(|code| known.value(code)).collect()
    }

    /// Orders codes: by value, or only picks those that pass, without copying the values.
    pub fn with<T>(&self, ask: impl FnOnce(&dyn Fn(u32) -> Option<Scalar>) -> T) -> T {
        let known = locked(&self.known);
        ask(&|code| known.value(code))
    }
}

fn locked(known: &Mutex<Known>) -> MutexGuard<'_, Known> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Known {
    fn value(&self, code: u32) -> Option<Scalar> {
        let place = (code as usize).checked_sub(1)?;
        let text = self.texts.get(place)?;
        let number = || text.parse().map(Scalar::Int).ok();
        Some(match self.kinds.get(place)? {
            FieldKind::Text => Scalar::Text(text.to_owned()),
            FieldKind::Int => number().or_else(|| crate::stamp::parse(text).map(Scalar::Time))?,
            FieldKind::Float => Scalar::Float(text.parse().ok()?),
            FieldKind::Bool => Scalar::Bool(text == "true"),
        })
    }

    fn add(&mut self, segment: u64, column: &Column, field: &str, cancel: &Cancel) -> Result<Arc<Vec<u32>>> {
        let mut shared = vec![0; column.largest as usize + 1];
        let many = || {
            let message = format!("`{field}` has more than {DISTINCT_VALUES} different values");
            Error::new(ErrorKind::Limit, message).hint("ask for another field, or count its values only")
        };
        if let Dictionary::Texts(texts) = &column.values {
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
