//! The list of clusters: added, tried, switched off and forgotten by hand.

// Every call answers alike, so that the contract's table can list it; some of them cannot fail.
#![allow(clippy::unnecessary_wraps)]

use std::path::{Path, PathBuf};

use remote::{Login, Options, Remote, Remotes};
use serde::{Deserialize, Serialize};

use super::OpenRemotes;
use crate::calls::{Answer, text};
use crate::session::{Call, Session};
use crate::types::{Empty, ErrorCode, WireError};

/// The variable with the password of a user, where no file has it.
const PASSWORD_VARIABLE: &str = "TIMBERLINE_REMOTE_PASSWORD";

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RemoteList {
    pub remotes: Vec<ListedRemote>,
    /// Nothing connects to any of them.
    pub all_off: bool,
}

/// A cluster as the list shows it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ListedRemote {
    pub name: String,
    /// What opens it in place of a case's folder.
    pub path: String,
    pub url: String,
    pub index: String,
    pub time_field: Option<String>,
    /// Where the credentials are, in words. Never the credentials.
    pub credentials: String,
    pub ca: Option<String>,
    /// The SHA-256 of its certificate, in place of a file.
    pub fingerprint: Option<String>,
    pub off: bool,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct AddRemoteRequest {
    pub name: String,
    pub url: String,
    pub index: String,
    /// Null finds it in the mapping.
    pub time_field: Option<String>,
    /// A file of mode 600 with an API key.
    pub api_key_file: Option<String>,
    pub user: Option<String>,
    /// A file of mode 600 with the user's password.
    pub password_file: Option<String>,
    /// PEM certificates that the cluster's own must lead to.
    pub ca: Option<String>,
    /// In place of such a file, the SHA-256 of the certificate.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub fingerprint: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RemoteName {
    pub name: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SwitchRemoteRequest {
    /// Null is all of them at once; each keeps its own switch.
    pub name: Option<String>,
    pub off: bool,
}

/// What a test of the connection found, in its order.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RemoteCheck {
    pub usable: bool,
    pub findings: Vec<RemoteFinding>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RemoteFinding {
    pub what: String,
    pub text: Option<String>,
    /// Why not, with what to do.
    pub problem: Option<WireError>,
}

fn listed(remotes: &Remotes) -> RemoteList {
    let one = |remote: &Remote| ListedRemote {
        name: remote.name.clone(),
        path: format!("remote:{}", remote.name),
        url: remote.url.clone(),
        index: remote.index.clone(),
        time_field: remote.time_field.clone(),
        credentials: remote.credentials(),
        ca: remote.ca.as_deref().map(text),
        fingerprint: remote.fingerprint.clone(),
        off: remote.off,
    };
    RemoteList { remotes: remotes.remotes.iter().map(one).collect(), all_off: remotes.all_off }
}

pub fn remotes(session: &Session, _: &Call<'_>, _: &Empty, _: &dyn Fn(Empty)) -> Answer<RemoteList> {
    Ok(listed(&Remotes::read(&session.start.home)?))
}

pub fn add_remote(
    session: &Session,
    _: &Call<'_>,
    request: &AddRemoteRequest,
    _: &dyn Fn(Empty),
) -> Answer<RemoteList> {
    let mut remotes = Remotes::read(&session.start.home)?;
    if remotes.remotes.iter().any(|known| known.name == request.name) {
        let message = format!("There is a cluster named \"{}\" already.", request.name);
        let hint = Some("Take another name, or remove that one first.".to_owned());
        return Err(WireError { hint, ..WireError::new(ErrorCode::BadRequest, message) });
    }
    let mut remote = Remote::new(&request.name, &request.url, &request.index)?;
    let given = |text: &Option<String>| {
        text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
    };
    remote.time_field = given(&request.time_field);
    remote.ca = given(&request.ca).map(whole_path).transpose()?;
    if let Some(fingerprint) = given(&request.fingerprint) {
        remote.set_fingerprint(&fingerprint)?;
    }
    let password_file = given(&request.password_file).map(whole_path).transpose()?;
    let api_key_file = given(&request.api_key_file).map(whole_path).transpose()?;
    remote.login = match (api_key_file, given(&request.user), password_file) {
        (Some(file), None, None) => Some(Login::ApiKeyFile(file)),
        (None, Some(user), Some(file)) => Some(Login::UserAndFile(user, file)),
        (None, Some(user), None) => Some(Login::UserAndVariable(user, PASSWORD_VARIABLE.to_owned())),
        (None, None, None) => None,
        _ => {
            let message = "Name either a file with an API key, or a user with a file of the password.";
            return Err(WireError::new(ErrorCode::BadRequest, message));
        }
    };
    // What cannot be read is better known now.
    remote.certificates()?;
    if !matches!(remote.login, Some(Login::UserAndVariable(..))) {
        remote.authorization()?;
    }
    remotes.add(remote);
    remotes.write(&session.start.home)?;
    Ok(listed(&remotes))
}

fn whole_path(path: String) -> Answer<PathBuf> {
    if Path::new(&path).is_absolute() {
        return Ok(PathBuf::from(path));
    }
    Err(WireError::new(ErrorCode::BadRequest, format!("\"{path}\" needs its whole path.")))
}

pub fn remove_remote(
    session: &Session,
    _: &Call<'_>,
    request: &RemoteName,
    _: &dyn Fn(Empty),
) -> Answer<RemoteList> {
    let mut remotes = Remotes::read(&session.start.home)?;
    remotes.remove(&request.name)?;
    session.part::<OpenRemotes>().close_one(&request.name);
    remotes.write(&session.start.home)?;
    Ok(listed(&remotes))
}

pub fn switch_remote(
    session: &Session,
    _: &Call<'_>,
    request: &SwitchRemoteRequest,
    _: &dyn Fn(Empty),
) -> Answer<RemoteList> {
    let mut remotes = Remotes::read(&session.start.home)?;
    remotes.switch(request.name.as_deref(), request.off)?;
    if request.off {
        // What clusters keep for this window is given back while connections are still wanted.
        match &request.name {
            Some(name) => session.part::<OpenRemotes>().close_one(name),
            None => session.part::<OpenRemotes>().close(),
        }
    }
    remotes.write(&session.start.home)?;
    Ok(listed(&remotes))
}

pub fn check_remote(
    session: &Session,
    call: &Call<'_>,
    request: &RemoteName,
    _: &dyn Fn(Empty),
) -> Answer<RemoteCheck> {
    let remotes = Remotes::read(&session.start.home)?;
    let checked = remote::check(remotes.get(&request.name)?, Options::default(), &call.cancel);
    let usable = checked.is_usable();
    if call.cancel.is_set() {
        return Err(indexer::Error::cancelled().into());
    }
    let finding = |finding: remote::Finding| {
        let (text, problem) = match finding.result {
            Ok(text) => (Some(text), None),
            Err(error) => (None, Some(WireError::from(&error))),
        };
        RemoteFinding { what: finding.what.to_owned(), text, problem }
    };
    Ok(RemoteCheck { usable, findings: checked.findings.into_iter().map(finding).collect() })
}
