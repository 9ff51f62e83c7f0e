//! Text logs of Windows.

pub(crate) mod cbs;
pub(crate) mod forwarded;
pub(crate) mod setupapi;
pub(crate) mod transcript;
