//! The tests of reading files, as one test program; `cargo test --workspace --test all -- unpack::` runs a part.

mod pack;
mod sample_lines;

mod any_chunking;
mod damaged_archives;
mod documented;
mod late_layouts;
mod sources;
mod unpack;
