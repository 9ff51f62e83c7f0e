//! `templates.2.parquet`: the shape of each event's message. It is derived from the rest of the case, and
//! rebuilt if it is missing.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::files;
use super::parquet::{self, NO_CODE, NumberKind, Texts, Values};
use super::raw::RawCursor;
use super::segment::{Segment, SegmentSource};
use base::Cancel;
use base::error::{AtPath, Error, Result};
use base::hash::Fast;
use base::limits::{CANCEL_ROWS, MOST_SHAPES_OF_A_SEGMENT};
use patterns::{Message, Miner, NO_SHAPE, bounded_by_kind, shape_hash, split_kind};

/// The number is the version of the mining rules. Files of other versions are ignored.
pub const FILE: &str = "templates.2.parquet";

/// Fields that hold the message; the first one that an event has is used.
pub const MESSAGES: [&str; 3] = ["message", "msg", "log"];

/// The shapes of a segment.
#[derive(Debug)]
pub struct Mined {
    /// For each row the index of its shape, or [`NO_SHAPE`].
    pub codes: Vec<u32>,
    /// With the kind of source of each, as they are stored.
    pub shapes: Vec<String>,
    /// The names of the shapes.
    pub hashes: Vec<u64>,
}

impl Mined {
    fn new(codes: Vec<u32>, shapes: Vec<String>) -> Mined {
        let hashes = shapes.iter().map(|shape| shape_hash(shape)).collect();
        Mined { codes, shapes, hashes }
    }

    /// The shapes without their kinds.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.shapes.iter().map(|stored| split_kind(stored).1)
    }

    /// The stored shapes of a segment, if the file exists and can be read. Otherwise they are mined again.
    pub fn load(segment: &Segment) -> Option<Mined> {
        let file = parquet::File::open(&path(segment), segment.meta.events as usize).ok()?;
        let Ok(Values::Text { codes, texts }) = file.column("shape") else { return None };
        // Texts that rarely repeat are stored one per row.
        let mut places = HashMap::new();
        let mut shapes = Vec::new();
        let known: Vec<u32> = texts
            .iter()
            .map(|text| {
                *places.entry(text.to_owned()).or_insert_with(|| {
                    shapes.push(text.to_owned());
                    shapes.len() as u32 - 1
                })
            })
            .collect();
        let codes = codes.iter().map(|&code| known.get(code as usize).copied().unwrap_or(NO_SHAPE));
        Some(Mined::new(codes.collect(), shapes))
    }

    /// Mines every message of a segment.
    pub fn mine(segment: &Segment, cursor: &mut RawCursor<'_>, cancel: &Cancel) -> Result<Mined> {
        let messages = Messages::read(segment, |name| segment.column_once(name, cancel))?;
        let mut shaper = Shaper::new(&segment.meta.sources);
        let source_of_row = if shaper.has_one_kind() { None } else { Some(segment.locations()?) };
        let source = |row: usize| source_of_row.as_ref().map_or(0, |locations| locations.source(row));
        let rows = segment.meta.events as usize;
        let mut codes = vec![NO_SHAPE; rows];
        let mut others = Vec::new();
        for (row, code) in codes.iter_mut().enumerate() {
            if row.is_multiple_of(CANCEL_ROWS) && cancel.is_set() {
                return Err(Error::cancelled());
            }
            shaper.set_source(source(row));
            match messages.shape(row, &mut shaper) {
                Some(found) => *code = found,
                None => others.push(row as u32),
            }
        }
        let mut seen = 0;
        segment.for_each_text(cursor, others.into_iter(), |row, text| {
            seen += 1;
            if seen % CANCEL_ROWS == 0 && cancel.is_set() {
                return Err(Error::cancelled());
            }
            shaper.set_source(source(row as usize));
            codes[row as usize] = shaper.event(text);
            Ok(())
        })?;
        Ok(shaper.finish(codes))
    }

    /// The same with fewer shapes.
    fn widened(self) -> Mined {
        let shapes: Vec<&str> = self.shapes.iter().map(String::as_str).collect();
        let wide = bounded_by_kind(&shapes, MOST_SHAPES_OF_A_SEGMENT);
        let (mut places, mut kept): (HashMap<&str, u32>, Vec<String>) = (HashMap::new(), Vec::new());
        let codes: Vec<u32> = shapes
            .iter()
            .zip(&wide)
            .map(|(shape, wide)| {
                let text = wide.as_deref().unwrap_or(shape);
                *places.entry(text).or_insert_with(|| {
                    kept.push(text.to_owned());
                    kept.len() as u32 - 1
                })
            })
            .collect();
        let row_codes = self.codes.iter().map(|&code| codes.get(code as usize).copied().unwrap_or(NO_SHAPE));
        Mined::new(row_codes.collect(), kept)
    }

    pub fn store(&self, segment: &Segment) -> Result<()> {
        self.write(&path(segment))
    }

    /// Stores those of a segment that is being written.
    pub fn store_with(&self, case: &Path, id: u64) -> Result<()> {
        self.write(&Segment::folder(case, id).join(FILE))
    }

    fn write(&self, path: &Path) -> Result<()> {
        let mut texts = Texts::default();
        self.shapes.iter().for_each(|shape| texts.push(shape));
        let missing = |code: &u32| if *code == NO_SHAPE { NO_CODE } else { *code };
        let values = Values::Text { codes: self.codes.iter().map(missing).collect(), texts };
        let mut writer = parquet::Writer::new(self.codes.len()).at_path(path)?;
        writer.column("shape", NumberKind::Text, &values).at_path(path)?;
        files::replace(path, &writer.finish().at_path(path)?, files::TEMPLATES)
    }

    /// True if both give every row the same shape.
    #[must_use]
    pub fn agrees(&self, other: &Mined) -> bool {
        let shape = |mined: &'_ Mined, code: u32| mined.hashes.get(code as usize).copied();
        self.codes.len() == other.codes.len()
            && self.codes.iter().zip(&other.codes).all(|(&one, &two)| shape(self, one) == shape(other, two))
    }
}

