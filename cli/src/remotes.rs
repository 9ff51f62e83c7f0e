//! `timberline remote`, and queries to a cluster: `timberline query remote:prod …`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Result;
use clap::{Args, Subcommand};
use indexer::export::Records;
use indexer::query::{Query, parse_query};
use indexer::{Cancel, Cell, Error, ErrorKind, duration, stamp};
use remote::{Answer, Asked, Client, Cluster, Events, Here, Login, Options, Remote, RemoteEvent, Remotes};
use serde_json::{Map, Value};

use crate::Outcome;
use crate::allowed::typed_files;
use crate::args::{self, Format};
use crate::{events, out, pipes};

#[derive(Args)]
pub struct RemoteArguments {
    #[command(subcommand)]
    pub command: RemoteCommand,
}

#[derive(Subcommand)]
pub enum RemoteCommand {
    /// Add a cluster, in place of one with the same name; nothing connects to it yet
    Add(Add),
    /// List the clusters and their addresses
    List,
    /// Forget a cluster; the files with its credentials stay
    Remove(Named),
    /// Connect to a cluster and show its release, health, indexes and fields, or what to do where something is wrong
    #[command(visible_alias = "test")]
    Check(CheckCluster),
    /// Switch a cluster on again
    On(Switched),
    /// Switch a cluster off: nothing connects to it
    Off(Switched),
}

#[derive(Args)]
pub struct Add {
    /// The name that it is called by: remote:NAME
    pub name: String,
    /// Its address: https://logs.example:9200
    pub url: String,
    /// The indexes to ask: logs-*
    #[arg(long, value_name = "PATTERN")]
    pub index: String,
    /// The field with the time of events (default: found in the mapping)
    #[arg(long, value_name = "FIELD")]
    pub time_field: Option<String>,
    /// A file of mode 600 with an API key: id:key, or as the cluster encodes it
    #[arg(long, value_name = "FILE", conflicts_with = "user")]
    pub api_key_file: Option<PathBuf>,
    /// A user's name; the password is in --password-file, or in TIMBERLINE_REMOTE_PASSWORD at every call
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
    /// A file of mode 600 with the user's password
    #[arg(long, value_name = "FILE", requires = "user")]
    pub password_file: Option<PathBuf>,
    /// PEM certificates that the cluster's own must lead to, instead of the public ones
    #[arg(long, value_name = "FILE")]
    pub ca: Option<PathBuf>,
    /// In place of --ca, the fingerprint of that certificate, as Elasticsearch prints it at its first start
    #[arg(long, value_name = "SHA256", conflicts_with = "ca")]
    pub fingerprint: Option<String>,
}

#[derive(Args)]
pub struct Named {
    pub name: String,
}

#[derive(Args)]
pub struct Switched {
    #[arg(required_unless_present = "all")]
    pub name: Option<String>,
    /// All clusters at once; each keeps its own switch
    #[arg(long, conflicts_with = "name")]
    pub all: bool,
}

#[derive(Args)]
pub struct CheckCluster {
    pub name: String,
    /// List all fields with their types
    #[arg(long)]
    pub fields: bool,
    /// The longest time for one request: 10s
    #[arg(long, value_name = "DURATION")]
    pub timeout: Option<String>,
}

/// The variable with the password of a user, where no file has it.
const PASSWORD_VARIABLE: &str = "TIMBERLINE_REMOTE_PASSWORD";

