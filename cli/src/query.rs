//! `timberline query`: a case, a cluster, or both together are asked.

use anyhow::Result;
use indexer::{Error, ErrorKind};

use crate::args::Query;
use crate::{Outcome, events, remotes, together};

pub fn run(arguments: &Query) -> Result<Outcome> {
    if let Some(name) = remotes::named(&arguments.case) {
        if !arguments.cluster.with.is_empty() {
            let error = Error::new(ErrorKind::BadRequest, "--with shows a cluster with a case");
            return Err(error.hint("name the folder of a case in front of the query").into());
        }
        return remotes::query(name, arguments);
    }
    if !arguments.cluster.with.is_empty() {
        return together::query(arguments);
    }
    events::query(arguments)
}
