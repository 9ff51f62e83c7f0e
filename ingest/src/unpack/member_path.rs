//! Normalises or refuses the names of members.

/// The normalised path of a member with `/` between its parts, or why it is refused. Nothing is ever written
/// to such a path, yet a path that leaves its archive is made to mislead.
pub fn plain(raw: &str, backslash_separates: bool) -> Result<String, &'static str> {
    let separates = |c: char| c == '/' || (backslash_separates && c == '\\');
    let drive = matches!(raw.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    if raw.contains('\0') {
        return Err("holds a NUL character");
    }
    if raw.starts_with(['/', '\\']) || drive {
        return Err("is absolute");
    }
    // A backslash counts here whichever system wrote the archive, because other systems would follow it.
    if raw.split(['/', '\\']).any(|part| part == "..") {
        return Err("leads out of the archive");
    }
    let parts: Vec<&str> = raw.split(separates).filter(|part| !part.is_empty() && *part != ".").collect();
    if parts.is_empty() { Err("is empty") } else { Ok(parts.join("/")) }
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
    fn member_paths_are_normalised_or_refused() {
        assert_eq!(plain("./var//log/a.log", false), Ok("var/log/a.log".to_string()));
        assert_eq!(plain("var\\log\\a.log", true), Ok("var/log/a.log".to_string()));
        assert_eq!(plain("odd\\name.log", false), Ok("odd\\name.log".to_string()));
        assert_eq!(plain("a..b/...", false), Ok("a..b/...".to_string()));
        for path in ["../a", "a/../../b", "..", "a\\..\\b"] {
            assert_eq!(plain(path, false), Err("leads out of the archive"), "{path}");
        }
        for path in ["/etc/passwd", "\\\\host\\share", "C:\\a", "c:a"] {
            assert_eq!(plain(path, true), Err("is absolute"), "{path}");
        }
        assert_eq!(plain("a\0b", false), Err("holds a NUL character"));
        assert_eq!(plain("./", false), Err("is empty"));
    }

    #[test]
    fn extra_files_of_macos_are_recognised() {
        for path in ["__MACOSX/a.log", "b/__MACOSX/a", "logs/._a.log", "logs/.DS_Store"] {
            assert!(is_macos_extra(path), "{path}");
        }
        assert!(!is_macos_extra("logs/_a.log") && !is_macos_extra("my.DS_Store"));
    }
}
