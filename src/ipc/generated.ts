// Made from src-tauri/wire by `npm run bless`. Do not edit.

export type Account = { 
/**
 * Share of the first lines that are of the format, 0 to 1.
 */
score: number, reason: string, alternatives: Array<Alternative>, unparsed: Array<Unparsed>, 
/**
 * How many events begin at each layout of its lines, the most frequent first; empty where there is only one.
 */
layouts: Array<Layout>, 
/**
 * The fields that may contain the time, the one that is used first.
 */
timeFields: Array<TimeField>, 
/**
 * What was decided about its times, and what is odd about them, in sentences.
 */
times: Array<string>, };

export type AccountRequest = { case: string, source: number, };

export type AddLiveRequest = { case: string, source: LiveKind, 
/**
 * How to read it; its formats are learned from its first lines by default.
 */
reading?: LiveReading, 
/**
 * New settings for all live sources of the case.
 */
settings?: LiveSettings, };

export type AddRemoteRequest = { name: string, url: string, index: string, 
/**
 * Null finds it in the mapping.
 */
timeField: string | null, 
/**
 * A file of mode 600 with an API key.
 */
apiKeyFile: string | null, user: string | null, 
/**
 * A file of mode 600 with the user's password.
 */
passwordFile: string | null, 
/**
 * PEM certificates that the cluster's own must lead to.
 */
ca: string | null, 
/**
 * In place of such a file, the SHA-256 of the certificate.
 */
fingerprint?: string, };

export type AdjustRequest = { case: string, sources: Array<number>, zone?: string, 
/**
 * Added to every time as written.
 */
clockOffset?: Nanos, };

export type Aggregate = { revision: number, 
/**
 * Share of the case's events that are done: 1 when this is the whole answer.
 */
fraction: number, elapsedMs: number, 
/**
 * What a cluster says of its answer.
 */
remote?: RemoteSays, axes: Array<Axis>, 
/**
 * Events in each cell. The last axis varies fastest; without axes there is one cell.
 */
counts: Array<number>, measured: Array<Measured>, 
/**
 * Matching events.
 */
total: number, 
/**
 * Matching events without a time, if there is a time axis.
 */
untimed: number, };

export type AggregateRequest = { view: View, by: Array<By>, measures: Array<Measure>, };

export type Ahead = { 
/**
 * Null where the query asks for more than text, which only reading can tell.
 */
lines: number | null, 
/**
 * The first of them, in the order of the files.
 */
first: Array<AheadLine>, 
/**
 * Files that were looked through, and those that could not.
 */
files: number, others: number, 
/**
 * How much of the files was looked at, 0 to 1.
 */
fraction: number, elapsedMs: number, };

export type AheadLine = { path: string, 
/**
 * Where it begins in the file.
 */
offset: number, text: string, };

export type AheadRequest = { paths: Array<string>, 
/**
 * How the import goes about them: which files of folders it takes.
 */
choices?: ImportChoices, query: string, };

export type Alert = { 
/**
 * The detector's name, or a Sigma rule's id.
 */
detector: string, title: string, severity: Severity, 
/**
 * Nanoseconds since 1970 UTC; nothing where no event of it has a time.
 */
start: Nanos | null, end: Nanos | null, 
/**
 * When the value was furthest from what is expected.
 */
peak: Nanos | null, 
/**
 * How many events matched.
 */
events: number, 
/**
 * The values of the fields that it is grouped by.
 */
group: Array<[string, string]>, value: number | null, expected: number | null, 
/**
 * Of an anomaly, at its peak.
 */
basis: AlertBasis | null, 
/**
 * A query that selects the events.
 */
query: string, 
/**
 * The query selects more events than these: the language cannot say which they are.
 */
wider: boolean, };

export type AlertBasis = { baseline: Baseline, 
/**
 * How many values of that time there are.
 */
samples: number, history: HistoryAmount, };

export type AlertChoice = { "keys": Array<SeenAlert> } | { "matching": { filter: AlertFilter, expected: number, digest: string, } };

export type AlertFilter = { 
/**
 * Words that the title, the detector or the entity contains, or a comment.
 */
text: string, statuses: Array<TriageStatus>, severities: Array<Severity>, origins: Array<AlertOrigin>, detector: string | null, entity: string | null, 
/**
 * Alerts that begin at this time or later.
 */
from: Nanos | null, 
/**
 * Alerts that begin before this time.
 */
to: Nanos | null, };

export type AlertFlag = { key: AlertKey, title: string, severity: Severity, start: Nanos | null, end: Nanos | null, value: number | null, };

export type AlertGone = "detector" | "alert";

export type AlertGrouping = "none" | "detector" | "entity" | "time";

export type AlertInterval = { start: Nanos, end: Nanos, keys: Array<string>, };

export type AlertKey = string & { readonly __alert: unique symbol };

export type AlertMeasure = { 
/**
 * The part of the time that has data; null if nothing can be drawn.
 */
ends: TimeSpan | null, 
/**
 * The measure of the alert's group. Empty if the detector is not known, measures nothing over time, or has no such
 * group.
 */
groups: Array<MeasurePoints>, level: DetectorLevel | null, };

export type AlertMeasureRequest = { case: string, 
/**
 * The name of the detector; one of the case is meant before one that comes with the program.
 */
detector: string, 
/**
 * The fields that the alert is grouped by, with their values.
 */
group: Array<[string, string]>, 
/**
 * The time around the alert, both ends included.
 */
around: TimeSpan, 
/**
 * Slots of time that it is drawn in.
 */
slots: number, };

export type AlertOrigin = "detector" | "sigma" | "live";

export type AlertSort = "time" | "severity" | "title" | "entity" | "events" | "status";

export type AlertState = "firing" | "resolved";

export type AlertTally = { alerts: number, 
/**
 * In which something fired: alerts at the same time count once.
 */
firingNs: Nanos, 
/**
 * Null for less than a day of data.
 */
perDay: number | null, 
/**
 * Null without incidents in the data.
 */
truth: IncidentTally | null, };

export type AlertsRequest = { case: string, filter: AlertFilter, sort: AlertSort, descending: boolean, grouping: AlertGrouping, 
/**
 * The groups whose alerts are listed.
 */
unfolded: Array<string>, 
/**
 * The zone of days and hours; null is UTC.
 */
zone: string | null, first: number, count: number, 
/**
 * An alert whose details are asked for.
 */
selected: AlertKey | null, };

export type Also = { subject: Subject, change: Change, counts: [number, number], 
/**
 * Its events that are also events of the row.
 */
both: [number, number], relation: Relation, };

export type Alternative = { format: string, score: number, };

export type AnswerPath = "pruned" | "order" | "dictionary" | "column" | "index" | "indexAndText" | "scan";

export type AnswerStep = { clause: string, 
/**
 * The number of segments that took each path.
 */
paths: { [key in AnswerPath]?: number }, 
/**
 * Candidate rows that earlier clauses left.
 */
candidates: number, matched: number, 
/**
 * Events whose text was read, and its bytes.
 */
texts: number, bytes: number, 
/**
 * The first of the terms that the clause matches in the term dictionaries of the segments, and how many there are.
 */
terms: Array<string>, termsInAll: number, elapsedMs: number, };

export type Around = { "kind": "file" } | { "kind": "everywhere" } | { "kind": "sharing", field: string, };

export type Axis = { "kind": "time", edges: Array<Nanos>, } | { "kind": "terms", field: string, values: Array<Scalar>, distinct: number, } | { "kind": "bins", field: string, edges: Array<number>, missing: number, mistyped: number, };

export type BackTest = { revision: number, 
/**
 * The first and last instant that was looked at; null in an empty case.
 */
ends: TimeSpan | null, 
/**
 * The measure by group, those with the most events; empty where the condition measures nothing over time.
 */
groups: Array<MeasurePoints>, 
/**
 * How many groups there are.
 */
allGroups: number, tried: TriedLevel, 
/**
 * What to know about it.
 */
remark: string | null, };

export type BackTestRequest = { case: string, 
/**
 * The TOML that the detector is in.
 */
text: string, name: string, 
/**
 * Slots of time that it is drawn in.
 */
slots: number, 
/**
 * Times that are known to be bad, both ends included.
 */
truth: Array<TimeSpan>, 
/**
 * Whether to choose its level instead of taking the written one.
 */
suggest: boolean, 
/**
 * For that: where it should fire.
 */
within: TimeSpan | null, };

export type Baseline = "week" | "day" | "window";

export type Beat = { periodNs: Nanos, 
/**
 * How much of the time lies in gaps of this length.
 */
share: number, };

export type BeatChange = { 
/**
 * Of A and of B: nothing where it does not repeat.
 */
beats: [Beat | null, Beat | null], 
/**
 * Where it repeats, gaps of that length take at least so many times the share of the time that they take on the
 * other side.
 */
atLeast: number, };

export type Bins = { "kind": "linear", most: number, } | { "kind": "width", width: number, } | { "kind": "logarithmic", most: number, };

export type BlindRules = { blindness: Blindness, 
/**
 * The log source, or the names of the fields.
 */
missing: string, rules: number, 
/**
 * The titles of the first.
 */
titles: Array<string>, };

export type Blindness = "fields" | "someFields" | "source";

export type By = { "kind": "time", interval: Interval, zone: string | null, } | { "kind": "terms", field: string, top: number, order: TermOrder, } | { "kind": "bins", field: string, bins: Bins, };

export type CalendarUnit = "day" | "week" | "month" | "quarter" | "year";

export type CancelRequest = { call: string, };

export type CasePath = { path: string, };

export type CasePulse = { revision: number, 
/**
 * Another program writes the case.
 */
readOnly: boolean, 
/**
 * An import is under way, and can be attended.
 */
isImporting: boolean, };

export type CaseState = { "kind": "ready" } | { "kind": "gone" } | { "kind": "unusable", message: string, };

export type CaseSummary = { 
/**
 * The case's folder. Every later request names the case by it.
 */
path: string, name: string, events: number, sources: Array<Source>, 
/**
 * The first and last time of all events, where any has a time.
 */
first: Nanos | null, last: Nanos | null, 
/**
 * Grows with every publication; a page or timeline carries the one it was answered from.
 */
revision: number, 
/**
 * Why this window may only read: another one writes, or the disk is read-only.
 */
readOnly: string | null, 
/**
 * What is kept besides the original bytes.
 */
profile: Profile, 
/**
 * Segments that have reached the profile, of how many.
 */
segmentsReady: number, segments: number, 
/**
 * What the case takes on disk.
 */
bytesOnDisk: number, 
/**
 * What answers lack, because a part of the case is damaged.
 */
missing: Array<WireError>, 
/**
 * The clusters that the case is shown with.
 */
shownWith?: Array<RemoteCaseMark>, 
/**
 * The cluster, where it is one and no case.
 */
remote?: RemoteCaseMark, };

export type CellEvent = { id: EventId, caption: string, };

