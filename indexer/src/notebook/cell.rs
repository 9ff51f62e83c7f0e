//! Cells: fenced blocks with queries on the case.
//!
//! ````text
//! ```query from=2026-03-01T14:00 to=2026-03-01T15:00 rows=20 title="What failed"
//! level>=error | stats count() by source
//! ```
//! ````
//!
//! `query` shows a table, or how many events there are and the first of them; `chart` draws what the query gives;
//! `seismograph` draws the patterns of a filter's events over time; `map id=trace_id by=service` draws who follows whom;
//! `event` shows the events that its lines name, each as `source@offset` and words of its own. With `zone=Europe/Berlin`,
//! days and times that name no zone are those of Berlin.

use base::limits::{CELL_ROWS, MOST_CELL_ROWS};
use base::stamp;
use engine::pipe::RunOptions;
use jiff::tz::TimeZone;

/// A fenced block with a query on the case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    pub what: What,
    pub title: Option<String>,
    /// From inclusive, to exclusive.
    pub from: Option<i64>,
    pub to: Option<i64>,
    /// The zone of days, and of times that name none; that of whoever looks at it, and UTC for times, if it is missing.
    pub zone: Option<TimeZone>,
    /// The most rows that are shown.
    pub rows: usize,
    /// The first error in its options or lines.
    pub problem: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    Query(String),
    Chart(String),
    /// Patterns over time, of a filter's events.
    Seismograph(String),
    /// Who follows whom, of a filter's events with the same id.
    ServiceMap(MapCell),
    Events(Vec<EventPlace>),
}

/// What a service map is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapCell {
    pub query: String,
    /// The field that holds the id.
    pub id: String,
    /// The field whose values are the services.
    pub by: String,
}

/// An event that a cell names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventPlace {
    pub source: u32,
    pub offset: u64,
    pub caption: String,
}

/// The cell that a fenced block is, by the words after its fence; `None` for any other block.
#[must_use]
pub fn read_cell(info: &str, text: &str) -> Option<Cell> {
    let mut words = words(info).into_iter();
    let name = words.next()?;
    let mut options: Vec<String> = words.collect();
    // The zone is that of the times, before and after it.
    options.sort_by_key(|option| !option.starts_with("zone="));
    let mut problem = None;
    let what = match name.as_str() {
        "query" => What::Query(text.trim().to_owned()),
        "chart" => What::Chart(text.trim().to_owned()),
        "seismograph" => What::Seismograph(filter(text)),
        "map" => {
            What::ServiceMap(MapCell { query: filter(text), id: String::new(), by: "source".to_owned() })
        }
        "event" | "events" => What::Events(places(text, &mut problem)),
        _ => return None,
    };
    let mut cell = Cell { what, title: None, from: None, to: None, zone: None, rows: CELL_ROWS, problem };
    for word in &options {
        if let Err(problem) = option(&mut cell, word) {
            cell.problem.get_or_insert(problem);
        }
    }
    if matches!(&cell.what, What::ServiceMap(map) if map.id.is_empty()) {
        cell.problem.get_or_insert("a map needs the field that holds the id: id=trace_id".to_owned());
    }
    Some(cell)
}

/// All events, if nothing is written.
fn filter(text: &str) -> String {
    if text.trim().is_empty() { "*".to_owned() } else { text.trim().to_owned() }
}

fn option(cell: &mut Cell, word: &str) -> Result<(), String> {
    let unknown = || format!("`{word}` is not understood: there are from=, to=, zone=, rows= and title=");
    let (key, value) = word.split_once('=').ok_or_else(unknown)?;
    let zone = cell.zone.clone().unwrap_or(TimeZone::UTC);
    let time = || {
        let read = stamp::parse_in(value, &zone);
        read.ok_or_else(|| format!("not a valid time: `{value}`; write it as 2026-03-01T14:05:00Z"))
    };
    if let What::ServiceMap(map) = &mut cell.what {
        match key {
            "id" => value.clone_into(&mut map.id),
            "by" => value.clone_into(&mut map.by),
            _ => {}
        }
        if matches!(key, "id" | "by") {
            return Ok(());
        }
    }
    match key {
        "from" => cell.from = Some(time()?),
        "to" => cell.to = Some(time()?),
        "zone" => {
            let zone = RunOptions::in_zone(value).map_err(|error| error.message().to_owned())?.zone;
            cell.zone = Some(zone);
        }
        "title" => cell.title = Some(value.to_owned()),
        "rows" => {
            let rows: usize = value.parse().map_err(|_| format!("`{value}` is not a number of rows"))?;
            cell.rows = rows.clamp(1, MOST_CELL_ROWS);
        }
        _ => return Err(unknown()),
    }
    Ok(())
}

