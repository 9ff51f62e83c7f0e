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

#[test]
fn refused_connection_says_that_nothing_listens_and_what_to_do() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    drop(listener);
    let remote = Remote::new("prod", &url, "logs-*").expect("a remote");
    let client = Client::new(&remote, Options::default(), &Cancel::default()).expect("a client");
    let error = client.get("/").expect_err("nothing listens");
    assert!(error.to_string().contains(&format!("nothing listens at {url}")), "{error}");
    assert!(error.hint_text().is_some_and(|hint| hint.contains("the port")), "{error}");
}
