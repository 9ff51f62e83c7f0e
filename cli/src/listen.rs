//! `timberline listen`: receives logs into a case until it is stopped.

use std::io::Write;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::Args;
use indexer::{Cancel, Case, Error, Keep, LiveOptions};
use receive::{Networks, Notice, Options, Receiver, Running, Source, Statistics};
use serde_json::json;
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::alerts::{Alerting, Alerts};
use crate::args::{Profile, duration, refused};
use crate::readings::Chosen;
use crate::tuning::Tuning;
use crate::{Outcome, out, token};

/// How often it is looked whether there was a signal.
const LOOK: Duration = Duration::from_millis(50);

/// What is kept of what searches over HTTP read: receiving has to stay small for days.
const CACHE_BYTES: usize = 96 << 20;

/// Freed blocks of this size are given back to the system at once.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const GIVEN_BACK_BYTES: &str = "1048576";

#[derive(Args)]
pub struct Listen {
    /// The case's folder; created if needed
    pub case: PathBuf,
    /// Receive syslog: udp://127.0.0.1:5514, tcp://127.0.0.1:5514 or unix:///run/app/log; repeatable
    #[arg(long, value_name = "ADDRESS")]
    pub syslog: Vec<String>,
    /// Receive what is sent to Elasticsearch (bulk requests) or as OTLP logs: 127.0.0.1:9200; repeatable
    #[arg(long, value_name = "HOST:PORT")]
    pub http: Vec<String>,
    /// A file of mode 600 with the token that clients of --http have to send (default: TIMBERLINE_TOKEN); needed if
    /// other machines may send
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// Tail files by name, and watch folders and patterns (logs/*/*.log) for new files
    #[arg(long, alias = "follow", value_name = "PATH", num_args = 1..)]
    pub tail: Vec<PathBuf>,
    /// Receive the journal of this machine
    #[arg(long)]
    pub journal: bool,
    /// Read standard input
    #[arg(long)]
    pub stdin: bool,
    /// Read as a format instead of learning it, all or what is named: access, 10.0.0.7=cef, tag:nginx=access,
    /// source:/var/log/app/*=json; repeatable. `learned` forgets what the case remembers
    #[arg(long, value_name = "[WHAT=]FORMAT")]
    pub format: Vec<String>,
    /// Zone of times without one, of all or of what is named: Europe/Berlin, 10.0.0.0/8=+02:00; repeatable
    #[arg(long, value_name = "[WHAT=]TZ", allow_hyphen_values = true)]
    pub zone: Vec<String>,
    /// How soon events are visible: 200ms, 1s, 5s, 30s
    #[arg(long, value_name = "TIME", default_value = "1s")]
    pub refresh: String,
    /// Drop events that were received longer ago: 12h, 7d
    #[arg(long, value_name = "TIME")]
    pub keep: Option<String>,
    /// Drop the oldest events when the case takes more: 500MB, 50GB
    #[arg(long, value_name = "SIZE")]
    pub keep_bytes: Option<String>,
    /// Compress what was received longer ago once more, and harder: 1d
    #[arg(long, value_name = "TIME")]
    pub compress_after: Option<String>,
    /// Refuse senders when less than this is free on the disk [default: 512MB]
    #[arg(long, value_name = "SIZE")]
    pub reserve: Option<String>,
    /// Print counters this often: 10s
    #[arg(long, value_name = "TIME")]
    pub stats: Option<String>,
    /// Store the counters as events of the source timberline/internal, this often [default: 10s]
    #[arg(
        long,
        value_name = "TIME",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "10s"
    )]
    pub internal_log: Option<String>,
    /// Networks that may send, where an address can be reached from other machines: 10.0.0.0/8,192.168.1.7
    #[arg(long, value_name = "NETWORKS")]
    pub allow_remote: Option<String>,
    /// What to store besides the original bytes, in a new case
    #[arg(long, value_enum)]
    pub profile: Option<Profile>,
    /// Print JSON lines: the addresses when ready, then the counters and alerts
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub alerts: Alerting,
    #[command(flatten)]
    pub tuning: Tuning,
}

/// glibc keeps blocks that are freed below a threshold, which grows with the largest of them. In a program that merges segments
/// for days, the gaps between what is still used become hundreds of megabytes. With a fixed threshold, large blocks are given
/// back at once. The environment alone can say so, so that the program begins again in the same process.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn give_back_memory() {
    use std::os::unix::process::CommandExt;

    const THRESHOLDS: [&str; 2] = ["MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_"];
    if THRESHOLDS.iter().any(|name| std::env::var_os(name).is_some()) {
        return;
    }
    let Ok(program) = std::env::current_exe() else { return };
    let mut again = std::process::Command::new(program);
    again.args(std::env::args_os().skip(1)).envs(THRESHOLDS.map(|name| (name, GIVEN_BACK_BYTES)));
    // It comes back only where it cannot begin again, and goes on as it is.
    let _ = again.exec();
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn give_back_memory() {}

