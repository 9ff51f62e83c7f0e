//! `timberline mcp`: lets an assistant on this machine look through cases, over the Model Context Protocol.
//!
//! A message is a line on standard input or output. Nothing is written to a case, other files are read only below
//! the folders that a person allowed, and nothing is connected to.

mod answer;
mod arguments;
mod call;
mod cases;
mod limits;
mod protocol;
mod server;
mod tools;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use clap::Args;

use crate::allowed::files_below;
use crate::{Outcome, out};
use cases::OpenCases;
use protocol::Output;
use server::Server;

#[derive(Args)]
pub struct Mcp {
    /// The folders of the cases
    #[arg(value_name = "CASE", required = true)]
    pub cases: Vec<PathBuf>,
    /// Let SQL read the files below this folder; may be repeated. Otherwise it reads no files
    #[arg(long, value_name = "FOLDER")]
    pub allow_files: Vec<PathBuf>,
    /// A file or folder of Sigma rules that the tools `sigma` and `alerts` run; may be repeated
    #[arg(long, value_name = "FOLDER")]
    pub rules: Vec<PathBuf>,
}

pub fn run(arguments: &Mcp) -> Result<Outcome> {
    let (cases, files) = (OpenCases::open(&arguments.cases)?, files_below(&arguments.allow_files)?);
    let server = Arc::new(Server::new(cases, files, arguments.rules.clone()));
    let output = Arc::new(Output::new(Box::new(out::shared_stdout())));
    server.serve(&mut io::stdin().lock(), &output)?;
    Ok(Outcome::Done)
}
