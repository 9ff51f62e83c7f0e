//! HAProxy's own lines: HTTP and TCP sessions, and failed connections.

use std::sync::LazyLock;

use super::programs::Program;
use crate::layout::LineLayouts;

pub(super) static HAPROXY: Program = Program { apps: &["haproxy"], from: b"", layouts: &HAPROXY_LAYOUTS };

/// An HTTP session, a TCP session, and one that ended before it was established. The first time is when the
/// client connected, not when the line was written.
pub(crate) const SESSIONS: [&str; 6] = [
    "{client_ip+client_port:endpoint} [{accepted}] {frontend:word} {backend}/{server:word} \
     {request_ms:int}/{queue_ms:int}/{connect_ms:int}/{response_ms:int}/«+»{duration_ms:int} {status:int} \
     «+»{bytes:int} {} {} {termination:word} {connections:int}/{:int}/{:int}/{:int}/«+»{retries:int} \
     {:int}/{:int} \"{method} {path} {protocol}\"",
    "{client_ip+client_port:endpoint} [{accepted}] {frontend:word} {backend}/{server:word} \
     {request_ms:int}/{queue_ms:int}/{connect_ms:int}/{response_ms:int}/«+»{duration_ms:int} {status:int} \
     «+»{bytes:int} {} {} {termination:word} {connections:int}/{:int}/{:int}/{:int}/«+»{retries:int} \
     {:int}/{:int} {headers:words} \"{method} {path} {protocol}\"",
    "{client_ip+client_port:endpoint} [{accepted}] {frontend:word} {backend}/{server:word} \
     {request_ms:int}/{queue_ms:int}/{connect_ms:int}/{response_ms:int}/«+»{duration_ms:int} {status:int} \
     «+»{bytes:int} {} {} {termination:word} {connections:int}/{:int}/{:int}/{:int}/«+»{retries:int} \
     {:int}/{:int} «{headers:words} »\"{path}\"",
    "{client_ip+client_port:endpoint} [{accepted}] {frontend:word} {backend}/{server:word} \
     {queue_ms:int}/{connect_ms:int}/«+»{duration_ms:int} «+»{bytes:int} {termination:word} \
     {connections:int}/{:int}/{:int}/{:int}/«+»{retries:int} {:int}/{:int}",
    "{client_ip+client_port:endpoint} [{accepted}] {frontend}/{server}: {reason:rest}",
    "{} {backend}/{server} is {state}, reason: {reason:rest}",
];

static HAPROXY_LAYOUTS: LazyLock<LineLayouts> =
    LazyLock::new(|| LineLayouts::new("", &SESSIONS).with_http_status());
