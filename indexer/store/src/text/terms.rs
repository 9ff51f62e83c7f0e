//! The tantivy index of a segment: what is written into it, and how a token is looked up.
//!
//! It is one tantivy segment. Document `i` carries the tokens of row `i` outside of the values of columns, and for each
//! column the tokens of the value with code `i`. Nothing but posting lists is kept of it: no positions, no frequencies, and an
//! empty document store. A token is in one field of four, decided when all of its occurrences are known:
//!
//! - a field of terms, with a posting list of rows or codes. Where gaps in a posting list of codes are wide, codes that have not the
//!   token are added between: a code takes the bits of the widest gap near it, and candidates are compared anyway;
//! - for values, whose texts are in memory during a lookup, a field of terms that few of them have: its
//!   postings name blocks of 16 codes, which takes one byte instead of two or three;
//! - a field of terms whose posting list would be long and has long runs: its postings are the first row of each run and the first
//!   row after it. A word that every line has costs two bytes this way;
//! - a field of ids: rare tokens with digits, by some bits of their hash. A dictionary of them all would be larger than the
//!   rest of the index and nobody completes or mistypes one. The postings name a block of 512 rows, and the place within the
//!   block is nine more bits of the hash.

use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tantivy::columnar::ColumnarWriter;
use tantivy::directory::{Directory, OwnedBytes, RamDirectory};
use tantivy::fieldnorm::FieldNormsSerializer;
use tantivy::index::{IndexMeta, IndexSettings, InvertedIndexReader, Segment, SegmentComponent};
use tantivy::postings::{InvertedIndexSerializer, TermInfo};
use tantivy::schema::{
    BytesOptions, Field, IndexRecordOption, Schema, SchemaBuilder, TextFieldIndexing, TextOptions,
};
use tantivy::store::{Compressor, StoreWriter, ZstdCompressor};
use tantivy::termdict::TermDictionary;
use tantivy::{Index, SegmentReader, TantivyError};

use super::checked::{CheckedFolder, Checksums};
use super::collect::{Collected, Collector};
use super::union::Union;
use base::error::{Error, ErrorKind, Result};
use base::tokens;

/// A token with more ids than this always has a term.
pub(super) const RARE: u32 = 3;

/// Digits up to which a rare number is a term: longer numbers are ids, and hardly any two lines share one.
const LONGEST_RARE_NUMBER: usize = 4;

/// The number of ids that share a posting, as a power of two; this many bits of the hash distinguish them
/// there.
const BLOCK_BITS: u32 = 9;
const IN_BLOCK: u32 = (1 << BLOCK_BITS) - 1;

/// Bits of the hash that are the term of an id. About eight ids share a term, so that all possible terms
/// exist, and a dictionary of all ids takes next to nothing.
const IDS_A_TERM_BITS: u32 = 3;
const ID_TERM_BITS: Range<u32> = 8..24;

/// The most values that a token of a block field has, and the codes that share a posting, as a power of two.
/// Comparing so few texts takes a tenth of a millisecond.
const MOST_IN_BLOCKS: u32 = 128;
const CODE_BLOCK_BITS: u32 = 4;

/// The file in which tantivy lists its files.
const MANAGED_FILE: &str = ".managed.json";

/// Where the tokens of rows or of a column's values are in the index.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Terms {
    /// The name of the field with terms; the fields with runs and ids are named after it.
    field: String,
    /// All ids are below it.
    universe: u32,
    /// Bits of the hash that are the term of an id.
    id_bits: u32,
}

impl Terms {
    /// True if it can belong to a segment with this many rows: all ids are rows, or values that rows have.
    pub fn suits(&self, rows: u32) -> bool {
        self.universe <= rows && (ID_TERM_BITS.start..=ID_TERM_BITS.end).contains(&self.id_bits)
    }
}

