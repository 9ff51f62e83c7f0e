//! What a stage is to those that run it.

use super::run::Run;
use super::table::Table;
use base::error::Result;

/// A stage whose rows depend on nothing but themselves. Threads share it.
pub trait RowStep: Send + Sync {
    fn apply(&self, rows: Table, run: &Run<'_>) -> Result<Table>;

    /// Called once before rows come on several threads: what takes other queries is done here.
    fn begin(&self, _run: &Run<'_>) -> Result<()> {
        Ok(())
    }
}

/// A stage that remembers what it saw. Rows come in their order.
pub trait Step {
    /// Takes rows, and hands on what is certain already.
    fn push(&mut self, rows: Table, run: &Run<'_>) -> Result<Option<Table>>;

    /// Everything came: hands on the rest.
    fn finish(&mut self, _run: &Run<'_>) -> Result<Option<Table>> {
        Ok(None)
    }

    /// Whether more rows would change nothing.
    fn is_full(&self) -> bool {
        false
    }
}

/// Keeps whole tables until all have come.
pub struct Kept {
    stage: &'static str,
    tables: Vec<Table>,
    rows: usize,
    bytes: usize,
}

impl Kept {
    pub fn new(stage: &'static str) -> Kept {
        Kept { stage, tables: Vec::new(), rows: 0, bytes: 0 }
    }

    pub fn push(&mut self, table: Table, run: &Run<'_>) -> Result<()> {
        let bytes = table.own_bytes();
        run.budget.take(self.stage, bytes)?;
        self.bytes += bytes;
        self.rows += table.rows();
        self.tables.push(table);
        Ok(())
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    /// All of it as one table. The memory belongs to whoever takes it.
    pub fn take(&mut self, run: &Run<'_>) -> Result<Table> {
        run.budget.take(self.stage, self.bytes)?;
        let table = Table::concat_unless(std::mem::take(&mut self.tables), &|| run.check())?;
        run.budget.give_back(2 * self.bytes);
        (self.rows, self.bytes) = (0, 0);
        Ok(table)
    }
}
