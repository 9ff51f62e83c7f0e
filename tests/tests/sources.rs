//! What a source is to a case that knows it: there already, grown, or another one; and reading it again from what
//! is stored. Each way must end where importing the whole at once ends.

use std::fs;
use std::path::{Path, PathBuf};

use indexer::{Cancel, Case, ImportOptions, ImportReport, Outcome, Profile, ReadOptions, View, Walk};
use proptest::prelude::*;
use proptest::test_runner::Config;

fn options(chunk_bytes: usize) -> ImportOptions {
    ImportOptions {
        ingest: ReadOptions { chunk_bytes, ..ReadOptions::default() },
        ..ImportOptions::default()
    }
}

fn import(case: &Case, paths: &[PathBuf], options: &ImportOptions) -> ImportReport {
    let report = case.import(paths, options, &|_| {}, &Cancel::default()).expect("an import");
    assert!(report.failure.is_none(), "{:?}", report.failure);
    report
}

/// Every event as a person sees it, without the source's number.
fn events(case: &Case) -> Vec<String> {
    let view = View::parse("", None, None).expect("everything");
    let walk = Walk { with_fields: true, ..Walk::default() };
    let mut found = Vec::new();
    case.for_each(&case.snapshot(), &view, &walk, &Cancel::default(), &mut |event, fields| {
        let mut fields: Vec<_> =
            fields.iter().map(|field| format!("{}={}", field.name, field.value)).collect();
        fields.sort();
        let text = String::from_utf8_lossy(&event.raw);
        found.push(format!(
            "{} {} {} {:?} {text} {fields:?}",
            event.time, event.line, event.offset, event.level
        ));
        Ok(())
    })
    .expect("the events");
    found
}

fn check_is_whole(case: &Case) {
    let verification = case.verify(&Cancel::default());
    assert!(verification.problems.is_empty(), "{:?}", verification.problems);
    // Plain decompression gives each source back, whatever was written after or over its frames.
    for (id, source) in case.snapshot().sources().iter().enumerate() {
        let name = match source.generation {
            0 => format!("{id}.zst"),
            generation => format!("{id}-{generation}.zst"),
        };
        let raw = fs::read(case.folder().join("raw").join(name)).expect("the raw file");
        let bytes = zstd::decode_all(raw.as_slice()).expect("it decompresses");
        assert_eq!(bytes.len() as u64, source.bytes, "{source:?}");
    }
    let left = fs::read_dir(case.folder().join("raw")).expect("the folder").count();
    assert_eq!(left, case.snapshot().sources().len(), "nothing is left over in raw");
    let left = fs::read_dir(case.folder().join("segments")).expect("the folder").count();
    assert_eq!(left, case.snapshot().indexed().1, "nothing is left over in segments");
}

fn new_case(folder: &Path, name: &str) -> Case {
    Case::create(&folder.join(name)).expect("a case can be made")
}

/// A log of one kind, some of its lines odd, and long enough or not to be identified by its first bytes alone.
fn log() -> impl Strategy<Value = String> {
    let odd = || prop::sample::select(vec!["    at com.example.Cart.add(Cart.java:42)", "", "no time here"]);
    let plain = |n: usize| {
        format!("2026-03-01 14:{:02}:{:02} ERROR [w{n}] lost connection, retry={n}", n / 60 % 60, n % 60)
    };
    let yearless = |n: usize| {
        let (month, day) = if n < 40 { ("Dec", 31) } else { ("Jan", 1) };
        format!(
            "{month} {day:2} 23:{:02}:{:02} web1 sshd[{n}]: session opened for user u{n}",
            n / 60 % 60,
            n % 60
        )
    };
    let json = |n: usize| {
        format!(
            "{{\"ts\":\"2026-03-01T14:05:{:02}Z\",\"level\":\"info\",\"msg\":\"n {n}\",\"n\":{n}}}",
            n % 60
        )
    };
    let table = |n: usize| match n {
        0 => "time,status,user".to_owned(),
        _ => format!("2026-03-01T14:05:{:02}Z,{},u{n}", n % 60, 200 + n % 5),
    };
    let w3c = |n: usize| match n {
        0 => "#Fields: date time cs-method cs-uri-stem sc-status".to_owned(),
        _ => format!("2026-03-01 14:{:02}:{:02} GET /a/{n} 200", n / 60 % 60, n % 60),
    };
    let of_day = |n: usize| format!("{:02}:{:02}:00 worker {n} done", 20 + n / 60 % 4, n % 60);
    let kind = prop::sample::select(vec![plain as fn(usize) -> String, yearless, json, table, w3c, of_day]);
    let lines = prop::sample::select(vec![30_usize, 90, 1_500]);
    (kind, lines, prop::collection::vec((any::<prop::sample::Index>(), odd()), 0..4), any::<bool>()).prop_map(
        |(line, lines, odd, ended)| {
            let mut all: Vec<String> = (0..lines).map(line).collect();
            for (place, odd) in odd {
                all.insert(1 + place.index(all.len() - 1), odd.to_owned());
            }
            let end = if ended { "\n" } else { "" };
            all.join("\n") + end
        },
    )
}

