//! An address that a person named for alerts.

use std::time::Duration;

use indexer::{Cancel, Error, ErrorKind, Result};
use serde_json::Value;
use ureq::http::Uri;

use crate::client::{Body, Client, Options};
use crate::config::Remote;

/// How long a message may take with all attempts.
const DEADLINE: Duration = Duration::from_secs(30);

/// Its answers are of no interest but for their status.
const ANSWER_BYTES: u64 = 1 << 20;

/// Takes messages by HTTP. Nothing is sent but to this address; redirects and proxies are not followed.
#[derive(Debug)]
pub struct Webhook {
    client: Client,
    path: String,
}

impl Webhook {
    /// Connects to nothing yet.
    pub fn new(url: &str, cancel: &Cancel) -> Result<Webhook> {
        let shape =
            "write it as https://hooks.example/timberline, or http://127.0.0.1:8080/alerts on this machine";
        let bad = |message: &str| Error::new(ErrorKind::BadRequest, message).hint(shape);
        let uri: Uri = url.parse().map_err(|_| bad("the address of the webhook cannot be read"))?;
        let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
            return Err(bad("the address of the webhook names no machine"));
        };
        let path = uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
        let remote = Remote::new("webhook", &format!("{scheme}://{authority}"), "*")
            .map_err(|error| bad(&format!("the webhook is refused: {}", error.message())))?;
        let options = Options { deadline: DEADLINE, answer_bytes: ANSWER_BYTES, ..Options::default() };
        // Paths of webhooks are secrets often, so messages name the machine alone.
        let called = format!("the webhook at {authority}");
        let client = Client::new(&remote, options, cancel)?.without_answers(called);
        Ok(Webhook { client, path })
    }

    /// Sends a message; any status from 200 to 299 is an acceptance.
    pub fn send(&self, message: &Value) -> Result<()> {
        let reply = self.client.call("POST", &self.path, &Body::Json(message.clone()))?;
        if (200..300).contains(&reply.status) {
            return Ok(());
        }
        let message = format!("{} answered {}", self.client.called(), reply.status);
        Err(Error::new(ErrorKind::BadRequest, message)
            .hint("the alert is in the case and counts as delivered"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_of_http_and_have_no_credentials() {
        let of = |url: &str| Webhook::new(url, &Cancel::default());
        assert_eq!(of("https://hooks.example/a/b?c=d").expect("it is one").path, "/a/b?c=d");
        assert_eq!(of("http://127.0.0.1:80").expect("it is one").path, "/");
        for url in ["ftp://hooks.example/a", "hooks", "/a", "https://me:secret@hooks.example/"] {
            let error = of(url).expect_err(url);
            assert!(error.hint_text().is_some() && !error.message().contains("secret"), "{error}");
        }
    }
}
