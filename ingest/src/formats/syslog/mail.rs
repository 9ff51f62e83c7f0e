//! Mail: postfix, sendmail and dovecot. Envelope addresses are in angle brackets, and may be empty.

use std::sync::LazyLock;

use super::programs::Program;
use crate::layout::LineLayouts;

pub(super) static POSTFIX: Program = Program { apps: &["postfix"], from: b"", layouts: &POSTFIX_LAYOUTS };

static POSTFIX_LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new(
        "",
        &[
            "{queue_id}: to=<«{to}»>«, orig_to=<{orig_to}>», relay={relay:words}«, conn_use={:int}», \
             delay={delay_s:float}, delays={delays}, dsn={dsn}, status={status} {reason:rest}",
            "{queue_id}: to=<«{to}»>«, orig_to=<{orig_to}>», relay={relay}, delay={delay_s:float}, \
             {:words}status={status} {reason:rest}",
            "{queue_id}: from=<«{from}»>, size={bytes:int}, nrcpt={recipients:int}« {status:rest}»",
            "{queue_id}: from=<«{from}»>, status={status:rest}",
            "{queue_id}: client={client}[{client_ip}]«:{client_port:int}»«, sasl_method={method}»«, \
             sasl_username={user:rest}»",
            "{queue_id}: message-id={message_id:rest}",
            "{queue_id}: uid={uid:int} from=<«{from}»>",
            "{queue_id}: removed",
            "{queue_id}: {action}: {command:words} from {client}[{client_ip}]«:{client_port:int}»: \
             «{code:int} »{reason:words}; from=<«{from}»> to=<«{to}»>« proto={protocol:word}»« \
             helo=«<{helo}>»»",
            "{queue_id}: {action}: {command:words} from {client}[{client_ip}]«:{client_port:int}»: \
             «{code:int} »{reason:rest}",
            "connect from {client}[{client_ip}]",
            "disconnect from {client}[{client_ip}]",
            "warning: {client}[{client_ip}]: SASL {method} authentication failed:« {reason:rest}»",
            "warning: hostname {client} does not resolve to address {client_ip+client_port:endpoint}",
            "{action:words} from {client}[{client_ip}]",
            "{} connection established from {client}[{client_ip}]",
        ],
    )
});

pub(super) static SENDMAIL: Program =
    Program { apps: &["sendmail", "sm-mta", "mta"], from: b"", layouts: &SENDMAIL_LAYOUTS };

static SENDMAIL_LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new(
        "",
        &[
            "{queue_id}: from={from}, size={bytes:int}, {:words}nrcpts={recipients:int}, {:words}relay={relay:rest}",
            "{queue_id}: to={to}, {:words}relay={relay:words}, dsn={dsn}, stat={status:rest}",
            "{queue_id}: to={to}, {:words}stat={status:rest}",
        ],
    )
});

pub(super) static DOVECOT: Program = Program {
    apps: &["dovecot", "imap-login", "pop3-login", "managesieve-login", "submission-login"],
    from: b"",
    layouts: &DOVECOT_LAYOUTS,
};

static DOVECOT_LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new(
        "",
        &[
            "{service}: «Info: »{action:words}: user=<«{user}»>«, method={method}»«, \
             rip={client_ip+client_port:endpoint}»«, lip={server_ip+server_port:endpoint}»«, mpid={:int}»«, \
             {tls}»«, session=<{session}>»",
            "«Info: »{action:words}: user=<«{user}»>«, method={method}»«, \
             rip={client_ip+client_port:endpoint}»«, lip={server_ip+server_port:endpoint}»«, mpid={:int}»«, \
             {tls}»«, session=<{session}>»",
            "{service}: «Info: »conn {:words}>: {backend}({user},{client_ip}«,<{session}>»): {reason:rest}",
            "{service}: «Info: »{backend}({user},{client_ip}«,<{session}>»): {reason:rest}",
            "{service}({user})<{:int}><{session}>: «Info: »{action:rest}",
            "{service}({user}): «Info: »{action:rest}",
        ],
    )
});
