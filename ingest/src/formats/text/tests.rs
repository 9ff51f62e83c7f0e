use super::super::render;
use super::*;

#[track_caller]
fn check(line: &str, expected: &str) {
    assert_eq!(render(&FORMAT, line), expected, "{line}");
}

#[test]
fn zookeeper_has_thread_class_and_line_in_one_bracket() {
    let line =
        "2026-11-21 03:04:05,123 - INFO  [SendWorker:18:QuorumCnxManager$SendWorker@679] - Interrupted";
    let shown = render(&FORMAT, line);
    let fields = r#"info source_line=679 thread="SendWorker:18" logger="QuorumCnxManager$SendWorker" message="Interrupted""#;
    assert!(shown.ends_with(fields), "{shown}");
}

#[test]
fn sample_lines() {
    check("2026-03-01T12:00:00Z up", "2026-03-01T12:00:00Z - message=\"up\"");
}

#[test]
fn java_layouts() {
    check(
        "2026-03-01 12:00:00,123 WARN [w-3] c.e.Cart - slow",
        r#"2026-03-01T12:00:00.123Z warn thread="w-3" logger="c.e.Cart" message="slow""#,
    );
    check(
        "2026-03-01 12:00:00,123 [main] ERROR c.e.Cart [id=7] - a\nx.Error: b\n\tat c.e.D",
        r#"2026-03-01T12:00:00.123Z error thread="main" logger="c.e.Cart" context="id=7" id=7 message="a\nx.Error: b\n\tat c.e.D""#,
    );
    check(
        "2026-03-01 12:00:00,123 - INFO  [QuorumPeer[myid=1]/0:0:a@7] - up",
        r#"2026-03-01T12:00:00.123Z info source_line=7 thread="QuorumPeer[myid=1]/0:0" logger="a" myid=1 message="up""#,
    );
    check(
        "2026-03-01 12:00:00.123  INFO 4711 --- [  main] c.e.ShopApplication    : Started in 1.5 s",
        r#"2026-03-01T12:00:00.123Z info pid=4711 thread="main" logger="c.e.ShopApplication" message="Started in 1.5 s""#,
    );
    check(
        "2026-03-01T12:00:00.123Z  INFO 1 --- [shop] [nio-8080-exec-1] [shop,4bf92f3577b34da6,00f067aa0ba902b7] c.e.Shop : paid",
        r#"2026-03-01T12:00:00.123Z info pid=1 thread="nio-8080-exec-1" logger="c.e.Shop" context="shop" trace_id="4bf92f3577b34da6" span_id="00f067aa0ba902b7" message="paid""#,
    );
    check(
        "01-Mar-2026 12:00:00.123 SEVERE [main] org.x.Digester.parse Parse error",
        r#"2026-03-01T12:00:00.123Z error thread="main" logger="org.x.Digester.parse" message="Parse error""#,
    );
    check(
        "Mar 1, 2026 2:00:00 PM com.example.Shop open\nWARNUNG: offen 7=8",
        r#"2026-03-01T14:00:00Z warn logger="com.example.Shop" message="offen 7=8""#,
    );
    check(
        "[2026-03-01T12:00:00,123][INFO ][o.e.n.Node               ] [node-1] started",
        r#"2026-03-01T12:00:00.123Z info thread="node-1" logger="o.e.n.Node" message="started""#,
    );
    check(
        "[2026-03-01 12:00:00,123] INFO [Log partition=a-0] Loaded (kafka.log.Log)",
        r#"2026-03-01T12:00:00.123Z info thread="Log partition=a-0" partition="a-0" logger="kafka.log.Log" message="Loaded""#,
    );
}

