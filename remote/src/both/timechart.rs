//! `timechart` over all events: groups by a bin of time and a value, the largest values of all.

use std::collections::BTreeMap;

use indexer::query::functions::Function;
use indexer::query::{Aggregate, Expr, ExprKind, Group, Quantity, Span, StageKind, TimeSpan};
use indexer::{Cell, Column, Result, Table, TableStages};

use super::aggregates::{Merging, Partials, counting, with_function};
use super::groups::{Grouped, MergedGroups, at_no_place};
use super::ranked::counted;
use super::{Both, Reservations};
use crate::limits::GROUPS;
use crate::questions::timechart::{USUAL_SERIES, automatic};

/// The value of all that are not among the largest.
const OTHER: &str = "other";

type Chart<'q> = (TimeSpan, &'q [Aggregate], Option<&'q Group>, Option<u64>);

impl Both<'_> {
    pub(super) fn timechart(
        &self,
        grouped: &Grouped<'_>,
        (span, aggregates, by, limit): Chart<'_>,
        reservations: &mut Reservations,
    ) -> Result<Option<Table>> {
        let rows = [crate::questions::counting()];
        let aggregates = if aggregates.is_empty() { &rows } else { aggregates };
        let width = match span {
            TimeSpan::Every(width) => width,
            TimeSpan::Auto => {
                let (first, last) = self.times_within(grouped.range).unwrap_or((0, 0));
                automatic((last - first) as f64 / 1e6)
            }
        };
        let keys: Vec<Group> = std::iter::once(bins_of_time(width)).chain(by.cloned()).collect();
        // How many rows a value has decides whether it has a series.
        let with_rows: Vec<Aggregate> =
            std::iter::once(counting(None, "rows")).chain(aggregates.iter().cloned()).collect();
        let Some(groups) = self.groups(grouped, &keys, &with_rows, reservations)? else { return Ok(None) };
        let kinds: Vec<Merging> = with_rows.iter().filter_map(Merging::from_aggregate).collect();
        let groups = match by {
            Some(_) => with_other(groups, &kinds, limit.unwrap_or(USUAL_SERIES)),
            None => groups,
        };
        let table = self.chart(grouped, width, by.is_some(), (aggregates, &kinds[1..]), &groups)?;
        Ok(Some(table))
    }

    /// The groups as the stage itself lays them out: each group is one row, and its own greatest value.
    fn chart(
        &self,
        grouped: &Grouped<'_>,
        width: Quantity,
        is_split: bool,
        (aggregates, kinds): (&[Aggregate], &[Merging]),
        groups: &MergedGroups,
    ) -> Result<Table> {
        let untimed = groups.keys().any(|key| key[0].is_missing());
        let charted: Vec<(&Vec<Cell>, &Vec<Partials>)> =
            groups.iter().filter(|(key, _)| !key[0].is_missing()).collect();
        let mut table = Table::of_rows(charted.len());
        let time_of = |key: &[Cell]| if let Cell::Time(time) = key[0] { time } else { indexer::NO_TIME };
        table.set("time", Column::times(charted.iter().map(|(key, _)| time_of(key)).collect()));
        if is_split {
            table.set("by", Column::of_cells(charted.iter().map(|(key, _)| key[1].clone()).collect()));
        }
        let name = |place: usize| format!("m{place}");
        for (place, kind) in kinds.iter().enumerate() {
            let cells = charted.iter().map(|(_, partials)| kind.result(&partials[place + 1])).collect();
            table.set(&name(place), Column::of_cells(cells));
        }
        let field = |name: &str| Expr::new(ExprKind::Field(name.to_owned()), Span::default());
        let greatest = aggregates.iter().enumerate().map(|(place, aggregate)| Aggregate {
            argument: Some(field(&name(place))),
            condition: None,
            ..with_function(aggregate, indexer::query::functions::Aggregation::Max, aggregate.column())
        });
        let by = is_split.then(|| Group { value: field("by"), name: None, span: Span::default() });
        let stage = at_no_place(StageKind::Timechart {
            span: TimeSpan::Every(width),
            aggregates: greatest.collect(),
            by,
            limit: Some(GROUPS as u64),
        });
        let columns: Vec<String> = table.names().iter().map(ToString::to_string).collect();
        let times = grouped.range.0.zip(grouped.range.1.map(|to| to - 1));
        let options = self.options(grouped.here)?;
        let mut line = TableStages::new(&[stage], &columns, times, &options, self.cancel)?;
        line.push(table)?;
        let mut chart = line.finish()?;
        // Of no rows there are none, and not nothing.
        let series = (chart.names().len() - 1) / kinds.len().max(1);
        for (place, kind) in kinds.iter().enumerate() {
            if !kind.is_zero_without_rows() {
                continue;
            }
            let names: Vec<String> =
                chart.names().iter().skip(1 + place * series).take(series).map(ToString::to_string).collect();
            for name in names {
                let column = chart.column_or_missing(&name);
                let cell = |row| match column.cell(row) {
                    Cell::Missing => Cell::Int(0),
                    cell => cell,
                };
                let cells = (0..chart.rows()).map(cell).collect();
                chart.set(&name, Column::of_cells(cells));
            }
        }
        chart.notes.clear();
        if untimed {
            chart.notes.push("rows without a time are left out of the chart".to_owned());
        }
        Ok(chart)
    }
}

fn bins_of_time(width: Quantity) -> Group {
    let arguments = vec![
        Expr::new(ExprKind::Field("time".to_owned()), Span::default()),
        Expr::new(ExprKind::Quantity(width), Span::default()),
    ];
    let value = Expr::new(ExprKind::Call(Function::Bin, arguments), Span::default());
    Group { value, name: None, span: Span::default() }
}

/// Adds the groups of values that are not among the largest.
fn with_other(groups: MergedGroups, kinds: &[Merging], limit: u64) -> MergedGroups {
    let mut rows: BTreeMap<Cell, u64> = BTreeMap::new();
    for (mut key, count) in counted(groups.clone()) {
        if let Some(value) = key.pop() {
            *rows.entry(value).or_default() += count;
        }
    }
    let mut ranked: Vec<(Cell, u64)> = rows.into_iter().collect();
    ranked.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    ranked.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    let mut cut = MergedGroups::new();
    for (mut key, partials) in groups {
        if !ranked.iter().any(|(value, _)| *value == key[1]) {
            key[1] = Cell::text(OTHER);
        }
        let own = cut.entry(key).or_insert_with(|| kinds.iter().map(|kind| kind.empty()).collect());
        kinds.iter().zip(own).zip(&partials).for_each(|((kind, own), more)| kind.add(own, more));
    }
    cut
}
