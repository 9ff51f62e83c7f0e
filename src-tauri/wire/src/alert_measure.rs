//! The measure of an alert's detector around the alert: the inbox draws it with the level that was crossed.

use std::path::Path;

use detect::measure::{Level, Points};
use detect::{Detectors, starters};
use indexer::{Engine, Nanos};
use serde::{Deserialize, Serialize};

use crate::calls::Answer;
use crate::detectors::{MOST_SLOTS, history, own_texts};
use crate::patterns::TimeSpan;
use crate::session::{Call, Session};
use crate::types::Empty;

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct AlertMeasureRequest {
    pub case: String,
    /// The name of the detector; one of the case is meant before one that comes with the program.
    pub detector: String,
    /// The fields that the alert is grouped by, with their values.
    pub group: Vec<(String, String)>,
    /// The time around the alert, both ends included.
    pub around: TimeSpan,
    /// Slots of time that it is drawn in.
    pub slots: u32,
}

#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct AlertMeasure {
    /// The part of the time that has data; null if nothing can be drawn.
    pub ends: Option<TimeSpan>,
    /// The measure of the alert's group. Empty if the detector is not known, measures nothing over time, or has no such
    /// group.
    pub groups: Vec<Points>,
    pub level: Option<Level>,
}

pub fn alert_measure(
    session: &Session,
    call: &Call<'_>,
    request: &AlertMeasureRequest,
    _: &dyn Fn(Empty),
) -> Answer<AlertMeasure> {
    let case = session.case(Path::new(&request.case))?;
    let snapshot = case.snapshot();
    let own = own_texts(&case)?;
    let own = own.iter().map(|(file, text)| (&**file, &**text));
    let all = Detectors::of_texts(own.chain(starters().iter().copied()));
    let named = all.measures().find(|(detector, _)| detector.name == request.detector);
    let Some((detector, _)) = named else { return Ok(AlertMeasure::default()) };
    let fields = Engine::field_names(&snapshot);
    if detector.lack(&fields).is_some() {
        return Ok(AlertMeasure::default());
    }
    let detector = &detector.for_fields(&fields);
    // It was grouped by other fields when it gave the alert.
    if !detector.by.iter().eq(request.group.iter().map(|(field, _)| field)) {
        return Ok(AlertMeasure::default());
    }
    let Some(history) = history(session, &case, &snapshot, detector, &call.cancel)? else {
        return Ok(AlertMeasure::default());
    };
    let values: Vec<&str> = request.group.iter().map(|(_, value)| &**value).collect();
    let around = (request.around.from.0, request.around.to.0);
    let slots = (request.slots as usize).clamp(1, MOST_SLOTS);
    let found = history.points_around(detector, &values, around, slots);
    Ok(found.map_or_else(AlertMeasure::default, |((from, to), points)| AlertMeasure {
        ends: Some(TimeSpan { from: Nanos(from), to: Nanos(to) }),
        groups: vec![points],
        level: detector.level(),
    }))
}
