//! Arguments of the commands, and how their texts are read. `--help` is made from these words.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use indexer::{Definition, Error, ErrorKind, SortBy, duration, message_format};

use crate::tuning::Tuning;

/// How files are read.
#[derive(Args)]
pub struct ReadingArguments {
    /// Format of all files instead of detection: a name, or a definition file
    #[arg(long)]
    pub format: Option<String>,
    /// Encoding of all files instead of detection: utf-16le, cp932
    #[arg(long)]
    pub encoding: Option<String>,
    /// Time zone of times without one: Europe/Berlin, +02:00
    #[arg(long, value_name = "TZ")]
    pub zone: Option<String>,
    /// Year of the first event, where times have none
    #[arg(long)]
    pub year: Option<i16>,
    /// Field that contains the time, where events have fields; `timberline preview` lists them
    #[arg(long, value_name = "FIELD")]
    pub time_field: Option<String>,
    /// Clock offset to add to every time: 1h30m, -250ms
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true)]
    pub offset: Option<String>,
    /// Boot time of the machine, where times are uptimes (RFC 3339)
    #[arg(long, value_name = "T")]
    pub boot: Option<String>,
}

impl ReadingArguments {
    pub fn options(&self) -> indexer::Result<indexer::ReadOptions> {
        let mut options = indexer::ReadOptions {
            encoding: self.encoding.clone(),
            zone: self.zone.clone(),
            year: self.year,
            time_field: self.time_field.clone(),
            clock_offset_ns: self.offset.as_deref().map_or(Ok(0), clock_offset_ns)?,
            boot_ns: self.boot.as_deref().map(boot_ns).transpose()?,
            ..indexer::ReadOptions::default()
        };
        let saved = wire::saved_definitions(&wire::home());
        match &self.format {
            Some(file) if Path::new(file).is_file() => {
                options.definitions = indexer::definitions(Path::new(file))?;
            }
            Some(name) => {
                check_format(name, &saved)?;
                options.format = Some(name.clone());
            }
            None => {}
        }
        // Of one definition it is clear which is meant; of several the data tells.
        if let [definition] = options.definitions.as_slice() {
            options.format = Some(definition.name.clone());
        }
        options.definitions.extend(saved);
        Ok(options)
    }
}

/// Which files of folders are imported.
#[derive(Args)]
pub struct Folders {
    /// Import only matching files of folders: *.log, web/**/*.gz; repeatable
    #[arg(long, value_name = "GLOB")]
    pub include: Vec<String>,
    /// Skip matching files and folders; repeatable
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,
    /// Follow links in folders, wherever they lead; without this they are listed and skipped
    #[arg(long)]
    pub follow_links: bool,
}

impl Folders {
    pub fn filter(&self) -> indexer::Filter {
        let globs = |patterns: &[String]| patterns.iter().map(|one| indexer::Glob::new(one)).collect();
        indexer::Filter {
            include: globs(&self.include),
            exclude: globs(&self.exclude),
            follow_links: self.follow_links,
        }
    }
}

fn boot_ns(text: &str) -> indexer::Result<i64> {
    indexer::stamp::parse(text).ok_or_else(|| {
        let message = format!("\"{text}\" is not a time");
        Error::new(ErrorKind::BadRequest, message).hint("write it as 2026-03-01T14:05:00Z")
    })
}

pub fn clock_offset_ns(text: &str) -> indexer::Result<i64> {
    duration::parse(text).ok_or_else(|| {
        let message = format!("\"{text}\" is not a duration");
        let error = Error::new(ErrorKind::BadRequest, message);
        error.hint("write numbers with their units, d h m s ms us ns: 1h30m, -250ms, 1.5s")
    })
}

/// Refuses a format that is neither built in nor defined; of messages of syslog, that of the messages.
pub fn check_format(format: &str, definitions: &[Arc<Definition>]) -> Result<(), Error> {
    let name = message_format(format);
    let is_built_in = indexer::format_names().any(|(known, _)| known == name);
    if is_built_in || definitions.iter().any(|known| known.name == name) {
        return Ok(());
    }
    let message = format!("there is no format named \"{name}\", and no file that defines one");
    let names: Vec<_> = indexer::format_names().map(|(name, _)| name).collect();
    Err(refused(message).hint(format!("the formats are {}", names.join(", "))))
}

