use super::*;
use engine::pipe::{Cell, Column};

fn table() -> Table {
    Table::from_columns(vec![
        ("name".to_owned(), Column::of_cells(vec![Cell::text("=1+1"), Cell::text("a,\"b\""), Cell::Missing])),
        ("n".to_owned(), Column::of_cells(vec![Cell::Int(-5), Cell::Float(0.5), Cell::Missing])),
        ("at".to_owned(), Column::of_cells(vec![Cell::Time(0), Cell::Missing, Cell::Time(1_500_000_000)])),
    ])
}

fn written(format: Format) -> String {
    let mut bytes = Vec::new();
    write_table(&table(), format, &mut bytes).expect("memory takes it");
    String::from_utf8(bytes).expect("text")
}

#[test]
fn csv_quotes_and_escapes_formulas_only_for_spreadsheets() {
    let expected =
        "name,n,at\n=1+1,-5,1970-01-01T00:00:00Z\n\"a,\"\"b\"\"\",0.5,\n,,1970-01-01T00:00:01.5Z\n";
    assert_eq!(written(Format::Csv(Formulas::Keep)), expected);
    assert_eq!(written(Format::Csv(Formulas::Escape)), expected.replace("=1+1", "'=1+1"));
}

#[test]
fn csv_cells_read_back_as_they_were() {
    let texts = ["=1+1", "+x", "-x", "@x", "a,b", "say \"no\"", "two\nlines", "cr\rhere", " padded ", ""];
    let read = |formulas: Formulas| {
        let mut bytes = Vec::new();
        let mut records = Records::new(formulas, &mut bytes);
        for text in texts {
            records.write([Cell::text(text)].into_iter()).expect("memory takes it");
        }
        records.finish().expect("memory takes it");
        let mut reader = ::csv::ReaderBuilder::new().has_headers(false).from_reader(bytes.as_slice());
        reader.records().map(|record| record.expect("a record")[0].to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(read(Formulas::Keep), texts);
    let escaped = ["'=1+1", "'+x", "'-x", "'@x"];
    assert_eq!(read(Formulas::Escape)[..4], escaped);
    assert_eq!(read(Formulas::Escape)[4..], texts[4..]);
}

#[test]
fn json_lines_read_back() {
    let text = written(Format::Ndjson);
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    assert_eq!(lines[0]["name"], "=1+1");
    assert_eq!(lines[1]["n"], 0.5);
    assert_eq!(lines[2]["name"], serde_json::Value::Null);
}

#[test]
fn text_is_aligned() {
    let expected = "name     n   at\n=1+1    -5   1970-01-01T00:00:00Z\na,\"b\"  0.5  -\n-        -   1970-01-01T00:00:01.5Z\n";
    let squeezed = |text: &str| {
        text.lines().map(|l| l.split_whitespace().collect::<Vec<_>>().join(" ")).collect::<Vec<_>>()
    };
    assert_eq!(squeezed(&written(Format::Text)), squeezed(expected));
    let positions: Vec<Option<usize>> = written(Format::Text).lines().map(|line| line.find("1970")).collect();
    assert_eq!(positions[1], positions[3]);
}
