//! A cluster's certificate, recognised by its fingerprint instead of by a file: what Elasticsearch prints at its first start.
//!
//! The certificates are read in a connection of their own, over which nothing is sent. The one with the fingerprint is then
//! the only authority that requests trust, so that they are verified like those of a `--ca` file.

use std::fmt::Write;
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::{Arc, Mutex, PoisonError};

use indexer::{Error, ErrorKind, Result};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, ClientConnection, DigitallySignedStruct, SignatureScheme};
use sha2::{Digest, Sha256};
use ureq::http::Uri;

use crate::config::Remote;
use crate::json;
use crate::limits::CONNECT;

/// Hexadecimal digits of a SHA-256.
const DIGITS: usize = 64;

/// A fingerprint as people copy it, in lower case without colons.
pub fn normalized(text: &str) -> Result<String> {
    let digits: String =
        text.trim().chars().filter(|c| !matches!(c, ':' | ' ')).map(|c| c.to_ascii_lowercase()).collect();
    if digits.len() == DIGITS && digits.chars().all(|c| c.is_ascii_hexdigit()) {
        return Ok(digits);
    }
    let message = "a fingerprint is the SHA-256 of a certificate, 64 hexadecimal digits";
    Err(Error::new(ErrorKind::BadRequest, message).hint(
        "Elasticsearch prints it at its first start; openssl x509 -fingerprint -sha256 -noout -in http_ca.crt shows it",
    ))
}

fn fingerprint(certificate: &[u8]) -> String {
    Sha256::digest(certificate).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The certificate that has the fingerprint, out of those that the cluster shows.
pub fn certificate(remote: &Remote, wanted: &str) -> Result<Vec<u8>> {
    let shown = shown(remote)?;
    if let Some(found) = shown.iter().find(|certificate| fingerprint(certificate) == wanted) {
        return Ok(found.clone());
    }
    let known: Vec<String> = shown.iter().map(|certificate| fingerprint(certificate)).collect();
    let message = format!("no certificate of the cluster {} has the fingerprint {wanted}", remote.name);
    Err(Error::new(ErrorKind::NotReadable, message).hint(format!(
        "its certificates have {}; compare with what the cluster printed at its first start before you take one of them",
        known.join(" and ")
    )))
}

/// The certificates of a cluster, its own first, whoever signed them.
fn shown(remote: &Remote) -> Result<Vec<Vec<u8>>> {
    let failed = |what: &dyn std::fmt::Display| {
        let message =
            format!("the certificate of {} cannot be read: {}", remote.url, json::quoted(&what.to_string()));
        Error::new(ErrorKind::NotReadable, message)
            .hint("see that the cluster runs, and that the address and the port are right")
    };
    let uri: Uri = remote.url.parse().map_err(|error| failed(&error))?;
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']).to_owned();
    let port = uri.port_u16().unwrap_or(443);
    let name = ServerName::try_from(host.clone()).map_err(|error| failed(&error))?;
    let addresses = (host.as_str(), port).to_socket_addrs().map_err(|error| failed(&error))?;
    let mut last = None;
    let mut stream = None;
    for address in addresses {
        match TcpStream::connect_timeout(&address, CONNECT) {
            Ok(open) => {
                stream = Some(open);
                break;
            }
            Err(error) => last = Some(error),
        }
    }
    let Some(mut stream) = stream else {
        return Err(last.map_or_else(|| failed(&"the name has no address"), |error| failed(&error)));
    };
    let timed = stream.set_read_timeout(Some(CONNECT)).and_then(|()| stream.set_write_timeout(Some(CONNECT)));
    timed.map_err(|error| failed(&error))?;
    let provider = Arc::new(ring::default_provider());
    let seen = Arc::new(Seen { provider: Arc::clone(&provider), certificates: Mutex::default() });
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| failed(&error))?
        .dangerous()
        .with_custom_certificate_verifier(Arc::clone(&seen) as Arc<dyn ServerCertVerifier>)
        .with_no_client_auth();
    let mut connection = ClientConnection::new(Arc::new(config), name).map_err(|error| failed(&error))?;
    while connection.is_handshaking() {
        connection.complete_io(&mut stream).map_err(|error| failed(&error))?;
    }
    Ok(seen.certificates.lock().unwrap_or_else(PoisonError::into_inner).clone())
}

/// Takes any certificates and notes them. Nothing is sent over such a connection.
#[derive(Debug)]
struct Seen {
    provider: Arc<CryptoProvider>,
    certificates: Mutex<Vec<Vec<u8>>>,
}

impl ServerCertVerifier for Seen {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> std::result::Result<ServerCertVerified, rustls::Error> {
        let all = std::iter::once(end_entity).chain(intermediates).map(|one| one.as_ref().to_vec());
        *self.certificates.lock().unwrap_or_else(PoisonError::into_inner) = all.collect();
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_are_read_as_tools_print_them() {
        let plain = "a52dd93511e8c6045e21f16654b77c9ee0f34aea26d9f40320b531c474676228";
        assert_eq!(normalized(&plain.to_uppercase()).expect("read"), plain);
        let pairs: Vec<&str> = (0..32).map(|at| &plain[at * 2..at * 2 + 2]).collect();
        assert_eq!(normalized(&pairs.join(":")).expect("read"), plain);
        for wrong in ["", "a5:2d", &plain.replace('a', "x"), &format!("{plain}00")] {
            assert!(normalized(wrong).expect_err(wrong).hint_text().is_some());
        }
        assert_eq!(fingerprint(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
