//! What stages that work on whole tables are given: joins, calculations over neighbouring rows, and columns that
//! become rows or the other way.

use super::{Expr, FieldRef, NamePattern, Quantity, Query, Renaming, Span};

/// `join left on host (level:error | stats count by host)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Joined {
    pub kind: JoinKind,
    /// Pairs of a column of the rows and one of what is joined.
    pub on: Vec<Renaming>,
    pub with: JoinedWith,
}

/// Which rows a join keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinKind {
    /// Those with a partner, once for each.
    Inner,
    /// All; those without a partner have missing values.
    Left,
    /// Those with a partner, as they are.
    Semi,
    /// Those without one, as they are.
    Anti,
}

impl JoinKind {
    pub const ALL: [JoinKind; 4] = [JoinKind::Inner, JoinKind::Left, JoinKind::Semi, JoinKind::Anti];

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            JoinKind::Inner => "inner",
            JoinKind::Left => "left",
            JoinKind::Semi => "semi",
            JoinKind::Anti => "anti",
        }
    }

    /// Whether columns of the other side are added to the rows.
    #[must_use]
    pub fn adds_columns(self) -> bool {
        matches!(self, JoinKind::Inner | JoinKind::Left)
    }
}

/// What rows are joined with.
#[derive(Clone, Debug, PartialEq)]
pub enum JoinedWith {
    /// A CSV, NDJSON or Parquet file, by a path relative to the folder that the host names.
    File(FieldRef),
    /// What another query finds in the same range of times.
    Query(Box<Query>),
}

/// One column of `window`: `prev=lag(duration_ms)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Windowed {
    pub function: WindowFunction,
    /// What is calculated on; only `row_number` and counts may have none.
    pub argument: Option<Expr>,
    pub name: Option<String>,
    pub span: Span,
}

/// What is calculated of the rows around a row, in the order of the rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WindowFunction {
    /// The value of the row so many before.
    Lag(u64),
    /// The value this many rows later.
    Lead(u64),
    RowNumber,
    /// One more than the number of smaller values.
    Rank,
    /// One more than the number of different smaller values.
    DenseRank,
    /// Of the rows up to this one.
    Running(WindowAggregate),
    /// Of the rows of so long a time before this one, those of its own time among them.
    Rolling(WindowAggregate, Quantity),
    /// Of all rows of the group.
    Group(WindowAggregate),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WindowAggregate {
    Count,
    Sum,
    Avg,
    Min,
    Max,
    /// From 0 to 100.
    Percentile(f64),
}

/// `unpivot cpu_*, memory as name, value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unpivot {
    /// The columns that become rows; all that do not stay when empty.
    pub columns: Vec<NamePattern>,
    /// The columns to keep; all others if empty.
    pub by: Vec<FieldRef>,
    /// What the columns of names and of values are called.
    pub name: FieldRef,
    pub value: FieldRef,
}
