//! What is done with the matching events, one stage after the other.

use super::{Expr, Filter, Joined, Quantity, RegexText, Span, Unpivot, Windowed};
use crate::functions::Aggregation;

#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    pub kind: StageKind,
    pub span: Span,
}

/// A field or column by its exact name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldRef {
    pub name: String,
    pub span: Span,
}

/// Fields by name, in which `*` matches any run of characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamePattern {
    pub pattern: String,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum StageKind {
    /// Keeps rows for which the condition is true.
    Where(Expr),
    /// Keeps rows that pass a filter; text is looked for in `raw`.
    Search(Filter),
    /// Sets columns, each seeing those set before it.
    Eval(Vec<Assignment>),
    /// A row for each combination of the groups' values, in the order of the groups; one row without groups.
    Stats {
        aggregates: Vec<Aggregate>,
        by: Vec<Group>,
    },
    /// A row for each bin of time, those without events too; with `by` a column for each of its values, the
    /// `limit` largest of them, the others together as `other`.
    Timechart {
        span: TimeSpan,
        aggregates: Vec<Aggregate>,
        by: Option<Group>,
        limit: Option<u64>,
    },
    /// Rows in the order of these keys, the first deciding first; equal rows stay in the order they had.
    /// Missing values come last.
    Sort(Vec<SortKey>),
    /// Only these columns, in this order.
    Keep(Vec<NamePattern>),
    /// All but these columns.
    Drop(Vec<NamePattern>),
    Rename(Vec<Renaming>),
    /// The first rows.
    Limit(u64),
    /// The last rows, in their order.
    Tail(u64),
    /// Of rows with the same values of these fields, the first `keep`.
    Dedup {
        fields: Vec<FieldRef>,
        keep: u64,
    },
    Top(Frequent),
    Rare(Frequent),
    /// For each field: share, distinct values, the most frequent `values` of them; all fields when none is named.
    Facets {
        fields: Vec<FieldRef>,
        values: Option<u64>,
    },
    /// The templates of messages (or of another text field), most frequent first.
    Patterns {
        field: Option<FieldRef>,
        limit: Option<u64>,
    },
    /// Columns from a text by a grok pattern: `%{IP:client} %{NUMBER:bytes:int}`.
    Grok(Extraction),
    /// Columns from a text by its delimiters: `%{a} [%{b}] %{c}`.
    Dissect(Extraction),
    /// Columns from a text by the named groups of an expression.
    Rex {
        field: Option<FieldRef>,
        regex: RegexText,
    },
    /// A column of the values at a place where a pattern of messages varies.
    Variable(VariablePart),
    /// With each event those around it, a `context` column telling which (`match`, `before`, `after`).
    Context(Surroundings),
    /// Rows of events that share the values of fields: first and last time, duration, count, highest level.
    Transaction {
        by: Vec<FieldRef>,
        limits: TransactionLimits,
    },
    /// How these events differ from those of another filter in the same range, in ranked rows.
    Compare {
        with: Filter,
        limit: Option<u64>,
    },
    /// The aggregates of these events and of a baseline: for each a column `now`, `before`, the difference
    /// and the ratio.
    Shift {
        baseline: Baseline,
        aggregates: Vec<Aggregate>,
        by: Vec<Group>,
    },
    /// How much each quantile of a field's numbers differs from that of another filter in the same range.
    Quantiles {
        value: FieldRef,
        with: Filter,
    },
    /// Where a series changes its level: the row of the change, its kind (`step`, `spike`, `dip`, `trend`) and
    /// how sure that is. The series is in the order of `on` (`time` unless named).
    ChangePoint {
        value: FieldRef,
        on: Option<FieldRef>,
    },
    /// Columns of a CSV, NDJSON or Parquet file, joined where keys are equal; rows without a partner keep missing values.
    Lookup(Join),
    /// Rows joined with those of a file or of another query that have the same keys. A missing key is equal
    /// to none.
    Join(Joined),
    /// Columns calculated of the rows around each row, for each combination of the values of `by` on its own.
    Window {
        columns: Vec<Windowed>,
        by: Vec<FieldRef>,
    },
    /// A row for each combination of the groups' values, and a column for each value of `on`.
    Pivot {
        aggregate: Aggregate,
        on: FieldRef,
        by: Vec<Group>,
        /// The most columns that may come of it.
        limit: Option<u64>,
    },
    /// A row for each of some columns, with its name and its value; missing values give none.
    Unpivot(Unpivot),
    /// A value in place of missing ones; in all columns when none is named.
    FillNull {
        fields: Vec<NamePattern>,
        value: Expr,
    },
    /// The last value before in place of missing ones.
    FillDown(Vec<NamePattern>),
    /// Which of so many equally filled ranges of its values a number is in, from 1.
    Bucket {
        value: FieldRef,
        count: u64,
        name: Option<FieldRef>,
    },
    /// Random rows, the same ones for the same seed: so many, or a share of them.
    Sample {
        size: f64,
        is_share: bool,
        seed: Option<u64>,
    },
}

