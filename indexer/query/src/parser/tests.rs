use proptest::prelude::*;

use super::*;

fn printed(query: &str) -> String {
    match parse_query(query) {
        Ok(query) => query.to_string(),
        Err(error) => format!("{} at {}..{}", error.message, error.start, error.end),
    }
}

fn check(cases: &[(&str, &str)]) {
    for (query, expected) in cases {
        assert_eq!(printed(query), *expected, "{query}");
        if parse_query(query).is_ok() {
            assert_eq!(printed(expected), *expected, "{query}, printed");
        }
    }
}

#[test]
fn parses_common_spellings() {
    check(&[
        ("", ""),
        ("*", ""),
        ("error timeout", "error AND timeout"),
        ("a or b and c", "a OR b AND c"),
        ("(a or b) c", "(a OR b) AND c"),
        ("-debug", "NOT debug"),
        ("status:500", "status:500"),
        ("status: >=500", "status>=500"),
        ("status:(404 or 500)", "status:(404 OR 500)"),
        ("status>=500 path=\"/api/cart\"", "status>=500 AND path=/api/cart"),
        ("user:*", "user:*"),
        ("*time out*", "*time AND out*"),
        ("*timeout*", "*timeout*"),
        ("10:30:45", "10:30:45"),
        ("http.method:GET", "http.method:GET"),
        ("\"connection reset\"", "\"connection reset\""),
        ("say \\\"hi\\\"", "say AND \"\\\"hi\\\"\""),
        ("(a", "this parenthesis is not closed at 0..1"),
        ("a)", "this closes nothing at 1..2"),
        ("status:", "a value is missing after this at 6..7"),
        ("\"trace id\"=7", "\"trace id\"=7"),
        ("\\and<7", "\"and\"<7"),
        ("a<\\-b", "a<\"-b\""),
        ("a<-7", "a<-7"),
        ("-\\A*", "\\-\\\\A*"),
        (
            "path=\"C:\\Users\\n\\*\" \\\\host\\share\\*",
            "path=\"C:\\\\Users\\\\n*\" AND \"\\\\host\\\\share*\"",
        ),
        ("\"open", "this quotation has no end at 0..5"),
        ("a OR", "something is missing at the end at 4..4"),
    ]);
}

#[test]
fn values_have_all_their_forms() {
    check(&[
        ("\"connection reset\"~3", "\"connection reset\"~3"),
        ("Timout~ timout~1 path:(x~2, or~)", "Timout~ AND timout~ AND path:(x~2 OR or~)"),
        ("gr\u{f6}\u{df}e~2 a~0 ~ x\\~", "gr\u{f6}\u{df}e~2 AND a AND \"~\" AND \"x~\""),
        ("a/b/~ path=x~", "\"a/b/~\" AND path=\"x~\""),
        ("timout~3", "a fuzzy word differs in at most two letters at 0..8"),
        ("time-out~", "`~` makes one word fuzzy, and these are several at 0..9"),
        ("user7~", "only words without digits can be fuzzy, of at most 40 bytes at 0..6"),
        ("x:tim*~", "a fuzzy word has no `*` or `?` at 2..7"),
        ("/time(d )?out/i x", "/time(d )?out/i AND x"),
        ("path:/api\\/v\\d+/", "path:/api\\/v\\d+/"),
        ("path:/api/cart", "path:/api/cart"),
        ("path:/var/log/ x", "path:\"/var/log/\" AND x"),
        ("/health and /ready", "\"/health\" AND \"/ready\""),
        ("bytes:[10kb TO 1MiB}", "bytes:[10kb TO 1MiB}"),
        ("bytes:{* TO 5]", "bytes:[* TO 5]"),
        ("time:[now-1h TO now]", "time:[now-1h TO now]"),
        ("client_ip:10.0.0.0/8", "client_ip:10.0.0.0/8"),
        ("client_ip:\"10.0.0.0/8\"", "client_ip:\"10.0.0.0/8\""),
        ("status:(404, 5*, /30[12]/)", "status:(404 OR 5* OR /30[12]/)"),
        ("user:(not root)", "NOT user:root"),
        ("tags:(a and (b or c))", "tags:a AND tags:(b OR c)"),
        ("time>=@2024-05-01T14:05", "time>=@2024-05-01T14:05"),
        ("time:-1h@h", "time:-1h@h"),
        ("a:[1 TO", "a value is missing after this at 2..3"),
        ("a:[1 TO 2", "this range is not closed at 2..3"),
        ("/(/", "this expression cannot be read: unclosed group at 0..3"),
        ("a:()", "this list is empty at 2..3"),
    ]);
}