fn path(segment: &Segment) -> PathBuf {
    segment.file(FILE)
}

/// True if a segment has its file.
pub fn has_templates(segment: &Segment) -> bool {
    base::files::exists(&path(segment))
}

/// Checks a segment's file, if there is one, by mining the segment again.
pub fn verify_templates(segment: &Segment, cursor: &mut RawCursor<'_>) -> Result<()> {
    if !has_templates(segment) {
        return Ok(());
    }
    let mined = Mined::mine(segment, cursor, &Cancel::default())?;
    if Mined::load(segment).is_some_and(|stored| stored.agrees(&mined)) {
        return Ok(());
    }
    Err(Error::damaged(&path(segment), "it does not agree with the messages of the segment")
        .hint("delete this file: the next import makes it again"))
}

/// A column of text.
struct MessageColumn {
    values: Arc<Values>,
}

impl MessageColumn {
    /// The index of a row's value among the distinct values.
    fn code(&self, row: usize) -> Option<u32> {
        match &*self.values {
            Values::Text { codes, .. } => codes.get(row).copied().filter(|&code| code != NO_CODE),
            _ => None,
        }
    }

    fn text(&self, code: u32) -> &[u8] {
        match &*self.values {
            Values::Text { texts, .. } => texts.get(code as usize).unwrap_or_default().as_bytes(),
            _ => &[],
        }
    }
}

/// Where the messages of a segment are: in a field, in the method and path of a request, or in the event's
/// text.
pub struct Messages {
    /// With their indexes in [`MESSAGES`].
    fields: Vec<(usize, MessageColumn)>,
    request: Option<(MessageColumn, MessageColumn)>,
}

impl Messages {
    pub fn load(segment: &Segment, cancel: &Cancel) -> Result<Messages> {
        Messages::read(segment, |name| segment.column(name, cancel))
    }

    fn read(segment: &Segment, read: impl Fn(&str) -> Result<Arc<Values>>) -> Result<Messages> {
        let column = |name: &str| -> Result<Option<MessageColumn>> {
            let is_text =
                |field: &&super::SegmentField| field.name == name && field.kind == base::FieldKind::Text;
            let Some(field) = segment.meta.fields.iter().find(is_text) else { return Ok(None) };
            Ok(Some(MessageColumn { values: read(&field.column)? }))
        };
        let mut fields = Vec::new();
        for (field, name) in MESSAGES.into_iter().enumerate() {
            fields.extend(column(name)?.map(|column| (field, column)));
        }
        let request = column("method")?.zip(column("path")?);
        Ok(Messages { fields, request })
    }

    /// Bytes of the columns.
    #[must_use]
    pub fn memory(&self) -> usize {
        let fields = self.fields.iter().map(|(_, column)| column);
        let request = self.request.iter().flat_map(|(method, path)| [method, path]);
        fields.chain(request).map(|column| column.values.memory()).sum()
    }

