//! How definitions read lines, and that simplified patterns match the same as the originals.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use proptest::prelude::*;

use super::engine::{Miss, Scratch};
use super::grok::{Patterns, library_names, original};
use super::matcher::Matcher;
use super::samples::value;
use super::syntax::Dialect;
use super::{Definition, read};

fn grok(pattern: &str) -> Matcher {
    let text = Patterns::default().write_out(pattern).unwrap();
    Matcher::new(&text, Dialect::Grok).unwrap_or_else(|error| panic!("{pattern}: {error}"))
}

fn define(text: &str) -> Arc<Definition> {
    let mut definitions = read(text, "test").unwrap_or_else(|faults| {
        let faults: Vec<String> =
            faults.iter().map(|fault| format!("{}: {}", fault.key, fault.message)).collect();
        panic!("{}", faults.join("; "))
    });
    Arc::new(definitions.remove(0))
}

/// The event that a definition reads from a line: time, level and the columns in order.
fn render(definition: &Arc<Definition>, line: &str) -> String {
    let batch = definition.parse_event(line);
    if let Some((_, reason)) = batch.unparsed_examples.first() {
        return format!("unparsed: {reason}");
    }
    let mut out = vec![
        value(&batch, "time").unwrap_or("-".to_string()),
        value(&batch, "level").unwrap_or("-".to_string()),
    ];
    for column in &batch.columns {
        if let Some(text) = value(&batch, &column.name) {
            out.push(format!("{}={text}", column.name));
        }
    }
    out.join(" ")
}

/// The fields of a Grok pattern in a line.
fn fields(pattern: &str, line: &str) -> String {
    let definition = define(&format!("name = 'test'\ngrok = '''{pattern}'''"));
    let batch = definition.parse_event(line);
    if let Some((_, reason)) = batch.unparsed_examples.first() {
        return format!("unparsed: {reason}");
    }
    let columns = batch.columns.iter();
    let texts =
        columns.filter_map(|column| Some(format!("{}={}", column.name, value(&batch, &column.name)?)));
    texts.collect::<Vec<_>>().join(" ")
}

const RELAY: &str = r#"
name = "relay"
grok = "%{MONTH:month} %{NUMBER:date} %{TIME:time} %{URIHOST:sender} %{WORD:grokanchor} %{NUMBER:mstatus} %{WORD:salt}"
time = { from = ["month", "date", "time"], format = "MMM dd HH:mm:ss" }
fields.mstatus.type = "int"
tags = [
  { tag = "s90", if = "mstatus > 90" }, { tag = "s80", if = "mstatus > 80" }, { tag = "s70", if = "mstatus > 70" },
  { tag = "s60", if = "mstatus > 60" }, { tag = "s50", if = "mstatus > 50" },
]
"#;

#[test]
fn the_relay_pipeline() {
    let relay = define(RELAY);
    assert_eq!(
        render(&relay, "Nov 21 03:04:05 host.example.com anchor 87 salt"),
        "1680-11-21T03:04:05Z - month=Nov date=21 sender=host.example.com grokanchor=anchor mstatus=87 salt=salt \
         tags=s80,s70,s60,s50"
    );
    assert_eq!(
        render(&relay, "Nov 21 03:04:05 10.1.2.3:514 anchor 12 a_b"),
        "1680-11-21T03:04:05Z - month=Nov date=21 sender=10.1.2.3:514 port=514 grokanchor=anchor mstatus=12 salt=a_b"
    );
    assert_eq!(
        render(&relay, "Nov 21 03:04:05 host anchor x salt"),
        "unparsed: the line does not fit the format's pattern"
    );
    assert_eq!(
        render(&relay, "pre Nov 21 03:04:05 höst.example.com anchor 95 sält more").split(" month").next(),
        Some("unparsed: the line does not fit the format's pattern")
    );
    assert!(render(&relay, "pre Nov 21 03:04:05 h.example.com anchor 95 sält more").contains("salt=sält"));
}

/// The patterns of the library that need backtracking; every other runs on automata.
const BACKTRACKING: [&str; 9] = [
    "IPTABLES",
    "IPTABLES4_FRAG",
    "IPTABLES4_PART",
    "MONGO_QUERY",
    "MONGO_SLOWQUERY",
    "RAILS3",
    "RAILS3FOOT",
    "SFW2",
    "SHOREWALL",
];

#[test]
fn every_pattern_of_the_library_compiles_and_few_backtrack() {
    let needs = library_names().filter(|name| grok(&format!("%{{{name}}}")).is_backtracking());
    assert_eq!(needs.collect::<Vec<_>>(), BACKTRACKING);
}

