//! The table of calls: name, request, what is streamed meanwhile, reply.
//!
//! The enum that is parsed, the dispatch that answers it and the TypeScript that sends it are made from this table.
//! `docs/how-to-add.md` says how to add one.

use detect::inbox::{InboxFlags, InboxPage};
use indexer::compare::SignificantWords;
use indexer::links::{LinkedValue, Links};
use indexer::query::{Completion, time::Period};
use indexer::{CompactReport, Rewriting, Verification};
use remote::PushProgress;
use serde::Deserialize;

use crate::{Call, Session};

// A row names a function and types of these modules, and nothing else has to name them.
#[allow(clippy::wildcard_imports)]
use crate::{
    ahead::*, alert_measure::*, alerts::*, analysis::*, calls::*, cases::*, compare::*, detectors::*,
    events::*, explain::*, files::*, formats::*, language::*, links::*, live::*, notebook::*, notes::*,
    opening::*, patterns::*, readings::*, recent::*, remotes::*, seismograph::*, service_map::*, sigma::*,
    sources::*, tables::*, trust::*, types::*, unread::*, upkeep::*, works::*,
};

macro_rules! contract {
    ($( $(#[$doc:meta])* $name:ident / $variant:ident : $request:ty, $progress:ty => $reply:ty; )*) => {
        /// A command as data. `{"command": "timeline", "args": {…}}` on the wire.
        #[derive(Clone, Debug, Deserialize)]
        #[serde(rename_all = "camelCase", tag = "command", content = "args")]
        pub enum Command { $( $(#[$doc])* $variant($request), )* }

        /// Answers a command of a case, or of none.
        pub(crate) fn answer(session: &Session, call: &Call, command: Command)
            -> Result<serde_json::Value, WireError>
        {
            match command {
                $( Command::$variant(request) => {
                    let report = |progress: $progress| call.report(&progress);
                    let reply: $reply = $name(session, call, &request, &report)?;
                    serde_json::to_value(reply).map_err(|error| WireError::internal(&error))
                } )*
            }
        }

        /// Visits the types of every row.
        #[cfg(feature = "typescript")]
        pub(crate) fn visit_types(visitor: &mut impl ts_rs::TypeVisitor) {
            $( visitor.visit::<$request>(); visitor.visit::<$progress>(); visitor.visit::<$reply>(); )*
        }

        /// The rows of the TypeScript `Contract` interface.
        #[cfg(feature = "typescript")]
        pub(crate) fn rows(config: &ts_rs::Config) -> Vec<String> {
            use ts_rs::TS;
            vec![ $( format!(
                "{}: {{ args: {}; progress: {}; reply: {} }};",
                camel(stringify!($variant)),
                <$request>::name(config), <$progress>::name(config), <$reply>::name(config),
            ), )* ]
        }
    };
}

#[cfg(feature = "typescript")]
fn camel(variant: &str) -> String {
    let mut letters = variant.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

contract! {
    /// What a window needs to know when it opens.
    hello / Hello: Empty, Empty => Hello;
    /// Writes the sample logs to disk and names them, ready to be imported.
    sample / Sample: Empty, Empty => Paths;
    /// Makes an empty case named after these paths, in the folder of cases.
    create_case / CreateCase: Paths, Empty => CaseSummary;
    open_case / OpenCase: CasePath, Empty => CaseSummary;
    /// Reads files and folders into a case. Returns when the text index is built too.
    import / Import: ImportRequest, ImportProgress => ImportReport;
    /// Reports an import that is under way in a case until it ends; null if there is none.
    attend / Attend: CasePath, ImportProgress => Option<ImportReport>;
    /// The state of a case in few bytes, for pages that follow it.
    pulse / Pulse: CasePath, Empty => CasePulse;
    /// What imports of a case have left unread, because they were stopped or cut off.
    unread / Unread: CasePath, Empty => UnreadImports;
    /// Leaves out what an import has left unread.
    leave_unread / LeaveUnread: ImportRequest, Empty => Empty;
    /// The lines of files that match, before they are imported; partial results are streamed.
    ahead / Ahead: AheadRequest, Ahead => Ahead;
    /// What an import would bring and take: files by their first bytes, with the places of their fields.
    preview / Preview: PreviewRequest, Empty => Preview;
    /// How a stored source would be read in another way, from what is stored.
    preview_source / PreviewSource: PreviewSourceRequest, Empty => PreviewFile;
    /// Reads text that has no file into a case, as a source of its own.
    paste / Paste: PasteRequest, ImportProgress => ImportReport;
    /// Why a source is read as it is, and what is odd about it.
    account / Account: AccountRequest, Empty => Account;
    /// Sets the zone and the clock of sources; their times are computed again from the stored bytes.
    adjust / Adjust: AdjustRequest, ImportProgress => ImportReport;
    /// Reads sources again, as another format or in another encoding, from the stored bytes.
    reread / Reread: RereadRequest, ImportProgress => ImportReport;
    /// Everything a source can be read as: the built-in formats, the saved ones, the encodings.
    formats / Formats: Empty, Empty => Formats;
    /// What a definition of a format makes of some lines, and what is wrong with it.
    try_format / TryFormat: TryFormatRequest, Empty => TriedFormat;
    /// Keeps a definition for every later import.
    save_format / SaveFormat: SaveFormatRequest, Empty => SavedFormat;
    remove_format / RemoveFormat: RemoveFormatRequest, Empty => Empty;
    /// Lets queries, notebook, live sources and rules of a case read files of this machine: a person trusts it.
    trust_case / TrustCase: CasePath, Empty => Empty;
    /// Takes a case off the list of recent ones; the case stays as it is.
    forget_case / ForgetCase: CasePath, Empty => Empty;
    /// Gives a case another name; its folder stays where it is.
    rename_case / RenameCase: RenameRequest, Empty => CaseSummary;
    /// Copies a case with its notes into the folder of cases, under another name.
    duplicate_case / DuplicateCase: RenameRequest, Copying => CaseSummary;
    /// Deletes a case with all that is in its folder; the logs that it was made of stay.
    delete_case / DeleteCase: CasePath, Empty => Empty;
    /// The clusters that a person added, without connecting to them.
    remotes / Remotes: Empty, Empty => RemoteList;
    /// Adds a cluster; nothing connects to it yet.
    add_remote / AddRemote: AddRemoteRequest, Empty => RemoteList;
    /// Forgets a cluster; the files with its credentials stay.
    remove_remote / RemoveRemote: RemoteName, Empty => RemoteList;
    /// Switches a cluster on or off, or all of them at once.
    switch_remote / SwitchRemote: SwitchRemoteRequest, Empty => RemoteList;
    /// Connects to a cluster and looks at each thing that questions need.
    check_remote / CheckRemote: RemoteName, Empty => RemoteCheck;
    /// What a push to a cluster would send, and the index template that it would create; nothing is sent.
    plan_push / PlanPush: PlanPushRequest, Empty => PushPlan;
    /// Sends events to a cluster, and compares the counts of every hour. Stopped, the next one continues.
    push / Push: PushRequest, PushProgress => PushReport;
    /// Writes the same documents to a file of the machine that answers, ready for `_bulk`.
    write_bulk / WriteBulk: WriteBulkRequest, Exported => Exported;
    /// Everything that the language understands, from the tables that it is parsed by.
    reference / Reference: Empty, Empty => Reference;
    /// Where a case is that is not where it was.
    find_case / FindCase: CasePath, Empty => Paths;
    /// Keeps more or less besides the original bytes. Stopped, it goes on with the next import.
    reprofile / Reprofile: ReprofileRequest, Rewriting => CaseSummary;
    /// Makes a case smaller.
    compact / Compact: CasePath, Rewriting => CompactReport;
    /// Takes sources out of a case.
    delete_sources / DeleteSources: DeleteRequest, Rewriting => CaseSummary;
    /// Reads everything back and compares it with the hashes.
    verify / Verify: CasePath, Empty => Verification;
    /// Repairs what is damaged, from the original bytes; returns what is still wrong.
    repair / Repair: CasePath, Empty => Verification;
    /// The live sources of a case, and how each does.
    live / Live: CasePath, Empty => LiveStatus;
    /// Starts to receive from a new source.
    add_live / AddLive: AddLiveRequest, Empty => LiveStatus;
    change_live / ChangeLive: ChangeLiveRequest, Empty => LiveStatus;
    /// Starts the sources that ran when the case was open last.
    start_live / StartLive: CasePath, Empty => LiveStatus;
    /// Stops all live sources: everything that was received becomes events.
    stop_live / StopLive: CasePath, Empty => LiveStatus;
    /// What the detectors of a case sent while it receives.
    live_alerts / LiveAlerts: CasePath, Empty => LiveAlerts;
    /// Which detectors besides its own a case has evaluated while it receives.
    watch_sets / WatchSets: WatchSetsRequest, Empty => WatchedSets;
    /// Stops a running call; what it had done is kept.
    cancel / Cancel: CancelRequest, Empty => Empty;
    /// Counts over time by level; partial timelines are streamed.
    timeline / Timeline: TimelineRequest, Timeline => Timeline;
    /// Rows of the sorted result.
    page / Page: PageRequest, Empty => Page;
    /// The row of a time or an event.
    locate / Locate: LocateRequest, Empty => Located;
    event / Event: EventRequest, Empty => EventDetail;
    /// Several events, whole.
    events / Events: EventsRequest, Empty => EventsReply;
    /// The next row of a result that matches something else too.
    seek / Seek: SeekRequest, Empty => SeekReply;
    /// What lies where in a result, at a glance.
    strip / Strip: StripRequest, Empty => Strip;
    /// Counts and measures grouped by time, values and bins; partial counts are streamed.
    aggregate / Aggregate: AggregateRequest, Aggregate => Aggregate;
    /// All fields at once; finished ones are streamed.
    facets / Facets: FacetsRequest, Facets => Facets;
    /// The names and types of all fields.
    fields / Fields: CasePath, Empty => FieldList;
    /// Fields of different sources that hold the same values, and clocks that differ.
    links / Links: CasePath, LinksProgress => Links;
    /// The names under which a value is an id, and a filter that finds all of them.
    linked / Linked: LinkedRequest, LinksProgress => Option<LinkedValue>;
    /// Rows of the result sorted by a field.
    sorted_page / SortedPage: SortedPageRequest, Empty => Page;
    /// The events before and after an event.
    context / Context: ContextRequest, Empty => Context;
    /// Where a value occurs, over all sources and fields.
    follow / Follow: FollowRequest, Empty => Followed;
    /// Events put together by an id.
    transactions / Transactions: TransactionsRequest, Empty => Transactions;
    /// What is wrong with a query, without running it, and what its words are.
    check / Check: CheckRequest, Empty => QueryCheck;
    /// The query after a change of one of its clauses.
    edit / Edit: EditRequest, Empty => Edited;
    /// The time from one written time to another.
    stretch / Stretch: StretchRequest, Empty => Period;
    /// What could be written at a place in a query.
    complete / Complete: CompleteRequest, Empty => Completion;
    /// The words of a query that no event has, and what they were perhaps meant for.
    unknown_words / UnknownWords: UnknownWordsRequest, Empty => UnknownWords;
    /// How a query was answered: for each clause whether the index, columns or the text were read, and how much of them.
    explain / Explain: ExplainRequest, Empty => Explained;
    /// The templates of the matching events; partial results are streamed.
    patterns / Patterns: PatternsRequest, Patterns => Patterns;
    /// The templates of the matching events over time, in an order in which those that move together are neighbours.
    seismograph / Seismograph: SeismographRequest, SeismographProgress => Seismograph;
    /// Who follows whom: steps between services, from events with the same id.
    service_map / ServiceMap: ServiceMapRequest, ServiceMapProgress => ServiceMap;
    /// What differs between two parts of a case; partial results are streamed.
    compare / Compare: CompareRequest, Compared => Compared;
    /// The words that distinguish side B from side A.
    compare_words / CompareWords: CompareRequest, Empty => SignificantWords;
    /// Rows of what a query with stages gives; partial results are streamed.
    run / Run: RunRequest, Table => Table;
    /// Writes what a query gives to a file of the machine that answers.
    export / Export: ExportRequest, Exported => Exported;
    /// Writes a file that the screen has made, such as the picture of a chart.
    write / Write: WriteRequest, Empty => Empty;
    /// What people wrote about the case, or what of it changed since an earlier reply.
    notes / Notes: NotesRequest, Empty => Notes;
    /// Writes and removes notes in one step, unless somebody else changed one of them.
    change_notes / ChangeNotes: ChangeNotesRequest, Empty => NotesChanged;
    /// Events by their places, with what proves them.
    evidence / Evidence: EvidenceRequest, Empty => EvidenceList;
    /// A page of the notebook as a tree of plain data, with the cells in it.
    markdown / Markdown: MarkdownRequest, Empty => MarkdownPage;
    /// The detectors that come with the program and those of a case.
    detectors / Detectors: CasePath, Empty => DetectorList;
    /// What a text of detectors says, and what is wrong with it.
    read_detectors / ReadDetectors: DetectorText, Empty => DetectorList;
    /// The keys of a detector in a text, one by one, after changes to them.
    change_detector / ChangeDetector: ChangeDetectorRequest, Empty => DetectorKeys;
    /// Runs all detectors of a case over its events; each is reported when it is done.
    run_detectors / RunDetectors: RunDetectorsRequest, DetectorRun => DetectorRuns;
    /// Runs the rules of files and folders.
    run_rules / RunRules: RunRulesRequest, Empty => RuleRuns;
    /// A part of the inbox of alerts, and how many alerts have which state.
    alerts / Alerts: AlertsRequest, Empty => InboxPage;
    /// The new alerts for the timeline, and how many alerts have which state.
    alert_flags / AlertFlags: CasePath, Empty => InboxFlags;
    /// The measure of an alert's detector around the alert.
    alert_measure / AlertMeasure: AlertMeasureRequest, Empty => AlertMeasure;
    /// Acknowledges, closes, reopens, mutes alerts, or comments on them.
    triage / Triage: TriageRequest, Empty => TriagedCount;
    /// Undoes a decision about alerts, or makes it again.
    undo_triage / UndoTriage: UndoTriageRequest, Empty => Empty;
    /// Writes alerts of the inbox to a file.
    export_alerts / ExportAlerts: ExportAlertsRequest, Empty => ExportedAlerts;
    /// The events that a Sigma rule matches, and the values that made each match.
    rule_hits / RuleHits: RuleHitsRequest, Empty => RuleHitList;
    /// A Sigma filter that leaves a value out of a rule.
    exclude_value / ExcludeValue: ExclusionRequest, Empty => Exclusion;
    /// The measure of one detector over all of the time, and what it would have said.
    back_test / BackTest: BackTestRequest, Empty => BackTest;
    /// What a detector would have said with another level, from what its back-test has read.
    try_level / TryLevel: TryLevelRequest, Empty => TriedLevel;
    /// The notebook with its cells answered and its evidence, as one file.
    export_notes / ExportNotes: ExportNotesRequest, NotebookProgress => ExportedNotes;
}
