//! The templates of a case: its shapes, grouped in levels.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::bounds::{bounded_by_kind, is_constant, is_separator};
use super::group::{Rules, general, group, shared_end, shared_start};
use super::id::{Granularity, TemplateId, shape_hash};
use super::shape::{ANY, JOINT};
use super::source_kind::split_kind;
use base::limits::MOST_SHAPES_OF_A_CASE;

/// Each level is made of the templates of the one below, so that every template lies in one of the next.
///
/// Up to four words at a place distinguish messages: with three to five, nine in ten messages of well-known
/// logs are grouped with exactly those of the same statement.
const TEMPLATES: Rules = Rules { most_words: 4, alike: 0.5 };
const GROUPS: Rules = Rules { most_words: 1, alike: 0.5 };
const FAMILIES: Rules = Rules { most_words: 1, alike: 0.25 };

/// A template.
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    pub id: TemplateId,
    /// Its words, as a shape has them, with `<*>` where they differ.
    pub(super) shape: String,
    /// The kind of source of its shapes; the first if several kinds have the same template.
    kind: u32,
    /// The index of its parent template in the next level.
    parent: Option<u32>,
}

impl Template {
    /// The displayed text.
    #[must_use]
    pub fn text(&self) -> String {
        self.shape.replace(JOINT, "")
    }
}

/// All templates of a case.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// For each shape, by its hash, its index in the lowest level.
    shapes: HashMap<u64, u32>,
    levels: [Vec<Template>; 4],
}

impl Tree {
    /// Groups the stored shapes of a case. `kept` has the assigned ids, the oldest first: a template keeps the
    /// oldest of the ids that name it.
    #[must_use]
    pub fn from_shapes<'s>(shapes: impl Iterator<Item = &'s str>, kept: &[u64]) -> Tree {
        let mut shapes: Vec<&str> = shapes.collect::<HashSet<_>>().into_iter().collect();
        shapes.sort_unstable();
        let wide = bounded_by_kind(&shapes, MOST_SHAPES_OF_A_CASE);
        let ranks: HashMap<u64, usize> =
            kept.iter().rev().enumerate().map(|(rank, &id)| (id, kept.len() - rank)).collect();
        let rank = |id: u64| (ranks.get(&id).copied().unwrap_or(usize::MAX), id);

        let mut tree = Tree::default();
        let mut kinds: HashMap<&str, u32> = HashMap::new();
        let mut places: HashMap<&str, u32> = HashMap::new();
        for (shape, wide) in shapes.iter().zip(&wide) {
            let stored = wide.as_deref().unwrap_or(shape);
            let hash = shape_hash(shape);
            let lowest = &mut tree.levels[0];
            let place = *places.entry(stored).or_insert_with(|| {
                let id = TemplateId { granularity: Granularity::Shape, shape: hash };
                let text = split_kind(stored).1;
                let next_kind = kinds.len() as u32;
                // The shapes are sorted, so the numbers of kinds depend on the set of shapes alone.
                let kind = *kinds.entry(split_kind(shape).0).or_insert(next_kind);
                lowest.push(Template { id, shape: text.to_owned(), kind, parent: None });
                lowest.len() as u32 - 1
            });
            let id = &mut lowest[place as usize].id;
            id.shape = id.shape.min_by(hash, rank);
            tree.shapes.insert(hash, place);
        }
        for (level, rules) in [TEMPLATES, GROUPS, FAMILIES].into_iter().enumerate() {
            tree.add_level(level, rules, rank);
        }
        tree
    }

    fn add_level(&mut self, below: usize, rules: Rules, rank: impl Fn(u64) -> (usize, u64) + Copy) {
        let granularity = Granularity::ALL[below + 1];
        let mut level: Vec<Template> = Vec::new();
        let mut known: HashMap<String, usize> = HashMap::new();
        for members in groups_by_kind(&self.levels[below], granularity, rules) {
            let templates = || members.iter().map(|&place| &self.levels[below][place]);
            let first =
                templates().map(|member| member.id.shape).min_by_key(|&id| rank(id)).unwrap_or_default();
            let shape = shared_shape(&templates().map(|member| member.shape.as_str()).collect::<Vec<_>>());
            let kind = templates().map(|member| member.kind).min().unwrap_or_default();
            // Programs that share a library write the same messages: those are one template.
            let same = known.get(&shape).copied().filter(|_| is_constant(&shape));
            let parent = same.unwrap_or(level.len());
            if same.is_some() {
                level[parent].id.shape = level[parent].id.shape.min_by(first, rank);
            } else {
                known.insert(shape.clone(), parent);
                let id = TemplateId { granularity, shape: first };
                level.push(Template { id, shape, kind, parent: None });
            }
            for place in members {
                self.levels[below][place].parent = Some(parent as u32);
            }
        }
        self.levels[below + 1] = level;
    }

    /// The templates of a level. Their indexes are those of [`Tree::place`].
    #[must_use]
    pub fn templates(&self, granularity: Granularity) -> &[Template] {
        &self.levels[granularity as usize]
    }

    /// The index of the template that contains a shape.
    #[must_use]
    pub fn place(&self, granularity: Granularity, shape: u64) -> Option<usize> {
        let mut place = *self.shapes.get(&shape)? as usize;
        for level in 0..granularity as usize {
            place = self.levels[level].get(place)?.parent? as usize;
        }
        Some(place)
    }

    /// The template with an id, whether the id was assigned to this template or to a part of it.
    #[must_use]
    pub fn find(&self, id: TemplateId) -> Option<&Template> {
        self.templates(id.granularity).get(self.place(id.granularity, id.shape)?)
    }

    /// The parent of a template.
    #[must_use]
    pub fn parent(&self, template: &Template) -> Option<&Template> {
        self.levels.get(template.id.granularity as usize + 1)?.get(template.parent? as usize)
    }

    /// The ids of all templates, to be stored.
    #[must_use]
    pub fn ids(&self) -> Vec<u64> {
        let ids: HashSet<u64> = self.levels.iter().flatten().map(|template| template.id.shape).collect();
        let mut ids: Vec<u64> = ids.into_iter().collect();
        ids.sort_unstable();
        ids
    }
}

