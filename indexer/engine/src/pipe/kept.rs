//! Aggregations that are asked again and again about a case that grows: what of them depends on its fields alone is worked
//! out once.

use std::sync::Arc;

use super::answer::PlannedQuery;
use super::lower::{self, Lowered};
use super::plan::{Planned, Planner, plan};
use super::run::{Run, RunClock, RunOptions, Scope};
use super::stages::stats::{Groups, StatsPlan};
use super::table::Table;
use crate::Engine;
use crate::exec::{KeptFilter, in_order};
use crate::view::View;
use base::Cancel;
use base::error::Result;
use query::{Filter, Query, each_field};
use store::Snapshot;

/// Two ranges of time that no query means. What differs between them depends on the time.
const RANGES: [(i64, i64); 2] = [(-7_777_777_777, -7_777_777_770), (7_777_777_777, 7_777_777_777_777_777)];

/// A filter and one `stats` after it, made ready for the fields of a case. Other events of the same fields may be asked.
pub struct KeptQuery {
    planned: PlannedQuery,
    stats: Arc<StatsPlan>,
    lowered: Option<Lowered>,
    options: RunOptions,
}

impl std::fmt::Debug for KeptQuery {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeptQuery").field("view", &self.planned.view).finish_non_exhaustive()
    }
}

impl Engine {
    /// Makes a query ready for the fields of a snapshot. Nothing where its answer depends on more: on the present, on
    /// notes or templates, or on stages after its first `stats`.
    pub fn keep(
        &self,
        snapshot: &Snapshot,
        query: &Query,
        options: &RunOptions,
    ) -> Result<Option<KeptQuery>> {
        if snapshot.events() == 0 {
            return Ok(None);
        }
        let mut asked = PlannedQuery::new(self, snapshot, query, (None, None), options)?;
        if !lasts(&asked.view.filter) || asked.wanted.columns.iter().any(|name| **name == *"template") {
            return Ok(None);
        }
        let at = |range: (i64, i64)| -> Result<Option<Arc<StatsPlan>>> {
            let clock = RunClock { now: range.1, range: Some(range), ..asked.clock.clone() };
            let mut planner = Planner { names: asked.names_of_events(), clock: &clock };
            let mut steps = plan(&asked.stages, &mut planner)?;
            Ok(match (steps.pop(), steps.is_empty()) {
                (Some(Planned::Stats(stats)), true) => Some(stats),
                _ => None,
            })
        };
        let (Some(stats), Some(other)) = (at(RANGES[0])?, at(RANGES[1])?) else { return Ok(None) };
        if format!("{stats:?}") != format!("{other:?}") {
            return Ok(None);
        }
        if asked.view.filter != Filter::Everything {
            asked.filter = Some(KeptFilter::new(&asked.view.filter));
        }
        let lowered = Lowered::new(&stats, true).ok().filter(|_| !options.by_rows);
        Ok(Some(KeptQuery { planned: asked, stats, lowered, options: options.clone() }))
    }

    /// Answers a query that was made ready, over any snapshot with the same fields: the same table as [`Engine::run`]
    /// gives.
    pub fn run_kept(
        &self,
        snapshot: &Snapshot,
        kept: &KeptQuery,
        range: (Option<i64>, Option<i64>),
        cancel: &Cancel,
    ) -> Result<Table> {
        Self::without_damaged(snapshot, |snapshot| kept.run(self, snapshot, range, cancel))
    }
}

impl KeptQuery {
    fn run(
        &self,
        case: &Engine,
        snapshot: &Snapshot,
        (from, to): (Option<i64>, Option<i64>),
        cancel: &Cancel,
    ) -> Result<Table> {
        let view = View { filter: self.planned.view.filter.clone(), from, to };
        let now = snapshot.time_range().map_or(0, |(_, last)| last);
        let range = crate::view::range(snapshot, &view);
        let clock = RunClock { now, range, ..self.planned.clock.clone() };
        let scope = Scope { case, snapshot, view: &view };
        let run = Run::new(clock, &self.options, cancel, Some(scope));
        if !run.by_rows
            && let Some(mut table) = lower::percentiles(&self.stats, (scope, &run), &mut |_| {})?
        {
            table.notes = run.take_notes();
            return Ok(table);
        }
        let mut groups = Groups::new(&self.stats);
        let tasks = self.stats.tasks(snapshot);
        let group = |task: usize| {
            self.planned.group(&run, scope, &[], (&self.stats, self.lowered.as_ref()), &tasks[task])
        };
        in_order(tasks.len(), cancel, group, |_, found| groups.merge(found, &run))?;
        run.check()?;
        run.note(groups.notes());
        let mut table = groups.into_table(&run)?;
        run.budget.take("the result", table.bytes())?;
        if table.rows() == 0 {
            table = self.planned.empty();
        }
        table.notes = run.take_notes();
        Ok(table)
    }
}

