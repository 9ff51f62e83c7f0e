//! Mines the shapes of messages while the text is in memory. Later each event would have to be decompressed
//! again.

use std::borrow::Cow;

use ingest::{Batch, Values};

use super::pending::span;
use store::{self, MESSAGES, NO_CODE, Shaper};

/// The columns of a segment with messages.
#[derive(Default)]
pub struct Spoken<'b> {
    fields: [Option<MessageColumnValues<'b>>; MESSAGES.len()],
    method: Option<MessageColumnValues<'b>>,
    path: Option<MessageColumnValues<'b>>,
}

enum MessageColumnValues<'b> {
    /// By value, a row of the segment each.
    Coded { codes: Vec<u32>, texts: store::Texts },
    /// What each batch holds of it.
    Read(Vec<Vec<&'b Values>>),
}

/// An event: its row in the segment, the place of its batch, the batch, and its row there.
#[derive(Clone, Copy)]
pub struct EventPosition<'b> {
    pub row: usize,
    pub index: usize,
    pub batch: &'b Batch,
    pub batch_row: usize,
}

impl<'b> Spoken<'b> {
    /// Takes a text column if it is one of those, with its values if they often repeat.
    pub fn take(&mut self, name: &str, values: Option<store::Values>, read: &[Vec<&'b Values>]) {
        let place = match name {
            "method" => &mut self.method,
            "path" => &mut self.path,
            _ => match MESSAGES.iter().position(|message| *message == name) {
                Some(field) => &mut self.fields[field],
                None => return,
            },
        };
        *place = Some(match values {
            Some(store::Values::Text { codes, texts }) => MessageColumnValues::Coded { codes, texts },
            _ => MessageColumnValues::Read(read.to_vec()),
        });
    }

    /// The shape of an event's message; `None` if the message is the event's text.
    pub fn shape(&self, at: EventPosition<'_>, shaper: &mut Shaper) -> Option<u32> {
        for (field, said) in self.fields.iter().enumerate() {
            let Some(said) = said else { continue };
            if let Some(code) = said.code(at) {
                return Some(shaper.value(field, code, || said.coded(code)));
            }
            if let Some(text) = said.read(at) {
                return Some(shaper.message(&text));
            }
        }
        let (method, path) = (self.method.as_ref()?, self.path.as_ref()?);
        if let (Some(of), Some(to)) = (method.code(at), path.code(at)) {
            return Some(shaper.request((of, to), || (method.coded(of), path.coded(to))));
        }
        Some(shaper.request_once(&method.text(at)?, &path.text(at)?))
    }
}

impl MessageColumnValues<'_> {
    fn code(&self, at: EventPosition<'_>) -> Option<u32> {
        match self {
            MessageColumnValues::Coded { codes, .. } => Some(codes[at.row]).filter(|&code| code != NO_CODE),
            MessageColumnValues::Read(_) => None,
        }
    }

    fn coded(&self, code: u32) -> &[u8] {
        match self {
            MessageColumnValues::Coded { texts, .. } => {
                texts.get(code as usize).unwrap_or_default().as_bytes()
            }
            MessageColumnValues::Read(_) => &[],
        }
    }

    /// The text without a code, as the case will read it.
    fn read<'t>(&self, at: EventPosition<'t>) -> Option<Cow<'t, [u8]>> {
        let MessageColumnValues::Read(columns) = self else { return None };
        let span = columns[at.index].iter().find_map(|values| span(values, at.batch_row))?;
        let text = at.batch.text(span);
        Some(match String::from_utf8_lossy(text) {
            Cow::Borrowed(_) => Cow::Borrowed(text),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        })
    }

    fn text<'t>(&'t self, at: EventPosition<'t>) -> Option<Cow<'t, [u8]>> {
        self.code(at).map(|code| Cow::Borrowed(self.coded(code))).or_else(|| self.read(at))
    }
}
