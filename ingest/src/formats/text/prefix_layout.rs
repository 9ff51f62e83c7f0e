//! The prefix between a line's time and its message, learned from a sample: which token is the level, which
//! the thread, which the logger. Most lines must agree on a token; tokens that only some lines have belong to
//! the message.

use super::ids::trace_in_brackets;
use super::prefix_token::{
    PrefixToken, TokenClass, TokenDelimiter, class, letter, level_and_name, number, token,
};
use crate::batch::Level;
use crate::limits;

/// The tokens of one layout, up to the message.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct PrefixLayout {
    slots: Vec<PrefixSlot>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct PrefixSlot {
    form: TokenDelimiter,
    role: TokenRole,
}

/// The meaning of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum TokenRole {
    /// A level, perhaps with a name next to it: the thread in brackets, the logger elsewhere.
    Level,
    LevelAndThread,
    Letter,
    Pid,
    ThreadId,
    EventId,
    Thread,
    Logger,
    User,
    Context,
    /// The ids of trace and span.
    Trace,
    /// It has to be present, and stays in the raw line only.
    Passed,
}

/// The values read from a line's tokens.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PrefixFields {
    pub level: Option<Level>,
    pub pid: Option<i64>,
    pub event_id: Option<i64>,
    pub thread: Option<(usize, usize)>,
    pub logger: Option<(usize, usize)>,
    pub user: Option<(usize, usize)>,
    pub context: Option<(usize, usize)>,
    pub trace: Option<(usize, usize)>,
    /// Where the tokens end.
    pub end: usize,
    /// How many of them were there.
    pub found: usize,
}

/// The kind of token that most lines have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TokenKind {
    Level,
    Letter,
    Number,
    Text,
}

/// At most this many tokens precede a message.
const MOST_SLOTS: usize = 10;

/// At most this many words belong to the layout only because of a token after them; after the level, more of
/// them are a sentence that many lines begin with.
const MOST_OPEN_WORDS: usize = 7;
const MOST_AFTER_LEVEL: usize = 3;

impl PrefixLayout {
    pub(super) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    pub(super) fn has_level(&self) -> bool {
        self.slots
            .iter()
            .any(|slot| matches!(slot.role, TokenRole::Level | TokenRole::LevelAndThread | TokenRole::Letter))
    }

    pub(super) fn begins_with_level(&self) -> bool {
        self.slots.first().is_some_and(|slot| {
            matches!(slot.role, TokenRole::Level | TokenRole::LevelAndThread | TokenRole::Letter)
        })
    }

    /// Reads a line's tokens from a position on, as far as they match the layout.
    #[inline]
    pub(super) fn read(&self, line: &[u8], at: usize, header: &mut PrefixFields) {
        header.end = at;
        header.found = 0;
        let mut after = None;
        for slot in &self.slots {
            let Some(token) = token(line, header.end, after).filter(|token| token.form == slot.form) else {
                return;
            };
            if !header.take(slot.role, line, &token) {
                return;
            }
            header.end = token.next;
            header.found += 1;
            after = Some(token.form);
        }
    }
}

impl PrefixFields {
    #[inline]
    fn take(&mut self, role: TokenRole, line: &[u8], token: &PrefixToken) -> bool {
        let (from, to) = trimmed(line, token.from, token.to);
        let text = &line[from..to];
        let place = (from < to && text != b"-").then_some((from, to));
        match role {
            TokenRole::Level | TokenRole::LevelAndThread => {
                let Some((level, name_from, name_to)) = level_and_name(text) else { return false };
                self.level = Some(level);
                if name_from < name_to {
                    let place = Some((from + name_from, from + name_to));
                    if matches!(token.form, TokenDelimiter::Bracket(_)) {
                        self.thread = place;
                    } else {
                        self.logger = place;
                    }
                }
                return true;
            }
            TokenRole::Letter => match letter(text) {
                Some(level) => self.level = Some(level),
                // Among letters in brackets it marks what ends a service; elsewhere it may be a flag.
                None if text == b"X" && matches!(token.form, TokenDelimiter::Bracket(_)) => {
                    self.level = Some(Level::Fatal);
                }
                None if text.len() == 1 => {}
                None => return false,
            },
            TokenRole::Pid => match number(text) {
                Some(0) => {}
                Some(number) => self.pid = Some(number),
                None => return place.is_none(),
            },
            TokenRole::EventId => self.event_id = number(text),
            TokenRole::Thread | TokenRole::ThreadId => self.thread = place,
            TokenRole::Logger => self.logger = place,
            TokenRole::User => self.user = place,
            TokenRole::Context => self.context = place,
            TokenRole::Trace => self.trace = place,
            TokenRole::Passed => {}
        }
        true
    }
}