/// Files of a test are all of one moment, so that the years of times without one do not depend on when it runs.
fn write(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).expect("it can be written");
    let file = fs::File::options().write(true).open(path).expect("the file");
    let moment = std::time::UNIX_EPOCH + std::time::Duration::from_hours(491_666);
    file.set_modified(moment).expect("its time can be set");
}

proptest! {
    #![proptest_config(Config { cases: 40, ..Config::default() })]

    #[test]
    fn importing_a_prefix_and_then_the_whole_is_importing_the_whole(
        log in log(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 1..4),
        chunk_bytes in prop::sample::select(vec![300_usize, 5_000, 1 << 20]),
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("app.log");
        let grown = new_case(folder.path(), "grown.case");
        let mut cuts: Vec<_> = cuts.iter().map(|cut| 1 + cut.index(log.len() - 1)).collect();
        cuts.sort_unstable();
        for cut in cuts.iter().copied().chain([log.len()]) {
            write(&path, &log.as_bytes()[..cut]);
            let refused = log[..cut].trim().is_empty();
            let report = case_import(&grown, &path, chunk_bytes);
            prop_assert!(refused || report.files.iter().all(|file| file.problem.is_none()), "{:?}", report.files);
        }
        let whole = new_case(folder.path(), "whole.case");
        import(&whole, &[path], &options(chunk_bytes));
        prop_assert_eq!(events(&grown), events(&whole));
        let (grown_sources, whole_sources) = (grown.snapshot(), whole.snapshot());
        prop_assert_eq!(grown_sources.sources().len(), 1);
        let (one, other) = (&grown_sources.sources()[0], &whole_sources.sources()[0]);
        prop_assert_eq!((&one.sha256, one.events, one.unparsed, &one.format), (&other.sha256, other.events, other.unparsed, &other.format));
        prop_assert_eq!((one.first, one.last, one.complete), (other.first, other.last, other.complete));
        let account = |case: &Case| case.account(&case.snapshot(), 0).expect("it reads").expect("it is there");
        let (one, other) = (account(&grown), account(&whole));
        prop_assert_eq!(one.unparsed.iter().map(|unparsed| unparsed.events).sum::<u64>(), other.unparsed.iter().map(|unparsed| unparsed.events).sum::<u64>());
        prop_assert_eq!(one.times, other.times);
        check_is_whole(&grown);
    }
}

fn lines(from: usize, to: usize) -> String {
    let lines: Vec<_> = (from..to).map(|n| format!("2026-03-01T14:05:00Z INFO line number {n}\n")).collect();
    lines.concat()
}

fn case_import(case: &Case, path: &Path, chunk_bytes: usize) -> ImportReport {
    import(case, &[path.to_path_buf()], &options(chunk_bytes))
}