pub fn run(arguments: &Listen) -> Result<Outcome> {
    give_back_memory();
    let sources = sources(arguments)?;
    let networks = networks(arguments)?;
    let stats = arguments.stats.as_deref().map(duration).transpose()?;
    let internal = arguments.internal_log.as_deref().map(duration).transpose()?.map(Source::Internal);
    let chosen = Chosen::new(&arguments.case, &arguments.format, &arguments.zone)?;
    let options = options(arguments, &chosen)?;
    // From here on a signal ends what was begun in order; a second one ends it at once.
    let signalled = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register_conditional_shutdown(signal, 3, Arc::clone(&signalled))?;
        signal_hook::flag::register(signal, Arc::clone(&signalled))?;
    }
    let case = Arc::new(Case::open_or_create(&arguments.case)?);
    case.limit_caches(CACHE_BYTES);
    let alerts = Arc::new(Alerts::start(&case, &arguments.alerts, arguments.json)?);
    let watching = Arc::clone(&alerts);
    let watch = move |notice| match notice {
        Notice::Published => watching.published(),
        notice => notify(&notice),
    };
    let receiver = Receiver::start(case, options, Arc::new(watch))?;
    let stop = Cancel::default();
    let started = sources.iter().map(|source| {
        let read = (&receiver.part(), &chosen.readings);
        receive::start_counted(source, &receiver, (&networks, &stop), read)
    });
    let started: Result<Vec<Running>, Error> = started.collect();
    // It ends after the others, so that it counts all that they received.
    let stop_internal = Cancel::default();
    let internal = internal.map(|source| receive::start(&source, &receiver, &networks, &stop_internal));
    let started = started.and_then(|running| Ok((running, internal.transpose()?)));
    let (running, internal) = match started {
        Ok(started) => started,
        Err(error) => {
            stop.set();
            stop_internal.set();
            receiver.finish()?;
            alerts.finish();
            return Err(error.into());
        }
    };
    chosen.remember(&arguments.case)?;
    ready(&running, arguments.json)?;
    alerts.ready();
    let mut printed = Instant::now();
    while !signalled.load(Ordering::Relaxed) && !running.iter().all(Running::has_ended) {
        std::thread::sleep(LOOK);
        if stats.is_some_and(|stats| printed.elapsed() >= stats) {
            printed = Instant::now();
            tell(&receiver.intake().counters().read(), arguments.json)?;
        }
    }
    stop.set();
    // A read of standard input ends with the process only.
    let waiting = running.into_iter().filter(|running| running.kind != "stdin" || running.has_ended());
    waiting.for_each(Running::join);
    stop_internal.set();
    internal.into_iter().for_each(Running::join);
    let counters = Arc::clone(receiver.intake().counters());
    let finished = receiver.finish();
    alerts.finish();
    finished?;
    if stats.is_some() {
        tell(&counters.read(), arguments.json)?;
    }
    Ok(Outcome::Done)
}

fn options(arguments: &Listen, chosen: &Chosen) -> Result<Options> {
    let keep = Keep {
        age_ns: arguments.keep.as_deref().map(duration).transpose()?.map(|age| age.as_nanos() as i64),
        bytes: arguments.keep_bytes.as_deref().map(size).transpose()?,
        compress_after_ns: arguments
            .compress_after
            .as_deref()
            .map(duration)
            .transpose()?
            .map(|after| after.as_nanos() as i64),
    };
    let mut options = Options {
        refresh: duration(&arguments.refresh)?,
        keep,
        live: LiveOptions {
            profile: arguments.profile.map(indexer::Profile::from),
            tune: arguments.tuning.overrides(),
            definitions: chosen.definitions(),
        },
        ..Options::default()
    };
    if let Some(reserve) = &arguments.reserve {
        options.reserve_bytes = size(reserve)?;
    }
    Ok(options)
}

fn sources(arguments: &Listen) -> Result<Vec<Source>> {
    let mut sources = arguments.syslog.iter().map(|text| syslog(text)).collect::<Result<Vec<_>, _>>()?;
    let token =
        if arguments.http.is_empty() { None } else { token::chosen(arguments.token_file.as_deref())? };
    for text in &arguments.http {
        let address = address(text).ok_or_else(|| {
            refused(format!("\"{text}\" is not an address for HTTP")).hint("write 127.0.0.1:9200")
        })?;
        sources.push(Source::Http { address, token: token.clone() });
    }
    if !arguments.tail.is_empty() {
        sources.push(Source::Follow(arguments.tail.clone()));
    }
    if arguments.journal {
        sources.push(Source::Journal);
    }
    if arguments.stdin {
        sources.push(Source::Stdin);
    }
    if sources.is_empty() {
        return Err(refused("there is nothing to receive from")
            .hint("name a source: --syslog, --http, --tail, --journal or --stdin")
            .into());
    }
    Ok(sources)
}

