//! A request as the handlers see it: method, decoded path and parameters, the headers that matter, the body.

use std::cell::Cell;
use std::net::IpAddr;

use hyper::header::{self, HeaderMap, HeaderName};
use hyper::{Method, Uri};

use indexer::Cancel;

use super::answer::Problem;
use super::filter_path::FilterPath;
use super::queues::QueuePlace;

/// Everything of a request but its body.
#[derive(Clone, Debug)]
pub struct Head {
    pub method: Method,
    /// The parts of the path, decoded.
    pub segments: Vec<String>,
    /// The parameters, decoded, in their order.
    pub parameters: Vec<(String, String)>,
    pub headers: HeaderMap,
    pub peer: IpAddr,
    /// What of the answer is wanted.
    pub filter: FilterPath,
}

/// A request with its body, unpacked.
pub struct Request {
    pub head: Head,
    pub body: Vec<u8>,
    /// Set when nobody waits for the answer any more.
    pub cancel: Cancel,
    /// What it takes of what others wait for.
    pub place: Cell<QueuePlace>,
}

impl Head {
    pub fn new(method: Method, uri: &Uri, headers: HeaderMap, peer: IpAddr) -> Result<Head, Problem> {
        let segments = uri.path().split('/').filter(|part| !part.is_empty()).map(|part| decoded(part, false));
        let parameters = uri.query().unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
        let parameters = parameters.map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Some((decoded(name, true)?, decoded(value, true)?))
        });
        let wrong = || Problem::argument("the address is not percent-encoded UTF-8");
        let mut head = Head {
            method,
            segments: segments.collect::<Option<_>>().ok_or_else(wrong)?,
            parameters: parameters.collect::<Option<_>>().ok_or_else(wrong)?,
            headers,
            peer,
            filter: FilterPath::default(),
        };
        head.filter = FilterPath::parse(head.parameter("filter_path").unwrap_or_default())?;
        Ok(head)
    }

    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// A switch: there, and not `false`.
    pub fn flag(&self, name: &str) -> bool {
        self.parameter(name).is_some_and(|value| value != "false")
    }

    pub fn header(&self, name: HeaderName) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The name under which the client knows this server.
    pub fn authority(&self) -> &str {
        self.header(header::HOST).unwrap_or("127.0.0.1:9200")
    }

    pub fn is_gzip(&self) -> Result<bool, Problem> {
        match self.header(header::CONTENT_ENCODING).map(str::to_ascii_lowercase).as_deref() {
            None | Some("" | "identity") => Ok(false),
            Some("gzip" | "x-gzip") => Ok(true),
            Some(other) => Err(Problem::new(
                hyper::StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "media_type_header_exception",
                format!("bodies may be packed with gzip, not with [{other}]"),
            )),
        }
    }

    /// The type of the answer's JSON: that which the client asked for, where it named a version.
    pub fn json_type(&self) -> &'static str {
        let asked = self.header(header::ACCEPT).unwrap_or_default();
        if !asked.starts_with("application/vnd.elasticsearch+json") {
            return "application/json";
        }
        // Every answer is the same in these versions.
        match asked.rsplit_once("compatible-with=").map(|(_, version)| version.trim()) {
            Some("7") => "application/vnd.elasticsearch+json;compatible-with=7",
            Some("9") => "application/vnd.elasticsearch+json;compatible-with=9",
            _ => "application/vnd.elasticsearch+json;compatible-with=8",
        }
    }
}

/// Percent decoding; in parameters `+` is a space. Nothing where that is no UTF-8.
fn decoded(text: &str, is_parameter: bool) -> Option<String> {
    if !text.contains(['%', '+']) {
        return Some(text.to_owned());
    }
    let digit = |byte: Option<&u8>| byte.and_then(|&byte| char::from(byte).to_digit(16));
    let (text, mut bytes) = (text.as_bytes(), Vec::with_capacity(text.len()));
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at += 1;
        match byte {
            b'+' if is_parameter => bytes.push(b' '),
            b'%' => {
                let (high, low) = (digit(text.get(at))?, digit(text.get(at + 1))?);
                bytes.push((high * 16 + low) as u8);
                at += 2;
            }
            other => bytes.push(other),
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(uri: &str) -> Result<Head, Problem> {
        let uri: Uri = uri.parse().expect(uri);
        Head::new(Method::GET, &uri, HeaderMap::new(), IpAddr::from([127, 0, 0, 1]))
    }

    #[test]
    fn paths_and_parameters_are_decoded() {
        let head = head("/logs%2Da,b//_search?q=a+b%26c&pretty&size=5").expect("well formed");
        assert_eq!(head.segments, ["logs-a,b", "_search"]);
        assert_eq!(head.parameter("q"), Some("a b&c"));
        assert!(head.flag("pretty") && !head.flag("human"));
        assert_eq!(head.parameter("size"), Some("5"));
    }

    #[test]
    fn broken_escapes_are_refused() {
        for uri in ["/a%zz", "/a%", "/%ff%fe", "/a?b=%2"] {
            assert!(head(uri).is_err(), "{uri}");
        }
    }
}
