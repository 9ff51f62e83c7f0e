//! A small case in which targets replace files: that of the last version which was released, in a folder of its own, in
//! memory where the system keeps temporary files there.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use base::Cancel;
use base::error::Result;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use store::{Accounts, ColumnCache, Fuzzy, Manifest, Marks, Mined, Readings, Segment, Shared, Snapshot, TokenPart, Values};

const RELEASED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/frozen/v6.case");

pub struct SmallCase {
    pub folder: PathBuf,
    /// Its files by their names in the folder.
    pub files: BTreeMap<String, Vec<u8>>,
}

pub static CASE: LazyLock<SmallCase> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("timberline-fuzz-{}.case", std::process::id()));
    let mut files = BTreeMap::new();
    read_files(Path::new(RELEASED), "", &mut files);
    for (name, bytes) in &files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, bytes).expect("a file can be written");
    }
    SmallCase { folder, files }
});

impl SmallCase {
    /// Asks questions of the case while it has these files instead of its own.
    pub fn with(&self, files: &BTreeMap<&str, Vec<u8>>, ask: impl FnOnce(&Path)) {
        let write = |name: &str, bytes: &[u8]| {
            std::fs::write(self.folder.join(name), bytes).expect("a file can be written");
        };
        files.iter().for_each(|(name, bytes)| write(name, bytes));
        ask(&self.folder);
        files.keys().for_each(|name| write(name, &self.files[*name]));
    }

    pub fn json(&self, name: &str) -> Value {
        serde_json::from_slice(&self.files[name]).expect("JSON")
    }
}

fn read_files(folder: &Path, prefix: &str, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            read_files(&entry.path(), &format!("{name}/"), files);
        } else {
            files.insert(name, std::fs::read(entry.path()).expect("a file"));
        }
    }
}

/// A manifest with its checksum, as the store writes it.
pub fn signed(manifest: &Value) -> Vec<u8> {
    let mut manifest = manifest.clone();
    if let Some(fields) = manifest.as_object_mut() {
        fields.remove("sha256");
    }
    let text = serde_json::to_string_pretty(&manifest).expect("JSON");
    let text = text.trim_end_matches(['}', '\n']);
    format!("{text},\n  \"sha256\": \"{}\"\n}}\n", sha256(text.as_bytes())).into_bytes()
}

pub fn sha256(bytes: &[u8]) -> String {
    base::hex(&Sha256::digest(bytes))
}

/// Numbers at which something ends.
const ENDS: [u64; 12] = [
    0, 1, 255, 65_536, 0x7fff_ffff, 0xffff_ffff, 1 << 32, (1 << 48) - 1, 1 << 48, i64::MAX as u64, 1 << 63, u64::MAX,
];
const TEXTS: [&str; 16] = [
    "9999-12-30T22:00:00.999999999Z", "-009999-01-02T01:59:59Z", "1677-09-21T00:12:43.145224192Z",
    "2262-04-11T23:47:16.854775807Z", "", "json", "text", "evtx", "combined", "UTF-16LE", "Europe/Berlin", "raw",
    "\0", "../..", "time", "ts@start",
];

/// Changes values in a JSON text, by their numbers in it: two bytes for which, one for how, eight for the new value.
pub fn edit(json: &mut Value, edits: &[u8]) {
    for edit in edits.as_chunks::<11>().0.iter().take(64) {
        let mut paths = Vec::new();
        list(json, String::new(), &mut paths);
        let path = &paths[usize::from(u16::from_le_bytes([edit[0], edit[1]])) % paths.len()];
        let number = u64::from_le_bytes(edit[3..].try_into().expect("eight bytes"));
        let Some(value) = json.pointer_mut(path) else { return };
        match edit[2] % 12 {
            0 => *value = json!(number),
            1 => *value = json!(number as i64),
            2 => *value = json!(ENDS[number as usize % ENDS.len()]),
            3 => *value = json!((ENDS[number as usize % ENDS.len()] as i64).wrapping_neg()),
            4 => *value = Value::Null,
            5 => *value = json!(number % 2 == 0),
            6 => *value = json!(f64::from_bits(number)),
            7 => *value = json!(TEXTS[number as usize % TEXTS.len()]),
            8 => *value = json!(String::from_utf8_lossy(&edit[3..])),
            9 => *value = json!([]),
            10 => *value = json!(number % 256),
            _ => match value {
                Value::Array(values) => values.extend(values.first().cloned()),
                Value::Number(known) => *value = json!(known.as_u64().unwrap_or_default().wrapping_add(number)),
                _ => *value = json!({}),
            },
        }
    }
}

