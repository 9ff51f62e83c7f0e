//! The layouts of records, and how one is recognised.

use std::cmp::Reverse;

use super::used::{USER_BYTES, USER_MARK};
use crate::limits;

/// The purpose of a file of such records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LoginFile {
    /// utmp and wtmp: logins, logouts, starts of the system.
    Logins,
    /// btmp: logins that failed.
    Failed,
    /// lastlog: the last login of each user.
    Last,
    /// The records of a lastlog that are used, each after its user id.
    LastUsed,
}

/// How the records of a file are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LoginLayout {
    pub file: LoginFile,
    /// Times have 64 bits, as on ARM and RISC-V of that width; elsewhere they have 32.
    pub is_wide: bool,
    pub is_big_endian: bool,
}

impl LoginLayout {
    fn all(file: LoginFile) -> impl Iterator<Item = LoginLayout> {
        [(false, false), (true, false), (false, true), (true, true)]
            .into_iter()
            .map(move |(is_wide, is_big_endian)| LoginLayout { file, is_wide, is_big_endian })
    }

    /// Its name as that of an encoding: `wtmp`, `btmp-64`, `lastlog-be`.
    pub(crate) fn name(self) -> String {
        let file = match self.file {
            LoginFile::Logins => "wtmp",
            LoginFile::Failed => "btmp",
            LoginFile::Last => "lastlog",
            LoginFile::LastUsed => "lastlog-used",
        };
        let width = if self.is_wide { "-64" } else { "" };
        let order = if self.is_big_endian { "-be" } else { "" };
        format!("{file}{width}{order}")
    }

    pub(crate) fn named(name: &str) -> Option<LoginLayout> {
        let files = [LoginFile::Logins, LoginFile::Failed, LoginFile::Last, LoginFile::LastUsed];
        files.into_iter().flat_map(LoginLayout::all).find(|layout| layout.name() == name)
    }

    pub(crate) fn record_bytes(self) -> usize {
        match (self.last_login_at(), self.is_wide) {
            (Some(at), false) => at + 292,
            (Some(at), true) => at + 296,
            (None, false) => 384,
            (None, true) => 400,
        }
    }

    /// Where a record of lastlog begins: with its time, the terminal and the host follow.
    fn last_login_at(self) -> Option<usize> {
        match self.file {
            LoginFile::Last => Some(0),
            LoginFile::LastUsed => Some(USER_BYTES),
            LoginFile::Logins | LoginFile::Failed => None,
        }
    }

    /// Where a record of lastlog has the terminal; the host follows.
    pub(crate) fn last_terminal_at(self) -> Option<usize> {
        self.last_login_at().map(|at| at + if self.is_wide { 8 } else { 4 })
    }

    /// The user id that a record has, if its place in the file is not the user id.
    pub(crate) fn user(self, record: &[u8]) -> Option<u64> {
        let id = record.get(USER_MARK.len()..USER_BYTES).filter(|_| self.file == LoginFile::LastUsed)?;
        id.try_into().ok().map(u64::from_le_bytes)
    }

    /// A number of this many bytes; 0 beyond the end of the record.
    pub(crate) fn number(self, record: &[u8], at: usize, bytes: usize) -> u64 {
        let Some(digits) = record.get(at..at + bytes) else { return 0 };
        let add = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        if self.is_big_endian { digits.iter().fold(0, add) } else { digits.iter().rev().fold(0, add) }
    }

    /// Whether a record can be one of this layout. One of zeros alone holds nothing. Texts may be anything: in a btmp
    /// they are what somebody typed who did not get in.
    pub(crate) fn fits(self, record: &[u8]) -> bool {
        let seconds = self.seconds(record);
        let is_time = seconds == 0 || (FIRST_SECOND..LAST_SECOND).contains(&seconds);
        if let Some(terminal) = self.last_terminal_at() {
            // Nothing else tells what the bytes are, so the rest of a text's field has to be empty.
            let is_padded = |at: usize, length: usize| {
                let end = at + text_field(record, at, length).len();
                record[end..at + length].iter().all(|&byte| byte == 0)
            };
            let has_user = self.file == LoginFile::Last || record.starts_with(USER_MARK);
            return has_user && is_time && is_padded(terminal, 32) && is_padded(terminal + 32, 256);
        }
        self.number(record, 0, 2) <= LAST_KIND
            && record.get(2..4) == Some(&[0, 0])
            && is_time
            && self.micros(record) < 1_000_000
    }

    /// Whether a record that fits looks like one: other data fits too.
    fn is_likely(self, record: &[u8]) -> bool {
        let is_text =
            |at: usize, length: usize| text_field(record, at, length).iter().all(|&byte| byte >= b' ');
        if let Some(terminal) = self.last_terminal_at() {
            return is_text(terminal, 32) && is_text(terminal + 32, 256);
        }
        // The bytes after the address are in no use.
        let has_empty_end = || record[self.address_at() + 16..].iter().all(|&byte| byte == 0);
        is_text(8, 32) && is_text(44, 32) && is_text(76, 256)
            || self.file == LoginFile::Failed && has_empty_end()
    }

