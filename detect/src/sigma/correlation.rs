//! Correlations: how many events of rules fall together, how many values they have, in which order they come.

use std::collections::{BTreeMap, HashMap, VecDeque};

use indexer::query::Op;
use indexer::{Cell, percentile_of_counted};

use super::about::{RuleAbout, about};
use super::rule::{Head, Rule, head};
use crate::clock;
use crate::limits::ALERTS;
use crate::problem::Fault;
use crate::yaml::{Node, Value};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CorrelationKind {
    EventCount,
    ValueCount,
    ValueSum,
    ValueAverage,
    ValuePercentile,
    Temporal,
    Ordered,
}

#[derive(Clone, Debug)]
pub struct Correlation {
    pub head: Head,
    /// Its own texts.
    pub about: RuleAbout,
    /// The same, with the log sources, the tactics and the techniques of its rules once these are known.
    pub whole: RuleAbout,
    pub line: usize,
    pub kind: CorrelationKind,
    /// Ids or names of rules, or of other correlations.
    pub rules: Vec<String>,
    pub group_by: Vec<String>,
    pub timespan: i64,
    /// All must hold for the count.
    pub conditions: Vec<(Op, f64)>,
    /// Whose values are counted or calculated with.
    pub field: Option<String>,
    /// Which percentile of them; the median unless given.
    pub percentile: f64,
    /// By name of a group and rule: the field of that rule.
    pub aliases: BTreeMap<(String, String), String>,
    /// The rules alert by themselves, too.
    pub generate: bool,
}

impl std::fmt::Debug for Head {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.id)
    }
}

impl Correlation {
    /// Whether its condition holds for a number.
    fn holds(&self, number: f64) -> bool {
        self.conditions.iter().all(|(op, wanted)| op.holds(number.total_cmp(wanted)))
    }

    /// How many of its rules must match before it can hold.
    pub fn least_rules(&self) -> usize {
        let all = self.rules.len();
        match self.kind {
            CorrelationKind::Temporal if !self.conditions.is_empty() => {
                (1..=all).find(|&count| self.holds(count as f64)).unwrap_or(all)
            }
            CorrelationKind::Temporal | CorrelationKind::Ordered => all,
            _ => 1,
        }
    }

    /// Whether it can hold only for events with values of its field.
    pub fn needs_value(&self) -> bool {
        match self.kind {
            CorrelationKind::ValueSum | CorrelationKind::ValueAverage | CorrelationKind::ValuePercentile => {
                true
            }
            CorrelationKind::ValueCount => !self.holds(0.0),
            _ => false,
        }
    }

    /// The fields of a rule that are to be known of each of its events: those of the groups, then the counted one.
    pub fn fields_of(&self, rule: &str) -> Vec<String> {
        let field = |name: &String| {
            self.aliases.get(&(name.clone(), rule.to_owned())).cloned().unwrap_or_else(|| name.clone())
        };
        self.group_by.iter().chain(&self.field).map(field).collect()
    }

    /// The fields of a rule that the groups are of.
    pub fn keys_of(&self, rule: &Rule) -> Vec<String> {
        let name = self.rules.iter().find(|name| rule.is_called(name)).unwrap_or(&rule.id);
        let mut fields = self.fields_of(name);
        fields.truncate(self.group_by.len());
        fields
    }
}

