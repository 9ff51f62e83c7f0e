//! System calls as strace lists them, with their results.

use std::sync::LazyLock;

use super::Format;
use crate::layout::LineLayouts;

pub(crate) static FORMAT: Format = Format {
    name: "strace",
    title: "strace lines",
    weight: 0.97,
    reader: |setup| Box::new(LAYOUTS.reader(setup)),
    ..Format::LINES
};

static LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new(
        "no line of strace",
        &[
            // A number alone would be a time, so those with a process come first.
            "«[pid »{pid:int}«]» {when} {syscall}({:words}) = {result:word} {errno:word} ({error})« \
             <{duration_s:float}>»",
            "«[pid »{pid:int}«]» {when} {syscall}({:words}) = {result:word}« <{duration_s:float}>»",
            // Results are aligned below one another.
            "«[pid »{pid:int}«]» {when} {syscall}({:words} = {result:word}« <{duration_s:float}>»",
            "«[pid »{pid:int}«]» {when} {syscall}({:words} = {result:rest}",
            "«[pid »{pid:int}«]» {when} {syscall}({:words}<unfinished ...>",
            "«[pid »{pid:int}«]» {when} <... {syscall} resumed>{:words} = {result:rest}",
            "«[pid »{pid:int}«]» {when} +++ {message:rest}",
            "«[pid »{pid:int}«]» {when} --- {message:rest}",
            "{when} {syscall}({:words}) = {result:word} {errno:word} ({error})« <{duration_s:float}>»",
            "{when} {syscall}({:words}) = {result:word}« <{duration_s:float}>»« ({:inner})»",
            "{when} {syscall}({:words}) = {result:words}« <{duration_s:float}>»",
            "{when} {syscall}({:words} = {result:word}« <{duration_s:float}>»",
            "{when} {syscall}({:words} = {result:rest}",
            "{when} {syscall}({:words}<unfinished ...>",
            "{when} +++ {message:rest}",
            "{when} --- {message:rest}",
        ],
    )
    .requiring("syscall", |name| {
        name.iter().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'_')
    })
});

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::FORMAT;

    #[test]
    fn sample_lines() {
        for (line, expected) in [
            (
                r#"10000 1763694245.000561 openat(AT_FDCWD, "/etc/x", O_RDONLY) = -1 ENOENT (No such file or directory) <0.000009>"#,
                r#"2025-11-21T03:04:05.000561Z - pid=10000 syscall="openat" result="-1" errno="ENOENT" error="No such file or directory" duration_s=9e-6"#,
            ),
            (
                "1763694245.000561 close(3) = 0 <0.000009>",
                r#"2025-11-21T03:04:05.000561Z - syscall="close" result="0" duration_s=9e-6"#,
            ),
            (
                "10000 1763694245.000561 brk(NULL)            = 0x55b1 <0.000009>",
                r#"2025-11-21T03:04:05.000561Z - pid=10000 syscall="brk" result="0x55b1" duration_s=9e-6"#,
            ),
            (
                r#"[pid  7] 1763694245.000561 read(3, "x)", 2) = 2"#,
                r#"2025-11-21T03:04:05.000561Z - pid=7 syscall="read" result="2""#,
            ),
            (
                "10000 1763694245.000561 accept4(3,  <unfinished ...>",
                r#"2025-11-21T03:04:05.000561Z - pid=10000 syscall="accept4""#,
            ),
            (
                "10000 1763694245.000561 <... accept4 resumed>, NULL) = 4 <0.01>",
                r#"2025-11-21T03:04:05.000561Z - pid=10000 syscall="accept4" result="4 <0.01>""#,
            ),
            (
                "10000 1763694245.000561 +++ exited with 0 +++",
                r#"2025-11-21T03:04:05.000561Z - pid=10000 message="exited with 0 +++""#,
            ),
            (
                "478760 12:21:46.284771 close(4</x:[7]>) = 0 <0.000011>",
                r#"1688-01-01T12:21:46.284771Z - pid=478760 syscall="close" result="0" duration_s=1.1e-5"#,
            ),
            ("1763694245.1 Some text (x)", "unparsed: no line of strace"),
            (
                "2026-11-21 03:04:05.123 agent(1508.2068) client.Info: list refreshed",
                "unparsed: no line of strace",
            ),
        ] {
            assert_eq!(render(&FORMAT, line), expected, "{line}");
        }
    }
}
