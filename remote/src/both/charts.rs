//! Charts over all events: the bins and values are decided for all, and then the groups of each place are added in them.

use indexer::aggregate::{
    Answer as Cube, Axis, Bins, By, Extent, Measure, Measured, Request, TermOrder, bin_edges, time_edges,
};
use indexer::query::functions::{Aggregation, Function};
use indexer::query::{Aggregate, BinaryOp, Expr, ExprKind, Filter, Group, Op, Quantity, Span, Unit};
use indexer::{Cell, Error, ErrorKind, Result};

use super::aggregates::{Merging, Partials, counting};
use super::groups::{Grouped, MergedGroups, by_field, scalar_of};
use super::ranked::counted;
use super::{Both, Reservations};
use crate::limits::BUCKETS;
use crate::questions::{Answer, Here};
use crate::workbench::{names_of, rates};

/// A group whose places are known, and by what each event finds its own.
struct PlannedChart {
    axis: Axis,
    key: Group,
    /// The values of terms.
    values: Vec<Cell>,
}

impl Both<'_> {
    /// Counts and measures matching events in groups.
    pub fn aggregate(
        &self,
        filter: &Filter,
        range: (Option<i64>, Option<i64>),
        request: &Request,
    ) -> Result<Answer<Cube>> {
        let here = Here::default();
        // Bins have their own edges, in whatever zone.
        let grouped = Grouped { filter, range, zone: "UTC", before: &[], here: &here };
        let mut reservations = Reservations::default();
        let mut planned = Vec::new();
        for by in &request.by {
            planned.push(self.planned(&grouped, by, &mut reservations)?);
        }
        let cells = planned.iter().try_fold(1_usize, |cells, one| cells.checked_mul(one.axis.places()));
        let cells = cells.filter(|cells| *cells <= BUCKETS).ok_or_else(|| {
            Error::new(ErrorKind::Limit, format!("the chart would have more than {BUCKETS} values"))
                .hint("take wider bins or fewer values")
        })?;
        // Events are always counted.
        let mut aggregates = vec![counting(None, "rows")];
        let mut firsts = Vec::new();
        for measure in &request.measures {
            firsts.push(aggregates.len());
            aggregates.extend(aggregates_of(measure)?);
        }
        let keys: Vec<Group> = planned.iter().map(|one| one.key.clone()).collect();
        let groups = self.groups(&grouped, &keys, &aggregates, &mut reservations)?;
        let groups = groups.ok_or_else(|| not_merged("this figure"))?;
        let kinds: Vec<Merging> = aggregates.iter().filter_map(Merging::from_aggregate).collect();
        let mut cube =
            Cube { axes: Vec::new(), counts: vec![0; cells], measured: Vec::new(), total: 0, untimed: 0 };
        let mut sums: Vec<Vec<Partials>> = vec![kinds.iter().map(|kind| kind.empty()).collect(); cells];
        let mut all: Vec<Partials> = kinds.iter().map(|kind| kind.empty()).collect();
        for (key, partials) in &groups {
            let count = Merging::ROWS.result(&partials[0]).number().unwrap_or(0.0) as u64;
            cube.total += count;
            let is_untimed = |(one, cell): (&PlannedChart, &Cell)| {
                matches!(one.axis, Axis::Time { .. }) && cell.is_missing()
            };
            cube.untimed += if planned.iter().zip(key).any(is_untimed) { count } else { 0 };
            add(&kinds, &mut all, partials);
            let place = planned
                .iter()
                .zip(key)
                .try_fold(0, |cell, (one, value)| Some(cell * one.axis.places() + place_of(one, value)?));
            if let Some(sum) = place.and_then(|place| sums.get_mut(place)) {
                add(&kinds, sum, partials);
            }
        }
        for (count, sum) in cube.counts.iter_mut().zip(&sums) {
            *count = Merging::ROWS.result(&sum[0]).number().unwrap_or(0.0) as u64;
        }
        cube.axes = planned.into_iter().map(|one| one.axis).collect();
        for (measure, first) in request.measures.iter().zip(firsts) {
            if let Measure::Rate { per_ns } = measure {
                let values = rates(&cube.axes, &cube.counts, *per_ns, self.times_within(range));
                cube.measured.push(Measured { name: "rate".to_owned(), values, missing: 0, mistyped: 0 });
                continue;
            }
            for (at, name) in names_of(measure).into_iter().enumerate() {
                let kind = kinds[first + at];
                let figure = |sum: &Vec<Partials>| match kind.result(&sum[first + at]) {
                    Cell::Missing => None,
                    cell => Some(scalar_of(&cell)),
                };
                let there = match measure {
                    Measure::Stats { .. } => Merging::ROWS.result(&all[first]).number(),
                    Measure::Percentiles { .. } => Some(weights(&all[first]) as f64),
                    _ => None,
                };
                let missing = there.map_or(0, |there| cube.total.saturating_sub(there as u64));
                let values = sums.iter().map(figure).collect();
                cube.measured.push(Measured { name, values, missing, mistyped: 0 });
            }
        }
        Ok(reservations.answer(cube))
    }

    fn planned(
        &self,
        grouped: &Grouped<'_>,
        by: &By,
        reservations: &mut Reservations,
    ) -> Result<PlannedChart> {
        Ok(match by {
            By::Time { interval, zone } => {
                let edges = match self.times_within(grouped.range) {
                    Some((first, last)) => time_edges(first, last, interval, zone)?,
                    None => Vec::new(),
                };
                // The widest bins that no edge divides.
                let width =
                    edges.iter().fold(0, |width, edge| common_divisor(width, edge.unsigned_abs())).max(1);
                let width = Quantity { number: width as f64 / 1e6, unit: Unit::Millisecond };
                let key = binned("time", ExprKind::Quantity(width));
                PlannedChart { axis: Axis::Time { edges }, key, values: Vec::new() }
            }
            By::Terms { field, top, order } => {
                self.values_of(grouped, field, (*top, *order), reservations)?
            }
            By::Bins { field, bins } => self.bins_of(grouped, field, bins, reservations)?,
        })
    }

    fn values_of(
        &self,
        grouped: &Grouped<'_>,
        field: &str,
        (top, order): (usize, TermOrder),
        reservations: &mut Reservations,
    ) -> Result<PlannedChart> {
        let key = by_field(field, Span::default());
        let groups =
            self.groups(grouped, std::slice::from_ref(&key), &[counting(None, "rows")], reservations)?;
        let groups: MergedGroups = groups.ok_or_else(|| not_merged(field))?;
        let mut values: Vec<(Cell, u64)> =
            counted(groups).into_iter().filter_map(|(mut key, count)| Some((key.pop()?, count))).collect();
        values.retain(|(value, _)| !value.is_missing());
        let distinct = values.len() as u64;
        match order {
            TermOrder::Most => values.sort_by_key(|(_, count)| std::cmp::Reverse(*count)),
            TermOrder::Fewest => values.sort_by_key(|(_, count)| *count),
            TermOrder::Value => {}
        }
        values.truncate(top);
        let values: Vec<Cell> = values.into_iter().map(|(value, _)| value).collect();
        let listed = values.iter().map(scalar_of).collect();
        Ok(PlannedChart {
            axis: Axis::Terms { field: field.to_owned(), values: listed, distinct },
            key,
            values,
        })
    }

    fn bins_of(
        &self,
        grouped: &Grouped<'_>,
        field: &str,
        bins: &Bins,
        reservations: &mut Reservations,
    ) -> Result<PlannedChart> {
        let value = || Expr::new(ExprKind::Field(field.to_owned()), Span::default());
        let zero = Expr::new(ExprKind::Int(0), Span::default());
        let above = ExprKind::Binary(BinaryOp::Compare(Op::Greater), Box::new(value()), Box::new(zero));
        let aggregates = [
            counting(None, "rows"),
            aggregate(Aggregation::Count, field, None),
            aggregate(Aggregation::Min, field, None),
            aggregate(Aggregation::Max, field, None),
        ];
        let groups =
            self.groups(grouped, &[], &aggregates, reservations)?.ok_or_else(|| not_merged(field))?;
        let result = |groups: &MergedGroups, place: usize| {
            let merging = Merging::from_aggregate(&aggregates[place])?;
            groups.values().next().and_then(|partials| merging.result(&partials[place]).number())
        };
        let ends = result(&groups, 2).zip(result(&groups, 3));
        let positive = match ends {
            Some((least, _)) if least > 0.0 => Some(least),
            // Where a field is in one place only, its condition is too.
            Some((_, greatest)) if greatest > 0.0 && matches!(bins, Bins::Logarithmic { .. }) => {
                let least = aggregate(Aggregation::Min, field, Some(Expr::new(above, Span::default())));
                let merging = Merging::from_aggregate(&least);
                let groups =
                    self.groups(grouped, &[], &[least], reservations)?.ok_or_else(|| not_merged(field))?;
                let partials = groups.values().next();
                merging.zip(partials).and_then(|(merging, partials)| merging.result(&partials[0]).number())
            }
            _ => None,
        };
        let rows = result(&groups, 0).unwrap_or(0.0) as u64;
        let numbers = result(&groups, 1).unwrap_or(0.0) as u64;
        let extent = Extent { ends, positive, numbers, missing: rows.saturating_sub(numbers), mistyped: 0 };
        let edges = bin_edges(&extent, bins)?;
        let key = match (bins, edges.as_slice()) {
            (Bins::Linear { .. } | Bins::Width { .. }, [first, second, ..]) => {
                binned(field, ExprKind::Float(second - first))
            }
            _ => by_field(field, Span::default()),
        };
        let missing = extent.missing;
        Ok(PlannedChart {
            axis: Axis::Bins { field: field.to_owned(), edges, missing, mistyped: 0 },
            key,
            values: Vec::new(),
        })
    }
}