export type CellKind = "query" | "chart" | "seismograph" | "map" | "event";

export type CellMap = { 
/**
 * The field that holds the id.
 */
id: string, 
/**
 * The field whose values are the services.
 */
by: string, };

export type Change = "new" | "gone" | "more" | "fewer" | "stopped" | "repeats" | "irregular" | "period" | "moved" | "later" | "earlier";

export type ChangeDetectorRequest = { text: string, 
/**
 * The detector; the first one of the text if none has this name.
 */
name: string, 
/**
 * In their order.
 */
changes: Array<KeyChange>, };

export type ChangeLiveRequest = { case: string, source: number, change: LiveChange, };

export type ChangeNotesRequest = { case: string, put?: Array<NoteDraft>, remove?: Array<NoteRemoval>, };

export type CheckRequest = { case: string, query: string, 
/**
 * Read it as Kibana does: values and words side by side are alternatives.
 */
kql: boolean, };

export type Clock = { 
/**
 * The first source of each. The offset is what has to be added to the times of the second.
 */
sources: [number, number], estimate: ClockEstimate, 
/**
 * The clock offset that the second source needs: what it has already, and the estimated one.
 */
setNs: Nanos, 
/**
 * The clocks differ by more than can be explained otherwise.
 */
differs: boolean, 
/**
 * The places whose values it is estimated from.
 */
spots: Array<[Spot, Spot]>, examples: Array<Encounter>, };

export type ClockChange = { 
/**
 * How much later the clock of the source is than that of the other one, in A and in B.
 */
later: [ClockOffset, ClockOffset], 
/**
 * So much later in B than in A, give or take the margin.
 */
movedNs: Nanos, marginNs: Nanos, 
/**
 * The clock offset with which the source would be as late in B as it is in A.
 */
setNs: Nanos, 
/**
 * Ids of B, each with the first time in the other source and in this one.
 */
examples: Array<Encounter>, };

export type ClockEstimate = { 
/**
 * What has to be added to the times of the other series so that they agree, at the middle of the meetings.
 */
offsetNs: Nanos, 
/**
 * The offset is between these.
 */
leastNs: Nanos, mostNs: Nanos, 
/**
 * How much the clock of the other series gains, in millionths.
 */
driftPpm: number, 
/**
 * The middle of the meetings.
 */
at: Nanos, 
/**
 * Values that it is estimated from, and those of them whose events lie between those of the other series.
 */
values: number, nested: number, 
/**
 * The clock was set at this time: what had to be added before it and after it.
 */
jump: ClockJump | null, };

export type ClockJump = { at: Nanos, beforeNs: Nanos, afterNs: Nanos, };

export type ClockOffset = { offsetNs: Nanos, 
/**
 * Ids that say so.
 */
ids: number, };

export type CloseReason = "resolved" | "falsePositive" | "expected" | "duplicate";

export type ColumnKind = "missing" | "text" | "int" | "float" | "bool" | "time" | "level" | "list";

export type CompactReport = { bytesBefore: number, bytesAfter: number, segmentsBefore: number, segmentsAfter: number, seconds: number, };

export type CompareRequest = { a: View, b: View, 
/**
 * Rows listed at most.
 */
limit: number, };

export type Compared = { revision: number, 
/**
 * What has to be known to read the rows, such as that a side is a sample: in sentences, without a full stop.
 */
notes: Array<string>, 
/**
 * Share of the work done: 1 when this is the whole answer, and only then are rows listed once that follow from
 * others.
 */
fraction: number, elapsedMs: number, 
/**
 * Events of A and of B.
 */
events: [number, number], 
/**
 * Events that both sides have. They count on both.
 */
shared: number, 
/**
 * How much each side logs over time: the first row.
 */
volume: Volume | null, 
/**
 * The greatest score first, with at most two rows about values of one field before all others.
 */
differences: Array<Difference>, 
/**
 * The largest changes of each kind that are not among the differences: chance may explain them, or other values do.
 */
others: Array<Difference>, 
/**
 * What differs no longer without the events of the differences.
 */
onlyShares: Array<ShareChange>, 
/**
 * Where the sides begin to differ, of the differences that are listed.
 */
first: FirstDivergence | null, 
/**
 * Differences above the line that are not listed.
 */
unlisted: number, unchanged: Unchanged, 
/**
 * Fields that were not compared, with the reason.
 */
leftOut: Array<[string, LeftOut]>, };

export type CompleteRequest = { case: string, query: string, 
/**
 * A byte of the query.
 */
cursor: number, };

export type Completion = { start: number, end: number, suggestions: Array<Suggestion>, };

export type Context = { before: Array<Row>, event: Row, after: Array<Row>, };

export type ContextRequest = { case: string, id: EventId, around: Around, before: number, after: number, 
/**
 * Fields whose values come with each row.
 */
columns?: Array<string>, };

export type Copying = { bytes: number, of: number, };

export type CurvePoint = { 
/**
 * This share of the numbers is smaller.
 */
quantile: number, a: number, b: number, 
/**
 * The quantile of B is between these, for all quantiles at once with 95 %; nothing where there is no bound.
 */
low: number | null, high: number | null, };

export type DeleteRequest = { case: string, 
/**
 * Ids of the sources that go, with all that is kept of them.
 */
sources: Array<number>, };

export type DetectorEntry = { 
/**
 * The id of its note, or its file where it comes with the program.
 */
file: string, 
/**
 * Whether it is of the case.
 */
own: boolean, name: string, title: string, description: string | null, severity: Severity, 
/**
 * `threshold`, `absence`, `anomaly`, `pattern` or `sequence`.
 */
condition: string, measure: string | null, query: string, by: Array<string>, 
/**
 * Where it begins in its text.
 */
line: number, 
/**
 * The TOML of its note, or of it alone where it comes with the program.
 */
text: string, level: DetectorLevel | null, 
/**
 * Whether the case has the fields that it needs.
 */
applicable: boolean, };

export type DetectorKeys = { text: string, 
/**
 * Null if the text is no TOML or has no detector; it is unchanged then.
 */
keys: Array<WrittenKey> | null, };

export type DetectorLevel = { kind: LevelKind, value: number, 
/**
 * Where a threshold ends.
 */
clear: number | null, 
/**
 * Whether values above, and below, what is expected count.
 */
up: boolean, down: boolean, };

export type DetectorList = { detectors: Array<DetectorEntry>, problems: Array<DetectorProblem>, };

export type DetectorOutcome = "fired" | "quiet" | "cannotSay";

export type DetectorProblem = { file: string, 
/**
 * Counted from 1; 0 where the whole file is meant.
 */
line: number, message: string, 
/**
 * What to do.
 */
hint: string | null, };

export type DetectorRun = { name: string, 
/**
 * The id of its note, or its file where it comes with the program.
 */
file: string, 
/**
 * Its place among all, from 1, and how many those are.
 */
done: number, total: number, applicable: boolean, verdict: DetectorVerdict, tally: AlertTally, 
/**
 * The first of its alerts.
 */
listed: Array<Alert>, 
/**
 * Why it could not run or cannot say anything, or a remark about it.
 */
problem: DetectorProblem | null, };

export type DetectorRuns = { revision: number, runs: Array<DetectorRun>, elapsedMs: number, };

export type DetectorText = { case: string, text: string, };

export type DetectorVerdict = { outcome: DetectorOutcome, judged: JudgedAmount, 
/**
 * How much was judged, or the missing data: for people, without a full stop.
 */
sentence: string, 
/**
 * The way out, if it cannot say.
 */
hint: string | null, };

export type Difference = { subject: Subject, change: Change, 
/**
 * Events of A and of B; of a number those that have it.
 */
counts: [number, number], 
/**
 * Their share of each side.
 */
shares: [number, number], 
/**
 * The higher rate is at least so many times the lower one, after the margin of error. Of numbers: the odds.
 */
atLeast: number, 
/**
 * The log-likelihood ratio, and the probability of one as large where nothing differs, times the number of tests.
 */
g2: number, pValue: number, 
/**
 * The order of the rows.
 */
score: number, moved: Moved | null, stop: PatternStop | null, beat: BeatChange | null, clock: ClockChange | null, 
/**
 * When it begins within a side; nothing if it is there all the time, or begins slowly.
 */
since: Onset | null, 
/**
 * Finds its events, on either side.
 */
filter: string, 
/**
 * Of two cases: finds them on each side, where the same pattern is another template.
 */
sideFilters: [string, string] | null, 
/**
 * What differs because of this, or with it.
 */
also: Array<Also>, };

export type EditRequest = { case: string, query: string, 
/**
 * Clauses are counted from 0, as `check` lists them.
 */
edit: QueryEdit, };

export type Edited = { query: string, };

export type Empty = Record<symbol, never>;

export type Encounter = { value: string, one: Nanos, other: Nanos, };

export type Entities = { host: EntityValue | null, user: EntityValue | null, process: EntityValue | null, };

export type EntityValue = { field: string, value: string, };

export type ErrorCode = "notFound" | "notReadable" | "notAllowed" | "empty" | "binary" | "noLogs" | "corrupt" | "limit" | "diskFull" | "readOnly" | "caseLocked" | "caseDamaged" | "caseTooNew" | "changed" | "queryInvalid" | "notAvailable" | "cancelled" | "badRequest" | "internal";

export type Estimate = { bytesIn: number, 
/**
 * By profile, from the least to the most; only those that were asked for, and none where nothing can be read.
 */
profiles: Array<ProfileCost>, 
/**
 * Free on the disk of the case, and what of it is kept in reserve.
 */
freeBytes: number, reserveBytes: number, };

export type EventDetail = { row: Row, 
/**
 * The whole event as text, up to a limit; bytes that are no text are shown as U+FFFD.
 */
text: string, textCut: boolean, bytes: number, format: string, source: Source, fields: Array<FieldValue>, 
/**
 * The text in pieces, those that are a field's value with its name.
 */
pieces: Array<Piece>, 
/**
 * Its first bytes as they are in the source, in hexadecimal.
 */
hex: string, };

export type EventId = { source: number, offset: number, };

export type EventRequest = { case: string, id: EventId, };

export type EventsReply = { 
/**
 * In the order asked for; those beyond a limit are not there.
 */
events: Array<EventDetail>, };

export type EventsRequest = { case: string, ids: Array<EventId>, };

export type Evidence = { row: Row, 
/**
 * Where its source was read from.
 */
sourcePath: string, 
/**
 * Of all bytes of its source.
 */
sourceSha256: string, 
/**
 * Its bytes: from the offset of its id, so many.
 */
bytes: number, 
/**
 * Of those bytes; null where there are more than a page can show.
 */
sha256: string | null, };

export type EvidenceList = { revision: number, 
/**
 * One for each event that was asked for, null where the case has no such event any more.
 */
events: Array<Evidence | null>, elapsedMs: number, };

export type EvidenceRequest = { case: string, events: Array<EventId>, };

