//! The remotes that a person added, in one file that nobody else can read.
//!
//! The file has no secrets: it says where they are, in a file of mode 600 or in the environment. They are read when a
//! connection is made, and [`Secret`] prints as dots wherever it is printed.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use indexer::whole_file::{self, Readers};
use indexer::{Error, ErrorKind, Result};
use serde::{Deserialize, Serialize};
use ureq::http::Uri;

use crate::fingerprint;

/// Where a remote is, and what is needed to ask it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remote {
    pub name: String,
    /// Without a slash at its end.
    pub url: String,
    /// The pattern of indexes: `logs-*`.
    pub index: String,
    /// The field with the time; found in the mapping unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_field: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub login: Option<Login>,
    /// PEM certificates that the cluster's own must lead to, instead of the public ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca: Option<PathBuf>,
    /// The SHA-256 of the certificate that the cluster's own must lead to, in place of a file with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// Nothing connects to it while this is set.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub off: bool,
}

/// Where the credentials are. Never the credentials.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Login {
    ApiKeyFile(PathBuf),
    UserAndFile(String, PathBuf),
    /// The name of the variable that holds the password.
    UserAndVariable(String, String),
}

/// A secret; it prints as dots.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub fn new(text: String) -> Secret {
        Secret(text)
    }

    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

fn bad(message: impl Into<String>, hint: impl Into<String>) -> Error {
    Error::new(ErrorKind::BadRequest, message).hint(hint)
}

impl Remote {
    /// A remote without credentials.
    pub fn new(name: &str, url: &str, index: &str) -> Result<Remote> {
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if name.is_empty() || !name.chars().all(is_name) {
            return Err(bad(
                format!("\"{name}\" cannot be the name of a cluster"),
                "use letters, digits, - _ and .; it is written as remote:NAME",
            ));
        }
        let shape = "write it as https://logs.example:9200, or http://127.0.0.1:9200 on this machine";
        let uri: Uri = url.parse().map_err(|_| bad("the address cannot be read", shape))?;
        if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
            return Err(bad(
                "the address has credentials in it, which would be stored and shown",
                "leave them out, and name a file with --api-key-file, or --user with --password-file",
            ));
        }
        if !matches!(uri.scheme_str(), Some("http" | "https")) || uri.host().is_none_or(str::is_empty) {
            return Err(bad(format!("\"{url}\" is not the address of a cluster"), shape));
        }
        if uri.query().is_some() {
            return Err(bad("the address has a query in it", shape));
        }
        let refused =
            |c: char| c.is_whitespace() || c.is_control() || matches!(c, '/' | '?' | '#' | '%' | '"' | '\\');
        if index.is_empty() || index.contains(refused) {
            return Err(bad(
                format!("\"{index}\" is not a pattern of indexes"),
                "write it as logs-* or logs-2026,app-*",
            ));
        }
        Ok(Remote {
            name: name.to_owned(),
            url: url.trim_end_matches('/').to_owned(),
            index: index.to_owned(),
            time_field: None,
            login: None,
            ca: None,
            fingerprint: None,
            off: false,
        })
    }

    /// Whether it is on this machine.
    #[must_use]
    pub fn is_local(&self) -> bool {
        let uri: Option<Uri> = self.url.parse().ok();
        let host = uri.and_then(|uri| uri.host().map(|host| host.trim_matches(['[', ']']).to_owned()));
        host.is_some_and(|host| {
            host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
        })
    }

    /// The value of the `Authorization` header.
    pub fn authorization(&self) -> Result<Option<Secret>> {
        let Some(login) = &self.login else { return Ok(None) };
        if self.url.starts_with("http:") && !self.is_local() {
            return Err(bad(
                format!("credentials would be sent to {} unencrypted", self.url),
                "use an address that begins with https://, with --ca FILE if its certificate is your own",
            ));
        }
        let basic = |user: &str, password: &str| {
            use base64::Engine;
            let both = base64::engine::general_purpose::STANDARD.encode(format!("{user}:{password}"));
            Secret::new(format!("Basic {both}"))
        };
        Ok(Some(match login {
            Login::ApiKeyFile(file) => {
                let key = secret_file(file, "credentials")?;
                // What the cluster's own tools print is `id:key`, and what it wants is that in base64.
                let encoded = if key.contains(':') {
                    use base64::Engine;
                    base64::engine::general_purpose::STANDARD.encode(key)
                } else {
                    key
                };
                Secret::new(format!("ApiKey {encoded}"))
            }
            Login::UserAndFile(user, file) => basic(user, &secret_file(file, "credentials")?),
            Login::UserAndVariable(user, variable) => {
                let password = std::env::var(variable).map_err(|_| {
                    bad(
                        format!(
                            "the password of {user} is expected in the variable {variable}, which is not set"
                        ),
                        format!("set {variable}, or add the cluster again with --password-file FILE"),
                    )
                })?;
                basic(user, &password)
            }
        }))
    }

    /// Sets the fingerprint of its certificate, as people copy it.
    pub fn set_fingerprint(&mut self, text: &str) -> Result<()> {
        if self.ca.is_some() {
            return Err(bad(
                "a file of certificates and a fingerprint are two ways to say the same",
                "name one of them",
            ));
        }
        if !self.url.starts_with("https:") {
            return Err(bad(
                "a fingerprint is that of a certificate, and the address does not begin with https://",
                "leave the fingerprint out, or use an address that begins with https://",
            ));
        }
        self.fingerprint = Some(fingerprint::normalized(text)?);
        Ok(())
    }

    /// Where the credentials are, in words.
    #[must_use]
    pub fn credentials(&self) -> String {
        match &self.login {
            None => "no credentials".to_owned(),
            Some(Login::ApiKeyFile(file)) => format!("API key in {}", file.display()),
            Some(Login::UserAndFile(user, file)) => format!("{user}, password in {}", file.display()),
            Some(Login::UserAndVariable(user, variable)) => format!("{user}, password in ${variable}"),
        }
    }

    /// The certificates of its `--ca` file.
    pub fn certificates(&self) -> Result<Option<Vec<u8>>> {
        let Some(file) = &self.ca else { return Ok(None) };
        let read = fs::read(file).map_err(|error| {
            Error::new(ErrorKind::NotReadable, format!("the certificates cannot be read: {error}"))
                .at(file)
                .hint("add the cluster again with --ca FILE, a file of PEM certificates")
        })?;
        Ok(Some(read))
    }
}

