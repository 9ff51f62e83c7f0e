use serde_json::json;

use super::*;
use crate::ImportOptions;
use store::{NoteChange, NoteDraft};

const HOSTILE: &str = "2026-03-01T14:05:01Z ERROR <script>alert(1)</script> | ``` \u{1b}[31m \u{202e}x";

fn draft(kind: &str, id: &str, text: &str) -> NoteDraft {
    NoteDraft {
        kind: kind.into(),
        id: id.into(),
        known: None,
        event: None,
        range: None,
        text: text.into(),
        data: json!(null),
    }
}

fn notebook(page: &str) -> (tempfile::TempDir, Notebook) {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("<b>app.log");
    let lines = format!("2026-03-01T14:05:00Z INFO started\n{HOSTILE}\n2026-03-01T14:05:02Z INFO ended\n");
    std::fs::write(&log, lines).expect("a log");
    let case = Case::create(&folder.path().join("n.case")).expect("a case");
    let cancel = Cancel::default();
    case.import(&[log], &ImportOptions::default(), &|_| {}, &cancel).expect("an import");
    let star = NoteDraft { event: Some((0, 34)), ..draft("star", "0:34", "") };
    let tag = NoteDraft { event: Some((0, 34)), ..draft("tag", "0:34:x", "<i>cause") };
    let marker = NoteDraft { range: Some((1, 1)), ..draft("marker", "m", "it | broke") };
    let page = NoteDraft { data: json!({ "title": "Found" }), ..draft("page", "p", page) };
    let noted = |kind: &str, text: &str| NoteDraft { range: Some((5, 9)), ..draft(kind, "r", text) };
    let range = [noted("star", ""), noted("tag", "slow"), noted("comment", "all of <it>")];
    let alert = json!({ "key": "00000000000000ff", "origin": "sigma", "detector": "d", "title": "<b>Logons | failed",
        "severity": "high", "start": 1_772_373_901_000_000_000_i64, "end": null, "peak": null, "events": 3,
        "group": [["host", "<script>"]], "value": 3.0, "expected": null, "query": "host:x" });
    let closed = json!({ "verb": "close", "reason": "falsePositive", "alerts": [alert] });
    let triage = NoteDraft { data: closed, ..draft("triage", "t", "the <i>scanner\nof us") };
    let put = [star, tag, marker, page, triage].into_iter().chain(range).collect();
    let change = NoteChange { put, remove: Vec::new() };
    case.change_notes(&change, 1).expect("a change");
    let book =
        case.notebook(None, &RunOptions::default(), 1_772_373_900_000_000_000, &mut |_, _| {}, &cancel);
    (folder, book.expect("a notebook"))
}

const PAGE: &str = "What [happened](event:0@34)\n\n```query title=\"By level\"\n* | stats count() as n by level | sort level\n```\n\n\
```chart\nlevel:info\n```\n\n```event\n0@34 the cause\n5@1\n```\n\n```query\nlevel:error\n```\n\n```query\nsttaus:1\n```\n\n<b>not bold</b>\n";

#[test]
fn times_that_a_cell_names_are_those_of_its_zone() {
    let count = |zone: &str| format!("```query {zone}\ntime>=2026-03-01T15:05:01 | stats count\n```\n\n");
    let (_folder, book) = notebook(&[count("zone=Europe/Berlin"), count("zone=UTC"), count("")].concat());
    let counted = book.pages[0].answers.iter().map(|answer| match answer {
        Answer::Table(table) => table.rows[0][0].clone(),
        other => panic!("{other:?}"),
    });
    assert_eq!(counted.collect::<Vec<_>>(), ["2", "0", "0"]);
}

