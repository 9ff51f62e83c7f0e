//! How large a cluster must be for the events of a case: each number with the formula and what it comes from.

mod page;

use serde::Serialize;

use indexer::{Error, ErrorKind, Result};

const GB: f64 = 1e9;
const TB: f64 = 1e12;
const DAY_SECONDS: f64 = 86_400.0;

/// What a plan is for.
#[derive(Clone, Debug)]
pub struct PlanRequest {
    /// Raw bytes a day.
    pub per_day_bytes: f64,
    pub keep_days: f64,
    /// Days in each tier, which together are those that are kept; all are hot when none is given.
    pub hot_days: f64,
    pub warm_days: f64,
    pub cold_days: f64,
    pub replicas: u32,
    /// Memory and disk of a data node.
    pub node_memory_bytes: f64,
    pub node_disk_bytes: f64,
    /// Documents a second that a node indexes.
    pub node_rate: f64,
    pub shard_bytes: f64,
    /// Raw bytes and events of the case.
    pub case_bytes: u64,
    pub case_events: u64,
    /// Of the hot tier, whose segments are as indexing leaves them.
    pub unmerged: Ratio,
    /// Of the others, whose indexes are merged into one segment.
    pub merged: Ratio,
}

/// Index bytes for each raw byte, of one copy.
#[derive(Clone, Debug)]
pub struct Ratio {
    pub value: f64,
    pub from: String,
}

/// A number of the plan.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    pub name: String,
    pub value: f64,
    pub unit: &'static str,
    pub formula: String,
    pub from: String,
}

impl Figure {
    /// Its value for people.
    #[must_use]
    pub fn shown(&self) -> String {
        match self.unit {
            "B" => shown_bytes(self.value),
            unit if self.value.fract() == 0.0 => format!("{} {unit}", self.value).trim_end().to_owned(),
            unit => format!("{:.2} {unit}", self.value).trim_end().to_owned(),
        }
    }
}

/// A plan.
#[derive(Clone, Debug, Serialize)]
pub struct Planned {
    pub figures: Vec<Figure>,
    /// What to look at again.
    pub advice: Vec<String>,
}

impl Planned {
    /// A figure by its name.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<f64> {
        self.figures.iter().find(|figure| figure.name == name).map(|figure| figure.value)
    }
}

/// A kind of data node.
struct Tier {
    name: &'static str,
    /// Bytes of disk for each byte of memory.
    memory_to_disk: f64,
    /// Whether events are indexed there.
    indexes: bool,
}

const HOT: Tier = Tier { name: "hot", memory_to_disk: 30.0, indexes: true };
const WARM: Tier = Tier { name: "warm", memory_to_disk: 160.0, indexes: false };
const COLD: Tier = Tier { name: "cold", memory_to_disk: 500.0, indexes: false };

type AddFigure<'a> = dyn FnMut(&str, f64, &'static str, String, &str) -> f64 + 'a;

/// Calculates a plan.
pub fn plan(request: &PlanRequest) -> Result<Planned> {
    check(request)?;
    let mut planned = Planned { figures: Vec::new(), advice: Vec::new() };
    let mut figure = |name: &str, value: f64, unit: &'static str, formula: String, from: &str| {
        let from = from.to_owned();
        planned.figures.push(Figure { name: name.to_owned(), value, unit, formula, from });
        value
    };
    let case = "measured in the case";
    let per_event = figure(
        "raw bytes an event",
        request.case_bytes as f64 / request.case_events as f64,
        "B",
        format!("{} bytes / {} events", request.case_bytes, request.case_events),
        case,
    );
    let per_day = figure("raw data a day", request.per_day_bytes, "B", "--per-day".to_owned(), "given");
    let events = figure(
        "events a day",
        per_day / per_event,
        "",
        "raw data a day / raw bytes an event".to_owned(),
        "calculated",
    );
    let rate = figure(
        "events a second",
        events / DAY_SECONDS,
        "1/s",
        "events a day / 86,400".to_owned(),
        "calculated",
    );
    let mut ratio = |which: &str, tiers: &str, days: f64, ratio: &Ratio| {
        if days > 0.0 {
            let name = format!("index bytes for a raw byte, {which}");
            figure(&name, ratio.value, "", format!("one copy, in the {tiers}"), &ratio.from);
        }
    };
    ratio("unmerged", "hot tier", request.hot_days, &request.unmerged);
    ratio("merged", "warm and the cold tier", request.warm_days + request.cold_days, &request.merged);
    let (mut storage_of_all, mut shards_of_all, mut nodes) = (0.0, 0.0, 0.0);
    for (tier, days) in [(HOT, request.hot_days), (WARM, request.warm_days), (COLD, request.cold_days)] {
        if days > 0.0 {
            let (storage, shards, needed) = planned_tier(request, &tier, days, (per_day, rate), &mut figure);
            storage_of_all += storage;
            shards_of_all += shards;
            nodes += needed;
        }
    }
    figure("storage", storage_of_all, "B", "sum of the tiers".to_owned(), "calculated");
    figure("shards", shards_of_all, "", "sum of the tiers".to_owned(), "calculated");
    let nodes = figure("data nodes", nodes, "", "sum of the tiers".to_owned(), "calculated");
    if shards_of_all / nodes > 1_000.0 {
        planned.advice.push(
            "more than 1,000 shards on a node: take larger shards, or fewer days in one index".to_owned(),
        );
    }
    if nodes < 3.0 {
        planned
            .advice
            .push("three nodes that may become the master keep a cluster alive when one fails".to_owned());
    }
    if request.case_events < 10_000 {
        planned.advice.push("the case is small: figures of a day of real events are surer".to_owned());
    }
    Ok(planned)
}

