//! How serious a line says it is: level words, numbers, and where to look for them.

use crate::batch::Level;

/// Length of the longest level word.
pub(crate) const LONGEST_WORD: usize = 13;

/// The level a word names, in any case. Java's own logging speaks the language of its machine, so a few words
/// are German, French, Spanish or Italian.
pub(crate) fn of_word(word: &[u8]) -> Option<Level> {
    let mut lower = [0; LONGEST_WORD];
    let lower = lower.get_mut(..word.len())?;
    lower.copy_from_slice(word);
    lower.make_ascii_lowercase();
    Some(match &*lower {
        b"trace" | b"finest" | b"finer" | b"verbose" | b"trc" | b"vrb" => Level::Trace,
        b"debug" | b"dbg" | b"fine" | b"debu" => Level::Debug,
        b"info" | b"information" | b"informational" | b"inf" | b"config" | b"infos" => Level::Info,
        b"notice" | b"note" => Level::Notice,
        b"warn" | b"warning" | b"wrn" | b"warnung" | b"avertissement" | b"advertencia" | b"avvertenza" => {
            Level::Warn
        }
        b"error" | b"err" | b"severe" | b"erro" | b"schwerwiegend" | b"grave" | b"fehler" | b"erreur" => {
            Level::Error
        }
        b"fatal" | b"critical" | b"crit" | b"alert" | b"emerg" | b"emergency" | b"panic" | b"ftl" => {
            Level::Fatal
        }
        _ => return None,
    })
}

/// The level of an answer by its HTTP status; `None` where the text is no status.
pub(crate) fn of_status(status: &[u8]) -> Option<Level> {
    Some(match status {
        [b'5', b'0'..=b'9', b'0'..=b'9'] => Level::Error,
        [b'4', b'0'..=b'9', b'0'..=b'9'] => Level::Warn,
        [b'1'..=b'3', b'0'..=b'9', b'0'..=b'9'] => Level::Info,
        _ => return None,
    })
}

/// The severity numbers of syslog, 0 (emergency) to 7 (debug).
pub(crate) fn of_severity(number: i64) -> Option<Level> {
    Some(match number {
        0..=2 => Level::Fatal,
        3 => Level::Error,
        4 => Level::Warn,
        5 => Level::Notice,
        6 => Level::Info,
        7 => Level::Debug,
        _ => return None,
    })
}

/// What an answer of HTTP says about how it went.
pub(crate) fn of_http_status(status: i64) -> Level {
    match status {
        500.. => Level::Error,
        400.. => Level::Warn,
        _ => Level::Info,
    }
}

/// The numbers of pino and bunyan, 10 (trace) to 60 (fatal); below them those of syslog.
pub(crate) fn of_number(number: i64) -> Option<Level> {
    Some(match number {
        10..=19 => Level::Trace,
        20..=29 => Level::Debug,
        30..=39 => Level::Info,
        40..=49 => Level::Warn,
        50..=59 => Level::Error,
        60..=69 => Level::Fatal,
        _ => return of_severity(number),
    })
}

/// A level word and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LevelWord {
    pub level: Level,
    pub start: usize,
    pub end: usize,
}

/// The first level word that begins between two places of a line and is meant as one: in capitals, in
/// brackets, before a colon, or behind `level=`. A plain "error" within a sentence is not.
pub(crate) fn find(line: &[u8], from: usize, to: usize) -> Option<LevelWord> {
    let to = to.min(line.len());
    let mut at = from;
    while at < to {
        if !is_word(line[at]) {
            at += 1;
            continue;
        }
        let start = at;
        while at < line.len() && is_word(line[at]) {
            at += 1;
        }
        if (3..=LONGEST_WORD).contains(&(at - start))
            && may_begin(line[start])
            && (start == 0 || !is_word(line[start - 1]))
            && let Some(level) = of_word(&line[start..at])
            && stands_out(line, start, at)
        {
            return Some(LevelWord { level, start, end: at });
        }
    }
    None
}

#[inline]
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether a level word starts with this letter: most words end their test here.
#[inline]
fn may_begin(first: u8) -> bool {
    matches!(
        first | 0x20,
        b'a' | b'c' | b'd' | b'e' | b'f' | b'g' | b'i' | b'n' | b'p' | b's' | b't' | b'v' | b'w'
    )
}

fn stands_out(line: &[u8], start: usize, end: usize) -> bool {
    let before = start.checked_sub(1).map_or(b' ', |at| line[at]);
    let after = line.get(end).copied().unwrap_or(b' ');
    if matches!(before, b'[' | b'<' | b'(' | b':') && matches!(after, b']' | b'>' | b')') {
        return true;
    }
    if matches!(before, b'=' | b'"') {
        return follows_level_key(&line[..start]);
    }
    let alone_before = !matches!(before, b'.' | b'/' | b'\\' | b'-' | b'@' | b'$');
    let goes_on = matches!(after, b'.' | b'/' | b'\\' | b'-' | b'=' | b'(' | b'$')
        && line.get(end + 1).is_some_and(|&next| is_word(next));
    let capitals = line[start..end].iter().all(u8::is_ascii_uppercase);
    let before_colon = after == b':' && line.get(end + 1).is_none_or(|&next| next == b' ');
    alone_before && !goes_on && (capitals || (before_colon && matches!(before, b' ' | b'[' | b'\t')))
}

fn follows_level_key(before: &[u8]) -> bool {
    let key = before.strip_suffix(b"\"").unwrap_or(before);
    let Some(key) = key.strip_suffix(b"=") else { return false };
    [&b"level"[..], b"lvl", b"severity"].iter().any(|name| key.ends_with(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &str) {
        let found = find(line.as_bytes(), 0, 80).map_or("", |word| word.level.name());
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn words_that_are_meant_as_levels() {
        check("INFO [main] started", "info");
        check(" - WARN  [x] y", "warn");
        check("[error] mod_jk child", "error");
        check("<warn>  wifi is off", "warn");
        check("[core:error] x", "error");
        check("error: PAM: failure", "error");
        check("t=1 level=warning msg=x", "warn");
        check("level=\"error\" msg=x", "error");
        check("x|FATAL|y", "fatal");
        check("SEVERE: x", "error");
        check("SCHWERWIEGEND: x", "error");
        check("AVERTISSEMENT [main] x", "warn");
        check("[Note] ready", "notice");
        check("[main] c.e.Shop CRITICAL x", "fatal");
    }

    #[test]
    fn words_that_are_not() {
        check("Something very INFOrmative", "");
        check("no error was found", "");
        check("reading /var/log/ERROR.log", "");
        check("ERROR_CODE=5 NON-FATAL", "");
        check("see com.example.Error: x", "");
        check("Alert the user", "");
        check("", "");
    }
}
