//! The command line as data. `--help` is made from these words.

use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};

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
    /// Tell what would be imported; no case is made
    Detect(Detect),
    /// Write the matching events to a file: csv, ndjson, or else the original bytes
    Export(Export),
    /// Tell what is in a case
    Info(CaseArgument),
    /// Read everything back and compare it with the hashes
    Verify(Verify),
    /// Keep more or less besides the original bytes; answers stay the same
    Reprofile(Reprofile),
    /// Make a case smaller: pack it harder and merge its small parts
    Compact(Rewrite),
    /// Take sources out of a case, with all that is kept of them
    Delete(Delete),
    /// Serve the workbench to a browser on this machine
    Serve(Serve),
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
}

impl Reading {
    pub fn options(&self) -> indexer::Result<indexer::ReadOptions> {
        let mut options = indexer::ReadOptions {
            encoding: self.encoding.clone(),
            zone: self.zone.clone(),
            year: self.year,
            ..indexer::ReadOptions::default()
        };
        match &self.format {
            Some(file) if Path::new(file).is_file() => {
                options.definitions = indexer::definitions(Path::new(file))?;
            }
            Some(name) if !indexer::format_names().any(|(known, _)| known == name) => {
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
        Ok(options)
    }
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
    /// Files and folders; `-` for what is piped in
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// What is kept besides the original bytes; full for a new case
    #[arg(long, value_enum)]
    pub profile: Option<Profile>,
    #[command(flatten)]
    pub reading: Reading,
    /// Print the result as one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Text,
    /// The original bytes, a line an event
    Raw,
    Ndjson,
    Csv,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Sort {
    Time,
    #[value(name = "-time")]
    NewestFirst,
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
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// time: oldest first; -time: newest first
    #[arg(long, value_enum, default_value = "time", allow_hyphen_values = true)]
    pub sort: Sort,
    /// Print only how many match
    #[arg(long)]
    pub count: bool,
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
    /// Tell how it was answered: which path each clause took, what it read and how long it took
    #[arg(long)]
    pub explain: bool,
}

#[derive(Args)]
pub struct Detect {
    /// Files and folders; `-` for what is piped in
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: Reading,
    /// Print the result as one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct Export {
    /// The case's folder
    pub case: PathBuf,
    /// The filter; * is everything
    #[arg(value_name = "QUERY", allow_hyphen_values = true)]
    pub filter: String,
    /// The file to write; its ending tells the format
    #[arg(long)]
    pub to: PathBuf,
}

#[derive(Args)]
pub struct CaseArgument {
    /// The case's folder
    pub case: PathBuf,
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
