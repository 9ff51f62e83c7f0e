//! Golden cases: a Markdown file with logs, command lines and what they print.
//!
//! ````text
//! ```log name=access.log     a file in an empty folder
//! ```sh                      command lines that run in that folder, with `timberline` on the PATH
//! ```output                  what they print; written by `npm run bless`
//! ````
//!
//! Everything else in the file is prose. Several `sh` and `output` pairs share the folder.

/// A part of a case file, with the lines of its fence so that the file can be written again.
#[derive(Debug, PartialEq, Eq)]
pub enum Part {
    Prose(String),
    Log { name: String, text: String },
    Commands(String),
    Output(String),
}

/// Splits a case file into its parts.
///
/// # Panics
/// When a fence is not closed or is of an unknown kind: a case that is misread would pass for nothing.
#[must_use]
pub fn parse(document: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut prose = String::new();
    let mut lines = document.lines();
    while let Some(line) = lines.next() {
        let Some(kind) = line.strip_prefix("```") else {
            prose.push_str(line);
            prose.push('\n');
            continue;
        };
        if !prose.is_empty() {
            parts.push(Part::Prose(std::mem::take(&mut prose)));
        }
        parts.push(fenced(kind.trim(), &mut lines));
    }
    if !prose.is_empty() {
        parts.push(Part::Prose(prose));
    }
    parts
}

fn fenced<'a>(kind: &str, lines: &mut impl Iterator<Item = &'a str>) -> Part {
    let mut text = String::new();
    loop {
        match lines.next() {
            Some("```") => break,
            Some(line) => text.extend([line, "\n"]),
            None => panic!("the fence ```{kind} is not closed"),
        }
    }
    match kind {
        "sh" => Part::Commands(text),
        "output" => Part::Output(text),
        other => match other.strip_prefix("log name=") {
            Some(name) => Part::Log { name: name.to_owned(), text },
            None => panic!("no such kind of block: ```{other}"),
        },
    }
}

/// Writes the parts as a file again; `print(parse(x)) == x`.
#[must_use]
pub fn print(parts: &[Part]) -> String {
    parts
        .iter()
        .map(|part| match part {
            Part::Prose(text) => text.clone(),
            Part::Log { name, text } => format!("```log name={name}\n{text}```\n"),
            Part::Commands(text) => format!("```sh\n{text}```\n"),
            Part::Output(text) => format!("```output\n{text}```\n"),
        })
        .collect()
}

/// Units after a number that differs from run to run.
const UNITS: &[&str] = &["ms", "µs", "s", "seconds", "MB/s", "events/s", "lines/s"];

/// Ends of JSON keys whose number differs from run to run or from machine to machine.
const MEASURED: &[&str] = &["_seconds", "_per_second", "_rss_bytes", "_on_disk", "elapsed_ms"];

/// Replaces what differs from run to run: the temporary folder, and measured times, rates and sizes.
#[must_use]
pub fn normalise(output: &str, folder: &str) -> String {
    let output = output.replace(folder, "FOLDER");
    let mut result = String::with_capacity(output.len());
    let mut rest = output.as_str();
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, from) = rest.split_at(at);
        let end = from.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',').unwrap_or(from.len());
        // A full stop or comma after a number belongs to the sentence.
        let number = from[..end].trim_end_matches(['.', ',']);
        let after = &from[number.len()..];
        result.push_str(before);
        let measured = has_unit(before, after) || is_measured_key(before);
        result.push_str(if measured { "…" } else { number });
        rest = after;
    }
    result + rest
}

fn has_unit(before: &str, after: &str) -> bool {
    // Measurements are written as in prose, `in 0.03 s (1,200 events/s)`; a number of a query is not: `took>5ms`.
    let begins = before.is_empty() || before.ends_with([' ', '\n', '(']);
    let Some(after) = after.strip_prefix(' ') else { return false };
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '/');
    begins && UNITS.iter().any(|unit| after.strip_prefix(unit).is_some_and(ends))
}

fn is_measured_key(before: &str) -> bool {
    let Some(key) = before.trim_end().strip_suffix(':').map(str::trim_end) else { return false };
    let key = key.trim_end_matches('"');
    MEASURED.iter().any(|end| key.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_and_print_give_the_file_back() {
        let document = "# A case\n\n```log name=a.log\none\n```\n```sh\ntrue\n```\n```output\n```\nend\n";
        let parts = parse(document);
        assert_eq!(parts.len(), 5);
        assert_eq!(print(&parts), document);
    }

    #[test]
    fn only_measured_numbers_are_replaced() {
        let text = "12 events in 0.03 s (1,200 events/s), 5 sources, 10:00:01 s";
        assert_eq!(normalise(text, "/x"), "12 events in … s (… events/s), 5 sources, 10:00:01 s");
        assert_eq!(
            normalise(r#"{"landed_seconds": 0.5, "events":3}"#, "/x"),
            r#"{"landed_seconds": …, "events":3}"#
        );
        let query = "duration_ms>=1.5s | where took > 5ms, 10kb, 3s\n  timeline 5m";
        assert_eq!(normalise(query, "/x"), query);
        assert_eq!(normalise("/tmp/a1/b.log: 3", "/tmp/a1"), "FOLDER/b.log: 3");
    }
}
