//! Real logs whose truth others established, where a folder with them is: `TIMBERLINE_DATASETS`, or
//! `shared/datasets` next to the project. They are not part of the project, because their licences differ.
//!
//! For each file its events and its first and last time are compared, and of the fields that the truth lists
//! how many events have them, how many values there are and how often the most frequent ones come. Too
//! many disagreements fail, and are then listed with what is known of each.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use ingest::{Batch, BatchColumn, NO_INT, NO_TIME, Options, Source, Values};
use serde_json::Value;
use timberline_tests::files::datasets;
use timberline_tests::report;

/// Disagreements that were looked into, and whose fault they are.
const KNOWN: &[(&str, &str)] = &[
    ("fortinet/fortigate_utm.log", "the truth takes times as UTC; the lines have a zone, which we apply"),
    ("apache_error/apache-auth.log", "lines of four other formats are mixed in and stay unparsed"),
    ("mysql_slow/mysql_slow_lnav.log", "the truth leaves out the fraction of `# Time`"),
];

/// Of the files whose truth is sure, so many must agree in events, first and last time.
const FILES_AGREE: f64 = 0.98;

/// Of the fields that the truth lists, so many must agree.
const FIELDS_AGREE: f64 = 0.95;

/// How we call what the truth calls otherwise, the likeliest first. `level` is the event's own, which has fewer
/// words than formats have.
const NAMES: &[(&str, &[&str])] = &[
    ("source", &["process"]),
    ("component", &["logger"]),
    ("client", &["ip", "client_ip"]),
    ("Channel", &["channel"]),
    ("Component", &["app", "logger", "thread", "component", "tag"]),
    ("Computer", &["host"]),
    ("EventID", &["event_id"]),
    ("Hostname", &["host"]),
    ("Level", &["level", "severity"]),
    ("Node", &["thread", "node"]),
    ("PID", &["pid"]),
    ("PRIORITY", &["level"]),
    ("Pid", &["pid"]),
    ("Process", &["thread"]),
    ("Query_time", &["duration_ms"]),
    ("Rows_examined", &["rows_examined"]),
    ("User", &["user"]),
    ("c-ip", &["client_ip"]),
    ("clientip", &["client_ip"]),
    ("cs-method", &["method"]),
    ("error_severity", &["level", "severity"]),
    ("ipv4", &["ip", "client_ip"]),
    ("kind", &["pause"]),
    ("level", &["severity"]),
    ("log.level", &["level"]),
    ("lvl", &["level"]),
    ("message_id", &["msgid"]),
    ("pri", &[PRIORITY]),
    ("procid", &["pid"]),
    ("program", &["app"]),
    ("sc-status", &["status"]),
    ("severity", &["level", "alert.severity"]),
    ("signature", &["alert.signature"]),
    ("src-ip", &["source_ip"]),
    ("status", &["level"]),
    ("unit", &["_SYSTEMD_UNIT"]),
    ("user_name", &["user"]),
    ("レベル", &["level"]),
];

/// Syslog's priority is one number in the truth, and two fields of ours.
const PRIORITY: &str = "facility+level";

/// A field of the truth that is none: loghub's own number of the template of an event.
const TEMPLATE_NUMBER: &str = "EventId";

/// A figure of the truth that is wrong, what it is by another count of the same file (a regular expression that
/// reads what the truth's left out), and what is wrong with it.
type Mended = (&'static str, &'static str, Figures<&'static [u64]>, &'static str);