pub fn read(document: &Node, stem: &str) -> Result<Correlation, Fault> {
    let head = head(document, stem)?;
    let Some(body) = document.get("correlation") else {
        return Err(Fault::new(document.line, "the document has no `correlation`"));
    };
    let missing =
        |what: &str, hint: &str| Fault::new(body.line, format!("the correlation has no `{what}`")).hint(hint);
    let texts = |key: &str| -> Vec<String> {
        let nodes = body.get(key).map(Node::each).unwrap_or_default();
        nodes.iter().filter_map(Node::text).map(str::to_owned).collect()
    };
    let kind_node = body.get("type").ok_or_else(|| missing("type", TYPES))?;
    let kind = match kind_node.text().unwrap_or_default() {
        "event_count" => CorrelationKind::EventCount,
        "value_count" => CorrelationKind::ValueCount,
        "value_sum" => CorrelationKind::ValueSum,
        "value_avg" => CorrelationKind::ValueAverage,
        "value_percentile" | "value_median" => CorrelationKind::ValuePercentile,
        "temporal" => CorrelationKind::Temporal,
        "temporal_ordered" | "ordered_temporal" => CorrelationKind::Ordered,
        other => {
            return Err(Fault::new(
                kind_node.line,
                format!("there is no correlation of type `{other}` here"),
            )
            .hint(TYPES));
        }
    };
    let rules = texts("rules");
    if rules.is_empty() {
        return Err(missing("rules", "list the ids or names of the rules that it is about"));
    }
    let span = body.get("timespan").or_else(|| body.get("timeframe"));
    let span = span.ok_or_else(|| missing("timespan", "for example `timespan: 5m`"))?;
    let timespan = span.text().and_then(clock::duration).ok_or_else(|| {
        Fault::new(span.line, format!("`{}` is not a time span", span.text().unwrap_or_default()))
            .hint("write a number and a unit, s m h d: 30s, 5m, 1d")
    })?;
    let CountCondition { conditions, field, percentile } = condition(body, kind)?;
    let mut aliases = BTreeMap::new();
    for (alias, rules) in body.get("aliases").map(Node::entries).unwrap_or_default() {
        for (rule, field) in rules.entries() {
            if let (Some(alias), Some(rule), Some(field)) = (alias.text(), rule.text(), field.text()) {
                aliases.insert((alias.to_owned(), rule.to_owned()), field.to_owned());
            }
        }
    }
    let about = about(document, None);
    let generate = |node: &Node| node.get("generate").and_then(Node::text).is_some_and(|text| text == "true");
    Ok(Correlation {
        line: document.line,
        kind,
        rules,
        group_by: texts("group-by"),
        timespan,
        conditions,
        field,
        percentile,
        aliases,
        generate: generate(body) || generate(document),
        whole: about.clone(),
        about,
        head,
    })
}

/// The types of correlations.
const TYPES: &str = "the types are event_count, value_count, value_sum, value_avg, value_percentile, value_median, temporal and \
                     temporal_ordered";

struct CountCondition {
    conditions: Vec<(Op, f64)>,
    field: Option<String>,
    percentile: f64,
}

fn condition(body: &Node, kind: CorrelationKind) -> Result<CountCondition, Fault> {
    const MEDIAN: f64 = 50.0;
    let of_values = matches!(
        kind,
        CorrelationKind::ValueCount
            | CorrelationKind::ValueSum
            | CorrelationKind::ValueAverage
            | CorrelationKind::ValuePercentile
    );
    let counts = of_values || kind == CorrelationKind::EventCount;
    let Some(node) = body.get("condition") else {
        if counts {
            return Err(Fault::new(body.line, "the correlation has no `condition`")
                .hint("for example `condition: {gte: 10}`"));
        }
        return Ok(CountCondition { conditions: Vec::new(), field: None, percentile: MEDIAN });
    };
    let Value::Map(entries) = &node.value else {
        return Err(Fault::new(node.line, "the condition of a correlation is a map")
            .hint("for example `condition: {gte: 10}`"));
    };
    let (mut conditions, mut field, mut percentile) = (Vec::new(), None, MEDIAN);
    for (key, value) in entries {
        let op = match key.text().unwrap_or_default() {
            "gt" => Op::Greater,
            "gte" => Op::GreaterOrEqual,
            "lt" => Op::Less,
            "lte" => Op::LessOrEqual,
            "eq" => Op::Equal,
            "neq" => Op::NotEqual,
            "field" => {
                field = value.text().map(str::to_owned);
                continue;
            }
            "percentile" if kind == CorrelationKind::ValuePercentile => {
                let number = value.text().and_then(|text| text.parse::<f64>().ok());
                percentile = number.filter(|number| (0.0..=100.0).contains(number)).ok_or_else(|| {
                    Fault::new(value.line, "the percentile is not a number from 0 to 100").hint("write 95")
                })?;
                continue;
            }
            other => {
                return Err(Fault::new(key.line, format!("the condition has no `{other}`")).hint(
                    "it takes gt, gte, lt, lte, eq, neq and field; of value_percentile also percentile",
                ));
            }
        };
        let number =
            value.text().and_then(|text| text.parse::<f64>().ok()).filter(|number| number.is_finite());
        conditions.push((
            op,
            number.ok_or_else(|| Fault::new(value.line, "the condition compares with no number"))?,
        ));
    }
    if counts && conditions.is_empty() {
        return Err(
            Fault::new(node.line, "the condition compares with nothing").hint("for example `gte: 10`")
        );
    }
    if of_values && field.is_none() {
        return Err(Fault::new(node.line, "the correlation is of the values of no field")
            .hint("add `field: user` to its condition"));
    }
    Ok(CountCondition { conditions, field, percentile })
}

