//! Which cases are trusted on this machine: those that this workbench made, and those that a person trusts.
//!
//! Queries, pages, live sources and rules of a case from elsewhere may name files of this machine. They are not read
//! until a person trusts the case.
//!
//! The list is in Timberline's own folder. A mark in the case would come along with the case, whoever sends it. An
//! entry also has the identity of the case's folder, because another case may take its path.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::UNIX_EPOCH;

use indexer::whole_file::{self, Readers};
use indexer::{Case, Error, ErrorKind, FileAccess};
use serde::{Deserialize, Serialize};

use crate::calls::{Answer, not_written};
use crate::places::named_together;
use crate::session::{Call, Session};
use crate::types::{CasePath, Empty, WireError};

/// Cases that stay trusted; so many folders are rarely in use.
const KEPT: usize = 1_000;

/// Calls of this process change the list one after another. Of two processes the last one wins, and a person is asked
/// again.
static TURN: Mutex<()> = Mutex::new(());

#[derive(Default, Serialize, Deserialize)]
struct TrustFile {
    /// The last trusted one first.
    cases: Vec<TrustedCase>,
}

/// A folder of this machine, as no copy of it is.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
struct TrustedCase {
    /// Without links.
    path: PathBuf,
    /// The folder's device and inode, where the system has them.
    inode: Option<(u64, u64)>,
    /// When the folder was made: an inode is used again. Null if the disk does not keep it.
    created_ns: Option<u64>,
}

impl TrustedCase {
    fn at(case: &Path) -> io::Result<TrustedCase> {
        let path = case.canonicalize()?;
        let folder = fs::symlink_metadata(&path)?;
        let created = folder.created().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let created_ns = created.and_then(|since| u64::try_from(since.as_nanos()).ok());
        Ok(TrustedCase { path, inode: inode(&folder), created_ns })
    }
}

#[cfg(unix)]
#[allow(clippy::unnecessary_wraps)]
fn inode(folder: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((folder.dev(), folder.ino()))
}

#[cfg(not(unix))]
fn inode(_: &Metadata) -> Option<(u64, u64)> {
    None
}

fn file(home: &Path) -> PathBuf {
    home.join("trusted.json")
}

impl TrustFile {
    /// A list that cannot be read trusts nothing.
    fn read(home: &Path) -> TrustFile {
        let read = fs::read(file(home)).ok();
        read.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    }
}

fn change(session: &Session, case: &Path, trusted: Option<TrustedCase>) -> Answer<()> {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let home = &session.start.home;
    let path = file(home);
    whole_file::create_own_folder(home).map_err(|error| not_written(&path, &error))?;
    let others = TrustFile::read(home).cases.into_iter().filter(|known| known.path != case);
    let cases = trusted.into_iter().chain(others).take(KEPT).collect();
    let text =
        serde_json::to_vec_pretty(&TrustFile { cases }).map_err(|error| WireError::internal(&error))?;
    whole_file::replace(&path, &text, Readers::Owner).map_err(|error| not_written(&path, &error))
}

/// Trusts a case.
pub(crate) fn trust(session: &Session, case: &Case) -> Answer<()> {
    let trusted = TrustedCase::at(case.folder()).map_err(|error| not_written(case.folder(), &error))?;
    change(session, &trusted.path.clone(), Some(trusted))
}

/// Takes a case that was deleted off the list.
pub(crate) fn forget(session: &Session, case: &Case) -> Answer<()> {
    change(session, case.folder(), None)
}

/// `home` is Timberline's own folder.
pub(crate) fn is_trusted(home: &Path, case: &Case) -> bool {
    TrustedCase::at(case.folder()).is_ok_and(|found| TrustFile::read(home).cases.contains(&found))
}

/// The files that queries on a case may read: any that they name once it is trusted, before that none.
pub(crate) fn files(session: &Session, case: &Case) -> FileAccess {
    if is_trusted(&session.start.home, case) {
        FileAccess::everywhere(&session.start.home)
    } else {
        FileAccess::when_trusted()
    }
}

/// Fails if a case is not trusted. `what` says what is not done because of it.
pub(crate) fn check_trusted(session: &Session, case: &Path, what: &str) -> Answer<()> {
    if is_trusted(&session.start.home, &*session.case(case)?) {
        return Ok(());
    }
    let message = format!("{what}, because this case is not trusted");
    Err(Error::new(ErrorKind::NotAllowed, message).hint("trust this case if you know who made it").into())
}

/// Trusts a case because a person says so; also one that is shown with clusters.
pub fn trust_case(session: &Session, _: &Call<'_>, request: &CasePath, _: &dyn Fn(Empty)) -> Answer<Empty> {
    let folder = named_together(&request.path).map_or(request.path.as_str(), |(_, folder)| folder);
    trust(session, &*session.case(Path::new(folder))?)?;
    Ok(Empty {})
}
