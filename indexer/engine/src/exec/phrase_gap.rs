//! Phrases within column values, and across the gap between the values of neighbouring columns whose order
//! and separator are the same in all events. The distinct values decide which rows match, so no raw text is
//! read. Bitmap that have the words elsewhere are left undecided.

use std::collections::BTreeMap;

use super::bitmap::Bitmap;
use super::candidates::{Candidates, ColumnCandidates};
use super::codes::Codes;
use base::error::Result;
use base::tokens;
use store::{ColumnLayout, TextIndex};

/// The rows among the candidates that certainly contain these words next to each other. `candidates` maps
/// each word to the rows that contain it, for the words that the index knows.
pub fn rows_with_phrase(
    index: &TextIndex,
    words: &[String],
    candidates: &[(&String, Candidates)],
    among: &Bitmap,
) -> Result<Bitmap> {
    let line = ColumnSequence { columns: index.column_layout()?, candidates };
    let mut found = Bitmap::none(among.rows());
    for (place, column) in line.columns.iter().enumerate() {
        found = found.or(&line.found_in(place, words, among));
        let Some(before) = &column.before else { continue };
        for count in 1..words.len() {
            if before.words.ends_with(&words[..count]) {
                let known = among.clone().without_listed(&before.strays);
                found = found.or(&line.starting_in(place, &words[count..], &known));
            }
        }
    }
    Ok(found)
}

/// The columns in the order in which their values occur in the raw text.
struct ColumnSequence<'a> {
    columns: Vec<ColumnLayout<'a>>,
    candidates: &'a [(&'a String, Candidates)],
}

impl ColumnSequence<'_> {
    /// Bitmap where the value contains the words, or ends with the first ones and is followed by the others.
    fn found_in(&self, place: usize, words: &[String], among: &Bitmap) -> Bitmap {
        let none = Bitmap::none(among.rows());
        let Some(held) = self.column_candidates(place, words) else { return none };
        let mut within = Vec::new();
        let mut ending = vec![Vec::new(); words.len()];
        for (value, tokens) in values(held) {
            if tokens.windows(words.len()).any(|some| some == words) {
                within.push(value);
                continue;
            }
            for (count, ending) in ending.iter_mut().enumerate().skip(1) {
                if tokens.ends_with(&words[..count]) {
                    ending.push(value);
                }
            }
        }
        let mut found = held.rows(&Codes::from_places(within), among);
        for (count, ending) in ending.into_iter().enumerate().skip(1) {
            found = found.or(&self.followed_by(place, held, ending, &words[count..], among));
        }
        found
    }

    /// Bitmap whose value starts with the words, or equals the first ones and is followed by the others.
    fn starting_in(&self, place: usize, words: &[String], among: &Bitmap) -> Bitmap {
        let none = Bitmap::none(among.rows());
        let Some(held) = self.column_candidates(place, words) else { return none };
        let mut beginning = Vec::new();
        let mut whole: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (value, tokens) in values(held) {
            if tokens.starts_with(words) {
                beginning.push(value);
            } else if words.starts_with(&tokens) {
                whole.entry(tokens.len()).or_default().push(value);
            }
        }
        let mut found = held.rows(&Codes::from_places(beginning), among);
        for (count, whole) in whole {
            found = found.or(&self.followed_by(place, held, whole, &words[count..], among));
        }
        found
    }

    /// Bitmap that have one of these values followed by the words, through the gap into the value of the next
    /// column.
    fn followed_by(
        &self,
        place: usize,
        held: &ColumnCandidates,
        values: Vec<usize>,
        words: &[String],
        among: &Bitmap,
    ) -> Bitmap {
        let none = Bitmap::none(among.rows());
        let between = self.columns.get(place + 1).and_then(|next| next.between.as_ref());
        let Some(between) = between.filter(|_| !values.is_empty()) else { return none };
        match words.strip_prefix(between.words) {
            Some(rest) if !rest.is_empty() => {
                let having = held.rows(&Codes::from_places(values), among);
                self.starting_in(place + 1, rest, &having.without_listed(&between.strays))
            }
            _ => none,
        }
    }

    /// The values of a column that contain the first of the words.
    fn column_candidates(&self, place: usize, words: &[String]) -> Option<&ColumnCandidates> {
        let (_, candidates) = self.candidates.iter().find(|(word, _)| Some(*word) == words.first())?;
        candidates.in_column(self.columns[place].column)
    }
}