/// The groups of each kind of source, each a list of places in `templates`.
fn groups_by_kind(templates: &[Template], granularity: Granularity, rules: Rules) -> Vec<Vec<usize>> {
    let mut kinds: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (place, template) in templates.iter().enumerate() {
        kinds.entry(template.kind).or_default().push(place);
    }
    let mut found = Vec::new();
    for places in kinds.into_values() {
        let texts: Vec<&str> = places.iter().map(|&place| templates[place].shape.as_str()).collect();
        let mut groups = group(&texts, rules);
        if granularity == Granularity::Template {
            groups = without_headings(&groups, &texts);
        }
        found.extend(groups.into_iter().map(|group| group.into_iter().map(|index| places[index]).collect()));
    }
    found
}

/// The most words of an optional header before a dash.
const MOST_HEADING_WORDS: usize = 3;

/// Merges groups that differ only in a header before a dash that no parser recognised: `pump 3 - valve
/// opened` is a `valve opened`. Groups without the header come first.
fn without_headings(groups: &[Vec<usize>], texts: &[&str]) -> Vec<Vec<usize>> {
    let shapes: Vec<String> = groups
        .iter()
        .map(|group| general(&shared_shape(&group.iter().map(|&place| texts[place]).collect::<Vec<_>>())))
        .collect();
    let mut known: HashMap<&str, usize> = HashMap::new();
    for (index, shape) in shapes.iter().enumerate() {
        known.entry(shape).or_insert(index);
    }
    let mut joined: Vec<Vec<usize>> = vec![Vec::new(); groups.len()];
    let mut bare: Vec<usize> = (0..groups.len()).collect();
    for (index, shape) in shapes.iter().enumerate() {
        if let Some(rest) = after_heading(shape)
            && let Some(&other) = known.get(rest)
        {
            bare[index] = other;
        }
    }
    for index in 0..groups.len() {
        // A header may follow a header; each merge removes words, so this ends.
        let mut target = index;
        while bare[target] != target {
            target = bare[target];
        }
        joined[target].push(index);
    }
    let words = |index: &usize| shapes[*index].split(is_separator).count();
    joined
        .into_iter()
        .filter(|together| !together.is_empty())
        .map(|mut together| {
            together.sort_by_key(words);
            together.into_iter().flat_map(|index| groups[index].iter().copied()).collect()
        })
        .collect()
}

/// The text after the first dash between words, if few words precede it and a word follows it.
fn after_heading(shape: &str) -> Option<&str> {
    let (heading, rest) = shape.split_once(" - ")?;
    let is_short = heading.split(is_separator).count() <= MOST_HEADING_WORDS;
    let says = rest.split(is_separator).filter(|word| !word.contains(ANY)).count() >= 2;
    (is_short && says).then_some(rest)
}

trait MinBy {
    fn min_by(self, other: u64, rank: impl Fn(u64) -> (usize, u64)) -> u64;
}

impl MinBy for u64 {
    fn min_by(self, other: u64, rank: impl Fn(u64) -> (usize, u64)) -> u64 {
        if rank(other) < rank(self) { other } else { self }
    }
}

/// The common template of shapes with the same number of words as the first.
fn shared_shape(shapes: &[&str]) -> String {
    let (Some(first), true) = (shapes.first(), shapes.len() > 1) else {
        return shapes.first().map_or_else(String::new, |only| (*only).to_owned());
    };
    let rows: Vec<Vec<&str>> = shapes.iter().map(|shape| shape.split(is_separator).collect()).collect();
    let rows: Vec<&Vec<&str>> = rows.iter().filter(|row| row.len() == rows[0].len()).collect();
    let mut text = String::with_capacity(first.len());
    for (place, separated) in first.split_inclusive(is_separator).enumerate() {
        let mut words: Vec<&str> = rows.iter().filter_map(|row| row.get(place).copied()).collect();
        words.sort_unstable();
        words.dedup();
        text.push_str(&shared_word(&words));
        text.extend(separated.chars().next_back().filter(|last| is_separator(*last)));
    }
    text
}

