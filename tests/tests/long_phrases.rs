//! Phrases and wildcards that are far longer than people write match as a scan of the lines does, in every profile.

use std::fs;

use indexer::{Cancel, Case, ImportOptions, Profile, View};

/// A line of some thousand words; few of them are unlike those of other lines.
fn line(n: usize, words: usize) -> String {
    let word = |place: usize| match place % 50 {
        0 => format!("w{}", n % 40),
        7 => format!("x{}", (n + place) % 300),
        other => format!("c{other}"),
    };
    let text: Vec<String> = (0..words).map(word).collect();
    format!("2026-03-01T00:{:02}:{:02}Z INFO {}", n / 60, n % 60, text.join(" "))
}

#[test]
fn phrases_of_thousands_of_words_match_as_lines_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let lines: Vec<String> = (0..400).map(|n| line(n, if n % 4 == 0 { 2_200 } else { 90 })).collect();
    let log = folder.path().join("a.log");
    fs::write(&log, lines.join("\n")).expect("a log");
    for profile in [Profile::Full, Profile::Bloom] {
        let case = Case::create(&folder.path().join(format!("{profile:?}.case"))).expect("a case");
        let options = ImportOptions { profile: Some(profile), ..ImportOptions::default() };
        case.import(std::slice::from_ref(&log), &options, &|_| {}, &Cancel::default()).expect("an import");
        let count = |query: &str| {
            let view = View::parse(query, None, None).expect("a query");
            case.count(&case.snapshot(), &view, &Cancel::default()).expect("a count")
        };
        for (of, first, words) in
            [(0, 0, 2_000), (4, 13, 2_000), (8, 100, 1_500), (1, 0, 80), (2, 3, 64), (3, 9, 65)]
        {
            let text = lines[of].split_once("INFO ").expect("a text").1;
            let words: Vec<&str> = text.split(' ').skip(first).take(words).collect();
            let phrase = words.join(" ");
            let expected =
                lines.iter().filter(|line| format!("{line} ").contains(&format!(" {phrase} "))).count();
            assert!(expected > 0);
            assert_eq!(
                count(&format!("\"{phrase}\"")),
                expected,
                "{} words of line {of}, {profile:?}",
                words.len()
            );
            let swapped = words.iter().rev().copied().collect::<Vec<_>>().join(" ");
            assert_eq!(
                count(&format!("\"{swapped}\"")),
                0,
                "{} words of line {of}, {profile:?}",
                words.len()
            );
        }
        for (wildcard, part) in [("*3*w*1*", None), ("w1*", Some(" w1")), ("*c49*", Some("c49"))] {
            let expected = |line: &&String| part.is_some_and(|part: &str| line.contains(part));
            assert_eq!(count(wildcard), lines.iter().filter(expected).count(), "{wildcard}, {profile:?}");
        }
    }
}
