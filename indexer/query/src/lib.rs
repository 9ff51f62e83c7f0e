//! The language: text in, a [`Query`] out, and back to text. Knows nothing of how it is run.
//!
//! [`parse`] reads a filter, [`parse_query`] a filter and its pipes, [`parse_leniently`] whatever there is, with
//! all that is wrong in it. [`functions`] and [`stages`] are the tables of what the language has.

mod ast;
mod checked;
mod columns;
mod complete;
mod diagnostic;
pub mod ecs;
pub mod functions;
mod habits;
mod highlight;
pub mod levels;
mod lexer;
pub mod network;
mod notes;
mod outline;
pub mod page;
mod parser;
mod pasted_time;
mod period;
mod print;
pub mod reference;
mod resolve;
pub mod stages;
mod stretch;
pub mod time;
mod wanted;

pub use ast::{
    Aggregate, Amount, Assignment, Baseline, BinaryOp, Bound, Dimension, Expr, ExprKind, Extraction,
    FieldRef, Filter, Frequent, Group, Join, JoinKind, Joined, JoinedWith, NamePattern, NoteClause,
    NotedEvents, Op, Pattern, Quantity, Query, Range, RegexText, Renaming, SortKey, Span, Stage, StageKind,
    Surroundings, Test, TimeSpan, TransactionLimits, Unit, Unpivot, VariablePart, WindowAggregate,
    WindowFunction, Windowed,
};
pub use checked::Checked;
pub use columns::{like, unknown_columns};
pub use complete::{Completion, Suggested, Suggestion, ValueLookup, WordLookup, complete};
pub use diagnostic::{Diagnostic, Severity, nearest};
pub use habits::{SourceFormat, habits};
pub use highlight::{Class, Highlight, highlight};
pub use notes::{NoteField, STATES, each_field};
pub use outline::{Clause, Edit, Outline, edit, outline};
pub use parser::{Lenient, Reading, parse, parse_as, parse_leniently, parse_query};
pub use resolve::{BUILT_IN, KnownField, QueryContext, Resolved, resolve};
pub use wanted::wanted_words;
