//! One call of a tool: what it is about, how long it may take, and what is said of every answer.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use indexer::aggregate::TimeZone;
use indexer::query::time::{Period, stretch};
use indexer::query::{Reading, Severity};
use indexer::{Cancel, Error, ErrorKind, FileAccess, Snapshot, View, sentence};
use serde_json::{Map, Value, json};

use super::answer::{Answered, Failure, shortened};
use super::arguments::{Given, bad};
use super::cases::{NamedCase, OpenCases};
use super::limits::{STOPPING, TEXT_BYTES};

/// A request to stop, and whether the clock made it.
#[derive(Clone, Default)]
pub struct Deadline {
    pub cancel: Cancel,
    is_over: Arc<AtomicBool>,
}

impl Deadline {
    fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
        self.cancel.set();
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// Whoever asked wants no answer any more.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_set() && !self.is_over()
    }
}

/// What a tool works with.
pub struct Call<'a> {
    pub given: &'a Given,
    pub cases: &'a OpenCases,
    pub files: &'a FileAccess,
    pub rules: &'a [PathBuf],
    pub deadline: &'a Deadline,
}

impl Call<'_> {
    pub fn cancel(&self) -> &Cancel {
        &self.deadline.cancel
    }

    pub fn case(&self) -> Result<&NamedCase, Failure> {
        self.case_in("case")
    }

    /// The case that an argument names.
    pub fn case_in(&self, argument: &'static str) -> Result<&NamedCase, Failure> {
        let name = self.given.text(argument);
        self.cases
            .case(name)
            .map_err(|error| Failure::from(error).in_argument(argument, name.unwrap_or_default()))
    }

    /// The workbench's answer about a case.
    pub fn ask(&self, case: &NamedCase, name: &str, arguments: Value) -> Result<Value, Failure> {
        Ok(case.workbench.ask(name, arguments, self.cancel())?)
    }

    /// The events that `query`, `from` and `to` select.
    pub fn view(&self, snapshot: &Snapshot) -> Result<View, Failure> {
        self.view_of(snapshot, ["query", "from", "to"])
    }

    /// The events that these arguments select: filter, first time, time after the last.
    pub fn view_of(
        &self,
        snapshot: &Snapshot,
        [query, from, to]: [&'static str; 3],
    ) -> Result<View, Failure> {
        let (from, to) = (self.time(snapshot, from)?, self.time(snapshot, to)?);
        self.in_query(query, View::parse(self.query(query), from, to))
    }

    pub fn query(&self, name: &str) -> &str {
        self.given.text(name).filter(|query| !query.trim().is_empty()).unwrap_or("*")
    }

    /// An error of the engine with the argument that its span is in.
    pub fn in_query<T>(&self, name: &'static str, result: indexer::Result<T>) -> Result<T, Failure> {
        result.map_err(|error| {
            let has_span = error.span().is_some();
            let failure = Failure::from(error);
            if has_span { failure.in_argument(name, self.query(name)) } else { failure }
        })
    }

    pub fn time(&self, snapshot: &Snapshot, name: &'static str) -> Result<Option<i64>, Failure> {
        let Some(text) = self.given.text(name) else { return Ok(None) };
        let data = snapshot.time_range();
        let now = data.map_or(0, |(_, last)| last);
        let around = data.map(|(from, to)| Period { from, to });
        if let Some(period) = stretch(text, Some(text), now, &TimeZone::UTC, around) {
            return Ok(Some(period.from));
        }
        let error = bad(format!("not a time: `{text}`")).spanning(0, text.len());
        let error = error.hint("write it like 2026-03-01T14:05:00Z or now-15m");
        Err(Failure::from(error).in_argument(name, text))
    }

    /// The result, or what there was of it when the time was over, with the share of the work that was done.
    pub fn or_partial<T>(
        &self,
        result: indexer::Result<T>,
        latest: Option<(T, f64)>,
    ) -> Result<(T, f64), Failure> {
        match (result, latest) {
            (Ok(whole), _) => Ok((whole, 1.0)),
            (Err(error), Some(latest)) if error.kind() == ErrorKind::Cancelled && self.deadline.is_over() => {
                Ok(latest)
            }
            (Err(error), _) => self.in_query("query", Err(error)),
        }
    }

    /// Says of an answer that it is partial.
    pub fn note_share(&self, answer: &mut Map<String, Value>, share: f64, what: &str) {
        if share < 1.0 {
            let (percent, seconds) = (share * 100.0, self.given.seconds());
            let text = format!(
                "Partial: {percent:.0} % of the work was done in {seconds} s, and {what}. Narrow the filter or the \
                 times, or call again with more `seconds`."
            );
            answer.insert("partial".to_owned(), json!(text));
        }
    }

    /// What was perhaps meant otherwise, and words that no event has where nothing matches.
    pub fn advise(
        &self,
        answer: &mut Map<String, Value>,
        case: &NamedCase,
        snapshot: &Snapshot,
        matched: u64,
    ) {
        let query = self.query("query");
        let found = case.case.check(snapshot, query, Reading::Timberline).diagnostics.into_iter();
        let mut advice: Vec<String> = found
            .filter(|found| found.severity == Severity::Advice)
            .map(|found| match found.hint {
                Some(hint) => format!("{} {}", sentence(&found.message), sentence(&hint)),
                None => sentence(&found.message),
            })
            .collect();
        if matched == 0 && snapshot.events() > 0 {
            // The answer is right without the advice.
            let unknown = case.case.unknown_words(snapshot, query, self.cancel()).unwrap_or_default();
            advice.extend(unknown.iter().map(|word| {
                let nearest: Vec<String> =
                    word.nearest.iter().map(|near| format!("`{}` ({})", near.word, near.events)).collect();
                let meant = if nearest.is_empty() {
                    String::new()
                } else {
                    format!(" Did you mean {}?", nearest.join(" or "))
                };
                format!("No event has `{}`.{meant}", word.word)
            }));
        }
        if !advice.is_empty() {
            answer.insert("advice".to_owned(), json!(shortened(&advice.join(" "), TEXT_BYTES)));
        }
    }
}

