//! The page of the language, `docs/language.md`, made from the tables that the parser and completion read.

use std::fmt::Write;

use super::ecs;
use super::functions::{Aggregation, Described, Function};
use super::levels::LEVELS;
use super::stages::StageName;

/// A clause of the filter language as people write it, and what it finds.
pub struct ClauseSyntax {
    pub examples: &'static [&'static str],
    pub summary: &'static str,
}

/// Every clause that a filter can have.
pub const CLAUSES: &[ClauseSyntax] = &[
    ClauseSyntax { examples: &["timeout"], summary: "events with this word" },
    ClauseSyntax { examples: &["\"connection reset\""], summary: "these words, one after the other" },
    ClauseSyntax {
        examples: &["\"connection peer\"~3"],
        summary: "these words in this order, with at most so many others between them in all",
    },
    ClauseSyntax {
        examples: &["timout~", "timout~2", "message:timout~"],
        summary: "words that one edit leads to, or two: a letter more, less or other, or two neighbours swapped. Only words are looked at, which have no digits and at most 40 bytes",
    },
    ClauseSyntax { examples: &["*imeou*"], summary: "this text anywhere, inside of words too" },
    ClauseSyntax {
        examples: &["tim*", "w?rker"],
        summary: "words that begin so; `?` is one character. Of a field the whole value must fit",
    },
    ClauseSyntax {
        examples: &["/time(d )?out/i", "path:/^\\/api\\/v\\d+/"],
        summary: "a regular expression matches somewhere; `i` for any case. `/` within it is written `\\/`",
    },
    ClauseSyntax {
        examples: &["10.0.0.7"],
        summary: "these tokens in a row: an address is found as it is written",
    },
    ClauseSyntax {
        examples: &["status:500"],
        summary: "a field with this value; text fields match by words",
    },
    ClauseSyntax { examples: &["status:(404 OR 500)", "method:(GET HEAD)"], summary: "any of these values" },
    ClauseSyntax { examples: &["user:*"], summary: "events that have this field" },
    ClauseSyntax {
        examples: &["status>=400", "bytes>10kb", "duration_ms<0.25s"],
        summary: "comparison, also `=`, `!=`, `>`, `<=`; numbers may have a unit. `=` compares the whole text, with its case, but takes `*` and `?`",
    },
    ClauseSyntax {
        examples: &["bytes:[1kb TO 1MiB]", "status:{400 TO 500}", "bytes:[1 TO *]"],
        summary: "between two values, with the ends `[ ]` or without them `{ }`; `*` leaves an end open",
    },
    ClauseSyntax { examples: &["client_ip:10.0.0.0/8"], summary: "addresses of a network" },
    ClauseSyntax { examples: &["level>=warn", "level:(warn OR error)"], summary: "levels in their order" },
    ClauseSyntax { examples: &["source:access.log"], summary: "events of this file" },
    ClauseSyntax {
        examples: &["is:starred", "is:(tagged OR commented)", "is:noted"],
        summary: "events that people marked so; `noted` is any of a star, a tag and a comment",
    },
    ClauseSyntax {
        examples: &["tag:evidence", "tag:\"root cause\"", "tag:*", "-tag:done"],
        summary: "events that people tagged so; see below",
    },
    ClauseSyntax {
        examples: &["time>=2026-03-01T14:05", "time:yesterday", "time:[now-1h TO now]"],
        summary: "times; see below",
    },
    ClauseSyntax {
        examples: &["a AND b", "a OR b", "NOT a", "-a", "(a OR b) c"],
        summary: "AND binds tighter than OR; AND may be left out",
    },
];

/// How a time can be written.
pub(super) const TIMES: &[(&str, &str)] = &[
    (
        "2024",
        "a year; so do `2024-05` and `2024-05-01` name a month and a day, `2024-05-01T14` an hour, and so on to the nanosecond",
    ),
    ("@2024-05-01T14:05", "the same; in `where` and `eval` a time begins with `@`"),
    (
        "2024-05-01T14:05:09+02:00",
        "in this zone; without one in that of the screen or of `--zone`, which is UTC at first",
    ),
    (
        "1714572300",
        "seconds since 1970, or milli-, micro- or nanoseconds by their digits; `time:1714572300` asks for the minute around it",
    ),
    (
        "14:05",
        "on the day of now, or the day before if that would be later; in the time picker on a day in view",
    ),
    ("Mar 3 14:05", "without a year: the last one before now"),
    ("03/Mar/2026:14:05:00 +0000", "as access logs, mails and `date` write it, in brackets or not"),
    ("last 15 minutes", "`past hour`, `15 minutes ago` too"),
    ("now", "the time of the last event"),
    ("now-15m", "so long before; `time:now-15m` asks for the time from then on, as `time:15m` does"),
    ("now/d", "the day of now; units are `s m h d w mo q y`"),
    ("-1h@h", "Splunk's way to write `now-1h/h`"),
    ("today", "`yesterday` and `tomorrow` too"),
];

