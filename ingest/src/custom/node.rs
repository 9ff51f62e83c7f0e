//! A pattern as a tree, and static analysis of it.

use std::fmt::Write;

use regex_syntax::hir::{
    Capture, Class, ClassBytes, ClassBytesRange, Hir, HirKind, Look as HirLook, Repetition,
};

use super::byte_set::ByteSet;

/// A pattern. Captures have the number of the group they fill; the same number may occur more than once.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum PatternNode {
    Leaf(Leaf),
    Concat(Vec<PatternNode>),
    Alt(Vec<PatternNode>),
    Repeat {
        min: u32,
        max: Option<u32>,
        greedy: bool,
        body: Box<PatternNode>,
    },
    Capture(usize, Box<PatternNode>),
    /// The first match of the body is final: no other way to match it is tried.
    Atomic(Box<PatternNode>),
    Look {
        ahead: bool,
        negative: bool,
        body: Box<PatternNode>,
    },
    BackReference(usize),
    /// Consumes the one byte after the match, or matches at the end of the text: a look-ahead at the very end
    /// of a pattern. Groups that end after it really end before it.
    Trail(ByteSet),
    /// A look-around that the automaton leaves out; the match is checked for it afterwards.
    Verify(Neighbour),
    Fail,
}

/// Requires that the byte before or after a position is in a set, or is not (or that there is none).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Neighbour {
    pub ahead: bool,
    pub negative: bool,
    pub set: ByteSet,
}

impl Neighbour {
    pub(super) fn holds(self, line: &[u8], at: usize) -> bool {
        let byte = if self.ahead { line.get(at) } else { at.checked_sub(1).and_then(|at| line.get(at)) };
        byte.is_some_and(|&byte| self.set.contains(byte)) != self.negative
    }
}

/// One character, one class or one assertion.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Leaf {
    pub hir: Hir,
    /// For a class that contains everything beyond ASCII: the same class over bytes. A run of such bytes
    /// matches even if it is not valid UTF-8.
    pub open: Option<Hir>,
    /// The same in the syntax of the backtracking engine.
    pub text: String,
}

/// Which bytes can be at one end of a match of a node, and whether the match can be empty.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub set: ByteSet,
    pub nullable: bool,
    /// An assertion is evaluated when the match is empty.
    pub checked: bool,
}

impl Edge {
    fn nothing(checked: bool) -> Edge {
        Edge { set: ByteSet::NONE, nullable: true, checked }
    }

    fn then(self, next: impl FnOnce() -> Edge) -> Edge {
        if !self.nullable {
            return self;
        }
        let next = next();
        Edge { set: self.set.or(next.set), nullable: next.nullable, checked: self.checked || next.checked }
    }
}

impl Leaf {
    pub(super) fn is_assertion(&self) -> bool {
        matches!(self.hir.kind(), HirKind::Look(_))
    }

    pub(super) fn is_word_assertion(&self) -> bool {
        matches!(self.hir.kind(), HirKind::Look(HirLook::WordUnicode | HirLook::WordUnicodeNegate))
    }

    pub(super) fn literal(&self) -> Option<&[u8]> {
        match self.hir.kind() {
            HirKind::Literal(literal) => Some(&literal.0),
            _ => None,
        }
    }

    pub(super) fn set(&self) -> ByteSet {
        byte_set_of(self.open.as_ref().unwrap_or(&self.hir))
    }
}

/// The bytes of a class or literal; beyond ASCII all or none of them.
fn byte_set_of(hir: &Hir) -> ByteSet {
    let mut set = ByteSet::NONE;
    let mut add = |byte: u32| match u8::try_from(byte) {
        Ok(byte) if byte.is_ascii() => set.insert(byte),
        _ => set = set.or(ByteSet::HIGH),
    };
    match hir.kind() {
        HirKind::Literal(literal) => literal.0.iter().for_each(|&byte| add(u32::from(byte))),
        HirKind::Class(Class::Unicode(class)) => {
            for range in class.ranges() {
                (u32::from(range.start())..=u32::from(range.end()).min(0x80)).for_each(&mut add);
                if u32::from(range.end()) >= 0x80 {
                    add(0x80);
                }
            }
        }
        HirKind::Class(Class::Bytes(class)) => {
            for range in class.ranges() {
                (u32::from(range.start())..=u32::from(range.end())).for_each(&mut add);
            }
        }
        HirKind::Look(_) | HirKind::Empty => {}
        HirKind::Alternation(parts) | HirKind::Concat(parts) => {
            return parts.iter().fold(set, |set, part| set.or(byte_set_of(part)));
        }
        HirKind::Repetition(Repetition { sub, .. }) | HirKind::Capture(Capture { sub, .. }) => {
            return byte_set_of(sub);
        }
    }
    set
}

