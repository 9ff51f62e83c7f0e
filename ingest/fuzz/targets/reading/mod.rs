//! What every target checks of a source: it is read without a panic, its chunks are its bytes, its events do
//! not overlap, and it reads the same however it is cut.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;

use ingest::{Batch, InputFile, NO_INT, Options, Source, Values, open_stream};

/// Chunks of this size hold any fuzz input whole.
const WHOLE_BYTES: usize = 1 << 20;

/// Reads the bytes as they are and in chunks of about this size.
pub fn check(bytes: &[u8], options: &Options, chunk_bytes: usize) {
    let whole = read(bytes, &Options { chunk_bytes: WHOLE_BYTES, ..options.clone() });
    let cut = read(bytes, &Options { chunk_bytes, ..options.clone() });
    if whole != cut {
        let first = whole.iter().zip(&cut).position(|(whole, cut)| whole != cut);
        let first = first.unwrap_or(whole.len().min(cut.len()));
        panic!(
            "in chunks of {chunk_bytes} event {first} is {:?}, not {:?}",
            cut.get(first).map(|event| &event.shown),
            whole.get(first).map(|event| &event.shown)
        );
    }
}

/// An event: its values, and for a person where it is.
struct Event {
    digest: u64,
    shown: String,
}

impl PartialEq for Event {
    fn eq(&self, other: &Event) -> bool {
        self.digest == other.digest
    }
}

fn read(bytes: &[u8], options: &Options) -> Vec<Event> {
    let found = InputFile { path: "fuzz".into(), name: "fuzz".to_string(), bytes: 0, modified_ns: None, below: None};
    let mut events = Vec::new();
    open_stream(&found, bytes, options, &mut |opened| {
        // How much a damaged archive still gives depends on how it is read; another target covers that.
        if let Ok(source) = opened.source
            && source.detection().compression == "none"
        {
            assert!(read_source(source, &mut events) == bytes, "the chunks are not the source");
        }
        true
    });
    events
}

fn read_source(mut source: Source<'_>, events: &mut Vec<Event>) -> Vec<u8> {
    let (parser, mut settler) = (source.parser(), source.settler());
    let mut joined = Vec::new();
    while let Ok(Some(chunk)) = source.next_chunk() {
        assert_eq!(chunk.offset, joined.len() as u64);
        joined.extend_from_slice(&chunk.bytes);
        let mut batch = parser.parse(chunk);
        settler.settle(&mut batch);
        let mut previous_end = 0;
        for row in 0..batch.rows() {
            assert!(batch.start[row] >= previous_end, "events overlap");
            previous_end = batch.start[row] + batch.length[row];
            assert!(previous_end as usize <= batch.chunk.bytes.len(), "an event ends after its chunk");
            events.push(event(&batch, row));
        }
    }
    joined
}

fn event(batch: &Batch, row: usize) -> Event {
    let mut hasher = DefaultHasher::new();
    let offset = batch.chunk.offset + u64::from(batch.start[row]);
    (batch.time[row], batch.level[row], batch.line[row], offset, batch.raw(row)).hash(&mut hasher);
    let mut digest = hasher.finish();
    // Columns come in the order in which their names were found, which differs.
    for column in &batch.columns {
        let mut hasher = DefaultHasher::new();
        column.name.hash(&mut hasher);
        match &column.values {
            Values::Text(spans) if !spans[row].is_missing() => (1, batch.text(spans[row])).hash(&mut hasher),
            Values::Int(values) if values[row] != NO_INT => (2, values[row]).hash(&mut hasher),
            Values::Float(values) if !values[row].is_nan() => (3, values[row].to_bits()).hash(&mut hasher),
            Values::Bool(values) if values[row].is_some() => (4, values[row]).hash(&mut hasher),
            _ => continue,
        }
        digest = digest.wrapping_add(hasher.finish());
    }
    let raw = String::from_utf8_lossy(batch.raw(row));
    let shown = format!(
        "line {} at {offset}, time {}, level {:?}: {raw}",
        batch.line[row], batch.time[row], batch.level[row]
    );
    Event { digest, shown }
}

/// The folder for the seeds of the fuzzer, where one is given.
pub fn seeds() -> Option<PathBuf> {
    std::env::var_os("SEEDS").map(PathBuf::from)
}

/// Writes one seed.
pub fn seed(name: &str, parts: &[&[u8]]) {
    if let Some(folder) = seeds() {
        std::fs::write(folder.join(name), parts.concat()).expect("seeds can be written");
    }
}
