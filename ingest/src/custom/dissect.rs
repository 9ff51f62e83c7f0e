//! Dissect patterns, as Logstash and Elasticsearch write them: keys with literal text between them.
//!
//! `%{a}` takes the text up to the literal after it; `%{}` and `%{?a}` take it and drop it; `%{+a}` appends
//! to an earlier `a`, with the text between (`%{+a/2}` gives the order); `%{*k}` or `%{?k}` gives the name
//! for the value at `%{&k}`; `%{a->}` skips repetitions of the literal after it.

use memchr::memmem::Finder;

use super::engine::Spans;

#[derive(Debug)]
pub(super) struct Dissect {
    start: Box<[u8]>,
    parts: Vec<DissectPart>,
    /// The fields; a field appended to has several parts.
    pub fields: Vec<DissectField>,
    /// Pairs of parts: one holds a name, the other its value.
    pairs: Vec<(usize, usize)>,
}

#[derive(Debug)]
pub(super) struct DissectField {
    pub name: String,
    parts: Vec<usize>,
    /// The parts are adjacent, so that the field is one range of the line.
    in_one: bool,
}

#[derive(Debug)]
struct DissectPart {
    until: Finder<'static>,
    padded: bool,
}

struct Key<'a> {
    sigil: Option<char>,
    name: &'a str,
    order: usize,
}

impl Dissect {
    pub(super) fn new(pattern: &str) -> Result<Dissect, String> {
        let first = pattern.find("%{").ok_or("a dissect pattern needs a key such as %{name}")?;
        let mut dissect = Dissect {
            start: pattern.as_bytes()[..first].into(),
            parts: Vec::new(),
            fields: Vec::new(),
            pairs: Vec::new(),
        };
        let mut keys = Vec::new();
        let mut rest = &pattern[first..];
        while let Some(inner) = rest.strip_prefix("%{") {
            let length = inner.find('}').ok_or_else(|| format!("`{rest}` has no closing brace"))?;
            let tail = &inner[length + 1..];
            let until = tail.find("%{").unwrap_or(tail.len());
            if until == 0 && !tail.is_empty() {
                return Err(format!("there is no text between `%{{{}}}` and the next key", &inner[..length]));
            }
            let name = &inner[..length];
            let (name, padded) = name.strip_suffix("->").map_or((name, false), |name| (name, true));
            keys.push(key(name)?);
            dissect
                .parts
                .push(DissectPart { until: Finder::new(&tail.as_bytes()[..until]).into_owned(), padded });
            rest = &tail[until..];
        }
        dissect.assign(&keys)?;
        Ok(dissect)
    }

    fn assign(&mut self, keys: &[Key]) -> Result<(), String> {
        let mut orders: Vec<Vec<(usize, usize)>> = Vec::new();
        for (at, key) in keys.iter().enumerate() {
            match key.sigil {
                None if key.name.is_empty() => {}
                None | Some('+') => {
                    let known = self.fields.iter().position(|field| field.name == key.name);
                    let field = known.unwrap_or_else(|| {
                        self.fields.push(DissectField {
                            name: key.name.to_string(),
                            parts: Vec::new(),
                            in_one: true,
                        });
                        orders.push(Vec::new());
                        self.fields.len() - 1
                    });
                    orders[field].push((key.order, at));
                }
                Some('&') => {
                    let names = |key: &&Key| matches!(key.sigil, Some('*' | '?'));
                    let name = keys.iter().position(|other| names(&other) && other.name == key.name);
                    let name = name.ok_or_else(|| {
                        format!("`%{{&{0}}}` needs a `%{{*{0}}}` that holds its name", key.name)
                    })?;
                    self.pairs.push((name, at));
                }
                Some('*') if !keys.iter().any(|other| other.sigil == Some('&') && other.name == key.name) => {
                    return Err(format!("`%{{*{0}}}` needs a `%{{&{0}}}` that holds its value", key.name));
                }
                Some(_) => {}
            }
        }
        for (field, mut order) in self.fields.iter_mut().zip(orders) {
            order.sort_unstable();
            field.parts = order.into_iter().map(|(_, at)| at).collect();
            field.in_one = field.parts.windows(2).all(|two| two[0] + 1 == two[1]);
        }
        Ok(())
    }

    pub(super) fn spans(&self) -> usize {
        self.parts.len()
    }

    /// Cuts the line; on success `spans` holds the range of each part.
    #[inline]
    pub(super) fn find(&self, line: &[u8], spans: &mut Spans) -> bool {
        if !line.starts_with(&self.start) {
            return false;
        }
        let mut at = self.start.len();
        for (part, span) in self.parts.iter().zip(spans) {
            let until = part.until.needle();
            let end = match until.len() {
                0 => line.len(),
                1 => match memchr::memchr(until[0], &line[at..]) {
                    Some(length) => at + length,
                    None => return false,
                },
                _ => match part.until.find(&line[at..]) {
                    Some(length) => at + length,
                    None => return false,
                },
            };
            *span = Some((at as u32, end as u32));
            at = end + until.len();
            while part.padded && !until.is_empty() && line[at..].starts_with(until) {
                at += until.len();
            }
        }
        // The part of the last key includes the literal after it; the line has to end there.
        self.parts.last().is_none_or(|part| part.until.needle().is_empty()) || at == line.len()
    }

