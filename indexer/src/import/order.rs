//! The order of a segment's rows: by time.

use ingest::{Batch, Values};

/// The rows of a segment as positions in its batches. Ties keep the order of source and offset.
pub enum Order {
    /// Batch after batch, with the number of rows of each.
    AsRead(Vec<usize>),
    ByTime(Vec<(u32, u32)>),
}

impl Order {
    /// Sorts the rows of batches, each with its source.
    pub fn by_time(batches: &[(u32, Batch)]) -> Order {
        let key = |batch: usize, row: usize| {
            let (source, events) = &batches[batch];
            (events.time[row], *source, events.chunk.offset + u64::from(events.start[row]))
        };
        // Most logs are in order already, and a check is much cheaper than sorting.
        let mut last = None;
        let sorted = batches.iter().enumerate().all(|(index, (_, batch))| {
            (0..batch.rows()).all(|row| {
                let this = Some(key(index, row));
                last.replace(this) < Some(this)
            })
        });
        let as_read = Order::AsRead(batches.iter().map(|(_, batch)| batch.rows()).collect());
        if sorted {
            return as_read;
        }
        let mut order = Vec::with_capacity(as_read.rows());
        as_read.for_each(|batch, row| order.push((batch as u32, row as u32)));
        order.sort_unstable_by_key(|&(batch, row)| key(batch as usize, row as usize));
        Order::ByTime(order)
    }

    fn rows(&self) -> usize {
        match self {
            Order::AsRead(batches) => batches.iter().sum(),
            Order::ByTime(places) => places.len(),
        }
    }

    /// Calls `each` with every row's batch and its row there.
    pub fn for_each(&self, mut each: impl FnMut(usize, usize)) {
        match self {
            Order::AsRead(batches) => {
                for (batch, &rows) in batches.iter().enumerate() {
                    (0..rows).for_each(|row| each(batch, row));
                }
            }
            Order::ByTime(places) => {
                for &(batch, row) in places {
                    each(batch as usize, row as usize);
                }
            }
        }
    }

    /// Gathers the values of all rows from the batches.
    pub fn collect<T: Copy>(
        &self,
        columns: &[Vec<&Values>],
        missing: T,
        value: impl Fn(&Values, usize) -> Option<T>,
    ) -> Vec<T> {
        let mut found = Vec::with_capacity(self.rows());
        self.for_each(|batch, row| {
            found.push(columns[batch].iter().find_map(|values| value(values, row)).unwrap_or(missing));
        });
        found
    }
}
