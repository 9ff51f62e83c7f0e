//! Whatever is done to a case may be ended at every step and at any instant: the case opens, is as it was
//! written, and what was begun is ended by doing it again, with the answers of a case that nothing happened to.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use indexer::{Cancel, Case, ErrorKind, ImportOptions, Profile};
use timberline_tests::faults::{Work, answers, copy, grow, logs, said, sound, steps};
use timberline_tests::report::figure;

/// Instants at which work is killed without looking where it is. `TIMBERLINE_KILLS=10000 cargo test --workspace --test
/// all -- faults::` kills more often.
const INSTANTS: usize = 210;

/// So much of a golden section that instants are spread evenly, in an order that looks like none.
const GOLDEN: f64 = 0.618_033_988_749_895;

const EVERY_WORK: [Work; 10] = [
    Work::Import,
    Work::Grow,
    Work::Reprofile(Profile::Raw),
    Work::Reprofile(Profile::Fields),
    Work::Reprofile(Profile::Bloom),
    Work::Reprofile(Profile::Full),
    Work::Compact,
    Work::Delete,
    Work::Adjust,
    Work::Restore,
];

/// Work with the case that it begins from and what there is to be answered when it has ended.
struct Scene {
    work: Work,
    folder: tempfile::TempDir,
    logs: Vec<PathBuf>,
    end: Vec<String>,
}

impl Scene {
    fn new(work: Work, lines: usize) -> Scene {
        let folder = tempfile::tempdir().expect("a folder");
        let logs = logs(folder.path(), lines);
        let case = Case::create(&folder.path().join("begin.case")).expect("a case");
        if work != Work::Import {
            // To have columns to make, there must be none; else there is all to take away.
            let profile = if work == Work::Reprofile(Profile::Full) { Profile::Raw } else { Profile::Full };
            let options = ImportOptions { profile: Some(profile), ..ImportOptions::default() };
            for log in &logs {
                case.import(std::slice::from_ref(log), &options, &|_| {}, &Cancel::default())
                    .expect("an import");
            }
        }
        if work == Work::Restore {
            Work::Delete.go_on(&case, &logs);
        }
        drop(case);
        if work == Work::Grow {
            grow(&logs);
        }
        let scene = Scene { work, folder, logs, end: Vec::new() };
        let path = scene.fresh("end");
        work.go_on(&Case::open(&path).expect("it opens"), &scene.logs);
        Scene { end: answers(&sound(&path, "nothing")), ..scene }
    }

    fn fresh(&self, name: &str) -> PathBuf {
        let path = self.folder.path().join(format!("{name}.case"));
        copy(&self.folder.path().join("begin.case"), &path);
        path
    }

    /// The work goes on after a fault and ends as if there had been none.
    fn ends_well(&self, path: &Path, what: &str) {
        let case = sound(path, what);
        self.work.go_on(&case, &self.logs);
        drop(case);
        let case = sound(path, &format!("{what}, and going on"));
        assert!(answers(&case) == self.end, "after {what} the case answers otherwise");
        let (reached, segments) = case.snapshot().indexed();
        assert_eq!(reached, segments, "after {what}");
        std::fs::remove_dir_all(path).expect("it can be removed");
    }
}

/// Goes through a list on as many threads as there are cores.
fn on_every_core<T: Send>(items: Vec<T>, each: impl Fn(T) + Sync) {
    let items = Mutex::new(items);
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                loop {
                    let Some(item) = items.lock().expect("no other thread failed").pop() else { break };
                    each(item);
                }
            });
        }
    });
}

#[test]
fn work_resumes_after_a_fault_at_every_step() {
    let (places, faults) = (AtomicUsize::new(0), AtomicUsize::new(0));
    for work in EVERY_WORK {
        let scene = Scene::new(work, 1_200);
        let found = steps(work.command(&scene.fresh("steps"), &scene.logs), scene.folder.path());
        assert!(found.len() >= 3, "{work:?} passes only {found:?}");
        places.fetch_add(found.len(), Ordering::Relaxed);
        let mut planned = Vec::new();
        for (step, times) in &found {
            for time in if *times == 1 { vec![1] } else { vec![1, *times] } {
                planned.push((step.clone(), time, "abort"));
            }
            planned.push((step.clone(), 1, "enospc"));
            planned.push((step.clone(), *times, "eio"));
        }
        on_every_core(planned, |(step, time, effect)| {
            let what = format!("{effect} at {step}:{time} of {work:?}");
            let path = scene.fresh(&what.replace([' ', ':', '(', ')'], "-"));
            let mut command = work.command(&path, &scene.logs);
            let done = command.env("TIMBERLINE_FAULT", format!("{step}:{time}={effect}")).output();
            let done = done.expect("the command starts");
            match effect {
                // How often an import publishes is a matter of time, so a second time may not come.
                _ if time > 1 && done.status.success() => {}
                "abort" => assert_eq!(done.status.code(), None, "{what} was not reached: {}", said(&done)),
                // A copy that cannot be written, or a file that cannot be removed, waits for the next time.
                _ if done.status.success() => {
                    let waits = step.starts_with("copy.") || step.starts_with("trash.") || step == "remove";
                    assert!(waits, "{what} was passed over");
                }
                "enospc" => assert!(said(&done).contains("disk is full"), "{what}: {}", said(&done)),
                _ => assert!(said(&done).contains("os error 5"), "{what}: {}", said(&done)),
            }
            scene.ends_well(&path, &what);
            faults.fetch_add(1, Ordering::Relaxed);
        });
    }
    let line = format!(
        "Faults: {} crashes and failures at {} steps of import, growing, change of profile, compacting, deleting, shifting a clock and restoring",
        faults.into_inner(),
        places.into_inner()
    );
    figure(&line);
}