/// A test on terms.
pub trait TermTest {
    /// Calls `each` with every term of a dictionary that passes.
    fn for_each(
        &self,
        dictionary: &TermDictionary,
        each: &mut dyn FnMut(&[u8], &TermInfo) -> io::Result<()>,
    ) -> io::Result<()>;
}

/// The postings of all terms that pass a test.
#[derive(Debug)]
pub struct Matched {
    /// Ids that have any of them, or in a column may have, in order.
    pub doc_ids: Vec<u32>,
    /// The terms, each once for each field that has it.
    pub terms: Vec<String>,
}

/// The postings of a token.
#[derive(Debug, Default, PartialEq)]
pub struct Postings {
    /// These ids have it.
    pub exact: Vec<u32>,
    /// These may have it; no others do.
    pub candidates: Vec<u32>,
}

/// True if a token has a term however rare it is: a word, or a small number.
pub fn has_term(token: &[u8]) -> bool {
    let is_number = || token.len() <= LONGEST_RARE_NUMBER && token.iter().all(u8::is_ascii_digit);
    tokens::is_word(token) || is_number()
}

fn runs_field(field: &str) -> String {
    format!("{field}_runs")
}

fn blocks_field(field: &str) -> String {
    format!("{field}_blocks")
}

fn ids_field(field: &str) -> String {
    format!("{field}_ids")
}

/// The term of an id, and its offset in its block.
fn id_term(hash: u64, bits: u32) -> ([u8; 3], u32) {
    let term = (hash >> (64 - bits)) as u32;
    let [_, key @ ..] = (term << (ID_TERM_BITS.end - bits)).to_be_bytes();
    (key, (hash >> (64 - bits - BLOCK_BITS)) as u32 & IN_BLOCK)
}

/// The tokens of one field before they are written, in the order of their terms.
struct Sorted<'c> {
    terms: Terms,
    words: Vec<Collected<'c>>,
    runs: Vec<Collected<'c>>,
    blocks: Vec<Collected<'c>>,
    /// Term and posting of every id.
    ids: Vec<([u8; 3], u32)>,
    /// True for the values of a column, false for rows.
    are_values: bool,
}

/// The gap between postings that makes a posting list smallest when wider gaps are filled.
fn widest_gap(token: Collected<'_>) -> u32 {
    const TRIED: usize = 4;
    let mut span = 0;
    token.for_each(|number| span = number);
    let first = (span / token.count()).max(1).ilog2();
    let mut postings = [0_u64; TRIED];
    let mut last = None;
    token.for_each(|number| {
        let gap = last.map_or(0, |last| number - last - 1);
        for (postings, bits) in postings.iter_mut().zip(first..) {
            *postings += u64::from(gap >> bits) + 1;
        }
        last = Some(number);
    });
    let sizes =
        postings.iter().zip(first..).map(|(postings, bits)| (postings * u64::from(bits.max(1)), bits));
    sizes.min().map_or(u32::MAX, |(_, bits)| 1 << bits.min(31))
}

