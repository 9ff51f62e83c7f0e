//! Decodes the bytes of a source to text: its encoding, and the terminal's escape codes that are not part of
//! the text.
//!
//! The text of an event is what is parsed, searched and shown. Its bytes stay as they are.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding as Table, UTF_8, UTF_16BE, UTF_16LE};
use memchr::{memchr, memchr_iter};

use crate::logins::LoginLayout;

pub const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

const ESCAPE: u8 = 0x1B;

/// How the bytes of a source are decoded to text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoding {
    table: &'static Table,
    line_end: LineEnd,
}

/// The line end in the bytes of a source. In the text it is always a line feed, perhaps after a carriage
/// return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineEnd {
    Feed,
    /// A carriage return alone, as old Macs and some devices write it.
    Return,
    /// There are no lines: the bytes are the records of a Windows event log.
    Evtx,
    /// There are no lines either: the bytes are records of logins.
    Logins(LoginLayout),
}

impl Encoding {
    pub const UTF_8: Encoding = Encoding { table: UTF_8, line_end: LineEnd::Feed };
    pub(crate) const EVTX: Encoding = Encoding { line_end: LineEnd::Evtx, ..Encoding::UTF_8 };

    /// The bytes are records of logins.
    pub(crate) fn of_logins(layout: LoginLayout) -> Encoding {
        Encoding { line_end: LineEnd::Logins(layout), ..Encoding::UTF_8 }
    }

    /// Finds an encoding by a label of the web's encoding standard (`utf-16le`, `shift_jis`, `windows-1252`,
    /// …) or a common alias (`cp932`, `latin-1`), with the suffix `+cr` if a carriage return alone ends a
    /// line.
    #[must_use]
    pub fn named(name: &str) -> Option<Encoding> {
        let lower = name.trim().to_ascii_lowercase();
        if lower == "evtx" {
            return Some(Encoding::EVTX);
        }
        if let Some(layout) = LoginLayout::named(&lower) {
            return Some(Encoding::of_logins(layout));
        }
        let (label, line_end) = match lower.strip_suffix("+cr") {
            Some(label) => (label, LineEnd::Return),
            None => (lower.as_str(), LineEnd::Feed),
        };
        let label = match label {
            "cp932" | "windows-932" => "shift_jis",
            "cp936" | "windows-936" => "gbk",
            "cp949" => "euc-kr",
            "cp950" => "big5",
            "latin-1" => "latin1",
            "utf-16" => "utf-16le",
            label => label,
        };
        let table = Table::for_label(label.as_bytes())?;
        Some(Encoding { table, line_end })
    }

    /// Its name, which [`Encoding::named`] accepts.
    #[must_use]
    pub fn name(self) -> String {
        let table = self.table.name().to_ascii_lowercase();
        match self.line_end {
            LineEnd::Feed => table,
            LineEnd::Return => format!("{table}+cr"),
            LineEnd::Evtx => "evtx".to_owned(),
            LineEnd::Logins(layout) => layout.name(),
        }
    }

    /// Detects the encoding from the first bytes of a source: by its byte order mark, by the NUL bytes of
    /// UTF-16, by whether it is valid UTF-8, and otherwise by letter frequencies.
    pub(crate) fn detect(sample: &[u8]) -> Encoding {
        let table = match Table::for_bom(sample) {
            Some((table, _)) => table,
            None => utf16_without_mark(sample).unwrap_or_else(|| single_or_multi_byte(sample)),
        };
        let encoding = Encoding { table, ..Encoding::UTF_8 };
        let returns = memchr_iter(b'\r', sample).count();
        let only_returns = returns > 1 && memchr(b'\n', sample).is_none() && !encoding.is_wide();
        Encoding { line_end: if only_returns { LineEnd::Return } else { LineEnd::Feed }, ..encoding }
    }

    /// At least two bytes per character.
    pub(crate) fn is_wide(self) -> bool {
        self.table == UTF_16LE || self.table == UTF_16BE
    }

    pub(crate) fn is_evtx(self) -> bool {
        self.line_end == LineEnd::Evtx
    }

    /// The layout of the records, if they are of logins.
    pub(crate) fn logins(self) -> Option<LoginLayout> {
        match self.line_end {
            LineEnd::Logins(layout) => Some(layout),
            _ => None,
        }
    }

    /// Whether the bytes are records instead of text.
    pub(crate) fn is_records(self) -> bool {
        self.is_evtx() || self.logins().is_some()
    }

    pub(crate) fn is_utf8(self) -> bool {
        self.table == UTF_8
    }