pub fn duration(text: &str) -> Result<Duration, Error> {
    let nanoseconds = duration::parse(text).and_then(|ns| u64::try_from(ns).ok()).filter(|&ns| ns > 0);
    nanoseconds.map(Duration::from_nanos).ok_or_else(|| {
        refused(format!("\"{text}\" is not a length of time"))
            .hint("write a number with its unit, ms s m h d: 200ms, 7d")
    })
}

pub fn refused(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::BadRequest, message)
}

#[derive(Args)]
pub struct Check {
    /// The case's folder
    pub case: PathBuf,
    /// Files and folders (*.yml, *.yaml: Sigma rules; *.toml: detectors), or `starter` for the built-in ones
    #[arg(required = true)]
    pub detectors: Vec<PathBuf>,
    /// Only events from this time on
    #[arg(long, value_name = "T")]
    pub from: Option<String>,
    /// Only events before this time
    #[arg(long, value_name = "T")]
    pub to: Option<String>,
    /// The least severity that gives exit code 4; any unless given
    #[arg(long, value_name = "S")]
    pub severity: Option<Severity>,
    #[arg(long, value_enum, default_value = "text")]
    pub format: AlertFormat,
    /// A table of log sources that adds to the built-in one; repeatable
    #[arg(long, value_name = "FILE")]
    pub logsource: Vec<PathBuf>,
    /// A TOML file with values of placeholders, for the modifier `expand`; repeatable
    #[arg(long, value_name = "FILE")]
    pub placeholders: Vec<PathBuf>,
    /// One alert for each event of a Sigma rule, with its host, user and process and the values that matched
    #[arg(long)]
    pub events: bool,
    /// Name every detector that is not applicable
    #[arg(long)]
    pub verbose: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AlertFormat {
    Text,
    Json,
    Ndjson,
    Sarif,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Severity {
    #[value(alias = "info")]
    Informational,
    Low,
    Medium,
    High,
    Critical,
}

impl From<Severity> for ::detect::Severity {
    fn from(severity: Severity) -> ::detect::Severity {
        match severity {
            Severity::Informational => ::detect::Severity::Informational,
            Severity::Low => ::detect::Severity::Low,
            Severity::Medium => ::detect::Severity::Medium,
            Severity::High => ::detect::Severity::High,
            Severity::Critical => ::detect::Severity::Critical,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Profile {
    /// Time, level and position; queries on fields parse the text again
    Raw,
    /// Typed columns; text search scans the text
    Fields,
    /// Columns and a Bloom filter of tokens per block of rows
    Bloom,
    /// Columns and text index
    Full,
}

impl From<Profile> for indexer::Profile {
    fn from(profile: Profile) -> indexer::Profile {
        match profile {
            Profile::Raw => indexer::Profile::Raw,
            Profile::Fields => indexer::Profile::Fields,
            Profile::Bloom => indexer::Profile::Bloom,
            Profile::Full => indexer::Profile::Full,
        }
    }
}

#[derive(Args)]
pub struct Import {
    /// The case's folder
    pub case: PathBuf,
    /// Files, folders and glob patterns (logs/**/*.gz); `-` for standard input
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// Storage profile: what is stored besides the original bytes (default for a new case: full)
    #[arg(long, value_enum)]
    pub profile: Option<Profile>,
    #[command(flatten)]
    pub reading: ReadingArguments,
    #[command(flatten)]
    pub folders: Folders,
    /// Import even if less than 5 % of the disk, or 10 GB, would stay free
    #[arg(long)]
    pub beyond_reserve: bool,
    /// Import files again that are already in the case, as new sources
    #[arg(long)]
    pub again: bool,
    #[command(flatten)]
    pub tuning: Tuning,
    /// Progress on stderr: one line of a terminal, or a JSON object per line
    #[arg(long, value_enum, default_value = "terminal")]
    pub progress: ProgressForm,
    /// Print the result as one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProgressForm {
    Terminal,
    Json,
}

#[derive(Args)]
pub struct Bench {
    /// Logs to import into a temporary case; or a case, and logs to import at the same time
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// Print the result as one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct Adjust {
    /// The case's folder
    pub case: PathBuf,
    /// Source: number, name or path, or a rotated set
    pub source: String,
    /// Time zone of times without one: Europe/Berlin, +02:00
    #[arg(long, value_name = "TZ")]
    pub zone: Option<String>,
    /// Clock offset to add to every time as written, 0s to remove an earlier one: 1h30m, -250ms
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true)]
    pub offset: Option<String>,
}

#[derive(Args)]
pub struct Reread {
    /// The case's folder
    pub case: PathBuf,
    /// Source: number, name or path, or a rotated set
    pub source: String,
    #[command(flatten)]
    pub reading: ReadingArguments,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Text,
    /// The original bytes, one event per line
    Raw,
    Ndjson,
    Csv,
    /// For tools that read columns
    Parquet,
    /// For tools that map columns into memory: Arrow IPC
    Arrow,
}

#[derive(Args)]
pub struct Query {
    /// The case's folder, or a cluster as remote:NAME
    pub case: PathBuf,
    /// Filter or query; * matches everything
    #[arg(value_name = "QUERY", allow_hyphen_values = true)]
    pub filter: String,
    /// Only events at or after this time (RFC 3339; in --zone if it names none)
    #[arg(long, value_name = "T")]
    pub from: Option<String>,
    /// Only events before this time
    #[arg(long, value_name = "T")]
    pub to: Option<String>,
    /// Maximum number of events
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// Sort by time (default), -time, relevance or any field; - sorts descending
    #[arg(long, value_name = "[-]FIELD", allow_hyphen_values = true)]
    pub sort: Option<String>,
    /// Print only the number of matching events
    #[arg(long)]
    pub count: bool,
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
    /// What csv does with cells that a spreadsheet would calculate, which begin with = + - @: escape puts an
    /// apostrophe before them
    #[arg(long, value_enum, default_value = "keep")]
    pub formulas: Formulas,
    /// Explain how the query was run: path, bytes read and time of each clause; whether kernels ran the first
    /// aggregation, and if not why. Of a cluster: the requests
    #[arg(long)]
    pub explain: bool,
    /// Time zone of days, bins and times that name none, in the query and in --from and --to: Europe/Berlin (default:
    /// UTC)
    #[arg(long, value_name = "TZ")]
    pub zone: Option<String>,
    #[command(flatten)]
    pub cluster: OfClusters,
}

/// What only questions to clusters have.
#[derive(Args)]
pub struct OfClusters {
    /// Ask a cluster together with the case, as if their events were in one place; can be given several times
    #[arg(long, value_name = "remote:NAME")]
    pub with: Vec<String>,
    /// The longest time for one request to a cluster: 2m (default: 1m)
    #[arg(long, value_name = "DURATION")]
    pub timeout: Option<String>,
    /// Calculate percentiles and distinct counts of a cluster's events here, from the values themselves. Clusters only
    /// estimate them; up to a million events are fetched for it, with the needed fields
    #[arg(long)]
    pub exact: bool,
}

impl Query {
    pub fn sort(&self) -> SortBy {
        let text = self.sort.as_deref().unwrap_or("time");
        let (field, descending) = text.strip_prefix('-').map_or((text, false), |field| (field, true));
        // Nobody wants the worst match first; who has a field of this name writes the dash.
        let descending = descending || field == "relevance";
        SortBy { field: field.to_owned(), descending }
    }
}

#[derive(Args)]
pub struct Words {
    /// The case's folder
    pub case: PathBuf,
    /// Only words that begin so
    #[arg(default_value = "")]
    pub prefix: String,
    /// The words that distinguish the matching events from all others, each with its counts in both
    #[arg(long = "of", value_name = "QUERY", allow_hyphen_values = true, conflicts_with = "prefix")]
    pub selection: Option<String>,
    /// At most so many
    #[arg(long, value_name = "N", default_value = "20")]
    pub limit: usize,
}

#[derive(Args)]
pub struct Sql {
    /// The case's folder
    pub case: PathBuf,
    /// The statement
    #[arg(value_name = "SELECT")]
    pub statement: String,
    #[arg(long, value_enum, default_value = "text")]
    pub format: TableFormat,
    /// What csv does with cells that a spreadsheet would calculate, which begin with = + - @: escape puts an
    /// apostrophe before them
    #[arg(long, value_enum, default_value = "keep")]
    pub formulas: Formulas,
    /// Only events at or after this time (RFC 3339; in --zone if it names none)
    #[arg(long, value_name = "T")]
    pub from: Option<String>,
    /// Only events before this time
    #[arg(long, value_name = "T")]
    pub to: Option<String>,
    /// Time zone of days and of times that name none, in the statement and in --from and --to: Europe/Berlin (default:
    /// UTC)
    #[arg(long, value_name = "TZ")]
    pub zone: Option<String>,
    /// Explain whether kernels ran the first aggregation, and if not why
    #[arg(long)]
    pub explain: bool,
}

/// Output format of a table.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TableFormat {
    Text,
    Ndjson,
    Csv,
    Parquet,
    Arrow,
}

impl From<TableFormat> for Format {
    fn from(format: TableFormat) -> Format {
        match format {
            TableFormat::Text => Format::Text,
            TableFormat::Ndjson => Format::Ndjson,
            TableFormat::Csv => Format::Csv,
            TableFormat::Parquet => Format::Parquet,
            TableFormat::Arrow => Format::Arrow,
        }
    }
}

/// What is done with cells of CSV that a spreadsheet would calculate.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Formulas {
    Keep,
    Escape,
}

impl From<Formulas> for indexer::export::Formulas {
    fn from(formulas: Formulas) -> indexer::export::Formulas {
        match formulas {
            Formulas::Keep => indexer::export::Formulas::Keep,
            Formulas::Escape => indexer::export::Formulas::Escape,
        }
    }
}

#[derive(Args)]
pub struct Preview {
    /// Files, folders and glob patterns (logs/**/*.gz); `-` for standard input
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: ReadingArguments,
    #[command(flatten)]
    pub folders: Folders,
    /// Print the result as one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct Export {
    /// The case's folder
    pub case: PathBuf,
    /// Filter or query; * matches everything
    #[arg(value_name = "QUERY", allow_hyphen_values = true, required_unless_present = "notes")]
    pub filter: Option<String>,
    /// Output file; its extension selects the format
    #[arg(long, required_unless_present = "notes")]
    pub to: Option<PathBuf>,
    /// Write the notebook with the results of its cells and the events with notes: FILE.html or FILE.md
    #[arg(long, value_name = "FILE", conflicts_with_all = ["filter", "to", "format", "formulas"])]
    pub notes: Option<PathBuf>,
    /// Let cells read the files below this folder; may be repeated. Otherwise they read no files
    #[arg(long, value_name = "FOLDER", requires = "notes", conflicts_with_all = ["filter", "to"])]
    pub allow_files: Vec<PathBuf>,
    /// Output format, independent of the file extension
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    /// What csv does with cells that a spreadsheet would calculate, which begin with = + - @: escape puts an
    /// apostrophe before them
    #[arg(long, value_enum, default_value = "escape")]
    pub formulas: Formulas,
}

#[derive(Args)]
pub struct CaseArgument {
    /// The case's folder
    pub case: PathBuf,
}

#[derive(Args)]
pub struct Tune {
    /// Sample files to measure the profiles with
    pub paths: Vec<PathBuf>,
    /// A folder on the disk where the case will be
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    pub disk: PathBuf,
    #[command(flatten)]
    pub tuning: Tuning,
    /// Print the result as one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct Verify {
    /// The case's folder
    pub case: PathBuf,
    /// Rebuild what is damaged from the original bytes
    #[arg(long)]
    pub repair: bool,
}

#[derive(Args)]
pub struct Reprofile {
    /// The case's folder
    pub case: PathBuf,
    #[arg(value_enum)]
    pub profile: Profile,
}

#[derive(Args)]
pub struct Rewrite {
    /// The case's folder
    pub case: PathBuf,
    /// Print the result as one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct Delete {
    /// The case's folder
    pub case: PathBuf,
    /// Source names as `info` prints them, or numbers
    #[arg(required = true)]
    pub sources: Vec<String>,
}

#[derive(Args)]
pub struct Serve {
    /// Files and folders to import, or a case to open
    pub paths: Vec<PathBuf>,
    /// Port on 127.0.0.1; 0 selects a free one
    #[arg(long, default_value_t = 0)]
    pub port: u16,
    /// A file of mode 600 with the access token of the address (default: TIMBERLINE_TOKEN, else random)
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
}