impl Sorted<'_> {
    fn new(field: String, universe: u32, collector: &Collector, are_values: bool) -> Sorted<'_> {
        let (mut words, mut runs, mut blocks) = (Vec::new(), Vec::new(), Vec::new());
        let mut rare = 0_usize;
        for token in collector.tokens() {
            if token.text.is_empty() {
                rare += 1;
            } else if are_values && token.count() < MOST_IN_BLOCKS {
                blocks.push(token);
            } else if token.runs() * 2 < token.count() {
                runs.push(token);
            } else {
                words.push(token);
            }
        }
        for terms in [&mut words, &mut runs, &mut blocks] {
            terms.sort_unstable_by_key(|token| token.text);
        }
        let bits = rare.max(1).ilog2().saturating_sub(IDS_A_TERM_BITS);
        let id_bits = bits.clamp(ID_TERM_BITS.start, ID_TERM_BITS.end);
        let mut ids = Vec::with_capacity(rare);
        for token in collector.tokens().filter(|token| token.text.is_empty()) {
            let (key, place) = id_term(token.hash, id_bits);
            token.for_each(|number| ids.push((key, number & !IN_BLOCK | place)));
        }
        ids.sort_unstable();
        ids.dedup();
        Sorted { terms: Terms { field, universe, id_bits }, words, runs, blocks, ids, are_values }
    }

    /// Adds its fields to a schema, without those that would be empty.
    fn fields(&self, schema: &mut SchemaBuilder) -> Fields {
        // Queries through tantivy's own parser fold words as this index does.
        let indexing = TextFieldIndexing::default()
            .set_tokenizer("default")
            .set_index_option(IndexRecordOption::Basic)
            .set_fieldnorms(false);
        let text = TextOptions::default().set_indexing_options(indexing);
        let name = &self.terms.field;
        Fields {
            words: (!self.words.is_empty()).then(|| schema.add_text_field(name, text.clone())),
            runs: (!self.runs.is_empty()).then(|| schema.add_text_field(&runs_field(name), text.clone())),
            blocks: (!self.blocks.is_empty()).then(|| schema.add_text_field(&blocks_field(name), text)),
            ids: (!self.ids.is_empty())
                .then(|| schema.add_bytes_field(&ids_field(name), BytesOptions::default().set_indexed())),
        }
    }

    fn write(&self, fields: &Fields, index: &mut InvertedIndexSerializer) -> io::Result<()> {
        let total = |tokens: &[Collected<'_>]| tokens.iter().map(|token| u64::from(token.count())).sum();
        if let Some(field) = fields.words {
            let mut field = index.new_field(field, total(&self.words), None)?;
            for token in &self.words {
                field.new_term_without_freq(token.text)?;
                let widest = if self.are_values { widest_gap(*token) } else { u32::MAX };
                let mut last = u32::MAX;
                token.for_each(|number| {
                    while last < number && number - last > widest {
                        last += widest;
                        field.write_doc(last, 1, &[]);
                    }
                    field.write_doc(number, 1, &[]);
                    last = number;
                });
                field.close_term()?;
            }
            field.close()?;
        }
        if let Some(field) = fields.runs {
            let mut field = index.new_field(field, total(&self.runs), None)?;
            for token in &self.runs {
                field.new_term_without_freq(token.text)?;
                let mut next = None;
                token.for_each(|number| {
                    if next != Some(number) {
                        next.into_iter().chain([number]).for_each(|edge| field.write_doc(edge, 1, &[]));
                    }
                    next = Some(number + 1);
                });
                if let Some(end) = next.filter(|&end| end < self.terms.universe) {
                    field.write_doc(end, 1, &[]);
                }
                field.close_term()?;
            }
            field.close()?;
        }
        if let Some(field) = fields.blocks {
            let mut field = index.new_field(field, total(&self.blocks), None)?;
            for token in &self.blocks {
                field.new_term_without_freq(token.text)?;
                let mut last = None;
                token.for_each(|number| {
                    let block = number >> CODE_BLOCK_BITS;
                    if last != Some(block) {
                        field.write_doc(block, 1, &[]);
                        last = Some(block);
                    }
                });
                field.close_term()?;
            }
            field.close()?;
        }
        if let Some(field) = fields.ids {
            let mut field = index.new_field(field, self.ids.len() as u64, None)?;
            for same in self.ids.chunk_by(|(one, _), (other, _)| one == other) {
                field.new_term_without_freq(&same[0].0)?;
                for (_, posting) in same {
                    field.write_doc(*posting, 1, &[]);
                }
                field.close_term()?;
            }
            field.close()?;
        }
        Ok(())
    }
}

/// The fields of a schema for one set of tokens.
struct Fields {
    words: Option<Field>,
    runs: Option<Field>,
    blocks: Option<Field>,
    ids: Option<Field>,
}

/// A written index: its files by name, and the terms of the rows and of each column.
pub struct WrittenTerms {
    pub files: Vec<(String, OwnedBytes)>,
    pub rest: Terms,
    pub columns: Vec<Terms>,
}

