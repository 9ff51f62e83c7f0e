//! The plainest reading of a query: every event looked at, one by one, without a line of the engine's.
//!
//! Words are split by `tokens`, which says what the language means by a word; everything else is read
//! here independently, in the slowest and plainest way. It panics on what it does not understand rather than guess.

use indexer::query::{Filter, Op, Pattern, Test, ecs};
use indexer::{Event, FieldKind, FieldValue, Level, NO_TIME, stamp, tokens};
use regex::Regex;

/// What is known of all events together.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// The fields that any event has.
    pub fields: Vec<String>,
    /// The time of the last event.
    pub now: i64,
    /// What people wrote on events: kind, source and offset, text.
    pub notes: Vec<(String, (u32, u64), String)>,
}

impl Known {
    pub fn from_events<'e>(events: impl Iterator<Item = (&'e Event, &'e [FieldValue])>) -> Known {
        let mut known = Known::default();
        for (event, fields) in events {
            known.now = known.now.max(event.time);
            for field in fields {
                if !known.fields.contains(&field.name) {
                    known.fields.push(field.name.clone());
                }
            }
        }
        known
    }

    fn has(&self, name: &str) -> bool {
        ["time", "level", "source", "line", "raw"].contains(&name)
            || self.fields.iter().any(|field| field == name)
    }

    /// Whether a name is one for what people wrote, and of no field.
    fn is_note_field(&self, name: &str) -> bool {
        ["is", "note.is", "tag", "note.tag"].contains(&name) && !self.has(name)
    }

    /// The fields that are meant by a name.
    #[must_use]
    pub fn meant<'n>(&self, name: &'n str) -> Vec<&'n str> {
        if self.has(name) {
            return vec![name];
        }
        let meant: Vec<&str> = ecs::fields_of(name).filter(|field| self.has(field)).collect();
        if meant.is_empty() && name == "message" { vec!["raw"] } else { meant }
    }
}

/// Whether an event passes a filter.
#[must_use]
///
/// # Panics
///
/// Where the filter names what the case does not have; such a query is none that may be compared.
pub fn passes(filter: &Filter, event: &Event, source: &str, fields: &[FieldValue], known: &Known) -> bool {
    let passes = |part: &Filter| passes(part, event, source, fields, known);
    match filter {
        Filter::Everything => true,
        Filter::And(parts) => parts.iter().all(passes),
        Filter::Or(parts) => parts.iter().any(passes),
        Filter::Not(inner) => !passes(inner),
        Filter::Text(pattern) => occurs(pattern, &event.text),
        Filter::Field { field, test, .. } if known.is_note_field(field) => {
            note_passes(field, test, event, known)
        }
        Filter::Noted(_) => panic!("only the engine looks notes up"),
        Filter::Field { field, test, .. } => known.meant(field).into_iter().any(|name| match name {
            "raw" => text_passes("raw", test, &event.text, occurs),
            "source" => text_passes("source", test, source, matches_value),
            "line" => number_passes("line", test, event.line as f64, &event.line.to_string()),
            "level" => level_passes(test, event.level),
            "time" => event.time != NO_TIME && time_passes(test, event.time, known.now),
            name => fields.iter().filter(|value| value.name == name).any(|value| match value.kind {
                FieldKind::Int | FieldKind::Float => {
                    let number = value.value.parse().expect("a number");
                    number_passes(name, test, number, &value.value)
                }
                FieldKind::Text | FieldKind::Bool => text_passes(name, test, &value.value, matches_value),
            }),
        }),
    }
}

/// Each byte that somebody wrote something on is looked at by itself; the event that holds it is meant.
fn note_passes(field: &str, test: &Test, event: &Event, known: &Known) -> bool {
    let bytes = event.offset..event.offset + u64::from(event.length).max(1);
    bytes.into_iter().any(|byte| {
        let on_it = known.notes.iter().filter(|(_, place, _)| *place == (event.source, byte));
        let of = |kind: &str| -> Vec<&str> {
            on_it.clone().filter(|note| note.0 == kind).map(|note| note.2.as_str()).collect()
        };
        let mut values = of("tag");
        if field.ends_with("is") {
            let states = [("starred", "star"), ("tagged", "tag"), ("commented", "comment")];
            values =
                states.into_iter().filter(|(_, kind)| !of(kind).is_empty()).map(|(state, _)| state).collect();
            if !values.is_empty() {
                values.push("noted");
            }
        }
        let passes = |value: &&str| text_passes("tag", test, value, matches_value);
        match test {
            Test::Compare(Op::NotEqual, _) => !values.is_empty() && values.iter().all(passes),
            _ => values.iter().any(passes),
        }
    })
}

