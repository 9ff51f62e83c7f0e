//! Compiles arbitrary definitions and reads with them: the first byte chooses how the source is cut, the
//! second the kind of pattern, then follow the pattern up to a line end and the source.
#![no_main]

mod reading;
#[path = "../../tests/sample_lines/mod.rs"]
mod sample_lines;

use std::path::Path;
use std::sync::Arc;

use ingest::Options;
use ingest::custom::load_text;
use libfuzzer_sys::fuzz_target;
use sample_lines::SAMPLE_LINES;

/// A definition around a pattern; the last are whole files.
const KINDS: &[&str] = &["grok", "regex", "dissect", "start", "tag", "file"];

fuzz_target!(init: write_seeds(), |bytes: &[u8]| {
    let [chunk_bytes, kind, bytes @ ..] = bytes else { return };
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let kind = KINDS[usize::from(*kind) % KINDS.len()];
    let (pattern, source) = match kind {
        "file" => text.split_once("\n\n\n"),
        _ => text.split_once('\n'),
    }
    .unwrap_or((text, ""));
    let quoted = format!("{pattern:?}").replace("\\'", "'").replace("\\0", "\\u0000");
    // How Rust writes a character that does not show, TOML reads with as many digits as it likes.
    let definition = match kind {
        "start" => format!("name = \"x\"\ngrok = \"%{{GREEDYDATA:message}}\"\nstart = {quoted}\n"),
        "tag" => format!(
            "name = \"x\"\ngrok = \"%{{WORD:a}} %{{NUMBER:b:int}}\"\ntags = [{{ tag = \"t\", if = {quoted} }}]\n"
        ),
        "file" => pattern.to_string(),
        kind => format!("name = \"x\"\n{kind} = {quoted}\n"),
    };
    let Ok(definitions) = load_text(&definition, Path::new("x.toml")) else { return };
    for definition in definitions {
        let format = Some(definition.name.clone());
        let options = Options { format, definitions: vec![Arc::new(definition)], ..Options::default() };
        reading::check(source.as_bytes(), &options, usize::from(*chunk_bytes) + 1);
    }
});

const PATTERNS: &[(u8, &str)] = &[
    (
        0,
        "%{MONTH:month} %{NUMBER:date} %{TIME:time} %{URIHOST:sender} %{WORD:word} %{NUMBER:n:int} %{WORD:salt}",
    ),
    (0, "%{COMBINEDAPACHELOG}"),
    (0, "%{SYSLOGTIMESTAMP:timestamp} %{SYSLOGHOST:host} %{SYSLOGPROG}: %{GREEDYDATA:message}"),
    (0, "(?<a>\\w+)=%{QS:b}|%{IPORHOST:c}:%{POSINT:d}"),
    (1, "^(?<time>\\S+ \\S+) (?<level>[A-Z]+) (?P<message>.*)$"),
    (1, "(?<a>a+)+(?=b)(?<!c)\\k<a>|(?i:x{2,5}?)[^\\d\\]-]"),
    (2, "%{time} %{+time} [%{level}] %{a->} %{?b} %{&b} %{message}"),
    (3, "^\\d{4}-%{MONTHNUM}"),
    (4, "b > 90 and not (a == 'x' or a =~ /y+/)"),
    (
        5,
        "name = \"y\"\nregex = '(?<time>\\S+) (?<level>\\w+) (?<n>\\d+)'\nzone = \"Europe/Berlin\"\n[time]\nfrom = \"time\"\nformat = \"%d/%b/%Y:%H:%M:%S %z\"\n[level]\nfrom = \"level\"\nmap = { W = \"warn\" }\n[fields.n]\ntype = \"int\"\n",
    ),
    (
        5,
        "{\"y\": {\"title\": \"y\", \"regex\": {\"a\": {\"pattern\": \"^(?<timestamp>\\\\S+) (?<body>.*)$\"}}, \"timestamp-format\": [\"%Y-%m-%d\"], \"level-field\": \"body\", \"level\": {\"error\": \"E\"}, \"value\": {\"body\": {\"kind\": \"string\"}}}}",
    ),
    (5, "LINE %{WORD:a} %{NUM:b}\nNUM [0-9]+"),
];

fn write_seeds() {
    for (index, (kind, pattern)) in PATTERNS.iter().enumerate() {
        let end = if *kind == 5 { "\n\n\n" } else { "\n" };
        for (part, lines) in SAMPLE_LINES.chunks(20).enumerate() {
            let text = format!("{pattern}{end}{}", lines.join("\n"));
            reading::seed(&format!("{index}-{part}"), &[&[40, *kind], text.as_bytes()]);
        }
    }
}
