//! How many events a second the HTTP server takes through `_bulk`: where storing them costs nothing, which leaves
//! the way from a socket to an append, or with `durable` into a case. Sender and server share the machine.
//!
//! `cargo run --example bulk_rate -- [events] [events a request] [connections] [durable]`

#![allow(clippy::print_stdout, reason = "the rate is for a person to read")]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use indexer::{Cancel, Case};
use receive::http::{HttpOptions, serve};
use receive::{Appended, Counters, Intake, Options, Receiver, Record, Refused, Stream};

#[derive(Default)]
struct Counting {
    counters: Arc<Counters>,
}

impl Intake for Counting {
    fn append_all(
        &self,
        batches: Vec<(Stream, Vec<Record>)>,
    ) -> Result<Vec<Result<Appended, Refused>>, Refused> {
        let appended = |(_, records): (Stream, Vec<Record>)| {
            Ok(Appended { stored: records.len(), duplicates: 0, is_new: vec![true; records.len()] })
        };
        Ok(batches.into_iter().map(appended).collect())
    }

    fn append_lines(&self, _: &Stream, _: &[u8]) -> Result<(), Refused> {
        Err(Refused::Closed)
    }

    fn refresh(&self, _: bool, _: Duration, _: &Cancel) -> bool {
        true
    }

    fn counters(&self) -> &Arc<Counters> {
        &self.counters
    }
}

/// What rsyslog sends with the template of its documentation.
fn request(events: usize) -> Vec<u8> {
    let mut body = Vec::new();
    for event in 0..events {
        let line = format!(
            "{{\"index\":{{\"_index\":\"system\"}}}}\n{{\"@timestamp\":\"2026-03-01T14:05:{:02}.{:06}+00:00\",\"host\":\"web-{}\",\
             \"severity\":\"info\",\"facility\":\"daemon\",\"tag\":\"nginx[817]:\",\"message\":\"10.0.{}.{} - - \\\"GET \
             /api/orders/{event}?page=2 HTTP/1.1\\\" 200 5316 \\\"-\\\" \\\"curl/8.5.0\\\"\"}}\n",
            event / 1_000 % 60,
            event % 1_000_000,
            event % 7,
            event % 256,
            event % 251,
        );
        body.extend_from_slice(line.as_bytes());
    }
    let mut request = format!(
        "POST /_bulk HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    )
    .into_bytes();
    request.append(&mut body);
    request
}

/// Reads one answer; they have a length each.
fn answer(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> std::io::Result<()> {
    buffer.clear();
    let mut piece = vec![0; 1 << 16];
    loop {
        let read = stream.read(&mut piece)?;
        buffer.extend_from_slice(&piece[..read]);
        let Some(head) = buffer.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
        let text = String::from_utf8_lossy(&buffer[..head]).to_ascii_lowercase();
        assert!(text.starts_with("http/1.1 200"), "{text}");
        let length =
            text.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
        if buffer.len() >= head + 4 + length.unwrap_or(0) || read == 0 {
            return Ok(());
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let numbers: Vec<usize> = std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    let number = |place: usize, otherwise: usize| numbers.get(place).copied().unwrap_or(otherwise);
    let (events, each, connections) = (number(0, 2_000_000), number(1, 1_000), number(2, 2));
    let folder = std::env::temp_dir().join(format!("bulk-rate-{}", std::process::id()));
    let case = Arc::new(Case::create(&folder.join("empty.case"))?);
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let stop = Cancel::default();
    let is_durable = std::env::args().any(|argument| argument == "durable");
    let receiver = if is_durable {
        Some(Receiver::start(Arc::clone(&case), Options::default(), Arc::new(|_| {}))?)
    } else {
        None
    };
    let intake =
        receiver.as_ref().map_or_else(|| Arc::new(Counting::default()) as Arc<dyn Intake>, Receiver::intake);
    let (asked, stopped) = (Arc::clone(&case), stop.clone());
    let server = std::thread::spawn(move || serve(listener, intake, asked, HttpOptions::default(), stopped));
    let body = Arc::new(request(each));
    let started = Instant::now();
    let senders = (0..connections).map(|_| {
        let body = Arc::clone(&body);
        std::thread::spawn(move || -> std::io::Result<()> {
            let mut stream = TcpStream::connect(address)?;
            let mut buffer = Vec::new();
            for _ in 0..events / each / connections {
                stream.write_all(&body)?;
                answer(&mut stream, &mut buffer)?;
            }
            Ok(())
        })
    });
    let senders: Vec<_> = senders.collect();
    for sender in senders {
        sender.join().map_err(|_| "a sender failed")??;
    }
    let seconds = started.elapsed().as_secs_f64();
    stop.set();
    server.join().map_err(|_| "the server failed")??;
    let taken = events / each / connections * each * connections;
    let rate = taken as f64 / seconds;
    println!(
        "{taken} events in {seconds:.2} s: {rate:.0} events/s, {:.0} MB/s",
        (body.len() / each) as f64 * rate / 1e6
    );
    if let Some(receiver) = receiver {
        receiver.finish()?;
        let seconds = started.elapsed().as_secs_f64();
        let found = case.snapshot().events();
        println!("{found} events are visible after {seconds:.2} s: {:.0} events/s", found as f64 / seconds);
    }
    std::fs::remove_dir_all(folder)?;
    Ok(())
}