#[test]
fn known_bytes_are_not_read_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = lines(0, 3_000);
    let (first, copy) = (folder.path().join("a.log"), folder.path().join("copy of a.log"));
    write(&first, log.as_bytes());
    write(&copy, log.as_bytes());
    let packed = folder.path().join("a.log.gz");
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut encoder, log.as_bytes()).expect("it packs");
    write(&packed, &encoder.finish().expect("it packs"));
    let case = new_case(folder.path(), "a.case");
    let report = import(&case, &[first.clone(), copy, packed], &options(1 << 20));
    let outcomes: Vec<_> = report.files.iter().map(|file| file.outcome).collect();
    assert_eq!(outcomes, [Outcome::New, Outcome::Known, Outcome::Known], "within one import too");
    assert_eq!((case.snapshot().sources().len(), report.events), (1, 3_000));
    let report = import(&case, std::slice::from_ref(&first), &options(1 << 20));
    assert_eq!((report.files[0].outcome, report.events), (Outcome::Known, 0));
    assert!(report.files[0].remark.as_ref().is_some_and(|remark| remark.contains("source 0")));
    let again = ImportOptions { again: true, ..options(1 << 20) };
    assert_eq!(import(&case, &[first], &again).files[0].outcome, Outcome::New);
    assert_eq!(case.snapshot().sources().len(), 2);
    check_is_whole(&case);
}

#[test]
fn replaced_or_truncated_file_becomes_a_new_source_with_a_remark() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.log");
    let case = new_case(folder.path(), "a.case");
    for (text, says) in [(lines(0, 500), ""), (lines(0, 200), "shorter than"), (lines(900, 999), "replaced")]
    {
        write(&path, text.as_bytes());
        let report = import(&case, std::slice::from_ref(&path), &options(1 << 20));
        let remark = report.files[0].remark.clone().unwrap_or_default();
        assert!(remark.contains(says), "{remark}");
    }
    let events: Vec<_> = case.snapshot().sources().iter().map(|source| source.events).collect();
    assert_eq!(events, [500, 200, 99]);
    check_is_whole(&case);
}

#[test]
fn source_is_read_again_from_stored_bytes() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.log");
    let text: Vec<_> = (0..2_000)
        .map(|n| format!("2026-07-01 10:{:02}:{:02} level=info n={n} took={n}ms\n", n / 60 % 60, n % 60))
        .collect();
    let text = text.concat();
    write(&path, text.as_bytes());
    let other = folder.path().join("b.log");
    write(&other, b"2026-07-01T09:00:00Z WARN something else\n");
    let case = new_case(folder.path(), "a.case");
    import(&case, &[path.clone(), other.clone()], &options(4_000));
    fs::remove_file(&path).expect("the original goes away");
    let quiet = |_: indexer::Progress| {};
    let done = case
        .adjust(&[0], Some("Europe/Berlin"), Some(1_000_000_000), &quiet, &Cancel::default())
        .expect("it is adjusted");
    assert!(done.failure.is_none() && done.files[0].problem.is_none(), "{done:?}");
    let chosen = ReadOptions {
        zone: Some("Europe/Berlin".to_owned()),
        clock_offset_ns: 1_000_000_000,
        ..ReadOptions::default()
    };
    let same = new_case(folder.path(), "same.case");
    write(&path, text.as_bytes());
    let same_options = ImportOptions { ingest: chosen, ..ImportOptions::default() };
    import(&same, std::slice::from_ref(&path), &same_options);
    let with_other = |case: &Case| -> Vec<_> {
        events(case).into_iter().filter(|event| !event.contains("something else")).collect()
    };
    assert_eq!(with_other(&case), with_other(&same));
    assert_eq!(case.snapshot().events(), 2_001);
    check_is_whole(&case);
    let account = case.account(&case.snapshot(), 0).expect("it reads").expect("it is there");
    assert!(!account.reason.contains("by hand"), "{}", account.reason);

    let plain = ImportOptions {
        ingest: ReadOptions { format: Some("text".to_owned()), ..ReadOptions::default() },
        ..ImportOptions::default()
    };
    let done = case.reread(&[0], &plain, &quiet, &Cancel::default()).expect("it is read again");
    assert!(done.failure.is_none() && done.files[0].problem.is_none(), "{done:?}");
    assert_eq!(case.snapshot().sources()[0].format, "text");
    assert_eq!(case.snapshot().events(), 2_001);
    check_is_whole(&case);
}