/// An event of a rule, as a correlation sees it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hit {
    pub time: i64,
    /// Where the event lies, by which it is the same event for two rules.
    pub source: u32,
    pub event_line: u64,
    /// The place of its rule among those of the correlation.
    pub rule: usize,
    pub keys: Vec<Option<String>>,
    pub value: Option<String>,
}

/// An interval in which a correlation held.
#[derive(Clone, Debug, PartialEq)]
pub struct CorrelatedInterval {
    pub start: i64,
    pub end: i64,
    pub peak: i64,
    pub value: f64,
    pub keys: Vec<String>,
    pub events: Vec<(u32, u64)>,
}

/// The intervals in which a correlation holds, in the order of their starts.
pub fn evaluate(correlation: &Correlation, mut hits: Vec<Hit>) -> Vec<CorrelatedInterval> {
    hits.sort_unstable();
    if correlation.kind == CorrelationKind::Ordered {
        // Which of two events came first is not known if they have the same time, above all in different logs.
        hits.sort_by_key(|hit| (hit.time, hit.rule));
    }
    let mut groups: BTreeMap<Vec<String>, Vec<Hit>> = BTreeMap::new();
    for hit in hits {
        // An event without one of the fields belongs to no group.
        if let Some(keys) = hit.keys.iter().cloned().collect::<Option<Vec<String>>>() {
            groups.entry(keys).or_default().push(hit);
        }
    }
    let mut found = Vec::new();
    for (keys, hits) in groups {
        found.extend(windows(correlation, &keys, &hits));
    }
    found.sort_by(|one, other| (one.start, &one.keys).cmp(&(other.start, &other.keys)));
    found.truncate(ALERTS);
    found
}

/// What lies in the window so far.
#[derive(Default)]
struct Window {
    places: VecDeque<usize>,
    events: HashMap<(u32, u64), usize>,
    values: HashMap<String, usize>,
    rules: HashMap<usize, usize>,
    /// The numbers of events.
    numbers: Numbers,
}

/// Numbers in order, and their sum.
#[derive(Default)]
struct Numbers {
    counts: BTreeMap<u64, usize>,
    many: usize,
}

impl Numbers {
    /// A number as a key with the same order.
    fn key(number: f64) -> u64 {
        let bits = number.to_bits();
        if number.is_sign_negative() { !bits } else { bits | 1 << 63 }
    }

    fn number(key: u64) -> f64 {
        f64::from_bits(if key >> 63 == 1 { key & !(1 << 63) } else { !key })
    }

    fn add(&mut self, number: f64) {
        *self.counts.entry(Numbers::key(number)).or_default() += 1;
        self.many += 1;
    }

    fn remove(&mut self, number: f64) {
        let key = Numbers::key(number);
        if let Some(count) = self.counts.get_mut(&key) {
            *count -= 1;
            self.many -= 1;
            if *count == 0 {
                self.counts.remove(&key);
            }
        }
    }

    /// Added up each time, so that what left the window leaves no rounding.
    fn sum(&self) -> f64 {
        self.counts.iter().map(|(key, count)| Numbers::number(*key) * *count as f64).sum()
    }

