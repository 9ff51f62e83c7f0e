//! Questions to JSON lines of services.

use indexer::Direction;

use crate::{Bench, Floor};

impl Bench {
    pub fn json(&self, floor: &Floor) {
        let traces = self.values("trace_id");
        let services = self.values("service");
        let levels = ["error", "warn", "info", "debug"];
        self.row("trace id", 4.0, 0.0, |run| {
            self.page(&format!("trace_id:{}", traces[run % traces.len()]), Direction::OldestFirst, 0.0);
        });
        self.row("level and service", 2.0, floor.bytes, |run| {
            let service = &services[run % services.len()];
            self.count(&format!("level:{} service:{service} line>{run}", levels[run % 4]));
        });
        self.row("substring in message", 90.0, 0.0, |run| {
            self.count(&format!("message:*eer from up{}*", &"stream"[..run.min(6)]));
        });
        self.row("regex on message", 120.0, 0.0, |run| {
            self.count(&format!("message:/retry [{}-5] of [5{run}]/", 1 + run % 5));
        });
        self.row("regex of what most messages have", None, 0.0, |run| {
            self.count(&format!("message:/user [0-9]{{1,{}}} .*from/", 3 + run));
        });
        self.row("phrase", 15.0, 0.0, |run| {
            self.count(["\"connection reset by peer\"", "\"lags behind\"", "\"is at 33 percent\""][run % 3]);
        });
        self.row("common word", 2.0, 0.0, |run| {
            self.count(["upstream", "user", "request", "from", "after", "of"][run % 6]);
        });
        self.shared(floor, "service", "duration_ms", |run| {
            format!("level:{} duration_ms>{run}", levels[run % 4])
        });
        self.row("top 10 of host", 5.0, floor.words, |run| self.top("host", run));
    }
}