#[test]
fn neighbouring_files_give_the_year_of_one_without() {
    let folder = tempfile::tempdir().expect("a folder");
    let old: Vec<_> = (1..40)
        .map(|n| format!("Mar  5 14:05:{n:02} web1 sshd[42]: session opened for user root\n"))
        .collect();
    let neighbour: Vec<_> = (1..40).map(|n| format!("2016-03-05T14:06:{n:02}Z INFO started\n")).collect();
    // The one without years is read first, when nothing is known about the other.
    let paths = [folder.path().join("a.log"), folder.path().join("b.log")];
    write(&paths[0], old.concat().as_bytes());
    write(&paths[1], neighbour.concat().as_bytes());
    let case = new_case(folder.path(), "a.case");
    import(&case, &paths, &options(1 << 20));
    let first = case.snapshot().sources()[0].first.map(indexer::stamp::to_rfc3339);
    assert_eq!(first.as_deref(), Some("2016-03-05T14:05:01Z"));
    let account = case.account(&case.snapshot(), 0).expect("it reads").expect("it is there");
    assert_eq!(account.times.year, "2016, as in the neighbouring files");
    check_is_whole(&case);
}

proptest! {
    #![proptest_config(Config { cases: 30, ..Config::default() })]

    #[test]
    fn rotated_set_gives_the_same_events_as_one_log(
        log in log(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 1..4),
        style in 0..3_usize,
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("app.log");
        write(&path, log.as_bytes());
        let whole = new_case(folder.path(), "whole.case");
        import(&whole, &[path], &options(1 << 20));
        // The day of times without a date comes from a date in the first file's name, or by its own last change:
        // each tells more than the whole file does.
        prop_assume!(!log.starts_with("20:"));
        let ends = ends_of_events(&log);
        let mut cuts: Vec<_> = cuts.iter().map(|cut| ends[cut.index(ends.len())]).collect();
        cuts.sort_unstable();
        cuts.dedup();
        let parts = folder.path().join("parts");
        fs::create_dir(&parts).expect("a folder");
        let starts = [0].into_iter().chain(cuts.iter().copied());
        let ends = cuts.iter().copied().chain([log.len()]);
        for (number, (start, end)) in starts.zip(ends).enumerate() {
            let age = cuts.len() - number;
            let name = match (age, style) {
                (0, _) => "app.log".to_owned(),
                (_, 0) => format!("app.log.{age}"),
                (_, 1) => format!("app.log-2026030{}", number + 1),
                _ => format!("app-2026-03-0{}.log", number + 1),
            };
            write(&parts.join(name), &log.as_bytes()[start..end]);
        }
        let split = new_case(folder.path(), "split.case");
        import(&split, &[parts], &options(1 << 20));
        let seen = |case: &Case| -> Vec<(i64, String)> {
            let view = View::parse("source:app.log", None, None).expect("a filter");
            let mut found = Vec::new();
            case.for_each(&case.snapshot(), &view, &Walk::default(), &Cancel::default(), &mut |event, _| {
                found.push((event.time, event.text));
                Ok(())
            })
            .expect("the events");
            found
        };
        prop_assert_eq!(seen(&split), seen(&whole));
        check_is_whole(&split);
    }
}

/// Ends of lines after which another event begins, with enough lines before them to tell the format in spite of
/// the odd ones, and some after. An odd line may go on with the event before it, and no event goes on in another
/// file.
fn ends_of_events(log: &str) -> Vec<usize> {
    let begins_event = |next: &str| {
        next.starts_with(|first: char| !first.is_whitespace()) && !next.starts_with("no time here")
    };
    let ends = log.match_indices('\n').map(|(at, _)| at + 1);
    let ends: Vec<_> = ends.filter(|&end| begins_event(&log[end..])).collect();
    ends[16..ends.len() - 8].to_vec()
}

/// A rotated set of three files, whose first file alone shows how the others are read.
fn rotated_set(folder: &Path, line: fn(usize) -> String) -> PathBuf {
    let parts = folder.join("parts");
    fs::create_dir(&parts).expect("a folder");
    for (name, lines) in [("app.log.2", 0..150), ("app.log.1", 150..300), ("app.log", 300..400)] {
        let text: String = lines.map(|n| line(n) + "\n").collect();
        write(&parts.join(name), text.as_bytes());
    }
    parts
}

fn table_line(n: usize) -> String {
    let minute = n / 60;
    if n == 0 {
        return "time,status,user,took".to_owned();
    }
    format!("2026-03-01 14:{minute:02}:{:02},{},u{n},{}.5", n % 60, 200 + n % 5, n % 7)
}

fn w3c_line(n: usize) -> String {
    if n == 0 {
        return "#Fields: date time cs-method cs-uri-stem sc-status".to_owned();
    }
    format!("2026-03-01 14:{:02}:{:02} GET /a/{n} {}", n / 60, n % 60, 200 + n % 5)
}

