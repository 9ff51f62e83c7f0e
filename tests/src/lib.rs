//! What the tests across parts share: the checkers of [`tidy`], the golden [`cases`], and the naive
//! [`mod@reference`] that the engine must agree with.
//!
//! The checkers are plain functions from text to findings, so that each can be shown to find something.
//!
//! ```
//! use timberline_tests::tidy;
//!
//! let findings = tidy::layers::rust("ingest/src/lib.rs", "use tantivy::Index;");
//! assert_eq!(findings.len(), 1);
//! ```

pub mod assistant;
pub mod cases;
pub mod changes;
pub mod faults;
pub mod files;
pub mod listening;
pub mod programs;
pub mod reference;
pub mod report;
pub mod shippers;
pub mod tidy;
