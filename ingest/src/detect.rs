//! Detects what a file is: whether it is text at all, and which format its lines have.

use std::sync::Arc;

use crate::batch::{Chunk, FitTally};
use crate::custom::Definition;
use crate::decoded::Decoded;
use crate::event_starts;
use crate::formats::syslog::{self, CARRIED, Carried, message_format};
use crate::formats::{self, FORMATS, Format, Setup, text};
use crate::frame::{Framing, frames};
use crate::limits;
use crate::parser::Parser;
use crate::time::TimeTally;
use crate::time::field::TimeFieldOption;
use crate::time::rules::{self, TimeRules};

/// The detected properties of a source, with the reasons.
#[derive(Clone, Debug, PartialEq)]
pub struct Detection {
    /// Name of the format, as [`Options::format`](crate::Options::format) accepts it.
    pub format: String,
    /// Share of the sample's lines that fit the format, 0 to 1.
    pub score: f32,
    /// The result in words, for a person.
    pub reason: String,
    /// The text encoding of its bytes; [`Options::encoding`](crate::Options::encoding) accepts it too.
    pub encoding: String,
    /// The containers it was packed in, outermost first: `none`, `gzip`, `xz+tar`.
    pub compression: String,
    /// How the zone of times was decided, for a person.
    pub zone: String,
    /// The other formats that read some of the sample, the best first.
    pub alternatives: Vec<Alternative>,
    /// The fields that may contain the time, the one that is used first, where events have fields;
    /// [`Options::time_field`](crate::Options::time_field) accepts their names.
    pub time_fields: Vec<TimeFieldOption>,
}

/// A format that fits the source less well.
#[derive(Clone, Debug, PartialEq)]
pub struct Alternative {
    pub format: String,
    /// Share of the sample's lines that fit the format, 0 to 1.
    pub score: f32,
}

/// A parser for the source, the detection, and the times of the sample in order.
pub(crate) struct Verdict {
    pub parser: Parser,
    pub detection: Detection,
    pub times: Vec<i64>,
    pub rules: TimeRules,
}

/// A format that may fit the source.
#[derive(Clone)]
pub(crate) enum Candidate {
    BuiltIn(&'static Format),
    Custom(Arc<Definition>),
    /// Syslog whose messages are of a format, with the name of both together.
    Carried(String, Box<Candidate>),
}

impl Candidate {
    /// User-defined formats come first.
    fn all(definitions: &[Arc<Definition>]) -> impl Iterator<Item = Candidate> {
        let custom = definitions.iter().cloned().map(Candidate::Custom);
        custom.chain(FORMATS.iter().copied().map(Candidate::BuiltIn))
    }

    pub(crate) fn named(name: &str, definitions: &[Arc<Definition>]) -> Option<Candidate> {
        match message_format(name) {
            message if message == name => {
                Candidate::all(definitions).find(|candidate| candidate.name() == name)
            }
            message if message == syslog::FORMAT.name => None,
            message => {
                let message = Candidate::named(message, definitions)?;
                Some(Candidate::Carried(name.to_owned(), Box::new(message)))
            }
        }
    }

    fn name(&self) -> &str {
        match self {
            Candidate::BuiltIn(format) => format.name,
            Candidate::Custom(definition) => &definition.name,
            Candidate::Carried(name, _) => name,
        }
    }

    fn title(&self) -> &str {
        match self {
            Candidate::BuiltIn(format) => format.title,
            Candidate::Custom(definition) => &definition.title,
            Candidate::Carried(..) => CARRIED.title,
        }
    }

    fn format(&self) -> &'static Format {
        match self {
            Candidate::BuiltIn(format) => format,
            Candidate::Custom(_) => &formats::CUSTOM,
            Candidate::Carried(..) => &CARRIED,
        }
    }

    /// A parser that has learned from the sample.
    fn parser(&self, sample: &[u8], setup: &Setup) -> Parser {
        Parser::new(self.format(), self.setup(sample, setup))
    }

