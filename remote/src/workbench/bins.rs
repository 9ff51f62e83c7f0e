//! Bins of time and of numbers whose edges are known, as aggregations, and their counts.

use indexer::{Error, ErrorKind, Result};
use serde_json::{Map, Value, json};

use crate::json;

const MILLISECOND: i64 = 1_000_000;

/// Bins of time from edge to edge, in nanoseconds; those of clusters begin at whole milliseconds.
#[derive(Clone, Debug)]
pub struct TimeBins {
    /// Milliseconds.
    edges: Vec<i64>,
    /// All of one width.
    width: Option<i64>,
}

impl TimeBins {
    pub fn new(edges: &[i64]) -> Result<TimeBins> {
        if edges.iter().any(|edge| edge.rem_euclid(MILLISECOND) != 0) {
            let message = "bins narrower than a millisecond are not counted at a cluster";
            return Err(Error::new(ErrorKind::NotAvailable, message).hint("take a wider bin"));
        }
        let edges: Vec<i64> = edges.iter().map(|edge| edge.div_euclid(MILLISECOND)).collect();
        let width = match edges.as_slice() {
            [first, second, ..] => Some(second - first),
            _ => None,
        };
        let width = width.filter(|width| {
            *width > 0 && edges.windows(2).all(|pair| matches!(pair, [one, other] if other - one == *width))
        });
        Ok(TimeBins { edges, width })
    }

    pub fn count(&self) -> usize {
        self.edges.len().saturating_sub(1)
    }

    pub fn request(&self, field: &str) -> Value {
        if let (Some(width), Some(first)) = (self.width, self.edges.first()) {
            return json!({"date_histogram": {
                "field": field, "fixed_interval": format!("{width}ms"), "time_zone": "UTC", "min_doc_count": 1,
                "offset": format!("{}ms", first.rem_euclid(width))}});
        }
        let ranges: Vec<Value> = self
            .edges
            .windows(2)
            .enumerate()
            .map(|(at, pair)| json!({"key": format!("b{at}"), "from": pair[0], "to": pair[1]}))
            .collect();
        json!({"date_range": {"field": field, "format": "epoch_millis", "keyed": true, "ranges": ranges}})
    }

    /// The buckets by their places; those without events are not there.
    pub fn places<'v>(&self, found: &'v Value) -> Result<Vec<(usize, &'v Value)>> {
        let Some(width) = self.width else { return keyed(found, self.count()) };
        let first = self.edges.first().copied().unwrap_or(0);
        let mut places = Vec::new();
        for bucket in json::list(found, &["buckets"])? {
            let key = bucket["key"].as_f64().ok_or_else(|| json::lacks(&["buckets", "key"]))? as i64;
            let place = usize::try_from((key - first).div_euclid(width)).ok();
            // Events outside the edges came after they were decided.
            if let Some(place) = place.filter(|place| *place < self.count()) {
                places.push((place, bucket));
            }
        }
        Ok(places)
    }
}

/// Buckets that are called by their places: `b0`, `b1`.
pub fn keyed(found: &Value, count: usize) -> Result<Vec<(usize, &Value)>> {
    let Some(buckets) = found["buckets"].as_object() else { return Err(json::lacks(&["buckets"])) };
    let place = |name: &str| name.strip_prefix('b')?.parse::<usize>().ok().filter(|place| *place < count);
    Ok(buckets.iter().filter_map(|(name, bucket)| Some((place(name)?, bucket))).collect())
}

/// Bins of numbers from edge to edge; the last one has its end too.
pub fn number_ranges(field: &str, edges: &[f64]) -> Value {
    let last = edges.len().saturating_sub(2);
    let ranges: Vec<Value> = edges
        .windows(2)
        .enumerate()
        .map(|(at, pair)| {
            let mut range = Map::new();
            range.insert("key".to_owned(), format!("b{at}").into());
            range.insert("from".to_owned(), pair[0].into());
            if at < last {
                range.insert("to".to_owned(), pair[1].into());
            }
            Value::Object(range)
        })
        .collect();
    json!({"range": {"field": field, "keyed": true, "ranges": ranges}})
}