/// The fast path, the automaton alone, and the pattern as written find the same fields.
fn agree(pattern: &str, [quick, whole, written]: [&Matcher; 3], line: &str) -> Result<(), TestCaseError> {
    let spans = |matcher: &Matcher| {
        let mut spans = vec![None; matcher.spans()];
        let found = matcher.find(line.as_bytes(), &mut Scratch::default(), &mut spans);
        spans.truncate(matcher.groups.len());
        found.map(|()| spans)
    };
    let expected = spans(written);
    if expected == Err(Miss::TooManySteps) {
        // An automaton has an answer where backtracking gives up.
        return Ok(());
    }
    prop_assert_eq!(spans(quick), expected.clone(), "the quick way of {} in {:?}", pattern, line);
    prop_assert_eq!(spans(whole), expected, "{} in {:?}", pattern, line);
    Ok(())
}

/// A replaced or simplified pattern, and the pattern as Logstash has it.
fn pairs() -> Vec<(String, String)> {
    let names = [
        "INT",
        "NUMBER",
        "BASE10NUM",
        "BASE16NUM",
        "BASE16FLOAT",
        "WORD",
        "IPV4",
        "IPV6",
        "IP",
        "HOSTNAME",
        "IPORHOST",
        "URIHOST",
        "HOSTPORT",
        "TIME",
        "HAPROXYTIME",
        "HAPROXYDATE",
        "QUOTEDSTRING",
        "MONTH",
        "YEAR",
        "HTTPDATE",
        "SYSLOGTIMESTAMP",
        "TIMESTAMP_ISO8601",
        "URIPATHPARAM",
    ];
    let mut patterns = Patterns::default();
    for name in ["QUOTEDSTRING", "HAPROXYDATE"] {
        patterns.define(name, original(name).unwrap());
    }
    let frames = [
        ("", ""),
        ("x=", ""),
        ("", " %{WORD:w}"),
        ("", "(?: %{INT:n})?"),
        ("%{DATA:d}", " "),
        ("%{DATA:d}", "%{DATA:e}$"),
        ("^%{NOTSPACE:s} ", "ms"),
        ("[", "]%{GREEDYDATA:g}"),
    ];
    let mut pairs = Vec::new();
    for name in names {
        for (before, after) in frames {
            let before = before.replace('[', r"\[");
            let pattern = format!("{before}%{{{name}:f}}{}", after.replace(']', r"\]"));
            if grok(&pattern).is_backtracking() {
                // A number that is followed by what could be its own digits keeps its atomic group.
                assert!(name.starts_with("BASE10NUM") || name == "NUMBER", "{pattern}");
                continue;
            }
            let written = patterns.write_out(&pattern).unwrap();
            pairs.push((pattern, written));
        }
    }
    pairs
}

/// Lines that the patterns above match, with some parts inserted, removed or doubled.
fn likely_line() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("10.1.2.3"),
        Just("255.255.255.255"),
        Just("fe80::1%eth0"),
        Just("::ffff:1.2.3.4"),
        Just("web-1.example.com"),
        Just("03:04:05"),
        Just("23:59:60.123"),
        Just("Nov 21 03:04:05"),
        Just("21/Nov/2026:03:04:05 +0100"),
        Just("2026-11-21T03:04:05.5Z"),
        Just("-12.5"),
        Just(".5"),
        Just("0x1F"),
        Just("1234"),
        Just("\"a \\\" b\""),
        Just("'x'"),
        Just("``"),
        Just("\\\"q\""),
        Just(" "),
        Just(" "),
        Just("x="),
        Just("["),
        Just("]"),
        Just(":514"),
        Just("ms"),
        Just("ä"),
        Just("word"),
        Just("."),
        Just("7"),
        Just("-"),
        Just("<1"),
        Just("/a?b=c"),
        Just("21/Nov/2026:03:04:05.123"),
    ];
    proptest::collection::vec(piece, 0..7).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn automata_match_what_the_patterns_as_written_match(
        lines in proptest::collection::vec(likely_line(), 8),
        noise in proptest::collection::vec("[0-9a-f.:+\\-\" \\\\/x=]{0,24}", 8),
    ) {
        thread_local!(static PAIRS: Vec<(String, Matcher, Matcher, Matcher)> = pairs().into_iter().map(|(pattern, written)| {
            let written = Matcher::as_written(&written, Dialect::Grok).unwrap();
            (pattern.clone(), grok(&pattern), grok(&pattern).without_plan(), written)
        }).collect());
        PAIRS.with(|pairs| {
            for (pattern, quick, whole, written) in pairs {
                for line in lines.iter().chain(&noise) {
                    agree(pattern, [quick, whole, written], line)?;
                }
            }
            Ok::<(), TestCaseError>(())
        })?;
    }
}

