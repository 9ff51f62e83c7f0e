//! Sigma rules over what is new. A rule tells of the events of a refresh, a correlation of intervals over them and the
//! events before that it may still need.

use std::collections::HashSet;
use std::path::PathBuf;

use indexer::{Marks, Result, Snapshot};

use super::News;
use super::ledger::{Candidate, Judgement, Ledger};
use crate::measure::CheckScope;
use crate::problem::Problem;
use crate::sigma::{self, Progress, RuleSet, Sources};

/// Under which what is known of rules is kept: the rule's id follows.
const KEY: &str = "rule ";

/// Correlations look so many spans back, so that intervals that go on begin where they began.
const SPANS: i64 = 4;

pub struct Rules {
    set: RuleSet,
    sources: Sources,
    progress: Progress,
    /// What was evaluated before a restart.
    before: Option<Marks>,
    /// Problems that were given: file, line and message.
    said: HashSet<(PathBuf, usize, String)>,
}

impl Rules {
    pub fn new((set, sources): (RuleSet, Sources), ledger: &mut Ledger, snapshot: &Snapshot) -> Rules {
        // Of rules that were never evaluated, the past is history.
        let before = ledger.marks().cloned().unwrap_or_else(|| Marks::default().covering(snapshot));
        Rules { set, sources, progress: Progress::default(), before: Some(before), said: HashSet::new() }
    }

    #[cfg(test)]
    pub fn keep_at_most(&mut self, hits: usize) {
        self.progress.most_hits = hits;
    }

    pub fn refresh(
        &mut self,
        scope: &CheckScope<'_>,
        (news, now): (&News, i64),
        ledger: &mut Ledger,
        cool_down: i64,
    ) -> Result<Vec<Problem>> {
        let mut problems = Vec::new();
        if self.set.is_empty() {
            return Ok(problems);
        }
        if let Some(before) = self.before.take() {
            problems.extend(self.recall(scope, &before, now)?);
            let missed = scope.snapshot.since(&before);
            let since = ledger.now();
            problems.extend(self.evaluate(scope, &missed.fresh, (None, None), now, (ledger, cool_down))?);
            // Of what was merged with events that were evaluated, those of later times.
            let later = (since.map(|since| since + 1), None);
            problems.extend(self.evaluate(scope, &missed.mixed, later, now, (ledger, cool_down))?);
        } else {
            problems.extend(self.evaluate(scope, &news.fresh, (None, None), now, (ledger, cool_down))?);
            let later = (ledger.now().map(|since| since + 1), None);
            problems.extend(self.evaluate(scope, &news.mixed, later, now, (ledger, cool_down))?);
        }
        ledger.cover(scope.snapshot);
        problems.retain(|problem| {
            // Hints may have numbers, which are others each time.
            self.said.insert((problem.file.clone(), problem.line, problem.message.clone()))
        });
        Ok(problems)
    }

    /// Finds again what correlations need of the time before a restart. The problems say what is left out of it.
    fn recall(&mut self, scope: &CheckScope<'_>, before: &Marks, now: i64) -> Result<Vec<Problem>> {
        let Some(span) = self.set.longest_span() else { return Ok(Vec::new()) };
        let since = now.saturating_sub(span.saturating_mul(SPANS));
        let known = scope.snapshot.covered(before);
        let range = (Some(since), None);
        let report = sigma::run(
            &self.set,
            &self.sources,
            scope.case,
            &known,
            range,
            &mut self.progress,
            scope.cancel,
        )?;
        self.progress.settle(since);
        Ok(report.problems)
    }

    fn evaluate(
        &mut self,
        scope: &CheckScope<'_>,
        part: &Snapshot,
        range: (Option<i64>, Option<i64>),
        now: i64,
        (ledger, cool_down): (&mut Ledger, i64),
    ) -> Result<Vec<Problem>> {
        if part.events() == 0 {
            return Ok(Vec::new());
        }
        let (rules, sources) = (&self.set, &self.sources);
        let report = sigma::run(rules, sources, scope.case, part, range, &mut self.progress, scope.cancel)?;
        for alert in &report.alerts {
            let judgement = Judgement {
                since: i64::MIN,
                is_whole: false,
                is_followed: &|_| true,
                cool_down,
                by_start: false,
            };
            let key = format!("{KEY}{}", alert.detector);
            ledger.take(&key, &[Candidate::of_events(alert)], &judgement);
        }
        // Another part is other segments: a correlation may still need what was found in these.
        let since = |span: i64| now.saturating_sub(span.saturating_mul(SPANS));
        self.progress.settle(self.set.longest_span().map_or(i64::MAX, since));
        Ok(report.problems)
    }
}
