//! Extracts fields from single texts with Grok and dissect patterns, for callers outside the formats.

use super::dissect::Dissect;
use super::engine::Scratch;
use super::grok::Patterns;
use super::matcher::Matcher;
use super::syntax::Dialect;

/// The type that a pattern declares for a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtractedKind {
    Text,
    Int,
    Float,
    Bool,
}

/// A compiled pattern. Threads can share it; each searches with a [`Search`] of its own.
#[derive(Debug)]
pub struct Extractor {
    cut: ExtractMethod,
    fields: Vec<(String, ExtractedKind)>,
    /// The field of each group of a pattern.
    groups: Vec<Option<usize>>,
}

#[derive(Debug)]
enum ExtractMethod {
    Pattern(Box<Matcher>),
    Dissect(Box<Dissect>),
}

/// State that a search reuses from text to text.
#[derive(Default)]
pub struct Search {
    scratch: Scratch,
    spans: Vec<Option<(u32, u32)>>,
}

impl Extractor {
    /// A Grok pattern: `%{IP:client} %{NUMBER:size:int}`.
    pub fn grok(pattern: &str) -> Result<Extractor, String> {
        let matcher = Matcher::new(&Patterns::default().write_out(pattern)?, Dialect::Grok)?;
        let mut fields: Vec<(String, ExtractedKind)> = Vec::new();
        let mut groups = Vec::new();
        for group in &matcher.groups {
            let (name, kind) = group.split_once(':').unwrap_or((group, ""));
            if name.is_empty() {
                groups.push(None);
                continue;
            }
            let known = fields.iter().position(|(known, _)| known == name);
            groups.push(Some(known.unwrap_or_else(|| {
                fields.push((name.to_owned(), kind_of(kind)));
                fields.len() - 1
            })));
        }
        if fields.is_empty() {
            return Err("the pattern names no field; write %{NAME:field}".to_owned());
        }
        Ok(Extractor { cut: ExtractMethod::Pattern(Box::new(matcher)), fields, groups })
    }

    /// A dissection: `%{user} logged in from %{address}`.
    pub fn dissect(pattern: &str) -> Result<Extractor, String> {
        let dissect = Dissect::new(pattern)?;
        let fields = dissect.fields.iter().map(|field| (field.name.clone(), ExtractedKind::Text));
        Ok(Extractor {
            fields: fields.collect(),
            cut: ExtractMethod::Dissect(Box::new(dissect)),
            groups: Vec::new(),
        })
    }

    #[must_use]
    pub fn fields(&self) -> &[(String, ExtractedKind)] {
        &self.fields
    }

    /// Whether texts may contain field names that the pattern does not have.
    #[must_use]
    pub fn has_dynamic_fields(&self) -> bool {
        matches!(&self.cut, ExtractMethod::Dissect(dissect) if dissect.has_pairs())
    }

    /// Calls `field` with the index and text of each field found, and `named` with the pairs that the text
    /// itself names. Returns false if the text does not fit.
    pub fn extract(
        &self,
        text: &[u8],
        search: &mut Search,
        field: &mut dyn FnMut(usize, &[u8]),
        named: &mut dyn FnMut(&[u8], &[u8]),
    ) -> bool {
        match &self.cut {
            ExtractMethod::Pattern(matcher) => {
                search.spans.resize(matcher.spans(), None);
                if matcher.find(text, &mut search.scratch, &mut search.spans).is_err() {
                    return false;
                }
                let mut found = vec![false; self.fields.len()];
                for (&group, span) in self.groups.iter().zip(&search.spans) {
                    if let (Some(place), Some((from, to))) = (group, *span)
                        && !std::mem::replace(&mut found[place], true)
                    {
                        field(place, &text[from as usize..to as usize]);
                    }
                }
            }
            ExtractMethod::Dissect(dissect) => {
                search.spans.resize(dissect.spans(), None);
                if !dissect.find(text, &mut search.spans) {
                    return false;
                }
                let mut joined = Vec::new();
                for place in 0..self.fields.len() {
                    joined.clear();
                    dissect.join(place, text, &search.spans, &mut joined);
                    field(place, &joined);
                }
                for ((name, name_end), (from, to)) in dissect.pairs(&search.spans) {
                    named(&text[name as usize..name_end as usize], &text[from as usize..to as usize]);
                }
            }
        }
        true
    }
}

fn kind_of(name: &str) -> ExtractedKind {
    match name {
        "int" | "long" => ExtractedKind::Int,
        "float" | "double" => ExtractedKind::Float,
        "bool" | "boolean" => ExtractedKind::Bool,
        _ => ExtractedKind::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extracted(extractor: &Extractor, text: &str) -> Option<Vec<String>> {
        let mut found = Vec::new();
        let mut named = Vec::new();
        let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let fits = extractor.extract(
            text.as_bytes(),
            &mut Search::default(),
            &mut |place, value| found.push(format!("{}={}", extractor.fields()[place].0, shown(value))),
            &mut |name, value| named.push(format!("{}:{}", shown(name), shown(value))),
        );
        found.append(&mut named);
        fits.then_some(found)
    }

    #[test]
    fn fields_are_extracted_from_single_texts() {
        let grok = Extractor::grok("%{IP:client} %{NUMBER:size:int}").expect("a pattern");
        assert_eq!(grok.fields()[1], ("size".to_owned(), ExtractedKind::Int));
        assert_eq!(
            extracted(&grok, "from 10.0.0.7 42 bytes"),
            Some(vec!["client=10.0.0.7".into(), "size=42".into()])
        );
        assert_eq!(extracted(&grok, "nothing"), None);
        let dissect = Extractor::dissect("%{a} %{*k}=%{&k} %{+a}").expect("a pattern");
        assert!(dissect.has_dynamic_fields());
        assert_eq!(extracted(&dissect, "one size=2 more"), Some(vec!["a=one more".into(), "size:2".into()]));
        assert!(Extractor::grok("%{NOPE:x}").is_err() && Extractor::grok("plain").is_err());
    }
}