#[test]
fn the_library_s_main_patterns_read_their_lines() {
    assert_eq!(
        fields(
            "%{COMBINEDAPACHELOG}",
            r#"10.1.2.3 - ann [21/Nov/2026:03:04:05 +0100] "GET /a?b=c HTTP/1.1" 200 512 "-" "curl \"8\"""#
        ),
        r#"clientip=10.1.2.3 ident=- auth=ann timestamp=21/Nov/2026:03:04:05 +0100 verb=GET request=/a?b=c httpversion=1.1 response=200 bytes=512 referrer="-" agent="curl \"8\"""#
    );
    assert_eq!(
        fields("%{SYSLOGLINE}", "Nov 21 03:04:05 web-1 sshd[4711]: no such user"),
        "timestamp=Nov 21 03:04:05 logsource=web-1 program=sshd pid=4711 message=no such user"
    );
    assert_eq!(
        fields(
            "%{SYSLOGPAMSESSION}",
            "Nov 21 03:04:05 web-1 su[7]: pam_unix(su:session): session opened for user ann by bob"
        ),
        "timestamp=Nov 21 03:04:05 logsource=web-1 program=su pid=7 message=pam_unix(su:session): session opened for user ann by bob \
         pam_module=pam_unix pam_caller=su:session pam_session_state=opened username=ann pam_by=bob"
    );
    let haproxy = fields(
        "%{HAPROXYHTTP}",
        "Nov 21 03:04:05 lb-1 haproxy[99]: 10.1.2.3:4711 [21/Nov/2026:03:04:05.678] fe be/srv-1 0/0/1/15/16 200 512 - - ---- \
         1/2/3/4/0 0/0 {shop.example.com} \"GET http://shop.example.com/a?b=c HTTP/1.1\"",
    );
    for expected in [
        "client_ip=10.1.2.3",
        "haproxy_milliseconds=678",
        "server_name=srv-1",
        "http_status_code=200",
        "captured_request_headers=shop.example.com",
        "http_verb=GET",
        "http_host=shop.example.com",
        "http_request=/a?b=c",
    ] {
        assert!(haproxy.split(' ').any(|field| field == expected), "{expected} in {haproxy}");
    }
    assert_eq!(
        fields("%{CATALINALOG}", "Nov 21, 2026 7:13:13 AM com.example.Shop open it is open"),
        "timestamp=Nov 21, 2026 7:13:13 AM class=com.example.Shop logmessage=open it is open"
    );
    assert!(
        fields(
            "%{MONGO_SLOWQUERY}",
            "query shop.carts query: { a: 1 } ntoreturn:1 ntoskip:0 nscanned:5 x nreturned:1 reslen:20 12ms"
        )
        .contains("duration=12")
    );
}

#[test]
fn types_and_ecs_names() {
    let definition =
        define("name = 'a'\necs = true\ngrok = '%{COMMONAPACHELOG} %{NUMBER:[event][took]:float}'");
    let line = r#"web.example.com - - [21/Nov/2026:03:04:05 +0000] "GET / HTTP/2.0" 404 - 1.5"#;
    assert_eq!(
        render(&definition, line),
        "2026-11-21T03:04:05Z - source.address=web.example.com apache.access.user.identity=- user.name=- \
         timestamp=21/Nov/2026:03:04:05 +0000 http.request.method=GET url.original=/ http.version=2.0 \
         http.response.status_code=404 event.took=1.5"
    );
}

