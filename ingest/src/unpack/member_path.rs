//! Normalises the names of members.

/// The normalised path of a member with `/` between its parts, below its archive whatever the archive calls it.
/// Nothing is ever written to such a path. A name that is absolute or leads out of the archive is made to mislead, so
/// what would lead out is left away; the member itself is a log like any other.
pub fn plain(raw: &str, backslash_separates: bool) -> String {
    let leads_out = |part: &str| part == "..";
    // Whichever system wrote the archive, others would follow a backslash or a drive.
    let is_hostile = raw.split(['/', '\\']).any(leads_out) || raw.starts_with('\\') || drive(raw).is_some();
    let separates = |c: char| c == '/' || ((backslash_separates || is_hostile) && c == '\\');
    let below = drive(raw).unwrap_or(raw);
    let parts = below.split(separates).filter(|part| !part.is_empty() && *part != "." && !leads_out(part));
    let parts: Vec<String> = parts.map(|part| part.replace('\0', "\u{fffd}")).collect();
    if parts.is_empty() { "unnamed".to_owned() } else { parts.join("/") }
}

/// What follows the drive of a path.
fn drive(raw: &str) -> Option<&str> {
    match raw.as_bytes() {
        [letter, b':', ..] if letter.is_ascii_alphabetic() => raw.get(2..),
        _ => None,
    }
}

/// Whether this is one of the extra files that macOS adds.
pub fn is_macos_extra(plain: &str) -> bool {
    let name = plain.rsplit('/').next().unwrap_or(plain);
    plain.split('/').any(|part| part == "__MACOSX") || name.starts_with("._") || name == ".DS_Store"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn member_paths_are_normalised_and_stay_below_the_archive() {
        for (raw, backslash_separates, expected) in [
            ("./var//log/a.log", false, "var/log/a.log"),
            ("var\\log\\a.log", true, "var/log/a.log"),
            ("odd\\name.log", false, "odd\\name.log"),
            ("a..b/...", false, "a..b/..."),
            ("../a", false, "a"),
            ("a/../../b", false, "a/b"),
            ("a\\..\\b", false, "a/b"),
            ("/etc/passwd", true, "etc/passwd"),
            ("\\\\host\\share", false, "host/share"),
            ("C:\\a", false, "a"),
            ("c:a", true, "a"),
            ("a\0b", false, "a\u{fffd}b"),
            ("..", false, "unnamed"),
            ("./", false, "unnamed"),
        ] {
            assert_eq!(plain(raw, backslash_separates), expected, "{raw}");
        }
    }

    #[test]
    fn extra_files_of_macos_are_recognised() {
        for path in ["__MACOSX/a.log", "b/__MACOSX/a", "logs/._a.log", "logs/.DS_Store"] {
            assert!(is_macos_extra(path), "{path}");
        }
        assert!(!is_macos_extra("logs/_a.log") && !is_macos_extra("my.DS_Store"));
    }
}
