//! What is not the case's own is never touched, and what is damaged is never rewritten: each command over every kind
//! of damage that a folder can have. With TIMBERLINE_DAMAGE=all it goes through all combinations, `npm test` through some.

#![cfg(unix)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indexer::{Cancel, Case};
use timberline_tests::faults::{copy, logs};
use timberline_tests::programs::timberline;
use timberline_tests::report::figure;

/// A command that is still running after this hangs.
const PATIENCE: Duration = Duration::from_mins(1);

/// Of all combinations one in so many is tried in every run of the tests.
const ONE_OF: usize = 23;

fn run(arguments: &[&str], paths: &[&Path]) -> Output {
    let mut command = Command::new(timberline());
    command.args(arguments).args(paths).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    finished(command, &format!("{arguments:?}"))
}

fn finished(mut command: Command, what: &str) -> Output {
    let mut child = command.spawn().expect("the command starts");
    let began = Instant::now();
    while child.try_wait().expect("it can be asked").is_none() {
        assert!(began.elapsed() < PATIENCE || child.kill().is_err(), "{what} hangs");
        std::thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().expect("it has ended")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout)
}

/// Every file below a folder with its bytes, and every link with its target. Links are not followed.
fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let (path, kind) = (entry.path(), entry.file_type().expect("its kind"));
        if kind.is_dir() {
            found.extend(tree(&path));
            found.insert(path, Vec::new());
        } else if kind.is_file() {
            found.insert(path.clone(), fs::read(&path).unwrap_or_default());
        } else if kind.is_symlink() {
            found.insert(
                path.clone(),
                fs::read_link(&path).expect("a target").into_os_string().into_encoded_bytes(),
            );
        }
    }
    found
}

fn imported(folder: &Path, lines: usize) -> (PathBuf, Vec<PathBuf>) {
    fs::create_dir_all(folder).expect("made");
    let (case, logs) = (folder.join("a.case"), logs(folder, lines));
    // Two segments and more, so that one can be damaged and the others not.
    for log in &logs {
        let done = run(&["import"], &[&case, log]);
        assert!(done.status.success(), "{}", text(&done));
    }
    (case, logs)
}

fn events(case: &Path) -> u64 {
    Case::open(case).expect("it opens").snapshot().events()
}

#[test]
fn folder_that_is_no_case_is_refused_and_left_as_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let (photos, log) = (folder.path().join("photos"), folder.path().join("n.log"));
    for (name, content) in [("raw/IMG.CR2", "x"), ("segments/2024/a.jpg", "y"), ("accounts/7.json", "{}")] {
        fs::create_dir_all(photos.join(name).parent().expect("a folder")).expect("made");
        fs::write(photos.join(name), content).expect("written");
    }
    fs::write(&log, "2026-03-01 14:00:00 INFO one\n").expect("written");
    let file = folder.path().join("file");
    fs::write(&file, "mine").expect("written");
    let before = tree(folder.path());
    for place in [&photos, &file] {
        for arguments in [&["import"][..], &["listen", "--stdin"]] {
            let paths: &[&Path] = if arguments.len() == 1 { &[place, &log] } else { &[place] };
            let done = run(arguments, paths);
            assert!(!done.status.success(), "{arguments:?} {}", text(&done));
            assert!(text(&done).contains(&*place.to_string_lossy()), "{}", text(&done));
            assert_eq!(tree(folder.path()), before, "{arguments:?}");
        }
    }
}

#[test]
fn case_without_its_manifest_is_never_made_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let (case, logs) = imported(folder.path(), 600);
    let more = folder.path().join("more.log");
    fs::write(&more, "2026-03-01 15:00:00 INFO more\n").expect("written");
    fs::remove_file(case.join("case.json")).expect("removed");
    let before = tree(&case);
    for arguments in [&["import"][..], &["listen", "--stdin"]] {
        let paths: &[&Path] = if arguments.len() == 1 { &[&case, &more] } else { &[&case] };
        let done = run(arguments, paths);
        assert!(!done.status.success() && text(&done).contains("verify --repair"), "{}", text(&done));
    }
    assert_eq!(originals(&before), originals(&tree(&case)));
    assert_eq!(events(&case), 600, "queries are answered from the copy");
    let repaired = run(&["verify", "--repair"], &[&case]);
    assert!(repaired.status.success(), "{}", text(&repaired));
    let done = run(&["import"], &[&case, &more]);
    assert!(done.status.success(), "{}", text(&done));
    assert_eq!(events(&case), 601);
    drop(logs);
}

/// What a case can lose: each of these alone and together.
const LOST: [&str; 6] =
    ["case.json", "case.copy.json", "segments/0", "segments/1/segment.json", "accounts", "templates.json"];