#[test]
fn networks_that_begin_with_a_letter_or_a_colon_were_printed_as_text() {
    for query in ["ip:fe80::/10", "time:::/2", "ip:(fe80::/10 OR fc00::/7)", "ip:in(fc00::/7, 10.0.0.0/8)"] {
        let parsed = parse_query(query).expect("a query");
        assert!(format!("{parsed:?}").contains("Network"), "{query}");
        assert_eq!(parse_query(&parsed.to_string()).as_ref(), Ok(&parsed), "{query}");
    }
}

#[test]
fn comma_ends_a_value_within_an_expression() {
    check(&[
        ("* | eval x = if(level:error, 1, 0)", "* | eval x = if(level:error, 1, 0)"),
        ("* | sort path:/api/*, host:\"a,b\", size:>=5", "* | sort path:\\/api\\/*, host:\"a,b\", size:>=5"),
        ("* | where f:!=a* or f:(b and not c)", "* | where f:* and not f:a* or f:b and not f:c"),
        ("* | where ip:(10.0.0.1, 10.0.0.2)", "* | where ip:(10.0.0.1 OR 10.0.0.2)"),
        ("host:a,b", "host:a,b"),
    ]);
}

#[test]
fn hint_about_an_expression_fits_what_is_wrong_with_it() {
    for (query, expected) in [
        ("/(/", "mind that ( ) [ ]"),
        ("/(\\w{999}){999}/", "repeat less"),
        ("/((((((((((a{9}){9}){9}){9}){9}){9}){9}){9}){9}){9})/", "repeat less"),
    ] {
        let hint = parse_query(query).expect_err(query).hint.unwrap_or_default();
        assert!(hint.starts_with(expected), "{query}: {hint}");
    }
}

#[test]
fn other_tools_spellings_are_understood() {
    check(&[
        ("status=500 AND method!=GET", "status=500 AND method!=GET"),
        ("path=/api/*", "path:\\/api\\/*"),
        ("path!=*cart*", "path:* AND NOT path:*cart*"),
        ("user==root", "user=root"),
        ("a && !b || c", "a AND NOT b OR c"),
        ("_exists_:user", "user:*"),
        ("status IN (404, 500)", "status:(404 OR 500)"),
        ("status not in (404)", "NOT status:404"),
        ("status:in(404,500)", "status:(404 OR 500)"),
        ("bytes:range(1, 5]", "bytes:{1 TO 5]"),
        ("path:re(\"^/api\")", "path:/^\\/api/"),
        ("path:~\"^/api\"", "path:/^\\/api/"),
        ("path=~\"^/api\"", "path:/^\\/api/"),
        ("path!~\"^/api\"", "NOT path:/^\\/api/"),
        ("user:=root", "user=root"),
        ("user:!root", "NOT user:root"),
        ("client:ipv4_range(\"10.0.0.0/8\")", "client:10.0.0.0/8"),
        ("x | search error | head 5", "x | search error | limit 5"),
        ("x | fields a b | fields - a", "x | keep a, b | drop a"),
        ("x | stats by (host) count() as n", "x | stats count as n by host"),
        ("x | stats count by a = b = `on`", "x | stats count by (b = `on`) as a"),
        ("x | stats count by (a = b or c)", "x | stats count by (a = b or c)"),
        (
            "x | stats dc(user) count(eval(status=500)) by host, app",
            "x | stats count_distinct(user), count where status = 500 by host, app",
        ),
        ("x | stats n = count(*)", "x | stats count as n"),
        ("x | extend a = 1 | summarize avg(a) | take 3", "x | eval a = 1 | stats avg(a) | limit 3"),
    ]);
}

