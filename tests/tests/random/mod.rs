//! Random logs and random queries about them.

mod logs;
mod queries;

pub use logs::{file, write_files};
pub use queries::query;
