//! What the machine is, and how an import goes about it there.

mod host;
mod pace;
mod plan;

pub use host::Host;
pub(crate) use pace::{Pace, lower_priority, thread_cpu};
pub use plan::{Overrides, Plan};
