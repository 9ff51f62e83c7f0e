//! `timberline`: the engine on the command line. Data goes to stdout, words for people to stderr.
//!
//! Exit codes: 0 done, 1 done but some input was unreadable (and named), 2 usage, 3 failed, 4 a detector fired.

mod adjust;
mod alerts;
mod allowed;
mod args;
mod bench;
mod check;
mod commands;
mod compare;
mod configs;
mod events;
mod files;
mod import;
mod inbox;
mod info;
mod links;
mod listen;
mod mcp;
mod notebook;
mod out;
mod pipes;
mod preview;
mod push;
mod query;
mod readings;
mod remotes;
mod rewrite;
mod rule_events;
mod seismograph;
mod serve;
mod service_map;
mod sql;
mod stages;
mod together;
mod token;
mod tune;
mod tuning;
mod words;
mod workbench;

use std::process::ExitCode;

use clap::Parser;
use indexer::ErrorKind;

use crate::commands::{Arguments, Command};

/// How a command ended, where it did not fail.
pub enum Outcome {
    Done,
    /// Some input could not be read; it was named on the way.
    Unreadable,
    /// A detector of the severity asked for fired.
    Fired,
}

/// The system ends a program that writes beyond the largest file it may write, unless the program handles the signal:
/// then the write fails, and is reported like any other.
#[cfg(unix)]
fn fail_at_largest_file() {
    // Refused, it ends like a program that does not ask.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default());
}

#[cfg(not(unix))]
fn fail_at_largest_file() {}

fn main() -> ExitCode {
    out::report_panics();
    fail_at_largest_file();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        // Help is this program's own text. A mistake quotes arguments, which can be names of files.
        Err(help) if !help.use_stderr() => help.exit(),
        Err(mistake) => {
            out::say(mistake.to_string().trim_end());
            return ExitCode::from(2);
        }
    };
    let outcome = match arguments.command {
        Command::Import(arguments) => import::run(&arguments),
        Command::Query(arguments) => query::run(&arguments),
        Command::Words(arguments) => words::run(&arguments),
        Command::Compare(arguments) => compare::run(&arguments),
        Command::Seismograph(arguments) => seismograph::run(&arguments),
        Command::Map(arguments) => service_map::run(&arguments),
        Command::Links(arguments) => links::run(&arguments),
        Command::Configs(arguments) => configs::run(&arguments),
        Command::Sql(arguments) => sql::run(&arguments),
        Command::Preview(arguments) => preview::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Alerts(arguments) => inbox::run(&arguments),
        Command::Export(arguments) => events::export(&arguments),
        Command::Info(arguments) => info::info(&arguments),
        Command::Verify(arguments) => info::verify(&arguments),
        Command::Adjust(arguments) => adjust::adjust(&arguments),
        Command::Reread(arguments) => adjust::reread(&arguments),
        Command::Reprofile(arguments) => rewrite::reprofile(&arguments),
        Command::Listen(arguments) => listen::run(&arguments),
        Command::Mcp(arguments) => mcp::run(&arguments),
        Command::Compact(arguments) => rewrite::compact(&arguments),
        Command::Delete(arguments) => rewrite::delete(&arguments),
        Command::Restore(arguments) => rewrite::restore(&arguments),
        Command::Tune(arguments) => tune::run(&arguments),
        Command::Serve(arguments) => serve::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Push(arguments) => push::push(&arguments),
        Command::Plan(arguments) => push::plan(&arguments),
        Command::Remote(arguments) => remotes::run(&arguments),
    };
    match outcome {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Unreadable) => ExitCode::from(1),
        Ok(Outcome::Fired) => ExitCode::from(4),
        Err(error) if out::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let Some(error) = error.downcast_ref::<indexer::Error>() else {
                out::say(&format!("timberline: {error:#}"));
                return ExitCode::from(3);
            };
            out::problem(error);
            let usage = matches!(error.kind(), ErrorKind::QueryInvalid | ErrorKind::BadRequest);
            ExitCode::from(if usage { 2 } else { 3 })
        }
    }
}
