use proptest::prelude::*;

use super::*;

fn texts(codes: &[Option<u8>], distinct: bool) -> Values {
    let mut texts = Texts::default();
    let mut places = std::collections::HashMap::new();
    let codes = codes.iter().enumerate().map(|(row, code)| {
        let Some(code) = code else { return NO_CODE };
        let text = if distinct { format!("é{row}") } else { format!("value {code}") };
        *places.entry(text.clone()).or_insert_with(|| {
            texts.push(&text);
            texts.len() as u32 - 1
        })
    });
    Values::Text { codes: codes.collect(), texts }
}

/// The values row by row, without the codes.
fn rows(values: &Values) -> Vec<String> {
    match values {
        Values::Text { codes, texts } => {
            codes.iter().map(|&code| format!("{:?}", texts.get(code as usize))).collect()
        }
        Values::Int(numbers) => numbers.iter().map(|number| format!("{number}")).collect(),
        Values::Float(numbers) => numbers.iter().map(|number| format!("{number:?}")).collect(),
        Values::Bool(values) => values.iter().map(|value| format!("{value:?}")).collect(),
    }
}

fn written(columns: &[(&str, NumberKind, Values)], rows: usize) -> Vec<u8> {
    let mut writer = Writer::new(rows).expect("it is as it was written");
    for (name, kind, values) in columns {
        writer.column(name, *kind, values).expect("it is as it was written");
    }
    writer.finish().expect("it is as it was written")
}

fn columns(cells: &[(Option<u8>, i64)]) -> Vec<(&'static str, NumberKind, Values)> {
    let codes: Vec<_> = cells.iter().map(|cell| cell.0).collect();
    let of = |number: &dyn Fn(i64) -> i64| {
        let cell = |cell: &(Option<u8>, i64)| cell.0.map_or(ingest::NO_INT, |_| number(cell.1));
        Values::Int(cells.iter().map(cell).collect())
    };
    vec![
        ("coded", NumberKind::Text, texts(&codes, false)),
        ("distinct", NumberKind::Text, texts(&codes, true)),
        ("time", NumberKind::Time, of(&|number| number)),
        ("few", NumberKind::Int, of(&|number| number % 3)),
        ("many", NumberKind::Int, of(&|number| number)),
        ("short", NumberKind::UnsignedShort, of(&|number| number & 0xFFFF)),
        ("floats", NumberKind::Float, Values::Float(cells.iter().map(|cell| cell.1 as f64 / 7.0).collect())),
        ("zeros", NumberKind::Float, Values::Float(cells.iter().map(|_| -0.0).collect())),
        (
            "bools",
            NumberKind::Bool,
            Values::Bool(codes.iter().map(|code| code.map(|code| code > 9)).collect()),
        ),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn every_column_reads_back(
        cells in prop::collection::vec((prop::option::weighted(0.9, 0..20_u8), any::<i64>()), 0..300),
        repeat in prop_oneof![Just(1_usize), Just(400)],
    ) {
        let cells = cells.repeat(repeat);
        let folder = tempfile::tempdir().expect("it is as it was written");
        let path = folder.path().join("t.parquet");
        let columns = columns(&cells);
        std::fs::write(&path, written(&columns, cells.len())).expect("it is as it was written");
        let file = File::open(&path, cells.len()).expect("it is as it was written");
        for (name, _, values) in &columns {
            let expected = rows(values);
            prop_assert_eq!(&rows(&file.column(name).expect("it is as it was written")), &expected, "{}", name);
            let all = 0..cells.len() as u32;
            let last = all.end.saturating_sub(1);
            for some in [vec![0], vec![last / 2], vec![last], vec![0, last / 2, last], all.step_by(97).collect()] {
                let some: Vec<u32> = some.into_iter().filter(|&row| (row as usize) < cells.len()).collect();
                let found = rows(&file.cells(name, &some).expect("it is as it was written"));
                let wanted: Vec<_> = some.iter().map(|&row| expected[row as usize].clone()).collect();
                prop_assert_eq!(found, wanted, "{} {:?}", name, some);
            }
        }
        prop_assert!(file.column("none").is_err());
    }

    #[test]
    fn any_footer_is_an_error_or_other_columns(
        garbage in prop::collection::vec(any::<u8>(), 1..80),
        place in any::<prop::sample::Index>(),
    ) {
        let cells: Vec<_> = (0..200_i64).map(|row| (Some((row % 7) as u8), row * 1_000)).collect();
        let columns = columns(&cells);
        let mut bytes = written(&columns, cells.len());
        let end = bytes.len() - 8;
        let (length, _) = bytes[end..].split_first_chunk::<4>().expect("it is as it was written");
        let footer = end - u32::from_le_bytes(*length) as usize;
        let place = footer + place.index(end - footer);
        let garbage = &garbage[..garbage.len().min(end - place)];
        bytes[place..place + garbage.len()].copy_from_slice(garbage);
        opened(&bytes, &columns);
    }

    #[test]
    fn damaged_file_gives_an_error_or_other_values(place in any::<prop::sample::Index>(), flip in 1..=255_u8, cut in any::<bool>()) {
        let cells: Vec<_> = (0..200_i64).map(|row| (Some((row % 7) as u8), row * 1_000)).collect();
        let columns = columns(&cells);
        let mut bytes = written(&columns, cells.len());
        let place = place.index(bytes.len());
        if cut { bytes.truncate(place) } else { bytes[place] ^= flip }
        opened(&bytes, &columns);
    }
}

/// Lists of a damaged footer that claim thousands of millions of entries need more memory than there is.
#[test]
fn oversized_lists_are_damage() {
    // The version, and the lists of the schema and of the groups of rows.
    for list in [&[0x19][..], &[0x19, 0x1C, 0x48, 0x01, 0x61, 0x00, 0x16, 0x02, 0x19]] {
        let mut footer = vec![0x15, 0x04];
        footer.extend_from_slice(list);
        footer.extend_from_slice(&[0xFC, 0xFF, 0xFF, 0xFF, 0xFF, 0x07]);
        let mut bytes = b"PAR1".to_vec();
        bytes.extend_from_slice(&footer);
        bytes.extend_from_slice(&(footer.len() as u32).to_le_bytes());
        bytes.extend_from_slice(b"PAR1");
        assert!(!opened(&bytes, &[]), "{list:?}");
    }
}

/// Whether a file opens, and everything in its footer can be read.
fn opened(bytes: &[u8], columns: &[(&str, NumberKind, Values)]) -> bool {
    let folder = tempfile::tempdir().expect("it is as it was written");
    let path = folder.path().join("t.parquet");
    std::fs::write(&path, bytes).expect("it is as it was written");
    let file = File::open(&path, 200);
    if let Ok(file) = &file {
        for (name, ..) in columns {
            let _ = file.column(name);
            let _ = file.cells(name, &[3, 150]);
        }
    }
    file.is_ok()
}