    /// As everywhere else: between two numbers, interpolated.
    fn percentile(&self, percent: f64) -> Option<f64> {
        let counted = |(key, count): (&u64, &usize)| (Cell::float(Numbers::number(*key)), *count as u64);
        let numbers: Vec<(Cell, u64)> = self.counts.iter().map(counted).collect();
        percentile_of_counted(&numbers, percent).number()
    }
}

/// The number that a hit has.
fn number(hit: &Hit) -> Option<f64> {
    hit.value.as_ref()?.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

impl Window {
    fn add(&mut self, place: usize, hit: &Hit) {
        self.places.push_back(place);
        if let Some(number) = number(hit) {
            self.numbers.add(number);
        }
        *self.events.entry((hit.source, hit.event_line)).or_default() += 1;
        *self.rules.entry(hit.rule).or_default() += 1;
        if let Some(value) = &hit.value {
            *self.values.entry(value.clone()).or_default() += 1;
        }
    }

    fn remove_first(&mut self, hits: &[Hit]) {
        let Some(place) = self.places.pop_front() else { return };
        let hit = &hits[place];
        if let Some(number) = number(hit) {
            self.numbers.remove(number);
        }
        take(&mut self.events, &(hit.source, hit.event_line));
        take(&mut self.rules, &hit.rule);
        if let Some(value) = &hit.value {
            take(&mut self.values, value);
        }
    }
}

fn take<K: std::hash::Hash + Eq>(counts: &mut HashMap<K, usize>, key: &K) {
    if let Some(count) = counts.get_mut(key) {
        *count -= 1;
        if *count == 0 {
            counts.remove(key);
        }
    }
}

fn windows(correlation: &Correlation, keys: &[String], hits: &[Hit]) -> Vec<CorrelatedInterval> {
    let mut window = Window::default();
    let mut found: Vec<(CorrelatedInterval, usize, usize)> = Vec::new();
    let mut chains: Vec<Option<usize>> = vec![None; correlation.rules.len()];
    // The peak of what must not fall below a limit is its least value.
    let is_below = !correlation.conditions.is_empty()
        && correlation.conditions.iter().all(|(op, _)| matches!(op, Op::Less | Op::LessOrEqual));
    for (place, hit) in hits.iter().enumerate() {
        window.add(place, hit);
        while let Some(&first) = window.places.front()
            && hit.time.saturating_sub(hits[first].time) > correlation.timespan
        {
            window.remove_first(hits);
        }
        let is_last_of_time = hits.get(place + 1).is_none_or(|next| next.time > hit.time);
        let held = match correlation.kind {
            CorrelationKind::Ordered => {
                ordered(correlation, &mut chains, hits, place).map(|first| (first, chains.len() as f64))
            }
            // Events of one instant come together.
            _ if !is_last_of_time => None,
            kind => {
                let numbers = &window.numbers;
                let value = match kind {
                    CorrelationKind::EventCount => Some(window.events.len() as f64),
                    CorrelationKind::ValueCount => Some(window.values.len() as f64),
                    // Without a number nothing is known, which is not 0.
                    CorrelationKind::ValueSum => (numbers.many > 0).then(|| numbers.sum()),
                    CorrelationKind::ValueAverage => {
                        (numbers.many > 0).then(|| numbers.sum() / numbers.many as f64)
                    }
                    CorrelationKind::ValuePercentile => numbers.percentile(correlation.percentile),
                    CorrelationKind::Temporal | CorrelationKind::Ordered => Some(window.rules.len() as f64),
                };
                let is_known = value.is_some();
                let value = value.unwrap_or_default();
                let all = is_known
                    && correlation.holds(value)
                    && (kind != CorrelationKind::Temporal
                        || !correlation.conditions.is_empty()
                        || value as usize == correlation.rules.len());
                window.places.front().filter(|_| all).map(|&first| (first, value))
            }
        };
        let Some((first, value)) = held else { continue };
        match found.last_mut() {
            Some((interval, _, last)) if hits[first].time <= interval.end => {
                interval.end = hit.time;
                *last = place;
                if if is_below { value < interval.value } else { value > interval.value } {
                    (interval.value, interval.peak) = (value, hit.time);
                }
            }
            _ => {
                let (start, end) = (hits[first].time, hit.time);
                let (keys, events) = (keys.to_vec(), Vec::new());
                found.push((CorrelatedInterval { start, end, peak: end, value, keys, events }, first, place));
            }
        }
    }
    let with_events = |(mut interval, first, last): (CorrelatedInterval, usize, usize)| {
        // Events of one instant come together.
        let is_within = |hit: &&Hit| (interval.start..=interval.end).contains(&hit.time);
        let before = hits[..first].iter().rev().take_while(is_within).count();
        let after = hits[last + 1..].iter().take_while(is_within).count();
        interval.events =
            hits[first - before..=last + after].iter().map(|hit| (hit.source, hit.event_line)).collect();
        interval.events.sort_unstable();
        interval.events.dedup();
        interval
    };
    found.into_iter().map(with_events).collect()
}

/// The first hit of a chain through all rules in their order that this hit ends. The latest start is the best one.
fn ordered(
    correlation: &Correlation,
    chains: &mut [Option<usize>],
    hits: &[Hit],
    place: usize,
) -> Option<usize> {
    let hit = &hits[place];
    let is_near = |first: usize| hit.time.saturating_sub(hits[first].time) <= correlation.timespan;
    if hit.rule == 0 {
        chains[0] = Some(place);
    } else {
        let before = chains[hit.rule - 1].filter(|&first| is_near(first));
        chains[hit.rule] = before.or(chains[hit.rule]);
        before?;
    }
    (hit.rule + 1 == chains.len()).then_some(chains[hit.rule]).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::documents;

    const SECOND: i64 = 1_000_000_000;

    fn correlation(kind: &str, condition: &str) -> Correlation {
        let text = format!(
            "title: t\ncorrelation:\n  type: {kind}\n  rules: [a, b]\n  group-by: [user]\n  timespan: 10s\n{condition}"
        );
        read(&documents(&text).expect("yaml")[0], "t").expect("it reads")
    }

    fn hit(second: i64, rule: usize, user: &str, value: &str) -> Hit {
        Hit {
            time: second * SECOND,
            source: 0,
            event_line: second as u64 * 10 + rule as u64,
            rule,
            keys: vec![(!user.is_empty()).then(|| user.to_owned())],
            value: Some(value.to_owned()),
        }
    }

    fn spans(found: &[CorrelatedInterval]) -> Vec<(i64, i64, usize, f64)> {
        found.iter().map(|one| (one.start / SECOND, one.end / SECOND, one.events.len(), one.value)).collect()
    }

    #[test]
    fn events_are_counted_in_a_sliding_window_by_group() {
        let rule = correlation("event_count", "  condition: {gte: 3}\n");
        let mut hits: Vec<Hit> = [0, 6, 12, 14, 16, 40, 41].map(|second| hit(second, 0, "ann", "x")).to_vec();
        hits.push(hit(7, 0, "bob", "x"));
        hits.push(hit(42, 0, "", "x"));
        let found = evaluate(&rule, hits);
        assert_eq!(spans(&found), [(6, 16, 4, 4.0)], "six to sixteen seconds, all in one alert");
        assert_eq!(found[0].keys, ["ann"]);
    }

    #[test]
    fn values_are_counted_once_each() {
        let rule = correlation("value_count", "  condition: {gt: 1, field: host}\n");
        let hits = vec![
            hit(0, 0, "ann", "x"),
            hit(1, 0, "ann", "x"),
            hit(30, 0, "ann", "x"),
            hit(35, 1, "ann", "y"),
        ];
        assert_eq!(spans(&evaluate(&rule, hits)), [(30, 35, 2, 2.0)]);
    }

    #[test]
    fn numbers_are_summed_averaged_and_ranked_in_the_window() {
        let hits = |values: &[(i64, &str)]| -> Vec<Hit> {
            values.iter().map(|(second, value)| hit(*second, 0, "ann", value)).collect()
        };
        let sum = correlation("value_sum", "  condition: {gte: 100, field: bytes}\n");
        let sent = hits(&[(0, "60"), (4, "30"), (11, "50"), (12, "-"), (14, "25.5"), (40, "99"), (52, "1")]);
        assert_eq!(spans(&evaluate(&sum, sent.clone())), [(4, 14, 4, 105.5)], "60 has left the window");
        let average = correlation("value_avg", "  condition: {lt: 45, field: bytes}\n");
        assert_eq!(spans(&evaluate(&average, sent)), [(4, 14, 4, 105.5 / 3.0), (52, 52, 1, 1.0)]);
        let numbers = hits(&[(0, "-5"), (1, "1"), (2, "2"), (3, "3"), (4, "90"), (5, "100")]);
        let median = correlation("value_median", "  condition: {gte: 3, field: ms}\n");
        assert_eq!(spans(&evaluate(&median, numbers.clone())), [], "2.5 is between the third and the fourth");
        let high = correlation("value_percentile", "  condition: {gt: 90, field: ms, percentile: 95}\n");
        assert_eq!(spans(&evaluate(&high, numbers.clone())), [(0, 5, 6, 97.5)]);
        let low = correlation("value_percentile", "  condition: {lt: 0, field: ms, percentile: 10}\n");
        assert_eq!(spans(&evaluate(&low, numbers)), [(0, 5, 6, -5.0)]);
        assert_eq!(evaluate(&sum, hits(&[(0, "many")])), [], "texts have no sum");
    }

    #[test]
    fn temporal_needs_all_rules_in_any_order_and_ordered_in_theirs() {
        let hits = vec![
            hit(0, 1, "ann", ""),
            hit(5, 0, "ann", ""),
            hit(20, 0, "ann", ""),
            hit(31, 1, "ann", ""),
            hit(33, 1, "bob", ""),
        ];
        assert_eq!(spans(&evaluate(&correlation("temporal", ""), hits.clone())), [(0, 5, 2, 2.0)]);
        assert_eq!(spans(&evaluate(&correlation("temporal_ordered", ""), hits)), []);
        let mut at_once = vec![hit(50, 1, "ann", ""), hit(50, 0, "ann", "")];
        at_once[0].event_line = 1;
        at_once[1].source = 1;
        assert_eq!(spans(&evaluate(&correlation("temporal_ordered", ""), at_once)), [(50, 50, 2, 2.0)]);
        let hits = vec![hit(20, 0, "ann", ""), hit(22, 0, "ann", ""), hit(30, 1, "ann", "")];
        assert_eq!(spans(&evaluate(&correlation("temporal_ordered", ""), hits)), [(22, 30, 2, 2.0)]);
    }

    #[test]
    fn mistakes_have_a_line_and_a_hint() {
        for (text, part) in [
            ("correlation: {type: sums}", "type"),
            (
                "correlation: {type: event_count, rules: [a], timespan: 5 parsecs, condition: {gte: 1}}",
                "time span",
            ),
            ("correlation: {type: event_count, rules: [a], timespan: 5m}", "condition"),
            ("correlation: {type: value_count, rules: [a], timespan: 5m, condition: {gte: 2}}", "field"),
            ("correlation: {type: temporal, timespan: 5m}", "rules"),
            ("correlation: {type: value_sum, rules: [a], timespan: 5m, condition: {gte: 2}}", "field"),
            (
                "correlation: {type: value_percentile, rules: [a], timespan: 5m, condition: {gte: 2, field: b, percentile: 101}}",
                "percentile",
            ),
            ("correlation: {type: event_count, rules: [a], timespan: 5m, condition: {above: 2}}", "above"),
        ] {
            let fault = read(&documents(text).expect("yaml")[0], "t").expect_err(text);
            assert!(
                fault.message.contains(part) && fault.line == 1 && fault.hint.is_some(),
                "{text}: {fault:?}"
            );
        }
    }
}
