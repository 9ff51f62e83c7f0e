//! Where a value occurs at a cluster, and the patterns of a sample of its events.

use std::time::Instant;

use indexer::aggregate as engine;

use super::asked;
use super::opened::RemoteCase;
use crate::analysis::{FollowRequest, Followed, Trail};
use crate::calls::{Answer, milliseconds};
use crate::patterns::{Patterns, PatternsRequest, options};
use crate::session::Call;
use crate::types::RemoteSays;

pub fn follow(case: &RemoteCase, call: &Call<'_>, request: &FollowRequest) -> Answer<Followed> {
    let started = Instant::now();
    let answer = case.cluster(call).follow(&request.value)?;
    let trail = |found: &remote::RemoteTrail| Trail {
        trail: engine::Trail {
            source: case.source_number(&found.index),
            field: found.field.clone(),
            events: found.events,
            first: found.times.map(|(first, _)| first),
            last: found.times.map(|(_, last)| last),
        },
        source_name: found.index.clone(),
    };
    Ok(Followed {
        trails: answer.value.iter().map(trail).collect(),
        remote: RemoteSays::from_answer(&answer),
        elapsed_ms: milliseconds(started),
    })
}

pub fn patterns(case: &RemoteCase, call: &Call<'_>, request: &PatternsRequest) -> Answer<Patterns> {
    let started = Instant::now();
    let answer = case.cluster(call).patterns(&asked(&request.view)?, &options(request)?)?;
    let mut list = answer.value.patterns.clone();
    // Examples are events of the cluster, and not those of the sample.
    for pattern in &mut list.patterns {
        let found = pattern.examples.iter().filter_map(|(_, offset)| answer.value.events.get(offset));
        pattern.examples = found.map(|event| case.id_of(event)).map(|id| (id.source, id.offset)).collect();
    }
    Ok(Patterns {
        revision: case.revision,
        list,
        fraction: 1.0,
        elapsed_ms: milliseconds(started),
        remote: RemoteSays::from_answer(&answer),
    })
}
