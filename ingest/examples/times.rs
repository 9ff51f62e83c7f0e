//! Shows how the times of a file are read: `cargo run --release -p timberline-ingest --example times --
//! FILE…`. For each file it prints the format, the number of events, the first and the last time in file
//! order, and the time report in sentences.

#![allow(clippy::print_stdout)]

use std::path::PathBuf;

use ingest::{Error, NO_TIME, Options, Source, discover, open};

fn main() {
    for path in std::env::args().skip(1) {
        for found in discover(&[PathBuf::from(&path)]).files {
            open(&found, &Options::default(), &mut |opened| {
                let path = opened.path.display();
                if let Err(error) = opened.source.and_then(|source| tell(&path.to_string(), source)) {
                    println!("{path}\t-\t0\t{error}");
                }
                true
            });
        }
    }
}

fn tell(path: &str, mut source: Source<'_>) -> Result<(), Error> {
    let (parser, mut settler) = (source.parser(), source.settler());
    let format = source.detection().format.clone();
    let (mut events, mut first, mut last) = (0, NO_TIME, NO_TIME);
    while let Some(chunk) = source.next_chunk()? {
        let mut batch = parser.parse(chunk);
        settler.settle(&mut batch);
        events += batch.rows();
        if first == NO_TIME {
            first = batch.time.first().copied().unwrap_or(NO_TIME);
        }
        last = batch.time.last().copied().unwrap_or(last);
    }
    let sentences = settler.report().sentences().join("; ");
    println!("{path}\t{format}\t{events}\t{}\t{}\t{sentences}", shown(first), shown(last));
    Ok(())
}

fn shown(ns: i64) -> String {
    let time = jiff::Timestamp::from_nanosecond(i128::from(ns)).map(|time| time.to_string());
    time.ok().filter(|_| ns != NO_TIME).unwrap_or_else(|| "none".to_string())
}
