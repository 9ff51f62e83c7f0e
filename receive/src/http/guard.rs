//! Who may come in: this machine, others that the options let in, and only with the token where there is one. A web
//! page that a browser on this machine shows may not.

use std::io;
use std::net::IpAddr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hyper::StatusCode;
use hyper::header::{self, HeaderName};

use super::HttpOptions;
use super::answer::Problem;
use super::request::Head;

/// Refuses to serve others than this machine without saying whom, or without a token.
pub fn check_options(options: &HttpOptions, address: IpAddr) -> io::Result<()> {
    let wrong = |message: String| Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    if !address.is_loopback() && options.remote.is_none() {
        return wrong(format!("{address} can be reached by other machines, and none is allowed to connect"));
    }
    if options.remote.is_some() && options.token.as_ref().is_none_or(String::is_empty) {
        return wrong("other machines may only connect with a token".to_owned());
    }
    Ok(())
}

/// Whether an address may connect at all.
pub fn lets_connect(options: &HttpOptions, peer: IpAddr) -> bool {
    let peer = peer.to_canonical();
    peer.is_loopback() || options.remote.as_ref().is_some_and(|allows| allows(peer))
}

/// Who asks, as browsers say it of the pages that they show; programs do not.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Whether a request to this port may be answered.
pub fn check(options: &HttpOptions, port: u16, head: &Head) -> Result<(), Problem> {
    let forbidden = |reason: &str| Err(Problem::new(StatusCode::FORBIDDEN, "security_exception", reason));
    let given =
        |name: HeaderName| head.headers.get_all(name).iter().map(|value| value.to_str().unwrap_or_default());
    let authority = head.header(header::HOST).unwrap_or_default();
    let own = |origin: &str| {
        origin
            .split_once("://")
            .is_some_and(|(_, from)| !from.is_empty() && from.eq_ignore_ascii_case(authority))
    };
    if given(FETCH_SITE).any(|site| !matches!(site, "same-origin" | "none"))
        || given(header::ORIGIN).any(|origin| !own(origin))
    {
        return forbidden("requests of web pages are not answered");
    }
    // A web page may also use a name that was pointed at this machine.
    if options.remote.is_none() && (given(header::HOST).count() != 1 || !is_own(authority, port)) {
        return forbidden(
            "this server answers under the names of this machine and with its port only, such as 127.0.0.1:9200",
        );
    }
    let Some(token) = &options.token else { return Ok(()) };
    let unauthorized =
        |reason: &str| Err(Problem::new(StatusCode::UNAUTHORIZED, "security_exception", reason));
    match head.header(header::AUTHORIZATION) {
        None => unauthorized("missing authentication credentials for REST request"),
        Some(given) if is_token(given, token) => Ok(()),
        Some(_) => unauthorized("unable to authenticate with provided credentials"),
    }
}

fn is_token(given: &str, token: &str) -> bool {
    let Some((scheme, credentials)) = given.split_once(' ') else { return false };
    let credentials = credentials.trim();
    let same = |given: &[u8]| same(given, token.as_bytes());
    // `user:password` and `id:key`.
    let packed = || {
        let pair = STANDARD.decode(credentials).unwrap_or_default();
        let second = pair.iter().position(|&byte| byte == b':').map(|colon| pair[colon + 1..].to_vec());
        second.is_some_and(|second| same(&second))
    };
    match scheme.to_ascii_lowercase().as_str() {
        "bearer" => same(credentials.as_bytes()),
        "apikey" => same(credentials.as_bytes()) || packed(),
        "basic" => packed(),
        _ => false,
    }
}

/// Compares without telling by its time how much was right.
fn same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && one.iter().zip(other).fold(0, |different, (a, b)| different | (a ^ b)) == 0
}

/// Whether an authority is this machine and this port. Without one a client means another port, but no browser sends
/// that here.
fn is_own(authority: &str, port: u16) -> bool {
    let (host, given) = match authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, rest)) => (host, rest.strip_prefix(':').or((!rest.is_empty()).then_some(""))),
        None => authority.split_once(':').map_or((authority, None), |(host, port)| (host, Some(port))),
    };
    given.is_none_or(|given| given.parse() == Ok(port))
        && (host.eq_ignore_ascii_case("localhost")
            || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback()))
}

#[cfg(test)]
mod tests {
    use hyper::Method;
    use hyper::header::{HeaderMap, HeaderValue};
    use std::sync::Arc;

    use super::*;

