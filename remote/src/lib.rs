//! Clusters: Elasticsearch and OpenSearch, asked the questions of a case.
//!
//! The only crate that opens connections to other machines, and it opens none unless a person added a [`Remote`].
//! The nouns: a [`Remote`] is an address with what is needed to ask it; [`Remotes`] is the file that lists them; a
//! [`Client`] sends bounded requests with a deadline; a [`Cluster`] is a remote whose fields are known, and answers
//! questions; a [`Translated`] filter is query DSL together with every clause that it cannot express exactly.
//!
//! What a cluster sends is hostile data: sizes, depths and types are checked, and an answer that lacks shards or was cut
//! off says so in [`Missing`].
//!
//! ```
//! use remote::{Remote, Remotes};
//!
//! let remote = Remote::new("prod", "https://logs.example:9200", "logs-*").unwrap();
//! assert_eq!(remote.url, "https://logs.example:9200");
//! assert!(Remote::new("prod", "ftp://logs.example", "logs-*").is_err());
//! assert!(Remotes::name_in("remote:prod").is_some_and(|name| name == "prod"));
//! ```

mod both;
mod check;
mod client;
mod cluster;
mod config;
mod configs;
mod dsl;
mod fingerprint;
mod json;
mod limits;
mod opaque;
mod plan;
mod push;
mod questions;
mod schema;
mod webhook;
mod workbench;

pub use both::{
    Both, Lane, LaneCounts, MergedEvent, MergedListing, MergedTimeline, OpenListing, Splits, new_listing,
    only_by_time,
};
pub use check::{Checked, Finding, check};
pub use client::{Body, Client, Exchange, Flavour, Options, Reply};
pub use cluster::{Asked, Cluster, Missing};
pub use config::{Login, Remote, Remotes, secret_file};
pub use configs::{Configuration, HeldOut, Learned, Lifetime, Share};
pub use dsl::{Inexact, Translated, translate};
pub use plan::{Figure, PlanRequest, Planned, Ratio, plan};
pub use push::{
    Counted, IndexTemplate, MeasuredRatios, PushOptions, PushOutcome, PushProgress, PushTarget, Pushed,
    Source, TemplateDecision, check_index, compare_hours, filter_of, measure, push, push_and_compare,
    sent_before, template, write_ndjson,
};
pub use questions::{
    Answer, DISTINCT_ERROR, ESTIMATED, Events, Here, PERCENTILE_ERROR, RemoteEvent, text_of,
};
pub use schema::{Field, MappedKind, Schema};
pub use webhook::Webhook;
pub use workbench::{IndexCount, Listing, Overview, RemoteTrail, SampleCase, Sampled, Surrounding};
