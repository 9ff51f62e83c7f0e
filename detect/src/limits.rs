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

/// From so many events of a segment on, keywords are looked up in its text index before texts are read: a look-up takes as
/// long as reading some hundred texts.
pub const INDEXED_TEXTS: usize = 5_000;

/// The most different conditions that log sources select events by: bits of a mask that each row gets.
pub const SOURCE_CONDITIONS: usize = 512;

/// So many events at most are named one by one in the query of an alert.
pub const NAMED_EVENTS: usize = 200;

/// A rule that is longer as a query is no help to a reader, where its events can be named one by one.
pub const READABLE_QUERY_BYTES: usize = 400;

/// So many alerts at most of one correlation or detector; further ones would be noise, and their number is shown.
pub const ALERTS: usize = 10_000;

/// The most events of a rule that correlations look at, in memory: some hundred bytes each. Leaving events out is a problem of
/// the correlation.
pub const CORRELATED_EVENTS: usize = 5_000_000;

/// Bins of a back-test that are kept between two levels, some 80 bytes each. Beyond, each level makes them again.
pub const KEPT_BINS: i64 = 2_000_000;

/// Bins before the present that live evaluation keeps of a group: later events for older ones are for `check`. That is
/// sixteen hours of minutes, and a group is judged again over all of them in some microseconds.
pub const LATE_BINS: i64 = 1_000;

/// The same of anomalies, which need weeks to know what is usual: ten weeks of bins of five minutes.
pub const BASELINE_BINS: i64 = 20_000;

/// Bins in a row that are judged one by one when events of a long time come at once, of anomalies: each looks at all others.
pub const JUDGED_BINS: usize = 500;

/// Alerts that are known of one detector, the newest. Those that ended before are never sent again.
pub const KNOWN_ALERTS: usize = 1_000;

/// Keys of a sequence, and groups, that are followed at once by one detector.
pub const LIVE_GROUPS: usize = 200_000;

/// What detectors that are evaluated over all of the history again may take of the time: one part of so many.
pub const WHOLE_SHARE: u32 = 10;

/// Publications whose segments are held until the bins are over that their events are in: two minutes of them at a second each.
pub const RECENT_PARTS: usize = 128;

/// Publications that wait to be evaluated one by one. Each holds the segments of its moment, some small ones.
pub const WAITING_SNAPSHOTS: usize = 64;

/// Bytes of all texts that a field is searched for at once, up to which the automaton is a table: half a kilobyte each at most,
/// and a third of the time of the smaller automaton.
pub const TABLE_NEEDLE_BYTES: usize = 128 << 10;

/// The most bytes of a host, a user or a process that alerts name. Paths have some hundred.
pub const ENTITY_BYTES: usize = 1_000;

/// Combinations of host, user and process whose values are kept of one rule in a segment, about a kilobyte each. Further ones,
/// which forged events can have one each of, are only counted.
pub const RULE_GROUPS: usize = 2_000;

/// Further combinations of one rule in a segment that are counted one by one, some hundred bytes each: as much as those
/// whose values are kept. The events of all others are counted together.
pub const COUNTED_GROUPS: usize = 20_000;

/// The same of one rule over all segments: 20 MB of forged values at most. Further combinations are only counted.
pub const CASE_GROUPS: usize = 20_000;

/// Further combinations of one rule over all segments that are counted one by one: 20 MB at most. The events of all others
/// are counted together.
pub const CASE_COUNTED_GROUPS: usize = 200_000;

/// The combinations with the most events that are alerts of a rule. More would be no help to a reader, and each has a query of up
/// to twenty kilobytes. The events of all others are one alert.
pub const LISTED_GROUPS: usize = 2_000;

/// What is shown of a value before and after what a rule matched in it.
pub const SHOWN_AROUND_MATCH: usize = 200;

/// Parts of one value that are highlighted.
pub const SHOWN_MATCHES: usize = 50;
