//! The command line as data: every command, with what it does as `--help` says it.

use clap::{Parser, Subcommand};

use crate::args::{
    Adjust, Bench, CaseArgument, Check, Delete, Export, Import, Preview, Query, Reprofile, Reread, Rewrite,
    Serve, Sql, Tune, Verify, Words,
};
use crate::compare::Compare;
use crate::configs::Configs;
use crate::links::Links;
use crate::listen::Listen;
use crate::mcp::Mcp;
use crate::push::{Plan, Push};

/// Import logs into a case and query it: offline, on this machine.
#[derive(Parser)]
#[command(name = "timberline", version, about, max_term_width = 100)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Import files and folders into a case; create the case if needed
    Import(Import),
    /// Print matching events, or the result of a query with stages
    Query(Query),
    /// Query a case with SQL: SELECT … FROM events, templates, notes, sources or 'FILE.csv'
    Sql(Sql),
    /// Print the words that begin with a prefix, each with the number of events that contain it
    Words(Words),
    /// Compare two parts of a case: what is new, gone, more or less frequent, slower, or stopped
    Compare(Compare),
    /// Show message patterns over time by what is normal for each: what starts, stops and beats
    Seismograph(crate::seismograph::Seismograph),
    /// Find fields of different sources that hold the same values, and clocks that differ
    Links(Links),
    /// Show who follows whom: steps between services, from events with the same id
    Map(crate::service_map::ServiceMap),
    /// Show how files would be read, without creating a case
    #[command(alias = "detect")]
    Preview(Preview),
    /// Evaluate detectors and Sigma rules over a case and print alerts; exit code 4 when something fired
    Check(Check),
    /// List the alerts of a case, and acknowledge, close or mute them
    Alerts(Box<crate::inbox::InboxArguments>),
    /// Write matching events to a file: csv, ndjson, parquet, arrow, or the original bytes
    Export(Export),
    /// Show what a case contains
    Info(CaseArgument),
    /// Read everything back and compare it with the stored hashes
    Verify(Verify),
    /// Set the time zone or clock offset of a source; its times are computed again from the stored bytes
    Adjust(Adjust),
    /// Re-import a source in another format or encoding, from the stored bytes
    Reread(Reread),
    /// Change the storage profile of a case; results stay the same
    Reprofile(Reprofile),
    /// Receive logs that are still being written: syslog, files that grow, the journal, standard input
    Listen(Box<Listen>),
    /// Make a case smaller: compress it harder and merge small segments
    Compact(Rewrite),
    /// Delete sources from a case with all their data
    Delete(Delete),
    /// Take back the last change that replaced or deleted something, from the case's trash
    Restore(CaseArgument),
    /// Show cores, memory and disk, and how an import would use them
    Tune(Tune),
    /// Serve the workbench to a browser on this machine
    Serve(Serve),
    /// Let an assistant on this machine look through cases: a Model Context Protocol server, read-only
    Mcp(Mcp),
    /// Measure import and query speed on this machine
    Bench(Bench),
    /// Send matching events to a cluster, or write them as documents for its _bulk
    Push(Push),
    /// Calculate how large a cluster must be for the events of a case
    Plan(Plan),
    /// Write an ingest pipeline, an index template and configurations of shippers that read a source as Timberline does
    Configs(Configs),
    /// Add, list, check and remove clusters: Elasticsearch and OpenSearch, which are asked as remote:NAME
    Remote(crate::remotes::RemoteArguments),
}
