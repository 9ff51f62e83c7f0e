//! Logins, their origin and the commands run: sshd, sudo, su, cron, PAM, login and ftpd.

use std::sync::LazyLock;

use super::programs::Program;
use crate::layout::LineLayouts;

pub(super) static SSHD: Program =
    Program { apps: &["sshd", "sshd-session", "sshd-auth", "dropbear"], from: b"", layouts: &SSHD_LAYOUTS };

static SSHD_LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new(
        "",
        &[
            "Invalid user from {client_ip:word}« port {client_port:int}»",
            "Invalid user {user:words} from {client_ip:word}« port {client_port:int}»",
            "Connection {action} by «authenticating »«invalid »«user {user:words} \
             »{client_ip+client_port:ip}« port {client_port:int}»",
            "Disconnected from «authenticating »«invalid »«user {user:words} »{client_ip+client_port:ip}« \
             port {client_port:int}»",
            "Disconnecting «authenticating »«invalid »«user {user:words} »{client_ip+client_port:ip} port \
             {client_port:int}:« {reason:rest}»«{reason:rest}»",
            "«error: »Received disconnect from {client_ip+client_port:ip}« port {client_port:int}»:« \
             {reason:rest}»«{reason:rest}»",
            "«fatal: »{:words} identification string from {client_ip+client_port:ip}« port {client_port:int}»",
            "«error: »maximum authentication attempts exceeded for «invalid user »{user:words} from \
             {client_ip:word} port {client_port:int}",
            "User {user:words} from {client_ip:word} not allowed because {reason:rest}",
            "reverse mapping checking getaddrinfo for {client:words} [{client_ip}] failed",
            "Address {client_ip} maps to {client}, but",
            "«error: »PAM: {reason} for «illegal user »{user:words} from {client_ip:word}« via {:word}»",
            "«error: »PAM: {reason:words} for «illegal user »{user:word} from {client_ip:word}",
            "«banner exchange: »«ssh_dispatch_run_fatal: »Connection from {client_ip+client_port:ip}« port \
             {client_port:int}«: {reason:rest}»»",
            "«fatal: »Unable to negotiate with {client_ip+client_port:ip} port {client_port:int}:« {reason:rest}»",
            "«fatal: »Timeout before authentication for «connection from »{client_ip+client_port:ip}",
            "Bad protocol version identification {:words} from {client_ip+client_port:ip}« port {client_port:int}»",
            "User {user:words} not allowed because {reason:rest}",
            "Disconnecting: {reason:words} for {user:word}",
            "ROOT LOGIN REFUSED FROM {client_ip:word}« port {client_port:int}»",
            "refused connect from {client} ({client_ip})",
            "input_userauth_request: invalid user {user:word}",
            "pam_unix({}): session {action} for user {user}«({})»« by {:rest}»",
            "pam_unix({}): session {action} for user {user:word}",
            "session {action} for user {user:word}",
            "pam_unix({}): {reason}; logname=«{:word}» uid={uid:int} euid={:int} tty=«{tty:word}» \
             ruser=«{ruser:word}» rhost=«{client_ip:word}»« user={user:word}»",
            "{reason}; logname=«{:word}» uid={uid:int} euid={:int} tty=«{tty:word}» ruser=«{ruser:word}» \
             rhost=«{client_ip:word}»« user={user:word}»",
            "{action} {method} for invalid user {user:words} from {client_ip:word} port {client_port:int}",
            "{action} {method} for {user:words} from {client_ip:word}« port {client_port:int}»",
            "{action} password for '{user}' from {client_ip+client_port:ip}",
        ],
    )
});

pub(super) static SUDO: Program = Program { apps: &["sudo"], from: b"", layouts: &SUDO_LAYOUTS };

static SUDO_LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new(
        "",
        &[
            "{user} : TTY={tty} ; PWD={cwd:words} ; USER={run_as}« ; GROUP={:word}»« ; TSID={:word}» ; \
             COMMAND={command:rest}",
            "{user} : TTY={tty} ; PWD={cwd:words} ; USER={run_as} ; {:words} ; COMMAND={command:rest}",
            "{user} : {reason:words} ; TTY={tty} ; PWD={cwd:words} ; USER={run_as} ; COMMAND={command:rest}",
            "pam_unix({}): session {action} for user {user}«({})»« by {:rest}»",
            "pam_unix({}): session {action} for user {user:word}",
            "pam_unix({}): {reason}; logname=«{:word}» uid={uid:int} euid={:int} tty=«{tty:word}» \
             ruser=«{ruser:word}» rhost=«{client_ip:word}»« user={user:word}»",
        ],
    )
});

pub(super) static CRON: Program = Program {
    apps: &["cron", "crond", "fcron", "anacron", "crontab", "atd"],
    from: b"",
    layouts: &CRON_LAYOUTS,
};

static CRON_LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new(
        "",
        &[
            "pam_unix({}): session {action} for user {user}«({})»« by {:rest}»",
            "pam_unix({}): session {action} for user {user:word}",
            "({user}) {action:words} ({command:inner})",
            "FILE {} USER {user} PID {:int} {command:rest}",
            "USER {user} pid {:int} cmd {command:rest}",
        ],
    )
});

pub(super) static PAM: Program = Program {
    apps: &["pam_unix", "su", "systemd-logind", "login", "gdm-password"],
    from: b"",
    layouts: &PAM_LAYOUTS,
};

static PAM_LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new(
        "",
        &[
            "«pam_unix({}): »session {action} for user {user}«({})»« by {:rest}»",
            "«pam_unix({}): »session {action} for user {user:word}",
            "«pam_unix({}): »{reason}; logname=«{:word}» uid={uid:int} euid={:int} tty=«{tty:word}» \
             ruser=«{ruser:word}» rhost=«{client_ip:word}»« user={user:word}»",
            "(to {run_as}) {user} on {tty:rest}",
            "'su {run_as}' {action} for {user} on {tty:rest}",
            "{action} su for {run_as} by {user:word}",
            "New session {session:word} of user {user:words}.",
            "FAILED LOGIN {:words} FROM {client_ip:word} FOR {user}, {reason:rest}",
            "{} LOGIN {} ON {tty:word}« FROM {client_ip:word}»",
        ],
    )
});

pub(super) static LOGIN: Program = Program {
    apps: &["ftpd", "telnetd", "in.telnetd", "xinetd", "vsftpd", "proftpd"],
    from: b"",
    layouts: &LOGIN_LAYOUTS,
};

static LOGIN_LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new(
        "",
        &[
            "connection from {client_ip:word}« ({client})»",
            "connect from {client_ip:word}",
            "START: {service} pid={:int} from={client_ip:word}",
            "EXIT: {service} status={:int} pid={:int} duration={duration_s:int}",
            "{} ({client}[{client_ip}]) - USER {user}: {action:rest}",
            "{} ({client}[{client_ip}]) - {action:rest}",
            "[{user}] {action:words}: Client \"{client_ip}\"",
        ],
    )
});