#[test]
fn stages_and_expressions_print_in_one_spelling() {
    check(&[
        ("| stats count()", "* | stats count"),
        (
            "* | stats p95(ms), perc99.5(ms) by bin(time,5m) as t, lower(host)",
            "* | stats p95(ms), percentile(ms, 99.5) by bin(time, 5m) as t, lower(host)",
        ),
        (
            "* | where a + b * 2 > (a+b)*2 and not c or d is not null",
            "* | where a + b * 2 > (a + b) * 2 and not c or d is not null",
        ),
        ("* | where x not in (1,2) && y =~ /a b/i", "* | where x not in (1, 2) and y =~ /a b/i"),
        ("* | where status:500 and path:/api/", "* | where status:500 and path:/api/"),
        ("* | eval a = b/c, d = e/ f", "* | eval a = b / c, d = e / f"),
        (
            "* | eval a = if(x > 10kb, 'big', \"small\"), `odd name` = -1.5",
            "* | eval a = if(x > 10kb, \"big\", \"small\"), `odd name` = -1.5",
        ),
        (
            "* | where time >= now-15m and time < @2024-05-01T14:05",
            "* | where time >= now-15m and time < @2024-05-01T14:05",
        ),
        (
            "* | stats avg(bytes) | where avg(bytes) > 5 | sort -avg(bytes)",
            "* | stats avg(bytes) | where `avg(bytes)` > 5 | sort -`avg(bytes)`",
        ),
        ("* | timechart count by status span=1h limit=5", "* | timechart span=1h count by status limit=5"),
        ("* | sort a desc, -b c", "* | sort -a, -b, c"),
        ("* | sort -(a+b)", "* | sort a + b desc"),
        ("* | top path", "* | top 10 path"),
        ("* | rex field=message \"user=(?<user>\\\\w+)\"", "* | rex message /user=(?<user>\\w+)/"),
        ("* | rex \"user=(?<user>\\w+)\\.\"", "* | rex /user=(?<user>\\w+)\\./"),
        (
            "* | eval x = replace(x, \"\\d+\", 'it\\'s \\\\ \\n')",
            "* | eval x = replace(x, \"\\\\d+\", \"it's \\\\ \\\\n\")",
        ),
        (
            "* | where like(a, \"_%\") and b like \"%x_\" and c like \"*%\"",
            "* | where a like \"?*\" and b like \"*x?\" and c like \"*%\"",
        ),
        (
            "* | regex a!=\"\\d+\" | regex b=/x/i | regex \"no (disk|space)\"",
            "* | where a !~ /\\d+/ | where b =~ /x/i | where raw =~ /no (disk|space)/",
        ),
        ("* | where not match(a, \"\\s+\")", "* | where a !~ /\\s+/"),
        (
            "* | lookup hosts.csv on host=name output owner as who, site",
            "* | lookup \"hosts.csv\" on host = name output owner as who, site",
        ),
        ("a | compare (b OR c) limit=5", "a | compare with (b OR c) limit=5"),
        ("* | compare with (*)", "* | compare with (*)"),
        ("* | compare with version:2 | limit 3", "* | compare with (version:2) | limit 3"),
        ("* | shift 1d", "* | shift with 1d count"),
        ("* | shift with (level>=error) count by host", "* | shift with (level>=error) count by host"),
        (
            "* | transaction id maxpause=30s startswith=login",
            "* | transaction id max_pause=30s starts_with=(login)",
        ),
        ("* | sample 1%", "* | sample 0.01"),
        ("* | context 2", "* | context before=2 after=2"),
        ("* | join host hosts.csv", "* | join inner on host \"hosts.csv\""),
        ("* | join hosts.csv on host=name, b", "* | join inner on host = name, b \"hosts.csv\""),
        ("* | join type=outer host (a | stats by host)", "* | join left on host (a | stats count by host)"),
        ("* | join kind=leftanti (*) on id", "* | join anti on id (*)"),
        ("* | join left, b (a (b OR c))", "* | join inner on left, b (a AND (b OR c))"),
        (
            "* | join semi on a (x | join a (y | limit 3) | sort -a) | limit 2",
            "* | join semi on a (x | join inner on a (y | limit 3) | sort -a) | limit 2",
        ),
        (
            "* | window lag(x) as p, n=LEAD(x, 3), rolling_median(d, 90s), r=rank(-x) by a b",
            "* | window p = lag(x), n = lead(x, 3), rolling_p50(d, 90s), r = rank(-x) by a, b",
        ),
        ("* | streamstats sum(x) as s, count by k", "* | window s = running_sum(x), running_count() by k"),
        ("* | window rolling_count(5m), row_number()", "* | window rolling_count(5m), row_number()"),
        (
            "* | pivot avg(x) on s by bin(time, 1h), h limit=5",
            "* | pivot avg(x) on s by bin(time, 1h), h limit=5",
        ),
        ("* | unpivot a b* by time as k", "* | unpivot a, b* by time as k, value"),
        ("* | melt", "* | unpivot as name, value"),
        ("* | fillnull value=NULL a, b*", "* | fillnull value=\"NULL\" a, b*"),
        ("* | fillnull with=-1.5", "* | fillnull value=-1.5"),
        ("* | fillnull a value=true", "* | fillnull value=true a"),
        ("* | filldown", "* | filldown"),
        ("* | ntile x into 4 as q", "* | bucket x into 4 as q"),
    ]);
}

