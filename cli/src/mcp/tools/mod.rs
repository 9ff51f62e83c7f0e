//! The tools, a file each.

mod count;
mod events;
mod explain_selection;
mod fields;
mod patterns;
mod percentiles;
mod rows;
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
];
