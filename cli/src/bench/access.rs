//! Questions to access logs.

use indexer::aggregate::{By, TermOrder};
use indexer::{Direction, Result};

use super::{BenchRun, Floor};

impl BenchRun {
    pub fn access(&self, floor: &Floor) -> Result<()> {
        let addresses = self.values("client_ip")?;
        let address = |run: usize| &addresses[run % addresses.len()];
        let statuses = ["500", "404", "301", "200"];
        self.row("one IP, whole row", 4.0, 0.0, |run| {
            self.page(&format!("client_ip:{}", address(run)), Direction::OldestFirst, 0.0)
        })?;
        self.row("one IP, typed as plain text", 4.0, 0.0, |run| {
            self.page(address(run), Direction::OldestFirst, 0.0)
        })?;
        self.row("count of a status", 2.0, floor.bytes, |run| {
            self.count(&format!("status:{} line>{run}", statuses[run % 4]))
        })?;
        self.row("a range of bytes", 2.0, floor.words, |run| {
            self.count(&format!("bytes:[{} TO {}]", 4_000 + run, 5_000 + run))
        })?;
        self.row("a list, and what is not", 4.0, floor.bytes, |run| {
            self.count(&format!("status:(500 404 301) NOT method:POST line>{run}"))
        })?;
        self.row("substring in referer", 60.0, 0.0, |run| {
            self.count(&format!("referer:*alker-{}*", 40 + run))
        })?;
        self.row("regex on agent", 20.0, 0.0, |run| {
            self.count(&format!("user_agent:/Firefox\\/1[0-9]\\.[0-9].{{0,{run}}}$/"))
        })?;
        self.row("wildcard on agent", 20.0, 0.0, |run| {
            self.count(&format!("user_agent:*Firefox/1?.?{run}*"))
        })?;
        self.row("top 10 of path", 10.0, floor.words, |run| self.top("path", run))?;
        self.row("top 10 of path, filtered", None, floor.words, |run| {
            let top = By::Terms { field: "path".to_owned(), top: 10, order: TermOrder::Most };
            self.aggregate(&format!("status:{} line>{run}", statuses[run % 4]), vec![top], vec![])
        })?;
        self.row("pipe: top 10 path", 10.0, floor.words, |run| {
            self.pipe(&format!("* | top {} path", 10 + run))
        })?;
        self.row("top 10 of referer", 30.0, floor.words, |run| self.top("referer", run))
    }
}