/// Words separated by spaces outside quotes: `title="two words"`.
fn words(info: &str) -> Vec<String> {
    let (mut found, mut word, mut quoted) = (Vec::new(), String::new(), false);
    for letter in info.chars() {
        match letter {
            '"' => quoted = !quoted,
            space if space.is_whitespace() && !quoted => {
                if !word.is_empty() {
                    found.push(std::mem::take(&mut word));
                }
            }
            other => word.push(other),
        }
    }
    if !word.is_empty() {
        found.push(word);
    }
    found
}

fn places(text: &str, problem: &mut Option<String>) -> Vec<EventPlace> {
    let mut found = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match place(line) {
            Some(place) => found.push(place),
            None => {
                problem.get_or_insert(format!("`{line}` names no event: write source@offset, as 0@1234"));
            }
        }
        if found.len() > MOST_CELL_ROWS {
            problem.get_or_insert(format!("more than {MOST_CELL_ROWS} events; the rest is left out"));
            found.truncate(MOST_CELL_ROWS);
            break;
        }
    }
    found
}

fn place(line: &str) -> Option<EventPlace> {
    let (place, caption) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let (source, offset) = place.strip_prefix("event:").unwrap_or(place).split_once('@')?;
    Some(EventPlace {
        source: source.parse().ok()?,
        offset: offset.parse().ok()?,
        caption: caption.trim().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_word_selects_the_kind_of_cell() {
        assert_eq!(read_cell("sql", "select 1"), None);
        assert_eq!(read_cell("", "text"), None);
        let cell =
            read_cell("query from=2026-03-01 rows=5 title=\"two words\"", "level:error\n| stats count()\n");
        let cell = cell.expect("a cell");
        assert_eq!(cell.what, What::Query("level:error\n| stats count()".into()));
        assert_eq!((cell.from, cell.to, cell.rows), (Some(1_772_323_200_000_000_000), None, 5));
        assert_eq!((cell.title.as_deref(), cell.problem), (Some("two words"), None));
        let spaced = read_cell("chart", "  \"two  spaces\"  \n").expect("a cell");
        assert_eq!(spaced.what, What::Chart("\"two  spaces\"".into()));
    }

    #[test]
    fn times_of_a_cell_are_those_of_its_zone() {
        let cell = read_cell("query from=2026-03-01T10:00 to=2026-03-01T16:00Z zone=Europe/Berlin", "a");
        let cell = cell.expect("a cell");
        let nine_utc = 1_772_355_600_000_000_000;
        assert_eq!((cell.from, cell.to), (Some(nine_utc), Some(nine_utc + 7 * 3_600_000_000_000)));
        let named = cell.zone.as_ref().and_then(TimeZone::iana_name);
        assert_eq!((named, cell.problem), (Some("Europe/Berlin"), None));
        let cell = read_cell("chart zone=Europe/Berln", "a").expect("a cell");
        assert!(cell.problem.is_some_and(|problem| problem.contains("Europe/Berln")));
    }

    #[test]
    fn pictures_take_a_filter() {
        let cell = read_cell("seismograph rows=30", "\n").expect("a cell");
        assert_eq!((cell.what, cell.rows, cell.problem), (What::Seismograph("*".into()), 30, None));
        let cell = read_cell("map id=trace_id by=service", "level>=info\n").expect("a cell");
        let map = MapCell { query: "level>=info".into(), id: "trace_id".into(), by: "service".into() };
        assert_eq!((cell.what, cell.problem), (What::ServiceMap(map), None));
        let cell = read_cell("map by=service", "").expect("a cell");
        assert!(cell.problem.is_some_and(|problem| problem.contains("id=")));
        let cell = read_cell("query id=trace_id", "a").expect("a cell");
        assert!(cell.problem.is_some_and(|problem| problem.contains("`id=trace_id`")));
    }

    #[test]
    fn errors_are_reported_and_the_rest_is_used() {
        let cell = read_cell("query from=soon rows=many wat", "a").expect("a cell");
        assert!(cell.problem.is_some_and(|problem| problem.contains("`soon`")));
        let cell = read_cell("event", "0@34 the first one\nnonsense\n2@0\n").expect("a cell");
        let What::Events(places) = &cell.what else { panic!("{cell:?}") };
        assert_eq!(places[0], EventPlace { source: 0, offset: 34, caption: "the first one".into() });
        assert_eq!((places.len(), places[1].source), (2, 2));
        assert!(cell.problem.is_some_and(|problem| problem.contains("nonsense")));
        let many = read_cell("query rows=99999999999", "a").expect("a cell");
        assert!(many.rows <= MOST_CELL_ROWS || many.problem.is_some());
    }
}
