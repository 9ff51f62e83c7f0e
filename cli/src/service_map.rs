//! `timberline map`: steps between services, from events with the same id.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use indexer::links::Spot;
use indexer::service_map::{ServiceEdge, ServiceMap as Found};
use indexer::{Cancel, Case, View, duration};
use serde_json::{Value, json};

use crate::Outcome;
use crate::events::{outcome, time};
use crate::out;

#[derive(Args)]
#[command(after_help = "Events with the same id are put in order; where the service changes, that is a step:
  timberline map shop.case trace_id --by service
  timberline map shop.case order.id --linked 'level>=info'")]
pub struct ServiceMap {
    /// The case's folder
    pub case: PathBuf,
    /// The field that holds the id: trace_id, order.id
    #[arg(value_name = "ID")]
    pub id: String,
    /// Only events that match this filter
    #[arg(value_name = "QUERY", allow_hyphen_values = true, default_value = "*")]
    pub query: String,
    /// The field whose values are the services
    #[arg(long, value_name = "FIELD", default_value = "source")]
    pub by: String,
    /// Read the id under its other names too, as `timberline links` finds them
    #[arg(long)]
    pub linked: bool,
    /// Only events at or after this time (RFC 3339; UTC if it has no zone)
    #[arg(long, value_name = "T")]
    pub from: Option<String>,
    /// Only events before this time
    #[arg(long, value_name = "T")]
    pub to: Option<String>,
    /// JSON with all figures
    #[arg(long)]
    pub json: bool,
}

pub fn run(arguments: &ServiceMap) -> Result<Outcome> {
    let case = Case::open(&arguments.case)?;
    let snapshot = case.snapshot();
    let (from, to) = (time(arguments.from.as_ref())?, time(arguments.to.as_ref())?);
    let view =
        View::parse(&arguments.query, from, to).inspect_err(|error| out::caret(&arguments.query, error))?;
    case.resolved(&snapshot, &view).inspect_err(|error| out::caret(&arguments.query, error))?;
    let mut progress = |share: f64| out::progress(&format!("{:.0} %", share * 100.0));
    let places = if arguments.linked {
        case.links(&snapshot, &mut progress, &Cancel::default())?.names_of(&arguments.id)
    } else {
        vec![Spot::Field(arguments.id.clone())]
    };
    let asked = (&*places, arguments.by.as_str());
    let found = case.service_map(&snapshot, &view, asked, &mut progress, &Cancel::default());
    out::progress("");
    let (found, mut stdout) = (found?, out::stdout());
    if arguments.json {
        out::json(&mut stdout, &as_json(&found))?;
    } else {
        print(&found, &mut stdout)?;
    }
    stdout.flush()?;
    if found.sampled < 1.0 {
        out::say(&format!(
            "There are very many events: {:.1} % of the ids were looked at.",
            found.sampled * 100.0
        ));
    }
    if found.without > 0 {
        out::say(&format!("matching events without an id, a time or a {}: {}", arguments.by, found.without));
    }
    Ok(outcome(&snapshot))
}

fn name(found: &Found, place: u32) -> &str {
    found.nodes.get(place as usize).and_then(|node| node.name.as_deref()).unwrap_or("(others)")
}

fn print(found: &Found, to: &mut dyn Write) -> Result<()> {
    if found.edges.is_empty() {
        return Ok(writeln!(to, "No id has events of two services.")?);
    }
    let steps: Vec<String> = found
        .edges
        .iter()
        .map(|edge| format!("{} → {}", name(found, edge.from), name(found, edge.to)))
        .collect();
    let width = steps.iter().map(|step| step.chars().count()).max().unwrap_or(0).max(4);
    writeln!(
        to,
        "{:<width$}  {:>9}  {:>9}  {:>9}  {:>8}  {:>7}",
        "step", "count", "per min", "p50", "p95", "errors"
    )?;
    for (edge, step) in found.edges.iter().zip(&steps) {
        writeln!(
            to,
            "{step:<width$}  {:>9}  {:>9.2}  {:>9}  {:>8}  {:>5.1} %",
            edge.count,
            per_minute(found, edge),
            duration::rounded(edge.p50_ns),
            duration::rounded(edge.p95_ns),
            100.0 * edge.errors as f64 / edge.count as f64
        )?;
    }
    Ok(())
}

fn per_minute(found: &Found, edge: &ServiceEdge) -> f64 {
    edge.count as f64 / (found.span_ns as f64 / 6e10).max(1e-9)
}

pub fn as_json(found: &Found) -> Value {
    let nodes = found.nodes.iter().map(
        |node| json!({ "name": node.name, "events": node.events, "ids": node.ids, "errors": node.errors }),
    );
    let edges = found.edges.iter().map(|edge| {
        json!({
            "from": name(found, edge.from),
            "to": name(found, edge.to),
            "count": edge.count,
            "per_minute": per_minute(found, edge),
            "p50_ns": edge.p50_ns,
            "p95_ns": edge.p95_ns,
            "errors": edge.errors,
        })
    });
    json!({
        "nodes": nodes.collect::<Vec<_>>(),
        "edges": edges.collect::<Vec<_>>(),
        "ids": found.ids,
        "events": found.events,
        "without": found.without,
        "span_ns": found.span_ns,
        "sampled": found.sampled,
    })
}