fn values(held: &ColumnCandidates) -> impl Iterator<Item = (usize, Vec<String>)> {
    held.values().map(|(value, text)| (value, tokens::folded(text.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::super::matcher::Matcher;
    use crate::View;
    use crate::test_case::{ImportOptions, TestCase};
    use base::Cancel;
    use store::Profile;

    const METHODS: [&str; 4] = ["GET", "POST", "HEAD", "GET"];
    const PATHS: [&str; 8] = [
        "/wp-content/a.css",
        "/blog/wp-content/b",
        "/",
        "/HTTP",
        "/post/get",
        "/a?get=/wp-content",
        "/-",
        "/caf\u{e9}/wp",
    ];
    const PROTOCOLS: [&str; 3] = ["HTTP/1.1", "HTTP/1.0", "HTTP/2.0"];
    const REFERERS: [&str; 5] = ["-", "http://a.org/get", "https://b.org/x y", "-", "http://a.org/Mozilla"];
    const AGENTS: [&str; 4] = ["Mozilla/5.0 (X11)", "curl/8", "-", "get Mozilla"];

    fn access(n: usize) -> String {
        let (method, path, protocol) = (METHODS[n % 4], PATHS[n / 3 % 8], PROTOCOLS[n / 7 % 3]);
        let (referer, agent) = (REFERERS[n / 5 % 5], AGENTS[n / 11 % 4]);
        let request = match n % 97 {
            0 => "-".to_owned(),
            1 => "\\x16\\x03 GET /wp-content".to_owned(),
            _ => format!("{method} {path} {protocol}"),
        };
        let (time, status) = (n / 60 % 60, 200 + n % 3);
        format!(
            "10.0.{}.7 - - [01/Mar/2026:14:{time:02}:{:02} +0000] \"{request}\" {status} {n} \"{referer}\" \"{agent}\"",
            n % 250,
            n % 60
        )
    }

    fn json(n: usize) -> String {
        let (level, service, host) =
            (["info", "error", "warn"][n / 2 % 3], ["auth", "pay in", "info"][n / 3 % 3], n % 7);
        match n % 50 {
            0 => format!(
                "{{\"n\":{n},\"service\":\"{service}\",\"level\":\"{level}\",\"host\":\"web-{host}\"}}"
            ),
            1 => format!("{{\"n\":{n},\"level\":\"{level}\",\"host\":\"web-{host}\"}}"),
            2 => format!(
                "{{\"n\":{n},\"level\":\"{level}\",\"extra\":1,\"service\":\"{service}\",\"host\":\"web-{host}\"}}"
            ),
            _ => format!(
                "{{\"n\":{n},\"level\":\"{level}\",\"service\":\"{service}\",\"host\":\"web-{host}\"}}"
            ),
        }
    }

    fn regular(n: usize) -> String {
        let (level, service) = (["info", "warn"][n / 3 % 2], n % 5);
        format!("{{\"n\":{n},\"level\":\"{level}\",\"service\":\"s {service}\"}}")
    }

    /// Phrases from all over the lines.
    fn phrases(lines: &[String]) -> impl Iterator<Item = String> {
        lines.iter().step_by(61).enumerate().filter_map(|(index, line)| {
            let words = base::tokens::folded(line.as_bytes());
            let count = 2 + index % 4;
            let from = index * 7 % words.len().saturating_sub(count).max(1);
            words.get(from..from + count).map(|words| words.join(" "))
        })
    }

    /// How many events match a phrase, and how many raw texts were read.
    fn answer(case: &TestCase, phrase: &str) -> (u64, u64) {
        let view = View::parse(&format!("\"{phrase}\""), None, None).expect("a query");
        let explained = case.explain(&case.snapshot(), &view, &Cancel::default()).expect("an answer");
        (explained.matched, explained.steps[0].texts)
    }

    #[test]
    fn phrases_across_columns_match_like_a_scan() {
        type Log = (&'static str, fn(usize) -> String, &'static [&'static str]);
        let logs: [Log; 3] = [
            (
                "a.log",
                access,
                &["get wp content", "a css HTTP 2", "post a get", "org get mozilla 5", "mozilla 5"],
            ),
            ("b.ndjson", json, &["service auth", "service pay in host web"]),
            ("c.ndjson", regular, &["service s 3"]),
        ];
        for (name, line, known) in logs {
            let lines: Vec<String> = (0..6_000).map(line).collect();
            let log = lines.join("\n");
            let queries: Vec<String> =
                phrases(&lines).chain(known.iter().map(|known| (*known).to_owned())).collect();
            for profile in [Profile::Full, Profile::Bloom] {
                let folder = tempfile::tempdir().expect("a folder");
                let file = folder.path().join(name);
                std::fs::write(&file, &log).expect("a log");
                let case = TestCase::create(&folder.path().join("p.case")).expect("a case");
                let options = ImportOptions { profile: Some(profile), ..ImportOptions::default() };
                case.import(&[file], &options, &|_| {}, &Cancel::default()).expect("an import");
                for phrase in &queries {
                    let matcher = Matcher::Tokens(base::tokens::folded(phrase.as_bytes()));
                    let expected = lines.iter().filter(|line| matcher.is_in(line.as_bytes())).count() as u64;
                    let (found, texts) = answer(&case, phrase);
                    assert_eq!(found, expected, "{phrase} in {name}, {profile:?}");
                    let is_known = profile == Profile::Full && known.contains(&phrase.as_str());
                    assert!(
                        !is_known || texts < expected / 5,
                        "{phrase} in {name}, {profile:?}: {texts} of {expected}"
                    );
                }
            }
        }
    }
}
