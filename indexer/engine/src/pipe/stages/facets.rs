//! `facets`: what each field holds. A row for each of its most frequent values, with the share of rows that
//! have the field and how many different values there are.

use std::sync::Arc;

use super::super::cell::Cell;
use super::super::column::Column;
use super::super::expr::floats;
use super::super::intern::Interner;
use super::super::run::Run;
use super::super::step::Step;
use super::super::table::Table;
use base::error::Result;
use query::BinaryOp;

pub struct FacetsStage {
    /// Those asked for; all that come where none is.
    fields: Vec<Arc<str>>,
    values: usize,
    found: Vec<FacetCounts>,
    rows: u64,
    bytes: usize,
}

struct FacetCounts {
    name: Arc<str>,
    values: Interner,
    counts: Vec<u64>,
}

impl FacetsStage {
    pub const COLUMNS: [&'static str; 6] = ["field", "share", "distinct", "value", "count", "percent"];

    pub fn new(fields: Vec<Arc<str>>, values: usize) -> FacetsStage {
        FacetsStage { fields, values, found: Vec::new(), rows: 0, bytes: 0 }
    }

    /// Those asked for; none where all are.
    pub fn fields(&self) -> &[Arc<str>] {
        &self.fields
    }

    /// So many rows more.
    pub fn add_rows(&mut self, rows: usize) {
        self.rows += rows as u64;
    }

    /// Takes values of a field; with weights each counts as so many rows.
    pub fn add(&mut self, name: &Arc<str>, values: &Column, weights: Option<&[u64]>, ids: &mut Vec<u32>) {
        let place = self.found.iter().position(|facet| facet.name == *name).unwrap_or_else(|| {
            let name = Arc::clone(name);
            self.found.push(FacetCounts { name, values: Interner::default(), counts: Vec::new() });
            self.found.len() - 1
        });
        let facet = &mut self.found[place];
        facet.values.ids(values, ids);
        facet.counts.resize(facet.values.len(), 0);
        match weights {
            None => ids.iter().for_each(|&id| facet.counts[id as usize] += 1),
            Some(weights) => {
                ids.iter().zip(weights).for_each(|(&id, weight)| facet.counts[id as usize] += weight);
            }
        }
    }

    /// Counts what is kept now against the budget.
    pub fn charge(&mut self, run: &Run<'_>) -> Result<()> {
        let bytes =
            self.found.iter().map(|facet| facet.values.bytes() + facet.counts.len() * 8).sum::<usize>();
        run.budget.take("facets", bytes.saturating_sub(self.bytes))?;
        self.bytes = bytes;
        Ok(())
    }
}

impl Step for FacetsStage {
    fn push(&mut self, rows: Table, run: &Run<'_>) -> Result<Option<Table>> {
        self.add_rows(rows.rows());
        let names = if self.fields.is_empty() { rows.names().to_vec() } else { self.fields.clone() };
        let mut ids = Vec::new();
        for name in &names {
            self.add(name, &rows.column_or_missing(name), None, &mut ids);
            run.check()?;
        }
        self.charge(run)?;
        Ok(None)
    }

    fn finish(&mut self, _: &Run<'_>) -> Result<Option<Table>> {
        let mut columns: [Vec<Cell>; 6] = std::array::from_fn(|_| Vec::new());
        for facet in &self.found {
            let mut values: Vec<(u64, &Cell)> = (0..facet.values.len())
                .map(|id| (facet.counts[id], facet.values.cell(id as u32)))
                .filter(|(_, cell)| !cell.is_missing())
                .collect();
            let there: u64 = values.iter().map(|(count, _)| count).sum();
            let distinct = values.len();
            values.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(other.1)));
            values.truncate(self.values.max(1));
            if values.is_empty() {
                values.push((0, &Cell::Missing));
            }
            for (count, value) in values {
                let share = floats(BinaryOp::Divide, there as f64, self.rows as f64);
                let percent = floats(BinaryOp::Divide, 100.0 * count as f64, there as f64);
                let row = [
                    Cell::text(&facet.name),
                    share,
                    Cell::Int(distinct as i64),
                    value.clone(),
                    Cell::Int(count as i64),
                    percent,
                ];
                columns.iter_mut().zip(row).for_each(|(column, cell)| column.push(cell));
            }
        }
        let named = Self::COLUMNS.iter().zip(columns);
        Ok(Some(Table::from_columns(
            named.map(|(name, cells)| ((*name).to_owned(), Column::of_cells(cells))).collect(),
        )))
    }
}
