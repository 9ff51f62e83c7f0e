//! The quick way through a line, derived from the pattern: where a part of the pattern ends at a byte that
//! the part itself cannot hold, that byte is searched for, and the part has only to fit what lies before.
//!
//! What the plan finds is what the pattern would find, because every step is either forced or the
//! pattern's own first choice; and the match begins at the start of the line, which no other match can
//! precede. Where the plan does not get through, the whole pattern is asked.

use memchr::memchr;
use memchr::memmem::Finder;
use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::nfa::thompson;
use regex_automata::{Anchored, Input};
use regex_syntax::hir::{Hir, HirKind, Look};

use super::bytes::ByteSet;
use super::engine::{Engine, Scratch, Spans};
use super::node::Node;
use crate::limits;

#[derive(Debug)]
pub(super) struct Plan {
    steps: Vec<Step>,
    /// Groups below this number are fields; the others mark where a field ends that began earlier.
    fields: usize,
}

#[derive(Debug)]
enum Step {
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
    /// What is left of the pattern, with marks for the fields that end in it.
    Tail(Engine),
}

#[derive(Debug)]
enum Check {
    Nothing,
    /// Every byte is of the set, and there are enough of them.
    Table {
        table: Box<[bool; 256]>,
        min: usize,
    },
    Fits(Box<dense::DFA<Vec<u32>>>),
    /// Has groups. Where none of the bytes occurs that a group needs, it is enough that it fits.
    Groups {
        engine: Engine,
        fits: Option<Box<dense::DFA<Vec<u32>>>>,
        needs: Option<Box<[bool; 256]>>,
    },
}

enum Item {
    Open(usize),
    Close(usize),
    Literal(Vec<u8>),
    Part(Node),
}

impl Plan {
    /// From a pattern as it is at the start of a line, with so many groups. None where nothing is gained.
    pub(super) fn new(node: &Node, fields: usize) -> Option<Plan> {
        let mut items = Vec::new();
        flatten(node, &mut items);
        let mut plan = Plan { steps: Vec::new(), fields };
        let mut at = 0;
        let mut before = b' ';
        while at < items.len() {
            match &items[at] {
                Item::Open(group) => plan.steps.push(Step::Open(*group)),
                Item::Close(group) => plan.steps.push(Step::Close(*group)),
                Item::Literal(literal) => {
                    plan.steps.push(Step::Literal(literal.clone().into()));
                    before = *literal.last()?;
                }
                Item::Part(part) if at == 0 && is_start_assertion(part) => {}
                Item::Part(_) => {
                    let end = run_end(&items, at);
                    let mut behind =
                        items[end..].iter().filter(|item| !matches!(item, Item::Open(_) | Item::Close(_)));
                    let run = node_of(&items[at..end]);
                    let step = match behind.next() {
                        None => run.and_then(|run| step_for(&run, before, None)),
                        Some(Item::Literal(literal)) => {
                            run.and_then(|run| step_for(&run, before, Some(literal)))
                        }
                        Some(_) => None,
                    };
                    let Some(step) = step else {
                        plan.steps.push(Step::Tail(tail(&items[at..], fields)?));
                        break;
                    };
                    plan.steps.push(step);
                    at = end;
                    continue;
                }
            }
            at += 1;
        }
        let gains =
            plan.steps.iter().any(|step| matches!(step, Step::Until(..) | Step::Lazy(_) | Step::Run { .. }));
        gains.then_some(plan)
    }