/// Writes the index of a segment in memory. Each column's collector comes with the upper bound of its codes.
pub fn write(rest: &Collector, rows: u32, columns: &[(Collector, u32)]) -> Result<WrittenTerms> {
    let internal = |error: TantivyError| Error::new(ErrorKind::Internal, error.to_string());
    let universes = columns.iter().map(|(_, universe)| *universe).chain([rows]);
    let documents = universes.max().unwrap_or(0).max(1).next_multiple_of(1 << BLOCK_BITS);
    let rest = Sorted::new("text".to_owned(), rows, rest, false);
    let columns = columns.iter().enumerate();
    let columns: Vec<Sorted<'_>> = columns
        .map(|(place, (collector, universe))| {
            Sorted::new(format!("values_{place}"), *universe, collector, true)
        })
        .collect();
    let files = write_files(&rest, &columns, documents).map_err(internal)?;
    let columns = columns.into_iter().map(|column| column.terms).collect();
    Ok(WrittenTerms { files, rest: rest.terms, columns })
}

fn write_files(
    rest: &Sorted<'_>,
    columns: &[Sorted<'_>],
    documents: u32,
) -> std::result::Result<Vec<(String, OwnedBytes)>, TantivyError> {
    let mut schema = Schema::builder();
    let parts: Vec<_> =
        [rest].into_iter().chain(columns).map(|part| (part, part.fields(&mut schema))).collect();
    let settings = IndexSettings {
        docstore_compression: Compressor::Zstd(ZstdCompressor::default()),
        docstore_compress_dedicated_thread: false,
        ..IndexSettings::default()
    };
    let memory = RamDirectory::create();
    let index = Index::create(memory.clone(), schema.build(), settings.clone())?;
    let segment = index.new_segment().with_max_doc(documents);
    let mut postings = InvertedIndexSerializer::open(&segment)?;
    for (part, fields) in &parts {
        part.write(fields, &mut postings)?;
    }
    postings.close()?;
    write_other_components(&segment, &settings, documents)?;
    let meta = IndexMeta {
        index_settings: settings,
        segments: vec![segment.meta().clone()],
        ..IndexMeta::with_schema(index.schema())
    };
    index.directory().atomic_write(Path::new("meta.json"), &serde_json::to_vec_pretty(&meta)?)?;
    let mut names: Vec<PathBuf> = index.directory().list_managed_files().into_iter().collect();
    names.push(PathBuf::from(MANAGED_FILE));
    names.sort();
    let read = |name: PathBuf| {
        let bytes = memory.open_read(&name)?.read_bytes()?;
        Ok((name.to_string_lossy().into_owned(), bytes))
    };
    names.into_iter().map(read).collect()
}

/// The components of a tantivy segment besides posting lists.
fn write_other_components(
    segment: &Segment,
    settings: &IndexSettings,
    documents: u32,
) -> std::result::Result<(), TantivyError> {
    use tantivy::directory::TerminatingWrite;
    FieldNormsSerializer::from_write(segment.open_write(SegmentComponent::FieldNorms)?)?.close()?;
    let mut fast = segment.open_write(SegmentComponent::FastFields)?;
    ColumnarWriter::default().serialize(documents, None, &mut fast)?;
    fast.terminate()?;
    let store = segment.open_write(SegmentComponent::Store)?;
    // Documents have nothing to fetch, and even an empty one takes five bytes.
    StoreWriter::new(store, settings.docstore_compression, settings.docstore_blocksize, false)?.close()?;
    Ok(())
}

/// A tantivy index that is open for reading.
#[derive(Debug)]
pub struct OpenIndex {
    folder: CheckedFolder,
    rest: OpenTerms,
    columns: Vec<OpenTerms>,
}

/// The readers of the fields of [`Terms`].
struct OpenTerms {
    words: Arc<InvertedIndexReader>,
    runs: Arc<InvertedIndexReader>,
    blocks: Arc<InvertedIndexReader>,
    ids: Arc<InvertedIndexReader>,
    terms: Terms,
}

impl std::fmt::Debug for OpenTerms {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.terms.fmt(f)
    }
}