/// `diff` became `compare`, and the former `compare` became `shift`.
#[test]
fn old_spellings_of_compare_and_shift_mean_what_they_did() {
    check(&[
        ("a | diff (b OR c) limit=5", "a | compare with (b OR c) limit=5"),
        ("a | diff with status:500", "a | compare with (status:500)"),
        ("* | DIFF with (*) | limit 3", "* | compare with (*) | limit 3"),
        ("* | compare", "* | shift with previous count"),
        ("* | compare previous", "* | shift with previous count"),
        ("* | compare with 1d", "* | shift with 1d count"),
        ("* | compare 2h p95(x) as slow, count by host", "* | shift with 2h p95(x) as slow, count by host"),
        ("* | compare count by host", "* | shift with previous count by host"),
        ("* | compare by host", "* | shift with previous count by host"),
        ("* | compare with (a) count", "* | shift with (a) count"),
        ("* | compare (a OR b) slow = p95(x)", "* | shift with (a OR b) p95(x) as slow"),
        ("* | compare with (a) by host", "* | shift with (a) count by host"),
        ("* | stats count by host | compare with (a)", "* | stats count by host | shift with (a) count"),
        ("* | where x > 1 | compare with (a)", "* | where x > 1 | shift with (a) count"),
        ("* | join a (b | compare 1d)", "* | join inner on a (b | shift with 1d count)"),
        ("* | limit 5 | diff with (a)", "`compare` compares the events that the filter finds at 14..27"),
        (
            "* | limit 5 | compare with (a) limit=3",
            "`compare` compares the events that the filter finds at 14..38",
        ),
        (
            "* | limit 5 | quantiles x with (a)",
            "`quantiles` compares the events that the filter finds at 14..34",
        ),
    ]);
}

#[test]
fn mistakes_come_with_a_suggestion() {
    for (query, message, hint) in [
        ("* | stast count", "no stage `stast`", "did you mean `stats`?"),
        ("* | stats cuont()", "no calculation `cuont`", "did you mean `count`?"),
        ("* | eval a = lenn(b)", "no function `lenn`", "did you mean `len`?"),
        (
            "* | eval a = round()",
            "`round` takes at least 1 values, and at most 2, not 0",
            "write round(x, [digits])",
        ),
        ("* | limit 5 6", "this does not belong here", "end the stage before it, or write | for another one"),
        (
            "* | eval a = 5 apples",
            "this does not belong here",
            "end the stage before it, or write | for another one",
        ),
        ("* | where", "something is missing at the end", "add a field, a number or a text"),
        ("* |", "a stage is missing here", "write | stats, | sort, | limit, …"),
        (
            "* | join inner on a",
            "what is joined is missing here",
            "write a query in parentheses, or a file: join on host \"hosts.csv\"",
        ),
        ("* | join type=full a (*)", "this is not a kind of join", "kinds are inner, left, semi and anti"),
        ("* | join a (b | stats count by a", "this parenthesis is not closed", "add ) at the end"),
        ("* | window lagg(x)", "no window function `lagg`", "did you mean `lag`?"),
        (
            "* | window sum(x)",
            "no window function `sum`",
            "put `running_` before it for all rows up to this one, or `rolling_` for a length of time",
        ),
        (
            "* | window lag(x, 1.5)",
            "`lag` is given something else here",
            "write the distance in rows as a whole number: lag(x, 2)",
        ),
        ("* | window rolling_avg(x, 5)", "a length of time is wanted here", "write it like 30s, 5m, 1h, 1d"),
        (
            "* | window rolling_avg(x)",
            "`rolling_avg` is given something else here",
            "write what and how long: rolling_avg(x, 5m), rolling_count(5m)",
        ),
        (
            "* | pivot count by a",
            "the field whose values become columns is missing here",
            "write pivot count on status by host",
        ),
        (
            "* | unpivot a as b, b",
            "both columns would have this name",
            "give them different names: unpivot a, b as name, value",
        ),
        (
            "* | fillnull value=5m a",
            "a plain value is wanted here",
            "write a number without a unit, a word, or a text in quotation marks",
        ),
        ("* | bucket a", "the number of buckets is missing here", "write bucket duration_ms into 4"),
        (
            "* | bucket a into 1",
            "so many buckets cannot be made",
            "write a number from 2 to 1000, such as into 4",
        ),
        (
            "* | variable 0 of t0123456789abcdef as took",
            "the number of a variable is missing here",
            "write variable 1 of t0123456789abcdef as took",
        ),
        ("* | rex /x/", "this expression has no named group", "name what becomes a column: (?<user>\\w+)"),
    ] {
        let error = parse_query(query).expect_err(query);
        assert_eq!((error.message.as_str(), error.hint.as_deref()), (message, Some(hint)), "{query}");
    }
}