export type Example = { line: number, 
/**
 * The event's text, cut where it is long.
 */
text: string, };

export type Exclusion = { text: string, };

export type ExclusionRequest = { case: string, 
/**
 * The files and folders that the rules were run from.
 */
paths: Array<string>, rule: string, field: string, value: string, };

export type ExplainRequest = { 
/**
 * The query may have stages, or be SQL.
 */
view: View, 
/**
 * The zone of days and of times that name none; null is UTC.
 */
zone: string | null, };

export type Explained = { 
/**
 * How the matching events were found, clause by clause; null for SQL.
 */
found: Explanation | null, 
/**
 * Whether kernels calculate the first aggregation, and if not why; null where there is none.
 */
calculated: string | null, };

export type Explanation = { 
/**
 * The filter as it was run: fields of the case, instants instead of relative times.
 */
filter: string, segments: number, 
/**
 * Segments that were skipped because their times are outside the range.
 */
skipped: number, events: number, matched: number, steps: Array<AnswerStep>, };

export type ExportAlertsRequest = { case: string, filter: AlertFilter, format: InboxFormat, 
/**
 * A file of this machine, one that is there is replaced; null for the text itself.
 */
path: string | null, };

export type ExportNotesRequest = { case: string, 
/**
 * The ids of the pages; null for all.
 */
pages: Array<string> | null, format: NotebookFormat, zone: string | null, 
/**
 * A file of this machine, one that is there is replaced; null for the text itself.
 */
path: string | null, };

export type ExportRequest = { view: View, zone: string | null, format: TableFormat, 
/**
 * A file of this machine; one that is there is replaced.
 */
path: string, };

export type Exported = { path: string, rows: number, 
/**
 * The share that is done.
 */
fraction: number, };

export type ExportedAlerts = { alerts: number, 
/**
 * Null where it was written to a file.
 */
text: string | null, };

export type ExportedNotes = { 
/**
 * A name for the file.
 */
name: string, bytes: number, 
/**
 * Null where it was written to a file.
 */
text: string | null, };

export type Facet = { field: string, 
/**
 * The types of its values in the case.
 */
kinds: Array<FieldKind>, 
/**
 * Matching events that have it.
 */
present: number, 
/**
 * The distinct count; `None` if there are too many values.
 */
distinct: number | null, top: Array<ScalarCount>, numbers: NumberFacet | null, 
/**
 * Events that have it, over time.
 */
sparkline: Array<number>, };

export type Facets = { revision: number, 
/**
 * Share of the fields that are done.
 */
fraction: number, elapsedMs: number, 
/**
 * What a cluster says of its answer.
 */
remote?: RemoteSays, 
/**
 * Matching events.
 */
total: number, 
/**
 * The starts of the sparkline buckets, and the end of the last.
 */
edges: Array<Nanos>, fields: Array<Facet>, };

export type FacetsRequest = { view: View, fields: Array<string>, top: number, buckets: number, };

export type FieldChange = { field: string, 
/**
 * With 95 %: no share of a value differs by more than this part of all events; the p50 of numbers by no more than this
 * part of that of A. Nothing if there is no bound.
 */
within: number | null, 
/**
 * The value whose share differs most, and its shares; nothing for numbers.
 */
value: [Scalar, [number, number]] | null, 
/**
 * The p50 of numbers on both sides.
 */
p50: [number, number] | null, };

export type FieldKind = "text" | "int" | "float" | "bool";

export type FieldList = { revision: number, fields: Array<KnownField>, 
/**
 * The one that names the service of an event.
 */
service: string | null, };

export type FieldValue = { 
/**
 * What the Elastic Common Schema calls it.
 */
ecs: string | null, name: string, value: string, kind: FieldKind, };

export type FileContent = { "kind": "text", text: string, } | { "kind": "bytes", bytes: Array<number>, };

export type FileOutcome = "new" | "known" | "grown" | "reread";

export type FileProgress = { 
/**
 * Its place in the list of files of this import.
 */
index: number, path: string, state: FileState, format: string | null, events: number, unparsed: number, bytesRead: number, bytesTotal: number, note: WireError | null, 
/**
 * What it is to the case.
 */
outcome: FileOutcome, 
/**
 * That in words, where it is not simply new.
 */
remark?: string, };

export type FileReading = { path: string, reading: Reading, };

export type FileState = "waiting" | "reading" | "done" | "failed";

export type FiredKind = "rule" | "correlation" | "detector";

export type FiredRule = { kind: FiredKind, 
/**
 * Its id.
 */
name: string, title: string, severity: Severity, 
/**
 * Empty for detectors of our own.
 */
file: string, about: RuleAbout, events: number, 
/**
 * How many alerts there are; the first are listed.
 */
alerts: number, 
/**
 * Of a rule one for each host, user and process; of a correlation one for each interval.
 */
listed: Array<Alert>, 
/**
 * Of a rule: who each listed alert is about.
 */
entities: Array<Entities>, 
/**
 * Of a rule: its events whose hosts, users and processes are too many to be alerts of their own, as one more alert.
 */
others: Alert | null, 
/**
 * Of those events, the ones whose hosts, users and processes are not counted one by one. Listed alerts may have some.
 */
uncounted: number, 
/**
 * Bins of time with events of a rule.
 */
noise: Array<NoiseBin>, };

export type FirstDivergence = { at: Nanos, 
/**
 * The difference that begins then, by its place in the list.
 */
row: number, 
/**
 * Nothing if it is there from the beginning of the side on.
 */
onset: Onset | null, 
/**
 * The first event of what becomes more, or the last one of what stopped.
 */
event: EventId | null, 
/**
 * 0 in A, 1 in B: where the event is.
 */
side: number, };

export type FollowRequest = { case: string, value: string, };

export type Followed = { trails: Array<Trail>, elapsedMs: number, 
/**
 * What a cluster says of its answer.
 */
remote?: RemoteSays, };

export type FormatFault = { 
/**
 * The key at fault, as `tags[1].if`; empty where the definition as a whole is.
 */
key: string, message: string, };

export type FormatName = { name: string, 
/**
 * What its lines are, for a person.
 */
title: string, };

export type Formats = { builtIn: Array<FormatName>, saved: Array<SavedFormat>, encodings: Array<string>, 
/**
 * Where saved formats are kept.
 */
folder: string, };

export type Granularity = "shape" | "template" | "group" | "family";

export type Hello = { version: string, host: HostKind, 
/**
 * Files and folders named on the command line: to be imported into a new case.
 */
paths: Array<string>, 
/**
 * A case named on the command line: to be opened.
 */
case: string | null, 
/**
 * Where new cases are put.
 */
casesFolder: string, 
/**
 * Cases that were open and those of that folder, the last used first.
 */
recent: Array<RecentCase>, };

export type HistoryAmount = "little" | "enough";

export type HostKind = "desktop" | "browser";

export type ImportChoices = { reading: Reading, 
/**
 * Files that are read otherwise.
 */
files: Array<FileReading>, 
/**
 * Of folders, only files that match one of these patterns, and none that match one of those.
 */
include: Array<string>, exclude: Array<string>, 
/**
 * Files and archive members that are not read, by their paths.
 */
leftOut: Array<string>, 
/**
 * Read what is in the case already once more.
 */
again: boolean, 
/**
 * Go on where the case would reach into what is kept free on its disk.
 */
beyondReserve: boolean, };

export type ImportPhase = "landing" | "indexing";

export type ImportProgress = { 
/**
 * The stage that the others wait for.
 */
waitsFor: StageName | null, phase: ImportPhase, 
/**
 * The case's revision after the last publication.
 */
revision: number, events: number, bytesRead: number, bytesTotal: number, elapsedMs: number, filesTotal: number, filesDone: number, 
/**
 * Only the files whose state changed since the last report.
 */
changed: Array<FileProgress>, 
/**
 * The counters of each stage.
 */
stages: Array<Stage>, };

export type ImportReport = { case: CaseSummary, events: number, bytesIn: number, bytesOnDisk: number, landedSeconds: number, indexedSeconds: number, 
/**
 * True when a person stopped it; what had landed is kept.
 */
cancelled: boolean, 
/**
 * Every file or folder that could not be read completely, with the reason.
 */
problems: Array<WireError>, 
/**
 * What files are to the case that are not simply new: there already, grown, replaced.
 */
remarks?: Array<string>, };

export type ImportRequest = { case: string, paths: Array<string>, 
/**
 * What is kept besides the original bytes; the case's own profile, and `full` for a new case, by default.
 */
profile?: Profile, choices?: ImportChoices, };

export type InboxAlert = { key: AlertKey, origin: AlertOrigin, 
/**
 * Whether it goes on, as far as live evaluation knows.
 */
open: boolean, gone: AlertGone | null, status: TriageStatus, 
/**
 * Of a closed alert.
 */
reason: CloseReason | null, 
/**
 * How many events came since it was closed, which made it new again; 0 if it has no events, and went on.
 */
sinceClosed: number | null, mutedUntil: Nanos | null, 
/**
 * All decisions, the earliest first.
 */
history: Array<TriageEntry>, alert: Alert, };

export type InboxFlags = { counts: StatusCounts, flags: Array<AlertFlag>, 
/**
 * When a mute ends next, by the wall clock.
 */
wakes: Nanos | null, };

export type InboxFormat = "csv" | "ndjson" | "sarif";

export type InboxGroup = { key: string, 
/**
 * The title of the detector, or the entity; empty of a time, and of alerts without an entity.
 */
label: string, 
/**
 * Where the hour or the day begins.
 */
from: Nanos | null, 
/**
 * Where it ends; not included.
 */
to: Nanos | null, alerts: number, 
/**
 * Which alerts these are, for a decision about them.
 */
digest: string, counts: StatusCounts, 
/**
 * The highest of its alerts.
 */
severity: Severity, unfolded: boolean, };

export type InboxLine = { alert: InboxAlert | null, group: InboxGroup | null, };

export type InboxPage = { 
/**
 * All alerts of the case.
 */
total: number, 
/**
 * The alerts that the filter lets through.
 */
matching: number, 
/**
 * Which alerts these are, for a decision about them.
 */
digest: string, 
/**
 * Lines of the whole list, with the headings of groups.
 */
linesTotal: number, first: number, lines: Array<InboxLine>, 
/**
 * By state, of the alerts that all of the filter but its states lets through.
 */
statuses: StatusCounts, 
/**
 * By severity, of the alerts that all of the filter but its severities lets through.
 */
severities: Array<SeverityCount>, selected: InboxAlert | null, };

export type IncidentTally = { incidents: number, 
/**
 * Incidents in which something fired.
 */
found: number, 
/**
 * Alerts that meet an incident.
 */
rightAlerts: number, 
/**
 * The share of the alerted time that is inside incidents. Null without alerted time, and if all incidents are
 * moments.
 */
precision: number | null, 
/**
 * The share of the incidents' time that is alerted. Null if all incidents are moments.
 */
recall: number | null, 
/**
 * From the start of an incident to its first alert, over the incidents in which something fired; nothing if that was
 * raised before.
 */
medianDelayNs: Nanos | null, worstDelayNs: Nanos | null, };

