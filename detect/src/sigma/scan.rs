//! One pass over a segment for all rules: each row is of a class by the log sources that select it, each distinct
//! value of a column is tested once, and a rule is evaluated for the rows that one of its triggers passes.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use indexer::{Cancel, CodedColumn, Result, SnapshotSegment};

use super::TextSearch;
use super::condition::Expr;
use super::matching::compiled;
use super::pattern::{Wild, lower};
use super::program::{AnyTest, Program, Selector, TEXT, TestId, Variant};
use super::values::{MatchPlace, Test};
use crate::limits::{INDEXED_TEXTS, SOURCE_CONDITIONS};

const WORDS: usize = SOURCE_CONDITIONS / 64;

/// Which selectors hold for a row.
type Mask = [u64; WORDS];

/// The rows of a segment that rules match, and the kinds of events that it has.
#[derive(Debug, Default)]
pub struct SegmentMatches {
    /// By rule, in order.
    pub rows: HashMap<usize, Vec<u32>>,
    pub kinds: Vec<bool>,
}

/// What scans need of a case in addition to its rows: by source, which selectors hold.
#[derive(Debug)]
pub struct SourceNames {
    pub formats: Vec<String>,
    pub names: Vec<String>,
}

/// Rows that the same log sources select.
struct Class {
    kinds: Vec<bool>,
    /// Slots whose values may start a rule.
    slots: Vec<usize>,
    /// Variants without triggers.
    always: Vec<u32>,
    /// What is looked for in texts.
    texts: Vec<TestId>,
}

/// Rows by which selectors hold for them.
struct Parted {
    masks: Vec<Mask>,
    /// For each row the place of its mask.
    of_row: Vec<u32>,
}

/// A column of a slot: for each code the place of its list of passed tests, 0 until it is known.
struct SlotColumn {
    column: CodedColumn,
    known: Vec<u32>,
    /// One for each distinct list; the first is empty.
    lists: Vec<Vec<TestId>>,
}

struct Scan<'a> {
    program: &'a Program,
    rows: &'a SnapshotSegment<'a>,
    search: TextSearch,
    cancel: &'a Cancel,
    columns: Vec<Option<Vec<SlotColumn>>>,
    texts: HashMap<u32, Vec<TestId>>,
    /// Results of slow tests: test, column of its slot, code.
    slow: HashMap<(TestId, usize, usize), bool>,
    regexes: HashMap<TestId, Option<regex::Regex>>,
}

/// Runs a program over the rows of a segment.
pub fn segment(
    program: &Program,
    rows: &SnapshotSegment<'_>,
    range: Range<usize>,
    (sources, search): (&SourceNames, TextSearch),
    cancel: &Cancel,
) -> Result<SegmentMatches> {
    let mut scan = Scan {
        program,
        rows,
        search,
        cancel,
        columns: (0..program.slots.len()).map(|_| None).collect(),
        texts: HashMap::new(),
        slow: HashMap::new(),
        regexes: HashMap::new(),
    };
    let (classes, of_row) = scan.classes(range.clone(), sources)?;
    scan.search_texts(&classes, &of_row, range.start)?;
    let mut matches = SegmentMatches { rows: HashMap::new(), kinds: vec![false; program.kinds.len()] };
    for class in &classes {
        matches.kinds.iter_mut().zip(&class.kinds).for_each(|(seen, is)| *seen |= is);
    }
    let mut stamps = vec![u32::MAX; program.variants.len()];
    let mut last = vec![u32::MAX; program.rule_kinds.len()];
    let mut candidates = Vec::new();
    for row in range.clone() {
        let class = &classes[of_row[row - range.start] as usize];
        candidates.clear();
        scan.candidates(row, class, &mut stamps, &mut candidates)?;
        for &variant in &candidates {
            let Variant { rule, plan, .. } = &program.variants[variant as usize];
            if last[*rule] != row as u32 && scan.holds(plan, row)? {
                last[*rule] = row as u32;
                matches.rows.entry(*rule).or_default().push(row as u32);
            }
        }
    }
    Ok(matches)
}

