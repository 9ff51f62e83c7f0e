use std::collections::BTreeSet;

use std::fs;

use tantivy::collector::DocSetCollector;
use tantivy::query::{Query, TermQuery};
use tantivy::schema::IndexRecordOption;
use tantivy::{Index, Term};

use super::super::intern::TextColumn;
use super::super::parquet::Values;
use super::*;
use base::tokens;

/// A line, and the two values in it.
type Row = (Vec<u8>, String, String, Option<String>);

/// Rows as a line around two values, and a third that few have; the second value sometimes has different bytes in the line.
fn rows() -> Vec<Row> {
    (0..400_u32)
        .map(|row| {
            let agent = format!("Größe/{} (X11; rv {})", row % 5, row % 3);
            let path = format!("/api/{}", row % 7);
            let shown = if row % 50 == 49 { agent.replace('ö', "\\u00f6") } else { agent.clone() };
            let glued = if row % 60 == 59 { "x" } else { " " };
            let raw =
                format!("id{row:x}{glued}GET{glued}{path} {} \"{shown}\" took {}ms", row % 11, row * row);
            let node = (row % 9 == 8).then(|| format!("node{}", row % 4));
            let raw = node.as_ref().map_or(raw.clone(), |node| format!("{raw} on {node}"));
            (raw.into_bytes(), path, agent, node)
        })
        .collect()
}

/// Writes the built index where it belongs, and returns its path.
fn write(folder: &Path, built: Built) -> PathBuf {
    let path = folder.join("built");
    match built {
        Built::File(bytes) => fs::write(&path, bytes).expect("a file"),
        Built::Folder(files) => {
            fs::create_dir_all(&path).expect("a folder");
            for (name, bytes) in files {
                fs::write(path.join(name), bytes).expect("a file");
            }
        }
    }
    path
}

fn coded(values: impl Iterator<Item = Option<String>>) -> Values {
    let mut column = TextColumn::with_capacity(400);
    for value in values {
        match value {
            Some(value) => column.push(value.as_bytes()),
            None => column.push_missing(),
        }
    }
    column.finish()
}

fn indexed(columns: &[(&str, Values)]) -> Vec<(String, IndexedValues)> {
    let of = |(name, values): &(&str, Values)| {
        ((*name).to_owned(), IndexedValues::new(values.clone()).expect("it has texts"))
    };
    columns.iter().map(of).collect()
}

#[test]
fn every_token_of_every_row_is_found_and_exact_rows_are_exact() {
    let rows = rows();
    let columns = [
        ("agent", coded(rows.iter().map(|row| Some(row.2.clone())))),
        ("path", coded(rows.iter().map(|row| Some(row.1.clone())))),
        ("node", coded(rows.iter().map(|row| row.3.clone()))),
    ];
    for make in [IndexBuilder::for_index as fn(_) -> _, IndexBuilder::for_filters] {
        check(&rows, &columns, make(indexed(&columns)));
    }
}

/// Compares the exact rows, and the exact rows with the candidates, with the tokens of every row.
fn check(rows: &[Row], columns: &[(&str, Values)], mut builder: IndexBuilder) {
    for (row, (raw, ..)) in rows.iter().enumerate() {
        builder.add(row as u32, raw);
    }
    let folder = tempfile::tempdir().expect("it is as it was written");
    let path = write(folder.path(), builder.finish(rows.len() as u32).expect("it is as it was written"));
    let index = TextIndex::open(&path, rows.len() as u32).expect("it is as it was written");
    index.verify().expect("it is as it was written");
    let all: BTreeSet<String> = rows.iter().flat_map(|(raw, ..)| tokens::folded(raw)).collect();
    for token in &all {
        let found = index.postings(token).expect("it is as it was written").expect("it is as it was written");
        let mut exact: BTreeSet<u32> = found.exact.iter().copied().collect();
        for part in &found.columns {
            let values = columns.iter().find(|(name, _)| part.column == *name).map(|(_, values)| values);
            let Some(Values::Text { codes, texts }) = values else { panic!() };
            let TokenValues::Codes(matching) = &part.matching else { panic!() };
            let has = |code: u32| {
                matching.contains(&code)
                    && tokens::folded(texts.get(code as usize).expect("it is as it was written").as_bytes())
                        .contains(token)
            };
            exact.extend(
                (0..rows.len() as u32)
                    .filter(|&row| has(codes[row as usize]) && !part.excepted.contains(&row)),
            );
        }
        for (row, (raw, ..)) in rows.iter().enumerate() {
            let has = tokens::folded(raw).contains(token);
            let row = row as u32;
            assert!(has || !exact.contains(&row), "{token} is not in row {row}");
            assert!(
                !has || exact.contains(&row) || found.candidates.contains(&row),
                "{token} is in row {row}"
            );
        }
    }
    assert!(
        index
            .postings("größe")
            .expect("it is as it was written")
            .expect("it is as it was written")
            .columns
            .iter()
            .any(|part| part.column == "agent")
    );
    assert!(index.postings(&"x".repeat(300)).expect("it is as it was written").is_none());
}

/// The index of rows without columns.
fn plain(rows: &[Row]) -> Built {
    let mut builder = IndexBuilder::for_index(Vec::new());
    for (row, (raw, ..)) in rows.iter().enumerate() {
        builder.add(row as u32, raw);
    }
    builder.finish(rows.len() as u32).expect("an index")
}