impl PatternNode {
    pub(super) fn empty() -> PatternNode {
        PatternNode::Concat(Vec::new())
    }

    /// Every byte that can occur anywhere in a match.
    pub(super) fn bytes(&self) -> ByteSet {
        match self {
            PatternNode::Leaf(leaf) => leaf.set(),
            PatternNode::Concat(nodes) | PatternNode::Alt(nodes) => {
                nodes.iter().fold(ByteSet::NONE, |set, node| set.or(node.bytes()))
            }
            PatternNode::Repeat { body, .. } | PatternNode::Capture(_, body) | PatternNode::Atomic(body) => {
                body.bytes()
            }
            PatternNode::Look { .. } | PatternNode::Verify(_) | PatternNode::Fail => ByteSet::NONE,
            PatternNode::BackReference(_) => ByteSet::ALL,
            PatternNode::Trail(set) => *set,
        }
    }

    pub(super) fn first(&self) -> Edge {
        self.edge(false)
    }

    pub(super) fn last(&self) -> Edge {
        self.edge(true)
    }

    fn edge(&self, last: bool) -> Edge {
        match self {
            PatternNode::Leaf(leaf) if leaf.is_assertion() => Edge::nothing(true),
            PatternNode::Leaf(leaf) => Edge { set: leaf.set(), nullable: false, checked: false },
            PatternNode::Concat(nodes) if last => {
                nodes.iter().rev().fold(Edge::nothing(false), |edge, node| edge.then(|| node.edge(last)))
            }
            PatternNode::Concat(nodes) => {
                nodes.iter().fold(Edge::nothing(false), |edge, node| edge.then(|| node.edge(last)))
            }
            PatternNode::Alt(nodes) => nodes
                .iter()
                .map(|node| node.edge(last))
                .reduce(|a, b| Edge {
                    set: a.set.or(b.set),
                    nullable: a.nullable || b.nullable,
                    checked: a.checked || b.checked,
                })
                .unwrap_or(Edge::nothing(false)),
            PatternNode::Repeat { min, body, .. } => {
                let edge = body.edge(last);
                Edge { nullable: edge.nullable || *min == 0, ..edge }
            }
            PatternNode::Capture(_, body) | PatternNode::Atomic(body) => body.edge(last),
            PatternNode::Look { .. } | PatternNode::Verify(_) => Edge::nothing(true),
            PatternNode::BackReference(_) => Edge { set: ByteSet::ALL, nullable: true, checked: true },
            PatternNode::Trail(set) => Edge { set: *set, nullable: true, checked: true },
            PatternNode::Fail => Edge { set: ByteSet::NONE, nullable: false, checked: true },
        }
    }

    /// The class of this node, if it is exactly one class or ASCII character.
    pub(super) fn single(&self) -> Option<ByteSet> {
        match self {
            PatternNode::Leaf(leaf) if leaf.literal().is_some_and(|literal| literal.len() == 1) => {
                Some(leaf.set())
            }
            PatternNode::Leaf(leaf) if matches!(leaf.hir.kind(), HirKind::Class(_)) => {
                // A class with only part of the characters beyond ASCII is not a set of bytes.
                (leaf.open.is_some() || leaf.set().is_disjoint(ByteSet::HIGH)).then(|| leaf.set())
            }
            PatternNode::Leaf(leaf) if leaf.open.is_some() => Some(leaf.set()),
            PatternNode::Concat(nodes) | PatternNode::Alt(nodes) if nodes.len() == 1 => nodes[0].single(),
            PatternNode::Capture(_, body) | PatternNode::Atomic(body) => body.single(),
            _ => None,
        }
    }

