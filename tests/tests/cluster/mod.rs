//! A cluster for tests: documents with a mapping, asked in query DSL, on a port of 127.0.0.1.

// One table of what is answered reads better than its parts.
#![allow(clippy::too_many_lines, clippy::match_same_arms, clippy::unused_self)]

pub mod answers;
pub mod data;
pub mod evaluator;
pub mod kinds;
pub mod logs;
pub mod random;
pub mod recorded;
pub mod server;
pub mod tls;
