//! Values as attackers write them: base64 at any offset, UTF-16, and the dashes of Windows' command line.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Dashes that Windows programs take for the one before an option.
pub const DASHES: [char; 5] = ['-', '/', '\u{2013}', '\u{2014}', '\u{2015}'];

pub fn encode_base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let at = |index: usize| u32::from(chunk.get(index).copied().unwrap_or(0));
        let word = at(0) << 16 | at(1) << 8 | at(2);
        for place in 0..4 {
            if place <= chunk.len() {
                text.push(ALPHABET[(word >> (18 - 6 * place) & 63) as usize] as char);
            } else {
                text.push('=');
            }
        }
    }
    text
}

/// What is the same in the base64 of every text that contains the bytes, for each place modulo 3 that they may
/// begin at.
pub fn base64_offsets(bytes: &[u8]) -> [String; 3] {
    const START: [usize; 3] = [0, 2, 3];
    const CUT: [usize; 3] = [0, 3, 2];
    [0, 1, 2].map(|offset| {
        let mut padded = vec![b' '; offset];
        padded.extend_from_slice(bytes);
        let text = encode_base64(&padded);
        let end = text.len() - CUT[padded.len() % 3];
        text.get(START[offset]..end).unwrap_or_default().to_owned()
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Utf16 {
    Little,
    Big,
    /// Little-endian with a byte order mark.
    Marked,
}

pub fn utf16(text: &str, kind: Utf16) -> Vec<u8> {
    let units = text.encode_utf16();
    match kind {
        Utf16::Little => units.flat_map(u16::to_le_bytes).collect(),
        Utf16::Big => units.flat_map(u16::to_be_bytes).collect(),
        Utf16::Marked => {
            let mut bytes = vec![0xff, 0xfe];
            bytes.extend(units.flat_map(u16::to_le_bytes));
            bytes
        }
    }
}

/// All ways to write a text with other dashes before its options; nothing where there would be more than `most`.
pub fn windash(text: &str, most: usize) -> Option<Vec<String>> {
    let letters: Vec<char> = text.chars().collect();
    let is_word = |letter: Option<&char>| letter.is_some_and(|c| c.is_alphanumeric() || *c == '_');
    let mut all = vec![String::new()];
    for (at, &letter) in letters.iter().enumerate() {
        let begins_option = matches!(letter, '-' | '/')
            && !at.checked_sub(1).is_some_and(|before| is_word(letters.get(before)))
            && is_word(letters.get(at + 1));
        if begins_option {
            all = all.iter().flat_map(|text| DASHES.map(|dash| format!("{text}{dash}"))).collect();
            if all.len() > most {
                return None;
            }
        } else {
            for text in &mut all {
                text.push(letter);
            }
        }
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn base64_has_its_padding() {
        for (plain, coded) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(encode_base64(plain.as_bytes()), coded);
        }
    }

    proptest! {
        #[test]
        fn one_of_the_offsets_is_in_every_text_with_the_bytes(
            before in prop::collection::vec(any::<u8>(), 0..9),
            bytes in prop::collection::vec(any::<u8>(), 1..20),
            after in prop::collection::vec(any::<u8>(), 0..9),
        ) {
            let offset = before.len() % 3;
            let whole: Vec<u8> = before.into_iter().chain(bytes.clone()).chain(after).collect();
            prop_assert!(encode_base64(&whole).contains(&base64_offsets(&bytes)[offset]));
        }
    }

    #[test]
    fn only_dashes_before_options_vary() {
        let all = windash(" -enc a-b /x", 200).expect("few");
        assert_eq!(all.len(), 25);
        assert!(
            all.contains(&" /enc a-b \u{2014}x".to_owned()) && !all.iter().any(|text| text.contains("a/b"))
        );
        assert_eq!(windash("a", 1), Some(vec!["a".to_owned()]));
        assert_eq!(windash(" -a -b -c -d", 100), None);
    }

    #[test]
    fn utf16_has_two_bytes_a_character() {
        assert_eq!(utf16("a", Utf16::Little), [b'a', 0]);
        assert_eq!(utf16("a", Utf16::Big), [0, b'a']);
        assert_eq!(utf16("a", Utf16::Marked), [0xff, 0xfe, b'a', 0]);
    }
}
