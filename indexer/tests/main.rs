//! The tests of a case, as one test program; `cargo test --workspace --test all -- live::` runs a part.

mod byte_ranges;
mod compress;
mod live;
