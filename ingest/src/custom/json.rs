//! Lines that are JSON objects, for formats that name the keys they use.

use serde_json::Value as Json;

use super::reader::FieldText;

/// Copies the value at each path of the object to its field. Returns false if the line is no object, or has
/// none of the paths.
pub(super) fn json_values(
    line: &[u8],
    paths: &[Vec<String>],
    groups: &[Option<usize>],
    values: &mut [FieldText],
    built: &mut Vec<u8>,
) -> bool {
    let Ok(Json::Object(object)) = serde_json::from_slice::<Json>(line) else { return false };
    let object = Json::Object(object);
    let mut found = false;
    for (path, field) in paths.iter().zip(groups) {
        let inner = path.iter().try_fold(&object, |inner, key| inner.get(key));
        let (Some(inner), Some(field)) = (inner, field) else { continue };
        let from = built.len() as u32;
        match inner {
            Json::Null => continue,
            Json::String(text) => built.extend_from_slice(text.as_bytes()),
            other => built.extend_from_slice(other.to_string().as_bytes()),
        }
        values[*field] = FieldText::Built(from, built.len() as u32);
        found = true;
    }
    found
}
