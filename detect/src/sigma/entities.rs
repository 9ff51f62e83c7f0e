//! The host, the user and the process of an event, by the fields that formats put them in.

use indexer::{Cancel, CodedColumn, Result, SnapshotSegment};
use serde::{Deserialize, Serialize};

use crate::limits::ENTITY_BYTES;

/// Names without spaces, underscores and dashes, in lower case, the likeliest first. A field has such a name as a whole or as
/// its last part.
const HOSTS: &[&str] =
    &["computer", "computername", "host.name", "hostname", "host", "devicename", "devname", "agent.hostname"];
const USERS: &[&str] = &[
    "user",
    "subjectusername",
    "targetusername",
    "username",
    "user.name",
    "sourceuser",
    "detectionuser",
    "modifyinguser",
    "useridentity.username",
    "useridentity.arn",
    "userprincipalname",
    "user.username",
    "authenticationinfo.principalemail",
    "actor.alternateid",
    "acct",
    "suser",
    "userid",
    "actor",
    "usersid",
    "subjectusersid",
    "accountname",
    "auid",
    "uid",
];
const PROCESSES: &[&str] = &[
    "image",
    "newprocessname",
    "processname",
    "sourceimage",
    "processpath",
    "process.executable",
    "process.name",
    "applicationpath",
    "modifyingapplication",
    "application",
    "callerprocessname",
    "exe",
    "comm",
    "process",
    "program",
    "app",
];
/// Of a logon the target is the user, and the subject is the process that asked.
const LOGON: &str = "logontype";
const TARGET: &str = "targetusername";

/// A value and the field of the case that it is in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct EntityValue {
    pub field: String,
    pub value: String,
}

/// Who did something, and where.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Entities {
    pub host: Option<EntityValue>,
    pub user: Option<EntityValue>,
    pub process: Option<EntityValue>,
}

impl Entities {
    pub fn each(&self) -> impl Iterator<Item = &EntityValue> {
        [&self.host, &self.user, &self.process].into_iter().flatten()
    }
}

/// The columns of a segment that such values may be in, the likeliest first.
pub struct EntityColumns {
    hosts: Vec<(String, CodedColumn)>,
    users: Vec<(String, CodedColumn)>,
    targets: Vec<(String, CodedColumn)>,
    processes: Vec<(String, CodedColumn)>,
    logons: Vec<(String, CodedColumn)>,
}

impl EntityColumns {
    pub fn new(rows: &SnapshotSegment<'_>, cancel: &Cancel) -> Result<EntityColumns> {
        let fields: Vec<(String, &str, &str)> =
            rows.fields().map(|(name, column, _)| (squashed(name), name, column)).collect();
        let columns = |names: &[&str]| -> Result<Vec<(String, CodedColumn)>> {
            let mut found = Vec::new();
            for wanted in names {
                for (squashed, name, column) in &fields {
                    let is_it = squashed
                        .strip_suffix(*wanted)
                        .is_some_and(|before| before.is_empty() || before.ends_with('.'));
                    if is_it {
                        found.push(((*name).to_owned(), rows.column(column, cancel)?));
                    }
                }
            }
            Ok(found)
        };
        Ok(EntityColumns {
            hosts: columns(HOSTS)?,
            users: columns(USERS)?,
            targets: columns(&[TARGET])?,
            processes: columns(PROCESSES)?,
            logons: columns(&[LOGON])?,
        })
    }

    pub fn entities(&self, row: usize) -> Entities {
        let is_logon = first(&self.logons, row).is_some();
        let target = if is_logon { first(&self.targets, row) } else { None };
        Entities {
            host: first(&self.hosts, row),
            user: target.or_else(|| first(&self.users, row)),
            process: first(&self.processes, row),
        }
    }
}

/// The first value that says something.
fn first(columns: &[(String, CodedColumn)], row: usize) -> Option<EntityValue> {
    columns.iter().find_map(|(field, column)| {
        let value = column.text(column.code(row))?;
        let is_one = !matches!(value.trim(), "" | "-" | "N/A" | "(null)" | "null");
        is_one.then(|| EntityValue { field: field.clone(), value: cut(&value).to_owned() })
    })
}

/// The start of a value, no longer than [`ENTITY_BYTES`].
fn cut(value: &str) -> &str {
    &value[..value.floor_char_boundary(ENTITY_BYTES)]
}

/// A name without the characters that formats write differently.
pub fn squashed(name: &str) -> String {
    name.chars().filter(|letter| !matches!(letter, ' ' | '_' | '-')).flat_map(char::to_lowercase).collect()
}