fn yearless_line(n: usize) -> String {
    let (month, day) = if n < 200 { ("Dec", 31) } else { ("Jan", 1) };
    format!(
        "{month} {day:2} 23:{:02}:{:02} web1 sshd[{n}]: session opened for user u{n}",
        n / 60 % 60,
        n % 60
    )
}

fn imported_set(folder: &Path, name: &str, parts: &Path, profile: Profile) -> Case {
    let case = new_case(folder, name);
    let options = ImportOptions { profile: Some(profile), ..options(4_000) };
    import(&case, &[parts.to_path_buf()], &options);
    case
}

#[test]
fn rotated_set_gives_same_answers_in_every_profile_and_after_repair() {
    let never = Cancel::default();
    for line in [table_line, w3c_line, yearless_line] {
        let folder = tempfile::tempdir().expect("a folder");
        let parts = rotated_set(folder.path(), line);
        let full = imported_set(folder.path(), "first.case", &parts, Profile::Full);
        let expected = events(&full);
        assert!(expected.iter().all(|event| !event.ends_with("[]")), "every event has its fields");
        for profile in Profile::ALL {
            let case = imported_set(folder.path(), &format!("{}.case", profile.name()), &parts, profile);
            assert_eq!(events(&case), expected, "{profile:?}");
            case.reprofile(Profile::Raw, &mut |_| {}, &never).expect("a change");
            assert_eq!(events(&case), expected, "{profile:?} to raw");
            case.reprofile(Profile::Full, &mut |_| {}, &never).expect("a change");
            assert_eq!(events(&case), expected, "{profile:?} to raw to full");
            case.compact(&mut |_| {}, &never).expect("it is compacted");
            assert_eq!(events(&case), expected, "{profile:?} compacted");
            check_is_whole(&case);
            let path = case.folder().to_path_buf();
            drop(case);
            for segment in fs::read_dir(path.join("segments")).expect("segments").flatten() {
                fs::write(segment.path().join("events.parquet"), b"damaged").expect("it can be damaged");
            }
            let case = Case::open(&path).expect("it opens");
            let done = case.repair(&never).expect("a repair");
            assert!(done.segments > 0 && done.problems.is_empty(), "{done:?}");
            assert_eq!(events(&case), expected, "{profile:?} repaired");
        }
    }
}

#[test]
fn file_of_a_rotated_set_keeps_the_settings_of_the_previous_one() {
    let (never, quiet) = (Cancel::default(), |_: indexer::Progress| {});
    let folder = tempfile::tempdir().expect("a folder");
    let parts = rotated_set(folder.path(), table_line);
    let case = imported_set(folder.path(), "a.case", &parts, Profile::Raw);
    // With another zone, all parts at once and so that the first is written again before the others are read.
    let done = case.adjust(&[0, 1, 2], Some("+02:00"), None, &quiet, &never).expect("it is adjusted");
    assert!(done.files.iter().all(|file| file.problem.is_none()), "{done:?}");
    let zone = ReadOptions { zone: Some("+02:00".to_owned()), ..ReadOptions::default() };
    let same = new_case(folder.path(), "same.case");
    let in_zone = ImportOptions { ingest: zone, ..ImportOptions::default() };
    import(&same, std::slice::from_ref(&parts), &in_zone);
    assert_eq!(events(&case), events(&same));
    // Grown, the last part is read on in the same way.
    let last = parts.join("app.log");
    let more: String = (300..450).map(|n| table_line(n) + "\n").collect();
    write(&last, more.as_bytes());
    import(&case, std::slice::from_ref(&last), &options(4_000));
    import(&same, &[last], &options(4_000));
    assert_eq!(case.snapshot().sources().len(), 3);
    assert_eq!((events(&case).len(), events(&case)), (449, events(&same)));
    assert!(events(&case).iter().all(|event| event.contains("status=")));
    check_is_whole(&case);
    let refused = case.delete_sources(&[0], &mut |_| {}, &never);
    assert!(refused.is_err_and(|error| error.message().contains("in its set")), "others are read as it is");
    case.delete_sources(&[2], &mut |_| {}, &never).expect("a later part can go");
    assert_eq!(events(&case).len(), 299);
}