#[inline]
fn trimmed(line: &[u8], mut from: usize, mut to: usize) -> (usize, usize) {
    while from < to && matches!(line[from], b' ' | b'\t') {
        from += 1;
    }
    while to > from && matches!(line[to - 1], b' ' | b'\t') {
        to -= 1;
    }
    (from, to)
}

/// One line while its tokens are learned.
struct PrefixWalk<'a> {
    line: &'a [u8],
    at: usize,
    after: Option<TokenDelimiter>,
}

/// A token on which lines agree.
struct Agreed {
    form: TokenDelimiter,
    kind: TokenKind,
    /// How many of the agreeing lines have a name with dots, a thread's name, or an address there.
    dotted: usize,
    threads: usize,
    lettered: usize,
    traces: usize,
    /// How many are names of nodes of Erlang: `shop@host`.
    nodes: usize,
    /// How many levels there have a name next to them.
    named_levels: usize,
    count: usize,
    /// It belongs to the layout by itself, not only if a token after it does.
    anchors: bool,
}

impl Agreed {
    fn most(&self, of_them: usize) -> bool {
        of_them * 2 > self.count
    }
}

/// Learns a layout from lines, each with the position at which its tokens begin.
pub(super) fn learn(lines: &[(&[u8], usize)]) -> PrefixLayout {
    learn_from(lines, (lines.len() * 3).div_ceil(5).max(1))
}

/// The same from at least this many of the lines that agree.
fn learn_from(lines: &[(&[u8], usize)], enough: usize) -> PrefixLayout {
    let mut walks: Vec<PrefixWalk> =
        lines.iter().map(|&(line, at)| PrefixWalk { line, at, after: None }).collect();
    let mut agreed: Vec<Agreed> = Vec::new();
    let mut level_known = false;
    let mut logger_known = false;
    let mut open_words = 0;
    while agreed.len() < MOST_SLOTS {
        let Some((next, going_on)) = agree(&walks, enough) else { break };
        let before = agreed.last();
        let anchors = anchors(&next, before, level_known, logger_known, walks.len());
        if !anchors {
            open_words += 1;
        }
        let most_open = if level_known { MOST_AFTER_LEVEL } else { MOST_OPEN_WORDS };
        if open_words > most_open || (level_known && logger_known && !anchors) {
            break;
        }
        if anchors {
            open_words = 0;
        }
        level_known |= matches!(next.kind, TokenKind::Level | TokenKind::Letter);
        let is_named_level = next.kind == TokenKind::Level
            && next.form == TokenDelimiter::Colon
            && next.most(next.named_levels);
        logger_known |= anchors && (is_named_level || next.kind == TokenKind::Text && names_logger(&next));
        walks = going_on;
        agreed.push(Agreed { anchors, ..next });
    }
    let kept = agreed.iter().rposition(|token| token.anchors).map_or(0, |last| last + 1);
    agreed.truncate(kept);
    PrefixLayout { slots: roles(&agreed) }
}

fn names_logger(token: &Agreed) -> bool {
    match token.form {
        TokenDelimiter::Bracket(_) => token.most(token.dotted),
        TokenDelimiter::Bar => !token.most(token.threads),
        _ => true,
    }
}

/// The delimiter and kind that most lines have next, and the lines that have it.
fn agree<'a>(walks: &[PrefixWalk<'a>], enough: usize) -> Option<(Agreed, Vec<PrefixWalk<'a>>)> {
    let mut counts: Vec<Agreed> = Vec::new();
    let looks: Vec<Option<(PrefixToken, TokenKind)>> = walks
        .iter()
        .map(|walk| {
            let token = token(walk.line, walk.at, walk.after)?;
            let text = &walk.line[token.from..token.to];
            let class = class(text);
            let kind = match class {
                TokenClass::Level => TokenKind::Level,
                TokenClass::Letter => TokenKind::Letter,
                TokenClass::Number => TokenKind::Number,
                // Text that is no name is recognised by its brackets only.
                TokenClass::Other if !matches!(token.form, TokenDelimiter::Bracket(_)) => return None,
                _ => TokenKind::Text,
            };
            let counted = counts.iter().position(|agreed| (agreed.form, agreed.kind) == (token.form, kind));
            let counted = counted.unwrap_or_else(|| {
                counts.push(Agreed {
                    form: token.form,
                    kind,
                    dotted: 0,
                    threads: 0,
                    lettered: 0,
                    traces: 0,
                    nodes: 0,
                    named_levels: 0,
                    count: 0,
                    anchors: false,
                });
                counts.len() - 1
            });
            counts[counted].count += 1;
            counts[counted].dotted += usize::from(class == TokenClass::Dotted);
            counts[counted].threads += usize::from(is_thread(text));
            counts[counted].lettered += usize::from(text.iter().any(u8::is_ascii_alphabetic));
            counts[counted].named_levels +=
                usize::from(level_and_name(text).is_some_and(|(_, from, to)| from < to));
            counts[counted].nodes += usize::from(memchr::memchr(b'@', text).is_some_and(|at| at > 0));
            counts[counted].traces += usize::from(trace_in_brackets(text).is_some());
            Some((token, kind))
        })
        .collect();
    let most = counts.into_iter().rev().max_by_key(|agreed| agreed.count)?;
    if most.count < enough {
        return None;
    }
    let going_on = walks.iter().zip(&looks).filter_map(|(walk, look)| {
        let (token, kind) = (*look)?;
        ((token.form, kind) == (most.form, most.kind)).then_some(PrefixWalk {
            line: walk.line,
            at: token.next,
            after: Some(token.form),
        })
    });
    let going_on = going_on.collect();
    Some((most, going_on))
}