/// The first line of a file that only its owner can read; `what` is its name for people.
pub fn secret_file(file: &Path, what: &str) -> Result<String> {
    let fail =
        |message: String, hint: String| Error::new(ErrorKind::NotReadable, message).at(file).hint(hint);
    let unread = |error: std::io::Error| {
        fail(
            format!("the {what} cannot be read: {error}"),
            "name a file of mode 600, whose first line is read".to_owned(),
        )
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(file).map_err(unread)?.permissions().mode();
        if mode & 0o077 != 0 {
            let hint = format!("run chmod 600 {}", file.display());
            return Err(fail(format!("other people can read the file with the {what}"), hint));
        }
    }
    let text = fs::read_to_string(file).map_err(unread)?;
    let line = text.lines().next().unwrap_or_default().trim();
    if line.is_empty() || line.contains(char::is_control) {
        return Err(fail(format!("the first line has no {what}"), "only the first line is read".to_owned()));
    }
    Ok(line.to_owned())
}

/// All remotes, by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remotes {
    pub remotes: Vec<Remote>,
    /// Nothing connects to any of them while this is set.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all_off: bool,
}

impl Remotes {
    /// `prod` of `remote:prod`.
    #[must_use]
    pub fn name_in(argument: &str) -> Option<&str> {
        argument.strip_prefix("remote:").filter(|name| !name.is_empty())
    }

    /// Where they are listed, in Timberline's own folder.
    #[must_use]
    pub fn file(home: &Path) -> PathBuf {
        home.join("remotes.json")
    }

