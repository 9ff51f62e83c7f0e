//! Estimates an import on this machine, for each profile: the first bytes of its files are imported into
//! temporary cases on the disk of the case.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ingest::InputFile;

use serde::Serialize;

use super::{PreviewRequest, Sample, preview};
use crate::case::Case;
use crate::import::{ImportOptions, Stage, StageName};
use crate::tune::{Host, Overrides};
use base::Cancel;
use base::error::{AtPath, Error, ErrorKind, Result};
use base::limits::{
    LEAST_ROOM_TO_MEASURE, MOST_RESERVED_BYTES, RESERVED_SHARE, UNNOTICED_PART, USUAL_EXPANSION,
};
use store::{Profile, folder_bytes};

/// The estimate of an import on this machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Estimate {
    pub bytes_in: u64,
    /// By profile, from the least to the most; only those that were asked for, and none where nothing can be read.
    pub profiles: Vec<ProfileCost>,
    /// Free on the disk of the case, and what of it is kept in reserve.
    pub free_bytes: u64,
    pub reserve_bytes: u64,
}

/// The estimate of an import in one profile.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ProfileCost {
    pub profile: Profile,
    /// The whole import: duration and size on disk.
    pub seconds: f64,
    pub bytes_on_disk: u64,
    /// What the sample took: of the processor for a gigabyte (nothing where the system does not tell), and on the disk
    /// for a byte.
    pub cpu_seconds_a_gb: f64,
    pub bytes_a_byte: f64,
    /// Whether a case of this profile fits above the reserve; where not, an import needs `beyond_reserve`.
    pub fits: bool,
}

/// What an import may take: what is free above the reserve, and in any case so little that no disk gets fuller by it.
fn usable(free_bytes: u64, reserve_bytes: u64) -> u64 {
    free_bytes.saturating_sub(reserve_bytes).max(free_bytes / UNNOTICED_PART)
}

/// Measures the profiles that come into question with these samples. `own` is that of the case, if it has one.
pub fn estimate(
    case: &Path,
    samples: &[Sample],
    request: &PreviewRequest,
    own: Option<Profile>,
    cancel: &Cancel,
) -> Result<Estimate> {
    let folder = existing(case);
    let (free_bytes, reserve_bytes) = room(&folder)?;
    let bytes_in: u64 = samples.iter().map(|sample| sample.total).sum();
    // Where the case's own disk is full or cannot be written, only the place of the measurement differs.
    let place = match free_bytes {
        ..LEAST_ROOM_TO_MEASURE => tempfile::tempdir(),
        _ => tempfile::tempdir_in(&folder).or_else(|_| tempfile::tempdir()),
    };
    let place = place.at_path(&folder)?;
    let mut paths = Vec::new();
    let mut measured = 0;
    for (number, sample) in samples.iter().enumerate().filter(|(_, sample)| !sample.bytes.is_empty()) {
        let path = place.path().join(number.to_string());
        fs::write(&path, &sample.bytes).at_path(&path)?;
        measured += sample.bytes.len() as u64;
        paths.push(path);
    }
    let asked = request.profile.or(own).map_or_else(|| Profile::ALL.to_vec(), |profile| vec![profile]);
    let mut profiles = Vec::new();
    // Compressed as the whole import would be, and not published before the end: how far a sample is by then depends on
    // what else the machine does, and the size on it.
    let plan = crate::import::plan(place.path(), bytes_in, &ImportOptions::default());
    let tune = Overrides { level: Some(plan.level), publication_ms: Some(u64::MAX), ..Overrides::default() };
    for profile in asked.into_iter().filter(|_| !paths.is_empty()) {
        let left = usable(free_bytes, reserve_bytes);
        let trial =
            Trial { place: place.path(), paths: &paths, measured, ingest: &request.options, tune, left };
        profiles.push(trial.cost(profile, bytes_in, cancel)?);
    }
    Ok(Estimate { bytes_in, profiles, free_bytes, reserve_bytes })
}

/// A sample that is imported for the measurement.
struct Trial<'a> {
    place: &'a Path,
    paths: &'a [PathBuf],
    measured: u64,
    ingest: &'a ingest::Options,
    tune: Overrides,
    /// What the import may take.
    left: u64,
}

