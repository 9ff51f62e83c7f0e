//! Stages whose planning takes more than a line.

use std::path::Path;
use std::sync::Arc;

use ingest::custom::Extractor;

use super::calendar::Width;
use super::expr::{Expression, TableFilter, invalid};
use super::plan::{Planned, Planner, rows, step};
use super::stages::context::{self, ContextStage, Neighbours};
use super::stages::extract::{Extract, ExtractPattern};
use super::stages::frequent::Ranking;
use super::stages::lookup::LookupStage;
use super::stages::shift::{Shift, shifted_names};
use super::stages::stats::{Largest, PlannedAggregate, RankedGroups, StatsPlan};
use super::stages::timechart::{Timechart, empty};
use super::stages::transaction::TransactionStage;
use super::stages::variable::Variable;
use base::error::Result;
use base::limits::SERIES;
use query::functions::Aggregation;
use query::{
    Aggregate, Baseline, Extraction, FieldRef, Frequent, Group, Join, Quantity, Span, Stage, StageKind,
    Surroundings, TimeSpan, TransactionLimits, VariablePart,
};

fn counting(name: &str) -> PlannedAggregate {
    PlannedAggregate {
        name: name.to_owned(),
        function: Aggregation::Count,
        argument: None,
        parameter: None,
        condition: None,
    }
}

/// Refuses a stage that asks the case for events where rows are no events any more.
fn needs_events(stage: &str, before: &[Stage], span: Span) -> Result<()> {
    if before.iter().any(|stage| stage.kind.makes_a_table()) {
        return Err(invalid(format!("`{stage}` needs events; these rows are results"), span)
            .hint("put it before stats, top and the like"));
    }
    Ok(())
}

