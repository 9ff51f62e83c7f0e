//! The fast path through a line, derived from the pattern: where a part of the pattern ends at a byte that
//! the part itself cannot contain, the plan searches for that byte, and the part only has to fit the text
//! before it.
//!
//! The plan finds what the pattern would find, because every step is either forced or the pattern's own first
//! choice; and the match begins at the start of the line, which no other match can precede. Where the plan
//! fails, the whole pattern runs.

use memchr::memchr;
use memchr::memmem::Finder;
use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::nfa::thompson;
use regex_automata::{Anchored, Input};
use regex_syntax::hir::{Hir, HirKind, Look};

use super::byte_set::ByteSet;
use super::engine::{Engine, Scratch, Spans};
use super::node::PatternNode;
use crate::limits;

#[derive(Debug)]
pub(super) struct Plan {
    steps: Vec<PlanStep>,
    /// Groups below this number are fields; the others mark the ends of fields that began earlier.
    fields: usize,
}

#[derive(Debug)]
enum PlanStep {
    Open(usize),
    Close(usize),
    Literal(Box<[u8]>),
    /// Up to the next such byte.
    Until(u8, Check),
    /// As little as possible, up to a literal, within the text line.
    Lazy(Box<Finder<'static>>),
    /// As many bytes of a set as there are.
    Run {
        table: Box<[bool; 256]>,
        min: usize,
        ascii_only: bool,
    },
    /// To the end of the text line.
    Rest,
    /// The remainder of the pattern, with marks for the fields that end in it.
    Tail(Engine),
}

#[derive(Debug)]
enum Check {
    Nothing,
    /// Every byte is in the set, and there are enough of them.
    Table {
        table: Box<[bool; 256]>,
        min: usize,
    },
    Fits(Box<dense::DFA<Vec<u32>>>),
    /// Has groups. If none of the bytes occurs that a group needs, a match without groups is enough.
    Groups {
        engine: Engine,
        fits: Option<Box<dense::DFA<Vec<u32>>>>,
        needs: Option<Box<[bool; 256]>>,
    },
}

enum PlanItem {
    Open(usize),
    Close(usize),
    Literal(Vec<u8>),
    Part(PatternNode),
}

impl Plan {
    /// From a pattern matched at the start of a line, with this many groups. `None` where it gains nothing.
    pub(super) fn new(node: &PatternNode, fields: usize) -> Option<Plan> {
        let mut items = Vec::new();
        flatten(node, &mut items);
        let mut plan = Plan { steps: Vec::new(), fields };
        let mut at = 0;
        let mut before = b' ';
        while at < items.len() {
            match &items[at] {
                PlanItem::Open(group) => plan.steps.push(PlanStep::Open(*group)),
                PlanItem::Close(group) => plan.steps.push(PlanStep::Close(*group)),
                PlanItem::Literal(literal) => {
                    plan.steps.push(PlanStep::Literal(literal.clone().into()));
                    before = *literal.last()?;
                }
                PlanItem::Part(part) if at == 0 && is_start_assertion(part) => {}
                PlanItem::Part(_) => {
                    let end = run_end(&items, at);
                    let mut following = items[end..]
                        .iter()
                        .filter(|item| !matches!(item, PlanItem::Open(_) | PlanItem::Close(_)));
                    let run = node_of(&items[at..end]);
                    let step = match following.next() {
                        None => run.and_then(|run| step_for(&run, before, None)),
                        Some(PlanItem::Literal(literal)) => {
                            run.and_then(|run| step_for(&run, before, Some(literal)))
                        }
                        Some(_) => None,
                    };
                    let Some(step) = step else {
                        plan.steps.push(PlanStep::Tail(tail(&items[at..], fields)?));
                        break;
                    };
                    plan.steps.push(step);
                    at = end;
                    continue;
                }
            }
            at += 1;
        }
        let gains = plan
            .steps
            .iter()
            .any(|step| matches!(step, PlanStep::Until(..) | PlanStep::Lazy(_) | PlanStep::Run { .. }));
        gains.then_some(plan)
    }

