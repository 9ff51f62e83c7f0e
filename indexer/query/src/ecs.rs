//! The names that the Elastic Common Schema has for conventional fields, and those of other tools for the
//! built-in ones. `docs/fields.md` is checked against this table.

/// A conventional field and its ECS name. If several fields share a name, it matches any of them.
pub const NAMES: &[(&str, &str)] = &[
    ("client_ip", "client.ip"),
    ("user", "user.name"),
    ("method", "http.request.method"),
    ("path", "url.original"),
    ("protocol", "http.version"),
    ("status", "http.response.status_code"),
    ("bytes", "http.response.body.bytes"),
    ("referer", "http.request.referrer"),
    ("user_agent", "user_agent.original"),
    ("host", "host.name"),
    ("container", "container.name"),
    ("app", "process.name"),
    ("pid", "process.pid"),
    ("facility", "log.syslog.facility.name"),
    ("msgid", "log.syslog.msgid"),
    ("severity", "log.syslog.severity.name"),
    ("code", "error.code"),
    ("component", "log.logger"),
    ("database", "db.name"),
    ("statement", "db.statement"),
    ("duration_ms", "event.duration"),
    ("client_port", "client.port"),
    ("session_id", "session.id"),
    ("sqlstate", "error.code"),
    ("process", "process.name"),
    ("gc_id", "labels.gc_id"),
    ("pause", "labels.pause"),
    ("cause", "labels.cause"),
    ("heap_before_bytes", "labels.heap_before_bytes"),
    ("heap_after_bytes", "labels.heap_after_bytes"),
    ("heap_total_bytes", "labels.heap_total_bytes"),
    ("uptime_ms", "process.uptime"),
    ("action", "labels.action"),
    ("role", "labels.role"),
    ("section", "labels.section"),
    ("exit", "event.outcome"),
    ("command", "process.command_line"),
    ("thread", "process.thread.name"),
    ("logger", "log.logger"),
    ("context", "labels.context"),
    ("event_id", "event.code"),
    ("ip", "related.ip"),
    ("trace_id", "trace.id"),
    ("span_id", "span.id"),
    ("request_id", "http.request.id"),
    ("type", "event.action"),
    ("serial", "event.sequence"),
    ("device_vendor", "observer.vendor"),
    ("device_product", "observer.product"),
    ("device_version", "observer.version"),
    ("event_class_id", "event.code"),
    ("received_bytes", "http.request.bytes"),
    ("client", "client.domain"),
    ("vhost", "url.domain"),
    ("forwarded_for", "network.forwarded_ip"),
    ("upstream", "server.address"),
    ("source_ip", "source.ip"),
    ("source_port", "source.port"),
    ("destination_ip", "destination.ip"),
    ("destination_port", "destination.port"),
    ("source_nat_ip", "source.nat.ip"),
    ("destination_nat_ip", "destination.nat.ip"),
    ("transport", "network.transport"),
    ("direction", "network.direction"),
    ("interface", "observer.ingress.interface.name"),
    ("mac", "client.mac"),
    ("reason", "event.reason"),
    ("service", "service.name"),
    ("run_as", "user.effective.name"),
    ("uid", "user.id"),
    ("gid", "group.id"),
    ("group", "group.name"),
    ("jail", "rule.name"),
    ("signature", "rule.name"),
    ("signature_id", "rule.id"),
    ("category", "rule.category"),
    ("priority", "event.severity"),
    ("queue_id", "email.local_id"),
    ("message_id", "email.message_id"),
    ("from", "email.from.address"),
    ("to", "email.to.address"),
    ("query", "dns.question.name"),
    ("class", "dns.question.class"),
    ("type", "dns.question.type"),
    ("package", "package.name"),
    ("version", "package.version"),
    ("sender", "log.source.address"),
    ("source_file", "log.origin.file.name"),
    ("source_line", "log.origin.file.line"),
];

/// Other names of the built-in fields.
pub const BUILT_IN: &[(&str, &str)] = &[
    ("time", "@timestamp"),
    ("time", "_time"),
    ("level", "log.level"),
    ("source", "log.file.path"),
    ("raw", "event.original"),
    ("raw", "_raw"),
    ("message", "_msg"),
];

/// The fields whose ECS names have all words of another name, in their order: `http.status_code` has those of
/// `status`. A single word says too little.
pub fn fields_with_words(name: &str) -> impl Iterator<Item = &'static str> {
    let has_words = move |known: &str| {
        let mut rest = words(known);
        words(name).count() > 1 && words(name).all(|word| rest.any(|known| known.eq_ignore_ascii_case(word)))
    };
    NAMES.iter().filter(move |(_, known)| has_words(known)).map(|(field, _)| *field)
}

fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(['.', '_']).filter(|word| !word.is_empty())
}

/// The fields that a name refers to besides one of exactly this name.
pub fn fields_of(name: &str) -> impl Iterator<Item = &'static str> {
    BUILT_IN.iter().chain(NAMES).filter(move |(_, known)| *known == name).map(|(field, _)| *field)
}
