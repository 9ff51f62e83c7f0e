//! Random queries about the random logs, of every clause that the language has.

use proptest::prelude::*;
use proptest::sample::select;

fn word() -> impl Strategy<Value = String> {
    let fixed = select(vec![
        "error",
        "ERROR",
        "timeout",
        "connection",
        "upstream",
        "caf",
        "k",
        "300",
        "*",
        "größe7",
        "10.0.0.7",
        "GET",
        "mozilla",
        "worker",
        "peer",
        "İstanbul",
        "reset",
        "14:05:07",
    ]);
    prop_oneof![4 => fixed.prop_map(str::to_owned), 1 => (0..60u32).prop_map(|n| n.to_string())]
}

fn text() -> impl Strategy<Value = String> {
    let phrase = select(vec![
        "\"connection reset\"",
        "\"reset connection\"",
        "\"connection reset\"~1",
        "\"reset peer\"~1",
        "\"reset by peer\"~2",
        "\"connection peer\"~4",
        "\"request upstream\"~1",
        "\"timeout request\"~9",
        "\"http 1.1\"",
    ]);
    let glob = select(vec![
        "*imeou*",
        "tim*",
        "/api/*",
        "*größe1*",
        "w?rker",
        "/api/*/1*",
        "*eset*",
        "conn*ion",
        "?eset",
        "*or",
        "größe1?",
        "*api/cart/1*",
        "worker-*",
        "*i*",
        "*-1?",
        "10.0.0.?",
        "*imeout",
        "time*t",
        "*nnec*",
        "größe*",
        "*röß*",
        "t?meou*",
        "*eset b*",
        "ups*",
        "*zil*",
        "/api/car*",
    ]);
    let fuzzy = select(vec![
        "timout~",
        "tmieotu~2",
        "error~",
        "erorr~2",
        "warker~1",
        "conection~",
        "größ~",
        "größen~2",
        "reste~",
        "get~2",
        "k~",
        "ISTANBUL~",
        "fa~2",
        "upsteram~",
        "mozzilla~",
    ]);
    let regex = select(vec![
        "/time(d )?out/",
        "/TIMEOUT/i",
        "/worker-[0-4]\\b/",
        "/reset by (peer|host)/",
        "/^2026/",
        "/cart\\/\\d{2} /",
        "/connection was/",
        "/\\d+ms$/",
        "/größe[12]/i",
        "/a{2}/",
        "/request timeout to/",
        "/\\bk/i",
        "/./",
    ]);
    prop_oneof![
        3 => word(),
        1 => phrase.prop_map(str::to_owned),
        2 => glob.prop_map(str::to_owned),
        2 => fuzzy.prop_map(str::to_owned),
        2 => regex.prop_map(str::to_owned),
    ]
}

fn operator() -> impl Strategy<Value = &'static str> {
    select(vec!["=", "!=", "<", "<=", ">", ">="])
}

fn number_field() -> impl Strategy<Value = &'static str> {
    select(vec!["status", "bytes", "duration_ms", "line", "retry", "http.response.status_code"])
}

fn number() -> impl Strategy<Value = String> {
    let plain = prop_oneof![select(vec![200, 301, 404, 500, 0, 7]).boxed(), (0..9_000).boxed()];
    prop_oneof![4 => plain.prop_map(|number| number.to_string()), 1 => Just("12.5".to_owned())]
}

fn range(value: BoxedStrategy<String>) -> impl Strategy<Value = String> {
    let end = prop_oneof![4 => value, 1 => Just("*".to_owned())];
    (select(vec!["[", "{"]), end.clone(), end, select(vec!["]", "}"]))
        .prop_map(|(open, from, to, close)| format!("{open}{from} TO {to}{close}"))
}

fn numbers() -> impl Strategy<Value = String> {
    prop_oneof![
        (number_field(), operator(), number()).prop_map(|(field, op, number)| format!("{field}{op}{number}")),
        (number_field(), range(number().boxed())).prop_map(|(field, range)| format!("{field}:{range}")),
        (number_field(), number(), number()).prop_map(|(field, a, b)| format!("{field}:({a} OR {b})")),
        (number_field(), select(vec!["5*", "?0?", "/^4/", "*"]))
            .prop_map(|(field, p)| format!("{field}:{p}")),
        (select(vec!["bytes<", "bytes>=", "size>", "size<="]), select(vec!["2kb", "3KiB", "0.5kb"]))
            .prop_map(|(field, size)| format!("{field}{size}")),
        (
            select(vec!["duration_ms>", "duration_ms<=", "took>", "took<"]),
            select(vec!["100ms", "0.2s", "1s", "2s"])
        )
            .prop_map(|(field, time)| format!("{field}{time}")),
    ]
}

