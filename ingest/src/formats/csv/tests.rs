use super::super::render;
use super::*;
use crate::batch::{Batch, Chunk, Values};
use crate::parser::Parser;
use crate::time::zone::Zone;

/// The first row of a table after its header.
#[track_caller]
fn check(table: &str, expected: &str) {
    assert_eq!(render(&FORMAT, table), expected, "{table}");
}

fn parse(table: &str) -> Batch {
    let mut setup = Setup::new(Zone::UTC);
    setup.learned = learn(table.as_bytes(), &setup);
    Parser::new(&FORMAT, setup).parse(Chunk::whole(table.as_bytes().to_vec()))
}

#[test]
fn tables_with_a_header() {
    check(
        "time,level,host,ms,message\n2026-11-21T03:04:05Z,WARN,web-1,1.5,\"slow \"\"cart\"\", again\nand more\"\n",
        "2026-11-21T03:04:05Z warn host=\"web-1\" ms=1.5 message=\"slow \\\"cart\\\", again\\nand more\"",
    );
    check(
        "\u{feff}id;Date;Time;Value\r\n7;2026-11-21;03:04:05;x\r\n8;2026-11-21;03:04:06;y\r\n",
        r#"2026-11-21T03:04:05Z - id=7 Value="x""#,
    );
    check("ts\tn\tm\n1795230245\t1\t\n", "2026-11-21T03:04:05Z - n=1");
    check(
        "#TYPE Selected.Event\n\"TimeCreated\",\"Id\",\"LevelDisplayName\"\n\"2026-11-21 03:04:05\",\"7\",\"Warning\"\n",
        r"2026-11-21T03:04:05Z warn Id=7",
    );
    check(
        "Datum;Uhrzeit;Stufe;Text\n01.03.2026;10:00:02;Fehler;\"a;b\"\n01.03.2026;10:00:03;Warnung;c\n",
        "2026-03-01T10:00:02Z error Text=\"a;b\"",
    );
    check("sep=;\na;date\n1;2026-11-21 03:04:05\n", "2026-11-21T03:04:05Z - a=1");
}

#[test]
fn exports_of_windows_in_other_languages() {
    check(
        "レベル,日付と時刻,ソース,イベント ID,タスクのカテゴリ\nエラー,2026/11/21 3:04:05,Cart,12,なし,\"止まった\n\n理由\"\n情報,2026/11/21 3:04:06,Cart,13,なし,始まった\n",
        "2026-11-21T03:04:05Z error ソース=\"Cart\" イベント ID=12 タスクのカテゴリ=\"なし\" message=\"止まった\\n\\n理由\"",
    );
    check(
        "Ebene;Datum und Uhrzeit;Quelle\nWarnung;2026-11-21 03:04:05;Cart\n",
        r#"2026-11-21T03:04:05Z warn Quelle="Cart""#,
    );
}

#[test]
fn tables_without_a_header() {
    check(
        "\"2026-11-21 03:04:05\",\"web\",\"x\"\n\"2026-11-21 03:04:06\",\"web\",\"y\"\n",
        r#"2026-11-21T03:04:05Z - column_2="web" column_3="x""#,
    );
    check(
        "2026-11-21 03:04:05,web-1,7,x\n2026-11-21 03:04:06,web-1,8,y\n",
        r#"2026-11-21T03:04:05Z - column_2="web-1" column_3=7 column_4="x""#,
    );
    check(
        "2026-11-21 03:04:05.123 UTC,\"bob\",\"shop\",7,\"10.1.2.3:80\",65a.1,1,\"SELECT\",2026-11-21 03:00:00 UTC,1/1,0,ERROR,42601,\"no \"\"x\"\"\",,,,,,\"select\n1\",,,\"psql\"\n",
        "2026-11-21T03:04:05.123Z error user=\"bob\" database=\"shop\" pid=7 connection_from=\"10.1.2.3:80\" session_id=\"65a.1\" session_line_num=1 command_tag=\"SELECT\" session_start_time=\"2026-11-21 03:00:00 UTC\" virtual_transaction_id=\"1/1\" transaction_id=0 sql_state_code=\"42601\" message=\"no \\\"x\\\"\" query=\"select\\n1\" application_name=\"psql\"",
    );
}

