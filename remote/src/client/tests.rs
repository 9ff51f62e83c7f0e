//! What requests look like on the way.

use super::*;

#[test]
fn requests_to_another_machine_are_packed() {
    for (url, is_packed) in [("https://logs.example:9200", true), ("http://127.0.0.1:9200", false)] {
        let remote = Remote::new("prod", url, "logs-*").expect("a remote");
        let client = Client::new(&remote, Options::default(), &Cancel::default()).expect("a client");
        let lines = b"{\"create\":{}}\n{}\n".repeat(50);
        let body = Body::Lines(Arc::new(lines.clone()));
        let request = client.request("POST", "/_bulk", &body).expect("a request");
        let has = |name: &str| request.headers().contains_key(name);
        assert_eq!((has("content-encoding"), has("accept-encoding")), (is_packed, is_packed), "{url}");
        let mut sent = request.body().clone();
        if is_packed {
            sent.clear();
            GzDecoder::new(request.body().as_slice()).read_to_end(&mut sent).expect("it is unpacked");
        }
        assert_eq!(sent, lines, "{url}");
    }
}
