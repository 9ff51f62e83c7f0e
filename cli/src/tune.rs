//! `timberline tune`: what the machine has, and how an import would use it.

use std::io::Write;

use anyhow::Result;
use indexer::{Host, Plan};
use serde_json::{Value, json};

use crate::Outcome;
use crate::args::Tune;
use crate::out;

pub fn run(arguments: &Tune) -> Result<Outcome> {
    let wishes = arguments.tuning.overrides();
    let host = Host::look(&wishes).with_disk(&arguments.disk);
    let plan = Plan::for_host(&host, &wishes);
    let mut stdout = out::stdout();
    if arguments.json {
        let report = json!({ "host": host_as_json(&host), "plan": plan_as_json(&plan) });
        writeln!(stdout, "{report:#}")?;
    } else {
        print(&mut stdout, &host, &plan)?;
    }
    stdout.flush()?;
    Ok(Outcome::Done)
}

fn print(out: &mut impl Write, host: &Host, plan: &Plan) -> std::io::Result<()> {
    let megabytes = |bytes: u64| format!("{} MB", bytes >> 20);
    let known = |bytes: Option<u64>, what: &str| bytes.map_or_else(|| what.to_owned(), megabytes);
    let rate = host.disk_bytes_a_second.map(|rate| format!("{} a second", megabytes(rate)));
    writeln!(out, "seen")?;
    writeln!(out, "  cores         {} of {} may be used", host.usable_cores, host.cores)?;
    writeln!(out, "  memory        {} available", megabytes(host.available_bytes))?;
    writeln!(out, "  limit         {}", known(host.limit_bytes, "none"))?;
    writeln!(out, "  disk          {}", rate.as_deref().unwrap_or("cannot be written to"))?;
    if let Some(load) = host.load {
        writeln!(out, "  load          {load:.1}")?;
    }
    writeln!(out, "plan")?;
    writeln!(out, "  memory        {}", megabytes(plan.budget_bytes))?;
    writeln!(out, "  parsers       {}", plan.parsers)?;
    writeln!(out, "  indexers      {}", plan.indexers)?;
    writeln!(out, "  segments      {} of text", megabytes(plan.segment_bytes as u64))?;
    writeln!(out, "  level         {}", plan.level)?;
    writeln!(out, "  published     every {} ms", plan.publication_ms)
}

fn host_as_json(host: &Host) -> Value {
    json!({
        "cores": host.cores,
        "usable_cores": host.usable_cores,
        "available_bytes": host.available_bytes,
        "limit_bytes": host.limit_bytes,
        "disk_bytes_a_second": host.disk_bytes_a_second,
        "load": host.load,
    })
}

pub fn plan_as_json(plan: &Plan) -> Value {
    json!({
        "budget_bytes": plan.budget_bytes,
        "parsers": plan.parsers,
        "indexers": plan.indexers,
        "segment_bytes": plan.segment_bytes,
        "segment_rows": plan.segment_rows,
        "segment_cells": plan.segment_cells,
        "level": plan.level,
        "publication_ms": plan.publication_ms,
    })
}
