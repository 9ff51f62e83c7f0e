//! Phrases in values of columns, and across such that stand beside each other wherever both stand. The distinct
//! values tell which rows have them, and no text is read. It tells nothing of rows whose words stand elsewhere.

use std::collections::BTreeMap;

use super::codes::Codes;
use super::holders::{Holders, InColumn};
use super::rows::Rows;
use crate::error::Result;
use crate::storage::{Standing, TextIndex};
use crate::tokens;

/// The rows among the candidates that surely have these words side by side. Of each word is told what holds it, if
/// anything is known of it.
pub fn holding(
    index: &TextIndex,
    words: &[String],
    told: &[(&String, Holders)],
    among: &Rows,
) -> Result<Rows> {
    let line = Line { columns: index.standing()?, told };
    let mut found = Rows::none(among.rows());
    for (place, column) in line.columns.iter().enumerate() {
        found = found.or(&line.beginning_in(place, words, among));
        let Some(before) = &column.before else { continue };
        for count in 1..words.len() {
            if before.words.ends_with(&words[..count]) {
                let known = among.clone().without_listed(&before.strays);
                found = found.or(&line.going_on_in(place, &words[count..], &known));
            }
        }
    }
    Ok(found)
}

/// The columns in the order in which their values stand.
struct Line<'a> {
    columns: Vec<Standing<'a>>,
    told: &'a [(&'a String, Holders)],
}

impl Line<'_> {
    /// Rows where the words stand in the value, or begin at its end and go on behind it.
    fn beginning_in(&self, place: usize, words: &[String], among: &Rows) -> Rows {
        let none = Rows::none(among.rows());
        let Some(held) = self.held(place, words) else { return none };
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
        let mut found = held.rows(&Codes::of_places(within), among);
        for (count, ending) in ending.into_iter().enumerate().skip(1) {
            found = found.or(&self.behind(place, held, ending, &words[count..], among));
        }
        found
    }

    /// Rows whose value begins with the words, or is the first of them while the others stand behind it.
    fn going_on_in(&self, place: usize, words: &[String], among: &Rows) -> Rows {
        let none = Rows::none(among.rows());
        let Some(held) = self.held(place, words) else { return none };
        let mut beginning = Vec::new();
        let mut whole: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (value, tokens) in values(held) {
            if tokens.starts_with(words) {
                beginning.push(value);
            } else if words.starts_with(&tokens) {
                whole.entry(tokens.len()).or_default().push(value);
            }
        }
        let mut found = held.rows(&Codes::of_places(beginning), among);
        for (count, whole) in whole {
            found = found.or(&self.behind(place, held, whole, &words[count..], among));
        }
        found
    }

    /// Rows with one of these values and the words behind it, into the value of the next column.
    fn behind(
        &self,
        place: usize,
        held: &InColumn,
        values: Vec<usize>,
        words: &[String],
        among: &Rows,
    ) -> Rows {
        let none = Rows::none(among.rows());
        let between = self.columns.get(place + 1).and_then(|next| next.between.as_ref());
        let Some(between) = between.filter(|_| !values.is_empty()) else { return none };
        match words.strip_prefix(between.words) {
            Some(rest) if !rest.is_empty() => {
                let having = held.rows(&Codes::of_places(values), among);
                self.going_on_in(place + 1, rest, &having.without_listed(&between.strays))
            }
            _ => none,
        }
    }

    /// The values of a column that have the first of the words.
    fn held(&self, place: usize, words: &[String]) -> Option<&InColumn> {
        let (_, holders) = self.told.iter().find(|(word, _)| Some(*word) == words.first())?;
        holders.in_column(self.columns[place].column)
    }
}

fn values(held: &InColumn) -> impl Iterator<Item = (usize, Vec<String>)> {
    held.values().map(|(value, text)| (value, tokens::folded(text.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::super::matcher::Matcher;
    use crate::storage::Profile;
    use crate::{Cancel, Case, ImportOptions, View};

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
            let words = crate::tokens::folded(line.as_bytes());
            let count = 2 + index % 4;
            let from = index * 7 % words.len().saturating_sub(count).max(1);
            words.get(from..from + count).map(|words| words.join(" "))
        })
    }

    /// How many events have a phrase, and how many texts were read to tell.
    fn answer(case: &Case, phrase: &str) -> (u64, u64) {
        let view = View::parse(&format!("\"{phrase}\""), None, None).expect("a query");
        let explained = case.explain(&case.snapshot(), &view, &Cancel::default()).expect("an answer");
        (explained.matched, explained.steps[0].texts)
    }

    #[test]
    fn phrases_across_values_are_those_of_the_lines() {
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
            let asked: Vec<String> =
                phrases(&lines).chain(known.iter().map(|known| (*known).to_owned())).collect();
            for profile in [Profile::Full, Profile::Bloom] {
                let folder = tempfile::tempdir().expect("a folder");
                let file = folder.path().join(name);
                std::fs::write(&file, &log).expect("a log");
                let case = Case::create(&folder.path().join("p.case")).expect("a case");
                let options = ImportOptions { profile: Some(profile), ..ImportOptions::default() };
                case.import(&[file], &options, &|_| {}, &Cancel::default()).expect("an import");
                for phrase in &asked {
                    let matcher = Matcher::Tokens(crate::tokens::folded(phrase.as_bytes()));
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
