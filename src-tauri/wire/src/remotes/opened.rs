//! The clusters that are open, with what is kept of them: the connection, the last listings, and which document each
//! event is.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex};

use indexer::{Cancel, EventId, Nanos, Profile, SortBy};
use remote::{Asked, Cluster, IndexCount, Listing, Options, Overview, Remote, RemoteEvent, Remotes};

use crate::calls::Answer;
use crate::readings::Reading;
use crate::session::{Call, Session, locked};
use crate::types::{CaseSummary, ErrorCode, RemoteCaseMark, Source, WireError};

/// Listings that are kept: the list in both directions, and those of other windows.
const LISTINGS: usize = 6;

/// Events whose documents are known. A list shows some hundred of them.
const KNOWN_EVENTS: usize = 500_000;

#[derive(Debug, Default)]
pub(crate) struct OpenRemotes(Mutex<HashMap<String, Arc<RemoteCase>>>);

impl OpenRemotes {
    /// Gives back what the clusters keep for this window.
    pub fn close(&self) {
        let cases: Vec<_> = locked(&self.0).drain().map(|(_, case)| case).collect();
        give_back(&cases);
    }

    pub fn close_one(&self, name: &str) {
        let case = locked(&self.0).remove(name);
        give_back(case.as_slice());
    }

    /// Forgets one that nothing may connect to any more, without telling it.
    fn leave(&self, name: &str) {
        if let Some(case) = locked(&self.0).remove(name) {
            let kept = locked(&case.kept);
            kept.listings.iter().for_each(|(_, listing)| locked(listing).leave());
        }
    }
}

/// Gives back points in time, all at once: a cluster that is silent takes seconds for each.
fn give_back(cases: &[Arc<RemoteCase>]) {
    let listings: Vec<_> =
        cases.iter().flat_map(|case| std::mem::take(&mut locked(&case.kept).listings)).collect();
    std::thread::scope(|scope| {
        for (_, listing) in listings {
            scope.spawn(move || drop(listing));
        }
    });
}

/// A cluster that is open like a case.
#[derive(Debug)]
pub(crate) struct RemoteCase {
    remote: Remote,
    cluster: Cluster,
    pub overview: Overview,
    pub revision: u64,
    kept: Mutex<KeptRemote>,
}

#[derive(Debug, Default)]
struct KeptRemote {
    listings: Vec<(String, Arc<Mutex<Listing>>)>,
    /// Indexes in the order of their numbers.
    indexes: Vec<String>,
    documents: HashMap<(u32, u64), (String, String)>,
}

/// The open remote of a name; connected now if it is not, or if it is to be read again.
pub(crate) fn opened(session: &Session, call: &Call<'_>, name: &str, again: bool) -> Answer<Arc<RemoteCase>> {
    let remotes = Remotes::read(&session.start.home)?;
    let remote = remotes.get(name).inspect_err(|_| session.part::<OpenRemotes>().leave(name))?;
    let known = locked(&session.part::<OpenRemotes>().0)
        .get(name)
        .filter(|known| known.remote == *remote)
        .map(Arc::clone);
    if let Some(known) = known.as_ref().filter(|_| !again) {
        return Ok(Arc::clone(known));
    }
    let cluster = Cluster::connect(remote, Options::default(), &call.cancel)?;
    let overview = cluster.overview()?;
    let revision = match &known {
        Some(known) if known.overview == overview => known.revision,
        Some(known) => known.revision + 1,
        None => 1,
    };
    let indexes = overview.indexes.iter().map(|index| index.name.clone()).collect();
    let documents = known.map(|known| std::mem::take(&mut locked(&known.kept).documents));
    let kept = KeptRemote { indexes, documents: documents.unwrap_or_default(), listings: Vec::new() };
    let cluster = cluster.for_question(&Cancel::default());
    let case = RemoteCase { remote: remote.clone(), cluster, overview, revision, kept: Mutex::new(kept) };
    let case = Arc::new(case);
    locked(&session.part::<OpenRemotes>().0).insert(name.to_owned(), Arc::clone(&case));
    Ok(case)
}

impl RemoteCase {
    /// The cluster for one call, which is cancelled with it.
    pub fn cluster(&self, call: &Call<'_>) -> Cluster {
        self.cluster.for_question(&call.cancel)
    }

    pub fn schema(&self) -> &remote::Schema {
        &self.cluster.schema
    }

    pub fn times(&self) -> Option<(i64, i64)> {
        self.overview.times
    }

    /// The end of the data.
    pub fn now(&self) -> i64 {
        self.overview.times.map_or(0, |(_, last)| last)
    }

    pub fn server(&self) -> String {
        format!("{} {}", self.cluster.flavour.name(), self.cluster.version)
    }

