//! Which requests wait for others of their kind. Searches, waits for a refresh and the trees that OTLP becomes have places
//! of their own: none of them takes the threads that append, and each is served in the order in which it came.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::answer::Problem;
use super::limits::{REFRESHES, SEARCHES, TREE_BYTES};
use super::request::Head;
use crate::otlp;

/// Trees are counted in units of so many bytes.
const TREE_UNIT: usize = 1 << 10;

#[derive(Debug)]
pub struct Queues {
    searches: Arc<Semaphore>,
    refreshes: Arc<Semaphore>,
    trees: Arc<Semaphore>,
}

impl Default for Queues {
    fn default() -> Queues {
        let queue = |places| Arc::new(Semaphore::new(places));
        Queues {
            searches: queue(SEARCHES),
            refreshes: queue(REFRESHES),
            trees: queue(TREE_BYTES / TREE_UNIT),
        }
    }
}

/// A place in a queue, until it is dropped. Requests that are over at once need none.
pub type QueuePlace = Option<OwnedSemaphorePermit>;

impl Queues {
    /// Waits for the place that a request needs.
    pub async fn enter(&self, head: &Head, body: &[u8]) -> Result<QueuePlace, Problem> {
        let segments: Vec<&str> = head.segments.iter().map(String::as_str).collect();
        match segments[..] {
            [.., "_search" | "_msearch" | "_count"] | ["_search", "scroll", ..] => {
                Ok(Arc::clone(&self.searches).acquire_owned().await.ok())
            }
            ["v1", "logs"] => {
                let bytes = otlp::tree_bytes(head, body);
                if bytes > TREE_BYTES {
                    return Err(Problem::too_large("the body has too many values; send it in parts"));
                }
                let units = bytes.div_ceil(TREE_UNIT) as u32;
                Ok(Arc::clone(&self.trees).acquire_many_owned(units).await.ok())
            }
            [.., "_refresh"] => Ok(self.refresh().await),
            _ if head.parameter("refresh").is_some() => Ok(self.refresh().await),
            _ => Ok(None),
        }
    }

    /// Waits for a place to wait for a refresh in.
    pub async fn refresh(&self) -> QueuePlace {
        Arc::clone(&self.refreshes).acquire_owned().await.ok()
    }
}
