//! Assigns sources to rotated sets by their names: files of one import were already brought in order, and
//! others join them by their names.

use std::collections::BTreeMap;

use store::SourceEntry;

/// Gives the sources of each set its name, where they have none yet.
pub fn label(sources: &mut [SourceEntry]) {
    let mut groups: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
    let mut ranked = Vec::with_capacity(sources.len());
    for (place, source) in sources.iter().enumerate() {
        let said = ingest::rotated(&source.name);
        ranked.push(said.is_ranked());
        if source.deleted {
            continue;
        }
        groups.entry((folder_of(&source.path), said.base)).or_default().push(place);
    }
    for ((_, base), places) in groups {
        let first = &sources[places[0]].path;
        let has_other = places.iter().any(|&place| sources[place].path != *first);
        if has_other && places.iter().any(|&place| ranked[place]) {
            for place in places {
                sources[place].set.get_or_insert_with(|| base.clone());
            }
        }
    }
}

fn folder_of(path: &str) -> String {
    path.rfind(['/', '\\']).map_or_else(String::new, |slash| path[..slash].to_owned())
}