    pub fn summary(&self) -> CaseSummary {
        let overview = &self.overview;
        let sources = overview.indexes.iter().enumerate().map(|(id, index)| self.source(id as u32, index));
        let lacks = |what: &String| WireError::new(ErrorCode::NotReadable, indexer::sentence(what));
        CaseSummary {
            path: format!("remote:{}", self.remote.name),
            name: self.remote.name.clone(),
            events: overview.total,
            sources: sources.collect(),
            first: overview.times.map(|(first, _)| Nanos(first)),
            last: overview.times.map(|(_, last)| Nanos(last)),
            revision: self.revision,
            read_only: Some("Clusters are only read here.".to_owned()),
            profile: Profile::default(),
            segments_ready: 0,
            segments: 0,
            bytes_on_disk: 0,
            missing: overview.missing.0.iter().map(lacks).collect(),
            shown_with: Vec::new(),
            remote: Some(RemoteCaseMark {
                name: self.remote.name.clone(),
                url: self.remote.url.clone(),
                index: self.remote.index.clone(),
                server: self.server(),
            }),
        }
    }

    fn source(&self, id: u32, index: &IndexCount) -> Source {
        Source {
            id,
            name: index.name.clone(),
            path: format!("{}/{}", self.remote.url, index.name),
            format: self.server(),
            bytes: 0,
            events: index.events,
            unparsed: 0,
            sha256: String::new(),
            complete: true,
            live: false,
            set: None,
            zone: None,
            encoding: String::new(),
            compression: String::new(),
            first: index.times.map(|(first, _)| Nanos(first)),
            last: index.times.map(|(_, last)| Nanos(last)),
            note: None,
            chosen: Reading::default(),
        }
    }

    /// The index of an event as a source, with the address of its document. It may be newer than the list of indexes.
    pub fn source_of(&self, id: EventId, event: &RemoteEvent) -> Source {
        let listed = self.overview.indexes.iter().find(|index| index.name == event.index);
        let unlisted = IndexCount { name: event.index.clone(), events: 0, times: None };
        let source = self.source(id.source, listed.unwrap_or(&unlisted));
        Source { path: format!("{}/_doc/{}", source.path, event.id), ..source }
    }

    /// A listing of these events, kept from page to page.
    pub fn listing(
        &self,
        cluster: &Cluster,
        asked: &Asked,
        sort: &SortBy,
    ) -> indexer::Result<Arc<Mutex<Listing>>> {
        let key = format!("{asked:?} {sort:?}");
        {
            let mut kept = locked(&self.kept);
            if let Some(at) = kept.listings.iter().position(|(known, _)| *known == key) {
                // The last used is the last to go.
                let found = kept.listings.remove(at);
                let listing = Arc::clone(&found.1);
                kept.listings.push(found);
                return Ok(listing);
            }
        }
        let listing = Arc::new(Mutex::new(Listing::new(cluster, asked, sort)?));
        let mut dropped = Vec::new();
        {
            let mut kept = locked(&self.kept);
            while kept.listings.len() >= LISTINGS {
                dropped.push(kept.listings.remove(0));
            }
            kept.listings.push((key, Arc::clone(&listing)));
        }
        // Giving back their points in time takes a request each; nobody waits for the lock meanwhile.
        drop(dropped);
        Ok(listing)
    }

    /// The number of an index, by which events and trails name it.
    pub fn source_number(&self, index: &str) -> u32 {
        let mut kept = locked(&self.kept);
        let known = kept.indexes.iter().position(|known| known == index);
        known.unwrap_or_else(|| {
            kept.indexes.push(index.to_owned());
            kept.indexes.len() - 1
        }) as u32
    }

    /// The name of an event for as long as the program runs. The same document gets the same name again at the next start,
    /// but is known by it only when it was listed.
    pub fn id_of(&self, event: &RemoteEvent) -> EventId {
        /// Numbers up to here are exact in every reader of JSON.
        const EXACT_BITS: u32 = 53;
        let source = self.source_number(&event.index);
        let mut kept = locked(&self.kept);
        if kept.documents.len() >= KNOWN_EVENTS {
            kept.documents.clear();
        }
        let mut hasher = DefaultHasher::new();
        (&event.index, &event.id).hash(&mut hasher);
        let mut offset = hasher.finish() >> (u64::BITS - EXACT_BITS);
        loop {
            match kept.documents.get(&(source, offset)) {
                Some((index, id)) if *index == event.index && *id == event.id => break,
                // A second document of the same number takes the next one.
                Some(_) => offset = (offset + 1) & ((1 << EXACT_BITS) - 1),
                None => {
                    kept.documents.insert((source, offset), (event.index.clone(), event.id.clone()));
                    break;
                }
            }
        }
        EventId { source, offset }
    }

    /// The index and the id of an event that was listed.
    pub fn document(&self, id: EventId) -> Answer<(String, String)> {
        let found = locked(&self.kept).documents.get(&(id.source, id.offset)).cloned();
        found.ok_or_else(|| WireError {
            hint: Some("List the events again, and open it from the list.".to_owned()),
            ..WireError::new(
                ErrorCode::NotFound,
                "Which document of the cluster this is, is not known any more.",
            )
        })
    }
}
