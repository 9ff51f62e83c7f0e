//! Detectors from files and folders, and all of them over a case.

use std::fs;
use std::path::{Path, PathBuf};

use indexer::{Cancel, Case, Engine, ErrorKind, Result, Snapshot};

use crate::alert::Alert;
use crate::limits::FILE_BYTES;
use crate::measure::{self, CheckScope, Detector};
use crate::problem::{Fault, Problem};
use crate::report::Report;
use crate::sigma::{
    self, HitPage, Placeholders, Progress, RuleHits, RulePlace, RuleSet, Sources, TextSearch,
};
use crate::verdict::{Outcome, Verdict};

/// The word that means the detectors that come with the program. A folder of that name is `./starter`.
const STARTER: &str = "starter";

const STARTERS: [(&str, &str); 3] = [
    ("starter/web.toml", include_str!("../starter/web.toml")),
    ("starter/system.toml", include_str!("../starter/system.toml")),
    ("starter/security.toml", include_str!("../starter/security.toml")),
];

/// The files of the detectors that come with the program: their names and texts.
#[must_use]
pub fn starters() -> &'static [(&'static str, &'static str)] {
    &STARTERS
}

/// What was read.
#[derive(Debug)]
pub struct Detectors {
    rules: RuleSet,
    /// Detectors of our own, and the file of each.
    measures: Vec<(Detector, PathBuf)>,
    sources: Sources,
    problems: Vec<Problem>,
}

/// How detectors are read.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Tables of log sources in addition to the one that comes with the program.
    pub log_sources: Vec<PathBuf>,
    /// Files with the values of placeholders.
    pub placeholders: Vec<PathBuf>,
    /// Sigma filters of a case: a name of each, and its text. They narrow the rules that they name.
    pub filters: Vec<(String, String)>,
}

/// The kind of notes of a case that are Sigma filters: their texts are read with all rules that are run over the case.
pub const FILTER_NOTE: &str = "sigmafilter";

/// The Sigma filters of a case.
pub fn filters_of(case: &Case) -> Result<Vec<(String, String)>> {
    // Of all notes nothing is written here, so the time does not matter.
    let notes = case.notes(None, 0)?.notes.into_iter().filter(|note| note.kind == FILTER_NOTE);
    Ok(notes.map(|note| (format!("filter {}", note.id), note.text)).collect())
}

/// Which events are looked at: from a time (inclusive) to another (exclusive).
#[derive(Clone, Copy, Debug, Default)]
pub struct Scope {
    pub from: Option<i64>,
    pub to: Option<i64>,
}

/// The result of one detector of our own over a case.
#[derive(Debug)]
pub struct Tested {
    /// Whether the case has the fields that it needs.
    pub is_applicable: bool,
    pub alerts: Vec<Alert>,
    pub verdict: Verdict,
    /// Why it could not run or cannot say anything, or a remark about it.
    pub problem: Option<Problem>,
}

impl Detectors {
    /// Reads files, and all detectors of folders; `starter` means those that come with the program. What cannot be read is a problem and stops nothing.
    #[must_use]
    pub fn read(paths: &[PathBuf], options: &ReadOptions) -> Detectors {
        let mut detectors = Detectors::none();
        let mut placeholders = Placeholders::new();
        for path in &options.log_sources {
            let added = text_of(path).and_then(|text| detectors.sources.add(path, &text));
            detectors.problems.extend(added.err());
        }
        for path in &options.placeholders {
            match text_of(path).and_then(|text| values_of(path, &text)) {
                Ok(values) => placeholders.extend(values),
                Err(problem) => detectors.problems.push(problem),
            }
        }
        let mut files = Vec::new();
        for path in paths {
            if path.as_os_str() == STARTER {
                for (name, text) in STARTERS {
                    detectors.add_measures(Path::new(name), text);
                }
                continue;
            }
            files_of(path, true, &mut files, &mut detectors.problems);
        }
        for file in files {
            match text_of(&file) {
                Ok(text) if is_toml(&file) => detectors.add_measures(&file, &text),
                Ok(text) => detectors.problems.extend(detectors.rules.add(&file, &text, &placeholders)),
                Err(problem) => detectors.problems.push(problem),
            }
        }
        for (name, text) in &options.filters {
            detectors.problems.extend(detectors.rules.add_filters_of_case(Path::new(name), text));
        }
        detectors.problems.extend(detectors.rules.link());
        detectors
    }

