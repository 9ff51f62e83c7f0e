//! `timberline mcp`: lets an assistant on this machine look through cases, over the Model Context Protocol.
//!
//! A message is a line on standard input or output. Nothing is written to a case, no other file is read, and nothing is
//! connected to.

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

use crate::{Outcome, out};
use cases::OpenCases;
use protocol::Output;
use server::Server;

#[derive(Args)]
pub struct Mcp {
    /// The folders of the cases
    #[arg(value_name = "CASE", required = true)]
    pub cases: Vec<PathBuf>,
}

pub fn run(arguments: &Mcp) -> Result<Outcome> {
    let server = Arc::new(Server::new(OpenCases::open(&arguments.cases)?));
    let output = Arc::new(Output::new(Box::new(out::shared_stdout())));
    server.serve(&mut io::stdin().lock(), &output)?;
    Ok(Outcome::Done)
}