pub fn run(arguments: &RemoteArguments) -> Result<Outcome> {
    let home = wire::home();
    let mut remotes = Remotes::read(&home)?;
    match &arguments.command {
        RemoteCommand::Add(add) => {
            let remote = added(add)?;
            // What cannot be read is better known now.
            remote.certificates()?;
            if !matches!(remote.login, Some(Login::UserAndVariable(..))) {
                remote.authorization()?;
            }
            remotes.add(remote);
            remotes.write(&home)?;
            out::say(&format!("remote:{} is added; timberline remote check {} tries it", add.name, add.name));
        }
        RemoteCommand::List => {
            let mut stdout = out::stdout();
            for remote in &remotes.remotes {
                let state = if remote.off || remotes.all_off { "  (off)" } else { "" };
                writeln!(
                    stdout,
                    "{}  {}  {}  {}{state}",
                    remote.name,
                    remote.url,
                    remote.index,
                    remote.credentials()
                )?;
            }
            stdout.flush()?;
        }
        RemoteCommand::Remove(named) => {
            remotes.remove(&named.name)?;
            remotes.write(&home)?;
        }
        RemoteCommand::On(switched) | RemoteCommand::Off(switched) => {
            remotes.switch(switched.name.as_deref(), matches!(arguments.command, RemoteCommand::Off(_)))?;
            remotes.write(&home)?;
        }
        RemoteCommand::Check(check) => return checked(&remotes, check),
    }
    Ok(Outcome::Done)
}

fn added(add: &Add) -> Result<Remote> {
    let mut remote = Remote::new(&add.name, &add.url, &add.index)?;
    remote.time_field.clone_from(&add.time_field);
    remote.ca = add.ca.as_deref().map(whole_path).transpose()?;
    if let Some(fingerprint) = &add.fingerprint {
        remote.set_fingerprint(fingerprint)?;
    }
    remote.login = match (&add.api_key_file, &add.user, &add.password_file) {
        (Some(file), _, _) => Some(Login::ApiKeyFile(whole_path(file)?)),
        (None, Some(user), Some(file)) => Some(Login::UserAndFile(user.clone(), whole_path(file)?)),
        (None, Some(user), None) => Some(Login::UserAndVariable(user.clone(), PASSWORD_VARIABLE.to_owned())),
        (None, None, _) => None,
    };
    Ok(remote)
}

fn whole_path(file: &Path) -> Result<PathBuf> {
    Ok(std::path::absolute(file)?)
}

fn checked(remotes: &Remotes, check: &CheckCluster) -> Result<Outcome> {
    let remote = remotes.get(&check.name)?;
    let checked = remote::check(remote, options(check.timeout.as_deref())?, &interrupted()?);
    let mut stdout = out::stdout();
    for finding in &checked.findings {
        match &finding.result {
            Ok(text) => writeln!(stdout, "{}: {text}", finding.what)?,
            Err(error) => {
                writeln!(stdout, "{}: {error}", finding.what)?;
                if let Some(hint) = error.hint_text() {
                    writeln!(stdout, "  {hint}")?;
                }
            }
        }
    }
    if let Some(schema) = checked.schema.as_ref().filter(|_| check.fields) {
        for field in schema.fields.values() {
            let keyword = field.keyword.as_ref().map(|keyword| format!(", whole values in {keyword}"));
            let nested = field.nested.as_ref().map(|path| format!(", in the list {path}"));
            let more = [keyword, nested].into_iter().flatten().collect::<String>();
            writeln!(stdout, "  {}  {}{more}", field.name, field.kind.name())?;
        }
    }
    stdout.flush()?;
    if checked.is_usable() {
        return Ok(Outcome::Done);
    }
    let error = Error::new(ErrorKind::NotReadable, format!("the cluster {} cannot be asked", check.name));
    Err(error.hint("what to do is written above").into())
}

/// How patient a question is.
pub fn options(timeout: Option<&str>) -> Result<Options> {
    let mut options = Options::default();
    if let Some(text) = timeout {
        let ns = duration::parse(text).and_then(|ns| u64::try_from(ns).ok()).filter(|ns| *ns > 0);
        let ns = ns.ok_or_else(|| {
            Error::new(ErrorKind::BadRequest, format!("\"{text}\" is not a time to wait"))
                .hint("write it as 30s or 2m")
        })?;
        options.deadline = Duration::from_nanos(ns);
    }
    Ok(options)
}

/// Ends the question when somebody presses Ctrl-C, so that what the cluster keeps for it is given back.
pub fn interrupted() -> Result<Cancel> {
    let (cancel, pressed) = (Cancel::default(), Arc::new(AtomicBool::new(false)));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&pressed))?;
    }
    let stopped = cancel.clone();
    std::thread::spawn(move || {
        while !pressed.load(std::sync::atomic::Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(50));
        }
        stopped.set();
    });
    Ok(cancel)
}

