//! Questions to JSON lines of services.

use std::hint::black_box;

use indexer::{Cancel, Direction, Result};

use super::{BenchRun, Floor};

/// A different one for each run.
const PHRASES: [&str; 10] = [
    "connection reset by peer",
    "cannot keep up",
    "unexpected null value",
    "rate limit reached",
    "while waiting for response",
    "with reason code",
    "database is read only",
    "percent of capacity",
    "refreshed token for session",
    "parsed request body",
];
const WORDS: [&str; 10] = [
    "upstream",
    "order",
    "capacity",
    "warehouse",
    "document",
    "session",
    "payment",
    "tenant",
    "records",
    "cache",
];

impl BenchRun {
    pub fn json(&self, floor: &Floor) -> Result<()> {
        let traces = self.values("trace_id")?;
        let services = self.values("service")?;
        let levels = ["error", "warn", "info", "debug"];
        self.row("trace id", 2.0, 0.0, |run| {
            self.page(&format!("trace_id:{}", traces[run % traces.len()]), Direction::OldestFirst, 0.0)
        })?;
        self.row("level and service", 2.0, floor.bytes, |run| {
            let service = &services[run % services.len()];
            self.count(&format!("level:{} service:{service} line>{run}", levels[run % 4]))
        })?;
        self.row("substring in message", 90.0, 0.0, |run| {
            self.count(&format!(r"message:*eer\ from\ up{}*", &"stream"[..run.min(6)]))
        })?;
        self.row("regex on message", 120.0, 0.0, |run| {
            self.count(&format!("message:/retry [{}-5] of [5{run}]/", 1 + run % 5))
        })?;
        self.row("regex of what most messages have", None, 0.0, |run| {
            self.count(&format!("message:/user [0-9]{{1,{}}} .*from/", 3 + run))
        })?;
        self.row("phrase", 15.0, 0.0, |run| self.count(&format!("\"{}\"", PHRASES[run % PHRASES.len()])))?;
        self.row("common word", 2.0, 0.0, |run| self.count(WORDS[run % WORDS.len()]))?;
        self.row("fuzzy word", 20.0, 0.0, |run| {
            let (start, end) = WORDS[run % WORDS.len()].split_at(3);
            self.count(&format!("{start}{}~", &end[1..]))
        })?;
        self.row("completion of a word", 10.0, 0.0, |run| {
            let typed = &WORDS[run % WORDS.len()][..3];
            black_box(self.case.complete(&self.snapshot, typed, typed.len(), &Cancel::default()));
            Ok(())
        })?;
        self.row("top 10 of host", 5.0, floor.words, |run| self.top("host", run))
    }
}
