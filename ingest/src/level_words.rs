//! Words for levels in languages other than English, as Windows, the JDK and many programs translate them.
//! They count only where a level is expected: in a column of levels, in the prefix of lines, as a value.

use crate::level::Level;

/// The longest word in bytes.
const LONGEST_BYTES: usize = 40;

/// The level of a word in any language but English, case-insensitively.
pub(crate) fn from_word_of_any_language(word: &[u8]) -> Option<Level> {
    let mut buffer = [0; 2 * LONGEST_BYTES];
    find(&WORDS, lower_case(word, &mut buffer)?)
}

/// The level of a word in any language but English as lines of text have it, case-insensitively: the JDK's
/// names come first.
pub(crate) fn from_word_in_text(word: &[u8]) -> Option<Level> {
    let mut buffer = [0; 2 * LONGEST_BYTES];
    let lower = lower_case(word, &mut buffer)?;
    find(&JAVA_WORDS, lower).or_else(|| find(&WORDS, lower))
}

fn find(words: &[(&str, Level)], lower: &[u8]) -> Option<Level> {
    let found = words.binary_search_by(|(known, _)| known.as_bytes().cmp(lower));
    found.ok().map(|index| words[index].1)
}

/// The word in lower case; `None` if no level word is as short or as long, or if it is not UTF-8.
fn lower_case<'a>(word: &[u8], lower: &'a mut [u8; 2 * LONGEST_BYTES]) -> Option<&'a [u8]> {
    if !(3..=LONGEST_BYTES).contains(&word.len()) {
        return None;
    }
    let mut length = word.len();
    if word.is_ascii() {
        lower[..length].copy_from_slice(word);
        lower[..length].make_ascii_lowercase();
    } else {
        length = 0;
        for letter in std::str::from_utf8(word).ok()?.chars().flat_map(char::to_lowercase) {
            let end = length + letter.len_utf8();
            letter.encode_utf8(lower.get_mut(length..end)?);
            length = end;
        }
    }
    Some(&lower[..length])
}

/// In lower case, in the order of their bytes.
const WORDS: [(&str, Level); 98] = [
    ("advarsel", Level::Warn),
    ("advertencia", Level::Warn),
    ("advertência", Level::Warn),
    ("allvarlig", Level::Error),
    ("ausführlich", Level::Trace),
    ("avertissement", Level::Warn),
    ("avis", Level::Notice),
    ("aviso", Level::Warn),
    ("avvertenza", Level::Warn),
    ("avviso", Level::Warn),
    ("bilgi", Level::Info),
    ("błąd", Level::Error),
    ("chyba", Level::Error),
    ("commentaires", Level::Trace),
    ("critico", Level::Fatal),
    ("critique", Level::Fatal),
    ("crítico", Level::Fatal),
    ("detalhado", Level::Trace),
    ("detallado", Level::Trace),
    ("dettagliato", Level::Trace),
    ("erreur", Level::Error),
    ("erro", Level::Error),
    ("errore", Level::Error),
    ("fehler", Level::Error),
    ("feil", Level::Error),
    ("fejl", Level::Error),
    ("fel", Level::Error),
    ("fout", Level::Error),
    ("grave", Level::Error),
    ("hata", Level::Error),
    ("hinweis", Level::Notice),
    ("informace", Level::Info),
    ("información", Level::Info),
    ("informacje", Level::Info),
    ("informatie", Level::Info),
    ("informationen", Level::Info),
    ("informazioni", Level::Info),
    ("informação", Level::Info),
    ("informações", Level::Info),
    ("infos", Level::Info),
    ("kritické", Level::Fatal),
    ("kritiek", Level::Fatal),
    ("kritik", Level::Fatal),
    ("kritisch", Level::Fatal),
    ("kritiskt", Level::Fatal),
    ("krytyczny", Level::Fatal),
    ("meldung", Level::Info),
    ("ostrzeżenie", Level::Warn),
    ("schwerwiegend", Level::Error),
    ("störung", Level::Error),
    ("tietoja", Level::Info),
    ("upozornění", Level::Warn),
    ("uyarı", Level::Warn),
    ("varning", Level::Warn),
    ("waarschuwing", Level::Warn),
    ("warnung", Level::Warn),
    ("внимание", Level::Warn),
    ("замечание", Level::Notice),
    ("инфо", Level::Info),
    ("информация", Level::Info),
    ("критическая", Level::Fatal),
    ("критический", Level::Fatal),
    ("отладка", Level::Debug),
    ("ошибка", Level::Error),
    ("подробно", Level::Trace),
    ("предупреждение", Level::Warn),
    ("сведения", Level::Info),
    ("трассировка", Level::Trace),
    ("エラー", Level::Error),
    ("デバッグ", Level::Debug),
    ("严重", Level::Fatal),
    ("信息", Level::Info),
    ("关键", Level::Fatal),
    ("嚴重", Level::Fatal),
    ("异常", Level::Error),
    ("情報", Level::Info),
    ("注意", Level::Notice),
    ("異常", Level::Error),
    ("致命", Level::Fatal),
    ("致命的", Level::Fatal),
    ("詳細", Level::Trace),
    ("調試", Level::Debug),
    ("警告", Level::Warn),
    ("详细", Level::Trace),
    ("调试", Level::Debug),
    ("資訊", Level::Info),
    ("通知", Level::Notice),
    ("重大", Level::Fatal),
    ("錯誤", Level::Error),
    ("错误", Level::Error),
    ("경고", Level::Warn),
    ("디버그", Level::Debug),
    ("심각", Level::Fatal),
    ("알림", Level::Notice),
    ("오류", Level::Error),
    ("위험", Level::Fatal),
    ("자세히", Level::Trace),
    ("정보", Level::Info),
];