const MENDED: &[Mended] = &[
    (
        "ansi_boot/boot.log",
        "status",
        Figures { present: 767, distinct: 2, top: &[762, 5] },
        "it counts OK alone, within lines too; FAILED is a status as well",
    ),
    (
        "apt_history/apt_history.log",
        "Commandline",
        Figures { present: 10, distinct: 10, top: &[1, 1, 1, 1] },
        "it cuts the command line after the second word",
    ),
    (
        "log4j_zookeeper/Zookeeper_2k.log",
        "Node",
        Figures { present: 2000, distinct: 62, top: &[574, 554, 222, 130] },
        "ZooKeeper's layout is [%t:%C{1}@%L]: the thread ends at the last colon, not at the first",
    ),
    (
        "log4j_zookeeper/Zookeeper_2k.log",
        "Component",
        Figures { present: 2000, distinct: 20, top: &[576, 557, 300, 173] },
        "likewise: the class begins after the last colon",
    ),
    (
        "mail_dovecot/dovecot-logs.log",
        "host",
        Figures { present: 15, distinct: 3, top: &[9, 5, 1] },
        "it leaves out the two lines whose time is an ISO one",
    ),
    (
        "mail_dovecot/dovecot-logs.log",
        "program",
        Figures { present: 15, distinct: 1, top: &[15] },
        "likewise",
    ),
    (
        "mysql_slow/slow019.log",
        "User",
        Figures { present: 4, distinct: 2, top: &[2, 2] },
        "it leaves out the user percona-agent, whose name has a dash",
    ),
    (
        "strace/strace_epoch.log",
        "syscall",
        Figures { present: 61, distinct: 23, top: &[8, 7, 6, 4] },
        "it leaves out the call that is resumed",
    ),
    (
        "syslog_rfc3164/auth-ubuntu1204.log",
        "program",
        Figures { present: 1000, distinct: 9, top: &[562, 216, 206, 6] },
        "it leaves out the seven lines without a host",
    ),
    (
        "syslog_rfc3164/auth-ubuntu1204.log",
        "pid",
        Figures { present: 438, distinct: 143, top: &[99, 57, 4, 3] },
        "likewise",
    ),
    (
        "timestamp_zoo/time_of_day_rollover.log",
        "level",
        Figures { present: 6, distinct: 1, top: &[6] },
        "it leaves out the two lines after midnight",
    ),
    (
        "zeek_tsv/dns.log.gz",
        "qtype_name",
        Figures { present: 53606, distinct: 10, top: &[35525, 12597, 3834, 1358] },
        "it counts `-`, by which Zeek says that there is no value",
    ),
];

/// Disagreements over fields that were looked into, and whose fault they are.
const KNOWN_FIELDS: &[(&str, &str, &str)] = &[
    (
        "apache_error/apache-auth.log",
        "ipv4",
        "two addresses are in lines of other formats, which stay unparsed",
    ),
    (
        "gc_preunified/kafkaServer-gc.log",
        "kind",
        "the truth keeps the first word alone; ours distinguishes pauses",
    ),
    ("json_broken/invalid_json.json", "lvl", "ours has seven levels: DEBUG4 and DEBUG5 are both debug"),
    ("loghub_bgl/BGL_2k.log", "Label", "ours: the mark of an alert before the time is left in the raw line"),
    ("loghub_bgl/BGL_2k.log", "Level", "ours has seven levels: SEVERE is an error"),
    (
        "loghub_proxifier/Proxifier_2k.log",
        "Program",
        "ours: a name of two words before a dash is left in the message",
    ),
    (
        "mail_postfix/postfix.log",
        "ipv4",
        "the truth takes the first address of a line; ours only the client's",
    ),
    ("syslog_rfc3164/sshd.log", "ipv4", "likewise, and the client's may be of version 6"),
    ("syslog_rfc3164/Linux_2k.log", "Component", "ours: ` -- root[2421]:` of login is taken for message"),
    ("syslog_rfc3164/Linux_2k.log", "PID", "likewise"),
];

/// What was read of a file, all its streams together.
#[derive(Default)]
struct Read {
    formats: Vec<String>,
    events: u64,
    unparsed: u64,
    first: Option<i64>,
    last: Option<i64>,
    fields: Fields,
}

/// The values of the fields that were asked for, and how often each came.
type Fields = HashMap<String, HashMap<String, u64>>;

fn read(path: &Path, fields: &[&str]) -> Read {
    let fields = fields.iter().map(|name| ((*name).to_owned(), HashMap::new())).collect();
    let mut all = Read { fields, ..Read::default() };
    for found in ingest::discover(&[path.to_path_buf()]).files {
        ingest::open(&found, &Options::default(), &mut |opened| {
            if let Ok(source) = opened.source {
                read_stream(source, &mut all);
            }
            true
        });
    }
    all
}

fn read_stream(mut source: Source<'_>, all: &mut Read) {
    // The truth counts the lines of an archive, and leaves out the binary file in it.
    if source.detection().format == "logins" {
        return;
    }
    all.formats.push(source.detection().format.clone());
    let (parser, mut settler) = (source.parser(), source.settler());
    while let Ok(Some(chunk)) = source.next_chunk() {
        let mut batch = parser.parse(chunk);
        settler.settle(&mut batch);
        all.events += batch.rows() as u64;
        all.unparsed += u64::from(batch.unparsed);
        let mut times = batch.time.iter().copied().filter(|&time| time != NO_TIME);
        all.first = all.first.or_else(|| times.clone().next());
        all.last = times.next_back().or(all.last);
        count_fields(&batch, &mut all.fields);
    }
}

