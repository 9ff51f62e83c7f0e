//! Message templates: what the events of a case say, without what differs from one to the next.
//!
//! Mining has two steps. A message's [`shape`] depends on the message alone: numbers, addresses, times and the
//! like give way to their kinds. The [`Tree`] groups the shapes of each kind of source into templates; it depends
//! on nothing but the set of shapes. So neither how files were cut into segments, nor the order in which they were mined,
//! nor an interruption can change a template. The id of a template is the hash of one of its shapes, and the id
//! of every other shape in it names it too: an id once given names the template that holds its shape for ever.
//!
//! This module does not depend on storage.

mod atoms;
mod bounds;
mod group;
mod heading;
mod id;
mod miner;
mod shape;
mod slots;
mod source_kind;
mod tree;

pub use bounds::bounded_by_kind;
pub use id::{Granularity, TemplateId, shape_hash};
pub use miner::{Miner, NO_SHAPE};
pub use shape::{JOINT, mark_length};
pub use slots::{Message, Slots};
pub use source_kind::{source_kind, split_kind};
pub use tree::{Template, Tree};