/// Paths of all values of a JSON text.
fn list(value: &Value, path: String, paths: &mut Vec<String>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            list(value, format!("{path}/{}", name.replace('~', "~0").replace('/', "~1")), paths);
        }),
        Value::Array(values) => {
            values.iter().enumerate().for_each(|(at, value)| list(value, format!("{path}/{at}"), paths));
        }
        _ => {}
    }
    paths.push(path);
}

/// Reads all that is read of a case to answer queries. What it says of its events holds together.
pub fn ask(folder: &Path, manifest: Manifest) {
    let shared = Shared {
        readings: Arc::new(Readings::new(folder)),
        columns: Arc::new(ColumnCache::new(16 << 20)),
    };
    let snapshot = Snapshot::load(manifest, &[], &shared);
    let _ = (snapshot.time_range(), snapshot.fields(), snapshot.indexed(), snapshot.events());
    let _ = (snapshot.sources_named("0"), store::count_events(&snapshot.segments));
    let _ = snapshot.since(&Marks::default().covering(&snapshot));
    let _ = store::frames_by_source(&snapshot.segments);
    for segment in &snapshot.segments {
        let _ = segment.raw_bytes();
        // Each is read although another cannot be.
        let _ = (columns(segment), words(segment), texts(segment), segment.damage());
    }
    let _ = (store::verify_ids(folder), store::kept_ids(folder));
    for account in snapshot.sources().iter().filter_map(|source| source.account) {
        let _ = Accounts::read(folder, account);
    }
    let _ = snapshot.missing();
}

fn columns(segment: &Segment) -> Result<()> {
    let never = Cancel::default();
    let columns = segment.columns()?;
    let rows = columns.rows();
    assert_eq!(rows as u64, segment.meta.events, "the events of the segment");
    let _ = (segment.times()?.untimed(), segment.levels()?, segment.event_keys()?, segment.locations()?);
    for row in [0, rows / 2, rows.saturating_sub(1)].into_iter().filter(|&row| row < rows) {
        let _ = segment.row_fields(row);
        let _ = segment.frame(columns.source[row], columns.offset[row]);
    }
    for field in &segment.meta.fields {
        let _ = (segment.is_late(&field.name), segment.is_placed(&field.column), segment.places(&field.column));
        for values in segment.field(&field.name, &never).unwrap_or_default() {
            let length = match &*values {
                Values::Text { codes, .. } => codes.len(),
                Values::Int(values) => values.len(),
                Values::Float(values) => values.len(),
                Values::Bool(values) => values.len(),
            };
            assert_eq!(length, rows, "{}", field.name);
        }
        if let Ok(packed) = segment.packed_field(&field.name, &never) {
            assert_eq!(packed.rows(), rows, "{}", field.name);
            let _ = (0..rows.min(3)).map(|row| packed.at(row)).collect::<Vec<_>>();
        }
        let few: Vec<u32> = (0..rows as u32).step_by(97).collect();
        let _ = segment.values_at(&[&field.column], &few, &mut segment.raw().cursor(), &never);
    }
    let _ = segment.derived(&|| Ok(()));
    Ok(())
}

fn words(segment: &Segment) -> Result<()> {
    let Some(index) = segment.text()? else { return Ok(()) };
    let _ = index.column_layout();
    let rows = segment.meta.events as u32;
    for token in ["cart", "200", "get", "user", "7", "x"] {
        if let Ok(Some(list)) = index.exact_posting_list(token) {
            assert!(list.iter().all(|&row| row < rows), "a row after the last one");
        }
        let _ = index.postings(token);
        let _ = index.postings_with_part(&TokenPart { text: token.to_owned(), at_start: false, at_end: false }, None);
    }
    let _ = Fuzzy::new("carts", 1).map(|fuzzy| index.postings_of_similar_words(&fuzzy));
    let _ = (index.value_columns(), index.for_each_word(&mut |_, _| {}));
    index.verify()
}

fn texts(segment: &Segment) -> Result<()> {
    let raw = segment.raw();
    let cursor = &mut raw.cursor();
    let _ = (segment.verify(cursor), store::verify_templates(segment, cursor));
    let mined = Mined::load(segment);
    let _ = mined.map(|mined| mined.texts().count());
    Mined::mine(segment, cursor, &Cancel::default())?;
    Ok(())
}

/// Lets the case catch what the Parquet library panics at; everything else still ends the fuzzer.
pub fn allow_panics_of_parquet() {
    let end = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !panic.location().is_some_and(|at| at.file().contains("/polars-")) {
            end(panic);
        }
    }));
}

/// Writes a seed where the fuzzer looks for them.
pub fn seed(name: &str, parts: &[&[u8]]) {
    if let Some(folder) = std::env::var_os("SEEDS").map(PathBuf::from) {
        std::fs::write(folder.join(name), parts.concat()).expect("seeds can be written");
    }
}