#[test]
fn manifest_is_made_again_from_what_is_left() {
    let folder = tempfile::tempdir().expect("a folder");
    let (whole, logs) = imported(folder.path(), 400);
    for lost in 1..1_usize << LOST.len() {
        let names: Vec<&str> =
            LOST.iter().enumerate().filter(|(bit, _)| lost >> bit & 1 == 1).map(|(_, name)| *name).collect();
        let case = folder.path().join("lost.case");
        copy(&whole, &case);
        for name in &names {
            let path = case.join(name);
            if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.expect("removed");
        }
        let repaired = run(&["verify", "--repair"], &[&case]);
        assert!(repaired.status.success(), "without {names:?}: {}", text(&repaired));
        assert_eq!(events(&case), 400, "without {names:?}: {}", text(&repaired));
        // The same files bring nothing twice.
        let done = run(&["import"], &[&case, &logs[0], &logs[1]]);
        assert!(done.status.success(), "without {names:?}: {}", text(&done));
        assert_eq!(events(&case), 400, "without {names:?}, imported again");
        fs::remove_dir_all(&case).expect("removed");
    }
}

#[test]
fn every_change_refuses_a_damaged_segment() {
    let folder = tempfile::tempdir().expect("a folder");
    let (whole, logs) = imported(folder.path(), 600);
    for (part, file) in [("segments/0", "segment.json"), ("segments/0", "events.parquet"), ("raw", "0.zst")] {
        let commands: [&[&str]; 3] = [&["compact"], &["delete"], &["adjust", "--zone", "Europe/Berlin"]];
        let case = folder.path().join("damaged.case");
        for arguments in commands {
            if case.exists() {
                fs::remove_dir_all(&case).expect("removed");
            }
            copy(&whole, &case);
            let path = case.join(part).join(file);
            let mut bytes = fs::read(&path).expect("it is there");
            let middle = bytes.len() / 2;
            bytes[middle] ^= 0x20;
            fs::write(&path, bytes).expect("written");
            let before = tree(&case);
            let mut command = Command::new(timberline());
            command.arg(arguments[0]).arg(&case).args(&arguments[1..]);
            if arguments[0] != "compact" {
                command.arg("app.log");
            }
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            let done = finished(command, &format!("{arguments:?} over {file}"));
            let is_needed = file == "segment.json"
                || arguments[0] == "compact"
                || file == "0.zst" && arguments[0] == "adjust";
            if is_needed {
                assert!(!done.status.success(), "{arguments:?} over {file}: {}", text(&done));
                let is_named = text(&done).contains("verify") || text(&done).contains(file);
                assert!(is_named, "{arguments:?} over {file}: {}", text(&done));
            }
            let missing: Vec<_> =
                originals(&before).difference(&originals(&tree(&case))).map(Vec::len).collect();
            assert!(missing.is_empty(), "{arguments:?} over {file} lost {missing:?}: {}", text(&done));
        }
        if part != "raw" {
            let repaired = run(&["verify", "--repair"], &[&case]);
            assert!(repaired.status.success(), "{file}: {}", text(&repaired));
        }
        fs::remove_dir_all(&case).expect("removed");
    }
    drop(logs);
}

/// The original bytes in the raw files of a tree, those in the trash included: what each frame unpacks to.
fn originals(tree: &BTreeMap<PathBuf, Vec<u8>>) -> BTreeSet<Vec<u8>> {
    let is_raw = |path: &Path| {
        path.extension().is_some_and(|ending| ending == "zst" || ending == "tail")
            && path.parent().is_some_and(|folder| folder.ends_with("raw"))
    };
    let mut lines = BTreeSet::new();
    for bytes in tree.iter().filter(|(path, _)| is_raw(path)).map(|(_, bytes)| bytes) {
        let mut unpacked = Vec::new();
        if let Ok(mut decoder) = zstd::stream::read::Decoder::new(bytes.as_slice()) {
            // What comes before damage is there; what follows is unknown.
            let _ = decoder.read_to_end(&mut unpacked);
        }
        lines.extend(unpacked.split(|&byte| byte == b'\n').map(<[u8]>::to_vec));
    }
    lines
}

/// What is wrong with a file or folder of a case.
#[derive(Clone, Copy, Debug)]
enum Damage {
    Missing,
    Empty,
    Cut,
    Flipped,
    Folder,
    Fifo,
    LinkToFile,
    LinkToFolder,
    LinkToNothing,
    OfAnotherCase,
}

