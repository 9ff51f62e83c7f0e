//! rsyslog, syslog-ng and `logger` as they are installed send to `timberline listen` with the configurations of
//! `docs/receiving.md`: every event is there once, with its fields. Clients of the HTTP interface alone are tested next
//! to it, in `receive/tests/clients.rs`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use indexer::Case;
use serde_json::{Value, json};
use timberline_tests::listening::{Listening, PATIENCE};
use timberline_tests::shippers::{self, Daemon};
use timberline_tests::{files, programs, report};

const LINES: u64 = 500;
/// So many fit into the socket's buffer even if nobody reads it meanwhile.
const DATAGRAMS: u64 = 100;

/// A configuration of the documents, with what belongs to a machine replaced.
fn documented(title: &str, replaced: &[(&str, &str)]) -> String {
    let text = fs::read_to_string(files::root().join("docs/receiving.md")).expect("the document");
    let begin =
        text.find(&format!("```conf\n# {title}\n")).unwrap_or_else(|| panic!("{title} is documented"));
    let block = text[begin..].trim_start_matches("```conf\n");
    let mut block = block.split("```").next().expect("a block").to_owned();
    for (from, to) in replaced {
        assert!(block.contains(from), "{from} is in {title}");
        block = block.replace(from, to);
    }
    block
}

/// What is sent: unique texts with what templates and framings have to keep.
fn messages(kind: &str, count: u64) -> Vec<String> {
    (0..count)
        .map(|number| format!("{kind} request {number} took \"long\" at C:\\temp, 5 % über 80"))
        .collect()
}

/// A daemon and the file that it complains in.
struct Shipper {
    daemon: Daemon,
    said: PathBuf,
}

impl Shipper {
    fn start(command: &mut Command, folder: &Path) -> Shipper {
        let said = folder.join("said");
        let file = fs::File::create(&said).expect("a file");
        let own = file.try_clone().expect("a file");
        Shipper { daemon: Daemon::start(command.env("TZ", "UTC").stdout(own).stderr(file)), said }
    }

