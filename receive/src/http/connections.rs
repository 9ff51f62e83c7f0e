//! Connections and requests on them: limits of number and time, the way to a handler, and the answer's headers.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::io;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;

use super::answer::{Answer, Answered, Body, Problem};
use super::body::Pieces;
use super::filter_path::FilterPath;
use super::limits::{BODY_BYTES, BUFFER_BYTES, CONNECTIONS, ENDING_TIME, HEADERS, STOP_EVERY};
use super::request::{Head, Request};
use super::{Host, bulk, guard, routes};

/// Without it, clients of version 7.14 and later refuse to talk to a server.
const PRODUCT: (HeaderName, HeaderValue) =
    (HeaderName::from_static("x-elastic-product"), HeaderValue::from_static("Elasticsearch"));

const FULL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\nretry-after: 1\r\ncontent-length: 0\r\n\r\n";

pub async fn serve(listener: TcpListener, host: Arc<Host>) -> io::Result<()> {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let (ending, ended) = watch::channel(());
    while !host.stop.is_set() {
        let Ok(accepted) = timeout(STOP_EVERY, listener.accept()).await else { continue };
        let Ok((mut stream, peer)) = accepted else {
            // Out of file descriptors, or the sender is gone already.
            tokio::time::sleep(STOP_EVERY).await;
            continue;
        };
        if !guard::lets_connect(&host.options, peer.ip()) {
            host.intake.counters().source("http").rejected("address not allowed", 1);
            continue;
        }
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
            host.intake.counters().source("http").rejected("too many connections", 1);
            let _ = stream.try_write(FULL);
            let _ = stream.shutdown().await;
            continue;
        };
        // An answer must not wait for the acknowledgement of the one before.
        let _ = stream.set_nodelay(true);
        let (host, ended) = (Arc::clone(&host), ended.clone());
        tokio::spawn(async move {
            connection(stream, peer.ip().to_canonical(), host, ended).await;
            drop(place);
        });
    }
    drop(listener);
    drop(ending);
    let _ = timeout(ENDING_TIME, places.acquire_many(CONNECTIONS as u32)).await;
    Ok(())
}

async fn connection(stream: TcpStream, peer: IpAddr, host: Arc<Host>, mut ended: watch::Receiver<()>) {
    let patience = host.options.patience;
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let host = Arc::clone(&host);
        async move { Ok::<_, Infallible>(respond(&host, peer, request).await) }
    });
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(patience.head)
        .max_headers(HEADERS)
        .max_buf_size(BUFFER_BYTES);
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
    let mut end_signal = pin!(ended.changed());
    let mut is_ending = false;
    poll_fn(|context| {
        if !is_ending && end_signal.as_mut().poll(context).is_ready() {
            is_ending = true;
            connection.as_mut().graceful_shutdown();
        }
        // A connection that breaks off is the sender's matter.
        connection.as_mut().poll(context).map(|_| ())
    })
    .await;
}

async fn respond(host: &Arc<Host>, peer: IpAddr, request: hyper::Request<Incoming>) -> Response<Full<Bytes>> {
    let (parts, body) = request.into_parts();
    let head = match Head::new(parts.method, &parts.uri, parts.headers, peer) {
        Ok(head) => head,
        Err(problem) => return response(problem.answer(), None),
    };
    let answered = handle(host, &head, body).await;
    let answer = answered.unwrap_or_else(|problem| problem.answer());
    response(answer, Some(&head))
}

async fn handle(host: &Arc<Host>, head: &Head, body: Incoming) -> Answered {
    guard::check(&host.options, head)?;
    let posts = matches!(head.method, Method::POST | Method::PUT);
    let segments: Vec<&str> = head.segments.iter().map(String::as_str).collect();
    match segments[..] {
        ["_bulk"] if posts => return bulk::bulk(host, head, None, body).await,
        // Until version 7 documents had a type.
        [index, "_bulk"] | [index, _, "_bulk"] if posts => {
            return bulk::bulk(host, head, Some(index), body).await;
        }
        _ => {}
    }
    let body = Pieces::new(body, head.is_gzip()?, BODY_BYTES as u64, host.options.patience)?.whole().await?;
    let (host, request) = (Arc::clone(host), Request { head: head.clone(), body });
    let answered = tokio::task::spawn_blocking(move || routes::answer(&host, &request)).await;
    answered.unwrap_or_else(|error| {
        Err(Problem::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "exception",
            format!("the request failed: {error}"),
        ))
    })
}

fn response(answer: Answer, head: Option<&Head>) -> Response<Full<Bytes>> {
    let paths = head.and_then(|head| head.parameter("filter_path"));
    let paths = FilterPath::parse(paths.unwrap_or_default());
    let pretty = head.is_some_and(|head| head.flag("pretty"));
    let (body, kind) = match answer.body {
        Body::None => (Vec::new(), None),
        Body::Text(text) => (text.into_bytes(), Some("text/plain; charset=UTF-8")),
        Body::Protobuf(bytes) => (bytes, Some("application/x-protobuf")),
        Body::Filtered(bytes) if !pretty => (bytes, Some("")),
        Body::Json(bytes) if !pretty && paths.is_everything() => (bytes, Some("")),
        Body::Json(bytes) | Body::Filtered(bytes) => {
            let value = serde_json::from_slice(&bytes);
            let value = value.map(|value: serde_json::Value| printed(&paths.apply(&value), pretty));
            (value.unwrap_or(bytes), Some(""))
        }
        Body::Value(value) => (printed(&paths.apply(&value), pretty), Some("")),
    };
    let kind = kind.map(|kind| match kind {
        "" => head.map_or("application/json", Head::json_type),
        other => other,
    });
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

fn printed(value: &serde_json::Value, pretty: bool) -> Vec<u8> {
    let printed = if pretty { serde_json::to_vec_pretty(value) } else { serde_json::to_vec(value) };
    // A tree of JSON can always be printed.
    let mut printed = printed.unwrap_or_default();
    if pretty {
        printed.push(b'\n');
    }
    printed
}