#[test]
fn names_below_metadata() {
    let batch = parse(
        "Site,North,Unit,7,Operator,ines\nSerial,4411,,,,\n\ntime,flow,name\n2026-11-21 03:04:05,1,x\n2026-11-21 03:04:06,2,y\n2026-11-21 03:04:07,3,z\n---,second,---\ntime,flow,name\n2026-11-21 03:04:08,4,z\n",
    );
    assert_eq!((batch.rows(), batch.unparsed), (6, 1));
    let names = |row: usize| {
        let has_value = |values: &Values| match values {
            Values::Text(spans) => !spans[row].is_missing(),
            Values::Int(values) => values[row] != crate::batch::NO_INT,
            Values::Float(values) => !values[row].is_nan(),
            Values::Bool(values) => values[row].is_some(),
        };
        let columns = batch.columns.iter().filter(|column| has_value(&column.values));
        columns.map(|column| &*column.name).collect::<Vec<_>>().join(" ")
    };
    let names: Vec<String> = (0..6).map(names).collect();
    assert_eq!(names, ["", "flow name", "flow name", "flow name", "", "flow name"]);
}

#[test]
fn text_in_the_last_column_may_contain_the_delimiter() {
    check(
        "time,level,message\n2026-11-21 03:04:05,WARN,slow, again, \"cart\"\n2026-11-21 03:04:06,INFO,a, b, c, d\n",
        r#"2026-11-21T03:04:05Z warn message="slow, again, \"cart\"""#,
    );
    check(
        "time,level,message\n2026-11-21 03:04:05,WARN,slow,\n2026-11-21 03:04:06,INFO,fast,\n",
        r#"2026-11-21T03:04:05Z warn message="slow""#,
    );
}

#[test]
fn lines_below_a_row_continue_its_text() {
    let batch = parse(
        "date|level|message\n2026-11-21 03:04:05|ERROR|lost\nat a\n\nat b|c\n2026-11-21 03:04:06|INFO|found\n",
    );
    assert_eq!((batch.rows(), batch.unparsed), (2, 0));
    assert_eq!(batch.line, [2, 6]);
    let message = batch.columns.iter().find(|column| &*column.name == "message");
    let Some(Values::Text(spans)) = message.map(|column| &column.values) else { panic!("no message") };
    assert_eq!(batch.text(spans[0]), b"lost\nat a\n\nat b|c");
}

#[test]
fn json_objects_in_a_column_are_fields() {
    check(
        "2026-11-21T03:04:05Z\t*\t{\"a\":1,\"tst\":1700000000}\n2026-11-21T03:04:06Z\tx\t{\"a\":2}\n",
        r#"2026-11-21T03:04:05Z - column_2="*" a=1 tst=1700000000"#,
    );
    check(
        "time,data\n2026-11-21T03:04:05Z,\"{\"\"a\"\":{\"\"b\"\":\"\"x\"\"}}\"\n2026-11-21T03:04:06Z,{}\n",
        r#"2026-11-21T03:04:05Z - a.b="x" data="{\"a\":{\"b\":\"x\"}}""#,
    );
}

#[test]
fn text_with_pairs_between_tabs_is_no_table() {
    let lines: String =
        ["ines", "omar", "kim"].map(|user| format!("login\tuser={user}\tip=10.0.0.1\n")).concat();
    let setup = Setup::new(Zone::UTC);
    assert_eq!(learn(lines.as_bytes(), &setup).columns, 0);
}

