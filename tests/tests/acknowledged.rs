//! What `timberline listen` has acknowledged is there once, whatever happens: two clients send bulk requests with ids and
//! send again what was not acknowledged, while the command is killed at any instant, and while its disk is full.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::Value;
use timberline_tests::listening::{Listening, PATIENCE, bulk, texts};
use timberline_tests::report;

/// Kills in `npm test`. `TIMBERLINE_KILLS=100 cargo test --workspace --test all -- acknowledged::` does more.
const KILLS: u32 = 4;
/// At most so long after some batches were acknowledged.
const LATEST_KILL_US: u64 = 40_000;
const CLIENTS: usize = 2;
const BATCH: u64 = 40;
/// Set where the test runs within a small file system of its own.
const DISK: &str = "TIMBERLINE_TEST_DISK";

/// What clients that send at the same time share.
#[derive(Default)]
struct Clients {
    /// Where the command listens by now.
    address: Mutex<String>,
    /// Batches of each that were acknowledged.
    acknowledged: [AtomicU64; CLIENTS],
    /// How often each had to wait.
    waits: [AtomicU64; CLIENTS],
    stop: AtomicBool,
}

impl Clients {
    fn start(listening: &Listening, filling: usize) -> (Arc<Clients>, Vec<JoinHandle<()>>) {
        let clients = Arc::new(Clients::default());
        clients.send_to(listening);
        let threads = (0..CLIENTS).map(|client| {
            let clients = Arc::clone(&clients);
            thread::spawn(move || clients.send(client, filling))
        });
        let threads = threads.collect();
        (clients, threads)
    }

    fn send_to(&self, listening: &Listening) {
        self.address.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&listening.addresses[0]);
    }

    /// Sends a batch after the other, each until it is acknowledged.
    fn send(&self, client: usize, filling: usize) {
        while !self.stop.load(Ordering::Relaxed) {
            let body = batch(client, self.acknowledged[client].load(Ordering::Relaxed), filling);
            let began = Instant::now();
            loop {
                let address = self.address.lock().unwrap_or_else(PoisonError::into_inner).clone();
                match bulk(&address, &body) {
                    Some(answer) if answer.status == 200 => {
                        let items = answer.body["items"].as_array().expect("items");
                        // An item of that id is there already: an earlier answer did not come.
                        let is_there = |item: &Value| {
                            let status =
                                item.as_object().and_then(|item| item.values().next()?["status"].as_u64());
                            matches!(status, Some(200 | 201 | 409))
                        };
                        assert!(items.len() as u64 == BATCH && items.iter().all(is_there), "{}", answer.body);
                        break;
                    }
                    Some(answer) if answer.status == 429 => {
                        assert!(answer.head.contains("retry-after:"), "{}", answer.head);
                        self.waits[client].fetch_add(1, Ordering::Relaxed);
                    }
                    _ => {}
                }
                assert!(began.elapsed() < 2 * PATIENCE, "a batch is never acknowledged");
                thread::sleep(Duration::from_millis(10));
            }
            self.acknowledged[client].fetch_add(1, Ordering::Relaxed);
        }
    }

    fn batches(&self) -> u64 {
        self.acknowledged.iter().map(|batches| batches.load(Ordering::Relaxed)).sum()
    }

    /// Waits until so many more batches are acknowledged.
    fn until_more(&self, batches: u64) {
        let wanted = self.batches() + batches;
        until("batches are acknowledged", || self.batches() >= wanted);
    }

    /// Ends with what is being sent.
    fn stop(&self, threads: Vec<JoinHandle<()>>) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in threads {
            thread.join().expect("a client ends");
        }
    }

    /// Every acknowledged event is there once, and nothing else.
    fn check(&self, case: &Path) {
        for (client, batches) in self.acknowledged.iter().enumerate() {
            let texts = texts(case, &format!("source:\"http/client-{client}\""));
            let number = |text: &String| {
                let event: Value = serde_json::from_str(text).expect("JSON");
                event["number"].as_u64().expect("a number")
            };
            let mut found: Vec<u64> = texts.iter().map(number).collect();
            found.sort_unstable();
            let events = batches.load(Ordering::Relaxed) * BATCH;
            let first_wrong = found.iter().zip(0..).find(|&(&found, expected)| found != expected);
            assert_eq!((first_wrong, found.len() as u64), (None, events), "of client {client}");
        }
    }
}