    /// Whether the line matches from its start; on success the groups are in `spans`.
    pub(super) fn run(&self, line: &[u8], scratch: &mut Scratch, spans: &mut Spans) -> bool {
        let mut at = 0;
        for step in &self.steps {
            let next = match step {
                PlanStep::Open(group) => {
                    spans[*group] = Some((at as u32, at as u32));
                    Some(at)
                }
                PlanStep::Close(group) => {
                    if let Some((_, end)) = &mut spans[*group] {
                        *end = at as u32;
                    }
                    Some(at)
                }
                PlanStep::Literal(literal) => line[at..].starts_with(literal).then_some(at + literal.len()),
                PlanStep::Until(byte, check) => memchr(*byte, &line[at..])
                    .map(|length| at + length)
                    .filter(|&end| check.fits(line, at, end, scratch, spans)),
                PlanStep::Lazy(literal) => literal
                    .find(&line[at..])
                    .map(|length| at + length)
                    .filter(|&end| memchr(b'\n', &line[at..end]).is_none()),
                PlanStep::Run { table, min, ascii_only } => {
                    let length = line[at..].iter().take_while(|&&byte| table[usize::from(byte)]).count();
                    let known = !*ascii_only || line.get(at + length).is_none_or(u8::is_ascii);
                    (known && length >= *min).then_some(at + length)
                }
                PlanStep::Rest => Some(memchr(b'\n', &line[at..]).map_or(line.len(), |length| at + length)),
                PlanStep::Tail(engine) => {
                    let found = engine.find_at(line, at, Anchored::Yes, scratch, spans).is_ok();
                    if found {
                        self.close_marked(spans);
                    }
                    found.then_some(at)
                }
            };
            let Some(next) = next else { return false };
            at = next;
        }
        true
    }

