//! Files that commands write for people and for Timberline itself: planted names, other things in their place, and a system
//! that allows no larger file.
#![cfg(unix)]

use std::fmt::Write;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use timberline_tests::programs;

/// A case with so many events, and the home of the commands.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        let place = Place { folder: tempfile::tempdir().expect("a folder") };
        fs::write(place.at("app.log"), log(0..2_000)).expect("a log");
        let done = place.shell("exec \"$T\" import app.case app.log");
        assert!(done.status.success(), "{}", said(&done));
        place
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A script in the folder; `$T` is the command, and keeps the number of the shell's process after `exec`.
    fn shell(&self, script: &str) -> Output {
        let mut command = Command::new("sh");
        command.args(["-c", script]).current_dir(self.folder.path());
        command.env("T", programs::timberline()).env("TIMBERLINE_HOME", self.at("home"));
        command.output().expect("sh runs")
    }

    fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.at(folder)).expect("a folder").flatten();
        let mut names: Vec<_> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Lines whose bytes do not compress away.
fn log(numbers: std::ops::Range<u64>) -> String {
    numbers.fold(String::new(), |mut text, number| {
        let noise = number.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(0x1234_5678).rotate_left(17);
        let more = noise.wrapping_mul(0xD134_2543_DE82_EF95);
        let (minute, second) = (number / 60 % 60, number % 60);
        writeln!(text, "2026-03-01 14:{minute:02}:{second:02} INFO id={noise:016x}{more:016x} done")
            .expect("grows");
        text
    })
}

#[test]
fn a_link_planted_under_a_temporary_name_is_not_written_through() {
    let place = Place::new();
    fs::create_dir_all(place.at("home/push")).expect("a folder");
    for (planted, command) in [
        (".of.csv.$$.part", "export app.case '*' --to of.csv"),
        (".of.ndjson.$$.part", "push app.case '*' --index app --to-file of.ndjson"),
        ("home/remotes.$$.part", "remote add prod http://127.0.0.1:9 --index logs"),
        ("disk-$$.trial", "tune --disk ."),
    ] {
        fs::write(place.at("victim"), "precious").expect("a file");
        let script = format!("ln -s \"$PWD/victim\" \"{planted}\" && exec \"$T\" {command}");
        let done = place.shell(&script);
        assert!(done.status.success(), "{command}: {}", said(&done));
        assert_eq!(fs::read_to_string(place.at("victim")).expect("read"), "precious", "{command}");
    }
}

#[test]
fn an_export_replaces_files_only() {
    let place = Place::new();
    fs::write(place.at("victim"), "precious").expect("a file");
    symlink(place.at("victim"), place.at("link.csv")).expect("a link");
    fs::create_dir(place.at("folder.csv")).expect("a folder");
    assert!(place.shell("mkfifo pipe.csv").status.success());
    let before = place.names(".");
    for (target, what) in
        [("link.csv", "a link"), ("folder.csv", "a folder"), ("pipe.csv", "a device or a pipe")]
    {
        let refused = place.shell(&format!("exec \"$T\" export app.case '*' --to {target}"));
        assert_eq!(refused.status.code(), Some(2), "{}", said(&refused));
        assert!(said(&refused).contains(target) && said(&refused).contains(what), "{}", said(&refused));
    }
    assert_eq!(place.names("."), before);
    assert_eq!(fs::read_to_string(place.at("victim")).expect("read"), "precious");
    let is_link = |path: &Path| fs::symlink_metadata(path).expect("there").is_symlink();
    assert!(is_link(&place.at("link.csv")));
}

#[test]
fn a_file_beyond_the_allowed_size_fails_by_name_and_leaves_the_earlier_one() {
    let place = Place::new();
    fs::write(place.at("of.csv"), "earlier").expect("a file");
    let before = place.names(".");
    let failed = place.shell("ulimit -f 8; exec \"$T\" export app.case '*' --to of.csv");
    assert_eq!(failed.status.code(), Some(3), "{failed:?}");
    assert!(said(&failed).contains("of.csv"), "{}", said(&failed));
    assert!(said(&failed).contains("larger than this system allows"), "{}", said(&failed));
    assert_eq!(place.names("."), before);
    assert_eq!(fs::read_to_string(place.at("of.csv")).expect("read"), "earlier");
}

#[test]
fn an_import_beyond_the_allowed_size_names_the_file_and_keeps_the_case() {
    let place = Place::new();
    let larger = place.at("larger.log");
    fs::write(&larger, log(2_000..40_000)).expect("a log");
    let failed = place.shell("ulimit -f 1000; exec \"$T\" import app.case larger.log");
    assert_eq!(failed.status.code(), Some(3), "{failed:?}");
    let message = said(&failed);
    assert!(message.contains("larger than this system allows"), "{message}");
    assert!(message.contains("app.case") && message.contains("is kept"), "{message}");
    let verified = place.shell("\"$T\" verify app.case && \"$T\" query app.case 'source=app.log' --count");
    assert!(verified.status.success(), "{}", said(&verified));
    assert_eq!(String::from_utf8_lossy(&verified.stdout).lines().last(), Some("2000"));
    // With the limit gone the rest follows.
    let done = place.shell("\"$T\" import app.case larger.log && exec \"$T\" query app.case '*' --count");
    assert_eq!(String::from_utf8_lossy(&done.stdout), "40000\n", "{}", said(&done));
}
