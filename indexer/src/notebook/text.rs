//! A notebook as Markdown: the pages as they were written, each cell with its frozen answer below it.

use std::fmt::Write;

use ingest::NO_TIME;

use super::alerts;
use super::answer::{Answer, Frozen};
use super::markdown::cells;
use super::visible::visible;
use super::{Notebook, NotebookPage, NotedRange, Said};
use crate::Evidence;
use base::stamp::to_rfc3339;

macro_rules! put {
    ($out:expr, $($part:tt)*) => {{ let _ = write!($out, $($part)*); }};
}

impl Notebook {
    /// The whole file. The cells stay in it, so it can be a page of another case.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        let mut out = format!(
            "# {}\n\nNotebook of revision {} of the case, written out {}. All times are UTC.\n",
            plain(&self.case),
            self.revision,
            to_rfc3339(self.made_ns)
        );
        for page in &self.pages {
            self.page(page, &mut out);
        }
        if !self.noted.is_empty() {
            out.push_str("\n## Events with notes\n");
        }
        for noted in &self.noted {
            put!(out, "\n{}\n", said(&noted.said));
            self.evidence(noted.place, noted.evidence.as_ref(), &mut out);
        }
        if self.left_out > 0 {
            put!(out, "\n{} more events with notes are in the case.\n", self.left_out);
        }
        if !self.ranges.is_empty() {
            out.push_str("\n## Times with notes\n\n");
        }
        for NotedRange { range: (first, last), said: about } in &self.ranges {
            let until = if last > first { format!(" to {}", to_rfc3339(*last)) } else { String::new() };
            put!(out, "- {}{until}: {}\n", to_rfc3339(*first), said(about));
        }
        if !self.alerts.is_empty() {
            put!(out, "\n## Alerts\n\n| {} |\n|---|---|---|---|---|---|\n", alerts::COLUMNS.join(" | "));
        }
        for alert in self.alerts.iter().take(alerts::LISTED) {
            let cells = alerts::cells(alert, self.made_ns).map(|cell| plain(&cell.replace('\n', "; ")));
            put!(out, "| {} |\n", cells.join(" | "));
        }
        if let Some(rest) = alerts::rest(&self.alerts) {
            put!(out, "\n{rest}\n");
        }
        out.push_str("\n## Sources\n\n| Source | Events | Bytes | SHA-256 |\n|---|--:|--:|---|\n");
        for source in &self.sources {
            put!(
                out,
                "| {} | {} | {} | `{}` |\n",
                plain(&source.name),
                source.events,
                source.bytes,
                source.sha256
            );
        }
        out
    }

    fn page(&self, page: &NotebookPage, out: &mut String) {
        if let Some(title) = page.heading() {
            put!(out, "\n# {}\n", plain(title));
        }
        out.push('\n');
        let mut answers = page.answers.iter();
        let mut written = 0;
        for (node, range) in &page.blocks {
            out.push_str(page.text.get(written..range.end).unwrap_or_default());
            written = written.max(range.end);
            for _ in cells(std::slice::from_ref(node)) {
                if let Some(answer) = answers.next() {
                    if !out.ends_with('\n') {
                        out.push('\n');
                    }
                    self.answer(answer, out);
                }
            }
        }
        out.push_str(page.text.get(written..).unwrap_or_default());
        if !out.ends_with('\n') {
            out.push('\n');
        }
    }

    fn answer(&self, answer: &Answer, out: &mut String) {
        match answer {
            Answer::Table(table) | Answer::Picture { table, .. } => frozen(table, out),
            Answer::Chart { table, .. } if !table.rows.is_empty() => frozen(table, out),
            Answer::Chart { chart, .. } => {
                let sum: f64 = chart.series.iter().flat_map(|series| &series.values).flatten().sum();
                put!(out, "\n{sum} events\n");
            }
            Answer::Events { total, first } => {
                put!(out, "\n{total} {}\n", if *total == 1 { "event" } else { "events" });
                if !first.is_empty() {
                    let lines: Vec<&str> = first.iter().map(|event| event.text.as_str()).collect();
                    fenced(&lines.join("\n"), out);
                }
            }
            Answer::Evidence(found) => {
                for (place, evidence) in found {
                    if !place.caption.is_empty() {
                        put!(out, "\n{}\n", plain(&place.caption));
                    }
                    self.evidence((place.source, place.offset), evidence.as_ref(), out);
                }
            }
            Answer::Failed(what) => put!(out, "\n{}\n", plain(what)),
        }
    }

    fn evidence(&self, (source, offset): (u32, u64), evidence: Option<&Evidence>, out: &mut String) {
        let Some(found) = evidence else {
            put!(out, "\nThe case has no event at byte {offset} of source {source} any more.\n");
            return;
        };
        let event = &found.event;
        fenced(&event.text, out);
        let from = self.sources.get(event.source as usize);
        let (name, hash) = from.map_or(("", ""), |source| (source.name.as_str(), source.sha256.as_str()));
        let time = if event.time == NO_TIME { "no time".to_owned() } else { to_rfc3339(event.time) };
        let end = event.offset + u64::from(event.length);
        put!(
            out,
            "\n- {time}\n- `{}`, line {}, bytes {} to {end}\n- SHA-256 of the source: `{hash}`\n",
            code(name),
            event.line,
            event.offset
        );
        if let Some(own) = &found.sha256 {
            put!(out, "- SHA-256 of these bytes: `{own}`\n");
        }
    }
}

fn frozen(table: &Frozen, out: &mut String) {
    out.push_str("\n|");
    for (name, _) in &table.columns {
        put!(out, " {} |", plain(name));
    }
    out.push_str("\n|");
    for (_, number) in &table.columns {
        out.push_str(if *number { "--:|" } else { "---|" });
    }
    out.push('\n');
    for row in &table.rows {
        out.push('|');
        for value in row {
            put!(out, " {} |", plain(value));
        }
        out.push('\n');
    }
    if table.total > table.rows.len() {
        put!(out, "\nThe first {} of {} rows.\n", table.rows.len(), table.total);
    }
}

/// Text of a log inside a line of Markdown: none of it is markup.
fn said(said: &Said) -> String {
    let mut text = if said.starred { "★ ".to_owned() } else { String::new() };
    for tag in &said.tags {
        put!(text, "`{}` ", code(tag));
    }
    text + &plain(&said.comments.join("\n"))
}

fn plain(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in visible(text).chars() {
        match letter {
            '\n' => shown.push(' '),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '<' | '>' | '#' | '|' | '!' | '~' | '&' => {
                shown.push('\\');
                shown.push(letter);
            }
            other => shown.push(other),
        }
    }
    shown
}

/// Text inside backticks, which nothing can end early.
fn code(text: &str) -> String {
    visible(text).replace('`', "'").replace(['\n', '|'], " ")
}

/// A block that ends only where it is meant to: its fence is longer than any run of backticks in it.
fn fenced(text: &str, out: &mut String) {
    let (mut longest, mut run) = (0, 0);
    for letter in text.chars() {
        run = if letter == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(longest.max(2) + 1);
    put!(out, "\n{fence}text\n{}\n{fence}\n", visible(text));
}
