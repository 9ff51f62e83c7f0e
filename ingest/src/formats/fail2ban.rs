//! The log of fail2ban: what it found and banned, by jail.

use std::sync::LazyLock;

use super::{Format, Learned};
use crate::layout::{LineLayouts, time_at};

pub(crate) static FORMAT: Format = Format {
    name: "fail2ban",
    title: "fail2ban log lines",
    learn: |_, _| Learned::starting(|line| time_at(line, 0).is_some()),
    reader: |setup| Box::new(LAYOUTS.reader(setup)),
    ..Format::LINES
};

static LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new(
        "no line of fail2ban",
        &[
            "{time} {logger:word} [{pid:int}]: {level} [{jail}] {action:words} \
             {client_ip+client_port:ip}«{:rest}»",
            "{time} {logger:word} [{pid:int}]: {level} [{jail}] {message:rest}",
            "{time} {logger:word} [{pid:int}]: {level} {message:rest}",
            "{time} {logger:words}: {level} [{jail}] {action:words} {client_ip+client_port:ip}«{:rest}»",
            "{time} {logger:words}: {level} {message:rest}",
        ],
    )
    .requiring("logger", |name| name.starts_with(b"fail2ban"))
});

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::FORMAT;

    #[test]
    fn sample_lines() {
        for (line, expected) in [
            (
                "2026-11-21 03:04:05,123 fail2ban.filter         [28143]: INFO    [sshd] Found 10.1.2.3 - 2026-11-21 03:04:04",
                r#"2026-11-21T03:04:05.123Z info logger="fail2ban.filter" pid=28143 jail="sshd" action="Found" client_ip="10.1.2.3""#,
            ),
            (
                "2026-11-21 03:04:05,123 fail2ban.actions        [28143]: NOTICE  [sshd] Ban 2001:db8::1",
                r#"2026-11-21T03:04:05.123Z notice logger="fail2ban.actions" pid=28143 jail="sshd" action="Ban" client_ip="2001:db8::1""#,
            ),
            (
                "2026-11-21 03:04:05,123 fail2ban.server         [28143]: INFO    rollover performed on /var/log/fail2ban.log",
                r#"2026-11-21T03:04:05.123Z info logger="fail2ban.server" pid=28143 message="rollover performed on /var/log/fail2ban.log""#,
            ),
            (
                "2026-11-21 03:04:05,123 fail2ban.actions: WARNING [ssh] Unban 10.1.2.3",
                r#"2026-11-21T03:04:05.123Z warn logger="fail2ban.actions" jail="ssh" action="Unban" client_ip="10.1.2.3""#,
            ),
            ("2026-11-21 03:04:05,123 shop.filter [28143]: INFO x", "unparsed: no line of fail2ban"),
        ] {
            assert_eq!(render(&FORMAT, line), expected, "{line}");
        }
    }
}
