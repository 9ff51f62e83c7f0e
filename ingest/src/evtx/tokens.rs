//! Walks the binary XML of one record: tokens, templates, substitutions.
//!
//! A template is stored once in a chunk and is walked again for each record that uses it; the record itself
//! contains the list of values for it. Offsets count from the start of the chunk, so a chunk can be read on
//! its own.

use std::ops::Range;

use super::bytes::{u16_at, u32_at};
use super::fields::FieldId;
use super::flatten::{EventFlattener, TextRef, local_name};
use super::names::NameId;
use super::value::{fixed_size, kind, list_item, write_utf16, write_value};
use crate::limits;

type Walked<T> = Result<T, &'static str>;
const CUT_SHORT: &str = "its binary XML is cut short";

mod token {
    pub const END: u8 = 0x00;
    pub const OPEN: u8 = 0x01;
    pub const CLOSE_START: u8 = 0x02;
    pub const CLOSE_EMPTY: u8 = 0x03;
    pub const CLOSE: u8 = 0x04;
    pub const VALUE: u8 = 0x05;
    pub const ATTRIBUTE: u8 = 0x06;
    pub const CDATA: u8 = 0x07;
    pub const CHARACTER: u8 = 0x08;
    pub const ENTITY: u8 = 0x09;
    pub const INSTRUCTION: u8 = 0x0A;
    pub const INSTRUCTION_TEXT: u8 = 0x0B;
    pub const TEMPLATE: u8 = 0x0C;
    pub const SUBSTITUTION: u8 = 0x0D;
    pub const OPTIONAL_SUBSTITUTION: u8 = 0x0E;
    pub const FRAGMENT: u8 = 0x0F;
    /// Set if more of the same kind follows; for an open element, if it has attributes.
    pub const MORE: u8 = 0x40;
}

/// A value that a record substitutes into its template.
#[derive(Clone, Copy)]
pub(super) struct Substitute {
    at: usize,
    length: usize,
    kind: u8,
}

/// The names of one chunk by their offset, filled in on first use.
#[derive(Default)]
pub(super) struct ChunkNames {
    /// For each offset the index in `met`, counted from 1: small, because it is cleared for every chunk.
    places: Vec<u16>,
    /// Each name, and the length of its definition in bytes.
    met: Vec<(NameId, u32)>,
}

impl ChunkNames {
    pub(super) fn reset(&mut self, chunk_bytes: usize) {
        self.met.clear();
        self.places.clear();
        self.places.resize(chunk_bytes, 0);
    }

    fn at(&self, offset: usize) -> Option<(NameId, u32)> {
        let place = usize::from(*self.places.get(offset)?);
        self.met.get(place.checked_sub(1)?).copied()
    }

    fn remember(&mut self, offset: usize, name: NameId, bytes: u32) {
        if let (Some(place), Ok(number)) = (self.places.get_mut(offset), u16::try_from(self.met.len() + 1)) {
            self.met.push((name, bytes));
            *place = number;
        }
    }
}

/// Output and caches of the walk, reused from record to record.
#[derive(Default)]
pub(super) struct Store {
    pub names: ChunkNames,
    pub substitutes: Vec<Substitute>,
    /// The text of the record's values, one after the other.
    pub scratch: Vec<u8>,
}

pub(super) struct TokenWalk<'a> {
    pub chunk: &'a [u8],
    pub flattener: &'a mut EventFlattener,
    pub store: &'a mut Store,
    pub tokens_left: u32,
    pub text_left: usize,
    /// The attribute whose value is being read.
    attribute: Option<NameId>,
    /// Where the current value begins in the scratch buffer.
    value_from: usize,
    /// How far the walk got: after an error, the bytes after this are unread.
    pub reached: usize,
}

/// The range of a run of tokens, and what it may use.
#[derive(Clone)]
struct Scope {
    end: usize,
    substitutes: Range<usize>,
    /// Elements of templates name the value on which they depend; elements within values do not.
    dependencies: bool,
    depth: usize,
}