    /// Whether each next byte leaves one way to continue, so that the first match is the longest and there is
    /// no other way to match it.
    pub(super) fn is_deterministic(&self) -> bool {
        match self {
            PatternNode::Leaf(_) => true,
            PatternNode::Concat(nodes) => nodes.iter().enumerate().all(|(at, node)| {
                let after = PatternNode::Concat(nodes[at + 1..].to_vec()).first().set;
                node.is_deterministic()
                    && (!node.first().nullable || node.first().set.is_disjoint(after))
                    && node.loops_are_disjoint_from(after)
            }),
            PatternNode::Alt(nodes) => nodes.iter().enumerate().all(|(at, node)| {
                let set = node.first().set;
                node.is_deterministic()
                    && !node.first().nullable
                    && nodes[..at].iter().all(|earlier| earlier.first().set.is_disjoint(set))
            }),
            PatternNode::Repeat { greedy, body, .. } => {
                *greedy
                    && body.is_deterministic()
                    && !body.first().nullable
                    && body.loops_are_disjoint_from(body.first().set)
            }
            PatternNode::Capture(_, body) | PatternNode::Atomic(body) => body.is_deterministic(),
            PatternNode::Look { .. }
            | PatternNode::BackReference(_)
            | PatternNode::Trail(_)
            | PatternNode::Verify(_)
            | PatternNode::Fail => false,
        }
    }

    /// Whether a match can never be extended to a longer one (of a deterministic node).
    pub(super) fn has_one_end(&self) -> bool {
        match self {
            PatternNode::Leaf(leaf) => !leaf.is_assertion(),
            PatternNode::Concat(nodes) => nodes.last().is_some_and(PatternNode::has_one_end),
            PatternNode::Alt(nodes) => nodes.iter().all(PatternNode::has_one_end),
            PatternNode::Repeat { min, max, body, .. } => {
                *min > 0 && *max == Some(*min) && body.has_one_end()
            }
            PatternNode::Capture(_, body) | PatternNode::Atomic(body) => body.has_one_end(),
            _ => false,
        }
    }

    /// Whether the first byte of the following node always decides between it and one more repeat at the end
    /// of this node.
    fn loops_are_disjoint_from(&self, after: ByteSet) -> bool {
        match self {
            PatternNode::Repeat { min, max, body, .. } => {
                let open_ended = *max != Some(*min);
                (!open_ended || body.first().set.is_disjoint(after)) && body.loops_are_disjoint_from(after)
            }
            PatternNode::Concat(nodes) => {
                let mut after = after;
                for node in nodes.iter().rev() {
                    if !node.loops_are_disjoint_from(after) {
                        return false;
                    }
                    let first = node.first();
                    after = if first.nullable { after.or(first.set) } else { break };
                }
                true
            }
            PatternNode::Alt(nodes) => nodes.iter().all(|node| node.loops_are_disjoint_from(after)),
            PatternNode::Capture(_, body) | PatternNode::Atomic(body) => body.loops_are_disjoint_from(after),
            _ => true,
        }
    }

    pub(super) fn any(&self, test: &mut impl FnMut(&PatternNode) -> bool) -> bool {
        test(self)
            || match self {
                PatternNode::Concat(nodes) | PatternNode::Alt(nodes) => {
                    nodes.iter().any(|node| node.any(test))
                }
                PatternNode::Repeat { body, .. }
                | PatternNode::Capture(_, body)
                | PatternNode::Atomic(body)
                | PatternNode::Look { body, .. } => body.any(test),
                _ => false,
            }
    }

    pub(super) fn has_captures(&self) -> bool {
        self.any(&mut |node| {
            matches!(node, PatternNode::Capture(..) | PatternNode::Trail(_) | PatternNode::Verify(_))
        })
    }