#[test]
fn the_file_holds_answers_and_proofs_and_nothing_of_the_logs_is_markup() {
    let (_folder, book) = notebook(PAGE);
    let html = book.to_html();
    assert_eq!(html.matches("<script").count(), 0);
    for missing in ["<b>", "<i>cause", "\u{1b}", "\u{202e}"] {
        assert!(!html.contains(missing), "{missing:?} is in the file");
    }
    assert!(html.contains("default-src 'none'") && !html.contains("http:") && !html.contains("https:"));
    assert!(
        html.contains("&lt;script&gt;alert(1)&lt;/script&gt;")
            && html.contains("&lt;b&gt;not bold&lt;/b&gt;")
    );
    assert!(html.contains("<a href=\"#e-0-34\"") && html.matches("id=\"e-0-34\"").count() == 1);
    let source = &book.sources[0];
    let event = book.noted[0].evidence.as_ref().expect("evidence");
    assert_eq!(event.event.line, 2);
    for proof in [source.sha256.as_str(), event.sha256.as_deref().expect("a hash"), "<dt>Line</dt><dd>2</dd>"]
    {
        assert!(html.contains(proof), "{proof} is missing");
    }
    let row = "<td>closed: false positive</td><td>1970-01-01T00:00:00.000000001Z closed as false positive: the &lt;i&gt;scanner<br>of us</td>";
    assert!(html.contains(row) && html.contains("<td>host=&lt;script&gt;</td>"), "{html}");
    assert!(book.to_markdown().contains("| closed: false positive |"), "{}", book.to_markdown());
    assert!(html.contains("34 to 1") && html.contains("<svg") && html.contains("★"));
    assert!(html.contains("<td class=\"number\">2</td>"), "the table is there");
    assert!(html.contains("1 event<"), "the count is there");
    assert!(html.contains("no field `sttaus`") && html.contains("no event at byte 1 of source 5"));
}

#[test]
fn as_markdown_the_cells_stay_and_their_answers_follow() {
    let (_folder, book) = notebook(PAGE);
    let text = book.to_markdown();
    assert!(
        text.contains("```query title=\"By level\"\n* | stats count() as n by level | sort level\n```\n\n| "),
        "{text}"
    );
    assert!(text.contains("````text\n2026-03-01T14:05:01Z ERROR <script>"), "a longer fence: {text}");
    assert!(text.contains(&book.sources[0].sha256) && text.contains("it \\| broke"));
    assert!(text.contains("1970-01-01T00:00:00.000000009Z: ★ `slow` all of"), "{text}");
    // What was written out is a page again, with the same cells.
    let again = parse(&text);
    assert_eq!(cells(&again).len(), 5);
    let mut asked = Vec::new();
    asked.extend(cells(&again).into_iter().filter_map(|cell| match &cell.what {
        What::Query(query) => Some(query.clone()),
        _ => None,
    }));
    assert_eq!(asked, ["* | stats count() as n by level | sort level", "level:error", "sttaus:1"]);
}

#[test]
fn answers_are_those_of_the_case() {
    let (_folder, book) = notebook(PAGE);
    let answers = &book.pages[0].answers;
    let Answer::Table(table) = &answers[0] else { panic!("{:?}", answers[0]) };
    let names: Vec<&str> = table.columns.iter().map(|(name, _)| name.as_ref()).collect();
    let column = |name: &str| names.iter().position(|known| *known == name).expect("a column");
    let cell = |row: usize, name: &str| table.rows[row][column(name)].as_str();
    assert_eq!((cell(0, "level"), cell(0, "n"), cell(1, "level"), cell(1, "n")), ("info", "2", "error", "1"));
    let Answer::Chart { chart, .. } = &answers[1] else { panic!("{:?}", answers[1]) };
    let counted: f64 = chart.series.iter().flat_map(|series| &series.values).flatten().sum();
    assert!(chart.stacked && (counted - 2.0).abs() < f64::EPSILON);
    let Answer::Evidence(found) = &answers[2] else { panic!("{:?}", answers[2]) };
    assert_eq!((found[0].0.caption.as_str(), found[1].1.is_none()), ("the cause", true));
    assert!(matches!(&answers[3], Answer::Events { total: 1, .. }));
    assert!(matches!(&answers[4], Answer::Failed(_)));
}

#[test]
fn title_of_a_page_is_written_out_once() {
    for text in ["# What happened\n", "# Found\n", "found\n"] {
        let (_folder, book) = notebook(text);
        assert_eq!(book.to_html().matches("<h1>Found</h1>").count(), 1, "{text}");
        assert_eq!(book.to_markdown().matches("# Found\n").count(), 1, "{text}");
    }
}

#[test]
fn names_of_sources_do_not_break_within_a_word() {
    let (_folder, book) = notebook("```query\n*\n```\n");
    let html = book.to_html();
    assert!(html.contains(".time,.source{white-space:nowrap}") && html.contains("overflow-wrap:break-word}"));
    assert_eq!(html.matches("class=\"soft source\"").count(), 3);
    assert!(html.contains("<td class=\"source\">"));
}

#[test]
fn cell_with_sql_runs_as_sql() {
    let sql = "SELECT level, count(*) AS n FROM events GROUP BY level ORDER BY n DESC";
    let (_folder, book) = notebook(&format!("```query\n{sql}\n```\n\n```chart\n{sql}\n```\n"));
    let answers = &book.pages[0].answers;
    let Answer::Table(table) = &answers[0] else { panic!("{:?}", answers[0]) };
    assert_eq!(table.rows, [["info", "2"], ["error", "1"]]);
    let Answer::Chart { chart, .. } = &answers[1] else { panic!("{:?}", answers[1]) };
    assert_eq!(chart.series[0].values, [Some(2.0), Some(1.0)]);
}

