//! How the first aggregation of a query was executed, for `explain`.

use std::fmt;

/// How the first aggregation of a question is calculated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calculated {
    /// From the codes of columns: no table of rows is made.
    ByKernels,
    /// From a table of rows, with the reason.
    FromRows(&'static str),
}

impl Calculated {
    pub fn from_reason(reason: Option<&'static str>) -> Calculated {
        reason.map_or(Calculated::ByKernels, Calculated::FromRows)
    }
}

/// A sentence.
impl fmt::Display for Calculated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Calculated::ByKernels => {
                f.write_str("the first aggregation is calculated by kernels, from the codes of columns")
            }
            Calculated::FromRows(reason) => {
                write!(f, "the first aggregation is calculated from rows: {reason}")
            }
        }
    }
}