const EVERY_DAMAGE: [Damage; 10] = [
    Damage::Missing,
    Damage::Empty,
    Damage::Cut,
    Damage::Flipped,
    Damage::Folder,
    Damage::Fifo,
    Damage::LinkToFile,
    Damage::LinkToFolder,
    Damage::LinkToNothing,
    Damage::OfAnotherCase,
];

impl Damage {
    fn apply(self, path: &Path, other: &Path, outside: &Path) {
        let bytes = fs::read(path).unwrap_or_default();
        if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
            .expect("it can be removed");
        let done = match self {
            Damage::Missing => Ok(()),
            Damage::Empty => fs::write(path, ""),
            Damage::Cut => fs::write(path, &bytes[..bytes.len() / 2]),
            Damage::Flipped => {
                let mut bytes = bytes;
                let middle = bytes.len() / 2;
                if let Some(byte) = bytes.get_mut(middle) {
                    *byte ^= 0x20;
                }
                fs::write(path, bytes)
            }
            Damage::Folder => fs::create_dir(path).and_then(|()| fs::write(path.join("mine.txt"), "mine")),
            Damage::Fifo => {
                let made = Command::new("mkfifo").arg(path).status();
                made.map(|made| assert!(made.success()))
            }
            Damage::LinkToFile => symlink(outside.join("kept.txt"), path),
            Damage::LinkToFolder => symlink(outside.join("kept"), path),
            Damage::LinkToNothing => symlink(outside.join("not there"), path),
            Damage::OfAnotherCase if other.is_dir() => {
                copy(other, path);
                Ok(())
            }
            Damage::OfAnotherCase => fs::copy(other, path).map(drop),
        };
        done.expect("the damage can be done");
    }
}

/// The files and folders of a case that are damaged in turn.
fn parts(case: &Path) -> Vec<PathBuf> {
    let all = tree(case).into_keys();
    let relative = all.filter_map(|path| path.strip_prefix(case).ok().map(Path::to_path_buf));
    relative.filter(|path| path.components().count() <= 3).collect()
}

const EVERY_COMMAND: [&[&str]; 13] = [
    &["import", "CASE", "LOG"],
    &["import", "CASE", "NEW"],
    &["compact", "CASE"],
    &["reprofile", "CASE", "raw"],
    &["delete", "CASE", "app.log"],
    &["adjust", "CASE", "app.log", "--zone", "Europe/Berlin"],
    &["reread", "CASE", "app.log", "--format", "text"],
    &["verify", "CASE"],
    &["verify", "--repair", "CASE"],
    &["restore", "CASE"],
    &["info", "CASE"],
    &["query", "CASE", "status>=404 | stats count() by level"],
    &["listen", "--stdin", "CASE"],
];

