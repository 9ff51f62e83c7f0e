//! Access logs of AWS: load balancers (application, network, classic) and S3.

use std::sync::LazyLock;

use super::{Fit, Format, Reader, Setup};
use crate::layout::{LayoutReader, LineLayouts};
use crate::level;
use crate::named_columns::NamedColumns;
use crate::rows::Rows;

pub(crate) static ELB: Format = Format {
    name: "elb",
    title: "AWS load balancer access log lines",
    reader: |setup| reader(&ELB_LAYOUTS, setup),
    ..Format::LINES
};

pub(crate) static S3: Format = Format {
    name: "s3",
    title: "S3 access log lines",
    reader: |setup| reader(&S3_LAYOUTS, setup),
    ..Format::LINES
};

static ELB_LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new(
        "not an access log line of a load balancer",
        &[
            // Application.
            "{type:word} {time} {elb:word} {client:word} {target:word} {request_processing_time:float} \
             {target_processing_time:float} {response_processing_time:float} {status:int} \
             {target_status:word} {received_bytes:int} {bytes:int} {request:quoted} {user_agent:quoted} \
             {ssl_cipher:word} {ssl_protocol:word} {target_group_arn:word} {trace_id:quoted}« \
             {domain_name:quoted} {chosen_cert_arn:quoted}« {matched_rule_priority:word} \
             {request_creation_time:word} {actions_executed:quoted}« {redirect_url:quoted} \
             {error_reason:quoted}« {target_list:quoted} {target_status_list:quoted} {classification:quoted} \
             {classification_reason:quoted}«{more:rest}»»»»»",
            // Network.
            "{type:word} {version:word} {time} {elb:word} {listener:word} {client:word} {target:word} \
             {connection_time:int} {tls_handshake_time:int} {received_bytes:int} {bytes:int}« \
             {incoming_tls_alert:word} {chosen_cert_arn:word} {chosen_cert_serial:word} {ssl_cipher:word} \
             {ssl_protocol:word} {tls_named_group:word} {domain_name:word}«{more:rest}»»",
            // Classic.
            "{time} {elb:word} {client:word} {target:word} {request_processing_time:float} \
             {target_processing_time:float} {response_processing_time:float} {status:int} \
             {target_status:word} {received_bytes:int} {bytes:int} {request:quoted}« {user_agent:quoted}« \
             {ssl_cipher:word}« {ssl_protocol:word}»»»",
        ],
    )
});

static S3_LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new(
        "not an access log line of S3",
        &[
            "{bucket_owner:word} {bucket:word} [{time}] {client_ip:word} {user:word} {request_id:word} \
             {operation:word} {key:word} {request:quoted} {status:int} {error_code:word} {bytes:int} \
             {object_size:int} {total_time_ms:int} {turn_around_time_ms:int} {referer:quoted} \
             {user_agent:quoted}« {version_id:word}«{more:rest}»»",
            "{bucket_owner:word} {bucket:word} [{time}] {client_ip:word} {user:word} {request_id:word} \
             {operation:word} {key:word} - {status:int} {error_code:word} {bytes:int} {object_size:int} \
             {total_time_ms:int} {turn_around_time_ms:int} {} {}« {version_id:word}«{more:rest}»»",
        ],
    )
});

fn reader(layouts: &'static LazyLock<LineLayouts>, setup: &Setup) -> Box<dyn Reader> {
    Box::new(AwsReader { line: layouts.reader(setup), named: NamedColumns::default() })
}

struct AwsReader {
    line: LayoutReader,
    /// Columns for the parts of a request and of a client's address.
    named: NamedColumns,
}

impl Reader for AwsReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let fit = self.line.read(event, rows)?;
        if let Some((from, to)) = self.line.place("status")
            && let Some(level) = level::from_status(&event[from..to])
        {
            rows.set_level(level);
        }
        self.named.begin();
        if let Some((from, to)) = self.line.place("client") {
            // The port follows the last colon; an IPv6 address contains others.
            let colon = memchr::memrchr(b':', &event[from..to]).map_or(to, |length| from + length);
            self.named.text(b"client_ip", from, colon, rows);
            if colon < to {
                self.named.value(b"client_port", event, colon + 1, to, rows);
            }
        }
        if let Some((from, to)) = self.line.place("request") {
            self.request(event, from, to, rows);
        }
        Ok(fit)
    }
}

