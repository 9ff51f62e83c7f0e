//! `timberline push` and `timberline plan`: events of a case to a cluster, and how large it must be.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use clap::Args;
use indexer::export::replaced;
use indexer::query::{Amount, parse_query};
use indexer::{Cancel, Case, Error, ErrorKind, duration, stamp};
use remote::{
    Client, IndexTemplate, PlanRequest, PushOptions, PushOutcome, PushProgress, PushTarget, Ratio, Remotes,
    Source, TemplateDecision,
};
use serde_json::json;

use crate::Outcome;
use crate::{out, remotes};

// Each is a flag of its own.
#[allow(clippy::struct_excessive_bools)]
#[derive(Args)]
pub struct Push {
    /// The case's folder
    pub case: PathBuf,
    /// Filter of the events; * for all
    #[arg(value_name = "QUERY", allow_hyphen_values = true)]
    pub filter: String,
    /// The cluster: remote:NAME
    #[arg(long, value_name = "REMOTE", required_unless_present = "to_file")]
    pub to: Option<String>,
    /// Write the documents to a file that _bulk takes, instead of sending them
    #[arg(long, value_name = "FILE", conflicts_with = "to")]
    pub to_file: Option<PathBuf>,
    /// The index, created from a template that is made of the measured fields
    #[arg(long, value_name = "NAME")]
    pub index: String,
    /// A data stream instead of an index
    #[arg(long)]
    pub data_stream: bool,
    /// Keep the text of events too, so that it can be searched exactly; about twice the size
    #[arg(long)]
    pub with_original: bool,
    /// Documents a second at most
    #[arg(long, value_name = "N")]
    pub rate: Option<u64>,
    /// Requests under way at once
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub senders: usize,
    /// Show the index template and the number of events, and send nothing
    #[arg(long)]
    pub dry_run: bool,
    /// The longest time for one request: 2m (default: 1m)
    #[arg(long, value_name = "DURATION")]
    pub timeout: Option<String>,
    /// Print the result as one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct Plan {
    /// The case's folder
    pub case: PathBuf,
    /// Raw data a day: 500GB
    #[arg(long, value_name = "SIZE")]
    pub per_day: String,
    /// How long events are kept: 30d
    #[arg(long, value_name = "DURATION")]
    pub keep: String,
    /// Time in the hot tier (default: all)
    #[arg(long, value_name = "DURATION")]
    pub hot: Option<String>,
    /// Time in the warm tier
    #[arg(long, value_name = "DURATION")]
    pub warm: Option<String>,
    /// Time in the cold tier
    #[arg(long, value_name = "DURATION")]
    pub cold: Option<String>,
    /// Copies besides the first
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub replicas: u32,
    /// Memory and disk of a data node
    #[arg(long, value_name = "MEMORY/DISK", default_value = "64GB/2TB")]
    pub node: String,
    /// Events a second that a node indexes
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    pub node_rate: u64,
    /// Size of a shard
    #[arg(long, value_name = "SIZE", default_value = "40GB")]
    pub shard: String,
    /// Index bytes for each raw byte (default: 1.1)
    #[arg(long, value_name = "RATIO")]
    pub ratio: Option<f64>,
    /// The same in the warm and the cold tier, whose indexes are merged into one segment (default: that of --ratio)
    #[arg(long, value_name = "RATIO")]
    pub merged_ratio: Option<f64>,
    /// Measure both ratios: send up to 100,000 events to an index of this cluster's own, merge it, and delete it again
    #[arg(long, value_name = "REMOTE", conflicts_with_all = ["ratio", "merged_ratio"])]
    pub measure: Option<String>,
    /// Write the plan to a file too, as a page for a printer or a browser
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Print the plan as one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Decisions of a template that are shown; --dry-run prints all of them as JSON.
const SHOWN_DECISIONS: usize = 40;

pub fn push(arguments: &Push) -> Result<Outcome> {
    let case = Case::open(&arguments.case)?;
    let snapshot = case.snapshot();
    let text = arguments.filter.as_str();
    let query = remotes::checked_query(text, parse_query(text).map_err(Error::from))?;
    let view = remotes::checked_query(text, remote::filter_of(&query))?;
    let source = Source { case: &case, snapshot: &snapshot, view: &view };
    let options = PushOptions {
        index: arguments.index.clone(),
        data_stream: arguments.data_stream,
        with_original: arguments.with_original,
        rate: arguments.rate,
        senders: arguments.senders,
        checkpoints: Some(wire::home().join("push")),
    };
    remote::check_index(&options.index)?;
    let cancel = remotes::interrupted()?;
    if arguments.dry_run {
        let events = remotes::checked_query(text, case.count(&snapshot, &view, &cancel))?;
        let template = remote::template(&source, &options);
        say_template(&template, &options.index);
        let mut stdout = out::stdout();
        out::json(&mut stdout, &template.body)?;
        stdout.flush()?;
        out::say(&format!("{events} events would be sent to {}; nothing was", options.index));
        return Ok(Outcome::Done);
    }
    if let Some(file) = &arguments.to_file {
        let mut written = 0;
        let mut progress = |done, total| out::progress(&format!("{done} of {total} documents"));
        let done = replaced(file, &mut |out| {
            written = remote::write_ndjson(&source, &options, out, &mut progress, &cancel)?;
            Ok(())
        });
        out::progress("");
        remotes::checked_query(text, done)?;
        out::say(&format!("{written} documents are in {}", file.display()));
        return Ok(Outcome::Done);
    }
    let to = arguments.to.as_deref().unwrap_or_default();
    let name = remote_name(to)?;
    sent(name, arguments, &source, &options, &cancel)
}

/// The template before it is created, with the reasons.
fn say_template(template: &IndexTemplate, index: &str) {
    out::say(&format!(
        "index template timberline-{index}, from the first {} of the events:",
        template.measured
    ));
    for TemplateDecision { name, value, why, .. } in template.decisions.iter().take(SHOWN_DECISIONS) {
        out::say(&format!("  {name:<32} {value:<24} {why}"));
    }
    let more = template.decisions.len().saturating_sub(SHOWN_DECISIONS);
    if more > 0 {
        out::say(&format!("  and {more} more; --dry-run prints all of it"));
    }
}

fn sent(
    name: &str,
    arguments: &Push,
    source: &Source<'_>,
    options: &PushOptions,
    cancel: &Cancel,
) -> Result<Outcome> {
    let listed = Remotes::read(&wire::home())?;
    let remote = listed.get(name)?;
    let patience = remotes::options(arguments.timeout.as_deref())?;
    let template = remote::template(source, options);
    say_template(&template, &options.index);
    let mut progress = |at: PushProgress| out::progress(&progress_line(&at));
    let done =
        remote::push_and_compare(remote, source, options, &template.body, patience, &mut progress, cancel);
    out::progress("");
    let PushOutcome { pushed, hours } = remotes::checked_query(&arguments.filter, done)?;
    let counts = format!(
        "{} documents created, {} were there, {} had been sent before",
        pushed.created, pushed.known, pushed.skipped
    );
    let hours = hours.inspect_err(|_| out::say(&counts))?;
    let different: Vec<_> = hours.iter().filter(|hour| hour.differs()).collect();
    if arguments.json {
        let mut stdout = out::stdout();
        serde_json::to_writer(
            &mut stdout,
            &json!({"pushed": pushed, "hours": hours.len(), "different": different}),
        )?;
        writeln!(stdout)?;
        stdout.flush()?;
    } else {
        let same = hours.len() - different.len();
        out::say(&format!("{counts}; {same} of {} hours have the same count", hours.len()));
    }
    for hour in different.iter().take(10) {
        let at = stamp::to_rfc3339(hour.hour);
        out::say(&format!("  {at}: {} in the case, {} at the cluster", hour.case, hour.remote));
    }
    for (reason, count) in &pushed.refused {
        out::say(&format!("{count} documents were refused: {reason}"));
    }
    Ok(if pushed.refused.is_empty() && different.is_empty() { Outcome::Done } else { Outcome::Unreadable })
}

fn progress_line(at: &PushProgress) -> String {
    let left = at.left_seconds.map_or_else(String::new, |left| format!(", {left:.0} s left"));
    let again = match (at.retries, at.retried_requests) {
        (0, 0) => String::new(),
        (documents, requests) => format!(", {documents} documents and {requests} requests sent again"),
    };
    let (rate, size) = (at.per_second, at.bulk_bytes as f64 / 1e6);
    format!("{} of {} documents, {rate:.0}/s{left}, {size:.1} MB a request{again}", at.done, at.total)
}

pub fn plan(arguments: &Plan) -> Result<Outcome> {
    let request = request(&arguments.case, arguments)?;
    let planned = remote::plan(&request)?;
    if let Some(file) = &arguments.html {
        let case = arguments.case.file_stem().unwrap_or_default().to_string_lossy();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let page = planned.to_html(&case, i64::try_from(now.as_nanos()).unwrap_or(i64::MAX));
        replaced(file, &mut |out| {
            out.write_all(page.as_bytes()).map_err(|error| Error::writing(file, &error))
        })?;
    }
    let mut stdout = out::stdout();
    if arguments.json {
        serde_json::to_writer(&mut stdout, &planned)?;
        writeln!(stdout)?;
    } else {
        for figure in &planned.figures {
            writeln!(
                stdout,
                "{:<38} {:>12}   {} ({})",
                figure.name,
                figure.shown(),
                figure.formula,
                figure.from
            )?;
        }
        for advice in &planned.advice {
            writeln!(stdout, "{advice}")?;
        }
    }
    stdout.flush()?;
    Ok(Outcome::Done)
}

fn request(folder: &Path, arguments: &Plan) -> Result<PlanRequest> {
    let case = Case::open(folder)?;
    let snapshot = case.snapshot();
    let keep_days = days(&arguments.keep)?;
    let tier = |text: &Option<String>| text.as_deref().map_or(Ok(0.0), days);
    let (hot, warm, cold) = (tier(&arguments.hot)?, tier(&arguments.warm)?, tier(&arguments.cold)?);
    // What no tier is named for stays hot.
    let hot_days = if arguments.hot.is_none() { (keep_days - warm - cold).max(0.0) } else { hot };
    let (memory, disk) = arguments.node.split_once('/').ok_or_else(|| not_a_size(&arguments.node))?;
    let (unmerged, merged) = match &arguments.measure {
        Some(to) => measured(&case, to)?,
        None => (
            ratio(arguments.ratio, "--ratio"),
            ratio(arguments.merged_ratio.or(arguments.ratio), "--merged-ratio"),
        ),
    };
    Ok(PlanRequest {
        per_day_bytes: bytes(&arguments.per_day)?,
        keep_days,
        hot_days,
        warm_days: warm,
        cold_days: cold,
        replicas: arguments.replicas,
        node_memory_bytes: bytes(memory)?,
        node_disk_bytes: bytes(disk)?,
        node_rate: arguments.node_rate as f64,
        shard_bytes: bytes(&arguments.shard)?,
        case_bytes: snapshot
            .sources()
            .iter()
            .filter(|source| !source.deleted)
            .map(|source| source.bytes)
            .sum(),
        case_events: snapshot.events(),
        unmerged,
        merged,
    })
}

fn ratio(given: Option<f64>, option: &str) -> Ratio {
    match given {
        Some(value) => Ratio { value, from: "given".to_owned() },
        None => Ratio { value: 1.1, from: format!("stated default; {option} or --measure gives another") },
    }
}

/// The ratios that a cluster has for the events of the case.
fn measured(case: &Case, to: &str) -> Result<(Ratio, Ratio)> {
    let name = remote_name(to)?;
    let listed = Remotes::read(&wire::home())?;
    let remote = listed.get(name)?;
    let cancel = remotes::interrupted()?;
    let client = std::sync::Arc::new(Client::new(remote, remotes::options(None)?, &cancel)?);
    let view = indexer::View::parse("*", None, None)?;
    let source = Source { case, snapshot: &case.snapshot(), view: &view };
    let found = remote::measure(&PushTarget { client: &client, url: &remote.url }, &source, &cancel)?;
    let of = |value: f64, how: &str| Ratio {
        value,
        from: format!("measured at {to} with {} events, {how}", found.events),
    };
    Ok((of(found.unmerged, "before merging"), of(found.merged, "merged into one segment")))
}

fn remote_name(to: &str) -> Result<&str> {
    let name = Remotes::name_in(to).ok_or_else(|| {
        let error = Error::new(ErrorKind::BadRequest, format!("\"{to}\" is not a cluster"));
        error.hint("write it as remote:NAME; timberline remote list shows them")
    })?;
    Ok(name)
}

fn days(text: &str) -> Result<f64> {
    let ns = duration::parse(text).filter(|ns| *ns > 0);
    let ns = ns.ok_or_else(|| {
        Error::new(ErrorKind::BadRequest, format!("\"{text}\" is not a length of time"))
            .hint("write it as 30d or 12h")
    })?;
    Ok(ns as f64 / 86_400e9)
}

fn bytes(text: &str) -> Result<f64> {
    let amount = Amount::parse(text).and_then(|amount| amount.in_field("size_bytes"));
    amount.map(Amount::float).ok_or_else(|| not_a_size(text).into())
}

fn not_a_size(text: &str) -> Error {
    Error::new(ErrorKind::BadRequest, format!("\"{text}\" is not a size"))
        .hint("write it as 500GB, and a node as 64GB/2TB")
}
