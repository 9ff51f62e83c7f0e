//! Counting and measuring what a filter matched.

pub(crate) mod timeline;
