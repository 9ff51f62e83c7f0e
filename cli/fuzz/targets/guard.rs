//! Who `serve` lets in. The input is a line `name: value` a header. A request is answered exactly if it names this machine
//! once, comes from no other page, and has the token.
#![no_main]

use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, Request, StatusCode};
use axum::middleware;
use axum::routing::get;
use libfuzzer_sys::fuzz_target;
use tokio::runtime::Runtime;
use tower_service::Service;

#[allow(dead_code)]
#[path = "../../src/serve/guard.rs"]
mod guard;

/// What the guard knows of the server.
struct Host {
    token: String,
}

const TOKEN: &str = "5eb63bbbe01eeed0";

static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| tokio::runtime::Builder::new_current_thread().build().expect("a runtime"));

static ROUTER: LazyLock<Router> = LazyLock::new(|| {
    let host = Arc::new(Host { token: TOKEN.to_owned() });
    Router::new()
        .route("/api/call", get(|| async {}))
        .layer(middleware::from_fn_with_state(Arc::clone(&host), guard::token))
        .route("/page", get(|| async {}))
        .layer(middleware::from_fn(guard::loopback))
});

fuzz_target!(init: write_seeds(), |bytes: &[u8]| {
    let mut headers = Vec::new();
    for line in bytes.split(|&byte| byte == b'\n') {
        let Some(colon) = line.iter().position(|&byte| byte == b':') else { continue };
        let value = line[colon + 1..].trim_ascii();
        let parsed = (HeaderName::from_bytes(&line[..colon]), HeaderValue::from_bytes(value));
        if let (Ok(name), Ok(header)) = parsed {
            headers.push((name, header, value));
        }
    }
    let status = |path: &str| {
        let mut request = Request::get(path).body(Body::empty()).expect("a request");
        for (name, value, _) in &headers {
            request.headers_mut().append(name, value.clone());
        }
        RUNTIME.block_on(ROUTER.clone().call(request)).expect("an answer").status()
    };
    let values =
        |name: &str| headers.iter().filter(|header| header.0 == name).map(|header| header.2).collect::<Vec<_>>();
    let comes_in = matches!(values("host")[..], [host] if is_own(host))
        && values("origin").iter().all(|origin| origin.strip_prefix(b"http://").is_some_and(is_own));
    let expected = if comes_in { StatusCode::OK } else { StatusCode::FORBIDDEN };
    assert_eq!(status("/page"), expected);
    let has_token = matches!(values("authorization")[..], [given, ..] if given == format!("Bearer {TOKEN}").as_bytes());
    let expected = if has_token || !comes_in { expected } else { StatusCode::UNAUTHORIZED };
    assert_eq!(status("/api/call"), expected);
});

/// Whether an authority is this machine, with a port or without one.
fn is_own(authority: &[u8]) -> bool {
    let port = ["127.0.0.1", "localhost"].iter().find_map(|name| authority.strip_prefix(name.as_bytes()));
    match port {
        Some([]) => true,
        Some([b':', digits @ ..]) => {
            let number = digits.iter().fold(0_u64, |number, digit| {
                number.saturating_mul(10).saturating_add(u64::from(digit.wrapping_sub(b'0')))
            });
            !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) && number <= u64::from(u16::MAX)
        }
        _ => false,
    }
}

fn write_seeds() {
    let Some(folder) = std::env::var_os("SEEDS").map(PathBuf::from) else { return };
    let token = format!("authorization: Bearer {TOKEN}");
    for (number, text) in [
        format!("host: 127.0.0.1:7531\norigin: http://127.0.0.1:7531\n{token}"),
        format!("host: localhost\n{token}\naccept: */*"),
        format!("host: localhost:1\norigin: null\n{token}0"),
        "host: 127.0.0.1.logs.example\norigin: http://logs.example".to_owned(),
    ]
    .iter()
    .enumerate()
    {
        std::fs::write(folder.join(format!("headers-{number}")), text).expect("seeds can be written");
    }
}
