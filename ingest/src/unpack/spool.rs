//! Bytes that can be read from any position: a file, or a stream that had to be spooled because an archive
//! format has its table of contents at its end.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use super::input::Input;

pub enum Storage {
    Memory(Vec<u8>),
    File(File),
}

/// Spools a stream: into memory up to a size, beyond that into an unnamed temporary file, which the system
/// removes. The bytes read before an error are kept, and the error is returned with them.
pub fn spool(input: &mut Input<'_>, memory_bytes: u64) -> (Storage, Option<io::Error>) {
    let mut memory = Vec::new();
    match input.by_ref().take(memory_bytes).read_to_end(&mut memory) {
        Err(error) => return (Storage::Memory(memory), Some(error)),
        Ok(read) if (read as u64) < memory_bytes => return (Storage::Memory(memory), None),
        Ok(_) => {}
    }
    let mut file = match tempfile::tempfile() {
        Ok(file) => file,
        Err(error) => return (Storage::Memory(memory), Some(error)),
    };
    let spooled = file.write_all(&memory).and_then(|()| io::copy(input, &mut file)).map(drop);
    let rewound = file.seek(SeekFrom::Start(0)).map(drop);
    (Storage::File(file), spooled.and(rewound).err())
}
