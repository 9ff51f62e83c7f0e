//! A value that a rule is to leave out, as a Sigma filter.

use std::fmt::Write;

use super::RuleSet;
use super::rule::Rule;

/// Names that precede the fields of Windows events here, and not in rules.
const PREFIX: &str = "data.";

/// The most bytes of a value: a longer one is no help to whoever reads the filter.
pub const EXCLUDED_BYTES: usize = 4_096;

impl RuleSet {
    /// A filter document that leaves events with this value of a field out of a rule. Nothing without such a rule, or if a
    /// filter cannot name the field or the value is too long.
    #[must_use]
    pub fn exclusion(&self, rule: &str, field: &str, value: &str) -> Option<String> {
        let rule = self.rules.iter().find(|known| known.is_called(rule))?;
        // A bar in a key of a search begins a modifier.
        let can_be_written = value.len() <= EXCLUDED_BYTES && !field.is_empty() && !field.contains('|');
        can_be_written.then(|| written(rule, field, value))
    }
}

fn written(rule: &Rule, field: &str, value: &str) -> String {
    let field = field.strip_prefix(PREFIX).unwrap_or(field);
    let source = &rule.source;
    let parts = [("category", &source.category), ("product", &source.product), ("service", &source.service)];
    let parts: Vec<String> = parts
        .iter()
        .filter_map(|(name, part)| part.as_ref().map(|part| format!("{name}: {}", quoted(part))))
        .collect();
    let pattern = value.replace('\\', "\\\\").replace('*', "\\*").replace('?', "\\?");
    format!(
        "title: {}\nlogsource: {{{}}}\nfilter:\n  rules: [{}]\n  excluded:\n    {}: {}\n  condition: not excluded\n",
        quoted(&format!("{} is left out of {}", field, rule.title)),
        parts.join(", "),
        quoted(&rule.id),
        quoted(field),
        quoted(&pattern),
    )
}

/// A text in double quotes, in which YAML takes escapes.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            // Line ends of YAML, marks of direction and others that nobody sees.
            letter
                if letter.is_control()
                    || matches!(letter, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}') =>
            {
                let _ = write!(quoted, "\\U{:08X}", u32::from(letter));
            }
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}
