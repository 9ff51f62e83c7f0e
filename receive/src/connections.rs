//! Connections over HTTP/1, of the receiver and of the workbench's server: how many there are, how long they may take for the
//! head of a request, and how they end.

use std::convert::Infallible;
use std::error::Error;
use std::future::{Future, poll_fn};
use std::net::IpAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::{sleep, timeout};

use crate::places::{Busy, Place, Places};

/// The most header lines of a request. Clients send some ten.
const HEADERS: usize = 64;

/// What a connection reads at once. The head of a request has to fit in it.
const BUFFER_BYTES: usize = 128 << 10;

/// How long it is waited when the system has no more connections to give.
const AGAIN: Duration = Duration::from_millis(50);

const FULL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\nretry-after: 1\r\ncontent-length: 0\r\n\r\n";

/// What connections may take.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionLimits {
    pub connections: usize,
    /// For the whole head of a request, and on an idle connection for the next one.
    pub head: Duration,
    /// For a request with its answer, however steadily they are sent and taken.
    pub request: Option<Duration>,
    /// For requests that are being answered, when the server ends.
    pub ending: Duration,
}

/// Why a connection is turned away, for counters.
pub type TurnedAway<'a> = &'a (dyn Fn(&'static str) + Send + Sync);

/// Serves until the sender of `ended` sends or is gone; then requests that are being answered end first. `admits` tells
/// which addresses may connect, and `service` makes what answers the requests of one.
pub async fn serve<S, B>(
    listener: TcpListener,
    limits: ConnectionLimits,
    mut ended: watch::Receiver<()>,
    admits: impl Fn(IpAddr) -> bool,
    turned_away: TurnedAway<'_>,
    service: impl Fn(IpAddr) -> S,
) where
    S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible> + Send + Sync + 'static,
    S::Future: Send,
    B: Body + Send + Unpin + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    let places = Places::new(limits.connections);
    // Those whose place was given to another one are there for a moment more.
    let open = Arc::new(Semaphore::new(2 * limits.connections));
    let ends = ended.clone();
    let mut is_ended = pin!(ended.changed());
    while let Ok(permit) = Arc::clone(&open).acquire_owned().await {
        let mut accepting = pin!(listener.accept());
        let next = poll_fn(|context| match is_ended.as_mut().poll(context) {
            Poll::Ready(_) => Poll::Ready(None),
            Poll::Pending => accepting.as_mut().poll(context).map(Some),
        });
        let Some(accepted) = next.await else { break };
        let Ok((mut stream, peer)) = accepted else {
            // Out of file descriptors, or the sender is gone already.
            sleep(AGAIN).await;
            continue;
        };
        if !admits(peer.ip()) {
            turned_away("address not allowed");
            continue;
        }
        let from = peer.ip().to_canonical();
        let Some(place) = places.take(from) else {
            turned_away("too many connections");
            let _ = stream.try_write(FULL);
            let _ = stream.shutdown().await;
            continue;
        };
        // An answer must not wait for the acknowledgement of the one before.
        let _ = stream.set_nodelay(true);
        let (service, ends) = (service(from), ends.clone());
        tokio::spawn(async move {
            connection(stream, service, limits, (place, ends)).await;
            drop(permit);
        });
    }
    drop(listener);
    let all = u32::try_from(2 * limits.connections).unwrap_or(u32::MAX);
    let _ = timeout(limits.ending, open.acquire_many(all)).await;
}

async fn connection<S, B>(
    stream: TcpStream,
    service: S,
    limits: ConnectionLimits,
    (place, mut ended): (Place, watch::Receiver<()>),
) where
    S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible> + Send,
    S::Future: Send,
    B: Body + Send + Unpin + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    let place = Arc::new(place);
    // Whether the request that is worked on takes too long is looked at from outside, as nothing of it may be polled.
    let (begun, mut begins) = watch::channel(0_u64);
    let service = service_fn(|request| {
        let busy = Busy::new(&place);
        begun.send_modify(|requests| *requests += 1);
        let answering = service.call(request);
        async move { answering.await.map(|answer| answer.map(|body| BusyBody { body, _busy: busy })) }
    });
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_headers(HEADERS)
        .max_buf_size(BUFFER_BYTES);
    let late = async {
        let Some(request) = limits.request else { return std::future::pending().await };
        loop {
            // An idle connection is ended by the time for the next head.
            let again = timeout(request + limits.head, begins.changed()).await;
            if !matches!(again, Ok(Ok(()))) {
                return;
            }
        }
    };
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
    let mut end_signal = pin!(ended.changed());
    let (mut late, mut revoked) = (pin!(late), pin!(place.revoked()));
    let mut is_ending = false;
    poll_fn(|context| {
        if late.as_mut().poll(context).is_ready() || revoked.as_mut().poll(context).is_ready() {
            return Poll::Ready(());
        }
        if !is_ending && end_signal.as_mut().poll(context).is_ready() {
            is_ending = true;
            connection.as_mut().graceful_shutdown();
        }
        // A connection that breaks off is the sender's matter.
        connection.as_mut().poll(context).map(|_| ())
    })
    .await;
}

