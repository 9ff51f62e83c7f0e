//! `explain-selection`: what distinguishes a part of a case from another one, or from all the rest.

use indexer::compare::{Change, Comparison, Difference, Relation, Side, SignificantWord};
use indexer::query::Filter;
use indexer::{Engine, Scalar, Snapshot, View, stamp};
use serde_json::{Value, json};

use super::Tool;
use super::rows::{begun, scalar};
use crate::mcp::answer::{Answered, Failure, shortened, with_rows};
use crate::mcp::arguments::{Argument, ArgumentKind, FROM, QUERY, TO};
use crate::mcp::call::Call;
use crate::mcp::limits::{CELL_BYTES, TEXT_BYTES};

pub const TOOL: Tool = Tool {
    name: "explain-selection",
    title: "What is different here",
    summary: "Compares the selected events (`query`, `from`, `to`) with a baseline (`against`, `against_from`, \
              `against_to`; all other events unless given): patterns and values that are new, gone, more or less frequent, \
              numbers that moved, things that stopped or have another rhythm; ranked, each with a filter that finds its events. \
              `words` are those of the text that distinguish the selection.",
    arguments: &[
        QUERY,
        FROM,
        TO,
        Argument::new("against", ArgumentKind::Text, "Filter of the baseline"),
        Argument::new("against_from", ArgumentKind::Text, "Begin of the baseline's time"),
        Argument::new("against_to", ArgumentKind::Text, "End of the baseline's time"),
        Argument::new("limit", ArgumentKind::Whole(1, 100, 15), "Differences listed at most"),
    ],
    run,
};

/// Consequences that are listed with a difference.
const ALSO: usize = 3;

/// Words that are listed.
const WORDS: usize = 20;

fn run(call: &Call<'_>) -> Answered {
    let named = call.case()?;
    let snapshot = named.case.snapshot();
    let selected = call.view(&snapshot)?;
    // What is wrong with a side is shown in its own argument.
    call.in_query("query", named.case.resolved(&snapshot, &selected))?;
    let baseline = baseline(call, &snapshot, &selected)?;
    call.in_query("against", named.case.resolved(&snapshot, &baseline))?;
    let mut latest = None;
    let mut partial = |found: &Comparison, share: f64| latest = Some((found.clone(), share));
    let limit = call.given.whole("limit");
    let found = named.case.compare(&snapshot, [&baseline, &selected], limit, &mut partial, call.cancel());
    let (found, share) = call.or_partial(found, latest)?;
    let mut answer = begun(named, &snapshot);
    let [before, inside] = found.events;
    answer.insert("selected_events".to_owned(), json!(inside));
    answer.insert("baseline_events".to_owned(), json!(before));
    let notes = found.notes();
    if !notes.is_empty() {
        let notes =
            notes.join("; ").replace("A has", "the baseline has").replace("B has", "the selection has");
        answer.insert("notes".to_owned(), json!(shortened(&notes, TEXT_BYTES)));
    }
    if let Some(volume) = &found.volume {
        let [before, inside] = volume.per_second;
        let change = volume.change.map_or("no clear difference", Change::name);
        answer.insert(
            "events_per_second".to_owned(),
            json!({ "baseline": before, "selected": inside, "change": change }),
        );
    }
    let others: Vec<Value> = found.others.iter().map(row).collect();
    if !others.is_empty() {
        answer.insert("other_changes".to_owned(), Value::Array(others));
    }
    call.note_share(&mut answer, share, "differences that follow from others are not folded yet");
    let sides = [&baseline, &selected].map(|view| Side { case: &named.case, snapshot: &snapshot, view });
    // Where the time is over, the differences are answered without words.
    if let Ok(found) = Engine::significant_words(sides, WORDS, call.cancel()) {
        answer.insert("words".to_owned(), found.words.iter().map(word).collect());
    }
    let whole = (found.differences.len() + found.unlisted) as u64;
    let rows = found.differences.iter().map(row).collect();
    with_rows(&mut answer, "differences", rows, whole, |_| {
        "give a higher `limit` (up to 100), or a narrower selection".to_owned()
    });
    Ok(answer)
}

fn word(found: &SignificantWord) -> Value {
    json!({ "word": found.word, "selected_events": found.selected, "baseline_events": found.others })
}

/// The events that are compared with: all that are not selected, unless others are named.
fn baseline(call: &Call<'_>, snapshot: &Snapshot, selected: &View) -> Result<View, Failure> {
    if ["against", "against_from", "against_to"].iter().any(|name| call.given.text(name).is_some()) {
        return call.view_of(snapshot, ["against", "against_from", "against_to"]);
    }
    let clauses = [
        (selected.filter != Filter::Everything).then(|| format!("({})", selected.filter)),
        selected.from.map(|from| format!("time>={}", stamp::to_rfc3339(from))),
        selected.to.map(|to| format!("time<{}", stamp::to_rfc3339(to))),
    ];
    let clauses: Vec<String> = clauses.into_iter().flatten().collect();
    // Where all is selected, nothing is left to compare with, and the answer says so.
    let rest = if clauses.is_empty() { "NOT *".to_owned() } else { format!("NOT ({})", clauses.join(" ")) };
    Ok(View::parse(&rest, None, None)?)
}

fn row(found: &Difference) -> Value {
    let [before, inside] = found.counts;
    let [share_before, share_inside] = found.shares;
    let mut row = json!({
        "change": found.change.name(),
        "kind": found.kind(),
        "what": shortened(&found.subject.to_string(), CELL_BYTES),
        "selected_events": inside,
        "selected_share": share_inside,
        "baseline_events": before,
        "baseline_share": share_before,
        "score": found.score,
        "p_value": found.p_value,
        "filter": shortened(&found.filter.to_string(), CELL_BYTES),
    });
    if let Some(moved) = &found.moved {
        let number = |value: Option<&Scalar>| value.map(scalar);
        for (name, [before, inside]) in ["p50", "p95", "p99"].into_iter().zip(&moved.percentiles) {
            row[name] = json!({ "baseline": number(before.as_ref()), "selected": number(inside.as_ref()) });
        }
    }
    if let Some(stop) = found.stop {
        row["last"] = json!(stamp::to_rfc3339(stop.last));
        row["expected_after"] = json!(stop.expected);
    }
    if let Some(beat) = &found.beat {
        let [before, inside] = beat.beats.map(|beat| beat.map(|beat| beat.period_ns as f64 / 1e9));
        row["repeats_every_s"] = json!({ "baseline": before, "selected": inside });
    }
    if let Some(clock) = &found.clock {
        row["clock_later_s"] = json!(clock.moved_ns as f64 / 1e9);
        row["clock_margin_s"] = json!(clock.margin_ns as f64 / 1e9);
    }
    if let Some(since) = found.since.filter(|since| since.side == 1) {
        row["since"] = json!(stamp::to_rfc3339(since.at));
    }
    if !found.also.is_empty() {
        let also = found.also.iter().take(ALSO);
        let also: Vec<String> = also
            .map(|also| {
                let how = match also.relation {
                    Relation::Same => "same events",
                    Relation::Together => "in its events",
                    Relation::Time { .. } => "at the same time",
                    Relation::Clock => "same clock",
                };
                shortened(&format!("{how}: {} {}", also.change.name(), also.subject), CELL_BYTES / 4)
            })
            .collect();
        row["with_it"] = json!(also);
        row["with_it_in_all"] = json!(found.also.len());
    }
    row
}