/// Whether a filter that was resolved means the same at any time and whatever comes.
fn lasts(filter: &Filter) -> bool {
    let mut lasts = !has_notes(filter);
    each_field(filter, &mut |_, field, _| lasts &= !matches!(field, "time" | "template"));
    lasts
}

fn has_notes(filter: &Filter) -> bool {
    match filter {
        Filter::And(parts) | Filter::Or(parts) => parts.iter().any(has_notes),
        Filter::Not(inner) => has_notes(inner),
        Filter::Noted(_) => true,
        Filter::Everything | Filter::Text(_) | Filter::Field { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_case::{ImportOptions, TestCase};
    use query::parse_query;

    const LINES: &str = r#"{"time":"2026-03-01T00:00:00Z","host":"a","ms":5,"ok":true}
{"time":"2026-03-01T00:00:20Z","host":"b","ms":7,"ok":false}
{"time":"2026-03-01T00:01:10Z","host":"a","ms":700,"ok":true}
{"time":"2026-03-01T00:02:50Z","ms":9,"ok":true}
"#;

    fn case(folder: &tempfile::TempDir) -> Result<TestCase> {
        let case = TestCase::create(&folder.path().join("a.case"))?;
        for (name, text) in [("a.ndjson", LINES.to_owned()), ("b.ndjson", LINES.replace("00:0", "00:3"))] {
            let log = folder.path().join(name);
            std::fs::write(&log, text).expect("written");
            case.import(&[log], &ImportOptions::default(), &|_| {}, &Cancel::default())?;
        }
        Ok(case)
    }

    fn rows(table: &Table) -> Vec<Vec<String>> {
        let cells = |row| (0..table.names().len()).map(move |at| table.cell(row, at).to_string()).collect();
        std::iter::once(table.names().iter().map(ToString::to_string).collect())
            .chain((0..table.rows()).map(cells))
            .collect()
    }

    #[test]
    fn a_kept_query_answers_as_the_query_does_over_all_and_over_parts() -> Result<()> {
        let folder = tempfile::tempdir().expect("a folder");
        let case = case(&folder)?;
        let (snapshot, cancel) = (case.snapshot(), Cancel::default());
        let options = RunOptions::default();
        let middle = base::stamp::parse("2026-03-01T00:01:00Z");
        for text in [
            "* | stats count as n by bin(time, 60000ms) as at",
            "ms<100 | stats avg(ms) as v, p90(ms) as p, min(time) as first by bin(time, 60000ms) as at, host",
            "host:a OR ok:false | stats count_distinct(host) as v by bin(time, 1h)",
            "host:nobody | stats sum(ms) as v, max(ms) by bin(time, 30000ms)",
            "700 | stats p50(ms) as v by host",
            "ok:true | stats count",
        ] {
            let query = parse_query(text).expect(text);
            let kept = case.keep(&snapshot, &query, &options)?.expect(text);
            let last = snapshot.part(snapshot.segments.last().cloned().into_iter().collect());
            for (part, range) in [
                (&*snapshot, (None, None)),
                (&*snapshot, (middle, None)),
                (&*snapshot, (None, middle)),
                (&last, (middle, None)),
            ] {
                let expected = case.run(part, &query, range, &options, &mut |_| {}, &cancel)?;
                let found = case.run_kept(part, &kept, range, &cancel)?;
                assert_eq!(rows(&found), rows(&expected), "{text} {range:?}");
            }
        }
        Ok(())
    }

    #[test]
    fn what_depends_on_more_than_fields_is_not_kept() -> Result<()> {
        let folder = tempfile::tempdir().expect("a folder");
        let case = case(&folder)?;
        let snapshot = case.snapshot();
        for text in [
            "time>now-1m | stats count",
            "is:starred | stats count",
            "* | stats count, max(now() - time)",
            "* | stats count by bin(time, auto)",
            "* | stats count by template",
            "* | stats count by host | where count > 1",
            "* | where ms > 5 | stats count",
            "* | limit 2",
        ] {
            let query = parse_query(text).expect(text);
            assert!(case.keep(&snapshot, &query, &RunOptions::default())?.is_none(), "{text}");
        }
        let query = parse_query("hots:a | stats count").expect("it reads");
        assert!(case.keep(&snapshot, &query, &RunOptions::default()).is_err());
        Ok(())
    }
}
