//! The table of stages. The parser, completion and the language's page read it; one line adds one.

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StageDescribed {
    pub name: &'static str,
    /// Other names it is known by.
    pub aliases: &'static [&'static str],
    pub syntax: &'static str,
    pub summary: &'static str,
    pub example: &'static str,
}

macro_rules! stages {
    ($( $variant:ident $name:literal $aliases:tt $syntax:literal $summary:literal $example:literal; )*) => {
        /// A stage by its name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum StageName { $( $variant, )* }

        impl StageName {
            pub const ALL: &'static [StageName] = &[ $( StageName::$variant, )* ];

            #[must_use]
            pub fn described(self) -> StageDescribed {
                match self { $( StageName::$variant => StageDescribed {
                    name: $name, aliases: &$aliases, syntax: $syntax, summary: $summary, example: $example,
                }, )* }
            }

            #[must_use]
            pub fn named(name: &str) -> Option<StageName> {
                StageName::ALL.iter().copied().find(|stage| {
                    let described = stage.described();
                    std::iter::once(&described.name)
                        .chain(described.aliases)
                        .any(|known| known.eq_ignore_ascii_case(name))
                })
            }
        }
    };
}

stages! {
    Where "where" [] "where condition"
        "keeps rows for which the condition holds" "where bytes > 10kb and method in (\"GET\", \"HEAD\")";
    Search "search" ["filter"] "search filter"
        "keeps rows that pass a filter, as at the start of the query" "search status>=500 NOT path:/health";
    Eval "eval" ["extend"] "eval name = value, …"
        "sets columns" "eval seconds = duration_ms / 1000, slow = if(seconds > 1, \"yes\", \"no\")";
    Stats "stats" ["summarize", "aggregate"] "stats f(x) [as name], … [by k, bin(time, 5m), …]"
        "calculates over groups of rows; without anything it counts" "stats count, p95(duration_ms) as slow by service";
    Timechart "timechart" [] "timechart [span=5m] f(x), … [by k] [limit=n]"
        "calculates over bins of time, those without events too; with `by` a column for each of its values"
        "timechart span=1h count by status";
    Sort "sort" ["order"] "sort [-]x, …"
        "orders rows, ties as they were; `-` or `desc` puts the greatest first" "sort -count, host";
    Keep "keep" ["fields", "table", "project", "select"] "keep name, …"
        "only these columns; `*` matches any part of a name" "keep time, http.*, message";
    Drop "drop" ["delete", "project_away"] "drop name, …"
        "all but these columns" "drop raw, *_id";
    Rename "rename" ["mv"] "rename old as new, …"
        "gives columns other names" "rename client_ip as ip";
    Limit "limit" ["head", "take"] "limit [n]"
        "the first rows, 10 by default" "limit 20";
    Tail "tail" [] "tail [n]"
        "the last rows, 10 by default" "tail 20";
    Dedup "dedup" ["uniq", "distinct"] "dedup [n] name, …"
        "of rows with the same values the first, or the first n" "dedup host, status";
    Top "top" [] "top [n] name, … [by k, …]"
        "the most frequent values with count and percent" "top 5 path by host";
    Rare "rare" [] "rare [n] name, … [by k, …]"
        "the least frequent values with count and percent" "rare 5 user_agent";
    Facets "facets" ["fieldsummary", "facet"] "facets [name, …] [values=n]"
        "what each field holds: share, distinct values, the most frequent ones" "facets status, method values=5";
    Patterns "patterns" ["cluster"] "patterns [field] [limit=n]"
        "the patterns of messages with count, share and examples" "patterns limit=20";
    Grok "grok" [] "grok [field] \"pattern\""
        "columns from a text by a grok pattern" "grok message \"%{IP:client} %{NUMBER:size:int}\"";
    Dissect "dissect" [] "dissect [field] \"pattern\""
        "columns from a text by the text between them" "dissect message \"%{user} logged in from %{address}\"";
    Rex "rex" ["regexp", "extract_regexp"] "rex [field] /expression/"
        "columns from the named groups of an expression" "rex message /user=(?<user>\\w+)/";
    Variable "variable" [] "variable n of pattern as name"
        "a column of the values at the n-th place where a pattern of messages varies" "variable 1 of t0123456789abcdef as took_ms";
    Context "context" ["stream_context"] "context [n] [before=n] [after=n] [everywhere] [same=field]"
        "with each event those around it in its file, in all files, or with the same value of a field"
        "context before=2 after=5";
    Transaction "transaction" ["session"] "transaction name, … [max_pause=5m] [max_span=1h] [starts_with=(filter)] [ends_with=(filter)]"
        "a row for the events that share values: first and last time, duration, count, highest level, longest gap"
        "transaction request_id max_pause=30s";
    Compare "compare" ["diff"] "compare with (filter) [limit=n]"
        "what differs from the events of another filter, ranked: patterns, values, pairs of them, numbers, what stopped"
        "compare with (version=2.3.0)";
    Shift "shift" [] "shift [with] previous | 1d | (filter) [f(x), …] [by k, …]"
        "the same calculations also for an earlier time or for other events, with difference and ratio"
        "shift with 1d count, p95(duration_ms) by service";
    Quantiles "quantiles" [] "quantiles field with (filter)"
        "how much the numbers of a field differ from those of another filter, from the smallest to the greatest, with a band"
        "quantiles duration_ms with (version=2.3.0)";
    ChangePoint "change_point" ["changepoint"] "change_point x [on k]"
        "where a series changes, how, and how sure that is" "change_point count on time";
    Lookup "lookup" [] "lookup \"file\" on field [= column], … [output column [as name], …]"
        "columns of a CSV, NDJSON or Parquet file, joined where keys are equal" "lookup \"hosts.csv\" on host = name output owner";
    Join "join" [] "join [inner | left | semi | anti] on field [= column], … (query) | \"file\""
        "rows joined with those of another query or of a file that have the same keys"
        "join left on host (level>=error | stats count as errors by host)";
    Window "window" ["streamstats"] "window name = f(x, …), … [by k, …]"
        "columns of the rows around each row: of the previous one, of all up to this one, of the last five minutes, of all of its group"
        "window prev = lag(duration_ms), slow = rolling_p95(duration_ms, 5m) by service";
    Pivot "pivot" [] "pivot f(x) on field by k, … [limit=n]"
        "calculates over groups of rows, with a column for each value of a field"
        "pivot avg(duration_ms) on status by service";
    Unpivot "unpivot" ["melt"] "unpivot [column, …] [by k, …] [as name, value]"
        "a row for each of some columns, with its name and its value; `by` names the columns to keep"
        "unpivot cpu_*, memory by time, host as metric, value";
    FillNull "fillnull" [] "fillnull [value=x] [name, …]"
        "a value in place of missing ones, 0 by default; in all columns unless some are named"
        "fillnull value=\"none\" user, site";
    FillDown "filldown" [] "filldown [name, …]"
        "the last value before in place of missing ones" "filldown host";
    Bucket "bucket" ["ntile"] "bucket field into n [as name]"
        "which of n equally filled ranges of its values a number is in, from 1 to n"
        "bucket duration_ms into 4 as quarter";
    Sample "sample" [] "sample n | n% [seed=n]"
        "random rows, or a share of them; the same ones every time" "sample 1%";
}

#[cfg(test)]
mod tests {
    use super::StageName;

    #[test]
    fn the_example_of_each_stage_is_understood_and_printed_back() {
        for stage in StageName::ALL {
            let described = stage.described();
            let query = format!("* | {}", described.example);
            let parsed = crate::parse_query(&query);
            assert!(parsed.is_ok(), "{query}: {parsed:?}");
            let printed = parsed.map(|query| query.to_string()).unwrap_or_default();
            assert_eq!(crate::parse_query(&printed).map(|query| query.to_string()), Ok(printed));
        }
    }

    #[test]
    fn stage_names_are_unique() {
        let names = StageName::ALL.iter().flat_map(|stage| {
            let described = stage.described();
            std::iter::once(described.name).chain(described.aliases.iter().copied())
        });
        let mut names: Vec<&str> = names.collect();
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