fn add(kinds: &[Merging], own: &mut [Partials], more: &[Partials]) {
    kinds.iter().zip(own).zip(more).for_each(|((kind, own), more)| kind.add(own, more));
}

/// Where in its axis a key is.
fn place_of(planned: &PlannedChart, key: &Cell) -> Option<usize> {
    let within = |place: usize| place.checked_sub(1);
    match &planned.axis {
        Axis::Time { edges } => {
            let Cell::Time(time) = key else { return None };
            within(edges.partition_point(|edge| edge <= time)).filter(|place| place + 1 < edges.len())
        }
        Axis::Terms { values, .. } => Some(match planned.values.iter().position(|value| value == key) {
            Some(place) => place,
            None => values.len() + usize::from(key.is_missing()),
        }),
        Axis::Bins { edges, .. } => {
            let number = key.number()?;
            // The last bin has its end too. Bins of decimals begin a little next to their edges.
            let slack =
                edges.get(1).zip(edges.first()).map_or(0.0, |(second, first)| (second - first) * 1e-6);
            let slack = if matches!(planned.key.value.kind, ExprKind::Field(_)) { 0.0 } else { slack };
            let place = edges.partition_point(|edge| *edge <= number + slack).checked_sub(1)?;
            Some(place.min(edges.len().checked_sub(2)?))
        }
    }
}

