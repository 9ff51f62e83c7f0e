//! The formats, one per file, and the table that lists them.
//!
//! A format is a name, a table of columns and a reader for one event. Detection uses the same reader, so a
//! new format is one new file (with its sample lines as its test) and one new line in [`FORMATS`].

pub(crate) mod access;
pub(crate) mod apache_error;
pub(crate) mod apple;
pub(crate) mod apt;
pub(crate) mod atlassian;
pub(crate) mod auditd;
pub(crate) mod aws;
pub(crate) mod bacula;
pub(crate) mod bind;
pub(crate) mod boot;
pub(crate) mod cef;
pub(crate) mod chromium;
pub(crate) mod ci;
pub(crate) mod cloud_init;
pub(crate) mod cmtrace;
pub(crate) mod compose;
pub(crate) mod cri;
pub(crate) mod csv;
pub(crate) mod dmesg;
pub(crate) mod dpkg;
pub(crate) mod eclipse;
pub(crate) mod envoy;
pub(crate) mod erlang;
pub(crate) mod exim;
pub(crate) mod fail2ban;
pub(crate) mod fortinet;
pub(crate) mod gc;
pub(crate) mod gitlab;
pub(crate) mod glog;
pub(crate) mod haproxy;
pub(crate) mod hclog;
pub(crate) mod hl7;
pub(crate) mod ibmmq;
pub(crate) mod journal;
pub(crate) mod json;
pub(crate) mod karaf;
pub(crate) mod lockdownd;
pub(crate) mod logcat;
pub(crate) mod logfmt;
pub(crate) mod ltsv;
pub(crate) mod mongodb;
pub(crate) mod mssql;
pub(crate) mod mysql;
pub(crate) mod mysql_slow;
pub(crate) mod nagios;
pub(crate) mod nginx_error;
pub(crate) mod openvpn;
pub(crate) mod oracle;
pub(crate) mod panos;
pub(crate) mod perforce;
pub(crate) mod postgres;
pub(crate) mod proftpd;
pub(crate) mod proxy_manager;
pub(crate) mod rails;
pub(crate) mod records;
pub(crate) mod redis;
pub(crate) mod routeros;
pub(crate) mod rspamd;
pub(crate) mod samba;
pub(crate) mod sections;
pub(crate) mod shell_history;
pub(crate) mod snort;
pub(crate) mod squid;
pub(crate) mod strace;
pub(crate) mod suexec;
pub(crate) mod syslog;
pub(crate) mod text;
pub(crate) mod tidb;
pub(crate) mod trace_listener;
pub(crate) mod uwsgi;
pub(crate) mod varnish;
pub(crate) mod vpcflow;
pub(crate) mod vsftpd;
pub(crate) mod w3c;
pub(crate) mod weblogic;
pub(crate) mod websphere;
pub(crate) mod windows;
pub(crate) mod windows_xml;
pub(crate) mod xferlog;
mod xml_elements;
pub(crate) mod xml_records;
pub(crate) mod xorg;
pub(crate) mod yum;
pub(crate) mod zeek;

use std::sync::Arc;

use crate::custom::Definition;
use crate::frame::Framing;
use crate::late_layouts::LineStart;
use crate::logins::LoginLayout;
use crate::rows::{Rows, Schema};
use crate::time::field::{TimeField, TimeFieldOption};
use crate::time::numeric_date::DateOrder;
use crate::time::rules::TimeRules;
use crate::time::zone::Zone;

