//! A plan as one page for a printer or a browser.

use std::fmt::Write;

use indexer::notebook::{escaped, html_page};
use indexer::stamp::to_rfc3339;

use super::Planned;

const HEAD: &str = "<table><thead><tr><th>Figure</th><th class=\"number\">Value</th><th>Formula</th><th>Where it is from</th>\
                    </tr></thead><tbody>";

impl Planned {
    /// The page, which loads nothing and runs nothing. `case` is the name of the case that was measured.
    #[must_use]
    pub fn to_html(&self, case: &str, made_ns: i64) -> String {
        let mut body = HEAD.to_owned();
        for figure in &self.figures {
            let _ = write!(
                body,
                "<tr><td>{}</td><td class=\"number\">{}</td><td>{}</td><td>{}</td></tr>",
                escaped(&figure.name),
                escaped(&figure.shown()),
                escaped(&figure.formula),
                escaped(&figure.from),
            );
        }
        body.push_str("</tbody></table>");
        if !self.advice.is_empty() {
            body.push_str("<h2>What to look at again</h2><ul>");
            for advice in &self.advice {
                let _ = write!(body, "<li>{}</li>", escaped(advice));
            }
            body.push_str("</ul>");
        }
        let said =
            format!("How large a cluster for such logs must be, planned {} (UTC).", to_rfc3339(made_ns));
        html_page(case, &said, &body)
    }
}
