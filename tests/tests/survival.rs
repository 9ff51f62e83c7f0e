//! A case outlives the process that writes it: killed at any instant, or out of disk.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use indexer::{Cancel, Case, ImportOptions, View};
use timberline_tests::programs::timberline;
use timberline_tests::report;

fn log(folder: &Path, lines: usize) -> PathBuf {
    let path = folder.join("app.log");
    let mut text = String::new();
    for line in 0..lines {
        let (minute, second) = (line / 60 % 60, line % 60);
        let user = line * 7919 % 5000;
        writeln!(text, "2026-03-01 14:{minute:02}:{second:02} INFO request {line} of user u{user} done")
            .expect("text grows");
    }
    std::fs::write(&path, text).expect("the log can be written");
    path
}

fn sound(folder: &Path) -> Case {
    let case = Case::open(folder).expect("the case opens");
    let verification = case.verify(&Cancel::default());
    assert!(verification.problems.is_empty(), "{:?}", verification.problems);
    case
}

#[test]
fn case_opens_verifies_and_resumes_after_a_kill_at_any_instant() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = log(folder.path(), 400_000);
    for (round, wait_ms) in [40, 130, 190, 260, 420, 700, 1_100, 1_600].into_iter().enumerate() {
        let path = folder.path().join(format!("{round}.case"));
        let mut import = Command::new(timberline())
            .arg("import")
            .args([&path, &log])
            .stderr(Stdio::null())
            .spawn()
            .expect("the command starts");
        std::thread::sleep(Duration::from_millis(wait_ms));
        import.kill().expect("it can be killed");
        import.wait().expect("it ends");
        if !path.join("case.json").exists() {
            continue; // Killed before there was a case.
        }
        let kept = sound(&path).snapshot().events();
        assert!(kept <= 400_000);
        let options = ImportOptions::default();
        sound(&path)
            .import(std::slice::from_ref(&log), &options, &|_| {}, &Cancel::default())
            .expect("an import goes on");
        let case = sound(&path);
        // What had landed before is the file's beginning, and the rest goes on in the same source.
        assert_eq!((case.snapshot().events(), case.snapshot().sources().len()), (400_000, 1));
        assert!(case.snapshot().sources()[0].complete);
        let (indexed, segments) = case.snapshot().indexed();
        assert_eq!(indexed, segments, "the index of what had landed before is made up for");
    }
}

#[test]
fn damaged_index_is_reported_and_deleted_index_is_rebuilt() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = log(folder.path(), 5_000);
    let path = folder.path().join("c.case");
    let import = |case: &Case, files: &[PathBuf]| {
        case.import(files, &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("an import")
    };
    let count = |case: &Case| {
        let view = View::parse("u4013", None, None).expect("a query");
        case.count(&case.snapshot(), &view, &Cancel::default()).expect("a count")
    };
    import(&Case::create(&path).expect("a case"), &[log]);
    let expected = count(&sound(&path));
    assert!(expected > 0);
    let index = path.join("segments/0/text");
    let files = std::fs::read_dir(&index).expect("an index").map(|file| file.expect("a file").path());
    let is_term_dictionary = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "term");
    let dictionary = files.into_iter().find(is_term_dictionary).expect("a term dictionary");
    let mut bytes = std::fs::read(&dictionary).expect("there is an index");
    *bytes.last_mut().expect("it is not empty") ^= 1;
    std::fs::write(&dictionary, bytes).expect("it can be damaged");
    let problems = Case::open(&path).expect("the case opens").verify(&Cancel::default()).problems;
    assert!(problems.len() == 1 && problems[0].to_string().contains(".term"), "{problems:?}");
    std::fs::remove_dir_all(&index).expect("it can be deleted");
    assert_eq!(count(&sound(&path)), expected, "searches scan without it");
    import(&sound(&path), &[]);
    assert!(index.exists(), "the next import makes it again");
    assert_eq!(count(&sound(&path)), expected);
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("it can be copied");
        }
    }
}

/// Runs the command and kills it after a while.
fn killed_after(wait_ms: u64, arguments: &[&std::ffi::OsStr]) {
    let mut command =
        Command::new(timberline()).args(arguments).stderr(Stdio::null()).spawn().expect("the command starts");
    std::thread::sleep(Duration::from_millis(wait_ms));
    command.kill().expect("it can be killed");
    command.wait().expect("it ends");
}

fn counted(case: &Case, query: &str) -> u64 {
    let view = View::parse(query, None, None).expect("a query");
    case.count(&case.snapshot(), &view, &Cancel::default()).expect("a count") as u64
}