/// Whether a token belongs to the layout by itself: a level, text in brackets or before a sign, a name with
/// dots in it. Once level and logger are known, only brackets that nearly all lines have.
fn anchors(next: &Agreed, before: Option<&Agreed>, level: bool, logger: bool, lines: usize) -> bool {
    let nearly_all = next.count * 10 >= lines * 9;
    match (next.form, next.kind) {
        (_, TokenKind::Level | TokenKind::Letter) => !level,
        (TokenDelimiter::Bracket(_), _) => !(level && logger) || nearly_all,
        (TokenDelimiter::Word, TokenKind::Number) => false,
        (TokenDelimiter::Word, TokenKind::Text) => !logger && level && next.dotted * 10 >= next.count * 8,
        (TokenDelimiter::Closed, _) => before.is_none() || !(level && logger),
        _ => !(level && logger),
    }
}

/// Whether a name is more likely a thread's than a class's.
fn is_thread(name: &[u8]) -> bool {
    let name = name.trim_ascii().to_ascii_lowercase();
    if !name.first().is_some_and(u8::is_ascii_alphabetic) {
        return is_hex_id(&name);
    }
    let has = |part: &[u8]| memchr::memmem::find(&name, part).is_some();
    let numbered = name.last().is_some_and(u8::is_ascii_digit) && has(b"-");
    numbered
        || [&b"main"[..], b"thread", b"pool", b"exec", b"worker", b"scheduler"].iter().any(|part| has(part))
}

/// Whether it is the address of a thread: `7f398f6b6a40`.
fn is_hex_id(name: &[u8]) -> bool {
    (8..=16).contains(&name.len())
        && name.iter().all(u8::is_ascii_hexdigit)
        && name.iter().any(u8::is_ascii_alphabetic)
}

fn roles(agreed: &[Agreed]) -> Vec<PrefixSlot> {
    let mut given: Vec<TokenRole> = Vec::new();
    for index in 0..agreed.len() {
        let role = role(agreed, index, &given);
        given.push(role);
        // A bracket with a level and a name contains the thread, as in `[main/INFO]`.
        if role == TokenRole::Level
            && agreed[index].named_levels > 0
            && matches!(agreed[index].form, TokenDelimiter::Bracket(_))
        {
            given[index] = TokenRole::LevelAndThread;
        }
    }
    agreed.iter().zip(given).map(|(token, role)| PrefixSlot { form: token.form, role }).collect()
}