#[test]
fn regular_expressions_levels_renaming_and_own_patterns() {
    let definition = define(
        r#"
        name = "shop"
        regex = ['^(?<sev>[A-Z])\|(?<when>[^|]+)\|(?<who>\w*)\|(?<n>[^|]*)\|(?<text>.*)$', '^(?<sev>\w+): (?<text>.*)$']
        zone = "Europe/Berlin"
        message = "text"
        time = { from = "when" }
        level = { from = "sev", map = { W = "warn", E = "error" } }
        fields = { who = { rename = "user" }, n = { type = "int" }, sev = { drop = true } }
        tags = [{ tag = "who", if = "who exists and n > 1" }]
        "#,
    );
    assert_eq!(
        render(&definition, "W|2026-11-21 03:04:05|ann|2|slow"),
        "2026-11-21T02:04:05Z warn when=2026-11-21 03:04:05 user=ann n=2 message=slow tags=who"
    );
    assert_eq!(
        render(&definition, "E|2026-11-21 03:04:05||two|x"),
        "2026-11-21T02:04:05Z error when=2026-11-21 03:04:05 user= n=two message=x"
    );
    assert_eq!(render(&definition, "fatal: gone"), "- fatal message=gone");
    let own = define(
        "name = 'o'\ngrok = '%{TICKET:ticket} %{WORD:by}'\npatterns = { TICKET = 'T-%{INT}' }\nstart = '^T-'",
    );
    assert_eq!(render(&own, "T-12 ann"), "- - ticket=T-12 by=ann");
    let batch = own.parse(crate::Chunk::whole(b"T-1 x\n  at x\nT-2 y\n".to_vec()));
    assert_eq!(batch.rows(), 2);
}

#[test]
fn exponential_patterns_hit_the_step_limit() {
    for pattern in ["(a+)+$", "(?:a|a)*b", r"(?<x>a*)*\1b", "(?=(a+)+b)a+b", "(?:(?>a+)|a)+(?<!b)c"] {
        let definition = define(&format!("name = 'e'\nregex = '''(?<f>x)?{pattern}'''"));
        let line = format!("{}!", "a".repeat(4_000));
        let start = std::time::Instant::now();
        assert!(render(&definition, &line).starts_with("unparsed"), "{pattern}");
        assert!(start.elapsed().as_secs() < 5, "{pattern}");
    }
    let definition = define("name = 'e'\nregex = '(?<f>x)?(a*)(a*)(a*)\\2\\3\\4b'");
    assert_eq!(
        render(&definition, &"a".repeat(300)),
        "unparsed: the format's pattern took too many steps for this line"
    );
}

#[test]
fn invalid_utf8_and_empty_lines_are_events() {
    let definition = define("name = 'b'\ngrok = '%{WORD:a} %{NOTSPACE:b} %{GREEDYDATA:c}'");
    let chunk = crate::Chunk::whole(b"one \xFF\xFEtwo a\xC3\n\nx \xF0 \0y\n".to_vec());
    let batch = definition.parse(chunk);
    assert_eq!((batch.rows(), batch.unparsed), (2, 0));
}

#[track_caller]
fn fault(text: &str, key: &str, part: &str) {
    let Err(faults) = read(text, "test") else { panic!("{text} was read") };
    let found = faults.iter().any(|fault| fault.key == key && fault.message.contains(part));
    let all: Vec<String> = faults.iter().map(|fault| format!("{}: {}", fault.key, fault.message)).collect();
    assert!(found, "{all:?}");
}

#[test]
fn errors_name_the_key_and_the_fix() {
    fault("name = 'a'\ngrok = '%{NUMBR:n}'", "grok", "did you mean `NUMBER`?");
    fault("name = 'a'\ngrok = '%{A:n}'\npatterns = { A = '%{B}', B = '%{A}' }", "grok", "contains itself");
    fault("name = 'a'\ngrok = '%{INT:n:date}'", "grok", "not a type");
    fault("name = 'a'\nregex = ['(?<a>x)', '(?<b>x']", "regex[2]", "`)` is missing");
    fault("name = 'a'\nregex = 'x*('", "regex", "`)` is missing");
    fault("name = 'a'\nregex = '[z-a]'", "regex", "z-a");
    fault("name = 'a'\nregex = '(?<a>.)'\nfeilds = {}", "feilds", "did you mean `fields`?");
    fault("name = 'a b'\nregex = '(?<a>.)'", "name", "letters");
    fault("name = 'a'\nregex = '(?<a>.)'\nzone = 'Mars/Olympus'", "zone", "Mars/Olympus");
    fault("name = 'a'\nregex = '(?<abc>.)'\ntime = { from = 'abd' }", "time.from", "did you mean `abc`?");
    fault("name = 'a'\nregex = '(?<abc>.)'\nfields.xyz.type = 'int'", "fields.xyz", "the pattern has abc");
    fault(
        "name = 'a'\nregex = '(?<abc>.)'\nfields.abc.type = 'number'",
        "fields.abc.type",
        "text, int, float and bool",
    );
    fault(
        "name = 'a'\nregex = '(?<abc>.)'\ntags = [{ tag = 't', if = 'abd > 1' }]",
        "tags[1].if",
        "did you mean `abc`?",
    );
    fault(
        "name = 'a'\nregex = '(?<abc>.)'\nlevel = { from = 'abc', map = { x = 'loud' } }",
        "level.map.x",
        "there are trace",
    );
    fault("name = 'a'", "grok", "needs one of");
    fault("name = 'a'\nregex = \"(?<a>.)\"\n[[samples]]\nline = ''", "samples[1].line", "it is empty");
    fault(
        "name = 'a'\nregex = '(?<a>.)'\nsamples = [{ line = 'x', fields = { a = 'y' } }]",
        "samples[1].a",
        "should be `y`",
    );
    fault("name = 'a'\nregex = ", "line 2", "");
    fault("{ \"f\": ", "line 1", "EOF");
    fault("A %{NOPE:x}\n", "A", "no pattern `NOPE`");
    fault("A [0-9]+\n", "", "no pattern of the file has fields");
}

