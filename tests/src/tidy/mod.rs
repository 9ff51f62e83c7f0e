//! The rules of the house that a machine can check. Each checker takes a path and a text and returns what
//! is wrong, a sentence each.

pub mod dependencies;
pub mod destructive;
pub mod documents;
pub mod layers;
pub mod modules;
pub mod size;
pub mod types;
pub mod words;