export type IndexTemplate = { body: unknown, 
/**
 * The fields and the settings, in the order of the template.
 */
decisions: Array<TemplateDecision>, 
/**
 * Events that the fields were measured in.
 */
measured: number, };

export type Interval = { "kind": "auto", buckets: number, } | { "kind": "fixed", ns: Nanos, } | { "kind": "calendar", count: number, unit: CalendarUnit, };

export type JudgedAmount = { 
/**
 * Bins, pauses, patterns or events that were compared.
 */
count: number, 
/**
 * How many of these there are.
 */
of: number, 
/**
 * Groups that could have fired.
 */
groups: number, allGroups: number, 
/**
 * From the first to the last instant that was looked at.
 */
spanNs: Nanos, };

export type KeyChange = { key: string, 
/**
 * The new value; without one, the key goes.
 */
value: KeyValue | null, 
/**
 * Another name that the key gets in its table. It keeps its value then.
 */
renamed: string | null, };

export type KeyValue = boolean | number | string | Array<string>;

export type KnownField = { 
/**
 * What the Elastic Common Schema calls it.
 */
ecs: string | null, name: string, kinds: Array<FieldKind>, 
/**
 * Events that have it, in the whole case. `None` if a segment does not tell: it was written by a former
 * version, or stores no columns.
 */
present: number | null, };

export type Layout = { 
/**
 * The text before the time with its marks, and words and numbers by their kind: `number word [time`.
 */
layout: string, events: number, };

export type LeftOut = "chosenBy" | "manyValues" | "countsUp" | "oneSide";

export type Level = "none" | "trace" | "debug" | "info" | "notice" | "warn" | "error" | "fatal";

export type LevelCount = { level: Level, count: number, };

export type LevelKind = "above" | "below" | "deviations" | "longer" | "times";

export type LevelSeries = { level: Level, counts: Array<number>, };

export type Link = { ends: [LinkEnd, LinkEnd], 
/**
 * Distinct values that both have, and their share of those of the place with fewer.
 */
shared: number, share: number, examples: Array<string>, };

export type LinkEnd = { format: string, spot: Spot, 
/**
 * The first source of each series that has it.
 */
sources: Array<number>, 
/**
 * Its distinct values.
 */
values: number, };

export type LinkedId = { 
/**
 * Fields first, then words of messages.
 */
spots: Array<Spot>, 
/**
 * A query that puts the events of each id together.
 */
transactions: string, };

export type LinkedRequest = { case: string, value: string, 
/**
 * Answers with nothing instead of looking through all events.
 */
onlyKnown: boolean, };

export type LinkedValue = { 
/**
 * The ids that it is a value of, usually one.
 */
ids: Array<LinkedId>, 
/**
 * A filter that finds it under all names; empty if it is not a value of any id.
 */
query: string, 
/**
 * Matching events.
 */
events: number, };

export type Links = { 
/**
 * Places of different formats or names that hold the same values, those with the most first.
 */
links: Array<Link>, 
/**
 * What is linked with the same place is one kind of id.
 */
ids: Array<LinkedId>, 
/**
 * Sources whose events have values in common, the largest offset first.
 */
clocks: Array<Clock>, 
/**
 * The share of all values that was looked at.
 */
sampled: number, };

export type LinksProgress = { fraction: number, };

export type ListedRemote = { name: string, 
/**
 * What opens it in place of a case's folder.
 */
path: string, url: string, index: string, timeField: string | null, 
/**
 * Where the credentials are, in words. Never the credentials.
 */
credentials: string, ca: string | null, 
/**
 * The SHA-256 of its certificate, in place of a file.
 */
fingerprint: string | null, off: boolean, };

export type LiveAlert = { 
/**
 * Grows by one with each message.
 */
number: number, 
/**
 * Whether a person does not want to be notified: the alert or its detector is muted, or it was dealt with.
 */
quiet: boolean, 
/**
 * The same in all messages of an alert, over restarts too.
 */
id: string, state: AlertState, 
/**
 * Whether it goes on.
 */
open: boolean, 
/**
 * It turned out to be none, because of events that came later.
 */
retracted: boolean, alert: Alert, };

export type LiveAlerts = { 
/**
 * How many detectors of the case are evaluated.
 */
detectors: number, 
/**
 * The newest last.
 */
alerts: Array<LiveAlert>, 
/**
 * Detectors that cannot run, the newest last.
 */
problems: Array<DetectorProblem>, 
/**
 * Why none is evaluated at the moment.
 */
trouble: WireError | null, };

export type LiveChange = "pause" | "resume" | "remove";

export type LiveKind = { "kind": "follow", paths: Array<string>, } | { "kind": "syslogUdp", 
/**
 * 0 lets the system choose.
 */
port: number, } | { "kind": "syslogTcp", port: number, } | { "kind": "syslogUnix", path: string, } | { "kind": "http", port: number, } | { "kind": "journal" };

export type LivePart = { 
/**
 * `10.0.0.7`, `10.0.0.0/8`, `tag:nginx`, or `source:/var/log/app/*`.
 */
part: string, format?: string, zone?: string, };

export type LiveReading = { format?: string, 
/**
 * The zone of times without one.
 */
zone?: string, 
/**
 * Parts of it that are read in another way.
 */
parts: Array<LivePart>, };

export type LiveSettings = { 
/**
 * How long an event may wait until it is visible.
 */
refreshMs: number, 
/**
 * What was received longer ago is dropped.
 */
keepHours: number | null, 
/**
 * The oldest events are dropped when the case takes more.
 */
keepBytes: number | null, 
/**
 * What was received longer ago is compressed harder.
 */
compressHours: number | null, };

export type LiveSource = { id: number, name: string, 
/**
 * What it was added as, if it was here.
 */
kind: LiveKind | null, reading: LiveReading, state: LiveState, 
/**
 * Why it does not run, or has nothing to read yet.
 */
error: WireError | null, received: number, accepted: number, duplicates: number, bytes: number, rejected: Array<Rejected>, 
/**
 * When something was accepted last.
 */
last: Nanos | null, 
/**
 * How much later than their own times events arrive: the newest of them.
 */
lagMs: number | null, 
/**
 * How long after their own times they became visible: all of them.
 */
lagP50Ms: number | null, lagP99Ms: number | null, 
/**
 * The names of the case's sources that it feeds.
 */
streams: Array<string>, };

export type LiveStage = { 
/**
 * `indexing`, `publishing` or `merging`.
 */
name: string, batches: number, 
/**
 * How long they took together.
 */
ms: number, };

export type LiveState = "running" | "paused" | "offered" | "failed";

export type LiveStatus = { sources: Array<LiveSource>, 
/**
 * This process receives.
 */
isReceiving: boolean, 
/**
 * The number of another process that receives into the case. Its sources are shown here, and changed there.
 */
receiver: number | null, settings: LiveSettings, 
/**
 * What is received waits for another change of the case, such as an import.
 */
isWaiting: boolean, 
/**
 * That of the case, as every answer has it.
 */
revision: number, 
/**
 * What waits for the next sync.
 */
queueBytes: number, queuePeakBytes: number, 
/**
 * What is synced and not visible yet.
 */
backlogBytes: number, 
/**
 * How long the oldest of it has waited; the percentiles do not have it yet.
 */
waitingMs: number, 
/**
 * Appends that found no room.
 */
stalls: number, 
/**
 * How often the log was synced, and how long that took.
 */
syncs: number, syncP50Ms: number, syncP99Ms: number, 
/**
 * How long after its append an event became visible.
 */
visibleP50Ms: number, visibleP99Ms: number, 
/**
 * What was done since it began to receive.
 */
stages: Array<LiveStage>, 
/**
 * Why no events can be made at the moment. What is received is kept.
 */
trouble: WireError | null, };

export type LocateRequest = { view: View, order: Order, time: Nanos, 
/**
 * The row of this event is wanted, or the row where it would be.
 */
event?: EventId, };

export type Located = { 
/**
 * The first row at or past the time in this order.
 */
row: number, };

export type MarkdownKind = "heading" | "paragraph" | "quote" | "list" | "item" | "table" | "row" | "column" | "codeBlock" | "cell" | "rule" | "text" | "code" | "strong" | "emphasis" | "strike" | "link" | "break";

export type MarkdownNode = { kind: MarkdownKind, text: string, level: number | null, done: boolean | null, cell: NotebookCell | null, children: Array<MarkdownNode>, };

export type MarkdownPage = { nodes: Array<MarkdownNode>, };

export type MarkdownRequest = { text: string, };

export type MatchPart = { text: string, matched: boolean, };

export type MatchedField = { 
/**
 * As the case has it; empty for the text of the event.
 */
field: string, 
/**
 * Its value around what matched.
 */
parts: Array<MatchPart>, 
/**
 * All of the value, if a filter can name it.
 */
value: string | null, };

export type Measure = { "kind": "stats", field: string, } | { "kind": "percentiles", field: string, at: Array<number>, } | { "kind": "distinct", field: string, } | { "kind": "first", field: string, } | { "kind": "last", field: string, } | { "kind": "rate", per: Nanos, };

export type MeasurePoints = { 
/**
 * The group's values, empty without groups.
 */
group: Array<string>, events: number, low: Array<number | null>, high: Array<number | null>, 
/**
 * Of anomalies and rhythms: what is expected, and the distance that a level is a multiple of.
 */
expected: Array<number | null>, deviation: Array<number | null>, 
/**
 * Of anomalies: what the last bin is compared with.
 */
basis: AlertBasis | null, };

export type Measured = { 
/**
 * Such as `p95(duration_ms)`.
 */
name: string, values: Array<number | null>, 
/**
 * The same as text, where they are no numbers or whole ones beyond 2^53.
 */
texts: Array<string | null> | null, 
/**
 * Matching events without the field, and those whose value is no number.
 */
missing: number, mistyped: number, };

export type Mix = { field: string, 
/**
 * The mean distance of the numbers with one value; each value counts by its numbers.
 */
within: number, };

export type Moved = { 
/**
 * The largest difference between the shares of numbers up to any value (Kolmogorov and Smirnov).
 */
distance: number, 
/**
 * The shares of the numbers from here on differ by that distance.
 */
threshold: number, 
/**
 * The percentiles 50, 95 and 99, of A and of B.
 */
percentiles: [[Scalar | null, Scalar | null], [Scalar | null, Scalar | null], [Scalar | null, Scalar | null]], 
/**
 * How much each part of the numbers moved, from the smallest to the greatest.
 */
curve: Array<CurvePoint>, 
/**
 * The field whose values explain it: the numbers with each value moved far less than all together.
 */
mix: Mix | null, };

export type Nanos = string & { readonly __nanos: unique symbol };

