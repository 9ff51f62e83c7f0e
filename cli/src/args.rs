//! The command line as data. `--help` is made from these words.

use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};
use indexer::SortBy;

use crate::tuning::Tuning;

/// Logs into a case, questions to a case: offline, on this machine.
#[derive(Parser)]
#[command(name = "timberline", version, about, max_term_width = 100)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Read files and folders into a case; a case that is not there is made
    Import(Import),
    /// Print the events of a case that match
    Query(Query),
    /// Ask a case in SQL: SELECT … FROM events, templates, notes, sources or 'FILE.csv'
    Sql(Sql),
    /// Tell what would be imported; no case is made
    Detect(Detect),
    /// Write the matching events to a file: csv, ndjson, parquet, arrow, or else the original bytes
    Export(Export),
    /// Tell what is in a case
    Info(CaseArgument),
    /// Read everything back and compare it with the hashes
    Verify(Verify),
    /// Set the zone or the clock of a source in a case; its times are made anew from what is stored
    Adjust(Adjust),
    /// Read a source of a case anew, as another format or in another encoding, from what is stored
    Reread(Reread),
    /// Keep more or less besides the original bytes; answers stay the same
    Reprofile(Reprofile),
    /// Make a case smaller: pack it harder and merge its small parts
    Compact(Rewrite),
    /// Take sources out of a case, with all that is kept of them
    Delete(Delete),
    /// Tell what there is of cores, memory and disk, and how an import would use it
    Tune(Tune),
    /// Serve the workbench to a browser on this machine
    Serve(Serve),
    /// Measure how fast logs become a case on this machine, and how fast it answers
    Bench(Bench),
}

/// How files are read.
#[derive(Args)]
pub struct Reading {
    /// Read every file as this format instead of asking the data: its name, or a file that defines it
    #[arg(long)]
    pub format: Option<String>,
    /// Read every file as text in this encoding instead of asking the data: utf-16le, cp932
    #[arg(long)]
    pub encoding: Option<String>,
    /// Zone of times that name none: Europe/Berlin, +02:00
    #[arg(long, value_name = "TZ")]
    pub zone: Option<String>,
    /// Year of the first time, where times name none
    #[arg(long)]
    pub year: Option<i16>,
    /// Add this to every time, for a machine whose clock was wrong: 1h30m, -250ms
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true)]
    pub offset: Option<String>,
    /// When the machine was started, where times are uptimes (RFC 3339)
    #[arg(long, value_name = "T")]
    pub boot: Option<String>,
}

impl Reading {
    pub fn options(&self) -> indexer::Result<indexer::ReadOptions> {
        let mut options = indexer::ReadOptions {
            encoding: self.encoding.clone(),
            zone: self.zone.clone(),
            year: self.year,
            clock_offset_ns: self.offset.as_deref().map_or(Ok(0), clock_offset_ns)?,
            boot_ns: self.boot.as_deref().map(boot_ns).transpose()?,
            ..indexer::ReadOptions::default()
        };
        let saved = wire::saved_definitions(&wire::home());
        let is_saved = |name: &str| saved.iter().any(|definition| definition.name == name);
        match &self.format {
            Some(file) if Path::new(file).is_file() => {
                options.definitions = indexer::definitions(Path::new(file))?;
            }
            Some(name) if !is_saved(name) && !indexer::format_names().any(|(known, _)| known == name) => {
                let message = format!("there is no format named \"{name}\", and no file that defines one");
                let names: Vec<_> = indexer::format_names().map(|(name, _)| name).collect();
                let error = indexer::Error::new(indexer::ErrorKind::BadRequest, message);
                return Err(error.hint(format!("the formats are {}", names.join(", "))));
            }
            format => options.format.clone_from(format),
        }
        // Of one definition it is clear which is meant; of several the data tells.
        if let [definition] = options.definitions.as_slice() {
            options.format = Some(definition.name.clone());
        }
        options.definitions.extend(saved);
        Ok(options)
    }
}

/// What of folders is taken.
#[derive(Args)]
pub struct Folders {
    /// Of folders, only files that match: *.log, web/**/*.gz; may be given several times
    #[arg(long, value_name = "GLOB")]
    pub include: Vec<String>,
    /// Of folders, no files and folders that match; may be given several times
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,
}

impl Folders {
    pub fn filter(&self) -> indexer::Filter {
        let globs = |patterns: &[String]| patterns.iter().map(|one| indexer::Glob::new(one)).collect();
        indexer::Filter { include: globs(&self.include), exclude: globs(&self.exclude) }
    }
}

fn boot_ns(text: &str) -> indexer::Result<i64> {
    indexer::stamp::parse(text).ok_or_else(|| {
        let message = format!("\"{text}\" is not a time");
        indexer::Error::new(indexer::ErrorKind::BadRequest, message).hint("write it as 2026-03-01T14:05:00Z")
    })
}

/// `1h30m`, `-250ms`, `+2s`: a sign, and numbers with their units.
pub fn clock_offset_ns(text: &str) -> indexer::Result<i64> {
    duration_ns(text).ok_or_else(|| {
        let message = format!("\"{text}\" is not a duration");
        let error = indexer::Error::new(indexer::ErrorKind::BadRequest, message);
        error.hint("write numbers with their units, d h m s ms us ns: 1h30m, -250ms")
    })
}