    /// Whether bytes without escape codes equal their text.
    pub(crate) fn is_plain(self) -> bool {
        self.is_utf8() && self.line_end == LineEnd::Feed
    }

    /// What ends a line in the bytes.
    #[must_use]
    pub fn newline(self) -> &'static [u8] {
        match (self.table, self.line_end) {
            (table, _) if table == UTF_16LE => b"\n\0",
            (table, _) if table == UTF_16BE => b"\0\n",
            (_, LineEnd::Return) => b"\r",
            (_, LineEnd::Feed) => b"\n",
            (_, LineEnd::Evtx | LineEnd::Logins(_)) => b"",
        }
    }

    /// The end of the line that begins at a position in the bytes: the end of its text, and the start of the
    /// next line. `None` if the line end is not in the bytes yet.
    pub(crate) fn line_end(self, bytes: &[u8], from: usize) -> Option<(usize, usize)> {
        if !self.is_wide() {
            let mark = if self.line_end == LineEnd::Return { b'\r' } else { b'\n' };
            let end = from + memchr(mark, &bytes[from..])?;
            let carriage_return = mark == b'\n' && end > from && bytes[end - 1] == b'\r';
            return Some((end - usize::from(carriage_return), end + 1));
        }
        let (feed, carriage_return) = self.wide_line_end();
        let mut at = from;
        loop {
            at += memchr(b'\n', bytes.get(at..)?)?;
            let unit = at - (at - from) % 2;
            if bytes.get(unit..unit + 2)? == feed {
                let text_end = if unit >= from + 2 && bytes[unit - 2..unit] == carriage_return {
                    unit - 2
                } else {
                    unit
                };
                return Some((text_end, unit + 2));
            }
            at += 1;
        }
    }

    fn wide_line_end(self) -> ([u8; 2], [u8; 2]) {
        if self.table == UTF_16LE { ([b'\n', 0], [b'\r', 0]) } else { ([0, b'\n'], [0, b'\r']) }
    }

    /// The text of bytes that begin and end between characters: decoded, and without escape codes.
    pub(crate) fn text(self, bytes: &[u8]) -> Cow<'_, [u8]> {
        if self.is_plain() && memchr(ESCAPE, bytes).is_none() {
            return Cow::Borrowed(bytes);
        }
        let mut text = Vec::with_capacity(bytes.len());
        self.append_text(bytes, &mut text);
        Cow::Owned(text)
    }

    /// Decodes bytes that begin and end between characters, and keeps their escape codes.
    pub(crate) fn decoded(self, bytes: &[u8]) -> Cow<'_, [u8]> {
        if self.is_utf8() {
            return Cow::Borrowed(bytes);
        }
        match self.table.decode_without_bom_handling(bytes).0 {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        }
    }

    pub(crate) fn append_text(self, bytes: &[u8], text: &mut Vec<u8>) {
        let from = text.len();
        if self.is_utf8() {
            // Bytes that are not UTF-8 stay as they are, because nothing better is known.
            append_without_escapes(bytes, text);
        } else {
            let (decoded, _) = self.table.decode_without_bom_handling(bytes);
            append_without_escapes(decoded.as_bytes(), text);
        }
        if self.line_end == LineEnd::Return {
            for byte in &mut text[from..] {
                if *byte == b'\r' {
                    *byte = b'\n';
                }
            }
        }
    }
}

/// Whether the bytes contain anything that makes their text differ from them.
pub(crate) fn has_escapes(bytes: &[u8]) -> bool {
    memchr(ESCAPE, bytes).is_some()
}

/// Western text in UTF-16 has a NUL in about every second byte, always on the same side.
fn utf16_without_mark(sample: &[u8]) -> Option<&'static Table> {
    let nul = memchr_iter(0, sample).count();
    let odd = memchr_iter(0, sample).filter(|at| at % 2 == 1).count();
    if sample.len() < 4 || nul * 10 > sample.len() * 6 || nul * LATIN_PER_WIDE < sample.len() {
        return None;
    }
    if nul * 5 < sample.len() * 2 {
        return wide_letters(sample, nul, odd);
    }
    match odd {
        odd if odd * 10 >= nul * 9 => Some(UTF_16LE),
        odd if odd * 10 <= nul => Some(UTF_16BE),
        _ => None,
    }
}

/// In non-Latin text, dates, spaces and line ends are still Latin characters.
const LATIN_PER_WIDE: usize = 20;

