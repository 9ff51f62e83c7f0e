//! The ids that clients gave their records, so that what they send again is not stored again. The newest
//! [`MOST_IDS`] at least are known; they survive the log's files in files of their own.

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use indexer::files;

use super::record::numbered;
use crate::intake::hash_of;
use crate::limits::MOST_IDS;

const MAGIC: &[u8; 8] = b"TLIDS\0\0\x01";

/// The ids of records that were appended, in two generations: when the younger is full, the older is forgotten.
pub struct KnownIds {
    young: HashSet<u128>,
    old: HashSet<u128>,
    newest_file: u64,
}

/// An id within its source, whichever sender gives it.
pub fn id_of(source: &str, id: u128) -> u128 {
    id ^ hash_of(source.as_bytes())
}

fn path(folder: &Path, file: u64) -> PathBuf {
    folder.join(format!("{file}.ids"))
}

impl KnownIds {
    /// The ids of files that were kept. The newest are loaded.
    pub fn load(folder: &Path) -> io::Result<KnownIds> {
        let mut ids = KnownIds { young: HashSet::new(), old: HashSet::new(), newest_file: 0 };
        for file in numbered(folder, ".ids")? {
            ids.newest_file = file;
            let bytes = files::read(&path(folder, file))?;
            let Some(body) = bytes.strip_prefix(MAGIC) else { continue };
            let Some((checksum, body)) = body.split_first_chunk::<4>() else { continue };
            if crc32fast::hash(body) == u32::from_le_bytes(*checksum) {
                body.as_chunks::<16>().0.iter().for_each(|id| ids.insert(u128::from_le_bytes(*id)));
            }
        }
        Ok(ids)
    }

    pub fn newest_file(&self) -> u64 {
        self.newest_file
    }

    pub fn insert(&mut self, id: u128) {
        if self.young.len() >= MOST_IDS {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(id);
    }

    /// Whether nobody gave this id before. From now on somebody has.
    pub fn is_new(&mut self, id: u128) -> bool {
        if self.young.contains(&id) || self.old.contains(&id) {
            return false;
        }
        self.insert(id);
        true
    }

    pub fn remove(&mut self, id: u128) {
        self.young.remove(&id);
        self.old.remove(&id);
    }
}

/// Writes down the ids of a file of the log before that is removed, and removes what is too old to be known.
pub fn keep(folder: &Path, file: u64, ids: &[u128]) -> io::Result<()> {
    if !ids.is_empty() {
        let body: Vec<u8> = ids.iter().flat_map(|id| id.to_le_bytes()).collect();
        let temporary = folder.join("ids.tmp");
        let mut out = files::create_temporary(&temporary)?;
        out.write_all(MAGIC)?;
        out.write_all(&crc32fast::hash(&body).to_le_bytes())?;
        out.write_all(&body)?;
        out.sync_all()?;
        files::rename(&temporary, &path(folder, file))?;
        files::sync_folder(folder)?;
    }
    let mut known = 0;
    for file in numbered(folder, ".ids")?.into_iter().rev() {
        let path = path(folder, file);
        if known >= MOST_IDS as u64 {
            files::remove(&path)?;
        } else {
            known += files::look(&path).map_or(0, |file| file.bytes) / 16;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_survive_the_file_they_were_in_and_the_oldest_are_forgotten() {
        let folder = tempfile::tempdir().expect("a folder");
        keep(folder.path(), 3, &[7, 8]).expect("they are kept");
        let mut ids = KnownIds::load(folder.path()).expect("they are read");
        assert!(!ids.is_new(7) && !ids.is_new(8) && ids.is_new(9));
        assert_eq!(ids.newest_file(), 3);
        for id in 0..2 * MOST_IDS as u128 {
            ids.insert(1000 + id);
        }
        assert!(ids.is_new(7) && !ids.is_new(1000 + MOST_IDS as u128));
        let many: Vec<u128> = (0..MOST_IDS as u128).collect();
        keep(folder.path(), 4, &many).expect("they are kept");
        assert_eq!(numbered(folder.path(), ".ids").expect("it is read"), [4]);
    }
}