/// Whether a pattern occurs somewhere in a text.
fn occurs(pattern: &Pattern, text: &str) -> bool {
    match pattern {
        Pattern::Tokens(words) | Pattern::Network(words) => {
            let (words, text) = (tokens::folded(words.as_bytes()), tokens::folded(text.as_bytes()));
            words.is_empty() || text.windows(words.len()).any(|window| window == words)
        }
        Pattern::Near(words, slop) => {
            let (words, text) = (tokens::folded(words.as_bytes()), tokens::folded(text.as_bytes()));
            near(&words, &text, *slop as usize)
        }
        Pattern::Fuzzy(word, edits) => {
            let word: Vec<char> = fold(word).chars().collect();
            tokens::folded(text.as_bytes()).iter().any(|token| {
                let is_word = token.len() <= 40 && !token.contains(|c: char| c.is_ascii_digit());
                is_word && leads_to(&word, &token.chars().collect::<Vec<char>>(), *edits)
            })
        }
        Pattern::Substring(part) => fold(text).contains(&fold(part)),
        Pattern::Regex(regex) => {
            let flag = if regex.ignore_case() { "(?i)" } else { "" };
            Regex::new(&format!("{flag}{}", regex.source())).expect("an expression").is_match(text)
        }
        Pattern::Glob(glob) => {
            let (first, last) = (glob.chars().next(), glob.chars().next_back());
            let is_word =
                |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_' || !c.is_ascii());
            let head = if is_word(first) { r"(?:^|[^0-9A-Za-z_\x{80}-\x{10ffff}])" } else { "" };
            let tail = if is_word(last) { r"(?:$|[^0-9A-Za-z_\x{80}-\x{10ffff}])" } else { "" };
            let expression = format!("{head}{}{tail}", glob_expression(glob, r"\S"));
            Regex::new(&expression).expect("an expression").is_match(&fold(text))
        }
    }
}

/// Whether a pattern matches the value of a field: a glob the whole of it, a network an address.
fn matches_value(pattern: &Pattern, value: &str) -> bool {
    match pattern {
        Pattern::Glob(glob) => {
            let expression = format!("^(?s:{})$", glob_expression(glob, "."));
            Regex::new(&expression).expect("an expression").is_match(&fold(value))
        }
        Pattern::Network(network) => {
            let bits = |text: &str| text.parse::<std::net::Ipv4Addr>().ok().map(u32::from);
            let (start, length) = network.split_once('/').expect("a network");
            let (start, length) =
                (bits(start).expect("an address"), length.parse::<u32>().expect("a length"));
            match bits(value) {
                Some(address) => (0..length).all(|bit| (address ^ start) >> (31 - bit) & 1 == 0),
                None => occurs(pattern, value),
            }
        }
        other => occurs(other, value),
    }
}

fn fold(text: &str) -> String {
    tokens::fold(text.as_bytes()).into_owned()
}

/// A glob as a regular expression, in which a star matches any run of some characters.
fn glob_expression(glob: &str, any: &str) -> String {
    let mut expression = String::new();
    let mut characters = glob.chars();
    while let Some(character) = characters.next() {
        match character {
            '*' => {
                expression.push_str(any);
                expression.push('*');
            }
            '?' => expression.push_str(any),
            '\\' => expression
                .push_str(&regex::escape(&fold(&characters.next().expect("a character").to_string()))),
            other => expression.push_str(&regex::escape(&fold(&other.to_string()))),
        }
    }
    expression
}

/// Whether so many edits lead from one text to another: letters that differ are left out, added, replaced or swapped.
fn leads_to(from: &[char], to: &[char], edits: u8) -> bool {
    let ([first, from_rest @ ..], [other, to_rest @ ..]) = (from, to) else {
        return from.len() + to.len() <= usize::from(edits);
    };
    if first == other && leads_to(from_rest, to_rest, edits) {
        return true;
    }
    let Some(left) = edits.checked_sub(1) else { return false };
    let are_swapped = from.len() > 1 && to.len() > 1 && (from[0], from[1]) == (to[1], to[0]);
    leads_to(from_rest, to, left)
        || leads_to(from, to_rest, left)
        || leads_to(from_rest, to_rest, left)
        || are_swapped && leads_to(&from[2..], &to[2..], left)
}

/// Every way to place the words in their order is tried.
fn near(words: &[String], text: &[String], slop: usize) -> bool {
    fn placed(words: &[String], text: &[String], at: usize, left: usize) -> bool {
        let Some((first, rest)) = words.split_first() else { return true };
        (0..=left).any(|skip| {
            text.get(at + skip)
                .is_some_and(|token| token == first && placed(rest, text, at + skip + 1, left - skip))
        })
    }
    let Some((first, rest)) = words.split_first() else { return true };
    (0..text.len()).any(|at| text[at] == *first && placed(rest, text, at + 1, slop))
}