/// The figures of a tier; gives its storage, shards and nodes.
fn planned_tier(
    request: &PlanRequest,
    tier: &Tier,
    days: f64,
    (per_day, rate): (f64, f64),
    figure: &mut AddFigure<'_>,
) -> (f64, f64, f64) {
    const SIZING: &str = "sizing formula";
    let Tier { name, memory_to_disk, indexes } = tier;
    let copies = f64::from(1 + request.replicas);
    // What is written to is not merged into one segment.
    let (which, ratio) = if *indexes { ("unmerged", &request.unmerged) } else { ("merged", &request.merged) };
    let total = figure(
        &format!("{name}: total data"),
        per_day * days * copies * ratio.value,
        "B",
        format!("raw data a day × {days} days × (1 + {} replicas) × the {which} ratio", request.replicas),
        SIZING,
    );
    let storage = figure(
        &format!("{name}: storage"),
        total * (1.0 + 0.15 + 0.1),
        "B",
        "total data × (1 + 0.15 for the disk watermark + 0.1 for errors)".to_owned(),
        SIZING,
    );
    let by_disk = figure(
        &format!("{name}: nodes by disk"),
        (storage / request.node_disk_bytes).ceil() + 1.0,
        "",
        "ceil(storage / disk of a node) + 1 that may fail".to_owned(),
        SIZING,
    );
    let by_memory = figure(
        &format!("{name}: nodes by memory"),
        (storage / (request.node_memory_bytes * memory_to_disk)).ceil(),
        "",
        format!("ceil(storage / (memory of a node × {memory_to_disk}))"),
        "stated default of memory to data",
    );
    let mut needed = by_disk.max(by_memory).max(copies);
    if *indexes {
        let by_rate = figure(
            &format!("{name}: nodes by ingest rate"),
            (rate * copies / request.node_rate).ceil(),
            "",
            format!("ceil(events a second × {copies} copies / {} a second and node)", request.node_rate),
            "stated default, or --node-rate",
        );
        needed = needed.max(by_rate);
    }
    let shards = figure(
        &format!("{name}: shards"),
        (total / copies / request.shard_bytes).ceil().max(1.0) * copies,
        "",
        format!("ceil(one copy / {} GB) × {copies} copies", request.shard_bytes / GB),
        SIZING,
    );
    let needed = figure(
        &format!("{name}: nodes"),
        needed,
        "",
        "the largest of these, and one for each copy".to_owned(),
        "calculated",
    );
    (storage, shards, needed)
}

fn check(request: &PlanRequest) -> Result<()> {
    let bad = |message: &str, hint: &str| Err(Error::new(ErrorKind::BadRequest, message).hint(hint));
    if request.case_events == 0 || request.case_bytes == 0 {
        return bad("the case has no events to measure", "import a sample of the logs first");
    }
    let all = [
        request.per_day_bytes,
        request.keep_days,
        request.node_memory_bytes,
        request.node_disk_bytes,
        request.shard_bytes,
        request.node_rate,
        request.unmerged.value,
        request.merged.value,
    ];
    if all.iter().any(|value| !value.is_finite() || *value <= 0.0) {
        return bad(
            "every size, time and rate of a plan is more than zero",
            "write it as --per-day 500GB --keep 30d --node 64GB/2TB",
        );
    }
    let tiers = request.hot_days + request.warm_days + request.cold_days;
    if (tiers - request.keep_days).abs() > 1e-6 {
        let message = format!("the tiers keep {tiers} days, and --keep {}", request.keep_days);
        return bad(&message, "let --hot, --warm and --cold sum to --keep, or leave them out");
    }
    Ok(())
}