    /// The Sigma rules.
    #[must_use]
    pub fn rules(&self) -> &RuleSet {
        &self.rules
    }

    /// The events that a Sigma rule or the rules of a correlation match, with the matching values of each.
    pub fn hits(
        &self,
        place: RulePlace,
        case: &Case,
        snapshot: &Snapshot,
        page: &HitPage,
        cancel: &Cancel,
    ) -> Result<RuleHits> {
        self.rules.only(place).hits(&self.sources, case, snapshot, page, cancel)
    }

    /// Reads texts that are no files: their names, and what is in them.
    #[must_use]
    pub fn of_texts<'a>(texts: impl IntoIterator<Item = (&'a str, &'a str)>) -> Detectors {
        let mut detectors = Detectors::none();
        detectors.add_texts(texts);
        detectors
    }

    /// Adds detectors of our own of texts that are no files.
    pub fn add_texts<'a>(&mut self, texts: impl IntoIterator<Item = (&'a str, &'a str)>) {
        for (name, text) in texts {
            self.add_measures(Path::new(name), text);
        }
    }

    /// Leaves out detectors of our own.
    pub fn without(&mut self, is_left_out: impl Fn(&Detector, &Path) -> bool) {
        self.measures.retain(|(detector, file)| !is_left_out(detector, file));
    }

    /// Looks for keywords of rules in another way. The results are the same.
    #[doc(hidden)]
    pub fn search_texts(&mut self, search: TextSearch) {
        self.rules.text_search = search;
    }

    fn none() -> Detectors {
        Detectors {
            rules: RuleSet::default(),
            measures: Vec::new(),
            sources: Sources::built_in(),
            problems: Vec::new(),
        }
    }

    /// Detectors of our own, with the file of each.
    pub fn measures(&self) -> impl Iterator<Item = (&Detector, &Path)> {
        self.measures.iter().map(|(detector, file)| (detector, file.as_path()))
    }

    /// Detectors of our own, and what rules need.
    pub(crate) fn into_parts(self) -> (Vec<(Detector, PathBuf)>, (RuleSet, Sources)) {
        (self.measures, (self.rules, self.sources))
    }

    /// How many detectors there are to run.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rules.len() + self.measures.len()
    }

    fn add_measures(&mut self, file: &Path, text: &str) {
        let (read, problems) = measure::read(file, text);
        self.problems.extend(problems);
        self.measures.extend(read.into_iter().map(|detector| (detector, file.to_owned())));
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What was wrong with files.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Evaluates all detectors over the events of a case.
    pub fn check(&self, case: &Case, snapshot: &Snapshot, scope: &Scope, cancel: &Cancel) -> Result<Report> {
        self.check_on(case, snapshot, scope, &mut Progress::default(), cancel)
    }

    /// The same, going on from what was found before: only segments that came since are looked at.
    pub fn check_on(
        &self,
        case: &Case,
        snapshot: &Snapshot,
        scope: &Scope,
        progress: &mut Progress,
        cancel: &Cancel,
    ) -> Result<Report> {
        let range = (scope.from, scope.to);
        let mut report = sigma::run(&self.rules, &self.sources, case, snapshot, range, progress, cancel)?;
        let scope = CheckScope { case, snapshot, range, cancel };
        let fields = Engine::field_names(snapshot);
        for (detector, file) in &self.measures {
            let run = run_one(detector, file, &scope, &fields)?;
            if run.is_applicable {
                report.applicable += 1;
            } else {
                report.not_applicable.push(detector.name.clone());
            }
            report.alerts.extend(run.alerts);
            report.problems.extend(run.problem);
            report.verdicts.push((detector.name.clone(), run.verdict));
        }
        Ok(report)
    }
}

