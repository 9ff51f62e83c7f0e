//! Log sources: which events of a case a rule is about, and how its fields are called there. The table is
//! `logsources.toml`; files of the same form add to it.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::entities::squashed;
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
    /// Prefixes after which an element of any name may come, as in Windows' `UserData`.
    #[serde(default)]
    containers: Vec<String>,
    /// Names that mean the same field in different formats.
    #[serde(default)]
    same: Vec<Vec<String>>,
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

    /// The names that a field of a rule may have in such events, the likeliest first. Those of one list mean the same, and a
    /// case of several formats may have all of them.
    #[must_use]
    pub fn names(&self, field: &str, events: &Events) -> Vec<Vec<String>> {
        let each = |names: Vec<String>| names.into_iter().map(|name| vec![name]).collect();
        if let Some((_, names)) = events.fields.iter().find(|(name, _)| name.eq_ignore_ascii_case(field)) {
            return each(names.texts());
        }
        let mut same = self.files.iter().flat_map(|file| &file.same);
        if let Some(same) = same.find(|names| names.iter().any(|name| name.eq_ignore_ascii_case(field))) {
            return vec![same.clone()];
        }
        let mut names = vec![field.to_owned()];
        let known = self.files.iter().flat_map(|file| &file.fields);
        names.extend(
            known.filter(|(name, _)| name.eq_ignore_ascii_case(field)).flat_map(|(_, names)| names.clone()),
        );
        each(names)
    }

    /// Which fields of a case a field of a rule means: those of its name, also below the usual prefixes; else those that
    /// differ in spaces, dashes and underscores; else those whose last parts it is; else those that are its own last parts;
    /// else the same for its other names.
    #[must_use]
    pub fn resolve(&self, names: &[Vec<String>], fields: &[String]) -> Vec<String> {
        let lower: Vec<String> = fields.iter().map(|field| field.to_lowercase()).collect();
        for same in names {
            let mut found = vec![false; fields.len()];
            for (at, name) in same.iter().enumerate() {
                self.fields_of_name(&name.to_lowercase(), &lower, at > 0, &mut found);
            }
            if found.contains(&true) {
                let chosen = fields.iter().zip(&found).filter(|(_, found)| **found);
                return chosen.map(|(field, _)| field.clone()).collect();
            }
        }
        Vec::new()
    }

    /// Notes which fields a name means; all are in lower case. A `whole` name is no part of a longer one.
    fn fields_of_name(&self, name: &str, fields: &[String], whole: bool, found: &mut [bool]) {
        let is_exact = |field: &str| match name.strip_suffix('*') {
            // `param*`: data without names, which have numbers.
            Some(stem) => self.last_name(field).strip_prefix(stem).is_some_and(|number| {
                !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit())
            }),
            None => field == name || self.last_name(field) == name,
        };
        let plain = squashed(name);
        let is_spelled = |field: &str| squashed(self.last_name(field)) == plain;
        let is_last = |field: &str| field.strip_suffix(name).is_some_and(|before| before.ends_with('.'));
        let has_last = |field: &str| {
            !matches!(field, "time" | "level" | "source" | "line" | "raw" | "template")
                && name.strip_suffix(field).is_some_and(|before| before.ends_with('.'))
        };
        let ways: [&dyn Fn(&str) -> bool; 4] = [&is_exact, &is_spelled, &is_last, &has_last];
        for way in &ways[..if whole { 2 } else { ways.len() }] {
            let mut is_any = false;
            for (field, found) in fields.iter().zip(found.iter_mut()) {
                if way(field) {
                    (*found, is_any) = (true, true);
                }
            }
            if is_any {
                return;
            }
        }
    }

    /// A field without the prefix that formats of Windows events give it.
    fn last_name<'f>(&self, field: &'f str) -> &'f str {
        let containers = self.files.iter().flat_map(|file| &file.containers);
        for container in containers {
            let inner = field.strip_prefix(container.as_str()).and_then(|rest| rest.split_once('.'));
            if let Some((_, name)) = inner
                && !name.contains('.')
            {
                return name;
            }
        }
        let prefixes = self.files.iter().flat_map(|file| &file.prefixes);
        let rest = prefixes.filter_map(|prefix| field.strip_prefix(prefix.as_str()));
        rest.min_by_key(|rest| rest.len()).unwrap_or(field)
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
    fn fields_resolve_with_spaces_in_other_case_and_below_the_elements_of_user_data() {
        let sources = Sources::built_in();
        let events = Events { conditions: BTreeMap::new(), fields: BTreeMap::new() };
        let resolve = |field: &str, fields: &[&str]| {
            let fields: Vec<String> = fields.iter().map(|field| (*field).to_owned()).collect();
            sources.resolve(&sources.names(field, &events), &fields)
        };
        // Defender writes names with spaces, and rules do not.
        assert_eq!(resolve("NewValue", &["data.New Value", "data.Old Value"]), ["data.New Value"]);
        assert_eq!(resolve("Threat Name", &["data.ThreatName"]), ["data.ThreatName"]);
        assert_eq!(resolve("cs-method", &["csMethod"]), ["csMethod"]);
        // A name as it is written is taken before one that is spelled differently.
        assert_eq!(resolve("NewValue", &["data.New Value", "data.NewValue"]), ["data.NewValue"]);
        // The same data of two channels: one in EventData, the other in an element of UserData.
        let both = ["data.Address", "Event.UserData.EventXML.Address", "x.Address"];
        assert_eq!(resolve("Address", &both), both[..2]);
        // A case of several formats has several names of one field.
        assert_eq!(
            resolve("EventID", &["event_id", "winlog.event_id", "other"]),
            ["event_id", "winlog.event_id"]
        );
        assert_eq!(
            resolve("Channel", &["channel", "Event.System.Channel"]),
            ["channel", "Event.System.Channel"]
        );
        // Data without names.
        assert_eq!(
            resolve("Data", &["data.param1", "data.param12", "data.params"]),
            ["data.param1", "data.param12"]
        );
    }

    #[test]
    fn files_add_to_the_table_and_mistakes_have_a_line() {
        let mut sources = Sources::built_in();
        let text = "[[source]]\nproduct = \"acme\"\nevents = [{ where = { format = \"json\" }, fields = { user = \"who\" } }]\n";
        sources.add(Path::new("mine.toml"), text).expect("it reads");
        let events = sources.events(&source("", "acme", "")).expect("it is known");
        assert_eq!(sources.names("User", &events[0]), [["who"]]);
        let problem = sources.add(Path::new("bad.toml"), "\n[[source]]\nevnts = 1\n").expect_err("a slip");
        assert!(problem.to_string().starts_with("bad.toml:"), "{problem}");
    }
}