export type NearWord = { 
/**
 * The query with this word instead.
 */
query: string, word: string, 
/**
 * How many events have it.
 */
events: number, };

export type NoiseBin = { start: Nanos, events: number, };

export type Normal = { median: number, 
/**
 * Never less than what independent events vary by, and never less than one event.
 */
spread: number, };

export type Note = { 
/**
 * `star`, `tag`, `comment`, `marker`, `query`, `board`, `page`; the store takes any word.
 */
kind: string, 
/**
 * Its name among those of its kind.
 */
id: string, 
/**
 * Grows with every change of the case's notes; tells one state of a note from a later one.
 */
revision: number, created: Nanos, changed: Nanos, 
/**
 * The event it is on.
 */
event: EventId | null, 
/**
 * The times it is on, both included; equal for a moment.
 */
from: Nanos | null, to: Nanos | null, text: string, 
/**
 * Whatever the kind needs in addition.
 */
data: unknown, };

export type NoteConflict = { kind: string, id: string, 
/**
 * The note as it is now; null where it was removed.
 */
current: Note | null, };

export type NoteDraft = { kind: string, id: string, 
/**
 * The revision that it was made from, 0 for a note that is not there yet; null replaces what is there.
 */
known?: number | null, event?: EventId | null, from?: Nanos | null, to?: Nanos | null, text?: string, data?: unknown, };

export type NoteName = { kind: string, id: string, };

export type NoteRemoval = { kind: string, id: string, 
/**
 * The revision that was seen last. Without one, the note is removed in any state.
 */
known?: number | null, };

export type NotebookCell = { kind: CellKind, title: string | null, 
/**
 * Of a query, a chart, a seismograph or a map.
 */
query: string, from: Nanos | null, to: Nanos | null, 
/**
 * The zone of days, and of times that name none.
 */
zone: string | null, rows: number, map: CellMap | null, events: Array<CellEvent>, 
/**
 * What of it could not be understood.
 */
problem: string | null, };

export type NotebookFormat = "html" | "markdown";

export type NotebookProgress = { cellsDone: number, cells: number, };

export type Notes = { 
/**
 * To ask from later.
 */
mark: string, 
/**
 * Whether these are all notes, and not only those that changed.
 */
whole: boolean, notes: Array<Note>, removed: Array<NoteName>, 
/**
 * Why notes cannot be written, if so.
 */
readOnly: string | null, 
/**
 * Damaged files of notes that were kept aside; what could be read of them is among the notes.
 */
keptAside: Array<string>, };

export type NotesChanged = { 
/**
 * The notes that were put, as they are now. Its mark is that of the change: what others changed before it
 * is still to be asked for from the last mark.
 */
made: NotesMade | null, 
/**
 * Notes that somebody else changed meanwhile; where there are any, nothing was changed.
 */
conflicts: Array<NoteConflict>, };

export type NotesMade = { mark: string, notes: Array<Note>, removed: Array<NoteName>, };

export type NotesRequest = { case: string, 
/**
 * The mark of an earlier reply; null for all notes.
 */
since: string | null, };

export type NumberFacet = { 
/**
 * The events with the field whose value is a number.
 */
count: number, least: number | null, greatest: number | null, average: number | null, 
/**
 * The values at [`PERCENTILES`].
 */
percentiles: Array<PercentileValue>, };

export type Onset = { 
/**
 * To a hundred-and-twentieth of the side's time.
 */
at: Nanos, 
/**
 * 0 in A, 1 in B.
 */
side: number, };

export type Order = "oldestFirst" | "newestFirst";

export type Page = { revision: number, total: number, first: number, rows: Array<Row>, elapsedMs: number, 
/**
 * What a cluster says of its answer.
 */
remote?: RemoteSays, };

export type PageRequest = { view: View, order: Order, 
/**
 * Rows of the sorted result, counted from 0.
 */
first: number, count: number, 
/**
 * Fields whose values come with each row.
 */
columns?: Array<string>, };

export type PasteRequest = { case: string, 
/**
 * What the source is called.
 */
name: string, text: string, reading?: Reading, };

export type Paths = { paths: Array<string>, };

export type Pattern = { 
/**
 * Names the template for ever; `template:ID` is a filter.
 */
id: string, 
/**
 * The parent template of the next granularity.
 */
parent: string | null, 
/**
 * What its messages share, `<num>` and the like for what varies.
 */
text: string, count: number, 
/**
 * Of the matching events.
 */
share: number, first: Nanos | null, last: Nanos | null, counts: Array<number>, 
/**
 * Events of each level, in the order of [`Level::ALL`]; as JSON only the levels that occur.
 */
levels: Array<LevelCount>, 
/**
 * Source and offset of its earliest events.
 */
examples: Array<EventId>, 
/**
 * Matching events outside of the view's times, if requested. Zero: the template is new. All: it is gone.
 */
elsewhere: number | null, 
/**
 * Its variable parts, if requested.
 */
variables: Array<PatternVariable>, };

export type PatternStop = { 
/**
 * Its last event.
 */
last: Nanos, 
/**
 * So many were to be expected after it, at its rate among all events until then.
 */
expected: number, 
/**
 * The rate until then is at least so many times that after it.
 */
atLeast: number, };

export type PatternVariable = { 
/**
 * Its name in the template: `num`, `ip`, `*`.
 */
kind: string, count: number, 
/**
 * Distinct values, as counted up to the limit.
 */
distinct: number, 
/**
 * Some values were different from all that were counted, and are in no other figure than `count`.
 */
more: boolean, top: Array<ValueCount>, 
/**
 * Of numbers, of durations in milliseconds, of sizes in bytes.
 */
min: number | null, max: number | null, };

export type Patterns = { revision: number, 
/**
 * Share of the work done: 1 when this is the whole answer.
 */
fraction: number, elapsedMs: number, 
/**
 * What a cluster says of its answer, such as how large the sample is.
 */
remote?: RemoteSays, 
/**
 * The most frequent first.
 */
patterns: Array<Pattern>, 
/**
 * Templates that occur, listed or not.
 */
distinct: number, 
/**
 * Matching events, and those of them without a message.
 */
total: number, without: number, 
/**
 * Buckets of the counts: the start of the first, and their width.
 */
start: Nanos, bucketNs: Nanos, };

export type PatternsRequest = { view: View, granularity: Granularity, 
/**
 * Templates listed at most, the most frequent first.
 */
limit: number, 
/**
 * The most buckets of a sparkline.
 */
buckets: number, 
/**
 * Events named as examples of each, the earliest.
 */
examples: number, 
/**
 * Counts outside of the view's times too: what is new in it, what is gone.
 */
compare: boolean, 
/**
 * The times that it is compared with; all others where none are given.
 */
against?: TimeSpan, 
/**
 * Ids of listed templates whose variable parts are listed.
 */
variables: Array<string>, 
/**
 * The most frequent values listed of a variable part.
 */
values: number, };

export type PercentileValue = { percent: number, value: number | null, };

export type Piece = { text: string, field: string | null, };

export type PlanPushRequest = { view: View, 
/**
 * The name of the remote.
 */
remote: string, index: string, 
/**
 * A data stream instead of an index.
 */
dataStream: boolean, 
/**
 * Whether the text of events is kept as it was, and can be searched exactly.
 */
withOriginal: boolean, };

export type Preview = { files: Array<PreviewFile>, estimate: Estimate, };

export type PreviewFile = { account: Account, path: string, name: string, 
/**
 * The rotated set it is a part of.
 */
set: string | null, 
/**
 * Its length, if known.
 */
bytes: number | null, format: string, encoding: string, compression: string, zone: string, 
/**
 * Of the sample; the last of all where the file's last lines could be read too.
 */
first: Nanos | null, last: Nanos | null, 
/**
 * Events of the sample, and how many of them were not understood.
 */
events: number, unparsed: number, 
/**
 * True if the sample is the whole file.
 */
isWhole: boolean, rows: Array<PreviewRow>, 
/**
 * What it is to the case by its first bytes and its length; the import compares all of it.
 */
outcome: FileOutcome, 
/**
 * That in words, where it is not simply new.
 */
remark: string | null, error: WireError | null, };

export type PreviewRequest = { 
/**
 * Where the case is or will be; its disk is measured.
 */
case: string, paths: Array<string>, choices?: ImportChoices, 
/**
 * So many events of each file.
 */
events: number, 
/**
 * Leave out what the import will take, which has to be measured.
 */
withoutEstimate?: boolean, };

export type PreviewRow = { line: number, time: Nanos | null, level: Level, 
/**
 * Why the format did not understand it, if so.
 */
unparsed?: string, 
/**
 * The event's text in pieces, those with a value named by its field.
 */
pieces: Array<Piece>, };

export type PreviewSourceRequest = { case: string, source: number, reading: Reading, events: number, };

export type Profile = "raw" | "fields" | "bloom" | "full";

export type ProfileCost = { profile: Profile, 
/**
 * The whole import: duration and size on disk.
 */
seconds: number, bytesOnDisk: number, 
/**
 * What the sample took: of the processor for a gigabyte (nothing where the system does not tell), and on the disk
 * for a byte.
 */
cpuSecondsAGb: number, bytesAByte: number, 
/**
 * Whether a case of this profile fits above the reserve; where not, an import needs `beyond_reserve`.
 */
fits: boolean, };

export type PushPlan = { events: number, 
/**
 * Events that an earlier push has sent before it was cut off; this one continues after them.
 */
sentBefore: number, url: string, template: IndexTemplate, };

export type PushProgress = { 
/**
 * Documents that the cluster has acknowledged, with those of an earlier push.
 */
done: number, total: number, 
/**
 * The size of a request now, before it is packed.
 */
bulkBytes: number, 
/**
 * Documents that were sent again, because the cluster had no room for them.
 */
retries: number, 
/**
 * Requests that were sent again, because the cluster was busy or the connection broke.
 */
retriedRequests: number, 
/**
 * Documents a second since it began.
 */
perSecond: number, 
/**
 * The time that the rest takes at this rate.
 */
leftSeconds: number | null, };

export type PushReport = { pushed: Pushed, 
/**
 * Hours that the case or the cluster has events of, and how many have different counts.
 */
hours: number, different: number, 
/**
 * The first of them; where there are too many, of those that differ.
 */
listed: Array<PushedHour>, 
/**
 * Why they were not counted. The documents are there all the same.
 */
problem: WireError | null, };

export type PushRequest = { 
/**
 * Documents a second at most.
 */
rate: number | null, 
/**
 * Requests under way at once.
 */
senders: number, 
/**
 * The body of the index template as it was shown.
 */
template: unknown, view: View, 
/**
 * The name of the remote.
 */
remote: string, index: string, 
/**
 * A data stream instead of an index.
 */
dataStream: boolean, 
/**
 * Whether the text of events is kept as it was, and can be searched exactly.
 */
withOriginal: boolean, };

