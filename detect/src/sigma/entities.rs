//! The host, the user and the process of an event, by the fields that formats put them in.

use indexer::query::{Filter, Op, Test as FieldTest};
use indexer::{Cancel, CodedColumn, FieldKind, Result, SnapshotSegment};
use serde::{Deserialize, Serialize};

use crate::evidence::{all, any, field_filter, without_value};
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
        let fields: Vec<(&str, &str)> = rows.fields().map(|(name, column, _)| (name, column)).collect();
        let columns = |names: &[&str]| -> Result<Vec<(String, CodedColumn)>> {
            let mut found = Vec::new();
            for name in likely(names, fields.iter().map(|(name, _)| *name)) {
                for (_, column) in fields.iter().filter(|(known, _)| *known == name) {
                    found.push((name.to_owned(), rows.column(column, cancel)?));
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

/// The fields that have one of the names, the likeliest first; in every segment in the same order.
fn likely<'f>(names: &[&str], fields: impl Iterator<Item = &'f str>) -> Vec<&'f str> {
    let place = |field: &str| {
        let squashed = squashed(field);
        names.iter().position(|name| {
            let before = squashed.strip_suffix(*name);
            before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
        })
    };
    let mut found: Vec<(usize, &str)> = fields.filter_map(|field| Some((place(field)?, field))).collect();
    found.sort_unstable();
    found.dedup();
    found.into_iter().map(|(_, field)| field).collect()
}

/// The fields of a case that hosts, users and processes are in, for queries.
#[derive(Debug)]
pub struct EntityFields<'a> {
    kinds: &'a [(String, Vec<FieldKind>)],
    hosts: Vec<&'a str>,
    users: Vec<&'a str>,
    targets: Vec<&'a str>,
    processes: Vec<&'a str>,
    logons: Vec<&'a str>,
}

impl<'a> EntityFields<'a> {
    pub fn new(kinds: &'a [(String, Vec<FieldKind>)]) -> EntityFields<'a> {
        let of = |names: &[&str]| likely(names, kinds.iter().map(|(name, _)| name.as_str()));
        EntityFields {
            kinds,
            hosts: of(HOSTS),
            users: of(USERS),
            targets: of(&[TARGET]),
            processes: of(PROCESSES),
            logons: of(&[LOGON]),
        }
    }

    /// A filter for the events with exactly these, as [`EntityColumns::entities`] reads them. Nothing if one of the values
    /// was cut, which says nothing about the whole one.
    pub fn filter(&self, entities: &Entities) -> Option<Filter> {
        let is_cut = entities.each().any(|entity| entity.value.len() > ENTITY_BYTES - char::MAX.len_utf8());
        (!is_cut).then(|| {
            all(vec![
                self.first_is(&self.hosts, entities.host.as_ref()),
                self.user(entities.user.as_ref()),
                self.first_is(&self.processes, entities.process.as_ref()),
            ])
        })
    }

    fn user(&self, user: Option<&EntityValue>) -> Filter {
        let as_user = self.first_is(&self.users, user);
        // Each target is among the users, so an event without a user has no target either.
        let Some(user) = user.filter(|_| !self.targets.is_empty() && !self.logons.is_empty()) else {
            return as_user;
        };
        let none = |fields: &[&str]| all(fields.iter().map(|field| self.says_nothing(field)).collect());
        let mut ways = vec![all(vec![any(vec![none(&self.logons), none(&self.targets)]), as_user])];
        if self.targets.contains(&user.field.as_str()) {
            let is_logon = Filter::Not(Box::new(none(&self.logons)));
            ways.push(all(vec![is_logon, self.first_is(&self.targets, Some(user))]));
        }
        any(ways)
    }

    /// The first of the fields that says something has this value; none does if there is no value.
    fn first_is(&self, fields: &[&str], wanted: Option<&EntityValue>) -> Filter {
        let place = wanted.map_or(fields.len(), |wanted| {
            fields.iter().position(|field| *field == wanted.field).unwrap_or(fields.len())
        });
        let mut parts: Vec<Filter> = fields[..place].iter().map(|field| self.says_nothing(field)).collect();
        if let Some(EntityValue { field, value }) = wanted {
            parts.push(field_filter(field, FieldTest::Compare(Op::Equal, value.clone())));
        }
        all(parts)
    }

    fn says_nothing(&self, field: &str) -> Filter {
        let kinds = self.kinds.iter().find(|(name, _)| name == field).map_or(&[][..], |(_, kinds)| kinds);
        without_value(field, kinds, NOTHING)
    }
}

/// A field that has no value, as formats write it.
const NOTHING: &str = r"^\s*(-|N/A|\(null\)|null)?\s*$";

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