/// The aggregates of a measure, in the order of its figures.
fn aggregates_of(measure: &Measure) -> Result<Vec<Aggregate>> {
    use Aggregation as A;
    Ok(match measure {
        Measure::Stats { field } => {
            let stats = [A::Count, A::Sum, A::Avg, A::Min, A::Max, A::Stddev];
            stats.iter().map(|function| aggregate(*function, field, None)).collect()
        }
        Measure::Percentiles { field, at } => at
            .iter()
            .map(|percent| Aggregate { parameter: Some(*percent), ..aggregate(A::Percentile, field, None) })
            .collect(),
        Measure::Distinct { field } => vec![aggregate(A::CountDistinct, field, None)],
        Measure::Rate { .. } => Vec::new(),
        Measure::First { .. } | Measure::Last { .. } => {
            return Err(not_merged("the first or last value"));
        }
    })
}

fn aggregate(function: Aggregation, field: &str, condition: Option<Expr>) -> Aggregate {
    let argument = Some(Expr::new(ExprKind::Field(field.to_owned()), Span::default()));
    Aggregate { function, argument, ..counting(condition, "") }
}

fn binned(field: &str, width: ExprKind) -> Group {
    let arguments = vec![
        Expr::new(ExprKind::Field(field.to_owned()), Span::default()),
        Expr::new(width, Span::default()),
    ];
    let value = Expr::new(ExprKind::Call(Function::Bin, arguments), Span::default());
    Group { value, name: None, span: Span::default() }
}

fn common_divisor(one: u64, other: u64) -> u64 {
    if other == 0 { one } else { common_divisor(other, one % other) }
}

/// How many values an aggregate was calculated of.
fn weights(partials: &Partials) -> u64 {
    match partials {
        Partials::Values(values) => values.values().sum(),
        Partials::Cells(_) => 0,
    }
}

fn not_merged(what: &str) -> Error {
    Error::new(ErrorKind::NotAvailable, format!("{what} is not charted over a case and clusters together"))
        .hint("look at the case, or at the cluster, by itself, or write it with stages")
}

#[cfg(test)]
mod tests {
    use indexer::Scalar;

    use super::*;

    #[test]
    fn keys_find_their_places_and_the_last_bin_has_its_end() {
        let bins = PlannedChart {
            axis: Axis::Bins {
                field: "n".to_owned(),
                edges: vec![0.0, 0.1, 0.2, 0.3],
                missing: 0,
                mistyped: 0,
            },
            key: binned("n", ExprKind::Float(0.1)),
            values: Vec::new(),
        };
        for (number, place) in [(0.0, 0), (0.1, 1), (0.199_999_999_999, 2), (0.3, 2)] {
            assert_eq!(place_of(&bins, &Cell::Float(number)), Some(place), "{number}");
        }
        let values = vec![Scalar::Text("a".to_owned())];
        let terms = PlannedChart {
            axis: Axis::Terms { field: "s".to_owned(), values, distinct: 3 },
            key: by_field("s", Span::default()),
            values: vec![Cell::text("a")],
        };
        let places = [Cell::text("a"), Cell::text("b"), Cell::Missing].map(|cell| place_of(&terms, &cell));
        assert_eq!(places, [Some(0), Some(1), Some(2)]);
        let edges: [u64; 3] = [3_600_000_000_000, 90_000_000_000_000, 172_800_000_000_000];
        assert_eq!(edges.into_iter().fold(0, common_divisor), 3_600_000_000_000);
    }
}
