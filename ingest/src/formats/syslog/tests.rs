use super::FORMAT;
use crate::formats::render;

#[track_caller]
fn check(line: &str, expected: &str) {
    assert_eq!(render(&FORMAT, line), expected, "{line}");
}

#[test]
fn sample_lines_of_files() {
    check(
        "Nov 21 03:04:05 web-1 sshd[4711]: error: no such user",
        r#"1680-11-21T03:04:05Z error host="web-1" app="sshd" pid=4711 message="error: no such user""#,
    );
    check(
        "Feb  9 21:19:40 db-1 kernel: [  12.3] eth0: link up",
        r#"1680-02-09T21:19:40Z - host="db-1" app="kernel" message="[  12.3] eth0: link up""#,
    );
    check(
        "2026-11-21T03:04:05.5+01:00 web-1 sshd(pam_unix)[7]: x",
        r#"2026-11-21T02:04:05.5Z - host="web-1" app="sshd(pam_unix)" pid=7 message="x""#,
    );
    check(
        "Nov 21 03:04:05 web-1 last message repeated 3 times",
        r#"1680-11-21T03:04:05Z - host="web-1" message="last message repeated 3 times""#,
    );
    check(
        "<34>Oct 11 22:14:15 10.1.2.3 su: 'su root' failed",
        r#"1680-10-11T22:14:15Z fatal facility="auth" host="10.1.2.3" app="su" message="'su root' failed""#,
    );
    check(
        "<189>Mar 24 2026 15:17:38.5 fw-1 app[a-1]: x",
        r#"2026-03-24T15:17:38.5Z notice facility="local7" host="fw-1" app="app" pid="a-1" message="x""#,
    );
}

#[test]
fn message_follows_the_program_after_seconds_since_1970() {
    check(
        "<134>1 1795230245.123456789 MX84 flows src=10.0.0.5 dst=203.0.113.9 protocol=tcp pattern: allow all",
        r#"2026-11-21T03:04:05.123456789Z info facility="local0" host="MX84" app="flows" message="src=10.0.0.5 dst=203.0.113.9 protocol=tcp pattern: allow all" src="10.0.0.5" dst="203.0.113.9" protocol="tcp""#,
    );
    check(
        "<134>1 1795230245.1 MX84 events dhcp lease of ip 10.0.0.9",
        r#"2026-11-21T03:04:05.1Z info facility="local0" host="MX84" app="events" message="dhcp lease of ip 10.0.0.9""#,
    );
    check(
        "<134>1 1795230245.1 host1 sshd 123 ID47 - Accepted password for bob",
        r#"2026-11-21T03:04:05.1Z info facility="local0" host="host1" app="sshd" pid=123 msgid="ID47" message="Accepted password for bob""#,
    );
}

#[test]
fn windows_events_between_tabs() {
    let event = |kind: &str| {
        format!(
            "<13>Nov 21 03:04:06 wks-1 MSWinEventLog\t1\tSecurity\t1234\tSat Nov 21 03:04:05 2026\t4625\tAuditing\tDOM\\bob\tN/A\t{kind}\twks-1.example\tLogon\t\tAn account failed to log on.\t99"
        )
    };
    let fields = |kind: &str| {
        format!(
            r#"criticality=1 channel="Security" counter=1234 event_id=4625 provider="Auditing" user="DOM\\bob" event_type="{kind}" computer="wks-1.example" category="Logon" description="An account failed to log on." checksum=99"#
        )
    };
    for (kind, level) in [("Failure Audit", "notice"), ("Error", "error")] {
        let read = render(&FORMAT, &event(kind));
        assert!(read.starts_with(&format!("2026-11-21T03:04:05Z {level} ")), "{read}");
        assert!(read.ends_with(&fields(kind)), "{read}");
    }
}

#[test]
fn names_of_access_points_have_commas() {
    check(
        "Nov 21 03:04:05 U7PG2,f09fc2aabbcc,v4.3.20.11298 hostapd: ath0: STA associated",
        r#"1680-11-21T03:04:05Z - host="U7PG2,f09fc2aabbcc,v4.3.20.11298" app="hostapd" message="ath0: STA associated""#,
    );
}

#[test]
fn label_in_a_list_is_no_level() {
    check(
        "Nov 21 03:04:05 lb1 haproxy[7]: Server app/s2 is DOWN, reason: Layer4 connection problem, info: \"x\", check duration: 0ms.",
        r#"1680-11-21T03:04:05Z - host="lb1" app="haproxy" pid=7 message="Server app/s2 is DOWN, reason: Layer4 connection problem, info: \"x\", check duration: 0ms." backend="app" server="s2" state="DOWN" reason="Layer4 connection problem, info: \"x\", check duration: 0ms.""#,
    );
}