impl<'a> TokenWalk<'a> {
    pub(super) fn new(
        chunk: &'a [u8],
        flattener: &'a mut EventFlattener,
        store: &'a mut Store,
        text_left: usize,
    ) -> TokenWalk<'a> {
        store.scratch.clear();
        store.substitutes.clear();
        let tokens_left = limits::MOST_EVTX_TOKENS;
        let (attribute, value_from, reached) = (None, 0, 0);
        TokenWalk { chunk, flattener, store, tokens_left, text_left, attribute, value_from, reached }
    }

    /// Walks a record's binary XML. After an error, everything read before it is in the flattener.
    pub(super) fn record(&mut self, range: Range<usize>) -> Walked<()> {
        self.reached = range.start;
        let scope = Scope { end: range.end, substitutes: 0..0, dependencies: true, depth: 0 };
        let walked = self.fragment(range.start, &scope);
        self.finish_value();
        walked.map(|_| ())
    }

    /// Walks tokens until their end and returns the position after it.
    fn fragment(&mut self, mut at: usize, scope: &Scope) -> Walked<usize> {
        let ground = self.flattener.depth();
        while at < scope.end {
            if scope.depth == 0 {
                self.reached = at;
            }
            self.spend(1)?;
            let byte = *self.chunk.get(at).ok_or(CUT_SHORT)?;
            at = match byte & !token::MORE {
                token::END => {
                    at += 1;
                    break;
                }
                token::FRAGMENT => at + 4,
                token::OPEN => self.open(at, byte & token::MORE != 0, scope)?,
                token::CLOSE_START => {
                    self.finish_value();
                    at + 1
                }
                token::CLOSE_EMPTY | token::CLOSE => {
                    self.finish_value();
                    if self.flattener.depth() <= ground {
                        return Err("an element ends that did not begin");
                    }
                    self.flattener.close();
                    at + 1
                }
                token::ATTRIBUTE => {
                    self.finish_value();
                    let (name, next) = self.name(at + 1, at + 5)?;
                    self.attribute = Some(name);
                    next
                }
                token::VALUE => self.literal(at, scope)?,
                token::CDATA | token::INSTRUCTION_TEXT => self.characters(at + 1, scope)?,
                token::CHARACTER => {
                    let unit = u16_at(self.chunk, at + 1).ok_or(CUT_SHORT)?;
                    write_utf16(&unit.to_le_bytes(), &mut self.store.scratch);
                    at + 3
                }
                token::ENTITY => self.entity(at)?,
                token::INSTRUCTION => self.name(at + 1, at + 5)?.1,
                token::TEMPLATE => self.template(at, scope)?,
                token::SUBSTITUTION | token::OPTIONAL_SUBSTITUTION => {
                    let index = usize::from(u16_at(self.chunk, at + 1).ok_or(CUT_SHORT)?);
                    self.substitution(index, scope)?;
                    at + 4
                }
                _ => return Err("its binary XML has an unknown token"),
            };
        }
        self.finish_value();
        while self.flattener.depth() > ground {
            self.flattener.close();
        }
        Ok(at)
    }

    fn spend(&mut self, tokens: u32) -> Walked<()> {
        self.tokens_left =
            self.tokens_left.checked_sub(tokens).ok_or("it has more elements and values than are read")?;
        if self.store.scratch.len() > self.text_left {
            return Err("its text is longer than is kept");
        }
        Ok(())
    }

    /// An element's start: perhaps a dependency (2 bytes), its size (4), its name's offset (4).
    fn open(&mut self, at: usize, has_attributes: bool, scope: &Scope) -> Walked<usize> {
        self.finish_value();
        let expected = if scope.dependencies { 3 } else { 1 };
        let fits = |size_at: usize| {
            let size = u32_at(self.chunk, size_at)? as usize;
            let name_at = u32_at(self.chunk, size_at + 4)? as usize;
            (size <= self.chunk.len() - at && name_at <= size_at + 8).then_some(size_at)
        };
        // Some writers omit the dependency, and some write it where it does not belong.
        let size_at = fits(at + expected).or_else(|| fits(at + (4 - expected))).ok_or(CUT_SHORT)?;
        let (name, next) = self.name(size_at + 4, size_at + 8)?;
        if let Some(field) = self.flattener.open(name)? {
            let from = self.store.scratch.len();
            self.store.scratch.extend_from_slice(local_name(self.flattener.names.text(name)).as_bytes());
            self.put_as(field, from);
        }
        Ok(if has_attributes { next + 4 } else { next })
    }

    fn put_as(&mut self, field: FieldId, from: usize) {
        let to = self.store.scratch.len();
        let text_ref = TextRef { from, to, rewritten: true };
        self.flattener.put(field, None, text_ref, &self.store.scratch[from..to]);
        self.value_from = to;
    }

    /// The name whose offset is at one position; if it is defined directly after that, the definition is
    /// skipped.
    fn name(&mut self, offset_at: usize, next_at: usize) -> Walked<(NameId, usize)> {
        const HEADER: usize = 8;
        let offset = u32_at(self.chunk, offset_at).ok_or(CUT_SHORT)? as usize;
        let next = |bytes: u32| if offset == next_at { next_at + bytes as usize } else { next_at };
        if let Some((name, bytes)) = self.store.names.at(offset) {
            return Ok((name, next(bytes)));
        }
        let bad = "an element's name is not where it should be";
        let length = 2 * usize::from(u16_at(self.chunk, offset + 6).ok_or(bad)?);
        if length > 2 * limits::LONGEST_FIELD_NAME_BYTES {
            return Err("an element's name is too long");
        }
        let text = self.chunk.get(offset + HEADER..offset + HEADER + length).ok_or(bad)?;
        let mut name = Vec::with_capacity(length / 2);
        write_utf16(text, &mut name);
        let id = self.flattener.names.intern(&name).ok_or("there are too many different names")?;
        // A zero ends the name in the chunk.
        let bytes = (HEADER + length + 2) as u32;
        self.store.names.remember(offset, id, bytes);
        Ok((id, next(bytes)))
    }

    /// A value that is written in the XML itself.
    fn literal(&mut self, at: usize, scope: &Scope) -> Walked<usize> {
        let value_kind = *self.chunk.get(at + 1).ok_or(CUT_SHORT)?;
        if value_kind == kind::STRING {
            return self.characters(at + 2, scope);
        }
        let (from, size) = match fixed_size(value_kind) {
            Some(size) => (at + 2, size),
            None if value_kind == kind::NULL => (at + 2, 0),
            None => (at + 4, usize::from(u16_at(self.chunk, at + 2).ok_or(CUT_SHORT)?)),
        };
        let bytes = self.chunk.get(from..from + size).ok_or(CUT_SHORT)?;
        write_value(value_kind, bytes, &mut self.store.scratch);
        Ok(from + size)
    }

    /// UTF-16 text after its number of characters.
    fn characters(&mut self, at: usize, scope: &Scope) -> Walked<usize> {
        let length = 2 * usize::from(u16_at(self.chunk, at).ok_or(CUT_SHORT)?);
        let end = at + 2 + length;
        if end > scope.end {
            return Err(CUT_SHORT);
        }
        let bytes = self.chunk.get(at + 2..end).ok_or(CUT_SHORT)?;
        write_utf16(bytes, &mut self.store.scratch);
        Ok(end)
    }

    fn entity(&mut self, at: usize) -> Walked<usize> {
        let (name, next) = self.name(at + 1, at + 5)?;
        let character = match self.flattener.names.text(name) {
            "amp" => "&",
            "lt" => "<",
            "gt" => ">",
            "quot" => "\"",
            "apos" => "'",
            _ => return Err("it names an unknown character"),
        };
        self.store.scratch.extend_from_slice(character.as_bytes());
        Ok(next)
    }

    /// A use of a template: its number, the offset of its definition (perhaps right here), and its values.
    fn template(&mut self, at: usize, scope: &Scope) -> Walked<usize> {
        const USE: usize = 10;
        const DEFINITION: usize = 24;
        if scope.depth >= limits::DEEPEST_EVTX_TEMPLATE {
            return Err("its templates are nested too deep");
        }
        let definition = u32_at(self.chunk, at + 6).ok_or(CUT_SHORT)? as usize;
        let bad = "its template is not where it should be";
        let size = u32_at(self.chunk, definition + DEFINITION - 4).ok_or(bad)? as usize;
        let body = definition + DEFINITION;
        let body_end = body.checked_add(size).filter(|&end| end <= self.chunk.len()).ok_or(bad)?;
        let values_at = if definition == at + USE { body_end } else { at + USE };
        let first = self.store.substitutes.len();
        let next = self.substitutes(values_at)?;
        let substitutes = first..self.store.substitutes.len();
        let inner = Scope { end: body_end, substitutes, dependencies: true, depth: scope.depth + 1 };
        self.fragment(body, &inner)?;
        self.store.substitutes.truncate(first);
        Ok(next)
    }

    /// The list of a template's values: how many, size and type of each, then the values themselves.
    fn substitutes(&mut self, at: usize) -> Walked<usize> {
        let count = u32_at(self.chunk, at).ok_or(CUT_SHORT)?;
        self.spend(count)?;
        let mut value_at = at + 4 + 4 * count as usize;
        for index in 0..count as usize {
            let descriptor = at + 4 + 4 * index;
            let length = usize::from(u16_at(self.chunk, descriptor).ok_or(CUT_SHORT)?);
            let kind = *self.chunk.get(descriptor + 2).ok_or(CUT_SHORT)?;
            self.store.substitutes.push(Substitute { at: value_at, length, kind });
            value_at += length;
        }
        if value_at > self.chunk.len() { Err(CUT_SHORT) } else { Ok(value_at) }
    }

    fn substitution(&mut self, index: usize, scope: &Scope) -> Walked<()> {
        let list = self.store.substitutes.get(scope.substitutes.clone()).unwrap_or(&[]);
        let &Substitute { at, length, kind } = list.get(index).ok_or("a value of its template is missing")?;
        let chunk = self.chunk;
        let bytes = chunk.get(at..at + length).ok_or(CUT_SHORT)?;
        match kind {
            kind::NULL => {}
            kind::BINARY_XML if scope.depth >= limits::DEEPEST_EVTX_TEMPLATE => {
                return Err("its values are nested too deep");
            }
            kind::BINARY_XML => {
                self.finish_value();
                let depth = scope.depth + 1;
                let inner = Scope { end: at + length, substitutes: 0..0, dependencies: false, depth };
                self.fragment(at, &inner)?;
                self.finish_value();
            }
            _ if kind & kind::LIST != 0 => self.list(kind & !kind::LIST, bytes)?,
            _ => write_value(kind, bytes, &mut self.store.scratch),
        }
        Ok(())
    }

    /// The values of a list: in content each gets an element of its own, as Windows writes them.
    fn list(&mut self, kind: u8, mut bytes: &[u8]) -> Walked<()> {
        let mut first = true;
        while !bytes.is_empty() {
            self.spend(1)?;
            if !first && self.attribute.is_some() {
                self.store.scratch.extend_from_slice(b", ");
            } else if !first {
                self.finish_value();
                self.flattener.sibling();
            }
            first = false;
            let (end, next) = list_item(kind, bytes);
            write_value(kind, &bytes[..end], &mut self.store.scratch);
            bytes = &bytes[next..];
        }
        Ok(())
    }

    /// Passes on the value that was being read, if there is one.
    fn finish_value(&mut self) {
        let (from, to) = (self.value_from, self.store.scratch.len());
        let attribute = self.attribute.take();
        if from < to {
            let text_ref = TextRef { from, to, rewritten: true };
            let bytes = &self.store.scratch[from..to];
            match attribute {
                Some(name) => self.flattener.attribute(name, text_ref, bytes),
                None => self.flattener.content(text_ref, bytes),
            }
            self.value_from = to;
        }
    }
}
