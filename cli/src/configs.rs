//! `timberline configs`: what production needs to take a source as Timberline reads it.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use clap::Args;
use indexer::query::nearest;
use indexer::{Case, Error, ErrorKind, Snapshot, duration};
use remote::{Client, Learned, Lifetime, Remotes};

use crate::Outcome;
use crate::{out, remotes};

const DAY_NS: i64 = 86_400_000_000_000;

#[derive(Args)]
pub struct Configs {
    /// The case's folder
    pub case: PathBuf,
    /// Name of the source, where the case has several
    #[arg(long, value_name = "NAME")]
    pub source: Option<String>,
    /// The folder that the files are written to; files of these names are replaced
    #[arg(long, value_name = "DIR")]
    pub to: PathBuf,
    /// Name of the data stream, the pipeline and the policy (default: after the source)
    #[arg(long, value_name = "NAME")]
    pub index: Option<String>,
    /// How long events are kept
    #[arg(long, value_name = "DURATION", default_value = "30d")]
    pub keep: String,
    /// Time until an index is no longer written to
    #[arg(long, value_name = "DURATION", default_value = "3d")]
    pub hot: String,
    /// Time that it is searched often from then on
    #[arg(long, value_name = "DURATION", default_value = "7d")]
    pub warm: String,
    /// Run the ingest pipeline on the source's own lines at this cluster, without storing anything: remote:NAME
    #[arg(long, value_name = "REMOTE")]
    pub check: Option<String>,
    /// Write the files even if they read fewer than 99 % of the lines that they were not learned from; exit code 1
    #[arg(long)]
    pub accept_partial: bool,
}

/// Letters of a line that is not read; the rest is cut.
const SHOWN_LETTERS: usize = 200;

pub fn run(arguments: &Configs) -> Result<Outcome> {
    let case = Case::open(&arguments.case)?;
    let snapshot = case.snapshot();
    let source = source(&snapshot, arguments.source.as_deref())?;
    let lifetime = Lifetime {
        hot_days: days(&arguments.hot)?,
        warm_days: days(&arguments.warm)?,
        keep_days: days(&arguments.keep)?,
    };
    let cancel = remotes::interrupted()?;
    let mut learned = Learned::new(&case, &snapshot, source, &cancel)?;
    let index = match &arguments.index {
        Some(name) => name.clone(),
        None => index_name(&snapshot.sources()[source as usize].name),
    };
    remote::check_index(&index)?;
    if !learned.held_out().is_enough() {
        for line in &learned.held_out().failing {
            let shown: String = line.lines().next().unwrap_or_default().chars().take(SHOWN_LETTERS).collect();
            let cut = if shown.len() < line.len() { "…" } else { "" };
            out::say(&format!("not read: {shown}{cut}"));
        }
        if !arguments.accept_partial {
            let error = Error::new(ErrorKind::BadRequest, learned.description());
            return Err(error
                .hint("nothing was written; --accept-partial writes files that read some lines only")
                .into());
        }
    }
    if let Some(to) = &arguments.check {
        let name = Remotes::name_in(to).ok_or_else(|| {
            Error::new(ErrorKind::BadRequest, format!("\"{to}\" is not a cluster"))
                .hint("write it as remote:NAME; timberline remote list shows them")
        })?;
        let listed = Remotes::read(&wire::home())?;
        let client = Arc::new(Client::new(listed.get(name)?, remotes::options(None)?, &cancel)?);
        let share = learned.check(&client, to)?;
        for (field, times) in &share.different {
            out::say(&format!("{field} differs in {times} of {} lines", share.lines));
        }
    }
    let files = learned.configurations(&case, &snapshot, &index, lifetime)?;
    fs::create_dir_all(&arguments.to)
        .with_context(|| format!("{} cannot be created", arguments.to.display()))?;
    for file in &files {
        let path = arguments.to.join(file.name);
        indexer::export::replaced(&path, &mut |to| {
            to.write_all(file.text.as_bytes()).map_err(|error| Error::writing(&path, &error))
        })?;
    }
    out::say(&learned.description());
    out::say(&format!("{} files are in {}", files.len(), arguments.to.display()));
    Ok(if learned.held_out().is_enough() { Outcome::Done } else { Outcome::Unreadable })
}

/// The source of this name; the only one where none is named.
fn source(snapshot: &Snapshot, name: Option<&str>) -> Result<u32> {
    let kept: Vec<(u32, &str)> = (0..)
        .zip(snapshot.sources())
        .filter(|(_, source)| !source.deleted)
        .map(|(id, source)| (id, source.name.as_str()))
        .collect();
    let names = || kept.iter().map(|(_, name)| *name);
    let listed = || format!("its sources are {}", names().collect::<Vec<_>>().join(", "));
    let error = match (name, kept.as_slice()) {
        (None, [(only, _)]) => return Ok(*only),
        (None, []) => Error::new(ErrorKind::BadRequest, "the case has no source"),
        (None, _) => Error::new(ErrorKind::BadRequest, "the case has several sources")
            .hint(format!("name one with --source: {}", listed())),
        (Some(name), _) => {
            if let Some((id, _)) = kept.iter().find(|(_, known)| *known == name) {
                return Ok(*id);
            }
            let error = Error::new(ErrorKind::BadRequest, format!("the case has no source \"{name}\""));
            match nearest(name, names()) {
                Some(near) => error.hint(format!("did you mean \"{near}\"?")),
                None => error.hint(listed()),
            }
        }
    };
    Err(error.into())
}

fn days(text: &str) -> Result<u32> {
    let whole = duration::parse(text).filter(|ns| *ns >= 0).and_then(|ns| u32::try_from(ns / DAY_NS).ok());
    whole.ok_or_else(|| {
        let error = Error::new(ErrorKind::BadRequest, format!("\"{text}\" is not a number of days"));
        error.hint("write it as 30d").into()
    })
}

/// A name that an index can have.
fn index_name(source: &str) -> String {
    let lower = source.to_lowercase();
    let allowed = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    let name: String = lower.chars().map(allowed).take(60).collect();
    format!("logs-{}", name.trim_matches('-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_names_are_made_of_what_they_may_have() {
        assert_eq!(index_name("Access.log"), "logs-access-log");
        assert_eq!(index_name("../Ünï/app 1.log.gz"), "logs-n--app-1-log-gz");
        for name in ["Access.log", "../Ünï/app 1.log.gz"] {
            assert!(remote::check_index(&index_name(name)).is_ok(), "{name}");
        }
    }
}