/// `name = value`.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    pub name: FieldRef,
    pub value: Expr,
}

/// One calculation over the rows of a group: `p95(duration_ms) as slow`.
#[derive(Clone, Debug, PartialEq)]
pub struct Aggregate {
    pub function: Aggregation,
    /// What is calculated on; only `count` and `rate` may have none, and then count rows.
    pub argument: Option<Expr>,
    /// The n of `percentile(x, n)` (0 to 100) and of `values(x, n)`.
    pub parameter: Option<f64>,
    /// Only rows for which this is true: `count() where status >= 500`.
    pub condition: Option<Expr>,
    pub name: Option<String>,
    pub span: Span,
}

impl Aggregate {
    /// The number of rows.
    #[must_use]
    pub fn counting(span: Span) -> Aggregate {
        Aggregate {
            function: Aggregation::Count,
            argument: None,
            parameter: None,
            condition: None,
            name: None,
            span,
        }
    }
}

/// A value that rows are grouped by, often a field or `bin(time, 5m)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    pub value: Expr,
    pub name: Option<String>,
    pub span: Span,
}

/// The width of the bins of a timechart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TimeSpan {
    /// As suits the range of times.
    Auto,
    /// A duration; calendar units begin where the calendar's do.
    Every(Quantity),
}

#[derive(Clone, Debug, PartialEq)]
pub struct SortKey {
    pub value: Expr,
    pub descending: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renaming {
    pub from: FieldRef,
    pub to: FieldRef,
}

/// The most (or least) frequent combinations of values, with `count` and `percent`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frequent {
    pub count: u64,
    pub fields: Vec<FieldRef>,
    /// So many of each of these.
    pub by: Vec<FieldRef>,
}

/// Columns out of a text (`message` unless named) by a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extraction {
    pub field: Option<FieldRef>,
    pub pattern: String,
    pub pattern_span: Span,
}

/// `variable 2 of t0123456789abcdef as took`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariablePart {
    /// Which of the pattern's variable parts, from 1.
    pub number: u64,
    /// The id of the pattern.
    pub pattern: FieldRef,
    pub name: FieldRef,
}

/// How many events around each, and which count as neighbours: those of the same file, or those that share
/// the value of a field; `everywhere` takes all files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surroundings {
    pub before: u64,
    pub after: u64,
    pub everywhere: bool,
    pub same: Option<FieldRef>,
}

/// What ends a transaction before its events do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TransactionLimits {
    /// The longest time between two of its events.
    pub max_pause: Option<Quantity>,
    /// The longest time from its first event to its last.
    pub max_span: Option<Quantity>,
    /// An event that begins a new one.
    pub starts_with: Option<Filter>,
    /// An event that is its last.
    pub ends_with: Option<Filter>,
}

/// The events that `shift` calculates over a second time.
#[derive(Clone, Debug, PartialEq)]
pub enum Baseline {
    /// The range of times of the same length right before.
    Previous,
    /// The same range so much earlier.
    Earlier(Quantity),
    /// The events of this filter instead of the query's own, in the same range.
    Events(Filter),
}

/// `lookup "hosts.csv" on host = name output owner, site as place`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Join {
    /// A path, relative to the folder that the host names.
    pub file: String,
    pub file_span: Span,
    /// Pairs of a field of the rows and a column of the file.
    pub on: Vec<Renaming>,
    /// Columns of the file and their names in the result; all that are no keys when empty.
    pub output: Vec<Renaming>,
}

impl Aggregate {
    /// The name of its column: the one given, else as it is printed, such as `count` or `p95(duration_ms)`.
    #[must_use]
    pub fn column(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.calculation())
    }
}

impl Group {
    /// The name of its column: the one given, the field's, `time` for a bin of it, else as it is printed.
    #[must_use]
    pub fn column(&self) -> String {
        use super::ExprKind;
        use crate::functions::Function;
        if let Some(name) = &self.name {
            return name.clone();
        }
        match &self.value.kind {
            ExprKind::Field(name) => name.clone(),
            ExprKind::Call(Function::Bin | Function::DateTrunc, arguments) => {
                let field = arguments.iter().find_map(Expr::as_field);
                field.map_or_else(|| self.value.to_string(), str::to_owned)
            }
            _ => self.value.to_string(),
        }
    }
}

impl StageKind {
    /// Whether rows are no longer events after it.
    #[must_use]
    pub fn makes_a_table(&self) -> bool {
        use StageKind::{
            ChangePoint, Compare, Facets, Patterns, Pivot, Quantiles, Rare, Shift, Stats, Timechart, Top,
            Transaction,
        };
        matches!(
            self,
            Stats { .. }
                | Timechart { .. }
                | Top(_)
                | Rare(_)
                | Facets { .. }
                | Patterns { .. }
                | Transaction { .. }
                | Compare { .. }
                | Shift { .. }
                | Quantiles { .. }
                | ChangePoint { .. }
                | Pivot { .. }
        )
    }
}