/// The remote that an argument names instead of a case.
pub fn named(case: &Path) -> Option<&str> {
    Remotes::name_in(case.to_str()?)
}

/// Connects to a remote of the list.
pub fn connected(name: &str, timeout: Option<&str>) -> Result<Cluster> {
    let remotes = Remotes::read(&wire::home())?;
    Ok(Cluster::connect(remotes.get(name)?, options(timeout)?, &interrupted()?)?)
}

/// `timberline query remote:NAME`.
pub fn query(name: &str, arguments: &args::Query) -> Result<Outcome> {
    let text = arguments.filter.as_str();
    let asked = checked_query(text, parse_query(text).map_err(Error::from))?;
    let zone = arguments.zone.as_deref();
    let range =
        (events::time_in(arguments.from.as_ref(), zone)?, events::time_in(arguments.to.as_ref(), zone)?);
    let cluster = connected(name, arguments.cluster.timeout.as_deref())?;
    let result = answered(&cluster, arguments, &asked, range);
    if arguments.explain {
        explain(&cluster.client);
    }
    result
}

fn answered(
    cluster: &Cluster,
    arguments: &args::Query,
    query: &Query,
    range: (Option<i64>, Option<i64>),
) -> Result<Outcome> {
    let text = arguments.filter.as_str();
    let zone = arguments.zone.as_deref().unwrap_or("UTC");
    let mut stdout = out::stdout();
    if !query.stages.is_empty() {
        if arguments.sort.is_some() {
            let error = Error::new(ErrorKind::BadRequest, "--sort orders events, not tables");
            return Err(error.hint("sort in the query: … | sort -count").into());
        }
        let here = Here { is_exact: arguments.cluster.exact, files: typed_files()?, ..Here::default() };
        let answer = checked_query(text, cluster.run_with(query, range, zone, &here))?;
        let table = answer.value.first(arguments.limit.unwrap_or(usize::MAX));
        if arguments.count {
            writeln!(stdout, "{}", table.rows())?;
        } else {
            pipes::print(&table, arguments.format, arguments.formulas.into(), &mut stdout)?;
        }
        stdout.flush()?;
        return Ok(outcome(&answer));
    }
    let asked = Asked { filter: query.filter.clone(), from: range.0, to: range.1, zone: zone.to_owned() };
    if arguments.count {
        let answer = checked_query(text, cluster.count(&asked))?;
        writeln!(stdout, "{}", answer.value)?;
        stdout.flush()?;
        return Ok(outcome(&answer));
    }
    let events =
        Events { asked: &asked, sort: arguments.sort(), limit: arguments.limit.unwrap_or(usize::MAX) };
    let answer = printed(cluster, &events, arguments, &mut stdout)?;
    stdout.flush()?;
    Ok(outcome(&answer))
}

fn printed(
    cluster: &Cluster,
    events: &Events<'_>,
    arguments: &args::Query,
    out: &mut dyn Write,
) -> Result<Answer<u64>> {
    let columns: Vec<String> = cluster.schema.known_fields().into_iter().map(|field| field.name).collect();
    let mut output = match arguments.format {
        Format::Csv => {
            let mut records = Records::new(arguments.formulas.into(), out);
            let header = ["time", "source", "line", "level", "raw"]
                .into_iter()
                .chain(columns.iter().map(String::as_str));
            records.write(header.map(Cell::text))?;
            RemoteOutput::Records(Box::new(records))
        }
        Format::Text | Format::Raw | Format::Ndjson => RemoteOutput::Lines(out),
        Format::Parquet | Format::Arrow => {
            let error = Error::new(ErrorKind::BadRequest, "events of a cluster are not written as a table");
            return Err(error.hint("take --format ndjson or csv, or a query that ends with stats").into());
        }
    };
    let mut failed = None;
    let mut each = |event: RemoteEvent| {
        let written = match &mut output {
            RemoteOutput::Records(records) => records.write(record(&event, &columns).into_iter()),
            RemoteOutput::Lines(out) => line(&event, arguments.format, *out),
        };
        written.map_err(|error| {
            // The question ends with any error; the real one is reported below.
            failed = Some(error);
            Error::new(ErrorKind::Cancelled, "the output was closed")
        })
    };
    let answer = cluster.for_each(events, &mut each);
    if let RemoteOutput::Records(records) = output {
        records.finish()?;
    }
    match failed {
        Some(error) => Err(error.into()),
        None => checked_query(&arguments.filter, answer),
    }
}