    fn setup(&self, sample: &[u8], setup: &Setup) -> Setup {
        match self {
            Candidate::BuiltIn(format) => Setup { learned: (format.learn)(sample, setup), ..setup.clone() },
            Candidate::Custom(definition) => definition.setup(setup),
            Candidate::Carried(_, message) => {
                let messages = Carried::messages(sample);
                let times = rules::learn(messages.split(|&byte| byte == b'\n'));
                let of_message = message.setup(&messages, &Setup { times, ..setup.clone() });
                Carried::setup(message.format(), of_message, sample, setup)
            }
        }
    }
}

/// Reads the sample in every format (or the forced one) and chooses the one that fits best. Each format is
/// tested with its own reader, so that detection and parsing agree.
pub(crate) fn detect(
    sample: &Chunk,
    is_whole: bool,
    forced: Option<&Candidate>,
    definitions: &[Arc<Definition>],
    setup: &Setup,
    zone_name: Option<&str>,
) -> Verdict {
    let is_recoded = sample.decoded.as_ref().is_some_and(Decoded::is_recoded);
    let setup = Setup { times: time_rules(sample), is_recoded, ..setup.clone() };
    let candidates = match forced {
        Some(forced) => vec![forced.clone()],
        None => Candidate::all(definitions).collect(),
    };
    let mut best: Option<(f32, Candidate, Attempt)> = None;
    let mut weighed = Vec::new();
    for candidate in candidates {
        let attempt = attempt(&candidate, sample, is_whole, &setup);
        let weight = attempt.share() * candidate.format().weight * attempt.clock_weight(&setup.times);
        if attempt.share() > 0.0 {
            let alternative = Alternative { format: candidate.name().to_owned(), score: attempt.share() };
            weighed.push((weight, alternative));
        }
        if best.as_ref().is_none_or(|(best_weight, ..)| weight > *best_weight) {
            best = Some((weight, candidate, attempt));
        }
    }
    // The table is never empty; the last entry, plain text, fits everything.
    let text = Candidate::BuiltIn(&text::FORMAT);
    let (candidate, attempt) = match best {
        Some((_, candidate, attempt)) => (candidate, attempt),
        None => (text.clone(), self::attempt(&text, sample, is_whole, &setup)),
    };
    let attempt = match forced {
        None => with_other_event_starts(&candidate, attempt, sample, is_whole, &setup.times),
        Some(_) => attempt,
    };
    let time_fields = attempt.parser.learned().time_options.to_vec();
    weighed.sort_by(|a, b| b.0.total_cmp(&a.0));
    let others = weighed.into_iter().map(|(_, other)| other).filter(|other| other.format != candidate.name());
    let detection = Detection {
        format: candidate.name().to_owned(),
        score: attempt.share(),
        reason: reason(&candidate, &attempt, forced.is_some()),
        encoding: String::new(),
        compression: String::new(),
        zone: zone_words(attempt.tally.times, zone_name),
        alternatives: others.take(limits::MOST_ALTERNATIVES).collect(),
        time_fields,
    };
    let parser = attempt.parser.with_usual_starts(sample);
    Verdict { parser, detection, times: attempt.times, rules: setup.times }
}

/// The parser of the best format for text within the lines of a source.
pub(crate) fn parser_of(text: Vec<u8>, setup: &Setup) -> Parser {
    let setup = Setup { is_inner: true, ..setup.clone() };
    detect(&Chunk::whole(text), true, None, &[], &setup, None).parser
}

fn time_rules(sample: &Chunk) -> TimeRules {
    let text = sample.text();
    rules::learn(frames(sample, &Framing::Lines).map(|frame| &text[frame.text_start..frame.text_end]))
}

/// The weight of a partial fit. Lines that all fit partly must not outweigh plain text.
const PARTLY: f32 = 0.3;

/// The weight of a line that a format only joined to the event before it: a format that reads one line in ten
/// must not win by calling the others continuations.
const JOINED: f32 = 0.3;
/// The same for a line with a time of its own, which is an event of another program.
const JOINED_WITH_TIME: f32 = 0.6;

struct Attempt {
    parser: Parser,
    tally: FitTally,
    times: Vec<i64>,
}

impl Attempt {
    fn share(&self) -> f32 {
        share(self.times.len(), &self.tally)
    }

