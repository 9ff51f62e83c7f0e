//! Configurations for production: what an index, an ingest pipeline, Logstash and rsyslog need to take a source as
//! Timberline does.
//!
//! What a source is like is learned from its own events: the text between the values that were read, in patterns
//! (`learn.rs`), or the keys of JSON objects (`json_lines.rs`). What the patterns read is compared with what Timberline
//! read, here and at a cluster (`measure.rs`).

mod ilm;
mod json_lines;
mod learn;
mod logstash;
mod measure;
mod pipeline;
mod rsyslog;
mod sample;
mod shapes;

use std::collections::BTreeMap;
use std::fmt::Write;

use indexer::aggregate::{TimeZone, zone};
use indexer::{Cancel, Case, Error, ErrorKind, Result, Snapshot, View};
use jiff::tz::Offset;
use serde_json::{Value, json};

use crate::client::Client;
use crate::push::{PushOptions, Source, name_there, template};
use json_lines::JsonLines;
use learn::{Lines, Step, time_shape};
use sample::SampledEvent;
use shapes::TimeShape;

pub use measure::Share;

/// How long events are kept, in days, and where.
#[derive(Clone, Copy, Debug)]
pub struct Lifetime {
    pub hot_days: u32,
    pub warm_days: u32,
    pub keep_days: u32,
}

/// How the events of a source are read.
enum LineReading {
    Json(JsonLines),
    Lines(Lines),
}

/// What is known of a source.
pub struct Learned {
    source: String,
    path: String,
    format: String,
    zone: String,
    reading: LineReading,
    /// Levels by the hundreds of an HTTP status, where no word of a line is one.
    levels_by_status: BTreeMap<i64, &'static str>,
    fields: Vec<String>,
    sample: Vec<SampledEvent>,
    held_out: HeldOut,
    share: Option<(Share, String)>,
}

/// How the configurations read lines that they were not learned from.
pub struct HeldOut {
    pub lines: usize,
    /// Lines read with the same time and fields.
    pub read: usize,
    /// The first lines that are not.
    pub failing: Vec<String>,
    /// The source is too short to hold lines out: these are the lines that were learned from.
    pub are_learned_from: bool,
}

impl HeldOut {
    /// Whether at least 99 % are read.
    #[must_use]
    pub fn is_enough(&self) -> bool {
        self.read * 100 >= self.lines * 99
    }
}

/// Each so many-th line of the sample is not learned from.
const HELD_OUT: usize = 5;

/// Lines that are listed because they are not read.
const FAILING: usize = 5;

/// A file that was made, by its name.
pub struct Configuration {
    pub name: &'static str,
    pub text: String,
}

impl LineReading {
    fn check(&self, events: &[&SampledEvent], zone: &TimeZone, are_learned_from: bool) -> HeldOut {
        let is_read = |event: &SampledEvent| match self {
            LineReading::Json(found) => found.reads_all(event, zone),
            LineReading::Lines(lines) => lines.reads_all(event, zone),
        };
        let failing: Vec<&str> =
            events.iter().filter(|event| !is_read(event)).map(|event| event.text.as_str()).collect();
        HeldOut {
            lines: events.len(),
            read: events.len() - failing.len(),
            failing: failing.into_iter().take(FAILING).map(str::to_owned).collect(),
            are_learned_from,
        }
    }
}

impl Learned {
    /// Learns from up to a thousand events of the source, except each fifth, which the result is checked on.
    pub fn new(case: &Case, snapshot: &Snapshot, source: u32, cancel: &Cancel) -> Result<Learned> {
        let entry = snapshot.sources().get(source as usize).filter(|entry| !entry.deleted);
        let entry = entry.ok_or_else(|| Error::new(ErrorKind::NotFound, "the case has no such source"))?;
        let sample = sample::sample(case, snapshot, source, cancel)?;
        if sample.is_empty() {
            let message = format!("{} has no events to learn from", entry.name);
            return Err(Error::new(ErrorKind::BadRequest, message));
        }
        let (zone_name, known) = known_zone(&entry.zone);
        let mut held_out: Vec<&SampledEvent> = Vec::new();
        let mut learned_from: Vec<&SampledEvent> = Vec::new();
        for (at, event) in (1_usize..).zip(&sample) {
            if at % HELD_OUT == 0 { held_out.push(event) } else { learned_from.push(event) }
        }
        let reading = match json_lines::learn(&learned_from, &known) {
            Some(found) => LineReading::Json(found),
            None => LineReading::Lines(learn::learn(&learned_from, &known)),
        };
        let are_learned_from = held_out.is_empty();
        let held_out =
            reading.check(if are_learned_from { &learned_from } else { &held_out }, &known, are_learned_from);
        Ok(Learned {
            source: entry.name.clone(),
            path: entry.path.clone(),
            format: entry.format.clone(),
            zone: zone_name,
            levels_by_status: levels_by_status(&sample, &reading),
            fields: crate::push::case_fields(snapshot).into_iter().map(|(name, _)| name).collect(),
            reading,
            sample,
            held_out,
            share: None,
        })
    }