impl Planner<'_> {
    pub(super) fn fields(&self, fields: &[FieldRef]) -> Result<Vec<Arc<str>>> {
        fields.iter().map(|field| self.names.resolve(&field.name, field.span)).collect()
    }

    /// The field that a text is taken from: the message unless another is named.
    pub(super) fn text_field(&self, field: Option<&FieldRef>) -> Result<Arc<str>> {
        match field {
            Some(field) => self.names.resolve(&field.name, field.span),
            None => self.names.resolve("message", Span::default()),
        }
    }

    pub(super) fn extract(
        &mut self,
        extraction: &Extraction,
        compile: fn(&str) -> std::result::Result<Extractor, String>,
    ) -> Result<Planned> {
        let field = self.text_field(extraction.field.as_ref())?;
        let extractor =
            compile(&extraction.pattern).map_err(|message| invalid(message, extraction.pattern_span))?;
        if extractor.has_dynamic_fields() {
            self.names.open();
        }
        let by = ExtractPattern::Extractor(extractor);
        by.names().iter().for_each(|name| self.names.fill(name));
        Ok(rows(Extract { field, by }))
    }

    pub(super) fn frequent(&mut self, frequent: &Frequent, rarest: bool) -> Result<Vec<Planned>> {
        let (groups, values) = (self.fields(&frequent.by)?, self.fields(&frequent.fields)?);
        let fields: Vec<Arc<str>> = groups.iter().chain(&values).cloned().collect();
        let by = fields.iter().map(|name| (name.to_string(), Expression::field(name))).collect();
        let stage = if rarest { "rare" } else { "top" };
        let count = usize::try_from(frequent.count).unwrap_or(usize::MAX);
        let ranked = frequent.by.is_empty().then_some(RankedGroups { count, rarest });
        let plan = StatsPlan { by, aggregates: vec![counting("count")], largest: None, ranked, stage };
        let names = fields.iter().map(ToString::to_string).chain(["count", "percent"].map(str::to_owned));
        self.names.replace(names.collect::<Vec<_>>());
        let ranking = Ranking::new(groups, values, count, rarest);
        Ok(vec![Planned::Stats(Arc::new(plan)), step(ranking)])
    }

    pub(super) fn timechart(
        &mut self,
        span: TimeSpan,
        aggregates: &[Aggregate],
        by: Option<&Group>,
        limit: Option<u64>,
    ) -> Result<Vec<Planned>> {
        let width = match span {
            TimeSpan::Auto => self.clock.automatic(),
            TimeSpan::Every(quantity) => Width::from_quantity(quantity),
        };
        let time = self.names.resolve("time", Span::default())?;
        let mut keys = vec![("time".to_owned(), Expression::binned(&time, width.clone()))];
        if let Some(group) = by {
            keys.push((format!("by {}", group.column()), self.expression(&group.value)?));
        }
        let mut plan = self.stats(aggregates, &[], "timechart")?;
        if plan.aggregates.is_empty() {
            plan.aggregates.push(counting("count"));
        }
        let functions = plan.aggregates.iter().map(|one| (one.name.clone(), one.function)).collect();
        plan.by = keys;
        let most = limit.map_or(SERIES, |limit| limit as usize);
        plan.largest = by.map(|_| Largest { key: 1, most });
        let names = std::iter::once("time".to_owned());
        let calculated = plan.aggregates.iter().map(|one| one.name.clone()).filter(|_| by.is_none());
        self.names.replace(names.chain(calculated).collect::<Vec<_>>());
        if by.is_some() {
            self.names.open();
        }
        let chart = Timechart::new(width, by.is_some(), functions);
        Ok(vec![Planned::Stats(Arc::new(plan)), step(chart)])
    }

    pub(super) fn lookup(&mut self, join: &Join) -> Result<Planned> {
        let on = join
            .on
            .iter()
            .map(|pair| Ok((self.names.resolve(&pair.from.name, pair.from.span)?, pair.to.name.clone())));
        let on: Vec<_> = on.collect::<Result<_>>()?;
        let output: Vec<_> =
            join.output.iter().map(|pair| (pair.from.name.clone(), pair.to.name.clone())).collect();
        let lookup = LookupStage::open(&self.clock.files, Path::new(&join.file), &on, &output)?;
        lookup.names().for_each(|name| self.names.set(name));
        Ok(rows(lookup))
    }

    pub(super) fn transaction(&mut self, by: &[FieldRef], limits: &TransactionLimits) -> Result<Planned> {
        let by = self.fields(by)?;
        self.names.resolve("time", Span::default())?;
        if self.names.knows("level") {
            self.names.resolve("level", Span::default())?;
        }
        let filter = |filter: &Option<query::Filter>| {
            filter.as_ref().map(|filter| TableFilter::new(filter, &self.names, self.clock)).transpose()
        };
        let length = |quantity: Option<Quantity>| quantity.map(|quantity| quantity.amount() as i64);
        let transaction = TransactionStage {
            starts_with: filter(&limits.starts_with)?,
            ends_with: filter(&limits.ends_with)?,
            max_pause_ns: length(limits.max_pause),
            max_span_ns: length(limits.max_span),
            open: std::collections::HashMap::new(),
            closed: Vec::new(),
            without: 0,
            begun: 0,
            bytes: 0,
            by: by.clone(),
        };
        self.names.replace(TransactionStage::names(&by));
        Ok(Planned::Transaction(transaction))
    }

    pub(super) fn variable(&mut self, before: &[Stage], part: &VariablePart, span: Span) -> Result<Planned> {
        needs_events("variable", before, span)?;
        let Ok(pattern) = part.pattern.name.parse() else {
            return Err(invalid(
                format!("`{}` is not the id of a pattern", part.pattern.name),
                part.pattern.span,
            )
            .hint(
                "ids are a letter and sixteen digits, such as t0123456789abcdef; `| patterns` lists them",
            ));
        };
        self.names.fill(&part.name.name);
        Ok(rows(Variable::new(pattern, part)))
    }

    pub(super) fn context(
        &mut self,
        before: &[Stage],
        surroundings: &Surroundings,
        span: Span,
    ) -> Result<Planned> {
        needs_events("context", before, span)?;
        let neighbours = match &surroundings.same {
            Some(field) => Neighbours::Same(self.names.resolve(&field.name, field.span)?),
            None if surroundings.everywhere => Neighbours::Everywhere,
            None => Neighbours::File,
        };
        self.names.set(context::COLUMN);
        Ok(step(ContextStage::new(surroundings.before, surroundings.after, neighbours)))
    }

    pub(super) fn shift(
        &mut self,
        before: &[Stage],
        baseline: &Baseline,
        aggregates: &[Aggregate],
        by: &[Group],
    ) -> Result<Vec<Planned>> {
        let mut stages = before.to_vec();
        let kind = StageKind::Stats { aggregates: aggregates.to_vec(), by: by.to_vec() };
        stages.push(Stage { kind, span: Span::default() });
        let mut plan = self.stats(aggregates, by, "shift")?;
        if plan.aggregates.is_empty() {
            plan.aggregates.push(counting("count"));
        }
        let keys: Vec<String> = plan.by.iter().map(|(name, _)| name.clone()).collect();
        let calculated = plan
            .aggregates
            .iter()
            .flat_map(|one| std::iter::once(one.name.clone()).chain(shifted_names(&one.name)));
        self.names.replace(keys.iter().cloned().chain(calculated).collect::<Vec<_>>());
        let empty = plan.aggregates.iter().map(|one| empty(one.function)).collect();
        let shift = Shift::new(baseline.clone(), stages, keys.len(), empty);
        Ok(vec![Planned::Stats(Arc::new(plan)), step(shift)])
    }
}