    /// The weight of a format that reads uptimes although the lines have dates.
    fn clock_weight(&self, rules: &TimeRules) -> f32 {
        let times = &self.tally.times;
        let is_uptime = times.uptimes * 2 > times.timed();
        if is_uptime && rules.has_dates { PARTLY } else { 1.0 }
    }
}

/// The share of this many events that fit the format they were read in.
fn share(events: usize, tally: &FitTally) -> f32 {
    let fitting = tally.whole as f32 + tally.partly as f32 * PARTLY;
    let timed = tally.joined_with_time;
    let joined = (tally.joined - timed) as f32 * JOINED + timed as f32 * JOINED_WITH_TIME;
    let lines = events as f32 + joined;
    match (events, tally.headings) {
        (1.., _) => fitting / lines,
        // A server without requests still wrote its headings.
        (0, 1..) => 1.0,
        (0, 0) => 0.0,
    }
}

/// How well the next file of a rotated set fits the parser of the file before it: `Some` if it should be read
/// that way, because both have the same format or because no better format was found.
pub(crate) fn fit_as_previous(before: &Parser, own: &Detection, sample: Chunk) -> Option<f32> {
    let (batch, tally) = before.parse_and_tally(sample);
    let score = share(batch.rows(), &tally);
    let (name, general) = (before.format_name(), text::FORMAT.name);
    let is_better = own.format == general || (name != general && score >= own.score);
    (score >= LEAST_FIT_AS_PREVIOUS && (name == own.format || is_better)).then_some(score)
}

/// At least this share of a file must fit the parser of the file before it in its set.
const LEAST_FIT_AS_PREVIOUS: f32 = 0.5;

fn attempt(candidate: &Candidate, sample: &Chunk, is_whole: bool, setup: &Setup) -> Attempt {
    attempt_with(candidate.parser(sample.text(), setup), sample, is_whole)
}

/// Returns a parser with other event starts than the format's own, if the sample's lines show them.
fn with_other_event_starts(
    candidate: &Candidate,
    best: Attempt,
    sample: &Chunk,
    is_whole: bool,
    rules: &TimeRules,
) -> Attempt {
    if matches!(candidate, Candidate::Custom(_)) || candidate.name() == text::FORMAT.name {
        return best;
    }
    let read = |attempt: &Attempt| attempt.tally.whole + attempt.tally.partly;
    if let Some(learned) = event_starts::with_starts_of_all_layouts(best.parser.learned(), sample, rules) {
        let other = attempt_with(best.parser.with_learned(learned), sample, is_whole);
        // A line with the event's own time, below its first, begins no event.
        if read(&other) >= read(&best) {
            return other;
        }
    }
    if let Some(learned) = event_starts::with_stamped_starts(&best.parser, sample, rules) {
        let joined = attempt_with(best.parser.with_learned(learned), sample, is_whole);
        // The last event is left out if it may continue after the sample.
        let left_out = u32::from(!is_whole);
        if read(&joined) + left_out >= read(&best) {
            return joined;
        }
    }
    if let Some(learned) = event_starts::with_joined_traces(&best.parser, sample) {
        let joined = attempt_with(best.parser.with_learned(learned), sample, is_whole);
        if read(&joined) >= read(&best) {
            return joined;
        }
    }
    best
}

fn attempt_with(parser: Parser, sample: &Chunk, is_whole: bool) -> Attempt {
    // The last event may continue after the sample, and then proves nothing.
    let end =
        if is_whole { None } else { parser.framing().cut(0, sample.text(), sample.text().len(), false) };
    let (batch, tally) = parser.parse_and_tally(sample.up_to(end.unwrap_or(sample.text().len())));
    Attempt { parser, tally, times: batch.time }
}

fn reason(candidate: &Candidate, attempt: &Attempt, forced: bool) -> String {
    let lines = attempt.times.len();
    if candidate.name() == text::FORMAT.name && !forced {
        return match attempt.tally.times.timed() {
            0 => format!("no known format, and no time in {lines} sample lines"),
            timed => format!("no known format; {timed} of {lines} sample lines have a time"),
        };
    }
    let fitting = attempt.tally.whole + attempt.tally.partly;
    let chosen = if forced { "chosen by hand; " } else { "" };
    format!("{chosen}{fitting} of {lines} sample lines are {}", candidate.title())
}