/// Every format, in the order of preference when two fit equally well.
pub(crate) static FORMATS: &[&Format] = &[
    &access::FORMAT,
    &json::FORMAT,
    &auditd::FORMAT,
    &cef::FORMAT,
    &fortinet::FORMAT,
    &panos::FORMAT,
    &ltsv::FORMAT,
    &w3c::FORMAT,
    &zeek::FORMAT,
    &aws::ELB,
    &aws::S3,
    &vpcflow::FORMAT,
    &hclog::FORMAT,
    &hl7::FORMAT,
    &tidb::FORMAT,
    &trace_listener::FORMAT,
    &eclipse::FORMAT,
    &perforce::FORMAT,
    &varnish::FORMAT,
    &syslog::FORMAT,
    &nginx_error::FORMAT,
    &apache_error::FORMAT,
    &envoy::FORMAT,
    &uwsgi::FORMAT,
    &proxy_manager::FORMAT,
    &atlassian::FORMAT,
    &squid::FORMAT,
    &snort::FORMAT,
    &suexec::FORMAT,
    &vsftpd::FORMAT,
    &xferlog::FORMAT,
    &fail2ban::FORMAT,
    &proftpd::FORMAT,
    &openvpn::FORMAT,
    &exim::FORMAT,
    &bacula::FORMAT,
    &bind::FORMAT,
    &dmesg::FORMAT,
    &xorg::FORMAT,
    &logcat::FORMAT,
    &apple::FORMAT,
    &lockdownd::FORMAT,
    &dpkg::FORMAT,
    &yum::FORMAT,
    &cloud_init::FORMAT,
    &strace::FORMAT,
    &routeros::FORMAT,
    &samba::FORMAT,
    &gitlab::FORMAT,
    &haproxy::FORMAT,
    &cri::FORMAT,
    &compose::FORMAT,
    &glog::FORMAT,
    &chromium::FORMAT,
    &erlang::FORMAT,
    &boot::FORMAT,
    &ci::FORMAT,
    &journal::EXPORT,
    &journal::VERBOSE,
    &postgres::FORMAT,
    &postgres::BOUNCER,
    &mongodb::FORMAT,
    &mssql::FORMAT,
    &mysql::FORMAT,
    &mysql_slow::FORMAT,
    &weblogic::FORMAT,
    &websphere::FORMAT,
    &karaf::KARAF,
    &karaf::ACTIVEMQ,
    &rspamd::FORMAT,
    &nagios::FORMAT,
    &windows::forwarded::FORMAT,
    &oracle::FORMAT,
    &oracle::LISTENER,
    &ibmmq::FORMAT,
    &redis::FORMAT,
    &apt::FORMAT,
    &shell_history::FORMAT,
    &rails::FORMAT,
    &gc::unified::FORMAT,
    &gc::legacy::FORMAT,
    &cmtrace::FORMAT,
    &windows::cbs::FORMAT,
    &windows::setupapi::FORMAT,
    &windows::transcript::FORMAT,
    &windows_xml::FORMAT,
    &xml_records::FORMAT,
    &records::FORMAT,
    &logfmt::FORMAT,
    &csv::FORMAT,
    &sections::FORMAT,
    &text::FORMAT,
];

/// Windows event logs in their binary form, which are recognised by their first bytes and read by
/// [`crate::evtx`].
pub(crate) static EVTX: Format = Format {
    name: "evtx",
    title: "Windows events",
    learn: |_, _| Learned { framing: Framing::Evtx, ..Learned::default() },
    ..Format::LINES
};

/// Binary records of logins, which are recognised by their first bytes and read by [`crate::login_events`].
pub(crate) static LOGINS: Format = Format {
    name: "logins",
    title: "records of logins",
    learn: |_, setup| Learned {
        framing: setup.logins.map_or(Framing::Lines, Framing::Logins),
        ..Learned::default()
    },
    ..Format::LINES
};

/// A user-defined format; the [`Setup`] has its definition.
pub(crate) static CUSTOM: Format = Format {
    name: "custom",
    title: "lines of a custom format",
    learn: |_, setup| setup.learned.clone(),
    reader: |setup| match &setup.custom {
        Some(definition) => definition.reader(&setup.times),
        None => Box::new(Unread),
    },
    ..Format::LINES
};