impl AwsReader {
    /// `GET /cart HTTP/1.1` in its three parts; a request that was not understood is dashes.
    fn request(&mut self, event: &[u8], from: usize, to: usize, rows: &mut Rows) {
        let request = &event[from..to];
        let Some(first) = memchr::memchr(b' ', request).filter(|_| !request.starts_with(b"- ")) else {
            return;
        };
        let Some(last) = memchr::memrchr(b' ', request).filter(|&last| last > first) else { return };
        self.named.text(b"method", from, from + first, rows);
        self.named.text(b"path", from + first + 1, from + last, rows);
        self.named.text(b"protocol", from + last + 1, to, rows);
    }
}

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::*;

    #[track_caller]
    fn check(format: &'static Format, line: &str, expected: &str) {
        assert_eq!(render(format, line), expected, "{line}");
    }

    #[test]
    fn load_balancers() {
        check(
            &ELB,
            r#"https 2026-11-21T03:04:05.125000Z app/shop/1 10.1.2.3:443 10.0.0.1:80 0.001 0.002 -1 502 - 34 366 "GET https://shop.example:443/cart?a=1 HTTP/2.0" "curl/8" ECDHE TLSv1.2 arn:aws:x "Root=1-2" "shop.example" "arn:cert" 0 2026-11-21T03:04:05.000000Z "forward" "-" "-""#,
            r#"2026-11-21T03:04:05.125Z error type="https" elb="app/shop/1" client="10.1.2.3:443" target="10.0.0.1:80" request_processing_time=0.001 target_processing_time=0.002 response_processing_time=-1.0 status=502 received_bytes=34 bytes=366 request="GET https://shop.example:443/cart?a=1 HTTP/2.0" user_agent="curl/8" ssl_cipher="ECDHE" ssl_protocol="TLSv1.2" target_group_arn="arn:aws:x" trace_id="Root=1-2" domain_name="shop.example" chosen_cert_arn="arn:cert" matched_rule_priority="0" request_creation_time="2026-11-21T03:04:05.000000Z" actions_executed="forward" client_ip="10.1.2.3" client_port=443 method="GET" path="https://shop.example:443/cart?a=1" protocol="HTTP/2.0""#,
        );
        let targets = r#""10.0.0.1:80" "502" "Ambiguous" "BadUri" TID_1"#;
        let line = format!(
            r#"http 2026-11-21T03:04:05Z app/shop/1 10.1.2.3:443 - -1 -1 -1 502 - 34 366 "GET http://shop/ HTTP/1.1" "curl/8" - - arn:aws:x "Root=1-2" "-" "-" 0 2026-11-21T03:04:05Z "forward" "-" "-" {targets}"#
        );
        let read = render(&ELB, &line);
        let expected = r#"target_list="10.0.0.1:80" target_status_list="502" classification="Ambiguous" classification_reason="BadUri" more=" TID_1""#;
        assert!(read.contains(expected), "{read}");
        check(
            &ELB,
            r#"2026-11-21T03:04:05Z shop 10.1.2.3:2817 10.0.0.1:80 0.00007 0.001 0.00005 200 200 0 29 "GET http://shop.example:80/ HTTP/1.1" "curl/8" - -"#,
            r#"2026-11-21T03:04:05Z info elb="shop" client="10.1.2.3:2817" target="10.0.0.1:80" request_processing_time=7e-5 target_processing_time=0.001 response_processing_time=5e-5 status=200 target_status="200" received_bytes=0 bytes=29 request="GET http://shop.example:80/ HTTP/1.1" user_agent="curl/8" client_ip="10.1.2.3" client_port=2817 method="GET" path="http://shop.example:80/" protocol="HTTP/1.1""#,
        );
        check(
            &ELB,
            "tls 2.0 2026-11-21T03:04:05 net/shop/1 abc 10.1.2.3:5 10.0.0.1:443 5 2 98 246 - arn:cert - ECDHE tlsv12 - shop.example h2 h2 \"h2\"",
            r#"2026-11-21T03:04:05Z - type="tls" version="2.0" elb="net/shop/1" listener="abc" client="10.1.2.3:5" target="10.0.0.1:443" connection_time=5 tls_handshake_time=2 received_bytes=98 bytes=246 chosen_cert_arn="arn:cert" ssl_cipher="ECDHE" ssl_protocol="tlsv12" domain_name="shop.example" more=" h2 h2 \"h2\"" client_ip="10.1.2.3" client_port=5"#,
        );
        check(&ELB, "2026-11-21T03:04:05Z a b c", "unparsed: not an access log line of a load balancer");
    }

    #[test]
    fn buckets() {
        check(
            &S3,
            r#"79a5 shop [21/Nov/2026:03:04:05 +0000] 10.1.2.3 - 3E57 REST.GET.OBJECT a/b.png "GET /shop/a/b.png HTTP/1.1" 404 NoSuchKey 113 - 7 6 "-" "S3Console/0.4" - x= SigV4"#,
            r#"2026-11-21T03:04:05Z warn bucket_owner="79a5" bucket="shop" client_ip="10.1.2.3" request_id="3E57" operation="REST.GET.OBJECT" key="a/b.png" request="GET /shop/a/b.png HTTP/1.1" status=404 error_code="NoSuchKey" bytes=113 total_time_ms=7 turn_around_time_ms=6 user_agent="S3Console/0.4" more=" x= SigV4" method="GET" path="/shop/a/b.png" protocol="HTTP/1.1""#,
        );
        check(&S3, "79a5 shop [21/Nov/2026:03:04:05 +0000] x", "unparsed: not an access log line of S3");
    }
}
