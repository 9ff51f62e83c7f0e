//! Which handler answers which request.

use hyper::{Method, StatusCode};

use super::answer::{Answered, Problem};
use super::request::{Head, Request};
use super::{Host, cluster, indices, search, single};
use crate::otlp;

/// Answers everything but `_bulk`, which reads its body itself.
pub fn answer(host: &Host, request: &Request) -> Answered {
    let head = &request.head;
    let segments: Vec<&str> = head.segments.iter().map(String::as_str).collect();
    let post = head.method == Method::POST;
    let put = head.method == Method::PUT;
    let writes = post || put;
    let reads = post || matches!(head.method, Method::GET | Method::HEAD);
    match segments[..] {
        ["v1", "logs"] if post => Ok(otlp::logs(host, request)),
        ["_search"] if reads => search::search(host, request, "_all"),
        [index, "_search"] if reads => search::search(host, request, index),
        ["_search", "scroll"] | ["_search", "scroll", _] => search::scroll(host, request),
        ["_count"] if reads => search::count(host, request, "_all"),
        [index, "_count"] if reads => search::count(host, request, index),
        ["_msearch"] if reads => search::multi(host, request, "_all"),
        [index, "_msearch"] if reads => search::multi(host, request, index),
        [index, "_doc"] if post => single::store(host, request, index, None, false),
        [index, "_doc", id] if writes => single::store(host, request, index, Some(id), false),
        [index, "_create", id] if writes => single::store(host, request, index, Some(id), true),
        [index, "_doc", id] if reads => single::fetch(host, head, index, id, false),
        [index, "_source", id] if reads => single::fetch(host, head, index, id, true),
        [_, "_doc" | "_update", _] | [_, "_update_by_query" | "_delete_by_query"] => Err(Problem::argument(
            "what a case has received stays as it is: updating and deleting documents is not supported",
        )),
        // Until version 7 documents had a type, and nothing else looks like this.
        [index, kind] if post && !index.starts_with('_') && !kind.starts_with('_') => {
            single::store(host, request, index, None, false)
        }
        _ => cluster::answer(host, head, &segments)
            .or_else(|| indices::answer(host, request, &segments))
            .unwrap_or_else(|| Err(unknown(head))),
    }
}

fn unknown(head: &Head) -> Problem {
    let path = head.segments.join("/");
    Problem::new(
        StatusCode::BAD_REQUEST,
        "illegal_argument_exception",
        format!("no handler found for uri [/{path}] and method [{}]", head.method),
    )
}
