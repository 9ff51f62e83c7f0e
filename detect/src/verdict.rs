//! The verdict of a test of a detector on the past: it fired, it was quiet, or nobody can say. A detector that could
//! not judge is never called quiet.

use std::fmt;

use indexer::{duration, json, stamp};
use serde::Serialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "DetectorOutcome"))]
pub enum Outcome {
    Fired,
    Quiet,
    CannotSay,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Outcome::Fired => "fired",
            Outcome::Quiet => "quiet",
            Outcome::CannotSay => "cannot say",
        })
    }
}

/// The answer of a test. Every host shows its outcome and its sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "DetectorVerdict"))]
pub struct Verdict {
    pub outcome: Outcome,
    pub judged: Judged,
    /// How much was judged, or the missing data: for people, without a full stop.
    pub sentence: String,
    /// The way out, if it cannot say.
    pub hint: Option<String>,
}

/// How much of the past was compared with the condition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "JudgedAmount"))]
pub struct Judged {
    /// Bins, pauses, patterns or events that were compared.
    pub count: u64,
    /// How many of these there are.
    pub of: u64,
    /// Groups that could have fired.
    pub groups: u64,
    pub all_groups: u64,
    /// From the first to the last instant that was looked at.
    #[serde(with = "json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "indexer::Nanos"))]
    pub span_ns: i64,
}

/// A reason why a group cannot be judged. The order is how near the group is to a judgement: the nearest one is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Lack {
    /// No event has a time.
    Time,
    /// No event matches the query.
    Match,
    /// No event has the fields that it is grouped by.
    Key,
    /// No event has a number to measure.
    Number,
    /// No bin has so many events.
    Least(u64),
    /// Things of a kind.
    Count { has: u64, needed: u64, what: &'static str },
    /// Values that are near enough to each other to know the usual one.
    Near,
    /// Patterns that are rare enough for a surge.
    Rare,
    /// Data after this time.
    Since(i64),
    /// Time; the text says for which purpose.
    Span { has: i64, needed: i64, what: &'static str },
    /// Data after the level was crossed at the end.
    Rest { has: i64, needed: i64 },
}

impl fmt::Display for Lack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let length = |ns: i64| duration::compact(ns, 2);
        match *self {
            Lack::Time => f.write_str("no event has a time"),
            Lack::Match => f.write_str("no event matches its query, so there is nothing to measure"),
            Lack::Key => f.write_str("no event that it is about has the fields of `by`"),
            Lack::Number => f.write_str("the events have no number to measure"),
            Lack::Least(least) => write!(f, "no bin of a group has the {least} events that `least` asks for"),
            Lack::Count { has, needed, what } => {
                write!(f, "it needs {needed} {what}, and the data has {has}")
            }
            Lack::Near => f.write_str("too few values are near each other to know what is usual"),
            Lack::Rare => {
                f.write_str("the usual share of each pattern is too large to become so many times larger")
            }
            Lack::Since(since) => {
                write!(
                    f,
                    "it looks for what is new since {}, and the data ends before",
                    stamp::to_rfc3339(since)
                )
            }
            Lack::Span { has, needed, what } => {
                write!(f, "it {what} {}, and has {} of data for that", length(needed), length(has))
            }
            Lack::Rest { has, needed } => write!(
                f,
                "the data ends {} after the level was crossed, and it needs {}",
                length(has),
                length(needed)
            ),
        }
    }
}

impl Lack {
    fn hint(self) -> &'static str {
        match self {
            Lack::Time => "import events with times, or look at a longer time",
            Lack::Match => "check its query, or import the logs that it is about",
            Lack::Key => "group by fields that the events have",
            Lack::Number => "measure a field that has numbers",
            Lack::Least(_) => "choose longer bins with `every`, or a smaller `least`",
            Lack::Count { .. } | Lack::Near => {
                "import more history, choose shorter bins with `every`, or use a threshold"
            }
            Lack::Rare => "use a threshold on the number of events",
            Lack::Since(_) | Lack::Span { .. } | Lack::Rest { .. } => {
                "import more history, or give the detector less time to wait"
            }
        }
    }
}

/// How much of one group was judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Coverage {
    pub count: u64,
    pub of: u64,
    /// How often its level was crossed for too short a time.
    pub short: u64,
    pub lack: Option<Lack>,
}

/// The groups of a detector, added up.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Account {
    judged: Judged,
    short: u64,
    lack: Option<Lack>,
}

impl Account {
    /// Of data between these ends.
    pub fn new(ends: (i64, i64)) -> Account {
        Account { judged: Judged { span_ns: ends.1 - ends.0, ..Judged::default() }, ..Account::default() }
    }

    pub fn add(&mut self, group: Coverage) {
        self.judged.all_groups += 1;
        self.judged.of += group.of;
        self.short += group.short;
        self.lack = self.lack.max(group.lack);
        if matches!(group.lack, None | Some(Lack::Rest { .. })) {
            self.judged.groups += 1;
            self.judged.count += group.count;
        }
    }

    /// The verdict with so many alerts. The noun is that of one judged thing.
    pub fn verdict(self, alerts: usize, noun: &str) -> Verdict {
        let Account { judged, short, lack } = self;
        let is_unsure = judged.groups == 0 || matches!(lack, Some(Lack::Rest { .. }));
        if let (0, true, Some(lack)) = (alerts, is_unsure, lack) {
            let (sentence, hint) = (lack.to_string(), Some(lack.hint().to_owned()));
            return Verdict { outcome: Outcome::CannotSay, judged, sentence, hint };
        }
        let outcome = if alerts > 0 { Outcome::Fired } else { Outcome::Quiet };
        Verdict {
            outcome,
            judged,
            sentence: judged.sentence(noun, if alerts > 0 { 0 } else { short }),
            hint: None,
        }
    }
}

impl Judged {
    fn sentence(&self, noun: &str, short: u64) -> String {
        let Judged { count, of, groups, all_groups, span_ns } = *self;
        let nouns = if of == 1 { noun.to_owned() } else { format!("{noun}s") };
        let judged = match (count, of) {
            (_, 0) => "no event matches its query".to_owned(),
            (count, of) if count == of => format!("{of} {nouns} judged"),
            (count, of) => format!("{count} of {of} {nouns} judged"),
        };
        let groups = match (groups, all_groups) {
            (_, 0 | 1) => String::new(),
            (groups, all) if groups == all => format!(" in {all} groups"),
            (groups, all) => format!(" in {groups} of {all} groups"),
        };
        let short = match short {
            0 => String::new(),
            1 => "; the level was crossed once, but not for long enough".to_owned(),
            times => format!("; the level was crossed {times} times, but never for long enough"),
        };
        format!("{judged}{groups}, over {}{short}", duration::compact(span_ns, 2))
    }
}

impl Verdict {
    /// Of a detector that cannot be judged at all.
    pub(crate) fn cannot_say(sentence: String, hint: Option<String>) -> Verdict {
        Verdict { outcome: Outcome::CannotSay, judged: Judged::default(), sentence, hint }
    }

    pub(crate) fn lacking(lack: Lack) -> Verdict {
        Verdict::cannot_say(lack.to_string(), Some(lack.hint().to_owned()))
    }
}
