//! `timberline sql`: a case asked in SQL; the result is a table like that of pipes.

use std::io::Write;
use std::sync::Arc;

use anyhow::Result;
use indexer::{Cancel, Case, RunOptions, SqlOptions};

use crate::Outcome;
use crate::allowed::typed_files;
use crate::args;
use crate::events::{outcome, time_in};
use crate::out;
use crate::pipes;

pub fn run(arguments: &args::Sql) -> Result<Outcome> {
    let case = Arc::new(Case::open(&arguments.case)?);
    let snapshot = case.snapshot();
    let zone = arguments.zone.as_deref();
    let run = zone.map_or_else(|| Ok(RunOptions::default()), RunOptions::in_zone)?;
    let options = SqlOptions {
        range: (time_in(arguments.from.as_ref(), zone)?, time_in(arguments.to.as_ref(), zone)?),
        run: RunOptions { files: typed_files()?, ..run },
        ..SqlOptions::default()
    };
    let table = case.sql(&snapshot, &arguments.statement, &options, &Cancel::default());
    let table = table.inspect_err(|error| out::caret(&arguments.statement, error))?;
    table.notes.iter().for_each(|note| out::say(note));
    let mut stdout = out::stdout();
    pipes::print(&table, arguments.format.into(), arguments.formulas.into(), &mut stdout)?;
    stdout.flush()?;
    if arguments.explain {
        let calculated = case.explain_sql(&snapshot, &arguments.statement, &options, &Cancel::default())?;
        out::say(&calculated.map_or_else(|| "nothing is aggregated".to_owned(), |how| how.to_string()));
    }
    Ok(outcome(&snapshot))
}