    /// Converts to the syntax tree of the automata. Captures are numbered in the order of occurrence; the
    /// meaning of each is appended to `groups`. `None` where only backtracking works.
    pub(super) fn hir(&self, groups: &mut Vec<Group>) -> Option<Hir> {
        Some(match self {
            PatternNode::Leaf(leaf) => leaf.hir.clone(),
            PatternNode::Concat(nodes) => Hir::concat(hirs(nodes, groups)?),
            PatternNode::Alt(nodes) => Hir::alternation(hirs(nodes, groups)?),
            PatternNode::Repeat { min, max, greedy, body } => {
                let sub = match &**body {
                    PatternNode::Leaf(Leaf { open: Some(open), .. }) if max.is_none() => open.clone(),
                    body => body.hir(groups)?,
                };
                Hir::repetition(Repetition { min: *min, max: *max, greedy: *greedy, sub: Box::new(sub) })
            }
            PatternNode::Capture(number, body) => {
                groups.push(Group::Field(*number));
                let index = groups.len() as u32;
                Hir::capture(Capture { index, name: None, sub: Box::new(body.hir(groups)?) })
            }
            PatternNode::Trail(set) => {
                groups.push(Group::Trail);
                let index = groups.len() as u32;
                let sub = Hir::alternation(vec![Hir::look(HirLook::End), class_of(*set)]);
                Hir::capture(Capture { index, name: None, sub: Box::new(sub) })
            }
            PatternNode::Verify(neighbour) => {
                groups.push(Group::Verify(*neighbour));
                let index = groups.len() as u32;
                Hir::capture(Capture { index, name: None, sub: Box::new(Hir::empty()) })
            }
            PatternNode::Fail => Hir::fail(),
            PatternNode::Atomic(_) | PatternNode::Look { .. } | PatternNode::BackReference(_) => return None,
        })
    }

    /// Prints in the syntax of the backtracking engine; captures are numbered in the order of occurrence.
    pub(super) fn print(&self, out: &mut String, groups: &mut Vec<Group>) {
        match self {
            PatternNode::Leaf(leaf) => out.push_str(&leaf.text),
            PatternNode::Concat(nodes) => nodes.iter().for_each(|node| node.print(out, groups)),
            PatternNode::Alt(nodes) => {
                out.push_str("(?:");
                for (at, node) in nodes.iter().enumerate() {
                    out.push_str(if at > 0 { "|" } else { "" });
                    node.print(out, groups);
                }
                out.push(')');
            }
            PatternNode::Repeat { min, max, greedy, body } => {
                wrap(out, "(?:", |out| body.print(out, groups));
                let max = max.map(|max| max.to_string()).unwrap_or_default();
                // Writing to a string cannot fail.
                let _ = write!(out, "{{{min},{max}}}{}", if *greedy { "" } else { "?" });
            }
            PatternNode::Capture(number, body) => {
                groups.push(Group::Field(*number));
                wrap(out, "(", |out| body.print(out, groups));
            }
            PatternNode::Atomic(body) => wrap(out, "(?>", |out| body.print(out, groups)),
            PatternNode::Look { ahead, negative, body } => {
                let open = match (ahead, negative) {
                    (true, true) => "(?!",
                    (true, false) => "(?=",
                    (false, true) => "(?<!",
                    (false, false) => "(?<=",
                };
                wrap(out, open, |out| body.print(out, groups));
            }
            PatternNode::BackReference(number) => {
                let met = groups.iter().position(|group| *group == Group::Field(*number));
                match met {
                    Some(at) => {
                        let _ = write!(out, "(?:\\{})", at + 1);
                    }
                    None => out.push_str("(?!)"),
                }
            }
            PatternNode::Trail(_) | PatternNode::Verify(_) | PatternNode::Fail => out.push_str("(?!)"),
        }
    }
}

/// The purpose of a group of a compiled pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    Field(usize),
    /// See [`PatternNode::Trail`].
    Trail,
    /// See [`PatternNode::Verify`].
    Verify(Neighbour),
}

fn hirs(nodes: &[PatternNode], groups: &mut Vec<Group>) -> Option<Vec<Hir>> {
    nodes.iter().map(|node| node.hir(groups)).collect()
}

pub(super) fn class_of(set: ByteSet) -> Hir {
    Hir::class(Class::Bytes(ClassBytes::new(set.iter().map(|byte| ClassBytesRange::new(byte, byte)))))
}

fn wrap(out: &mut String, open: &str, inner: impl FnOnce(&mut String)) {
    out.push_str(open);
    inner(out);
    out.push(')');
}
