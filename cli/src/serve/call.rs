//! One command: progress and reply as a stream of server-sent events.

use std::convert::Infallible;
use std::sync::Arc;

use axum::Json;
use axum::extract::{FromRequest, State};
use axum::http::StatusCode;
use axum::response::sse::Event;
use axum::response::{IntoResponse, Response, Sse};
use futures_util::stream::{self, Stream};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::mpsc;
use wire::Command;

use super::Host;
use super::limits::CALL_TIME;

/// Reports that may wait for a slow browser before the engine waits too.
const WAITING: usize = 16;

const BUSY: &str = "Too many calls are running or waiting. Wait for some of them to end, then try again.";

#[derive(Deserialize)]
pub struct Request {
    id: String,
    command: Command,
}

/// Nobody waits for the call any longer when the browser goes away before its end.
struct Hangup {
    host: Arc<Host>,
    id: String,
}

impl Drop for Hangup {
    fn drop(&mut self) {
        self.host.session.leave(&self.id);
    }
}

pub async fn call(
    State(host): State<Arc<Host>>,
    request: axum::extract::Request,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Response> {
    let arriving = tokio::time::timeout(CALL_TIME, Json::<Request>::from_request(request, &()));
    let arrived = arriving.await.map_err(|_| StatusCode::REQUEST_TIMEOUT.into_response())?;
    let Json(request) = arrived.map_err(IntoResponse::into_response)?;
    let place = if is_over_at_once(&request.command) {
        None
    } else {
        let place = Arc::clone(&host.waiting).try_acquire_owned();
        Some(place.map_err(|_| (StatusCode::SERVICE_UNAVAILABLE, BUSY).into_response())?)
    };
    let (sender, receiver) = mpsc::channel(WAITING);
    let hangup = Hangup { host: Arc::clone(&host), id: request.id.clone() };
    tokio::spawn(async move {
        run(host, request, sender).await;
        drop(place);
    });
    Ok(Sse::new(stream::unfold((receiver, hangup), |(mut receiver, hangup)| async move {
        let event = receiver.recv().await?;
        Some((Ok(event), (receiver, hangup)))
    })))
}

/// Runs a call when it is its turn, if somebody still waits for it then.
async fn run(host: Arc<Host>, request: Request, sender: mpsc::Sender<Event>) {
    let turn = if is_over_at_once(&request.command) { None } else { host.calls.acquire().await.ok() };
    if sender.is_closed() {
        return;
    }
    let running = Arc::clone(&host);
    let run = tokio::task::spawn_blocking(move || {
        let progress = |value: Value| {
            let _ = sender.blocking_send(event("progress", &value));
        };
        let last = match running.session.dispatch(&request.id, request.command, progress) {
            Ok(reply) => event("reply", &reply),
            Err(error) => event("error", &error),
        };
        let _ = sender.blocking_send(last);
    });
    // A call that panics has no reply, and its turn is over too.
    let _ = run.await;
    drop(turn);
}

/// Calls that do not wait for others: a window that opens, and the end of calls that take too long.
fn is_over_at_once(command: &Command) -> bool {
    matches!(command, Command::Hello(_) | Command::Cancel(_) | Command::Pulse(_))
}

fn event(name: &str, data: &impl Serialize) -> Event {
    let named = Event::default().event(name);
    named.json_data(data).unwrap_or_else(|_| Event::default().event("error").data("null"))
}