fn count_fields(batch: &Batch, fields: &mut Fields) {
    if let Some(levels) = fields.get_mut("level") {
        for level in batch.level.iter().filter(|level| !level.name().is_empty()) {
            *levels.entry(level.name().to_owned()).or_default() += 1;
        }
    }
    if let Some(values) = fields.get_mut(PRIORITY)
        && let Some(facility) = batch.columns.iter().find(|column| &*column.name == "facility")
    {
        for row in 0..batch.rows() {
            if let Some(facility) = value(batch, facility, row) {
                *values.entry(format!("{facility}.{}", batch.level[row].name())).or_default() += 1;
            }
        }
    }
    for column in &batch.columns {
        if let Some(values) = fields.get_mut(&*column.name) {
            for value in (0..batch.rows()).filter_map(|row| value(batch, column, row)) {
                *values.entry(value).or_default() += 1;
            }
        }
    }
}

fn value(batch: &Batch, column: &BatchColumn, row: usize) -> Option<String> {
    match &column.values {
        Values::Text(spans) => {
            (!spans[row].is_missing()).then(|| String::from_utf8_lossy(batch.text(spans[row])).into_owned())
        }
        Values::Int(values) => (values[row] != NO_INT).then(|| values[row].to_string()),
        Values::Float(values) => (!values[row].is_nan()).then(|| values[row].to_string()),
        Values::Bool(values) => values[row].map(|value| value.to_string()),
    }
}

/// What the truth says of a field, or what we read of it.
#[derive(Debug, PartialEq)]
struct Figures<Top = Vec<u64>> {
    present: u64,
    distinct: u64,
    /// How often the most frequent values come, falling.
    top: Top,
}

/// The truth lists so many of the most frequent values.
const TOP: usize = 4;

impl Figures {
    fn of_values(values: &HashMap<String, u64>) -> Figures {
        let mut top: Vec<u64> = values.values().copied().collect();
        top.sort_unstable_by(|a, b| b.cmp(a));
        let (present, distinct) = (top.iter().sum(), top.len() as u64);
        top.truncate(TOP);
        Figures { present, distinct, top }
    }

    /// As the truth counts, and as it would count where a dash alone is no value.
    fn of_truth(truth: &Value) -> Vec<Figures> {
        let count = |value: &Value| value.as_u64().unwrap_or(0);
        let tops: BTreeMap<&str, u64> = truth["top"]
            .as_object()
            .map(|tops| tops.iter().map(|(value, times)| (value.as_str(), count(times))).collect())
            .unwrap_or_default();
        let figures = |dashes: u64| {
            let mut top: Vec<u64> = tops
                .iter()
                .filter(|(value, _)| dashes == 0 || **value != "-")
                .map(|(_, times)| *times)
                .collect();
            top.sort_unstable_by(|a, b| b.cmp(a));
            let distinct = count(&truth["distinct"]) - u64::from(dashes > 0);
            Figures { present: count(&truth["present"]) - dashes, distinct, top }
        };
        vec![figures(0), figures(tops.get("-").copied().unwrap_or(0))]
    }

    /// Where a dash was among the truth's most frequent values, one of ours is further down.
    fn agrees_with(&self, truth: &Figures) -> bool {
        self.present == truth.present
            && self.distinct == truth.distinct
            && self.top.iter().zip(&truth.top).all(|(ours, truth)| ours == truth)
    }
}

/// Our names for a field of the truth: its own, and those of the table.
fn our_names(name: &str) -> Vec<&str> {
    let known = NAMES.iter().find(|(known, _)| *known == name).map_or(&[][..], |(_, ours)| ours);
    std::iter::once(name).chain(known.iter().copied()).collect()
}

/// How many of a file's fields agree, of how many; those that do not are added to what differs.
fn fields_agreeing(path: &str, truth: &Value, found: &Read, differing: &mut Vec<String>) -> (u32, u32) {
    let (mut agree, mut all) = (0, 0);
    for (name, truth) in truth.as_object().into_iter().flatten() {
        if name == TEMPLATE_NUMBER {
            continue;
        }
        all += 1;
        let mut expected = Figures::of_truth(truth);
        if let Some((_, _, mended, _)) =
            MENDED.iter().find(|(known, field, ..)| *known == path && *field == name)
        {
            let Figures { present, distinct, top } = *mended;
            expected = vec![Figures { present, distinct, top: top.to_vec() }];
        }
        let ours: Vec<(&str, Figures)> =
            our_names(name).into_iter().map(|name| (name, Figures::of_values(&found.fields[name]))).collect();
        let ours = ours.into_iter().filter(|(_, figures)| figures.present > 0).collect::<Vec<_>>();
        let is_alike =
            |(_, ours): &(&str, Figures)| expected.iter().any(|expected| ours.agrees_with(expected));
        if ours.iter().any(is_alike) {
            agree += 1;
            continue;
        }
        let known = KNOWN_FIELDS.iter().find(|(known, field, _)| *known == path && *field == name);
        let why = known.map_or("", |(_, _, why)| why);
        differing.push(format!("{path} {name}: {expected:?} {}; ours {ours:?}; {why}", truth["top"]));
    }
    (agree, all)
}

