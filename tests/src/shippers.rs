//! The log shippers that tests run: where they are, and as children that end with their test. `scripts/clients.mjs`
//! fetches them and says where in the environment.

use std::ops::{Deref, DerefMut};
use std::path::PathBuf;
use std::process::{Child, Command};

/// rsyslog that can send to Elasticsearch.
#[must_use]
pub fn rsyslogd() -> Option<PathBuf> {
    let folder = tempfile::tempdir().ok()?;
    let conf = folder.path().join("rsyslog.conf");
    std::fs::write(&conf, "module(load=\"omelasticsearch\")\n*.* /dev/null\n").ok()?;
    found("TIMBERLINE_RSYSLOGD", "rsyslogd", |mut command| {
        command.arg("-N1").arg("-f").arg(&conf);
        command
    })
}

/// syslog-ng.
#[must_use]
pub fn syslog_ng() -> Option<PathBuf> {
    found("TIMBERLINE_SYSLOG_NG", "syslog-ng", |mut command| {
        command.arg("--version");
        command
    })
}

/// The first that runs: the program that the variable names, or of this name where daemons are, or on the path.
fn found(variable: &str, name: &str, try_it: impl Fn(Command) -> Command) -> Option<PathBuf> {
    let named = std::env::var_os(variable).map(PathBuf::from);
    let others = [PathBuf::from("/usr/sbin").join(name), PathBuf::from(name)];
    let works =
        |path: &PathBuf| try_it(Command::new(path)).output().is_ok_and(|tried| tried.status.success());
    named.into_iter().chain(others).find(works)
}

/// A program that runs until its owner is dropped.
pub struct Daemon(Child);

impl Daemon {
    /// Starts it.
    ///
    /// # Panics
    /// When it cannot be started.
    #[must_use]
    pub fn start(command: &mut Command) -> Daemon {
        Daemon(command.spawn().expect("it starts"))
    }
}

impl Deref for Daemon {
    type Target = Child;

    fn deref(&self) -> &Child {
        &self.0
    }
}

impl DerefMut for Daemon {
    fn deref_mut(&mut self) -> &mut Child {
        &mut self.0
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