impl Scan<'_> {
    /// The columns of a slot, decoded when something first needs them.
    fn load(&mut self, slot: usize) -> Result<()> {
        if self.columns[slot].is_some() {
            return Ok(());
        }
        let fields = &self.program.slots[slot].fields;
        let mut columns = Vec::new();
        let names = self.rows.fields().filter(|(name, ..)| fields.iter().any(|field| field == name));
        let level = fields.iter().any(|field| field == "level").then_some("level");
        for name in names.map(|(_, column, _)| column).chain(level) {
            let column = self.rows.column(name, self.cancel)?;
            let known = vec![0; column.largest() + 1];
            columns.push(SlotColumn { column, known, lists: vec![Vec::new()] });
        }
        self.columns[slot] = Some(columns);
        Ok(())
    }

    fn loaded(&mut self, slot: usize) -> Result<&mut [SlotColumn]> {
        self.load(slot)?;
        Ok(self.columns[slot].as_deref_mut().unwrap_or_default())
    }

    /// The class of each row.
    fn classes(&mut self, range: Range<usize>, sources: &SourceNames) -> Result<(Vec<Class>, Vec<u32>)> {
        let program = self.program;
        let mut of_source: Vec<Mask> = vec![[0; WORDS]; sources.names.len()];
        let mut of_slot: BTreeMap<usize, Vec<(usize, &[Wild])>> = BTreeMap::new();
        for (index, selector) in program.selectors.iter().enumerate() {
            let (patterns, names) = match selector {
                Selector::Format(patterns) => (patterns, &sources.formats),
                Selector::Source(patterns) => (patterns, &sources.names),
                Selector::Field { slot, patterns } => {
                    of_slot.entry(*slot).or_default().push((index, patterns));
                    continue;
                }
            };
            for (mask, name) in of_source.iter_mut().zip(names) {
                if any(patterns, &lower(name)) {
                    set(mask, index);
                }
            }
        }
        let mut parted = Parted { masks: vec![[0; WORDS]], of_row: vec![0; range.len()] };
        for (slot, selectors) in of_slot {
            for SlotColumn { column, .. } in self.loaded(slot)? {
                parted.part(column, range.start, |code| {
                    let mut mask = [0; WORDS];
                    if let Some(text) = column.text(code) {
                        let text = lower(&text);
                        let passing = selectors.iter().filter(|(_, patterns)| any(patterns, &text));
                        passing.for_each(|(index, _)| set(&mut mask, *index));
                    }
                    mask
                });
            }
        }
        if of_source.iter().any(|mask| *mask != [0; WORDS]) {
            let source = self.rows.column("source", self.cancel)?;
            parted.part(&source, range.start, |code| {
                let place = source.text(code).and_then(|number| number.parse::<usize>().ok());
                place.and_then(|place| of_source.get(place)).copied().unwrap_or([0; WORDS])
            });
        }
        Ok((parted.masks.iter().map(|mask| self.class(mask)).collect(), parted.of_row))
    }

    fn class(&self, mask: &Mask) -> Class {
        let program = self.program;
        let holds = |selector: &usize| mask[selector / 64] >> (selector % 64) & 1 == 1;
        let kinds: Vec<bool> =
            program.kinds.iter().map(|kind| kind.as_ref().is_some_and(|all| all.iter().all(holds))).collect();
        let mut class = Class { kinds, slots: Vec::new(), always: Vec::new(), texts: Vec::new() };
        for (index, variant) in (0..).zip(&program.variants) {
            if !class.kinds[variant.kind] {
                continue;
            }
            match &variant.triggers {
                None => class.always.push(index),
                Some(tests) => {
                    class.slots.extend(tests.iter().map(|test| program.tests[*test as usize].slot));
                }
            }
            variant.expr.each_leaf(&mut |test| {
                if program.tests[*test as usize].slot == TEXT {
                    class.texts.push(*test);
                }
            });
        }
        class.texts.sort_unstable();
        class.texts.dedup();
        class.slots.sort_unstable();
        class.slots.dedup();
        class
    }

    /// Looks for keywords in the values of events and in their text.
    fn search_texts(&mut self, classes: &[Class], of_row: &[u32], first: usize) -> Result<()> {
        let program = self.program;
        let matcher = &program.slots[TEXT].matcher;
        if matcher.is_empty() {
            return Ok(());
        }
        let possible = self.possible_texts(classes, first..first + of_row.len())?;
        let wanted = |row: &u32| {
            let place = *row as usize - first;
            let class = of_row[place] as usize;
            !classes[class].texts.is_empty() && possible[class].as_ref().is_none_or(|may| may[place])
        };
        let rows: Vec<u32> = (first as u32..(first + of_row.len()) as u32).filter(wanted).collect();
        if rows.is_empty() {
            return Ok(());
        }
        let texts = &mut self.texts;
        self.rows.for_each_text(&rows, |row, text| {
            let passed = matcher.passing(text);
            if !passed.is_empty() {
                texts.insert(row, passed);
            }
        })
    }

    /// By class, of each row whether its text may have one of the keywords, by the text index; nothing where any may.
    fn possible_texts(&self, classes: &[Class], range: Range<usize>) -> Result<Vec<Option<Vec<bool>>>> {
        let is_worth = match self.search {
            TextSearch::Auto => range.len() >= INDEXED_TEXTS,
            TextSearch::Index => true,
            TextSearch::Scan => false,
        };
        if !is_worth {
            return Ok(classes.iter().map(|_| None).collect());
        }
        let mut known: HashMap<TestId, Option<Vec<u32>>> = HashMap::new();
        for &test in classes.iter().flat_map(|class| &class.texts) {
            if let Entry::Vacant(place) = known.entry(test) {
                let pattern = self.program.tests[test as usize].pattern.as_ref();
                let rows =
                    pattern.map(|pattern| self.rows.possible_rows(pattern, self.cancel)).transpose()?;
                place.insert(rows.flatten());
            }
        }
        let of_class = |class: &Class| {
            let lists = class.texts.iter().map(|test| known.get(test)?.as_ref());
            let mut may = vec![false; range.len()];
            for rows in lists.collect::<Option<Vec<_>>>()? {
                let within = rows.iter().filter(|row| range.contains(&(**row as usize)));
                within.for_each(|row| may[*row as usize - range.start] = true);
            }
            Some(may)
        };
        let possible = classes.iter().map(of_class).collect();
        Ok(possible)
    }

    /// Variants that may match a row.
    fn candidates(
        &mut self,
        row: usize,
        class: &Class,
        stamps: &mut [u32],
        candidates: &mut Vec<u32>,
    ) -> Result<()> {
        let program = self.program;
        candidates.extend(&class.always);
        let mut start = |tests: &[TestId]| {
            for &test in tests {
                for &variant in &program.starts[test as usize] {
                    let is_new = stamps[variant as usize] != row as u32;
                    if is_new && class.kinds[program.variants[variant as usize].kind] {
                        stamps[variant as usize] = row as u32;
                        candidates.push(variant);
                    }
                }
            }
        };
        for &slot in &class.slots {
            if slot == TEXT {
                self.texts.get(&(row as u32)).into_iter().for_each(|tests| start(tests));
                continue;
            }
            self.load(slot)?;
            let matcher = &program.slots[slot].matcher;
            for column in self.columns[slot].iter_mut().flatten() {
                let code = column.column.code(row);
                if code > 0 {
                    start(column.passed(code, |text| matcher.passing(text)));
                }
            }
        }
        Ok(())
    }

    fn holds(&mut self, plan: &Expr<AnyTest>, row: usize) -> Result<bool> {
        let mut failed = None;
        let holds = plan.holds(&mut |any| {
            self.passes(any, row).unwrap_or_else(|error| {
                failed.get_or_insert(error);
                false
            })
        });
        failed.map_or(Ok(holds), Err)
    }

    fn passes(&mut self, any: &AnyTest, row: usize) -> Result<bool> {
        if !any.is_matched {
            return any.tests.iter().try_fold(false, |passes, id| Ok(passes || self.passes_alone(*id, row)?));
        }
        if any.slot == TEXT {
            return Ok(self.texts.get(&(row as u32)).is_some_and(|passed| meet(passed, &any.tests)));
        }
        self.load(any.slot)?;
        let matcher = &self.program.slots[any.slot].matcher;
        Ok(self.columns[any.slot].iter_mut().flatten().any(|column| {
            let code = column.column.code(row);
            code > 0 && meet(column.passed(code, |text| matcher.passing(text)), &any.tests)
        }))
    }

    /// A test that no matcher decides.
    fn passes_alone(&mut self, id: TestId, row: usize) -> Result<bool> {
        let program = self.program;
        let test = &program.tests[id as usize];
        self.load(test.slot)?;
        if let (Test::Field { part, cased, .. }, Some(other)) = (&test.test, test.other) {
            let fold = |text: String| if *cased { text } else { lower(&text) };
            let one = self.values(test.slot, row)?;
            let other: Vec<String> = self.values(other, row)?.into_iter().map(fold).collect();
            return Ok(one
                .into_iter()
                .map(fold)
                .any(|one| other.iter().any(|other| compares(&one, other, *part))));
        }
        let columns = self.columns[test.slot].as_deref_mut().unwrap_or_default();
        let source = match &test.test {
            Test::Exists => return Ok(columns.iter().any(|column| column.column.code(row) > 0)),
            Test::Null => return Ok(columns.iter().all(|column| column.is_empty(row))),
            Test::Regex(source) => source,
            _ => return Ok(false),
        };
        for (index, column) in columns.iter().enumerate() {
            let code = column.column.code(row);
            if code == 0 {
                continue;
            }
            let regexes = &mut self.regexes;
            let passes = *self.slow.entry((id, index, code)).or_insert_with(|| {
                let regex = regexes.entry(id).or_insert_with(|| compiled(source));
                let value = column.column.text(code);
                regex.as_ref().zip(value).is_some_and(|(regex, value)| regex.is_match(&value))
            });
            if passes {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn values(&mut self, slot: usize, row: usize) -> Result<Vec<String>> {
        let columns = self.loaded(slot)?;
        let values = columns.iter().filter_map(|column| column.column.text(column.column.code(row)));
        Ok(values.map(std::borrow::Cow::into_owned).collect())
    }
}

impl Parted {
    /// Parts rows by the selectors that the codes of a column pass, too.
    fn part(&mut self, column: &CodedColumn, first: usize, mask_of: impl Fn(usize) -> Mask) {
        let (passed, of_code) = distinct((0..=column.largest()).map(mask_of));
        let mut known = HashMap::new();
        let mut masks = Vec::new();
        // What a mask becomes with what a code passes.
        let mut joined = vec![None; self.masks.len() * passed.len()];
        for (place, mask) in self.of_row.iter_mut().enumerate() {
            let code = of_code[column.code(first + place)] as usize;
            let joined = &mut joined[*mask as usize * passed.len() + code];
            *mask = *joined.get_or_insert_with(|| {
                let mut both = self.masks[*mask as usize];
                both.iter_mut().zip(&passed[code]).for_each(|(word, more)| *word |= more);
                *known.entry(both).or_insert_with(|| {
                    masks.push(both);
                    masks.len() as u32 - 1
                })
            });
        }
        self.masks = masks;
    }
}

impl SlotColumn {
    /// The tests that a value passes.
    fn passed(&mut self, code: usize, passing: impl FnOnce(&str) -> Vec<TestId>) -> &[TestId] {
        if self.known[code] == 0 {
            let passed = self.column.text(code).map(|text| passing(&text)).unwrap_or_default();
            self.known[code] = if passed.is_empty() {
                1
            } else {
                self.lists.push(passed);
                self.lists.len() as u32
            };
        }
        &self.lists[self.known[code] as usize - 1]
    }

    fn is_empty(&self, row: usize) -> bool {
        self.column.text(self.column.code(row)).is_none_or(|text| text.is_empty())
    }
}

fn set(mask: &mut Mask, selector: usize) {
    mask[selector / 64] |= 1 << (selector % 64);
}

/// Distinct masks, and for each one given its place among them.
fn distinct(masks: impl Iterator<Item = Mask>) -> (Vec<Mask>, Vec<u32>) {
    let (mut list, mut known) = (Vec::new(), HashMap::new());
    let place = |mask: Mask| {
        *known.entry(mask).or_insert_with(|| {
            list.push(mask);
            list.len() as u32 - 1
        })
    };
    let places = masks.map(place).collect();
    (list, places)
}

/// Whether two ordered lists have something in common; the first one is short.
fn meet(passed: &[TestId], tests: &[TestId]) -> bool {
    passed.iter().any(|test| tests.binary_search(test).is_ok())
}

fn any(patterns: &[Wild], value: &str) -> bool {
    patterns.iter().any(|pattern| pattern.matches(value))
}

/// Whether a text is another one, or the part of it that is named.
pub fn compares(value: &str, other: &str, part: MatchPlace) -> bool {
    match part {
        MatchPlace::Whole => value == other,
        MatchPlace::Start => value.starts_with(other),
        MatchPlace::End => value.ends_with(other),
        MatchPlace::Anywhere => value.contains(other),
    }
}