/// A body of an answer; until it is sent, its connection is busy.
struct BusyBody<B> {
    body: B,
    _busy: Busy,
}

impl<B: Body + Unpin> Body for BusyBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{SocketAddr, TcpStream};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread::JoinHandle;
    use std::time::Instant;

    use http_body_util::Full;
    use hyper::body::Bytes;

    use super::*;

    const SHORT: Duration = Duration::from_millis(50);
    const LONG: Duration = Duration::from_mins(1);
    const GET: &[u8] = b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n";

    struct Server {
        address: SocketAddr,
        /// Requests that are worked on and never answered.
        endless: Arc<AtomicUsize>,
        end: Option<watch::Sender<()>>,
        thread: Option<JoinHandle<()>>,
    }

    impl Server {
        /// Answers all but `/endless`.
        fn start(limits: ConnectionLimits) -> Server {
            let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
            listener.set_nonblocking(true).expect("it is set");
            let address = listener.local_addr().expect("an address");
            let (end, ended) = watch::channel(());
            let endless = Arc::<AtomicUsize>::default();
            let counted = Arc::clone(&endless);
            let answer = move |request: Request<Incoming>| {
                let is_endless = request.uri().path() == "/endless";
                counted.fetch_add(usize::from(is_endless), Ordering::Relaxed);
                async move {
                    if is_endless {
                        std::future::pending::<()>().await;
                    }
                    Ok::<_, Infallible>(Response::new(Full::new(Bytes::from("here"))))
                }
            };
            let thread = std::thread::spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
                runtime.expect("a runtime").block_on(async {
                    let listener = TcpListener::from_std(listener).expect("a listener");
                    serve(listener, limits, ended, |_| true, &|_| {}, |_| service_fn(answer.clone())).await;
                });
            });
            Server { address, endless, end: Some(end), thread: Some(thread) }
        }

        fn connect(&self) -> TcpStream {
            let stream = TcpStream::connect(self.address).expect("a connection");
            stream.set_read_timeout(Some(LONG)).expect("it is set");
            stream
        }
    }

    impl Drop for Server {
        fn drop(&mut self) {
            self.end.take();
            if let Some(thread) = self.thread.take() {
                thread.join().expect("the server does not panic");
            }
        }
    }

    fn limits() -> ConnectionLimits {
        ConnectionLimits { connections: 8, head: LONG, request: None, ending: SHORT }
    }

    fn is_answered(stream: &mut TcpStream) -> bool {
        let mut bytes = [0; 4096];
        stream.write_all(GET).is_ok()
            && stream.read(&mut bytes).is_ok_and(|read| bytes[..read].starts_with(b"HTTP/1.1 200"))
    }

    fn is_closed(stream: &mut TcpStream) -> bool {
        let mut rest = Vec::new();
        match stream.read_to_end(&mut rest) {
            Ok(_) => true,
            Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
        }
    }

    #[test]
    fn idle_connections_and_heads_that_trickle_are_closed() {
        let server = Server::start(ConnectionLimits { head: SHORT, ..limits() });
        let mut silent = server.connect();
        let mut trickling = server.connect();
        trickling.write_all(&GET[..10]).expect("it is sent");
        let mut used = server.connect();
        assert!(is_answered(&mut used));
        assert!([&mut silent, &mut trickling, &mut used].into_iter().all(is_closed));
        assert!(is_answered(&mut server.connect()));
    }

    #[test]
    fn idle_connections_shut_nobody_out() {
        let server = Server::start(limits());
        let mut idle: Vec<TcpStream> = (0..100).map(|_| server.connect()).collect();
        for stream in &mut idle {
            // Those whose places are taken are closed.
            let _ = stream.write_all(&GET[..10]);
        }
        let mut newcomer = server.connect();
        assert!(is_answered(&mut newcomer));
        assert!(is_answered(&mut newcomer));
        assert!(is_closed(&mut idle[0]));
    }

    #[test]
    fn busy_connections_keep_their_places() {
        let server = Server::start(limits());
        let mut busy: Vec<TcpStream> = (0..8).map(|_| server.connect()).collect();
        for stream in &mut busy {
            stream.write_all(b"GET /endless HTTP/1.1\r\nhost: localhost\r\n\r\n").expect("it is sent");
        }
        let began = Instant::now();
        while server.endless.load(Ordering::Relaxed) < 8 {
            assert!(began.elapsed() < LONG, "not all are worked on");
            std::thread::sleep(Duration::from_millis(1));
        }
        let mut refused = String::new();
        server.connect().read_to_string(&mut refused).expect("an answer");
        assert!(refused.starts_with("HTTP/1.1 503"), "{refused}");
        drop(busy.pop());
        let began = Instant::now();
        while !is_answered(&mut server.connect()) {
            assert!(began.elapsed() < LONG, "the place of a client that went away stays taken");
        }
    }

    #[test]
    fn request_that_takes_too_long_loses_its_connection() {
        let server = Server::start(ConnectionLimits { request: Some(SHORT), head: SHORT, ..limits() });
        let mut stream = server.connect();
        stream.write_all(b"GET /endless HTTP/1.1\r\nhost: localhost\r\n\r\n").expect("it is sent");
        assert!(is_closed(&mut stream));
    }
}