/// The role of a token, by its own kind and the roles of the tokens around it. A role is assigned once.
fn role(agreed: &[Agreed], index: usize, given: &[TokenRole]) -> TokenRole {
    let token = &agreed[index];
    let is_free = |role: TokenRole| {
        let other = match role {
            TokenRole::Level | TokenRole::Thread => TokenRole::LevelAndThread,
            TokenRole::ThreadId => TokenRole::Thread,
            role => role,
        };
        !given.contains(&role) && !given.contains(&other)
    };
    let words = agreed.iter().any(|other| other.kind == TokenKind::Level);
    let has_level = words || agreed.iter().any(|other| other.kind == TokenKind::Letter);
    let joined = index > 0 && agreed[index - 1].form == TokenDelimiter::Joined;
    let dotted_before = index > 0 && agreed[index - 1].most(agreed[index - 1].dotted);
    let first_free =
        |roles: &[TokenRole]| roles.iter().copied().find(|&role| is_free(role)).unwrap_or(TokenRole::Passed);
    match (token.kind, token.form) {
        (TokenKind::Level, _) => first_free(&[TokenRole::Level]),
        (TokenKind::Letter, _) if words => TokenRole::Passed,
        (TokenKind::Letter, _) => first_free(&[TokenRole::Letter]),
        // .NET writes the event's number after the name of a class, others that of a process after the
        // program's name.
        (TokenKind::Number, TokenDelimiter::Bracket(_))
            if joined && !is_free(TokenRole::Level) && dotted_before =>
        {
            TokenRole::EventId
        }
        // A bare number without a level may also be a status, a count or a priority.
        (TokenKind::Number, TokenDelimiter::Word) if !has_level => TokenRole::Passed,
        (TokenKind::Number, _) => first_free(&[TokenRole::Pid, TokenRole::ThreadId]),
        // Erlang has the numbers of its process there.
        (TokenKind::Text, TokenDelimiter::Bracket(b'<')) if token.lettered == 0 => {
            first_free(&[TokenRole::Thread, TokenRole::Context])
        }
        (TokenKind::Text, TokenDelimiter::Bracket(b'<')) => first_free(&[TokenRole::User]),
        // ClickHouse has the id of its query there, Airflow the place in the source.
        (TokenKind::Text, TokenDelimiter::Bracket(b'{')) if !token.most(token.dotted) => {
            first_free(&[TokenRole::Context])
        }
        (TokenKind::Text, TokenDelimiter::Bracket(_)) if token.traces > 0 => first_free(&[TokenRole::Trace]),
        (TokenKind::Text, TokenDelimiter::Bracket(_)) => {
            let threadish = token.most(token.threads);
            let is_thread = |other: &Agreed| {
                other.most(other.threads) && matches!(other.form, TokenDelimiter::Bracket(_))
            };
            if threadish && is_free(TokenRole::Thread) {
                TokenRole::Thread
            } else if (token.most(token.dotted) || !is_free(TokenRole::Thread))
                && is_free(TokenRole::Logger)
                && !logger_follows(&agreed[index + 1..])
            {
                TokenRole::Logger
            } else if is_free(TokenRole::Logger) && !agreed[index + 1..].iter().any(is_thread) {
                first_free(&[TokenRole::Thread, TokenRole::Context])
            } else {
                first_free(&[TokenRole::Context])
            }
        }
        (TokenKind::Text, TokenDelimiter::Word) if !token.most(token.dotted) => {
            let rest = &agreed[index + 1..];
            let before_level = token.lettered == token.count
                && rest.first().is_some_and(|next| next.kind == TokenKind::Level);
            if token.most(token.threads) && is_free(TokenRole::Thread) {
                TokenRole::Thread
            } else if token.most(token.nodes) {
                first_free(&[TokenRole::Context])
            } else if before_level && is_free(TokenRole::Logger) && !logger_follows(rest) {
                // A bare word is the logger only directly before the level, and if no better name follows.
                TokenRole::Logger
            } else {
                TokenRole::Passed
            }
        }
        (TokenKind::Text, TokenDelimiter::Bar)
            if token.most(token.threads)
                && is_free(TokenRole::Thread)
                && logger_follows(&agreed[index + 1..]) =>
        {
            TokenRole::Thread
        }
        (TokenKind::Text, _) => first_free(&[TokenRole::Logger]),
    }
}

fn logger_follows(rest: &[Agreed]) -> bool {
    rest.iter().any(|token| {
        token.kind == TokenKind::Text
            && (token.dotted * 2 > token.count
                || !matches!(token.form, TokenDelimiter::Word | TokenDelimiter::Bracket(_)))
    })
}

/// Learns up to three layouts: if many lines do not fit the first, they get a layout of their own.
pub(super) fn learn_several(lines: &[(&[u8], usize)]) -> Vec<PrefixLayout> {
    let mut shapes: Vec<PrefixLayout> = Vec::new();
    let mut left = lines.to_vec();
    let few = lines.len() / 10;
    while shapes.len() < limits::MOST_SHAPES && left.len() > few {
        let mut shape = learn(&left);
        if shape.is_empty() && left.len() > 2 {
            // Two programs may write about as many lines each.
            shape = learn_from(&left, (left.len() * 2).div_ceil(5).max(2));
            if !shape.has_level() {
                break;
            }
        }
        if shape.is_empty() {
            break;
        }
        left.retain(|&(line, at)| {
            let mut header = PrefixFields::default();
            shape.read(line, at, &mut header);
            header.found < shape.len()
        });
        shapes.push(shape);
    }
    shapes
}
