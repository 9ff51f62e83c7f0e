//! Reads sources of a case again in another way, from their stored bytes.

use crate::case::Case;
use crate::import::{self, ImportOptions, ImportReport, Progress};
use crate::writing::{Purpose, Writing};
use base::Cancel;
use base::error::{Error, ErrorKind, Result};
use store::Snapshot;
use store::{Account, Accounts, SourceEntry};

impl Case {
    /// Reads text that has no file into the case, as a source of this name. `now_ns` is when it came: times without
    /// a year or a day are near to it.
    pub fn paste(
        &self,
        (name, text): (&str, &str),
        now_ns: Option<i64>,
        options: &ImportOptions,
        report: &dyn Fn(Progress),
        cancel: &Cancel,
    ) -> Result<ImportReport> {
        self.write(Purpose::Add, |writing| {
            import::paste(writing, (name, text), now_ns, options, report, cancel)
        })
    }

    /// Reads stored sources again in another way, without the original files. What was read before
    /// stays until all of a source is there again. The options' choices go on top of those made before.
    pub fn reread(
        &self,
        sources: &[u32],
        options: &ImportOptions,
        report: &dyn Fn(Progress),
        cancel: &Cancel,
    ) -> Result<ImportReport> {
        self.write(Purpose::Rewrite, |writing| {
            let chosen = sources.iter().map(|&source| {
                let entry = entry(writing, source)?;
                Ok((source, entry.reading.under(&options.ingest)))
            });
            let chosen = chosen.collect::<Result<_>>()?;
            import::reread(writing, chosen, options, report, cancel)
        })
    }

    /// Sets the zone of a source's times without one, and what is added to every time. Nothing of the originals
    /// is needed; `None` leaves what was chosen before.
    pub fn adjust(
        &self,
        sources: &[u32],
        zone: Option<&str>,
        clock_offset_ns: Option<i64>,
        report: &dyn Fn(Progress),
        cancel: &Cancel,
    ) -> Result<ImportReport> {
        self.write(Purpose::Rewrite, |writing| {
            let chosen = sources.iter().map(|&source| {
                let entry = entry(writing, source)?;
                let before = entry.reading.under(&ingest::Options::default());
                let options = ingest::Options {
                    zone: zone.map(str::to_owned).or(before.zone.clone()),
                    clock_offset_ns: clock_offset_ns.unwrap_or(before.clock_offset_ns),
                    // The format stays, whatever another reading of the sample would say.
                    format: Some(entry.format.clone()),
                    encoding: Some(entry.encoding.clone()),
                    ..before
                };
                Ok((source, options))
            });
            let chosen = chosen.collect::<Result<_>>()?;
            import::reread(writing, chosen, &ImportOptions::default(), report, cancel)
        })
    }

    /// What was found out about a source while it was read; nothing in cases of earlier versions.
    pub fn account(&self, snapshot: &Snapshot, source: u32) -> Result<Option<Account>> {
        let Some(number) = snapshot.sources().get(source as usize).and_then(|source| source.account) else {
            return Ok(None);
        };
        Ok(Accounts::read(self.folder(), number)?.of.remove(&source))
    }
}

fn entry<'w>(writing: &'w Writing<'_>, source: u32) -> Result<&'w SourceEntry> {
    let entry = writing.manifest.sources.get(source as usize).filter(|entry| !entry.deleted);
    entry.ok_or_else(|| {
        let message = format!("there is no source {source} in this case");
        Error::new(ErrorKind::BadRequest, message).at(writing.folder())
    })
}
