//! Access tokens come from files of their owner and from the environment, not from arguments that every account can read.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use timberline_tests::programs;
use timberline_tests::shippers::Daemon;

fn command(home: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(programs::timberline());
    command.args(arguments).current_dir(home).env("TIMBERLINE_HOME", home).env_remove("TIMBERLINE_TOKEN");
    command
}

fn token_file(home: &Path, mode: u32) -> PathBuf {
    let file = home.join("token");
    fs::write(&file, "of-the-file\n").expect("written");
    fs::set_permissions(&file, fs::Permissions::from_mode(mode)).expect("set");
    file
}

/// A server, and the first line that it prints.
fn started(command: &mut Command) -> (Daemon, String) {
    let mut child = Daemon::start(command.stdout(Stdio::piped()).stderr(Stdio::null()));
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("a line");
    (child, line)
}

#[test]
fn serve_takes_its_token_from_a_file_or_the_environment() {
    let home = tempfile::tempdir().expect("a folder");
    token_file(home.path(), 0o600);
    let (_child, line) = started(&mut command(home.path(), &["serve", "--token-file", "token"]));
    assert!(line.trim().ends_with("#token=of-the-file"), "{line}");
    let (_child, line) =
        started(command(home.path(), &["serve"]).env("TIMBERLINE_TOKEN", "of-the-environment"));
    assert!(line.trim().ends_with("#token=of-the-environment"), "{line}");
}

#[test]
fn token_in_the_arguments_and_token_file_of_everybody_are_refused() {
    let home = tempfile::tempdir().expect("a folder");
    let refused = command(home.path(), &["serve", "--token", "s3cret"]).output().expect("it runs");
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--token-file"), "{refused:?}");
    token_file(home.path(), 0o644);
    let live = ["listen", "live.case", "--http", "127.0.0.1:0", "--token-file", "token"];
    for arguments in [&live[..], &["serve", "--token-file", "token"]] {
        let refused = command(home.path(), arguments).output().expect("it runs");
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && said.contains("Run chmod 600 token"), "{said}");
    }
}

#[test]
fn listen_takes_its_token_from_the_environment() {
    let home = tempfile::tempdir().expect("a folder");
    let arguments = ["listen", "live.case", "--http", "127.0.0.1:0", "--json"];
    let (_child, line) = started(command(home.path(), &arguments).env("TIMBERLINE_TOKEN", "s3cret"));
    let ready: Value = serde_json::from_str(&line).expect("JSON");
    let address = ready["listening"][0]["address"].as_str().expect("an address");
    let status = |authorization: &str| {
        let mut http = TcpStream::connect(address).expect("it accepts");
        let head = format!("GET / HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{authorization}\r\n");
        http.write_all(head.as_bytes()).expect("it is sent");
        let mut answer = String::new();
        http.read_to_string(&mut answer).expect("an answer");
        answer.split(' ').nth(1).expect("a status").to_owned()
    };
    assert_eq!(status(""), "401");
    assert_eq!(status("Authorization: Bearer wrong\r\n"), "401");
    assert_eq!(status("Authorization: Bearer s3cret\r\n"), "200");
}
