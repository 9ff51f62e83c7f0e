//! The distinct texts of a column. Columns of several segments share the dictionaries of these: they are put one after
//! the other, and no text is hashed or copied again.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::Arc;

use super::charge::ChargedTexts;
use super::column::{Column, Data};
use base::hash::Fast;
use store::{ColumnValues, NO_CODE, StoredColumn, Texts};

/// Texts by code. Two codes can have equal texts.
#[derive(Clone, Debug)]
pub enum Dictionary {
    /// Those of a segment, shared with its cached column.
    Segment(Arc<StoredColumn>),
    /// The table's own.
    Own(Arc<Texts>),
    /// The same, charged against the memory of the run for as long as anybody has them.
    Charged(Arc<ChargedTexts>),
    /// Several dictionaries, one after the other.
    Chained(Arc<Chain>),
}

/// Dictionaries one after the other.
#[derive(Debug, Default)]
pub struct Chain {
    dictionaries: Vec<Dictionary>,
    /// The code of the first text of each.
    starts: Vec<u32>,
    len: usize,
}

impl Dictionary {
    #[must_use]
    pub fn get(&self, code: u32) -> Option<&str> {
        match self {
            Dictionary::Segment(column) => match &column.values {
                ColumnValues::Texts(texts) => texts.get(code as usize),
                _ => None,
            },
            Dictionary::Own(texts) => texts.get(code as usize),
            Dictionary::Charged(charged) => charged.texts.get(code as usize),
            Dictionary::Chained(chain) => {
                let link = chain.link(code)?;
                chain.dictionaries[link].get(code - chain.starts[link])
            }
        }
    }

    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Dictionary::Segment(column) => match &column.values {
                ColumnValues::Texts(texts) => texts.len(),
                _ => 0,
            },
            Dictionary::Own(texts) => texts.len(),
            Dictionary::Charged(charged) => charged.texts.len(),
            Dictionary::Chained(chain) => chain.len,
        }
    }

    /// A number that no other live dictionary has.
    #[must_use]
    pub fn identity(&self) -> usize {
        match self {
            Dictionary::Segment(column) => Arc::as_ptr(column) as usize,
            Dictionary::Own(texts) => Arc::as_ptr(texts) as usize,
            Dictionary::Charged(charged) => Arc::as_ptr(charged) as usize,
            Dictionary::Chained(chain) => Arc::as_ptr(chain) as usize,
        }
    }

    /// Bytes that only tables own; the texts of a segment are in memory anyway.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match self {
            Dictionary::Segment(_) => 0,
            Dictionary::Own(texts) => texts.bytes() + texts.len() * 8,
            Dictionary::Charged(charged) => charged.texts.bytes() + charged.texts.len() * 8,
            Dictionary::Chained(chain) => chain.dictionaries.iter().map(Dictionary::bytes).sum(),
        }
    }

    /// Bytes of its texts, wherever they are.
    pub fn text_bytes(&self) -> usize {
        match self {
            Dictionary::Segment(column) => match &column.values {
                ColumnValues::Texts(texts) => texts.bytes(),
                _ => 0,
            },
            Dictionary::Chained(chain) => chain.dictionaries.iter().map(Dictionary::text_bytes).sum(),
            other => other.bytes(),
        }
    }

    /// Those that are not charged yet.
    pub fn own_bytes(&self) -> usize {
        match self {
            Dictionary::Charged(_) => 0,
            Dictionary::Chained(chain) => chain.dictionaries.iter().map(Dictionary::own_bytes).sum(),
            other => other.bytes(),
        }
    }
}

impl Chain {
    /// The dictionary that a code belongs to.
    fn link(&self, code: u32) -> Option<usize> {
        self.starts.partition_point(|&start| start <= code).checked_sub(1)
    }

    /// The code of the first text of a dictionary, which is appended unless it is part of the chain.
    fn start_of(&mut self, dictionary: &Dictionary, known: &mut HashMap<usize, u32>) -> u32 {
        *known.entry(dictionary.identity()).or_insert_with(|| {
            let start = self.len as u32;
            self.len += dictionary.len();
            self.starts.push(start);
            self.dictionaries.push(dictionary.clone());
            start
        })
    }
}

/// Columns of texts one below the other. Their dictionaries are chained, unless these have many more texts than there are
/// rows: then the texts of the rows are copied.
pub(super) fn concat_texts<E>(parts: &[&Column], stopped: &dyn Fn() -> Result<(), E>) -> Result<Column, E> {
    let rows: usize = parts.iter().map(|part| part.len()).sum();
    let mut chain = Chain::default();
    let mut known = HashMap::new();
    let mut texts = 0;
    for dictionary in parts.iter().filter_map(|part| dictionary_of(part)) {
        match dictionary {
            Dictionary::Chained(other) => {
                for link in &other.dictionaries {
                    chain.start_of(link, &mut known);
                }
            }
            dictionary => {
                chain.start_of(dictionary, &mut known);
            }
        }
        texts = chain.len;
    }
    let is_one = chain.dictionaries.len() < 2;
    if !is_one && (texts > 2 * rows || texts >= NO_CODE as usize) {
        return copied(parts, stopped);
    }
    let mut all = Vec::with_capacity(rows);
    for part in parts {
        stopped()?;
        match &part.data {
            Data::Text { codes, texts } => append_codes(codes, texts, &known, &mut all),
            _ => all.resize(all.len() + part.len(), NO_CODE),
        }
    }
    let texts = match chain.dictionaries.pop() {
        Some(only) if is_one => only,
        Some(last) => {
            chain.dictionaries.push(last);
            Dictionary::Chained(Arc::new(chain))
        }
        None => Dictionary::Own(Arc::default()),
    };
    Ok(Column::new(Data::Text { codes: all, texts }))
}