fn duration_ns(text: &str) -> Option<i64> {
    const UNITS: [(&str, i64); 7] = [
        ("ms", 1_000_000),
        ("us", 1_000),
        ("ns", 1),
        ("d", 86_400_000_000_000),
        ("h", 3_600_000_000_000),
        ("m", 60_000_000_000),
        ("s", 1_000_000_000),
    ];
    let (sign, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let mut total = 0_i64;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.find(|letter: char| !letter.is_ascii_digit())?;
        let number: i64 = rest[..digits].parse().ok()?;
        let (unit, unit_ns) = UNITS.into_iter().find(|(unit, _)| rest[digits..].starts_with(unit))?;
        total = total.checked_add(number.checked_mul(unit_ns)?)?;
        rest = &rest[digits + unit.len()..];
    }
    Some(sign * total)
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Profile {
    /// Time, level and place; questions about fields parse the text again
    Raw,
    /// Typed columns; searches for text read the text
    Fields,
    /// Columns, and filters of the tokens in each block of rows
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
    /// Files, folders and patterns (logs/**/*.gz); `-` for what is piped in
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// What is kept besides the original bytes; full for a new case
    #[arg(long, value_enum)]
    pub profile: Option<Profile>,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub folders: Folders,
    /// Import even where the case would reach into the 15 % of its disk that are kept free
    #[arg(long)]
    pub beyond_reserve: bool,
    /// Import what is in the case already once more, as sources of its own
    #[arg(long)]
    pub again: bool,
    #[command(flatten)]
    pub tuning: Tuning,
    /// How progress is told: on one line of a terminal, or as a JSON object a line on stderr
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
    /// Logs, which are imported into a case that is gone afterwards; or a case, and logs to import beside it
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
    /// The source: its number, name or path, or a rotated set
    pub source: String,
    /// Zone of times that name none: Europe/Berlin, +02:00
    #[arg(long, value_name = "TZ")]
    pub zone: Option<String>,
    /// Add this to every time as written; 0s takes an earlier offset back: 1h30m, -250ms
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true)]
    pub offset: Option<String>,
}

#[derive(Args)]
pub struct Reread {
    /// The case's folder
    pub case: PathBuf,
    /// The source: its number, name or path, or a rotated set
    pub source: String,
    #[command(flatten)]
    pub reading: Reading,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Text,
    /// The original bytes, a line an event
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
    /// The case's folder
    pub case: PathBuf,
    /// The filter; * is everything
    #[arg(value_name = "QUERY", allow_hyphen_values = true)]
    pub filter: String,
    /// Only events from this time on (RFC 3339; without a zone it is UTC)
    #[arg(long, value_name = "T")]
    pub from: Option<String>,
    /// Only events before this time
    #[arg(long, value_name = "T")]
    pub to: Option<String>,
    /// At most so many
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// time (as without this: oldest first), -time, or any field; - is for the greatest first
    #[arg(long, value_name = "[-]FIELD", allow_hyphen_values = true)]
    pub sort: Option<String>,
    /// Print only how many match
    #[arg(long)]
    pub count: bool,
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
    /// Tell how it was answered: which path each clause took, what it read and how long it took
    #[arg(long)]
    pub explain: bool,
}

impl Query {
    pub fn sort(&self) -> SortBy {
        let text = self.sort.as_deref().unwrap_or("time");
        let (field, descending) = text.strip_prefix('-').map_or((text, false), |field| (field, true));
        SortBy { field: field.to_owned(), descending }
    }
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
    /// Only events from this time on (RFC 3339; without a zone it is UTC)
    #[arg(long, value_name = "T")]
    pub from: Option<String>,
    /// Only events before this time
    #[arg(long, value_name = "T")]
    pub to: Option<String>,
    /// Zone of days, and of times in the statement: Europe/Berlin (as without this: UTC)
    #[arg(long, value_name = "TZ")]
    pub zone: Option<String>,
}

/// What a table is written as.
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

#[derive(Args)]
pub struct Detect {
    /// Files, folders and patterns (logs/**/*.gz); `-` for what is piped in
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: Reading,
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
    /// The filter; * is everything
    #[arg(value_name = "QUERY", allow_hyphen_values = true, required_unless_present = "notes")]
    pub filter: Option<String>,
    /// The file to write; its ending tells the format
    #[arg(long, required_unless_present = "notes")]
    pub to: Option<PathBuf>,
    /// Write the notebook instead, with its cells answered and the noted events: FILE.html or FILE.md
    #[arg(long, value_name = "FILE", conflicts_with_all = ["filter", "to", "format"])]
    pub notes: Option<PathBuf>,
    /// The format, whatever the file's ending
    #[arg(long, value_enum)]
    pub format: Option<Format>,
}

#[derive(Args)]
pub struct CaseArgument {
    /// The case's folder
    pub case: PathBuf,
}

#[derive(Args)]
pub struct Tune {
    /// Files to measure the profiles with, on their first bytes
    pub paths: Vec<PathBuf>,
    /// A folder on the disk that the case is to be on
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
    /// Make anew what is damaged, from the original bytes
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
    /// Names of sources as `info` prints them, or their numbers
    #[arg(required = true)]
    pub sources: Vec<String>,
}

#[derive(Args)]
pub struct Serve {
    /// Files and folders to import, or a case to open, in the first window
    pub paths: Vec<PathBuf>,
    /// Port on 127.0.0.1; 0 takes a free one
    #[arg(long, default_value_t = 0)]
    pub port: u16,
    /// The secret in the address; a random one unless given
    #[arg(long)]
    pub token: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_numbers_with_units() {
        let hour = 3_600_000_000_000;
        assert_eq!(duration_ns("1h30m"), Some(hour * 3 / 2));
        assert_eq!(duration_ns("-250ms"), Some(-250_000_000));
        assert_eq!(duration_ns("+2s"), Some(2_000_000_000));
        for wrong in ["", "-", "5", "h", "1h5", "1 h", "9999999999999d"] {
            assert_eq!(duration_ns(wrong), None, "{wrong}");
        }
    }
}
