//! The table of functions. The parser, completion and the language's page read it; one line adds one.

use std::fmt::Write;

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Described {
    pub name: &'static str,
    /// Other names it is known by.
    pub aliases: &'static [&'static str],
    /// The parameters: `x, n`; optional ones in brackets, `…` for any number more.
    pub arguments: &'static str,
    pub summary: &'static str,
    pub least: usize,
    pub most: usize,
}

impl Described {
    #[must_use]
    pub fn is_named(&self, name: &str) -> bool {
        std::iter::once(&self.name).chain(self.aliases).any(|known| known.eq_ignore_ascii_case(name))
    }

    /// `round(x, [digits])`.
    #[must_use]
    pub fn signature(&self) -> String {
        let mut text = String::from(self.name);
        let _ = write!(text, "({})", self.arguments);
        text
    }
}

/// For functions that take any number of arguments.
const ANY: usize = 255;

macro_rules! functions {
    (
        $(#[$doc:meta])* $table:ident
        $( $variant:ident $name:literal $aliases:tt $least:literal..$most:tt $arguments:literal $summary:literal; )*
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $table { $( $variant, )* }

        impl $table {
            pub const ALL: &'static [$table] = &[ $( $table::$variant, )* ];

            #[must_use]
            pub fn described(self) -> Described {
                match self { $( $table::$variant => Described {
                    name: $name,
                    aliases: &$aliases,
                    arguments: $arguments,
                    summary: $summary,
                    least: $least,
                    most: $most,
                }, )* }
            }

            #[must_use]
            pub fn name(self) -> &'static str {
                self.described().name
            }

            #[must_use]
            pub fn named(name: &str) -> Option<$table> {
                $table::ALL.iter().copied().find(|function| function.described().is_named(name))
            }
        }
    };
}

functions! {
    /// Calculates a value from those of one row.
    Function
    If "if" ["iff", "iif"] 2..3 "condition, then, [else]" "`then` where the condition holds, else `else` or nothing";
    Case "case" [] 2..ANY "condition, value, …, [else]" "the value after the first condition that is true";
    Coalesce "coalesce" ["ifnull", "nvl"] 1..ANY "x, …" "the first value that is there";
    NullIf "nullif" [] 2..2 "x, y" "nothing where both are equal, else `x`";
    Len "len" ["length", "strlen"] 1..1 "text" "its number of characters";
    Lower "lower" ["to_lower"] 1..1 "text" "in lower case";
    Upper "upper" ["to_upper"] 1..1 "text" "in upper case";
    Trim "trim" ["strip"] 1..1 "text" "without white space at both ends";
    Substr "substr" ["substring"] 2..3 "text, from, [length]" "part of a text, counted in characters from 1; from the end where `from` is negative";
    Left "left" [] 2..2 "text, n" "its first characters";
    Right "right" [] 2..2 "text, n" "its last characters";
    Replace "replace" [] 3..3 "text, regex, with" "each match replaced; `$1` inserts what a group matched";
    Split "split" [] 2..3 "text, separator, [n]" "the n-th part from 1 (from the end where negative); without `n` the parts as a list";
    Concat "concat" ["strcat"] 1..ANY "x, …" "the texts in a row; missing ones are empty";
    Contains "contains" [] 2..2 "text, part" "whether the part occurs in it, in any case";
    StartsWith "starts_with" ["startswith"] 2..2 "text, part" "whether it begins so, in any case";
    EndsWith "ends_with" ["endswith"] 2..2 "text, part" "whether it ends so, in any case";
    Position "position" ["indexof", "locate"] 2..2 "text, part" "where the part occurs first, in characters from 1; 0 where it does not";
    Extract "extract" [] 2..3 "text, regex, [group]" "what an expression (or a group of it, by number or name) matches first";
    JsonExtract "json_extract" ["spath", "parse_json"] 2..2 "text, path" "a value of a JSON text: `user.id`, `items.0`";
    UrlDecode "url_decode" ["urldecode"] 1..1 "text" "with `%20` and the like decoded";
    Hash "hash" [] 1..1 "x" "a short fingerprint, the same for the same value";
    Abs "abs" [] 1..1 "x" "without its sign";
    Round "round" [] 1..2 "x, [digits]" "rounded, halves away from zero";
    Floor "floor" [] 1..1 "x" "the whole number below";
    Ceil "ceil" ["ceiling"] 1..1 "x" "the whole number above";
    Sqrt "sqrt" [] 1..1 "x" "square root";
    Pow "pow" ["power"] 2..2 "x, y" "`x` to the power `y`";
    Exp "exp" [] 1..1 "x" "e to the power `x`";
    Ln "ln" [] 1..1 "x" "natural logarithm";
    Log "log" ["log10"] 1..2 "x, [base]" "logarithm, to base 10 unless given";
    Min "min" ["least"] 1..ANY "x, …" "the least of its arguments";
    Max "max" ["greatest"] 1..ANY "x, …" "the greatest of its arguments";
    Sign "sign" [] 1..1 "x" "-1, 0 or 1";
    ToNumber "to_number" ["tonumber", "to_double", "to_long", "to_int", "number", "toint"] 1..1 "x" "as a number, units understood (`10kb`, `250ms` in milliseconds); nothing where it is none";
    ToText "to_string" ["tostring", "to_text"] 1..1 "x" "as text";
    ToBool "to_bool" ["tobool", "to_boolean"] 1..1 "x" "as true or false";
    ToTime "to_time" ["to_datetime", "todatetime", "strptime"] 1..2 "text, [format]" "as a time; with a format as `strptime` takes it";
    ToIp "to_ip" [] 1..1 "text" "an address in its shortest spelling; nothing where it is none";
    CidrMatch "cidr_match" ["cidrmatch", "ipv4_is_in_range"] 2..ANY "address, network, …" "whether an address is in one of the networks, as `10.0.0.0/8`";
    IsNull "is_null" ["isnull"] 1..1 "x" "whether it is missing";
    IsNotNull "is_not_null" ["isnotnull", "exists"] 1..1 "x" "whether it is there";
    TypeOf "type_of" ["typeof"] 1..1 "x" "`text`, `int`, `float`, `bool`, `time` or `null`";
    Now "now" [] 0..0 "" "the end of the data";
    Bin "bin" ["bucket", "span"] 2..2 "x, width" "the start of the bin that a time or number is in: `bin(time, 5m)`, `bin(bytes, 1000)`; `auto` chooses a width for times";
    DateTrunc "date_trunc" ["datetrunc"] 2..3 "unit, time, [zone]" "the start of the `hour`, `day`, `month`, … of a time";
    DateFormat "date_format" ["strftime", "format_datetime"] 2..3 "time, format, [zone]" "a time as text, `%Y-%m-%d %H:%M:%S`";
    DateDiff "date_diff" ["datetime_diff"] 3..3 "unit, from, to" "whole units from one time to another";
    DatePart "date_part" ["date_extract", "datepart"] 2..3 "unit, time, [zone]" "the `year`, `month`, `day`, `hour`, `minute`, `second`, `weekday` (1 is Monday) or `week` of a time";
    Duration "duration" [] 1..2 "x, [unit]" "a number of milliseconds (or of a unit) as text: `1h 2m 3s`";
}

