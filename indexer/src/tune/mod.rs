//! The host, and the plan of an import on it.

mod host;
mod plan;
mod thread;
mod turn;

pub use host::Host;
pub use plan::{Overrides, Plan};
pub(crate) use thread::{lower_priority, thread_cpu};
pub(crate) use turn::{Turn, give_way};
