//! The tests of receiving, as one test program; `cargo test --workspace --test all -- kill::` runs a part.

mod clients;
mod kill;
mod senders;