/// A kind of log.
pub(crate) struct Format {
    /// Short name for options, columns and files.
    pub name: &'static str,
    /// What its lines are, in the plural, for a person: "access log lines".
    pub title: &'static str,
    /// The weight of a fitting line: low where nearly any line would fit, above 1 where an event is mostly
    /// free text after an unmistakable line.
    pub weight: f32,
    /// The columns it always has; readers may add others.
    pub columns: Schema,
    /// Learns what the reader must know of a source, from its first lines.
    pub learn: fn(&[u8], &Setup) -> Learned,
    /// Whether a line is not an event but a heading, which names the fields of the lines after it.
    pub heading: Option<IsHeading>,
    /// Whether a line is not an event but a note of the program that writes the log, without effect on other
    /// lines.
    pub note: Option<fn(&[u8]) -> bool>,
    /// Whether a line before the first event is part of the file's header, and so not an event.
    pub preamble: Option<fn(&[u8]) -> bool>,
    /// A reader for the events of one chunk.
    pub reader: fn(&Setup) -> Box<dyn Reader>,
}

impl Format {
    /// A format whose every line is an event; other formats override what differs.
    pub(crate) const LINES: Format = Format {
        name: "",
        title: "",
        weight: 1.0,
        columns: &[],
        learn: |_, _| Learned::default(),
        heading: None,
        note: None,
        preamble: None,
        reader: |_| Box::new(Unread),
    };
}

/// The reader of a format that does not name one; it reads nothing.
struct Unread;

impl Reader for Unread {
    fn read(&mut self, _: &[u8], _: &mut Rows) -> Result<Fit, &'static str> {
        Err("the format has no reader")
    }
}

/// The parameters are the setup, the line, and whether it is the first of its source.
pub(crate) type IsHeading = fn(&Setup, &[u8], bool) -> bool;

/// What a format learned from the first lines of a source.
#[derive(Clone, Default)]
pub(crate) struct Learned {
    pub framing: Framing,
    /// The delimiter of a table's values, or of pairs.
    pub delimiter: u8,
    /// The line that names the columns of a table, and perhaps one with their types.
    pub table_heads: Arc<[Box<[u8]>]>,
    /// The text above the line that names the columns of a table: a title, metadata.
    pub table_title: Arc<[u8]>,
    /// The positions of time, level and other parts in the lines of a general source.
    pub text: Option<Arc<text::TextShape>>,
    /// Some lines have a mark that makes the others part of the format too: of a job's section, of a boot
    /// status.
    pub has_marks: bool,
    /// How many values a row of a table has.
    pub columns: usize,
    /// The column of a table that contains the time; or those of the date and the time of day.
    pub time_columns: [Option<usize>; 2],
    /// Which number of the dates of a table is the day.
    pub date_order: DateOrder,
    /// The column of a table without names that contains the level.
    pub level_column: Option<usize>,
    /// The column of a table without names that contains the text of events.
    pub message_column: Option<usize>,
    /// The column of a table whose values are JSON objects.
    pub json_column: Option<usize>,
    /// The field that contains the time, if its values and not its name determined it.
    pub time_field: Option<Arc<TimeField>>,
    /// The fields that may contain the time, the one that is used and the best first.
    pub time_options: Arc<[TimeFieldOption]>,
    /// Keys of JSON objects whose numbers are no levels, although their names say so.
    pub unscaled_levels: Arc<[Box<str>]>,
    /// How the lines of each container are read.
    pub containers: Option<Arc<[compose::Container]>>,
    /// What records whose time is below their first line have in common; only their first lines begin events.
    pub records: Option<Arc<records::RecordShape>>,
}

impl Learned {
    /// Lines that satisfy the predicate begin an event; the other lines continue it.
    pub(crate) fn starting(begins: impl Fn(&[u8]) -> bool + Send + Sync + 'static) -> Learned {
        Learned { framing: Framing::Starts(Arc::new(begins)), ..Learned::default() }
    }
}