#[test]
fn all_mistakes_are_reported_and_the_rest_is_parsed() {
    let lenient = parse_leniently("a: AND (b | stats cuont() | limit 3", Reading::default());
    let places: Vec<_> = lenient.diagnostics.iter().map(|found| found.start).collect();
    assert_eq!(places, [1, 7, 18]);
    assert_eq!(lenient.query.stages.len(), 1);
}

#[test]
fn similar_words_are_suggested() {
    let found = parse_leniently("status:400 401", Reading::default()).diagnostics;
    let [advice] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(
        (advice.start, advice.end, advice.replacement.as_deref()),
        (0, 14, Some("status:(400 OR 401)"))
    );
    assert!(parse_leniently("status:400 timeout", Reading::default()).diagnostics.is_empty());
    let kql = parse_as("status:400 401 and error timeout", Reading::Kql).map(|query| query.to_string());
    assert_eq!(kql.as_deref(), Ok("status:(400 OR 401) AND (error OR timeout)"));
}

#[test]
fn hostile_query_is_refused_without_a_crash() {
    for query in [
        format!("{}a{}", "(".repeat(100_000), ")".repeat(100_000)),
        "NOT ".repeat(60_000),
        format!("* | where {}a", "(".repeat(100_000)),
        format!("* | where {}a", "-".repeat(100_000)),
        format!("* | where a{}", "+a".repeat(100_000)),
        format!("a:{}", "(".repeat(100_000)),
        format!("a:({}b)", "not ".repeat(60_000)),
        "x".repeat(1 << 20),
        format!("/{}/", "(a{99}){99}{99}".repeat(9)),
        format!("/{}/", "(".repeat(10_000)),
    ] {
        assert!(parse_query(&query).is_err(), "{}", &query[..20]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn printing_and_parsing_is_a_fixpoint(query in r#"([a-zA-Z0-9:*?"()<>=!\\. /~\[\]{},`&|-]|and|or|not |a:|TO |/x/i ){0,24}"#) {
        round_trip(&query)?;
    }

    #[test]
    fn pipes_round_trip(
        head in r"[a-z:*]{0,4}",
        stages in prop::collection::vec(
            r#"(where|eval a =|stats|sort|keep|top|limit|search|by|timechart|dedup|context|transaction a|compare|compare with|diff with|shift|lookup|sample|join (left |semi |)on a|window|pivot|unpivot|fillnull|filldown|bucket)([a-z0-9_:*"'()<>=!+/%,.`@ -]|count|avg\(x\)|lag\(x\)|rolling_p9\(x, 5m\)|\(a \| limit 2\)| on | into 4| value=| by |5m|now-1h|not |and | as ){0,12}"#,
            1..3,
        ),
    ) {
        round_trip(&format!("{head} | {}", stages.join(" | ")))?;
    }

    #[test]
    fn nothing_makes_the_parser_panic(query in ".{0,64}") {
        let _ = parse_leniently(&query, Reading::Kql);
        round_trip(&query)?;
    }
}

fn round_trip(query: &str) -> Result<(), TestCaseError> {
    if let Ok(parsed) = parse_query(query) {
        let printed = parsed.to_string();
        match parse_query(&printed) {
            Ok(again) => {
                prop_assert_eq!(again.to_string(), printed.clone(), "{}", query);
                prop_assert_eq!(again, parsed, "{:?} printed as {:?}", query, printed);
            }
            Err(error) => prop_assert!(false, "{:?} printed as {:?}: {:?}", query, printed, error),
        }
    }
    Ok(())
}
