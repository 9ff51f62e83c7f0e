//! Interns the names of elements and attributes as numbers, so that walking an event only compares numbers.

use std::collections::HashMap;

use crate::limits;

/// A name's number. The names with a meaning for [`EventFlattener`](super::flatten::EventFlattener) have
/// constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct NameId(pub u32);

/// The names that have constants, in the order of the constants.
const KNOWN: [&str; 7] = ["Event", "System", "EventData", "UserData", "RenderingInfo", "Data", "Name"];
pub(crate) const EVENT: NameId = NameId(0);
pub(crate) const SYSTEM: NameId = NameId(1);
pub(crate) const EVENT_DATA: NameId = NameId(2);
pub(crate) const USER_DATA: NameId = NameId(3);
pub(crate) const RENDERING_INFO: NameId = NameId(4);
pub(crate) const DATA: NameId = NameId(5);
pub(crate) const NAME: NameId = NameId(6);

pub(crate) struct Names {
    texts: Vec<Box<str>>,
    ids: HashMap<Box<[u8]>, NameId>,
}

impl Names {
    pub(crate) fn new() -> Names {
        let mut names = Names { texts: Vec::new(), ids: HashMap::new() };
        for known in KNOWN {
            names.add(known.as_bytes());
        }
        names
    }

    /// The number of a name; `None` if it is too long or if there are too many names.
    pub(crate) fn intern(&mut self, name: &[u8]) -> Option<NameId> {
        if let Some(&id) = self.ids.get(name) {
            return Some(id);
        }
        let fits =
            name.len() <= limits::LONGEST_FIELD_NAME_BYTES && self.texts.len() < limits::MOST_XML_NAMES;
        fits.then(|| self.add(name))
    }

    fn add(&mut self, name: &[u8]) -> NameId {
        let id = NameId(self.texts.len() as u32);
        self.texts.push(String::from_utf8_lossy(name).into());
        self.ids.insert(name.into(), id);
        id
    }

    pub(crate) fn text(&self, id: NameId) -> &str {
        &self.texts[id.0 as usize]
    }
}

/// A map with names as keys: the first few in a list, which is enough for real events and the fastest to
/// search, and the others (of forged events) by hash.
pub(super) struct ByName<T> {
    few: Vec<(NameId, T)>,
    more: HashMap<NameId, T>,
}

impl<T: Copy> ByName<T> {
    const FEW: usize = 24;

    pub(super) fn new() -> ByName<T> {
        ByName { few: Vec::new(), more: HashMap::new() }
    }

    #[inline]
    pub(super) fn get(&self, name: NameId) -> Option<T> {
        match self.few.iter().find(|known| known.0 == name) {
            Some(known) => Some(known.1),
            None if self.more.is_empty() => None,
            None => self.more.get(&name).copied(),
        }
    }

    pub(super) fn insert(&mut self, name: NameId, value: T) {
        if self.few.len() < Self::FEW {
            self.few.push((name, value));
        } else {
            self.more.insert(name, value);
        }
    }
}
