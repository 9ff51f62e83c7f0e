use super::super::render;
use super::*;

#[track_caller]
fn check(line: &str, expected: &str) {
    assert_eq!(render(&FORMAT, line), expected, "{line}");
}

#[test]
fn levels_with_a_degree() {
    for (level, expected) in
        [("ERROR+2", "error"), ("DEBUG-4", "debug"), ("DEBUG5", "debug"), ("dpanic", "fatal")]
    {
        assert_eq!(render(&FORMAT, &format!("{{\"level\":\"{level}\"}}")), format!("- {expected}"));
    }
}

#[test]
fn numbers_that_rise_with_the_danger_are_no_levels() {
    // The other events show the scale: 8 is no number of syslog.
    check("{\"id\":1,\"severity\":2}\n{\"id\":2,\"severity\":8}\n", "- - id=1 severity=2");
    check("{\"id\":1,\"severity\":2}\n{\"id\":2,\"severity\":6}\n", "- fatal id=1");
    check("{\"id\":1,\"level\":30}\n{\"id\":2,\"level\":6}\n", "- info id=1");
    check(r#"{"rule":{"level":3,"id":"5715"}}"#, r#"- - rule.level=3 rule.id="5715""#);
    check(r#"{"rule":{"level":"high"}}"#, r#"- error rule.level="high""#);
    check(r#"{"level":200,"level_name":"INFO"}"#, "- info level=200");
    for (word, level) in [("HIGH", "error"), ("Medium", "warn"), ("LOW", "notice"), ("CRITICAL", "fatal")] {
        check(&format!("{{\"severity\":\"{word}\"}}"), &format!("- {level}"));
    }
}

#[test]
fn sample_lines() {
    check(
        r#"{"ts":"2026-11-21T03:04:05.123Z","level":"WARN","msg":"slow \"cart\"","n":3,"ms":1.25,"ok":true,"x":null}"#,
        r#"2026-11-21T03:04:05.123Z warn msg="slow \"cart\"" n=3 ms=1.25 ok=true"#,
    );
    check(
        r#"{"name":"shop","pid":7,"level":30,"msg":"up","time":"2026-11-21T03:04:05Z","v":0}"#,
        r#"2026-11-21T03:04:05Z info name="shop" pid=7 msg="up" v=0"#,
    );
    check(
        r#"{"@timestamp":"2026-11-21T03:04:05Z","log":{"level":"error","origin":{"line":7}},"tags":["a",{"b":1}],"e":{}}"#,
        r#"2026-11-21T03:04:05Z error log.origin.line=7 tags="[\"a\",{\"b\":1}]""#,
    );
    check(r#"{"ts":1716723772.6014802,"level":"info"}"#, "2024-05-26T11:42:52.6014802Z info");
    check(
        r#"{"__REALTIME_TIMESTAMP":"1615650027387860","PRIORITY":"4","MESSAGE":"x"}"#,
        r#"2021-03-13T15:40:27.38786Z warn MESSAGE="x""#,
    );
    check(
        r#"{"date":"2020-01-01T00:00:00Z","time":"2026-11-21T03:04:05Z","t":12.5}"#,
        r#"2026-11-21T03:04:05Z - date="2020-01-01T00:00:00Z" t=12.5"#,
    );
    check(r#" { "level" : "audit" , "level2":7 } "#, r#"- - level2=7 level="audit""#);
    check("{}", "- -");
}

#[test]
fn numbers_and_escapes() {
    check(
        r#"{"a":-0.5,"b":1e3,"c":123456789012345678,"d":18446744073709551616,"e":0.1234567890123456789}"#,
        r#"- - a=-0.5 b=1000.0 c=123456789012345678 d="18446744073709551616" e=0.12345678901234568"#,
    );
    check(r#"{"a":"\u00e9\ud83d\ude00\ud83d \n\/\q","k\u0065y":"\\"}"#, r#"- - a="é😀� \n/\\q" key="\\""#);
    check(r#"{"a":1,"a":2}"#, "- - a=2");
}

#[test]
fn broken_lines() {
    check("hello", "unparsed: not a JSON object");
    check(r#"{"a":1"#, "unparsed: the JSON ends too early");
    check(r#"{"a":"b\"#, "unparsed: the JSON ends too early");
    check(r#"{"a":1,}"#, "unparsed: the JSON is broken");
    check(r#"{"a":-}"#, "unparsed: the JSON is broken");
    check(r#"{"a":1} x"#, "unparsed: there is more text after the JSON object");
}

#[test]
fn nested_json_does_not_overflow_the_stack() {
    let deep =
        |open: &str, close: &str| format!("{{\"a\":{}1{}}}", open.repeat(10_000), close.repeat(10_000));
    assert!(render(&FORMAT, &deep("[", "]")).starts_with("- - a=\"[[["));
    assert!(render(&FORMAT, &deep("{\"a\":", "}")).starts_with("- - a.a.a.a.a.a.a.a.a.a.a.a=\"{"));
    assert!(render(&FORMAT, &"{\"a\":".repeat(10_000)).starts_with("unparsed"));
}

#[test]
fn levels_of_other_scales() {
    check(r#"{"priority":"Warning","PRIORITY":"7"}"#, r#"- warn PRIORITY="7""#);
    check(r#"{"priority":1}"#, "- - priority=1");
    check(r#"{"Level":"3","EventID":7,"Channel":"System"}"#, r#"- warn EventID=7 Channel="System""#);
    check(r#"{"Level":"3","Message":"x"}"#, r#"- error Message="x""#);
    check(
        r#"{"version":"1.1","host":"h","short_message":"x","timestamp":1795230245.25,"level":4}"#,
        r#"2026-11-21T03:04:05.25Z warn version="1.1" host="h" short_message="x""#,
    );
    check(
        r#"{"t":{"$date":"2026-11-21T03:04:05.123+01:00"},"s":"W","c":"NETWORK","msg":"x"}"#,
        r#"2026-11-21T02:04:05.123Z warn s="W" c="NETWORK" msg="x""#,
    );
    check(r#"{"s":"W","ts":1795230245}"#, r#"2026-11-21T03:04:05Z - s="W""#);
    check(
        r#"{"timeUnixNano":"1795230245000000001","severityNumber":17,"body":{"stringValue":"x"}}"#,
        r#"2026-11-21T03:04:05.000000001Z error severityNumber=17 body.stringValue="x""#,
    );
    check(r#"{"severityNumber":17,"severityText":"FATAL"}"#, "- fatal severityNumber=17");
    check(
        r#"{"event_type":"alert","alert":{"severity":2,"signature":"x"}}"#,
        r#"- warn event_type="alert" alert.severity=2 alert.signature="x""#,
    );
    check(
        r#"{"ts":"2026-11-21T03:04:05Z","@fields":{"lvl":"DEBUG5","msg":"x"}}"#,
        r#"2026-11-21T03:04:05Z debug @fields.lvl="DEBUG5" @fields.msg="x""#,
    );
    check(
        r#"{"kind":"Event","level":"Metadata","stage":"Panic"}"#,
        r#"- - kind="Event" stage="Panic" level="Metadata""#,
    );
}

#[test]
fn times_in_nested_and_unusual_keys() {
    check(
        r##"{"Event":{"System":{"EventID":1,"Level":2,"TimeCreated":{"#attributes":{"SystemTime":"2026-11-21T03:04:05Z"}}}}}"##,
        r#"2026-11-21T03:04:05Z error Event.System.EventID=1 Event.System.Level=2 Event.System.TimeCreated.#attributes.SystemTime="2026-11-21T03:04:05Z""#,
    );
    check(r#"{"TimeCreated":"\/Date(1795230245000)\/","Id":1}"#, "2026-11-21T03:04:05Z - Id=1");
    check(
        r#"{"meta":{"time":"2026-11-21T03:04:05Z"},"date":"2026-11-20T00:00:00Z"}"#,
        r#"2026-11-20T00:00:00Z - meta.time="2026-11-21T03:04:05Z""#,
    );
}

#[test]
fn lines_of_containers() {
    check(
        r#"{"log":"[2026-11-21 03:00:00] ERROR: no\n","stream":"stderr","time":"2026-11-21T03:04:05.1Z"}"#,
        r#"2026-11-21T03:04:05.1Z error log="[2026-11-21 03:00:00] ERROR: no\n" stream="stderr""#,
    );
    check(
        r#"{"log":"{\"level\":\"warn\",\"time\":\"2026-11-21T03:00:00Z\",\"n\":1,\"msg\":\"a b\"}\n","stream":"stdout","time":"2026-11-21T03:04:05Z"}"#,
        r#"2026-11-21T03:04:05Z warn log="{\"level\":\"warn\",\"time\":\"2026-11-21T03:00:00Z\",\"n\":1,\"msg\":\"a b\"}\n" stream="stdout" n=1 msg="a b""#,
    );
    check(r#"{"log":"ERROR: no","n":1}"#, r#"- - log="ERROR: no" n=1"#);
    check(r#"web-1  | {"level":"info","msg":"up"}"#, r#"- info msg="up" container="web-1""#);
    check("web-1  | {not json}", "unparsed: not a JSON object");
    check(r#"{"MESSAGE":[104,195,169],"PRIORITY":"3"}"#, r#"- error MESSAGE="hé""#);
    check(r#"{"MESSAGE":["a","b"]}"#, r#"- - MESSAGE="[\"a\",\"b\"]""#);
}

#[test]
fn events_of_tracing_nextcloud_and_monolog() {
    check(
        r#"{"timestamp":"2026-11-21T03:04:05Z","level":"WARN","fields":{"message":"slow","cart":7},"target":"shop"}"#,
        r#"2026-11-21T03:04:05Z warn message="slow" fields.cart=7 target="shop""#,
    );
    check(
        r#"{"reqId":"a1","level":1,"time":"2026-11-21T03:04:05+00:00","message":"scanned"}"#,
        r#"2026-11-21T03:04:05Z info reqId="a1" message="scanned""#,
    );
    check(
        r#"{"message":"boom","level":400,"level_name":"ERROR","datetime":"2026-11-21T03:04:05Z"}"#,
        r#"2026-11-21T03:04:05Z error message="boom" level=400"#,
    );
    check(r#"{"levelName":"WARN","level":3}"#, "- warn level=3");
    check(r#"{"level":30,"reqId":"a1","msg":"x"}"#, r#"- info reqId="a1" msg="x""#);
}
