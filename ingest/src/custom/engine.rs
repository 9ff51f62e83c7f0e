//! Runs one pattern over a line: an automaton wherever one can, else a backtracking engine with a limit.

use fancy_regex::{BytesMode, RegexBuilder};
use regex_automata::meta;
use regex_automata::util::primitives::NonMaxUsize;
use regex_automata::{Anchored, Input};
use regex_syntax::hir::{Hir, Look};

use super::node::{Group, Node, class_of};
use super::settle::{Start, starts};
use crate::limits;

/// Where each group of a pattern matched: start and end, or nothing.
pub(super) type Spans = [Option<(u32, u32)>];

/// Why a line was not matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Miss {
    NoMatch,
    TooManySteps,
}

/// Kept from line to line, so that no line allocates.
#[derive(Default)]
pub(super) struct Scratch {
    slots: Vec<Option<NonMaxUsize>>,
}

#[derive(Debug)]
pub(super) struct Engine {
    kind: Kind,
    groups: Vec<Group>,
    has_trail: bool,
}

#[derive(Debug)]
enum Kind {
    Automaton(Box<meta::Regex>),
    Backtracking(Box<fancy_regex::Regex>),
}

impl Engine {
    /// Searches for a pattern anywhere in a line.
    pub(super) fn search(node: &Node) -> Result<Engine, String> {
        let Ok(starts) = starts(node) else { return Engine::backtracking(node) };
        Engine::from_starts(&starts).unwrap_or_else(|| Engine::backtracking(node))
    }

    fn from_starts(starts: &[Start]) -> Option<Result<Engine, String>> {
        let mut groups = Vec::new();
        let mut cases = Vec::new();
        for start in starts {
            let before = match start.before {
                _ if starts.len() == 1 => Hir::empty(),
                None => Hir::look(Look::Start),
                Some(set) => class_of(set),
            };
            cases.push(Hir::concat(vec![before, start.node.hir(&mut groups)?]));
        }
        Some(Engine::automaton(&Hir::alternation(cases), groups))
    }

    /// A settled node, to be matched at a given place. None where it needs backtracking after all.
    pub(super) fn at_place(node: &Node, to_the_end: bool) -> Option<Engine> {
        let mut groups = Vec::new();
        let mut hir = node.hir(&mut groups)?;
        if to_the_end {
            hir = Hir::concat(vec![hir, Hir::look(Look::End)]);
        }
        Engine::automaton(&hir, groups).ok()
    }

    fn automaton(hir: &Hir, groups: Vec<Group>) -> Result<Engine, String> {
        let config = meta::Config::new()
            .utf8_empty(false)
            .nfa_size_limit(Some(limits::LARGEST_AUTOMATON_BYTES))
            .onepass_size_limit(Some(limits::LARGEST_FIELD_AUTOMATON_BYTES));
        let regex = meta::Builder::new().configure(config).build_from_hir(hir).map_err(|error| {
            match error.size_limit() {
                Some(_) => "the pattern is too large: take repeats or alternatives out of it".to_string(),
                None => error.to_string(),
            }
        })?;
        let has_trail = groups.contains(&Group::Trail);
        Ok(Engine { kind: Kind::Automaton(Box::new(regex)), groups, has_trail })
    }

    pub(super) fn backtracking(node: &Node) -> Result<Engine, String> {
        let (mut text, mut groups) = (String::new(), Vec::new());
        node.print(&mut text, &mut groups);
        let regex = RegexBuilder::new(&text)
            .bytes_mode(BytesMode::UnicodeBytes)
            .backtrack_limit(limits::MOST_BACKTRACKS)
            .delegate_size_limit(limits::LARGEST_AUTOMATON_BYTES)
            .build()
            .map_err(|error| error.to_string())?;
        Ok(Engine { kind: Kind::Backtracking(Box::new(regex)), groups, has_trail: false })
    }

    #[cfg(test)]
    pub(super) fn is_backtracking(&self) -> bool {
        matches!(self.kind, Kind::Backtracking(_))
    }

    /// Puts the groups of the first match into `spans`.
    pub(super) fn find(&self, line: &[u8], scratch: &mut Scratch, spans: &mut Spans) -> Result<(), Miss> {
        match &self.kind {
            Kind::Automaton(_) => self.find_at(line, 0, Anchored::No, scratch, spans),
            Kind::Backtracking(regex) => match regex.captures(line) {
                Ok(Some(found)) => {
                    for (at, group) in self.groups.iter().enumerate() {
                        if let (Some(range), Group::Field(number)) = (found.get(at + 1), group) {
                            spans[*number] = Some((range.start() as u32, range.end() as u32));
                        }
                    }
                    Ok(())
                }
                Ok(None) => Err(Miss::NoMatch),
                Err(_) => Err(Miss::TooManySteps),
            },
        }
    }

    /// Matches at one place of the line; what stands before it is known to assertions.
    pub(super) fn find_at(
        &self,
        line: &[u8],
        at: usize,
        anchored: Anchored,
        scratch: &mut Scratch,
        spans: &mut Spans,
    ) -> Result<(), Miss> {
        let Kind::Automaton(regex) = &self.kind else { return Err(Miss::NoMatch) };
        let input = Input::new(line).range(at..).anchored(anchored);
        scratch.slots.clear();
        scratch.slots.resize(2 * (self.groups.len() + 1), None);
        regex.search_slots(&input, &mut scratch.slots).ok_or(Miss::NoMatch)?;
        let slot = |at: usize| scratch.slots[at].map(|slot| slot.get() as u32);
        for (at, group) in self.groups.iter().enumerate() {
            if let (Group::Field(number), Some(start), Some(end)) = (group, slot(2 * at + 2), slot(2 * at + 3)) {
                spans[*number] = Some((start, end));
            }
        }
        if self.has_trail {
            self.end_before_trail(slot, spans);
        }
        Ok(())
    }

    fn end_before_trail(&self, slot: impl Fn(usize) -> Option<u32>, spans: &mut Spans) {
        for (at, group) in self.groups.iter().enumerate() {
            let (Group::Trail, Some(trail)) = (group, slot(2 * at + 2)) else { continue };
            for (_, end) in spans.iter_mut().flatten() {
                *end = (*end).min(trail);
            }
        }
    }
}