/// The same where most letters are not Latin: nearly all units are letters, digits, marks or spaces, with
/// line ends.
fn wide_letters(sample: &[u8], nul: usize, odd: usize) -> Option<&'static Table> {
    // The other byte of some characters is zero too, as in many emoji; their kinds say more.
    let (table, unit): (_, fn([u8; 2]) -> u16) = match odd {
        odd if odd * 10 >= nul * 6 => (UTF_16LE, u16::from_le_bytes),
        odd if odd * 10 <= nul * 4 => (UTF_16BE, u16::from_be_bytes),
        _ => return None,
    };
    let (mut all, mut shown, mut lines) = (0, 0, 0);
    for character in char::decode_utf16(sample.as_chunks::<2>().0.iter().map(|&bytes| unit(bytes))) {
        all += 1;
        let character = character.unwrap_or('\0');
        lines += usize::from(character == '\n');
        shown += usize::from(character.is_alphanumeric() || character.is_whitespace() || is_mark(character));
    }
    (lines > 0 && shown * 50 >= all * 49).then_some(table)
}

/// Marks and symbols that text has: those of ASCII and of Latin, dashes and arrows, full-width commas, emoji.
fn is_mark(character: char) -> bool {
    character.is_ascii_graphic()
        || matches!(character,
            '\u{a1}'..='\u{bf}'
            | '\u{2010}'..='\u{2bff}'
            | '\u{3000}'..='\u{303f}'
            | '\u{fe0f}'
            | '\u{fe30}'..='\u{fe6f}'
            | '\u{ff01}'..='\u{ffee}'
            | '\u{1f300}'..='\u{1faff}')
}

/// A stray byte does not make UTF-8 text another encoding.
const INVALID_PER_VALID: usize = 10;

fn single_or_multi_byte(sample: &[u8]) -> &'static Table {
    let sample = without_cut_character(sample);
    let (mut valid, mut invalid) = (0, 0);
    for chunk in sample.utf8_chunks() {
        valid += chunk.valid().chars().filter(|character| !character.is_ascii()).count();
        invalid += usize::from(!chunk.invalid().is_empty());
    }
    if invalid == 0 || invalid * INVALID_PER_VALID < valid || is_sparse(sample) {
        return UTF_8;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(sample, true);
    detector.guess(None, Utf8Detection::Deny)
}

/// Nearly all ASCII with a run of noise in one place (a crash, a terminal) is not text in another encoding:
/// such text has its letters spread over many lines, or two at a time.
fn is_sparse(sample: &[u8]) -> bool {
    let high = sample.iter().filter(|&&byte| byte >= 0x80).count();
    let control =
        sample.iter().filter(|&&byte| byte < 0x20 && !byte.is_ascii_whitespace() && byte != ESCAPE).count();
    high < 2 || control > high
}

/// The sample may end within a character; that is not an error of the file.
pub(crate) fn without_cut_character(sample: &[u8]) -> &[u8] {
    let from = sample.len().saturating_sub(3);
    let cut = sample[from..].iter().position(|&byte| byte >= 0xC0).map_or(sample.len(), |at| from + at);
    match std::str::from_utf8(&sample[cut..]) {
        Err(error) if error.error_len().is_none() => &sample[..cut],
        _ => sample,
    }
}

/// Copies text without the escape codes that change a terminal's colour, cursor or title.
fn append_without_escapes(mut text: &[u8], out: &mut Vec<u8>) {
    while let Some(escape) = memchr(ESCAPE, text) {
        out.extend_from_slice(&text[..escape]);
        text = &text[escape + escape_length(&text[escape..])..];
    }
    out.extend_from_slice(text);
}

/// Length of the shortest prefix of a text that has this length without its escape codes.
pub(crate) fn length_with_escapes(text: &[u8], shown: usize) -> usize {
    let (mut at, mut left) = (0, shown);
    while let Some(before) = memchr(ESCAPE, &text[at..]).filter(|&before| before < left) {
        left -= before;
        at += before + escape_length(&text[at + before..]);
    }
    (at + left).min(text.len())
}

/// Longest title in an escape code; if it does not end within this, the code is truncated.
const LONGEST_TITLE: usize = 256;

