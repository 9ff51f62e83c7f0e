//! Log sources: which events of a case a rule is about, and how its fields are called there. The table is
//! `logsources.toml`; files of the same form add to it.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::pattern::Wild;
use super::rule::LogSource;
use crate::problem::{Fault, Problem};

const TABLE: &str = include_str!("logsources.toml");

/// The table of log sources.
#[derive(Clone, Debug)]
pub struct Sources {
    files: Vec<LogSourceFile>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct LogSourceFile {
    #[serde(default)]
    prefixes: Vec<String>,
    #[serde(default)]
    fields: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    source: Vec<Entry>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    category: Option<String>,
    product: Option<String>,
    service: Option<String>,
    events: Vec<Events>,
}

/// One way in which events of a log source come.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Events {
    /// Field, `format` or `source`, and the values that it may have.
    #[serde(default, rename = "where")]
    pub conditions: BTreeMap<String, OneOrMore>,
    /// How fields of rules are called in these events.
    #[serde(default)]
    pub fields: BTreeMap<String, OneOrMore>,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(untagged)]
pub enum OneOrMore {
    Number(i64),
    One(String),
    More(Vec<OneOrMore>),
}

impl OneOrMore {
    pub fn texts(&self) -> Vec<String> {
        match self {
            OneOrMore::Number(number) => vec![number.to_string()],
            OneOrMore::One(text) => vec![text.clone()],
            OneOrMore::More(all) => all.iter().flat_map(OneOrMore::texts).collect(),
        }
    }

    /// As patterns in lower case.
    pub fn patterns(&self) -> Vec<Wild> {
        self.texts().iter().map(|text| Wild::parse(text).lower()).collect()
    }
}

impl Sources {
    /// The table that comes with the program.
    #[must_use]
    pub fn built_in() -> Sources {
        // A test reads the table, so that nothing is left out here.
        Sources { files: toml::from_str(TABLE).into_iter().collect() }
    }

    /// Adds the entries of a file, which are looked up first.
    pub fn add(&mut self, path: &Path, text: &str) -> Result<(), Problem> {
        let file = toml::from_str(text).map_err(|error: toml::de::Error| {
            let line = error.span().map_or(0, |span| text[..span.start].lines().count().max(1));
            let fault = Fault::new(line, format!("not a table of log sources: {}", error.message()))
                .hint("docs/detectors.md shows one");
            Problem::of_file(path, fault)
        })?;
        self.files.insert(0, file);
        Ok(())
    }

    /// The events that a log source means: those of the entry that names all of it, else of the one that leaves out its
    /// service, its category or its product.
    #[must_use]
    pub fn events(&self, source: &LogSource) -> Option<&[Events]> {
        let LogSource { category, product, service } = source;
        let none = &None;
        let tries: [[&Option<String>; 3]; 6] = [
            [category, product, service],
            [category, product, none],
            [none, product, service],
            [category, none, none],
            [none, none, service],
            [none, product, none],
        ];
        tries
            .into_iter()
            .filter(|key| key.iter().any(|part| part.is_some()))
            .find_map(|key| self.entry(key, source))
    }

    fn entry(
        &self,
        [category, product, service]: [&Option<String>; 3],
        whole: &LogSource,
    ) -> Option<&[Events]> {
        // A product alone is everything of it, which is too much for a category or service that nobody lists.
        let is_wider = category.is_none() && service.is_none();
        if is_wider && (whole.category.is_some() || whole.service.is_some()) {
            return None;
        }
        let entries = self.files.iter().flat_map(|file| &file.source);
        let same = |entry: &&Entry| {
            entry.category == *category && entry.product == *product && entry.service == *service
        };
        entries.into_iter().find(same).map(|entry| entry.events.as_slice())
    }

    /// The names that a field of a rule may have in such events, the likeliest first.
    #[must_use]
    pub fn names(&self, field: &str, events: &Events) -> Vec<String> {
        if let Some((_, names)) = events.fields.iter().find(|(name, _)| name.eq_ignore_ascii_case(field)) {
            return names.texts();
        }
        let mut names = vec![field.to_owned()];
        let known = self.files.iter().flat_map(|file| &file.fields);
        names.extend(
            known.filter(|(name, _)| name.eq_ignore_ascii_case(field)).flat_map(|(_, names)| names.clone()),
        );
        names
    }

