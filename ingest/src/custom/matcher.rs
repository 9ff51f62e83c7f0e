//! A compiled pattern: its quick way where it has one, and behind that the whole pattern.

use super::engine::{Engine, Miss, Scratch, Spans};
use super::plan::Plan;
use super::simplify::starts;
use super::syntax::{Dialect, Parsed, parse};

#[derive(Debug)]
pub(super) struct Matcher {
    plan: Option<Plan>,
    engine: Engine,
    /// `field` or `field:type` of each group; empty for groups that only a back-reference needs.
    pub groups: Vec<String>,
}

impl Matcher {
    pub(super) fn new(pattern: &str, dialect: Dialect) -> Result<Matcher, String> {
        let Parsed { node, groups } = parse(pattern, dialect)?;
        let plan = starts(&node).ok().and_then(|starts| Plan::new(&starts[0].node, groups.len()));
        Ok(Matcher { plan, engine: Engine::search(&node)?, groups })
    }

    /// How many spans a search needs: twice the groups, for the marks of the plan.
    pub(super) fn spans(&self) -> usize {
        2 * self.groups.len()
    }

    #[cfg(test)]
    pub(super) fn is_backtracking(&self) -> bool {
        self.engine.is_backtracking()
    }

    /// Searches the line; `spans` holds what each group matched then.
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

    /// As the pattern was written, with backtracking, for comparison.
    #[cfg(test)]
    pub(super) fn as_written(pattern: &str, dialect: Dialect) -> Result<Matcher, String> {
        let Parsed { node, groups } = parse(pattern, dialect)?;
        Ok(Matcher { plan: None, engine: Engine::backtracking(&node)?, groups })
    }

    /// Without the quick way, for comparison.
    #[cfg(test)]
    pub(super) fn without_plan(self) -> Matcher {
        Matcher { plan: None, ..self }
    }
}
