//! Writes what the search begins with: a small sample of everything that is unpacked.
//! `seeds unpack FOLDER`

#[path = "../../tests/pack/mod.rs"]
mod pack;

use std::path::PathBuf;

use pack::{ARCHIVES, STREAMS, compress};

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (target, folder) = (arguments.next(), arguments.next().map(PathBuf::from));
    let (Some("unpack"), Some(folder)) = (target.as_deref(), folder) else {
        eprintln!("usage: seeds unpack FOLDER");
        std::process::exit(2);
    };
    std::fs::create_dir_all(&folder)?;
    let log = b"2026-11-21T03:04:05Z INFO started\n2026-11-21T03:04:06Z WARN slow\n".repeat(3);
    let members = [("logs/a.log".to_string(), log.clone()), ("b.log".to_string(), b"b\n".to_vec())];
    for stream in STREAMS {
        let packed = [&[0][..], &compress(stream, &log)].concat();
        std::fs::write(folder.join(format!("{stream:?}")), packed)?;
    }
    for archive in ARCHIVES {
        let packed = [&[0][..], &pack::pack(archive, &members)].concat();
        std::fs::write(folder.join(format!("{archive:?}")), packed)?;
    }
    Ok(())
}