fn until(what: &str, holds: impl Fn() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < PATIENCE, "waited in vain until {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

fn next(random: &mut u64) -> u64 {
    *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *random >> 33
}

/// A bulk request. One client creates documents, the other one indexes them; `filling` is the length of what hardly
/// compresses in each.
fn batch(client: usize, number: u64, filling: usize) -> String {
    let action = ["create", "index"][client % 2];
    let mut random = (number << 8) + client as u64;
    let items = (number * BATCH..(number + 1) * BATCH).map(|number| {
        let (minute, second) = (number / 60 % 60, number % 60);
        let words: Vec<String> = (0..filling / 8).map(|_| format!("{:08x}", next(&mut random))).collect();
        format!(
            "{{\"{action}\":{{\"_index\":\"client-{client}\",\"_id\":\"{number}\"}}}}\n\
             {{\"@timestamp\":\"2026-03-01T14:{minute:02}:{second:02}Z\",\"number\":{number},\"message\":\"{}\"}}\n",
            words.concat()
        )
    });
    items.collect()
}

#[test]
fn every_acknowledged_event_is_there_once_after_kills_while_clients_retry() {
    let kills = std::env::var("TIMBERLINE_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(KILLS);
    let folder = tempfile::tempdir().expect("a folder");
    let case = folder.path().join("live.case");
    let start = || Listening::start(&case, &["--http", "127.0.0.1:0"]);
    let mut listening = start();
    let (clients, threads) = Clients::start(&listening, 64);
    let mut random = 0x9E37_79B9_7F4A_7C15;
    for _ in 0..kills {
        clients.until_more(1 + next(&mut random) % 12);
        thread::sleep(Duration::from_micros(next(&mut random) % LATEST_KILL_US));
        listening.child.kill().expect("it is killed");
        // It is waited for before the next one may write the case.
        drop(listening);
        listening = start();
        clients.send_to(&listening);
    }
    clients.until_more(2 * CLIENTS as u64);
    clients.stop(threads);
    listening.stop();
    clients.check(&case);
    let events = clients.batches() * BATCH;
    report::figure(&format!(
        "{kills} kills while {CLIENTS} clients sent with retry: {events} events, each there once"
    ));
}

/// Runs only where a small file system of its own can be mounted for one process, as root can on Linux.
#[test]
fn senders_wait_while_the_disk_is_full_and_nothing_acknowledged_is_lost() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = format!(
        "mount -t tmpfs -o size=32m tmpfs '{disk}' || exit 77
         exec '{test}' --exact acknowledged::on_a_small_disk --nocapture --test-threads=1",
        disk = folder.path().display(),
        test = std::env::current_exe().expect("this test").display(),
    );
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--mount", "sh", "-c", &script]).env(DISK, folder.path());
    match report::unshared(command.output()) {
        Ok(run) => {
            let said = [run.stdout, run.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
            assert!(run.status.success(), "{}", said.concat());
        }
        Err(reason) => report::skipped(&reason),
    }
}

/// What runs there: most of the disk is taken until clients have to wait, and then it is free.
#[test]
fn on_a_small_disk() {
    let Some(disk) = std::env::var_os(DISK) else { return };
    let disk = Path::new(&disk);
    let (case, filler) = (disk.join("live.case"), disk.join("filler"));
    fs::write(&filler, vec![0_u8; 20 << 20]).expect("there is room");
    let listening = Listening::start(&case, &["--http", "127.0.0.1:0"]);
    let (clients, threads) = Clients::start(&listening, 2_000);
    let all_wait = || clients.waits.iter().all(|waits| waits.load(Ordering::Relaxed) >= 3);
    until("all clients have to wait", all_wait);
    assert!(clients.batches() > 0);
    fs::remove_file(&filler).expect("it is removed");
    clients.until_more(10);
    clients.stop(threads);
    listening.stop();
    clients.check(&case);
}
