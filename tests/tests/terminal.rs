//! Every command on a pseudo-terminal, over a log, names and fields that try to drive it.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::json;
use timberline_tests::{programs, report};

/// Sets the title, fills the clipboard, clears the screen and turns the text round.
const HOSTILE: &str = "\u{1b}]0;title\u{7}\u{1b}]52;c;eA==\u{7}\u{1b}[31m\u{8}\u{7f}\u{9b}2J\u{202e}\u{2066}";

/// A command with arguments that make it print hostile text. The variables name the files of [`Hostile`].
const COMMANDS: &[(&str, &str)] = &[
    ("import", r#"import "$CASE" "$LOG" "$TEXT" "$EMPTY""#),
    ("import", r#"import "$CASE" "$LOG" --json --progress json"#),
    ("query", r#"query "$CASE" '*'"#),
    ("query", r#"query "$CASE" '*' --format raw"#),
    ("query", r#"query "$CASE" '*' --format ndjson"#),
    ("query", r#"query "$CASE" '*' --format csv"#),
    ("query", r#"query "$CASE" '* | stats count by source'"#),
    ("query", r#"query "$CASE" "\"$HOSTILE\"" --explain"#),
    ("query", r#"query "$CASE" "($HOSTILE""#),
    ("sql", r#"sql "$CASE" 'SELECT * FROM events'"#),
    ("words", r#"words "$CASE" --of "($HOSTILE""#),
    ("compare", r#"compare "$CASE" 'level=error' 'level=info'"#),
    ("compare", r#"compare "$CASE" 'level=error' 'level=info' --json"#),
    ("seismograph", r#"seismograph "$CASE""#),
    ("links", r#"links "$MISSING""#),
    ("map", r#"map "$CASE" "$HOSTILE""#),
    ("preview", r#"preview "$LOG" "$TEXT""#),
    ("preview", r#"preview "$LOG" --json"#),
    ("check", r#"check "$CASE" "$RULE""#),
    ("alerts", r#"alerts "$CASE" --sigma "$RULE""#),
    ("alerts", r#"alerts "$CASE" --sigma "$RULE" --comment "$HOSTILE""#),
    ("export", r#"export "$CASE" '*' --to "$MISSING/of.csv""#),
    ("info", r#"info "$CASE""#),
    ("info", r#"info "$MISSING""#),
    ("verify", r#"verify "$MISSING""#),
    ("adjust", r#"adjust "$CASE" 0 --offset 1h"#),
    ("adjust", r#"adjust "$CASE" "$HOSTILE" --offset 1h"#),
    ("reread", r#"reread "$CASE" 0 --format "$HOSTILE""#),
    ("reprofile", r#"reprofile "$MISSING" full"#),
    ("listen", r#"listen "$CASE" --stdin --format "$HOSTILE" <"$TEXT""#),
    ("mcp", r#"mcp "$CASE" <"$CALLS""#),
    ("compact", r#"compact "$MISSING""#),
    ("delete", r#"delete "$CASE" "$HOSTILE""#),
    ("restore", r#"restore "$MISSING""#),
    ("tune", r#"tune "$MISSING""#),
    ("serve", r#"serve --token-file "$MISSING""#),
    ("bench", r#"bench "$LOG" "--json=$HOSTILE""#),
    ("push", r#"push "$CASE" '*' --index app --to remote:prod --dry-run"#),
    ("plan", r#"plan "$MISSING" --per-day 1GB --keep 30d"#),
    ("configs", r#"configs "$CASE" --source "$HOSTILE" --to out"#),
    ("remote", "remote list"),
    ("remote", r#"remote add "$HOSTILE" http://127.0.0.1:9 --index x"#),
    // A mistake in the arguments themselves.
    ("help", r#""$HOSTILE""#),
    ("help", r#"query "$CASE" '*' "$HOSTILE""#),
];

struct Hostile {
    folder: tempfile::TempDir,
    variables: Vec<(&'static str, PathBuf)>,
}

impl Hostile {
    fn new() -> Hostile {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        let log = at(&format!("app{HOSTILE}.json"));
        let level = |line: u32| if line.is_multiple_of(3) { "error" } else { "info" };
        let lines = (0..60).map(|line| {
            let event = json!({
                "time": format!("2026-03-01T14:{line:02}:05Z"), "level": level(line),
                "message": format!("{HOSTILE} {} lost", level(line)), format!("user{HOSTILE}"): format!("u{line}{HOSTILE}"),
            });
            format!("{event}\n")
        });
        fs::write(&log, lines.collect::<String>()).expect("a log");
        let text = at(&format!("text{HOSTILE}.log"));
        // Detection takes a text with more control characters for binary data.
        let hostile = |line: u32| if line.is_multiple_of(9) { HOSTILE } else { "" };
        let lines = (0..60).map(|line| {
            format!("2026-03-01 14:{line:02}:06 INFO user=u{line} ended its session{}\n", hostile(line))
        });
        fs::write(&text, lines.collect::<String>()).expect("a log");
        let empty = at(&format!("empty{HOSTILE}.log"));
        fs::write(&empty, "").expect("a file");
        let rule = at(&format!("rule{HOSTILE}.yml"));
        fs::write(&rule, "title: [").expect("a rule");
        let call = json!({
            "jsonrpc": "2.0", "id": 2, "method": "tools/call",
            "params": { "name": "events", "arguments": { "query": "*", "seconds": 60 } },
        });
        let hello = json!({
            "jsonrpc": "2.0", "id": 1, "method": "initialize",
            "params": { "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } },
        });
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        fs::write(at("calls"), format!("{hello}\n{ready}\n{call}\n")).expect("calls");
        let prod =
            json!({ "name": "prod", "url": format!("http://127.0.0.1:9/{HOSTILE}"), "index": HOSTILE });
        fs::create_dir(at("home")).expect("a folder");
        fs::write(at("home/remotes.json"), json!({ "remotes": [prod] }).to_string()).expect("remotes");
        let variables = vec![
            ("CASE", at(&format!("of{HOSTILE}.case"))),
            ("LOG", log),
            ("TEXT", text),
            ("MISSING", at(&format!("missing{HOSTILE}"))),
            ("EMPTY", empty),
            ("RULE", rule),
            ("CALLS", at("calls")),
            ("TIMBERLINE_HOME", at("home")),
            ("HOSTILE", PathBuf::from(HOSTILE)),
            ("TIMBERLINE", programs::timberline()),
        ];
        Hostile { folder, variables }
    }

    fn path(&self, variable: &str) -> &Path {
        let found = self.variables.iter().find(|(name, _)| *name == variable);
        &found.expect("a variable of this name").1
    }

    /// Everything that a command sends to its terminal.
    fn on_terminal(&self, arguments: &str) -> String {
        let mut child = Command::new("script")
            .args(["-qec", &format!("\"$TIMBERLINE\" {arguments}"), "/dev/null"])
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .current_dir(self.folder.path())
            // Open until the command has ended: `script` sends an end of input, which the terminal would echo.
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("script starts");
        let mut bytes = Vec::new();
        child.stdout.take().expect("a pipe").read_to_end(&mut bytes).expect("its output");
        child.wait().expect("it ends");
        String::from_utf8(bytes).expect("a terminal gets only whole characters")
    }
}

/// Characters that drive a terminal or hide text from its reader, beyond those that the program itself sends: line ends
/// of the terminal, and the start of a line of progress.
fn controls(output: &str) -> BTreeSet<char> {
    let data = output.replace("\r\n", "\n").replace("\r\u{1b}[2K", "");
    let is_control = |letter: &char| {
        letter.is_control() && !matches!(letter, '\n' | '\t')
            || matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    data.chars().filter(is_control).collect()
}

fn has_script() -> bool {
    let version = Command::new("script").arg("--version").output();
    let is_known = version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("util-linux"));
    if !is_known {
        report::skipped("there is no `script` of util-linux here, which gives a command a terminal");
    }
    is_known
}

#[test]
fn no_command_sends_control_characters_of_data_to_a_terminal() {
    if !has_script() {
        return;
    }
    let hostile = Hostile::new();
    let mut failed = Vec::new();
    for (_, arguments) in COMMANDS {
        let output = hostile.on_terminal(arguments);
        let found = controls(&output);
        let is_shown = output.contains('␛') || output.contains("‹U+");
        if !found.is_empty() || !is_shown {
            failed.push(format!("{arguments}: {found:?} in {output:?}"));
        }
    }
    assert!(failed.is_empty(), "\n{}\n", failed.join("\n\n"));
}

#[test]
fn hostile_text_is_tried_with_every_command() {
    let help = Command::new(programs::timberline()).arg("--help").output().expect("it runs").stdout;
    let help = String::from_utf8(help).expect("text");
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed = listed.take_while(|line| !line.is_empty()).filter_map(|line| {
        let name = line.strip_prefix("  ")?.split(' ').next()?;
        (!name.is_empty()).then_some(name)
    });
    let tried = COMMANDS.iter().map(|(name, _)| *name);
    assert_eq!(listed.collect::<BTreeSet<_>>(), tried.collect::<BTreeSet<_>>());
}

#[test]
fn a_pipe_gets_data_unchanged() {
    let hostile = Hostile::new();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(programs::timberline());
        command.args(arguments).arg(hostile.path("CASE"));
        command.env("TIMBERLINE_HOME", hostile.path("TIMBERLINE_HOME"));
        command
    };
    let imported = run(&["import"]).arg(hostile.path("TEXT")).output().expect("it runs");
    assert!(imported.status.success(), "{imported:?}");
    let raw = run(&["query", "--format", "raw"]).arg("*").output().expect("it runs").stdout;
    assert_eq!(raw, fs::read(hostile.path("TEXT")).expect("the log"));
    let info = run(&["info"]).output().expect("it runs").stdout;
    assert!(String::from_utf8(info).expect("text").contains(&format!("text{HOSTILE}.log")));
}