    fn close_marked(&self, spans: &mut Spans) {
        let (fields, marks) = spans.split_at_mut(self.fields);
        for (field, mark) in fields.iter_mut().zip(marks) {
            if let (Some((_, end)), Some((at, _))) = (field, mark) {
                *end = *at;
            }
        }
    }
}

impl Check {
    #[inline]
    fn fits(&self, line: &[u8], from: usize, to: usize, scratch: &mut Scratch, spans: &mut Spans) -> bool {
        let part = &line[from..to];
        match self {
            Check::Nothing => true,
            Check::Table { table, min } => {
                part.len() >= *min && part.iter().all(|&byte| table[usize::from(byte)])
            }
            Check::Fits(dfa) => fits(dfa, &line[..to], from),
            Check::Groups { engine, fits: dfa, needs } => {
                if let (Some(dfa), Some(needs)) = (dfa, needs)
                    && !part.iter().any(|&byte| needs[usize::from(byte)])
                {
                    return fits(dfa, &line[..to], from);
                }
                engine.find_at(&line[..to], from, Anchored::Yes, scratch, spans).is_ok()
            }
        }
    }
}

#[inline]
fn fits(dfa: &dense::DFA<Vec<u32>>, line: &[u8], from: usize) -> bool {
    let input = Input::new(line).range(from..).anchored(Anchored::Yes);
    // An error is a character beyond ASCII at a word boundary: the whole pattern handles those.
    matches!(dfa.try_search_fwd(&input), Ok(Some(_)))
}

/// Flattens the top level of a pattern to a sequence, with groups as marks.
fn flatten(node: &PatternNode, items: &mut Vec<PlanItem>) {
    match node {
        PatternNode::Concat(nodes) => nodes.iter().for_each(|node| flatten(node, items)),
        PatternNode::Alt(nodes) if nodes.len() == 1 => flatten(&nodes[0], items),
        PatternNode::Capture(group, body) => {
            items.push(PlanItem::Open(*group));
            flatten(body, items);
            items.push(PlanItem::Close(*group));
        }
        PatternNode::Leaf(leaf) if leaf.literal().is_some() => {
            let literal = leaf.literal().unwrap_or_default();
            match items.last_mut() {
                Some(PlanItem::Literal(before)) => before.extend_from_slice(literal),
                _ => items.push(PlanItem::Literal(literal.to_vec())),
            }
        }
        node => items.push(PlanItem::Part(node.clone())),
    }
}

/// The end of the parts that begin here and precede the next literal. Groups that begin or end on the way
/// belong to them only if they do both.
fn run_end(items: &[PlanItem], from: usize) -> usize {
    let mut open = Vec::new();
    let mut end = from + 1;
    for (at, item) in items.iter().enumerate().skip(from) {
        match item {
            PlanItem::Open(group) => open.push(*group),
            PlanItem::Close(group) if open.last() == Some(group) => {
                open.pop();
            }
            PlanItem::Close(_) => break,
            PlanItem::Literal(_) if open.is_empty() => break,
            // A literal may also be inside a group that contains parts, as in a host with its port.
            PlanItem::Part(_) | PlanItem::Literal(_) => {}
        }
        if open.is_empty() {
            end = at + 1;
        }
    }
    end
}

/// The node of some items whose groups begin and end among them.
fn node_of(items: &[PlanItem]) -> Option<PatternNode> {
    let mut stack = vec![(None, Vec::new())];
    for item in items {
        match item {
            PlanItem::Open(group) => stack.push((Some(*group), Vec::new())),
            PlanItem::Close(group) => {
                let (open, nodes) = stack.pop()?;
                if open != Some(*group) {
                    return None;
                }
                stack.last_mut()?.1.push(PatternNode::Capture(*group, Box::new(PatternNode::Concat(nodes))));
            }
            PlanItem::Part(node) => stack.last_mut()?.1.push(node.clone()),
            PlanItem::Literal(literal) => stack.last_mut()?.1.push(literal_node(literal)),
        }
    }
    let (_, nodes) = stack.pop()?;
    stack.is_empty().then_some(PatternNode::Concat(nodes))
}

fn literal_node(literal: &[u8]) -> PatternNode {
    let leaf = super::node::Leaf { hir: Hir::literal(literal), open: None, text: String::new() };
    PatternNode::Leaf(leaf)
}

/// The remainder, where a field that began earlier ends at a mark.
fn tail(items: &[PlanItem], fields: usize) -> Option<Engine> {
    let mut open = Vec::new();
    let mut marked = Vec::with_capacity(items.len());
    for item in items {
        match item {
            PlanItem::Open(group) => {
                open.push(*group);
                marked.push(PlanItem::Open(*group));
            }
            PlanItem::Close(group) if open.contains(group) => {
                open.retain(|other| other != group);
                marked.push(PlanItem::Close(*group));
            }
            PlanItem::Close(group) => {
                marked.extend([PlanItem::Open(fields + group), PlanItem::Close(fields + group)]);
            }
            PlanItem::Literal(literal) => marked.push(PlanItem::Literal(literal.clone())),
            PlanItem::Part(node) => marked.push(PlanItem::Part(node.clone())),
        }
    }
    Engine::at_position(&node_of(&marked)?, false)
}

fn is_start_assertion(node: &PatternNode) -> bool {
    matches!(node, PatternNode::Leaf(leaf) if matches!(leaf.hir.kind(), HirKind::Look(Look::Start | Look::StartLF)))
}

/// The fastest step for parts between a byte and a literal (or the end).
fn step_for(run: &PatternNode, before: u8, literal: Option<&[u8]>) -> Option<PlanStep> {
    if run.any(&mut |node| matches!(node, PatternNode::Trail(_) | PatternNode::Verify(_) | PatternNode::Fail))
    {
        return None;
    }
    let class = class_run(run, before);
    let Some(&end) = literal.and_then(<[u8]>::first) else {
        if is_any_line(run, true) {
            return Some(PlanStep::Rest);
        }
        let (set, min, ascii_only) = class?;
        return Some(PlanStep::Run { table: set.table(), min, ascii_only });
    };
    if is_any_line(run, false) {
        return Some(PlanStep::Lazy(Box::new(Finder::new(literal?).into_owned())));
    }
    // Assertions at the end see the end of the part as the end of the text; that must not make a difference.
    let asserts_more = run.any(
        &mut |node| matches!(node, PatternNode::Leaf(leaf) if leaf.is_assertion() && !leaf.is_word_assertion()),
    );
    if run.bytes().contains(end) || is_word(end) || !end.is_ascii() || asserts_more {
        return None;
    }
    if let Some((set, min, _)) = class {
        let everything_else = set.not().iter().eq([end]) && min == 0;
        let check = if everything_else { Check::Nothing } else { Check::Table { table: set.table(), min } };
        return Some(PlanStep::Until(end, check));
    }
    let check = if run.has_captures() {
        let needs = needed_by_groups(run).map(ByteSet::table);
        Check::Groups { engine: Engine::at_position(run, true)?, fits: dfa(run), needs }
    } else {
        match dfa(run) {
            Some(dfa) => Check::Fits(dfa),
            None => Check::Groups { engine: Engine::at_position(run, true)?, fits: None, needs: None },
        }
    };
    Some(PlanStep::Until(end, check))
}

/// `.*` or `.*?`.
fn is_any_line(run: &PatternNode, wanted_greedy: bool) -> bool {
    match run {
        PatternNode::Concat(nodes) | PatternNode::Alt(nodes) if nodes.len() == 1 => {
            is_any_line(&nodes[0], wanted_greedy)
        }
        PatternNode::Repeat { min: 0, max: None, greedy, body } => {
            *greedy == wanted_greedy && body.single().is_some_and(|set| set.not().iter().eq([b'\n']))
        }
        _ => false,
    }
}

/// A greedy run of one class, perhaps between word boundaries that always hold; its least number of bytes;
/// and whether only its ASCII part is known as bytes.
fn class_run(run: &PatternNode, before: u8) -> Option<(ByteSet, usize, bool)> {
    let mut nodes = match run {
        PatternNode::Concat(nodes) | PatternNode::Alt(nodes) => &**nodes,
        node => std::slice::from_ref(node),
    };
    if let [PatternNode::Alt(inner) | PatternNode::Concat(inner)] = nodes {
        return if inner.len() == 1 || matches!(nodes, [PatternNode::Concat(_)]) {
            class_run(&PatternNode::Concat(inner.clone()), before)
        } else {
            None
        };
    }
    let is_boundary = |node: &PatternNode| matches!(node, PatternNode::Leaf(leaf) if leaf.hir.kind() == &HirKind::Look(Look::WordUnicode));
    let mut bounded = false;
    if let [first, middle, last] = nodes
        && is_boundary(first)
        && is_boundary(last)
    {
        nodes = std::slice::from_ref(middle);
        bounded = true;
    }
    let [PatternNode::Repeat { min, max: None, greedy: true, body }] = nodes else { return None };
    let min = *min as usize;
    let set = match body.single() {
        Some(set) => (set, min, false),
        // Of a class with some characters beyond ASCII only the ASCII bytes are known.
        None => match &**body {
            PatternNode::Leaf(leaf) if matches!(leaf.hir.kind(), HirKind::Class(_)) => {
                (leaf.set().and(ByteSet::HIGH.not()), min, true)
            }
            _ => return None,
        },
    };
    let words_only = set.0.iter().all(is_word);
    let words_all = (0..=0x7F).filter(|&byte| is_word(byte)).all(|byte| set.0.contains(byte));
    // Boundaries always hold if the run consists of all word characters and the byte before it is no word
    // character.
    if bounded && !(words_only && words_all && min > 0 && !is_word(before) && before.is_ascii()) {
        return None;
    }
    Some(set)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn dfa(node: &PatternNode) -> Option<Box<dense::DFA<Vec<u32>>>> {
    let hir = Hir::concat(vec![node.hir(&mut Vec::new())?, Hir::look(Look::End)]);
    let nfa = thompson::Compiler::new()
        .configure(thompson::Config::new().utf8(false).which_captures(thompson::WhichCaptures::None))
        .build_from_hir(&hir)
        .ok()?;
    let config = dense::Config::new()
        .start_kind(StartKind::Anchored)
        .unicode_word_boundary(true)
        .dfa_size_limit(Some(limits::LARGEST_FIELD_AUTOMATON_BYTES))
        .determinize_size_limit(Some(limits::LARGEST_FIELD_AUTOMATON_BYTES));
    dense::Builder::new().configure(config).build_from_nfa(&nfa).ok().map(Box::new)
}

/// A set of bytes: at least one of them occurs wherever a group takes part; `None` where a group needs no known byte.
fn needed_by_groups(node: &PatternNode) -> Option<ByteSet> {
    match node {
        PatternNode::Concat(nodes) => {
            let mut needed = ByteSet::NONE;
            for (at, node) in nodes.iter().enumerate().filter(|(_, node)| node.has_captures()) {
                let alternative = nodes.iter().enumerate().find_map(|(other, node)| match node {
                    PatternNode::Leaf(leaf) if other != at => leaf.literal().filter(|text| text.len() == 1),
                    _ => None,
                });
                match alternative {
                    Some(literal) => needed.insert(literal[0]),
                    None => needed = needed.or(needed_by_groups(node)?),
                }
            }
            Some(needed)
        }
        PatternNode::Alt(nodes) => {
            nodes.iter().try_fold(ByteSet::NONE, |set, node| Some(set.or(needed_by_groups(node)?)))
        }
        PatternNode::Repeat { body, .. } => needed_by_groups(body),
        PatternNode::Capture(..) | PatternNode::Trail(_) | PatternNode::Verify(_) => None,
        _ => Some(ByteSet::NONE),
    }
}