    /// The range of a field in the line; `None` where it has to be joined from parts.
    #[inline]
    pub(super) fn field(&self, field: usize, spans: &Spans) -> Option<(u32, u32)> {
        let DissectField { parts, in_one, .. } = &self.fields[field];
        let ((start, _), (_, end)) = (spans[*parts.first()?]?, spans[*parts.last()?]?);
        in_one.then_some((start, end))
    }

    /// Joins a field from its parts, each later one with the text before it.
    pub(super) fn join(&self, field: usize, line: &[u8], spans: &Spans, out: &mut Vec<u8>) {
        for (count, &part) in self.fields[field].parts.iter().enumerate() {
            if count > 0 {
                out.extend_from_slice(
                    part.checked_sub(1).map_or(b" ", |before| self.parts[before].until.needle()),
                );
            }
            if let Some((start, end)) = spans[part] {
                out.extend_from_slice(&line[start as usize..end as usize]);
            }
        }
    }

    /// Whether lines themselves contain field names.
    pub(super) fn has_pairs(&self) -> bool {
        !self.pairs.is_empty()
    }

    /// Names and values that the line itself contains.
    pub(super) fn pairs<'a>(
        &'a self,
        spans: &'a Spans,
    ) -> impl Iterator<Item = ((u32, u32), (u32, u32))> + 'a {
        self.pairs.iter().filter_map(|&(name, value)| Some((spans[name]?, spans[value]?)))
    }
}

fn key(text: &str) -> Result<Key<'_>, String> {
    let sigil = text.chars().next().filter(|first| matches!(first, '+' | '?' | '*' | '&'));
    let name = &text[sigil.map_or(0, char::len_utf8)..];
    let (name, order) = match name.rsplit_once('/') {
        Some((name, order)) if sigil == Some('+') => {
            (name, order.parse().map_err(|_| format!("`{order}` in `%{{{text}}}` is not a number"))?)
        }
        _ => (name, 0),
    };
    if name.is_empty() && matches!(sigil, Some('+' | '*' | '&')) {
        return Err(format!("`%{{{text}}}` needs a name"));
    }
    Ok(Key { sigil, name, order })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn cut(pattern: &str, line: &str) -> String {
        let dissect = Dissect::new(pattern).unwrap();
        let mut spans = vec![None; dissect.spans()];
        if !dissect.find(line.as_bytes(), &mut spans) {
            return "-".to_string();
        }
        let text = |(from, to): (u32, u32)| &line[from as usize..to as usize];
        let mut out = Vec::new();
        for (at, field) in dissect.fields.iter().enumerate() {
            let mut joined = Vec::new();
            if let Some(span) = dissect.field(at, &spans) {
                joined.extend_from_slice(text(span).as_bytes());
            } else {
                dissect.join(at, line.as_bytes(), &spans, &mut joined);
            }
            out.push(format!("{}={}", field.name, String::from_utf8(joined).unwrap()));
        }
        out.extend(dissect.pairs(&spans).map(|(name, value)| format!("{}={}", text(name), text(value))));
        out.join("|")
    }

    #[test]
    fn keys_take_the_text_between_literals() {
        assert_eq!(cut("%{a} %{b}", "1 2 3"), "a=1|b=2 3");
        assert_eq!(cut("<%{p}>%{m}", "<13>hello"), "p=13|m=hello");
        assert_eq!(cut("<%{p}>%{m}", "13>hello"), "-");
        assert_eq!(cut("%{a}, %{b};", "1, 2;"), "a=1|b=2");
        assert_eq!(cut("%{a}, %{b};", "1, 2; 3"), "-");
        assert_eq!(cut("%{a},%{b},%{c}", "1,,3"), "a=1|b=|c=3");
        assert_eq!(cut("%{a} %{b}", "1"), "-");
    }

    #[test]
    fn skipped_padded_appended_and_named_keys() {
        assert_eq!(cut("%{?skip} %{} %{b}", "1 2 3"), "b=3");
        assert_eq!(cut("%{a->} %{b}", "1     2"), "a=1|b=2");
        assert_eq!(cut("%{a->} %{b}", "1 2"), "a=1|b=2");
        assert_eq!(cut("%{t} %{+t} %{+t} %{host}", "Nov 21 03:04:05 web"), "t=Nov 21 03:04:05|host=web");
        assert_eq!(cut("%{+d/2}/%{+d/1} %{x}", "b/a 1"), "d=a b|x=1");
        assert_eq!(cut("%{*k}=%{&k} %{?j}:%{&j}", "user=ann role:x"), "user=ann|role=x");
    }

    #[test]
    fn errors_describe_the_mistake() {
        let error = |pattern: &str| Dissect::new(pattern).unwrap_err();
        assert!(error("abc").contains("needs a key"));
        assert!(error("%{a").contains("no closing brace"));
        assert!(error("%{a}%{b}").contains("no text between"));
        assert!(error("%{&a} x").contains("%{*a}"));
        assert!(error("%{*a} x").contains("%{&a}"));
        assert!(error("%{+} x").contains("needs a name"));
    }
}
