//! Text of logs and people inside markup: nothing in it is markup, and nothing in it is unseen.

use std::fmt::Write;

/// What a terminal would obey or a reader would not see is shown as a sign of its own. Line ends and tabs stay.
#[must_use]
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' | '\t' => shown.push(letter),
            '\r' => shown.push('\u{240d}'),
            '\0'..='\u{1f}' => shown.extend(char::from_u32(0x2400 + letter as u32)),
            '\u{7f}' => shown.push('\u{2421}'),
            '\u{80}'..='\u{9f}'
            | '\u{61c}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}'
            | '\u{feff}' => {
                let _ = write!(shown, "‹U+{:04X}›", letter as u32);
            }
            other => shown.push(other),
        }
    }
    shown
}

/// The same as text or as a quoted attribute of HTML.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in visible(text).chars() {
        match letter {
            '&' => shown.push_str("&amp;"),
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            '"' => shown.push_str("&quot;"),
            '\'' => shown.push_str("&#39;"),
            other => shown.push(other),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_markup_and_nothing_is_unseen() {
        assert_eq!(escaped("<b a=\"x\" c='y'>&"), "&lt;b a=&quot;x&quot; c=&#39;y&#39;&gt;&amp;");
        assert_eq!(visible("a\0\u{1b}[1m\u{202e}b\r\n\t"), "a␀␛[1m‹U+202E›b␍\n\t");
    }
}