#[test]
fn formats_of_lnav() {
    let text = r#"{
        "$schema": "x",
        "shop_log": {
            "title": "Shop",
            "regex": {
                "std": { "pattern": "^(?<timestamp>\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}) (?<level>\\w+) \\[(?<took>[\\d.]+)\\] (?<body>.*)$" },
                "bare": { "pattern": "^(?<timestamp>[^|]++)\\|(?<body>(?!secret).*)$" }
            },
            "timestamp-format": ["%Y-%m-%d %H:%M:%S"],
            "level": { "error": "^E", "warning": "^W" },
            "value": { "took": { "kind": "float" }, "other": { "kind": "integer" } },
            "sample": [{ "line": "2026-11-21 03:04:05 Err [1.5] no cart", "level": "error" }]
        },
        "shop_json": {
            "json": true, "timestamp-field": "at", "level-field": "sev", "body-field": "msg",
            "level": { "error": 50 },
            "line-format": [{ "field": "at" }, " ", { "field": "http/status" }],
            "value": { "http/status": { "kind": "integer" } },
            "sample": [{ "line": "{\"at\":\"2026-11-21T03:04:05Z\",\"sev\":50,\"msg\":\"no\",\"http\":{\"status\":500}}", "level": "error" }]
        }
    }"#;
    let definitions =
        read(text, "x").unwrap_or_else(|faults| panic!("{}: {}", faults[0].key, faults[0].message));
    let mut definitions = definitions.into_iter().map(Arc::new);
    let (json, log) = (definitions.next().unwrap(), definitions.next().unwrap());
    assert_eq!(
        render(&log, "2026-11-21 03:04:05 Warn [1.5] slow"),
        "2026-11-21T03:04:05Z warn timestamp=2026-11-21 03:04:05 message=slow took=1.5"
    );
    assert_eq!(
        render(&log, "2026-11-21 03:04:05|open"),
        "2026-11-21T03:04:05Z - timestamp=2026-11-21 03:04:05 message=open"
    );
    assert!(render(&log, "2026-11-21 03:04:05|secret").starts_with("unparsed"));
    assert_eq!(
        render(&json, r#"{"at":"2026-11-21T03:04:05Z","msg":"up","http":{"status":200},"x":1}"#),
        "2026-11-21T03:04:05Z - at=2026-11-21T03:04:05Z message=up http/status=200"
    );
    assert!(render(&json, "[1]").starts_with("unparsed"));
    fault(&text.replace("] no cart", ") no cart"), "shop_log.samples[1].line", "does not fit");
}

#[test]
fn pattern_files_of_logstash_and_files_on_disk() {
    let definitions = read("# ours\nTICKET T-%{INT}\nSHOPLINE %{TICKET:ticket} %{GREEDYDATA:message}\n", "x")
        .unwrap_or_default();
    assert_eq!(definitions.len(), 1);
    assert_eq!(render(&Arc::new(define_one(definitions)), "T-12 x"), "- - ticket=T-12 message=x");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("relay.toml");
    std::fs::write(&path, RELAY.replace("mstatus > 60", "mstats > 60")).unwrap();
    let errors = super::load(&path).unwrap_err();
    assert!(
        errors[0]
            .to_string()
            .ends_with("relay.toml: tags[4].if: there is no field `mstats`; did you mean `mstatus`?")
    );
    std::fs::write(&path, RELAY).unwrap();
    assert_eq!(super::load(&path).unwrap()[0].title, "relay lines");
    assert!(super::load(&folder.path().join("none")).is_err());
}

fn define_one(mut definitions: Vec<Definition>) -> Definition {
    definitions.remove(0)
}
