//! The cluster of tests with a certificate that an authority of `fixtures/tls` signed.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// How long either side waits for the other before it looks at the other one.
const TURN: Duration = Duration::from_millis(5);

pub fn file(name: &str) -> PathBuf {
    timberline_tests::files::root().join("fixtures/tls").join(name)
}

/// Takes encrypted connections and passes what they say on.
pub struct Encrypted {
    pub address: SocketAddr,
    stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Encrypted {
    pub fn before(inner: SocketAddr) -> Encrypted {
        let read = |name: &str| CertificateDer::from_pem_file(file(name)).expect("a certificate");
        let key = PrivateKeyDer::from_pem_file(file("server.key")).expect("a key");
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            // As Elasticsearch does, with its authority.
            .with_single_cert(vec![read("server.pem"), read("authority.pem")], key)
            .expect("a certificate with its key");
        let config = Arc::new(config);
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let stopped = Arc::new(AtomicBool::new(false));
        let ends = Arc::clone(&stopped);
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if ends.load(Ordering::SeqCst) {
                    break;
                }
                let (Ok(stream), config, ends) = (stream, Arc::clone(&config), Arc::clone(&ends)) else {
                    continue;
                };
                std::thread::spawn(move || {
                    let _ = passed_on(stream, inner, config, &ends);
                });
            }
        });
        Encrypted { address, stopped, thread: Some(thread) }
    }
}

impl Drop for Encrypted {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn passed_on(
    stream: TcpStream,
    inner: SocketAddr,
    config: Arc<ServerConfig>,
    stopped: &AtomicBool,
) -> std::io::Result<()> {
    stream.set_read_timeout(Some(TURN))?;
    let connection = ServerConnection::new(config).map_err(std::io::Error::other)?;
    let mut outside = StreamOwned::new(connection, stream);
    let mut inside = TcpStream::connect(inner)?;
    inside.set_read_timeout(Some(TURN))?;
    let mut buffer = [0; 16_384];
    while !stopped.load(Ordering::SeqCst) {
        match outside.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => inside.write_all(&buffer[..count])?,
            Err(error) if is_silent(&error) => {}
            Err(error) => return Err(error),
        }
        match inside.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => outside.write_all(&buffer[..count])?,
            Err(error) if is_silent(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn is_silent(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut)
}
