//! `text/`: a tantivy index over the events' raw text. Document ids are row numbers, because one writer
//! adds the rows in order and never merges.

use std::path::{Path, PathBuf};

use tantivy::schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{TextAnalyzer, Token, TokenStream, Tokenizer};
use tantivy::{
    DocSet, Index, IndexBuilder, SegmentReader, SingleSegmentIndexWriter, TERMINATED, TantivyDocument, Term,
};

use crate::error::{Error, Result};
use crate::limits::{INDEX_BUDGET_BYTES, LONGEST_TOKEN_BYTES};
use crate::tokens;

const TOKENIZER: &str = "timberline";

fn schema() -> (Schema, Field) {
    let mut schema = Schema::builder();
    let indexing = TextFieldIndexing::default()
        .set_tokenizer(TOKENIZER)
        .set_index_option(IndexRecordOption::Basic)
        .set_fieldnorms(false);
    let field = schema.add_text_field("raw", TextOptions::default().set_indexing_options(indexing));
    (schema.build(), field)
}

/// Writes the index of one segment.
pub struct Builder {
    writer: SingleSegmentIndexWriter,
    field: Field,
    folder: PathBuf,
}

impl Builder {
    pub fn create(folder: &Path) -> Result<Builder> {
        let (schema, field) = schema();
        let tokenizers = tantivy::tokenizer::TokenizerManager::new();
        tokenizers.register(TOKENIZER, TextAnalyzer::from(EventTokenizer::default()));
        let directory =
            tantivy::directory::MmapDirectory::open(folder).map_err(|e| Error::damaged(folder, e))?;
        let writer = IndexBuilder::new()
            .schema(schema)
            .tokenizers(tokenizers)
            .single_segment_index_writer(directory, INDEX_BUDGET_BYTES)
            .map_err(|error| failed(folder, error))?;
        Ok(Builder { writer, field, folder: folder.to_path_buf() })
    }

    pub fn add(&mut self, raw: &[u8]) -> Result<()> {
        let mut document = TantivyDocument::default();
        document.add_text(self.field, String::from_utf8_lossy(raw));
        self.writer.add_document(document).map_err(|error| failed(&self.folder, error))
    }

    pub fn finish(self) -> Result<()> {
        self.writer.finalize().map(|_| ()).map_err(|error| failed(&self.folder, error))
    }
}

fn failed(folder: &Path, error: tantivy::TantivyError) -> Error {
    use crate::error::AtPath;
    match error {
        tantivy::TantivyError::IoError(io) => {
            let io = std::io::Error::new(io.kind(), io.to_string());
            Err::<(), _>(io).at_path(folder).err().unwrap_or_else(Error::cancelled)
        }
        other => Error::damaged(folder, other),
    }
}

/// The index of one segment, open for reading.
#[derive(Debug)]
pub struct TextIndex {
    folder: PathBuf,
    reader: SegmentReader,
    field: Field,
}

impl TextIndex {
    pub fn open(folder: &Path) -> Result<TextIndex> {
        let open = || -> tantivy::Result<(SegmentReader, Field)> {
            let index = Index::open_in_dir(folder)?;
            let field = index.schema().get_field("raw")?;
            let searcher =
                index.reader_builder().try_into().map(|reader: tantivy::IndexReader| reader.searcher())?;
            Ok((searcher.segment_reader(0).clone(), field))
        };
        let (reader, field) = open().map_err(|error| failed(folder, error))?;
        Ok(TextIndex { folder: folder.to_path_buf(), reader, field })
    }

    /// Rows whose text has this folded token, in order; nothing is said of tokens too long to be indexed.
    pub fn rows(&self, token: &str) -> Result<Option<Vec<u32>>> {
        if token.len() > LONGEST_TOKEN_BYTES {
            return Ok(None);
        }
        let read = || -> tantivy::Result<Vec<u32>> {
            let inverted = self.reader.inverted_index(self.field)?;
            let term = Term::from_field_text(self.field, token);
            let Some(mut postings) = inverted.read_postings(&term, IndexRecordOption::Basic)? else {
                return Ok(Vec::new());
            };
            let mut rows = Vec::with_capacity(postings.doc_freq() as usize);
            while postings.doc() != TERMINATED {
                rows.push(postings.doc());
                postings.advance();
            }
            Ok(rows)
        };
        read().map(Some).map_err(|error| failed(&self.folder, error))
    }
}

/// Our tokens, as tantivy wants them.
#[derive(Clone, Default)]
struct EventTokenizer {
    token: Token,
}

struct EventTokens<'a> {
    text: &'a str,
    at: usize,
    token: &'a mut Token,
}

impl Tokenizer for EventTokenizer {
    type TokenStream<'a> = EventTokens<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> EventTokens<'a> {
        self.token.reset();
        EventTokens { text, at: 0, token: &mut self.token }
    }
}

impl TokenStream for EventTokens<'_> {
    fn advance(&mut self) -> bool {
        let bytes = self.text.as_bytes();
        while let Some((start, end)) = tokens::ranges(&bytes[self.at..]).next() {
            let (start, end) = (self.at + start, self.at + end);
            self.at = end;
            self.token.position = self.token.position.wrapping_add(1);
            let folded = tokens::fold(&bytes[start..end]);
            if folded.len() <= LONGEST_TOKEN_BYTES {
                self.token.text.clear();
                self.token.text.push_str(&folded);
                self.token.offset_from = start;
                self.token.offset_to = end;
                return true;
            }
        }
        false
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}