fn names() -> impl Strategy<Value = String> {
    prop_oneof![
        (
            select(vec!["message", "path", "user_agent", "user", "raw", "url.original", "source", "took"]),
            text()
        )
            .prop_map(|(field, text)| format!("{field}:{text}")),
        (
            select(vec!["user", "method", "path", "took", "source"]),
            operator(),
            select(vec!["GET", "größe1", "m", "Größe2", "0.log"])
        )
            .prop_map(|(field, op, value)| format!("{field}{op}{value}")),
        (
            select(vec!["client_ip", "client.ip", "ip"]),
            select(vec!["10.0.0.0/28", "10.0.0.32/27", "0.0.0.0/0", "10.0.0.7/32"])
        )
            .prop_map(|(field, network)| format!("{field}:{network}")),
        (operator(), 0..60u32).prop_map(|(op, host)| format!("client_ip{op}10.0.0.{host}")),
        (
            select(vec!["level", "log.level"]),
            operator(),
            select(vec!["debug", "info", "warning", "error", "fatal"])
        )
            .prop_map(|(field, op, level)| format!("{field}{op}{level}")),
        select(vec![
            "level:error",
            "level:(warn OR info)",
            "level:[debug TO warn}",
            "level:*",
            "level:e*",
            "source:0.log",
            "source:/[01]\\.log/",
            "source:(1.log 2.log)",
            "user:*",
            "bytes:*",
            "status:(404 or 500)",
            "raw:*",
            "status IN (200, 301)",
            "status NOT IN (200, 301)",
            "method=~\"^G\"",
            "path!~\"cart\"",
            "path!=*1*",
            "_exists_:user",
            "client_ip:(10.0.0.1 or 10.0.0.16/28)",
            "sender=10.0.0.7",
            "sender:10.0.0.0/29",
            "sender!=10.0.0.8",
            "log.source.address:*",
        ])
        .prop_map(str::to_owned),
    ]
}

fn time() -> impl Strategy<Value = String> {
    let written = prop_oneof![
        (0..60u32).prop_map(|second| format!("2026-03-01T14:05:{second:02}")),
        (0..60u32, 0..1_000u32)
            .prop_map(|(second, ms)| format!("2026-03-01T14:05:{second:02}.{:03}", ms | 1)),
        select(vec!["2026-03-01T14:05", "2026-03-01", "2026-03", "2026", "2026-03-02"])
            .prop_map(str::to_owned),
    ];
    let whole = prop_oneof![
        (0..60u32).prop_map(|second| format!("2026-03-01T14:05:{second:02}")),
        (0..60u32).prop_map(|seconds| format!("now-{seconds}s")),
    ];
    let written = written.boxed();
    prop_oneof![
        (operator(), whole.clone()).prop_map(|(op, time)| format!("time{op}{time}")),
        (operator(), select(vec!["2026-03-01T14:05", "2026-03-01", "2026-03", "2026", "2026-03-02"]))
            .prop_map(|(op, time)| format!("@timestamp{op}{time}")),
        range(whole.boxed()).prop_map(|range| format!("time:{range}")),
        written.prop_map(|time| format!("time:{time}")),
        (0..60u32).prop_map(|seconds| format!("time:now-{seconds}s")),
        Just("time:*".to_owned()),
    ]
}

fn noted() -> impl Strategy<Value = String> {
    select(vec![
        "is:starred",
        "is:noted",
        "is:(tagged OR commented)",
        "is:*",
        "is:st*",
        "is=commented",
        "is!=starred",
        "note.is:tagged",
        "tag:*",
        "tag:evidence",
        "tag:ROOT",
        "tag:\"root cause\"",
        "tag:root*",
        "tag:größe",
        "tag:(done OR *vid*)",
        "tag:/^[a-e]/",
        "tag=root",
        "tag!=root",
        "note.tag>=m",
        "tag:[d TO f]",
    ])
    .prop_map(str::to_owned)
}

fn clause() -> impl Strategy<Value = String> {
    prop_oneof![4 => text(), 3 => numbers(), 3 => names(), 2 => time(), 2 => noted()]
}

/// One to four clauses, joined in every way.
pub fn query() -> impl Strategy<Value = String> {
    let joint = select(vec![" ", " AND ", " OR ", " NOT ", " AND NOT ", " || "]);
    let parts = prop::collection::vec((clause(), joint), 1..4);
    (parts, any::<bool>(), any::<bool>()).prop_map(|(parts, nested, denied)| {
        let mut text = String::new();
        for (index, (clause, joint)) in parts.iter().enumerate() {
            if index > 0 {
                text.push_str(joint);
            }
            text.push_str(clause);
        }
        match (nested, denied) {
            (true, true) => format!("NOT ({text})"),
            (true, false) => format!("({text}) OR zebra"),
            (false, true) => format!("NOT {text}"),
            (false, false) => text,
        }
    })
}