/// Length of the escape code at the start of the text. A truncated one counts as its first byte only.
fn escape_length(text: &[u8]) -> usize {
    match text.get(1) {
        Some(b'[') => {
            let parameters = text[2..].iter().take_while(|byte| (0x20..0x40).contains(*byte)).count();
            match text.get(2 + parameters) {
                Some(0x40..=0x7E) => parameters + 3,
                _ => 1,
            }
        }
        Some(b']') => {
            let title = &text[2..text.len().min(2 + LONGEST_TITLE)];
            match title.iter().position(|&byte| matches!(byte, 0x07 | ESCAPE | b'\n')) {
                Some(end) if title[end] == 0x07 => end + 3,
                Some(end) if title[end] == ESCAPE && title.get(end + 1) == Some(&b'\\') => end + 4,
                _ => 1,
            }
        }
        Some(b'(' | b')') if text.len() > 2 => 3,
        Some(b'=' | b'>' | b'7' | b'8' | b'M' | b'c') => 2,
        _ => 1,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], name: &str, text: &str) {
        let encoding = Encoding::detect(bytes);
        assert_eq!(encoding.name(), name);
        assert_eq!(String::from_utf8_lossy(&encoding.text(bytes)), text);
        assert_eq!(Encoding::named(&encoding.name()), Some(encoding));
    }

    fn wide(text: &str, order: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(order).collect()
    }

    #[test]
    fn encodings_are_detected_from_the_bytes() {
        check(b"plain\n", "utf-8", "plain\n");
        check("na\u{ef}ve \u{2013} \u{65e5}\n".as_bytes(), "utf-8", "na\u{ef}ve \u{2013} \u{65e5}\n");
        check(&wide("user logged in\r\n", u16::to_le_bytes), "utf-16le", "user logged in\r\n");
        check(&wide("user logged in\r\n", u16::to_be_bytes), "utf-16be", "user logged in\r\n");
        check(
            &wide("\u{feff}\u{65e5}\u{672c}\n", u16::to_le_bytes),
            "utf-16le",
            "\u{feff}\u{65e5}\u{672c}\n",
        );
        check(
            b"Gr\xF6\xDFe ge\xE4ndert, Zugriff f\xFCr Stra\xDFe\n",
            "windows-1252",
            "Größe geändert, Zugriff für Straße\n",
        );
        let japanese = "セキュリティ イベント ログが開始されました。\nアカウントのログオンに失敗しました。\n";
        check(&encoding_rs::SHIFT_JIS.encode(japanese).0, "shift_jis", japanese);
        check(&encoding_rs::EUC_JP.encode(japanese).0, "euc-jp", japanese);
        let chinese = "服务器启动成功，正在监听端口。连接数据库失败，请检查配置文件。\n";
        check(&encoding_rs::GB18030.encode(chinese).0, "gbk", chinese);
        check(b"one\rtwo\rthree\r", "utf-8+cr", "one\ntwo\nthree\n");
    }

    #[test]
    fn wide_text_with_full_width_marks_or_emoji_needs_no_byte_order_mark() {
        let chinese =
            "2026-03-01 10:00:05 服务器已启动并正在监听端口，连接数据库成功，等待客户端请求到达\r\n";
        let emoji = "2026-03-01 10:00:05 ok → done 😀😀😀😀😀😀😀😀😀😀😀😀\n";
        for text in [chinese, emoji] {
            let text = text.repeat(3);
            check(&wide(&text, u16::to_le_bytes), "utf-16le", &text);
            check(&wide(&text, u16::to_be_bytes), "utf-16be", &text);
        }
    }

    #[test]
    fn noise_does_not_change_the_detected_encoding() {
        assert_eq!(Encoding::detect(b"2026-11-21 03:04:05 bad byte \xFF here\n"), Encoding::UTF_8);
        assert_eq!(Encoding::detect(b"\x00\x00\x00\x00 crash \xFF\xE9\x80\n"), Encoding::UTF_8);
        assert_eq!(Encoding::named("cp932").unwrap().name(), "shift_jis");
        assert_eq!(Encoding::named("klingon"), None);
    }

    #[test]
    fn escape_codes_are_not_part_of_the_text() {
        let text = |bytes: &[u8]| String::from_utf8(Encoding::UTF_8.text(bytes).into_owned()).unwrap();
        assert_eq!(text(b"\x1B[31merror\x1B[0m done\x1B[K"), "error done");
        assert_eq!(text(b"\x1B]0;title\x07a\x1B]8;;x\x1B\\b"), "ab");
        assert_eq!(text(b"\x1B[38;5;12mx\x1B(B\x1B="), "x");
        assert_eq!(text(b"cut \x1B[31"), "cut [31");
        assert_eq!(text(b"\x1B"), "");
        assert!(matches!(Encoding::UTF_8.text(b"plain"), Cow::Borrowed(_)));
    }

    #[test]
    fn lines_of_wide_text_end_at_character_boundaries() {
        // U+0A0D and U+0D0A have the bytes of a line end, one off.
        let bytes = wide("a\u{0A0D}\u{0D0A}b\r\nc", u16::to_le_bytes);
        let encoding = Encoding::named("utf-16le").unwrap();
        assert_eq!(encoding.line_end(&bytes, 0), Some((8, 12)));
        assert_eq!(encoding.line_end(&bytes, 12), None);
    }
}
