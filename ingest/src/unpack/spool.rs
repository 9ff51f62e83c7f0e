//! Bytes that can be read from any position: a file, or what had to be put aside because an archive format
//! keeps its table of contents at its end.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use super::input::Input;

pub enum Storage {
    Memory(Vec<u8>),
    File(File),
}

/// Puts a stream aside: into memory up to a size, beyond that into a temporary file without a name, which
/// the system removes. What could be read before an error is kept, and the error comes with it.
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
