//! What a query means, as data.
//!
//! A [`Query`] is a [`Filter`] on events and the [`Stage`]s that its matches go through. Every node prints
//! itself in the language's own spelling (`to_string`), and what is printed parses to an equal tree, whatever
//! spelling it was read from. Nothing in here knows which fields there are, or what `now` is: names are
//! looked up and times resolved by whoever runs the query.

mod expr;
mod filter;
mod quantity;
mod stage;
mod tables;

pub use expr::{BinaryOp, Expr, ExprKind};
pub use filter::{Bound, Filter, NoteClause, NotedEvents, Op, Pattern, Range, RegexText, Test};
pub use quantity::{Amount, Dimension, Quantity, Unit};
pub use stage::{
    Aggregate, Assignment, Baseline, Extraction, FieldRef, Frequent, Group, Join, NamePattern, Renaming,
    SortKey, Stage, StageKind, Surroundings, TimeSpan, TransactionLimits, VariablePart,
};
pub use tables::{JoinKind, Joined, JoinedWith, Unpivot, WindowAggregate, WindowFunction, Windowed};

/// A byte range of the query.
///
/// Two spans are always equal, so that two queries are equal when they mean the same, wherever their parts
/// were written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

impl Span {
    #[must_use]
    pub fn new(start: usize, end: usize) -> Span {
        Span { start, end }
    }

    #[must_use]
    pub fn to(self, later: Span) -> Span {
        Span { start: self.start, end: later.end.max(self.start) }
    }
}

impl PartialEq for Span {
    fn eq(&self, _: &Span) -> bool {
        true
    }
}

impl Eq for Span {}

/// A filter, and what is done with the events that pass it, one stage after the other.
///
/// Events enter the first stage as rows with a column for each field, the built-in ones among them, oldest
/// first. Stages up to the first that makes a new table (`stats`, `timechart`, `top`, `rare`, `facets`,
/// `patterns`, `transaction`, `compare`, `shift`, `change_point`, `pivot`) keep rows events; after it they are plain rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    pub filter: Filter,
    pub stages: Vec<Stage>,
}