    /// Runs the pipeline at a cluster on the lines that it was learned from. Nothing is stored there.
    pub fn check(&mut self, client: &Client, name: &str) -> Result<Share> {
        let share = measure::simulate(client, &self.pipeline(), &self.sample)?;
        self.share = Some((share.clone(), name.to_owned()));
        Ok(share)
    }

    /// How lines are read that were not learned from.
    #[must_use]
    pub fn held_out(&self) -> &HeldOut {
        &self.held_out
    }

    #[must_use]
    pub fn pipeline(&self) -> Value {
        pipeline::pipeline(self)
    }

    /// All configurations, for an index or a data stream of this name.
    pub fn configurations(
        &self,
        case: &Case,
        snapshot: &Snapshot,
        index: &str,
        lifetime: Lifetime,
    ) -> Result<Vec<Configuration>> {
        let view = View::parse("*", None, None)?;
        let source = Source { case, snapshot, view: &view };
        let options = PushOptions {
            index: index.to_owned(),
            data_stream: true,
            with_original: false,
            rate: None,
            senders: 1,
            checkpoints: None,
        };
        let mut template = template(&source, &options).body;
        template["index_patterns"] = json!([format!("{index}*")]);
        template["_meta"] = json!({"made_by": "timberline configs", "source": self.source});
        let settings = &mut template["template"]["settings"]["index"];
        settings["lifecycle"] = json!({"name": index});
        settings["default_pipeline"] = json!(index);
        let json = |name, value: &Value| {
            let text = serde_json::to_string_pretty(value).unwrap_or_default();
            Configuration { name, text: format!("{text}\n") }
        };
        Ok(vec![
            json("index-template.json", &template),
            json("ilm-policy.json", &ilm::policy(lifetime)),
            json("ingest-pipeline.json", &self.pipeline()),
            Configuration { name: "logstash.conf", text: logstash::configuration(self, index) },
            Configuration { name: "rsyslog.conf", text: rsyslog::configuration(self, index) },
            Configuration { name: "README.md", text: self.readme(index) },
        ])
    }

    /// What it does, and how well, in a sentence or two.
    #[must_use]
    pub fn description(&self) -> String {
        format!("Reads lines of {} ({}) as Timberline does. {}", self.source, self.format, self.sentence())
    }

    fn sentence(&self) -> String {
        let HeldOut { lines, read, are_learned_from, .. } = &self.held_out;
        let learned_from = self.sample.len() - if *are_learned_from { 0 } else { *lines };
        let learned = match &self.reading {
            LineReading::Json(_) => format!("Learned from {learned_from} JSON objects"),
            LineReading::Lines(found) => {
                let count = found.patterns.len() + found.of_message.len();
                let patterns = if count == 1 { "pattern" } else { "patterns" };
                format!("{count} {patterns}, learned from {learned_from} lines")
            }
        };
        let checked = if *are_learned_from {
            format!("these {lines} lines, too few to hold any out,")
        } else {
            format!("{lines} other lines")
        };
        let mut text = format!("{learned}. Of {checked} {read} are read with the same time and fields.");
        match &self.share {
            Some((share, name)) => {
                let _ = write!(
                    text,
                    " At {name}, {:.1} % of {} fields of {} lines were equal.",
                    share.percent(),
                    share.fields,
                    share.lines
                );
            }
            None => text.push_str(" It was not run at a cluster: --check remote:NAME does."),
        }
        if self.time_shapes().iter().any(|shape| !shape.has_year) {
            text.push_str(" Times have no year; the cluster takes the current one.");
        }
        text
    }

