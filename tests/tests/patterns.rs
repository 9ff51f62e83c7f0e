//! How well messages are mined, on real logs whose templates others established, where a folder with them is:
//! `TIMBERLINE_DATASETS`, or `shared/datasets` next to the project.
//!
//! The measure is that of the loghub benchmarks: the share of messages whose group is exactly the group that
//! the truth puts them in, no message missing and none too many.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use indexer::{Cancel, Case, Granularity, ImportOptions, PatternOptions, View};
use timberline_tests::files::datasets;
use timberline_tests::report;

/// What the mean over the files must reach, without a setting for any of them.
const GROUPING_ACCURACY: f64 = 0.88;

/// Logs with the table that says which template each line has.
fn logs_with_templates(folder: &Path) -> Vec<(PathBuf, PathBuf)> {
    let mut found = Vec::new();
    for format in fs::read_dir(folder).expect("a folder").flatten() {
        let Ok(truth) = fs::read_dir(format.path().join("_truth")) else { continue };
        for table in truth.flatten() {
            let name = table.file_name().to_string_lossy().into_owned();
            if let Some(log) = name.strip_suffix("_structured.csv") {
                found.push((format.path().join(log), table.path()));
            }
        }
    }
    found.sort();
    found
}

/// The fields of a line of a table; quotes within quotes are doubled.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut is_quoted = false;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        let last = fields.len() - 1;
        match character {
            '"' if is_quoted && characters.peek() == Some(&'"') => {
                characters.next();
                fields[last].push('"');
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(String::new()),
            other => fields[last].push(other),
        }
    }
    fields
}

/// For each line of the log, by its number, the name of its true template.
fn truth(table: &Path) -> HashMap<u64, String> {
    let text = fs::read(table).expect("the truth is there");
    let text = String::from_utf8_lossy(&text);
    let mut lines = text.lines().map(fields);
    let names = lines.next().expect("a line of names");
    let column =
        |name: &str| names.iter().position(|known| known == name).expect("the truth has this column");
    let (line, event) = (column("LineId"), column("EventId"));
    lines.map(|row| (row[line].parse().expect("a number"), row[event].clone())).collect()
}

/// A case of everything below some paths.
fn case_of(folder: &Path, paths: &[PathBuf]) -> Case {
    let case = Case::create(&folder.join("logs.case")).expect("a case");
    case.import(paths, &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("it is read");
    case
}

/// For each file, and in it for each line by its number, the id of the template it was given.
fn mined(case: &Case) -> HashMap<String, HashMap<u64, String>> {
    let snapshot = case.snapshot();
    let view = View::parse("", None, None).expect("a query");
    let mut found: HashMap<String, HashMap<u64, String>> = HashMap::new();
    case.for_each_template(
        &snapshot,
        &view,
        Granularity::Template,
        &Cancel::default(),
        &mut |event, template| {
            let path = &snapshot.sources()[event.source as usize].path;
            let id = template.map(|template| template.id.to_string()).unwrap_or_default();
            found.entry(path.clone()).or_default().insert(event.line, id);
            Ok(())
        },
    )
    .expect("every event has its template");
    found
}

fn grouping_accuracy(truth: &HashMap<u64, String>, mined: &HashMap<u64, String>) -> f64 {
    let mut groups: HashMap<&str, HashMap<&str, usize>> = HashMap::new();
    let mut true_sizes: HashMap<&str, usize> = HashMap::new();
    for (line, event) in truth {
        let template = mined.get(line).map_or("", String::as_str);
        *groups.entry(template).or_default().entry(event).or_default() += 1;
        *true_sizes.entry(event).or_default() += 1;
    }
    let exact = groups.values().filter(|events| events.len() == 1).flatten();
    let right: usize = exact.filter(|(event, size)| true_sizes[*event] == **size).map(|(_, size)| size).sum();
    right as f64 / truth.len().max(1) as f64
}

#[test]
fn real_messages_are_grouped_as_their_truth_says() {
    let folder = match datasets() {
        Ok(folder) => folder,
        Err(reason) => return report::skipped(&reason),
    };
    let logs = logs_with_templates(&folder);
    assert!(!logs.is_empty(), "the folder has no truth about templates");
    let room = tempfile::tempdir().expect("a folder");
    let together = case_of(room.path(), &[folder]);
    let all = mined(&together);
    let (mut alone_sum, mut together_sum) = (0.0, 0.0);
    for (log, table) in &logs {
        let truth = truth(table);
        let room = tempfile::tempdir().expect("a folder");
        let alone = mined(&case_of(room.path(), std::slice::from_ref(log)));
        let path = |files: &HashMap<String, HashMap<u64, String>>| {
            let is_log = |path: &&String| Path::new(path).ends_with(log.file_name().unwrap_or_default());
            files.keys().find(is_log).cloned().unwrap_or_default()
        };
        let alone = grouping_accuracy(&truth, &alone[&path(&alone)]);
        let together = grouping_accuracy(&truth, &all[&path(&all)]);
        let name = log.file_name().unwrap_or_default().to_string_lossy();
        assert!(
            together >= alone - 0.01,
            "{name}: other files change its templates, {alone:.4} alone and {together:.4} with them"
        );
        alone_sum += alone;
        together_sum += together;
    }
    let mean = |sum: f64| sum / logs.len() as f64;
    report::figure(&format!(
        "Grouping accuracy of {} files: {:.4} alone, {:.4} together",
        logs.len(),
        mean(alone_sum),
        mean(together_sum)
    ));
    assert!(mean(together_sum) >= GROUPING_ACCURACY, "grouping accuracy is only {:.4}", mean(together_sum));
    templates_say_something(&together);
}

/// No template without a constant word covers more than one event in 200.
fn templates_say_something(case: &Case) {
    let view = View::parse("", None, None).expect("a query");
    let (options, cancel) = (PatternOptions::default(), Cancel::default());
    let list = case.patterns(&case.snapshot(), &view, &options, &mut |_, _| {}, &cancel).expect("patterns");
    for pattern in &list.patterns {
        let mut text = pattern.text.clone();
        while let Some((start, rest)) = text.split_once('<') {
            text = format!("{start}{}", rest.split_once('>').map_or("", |(_, rest)| rest));
        }
        let is_bare = !text.contains(char::is_alphabetic);
        assert!(!is_bare || pattern.share <= 0.005, "{} covers {} events", pattern.text, pattern.count);
    }
}

#[test]
fn the_measure_counts_only_exact_groups() {
    let groups = |names: &[&str]| (1..).zip(names.iter().map(|name| (*name).to_owned())).collect();
    let truth: HashMap<u64, String> = groups(&["a", "a", "b", "b"]);
    for (mined, expected) in
        [(["x", "x", "y", "y"], 1.0), (["x", "x", "y", "z"], 0.5), (["x", "x", "x", "y"], 0.0)]
    {
        let accuracy = grouping_accuracy(&truth, &groups(&mined));
        assert!((accuracy - expected).abs() < 1e-9, "{mined:?}: {accuracy}");
    }
}
