//! What detectors read of a case that grows. Those that read the same events in the same bins by the same fields share an
//! answer, whatever they measure, and how a query is answered is worked out once for the fields of the case.

use std::collections::HashMap;
use std::sync::Arc;

use indexer::query::{Filter, Query, parse_query};
use indexer::{Error, ErrorKind, FieldKind, KeptQuery, Result, RunOptions, Snapshot, Table};

use super::series::{Series, of_table, query_text};
use super::{CheckScope, of_detector};

/// What one detector reads: a measure of what a set reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeasureRead {
    set: usize,
    measure: usize,
}

/// Which events are read, and how they are grouped.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Grouping {
    /// As it is written.
    pub filter: String,
    pub width: i64,
    pub by: Vec<String>,
    /// Whether the first and last event of each bin are wanted.
    pub with_ends: bool,
    /// Whether what is read of parts of the case is added up. The others are read of the whole.
    pub adds_up: bool,
}

impl Grouping {
    pub fn new(filter: &Filter, width: i64, by: &[String]) -> Grouping {
        let (filter, by) = (filter.to_string(), by.to_vec());
        Grouping { filter, width, by, with_ends: false, adds_up: true }
    }
}

/// The events that are asked about: of the whole case or of what is new, and their times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Asked {
    /// One measure alone.
    alone: Option<usize>,
    is_part: bool,
    range: (Option<i64>, Option<i64>),
}

/// The measures of one grouping.
#[derive(Debug)]
struct Set {
    grouping: Grouping,
    measures: Vec<String>,
    /// One of the measures cannot be calculated over this case, so each is asked for by itself.
    is_separate: bool,
    /// By measure, or of all at once.
    queries: HashMap<Option<usize>, (Query, Option<KeptQuery>)>,
    answers: Vec<(Asked, Answer)>,
}

/// The bins of measures, in their order.
type Answer = Result<Vec<Arc<Series>>>;

/// What the detectors of a case read together.
#[derive(Debug, Default)]
pub struct Reads {
    sets: Vec<Set>,
    of_grouping: HashMap<Grouping, usize>,
    /// The fields that queries are ready for.
    fields: Vec<(String, Vec<FieldKind>)>,
    /// How often the case was asked.
    #[cfg(test)]
    pub asked: usize,
}

impl Reads {
    /// Notes that something is read. To be called for all detectors before the first is evaluated.
    pub fn reading(&mut self, grouping: Grouping, measure: &str) -> MeasureRead {
        let set = *self.of_grouping.entry(grouping).or_insert_with_key(|grouping| {
            self.sets.push(Set {
                grouping: grouping.clone(),
                measures: Vec::new(),
                is_separate: false,
                queries: HashMap::new(),
                answers: Vec::new(),
            });
            self.sets.len() - 1
        });
        let measures = &mut self.sets[set].measures;
        let measure = measures.iter().position(|known| known == measure).unwrap_or_else(|| {
            measures.push(measure.to_owned());
            measures.len() - 1
        });
        MeasureRead { set, measure }
    }

    /// Begins another look at the case. Queries stay ready while it has the same fields.
    pub fn begin(&mut self, snapshot: &Snapshot) {
        let fields = snapshot.fields();
        let is_same = fields == self.fields;
        self.fields = fields;
        for set in &mut self.sets {
            set.answers.clear();
            if !is_same {
                set.queries.clear();
                set.is_separate = false;
            }
        }
    }

    /// A measure over a place, or over a part of its events. All measures of the same grouping are read at once.
    pub fn series(
        &mut self,
        reading: MeasureRead,
        scope: &CheckScope<'_>,
        part: Option<&Snapshot>,
    ) -> Result<Arc<Series>> {
        let snapshot = part.unwrap_or(scope.snapshot);
        // A range that leaves nothing out is none. Events without a time are in no bin.
        let (first, last) = snapshot.time_range().unwrap_or((i64::MIN, i64::MAX));
        let from = scope.range.0.filter(|from| *from > first);
        let range = (from, scope.range.1.filter(|to| *to <= last));
        let set = &mut self.sets[reading.set];
        loop {
            let alone = (set.is_separate || set.measures.len() == 1).then_some(reading.measure);
            let asked = Asked { alone, is_part: part.is_some(), range };
            let known = set.answers.iter().find(|(other, _)| *other == asked);
            let answer = if let Some((_, answer)) = known {
                answer.clone()
            } else {
                #[cfg(test)]
                {
                    self.asked += 1;
                }
                let answer = set.read(alone, scope, (snapshot, range));
                set.answers.push((asked, answer.clone()));
                answer
            };
            match answer {
                Ok(series) => {
                    return Ok(Arc::clone(&series[if alone.is_some() { 0 } else { reading.measure }]));
                }
                Err(error) if alone.is_some() || error.kind() == ErrorKind::Cancelled => return Err(error),
                // One of them fails all.
                Err(_) => set.is_separate = true,
            }
        }
    }
}

impl Set {
    fn read(
        &mut self,
        alone: Option<usize>,
        scope: &CheckScope<'_>,
        (snapshot, range): (&Snapshot, (Option<i64>, Option<i64>)),
    ) -> Result<Vec<Arc<Series>>> {
        let measures: Vec<&str> = match alone {
            Some(measure) => vec![&self.measures[measure]],
            None => self.measures.iter().map(String::as_str).collect(),
        };
        let of_detector = |error: Error| of_detector(&error);
        let options = RunOptions::default();
        if !self.queries.contains_key(&alone) {
            let query = parse_query(&query_text(&self.grouping, &measures));
            let query = query.map_err(|error| of_detector(error.into()))?;
            let kept = scope.case.keep(scope.snapshot, &query, &options).map_err(of_detector)?;
            self.queries.insert(alone, (query, kept));
        }
        let table: Result<Table> = match self.queries.get(&alone) {
            Some((_, Some(kept))) => scope.case.run_kept(snapshot, kept, range, scope.cancel),
            Some((query, None)) => {
                scope.case.run(snapshot, query, range, &options, &mut |_| {}, scope.cancel)
            }
            None => Ok(Table::default()),
        };
        let series = of_table(&table.map_err(of_detector)?, &self.grouping, measures.len());
        Ok(series.into_iter().map(Arc::new).collect())
    }
}
