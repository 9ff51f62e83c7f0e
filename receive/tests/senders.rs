//! Events say the address that they came from: a field like any other, whatever they were sent over, and whatever happens
//! to the case.

// All addresses of 127.0.0.0/8 are of this machine on Linux alone.
#![cfg(target_os = "linux")]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use indexer::aggregate::FacetsRequest;
use indexer::query::parse_query;
use indexer::{Cancel, Case, Profile, RunOptions, SqlOptions, Table, View};
use receive::{Networks, Options, Receiver, Source, start};
use socket2::{Domain, Socket, Type};

const PATIENCE: Duration = Duration::from_mins(1);
const SENDERS: [&str; 2] = ["127.0.0.1", "127.0.0.2"];

fn connect(from: &str, to: &str) -> TcpStream {
    let address = |text: &str| text.parse::<SocketAddr>().expect("an address").into();
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
    socket.bind(&address(&format!("{from}:0"))).expect("it is of this machine");
    socket.connect(&address(to)).expect("it accepts");
    socket.into()
}

/// Sends a document, which says that it comes from elsewhere, and waits for the answer.
fn post(from: &str, to: &str, id: &str) {
    let body =
        format!("{{\"create\":{{\"_id\":\"{id}\"}}}}\n{{\"over\":\"http\",\"sender\":\"10.0.0.9\"}}\n");
    let mut http = connect(from, to);
    let head = format!("POST /app/_bulk HTTP/1.1\r\nHost: {to}\r\nConnection: close\r\n");
    write!(http, "{head}Content-Length: {}\r\n\r\n{body}", body.len()).expect("it is sent");
    let mut answer = String::new();
    http.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

/// Opens the case and receives an event of each sender over each protocol, and a document that both send.
fn receive(case: &Path, round: u64) {
    let case = Arc::new(Case::open(case).expect("a case"));
    let before = case.snapshot().events();
    let options = Options { reserve_bytes: 0, ..Options::default() };
    let receiver = Receiver::start(case, options, Arc::new(|_| {})).expect("it starts");
    let (stop, any) = (Cancel::default(), "127.0.0.1:0".parse().expect("an address"));
    let sources =
        [Source::SyslogUdp(any), Source::SyslogTcp(any), Source::Http { address: any, token: None }];
    let sources =
        sources.map(|source| start(&source, &receiver, &Networks::default(), &stop).expect("it listens"));
    let [udp, tcp, http] = [0, 1, 2].map(|place: usize| sources[place].address.as_str());
    for sender in SENDERS {
        let message = |over| format!("<13>Mar  1 14:05:0{round} web-1 cron[3]: sent over={over}\n");
        let socket = UdpSocket::bind((sender, 0)).expect("a socket");
        socket.send_to(message("udp").as_bytes(), udp).expect("it is sent");
        connect(sender, tcp).write_all(message("tcp").as_bytes()).expect("it is sent");
        post(sender, http, &format!("{round} of {sender}"));
        // Whoever sends an id again, it is known.
        post(sender, http, &format!("{round} of all"));
    }
    let accepted =
        || receiver.intake().counters().read().sources.values().map(|source| source.accepted).sum::<u64>();
    let began = Instant::now();
    while accepted() < 7 {
        assert!(began.elapsed() < PATIENCE, "{} events", accepted());
        std::thread::sleep(Duration::from_millis(5));
    }
    stop.set();
    sources.into_iter().for_each(receive::Running::join);
    let case = Arc::clone(receiver.case());
    receiver.finish().expect("it ends");
    assert_eq!(case.snapshot().events() - before, 7);
}

fn rows(table: &Table) -> Vec<Vec<String>> {
    let row = |row| (0..table.columns().len()).map(|column| table.cell(row, column).to_string()).collect();
    (0..table.rows()).map(row).collect()
}

/// Whether filters, facets, stages and SQL know the senders of so many rounds.
fn check(case: &Arc<Case>, rounds: u64, what: &str) {
    let (snapshot, never) = (case.snapshot(), Cancel::default());
    let count = |query: &str| {
        let view = View::parse(query, None, None).expect("a view");
        case.count(&snapshot, &view, &never).expect("a count") as u64
    };
    // The document that both sent is the first one's.
    let of = [4 * rounds, 3 * rounds];
    assert_eq!(SENDERS.map(|sender| count(&format!("sender={sender}"))), of, "{what}");
    assert_eq!(count("sender:127.0.0.2/31"), 3 * rounds, "{what}");
    assert_eq!(count("log.source.address:*"), 7 * rounds, "{what}");
    assert_eq!(count("source:\"http/app\" data.sender=10.0.0.9"), 3 * rounds, "{what}");
    assert_eq!(count("sender=10.0.0.9"), 0, "{what}");
    for sender in SENDERS {
        for over in ["udp", "tcp"] {
            let query = format!("sender={sender} source:\"syslog/{over}/{sender}\" app=cron");
            assert_eq!(count(&query), rounds, "{query} {what}");
        }
    }
    let expected: Vec<Vec<String>> =
        SENDERS.iter().zip(of).map(|(sender, count)| vec![(*sender).to_owned(), count.to_string()]).collect();
    let query = parse_query("* | stats count() as events by sender | sort sender").expect("a query");
    let stats = case.run(&snapshot, &query, (None, None), &RunOptions::default(), &mut |_| {}, &never);
    assert_eq!(rows(&stats.expect("a table")), expected, "{what}");
    let sql = "SELECT sender, count(*) AS events FROM events GROUP BY sender ORDER BY sender";
    let sql = case.sql(&snapshot, sql, &SqlOptions::default(), &never);
    assert_eq!(rows(&sql.expect("a table")), expected, "{what}");
    let request = FacetsRequest { fields: vec!["sender".to_owned()], top: 2, buckets: 1, edges: None };
    let view = View::parse("", None, None).expect("a view");
    let facets = case.facets(&snapshot, &view, &request, &mut |_, _| {}, &never).expect("facets");
    assert_eq!(facets.fields[0].present, 7 * rounds, "{what}");
}

#[test]
fn events_have_the_address_that_they_came_from() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("live.case");
    drop(Case::create(&path).expect("a case"));
    for round in 0..2 {
        receive(&path, round);
        check(&Arc::new(Case::open(&path).expect("the case opens")), round + 1, "as it was received");
    }
    let (case, never) = (Arc::new(Case::open(&path).expect("the case opens")), Cancel::default());
    // Two senders over three protocols, and each goes on in its source.
    assert_eq!(case.snapshot().sources().len(), 6);
    for profile in Profile::ALL {
        case.reprofile(profile, &mut |_| {}, &never).expect("a change");
        check(&case, 2, profile.name());
    }
    case.compact(&mut |_| {}, &never).expect("it is compacted");
    check(&case, 2, "compacted");
    let problems = case.verify(&never).problems;
    assert!(problems.is_empty(), "{problems:?}");
}
