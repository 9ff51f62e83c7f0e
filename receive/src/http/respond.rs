//! From a request to its answer: who may ask, the way to a handler, how long it may take, and the answer's headers.

use std::cell::Cell;
use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::service::service_fn;
use hyper::{Method, Response, StatusCode};
use indexer::Cancel;
use tokio::net::TcpListener;
use tokio::time::{sleep, timeout};

use super::answer::{Answer, Answered, Body, Problem};
use super::body::Pieces;
use super::limits::{BODY_BYTES, CONNECTIONS, ENDING_TIME, STOP_EVERY};
use super::request::{Head, Request};
use super::{Host, bulk, guard, routes};
use crate::connections::{self, ConnectionLimits};

/// Without it, clients of version 7.14 and later refuse to talk to a server.
const PRODUCT: (HeaderName, HeaderValue) =
    (HeaderName::from_static("x-elastic-product"), HeaderValue::from_static("Elasticsearch"));

/// Serves until the host is to stop.
pub async fn serve(listener: TcpListener, host: Arc<Host>) {
    let patience = host.options.patience;
    let limits = ConnectionLimits {
        connections: CONNECTIONS,
        head: patience.head,
        // Taking the answer may take as long as sending the body.
        request: Some(2 * patience.body + patience.answer),
        ending: ENDING_TIME,
    };
    let ended = host.ending.subscribe();
    let stopping = Arc::clone(&host);
    tokio::spawn(async move {
        while !stopping.stop.is_set() {
            sleep(STOP_EVERY).await;
        }
        stopping.ending.send_replace(());
    });
    let admits = |from| guard::lets_connect(&host.options, from);
    let turned_away = |reason| host.intake.counters().source("http").rejected(reason, 1);
    let service = |peer| {
        let host = Arc::clone(&host);
        service_fn(move |request: hyper::Request<Incoming>| {
            let host = Arc::clone(&host);
            async move { Ok::<_, Infallible>(respond(&host, peer, request).await) }
        })
    };
    connections::serve(listener, limits, ended, admits, &turned_away, service).await;
}

async fn respond(host: &Arc<Host>, peer: IpAddr, request: hyper::Request<Incoming>) -> Response<Full<Bytes>> {
    let (parts, body) = request.into_parts();
    let head = match Head::new(parts.method, &parts.uri, parts.headers, peer) {
        Ok(head) => head,
        Err(problem) => return response(problem.answer(), None),
    };
    let hangup = Hangup(host.stop.child());
    let answered = handle(host, &head, body, &hangup.0).await;
    // What is still to be rendered is a sentence.
    let answer = answered.unwrap_or_else(|problem| problem.answer()).rendered(&head, &hangup.0);
    response(answer, Some(&head))
}

/// Ends the work for a request when its connection is gone or its time is over.
struct Hangup(Cancel);

impl Drop for Hangup {
    fn drop(&mut self) {
        self.0.set();
    }
}

async fn handle(host: &Arc<Host>, head: &Head, body: Incoming, cancel: &Cancel) -> Answered {
    guard::check(&host.options, host.port, head)?;
    let is_write = matches!(head.method, Method::POST | Method::PUT);
    let segments: Vec<&str> = head.segments.iter().map(String::as_str).collect();
    match segments[..] {
        ["_bulk"] if is_write => return bulk::bulk(host, head, None, body, cancel).await,
        // Until version 7 documents had a type.
        [index, "_bulk"] | [index, _, "_bulk"] if is_write => {
            return bulk::bulk(host, head, Some(index), body, cancel).await;
        }
        _ => {}
    }
    let memory = host.memory.enter();
    let body = Pieces::new(body, head.is_gzip()?, BODY_BYTES as u64, host)?.whole(&memory).await?;
    let (head, cancel) = (head.clone(), cancel.clone());
    let working = async {
        let place = Cell::new(host.queues.enter(&head, &body).await?);
        let request = Request { head, body, cancel, place };
        let host = Arc::clone(host);
        let work = tokio::task::spawn_blocking(move || {
            // Memory and place are given back when the work has ended, which may be after its client is gone.
            let _memory = memory;
            routes::answer(&host, &request).map(|answer| answer.rendered(&request.head, &request.cancel))
        });
        work.await.unwrap_or_else(|error| Err(failed(&error)))
    };
    timeout(host.options.patience.answer, working).await.unwrap_or_else(|_| Err(late(&segments)))
}

pub fn failed(error: &tokio::task::JoinError) -> Problem {
    Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "exception", format!("the request failed: {error}"))
}

/// What has no answer in time. Exporters of logs send again after 503; clients that search give up after 408, rather than
/// to begin the same search once more.
pub fn late(segments: &[&str]) -> Problem {
    let status = match segments {
        [.., "_search" | "_msearch" | "_count" | "scroll"] => StatusCode::REQUEST_TIMEOUT,
        _ => StatusCode::SERVICE_UNAVAILABLE,
    };
    Problem::new(status, "timeout_exception", "the request took too long and was ended")
}

fn response(answer: Answer, head: Option<&Head>) -> Response<Full<Bytes>> {
    let json_type = head.map_or("application/json", Head::json_type);
    let (body, kind) = match answer.body {
        Body::None => (Vec::new(), None),
        Body::Text(text) => (text.into_bytes(), Some("text/plain; charset=UTF-8")),
        Body::Protobuf(bytes) => (bytes, Some("application/x-protobuf")),
        Body::Json(bytes) | Body::Rendered(bytes) => (bytes, Some(json_type)),
        Body::Value(value) => (value.to_string().into_bytes(), Some(json_type)),
    };
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = answer.status;
    let headers = response.headers_mut();
    headers.insert(PRODUCT.0, PRODUCT.1);
    if let Some(kind) = kind {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    }
    if let Some(wait) = answer.retry_after {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(wait.as_secs_f64().ceil().max(1.0) as u64));
    }
    if answer.wants_token {
        for scheme in ["Basic realm=\"security\", charset=\"UTF-8\"", "Bearer realm=\"security\"", "ApiKey"] {
            headers.append(header::WWW_AUTHENTICATE, HeaderValue::from_static(scheme));
        }
    }
    response
}