impl OpenIndex {
    /// The bytes of what was read of its files so far.
    pub fn read_bytes(&self) -> usize {
        self.folder.read_bytes()
    }

    pub fn open<'t>(
        folder: &Path,
        files: HashMap<PathBuf, Arc<Checksums>>,
        rest: &Terms,
        columns: impl Iterator<Item = &'t Terms>,
    ) -> std::result::Result<OpenIndex, TantivyError> {
        let folder = CheckedFolder::open(folder, files)?;
        let index = Index::open(folder.clone())?;
        let segments = index.searchable_segments()?;
        let [segment] = segments.as_slice() else {
            let message = format!("it has {} segments instead of one", segments.len());
            return Err(TantivyError::InvalidArgument(message));
        };
        let reader = SegmentReader::open(segment)?;
        let rest = OpenTerms::open(&reader, rest)?;
        let columns = columns.map(|terms| OpenTerms::open(&reader, terms)).collect::<tantivy::Result<_>>()?;
        Ok(OpenIndex { folder, rest, columns })
    }

    /// Rows that have a token outside column values.
    pub fn rest(&self, token: &str, hash: u64) -> io::Result<Postings> {
        self.rest.postings(token, hash)
    }

    /// Codes of the values of a column that have a token or may have it.
    pub fn codes(&self, column: usize, token: &str, hash: u64) -> io::Result<Vec<u32>> {
        let Some(column) = self.columns.get(column) else { return Ok(Vec::new()) };
        let Postings { mut exact, candidates } = column.postings(token, hash)?;
        exact.extend(candidates);
        Ok(exact)
    }

    /// Calls `each` with every word outside column values, and its document frequency there.
    pub fn for_each_rest_word(&self, each: &mut dyn FnMut(&str, u32)) -> io::Result<()> {
        let OpenTerms { words, runs, terms, .. } = &self.rest;
        let mut all = words.terms().stream()?;
        while let Some((term, info)) = all.next() {
            if let Some(word) = word(term) {
                each(word, info.doc_freq);
            }
        }
        let mut all = runs.terms().stream()?;
        while let Some((term, info)) = all.next() {
            if let Some(word) = word(term) {
                let edges = doc_ids(runs, info)?;
                each(
                    word,
                    in_runs(&edges, terms.universe).map(|run| run.end.saturating_sub(run.start)).sum(),
                );
            }
        }
        Ok(())
    }

    /// Rows that have a passing term outside column values.
    pub fn rest_matching(&self, test: &dyn TermTest) -> io::Result<Matched> {
        self.rest.matching(test)
    }

    /// Codes of the values of a column that may have such a term.
    pub fn codes_matching(&self, column: usize, test: &dyn TermTest) -> io::Result<Option<Matched>> {
        self.columns.get(column).map(|column| column.matching(test)).transpose()
    }

    /// Checks every file against its checksums.
    pub fn verify(&self) -> Result<()> {
        self.folder.verify()
    }
}

impl OpenTerms {
    fn open(reader: &SegmentReader, terms: &Terms) -> tantivy::Result<OpenTerms> {
        let open = |name: &str| match reader.schema().get_field(name) {
            Ok(field) => reader.inverted_index(field),
            // A field without terms is not in the schema.
            Err(_) => Ok(Arc::new(InvertedIndexReader::empty(IndexRecordOption::Basic))),
        };
        Ok(OpenTerms {
            words: open(&terms.field)?,
            runs: open(&runs_field(&terms.field))?,
            blocks: open(&blocks_field(&terms.field))?,
            ids: open(&ids_field(&terms.field))?,
            terms: terms.clone(),
        })
    }