#[test]
fn no_command_loses_an_original_byte_or_leaves_the_case() {
    let folder = tempfile::tempdir().expect("a folder");
    let (whole, logs) = imported(&folder.path().join("one"), 400);
    let (other, _) = imported(&folder.path().join("other"), 300);
    let (outside, new) = (folder.path().join("outside"), folder.path().join("new.log"));
    fs::create_dir_all(outside.join("kept")).expect("made");
    for name in ["kept.txt", "kept/0.zst", "kept/events.parquet", "kept/mine.json"] {
        fs::write(outside.join(name), format!("{name} is kept")).expect("written");
    }
    fs::write(&new, "2026-03-01 15:00:00 INFO new\n").expect("written");
    let before = tree(&outside);
    let whole_originals = originals(&tree(&whole));
    let is_whole = std::env::var_os("TIMBERLINE_DAMAGE").is_some();
    let parts = parts(&whole);
    let combinations: Vec<(usize, usize, usize)> = (0..parts.len())
        .flat_map(|part| (0..EVERY_DAMAGE.len()).map(move |damage| (part, damage)))
        .flat_map(|(part, damage)| (0..EVERY_COMMAND.len()).map(move |command| (part, damage, command)))
        .enumerate()
        .filter(|(number, _)| is_whole || number % ONE_OF == 0)
        .map(|(_, combination)| combination)
        .collect();
    let count = combinations.len();
    let (queue, failures) = (Mutex::new(combinations), Mutex::new(Vec::new()));
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for thread in 0..cores {
            let (queue, parts, whole, other, outside) = (&queue, &parts, &whole, &other, &outside);
            let (folder, logs, new, before) = (folder.path(), &logs, &new, &before);
            let (whole_originals, failures) = (&whole_originals, &failures);
            scope.spawn(move || {
                let case = folder.join(format!("{thread}.case"));
                loop {
                    let Some((part, damage, command)) = queue.lock().expect("no other failed").pop() else {
                        break;
                    };
                    let (part, damage, arguments) =
                        (&parts[part], EVERY_DAMAGE[damage], EVERY_COMMAND[command]);
                    let what = format!("{arguments:?} with {damage:?} of {}", part.display());
                    if matches!(damage, Damage::OfAnotherCase) && !other.join(part).exists() {
                        continue;
                    }
                    copy(whole, &case);
                    damage.apply(&case.join(part), &other.join(part), outside);
                    let left = originals(&tree(&case));
                    let mut run = Command::new(timberline());
                    for argument in arguments {
                        match *argument {
                            "CASE" => run.arg(&case),
                            "LOG" => run.arg(&logs[0]),
                            "NEW" => run.arg(new),
                            other => run.arg(other),
                        };
                    }
                    run.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
                    let done = finished(run, &what);
                    let check = |holds: bool, failure: String| {
                        if !holds {
                            let said = text(&done).lines().take(3).collect::<Vec<_>>().join(" / ");
                            failures
                                .lock()
                                .expect("no other failed")
                                .push(format!("{what} {failure}: {said}"));
                        }
                    };
                    let code = done.status.code();
                    check(code.is_some_and(|code| code != 101), format!("ended with {code:?}"));
                    check(&tree(outside) == before, "touched files outside".to_owned());
                    let after = tree(&case);
                    let now = originals(&after);
                    let lost = left.difference(&now).filter(|line| whole_originals.contains(*line)).count();
                    check(lost == 0, format!("lost {lost} lines"));
                    let is_mine =
                        |(path, bytes): (&PathBuf, &Vec<u8>)| path.ends_with("mine.txt") && bytes == b"mine";
                    let is_kept = !matches!(damage, Damage::Folder) || after.iter().any(is_mine);
                    check(is_kept, "removed a file that is not the case's".to_owned());
                    fs::remove_dir_all(&case).expect("removed");
                }
            });
        }
    });
    let failures = failures.into_inner().expect("no thread failed");
    assert!(failures.is_empty(), "{} of {count} fail:\n{}", failures.len(), failures.join("\n"));
    figure(&format!("Damage: {count} combinations of a command, a part and a kind of damage lost nothing."));
}

#[test]
fn links_in_a_received_case_are_never_followed() {
    let folder = tempfile::tempdir().expect("a folder");
    let (whole, logs) = imported(folder.path(), 300);
    let outside = folder.path().join("outside");
    fs::create_dir_all(outside.join("folder")).expect("made");
    for name in ["authorized_keys", "bashrc", "folder/1.zst", "folder/notes.txt"] {
        fs::write(outside.join(name), name).expect("written");
    }
    let before = tree(&outside);
    let links = [
        ("raw", "folder"),
        ("segments", "folder"),
        ("accounts", "folder"),
        ("case.lock", "authorized_keys"),
        ("case.tmp", "bashrc"),
        ("case.copy.tmp", "bashrc"),
        ("templates.tmp", "bashrc"),
        ("notes.db", "bashrc"),
        ("notes.db-journal", "bashrc"),
        ("trash", "folder"),
        ("wal", "folder"),
        ("segments/0/text.tmp", "folder"),
    ];
    for (name, target) in links {
        let case = folder.path().join("sent.case");
        copy(&whole, &case);
        let path = case.join(name);
        if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) }.unwrap_or_default();
        symlink(outside.join(target), &path).expect("linked");
        let commands: [&[&str]; 6] = [
            &["import"],
            &["compact"],
            &["reprofile", "raw"],
            &["delete", "app.log"],
            &["listen", "--stdin"],
            &["verify", "--repair"],
        ];
        for arguments in commands {
            let mut command = Command::new(timberline());
            command.arg(arguments[0]).arg(&case).args(&arguments[1..]);
            if arguments[0] == "import" {
                command.arg(&logs[0]);
            }
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
            let done = finished(command, &format!("{arguments:?} with {name}"));
            assert!(done.status.code().is_some_and(|code| code != 101), "{name}: {}", text(&done));
            assert_eq!(tree(&outside), before, "{arguments:?} followed {name}: {}", text(&done));
        }
        let opened = Case::open(&case).and_then(|case| {
            case.copy_to(&folder.path().join("copy.case"), "copy", &mut |_, _| {}, &Cancel::default())
        });
        if opened.is_ok() {
            let copied = tree(&folder.path().join("copy.case"));
            assert!(
                copied.values().all(|bytes| !before.values().any(|kept| !kept.is_empty() && kept == bytes))
            );
            fs::remove_dir_all(folder.path().join("copy.case")).expect("removed");
        }
        assert_eq!(tree(&outside), before, "copying followed {name}");
        fs::remove_dir_all(&case).expect("removed");
    }
}
