//! The files of segments: tables with their footers and pages, text indexes, shapes, raw frames, accounts. The first byte
//! chooses the file, the second whether the checksums that name it are made again; the rest are its bytes, or edits of a
//! JSON file. The case is read with such a file, or without it.
#![no_main]

mod small_case;

use std::collections::BTreeMap;
use std::path::Path;

use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use small_case::{CASE, ask, edit, seed, sha256, signed};
use store::{Manifest, RawFile, RawFolder, raw_frames, raw_frames_that_are_left};

fuzz_target!(init: { small_case::allow_panics_of_parquet(); write_seeds() }, |bytes: &[u8]| {
    let [which, how, bytes @ ..] = bytes else { return };
    let names = names();
    let name = names[usize::from(*which) % names.len()];
    let is_signed = how & 1 == 1;
    let mut bytes = bytes.to_vec();
    if how & 2 == 2 && name.ends_with(".json") {
        let mut json = CASE.json(name);
        edit(&mut json, &bytes);
        bytes = serde_json::to_vec(&json).expect("JSON");
    }
    if is_signed && name.ends_with("columns.idx") {
        bytes = signed_index(&bytes).unwrap_or(bytes);
    }
    let mut files = BTreeMap::from([(name, bytes)]);
    if is_signed {
        sign(&names, &mut files);
    }
    CASE.with(&files, |folder| {
        if name.starts_with("raw/") {
            read_raw(folder, name);
        }
        ask(folder, Manifest::read(folder).expect("the manifest is sound"));
    });
});

/// The files of the case but its manifest.
fn names() -> Vec<&'static str> {
    CASE.files.keys().map(String::as_str).filter(|name| !name.starts_with("case.")).collect()
}

/// Makes the checksums again that lead from the manifest to the files.
fn sign(names: &[&'static str], files: &mut BTreeMap<&'static str, Vec<u8>>) {
    let mut manifest = CASE.json("case.json");
    for &name in names.iter().filter(|name| name.ends_with("/segment.json")) {
        let id = name.split('/').nth(1).expect("the segment's id");
        let table = |file: &str| {
            let path = format!("segments/{id}/{file}");
            files.get(path.as_str()).map(|bytes| sha256(bytes))
        };
        let changed = [("sha256", table("events.parquet")), ("places_sha256", table("places.parquet"))];
        for (key, sum) in changed {
            if let Some(sum) = sum {
                let mut meta = CASE.json(name);
                meta[key] = json!(sum);
                files.insert(name, serde_json::to_vec(&meta).expect("JSON"));
            }
        }
        let Some(meta) = files.get(name) else { continue };
        for segment in manifest["segments"].as_array_mut().expect("a list") {
            if segment["id"].to_string() == id {
                segment["sha256"] = json!(sha256(meta));
            }
        }
    }
    files.insert("case.json", signed(&manifest));
}

/// An index of columns with its two checksums: of the header, and in it of all that follows.
fn signed_index(bytes: &[u8]) -> Option<Vec<u8>> {
    const MAGIC: usize = 8;
    const HEADER: usize = MAGIC + 8 + 32;
    let length = u64::from_le_bytes(bytes.get(MAGIC..MAGIC + 8)?.try_into().ok()?);
    let (header, sections) = bytes.get(HEADER..)?.split_at_checked(usize::try_from(length).ok()?)?;
    let mut header: Value = serde_json::from_slice(header).ok()?;
    header["sha256"] = json!(sha256(sections));
    let header = serde_json::to_vec(&header).ok()?;
    Some([&bytes[..MAGIC], &(header.len() as u64).to_le_bytes(), &Sha256::digest(&header)[..], &header, sections].concat())
}

/// The frames of a raw file follow one another, and each is read or refused.
fn read_raw(folder: &Path, name: &str) {
    let raw = RawFile::from_name(name.strip_prefix("raw/").expect("a raw file")).expect("its name");
    let size = std::fs::metadata(raw.path(folder)).expect("a file").len();
    for frames in [raw_frames(folder, raw), raw_frames_that_are_left(folder, raw)].into_iter().flatten() {
        assert!(frames.iter().all(|frame| frame.at + u64::from(frame.size) <= size), "a frame after the end");
        assert!(frames.windows(2).all(|pair| pair[0].end() == pair[1].offset && pair[0].at <= pair[1].at));
        let folder = RawFolder::new(folder);
        for frame in frames.iter().take(4) {
            let read = folder.cursor().read(raw.source, frame);
            assert!(read.is_err() || read.is_ok_and(|bytes| bytes.len() == frame.bytes as usize));
        }
    }
}

fn write_seeds() {
    for (number, name) in names().iter().enumerate() {
        for how in 0..2 {
            seed(&format!("file-{number}-{how}"), &[&[number as u8, how], &CASE.files[*name]]);
        }
        for how in 0..12_u8 {
            let edits: Vec<u8> = (0..3).flat_map(|n| [how * 7 + n * 31, 0, how, how, n, 0, 0, 0, 0, 0, 0]).collect();
            if name.ends_with(".json") {
                seed(&format!("edits-{number}-{how}"), &[&[number as u8, 3], &edits]);
            }
        }
    }
}
