//! The language: text in, a [`Query`] out, and back to text. Knows nothing of how it is run.
//!
//! [`parse`] reads a filter, [`parse_query`] a filter and its pipes, [`parse_leniently`] whatever there is, with
//! all that is wrong in it. [`functions`] and [`stages`] are the tables of what the language has.

mod ast;
mod diagnostic;
pub mod functions;
mod lexer;
pub mod network;
mod parser;
mod print;
pub mod stages;

pub use ast::{
    Aggregate, Assignment, Baseline, BinaryOp, Bound, Dimension, Expr, ExprKind, Extraction, FieldRef,
    Filter, Frequent, Group, Join, NamePattern, Op, Pattern, Quantity, Query, Range, RegexText, Renaming,
    SortKey, Span, Stage, StageKind, Surroundings, Test, TimeSpan, TransactionLimits, Unit,
};
pub use diagnostic::{Diagnostic, Severity, nearest};
pub use parser::{Lenient, Reading, parse, parse_as, parse_leniently, parse_query};
