//! The contract as TypeScript: `src/ipc/generated.ts` is this text, and a test proves it fresh.

use ts_rs::{Config, TS};

use crate::ahead::{Ahead, AheadLine, AheadRequest};
use crate::analysis::{
    Aggregate, AggregateRequest, Around, Axis, Bins, By, CalendarUnit, Context, ContextRequest, Facet,
    Facets, FacetsRequest, FollowRequest, Interval, Measure, Measured, NumberFacet, PercentileValue, Scalar,
    ScalarCount, ScalarKind, SignificantRequest, SignificantTerm, SignificantTerms, SortedPageRequest,
    TermOrder, Trail, Trails, Transaction, TransactionOrder, Transactions, TransactionsRequest,
};
use crate::cases::{Copying, Reference, ReferenceEntry, ReferenceTopic, RenameRequest};
use crate::contract::rows;
use crate::events::{
    EventsReply, EventsRequest, Fields, KnownField, SeekReply, SeekRequest, Strip, StripRequest,
};
use crate::files::{FileContent, WriteRequest};
use crate::formats::{
    FormatFault, FormatName, Formats, RemoveFormatRequest, SaveFormatRequest, SavedFormat, TriedFormat,
    TryFormatRequest,
};
use crate::language::{
    CheckRequest, CompleteRequest, Completion, EditRequest, Edited, NearWord, QueryCheck, QueryClause,
    QueryDiagnostic, QueryEdit, QueryPart, QueryWord, Stretch, StretchRequest, Suggestion, SuggestionKind,
    UnknownWord, UnknownWords, UnknownWordsRequest, WordClass,
};
use crate::notebook::{
    CellEvent, CellKind, ExportNotesRequest, ExportedNotes, MarkdownKind, MarkdownNode, MarkdownPage,
    MarkdownRequest, NotebookCell, NotebookFormat, NotebookProgress,
};
use crate::notes::{
    ChangeNotesRequest, Evidence, EvidenceList, EvidenceRequest, Note, NoteConflict, NoteDraft, NoteName,
    NoteRemoval, Notes, NotesChanged, NotesMade, NotesRequest,
};
use crate::patterns::{
    Granularity, LevelCount, Pattern, PatternVariable, Patterns, PatternsRequest, TimeSpan, ValueCount,
};
use crate::sources::{
    Account, AccountRequest, AdjustRequest, Alternative, Estimate, Example, FileReading, ImportChoices,
    Layout, PasteRequest, Piece, Preview, PreviewFile, PreviewRequest, PreviewRow, PreviewSourceRequest,
    ProfileCost, Reading, RereadRequest, TimeField, Unparsed,
};
use crate::stages::{Stage, StageName};
use crate::tables::{
    ColumnKind, ExportRequest, Exported, RunRequest, Table, TableCell, TableColumn, TableFormat,
};
use crate::types::{
    CancelRequest, CasePath, CaseState, CaseSummary, CompactReport, DeleteRequest, Empty, ErrorCode,
    EventDetail, EventId, EventRequest, FieldKind, FieldValue, FileOutcome, FileProgress, FileState, Hello,
    HostKind, ImportPhase, ImportProgress, ImportReport, ImportRequest, Level, LevelSeries, LocateRequest,
    Located, Order, Page, PageRequest, Paths, Profile, RecentCase, ReprofileRequest, Rewriting, Row, Source,
    Timeline, TimelineRequest, Verification, View, WireError,
};

const HEAD: &str = "// Made from src-tauri/wire by `npm run bless`. Do not edit.\n\n\
/** Nanoseconds since 1970-01-01 UTC as a decimal string; `src/base/time.ts` turns it into a bigint. */\n\
export type Nanos = string & { readonly __nanos: unique symbol };\n";

