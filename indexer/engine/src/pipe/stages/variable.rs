//! `variable`: a column of the values at a place where a pattern varies, read from messages as the pattern was mined.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use super::super::cell::Cell;
use super::super::column::Column;
use super::super::expr::number_of;
use super::super::run::{Run, Scope};
use super::super::step::RowStep;
use super::super::table::Table;
use super::extract::fill;
use crate::templates::measure;
use base::error::{Error, ErrorKind, Result};
use base::limits::CANCEL_ROWS;
use patterns::{Message, NO_SHAPE, Slots, TemplateId, Tree};
use query::{Span, VariablePart};

pub struct Variable {
    pattern: TemplateId,
    /// From 0.
    at: usize,
    name: String,
    span: Span,
    found: OnceLock<FoundVariable>,
}

/// The pattern in the templates of the case.
struct FoundVariable {
    tree: Arc<Tree>,
    place: usize,
    slots: Slots,
    /// Its values are numbers, durations in milliseconds or sizes in bytes.
    is_measured: bool,
}

impl Variable {
    pub fn new(pattern: TemplateId, part: &VariablePart) -> Variable {
        Variable {
            pattern,
            at: usize::try_from(part.number - 1).unwrap_or(usize::MAX),
            name: part.name.name.clone(),
            span: part.pattern.span,
            found: OnceLock::new(),
        }
    }

    fn found(&self, scope: Scope<'_>, run: &Run<'_>) -> Result<&FoundVariable> {
        if let Some(found) = self.found.get() {
            return Ok(found);
        }
        let tree = scope.case.tree(scope.snapshot, &run.cancel, &mut |_, _| Ok(()))?;
        let place = tree.place(self.pattern.granularity, self.pattern.shape);
        let template =
            place.and_then(|place| Some((place, tree.templates(self.pattern.granularity).get(place)?)));
        let span = self.span;
        let Some((place, template)) = template else {
            let message = format!("the case has no pattern `{}`", self.pattern);
            return Err(Error::new(ErrorKind::QueryInvalid, message)
                .spanning(span.start, span.end)
                .hint("`| patterns` lists those that it has"));
        };
        let slots = Slots::from_template(template);
        let Some(kind) = slots.kinds().get(self.at).copied().map(str::to_owned) else {
            let message = format!("`{}` has {} variables", self.pattern, slots.len());
            return Err(Error::new(ErrorKind::QueryInvalid, message)
                .spanning(span.start, span.end)
                .hint(format!("its pattern is {}", template.text())));
        };
        let is_measured = matches!(kind.as_str(), "num" | "duration" | "size");
        Ok(self.found.get_or_init(|| FoundVariable { tree, place, slots, is_measured }))
    }

    /// The first value of a message at the place.
    fn value(&self, message: Message<'_>, found: &FoundVariable) -> Cell {
        let mut first = None;
        found.slots.values(message, |part, value| {
            if part == self.at && first.is_none() {
                first = Some(value.to_vec());
            }
        });
        let Some(value) = first else { return Cell::Missing };
        let text = Cell::text(&String::from_utf8_lossy(&value));
        if !found.is_measured {
            return text;
        }
        number_of(&text).or_else(|| measure(&value).map(Cell::float)).unwrap_or(Cell::Missing)
    }
}

impl RowStep for Variable {
    fn begin(&self, run: &Run<'_>) -> Result<()> {
        run.scope.map_or(Ok(()), |scope| self.found(scope, run).map(|_| ()))
    }

    fn apply(&self, mut rows: Table, run: &Run<'_>) -> Result<Table> {
        let (Some(scope), Some(events)) = (run.scope, rows.events.clone()) else {
            return Err(Error::new(
                ErrorKind::QueryInvalid,
                "`variable` needs events; these rows are results",
            )
            .hint("put it before stats, top and the like"));
        };
        let found = self.found(scope, run)?;
        let mut order: Vec<usize> = (0..events.len()).collect();
        order.sort_unstable_by_key(|&row| (events[row].segment, events[row].row));
        let mut cells = vec![Cell::Missing; rows.rows()];
        let mut kept = run.messages.take(run);
        for same in order.chunk_by(|&one, &other| events[one].segment == events[other].segment) {
            let index = events[same[0]].segment;
            let mut segment = kept.take(index, scope, run)?;
            let mined = &segment.mined;
            let has_it = |row: &u32| {
                let code = mined.codes.get(*row as usize).copied().unwrap_or(NO_SHAPE);
                let shape = mined.hashes.get(code as usize);
                shape.and_then(|&shape| found.tree.place(self.pattern.granularity, shape))
                    == Some(found.place)
            };
            // A join may have repeated a row.
            let mut wanted: Vec<u32> = same.iter().map(|&row| events[row].row).filter(has_it).collect();
            wanted.dedup();
            let mut values: HashMap<u32, Cell> = HashMap::with_capacity(wanted.len());
            segment.for_each(index, scope, run, wanted, |row, message| {
                if values.len().is_multiple_of(CANCEL_ROWS) {
                    run.check()?;
                }
                values.insert(row, self.value(message, found));
                Ok(())
            })?;
            kept.put(index, segment, run);
            for &row in same {
                if let Some(value) = values.get(&events[row].row) {
                    cells[row] = value.clone();
                }
            }
        }
        run.messages.put(kept);
        fill(&mut rows, &self.name, Column::of_cells(cells));
        Ok(rows)
    }
}
