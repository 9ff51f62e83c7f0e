//! A service map as SVG: the services on a circle, and the steps between them as wide as they are frequent.

use std::f64::consts::TAU;
use std::fmt::Write;
use std::sync::Arc;

use super::answer::Frozen;
use super::chart::{WIDTH, cut};
use super::visible::escaped;
use base::duration;
use engine::service_map::{ServiceEdge, ServiceMap};

const HEIGHT: f64 = 520.0;
const NODE: (f64, f64) = (150.0, 36.0);
const LETTERS: usize = 20;
/// The widest step, and how many have a label.
const WIDEST: f64 = 6.0;
const LABELLED: usize = 16;
/// A step bends to its right, so that those there and back are next to each other.
const BEND: f64 = 0.16;

/// The picture.
pub fn svg(map: &ServiceMap, title: &str) -> String {
    if map.edges.is_empty() {
        return "<p class=\"soft\">No id leads from one of these to another.</p>".to_owned();
    }
    let mut out =
        format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">", escaped(title));
    let nodes = map.nodes.len() as f64;
    let middle = |place: u32| {
        // The first is on the left, and the others follow clockwise.
        let angle = TAU * (0.5 + f64::from(place) / nodes);
        let (wide, high) = (WIDTH / 2.0 - NODE.0 / 2.0 - 40.0, HEIGHT / 2.0 - NODE.1 / 2.0 - 30.0);
        (WIDTH / 2.0 + wide * angle.cos(), HEIGHT / 2.0 + high * angle.sin())
    };
    let most = map.edges.first().map_or(1, |edge| edge.count);
    let mut labels = String::new();
    for (place, edge) in map.edges.iter().enumerate() {
        let (from, to) = (middle(edge.from), middle(edge.to));
        let (across, down) = (to.0 - from.0, to.1 - from.1);
        let bend = (f64::midpoint(from.0, to.0) - BEND * down, f64::midpoint(from.1, to.1) + BEND * across);
        let end = border(to, bend);
        let width =
            1.0 + (WIDEST - 1.0) * ((1.0 + edge.count as f64).ln() / (1.0 + most as f64).ln()).powi(2);
        let class = if 2 * edge.errors > edge.count { "edge bad" } else { "edge" };
        let _ = write!(
            out,
            "<path class=\"line {class}\" style=\"stroke-width:{width:.1}\" d=\"M{:.1} {:.1}Q{:.1} {:.1} {:.1} {:.1}{}\"/>",
            from.0,
            from.1,
            bend.0,
            bend.1,
            end.0,
            end.1,
            arrow(bend, end)
        );
        if place < LABELLED {
            // Nearer to where the step begins.
            let at = |one: f64, bend: f64, other: f64| 0.38 * one + 0.47 * bend + 0.15 * other;
            let _ = write!(
                labels,
                "<text class=\"label middle\" x=\"{:.1}\" y=\"{:.1}\">{} · {}</text>",
                at(from.0, bend.0, to.0),
                at(from.1, bend.1, to.1),
                edge.count,
                duration::rounded(edge.p50_ns)
            );
        }
    }
    for (place, node) in (0..).zip(&map.nodes) {
        let (x, y) = middle(place);
        let _ = write!(
            out,
            "<rect class=\"node\" x=\"{:.1}\" y=\"{:.1}\" width=\"{}\" height=\"{}\" rx=\"4\"/>\
             <text class=\"label middle\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
            x - NODE.0 / 2.0,
            y - NODE.1 / 2.0,
            NODE.0,
            NODE.1,
            y + 4.0,
            escaped(&cut(node.name.as_deref().unwrap_or("others"), LETTERS))
        );
    }
    out.push_str(&labels);
    out.push_str("</svg>");
    out
}

/// Where a line from a point to the middle of a node meets its border.
fn border(middle: (f64, f64), from: (f64, f64)) -> (f64, f64) {
    let (across, down) = (from.0 - middle.0, from.1 - middle.1);
    let part =
        |half: f64, distance: f64| if distance.abs() > 1e-9 { half / distance.abs() } else { f64::MAX };
    let share = part(NODE.0 / 2.0, across).min(part(NODE.1 / 2.0, down)).min(1.0);
    (middle.0 + across * share, middle.1 + down * share)
}

/// The head of a step that comes from a point.
fn arrow(from: (f64, f64), end: (f64, f64)) -> String {
    let angle = (end.1 - from.1).atan2(end.0 - from.0);
    let wing = |turn: f64| (end.0 - 9.0 * (angle + turn).cos(), end.1 - 9.0 * (angle + turn).sin());
    let (one, other) = (wing(0.45), wing(-0.45));
    format!("M{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}", one.0, one.1, end.0, end.1, other.0, other.1)
}

/// The steps, the most frequent first.
pub fn table(map: &ServiceMap, rows: usize) -> Frozen {
    let name = |place: u32| {
        let node = map.nodes.get(place as usize);
        node.and_then(|node| node.name.clone()).unwrap_or_else(|| "others".to_owned())
    };
    let row = |edge: &ServiceEdge| {
        vec![
            name(edge.from),
            name(edge.to),
            edge.count.to_string(),
            duration::rounded(edge.p50_ns),
            duration::rounded(edge.p95_ns),
            edge.errors.to_string(),
        ]
    };
    let names =
        [("from", false), ("to", false), ("steps", true), ("p50", true), ("p95", true), ("errors", true)];
    let mut notes = Vec::new();
    if map.sampled < 1.0 {
        notes.push(format!("of a sample of {:.1} % of all ids", 100.0 * map.sampled));
    }
    Frozen {
        columns: names.into_iter().map(|(name, is_number)| (Arc::from(name), is_number)).collect(),
        rows: map.edges.iter().take(rows).map(row).collect(),
        total: map.edges.len(),
        notes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::service_map::ServiceNode;

    #[test]
    fn steps_end_at_the_border_of_their_service() {
        let node = |name: &str| ServiceNode { name: Some(name.to_owned()), events: 2, ids: 1, errors: 0 };
        let edge = ServiceEdge { from: 0, to: 1, count: 7, p50_ns: 2_000_000, p95_ns: 3_000_000, errors: 0 };
        let map = ServiceMap {
            nodes: vec![node("a<b"), node("c")],
            edges: vec![edge],
            sampled: 1.0,
            ..ServiceMap::default()
        };
        let picture = svg(&map, "who & whom");
        assert!(picture.contains("aria-label=\"who &amp; whom\"") && picture.contains("a&lt;b"), "{picture}");
        assert!(picture.contains("7 · 2 ms") && !picture.contains("NaN"), "{picture}");
        assert_eq!(
            table(&map, 20).rows,
            [["a<b", "c", "7", "2 ms", "3 ms", "0"].map(str::to_owned).to_vec()]
        );
        assert!(svg(&ServiceMap::default(), "").contains("No id"));
        assert_eq!(border((0.0, 0.0), (1_000.0, 0.0)), (NODE.0 / 2.0, 0.0));
    }
}