impl Trial<'_> {
    fn cost(&self, profile: Profile, bytes_in: u64, cancel: &Cancel) -> Result<ProfileCost> {
        let case = Case::create(&self.place.join(format!("{}.case", profile.name())))?;
        let options = ImportOptions {
            ingest: self.ingest.clone(),
            profile: Some(profile),
            beyond_reserve: true,
            tune: self.tune,
            ..ImportOptions::default()
        };
        let done = case.import(self.paths, &options, &|_| {}, cancel)?;
        if cancel.is_set() {
            return Err(Error::cancelled());
        }
        let measured = self.measured.max(1) as f64;
        let scale = (bytes_in as f64 / measured).max(1.0);
        let sample = (done.indexed + done.landed).as_secs_f64();
        let on_disk = folder_bytes(case.folder()) as f64;
        let cpu: Duration = done.stages.iter().map(|stage| stage.cpu).sum();
        Ok(ProfileCost {
            profile,
            // A small sample mostly measures the fixed costs, such as waiting for the disk.
            seconds: sample + steady(&done.stages).unwrap_or(sample) * (scale - 1.0),
            bytes_on_disk: (on_disk * scale) as u64,
            fits: (on_disk * scale) as u64 <= self.left,
            cpu_seconds_a_gb: cpu.as_secs_f64() / measured * 1e9,
            bytes_a_byte: on_disk / measured,
        })
    }
}

/// The time that as much once more would take: the stages of landing run in parallel on the available cores
/// are, and indexing follows. Nothing where the system does not tell what they took.
fn steady(stages: &[Stage]) -> Option<f64> {
    let cores = Host::look(&Overrides::default()).usable_cores as f64;
    let alone = |stage: &Stage| stage.cpu.as_secs_f64() / (stage.threads.max(1) as f64).min(cores);
    let (indexing, landing): (Vec<Stage>, Vec<Stage>) =
        stages.iter().partition(|stage| stage.name == StageName::Index);
    let together = landing.iter().map(|stage| stage.cpu.as_secs_f64()).sum::<f64>() / cores;
    let slowest = landing.iter().map(alone).fold(together, f64::max);
    let all = slowest + indexing.iter().map(alone).sum::<f64>();
    (all > 0.0).then_some(all)
}

/// The folder itself, or the nearest above it that is there.
fn existing(folder: &Path) -> PathBuf {
    let mut folder = folder.to_path_buf();
    while !folder.is_dir() {
        folder = match folder.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
            _ => return PathBuf::from("."),
        };
    }
    folder
}

/// What is free on the disk of a folder, and what of that is kept in reserve.
fn room(folder: &Path) -> Result<(u64, u64)> {
    let free = fs4::available_space(folder).at_path(folder)?;
    Ok((free, reserve(fs4::total_space(folder).at_path(folder)?)))
}

fn reserve(total_bytes: u64) -> u64 {
    ((total_bytes as f64 * RESERVED_SHARE) as u64).min(MOST_RESERVED_BYTES)
}

/// Refuses an import that would reach into the reserve. Where it surely fits nothing is measured.
pub fn check_room(case: &Path, profile: Profile, paths: &[PathBuf], options: &ImportOptions) -> Result<()> {
    let (free_bytes, reserve_bytes) = room(&existing(case))?;
    let left = usable(free_bytes, reserve_bytes);
    let most = |found: &InputFile| found.bytes.saturating_mul(USUAL_EXPANSION);
    let files = ingest::discover_some(paths, &options.filter).files;
    if files.iter().map(most).fold(0, u64::saturating_add) <= left {
        return Ok(());
    }
    let request = PreviewRequest {
        paths: paths.to_vec(),
        filter: options.filter.clone(),
        left_out: options.left_out.clone(),
        options: options.ingest.clone(),
        profile: Some(profile),
        ..PreviewRequest::default()
    };
    let estimate = preview(case, &request, &Cancel::default())?.estimate;
    let Some(cost) = estimate.profiles.iter().find(|cost| !cost.fits) else {
        return Ok(());
    };
    let message = format!(
        "it would take about {} MB, and {} MB may be used with a reserve of {} MB; nothing was imported",
        cost.bytes_on_disk >> 20,
        left >> 20,
        reserve_bytes >> 20
    );
    Err(Error::new(ErrorKind::DiskFull, message)
        .at(case)
        .hint("free some space, or import all the same with --beyond-reserve"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserve_grows_with_the_disk_up_to_its_limit() {
        assert_eq!(reserve(100 << 30), 5 << 30);
        // A case of 6.3 GB fits where 40 of 252 GB are free.
        assert_eq!(reserve(252 << 30), 10 << 30);
        assert!(usable(40 << 30, reserve(252 << 30)) > 6_300_000_000);
        assert_eq!(usable(1 << 30, reserve(252 << 30)), (1 << 30) / UNNOTICED_PART);
    }
}