export type Pushed = { 
/**
 * Documents that the cluster did not have.
 */
created: number, 
/**
 * Documents that it had.
 */
known: number, 
/**
 * Events that an earlier push had sent, by its checkpoint.
 */
skipped: number, 
/**
 * Documents that it refused, with why for each kind of refusal.
 */
refused: { [key in string]: number }, bytes: number, retries: number, };

export type PushedHour = { hour: Nanos, case: number, remote: number, };

export type QueryCheck = { diagnostics: Array<QueryDiagnostic>, words: Array<QueryWord>, 
/**
 * The query in the language's own spelling, where nothing is wrong with it.
 */
printed: string | null, 
/**
 * The text before the first pipe: the filter of events, timelines and charts.
 */
filter: string, 
/**
 * What of the filter must hold at once; empty where the filter has a mistake.
 */
clauses: Array<QueryClause>, 
/**
 * Its stages, without their pipes. A statement of SQL is one, of all events.
 */
stages: Array<QueryPart>, 
/**
 * Whether it is read as SQL.
 */
isSql: boolean, };

export type QueryClause = { text: string, isNegated: boolean, };

export type QueryDiagnostic = { 
/**
 * False for advice: the query runs, but perhaps something else was meant.
 */
isError: boolean, message: string, hint: string | null, start: number, end: number, 
/**
 * What to write instead of these bytes to put it right.
 */
replacement: string | null, };

export type QueryEdit = { "kind": "add", clause: string, } | { "kind": "remove", at: number, } | { "kind": "turn", at: number, } | { "kind": "replace", at: number, clause: string, };

export type QueryPart = { start: number, end: number, };

export type QueryWord = { class: WordClass, start: number, end: number, };

export type Reading = { 
/**
 * A format's name.
 */
format?: string, 
/**
 * A file that defines a format.
 */
definition?: string, encoding?: string, 
/**
 * An IANA name or an offset such as `+02:00`, for times that name none.
 */
zone?: string, 
/**
 * Of the first time, where times name none.
 */
year?: number, 
/**
 * The field that contains the time; ignored where a file has none of that name.
 */
timeField?: string, 
/**
 * Added to every time.
 */
clockOffset?: Nanos, 
/**
 * When the machine was started whose uptimes the times are.
 */
boot?: Nanos, };

export type RecentCase = { path: string, name: string, events: number, sources: number, bytes: number, 
/**
 * What the case takes on disk.
 */
bytesOnDisk: number, changed: Nanos, 
/**
 * When it was opened last, where it was.
 */
opened: Nanos | null, 
/**
 * The first and last time of its events.
 */
first: Nanos | null, last: Nanos | null, state: CaseState, 
/**
 * Why it can only be read, if so.
 */
readOnly: string | null, };

export type Reference = { topics: Array<ReferenceTopic>, };

export type ReferenceEntry = { 
/**
 * Ways to write it; the first one is the usual one.
 */
written: Array<string>, 
/**
 * Other names it is known by.
 */
aliases: Array<string>, summary: string, example: string | null, };

export type ReferenceTopic = { name: string, entries: Array<ReferenceEntry>, };

export type Rejected = { reason: string, count: number, };

export type Relation = { "kind": "same" } | { "kind": "together" } | { "kind": "time", 
/**
 * 0 in A, 1 in B.
 */
side: number, 
/**
 * The 120ths of its time in which it occurs, and those of them in which the row occurs as well.
 */
bins: number, shared: number, } | { "kind": "clock" };

export type RemoteCaseMark = { name: string, url: string, 
/**
 * The pattern of its indexes.
 */
index: string, 
/**
 * Which server it is, with its release.
 */
server: string, };

export type RemoteCheck = { usable: boolean, findings: Array<RemoteFinding>, };

export type RemoteFinding = { what: string, text: string | null, 
/**
 * Why not, with what to do.
 */
problem: WireError | null, };

export type RemoteList = { remotes: Array<ListedRemote>, 
/**
 * Nothing connects to any of them.
 */
allOff: boolean, };

export type RemoteName = { name: string, };

export type RemoteSays = { 
/**
 * What the answer lacks: shards that failed, a time limit.
 */
missing: Array<string>, 
/**
 * Clauses that the cluster answers a little differently, and why.
 */
inexact: Array<string>, 
/**
 * What is estimated, and what else people should know.
 */
notes: Array<string>, };

export type RemoveFormatRequest = { 
/**
 * The path of a saved format.
 */
path: string, };

export type RenameRequest = { path: string, name: string, };

export type ReprofileRequest = { case: string, profile: Profile, };

export type RereadRequest = { case: string, sources: Array<number>, reading: Reading, };

export type Rewriting = { done: number, of: number, };

export type Row = { id: EventId, time: Nanos | null, level: Level, sourceName: string, line: number, 
/**
 * The event as text, cut at a length that a screen can show.
 */
text: string, cut: boolean, 
/**
 * The values of the columns asked for, in their order.
 */
values?: Array<string | null>, };

export type RuleAbout = { description: string, author: string, status: string, 
/**
 * When it was written or, if it was, changed, as the rule has it.
 */
date: string, references: Array<string>, falsePositives: Array<string>, 
/**
 * Tactics of ATT&CK: `credential-access`.
 */
tactics: Array<string>, 
/**
 * Techniques of ATT&CK: `T1003.001`.
 */
techniques: Array<string>, 
/**
 * Other tags: `cve.2024-1212`.
 */
tags: Array<string>, 
/**
 * As messages show it: `category process_creation, product windows`. Of a correlation those of its rules.
 */
logSource: string, };

export type RuleHitList = { 
/**
 * How many events of these the rule matches. Of a correlation an event counts for each rule that matches it.
 */
matches: number, hits: Array<RuleHitRow>, 
/**
 * So many are listed at most.
 */
most: number, 
/**
 * The file of the rule; of a correlation its own first, then those of its rules.
 */
texts: Array<RuleText>, };

export type RuleHitRow = { 
/**
 * The id of the rule, which of a correlation is one of its rules, and its title.
 */
rule: string, title: string, event: EventId, source: string, line: number, time: Nanos | null, entities: Entities, fields: Array<MatchedField>, };

export type RuleHitsRequest = { case: string, 
/**
 * The files and folders that the rules were run from: filters of any of them narrow the rule.
 */
paths: Array<string>, 
/**
 * The file of the rule or correlation, and its id.
 */
file: string, rule: string, 
/**
 * Only events of these.
 */
entities: Entities | null, 
/**
 * Of a correlation: only events of an alert.
 */
interval: AlertInterval | null, skip: number, take: number, };

export type RuleRuns = { revision: number, 
/**
 * Rules that were read.
 */
rules: number, 
/**
 * Of them, how many had events to look at.
 */
applicable: number, 
/**
 * The most serious first; of those alike in the order of time.
 */
fired: Array<FiredRule>, 
/**
 * How many rules and correlations of each log source are about a technique, and could see it or fired.
 */
coverage: Array<TechniqueCoverage>, 
/**
 * Why rules cannot match, the reasons of the most rules first.
 */
blind: Array<BlindRules>, 
/**
 * The first of what is wrong with files, and how much there is.
 */
problems: Array<DetectorProblem>, allProblems: number, 
/**
 * Filters of the case that were read.
 */
filters: number, 
/**
 * The width of bins of `noise`, and the times of the case that they cover; both ends included.
 */
bin: Nanos, ends: TimeSpan | null, elapsedMs: number, };

export type RuleText = { file: string, text: string, };

export type RunDetectorsRequest = { case: string, };

export type RunRequest = { 
/**
 * The query may have stages, or be SQL.
 */
view: View, 
/**
 * The zone of days and of times that name none; null is UTC.
 */
zone: string | null, first: number, count: number, 
/**
 * Whether percentiles and distinct counts of a cluster's events are calculated here. A case always does.
 */
exact?: boolean, };

export type RunRulesRequest = { case: string, 
/**
 * Files and folders with Sigma rules.
 */
paths: Array<string>, };

export type SaveFormatRequest = { text: string, 
/**
 * Write over a saved format of the same name.
 */
replace: boolean, };

export type SavedFormat = { path: string, formats: Array<FormatName>, 
/**
 * The definition as it was written.
 */
text: string, 
/**
 * What is wrong with it; it is not used then.
 */
faults: Array<FormatFault>, };

export type Scalar = { kind: ScalarKind, text: string, number: number | null, };

export type ScalarCount = { value: Scalar, count: number, };

export type ScalarKind = "text" | "int" | "float" | "bool" | "time";

export type SeekReply = { row: number | null, };

export type SeekRequest = { view: View, order: Order, 
/**
 * The row that is left; null for the edge of the result.
 */
from: number | null, 
/**
 * Towards the first row.
 */
backward: boolean, 
/**
 * A filter that the row has to match in addition to that of the view.
 */
wanted: string, };

export type SeenAlert = { key: AlertKey, 
/**
 * How many events it had; null for those that it has now.
 */
events: number | null, };

export type Seismograph = { revision: number, elapsedMs: number, 
/**
 * Rows that move together are neighbours.
 */
rows: Array<SeismographRow>, 
/**
 * Patterns that occur, listed or not.
 */
distinct: number, 
/**
 * Matching events, and those of them without a message.
 */
total: number, without: number, 
/**
 * The start of the first bin, and the width of all.
 */
start: Nanos, binNs: Nanos, 
/**
 * Events of all patterns in each bin. A bin without any is not part of what is normal.
 */
all: Array<number>, };

export type SeismographProgress = { fraction: number, };

export type SeismographRequest = { view: View, granularity: Granularity, 
/**
 * Rows listed at most.
 */
rows: number, 
/**
 * The most bins that the time is cut into.
 */
bins: number, };

export type SeismographRow = { id: string, text: string, count: number, levels: Array<LevelCount>, 
/**
 * Events in each bin.
 */
counts: Array<number>, normal: Normal, 
/**
 * Its first event, if it begins later than can be chance, and its last one, if it ends earlier.
 */
started: Nanos | null, stopped: Nanos | null, 
/**
 * The time after which it repeats, if it does.
 */
periodNs: Nanos | null, };

export type ServiceEdge = { 
/**
 * Places in the list of nodes.
 */
from: number, to: number, count: number, 
/**
 * Median and 95th percentile of the time between the two events, by nearest rank.
 */
p50Ns: Nanos, p95Ns: Nanos, 
/**
 * Steps whose second event is an error.
 */
errors: number, };

export type ServiceMap = { revision: number, 
/**
 * Where ids were read.
 */
places: Array<Spot>, 
/**
 * The most frequent first; what is too much for a picture is the last one, without a name.
 */
nodes: Array<ServiceNode>, 
/**
 * The most frequent first.
 */
edges: Array<ServiceEdge>, 
/**
 * Different ids, and their events.
 */
ids: number, events: number, 
/**
 * Matching events without an id, a time or a node.
 */
without: number, 
/**
 * From the first to the last of the events.
 */
spanNs: Nanos, 
/**
 * The share of all ids that was looked at.
 */
sampled: number, };