    /// Which fields of a case a field of a rule means: those of its name, also below the usual prefixes; else
    /// those whose last parts it is; else those that are its own last parts; else the same for its other names.
    #[must_use]
    pub fn resolve(&self, names: &[String], fields: &[String]) -> Vec<String> {
        let lower: Vec<String> = fields.iter().map(|field| field.to_lowercase()).collect();
        let prefixes: Vec<&String> = self.files.iter().flat_map(|file| &file.prefixes).collect();
        for name in names {
            let name = name.to_lowercase();
            let is_exact = |field: &str| {
                field == name
                    || field
                        .strip_suffix(name.as_str())
                        .is_some_and(|before| prefixes.iter().any(|prefix| *prefix == before))
            };
            let is_last =
                |field: &str| field.strip_suffix(name.as_str()).is_some_and(|before| before.ends_with('.'));
            let has_last = |field: &str| {
                !matches!(field, "time" | "level" | "source" | "line" | "raw" | "template")
                    && name.strip_suffix(field).is_some_and(|before| before.ends_with('.'))
            };
            let ways: [&dyn Fn(&str) -> bool; 3] = [&is_exact, &is_last, &has_last];
            for way in ways {
                let found: Vec<String> = fields
                    .iter()
                    .zip(&lower)
                    .filter(|(_, lower)| way(lower))
                    .map(|(field, _)| field.clone())
                    .collect();
                if !found.is_empty() {
                    return found;
                }
            }
        }
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(category: &str, product: &str, service: &str) -> LogSource {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        LogSource { category: some(category), product: some(product), service: some(service) }
    }

    #[test]
    fn the_table_reads_and_has_the_usual_sources() {
        let table: LogSourceFile = toml::from_str(TABLE).expect("it reads");
        assert!(table.source.len() > 100);
        let sources = Sources::built_in();
        for (category, product, service) in [
            ("process_creation", "windows", ""),
            ("registry_set", "windows", ""),
            ("", "windows", "security"),
            ("", "windows", ""),
            ("webserver", "", ""),
            ("webserver", "apache", ""),
            ("", "aws", "cloudtrail"),
            ("", "linux", "auditd"),
            ("firewall", "", ""),
            ("dns", "", ""),
        ] {
            assert!(
                sources.events(&source(category, product, service)).is_some(),
                "{category} {product} {service}"
            );
        }
        assert!(sources.events(&source("made_up", "windows", "")).is_none());
        assert!(sources.events(&source("", "windows", "made-up")).is_none());
    }

    #[test]
    fn fields_resolve_by_name_prefix_last_part_and_other_name() {
        let sources = Sources::built_in();
        let fields: Vec<String> =
            ["data.Image", "event_id", "x.y.Action", "status", "other.Image"].map(str::to_owned).to_vec();
        let events = Events { conditions: BTreeMap::new(), fields: BTreeMap::new() };
        let resolve = |field: &str| sources.resolve(&sources.names(field, &events), &fields);
        assert_eq!(resolve("image"), ["data.Image"]);
        assert_eq!(resolve("EventID"), ["event_id"]);
        assert_eq!(resolve("Action"), ["x.y.Action"]);
        assert_eq!(resolve("sc-status"), ["status"]);
        assert_eq!(resolve("responseElements.status"), ["status"]);
        assert_eq!(resolve("Nothing"), Vec::<String>::new());
    }

    #[test]
    fn files_add_to_the_table_and_mistakes_have_a_line() {
        let mut sources = Sources::built_in();
        let text = "[[source]]\nproduct = \"acme\"\nevents = [{ where = { format = \"json\" }, fields = { user = \"who\" } }]\n";
        sources.add(Path::new("mine.toml"), text).expect("it reads");
        let events = sources.events(&source("", "acme", "")).expect("it is known");
        assert_eq!(sources.names("User", &events[0]), ["who"]);
        let problem = sources.add(Path::new("bad.toml"), "\n[[source]]\nevnts = 1\n").expect_err("a slip");
        assert!(problem.to_string().starts_with("bad.toml:"), "{problem}");
    }
}