    /// Whether the line matches from its start; the groups are in `spans` then.
    pub(super) fn run(&self, line: &[u8], scratch: &mut Scratch, spans: &mut Spans) -> bool {
        let mut at = 0;
        for step in &self.steps {
            let next = match step {
                Step::Open(group) => {
                    spans[*group] = Some((at as u32, at as u32));
                    Some(at)
                }
                Step::Close(group) => {
                    if let Some((_, end)) = &mut spans[*group] {
                        *end = at as u32;
                    }
                    Some(at)
                }
                Step::Literal(literal) => line[at..].starts_with(literal).then_some(at + literal.len()),
                Step::Until(byte, check) => memchr(*byte, &line[at..])
                    .map(|length| at + length)
                    .filter(|&end| check.fits(line, at, end, scratch, spans)),
                Step::Lazy(literal) => literal
                    .find(&line[at..])
                    .map(|length| at + length)
                    .filter(|&end| memchr(b'\n', &line[at..end]).is_none()),
                Step::Run { table, min, ascii_only } => {
                    let length = line[at..].iter().take_while(|&&byte| table[usize::from(byte)]).count();
                    let known = !*ascii_only || line.get(at + length).is_none_or(u8::is_ascii);
                    (known && length >= *min).then_some(at + length)
                }
                Step::Rest => Some(memchr(b'\n', &line[at..]).map_or(line.len(), |length| at + length)),
                Step::Tail(engine) => {
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
    // An error is a character beyond ASCII at a word boundary: the whole pattern knows those.
    matches!(dfa.try_search_fwd(&input), Ok(Some(_)))
}

/// The top level of a pattern in a row, with groups as marks.
fn flatten(node: &Node, items: &mut Vec<Item>) {
    match node {
        Node::Concat(nodes) => nodes.iter().for_each(|node| flatten(node, items)),
        Node::Alt(nodes) if nodes.len() == 1 => flatten(&nodes[0], items),
        Node::Capture(group, body) => {
            items.push(Item::Open(*group));
            flatten(body, items);
            items.push(Item::Close(*group));
        }
        Node::Leaf(leaf) if leaf.literal().is_some() => {
            let literal = leaf.literal().unwrap_or_default();
            match items.last_mut() {
                Some(Item::Literal(before)) => before.extend_from_slice(literal),
                _ => items.push(Item::Literal(literal.to_vec())),
            }
        }
        node => items.push(Item::Part(node.clone())),
    }
}

/// The end of the parts that begin here and stand before the next literal; groups that begin or end on
/// the way belong to them only if they do both.
fn run_end(items: &[Item], from: usize) -> usize {
    let mut open = Vec::new();
    let mut end = from + 1;
    for (at, item) in items.iter().enumerate().skip(from) {
        match item {
            Item::Open(group) => open.push(*group),
            Item::Close(group) if open.last() == Some(group) => {
                open.pop();
            }
            Item::Close(_) => break,
            Item::Literal(_) if open.is_empty() => break,
            // A literal may stand within a group that holds parts too, as in a host with its port.
            Item::Part(_) | Item::Literal(_) => {}
        }
        if open.is_empty() {
            end = at + 1;
        }
    }
    end
}

/// The node of some items whose groups begin and end among them.
fn node_of(items: &[Item]) -> Option<Node> {
    let mut stack = vec![(None, Vec::new())];
    for item in items {
        match item {
            Item::Open(group) => stack.push((Some(*group), Vec::new())),
            Item::Close(group) => {
                let (open, nodes) = stack.pop()?;
                if open != Some(*group) {
                    return None;
                }
                stack.last_mut()?.1.push(Node::Capture(*group, Box::new(Node::Concat(nodes))));
            }
            Item::Part(node) => stack.last_mut()?.1.push(node.clone()),
            Item::Literal(literal) => stack.last_mut()?.1.push(literal_node(literal)),
        }
    }
    let (_, nodes) = stack.pop()?;
    stack.is_empty().then_some(Node::Concat(nodes))
}

fn literal_node(literal: &[u8]) -> Node {
    let leaf = super::node::Leaf { hir: Hir::literal(literal), open: None, text: String::new() };
    Node::Leaf(leaf)
}

/// What is left, where a field that began earlier ends at a mark.
fn tail(items: &[Item], fields: usize) -> Option<Engine> {
    let mut open = Vec::new();
    let mut marked = Vec::with_capacity(items.len());
    for item in items {
        match item {
            Item::Open(group) => {
                open.push(*group);
                marked.push(Item::Open(*group));
            }
            Item::Close(group) if open.contains(group) => {
                open.retain(|other| other != group);
                marked.push(Item::Close(*group));
            }
            Item::Close(group) => marked.extend([Item::Open(fields + group), Item::Close(fields + group)]),
            Item::Literal(literal) => marked.push(Item::Literal(literal.clone())),
            Item::Part(node) => marked.push(Item::Part(node.clone())),
        }
    }
    Engine::at_place(&node_of(&marked)?, false)
}

fn is_start_assertion(node: &Node) -> bool {
    matches!(node, Node::Leaf(leaf) if matches!(leaf.hir.kind(), HirKind::Look(Look::Start | Look::StartLF)))
}

/// The quickest step for parts that stand behind a byte and before a literal (or nothing more).
fn step_for(run: &Node, before: u8, literal: Option<&[u8]>) -> Option<Step> {
    if run.any(&mut |node| matches!(node, Node::Trail(_) | Node::Verify(_) | Node::Fail)) {
        return None;
    }
    let class = class_run(run, before);
    let Some(&end) = literal.and_then(<[u8]>::first) else {
        if is_any_line(run, true) {
            return Some(Step::Rest);
        }
        let (set, min, ascii_only) = class?;
        return Some(Step::Run { table: set.table(), min, ascii_only });
    };
    if is_any_line(run, false) {
        return Some(Step::Lazy(Box::new(Finder::new(literal?).into_owned())));
    }
    // Assertions at the end see the end of the part as the end of the text, which has to be no difference.
    let asserts_more = run.any(
        &mut |node| matches!(node, Node::Leaf(leaf) if leaf.is_assertion() && !leaf.is_word_assertion()),
    );
    if run.bytes().contains(end) || is_word(end) || !end.is_ascii() || asserts_more {
        return None;
    }
    if let Some((set, min, _)) = class {
        let everything_else = set.not().iter().eq([end]) && min == 0;
        let check = if everything_else { Check::Nothing } else { Check::Table { table: set.table(), min } };
        return Some(Step::Until(end, check));
    }
    let check = if run.has_captures() {
        let needs = needed_by_groups(run).map(ByteSet::table);
        Check::Groups { engine: Engine::at_place(run, true)?, fits: dfa(run), needs }
    } else {
        match dfa(run) {
            Some(dfa) => Check::Fits(dfa),
            None => Check::Groups { engine: Engine::at_place(run, true)?, fits: None, needs: None },
        }
    };
    Some(Step::Until(end, check))
}

/// `.*` or `.*?`.
fn is_any_line(run: &Node, wanted_greedy: bool) -> bool {
    match run {
        Node::Concat(nodes) | Node::Alt(nodes) if nodes.len() == 1 => is_any_line(&nodes[0], wanted_greedy),
        Node::Repeat { min: 0, max: None, greedy, body } => {
            *greedy == wanted_greedy && body.single().is_some_and(|set| set.not().iter().eq([b'\n']))
        }
        _ => false,
    }
}

/// A greedy run of one class, perhaps between word boundaries that are there anyway; how many bytes it
/// takes at least; and whether only its ASCII part is known as bytes.
fn class_run(run: &Node, before: u8) -> Option<(ByteSet, usize, bool)> {
    let mut nodes = match run {
        Node::Concat(nodes) | Node::Alt(nodes) => &**nodes,
        node => std::slice::from_ref(node),
    };
    if let [Node::Alt(inner) | Node::Concat(inner)] = nodes {
        return if inner.len() == 1 || matches!(nodes, [Node::Concat(_)]) {
            class_run(&Node::Concat(inner.clone()), before)
        } else {
            None
        };
    }
    let is_boundary = |node: &Node| matches!(node, Node::Leaf(leaf) if leaf.hir.kind() == &HirKind::Look(Look::WordUnicode));
    let mut bounded = false;
    if let [first, middle, last] = nodes
        && is_boundary(first)
        && is_boundary(last)
    {
        nodes = std::slice::from_ref(middle);
        bounded = true;
    }
    let [Node::Repeat { min, max: None, greedy: true, body }] = nodes else { return None };
    let min = *min as usize;
    let set = match body.single() {
        Some(set) => (set, min, false),
        // Of a class with a part of what lies beyond ASCII the ASCII bytes are known.
        None => match &**body {
            Node::Leaf(leaf) if matches!(leaf.hir.kind(), HirKind::Class(_)) => {
                (leaf.set().and(ByteSet::HIGH.not()), min, true)
            }
            _ => return None,
        },
    };
    let words_only = set.0.iter().all(is_word);
    let words_all = (0..=0x7F).filter(|&byte| is_word(byte)).all(|byte| set.0.contains(byte));
    // Boundaries are there when the run is of all word characters, and what stands before is none.
    if bounded && !(words_only && words_all && min > 0 && !is_word(before) && before.is_ascii()) {
        return None;
    }
    Some(set)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn dfa(node: &Node) -> Option<Box<dense::DFA<Vec<u32>>>> {
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

/// Bytes of which one must occur where any group takes part; None where a group needs no known byte.
fn needed_by_groups(node: &Node) -> Option<ByteSet> {
    match node {
        Node::Concat(nodes) => {
            let mut needed = ByteSet::NONE;
            for (at, node) in nodes.iter().enumerate().filter(|(_, node)| node.has_captures()) {
                let beside = nodes.iter().enumerate().find_map(|(other, node)| match node {
                    Node::Leaf(leaf) if other != at => leaf.literal().filter(|text| text.len() == 1),
                    _ => None,
                });
                match beside {
                    Some(literal) => needed.insert(literal[0]),
                    None => needed = needed.or(needed_by_groups(node)?),
                }
            }
            Some(needed)
        }
        Node::Alt(nodes) => {
            nodes.iter().try_fold(ByteSet::NONE, |set, node| Some(set.or(needed_by_groups(node)?)))
        }
        Node::Repeat { body, .. } => needed_by_groups(body),
        Node::Capture(..) | Node::Trail(_) | Node::Verify(_) => None,
        _ => Some(ByteSet::NONE),
    }
}
