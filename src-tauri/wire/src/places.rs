//! Cases that are not a folder: a cluster is called `remote:NAME`, and a case with clusters `with:NAME,NAME:FOLDER`.

use crate::types::{ErrorCode, WireError};

/// The names of the clusters and the folder of the case, where both are named.
pub(crate) fn named_together(path: &str) -> Option<(Vec<&str>, &str)> {
    let (names, folder) = path.strip_prefix("with:")?.split_once(':')?;
    let names: Vec<&str> = names.split(',').filter(|name| !name.is_empty()).collect();
    (!names.is_empty() && !folder.is_empty()).then_some((names, folder))
}

/// A call that only one place can answer.
pub(crate) fn not_together() -> WireError {
    WireError {
        hint: Some("Show the case or the cluster by itself to ask this.".to_owned()),
        ..WireError::new(
            ErrorCode::NotAvailable,
            "This is not available for a case that is shown with clusters.",
        )
    }
}

/// A call that only a case can answer.
pub(crate) fn not_available() -> WireError {
    WireError {
        hint: Some(
            "A cluster answers a part of the questions. Import the events to ask all of them.".to_owned(),
        ),
        ..WireError::new(ErrorCode::NotAvailable, "This is not available for a cluster.")
    }
}
