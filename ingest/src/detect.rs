//! What a file is: whether it is text at all, and which format its lines are of.

use memchr::memchr_iter;

use crate::batch::Chunk;
use crate::formats::{FORMATS, Format, Setup, text};
use crate::parser::{FitTally, Parser};
use crate::time::TimeTally;

/// What a source was found to be, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Detection {
    /// Name of the format, as it can be forced with [`Options::format`](crate::Options::format).
    pub format: &'static str,
    /// Share of the sample's lines that are of the format, 0 to 1.
    pub score: f32,
    /// The finding in words, for a person.
    pub reason: String,
    /// How its bytes are text; [`Options::encoding`](crate::Options::encoding) takes it too.
    pub encoding: String,
    pub compression: &'static str,
    /// How the zone of times was decided, for a person.
    pub zone: String,
}

/// A parser for the source, what was found, and the times of the sample in order.
pub(crate) struct Verdict {
    pub parser: Parser,
    pub detection: Detection,
    pub times: Vec<i64>,
}

/// Reads the sample as every format (or the forced one) and takes the one that fits best. Each format is
/// asked by its own reader, so that what is detected is what will be parsed.
pub(crate) fn detect(
    sample: &Chunk,
    is_whole: bool,
    forced: Option<&'static Format>,
    setup: &Setup,
    zone_name: Option<&str>,
) -> Verdict {
    let setup = Setup { stamp_within: text::stamp_within(sample), ..setup.clone() };
    let attempts = FORMATS.iter().filter(|format| forced.is_none_or(|forced| forced.name == format.name));
    let mut best: Option<(f32, &Format, Attempt)> = None;
    for format in attempts {
        let attempt = attempt(format, sample, is_whole, &setup);
        let weight = attempt.share() * format.weight;
        if best.as_ref().is_none_or(|(best_weight, ..)| weight > *best_weight) {
            best = Some((weight, format, attempt));
        }
    }
    // The table is never empty; the last entry, plain text, fits everything.
    let (format, attempt) = match best {
        Some((_, format, attempt)) => (format, attempt),
        None => (&text::FORMAT, self::attempt(&text::FORMAT, sample, is_whole, &setup)),
    };
    let detection = Detection {
        format: format.name,
        score: attempt.share(),
        reason: reason(format, &attempt, forced.is_some()),
        encoding: String::new(),
        compression: "none",
        zone: zone_words(attempt.tally.times, zone_name),
    };
    Verdict { parser: attempt.parser, detection, times: attempt.times }
}

/// What a partial fit counts. Lines that all fit partly must not outweigh plain text.
const PARTLY: f32 = 0.3;

/// What a line counts that a format only joined to the event before it: a format that understands one
/// line in ten must not win by calling the others its continuation.
const JOINED: f32 = 0.3;

struct Attempt {
    parser: Parser,
    tally: FitTally,
    times: Vec<i64>,
}

impl Attempt {
    fn share(&self) -> f32 {
        let fitting = self.tally.whole as f32 + self.tally.partly as f32 * PARTLY;
        let lines = self.times.len() as f32 + self.tally.joined as f32 * JOINED;
        match (self.times.is_empty(), self.tally.headings) {
            (false, _) => fitting / lines,
            // A server that was asked for nothing wrote its headings all the same.
            (true, 1..) => 1.0,
            (true, 0) => 0.0,
        }
    }
}

fn attempt(format: &'static Format, sample: &Chunk, is_whole: bool, setup: &Setup) -> Attempt {
    let setup = Setup { learned: (format.learn)(sample.text(), setup), ..setup.clone() };
    let parser = Parser::new(format, setup);
    // The last event may go on behind the sample, and says nothing then.
    let end = if is_whole { None } else { parser.framing().cut(sample.text(), sample.text().len(), false) };
    let (batch, tally) = parser.parse_and_tally(sample.up_to(end.unwrap_or(sample.text().len())));
    Attempt { parser, tally, times: batch.time }
}