fn zone_words(times: TimeTally, zone_name: Option<&str>) -> String {
    let assumed = match zone_name {
        Some(name) => format!("{name} (as chosen)"),
        None => "UTC (not in the data)".to_string(),
    };
    match (times.zoned, times.zoneless + times.yearless + times.dayless) {
        (0, 0) => "no times in the sample".to_string(),
        (_, 0) => "in the data".to_string(),
        (0, _) => assumed,
        _ => format!("in the data; where it is missing, {assumed}"),
    }
}

/// First bytes of files that are not logs, or that are not readable yet, and their names.
const MAGIC: [(&[u8], &str); 35] = [
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"PAR1", "a Parquet file"),
    (b"\x7FELF", "a program"),
    (b"\x89PNG", "a PNG image"),
    (b"\xFF\xD8\xFF", "a JPEG image"),
    (b"GIF87a", "a GIF image"),
    (b"GIF89a", "a GIF image"),
    (b"II*\x00", "a TIFF image"),
    (b"MM\x00*", "a TIFF image"),
    (b"\x00\x00\x01\x00", "an icon"),
    (b"%PDF-", "a PDF document"),
    (b"MZ\x90\x00", "a program for Windows"),
    (b"\xCA\xFE\xBA\xBE", "a Java class or a program for macOS"),
    (b"\xCF\xFA\xED\xFE", "a program for macOS"),
    (b"\x00asm", "a WebAssembly module"),
    (b"\xD4\xC3\xB2\xA1", "a capture of network packets (pcap)"),
    (b"\xA1\xB2\xC3\xD4", "a capture of network packets (pcap)"),
    (b"\x0A\x0D\x0D\x0A", "a capture of network packets (pcapng)"),
    (b"LPKSHHRH", "a journal of systemd; `journalctl --file FILE -o export` makes text of it"),
    (b"regf", "a hive of the Windows registry"),
    (b"MDMP", "a memory dump of Windows"),
    (b"PAGEDU", "a memory dump of Windows"),
    (b"LfLe", "an event log of a Windows before Vista"),
    (b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "an Office document or an installer (OLE)"),
    (b"MSCF", "a cabinet archive"),
    (b"Rar!\x1A\x07", "a RAR archive"),
    (b"!<arch>\n", "a package or a library (ar)"),
    (b"\xED\xAB\xEE\xDB", "an RPM package"),
    (b"Obj\x01", "an Avro file"),
    (b"ORC", "an ORC file"),
    (b"ARROW1", "an Arrow file"),
    (b"OggS", "an Ogg recording"),
    (b"ID3", "an MP3 recording"),
    (b"wOFF", "a font"),
    (b"wOF2", "a font"),
];

/// Recognises a file by bytes a little after its start: containers of audio and images.
fn by_inner_mark(bytes: &[u8]) -> Option<&'static str> {
    let mark = |at: usize, mark: &[u8]| bytes.get(at..).is_some_and(|rest| rest.starts_with(mark));
    match () {
        () if mark(0, b"RIFF") && mark(8, b"WEBP") => Some("a WebP image"),
        () if mark(0, b"RIFF") && mark(8, b"WAVE") => Some("a WAV recording"),
        () if mark(0, b"RIFF") && mark(8, b"AVI ") => Some("an AVI film"),
        () if mark(4, b"ftyp") && mark(0, &[0, 0]) => Some("an MP4 film or a HEIC image"),
        () => None,
    }
}

/// Text with more than one byte in this many that is no text is binary.
const ODD_SHARE: usize = 50;
/// The same for marks of colour and style in chats; a short line has several of them.
const STYLE_SHARE: usize = 5;

