//! `timberline serve`: the workbench for a browser on this machine.
//!
//! Only 127.0.0.1 is bound. Every call carries the token of the address that was printed, and a request
//! that names another host or comes from another page is refused, so that no web page can reach in.

mod call;
mod download;
mod guard;
mod limits;
mod page;
mod upload;

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use axum::routing::{get, post};
use hyper_util::service::TowerToHyperService;
use receive::connections::{self, ConnectionLimits};
use signal_hook::consts::{SIGINT, SIGTERM};
use tokio::sync::{Semaphore, watch};
use wire::{Session, Start};

use crate::Outcome;
use crate::args::Serve;
use crate::{out, token};

/// How often it is looked whether there was a signal.
const LOOK: Duration = Duration::from_millis(50);

/// What every request handler shares.
pub struct Host {
    pub session: Session,
    pub token: String,
    /// Where uploaded files wait to be imported.
    pub uploads: PathBuf,
    /// Where files are written that a browser fetches.
    pub downloads: PathBuf,
    /// Calls that run. Those beyond wait in the order in which they came, but for those that are over at once.
    pub calls: Semaphore,
    /// Calls that run or wait. Those beyond are refused, so that they take no more connections.
    pub waiting: Arc<Semaphore>,
}

pub fn run(arguments: &Serve) -> Result<Outcome> {
    let home = wire::home();
    let here = std::env::current_dir()?;
    let paths = arguments.paths.iter().map(|path| here.join(path)).collect();
    let host = Arc::new(Host {
        session: Session::new(Start::browser(home.clone()).with_paths(paths)),
        token: token::chosen(arguments.token_file.as_deref())?.map_or_else(random_token, Ok)?,
        uploads: upload::folder(&home.join("uploads"), &random_token()?),
        downloads: upload::folder(&home.join("downloads"), &random_token()?),
        calls: Semaphore::new(limits::CALLS),
        waiting: Arc::new(Semaphore::new(limits::CALLS_WAITING)),
    });
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(serve(Arc::clone(&host), arguments.port, signal()?))?;
    // What live sources have received becomes events; calls that still run do not hold up the end.
    host.session.finish();
    runtime.shutdown_background();
    Ok(Outcome::Done)
}

/// Changes when the program is to end. A second signal ends it at once.
fn signal() -> Result<watch::Receiver<()>> {
    let signalled = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register_conditional_shutdown(signal, 3, Arc::clone(&signalled))?;
        signal_hook::flag::register(signal, Arc::clone(&signalled))?;
    }
    let (sender, receiver) = watch::channel(());
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        while !signalled.load(Ordering::Relaxed) {
            std::thread::sleep(LOOK);
        }
        let _ = sender.send(());
    })?;
    Ok(receiver)
}

async fn serve(host: Arc<Host>, port: u16, ended: watch::Receiver<()>) -> Result<()> {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port))
        .await
        .with_context(|| format!("port {port} of 127.0.0.1 cannot be used"))?;
    let port = listener.local_addr()?.port();
    let mut stdout = out::stdout();
    writeln!(stdout, "http://127.0.0.1:{port}/#token={}", host.token)?;
    stdout.flush()?;
    out::say("Open this address in a browser on this machine. Ctrl+C ends it.");
    let api = Router::new()
        .route("/api/call", post(call::call).layer(DefaultBodyLimit::max(limits::CALL_BYTES)))
        .route("/api/upload", post(upload::upload))
        .route("/api/download", post(download::place))
        .layer(middleware::from_fn_with_state(Arc::clone(&host), guard::token));
    let router = Router::new()
        .merge(api)
        .route("/api/downloaded/{ticket}", get(download::fetch))
        .fallback(page::page)
        .layer(middleware::from_fn(guard::loopback))
        // Uploads are streamed to disk, so their size is no matter of memory.
        .layer(DefaultBodyLimit::disable())
        .with_state(host);
    let limits = ConnectionLimits {
        connections: limits::CONNECTIONS,
        head: limits::HEAD_TIME,
        // An import is one call.
        request: None,
        ending: Duration::ZERO,
    };
    let service = |_| TowerToHyperService::new(router.clone());
    connections::serve(listener, limits, ended, |from| from.is_loopback(), &|_| {}, service).await;
    Ok(())
}

/// 128 bits of the system's randomness.
fn random_token() -> Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| anyhow::anyhow!("the system gives no randomness: {error}"))?;
    Ok(format!("{:032x}", u128::from_ne_bytes(bytes)))
}
