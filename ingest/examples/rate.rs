//! Measures how many events are read per CPU second: `cargo run --release -p timberline-ingest --example rate
//! -- FILE`. The system caches the file after the first round, so the best round measures the parser alone.

#![allow(clippy::print_stdout)]

use std::error::Error;
use std::path::PathBuf;

use ingest::{Options, Source, discover, open};

const ROUNDS: u32 = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: rate FILE")?;
    let found = discover(&[PathBuf::from(path)]).files.pop().ok_or("there is no such file")?;
    let mut best = f64::INFINITY;
    let mut events = 0;
    for _ in 0..ROUNDS {
        let start = cpu_seconds()?;
        let mut outcome = Ok(0);
        open(&found, &Options::default(), &mut |opened| {
            let read = opened.source.and_then(read);
            outcome = read.map(|rows| outcome.as_ref().unwrap_or(&0) + rows);
            outcome.is_ok()
        });
        events = outcome?;
        best = best.min(cpu_seconds()? - start);
    }
    let (rate, bytes) = (events as f64 / best, found.bytes as f64 / best / 1e6);
    println!("{events} events in {best:.2} CPU s: {rate:.0} events/CPU s, {bytes:.0} MB/CPU s");
    Ok(())
}

fn read(mut source: Source<'_>) -> Result<usize, ingest::Error> {
    let (parser, mut settler) = (source.parser(), source.settler());
    let mut events = 0;
    while let Some(chunk) = source.next_chunk()? {
        let mut batch = parser.parse(chunk);
        settler.settle(&mut batch);
        events += batch.rows();
    }
    Ok(events)
}

/// User and system time of this process; Linux counts them in hundredths of a second.
fn cpu_seconds() -> Result<f64, Box<dyn Error>> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields = stat.rsplit(") ").next().unwrap_or_default();
    let ticks: u64 = fields.split(' ').skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    Ok(ticks as f64 / 100.0)
}
