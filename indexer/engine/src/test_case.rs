//! A case for tests: written by the crate above, read by the engine under test.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use base::{Cancel, Result};
use indexer::{Case, ImportReport, Overrides, Progress, Verification};
pub use indexer::{ImportOptions, definitions};
use store::{Manifest, Snapshot};

use crate::Engine;

#[derive(Debug)]
pub struct TestCase {
    written: Case,
    engine: Engine,
    snapshot: Mutex<Arc<Snapshot>>,
}

impl TestCase {
    pub fn create(folder: &Path) -> Result<TestCase> {
        TestCase::new(Case::create(folder)?)
    }

    pub fn open(folder: &Path) -> Result<TestCase> {
        TestCase::new(Case::open(folder)?)
    }

    fn new(written: Case) -> Result<TestCase> {
        let engine = Engine::new(written.folder());
        let manifest = Manifest::read(written.folder())?;
        let snapshot = Mutex::new(Arc::new(Snapshot::load(manifest, &[], engine.shared())));
        Ok(TestCase { written, engine, snapshot })
    }

    /// Imports in one segment where it fits in one, however slow the machine is.
    pub fn import(
        &self,
        paths: &[PathBuf],
        options: &ImportOptions,
        report: &dyn Fn(Progress),
        cancel: &Cancel,
    ) -> Result<ImportReport> {
        let tune = Overrides { publication_ms: Some(3_600_000), ..options.tune };
        self.written.import(paths, &ImportOptions { tune, ..options.clone() }, report, cancel)
    }

    pub fn verify(&self, cancel: &Cancel) -> Verification {
        self.written.verify(cancel)
    }

    pub fn snapshot(&self) -> Arc<Snapshot> {
        let mut known = self.snapshot.lock().unwrap_or_else(PoisonError::into_inner);
        if known.revision() != self.written.snapshot().revision() {
            let manifest = Manifest::read(self.written.folder()).expect("a manifest");
            *known = Arc::new(Snapshot::load(manifest, &known.segments, self.engine.shared()));
        }
        Arc::clone(&known)
    }
}

impl Deref for TestCase {
    type Target = Engine;

    fn deref(&self) -> &Engine {
        &self.engine
    }
}

/// Numbers that are the same in every run.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ mixed >> 31) % limit.max(1)
    }
}
