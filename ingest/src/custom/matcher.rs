//! A compiled pattern: its fast path where it has one, and the whole pattern as a fallback.

use super::engine::{Engine, Miss, Scratch, Spans};
use super::plan::Plan;
use super::simplify::starts;
use super::syntax::{Dialect, Parsed, parse};

#[derive(Debug)]
pub(super) struct Matcher {
    plan: Option<Plan>,
    engine: Engine,
    /// `field` or `field:type` of each group; empty for groups that only a back-reference uses.
    pub groups: Vec<String>,
}

impl Matcher {
    pub(super) fn new(pattern: &str, dialect: Dialect) -> Result<Matcher, String> {
        let Parsed { node, groups } = parse(pattern, dialect)?;
        let plan = starts(&node).ok().and_then(|starts| Plan::new(&starts[0].node, groups.len()));
        Ok(Matcher { plan, engine: Engine::search(&node)?, groups })
    }

    /// How many spans a search needs: twice the number of groups, because of the marks of the plan.
    pub(super) fn spans(&self) -> usize {
        2 * self.groups.len()
    }

    #[cfg(test)]
    pub(super) fn is_backtracking(&self) -> bool {
        self.engine.is_backtracking()
    }

    /// Searches the line; on success `spans` holds what each group matched.
    #[inline]
    pub(super) fn find(&self, line: &[u8], scratch: &mut Scratch, spans: &mut Spans) -> Result<(), Miss> {
        spans.fill(None);
        if let Some(plan) = &self.plan {
            if plan.run(line, scratch, spans) {
                return Ok(());
            }
            spans.fill(None);
        }
        self.engine.find(line, scratch, spans)
    }

    pub(super) fn is_match(&self, line: &[u8]) -> bool {
        let mut spans = vec![None; self.spans()];
        self.find(line, &mut Scratch::default(), &mut spans).is_ok()
    }

    /// The pattern as written, run with backtracking, for comparison.
    #[cfg(test)]
    pub(super) fn as_written(pattern: &str, dialect: Dialect) -> Result<Matcher, String> {
        let Parsed { node, groups } = parse(pattern, dialect)?;
        Ok(Matcher { plan: None, engine: Engine::backtracking(&node)?, groups })
    }

    /// The pattern without its fast path, for comparison.
    #[cfg(test)]
    pub(super) fn without_plan(self) -> Matcher {
        Matcher { plan: None, ..self }
    }
}
