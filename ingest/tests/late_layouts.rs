//! Layouts that appear only after the sample: they are learned there, in chunks of any size and from stored chunks.

#![allow(clippy::format_push_string)] // Logs are written line by line.

use ingest::{Batch, Encoding, Options, Replay, Source, discover, open};
use proptest::prelude::*;

/// An event: where it begins, its time and its bytes.
type Event = (u64, i64, Vec<u8>);

#[derive(Debug, Default, PartialEq)]
struct Read {
    events: Vec<Event>,
    layouts: Vec<(String, u32)>,
}

impl Read {
    fn add(&mut self, batch: &Batch) {
        self.events.extend((0..batch.rows()).map(|row| {
            let offset = batch.chunk.offset + u64::from(batch.start[row]);
            (offset, batch.time[row], batch.raw(row).to_vec())
        }));
        for (layout, count) in &batch.layouts {
            match self.layouts.iter_mut().find(|(known, _)| known == layout) {
                Some((_, known)) => *known += count,
                None => self.layouts.push((layout.clone(), *count)),
            }
        }
    }

    fn texts(&self) -> Vec<String> {
        self.events.iter().map(|(_, _, raw)| String::from_utf8_lossy(raw).into_owned()).collect()
    }
}

/// Reads the content in chunks of about this size, and again from its chunks as a case stores them.
fn read(content: &[u8], chunk_bytes: usize) -> (Read, Read) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("a.log");
    std::fs::write(&path, content).expect("it can be written");
    let found = discover(&[path]).files.remove(0);
    let (mut first, mut again) = (Read::default(), Read::default());
    open(&found, &Options { chunk_bytes, ..Options::default() }, &mut |opened| {
        let mut source: Source<'_> = opened.source.expect("it is text");
        let mut replay = Replay::new(&source, None);
        let (parser, mut settler) = (source.parser(), source.settler());
        while let Some(chunk) = source.next_chunk().expect("it reads to its end") {
            again.add(&replay.next(chunk.bytes.to_vec()));
            let encoding = Encoding::named(&source.detection().encoding).expect("an encoding");
            let stored = ingest::Chunk::stored(chunk.bytes.to_vec(), chunk.offset, chunk.heading(), encoding);
            let mut batch = parser.parse(chunk);
            let alone = parser.parse(stored);
            assert_eq!((&alone.start, &alone.layouts), (&batch.start, &batch.layouts));
            settler.settle(&mut batch);
            first.add(&batch);
        }
        true
    });
    (first, again)
}

/// More lines of one layout than a sample has, one a second from noon on.
fn head() -> String {
    let line = |second: u32| {
        format!("{} INFO request {second} from the pool of workers was answered in time\n", stamp(second))
    };
    (0..1_000).map(line).collect()
}

/// Seconds after noon.
fn stamp(second: u32) -> String {
    format!("2026-03-01T{:02}:{:02}:{:02}Z", 12 + second / 3_600, second / 60 % 60, second % 60)
}

#[test]
fn a_layout_after_the_sample_is_learned() {
    let mut text = head();
    let heads = text.lines().count();
    assert!(text.len() > 70_000, "{}", text.len());
    for second in 1_000..1_010 {
        text += &format!("[worker 7] {} took a job\n  of two lines\n", stamp(second));
    }
    text += &format!("{} INFO the end\n", stamp(1_020));
    let (whole, again) = read(text.as_bytes(), 1 << 20);
    // Three lines show the layout; they stay in the event before them.
    assert_eq!(whole.events.len(), heads + 7 + 1);
    let texts = whole.texts();
    assert_eq!(texts[heads - 1].matches("[worker 7]").count(), 3);
    assert_eq!(texts[heads], format!("[worker 7] {} took a job\n  of two lines", stamp(1_003)));
    let counts: Vec<_> = whole.layouts.iter().map(|(layout, events)| (layout.as_str(), *events)).collect();
    assert_eq!(counts, [("time", 1_001), ("[word number] time", 7)]);
    assert_eq!(again, whole);
    for chunk_bytes in [1, 61, 5_000] {
        let (pieces, again) = read(text.as_bytes(), chunk_bytes);
        assert_eq!(pieces, whole, "in chunks of {chunk_bytes}");
        assert_eq!(again, whole, "in chunks of {chunk_bytes}");
    }
}

#[test]
fn dates_of_data_after_the_sample_make_no_layout() {
    let mut text = head();
    let heads = text.lines().count();
    text += &format!("{} DEBUG the table of orders:\n", stamp(1_000));
    for day in 10..20 {
        text += &format!("order 2026-01-{day} 10:00:00 paid\n");
    }
    text += &format!("{} INFO the end\n", stamp(1_020));
    assert_eq!(read(text.as_bytes(), 1 << 20).0.events.len(), heads + 2);
}

#[test]
fn containers_have_no_layouts_of_the_whole_file() {
    let pair = |second: u32| {
        let time = stamp(second);
        format!("web-1  | {time} INFO request {second}\napp-1  | [worker {second}] {time} took a job\n")
    };
    let whole = read((0..20).map(pair).collect::<String>().as_bytes(), 1 << 20).0;
    assert_eq!((whole.events.len(), whole.layouts), (40, Vec::new()));
}

/// Lines of several programs, traces and data.
fn lines() -> impl Strategy<Value = Vec<(u8, u8)>> {
    prop::collection::vec((0..8_u8, 0..4_u8), 0..60)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn layouts_are_learned_alike_in_chunks_of_any_size(lines in lines(), chunk_bytes in 1..4_000_usize) {
        let mut text = head();
        let mut second = 1_000;
        for (kind, step) in lines {
            second += u32::from(step);
            let stamp = stamp(second);
            text += &match kind {
                0 | 1 => format!("{stamp} INFO usual\n"),
                2 => format!("[worker {step}] {stamp} job\n"),
                3 => format!("192.0.2.{step} - ines [{stamp}] \"GET /\" 200\n"),
                4 => "  at a.b(C.java:1)\n".to_owned(),
                5 => "plain text\n".to_owned(),
                6 => format!("order 2026-01-1{step} 10:00:00 paid\n"),
                _ => "\n".to_owned(),
            };
        }
        let (whole, again) = read(text.as_bytes(), 1 << 20);
        prop_assert_eq!(&again, &whole);
        let (pieces, again) = read(text.as_bytes(), chunk_bytes);
        prop_assert_eq!(&pieces, &whole);
        prop_assert_eq!(&again, &whole);
    }
}
