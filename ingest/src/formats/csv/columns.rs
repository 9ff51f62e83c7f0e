//! The names and meanings of table columns, in the languages in which Windows exports them.

use memchr::memchr;

use crate::batch::Level;
use crate::formats::syslog::is_facility;
use crate::level;
use crate::level_words::from_word_of_any_language;
use crate::table::{ColumnRole, TableColumn};

/// Names of columns that contain the time of an event, the most reliable first, compared case-insensitively.
const TIMES: [&str; 36] = [
    "@timestamp",
    "timestamp",
    "time",
    "datetime",
    "date_time",
    "date-time",
    "TimeCreated",
    "TimeGenerated",
    "EventTime",
    "event_time",
    "Date and Time",
    "日付と時刻",
    "Datum und Uhrzeit",
    "Date et heure",
    "Fecha y hora",
    "Data e ora",
    "Data e hora",
    "Datum en tijd",
    "Дата и время",
    "날짜 및 시간",
    "日期和时间",
    "日期和時間",
    "Data i godzina",
    "Datum och tid",
    "Datum a čas",
    "Tarih ve Saat",
    "log_time",
    "logged",
    "_time",
    "ts",
    "start_time",
    "StartTime",
    "created_at",
    "created",
    "date",
    "eventtimestamp",
];

/// How likely a column with this name contains the time; lower is better.
pub(super) fn time_rank(name: &[u8]) -> Option<usize> {
    let name = std::str::from_utf8(name).ok()?.trim();
    TIMES.iter().position(|known| known.to_lowercase() == name.to_lowercase())
}

const LEVELS: [&str; 24] = [
    "level",
    "severity",
    "lvl",
    "loglevel",
    "log_level",
    "log level",
    "levelname",
    "error_severity",
    "LevelDisplayName",
    "EntryType",
    "レベル",
    "Ebene",
    "Stufe",
    "Niveau",
    "Nivel",
    "Nível",
    "Livello",
    "Уровень",
    "级别",
    "層級",
    "等級",
    "수준",
    "Poziom",
    "Nivå",
];

/// Names of columns that contain the zone of the time.
const ZONES: [&str; 8] =
    ["timezone", "time zone", "time_zone", "tz", "tz_offset", "utc_offset", "utc offset", "gmt offset"];

const TEXTS: [&str; 6] = ["message", "msg", "description", "説明", "Beschreibung", "text"];

pub(super) fn role(name: &[u8]) -> ColumnRole {
    let Ok(name) = std::str::from_utf8(name) else { return ColumnRole::Field };
    let is = |known: &&str| known.to_lowercase() == name.to_lowercase();
    if LEVELS.iter().any(is) {
        ColumnRole::Level
    } else if TEXTS.iter().any(is) {
        ColumnRole::Text
    } else if ZONES.iter().any(is) {
        ColumnRole::Zone
    } else {
        ColumnRole::Field
    }
}

/// The level for a value of a level column, perhaps in brackets.
pub(super) fn level(value: &[u8]) -> Option<Level> {
    let value = match value {
        [b'[', inner @ .., b']'] | [b'(', inner @ .., b')'] | [b'<', inner @ .., b'>'] => inner.trim_ascii(),
        bare => bare,
    };
    if let Some(level) = level::from_word(value) {
        return Some(level);
    }
    if let [letter] = value {
        return level::from_letter(*letter);
    }
    // A collector's facility and severity.
    if let Some(at) = memchr(b'.', value)
        && is_facility(&value[..at])
    {
        return level::from_word(&value[at + 1..]);
    }
    // PostgreSQL numbers its debug levels.
    if let [word @ .., b'1'..=b'5'] = value {
        return level::from_word(word);
    }
    // PostgreSQL's word for messages to the server's operator.
    if value == b"LOG" {
        return Some(Level::Info);
    }
    from_word_of_any_language(value)
}

/// The level for a value of a column that is named like one: also a risk, and Windows' word for audits.
pub(super) fn named_level(value: &[u8]) -> Option<Level> {
    if value == b"LogAlways" {
        return Some(Level::Info);
    }
    level(value).or_else(|| level::from_risk(value))
}

/// Whether a value is the name of a type, as some exports have them in the row below the names.
pub(super) fn is_type(value: &[u8]) -> bool {
    const TYPES: [&[u8]; 18] = [
        b"INTEGER",
        b"INT",
        b"BIGINT",
        b"SMALLINT",
        b"VARCHAR",
        b"NVARCHAR",
        b"CHAR",
        b"TEXT",
        b"STRING",
        b"DATE",
        b"DATETIME",
        b"TIMESTAMP",
        b"DOUBLE",
        b"FLOAT",
        b"DECIMAL",
        b"NUMERIC",
        b"BOOLEAN",
        b"UNIQUEIDENTIFIER",
    ];
    let name = value.split(|&byte| byte == b'(').next().unwrap_or_default();
    TYPES.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// The columns of PostgreSQL's csvlog, which has no header: 23 up to version 12, 24 in 13, 26 since 14.
const POSTGRESQL: [&str; 26] = [
    "time",
    "user",
    "database",
    "pid",
    "connection_from",
    "session_id",
    "session_line_num",
    "command_tag",
    "session_start_time",
    "virtual_transaction_id",
    "transaction_id",
    "error_severity",
    "sql_state_code",
    "message",
    "detail",
    "hint",
    "internal_query",
    "internal_query_pos",
    "context",
    "query",
    "query_pos",
    "location",
    "application_name",
    "backend_type",
    "leader_pid",
    "query_id",
];

/// Whether a table with this row and no header is PostgreSQL's.
pub(super) fn is_postgresql(cells: &[&[u8]]) -> bool {
    let is_state = |cell: &[u8]| cell.len() == 5 && cell.iter().all(u8::is_ascii_alphanumeric);
    (23..=26).contains(&cells.len())
        && cells.get(12).is_some_and(|cell| is_state(cell))
        && cells.get(11).is_some_and(|severity| level(severity).is_some())
}

/// Columns of a table without a header: PostgreSQL's if the number fits, otherwise columns without names.
pub(super) fn without_header(count: usize, time_columns: [Option<usize>; 2]) -> Vec<TableColumn> {
    let is_postgresql = (23..=26).contains(&count) && time_columns == [Some(0), None];
    let column = |index: usize| {
        let name =
            if is_postgresql { POSTGRESQL[index].to_string() } else { format!("column_{}", index + 1) };
        let role = match time_columns {
            [Some(time), None] if time == index => ColumnRole::Time,
            [Some(date), Some(_)] if date == index => ColumnRole::Date,
            [_, Some(time)] if time == index => ColumnRole::TimeOfDay,
            // States such as 00000 and 42601 are codes, not numbers, and names may look like anything.
            _ if is_postgresql && matches!(index, 1 | 2 | 5 | 7 | 9 | 12..=16 | 18 | 19 | 21..=23) => {
                ColumnRole::Text
            }
            _ => role(name.as_bytes()),
        };
        TableColumn { name: name.into_bytes().into(), role }
    };
    (0..count).map(column).collect()
}