    fn wait(&mut self, what: &str, mut is_so: impl FnMut() -> bool) {
        let began = Instant::now();
        while !is_so() {
            let runs = self.daemon.try_wait().expect("its state").is_none();
            let said = || fs::read_to_string(&self.said).unwrap_or_default();
            assert!(runs && began.elapsed() < PATIENCE, "{what}: {}", said());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until all is there, and ends.
    fn finish(mut self, listening: &Listening, events: u64) {
        let case = Case::open(&listening.case).expect("the case opens");
        self.wait("the events", || case.snapshot().events() >= events);
    }
}

/// `logger` sends these lines to a socket of the system's kind.
fn log(socket: &Path, folder: &Path, (tag, priority): (&str, &str), messages: &[String]) {
    let file = folder.join(format!("{tag}.lines"));
    fs::write(&file, messages.join("\n") + "\n").expect("a file");
    let sent = Command::new("logger")
        .arg("--socket")
        .arg(socket)
        .args(["--socket-errors=on", "--tag", tag, "--priority", priority, "--file"])
        .arg(file)
        .output()
        .expect("it runs");
    assert!(sent.status.success(), "{}", String::from_utf8_lossy(&sent.stderr));
}

/// The events of a query as the command line gives them.
fn events(case: &Path, query: &str) -> Vec<Value> {
    let listed = Command::new(programs::timberline())
        .arg("query")
        .arg(case)
        .args([query, "--format", "ndjson"])
        .output()
        .expect("it runs");
    assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
    let text = String::from_utf8(listed.stdout).expect("text");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Each of these messages is there once, all with these fields, and nothing else.
fn assert_once(case: &Path, query: &str, messages: &[String], fields: &Value) {
    let events = events(case, query);
    let mut found: Vec<&str> =
        events.iter().map(|event| event["message"].as_str().expect("a message")).collect();
    let mut wanted: Vec<&str> = messages.iter().map(String::as_str).collect();
    found.sort_unstable();
    wanted.sort_unstable();
    assert!(found == wanted, "{query}: {} events, such as {:?}", events.len(), events.first());
    for event in &events {
        for (name, value) in fields.as_object().expect("fields") {
            assert_eq!(&event[name], value, "{query}: {name} of {event}");
        }
    }
}

fn start_rsyslog(rsyslogd: &Path, folder: &Path, configuration: &str) -> Shipper {
    let conf = folder.join("rsyslog.conf");
    fs::write(&conf, configuration).expect("a file");
    let checked = Command::new(rsyslogd).arg("-N1").arg("-f").arg(&conf).output().expect("it runs");
    let said = String::from_utf8_lossy(&checked.stderr);
    assert!(checked.status.success() && !said.contains("error"), "{said}");
    let mut command = Command::new(rsyslogd);
    command.arg("-n").arg("-f").arg(&conf).arg("-i").arg(folder.join("pid"));
    Shipper::start(&mut command, folder)
}

fn has_logger() -> bool {
    Command::new("logger").arg("--version").output().is_ok()
}

fn path_text(path: &Path) -> String {
    path.to_str().expect("text").to_owned()
}

/// rsyslog and `logger`, or why they are not used.
fn rsyslog() -> Result<PathBuf, &'static str> {
    let found = shippers::rsyslogd().ok_or("rsyslog with omelasticsearch is not here")?;
    if has_logger() { Ok(found) } else { Err("the program logger is not installed") }
}

#[test]
fn rsyslog_sends_the_log_of_the_system_and_of_apache_as_documented() {
    let rsyslogd = match rsyslog() {
        Ok(found) => found,
        Err(reason) => return report::skipped(reason),
    };
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path();
    let (case, socket, access) = (place.join("live.case"), place.join("log"), place.join("access.log"));
    let lines: Vec<String> = (0..LINES)
        .map(|number| {
            format!(
                "203.0.113.{} - - [23/Nov/2026:10:{:02}:{:02} +0000] \"GET /item/{number}?q=\\\"x\\\" HTTP/1.1\" 404 {number} \"-\" \"curl/7.88\"",
                number % 250,
                number / 60 % 60,
                number % 60
            )
        })
        .collect();
    let (before, after) = lines.split_at(lines.len() / 2);
    fs::write(&access, before.join("\n") + "\n").expect("a file");

    let listening = Listening::start(&case, &["--http", "127.0.0.1:0"]);
    let shared = documented(
        "/etc/rsyslog.d/timberline-http.conf",
        &[
            ("serverport=\"9200\"", &format!("serverport=\"{}\"", listening.port(0))),
            ("/var/log/apache2/access.log", &path_text(&access)),
            ("/var/log/timberline-errors.log", &path_text(&place.join("errors"))),
        ],
    );
    // What the main configuration of a system has before it.
    let own = format!(
        "global(workDirectory=\"{}\" localHostname=\"web-1\")\nmodule(load=\"imuxsock\" SysSock.Use=\"off\")\n\
         input(type=\"imuxsock\" Socket=\"{}\")\n",
        place.display(),
        socket.display()
    );
    let mut rsyslog = start_rsyslog(&rsyslogd, place, &(own + &shared));
    rsyslog.wait("its socket", || socket.exists());
    let (jobs, kernel) = (messages("job", LINES), messages("kernel", LINES));
    log(&socket, place, ("cron", "cron.warning"), &jobs);
    log(&socket, place, ("alarm", "daemon.err"), &kernel);
    let mut access = fs::OpenOptions::new().append(true).open(&access).expect("a file");
    std::io::Write::write_all(&mut access, (after.join("\n") + "\n").as_bytes()).expect("it is written");
    rsyslog.finish(&listening, 3 * LINES);
    listening.stop();

    assert_eq!(fs::read_to_string(place.join("errors")).unwrap_or_default(), "");
    let fields = |source: &str, program: &str, facility: &str, level: &str| json!({"source": source, "program": program, "facility": facility, "level": level, "host": "web-1"});
    let system = "source:\"http/system\" program=";
    assert_once(
        &case,
        &format!("{system}cron level:warn"),
        &jobs,
        &fields("http/system", "cron", "cron", "warn"),
    );
    assert_once(
        &case,
        &format!("{system}alarm level:error"),
        &kernel,
        &fields("http/system", "alarm", "daemon", "error"),
    );
    assert_once(
        &case,
        "source:\"http/apache\" level:info",
        &lines,
        &fields("http/apache", "apache", "local6", "info"),
    );
    assert_eq!(events(&case, "*").len() as u64, 3 * LINES);
}

#[test]
fn rsyslog_forwards_over_udp_and_tcp_in_both_framings() {
    let rsyslogd = match rsyslog() {
        Ok(found) => found,
        Err(reason) => return report::skipped(reason),
    };
    let folder = tempfile::tempdir().expect("a folder");
    let (case, place) = (folder.path().join("live.case"), folder.path());
    let listening =
        Listening::start(&case, &["--syslog", "tcp://127.0.0.1:0", "--syslog", "udp://127.0.0.1:0"]);
    let (tcp, udp) = (format!("port=\"{}\"", listening.port(0)), format!("port=\"{}\"", listening.port(1)));
    let title = "/etc/rsyslog.d/timberline-syslog.conf";
    let octets = documented(title, &[("port=\"5514\"", &tcp)]);
    let lines = octets
        .replace("octet-counted", "traditional")
        .replace("RSYSLOG_SyslogProtocol23Format", "RSYSLOG_TraditionalForwardFormat")
        .replace("timberline-syslog", "timberline-lines");
    let datagrams = octets
        .replace("protocol=\"tcp\"", "protocol=\"udp\"")
        .replace(&tcp, &udp)
        .replace("timberline-syslog", "timberline-udp");
    let mut configuration = format!(
        "global(workDirectory=\"{}\" localHostname=\"web-1\")\nmodule(load=\"imuxsock\" SysSock.Use=\"off\")\n",
        place.display()
    );
    let kinds = [("octets", octets, LINES), ("lines", lines, LINES), ("datagrams", datagrams, DATAGRAMS)];
    for (kind, action, _) in &kinds {
        let socket = place.join(kind);
        let part = format!(
            "input(type=\"imuxsock\" Socket=\"{}\" ruleset=\"{kind}\")\nruleset(name=\"{kind}\") {{\n{action}}}\n",
            socket.display()
        );
        configuration.push_str(&part);
    }
    let mut rsyslog = start_rsyslog(&rsyslogd, place, &configuration);
    for (kind, _, count) in &kinds {
        let socket = place.join(kind);
        rsyslog.wait("its socket", || socket.exists());
        log(&socket, place, (kind, "local3.err"), &messages(kind, *count));
    }
    rsyslog.finish(&listening, 2 * LINES + DATAGRAMS);
    listening.stop();
    for (kind, source, count) in
        [("octets", "tcp", LINES), ("lines", "tcp", LINES), ("datagrams", "udp", DATAGRAMS)]
    {
        let source = format!("syslog/{source}/127.0.0.1");
        let fields =
            json!({"source": source, "app": kind, "facility": "local3", "level": "error", "host": "web-1"});
        assert_once(&case, &format!("app={kind} level:error"), &messages(kind, count), &fields);
    }
    assert_eq!(events(&case, "*").len() as u64, 2 * LINES + DATAGRAMS);
}

#[test]
fn syslog_ng_sends_over_all_of_its_transports() {
    let Some(syslog_ng) = shippers::syslog_ng() else {
        return report::skipped("syslog-ng is not here");
    };
    let folder = tempfile::tempdir().expect("a folder");
    let (case, place) = (folder.path().join("live.case"), folder.path());
    let unix = place.join("unix");
    // One address has one destination in syslog-ng.
    let addresses = [
        "tcp://127.0.0.1:0",
        "tcp://127.0.0.1:0",
        "udp://127.0.0.1:0",
        &format!("unix://{}", unix.display()),
    ];
    let options: Vec<&str> = addresses.into_iter().flat_map(|address| ["--syslog", address]).collect();
    let listening = Listening::start(&case, &options);
    let octets = documented(
        "/etc/syslog-ng/conf.d/timberline.conf",
        &[("5514", listening.port(0)), ("s_src", "s_octets"), ("d_timberline", "d_octets")],
    );
    let version = Command::new(&syslog_ng).arg("--version").output().expect("it runs").stdout;
    let version = String::from_utf8_lossy(&version);
    let version = version.split_once('(').and_then(|(_, rest)| rest.split_once(')')).expect("a version").0;
    let short = version.rsplit_once('.').expect("three numbers").0;
    let mut configuration =
        format!("@version: {short}\noptions {{ keep-hostname(yes); stats-freq(0); }};\n{octets}");
    let network = |transport: &str, source: usize| {
        format!("network(\"127.0.0.1\" port({}) transport(\"{transport}\"))", listening.port(source))
    };
    let others = [
        ("lines", network("tcp", 1)),
        ("datagrams", network("udp", 2)),
        ("unix", format!("unix-dgram(\"{}\")", unix.display())),
    ];
    for (kind, destination) in &others {
        let part = format!(
            "destination d_{kind} {{ {destination}; }};\nlog {{ source(s_{kind}); destination(d_{kind}); }};\n"
        );
        configuration.push_str(&part);
    }
    let kinds = [("octets", LINES), ("lines", LINES), ("datagrams", DATAGRAMS), ("unix", LINES)];
    for (kind, count) in kinds {
        let file = place.join(format!("{kind}.log"));
        fs::write(&file, messages(kind, count).join("\n") + "\n").expect("a file");
        let part = format!(
            "source s_{kind} {{ file(\"{}\" flags(no-parse) program-override(\"{kind}\") host-override(\"web-1\") \
             default-facility(local3) default-severity(err)); }};\n",
            file.display()
        );
        configuration.push_str(&part);
    }
    let conf = place.join("syslog-ng.conf");
    fs::write(&conf, configuration).expect("a file");
    let at = |option: &str, name: &str| format!("--{option}={}", place.join(name).display());
    let mut command = Command::new(&syslog_ng);
    command.args(["--foreground", "--no-caps", "--stderr"]).args([
        at("cfgfile", "syslog-ng.conf"),
        at("persist-file", "persist"),
        at("pidfile", "pid"),
        at("control", "control"),
    ]);
    let syslog_ng = Shipper::start(&mut command, place);
    syslog_ng.finish(&listening, 3 * LINES + DATAGRAMS);
    listening.stop();
    for (kind, count) in kinds {
        let source = match kind {
            "datagrams" => "syslog/udp/127.0.0.1",
            "unix" => "syslog/unix",
            _ => "syslog/tcp/127.0.0.1",
        };
        let fields =
            json!({"source": source, "app": kind, "facility": "local3", "level": "error", "host": "web-1"});
        assert_once(&case, &format!("app={kind} level:error"), &messages(kind, count), &fields);
    }
    assert_eq!(events(&case, "*").len() as u64, 3 * LINES + DATAGRAMS);
}

#[test]
fn logger_sends_in_both_forms_over_udp_tcp_and_a_socket() {
    if !has_logger() {
        return report::skipped("the program logger is not installed");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let (case, socket) = (folder.path().join("live.case"), folder.path().join("log"));
    let unix = format!("unix://{}", socket.display());
    let addresses = ["tcp://127.0.0.1:0", "udp://127.0.0.1:0", &unix];
    let options: Vec<&str> = addresses.into_iter().flat_map(|address| ["--syslog", address]).collect();
    let listening = Listening::start(&case, &options);
    let (tcp, udp) = (listening.port(0), listening.port(1));
    let at = |port, kind| ["--server", "127.0.0.1", "--port", port, kind].map(str::to_owned).to_vec();
    let to_socket = vec!["--socket".to_owned(), path_text(&socket)];
    let mut sent = Vec::new();
    for (number, (way, form)) in [
        (at(tcp, "--tcp"), &["--rfc3164"][..]),
        (at(tcp, "--tcp"), &["--rfc5424"]),
        (at(tcp, "--tcp"), &["--octet-count", "--rfc5424"]),
        (at(udp, "--udp"), &["--rfc3164"]),
        (at(udp, "--udp"), &["--rfc5424"]),
        (to_socket.clone(), &["--socket-errors=on"]),
        (to_socket, &["--socket-errors=on", "--rfc5424"]),
    ]
    .into_iter()
    .enumerate()
    {
        let message = format!("disk {number} is \"hot\" at 80 %");
        let mut logger = Command::new("logger");
        logger.args(&way).args(["--tag", "tester", "--priority", "local3.crit"]).args(form).arg(&message);
        assert!(logger.status().expect("it runs").success(), "{way:?} {form:?}");
        sent.push(message);
    }
    listening.until(sent.len() as u64);
    listening.stop();
    assert_once(&case, "app=tester", &sent, &json!({"facility": "local3", "level": "fatal"}));
    assert_eq!(events(&case, "*").len(), sent.len());
    for (source, count) in [("tcp/127.0.0.1", 3), ("udp/127.0.0.1", 2), ("unix", 2)] {
        assert_eq!(events(&case, &format!("source:\"syslog/{source}\"")).len(), count, "{source}");
    }
}