enum RemoteOutput<'a> {
    Records(Box<Records<'a>>),
    Lines(&'a mut dyn Write),
}

pub fn record(event: &RemoteEvent, columns: &[String]) -> Vec<Cell> {
    let text = |value: &Value| match value {
        Value::String(text) => Cell::text(text),
        other => Cell::text(&other.to_string()),
    };
    let built_in = [
        event.time.map_or(Cell::Missing, |time| Cell::text(&stamp::to_rfc3339(time))),
        Cell::text(&event.source),
        event.line.map_or(Cell::Missing, |line| Cell::text(&line.to_string())),
        event.level.as_deref().map_or(Cell::Missing, Cell::text),
        Cell::text(&event.text),
    ];
    let value = |name: &String| {
        let found = event.fields.iter().find(|(known, _)| known == name);
        found.map_or(Cell::Missing, |(_, value)| text(value))
    };
    built_in.into_iter().chain(columns.iter().map(value)).collect()
}

pub fn line(event: &RemoteEvent, format: Format, out: &mut dyn Write) -> std::io::Result<()> {
    match format {
        Format::Raw => writeln!(out, "{}", event.text),
        Format::Ndjson => {
            let mut object = Map::new();
            object
                .insert("time".into(), event.time.map_or(Value::Null, |time| stamp::to_rfc3339(time).into()));
            object.insert("source".into(), event.source.as_str().into());
            object.insert("line".into(), event.line.map_or(Value::Null, Value::from));
            object.insert("level".into(), event.level.as_deref().map_or(Value::Null, Value::from));
            object.insert("raw".into(), event.text.as_str().into());
            for (name, value) in &event.fields {
                object.entry(name.as_str()).or_insert_with(|| value.clone());
            }
            serde_json::to_writer(&mut *out, &object)?;
            out.write_all(b"\n")
        }
        _ => {
            let time = event.time.map_or_else(|| "-".to_owned(), stamp::to_rfc3339);
            let level = event.level.as_deref().unwrap_or("-");
            let line = event.line.map_or_else(String::new, |line| format!(":{line}"));
            // What a cluster holds is not trusted with the terminal.
            let shown: String = event
                .text
                .chars()
                .map(|c| if c.is_control() && c != '\t' { '\u{fffd}' } else { c })
                .collect();
            writeln!(out, "{time} {level} {}{line} {shown}", event.source)
        }
    }
}

/// Names what the answer lacks, and where it is not exact.
pub fn outcome<T>(answer: &Answer<T>) -> Outcome {
    for one in &answer.inexact {
        out::say(&format!("not exact: `{}`: {}", one.clause, one.reason));
    }
    answer.notes.iter().for_each(|note| out::say(note));
    for one in &answer.missing.0 {
        out::say(&format!("partial: {one}; what is above is not all"));
    }
    if answer.missing.is_empty() { Outcome::Done } else { Outcome::Unreadable }
}

/// The requests, as they can be sent again with another tool.
pub fn explain(client: &Client) {
    for exchange in client.exchanges() {
        let attempts =
            if exchange.attempts > 1 { format!(", {} attempts", exchange.attempts) } else { String::new() };
        let ms = exchange.took.as_secs_f64() * 1_000.0;
        out::say(&format!(
            "{} {}  ({}, {ms:.1} ms{attempts})",
            exchange.method, exchange.path, exchange.status
        ));
        if let Some(body) = &exchange.body {
            out::say(&format!("  {body}"));
        }
    }
}

/// Shows where in the query an error lies before it is passed on.
pub fn checked_query<T>(query: &str, result: indexer::Result<T>) -> Result<T> {
    result.map_err(|error| {
        out::caret(query, &error);
        error.into()
    })
}
