//! `timberline tune`: what the machine has, how an import would use it, and what each profile costs there.

use std::io::Write;

use anyhow::Result;
use indexer::{Cancel, Host, Plan, PreviewRequest, ProfileCost};
use serde_json::{Value, json};

use crate::Outcome;
use crate::args::Tune;
use crate::out;

pub fn run(arguments: &Tune) -> Result<Outcome> {
    let wishes = arguments.tuning.overrides();
    let host = Host::look(&wishes).with_disk(&arguments.disk);
    let plan = Plan::for_host(&host, &wishes);
    let costs = if arguments.paths.is_empty() { Vec::new() } else { costs(arguments)? };
    let mut stdout = out::stdout();
    if arguments.json {
        let costs: Vec<Value> = costs.iter().map(cost_as_json).collect();
        let report = json!({ "host": host_as_json(&host), "plan": plan_as_json(&plan), "profiles": costs });
        writeln!(stdout, "{report:#}")?;
    } else {
        print(&mut stdout, &host, &plan)?;
        print_costs(&mut stdout, &costs)?;
    }
    stdout.flush()?;
    Ok(Outcome::Done)
}

/// Measured on the disk that was named, as for a case that is not there yet.
fn costs(arguments: &Tune) -> Result<Vec<ProfileCost>> {
    let request = PreviewRequest { paths: arguments.paths.clone(), ..PreviewRequest::default() };
    let case = arguments.disk.join("new.case");
    let preview = indexer::preview(&case, &request, &Cancel::default())?;
    for problem in preview.files.iter().filter_map(|file| file.error.as_ref()) {
        out::problem(problem);
    }
    Ok(preview.estimate.profiles)
}

fn print_costs(out: &mut impl Write, costs: &[ProfileCost]) -> std::io::Result<()> {
    if costs.is_empty() {
        return Ok(());
    }
    writeln!(out, "profiles of these files")?;
    writeln!(out, "            all of it              for a gigabyte")?;
    for cost in costs {
        writeln!(
            out,
            "  {:<7} {:>8.1} s {:>8} MB {:>8.1} CPU s {:>6.0} MB",
            cost.profile.name(),
            cost.seconds,
            cost.bytes_on_disk >> 20,
            cost.cpu_seconds_a_gb,
            cost.bytes_a_byte * 1e3
        )?;
    }
    Ok(())
}

fn cost_as_json(cost: &ProfileCost) -> Value {
    json!({
        "profile": cost.profile.name(),
        "seconds": cost.seconds,
        "bytes_on_disk": cost.bytes_on_disk,
        "cpu_seconds_a_gb": cost.cpu_seconds_a_gb,
        "bytes_a_byte": cost.bytes_a_byte,
    })
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
