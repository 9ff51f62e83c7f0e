//! A notebook as one self-contained HTML file: no scripts, with inline styles and pictures.

use std::collections::HashSet;
use std::fmt::Write;

use ingest::{Level, NO_TIME};

use super::alerts;
use super::answer::{Answer, Frozen};
use super::cell::{Cell, What};
use super::markdown::{Align, Node};
use super::visible::escaped;
use super::{Notebook, NotebookPage, NotedEvent, NotedRange, Said};
use crate::Evidence;
use base::stamp::to_rfc3339;
use engine::Event;

const STYLE: &str = include_str!("page.css");

impl Notebook {
    /// The whole file.
    #[must_use]
    pub fn to_html(&self) -> String {
        let mut out = Html { book: self, text: String::new(), anchors: HashSet::new() };
        for page in &self.pages {
            out.page(page);
        }
        out.noted();
        out.ranges();
        out.alerts();
        out.sources();
        let said = format!(
            "Notebook of revision {} of the case, written out {}. All times are UTC.",
            self.revision,
            to_rfc3339(self.made_ns)
        );
        html_page(&self.case, &said, &out.text)
    }
}

/// A file of its own with a title and a sentence below it, which are text, and markup. A browser that obeys it loads nothing
/// and runs nothing.
#[must_use]
pub fn html_page(title: &str, said: &str, body: &str) -> String {
    let (title, said) = (escaped(title), escaped(said));
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\
         <meta name=\"viewport\" content=\"width=device-width\"><meta name=\"color-scheme\" content=\"light dark\">\
         <title>{title}</title><style>{STYLE}</style></head><body><main>\
         <header><h1>{title}</h1><p>{said}</p></header>{body}</main></body></html>\n"
    )
}

struct Html<'b> {
    book: &'b Notebook,
    text: String,
    /// Events that have a place in the file that links can lead to.
    anchors: HashSet<(u32, u64)>,
}

macro_rules! put {
    ($out:expr, $($part:tt)*) => {{ let _ = write!($out.text, $($part)*); }};
}