/// Names the kind of a source that is not text; `None` for text. A few stray bytes do not make text binary: a
/// crash leaves a run of NUL in a log, a terminal leaves escape codes, a chat the marks of its colours.
pub(crate) fn binary(sample: &Chunk) -> Option<String> {
    let magic = MAGIC.iter().find(|(magic, _)| sample.bytes.starts_with(magic)).map(|(_, what)| *what);
    let text = sample.text();
    let (mut nul, mut single_nul, mut odd, mut styles) = (0, 0, 0, 0);
    let mut before = b' ';
    for &byte in text {
        match byte {
            0 => {
                nul += 1;
                single_nul += usize::from(before != 0);
                odd += usize::from(before != 0);
            }
            b'\t' | b'\n' | b'\r' | 0x07 | 0x08 | 0x0B | 0x0C | 0x1B => {}
            // Bold, colour, plain, monospace, reversed, italic, struck through, underlined; the delimiter of
            // an action.
            0x01..=0x04 | 0x0F | 0x11 | 0x16 | 0x1D..=0x1F => styles += 1,
            0x7F | ..0x20 => odd += 1,
            _ => {}
        }
        before = byte;
    }
    let is_odd = |count: usize, share: usize| count > 3 && count * share > text.len();
    // Text with a chat's colours is text in every other way.
    let is_text = std::str::from_utf8(&text[..text.len().saturating_sub(3)]).is_ok();
    // So is one that a program wrote with the zero at the end of its strings.
    let share = if is_text && odd == single_nul { STYLE_SHARE } else { ODD_SHARE };
    let is_binary = nul * 2 > text.len() || is_odd(styles + odd, share);
    // The words of a log may begin like a file of another kind; a mark that is text itself proves little.
    let what =
        magic.or_else(|| by_inner_mark(&sample.bytes)).filter(|_| is_binary || !is_text_alone(&sample.bytes));
    match what {
        Some(what) => Some(format!("it is {what}")),
        None => is_binary.then(|| "it is binary data, not text".to_string()),
    }
}

/// Whether the first bytes are printable characters.
fn is_text_alone(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(64)];
    head.iter().all(|byte| matches!(byte, b'\t' | b'\n' | b'\r' | 0x20..=0x7E))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binary_and_text() {
        let binary = |bytes: &[u8]| super::binary(&Chunk::whole(bytes.to_vec()));
        let says = |bytes: &[u8], words: &str| binary(bytes).is_some_and(|message| message.contains(words));
        assert!(says(&[0; 100], "binary"));
        let noise: Vec<u8> = (0..4_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        assert!(says(&noise, "binary"));
        let log = b"2026-11-21 03:04:05 INFO a line of a usual log, with some words in it\n".repeat(50);
        let with = |bytes: &[u8]| [&log[..], bytes, &log[..]].concat();
        assert_eq!(binary(&log), None);
        assert_eq!(binary(&with(b"\0")), None);
        assert_eq!(binary(&with(&[0; 2_000])), None);
        assert_eq!(binary(&with(b"\xFF\xE9\x80\x1B[31mred\x1B[0m")), None);
        assert_eq!(binary(b"a\0b\n"), None);
        assert_eq!(binary(&b"2026-03-01 10:00:00 INFO disk\0ok\n".repeat(20)), None);
        assert!(says(&b"\x10\0\0\0ab\xff\0\x02\0cd".repeat(20), "binary"));
        assert_eq!(binary(b"12:30 <ines> \x0304red\x03 \x02bold\x02 \x1dslanted\x1d\n"), None);
    }

    #[test]
    fn binary_files_are_named() {
        let binary = |bytes: &[u8]| super::binary(&Chunk::whole(bytes.to_vec())).unwrap_or_default();
        let body = [0_u8, 1, 2, 3, 200, 201].repeat(20);
        for (head, name) in [
            (&b"\x89PNG\r\n\x1a\n"[..], "a PNG image"),
            (b"\xFF\xD8\xFF\xE0", "a JPEG image"),
            (b"RIFF\x10\0\0\0WAVE", "a WAV recording"),
            (b"%PDF-1.7\n", "a PDF document"),
            (b"LPKSHHRH", "a journal of systemd"),
        ] {
            assert!(binary(&[head, &body].concat()).contains(name), "{name}");
        }
        assert_eq!(
            binary(b"ORC worker 7 started\nORC worker 8 started\nORC worker 8 stopped, which took 12 s\n"),
            ""
        );
    }
}