/// The properties of a source that are known before its events are read; the same for every chunk, so that a
/// chunk reads the same wherever it was cut.
#[derive(Clone)]
pub(crate) struct Setup {
    pub zone: Zone,
    /// The position and spelling of the times.
    pub times: TimeRules,
    pub learned: Learned,
    /// The text differs from the bytes, so a byte count in it does not count the bytes of the text.
    pub is_recoded: bool,
    /// The text is within the lines of another format.
    pub is_inner: bool,
    /// The definition to read by, if the format is user-defined.
    pub custom: Option<Arc<Definition>>,
    /// The format of the messages, if the lines are syslog whose messages are of another.
    pub carried: Option<Arc<syslog::Carried>>,
    /// The field that a person chose for the time.
    pub time_field: Option<Arc<str>>,
    /// How the lines of the sample begin that begin events.
    pub usual_starts: Arc<[LineStart]>,
    /// The layout of the records, if they are of logins.
    pub logins: Option<LoginLayout>,
}

impl Setup {
    pub(crate) fn new(zone: Zone) -> Setup {
        let (times, learned) = (TimeRules::default(), Learned::default());
        let usual_starts = Arc::default();
        Setup {
            zone,
            times,
            learned,
            is_recoded: false,
            is_inner: false,
            custom: None,
            carried: None,
            time_field: None,
            usual_starts,
            logins: None,
        }
    }
}

/// Reads one event after the other. It may cache things for speed, but the result for an event must not
/// depend on the events before it.
pub(crate) trait Reader {
    /// Puts the event's time, level and values into the current row. On an error all of them are removed
    /// again, and the event is kept as unparsed with the given reason (lower-case, for a person).
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str>;

    /// Processes a heading line; those before the chunk come first.
    fn heading(&mut self, _line: &[u8], _rows: &mut Rows) {}
}

/// How well an event fits the format; a partial fit counts less in detection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    Whole,
    Partly,
}

/// The names and titles of all formats, for a menu or a message.
pub fn format_names() -> impl Iterator<Item = (&'static str, &'static str)> {
    FORMATS.iter().map(|format| (format.name, format.title))
}

/// Renders the event that a format reads from one line, for the sample tests that every format has.
#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(crate) fn render(format: &'static Format, line: &str) -> String {
    use crate::batch::{Chunk, NO_INT, NO_TIME, Values};
    use std::fmt::Write;

    let mut setup = Setup::new(Zone::UTC);
    setup.times = crate::time::rules::learn(line.as_bytes().split(|&byte| byte == b'\n'));
    setup.learned = (format.learn)(line.as_bytes(), &setup);
    let chunk = Chunk::whole(line.as_bytes().to_vec());
    let batch = crate::parser::Parser::new(format, setup).parse(chunk);
    if let Some((_, reason)) = batch.unparsed_examples.first() {
        return format!("unparsed: {reason}");
    }
    let mut out = match batch.time[0] {
        NO_TIME => "-".to_string(),
        ns => jiff::Timestamp::from_nanosecond(i128::from(ns)).unwrap().to_string(),
    };
    write!(out, " {}", if batch.level[0].name().is_empty() { "-" } else { batch.level[0].name() }).unwrap();
    for column in &batch.columns {
        let name = &column.name;
        match &column.values {
            Values::Text(spans) if !spans[0].is_missing() => {
                write!(out, " {name}={:?}", String::from_utf8_lossy(batch.text(spans[0]))).unwrap();
            }
            Values::Int(values) if values[0] != NO_INT => write!(out, " {name}={}", values[0]).unwrap(),
            Values::Float(values) if !values[0].is_nan() => write!(out, " {name}={:?}", values[0]).unwrap(),
            Values::Bool(values) if values[0].is_some() => {
                write!(out, " {name}={}", values[0].unwrap()).unwrap();
            }
            _ => {}
        }
    }
    out
}