/// Runs a tool on a thread of its own until its time is over, and then hands out what it has.
pub fn within(
    seconds: f64,
    deadline: &Deadline,
    work: impl FnOnce(&Deadline) -> Answered + Send + 'static,
) -> Answered {
    let (sender, receiver) = channel();
    let shared = deadline.clone();
    let worker = thread::Builder::new().name("tool".to_owned()).spawn(move || {
        // Nobody waits any more for what comes too late.
        let _ = sender.send(work(&shared));
    });
    if let Err(error) = worker {
        let message = format!("no thread can be started: {error}");
        return Err(Error::new(ErrorKind::Internal, message).into());
    }
    let mut answered = receiver.recv_timeout(Duration::from_secs_f64(seconds));
    if matches!(answered, Err(RecvTimeoutError::Timeout)) {
        deadline.end();
        answered = receiver.recv_timeout(STOPPING);
    }
    match answered {
        Ok(Err(failure)) if failure.is_cancelled() && deadline.is_over() => Err(too_long(seconds).into()),
        Ok(whole) => whole,
        Err(RecvTimeoutError::Timeout) => Err(too_long(seconds).into()),
        Err(RecvTimeoutError::Disconnected) => {
            Err(Error::new(ErrorKind::Internal, "the tool failed; its message is on the standard error")
                .into())
        }
    }
}

fn too_long(seconds: f64) -> Error {
    let message = format!("it took over {seconds} s, and nothing of the answer is known before all of it");
    let hint = "narrow the filter or the times, or call again with more `seconds`";
    Error::new(ErrorKind::Cancelled, message).hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(seconds: f64, work: impl FnOnce(&Deadline) -> Answered + Send + 'static) -> Value {
        match within(seconds, &Deadline::default(), work) {
            Ok(answer) => Value::Object(answer),
            Err(failure) => failure.as_json(),
        }
    }

    /// Works until it is stopped, as the engine does.
    fn until_stopped(deadline: &Deadline) -> Error {
        while !deadline.cancel.is_set() {
            thread::yield_now();
        }
        Error::cancelled()
    }

    #[test]
    fn what_is_known_when_the_time_is_over_is_the_answer() {
        let partial = |deadline: &Deadline| {
            let result: indexer::Result<u64> = Err(until_stopped(deadline));
            let (given, cases) = (Given::check(&[], &Value::Null)?, OpenCases::open(&[])?);
            let call =
                Call { given: &given, cases: &cases, files: &FileAccess::default(), rules: &[], deadline };
            let (count, share) = call.or_partial(result, Some((7, 0.25)))?;
            let mut answer = Map::new();
            answer.insert("count".to_owned(), json!(count));
            call.note_share(&mut answer, share, "counts are of those events");
            Ok(answer)
        };
        let answer = answered(0.01, partial);
        assert_eq!(answer["count"], 7);
        assert!(answer["partial"].as_str().is_some_and(|text| text.starts_with("Partial: 25 %")), "{answer}");
    }

    #[test]
    fn what_has_no_part_says_how_to_get_it() {
        let answer = answered(0.01, |deadline| Err(until_stopped(deadline).into()));
        assert_eq!(answer["error"]["code"], "cancelled");
        let hint = answer["error"]["hint"].as_str().unwrap_or_default();
        assert!(hint.contains("`seconds`"), "{answer}");
    }

    #[test]
    fn a_tool_that_panics_is_an_error() {
        let answer = answered(5.0, |_| panic!("a mistake of ours"));
        assert_eq!(answer["error"]["code"], "internal");
    }
}