    /// Every way in which times are written.
    fn time_shapes(&self) -> Vec<&'static TimeShape> {
        let mut shapes: Vec<usize> = match &self.reading {
            LineReading::Json(found) => found.time.iter().map(|(_, shape)| *shape).collect(),
            LineReading::Lines(lines) => {
                let steps = lines.patterns.iter().flat_map(|pattern| &pattern.steps);
                steps
                    .filter_map(|step| if let Step::Time(shape) = step { Some(*shape) } else { None })
                    .collect()
            }
        };
        shapes.sort_unstable();
        shapes.dedup();
        shapes.into_iter().map(time_shape).collect()
    }

    /// Where the file is. One that was imported by a relative path is somewhere.
    fn absolute_path(&self) -> String {
        let is_absolute = std::path::Path::new(&self.path).is_absolute();
        if is_absolute { self.path.clone() } else { format!("/path/to/{}", self.path) }
    }

    /// A field's name in documents.
    fn name_in_documents(&self, name: &str) -> String {
        name_there(name, &self.fields)
    }

    fn readme(&self, index: &str) -> String {
        format!(
            "# {index}: the lines of {source} in production\n\n\
             Made by `timberline configs`. {sentence}\n\n\
             | File | What it is | Tested |\n|---|---|---|\n\
             | `ilm-policy.json` | lifecycle policy: `PUT _ilm/policy/{index}`; OpenSearch has none of these | no: it was not run |\n\
             | `ingest-pipeline.json` | reads lines in the cluster: `PUT _ingest/pipeline/{index}` | {checked} |\n\
             | `index-template.json` | types of the fields, as measured in the case: `PUT _index_template/{index}`, after the two above; OpenSearch takes it without `lifecycle` | no: its types are those that `timberline push` uses |\n\
             | `rsyslog.conf` | follows the file and sends its lines to the pipeline, with a queue on disk | no: check it with `rsyslogd -N1 -f rsyslog.conf` |\n\
             | `logstash.conf` | the same patterns for Logstash, without the pipeline | no: check it with `logstash -t -f logstash.conf` |\n",
            source = self.source,
            sentence = self.sentence(),
            checked = self.share.as_ref().map_or_else(
                || "no: `timberline configs --check remote:NAME` runs it".to_owned(),
                |(share, name)| format!("at {name}: {:.1} % of fields equal", share.percent())
            ),
        )
    }
}

/// The zone of a source as the cluster and as Timberline know it: by its name, or as `+02:00`.
fn known_zone(name: &str) -> (String, TimeZone) {
    if let Ok(known) = zone(name) {
        return (name.to_owned(), known);
    }
    let offset = || {
        let (hours, minutes) = name.get(1..)?.split_once(':')?;
        let seconds =
            i32::from(hours.parse::<i8>().ok()?) * 3_600 + i32::from(minutes.parse::<i8>().ok()?) * 60;
        let seconds = if name.starts_with('-') { -seconds } else { seconds };
        Some(TimeZone::fixed(Offset::from_seconds(seconds).ok()?))
    };
    match offset() {
        Some(known) => (name.to_owned(), known),
        None => ("UTC".to_owned(), TimeZone::UTC),
    }
}

/// Levels that follow from an HTTP status alone.
fn levels_by_status(sample: &[SampledEvent], reading: &LineReading) -> BTreeMap<i64, &'static str> {
    let has_word = match reading {
        LineReading::Json(found) => found.level.is_some(),
        LineReading::Lines(lines) => {
            let patterns = lines.patterns.iter().chain(&lines.of_message);
            patterns.flat_map(|pattern| &pattern.steps).any(|step| matches!(step, Step::Level))
        }
    };
    let mut levels = BTreeMap::new();
    if has_word {
        return levels;
    }
    for event in sample.iter().filter(|event| !event.level.is_empty()) {
        let status = event.fields.iter().find(|field| field.name == "status");
        let Some(status) = status.and_then(|field| field.value.parse::<i64>().ok()) else {
            return BTreeMap::new();
        };
        if *levels.entry(status / 100).or_insert(event.level) != event.level {
            return BTreeMap::new();
        }
    }
    levels
}