export type ServiceMapProgress = { fraction: number, };

export type ServiceMapRequest = { view: View, 
/**
 * The field whose values are the ids.
 */
id: string, 
/**
 * Reads ids under their other names too, where sources are linked.
 */
linked: boolean, 
/**
 * The field whose values are the nodes.
 */
node: string, };

export type ServiceNode = { name: string | null, events: number, ids: number, 
/**
 * Events with the level error or a worse one.
 */
errors: number, };

export type Severity = "informational" | "low" | "medium" | "high" | "critical";

export type SeverityCount = { severity: Severity, alerts: number, };

export type ShareChange = { subject: Subject, change: Change, counts: [number, number], shares: [number, number], 
/**
 * The rows whose events are left out in the following.
 */
without: Array<Subject>, 
/**
 * Its events without theirs, and all events without theirs.
 */
left: [number, number], leftEvents: [number, number], };

export type SignificantWord = { word: string, 
/**
 * Events of the selection that have it, and of the others.
 */
selected: number, others: number, 
/**
 * How much more frequent it is in the selection, times its share of the selection.
 */
score: number, };

export type SignificantWords = { 
/**
 * The highest score first.
 */
words: Array<SignificantWord>, 
/**
 * Events selected, and the others.
 */
selected: number, others: number, };

export type SortedPageRequest = { view: View, field: string, descending: boolean, first: number, count: number, 
/**
 * Fields whose values come with each row.
 */
columns?: Array<string>, };

export type Source = { id: number, name: string, 
/**
 * Where it was read from.
 */
path: string, format: string, bytes: number, events: number, unparsed: number, sha256: string, 
/**
 * False while it is being read, and after an import that was cut off.
 */
complete: boolean, 
/**
 * It was received while it was written. While it is not complete, more may come.
 */
live: boolean, 
/**
 * The rotated set it is a part of: shown as one source.
 */
set?: string, 
/**
 * The zone of its times, and how it was decided.
 */
zone?: string, encoding: string, compression: string, 
/**
 * The earliest and the latest time of its events.
 */
first: Nanos | null, last: Nanos | null, 
/**
 * Why it is not complete, or what was odd about it.
 */
note?: string, 
/**
 * What was chosen about reading it.
 */
chosen: Reading, };

export type Spot = { "kind": "field", "name": string } | { "kind": "after", "name": string };

export type Stage = { name: StageName, threads: number, events: number, bytes: number, 
/**
 * The queue depth of the stage, and its capacity.
 */
queue: number, queueRoom: number, 
/**
 * How often its output queue was full (a stall), and how long it waited then.
 */
stalls: number, stalledMs: number, 
/**
 * The time it was idle.
 */
idleMs: number, 
/**
 * The CPU time of its threads.
 */
cpuMs: number, };

export type StageName = "read" | "parse" | "land" | "index";

export type StatusCounts = { new: number, acknowledged: number, muted: number, closed: number, };

export type Stretch = { from: Nanos, to: Nanos, };

export type StretchRequest = { case: string, from: string, 
/**
 * Null asks for the time that `from` names alone.
 */
to: string | null, 
/**
 * The zone of days and of times that name none; null is UTC.
 */
zone: string | null, 
/**
 * The times in view: a time of day is on a day of theirs; null leaves that to the end of the data.
 */
around: Stretch | null, };

export type Strip = { revision: number, total: number, 
/**
 * For each mark, its events in each run.
 */
counts: Array<Array<number>>, };

export type StripRequest = { view: View, order: Order, 
/**
 * The result is cut into so many runs of rows.
 */
cells: number, 
/**
 * Filters whose events are counted in each run.
 */
marks: Array<string>, };

export type Subject = { "kind": "pattern", id: string, text: string, } | { "kind": "value", field: string, value: Scalar, } | { "kind": "pair", one: Subject, other: Subject, } | { "kind": "number", field: string, group: Subject | null, } | { "kind": "clock", source: string, against: string, };

export type Suggestion = { kind: SuggestionKind, 
/**
 * The displayed label.
 */
label: string, 
/**
 * The text that replaces the word at the cursor.
 */
insert: string, 
/**
 * A short description.
 */
detail: string, 
/**
 * How many events have this value or word.
 */
count: number | null, };

export type SuggestionKind = "field" | "value" | "function" | "stage" | "time" | "keyword" | "word";

export type SwitchRemoteRequest = { 
/**
 * Null is all of them at once; each keeps its own switch.
 */
name: string | null, off: boolean, };

export type Table = { revision: number, columns: Array<TableColumn>, 
/**
 * All rows of the result.
 */
total: number, first: number, rows: Array<Array<TableCell>>, 
/**
 * What people should know of it, such as values that were passed over.
 */
notes: Array<string>, 
/**
 * The share of the events looked at.
 */
fraction: number, elapsedMs: number, 
/**
 * Whether kernels calculated its first aggregation, and if not why; null where it has none, or is not whole.
 */
calculated: string | null, 
/**
 * What a cluster says of its answer.
 */
remote?: RemoteSays, 
/**
 * Whether a cluster estimated values of it that are exact when they are asked for so.
 */
estimated?: boolean, };

export type TableCell = string | number | boolean | null;

export type TableColumn = { name: string, kind: ColumnKind, };

export type TableFormat = "text" | "csv" | "ndjson" | "parquet" | "arrow" | "raw";

export type TechniqueCoverage = { 
/**
 * Of a correlation, that of its first rule with this tactic and technique. Its own tags count for its first rule.
 */
logSource: string, tactic: string, 
/**
 * Without its sub-technique: `T1003`. Empty for rules that name a tactic only.
 */
technique: string, 
/**
 * Its name; empty if it is not known.
 */
name: string, 
/**
 * Correlations included. They have the techniques of their rules, too.
 */
rules: number, 
/**
 * Of them, those that could match events of the case.
 */
seeing: number, fired: number, };

export type TemplateDecision = { name: string, 
/**
 * The name in the case, where a mapping cannot have it.
 */
renamed: string | null, 
/**
 * The type of the field, or the value of the setting.
 */
value: string, why: string, };

export type TermOrder = "most" | "fewest" | "value";

export type TimeField = { 
/**
 * Its name, as [`Options::time_field`](crate::Options::time_field) accepts it.
 */
name: string, 
/**
 * Share of the sample's events that have a time in it, 0 to 1.
 */
coverage: number, 
/**
 * Its first value that is a time.
 */
example: string, 
/**
 * The times are read from it.
 */
chosen: boolean, };

export type TimeSpan = { from: Nanos, to: Nanos, };

export type Timeline = { revision: number, 
/**
 * The counts of the case and of each cluster that it is shown with.
 */
lanes?: Array<TimelineLane>, 
/**
 * Share of the case's events that are done: 1 when this is the whole answer.
 */
fraction: number, elapsedMs: number, 
/**
 * What a cluster says of its answer.
 */
remote?: RemoteSays, 
/**
 * Start of the first bucket.
 */
start: Nanos, bucketNs: Nanos, 
/**
 * For each level, a count a bucket; as JSON only the levels that occur, the lowest first.
 */
series: Array<LevelSeries>, 
/**
 * Matching events in the range, those without a time included when the range is unbounded.
 */
total: number, 
/**
 * Matching events that have no time and so are in no bucket.
 */
untimed: number, };

export type TimelineLane = { 
/**
 * The name of the cluster; null for the case.
 */
remote: string | null, 
/**
 * Start of the first bucket.
 */
start: Nanos, bucketNs: Nanos, 
/**
 * For each level, a count a bucket; as JSON only the levels that occur, the lowest first.
 */
series: Array<LevelSeries>, 
/**
 * Matching events in the range, those without a time included when the range is unbounded.
 */
total: number, 
/**
 * Matching events that have no time and so are in no bucket.
 */
untimed: number, };

export type TimelineRequest = { view: View, 
/**
 * The most buckets the screen can draw.
 */
buckets: number, };

export type Trail = { sourceName: string, source: number, 
/**
 * `raw` for events with the value in their text and in none of their fields.
 */
field: string, events: number, first: Nanos | null, last: Nanos | null, };

export type Transaction = { id: Scalar, events: number, 
/**
 * Of its events with a time.
 */
first: Nanos | null, last: Nanos | null, durationNs: Nanos, level: Level, 
/**
 * The longest time between two consecutive events.
 */
gapNs: Nanos, };

export type TransactionOrder = "longest" | "mostEvents" | "worst" | "earliest";

export type Transactions = { elapsedMs: number, 
/**
 * The first ones in the requested order.
 */
shown: Array<Transaction>, 
/**
 * How many there are.
 */
total: number, 
/**
 * Durations of all of them: median, 95th and 99th percentile, maximum.
 */
durationsNs: Array<Nanos>, 
/**
 * Matching events without an id.
 */
without: number, };

export type TransactionsRequest = { view: View, 
/**
 * The field whose values are ids.
 */
field: string, order: TransactionOrder, most: number, };

export type TriageEntry = { at: Nanos, verb: TriageVerb, reason: CloseReason | null, until: Nanos | null, text: string, };

export type TriageRequest = { case: string, 
/**
 * A new name of the decision, to undo it by.
 */
id: string, alerts: AlertChoice, verb: TriageVerb, 
/**
 * Of a close.
 */
reason: CloseReason | null, 
/**
 * Of a mute.
 */
until: Nanos | null, 
/**
 * A comment; empty for none.
 */
text: string, };

export type TriageStatus = "new" | "acknowledged" | "muted" | "closed";

export type TriageVerb = "acknowledge" | "close" | "reopen" | "mute" | "unmute" | "comment";

export type TriagedCount = { 
/**
 * How many alerts were decided about.
 */
alerts: number, };

export type TriedFormat = { formats: Array<FormatName>, faults: Array<FormatFault>, 
/**
 * What it makes of the sample; nothing where the definition has a fault or the sample is empty.
 */
file: PreviewFile | null, };

export type TriedLevel = { level: DetectorLevel | null, 
/**
 * The TOML with this level in it.
 */
text: string, verdict: DetectorVerdict, tally: AlertTally, 
/**
 * When something fired, no finer than slots.
 */
spans: Array<TimeSpan>, 
/**
 * The first of its alerts.
 */
listed: Array<Alert>, elapsedMs: number, };

export type TryFormatRequest = { 
/**
 * The definition.
 */
text: string, 
/**
 * Lines to read by it.
 */
sample: string, events: number, };

export type TryLevelRequest = { case: string, text: string, name: string, level: number, slots: number, truth: Array<TimeSpan>, };

export type Unchanged = { 
/**
 * Patterns that occur often enough to be compared, and values of fields.
 */
patterns: number, values: number, 
/**
 * Fields that can have changed only a little.
 */
fields: Array<FieldChange>, 
/**
 * Fields that have too few events to say so, and no difference above the line either.
 */
unclear: Array<FieldChange>, };

