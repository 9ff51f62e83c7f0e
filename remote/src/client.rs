//! HTTP to one cluster: every request has a deadline, a bound on its answer, and can be cancelled.
//!
//! A request is tried again after a broken connection and after 429, 502, 503 and 504, with pauses that double and as
//! `Retry-After` asks, as long as its deadline allows. All requests of this crate may be repeated: they read, or write
//! documents whose ids come from their content.

use std::io::{Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use indexer::{Cancel, Error, ErrorKind, Result};
use serde_json::Value;
use ureq::http::{Method, Request, Response};
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::{Agent, Timeout};

use crate::cluster::OPEN_ONE;
use crate::config::{Remote, Secret};
use crate::limits::{
    ANSWER_BYTES, ATTEMPTS, CANCEL, CONNECT, DEADLINE, FIRST_PAUSE, HEAD_BYTES, LONGEST_PAUSE, POLL,
};
use crate::{fingerprint, json, opaque};

/// How many requests are remembered for `--explain`.
const REMEMBERED: usize = 200;

/// Which server a cluster runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    Elasticsearch,
    OpenSearch,
}

impl Flavour {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Flavour::Elasticsearch => "Elasticsearch",
            Flavour::OpenSearch => "OpenSearch",
        }
    }
}

/// How patient a client is.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// One request with all its attempts.
    pub deadline: Duration,
    pub first_pause: Duration,
    pub longest_pause: Duration,
    pub answer_bytes: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            deadline: DEADLINE,
            first_pause: FIRST_PAUSE,
            longest_pause: LONGEST_PAUSE,
            answer_bytes: ANSWER_BYTES,
        }
    }
}

/// What a request sends.
#[derive(Clone, Debug)]
pub enum Body {
    None,
    Json(Value),
    Lines(Arc<Vec<u8>>),
}

/// An answer of the cluster, whatever its status.
#[derive(Clone, Debug)]
pub struct Reply {
    pub status: u16,
    pub body: Value,
}

/// A request that was sent, for `--explain`.
#[derive(Clone, Debug)]
pub struct Exchange {
    pub method: &'static str,
    pub path: String,
    pub body: Option<Value>,
    pub status: u16,
    pub took: Duration,
    pub attempts: u32,
}

/// Sends requests to one cluster. Shared freely between threads.
#[derive(Debug)]
pub struct Client {
    agent: Agent,
    base: String,
    name: String,
    /// What messages call it: they may begin with it, and names keep their case.
    called: String,
    authorization: Option<Secret>,
    /// Of answers the status alone counts.
    ignores_answers: bool,
    /// Requests and answers are packed, which wins nothing on one machine.
    packs: bool,
    options: Options,
    cancel: Cancel,
    /// What the question is called at the cluster.
    opaque: String,
    exchanges: Mutex<Vec<Exchange>>,
    /// Attempts beyond the first of each request.
    retried: AtomicU64,
}

/// How an attempt ended.
enum Attempt {
    Answered(Raw),
    /// The connection broke; another attempt may succeed.
    Broken(Error),
    Failed(Error),
}

struct Raw {
    status: u16,
    retry_after: Option<Duration>,
    bytes: Vec<u8>,
}

impl Client {
    /// Reads the credentials and certificates of a remote. Connects to nothing yet, unless its certificate is known by its
    /// fingerprint.
    pub fn new(remote: &Remote, options: Options, cancel: &Cancel) -> Result<Client> {
        let mut tls = TlsConfig::builder();
        if let Some(pem) = remote.certificates()? {
            let found: Vec<_> = parse_pem(&pem)
                .filter_map(|item| match item {
                    Ok(PemItem::Certificate(certificate)) => Some(certificate),
                    _ => None,
                })
                .collect();
            if found.is_empty() {
                let error = Error::new(ErrorKind::BadRequest, "the file of --ca has no PEM certificate");
                let error = error
                    .hint("it begins with -----BEGIN CERTIFICATE-----; Elasticsearch writes http_ca.crt");
                return Err(remote.ca.as_deref().map_or(error.clone(), |file| error.at(file)));
            }
            tls = tls.root_certs(RootCerts::new_with_certs(&found));
        } else if let Some(wanted) = &remote.fingerprint {
            let found = fingerprint::certificate(remote, wanted)?;
            tls = tls.root_certs(RootCerts::new_with_certs(&[Certificate::from_der(&found).to_owned()]));
        }
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .allow_non_standard_methods(true)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(None)
            .tls_config(tls.build())
            .timeout_connect(Some(CONNECT))
            .max_response_header_size(HEAD_BYTES)
            .user_agent(concat!("timberline/", env!("CARGO_PKG_VERSION")))
            .build();
        Ok(Client {
            agent: Agent::new_with_config(config),
            base: remote.url.clone(),
            name: remote.name.clone(),
            called: format!("the cluster {}", remote.name),
            authorization: remote.authorization()?,
            ignores_answers: false,
            packs: !remote.is_local(),
            options,
            cancel: cancel.clone(),
            opaque: opaque::name(),
            exchanges: Mutex::default(),
            retried: AtomicU64::default(),
        })
    }