fn shared_word(words: &[&str]) -> String {
    let [first, ..] = words else { return String::new() };
    if words.len() == 1 {
        return (*first).to_owned();
    }
    let general_first = general(first);
    if words.iter().all(|word| general(word) == general_first) {
        return general_first;
    }
    let start = shared_start(words);
    let end = shared_end(words, start);
    // A mark at the edge belongs to what varies.
    let (start, end) = (&first[..start], &first[first.len() - end..]);
    format!("{}{ANY}{}", general(start), general(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(tree: &Tree) -> Vec<String> {
        let mut texts: Vec<String> =
            tree.templates(Granularity::Template).iter().map(Template::text).collect();
        texts.sort();
        texts
    }

    const USERS: [&str; 6] = [
        "user=anna from <ip> left",
        "user=ben from <ip> left",
        "user=cleo from <ip> left",
        "user=dan from <ip> left",
        "user=eve from <host>:<num> left",
        "pump stopped",
    ];

    #[test]
    fn templates_show_what_their_shapes_share() {
        let tree = Tree::from_shapes(USERS.into_iter(), &[]);
        assert_eq!(names(&tree), ["pump stopped", "user=<*> from <*> left"]);
        let requests =
            ["GET /a\u{1f}/x", "GET /a\u{1f}/y", "GET /a\u{1f}/z", "GET /a\u{1f}/v", "GET /a\u{1f}/w"];
        assert_eq!(names(&Tree::from_shapes(requests.into_iter(), &[])), ["GET /a/<*>"]);
    }

    #[test]
    fn optional_header_makes_no_template_of_its_own() {
        let shapes = [
            "valve <num> opened wide",
            "pump <num> - valve <num> opened wide",
            "a b c d - valve <num> opened wide",
        ];
        assert_eq!(
            names(&Tree::from_shapes(shapes.into_iter(), &[])),
            ["a b c d - valve <num> opened wide", "valve <num> opened wide"]
        );
    }

    #[test]
    fn id_names_the_template_that_absorbed_it() {
        let before = Tree::from_shapes(USERS[..1].iter().copied(), &[]);
        let id = before.templates(Granularity::Template)[0].id;
        let grown = Tree::from_shapes(USERS.into_iter(), &before.ids());
        let found = grown.find(id).expect("it is known");
        assert_eq!((found.id, found.text().as_str()), (id, "user=<*> from <*> left"));
        // Without the stored ids the template may have the id of another shape; the old id still names it.
        let restored = Tree::from_shapes(USERS.into_iter(), &[]);
        assert_eq!(restored.find(id).map(Template::text), Some("user=<*> from <*> left".to_owned()));
    }

    #[test]
    fn the_order_and_repetition_of_shapes_change_nothing() {
        let tree = Tree::from_shapes(USERS.into_iter(), &[]);
        let again = Tree::from_shapes(USERS.iter().rev().chain(&USERS).copied(), &[]);
        for granularity in Granularity::ALL {
            assert_eq!(tree.ids(), again.ids());
            for shape in USERS {
                let text = |tree: &Tree| {
                    let place = tree.place(granularity, shape_hash(shape)).expect("it is known");
                    tree.templates(granularity)[place].text()
                };
                assert_eq!(text(&tree), text(&again));
            }
        }
    }

    #[test]
    fn kinds_of_source_are_grouped_separately() {
        let stored = |kind: &str, shapes: [&str; 5]| shapes.map(|shape| format!("{kind}\u{1e}{shape}"));
        let app = stored("json app", ["red is up", "blue is up", "green is up", "pink is up", "grey is up"]);
        let shop = stored(
            "text shop",
            ["one fell off", "two fell off", "six fell off", "ten fell off", "all is well"],
        );
        let tree = Tree::from_shapes(app.iter().chain(&shop).map(String::as_str), &[]);
        assert_eq!(
            names(&tree),
            ["<*> is up", "all is well", "one fell off", "six fell off", "ten fell off", "two fell off"]
        );
    }

    #[test]
    fn a_message_that_several_kinds_share_is_one_template() {
        let stored = [
            "json app\u{1e}out of memory",
            "text shop\u{1e}out of memory",
            "json app\u{1e}<num>",
            "text shop\u{1e}<num>",
        ];
        let tree = Tree::from_shapes(stored.into_iter(), &[]);
        assert_eq!(names(&tree), ["<num>", "<num>", "out of memory"]);
        let [one, two] = [0, 1].map(|kind| tree.place(Granularity::Template, shape_hash(stored[kind])));
        assert_eq!(one, two);
    }

    #[test]
    fn every_template_lies_in_one_of_the_next_level() {
        let tree = Tree::from_shapes(USERS.into_iter(), &[]);
        for granularity in &Granularity::ALL[..3] {
            for template in tree.templates(*granularity) {
                let parent = tree.parent(template).expect("it has one");
                assert_eq!(
                    tree.find(TemplateId { granularity: parent.id.granularity, ..template.id }),
                    Some(parent)
                );
            }
        }
        assert!(tree.templates(Granularity::Family).iter().all(|family| tree.parent(family).is_none()));
    }
}