impl Html<'_> {
    fn page(&mut self, page: &NotebookPage) {
        self.text.push_str("<article>");
        if let Some(title) = page.heading() {
            put!(self, "<h1>{}</h1>", escaped(title));
        }
        let mut answers = page.answers.iter();
        for (node, _) in &page.blocks {
            self.node(node, &mut answers);
        }
        self.text.push_str("</article>");
    }

    fn all(&mut self, nodes: &[Node], answers: &mut dyn Iterator<Item = &Answer>) {
        for node in nodes {
            self.node(node, answers);
        }
    }

    fn within(&mut self, tag: &str, nodes: &[Node], answers: &mut dyn Iterator<Item = &Answer>) {
        put!(self, "<{tag}>");
        self.all(nodes, answers);
        put!(self, "</{tag}>");
    }

    fn node(&mut self, node: &Node, answers: &mut dyn Iterator<Item = &Answer>) {
        match node {
            Node::Heading { level, children } => {
                self.within(&format!("h{}", level.clamp(&1, &6)), children, answers);
            }
            Node::Paragraph { children } => self.within("p", children, answers),
            Node::Quote { children } => self.within("blockquote", children, answers),
            Node::List { start: None, children } => self.within("ul", children, answers),
            Node::List { start: Some(start), children } => {
                put!(self, "<ol start=\"{start}\">");
                self.all(children, answers);
                self.text.push_str("</ol>");
            }
            Node::Item { done, children } => {
                self.text.push_str("<li>");
                if let Some(done) = done {
                    self.text.push_str(if *done { "☑ " } else { "☐ " });
                }
                self.all(children, answers);
                self.text.push_str("</li>");
            }
            Node::Table { children } => {
                self.text.push_str("<div class=\"wide\">");
                self.within("table", children, answers);
                self.text.push_str("</div>");
            }
            Node::Row { children, .. } => self.within("tr", children, answers),
            Node::Column { align, children } => {
                let class = match align {
                    Align::Start => "",
                    Align::Middle => " class=\"middle\"",
                    Align::End => " class=\"number\"",
                };
                put!(self, "<td{class}>");
                self.all(children, answers);
                self.text.push_str("</td>");
            }
            Node::CodeBlock { text, .. } => put!(self, "<pre>{}</pre>", escaped(text)),
            Node::Cell { cell } => {
                if let Some(answer) = answers.next() {
                    self.cell(cell, answer);
                }
            }
            Node::Rule => self.text.push_str("<hr>"),
            Node::Text { text } => self.text.push_str(&escaped(text)),
            Node::Code { text } => put!(self, "<code>{}</code>", escaped(text)),
            Node::Strong { children } => self.within("strong", children, answers),
            Node::Emphasis { children } => self.within("em", children, answers),
            Node::Strike { children } => self.within("del", children, answers),
            Node::Link { to, children } => self.link(to, children, answers),
            Node::Break => self.text.push_str("<br>"),
        }
    }

    fn link(&mut self, to: &str, children: &[Node], answers: &mut dyn Iterator<Item = &Answer>) {
        let to = match to.strip_prefix("event:").and_then(|place| place.split_once('@')) {
            Some((source, offset)) => format!("#e-{source}-{offset}"),
            None => to.to_owned(),
        };
        put!(self, "<a href=\"{}\" rel=\"noreferrer\">", escaped(&to));
        self.all(children, answers);
        self.text.push_str("</a>");
    }

    fn cell(&mut self, cell: &Cell, answer: &Answer) {
        self.text.push_str("<figure>");
        let asked = match &cell.what {
            What::Query(query) | What::Chart(query) | What::Seismograph(query) => query.as_str(),
            What::ServiceMap(map) => map.query.as_str(),
            What::Events(_) => "",
        };
        let title = cell.title.as_deref().unwrap_or_default();
        if !title.is_empty() || !asked.is_empty() {
            put!(self, "<figcaption>{}", escaped(title));
            if !asked.is_empty() {
                put!(self, " <code>{}</code>", escaped(asked));
            }
            for (word, time) in [("from", cell.from), ("to", cell.to)] {
                if let Some(time) = time {
                    put!(self, " {word} {}", to_rfc3339(time));
                }
            }
            self.text.push_str("</figcaption>");
        }
        if let Some(problem) = &cell.problem {
            put!(self, "<p class=\"problem\">{}</p>", escaped(problem));
        }
        match answer {
            Answer::Table(table) => self.frozen(table),
            Answer::Events { total, first } => self.events(*total, first),
            Answer::Chart { chart, table } => {
                self.text.push_str(&chart.svg(if title.is_empty() { asked } else { title }));
                if let Some(drawn) = chart.rows_drawn().filter(|&drawn| drawn < table.total) {
                    put!(self, "<p class=\"soft\">Drawn from the first {drawn} of {} rows.</p>", table.total);
                }
                self.numbers(table);
            }
            Answer::Picture { svg, table } => {
                self.text.push_str(svg);
                self.numbers(table);
            }
            Answer::Evidence(found) => {
                for (place, evidence) in found {
                    self.evidence((place.source, place.offset), evidence.as_ref(), &place.caption);
                }
            }
            Answer::Failed(what) => put!(self, "<p class=\"problem\">{}</p>", escaped(what)),
        }
        self.text.push_str("</figure>");
    }

    /// What a picture shows, folded.
    fn numbers(&mut self, table: &Frozen) {
        if !table.rows.is_empty() {
            self.text.push_str("<details><summary>Numbers</summary>");
            self.frozen(table);
            self.text.push_str("</details>");
        }
    }

    fn frozen(&mut self, table: &Frozen) {
        self.text.push_str("<div class=\"wide\"><table><thead><tr>");
        for (name, number) in &table.columns {
            put!(self, "<th{}>{}</th>", if *number { " class=\"number\"" } else { "" }, escaped(name));
        }
        self.text.push_str("</tr></thead><tbody>");
        for row in &table.rows {
            self.text.push_str("<tr>");
            for (value, (_, number)) in row.iter().zip(&table.columns) {
                put!(self, "<td{}>{}</td>", if *number { " class=\"number\"" } else { "" }, escaped(value));
            }
            self.text.push_str("</tr>");
        }
        self.text.push_str("</tbody></table></div>");
        if table.total > table.rows.len() {
            put!(self, "<p class=\"soft\">The first {} of {} rows.</p>", table.rows.len(), table.total);
        }
        for note in &table.notes {
            put!(self, "<p class=\"soft\">{}</p>", escaped(note));
        }
    }

    fn events(&mut self, total: usize, first: &[Event]) {
        put!(self, "<p class=\"count\">{total} {}</p>", if total == 1 { "event" } else { "events" });
        if first.is_empty() {
            return;
        }
        let book = self.book;
        self.text.push_str("<div class=\"wide\"><table class=\"events\"><tbody>");
        for event in first {
            let source = book.sources.get(event.source as usize).map_or("", |source| source.name.as_str());
            put!(
                self,
                "<tr><td class=\"time\">{}</td><td class=\"l-{} level\">{}</td><td class=\"soft source\">{}:{}</td><td><code>{}</code></td></tr>",
                time(event),
                event.level.name(),
                if event.level == Level::None { "" } else { event.level.name() },
                escaped(source),
                event.line,
                escaped(&event.text),
            );
        }
        self.text.push_str("</tbody></table></div>");
        if total > first.len() {
            put!(self, "<p class=\"soft\">The first {} of {total} events.</p>", first.len());
        }
    }

    fn evidence(&mut self, place: (u32, u64), evidence: Option<&Evidence>, caption: &str) {
        let (source, offset) = place;
        // A link leads to the first place of an event.
        let anchor = self.anchors.insert(place);
        let id = if anchor { format!(" id=\"e-{source}-{offset}\"") } else { String::new() };
        put!(self, "<div class=\"evidence\"{id}>");
        if !caption.is_empty() {
            put!(self, "<p>{}</p>", escaped(caption));
        }
        let Some(found) = evidence else {
            put!(
                self,
                "<p class=\"problem\">The case has no event at byte {offset} of source {source} any more.</p></div>"
            );
            return;
        };
        let event = &found.event;
        put!(self, "<p><span class=\"time\">{}</span> ", time(event));
        if event.level != Level::None {
            put!(self, "<span class=\"l-{0} level\">{0}</span>", event.level.name());
        }
        put!(self, "</p><pre>{}{}</pre>", escaped(&event.text), if event.cut { "…" } else { "" });
        self.proof(found);
        self.text.push_str("</div>");
    }

    /// Where an event can be checked.
    fn proof(&mut self, found: &Evidence) {
        let event = &found.event;
        let book = self.book;
        let source = book.sources.get(event.source as usize);
        let (name, hash) = source.map_or(("", ""), |source| (source.name.as_str(), source.sha256.as_str()));
        let end = event.offset + u64::from(event.length);
        put!(
            self,
            "<dl><dt>Source</dt><dd>{}</dd><dt>Line</dt><dd>{}</dd><dt>Bytes</dt><dd>{} to {end}</dd>\
             <dt>SHA-256 of the source</dt><dd><code>{hash}</code></dd>",
            escaped(name),
            event.line,
            event.offset,
        );
        if let Some(own) = &found.sha256 {
            put!(self, "<dt>SHA-256 of these bytes</dt><dd><code>{own}</code></dd>");
        }
        self.text.push_str("</dl>");
    }

    fn noted(&mut self) {
        let book = self.book;
        if book.noted.is_empty() {
            return;
        }
        self.text.push_str("<section><h2>Events with notes</h2>");
        for NotedEvent { place, evidence, said } in &book.noted {
            self.text.push_str("<div class=\"noted\">");
            if said.starred || !said.tags.is_empty() {
                self.text.push_str("<p class=\"marks\">");
                self.marks(said);
                self.text.push_str("</p>");
            }
            self.evidence(*place, evidence.as_ref(), &said.comments.join("\n"));
            self.text.push_str("</div>");
        }
        if book.left_out > 0 {
            put!(self, "<p class=\"soft\">{} more events with notes are in the case.</p>", book.left_out);
        }
        self.text.push_str("</section>");
    }

    fn marks(&mut self, said: &Said) {
        if said.starred {
            self.text.push_str("★ ");
        }
        for tag in &said.tags {
            put!(self, "<span class=\"tag\">{}</span> ", escaped(tag));
        }
    }

    fn ranges(&mut self) {
        let book = self.book;
        if book.ranges.is_empty() {
            return;
        }
        self.text.push_str("<section><h2>Times with notes</h2><table><tbody>");
        for NotedRange { range: (first, last), said } in &book.ranges {
            put!(self, "<tr><td class=\"time\">{}</td><td>", stretch(*first, *last));
            self.marks(said);
            put!(self, "{}</td></tr>", escaped(&said.comments.join("\n")));
        }
        self.text.push_str("</tbody></table></section>");
    }

    fn alerts(&mut self) {
        let book = self.book;
        if book.alerts.is_empty() {
            return;
        }
        self.text.push_str("<section><h2>Alerts</h2><div class=\"wide\"><table><thead><tr>");
        for column in alerts::COLUMNS {
            put!(self, "<th>{column}</th>");
        }
        self.text.push_str("</tr></thead><tbody>");
        for alert in book.alerts.iter().take(alerts::LISTED) {
            self.text.push_str("<tr>");
            for cell in alerts::cells(alert, book.made_ns) {
                let lines: Vec<String> = cell.lines().map(escaped).collect();
                put!(self, "<td>{}</td>", lines.join("<br>"));
            }
            self.text.push_str("</tr>");
        }
        self.text.push_str("</tbody></table></div>");
        if let Some(rest) = alerts::rest(&book.alerts) {
            put!(self, "<p class=\"soft\">{rest}</p>");
        }
        self.text.push_str("</section>");
    }

    fn sources(&mut self) {
        let book = self.book;
        self.text.push_str(
            "<section><h2>Sources</h2><div class=\"wide\"><table><thead><tr><th>Source</th>\
             <th class=\"number\">Events</th><th class=\"number\">Bytes</th><th>SHA-256</th></tr></thead><tbody>",
        );
        for source in &book.sources {
            put!(
                self,
                "<tr><td class=\"source\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td><code>{}</code></td></tr>",
                escaped(&source.name),
                source.events,
                source.bytes,
                escaped(&source.sha256),
            );
        }
        self.text.push_str("</tbody></table></div></section>");
    }
}

/// A range as people mean it: `14:05 to 14:10` for the one whose last nanosecond is 14:09:59.999999999.
fn stretch(first: i64, last: i64) -> String {
    let [inclusive, end] = [last, last.saturating_add(1)].map(to_rfc3339);
    match to_rfc3339(first) {
        first_text if last <= first => first_text,
        first_text if end.len() < inclusive.len() => format!("{first_text} to {end}"),
        first_text => format!("{first_text} to {inclusive}"),
    }
}

fn time(event: &Event) -> String {
    if event.time == NO_TIME { "no time".to_owned() } else { to_rfc3339(event.time) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_ranges_are_shown_as_people_mean_them() {
        const MINUTE: i64 = 60_000_000_000;
        let first = 1_772_373_900_000_000_000;
        assert_eq!(stretch(first, first), "2026-03-01T14:05:00Z");
        assert_eq!(stretch(first, first + 5 * MINUTE - 1), "2026-03-01T14:05:00Z to 2026-03-01T14:10:00Z");
        assert_eq!(stretch(first, first + 5 * MINUTE), "2026-03-01T14:05:00Z to 2026-03-01T14:10:00Z");
    }
}
