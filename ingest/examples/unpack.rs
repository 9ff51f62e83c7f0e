//! Measures how fast files are unpacked: `cargo run --release -p timberline-ingest --example unpack -- FILE…`
//! prints every stream in them with its bytes; measure the CPU seconds with `perf stat`.
#![allow(clippy::print_stdout)]

use std::io::{self, Read};

fn main() {
    let paths: Vec<_> = std::env::args_os().skip(1).map(Into::into).collect();
    let limits = ingest::UnpackLimits::default();
    // As large as the chunks of a source.
    let mut buffer = vec![0; ingest::limits::CHUNK_BYTES];
    for found in ingest::discover(&paths).files {
        ingest::unpack(&found, &limits, &mut |member| {
            let read = member.input.map_err(io::Error::other).and_then(|mut input| {
                let mut bytes = 0;
                loop {
                    match input.read(&mut buffer) {
                        Ok(0) => return Ok(bytes),
                        Ok(read) => bytes += read,
                        Err(error) => {
                            println!("{bytes} bytes before an error in {}: {error}", member.name);
                            return Err(error);
                        }
                    }
                }
            });
            match read {
                Ok(bytes) => println!("{bytes:>12} {:16} {}", member.compression, member.name),
                Err(error) => println!("{:>12} {:16} {}: {error}", "-", member.compression, member.name),
            }
            true
        });
    }
}
