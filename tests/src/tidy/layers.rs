//! Which Rust crate may name which: `cli`, `src-tauri` → `wire` → `detect` → `indexer` → `engine` → `store`, `query`,
//! `patterns` → `base` → `ingest`, and `cli`, `wire` → `receive` → `indexer`, `cli` → `remote` → `indexer`.

/// Files below `place`, but not below `except`, may not name crates or modules that begin with `names`.
struct Rule {
    place: &'static str,
    except: &'static [&'static str],
    names: &'static [&'static str],
    why: &'static str,
}

const RULES: &[Rule] = &[
    Rule {
        place: "ingest/",
        except: &[],
        names: &["indexer", "wire", "polars", "tantivy", "tauri", "axum"],
        why: "ingest turns bytes into events and knows nothing of storage, queries or screens",
    },
    Rule {
        place: "indexer/",
        except: &[],
        names: &["wire", "tauri", "axum", "clap"],
        why: "the engine knows none of its hosts",
    },
    Rule {
        place: "detect/",
        except: &[],
        names: &["ingest", "wire", "tauri", "axum", "clap", "polars", "tantivy"],
        why: "detectors build on the engine's façade and know none of its hosts",
    },
    Rule {
        place: "indexer/base/",
        except: &[],
        names: &["query", "patterns", "store", "engine", "indexer", "polars", "tantivy"],
        why: "the shared ground knows nothing above it",
    },
    Rule {
        place: "indexer/query/",
        except: &[],
        names: &["ingest", "patterns", "store", "engine", "indexer", "polars", "tantivy"],
        why: "the language knows no engine",
    },
    Rule {
        place: "indexer/patterns/",
        except: &[],
        names: &["ingest", "query", "store", "engine", "indexer", "polars", "tantivy"],
        why: "patterns are mined from text alone",
    },
    Rule {
        place: "indexer/store/",
        except: &[],
        names: &["query", "engine", "indexer"],
        why: "what is on disk knows no question",
    },
    Rule {
        place: "indexer/engine/",
        except: &["indexer/engine/src/test_case.rs", "indexer/engine/Cargo.toml"],
        names: &["indexer"],
        why: "the engine answers over a snapshot and knows no writer; only its tests write a case",
    },
    Rule {
        place: "indexer/src/",
        except: &["indexer/src/export/"],
        names: &["polars", "tantivy"],
        why: "only the crates store and engine, and export/, name polars or tantivy",
    },
    Rule {
        place: "receive/",
        except: &[],
        names: &["wire", "tauri", "axum", "clap", "polars", "tantivy", "ingest"],
        why: "what receives builds on the engine's façade and knows no screen",
    },
    Rule {
        place: "remote/",
        except: &[],
        names: &["wire", "tauri", "axum", "clap", "polars", "tantivy", "ingest"],
        why: "what asks clusters builds on the engine's façade and knows no screen",
    },
    Rule {
        place: "",
        // Tests serve a cluster with a certificate.
        except: &["remote/", "Cargo.toml", "tests/Cargo.toml", "tests/tests/cluster/tls.rs"],
        names: &["ureq", "rustls", "reqwest"],
        why: "only the crate remote opens connections to other machines",
    },
    Rule {
        place: "src-tauri/wire/",
        except: &[],
        names: &["tauri", "axum", "polars", "tantivy"],
        why: "the contract is served by any host and uses the engine's façade",
    },
    Rule {
        place: "src-tauri/",
        except: &["src-tauri/wire/"],
        names: &["indexer", "detect", "receive", "ingest", "polars", "tantivy", "axum"],
        why: "the window hosts wire and adds no behaviour",
    },
    Rule {
        place: "cli/",
        except: &[],
        names: &["tauri", "polars", "tantivy"],
        why: "the command uses the engine's façade",
    },
];

/// The folders that the rules are about.
pub fn places() -> impl Iterator<Item = &'static str> {
    let named = RULES.iter().flat_map(|rule| std::iter::once(rule.place).chain(rule.except.iter().copied()));
    named.filter(|place| !place.is_empty())
}

/// Names in a Rust file, `crate::module` among them, that its place forbids.
#[must_use]
pub fn rust(path: &str, text: &str) -> Vec<String> {
    let named: Vec<String> = text.lines().flat_map(|line| named_in(code_of(line))).collect();
    findings(path, &named)
}

/// Dependencies in a `Cargo.toml` that its place forbids.
#[must_use]
pub fn manifest(path: &str, text: &str) -> Vec<String> {
    let mut named = Vec::new();
    let mut in_dependencies = false;
    for line in text.lines() {
        if line.starts_with('[') {
            in_dependencies = line.trim_end().ends_with("dependencies]");
        } else if in_dependencies && let Some(name) = line.split(['.', ' ', '=']).next() {
            named.push(name.to_owned());
        }
    }
    // A manifest holds for all of its crate, so the rules for single folders say nothing about it.
    let place = path.trim_end_matches("Cargo.toml");
    findings(&format!("{place}Cargo.toml"), &named)
}

fn findings(path: &str, named: &[String]) -> Vec<String> {
    let applies = |rule: &&Rule| {
        path.starts_with(rule.place) && !rule.except.iter().any(|except| path.starts_with(except))
    };
    let mut found = Vec::new();
    for rule in RULES.iter().filter(applies) {
        for name in named.iter().filter(|name| rule.names.iter().any(|begin| begins(name, begin))) {
            found.push(format!("{path} names `{name}`: {}", rule.why));
        }
    }
    found.dedup();
    found
}

/// `polars` begins `polars_core` and `tauri-build`'s relatives, but not `wirecutter` where `wire` is meant.
fn begins(name: &str, begin: &str) -> bool {
    name.strip_prefix(begin).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
}

fn code_of(line: &str) -> &str {
    line.split_once("//").map_or(line, |(code, _comment)| code)
}

/// Crates a line names: the first segment of every path, or two segments of a path in this crate.
fn named_in(line: &str) -> Vec<String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    let mut names = Vec::new();
    for word in line.split(|c: char| !is_name(c)) {
        let mut segments = word.trim_start_matches("::").split("::");
        let (Some(first), Some(second)) = (segments.next(), segments.next()) else { continue };
        names.push(if first == "crate" { format!("crate::{second}") } else { first.to_owned() });
    }
    // `use tantivy;` and `extern crate tantivy;` are paths of one segment.
    for start in ["use ", "extern crate "] {
        if let Some(rest) = line.trim_start().trim_start_matches("pub ").strip_prefix(start) {
            names.extend(rest.split([';', ' ', ':']).next().map(ToOwned::to_owned));
        }
    }
    names
}
