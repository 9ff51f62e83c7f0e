//! The tests of receiving, as one test program; `cargo test -p timberline-receive --test all -- kill` runs a part.

mod clients;
mod kill;
mod senders;
