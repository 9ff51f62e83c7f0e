//! Access tokens. They come from a file or from the environment, never from the arguments: every account of a machine can
//! read those of every process.

use std::path::Path;

use indexer::{Error, ErrorKind};

/// The variable with the token, if no file is named.
pub const VARIABLE: &str = "TIMBERLINE_TOKEN";

/// The token that a person chose: the first line of the file, else the variable.
pub fn chosen(file: Option<&Path>) -> Result<Option<String>, Error> {
    let refused = |message: &str| Error::new(ErrorKind::BadRequest, message);
    if let Some(file) = file {
        let token = remote::secret_file(file, "token")?;
        return Ok(Some(token));
    }
    match std::env::var(VARIABLE) {
        Ok(token) if token.trim().is_empty() => Err(refused(&format!("{VARIABLE} is empty"))),
        Ok(token) => Ok(Some(token)),
        Err(std::env::VarError::NotPresent) => Ok(None),
        Err(error) => Err(refused(&format!("{VARIABLE} cannot be read: {error}"))),
    }
}
