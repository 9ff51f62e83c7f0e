use std::collections::BTreeSet;

use super::super::intern::TextColumn;
use super::*;
use crate::tokens;

/// A line, and the two values in it.
type Row = (Vec<u8>, String, String);

/// Rows as a line around two values, the second of which stands there with other bytes now and then.
fn rows() -> Vec<Row> {
    (0..400_u32)
        .map(|row| {
            let agent = format!("Größe/{} (X11; rv {})", row % 5, row % 3);
            let path = format!("/api/{}", row % 7);
            let shown = if row % 50 == 49 { agent.replace('ö', "\\u00f6") } else { agent.clone() };
            let glued = if row % 60 == 59 { "x" } else { " " };
            let raw =
                format!("id{row:x}{glued}GET{glued}{path} {} \"{shown}\" took {}ms", row % 11, row * row);
            (raw.into_bytes(), path, agent)
        })
        .collect()
}

#[test]
fn every_token_of_every_row_is_found_and_nothing_else_is_sure() {
    let rows = rows();
    let column = |of: &dyn Fn(&Row) -> String| {
        let mut column = TextColumn::with_capacity(rows.len());
        for row in &rows {
            column.push(of(row).as_bytes());
        }
        column.finish()
    };
    let columns = vec![
        ("agent".to_owned(), column(&|row| row.2.clone())),
        ("path".to_owned(), column(&|row| row.1.clone())),
    ];
    let values: Vec<_> = columns.iter().map(|column| column.1.clone()).collect();
    for make in [Builder::of_index as fn(_) -> _, Builder::of_filters] {
        check(&rows, &values, make(columns.clone()));
    }
}

/// What is sure, and what is sure and perhaps together, against the tokens of every row.
fn check(rows: &[Row], values: &[super::super::parquet::Values], mut builder: Builder) {
    for (row, (raw, ..)) in rows.iter().enumerate() {
        builder.add(row as u32, raw);
    }
    let folder = tempfile::tempdir().expect("it is as it was written");
    let path = folder.path().join("text.idx");
    std::fs::write(&path, builder.finish(rows.len() as u32).expect("it is as it was written"))
        .expect("it is as it was written");
    let index = TextIndex::open(&path, rows.len() as u32).expect("it is as it was written");
    index.verify().expect("it is as it was written");
    let all: BTreeSet<String> = rows.iter().flat_map(|(raw, ..)| tokens::folded(raw)).collect();
    for token in &all {
        let found = index.rows(token).expect("it is as it was written").expect("it is as it was written");
        let mut sure: BTreeSet<u32> = found.sure.iter().copied().collect();
        for part in &found.columns {
            let super::super::parquet::Values::Text { codes, texts } =
                &values[usize::from(part.column == "path")]
            else {
                panic!()
            };
            let has = |code: u32| {
                part.codes.contains(&code)
                    && tokens::folded(texts.get(code as usize).expect("it is as it was written").as_bytes())
                        .contains(token)
            };
            sure.extend(
                (0..rows.len() as u32)
                    .filter(|&row| has(codes[row as usize]) && !part.excepted.contains(&row)),
            );
        }
        for (row, (raw, ..)) in rows.iter().enumerate() {
            let has = tokens::folded(raw).contains(token);
            let row = row as u32;
            assert!(has || !sure.contains(&row), "{token} is not in row {row}");
            assert!(!has || sure.contains(&row) || found.perhaps.contains(&row), "{token} is in row {row}");
        }
    }
    assert!(
        index
            .rows("größe")
            .expect("it is as it was written")
            .expect("it is as it was written")
            .columns
            .iter()
            .any(|part| part.column == "agent")
    );
    assert!(index.rows(&"x".repeat(300)).expect("it is as it was written").is_none());
}

#[test]
fn a_damaged_index_is_an_error_or_other_rows() {
    let mut builder = Builder::of_index(Vec::new());
    for (row, (raw, ..)) in rows().iter().enumerate() {
        builder.add(row as u32, raw);
    }
    let bytes = builder.finish(400).expect("it is as it was written");
    let folder = tempfile::tempdir().expect("it is as it was written");
    let path = folder.path().join("text.idx");
    for place in (0..bytes.len()).step_by(7) {
        for cut in [false, true] {
            let mut damaged = bytes.clone();
            if cut {
                damaged.truncate(place);
            } else {
                damaged[place] ^= 0x55;
            }
            std::fs::write(&path, damaged).expect("it is as it was written");
            if let Ok(index) = TextIndex::open(&path, 400) {
                assert!(index.verify().is_err() || place < 16, "{place}");
                for token in ["get", "took", "id1f", "none"] {
                    let _ = index.rows(token);
                }
            }
        }
    }
}