#[test]
fn kill_while_a_grown_file_is_read_ends_like_a_single_import() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = log(folder.path(), 60_000);
    let before = folder.path().join("before.case");
    let import = |case: &Case| {
        case.import(std::slice::from_ref(&path), &ImportOptions::default(), &|_| {}, &Cancel::default())
            .expect("an import")
    };
    import(&Case::create(&before).expect("a case"));
    log(folder.path(), 300_000);
    for (round, wait_ms) in [20, 90, 160, 250, 380, 600, 900].into_iter().enumerate() {
        let case = folder.path().join(format!("{round}.case"));
        copy(&before, &case);
        killed_after(wait_ms, &["import".as_ref(), case.as_os_str(), path.as_os_str()]);
        let opened = sound(&case);
        let (kept, sources) = (opened.snapshot().events(), opened.snapshot().sources().len());
        assert!((60_000..=300_000).contains(&kept) && sources == 1, "{kept} events in {sources} sources");
        // What is shown of it answers: the last event of what there was is still there once.
        assert_eq!(counted(&opened, "\"request 59999 of\""), 1);
        let report = import(&opened);
        assert!(report.failure.is_none() && report.files[0].problem.is_none(), "{report:?}");
        let case = sound(&case);
        assert_eq!((case.snapshot().events(), case.snapshot().sources().len()), (300_000, 1));
        assert_eq!(counted(&case, "\"request 299999 of\""), 1);
    }
}

#[test]
fn kill_during_reread_leaves_the_old_or_the_new_source() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = log(folder.path(), 120_000);
    let before = folder.path().join("before.case");
    let case = Case::create(&before).expect("a case");
    case.import(std::slice::from_ref(&path), &ImportOptions::default(), &|_| {}, &Cancel::default())
        .expect("an import");
    let old = case.snapshot().sources()[0].format.clone();
    let users = counted(&case, "u4013");
    assert!(old != "logfmt" && users > 0);
    // The original is not needed.
    std::fs::remove_file(&path).expect("it goes away");
    let reread = |case: &Path| -> Vec<std::ffi::OsString> {
        ["reread".into(), case.into(), "0".into(), "--format".into(), "logfmt".into()].into()
    };
    for (round, wait_ms) in [20, 80, 150, 230, 340, 500, 800].into_iter().enumerate() {
        let case = folder.path().join(format!("{round}.case"));
        copy(&before, &case);
        let arguments = reread(&case);
        let arguments: Vec<_> = arguments.iter().map(std::ffi::OsString::as_os_str).collect();
        killed_after(wait_ms, &arguments);
        let opened = sound(&case);
        let format = opened.snapshot().sources()[0].format.clone();
        assert!(format == old || format == "logfmt", "{format}");
        assert_eq!(opened.snapshot().events(), 120_000, "nothing is there twice or missing, as {format}");
        assert_eq!(counted(&opened, "u4013"), users);
        drop(opened);
        let done = Command::new(timberline()).args(&arguments).stderr(Stdio::null()).status();
        assert!(done.expect("the command runs").success());
        let case = sound(&case);
        assert_eq!(case.snapshot().sources()[0].format, "logfmt");
        assert_eq!((case.snapshot().events(), counted(&case, "u4013")), (120_000, users));
    }
}

/// Runs only where a small file system of its own can be mounted for one process, as root can on Linux.
#[test]
fn full_disk_ends_the_import_and_keeps_landed_events() {
    let folder = tempfile::tempdir().expect("a folder");
    let (disk, copy) = (folder.path().join("disk"), folder.path().join("copy"));
    std::fs::create_dir(&disk).expect("a folder");
    let log = log(folder.path(), 1_500_000);
    let script = format!(
        "mount -t tmpfs -o size=6m tmpfs '{disk}' || exit 77
         '{timberline}' import --profile fields '{disk}/r.case' '{log}'; test $? = 3 || exit 78
         '{timberline}' import --beyond-reserve --profile fields '{disk}/c.case' '{log}'; code=$?
         cp -r '{disk}' '{copy}'; exit $code",
        disk = disk.display(),
        timberline = timberline().display(),
        log = log.display(),
        copy = copy.display(),
    );
    let run = Command::new("unshare").args(["--map-root-user", "--mount", "sh", "-c", &script]).output();
    let run = match report::unshared(run) {
        Ok(run) => run,
        Err(reason) => return report::skipped(&reason),
    };
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    assert_eq!(run.status.code(), Some(3), "{said}");
    assert!(said.contains("othing was imported") && said.contains("--beyond-reserve"), "{said}");
    assert!(said.contains("disk is full") && said.contains("are kept"), "{said}");
    let kept = sound(&copy.join("c.case")).snapshot().events();
    assert!(said.contains(&format!("{kept} events")), "{kept} in the case, but: {said}");
}
