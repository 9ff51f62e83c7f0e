//! The TOML of detectors. Every mistake has a line and says what to write instead.

use std::ops::Range;
use std::path::Path;

use indexer::query::{Filter, parse, parse_query};
use serde::Deserialize;
use toml::Spanned;

use super::{Condition, Detector, absence, anomaly, pattern, sequence, threshold};
use crate::alert::Severity;
use crate::clock;
use crate::problem::{Fault, Problem};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DetectorFile {
    detector: Vec<Spanned<WrittenDetector>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenDetector {
    name: Spanned<String>,
    title: Option<String>,
    /// For people who read the file.
    description: Option<String>,
    severity: Option<Spanned<String>>,
    query: Option<Spanned<String>>,
    #[serde(default)]
    by: Vec<String>,
    #[serde(default)]
    needs: Vec<String>,
    threshold: Option<threshold::WrittenThreshold>,
    absence: Option<absence::WrittenAbsence>,
    anomaly: Option<anomaly::WrittenAnomaly>,
    pattern: Option<pattern::WrittenPattern>,
    sequence: Option<sequence::WrittenSequence>,
}

/// Turns places of a file into lines.
pub struct Lines<'a>(&'a str);

impl Lines<'_> {
    pub fn fault(&self, span: Range<usize>, message: impl Into<String>, hint: impl Into<String>) -> Fault {
        Fault::new(self.at(span.start), message).hint(hint)
    }

    fn at(&self, byte: usize) -> usize {
        self.0.get(..byte).map_or(0, |before| before.matches('\n').count() + 1)
    }

    /// The number of a key, which values are compared with: TOML has `nan` and `inf` too.
    pub fn finite(&self, key: &str, number: &Spanned<f64>) -> Result<f64, Fault> {
        let value = *number.get_ref();
        if value.is_finite() {
            return Ok(value);
        }
        let message = format!("`{key}` is {value}, which no value can be compared with");
        Err(self.fault(number.span(), message, "write a number such as 100"))
    }

    /// A duration such as `5m`.
    pub fn duration(&self, text: &Spanned<String>) -> Result<i64, Fault> {
        clock::duration(text.get_ref()).ok_or_else(|| {
            let message = format!("`{}` is not a duration", text.get_ref());
            self.fault(text.span(), message, "write a number and a unit: 30s, 5m, 1h, 7d")
        })
    }

    pub fn filter(&self, text: &Spanned<String>) -> Result<Filter, Fault> {
        parse(text.get_ref()).map_err(|error| {
            let hint =
                error.hint.unwrap_or_else(|| "write a filter as in the query bar, without stages".to_owned());
            self.fault(
                text.span(),
                format!("the query `{}` is wrong: {}", text.get_ref(), error.message),
                hint,
            )
        })
    }

    /// An aggregate such as `count` or `p95(duration_ms)`.
    pub fn measure(&self, text: &Spanned<String>) -> Result<String, Fault> {
        let measure = text.get_ref().trim();
        match parse_query(&format!("* | stats {measure} as value")) {
            Ok(query) if query.stages.len() == 1 => Ok(measure.to_owned()),
            Ok(_) => Err(self.fault(
                text.span(),
                format!("`{measure}` is more than one aggregate"),
                "write one: count, avg(bytes)",
            )),
            Err(error) => {
                let hint =
                    error.hint.unwrap_or_else(|| "write an aggregate: count, p95(duration_ms)".to_owned());
                Err(self.fault(
                    text.span(),
                    format!("the measure `{measure}` is wrong: {}", error.message),
                    hint,
                ))
            }
        }
    }
}

/// The detectors of a file, and what is wrong with others of it.
#[must_use]
pub fn read(path: &Path, text: &str) -> (Vec<Detector>, Vec<Problem>) {
    let lines = Lines(text);
    let file: DetectorFile = match toml::from_str(text) {
        Ok(file) => file,
        Err(error) => {
            let line = error.span().map_or(0, |span| lines.at(span.start));
            let fault = Fault::new(line, format!("not a file of detectors: {}", error.message()))
                .hint("docs/detectors.md shows the format: [[detector]] with name, query and one condition");
            return (Vec::new(), vec![Problem::of_file(path, fault)]);
        }
    };
    let (mut detectors, mut problems): (Vec<Detector>, Vec<Problem>) = (Vec::new(), Vec::new());
    for written in file.detector {
        let span = written.span();
        let name = written.get_ref().name.get_ref().clone();
        if detectors.iter().any(|known| known.name == name) {
            let fault =
                lines.fault(span, format!("two detectors are called `{name}`"), "give one another name");
            problems.push(Problem::of_file(path, fault));
            continue;
        }
        match detector(written.into_inner(), &lines, span) {
            Ok(detector) => detectors.push(detector),
            Err(fault) => problems.push(Problem::of_file(path, fault)),
        }
    }
    (detectors, problems)
}

/// The part of a file that is about one of its detectors.
#[must_use]
pub fn text_of<'a>(text: &'a str, detector: &Detector) -> &'a str {
    const HEAD: &str = "[[detector]]";
    let start: usize = text.split_inclusive('\n').take(detector.line.saturating_sub(1)).map(str::len).sum();
    let rest = &text[start..];
    let next = rest.get(HEAD.len()..).and_then(|after| after.find(&format!("\n{HEAD}")));
    next.map_or(rest, |end| &rest[..=(HEAD.len() + end)]).trim_end()
}

fn detector(written: WrittenDetector, lines: &Lines<'_>, span: Range<usize>) -> Result<Detector, Fault> {
    let name = written.name.into_inner();
    let severity = match &written.severity {
        None => Severity::default(),
        Some(text) => Severity::named(text.get_ref()).ok_or_else(|| {
            let names = Severity::ALL.map(Severity::name).join(", ");
            lines.fault(
                text.span(),
                format!("`{}` is not a severity", text.get_ref()),
                format!("the severities are {names}"),
            )
        })?,
    };
    let filter = written.query.as_ref().map_or(Ok(Filter::Everything), |query| lines.filter(query))?;
    let mut conditions = Vec::new();
    if let Some(threshold) = written.threshold {
        conditions.push(Condition::Threshold(threshold.read(lines)?));
    }
    if let Some(absence) = written.absence {
        conditions.push(Condition::Absence(absence.read(lines)?));
    }
    if let Some(anomaly) = written.anomaly {
        conditions.push(Condition::Anomaly(anomaly.read(lines)?));
    }
    if let Some(pattern) = written.pattern {
        conditions.push(Condition::Pattern(pattern.read(lines)?));
    }
    if let Some(sequence) = written.sequence {
        if written.by.is_empty() {
            return Err(lines.fault(
                span,
                format!("the sequence `{name}` has no key"),
                "add by = [\"user\"]: both events have the same value of it",
            ));
        }
        conditions.push(Condition::Sequence(sequence.read(lines)?));
    }
    let hint = "write one of [detector.threshold], [detector.absence], [detector.anomaly], [detector.pattern], [detector.sequence]";
    let condition = match (conditions.pop(), conditions.is_empty()) {
        (Some(condition), true) => condition,
        (None, _) => return Err(lines.fault(span, format!("the detector `{name}` has no condition"), hint)),
        (Some(_), false) => {
            return Err(lines.fault(span, format!("the detector `{name}` has several conditions"), hint));
        }
    };
    let title = written.title.unwrap_or_else(|| name.clone());
    let line = lines.at(span.start);
    let WrittenDetector { description, needs, by, .. } = written;
    Ok(Detector { name, title, description, severity, line, filter, needs, by, condition })
}