fn dictionary_of<'c>(column: &'c &Column) -> Option<&'c Dictionary> {
    match &column.data {
        Data::Text { texts, .. } if texts.len() > 0 => Some(texts),
        _ => None,
    }
}

/// Codes of a dictionary as those of the chain that it is part of.
fn append_codes(codes: &[u32], texts: &Dictionary, known: &HashMap<usize, u32>, all: &mut Vec<u32>) {
    let count = texts.len();
    let code = |code: u32, start: u32| if (code as usize) < count { code + start } else { NO_CODE };
    let start_of = |dictionary: &Dictionary| known.get(&dictionary.identity()).copied().unwrap_or(0);
    match texts {
        Dictionary::Chained(chain) => {
            let starts: Vec<u32> = chain.dictionaries.iter().map(start_of).collect();
            all.extend(codes.iter().map(|&old| match chain.link(old) {
                Some(link) if (old as usize) < count => old - chain.starts[link] + starts[link],
                _ => NO_CODE,
            }));
        }
        dictionary => {
            let start = start_of(dictionary);
            all.extend(codes.iter().map(|&old| code(old, start)));
        }
    }
}

fn copied<E>(parts: &[&Column], stopped: &dyn Fn() -> Result<(), E>) -> Result<Column, E> {
    let mut builder = TextBuilder::default();
    for part in parts {
        stopped()?;
        let Data::Text { codes, texts } = &part.data else {
            (0..part.len()).for_each(|_| builder.push(None));
            continue;
        };
        let mut known: HashMap<u32, u32> = HashMap::new();
        for &code in codes {
            let new = *known
                .entry(code)
                .or_insert_with(|| texts.get(code).map_or(NO_CODE, |text| builder.code(text)));
            builder.push_code(new);
        }
    }
    Ok(builder.finish())
}

/// A column of texts being made; each distinct text is kept once.
#[derive(Default)]
pub struct TextBuilder {
    codes: Vec<u32>,
    texts: Texts,
    /// Codes by the hashes of their texts, or by the next number where that is another text's.
    known: HashMap<u64, u32, Fast>,
}

impl TextBuilder {
    pub fn push(&mut self, text: Option<&str>) {
        let code = text.map_or(NO_CODE, |text| self.code(text));
        self.codes.push(code);
    }

    /// The code of a text, for [`TextBuilder::push_code`].
    pub fn code(&mut self, text: &str) -> u32 {
        let mut key = Fast.hash_one(text);
        while let Some(&code) = self.known.get(&key) {
            if self.texts.get(code as usize) == Some(text) {
                return code;
            }
            key = key.wrapping_add(1);
        }
        let code = self.texts.len() as u32;
        self.texts.push(text);
        self.known.insert(key, code);
        code
    }

    /// A text by its code; [`NO_CODE`] for a missing one.
    pub fn push_code(&mut self, code: u32) {
        self.codes.push(code);
    }

    /// Bytes of its texts, and of what finds them.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.texts.bytes() + self.texts.len() * (size_of::<(usize, u64, u32)>())
    }

    pub(super) fn into_parts(self) -> (Vec<u32>, Texts) {
        (self.codes, self.texts)
    }

    #[must_use]
    pub fn finish(self) -> Column {
        Column::new(Data::Text { codes: self.codes, texts: Dictionary::Own(Arc::new(self.texts)) })
    }
}

#[cfg(test)]
mod tests {
    use super::super::cell::Cell;
    use super::*;

    fn texts(values: &[&str]) -> Column {
        let mut builder = TextBuilder::default();
        for &value in values {
            builder.push((value != "-").then_some(value));
        }
        builder.finish()
    }

    fn below(parts: &[&Column]) -> Column {
        Column::concat(parts, &|| Ok::<_, std::convert::Infallible>(()))
            .unwrap_or_else(|never| match never {})
    }

    fn shown(column: &Column) -> String {
        (0..column.len()).map(|row| column.cell(row).to_string() + ",").collect()
    }

    #[test]
    fn chained_dictionaries_keep_each_text() {
        let (one, other) = (texts(&["a", "-", "b"]), texts(&["b", "c"]));
        let both = below(&[&one, &Column::missing(1), &other, &one]);
        assert_eq!(shown(&both), "a,,b,,b,c,a,,b,");
        let again = below(&[&other, &both, &texts(&["d"])]);
        assert_eq!(shown(&again), "b,c,a,,b,,b,c,a,,b,d,");
        assert!(matches!(&again.data, Data::Text { texts, .. } if texts.len() == 5));
    }

    #[test]
    fn few_rows_do_not_keep_large_dictionaries() {
        let many: Vec<String> = (0..100).map(|number| number.to_string()).collect();
        let many = texts(&many.iter().map(String::as_str).collect::<Vec<_>>());
        let few = many.pick(&super::super::column::Picked::Run(7..8));
        let found = below(&[&few, &texts(&["x"])]);
        assert_eq!(shown(&found), "7,x,");
        assert!(matches!(&found.data, Data::Text { texts, .. } if texts.len() == 2));
        assert_eq!(found.cell(0), Cell::text("7"));
    }
}
