//! The rules of the house, checked on the project's own files. Each checker is first shown to find
//! something, because a check that cannot fail proves nothing.

use timberline_tests::files::{self, TextFile};
use timberline_tests::tidy::{dependencies, destructive, documents, layers, modules, size, types, words};

/// How many files may be longer than `size::LONGEST_LINES`. This number only falls.
const LONG_FILES: usize = 0;

fn check(extensions: &[&str], checker: impl Fn(&TextFile) -> Vec<String>) {
    let findings: Vec<String> = files::with_extensions(extensions).iter().flat_map(checker).collect();
    assert!(findings.is_empty(), "\n{}\n", findings.join("\n"));
}

fn project_file(name: &str) -> String {
    std::fs::read_to_string(files::root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn rust_layers_point_one_way() {
    check(&["rs"], |file| layers::rust(&file.path, &file.text));
    check(&["toml"], |file| layers::manifest(&file.path, &file.text));
}

#[test]
fn rust_layer_check_finds() {
    let found = |path: &str, text: &str| layers::rust(path, text).len();
    assert_eq!(found("ingest/src/lib.rs", "use polars_core::prelude::*;"), 1);
    assert_eq!(found("ingest/src/lib.rs", "let x = indexer::Case::open(path);"), 1);
    assert_eq!(found("indexer/src/import/mod.rs", "use tantivy;"), 1);
    assert_eq!(found("indexer/store/src/text/mod.rs", "use tantivy::Index;"), 0);
    assert_eq!(found("indexer/query/src/lib.rs", "use engine::exec::Rows;"), 1);
    assert_eq!(found("indexer/query/src/lib.rs", "use base::limits::QUERY_DEPTH;"), 0);
    assert_eq!(found("indexer/src/lib.rs", "fn f(x: wire::Command) {}"), 1);
    assert_eq!(found("src-tauri/wire/src/lib.rs", "use tauri::State;"), 1);
    assert_eq!(found("src-tauri/src/main.rs", "use tauri::State; // not indexer::Case"), 0);
    assert_eq!(found("src-tauri/src/main.rs", "    indexer::Case::open(path)"), 1);
    let manifest = "[package]\nname = \"x\"\n\n[dev-dependencies]\npolars-core.workspace = true\n";
    assert_eq!(layers::manifest("ingest/Cargo.toml", manifest).len(), 1);
    assert_eq!(layers::manifest("indexer/Cargo.toml", manifest).len(), 0);
}

/// The largest knot of modules in the crates that have one. These numbers only fall, to three at most.
const KNOTS: [(&str, usize); 8] = [
    ("ingest", 9),
    ("indexer/base", 2),
    ("indexer/engine", 2),
    ("indexer", 3),
    ("detect", 2),
    ("receive", 3),
    ("remote", 2),
    ("cli", 2),
];

/// The folders of the workspace's crates.
fn members(manifest: &str) -> Vec<&str> {
    let listed = manifest.split_once("members = [").and_then(|(_, rest)| rest.split_once(']'));
    let (names, _) = listed.expect("a list of members");
    names.split(',').map(|name| name.trim().trim_matches('"')).collect()
}

#[test]
fn knots_of_modules_only_become_smaller() {
    let files = files::with_extensions(&["rs"]);
    let manifest = project_file("Cargo.toml");
    let members = members(&manifest);
    let mut wrong = Vec::new();
    for member in &members {
        let root = format!("{member}/src/");
        let of_crate: Vec<(&str, &str)> =
            files.iter().filter_map(|file| Some((file.path.strip_prefix(&root)?, &*file.text))).collect();
        assert!(!of_crate.is_empty(), "{root}");
        let knot = modules::knot(&modules::graph(&of_crate));
        let ceiling = KNOTS.iter().find(|(name, _)| name == member).map_or(0, |(_, ceiling)| *ceiling);
        // Fewer than written fails too, so that the number is lowered with the knot.
        if knot.len() != ceiling {
            let (found, names) = (knot.len(), knot.join(", "));
            wrong.push(format!("(\"{member}\", {found}) is the knot now, not {ceiling}: {names}"));
        }
    }
    wrong.extend(
        KNOTS.iter().filter(|(name, _)| !members.contains(name)).map(|(name, _)| format!("{name} is gone")),
    );
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn module_knot_check_finds() {
    let knot = |root: &str, a: &str, b: &str| {
        let c = "use crate::{x::y, a::Other};";
        modules::knot(&modules::graph(&[
            (root, "pub use c::{d::Cell, Row};"),
            ("a.rs", a),
            ("b/mod.rs", b),
            ("c.rs", c),
        ]))
    };
    assert_eq!(knot("lib.rs", "use crate::b::Some;", "fn f() { crate::Cell }"), ["a", "b", "c"]);
    assert_eq!(knot("main.rs", "use crate::b::Some;", "fn f() { crate::Row }"), ["a", "b", "c"]);
    assert_eq!(knot("lib.rs", "use crate::c::Cell;", "use crate::a::Other;"), ["a", "c"]);
    assert!(knot("lib.rs", "use crate::b::Some;", "// See crate::Cell.").is_empty());
    assert!(knot("lib.rs", "use crate::b::Some;", "#[cfg(test)]\nmod tests { use crate::Cell; }").is_empty());
    assert_eq!(knot("lib.rs", "use crate::b::Some;", "#[cfg(test)]\nmod tests;\nuse crate::Cell;").len(), 3);
    assert_eq!(members("members = [\"a\", \"b/c\"]\n"), ["a", "b/c"]);
}

#[test]
fn every_call_that_can_destroy_something_is_listed() {
    let listed =
        |path: &str| destructive::PLACES.iter().find(|place| place.0 == path).map_or(0, |place| place.1);
    check(&["rs"], |file| {
        let (found, listed) = (destructive::calls(&file.path, &file.text), listed(&file.path));
        let differs = found != listed;
        let path = &file.path;
        differs
            .then(|| format!("{path} has {found} calls that can destroy something, and {listed} listed"))
            .into_iter()
            .collect()
    });
    for (path, ..) in destructive::PLACES {
        assert!(files::root().join(path).is_file(), "{path} is listed and gone");
    }
}

#[test]
fn check_of_calls_that_can_destroy_something_finds() {
    let found = |text: &str| destructive::calls("indexer/src/x.rs", text);
    assert_eq!(found("    fs::remove_dir_all(path)?; // and again\n    let file = File::create(path);"), 2);
    assert_eq!(found("// fs::write(path, text)\nfiles::relocate(from, to)?;"), 1);
    assert_eq!(found("#[cfg(test)]\nmod tests {\n    fs::remove_file(path);\n}"), 0);
    assert_eq!(destructive::calls("tests/src/faults.rs", "fs::remove_file(path)"), 0);
}

/// The folders of all crates with names to find.
const CRATES: [&str; 12] = [
    "ingest/src/",
    "indexer/base/src/",
    "indexer/query/src/",
    "indexer/patterns/src/",
    "indexer/store/src/",
    "indexer/engine/src/",
    "indexer/src/",
    "detect/src/",
    "receive/src/",
    "remote/src/",
    "src-tauri/wire/src/",
    "cli/src/",
];

#[test]
fn names_of_types_are_unique_in_their_crate() {
    let files = files::with_extensions(&["rs"]);
    let mut repeated = Vec::new();
    for root in CRATES {
        let of_crate: Vec<(&str, &str)> =
            files.iter().filter_map(|file| Some((file.path.strip_prefix(root)?, &*file.text))).collect();
        assert!(!of_crate.is_empty(), "{root}");
        repeated.extend(types::repeated(&of_crate).into_iter().map(|finding| format!("{root} {finding}")));
    }
    assert!(repeated.is_empty(), "\n{}\n", repeated.join("\n"));
}

#[test]
fn repeated_type_check_finds() {
    let repeated = |a: &str, b: &str| types::repeated(&[("a.rs", a), ("b/mod.rs", b)]).len();
    assert_eq!(repeated("pub struct Part;", "enum Part { One }"), 1);
    assert_eq!(repeated("pub(crate) struct Part<T>(T);", "trait Part {}"), 1);
    assert_eq!(repeated("struct Part;", "#[cfg(test)]\nmod tests {\nstruct Part;\n}"), 0);
    assert_eq!(repeated("struct Part;", "struct Parts;\nimpl Part {}"), 0);
}

#[test]
fn long_files_only_become_fewer() {
    let sources = files::with_extensions(&["rs", "ts", "svelte", "mjs", "css"]);
    let long: Vec<String> =
        sources.iter().filter_map(|file| size::too_long(&file.path, &file.text)).collect();
    // Fewer than allowed fails too, so that the number is lowered with the files.
    assert_eq!(long.len(), LONG_FILES, "files over {} lines\n{}\n", size::LONGEST_LINES, long.join("\n"));
}

#[test]
fn long_file_check_finds() {
    let long = "line\n".repeat(size::LONGEST_LINES + 1);
    assert!(size::too_long("src/a.ts", &long).is_some());
    assert!(size::too_long("src/ipc/generated.ts", &long).is_none());
    assert!(size::too_long("src/a.ts", "line\n").is_none());
}

#[test]
fn old_words_do_not_come_back() {
    let mut findings = Vec::new();
    for file in files::with_extensions(&["rs", "ts", "svelte", "mjs", "css", "html", "md", "py"]) {
        let counts = words::occurrences(&file.path, &file.text).into_iter();
        for (count, (word, instead)) in counts.zip(words::OLD_WORDS).filter(|(count, _)| *count > 0) {
            findings.push(format!("{}: \"{word}\" {count} times; write: {instead}", file.path));
        }
    }
    for file in files::with_extensions(&["rs"]) {
        let functions = words::old_functions(&file.path, &file.text);
        if functions > 0 {
            findings.push(format!("{}: {functions} functions with a name that says nothing", file.path));
        }
    }
    assert!(findings.is_empty(), "\n{}\n", findings.join("\n"));
}

#[test]
fn old_word_check_finds() {
    let count = |text: &str| words::occurrences("src/a.ts", text).into_iter().sum::<usize>();
    assert_eq!(count("It is told; isTold, is_told and TOLD."), 4);
    assert_eq!(count("What it goes\n// by."), 1);
    assert_eq!(count("untold, tolde"), 0);
    assert_eq!(words::old_functions("src/a.rs", "fn of(a) {} pub fn there<T>() {} fn of_row(a) {}"), 2);
}

/// A check of the documents that people read, which the golden cases are not.
fn check_documents(checker: impl Fn(&TextFile) -> Vec<String>) {
    check(&["md"], |file| if file.path.starts_with("tests/cases/") { Vec::new() } else { checker(file) });
}

#[test]
fn documents_begin_with_a_sentence() {
    check_documents(|file| documents::opening(&file.path, &file.text).into_iter().collect());
}

#[test]
fn opening_check_finds() {
    let is_prose = |text: &str| documents::opening("docs/a.md", text).is_none();
    assert!(is_prose("# Page\n\nThis page says\nwhat it does:\n\n```\ncode\n```\n"));
    assert!(is_prose("<h1 class=\"a\">Page</h1>\n<p>It is a <b>workbench</b>.</p>\n"));
    assert!(!is_prose("# Page\n\n`.|`. This page is made from tables.\n"));
    assert!(!is_prose("# Page\n\n```\nIt is not prose.\n```\n"));
    assert!(!is_prose("# Page\n\n| A table | is not prose |\n"));
    assert!(!is_prose("# Page\n\n- A list is not prose.\n"));
    assert!(!is_prose("# Page\n\n## A heading is not prose.\n"));
    assert!(!is_prose("# Page\n\nA few words.\n"));
    assert!(!is_prose("# Page\n\nThis sentence is cut off\n\nhere.\n"));
    assert!(!is_prose("# Page\n"));
}

#[test]
fn documents_name_files_that_exist() {
    let exists = |name: &str| files::root().join(name).is_file();
    check_documents(|file| documents::dead_references(&file.path, &file.text, exists));
}

#[test]
fn document_check_finds() {
    let exists = |name: &str| name == "docs/wording.md";
    let dead = |text: &str| documents::dead_references("docs/a.md", text, exists).len();
    assert_eq!(dead("See `indexer/src/gone.rs`."), 1);
    assert_eq!(dead("See `docs/wording.md` and `lib.rs`."), 0);
    assert_eq!(dead("```\n`indexer/src/gone.rs`\n```"), 0);
}

#[test]
fn rules_name_places_that_exist() {
    let places = layers::places();
    let places = places.chain(size::GENERATED.iter().copied()).chain(words::NOT_OURS.iter().copied());
    let dead: Vec<&str> = places.filter(|place| !files::root().join(place).exists()).collect();
    assert!(dead.is_empty(), "rules name what is not there: {dead:?}");
    for settings in ["eslint.config.js", "scripts/screen-rules.mjs"] {
        let exists = |name: &str| files::root().join(name).exists();
        let dead = documents::dead_settings(settings, &project_file(settings), exists);
        assert!(dead.is_empty(), "\n{}\n", dead.join("\n"));
    }
}

#[test]
fn settings_check_finds() {
    let dead = |text: &str| documents::dead_settings("a.js", text, |name| name == "src/a.ts").len();
    assert_eq!(dead("ignores: ['src/a.ts', 'src/gone.ts', '**/*.test.ts', './a.js']"), 1);
}

#[test]
fn every_dependency_is_explained() {
    let mut used = dependencies::of_cargo(&project_file("Cargo.toml"));
    used.extend(dependencies::of_npm(&project_file("package.json")));
    let findings = dependencies::unexplained(&used, &project_file("docs/dependencies.md"));
    assert!(findings.is_empty(), "docs/dependencies.md:\n{}\n", findings.join("\n"));
}

#[test]
fn dependency_check_finds() {
    let cargo =
        "[workspace.dependencies]\nown = { path = \"own\" }\nanyhow = \"1\"\n\n[profile.dev]\nx = 1\n";
    let used = dependencies::of_cargo(cargo);
    assert_eq!(used.iter().collect::<Vec<_>>(), ["anyhow"]);
    assert_eq!(dependencies::unexplained(&used, "| `anyhow` | errors | small |").len(), 0);
    assert_eq!(dependencies::unexplained(&used, "| `serde` | data | known |").len(), 2);
    let npm = r#"{"dependencies": {"a": "1"}, "devDependencies": {"b": "1"}}"#;
    assert_eq!(dependencies::of_npm(npm).len(), 2);
}

#[test]
fn crates_declare_no_dependency_that_they_do_not_name() {
    let code = files::with_extensions(&["rs"]);
    let manifests = files::with_extensions(&["toml"]);
    let mut found = Vec::new();
    // Fuzz targets include files of the tests, with what those name.
    let is_crate = |file: &&TextFile| file.path.ends_with("/Cargo.toml") && !file.path.contains("/fuzz/");
    for manifest in manifests.iter().filter(is_crate) {
        let folder = manifest.path.trim_end_matches("Cargo.toml");
        let own = |file: &&TextFile| {
            let below = file.path.strip_prefix(folder).unwrap_or_default();
            ["src/", "tests/", "examples/", "build.rs"].iter().any(|part| below.starts_with(part))
        };
        let code: String = code.iter().filter(own).map(|file| file.text.as_str()).collect();
        found.extend(
            dependencies::unused(&manifest.text, &code).iter().map(|name| format!("{folder}: {name}")),
        );
    }
    // The feature of itself that turns on what a test of its own needs.
    found.retain(|name| name != "src-tauri/wire/: timberline-wire");
    assert!(found.is_empty(), "no code names {found:?}");
}

#[test]
fn check_of_unused_dependencies_finds() {
    let manifest = "[package]\nname = \"x\"\n\n[dependencies]\nserde-json.workspace = true\nzstd = \"1\"\n";
    assert_eq!(dependencies::unused(manifest, "use serde_json::Value;").len(), 1);
    assert_eq!(
        dependencies::unused(manifest, "zstd::decode(x); not_serde_json::y(); // serde_json").len(),
        1
    );
    assert_eq!(dependencies::unused("[features]\na = []\n", "").len(), 0);
}

#[test]
fn locked_packages_have_checksums_and_known_licences_and_run_nothing() {
    let crates = dependencies::unchecked_crates(&project_file("Cargo.lock"));
    let packages = dependencies::unchecked_packages(&project_file("package-lock.json"));
    assert!(crates.is_empty() && packages.is_empty(), "{crates:?} {packages:?}");
    let unlicensed = dependencies::unlicensed(
        &tree("{p}\t{l}", &["--workspace", "--edges", "normal,build,dev"]),
        &project_file("deny.toml"),
    );
    assert!(unlicensed.is_empty(), "deny.toml allows the licences of none of {unlicensed:#?}");
}

#[test]
fn lock_check_finds() {
    let source = "source = \"registry+https://github.com/rust-lang/crates.io-index\"\nchecksum = \"ab\"\n";
    let lock = format!("[[package]]\nname = \"serde\"\n{source}[[package]]\nname = \"timberline-cli\"\n");
    assert_eq!(dependencies::unchecked_crates(&lock).len(), 0);
    let rules = "[licenses]\nallow = [\"MIT\", \"Apache-2.0\"]\nexceptions = [\n    { name = \"b\", allow = [\"MPL-2.0\"] },\n]\n";
    let fine = "a v1\tGPL-3.0 OR MIT\nb v1\tMPL-2.0\nc v1\t(MIT/GPL-3.0) AND Apache-2.0\n\nours v1 (/x)\t";
    assert_eq!(dependencies::unlicensed(fine, rules), [""; 0]);
    for wrong in ["a v1\tGPL-3.0", "a v1\tMPL-2.0", "a v1\tMIT AND GPL-3.0", "a v1\t"] {
        assert_eq!(dependencies::unlicensed(wrong, rules), [wrong]);
    }
    let other = lock.replace("serde", "a").replace("github.com/rust-lang", "elsewhere.example");
    assert_eq!(dependencies::unchecked_crates(&other), ["\"a\""]);
    let found = |package: &str| {
        let lock = format!("{{\"packages\": {{\"\": {{}}, \"node_modules/a\": {package}}}}}");
        dependencies::unchecked_packages(&lock).len()
    };
    assert_eq!(found(r#"{"integrity": "sha512-x", "license": "MIT"}"#), 0);
    assert_eq!(found(r#"{"integrity": "sha512-x", "license": "AGPL-3.0"}"#), 1);
    assert_eq!(found(r#"{"license": "MIT"}"#), 1);
    assert_eq!(found(r#"{"integrity": "sha512-x", "license": "MIT", "hasInstallScript": true}"#), 1);
}

/// The list of `cargo tree`, a package a line.
fn tree(format: &str, arguments: &[&str]) -> String {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let listed = std::process::Command::new(cargo)
        .args(["tree", "--offline", "--prefix", "none", "--format", format])
        .args(arguments)
        .current_dir(files::root())
        .output()
        .expect("cargo can be run");
    assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
    String::from_utf8_lossy(&listed.stdout).into_owned()
}

/// Libraries that connect to other machines.
const CLIENTS: [&str; 7] =
    ["reqwest", "object_store", "ureq", "hyper-rustls", "native-tls", "rustls", "quinn"];

#[test]
fn only_the_crate_remote_speaks_to_other_machines() {
    // Cargo.lock names what features that are off would bring; the tree has what is built.
    let built = tree("{p} {f}", &["--workspace", "--edges", "normal,build"]);
    assert!(!dependencies::named(&built, &["polars"]).is_empty(), "the tree is not read:\n{built}");
    assert_eq!(dependencies::named(&built, &CLIENTS), ["ureq", "rustls"]);
    let linking = |client: &str| {
        let users = tree("{p} {f}", &["--workspace", "--edges", "normal,build", "--invert", client]);
        let ours = users.lines().filter_map(|line| line.split_whitespace().next());
        let mut ours: Vec<String> =
            ours.filter(|name| name.starts_with("timberline")).map(str::to_owned).collect();
        ours.sort();
        ours.dedup();
        ours
    };
    for client in ["ureq", "rustls"] {
        // The contract opens clusters like cases, so both of its hosts link it.
        let hosts = ["timberline-cli", "timberline-desktop", "timberline-remote", "timberline-wire"];
        assert_eq!(linking(client), hosts, "{client}");
    }
    // TypeScript is written by a test; its feature is on there alone.
    assert!(dependencies::named(&built, &["ts-rs"]).is_empty(), "a program is built with ts-rs");
    assert!(
        !dependencies::named(&tree("{p} {f}", &["--workspace"]), &["ts-rs"]).is_empty(),
        "the tests have ts-rs"
    );
}

#[test]
fn tests_compile_no_dependency_of_the_programs_again() {
    let programs = tree("{p} {f}", &["--workspace", "--edges", "normal,build"]);
    let other = dependencies::with_other_features(&programs, &tree("{p} {f}", &["--workspace"]));
    assert!(other.is_empty(), "move features of dev-dependencies to Cargo.toml of the workspace: {other:?}");
}

#[test]
fn feature_check_finds() {
    let programs = "own v0.1.0 (/own) \nlz4 v1.0.0 std\nsyn v2.0.0 (proc-macro) full (*)\nlog v0.4.0 \n";
    let tests =
        "own v0.1.0 (/own) ts\nlz4 v1.0.0 encode,std\nsyn v2.0.0 (proc-macro) full\nlog v0.4.0 \nnew v1.0.0 ";
    assert_eq!(dependencies::with_other_features(programs, tests), ["lz4 v1.0.0"]);
}

#[test]
fn client_check_finds() {
    let tree = "polars v0.55.2\nreqwest v0.12.28\nreqwest-middleware v1.0.0\nreqwest v0.12.28 (*)\n";
    assert_eq!(dependencies::named(tree, &["reqwest", "ureq"]), ["reqwest"]);
}
