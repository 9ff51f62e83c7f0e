//! Who may come in: this machine, from our own page, with the token.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;

use super::Host;

/// Refuses a request that names another host (a name that was pointed at this machine) or that another
/// page sent.
pub async fn loopback(request: Request, next: Next) -> Result<Response, StatusCode> {
    let headers = request.headers();
    // With two of them, others on the way may have read another one.
    let mut hosts = headers.get_all(header::HOST).iter();
    let host = hosts.next().is_some_and(|host| is_own(host, "")) && hosts.next().is_none();
    let origin = headers.get_all(header::ORIGIN).iter().all(|origin| is_own(origin, "http://"));
    if host && origin { Ok(next.run(request).await) } else { Err(StatusCode::FORBIDDEN) }
}

pub async fn token(
    State(host): State<Arc<Host>>,
    request: Request,
    next: Next,
) -> Result<Response, StatusCode> {
    let given = request.headers().get(header::AUTHORIZATION);
    let given = given.and_then(|given| given.to_str().ok()?.strip_prefix("Bearer "));
    if given.is_some_and(|given| same(given.as_bytes(), host.token.as_bytes())) {
        Ok(next.run(request).await)
    } else {
        Err(StatusCode::UNAUTHORIZED)
    }
}

/// Whether a header names this machine, after a scheme. One that is no text names nothing.
fn is_own(value: &HeaderValue, scheme: &str) -> bool {
    value.to_str().ok().and_then(|text| text.strip_prefix(scheme)).is_some_and(is_loopback)
}

fn is_loopback(authority: &str) -> bool {
    let (host, port) = authority.split_once(':').unwrap_or((authority, "80"));
    let is_port = port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok();
    is_port && matches!(host, "127.0.0.1" | "localhost")
}

/// Compares without telling by its time how much was right.
fn same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && one.iter().zip(other).fold(0, |different, (a, b)| different | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_by_its_own_name() {
        assert!(is_loopback("127.0.0.1:7531"));
        assert!(is_loopback("localhost:80"));
        assert!(!is_loopback("evil.example:7531"));
        assert!(!is_loopback("127.0.0.1.evil.example"));
        for port in ["", ":", ":+80", ":80:80", ":65536", ":x", ":80 "] {
            assert_eq!(is_loopback(&format!("localhost{port}")), port.is_empty(), "{port}");
        }
    }

    #[test]
    fn header_that_is_no_text_names_no_machine() {
        let value = |bytes: &[u8]| HeaderValue::from_bytes(bytes).expect("a value");
        assert!(is_own(&value(b"http://localhost:80"), "http://"));
        assert!(!is_own(&value(b"http://localhost\xe9"), "http://"));
        assert!(!is_own(&value(b"\xff"), ""));
        assert!(!is_own(&value(b"https://localhost"), "http://"));
    }

    #[test]
    fn tokens_match_as_a_whole() {
        assert!(same(b"abc", b"abc"));
        assert!(!same(b"abc", b"abd"));
        assert!(!same(b"ab", b"abc"));
        assert!(!same(b"", b"abc"));
    }
}
