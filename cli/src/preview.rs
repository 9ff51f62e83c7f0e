//! `timberline preview`: how files would be read.

use std::io::Write;

use anyhow::Result;
use serde::Serialize;

use crate::Outcome;
use crate::args::Preview;
use crate::files::FileLine;
use crate::out;

#[derive(Serialize)]
struct PreviewReport {
    files: Vec<FileLine>,
}

pub fn run(arguments: &Preview) -> Result<Outcome> {
    let found = indexer::detect(
        &arguments.paths,
        &arguments.folders.filter(),
        &arguments.reading.options()?,
        &indexer::Cancel::default(),
    )?;
    let mut stdout = out::stdout();
    if arguments.json {
        let files = found.iter().map(FileLine::from).collect();
        out::json(&mut stdout, &PreviewReport { files })?;
    } else {
        for file in found.iter().filter(|file| !file.format.is_empty()) {
            let line = FileLine::from(file);
            writeln!(stdout, "{}", line.path)?;
            writeln!(stdout, "  format    {} ({})", line.format, file.account.reason)?;
            writeln!(stdout, "  text      {}, compression {}", line.encoding, line.compression)?;
            writeln!(stdout, "  zone      {}", line.zone)?;
            writeln!(stdout, "  events    {}, {} of them not understood", line.events, line.unparsed)?;
            if let (Some(first), Some(last)) = (line.first, line.last) {
                writeln!(stdout, "  times     {first} to {last}")?;
            }
            if !line.time_fields.is_empty() {
                writeln!(stdout, "  field     {}", time_fields(&line.time_fields))?;
            }
            if let Some(set) = &line.set {
                writeln!(stdout, "  set       {set}")?;
            }
            for remark in file.account.remarks().iter().filter(|remark| !remark.starts_with("zone: ")) {
                writeln!(stdout, "  note      {remark}")?;
            }
        }
    }
    stdout.flush()?;
    let mut outcome = Outcome::Done;
    for error in found.iter().filter_map(|file| file.error.as_ref()) {
        out::problem(error);
        outcome = Outcome::Unreadable;
    }
    Ok(outcome)
}

/// `published (100 %), or debugContext.at (40 %)`: where the time is read from, and where it could be.
fn time_fields(fields: &[indexer::TimeFieldOption]) -> String {
    let shown: Vec<_> = fields
        .iter()
        .map(|field| format!("{} ({:.0} %)", field.name, f64::from(field.coverage) * 100.0))
        .collect();
    match fields {
        [first, ..] if first.chosen => shown.join(", or "),
        _ => format!("none, but perhaps {}", shown.join(", or ")),
    }
}