/// The JDK's names of levels that mean something else elsewhere, or another level there: a quality may be
/// `Buono`. Swedish `Fin` is left out because it is also the French word for an end, and a flag of TCP.
const JAVA_WORDS: [(&str, Level); 37] = [
    ("am feinsten", Level::Trace),
    ("buono", Level::Debug),
    ("configurar", Level::Info),
    ("configurazione", Level::Info),
    ("configuração", Level::Info),
    ("fein", Level::Debug),
    ("feiner", Level::Trace),
    ("finare", Level::Trace),
    ("finaste", Level::Trace),
    ("konfig", Level::Info),
    ("konfiguration", Level::Info),
    ("le plus précis", Level::Trace),
    ("mais detalhado", Level::Trace),
    ("migliore", Level::Trace),
    ("muy detallado", Level::Trace),
    ("más detallado", Level::Trace),
    ("o mais detalhado", Level::Trace),
    ("ottimale", Level::Trace),
    ("plus précis", Level::Trace),
    ("précis", Level::Debug),
    ("严重", Level::Error),
    ("嚴重", Level::Error),
    ("普通", Level::Debug),
    ("最も詳細", Level::Trace),
    ("最詳細", Level::Trace),
    ("構成", Level::Info),
    ("組態", Level::Info),
    ("較詳細", Level::Trace),
    ("较详细", Level::Trace),
    ("配置", Level::Info),
    ("重大", Level::Error),
    ("非常详细", Level::Trace),
    ("가장 미세", Level::Trace),
    ("구성", Level::Info),
    ("미세", Level::Debug),
    ("보다 미세", Level::Trace),
    ("심각", Level::Error),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_in_order_and_in_lower_case() {
        for words in [&WORDS[..], &JAVA_WORDS[..]] {
            assert!(words.is_sorted_by(|(before, _), (after, _)| before.as_bytes() < after.as_bytes()));
        }
        for (word, level) in JAVA_WORDS {
            assert_eq!(word.to_lowercase(), word);
            assert_eq!(from_word_in_text(word.as_bytes()), Some(level), "{word}");
        }
        for (word, level) in WORDS {
            assert_eq!(word.to_lowercase(), word);
            assert_eq!(from_word_of_any_language(word.as_bytes()), Some(level), "{word}");
        }
    }

    #[test]
    fn words_of_other_languages() {
        for (word, level) in [
            ("SCHWERWIEGEND", Level::Error),
            ("Störung", Level::Error),
            ("AVERTISSEMENT", Level::Warn),
            ("INFORMACIÓN", Level::Info),
            ("情報", Level::Info),
            ("ОШИБКА", Level::Error),
            ("Предупреждение", Level::Warn),
        ] {
            assert_eq!(from_word_of_any_language(word.as_bytes()), Some(level), "{word}");
        }
        assert_eq!(from_word_of_any_language(b"warm"), None);
        assert_eq!(from_word_of_any_language(b""), None);
        assert_eq!(from_word_of_any_language(b"\xff\xfe\xfd"), None);
    }
}
