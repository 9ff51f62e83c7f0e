//! What only the order of a source can tell: the years of year-less times, and the times of events
//! without one.

use crate::batch::{Batch, NO_TIME};
use crate::time::year::{Years, is_yearless, starting_year};
use crate::time::zone::Zone;

/// Settles the batches of one source, in its order. Until then a year-less time stands in a provisional
/// year, and an event without a time has none.
#[derive(Clone)]
pub struct Settler {
    years: Years,
    carried: i64,
}

impl Settler {
    /// From the times of the sample as parsed. Lines before the first time get that time: they are the
    /// heading of what follows.
    pub(crate) fn new(sample: &[i64], year: Option<i16>, modified_ns: Option<i64>, zone: &Zone) -> Settler {
        let year = year.map_or_else(|| starting_year(sample, modified_ns, zone), i32::from);
        let years = Years::starting(year, zone.clone());
        let first = sample.iter().copied().find(|&time| time != NO_TIME).unwrap_or(NO_TIME);
        let carried = if is_yearless(first) { years.clone().resolve(first) } else { first };
        Settler { years, carried }
    }

    /// Gives every row its final time. Call it once for each batch of the source, in order.
    pub fn settle(&mut self, batch: &mut Batch) {
        for time in &mut batch.time {
            if *time == NO_TIME {
                *time = self.carried;
                continue;
            }
            if is_yearless(*time) {
                *time = self.years.resolve(*time);
            }
            self.carried = *time;
        }
    }
}
