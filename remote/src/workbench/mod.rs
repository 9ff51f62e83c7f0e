//! What a screen asks of a cluster besides the questions of the command line: what there is, rows of a result anywhere
//! in their order, the timeline, facets, counts in several groups at once, where a value occurs, patterns of a sample, and the
//! language with the cluster's fields.

mod around;
mod bins;
mod cube;
mod facets;
mod follow;
mod language;
mod listing;
mod overview;
mod patterns;
mod sample;
mod timeline;

pub use around::Surrounding;
pub(crate) use cube::{names_of, rates};
pub use follow::RemoteTrail;
pub use listing::Listing;
pub(crate) use listing::Stretch;
pub use overview::{IndexCount, Overview};
pub use patterns::Sampled;
pub use sample::SampleCase;
pub(crate) use timeline::empty_timeline;