/// The comparisons that a test consists of; nothing where it is not one of comparisons.
fn comparisons(test: &Test) -> Option<Vec<(Op, &str)>> {
    match test {
        Test::Exists => Some(Vec::new()),
        Test::Compare(op, value) => Some(vec![(*op, value)]),
        Test::Range(range) => {
            let from = range.from.iter().map(|from| {
                (if from.inclusive { Op::GreaterOrEqual } else { Op::Greater }, from.value.as_str())
            });
            let to = range
                .to
                .iter()
                .map(|to| (if to.inclusive { Op::LessOrEqual } else { Op::Less }, to.value.as_str()));
            Some(from.chain(to).collect())
        }
        Test::Matches(_) => None,
    }
}

fn patterns(test: &Test) -> &[Pattern] {
    match test {
        Test::Matches(patterns) => patterns,
        _ => &[],
    }
}

/// A number, what it counts (`n` for plain numbers and what is turned into the field's unit, `d` for durations).
fn amount(field: &str, text: &str) -> Option<(char, f64)> {
    if !text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) {
        return None;
    }
    if let Ok(number) = text.parse::<f64>() {
        return Some(('n', number));
    }
    let (number, unit) = text.split_at(text.find(char::is_alphabetic)?);
    let number: f64 = number.parse().ok()?;
    let milliseconds =
        |factor: f64| if field.ends_with("_ms") { ('n', number * factor) } else { ('d', number * factor) };
    Some(match unit {
        "kb" => ('n', number * 1e3),
        "KiB" => ('n', number * 1024.0),
        "ms" => milliseconds(1.0),
        "s" => milliseconds(1e3),
        _ => return None,
    })
}

fn text_passes(field: &str, test: &Test, value: &str, matches: fn(&Pattern, &str) -> bool) -> bool {
    let Some(comparisons) = comparisons(test) else {
        return patterns(test).iter().any(|pattern| matches(pattern, value));
    };
    comparisons.into_iter().all(|(op, wanted)| {
        if matches!(op, Op::Equal | Op::NotEqual) {
            return op.holds(value.cmp(wanted));
        }
        if let (Some((one, value)), Some((other, wanted))) = (amount(field, value), amount(field, wanted))
            && one == other
        {
            return op.holds(value.total_cmp(&wanted));
        }
        let address = |text: &str| text.parse::<std::net::Ipv4Addr>().ok();
        match (address(value), address(wanted)) {
            (Some(value), Some(wanted)) => op.holds(value.cmp(&wanted)),
            _ => op.holds(value.cmp(wanted)),
        }
    })
}

fn number_passes(field: &str, test: &Test, value: f64, shown: &str) -> bool {
    let Some(comparisons) = comparisons(test) else {
        return patterns(test).iter().any(|pattern| match pattern {
            Pattern::Tokens(wanted) if amount(field, wanted).is_some() => {
                amount(field, wanted).is_some_and(|(_, wanted)| value.total_cmp(&wanted).is_eq())
            }
            pattern => matches_value(pattern, shown),
        });
    };
    comparisons.into_iter().all(|(op, wanted)| {
        let (_, wanted) = amount(field, wanted).unwrap_or_else(|| panic!("{wanted} is no number"));
        op.holds(value.total_cmp(&wanted))
    })
}

fn level_passes(test: &Test, level: Level) -> bool {
    let named = |name: &str| {
        let name = if name == "warning" { "warn" } else { name };
        Level::ALL.into_iter().find(|level| level.name() == name).expect("a level")
    };
    if level == Level::None {
        return false;
    }
    match comparisons(test) {
        Some(comparisons) => comparisons.into_iter().all(|(op, wanted)| op.holds(level.cmp(&named(wanted)))),
        None => patterns(test).iter().any(|pattern| match pattern {
            Pattern::Tokens(name) => named(name) == level,
            pattern => matches_value(pattern, level.name()),
        }),
    }
}

/// Times compare as they are written, in the precision of the wanted one; `now-7s` is an instant.
fn time_passes(test: &Test, time: i64, now: i64) -> bool {
    let compare = |op: Op, wanted: &str| {
        if let Some(seconds) = wanted.strip_prefix("now-").and_then(|rest| rest.strip_suffix('s')) {
            return op.holds(time.cmp(&(now - seconds.parse::<i64>().expect("seconds") * 1_000_000_000)));
        }
        let (second, rest) = (time.div_euclid(1_000_000_000), time.rem_euclid(1_000_000_000));
        let whole = stamp::to_rfc3339(second * 1_000_000_000);
        let written = format!("{}.{rest:09}", whole.trim_end_matches('Z'));
        op.holds(written[..wanted.len()].cmp(wanted))
    };
    match comparisons(test) {
        Some(comparisons) => comparisons.into_iter().all(|(op, wanted)| compare(op, wanted)),
        None => patterns(test).iter().any(|pattern| match pattern {
            Pattern::Tokens(wanted) if wanted.starts_with("now-") => compare(Op::GreaterOrEqual, wanted),
            Pattern::Tokens(wanted) => compare(Op::Equal, wanted),
            _ => panic!("no time is matched with a pattern here"),
        }),
    }
}
