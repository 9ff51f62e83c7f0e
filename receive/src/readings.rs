//! What a person chose for reading what is received: a format and a zone, for all of it, or for what comes from a
//! sender, from a program, or belongs to a source of the case.

use std::fmt;
use std::io;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use indexer::{Glob, SYSLOG_PREFIX, files, message_format, program_of};
use serde::{Deserialize, Serialize};

use crate::intake::Stream;
use crate::networks::Networks;

/// In the log's folder of a case.
const FILE: &str = "readings.json";

/// What is received is read so. Of several choices that apply, that of the program holds, then that of the sender, then
/// that of the source, then that for all; of two of one kind the one given first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Readings {
    formats: Vec<(Subject, String)>,
    zones: Vec<(Subject, String)>,
}

/// What a choice is for. WrittenReadings `10.0.0.0/8`, `tag:nginx` and `source:syslog/*`, and nothing for all.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Subject {
    /// What comes from a network, or from one address.
    Sender(String, Networks),
    /// Messages of syslog of a program.
    Tag(String),
    /// Sources of the case by their names.
    Source(Glob),
    All,
}

const TAG: &str = "tag:";
const SOURCE: &str = "source:";

impl Subject {
    fn parse(text: &str) -> Option<Subject> {
        if let Some(tag) = text.strip_prefix(TAG) {
            return (!tag.is_empty()).then(|| Subject::Tag(tag.to_owned()));
        }
        if let Some(pattern) = text.strip_prefix(SOURCE) {
            return (!pattern.is_empty()).then(|| Subject::Source(Glob::for_whole_path(pattern)));
        }
        match text {
            "" => Some(Subject::All),
            _ => Networks::parse(text).map(|networks| Subject::Sender(text.to_owned(), networks)),
        }
    }

    /// The order in which choices hold.
    fn rank(&self) -> u8 {
        match self {
            Subject::Tag(_) => 0,
            Subject::Sender(..) => 1,
            Subject::Source(_) => 2,
            Subject::All => 3,
        }
    }

    fn applies(&self, name: &str, sender: Option<IpAddr>, tag: Option<&str>) -> bool {
        match self {
            Subject::Tag(wanted) => tag == Some(wanted),
            Subject::Sender(_, networks) => sender.is_some_and(|sender| networks.contain(sender)),
            Subject::Source(pattern) => pattern.matches(name),
            Subject::All => true,
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Subject::Sender(written, _) => write!(out, "{written}"),
            Subject::Tag(tag) => write!(out, "{TAG}{tag}"),
            Subject::Source(pattern) => write!(out, "{SOURCE}{}", pattern.written()),
            Subject::All => Ok(()),
        }
    }
}

impl Readings {
    /// Reads as a format what a choice is for. False where that is not understood.
    #[must_use]
    pub fn add_format(&mut self, subject: &str, format: &str) -> bool {
        let Some(subject) = Subject::parse(subject) else { return false };
        // What a program writes comes after a header of syslog.
        let is_message = matches!(subject, Subject::Tag(_)) && message_format(format) == format;
        let format = if is_message && format != "syslog" {
            format!("{SYSLOG_PREFIX}{format}")
        } else {
            format.to_owned()
        };
        self.formats.push((subject, format));
        true
    }

    /// Reads times without a zone in this one. False where it is not understood what that is for.
    #[must_use]
    pub fn add_zone(&mut self, subject: &str, zone: &str) -> bool {
        let Some(subject) = Subject::parse(subject) else { return false };
        self.zones.push((subject, zone.to_owned()));
        true
    }

    /// Formats are learned again.
    pub fn forget_formats(&mut self) {
        self.formats.clear();
    }

    /// Times without a zone are in UTC again.
    pub fn forget_zones(&mut self) {
        self.zones.clear();
    }

    /// The formats that are chosen.
    pub fn formats(&self) -> impl Iterator<Item = &str> {
        self.formats.iter().map(|(_, format)| format.as_str())
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.formats.is_empty() && self.zones.is_empty()
    }

    /// Whether something is chosen for programs, so that each message has to be looked at.
    #[must_use]
    pub fn has_tags(&self) -> bool {
        let subjects = self.formats.iter().chain(&self.zones).map(|(subject, _)| subject);
        subjects.into_iter().any(|subject| matches!(subject, Subject::Tag(_)))
    }