/// Whether an instant is what the truth says: to the microsecond, in the precision of the truth (`?` where it
/// does not). Seconds since a start have no place in time to compare.
fn is_time(ns: Option<i64>, truth: &str) -> bool {
    if truth.is_empty() || truth.starts_with("uptime") {
        return true;
    }
    let Some(time) = ns.and_then(|ns| jiff::Timestamp::from_nanosecond(i128::from(ns)).ok()) else {
        return false;
    };
    let micros = |text: &str| {
        let (seconds, fraction) =
            text.trim_end_matches('Z').split_once('.').unwrap_or((text.trim_end_matches('Z'), ""));
        format!("{seconds}.{:0<6}", &fraction[..fraction.len().min(6)])
    };
    let (ours, truth) = (micros(&time.to_string()), micros(truth));
    ours.len() == truth.len()
        && ours.bytes().zip(truth.bytes()).all(|(ours, truth)| truth == b'?' || ours == truth)
}

#[test]
fn real_files_read_as_their_truth_says() {
    let folder = match datasets() {
        Ok(folder) => folder,
        Err(reason) => return report::skipped(&reason),
    };
    let table = std::fs::read_to_string(folder.join("TRUTH.tsv")).expect("the truth is text");
    let mut lines = table.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let names = lines.next().expect("a line of names");
    let column =
        |name: &str| names.iter().position(|known| *known == name).expect("the truth has this column");
    let (path, events, first, last, quality, fields) = (
        column("path"),
        column("events"),
        column("first_event_ts"),
        column("last_event_ts"),
        column("quality"),
        column("fields"),
    );
    let (mut sure, mut agree) = (0, 0);
    let (mut fields_listed, mut fields_agree) = (0, 0);
    let mut differing = Vec::new();
    for row in lines {
        let truth: Value = serde_json::from_str(row[fields]).unwrap_or_default();
        let asked: Vec<&str> =
            truth.as_object().into_iter().flatten().flat_map(|(name, _)| our_names(name)).collect();
        let found = read(&folder.join(row[path]), &asked);
        let (fields_of_file, listed_of_file) = fields_agreeing(row[path], &truth, &found, &mut differing);
        fields_agree += fields_of_file;
        fields_listed += listed_of_file;
        let expected: u64 = row[events].parse().expect("a count");
        let counted = found.events == expected || found.events - found.unparsed == expected;
        let agrees = counted && is_time(found.first, row[first]) && is_time(found.last, row[last]);
        let is_sure = matches!(row[quality], "A" | "B");
        sure += u32::from(is_sure);
        agree += u32::from(is_sure && agrees);
        if !agrees {
            let known = KNOWN.iter().find(|(known, _)| *known == row[path]).map_or("", |(_, why)| why);
            differing.push(format!(
                "{} ({}, {}): {} events, {} unparsed for {expected}; {:?} to {:?} for {} to {}; {known}",
                row[path],
                row[quality],
                found.formats.join("+"),
                found.events,
                found.unparsed,
                found.first.map(shown),
                found.last.map(shown),
                row[first],
                row[last],
            ));
        }
    }
    let agreeing =
        format!("{agree} of {sure} real files and {fields_agree} of {fields_listed} of their fields");
    report::figure(&format!("{agreeing} read as their truth says"));
    let is_enough = |agree: u32, all: u32, share: f64| f64::from(agree) >= f64::from(all) * share;
    assert!(
        is_enough(agree, sure, FILES_AGREE) && is_enough(fields_agree, fields_listed, FIELDS_AGREE),
        "only {agreeing} agree:\n{}",
        differing.join("\n")
    );
}

fn shown(ns: i64) -> String {
    jiff::Timestamp::from_nanosecond(i128::from(ns)).map_or_else(|_| "?".to_owned(), |time| time.to_string())
}