fn reason(format: &Format, attempt: &Attempt, forced: bool) -> String {
    let lines = attempt.times.len();
    if format.name == text::FORMAT.name && !forced {
        let TimeTally { zoned, zoneless, yearless } = attempt.tally.times;
        return match zoned + zoneless + yearless {
            0 => format!("no known format, and no time in {lines} sample lines"),
            timed => format!("no known format; {timed} of {lines} sample lines have a time"),
        };
    }
    let fitting = attempt.tally.whole + attempt.tally.partly;
    let chosen = if forced { "chosen by hand; " } else { "" };
    format!("{chosen}{fitting} of {lines} sample lines are {}", format.title)
}

fn zone_words(times: TimeTally, zone_name: Option<&str>) -> String {
    let assumed = match zone_name {
        Some(name) => format!("{name} (as chosen)"),
        None => "UTC (not in the data)".to_string(),
    };
    match (times.zoned, times.zoneless + times.yearless) {
        (0, 0) => "no times in the sample".to_string(),
        (_, 0) => "in the data".to_string(),
        (0, _) => assumed,
        _ => format!("in the data; where it is missing, {assumed}"),
    }
}

/// First bytes of files that are not logs, or not yet readable ones, and what to call them.
const MAGIC: &[(&[u8], &str)] = &[
    (b"\x1F\x8B", "compressed with gzip, which is not read yet"),
    (b"PK\x03\x04", "a zip archive, which is not read yet"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"\x28\xB5\x2F\xFD", "compressed with zstd, which is not read yet"),
    (b"\xFD7zXZ\x00", "compressed with xz, which is not read yet"),
    (b"\x04\x22\x4D\x18", "compressed with lz4, which is not read yet"),
    (b"7z\xBC\xAF\x27\x1C", "a 7z archive, which is not read yet"),
    (b"ElfFile\x00", "a Windows event log (EVTX), which is not read yet"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"PAR1", "a Parquet file"),
    (b"\x7FELF", "a program"),
    (b"\x89PNG", "a picture"),
    (b"%PDF-", "a PDF document"),
];

/// What a source is if it is not text; `None` for text. A few stray bytes do not make text binary: a crash
/// leaves a run of NUL in a log, a terminal leaves escapes.
pub(crate) fn binary(sample: &Chunk) -> Option<String> {
    if let Some((_, what)) = MAGIC.iter().find(|(magic, _)| sample.bytes.starts_with(magic)) {
        return Some(format!("it is {what}"));
    }
    if sample.bytes.starts_with(b"BZh") && sample.bytes.get(4..10) == Some(b"\x31\x41\x59\x26\x53\x59") {
        return Some("it is compressed with bzip2, which is not read yet".to_string());
    }
    if sample.bytes.get(257..262) == Some(b"ustar") {
        return Some("it is a tar archive, which is not read yet".to_string());
    }
    let text = sample.text();
    let nul = memchr_iter(0, text).count();
    let mut before = b' ';
    let mut control = 0;
    for &byte in text {
        let is_text = byte >= 0x20 && byte != 0x7F
            || matches!(byte, b'\t' | b'\n' | b'\r' | 0x07 | 0x08 | 0x0B | 0x0C | 0x1B);
        let run_of_nul = byte == 0 && before == 0;
        control += usize::from(!(is_text || run_of_nul));
        before = byte;
    }
    let is_binary = nul * 2 > text.len() || (control > 3 && control * 50 > text.len());
    is_binary.then(|| "it is binary data, not text".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binary_and_text() {
        let binary = |bytes: &[u8]| super::binary(&Chunk::whole(bytes.to_vec()));
        let says = |bytes: &[u8], words: &str| binary(bytes).is_some_and(|message| message.contains(words));
        assert!(says(b"\x1F\x8B\x08\x00", "gzip"));
        assert!(says(b"ElfFile\x00....", "EVTX"));
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
    }
}