    /// The program of a message, if something is chosen for it.
    #[must_use]
    pub fn tag_of<'m>(&self, message: &'m [u8]) -> Option<&'m str> {
        let program = std::str::from_utf8(program_of(message)?).ok()?;
        let chosen = self.formats.iter().chain(&self.zones);
        let mut tags = chosen.map(|(subject, _)| subject);
        tags.any(|subject| matches!(subject, Subject::Tag(tag) if tag == program)).then_some(program)
    }

    /// A stream with what is chosen for it. What it says of its format itself holds.
    #[must_use]
    pub fn chosen(&self, stream: Stream, tag: Option<&str>) -> Stream {
        let sender = stream.sender.as_deref().and_then(|sender| sender.parse().ok());
        let find = |choices: &[(Subject, String)]| {
            let applying = choices.iter().filter(|(subject, _)| subject.applies(stream.title(), sender, tag));
            applying.min_by_key(|(subject, _)| subject.rank()).map(|(_, chosen)| chosen.clone())
        };
        let format = stream.format.clone().or_else(|| find(&self.formats));
        let zone = stream.zone.clone().or_else(|| find(&self.zones));
        Stream { format, zone, ..stream }
    }

    /// Each choice: what it is for, and its format or its zone.
    fn written(&self) -> WrittenReadings {
        let written = |choices: &[(Subject, String)]| {
            choices.iter().map(|(subject, chosen)| (subject.to_string(), chosen.clone())).collect()
        };
        WrittenReadings { formats: written(&self.formats), zones: written(&self.zones) }
    }

    /// What a case remembers of the choices made for it. A file that cannot be read remembers nothing.
    #[must_use]
    pub fn remembered(case: &Path) -> Readings {
        let text = files::read(&path(&files::resolved(case))).unwrap_or_default();
        let written = serde_json::from_slice::<WrittenReadings>(&text).unwrap_or_default();
        let mut readings = Readings::default();
        let formats = written.formats.iter().all(|(subject, format)| readings.add_format(subject, format));
        let zones = written.zones.iter().all(|(subject, zone)| readings.add_zone(subject, zone));
        if formats && zones { readings } else { Readings::default() }
    }

    /// Has a case remember these.
    pub fn remember(&self, case: &Path) -> io::Result<()> {
        let file = path(case);
        if self.is_empty() {
            return match files::remove(&file) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            };
        }
        let new = file.with_extension("new");
        files::create_folder(&case.join(crate::log::FOLDER))?;
        files::replace(&file, &new, &serde_json::to_vec_pretty(&self.written())?)
    }
}

#[derive(Default, Serialize, Deserialize)]
struct WrittenReadings {
    formats: Vec<(String, String)>,
    zones: Vec<(String, String)>,
}

fn path(case: &Path) -> PathBuf {
    case.join(crate::log::FOLDER).join(FILE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(name: &str, sender: Option<&str>) -> Stream {
        Stream { sender: sender.map(str::to_owned), ..Stream::new(name) }
    }

    fn readings() -> Readings {
        let mut readings = Readings::default();
        for (subject, format) in
            [("", "text"), ("source:/var/log/b/*", "logfmt"), ("10.0.0.0/8", "cef"), ("tag:nginx", "access")]
        {
            assert!(readings.add_format(subject, format), "{subject}");
        }
        for (subject, zone) in [("10.0.0.7", "Europe/Berlin"), ("tag:cron", "UTC"), ("fd00::/8", "+02:00")] {
            assert!(readings.add_zone(subject, zone), "{subject}");
        }
        readings
    }

    #[test]
    fn narrowest_choice_holds() {
        let readings = readings();
        let chosen = |name: &str, sender: Option<&str>, tag: Option<&str>| {
            let Stream { format, zone, .. } = readings.chosen(stream(name, sender), tag);
            (format.expect("a format"), zone)
        };
        let berlin = Some("Europe/Berlin".to_owned());
        assert_eq!(chosen("stdin", None, None), ("text".to_owned(), None));
        assert_eq!(chosen("/var/log/b/x.log", None, None), ("logfmt".to_owned(), None));
        assert_eq!(chosen("syslog/udp/10.0.0.7", Some("10.0.0.7"), None), ("cef".to_owned(), berlin.clone()));
        let tagged = chosen("syslog/udp/10.0.0.7", Some("10.0.0.7"), Some("nginx"));
        assert_eq!(tagged, ("syslog+access".to_owned(), berlin));
        assert_eq!(
            chosen("syslog/udp/fd00::1", Some("fd00::1"), None),
            ("text".to_owned(), Some("+02:00".to_owned()))
        );
        let json = Stream { format: Some("json".to_owned()), ..stream("http/app", Some("10.0.0.7")) };
        assert_eq!(readings.chosen(json, None).format.as_deref(), Some("json"), "it says so itself");
    }

    #[test]
    fn only_programs_that_something_is_chosen_for_are_separate() {
        let readings = readings();
        assert!(readings.has_tags() && !Readings::default().has_tags());
        assert_eq!(readings.tag_of(b"<13>Mar  1 14:06:00 host nginx[3]: one"), Some("nginx"));
        assert_eq!(readings.tag_of(b"<13>Mar  1 14:06:00 host cron[3]: one"), Some("cron"));
        assert_eq!(readings.tag_of(b"<13>Mar  1 14:06:00 host sshd[3]: one"), None);
    }

    #[test]
    fn choices_are_remembered_in_the_case() {
        let folder = tempfile::tempdir().expect("a folder");
        let readings = readings();
        readings.remember(folder.path()).expect("they are written");
        assert_eq!(Readings::remembered(folder.path()), readings);
        Readings::default().remember(folder.path()).expect("they are removed");
        assert_eq!(Readings::remembered(folder.path()), Readings::default());
        let mut wrong = Readings::default();
        for subject in ["10.0.0", "tag:", "host:web", "source:"] {
            assert!(!wrong.add_format(subject, "json"), "{subject}");
        }
    }
}
