//! Removes look-around and atomic groups from a pattern where that does not change what it matches, so that
//! an automaton can run it.
//!
//! Each rule is an equivalence, not a guess. The text before and after a position is known as the set of
//! bytes that can be there:
//! - `(?<![0-9])` where only other bytes can precede is true, and is dropped; where only such bytes can
//!   precede, nothing matches. At the start of a pattern, the preceding byte is distinguished by compiling
//!   the pattern once for each case (see [`starts`]). `(?<=…)`, `(?![…])` and `(?=…)` likewise.
//! - `(?![0-9])` at the very end consumes the next byte or matches at the end of the text; groups end before
//!   that byte ([`PatternNode::Trail`]).
//! - `(?>…)` prevents nothing where the rest cannot fail. Elsewhere it prevents nothing when each byte of the
//!   group leaves one way to continue, and the rest begins with a byte that the group does not contain: then
//!   there is no shorter match of the group that the rest could follow. The same holds where a match of the
//!   group cannot be extended at all.
//!
//! - Any other look-around at one class is left out, and the match is checked for it. If the check succeeds,
//!   the match is the one the pattern asks for, because leaving something out only adds matches; if not, the
//!   backtracking engine decides.
//!
//! A pattern that no rule covers needs backtracking.

use super::byte_set::ByteSet;
use super::node::{Edge, Neighbour, PatternNode};
use crate::limits;

/// What can be adjacent to a node.
#[derive(Clone, Copy)]
struct Adjacent {
    set: ByteSet,
    /// The end of the pattern can be reached, and anything may follow it.
    open: bool,
    /// There is an assertion in between, so that the rest can fail without reading a byte.
    checked: bool,
    /// Within a repeat, so that a position may be visited many times.
    repeated: bool,
}

impl Adjacent {
    fn extended_by(self, edge: Edge) -> Adjacent {
        if edge.nullable {
            let checked = self.checked || edge.checked;
            Adjacent { set: self.set.or(edge.set), checked, ..self }
        } else {
            Adjacent { set: edge.set, open: false, checked: edge.checked, ..self }
        }
    }

    fn or(self, edge: Edge) -> Adjacent {
        Adjacent { set: self.set.or(edge.set), checked: self.checked || edge.checked, repeated: true, ..self }
    }

    fn is_end(self) -> bool {
        self.open && self.set.is_empty() && !self.checked
    }
}

/// The pattern needs backtracking.
#[derive(Debug, PartialEq)]
pub(super) struct Backtracks;

/// What can precede the start of a pattern: nothing, or one of these bytes; and the pattern for that case.
/// One entry covers all cases where it makes no difference.
pub(super) struct PatternStart {
    pub before: Option<ByteSet>,
    pub node: PatternNode,
}

/// The simplified pattern for each case of what precedes it, the start of the text first.
pub(super) fn starts(node: &PatternNode) -> Result<Vec<PatternStart>, Backtracks> {
    let mut sets = Vec::new();
    node.any(&mut |node| {
        if let PatternNode::Look { ahead: false, body, .. } = node
            && let Some(set) = body.single()
            && !sets.contains(&set)
        {
            sets.push(set);
        }
        false
    });
    let at_start = simplify_whole(node, ByteSet::NONE)?;
    let mut cases = vec![ByteSet::ALL];
    for set in &sets {
        cases = cases.into_iter().flat_map(|case| [case.and(*set), case.and(set.not())]).collect();
        cases.retain(|case| !case.is_empty());
        if cases.len() > limits::MOST_STARTS {
            return Err(Backtracks);
        }
    }
    let mut starts = vec![PatternStart { before: None, node: at_start }];
    for case in cases {
        starts.push(PatternStart { before: Some(case), node: simplify_whole(node, case)? });
    }
    if starts.iter().all(|start| start.node == starts[0].node) {
        starts.truncate(1);
    }
    Ok(starts)
}