/// What follows the table of times.
const AFTER_TIMES: &str = "
Two times are a range: `time:\"14:05 to 14:10\"`, `time:2026-03-01/2026-03-02`. Put what has spaces or colons in quotation
marks. The time picker and *Go to a time* take the same, and a test on the time, `time>14:05`. A time with a length
is a range too: `around 14:05` is five minutes before and after it, `14:05 ±90s` has another margin, and durations of
ISO 8601 begin or end at a time: `14:05/PT15M`, `P1D/2026-03-02`; alone they end now. A time that is pasted alone into the
query bar is offered as a clause.
";

/// Spellings of other tools and what they become.
pub const OTHER_TOOLS: &[(&str, &str)] = &[
    ("a && b || !c", "a AND b OR NOT c"),
    ("status==500", "status=500"),
    ("path=/api/*", "path:\\/api\\/*"),
    ("_exists_:user", "user:*"),
    ("status IN (404, 500)", "status:(404 OR 500)"),
    ("status:in(404, 500)", "status:(404 OR 500)"),
    ("bytes:range(1, 5]", "bytes:{1 TO 5]"),
    ("user:=root", "user=root"),
    ("user:!root", "NOT user:root"),
    ("path:re(\"cart|order\")", "path:/cart|order/"),
    ("path=~\"cart|order\"", "path:/cart|order/"),
    ("path:~\"cart|order\"", "path:/cart|order/"),
    ("client_ip:ipv4_range(\"10.0.0.0/8\")", "client_ip:10.0.0.0/8"),
    ("* | head 5", "* | limit 5"),
    ("* | fields - a", "* | drop a"),
    ("* | stats dc(user) by host", "* | stats count_distinct(user) by host"),
    ("* | stats by (host) count()", "* | stats count by host"),
    ("* | extend a = 1", "* | eval a = 1"),
    ("* | streamstats sum(x) as s by k", "* | window s = running_sum(x) by k"),
    ("* | eventstats avg(x) as m by k", "* | window m = group_avg(x) by k"),
    ("* | bin _time span=5m", "* | eval _time = bin(_time, 5m)"),
    ("* | chart count over host by status", "* | pivot count on status by host"),
    ("* | chart avg(x) by host", "* | stats avg(x) by host"),
    ("* | rex field=m mode=sed \"s/a(b)/\\1/g\"", "* | eval m = replace(m, \"a(b)\", \"${1}\")"),
    ("* | regex path=\"^/v\\d+\"", "* | where path =~ /^\\/v\\d+/"),
    ("* | where like(path, \"/api/%\")", "* | where path like \"/api/*\""),
    ("* | where match(path, \"/v\\d+\")", "* | where path =~ /\\/v\\d+/"),
    ("* | eval x = case(a>1, 2, true(), 3)", "* | eval x = case(a > 1, 2, true, 3)"),
    ("* | join type=left host (error)", "* | join left on host (error)"),
];

const HEAD: &str = "\
# The language

Queries find events with a filter and work on them in stages, each after a `|`. \
This page is made from the tables that the parser and completion read; `npm run bless` writes it.

## Filters

Clauses next to each other must all be true. Words match whole tokens in any case: letters, digits and `_` make a token, all
else separates.

| write | to find |
|---|---|
";

const AFTER_CLAUSES: &str = "
`\\` takes the next character as it is; before a letter or a digit it is a plain backslash (`\"C:\\Users\"`). In the stages of a
pipe only `\\\\` and `\\\"` are escapes, so that `\"\\d+\\.\"` is a regular expression. `!=` holds for events that have the field
with another value; `NOT field=value` also holds for those without it. A field that no event has is an error with the nearest
name as a hint, because it is usually a slip of the finger; so are a time, a level or a number that cannot be one.

Where nothing matches, words of the filter that no event has are named with the nearest ones that events have, in every part of
the screen that is empty for it; a click takes one of them instead. Those, and the
words that completion offers, come from the text indexes: nothing is said of words while a segment has none yet. Words are
tokens without digits; counts of them are exact. `timberline words CASE tim` prints them, and `timberline words CASE --of QUERY`
those that distinguish the matching events from all others, with their counts among both: candidates are found in 16,384 events that
are spread over each, and counted in all. On the screen they are part of a comparison: see [compare.md](compare.md).

`timberline query CASE QUERY --explain`, or *Explain* below the query bar, shows how a query was answered. For each clause you see:

- how many events it left of those before it;
- how they were found: from the text index, the distinct values of a field, the order of time, or by reading text;
- how much text was read, and how long it took;
- the words that a wildcard, a regular expression or a fuzzy word matches.

For that, the filter is answered once more, without the help of earlier answers.

`--sort relevance`, or \"Best match first\" on the screen, lists first the events with more of what the filter looks for in
their text. Each word, phrase and pattern weighs `ln(1 + (N - n + 0.5) / (n + 0.5))`, N being all events and n those that have it,
as in BM25; events alike are in the order of time. A field that is called `relevance` is meant before.