    /// For an address that is no cluster: what messages call it.
    pub(crate) fn without_answers(self, called: String) -> Client {
        Client { called, ignores_answers: true, ..self }
    }

    pub(crate) fn called(&self) -> &str {
        &self.called
    }

    /// The same connections for another question, which is cancelled by itself.
    #[must_use]
    pub fn for_question(&self, cancel: &Cancel) -> Client {
        Client {
            agent: self.agent.clone(),
            base: self.base.clone(),
            name: self.name.clone(),
            called: self.called.clone(),
            authorization: self.authorization.clone(),
            ignores_answers: self.ignores_answers,
            packs: self.packs,
            options: self.options,
            cancel: cancel.clone(),
            opaque: opaque::name(),
            exchanges: Mutex::default(),
            retried: AtomicU64::default(),
        }
    }

    #[must_use]
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// How often a request was sent again.
    #[must_use]
    pub fn retried(&self) -> u64 {
        self.retried.load(Ordering::Relaxed)
    }

    /// The requests so far.
    #[must_use]
    pub fn exchanges(&self) -> Vec<Exchange> {
        self.exchanges.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn get(&self, path: &str) -> Result<Value> {
        self.ok(self.call("GET", path, &Body::None)?)
    }

    pub fn post(&self, path: &str, body: Value) -> Result<Value> {
        self.ok(self.call("POST", path, &Body::Json(body))?)
    }

    /// The body of an answer with a good status.
    pub fn ok(&self, reply: Reply) -> Result<Value> {
        if (200..300).contains(&reply.status) { Ok(reply.body) } else { Err(self.refused(&reply)) }
    }

    /// Sends a request until it is answered or its deadline is over. Any status but those of an overloaded cluster is an
    /// answer.
    pub fn call(&self, method: &'static str, path: &str, body: &Body) -> Result<Reply> {
        self.call_within(method, path, body, self.options.deadline)
    }

    /// The same even when the question was cancelled, for giving back what the cluster keeps; tried once.
    pub fn release(&self, method: &'static str, path: &str, body: &Body) {
        let end = Instant::now() + self.options.deadline.min(Duration::from_secs(5));
        let _ = self.attempt(method, path, body, end, &Cancel::default());
    }

    fn call_within(
        &self,
        method: &'static str,
        path: &str,
        body: &Body,
        deadline: Duration,
    ) -> Result<Reply> {
        let began = Instant::now();
        let end = began + deadline;
        let mut pause = self.options.first_pause;
        let mut attempts = 0;
        loop {
            if self.cancel.is_set() {
                return Err(Error::cancelled());
            }
            attempts += 1;
            let (problem, asked) = match self.attempt(method, path, body, end, &self.cancel) {
                Attempt::Answered(raw) if !matches!(raw.status, 429 | 502..=504) => {
                    let body_value = if raw.bytes.is_empty() || self.ignores_answers {
                        Value::Null
                    } else {
                        self.parsed(&raw)?
                    };
                    self.remember(method, path, body, raw.status, began.elapsed(), attempts);
                    return Ok(Reply { status: raw.status, body: body_value });
                }
                Attempt::Answered(raw) => {
                    let reason =
                        json::read(&raw.bytes).map_or_else(|_| String::new(), |body| json::reason(&body));
                    self.remember(method, path, body, raw.status, began.elapsed(), attempts);
                    (self.overloaded(raw.status, &reason), raw.retry_after)
                }
                Attempt::Broken(error) => (error, None),
                Attempt::Failed(error) => return Err(error),
            };
            let wait = asked.unwrap_or(pause).max(if asked.is_some() { Duration::ZERO } else { pause });
            let left = end.saturating_duration_since(Instant::now());
            if attempts >= ATTEMPTS || wait >= left {
                let hint = match asked {
                    Some(asked) if asked >= left => {
                        format!(
                            "the cluster asks to wait {} s; try it again then, or give more with --timeout",
                            asked.as_secs()
                        )
                    }
                    _ => format!(
                        "tried {attempts} times; {}",
                        problem.hint_text().unwrap_or("try it again later")
                    ),
                };
                return Err(problem.hint(hint));
            }
            self.retried.fetch_add(1, Ordering::Relaxed);
            self.sleep(wait)?;
            pause = (pause * 2).min(self.options.longest_pause);
        }
    }

    /// Waits as long, or until the question is cancelled.
    pub(crate) fn sleep(&self, wait: Duration) -> Result<()> {
        let until = Instant::now() + wait;
        while Instant::now() < until {
            if self.cancel.is_set() {
                return Err(Error::cancelled());
            }
            std::thread::sleep(POLL.min(until.saturating_duration_since(Instant::now())));
        }
        Ok(())
    }

    /// Ends what the cluster does for this question, as far as it lets us: who may not see tasks has only the connection,
    /// with which a search ends too.
    fn end_there(&self) {
        let end = Instant::now() + self.options.deadline.min(CANCEL);
        // What is said to nobody else may not be cancelled itself.
        let never = Cancel::default();
        let listed = self.attempt("GET", "/_tasks?actions=*search*&group_by=nodes", &Body::None, end, &never);
        let Attempt::Answered(raw) = listed else { return };
        let tasks = json::read(&raw.bytes)
            .map_or_else(|_| Vec::new(), |answer| opaque::tasks_of(&answer, &self.opaque));
        for task in tasks {
            let _ = self.attempt("POST", &format!("/_tasks/{task}/_cancel"), &Body::None, end, &never);
        }
    }

    /// One attempt on a thread of its own, so that a cancelled one is left at once. A search is then ended at the cluster;
    /// its connection closes when the cluster answers, at its deadline, or with the program.
    fn attempt(
        &self,
        method: &'static str,
        path: &str,
        body: &Body,
        end: Instant,
        cancel: &Cancel,
    ) -> Attempt {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Attempt::Failed(self.too_late());
        }
        let request = match self.request(method, path, body) {
            Ok(request) => request,
            Err(error) => return Attempt::Failed(error),
        };
        let (agent, most) = (self.agent.clone(), self.options.answer_bytes);
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || {
            let _ = sender.send(exchange(&agent, request, left, most));
        });
        loop {
            match receiver.recv_timeout(POLL) {
                Ok(Ok(raw)) => return Attempt::Answered(raw),
                Ok(Err(Fault::TooLarge)) => return Attempt::Failed(self.too_large()),
                Ok(Err(Fault::Http(error))) => return self.broken(&error),
                Err(RecvTimeoutError::Timeout) if cancel.is_set() => {
                    if opaque::is_cancellable(path) {
                        self.end_there();
                    }
                    return Attempt::Failed(Error::cancelled());
                }
                // The library keeps the deadline itself; this is for a name that takes for ever to look up.
                Err(RecvTimeoutError::Timeout) if Instant::now() > end + POLL * 10 => {
                    return Attempt::Failed(self.too_late());
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    let message = format!("the connection to {} ended without an answer", self.called);
                    return Attempt::Failed(Error::new(ErrorKind::Internal, message));
                }
            }
        }
    }

    fn request(&self, method: &'static str, path: &str, body: &Body) -> Result<Request<Vec<u8>>> {
        let unsent = |error: &dyn std::fmt::Display| {
            Error::new(ErrorKind::BadRequest, format!("the request cannot be made: {error}"))
        };
        let method = Method::from_bytes(method.as_bytes()).map_err(|error| unsent(&error))?;
        let mut request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.base))
            .header("accept", "application/json")
            .header(opaque::HEADER, &self.opaque);
        if self.packs {
            request = request.header("accept-encoding", "gzip");
        }
        if let Some(authorization) = &self.authorization {
            request = request.header("authorization", authorization.reveal());
        }
        let bytes = match body {
            Body::None => Vec::new(),
            Body::Json(value) => {
                request = request.header("content-type", "application/json");
                serde_json::to_vec(value).map_err(|error| unsent(&error))?
            }
            Body::Lines(lines) => {
                request = request.header("content-type", "application/x-ndjson");
                if self.packs {
                    request = request.header("content-encoding", "gzip");
                    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
                    packed.write_all(lines).and_then(|()| packed.finish()).map_err(|error| unsent(&error))?
                } else {
                    lines.to_vec()
                }
            }
        };
        request.body(bytes).map_err(|error| unsent(&error))
    }

    fn parsed(&self, raw: &Raw) -> Result<Value> {
        match json::read(&raw.bytes) {
            Err(_) if matches!(raw.status, 401 | 403 | 404) => Ok(Value::Null),
            Err(_) if (300..400).contains(&raw.status) => {
                let message = format!("{} redirects to another address, which is not followed", self.called);
                Err(Error::new(ErrorKind::BadRequest, message)
                    .hint("add the cluster with the address it redirects to"))
            }
            read => read,
        }
    }

    fn remember(
        &self,
        method: &'static str,
        path: &str,
        body: &Body,
        status: u16,
        took: Duration,
        attempts: u32,
    ) {
        let mut exchanges = self.exchanges.lock().unwrap_or_else(PoisonError::into_inner);
        if exchanges.len() < REMEMBERED {
            let body = if let Body::Json(body) = body { Some(body.clone()) } else { None };
            exchanges.push(Exchange { method, path: path.to_owned(), body, status, took, attempts });
        }
    }

    /// What a status says.
    pub fn refused(&self, reply: &Reply) -> Error {
        let (name, reason) = (&self.called, json::reason(&reply.body));
        match reply.status {
            401 => Error::new(ErrorKind::BadRequest, format!("{name} did not accept the credentials")).hint(
                "add the cluster again with --api-key-file FILE, or --user NAME and --password-file FILE",
            ),
            403 => Error::new(
                ErrorKind::BadRequest,
                format!("the credentials may not do this at {name}: {reason}"),
            )
            .hint("they need the privileges `read`, `view_index_metadata` and, for the check, `monitor`"),
            404 => Error::new(ErrorKind::NotFound, format!("{name} has nothing there: {reason}"))
                .hint(format!("run timberline remote check {}, which lists its indexes", self.name)),
            413 => Error::new(ErrorKind::Limit, format!("the request is too large for {name}")),
            400 if reason.contains("index_closed") => {
                Error::new(ErrorKind::BadRequest, format!("an index of {name} is closed: {reason}"))
                    .hint(OPEN_ONE)
            }
            status => Error::new(
                ErrorKind::BadRequest,
                format!("{name} refused the request with {status}: {reason}"),
            )
            .hint("--explain shows the requests"),
        }
    }

    fn overloaded(&self, status: u16, reason: &str) -> Error {
        let what = if status == 429 { "has too much to do" } else { "is not available" };
        let reason = if reason.is_empty() { String::new() } else { format!(": {reason}") };
        Error::new(ErrorKind::NotReadable, format!("{} {what} ({status}){reason}", self.called))
            .hint("try it again later")
    }

    fn too_late(&self) -> Error {
        let message =
            format!("{} did not answer within {} s", self.called, self.options.deadline.as_secs_f64());
        Error::new(ErrorKind::NotReadable, message)
            .hint("ask for less: a shorter time range, or a filter; --timeout gives it more time")
    }

    fn too_large(&self) -> Error {
        let message =
            format!("the answer of {} has more than {} MB", self.called, self.options.answer_bytes >> 20);
        Error::new(ErrorKind::Limit, message).hint("ask for fewer events or groups at once")
    }

    fn broken(&self, error: &ureq::Error) -> Attempt {
        let (name, base) = (&self.called, &self.base);
        let failed = |message: String, hint: &str| {
            Attempt::Failed(Error::new(ErrorKind::NotReadable, message).hint(hint))
        };
        match error {
            ureq::Error::Timeout(Timeout::Connect | Timeout::Resolve) => failed(
                format!("{name} does not answer at {base}"),
                "see that the address and the port are right, that a firewall lets them through, and that the address \
                 begins with https:// only where the cluster has TLS",
            ),
            ureq::Error::Timeout(_) => Attempt::Failed(self.too_late()),
            ureq::Error::HostNotFound => {
                failed(format!("no machine has the name in {base}"), "see that the address is written right")
            }
            ureq::Error::ConnectionFailed => broken_off(format!("{name} takes no connection at {base}")),
            ureq::Error::Rustls(error) => failed(
                format!("the certificate of {name} is not trusted: {error}"),
                "name the authority that signed it with --ca FILE or --fingerprint SHA256; its name must be that of the address",
            ),
            ureq::Error::Tls(_) | ureq::Error::Pem(_) => failed(
                format!("no encrypted connection to {name}: {error}"),
                "see that the address begins with https:// only where the cluster has TLS",
            ),
            ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => failed(
                format!("nothing listens at {base}"),
                "see that the cluster runs and that the address and the port are right",
            ),
            // rustls reports what it refuses within an error of reading.
            ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::InvalidData => failed(
                format!("no encrypted connection to {name}: {}", json::quoted(&error.to_string())),
                "name the authority with --ca FILE or --fingerprint SHA256, and use https:// only where the cluster has TLS",
            ),
            ureq::Error::LargeResponseHeader(..) | ureq::Error::BodyExceedsLimit(_) => {
                Attempt::Failed(self.too_large())
            }
            error => {
                broken_off(format!("the connection to {name} broke: {}", json::quoted(&error.to_string())))
            }
        }
    }
}

