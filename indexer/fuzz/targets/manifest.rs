//! `case.json`. The first byte chooses between any text, the same with a checksum, and edits of a true manifest with one,
//! of a case that keeps columns and of one whose columns are read from the original bytes again, as the manifest says how.
//! A case with such a manifest is read or refused, and what is accepted is written as it was read.
#![no_main]

mod small_case;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};
use small_case::{CASE, ask, edit, seed, sha256, signed};
use store::Manifest;

const NAMES: [&str; 2] = ["case.json", "case.copy.json"];

/// The files of segments that keep no columns, and a manifest that names them.
static WITHOUT_COLUMNS: LazyLock<(BTreeMap<&str, Vec<u8>>, Value)> = LazyLock::new(|| {
    let mut manifest = CASE.json("case.json");
    let segments = manifest["segments"].as_array_mut().expect("a list").iter_mut();
    let names = ["segments/0/segment.json", "segments/1/segment.json"];
    let files = names.into_iter().zip(segments).map(|(name, segment)| {
        let mut meta = CASE.json(name);
        meta["has_columns"] = json!(false);
        let text = serde_json::to_vec(&meta).expect("JSON");
        segment["sha256"] = json!(sha256(&text));
        (name, text)
    });
    (files.collect(), manifest)
});

fuzz_target!(init: { small_case::allow_panics_of_parquet(); write_seeds() }, |bytes: &[u8]| {
    let [how, bytes @ ..] = bytes else { return };
    let text = match how % 4 {
        0 => bytes.to_vec(),
        1 => match serde_json::from_slice::<Value>(bytes) {
            Ok(manifest) => signed(&manifest),
            Err(_) => return,
        },
        _ => {
            let mut manifest = if how % 4 == 2 { CASE.json("case.json") } else { WITHOUT_COLUMNS.1.clone() };
            edit(&mut manifest, bytes);
            signed(&manifest)
        }
    };
    let mut files: BTreeMap<&str, Vec<u8>> = NAMES.iter().map(|&name| (name, text.clone())).collect();
    if how % 4 == 3 {
        files.extend(WITHOUT_COLUMNS.0.clone());
    }
    CASE.with(&files, check);
});

fn check(folder: &Path) {
    let Ok(manifest) = Manifest::read(folder) else { return };
    ask(folder, manifest.clone());
    manifest.write(folder).expect("it can be written");
    let again = Manifest::read(folder).expect("what was written can be read");
    let text = |manifest: &Manifest| serde_json::to_string(manifest).expect("JSON");
    assert_eq!(text(&again), text(&manifest));
}

fn write_seeds() {
    let manifest = &CASE.files["case.json"];
    seed("true", &[&[0], manifest]);
    seed("signed", &[&[1], manifest]);
    for how in 0..12_u8 {
        let edits: Vec<u8> = (0..4).flat_map(|n| [how * 9 + n * 37, 0, how, how, n, 0, 0, 0, 0, 0, 0]).collect();
        seed(&format!("edits-{how}"), &[&[2 + how % 2], &edits]);
    }
}