Units of sizes are `b kb mb gb tb` (powers of 1000) and `KiB MiB GiB TiB` (of 1024), of durations `ns us ms s m h d w mo q y`.
A number with a unit is turned into the unit of the field, which its name tells: `duration_ms`, `heap_bytes`.

Conditions on notes see the notes of this moment, and stand in the filter before the first stage. Notes on a range of
time are on no event. `is` and `tag` are short for `note.is` and `note.tag`. A field of the log that has one of these names is
meant before: where a log has a field `tag`, its own tags are `tag:web` and those of people `note.tag:web`, and whoever writes
`tag:web` matches events with such a note. Of several tags any may match; `tag!=done` holds for events with tags that are
all others.

Names of the Elastic Common Schema select the fields that have them ([fields.md](fields.md)); where several do, any may match.
";

/// The whole page.
#[must_use]
pub fn page() -> String {
    let mut text = String::from(HEAD);
    for clause in CLAUSES {
        let examples: Vec<String> = clause.examples.iter().map(|example| code(example)).collect();
        row(&mut text, &[&examples.join(", "), &cell(clause.summary)]);
    }
    text.push_str(AFTER_CLAUSES);
    text.push_str("\n## Times\n\n| write | meaning |\n|---|---|\n");
    for (time, meaning) in TIMES {
        row(&mut text, &[&code(time), &cell(meaning)]);
    }
    text.push_str("\nA time that names a day or a minute is all of it: `time>2024-05-01` begins on the second of May.\n");
    text.push_str(AFTER_TIMES);
    text.push_str("\n## Levels\n\n");
    for (level, others) in LEVELS {
        let others: Vec<String> = others.iter().map(|other| code(other)).collect();
        let also = if others.is_empty() { String::new() } else { format!(", also {}", others.join(", ")) };
        let _ = writeln!(text, "- {}{also}", code(level));
    }
    text.push_str("\n## Stages\n\n| stage | what it does | for example |\n|---|---|---|\n");
    for stage in StageName::ALL {
        let described = stage.described();
        let also: Vec<String> = described.aliases.iter().map(|alias| code(alias)).collect();
        let also = if also.is_empty() { String::new() } else { format!(" (also {})", also.join(", ")) };
        let what = format!("{}{also}", cell(described.summary));
        row(&mut text, &[&code(described.syntax), &what, &code(described.example)]);
    }
    text.push_str("\n`compare` with a length of time, `previous`, a calculation or `by` in it, or after another stage, can only mean \
`shift`, which was once called so.\n");
    text.push_str("\n## Calculations over many rows\n\nUse them in `stats`, `timechart` and `shift`. `p37(x)` is any percentile.\n");
    functions(&mut text, Aggregation::ALL.iter().map(|function| function.described()));
    text.push_str("\n## Functions\n\nUse them in `where`, `eval` and everywhere else that a value is calculated. Operators are \
`+ - * / %`, `= != < <= > >=`, `=~` and `!~` with a regular expression, `like` with `*` and `?`, `in (…)`, `is null`, `and`, \
`or`, `not`; a clause such as `status:500` is a condition too. Put names that are not plain words between backticks.\n");
    functions(&mut text, Function::ALL.iter().map(|function| function.described()));
    text.push_str("\n## What other tools write\n\nThese are understood; what is printed is our own spelling.\n\n| written | becomes |\n|---|---|\n");
    for (written, becomes) in OTHER_TOOLS {
        row(&mut text, &[&code(written), &code(becomes)]);
    }
    text.push_str("\nBuilt-in fields have other names as well: ");
    let names: Vec<String> =
        ecs::BUILT_IN.iter().map(|(field, name)| format!("{} is {}", code(name), code(field))).collect();
    let _ = writeln!(text, "{}.", names.join(", "));
    text.push_str(
        "\nWith the setting for Kibana's reading, values of a field and bare words next to each other are \
alternatives: `status:400 401` means `status:(400 OR 401)`.\n",
    );
    text
}

fn functions(text: &mut String, all: impl Iterator<Item = Described>) {
    text.push_str("\n| function | what it gives | also |\n|---|---|---|\n");
    for function in all {
        let also: Vec<String> = function.aliases.iter().map(|alias| code(alias)).collect();
        row(text, &[&code(&function.signature()), &cell(function.summary), &also.join(", ")]);
    }
}

fn row(text: &mut String, cells: &[&str]) {
    let _ = writeln!(text, "| {} |", cells.join(" | "));
}

fn code(text: &str) -> String {
    format!("`{}`", cell(text))
}

/// A bar would end the cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_query;
    use crate::time::TimeExpr;

    #[test]
    fn the_page_shows_only_what_is_understood() {
        for example in CLAUSES.iter().flat_map(|clause| clause.examples) {
            assert!(parse_query(example).is_ok(), "{example}");
        }
        for (time, _) in TIMES {
            assert!(TimeExpr::parse(time).is_some(), "{time}");
        }
        for (written, becomes) in OTHER_TOOLS {
            assert_eq!(
                parse_query(written).map(|query| query.to_string()).as_deref(),
                Ok(*becomes),
                "{written}"
            );
        }
    }
}
