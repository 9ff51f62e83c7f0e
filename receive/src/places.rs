//! Places for connections, of a limited number. When all are taken, a newcomer gets that of the connection which is silent
//! longest, of the address that has most of them: idle connections shut nobody out, and no address shuts out others.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use indexer::Cancel;
use tokio::sync::Notify;

/// The places of a listener.
#[derive(Debug)]
pub struct Places {
    most: usize,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    connections: u64,
    by_connection: BTreeMap<u64, Connection>,
}

#[derive(Debug)]
struct Connection {
    from: IpAddr,
    heard: Instant,
    /// What it sent is being worked on.
    is_busy: bool,
    revoked: Arc<Revoked>,
}

#[derive(Debug, Default)]
struct Revoked {
    flag: Cancel,
    /// Wakes who waits for it.
    wakes: Notify,
}

/// The place of a connection, until it is dropped.
#[derive(Debug)]
pub struct Place {
    places: Arc<Places>,
    connection: u64,
    revoked: Arc<Revoked>,
}

/// A connection's work, until it is dropped. Meanwhile its place is not given to another one.
#[derive(Debug)]
pub struct Busy(Arc<Place>);

impl Places {
    #[must_use]
    pub fn new(most: usize) -> Arc<Places> {
        Arc::new(Places { most, taken: Mutex::default() })
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a connection; nothing where all others are busy, or of addresses that have fewer.
    #[must_use]
    pub fn take(self: &Arc<Places>, from: IpAddr) -> Option<Place> {
        let mut taken = self.taken();
        if taken.by_connection.len() >= self.most {
            let silent = taken.silent_longest(from)?;
            let revoked = taken.by_connection.remove(&silent)?.revoked;
            revoked.flag.set();
            revoked.wakes.notify_one();
        }
        taken.connections += 1;
        let (connection, revoked) = (taken.connections, Arc::<Revoked>::default());
        let entry = Connection { from, heard: Instant::now(), is_busy: false, revoked: Arc::clone(&revoked) };
        taken.by_connection.insert(connection, entry);
        Some(Place { places: Arc::clone(self), connection, revoked })
    }
}

impl Taken {
    /// The connection that gives its place to a newcomer.
    fn silent_longest(&self, newcomer: IpAddr) -> Option<u64> {
        let mut counts: HashMap<IpAddr, usize> = HashMap::new();
        for connection in self.by_connection.values() {
            *counts.entry(connection.from).or_default() += 1;
        }
        let own = counts.get(&newcomer).copied().unwrap_or_default();
        let idle = self.by_connection.iter().filter(|(_, connection)| !connection.is_busy);
        let most = idle.max_by_key(|(number, connection)| {
            // Of those that were heard at the same time, the oldest.
            let silence = std::cmp::Reverse((connection.heard, **number));
            (counts.get(&connection.from).copied().unwrap_or_default(), silence)
        });
        let (number, connection) = most?;
        (counts.get(&connection.from).copied().unwrap_or_default() >= own).then_some(*number)
    }
}

impl Place {
    /// Whether it was given to another connection. This one is to end with what was received.
    #[must_use]
    pub fn is_revoked(&self) -> bool {
        self.revoked.flag.is_set()
    }

    /// Waits until it is given to another connection.
    pub async fn revoked(&self) {
        self.revoked.wakes.notified().await;
    }

    /// The connection has sent something.
    pub fn heard(&self) {
        self.set(false);
    }

    fn set(&self, is_busy: bool) {
        if let Some(connection) = self.places.taken().by_connection.get_mut(&self.connection) {
            (connection.is_busy, connection.heard) = (is_busy, Instant::now());
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.taken().by_connection.remove(&self.connection);
    }
}

impl Busy {
    #[must_use]
    pub fn new(place: &Arc<Place>) -> Busy {
        place.set(true);
        Busy(Arc::clone(place))
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.set(false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> IpAddr {
        IpAddr::from([10, 0, 0, last])
    }

    #[test]
    fn newcomer_gets_the_place_that_is_silent_longest() {
        let places = Places::new(3);
        let [first, second, third] = [0; 3].map(|_| places.take(address(1)).expect("a place"));
        first.heard();
        let fourth = places.take(address(1)).expect("the place of the second one");
        assert!(second.is_revoked() && !first.is_revoked() && !third.is_revoked());
        drop(second);
        let busy = [first, third, fourth].map(|place| Busy::new(&Arc::new(place)));
        assert!(places.take(address(1)).is_none(), "all are busy");
        drop(busy);
        assert!(places.take(address(1)).is_some());
    }

    #[test]
    fn no_address_shuts_out_others() {
        let places = Places::new(4);
        let other = places.take(address(2)).expect("a place");
        let mut many: Vec<Place> = (0..20).map(|_| places.take(address(1)).expect("a place")).collect();
        // All but its newest three have given their places to those that followed.
        assert_eq!(many.iter().filter(|place| !place.is_revoked()).count(), 3);
        assert!(!other.is_revoked(), "it is silent longest, but its address has one place only");
        let next = places.take(address(3)).expect("a place of the first address");
        assert!(many.pop().is_some_and(|place| !place.is_revoked()) && !other.is_revoked());
        // Where the busy ones are of the address with most, others keep theirs from it.
        let busy: Vec<Busy> = many.drain(16..).map(|place| Busy::new(&Arc::new(place))).collect();
        let last = places.take(address(1));
        assert!(!next.is_revoked() && !other.is_revoked());
        drop((busy, last));
    }
}
