//! The tests of the screen's contract, as one test program; `cargo test --workspace --test all -- journey::` runs
//! a part.

mod walk;

mod alerts;
mod cases;
mod detectors;
mod imports;
mod journey;
mod live;
mod queries;
mod trust;
mod typescript;
mod watching;