    pub fn read(home: &Path) -> Result<Remotes> {
        let file = Remotes::file(home);
        let bytes = match fs::read(&file) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Remotes::default()),
            Err(error) => {
                let message = format!("the list of clusters cannot be read: {error}");
                return Err(Error::new(ErrorKind::NotReadable, message).at(&file));
            }
        };
        serde_json::from_slice(&bytes).map_err(|error| {
            Error::new(ErrorKind::Corrupt, format!("the list of clusters cannot be read: {error}"))
                .at(&file)
                .hint("mend the file, or remove it and add the clusters again")
        })
    }

    /// Writes the file, whole or not at all, for its owner alone.
    pub fn write(&self, home: &Path) -> Result<()> {
        let file = Remotes::file(home);
        let written = || -> std::io::Result<()> {
            whole_file::create_own_folder(home)?;
            whole_file::replace(&file, &serde_json::to_vec_pretty(self)?, Readers::Owner)
        };
        written().map_err(|error| Error::writing(&file, &error))
    }

    /// Adds a remote, in place of one with the same name.
    pub fn add(&mut self, remote: Remote) {
        self.remotes.retain(|known| known.name != remote.name);
        self.remotes.push(remote);
        self.remotes.sort_by(|one, other| one.name.cmp(&other.name));
    }

    /// The remote of a name, which must be there and on.
    pub fn get(&self, name: &str) -> Result<&Remote> {
        let Some(remote) = self.remotes.iter().find(|remote| remote.name == name) else {
            let names = self.remotes.iter().map(|remote| remote.name.as_str());
            let hint = match indexer::query::nearest(name, names) {
                Some(near) => format!("did you mean remote:{near}?"),
                None => "add one with timberline remote add NAME URL --index PATTERN".to_owned(),
            };
            return Err(bad(format!("there is no cluster named \"{name}\""), hint));
        };
        if self.all_off {
            return Err(bad(
                "connections to all clusters are switched off",
                "switch them on with timberline remote on --all, or in the list of clusters of the workbench",
            ));
        }
        if remote.off {
            return Err(bad(
                format!("connections to the cluster \"{name}\" are switched off"),
                format!("switch them on with timberline remote on {name}"),
            ));
        }
        Ok(remote)
    }

    /// Switches one remote on or off; all of them at once where none is named.
    pub fn switch(&mut self, name: Option<&str>, off: bool) -> Result<()> {
        let Some(name) = name else {
            self.all_off = off;
            return Ok(());
        };
        match self.remotes.iter_mut().find(|remote| remote.name == name) {
            Some(remote) => {
                remote.off = off;
                Ok(())
            }
            None => self.get(name).map(|_| ()),
        }
    }

    /// Removes a remote; the files with its credentials stay.
    pub fn remove(&mut self, name: &str) -> Result<()> {
        let before = self.remotes.len();
        self.remotes.retain(|remote| remote.name != name);
        if self.remotes.len() == before {
            return Err(bad(
                format!("there is no cluster named \"{name}\""),
                "see the names with timberline remote list",
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_names_are_checked() {
        for (name, url, index) in [
            ("", "https://a", "x"),
            ("a b", "https://a", "x"),
            ("a", "a:9200", "x"),
            ("a", "https://", "x"),
            ("a", "file:///etc", "x"),
            ("a", "https://me:secret@a", "x"),
            ("a", "https://a?x=1", "x"),
            ("a", "https://a", ""),
            ("a", "https://a", "x/_delete_by_query"),
        ] {
            let error = Remote::new(name, url, index).expect_err(url);
            assert!(error.hint_text().is_some(), "{error}");
            assert!(!error.to_string().contains("secret"), "{error}");
        }
        assert!(Remote::new("a", "http://[::1]:9200/es/", "x-*,y").is_ok_and(|remote| remote.is_local()));
    }

    #[cfg(unix)]
    #[test]
    fn file_and_credentials_are_for_their_owner_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let key = folder.path().join("key");
        fs::write(&key, "abc:s3cret\n").expect("written");
        fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).expect("set");
        let mut remote = Remote::new("prod", "https://a:9200", "x").expect("a remote");
        remote.login = Some(Login::ApiKeyFile(key.clone()));
        let error = remote.authorization().expect_err("others can read it");
        assert!(error.hint_text().is_some_and(|hint| hint.starts_with("run chmod 600")), "{error}");
        fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).expect("set");
        let secret = remote.authorization().expect("read").expect("a secret");
        assert_eq!(secret.reveal(), "ApiKey YWJjOnMzY3JldA==");
        assert_eq!(format!("{secret:?}"), "…");

        remote.url = "http://a:9200".to_owned();
        let error = remote.authorization().expect_err("unencrypted");
        assert!(error.message().contains("unencrypted"), "{error}");

        let mut remotes = Remotes::default();
        remotes.add(remote);
        remotes.write(folder.path()).expect("written");
        let file = Remotes::file(folder.path());
        assert_eq!(fs::metadata(&file).expect("there").permissions().mode() & 0o777, 0o600);
        let text = fs::read_to_string(&file).expect("read");
        assert!(!text.contains("s3cret"), "{text}");
        assert_eq!(Remotes::read(folder.path()).expect("read"), remotes);
    }

    #[test]
    fn unknown_and_switched_off_remotes_say_what_to_do() {
        let mut remotes = Remotes::default();
        let mut remote = Remote::new("prod", "https://a:9200", "x").expect("a remote");
        remote.off = true;
        remotes.add(remote);
        assert!(
            remotes
                .get("prd")
                .expect_err("unknown")
                .hint_text()
                .is_some_and(|hint| hint.contains("remote:prod"))
        );
        assert!(remotes.get("prod").expect_err("off").message().contains("switched off"));
    }
}