functions! {
    /// Calculates a value over many rows.
    Aggregation
    Count "count" ["c"] 0..1 "[x]" "rows; with an argument, those where it is there";
    CountDistinct "count_distinct" ["dc", "distinct_count", "dcount", "cardinality", "count_uniq", "uniq"] 1..1 "x" "different values, exactly";
    Sum "sum" [] 1..1 "x" "sum of the numbers";
    Avg "avg" ["mean", "average"] 1..1 "x" "their mean";
    Min "min" ["earliest_value"] 1..1 "x" "the least, of numbers, times or texts";
    Max "max" ["latest_value"] 1..1 "x" "the greatest";
    Range "range" [] 1..1 "x" "greatest minus least";
    Stddev "stddev" ["stdev", "std", "std_dev"] 1..1 "x" "standard deviation of a sample";
    Variance "variance" ["var"] 1..1 "x" "variance of a sample";
    Median "median" [] 1..1 "x" "the value in the middle, exactly; between two, their mean";
    P50 "p50" [] 1..1 "x" "50th percentile, exactly";
    P75 "p75" [] 1..1 "x" "75th percentile";
    P90 "p90" [] 1..1 "x" "90th percentile";
    P95 "p95" [] 1..1 "x" "95th percentile";
    P99 "p99" [] 1..1 "x" "99th percentile";
    P999 "p999" [] 1..1 "x" "99.9th percentile";
    Percentile "percentile" ["perc"] 2..2 "x, n" "any percentile, n from 0 to 100";
    Mode "mode" [] 1..1 "x" "the most frequent value; of several the least";
    First "first" ["earliest"] 1..1 "x" "the value of the first row in time that has one";
    Last "last" ["latest"] 1..1 "x" "the value of the last row in time that has one";
    Entropy "entropy" [] 1..1 "x" "how evenly its values occur, in bits: 0 if all are equal, 3 if eight values are equally frequent";
    Values "values" ["list", "make_set"] 1..2 "x, [n]" "the different values as a list in their order, at most n";
    Rate "rate" ["per_second"] 0..1 "[x]" "rows (or the sum of `x`) per second of the group's span";
    PerMinute "per_minute" [] 0..1 "[x]" "the same per minute";
    PerHour "per_hour" [] 0..1 "[x]" "the same per hour";
}

