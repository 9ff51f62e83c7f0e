//! Runs one pattern over a line: with an automaton wherever possible, otherwise with a backtracking engine
//! that has a step limit.

use fancy_regex::{BytesMode, RegexBuilder};
use regex_automata::meta;
use regex_automata::util::primitives::NonMaxUsize;
use regex_automata::{Anchored, Input};
use regex_syntax::hir::{Hir, Look};

use super::node::{Group, PatternNode, class_of};
use super::simplify::{PatternStart, starts};
use crate::limits;

/// Where each group of a pattern matched: start and end, or nothing.
pub(super) type Spans = [Option<(u32, u32)>];

/// Why a line did not match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Miss {
    NoMatch,
    TooManySteps,
    /// The match fails a check that the automaton leaves out; there may be another match.
    Unsure,
}

/// Reused from line to line, so that no line allocates.
#[derive(Default)]
pub(super) struct Scratch {
    slots: Vec<Option<NonMaxUsize>>,
}

#[derive(Debug)]
pub(super) struct Engine {
    kind: EngineKind,
    groups: Vec<Group>,
    /// Some groups are only checked after a match.
    has_marks: bool,
    /// Decides where the match fails a check that the automaton leaves out.
    fallback: Option<Box<Engine>>,
}

#[derive(Debug)]
enum EngineKind {
    Automaton(Box<meta::Regex>),
    Backtracking(Box<fancy_regex::Regex>),
}

impl Engine {
    /// Searches for a pattern anywhere in a line.
    pub(super) fn search(node: &PatternNode) -> Result<Engine, String> {
        let Ok(starts) = starts(node) else { return Engine::backtracking(node) };
        let Some(engine) = Engine::from_starts(&starts) else { return Engine::backtracking(node) };
        let mut engine = engine?;
        if engine.groups.iter().any(|group| matches!(group, Group::Verify(_))) {
            engine.fallback = Some(Box::new(Engine::backtracking(node)?));
        }
        Ok(engine)
    }

    fn from_starts(starts: &[PatternStart]) -> Option<Result<Engine, String>> {
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

    /// Compiles a simplified node to be matched at a given position. `None` where it needs backtracking after
    /// all.
    pub(super) fn at_position(node: &PatternNode, to_the_end: bool) -> Option<Engine> {
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
        let regex =
            meta::Builder::new().configure(config).build_from_hir(hir).map_err(|error| {
                match error.size_limit() {
                    Some(_) => "the pattern is too large: take repeats or alternatives out of it".to_string(),
                    None => error.to_string(),
                }
            })?;
        let has_marks = groups.iter().any(|group| !matches!(group, Group::Field(_)));
        Ok(Engine { kind: EngineKind::Automaton(Box::new(regex)), groups, has_marks, fallback: None })
    }

    pub(super) fn backtracking(node: &PatternNode) -> Result<Engine, String> {
        let (mut text, mut groups) = (String::new(), Vec::new());
        node.print(&mut text, &mut groups);
        let regex = RegexBuilder::new(&text)
            .bytes_mode(BytesMode::UnicodeBytes)
            .backtrack_limit(limits::MOST_BACKTRACKS)
            .delegate_size_limit(limits::LARGEST_AUTOMATON_BYTES)
            .build()
            .map_err(|error| error.to_string())?;
        Ok(Engine {
            kind: EngineKind::Backtracking(Box::new(regex)),
            groups,
            has_marks: false,
            fallback: None,
        })
    }

    #[cfg(test)]
    pub(super) fn is_backtracking(&self) -> bool {
        matches!(self.kind, EngineKind::Backtracking(_))
    }

    /// Writes the groups of the first match to `spans`.
    pub(super) fn find(&self, line: &[u8], scratch: &mut Scratch, spans: &mut Spans) -> Result<(), Miss> {
        match &self.kind {
            EngineKind::Automaton(_) => {
                match (self.find_at(line, 0, Anchored::No, scratch, spans), &self.fallback) {
                    (Err(Miss::Unsure), Some(fallback)) => {
                        spans.fill(None);
                        fallback.find(line, scratch, spans)
                    }
                    (found, _) => found,
                }
            }
            EngineKind::Backtracking(regex) => match regex.captures(line) {
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

    /// Matches at one position of the line; assertions see the text before it.
    pub(super) fn find_at(
        &self,
        line: &[u8],
        at: usize,
        anchored: Anchored,
        scratch: &mut Scratch,
        spans: &mut Spans,
    ) -> Result<(), Miss> {
        let EngineKind::Automaton(regex) = &self.kind else { return Err(Miss::NoMatch) };
        let input = Input::new(line).range(at..).anchored(anchored);
        scratch.slots.clear();
        scratch.slots.resize(2 * (self.groups.len() + 1), None);
        regex.search_slots(&input, &mut scratch.slots).ok_or(Miss::NoMatch)?;
        let slot = |at: usize| scratch.slots[at].map(|slot| slot.get() as u32);
        for (at, group) in self.groups.iter().enumerate() {
            if let (Group::Field(number), Some(start), Some(end)) =
                (group, slot(2 * at + 2), slot(2 * at + 3))
            {
                spans[*number] = Some((start, end));
            }
        }
        if self.has_marks { self.check_marks(line, slot, spans) } else { Ok(()) }
    }

    fn check_marks(
        &self,
        line: &[u8],
        slot: impl Fn(usize) -> Option<u32>,
        spans: &mut Spans,
    ) -> Result<(), Miss> {
        for (at, group) in self.groups.iter().enumerate() {
            let Some(place) = slot(2 * at + 2) else { continue };
            match group {
                Group::Field(_) => {}
                Group::Trail => {
                    // A mark of the plan may also begin after the trail.
                    for (start, end) in spans.iter_mut().flatten() {
                        (*start, *end) = ((*start).min(place), (*end).min(place));
                    }
                }
                Group::Verify(neighbour) => {
                    if !neighbour.holds(line, place as usize) {
                        return Err(Miss::Unsure);
                    }
                }
            }
        }
        Ok(())
    }
}