#[test]
fn table_without_a_header_and_without_a_time_is_read_as_columns() {
    let row = |id: usize| format!("{id}\tRoc del {id}\t\t42.5\tT\tFR\t\"Pic\t{id}\tEurope/Andorra\n");
    let table: String = (2_986_043..2_986_060).map(row).collect();
    check(
        &table,
        "- - column_1=2986043 column_2=\"Roc del 2986043\" column_4=42.5 column_5=\"T\" column_6=\"FR\" column_7=\"\\\"Pic\" column_8=2986043 column_9=\"Europe/Andorra\"",
    );
    assert_eq!((parse(&table).rows(), parse(&table).unparsed), (17, 0));
    let bars = (0..9).map(|id| format!("a{id}|cart|{id}\n")).collect::<Vec<_>>().concat();
    check(&bars, r#"- - column_1="a0" column_2="cart" column_3=0"#);
    let commas = (0..9).map(|id| format!("a{id},cart,{id},x\n")).collect::<Vec<_>>().concat();
    check(&commas, r#"- - column_1="a0" column_2="cart" column_3=0 column_4="x""#);
}

#[test]
fn text_of_a_log_without_names_is_the_message() {
    let row =
        |id: usize| format!("2026-03-01 10:00:{id:02}|srv{id}|INFO|worker {id} stopped, will start again\n");
    let log: String = (0..9).map(row).collect();
    check(&log, r#"2026-03-01T10:00:00Z info column_2="srv0" message="worker 0 stopped, will start again""#);
}

#[test]
fn header_with_units_names_the_columns() {
    let row = |id: usize| format!("-{}.5,-7{id},walk\n", 60 + id);
    let table: String = (0..9).map(row).collect();
    check(&format!("1RSS(dB),2RSS [dB],label\n{table}"), r#"- - 1RSS(dB)=-60.5 2RSS [dB]=-70 label="walk""#);
    check(&format!("walk,12ms,5m\n{table}"), "unparsed: not a table");
}

#[test]
fn header_above_words_alone_names_the_columns() {
    let row = |id: usize| format!("h{id}\t{}\t{}\n", ["up", "down"][id % 2], ["web", "db"][id / 2 % 2]);
    let table: String = (0..12).map(row).collect();
    check(&format!("host\tstate\trole\n{table}"), r#"- - host="h0" state="up" role="web""#);
    check(&table, r#"- - column_1="h0" column_2="up" column_3="web""#);
}

#[test]
fn first_row_of_words_like_the_others_is_an_event() {
    let row = |id: usize| format!("h{id}\t{}\t{}\n", ["up", "down"][id % 2], ["web", "db"][id / 2 % 2]);
    let table: String = (0..12).map(row).collect();
    for first in ["h99\tboot\tkernel\n", "ha1\treset\tdisk\n"] {
        let batch = parse(&format!("{first}{table}"));
        assert_eq!((batch.rows(), batch.unparsed), (13, 0), "{first}");
    }
    let words = |id: usize| format!("{}\t{}\tmain\n", ["up", "down"][id % 2], ["web", "db"][id / 2 % 2]);
    let table: String = (0..12).map(words).collect();
    assert_eq!(parse(&format!("reset\tdisk\tspare\n{table}")).rows(), 13);
    assert_eq!(parse(&format!("state\tservice\tbranch\n{table}")).rows(), 12, "usual names");
    let names = |id: usize| format!("{}\t{}\tmain\n", ["Oslo", "Rome"][id % 2], ["Ada", "Eve"][id / 2 % 2]);
    let table: String = (0..12).map(names).collect();
    assert_eq!(parse(&format!("city\tperson\tbranch\n{table}")).rows(), 12);
}

#[test]
fn first_quoted_lines_may_come_after_the_sample() {
    for delimiter in [',', '\t', ';'] {
        let row = |id: usize| format!("2026-11-21 03:04:05\t{id}\tweb\tok\n");
        let rows: String = (0..300).map(row).collect();
        let late = "2026-11-21 03:04:06\t300\tweb\t\"one\n\ntwo\t\"\"3\"\"\"\n";
        // A quote in front of a word is a letter, and so is one that is closed after the next row.
        let letters = "2026-11-21 03:04:07\t301\t\"web\tok\n2026-11-21 03:04:08\t302\tweb\t5\"\n";
        let table =
            format!("time\tid\tname\tresult\n{rows}{late}{letters}").replace('\t', &delimiter.to_string());
        let sample = &table[..table.len() / 2];
        let mut setup = Setup::new(Zone::UTC);
        setup.learned = learn(&sample.as_bytes()[..=sample.rfind('\n').unwrap_or(0)], &setup);
        let batch = Parser::new(&FORMAT, setup).parse(Chunk::whole(table.clone().into_bytes()));
        assert_eq!((batch.rows(), batch.unparsed), (303, 0), "{delimiter}");
        assert_eq!(batch.line[300..], [302, 305, 306], "{delimiter}");
        // The last message was cut within its quotes.
        let cut = format!("time\tid\tname\tresult\n{rows}2026-11-21 03:04:07\t300\tweb\t\"cut\n{}", row(301));
        let cut = cut.trim_end().replace('\t', &delimiter.to_string());
        let mut setup = Setup::new(Zone::UTC);
        setup.learned = learn(&sample.as_bytes()[..=sample.rfind('\n').unwrap_or(0)], &setup);
        let batch = Parser::new(&FORMAT, setup).parse(Chunk::whole(cut.into_bytes()));
        assert_eq!((batch.rows(), batch.line[300..].to_vec()), (302, vec![302, 303]), "{delimiter}");
    }
}

#[test]
fn table_with_times_wins_over_one_without() {
    // Between commas all rows have the same number of values, between tabs one has a value more.
    let row = |id: usize| format!("2026-11-21 03:04:{id:02}\tweb\ta,{id},b,c,d\n");
    let mut rows: Vec<String> = (10..40).map(row).collect();
    rows[7] = "2026-11-21 03:04:17\tweb\tx\ta,7,b,c,d\n".to_owned();
    let batch = parse(&format!("time\thost\tvalues\n{}", rows.concat()));
    assert_eq!(batch.rows(), 30);
    assert!(batch.time.iter().all(|time| *time != crate::batch::NO_TIME), "the times are read");
}

#[test]
fn link_date_of_a_program_is_not_the_time_of_its_row() {
    let row = |key: &str, id: usize| format!("{id},{key},2019-0{id}-01 10:00:00,a{id}.exe\n");
    let keys = ["2026-03-01 10:00:02", "2025-11-21 03:04:05", "2026-02-28 12:30:40"];
    let rows: String = keys.iter().zip(1..).map(|(key, id)| row(key, id)).collect();
    check(
        &format!("Id,FileKeyLastWriteTimestamp,LinkDate,Name\n{rows}"),
        r#"2026-03-01T10:00:02Z - Id=1 LinkDate="2019-01-01 10:00:00" Name="a1.exe""#,
    );
    let rows: Vec<String> = (1..4).map(|id| format!("{id},2019-0{id}-01 10:00:00,a{id}.exe\n")).collect();
    let rows = rows.concat();
    check(&format!("Id,LinkDate,Name\n{rows}"), r#"- - Id=1 LinkDate="2019-01-01 10:00:00" Name="a1.exe""#);
    // Without another time, one whose name speaks against it is better than none.
    check(&format!("Id,Runtime,Name\n{rows}"), r#"2019-01-01T10:00:00Z - Id=1 Name="a1.exe""#);
}

#[test]
fn letters_for_true_and_false_are_no_levels() {
    let row = |id: usize| format!("2026-11-21 03:04:{id}\tC{id}\t{}\tx\n", ["F", "T"][id % 7 / 6]);
    let rows: String = (10..30).map(row).collect();
    check(&rows, r#"2026-11-21T03:04:10Z - column_2="C10" column_3="F" column_4="x""#);
    let rows = rows.replace("\tT\t", "\tE\t").replace("\tF\t", "\tI\t");
    check(&rows, r#"2026-11-21T03:04:10Z info column_2="C10" column_4="x""#);
}

#[test]
fn level_may_be_in_brackets() {
    let row = |id: usize| format!("{id}\t{}\tdisk {id} is full\n", ["[ERROR]", "[INFO]"][id % 2]);
    let rows: String = (10..30).map(row).collect();
    check(&rows, r#"- error column_1=10 column_3="disk 10 is full""#);
    check(&format!("id\tlevel\ttext\n{rows}"), r#"- error id=10 text="disk 10 is full""#);
}

#[test]
fn risks_in_a_column_of_levels_are_levels() {
    for (word, level) in
        [("high", "error"), ("med", "warn"), ("LOW", "notice"), ("crit", "fatal"), ("LogAlways", "info")]
    {
        check(
            &format!(
                "\"Timestamp\",\"Rule\",\"Level\"\n\"2026-11-21 03:04:05.123 +00:00\",\"Logon\",\"{word}\"\n"
            ),
            &format!(r#"2026-11-21T03:04:05.123Z {level} Rule="Logon""#),
        );
    }
    // Without a name they may be anything.
    let row = |id: usize| format!("{id}\t{}\tpump\n", ["high", "low"][id % 2]);
    check(&(10..30).map(row).collect::<String>(), r#"- - column_1=10 column_2="high" column_3="pump""#);
}

#[test]
fn text_with_commas_is_no_table() {
    for text in [
        "2026-11-21 03:04:05,123 INFO up\n2026-11-21 03:04:06,123 INFO down\n",
        "one, two, three and four\nfive, six, seven and eight\n",
        "2026-11-21 03:04:05 | INFO | a | up\n2026-11-21 03:04:06 | INFO | a | down\n",
        "a b c\n",
        "one, two, three, four and five\n one, two, three, four and six\none, two, three, four and 7\na, b, c, d\ne, f, g, h\n",
        "up\tat 10:00:01 2026-03-01\tx\nup\tat 10:00:02 2026-03-01\tx\nup\tat 10:00:03 2026-03-01\tx\n",
    ] {
        assert_eq!(parse(text).unparsed as usize, parse(text).rows(), "{text}");
    }
}

#[test]
fn comma_before_milliseconds_does_not_separate_values() {
    let lines = "2026-11-21 03:04:05,123 INFO [c.e.Shop] - paid [a=1, b=2, c=3]|x\n".repeat(3);
    check(&lines, "unparsed: not a table");
}

#[test]
fn rows_that_do_not_fit_are_kept() {
    let batch = parse(
        "time,a,b\n2026-11-21 03:04:05,1,2\n2026-11-21 03:04:06,1\nnoise\n2026-11-21 03:04:07,1,2,3,4\n2026-11-21 03:04:08,1,2\n2026-11-21 03:04:08,1,2\n2026-11-21 03:04:08,1,2\n2026-11-21 03:04:08,1,2\n2026-11-21 03:04:08,1,2\n2026-11-21 03:04:08,1,2\n2026-11-21 03:04:08,1,2\n2026-11-21 03:04:08,1,2\n2026-11-21 03:04:08,1,2\n2026-11-21 03:04:08,1,2\n2026-11-21 03:04:08,1,2\n2026-11-21 03:04:08,1,2\n",
    );
    assert_eq!((batch.rows(), batch.unparsed), (16, 2));
    let count = |name: &str| {
        let column = batch.columns.iter().find(|column| &*column.name == name);
        column.map_or(0, |column| match &column.values {
            Values::Int(values) => values.iter().filter(|value| **value >= 0).count(),
            _ => 0,
        })
    };
    assert_eq!((count("a"), count("b")), (14, 13));
}

#[test]
fn unclosed_quote_is_limited_to_one_event() {
    let mut text = b"2026-11-21,\"open\n".to_vec();
    text.extend(b"2026-11-21,x,y\n".repeat(limits::LONGEST_EVENT_BYTES / 10));
    let block = record::<b','>(&text).unwrap_or(EventBlock { start: 0, end: 0, next: 0 });
    assert_eq!(&text[block.start..block.end], b"2026-11-21,\"open");
    assert!(record::<b','>(&text[..100]).is_none());
}