fn syslog(text: &str) -> Result<Source, Error> {
    let not_understood = || {
        refused(format!("\"{text}\" is not a syslog address"))
            .hint("write udp://127.0.0.1:5514, tcp://127.0.0.1:5514 or unix:///run/app/log")
    };
    let (kind, place) = text.split_once("://").ok_or_else(not_understood)?;
    match kind {
        "udp" => Ok(Source::SyslogUdp(address(place).ok_or_else(not_understood)?)),
        "tcp" => Ok(Source::SyslogTcp(address(place).ok_or_else(not_understood)?)),
        "unix" if !place.is_empty() => Ok(Source::SyslogUnix(PathBuf::from(place))),
        _ => Err(not_understood()),
    }
}

fn address(text: &str) -> Option<SocketAddr> {
    text.to_socket_addrs().ok()?.next()
}

fn networks(arguments: &Listen) -> Result<Networks, Error> {
    let Some(text) = &arguments.allow_remote else { return Ok(Networks::default()) };
    Networks::parse(text).ok_or_else(|| {
        refused(format!("\"{text}\" is not a list of networks")).hint("write 10.0.0.0/8,192.168.1.7")
    })
}

fn size(text: &str) -> Result<u64, Error> {
    let digits = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let factor = match text[digits..].trim().to_ascii_lowercase().as_str() {
        "" | "b" => Some(1),
        "kb" => Some(1_000),
        "mb" => Some(1_000_000),
        "gb" => Some(1_000_000_000),
        "tb" => Some(1_000_000_000_000),
        "kib" => Some(1 << 10),
        "mib" => Some(1 << 20),
        "gib" => Some(1_u64 << 30),
        _ => None,
    };
    let number: Option<u64> = text[..digits].parse().ok();
    number.zip(factor).and_then(|(number, factor)| number.checked_mul(factor)).ok_or_else(|| {
        refused(format!("\"{text}\" is not a size")).hint("write a number with its unit: 500MB, 50GB")
    })
}

fn ready(running: &[Running], as_json: bool) -> Result<()> {
    let listening: Vec<_> =
        running.iter().map(|one| json!({ "kind": one.kind, "address": one.address })).collect();
    if as_json {
        let mut stdout = out::stdout();
        writeln!(stdout, "{}", json!({ "listening": listening }))?;
        stdout.flush()?;
    } else {
        for one in running {
            out::say(&format!("receiving: {} {}", one.kind, one.address));
        }
    }
    Ok(())
}

fn tell(statistics: &Statistics, as_json: bool) -> Result<()> {
    if as_json {
        let mut stdout = out::stdout();
        writeln!(stdout, "{}", serde_json::to_string(statistics)?)?;
        stdout.flush()?;
        return Ok(());
    }
    for (name, source) in &statistics.sources {
        let rejected: Vec<_> =
            source.rejected.iter().map(|(reason, count)| format!(", {count} rejected ({reason})")).collect();
        let lag = source.lag_p50_ms.zip(source.lag_p99_ms);
        let lag = lag.map(|(p50, p99)| format!(", visible p50 {p50:.0} ms, p99 {p99:.0} ms after its time"));
        out::say(&format!(
            "{name}: {} received, {} accepted, {} duplicates, {} bytes, {} batches{}{}",
            source.received,
            source.accepted,
            source.duplicates,
            source.bytes,
            source.batches,
            lag.unwrap_or_default(),
            rejected.concat()
        ));
    }
    let stages = statistics
        .stages()
        .map(|(name, stage)| format!(", {name} {} batches {:.0} ms", stage.batches, stage.ms));
    out::say(&format!(
        "queue {} bytes (peak {}), {} stalls, backlog {} bytes (its oldest waits for {:.0} ms), {} syncs (p50 {:.1} ms, p99 {:.1} ms), \
         visible after p50 {:.0} ms, p99 {:.0} ms{}",
        statistics.queue_bytes,
        statistics.queue_peak_bytes,
        statistics.stalls,
        statistics.backlog_bytes,
        statistics.waiting_ms,
        statistics.syncs,
        statistics.sync_p50_ms,
        statistics.sync_p99_ms,
        statistics.visible_p50_ms,
        statistics.visible_p99_ms,
        stages.concat(),
    ));
    Ok(())
}

fn notify(notice: &Notice) {
    match notice {
        Notice::Torn { bytes } => out::say(&format!(
            "timberline: the log of what was received ended within a record ({bytes} bytes), as after a power \
             cut; everything that was acknowledged is kept"
        )),
        Notice::Failing(error) => {
            out::problem(error);
            out::say("  what is received is kept in the log, and it is tried again every second");
        }
        Notice::NotFollowed(why) => out::problem(why),
        Notice::Compressed(compressed) => out::say(&format!(
            "compressed what is old of {} sources: {} bytes became {}",
            compressed.sources, compressed.before, compressed.after
        )),
        Notice::Published => {}
        Notice::Dropped(retained) => out::say(&format!(
            "dropped {} events of {} sources ({} segments, {} bytes): older or more than is to be kept",
            retained.events, retained.sources, retained.segments, retained.bytes
        )),
    }
}