    /// Hashed ids are not terms.
    fn matching(&self, test: &dyn TermTest) -> io::Result<Matched> {
        let universe = self.terms.universe;
        let mut all = Union::new(universe);
        let mut terms = Vec::new();
        for (field, kind) in [
            (&self.words, PostingKind::List),
            (&self.runs, PostingKind::Runs),
            (&self.blocks, PostingKind::Blocks),
        ] {
            test.for_each(field.terms(), &mut |term, info| {
                let posting_list = doc_ids(field, info)?;
                match kind {
                    PostingKind::List => all.add_list(posting_list),
                    PostingKind::Runs => in_runs(&posting_list, universe).for_each(|run| all.add_range(run)),
                    PostingKind::Blocks => {
                        in_blocks(&posting_list, universe).for_each(|block| all.add_range(block));
                    }
                }
                terms.extend(std::str::from_utf8(term).map(str::to_owned));
                Ok(())
            })?;
        }
        Ok(Matched { doc_ids: all.finish(), terms })
    }

    fn postings(&self, token: &str, hash: u64) -> io::Result<Postings> {
        let universe = self.terms.universe;
        if let Some(exact) = posting_list(&self.words, token.as_bytes())? {
            return Ok(Postings { exact, candidates: Vec::new() });
        }
        if let Some(edges) = posting_list(&self.runs, token.as_bytes())? {
            let exact = in_runs(&edges, universe).flatten().collect();
            return Ok(Postings { exact, candidates: Vec::new() });
        }
        if let Some(blocks) = posting_list(&self.blocks, token.as_bytes())? {
            let candidates = in_blocks(&blocks, universe).flatten().collect();
            return Ok(Postings { exact: Vec::new(), candidates });
        }
        if has_term(token.as_bytes()) || self.ids.terms().num_terms() == 0 {
            return Ok(Postings::default());
        }
        let (key, place) = id_term(hash, self.terms.id_bits);
        let mut candidates = Vec::new();
        for posting in posting_list(&self.ids, &key)?.unwrap_or_default() {
            if posting & IN_BLOCK == place {
                let first = posting & !IN_BLOCK;
                candidates.extend(first..universe.min(first.saturating_add(IN_BLOCK + 1)));
            }
        }
        Ok(Postings { exact: Vec::new(), candidates })
    }
}

/// A term that is a word.
fn word(term: &[u8]) -> Option<&str> {
    std::str::from_utf8(term).ok().filter(|_| tokens::is_word(term))
}

/// The encoding of the postings of a field.
#[derive(Clone, Copy)]
enum PostingKind {
    List,
    Runs,
    Blocks,
}

/// The ids in runs that begin and end at these edges.
fn in_runs(edges: &[u32], universe: u32) -> impl Iterator<Item = Range<u32>> {
    edges.chunks(2).map(move |run| run[0]..run.get(1).copied().unwrap_or(universe))
}

/// The codes of blocks.
fn in_blocks(blocks: &[u32], universe: u32) -> impl Iterator<Item = Range<u32>> {
    let first = |block: u32| block.saturating_mul(1 << CODE_BLOCK_BITS);
    blocks.iter().map(move |&block| first(block)..universe.min(first(block + 1)))
}

/// The posting list of a term, if it exists.
fn posting_list(field: &InvertedIndexReader, term: &[u8]) -> io::Result<Option<Vec<u32>>> {
    let Some(info) = field.terms().get(term)? else { return Ok(None) };
    doc_ids(field, &info).map(Some)
}

/// The posting list of a term.
fn doc_ids(field: &InvertedIndexReader, info: &TermInfo) -> io::Result<Vec<u32>> {
    let mut block = field.read_block_postings_from_terminfo(info, IndexRecordOption::Basic)?;
    let mut doc_ids = Vec::with_capacity(info.doc_freq as usize);
    while !block.docs().is_empty() {
        doc_ids.extend_from_slice(block.docs());
        block.advance();
    }
    Ok(doc_ids)
}