fn simplify_whole(node: &PatternNode, before: ByteSet) -> Result<PatternNode, Backtracks> {
    let before = Adjacent { set: before, open: before.is_empty(), checked: false, repeated: false };
    let after = Adjacent { set: ByteSet::NONE, open: true, checked: false, repeated: false };
    simplify(node, before, after)
}

fn simplify(node: &PatternNode, before: Adjacent, after: Adjacent) -> Result<PatternNode, Backtracks> {
    Ok(match node {
        PatternNode::Leaf(_) | PatternNode::Trail(_) | PatternNode::Verify(_) | PatternNode::Fail => {
            node.clone()
        }
        PatternNode::BackReference(_) => return Err(Backtracks),
        PatternNode::Concat(nodes) => simplify_sequence(nodes, before, after)?,
        PatternNode::Alt(nodes) => PatternNode::Alt(
            nodes.iter().map(|node| simplify(node, before, after)).collect::<Result<_, _>>()?,
        ),
        PatternNode::Capture(number, body) => {
            PatternNode::Capture(*number, Box::new(simplify(body, before, after)?))
        }
        PatternNode::Repeat { min, max, greedy, body } => {
            let (before, mut after) = if *max == Some(1) {
                (before, after)
            } else {
                (before.or(body.last()), after.or(body.first()))
            };
            // Another round may be needed, and may fail.
            after.checked |= *min > 1;
            let body = Box::new(simplify(body, before, after)?);
            PatternNode::Repeat { min: *min, max: *max, greedy: *greedy, body }
        }
        PatternNode::Atomic(body) => {
            let cannot_fail = after.open && !after.checked;
            let is_disjoint = body.is_deterministic()
                && after.set.is_disjoint(body.bytes())
                && (!after.open || !after.checked);
            let fixed = body.is_deterministic() && body.has_one_end();
            if !(cannot_fail || is_disjoint || fixed) {
                return Err(Backtracks);
            }
            simplify(body, before, after)?
        }
        PatternNode::Look { ahead, negative, body } => {
            let (adjacent, edge) = if *ahead { (after, body.first()) } else { (before, body.last()) };
            simplify_look(body, edge, adjacent, *ahead, *negative)?
        }
    })
}

fn simplify_sequence(
    nodes: &[PatternNode],
    before: Adjacent,
    after: Adjacent,
) -> Result<PatternNode, Backtracks> {
    let mut afters = vec![after; nodes.len()];
    for at in (1..nodes.len()).rev() {
        afters[at - 1] = afters[at].extended_by(nodes[at].first());
    }
    let mut before = before;
    let mut settled = Vec::with_capacity(nodes.len());
    for (node, after) in nodes.iter().zip(afters) {
        match simplify(node, before, after)? {
            PatternNode::Concat(inner) => settled.extend(inner),
            node => settled.push(node),
        }
        before = before.extended_by(node.last());
    }
    Ok(PatternNode::Concat(settled))
}

fn simplify_look(
    body: &PatternNode,
    edge: Edge,
    adjacent: Adjacent,
    ahead: bool,
    negative: bool,
) -> Result<PatternNode, Backtracks> {
    if edge.nullable {
        return Err(Backtracks);
    }
    let open = adjacent.open && ahead;
    let at_edge_only = adjacent.open && !ahead && adjacent.set.is_empty();
    let never = adjacent.set.is_disjoint(edge.set) && !open;
    let always = body.single().is_some_and(|set| adjacent.set.is_within(set)) && !adjacent.open;
    match negative {
        true if never => Ok(PatternNode::empty()),
        true if always => Ok(PatternNode::Fail),
        false if always => Ok(PatternNode::empty()),
        false if never || at_edge_only => Ok(PatternNode::Fail),
        _ => match body.single() {
            Some(set) if negative && ahead && adjacent.is_end() => Ok(PatternNode::Trail(set.not())),
            Some(set) if !adjacent.repeated => Ok(PatternNode::Verify(Neighbour { ahead, negative, set })),
            _ => Err(Backtracks),
        },
    }
}
