//! Clusters with a certificate of their own: trusted by a file, or by its fingerprint, and refused otherwise.

use std::process::Command;

use indexer::{Cancel, Error};
use remote::{Cluster, Remote, check};
use timberline_tests::programs;

use crate::cluster;

use cluster::logs::{EVENTS, asked, patient, started};
use cluster::tls::{Encrypted, file};

/// That of `fixtures/tls/authority.pem`.
const AUTHORITY: &str = "b8d60e5009f7e73f679f3e51a3514c38b7133c2f5cdfe94684d6db2503e351f6";

fn at(encrypted: &Encrypted) -> Remote {
    Remote::new("prod", &format!("https://{}", encrypted.address), "logs").expect("a remote")
}

fn counted(remote: &Remote) -> Result<u64, Error> {
    let cluster = Cluster::connect(remote, patient(), &Cancel::default())?;
    Ok(cluster.count(&asked("*"))?.value)
}

#[test]
fn certificate_is_trusted_by_its_file_or_its_fingerprint_alone() {
    let fake = started();
    let encrypted = Encrypted::before(fake.address);
    let error = counted(&at(&encrypted)).expect_err("nobody signed it");
    assert!(error.hint_text().is_some_and(|hint| hint.contains("--fingerprint")), "{error:?}");
    let mut by_file = at(&encrypted);
    by_file.ca = Some(file("authority.pem"));
    assert_eq!(counted(&by_file).expect("a count"), EVENTS as u64);
    let mut by_fingerprint = at(&encrypted);
    by_fingerprint.set_fingerprint(&AUTHORITY.to_uppercase()).expect("a fingerprint");
    assert_eq!(counted(&by_fingerprint).expect("a count"), EVENTS as u64);

    let before = fake.state.lock().expect("no panic").asked.len();
    let mut other = at(&encrypted);
    other.set_fingerprint(&"ab".repeat(32)).expect("a fingerprint");
    let error = counted(&other).expect_err("another certificate");
    assert!(error.message().contains("has the fingerprint abab"), "{error}");
    assert!(error.hint_text().is_some_and(|hint| hint.contains(AUTHORITY)), "{error:?}");
    // A machine of another name with the same certificate is not the cluster.
    let mut renamed = Remote::new("prod", &format!("https://127.0.0.2:{}", encrypted.address.port()), "logs")
        .expect("a remote");
    renamed.set_fingerprint(AUTHORITY).expect("a fingerprint");
    assert!(counted(&renamed).is_err());
    assert_eq!(fake.state.lock().expect("no panic").asked.len(), before, "nothing was asked");

    let mut both = by_file.clone();
    assert!(both.set_fingerprint(AUTHORITY).is_err(), "two ways to say the same");
    let mut plain = Remote::new("prod", &fake.url(), "logs").expect("a remote");
    assert!(plain.set_fingerprint(AUTHORITY).expect_err("no certificate").hint_text().is_some());
    assert!(check(&by_fingerprint, patient(), &Cancel::default()).is_usable());
}

#[test]
fn command_adds_a_remote_by_its_fingerprint() {
    let (fake, home) = (started(), tempfile::tempdir().expect("a folder"));
    let encrypted = Encrypted::before(fake.address);
    let url = format!("https://{}", encrypted.address);
    let timberline = |arguments: &[&str]| {
        let mut command = Command::new(programs::timberline());
        command.args(arguments).env("TIMBERLINE_HOME", home.path()).output().expect("it runs")
    };
    let added = timberline(&["remote", "add", "prod", &url, "--index", "logs", "--fingerprint", AUTHORITY]);
    assert!(added.status.success(), "{added:?}");
    assert!(fake.state.lock().expect("no panic").asked.is_empty(), "adding connects to nothing");
    let counted = timberline(&["query", "remote:prod", "*", "--count"]);
    assert_eq!(String::from_utf8_lossy(&counted.stdout), format!("{EVENTS}\n"), "{counted:?}");
    let wrong = timberline(&["remote", "add", "prod", &url, "--index", "logs", "--fingerprint", "abc"]);
    assert!(
        !wrong.status.success() && String::from_utf8_lossy(&wrong.stderr).contains("64 hexadecimal digits")
    );
}
