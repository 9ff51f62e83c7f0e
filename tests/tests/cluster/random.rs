//! Random documents, and random filters about them with every clause that has a counterpart.

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};

pub const TYPES: [(&str, &str); 9] = [
    ("@timestamp", "date"),
    ("message", "text"),
    ("message.keyword", "keyword"),
    ("method", "keyword"),
    ("path", "keyword"),
    ("status", "long"),
    ("duration", "double"),
    ("client", "ip"),
    ("ok", "boolean"),
];

/// Throws that are the same every time.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides.max(1) as u64) as usize
    }
}

pub fn runner() -> TestRunner {
    let seed = [23; 32];
    TestRunner::new_with_rng(Config::default(), TestRng::from_seed(RngAlgorithm::ChaCha, &seed))
}

pub fn document() -> impl Strategy<Value = Value> {
    let word = || {
        select(vec![
            "timeout",
            "TIMEOUT",
            "connection",
            "reset",
            "by",
            "peer",
            "Größe7",
            "GRÖßE7",
            "10.0.0.7",
            "caf\u{e9}",
            "k",
            "300\u{212a}",
            "a_b",
            "x-y",
            "\"quoted\"",
            "50%",
            "#1",
            "a&b",
            "<tag>",
            "~",
            "{1}",
            "[2]",
            "(3)",
            "\\",
            "^",
            "$5",
            "@me",
            "tab\there",
        ])
    };
    let text = prop::collection::vec(word(), 1..6).prop_map(|words| words.join(" "));
    let path =
        (select(vec!["/api/cart", "/api/Cart", "/health", "/img/logo.png", "/a*b", "/?q=1"]), 0..30_u32)
            .prop_map(|(path, n)| if n < 10 { path.to_owned() } else { format!("{path}/{n}") });
    let optional = |value: BoxedStrategy<Value>| prop_oneof![5 => value.prop_map(Some), 1 => Just(None)];
    (
        0..3_600_000_i64,
        optional(text.prop_map(Value::from).boxed()),
        optional(
            select(vec!["GET", "get", "POST", "PUT-X", "", "two\nlines GET"]).prop_map(Value::from).boxed(),
        ),
        optional(path.prop_map(Value::from).boxed()),
        optional(select(vec![200, 201, 301, 404, 500, 5, 50, 55_555, -1, 0]).prop_map(Value::from).boxed()),
        optional((0..4_000_i32).prop_map(|n| Value::from(f64::from(n) / 8.0 + 0.0625)).boxed()),
        optional((0..4_u8, 0..9_u8).prop_map(|(a, b)| Value::from(format!("10.{a}.0.{b}"))).boxed()),
        optional(any::<bool>().prop_map(Value::from).boxed()),
    )
        .prop_map(|(ms, message, method, path, status, duration, client, ok)| {
            let time = indexer::stamp::to_rfc3339((1_772_373_600_000 + ms) * 1_000_000);
            let mut document = json!({"@timestamp": time});
            let fields = [
                ("message", message),
                ("method", method),
                ("path", path),
                ("status", status),
                ("duration", duration),
                ("client", client),
                ("ok", ok),
            ];
            for (name, value) in fields {
                if let Some(value) = value {
                    document[name] = value;
                }
            }
            document
        })
}

fn clause() -> impl Strategy<Value = String> {
    let operator = || select(vec!["=", "!=", "<", "<=", ">", ">="]);
    let text_field = || select(vec!["message", "method", "path"]);
    let word = || {
        select(vec![
            "timeout",
            "GET",
            "get",
            "\"connection reset\"",
            "\"by peer\"",
            "größe7",
            "\"10.0.0.7\"",
            "api",
            "cart",
            "\"api cart\"",
            "k",
            "\"300\u{212a}\"",
            "\"a_b\"",
            "\"--\"",
            "\"img logo png\"",
            "\"PUT-X\"",
            "health",
        ])
    };
    let pattern = || {
        select(vec![
            "*eset*",
            "tim*",
            "*ET",
            "g?t",
            "\\/api\\/*",
            "*cart*",
            "*größ*",
            "*GRÖSSE*",
            "/^GET$/",
            "/ap[i-k]\\/c/",
            "/(reset|peer)$/",
            "/^\\/h/",
            "/\\d{2}/",
            "/T/i",
            "/o{2}|\\./",
            "*\\**",
            "*",
            "/a.b/",
            "/[^a-z\\/]/",
            "/größe/i",
            "*&*",
            "*<tag>*",
            "*#1*",
            "/@me/",
            "/\\\\/",
            "*\\\"*",
            "/\\$5|\\^/",
            "\"connection peer\"~3",
            "\"timeout by\"~1",
        ])
    };
    let number =
        || select(vec!["200", "404", "500", "5", "12.5", "0.0625", "-1", "0", "99999999999", "300.5", "1e2"]);
    let time = || {
        select(vec!["2026-03-01T14:05", "2026-03-01T14:30:00.250Z", "now-15m", "2026-03-01", "now", "14:20"])
    };
    prop_oneof![
        4 => (text_field(), word()).prop_map(|(field, word)| format!("{field}:{word}")),
        4 => (text_field(), pattern()).prop_map(|(field, pattern)| format!("{field}:{pattern}")),
        2 => (text_field(), operator(), word()).prop_map(|(field, op, word)| format!("{field}{op}{word}")),
        2 => (text_field(), word(), word()).prop_map(|(field, a, b)| format!("{field}:({a} OR {b})")),
        2 => (text_field(), word(), word()).prop_map(|(field, a, b)| format!("{field}:[{a} TO {b}]")),
        3 => (select(vec!["status", "duration"]), operator(), number()).prop_map(|(field, op, n)| format!("{field}{op}{n}")),
        2 => (select(vec!["status", "duration"]), number(), number()).prop_map(|(field, a, b)| format!("{field}:{{{a} TO {b}]")),
        2 => (select(vec!["status", "duration"]), number(), number()).prop_map(|(field, a, b)| format!("{field}:({a} OR {b})")),
        1 => select(vec!["status:5*", "status:5??", "status:2?1", "status:55*", "duration:*"]).prop_map(str::to_owned),
        2 => select(vec!["client:10.1.0.0/16", "client:10.0.0.0/8", "client:10.2.0.3", "client:10.3.*", "client>10.1.0.4", "client:*", "client!=10.0.0.1", "client:[10.1.0.0 TO 10.2.0.5]"]).prop_map(str::to_owned),
        1 => select(vec!["ok:true", "ok:false", "ok!=true", "ok:*", "ok=false"]).prop_map(str::to_owned),
        2 => (operator(), time()).prop_map(|(op, time)| format!("time{op}{time}")),
        1 => (time(), time()).prop_map(|(a, b)| format!("time:[\"{a}\" TO \"{b}\"]")),
        1 => select(vec!["message:*", "method:*", "http.request.method:get", "url.original:*cart*"]).prop_map(str::to_owned),
        1 => word().prop_map(str::to_owned),
    ]
}

pub fn filter() -> impl Strategy<Value = String> {
    let leaf = (any::<bool>(), clause())
        .prop_map(|(not, clause)| if not { format!("NOT {clause}") } else { clause });
    leaf.prop_recursive(3, 8, 3, |inner| {
        (prop::collection::vec(inner, 2..4), select(vec![" AND ", " OR "]))
            .prop_map(|(parts, with)| format!("({})", parts.join(with)))
    })
}