/// Runs one detector; `fields` are those of the case.
pub fn run_one(
    detector: &Detector,
    file: &Path,
    scope: &CheckScope<'_>,
    fields: &[String],
) -> Result<Tested> {
    if let Some((sentence, hint)) = detector.lack(fields) {
        let verdict = Verdict::cannot_say(sentence, Some(hint));
        return Ok(Tested { is_applicable: false, alerts: Vec::new(), verdict, problem: None });
    }
    let detector = detector.for_fields(fields);
    let name = &detector.name;
    let problem = |message: String, hint: Option<&str>| {
        let fault = Fault { line: detector.line, message, hint: hint.map(str::to_owned) };
        Some(Problem::of_file(file, fault))
    };
    let found = match detector.evaluate(scope) {
        Ok(found) => found,
        Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
        Err(error) => {
            let hint =
                error.hint_text().unwrap_or("check the names of its fields with `timberline info CASE`");
            let verdict = Verdict::cannot_say(error.message().to_owned(), Some(hint.to_owned()));
            let message = format!("the detector `{name}` cannot run over this case: {}", error.message());
            let problem = problem(message, Some(hint));
            return Ok(Tested { is_applicable: true, alerts: Vec::new(), verdict, problem });
        }
    };
    let problem = match (&found.remark, &found.verdict) {
        (Some((message, hint)), _) => problem(format!("the detector `{name}`: {message}"), Some(hint)),
        (None, Verdict { outcome: Outcome::CannotSay, sentence, hint, .. }) => {
            problem(format!("the detector `{name}` cannot say: {sentence}"), hint.as_deref())
        }
        (None, _) => None,
    };
    Ok(Tested { is_applicable: true, alerts: found.alerts, verdict: found.verdict, problem })
}

fn is_toml(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending == "toml")
}

/// The text of a file that is not too large to be a detector.
fn text_of(path: &Path) -> std::result::Result<String, Problem> {
    let fault = |message: String, hint: &str| Problem::of_file(path, Fault::new(0, message).hint(hint));
    let unread =
        |error: std::io::Error| fault(format!("it cannot be read: {error}"), "check the path and its rights");
    let size = fs::metadata(path).map_err(unread)?.len();
    if size > FILE_BYTES {
        return Err(fault(
            format!("it has {size} bytes, more than {FILE_BYTES}"),
            "split it; a detector has some kilobytes",
        ));
    }
    let bytes = fs::read(path).map_err(unread)?;
    String::from_utf8(bytes).map_err(|error| {
        fault(
            format!("it is not UTF-8 from byte {} on", error.utf8_error().valid_up_to()),
            "save it as UTF-8",
        )
    })
}

/// The detectors below a path, in the order of their names. Links to folders are not followed.
fn files_of(path: &Path, is_named: bool, files: &mut Vec<PathBuf>, problems: &mut Vec<Problem>) {
    if !path.is_dir() || (!is_named && path.is_symlink()) {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        if is_named || matches!(ending, "yml" | "yaml" | "toml") {
            files.push(path.to_owned());
        }
        return;
    }
    match fs::read_dir(path) {
        Ok(entries) => {
            let mut inner: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
            inner.sort();
            for path in &inner {
                files_of(path, false, files, problems);
            }
        }
        Err(error) => {
            let fault = Fault::new(0, format!("the folder cannot be read: {error}")).hint("check its rights");
            problems.push(Problem::of_file(path, fault));
        }
    }
}

fn values_of(path: &Path, text: &str) -> std::result::Result<Placeholders, Problem> {
    toml::from_str(text).map_err(|error: toml::de::Error| {
        let line = error.span().map_or(0, |span| text[..span.start].lines().count().max(1));
        let fault = Fault::new(line, format!("not a table of placeholders: {}", error.message()))
            .hint("write a line a placeholder: name = [\"value\", \"other\"]");
        Problem::of_file(path, fault)
    })
}