#[test]
fn sample_lines_of_the_protocol() {
    check(
        r#"<165>1 2026-11-21T03:04:05.000003-07:00 10.1.2.3 shop 8710 ID47 [ex@1 iut="3" note="a \"b\" \] c:\d"][k@2 x=""] hello"#,
        r#"2026-11-21T10:04:05.000003Z notice facility="local4" host="10.1.2.3" app="shop" pid=8710 msgid="ID47" message="hello" ex@1.iut="3" ex@1.note="a \"b\" ] c:\\d" k@2.x="""#,
    );
    check("<14>1 - - - - - -", r#"- info facility="user""#);
    // rsyslog's own template keeps the blank that came after the tag of an older message.
    check(
        "<11>1 2026-11-21T03:04:05Z h a - - -  up",
        r#"2026-11-21T03:04:05Z error facility="user" host="h" app="a" message="up""#,
    );
    check(
        "<11>1 2026-11-21T03:04:05Z h a - - - \u{feff}up",
        r#"2026-11-21T03:04:05Z error facility="user" host="h" app="a" message="up""#,
    );
}

#[test]
fn lines_that_end_anywhere() {
    for line in [
        "Nov 21 03:04:05 web-1 syslogd 1.4.1: restart.",
        "<189>45: sw-1: *Nov 21 03:04:05.123: %SYS-5-RESTART: System restarted",
        "123: 45: Nov 21 03:04:05: %ASA-6-302013: Built outbound TCP connection",
        "Nov 21 03:04:05 [auth.info] h su[12]: [ID 702911 auth.info] 'su root' failed",
        "2026-11-21T03:04:05.5+01:00 web-1 sshd(pam_unix)[7] (label[12]) <Info>: x",
        r#"<165>1 2026-11-21T03:04:05Z h shop 8710 ID47 [ex@1 a="\"b" c=""] x"#,
        "[    1.234567] h kernel: IN=eth0 OUT= SRC=10.1.2.3 DST=10.1.2.4",
    ] {
        // Every prefix is an event, parsed or not, and none stops the reader.
        for end in 1..line.len() {
            assert!(!render(&FORMAT, &line[..end]).is_empty(), "{line}");
        }
    }
}

#[test]
fn level_in_the_place_of_the_host() {
    check("2026-11-21 03:04:05 ERR shop[7]: x", r#"2026-11-21T03:04:05Z error app="shop" pid=7 message="x""#);
    check("2026-11-21 03:04:05 INFO shop: x", "unparsed: no host or program after the time");
    check("Nov 21 03:04:05 ERR shop[7]: x", "unparsed: no host or program after the time");
}

#[test]
fn broken_lines() {
    check("hello", "unparsed: it precedes the first event");
    check("2026-11-21 03:04:05Z web-1 sshd: x", "unparsed: no host or program after the time");
    check("2026-11-21 03:04:05.008 25746 INFO nova [-] x", "unparsed: no host or program after the time");
    check("Nov 21 03:04:05 ERROR main: x", "unparsed: no host or program after the time");
    check("Nov 21 03:04:05", "unparsed: no host or program after the time");
    check("<14>", "unparsed: no syslog time at the start");
    check("123: ", "unparsed: no syslog time at the start");
    check("[    1.234567] usb 1-1: new high-speed device", "unparsed: no host or program after the time");
    check("<14>1 2026-11-21T03:04:05Z h a", "unparsed: the syslog header is cut short");
    check("<14>1 2026-11-21T03:04:05Z h a - - [x y", "unparsed: the structured data is broken");
}

#[test]
fn dialects() {
    check(
        "Nov 21 03:04:05 kernel: usb 1-1: new device",
        r#"1680-11-21T03:04:05Z - app="kernel" message="usb 1-1: new device""#,
    );
    check(
        "Nov 21 03:04:05 --- last message repeated 3 times ---",
        r#"1680-11-21T03:04:05Z - message="--- last message repeated 3 times ---""#,
    );
    check(
        "Nov  2 04:07:35 mac-1.local socketfilterfw[112] <Error>: Logging: x",
        r#"1680-11-02T04:07:35Z error host="mac-1.local" app="socketfilterfw" pid=112 message="Logging: x""#,
    );
    check(
        "Nov 21 03:04:05 mac-1 com.apple.xpc.launchd[1] (com.apple.quicklook[2]): Endpoint has been activated",
        r#"1680-11-21T03:04:05Z - host="mac-1" app="com.apple.xpc.launchd" pid=1 message="Endpoint has been activated""#,
    );
    check(
        "2026-11-21 03:04:05-07 mac-1 installd[7]: PackageKit: done",
        r#"2026-11-21T10:04:05Z - host="mac-1" app="installd" pid=7 message="PackageKit: done""#,
    );
    check(
        "Sat Nov 21 03:04:05 2026 daemon.notice netifd: wan is up",
        r#"2026-11-21T03:04:05Z notice facility="daemon" app="netifd" message="wan is up""#,
    );
    check(
        "Sat 2026-11-21 03:04:05 CET web-1 systemd[1]: Started x.",
        r#"2026-11-21T02:04:05Z - host="web-1" app="systemd" pid=1 message="Started x.""#,
    );
    check(
        "2026-11-21T03:04:05+0100 web-1 kernel: up",
        r#"2026-11-21T02:04:05Z - host="web-1" app="kernel" message="up""#,
    );
    check(
        "1763694245.123456 web-1 systemd[1]: Started x.",
        r#"2025-11-21T03:04:05.123456Z - host="web-1" app="systemd" pid=1 message="Started x.""#,
    );
    check(
        "Nov 21 03:04:05 <auth.info> web-1 sshd[9]: Server listening",
        r#"1680-11-21T03:04:05Z info facility="auth" host="web-1" app="sshd" pid=9 message="Server listening""#,
    );
    check(
        "Nov 21 03:04:05 sun-1 inetd[9]: [ID 317013 daemon.notice] telnet from 10.1.2.3",
        r#"1680-11-21T03:04:05Z notice facility="daemon" host="sun-1" app="inetd" pid=9 message="telnet from 10.1.2.3""#,
    );
    check(
        "Nov 21 03:04:05 aix-1 auth|security:info sshd[9]: up",
        r#"1680-11-21T03:04:05Z info facility="auth" host="aix-1" app="sshd" pid=9 message="up""#,
    );
    check("<13>app[7]: no time", r#"- notice facility="user" app="app" pid=7 message="no time""#);
    check(
        "<189>29: *Mar  1 00:00:01.123: %SYS-5-CONFIG_I: Configured from console by ops on vty0 (10.1.2.3)",
        r#"1680-03-01T00:00:01.123Z notice facility="local7" app="SYS" msgid="CONFIG_I" message="Configured from console by ops on vty0 (10.1.2.3)" user="ops" tty="vty0" client_ip="10.1.2.3""#,
    );
}

#[test]
fn dialects_2() {
    check(
        "000123: Nov 21 2026 03:04:05.678 UTC: %LINEPROTO-3-UPDOWN: Line protocol on Interface Gi0/1, changed state to down",
        r#"2026-11-21T03:04:05.678Z error app="LINEPROTO" msgid="UPDOWN" message="Line protocol on Interface Gi0/1, changed state to down" interface="Gi0/1" state="down""#,
    );
    check(
        "Nov 21 03:04:05 10.1.2.3 29: *Mar  1 00:00:01.123: %LINK-3-UPDOWN: Interface Gi0/1, changed state to up",
        r#"1680-11-21T03:04:05Z error host="10.1.2.3" app="LINK" msgid="UPDOWN" message="Interface Gi0/1, changed state to up" interface="Gi0/1" state="up""#,
    );
    check(
        "<166>Nov 21 2026 03:04:05: %ASA-6-302013: Built outbound TCP connection 7 for outside:192.0.2.7/80 (192.0.2.7/80) to inside:10.1.2.3/1772 (10.1.2.3/1772)",
        r#"2026-11-21T03:04:05Z info facility="local4" app="ASA" msgid="302013" message="Built outbound TCP connection 7 for outside:192.0.2.7/80 (192.0.2.7/80) to inside:10.1.2.3/1772 (10.1.2.3/1772)" direction="outbound" transport="TCP" connection=7 source_interface="outside" source_ip="192.0.2.7" source_port=80 source_nat_ip="192.0.2.7" source_nat_port=80 destination_interface="inside" destination_ip="10.1.2.3" destination_port=1772 destination_nat_ip="10.1.2.3" destination_nat_port=1772"#,
    );
    check(
        r#"Nov 21 03:04:05 fw-1 %ASA-4-106023: Deny tcp src outside:192.0.2.7/80 dst inside:10.1.2.3/8309 by access-group "in" [0x0, 0x0]"#,
        r#"1680-11-21T03:04:05Z warn host="fw-1" app="ASA" msgid="106023" message="Deny tcp src outside:192.0.2.7/80 dst inside:10.1.2.3/8309 by access-group \"in\" [0x0, 0x0]" action="Deny" transport="tcp" source_interface="outside" source_ip="192.0.2.7" source_port=80 destination_interface="inside" destination_ip="10.1.2.3" destination_port=8309 access_group="in""#,
    );
    check(
        "Nov 21 03:04:05 fw-1 CiscoASA[9]: %ASA-6-302014: Teardown TCP connection 7 for outside:192.0.2.7/80 to inside:10.1.2.3/1758 duration 0:01:07 bytes 38110 TCP Reset-I",
        r#"1680-11-21T03:04:05Z info host="fw-1" app="CiscoASA" pid=9 msgid="302014" message="%ASA-6-302014: Teardown TCP connection 7 for outside:192.0.2.7/80 to inside:10.1.2.3/1758 duration 0:01:07 bytes 38110 TCP Reset-I" transport="TCP" connection=7 source_interface="outside" source_ip="192.0.2.7" source_port=80 destination_interface="inside" destination_ip="10.1.2.3" destination_port=1758 duration="0:01:07" bytes=38110 reason="TCP Reset-I""#,
    );
    check(
        r#"Nov 21 03:04:05 web-1 shop[7]: @cee: {"msg":"a b","time":"2020-01-01T00:00:00Z","status":503}"#,
        r#"1680-11-21T03:04:05Z - host="web-1" app="shop" pid=7 message="@cee: {\"msg\":\"a b\",\"time\":\"2020-01-01T00:00:00Z\",\"status\":503}" msg="a b" status=503"#,
    );
    check(
        r#"2026-11-21T03:04:05Z web-1 shop[7]: {"level":"warn","user":"bob"}"#,
        r#"2026-11-21T03:04:05Z warn host="web-1" app="shop" pid=7 message="{\"level\":\"warn\",\"user\":\"bob\"}" user="bob""#,
    );
    check(
        "55 <34>1 2026-11-21T03:04:05Z h app - - - frame with count",
        r#"2026-11-21T03:04:05Z fatal facility="auth" host="h" app="app" message="frame with count""#,
    );
    check(
        "2026-11-21T03:04:05+01:00 10.1.2.3 system,error,critical login failure for user admin from 10.1.2.9 via ssh",
        r#"2026-11-21T02:04:05Z fatal host="10.1.2.3" app="system,error,critical" message="login failure for user admin from 10.1.2.9 via ssh" user="admin" client_ip="10.1.2.9" service="ssh""#,
    );
    check(
        "Nov 21 03:04:05 [sshd]: User root from 10.1.2.3 not allowed because not listed in AllowUsers",
        r#"1680-11-21T03:04:05Z - app="sshd" message="User root from 10.1.2.3 not allowed because not listed in AllowUsers" user="root" client_ip="10.1.2.3" reason="not listed in AllowUsers""#,
    );
    check(
        "Nov 21 03:04:05  sshd[8317]: last message repeated 2 times",
        r#"1680-11-21T03:04:05Z - app="sshd" pid=8317 message="last message repeated 2 times""#,
    );
}

#[test]
fn messages_of_known_programs() {
    check(
        "Nov 21 03:04:05 web-1 sshd[7]: Accepted publickey for bob from 10.1.2.3 port 5022 ssh2: RSA SHA256:x",
        r#"1680-11-21T03:04:05Z - host="web-1" app="sshd" pid=7 message="Accepted publickey for bob from 10.1.2.3 port 5022 ssh2: RSA SHA256:x" action="Accepted" method="publickey" user="bob" client_ip="10.1.2.3" client_port=5022"#,
    );
    check(
        "Nov 21 03:04:05 web-1 sshd[7]: Failed password for invalid user Jo Doe from 10.1.2.3 port 5022 ssh2",
        r#"1680-11-21T03:04:05Z - host="web-1" app="sshd" pid=7 message="Failed password for invalid user Jo Doe from 10.1.2.3 port 5022 ssh2" action="Failed" method="password" user="Jo Doe" client_ip="10.1.2.3" client_port=5022"#,
    );
    check(
        "Nov 21 03:04:05 web-1 sshd[7]: Invalid user  from 10.1.2.3 port 5022",
        r#"1680-11-21T03:04:05Z - host="web-1" app="sshd" pid=7 message="Invalid user  from 10.1.2.3 port 5022" client_ip="10.1.2.3" client_port=5022"#,
    );
    check(
        "Nov 21 03:04:05 web-1 sshd[7]: Connection closed by authenticating user root 10.1.2.3 port 5022 [preauth]",
        r#"1680-11-21T03:04:05Z - host="web-1" app="sshd" pid=7 message="Connection closed by authenticating user root 10.1.2.3 port 5022 [preauth]" action="closed" user="root" client_ip="10.1.2.3" client_port=5022"#,
    );
    check(
        "Nov 21 03:04:05 web-1 sshd[7]: Received disconnect from 10.1.2.3 port 5022:11: Bye Bye [preauth]",
        r#"1680-11-21T03:04:05Z - host="web-1" app="sshd" pid=7 message="Received disconnect from 10.1.2.3 port 5022:11: Bye Bye [preauth]" client_ip="10.1.2.3" client_port=5022 reason="11: Bye Bye [preauth]""#,
    );
    check(
        "Nov 21 03:04:05 web-1 sshd[7]: pam_unix(sshd:auth): authentication failure; logname= uid=0 euid=0 tty=ssh ruser= rhost=10.1.2.3  user=root",
        r#"1680-11-21T03:04:05Z - host="web-1" app="sshd" pid=7 message="pam_unix(sshd:auth): authentication failure; logname= uid=0 euid=0 tty=ssh ruser= rhost=10.1.2.3  user=root" reason="authentication failure" uid=0 tty="ssh" client_ip="10.1.2.3" user="root""#,
    );
    check(
        "Nov 21 03:04:05 web-1 sshd(pam_unix)[7]: session opened for user bob by (uid=0)",
        r#"1680-11-21T03:04:05Z - host="web-1" app="sshd(pam_unix)" pid=7 message="session opened for user bob by (uid=0)" action="opened" user="bob""#,
    );
    check(
        "Nov 21 03:04:05 web-1 sudo:      bob : TTY=pts/0 ; PWD=/home/bob ; USER=root ; COMMAND=/bin/ls -l",
        r#"1680-11-21T03:04:05Z - host="web-1" app="sudo" message="     bob : TTY=pts/0 ; PWD=/home/bob ; USER=root ; COMMAND=/bin/ls -l" user="bob" tty="pts/0" cwd="/home/bob" run_as="root" command="/bin/ls -l""#,
    );
    check(
        "Nov 21 03:04:05 web-1 sudo:      eve : user NOT in sudoers ; TTY=pts/0 ; PWD=/ ; USER=root ; COMMAND=/bin/sh",
        r#"1680-11-21T03:04:05Z - host="web-1" app="sudo" message="     eve : user NOT in sudoers ; TTY=pts/0 ; PWD=/ ; USER=root ; COMMAND=/bin/sh" user="eve" reason="user NOT in sudoers" tty="pts/0" cwd="/" run_as="root" command="/bin/sh""#,
    );
    check(
        "Nov 21 03:04:05 web-1 CRON[7]: (root) CMD (run-parts /etc/cron.hourly (x))",
        r#"1680-11-21T03:04:05Z - host="web-1" app="CRON" pid=7 message="(root) CMD (run-parts /etc/cron.hourly (x))" user="root" action="CMD" command="run-parts /etc/cron.hourly (x)""#,
    );
    check(
        "Nov 21 03:04:05 mx-1 postfix/smtp[7]: 4F2C81A: to=<bob@example.com>, relay=mx.example.com[192.0.2.1]:25, delay=1.2, delays=0.1/0/0.5/0.6, dsn=2.0.0, status=sent (250 ok)",
        r#"1680-11-21T03:04:05Z - host="mx-1" app="postfix/smtp" pid=7 message="4F2C81A: to=<bob@example.com>, relay=mx.example.com[192.0.2.1]:25, delay=1.2, delays=0.1/0/0.5/0.6, dsn=2.0.0, status=sent (250 ok)" queue_id="4F2C81A" to="bob@example.com" relay="mx.example.com[192.0.2.1]:25" delay_s=1.2 delays="0.1/0/0.5/0.6" dsn="2.0.0" status="sent" reason="(250 ok)""#,
    );
    check(
        "Nov 21 03:04:05 mx-1 postfix/qmgr[7]: 4F2C81A: from=<>, size=1234, nrcpt=1 (queue active)",
        r#"1680-11-21T03:04:05Z - host="mx-1" app="postfix/qmgr" pid=7 message="4F2C81A: from=<>, size=1234, nrcpt=1 (queue active)" queue_id="4F2C81A" bytes=1234 recipients=1 status="(queue active)""#,
    );
    check(
        "Nov 21 03:04:05 mx-1 postfix/smtpd[7]: NOQUEUE: reject: RCPT from bad.example.com[192.0.2.9]: 554 5.7.1 <bob@example.org>: Relay access denied; from=<> to=<bob@example.org> proto=ESMTP helo=<bad>",
        r#"1680-11-21T03:04:05Z - host="mx-1" app="postfix/smtpd" pid=7 message="NOQUEUE: reject: RCPT from bad.example.com[192.0.2.9]: 554 5.7.1 <bob@example.org>: Relay access denied; from=<> to=<bob@example.org> proto=ESMTP helo=<bad>" queue_id="NOQUEUE" action="reject" command="RCPT" client="bad.example.com" client_ip="192.0.2.9" code=554 reason="5.7.1 <bob@example.org>: Relay access denied" to="bob@example.org" protocol="ESMTP" helo="bad""#,
    );
    check(
        "Nov 21 03:04:05 mx-1 postfix/smtpd[7]: 4F2C81A: client=a.example.com[192.0.2.9], sasl_method=PLAIN, sasl_username=bob",
        r#"1680-11-21T03:04:05Z - host="mx-1" app="postfix/smtpd" pid=7 message="4F2C81A: client=a.example.com[192.0.2.9], sasl_method=PLAIN, sasl_username=bob" queue_id="4F2C81A" client="a.example.com" client_ip="192.0.2.9" method="PLAIN" user="bob""#,
    );
}

#[test]
fn messages_of_known_programs_2() {
    check(
        "Nov 21 03:04:05 mx-1 postfix/smtpd[7]: lost connection after DATA from unknown[192.0.2.9]",
        r#"1680-11-21T03:04:05Z - host="mx-1" app="postfix/smtpd" pid=7 message="lost connection after DATA from unknown[192.0.2.9]" action="lost connection after DATA" client="unknown" client_ip="192.0.2.9""#,
    );
    check(
        "Nov 21 03:04:05 mx-1 dovecot: imap-login: Login: user=<bob@example.com>, method=PLAIN, rip=10.1.2.3, lip=10.1.2.4, mpid=18, TLS, session=<abc>",
        r#"1680-11-21T03:04:05Z - host="mx-1" app="dovecot" message="imap-login: Login: user=<bob@example.com>, method=PLAIN, rip=10.1.2.3, lip=10.1.2.4, mpid=18, TLS, session=<abc>" service="imap-login" action="Login" user="bob@example.com" method="PLAIN" client_ip="10.1.2.3" server_ip="10.1.2.4" tls="TLS" session="abc""#,
    );
    check(
        "Nov 21 03:04:05 mx-1 dovecot: auth-worker(7): pam(bob,10.1.2.3): unknown user",
        r#"1680-11-21T03:04:05Z - host="mx-1" app="dovecot" message="auth-worker(7): pam(bob,10.1.2.3): unknown user" service="auth-worker(7)" backend="pam" user="bob" client_ip="10.1.2.3" reason="unknown user""#,
    );
    check(
        "Nov 21 03:04:05 ns-1 named[7]: queries: info: client @0x7f65 10.1.2.3#3076 (example.com): query: example.com IN A +E(0)K (10.1.2.4)",
        r#"1680-11-21T03:04:05Z info host="ns-1" app="named" pid=7 message="queries: info: client @0x7f65 10.1.2.3#3076 (example.com): query: example.com IN A +E(0)K (10.1.2.4)" client_ip="10.1.2.3" client_port=3076 query="example.com" class="IN" type="A" flags="+E(0)K" server_ip="10.1.2.4""#,
    );
    check(
        "Nov 21 03:04:05 ns-1 named[7]: client 10.1.2.3#3076 (example.com): query (cache) 'example.com/ANY/IN' denied",
        r#"1680-11-21T03:04:05Z - host="ns-1" app="named" pid=7 message="client 10.1.2.3#3076 (example.com): query (cache) 'example.com/ANY/IN' denied" client_ip="10.1.2.3" client_port=3076 operation="query (cache)" query="example.com" type="ANY" class="IN" action="denied""#,
    );
    check(
        r#"Nov 21 03:04:05 lb-1 haproxy[7]: 10.1.2.3:53332 [21/Nov/2026:03:04:04.143] web~ shop/app-1 0/0/7/1457/1487 503 11394 - - ---- 2/1/0/0/0 0/0 {Mozilla/5.0 (X11)} {} "GET /cart?id=7 HTTP/1.1""#,
        r#"1680-11-21T03:04:05Z error host="lb-1" app="haproxy" pid=7 message="10.1.2.3:53332 [21/Nov/2026:03:04:04.143] web~ shop/app-1 0/0/7/1457/1487 503 11394 - - ---- 2/1/0/0/0 0/0 {Mozilla/5.0 (X11)} {} \"GET /cart?id=7 HTTP/1.1\"" client_ip="10.1.2.3" client_port=53332 accepted="21/Nov/2026:03:04:04.143" frontend="web~" backend="shop" server="app-1" request_ms=0 queue_ms=0 connect_ms=7 response_ms=1457 duration_ms=1487 status=503 bytes=11394 termination="----" connections=2 retries=0 headers="{Mozilla/5.0 (X11)} {}" method="GET" path="/cart?id=7" protocol="HTTP/1.1""#,
    );
    check(
        "Nov 21 03:04:05 lb-1 haproxy[7]: 2001:db8::1:53332 [21/Nov/2026:03:04:04.143] ssh git/git-1 1/0/1487 11394 -- 2/1/0/0/0 0/0",
        r#"1680-11-21T03:04:05Z - host="lb-1" app="haproxy" pid=7 message="2001:db8::1:53332 [21/Nov/2026:03:04:04.143] ssh git/git-1 1/0/1487 11394 -- 2/1/0/0/0 0/0" client_ip="2001:db8::1" client_port=53332 accepted="21/Nov/2026:03:04:04.143" frontend="ssh" backend="git" server="git-1" queue_ms=1 connect_ms=0 duration_ms=1487 bytes=11394 termination="--" connections=2 retries=0"#,
    );
    check(
        "Nov 21 03:04:05 lb-1 haproxy[7]: 10.1.2.3:56224 [21/Nov/2026:03:04:04.143] web/https: SSL handshake failure",
        r#"1680-11-21T03:04:05Z - host="lb-1" app="haproxy" pid=7 message="10.1.2.3:56224 [21/Nov/2026:03:04:04.143] web/https: SSL handshake failure" client_ip="10.1.2.3" client_port=56224 accepted="21/Nov/2026:03:04:04.143" frontend="web" server="https" reason="SSL handshake failure""#,
    );
    // An uptime without its end takes no bracket of the text after it.
    check(
        "Nov 21 03:04:05 fw-1 kernel: [ 12.3 IN=eth0 SRC=192.0.2.7 IPT=]",
        r#"1680-11-21T03:04:05Z - host="fw-1" app="kernel" message="[ 12.3 IN=eth0 SRC=192.0.2.7 IPT=]" prefix="[ 12.3" IN="eth0" source_ip="192.0.2.7" IPT="]""#,
    );
    check(
        "Nov 21 03:04:05 fw-1 kernel: [ 12.345] [UFW BLOCK] IN=eth0 OUT= MAC=00:01 SRC=192.0.2.7 DST=10.1.2.3 LEN=52 TTL=115 DF PROTO=TCP SPT=17805 DPT=445 SYN URGP=0",
        r#"1680-11-21T03:04:05Z - host="fw-1" app="kernel" message="[ 12.345] [UFW BLOCK] IN=eth0 OUT= MAC=00:01 SRC=192.0.2.7 DST=10.1.2.3 LEN=52 TTL=115 DF PROTO=TCP SPT=17805 DPT=445 SYN URGP=0" prefix="[UFW BLOCK]" IN="eth0" MAC="00:01" source_ip="192.0.2.7" destination_ip="10.1.2.3" LEN=52 TTL=115 transport="TCP" source_port=17805 destination_port=445 URGP=0"#,
    );
    check(
        "Nov 21 03:04:05 fw-1 filterlog[7]: 5,,,1000000103,em0,match,block,in,4,0x0,,64,1,0,DF,6,tcp,60,192.0.2.7,10.1.2.3,54321,443,0,S,12345,,64240,,mss",
        r#"1680-11-21T03:04:05Z - host="fw-1" app="filterlog" pid=7 message="5,,,1000000103,em0,match,block,in,4,0x0,,64,1,0,DF,6,tcp,60,192.0.2.7,10.1.2.3,54321,443,0,S,12345,,64240,,mss" rule=5 tracker=1000000103 interface="em0" reason="match" action="block" direction="in" ip_version=4 tos="0x0" ttl=64 id=1 offset=0 flags="DF" protocol_id=6 transport="tcp" bytes=60 source_ip="192.0.2.7" destination_ip="10.1.2.3" source_port=54321 destination_port=443 data_bytes=0 tcp_flags="S" sequence=12345 window=64240 options="mss""#,
    );
    check(
        "Nov 21 03:04:05 fw-1 filterlog: 5,16777216,,1000000103,em0,match,pass,out,6,0x00,0x00000,255,ICMPv6,58,32,fe80::1,ff02::1,",
        r#"1680-11-21T03:04:05Z - host="fw-1" app="filterlog" message="5,16777216,,1000000103,em0,match,pass,out,6,0x00,0x00000,255,ICMPv6,58,32,fe80::1,ff02::1," rule=5 subrule=16777216 tracker=1000000103 interface="em0" reason="match" action="pass" direction="out" ip_version=6 class="0x00" flow_label="0x00000" hop_limit=255 transport="ICMPv6" protocol_id=58 bytes=32 source_ip="fe80::1" destination_ip="ff02::1""#,
    );
    check(
        "Nov 21 03:04:05 dh-1 dhcpd: DHCPACK on 10.1.2.3 to 00:11:22:33:44:55 (laptop) via eth0",
        r#"1680-11-21T03:04:05Z - host="dh-1" app="dhcpd" message="DHCPACK on 10.1.2.3 to 00:11:22:33:44:55 (laptop) via eth0" action="DHCPACK" client_ip="10.1.2.3" mac="00:11:22:33:44:55" client="laptop" interface="eth0""#,
    );
    check(
        "Nov 21 03:04:05 vpn-1 openvpn[7]: bob/10.1.2.3:1194 MULTI: Learn: 10.8.0.2",
        r#"1680-11-21T03:04:05Z - host="vpn-1" app="openvpn" pid=7 message="bob/10.1.2.3:1194 MULTI: Learn: 10.8.0.2" user="bob" client_ip="10.1.2.3" client_port=1194 action="MULTI: Learn: 10.8.0.2""#,
    );
    check(
        "Nov 21 03:04:05 vpn-1 openvpn[7]: Initialization Sequence Completed",
        r#"1680-11-21T03:04:05Z - host="vpn-1" app="openvpn" pid=7 message="Initialization Sequence Completed""#,
    );
}

#[test]
fn address_of_a_dhcp_server_or_client_is_no_mac() {
    check(
        "Nov 21 03:04:05 pc-1 dhclient[7]: DHCPACK of 10.1.2.3 from 10.1.2.1",
        r#"1680-11-21T03:04:05Z - host="pc-1" app="dhclient" pid=7 message="DHCPACK of 10.1.2.3 from 10.1.2.1" action="DHCPACK" client_ip="10.1.2.3" server_ip="10.1.2.1""#,
    );
    check(
        "Nov 21 03:04:05 pc-1 dhclient[7]: DHCPREQUEST on eth0 to 10.1.2.1 port 67",
        r#"1680-11-21T03:04:05Z - host="pc-1" app="dhclient" pid=7 message="DHCPREQUEST on eth0 to 10.1.2.1 port 67" action="DHCPREQUEST" interface="eth0" server_ip="10.1.2.1" server_port=67"#,
    );
    check(
        "Nov 21 03:04:05 dh-1 dhcpd: DHCPINFORM from 10.1.2.3 via eth0",
        r#"1680-11-21T03:04:05Z - host="dh-1" app="dhcpd" message="DHCPINFORM from 10.1.2.3 via eth0" action="DHCPINFORM" client_ip="10.1.2.3" interface="eth0""#,
    );
}

#[test]
fn messages_of_known_programs_3() {
    check(
        "Nov 21 03:04:05 ns-1 dnsmasq[7]: query[A] example.com from 10.1.2.3",
        r#"1680-11-21T03:04:05Z - host="ns-1" app="dnsmasq" pid=7 message="query[A] example.com from 10.1.2.3" type="A" query="example.com" client_ip="10.1.2.3""#,
    );
    check(
        "2026-11-21T03:04:05+01:00 10.1.2.3 firewall,info drop input: in:ether1 out:(unknown 0), connection-state:new src-mac 00:01:02:03:04:05, proto TCP (SYN), 192.0.2.7:59388->10.1.2.3:23, len 40",
        r#"2026-11-21T02:04:05Z info host="10.1.2.3" app="firewall,info" message="drop input: in:ether1 out:(unknown 0), connection-state:new src-mac 00:01:02:03:04:05, proto TCP (SYN), 192.0.2.7:59388->10.1.2.3:23, len 40" prefix="drop" chain="input" in="ether1" out="(unknown 0)" state="new" mac="00:01:02:03:04:05" transport="TCP (SYN)" source_ip="192.0.2.7" source_port=59388 destination_ip="10.1.2.3" destination_port=23 bytes=40"#,
    );
    check(
        "2026-11-21T03:04:05+01:00 10.1.2.3 firewall,info input: in:ether1 out:(unknown 0), proto UDP, 192.0.2.7:59388->10.1.2.3:23, len 40",
        r#"2026-11-21T02:04:05Z info host="10.1.2.3" app="firewall,info" message="input: in:ether1 out:(unknown 0), proto UDP, 192.0.2.7:59388->10.1.2.3:23, len 40" chain="input:" in="ether1" out="(unknown 0)" transport="UDP" source_ip="192.0.2.7" source_port=59388 destination_ip="10.1.2.3" destination_port=23 bytes=40"#,
    );
}

#[test]
fn messages_of_programs_with_unusual_headers() {
    check(
        "Nov 21 03:04:05 web-1 syslogd 1.4.1: restart.",
        r#"1680-11-21T03:04:05Z - host="web-1" app="syslogd" message="restart.""#,
    );
    check(
        "Nov 21 03:04:05 web-1 port 5: link up",
        r#"1680-11-21T03:04:05Z - host="web-1" message="port 5: link up""#,
    );
    // A line that ends where the version would be.
    check("Nov 21 03:04:05 web-1 syslogd ", r#"1680-11-21T03:04:05Z - host="web-1" message="syslogd ""#);
    check("Nov 21 03:04:05 auth: Error: x", r#"1680-11-21T03:04:05Z error app="auth" message="Error: x""#);
    check(
        "<189>45: sw-1: *Nov 21 03:04:05.123: %SYS-5-RESTART: System restarted",
        r#"1680-11-21T03:04:05.123Z notice facility="local7" app="SYS" msgid="RESTART" message="System restarted""#,
    );
    check("Nov 21, 2026 3:04:05 AM com.example.Cart add", "unparsed: no syslog time at the start");
}

#[test]
fn refused_logins() {
    let sshd = |message: &str| {
        let shown = render(&FORMAT, &format!("Nov 21 03:04:05 h sshd[7]: {message}"));
        shown.split_once(&format!("message={message:?}")).map(|(_, fields)| fields.to_string())
    };
    let check = |message: &str, fields: &str| assert_eq!(sshd(message).as_deref(), Some(fields), "{message}");
    check(
        "error: PAM: Authentication failure for bob from 10.1.2.3 via 10.0.0.1",
        r#" reason="Authentication failure" user="bob" client_ip="10.1.2.3""#,
    );
    check(
        "error: PAM: User not known for illegal user bob from 10.1.2.3",
        r#" reason="User not known" user="bob" client_ip="10.1.2.3""#,
    );
    check(
        "error: Received disconnect from 10.1.2.3 port 5:14: No supported methods [preauth]",
        r#" client_ip="10.1.2.3" client_port=5 reason="14: No supported methods [preauth]""#,
    );
    check(
        "fatal: Unable to negotiate with 10.1.2.3 port 5: no matching MAC found",
        r#" client_ip="10.1.2.3" client_port=5 reason="no matching MAC found""#,
    );
    check(
        "banner exchange: Connection from 10.1.2.3 port 5: invalid format",
        r#" client_ip="10.1.2.3" client_port=5 reason="invalid format""#,
    );
    check("ROOT LOGIN REFUSED FROM 10.1.2.3 port 5", r#" client_ip="10.1.2.3" client_port=5"#);
    check(
        "Timeout before authentication for connection from 10.1.2.3 to 10.0.0.1, pid = 9",
        r#" client_ip="10.1.2.3""#,
    );
    check("User root not allowed because account is locked", r#" user="root" reason="account is locked""#);
    check(
        "Disconnecting: Too many authentication failures for git [preauth]",
        r#" reason="Too many authentication failures" user="git""#,
    );
}

#[test]
fn headers_of_few_devices() {
    check(
        "2026 Nov 21 03:04:05.123 sw-1 %ETHPORT-5-IF_UP: Interface Ethernet1/1 is up",
        r#"2026-11-21T03:04:05.123Z notice host="sw-1" app="ETHPORT" msgid="IF_UP" message="Interface Ethernet1/1 is up""#,
    );
    check(
        "2026-11-21T03:04:05.123Z Wa(180) shopd[4711]: the shop is closed",
        r#"2026-11-21T03:04:05.123Z warn app="shopd" pid=4711 message="the shop is closed""#,
    );
    check(
        "2026-11-21T03:04:05.000Z Nov 21 03:04:05 web-1 shopd[4711]: up",
        r#"2026-11-21T03:04:05Z - host="web-1" app="shopd" pid=4711 message="up""#,
    );
    check(
        "2026-11-21 03:04:05+01 mac-1 Shop Installer[58]: done",
        r#"2026-11-21T02:04:05Z - host="mac-1" app="Shop Installer" pid=58 message="done""#,
    );
    check(
        r#"<134>1 2026-11-21T03:04:05Z gw-1 CheckPoint 7 - [action:"Drop"; src:"10.1.2.3"; tag:"a[b=\]"; service:"80"]"#,
        r#"2026-11-21T03:04:05Z info facility="local0" host="gw-1" app="CheckPoint" pid=7 action="Drop" src="10.1.2.3" tag="a[b=]" service="80""#,
    );
}