#[test]
fn layouts_of_other_languages() {
    check(
        "2026-03-01 12:00:00,123 - shop.cart - ERROR - no stock",
        r#"2026-03-01T12:00:00.123Z error logger="shop.cart" message="no stock""#,
    );
    check("WARNING:shop.cart:low: 7", r#"- warn logger="shop.cart" message="low: 7""#);
    check(
        "I, [2026-03-01T12:00:00.123456 #123]  INFO -- : up",
        r#"2026-03-01T12:00:00.123456Z info pid=123 message="up""#,
    );
    check(
        "[2026-03-01 12:00:00] production.ERROR: No route {\"a\":1}",
        r#"2026-03-01T12:00:00Z error logger="production" a=1 message="No route""#,
    );
    check("2026-03-01 12:00:00.123 +01:00 [INF] Paid", r#"2026-03-01T11:00:00.123Z info message="Paid""#);
    check(
        "2026-03-01 12:00:00.1234|WARN|Shop.Cart|low stock",
        r#"2026-03-01T12:00:00.1234Z warn logger="Shop.Cart" message="low stock""#,
    );
    check(
        "info: Microsoft.Hosting.Lifetime[14]\n      Now listening on: http://127.0.0.1:5000",
        r#"- info event_id=14 logger="Microsoft.Hosting.Lifetime" message="Now listening on: http://127.0.0.1:5000""#,
    );
    check(
        "2026/03/01 12:00:00 main.go:17: up port=80",
        r#"2026-03-01T12:00:00Z - logger="main.go:17" port=80 message="up port=80""#,
    );
    check(
        "2026-03-01T12:00:00.5Z  INFO shop::cart: paid id=7 by=\"a b\"",
        r#"2026-03-01T12:00:00.5Z info logger="shop::cart" id=7 by="a b" message="paid id=7 by=\"a b\"""#,
    );
    check(
        "[2026-03-01T12:00:00Z ERROR shop::cart] no",
        r#"2026-03-01T12:00:00Z error logger="shop::cart" message="no""#,
    );
    check(
        "12:00:00.123 [error] GenServer stopped",
        r#"1688-01-01T12:00:00.123Z error message="GenServer stopped""#,
    );
    check(
        "[I 2026-03-01 12:00:00.123 ServerApp] up",
        r#"2026-03-01T12:00:00.123Z info logger="ServerApp" message="up""#,
    );
    check(
        "2026-03-01 12:00:00 WARNING (MainThread) [a.b.http] from 10.1.2.3",
        r#"2026-03-01T12:00:00Z warn thread="MainThread" logger="a.b.http" ip="10.1.2.3" message="from 10.1.2.3""#,
    );
    check(
        "a.log 2026-03-01 12:00:00.008 257 INFO nova.api [req-0b8e1f6a-1c1d-4d57-9d0e-0d9c1f3e2a11 - -] ok",
        r#"2026-03-01T12:00:00.008Z info pid=257 logger="nova.api" context="req-0b8e1f6a-1c1d-4d57-9d0e-0d9c1f3e2a11 - -" request_id="req-0b8e1f6a-1c1d-4d57-9d0e-0d9c1f3e2a11" message="ok""#,
    );
    check(
        "2026-03-01 12:00:00,123 - util.py[DEBUG]: Reading",
        r#"2026-03-01T12:00:00.123Z debug logger="util.py" message="Reading""#,
    );
    check(
        "[2026-03-01 12:00:00 +0100] warning/Checker: late",
        r#"2026-03-01T11:00:00Z warn logger="Checker" message="late""#,
    );
    check(
        "[2026-03-01 12:00:00] [Server thread/WARN] [a.b.Mod/CORE]: slow",
        r#"2026-03-01T12:00:00Z warn thread="Server thread" logger="a.b.Mod/CORE" message="slow""#,
    );
}

#[test]
fn plain_lines() {
    check("[Sun Mar 01 12:00:00 2026] [crit] no", "2026-03-01T12:00:00Z fatal message=\"no\"");
    check("1428634687123 Hello", "2015-04-10T02:58:07.123Z - message=\"Hello\"");
    check("a=b t=2026-03-01T12:00:00Z level=debug", "2026-03-01T12:00:00Z debug a=\"b\"");
    check("ERROR without a time", "- error message=\"without a time\"");
    check("no level and no time", "- -");
    check("\tat com.example.Cart.add(Cart.java:7)", "unparsed: it precedes the first event");
}

/// Level, thread, logger and message of every event of a text, with the layout learned from it.
fn events(text: &str) -> Vec<String> {
    use crate::batch::Values;
    use crate::time::zone::Zone;

    let mut setup = Setup::new(Zone::UTC);
    setup.times = crate::time::rules::learn(text.as_bytes().split(|&byte| byte == b'\n'));
    setup.learned = (FORMAT.learn)(text.as_bytes(), &setup);
    let batch =
        crate::parser::Parser::new(&FORMAT, setup).parse(crate::Chunk::whole(text.as_bytes().to_vec()));
    let value = |row: usize, name: &str| {
        let column = batch.columns.iter().find(|column| &*column.name == name);
        match column.map(|column| &column.values) {
            Some(Values::Text(spans)) => String::from_utf8_lossy(batch.text(spans[row])).into_owned(),
            _ => String::new(),
        }
    };
    let names = ["thread", "logger", "message"];
    (0..batch.rows())
        .map(|row| format!("{}|{}", batch.level[row].name(), names.map(|name| value(row, name)).join("|")))
        .collect()
}

#[test]
fn words_of_messages_are_not_part_of_the_layout() {
    let lines =
        ["order 7: paid", "mail to bob sent", "stock (low) again", "x.y.z is up", "[cache] cold", "retry"];
    let text: Vec<String> =
        lines.iter().map(|message| format!("2026-03-01 12:00:00 INFO shop-1 {message}\n")).collect();
    assert_eq!(events(&text.concat())[0], "info|||shop-1 order 7: paid");
    let text: Vec<String> =
        lines.iter().map(|message| format!("2026-03-01 12:00:00 INFO [a] {message}\n")).collect();
    assert_eq!(events(&text.concat())[4], "info|a||[cache] cold");
}

#[test]
fn sentence_at_the_start_of_lines_is_the_message() {
    check(
        "[2026-03-01 12:00:00,123] DEBUG [Selector]: No broker of it is alive for [shop,19]. Next (a.b.Selector)",
        r#"2026-03-01T12:00:00.123Z debug thread="Selector" logger="a.b.Selector" message="No broker of it is alive for [shop,19]. Next""#,
    );
}

#[test]
fn line_of_another_layout_is_read_as_far_as_it_matches() {
    let usual = "2026-03-01 12:00:00 [main] INFO a.b.Cart - up\n".repeat(20);
    let other = "2026-03-01 12:00:01 WARNING: no layout here\n2026-03-01 12:00:02 [gc-1] bare\n";
    let events = events(&(usual + other));
    assert_eq!(events[0], "info|main|a.b.Cart|up");
    assert_eq!(events[20], "warn|||no layout here");
    assert_eq!(events[21], "|gc-1||bare");
}

#[test]
fn two_layouts_in_one_text() {
    let first = "2026-03-01 12:00:00 [main] INFO a.b.Cart - up\n".repeat(12);
    let second = "2026-03-01 12:00:00 ERROR | c.Db | down\n".repeat(8);
    let events = events(&(first + &second));
    assert_eq!((&*events[0], &*events[19]), ("info|main|a.b.Cart|up", "error||c.Db|down"));
}

#[test]
fn events_without_a_time_begin_with_their_level_or_are_lines() {
    assert_eq!(
        events("[INFO] Building\n[INFO] Tests\njava.lang.Error: x\n\tat a.b\n[ERROR] Failed\n"),
        ["info|||Building", "info|||Tests\njava.lang.Error: x\n\tat a.b", "error|||Failed"]
    );
    let lines = "starting up\nready\nTraceback (most recent call last):\n  File \"a.py\", line 1\n    go()\nValueError: no\nend\n";
    let count = events(lines).len();
    assert_eq!(count, 3);
    assert_eq!(events("a\n  b\nc\n").len(), 3);
}

#[test]
fn date_above_a_report_does_not_start_one_event() {
    let text = format!("2026-03-01 12:00:00 report\n{}", "a line of it\n".repeat(40));
    assert_eq!(events(&text).len(), 41);
    let text = "up\n2026-03-01 12:00:00 INFO a\n  b\nc\n2026-03-01 12:00:01 INFO d\n";
    assert_eq!(events(text), ["|||", "info|||a\n  b\nc", "info|||d"]);
}

#[test]
fn level_at_line_start_starts_an_event() {
    let text = "[INFO] Building shop\n[WARNING] old part\n[ERROR] broken\n  at x\n[INFO] Finished at: 2026-11-21T03:04:05Z\n";
    assert_eq!(
        events(text),
        ["info|||Building shop", "warn|||old part", "error|||broken\n  at x", "info|||"]
    );
}

#[test]
fn names_with_brackets_and_processes() {
    check(
        "2026-03-01 12:00:00.123 ERROR 1 --- [exec-1] o.a.c.C.[.[.[/].[shop] : failed\n2026-03-01 12:00:00.123  INFO 1 --- [exec-1] c.e.Shop : paid\n2026-03-01 12:00:00.124  INFO 1 --- [exec-1] c.e.Shop : sent",
        r#"2026-03-01T12:00:00.123Z error pid=1 thread="exec-1" logger="o.a.c.C.[.[.[/].[shop]" message="failed""#,
    );
    check(
        "2026-03-01T12:00:00Z info shopd[4711] [sub=cart] up",
        r#"2026-03-01T12:00:00Z info pid=4711 logger="shopd" context="sub=cart" sub="cart" message="up""#,
    );
    check(
        "[info] 2026-03-01T12:00:00Z shop@host <0.9.0> -------- up",
        r#"2026-03-01T12:00:00Z info thread="0.9.0" context="shop@host" message="up""#,
    );
}
