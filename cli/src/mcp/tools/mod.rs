//! The tools, a file each.

mod alerts;
mod compare;
mod count;
mod detectors;
mod events;
mod explain_selection;
mod fields;
mod links;
mod map;
mod patterns;
mod percentiles;
mod rows;
mod sigma;
mod sql;
mod timeline;

use super::answer::Answered;
use super::arguments::Argument;
use super::call::Call;

pub struct Tool {
    pub name: &'static str,
    pub title: &'static str,
    pub summary: &'static str,
    pub arguments: &'static [Argument],
    pub run: fn(&Call<'_>) -> Answered,
}

pub const TOOLS: &[Tool] = &[
    fields::TOOL,
    count::TOOL,
    timeline::TOOL,
    events::TOOL,
    patterns::TOOL,
    percentiles::TOOL,
    explain_selection::TOOL,
    sql::TOOL,
    detectors::TOOL,
    sigma::TOOL,
    alerts::TOOL,
    compare::TOOL,
    links::TOOL,
    map::TOOL,
];
