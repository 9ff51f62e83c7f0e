//! One command: progress and reply as a stream of server-sent events.

use std::convert::Infallible;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::Sse;
use axum::response::sse::Event;
use futures_util::stream::{self, Stream};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::mpsc;

use super::Host;

/// Reports that may wait for a slow browser before the engine waits too.
const WAITING: usize = 16;

#[derive(Deserialize)]
pub struct Request {
    id: String,
    command: wire::Command,
}

/// Stops the call when the browser goes away before its end.
struct Hangup {
    host: Arc<Host>,
    id: String,
}

impl Drop for Hangup {
    fn drop(&mut self) {
        self.host.session.cancel(&self.id);
    }
}

pub async fn call(
    State(host): State<Arc<Host>>,
    Json(request): Json<Request>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let (sender, receiver) = mpsc::channel(WAITING);
    let hangup = Hangup { host: Arc::clone(&host), id: request.id.clone() };
    tokio::task::spawn_blocking(move || {
        let progress = |value: Value| {
            let _ = sender.blocking_send(event("progress", &value));
        };
        let last = match host.session.dispatch(&request.id, request.command, progress) {
            Ok(reply) => event("reply", &reply),
            Err(error) => event("error", &error),
        };
        let _ = sender.blocking_send(last);
    });
    Sse::new(stream::unfold((receiver, hangup), |(mut receiver, hangup)| async move {
        let event = receiver.recv().await?;
        Some((Ok(event), (receiver, hangup)))
    }))
}

fn event(name: &str, data: &impl Serialize) -> Event {
    let named = Event::default().event(name);
    named.json_data(data).unwrap_or_else(|_| Event::default().event("error").data("null"))
}
