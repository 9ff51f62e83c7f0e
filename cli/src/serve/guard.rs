//! Who may come in: this machine, from our own page, with the token.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;

use super::Host;

/// Refuses a request that names another host (a name that was pointed at this machine) or that another
/// page sent.
pub async fn loopback(request: Request, next: Next) -> Result<Response, StatusCode> {
    let headers = request.headers();
    let host = text(headers, header::HOST).is_some_and(is_loopback);
    let origin = text(headers, header::ORIGIN)
        .is_none_or(|origin| origin.strip_prefix("http://").is_some_and(is_loopback));
    if host && origin { Ok(next.run(request).await) } else { Err(StatusCode::FORBIDDEN) }
}

pub async fn token(
    State(host): State<Arc<Host>>,
    request: Request,
    next: Next,
) -> Result<Response, StatusCode> {
    let given =
        text(request.headers(), header::AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer "));
    if given.is_some_and(|given| same(given.as_bytes(), host.token.as_bytes())) {
        Ok(next.run(request).await)
    } else {
        Err(StatusCode::UNAUTHORIZED)
    }
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

fn is_loopback(authority: &str) -> bool {
    let host = authority.rsplit_once(':').map_or(authority, |(host, _)| host);
    matches!(host, "127.0.0.1" | "localhost")
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
    }

    #[test]
    fn tokens_match_as_a_whole() {
        assert!(same(b"abc", b"abc"));
        assert!(!same(b"abc", b"abd"));
        assert!(!same(b"ab", b"abc"));
        assert!(!same(b"", b"abc"));
    }
}