    /// Calls `each` with every row given and its message, those in fields first.
    pub fn for_each(
        &self,
        segment: &Segment,
        cursor: &mut RawCursor<'_>,
        rows: impl Iterator<Item = u32>,
        mut each: impl FnMut(u32, Message<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut others = Vec::new();
        for row in rows {
            match self.message(row as usize) {
                Some(message) => each(row, message)?,
                None => others.push(row),
            }
        }
        segment.for_each_text(cursor, others.into_iter(), |row, text| each(row, Message::Event(text)))
    }

    /// The shape of a row's message; `None` if the message is the event's text.
    fn shape(&self, row: usize, shaper: &mut Shaper) -> Option<u32> {
        for (field, column) in &self.fields {
            if let Some(code) = column.code(row) {
                return Some(shaper.value(*field, code, || column.text(code)));
            }
        }
        let (method, path) = self.request.as_ref()?;
        let (of, to) = (method.code(row)?, path.code(row)?);
        Some(shaper.request((of, to), || (method.text(of), path.text(to))))
    }

    fn message(&self, row: usize) -> Option<Message<'_>> {
        let field = self.fields.iter().find_map(|(_, column)| Some(column.text(column.code(row)?)));
        field.map(Message::Field).or_else(|| {
            let (method, path) = self.request.as_ref()?;
            Some(Message::Request {
                method: method.text(method.code(row)?),
                path: path.text(path.code(row)?),
            })
        })
    }
}

/// Finds the shapes of a segment's messages. A dictionary value is mined once per kind of source.
pub struct Shaper {
    miner: Miner,
    kinds: Vec<String>,
    /// The index of each source's kind.
    kind_of_source: HashMap<u32, usize, Fast>,
    kind: usize,
    known: Vec<KnownShapes>,
}

/// The shapes of the values of one kind of source.
#[derive(Clone, Default)]
struct KnownShapes {
    /// By message field and code.
    fields: [Vec<u32>; MESSAGES.len()],
    /// By the codes of method and path.
    requests: HashMap<(u32, u32), u32, Fast>,
}

/// A value that was not mined yet.
const UNSEEN: u32 = NO_SHAPE - 1;

impl Shaper {
    #[must_use]
    pub fn new(sources: &[SegmentSource]) -> Shaper {
        let mut kinds: Vec<String> = sources.iter().map(|source| source.kind.clone()).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let index = |source: &SegmentSource| kinds.binary_search(&source.kind).unwrap_or_default();
        let kind_of_source = sources.iter().map(|source| (source.source, index(source))).collect();
        let known = vec![KnownShapes::default(); kinds.len().max(1)];
        Shaper { miner: Miner::default(), kinds, kind_of_source, kind: 0, known }
    }

    #[must_use]
    pub fn has_one_kind(&self) -> bool {
        self.kinds.len() <= 1
    }

    /// Sets the source that the next messages are of.
    pub fn set_source(&mut self, source: u32) {
        if !self.has_one_kind() {
            self.kind = self.kind_of_source.get(&source).copied().unwrap_or_default();
            self.miner.set_kind(self.kind);
        }
    }

    /// The shape of a message field's value.
    pub fn value<'t>(&mut self, field: usize, code: u32, text: impl FnOnce() -> &'t [u8]) -> u32 {
        let (known, code) = (&mut self.known[self.kind].fields[field], code as usize);
        if known.len() <= code {
            known.resize(code + 1, UNSEEN);
        }
        if known[code] == UNSEEN {
            known[code] = self.miner.message(text());
        }
        known[code]
    }

    pub fn message(&mut self, text: &[u8]) -> u32 {
        self.miner.message(text)
    }

    /// The shape of a request, by the codes and the texts of its method and path.
    pub fn request<'t>(&mut self, codes: (u32, u32), text: impl FnOnce() -> (&'t [u8], &'t [u8])) -> u32 {
        *self.known[self.kind].requests.entry(codes).or_insert_with(|| {
            let (method, path) = text();
            self.miner.request(method, path)
        })
    }

    pub fn request_once(&mut self, method: &[u8], path: &[u8]) -> u32 {
        self.miner.request(method, path)
    }

    /// The shape of an event without a message.
    pub fn event(&mut self, text: &[u8]) -> u32 {
        self.miner.event(text)
    }

    /// The shapes of the rows of a segment.
    #[must_use]
    pub fn finish(self, codes: Vec<u32>) -> Mined {
        let all = Mined::new(codes, self.miner.finish(&self.kinds));
        if all.shapes.len() > MOST_SHAPES_OF_A_SEGMENT { all.widened() } else { all }
    }
}