fn shown_bytes(bytes: f64) -> String {
    let (unit, name) = [(TB, "TB"), (GB, "GB"), (1e6, "MB"), (1e3, "kB")]
        .into_iter()
        .find(|(unit, _)| bytes >= *unit)
        .unwrap_or((1.0, "B"));
    format!("{:.1} {name}", bytes / unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> PlanRequest {
        PlanRequest {
            per_day_bytes: 500.0 * GB,
            keep_days: 30.0,
            hot_days: 3.0,
            warm_days: 7.0,
            cold_days: 20.0,
            replicas: 1,
            node_memory_bytes: 64.0 * GB,
            node_disk_bytes: 2.0 * TB,
            node_rate: 20_000.0,
            shard_bytes: 40.0 * GB,
            case_bytes: 200_000,
            case_events: 1_000,
            unmerged: Ratio { value: 1.1, from: "given".to_owned() },
            merged: Ratio { value: 1.0, from: "<b>measured</b>".to_owned() },
        }
    }

    #[test]
    fn figures_follow_the_formulas() {
        let planned = plan(&request()).expect("a plan");
        let is = |name: &str, expected: f64| {
            let value = planned.value(name).unwrap_or_else(|| panic!("no {name}"));
            assert!((value - expected).abs() <= expected.abs() * 1e-9, "{name}: {value}, not {expected}");
        };
        is("raw bytes an event", 200.0);
        is("events a day", 2.5e9);
        // 500 GB × 3 × 2 × 1.1 unmerged = 3.3 TB; × 1.25 = 4.125 TB; 3 disks of 2 TB and one more.
        is("hot: total data", 3.3e12);
        is("hot: storage", 4.125e12);
        is("hot: nodes by disk", 4.0);
        is("hot: nodes by memory", 3.0);
        is("hot: nodes by ingest rate", 3.0);
        is("hot: shards", 84.0);
        // 500 GB × 20 × 2 × 1.0 merged × 1.25 = 25 TB; 13 disks and one more.
        is("cold: storage", 25e12);
        is("cold: nodes by disk", 14.0);
        is("data nodes", 4.0 + 6.0 + 14.0);
        assert!(planned.figures.iter().all(|figure| !figure.from.is_empty() && !figure.formula.is_empty()));
    }

    #[test]
    fn page_has_every_figure_and_no_markup_of_others() {
        let planned = plan(&request()).expect("a plan");
        let page = planned.to_html("<i>shop", 0);
        assert_eq!(page.matches("<tr>").count(), planned.figures.len() + 1);
        for expected in ["hot: storage", "4.1 TB", "× the merged ratio", "&lt;b&gt;measured", "&lt;i&gt;shop"]
        {
            assert!(page.contains(expected), "{expected}: {page}");
        }
        assert!(planned.advice.iter().all(|advice| page.contains(advice)), "{page}");
        assert!(page.contains("default-src 'none'") && page.contains("@media print"));
        assert!(!page.contains("<b>") && !page.contains("<i>") && !page.contains("http:"), "{page}");
    }

    #[test]
    fn ratios_are_named_where_they_are_used() {
        let only_hot = PlanRequest { hot_days: 30.0, warm_days: 0.0, cold_days: 0.0, ..request() };
        let planned = plan(&only_hot).expect("a plan");
        assert_eq!(planned.value("index bytes for a raw byte, unmerged"), Some(1.1));
        assert_eq!(planned.value("index bytes for a raw byte, merged"), None);
    }

    #[test]
    fn plans_that_cannot_be_are_refused() {
        let empty = PlanRequest { case_events: 0, ..request() };
        let tiers = PlanRequest { warm_days: 1.0, ..request() };
        let nothing = PlanRequest { per_day_bytes: 0.0, ..request() };
        for (request, expected) in
            [(empty, "no events"), (tiers, "the tiers keep 24 days"), (nothing, "more than zero")]
        {
            let error = plan(&request).expect_err(expected);
            assert!(error.message().contains(expected) && error.hint_text().is_some(), "{error}");
        }
    }
}