export type UndoTriageRequest = { case: string, id: string, 
/**
 * False makes the decision again.
 */
undone: boolean, };

export type UnknownWord = { word: string, 
/**
 * Bytes of the query.
 */
start: number, end: number, 
/**
 * Words that it was perhaps meant for, those of the most events first.
 */
nearest: Array<NearWord>, };

export type UnknownWords = { words: Array<UnknownWord>, };

export type UnknownWordsRequest = { case: string, query: string, };

export type Unparsed = { reason: string, events: number, examples: Array<Example>, };

export type UnreadImport = { 
/**
 * The call that continues it.
 */
request: ImportRequest, 
/**
 * The files that are not read to their end.
 */
files: Array<string>, 
/**
 * It is not continued where its files are gone.
 */
isThere: boolean, };

export type UnreadImports = { imports: Array<UnreadImport>, };

export type ValueCount = { value: string, count: number, };

export type Verification = { sources: number, segments: number, bytes: number, problems: Array<WireError>, };

export type View = { case: string, 
/**
 * The filter, in the query language; empty means everything.
 */
query: string, 
/**
 * The time range, from inclusive, to exclusive; null means unbounded.
 */
from: Nanos | null, to: Nanos | null, 
/**
 * The zone of days in the filter, and of times that name none; UTC if it is missing.
 */
zone?: string, 
/**
 * That of an answer before, to see the case as it was then although it has more by now.
 */
revision?: number, };

export type Volume = { 
/**
 * Events of A and of B that have a time.
 */
events: [number, number], 
/**
 * The time of each side within that of its case.
 */
spansS: [number, number], perSecond: [number, number], 
/**
 * More or fewer in B; nothing if chance explains the difference, or if it is smaller than the line.
 */
change: Change | null, 
/**
 * The higher rate is at least so many times the lower one.
 */
atLeast: number, pValue: number, };

export type WatchSetsRequest = { case: string, 
/**
 * From now on these; null leaves them as they are.
 */
sets: WatchedSets | null, };

export type WatchedSets = { 
/**
 * The detectors that come with the program.
 */
starter: boolean, 
/**
 * Files and folders.
 */
rules: Array<string>, };

export type WireError = { code: ErrorCode, message: string, hint: string | null, path: string | null, 
/**
 * Byte range of the query that the error is about.
 */
span: [number, number] | null, };

export type WordClass = "field" | "operator" | "keyword" | "text" | "number" | "regex" | "time" | "pipe" | "stage" | "function" | "bracket" | "unknown";

export type WriteBulkRequest = { view: View, index: string, withOriginal: boolean, 
/**
 * A file of this machine; one that is there is replaced.
 */
path: string, };

export type WriteRequest = { 
/**
 * A file of this machine; one that is there is replaced.
 */
path: string, content: FileContent, };

export type WrittenKey = { key: string, value: KeyValue, 
/**
 * Counted from 1.
 */
line: number, };

/** Every call: what it takes, what it reports meanwhile, what it gives back. */
export interface Contract {
  hello: { args: Empty; progress: Empty; reply: Hello };
  sample: { args: Empty; progress: Empty; reply: Paths };
  createCase: { args: Paths; progress: Empty; reply: CaseSummary };
  openCase: { args: CasePath; progress: Empty; reply: CaseSummary };
  import: { args: ImportRequest; progress: ImportProgress; reply: ImportReport };
  attend: { args: CasePath; progress: ImportProgress; reply: ImportReport | null };
  pulse: { args: CasePath; progress: Empty; reply: CasePulse };
  unread: { args: CasePath; progress: Empty; reply: UnreadImports };
  leaveUnread: { args: ImportRequest; progress: Empty; reply: Empty };
  ahead: { args: AheadRequest; progress: Ahead; reply: Ahead };
  preview: { args: PreviewRequest; progress: Empty; reply: Preview };
  previewSource: { args: PreviewSourceRequest; progress: Empty; reply: PreviewFile };
  paste: { args: PasteRequest; progress: ImportProgress; reply: ImportReport };
  account: { args: AccountRequest; progress: Empty; reply: Account };
  adjust: { args: AdjustRequest; progress: ImportProgress; reply: ImportReport };
  reread: { args: RereadRequest; progress: ImportProgress; reply: ImportReport };
  formats: { args: Empty; progress: Empty; reply: Formats };
  tryFormat: { args: TryFormatRequest; progress: Empty; reply: TriedFormat };
  saveFormat: { args: SaveFormatRequest; progress: Empty; reply: SavedFormat };
  removeFormat: { args: RemoveFormatRequest; progress: Empty; reply: Empty };
  trustCase: { args: CasePath; progress: Empty; reply: Empty };
  forgetCase: { args: CasePath; progress: Empty; reply: Empty };
  renameCase: { args: RenameRequest; progress: Empty; reply: CaseSummary };
  duplicateCase: { args: RenameRequest; progress: Copying; reply: CaseSummary };
  deleteCase: { args: CasePath; progress: Empty; reply: Empty };
  remotes: { args: Empty; progress: Empty; reply: RemoteList };
  addRemote: { args: AddRemoteRequest; progress: Empty; reply: RemoteList };
  removeRemote: { args: RemoteName; progress: Empty; reply: RemoteList };
  switchRemote: { args: SwitchRemoteRequest; progress: Empty; reply: RemoteList };
  checkRemote: { args: RemoteName; progress: Empty; reply: RemoteCheck };
  planPush: { args: PlanPushRequest; progress: Empty; reply: PushPlan };
  push: { args: PushRequest; progress: PushProgress; reply: PushReport };
  writeBulk: { args: WriteBulkRequest; progress: Exported; reply: Exported };
  reference: { args: Empty; progress: Empty; reply: Reference };
  findCase: { args: CasePath; progress: Empty; reply: Paths };
  reprofile: { args: ReprofileRequest; progress: Rewriting; reply: CaseSummary };
  compact: { args: CasePath; progress: Rewriting; reply: CompactReport };
  deleteSources: { args: DeleteRequest; progress: Rewriting; reply: CaseSummary };
  verify: { args: CasePath; progress: Empty; reply: Verification };
  repair: { args: CasePath; progress: Empty; reply: Verification };
  live: { args: CasePath; progress: Empty; reply: LiveStatus };
  addLive: { args: AddLiveRequest; progress: Empty; reply: LiveStatus };
  changeLive: { args: ChangeLiveRequest; progress: Empty; reply: LiveStatus };
  startLive: { args: CasePath; progress: Empty; reply: LiveStatus };
  stopLive: { args: CasePath; progress: Empty; reply: LiveStatus };
  liveAlerts: { args: CasePath; progress: Empty; reply: LiveAlerts };
  watchSets: { args: WatchSetsRequest; progress: Empty; reply: WatchedSets };
  cancel: { args: CancelRequest; progress: Empty; reply: Empty };
  timeline: { args: TimelineRequest; progress: Timeline; reply: Timeline };
  page: { args: PageRequest; progress: Empty; reply: Page };
  locate: { args: LocateRequest; progress: Empty; reply: Located };
  event: { args: EventRequest; progress: Empty; reply: EventDetail };
  events: { args: EventsRequest; progress: Empty; reply: EventsReply };
  seek: { args: SeekRequest; progress: Empty; reply: SeekReply };
  strip: { args: StripRequest; progress: Empty; reply: Strip };
  aggregate: { args: AggregateRequest; progress: Aggregate; reply: Aggregate };
  facets: { args: FacetsRequest; progress: Facets; reply: Facets };
  fields: { args: CasePath; progress: Empty; reply: FieldList };
  links: { args: CasePath; progress: LinksProgress; reply: Links };
  linked: { args: LinkedRequest; progress: LinksProgress; reply: LinkedValue | null };
  sortedPage: { args: SortedPageRequest; progress: Empty; reply: Page };
  context: { args: ContextRequest; progress: Empty; reply: Context };
  follow: { args: FollowRequest; progress: Empty; reply: Followed };
  transactions: { args: TransactionsRequest; progress: Empty; reply: Transactions };
  check: { args: CheckRequest; progress: Empty; reply: QueryCheck };
  edit: { args: EditRequest; progress: Empty; reply: Edited };
  stretch: { args: StretchRequest; progress: Empty; reply: Stretch };
  complete: { args: CompleteRequest; progress: Empty; reply: Completion };
  unknownWords: { args: UnknownWordsRequest; progress: Empty; reply: UnknownWords };
  explain: { args: ExplainRequest; progress: Empty; reply: Explained };
  patterns: { args: PatternsRequest; progress: Patterns; reply: Patterns };
  seismograph: { args: SeismographRequest; progress: SeismographProgress; reply: Seismograph };
  serviceMap: { args: ServiceMapRequest; progress: ServiceMapProgress; reply: ServiceMap };
  compare: { args: CompareRequest; progress: Compared; reply: Compared };
  compareWords: { args: CompareRequest; progress: Empty; reply: SignificantWords };
  run: { args: RunRequest; progress: Table; reply: Table };
  export: { args: ExportRequest; progress: Exported; reply: Exported };
  write: { args: WriteRequest; progress: Empty; reply: Empty };
  notes: { args: NotesRequest; progress: Empty; reply: Notes };
  changeNotes: { args: ChangeNotesRequest; progress: Empty; reply: NotesChanged };
  evidence: { args: EvidenceRequest; progress: Empty; reply: EvidenceList };
  markdown: { args: MarkdownRequest; progress: Empty; reply: MarkdownPage };
  detectors: { args: CasePath; progress: Empty; reply: DetectorList };
  readDetectors: { args: DetectorText; progress: Empty; reply: DetectorList };
  changeDetector: { args: ChangeDetectorRequest; progress: Empty; reply: DetectorKeys };
  runDetectors: { args: RunDetectorsRequest; progress: DetectorRun; reply: DetectorRuns };
  runRules: { args: RunRulesRequest; progress: Empty; reply: RuleRuns };
  alerts: { args: AlertsRequest; progress: Empty; reply: InboxPage };
  alertFlags: { args: CasePath; progress: Empty; reply: InboxFlags };
  alertMeasure: { args: AlertMeasureRequest; progress: Empty; reply: AlertMeasure };
  triage: { args: TriageRequest; progress: Empty; reply: TriagedCount };
  undoTriage: { args: UndoTriageRequest; progress: Empty; reply: Empty };
  exportAlerts: { args: ExportAlertsRequest; progress: Empty; reply: ExportedAlerts };
  ruleHits: { args: RuleHitsRequest; progress: Empty; reply: RuleHitList };
  excludeValue: { args: ExclusionRequest; progress: Empty; reply: Exclusion };
  backTest: { args: BackTestRequest; progress: Empty; reply: BackTest };
  tryLevel: { args: TryLevelRequest; progress: Empty; reply: TriedLevel };
  exportNotes: { args: ExportNotesRequest; progress: NotebookProgress; reply: ExportedNotes };
}