#[test]
fn pictures_are_drawn_and_nothing_of_the_logs_in_them_is_markup() {
    let page = "```seismograph title=Patterns\n```\n\n```map id=line by=level\n```\n\n```chart\n* | quantiles line with (level:info)\n```\n";
    let (_folder, book) = notebook(page);
    let answers = &book.pages[0].answers;
    let Answer::Picture { svg, table } = &answers[0] else { panic!("{:?}", answers[0]) };
    assert!(svg.contains("aria-label=\"Patterns\"") && svg.contains("class=\"usual\""), "{svg}");
    assert_eq!((table.rows.len(), table.total), (3, 3));
    // No line has a second event.
    let Answer::Picture { svg, table } = &answers[1] else { panic!("{:?}", answers[1]) };
    assert!(svg.contains("No id leads") && table.rows.is_empty(), "{svg}");
    let Answer::Chart { chart, .. } = &answers[2] else { panic!("{:?}", answers[2]) };
    assert!(matches!(&chart.axis, super::chart::ChartAxis::Quantiles(at) if at.len() == 17), "{chart:?}");
    let html = book.to_html();
    assert!(!html.contains("<script") && html.contains("&lt;script&gt;"), "{html}");
    assert!(html.contains("with a 95 % band") && html.matches("<svg").count() == 2);
}

#[test]
fn named_pattern_has_its_name_in_the_picture_and_its_text_next_to_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("app.log");
    std::fs::write(&log, "2026-03-01T14:05:00Z INFO started\n2026-03-01T14:05:02Z INFO ended\n")
        .expect("a log");
    let case = Case::create(&folder.path().join("n.case")).expect("a case");
    let cancel = Cancel::default();
    case.import(&[log], &ImportOptions::default(), &|_| {}, &cancel).expect("an import");
    let everything = crate::View::parse("started", None, None).expect("a query");
    let options = crate::PatternOptions::default();
    let found =
        case.patterns(&case.snapshot(), &everything, &options, &mut |_, _| {}, &cancel).expect("patterns");
    let id = found.patterns[0].id.to_string();
    let tables = "```query\n* | stats count by template\n```\n```query\n* | patterns\n```\n\
                  ```chart\n* | timechart count() by template\n```\n```chart\n* | top template\n```\n";
    let page = draft("page", "p", &format!("```seismograph\n```\n{tables}"));
    let name = NoteDraft { data: json!({ "pattern": "started" }), ..draft("pattern", &id, "<Start> of day") };
    let change = NoteChange { put: vec![page, name], remove: Vec::new() };
    case.change_notes(&change, 1).expect("a change");
    let book = case.notebook(None, &RunOptions::default(), 1, &mut |_, _| {}, &cancel).expect("a notebook");
    let Answer::Picture { svg, table } = &book.pages[0].answers[0] else { panic!("a picture") };
    assert!(svg.contains(">&lt;Start&gt; of day<title>started</title></text>"), "{svg}");
    let mut patterns: Vec<&str> = table.rows.iter().map(|row| row[0].as_str()).collect();
    patterns.sort_unstable();
    assert_eq!(patterns, ["<Start> of day: started", "ended"]);

    // Tables and charts have the name in place of the text, and before the id.
    let [_, Answer::Table(by_id), Answer::Table(by_text), charts @ ..] = &book.pages[0].answers[..] else {
        panic!("tables")
    };
    let named = format!("<Start> of day ({id})");
    assert!(by_id.rows.iter().any(|row| row[0] == named), "{by_id:?}");
    assert!(by_text.rows.iter().any(|row| row[..2] == [&*named, "<Start> of day"]), "{by_text:?}");
    for answer in charts {
        let Answer::Chart { chart, table } = answer else { panic!("{answer:?}") };
        let shown = format!("{chart:?} {table:?}");
        assert_eq!(shown.matches(&id).count(), shown.matches(&named).count(), "{shown}");
        assert!(format!("{chart:?}").contains(&named) && format!("{table:?}").contains(&named), "{shown}");
    }
    assert_eq!(charts.len(), 2);
    let shown = format!("&lt;Start&gt; of day ({id})");
    assert!(book.to_html().contains(&shown), "the page keeps the id");
    assert!(book.to_markdown().contains(&format!("of day ({id})")), "the text keeps the id");
}
