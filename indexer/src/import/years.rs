//! Revises the years of sources when all files are known: a file whose times have no year may have been dated
//! by its last change alone; neighbouring files, or its own end, give better evidence.

use ingest::Settler;

use super::landing::Years;
use super::progress::Reporter;
use super::read::Input;
use super::{ImportOptions, land_all};
use crate::tune::Plan;
use crate::writing::Writing;
use base::Cancel;
use base::error::Result;

/// The year that a source belongs to, with the reason, where it is not the one it was given. The settler is as it
/// began, `by_end` is the year with which it would end in time, and `seen` are the years of the neighbouring files.
pub fn better_year(settler: &Settler, by_end: Option<i16>, seen: &[i16]) -> Option<(i16, &'static str)> {
    let mut settler = settler.clone();
    let before = settler.first_year();
    settler.consider_neighbours(seen);
    let year = i16::try_from(settler.first_year()).ok()?;
    if i32::from(year) == before {
        by_end.map(|year| (year, "the latest year with which it ends before its last change"))
    } else {
        Some((year, "as in the neighbouring files"))
    }
}

/// Reads sources with a wrong year again from their stored bytes.
pub fn look_again(
    writing: &mut Writing<'_>,
    years: &Years,
    (options, plan): (&ImportOptions, &Plan),
    cancel: &Cancel,
) -> Result<()> {
    let seen: Vec<i16> = years.seen.iter().copied().collect();
    let mut inputs = Vec::new();
    for yearless in &years.yearless {
        let Some((year, reason)) = better_year(&yearless.settler, yearless.better, &seen) else { continue };
        let Some(entry) = writing.manifest.sources.get(yearless.source as usize) else { continue };
        let chosen = ingest::Options {
            year: Some(year),
            year_reason: Some(reason.to_owned()),
            ..entry.reading.under(&options.ingest)
        };
        inputs.push(Input::Stored { source: yearless.source, options: Box::new(chosen) });
    }
    if inputs.is_empty() {
        return Ok(());
    }
    let files = inputs.iter().map(|_| Default::default()).collect::<Vec<_>>();
    let quiet = |_| {};
    let mut reporter = Reporter::new(files.into_iter(), &quiet);
    let (_, failure) = land_all(writing, &inputs, (options, plan), &mut reporter, cancel);
    failure.map_or(Ok(()), Err)
}
