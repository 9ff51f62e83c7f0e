//! Measures how many events per CPU second a custom format reads, including tags: `cargo run --release -p
//! timberline-ingest --example custom_rate [-- DEFINITION LOG]`. Without arguments it generates lines and
//! reads them by the relay pipeline: a Grok pattern of seven fields and five tags.

#![allow(clippy::print_stdout)]

use std::error::Error;
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

use ingest::Chunk;
use ingest::custom::load;

const ROUNDS: u32 = 5;
const EVENTS: u32 = 2_000_000;
const RELAY: &str = r#"
name = "relay"
grok = "%{MONTH:month} %{NUMBER:date} %{TIME:time} %{URIHOST:sender} %{WORD:grokanchor} %{NUMBER:mstatus} %{WORD:salt}"
time = { from = ["month", "date", "time"], format = "MMM dd HH:mm:ss" }
fields.mstatus.type = "int"
tags = [
  { tag = "above90", if = "mstatus > 90" },
  { tag = "above80", if = "mstatus > 80" },
  { tag = "above70", if = "mstatus > 70" },
  { tag = "above60", if = "mstatus > 60" },
  { tag = "above50", if = "mstatus > 50" },
]
"#;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let folder = std::env::temp_dir().join(format!("custom-rate-{}", std::process::id()));
    let (definition, log) = if let [definition, log] = &arguments[..] {
        (definition.clone(), std::fs::read(log)?)
    } else {
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join("relay.toml"), RELAY)?;
        (folder.join("relay.toml"), relay_lines().into_bytes())
    };
    let definitions = load(&definition);
    if arguments.is_empty() {
        std::fs::remove_dir_all(&folder)?;
    }
    let definition = match definitions {
        Ok(mut definitions) => Arc::new(definitions.remove(0)),
        Err(errors) => {
            let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
            return Err(errors.join("\n").into());
        }
    };
    let mut best = f64::INFINITY;
    let (mut events, mut unparsed) = (0, 0);
    for _ in 0..ROUNDS {
        let start = cpu_seconds()?;
        (events, unparsed) = (0, 0);
        for part in chunks(&log) {
            let chunk = Chunk::whole(part.to_vec());
            let batch = definition.parse(chunk);
            events += batch.rows();
            unparsed += batch.unparsed;
        }
        best = best.min(cpu_seconds()? - start);
    }
    let rate = events as f64 / best;
    println!("{events} events ({unparsed} unparsed) in {best:.2} CPU s: {rate:.0} events/CPU s");
    Ok(())
}

/// Lines as a relay writes them; the numbers come from a generator with a fixed seed.
fn relay_lines() -> String {
    let mut out = String::new();
    let mut state = 42_u64;
    for count in 0..EVENTS {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let (status, salt) = (state >> 33 & 127, state >> 40);
        let (hour, minute, second) = (count / 36_000 % 24, count / 600 % 60, count / 10 % 60);
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "Nov 21 {hour:02}:{minute:02}:{second:02} host-{}.example.com anchor {status} s{salt:06x}",
            salt % 50
        );
    }
    out
}

/// Chunks of about a megabyte, each ending at a line end.
fn chunks(mut log: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        if log.is_empty() {
            return None;
        }
        let most = log.len().min(1 << 20);
        let end = log[..most].iter().rposition(|&byte| byte == b'\n').map_or(most, |at| at + 1);
        let (part, rest) = log.split_at(end);
        log = rest;
        Some(part)
    })
}

/// User and system time of this process; Linux counts them in hundredths of a second.
fn cpu_seconds() -> Result<f64, Box<dyn Error>> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields = stat.rsplit(") ").next().unwrap_or_default();
    let ticks: u64 = fields.split(' ').skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    Ok(ticks as f64 / 100.0)
}