fn broken_off(message: String) -> Attempt {
    Attempt::Broken(
        Error::new(ErrorKind::NotReadable, message).hint(
            "see that the cluster runs, that the address is right, and that it begins with https:// only where the \
             cluster has TLS",
        ),
    )
}

enum Fault {
    Http(ureq::Error),
    TooLarge,
}

fn exchange(
    agent: &Agent,
    request: Request<Vec<u8>>,
    left: Duration,
    most: u64,
) -> std::result::Result<Raw, Fault> {
    // An empty body of a POST has a length too; without one it would be sent in chunks.
    let sends = request.method() != Method::GET;
    let response = if sends {
        agent.run(agent.configure_request(request).timeout_global(Some(left)).build())
    } else {
        let request = request.map(|_| ());
        agent.run(agent.configure_request(request).timeout_global(Some(left)).build())
    };
    let mut response = response.map_err(Fault::Http)?;
    let status = response.status().as_u16();
    let retry_after = retry_after(&response);
    let is_packed = response.headers().get("content-encoding").is_some_and(|coding| coding == "gzip");
    let mut bytes = Vec::new();
    // What arrives is bounded by what may be unpacked; an answer that is at the bound is taken to be beyond it.
    let reader = response.body_mut().as_reader().take(most + 1);
    let unpacked: Box<dyn Read + '_> =
        if is_packed { Box::new(GzDecoder::new(reader)) } else { Box::new(reader) };
    let read = unpacked.take(most + 1).read_to_end(&mut bytes);
    read.map_err(|error| Fault::Http(unwrapped(error)))?;
    if bytes.len() as u64 > most {
        return Err(Fault::TooLarge);
    }
    Ok(Raw { status, retry_after, bytes })
}

/// The library's own error, which it hides in one of reading.
fn unwrapped(error: std::io::Error) -> ureq::Error {
    match error.downcast::<ureq::Error>() {
        Ok(error) => error,
        Err(error) => {
            ureq::Error::Io(std::io::Error::new(std::io::ErrorKind::UnexpectedEof, error.to_string()))
        }
    }
}

/// `Retry-After` in seconds; as a date it counts as ten seconds, because clocks differ.
fn retry_after<B>(response: &Response<B>) -> Option<Duration> {
    let text = response.headers().get("retry-after")?.to_str().ok()?;
    Some(text.trim().parse().map_or(Duration::from_secs(10), Duration::from_secs))
}

#[cfg(test)]
mod tests;
