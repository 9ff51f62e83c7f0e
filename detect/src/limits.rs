//! Limits of this crate, each with the reason for its value.

/// The largest detector file that is read. Public rules have some kilobytes; a list of a thousand names has fifty.
pub const FILE_BYTES: u64 = 4 << 20;

/// The deepest nesting of lists and maps in a rule: people write five levels, and what follows them recurses.
pub const YAML_DEPTH: usize = 64;

/// The most values and names of one rule file, aliases counted each time: a file of a kilobyte can unfold to millions.
pub const YAML_NODES: usize = 200_000;

/// The deepest nesting of parentheses and `not` in a condition.
pub const CONDITION_DEPTH: usize = 100;

/// The most tests of one rule after its lists and modifiers are written out.
pub const RULE_TESTS: usize = 50_000;

/// The memory of one compiled expression. The largest public ones need a tenth of it.
pub const REGEX_BYTES: usize = 4 << 20;

/// The most different conditions that log sources select events by: bits of a mask that each row gets.
pub const SOURCE_CONDITIONS: usize = 512;

/// So many events at most are named one by one in the query of an alert.
pub const NAMED_EVENTS: usize = 200;

/// So many alerts at most of one correlation or detector; further ones would be noise, and their number is shown.
pub const ALERTS: usize = 10_000;

/// The most hits of a rule that a correlation looks at, in memory: some hundred bytes each.
pub const CORRELATED_EVENTS: usize = 5_000_000;

/// Bins of a back-test that are kept between two levels, some 80 bytes each. Beyond, each level makes them again.
pub const KEPT_BINS: i64 = 2_000_000;