#[test]
fn work_resumes_after_a_kill_at_any_instant() {
    let works = [
        Work::Import,
        Work::Grow,
        Work::Compact,
        Work::Reprofile(Profile::Full),
        Work::Delete,
        Work::Adjust,
        Work::Restore,
    ];
    let kills = std::env::var("TIMBERLINE_KILLS").ok().and_then(|kills| kills.parse().ok());
    let kills: usize = kills.unwrap_or(INSTANTS) / works.len();
    let caught = AtomicUsize::new(0);
    for work in works {
        let scene = Scene::new(work, 8_000);
        let began = Instant::now();
        let whole = work.command(&scene.fresh("whole"), &scene.logs).status().expect("the command starts");
        assert!(whole.success());
        let length = began.elapsed();
        on_every_core((0..kills).collect(), |instant| {
            let share = (instant as f64 * GOLDEN).fract();
            let path = scene.fresh(&format!("kill-{instant}"));
            let mut running = work.command(&path, &scene.logs).spawn().expect("the command starts");
            std::thread::sleep(Duration::from_secs_f64(length.as_secs_f64() * share));
            running.kill().expect("it can be killed");
            let status = running.wait().expect("it ends");
            caught.fetch_add(usize::from(!status.success()), Ordering::Relaxed);
            scene.ends_well(&path, &format!("kill {instant} of {work:?}, after {share:.3} of its time"));
        });
    }
    let caught = caught.into_inner();
    let all = kills * works.len();
    assert!(caught > all / 4, "only {caught} of {all} were still running");
    figure(&format!("Kills: {all} at any instant, {caught} of them while it ran"));
}

/// A file of each format, how it is damaged, and whether it can be made whole.
#[test]
fn damage_is_named_isolated_and_repaired() {
    let folder = tempfile::tempdir().expect("a folder");
    let begin = folder.path().join("begin.case");
    let case = Case::create(&begin).expect("a case");
    let files = logs(folder.path(), 3_000);
    for log in &files {
        case.import(std::slice::from_ref(log), &ImportOptions::default(), &|_| {}, &Cancel::default())
            .expect("an import");
    }
    let end = answers(&case);
    let second = case.snapshot().sources()[1].events;
    drop(case);
    let damages = [
        ("case.json", true),
        ("case.copy.json", true),
        ("segments/0/segment.json", true),
        ("segments/0/events.parquet", true),
        ("raw/0.zst", false),
    ];
    let damages = damages.map(|(file, repairable)| (file.to_owned(), repairable));
    let index = std::fs::read_dir(begin.join("segments/0/text")).expect("an index");
    let index = index.map(|file| file.expect("a file").file_name().to_string_lossy().into_owned());
    let index: Vec<_> = index.map(|name| (format!("segments/0/text/{name}"), true)).collect();
    assert_eq!(index.len(), 9, "{index:?}");
    for (file, repairable) in damages.into_iter().chain(index) {
        let (file, is_of_index) = (file.as_str(), file.contains("/text/"));
        let length = std::fs::metadata(begin.join(file)).expect("it is there").len() as usize;
        for damage in 0..8 {
            let what = format!("damage {damage} of {file}");
            let path = folder.path().join("damaged.case");
            copy(&begin, &path);
            let mut bytes = std::fs::read(path.join(file)).expect("it can be read");
            match damage {
                0 => bytes.truncate(length / 2),
                1 => bytes.clear(),
                _ => bytes[length * damage / 8 - 1] ^= 0x10,
            }
            std::fs::write(path.join(file), bytes).expect("it can be damaged");
            let case = Case::open(&path).unwrap_or_else(|error| panic!("{what}: {error}"));
            let problems = case.verify(&Cancel::default()).problems;
            let name = file.rsplit('/').next().expect("a name");
            let named = problems.iter().any(|problem| problem.to_string().contains(name));
            // The seek table is for other programs; ours knows the frames.
            let harmless = file.starts_with("raw/") && problems.is_empty() && answers(&case) == end;
            assert!(named || harmless, "{what}: {problems:?}");
            let still = answers(&case).iter().filter(|line| line.starts_with("access.log ")).count();
            assert_eq!(still as u64, second, "{what}: the other segment answers");
            let missing = case.snapshot().missing();
            // The text itself makes up for an index.
            let reported = !missing.is_empty() && !is_of_index;
            assert!(answers(&case) == end || reported, "{what}: what is missing is reported");
            let done = case.repair(&Cancel::default()).expect("a repair");
            if repairable {
                assert!(done.problems.is_empty(), "{what}: {:?}", done.problems);
                drop(case);
                assert!(answers(&sound(&path, &what)) == end, "{what}: repaired, it answers otherwise");
            } else {
                assert!(harmless || !done.problems.is_empty(), "{what}: lost bytes stay named");
            }
            std::fs::remove_dir_all(&path).expect("it can be removed");
        }
    }
}

#[test]
fn refused_writer_gets_a_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = logs(folder.path(), 20);
    let path = folder.path().join("c.case");
    let case = Case::create(&path).expect("a case");
    let other = Case::open(&path).expect("it opens");
    // While one imports, the other may read and not write.
    let seen = Mutex::new(None);
    let report = |_| {
        let tried = other.compact(&mut |_| {}, &Cancel::default()).map(drop);
        *seen.lock().expect("one thread") = Some(tried.map_err(|error| error.kind()));
    };
    case.import(&log, &ImportOptions::default(), &report, &Cancel::default()).expect("an import");
    assert_eq!(*seen.lock().expect("one thread"), Some(Err(ErrorKind::CaseLocked)));
}