    fn head(headers: &[(HeaderName, &str)]) -> Head {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(name, HeaderValue::from_str(value).expect(value));
        }
        Head::new(Method::GET, &"/".parse().expect("a path"), map, IpAddr::from([127, 0, 0, 1]))
            .expect("a head")
    }

    fn status(options: &HttpOptions, headers: &[(HeaderName, &str)]) -> u16 {
        check(options, 9200, &head(headers)).map_or_else(|problem| problem.status.as_u16(), |()| 200)
    }

    #[test]
    fn web_pages_and_foreign_names_are_refused() {
        let options = HttpOptions::default();
        for (headers, expected) in [
            (vec![(header::HOST, "127.0.0.1:9200")], 200),
            (vec![(header::HOST, "127.0.0.5:9200")], 200),
            (vec![(header::HOST, "localhost:9200")], 200),
            (vec![(header::HOST, "LocalHost:9200")], 200),
            (vec![(header::HOST, "[::1]:9200")], 200),
            (vec![(header::HOST, "localhost")], 200),
            (vec![(header::HOST, "[::1]")], 200),
            (vec![], 403),
            (vec![(header::HOST, "")], 403),
            (vec![(header::HOST, "localhost:9201")], 403),
            (vec![(header::HOST, "[::1]:9201")], 403),
            (vec![(header::HOST, "[::1]x:9200")], 403),
            (vec![(header::HOST, "localhost:9200:9200")], 403),
            (vec![(header::HOST, "logs.example:9200")], 403),
            (vec![(header::HOST, "127.0.0.1.logs.example")], 403),
            (vec![(header::HOST, "127.0.0.1:9200"), (header::HOST, "logs.example")], 403),
            (vec![(header::HOST, "127.0.0.1"), (header::ORIGIN, "http://logs.example")], 403),
            (vec![(header::HOST, "127.0.0.1"), (header::ORIGIN, "null")], 403),
            (vec![(header::HOST, "localhost:9200"), (header::ORIGIN, "http://localhost:3000")], 403),
            (vec![(header::HOST, "localhost:9200"), (header::ORIGIN, "http://localhost:9200")], 200),
            (vec![(header::HOST, "localhost:9200"), (FETCH_SITE, "cross-site")], 403),
            (vec![(header::HOST, "localhost:9200"), (FETCH_SITE, "same-site")], 403),
            (vec![(header::HOST, "localhost:9200"), (FETCH_SITE, "none"), (FETCH_SITE, "cross-site")], 403),
            (vec![(header::HOST, "localhost:9200"), (FETCH_SITE, "same-origin")], 200),
            (vec![(header::HOST, "localhost:9200"), (FETCH_SITE, "none")], 200),
        ] {
            assert_eq!(status(&options, &headers), expected, "{headers:?}");
        }
    }

    #[test]
    fn a_token_is_taken_in_every_form_that_clients_have() {
        let options = HttpOptions {
            remote: Some(Arc::new(|_| true)),
            token: Some("s3cret".to_owned()),
            ..HttpOptions::default()
        };
        let packed = |text: &str| STANDARD.encode(text);
        for (given, expected) in [
            ("Bearer s3cret".to_owned(), 200),
            ("ApiKey s3cret".to_owned(), 200),
            (format!("ApiKey {}", packed("id:s3cret")), 200),
            (format!("Basic {}", packed("elastic:s3cret")), 200),
            (format!("basic {}", packed("elastic:s3cre")), 401),
            ("Bearer s3cre".to_owned(), 401),
            ("Bearer".to_owned(), 401),
            ("Basic ???".to_owned(), 401),
            ("Digest s3cret".to_owned(), 401),
        ] {
            assert_eq!(status(&options, &[(header::AUTHORIZATION, &given)]), expected, "{given}");
        }
        assert_eq!(status(&options, &[]), 401);
        let token = (header::AUTHORIZATION, "Bearer s3cret");
        let named = (header::HOST, "logs.example:9200");
        assert_eq!(status(&options, &[named.clone(), token.clone()]), 200);
        for page in [(header::ORIGIN, "http://other.example"), (FETCH_SITE, "cross-site")] {
            assert_eq!(status(&options, &[named.clone(), token.clone(), page]), 403);
        }
    }

    #[test]
    fn only_this_machine_and_named_networks_connect() {
        let mut options = HttpOptions::default();
        let connects = |options: &HttpOptions, peer: &str| lets_connect(options, peer.parse().expect(peer));
        assert!(
            connects(&options, "127.0.0.1")
                && connects(&options, "::1")
                && connects(&options, "::ffff:127.0.0.1")
        );
        assert!(!connects(&options, "10.1.2.3"));
        let any: IpAddr = "0.0.0.0".parse().expect("an address");
        assert!(check_options(&options, any).is_err());
        let office: IpAddr = "10.1.2.3".parse().expect("an address");
        options.remote = Some(Arc::new(move |address| address == office));
        assert!(check_options(&options, any).is_err(), "without a token");
        options.token = Some("s3cret".to_owned());
        assert!(check_options(&options, any).is_ok());
        assert!(connects(&options, "10.1.2.3") && connects(&options, "::ffff:10.1.2.3"));
        assert!(!connects(&options, "192.168.1.1"));
    }
}