#[test]
fn damaged_index_gives_an_error_or_the_same_answer() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows = rows();
    let path = write(folder.path(), plain(&rows));
    let tokens = ["get", "took", "id1f", "none"];
    let answer = |token: &str| -> Result<Vec<u32>> {
        let found = TextIndex::open(&path, 400)?.postings(token)?.unwrap_or_default();
        Ok(found.exact.into_iter().chain(found.candidates).collect())
    };
    let before = tokens.map(|token| answer(token).expect("it is whole"));
    assert_eq!((before[0].len(), before[3].len()), (394, 0));
    let mut files = 0;
    for entry in fs::read_dir(&path).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        let bytes = fs::read(&entry).expect("a file");
        files += 1;
        for place in (0..bytes.len()).step_by(bytes.len() / 40 + 1) {
            for cut in [false, true] {
                let mut damaged = bytes.clone();
                if cut {
                    damaged.truncate(place);
                } else {
                    damaged[place] ^= 0x55;
                }
                fs::write(&entry, damaged).expect("it can be damaged");
                let what = format!("{} at {place}, {cut}", entry.display());
                let is_known = TextIndex::open(&path, 400).and_then(|index| index.verify()).is_err();
                assert!(is_known, "{what}");
                for (token, before) in tokens.iter().zip(&before) {
                    assert!(answer(token).is_ok_and(|rows| rows == *before) || is_known, "{what}: {token}");
                    if let Ok(rows) = answer(token) {
                        assert_eq!(rows, *before, "{what}: {token}");
                    }
                }
            }
        }
        fs::remove_file(&entry).expect("it can be removed");
        assert!(TextIndex::open(&path, 400).and_then(|index| index.verify()).is_err(), "{}", entry.display());
        fs::write(&entry, bytes).expect("it can be restored");
    }
    assert_eq!(files, 9, "all files of the index were damaged");
    TextIndex::open(&path, 400).expect("it opens").verify().expect("it is intact again");
}

#[test]
fn parts_are_looked_up_in_terms_unless_an_id_may_have_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut rows = rows();
    let long = format!("{}zebra", "y".repeat(260));
    rows.push((long.into_bytes(), String::new(), String::new(), None));
    let path = write(folder.path(), plain(&rows));
    let index = TextIndex::open(&path, 401).expect("an index");
    let found = |text: &str, at_start: bool, at_end: bool| {
        let part = TokenPart { text: text.to_owned(), at_start, at_end };
        index.postings_with_part(&part, None).expect("an answer").map(|found| (found.terms, found.exact))
    };
    let matching = |test: &dyn Fn(&str) -> bool| -> Vec<u32> {
        let has = |raw: &[u8]| tokens::folded(raw).iter().any(|token| test(token));
        (0..401).filter(|&row| has(&rows[row as usize].0)).collect()
    };
    let (terms, in_rows) = found("took", true, false).expect("only words begin so");
    assert_eq!((terms.as_slice(), in_rows), (&["took".to_owned()][..], matching(&|token| token == "took")));
    let (terms, in_rows) = found("ook", false, true).expect("no id has it");
    assert_eq!((terms.len(), in_rows), (1, matching(&|token| token.ends_with("ook"))));
    let begins = |term: &[u8]| term.starts_with(b"to");
    let part = TokenPart { text: "ook".to_owned(), at_start: false, at_end: true };
    let none = index.postings_with_part(&part, Some(&|term: &[u8]| !begins(term))).expect("an answer");
    assert!(none.is_some_and(|found| found.exact.is_empty() && found.terms.is_empty()));
    assert_eq!(found("oo", false, false), None, "two letters are in too many tokens");
    // Hashed ids, numbers, and tokens that are too long have no terms.
    for text in ["id1", "100", "zebra"] {
        assert_eq!(found(text, false, false), None, "{text}");
    }
}

#[test]
fn index_of_a_newer_version_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = write(folder.path(), plain(&rows()));
    let file = path.join(COLUMNS_FILE);
    let mut bytes = fs::read(&file).expect("a file");
    bytes[MAGIC.len() - 1] += 1;
    fs::write(&file, bytes).expect("it can be changed");
    assert!(TextIndex::open(&path, 400).is_err());
}

#[test]
fn tantivy_opens_the_index_and_finds_a_term() {
    let rows = rows();
    let columns = [("path", coded(rows.iter().map(|row| Some(row.1.clone()))))];
    let mut builder = IndexBuilder::for_index(indexed(&columns));
    for (row, (raw, ..)) in rows.iter().enumerate() {
        builder.add(row as u32, raw);
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = write(folder.path(), builder.finish(400).expect("an index"));
    let index = Index::open_in_dir(&path).expect("it is an index of tantivy");
    assert!(index.validate_checksum().expect("checksums").is_empty());
    let searcher = index.reader().expect("a reader").searcher();
    let found = |field: &str, token: &str| {
        let field = index.schema().get_field(field).expect("a field");
        let query = TermQuery::new(Term::from_field_text(field, token), IndexRecordOption::Basic);
        let found = (&query as &dyn Query, DocSetCollector);
        let mut rows: Vec<u32> =
            searcher.search(found.0, &found.1).expect("an answer").iter().map(|found| found.doc_id).collect();
        rows.sort_unstable();
        rows
    };
    // Words that some rows have, wherever they occur.
    let matching = |token: &str| -> Vec<u32> {
        let has = |raw: &[u8]| tokens::folded(raw).contains(&token.to_owned());
        (0..400).filter(|&row| has(&rows[row as usize].0)).collect()
    };
    assert_eq!(found("text", "xget"), matching("xget"));
    assert_eq!(found("text", "u00f6\u{df}e"), matching("u00f6\u{df}e"));
    // A word of all rows is stored by the ends of its runs; a word of a column by the codes of values.
    assert_eq!(found("text_runs", "took"), [0]);
    assert_eq!(found("values_0_blocks", "3"), [0]);
    assert!(found("values_0_blocks", "nowhere").is_empty());
}