    pub(crate) fn seconds(self, record: &[u8]) -> u64 {
        match (self.last_login_at(), self.is_wide) {
            (Some(at), false) => self.number(record, at, 4),
            (Some(at), true) => self.number(record, at, 8),
            (None, false) => self.number(record, 340, 4),
            (None, true) => self.number(record, 344, 8),
        }
    }

    pub(crate) fn micros(self, record: &[u8]) -> u64 {
        match (self.last_login_at(), self.is_wide) {
            (Some(_), _) => 0,
            (None, false) => self.number(record, 344, 4),
            (None, true) => self.number(record, 352, 8),
        }
    }

    /// Where the address begins, in the byte order of networks.
    pub(crate) fn address_at(self) -> usize {
        if self.is_wide { 360 } else { 348 }
    }
}

/// Accounting, the last kind of a record.
const LAST_KIND: u64 = 9;

/// A clock that was never set begins in 1970; no such file is from before, or from after 2100.
const FIRST_SECOND: u64 = 1;
const LAST_SECOND: u64 = 4_102_444_800;
/// A login from before 1990 is only the noise of other data.
const LIKELY_SECOND: u64 = 631_152_000;
/// In the other byte order most times are later.
const LAST_EARLY_SECOND: u64 = i32::MAX as u64;

/// The text in a field of fixed length, up to its first zero.
pub(crate) fn text_field(record: &[u8], at: usize, length: usize) -> &[u8] {
    let end = record.len().min(at + length);
    let field = record.get(at..end).unwrap_or_default();
    &field[..memchr::memchr(0, field).unwrap_or(field.len())]
}

/// The layout of a file of login records that begins like this. `name` is that of the file: what its records
/// are of is in no byte of it.
pub(crate) fn detect(sample: &[u8], name: &str) -> Option<LoginLayout> {
    // Text has no zero so early.
    memchr::memchr(0, &sample[..sample.len().min(64)])?;
    // Other data often fits the records of lastlog, so only the name says that a file is one.
    if !is_lastlog(name) {
        let is_failed = last_part(name).contains("btmp");
        return best(sample, if is_failed { LoginFile::Failed } else { LoginFile::Logins });
    }
    // A time may be these bytes as well.
    if sample.starts_with(USER_MARK)
        && let Some(layout) = best(sample, LoginFile::LastUsed)
    {
        return Some(layout);
    }
    let narrow = LoginLayout { file: LoginFile::Last, is_wide: false, is_big_endian: false };
    match best(sample, LoginFile::Last) {
        Some(layout) => Some(layout),
        // The first users have not logged in.
        None => sample.iter().all(|&byte| byte == 0).then_some(narrow),
    }
}

pub(super) fn is_lastlog(name: &str) -> bool {
    last_part(name).starts_with("lastlog")
}

fn last_part(name: &str) -> String {
    name.rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase()
}

/// The layout that most of the first records fit, if nearly all that are not empty do.
pub(super) fn best(sample: &[u8], file: LoginFile) -> Option<LoginLayout> {
    let rank = |layout: LoginLayout| {
        let records = sample.chunks_exact(layout.record_bytes());
        let records = records.filter(|record| record.iter().any(|&byte| byte != 0));
        let (mut fitting, mut likely, mut early, mut all) = (0, 0, 0, 0);
        for record in records.take(limits::LOGIN_SAMPLE_RECORDS) {
            let fits = layout.fits(record) && layout.is_likely(record);
            let is_used = match layout.last_terminal_at() {
                Some(terminal) => !text_field(record, terminal, 32).is_empty(),
                None => layout.number(record, 0, 2) > 0,
            };
            all += 1;
            fitting += usize::from(fits);
            let seconds = layout.seconds(record);
            likely += usize::from(fits && is_used && seconds >= LIKELY_SECOND);
            early += usize::from(fits && is_used && (LIKELY_SECOND..=LAST_EARLY_SECOND).contains(&seconds));
        }
        (likely > 0 && fitting * 10 >= all * 9).then_some(((early, likely), layout))
    };
    // Of those alike the first, which most machines have.
    LoginLayout::all(file)
        .filter_map(rank)
        .min_by_key(|(likely, _)| Reverse(*likely))
        .map(|(_, layout)| layout)
}

/// Where to cut bytes that begin with a record, so that about this many precede the cut.
pub(crate) fn cut(layout: LoginLayout, bytes: &[u8], about: usize) -> Option<usize> {
    let size = layout.record_bytes();
    let records = (about.min(bytes.len()) / size).max(1);
    (records * size <= bytes.len()).then_some(records * size)
}
