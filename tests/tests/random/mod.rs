//! Random logs and random queries about them.

pub mod logs;
mod notes;
mod queries;

pub use logs::{file, write_files};
pub use notes::{WrittenNote, notes};
pub use queries::query;