/// How the result of an aggregation depends on the order of its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Not at all.
    Any,
    /// In the last digits, if the numbers are decimals.
    RoundsDecimals,
    /// In the last digits.
    Rounds,
    /// It is another one.
    Matters,
}

/// How the result of an aggregation follows from parts of its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergedFrom {
    /// From these aggregations of each part.
    Aggregations(&'static [Aggregation]),
    /// From the different values of each part with their counts. A cluster alone only estimates it.
    Values,
    /// Only from the rows themselves.
    Rows,
}

impl Aggregation {
    /// Whether it is a name of `count` that takes a condition as its argument.
    #[must_use]
    pub fn is_conditional(name: &str) -> bool {
        ["count_if", "countif"].iter().any(|known| known.eq_ignore_ascii_case(name))
    }

    /// The function of this name, with the parameter that is part of a name such as `p37`.
    #[must_use]
    pub fn with_parameter(name: &str) -> Option<(Aggregation, Option<f64>)> {
        if Aggregation::is_conditional(name) {
            return Some((Aggregation::Count, None));
        }
        if let Some(function) = Aggregation::named(name) {
            return Some((function, None));
        }
        let lower = name.to_ascii_lowercase();
        let digits = lower.strip_prefix("perc").or_else(|| lower.strip_prefix('p'))?;
        let is_number = digits.starts_with(|c: char| c.is_ascii_digit())
            && digits.chars().all(|c| c.is_ascii_digit() || c == '.');
        let rank: f64 = is_number.then(|| digits.parse().ok())??;
        (0.0..=100.0).contains(&rank).then_some((Aggregation::Percentile, Some(rank)))
    }

    #[must_use]
    pub fn order(self) -> Order {
        use Aggregation as A;
        match self {
            A::First | A::Last => Order::Matters,
            A::Stddev | A::Variance => Order::Rounds,
            A::Sum | A::Avg | A::Rate | A::PerMinute | A::PerHour => Order::RoundsDecimals,
            _ => Order::Any,
        }
    }

    #[must_use]
    pub fn merged_from(self) -> MergedFrom {
        use Aggregation as A;
        match self {
            A::Count => MergedFrom::Aggregations(&[A::Count]),
            A::Sum => MergedFrom::Aggregations(&[A::Sum]),
            A::Avg => MergedFrom::Aggregations(&[A::Sum, A::Count]),
            A::Min => MergedFrom::Aggregations(&[A::Min]),
            A::Max => MergedFrom::Aggregations(&[A::Max]),
            A::Range => MergedFrom::Aggregations(&[A::Min, A::Max]),
            A::Stddev | A::Variance => MergedFrom::Aggregations(&[A::Count, A::Avg, A::Variance]),
            A::CountDistinct => MergedFrom::Values,
            function if function.percentile(Some(0.0)).is_some() => MergedFrom::Values,
            _ => MergedFrom::Rows,
        }
    }

    /// Whether it is a whole number of rows or values.
    #[must_use]
    pub fn is_count(self) -> bool {
        matches!(self, Aggregation::Count | Aggregation::CountDistinct)
    }

    /// Whether it is 0 without rows; all others have no value then.
    #[must_use]
    pub fn is_zero_without_rows(self) -> bool {
        self.is_count() || self.seconds().is_some()
    }

    /// The seconds that a rate is given for.
    #[must_use]
    pub fn seconds(self) -> Option<f64> {
        match self {
            Aggregation::Rate => Some(1.0),
            Aggregation::PerMinute => Some(60.0),
            Aggregation::PerHour => Some(3_600.0),
            _ => None,
        }
    }

    /// The requested percentile, from 0 to 100; `parameter` is that of [`Aggregation::Percentile`].
    #[must_use]
    pub fn percentile(self, parameter: Option<f64>) -> Option<f64> {
        match self {
            Aggregation::Median | Aggregation::P50 => Some(50.0),
            Aggregation::P75 => Some(75.0),
            Aggregation::P90 => Some(90.0),
            Aggregation::P95 => Some(95.0),
            Aggregation::P99 => Some(99.0),
            Aggregation::P999 => Some(99.9),
            Aggregation::Percentile => parameter,
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn function_names_are_unique() {
        let tables: [Vec<Described>; 2] = [
            Function::ALL.iter().map(|function| function.described()).collect(),
            Aggregation::ALL.iter().map(|function| function.described()).collect(),
        ];
        for table in tables {
            let mut names: Vec<&str> =
                table.iter().flat_map(|one| std::iter::once(&one.name).chain(one.aliases)).copied().collect();
            names.sort_unstable();
            let all = names.len();
            names.dedup();
            assert_eq!(names.len(), all);
            assert!(table.iter().all(|one| one.least <= one.most));
        }
    }
}