/// The whole generated file.
// Long because it names every type, one a line.
#[allow(clippy::too_many_lines)]
#[must_use]
pub fn generate() -> String {
    let config = Config::default().with_large_int("number");
    let mut text = String::from(HEAD);
    macro_rules! declare {
        ($($type:ty),* $(,)?) => { $( declare::<$type>(&config, &mut text); )* };
    }
    declare![
        Level,
        HostKind,
        Empty,
        Hello,
        RecentCase,
        CaseState,
        Paths,
        CasePath,
        RenameRequest,
        Copying,
        Reference,
        ReferenceTopic,
        ReferenceEntry,
        TimeSpan,
        CancelRequest,
        Profile,
        CaseSummary,
        Source,
        ReprofileRequest,
        DeleteRequest,
        Rewriting,
        CompactReport,
        Verification,
        Reading,
        FileReading,
        ImportChoices,
        ImportRequest,
        AheadRequest,
        Ahead,
        AheadLine,
        PreviewRequest,
        PreviewSourceRequest,
        Preview,
        Estimate,
        ProfileCost,
        PreviewFile,
        PreviewRow,
        Piece,
        Account,
        Alternative,
        Layout,
        TimeField,
        Unparsed,
        Example,
        AccountRequest,
        AdjustRequest,
        RereadRequest,
        PasteRequest,
        FormatName,
        FormatFault,
        Formats,
        SavedFormat,
        TryFormatRequest,
        TriedFormat,
        SaveFormatRequest,
        RemoveFormatRequest,
        ImportPhase,
        FileState,
        StageName,
        Stage,
        FileOutcome,
        ImportProgress,
        FileProgress,
        ImportReport,
        View,
        TimelineRequest,
        Timeline,
        LevelSeries,
        Order,
        PageRequest,
        Page,
        EventId,
        Row,
        LocateRequest,
        Located,
        EventRequest,
        EventDetail,
        FieldValue,
        FieldKind,
        EventsRequest,
        EventsReply,
        SeekRequest,
        SeekReply,
        StripRequest,
        Strip,
        Fields,
        KnownField,
        Scalar,
        ScalarKind,
        AggregateRequest,
        By,
        Interval,
        CalendarUnit,
        TermOrder,
        Bins,
        Measure,
        Aggregate,
        Axis,
        Measured,
        FacetsRequest,
        Facets,
        Facet,
        ScalarCount,
        NumberFacet,
        PercentileValue,
        SignificantRequest,
        SignificantTerms,
        SignificantTerm,
        SortedPageRequest,
        ContextRequest,
        Around,
        Context,
        FollowRequest,
        Trails,
        Trail,
        TransactionsRequest,
        TransactionOrder,
        Transactions,
        Transaction,
        CheckRequest,
        QueryCheck,
        QueryClause,
        QueryPart,
        QueryDiagnostic,
        WordClass,
        QueryWord,
        EditRequest,
        QueryEdit,
        Edited,
        StretchRequest,
        Stretch,
        UnknownWordsRequest,
        UnknownWords,
        UnknownWord,
        NearWord,
        CompleteRequest,
        Completion,
        SuggestionKind,
        Suggestion,
        Granularity,
        PatternsRequest,
        Patterns,
        Pattern,
        LevelCount,
        PatternVariable,
        ValueCount,
        RunRequest,
        Table,
        TableColumn,
        ColumnKind,
        TableCell,
        ExportRequest,
        TableFormat,
        Exported,
        WriteRequest,
        FileContent,
        Note,
        NoteName,
        NotesRequest,
        Notes,
        NoteDraft,
        NoteRemoval,
        ChangeNotesRequest,
        NotesMade,
        NoteConflict,
        NotesChanged,
        EvidenceRequest,
        Evidence,
        EvidenceList,
        CellEvent,
        CellKind,
        ExportNotesRequest,
        ExportedNotes,
        MarkdownKind,
        MarkdownNode,
        MarkdownPage,
        MarkdownRequest,
        NotebookCell,
        NotebookFormat,
        NotebookProgress,
        ErrorCode,
        WireError,
    ];
    text.push_str("\n/** Every call: what it takes, what it reports meanwhile, what it gives back. */\n");
    text.push_str("export interface Contract {\n");
    for row in rows(&config) {
        text.push_str("  ");
        text.push_str(&row);
        text.push('\n');
    }
    text.push_str("}\n");
    text
}

fn declare<T: TS>(config: &Config, text: &mut String) {
    text.push_str("\nexport ");
    text.push_str(&T::decl(config));
    text.push('\n');
}
